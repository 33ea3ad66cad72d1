//! The overlap of host and graph: a loop with about 1 ms of each per iteration, compared with the
//! longer side alone.

use anyhow::Result;
use tfx::runtime::{ExecutorKind, Tensor};

use super::compiled::{Compiled, with_longer_side};
use super::report::{Row, Target};

const ITERATIONS: i32 = 50;
const MILLISECOND: f64 = 1e-3;

/// Returns the program. In each iteration, the host works and decides, and the graph computes the
/// given number of products.
fn text(products: usize) -> String {
    let mut body = String::new();
    for index in 0..products {
        let next = index + 1;
        body += &format!(
            "  %w{next} = tfx_tensor.op \"MatMul\"(%w{index}, %turn) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
        );
    }
    format!(
        "
func.func private @stop_working() -> i1
func.func private @work(i32, i32)
func.func @main(%iterations: i32, %microseconds: i32, %turn: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  func.call @work(%iterations, %microseconds) : (i32, i32) -> ()
  cf.br ^loop(%turn : tensor<64x64xf32>)
^loop(%w0: tensor<64x64xf32>):
  %stop = func.call @stop_working() : () -> i1
  cf.cond_br %stop, ^exit, ^body
^body:
{body}  cf.br ^loop(%w{products} : tensor<64x64xf32>)
^exit:
  return %w0 : tensor<64x64xf32>
}}"
    )
}

/// The host uses CPU time, as real work does: a sleeping thread would overlap with anything.
const FOREIGN: &str = "
#include <time.h>
static int left, wanted;
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}
void work(int iterations, int microseconds) { left = iterations; wanted = microseconds; }
bool stop_working(void) {
  for (double until = now() + wanted; wanted && now() < until;) {}
  return left-- == 0;
}
";

fn identity() -> Result<Tensor> {
    let fill = |elements: &mut [f32]| {
        elements
            .iter_mut()
            .step_by(65)
            .for_each(|element| *element = 1.0);
    };
    Ok(Tensor::build(&[64, 64], fill)?)
}

struct Loop(Compiled, Tensor);

impl Loop {
    fn new(products: usize) -> Result<Self> {
        Ok(Loop(Compiled::new(&text(products), FOREIGN)?, identity()?))
    }

    /// Returns the seconds of a run whose host takes the given time per iteration.
    fn seconds(&self, host: f64) -> Result<f64> {
        let microseconds = (host * 1e6) as i32;
        let arguments = [
            Tensor::scalar(ITERATIONS),
            Tensor::scalar(microseconds),
            self.1.clone(),
        ];
        self.0.seconds(ExecutorKind::Embedded, &arguments)
    }
}

/// Compares the time of a run with the longer side alone.
pub(super) fn measure(runs: usize) -> Result<Row> {
    // The number of products that take a millisecond on this machine.
    const PROBE: usize = 4;
    let probe = Loop::new(PROBE)?;
    probe.seconds(0.0)?;
    let product = probe.seconds(0.0)? / f64::from(ITERATIONS) / PROBE as f64;
    let program = Loop::new(((MILLISECOND / product) as usize).max(1))?;
    // The host decides once more than the number of iterations.
    let host = f64::from(ITERATIONS + 1) * MILLISECOND;
    let figures = with_longer_side(runs, host, |with_host| {
        program.seconds(if with_host { MILLISECOND } else { 0.0 })
    })?;
    let name = "overlap: 50 iterations of 1 ms host and 1 ms graph";
    let (what, target) = ("the longer side alone", Target::TimesPeer(1.1));
    Ok(Row::compared(name, "ms", figures, what, target))
}
