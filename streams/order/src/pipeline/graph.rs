//! The commands of a pipeline with their dependences.
//!
//! ```text
//!   alloc %a, F writes %a, B reads %a, free %a     ──►     F ──► B ──► free %a     %a: before F
//! ```
//!
//! A node is a command, or the release of a buffer, which takes no time. The bytes of an allocation
//! are those of one iteration, so that only its users depend on it. It belongs to the first one,
//! and moves to the stream of that one, on which the others depend instead.
//!
//! Memory of a device is allocated on streams of this device. If the first user is on another one,
//! such as a copy on the stream of its source, the allocation is a node without predecessors.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tfx_schedule::{
    Agent, Buffer, BufferId, Command, CommandId, Mode, Op, Part, Schedule, Space, Work,
};

use super::{Microbatches, Unpipelined};
use crate::dependences::{Owner, dependences};
use crate::layout::{Layout, agent_number};

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A command that takes time.
    Work,
    /// An allocation for a user on another device.
    Alloc,
    /// The release of a buffer.
    Free,
}

/// A command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) command: CommandId,
    /// The time that it takes.
    pub(super) time: u64,
    /// The agent that executes it.
    pub(super) queue: u32,
    pub(super) device: u32,
    pub(super) iteration: u32,
    pub(super) kind: Kind,
    /// Set for a kernel or a host function.
    pub(super) is_stage: bool,
}

/// The commands of all iterations, in the order of the loop.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// For each node, the earlier ones that it depends on.
    pub(super) predecessors: Lists,
    pub(super) successors: Lists,
    pub(super) iterations: usize,
    pub(super) queues: usize,
    pub(super) devices: usize,
    /// For each node, the allocations that belong to it.
    allocations: FxHashMap<u32, Vec<CommandId>>,
    /// The kernels that run again, with the nodes before which they do.
    pub(super) again: BTreeMap<u32, u32>,
    /// The nodes that these kernels wait for only in the virtual clock.
    pub(super) delays: BTreeMap<u32, Vec<u32>>,
    /// The allocations of buffers that nothing uses.
    unused: Vec<CommandId>,
    /// The allocations that move to the stream of another command.
    pub(super) moved: Vec<(CommandId, CommandId)>,
}

/// A list for each node, in one vector.
#[derive(Debug, Default)]
pub(super) struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    pub(super) fn of(&self, node: usize) -> &[u32] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start as usize..self.ends[node] as usize]
    }

    /// Adds the list of the next node, sorted and without repetitions.
    fn push(&mut self, list: &mut Vec<u32>) {
        list.sort_unstable();
        list.dedup();
        self.items.append(list);
        self.ends.push(self.items.len() as u32);
    }

    /// Returns for each node those whose lists it is in.
    fn reversed(&self) -> Lists {
        let mut counts = vec![0u32; self.ends.len()];
        self.items
            .iter()
            .for_each(|item| counts[*item as usize] += 1);
        let mut next: Vec<u32> = Vec::with_capacity(counts.len());
        let mut ends = Vec::with_capacity(counts.len());
        let mut end = 0;
        for count in counts {
            next.push(end);
            end += count;
            ends.push(end);
        }
        let mut items = vec![0; self.items.len()];
        for node in 0..self.ends.len() {
            for item in self.of(node) {
                let slot = &mut next[*item as usize];
                items[*slot as usize] = node as u32;
                *slot += 1;
            }
        }
        Lists { ends, items }
    }
}

impl Graph {
    pub(super) fn new<P>(
        schedule: &Schedule<P>,
        microbatches: &Microbatches,
        cost: impl Fn(CommandId) -> u64,
    ) -> Result<Self, Unpipelined> {
        let iterations = &microbatches.iterations;
        let numbered = (0u32..).zip(iterations);
        let iteration_of: FxHashMap<CommandId, u32> = numbered
            .flat_map(|(number, ids)| ids.iter().map(move |id| (*id, number)))
            .collect();
        let mut graph = Graph {
            iterations: iterations.len(),
            ..Graph::default()
        };
        let Some(first) = iterations.iter().flatten().next() else {
            return Ok(graph);
        };
        let layouts: Vec<Layout<'_>> = schedule.parts.iter().map(Layout::new).collect();
        let all = dependences(schedule, &layouts, Owner::Command)?;
        let Some((layout, body)) = body_of(&layouts, *first) else {
            return Ok(graph);
        };
        let part = layouts.iter().position(|other| std::ptr::eq(other, layout));
        let Some(edges) = part.map(|part| &all[part].edges[body]) else {
            return Ok(graph);
        };
        let mut builder = Builder::new(&mut graph, layout.part);
        for (item, command) in layout.bodies[body].body.commands.iter().enumerate() {
            let Some(&iteration) = iteration_of.get(&command.id) else {
                builder.skip();
                continue;
            };
            let edges = edges[item].iter().filter(|edge| edge.lag == 0);
            let earlier = edges.map(|edge| edge.item);
            match &command.op {
                Op::Alloc { agent, buffer } => {
                    let node = builder.node(command.id, *agent, iteration, Kind::Alloc);
                    builder.pending.insert(*buffer, (item, node));
                    builder.skip();
                }
                Op::Free { agent, buffer } => {
                    let node = builder.node(command.id, *agent, iteration, Kind::Free);
                    builder.add(node, earlier, &[(*buffer, None, false)]);
                }
                Op::Work {
                    agent,
                    kind,
                    accesses,
                } => {
                    let mut node = builder.node(command.id, *agent, iteration, Kind::Work);
                    node.is_stage = matches!(kind, Work::Kernel | Work::HostFunction);
                    node.time = match agent {
                        Agent::Host => 0,
                        Agent::Stream(_) => cost(command.id).max(1),
                    };
                    let accesses = accesses.iter().map(|access| {
                        let value = access.value.map(|value| value.id.0);
                        (access.buffer, value, access.mode == Mode::Write)
                    });
                    builder.add(node, earlier, &accesses.collect::<Vec<_>>());
                }
                _ => return Err(Unpipelined::Unsupported(command.id)),
            }
        }
        let mut unused: Vec<(usize, Node)> = builder.pending.into_values().collect();
        unused.sort_unstable_by_key(|(item, _)| *item);
        graph.unused = unused.iter().map(|(_, node)| node.command).collect();
        graph.queues = layout.part.streams.len() + 1;
        graph.devices = schedule.devices.len() + 1;
        graph.successors = graph.predecessors.reversed();
        let nodes = graph.nodes.iter().zip(0..);
        let nodes: FxHashMap<CommandId, u32> =
            nodes.map(|(node, number)| (node.command, number)).collect();
        let node = |id| nodes.get(id).copied();
        let again = microbatches.again.iter();
        let again = again.filter_map(|(kernel, user)| node(kernel).zip(node(user)));
        graph.again = again.collect();
        Ok(graph)
    }

    /// Lets nodes also wait for earlier ones, but only in the virtual clock.
    pub(super) fn delay(&mut self, mut delays: BTreeMap<u32, Vec<u32>>) {
        let before = std::mem::take(&mut self.predecessors);
        for number in 0..self.nodes.len() {
            let mut list = before.of(number).to_vec();
            if let Some(delay) = delays.get_mut(&(number as u32)) {
                delay.retain(|earlier| !list.contains(earlier));
                list.extend(&*delay);
            }
            self.predecessors.push(&mut list);
        }
        self.successors = self.predecessors.reversed();
        self.delays = delays;
    }

    /// Returns the commands of nodes, each after the allocations that belong to it.
    pub(super) fn commands(&self, order: &[u32]) -> Vec<CommandId> {
        let mut commands = Vec::new();
        for node in order {
            commands.extend(self.allocations.get(node).into_iter().flatten());
            commands.push(self.nodes[*node as usize].command);
        }
        commands.extend(&self.unused);
        commands
    }

    /// Returns for each queue whether kernels or host functions are on it.
    pub(super) fn stage_queues(&self) -> Vec<bool> {
        let mut is_stage = vec![false; self.queues];
        for node in self.nodes.iter().filter(|node| node.is_stage) {
            is_stage[node.queue as usize] = true;
        }
        is_stage
    }

    /// Returns the number of these queues.
    pub(super) fn stages(&self) -> usize {
        let is_stage = self.stage_queues();
        is_stage.iter().filter(|is_stage| **is_stage).count()
    }

    /// Returns the predecessors of a node in its iteration.
    pub(super) fn in_iteration(&self, node: usize) -> impl Iterator<Item = usize> {
        let iteration = self.nodes[node].iteration;
        let earlier = self.predecessors.of(node).iter();
        let earlier = earlier.map(|node| *node as usize);
        earlier.filter(move |earlier| self.nodes[*earlier].iteration == iteration)
    }
}

/// A graph under construction, command by command.
struct Builder<'g, 'a> {
    graph: &'g mut Graph,
    part: &'a Part,
    /// The node of each command of the body, by its index there.
    nodes: Vec<Option<u32>>,
    /// The nodes that write values.
    writers: FxHashMap<u32, u32>,
    /// The allocations of buffers without a user so far, with their indices.
    pending: FxHashMap<BufferId, (usize, Node)>,
}

impl<'g, 'a> Builder<'g, 'a> {
    fn new(graph: &'g mut Graph, part: &'a Part) -> Self {
        Builder {
            graph,
            part,
            nodes: Vec::new(),
            writers: FxHashMap::default(),
            pending: FxHashMap::default(),
        }
    }

    fn skip(&mut self) {
        self.nodes.push(None);
    }

    /// Returns a node that takes no time.
    fn node(&self, command: CommandId, agent: Agent, iteration: u32, kind: Kind) -> Node {
        let device = match agent {
            Agent::Host => None,
            Agent::Stream(stream) => self.part.streams.get(stream.0 as usize),
        };
        Node {
            command,
            time: 0,
            queue: agent_number(agent),
            device: device.map_or(0, |stream| stream.device.0 + 1),
            iteration,
            kind,
            is_stage: false,
        }
    }

    /// Adds a node with the commands before it, and its buffers with the values that it reads or
    /// writes there.
    fn add(
        &mut self,
        node: Node,
        earlier: impl Iterator<Item = u32>,
        accesses: &[(BufferId, Option<u32>, bool)],
    ) {
        let mut owned: Vec<(usize, Node)> = Vec::new();
        for (buffer, ..) in accesses {
            let slice = slice_of(self.part, *buffer);
            let Some((item, alloc)) = self.pending.remove(&slice) else {
                continue;
            };
            if alloc.device == node.device || !self.is_of_device(slice) {
                owned.push((item, alloc));
            } else {
                self.nodes[item] = Some(self.graph.nodes.len() as u32);
                self.graph.predecessors.push(&mut Vec::new());
                self.graph.nodes.push(alloc);
            }
        }
        let number = self.graph.nodes.len() as u32;
        let mut before: Vec<u32> = earlier
            .filter_map(|item| self.nodes.get(item as usize).copied().flatten())
            .collect();
        for &(_, value, is_write) in accesses {
            match value {
                Some(value) if is_write => {
                    self.writers.insert(value, number);
                }
                // A read of a value in another buffer than that of its write has no dependence.
                Some(value) => {
                    let writer = self.writers.get(&value).copied();
                    before.extend(writer.filter(|writer| *writer < number));
                }
                None => {}
            }
        }
        for (item, alloc) in owned {
            self.nodes[item] = Some(number);
            let list = self.graph.allocations.entry(number).or_default();
            list.push(alloc.command);
            if alloc.queue != node.queue {
                self.graph.moved.push((alloc.command, node.command));
            }
        }
        self.graph.predecessors.push(&mut before);
        self.graph.nodes.push(node);
        self.nodes.push(Some(number));
    }

    /// Returns whether a slice is memory of a device.
    fn is_of_device(&self, slice: BufferId) -> bool {
        let Some(Buffer::Slice { root, .. }) = self.part.buffers.get(slice.0 as usize) else {
            return false;
        };
        let root = self.part.roots.get(root.0 as usize);
        root.is_some_and(|root| matches!(root.space, Space::Device(_)))
    }
}

/// Returns the body with a command, and its layout.
pub(super) fn body_of<'l, 'a>(
    layouts: &'l [Layout<'a>],
    command: CommandId,
) -> Option<(&'l Layout<'a>, usize)> {
    let is_in = |commands: &[Command]| commands.iter().any(|other| other.id == command);
    layouts.iter().find_map(|layout| {
        let mut bodies = layout.bodies.iter();
        let body = bodies.position(|place| is_in(&place.body.commands))?;
        Some((layout, body))
    })
}

/// Returns the buffer that a buffer is a view of.
pub(super) fn slice_of(part: &Part, mut buffer: BufferId) -> BufferId {
    loop {
        match part.buffers.get(buffer.0 as usize) {
            Some(&Buffer::View { of, .. }) if of < buffer => buffer = of,
            _ => return buffer,
        }
    }
}
