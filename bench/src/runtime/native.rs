//! Messages of native code: loops that call the host in each iteration, or in each hundredth.

use anyhow::Result;
use tfx::runtime::{ExecutorKind, Tensor};

use super::channels::{self, ITERATIONS, NANOSECONDS};
use super::compiled::{Compiled, alternate, repeat};
use super::report::{Peer, Row, Sample, Target};
use super::tensorflow::{TRAINING, TRAINING_FOREIGN, inputs};

/// The number of steps of a run of training.
const STEPS: i32 = 50_000;

/// The call of the host in the text of `TRAINING`.
const CALL: &str = "  func.call @write_weights(%next) : (tensor<16x1xf32>) -> ()\n";

/// The program of [`channels::SIMULATOR`]: two messages and two operations in each iteration.
pub(super) fn simulator(runs: usize) -> Result<Row> {
    let program = Compiled::native(channels::SIMULATOR, channels::SIMULATOR_FOREIGN)?;
    let figures = repeat(runs, || {
        let seconds = program.seconds(ExecutorKind::Native, &[Tensor::scalar(ITERATIONS)])?;
        Ok(seconds * NANOSECONDS / f64::from(ITERATIONS))
    })?;
    Ok(Row {
        name: "host simulator, native: an iteration with its round trip",
        unit: "ns",
        ours: Sample::new(figures),
        peer: Peer::Absent {
            what: "TensorFlow in Python",
            why: "it is compared with the executor of TensorFlow".to_owned(),
        },
        target: Target::AtMost(1000.0),
    })
}

/// A step of training whose weights are written in each hundredth step, compared with the same
/// steps without.
pub(super) fn training(runs: usize) -> Result<Row> {
    let program = Compiled::native(TRAINING, TRAINING_FOREIGN)?;
    let quiet = Compiled::native(&TRAINING.replace(CALL, ""), TRAINING_FOREIGN)?;
    let arguments = inputs(STEPS)?;
    let step = |program: &Compiled| {
        let seconds = program.seconds(ExecutorKind::Native, &arguments)?;
        Ok(seconds * NANOSECONDS / f64::from(STEPS))
    };
    let figures = alternate(runs, || step(&program), || step(&quiet))?;
    Ok(Row::compared(
        "training, native, logged every 100 steps: a step",
        "ns",
        figures,
        "the same without the log",
        Target::TimesPeer(1.05),
    ))
}
