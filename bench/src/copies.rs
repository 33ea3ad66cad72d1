//! `tfx-copy-analysis` on what the rest of `tfx-extract` makes, beside the whole of that pipeline: what it has to add is little.
//!
//! The shapes are those of partition. Between each two graph operations of `channels` is a call of the host, so that every copy back is warned
//! of, with all its notes; the time includes saying it. The size is the number of operations in the source program.

use melior::Context;
use tfx_ir::diag::Collector;
use tfx_ir::{module, pipeline};

use crate::harness::{self, Contender, Limits};
use crate::shapes::Shape;
use crate::table::Row;

pub(crate) use crate::partition::SHAPES;

const OURS: Contender = Contender {
    name: "tfx-copy-analysis",
    pipeline: "builtin.module(tfx-copy-analysis)",
};
const WHOLE: Contender = Contender {
    name: "tfx-extract",
    pipeline: "builtin.module(tfx-extract)",
};

/// Measures the shapes in all sizes. What stands for upstream in the rows is the whole pipeline.
pub(crate) fn measure(
    shapes: &[Shape],
    sizes: &[usize],
    limits: &Limits,
) -> Result<Vec<Row>, String> {
    let context = harness::context();
    // What is said is kept as data, as the façade does, and not printed.
    let _kept = Collector::new(&context);
    let shapes = (shapes, sizes);
    let mut rows = harness::measure_shapes(&context, shapes, &[OURS], limits, extracted)?;
    if !limits.alone {
        let whole = harness::measure_shapes(&context, shapes, &[WHOLE], limits, harness::as_it_is)?;
        for (row, whole) in rows.iter_mut().zip(whole) {
            row.upstream = whole.ours;
        }
    }
    Ok(rows)
}

/// Both sides of a program, and how many operations its source has.
fn extracted(context: &Context, text: String) -> Result<(String, usize), String> {
    let operations = harness::operations(context, &text)?;
    let module = module::parse(context, &text, "bench.mlir").ok_or("a shape does not parse")?;
    let op = module::as_op(&module);
    pipeline::run_unverified(op, "builtin.module(tfx-extract{copies=none})")
        .map_err(|error| error.to_string())?;
    Ok((op.to_string(), operations))
}
