//! A training loop: a loader of 5 ms feeds a step of about 5 ms, and the loss of each step is
//! logged.
//!
//! If the states of the loader and the log are declared, batch i + 1 is loaded while step i runs,
//! so that the loop takes as long as its longer side. The same holds if a separate thread loads
//! ahead. Otherwise the sides alternate.

use anyhow::Result;
use tfx::runtime::{ExecutorKind, Tensor};

use super::compiled::{Compiled, with_longer_side};
use super::report::Row;
use super::report::Target::{self, Nothing, TimesPeer};

use Ahead::{Declared, Prefetch, Sequential};
use ExecutorKind::{Embedded, TensorFlow};

const ITERATIONS: i32 = 50;
/// The time to load a batch.
const LOAD: f64 = 5e-3;

/// The mechanism by which the loader runs ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ahead {
    /// None.
    Sequential,
    /// The states of the loader and of the log are declared.
    Declared,
    /// A prefetch thread calls the loader.
    Prefetch,
}

/// Returns the program. A step is a chain of the given number of products.
fn text(products: usize, ahead: Ahead) -> String {
    let state = |name: &str| match ahead {
        Sequential => String::new(),
        Declared | Prefetch => format!(" attributes {{tfx.state = \"{name}\"}}"),
    };
    let (loader, log) = (state("loader"), state("log"));
    let (open, batch, close) = match ahead {
        Sequential | Declared => ("", "func.call @next_batch() : () -> !M", ""),
        Prefetch => (
            "%queue = tfx_host.prefetch @next_batch() depth(2) : () -> !tfx_host.queue<!M>",
            "tfx_host.next %queue : !tfx_host.queue<!M>",
            "tfx_host.close %queue : !tfx_host.queue<!M>",
        ),
    };
    let mut body = String::new();
    for index in 0..products {
        let next = index + 1;
        body += &format!(
            "    %p{next} = tfx_tensor.op \"MatMul\"(%batch, %p{index}) : (!M, !M) -> !M\n"
        );
    }
    format!(
        "
!M = tensor<64x64xf32>
func.func private @take(i32){loader}
func.func private @next_batch() -> !M{loader}
func.func private @log_loss(f32){log}
func.func @main(%microseconds: i32, %w: !M) -> !M {{
  func.call @take(%microseconds) : (i32) -> ()
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant {ITERATIONS} : index
  {open}
  %r = scf.for %i = %zero to %count step %one iter_args(%p0 = %w) -> (!M) {{
    %batch = {batch}
{body}    %loss = tfx_tensor.op \"Mean\"(%p{products}, %axes) : (!M, tensor<2xi32>) -> tensor<f32>
    %number = tfx_tensor.to_scalar %loss : tensor<f32> -> f32
    func.call @log_loss(%number) : (f32) -> ()
    scf.yield %p{products} : !M
  }}
  {close}
  return %r : !M
}}"
    )
}

/// The loader uses CPU time, as decoding does. Batches are identity matrices.
const FOREIGN: &str = "
#include <string.h>
#include <time.h>
enum { kSize = 64 };
static int wanted;
static double losses;
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}
void take(int microseconds) { wanted = microseconds; }
TfxTensor *next_batch(void) {
  double until = now() + wanted;
  int64_t dims[2] = {kSize, kSize};
  TfxTensor *batch = tfx_tensor_new(1, 2, dims);
  float *to = tfx_tensor_data(batch);
  memset(to, 0, sizeof(float) * kSize * kSize);
  for (int i = 0; i < kSize; ++i)
    to[i * kSize + i] = 1.0f;
  while (wanted && now() < until) {}
  return batch;
}
void log_loss(float loss) { losses += loss; }
";

struct Loop(Compiled, Tensor);

impl Loop {
    fn new(products: usize, ahead: Ahead) -> Result<Self> {
        let ones = Tensor::build(&[64, 64], |elements: &mut [f32]| elements.fill(1.0));
        let ones = ones?;
        Ok(Loop(Compiled::new(&text(products, ahead), FOREIGN)?, ones))
    }

    /// Returns the seconds of a run whose loader takes the given time per batch.
    fn seconds(&self, executor: ExecutorKind, load: f64) -> Result<f64> {
        let arguments = [Tensor::scalar((load * 1e6) as i32), self.1.clone()];
        self.0.seconds(executor, &arguments)
    }
}

/// With declared states, compared with the longer side alone.
pub(super) fn ahead(runs: usize) -> Result<Row> {
    let name = "loader: 50 iterations of 5 ms load and 5 ms step, states declared";
    measure(runs, name, Embedded, Declared, TimesPeer(1.05))
}

/// The same on TensorFlow.
pub(super) fn ahead_on_tensorflow(runs: usize) -> Result<Row> {
    let name = "loader, tensorflow: the same";
    measure(runs, name, TensorFlow, Declared, TimesPeer(1.05))
}

/// Without declared states, for comparison.
pub(super) fn sequential(runs: usize) -> Result<Row> {
    let name = "loader: the same, states not declared";
    measure(runs, name, Embedded, Sequential, Nothing)
}

/// With a prefetch thread, compared with the longer side alone.
pub(super) fn prefetch(runs: usize) -> Result<Row> {
    let name = "loader: the same, loaded by tfx_host.prefetch";
    measure(runs, name, Embedded, Prefetch, TimesPeer(1.05))
}

/// The same on TensorFlow.
pub(super) fn prefetch_on_tensorflow(runs: usize) -> Result<Row> {
    let name = "loader, tensorflow: loaded by tfx_host.prefetch";
    measure(runs, name, TensorFlow, Prefetch, TimesPeer(1.05))
}

fn measure(
    runs: usize,
    name: &'static str,
    executor: ExecutorKind,
    ahead: Ahead,
    target: Target,
) -> Result<Row> {
    // The number of products that take as long as a load on this machine.
    const PROBE: usize = 16;
    let probe = Loop::new(PROBE, Declared)?;
    probe.seconds(executor, 0.0)?;
    let product = probe.seconds(executor, 0.0)? / f64::from(ITERATIONS) / PROBE as f64;
    let program = Loop::new(((LOAD / product) as usize).max(1), ahead)?;
    let figures = with_longer_side(runs, f64::from(ITERATIONS) * LOAD, |with_load| {
        program.seconds(executor, if with_load { LOAD } else { 0.0 })
    })?;
    let what = "the longer side alone";
    Ok(Row::compared(name, "ms", figures, what, target))
}
