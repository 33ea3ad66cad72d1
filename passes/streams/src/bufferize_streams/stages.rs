//! Loops of stages: loops of graphs whose iterations are pipelines over several devices.
//!
//! ```text
//!   while (%i = 0, %sum = %zero) { Less(%i, 8) } do {
//!     %b = Slice(%x, %i ...)
//!     %y = MatMul(%b, %w)                          8 microbatches, 2 stages
//!     %c = copy %y from <cpu> to <cpu:1>
//!     %n = AddV2(%sum, %c)
//!     yield AddV2(%i, 1), %n
//!   }
//! ```
//!
//! A loop with copies between places directly in its body, and a known number of iterations,
//! becomes a loop of the schedule, which `tfx-pipeline` unrolls. The graph executes other loops
//! with copies, and each of their iterations is a run on streams.
//!
//! Cost: linear in the IR.

use std::collections::{HashMap, HashSet};

use tfx_dialects::comm::Copy;
use tfx_dialects::schedules::{KERNEL, SCHEDULE};
use tfx_dialects::tensor::{self, While};
use tfx_graphdef_mlir::clusters::Analysis;
use tfx_graphdef_mlir::tensors::integers;
use tfx_ir::{Block, Op, Value};

use super::emit::bytes;
use crate::pipeline::MOST_ITERATIONS;

/// Returns the loops of stages, with their numbers of iterations. `spread` has the operations with
/// copies inside.
pub(super) fn find<'a>(
    module: Op<'a>,
    analysis: &Analysis<'a>,
    spread: &HashSet<Op<'a>>,
) -> HashMap<Op<'a>, u64> {
    let graphs = module.children().filter(|graph| {
        let is_done = |name| graph.attribute(name).is_some();
        spread.contains(graph) && !is_done(SCHEDULE) && !is_done(KERNEL)
    });
    let ops = graphs.flat_map(|graph| graph.walk());
    let loops = ops.filter(|op| spread.contains(op) && analysis.compiles(*op));
    let loops = loops.filter_map(|op| {
        let repeated = While::cast(op)?;
        let (condition, body) = blocks(repeated)?;
        let has_copies = |block: Block<'a>| block.ops().any(|op| op.isa::<Copy>());
        let mut inside = condition.ops().chain(body.ops());
        let is_nested = inside.any(|op| spread.contains(&op));
        if !has_copies(body)
            || has_copies(condition)
            || is_nested
            || !has_same_types(repeated, body)
        {
            return None;
        }
        let count = trip_count(repeated, condition, body)?;
        (count <= MOST_ITERATIONS as u64).then_some((op, count))
    });
    loops.collect()
}

/// Returns the operations of a loop of stages: kernels and copies.
pub(super) fn operations<'a>(repeated: While<'a>) -> Vec<Op<'a>> {
    let body = repeated.body_region().entry();
    let ops = body.into_iter().flat_map(|body| body.ops());
    ops.filter(|op| !op.isa::<tensor::Const>() && !op.is_terminator())
        .collect()
}

fn blocks(repeated: While<'_>) -> Option<(Block<'_>, Block<'_>)> {
    Some((
        repeated.condition_region().entry()?,
        repeated.body_region().entry()?,
    ))
}

/// Returns whether the tensors of all iterations have the same known sizes.
fn has_same_types<'a>(repeated: While<'a>, body: Block<'a>) -> bool {
    let Some(end) = body.terminator() else {
        return false;
    };
    let arguments = body.arguments().zip(end.operands());
    let mut all = repeated
        .inits()
        .iter()
        .zip(repeated.op().results())
        .zip(arguments);
    all.all(|((init, result), (argument, next))| {
        bytes(init.ty()).is_some()
            && [argument, next, result]
                .iter()
                .all(|value| value.ty() == init.ty())
    })
}

/// Returns the number of iterations of a loop that counts up to a constant.
fn trip_count<'a>(repeated: While<'a>, condition: Block<'a>, body: Block<'a>) -> Option<u64> {
    let less = operation(condition.terminator()?.operand(0), "Less")?;
    let (_, index) = less
        .operand(0)
        .as_argument()
        .filter(|(block, _)| *block == condition)?;
    let limit = constant(less.operand(1))?;
    let first = constant(repeated.inits().iter().nth(index)?)?;
    let next = operation(body.terminator()?.operand(index), "AddV2")?;
    let counter = body.arguments().nth(index)?;
    let step = match next.operand(0) == counter {
        true => constant(next.operand(1))?,
        false => constant(next.operand(0)).filter(|_| next.operand(1) == counter)?,
    };
    let distance = limit.saturating_sub(first).max(0);
    let step = u64::try_from(step).ok().filter(|step| *step > 0)?;
    Some(u64::try_from(distance).ok()?.div_ceil(step))
}

/// Returns the operation of a name that defines a value.
fn operation<'a>(value: Value<'a>, name: &str) -> Option<Op<'a>> {
    let op = value.defining_op()?;
    (tensor::Op::cast(op)?.tf_name() == name).then_some(op)
}

/// Returns the number in a constant of rank 0, which an `Identity` may store.
fn constant(value: Value<'_>) -> Option<i64> {
    let value = operation(value, "Identity").map_or(value, |op| op.operand(0));
    match integers(value)?[..] {
        [number] => Some(number),
        _ => None,
    }
}
