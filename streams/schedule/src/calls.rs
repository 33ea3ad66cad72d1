//! Partial schedules: a summary for each definition, which calls apply.
//!
//! ```text
//! part(s0, s1, buffer a, event e)          summary
//!   wait s1, e                             requires: the last accesses of a are covered
//!   launch s1 reads a, writes b       ──►            by what s1, e or the host knew at the call
//!   f = record s1                          ensures:  b was last written by s1; f covers that,
//!   yields f                                         and what s1 and e knew
//! ```
//!
//! A part is simulated once, with unknown accesses of its parameters at its start. An *entry
//! symbol* stands for what a stream, the host or an event parameter knows when the part is called;
//! it has an entry in each clock, which tells whether the clock contains it. The first access of a
//! byte of a parameter then becomes a *requirement*: the symbols in the clock of the access must
//! cover the earlier accesses in the caller. At the end, the last accesses of parameters, the
//! clocks of streams and the clocks of resulting events are what the part *ensures*.
//!
//! If a call passes one stream or overlapping buffers for several parameters, the part is simulated
//! again for this pattern, because its commands may then be ordered or conflict differently.
//!
//! Cost: for each definition and pattern a simulation; for each call the sizes of the summary and
//! of the memory that it names.

use std::collections::BTreeMap;
use std::rc::Rc;

use smallvec::SmallVec;

use crate::accesses::{bytes, owner_error};
use crate::clock::Clock;
use crate::diagnostic::{Bytes, Effect, Found, Problem};
use crate::engine::{Engine, HOST, Shared};
use crate::memory::{Content, Instance, Memory, Owner, Position, Segment, Touch};
use crate::model::{Agent, BufferId, Call, CommandId, Part, PartId, StreamId};
use crate::scopes;
use crate::state::{Binding, State};

/// A first access of bytes of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Requirement {
    /// The index of the memory in the part.
    pub(crate) memory: u32,
    /// The parameter.
    pub(crate) buffer: BufferId,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The access; its position is 0.
    pub(crate) touch: Touch,
    /// The entry symbols that the access is ordered after.
    pub(crate) cover: SmallVec<[bool; 16]>,
    /// The value parameter that a read expects, and where its first byte would be.
    pub(crate) expected: Option<(Instance, u64)>,
}

/// The streams and buffers of a call that are the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SummaryKey {
    part: PartId,
    /// The agent of each stream parameter.
    streams: Vec<u32>,
    /// The group and offset of each buffer parameter.
    buffers: Vec<(u32, u64)>,
    /// The size of each group.
    groups: Vec<u64>,
}

/// The requirements and effects of a part.
#[derive(Debug)]
pub(crate) struct Summary {
    requirements: Vec<Requirement>,
    /// One for each state at the end.
    exits: Vec<Exit>,
    /// The last position.
    span: Position,
    /// The agents of the part.
    agents: usize,
    /// The number of its roots: the groups of parameters follow.
    roots: u32,
}

/// A state at the end of a part.
#[derive(Debug)]
struct Exit {
    /// By agent.
    clocks: Vec<Clock>,
    /// By result.
    events: Vec<Rc<Clock>>,
    values: Vec<Instance>,
    /// The accessed bytes of parameters: the group, the first byte, and the segment.
    memory: Vec<(u32, u64, Segment)>,
}

/// A call in a state of the caller.
#[derive(Debug)]
struct CallSite<'c> {
    call: &'c Call,
    key: SummaryKey,
    /// The agent of the caller for each agent of the part.
    agents: Vec<u32>,
    /// The memory of the caller for each group, and the first byte.
    groups: Vec<(u32, u64)>,
    /// The bytes of each buffer argument.
    buffers: Vec<Binding>,
    /// The instance of each value argument.
    values: Vec<Instance>,
    /// The clock that each entry symbol stands for.
    symbols: Vec<Rc<Clock>>,
}

impl<'s> Engine<'_, 's> {
    /// Simulates a call by the summary of its part.
    pub(crate) fn run_call(
        &mut self,
        call: &'s Call,
        id: CommandId,
        states: Vec<State<'s>>,
    ) -> Vec<State<'s>> {
        let mut ends = Vec::new();
        for mut state in states {
            if !self.has_budget(id) {
                return Vec::new();
            }
            state.join_host();
            let Some(site) = self.call_site(&mut state, call, id) else {
                continue;
            };
            let summary = self.summary(&site.key);
            for requirement in &summary.requirements {
                self.require(&state, &site, &summary, requirement);
            }
            for exit in &summary.exits {
                ends.push(self.apply(state.clone(), &site, &summary, exit));
            }
        }
        ends
    }

    /// Returns what a call passes, or `None` if it does not fit its part.
    fn call_site<'c>(
        &mut self,
        state: &mut State<'s>,
        call: &'c Call,
        id: CommandId,
    ) -> Option<CallSite<'c>> {
        let callee = &self.shared.program.parts[call.part.index()];
        let meanings = self.meanings(state, &call.arguments);
        for (&parameter, binding) in callee.parameters.buffers.iter().zip(&meanings.buffers) {
            let size = scopes::size(callee, parameter);
            let expected = scopes::space(callee, parameter);
            let found = scopes::space(self.part, binding.slice);
            if size != Some(binding.end - binding.start) || found != expected {
                let error = crate::diagnostic::ModelError::Bound(binding.slice);
                self.model(id, error);
                return None;
            }
        }
        let mut agents = vec![HOST];
        let streams = call.streams.iter().map(|&stream| {
            let agent = self.agent(Agent::Stream(stream));
            let known = agents.iter().position(|&known| known == agent);
            known.unwrap_or_else(|| {
                agents.push(agent);
                agents.len() - 1
            }) as u32
        });
        let streams = streams.collect();
        let groups = group(&meanings.buffers);
        let clocks = agents.iter();
        let clocks = clocks.map(|&agent| Rc::new(state.clocks[agent as usize].clone()));
        Some(CallSite {
            call,
            key: SummaryKey {
                part: call.part,
                streams,
                buffers: groups.offsets,
                groups: groups.sizes,
            },
            symbols: clocks.chain(meanings.events.iter().cloned()).collect(),
            agents,
            groups: groups.places,
            buffers: meanings.buffers,
            values: meanings.values,
        })
    }

    /// Returns the summary of a part for a pattern of arguments.
    fn summary(&mut self, key: &SummaryKey) -> Rc<Summary> {
        if let Some(known) = self.shared.summaries.get(key) {
            return Rc::clone(known);
        }
        let summary = Rc::new(summarize(self.shared, key));
        self.shared
            .summaries
            .insert(key.clone(), Rc::clone(&summary));
        summary
    }

    /// Checks a requirement of a part in a state of the caller.
    fn require(
        &mut self,
        state: &State<'s>,
        site: &CallSite<'_>,
        summary: &Summary,
        requirement: &Requirement,
    ) {
        let callee = &self.shared.program.parts[site.call.part.index()];
        let group = (requirement.memory - summary.roots) as usize;
        let (memory, base) = site.groups[group];
        let cover = self.joined(site, requirement.cover.iter().copied());
        let touch = Touch {
            agent: site.agents[requirement.touch.agent as usize],
            ..requirement.touch
        };
        let parameters = callee.parameters.buffers.iter();
        let mut arguments = parameters.zip(&site.buffers);
        let argument = arguments.find(|(parameter, _)| **parameter == requirement.buffer);
        let Some((_, binding)) = argument else {
            return;
        };
        let expected = requirement.expected.map(|(instance, origin)| {
            let instance = site.values[instance as usize];
            (instance, origin.wrapping_add(base))
        });
        let is_write = touch.effect != Effect::Read;
        let (start, end) = (requirement.start + base, requirement.end + base);
        let memory_bytes = Rc::clone(&state.memory[memory as usize]);
        for (from, to, segment) in memory_bytes.overlaps(start, end) {
            let bytes = bytes(binding, from, to);
            let mut is_ordered = true;
            for first in segment.conflicts(is_write) {
                if !cover.covers(first.agent, first.position) {
                    self.unordered(first, &touch, bytes);
                    is_ordered = false;
                }
            }
            if segment.exposed {
                self.require_of_caller(&cover, touch, bytes, memory, expected);
            }
            if let Some(error) = owner_error(segment.owner, binding.slice) {
                let site = self.site(&touch);
                self.report(Problem::Lifetime { site, bytes, error });
            } else if is_ordered && let Some(expected) = expected {
                self.require_value(segment, expected, touch, bytes);
            }
        }
    }

    /// Forwards a requirement to the callers of this part.
    fn require_of_caller(
        &mut self,
        cover: &Clock,
        touch: Touch,
        bytes: Bytes,
        memory: u32,
        expected: Option<(Instance, u64)>,
    ) {
        let symbols = &cover.0[self.agents.len()..];
        self.requirements.insert(Requirement {
            memory,
            buffer: bytes.buffer,
            start: bytes.start,
            end: bytes.end,
            touch,
            cover: symbols.iter().map(|&known| known > 0).collect(),
            expected: expected.filter(|(instance, _)| *instance < self.parameters),
        });
    }

    fn require_value(
        &mut self,
        segment: &Segment,
        (expected, origin): (Instance, u64),
        touch: Touch,
        bytes: Bytes,
    ) {
        let found = match segment.content {
            Content::Value {
                instance,
                origin: found,
            } if instance == expected && origin == found => return,
            Content::Entry if expected < self.parameters => return,
            Content::Nothing => Found::Nothing,
            Content::Entry => Found::Unnamed,
            Content::Value { instance, .. } => match self.instances.get(instance as usize) {
                Some(&value) => Found::Value(value),
                None => Found::Unnamed,
            },
        };
        let Some(&expected) = self.instances.get(expected as usize) else {
            return;
        };
        let writer = segment.writes.first().map(|touch| self.site(touch));
        self.report(Problem::Value {
            site: self.site(&touch),
            bytes,
            expected,
            found,
            writer,
        });
    }

    /// Returns the state after a call that ends in a given state of the part.
    fn apply(
        &mut self,
        mut state: State<'s>,
        site: &CallSite<'_>,
        summary: &Summary,
        exit: &Exit,
    ) -> State<'s> {
        let base = self.now;
        self.now += summary.span;
        let clocks: Vec<Clock> = exit
            .clocks
            .iter()
            .map(|clock| self.clock_of_caller(clock, site, summary, base))
            .collect();
        for (&agent, clock) in site.agents.iter().zip(&clocks) {
            state.clocks[agent as usize].join(clock);
        }
        state.host_changes += 1;
        let results = &site.call.results;
        for (&event, clock) in results.events.iter().zip(&exit.events) {
            let clock = self.clock_of_caller(clock, site, summary, base);
            state.names.events.insert(event, Rc::new(clock));
        }
        let parameters = site.values.len() as Instance;
        let mut instances: BTreeMap<Instance, Instance> = BTreeMap::new();
        for (&value, &instance) in results.values.iter().zip(&exit.values) {
            let instance = match instance < parameters {
                true => site.values[instance as usize],
                false => *instances
                    .entry(instance)
                    .or_insert_with(|| self.instance(value)),
            };
            state.names.values.insert(value, instance);
        }
        for (group, start, segment) in &exit.memory {
            let (memory, first) = site.groups[*group as usize];
            let memory = Rc::make_mut(&mut state.memory[memory as usize]);
            memory.update(start + first, segment.end + first, |old| {
                merge_exit(old, segment, site, base, first, &instances);
            });
        }
        state
    }

    /// Returns what a clock of a part means in its caller.
    fn clock_of_caller(
        &self,
        clock: &Clock,
        site: &CallSite<'_>,
        summary: &Summary,
        base: Position,
    ) -> Clock {
        let (positions, symbols) = clock.0.split_at(summary.agents);
        let mut result = self.joined(site, symbols.iter().map(|&known| known > 0));
        for ((&agent, &position), &symbol) in site.agents.iter().zip(positions).zip(symbols) {
            // In a union of states, an entry covers the commands of the part only. In the caller,
            // it would also cover earlier commands of the agent, which its symbol stands for.
            if position > 0 && symbol > 0 {
                result.advance(agent, base + position);
            }
        }
        result
    }

    /// Returns the union of what entry symbols stand for.
    fn joined(&self, site: &CallSite<'_>, cover: impl Iterator<Item = bool>) -> Clock {
        let mut clock = Clock::new(self.agents.len() + self.symbols);
        for (symbol, _) in site.symbols.iter().zip(cover).filter(|(_, known)| *known) {
            clock.join(symbol);
        }
        clock
    }
}

/// Changes bytes of the caller as a part did.
fn merge_exit(
    old: &mut Segment,
    new: &Segment,
    site: &CallSite<'_>,
    base: Position,
    first: u64,
    instances: &BTreeMap<Instance, Instance>,
) {
    let of_caller = |touch: &Touch| Touch {
        agent: site.agents[touch.agent as usize],
        position: base + touch.position,
        ..*touch
    };
    let content = match new.content {
        Content::Entry => old.content,
        Content::Nothing => Content::Nothing,
        Content::Value { instance, origin } => match instances.get(&instance) {
            Some(&instance) => Content::Value {
                instance,
                origin: origin.wrapping_add(first),
            },
            None => Content::Nothing,
        },
    };
    old.content = content;
    if !new.exposed {
        old.writes.clear();
        old.reads.clear();
        old.exposed = false;
    }
    for write in &new.writes {
        old.add_write(of_caller(write));
    }
    for read in &new.reads {
        old.add_read(of_caller(read));
    }
}

/// Simulates a part for a pattern of arguments.
fn summarize(shared: &mut Shared<'_>, key: &SummaryKey) -> Summary {
    let program = shared.program;
    let part = &program.parts[key.part.index()];
    let agents = 1 + key
        .streams
        .iter()
        .map(|&agent| agent as usize)
        .max()
        .unwrap_or(0);
    let first_stream = |agent: usize| {
        let stream = key.streams.iter().position(|&own| own as usize == agent);
        Agent::Stream(StreamId(stream.unwrap_or(0) as u32))
    };
    let parameters = &part.parameters;
    let mut engine = Engine {
        shared,
        id: key.part,
        part,
        agents: std::iter::once(Agent::Host)
            .chain((1..agents).map(first_stream))
            .collect(),
        streams: key.streams.clone(),
        symbols: agents + parameters.events.len(),
        parameters: parameters.values.len() as u32,
        now: 0,
        instances: parameters.values.clone(),
        requirements: Default::default(),
    };
    let state = entry_state(&engine, part, key);
    let states = engine.run(&part.body, vec![state]);
    let roots = part.roots.len();
    let mut exits = Vec::new();
    for mut state in states {
        state.join_host();
        exits.push(exit(&mut engine, part, &state, roots));
    }
    Summary {
        exits,
        span: engine.now + 1,
        agents,
        roots: roots as u32,
        requirements: engine.requirements.into_iter().collect(),
    }
}

/// Returns the state at the start of a part.
fn entry_state<'s>(engine: &Engine<'_, 's>, part: &Part, key: &SummaryKey) -> State<'s> {
    let mut state = engine.initial_state();
    let agents = engine.agents.len();
    for (symbol, clock) in state.clocks.iter_mut().enumerate() {
        clock.0[agents + symbol] = 1;
    }
    for &size in &key.groups {
        let memory = Memory::new(size, Owner::External, Content::Entry, true);
        state.memory.push(Rc::new(memory));
    }
    let parameters = &part.parameters;
    for (&buffer, &(group, start)) in parameters.buffers.iter().zip(&key.buffers) {
        let binding = Binding {
            memory: part.roots.len() as u32 + group,
            start,
            end: start + scopes::size(part, buffer).unwrap_or(0),
            slice: buffer,
        };
        state.names.buffers.insert(buffer, binding);
    }
    for (index, &event) in parameters.events.iter().enumerate() {
        let mut clock = Clock::new(agents + engine.symbols);
        clock.0[2 * agents + index] = 1;
        state.names.events.insert(event, Rc::new(clock));
    }
    for (index, &value) in parameters.values.iter().enumerate() {
        state.names.values.insert(value, index as Instance);
    }
    state
}

/// Returns what a state at the end of a part ensures.
fn exit<'s>(engine: &mut Engine<'_, 's>, part: &Part, state: &State<'s>, roots: usize) -> Exit {
    let results = engine.meanings(state, &part.body.yields);
    let mut memory = Vec::new();
    for (group, segments) in state.memory[roots..].iter().enumerate() {
        for (start, segment) in segments.segments() {
            let is_accessed = !segment.exposed || segment.conflicts(true).next().is_some();
            if is_accessed {
                memory.push((group as u32, start, segment.clone()));
            }
        }
    }
    Exit {
        clocks: state.clocks.clone(),
        events: results.events,
        values: results.values,
        memory,
    }
}

/// Buffers of a call, grouped by overlap.
#[derive(Debug, Default)]
struct Groups {
    /// The memory and first byte of each group.
    places: Vec<(u32, u64)>,
    /// The sizes of groups.
    sizes: Vec<u64>,
    /// The group of each buffer, and its offset there.
    offsets: Vec<(u32, u64)>,
}

/// Groups the buffers that overlap, in the order of their first buffers.
fn group(buffers: &[Binding]) -> Groups {
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&index| (buffers[index].memory, buffers[index].start));
    // The memory, the first byte and the end of each group, by position.
    let mut ranges: Vec<(u32, u64, u64)> = Vec::new();
    let mut range_of = vec![0; buffers.len()];
    for index in order {
        let buffer = &buffers[index];
        match ranges.last_mut() {
            Some((memory, _, end)) if *memory == buffer.memory && buffer.start < *end => {
                *end = (*end).max(buffer.end);
            }
            _ => ranges.push((buffer.memory, buffer.start, buffer.end)),
        }
        range_of[index] = ranges.len() - 1;
    }
    let mut numbers: Vec<Option<u32>> = vec![None; ranges.len()];
    let mut groups = Groups::default();
    for (buffer, &range) in buffers.iter().zip(&range_of) {
        let (memory, start, end) = ranges[range];
        let number = *numbers[range].get_or_insert_with(|| {
            groups.places.push((memory, start));
            groups.sizes.push(end - start);
            groups.places.len() as u32 - 1
        });
        groups.offsets.push((number, buffer.start - start));
    }
    groups
}

/// Checks the parts that no call uses, with streams and buffers that are all different.
pub(crate) fn check_unused(shared: &mut Shared<'_>) {
    let parts = shared.program.parts.len().saturating_sub(1);
    for index in (0..parts).rev() {
        let id = PartId(index as u32);
        if shared.summaries.keys().any(|key| key.part == id) {
            continue;
        }
        let part = &shared.program.parts[index];
        let buffers = &part.parameters.buffers;
        let sizes = buffers.iter().map(|&buffer| scopes::size(part, buffer));
        let key = SummaryKey {
            part: id,
            streams: (1..=part.streams.len() as u32).collect(),
            buffers: (0..buffers.len() as u32).map(|group| (group, 0)).collect(),
            groups: sizes.map(|size| size.unwrap_or(0)).collect(),
        };
        let summary = summarize(shared, &key);
        shared.summaries.insert(key, Rc::new(summary));
    }
}
