//! `tfx-overlap`: gives the buffers of a loop several places, so that its iterations overlap.
//!
//! ```text
//!   %a = alloc                            %a = alloc
//!   for {                                 %b = alloc
//!     %x = copy %t %batch to %a           for iter_args(%now = %a, %next = %b) {
//!     launch %s @step(%a read as %x)        %x = copy %t %batch to %now
//!   }                              ──►      launch %s @step(%now read as %x)
//!   free %a                                 yield %next, %now
//!                                         }
//!                                         free %a, free %b
//! ```
//!
//! With one buffer, the copy of an iteration waits for the kernel of the one before. With a *ring*
//! of two, it waits for the kernel two iterations before, and runs at the same time as that of the
//! one before: double buffering. Nothing is unrolled. `tfx-insert-events` finds the events, which
//! become iteration arguments.
//!
//! A buffer gets a ring if each iteration writes all of it before it reads it, commands of several
//! streams use it, and nothing outside of the loop does, except its `alloc` and its `free`. An
//! `alloc` in the body, with its `free`, is moved out of the loop first.
//!
//! Loops are rewritten from the inside out. Cost: linear in the uses of the buffers.
//!
//! Not guaranteed: that the iterations take less time. A ring takes more memory, and helps if the
//! streams of a loop are busy for different parts of an iteration.

use melior::dialect::DialectRegistry;
use rustc_hash::FxHashSet;
use tfx_dialects::schedules::{self, Mode, ScheduleType};
use tfx_dialects::stream::{Alloc, Free, Schedule, StreamOp};
use tfx_ir::diag;
use tfx_ir::ops::scf;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Block, Builder, Op, Value};

use crate::iteration;
use crate::names::is_stream;
use crate::parts::schedules as schedules_of;

tfx_ir::options! {
    /// The options of `tfx-overlap`.
    pub struct OverlapOptions {
        /// The number of buffers of a ring, from 2 on.
        buffers: u64 = 2,
        /// Report each ring, and each buffer of several streams in a loop that gets none, with the
        /// reason.
        explain: bool = false,
    }
}

/// The largest ring: `tfx-insert-events` and `tfx-verify-schedule` follow buffers for 256
/// iterations.
const MOST_BUFFERS: u64 = 256;

const RINGS: Statistic = Statistic::new("rings", "Buffers that became rings");

/// The pass `tfx-overlap`.
#[derive(Debug, Default)]
pub struct Overlap;

impl Pass for Overlap {
    type Options = OverlapOptions;
    const NAME: &'static str = "TfxOverlap";
    const ARGUMENT: &'static str = "tfx-overlap";
    const DESCRIPTION: &'static str =
        "Give buffers of loops several places, so that iterations overlap";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[RINGS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, OverlapOptions>) -> PassResult {
        let buffers = cx.options().buffers;
        if !(2..=MOST_BUFFERS).contains(&buffers) {
            let message = format!("expected 2 to {MOST_BUFFERS} buffers, got {buffers}");
            Err(diag::error(module.location(), message))?;
        }
        for schedule in schedules_of(module) {
            overlap(schedule, cx);
        }
        Ok(())
    }
}

fn overlap<'a>(schedule: Schedule<'a>, cx: &PassContext<'a, OverlapOptions>) {
    let loops = schedule.op().walk_post().filter_map(scf::For::cast);
    for repeated in loops.collect::<Vec<_>>() {
        let Some(body) = repeated.region().entry() else {
            continue;
        };
        let mut rings = Vec::new();
        for buffer in buffers_of(body) {
            match candidate(repeated, body, buffer) {
                Candidate::Ring(free) => rings.push((buffer, free)),
                Candidate::OneStream => {}
                Candidate::Not(reason) if cx.options().explain => {
                    let message = format!("iterations do not overlap in this buffer: {reason}");
                    diag::remark(place_of(buffer), message).emit();
                }
                Candidate::Not(_) => {}
            }
        }
        if !rings.is_empty() {
            rotate(repeated, body, &rings, cx);
        }
    }
}

/// Returns the location where a buffer is allocated.
fn place_of(buffer: Value<'_>) -> melior::ir::Location<'_> {
    buffer
        .defining_op()
        .map_or(buffer.location(), |op| op.location())
}

/// Returns the buffers that the commands of a body use, in the order of their first uses.
fn buffers_of(body: Block<'_>) -> Vec<Value<'_>> {
    let mut known = FxHashSet::default();
    let operands = body.ops().flat_map(|op| op.operands());
    let is_buffer =
        |value: &Value<'_>| matches!(ScheduleType::of(value.ty()), Some(ScheduleType::Buffer(_)));
    operands
        .filter(|value| is_buffer(value) && known.insert(*value))
        .collect()
}

/// The decision about a buffer.
enum Candidate<'a> {
    /// Yes; its `free`, if it has one.
    Ring(Option<Free<'a>>),
    /// It is used on one stream only.
    OneStream,
    /// No, for this reason.
    Not(&'static str),
}

fn candidate<'a>(repeated: scf::For<'a>, body: Block<'a>, buffer: Value<'a>) -> Candidate<'a> {
    let alloc = buffer.defining_op().and_then(Alloc::cast);
    let (mut free, mut first, mut streams) = (None, None::<Op<'a>>, FxHashSet::default());
    let mut elsewhere = None;
    for found in buffer.uses() {
        let op = found.owner;
        if let Some(release) = Free::cast(op) {
            if free.replace(release).is_some() {
                elsewhere = Some("it is released in several places");
            }
        } else if op.block() != Some(body) {
            elsewhere = Some("it is used outside of the loop, or in another body inside of it");
        } else if let Some(command) = StreamOp::cast(op) {
            if schedules::accesses(command).is_empty() {
                elsewhere = Some("it is passed on, as a view or to a part");
            }
            streams.extend(op.operands().filter(|value| is_stream(*value)));
            if first.is_none_or(|first| op.is_before(first)) {
                first = Some(op);
            }
        } else {
            elsewhere = Some("it is passed on to other iterations");
        }
    }
    if streams.len() < 2 {
        return Candidate::OneStream;
    }
    let Some(alloc) = alloc else {
        return Candidate::Not("it is not allocated in this schedule");
    };
    if let Some(reason) = elsewhere {
        return Candidate::Not(reason);
    }
    let accesses = first
        .and_then(StreamOp::cast)
        .map_or(Vec::new(), schedules::accesses);
    let mut own = accesses.iter().filter(|access| access.buffer == buffer);
    let is_written = own.next().is_some_and(|access| access.mode == Mode::Write);
    if !is_written || own.next().is_some() {
        return Candidate::Not("an iteration does not write all of it first");
    }
    let is_inside = |op: Op<'a>| op.block() == Some(body);
    let is_after = |op: Op<'a>| op.block() == repeated.op().block() && repeated.op().is_before(op);
    match free {
        Some(free) if is_inside(alloc.op()) && !is_inside(free.op()) => {
            Candidate::Not("it is allocated in each iteration, and released elsewhere")
        }
        None if is_inside(alloc.op()) => {
            Candidate::Not("it is allocated in each iteration, and never released")
        }
        Some(free) if !is_inside(alloc.op()) && !is_after(free.op()) => {
            Candidate::Not("it is not released after the loop")
        }
        free => Candidate::Ring(free),
    }
}

/// Makes rings of buffers, and rotates them at the end of the body.
fn rotate<'a>(
    repeated: scf::For<'a>,
    body: Block<'a>,
    rings: &[(Value<'a>, Option<Free<'a>>)],
    cx: &PassContext<'a, OverlapOptions>,
) {
    let count = cx.options().buffers;
    let mut added = Vec::new();
    let mut releases = Vec::new();
    for (buffer, free) in rings {
        let Some(alloc) = buffer.defining_op().and_then(Alloc::cast) else {
            continue;
        };
        if alloc.op().block() == Some(body) {
            alloc.op().move_before(repeated.op());
        }
        let mut builder = Builder::after(alloc.op()).at(alloc.location());
        let more = (1..count).map(|_| Alloc::build(&mut builder, buffer.ty(), alloc.stream()));
        let ring: Vec<Value<'a>> = std::iter::once(*buffer)
            .chain(more.map(|alloc| alloc.buffer()).collect::<Vec<_>>())
            .collect();
        if let Some(free) = free {
            releases.push((*free, ring.clone()));
        }
        let places: Vec<Value<'a>> = ring
            .iter()
            .map(|buffer| body.add_argument(buffer.ty(), buffer.location()))
            .collect();
        buffer.replace_uses_if(places[0], |found| {
            found.owner.block() == Some(body) && !found.owner.isa::<Free<'a>>()
        });
        let next = places[1..].iter().chain(&places[..1]).copied();
        added.extend(ring.into_iter().zip(next));
        cx.count(RINGS, 1);
        if cx.options().explain {
            let message = format!("iterations overlap in a ring of {count} of these buffers");
            diag::remark(alloc.location(), message).emit();
        }
    }
    let new = iteration::extend(repeated, &added);
    for (free, ring) in releases {
        if free.op().block() == Some(body) {
            let next = new.op().next().expect("a loop is followed by a terminator");
            free.op().move_before(next);
        }
        let mut builder = Builder::after(free.op()).at(free.location());
        for buffer in &ring[1..] {
            Free::build(&mut builder, *buffer, free.stream());
        }
    }
}
