//! `tfx-verify-protocol` on the output of `tfx-partition`, compared with `cse` on the same IR,
//! because upstream has no counterpart.
//!
//! The size is the number of operations in the source program; the row shows the number on both
//! sides.

use std::fmt::Write;

use anyhow::{Context as _, Result};
use melior::Context;
use tfx_ir::{module, pipeline};

use crate::harness::{CSE, Contender, Limits, context, measure_shapes};
use crate::shapes::{Shape, pieces};
use crate::table::Row;

const OURS: Contender =
    Contender::new("tfx-verify-protocol", "builtin.module(tfx-verify-protocol)");

pub(crate) const SHAPES: &[Shape] = &[
    Shape::new("straight", straight),
    Shape::new("channels-in-a-loop", channels_in_a_loop),
    Shape::new("branches", branches),
    Shape::new("loops", loops),
    Shape::new("deep", deep),
    Shape::new("computed-decision", computed_decision),
    Shape::new("carried-decisions", carried_decisions),
];

pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    measure_shapes(&context(), shapes, &[OURS, CSE], limits, partitioned)
}

/// Returns both sides of a program, and their number of operations.
fn partitioned(context: &Context, text: String) -> Result<(String, usize)> {
    let module = module::parse(context, &text, "bench.mlir").context("a shape does not parse")?;
    let op = module::as_op(&module);
    pipeline::run_unverified(op, "builtin.module(tfx-partition)")?;
    Ok((op.to_string(), op.walk().count()))
}

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail.

/// The number of operations per channel, so that 100,000 operations have 1,000 channels.
const PER_CHANNEL: usize = 100;

/// Returns a function with the operations of `body`, which use `%v0`. It returns `last`.
fn function(body: &str, last: &str) -> String {
    format!(
        "func.func private @ask() -> i1
func.func @main(%v0: tensor<f32>, %n: i32, %iterations: index) -> tensor<f32> {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
{body}  return {last} : tensor<f32>
}}
"
    )
}

/// Writes a chain of `count` graph operations from `%{name}0` on, of which the host prints every
/// hundredth value.
fn chunk(text: &mut String, name: &str, count: usize) {
    for i in 0..count {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  %{name}{next} = tfx_tensor.op \"Neg\"(%{name}{i}) : (tensor<f32>) -> tensor<f32>"
        );
        if next % PER_CHANNEL == 0 {
            let _ = writeln!(
                text,
                "  tfx_host.print \"{{}}\"(%{name}{next}) : tensor<f32>"
            );
        }
    }
}

/// A single block, of which the host prints every hundredth value.
fn straight(size: usize) -> String {
    let mut text = String::new();
    chunk(&mut text, "v", size);
    function(&text, &format!("%v{size}"))
}

/// The same in a loop.
fn channels_in_a_loop(size: usize) -> String {
    let mut text = String::from(
        "  %end = scf.for %i = %first to %iterations step %step iter_args(%w0 = %v0) -> (tensor<f32>) {\n",
    );
    chunk(&mut text, "w", size);
    let _ = write!(text, "  scf.yield %w{size} : tensor<f32>\n  }}\n");
    function(&text, "%end")
}

/// Branches on a new answer of the host, each with a message.
fn branches(size: usize) -> String {
    let count = (size / 6).max(1);
    let mut text = String::new();
    text += &pieces(count, |i, next| {
        format!(
            "  %c{i} = func.call @ask() : () -> i1
  %v{next} = scf.if %c{i} -> tensor<f32> {{
    %t{i} = tfx_tensor.op \"Neg\"(%v{i}) : (tensor<f32>) -> tensor<f32>
    tfx_host.print \"{{}}\"(%t{i}) : tensor<f32>
    scf.yield %t{i} : tensor<f32>
  }} else {{
    scf.yield %v{i} : tensor<f32>
  }}"
        )
    });
    function(&text, &format!("%v{count}"))
}

/// Consecutive loops over counters that both sides have, each with a message.
fn loops(size: usize) -> String {
    let count = (size / 8).max(1);
    let mut text = String::new();
    text += &pieces(count, |i, next| {
        format!(
            "  %v{next}, %k{next} = scf.while (%w = %v{i}, %k = %zero) : (tensor<f32>, i32) -> (tensor<f32>, i32) {{
    %go{i} = arith.cmpi slt, %k, %n : i32
    scf.condition(%go{i}) %w, %k : tensor<f32>, i32
  }} do {{
  ^bb0(%w: tensor<f32>, %k: i32):
    %x{i} = tfx_tensor.op \"Neg\"(%w) : (tensor<f32>) -> tensor<f32>
    tfx_host.print \"{{}}\"(%x{i}) : tensor<f32>
    %next{i} = arith.addi %k, %one : i32
    scf.yield %x{i}, %next{i} : tensor<f32>, i32
  }}"
        )
    });
    function(&text, &format!("%v{count}"))
}

/// The nesting depth of the loops of `deep`: MLIR's parser uses the stack for nested regions.
const DEPTH: usize = 200;

/// Nested loops, with a message at each depth.
fn deep(size: usize) -> String {
    let depth = DEPTH.min((size / 5).max(1));
    let nests = (size / 5 / depth).max(1);
    let mut text = String::new();
    for nest in 0..nests {
        let name = |level: usize| match level {
            0 => format!("v{nest}"),
            _ => format!("w{nest}_{level}"),
        };
        for level in 1..=depth {
            let (outer, inner) = (name(level - 1), name(level));
            let result = match level {
                1 => format!("v{}", nest + 1),
                _ => format!("r{nest}_{level}"),
            };
            let _ = write!(
                text,
                "  %{result} = scf.for %i{nest}_{level} = %first to %iterations step %step iter_args(%{inner}a = %{outer}) -> (tensor<f32>) {{
    %{inner} = tfx_tensor.op \"Neg\"(%{inner}a) : (tensor<f32>) -> tensor<f32>
    tfx_host.print \"{{}}\"(%{inner}) : tensor<f32>
"
            );
        }
        for level in (1..=depth).rev() {
            let end = match level == depth {
                true => name(level),
                false => format!("r{nest}_{}", level + 1),
            };
            let _ = write!(text, "    scf.yield %{end} : tensor<f32>\n  }}\n");
        }
    }
    function(&text, &format!("%v{nests}"))
}

/// A loop with a long exit condition, which both sides compute.
fn computed_decision(size: usize) -> String {
    let mut text = String::from(
        "  %end:2 = scf.while (%w = %v0, %k0 = %zero) : (tensor<f32>, i32) -> (tensor<f32>, i32) {\n",
    );
    let count = (size / 2).max(1);
    text += &pieces(count, |i, next| {
        format!("    %k{next} = arith.addi %k{i}, %k{i} : i32")
    });
    let _ = write!(
        text,
        "    %go = arith.cmpi slt, %k{count}, %n : i32
    scf.condition(%go) %w, %k{count} : tensor<f32>, i32
  }} do {{
  ^bb0(%w: tensor<f32>, %k: i32):
    %x = tfx_tensor.op \"Neg\"(%w) : (tensor<f32>) -> tensor<f32>
    tfx_host.print \"{{}}\"(%x) : tensor<f32>
    %next = arith.addi %k, %one : i32
    scf.yield %x, %next : tensor<f32>, i32
  }}
"
    );
    function(&text, "%end#0")
}

/// A loop with many counters as iteration arguments, each of which decides about a message.
fn carried_decisions(size: usize) -> String {
    let count = (size / 6).max(1);
    let list = |item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    let types = list(&|_| "i32".to_owned());
    let _ = writeln!(
        text,
        "  %end:{} = scf.for %i = %first to %iterations step %step iter_args(%w = %v0, {}) -> (tensor<f32>, {types}) {{",
        count + 1,
        list(&|i| format!("%k{i} = %zero"))
    );
    text += "    %x = tfx_tensor.op \"Neg\"(%w) : (tensor<f32>) -> tensor<f32>\n";
    for i in 0..count {
        let _ = write!(
            text,
            "    %c{i} = arith.cmpi slt, %k{i}, %n : i32
    scf.if %c{i} {{
      %y{i} = tfx_tensor.op \"Neg\"(%x) : (tensor<f32>) -> tensor<f32>
      tfx_host.print \"{{}}\"(%y{i}) : tensor<f32>
    }}
    %l{i} = arith.addi %k{}, %one : i32
",
            (i + 1) % count
        );
    }
    let _ = write!(
        text,
        "    scf.yield %x, {} : tensor<f32>, {types}\n  }}\n",
        list(&|i| format!("%l{i}"))
    );
    function(&text, "%end#0")
}
