//! Dependences: the commands that each command must come after.
//!
//! ```text
//!   a writes %x                    b ──► a                    iteration k        k + 1
//!   b reads %x, writes %y          loop ──► b                 c writes %now      c writes %next
//!   loop (%now, %next)             e ──► loop                 d reads %now       d reads %next
//!     c writes %now                inside, d ──► c, and c ──► d of two iterations before
//!     d reads %now
//!   e reads %y
//! ```
//!
//! The order of issue is the order of the program: two conflicting accesses keep it. A body is a
//! list of commands, of which a loop, a branch or a call is one, with the accesses that are visible
//! from outside: at its entry those before which no access inside writes the bytes, at its exit the
//! last ones. So dependences are between commands of one body. Those of the body of a loop have a
//! *lag*: the number of iterations between them.
//!
//! Loops are simulated until their buffers return to the same places, and for two such periods
//! more. A dependence that one iteration has holds in all, so that one sequence of commands serves
//! all of them.
//!
//! A part is analysed once, with parameters that overlap if those of any call do.
//!
//! Cost: O(A log A) for A accesses of straight code. A loop costs as many iterations as three
//! periods of its ring. Loops inside of it are simulated once for each place of their buffers.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use tfx_schedule::{
    Branch, Buffer, BufferId, Call, CommandId, Loop, Mode, Names, Op, Part, Schedule, Trips,
};

use crate::Error;
use crate::layout::{HOST, Layout, agent_number};
use crate::memory::{Mark, Memory, NO_OWNER, Range, Ranges};

/// The iterations after which the buffers of a loop have returned to their places: a ring of more
/// slots needs more memory than it hides time.
const MAX_ITERATIONS: usize = 256;

/// A command that another one must come after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    /// The agent that must come after.
    pub(crate) agent: u32,
    /// The earlier command, by its index in the body.
    pub(crate) item: u32,
    /// The agent of the earlier command.
    pub(crate) on: u32,
    /// The iterations between the commands.
    pub(crate) lag: u32,
}

/// The unit whose accesses are in order without events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The agent, in the order of issue.
    Agent,
    /// Each command alone.
    Command,
}

/// The dependences of a part: for each body and each of its commands.
#[derive(Debug, Default)]
pub(crate) struct Dependences {
    pub(crate) edges: Vec<Vec<Vec<Edge>>>,
    /// The accesses that callers see, of the parameters.
    pub(crate) effects: Rc<Effects>,
}

/// An access of a loop, branch or call that is visible from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Effect {
    range: Range,
    is_write: bool,
    agent: u32,
    /// Set if the bytes are certainly written.
    is_certain: bool,
}

/// The accesses that are visible from outside.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    entry: Vec<Effect>,
    exit: Vec<Effect>,
}

impl Effects {
    fn normalize(&mut self) {
        for list in [&mut self.entry, &mut self.exit] {
            list.sort_unstable();
            list.dedup();
        }
    }
}

/// Returns the dependences of all parts.
///
/// # Errors
///
/// The buffers of a loop do not return to their places.
pub(crate) fn dependences<P>(
    schedule: &Schedule<P>,
    layouts: &[Layout<'_>],
    owner: Owner,
) -> Result<Vec<Dependences>, Error> {
    let parts = schedule.parts.len();
    let mut shared = Shared {
        overlaps: vec![Vec::new(); parts],
        effects: vec![Rc::default(); parts],
    };
    if parts > 1 {
        // Parameters that overlap are known once all callers are: the entry part is the last.
        for layout in layouts.iter().rev() {
            Engine::new(layout, &mut shared, number(layouts, layout), owner).part()?;
        }
    }
    let mut all = Vec::with_capacity(parts);
    for (index, layout) in layouts.iter().enumerate() {
        let found = Engine::new(layout, &mut shared, index, owner).part()?;
        shared.effects[index] = Rc::clone(&found.effects);
        all.push(found);
    }
    Ok(all)
}

fn number(layouts: &[Layout<'_>], layout: &Layout<'_>) -> usize {
    let is_same = |other: &Layout<'_>| std::ptr::eq(other, layout);
    layouts.iter().position(is_same).unwrap_or(0)
}

/// The facts that parts know of each other.
struct Shared {
    /// For each part, the pairs of parameters that overlap in a call.
    overlaps: Vec<Vec<(u32, u32)>>,
    effects: Vec<Rc<Effects>>,
}

/// The effects of a loop or branch, and its results.
#[derive(Clone)]
struct Known {
    effects: Rc<Effects>,
    results: Vec<Ranges>,
}

struct Engine<'e, 'a> {
    layout: &'e Layout<'a>,
    part: &'a Part,
    shared: &'e mut Shared,
    /// The index of the part.
    index: usize,
    owner: Owner,
    /// The ranges of buffers that control flow binds.
    bound: Vec<Ranges>,
    /// For each root of a parameter, the roots that it overlaps in a call.
    overlapping: FxHashMap<u32, Vec<u32>>,
    edges: Vec<Vec<Vec<Edge>>>,
    known: FxHashMap<(CommandId, Vec<Ranges>), Known>,
}

/// The accesses so far in an execution of a body.
struct Visit<'v> {
    body: usize,
    iteration: u32,
    memory: &'v mut Memory,
    entry: &'v mut Vec<Effect>,
}

impl<'e, 'a> Engine<'e, 'a> {
    fn new(
        layout: &'e Layout<'a>,
        shared: &'e mut Shared,
        index: usize,
        owner: Owner,
    ) -> Engine<'e, 'a> {
        let part = layout.part;
        let mut bound = vec![Ranges::new(); part.buffers.len()];
        let roots = part.roots.len() as u32;
        for (parameter, buffer) in (roots..).zip(&part.parameters.buffers) {
            if let (Some(Buffer::Bound { size, .. }), Some(slot)) = (
                part.buffers.get(buffer.0 as usize),
                bound.get_mut(buffer.0 as usize),
            ) {
                *slot = smallvec![Range {
                    root: parameter,
                    start: 0,
                    end: *size,
                }];
            }
        }
        let mut overlapping: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &(one, two) in &shared.overlaps[index] {
            overlapping
                .entry(roots + one)
                .or_default()
                .push(roots + two);
            overlapping
                .entry(roots + two)
                .or_default()
                .push(roots + one);
        }
        let bodies = layout.bodies.iter();
        Engine {
            layout,
            part,
            shared,
            index,
            owner,
            bound,
            overlapping,
            edges: bodies
                .map(|place| vec![Vec::new(); place.body.commands.len()])
                .collect(),
            known: FxHashMap::default(),
        }
    }

    fn part(mut self) -> Result<Dependences, Error> {
        let (mut memory, mut entry) = (Memory::default(), Vec::new());
        self.body(&mut Visit {
            body: 0,
            iteration: 0,
            memory: &mut memory,
            entry: &mut entry,
        })?;
        let mut effects = Effects {
            entry,
            exit: exits(&memory, true),
        };
        // The roots of the part belong to one call.
        let roots = self.part.roots.len() as u32;
        for list in [&mut effects.entry, &mut effects.exit] {
            list.retain(|effect| effect.range.root >= roots);
            list.iter_mut()
                .for_each(|effect| effect.range.root -= roots);
        }
        effects.normalize();
        Ok(Dependences {
            edges: self.edges,
            effects: Rc::new(effects),
        })
    }

    fn body(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        let body = self.layout.bodies[visit.body].body;
        for (item, command) in (0..).zip(&body.commands) {
            match &command.op {
                Op::Work {
                    agent, accesses, ..
                } => {
                    let agent = agent_number(*agent);
                    let accesses = accesses.iter();
                    let accesses =
                        accesses.map(|access| (access.buffer, access.mode != Mode::Read));
                    self.command(visit, item, agent, &accesses.collect::<SmallVec<[_; 4]>>());
                }
                // The lifetime of bytes starts after all earlier accesses, and ends after all of
                // its own, so both act like writes.
                Op::Alloc { agent, buffer } | Op::Free { agent, buffer } => {
                    self.command(visit, item, agent_number(*agent), &[(*buffer, true)]);
                }
                Op::Record { .. } | Op::Wait { .. } => {}
                Op::Loop(inner) => {
                    let known =
                        self.nested(command.id, |engine| engine.repeat(command.id, inner))?;
                    self.bind(&inner.results, known.results);
                    self.compound(visit, item, &known.effects);
                }
                Op::Branch(branch) => {
                    let known =
                        self.nested(command.id, |engine| engine.branch(command.id, branch))?;
                    self.bind(&branch.results, known.results);
                    self.compound(visit, item, &known.effects);
                }
                Op::Call(call) => {
                    let effects = self.call(call);
                    self.compound(visit, item, &effects);
                }
            }
        }
        Ok(())
    }

    // -------------------------------------------------------------------------------- accesses

    fn command(
        &mut self,
        visit: &mut Visit<'_>,
        item: u32,
        agent: u32,
        accesses: &[(BufferId, bool)],
    ) {
        let mut resolved: SmallVec<[(Ranges, bool); 4]> = SmallVec::new();
        for &(buffer, is_write) in accesses {
            let ranges = self.resolve(buffer);
            for range in &ranges {
                self.look(visit, item, agent, *range, is_write);
            }
            resolved.push((ranges, is_write));
        }
        let mark = self.mark(visit, item, agent);
        // Reads come first: a command that reads and writes the same bytes leaves a write.
        for is_writing in [false, true] {
            for (ranges, is_write) in &resolved {
                match (ranges.as_slice(), *is_write) {
                    _ if *is_write != is_writing => {}
                    ([range], true) => visit.memory.write(*range, mark),
                    (ranges, is_write) => ranges
                        .iter()
                        .for_each(|range| visit.memory.add(*range, is_write, mark)),
                }
            }
        }
        self.tidy(visit.body, item);
    }

    fn compound(&mut self, visit: &mut Visit<'_>, item: u32, effects: &Effects) {
        for effect in &effects.entry {
            self.look(visit, item, effect.agent, effect.range, effect.is_write);
        }
        for effect in &effects.exit {
            if effect.is_write && effect.is_certain {
                visit.memory.clear(effect.range);
            }
        }
        for effect in &effects.exit {
            let mark = self.mark(visit, item, effect.agent);
            visit.memory.add(effect.range, effect.is_write, mark);
        }
        self.tidy(visit.body, item);
    }

    fn mark(&self, visit: &Visit<'_>, item: u32, agent: u32) -> Mark {
        Mark {
            item,
            iteration: visit.iteration,
            owner: match self.owner {
                Owner::Agent => agent,
                Owner::Command => NO_OWNER,
            },
        }
    }

    /// Adds the dependences of an access, before it happens.
    fn look(&mut self, visit: &mut Visit<'_>, item: u32, agent: u32, range: Range, is_write: bool) {
        let (iteration, owner) = (visit.iteration, self.owner);
        let edges = &mut self.edges[visit.body][item as usize];
        let mut conflict = |mark: Mark| {
            let is_ordered = match owner {
                // What the host has done is complete when it issues a command.
                Owner::Agent => mark.owner == agent || mark.owner == HOST,
                Owner::Command => mark.item == item && mark.iteration == iteration,
            };
            if !is_ordered {
                edges.push(Edge {
                    agent,
                    item: mark.item,
                    on: mark.owner,
                    lag: iteration - mark.iteration,
                });
            }
        };
        let entry = &mut *visit.entry;
        let exposed = |start, end| {
            entry.push(Effect {
                range: Range {
                    root: range.root,
                    start,
                    end,
                },
                is_write,
                agent,
                is_certain: false,
            });
        };
        visit
            .memory
            .conflicts(range, is_write, &mut conflict, exposed);
        for root in self.overlapping.get(&range.root).into_iter().flatten() {
            let all = Range {
                root: *root,
                start: 0,
                end: u64::MAX,
            };
            visit
                .memory
                .conflicts(all, is_write, &mut conflict, |_, _| {});
        }
    }

    fn tidy(&mut self, body: usize, item: u32) {
        let edges = &mut self.edges[body][item as usize];
        if edges.len() > 1 {
            edges.sort_unstable();
            edges.dedup();
        }
    }

    // ------------------------------------------------------------------------------- buffers

    fn resolve(&self, buffer: BufferId) -> Ranges {
        let (mut current, mut shift, mut length) = (buffer, 0u64, None);
        loop {
            match self.part.buffers.get(current.0 as usize) {
                Some(&Buffer::Slice { root, offset, size }) => {
                    let start = offset.saturating_add(shift);
                    return smallvec![Range {
                        root: root.0,
                        start,
                        end: start.saturating_add(length.unwrap_or(size)),
                    }];
                }
                Some(&Buffer::View { of, offset, size }) if of < current => {
                    shift = shift.saturating_add(offset);
                    length.get_or_insert(size);
                    current = of;
                }
                Some(&Buffer::Bound { size, .. }) => {
                    let bound = self.bound[current.0 as usize].iter();
                    let ranges = bound.map(|range| {
                        let start = range.start.saturating_add(shift);
                        Range {
                            root: range.root,
                            start,
                            end: start.saturating_add(length.unwrap_or(size)),
                        }
                    });
                    return ranges.collect();
                }
                _ => return Ranges::new(),
            }
        }
    }

    fn resolve_all(&self, names: &Names) -> Vec<Ranges> {
        let buffers = names.buffers.iter();
        buffers.map(|buffer| self.resolve(*buffer)).collect()
    }

    fn bind(&mut self, names: &Names, ranges: Vec<Ranges>) {
        for (name, ranges) in names.buffers.iter().zip(ranges) {
            if let Some(slot) = self.bound.get_mut(name.0 as usize) {
                *slot = ranges;
            }
        }
    }

    // ---------------------------------------------------------------------------- control flow

    /// Analyses a loop or branch, once for each place of the buffers that it uses.
    fn nested(
        &mut self,
        command: CommandId,
        analyse: impl FnOnce(&mut Self) -> Result<Known, Error>,
    ) -> Result<Known, Error> {
        let free = self.layout.free(command).iter();
        let ranges = free.map(|buffer| self.resolve(*buffer)).collect();
        let key = (command, ranges);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let known = analyse(self)?;
        self.known.insert(key, known.clone());
        Ok(known)
    }

    fn repeat(&mut self, command: CommandId, inner: &Loop) -> Result<Known, Error> {
        let (least, most) = match inner.trips {
            Trips::Exactly(trips) => (trips, trips),
            Trips::AtLeast(trips) => (trips, u64::MAX),
        };
        let mut history = vec![self.resolve_all(&inner.initial)];
        let mut seen: FxHashMap<Vec<Ranges>, usize> = FxHashMap::default();
        let (mut memory, mut effects) = (Memory::default(), Effects::default());
        // The first iteration of the first period, and its length.
        let mut cycle: Option<(usize, usize)> = None;
        let mut iteration = 0;
        while (iteration as u64) < most
            && cycle.is_none_or(|(first, period)| iteration <= first + 2 * period)
        {
            self.bind(&inner.arguments, history[iteration].clone());
            self.body(&mut Visit {
                body: self.layout.children(command)[0],
                iteration: iteration as u32,
                memory: &mut memory,
                entry: &mut effects.entry,
            })?;
            effects
                .exit
                .extend(exits(&memory, iteration == 0 && least > 0));
            let next = self.resolve_all(&inner.body.yields);
            if cycle.is_none() {
                seen.insert(history[iteration].clone(), iteration);
                if let Some(&first) = seen.get(&next) {
                    cycle = Some((first, iteration + 1 - first));
                } else if iteration + 1 >= MAX_ITERATIONS {
                    return Err(Error::Ring(command));
                }
            }
            history.push(next);
            iteration += 1;
        }
        effects.normalize();
        let results = match cycle {
            _ if most < history.len() as u64 => history[most as usize].clone(),
            Some((first, period)) if least == most => {
                history[first + ((most as usize - first) % period)].clone()
            }
            Some((first, _)) => {
                let least = usize::try_from(least).unwrap_or(usize::MAX);
                union(&history[first.min(least)..])
            }
            None => Vec::new(),
        };
        Ok(Known {
            effects: Rc::new(effects),
            results,
        })
    }

    fn branch(&mut self, command: CommandId, branch: &Branch) -> Result<Known, Error> {
        let mut effects = Effects::default();
        let mut results = Vec::new();
        for (&body, arm) in self.layout.children(command).iter().zip(&branch.arms) {
            let mut memory = Memory::default();
            self.body(&mut Visit {
                body,
                iteration: 0,
                memory: &mut memory,
                entry: &mut effects.entry,
            })?;
            effects.exit.extend(exits(&memory, false));
            results.push(self.resolve_all(&arm.yields));
        }
        effects.normalize();
        Ok(Known {
            effects: Rc::new(effects),
            results: union(&results),
        })
    }

    fn call(&mut self, call: &Call) -> Effects {
        let arguments = self.resolve_all(&call.arguments);
        let Some(effects) = self.shared.effects.get(call.part.0 as usize).cloned() else {
            return Effects::default();
        };
        if (call.part.0 as usize) < self.index {
            self.note_overlaps(call.part.0 as usize, &arguments);
        }
        let agent = |agent: u32| match agent.checked_sub(1) {
            None => HOST,
            Some(stream) => {
                let stream = call.streams.get(stream as usize);
                stream.map_or(HOST, |stream| stream.0.saturating_add(1))
            }
        };
        let map = |list: &[Effect]| {
            let mut mapped = Vec::new();
            for effect in list {
                let ranges = arguments.get(effect.range.root as usize);
                for range in ranges.into_iter().flatten() {
                    mapped.push(Effect {
                        range: Range {
                            root: range.root,
                            start: range.start.saturating_add(effect.range.start),
                            end: range.start.saturating_add(effect.range.end),
                        },
                        agent: agent(effect.agent),
                        is_certain: effect.is_certain && ranges.is_some_and(|all| all.len() == 1),
                        ..*effect
                    });
                }
            }
            mapped
        };
        let mut effects = Effects {
            entry: map(&effects.entry),
            exit: map(&effects.exit),
        };
        effects.normalize();
        effects
    }

    /// Records which parameters of a part overlap in a call.
    fn note_overlaps(&mut self, part: usize, arguments: &[Ranges]) {
        let is_overlapping = |one: &Range, two: &Range| match one.root == two.root {
            true => one.start < two.end && two.start < one.end,
            false => {
                let others = self.overlapping.get(&one.root);
                others.is_some_and(|others| others.contains(&two.root))
            }
        };
        for (second, twos) in (0..).zip(arguments) {
            for (first, ones) in (0..second).zip(arguments) {
                let mut ones = ones.iter();
                let overlaps = ones.any(|one| twos.iter().any(|two| is_overlapping(one, two)));
                let pairs = &mut self.shared.overlaps[part];
                if overlaps && !pairs.contains(&(first, second)) {
                    pairs.push((first, second));
                }
            }
        }
    }
}

/// Returns the last accesses of bytes.
fn exits(memory: &Memory, is_executed: bool) -> Vec<Effect> {
    let mut effects = Vec::new();
    for (range, segment) in memory.segments() {
        let is_certain = is_executed && segment.is_written;
        let mut add = |mark: &Mark, is_write| {
            effects.push(Effect {
                range,
                is_write,
                agent: mark.owner,
                is_certain,
            });
        };
        segment.writes.iter().for_each(|mark| add(mark, true));
        segment.reads.iter().for_each(|mark| add(mark, false));
    }
    effects
}

/// Returns for each name the ranges that it has in any of the lists.
fn union(lists: &[Vec<Ranges>]) -> Vec<Ranges> {
    let mut lists = lists.iter();
    let mut all = lists.next().cloned().unwrap_or_default();
    for list in lists {
        for (ranges, more) in all.iter_mut().zip(list) {
            for range in more {
                if !ranges.contains(range) {
                    ranges.push(*range);
                }
            }
        }
    }
    all
}
