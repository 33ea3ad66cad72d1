//! `tfx-copy-analysis` on the output of the other passes of `tfx-extract`, compared with that
//! pipeline as a whole.
//!
//! The shapes are those of partition. In `channels`, a call of the host separates each two graph
//! operations, so that every copy back is reported, with all its notes; the time includes the
//! reports. The size is the number of operations in the source program.

use anyhow::{Context as _, Result};
use melior::Context;
use tfx_ir::diag::Collector;
use tfx_ir::{module, pipeline};

use crate::harness::{self, Contender, Limits};
use crate::shapes::Shape;
use crate::table::Row;

pub(crate) use crate::partition::SHAPES;

const OURS: Contender = Contender::new("tfx-copy-analysis", "builtin.module(tfx-copy-analysis)");
const WHOLE: Contender = Contender::new("tfx-extract", "builtin.module(tfx-extract)");

/// Measures the shapes. The whole pipeline takes the place of upstream in the rows.
pub(crate) fn measure(shapes: &[Shape], limits: &Limits) -> Result<Vec<Row>> {
    let context = harness::context();
    // Diagnostics are collected, as the library does, and not printed.
    let _kept = Collector::new(&context);
    let mut rows = harness::measure_shapes(&context, shapes, &[OURS], limits, extracted)?;
    if !limits.alone {
        let whole =
            harness::measure_shapes(&context, shapes, &[WHOLE], limits, harness::unchanged)?;
        for (row, whole) in rows.iter_mut().zip(whole) {
            row.upstream = whole.ours;
        }
    }
    Ok(rows)
}

/// Returns both sides of a program, and the number of operations of its source.
fn extracted(context: &Context, text: String) -> Result<(String, usize)> {
    let operations = harness::operations(context, &text)?;
    let module = module::parse(context, &text, "bench.mlir").context("a shape does not parse")?;
    let op = module::as_op(&module);
    pipeline::run_unverified(op, "builtin.module(tfx-extract{copies=none})")?;
    Ok((op.to_string(), operations))
}
