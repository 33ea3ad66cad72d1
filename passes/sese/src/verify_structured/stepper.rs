//! One edge of the original in the structured form.
//!
//! ```text
//!   %c is true:   scf.if %c { [yield %one] } else { ... }     the first region runs; %f is then %one, which is 1
//!                 scf.if %f { [x] }                           so the first region runs, and x is the goal of the edge
//! ```
//!
//! The stepper follows the structured form from the start of an edge to its goal. A branch on the
//! path is decided by the first of these that applies:
//!
//! 1. a constant that was forwarded to its condition on this path;
//! 2. a region around the start (`regions.rs`);
//! 3. a fact of the original about a value that the condition is guessed to equal, together with 2
//!    if both only exclude numbers;
//! 4. a number that was forwarded to it on the path before, if that led to an empty branch: a
//!    constant, or a value that a region around the start of that path decides (a guess);
//! 5. the value that the branch at the start of the edge tests, if nothing else is known about the
//!    condition (a guess).
//!
//! `prover.rs` proves the guesses. A path to an empty branch ends where a condition is unknown; the
//! next path decides it. It also ends before a condition that may be the one of that branch, unless
//! the original knows its value: otherwise the two edges of the branch could not be distinguished.

use rustc_hash::FxHashMap;
use tfx_ir::ops::scf::ScfOp;
use tfx_ir::ops::{arith, scf};
use tfx_ir::{Block, Op, Value};

use super::cfg::{Facts, Forwarded, Goal, Path, before};
use super::difference::{Difference, differ};
use super::guesses::Likelihood;
use super::matching::{is_inserted, is_inserted_arith, starts_with};
use super::relation::{NodeId, ScopeId, Simulation};
use super::source::{
    Known, Source, branch, comparison, constant, is_constant, is_flag, unwidened, widens,
};

/// Iterations of one loop on a path between two blocks: it enters the loop in one and leaves it in
/// the next. Each block that the path enters allows one more.
const MAX_ITERATIONS: usize = 2;

/// The maximal depth of computations before the path.
const MAX_DEPTH: usize = 16;

/// Steps through the structured form along one edge.
pub(super) struct Stepper<'a, 'w> {
    simulation: &'w Simulation<'a>,
    scope: ScopeId,
    from: NodeId,
    root: Block<'a>,
    goal: Goal<'a>,
    /// The facts of the original on the edge.
    facts: &'w Facts<'a>,
    /// The value that the branch at the start of the edge tests, and the fact about it.
    tested: Option<(Value<'a>, Known)>,
    /// The values that the original forwards.
    forwarded: &'w [Forwarded<'a>],
    /// The value that the branch at the end of the edge tests, in terms of the start.
    next_test: Option<Value<'a>>,
    contents: FxHashMap<Value<'a>, Source<'a>>,
    guesses: Vec<(Source<'a>, Source<'a>)>,
    deciding: Vec<Value<'a>>,
    constants: Vec<u64>,
    starts_at_branch: bool,
    /// True if the path starts at an empty branch and has not read a condition: the first one is
    /// the value that the branch tests.
    is_at_branch: bool,
    iterations: FxHashMap<Op<'a>, usize>,
    max_iterations: usize,
}

/// The end of a path.
pub(super) struct Arrival<'a> {
    /// The operation at which it ends.
    pub(super) point: Op<'a>,
    /// The contents of values there, in terms of the start.
    pub(super) contents: FxHashMap<Value<'a>, Source<'a>>,
    /// The pairs of values that were assumed to be equal.
    pub(super) guesses: Vec<(Source<'a>, Source<'a>)>,
    /// The values that decided the path.
    pub(super) deciding: Vec<Value<'a>>,
    /// The constants that branches read.
    pub(super) constants: Vec<u64>,
    /// True if the path ends where it started, without a step in between.
    pub(super) is_idle: bool,
}

/// An edge and the facts on it.
pub(super) struct Start<'a, 'w> {
    pub(super) scope: ScopeId,
    pub(super) from: NodeId,
    /// True if it starts at an empty branch.
    pub(super) is_at_branch: bool,
    pub(super) path: &'w Path<'a>,
    pub(super) facts: &'w Facts<'a>,
    pub(super) tested: Option<(Value<'a>, Known)>,
}

enum Step<'a> {
    /// The next operation.
    Next(Op<'a>),
    /// It computes a value.
    Computes(Source<'a>),
    /// It is not part of a path between two blocks, or depends on an unknown value.
    Unknown,
}

impl<'a, 'w> Stepper<'a, 'w> {
    pub(super) fn new(simulation: &'w Simulation<'a>, start: Start<'a, 'w>) -> Self {
        let next_test = match start.path.goal {
            Goal::Branch(block) => block.last().and_then(branch),
            _ => None,
        };
        let next_test =
            next_test.map(|(value, _)| before(&start.path.forwarded, Source::Value(value)));
        Self {
            simulation,
            scope: start.scope,
            from: start.from,
            root: simulation.scopes[start.scope].structured,
            goal: start.path.goal,
            facts: start.facts,
            tested: start.tested,
            forwarded: &start.path.forwarded,
            next_test: match next_test {
                Some(Source::Value(value)) => Some(value),
                _ => None,
            },
            contents: FxHashMap::default(),
            guesses: Vec::new(),
            deciding: Vec::new(),
            constants: Vec::new(),
            starts_at_branch: start.is_at_branch,
            is_at_branch: start.is_at_branch,
            iterations: FxHashMap::default(),
            max_iterations: MAX_ITERATIONS + start.path.crossed,
        }
    }

    /// Steps from `start` until the goal is reached. `next` are the operations that may run after a
    /// goal that is an empty branch.
    pub(super) fn run(
        mut self,
        start: Op<'a>,
        branch: Op<'a>,
        next: &[(Block<'a>, Op<'a>)],
    ) -> Result<Arrival<'a>, Difference<'a>> {
        let mut point = start;
        while !self.has_arrived(point, next) {
            if is_constant(point) {
                point = after(point)?;
                continue;
            }
            let only_branches = matches!(self.goal, Goal::Branch(_));
            match self.step(point) {
                Step::Next(next) => point = next,
                Step::Computes(source) if source != Source::Unknown || !only_branches => {
                    self.contents.insert(point.result(0), source);
                    point = after(point)?;
                }
                _ if only_branches => break,
                _ => {
                    let reason = format!("'{}' runs on an edge that leads elsewhere", point.name());
                    return Err(differ(point, branch, &reason));
                }
            }
            if self
                .iterations
                .values()
                .any(|&iterations| iterations > self.max_iterations)
            {
                match self.goal {
                    Goal::Endless | Goal::Branch(_) => break,
                    _ => {
                        return Err(differ(
                            point,
                            branch,
                            "a loop repeats without an edge of the CFG",
                        ));
                    }
                }
            }
        }
        Ok(Arrival {
            point,
            contents: self.contents,
            guesses: self.guesses,
            deciding: self.deciding,
            constants: self.constants,
            is_idle: point == start && self.iterations.is_empty(),
        })
    }

    /// Returns whether the goal is reached.
    fn has_arrived(&self, point: Op<'a>, next: &[(Block<'a>, Op<'a>)]) -> bool {
        match self.goal {
            Goal::Block(block, first) => {
                starts_with(block, first, point) && self.may_read(first, point)
            }
            Goal::End(_) => point.block() == Some(self.root) && point.next().is_none(),
            Goal::Branch(_) => {
                is_inserted(point)
                    && next
                        .iter()
                        .any(|&(block, first)| starts_with(block, first, point))
            }
            Goal::Unreachable | Goal::Endless => false,
        }
    }

    /// Returns whether the operands of `point` may equal those of the first operation of the goal.
    fn may_read(&self, first: Op<'a>, point: Op<'a>) -> bool {
        !is_inserted(point)
            || first
                .operands()
                .zip(point.operands())
                .all(|(original, structured)| {
                    let original = before(self.forwarded, Source::Value(original));
                    let structured = self.source(structured);
                    self.simulation
                        .likelihood((self.scope, self.from), original, structured)
                        != Likelihood::Unlikely
                })
    }

    fn step(&mut self, point: Op<'a>) -> Step<'a> {
        let Some(op) = ScfOp::cast(point) else {
            return self.compute(point);
        };
        match op {
            ScfOp::If(op) => match self.decide(op.condition()) {
                Some(Known::Is(flag)) => enter(point, usize::from(flag == 0)),
                _ => Step::Unknown,
            },
            ScfOp::IndexSwitch(switch) => {
                let Some(cases) = self.simulation.region_facts.cases(point) else {
                    return Step::Unknown;
                };
                match self.decide(switch.arg()) {
                    Some(Known::Is(number)) => {
                        enter(point, cases.get(&number).copied().unwrap_or(0))
                    }
                    Some(known) if cases.keys().all(|&case| !known.allows(case)) => enter(point, 0),
                    _ => Step::Unknown,
                }
            }
            ScfOp::While(op) => self.enter_while(point, 0, &op.inits().to_vec()),
            ScfOp::Condition(end) => {
                let Some(parent) = point.parent() else {
                    return Step::Unknown;
                };
                let values = end.args().to_vec();
                match self.decide(end.condition()) {
                    Some(Known::Is(0)) => self.leave(parent, &values),
                    Some(Known::Is(_)) => self.enter_while(parent, 1, &values),
                    _ => Step::Unknown,
                }
            }
            ScfOp::Yield(end) => {
                let Some(parent) = point.parent().filter(|_| point.block() != Some(self.root))
                else {
                    return Step::Unknown;
                };
                let values = end.results().to_vec();
                match parent.isa::<scf::While>() {
                    true => self.enter_while(parent, 0, &values),
                    false => self.leave(parent, &values),
                }
            }
            ScfOp::For(_) | ScfOp::ExecuteRegion(_) => Step::Unknown,
        }
    }

    /// Executes an operation that is not structured.
    fn compute(&mut self, point: Op<'a>) -> Step<'a> {
        if let Some(select) = arith::Select::cast(point) {
            return Step::Computes(match self.decide(select.condition()) {
                Some(Known::Is(flag)) => self.source(selected(select, flag)),
                _ => Source::Unknown,
            });
        }
        if widens(point) {
            return Step::Computes(self.source(point.operand(0)));
        }
        if !is_inserted_arith(point) {
            return Step::Unknown;
        }
        let operands = [self.source(point.operand(0)), self.source(point.operand(1))];
        let number = self.combine(point, operands, MAX_DEPTH);
        Step::Computes(number.map_or(Source::Unknown, Source::Integer))
    }

    fn leave(&mut self, parent: Op<'a>, values: &[Value<'a>]) -> Step<'a> {
        self.assign(parent.results(), values);
        parent.next().map_or(Step::Unknown, Step::Next)
    }

    fn enter_while(&mut self, op: Op<'a>, region: usize, values: &[Value<'a>]) -> Step<'a> {
        if region == 0 {
            *self.iterations.entry(op).or_default() += 1;
        }
        let Some(block) = op.region(region).entry() else {
            return Step::Unknown;
        };
        self.assign(block.arguments(), values);
        block.first().map_or(Step::Unknown, Step::Next)
    }

    /// All values are read before any is replaced.
    fn assign(&mut self, targets: impl Iterator<Item = Value<'a>>, values: &[Value<'a>]) {
        let sources: Vec<Source<'a>> = values.iter().map(|&value| self.source(value)).collect();
        self.contents.extend(targets.zip(sources));
    }

    /// Returns the current content of a value.
    fn source(&self, value: Value<'a>) -> Source<'a> {
        let content = self.contents.get(&value).copied();
        content.unwrap_or_else(|| Source::of(value))
    }

    /// Returns a fact about a value that decides the path.
    fn decide(&mut self, value: Value<'a>) -> Option<Known> {
        let known = self.number(self.source(value), MAX_DEPTH);
        if known.is_some() {
            self.record_deciding(value);
        }
        if let (Some(Known::Is(number)), true) = (&known, reads_constant(value)) {
            self.constants.push(*number);
        }
        known
    }

    /// Records a value that is not constant, and the values that it is computed from.
    fn record_deciding(&mut self, value: Value<'a>) {
        let computed = value.defining_op().filter(|&op| self.is_computed(op));
        let operands = computed.into_iter().flat_map(Op::operands);
        let values = std::iter::once(value).chain(operands);
        self.deciding
            .extend(values.filter(|&value| constant(value).is_none()));
    }

    /// Returns whether an operation computes a value that the original does not have.
    fn is_computed(&self, op: Op<'a>) -> bool {
        is_inserted_arith(op) && !self.simulation.matched.contains(&op)
    }

    /// Returns a fact about a source.
    fn number(&mut self, source: Source<'a>, depth: usize) -> Option<Known> {
        match source {
            Source::Integer(number) => Some(Known::Is(number)),
            Source::Value(value) => self.number_at_start(value, depth),
            Source::Constant(_) | Source::Undefined | Source::Unknown => None,
        }
    }

    /// Returns a fact about a value at the start of the path.
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
        let point = self.simulation.scopes[self.scope].nodes[self.from].end;
        let mut fact = self.fact_about(value, Likelihood::Certain);
        if self.is_at_branch {
            fact = fact.or_else(|| self.fact_about(value, Likelihood::Likely));
        }
        self.is_at_branch = false;
        let next = self.next_test.map(|next| self.likelihood(next, value));
        if fact.is_none() && next == Some(Likelihood::Certain) {
            return None;
        }
        let fact = fact.or_else(|| self.fact_about(value, Likelihood::Likely));
        if fact.is_none() && next == Some(Likelihood::Likely) {
            return None;
        }
        match (self.simulation.region_facts.known(point, value), fact) {
            (Some(Known::Is(number)), _) => return Some(Known::Is(*number)),
            (Some(in_region), None) => return Some(in_region.clone()),
            // The regions may exclude some numbers, and the branches of the original others.
            (in_region, Some((original, known))) => {
                self.guess(Source::Value(original), value);
                return Some(in_region.map_or(known.clone(), |in_region| in_region.and(&known)));
            }
            (None, None) => {}
        }
        if let Some(op) = value.defining_op().filter(|&op| self.is_computed(op)) {
            return self.computed_at_start(op, depth.checked_sub(1)?);
        }
        if self.starts_at_branch
            && let Some(number) = self
                .simulation
                .held_constant((self.scope, self.from), value)
        {
            self.guess(Source::Integer(number), value);
            return Some(Known::Is(number));
        }
        let (original, known) = self.tested.clone()?;
        let may_be = original.ty() == value.ty()
            && !self.simulation.is_matched(value)
            && self.likelihood(original, value) == Likelihood::Unknown;
        may_be.then(|| {
            self.guess(Source::Value(original), value);
            known
        })
    }

    /// Returns the value of the original, compared with `likelihood`, whose fact applies to a
    /// value.
    fn fact_about(&self, value: Value<'a>, likelihood: Likelihood) -> Option<(Value<'a>, Known)> {
        let mut facts = self.facts.iter();
        let found = facts.find(|(original, _)| {
            original.ty() == value.ty() && self.likelihood(*original, value) == likelihood
        });
        found.cloned()
    }

    fn likelihood(&self, original: Value<'a>, structured: Value<'a>) -> Likelihood {
        let (original, structured) = (Source::Value(original), Source::Value(structured));
        self.simulation
            .likelihood((self.scope, self.from), original, structured)
    }

    fn guess(&mut self, original: Source<'a>, structured: Value<'a>) {
        let guess = (original, Source::Value(structured));
        if !self.guesses.contains(&guess) {
            self.guesses.push(guess);
        }
    }

    /// Returns a fact about the result of an operation before the path.
    fn computed_at_start(&mut self, op: Op<'a>, depth: usize) -> Option<Known> {
        if let Some(select) = arith::Select::cast(op) {
            let flag = self.number(Source::of(select.condition()), depth)?;
            return self.number(Source::of(selected(select, flag.number()?)), depth);
        }
        if op.num_operands() != 2 {
            return None;
        }
        let operands = [Source::of(op.operand(0)), Source::of(op.operand(1))];
        self.combine(op, operands, depth).map(Known::Is)
    }

    /// Computes with two numbers, one of which may decide alone.
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
            return comparison(op, equal);
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

/// Returns whether a branch reads a constant.
fn reads_constant(value: Value<'_>) -> bool {
    constant(unwidened(value)).is_some()
}

/// Returns the operand that an `arith.select` chooses.
fn selected(select: arith::Select<'_>, flag: u64) -> Value<'_> {
    match flag {
        0 => select.false_value(),
        _ => select.true_value(),
    }
}

fn enter<'a>(op: Op<'a>, region: usize) -> Step<'a> {
    let block = op.region(region).entry();
    let first = block.and_then(Block::first).or_else(|| op.next());
    first.map_or(Step::Unknown, Step::Next)
}

/// Returns the operation after `op` in its block.
pub(super) fn after(op: Op<'_>) -> Result<Op<'_>, Difference<'_>> {
    op.next()
        .ok_or_else(|| differ(op, op, "a block ends too early"))
}
