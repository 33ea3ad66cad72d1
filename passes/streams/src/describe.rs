//! Finished schedules as data, for reports.
//!
//! ```text
//!   schedule ─┬─ its commands ──────────────► kernels, copies, waits
//!             ├─ lifetimes, planned again ──► arenas with their lower bounds
//!             └─ tfx_order::simulate ───────► boxes, arrows, bytes over time
//! ```
//!
//! A report shows the schedules that the native executor runs. [`describe()`] reads them from the
//! IR, where `tfx-lower-streams` leaves them: nothing changes, and no code is emitted. Names of
//! devices, memory spaces and commands are text.
//!
//! The IR has the size of an arena, but not the lower bound of the planner, so that the buffers are
//! planned again. The times are those of `tfx-simulate-streams`, with the same assumptions.
//!
//! Cost: that of `tfx-plan-memory` and `tfx-simulate-streams`.
//!
//! Not guaranteed: the time on a device, see [`crate::simulate_streams`].

use std::collections::BTreeMap;

use tfx_dialects::schedules::{Memory, ScheduleType, Space};
use tfx_dialects::stream::{Arena, Copy, Slice, StreamOp};
use tfx_ir::Op;
use tfx_ir::diag::Diagnostics;
use tfx_ir::location::{self, Place};
pub use tfx_order::{Arrow, SimulationError};
use tfx_schedule::CommandId;
pub use tfx_schedule::StreamId;

use crate::feed::{Fed, feed};
use crate::parts::{CallGraph, Program};
use crate::plan_memory::PlanMemoryOptions;
use crate::simulate_streams::trace::command_name;
use crate::simulate_streams::{SimulateStreamsOptions, Simulated, device_name, devices, simulated};

/// A finished schedule.
#[derive(Clone, Debug)]
pub struct Description {
    /// The symbol.
    pub name: String,
    /// The place of the part of the graph that it executes.
    pub place: Option<Place>,
    /// The number of its commands. Those in loops and called parts count once.
    pub counts: Counts,
    /// The devices of its streams, such as `cpu` or `cuda:1`.
    pub streams: Vec<String>,
    /// Its arenas, and those of the parts that it calls.
    pub arenas: Vec<ArenaSize>,
    /// Its execution on devices with a virtual clock.
    pub simulation: Result<Simulation, SimulationError>,
}

/// Numbers of commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Launches of kernels, and calls of functions of the host.
    pub kernels: usize,
    /// Copies between buffers.
    pub copies: usize,
    /// Records of events.
    pub records: usize,
    /// Waits of streams and of the host, each for one or several events.
    pub waits: usize,
}

/// The size of an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaSize {
    /// The memory space, such as `host` or `cuda:1`.
    pub space: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The lower bound that the planner finds; none if it cannot plan the buffers again.
    pub bound: Option<u64>,
}

/// The result of a simulation. All times are in nanoseconds, from the start of the schedule.
#[derive(Clone, Debug, Default)]
pub struct Simulation {
    /// The time until the host and all streams have ended.
    pub time: u64,
    /// The time in which the host issues commands, or executes its own.
    pub host: u64,
    /// The time in which the host issues one command.
    pub launch: u64,
    /// The devices, and the time in which each is busy.
    pub devices: Vec<(String, u64)>,
    /// The links of copies: from, to, and the time in which each is in use.
    pub links: Vec<(String, String, u64)>,
    /// The largest number of live bytes of each memory space.
    pub memory: Vec<(String, u64)>,
    /// The iterations and branches that are assumed; empty if all are known.
    pub assumed: String,
    /// The executed commands, in the order of issue.
    pub commands: Vec<Executed>,
    /// The events between streams.
    pub arrows: Vec<Arrow>,
    /// The bytes of live buffers of each memory space over time.
    pub usage: Vec<SpaceUsage>,
}

/// The bytes of live buffers of a memory space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpaceUsage {
    /// The name of the space.
    pub space: String,
    /// The times of changes, in their order, each with the bytes from then on.
    pub changes: Vec<(u64, u64)>,
}

/// An executed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// Its kernel or function, or `copy` or `fill`.
    pub name: String,
    /// Set for a copy.
    pub is_copy: bool,
    /// Its source location.
    pub place: Option<Place>,
    /// Its stream; none for the host.
    pub stream: Option<StreamId>,
    /// The time at which the host has issued it.
    pub issued: u64,
    /// Its start.
    pub start: u64,
    /// Its end.
    pub end: u64,
}

/// Describes the public schedules of a module, in their order. The times are those of a simulation
/// with `options`.
///
/// # Errors
///
/// A schedule calls itself, or has operations that the checker does not know.
pub fn describe<'a>(
    module: Op<'a>,
    options: &SimulateStreamsOptions,
) -> Result<Vec<Description>, Diagnostics<'a>> {
    let mut all = Vec::new();
    for program in CallGraph::of(module).programs()? {
        if let Some(entry) = program.parts.last().filter(|_| program.has_entry) {
            let fed = feed(&program)?;
            let arenas = arenas(&program, &fed);
            let streams = streams(&fed);
            let simulation = match simulated(fed, options) {
                Ok(simulated) => Ok(simulation(&simulated, options)),
                Err((_, error)) => Err(error),
            };
            all.push(Description {
                name: entry.sym_name().to_owned(),
                place: location::place(entry.location()),
                counts: counts(&program),
                streams,
                arenas,
                simulation,
            });
        }
    }
    Ok(all)
}

/// Returns the devices of the streams of the entry part.
fn streams(fed: &Fed<'_>) -> Vec<String> {
    let devices = devices(fed);
    let entry = fed.schedule.parts.last();
    let streams = entry.into_iter().flat_map(|entry| &entry.streams);
    streams
        .map(|stream| device_name(&devices, stream.device))
        .collect()
}

fn counts(program: &Program<'_>) -> Counts {
    let mut counts = Counts::default();
    let ops = program.parts.iter().flat_map(|part| part.walk());
    for op in ops.filter_map(StreamOp::cast) {
        let number = match op {
            StreamOp::Launch(_) | StreamOp::Host(_) => &mut counts.kernels,
            StreamOp::Copy(_) => &mut counts.copies,
            StreamOp::Record(_) => &mut counts.records,
            StreamOp::Wait(_) | StreamOp::HostWait(_) => &mut counts.waits,
            _ => continue,
        };
        *number += 1;
    }
    counts
}

/// Returns the arenas of the parts.
fn arenas(program: &Program<'_>, fed: &Fed<'_>) -> Vec<ArenaSize> {
    let bounds = bounds(fed).unwrap_or_default();
    let mut all = Vec::new();
    for (part, schedule) in (0..).zip(&program.parts) {
        for arena in schedule.walk().filter_map(Arena::cast) {
            if let Some(ScheduleType::Arena(memory)) = ScheduleType::of(arena.arena().ty()) {
                all.push(ArenaSize {
                    space: memory.space.to_string(),
                    bytes: memory.size,
                    bound: bounds.get(&(part, memory.space)).copied(),
                });
            }
        }
    }
    all
}

/// Plans the buffers again, and returns the lower bound for each part and memory space; none if
/// they cannot be planned.
fn bounds(fed: &Fed<'_>) -> Option<BTreeMap<(u32, Space), u64>> {
    let (levels, _) = tfx_order::lifetimes(&fed.schedule).ok()?;
    let alignment = PlanMemoryOptions::default().alignment;
    let memory = |command: CommandId| {
        let memory = placed(fed.schedule.places[command.0 as usize])?;
        Some((memory.space, memory.size))
    };
    let arenas = tfx_order::arenas(&levels, alignment, memory).ok()?;
    let arenas = arenas.into_iter();
    Some(
        arenas
            .map(|arena| ((arena.part.0, arena.space), arena.bound))
            .collect(),
    )
}

/// Returns the memory of a slice of an arena.
fn placed(op: Op<'_>) -> Option<Memory> {
    match ScheduleType::of(Slice::cast(op)?.buffer().ty())? {
        ScheduleType::Buffer(memory) => Some(memory),
        _ => None,
    }
}

fn simulation(simulated: &Simulated<'_>, options: &SimulateStreamsOptions) -> Simulation {
    let timeline = &simulated.timeline;
    let spans = timeline.spans.iter().zip(&timeline.issued);
    let commands = spans.map(|(span, issued)| {
        let op = simulated.place(span.command);
        Executed {
            name: command_name(op).to_owned(),
            is_copy: op.isa::<Copy>(),
            place: location::place(op.location()),
            stream: span.stream,
            issued: *issued,
            start: span.start,
            end: span.end,
        }
    });
    let mut usage: BTreeMap<String, Vec<(u64, u64)>> = BTreeMap::new();
    for change in &timeline.usage {
        let changes = usage.entry(simulated.space_name(change.space)).or_default();
        changes.push((change.time, change.bytes));
    }
    let usage = usage.into_iter();
    Simulation {
        time: timeline.makespan,
        host: timeline.host,
        launch: options.launch,
        devices: simulated.busy_devices(),
        links: simulated.busy_links(),
        memory: simulated.most_memory(),
        assumed: simulated.assumed.clone(),
        commands: commands.collect(),
        arrows: timeline.arrows.clone(),
        usage: usage
            .map(|(space, changes)| SpaceUsage { space, changes })
            .collect(),
    }
}
