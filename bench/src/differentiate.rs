//! `tfx-differentiate` for one gradient, compared with the passes that it runs on a clone of the
//! function: deabstraction, structuring and shape inference.
//!
//! The size is the approximate number of operations of the differentiated function. Together, the
//! shapes cover straight code of scalars and of tensors, values on tapes, nests of loops, branches
//! and calls.

use std::fmt::Write;

use anyhow::Result;
use melior::Context;
use tfx_ir::diag::Collector;

use crate::harness::{self, Contender, Limits};
use crate::shapes::{Shape, pieces};
use crate::table::Row;

const OURS: Contender = Contender::new(
    "tfx-differentiate",
    "builtin.module(tfx-specialize,tfx-differentiate)",
);
const FLATTEN: Contender = Contender::new(
    "flatten",
    "builtin.module(tfx-deabstract,func.func(tfx-sese),tfx-infer-shapes)",
);

pub(crate) const SHAPES: &[Shape] = &[
    Shape::new("scalars", scalars),
    Shape::new("tensors", tensors),
    Shape::new("loops", loops),
    Shape::new("nested", nested),
    Shape::new("branches", branches),
    Shape::new("calls", calls),
];

/// Measures the shapes. The passes on the primal take the place of upstream in the rows.
pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    let context = harness::context();
    // Diagnostics are collected, as the library does, and not printed.
    let _kept = Collector::new(&context);
    let mut rows = harness::measure_shapes(&context, shapes, &[OURS], limits, harness::unchanged)?;
    if !limits.alone {
        let flat = harness::measure_shapes(&context, shapes, &[FLATTEN], limits, primal)?;
        for (row, flat) in rows.iter_mut().zip(flat) {
            row.upstream = flat.ours;
        }
    }
    Ok(rows)
}

/// Returns the differentiated function alone, and the number of operations of the program.
fn primal(context: &Context, text: String) -> Result<(String, usize)> {
    let operations = harness::operations(context, &text)?;
    let function = text.split(GRADIENT).next().unwrap_or_default();
    let public = function.replace("func.func private @f(", "func.func @f(");
    Ok((public, operations))
}

/// The start of the function that requests the gradient.
const GRADIENT: &str = "func.func @gradient";

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail.

const T: &str = "tensor<4x4xf32>";

/// Returns a program with the gradient of a function of `%x0`, `%n` and constants. It has `count`
/// pieces; piece `i` computes `%x{i + 1}` from `%x{i}`.
fn program(ty: &str, count: usize, piece: impl Fn(usize, usize) -> String) -> String {
    let is_scalar = ty == "f64";
    let (result, sum) = match is_scalar {
        true => ("f64", format!("  return %x{count} : f64\n")),
        false => (
            "tensor<f32>",
            format!(
                "  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %sum = tfx_tensor.op \"Sum\"(%x{count}, %axes) : ({ty}, tensor<2xi32>) -> tensor<f32>
  return %sum : tensor<f32>
"
            ),
        ),
    };
    let mut text = format!(
        "func.func private @f(%x0: {ty}, %n: index) -> {result} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
"
    );
    text += &pieces(count, piece);
    text += &sum;
    let _ = write!(
        text,
        "}}
{GRADIENT}(%x: {ty}, %n: index) -> {ty} {{
  %d = tfx_ad.gradient @f(%x, %n) wrt [0] : ({ty}, index) -> {ty}
  return %d : {ty}
}}
"
    );
    text
}

/// Products and sines, each of whose operands is a residual.
fn scalars(size: usize) -> String {
    program("f64", (size / 2).max(1), |i, next| {
        format!(
            "  %s{i} = math.sin %x{i} : f64
  %x{next} = arith.mulf %s{i}, %x0 : f64"
        )
    })
}

/// Layers: a product of matrices, a sum, and an activation.
fn tensors(size: usize) -> String {
    program(T, (size / 3).max(1), |i, next| {
        format!(
            "  %p{i} = tfx_tensor.op \"MatMul\"(%x{i}, %x0) : ({T}, {T}) -> {T}
  %s{i} = tfx_tensor.op \"AddV2\"(%p{i}, %x0) : ({T}, {T}) -> {T}
  %x{next} = tfx_tensor.op \"Tanh\"(%s{i}) : ({T}) -> {T}"
        )
    })
}

/// Returns a loop around a product of its carried value.
fn one_loop(i: usize, next: usize) -> String {
    format!(
        "  %x{next} = scf.for %i{i} = %zero to %n step %one iter_args(%a{i} = %x{i}) -> (f64) {{
    %s{i} = math.sin %a{i} : f64
    %p{i} = arith.mulf %s{i}, %x0 : f64
    scf.yield %p{i} : f64
  }}"
    )
}

/// Loops, one after the other, each with two tapes.
fn loops(size: usize) -> String {
    program("f64", (size / 4).max(1), one_loop)
}

/// The depth of nests.
const DEPTH: usize = 8;

/// Nests of loops, whose tapes are on tapes.
fn nested(size: usize) -> String {
    program("f64", (size / (DEPTH * 3)).max(1), |i, next| {
        let mut text = String::new();
        for level in 0..DEPTH {
            let (from, to) = match level {
                0 => (format!("%x{i}"), format!("%x{next}")),
                _ => (format!("%v{}", level - 1), format!("%r{level}")),
            };
            let _ = writeln!(
                text,
                "  {to} = scf.for %i{level} = %zero to %n step %one iter_args(%w{level} = {from}) -> (f64) {{
  %v{level} = math.sin %w{level} : f64"
            );
        }
        for level in (0..DEPTH).rev() {
            let inner = match level + 1 {
                DEPTH => format!("%v{level}"),
                inner => format!("%r{inner}"),
            };
            let _ = write!(text, "  scf.yield {inner} : f64\n  }}\n");
        }
        text
    })
}

/// Branches on the carried value, with a residual in each arm.
fn branches(size: usize) -> String {
    program("f64", (size / 6).max(1), |i, next| {
        format!(
            "  %c{i} = arith.cmpf olt, %x{i}, %half : f64
  %x{next} = scf.if %c{i} -> (f64) {{
    %s = math.sin %x{i} : f64
    scf.yield %s : f64
  }} else {{
    %p = arith.mulf %x{i}, %x0 : f64
    scf.yield %p : f64
  }}"
        )
    })
}

/// Calls of a function that is not inlined.
fn calls(size: usize) -> String {
    let calls = program("f64", size.max(1), |i, next| {
        format!("  %x{next} = func.call @g(%x{i}, %x0) : (f64, f64) -> f64")
    });
    format!(
        "func.func private @g(%x: f64, %y: f64) -> f64 {{
  %s = math.sin %x : f64
  %p = arith.mulf %s, %y : f64
  return %p : f64
}}
{calls}"
    )
}
