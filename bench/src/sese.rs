//! `tfx-sese`, compared with `lift-cf-to-scf`.
//!
//! Each shape is one function of `cf` and `arith` operations with about the given number of blocks.
//! The computations depend on the arguments, so that nothing is folded.

use std::fmt::Write;

use anyhow::{Context as _, Result};
use melior::Context;
use tfx_ir::module;
use tfx_ir::ops::func;

use crate::harness::{Contender, Limits, context, measure_shapes};
use crate::shapes::{Shape, pieces};
use crate::table::Row;

const OURS: Contender = Contender::new("tfx-sese", "builtin.module(func.func(tfx-sese))");
const UPSTREAM: Contender = Contender::new("lift-cf-to-scf", "builtin.module(lift-cf-to-scf)");

pub(crate) const SHAPES: &[Shape] = &[
    Shape::new("diamonds", diamonds),
    Shape::new("sequential-loops", sequential_loops),
    Shape::new("nested-loops", nested_loops),
    Shape::new("multi-exit-loops", multi_exit_loops),
    Shape::new("irreducible-pairs", irreducible_pairs),
    Shape::new("big-switch", big_switch),
    Shape::new("early-exits", early_exits),
];

pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    measure_shapes(
        &context(),
        shapes,
        &[OURS, UPSTREAM],
        limits,
        |context, text| {
            let blocks = blocks(context, &text)?;
            Ok((text, blocks))
        },
    )
}

fn blocks(context: &Context, text: &str) -> Result<usize> {
    let module = module::parse(context, text, "bench.mlir").context("a shape does not parse")?;
    let functions = module::as_op(&module).collect(func::Func::NAME);
    let counts = functions.iter().map(|op| op.region(0).blocks().count());
    Ok(counts.sum())
}

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail.

/// Returns a function with `%n`, `%m` and `%one`, whose body follows the constants of its entry
/// block.
fn function(body: &str) -> String {
    format!(
        "func.func @f(%n: i32, %m: i32) -> i32 {{\n  %zero = arith.constant 0 : i32\n  %one = arith.constant 1 : i32\n{body}}}\n"
    )
}

/// Consecutive `if`s with two arms: three blocks each.
fn diamonds(size: usize) -> String {
    let count = (size / 3).max(1);
    let mut text = String::from("  cf.br ^head0(%n : i32)\n");
    text += &pieces(count, |i, next| {
        format!(
            "^head{i}(%x{i}: i32):
  %c{i} = arith.cmpi slt, %x{i}, %m : i32
  cf.cond_br %c{i}, ^then{i}, ^else{i}
^then{i}:
  %t{i} = arith.addi %x{i}, %one : i32
  cf.br ^head{next}(%t{i} : i32)
^else{i}:
  %e{i} = arith.muli %x{i}, %m : i32
  cf.br ^head{next}(%e{i} : i32)"
        )
    });
    let _ = write!(text, "^head{count}(%last: i32):\n  return %last : i32\n");
    function(&text)
}

/// Consecutive `while` loops: two blocks each.
fn sequential_loops(size: usize) -> String {
    let count = (size / 2).max(1);
    let mut text = String::from("  cf.br ^head0(%zero, %n : i32, i32)\n");
    text += &pieces(count, |i, next| {
        format!(
            "^head{i}(%i{i}: i32, %x{i}: i32):
  %c{i} = arith.cmpi slt, %i{i}, %m : i32
  cf.cond_br %c{i}, ^body{i}, ^head{next}(%zero, %x{i} : i32, i32)
^body{i}:
  %y{i} = arith.muli %x{i}, %i{i} : i32
  %j{i} = arith.addi %i{i}, %one : i32
  cf.br ^head{i}(%j{i}, %y{i} : i32, i32)"
        )
    });
    let _ = write!(
        text,
        "^head{count}(%unused: i32, %last: i32):\n  return %last : i32\n"
    );
    function(&text)
}

/// The depth of the loops of [`nested_loops`].
const NEST: usize = 10;

/// Consecutive nests of ten loops: two blocks for each loop, and one in the middle.
fn nested_loops(size: usize) -> String {
    let count = (size / (2 * NEST + 1)).max(1);
    let mut text = String::from("  cf.br ^head0_0(%zero : i32)\n");
    for nest in 0..count {
        for depth in 0..NEST {
            let inside = match depth + 1 {
                NEST => format!("^body{nest}"),
                inner => format!("^head{nest}_{inner}(%zero : i32)"),
            };
            let after = match depth {
                0 => format!("^head{}_0(%zero : i32)", nest + 1),
                _ => format!("^latch{nest}_{}", depth - 1),
            };
            let _ = write!(
                text,
                "^head{nest}_{depth}(%i{nest}_{depth}: i32):
  %c{nest}_{depth} = arith.cmpi slt, %i{nest}_{depth}, %m : i32
  cf.cond_br %c{nest}_{depth}, {inside}, {after}
"
            );
        }
        let _ = write!(
            text,
            "^body{nest}:\n  func.call @observe(%i{nest}_{}) : (i32) -> ()\n  cf.br ^latch{nest}_{}\n",
            NEST - 1,
            NEST - 1
        );
        for depth in (0..NEST).rev() {
            let _ = write!(
                text,
                "^latch{nest}_{depth}:
  %j{nest}_{depth} = arith.addi %i{nest}_{depth}, %one : i32
  cf.br ^head{nest}_{depth}(%j{nest}_{depth} : i32)
"
            );
        }
    }
    let _ = write!(text, "^head{count}_0(%last: i32):\n  return %n : i32\n");
    String::from("func.func private @observe(i32)\n") + &function(&text)
}

/// Loops with three exits to two targets: a `break`, and code for a search result. Five blocks
/// each.
fn multi_exit_loops(size: usize) -> String {
    let count = (size / 5).max(1);
    let mut text = String::from("  cf.br ^head0(%zero, %n : i32, i32)\n");
    text += &pieces(count, |i, next| {
        format!(
            "^head{i}(%i{i}: i32, %x{i}: i32):
  %c{i} = arith.cmpi slt, %i{i}, %m : i32
  cf.cond_br %c{i}, ^body{i}, ^head{next}(%zero, %x{i} : i32, i32)
^body{i}:
  %y{i} = arith.muli %x{i}, %i{i} : i32
  %d{i} = arith.cmpi eq, %y{i}, %n : i32
  cf.cond_br %d{i}, ^found{i}, ^more{i}
^more{i}:
  %e{i} = arith.cmpi eq, %y{i}, %m : i32
  cf.cond_br %e{i}, ^head{next}(%zero, %y{i} : i32, i32), ^latch{i}
^latch{i}:
  %j{i} = arith.addi %i{i}, %one : i32
  cf.br ^head{i}(%j{i}, %y{i} : i32, i32)
^found{i}:
  %z{i} = arith.addi %y{i}, %m : i32
  cf.br ^head{next}(%zero, %z{i} : i32, i32)"
        )
    });
    let _ = write!(
        text,
        "^head{count}(%unused: i32, %last: i32):\n  return %last : i32\n"
    );
    function(&text)
}

/// Consecutive cycles with two entries: three blocks each.
fn irreducible_pairs(size: usize) -> String {
    let count = (size / 3).max(1);
    let mut text = String::from("  cf.br ^start0(%n : i32)\n");
    text += &pieces(count, |i, next| {
        format!(
            "^start{i}(%x{i}: i32):
  %c{i} = arith.cmpi slt, %x{i}, %m : i32
  cf.cond_br %c{i}, ^one{i}(%x{i} : i32), ^other{i}(%x{i} : i32)
^one{i}(%y{i}: i32):
  %t{i} = arith.addi %y{i}, %one : i32
  %d{i} = arith.cmpi slt, %t{i}, %m : i32
  cf.cond_br %d{i}, ^other{i}(%t{i} : i32), ^start{next}(%t{i} : i32)
^other{i}(%z{i}: i32):
  %u{i} = arith.muli %z{i}, %m : i32
  %e{i} = arith.cmpi sgt, %u{i}, %m : i32
  cf.cond_br %e{i}, ^one{i}(%u{i} : i32), ^start{next}(%u{i} : i32)"
        )
    });
    let _ = write!(text, "^start{count}(%last: i32):\n  return %last : i32\n");
    function(&text)
}

/// A switch with one block per case.
fn big_switch(size: usize) -> String {
    let count = size.saturating_sub(2).max(1);
    let mut text = String::from("  cf.switch %n : i32, [\n    default: ^end(%m : i32)");
    for i in 0..count {
        let _ = write!(text, ",\n    {i}: ^case{i}");
    }
    text.push_str("\n  ]\n");
    text += &pieces(count, |i, _| {
        format!(
            "^case{i}:\n  %x{i} = arith.addi %m, %n : i32\n  %y{i} = arith.muli %x{i}, %m : i32\n  cf.br ^end(%y{i} : i32)"
        )
    });
    text.push_str("^end(%last: i32):\n  return %last : i32\n");
    function(&text)
}

/// A sequence of steps, each of which may return. Two blocks each.
fn early_exits(size: usize) -> String {
    let count = (size / 2).max(1);
    let mut text = String::from("  cf.br ^step0(%n : i32)\n");
    text += &pieces(count, |i, next| {
        format!(
            "^step{i}(%x{i}: i32):
  %y{i} = arith.addi %x{i}, %m : i32
  %c{i} = arith.cmpi slt, %y{i}, %m : i32
  cf.cond_br %c{i}, ^out{i}, ^step{next}(%y{i} : i32)
^out{i}:
  %z{i} = arith.muli %y{i}, %m : i32
  return %z{i} : i32"
        )
    });
    let _ = write!(text, "^step{count}(%last: i32):\n  return %last : i32\n");
    function(&text)
}
