//! The meaning of names in a state: bytes of buffers, clocks of events, instances of values.
//!
//! ```text
//! view ──► argument of a loop ──bound to──► slice ──► root, first byte, end
//! ```
//!
//! Slices and views are fixed. A bound buffer, an event or a value has an entry in
//! [`crate::state::Bindings`], from its definition to its last use.

use crate::diagnostic::ModelError;
use crate::engine::{Engine, HOST};
use crate::memory::Instance;
use crate::model::{Agent, Buffer, BufferId, CommandId, Names, ValueId};
use crate::scopes;
use crate::state::{Binding, Meanings, State};

impl<'s> Engine<'_, 's> {
    /// Returns the number of an agent.
    pub(crate) fn agent(&self, agent: Agent) -> u32 {
        match agent {
            Agent::Host => HOST,
            Agent::Stream(stream) => self.streams[stream.index()],
        }
    }

    /// Returns the bytes of a buffer.
    pub(crate) fn binding(&self, state: &State<'s>, buffer: BufferId) -> Option<Binding> {
        let (mut id, mut offset) = (buffer, 0);
        let mut size = None;
        loop {
            match self.part.buffers[id.index()] {
                Buffer::Slice {
                    root,
                    offset: first,
                    size: whole,
                } => {
                    let start = first + offset;
                    return Some(Binding {
                        memory: root.0,
                        start,
                        end: start + size.unwrap_or(whole),
                        slice: id,
                    });
                }
                Buffer::View {
                    of,
                    offset: first,
                    size: whole,
                } => {
                    offset += first;
                    size.get_or_insert(whole);
                    id = of;
                }
                Buffer::Bound { size: whole, .. } => {
                    let bound = state.names.buffers.get(&id)?;
                    let start = bound.start + offset;
                    return Some(Binding {
                        start,
                        end: start + size.unwrap_or(whole),
                        ..*bound
                    });
                }
            }
        }
    }

    /// Returns what names mean, to bind other names to it.
    pub(crate) fn meanings(&mut self, state: &State<'s>, names: &Names) -> Meanings {
        let known = &state.names;
        let events = names.events.iter();
        let events = events.filter_map(|event| known.events.get(event).cloned());
        let buffers = names.buffers.iter();
        let buffers = buffers.filter_map(|&buffer| self.binding(state, buffer));
        let (events, buffers) = (events.collect(), buffers.collect());
        let mut values = Vec::new();
        for value in &names.values {
            let instance = known.values.get(value).copied();
            // A value that is not computed yet is equal to no other.
            values.push(instance.unwrap_or_else(|| self.instance(*value)));
        }
        Meanings {
            events,
            buffers,
            values,
        }
    }

    /// Binds names to what other names mean, and checks the sizes and spaces of buffers.
    pub(crate) fn bind(
        &mut self,
        state: &mut State<'s>,
        names: &Names,
        meanings: Meanings,
        command: CommandId,
    ) {
        for (&buffer, binding) in names.buffers.iter().zip(&meanings.buffers) {
            let size = scopes::size(self.part, buffer);
            let [found, expected] =
                [binding.slice, buffer].map(|buffer| scopes::space(self.part, buffer));
            if size != Some(binding.end - binding.start) || found != expected {
                let error = ModelError::Bound(buffer);
                self.model(command, error);
                state.is_stuck = true;
            }
        }
        state.names.bind(names, meanings);
    }

    /// Returns a new instance of a value.
    pub(crate) fn instance(&mut self, value: ValueId) -> Instance {
        self.instances.push(value);
        self.instances.len() as Instance - 1
    }
}
