//! The insertion of records and waits into a schedule.
//!
//! ```text
//!   before                        after
//!   loop (%b0, %b1)               %n = record %s                at the start of the part
//!     copy %s to %b0              loop (%b0, %b1, %e0 = %n, %e1 = %n)
//!     launch %t (%b0 read)          wait %s for %e0             lag 2
//!     yield %b1, %b0                copy %s to %b0
//!                                   %e = record %s
//!                                   wait %t for %e              lag 0
//!                                   launch %t (%b0 read)
//!                                   %f = record %t
//!                                   yield %b1, %b0, %e1, %f
//! ```
//!
//! A wait with a lag refers to an iteration argument that is the event of an earlier iteration. In
//! the first iterations, it is an event at the start of the part, which is complete.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tfx_schedule::{
    Agent, Body, Command, CommandId, Event, EventId, Names, Op, Part, PartId, Schedule, StreamId,
};

use crate::events::Wait;

/// Returns the schedule with records and waits. Each has the place of the command next to it.
pub fn insert<P: Clone>(schedule: &Schedule<P>, waits: &[Wait]) -> Schedule<P> {
    let mut result = schedule.clone();
    let mut parts = std::mem::take(&mut result.parts);
    for (index, part) in parts.iter_mut().enumerate() {
        let own = waits
            .iter()
            .filter(|wait| wait.part == PartId(index as u32));
        let mut before: FxHashMap<CommandId, Vec<Wait>> = FxHashMap::default();
        let mut after: FxHashMap<CommandId, BTreeMap<StreamId, u32>> = FxHashMap::default();
        for wait in own {
            before.entry(wait.before).or_default().push(*wait);
            let lag = after.entry(wait.after).or_default();
            let lag = lag.entry(wait.stream).or_default();
            *lag = (*lag).max(wait.lag);
        }
        if before.is_empty() {
            continue;
        }
        let mut inserter = Inserter {
            places: &mut result.places,
            before,
            after,
            starts: BTreeMap::new(),
            part,
        };
        let body = std::mem::take(&mut inserter.part.body);
        let (mut body, _) = inserter.body(body);
        let starts = std::mem::take(&mut inserter.starts);
        let first = body.commands.first().map(|command| command.id);
        let first = first.unwrap_or(CommandId(0));
        let records = starts
            .into_iter()
            .map(|(stream, event)| inserter.record(first, stream, event));
        let records: Vec<Command> = records.collect();
        body.commands.splice(0..0, records);
        part.body = body;
    }
    result.parts = parts;
    result
}

struct Inserter<'i, P> {
    places: &'i mut Vec<P>,
    part: &'i mut Part,
    before: FxHashMap<CommandId, Vec<Wait>>,
    /// The streams that record an event after a command, with the largest lag.
    after: FxHashMap<CommandId, BTreeMap<StreamId, u32>>,
    /// The events at the start.
    starts: BTreeMap<StreamId, EventId>,
}

/// The events of a command and a stream: of this iteration, and of earlier ones.
type Slots = BTreeMap<(CommandId, StreamId), Vec<EventId>>;

impl<P: Clone> Inserter<'_, P> {
    /// Returns a body with its events, and the iteration arguments for those of earlier iterations.
    fn body(&mut self, body: Body) -> (Body, Slots) {
        let mut slots = Slots::new();
        for command in &body.commands {
            for (&stream, &lag) in self.after.get(&command.id).cloned().iter().flatten() {
                let events = (0..=lag).map(|_| self.event(stream)).collect();
                slots.insert((command.id, stream), events);
            }
        }
        let mut commands = Vec::with_capacity(body.commands.len());
        for command in body.commands {
            let id = command.id;
            let waits = self.before.get(&id).cloned().unwrap_or_default();
            let mut by_agent: BTreeMap<Agent, Vec<EventId>> = BTreeMap::new();
            for wait in waits {
                let event = slots[&(wait.after, wait.stream)][wait.lag as usize];
                by_agent.entry(wait.agent).or_default().push(event);
            }
            for (agent, events) in by_agent {
                commands.push(self.command(id, Op::Wait { agent, events }));
            }
            let command = self.nested(command);
            commands.push(command);
            let streams = self.after.get(&id).cloned().unwrap_or_default();
            for stream in streams.into_keys() {
                let event = slots[&(id, stream)][0];
                commands.push(self.record(id, stream, event));
            }
        }
        let body = Body {
            commands,
            yields: body.yields,
        };
        (body, slots)
    }

    fn nested(&mut self, command: Command) -> Command {
        let Command { id, op } = command;
        let op = match op {
            Op::Loop(mut inner) => {
                let body = std::mem::take(&mut inner.body);
                let (body, slots) = self.body(body);
                inner.body = body;
                for ((_, stream), events) in slots {
                    for pair in events.windows(2) {
                        let start = self.start(stream);
                        inner.initial.events.push(start);
                        inner.body.yields.events.push(pair[0]);
                        inner.arguments.events.push(pair[1]);
                        let result = self.event(stream);
                        inner.results.events.push(result);
                    }
                }
                Op::Loop(inner)
            }
            Op::Branch(mut branch) => {
                let arms = std::mem::take(&mut branch.arms);
                branch.arms = arms.into_iter().map(|arm| self.body(arm).0).collect();
                Op::Branch(branch)
            }
            op => op,
        };
        Command { id, op }
    }

    fn start(&mut self, stream: StreamId) -> EventId {
        if let Some(event) = self.starts.get(&stream) {
            return *event;
        }
        let event = self.event(stream);
        self.starts.insert(stream, event);
        event
    }

    fn event(&mut self, stream: StreamId) -> EventId {
        let device = self.part.streams[stream.0 as usize].device;
        self.part.events.push(Event { device });
        EventId(self.part.events.len() as u32 - 1)
    }

    fn record(&mut self, at: CommandId, stream: StreamId, event: EventId) -> Command {
        let agent = Agent::Stream(stream);
        self.command(at, Op::Record { agent, event })
    }

    fn command(&mut self, at: CommandId, op: Op) -> Command {
        let place = self.places[at.0 as usize].clone();
        self.places.push(place);
        Command {
            id: CommandId(self.places.len() as u32 - 1),
            op,
        }
    }
}

/// Returns the schedule without records and waits, and without events as arguments and results.
pub fn strip<P: Clone>(schedule: &Schedule<P>) -> Schedule<P> {
    let mut result = schedule.clone();
    for part in &mut result.parts {
        strip_body(&mut part.body);
        part.parameters.events.clear();
        part.events.clear();
    }
    result
}

fn strip_body(body: &mut Body) {
    let clear = |names: &mut Names| names.events.clear();
    clear(&mut body.yields);
    body.commands
        .retain(|command| !matches!(command.op, Op::Record { .. } | Op::Wait { .. }));
    for command in &mut body.commands {
        match &mut command.op {
            Op::Loop(inner) => {
                let Names { events, .. } = &mut inner.initial;
                events.clear();
                clear(&mut inner.arguments);
                clear(&mut inner.results);
                strip_body(&mut inner.body);
            }
            Op::Branch(branch) => {
                clear(&mut branch.results);
                branch.arms.iter_mut().for_each(strip_body);
            }
            Op::Call(call) => {
                clear(&mut call.arguments);
                clear(&mut call.results);
            }
            _ => {}
        }
    }
}
