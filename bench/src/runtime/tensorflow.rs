//! Programs on TensorFlow, compared with TensorFlow in Python.

use anyhow::Result;
use tfx::runtime::{ExecutorKind, Tensor};

use super::channels::{SIMULATOR, SIMULATOR_FOREIGN};
use super::compiled::{Compiled, repeat};
use super::python;
use super::report::{Row, Sample, Target};

const MICROSECONDS: f64 = 1e6;
const ITERATIONS: i32 = 5_000;

/// An iteration of the loop that calls the host, compared with the faster of `tf.numpy_function`
/// and `tf.py_function`.
pub(super) fn simulator(runs: usize) -> Result<Row> {
    let program = Compiled::new(SIMULATOR, SIMULATOR_FOREIGN)?;
    let figures = repeat(runs, || {
        let seconds = program.seconds(ExecutorKind::TensorFlow, &[Tensor::scalar(ITERATIONS)])?;
        Ok(seconds * MICROSECONDS / f64::from(ITERATIONS))
    })?;
    Ok(Row {
        name: "host simulator on TensorFlow: an iteration with its round trip",
        unit: "µs",
        ours: Sample::new(figures),
        peer: python::measure("round-trip", runs, ITERATIONS, MICROSECONDS),
        target: Target::TimesPeer(0.5),
    })
}

/// Linear regression whose weights are printed every hundredth step.
pub(super) const TRAINING: &str = "
func.func private @write_weights(tensor<16x1xf32>)
func.func @main(%steps: i32, %inputs: tensor<64x16xf32>, %outputs: tensor<64x1xf32>) -> tensor<16x1xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %every = arith.constant 100 : i32
  %rate = tfx_tensor.const dense<0.001> : tensor<f32>
  %w0 = tfx_tensor.const dense<0.0> : tensor<16x1xf32>
  cf.br ^header(%zero, %w0 : i32, tensor<16x1xf32>)
^header(%step: i32, %w: tensor<16x1xf32>):
  %go = arith.cmpi slt, %step, %steps : i32
  cf.cond_br %go, ^body, ^exit
^body:
  %predictions = tfx_tensor.op \"MatMul\"(%inputs, %w) : (tensor<64x16xf32>, tensor<16x1xf32>) -> tensor<64x1xf32>
  %errors = tfx_tensor.op \"Sub\"(%predictions, %outputs) : (tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x1xf32>
  %dw = tfx_tensor.op \"MatMul\"(%inputs, %errors) {transpose_a = true} : (tensor<64x16xf32>, tensor<64x1xf32>) -> tensor<16x1xf32>
  %delta = tfx_tensor.op \"Mul\"(%dw, %rate) : (tensor<16x1xf32>, tensor<f32>) -> tensor<16x1xf32>
  %next = tfx_tensor.op \"Sub\"(%w, %delta) : (tensor<16x1xf32>, tensor<16x1xf32>) -> tensor<16x1xf32>
  %rem = arith.remsi %step, %every : i32
  %show = arith.cmpi eq, %rem, %zero : i32
  cf.cond_br %show, ^print, ^latch
^print:
  func.call @write_weights(%next) : (tensor<16x1xf32>) -> ()
  cf.br ^latch
^latch:
  %step1 = arith.addi %step, %one : i32
  cf.br ^header(%step1, %next : i32, tensor<16x1xf32>)
^exit:
  return %w : tensor<16x1xf32>
}";

pub(super) const TRAINING_FOREIGN: &str = "
#include <stdio.h>
void write_weights(TfxTensor *w) {
  FILE *file = fopen(\"/dev/null\", \"w\");
  const float *from = tfx_tensor_data(w);
  for (int i = 0; i < 16; i++) fprintf(file, \"%g \", from[i]);
  fclose(file);
}
";

/// Enough steps that the start of a session, which is measured separately, is negligible.
const STEPS: i32 = 20_000;

/// A step of training on TensorFlow, compared with the same loop in Python: `tf.while_loop` in a
/// `tf.function`, with `tf.print` every hundredth step.
pub(super) fn training(runs: usize) -> Result<Row> {
    Ok(Row {
        name: "training on TensorFlow, logged every 100 steps: a step",
        unit: "µs",
        ours: steps(&Compiled::new(TRAINING, TRAINING_FOREIGN)?, STEPS, runs)?,
        peer: python::measure("training", runs, STEPS, MICROSECONDS),
        target: Target::TimesPeer(1.05),
    })
}

/// Ten times as many steps, so that the start, including compilation by XLA, is negligible.
const COMPILED_STEPS: i32 = 200_000;

/// The same with more steps; XLA compiles the quiet iterations.
pub(super) fn training_xla(runs: usize) -> Result<Row> {
    let program = Compiled::with_xla(TRAINING, TRAINING_FOREIGN)?;
    Ok(Row {
        name: "longer training on TensorFlow, compiled by XLA: a step",
        unit: "µs",
        ours: steps(&program, COMPILED_STEPS, runs)?,
        peer: python::measure("training", runs, COMPILED_STEPS, MICROSECONDS),
        target: Target::TimesPeer(0.33),
    })
}

/// Returns the microseconds per step of training.
fn steps(program: &Compiled, steps: i32, runs: usize) -> Result<Sample> {
    let arguments = inputs(steps)?;
    let figures = repeat(runs, || {
        let seconds = program.seconds(ExecutorKind::TensorFlow, &arguments)?;
        Ok(seconds * MICROSECONDS / f64::from(steps))
    })?;
    Ok(Sample::new(figures))
}

/// Returns the arguments of `TRAINING`.
pub(super) fn inputs(steps: i32) -> Result<[Tensor; 3]> {
    let tensor = |shape: &[usize]| {
        let fill = |elements: &mut [f32]| {
            for (index, element) in elements.iter_mut().enumerate() {
                *element = (index % 7) as f32 * 0.1 - 0.3;
            }
        };
        Tensor::build(shape, fill)
    };
    Ok([Tensor::scalar(steps), tensor(&[64, 16])?, tensor(&[64, 1])?])
}

/// The time from the start of a program with one iteration to its end.
pub(super) fn start(runs: usize) -> Result<Row> {
    let program = Compiled::new(SIMULATOR, SIMULATOR_FOREIGN)?;
    let figures = repeat(runs, || {
        let seconds = program.seconds(ExecutorKind::TensorFlow, &[Tensor::scalar(1i32)])?;
        Ok(seconds * MICROSECONDS)
    })?;
    Ok(Row {
        name: "a start on TensorFlow, one iteration, and its end",
        unit: "µs",
        ours: Sample::new(figures),
        peer: python::measure("start", runs, 1, MICROSECONDS),
        target: Target::Nothing,
    })
}
