//! Deabstraction, compared with upstream's `inline`, `mem2reg` and `sroa`, and the whole pipeline
//! alone.
//!
//! The two contenders of a shape get the same program in different dialects: a variable is a
//! `tfx_host.var` for tfx and a `memref.alloca` for upstream.

use std::fmt::Write;

use crate::harness::{self, Contender, Limits, Series};
use crate::shapes::{Shape, pieces};
use crate::table::Row;
use anyhow::Result;

/// Returns a program with about the given number of operations.
type Text = fn(usize) -> String;

/// A shape in both dialects, with the contenders.
struct Comparison {
    shape: Shape,
    ours: Contender,
    /// The same program for upstream, and the upstream pass.
    upstream: Option<(Text, Contender)>,
}

const COMPARISONS: &[Comparison] = &[
    Comparison {
        shape: Shape::new("calls", calls),
        ours: Contender::new(
            "tfx-inline",
            "builtin.module(tfx-inline{graph-functions=false})",
        ),
        upstream: Some((calls, Contender::new("inline", "builtin.module(inline)"))),
    },
    Comparison {
        shape: Shape::new("slots-in-a-block", |size| slots_in_a_block(size, &OURS)),
        ours: SSA,
        upstream: Some((|size| slots_in_a_block(size, &UPSTREAM), MEM2REG)),
    },
    Comparison {
        shape: Shape::new("slots-over-blocks", |size| slots_over_blocks(size, &OURS)),
        ours: SSA,
        upstream: Some((|size| slots_over_blocks(size, &UPSTREAM), MEM2REG)),
    },
    Comparison {
        shape: Shape::new("aggregates", aggregates_ours),
        ours: Contender::new("tfx-scalarize", "builtin.module(tfx-scalarize)"),
        upstream: Some((
            aggregates_upstream,
            Contender::new("sroa", "builtin.module(func.func(sroa))"),
        )),
    },
    Comparison {
        shape: Shape::new("pipeline", mixed),
        ours: Contender::new("tfx-deabstract", "builtin.module(tfx-deabstract)"),
        upstream: None,
    },
];

const SSA: Contender = Contender::new("tfx-ssa", "builtin.module(func.func(tfx-ssa))");
const MEM2REG: Contender = Contender::new("mem2reg", "builtin.module(func.func(mem2reg))");

/// Returns the shapes, for the command line.
pub(crate) fn shapes() -> Vec<Shape> {
    COMPARISONS
        .iter()
        .map(|comparison| comparison.shape)
        .collect()
}

/// Measures the shapes.
pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    let context = harness::context();
    let is_selected = |comparison: &&Comparison| {
        shapes
            .iter()
            .any(|shape| shape.name == comparison.shape.name)
    };
    let mut rows = Vec::new();
    for comparison in COMPARISONS.iter().filter(is_selected) {
        let mut series = vec![Series::new(&comparison.ours)];
        series.extend(
            comparison
                .upstream
                .iter()
                .map(|(_, upstream)| Series::new(upstream)),
        );
        for &size in &limits.sizes {
            let mut texts = vec![(comparison.shape.text)(size)];
            texts.extend(comparison.upstream.iter().map(|(text, _)| text(size)));
            let name = comparison.shape.name;
            let counted = harness::operations(&context, &texts[0])?;
            let figures =
                harness::measure_each(&context, &texts, (name, size), &mut series, limits)?;
            rows.push(Row::new(name, counted, figures));
        }
    }
    Ok(rows)
}

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail. The size is the approximate number of operations.

/// The syntax of variables in a dialect.
struct Variables {
    make: fn(&mut String, &str),
    store: fn(&mut String, &str, &str),
    load: fn(&mut String, &str, &str),
}

const OURS: Variables = Variables {
    make: |text, name| {
        let _ = writeln!(text, "  {name} = tfx_host.var : !tfx_host.ref<i32>");
    },
    store: |text, value, name| {
        let _ = writeln!(text, "  tfx_host.store {value}, {name} : i32");
    },
    load: |text, value, name| {
        let _ = writeln!(
            text,
            "  {value} = tfx_host.load {name} : !tfx_host.ref<i32>"
        );
    },
};

const UPSTREAM: Variables = Variables {
    make: |text, name| {
        let _ = writeln!(text, "  {name} = memref.alloca() : memref<i32>");
    },
    store: |text, value, name| {
        let _ = writeln!(text, "  memref.store {value}, {name}[] : memref<i32>");
    },
    load: |text, value, name| {
        let _ = writeln!(text, "  {value} = memref.load {name}[] : memref<i32>");
    },
};

/// Consecutive calls of one function, in one block.
fn calls(size: usize) -> String {
    let mut text = String::from(
        "func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func @main(%x0: tensor<2xf32>) -> tensor<2xf32> {
",
    );
    text += &pieces(size, |i, next| {
        format!("  %x{next} = call @twice(%x{i}) : (tensor<2xf32>) -> tensor<2xf32>")
    });
    let _ = write!(text, "  return %x{size} : tensor<2xf32>\n}}\n");
    text
}

/// Variables that are written and read once each, in one block.
fn slots_in_a_block(size: usize, variables: &Variables) -> String {
    let count = (size / 3).max(1);
    let mut text = String::from("func.func @main(%x0: i32) -> i32 {\n");
    for i in 0..count {
        let (name, value) = (format!("%v{i}"), format!("%x{i}"));
        (variables.make)(&mut text, &name);
        (variables.store)(&mut text, &value, &name);
        (variables.load)(&mut text, &format!("%x{}", i + 1), &name);
    }
    let _ = write!(text, "  return %x{count} : i32\n}}\n");
    text
}

/// One variable per branch, which changes it.
fn slots_over_blocks(size: usize, variables: &Variables) -> String {
    let count = (size / 8).max(1);
    let mut text = String::from("func.func @main(%x: i32, %p: i1) -> i32 {\n");
    for i in 0..count {
        (variables.make)(&mut text, &format!("%v{i}"));
        (variables.store)(&mut text, "%x", &format!("%v{i}"));
    }
    text += "  cf.br ^if0\n";
    for i in 0..count {
        let (name, next) = (format!("%v{i}"), i + 1);
        let _ = writeln!(
            text,
            "^if{i}:\n  cf.cond_br %p, ^then{i}, ^if{next}\n^then{i}:"
        );
        (variables.load)(&mut text, &format!("%l{i}"), &name);
        let _ = writeln!(text, "  %a{i} = arith.addi %l{i}, %l{i} : i32");
        (variables.store)(&mut text, &format!("%a{i}"), &name);
        let _ = writeln!(text, "  cf.br ^if{next}");
    }
    let _ = writeln!(text, "^if{count}:");
    (variables.load)(&mut text, "%r", &format!("%v{}", count / 2));
    text + "  return %r : i32\n}\n"
}

/// Variables of three parts, which are written individually; one part is read.
fn aggregates_ours(size: usize) -> String {
    let count = (size / 8).max(1);
    let mut text = String::from(
        "tfx_host.struct @P {x: i32, y: i32, z: i32}\nfunc.func @main(%x0: i32) -> i32 {\n",
    );
    for i in 0..count {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  %v{i} = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@P>>"
        );
        for field in ["x", "y", "z"] {
            let _ = writeln!(
                text,
                "  %{field}r{i} = tfx_host.field_ref %v{i}[\"{field}\"] : !tfx_host.ref<!tfx_host.struct<@P>> -> !tfx_host.ref<i32>
  tfx_host.store %x{i}, %{field}r{i} : i32"
            );
        }
        let _ = writeln!(
            text,
            "  %x{next} = tfx_host.load %yr{i} : !tfx_host.ref<i32>"
        );
    }
    let _ = write!(text, "  return %x{count} : i32\n}}\n");
    text
}

/// The same with constant indices instead of field names, by which upstream splits memory.
fn aggregates_upstream(size: usize) -> String {
    let count = (size / 8).max(1);
    let mut text = String::from(
        "func.func @main(%x0: i32) -> i32 {
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i2 = arith.constant 2 : index
",
    );
    for i in 0..count {
        let next = i + 1;
        let _ = writeln!(text, "  %v{i} = memref.alloca() : memref<3xi32>");
        for field in 0..3 {
            let _ = writeln!(
                text,
                "  memref.store %x{i}, %v{i}[%i{field}] : memref<3xi32>"
            );
        }
        let _ = writeln!(text, "  %x{next} = memref.load %v{i}[%i1] : memref<3xi32>");
    }
    let _ = write!(text, "  return %x{count} : i32\n}}\n");
    text
}

/// All abstractions that the pipeline removes: structs, inout parameters, enums, closures,
/// variables, branches; about 16 operations for each piece.
fn mixed(size: usize) -> String {
    let count = (size / 16).max(1);
    let mut text = String::from(
        r#"tfx_host.struct @Layer<"T"> {w: !tfx_host.param<"T">, n: i32}
tfx_host.enum @Kind {linear(), scaled(tensor<2xf32>)}
func.func private @bump(%l: !tfx_host.ref<!tfx_host.struct<@Layer<tensor<2xf32>>>>) {
  %n = tfx_host.field_ref %l["n"] : !tfx_host.ref<!tfx_host.struct<@Layer<tensor<2xf32>>>> -> !tfx_host.ref<i32>
  %x = tfx_host.load %n : !tfx_host.ref<i32>
  %one = arith.constant 1 : i32
  %y = arith.addi %x, %one : i32
  tfx_host.store %y, %n : i32
  return
}
func.func private @add(%k: tensor<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = tfx_tensor.op "AddV2"(%k, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
func.func private @twice(%f: !tfx_host.closure<(tensor<2xf32>) -> tensor<2xf32>>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %y = tfx_host.apply %f(%x) : !tfx_host.closure<(tensor<2xf32>) -> tensor<2xf32>>
  %z = tfx_host.apply %f(%y) : !tfx_host.closure<(tensor<2xf32>) -> tensor<2xf32>>
  return %z : tensor<2xf32>
}
func.func @main(%x0: tensor<2xf32>, %n: i32, %p: i1) -> (tensor<2xf32>, i32) {
  %v = tfx_host.var : !tfx_host.ref<!tfx_host.struct<@Layer<tensor<2xf32>>>>
  %l = tfx_host.make_struct(%x0, %n) : (tensor<2xf32>, i32) -> !tfx_host.struct<@Layer<tensor<2xf32>>>
  tfx_host.store %l, %v : !tfx_host.struct<@Layer<tensor<2xf32>>>
"#,
    );
    for i in 0..count {
        let next = i + 1;
        let _ = write!(
            text,
            r#"  func.call @bump(%v) : (!tfx_host.ref<!tfx_host.struct<@Layer<tensor<2xf32>>>>) -> ()
  %s{i} = tfx_host.load %v : !tfx_host.ref<!tfx_host.struct<@Layer<tensor<2xf32>>>>
  %w{i} = tfx_host.extract %s{i}["w"] : !tfx_host.struct<@Layer<tensor<2xf32>>> -> tensor<2xf32>
  %f{i} = tfx_host.closure @add(%w{i}) : (tensor<2xf32>) -> !tfx_host.closure<(tensor<2xf32>) -> tensor<2xf32>>
  %a{i} = func.call @twice(%f{i}, %x{i}) : (!tfx_host.closure<(tensor<2xf32>) -> tensor<2xf32>>, tensor<2xf32>) -> tensor<2xf32>
  %e{i} = tfx_host.make_enum "linear"() : () -> !tfx_host.enum<@Kind>
  %g{i} = tfx_host.make_enum "scaled"(%a{i}) : (tensor<2xf32>) -> !tfx_host.enum<@Kind>
  cf.cond_br %p, ^join{i}(%e{i} : !tfx_host.enum<@Kind>), ^join{i}(%g{i} : !tfx_host.enum<@Kind>)
^join{i}(%k{i}: !tfx_host.enum<@Kind>):
  tfx_host.switch_enum %k{i} : !tfx_host.enum<@Kind> ["linear" -> ^linear{i}, "scaled" -> ^scaled{i}]
^linear{i}:
  cf.br ^next{i}(%a{i} : tensor<2xf32>)
^scaled{i}(%t{i}: tensor<2xf32>):
  %m{i} = tfx_tensor.op "Mul"(%t{i}, %a{i}) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  cf.br ^next{i}(%m{i} : tensor<2xf32>)
^next{i}(%x{next}: tensor<2xf32>):
  %u{i} = tfx_host.make_struct(%x{next}, %n) : (tensor<2xf32>, i32) -> !tfx_host.struct<@Layer<tensor<2xf32>>>
  tfx_host.store %u{i}, %v : !tfx_host.struct<@Layer<tensor<2xf32>>>
"#
        );
    }
    let _ = write!(
        text,
        "  %last = tfx_host.load %v : !tfx_host.ref<!tfx_host.struct<@Layer<tensor<2xf32>>>>
  %c = tfx_host.extract %last[\"n\"] : !tfx_host.struct<@Layer<tensor<2xf32>>> -> i32
  return %x{count}, %c : tensor<2xf32>, i32\n}}\n"
    );
    text
}
