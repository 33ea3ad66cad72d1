//! Simulation of a number of streams: list scheduling with a count of waits.
//!
//! ```text
//!   s0   a ── c ───────── e        e may start later by its slack: on s1 it needs no wait, because
//!   s1      └──► b ── e?  │        s1 has waited for a already
//!             latest start of e
//! ```
//!
//! The host issues a command in each interval of the time of a launch. A command starts when it is
//! issued, the last one on its stream has ended, and those that it depends on have ended; those on
//! another stream have to be known there, which takes the time of an event.
//!
//! Streams have clocks like those of [`mod@crate::events`], so that the waits of a command on each
//! stream are known: those for its *open* predecessors, which the clocks of its other predecessors
//! do not cover, unless the clock of the stream covers them. A stream also counts
//!
//! * a wait for each successor that has a predecessor already, and none on this stream, and
//! * a wait if the *heir* of its last command, the successor with the longest rest, could not
//!   continue there in time.
//!
//! A command has slack if it has a latest start. Of the streams on which it starts in a share of
//! its slack, the one with the fewest waits is chosen; a later start counts like some waits
//! ([`Rule`]). Without latest starts, the stream with the earliest start is chosen, and a stream is
//! left to an heir with a longer rest, unless the event costs more.
//!
//! Source: Topcuoglu, Hariri, Wu, *Performance-effective and low-complexity task scheduling for
//! heterogeneous computing* (2002), for the earliest start.
//!
//! Cost: O((N + E) S) for N commands, E dependences and S streams.

use super::Costs;
use super::cover::Graph;

/// A command that does not exist.
const NONE: u32 = u32::MAX;

/// The parts of the slack of a command.
const SHARES: u64 = 16;

/// The rule by which a command with slack gets a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The part of the slack that costs nothing, in sixteenths.
    pub(super) share: u64,
    /// The delay after this part that is worth a wait, as a number of events.
    pub(super) delay: u64,
}

/// The streams of all commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    /// The stream of each command.
    pub(super) streams: Vec<u32>,
    /// The number of streams.
    pub(super) count: u32,
    /// The time at which the last command ends.
    pub(super) end: u64,
    /// The waits.
    pub(super) waits: usize,
}

/// A graph with what its simulations need.
pub(super) struct Lists<'g> {
    graph: &'g Graph,
    costs: Costs,
    successors: Vec<Vec<u32>>,
    /// For each command, the time from its start to the end of all commands that depend on it.
    rests: Vec<u64>,
    /// For each command, the successor with the longest rest.
    heirs: Vec<u32>,
}

impl<'g> Lists<'g> {
    pub(super) fn new(graph: &'g Graph, costs: Costs) -> Self {
        let nodes = graph.costs.len();
        let mut successors: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        for (node, predecessors) in (0..).zip(&graph.predecessors) {
            for &other in predecessors {
                successors[other as usize].push(node);
            }
        }
        let mut rests = graph.costs.clone();
        let mut heirs = vec![NONE; nodes];
        for node in (0..nodes).rev() {
            // The first one of those with the longest rest.
            let heir = successors[node]
                .iter()
                .rev()
                .max_by_key(|next| rests[**next as usize]);
            if let Some(&heir) = heir {
                heirs[node] = heir;
                rests[node] = rests[node].saturating_add(rests[heir as usize]);
            }
        }
        Self {
            graph,
            costs,
            successors,
            rests,
            heirs,
        }
    }

    /// Returns the latest start of each command with which all end at a time, on the streams of a
    /// placement.
    pub(super) fn latest(&self, placement: &Placement, end: u64) -> Vec<u64> {
        let nodes = self.graph.costs.len();
        let mut latest = vec![end; nodes];
        // The latest start of the next command of each stream.
        let mut next = vec![end; placement.count as usize];
        for node in (0..nodes).rev() {
            let stream = placement.streams[node];
            let mut end = next[stream as usize];
            for &other in &self.successors[node] {
                let is_same = placement.streams[other as usize] == stream;
                let event = if is_same { 0 } else { self.costs.event };
                end = end.min(latest[other as usize].saturating_sub(event));
            }
            latest[node] = end.saturating_sub(self.graph.costs[node]);
            next[stream as usize] = latest[node];
        }
        latest
    }

    /// Simulates a number of streams by the earliest start of each command.
    pub(super) fn earliest(&self, count: u32) -> Placement {
        let mut run = Run::new(self, count);
        for node in 0..self.graph.costs.len() {
            run.issue(node, None);
        }
        run.finish()
    }

    /// Simulates a number of streams with latest starts. The commands have as many equal sections
    /// as there are rules.
    pub(super) fn by_rules(&self, count: u32, rules: &[Rule], latest: &[u64]) -> Placement {
        let mut run = Run::new(self, count);
        let nodes = self.graph.costs.len();
        for node in 0..nodes {
            let rule = rules.get(node * rules.len() / nodes);
            run.issue(node, rule.map(|rule| (*rule, latest)));
        }
        run.finish()
    }
}

/// A simulation.
struct Run<'l, 'g> {
    lists: &'l Lists<'g>,
    width: usize,
    /// The time at which the host has issued the last command.
    host: u64,
    streams: Vec<u32>,
    ends: Vec<u64>,
    waits: usize,
    /// For each stream, the end of its last command, this command, and the clock: for each stream,
    /// the number after that of the last command that is known to be complete.
    free: Vec<u64>,
    last: Vec<u32>,
    rows: Vec<u32>,
    /// The clock of each command.
    clocks: Vec<u32>,
    /// For each command, the streams of its predecessors, as bits in a number of words.
    joins: Vec<u64>,
    words: usize,
    /// The predecessors of the next command.
    ready: Ready,
}

/// The predecessors of a command.
#[derive(Default)]
struct Ready {
    /// Those that the clocks of others do not cover.
    open: Vec<u32>,
    /// The clock that all of them have.
    clock: Vec<u32>,
    /// The last end, the stream on which it is, and the last end on other streams.
    latest: u64,
    on: Option<u32>,
    second: u64,
}

impl<'l, 'g> Run<'l, 'g> {
    fn new(lists: &'l Lists<'g>, count: u32) -> Self {
        let nodes = lists.graph.costs.len();
        let width = count as usize;
        let words = width.div_ceil(64);
        Self {
            lists,
            width,
            host: 0,
            streams: Vec::with_capacity(nodes),
            ends: Vec::with_capacity(nodes),
            waits: 0,
            free: vec![0; width],
            last: vec![NONE; width],
            rows: vec![0; width * width],
            clocks: Vec::with_capacity(nodes * width),
            joins: vec![0; nodes * words],
            words,
            ready: Ready::default(),
        }
    }

    /// Issues the next command, on a stream that a rule with latest starts chooses.
    fn issue(&mut self, node: usize, rule: Option<(Rule, &[u64])>) {
        self.host = self.host.saturating_add(self.lists.costs.launch);
        let ready = self.ready(node);
        let stream = match rule {
            Some((rule, latest)) => self.with_slack(node, &ready, rule, latest),
            None => self.first(node, &ready),
        };
        let start = self.start(&ready, stream);
        self.waits += self.new_waits(&ready, stream);
        let end = start.saturating_add(self.lists.graph.costs[node]);
        self.ends.push(end);
        self.streams.push(stream as u32);
        self.free[stream] = end;
        self.last[stream] = node as u32;
        let row = &mut self.rows[stream * self.width..][..self.width];
        for (entry, known) in row.iter_mut().zip(&ready.clock) {
            *entry = (*entry).max(*known);
        }
        row[stream] = node as u32 + 1;
        self.clocks.extend_from_slice(row);
        for &next in &self.lists.successors[node] {
            self.joins[next as usize * self.words + stream / 64] |= 1 << (stream % 64);
        }
        self.ready = ready;
    }

    fn finish(self) -> Placement {
        Placement {
            count: self.streams.iter().max().map_or(1, |most| most + 1),
            streams: self.streams,
            end: self.ends.into_iter().max().unwrap_or(0),
            waits: self.waits,
        }
    }

    /// Returns the predecessors of a command, in the memory of those of the last one.
    fn ready(&mut self, node: usize) -> Ready {
        let mut ready = std::mem::take(&mut self.ready);
        ready.open.clear();
        ready.clock.clear();
        ready.clock.resize(self.width, 0);
        (ready.latest, ready.on, ready.second) = (0, None, 0);
        for &other in self.lists.graph.predecessors[node].iter().rev() {
            let index = other as usize;
            let stream = self.streams[index];
            if ready.clock[stream as usize] > other {
                continue;
            }
            ready.open.push(other);
            let clock = &self.clocks[index * self.width..][..self.width];
            for (entry, known) in ready.clock.iter_mut().zip(clock) {
                *entry = (*entry).max(*known);
            }
            let end = self.ends[index];
            if ready.on == Some(stream) {
                ready.latest = ready.latest.max(end);
            } else if end > ready.latest {
                ready.second = ready.latest;
                (ready.latest, ready.on) = (end, Some(stream));
            } else {
                ready.second = ready.second.max(end);
            }
        }
        ready
    }

    /// Returns the start of a command on a stream.
    fn start(&self, ready: &Ready, stream: usize) -> u64 {
        let event = |time: u64| match time {
            0 => 0,
            _ => time.saturating_add(self.lists.costs.event),
        };
        let known = match ready.on == Some(stream as u32) {
            true => ready.latest.max(event(ready.second)),
            false => event(ready.latest),
        };
        known.max(self.free[stream]).max(self.host)
    }

    /// Returns the waits of a command on a stream.
    fn new_waits(&self, ready: &Ready, stream: usize) -> usize {
        let row = &self.rows[stream * self.width..][..self.width];
        let open = ready.open.iter();
        open.filter(|other| row[self.streams[**other as usize] as usize] <= **other)
            .count()
    }

    /// Returns the heir of the last command of a stream, and this command, if the heir is later
    /// than a command.
    fn heir(&self, node: usize, stream: usize) -> Option<(usize, usize)> {
        let last = self.last[stream] as usize;
        let heir = *self.lists.heirs.get(last)?;
        (heir != NONE && heir as usize > node).then_some((heir as usize, last))
    }

    /// Returns the stream with the earliest start.
    fn first(&self, node: usize, ready: &Ready) -> usize {
        let rests = &self.lists.rests;
        let streams = 0..self.width;
        let best = streams.min_by_key(|&stream| {
            let heir = self.heir(node, stream);
            let heir = heir.filter(|(heir, _)| rests[*heir] > rests[node]);
            let is_left = heir.is_some_and(|(_, last)| ready.open.contains(&(last as u32)));
            let penalty = match is_left {
                true => self.lists.costs.event.saturating_add(1),
                false => 0,
            };
            let start = self.start(ready, stream).saturating_add(penalty);
            (start, self.new_waits(ready, stream), heir.is_some())
        });
        best.unwrap_or(0)
    }

    /// Returns the stream with the fewest waits for the delay of the command.
    fn with_slack(&self, node: usize, ready: &Ready, rule: Rule, latest: &[u64]) -> usize {
        let rests = &self.lists.rests;
        let starts = (0..self.width).map(|stream| self.start(ready, stream));
        let earliest = starts.min().unwrap_or(0);
        let slack = latest[node].saturating_sub(earliest);
        let in_time = earliest.saturating_add((slack / SHARES).saturating_mul(rule.share));
        let price = self.lists.costs.event.saturating_mul(rule.delay);
        let best = (0..self.width).min_by_key(|&stream| {
            let start = self.start(ready, stream);
            let end = start.saturating_add(self.lists.graph.costs[node]);
            let mut waits = self.new_waits(ready, stream) + self.later_waits(node, stream);
            let mut is_displacing = false;
            if let Some((heir, last)) = self.heir(node, stream) {
                let is_late = end > latest[heir].max(self.ends[last]);
                waits += usize::from(is_late);
                is_displacing = is_late || rests[heir] > rests[node];
            }
            let delay = start.saturating_sub(in_time);
            let key = delay.saturating_add(price.saturating_mul(waits as u64));
            (key, waits, is_displacing, start)
        });
        best.unwrap_or(0)
    }

    /// Returns the successors of a command that will wait because of its stream.
    fn later_waits(&self, node: usize, stream: usize) -> usize {
        let successors = self.lists.successors[node].iter();
        let joins = successors.map(|next| &self.joins[*next as usize * self.words..][..self.words]);
        joins
            .filter(|join| {
                let is_empty = join.iter().all(|word| *word == 0);
                !is_empty && join[stream / 64] >> (stream % 64) & 1 == 0
            })
            .count()
    }
}
