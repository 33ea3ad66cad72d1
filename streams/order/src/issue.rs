//! The commands that the host issues, in one list.
//!
//! ```text
//!   loop 2 { copy, record e, wait e, kernel }   ──►   copy   kernel   copy   kernel
//!                                                       └──────►└───────►└──────►  edges
//! ```
//!
//! Loops are repeated, branches are decided, and calls are inlined, with an explicit stack. The
//! time of a command depends on those of earlier commands only. A [`Point`] is the time at which a
//! lane has completed its commands so far; records and the lifetimes of memory are points, and take
//! no time of their own.

mod frame;

use rustc_hash::FxHashMap;
use tfx_schedule::{
    Agent, Body, Branch, BufferId, Call, Command, CommandId, DeviceId, EventId, Lifetime, Loop,
    Names, Op, Part, Schedule, Space, Trips, Work,
};

use crate::layout::{HOST, agent_number};
use crate::simulate::{Model, SimulationError};
use frame::{Bound, Frame, Recorded, arenas};

pub(crate) use frame::Held;

/// The limit for executed commands. Events that are waited for count as well, and eight names that
/// control flow binds count as one.
const MAX_COMMANDS: u64 = 1 << 22;

/// A time: some nanoseconds after the end of a command, or after the start of the schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) after: Option<u32>,
    pub(crate) delay: u64,
}

/// An executed command that takes time or waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) command: CommandId,
    /// The number of the agent: the host, or a stream of the entry part.
    pub(crate) lane: u32,
    pub(crate) time: u64,
    pub(crate) is_wait: bool,
    pub(crate) link: Option<u32>,
    /// The node is not ready before this time.
    pub(crate) floor: u64,
    /// The end of its edges, which start where those of the node before end.
    pub(crate) edges: u32,
    /// The point at which the host has issued it.
    pub(crate) issued: Point,
}

/// A wait for an event of another agent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signal {
    /// The number of the agent that has recorded the event.
    pub(crate) from: u32,
    /// The point of the record.
    pub(crate) at: Point,
    /// The node of the wait.
    pub(crate) to: u32,
}

/// The start or end of the lifetime of memory, at the later one of two points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) at: [Point; 2],
    pub(crate) is_start: bool,
    pub(crate) memory: Held,
}

/// The executed commands.
#[derive(Debug, Default)]
pub(crate) struct Issued {
    pub(crate) nodes: Vec<Node>,
    /// Earlier nodes, and the time from their ends until the node is ready.
    pub(crate) edges: Vec<(u32, u64)>,
    pub(crate) marks: Vec<Mark>,
    /// The waits for events of other agents, in the order of issue.
    pub(crate) signals: Vec<Signal>,
    /// Memory for the whole time: external roots, and arenas of the entry part.
    pub(crate) declared: Vec<(Space, u64)>,
    /// The sizes of the arenas of calls.
    pub(crate) arenas: Vec<u64>,
    /// The directions in which copies go, in the order of their first use.
    pub(crate) links: Vec<[Option<DeviceId>; 2]>,
    /// The point at which each lane has completed its commands so far.
    pub(crate) lanes: Vec<Point>,
    /// The time in which the host issues commands or executes its own.
    pub(crate) host: u64,
}

#[derive(Clone, Copy, Debug)]
enum Owner<'s> {
    Entry,
    Call(&'s Call),
    /// A loop, with the number of iterations after this one.
    Loop(&'s Loop, u64),
    Branch(&'s Branch),
}

/// A body, and the command in it that is next.
#[derive(Clone, Copy, Debug)]
struct Level<'s> {
    body: &'s Body,
    next: usize,
    owner: Owner<'s>,
}

/// The execution of a schedule by the host.
pub(crate) struct Issuer<'s, P, C, T, A> {
    schedule: &'s Schedule<P>,
    model: Model,
    cost: C,
    trips: T,
    arm: A,
    result: Issued,
    links: FxHashMap<[Option<DeviceId>; 2], u32>,
    frames: Vec<Frame<'s>>,
    levels: Vec<Level<'s>>,
    count: u64,
}

impl<'s, P, C, T, A> Issuer<'s, P, C, T, A>
where
    C: Fn(CommandId) -> u64,
    T: FnMut(CommandId, u64) -> u64,
    A: FnMut(CommandId, usize) -> usize,
{
    pub(crate) fn new(schedule: &'s Schedule<P>, model: Model, cost: C, trips: T, arm: A) -> Self {
        Self {
            schedule,
            model,
            cost,
            trips,
            arm,
            result: Issued::default(),
            links: FxHashMap::default(),
            frames: Vec::new(),
            levels: Vec::new(),
            count: 0,
        }
    }

    /// Executes the entry part.
    pub(crate) fn run(mut self) -> Result<Issued, SimulationError> {
        let Some(entry) = self.schedule.parts.last() else {
            return Ok(self.result);
        };
        let streams: Vec<u32> = (1..).take(entry.streams.len()).collect();
        self.result.lanes = vec![Point::default(); entry.streams.len() + 1];
        for part in &self.schedule.parts {
            let roots = part.roots.iter();
            let external = roots.filter(|root| root.lifetime == Lifetime::External);
            let external = external.map(|root| (root.space, root.size));
            self.result.declared.extend(external);
        }
        let arenas = (0..entry.roots.len()).zip(arenas(entry));
        for (root, _) in arenas.filter(|(_, is_arena)| *is_arena) {
            let root = &entry.roots[root];
            self.result.declared.push((root.space, root.size));
        }
        self.enter(self.schedule.parts.len() - 1, entry, streams);
        self.levels.push(Level {
            body: &entry.body,
            next: 0,
            owner: Owner::Entry,
        });
        let mut last = CommandId(0);
        while let Some(level) = self.levels.last_mut() {
            self.count += 1;
            if self.count > MAX_COMMANDS {
                return Err(SimulationError::TooLong(last));
            }
            let Some(command) = level.body.commands.get(level.next) else {
                self.end();
                continue;
            };
            level.next += 1;
            last = command.id;
            self.command(command)
                .ok_or(SimulationError::Undefined(last))??;
        }
        Ok(self.result)
    }

    fn enter(&mut self, number: usize, part: &'s Part, streams: Vec<u32>) {
        let is_entry = self.frames.is_empty();
        let arenas = arenas(part).into_iter().zip(&part.roots);
        let arenas = arenas.map(|(is_arena, root)| {
            is_arena.then(|| {
                // An arena of the entry part is declared, and has no bytes here.
                let size = if is_entry { 0 } else { root.size };
                self.result.arenas.push(size);
                self.result.arenas.len() as u32 - 1
            })
        });
        let arenas = arenas.collect();
        self.count += (part.events.len() + part.buffers.len() + part.roots.len()) as u64 / 8;
        self.frames.push(Frame::new(part, number, streams, arenas));
    }

    /// Executes a command; none if it uses a name that does not exist.
    fn command(&mut self, command: &'s Command) -> Option<Result<(), SimulationError>> {
        let id = command.id;
        match &command.op {
            Op::Work {
                agent,
                kind,
                accesses,
            } => {
                let lane = self.lane(*agent)?;
                let link = match (kind, accesses.as_slice()) {
                    (Work::Copy, [from, to]) => self.link(from.buffer, to.buffer)?,
                    _ => None,
                };
                self.work(id, lane, *kind, link);
            }
            Op::Record { agent, event } => {
                let lane = self.lane(*agent)?;
                let at = *self.result.lanes.get(lane as usize)?;
                self.frames
                    .last_mut()?
                    .record(*event, Recorded { at, lane })?;
            }
            Op::Wait { agent, events } => {
                let lane = self.lane(*agent)?;
                self.count += events.len() as u64;
                let Some(recorded) = self.recorded(lane, events) else {
                    return Some(Err(SimulationError::Unrecorded(id)));
                };
                if !recorded.is_empty() {
                    let own = *self.result.lanes.get(lane as usize)?;
                    let delay = self.model.costs.event;
                    let points = recorded.iter().map(|recorded| Point {
                        delay: recorded.at.delay.saturating_add(delay),
                        ..recorded.at
                    });
                    let to = self.result.nodes.len() as u32;
                    let node = self.node(id, lane, 0, points.chain([own]));
                    node.is_wait = true;
                    let signals = recorded.iter().map(|recorded| Signal {
                        from: recorded.lane,
                        at: recorded.at,
                        to,
                    });
                    self.result.signals.extend(signals);
                }
            }
            Op::Alloc { agent, buffer } => self.mark(*agent, *buffer, true)?,
            Op::Free { agent, buffer } => self.mark(*agent, *buffer, false)?,
            Op::Loop(inner) => {
                let trips = match inner.trips {
                    Trips::Exactly(trips) => trips,
                    Trips::AtLeast(least) => (self.trips)(id, least).max(least),
                };
                let values = self.read(&inner.initial);
                let Some(rest) = trips.checked_sub(1) else {
                    self.bind(&inner.results, values);
                    return Some(Ok(()));
                };
                self.bind(&inner.arguments, values);
                self.levels.push(Level {
                    body: &inner.body,
                    next: 0,
                    owner: Owner::Loop(inner, rest),
                });
            }
            Op::Branch(branch) => {
                let taken = (self.arm)(id, branch.arms.len());
                let body = branch.arms.get(taken)?;
                self.levels.push(Level {
                    body,
                    next: 0,
                    owner: Owner::Branch(branch),
                });
            }
            Op::Call(call) => {
                let number = call.part.0 as usize;
                let caller = self.frames.last()?;
                let part = self.schedule.parts.get(number)?;
                if number >= caller.number || part.streams.len() != call.streams.len() {
                    return None;
                }
                let streams = call.streams.iter();
                let streams = streams.map(|stream| self.lane(Agent::Stream(*stream)));
                let streams = streams.collect::<Option<Vec<u32>>>()?;
                let values = self.read(&call.arguments);
                self.enter(number, part, streams);
                self.bind(&part.parameters, values);
                self.levels.push(Level {
                    body: &part.body,
                    next: 0,
                    owner: Owner::Call(call),
                });
            }
        }
        Some(Ok(()))
    }

    /// Ends the innermost body.
    fn end(&mut self) {
        let Some(level) = self.levels.pop() else {
            return;
        };
        let values = self.read(&level.body.yields);
        match level.owner {
            Owner::Entry => {}
            Owner::Call(call) => {
                self.frames.pop();
                self.bind(&call.results, values);
            }
            Owner::Branch(branch) => self.bind(&branch.results, values),
            Owner::Loop(inner, 0) => self.bind(&inner.results, values),
            Owner::Loop(inner, rest) => {
                self.bind(&inner.arguments, values);
                self.levels.push(Level {
                    next: 0,
                    owner: Owner::Loop(inner, rest - 1),
                    ..level
                });
            }
        }
    }

    // ---------------------------------------------------------------------------------- commands

    fn lane(&self, agent: Agent) -> Option<u32> {
        match agent_number(agent) {
            HOST => Some(HOST),
            stream => {
                let streams = &self.frames.last()?.streams;
                streams.get(stream as usize - 1).copied()
            }
        }
    }

    fn work(&mut self, id: CommandId, lane: u32, kind: Work, link: Option<u32>) {
        if kind == Work::Input {
            return;
        }
        let mut time = (self.cost)(id);
        if link.is_some() {
            time = time.saturating_add(self.model.latency);
        }
        if lane == HOST {
            self.result.host = self.result.host.saturating_add(time);
        } else {
            let launch = self.model.costs.launch;
            self.result.host = self.result.host.saturating_add(launch);
            let host = &mut self.result.lanes[HOST as usize];
            host.delay = host.delay.saturating_add(launch);
        }
        let points = [
            self.result.lanes[HOST as usize],
            self.result.lanes[lane as usize],
        ];
        self.node(id, lane, time, points.into_iter()).link = link;
    }

    /// Returns the events of other agents that a lane waits for; none if one has no record.
    fn recorded(&self, lane: u32, events: &[EventId]) -> Option<Vec<Recorded>> {
        let frame = self.frames.last()?;
        let mut all = Vec::new();
        for event in events {
            let recorded = frame.event(*event)?;
            // What is complete from the start takes no event.
            if recorded.lane != lane && recorded.at != Point::default() {
                all.push(recorded);
            }
        }
        Some(all)
    }

    fn node(
        &mut self,
        command: CommandId,
        lane: u32,
        time: u64,
        points: impl Iterator<Item = Point>,
    ) -> &mut Node {
        let mut floor = 0;
        for point in points {
            match point.after {
                Some(after) => self.result.edges.push((after, point.delay)),
                None => floor = floor.max(point.delay),
            }
        }
        let issued = self.result.lanes[HOST as usize];
        self.result.lanes[lane as usize] = Point {
            after: Some(self.result.nodes.len() as u32),
            delay: 0,
        };
        let node = Node {
            command,
            lane,
            time,
            is_wait: false,
            link: None,
            floor,
            edges: self.result.edges.len() as u32,
            issued,
        };
        self.result.nodes.push(node);
        let last = self.result.nodes.len() - 1;
        &mut self.result.nodes[last]
    }

    fn mark(&mut self, agent: Agent, buffer: BufferId, is_start: bool) -> Option<()> {
        let lane = self.lane(agent)?;
        let memory = self.frames.last()?.held(buffer)?;
        let lanes = &self.result.lanes;
        self.result.marks.push(Mark {
            at: [lanes[HOST as usize], lanes[lane as usize]],
            is_start,
            memory,
        });
        Some(())
    }

    /// Returns the link of a copy; none within the host or a device.
    fn link(&mut self, from: BufferId, to: BufferId) -> Option<Option<u32>> {
        let frame = self.frames.last()?;
        let link = [frame.space(from)?, frame.space(to)?].map(|space| match space {
            Space::Device(device) => Some(device),
            Space::Pageable | Space::Pinned => None,
        });
        if link[0] == link[1] {
            return Some(None);
        }
        let links = &mut self.result.links;
        let number = *self.links.entry(link).or_insert_with(|| {
            links.push(link);
            links.len() as u32 - 1
        });
        Some(Some(number))
    }

    fn read(&mut self, names: &Names) -> Bound {
        self.count += (names.events.len() + names.buffers.len()) as u64 / 8;
        let frame = self.frames.last();
        frame.map_or_else(Bound::default, |frame| frame.read(names))
    }

    fn bind(&mut self, names: &Names, values: Bound) {
        if let Some(frame) = self.frames.last_mut() {
            frame.bind(names, values);
        }
    }
}
