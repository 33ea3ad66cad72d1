//! Evaluates values that are the same in every run, on demand, backwards from their uses.
//!
//! ```text
//!   ^entry: cf.cond_br %p, ^a, ^b        %s at the operation?   ◄─ an argument of ^join: which path leads to it?
//!   ^a: cf.br ^join(%two)                  ◄─ from ^entry, its dominator: what is %p?   ◄─ ...
//!   ^join(%s): "Op"(...) computed(x = %s)
//! ```
//!
//! A value is requested as seen from a place. An operation requests its operands. A block argument
//! requests the path from the block's dominator to it: the branches there, and no others. A loop
//! that does not contain the place is run from its entry to its exit, on its own, and a value
//! inside of it is the one of the last iteration. In a loop around the place, a value that changes
//! between iterations is not a constant. So nothing is evaluated that the value does not depend on,
//! and evaluation starts at the nearest point from which everything is known.
//!
//! Results are cached by value and by the loop from whose outside it is seen, for all attributes.
//! The stack is explicit.
//!
//! Cost: linear in the requests, and in the code that [`super::machine`] runs; a path is walked
//! once for each block that it leads to.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use melior::ir::{Location, TypeLike};
use tfx_ir::{Block, Definition, Op, Region, Value, location};

use super::code::{Code, deciders, is_opaque};
use super::machine::{Left, Machine};
use super::pool::{Outcome, ReasonId};
use super::steps::TooManySteps;
use crate::flow::{Edge, Flow, LoopId};

/// A loop of a region.
type Loop<'a> = (Region<'a>, LoopId);

/// A request.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Request<'a> {
    /// A value; seen from outside of a loop, or else from inside the value's own loops.
    Value(Value<'a>, Option<Loop<'a>>),
    /// The branch through which control reaches a block from its dominator.
    Arrival(Block<'a>),
    /// The same for a loop.
    LoopArrival(Loop<'a>),
    /// The exit of a loop, and its values there.
    Run(Loop<'a>),
}

/// The answers so far.
pub(super) struct Demand<'a> {
    pub(super) machine: Machine<'a>,
    flows: HashMap<Region<'a>, Rc<Flow<'a>>>,
    values: HashMap<(Value<'a>, Option<Loop<'a>>), Outcome<'a>>,
    arrivals: HashMap<Request<'a>, Result<Edge<'a>, ReasonId>>,
    runs: HashMap<Loop<'a>, Result<Rc<Left<'a>>, ReasonId>>,
    ran: Vec<Loop<'a>>,
}

/// A loop that terminated.
pub(super) struct Ran<'a> {
    pub(super) blocks: Vec<Block<'a>>,
    /// The exit that it took.
    pub(super) exit: Edge<'a>,
    /// The operations that were executed, not only analyzed.
    pub(super) run: HashSet<Op<'a>>,
    /// True if no part was skipped.
    pub(super) whole: bool,
}

/// A request that is being answered.
struct Open<'a> {
    request: Request<'a>,
    /// The progress of a walk.
    at: Option<Block<'a>>,
    steps: Option<Rc<Code<'a>>>,
}

/// The outcome of a step: a request needs another one, or is answered.
enum Progress<'a> {
    Needs(Request<'a>),
    Done,
}

use Progress::{Done, Needs};

impl<'a> Demand<'a> {
    pub(super) fn new(module: Op<'a>) -> Self {
        Self {
            machine: Machine::new(module),
            flows: HashMap::new(),
            values: HashMap::new(),
            arrivals: HashMap::new(),
            runs: HashMap::new(),
            ran: Vec::new(),
        }
    }

    /// Returns `value` at `user`, if it is the same in every run.
    pub(super) fn value_at(
        &mut self,
        value: Value<'a>,
        user: Op<'a>,
    ) -> Result<Outcome<'a>, TooManySteps> {
        let Some(block) = user.block() else {
            let pool = &mut self.machine.pool;
            return Ok(Err(pool.culprit(
                user.location(),
                "it is in no function",
                "here",
            )));
        };
        let first = self.seen_from(value, block);
        self.answer(first)?;
        Ok(self.values[&first.value().expect("the request is for a value")])
    }

    /// Returns the successor that a branch takes in every run, if known.
    pub(super) fn successor_of(&mut self, branch: Op<'a>) -> Result<Option<usize>, TooManySteps> {
        let [decider] = deciders(branch)[..] else {
            return Ok(None);
        };
        let decision = self.value_at(decider, branch)?;
        Ok(self.machine.choose(branch, decision).ok())
    }

    pub(super) fn flow(&mut self, region: Region<'a>) -> Rc<Flow<'a>> {
        self.flows
            .entry(region)
            .or_insert_with(|| Rc::new(Flow::new(region)))
            .clone()
    }

    /// Returns the loops that terminated, in that order.
    pub(super) fn loops_that_ran(&mut self) -> Vec<Ran<'a>> {
        let mut loops = Vec::new();
        for (region, id) in self.ran.clone() {
            let flow = self.flow(region);
            if let Some(Ok(left)) = self.runs.get(&(region, id))
                && let Ok(exit) = left.edge
            {
                loops.push(Ran {
                    blocks: flow.blocks_of(id),
                    exit,
                    run: left.operations(),
                    whole: left.whole,
                });
            }
        }
        loops
    }

    /// Returns whether a value is known to be a constant at an operation; nothing is evaluated.
    pub(super) fn is_constant(&mut self, value: Value<'a>, user: Op<'a>) -> bool {
        self.outcome(value, user)
            .is_some_and(|outcome| outcome.is_ok())
    }

    /// Returns whether a call terminated for its arguments.
    pub(super) fn has_run(&mut self, call: Op<'a>) -> bool {
        let Some(callee) = self.machine.symbols.resolve(call, "callee") else {
            return false;
        };
        let arguments: Option<Vec<_>> = call
            .operands()
            .map(|argument| self.outcome(argument, call))
            .collect();
        arguments.is_some_and(|arguments| self.machine.has_run(callee, &arguments))
    }

    fn outcome(&mut self, value: Value<'a>, user: Op<'a>) -> Option<Outcome<'a>> {
        let request = self.seen_from(value, user.block()?);
        self.values.get(&request.value()?).copied()
    }

    /// Returns the request for a value that a block uses.
    fn seen_from(&mut self, value: Value<'a>, block: Block<'a>) -> Request<'a> {
        let inside = || {
            let region = value.region()?;
            Some((region, value.block()?, ancestor_in(block, region)?))
        };
        let Some((region, home, place)) = inside() else {
            return Request::Value(value, None);
        };
        let flow = self.flow(region);
        let without = (flow.reaches(home) && flow.reaches(place))
            .then(|| flow.outermost_without(home, place))
            .flatten();
        Request::Value(value, without.map(|id| (region, id)))
    }

    fn is_answered(&self, request: Request<'a>) -> bool {
        match request {
            Request::Value(value, around) => self.values.contains_key(&(value, around)),
            Request::Arrival(_) | Request::LoopArrival(_) => self.arrivals.contains_key(&request),
            Request::Run(id) => self.runs.contains_key(&id),
        }
    }

    /// Answers a request after all others that it needs.
    fn answer(&mut self, first: Request<'a>) -> Result<(), TooManySteps> {
        let mut stack = vec![Open::new(first)];
        let mut open = HashSet::from([first]);
        while let Some(mut top) = stack.pop() {
            if self.is_answered(top.request) {
                open.remove(&top.request);
                continue;
            }
            match self.advance(&mut top)? {
                Done => _ = open.remove(&top.request),
                Needs(request) => {
                    stack.push(top);
                    if open.insert(request) {
                        stack.push(Open::new(request));
                    } else {
                        self.give_up(request);
                    }
                }
            }
        }
        Ok(())
    }

    fn advance(&mut self, open: &mut Open<'a>) -> Result<Progress<'a>, TooManySteps> {
        match open.request {
            Request::Value(value, Some(id)) => Ok(self.value_after(value, id)),
            Request::Value(value, None) => match value.definition() {
                Definition::Result(op, number) => self.result(value, op, number),
                Definition::Argument(block, number) => Ok(self.argument(value, block, number)),
            },
            Request::Arrival(_) | Request::LoopArrival(_) => self.arrive(open),
            Request::Run(id) => self.run(open, id),
        }
    }

    /// Answers a request that depends on itself.
    fn give_up(&mut self, request: Request<'a>) {
        let location = request.location();
        let because = "it depends on itself";
        let reason = self.machine.pool.culprit(location, because, "this value");
        match request {
            Request::Value(value, around) => {
                self.values.insert((value, around), Err(reason));
            }
            Request::Arrival(_) | Request::LoopArrival(_) => {
                self.arrivals.insert(request, Err(reason));
            }
            Request::Run(id) => _ = self.runs.insert(id, Err(reason)),
        }
    }
}

impl<'a> Open<'a> {
    fn new(request: Request<'a>) -> Self {
        Self {
            request,
            at: None,
            steps: None,
        }
    }
}

impl<'a> Request<'a> {
    fn value(self) -> Option<(Value<'a>, Option<Loop<'a>>)> {
        match self {
            Request::Value(value, around) => Some((value, around)),
            _ => None,
        }
    }

    fn location(self) -> Location<'a> {
        let of_block = |block: Block<'a>| {
            let last = block.last().expect("a verified block ends in a terminator");
            last.location()
        };
        match self {
            Request::Value(value, _) => value.location(),
            Request::Arrival(block) => of_block(block),
            Request::LoopArrival((region, _)) | Request::Run((region, _)) => {
                of_block(region.entry().expect("a region with a loop has blocks"))
            }
        }
    }
}

/// Values.
impl<'a> Demand<'a> {
    fn know(&mut self, value: Value<'a>, outcome: Outcome<'a>) -> Progress<'a> {
        self.values.insert((value, None), outcome);
        Done
    }

    /// Returns the first open request of a list.
    fn first_open(&mut self, values: &[Value<'a>], block: Block<'a>) -> Option<Request<'a>> {
        for value in values {
            let request = self.seen_from(*value, block);
            if !self.is_answered(request) {
                return Some(request);
            }
        }
        None
    }

    fn known(&mut self, value: Value<'a>, block: Block<'a>) -> Outcome<'a> {
        let request = self.seen_from(value, block);
        self.values[&request.value().expect("the request is for a value")]
    }

    fn result(
        &mut self,
        value: Value<'a>,
        op: Op<'a>,
        number: usize,
    ) -> Result<Progress<'a>, TooManySteps> {
        let block = op
            .block()
            .expect("an operation of a function is in a block");
        let operands: Vec<_> = if is_opaque(op) || op.num_regions() > 0 {
            Vec::new()
        } else {
            op.operands().collect()
        };
        if let Some(request) = self.first_open(&operands, block) {
            return Ok(Needs(request));
        }
        let operands: Vec<_> = operands
            .into_iter()
            .map(|operand| self.known(operand, block))
            .collect();
        let results = self.machine.execute(op, &operands)?;
        Ok(self.know(value, results[number]))
    }

    /// Returns a value after a loop: the value of each iteration, if that is always the same, or
    /// else of the last one.
    fn value_after(&mut self, value: Value<'a>, id: Loop<'a>) -> Progress<'a> {
        match self.values.get(&(value, None)) {
            None => return Needs(Request::Value(value, None)),
            Some(Ok(same)) => {
                let same = *same;
                self.values.insert((value, Some(id)), Ok(same));
                return Done;
            }
            Some(Err(_)) => {}
        }
        let outcome = match self.runs.get(&id) {
            None => return Needs(Request::Run(id)),
            Some(Err(reason)) => Err(*reason),
            Some(Ok(left)) => match (left.edge, left.value(value)) {
                (Err(reason), _) => Err(reason),
                (Ok(_), Some(outcome)) => outcome,
                (Ok(_), None) => {
                    let because = "it depends on a tensor, which only the graph computes";
                    let pool = &mut self.machine.pool;
                    Err(pool.culprit(value.location(), because, "the tensor"))
                }
            },
        };
        let outcome = outcome.map_err(|reason| {
            let here = "the last iteration of a loop decides it";
            self.machine.pool.via(value.location(), here, reason)
        });
        self.values.insert((value, Some(id)), outcome);
        Done
    }

    fn argument(&mut self, value: Value<'a>, block: Block<'a>, number: usize) -> Progress<'a> {
        if block.is_entry() || value.ty().is_tensor() {
            let outcome = Err(self.parameter(value, block, number));
            return self.know(value, outcome);
        }
        let region = value
            .region()
            .expect("a block of a function is in a region");
        let flow = self.flow(region);
        let incoming: Vec<_> = block
            .incoming()
            .into_iter()
            .filter(|(branch, _)| branch.block().is_some_and(|source| flow.reaches(source)))
            .collect();
        let forwarded =
            |(branch, successor): Edge<'a>| branch.successor_operands(successor)?.value(number);
        let operands: Vec<_> = incoming.iter().map(|edge| forwarded(*edge)).collect();
        // A loop may forward a value to itself unchanged.
        let mut others = operands.iter().filter(|operand| **operand != Some(value));
        let edge = match (others.next(), incoming.as_slice()) {
            (Some(Some(operand)), _) if others.all(|other| *other == Some(*operand)) => {
                return self.same_as(value, *operand, block);
            }
            (_, [only]) => *only,
            _ => {
                if let Some(reason) = self.changes(&flow, block, value) {
                    return self.know(value, Err(reason));
                }
                match self.arrivals.get(&Request::Arrival(block)) {
                    None => return Needs(Request::Arrival(block)),
                    Some(Err(reason)) => {
                        let reason = *reason;
                        return self.know(value, Err(reason));
                    }
                    Some(Ok(edge)) => *edge,
                }
            }
        };
        match forwarded(edge) {
            Some(operand) => self.same_as(value, operand, block),
            None => self.payload(value, edge, block, number),
        }
    }

    /// The value is another one, as seen from the block.
    fn same_as(&mut self, value: Value<'a>, other: Value<'a>, block: Block<'a>) -> Progress<'a> {
        if let Some(request) = self.first_open(&[other], block) {
            return Needs(request);
        }
        let outcome = self.known(other, block);
        self.know(value, outcome)
    }

    /// Returns a value that a branch produces itself: the payload of an enum.
    fn payload(
        &mut self,
        value: Value<'a>,
        (branch, _): Edge<'a>,
        block: Block<'a>,
        number: usize,
    ) -> Progress<'a> {
        let chosen = branch.operand(0);
        if let Some(request) = self.first_open(&[chosen], block) {
            return Needs(request);
        }
        let outcome = self.known(chosen, block);
        let outcome = self.machine.payload_of(branch, outcome, number);
        self.know(value, outcome)
    }

    /// Explains why the arguments of a block change while a loop around it runs; `None` if they do
    /// not.
    fn changes(&mut self, flow: &Flow<'a>, block: Block<'a>, value: Value<'a>) -> Option<ReasonId> {
        let around = flow.innermost(block)?;
        let dominator = flow.dominator(block)?;
        let changes = flow.is_entry(around, block) || !flow.contains(around, dominator);
        changes.then(|| {
            let because = "it changes between iterations of the loop that contains the operation";
            let here = "this value differs between iterations";
            self.machine.pool.culprit(value.location(), because, here)
        })
    }

    fn parameter(&mut self, value: Value<'a>, block: Block<'a>, number: usize) -> ReasonId {
        let parent = block
            .parent()
            .expect("a block of a function is in an operation");
        let (because, here) = if value.ty().is_tensor() {
            let because = "it depends on a tensor, which only the graph computes".to_owned();
            (because, "the tensor".to_owned())
        } else if let Some(name) = parent.symbol_name() {
            let parameter = match location::name(value.location()) {
                Some(given) => format!("parameter '{given}' of '@{name}'"),
                None => format!("parameter {number} of '@{name}'"),
            };
            let because = format!("it depends on {parameter}, which is known only at run time");
            (because, parameter)
        } else {
            let because = format!(
                "it depends on '{}', which has regions: run convert-scf-to-cf first",
                parent.name()
            );
            (because, "this value".to_owned())
        };
        self.machine.pool.culprit(value.location(), because, here)
    }
}

/// Paths.
impl<'a> Demand<'a> {
    /// Walks from the dominator towards a block or a loop, as far as the known facts allow.
    fn arrive(&mut self, open: &mut Open<'a>) -> Result<Progress<'a>, TooManySteps> {
        let request = open.request;
        let (region, place) = match request {
            Request::Arrival(block) => (block.region(), block),
            Request::LoopArrival((region, id)) => {
                let flow = self.flow(region);
                let entry = flow.entries(id).next().expect("a loop has an entry");
                (Some(region), entry)
            }
            _ => unreachable!("only arrivals are walked to"),
        };
        let flow = self.flow(region.expect("a block of a function is in a region"));
        let start = match request {
            Request::LoopArrival((_, id)) => flow.before(id),
            _ => flow.dominator(place),
        };
        let Some(start) = start else {
            let because = "it depends on a loop with several entries";
            let pool = &mut self.machine.pool;
            let reason = pool.culprit(request.location(), because, "the loop");
            self.arrivals.insert(request, Err(reason));
            return Ok(Done);
        };
        let is_there = |block| match request {
            Request::LoopArrival((_, id)) => flow.contains(id, block),
            _ => block == place,
        };
        loop {
            let at = open.at.unwrap_or(start);
            self.machine.steps.pay(at, 1)?;
            let edge = match self.step(&flow, at, place)? {
                Walk::Needs(request) => {
                    open.at = Some(at);
                    return Ok(Needs(request));
                }
                Walk::Takes(edge) => edge,
                Walk::Stuck(reason) => match flow.rejoins(at, place) {
                    Some(join) if flow.strictly_dominates(start, join) => {
                        open.at = Some(join);
                        continue;
                    }
                    _ => {
                        self.arrivals.insert(request, Err(reason));
                        return Ok(Done);
                    }
                },
            };
            let target = edge.0.successor(edge.1);
            if is_there(target) {
                self.arrivals.insert(request, Ok(edge));
                return Ok(Done);
            }
            if !flow.strictly_dominates(start, target) {
                let because = "it is defined on an unreachable path";
                let here = "another path is taken here";
                let reason = self.machine.pool.culprit(edge.0.location(), because, here);
                self.arrivals.insert(request, Err(reason));
                return Ok(Done);
            }
            open.at = Some(target);
        }
    }

    /// Takes one step of a walk: out of a loop that contains the block and not the goal, or to a
    /// successor.
    fn step(
        &mut self,
        flow: &Flow<'a>,
        at: Block<'a>,
        goal: Block<'a>,
    ) -> Result<Walk<'a>, TooManySteps> {
        if let Some(id) = flow.outermost_without(at, goal) {
            if let [only] = flow.exits(id)[..] {
                return Ok(Walk::Takes(only));
            }
            let region = at.region().expect("a block of a function is in a region");
            let id = (region, id);
            return Ok(match self.runs.get(&id) {
                None => Walk::Needs(Request::Run(id)),
                Some(Err(reason)) => Walk::Stuck(*reason),
                Some(Ok(left)) => left.edge.map_or_else(Walk::Stuck, Walk::Takes),
            });
        }
        let branch = at.last().expect("a verified block ends in a terminator");
        match (branch.num_successors(), &deciders(branch)[..]) {
            (0, _) => {
                let because = "it is defined on an unreachable path";
                let here = "the function ends here";
                let reason = self.machine.pool.culprit(branch.location(), because, here);
                Ok(Walk::Stuck(reason))
            }
            (1, _) => Ok(Walk::Takes((branch, 0))),
            (_, [decider, ..]) => {
                if let Some(request) = self.first_open(&[*decider], at) {
                    return Ok(Walk::Needs(request));
                }
                let decision = self.known(*decider, at);
                let chosen = self.machine.choose(branch, decision);
                Ok(chosen.map_or_else(Walk::Stuck, |successor| Walk::Takes((branch, successor))))
            }
            (_, []) => unreachable!("a branch that chooses has what it chooses by"),
        }
    }

    /// Runs a loop once all values that it needs from outside are known.
    fn run(&mut self, open: &mut Open<'a>, id: Loop<'a>) -> Result<Progress<'a>, TooManySteps> {
        let (region, inner) = id;
        let arrival = Request::LoopArrival(id);
        let edge = match self.arrivals.get(&arrival) {
            None => return Ok(Needs(arrival)),
            Some(Err(reason)) => {
                let reason = *reason;
                self.runs.insert(id, Err(reason));
                return Ok(Done);
            }
            Some(Ok(edge)) => *edge,
        };
        let flow = self.flow(region);
        let code = open
            .steps
            .get_or_insert_with(|| {
                let blocks = flow.blocks_of(inner);
                Rc::new(Code::new(&blocks, &live_out(&blocks)))
            })
            .clone();
        let start = edge.0.successor(edge.1);
        if let Some(request) = self.first_open(&code.externals, start) {
            return Ok(Needs(request));
        }
        let forwarded: Vec<_> = (0..start.num_arguments())
            .map(|number| {
                code.slot_of(start.argument(number))?;
                edge.0.successor_operands(edge.1)?.value(number)
            })
            .collect();
        let needed: Vec<_> = forwarded.iter().flatten().copied().collect();
        if let Some(request) = self.first_open(&needed, start) {
            return Ok(Needs(request));
        }
        let arguments: Vec<_> = forwarded
            .into_iter()
            .map(|value| value.map(|value| self.known(value, start)))
            .collect();
        let externals: Vec<_> = code
            .externals
            .clone()
            .into_iter()
            .map(|value| self.known(value, start))
            .collect();
        let left = self
            .machine
            .run_blocks(code, start, &arguments, &externals)?;
        self.runs.insert(id, Ok(Rc::new(left)));
        self.ran.push(id);
        Ok(Done)
    }
}

/// A step of a walk.
enum Walk<'a> {
    Takes(Edge<'a>),
    Needs(Request<'a>),
    Stuck(ReasonId),
}

/// Returns the values of some blocks that are used outside of them, or forwarded to a block there;
/// not tensors, which are never known.
fn live_out<'a>(blocks: &[Block<'a>]) -> Vec<Value<'a>> {
    let inside: HashSet<_> = blocks.iter().copied().collect();
    let mut live = Vec::new();
    for block in blocks {
        let results = block.ops().flat_map(|op| op.results());
        for value in block.arguments().chain(results) {
            let leaves = |user: Op<'a>| {
                let home = user
                    .block()
                    .and_then(|home| ancestor_in(home, block.region()?));
                home.is_none_or(|home| !inside.contains(&home))
                    || forwards_outside(user, value, &inside)
            };
            if !value.ty().is_tensor() && value.uses().any(|found| leaves(found.owner)) {
                live.push(value);
            }
        }
    }
    live
}

/// Returns whether a branch forwards a value to a block outside.
fn forwards_outside<'a>(branch: Op<'a>, value: Value<'a>, inside: &HashSet<Block<'a>>) -> bool {
    let outward = branch
        .successors()
        .enumerate()
        .filter(|(_, target)| !inside.contains(target));
    outward
        .filter_map(|(successor, _)| branch.successor_operands(successor))
        .any(|forwarded| forwarded.values().contains(&value))
}

/// Returns the block of a region that is or contains a block.
fn ancestor_in<'a>(block: Block<'a>, region: Region<'a>) -> Option<Block<'a>> {
    let mut block = block;
    while block.region() != Some(region) {
        block = block.parent()?.block()?;
    }
    Some(block)
}
