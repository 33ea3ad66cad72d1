//! Shape inference, compared with `cse` on the same IR: upstream has no shape inference for
//! TensorFlow operations, and `cse` visits each operation once, too.
//!
//! Each shape is one function with unranked types, except for its parameters. Together, the shapes
//! cover the costs: long chains, many operations that read values, and iteration arguments whose
//! sizes change one after another, at the innermost of many levels.

use std::fmt::Write;

use crate::harness::{CSE, Contender, Limits, context, measure_shapes, unchanged};
use crate::shapes::{Shape, nest_of_loops, pieces};
use crate::table::Row;
use anyhow::Result;

const OURS: Contender = Contender::new("tfx-infer-shapes", "builtin.module(tfx-infer-shapes)");

pub(crate) const SHAPES: &[Shape] = &[
    Shape::new("straight", straight),
    Shape::new("values", values),
    Shape::new("loops", loops),
    Shape::new("nested", nested),
];

pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    measure_shapes(&context(), shapes, &[OURS, CSE], limits, unchanged)
}

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail. The size is the approximate number of operations.

/// Returns a function with a tensor `%x0` of 2 by 3, a larger one `%w`, and a number `%n`. It has
/// `count` pieces; piece `i` computes `%x{i + 1}` from `%x{i}`.
fn function(count: usize, piece: impl Fn(usize, usize) -> String) -> String {
    let mut text = String::from(
        "func.func @main(%start: tensor<2x3xf32>, %w: tensor<3x3xf32>, %n: index) -> tensor<*xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %axis = tfx_tensor.const dense<0> : tensor<i32>
  %x0 = tfx_tensor.op \"Neg\"(%start) : (tensor<2x3xf32>) -> tensor<*xf32>
",
    );
    text += &pieces(count, piece);
    let _ = write!(text, "  return %x{count} : tensor<*xf32>\n}}\n");
    text
}

/// A chain of products and sums.
fn straight(size: usize) -> String {
    function((size / 2).max(1), |i, next| {
        format!(
            "  %y{i} = tfx_tensor.op \"MatMul\"(%x{i}, %w) : (tensor<*xf32>, tensor<3x3xf32>) -> tensor<*xf32>
  %x{next} = tfx_tensor.op \"AddV2\"(%y{i}, %start) : (tensor<*xf32>, tensor<2x3xf32>) -> tensor<*xf32>"
        )
    })
}

/// Shapes that are reduced, packed and used again.
fn values(size: usize) -> String {
    function((size / 5).max(1), |i, next| {
        format!(
            "  %s{i} = tfx_tensor.op \"Shape\"(%x{i}) : (tensor<*xf32>) -> tensor<*xi32>
  %t{i} = tfx_tensor.op \"Prod\"(%s{i}, %axis) : (tensor<*xi32>, tensor<i32>) -> tensor<*xi32>
  %u{i} = tfx_tensor.op \"Pack\"(%t{i}) : (tensor<*xi32>) -> tensor<*xi32>
  %v{i} = tfx_tensor.op \"Reshape\"(%x{i}, %u{i}) : (tensor<*xf32>, tensor<*xi32>) -> tensor<*xf32>
  %x{next} = tfx_tensor.op \"Reshape\"(%v{i}, %s{i}) : (tensor<*xf32>, tensor<*xi32>) -> tensor<*xf32>"
        )
    })
}

/// Loops that make a value longer in each iteration.
fn loops(size: usize) -> String {
    function((size / 3).max(1), |i, next| {
        format!(
            "  %x{next} = scf.for %i = %zero to %n step %one iter_args(%v = %x{i}) -> (tensor<*xf32>) {{
    %y = tfx_tensor.op \"ConcatV2\"(%v, %start, %axis) : (tensor<*xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<*xf32>
    scf.yield %y : tensor<*xf32>
  }}"
        )
    })
}

/// The depth of loop nests.
const DEPTH: usize = 16;

/// Nests of loops whose value becomes longer at the innermost one.
fn nested(size: usize) -> String {
    function((size / (DEPTH * 3)).max(1), |i, _| {
        nest_of_loops(i, DEPTH, "tensor<*xf32>", |value| {
            format!(
                "tfx_tensor.op \"ConcatV2\"({value}, %start, %axis) : (tensor<*xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<*xf32>"
            )
        })
    })
}
