//! The checks of single accesses: V1 and V5 (order), V2 (lifetimes), V3 (values), and the operands
//! of one command.
//!
//! ```text
//! read of value v   last writes covered by the clock?   owner?   content = v at this offset?
//! write             last writes and reads covered?      owner?   content becomes the new value
//! alloc             last writes and reads covered?      dead?    owner becomes the slice
//! free              last writes and reads covered?      owner?   dead
//! ```
//!
//! In a part that is called, the first accesses of bytes of parameters become requirements on the
//! caller ([`crate::calls`]).

use std::rc::Rc;

use smallvec::SmallVec;

use crate::diagnostic::{Bytes, Effect, Found, LifetimeError, ModelError, Problem, Rule};
use crate::engine::Engine;
use crate::memory::{Content, Instance, Owner, Segment, Touch};
use crate::model::{Access, Buffer, BufferId, CommandId, Mode, Work};
use crate::state::{Binding, State};
use crate::summary::Requirement;

/// An access and its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved {
    pub(crate) access: Access,
    pub(crate) binding: Binding,
}

impl Resolved {
    /// Returns where the first byte of the value would be.
    fn origin(&self) -> u64 {
        let offset = self.access.value.map_or(0, |value| value.offset);
        self.binding.start.wrapping_sub(offset)
    }

    fn conflicts(&self, other: &Resolved, kind: Work) -> bool {
        let modes = [self.access.mode, other.access.mode];
        let is_update = modes.contains(&Mode::Read) && modes.contains(&Mode::Write);
        let range = |access: &Resolved| {
            let binding = &access.binding;
            (binding.memory, binding.start, binding.end)
        };
        let is_same = range(self) == range(other);
        modes != [Mode::Read; 2] && !(is_update && is_same && kind != Work::Copy)
    }
}

/// A property of bytes that an access finds.
#[derive(Clone, Copy, Debug)]
enum Finding {
    Unordered(Touch),
    Exposed,
    Owner(LifetimeError),
    Content(Content, Option<Touch>),
}

impl<'s> Engine<'_, 's> {
    /// Checks that no operand that is written overlaps another one.
    pub(crate) fn check_overlaps(&mut self, command: CommandId, kind: Work, operands: &[Resolved]) {
        if operands.len() < 2 {
            return;
        }
        let mut sorted: SmallVec<[&Resolved; 8]> = operands.iter().collect();
        sorted.sort_by_key(|operand| (operand.binding.memory, operand.binding.start));
        for (index, one) in sorted.iter().enumerate() {
            let after = sorted[index + 1..].iter().take_while(|two| {
                two.binding.memory == one.binding.memory && two.binding.start < one.binding.end
            });
            for two in after {
                if one.conflicts(two, kind) {
                    let has_scratch = [one, two].iter().any(|a| a.access.mode == Mode::Scratch);
                    let rule = match kind {
                        Work::Copy => Rule::Cuda,
                        _ if has_scratch => Rule::Cuda,
                        _ => Rule::Order,
                    };
                    let bytes = bytes(&two.binding, two.binding.start, two.binding.end);
                    self.report(Problem::Overlap {
                        rule,
                        command,
                        bytes,
                    });
                }
            }
        }
    }

    /// Executes a read.
    pub(crate) fn read(
        &mut self,
        state: &mut State<'s>,
        agent: u32,
        command: CommandId,
        read: &Resolved,
    ) {
        let Binding {
            memory, start, end, ..
        } = read.binding;
        let touch = self.touch(agent, command, Effect::Read);
        let expected = read.access.value.map(|value| {
            let instance = state.names.values.get(&value.id);
            (value.id, instance.copied())
        });
        let origin = read.origin();
        let mut findings: SmallVec<[(u64, u64, Finding); 2]> = SmallVec::new();
        for (from, to, segment) in state.memory[memory as usize].overlaps(start, end) {
            let clock = &state.clocks[agent as usize];
            let mut is_ordered = true;
            for write in segment.conflicts(false) {
                if !clock.covers(write.agent, write.position) {
                    findings.push((from, to, Finding::Unordered(*write)));
                    is_ordered = false;
                }
            }
            if segment.exposed {
                findings.push((from, to, Finding::Exposed));
            }
            let is_owned = owner_error(segment.owner, read.binding.slice);
            findings.extend(is_owned.map(|error| (from, to, Finding::Owner(error))));
            if let Some((_, instance)) = expected
                && is_ordered
                && is_owned.is_none()
                && !finds(segment, instance, origin, self.parameters)
            {
                let writer = segment.writes.first().copied();
                findings.push((from, to, Finding::Content(segment.content, writer)));
            }
        }
        for (from, to, finding) in findings {
            let bytes = bytes(&read.binding, from, to);
            if let Finding::Content(content, writer) = finding {
                let writer = writer.map(|touch| self.site(&touch));
                let Some((expected, instance)) = expected else {
                    continue;
                };
                self.report(Problem::Value {
                    site: self.site(&touch),
                    bytes,
                    expected,
                    found: self.found(state, content, instance),
                    writer,
                });
            } else {
                let instance = expected.and_then(|(_, instance)| instance);
                let expected = instance.map(|instance| (instance, origin));
                self.finding(state, touch, &read.binding, bytes, finding, expected);
            }
        }
        let memory = Rc::make_mut(&mut state.memory[memory as usize]);
        memory.update(start, end, |segment| segment.add_read(touch));
    }

    /// Executes a write, or a use as workspace.
    pub(crate) fn write(
        &mut self,
        state: &mut State<'s>,
        agent: u32,
        command: CommandId,
        write: &Resolved,
    ) {
        let (effect, value) = match write.access.mode {
            Mode::Scratch => (Effect::Scratch, None),
            _ => (Effect::Write, write.access.value),
        };
        // A value with this name exists even if the mode is wrong.
        let instance = write.access.value.map(|value| {
            let instance = self.instance(value.id);
            state.names.values.insert(value.id, instance);
            instance
        });
        let content = match (value, instance) {
            (Some(_), Some(instance)) => Content::Value {
                instance,
                origin: write.origin(),
            },
            _ => Content::Nothing,
        };
        let touch = self.touch(agent, command, effect);
        let owner = self.overwrite(state, touch, &write.binding, |owner, slice| {
            owner_error(owner, slice)
        });
        let owner = match owner {
            Owner::External => Owner::External,
            _ => Owner::Buffer(write.binding.slice),
        };
        set(state, touch, &write.binding, content, owner);
    }

    /// Starts the lifetime of a slice.
    pub(crate) fn alloc(
        &mut self,
        state: &mut State<'s>,
        agent: u32,
        command: CommandId,
        buffer: BufferId,
    ) {
        let Some(binding) = self.whole_slice(state, command, buffer) else {
            return;
        };
        let touch = self.touch(agent, command, Effect::Alloc);
        self.overwrite(state, touch, &binding, |owner, _| match owner {
            Owner::Dead => None,
            Owner::External => Some(LifetimeError::External),
            Owner::Buffer(other) => Some(LifetimeError::Other(other)),
        });
        let owner = Owner::Buffer(binding.slice);
        set(state, touch, &binding, Content::Nothing, owner);
    }

    /// Ends the lifetime of a slice.
    pub(crate) fn free(
        &mut self,
        state: &mut State<'s>,
        agent: u32,
        command: CommandId,
        buffer: BufferId,
    ) {
        let Some(binding) = self.whole_slice(state, command, buffer) else {
            return;
        };
        let touch = self.touch(agent, command, Effect::Free);
        self.overwrite(state, touch, &binding, |owner, slice| match owner {
            Owner::External => Some(LifetimeError::External),
            _ => owner_error(owner, slice),
        });
        set(state, touch, &binding, Content::Nothing, Owner::Dead);
    }

    /// Returns the bytes of a buffer that is a whole slice.
    fn whole_slice(
        &mut self,
        state: &State<'s>,
        command: CommandId,
        buffer: BufferId,
    ) -> Option<Binding> {
        let binding = self.binding(state, buffer)?;
        let is_whole = match self.part.buffers[binding.slice.index()] {
            Buffer::Slice { offset, size, .. } => {
                (binding.start, binding.end) == (offset, offset + size)
            }
            _ => false,
        };
        if !is_whole {
            self.model(command, ModelError::NotASlice(buffer));
        }
        is_whole.then_some(binding)
    }

    /// Checks that earlier accesses of bytes precede an access that replaces their content.
    /// Returns the owner of the last bytes.
    fn overwrite(
        &mut self,
        state: &State<'s>,
        touch: Touch,
        binding: &Binding,
        owner_error: impl Fn(Owner, BufferId) -> Option<LifetimeError>,
    ) -> Owner {
        let memory = &state.memory[binding.memory as usize];
        let clock = &state.clocks[touch.agent as usize];
        let mut findings: SmallVec<[(u64, u64, Finding); 2]> = SmallVec::new();
        let mut owner = Owner::Dead;
        for (from, to, segment) in memory.overlaps(binding.start, binding.end) {
            for other in segment.conflicts(true) {
                if !clock.covers(other.agent, other.position) {
                    findings.push((from, to, Finding::Unordered(*other)));
                }
            }
            if segment.exposed {
                findings.push((from, to, Finding::Exposed));
            }
            if let Some(error) = owner_error(segment.owner, binding.slice) {
                findings.push((from, to, Finding::Owner(error)));
            }
            owner = segment.owner;
        }
        for (from, to, finding) in findings {
            let bytes = bytes(binding, from, to);
            self.finding(state, touch, binding, bytes, finding, None);
        }
        owner
    }

    /// Reports a finding, or adds it to the requirements on callers.
    fn finding(
        &mut self,
        state: &State<'s>,
        touch: Touch,
        binding: &Binding,
        bytes: Bytes,
        finding: Finding,
        expected: Option<(Instance, u64)>,
    ) {
        match finding {
            Finding::Unordered(first) => self.unordered(&first, &touch, bytes),
            Finding::Owner(error) => {
                let site = self.site(&touch);
                self.report(Problem::Lifetime { site, bytes, error });
            }
            Finding::Exposed => {
                let symbols = &state.clocks[touch.agent as usize].0[self.agents.len()..];
                let expected = expected.filter(|(instance, _)| *instance < self.parameters);
                self.requirements.insert(Requirement {
                    memory: binding.memory,
                    buffer: binding.slice,
                    start: bytes.start,
                    end: bytes.end,
                    touch: Touch {
                        position: 0,
                        ..touch
                    },
                    cover: symbols.iter().map(|&known| known > 0).collect(),
                    expected,
                });
            }
            Finding::Content(..) => {}
        }
    }

    /// Returns the name of a content.
    fn found(&self, state: &State<'s>, content: Content, expected: Option<Instance>) -> Found {
        match content {
            _ if expected.is_none() => Found::Future,
            Content::Nothing => Found::Nothing,
            Content::Entry => Found::Unnamed,
            Content::Value { instance, .. } => {
                let names = state.names.values.iter();
                let mut names = names.filter(|(_, known)| **known == instance);
                let defined = self.instances.get(instance as usize).copied();
                match names.next().map(|(name, _)| *name).or(defined) {
                    Some(value) => Found::Value(value),
                    None => Found::Unnamed,
                }
            }
        }
    }

    fn touch(&self, agent: u32, command: CommandId, effect: Effect) -> Touch {
        Touch {
            agent,
            position: self.now,
            command,
            effect,
        }
    }
}

/// Replaces the content of bytes.
fn set(state: &mut State<'_>, touch: Touch, binding: &Binding, content: Content, owner: Owner) {
    let segment = Segment {
        end: binding.end,
        writes: SmallVec::from_elem(touch, 1),
        reads: SmallVec::new(),
        content,
        owner,
        exposed: false,
    };
    let memory = Rc::make_mut(&mut state.memory[binding.memory as usize]);
    memory.replace(binding.start, segment);
}

/// Returns the error of an access of bytes for a slice.
pub(crate) fn owner_error(owner: Owner, slice: BufferId) -> Option<LifetimeError> {
    match owner {
        Owner::External => None,
        Owner::Buffer(buffer) if buffer == slice => None,
        Owner::Buffer(buffer) => Some(LifetimeError::Other(buffer)),
        Owner::Dead => Some(LifetimeError::Dead),
    }
}

/// Returns whether a segment has an expected value. The content at the entry of a part may be any
/// parameter: the caller checks it.
fn finds(segment: &Segment, expected: Option<Instance>, origin: u64, parameters: u32) -> bool {
    match (segment.content, expected) {
        (_, None) | (Content::Nothing, _) => false,
        (Content::Entry, Some(expected)) => expected < parameters,
        (
            Content::Value {
                instance,
                origin: found,
            },
            Some(expected),
        ) => instance == expected && origin == found,
    }
}

pub(crate) fn bytes(binding: &Binding, start: u64, end: u64) -> Bytes {
    Bytes {
        buffer: binding.slice,
        start,
        end,
    }
}
