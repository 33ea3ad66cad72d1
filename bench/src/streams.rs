//! The passes that make schedules of `tfx_stream` from commands on one stream: streams, events and
//! memory. `cse` runs on the same IR for comparison, because upstream has no counterpart.
//!
//! The size is the number of kernels. Each one reads results of earlier ones and writes a buffer of
//! its own, which is released a few kernels later. A pipeline has four stages on four devices, with
//! several kernels each, forward and backward.
//!
//! For `tfx-find-device-code` and `tfx-offload`, the size is the number of operations of a graph:
//! products of different sizes, functions that the device has no code for, and values that are used
//! again later.

use std::fmt::Write;

use anyhow::Result;

use crate::harness::{Contender, Limits, context, measure_with_cse};
use crate::shapes::Shape;
use crate::table::Row;

const OURS: Contender = Contender::new(
    "streams, events and memory",
    "builtin.module(tfx-pipeline,tfx-assign-streams{streams=8},tfx-insert-events,tfx-plan-memory)",
);

const OFFLOAD: Contender = Contender::new(
    "code and divisions",
    "builtin.module(tfx-find-device-code{all=true},tfx-offload{device=cuda})",
);

/// The shape for `tfx-offload`.
const GRAPH: &str = "graph";

pub(crate) const SHAPES: &[Shape] = &[
    Shape::new("straight", straight),
    Shape::new("in-a-loop", in_a_loop),
    Shape::new("loops", loops),
    Shape::new("pipeline", pipeline),
    Shape::new(GRAPH, graph),
];

pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    let ours = |shape: &Shape| match shape.name {
        GRAPH => OFFLOAD,
        _ => OURS,
    };
    measure_with_cse(&context(), shapes, ours, limits)
}

// -------------------------------------------------------------------------------------------------
// Shapes. Writing to a string does not fail.

const STREAM: &str = "!tfx_stream.stream<cuda>";
const BUFFER: &str = "!tfx_stream.buffer<4096, cuda>";

/// The kernels after which a buffer is released.
const LIVE: usize = 12;
/// The kernels of each loop.
const PER_LOOP: usize = 10;
/// The stages of a pipeline.
const STAGES: usize = 4;
/// The kernels of a stage, forward or backward.
const PER_STAGE: usize = 8;

fn schedule(body: &str) -> String {
    format!(
        "tfx_stream.schedule @main(%s: {STREAM}, %n: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
{body}  tfx_stream.return
}}
"
    )
}

/// Writes kernels whose buffers have names with a prefix.
fn kernels(text: &mut String, prefix: &str, count: usize) {
    let free = |text: &mut String, index: usize| {
        let _ = writeln!(
            text,
            "  tfx_stream.free %{prefix}{index} on %s : {BUFFER} on {STREAM}"
        );
    };
    for i in 0..count {
        let _ = writeln!(
            text,
            "  %{prefix}{i} = tfx_stream.alloc on %s : {BUFFER} on {STREAM}"
        );
        // Four chains, which join now and then.
        let mut sources: Vec<usize> = i.checked_sub(4).into_iter().collect();
        if i % 5 == 0 && i > 0 {
            sources.push(i - 1);
        }
        let reads: String = sources
            .iter()
            .map(|j| format!("%{prefix}{j} read, "))
            .collect();
        let types = format!(", {BUFFER}").repeat(sources.len() + 1);
        let _ = writeln!(
            text,
            "  %{prefix}v{i} = tfx_stream.launch %s @k({reads}%{prefix}{i} write) {{cost = 20000}} : {STREAM}{types}"
        );
        if let Some(dead) = i.checked_sub(LIVE) {
            free(text, dead);
        }
    }
    for index in count.saturating_sub(LIVE)..count {
        free(text, index);
    }
}

fn straight(size: usize) -> String {
    let mut text = String::new();
    kernels(&mut text, "a", size);
    schedule(&text)
}

fn in_a_loop(size: usize) -> String {
    let mut text = String::from("  scf.for %i = %c0 to %n step %c1 {\n");
    kernels(&mut text, "a", size);
    text += "  }\n";
    schedule(&text)
}

fn loops(size: usize) -> String {
    let mut text = String::new();
    for index in 0..(size / PER_LOOP).max(1) {
        text += "  scf.for %i = %c0 to %n step %c1 {\n";
        kernels(&mut text, &format!("l{index}_"), PER_LOOP);
        text += "  }\n";
    }
    schedule(&text)
}

/// Writes a pipeline. Each microbatch goes forward through the stages, and back.
fn pipeline(size: usize) -> String {
    let stream = |device: usize| format!("!tfx_stream.stream<cuda:{device}>");
    let buffer = |device: usize| format!("!tfx_stream.buffer<4096, cuda:{device}>");
    let iterations = (size / (2 * STAGES * PER_STAGE)).max(1);
    let streams = (0..STAGES).map(|device| format!("%s{device}: {}", stream(device)));
    let mut text = format!(
        "tfx_stream.schedule @main({}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {iterations} : index
  scf.for %i = %c0 to %n step %c1 {{
",
        streams.collect::<Vec<_>>().join(", ")
    );
    let visits: Vec<usize> = (0..STAGES).chain((0..STAGES).rev()).collect();
    let mut freed = String::new();
    for (visit, &device) in visits.iter().enumerate() {
        let (s, b) = (stream(device), buffer(device));
        for kernel in 0..PER_STAGE {
            let own = visit * PER_STAGE + kernel;
            let _ = writeln!(
                text,
                "  %b{own} = tfx_stream.alloc on %s{device} : {b} on {s}"
            );
            let _ = writeln!(
                freed,
                "  tfx_stream.free %b{own} on %s{device} : {b} on {s}"
            );
            let before = own.checked_sub(1).filter(|_| kernel > 0 || visit == STAGES);
            let operands = match before {
                Some(before) => format!("%b{before} read, %b{own} write"),
                None if visit > 0 => format!("%x{visit} read, %b{own} write"),
                None => format!("%b{own} write"),
            };
            let count = operands.matches('%').count();
            let types = format!(", {b}").repeat(count);
            let _ = writeln!(
                text,
                "  tfx_stream.launch %s{device} @k({operands}) {{cost = 20000}} : {s}{types}"
            );
        }
        if let Some(&next) = visits.get(visit + 1).filter(|next| **next != device) {
            let (t, c) = (stream(next), buffer(next));
            let (own, x) = ((visit + 1) * PER_STAGE - 1, visit + 1);
            let _ = writeln!(text, "  %x{x} = tfx_stream.alloc on %s{next} : {c} on {t}");
            let _ = writeln!(freed, "  tfx_stream.free %x{x} on %s{next} : {c} on {t}");
            let _ = writeln!(
                text,
                "  tfx_stream.copy %s{next} %b{own} to %x{x} : {t}, {b} to {c}"
            );
        }
    }
    text + &freed + "  } {tfx_stream.pipeline}\n  tfx_stream.return\n}\n"
}

/// The rows of the operands of products.
const ROWS: [usize; 4] = [16, 64, 256, 1024];
/// The operations after which a value is used again.
const AGAIN: usize = 16;

/// A graph in which the host has one of ten operations.
fn graph(size: usize) -> String {
    let ty = |rows: usize| format!("tensor<{rows}x64xf32>");
    let weights = "tensor<64x64xf32>";
    let inputs: Vec<String> = ROWS
        .iter()
        .map(|rows| format!("%in{rows}: {}", ty(*rows)))
        .collect();
    let mut text = format!(
        "tfx_tensor.graph @main({}, %w: {weights}) -> {} {{\n",
        inputs.join(", "),
        ty(ROWS[0])
    );
    // The last values with a number of rows, oldest first.
    let mut known: Vec<Vec<String>> = ROWS.iter().map(|rows| vec![format!("%in{rows}")]).collect();
    for i in 0..size {
        let kind = i / 10 % ROWS.len();
        let (ty, values) = (ty(ROWS[kind]), &mut known[kind]);
        let last = values[values.len() - 1].clone();
        let before = &values[values.len().saturating_sub(AGAIN)];
        let _ = match i % 10 {
            0 | 4 | 7 => writeln!(
                text,
                "  %x{i} = tfx_tensor.op \"MatMul\"({last}, %w) : ({ty}, {weights}) -> {ty}"
            ),
            3 | 8 => writeln!(
                text,
                "  %x{i} = tfx_tensor.op \"AddV2\"({last}, {before}) : ({ty}, {ty}) -> {ty}"
            ),
            9 => writeln!(
                text,
                "  %x{i} = tfx_tensor.op \"Sin\"({last}) : ({ty}) -> {ty}"
            ),
            _ => writeln!(
                text,
                "  %x{i} = tfx_tensor.op \"Tanh\"({last}) : ({ty}) -> {ty}"
            ),
        };
        values.push(format!("%x{i}"));
    }
    let result = &known[0][known[0].len() - 1];
    let _ = writeln!(text, "  tfx_tensor.return {result} : {}\n}}", ty(ROWS[0]));
    text
}
