//! All of `tfx-compile` by stages, and all of `tfxc run` on a program with many channels.
//!
//! ```text
//!   chain              tfx-compile as a whole
//!   chain: check ...   the same passes, by consecutive stages on the same clone
//!   channels           parse ─► compile ─► code in memory ─► one call on the embedded executor
//!   kernels            the same with the graph as machine code, of which nothing is in files
//! ```
//!
//! The size is the number of graph operations; in `channels`, the host receives the value of each
//! of them; in `kernels`, there are products of 100 sizes.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use melior::Context;
use tfx::codegen::{BuildFolder, Jit, OptimizationLevel};
use tfx::options::CompileOptions;
use tfx::runtime::{ExecutorKind, program};
use tfx::{Source, pipelines};
use tfx_ir::diag::Collector;
use tfx_ir::module;

use crate::harness::{self, Contender, Limits, Sample, Series, Time};
use crate::progress;
use crate::shapes::{Shape, pieces};
use crate::table::{Figure, Row};

const WHOLE: Contender = Contender::new("tfx-compile", "builtin.module(tfx-compile)");
const RUN: Contender = Contender::new("tfxc run", "");

const CHAIN: &str = "chain";

const KERNELS: &str = "kernels";

pub(crate) const SHAPES: &[Shape] = &[
    Shape::new(CHAIN, chain),
    Shape::new("channels", channels),
    Shape::new(KERNELS, kernels),
];

/// Returns the stages of `tfx-compile`. The second stage specializes again, without effect.
fn stages() -> [(&'static str, String); 7] {
    let stage = |passes: &str| format!("builtin.module({passes})");
    [
        (
            "chain: check",
            stage("tfx-specialize,tfx-check-accelerator-only,tfx-check-operations"),
        ),
        ("chain: deabstract", stage(pipelines::DEABSTRACT)),
        ("chain: structure", stage(pipelines::STRUCTURE)),
        ("chain: partition", stage(pipelines::PARTITION)),
        ("chain: copies", stage("tfx-copy-analysis")),
        (
            "chain: legalize",
            stage(&format!("{},{}", pipelines::PACK, pipelines::LEGALIZE)),
        ),
        ("chain: lower", stage(&pipelines::lower(""))),
    ]
}

pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for shape in shapes {
        rows.extend(match shape.name {
            CHAIN => measure_stages(shape, limits)?,
            KERNELS => measure_runs(shape, ExecutorKind::Native, limits)?,
            _ => measure_runs(shape, ExecutorKind::Embedded, limits)?,
        });
    }
    Ok(rows)
}

fn measure_stages(shape: &Shape, limits: &Limits) -> Result<Vec<Row>> {
    let context = harness::context();
    let _kept = Collector::new(&context);
    let mut series = [Series::new(&WHOLE)];
    let mut rows = Vec::new();
    for &size in &limits.sizes {
        let text = (shape.text)(size);
        let texts = [text];
        let whole =
            harness::measure_each(&context, &texts, (shape.name, size), &mut series, limits)?;
        let is_measured = matches!(whole[..], [Figure::Measured(_)]);
        rows.push(Row::new(shape.name, size, whole));
        if is_measured {
            progress::start_run(&format!("{}, {size}: its stages", shape.name));
            rows.extend(stage_rows(&context, &texts[0], size, limits)?);
        }
    }
    Ok(rows)
}

fn stage_rows(context: &Context, text: &str, size: usize, limits: &Limits) -> Result<Vec<Row>> {
    let original = module::parse(context, text, "bench.mlir").context("a shape does not parse")?;
    let stages = stages();
    let mut samples: Vec<Vec<Sample>> = stages.iter().map(|_| Vec::new()).collect();
    for run in 0..limits.runs {
        let copy = module::copy(&original);
        for ((name, pipeline), samples) in stages.iter().zip(&mut samples) {
            let sample = harness::run_on(&copy, pipeline, run == 0, limits.clock);
            samples.push(sample.with_context(|| (*name).to_owned())?);
        }
    }
    let figures = samples.iter().map(|samples| Time::of(samples));
    let figures = figures.map(|time| time.map_or(Figure::Absent, Figure::Measured));
    let named = stages.iter().zip(figures);
    Ok(named
        .map(|((name, _), figure)| Row::new(name, size, [figure]))
        .collect())
}

/// The function that the host of `channels` calls.
const SINK: &str = "void sink(float value) { (void)value; }\n";

fn measure_runs(shape: &Shape, executor: ExecutorKind, limits: &Limits) -> Result<Vec<Row>> {
    let build_folder = BuildFolder::new()?;
    let path = build_folder.path("sink.c");
    std::fs::write(&path, SINK)?;
    let libraries = build_folder.shared_libraries(&[path])?;
    program::set_executor(executor);
    let mut options = CompileOptions::default();
    options.native.native = executor == ExecutorKind::Native;
    options.native.for_this_machine();
    let mut series = Series::new(&RUN);
    let mut rows = Vec::new();
    for &size in &limits.sizes {
        if series.expected(size) > limits.budget.as_secs_f64() {
            rows.push(Row::new(shape.name, size, [Figure::Skipped]));
            continue;
        }
        progress::start_run(&format!("{}, {size}: {}", shape.name, RUN.name));
        let text = (shape.text)(size);
        let samples = (0..limits.runs).map(|_| {
            let (done, seconds) = limits
                .clock
                .time(|| compile_and_call(&text, &options, &libraries));
            done.map(|()| Sample {
                seconds,
                walk_seconds: 0.0,
                peak_bytes: None,
                operations: None,
            })
        });
        let samples = samples.collect::<Result<Vec<_>, _>>()?;
        let time = Time::of(&samples).context("nothing was measured")?;
        series.learn(size, time.median_seconds);
        rows.push(Row::new(shape.name, size, [Figure::Measured(time)]));
    }
    Ok(rows)
}

/// Does everything that `tfxc run` does, from the text of a program to the end of its call.
fn compile_and_call(text: &str, options: &CompileOptions, libraries: &[PathBuf]) -> Result<()> {
    let context = Context::new();
    tfx::prepare(&context);
    let source = Source::new("bench.mlir", text);
    let compiled = source
        .parse(&context)
        .and_then(|program| program.with_options(options.clone()).compile(Some("main")))
        .map_err(|error| anyhow!(tfx::report::render::error(&error, &source)))?;
    let level = OptimizationLevel::default();
    let jit = Jit::new(compiled.module(), libraries, level)?;
    let entry = jit.entry()?;
    (entry.call)(Vec::new())?;
    Ok(())
}

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail.

/// A chain of graph operations.
fn chain(size: usize) -> String {
    let mut text = String::from("func.func @main(%x0: tensor<f32>) -> tensor<f32> {\n");
    text += &pieces(size, |i, next| {
        format!("  %x{next} = tfx_tensor.op \"Exp\"(%x{i}) : (tensor<f32>) -> tensor<f32>")
    });
    let _ = write!(text, "  return %x{size} : tensor<f32>\n}}\n");
    text
}

/// A chain of graph operations; the host receives each value.
fn channels(size: usize) -> String {
    let mut text = String::from(
        "func.func private @sink(f32)
func.func @main() {
  %x0 = tfx_tensor.const dense<0.5> : tensor<f32>
",
    );
    text += &pieces(size, |i, next| {
        format!(
            "  %x{next} = tfx_tensor.op \"Cos\"(%x{i}) : (tensor<f32>) -> tensor<f32>
  %s{next} = tfx_tensor.to_scalar %x{next} : tensor<f32> -> f32
  func.call @sink(%s{next}) : (f32) -> ()"
        )
    });
    text.push_str("  return\n}\n");
    text
}

/// The operations of a group of `kernels`, and the number of different sizes of the groups.
const GROUP: usize = 5;
const GROUP_SIZES: usize = 100;

/// Groups of a product of two matrices, its hyperbolic tangent and the mean of that, from which the
/// next group fills its matrices.
fn kernels(size: usize) -> String {
    let mut text = String::from(
        "func.func @main() -> tensor<f32> {
  %axes = tfx_tensor.const dense<[0, 1]> : tensor<2xi32>
  %x0 = tfx_tensor.const dense<0.5> : tensor<f32>
",
    );
    let groups = size.div_ceil(GROUP);
    text += &pieces(groups, |i, next| {
        let kind = i % GROUP_SIZES;
        let (m, k, n) = (3 + kind % 7, 17 + kind, 9 + kind * 5 % 31);
        format!(
            "  %p{i} = tfx_tensor.const dense<[{m}, {k}]> : tensor<2xi32>
  %q{i} = tfx_tensor.const dense<[{k}, {n}]> : tensor<2xi32>
  %a{i} = tfx_tensor.op \"Fill\"(%p{i}, %x{i}) : (tensor<2xi32>, tensor<f32>) -> tensor<{m}x{k}xf32>
  %b{i} = tfx_tensor.op \"Fill\"(%q{i}, %x0) : (tensor<2xi32>, tensor<f32>) -> tensor<{k}x{n}xf32>
  %c{i} = tfx_tensor.op \"MatMul\"(%a{i}, %b{i}) : (tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %d{i} = tfx_tensor.op \"Tanh\"(%c{i}) : (tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %x{next} = tfx_tensor.op \"Mean\"(%d{i}, %axes) : (tensor<{m}x{n}xf32>, tensor<2xi32>) -> tensor<f32>"
        )
    });
    let _ = write!(text, "  return %x{groups} : tensor<f32>\n}}\n");
    text
}
