//! Training as native code that rarely calls the host.

use anyhow::Result;
use tfx::runtime::ExecutorKind;

use super::channels::NANOSECONDS;
use super::compiled::{Compiled, alternate};
use super::report::{Row, Target};
use super::tensorflow::{TRAINING, TRAINING_FOREIGN, inputs};

/// The number of steps of a run of training.
const STEPS: i32 = 50_000;

/// The call of the host in the text of `TRAINING`.
const CALL: &str = "  func.call @write_weights(%next) : (tensor<16x1xf32>) -> ()\n";

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
