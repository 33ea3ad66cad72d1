//! The state of a check at a point of a path, its canonical form, and the union of two states.
//!
//! ```text
//! after iteration 7   s0 knows s1 up to 93      accesses of s1 that matter: at 90, 93, 97
//! after iteration 8   s0 knows s1 up to 105     accesses of s1 that matter: at 102, 105, 109
//!                     both: up to the second of three
//! ```
//!
//! **Canonical form.** Positions grow in each iteration of a loop, but a check only compares an
//! entry of a clock with the positions of accesses in memory. So an entry counts as the number of
//! those positions that it covers, and a position as its rank among them. Values are numbered in
//! the order of the names that refer to them. Two states with the same canonical form behave in
//! the same way, whatever follows, so a loop is checked for all numbers of iterations once its
//! state repeats. A canonical form is finite: each byte has a bounded number of last accesses.
//! Accesses that all agents know to be complete do not matter, and are omitted.
//!
//! **Union.** If there are too many states, two are joined to one that allows the behaviour of
//! both: the minimum of their clocks, and the union of their accesses. An entry of a clock is first
//! raised to the position before the next access of its own path, because the path does not have
//! the accesses of the other one. A value of the union stands for a pair of values, so that a
//! result of a branch keeps its value. States in which buffers are bound or allocated differently
//! are not joined.
//!
//! Cost: linear in the size of the state, with a sort of the positions.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::clock::Clock;
use crate::diagnostic::Name;
use crate::memory::{Content, Instance, Memory, Owner, Position, Segment, Touch};
use crate::model::{BufferId, Command, EventId, Names, ValueId};

/// The bytes to which a buffer is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Binding {
    /// The index of the root in [`State::memory`].
    pub(crate) memory: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The slice or parameter with the lifetime of the bytes.
    pub(crate) slice: BufferId,
}

/// The meaning of the names that a later command uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    pub(crate) events: BTreeMap<EventId, Rc<Clock>>,
    pub(crate) buffers: BTreeMap<BufferId, Binding>,
    pub(crate) values: BTreeMap<ValueId, Instance>,
}

impl Bindings {
    /// Binds names to what other names mean.
    pub(crate) fn bind(&mut self, names: &Names, meanings: Meanings) {
        self.events
            .extend(names.events.iter().copied().zip(meanings.events));
        self.buffers
            .extend(names.buffers.iter().copied().zip(meanings.buffers));
        self.values
            .extend(names.values.iter().copied().zip(meanings.values));
    }

    pub(crate) fn remove(&mut self, name: Name) {
        match name {
            Name::Event(event) => drop(self.events.remove(&event)),
            Name::Buffer(buffer) => drop(self.buffers.remove(&buffer)),
            Name::Value(value) => drop(self.values.remove(&value)),
            Name::Stream(_) | Name::Part(_) => {}
        }
    }

    /// Removes the names that another state does not have.
    pub(crate) fn retain(&mut self, outer: &Bindings) {
        self.events
            .retain(|name, _| outer.events.contains_key(name));
        self.buffers
            .retain(|name, _| outer.buffers.contains_key(name));
        self.values
            .retain(|name, _| outer.values.contains_key(name));
    }
}

/// The meanings of a list of names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meanings {
    pub(crate) events: Vec<Rc<Clock>>,
    pub(crate) buffers: Vec<Binding>,
    pub(crate) values: Vec<Instance>,
}

/// A command that waits for an earlier one of its stream, with the clock of the host at its issue.
#[derive(Clone, Debug)]
pub(crate) struct Queued<'s> {
    pub(crate) command: &'s Command,
    pub(crate) host: Rc<Clock>,
}

/// The state at a point of a path.
#[derive(Clone, Debug)]
pub(crate) struct State<'s> {
    /// By agent; the host is the first.
    pub(crate) clocks: Vec<Clock>,
    /// The number of changes of the host's clock, and how many of them each agent has joined.
    pub(crate) host_changes: u64,
    pub(crate) joined: Vec<u64>,
    /// By root, then the groups of parameters.
    pub(crate) memory: Vec<Rc<Memory>>,
    pub(crate) names: Bindings,
    /// By agent; empty unless a wait precedes its record.
    pub(crate) queues: Vec<VecDeque<Queued<'s>>>,
    /// The total length of the queues.
    pub(crate) queued: usize,
    /// Names to remove once the queues are empty.
    pub(crate) unused: Vec<Name>,
    /// Set after a deadlock.
    pub(crate) is_stuck: bool,
}

/// The canonical form of a state.
pub(crate) type Key = Vec<u64>;

/// Stands for a value without a name, or for an absent number, in a canonical form.
const NONE: u64 = u64::MAX;

impl<'s> State<'s> {
    /// Joins the clock of the host into those of all streams: their next commands are issued later.
    pub(crate) fn join_host(&mut self) {
        let Some((host, streams)) = self.clocks.split_first_mut() else {
            return;
        };
        for (stream, joined) in streams.iter_mut().zip(&mut self.joined[1..]) {
            if *joined != self.host_changes {
                stream.join(host);
                *joined = self.host_changes;
            }
        }
    }

    /// Returns whether all agents know that an access is complete.
    fn is_settled(&self, touch: &Touch) -> bool {
        let mut clocks = self.clocks.iter();
        clocks.all(|clock| clock.covers(touch.agent, touch.position))
    }

    fn touches(&self) -> impl Iterator<Item = &Touch> {
        let segments = self.memory.iter().flat_map(|memory| memory.segments());
        segments.flat_map(|(_, segment)| segment.conflicts(true))
    }

    /// Returns the sorted positions of accesses, by agent.
    fn positions(&self, keeps: impl Fn(&Touch) -> bool) -> Vec<Vec<Position>> {
        let mut positions = vec![Vec::new(); self.clocks.len()];
        for touch in self.touches().filter(|touch| keeps(touch)) {
            positions[touch.agent as usize].push(touch.position);
        }
        for positions in &mut positions {
            positions.sort_unstable();
            positions.dedup();
        }
        positions
    }

    /// Returns the canonical form. In a part that is called, accesses matter to agents of callers,
    /// so all are kept, and `parameters` instances keep their numbers.
    pub(crate) fn key(&mut self, is_entry: bool, parameters: u32) -> Key {
        self.join_host();
        let keeps = |touch: &Touch| !is_entry || !self.is_settled(touch);
        let positions = self.positions(keeps);
        let mut key = Vec::new();
        let clocks = self.clocks.iter();
        for clock in clocks.chain(self.names.events.values().map(|clock| &**clock)) {
            for (agent, &entry) in clock.0.iter().enumerate() {
                key.push(match positions.get(agent) {
                    Some(positions) => positions.partition_point(|&p| p <= entry) as u64,
                    None => entry,
                });
            }
        }
        key.extend(self.names.events.keys().map(|event| u64::from(event.0)));
        for (buffer, binding) in &self.names.buffers {
            key.extend([buffer.0, binding.memory, binding.slice.0].map(u64::from));
            key.extend([binding.start, binding.end]);
        }
        let mut numbers = FxHashMap::default();
        for (value, &instance) in &self.names.values {
            let next = u64::from(parameters) + numbers.len() as u64;
            let number = match instance < parameters {
                true => u64::from(instance),
                false => *numbers.entry(instance).or_insert(next),
            };
            key.extend([u64::from(value.0), number]);
        }
        let rank = |touch: &Touch| {
            let positions = &positions[touch.agent as usize];
            positions.partition_point(|&p| p < touch.position) as u64
        };
        for memory in &self.memory {
            for (start, segment) in memory.segments() {
                key.push(start);
                key.extend(match segment.content {
                    Content::Nothing => [NONE, 0],
                    Content::Entry => [NONE, 1],
                    Content::Value { instance, origin } => match numbers.get(&instance) {
                        Some(&number) => [number, origin],
                        None if instance < parameters => [u64::from(instance), origin],
                        None => [NONE, 0],
                    },
                });
                key.push(match segment.owner {
                    Owner::External => 0,
                    Owner::Dead => 1,
                    Owner::Buffer(buffer) => 2 + u64::from(buffer.0),
                });
                key.push(u64::from(segment.exposed));
                for touches in [&segment.writes[..], &segment.reads[..]] {
                    let touches = touches.iter().filter(|touch| keeps(touch));
                    let mut encoded: SmallVec<[[u64; 3]; 4]> = touches
                        .map(|touch| {
                            let kind = u64::from(touch.command.0) << 8 | touch.effect as u64;
                            [u64::from(touch.agent), rank(touch), kind]
                        })
                        .collect();
                    encoded.sort_unstable();
                    key.push(encoded.len() as u64);
                    key.extend(encoded.into_iter().flatten());
                }
            }
            key.push(NONE);
        }
        key
    }

    /// Adds the behaviour of another state, if both bind and allocate the same buffers. Returns
    /// whether they do. `now` is a position after all others, and `fresh` returns new values.
    pub(crate) fn unite(
        &mut self,
        other: &mut State<'s>,
        now: Position,
        mut fresh: impl FnMut(ValueId) -> Instance,
    ) -> bool {
        if self.names.buffers != other.names.buffers
            || !self.names.events.keys().eq(other.names.events.keys())
            || !self.names.values.keys().eq(other.names.values.keys())
        {
            return false;
        }
        self.join_host();
        other.join_host();
        let mut pairs = FxHashMap::default();
        let mut values = BTreeMap::new();
        for ((&name, &one), &two) in self.names.values.iter().zip(other.names.values.values()) {
            let pair = *pairs.entry((one, two)).or_insert_with(|| match one == two {
                true => one,
                false => fresh(name),
            });
            values.insert(name, pair);
        }
        let mut memory = Vec::with_capacity(self.memory.len());
        for (one, two) in self.memory.iter().zip(&other.memory) {
            match Rc::ptr_eq(one, two) && pairs.iter().all(|((one, two), _)| one == two) {
                true => memory.push(Rc::clone(one)),
                false => match united(one, two, &pairs) {
                    Some(united) => memory.push(Rc::new(united)),
                    None => return false,
                },
            }
        }
        let [mine, others] = [&*self, &*other].map(|state| state.positions(|_| true));
        let minimum = |one: &Clock, two: &Clock| {
            let entries = one.0.iter().zip(&two.0).enumerate();
            let entries = entries.map(|(agent, (&one, &two))| {
                match (mine.get(agent), others.get(agent)) {
                    // No access of either path is between equal entries and the raised ones.
                    _ if one == two => one,
                    (Some(mine), Some(others)) => {
                        raised(mine, one, now).min(raised(others, two, now))
                    }
                    _ => one.min(two),
                }
            });
            Clock(entries.collect())
        };
        let clocks = self.clocks.iter().zip(&other.clocks);
        let clocks = clocks.map(|(one, two)| minimum(one, two)).collect();
        let events = self.names.events.iter().zip(other.names.events.values());
        let events = events.map(|((&name, one), two)| match Rc::ptr_eq(one, two) {
            true => (name, Rc::clone(one)),
            false => (name, Rc::new(minimum(one, two))),
        });
        self.names.events = events.collect();
        self.clocks = clocks;
        self.memory = memory;
        self.names.values = values;
        true
    }
}

/// Returns the last position that a clock with an entry covers on its own path.
fn raised(positions: &[Position], entry: Position, now: Position) -> Position {
    let next = positions.partition_point(|&position| position <= entry);
    positions.get(next).map_or(now, |next| next - 1)
}

/// Returns the union of two memories, or `None` if bytes are allocated differently.
fn united(
    one: &Memory,
    two: &Memory,
    pairs: &FxHashMap<(Instance, Instance), Instance>,
) -> Option<Memory> {
    let mut memory = Memory::empty();
    for (start, segment) in one.segments() {
        for (from, end, other) in two.overlaps(start, segment.end) {
            if segment.owner != other.owner {
                return None;
            }
            let mut both = Segment {
                end,
                content: united_content(segment.content, other.content, pairs),
                exposed: segment.exposed || other.exposed,
                ..segment.clone()
            };
            other.writes.iter().for_each(|&write| both.add_write(write));
            other.reads.iter().for_each(|&read| both.add_read(read));
            memory.push(from, both);
        }
    }
    Some(memory)
}

fn united_content(
    one: Content,
    two: Content,
    pairs: &FxHashMap<(Instance, Instance), Instance>,
) -> Content {
    match (one, two) {
        (
            Content::Value {
                instance: one,
                origin,
            },
            Content::Value {
                instance: two,
                origin: other,
            },
        ) if origin == other => match pairs.get(&(one, two)) {
            Some(&instance) => Content::Value { instance, origin },
            None => Content::Nothing,
        },
        (Content::Entry, Content::Entry) => Content::Entry,
        _ => Content::Nothing,
    }
}
