//! `tfx-verify-memory`: proves that slices with common bytes are not live together.
//!
//! ```text
//!   %a = slice %arena[0, 64]  on %s
//!   %b = slice %arena[32, 64] on %t        error, unless %a is released before, in every execution
//! ```
//!
//! The pass takes the offsets as they are, and compares the lifetimes of slices that follow each
//! other in common bytes of an arena: one must be released before the other is allocated, by the
//! order of streams and events, or the two are in different arms of a branch. It finds the
//! lifetimes as `tfx-plan-memory` does, and shares no code with the planner; `tfx-verify-schedule`
//! proves the same from the accesses, and shares no code with either. Offsets that are not
//! multiples of the alignment are errors, too.
//!
//! Cost: O(N log N) for N slices.
//!
//! Not guaranteed: that commands access only slices that are live, and that each slice starts
//! before it is released, which `tfx-verify-schedule` decides.

use std::collections::BTreeMap;

use melior::dialect::DialectRegistry;
use tfx_dialects::stream::Slice;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Op, Value};
use tfx_order::{Level, Member, Of};

use crate::feed::{Fed, feed};
use crate::parts::CallGraph;

tfx_ir::options! {
    /// The options of `tfx-verify-memory`.
    pub struct VerifyMemoryOptions {
        /// The alignment of all offsets in bytes.
        alignment: u64 = 1,
    }
}

/// The pass `tfx-verify-memory`.
#[derive(Debug, Default)]
pub struct VerifyMemory;

const SLICES: Statistic = Statistic::new("slices", "Verified slices");
const PAIRS: Statistic = Statistic::new(
    "pairs",
    "Pairs of slices that follow each other in common bytes",
);

impl Pass for VerifyMemory {
    type Options = VerifyMemoryOptions;
    const NAME: &'static str = "TfxVerifyMemory";
    const ARGUMENT: &'static str = "tfx-verify-memory";
    const DESCRIPTION: &'static str =
        "Verify that slices of arenas with common bytes are not live together";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[SLICES, PAIRS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, VerifyMemoryOptions>) -> PassResult {
        let mut errors = Diagnostics::default();
        for program in CallGraph::of(module).programs()? {
            let fed = feed(&program)?;
            let (levels, left) = tfx_order::lifetimes(&fed.schedule).map_err(|error| {
                let tfx_order::Error::Ring(command) = error;
                let op = fed.schedule.places[command.0 as usize];
                diag::error(op.location(), error.to_string())
            })?;
            for command in left {
                let op = fed.schedule.places[command.0 as usize];
                if Slice::cast(op).is_some() {
                    let message = "this slice leaves the body in which it starts, so that the next \
                                   iteration may start it again";
                    let note = "release it by tfx_stream.free at the end of the body";
                    errors.push(diag::error(op.location(), message).note(op.location(), note));
                }
            }
            let arenas = Tree::new(&levels).arenas(&fed);
            for slices in arenas.values() {
                cx.count(SLICES, slices.len() as u64);
                cx.count(PAIRS, verify(slices, cx.options().alignment, &mut errors));
            }
        }
        errors.finish()?;
        Ok(())
    }
}

/// A slice of an arena.
struct Found<'t, 'a> {
    op: Slice<'a>,
    /// The command, in the order of issue.
    command: tfx_schedule::CommandId,
    /// The members that contain it, the outermost first, with their levels and the alternatives of
    /// branches; the last is the slice itself.
    path: Vec<Step<'t>>,
}

#[derive(Clone, Copy)]
struct Step<'t> {
    level: usize,
    member: &'t Member,
}

impl Found<'_, '_> {
    fn bytes(&self) -> (u64, u64) {
        let (offset, size) = (self.op.offset() as u64, self.op.size() as u64);
        (offset, offset.saturating_add(size))
    }
}

struct Tree<'t> {
    levels: &'t [Level],
}

impl<'t> Tree<'t> {
    fn new(levels: &'t [Level]) -> Self {
        Self { levels }
    }

    /// Returns the slices of each arena, in the order of their locations in the schedule.
    fn arenas<'a>(&self, fed: &Fed<'a>) -> BTreeMap<usize, Vec<Found<'t, 'a>>> {
        let mut arenas: Vec<Value<'a>> = Vec::new();
        let mut slices: BTreeMap<usize, Vec<Found<'t, 'a>>> = BTreeMap::new();
        for (index, level) in self.levels.iter().enumerate() {
            if !level.is_outermost {
                continue;
            }
            let mut pending: Vec<(usize, Vec<Step<'t>>)> = vec![(index, Vec::new())];
            while let Some((level, path)) = pending.pop() {
                for member in &self.levels[level].members {
                    let mut path = path.clone();
                    path.push(Step { level, member });
                    match &member.of {
                        Of::Levels(inside) => {
                            pending.extend(inside.iter().map(|level| (*level, path.clone())));
                        }
                        Of::Buffer(command) => {
                            let op = fed.schedule.places[command.0 as usize];
                            let Some(op) = Slice::cast(op) else {
                                continue;
                            };
                            let known = arenas.iter().position(|arena| *arena == op.arena());
                            let arena = known.unwrap_or_else(|| {
                                arenas.push(op.arena());
                                arenas.len() - 1
                            });
                            let command = *command;
                            let found = Found { op, command, path };
                            slices.entry(arena).or_default().push(found);
                        }
                    }
                }
            }
        }
        slices
    }
}

/// Verifies the slices of an arena, and returns the number of pairs that were compared.
///
/// The slices are visited in the order of issue. Each one is compared with the last slices of its
/// bytes: that earlier ones are released before those is known by then.
fn verify<'a>(slices: &[Found<'_, 'a>], alignment: u64, errors: &mut Diagnostics<'a>) -> u64 {
    let mut order: Vec<&Found<'_, 'a>> = slices.iter().collect();
    order.sort_by_key(|slice| slice.command);
    let mut pairs = 0;
    // The last slice of each range of bytes: from its start, to its end.
    let mut last: BTreeMap<u64, (u64, &Found<'_, 'a>)> = BTreeMap::new();
    for slice in order {
        let (start, end) = slice.bytes();
        if alignment > 1 && start % alignment != 0 {
            let message =
                format!("expected an offset that is a multiple of {alignment}, got {start}");
            errors.push(diag::error(slice.op.location(), message));
        }
        for at in [start, end] {
            if let Some((_, range)) = last.range_mut(..at).next_back()
                && range.0 > at
            {
                let upper = *range;
                range.0 = at;
                last.insert(at, upper);
            }
        }
        let covered: Vec<u64> = last.range(start..end).map(|(from, _)| *from).collect();
        let mut compared: Vec<tfx_schedule::CommandId> = Vec::new();
        for from in covered {
            let Some((to, other)) = last.remove(&from) else {
                continue;
            };
            if compared.contains(&other.command) {
                continue;
            }
            compared.push(other.command);
            pairs += 1;
            if !is_apart(slice, other) {
                errors.push(overlap(slice.op, other.op, from, to));
            }
        }
        last.insert(start, (end, slice));
    }
    pairs
}

/// Returns whether two slices are never live together.
fn is_apart(one: &Found<'_, '_>, two: &Found<'_, '_>) -> bool {
    let mut is_overlapping = false;
    for (first, second) in one.path.iter().zip(&two.path) {
        if first.level != second.level {
            // Different arms of the branch that contains both.
            return !is_overlapping;
        }
        is_overlapping = first.member.is_overlapping();
        if !std::ptr::eq(first.member, second.member) {
            let precedes = |before: &Member, after: &Member| {
                before
                    .last
                    .iter()
                    .zip(&after.before)
                    .all(|(last, before)| last <= before)
            };
            return precedes(first.member, second.member) || precedes(second.member, first.member);
        }
    }
    false
}

fn overlap<'a>(one: Slice<'a>, two: Slice<'a>, start: u64, end: u64) -> Diagnostic<'a> {
    let message = format!(
        "this slice has bytes {start}..{end} of its arena while another one has them, which is not \
         released before"
    );
    diag::error(one.location(), message).note(
        two.location(),
        "this is the other one; let the stream of the later one wait for its release",
    )
}
