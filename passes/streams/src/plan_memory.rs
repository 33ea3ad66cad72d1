//! `tfx-plan-memory`: gives each allocated buffer a place in an arena.
//!
//! ```text
//!   %a = alloc on %s                        %arena = arena : arena<128, cuda>
//!   launch %s @one(%a write)                %a = slice %arena[0, 128] on %s
//!   free %a on %s                    ──►    launch %s @one(%a write)
//!   %b = alloc on %s                        free %a on %s
//!   launch %s @two(%b write)                %b = slice %arena[0, 64] on %s
//!   free %b on %s                           ...
//! ```
//!
//! Two buffers share bytes if one is released before the other is allocated, in every execution:
//! the order of streams and events decides, for which `tfx-insert-events` runs before. Each `alloc`
//! becomes a `slice` at the same point of the same stream, and its `free` stays. A schedule, or a
//! part, has one arena for each memory space.
//!
//! [`tfx_order::lifetimes()`] finds the lifetimes, and `tfx-memory` plans the offsets: it stops at
//! its lower bound, the heaviest set of buffers of which no two may share bytes. The buffers of a
//! loop or branch are planned first, and count outside as one. A remark has the size, the bound and
//! the gap.
//!
//! Cost: that of `tfx-insert-events` and of the planner, which is near linear up to a limit of
//! conflicts and a budget of visits.
//!
//! Not guaranteed: the least size, if the remark shows a gap; nor is the order of the commands
//! changed for a smaller one. A buffer that leaves the body of a loop or branch in which it is
//! allocated, or is allocated in the condition of an `scf.while`, stays an `alloc`, with a remark.

use melior::dialect::DialectRegistry;
use melior::ir::Type;
use rustc_hash::FxHashSet;
use tfx_dialects::schedules::{Memory, ScheduleType, Space};
use tfx_dialects::stream::{Alloc, Arena, Schedule, Slice};
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Builder, Op};

use crate::feed::{Fed, feed};
use crate::parts::{CallGraph, Program};

tfx_ir::options! {
    /// The options of `tfx-plan-memory`.
    pub struct PlanMemoryOptions {
        /// The alignment of all offsets in bytes, a power of two.
        alignment: u64 = 256,
        /// Report the size of each arena, with its lower bound.
        print_plan: bool = false,
    }
}

/// The pass `tfx-plan-memory`.
#[derive(Debug, Default)]
pub struct PlanMemory;

const BUFFERS: Statistic = Statistic::new("buffers", "Buffers with a place in an arena");
const BYTES: Statistic = Statistic::new("bytes", "Bytes of all arenas");
const BOUND: Statistic = Statistic::new("bound", "Lower bound of the bytes of all arenas");
const UNPLANNED: Statistic = Statistic::new("unplanned", "Bytes of the buffers if none shared any");

impl Pass for PlanMemory {
    type Options = PlanMemoryOptions;
    const NAME: &'static str = "TfxPlanMemory";
    const ARGUMENT: &'static str = "tfx-plan-memory";
    const DESCRIPTION: &'static str = "Give allocated buffers places in arenas, so that those that are not live together share bytes";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[BUFFERS, BYTES, BOUND, UNPLANNED];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, PlanMemoryOptions>) -> PassResult {
        let alignment = cx.options().alignment;
        if !alignment.is_power_of_two() {
            let message = format!("expected a power of two as alignment, got {alignment}");
            Err(diag::error(module.location(), message))?;
        }
        for program in CallGraph::of(module).programs()? {
            let fed = feed(&program)?;
            plan_program(&program, &fed, cx)?;
        }
        Ok(())
    }
}

fn plan_program<'a>(
    program: &Program<'a>,
    fed: &Fed<'a>,
    cx: &PassContext<'a, PlanMemoryOptions>,
) -> Result<(), Diagnostics<'a>> {
    let places = &fed.schedule.places;
    let failed =
        |op: Op<'a>, message: String| Diagnostics::from_iter([diag::error(op.location(), message)]);
    let (levels, left) = tfx_order::lifetimes(&fed.schedule).map_err(|error| {
        let tfx_order::Error::Ring(command) = error;
        failed(places[command.0 as usize], error.to_string())
    })?;
    for command in left {
        let op = places[command.0 as usize];
        if allocated(op).is_some() {
            let message = "this buffer leaves the body in which it is allocated, so it gets no \
                           place in an arena";
            diag::remark(op.location(), message).emit();
        }
    }
    // The condition of an scf.while is fed twice, before the loop and in its body.
    let (mut fed_ops, mut twice) = (FxHashSet::default(), FxHashSet::default());
    for op in places.iter().filter(|op| allocated(**op).is_some()) {
        if !fed_ops.insert(*op) && twice.insert(*op) {
            let message = "this buffer is allocated in the condition of a loop, so it gets no \
                           place in an arena";
            diag::remark(op.location(), message).emit();
        }
    }
    let memory = |command: tfx_schedule::CommandId| {
        let op = places[command.0 as usize];
        let memory = allocated(op).filter(|_| !twice.contains(&op))?;
        Some((memory.space, memory.size))
    };
    let arenas = tfx_order::arenas(&levels, cx.options().alignment, memory)
        .map_err(|error| failed(program.parts[error.part.0 as usize].op(), error.to_string()))?;
    for arena in arenas {
        let part = program.parts[arena.part.0 as usize];
        cx.count(BYTES, arena.size);
        cx.count(BOUND, arena.bound);
        if cx.options().print_plan {
            let message = format!("arena in {}: {}", keyword(arena.space), arena.text);
            diag::remark(part.location(), message).emit();
        }
        place(part, &arena, fed, cx);
    }
    Ok(())
}

/// Replaces allocations by slices of an arena.
fn place<'a>(
    part: Schedule<'a>,
    plan: &tfx_order::Arena<Space>,
    fed: &Fed<'a>,
    cx: &PassContext<'a, PlanMemoryOptions>,
) {
    let text = format!("!tfx_stream.arena<{}, {}>", plan.size, keyword(plan.space));
    let (Some(body), Some(ty)) = (part.body().entry(), Type::parse(cx.context(), &text)) else {
        return;
    };
    let mut builder = Builder::at_start(body, part.location());
    let arena = Arena::build(&mut builder, ty).arena();
    for &(command, offset) in &plan.offsets {
        let op = fed.schedule.places[command.0 as usize];
        let (Some(alloc), Some(memory)) = (Alloc::cast(op), allocated(op)) else {
            continue;
        };
        let stream = alloc.stream();
        let mut builder = Builder::before(op);
        let slice = Slice::build(
            &mut builder,
            arena,
            stream,
            offset as i64,
            memory.size as i64,
        );
        op.replace_with(&[slice.buffer()]);
        cx.count(BUFFERS, 1);
        cx.count(UNPLANNED, memory.size);
    }
}

/// Returns the memory that an operation allocates; none if it is a slice already.
fn allocated(op: Op<'_>) -> Option<Memory> {
    match ScheduleType::of(Alloc::cast(op)?.buffer().ty())? {
        ScheduleType::Buffer(memory) => Some(memory),
        _ => None,
    }
}

/// Returns the form of a memory space in types.
fn keyword(space: Space) -> String {
    match space {
        Space::Host => "host".to_string(),
        Space::Pinned => "pinned".to_string(),
        Space::Cuda(0) => "cuda".to_string(),
        Space::Cuda(number) => format!("cuda:{number}"),
    }
}
