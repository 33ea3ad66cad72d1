//! The last uses of events.
//!
//! A name of an event holds an event of CUDA while a later command may use it. After the last one,
//! the event is reused. So a list needs as many events as are live at one time, and not as many as
//! it has records.
//!
//! ```text
//!   record e0;  wait e0;  record e1;  loop (e1) { wait e1'; record e2; yield e2 }
//!                   └ e0 ends              └ e1 ends
//! ```
//!
//! The uses in nested bodies count for the command that has the body. Names that a body yields live
//! until they are bound again. Cost: linear in the list, times the depth of its nesting.

use std::collections::{BTreeMap, BTreeSet};

use tfx_schedule::{Body, CommandId, EventId, Op, Part};

/// The lifetimes of the events of a part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lifetimes {
    /// The events that no command uses after this one.
    last: BTreeMap<CommandId, Vec<EventId>>,
    /// Events that are defined, but never used.
    unused: BTreeSet<EventId>,
}

impl Lifetimes {
    pub(crate) fn new(part: &Part) -> Self {
        let mut lifetimes = Self::default();
        lifetimes.body(&part.body, &part.parameters.events);
        lifetimes
    }

    /// Returns the events whose last use a command is.
    pub(crate) fn ending(&self, command: CommandId) -> &[EventId] {
        self.last.get(&command).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a command uses an event.
    pub(crate) fn is_used(&self, event: EventId) -> bool {
        !self.unused.contains(&event)
    }

    /// Adds the events that a body defines, and those that are defined where it starts.
    fn body(&mut self, body: &Body, defined: &[EventId]) {
        let mut defined = defined.to_vec();
        let mut last: BTreeMap<EventId, CommandId> = BTreeMap::new();
        for command in &body.commands {
            mentions(&command.op, &mut |event| {
                last.insert(event, command.id);
            });
            match &command.op {
                Op::Record { event, .. } => defined.push(*event),
                Op::Loop(inner) => {
                    self.body(&inner.body, &inner.arguments.events);
                    defined.extend(&inner.results.events);
                }
                Op::Branch(branch) => {
                    branch.arms.iter().for_each(|arm| self.body(arm, &[]));
                    defined.extend(&branch.results.events);
                }
                Op::Call(call) => defined.extend(&call.results.events),
                _ => {}
            }
        }
        for event in defined {
            if body.yields.events.contains(&event) {
                continue;
            }
            match last.get(&event) {
                Some(command) => self.last.entry(*command).or_default().push(event),
                None => drop(self.unused.insert(event)),
            }
        }
    }
}

/// Calls a function with the events that an operation uses.
fn mentions(op: &Op, found: &mut dyn FnMut(EventId)) {
    let events: &[EventId] = match op {
        Op::Wait { events, .. } => events,
        Op::Loop(inner) => {
            mentions_in(&inner.body, found);
            &inner.initial.events
        }
        Op::Branch(branch) => {
            branch.arms.iter().for_each(|arm| mentions_in(arm, found));
            &[]
        }
        Op::Call(call) => &call.arguments.events,
        _ => &[],
    };
    events.iter().for_each(|event| found(*event));
}

fn mentions_in(body: &Body, found: &mut dyn FnMut(EventId)) {
    let commands = body.commands.iter();
    commands.for_each(|command| mentions(&command.op, found));
    body.yields.events.iter().for_each(|event| found(*event));
}
