//! One edge of the original in the structured form.
//!
//! ```text
//!   %c is true:   scf.if %c { [yield %one] } else { ... }     the first region runs; %f is then %one, which is 1
//!                 scf.if %f { [x] }                           so this one's first region runs, and x is what the edge leads to
//! ```
//!
//! From where an edge starts, the structured form is followed to the operation that the edge leads to. What decides at each choice,
//! in this order:
//!
//! 1. a constant that was handed to it on this way;
//! 2. a region around the start (see `places.rs`);
//! 3. a value that a branch of the original has told, together with 2 where both only exclude numbers: that is a guess, which
//!    `values.rs` proves;
//! 4. a number that it was handed on the way before, if that led to a block that only branches: a constant, or a value that a region
//!    around the start of that way tells: a guess;
//! 5. the value that the branch at the start of the edge tests, if nothing else is known of what the choice reads: a guess as well.
//!
//! A way to a block that only branches ends where something is not known: that is for the next way. It also ends before what that
//! branch tests, unless the original knows what it is: else the two ways of that branch could not be told apart.

use rustc_hash::FxHashMap;
use tfx_ir::ops::{arith, scf};
use tfx_ir::{Block, Op, Value};

use super::graph::{Facts, Goal, Handed, Path};
use super::likely::Likely;
use super::meet::{is_computation, is_made, starts_with};
use super::places::{EQUAL, NOT_EQUAL, is_flag, widens};
use super::source::{Known, Source, branch, constant, is_constant};
use super::walk::{JobId, NodeId, Walker};
use super::{Difference, differ};

/// Trips of one loop that a way between two blocks may make: it enters the loop in one and leaves it in the next. For each block that
/// it crosses, it may make one more.
const MAX_TRIPS: usize = 2;

/// Computations that a value may depend on which the way has not passed.
const MAX_DEPTH: usize = 16;

/// The walk through the structured form along one edge.
pub(super) struct Way<'a, 'w> {
    walker: &'w Walker<'a>,
    job: JobId,
    from: NodeId,
    root: Block<'a>,
    goal: Goal<'a>,
    /// What the original knows on the edge.
    facts: &'w Facts<'a>,
    /// What the branch at the start of the edge tests, and what is known of it.
    tested: Option<(Value<'a>, Known)>,
    /// What the original hands over.
    handed: &'w [Handed<'a>],
    /// What the branch at the end of the edge tests, as it was at the start.
    next_test: Option<Value<'a>>,
    holds: FxHashMap<Value<'a>, Source<'a>>,
    guesses: Vec<(Source<'a>, Source<'a>)>,
    decided: Vec<Value<'a>>,
    written: Vec<u64>,
    starts_at_branch: bool,
    /// The way starts at an empty branch, and nothing was asked for yet: that is what the branch tests.
    is_at_branch: bool,
    trips: FxHashMap<Op<'a>, usize>,
    max_trips: usize,
}

/// What a way came to.
pub(super) struct Arrival<'a> {
    /// The operation at which it ends.
    pub(super) point: Op<'a>,
    /// What values hold there, in terms of the start.
    pub(super) holds: FxHashMap<Value<'a>, Source<'a>>,
    /// What it depends on: values of the original, and those of the structured form that were taken for them.
    pub(super) guesses: Vec<(Source<'a>, Source<'a>)>,
    /// Values by which it was decided.
    pub(super) decided: Vec<Value<'a>>,
    /// Constants that choices read.
    pub(super) written: Vec<u64>,
    /// It ends where it started, and went nowhere in between.
    pub(super) is_still: bool,
}

/// Where an edge starts and leads, and what is known on it.
pub(super) struct Start<'a, 'w> {
    pub(super) job: JobId,
    pub(super) from: NodeId,
    /// It starts at a block that only branches.
    pub(super) is_at_branch: bool,
    pub(super) path: &'w Path<'a>,
    pub(super) facts: &'w Facts<'a>,
    pub(super) tested: Option<(Value<'a>, Known)>,
}

enum Step<'a> {
    /// The next operation.
    To(Op<'a>),
    /// It computes this.
    Computes(Source<'a>),
    /// It is not for a way between two blocks, or not known.
    Stuck,
}

impl<'a, 'w> Way<'a, 'w> {
    pub(super) fn new(walker: &'w Walker<'a>, start: Start<'a, 'w>) -> Self {
        let next_test = match start.path.goal {
            Goal::Branch(block) => block.last().and_then(branch),
            _ => None,
        };
        let next_test =
            next_test.map(|(value, _)| before(&start.path.handed, Source::Value(value)));
        Self {
            walker,
            job: start.job,
            from: start.from,
            root: walker.jobs[start.job].structured,
            goal: start.path.goal,
            facts: start.facts,
            tested: start.tested,
            handed: &start.path.handed,
            next_test: match next_test {
                Some(Source::Value(value)) => Some(value),
                _ => None,
            },
            holds: FxHashMap::default(),
            guesses: Vec::new(),
            decided: Vec::new(),
            written: Vec::new(),
            starts_at_branch: start.is_at_branch,
            is_at_branch: start.is_at_branch,
            trips: FxHashMap::default(),
            max_trips: MAX_TRIPS + start.path.crossed,
        }
    }

    /// Goes on from `start` until the goal is reached; `next` are the operations that may happen after a goal that only branches.
    pub(super) fn walk(
        mut self,
        start: Op<'a>,
        branch: Op<'a>,
        next: &[(Block<'a>, Op<'a>)],
    ) -> Result<Arrival<'a>, Difference<'a>> {
        let mut point = start;
        while !self.is_there(point, next) {
            if is_constant(point) {
                point = after(point)?;
                continue;
            }
            let only_branches = matches!(self.goal, Goal::Branch(_));
            match self.step(point) {
                Step::To(next) => point = next,
                Step::Computes(source) if source != Source::Unknown || !only_branches => {
                    self.holds.insert(point.result(0), source);
                    point = after(point)?;
                }
                _ if only_branches => break,
                _ => {
                    let what = format!(
                        "'{}' stands where the way on from a branch leads elsewhere",
                        point.name()
                    );
                    return Err(differ(point, branch, &what));
                }
            }
            if self.trips.values().any(|&trips| trips > self.max_trips) {
                match self.goal {
                    Goal::Forever | Goal::Branch(_) => break,
                    _ => return Err(differ(point, branch, "a loop goes round on its own")),
                }
            }
        }
        Ok(Arrival {
            point,
            holds: self.holds,
            guesses: self.guesses,
            decided: self.decided,
            written: self.written,
            is_still: point == start && self.trips.is_empty(),
        })
    }

    /// Whether the goal is reached.
    fn is_there(&self, point: Op<'a>, next: &[(Block<'a>, Op<'a>)]) -> bool {
        match self.goal {
            Goal::Block(block, first) => {
                starts_with(block, first, point) && self.may_read(first, point)
            }
            Goal::End(_) => point.block() == Some(self.root) && point.next().is_none(),
            Goal::Branch(_) => {
                is_made(point)
                    && next
                        .iter()
                        .any(|&(block, first)| starts_with(block, first, point))
            }
            Goal::Never | Goal::Forever => false,
        }
    }

    /// Whether what `point` reads may be what the first operation of the goal reads.
    fn may_read(&self, first: Op<'a>, point: Op<'a>) -> bool {
        !is_made(point)
            || first
                .operands()
                .zip(point.operands())
                .all(|(original, structured)| {
                    let original = before(self.handed, Source::Value(original));
                    let structured = self.source(structured);
                    self.walker
                        .is_likely(self.job, self.from, original, structured)
                        != Likely::No
                })
    }

    fn step(&mut self, point: Op<'a>) -> Step<'a> {
        match point.name() {
            scf::If::NAME => match self.decide(point.operand(0)) {
                Some(Known::Is(flag)) => enter(point, usize::from(flag == 0)),
                _ => Step::Stuck,
            },
            scf::IndexSwitch::NAME => {
                let Some(cases) = self.walker.places.cases(point) else {
                    return Step::Stuck;
                };
                match self.decide(point.operand(0)) {
                    Some(Known::Is(number)) => {
                        enter(point, cases.get(&number).copied().unwrap_or(0))
                    }
                    Some(known) if cases.keys().all(|&case| !known.allows(case)) => enter(point, 0),
                    _ => Step::Stuck,
                }
            }
            scf::While::NAME => {
                let values: Vec<Value<'a>> = point.operands().collect();
                self.enter_half(point, 0, &values)
            }
            scf::Condition::NAME => {
                let Some(around) = point.parent() else {
                    return Step::Stuck;
                };
                let values: Vec<Value<'a>> = point.operands().skip(1).collect();
                match self.decide(point.operand(0)) {
                    Some(Known::Is(0)) => self.leave(around, &values),
                    Some(Known::Is(_)) => self.enter_half(around, 1, &values),
                    _ => Step::Stuck,
                }
            }
            scf::Yield::NAME => {
                let Some(around) = point.parent().filter(|_| point.block() != Some(self.root))
                else {
                    return Step::Stuck;
                };
                let values: Vec<Value<'a>> = point.operands().collect();
                match around.isa::<scf::While>() {
                    true => self.enter_half(around, 0, &values),
                    false => self.leave(around, &values),
                }
            }
            arith::Select::NAME => match self.decide(point.operand(0)) {
                Some(Known::Is(flag)) => {
                    Step::Computes(self.source(point.operand(if flag == 0 { 2 } else { 1 })))
                }
                _ => Step::Computes(Source::Unknown),
            },
            _ if widens(point) => Step::Computes(self.source(point.operand(0))),
            _ if is_computation(point) => {
                let operands = [self.source(point.operand(0)), self.source(point.operand(1))];
                let number = self.combine(point, operands, MAX_DEPTH);
                Step::Computes(number.map_or(Source::Unknown, Source::Integer))
            }
            _ => Step::Stuck,
        }
    }

    fn leave(&mut self, around: Op<'a>, values: &[Value<'a>]) -> Step<'a> {
        self.hold(around.results(), values);
        around.next().map_or(Step::Stuck, Step::To)
    }

    fn enter_half(&mut self, op: Op<'a>, region: usize, values: &[Value<'a>]) -> Step<'a> {
        if region == 0 {
            *self.trips.entry(op).or_default() += 1;
        }
        let Some(block) = op.region(region).entry() else {
            return Step::Stuck;
        };
        self.hold(block.arguments(), values);
        block.first().map_or(Step::Stuck, Step::To)
    }

    /// All values are read before any is replaced.
    fn hold(&mut self, targets: impl Iterator<Item = Value<'a>>, values: &[Value<'a>]) {
        let sources: Vec<Source<'a>> = values.iter().map(|&value| self.source(value)).collect();
        self.holds.extend(targets.zip(sources));
    }

    /// What a value holds now.
    fn source(&self, value: Value<'a>) -> Source<'a> {
        let held = self.holds.get(&value).copied();
        held.unwrap_or_else(|| Source::of(value))
    }

    // -----------------------------------------------------------------------------------------------------------------
    // What is known.

    /// A number that the way depends on.
    fn decide(&mut self, value: Value<'a>) -> Option<Known> {
        let known = self.number(self.source(value), MAX_DEPTH);
        if known.is_some() {
            self.note_decided(value);
        }
        if let (Some(Known::Is(number)), true) = (&known, is_written_constant(value)) {
            self.written.push(*number);
        }
        known
    }

    /// Notes a value that is not constant, and what it is computed from.
    fn note_decided(&mut self, value: Value<'a>) {
        let computed = value.defining_op().filter(|&op| self.is_computed(op));
        let operands = computed.into_iter().flat_map(Op::operands);
        let values = std::iter::once(value).chain(operands);
        self.decided
            .extend(values.filter(|&value| constant(value).is_none()));
    }

    /// Whether an operation computes something that the original does not have.
    fn is_computed(&self, op: Op<'a>) -> bool {
        is_computation(op) && !self.walker.met.contains(&op)
    }

    /// What is known of something as a number.
    fn number(&mut self, source: Source<'a>, depth: usize) -> Option<Known> {
        match source {
            Source::Integer(number) => Some(Known::Is(number)),
            Source::Value(value) => self.number_at_start(value, depth),
            Source::Constant(_) | Source::Undefined | Source::Unknown => None,
        }
    }

    /// What is known of the number that a value is where the way starts.
    fn number_at_start(&mut self, mut value: Value<'a>, depth: usize) -> Option<Known> {
        while let Some(op) = value
            .defining_op()
            .filter(|&op| widens(op) && self.is_computed(op))
        {
            value = op.operand(0);
        }
        if let Source::Integer(number) = Source::of(value) {
            return Some(Known::Is(number));
        }
        let point = self.walker.jobs[self.job].nodes[self.from].end;
        let mut told = self.who_told(value, Likely::Sure);
        if self.is_at_branch {
            told = told.or_else(|| self.who_told(value, Likely::Yes));
        }
        self.is_at_branch = false;
        let next = self.next_test.map(|next| self.is_likely(next, value));
        if told.is_none() && next == Some(Likely::Sure) {
            return None;
        }
        let told = told.or_else(|| self.who_told(value, Likely::Yes));
        if told.is_none() && next == Some(Likely::Yes) {
            return None;
        }
        match (self.walker.places.known(point, value), told) {
            (Some(Known::Is(number)), _) => return Some(Known::Is(*number)),
            (Some(placed), None) => return Some(placed.clone()),
            // The regions may exclude some numbers, and the branches of the original others.
            (placed, Some((original, known))) => {
                self.guess(Source::Value(original), value);
                return Some(placed.map_or(known.clone(), |placed| placed.and(&known)));
            }
            (None, None) => {}
        }
        if let Some(op) = value.defining_op().filter(|&op| self.is_computed(op)) {
            return self.computed_at_start(op, depth.checked_sub(1)?);
        }
        if self.starts_at_branch
            && let Some(number) = self.walker.held_constant(self.job, self.from, value)
        {
            self.guess(Source::Integer(number), value);
            return Some(Known::Is(number));
        }
        let (original, known) = self.tested.clone()?;
        let may_be = original.ty() == value.ty()
            && !self.walker.is_settled(value)
            && self.is_likely(original, value) == Likely::Unknown;
        may_be.then(|| {
            self.guess(Source::Value(original), value);
            known
        })
    }

    /// The value of the original by which a value is known, if it is that likely.
    fn who_told(&self, value: Value<'a>, likely: Likely) -> Option<(Value<'a>, Known)> {
        let mut facts = self.facts.iter();
        let found = facts.find(|(original, _)| {
            original.ty() == value.ty() && self.is_likely(*original, value) == likely
        });
        found.cloned()
    }

    fn is_likely(&self, original: Value<'a>, structured: Value<'a>) -> Likely {
        let (original, structured) = (Source::Value(original), Source::Value(structured));
        self.walker
            .is_likely(self.job, self.from, original, structured)
    }

    fn guess(&mut self, original: Source<'a>, structured: Value<'a>) {
        let guess = (original, Source::Value(structured));
        if !self.guesses.contains(&guess) {
            self.guesses.push(guess);
        }
    }

    /// What an operation has computed before the way started.
    fn computed_at_start(&mut self, op: Op<'a>, depth: usize) -> Option<Known> {
        if op.isa::<arith::Select>() {
            let flag = self.number(Source::of(op.operand(0)), depth)?.number()?;
            let chosen = op.operand(if flag == 0 { 2 } else { 1 });
            return self.number(Source::of(chosen), depth);
        }
        if op.num_operands() != 2 {
            return None;
        }
        let operands = [Source::of(op.operand(0)), Source::of(op.operand(1))];
        self.combine(op, operands, depth).map(Known::Is)
    }

    /// Computes with two numbers, of which one may decide alone.
    fn combine(&mut self, op: Op<'a>, operands: [Source<'a>; 2], depth: usize) -> Option<u64> {
        let deciding = match op.name() {
            arith::AndI::NAME => Some(0),
            arith::OrI::NAME if is_flag(op.result(0)) => Some(1),
            _ => None,
        };
        let mut numbers = Vec::new();
        for operand in operands {
            let known = self.number(operand, depth);
            let number = known.as_ref().and_then(Known::number);
            if number.is_some() && number == deciding {
                return number;
            }
            numbers.push(known);
        }
        let (one, other) = (numbers[0].clone()?, numbers[1].clone()?);
        if op.isa::<arith::CmpI>() {
            let equal = match (one.number(), other.number()) {
                (Some(one), Some(other)) => one == other,
                _ if !one.agrees(&other) => false,
                _ => return None,
            };
            return match op.integer("predicate") {
                Some(EQUAL) => Some(u64::from(equal)),
                Some(NOT_EQUAL) => Some(u64::from(!equal)),
                _ => None,
            };
        }
        let (one, other) = (one.number()?, other.number()?);
        match op.name() {
            arith::XOrI::NAME => Some(one ^ other),
            arith::AndI::NAME => Some(one & other),
            arith::OrI::NAME => Some(one | other),
            _ => None,
        }
    }
}

/// Whether a choice reads a constant as it stands.
fn is_written_constant(value: Value<'_>) -> bool {
    let widened = value.defining_op().filter(|&op| widens(op));
    constant(widened.map_or(value, |op| op.operand(0))).is_some()
}

/// What something is at the start of an edge that hands over `handed`.
pub(super) fn before<'a>(handed: &[Handed<'a>], mut source: Source<'a>) -> Source<'a> {
    for block in handed.iter().rev() {
        let given = block
            .iter()
            .find(|(argument, _)| Source::Value(*argument) == source);
        source = given.map_or(source, |&(_, value)| Source::of(value));
    }
    source
}

fn enter<'a>(op: Op<'a>, region: usize) -> Step<'a> {
    let block = op.region(region).entry();
    let first = block.and_then(Block::first).or_else(|| op.next());
    first.map_or(Step::Stuck, Step::To)
}

/// The operation after `op` in its block.
pub(super) fn after(op: Op<'_>) -> Result<Op<'_>, Difference<'_>> {
    op.next()
        .ok_or_else(|| differ(op, op, "a block ends too early"))
}
