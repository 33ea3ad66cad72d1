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

use crate::accesses::{bytes, owner_error};
use crate::clock::Clock;
use crate::diagnostic::{Bytes, Effect, Found, ModelError, Problem};
use crate::engine::{Engine, HOST};
use crate::memory::{Content, Instance, Position, Segment, Touch};
use crate::model::{Agent, Call, CommandId};
use crate::scopes;
use crate::state::{Binding, State};
use crate::summary::{Exit, Requirement, Summary, SummaryKey, summarize};

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
                self.model(id, ModelError::Bound(binding.slice));
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
