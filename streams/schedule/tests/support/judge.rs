//! The judge: executes schedules, and decides which are correct.
//!
//! ```text
//! schedule ──choices──► trace ──hold each step──► race?
//!                             ──run────────────► deadlock? stale read? use after free?
//! ```
//!
//! It has no clocks, no summaries and no intervals, and shares only the input with the checker:
//! loops are unrolled, calls are inlined, each branch is a choice, and memory is an array of bytes.
//! Two conflicting steps race if each can happen while the other is delayed indefinitely. Whether
//! it can is decided by execution: the judge delays the step, and lets all agents run as far as
//! they can. [`exhaustive_race`] decides the same for very small traces by all interleavings.

use std::collections::{BTreeMap, BTreeSet};

use super::Random;
use tfx_schedule::{
    Agent, Body, Buffer, BufferId, EventId, Lifetime, Mode, Names, Op, Part, Schedule, Trips,
    ValueId, Work,
};

/// A decision about a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Correct,
    Race,
    Overlap,
    Deadlock,
    Stale,
    Lifetime,
    /// A name has no meaning, or a range is invalid.
    Malformed,
}

/// The limits of the judge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The iterations of a loop beyond its minimal number.
    pub(crate) iterations: u64,
    /// The paths.
    pub(crate) paths: usize,
    /// The paths among them that are enumerated, with long loops first; the others are random. In
    /// turn, their choices are uniform, mostly short loops, and mostly long ones: some errors occur
    /// only if a nested loop has no iteration in each of many iterations of the outer loop.
    pub(crate) enumerated: usize,
}

/// Judges the paths within the limits.
pub(crate) fn judge<P>(schedule: &Schedule<P>, limits: Limits) -> Verdict {
    let mut choices = Choices::default();
    for path in 0..limits.paths {
        if path == limits.enumerated {
            choices.random = Some(Random::new(path as u64));
        }
        let verdict = match trace(schedule, limits.iterations, &mut choices) {
            Some(trace) => judge_trace(&trace),
            None => Verdict::Malformed,
        };
        if verdict != Verdict::Correct {
            return verdict;
        }
        if !choices.advance() {
            break;
        }
    }
    Verdict::Correct
}

/// The percentage of choices that follow the tendency of a path.
const STRENGTH: usize = 90;

/// The choices of a path, and the number of alternatives of each.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    made: Vec<(u64, u64)>,
    next: usize,
    random: Option<Random>,
    tendency: Tendency,
}

/// The choices that are more likely in a random path.
#[derive(Clone, Copy, Debug, Default)]
enum Tendency {
    #[default]
    None,
    Last,
    First,
}

impl Tendency {
    fn next(self) -> Self {
        match self {
            Tendency::None => Tendency::Last,
            Tendency::Last => Tendency::First,
            Tendency::First => Tendency::None,
        }
    }
}

impl Choices {
    fn choose(&mut self, alternatives: u64) -> u64 {
        if let Some(random) = &mut self.random {
            return match (self.tendency, random.chance(STRENGTH)) {
                (Tendency::Last, true) => alternatives - 1,
                (Tendency::First, true) => 0,
                _ => random.below(alternatives as usize) as u64,
            };
        }
        if self.next == self.made.len() {
            self.made.push((0, alternatives));
        }
        self.next += 1;
        self.made[self.next - 1].0
    }

    /// Goes to the next path, if there is one.
    fn advance(&mut self) -> bool {
        if self.random.is_some() {
            self.tendency = self.tendency.next();
            return true;
        }
        self.next = 0;
        while let Some((choice, alternatives)) = self.made.pop() {
            if choice + 1 < alternatives {
                self.made.push((choice + 1, alternatives));
                return true;
            }
        }
        false
    }
}

// ------------------------------------------------------------------------------------- traces

/// A range of bytes of a root, and the slice with its lifetime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    root: usize,
    start: u64,
    end: u64,
    slice: usize,
}

impl Range {
    fn overlaps(&self, other: &Range) -> bool {
        self.root == other.root && self.start < other.end && other.start < self.end
    }
}

/// An effect on bytes. Values are numbers of instances, with the offset of the first byte.
#[derive(Clone, Copy, Debug)]
enum Effect {
    Read(Option<(usize, u64)>),
    Write(Option<(usize, u64)>),
    Scratch,
    Alloc,
    Free,
}

#[derive(Clone, Debug)]
enum Action {
    Access(Vec<(Range, Effect)>, bool),
    Record(usize),
    Wait(Vec<usize>),
}

#[derive(Clone, Debug)]
struct Step {
    /// 0 is the host.
    agent: usize,
    action: Action,
}

/// The steps of one path, in the order of their issue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    steps: Vec<Step>,
    agents: usize,
    /// The sizes of roots, and whether they are managed.
    roots: Vec<(u64, bool)>,
    /// The largest number of an event.
    names: usize,
}

/// The meaning of names in a part.
#[derive(Clone, Default)]
struct Scope {
    agents: Vec<usize>,
    roots: Vec<usize>,
    slices: Vec<usize>,
    events: BTreeMap<EventId, usize>,
    buffers: BTreeMap<BufferId, Range>,
    values: BTreeMap<ValueId, usize>,
    /// Names that a later command of the body defines.
    later_events: BTreeSet<EventId>,
    later_values: BTreeSet<ValueId>,
}

impl Scope {
    /// Returns the scope of a nested body, in which only earlier names are visible.
    fn nested(&self) -> Scope {
        let mut scope = self.clone();
        for event in std::mem::take(&mut scope.later_events) {
            scope.events.remove(&event);
        }
        for value in std::mem::take(&mut scope.later_values) {
            scope.values.remove(&value);
        }
        scope
    }
}

struct Unroll<'a, P> {
    schedule: &'a Schedule<P>,
    iterations: u64,
    choices: &'a mut Choices,
    trace: Trace,
    /// The number of events, values and slices so far.
    fresh: usize,
}

/// Returns the trace of a path, or `None` if a name has no meaning.
pub(crate) fn trace<P>(
    schedule: &Schedule<P>,
    iterations: u64,
    choices: &mut Choices,
) -> Option<Trace> {
    let entry = schedule.parts.last()?;
    let mut unroll = Unroll {
        schedule,
        iterations,
        choices,
        trace: Trace {
            agents: entry.streams.len() + 1,
            ..Trace::default()
        },
        fresh: 0,
    };
    let agents = (1..=entry.streams.len()).collect();
    let mut scope = unroll.scope(entry, agents);
    unroll.body(entry, &entry.body, &mut scope)?;
    let names = unroll.fresh;
    Some(Trace {
        names,
        ..unroll.trace
    })
}

impl<P> Unroll<'_, P> {
    fn fresh(&mut self) -> usize {
        self.fresh += 1;
        self.fresh
    }

    fn scope(&mut self, part: &Part, agents: Vec<usize>) -> Scope {
        let first = self.trace.roots.len();
        let roots = part.roots.iter();
        let roots = roots.map(|root| (root.size, root.lifetime == Lifetime::Managed));
        self.trace.roots.extend(roots);
        Scope {
            agents,
            roots: (first..self.trace.roots.len()).collect(),
            slices: part.buffers.iter().map(|_| self.fresh()).collect(),
            ..Scope::default()
        }
    }

    fn range(&self, part: &Part, scope: &Scope, buffer: BufferId) -> Option<Range> {
        let id = buffer.0 as usize;
        match *part.buffers.get(id)? {
            Buffer::Slice { root, offset, size } => {
                let index = *scope.roots.get(root.0 as usize)?;
                let end = offset + size;
                (end <= self.trace.roots[index].0).then_some(Range {
                    root: index,
                    start: offset,
                    end,
                    slice: scope.slices[id],
                })
            }
            Buffer::View { of, offset, size } => {
                let whole = self.range(part, scope, of)?;
                let start = whole.start + offset;
                let end = start + size;
                (end <= whole.end).then_some(Range {
                    start,
                    end,
                    ..whole
                })
            }
            Buffer::Bound { size, .. } => {
                let range = *scope.buffers.get(&buffer)?;
                (range.end - range.start == size).then_some(range)
            }
        }
    }

    /// Binds names in a scope to the meanings of other names.
    fn bind(
        &self,
        part: &Part,
        from: &Scope,
        names: &Names,
        scope: &mut Scope,
        to: &Names,
    ) -> Option<()> {
        if names.arity() != to.arity() {
            return None;
        }
        for (from_name, to_name) in names.events.iter().zip(&to.events) {
            scope.events.insert(*to_name, *from.events.get(from_name)?);
        }
        for (from_name, to_name) in names.buffers.iter().zip(&to.buffers) {
            let range = self.range(part, from, *from_name)?;
            scope.buffers.insert(*to_name, range);
        }
        for (from_name, to_name) in names.values.iter().zip(&to.values) {
            scope.values.insert(*to_name, *from.values.get(from_name)?);
        }
        Some(())
    }

    fn body(&mut self, part: &Part, body: &Body, scope: &mut Scope) -> Option<()> {
        // Names have a meaning in the whole body that defines them.
        for command in &body.commands {
            match &command.op {
                Op::Record { event, .. } => {
                    let event_number = self.fresh();
                    scope.events.insert(*event, event_number);
                    scope.later_events.insert(*event);
                }
                Op::Work { accesses, .. } => {
                    for access in accesses.iter().filter(|access| access.mode != Mode::Read) {
                        if let Some(value) = access.value {
                            let instance = self.fresh();
                            scope.values.insert(value.id, instance);
                            scope.later_values.insert(value.id);
                        }
                    }
                }
                _ => {}
            }
        }
        for command in &body.commands {
            self.op(part, &command.op, scope)?;
        }
        Some(())
    }

    fn step(&mut self, scope: &Scope, agent: Agent, action: Action) -> Option<()> {
        let agent = match agent {
            Agent::Host => 0,
            Agent::Stream(stream) => *scope.agents.get(stream.0 as usize)?,
        };
        self.trace.steps.push(Step { agent, action });
        Some(())
    }

    fn op(&mut self, part: &Part, op: &Op, scope: &mut Scope) -> Option<()> {
        match op {
            Op::Work {
                agent,
                kind,
                accesses,
            } => {
                let mut effects = Vec::new();
                for access in accesses {
                    let range = self.range(part, scope, access.buffer)?;
                    let value = match access.value {
                        Some(value) => Some((*scope.values.get(&value.id)?, value.offset)),
                        None => None,
                    };
                    if let Some(value) = access.value.filter(|_| access.mode != Mode::Read) {
                        scope.later_values.remove(&value.id);
                    }
                    effects.push((
                        range,
                        match access.mode {
                            Mode::Read => Effect::Read(value),
                            Mode::Write => Effect::Write(value),
                            Mode::Scratch => Effect::Scratch,
                        },
                    ));
                }
                let is_copy = *kind == Work::Copy;
                self.step(scope, *agent, Action::Access(effects, is_copy))
            }
            Op::Record { agent, event } => {
                scope.later_events.remove(event);
                let event = *scope.events.get(event)?;
                self.step(scope, *agent, Action::Record(event))
            }
            Op::Wait { agent, events } => {
                let events = events.iter().map(|event| scope.events.get(event).copied());
                let events = events.collect::<Option<Vec<usize>>>()?;
                self.step(scope, *agent, Action::Wait(events))
            }
            Op::Alloc { agent, buffer } => {
                let range = self.range(part, scope, *buffer)?;
                let effects = vec![(range, Effect::Alloc)];
                self.step(scope, *agent, Action::Access(effects, false))
            }
            Op::Free { agent, buffer } => {
                let range = self.range(part, scope, *buffer)?;
                let effects = vec![(range, Effect::Free)];
                self.step(scope, *agent, Action::Access(effects, false))
            }
            Op::Loop(inner) => {
                let trips = match inner.trips {
                    Trips::Exactly(trips) => trips,
                    // The longest loops first: they contain the others.
                    Trips::AtLeast(trips) => {
                        trips + self.iterations - self.choices.choose(self.iterations + 1)
                    }
                };
                let mut iteration = scope.nested();
                self.bind(
                    part,
                    scope,
                    &inner.initial,
                    &mut iteration,
                    &inner.arguments,
                )?;
                for _ in 0..trips {
                    self.body(part, &inner.body, &mut iteration)?;
                    let mut next = scope.nested();
                    let yields = &inner.body.yields;
                    self.bind(part, &iteration, yields, &mut next, &inner.arguments)?;
                    iteration = next;
                }
                self.bind(part, &iteration, &inner.arguments, scope, &inner.results)
            }
            Op::Branch(branch) => {
                let arm = self.choices.choose(branch.arms.len() as u64);
                let arm = &branch.arms[arm as usize];
                let mut inner = scope.nested();
                self.body(part, arm, &mut inner)?;
                self.bind(part, &inner, &arm.yields, scope, &branch.results)
            }
            Op::Call(call) => {
                let callee = self.schedule.parts.get(call.part.0 as usize)?;
                let streams = call.streams.iter();
                let agents = streams.map(|stream| scope.agents.get(stream.0 as usize).copied());
                let agents = agents.collect::<Option<Vec<usize>>>()?;
                let mut inner = self.scope(callee, agents);
                self.bind(part, scope, &call.arguments, &mut inner, &callee.parameters)?;
                self.body(callee, &callee.body, &mut inner)?;
                self.bind(callee, &inner, &callee.body.yields, scope, &call.results)
            }
        }
    }
}

// ----------------------------------------------------------------------------------- execution

/// Judges one path.
fn judge_trace(trace: &Trace) -> Verdict {
    let run = run(trace, &queues(trace), None);
    if run.order.len() < trace.steps.len() {
        return Verdict::Deadlock;
    }
    if trace.steps.iter().any(overlaps_itself) {
        return Verdict::Overlap;
    }
    if has_race(trace) {
        return Verdict::Race;
    }
    run_bytes(trace, &run.order)
}

/// The steps that are executed, in order.
struct Run {
    order: Vec<usize>,
    executed: Vec<bool>,
}

/// Runs all agents as far as possible, without a step that is held.
fn run(trace: &Trace, queues: &[Vec<usize>], held: Option<usize>) -> Run {
    let mut next = vec![0; trace.agents];
    let mut executed = vec![false; trace.steps.len()];
    let mut order = Vec::new();
    let mut recorded = vec![false; trace.names + 1];
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for agent in 0..trace.agents {
            while let Some(&index) = queues[agent].get(next[agent]) {
                let is_issued = is_issued(&queues[0], next[0], index);
                if Some(index) == held || !is_issued || !is_ready(trace, index, &recorded) {
                    break;
                }
                if let Action::Record(event) = trace.steps[index].action {
                    recorded[event] = true;
                }
                executed[index] = true;
                order.push(index);
                next[agent] += 1;
                has_changed = true;
            }
        }
    }
    Run { order, executed }
}

/// Returns whether the host has issued a step: it has executed its own earlier steps.
fn is_issued(host: &[usize], next: usize, index: usize) -> bool {
    host.get(next).is_none_or(|&waiting| index <= waiting)
}

fn is_ready(trace: &Trace, index: usize, recorded: &[bool]) -> bool {
    match &trace.steps[index].action {
        Action::Wait(events) => events.iter().all(|&event| recorded[event]),
        _ => true,
    }
}

/// Returns the steps of each agent.
fn queues(trace: &Trace) -> Vec<Vec<usize>> {
    let mut queues = vec![Vec::new(); trace.agents];
    for (index, step) in trace.steps.iter().enumerate() {
        queues[step.agent].push(index);
    }
    queues
}

fn has_race(trace: &Trace) -> bool {
    let steps = &trace.steps;
    let queues = queues(trace);
    let accesses: Vec<usize> = (0..steps.len())
        .filter(|&index| !effects(&steps[index]).is_empty())
        .collect();
    let mut runs: BTreeMap<usize, Run> = BTreeMap::new();
    for (number, &two) in accesses.iter().enumerate() {
        for &one in &accesses[..number] {
            if !conflict(&steps[one], &steps[two]) {
                continue;
            }
            let mut happens = |step: usize, without: usize| {
                let known = runs.entry(without);
                let run = known.or_insert_with(|| run(trace, &queues, Some(without)));
                run.executed[step]
            };
            if happens(two, one) && happens(one, two) {
                return true;
            }
        }
    }
    false
}

fn effects(step: &Step) -> &[(Range, Effect)] {
    match &step.action {
        Action::Access(effects, _) => effects,
        _ => &[],
    }
}

fn conflict(one: &Step, two: &Step) -> bool {
    one.agent != two.agent
        && effects(one).iter().any(|(range, effect)| {
            effects(two).iter().any(|(other, other_effect)| {
                range.overlaps(other)
                    && !matches!((effect, other_effect), (Effect::Read(_), Effect::Read(_)))
            })
        })
}

/// Returns whether an operand that is written overlaps another one, and is not updated in place.
fn overlaps_itself(step: &Step) -> bool {
    let is_copy = matches!(step.action, Action::Access(_, true));
    let effects = effects(step);
    effects.iter().enumerate().any(|(index, (range, effect))| {
        effects[..index].iter().any(|(other, other_effect)| {
            let is_same = (range.start, range.end) == (other.start, other.end);
            let is_allowed = match (effect, other_effect) {
                (Effect::Read(_), Effect::Read(_)) => true,
                (Effect::Read(_), Effect::Write(_)) | (Effect::Write(_), Effect::Read(_)) => {
                    is_same && !is_copy
                }
                _ => false,
            };
            range.overlaps(other) && !is_allowed
        })
    })
}

/// The value of a byte, as an instance and an index, and its slice; 0 is dead.
type Byte = (Option<(usize, u64)>, usize);

/// Executes steps on bytes.
fn run_bytes(trace: &Trace, order: &[usize]) -> Verdict {
    let mut bytes: Vec<Vec<Byte>> = Vec::new();
    for &(size, _) in &trace.roots {
        bytes.push(vec![(None, 0); size as usize]);
    }
    for &index in order {
        let effects = effects(&trace.steps[index]);
        let reads = effects.iter().filter(|(_, e)| matches!(e, Effect::Read(_)));
        let writes = effects
            .iter()
            .filter(|(_, e)| !matches!(e, Effect::Read(_)));
        for (range, effect) in reads.chain(writes) {
            let (_, is_managed) = trace.roots[range.root];
            for position in range.start..range.end {
                let byte = &mut bytes[range.root][position as usize];
                let is_dead = is_managed && byte.1 != range.slice;
                let at = position - range.start;
                match effect {
                    _ if is_dead && !matches!(effect, Effect::Alloc) => return Verdict::Lifetime,
                    Effect::Read(Some((instance, offset))) => {
                        if byte.0 != Some((*instance, offset + at)) {
                            return Verdict::Stale;
                        }
                    }
                    Effect::Read(None) => {}
                    Effect::Scratch => byte.0 = None,
                    Effect::Write(value) => {
                        byte.0 = value.map(|(instance, offset)| (instance, offset + at));
                    }
                    Effect::Alloc if !is_managed || byte.1 != 0 => return Verdict::Lifetime,
                    Effect::Alloc => *byte = (None, range.slice),
                    Effect::Free if !is_managed => return Verdict::Lifetime,
                    Effect::Free => *byte = (None, 0),
                }
            }
        }
    }
    Verdict::Correct
}

// ------------------------------------------------------------------------------ all interleavings

/// Decides by all interleavings whether some reachable state has two conflicting steps that are
/// both ready, or no step that is ready although some are left.
pub(crate) fn exhaustive_race(trace: &Trace) -> Option<Verdict> {
    let queues = queues(trace);
    let mut seen = BTreeSet::new();
    let mut open = vec![vec![0; trace.agents]];
    while let Some(next) = open.pop() {
        if !seen.insert(next.clone()) {
            continue;
        }
        let done = (0..trace.agents).flat_map(|agent| &queues[agent][..next[agent]]);
        let mut recorded = vec![false; trace.names + 1];
        for &index in done {
            if let Action::Record(event) = trace.steps[index].action {
                recorded[event] = true;
            }
        }
        let heads = (0..trace.agents).filter_map(|agent| queues[agent].get(next[agent]));
        let is_finished = heads.clone().next().is_none();
        let ready: Vec<usize> = heads
            .copied()
            .filter(|&index| is_issued(&queues[0], next[0], index))
            .filter(|&index| is_ready(trace, index, &recorded))
            .collect();
        if ready.is_empty() && !is_finished {
            return Some(Verdict::Deadlock);
        }
        for &one in &ready {
            if ready
                .iter()
                .any(|&two| conflict(&trace.steps[one], &trace.steps[two]))
            {
                return Some(Verdict::Race);
            }
            let mut after = next.clone();
            after[trace.steps[one].agent] += 1;
            open.push(after);
        }
    }
    None
}

/// Decides the same as [`exhaustive_race`] by delays.
pub(crate) fn delayed_race(trace: &Trace) -> Option<Verdict> {
    if run(trace, &queues(trace), None).order.len() < trace.steps.len() {
        return Some(Verdict::Deadlock);
    }
    has_race(trace).then_some(Verdict::Race)
}

impl Trace {
    /// Returns the number of steps.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }
}
