//! Partition by itself: upstream has nothing like it. The time includes the least cut.
//!
//! Each shape is one structured function of about as many operations as asked for. Together they have every part of the pass busy: long
//! straight code, many channels, values that depend on both sides so that there is much to choose, branches, loops, nesting.

use std::fmt::Write;

use crate::harness::{self, Contender, Limits};
use crate::shapes::{Shape, nest_of_loops};
use crate::table::Row;

const OURS: Contender = Contender {
    name: "tfx-partition",
    pipeline: "builtin.module(tfx-partition)",
};

/// What is measured.
pub(crate) const SHAPES: &[Shape] = &[
    Shape {
        name: "straight",
        text: straight,
    },
    Shape {
        name: "channels",
        text: channels,
    },
    Shape {
        name: "mixed-scalars",
        text: mixed_scalars,
    },
    Shape {
        name: "mixed-chain",
        text: mixed_chain,
    },
    Shape {
        name: "branches",
        text: branches,
    },
    Shape {
        name: "loops",
        text: loops,
    },
    Shape {
        name: "nested",
        text: nested,
    },
];

/// Measures the shapes in all sizes.
pub(crate) fn measure(
    shapes: &[Shape],
    sizes: &[usize],
    limits: &Limits,
) -> Result<Vec<Row>, String> {
    let context = harness::context();
    harness::measure_shapes(
        &context,
        (shapes, sizes),
        &[OURS],
        limits,
        harness::as_it_is,
    )
}

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail. The size is the number of operations, about.

/// A function with a tensor `%x0`, a number `%n` and a condition `%p`, and with host functions to call; `body` writes `count` pieces, of which piece `i`
/// makes `%x{i + 1}` of `%x{i}`.
fn function(count: usize, body: impl Fn(&mut String, usize)) -> String {
    let mut text = String::from(
        "func.func private @host(tensor<f32>) -> tensor<f32>
func.func private @number() -> f32
func.func private @ask() -> i1
func.func @main(%x0: tensor<f32>, %n: index) -> tensor<f32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
",
    );
    for i in 0..count {
        body(&mut text, i);
    }
    let _ = write!(text, "  return %x{count} : tensor<f32>\n}}\n");
    text
}

/// Graph operations alone, one after another.
fn straight(size: usize) -> String {
    function(size.max(1), |text, i| {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  %x{next} = tfx_tensor.op \"Exp\"(%x{i}) : (tensor<f32>) -> tensor<f32>"
        );
    })
}

/// Two channels for each three operations.
fn channels(size: usize) -> String {
    function((size / 2).max(1), |text, i| {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  %h{i} = func.call @host(%x{i}) : (tensor<f32>) -> tensor<f32>
  %x{next} = tfx_tensor.op \"Exp\"(%h{i}) : (tensor<f32>) -> tensor<f32>"
        );
    })
}

/// Scalars that depend on both sides and that both sides need: each piece is a cut of its own.
fn mixed_scalars(size: usize) -> String {
    function((size / 8).max(1), |text, i| {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  %a{i} = func.call @number() : () -> f32
  %s{i} = tfx_tensor.to_scalar %x{i} : tensor<f32> -> f32
  %b{i} = arith.mulf %s{i}, %a{i} : f32
  %c{i} = arith.addf %b{i}, %s{i} : f32
  %d{i} = arith.subf %b{i}, %a{i} : f32
  tfx_host.print \"{{}}\"(%c{i}) : f32
  %t{i} = tfx_tensor.from_scalar %d{i} : f32
  %x{next} = tfx_tensor.op \"Exp\"(%t{i}) : (tensor<f32>) -> tensor<f32>"
        );
    })
}

/// One long chain of scalars with something of the host and of the graph in each link: one cut over everything.
fn mixed_chain(size: usize) -> String {
    let mut text = function((size / 6).max(1), |text, i| {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  %a{i} = func.call @number() : () -> f32
  %x{next} = tfx_tensor.op \"Exp\"(%x{i}) : (tensor<f32>) -> tensor<f32>
  %s{i} = tfx_tensor.to_scalar %x{next} : tensor<f32> -> f32
  %b{i} = arith.mulf %s{i}, %a{i} : f32
  %c{next} = arith.addf %c{i}, %b{i} : f32
  tfx_host.print \"{{}}\"(%c{next}) : f32"
        );
    });
    text = text.replace("%n: index)", "%n: index, %c0: f32)");
    text
}

/// Branches that the host decides, with something for each side in an arm.
fn branches(size: usize) -> String {
    function((size / 9).max(1), |text, i| {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  %p{i} = func.call @ask() : () -> i1
  %x{next} = scf.if %p{i} -> (tensor<f32>) {{
    %y = tfx_tensor.op \"Exp\"(%x{i}) : (tensor<f32>) -> tensor<f32>
    tfx_host.print \"{{}}\"(%y) : tensor<f32>
    scf.yield %y : tensor<f32>
  }} else {{
    %y = tfx_tensor.op \"Neg\"(%x{i}) : (tensor<f32>) -> tensor<f32>
    scf.yield %y : tensor<f32>
  }}"
        );
    })
}

/// Counted loops with a print in every other trip.
fn loops(size: usize) -> String {
    function((size / 8).max(1), |text, i| {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  %x{next} = scf.for %i = %zero to %n step %one iter_args(%v = %x{i}) -> (tensor<f32>) {{
    %y = tfx_tensor.op \"Exp\"(%v) : (tensor<f32>) -> tensor<f32>
    %bit = arith.andi %i, %one : index
    %odd = arith.cmpi eq, %bit, %one : index
    scf.if %odd {{
      tfx_host.print \"{{}}\"(%y) : tensor<f32>
    }}
    scf.yield %y : tensor<f32>
  }}"
        );
    })
}

/// Nests of this many loops: what a program may have, and not so deep that each use of an outer value were a walk of its own.
const DEPTH: usize = 16;

/// Nests of loops with a value of each level used at the innermost one.
fn nested(size: usize) -> String {
    function((size / (DEPTH * 3)).max(1), |text, i| {
        nest_of_loops(text, i, DEPTH, "tensor<f32>", |value| {
            format!("func.call @host({value}) : (tensor<f32>) -> tensor<f32>")
        });
    })
}
