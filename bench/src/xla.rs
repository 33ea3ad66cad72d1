//! `tfx-cluster-xla` and `tfx-strip-mine`, compared with `cse` on the same IR, which visits each
//! operation once, too.
//!
//! Each shape for clustering is one graph as `tfx-legalize-graph` produces it. Together, the shapes
//! cover the costs: clusters as large as the graph, clusters between operations that are not
//! compiled, sections between messages, and nested loops that are not compiled around one that is.
//! The shape `gates` has loops as partition produces them, each of which is strip-mined.

use std::fmt::Write;

use anyhow::Result;
use tfx_ir::diag::Collector;

use crate::harness::{Contender, Limits, context, measure_with_cse};
use crate::shapes::{Shape, pieces};
use crate::table::Row;

const CLUSTER: Contender = Contender::new("tfx-cluster-xla", "builtin.module(tfx-cluster-xla)");
const STRIP_MINE: Contender = Contender::new(
    "tfx-strip-mine",
    "builtin.module(tfx_tensor.graph(tfx-strip-mine))",
);

pub(crate) const SHAPES: &[Shape] = &[
    Shape::new("chain", chain),
    Shape::new("levels", levels),
    Shape::new("sections", sections),
    Shape::new("nested", nested),
    Shape::new(GATES, gates),
];

/// The shape for `tfx-strip-mine`.
const GATES: &str = "gates";

pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    let context = context();
    // Diagnostics are collected, as the library does, and not printed.
    let _kept = Collector::new(&context);
    let ours = |shape: &Shape| match shape.name {
        GATES => STRIP_MINE,
        _ => CLUSTER,
    };
    measure_with_cse(&context, shapes, ours, limits)
}

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail. The size is the approximate number of operations.

const F: &str = "tensor<4xf32>";
const CHANNEL: &str = "channels [#tfx_comm.channel<0, to_host, tensor<4xf32>>]";

/// Returns a graph with `%n` and `%x0`. It has `count` pieces; piece `i` computes `%x{i + 1}`
/// from `%x{i}`.
fn graph(count: usize, piece: impl Fn(usize, usize) -> String) -> String {
    let mut text = format!(
        "tfx_tensor.graph @main(%n: tensor<i32>, %x0: {F}) -> {F} {CHANNEL} {{
  %zero = tfx_tensor.const dense<0> : tensor<i32>
  %one = tfx_tensor.const dense<1> : tensor<i32>
"
    );
    text += &pieces(count, piece);
    let _ = write!(text, "  tfx_tensor.return %x{count} : {F}\n}}\n");
    text
}

/// A single cluster.
fn chain(size: usize) -> String {
    graph(size.max(1), |i, next| {
        format!("  %x{next} = tfx_tensor.op \"AddV2\"(%x{i}, %x0) : ({F}, {F}) -> {F}")
    })
}

/// Loops that are compiled, each followed by an operation on its result that is not.
fn levels(size: usize) -> String {
    graph((size / 7).max(1), |i, next| {
        one_loop(i)
            + &format!(
                "\n  %x{next} = tfx_tensor.op \"CheckNumerics\"(%y{i}) {{message = \"m\"}} : ({F}) -> {F}"
            )
    })
}

/// Loops that are compiled, each followed by a message.
fn sections(size: usize) -> String {
    graph((size / 8).max(1), |i, next| {
        one_loop(i)
            + &format!(
                "\n  tfx_comm.send %y{i} to 0 : {F}\n  %x{next} = tfx_tensor.op \"Neg\"(%y{i}) : ({F}) -> {F}"
            )
    })
}

/// Returns a loop that computes `%y{i}` from `%x{i}`.
fn one_loop(i: usize) -> String {
    format!(
        "  %y{i} = tfx_tensor.while (%v = %x{i}) : ({F}) -> {F} {{
    %go = tfx_tensor.op \"Less\"(%zero, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tfx_tensor.yield %go : tensor<i1>
  }} do {{
  ^bb0(%v: {F}):
    %w = tfx_tensor.op \"Tanh\"(%v) : ({F}) -> {F}
    tfx_tensor.yield %w : {F}
  }}"
    )
}

/// The depth of nested loops that send.
const DEPTH: usize = 16;

/// Nests of loops that send, around a loop that is compiled.
fn nested(size: usize) -> String {
    graph((size / (DEPTH * 5 + 3)).max(1), |i, next| {
        let mut text = String::new();
        for level in 0..DEPTH {
            let (from, to) = match level {
                0 => (format!("%x{i}"), format!("%x{next}")),
                _ => (format!("%v{}", level - 1), format!("%r{level}")),
            };
            let _ = writeln!(
                text,
                "  {to} = tfx_tensor.while (%v{level} = {from}) : ({F}) -> {F} {{
  %go = tfx_tensor.op \"Less\"(%zero, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  tfx_tensor.yield %go : tensor<i1>
  }} do {{
  ^bb0(%v{level}: {F}):
  tfx_comm.send %v{level} to 0 : {F}"
            );
        }
        let _ = write!(
            text,
            "  %r{DEPTH} = tfx_tensor.while (%u = %v{}) : ({F}) -> {F} {{
  %go = tfx_tensor.op \"Less\"(%zero, %n) : (tensor<i32>, tensor<i32>) -> tensor<i1>
  tfx_tensor.yield %go : tensor<i1>
  }} do {{
  ^bb0(%u: {F}):
  tfx_tensor.yield %u : {F}
  }}",
            DEPTH - 1
        );
        for level in (0..DEPTH).rev() {
            let _ = write!(text, "\n  tfx_tensor.yield %r{} : {F}\n  }}", level + 1);
        }
        text
    })
}

/// Loops that send in one iteration.
fn gates(size: usize) -> String {
    let mut text = format!(
        "tfx_tensor.graph @main(%n: index, %x0: {F}) -> {F} {CHANNEL} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
"
    );
    let count = (size / 8).max(1);
    text += &pieces(count, |i, next| {
        format!(
            "  %x{next} = scf.for %i = %zero to %n step %one iter_args(%v = %x{i}) -> ({F}) {{
    %w = tfx_tensor.op \"Tanh\"(%v) : ({F}) -> {F}
    %c = arith.cmpi eq, %i, %one : index
    scf.if %c {{
      tfx_comm.send %w to 0 : {F}
    }}
    scf.yield %w : {F}
  }}"
        )
    });
    let _ = write!(text, "  tfx_tensor.return %x{count} : {F}\n}}\n");
    text
}
