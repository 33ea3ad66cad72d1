//! The choice of streams.
//!
//! ```text
//!   a ──► b ──► d        streams a b d, c: two of four dependences need an event
//!   └──► c ──────┘
//! ```
//!
//! **Without a limit** ([`cover`]), the commands of a body are covered by the fewest chains of the
//! transitive reduction of their dependences, and each chain is a stream. Then two commands that
//! may run at the same time are on different streams, and the most dependences need no event.
//!
//! **With a limit** ([`limit`]), the commands are simulated in the order of issue with their costs
//! ([`list`]), for several numbers of streams and several rules. The streams with the fewest waits
//! are taken, of those that are nearly as fast as the fastest. So no stream is used that gains less
//! than its events.
//!
//! Loops, branches and calls are not split: the body of a loop has streams of its own assignment,
//! and what precedes and follows waits for it. Dependences between iterations are not considered,
//! so that the commands of one iteration stay on one stream if they depend on each other.
//!
//! Memory is allocated on the stream of its first user, and released on that of its last one.
//!
//! Cost: that of the matching without a limit. With one, O((N + E) S) for each simulation, of which
//! there are about a hundred.

mod cover;
mod limit;
mod list;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tfx_schedule::{Agent, CommandId, DeviceId, Op, PartId, Schedule};

use crate::Error;
use crate::dependences::{Owner, dependences};
use crate::layout::Layout;
use cover::Graph;

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
                    most => limit::assign(&graph, most, costs),
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
