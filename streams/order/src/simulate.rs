//! The simulation of schedules on devices with a virtual clock.
//!
//! ```text
//!   host    |launch a|launch copy|launch b|
//!   s0               |a =================|
//!   s1                           |copy =====|
//!   s0                                      |event|b =====|        b waits for the copy
//! ```
//!
//! The host issues commands in order. A command starts when it is issued, the commands before it
//! on its stream have ended, and the events for which its stream waits are complete. Streams run
//! at the same time and do not slow each other down. Copies between two devices, or host and
//! device, share the link of their direction: one at a time, in the order in which they are ready.
//!
//! [`crate::issue`] lists the executed commands. Those that are ready are executed in the order of
//! their times, and of issue, so that the result depends on nothing else.
//!
//! Cost: O(N log N) for N executed commands and waits.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use tfx_schedule::{CommandId, DeviceId, Schedule, Space, StreamId};
use thiserror::Error;

use crate::issue::{Issued, Issuer, Mark, Point};
use crate::layout::HOST;
use crate::streams::Costs;

/// The simulated hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The times of commands of the host and of events. An event also delays a host that waits.
    pub costs: Costs,
    /// The time that a copy between devices, or host and device, takes in addition to its own.
    pub latency: u64,
}

/// A schedule that cannot be simulated.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SimulationError {
    /// A command uses a name or an arm that does not exist.
    #[error("a command uses a name that is not defined")]
    Undefined(CommandId),
    /// A wait is for an event that is recorded later, or not at all.
    #[error("the event is not recorded before the wait")]
    Unrecorded(CommandId),
    /// More than four million commands are executed.
    #[error("more than four million commands are executed")]
    TooLong(CommandId),
}

/// An executed command. All times are in nanoseconds after the start of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The command.
    pub command: CommandId,
    /// The stream of the entry part; none for the host.
    pub stream: Option<StreamId>,
    /// Its start.
    pub start: u64,
    /// Its end.
    pub end: u64,
}

/// An event between two agents: a wait for a record of another stream or of the host, unless it is
/// complete from the start. The times are those of [`Span`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The stream of the entry part that records the event; none for the host.
    pub from: Option<StreamId>,
    /// The time of the record: the end of the commands before it.
    pub recorded: u64,
    /// The stream of the entry part that waits; none for the host.
    pub to: Option<StreamId>,
    /// The end of the wait.
    pub waited: u64,
}

/// The times of a stream of the entry part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamTimes {
    /// The device.
    pub device: DeviceId,
    /// The time in which it executes commands.
    pub busy: u64,
    /// The start of its first command and the end of its last one; none without commands.
    pub active: Option<(u64, u64)>,
}

/// The times of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkTimes {
    /// The device from which copies go; none for the host.
    pub from: Option<DeviceId>,
    /// The device to which copies go; none for the host.
    pub to: Option<DeviceId>,
    /// The time in which it is in use.
    pub busy: u64,
}

/// The memory of the live buffers of a space from a time on: those that are allocated and not
/// released, slices of arenas included, and external roots not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The time in nanoseconds.
    pub time: u64,
    /// The space.
    pub space: Space,
    /// The bytes.
    pub bytes: u64,
}

/// The result of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The time until the host and all streams have ended.
    pub makespan: u64,
    /// The time in which the host issues commands, or executes its own.
    pub host: u64,
    /// The streams of the entry part.
    pub streams: Vec<StreamTimes>,
    /// For each device, the time in which it executes commands other than copies over a link.
    pub devices: Vec<u64>,
    /// The links that copies use, in the order of their first use.
    pub links: Vec<LinkTimes>,
    /// For each memory space in use, the largest number of bytes that are live at the same time:
    /// external roots and the arenas of the entry part all the time, the arena of a call while a
    /// slice of it is live, and other memory from its allocation until its release.
    pub memory: Vec<(Space, u64)>,
    /// The changes of the bytes of live buffers, in the order of their times.
    pub usage: Vec<Usage>,
    /// The executed commands in the order of issue. Records and waits have no span.
    pub spans: Vec<Span>,
    /// For each span, the time at which the host has issued its command.
    pub issued: Vec<u64>,
    /// The events between agents in the order of issue of their waits.
    pub arrows: Vec<Arrow>,
}

/// Simulates a schedule. The caller has the time of each command in nanoseconds, the number of
/// iterations of a loop whose number is not known, given the least one, and the arm that a branch
/// takes, of a number of them.
///
/// # Errors
///
/// The schedule waits for an event that is not recorded before, names something that does not
/// exist, or executes more than four million commands.
pub fn simulate<P>(
    schedule: &Schedule<P>,
    model: Model,
    cost: impl Fn(CommandId) -> u64,
    trips: impl FnMut(CommandId, u64) -> u64,
    arm: impl FnMut(CommandId, usize) -> usize,
) -> Result<Timeline, SimulationError> {
    let issued = Issuer::new(schedule, model, cost, trips, arm).run()?;
    let times = times(&issued);
    let end_of = |point: Point| {
        let after = point.after.and_then(|node| times.get(node as usize));
        after.map_or(0, |(_, end)| *end).saturating_add(point.delay)
    };
    let time = |mark: &Mark| end_of(mark.at[0]).max(end_of(mark.at[1]));
    let mut marks: Vec<(u64, &Mark)> = issued.marks.iter().map(|mark| (time(mark), mark)).collect();
    // Marks of the same time keep the order of issue.
    marks.sort_by_key(|(time, _)| *time);
    let streams = schedule.parts.last().map_or(&[][..], |part| &part.streams);
    let streams = streams.iter().map(|stream| StreamTimes {
        device: stream.device,
        busy: 0,
        active: None,
    });
    let mut timeline = Timeline {
        makespan: issued
            .lanes
            .iter()
            .map(|lane| end_of(*lane))
            .max()
            .unwrap_or(0),
        host: issued.host,
        streams: streams.collect(),
        devices: vec![0; schedule.devices.len()],
        memory: peaks(&issued, &marks),
        usage: usage(&marks),
        ..Timeline::default()
    };
    let links = issued
        .links
        .iter()
        .map(|&[from, to]| LinkTimes { from, to, busy: 0 });
    timeline.links = links.collect();
    let mut by_device: BTreeMap<DeviceId, Vec<(u64, u64)>> = BTreeMap::new();
    for (node, &(start, end)) in issued.nodes.iter().zip(&times) {
        if node.is_wait {
            continue;
        }
        let stream = stream_of(node.lane);
        timeline.spans.push(Span {
            command: node.command,
            stream,
            start,
            end,
        });
        timeline.issued.push(end_of(node.issued));
        if let Some(link) = node.link {
            timeline.links[link as usize].busy += end - start;
        }
        let Some(stream) = stream else {
            continue;
        };
        let stream = &mut timeline.streams[stream.0 as usize];
        stream.busy += end - start;
        let first = stream.active.map_or(start, |(first, _)| first);
        stream.active = Some((first, end));
        if node.link.is_none() {
            by_device
                .entry(stream.device)
                .or_default()
                .push((start, end));
        }
    }
    let arrows = issued.signals.iter().map(|signal| Arrow {
        from: stream_of(signal.from),
        recorded: end_of(signal.at),
        to: stream_of(issued.nodes[signal.to as usize].lane),
        waited: times[signal.to as usize].1,
    });
    timeline.arrows = arrows.collect();
    for (device, spans) in by_device {
        if let Some(busy) = timeline.devices.get_mut(device.0 as usize) {
            *busy = covered(spans);
        }
    }
    Ok(timeline)
}

/// Returns the stream of a lane; none for the host.
fn stream_of(lane: u32) -> Option<StreamId> {
    (lane != HOST).then(|| StreamId(lane - 1))
}

/// Returns the start and end of each node.
fn times(issued: &Issued) -> Vec<(u64, u64)> {
    let nodes = &issued.nodes;
    // The edges of each node, in the order of the nodes from which they start.
    let mut ends = vec![0usize; nodes.len() + 1];
    issued
        .edges
        .iter()
        .for_each(|(from, _)| ends[*from as usize + 1] += 1);
    for node in 0..nodes.len() {
        ends[node + 1] += ends[node];
    }
    let mut next = ends.clone();
    let mut outgoing = vec![(0u32, 0u64); issued.edges.len()];
    let mut missing = Vec::with_capacity(nodes.len());
    let mut first = 0;
    for (number, node) in (0..).zip(nodes) {
        for &(from, delay) in &issued.edges[first..node.edges as usize] {
            let slot = &mut next[from as usize];
            outgoing[*slot] = (number, delay);
            *slot += 1;
        }
        missing.push(node.edges as usize - first);
        first = node.edges as usize;
    }
    let mut times: Vec<(u64, u64)> = nodes.iter().map(|node| (node.floor, 0)).collect();
    let mut free = vec![0u64; issued.links.len()];
    // Edges lead to later nodes, so that each node is ready once.
    let is_ready = |node: &u32| missing[*node as usize] == 0;
    let ready = (0..nodes.len() as u32).filter(is_ready);
    let mut ready: BinaryHeap<Reverse<(u64, u32)>> = ready
        .map(|node| Reverse((times[node as usize].0, node)))
        .collect();
    while let Some(Reverse((time, number))) = ready.pop() {
        let node = &nodes[number as usize];
        let mut start = time;
        if let Some(link) = node.link {
            start = start.max(free[link as usize]);
        }
        let end = start.saturating_add(node.time);
        if let Some(link) = node.link {
            free[link as usize] = end;
        }
        times[number as usize] = (start, end);
        for &(to, delay) in &outgoing[ends[number as usize]..ends[number as usize + 1]] {
            let to = to as usize;
            times[to].0 = times[to].0.max(end.saturating_add(delay));
            missing[to] -= 1;
            if missing[to] == 0 {
                ready.push(Reverse((times[to].0, to as u32)));
            }
        }
    }
    times
}

/// Returns the time in which at least one of several spans is executed.
fn covered(mut spans: Vec<(u64, u64)>) -> u64 {
    spans.sort_unstable();
    let mut until = 0;
    let lengths = spans.into_iter().map(|(start, end)| {
        let length = end.saturating_sub(start.max(until));
        until = until.max(end);
        length
    });
    lengths.sum()
}

/// Returns the changes of the bytes of live buffers. Changes of one time are one.
fn usage(marks: &[(u64, &Mark)]) -> Vec<Usage> {
    let mut live: BTreeMap<Space, u64> = BTreeMap::new();
    let mut changes: Vec<Usage> = Vec::new();
    for &(time, mark) in marks {
        let (space, size) = (mark.memory.space, mark.memory.size);
        let bytes = live.entry(space).or_default();
        *bytes = match mark.is_start {
            true => bytes.saturating_add(size),
            false => bytes.saturating_sub(size),
        };
        // There are few spaces.
        let of_time = changes
            .iter_mut()
            .rev()
            .take_while(|change| change.time == time);
        match of_time.into_iter().find(|change| change.space == space) {
            Some(change) => change.bytes = *bytes,
            None => changes.push(Usage {
                time,
                space,
                bytes: *bytes,
            }),
        }
    }
    changes
}

/// Returns the largest number of live bytes of each memory space, given the marks by time.
fn peaks(issued: &Issued, marks: &[(u64, &Mark)]) -> Vec<(Space, u64)> {
    let mut live: BTreeMap<Space, u64> = BTreeMap::new();
    for &(space, size) in &issued.declared {
        let bytes = live.entry(space).or_default();
        *bytes = bytes.saturating_add(size);
    }
    // The open slices of each arena.
    let mut open = vec![0u64; issued.arenas.len()];
    let mut peaks = live.clone();
    for (_, mark) in marks {
        let bytes = live.entry(mark.memory.space).or_default();
        let size = match mark.memory.arena {
            None => mark.memory.size,
            Some(arena) => {
                let open = &mut open[arena as usize];
                let before = *open;
                *open = match mark.is_start {
                    true => before + 1,
                    false => before.saturating_sub(1),
                };
                match before.min(*open) {
                    0 => issued.arenas[arena as usize],
                    _ => 0,
                }
            }
        };
        *bytes = match mark.is_start {
            true => bytes.saturating_add(size),
            false => bytes.saturating_sub(size),
        };
        let peak = peaks.entry(mark.memory.space).or_default();
        *peak = (*peak).max(*bytes);
    }
    peaks.into_iter().collect()
}
