//! Control flow of schedules: loops of graphs whose iterations are pipelines over several devices,
//! and loops and branches at an accelerator.
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
//! becomes a loop of the schedule, which `tfx-pipeline` unrolls. So does a loop at an accelerator,
//! which stays a loop: the host issues its iterations, and does not wait for them. If the number of
//! its iterations is not known, its condition is computed in each iteration, by the host or by the
//! device (`counters.rs`). So does a branch at an accelerator, whose condition the host reads. The
//! graph executes other loops and branches with copies, and each of their iterations is a run on
//! streams.
//!
//! Cost: linear in the IR.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use tfx_dialects::comm::Copy;
use tfx_dialects::launches::HAS_CODE;
use tfx_dialects::schedules::{KERNEL, SCHEDULE};
use tfx_dialects::tensor::{self, If, While};
use tfx_graphdef_mlir::captures::Captures;
use tfx_graphdef_mlir::clusters::Analysis;
use tfx_graphdef_mlir::tensors::integers;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::{Block, Op, Region, Value};

use super::emit::bytes;
use crate::pipeline::MOST_ITERATIONS;
use crate::places::Places;
use crate::times::{DEVICE, ITERATIONS, Times};

/// The largest depth of loops and branches of a schedule. The algorithms for schedules recurse on
/// it, and check an inner loop in each iteration of the outer one. A deeper one is one kernel.
const MAX_DEPTH: usize = 4;

/// The longest time of an iteration that runs ahead, in nanoseconds on the device. One of them runs
/// in vain, and each other one saves a wait of the host, of 10 us or more.
const MOST_AHEAD: u64 = 100_000;

/// The number of iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trips {
    Known(u64),
    /// Decided in each iteration by what the host computes.
    Host,
    /// Decided in each iteration by what the device computes: the host waits for it.
    Device,
    /// Decided in the same way, but the host issues the next iteration before it waits.
    Ahead,
}

impl Trips {
    /// Returns the number that is assumed for times.
    pub(super) fn expected(self) -> u64 {
        match self {
            Self::Known(iterations) => iterations,
            Self::Host | Self::Device | Self::Ahead => ITERATIONS,
        }
    }
}

/// A loop that becomes one of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stages {
    pub(super) trips: Trips,
    /// Set for a loop over several places, whose iterations overlap.
    pub(super) is_pipeline: bool,
}

/// An operation that becomes control flow of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    Loop(Stages),
    Branch,
}

/// Returns the loops and branches that become those of schedules. `spread` has the operations with
/// copies inside.
///
/// # Errors
///
/// The places of the copies of a block contradict each other.
pub(super) fn find<'a>(
    module: Op<'a>,
    analysis: &Analysis<'a>,
    spread: &HashSet<Op<'a>>,
    explain: bool,
) -> Result<HashMap<Op<'a>, Control>, Diagnostic<'a>> {
    let mut found = HashMap::new();
    let times = LazyCell::new(|| Times::of_module(analysis, DEVICE));
    let graphs = module.children().filter(|graph| {
        let is_done = |name| graph.attribute(name).is_some();
        spread.contains(graph) && !is_done(SCHEDULE) && !is_done(KERNEL)
    });
    for graph in graphs {
        let captures = Captures::of_graph(graph);
        let outer = graph.walk().filter(|op| spread.contains(op));
        // Of a pipeline, the body is straight code.
        for op in outer.collect::<Vec<_>>() {
            if let Some(repeated) = While::cast(op)
                && analysis.compiles(op)
            {
                match pipeline(repeated, spread) {
                    Ok(Some(iterations)) => {
                        let stages = Stages {
                            trips: Trips::Known(iterations),
                            is_pipeline: true,
                        };
                        found.insert(op, Control::Loop(stages));
                        continue;
                    }
                    Err(reason) if explain => {
                        let message = format!("this loop is no pipeline: {reason}");
                        diag::remark(op.location(), message).emit();
                    }
                    Ok(None) | Err(_) => {}
                }
            }
            for block in op.regions().filter_map(|region| region.entry()) {
                if block.ops().any(|op| op.isa::<Copy>()) {
                    let mut places = Places::of_block(block, &captures, spread)?;
                    let whole = block.ops().filter(|op| op.isa::<While>() || op.isa::<If>());
                    let whole = whole.filter(|op| !spread.contains(op) && analysis.compiles(*op));
                    for op in whole {
                        let place = places.of(op);
                        if place.is_some_and(|place| place.device.is_accelerator()) {
                            add_nested(op, &times, &mut found);
                        }
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Returns the number of iterations of a loop with copies directly in its body, or the reason why
/// it is no pipeline.
fn pipeline<'a>(repeated: While<'a>, spread: &HashSet<Op<'a>>) -> Result<Option<u64>, String> {
    let has_copies = |block: Block<'a>| block.ops().any(|op| op.isa::<Copy>());
    let Some((condition, body)) = blocks(repeated).filter(|(_, body)| has_copies(*body)) else {
        return Ok(None);
    };
    let mut inside = condition.ops().chain(body.ops());
    if inside.any(|op| spread.contains(&op)) {
        return Err("copies are in a loop or a branch inside of it".to_owned());
    }
    if has_copies(condition) {
        return Err("its condition has copies".to_owned());
    }
    if !has_same_types(repeated, body) {
        return Err("the tensors that it passes on have no known sizes".to_owned());
    }
    match trip_count(repeated, condition, body) {
        None => Err("its number of iterations is not known".to_owned()),
        Some(count) if count > MOST_ITERATIONS as u64 => Err(format!(
            "it has {count} iterations, and a pipeline has at most {MOST_ITERATIONS}; put it into \
             another loop"
        )),
        count => Ok(count),
    }
}

/// Adds a loop or branch at one place, and those inside.
fn add_nested<'a>(op: Op<'a>, times: &Times<'a>, found: &mut HashMap<Op<'a>, Control>) {
    let mut level = vec![op];
    for _ in 0..MAX_DEPTH {
        let mut next = Vec::new();
        for op in level {
            if let Some(repeated) = While::cast(op).filter(|repeated| is_loop(*repeated)) {
                let trips = match known_trips(repeated) {
                    Some(iterations) => Trips::Known(iterations),
                    None if may_run_ahead(repeated, times) => Trips::Ahead,
                    None => Trips::Device,
                };
                let stages = Stages {
                    trips,
                    is_pipeline: false,
                };
                found.insert(op, Control::Loop(stages));
                let body = repeated.body_region().entry();
                next.extend(body.into_iter().flat_map(|body| body.ops()));
            } else if If::cast(op).is_some_and(is_branch) {
                found.insert(op, Control::Branch);
                let arms = op.regions().flat_map(Region::blocks);
                next.extend(arms.flat_map(|arm| arm.ops()));
            }
        }
        level = next;
    }
}

/// Returns whether an iteration of a loop that the device decides may run although the loop has
/// ended: if all of its operations have code for the device, none can fail; if it has no loop that
/// the device or the host decides, it ends; and it takes little time.
fn may_run_ahead<'a>(repeated: While<'a>, times: &Times<'a>) -> bool {
    if times.of(repeated.op()) / ITERATIONS > MOST_AHEAD {
        return false;
    }
    let mut inside = repeated.op().walk().skip(1);
    inside.all(|op| match While::cast(op) {
        Some(inner) => is_loop(inner) && known_trips(inner).is_some(),
        None => {
            let is_plain = op.isa::<tensor::Const>() || op.isa::<If>() || op.is_terminator();
            is_plain || op.attribute(HAS_CODE).is_some()
        }
    })
}

/// Returns whether a branch at an accelerator can be one of the schedule.
pub(crate) fn is_branch(branch: If<'_>) -> bool {
    let mut results = branch.op().results();
    results.all(|result| bytes(result.ty()).is_some())
}

/// Returns whether a loop at an accelerator can be one of the schedule.
pub(crate) fn is_loop(repeated: While<'_>) -> bool {
    let body = blocks(repeated).map(|(_, body)| body);
    body.is_some_and(|body| has_same_types(repeated, body))
}

/// Returns the number of iterations of a loop that counts up to a constant.
pub(crate) fn known_trips(repeated: While<'_>) -> Option<u64> {
    let (condition, body) = blocks(repeated)?;
    trip_count(repeated, condition, body)
}

/// Returns the operations of a region of a loop of stages: kernels and copies.
pub(super) fn operations(region: Region<'_>) -> Vec<Op<'_>> {
    let ops = region.entry().into_iter().flat_map(|block| block.ops());
    ops.filter(|op| !op.isa::<tensor::Const>() && !op.is_terminator())
        .collect()
}

/// Returns the condition and the body of a loop.
pub(super) fn blocks(repeated: While<'_>) -> Option<(Block<'_>, Block<'_>)> {
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

/// Returns the number of iterations of a loop with these blocks.
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
