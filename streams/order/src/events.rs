//! The fewest waits for the order of issue: one pass with vector clocks.
//!
//! ```text
//!   stream 0   a ────────── c            c reads what a and b wrote, d what b and c wrote
//!   stream 1        b ──►wait a?         d waits for c only: c waited for b
//!   stream 2               └──── d
//! ```
//!
//! The commands are visited in the order of issue. Each agent has a clock: for every agent, the
//! last command that is complete before its next one starts. A command that must come after another
//! one ([`crate::dependences`]) waits for it unless the clock of its agent covers it. Of several
//! such commands, the one that was issued last comes first, because it may cover the others. The
//! event of a command has its clock, so that it orders nothing that need not be ordered, and all
//! agents that wait for a command share its event.
//!
//! In straight code, the waits are the transitive reduction of the dependences and the order of the
//! streams. It is unique, so no other set of events has fewer waits and adds no order.
//!
//! A loop is simulated for as many iterations as the largest lag, and a wait is kept if any
//! iteration needs it. Commands after a loop, branch or call wait for its streams, and it waits as
//! a whole: an event that is recorded or waited for next to it orders all of its commands on that
//! stream. What happens inside counts only if it certainly happens.
//!
//! Events that the schedule has already are used. Those that leave a loop, branch or call count as
//! if they were recorded at the start.
//!
//! Source: the clocks of Fidge (1988) and Mattern (1989). Cost: O(D S + N) for N commands, D
//! dependences and S agents of a body, for each iteration.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use tfx_schedule::{Agent, CommandId, EventId, Names, Op, PartId, Schedule, StreamId, Trips};

use crate::Error;
use crate::dependences::{Dependences, Edge, Owner, dependences};
use crate::layout::{HOST, Layout, agent_number};

/// A wait that a schedule needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait {
    /// The part.
    pub part: PartId,
    /// The command before which an agent waits.
    pub before: CommandId,
    /// The agent.
    pub agent: Agent,
    /// The command after which the event is recorded, in the same body.
    pub after: CommandId,
    /// The stream that records it.
    pub stream: StreamId,
    /// The number of iterations of the loop between the record and the wait.
    pub lag: u32,
}

/// The agents that know, at the end of a body, that all commands inside of others are complete.
type Claims = Vec<(u32, u32)>;

/// Returns the fewest waits with which conflicting commands keep the order of issue.
///
/// # Errors
///
/// The buffers of a loop do not return to their places soon enough.
pub fn events<P>(schedule: &Schedule<P>) -> Result<Vec<Wait>, Error> {
    let layouts: Vec<Layout<'_>> = schedule.parts.iter().map(Layout::new).collect();
    Ok(simulate(schedule, &layouts, Missing::Added)?.0)
}

/// The waits that a schedule does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// They count as if they were added.
    Added,
    /// They do not count.
    Ignored,
}

/// Returns the waits that are missing, and the observations of each body of each part.
pub(crate) fn simulate<P>(
    schedule: &Schedule<P>,
    layouts: &[Layout<'_>],
    missing: Missing,
) -> Result<(Vec<Wait>, Vec<Vec<Seen>>), Error> {
    let all = dependences(schedule, layouts, Owner::Agent)?;
    let mut seen = Vec::new();
    let mut waits = Vec::new();
    let mut parts: Vec<(Claims, Vec<u32>)> = Vec::new();
    for (index, (layout, found)) in layouts.iter().zip(&all).enumerate() {
        let mut clocks = Clocks {
            part: PartId(index as u32),
            layout,
            found,
            parts: &parts,
            claims: vec![Claims::new(); layout.bodies.len()],
            agents: vec![Vec::new(); layout.bodies.len()],
            waits: &mut waits,
            missing,
            seen: vec![Seen::default(); layout.bodies.len()],
        };
        // Bodies come after those that contain them.
        for body in (0..layout.bodies.len()).rev() {
            clocks.body(body);
        }
        let claims = std::mem::take(&mut clocks.claims[0]);
        let agents = std::mem::take(&mut clocks.agents[0]);
        let observed = std::mem::take(&mut clocks.seen);
        parts.push((claims, agents));
        seen.push(observed);
    }
    waits.sort_unstable();
    Ok((waits, seen))
}

struct Clocks<'c, 'a> {
    part: PartId,
    layout: &'c Layout<'a>,
    found: &'c Dependences,
    /// The claims and agents of earlier parts.
    parts: &'c [(Claims, Vec<u32>)],
    /// The claims and agents of the bodies that are done.
    claims: Vec<Claims>,
    agents: Vec<Vec<u32>>,
    waits: &'c mut Vec<Wait>,
    missing: Missing,
    /// The observations of each body.
    seen: Vec<Seen>,
}

/// The clocks before allocations and compound commands, in the last iteration of a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The agents of the clocks.
    pub(crate) agents: Vec<u32>,
    /// The clocks, by the command and the agent.
    pub(crate) before: FxHashMap<(u32, u32), Vec<u32>>,
    /// The position before the first command of the last iteration.
    pub(crate) start: u32,
    /// The commands of an iteration.
    pub(crate) count: u32,
    /// The iterations.
    pub(crate) iterations: u32,
}

impl Seen {
    /// Returns the position of a command in the last iteration.
    pub(crate) fn position(&self, item: u32) -> u32 {
        self.start + item + 1
    }
}

/// The positions that an agent knows, by the agents of a body.
type Clock = Rc<Vec<u32>>;

/// The clock of a record: of a command, its iteration and its agent.
type Site = (u32, u32, u32);

/// An execution of a body.
struct Run {
    /// The clocks of the agents of the body.
    rows: Vec<Vec<u32>>,
    /// The last position of each agent.
    last: Vec<u32>,
    /// The clocks of commands that others come after, and the number of those.
    sites: FxHashMap<Site, (Clock, usize)>,
    /// The clocks of events that the schedule has.
    events: FxHashMap<EventId, Clock>,
    /// The number of changes of the clock of the host, and those that each agent has seen.
    host_changes: u32,
    seen: Vec<u32>,
}

impl Clocks<'_, '_> {
    fn body(&mut self, number: usize) {
        let place = self.layout.bodies[number];
        let commands = &place.body.commands;
        let of_items: Vec<Vec<u32>> = commands
            .iter()
            .map(|command| self.agents_of(command.id, &command.op))
            .collect();
        let mut agents: Vec<u32> = of_items.iter().flatten().copied().collect();
        // The host issues all commands, so that what it knows, they know.
        agents.push(HOST);
        agents.sort_unstable();
        agents.dedup();
        let local = |agent: u32| agents.binary_search(&agent).unwrap_or(0);

        let edges = &self.found.edges[number];
        let lag = edges.iter().flatten().map(|edge| edge.lag).max();
        let iterations = match place.repeated {
            Some(inner) => {
                let most = match inner.trips {
                    Trips::Exactly(trips) => u32::try_from(trips).unwrap_or(u32::MAX),
                    Trips::AtLeast(_) => u32::MAX,
                };
                (lag.unwrap_or(0) + 2).min(most)
            }
            None => 1,
        };
        let mut users: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        for edge in edges.iter().flatten() {
            *users.entry((edge.item, edge.on)).or_default() += 1;
        }
        let mut needed: Vec<Vec<bool>> = edges.iter().map(|list| vec![false; list.len()]).collect();
        let mut run = Run {
            rows: vec![vec![0; agents.len()]; agents.len()],
            last: vec![0; agents.len()],
            sites: FxHashMap::default(),
            events: FxHashMap::default(),
            host_changes: 0,
            seen: vec![0; agents.len()],
        };
        let mut claims: Option<Claims> = None;
        let count = commands.len() as u32;
        for iteration in 0..iterations {
            for (item, command) in (0..count).zip(commands) {
                let position = iteration * count + item + 1;
                let index = item as usize;
                let own = &of_items[index];
                for &agent in own {
                    run.hear_host(local(agent));
                }
                for &agent in own.iter().filter(|_| self.missing == Missing::Added) {
                    let chosen =
                        self.choose(&mut run, &edges[index], agent, iteration, count, &local);
                    chosen
                        .into_iter()
                        .for_each(|edge| needed[index][edge] = true);
                }
                if iteration + 1 == iterations && is_observed(&command.op) {
                    for &agent in own {
                        let clock = run.rows[local(agent)].clone();
                        self.seen[number].before.insert((item, agent), clock);
                    }
                }
                match &command.op {
                    Op::Work { .. } | Op::Alloc { .. } | Op::Free { .. } => {
                        own.iter()
                            .for_each(|agent| run.step(local(*agent), position));
                    }
                    Op::Record { agent, event } => {
                        let agent = local(agent_number(*agent));
                        run.events.insert(*event, Rc::new(run.rows[agent].clone()));
                    }
                    Op::Wait { agent, events } => {
                        let agent = local(agent_number(*agent));
                        for event in events {
                            if let Some(clock) = run.events.get(event).cloned() {
                                run.join(agent, &clock);
                            }
                        }
                    }
                    Op::Loop(_) | Op::Branch(_) | Op::Call(_) => {
                        let certain = self.claims_of(command.id, &command.op);
                        run.compound(own, position, &certain, &local);
                    }
                }
                for &agent in own {
                    if let Some(users) = users.get(&(item, agent)) {
                        let clock = Rc::new(run.rows[local(agent)].clone());
                        run.sites.insert((item, iteration, agent), (clock, *users));
                    }
                }
            }
            let now = run.claims(&agents);
            claims = Some(match claims {
                Some(before) => before
                    .into_iter()
                    .filter(|claim| now.contains(claim))
                    .collect(),
                None => now,
            });
            if let Some(inner) = place.repeated {
                run.next_iteration(&inner.body.yields, &inner.arguments);
            }
        }
        self.claims[number] = claims.unwrap_or_default();
        let seen = &mut self.seen[number];
        seen.agents.clone_from(&agents);
        seen.start = iterations.saturating_sub(1) * count;
        (seen.count, seen.iterations) = (count, iterations);
        agents.retain(|agent| *agent != HOST || of_items.iter().flatten().any(|own| own == agent));
        self.agents[number] = agents;
        for (item, (list, needed)) in edges.iter().zip(needed).enumerate() {
            let edges = list.iter().zip(needed).filter(|(_, needed)| *needed);
            for (edge, _) in edges {
                let Some(stream) = edge.on.checked_sub(1) else {
                    continue;
                };
                self.waits.push(Wait {
                    part: self.part,
                    before: commands[item].id,
                    agent: match edge.agent.checked_sub(1) {
                        None => Agent::Host,
                        Some(stream) => Agent::Stream(StreamId(stream)),
                    },
                    after: commands[edge.item as usize].id,
                    stream: StreamId(stream),
                    lag: edge.lag,
                });
            }
        }
    }

    /// Returns the dependences of a command for which its agent has to wait, after joining their
    /// clocks.
    fn choose(
        &self,
        run: &mut Run,
        edges: &[Edge],
        agent: u32,
        iteration: u32,
        count: u32,
        local: &impl Fn(u32) -> usize,
    ) -> Vec<usize> {
        let of_agent = edges.iter().enumerate();
        let of_agent = of_agent.filter(|(_, edge)| edge.agent == agent && edge.lag <= iteration);
        let mut open: Vec<(u32, usize)> = Vec::new();
        for (index, edge) in of_agent {
            let position = (iteration - edge.lag) * count + edge.item + 1;
            if run.rows[local(agent)][local(edge.on)] < position {
                open.push((position, index));
            }
        }
        open.sort_unstable_by(|one, two| two.0.cmp(&one.0).then(one.1.cmp(&two.1)));
        let clock = |run: &Run, index: usize| {
            let edge = &edges[index];
            let site = (edge.item, iteration - edge.lag, edge.on);
            run.sites.get(&site).map(|(clock, _)| Rc::clone(clock))
        };
        let mut chosen = Vec::new();
        for (number, &(position, index)) in open.iter().enumerate() {
            let on = local(edges[index].on);
            if run.rows[local(agent)][on] >= position {
                continue;
            }
            let own = clock(run, index);
            // Streams of one loop, branch or call: one of them may have waited for the other.
            let is_covered = open[number + 1..].iter().any(|&(other, tied)| {
                other == position
                    && clock(run, tied).is_some_and(|clock| clock[on] >= position)
                    && own
                        .as_ref()
                        .is_none_or(|own| own[local(edges[tied].on)] < position)
            });
            if is_covered {
                continue;
            }
            chosen.push(index);
            if let Some(own) = own {
                run.join(local(agent), &own);
            }
            run.advance(local(agent), on, position);
        }
        if iteration == 0 && self.found.edges.len() == 1 {
            // In straight code, a clock is not used again after its last wait.
            for edge in edges.iter().filter(|edge| edge.agent == agent) {
                run.release((edge.item, 0, edge.on));
            }
        }
        chosen
    }

    /// Returns the agents of a command.
    fn agents_of(&self, id: CommandId, op: &Op) -> Vec<u32> {
        let mut agents = match op {
            Op::Work { agent, .. }
            | Op::Record { agent, .. }
            | Op::Wait { agent, .. }
            | Op::Alloc { agent, .. }
            | Op::Free { agent, .. } => return vec![agent_number(*agent)],
            Op::Loop(_) | Op::Branch(_) => {
                let children = self.layout.children(id).iter();
                children
                    .flat_map(|body| self.agents[*body].iter().copied())
                    .collect()
            }
            Op::Call(call) => match self.parts.get(call.part.0 as usize) {
                Some((_, agents)) => {
                    let agents = agents.iter();
                    agents
                        .map(|agent| outer_agent(&call.streams, *agent))
                        .collect()
                }
                None => Vec::new(),
            },
        };
        agents.sort_unstable();
        agents.dedup();
        agents
    }

    /// Returns what is certainly known after a loop, branch or call.
    fn claims_of(&self, id: CommandId, op: &Op) -> Claims {
        let children = self.layout.children(id);
        match op {
            Op::Loop(inner) => match inner.trips {
                Trips::Exactly(0) | Trips::AtLeast(0) => Claims::new(),
                _ => self.claims[children[0]].clone(),
            },
            Op::Branch(_) => {
                let mut arms = children.iter().map(|body| &self.claims[*body]);
                let first = arms.next().cloned().unwrap_or_default();
                arms.fold(first, |known, arm| {
                    known
                        .into_iter()
                        .filter(|claim| arm.contains(claim))
                        .collect()
                })
            }
            Op::Call(call) => match self.parts.get(call.part.0 as usize) {
                Some((claims, _)) => {
                    let map = |agent| outer_agent(&call.streams, agent);
                    // Two streams of the part may be one: then a claim is about both of them.
                    let actual: Vec<u32> = call.streams.iter().map(|s| s.0 + 1).collect();
                    let is_single =
                        |agent: u32| actual.iter().filter(|other| **other == agent).count() < 2;
                    let claims = claims
                        .iter()
                        .map(|&(knower, known)| (map(knower), map(known)));
                    claims
                        .filter(|(one, two)| is_single(*one) && is_single(*two))
                        .collect()
                }
                None => Claims::new(),
            },
            _ => Claims::new(),
        }
    }
}

/// Returns whether the clocks before a command matter for the lifetimes of memory.
fn is_observed(op: &Op) -> bool {
    matches!(op, Op::Alloc { .. } | Op::Loop(_) | Op::Branch(_))
}

/// Returns the agent of the caller.
fn outer_agent(streams: &[StreamId], agent: u32) -> u32 {
    match agent.checked_sub(1) {
        None => HOST,
        Some(stream) => {
            let stream = streams.get(stream as usize);
            stream.map_or(HOST, |stream| stream.0.saturating_add(1))
        }
    }
}

impl Run {
    /// Adds what the host knew when it issued a command.
    fn hear_host(&mut self, agent: usize) {
        // The host is the first agent.
        if agent != 0 && self.seen[agent] != self.host_changes {
            self.seen[agent] = self.host_changes;
            let host = std::mem::take(&mut self.rows[0]);
            join(&mut self.rows[agent], &host);
            self.rows[0] = host;
        }
    }

    fn step(&mut self, agent: usize, position: u32) {
        self.last[agent] = position;
        self.advance(agent, agent, position);
    }

    fn advance(&mut self, agent: usize, on: usize, position: u32) {
        let entry = &mut self.rows[agent][on];
        *entry = (*entry).max(position);
        self.host_changes += u32::from(agent == 0);
    }

    fn join(&mut self, agent: usize, clock: &[u32]) {
        join(&mut self.rows[agent], clock);
        self.host_changes += u32::from(agent == 0);
    }

    /// Executes a loop, branch or call, after which `certain` is known.
    fn compound(
        &mut self,
        agents: &[u32],
        position: u32,
        certain: &[(u32, u32)],
        local: &impl Fn(u32) -> usize,
    ) {
        let mut before: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (_, known) in certain {
            before
                .entry(*known)
                .or_insert_with(|| self.rows[local(*known)].clone());
        }
        for &agent in agents {
            self.step(local(agent), position);
        }
        for (knower, known) in certain {
            self.join(local(*knower), &before[known]);
            self.advance(local(*knower), local(*known), position);
        }
    }

    /// Forgets a clock after its last use.
    fn release(&mut self, site: Site) {
        if let Some((_, users)) = self.sites.get_mut(&site) {
            *users -= 1;
            if *users == 0 {
                self.sites.remove(&site);
            }
        }
    }

    /// Returns which agents know all commands of which others.
    fn claims(&self, agents: &[u32]) -> Claims {
        let mut claims = Claims::new();
        for (knower, row) in self.rows.iter().enumerate() {
            for (known, last) in self.last.iter().enumerate() {
                if knower != known && *last > 0 && row[known] >= *last {
                    claims.push((agents[knower], agents[known]));
                }
            }
        }
        claims
    }

    /// Binds the events of the next iteration.
    fn next_iteration(&mut self, yields: &Names, arguments: &Names) {
        let next: Vec<Option<Clock>> = yields
            .events
            .iter()
            .map(|event| self.events.get(event).cloned())
            .collect();
        for (argument, clock) in arguments.events.iter().zip(next) {
            match clock {
                Some(clock) => self.events.insert(*argument, clock),
                None => self.events.remove(argument),
            };
        }
    }
}

fn join(row: &mut [u32], clock: &[u32]) {
    for (entry, other) in row.iter_mut().zip(clock) {
        *entry = (*entry).max(*other);
    }
}
