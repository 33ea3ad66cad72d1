//! Partition with its minimum cut. Upstream has no counterpart.
//!
//! Each shape is one structured function of about the given number of operations. Together, the
//! shapes cover the costs of the pass: long straight-line code, many channels, values that depend
//! on both sides (which make the cut large), branches, loops, nesting.

use std::fmt::Write;

use crate::harness::{Contender, Limits, context, measure_shapes, unchanged};
use crate::shapes::{Shape, nest_of_loops, pieces};
use crate::table::Row;
use anyhow::Result;

const OURS: Contender = Contender::new("tfx-partition", "builtin.module(tfx-partition)");

pub(crate) const SHAPES: &[Shape] = &[
    Shape::new("straight", straight),
    Shape::new("channels", channels),
    Shape::new("mixed-scalars", mixed_scalars),
    Shape::new("mixed-chain", mixed_chain),
    Shape::new("branches", branches),
    Shape::new("loops", loops),
    Shape::new("nested", nested),
];

pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    measure_shapes(&context(), shapes, &[OURS], limits, unchanged)
}

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail. The size is the approximate number of operations.

/// Returns a function with a tensor `%x0`, a number `%n`, and host functions to call. It has
/// `count` pieces; piece `i` computes `%x{i + 1}` from `%x{i}`.
fn function(count: usize, piece: impl Fn(usize, usize) -> String) -> String {
    let mut text = String::from(
        "func.func private @host(tensor<f32>) -> tensor<f32>
func.func private @number() -> f32
func.func private @ask() -> i1
func.func @main(%x0: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
",
    );
    text += &pieces(count, piece);
    let _ = write!(text, "  return %x{count} : tensor<f32>\n}}\n");
    text
}

/// A chain of graph operations.
fn straight(size: usize) -> String {
    function(size.max(1), |i, next| {
        format!("  %x{next} = tfx_tensor.op \"Exp\"(%x{i}) : (tensor<f32>) -> tensor<f32>")
    })
}

/// Two channels for every three operations.
fn channels(size: usize) -> String {
    function((size / 2).max(1), |i, next| {
        format!(
            "  %h{i} = func.call @host(%x{i}) : (tensor<f32>) -> tensor<f32>
  %x{next} = tfx_tensor.op \"Exp\"(%h{i}) : (tensor<f32>) -> tensor<f32>"
        )
    })
}

/// Scalars that depend on both sides and that both sides need: each piece is a separate cut.
fn mixed_scalars(size: usize) -> String {
    function((size / 8).max(1), |i, next| {
        format!(
            "  %a{i} = func.call @number() : () -> f32
  %s{i} = tfx_tensor.to_scalar %x{i} : tensor<f32> -> f32
  %b{i} = arith.mulf %s{i}, %a{i} : f32
  %c{i} = arith.addf %b{i}, %s{i} : f32
  %d{i} = arith.subf %b{i}, %a{i} : f32
  tfx_host.print \"{{}}\"(%c{i}) : f32
  %t{i} = tfx_tensor.from_scalar %d{i} : f32
  %x{next} = tfx_tensor.op \"Exp\"(%t{i}) : (tensor<f32>) -> tensor<f32>"
        )
    })
}

/// One long chain of scalars with host and graph operations in each link: a single cut of the whole
/// chain.
fn mixed_chain(size: usize) -> String {
    let mut text = function((size / 6).max(1), |i, next| {
        format!(
            "  %a{i} = func.call @number() : () -> f32
  %x{next} = tfx_tensor.op \"Exp\"(%x{i}) : (tensor<f32>) -> tensor<f32>
  %s{i} = tfx_tensor.to_scalar %x{next} : tensor<f32> -> f32
  %b{i} = arith.mulf %s{i}, %a{i} : f32
  %c{next} = arith.addf %c{i}, %b{i} : f32
  tfx_host.print \"{{}}\"(%c{next}) : f32"
        )
    });
    text = text.replace("%n: index)", "%n: index, %c0: f32)");
    text
}

/// Branches that the host decides, with code of both sides in an arm.
fn branches(size: usize) -> String {
    function((size / 9).max(1), |i, next| {
        format!(
            "  %p{i} = func.call @ask() : () -> i1
  %x{next} = scf.if %p{i} -> (tensor<f32>) {{
    %y = tfx_tensor.op \"Exp\"(%x{i}) : (tensor<f32>) -> tensor<f32>
    tfx_host.print \"{{}}\"(%y) : tensor<f32>
    scf.yield %y : tensor<f32>
  }} else {{
    %y = tfx_tensor.op \"Neg\"(%x{i}) : (tensor<f32>) -> tensor<f32>
    scf.yield %y : tensor<f32>
  }}"
        )
    })
}

/// Counted loops with a print in every other iteration.
fn loops(size: usize) -> String {
    function((size / 8).max(1), |i, next| {
        format!(
            "  %x{next} = scf.for %i = %zero to %n step %one iter_args(%v = %x{i}) -> (tensor<f32>) {{
    %y = tfx_tensor.op \"Exp\"(%v) : (tensor<f32>) -> tensor<f32>
    %bit = arith.andi %i, %one : index
    %odd = arith.cmpi eq, %bit, %one : index
    scf.if %odd {{
      tfx_host.print \"{{}}\"(%y) : tensor<f32>
    }}
    scf.yield %y : tensor<f32>
  }}"
        )
    })
}

/// The depth of loop nests: realistic for programs, and not so deep that walks from uses to
/// definitions of outer values dominate.
const DEPTH: usize = 16;

/// Nests of loops with a value of each level used at the innermost one.
fn nested(size: usize) -> String {
    function((size / (DEPTH * 3)).max(1), |i, _| {
        nest_of_loops(i, DEPTH, "tensor<f32>", |value| {
            format!("func.call @host({value}) : (tensor<f32>) -> tensor<f32>")
        })
    })
}
