//! The choice of streams.
//!
//! ```text
//!   a ──► b ──► d        streams a b d, c: two of four dependences need an event
//!   └──► c ──────┘
//! ```
//!
//! **Without a limit**, the commands of a body are covered by the fewest chains of the transitive
//! reduction of their dependences, and each chain is a stream. Then two commands that may run at
//! the same time are on different streams, and the most dependences need no event. A chain
//! continues the stream of another one that ends before it starts. Source: Kwon, Yu, Jeong, Chun,
//! *Nimble: Lightweight and parallel GPU task scheduling for deep learning* (2020).
//!
//! **With a limit**, the commands are simulated in the order of issue with their costs. Each one
//! takes the stream on which it ends first. A stream whose last command has a successor with a
//! longer rest is left to that one, unless the event costs more. Source: Topcuoglu, Hariri, Wu,
//! *Performance-effective and low-complexity task scheduling for heterogeneous computing* (2002).
//! One, two, four streams and so on are tried: the fewest are taken that no larger number improves
//! by more than an event, so that no stream is used that gains less than its events.
//!
//! Loops, branches and calls are not split: the body of a loop has streams of its own assignment,
//! and what precedes and follows waits for it. Dependences between iterations are not considered,
//! so that the commands of one iteration stay on one stream if they depend on each other.
//!
//! Memory is allocated on the stream of its first user, and released on that of its last one.
//!
//! Cost: that of the matching without a limit; O((N + E) S) with one.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tfx_schedule::{Agent, CommandId, DeviceId, Op, PartId, Schedule};

use crate::Error;
use crate::dependences::{Owner, dependences};
use crate::graph::{Predecessors, match_chains, reaches, reduce};
use crate::layout::Layout;

/// The costs of commands in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// The time in which the host issues a command.
    pub launch: u64,
    /// The time between the end of a command and the start of one on another stream that waits
    /// for it.
    pub event: u64,
}

impl Default for Costs {
    /// Returns 3 us each, as measured with CUDA.
    fn default() -> Self {
        Self {
            launch: 3_000,
            event: 3_000,
        }
    }
}

/// The stream of a command, among those of its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assigned {
    /// The part.
    pub part: PartId,
    /// The command.
    pub command: CommandId,
    /// The device.
    pub device: DeviceId,
    /// The number of the stream.
    pub stream: u32,
}

/// Returns a stream for each command that is on one, in the order of parts and commands. `most` is
/// the limit for streams of a part and a device, 0 for none, and `cost` the time of a command.
///
/// # Errors
///
/// The buffers of a loop do not return to their places soon enough.
pub fn streams<P>(
    schedule: &Schedule<P>,
    costs: Costs,
    most: impl Fn(PartId, DeviceId) -> u32,
    cost: impl Fn(CommandId) -> u64,
) -> Result<Vec<Assigned>, Error> {
    let layouts: Vec<Layout<'_>> = schedule.parts.iter().map(Layout::new).collect();
    let all = dependences(schedule, &layouts, Owner::Command)?;
    let mut assigned = Vec::new();
    for (index, (layout, found)) in layouts.iter().zip(&all).enumerate() {
        let part = PartId(index as u32);
        for (body, place) in layout.bodies.iter().enumerate() {
            let commands = &place.body.commands;
            let device = |agent: &Agent| match agent {
                Agent::Host => None,
                Agent::Stream(stream) => {
                    let stream = layout.part.streams.get(stream.0 as usize);
                    stream.map(|stream| stream.device)
                }
            };
            let mut by_device: BTreeMap<DeviceId, Vec<u32>> = BTreeMap::new();
            let mut memory: Vec<(u32, bool, DeviceId)> = Vec::new();
            for (item, command) in (0..).zip(commands) {
                match &command.op {
                    Op::Work { agent, .. } => {
                        if let Some(device) = device(agent) {
                            by_device.entry(device).or_default().push(item);
                        }
                    }
                    Op::Alloc { agent, .. } => {
                        memory.extend(device(agent).map(|device| (item, true, device)));
                    }
                    Op::Free { agent, .. } => {
                        memory.extend(device(agent).map(|device| (item, false, device)));
                    }
                    _ => {}
                }
            }
            let mut chosen: FxHashMap<u32, (DeviceId, u32)> = FxHashMap::default();
            for (device, items) in by_device {
                let graph = Graph::new(&items, &found.edges[body], |item| {
                    cost(commands[item as usize].id)
                });
                let streams = match most(part, device) {
                    0 => graph.cover(),
                    most => graph.simulate(most, costs),
                };
                chosen.extend(
                    items
                        .into_iter()
                        .zip(streams.into_iter().map(|s| (device, s))),
                );
            }
            // Memory joins its users.
            let mut first_users: FxHashMap<u32, u32> = FxHashMap::default();
            for (item, edges) in (0..).zip(&found.edges[body]) {
                for edge in edges.iter().filter(|edge| edge.lag == 0) {
                    first_users.entry(edge.item).or_insert(item);
                }
            }
            for (item, is_alloc, device) in memory {
                let edges = found.edges[body][item as usize].iter();
                let last = edges
                    .filter(|edge| edge.lag == 0)
                    .map(|edge| edge.item)
                    .max();
                let user = match is_alloc {
                    true => first_users.get(&item).copied(),
                    false => last,
                };
                let stream = user.and_then(|user| chosen.get(&user)).copied();
                let stream = stream.filter(|(other, _)| *other == device);
                chosen.insert(item, (device, stream.map_or(0, |(_, stream)| stream)));
            }
            assigned.extend(chosen.into_iter().map(|(item, (device, stream))| Assigned {
                part,
                command: commands[item as usize].id,
                device,
                stream,
            }));
        }
    }
    assigned.sort_unstable();
    Ok(assigned)
}

/// The commands of a body on one device.
struct Graph {
    predecessors: Predecessors,
    costs: Vec<u64>,
}

impl Graph {
    fn new(
        items: &[u32],
        edges: &[Vec<crate::dependences::Edge>],
        cost: impl Fn(u32) -> u64,
    ) -> Self {
        let nodes: FxHashMap<u32, u32> = items.iter().copied().zip(0..).collect();
        let predecessors = items.iter().map(|item| {
            let edges = edges[*item as usize].iter().filter(|edge| edge.lag == 0);
            let mut list: Vec<u32> = edges
                .filter_map(|edge| nodes.get(&edge.item).copied())
                .collect();
            list.sort_unstable();
            list.dedup();
            list
        });
        Self {
            predecessors: predecessors.collect(),
            costs: items.iter().map(|item| cost(*item)).collect(),
        }
    }

    /// Returns the streams of a cover by chains.
    fn cover(&self) -> Vec<u32> {
        let reduced = reduce(&self.predecessors);
        let next = match_chains(&reduced);
        let mut is_first = vec![true; next.len()];
        next.iter()
            .flatten()
            .for_each(|node| is_first[*node as usize] = false);
        let mut streams = vec![u32::MAX; next.len()];
        // The streams whose chains have ended, with their last commands.
        let mut ended: Vec<(u32, u32)> = Vec::new();
        let mut count = 0;
        reaches(&reduced, &mut |node, is_before| {
            if is_first[node] {
                let free = ended.iter().rposition(|(_, last)| is_before(*last));
                streams[node] = match free {
                    Some(index) => ended.remove(index).0,
                    None => {
                        count += 1;
                        count - 1
                    }
                };
            }
            match next[node] {
                Some(next) => streams[next as usize] = streams[node],
                None => {
                    ended.push((streams[node], node as u32));
                    // Older ones are rarely reached, and a search is linear in their number.
                    if ended.len() > MAX_ENDED {
                        ended.remove(0);
                    }
                }
            }
        });
        streams
    }

    /// Returns the streams of a simulation, `most` of them or fewer.
    fn simulate(&self, most: u32, costs: Costs) -> Vec<u32> {
        let rests = self.rests();
        let mut best: Option<(u64, Vec<u32>)> = None;
        let mut count = 1;
        loop {
            let tried = self.list(count.min(most), &rests, costs);
            let is_better = best
                .as_ref()
                .is_none_or(|(time, _)| tried.0 + costs.event < *time);
            if is_better {
                best = Some(tried);
            }
            if count >= most || count as usize > self.costs.len() {
                break;
            }
            count = count.saturating_mul(2);
        }
        best.map_or(Vec::new(), |(_, streams)| streams)
    }

    /// Returns for each command the time from its start to the end of all commands that depend on
    /// it.
    fn rests(&self) -> Vec<u64> {
        let mut rests = self.costs.clone();
        for node in (0..rests.len()).rev() {
            let rest = rests[node];
            for &other in &self.predecessors[node] {
                let other = other as usize;
                rests[other] = rests[other].max(self.costs[other].saturating_add(rest));
            }
        }
        rests
    }

    /// Simulates a number of streams, and returns the time of the end.
    fn list(&self, count: u32, rests: &[u64], costs: Costs) -> (u64, Vec<u32>) {
        let nodes = self.costs.len();
        // For each command, the longest rest of the commands that depend on it.
        let mut longest = vec![0u64; nodes];
        for (node, predecessors) in self.predecessors.iter().enumerate() {
            for &other in predecessors {
                longest[other as usize] = longest[other as usize].max(rests[node]);
            }
        }
        let mut streams: Vec<u32> = Vec::with_capacity(nodes);
        let mut ends = vec![0u64; nodes];
        // The end of each stream and its last command.
        let mut state: Vec<(u64, Option<u32>)> = vec![(0, None); count as usize];
        let mut host = 0u64;
        for node in 0..nodes {
            host += costs.launch;
            // The times at which the dependences are complete, on their streams and on others.
            let (mut latest, mut second, mut on) = (0, 0, None);
            for &other in &self.predecessors[node] {
                let end = ends[other as usize];
                let stream = Some(streams[other as usize]);
                if stream == on {
                    latest = latest.max(end);
                } else if end > latest {
                    (second, latest, on) = (latest, end, stream);
                } else {
                    second = second.max(end);
                }
            }
            let mut best: Option<(u64, u64, u32)> = None;
            for (stream, &(free, last)) in (0..).zip(&state) {
                let event = |time: u64| if time == 0 { 0 } else { time + costs.event };
                let ready = match on == Some(stream) {
                    true => latest.max(event(second)),
                    false => event(latest),
                };
                let start = ready.max(free).max(host);
                let is_reserved = last.is_some_and(|last| {
                    let last = last as usize;
                    longest[last] > rests[node] && self.predecessors[node].contains(&(last as u32))
                });
                let key = start + if is_reserved { costs.event + 1 } else { 0 };
                if best.is_none_or(|(other, ..)| key < other) {
                    best = Some((key, start, stream));
                }
            }
            let (_, start, stream) = best.unwrap_or_default();
            let end = start.saturating_add(self.costs[node]);
            ends[node] = end;
            streams.push(stream);
            state[stream as usize] = (end, Some(node as u32));
        }
        (ends.into_iter().max().unwrap_or(0), streams)
    }
}

/// The ended chains that a new one may continue.
const MAX_ENDED: usize = 64;
