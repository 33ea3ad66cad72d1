//! Summaries of partial schedules: what a definition requires and ensures.
//!
//! ```text
//! entry: clocks = entry symbols ──run the body──► exits: clocks, events, values, accessed bytes
//!        parameters = unknown accesses     └────► requirements: first accesses of parameters
//! ```
//!
//! [`crate::calls`] explains entry symbols and applies summaries.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::clock::Clock;
use crate::engine::{Engine, Shared};
use crate::memory::{Content, Instance, Memory, Owner, Position, Segment, Touch};
use crate::model::{Agent, BufferId, Part, PartId, StreamId};
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
    pub(crate) part: PartId,
    /// The agent of each stream parameter.
    pub(crate) streams: Vec<u32>,
    /// The group and offset of each buffer parameter.
    pub(crate) buffers: Vec<(u32, u64)>,
    /// The size of each group.
    pub(crate) groups: Vec<u64>,
}

/// The requirements and effects of a part.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) requirements: Vec<Requirement>,
    /// One for each state at the end.
    pub(crate) exits: Vec<Exit>,
    /// The last position.
    pub(crate) span: Position,
    /// The agents of the part.
    pub(crate) agents: usize,
    /// The number of its roots: the groups of parameters follow.
    pub(crate) roots: u32,
}

/// A state at the end of a part.
#[derive(Debug)]
pub(crate) struct Exit {
    /// By agent.
    pub(crate) clocks: Vec<Clock>,
    /// By result.
    pub(crate) events: Vec<Rc<Clock>>,
    pub(crate) values: Vec<Instance>,
    /// The accessed bytes of parameters: the group, the first byte, and the segment.
    pub(crate) memory: Vec<(u32, u64, Segment)>,
}

/// Simulates a part for a pattern of arguments.
pub(crate) fn summarize(shared: &mut Shared<'_>, key: &SummaryKey) -> Summary {
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
