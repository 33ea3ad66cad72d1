//! The simulation of commands on abstract states.
//!
//! ```text
//! issue ──► execute ──► clock of the agent, memory, names
//!    │         ▲
//!    ▼         │ record
//!  queue of the stream (a wait that precedes its record)
//! ```
//!
//! A command starts after the earlier commands of its agent, after all that the host has done when
//! it issues the command, and after the events for which its agent has waited. The clock of the
//! agent contains exactly these. An access conflicts with an earlier one, of which the clock does
//! not cover the position. The order of the simulation is an order in which the commands may be
//! executed, and each unordered pair is unordered in any such order, so one simulation of straight
//! code finds a conflict if and only if there is one.
//!
//! After a conflict, the simulation continues as if the accesses were ordered.
//!
//! Cost: for each command a logarithm of the number of segments, for a wait the number of agents.
//!
//! Not guaranteed: a stream that still waits for a later record at the start of a nested body or
//! call is rejected, although that body may not use the stream.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::accesses::Resolved;
use crate::clock::Clock;
use crate::diagnostic::{Blocked, Bytes, Diagnostic, Limit, ModelError, Problem, Rule, Site};
use crate::memory::{Content, Memory, Owner, Position, Touch};
use crate::model::{Agent, Body, Command, CommandId, Lifetime, Mode, Op, Part, PartId, ValueId};
use crate::scopes::{LastUses, Program};
use crate::state::{Bindings, Queued, State};
use crate::summary::{Requirement, Summary, SummaryKey};
use crate::{Options, Statistics, rules};

/// The maximal number of simulated commands and iterations, on all paths. It takes some seconds,
/// and bounds the time for nested loops that do not repeat soon.
const MAX_WORK: u64 = 10_000_000;

/// The maximal size of all canonical forms, in words, for the same reason. Those of a loop are kept
/// until it is done.
const MAX_KEY_WORDS: u64 = 1 << 29;

/// The maximal number of reported diagnostics.
const MAX_DIAGNOSTICS: usize = 1000;

/// The index of the host among the agents.
pub(crate) const HOST: u32 = 0;

/// The data that the simulations of all parts share.
#[derive(Debug)]
pub(crate) struct Shared<'s> {
    pub(crate) program: Program<'s>,
    pub(crate) options: Options,
    pub(crate) last_uses: &'s LastUses,
    pub(crate) summaries: BTreeMap<SummaryKey, Rc<Summary>>,
    pub(crate) diagnostics: BTreeSet<Diagnostic>,
    pub(crate) statistics: Statistics,
    /// The states that were compared where paths join.
    pub(crate) compared: u64,
    /// The size of all canonical forms.
    pub(crate) key_words: u64,
}

/// The simulation of a part.
#[derive(Debug)]
pub(crate) struct Engine<'e, 's> {
    pub(crate) shared: &'e mut Shared<'s>,
    pub(crate) id: PartId,
    pub(crate) part: &'s Part,
    /// The agents, of which the first is the host. Streams that are the same in a call have one.
    pub(crate) agents: Vec<Agent>,
    /// The agent of each stream.
    pub(crate) streams: Vec<u32>,
    /// The number of entry symbols, whose clock entries follow those of agents.
    pub(crate) symbols: usize,
    /// The number of value parameters: the instances below it are theirs.
    pub(crate) parameters: u32,
    /// The position of the last command.
    pub(crate) now: Position,
    /// The name of each instance.
    pub(crate) instances: Vec<ValueId>,
    /// The requirements on callers.
    pub(crate) requirements: BTreeSet<Requirement>,
}

impl<'e, 's> Engine<'e, 's> {
    /// Returns the simulation of the entry part.
    pub(crate) fn entry(shared: &'e mut Shared<'s>, id: PartId) -> Self {
        let part = &shared.program.parts[id.index()];
        let streams = 0..part.streams.len() as u32;
        let agents = streams.clone().map(crate::model::StreamId);
        Self {
            shared,
            id,
            part,
            agents: std::iter::once(Agent::Host)
                .chain(agents.map(Agent::Stream))
                .collect(),
            streams: streams.map(|stream| stream + 1).collect(),
            symbols: 0,
            parameters: 0,
            now: 0,
            instances: Vec::new(),
            requirements: BTreeSet::new(),
        }
    }

    pub(crate) fn is_entry(&self) -> bool {
        self.symbols == 0
    }

    /// Returns a state without accesses.
    pub(crate) fn initial_state(&self) -> State<'s> {
        let length = self.agents.len() + self.symbols;
        let memory = self.part.roots.iter().map(|root| {
            let owner = match root.lifetime {
                Lifetime::External => Owner::External,
                Lifetime::Managed => Owner::Dead,
            };
            Rc::new(Memory::new(root.size, owner, Content::Nothing, false))
        });
        State {
            clocks: vec![Clock::new(length); self.agents.len()],
            host_changes: 0,
            joined: vec![0; self.agents.len()],
            memory: memory.collect(),
            names: Bindings::default(),
            queues: vec![VecDeque::new(); self.agents.len()],
            queued: 0,
            unused: Vec::new(),
            is_stuck: false,
        }
    }

    /// Simulates a body on all states, and returns the states at its end.
    pub(crate) fn run(&mut self, body: &'s Body, mut states: Vec<State<'s>>) -> Vec<State<'s>> {
        for command in &body.commands {
            if states.is_empty() {
                break;
            }
            let is_simple = rules::agent(&command.op).is_some();
            if !is_simple {
                self.drained(&mut states, command.id);
            }
            match &command.op {
                Op::Loop(inner) => states = self.run_loop(inner, command.id, states),
                Op::Branch(branch) => states = self.run_branch(branch, command.id, states),
                Op::Call(call) => states = self.run_call(call, command.id, states),
                _ => {
                    for state in &mut states {
                        self.issue(state, command);
                    }
                    states.retain(|state| !state.is_stuck);
                }
            }
            let unused = &self.shared.last_uses[command.id.index()];
            for state in &mut states {
                match state.queued {
                    0 => unused.iter().for_each(|&name| state.names.remove(name)),
                    _ => state.unused.extend(unused),
                }
            }
            if !is_simple {
                // Without the names that nothing uses, more states are equal.
                states = self.reduce(states, command.id);
            }
        }
        for state in &mut states {
            self.finish_queues(state);
        }
        states.retain(|state| !state.is_stuck);
        states
    }

    /// Reports the streams that wait at the start of a nested body.
    fn drained(&mut self, states: &mut Vec<State<'s>>, command: CommandId) {
        if states.iter().any(|state| state.queued > 0) {
            self.limit(command, Limit::EarlyWait);
            states.retain(|state| state.queued == 0);
        }
    }

    // ------------------------------------------------------------------------------- commands

    /// Issues a command: it is executed, or queued if its stream waits.
    fn issue(&mut self, state: &mut State<'s>, command: &'s Command) {
        if !self.has_budget(command.id) {
            state.is_stuck = true;
            return;
        }
        let Some(agent) = rules::agent(&command.op) else {
            return;
        };
        let agent = self.agent(agent);
        let waits = !state.queues[agent as usize].is_empty() || !is_ready(state, &command.op);
        match (waits, agent) {
            (false, _) => {
                if agent != HOST && state.joined[agent as usize] != state.host_changes {
                    let (host, streams) = state.clocks.split_at_mut(1);
                    streams[agent as usize - 1].join(&host[0]);
                    state.joined[agent as usize] = state.host_changes;
                }
                self.execute(state, agent, command);
                if state.queued > 0 {
                    self.progress(state);
                }
            }
            (true, HOST) => {
                let host = self.blocked(state, agent, command);
                self.deadlock(state, host);
            }
            (true, _) => {
                let host = Rc::new(state.clocks[HOST as usize].clone());
                state.queues[agent as usize].push_back(Queued { command, host });
                state.queued += 1;
            }
        }
    }

    /// Executes queued commands until all streams wait.
    fn progress(&mut self, state: &mut State<'s>) {
        let mut has_changed = true;
        while has_changed && state.queued > 0 {
            has_changed = false;
            for agent in 1..state.queues.len() {
                while let Some(front) = state.queues[agent].front()
                    && is_ready(state, &front.command.op)
                {
                    let Queued { command, host } = front.clone();
                    state.queues[agent].pop_front();
                    state.queued -= 1;
                    state.clocks[agent].join(&host);
                    self.execute(state, agent as u32, command);
                    has_changed = true;
                }
            }
        }
        if state.queued == 0 {
            for name in std::mem::take(&mut state.unused) {
                state.names.remove(name);
            }
        }
    }

    /// Reports a deadlock if streams wait at the end of a body.
    fn finish_queues(&mut self, state: &mut State<'s>) {
        if state.queued > 0 {
            self.deadlock(state, None);
        }
    }

    fn deadlock(&mut self, state: &mut State<'s>, host: Option<Blocked>) {
        let streams = (1..state.queues.len()).filter_map(|agent| {
            let front = state.queues[agent].front()?;
            self.blocked(state, agent as u32, front.command)
        });
        let blocked = host.into_iter().chain(streams).collect();
        self.report(Problem::Deadlock(blocked));
        state.is_stuck = true;
    }

    fn blocked(&self, state: &State<'s>, agent: u32, command: &Command) -> Option<Blocked> {
        let Op::Wait { events, .. } = &command.op else {
            return None;
        };
        let event = events
            .iter()
            .find(|event| !state.names.events.contains_key(event))?;
        Some(Blocked {
            agent: self.agents[agent as usize],
            command: command.id,
            event: *event,
        })
    }

    fn execute(&mut self, state: &mut State<'s>, agent: u32, command: &'s Command) {
        match &command.op {
            Op::Work { accesses, kind, .. } => {
                self.step(state, agent);
                let resolved: SmallVec<[Resolved; 8]> = accesses
                    .iter()
                    .filter_map(|access| {
                        let binding = self.binding(state, access.buffer)?;
                        Some(Resolved {
                            access: *access,
                            binding,
                        })
                    })
                    .collect();
                self.check_overlaps(command.id, *kind, &resolved);
                for access in resolved.iter().filter(|a| a.access.mode == Mode::Read) {
                    self.read(state, agent, command.id, access);
                }
                for access in resolved.iter().filter(|a| a.access.mode != Mode::Read) {
                    self.write(state, agent, command.id, access);
                }
            }
            Op::Record { event, .. } => {
                let clock = Rc::new(state.clocks[agent as usize].clone());
                state.names.events.insert(*event, clock);
            }
            Op::Wait { events, .. } => {
                for event in events {
                    if let Some(clock) = state.names.events.get(event) {
                        state.clocks[agent as usize].join(clock);
                    }
                }
                if agent == HOST {
                    state.host_changes += 1;
                }
            }
            Op::Alloc { buffer, .. } => {
                self.step(state, agent);
                self.alloc(state, agent, command.id, *buffer);
            }
            Op::Free { buffer, .. } => {
                self.step(state, agent);
                self.free(state, agent, command.id, *buffer);
            }
            Op::Loop(_) | Op::Branch(_) | Op::Call(_) => {}
        }
    }

    /// Starts a command: its position is the next one.
    fn step(&mut self, state: &mut State<'s>, agent: u32) {
        self.now += 1;
        state.clocks[agent as usize].advance(agent, self.now);
        if agent == HOST {
            state.host_changes += 1;
        }
    }

    // ---------------------------------------------------------------------------- diagnostics

    /// Counts a simulated command or iteration, and reports if there are too many.
    pub(crate) fn has_budget(&mut self, command: CommandId) -> bool {
        self.shared.statistics.commands += 1;
        let has_budget =
            self.shared.statistics.commands <= MAX_WORK && self.shared.key_words <= MAX_KEY_WORDS;
        if !has_budget {
            self.limit(command, Limit::Work);
        }
        has_budget
    }

    pub(crate) fn site(&self, touch: &Touch) -> Site {
        Site {
            command: touch.command,
            agent: self.agents[touch.agent as usize],
            effect: touch.effect,
        }
    }

    pub(crate) fn unordered(&mut self, first: &Touch, second: &Touch, bytes: Bytes) {
        use crate::diagnostic::Effect::{Alloc, Free, Scratch};
        let effects = [first.effect, second.effect];
        let rule = if effects.iter().any(|e| matches!(e, Alloc | Free)) {
            Rule::Lifetime
        } else if first.agent == HOST || second.agent == HOST {
            Rule::Host
        } else if effects.contains(&Scratch) {
            Rule::Cuda
        } else {
            Rule::Order
        };
        let [first, second] = [first, second].map(|touch| self.site(touch));
        self.report(Problem::Unordered {
            rule,
            first,
            second,
            bytes,
        });
    }

    pub(crate) fn limit(&mut self, command: CommandId, limit: Limit) {
        let command = Some(command);
        self.report(Problem::Limit { command, limit });
    }

    pub(crate) fn model(&mut self, command: CommandId, error: ModelError) {
        let command = Some(command);
        self.report(Problem::Model { command, error });
    }

    pub(crate) fn report(&mut self, problem: Problem) {
        let part = self.id;
        if self.shared.diagnostics.len() < MAX_DIAGNOSTICS {
            self.shared.diagnostics.insert(Diagnostic { part, problem });
        }
    }
}

/// Returns whether the events of a wait are recorded. Other operations are always ready.
fn is_ready(state: &State<'_>, op: &Op) -> bool {
    match op {
        Op::Wait { events, .. } => {
            let mut events = events.iter();
            events.all(|event| state.names.events.contains_key(event))
        }
        _ => true,
    }
}
