//! Executes blocks on constants.
//!
//! ```text
//!   frame: @outer, block 2, instruction 1    slots: 4, Err(reason), [1, 2]
//!   frame: @power, block 1, instruction 0    slots: 2, 10, 64                 ◄─ runs; its results go to the one below
//! ```
//!
//! An unknown value is a reason, which operations propagate as they do constants. If a branch
//! depends on one, the facts that both paths have in common are kept: execution continues where
//! they join, and values that they would have written are unknown there. Frames are on an explicit
//! stack, so recursion in the program does not recurse here. A call with arguments that were seen
//! before is answered from a cache, unless one of them is a variable.
//!
//! Cost: an executed operation is a step, and so is a block that is left.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use tfx_dialects::host::{self, HostOp};
use tfx_ir::ops::{arith, cf, func};

use melior::ir::attribute::IntegerAttribute;
use melior::ir::{Attribute, Type};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Op, Value};

use super::code::{Code, is_opaque};
use super::pool::{Constant, ListId, Outcome, Pool, ReasonId};
use super::steps::{Steps, TooManySteps};
use crate::flow::Edge;
use crate::layout::strings;
use crate::partial::case_of;
use tfx_ir::scalars::{NoValue, Scalars, integer};

/// The results of a function.
pub(super) type Results<'a> = Rc<[Outcome<'a>]>;

/// A function with arguments.
type Application<'a> = (Op<'a>, Box<[Outcome<'a>]>);

/// The machine; the module describes it.
pub(super) struct Machine<'a> {
    pub(super) pool: Pool<'a>,
    pub(super) steps: Steps<'a>,
    pub(super) symbols: SymbolTable<'a>,
    pub(super) variables: Vec<Outcome<'a>>,
    pub(super) scalars: Scalars<'a>,
    codes: HashMap<Op<'a>, Rc<Code<'a>>>,
    known: HashMap<Application<'a>, Results<'a>>,
    /// The code that was executed completely.
    whole: HashSet<Application<'a>>,
}

/// The end of the execution of blocks.
pub(super) struct Left<'a> {
    /// The exit of the blocks, which are not all of a function.
    pub(super) edge: Result<Edge<'a>, ReasonId>,
    /// True if no part was skipped.
    pub(super) whole: bool,
    code: Rc<Code<'a>>,
    slots: Vec<Option<Outcome<'a>>>,
}

impl<'a> Left<'a> {
    /// The requested values at the end.
    pub(super) fn value(&self, value: Value<'a>) -> Option<Outcome<'a>> {
        self.slots[self.code.slot_of(value)?]
    }

    /// The relevant operations, which have been executed wherever control reached them.
    pub(super) fn operations(&self) -> HashSet<Op<'a>> {
        let blocks = self.code.blocks.iter();
        blocks
            .flat_map(|block| &block.instructions)
            .map(|instruction| instruction.op)
            .collect()
    }
}

struct Frame<'a> {
    code: Rc<Code<'a>>,
    application: Option<Application<'a>>,
    block: usize,
    instruction: usize,
    slots: Vec<Option<Outcome<'a>>>,
    whole: bool,
}

/// The outcome of an operation.
pub(super) enum Step<'a> {
    Results(Vec<Outcome<'a>>),
    /// All its results are unknown for one reason.
    Unknown(ReasonId),
    Call(Op<'a>, Vec<Outcome<'a>>),
    /// The program ends here.
    End(ReasonId),
}

/// The next position of control.
enum Next<'a> {
    Block(usize),
    Out(Edge<'a>),
    Return(Vec<Outcome<'a>>),
    Stuck(ReasonId),
}

/// The end of a frame.
enum End<'a> {
    Returned(Results<'a>, bool),
    Left(Left<'a>),
}

impl<'a> Machine<'a> {
    pub(super) fn new(module: Op<'a>) -> Self {
        Self {
            pool: Pool::default(),
            steps: Steps::new(0),
            symbols: SymbolTable::new(module),
            variables: Vec::new(),
            scalars: Scalars::new(),
            codes: HashMap::new(),
            known: HashMap::new(),
            whole: HashSet::new(),
        }
    }

    /// Executes one operation that is not inside of executed blocks.
    pub(super) fn execute(
        &mut self,
        op: Op<'a>,
        operands: &[Outcome<'a>],
    ) -> Result<Results<'a>, TooManySteps> {
        let block = op
            .block()
            .expect("an operation of a function is in a block");
        self.steps.pay(block, 1)?;
        let (callee, arguments) = match self.perform(op, operands) {
            Step::Results(results) => return Ok(results.into()),
            Step::Unknown(reason) | Step::End(reason) => return Ok(unknown(op, reason)),
            Step::Call(callee, arguments) => (callee, arguments),
        };
        let results = match self.enter(callee, arguments) {
            Entered::Known(results, _) => results,
            Entered::Frame(frame) => match self.run(frame)? {
                End::Returned(results, _) => results,
                End::Left(_) => unreachable!("a function is left by returning"),
            },
        };
        Ok(self.through_call(op, callee, &results))
    }

    /// Executes blocks from one of them, with its arguments and the values from outside, until
    /// control leaves them.
    pub(super) fn run_blocks(
        &mut self,
        code: Rc<Code<'a>>,
        start: Block<'a>,
        arguments: &[Option<Outcome<'a>>],
        externals: &[Outcome<'a>],
    ) -> Result<Left<'a>, TooManySteps> {
        let mut slots = vec![None; code.num_slots()];
        for (value, outcome) in code.externals.iter().zip(externals) {
            let slot = code
                .slot_of(*value)
                .expect("what comes from outside has a slot");
            slots[slot] = Some(*outcome);
        }
        let block = code.position(start);
        for (slot, outcome) in code.blocks[block].arguments.iter().zip(arguments) {
            if let Some(slot) = slot {
                slots[*slot] = *outcome;
            }
        }
        let frame = Frame {
            code,
            application: None,
            block,
            instruction: 0,
            slots,
            whole: true,
        };
        match self.run(frame)? {
            End::Left(left) => Ok(left),
            End::Returned(..) => unreachable!("only functions return"),
        }
    }

    /// Returns whether a call was executed completely, so that it is known to terminate.
    pub(super) fn has_run(&self, callee: Op<'a>, arguments: &[Outcome<'a>]) -> bool {
        self.whole.contains(&(callee, arguments.into()))
    }
}

enum Entered<'a> {
    /// The results, and whether no part was skipped when they were computed.
    Known(Results<'a>, bool),
    Frame(Frame<'a>),
}

/// Frames.
impl<'a> Machine<'a> {
    fn enter(&mut self, callee: Op<'a>, arguments: Vec<Outcome<'a>>) -> Entered<'a> {
        let application = (callee, arguments.into_boxed_slice());
        if let Some(results) = self.known.get(&application) {
            let whole = self.whole.contains(&application);
            return Entered::Known(results.clone(), whole);
        }
        let code = self.codes.entry(callee).or_insert_with(|| {
            let blocks: Vec<_> = callee.region(0).blocks().collect();
            Rc::new(Code::new(&blocks, &[]))
        });
        let mut slots = vec![None; code.num_slots()];
        for (slot, argument) in code.blocks[0].arguments.iter().zip(&application.1) {
            if let Some(slot) = slot {
                slots[*slot] = Some(*argument);
            }
        }
        Entered::Frame(Frame {
            code: code.clone(),
            application: Some(application),
            block: 0,
            instruction: 0,
            slots,
            whole: true,
        })
    }

    fn run(&mut self, first: Frame<'a>) -> Result<End<'a>, TooManySteps> {
        let mut frames = vec![first];
        loop {
            let frame = frames.last_mut().expect("the first frame ends the loop");
            let code = frame.code.clone();
            let block = &code.blocks[frame.block];
            self.steps.pay(block.block, 1)?;
            let next = match block.instructions.get(frame.instruction) {
                Some(instruction) => {
                    let operands: Vec<_> = instruction
                        .operands
                        .iter()
                        .map(|slot| frame.slots[*slot].expect("definitions come before uses"))
                        .collect();
                    let results = match self.perform(instruction.op, &operands) {
                        Step::Results(results) => results.into(),
                        Step::Unknown(reason) => unknown(instruction.op, reason),
                        Step::End(reason) => {
                            frame.whole = false;
                            let end = self.end(frames.pop(), Err(reason));
                            match self.return_to_caller(&mut frames, end) {
                                Some(end) => return Ok(end),
                                None => continue,
                            }
                        }
                        Step::Call(callee, arguments) => match self.enter(callee, arguments) {
                            Entered::Known(results, whole) => {
                                frame.whole &= whole;
                                self.through_call(instruction.op, callee, &results)
                            }
                            Entered::Frame(frame) => {
                                frames.push(frame);
                                continue;
                            }
                        },
                    };
                    frame.assign(&results);
                    continue;
                }
                None => self.next(frame, &code),
            };
            let end = match next {
                Next::Block(block) => {
                    frame.block = block;
                    frame.instruction = 0;
                    continue;
                }
                Next::Out(edge) => self.end(frames.pop(), Ok(Ok(edge))),
                Next::Return(results) => self.end(frames.pop(), Ok(Err(results))),
                Next::Stuck(reason) => {
                    frame.whole = false;
                    self.end(frames.pop(), Err(reason))
                }
            };
            if let Some(end) = self.return_to_caller(&mut frames, end) {
                return Ok(end);
            }
        }
    }

    /// The end of a frame: an exit, its results, or a reason before either.
    fn end(
        &mut self,
        frame: Option<Frame<'a>>,
        how: Result<Result<Edge<'a>, Vec<Outcome<'a>>>, ReasonId>,
    ) -> End<'a> {
        let frame = frame.expect("the frame that ends is there");
        let Some(application) = frame.application else {
            let edge =
                how.map(|edge| edge.unwrap_or_else(|_| unreachable!("a loop returns nothing")));
            return End::Left(Left {
                edge,
                whole: frame.whole,
                code: frame.code,
                slots: frame.slots,
            });
        };
        let results: Results<'a> = match &how {
            Ok(Err(results)) => results.clone().into(),
            Ok(Ok(_)) => unreachable!("control stays in a function"),
            Err(reason) => vec![Err(*reason); application.0.signature().1.len()].into(),
        };
        let writes = application
            .1
            .iter()
            .any(|argument| self.pool.has_variable(*argument));
        if let (true, Err(reason)) = (writes, how) {
            self.forget(reason);
        }
        if !writes {
            if frame.whole {
                self.whole.insert(application.clone());
            }
            self.known.insert(application, results.clone());
        }
        End::Returned(results, frame.whole)
    }

    /// Passes the results of a frame to its caller; the end of the execution if there is none.
    fn return_to_caller(&mut self, frames: &mut [Frame<'a>], end: End<'a>) -> Option<End<'a>> {
        let Some(caller) = frames.last_mut() else {
            return Some(end);
        };
        let End::Returned(results, whole) = end else {
            unreachable!("what is called is a function");
        };
        caller.whole &= whole;
        let code = caller.code.clone();
        let op = code.blocks[caller.block].instructions[caller.instruction].op;
        let results = match self.callee(op, &[]) {
            Some(callee) => self.through_call(op, callee, &results),
            None => results,
        };
        caller.assign(&results);
        None
    }

    /// Returns results as the caller sees them.
    fn through_call(&mut self, op: Op<'a>, callee: Op<'a>, results: &Results<'a>) -> Results<'a> {
        if results.iter().all(Result::is_ok) {
            return results.clone();
        }
        let name = callee.symbol_name().unwrap_or_default();
        results
            .iter()
            .map(|result| {
                result.map_err(|reason| {
                    self.pool
                        .via(op.location(), format!("'@{name}' is called here"), reason)
                })
            })
            .collect()
    }

    fn next(&mut self, frame: &mut Frame<'a>, code: &Code<'a>) -> Next<'a> {
        let block = &code.blocks[frame.block];
        let operand = |frame: &Frame<'a>, number: usize| {
            block.operands[number].and_then(|slot| frame.slots[slot])
        };
        let decision = match block.terminator.num_successors() {
            0 => return self.leave(frame, code),
            1 if block.terminator.isa::<host::SwitchEnum>() => operand(frame, 0),
            1 => return self.follow(frame, code, 0, None),
            _ => operand(frame, 0),
        };
        let decision = decision.expect("what decides matters");
        match self.choose(block.terminator, decision) {
            Ok(successor) => self.follow(frame, code, successor, Some(decision)),
            Err(reason) => self.skip(frame, code, reason),
        }
    }

    /// Executes a terminator without successors.
    fn leave(&mut self, frame: &Frame<'a>, code: &Code<'a>) -> Next<'a> {
        let block = &code.blocks[frame.block];
        if block.terminator.isa::<func::Return>() {
            let results = block
                .operands
                .iter()
                .map(|slot| slot.and_then(|slot| frame.slots[slot]))
                .map(|outcome| outcome.expect("what is returned matters"));
            return Next::Return(results.collect());
        }
        let because = "its computation ends the program";
        let here = "control reaches this point, and never leaves";
        let location = block.terminator.location();
        Next::Stuck(self.pool.culprit(location, because, here))
    }

    /// Continues at a successor with its arguments.
    fn follow(
        &mut self,
        frame: &mut Frame<'a>,
        code: &Code<'a>,
        successor: usize,
        decision: Option<Outcome<'a>>,
    ) -> Next<'a> {
        let block = &code.blocks[frame.block];
        let Some(target) = block.successors[successor] else {
            return Next::Out((block.terminator, successor));
        };
        let payload = match decision {
            Some(Ok(Constant::Case(_, payload))) => Some(self.pool.elements(payload)),
            _ => None,
        };
        let forwarded = block.terminator.successor_operands(successor);
        let values: Vec<_> = (0..code.blocks[target].arguments.len())
            .map(|number| {
                code.blocks[target].arguments[number]?;
                match forwarded.and_then(|forwarded| forwarded.value(number)) {
                    Some(value) => frame.slots[code.slot_of(value)?],
                    None => payload.as_ref()?.get(number).copied(),
                }
            })
            .collect();
        for (slot, value) in code.blocks[target].arguments.iter().zip(values) {
            if let Some(slot) = slot {
                frame.slots[*slot] = value;
            }
        }
        Next::Block(target)
    }

    /// Returns the successor that a terminator selects.
    pub(super) fn choose(
        &mut self,
        terminator: Op<'a>,
        decision: Outcome<'a>,
    ) -> Result<usize, ReasonId> {
        let location = terminator.location();
        let decision = decision
            .map_err(|reason| self.pool.via(location, "the path is chosen here", reason))?;
        let chosen = match decision {
            Constant::Scalar(number) if terminator.isa::<cf::CondBranch>() => {
                integer(number).map(|truth| usize::from(truth == 0))
            }
            Constant::Scalar(number) => {
                cf::Switch::cast(terminator).and_then(|switch| case_of(switch, number))
            }
            Constant::Case(name, _) => host::SwitchEnum::cast(terminator).map(|switch| {
                let found = switch.case_names().iter().position(|case| *case == name);
                found.map_or(0, |case| case + usize::from(switch.has_default()))
            }),
            _ => None,
        };
        chosen.ok_or_else(|| self.cannot(terminator))
    }

    /// Continues where the paths from a branch join, without facts about their effects.
    fn skip(&mut self, frame: &mut Frame<'a>, code: &Code<'a>, reason: ReasonId) -> Next<'a> {
        frame.whole = false;
        let join = match code.join_of(frame.block) {
            Some(join) if !code.writes => join,
            _ => return Next::Stuck(reason),
        };
        for block in code.between(frame.block, join) {
            let block = &code.blocks[block];
            let results = block.instructions.iter().flat_map(|one| &one.results);
            for slot in block.arguments.iter().chain(results).flatten() {
                frame.slots[*slot] = Some(Err(reason));
            }
        }
        for slot in code.blocks[join].arguments.iter().flatten() {
            frame.slots[*slot] = Some(Err(reason));
        }
        Next::Block(join)
    }
}

impl<'a> Frame<'a> {
    /// Stores the results of the current instruction in their slots, and continues with the next
    /// one.
    fn assign(&mut self, results: &[Outcome<'a>]) {
        let instruction = &self.code.blocks[self.block].instructions[self.instruction];
        for (slot, result) in instruction.results.iter().zip(results) {
            if let Some(slot) = slot {
                self.slots[*slot] = Some(*result);
            }
        }
        self.instruction += 1;
    }
}

/// Operations.
impl<'a> Machine<'a> {
    fn perform(&mut self, op: Op<'a>, operands: &[Outcome<'a>]) -> Step<'a> {
        if is_opaque(op) {
            let because = "it depends on a tensor, which only the graph computes";
            let here = "the tensor operation";
            return Step::Unknown(self.pool.culprit(op.location(), because, here));
        }
        match op.dialect() {
            "tfx_host" => self.host(op, operands),
            "func" if op.isa::<func::Call>() => self.call(op, operands.to_vec()),
            _ if op.isa::<arith::Select>() && operands[0].is_ok() => {
                let truth =
                    matches!(operands[0], Ok(Constant::Scalar(one)) if integer(one) != Some(0));
                Step::Results(vec![operands[if truth { 1 } else { 2 }]])
            }
            _ => self.scalar(op, operands),
        }
    }

    fn scalar(&mut self, op: Op<'a>, operands: &[Outcome<'a>]) -> Step<'a> {
        if let Some(value) = op.constant_value() {
            return Step::Results(vec![Ok(Constant::Scalar(value))]);
        }
        let mut attributes: Vec<Attribute<'a>> = Vec::with_capacity(operands.len());
        for operand in operands {
            match operand {
                Ok(Constant::Scalar(attribute)) => attributes.push(*attribute),
                Ok(_) => return Step::Unknown(self.cannot(op)),
                Err(reason) => {
                    return Step::Unknown(self.pool.via(op.location(), "computed here", *reason));
                }
            }
        }
        if op.num_regions() > 0 || op.num_results() == 0 || !op.would_be_trivially_dead() {
            return Step::Unknown(self.cannot(op));
        }
        match self.scalars.evaluate(op, &attributes) {
            Ok(results) => {
                Step::Results(results.into_iter().map(Constant::Scalar).map(Ok).collect())
            }
            Err(NoValue(reason)) => {
                Step::Unknown(self.pool.culprit(op.location(), reason, "computed here"))
            }
        }
    }

    fn call(&mut self, op: Op<'a>, arguments: Vec<Outcome<'a>>) -> Step<'a> {
        let Some(callee) = self.symbols.resolve(op, "callee") else {
            return Step::Unknown(self.cannot(op));
        };
        self.call_of(op, callee, arguments)
    }

    fn call_of(&mut self, op: Op<'a>, callee: Op<'a>, arguments: Vec<Outcome<'a>>) -> Step<'a> {
        let name = callee.symbol_name().unwrap_or_default();
        if !callee.isa::<func::Func>() || callee.is_declaration() {
            let because = format!("it depends on a result of the foreign function '@{name}'");
            let here = format!("'@{name}' is called here");
            let reason = self.pool.culprit(op.location(), because, here);
            if arguments
                .iter()
                .any(|argument| self.pool.has_variable(*argument))
            {
                self.forget(reason);
            }
            return Step::Unknown(reason);
        }
        Step::Call(callee, arguments)
    }

    /// Returns the callee of a call.
    pub(super) fn callee(&self, op: Op<'a>, operands: &[Outcome<'a>]) -> Option<Op<'a>> {
        match operands.first() {
            Some(Ok(Constant::Closure(callee, _))) if op.isa::<host::Apply>() => Some(*callee),
            _ => self.symbols.resolve(op, "callee"),
        }
    }

    /// Executes the operations that deabstraction would remove, for functions that are executed
    /// before it does.
    fn host(&mut self, op: Op<'a>, operands: &[Outcome<'a>]) -> Step<'a> {
        let list = |machine: &mut Self| machine.pool.list(operands.to_vec());
        let Some(host) = HostOp::cast(op) else {
            return Step::Unknown(self.cannot(op));
        };
        let result = match host {
            HostOp::String(_) => op.attribute("value").map(Constant::Scalar).map(Ok),
            HostOp::Array(_) | HostOp::MakeTuple(_) | HostOp::MakeStruct(_) => {
                Some(Ok(Constant::List(list(self))))
            }
            HostOp::MakeEnum(make) => Some(Ok(Constant::Case(make.case_name(), list(self)))),
            HostOp::Closure(_) => self
                .callee(op, &[])
                .map(|callee| Ok(Constant::Closure(callee, list(self)))),
            HostOp::Undef(_) => {
                let because = "it depends on an undefined value";
                let reason = self.pool.culprit(op.location(), because, "undefined here");
                Some(Err(reason))
            }
            HostOp::Var(_) => {
                let because = "it depends on a variable that is read before it is written";
                let unset = self.pool.culprit(op.location(), because, "the variable");
                self.variables.push(Err(unset));
                let whole = self.pool.list(Vec::new());
                Some(Ok(Constant::Variable(self.variables.len() - 1, whole)))
            }
            HostOp::Prefetch(_) | HostOp::Next(_) => {
                let because = "it depends on a result of a queue";
                let here = "taken from it here";
                return Step::Unknown(self.pool.culprit(op.location(), because, here));
            }
            HostOp::Store(_) => return self.store(operands),
            HostOp::Assert(assert) => return self.assert(op, assert.message(), operands.first()),
            HostOp::Abort(abort) => return self.assert(op, abort.message(), None),
            HostOp::Apply(_) => return self.apply(op, operands),
            HostOp::EnumPayload(get) => return self.payload(get, operands[0]),
            _ => match operands.first() {
                // For each result, if there are several.
                Some(Err(reason)) => {
                    return Step::Unknown(self.pool.via(op.location(), "computed here", *reason));
                }
                Some(Ok(first)) => self.part(host, *first, operands),
                None => None,
            },
        };
        match result {
            Some(result) => Step::Results(vec![result]),
            None => Step::Unknown(self.cannot(op)),
        }
    }

    /// Reads a part of a constant.
    fn part(
        &mut self,
        op: HostOp<'a>,
        first: Constant<'a>,
        operands: &[Outcome<'a>],
    ) -> Option<Outcome<'a>> {
        match (op, first) {
            (HostOp::ArrayGet(get), Constant::List(list)) => {
                Some(self.element(get.op(), list, operands[1]))
            }
            (HostOp::ArrayCount(count), Constant::List(list)) => {
                let length = self.pool.elements(list).len();
                Some(Ok(self.index(count.op(), length)))
            }
            (HostOp::TupleGet(get), Constant::List(list)) => {
                let elements = self.pool.elements(list);
                elements.get(get.index() as usize).copied()
            }
            (HostOp::Extract(extract), Constant::List(list)) => {
                let position = self.field(extract.field(), extract.aggregate())?;
                self.pool.elements(list).get(position).copied()
            }
            (HostOp::EnumTag(get), Constant::Case(name, _)) => {
                let mut cases = strings(self.declaration(get.value())?, "case_names");
                let position = cases.position(|case| case == name)?;
                Some(Ok(self.index(get.op(), position)))
            }
            (HostOp::FieldRef(part), Constant::Variable(variable, path)) => {
                let position = self.field(part.field(), part.reference())?;
                let mut path = self.pool.elements(path).to_vec();
                path.push(Ok(self.index(part.op(), position)));
                Some(Ok(Constant::Variable(variable, self.pool.list(path))))
            }
            (HostOp::Load(_), Constant::Variable(variable, path)) => {
                let mut value = self.variables[variable];
                for position in self.positions(path) {
                    let Ok(Constant::List(list)) = value else {
                        break;
                    };
                    value = *self.pool.elements(list).get(position)?;
                }
                Some(value)
            }
            // `insert %value into %aggregate`: the aggregate is the second operand.
            (HostOp::Insert(insert), _) => match operands[1] {
                Ok(Constant::List(list)) => {
                    let position = self.field(insert.field(), insert.aggregate())?;
                    let mut fields = self.pool.elements(list).to_vec();
                    *fields.get_mut(position)? = operands[0];
                    Some(Ok(Constant::List(self.pool.list(fields))))
                }
                other => Some(other),
            },
            _ => None,
        }
    }

    fn element(&mut self, op: Op<'a>, list: ListId, position: Outcome<'a>) -> Outcome<'a> {
        let elements = self.pool.elements(list);
        let location = op.location();
        let position = match position {
            Ok(Constant::Scalar(number)) => integer(number).unwrap_or(-1),
            Ok(_) => return Err(self.cannot(op)),
            Err(reason) => {
                return Err(self
                    .pool
                    .via(location, "the position of this element", reason));
            }
        };
        let element = usize::try_from(position)
            .ok()
            .and_then(|position| elements.get(position));
        element.copied().unwrap_or_else(|| {
            let because = format!(
                "its computation reads element {position} of an array of length {}",
                elements.len()
            );
            Err(self.pool.culprit(location, because, "read here"))
        })
    }

    fn payload(&mut self, get: host::EnumPayload<'a>, value: Outcome<'a>) -> Step<'a> {
        match value {
            Ok(Constant::Case(case, payload)) if get.case_name() == case => {
                Step::Results(self.pool.elements(payload).to_vec())
            }
            Ok(_) => {
                let because = "it reads the payload of an inactive enum case";
                Step::Unknown(self.pool.culprit(get.location(), because, "read here"))
            }
            Err(reason) => Step::Unknown(self.pool.via(get.location(), "computed here", reason)),
        }
    }

    /// Returns the value that `switch_enum` produces for argument `number` of a block.
    pub(super) fn payload_of(
        &mut self,
        branch: Op<'a>,
        chosen: Outcome<'a>,
        number: usize,
    ) -> Outcome<'a> {
        match chosen {
            Ok(Constant::Case(_, payload)) => match self.pool.elements(payload).get(number) {
                Some(element) => *element,
                None => Err(self.cannot(branch)),
            },
            Ok(_) => Err(self.cannot(branch)),
            Err(reason) => Err(self.pool.via(branch.location(), "taken apart here", reason)),
        }
    }

    fn apply(&mut self, op: Op<'a>, operands: &[Outcome<'a>]) -> Step<'a> {
        match operands[0] {
            Ok(Constant::Closure(callee, captures)) => {
                let mut arguments = self.pool.elements(captures).to_vec();
                arguments.extend_from_slice(&operands[1..]);
                self.call_of(op, callee, arguments)
            }
            Ok(_) => Step::Unknown(self.cannot(op)),
            Err(reason) => Step::Unknown(self.pool.via(op.location(), "called here", reason)),
        }
    }

    fn store(&mut self, operands: &[Outcome<'a>]) -> Step<'a> {
        match operands[1] {
            Ok(Constant::Variable(variable, path)) => {
                let path: Vec<_> = self.positions(path);
                let whole = self.variables[variable];
                self.variables[variable] = self.replaced(whole, &path, operands[0]);
            }
            Ok(_) => {}
            // Any variable may be affected.
            Err(reason) => self.forget(reason),
        }
        Step::Results(Vec::new())
    }

    /// Ends the program if a condition is false, or if there is none.
    fn assert(&mut self, op: Op<'a>, message: &str, condition: Option<&Outcome<'a>>) -> Step<'a> {
        let fails = match condition {
            Some(Ok(Constant::Scalar(truth))) => integer(*truth) == Some(0),
            Some(_) => false,
            None => true,
        };
        if !fails {
            return Step::Results(Vec::new());
        }
        let because = format!("its computation ends the program: \"{message}\"");
        let reason = self
            .pool
            .culprit(op.location(), because, "the program ends here");
        Step::End(reason)
    }

    /// Returns `whole` with another value at the end of a path.
    fn replaced(&mut self, whole: Outcome<'a>, path: &[usize], value: Outcome<'a>) -> Outcome<'a> {
        let mut around = Vec::with_capacity(path.len());
        let mut part = whole;
        for position in path {
            let Ok(Constant::List(list)) = part else {
                return part;
            };
            let fields = self.pool.elements(list);
            let Some(next) = fields.get(*position).copied() else {
                return part;
            };
            around.push((fields, *position));
            part = next;
        }
        around
            .into_iter()
            .rev()
            .fold(value, |inner, (fields, position)| {
                let mut fields = fields.to_vec();
                fields[position] = inner;
                Ok(Constant::List(self.pool.list(fields)))
            })
    }

    /// Drops all facts about variables.
    fn forget(&mut self, reason: ReasonId) {
        self.variables.fill(Err(reason));
    }

    fn positions(&self, path: ListId) -> Vec<usize> {
        let position = |outcome: &Outcome<'a>| match outcome {
            Ok(Constant::Scalar(number)) => {
                integer(*number).and_then(|number| usize::try_from(number).ok())
            }
            _ => None,
        };
        self.pool
            .elements(path)
            .iter()
            .filter_map(position)
            .collect()
    }

    fn index(&self, op: Op<'a>, number: usize) -> Constant<'a> {
        let ty = Type::index(op.context());
        Constant::Scalar(IntegerAttribute::new(ty, number as i64).into())
    }

    /// Returns the position of a field in the struct or tuple of a value, or of its referent.
    fn field(&self, field: &str, aggregate: Value<'a>) -> Option<usize> {
        match self.declaration(aggregate) {
            Some(declaration) => strings(declaration, "field_names").position(|name| name == field),
            None => field.parse().ok(),
        }
    }

    /// Returns the declaration of a nominal type, or of the referent of a reference.
    fn declaration(&self, value: Value<'a>) -> Option<Op<'a>> {
        let mut ty = value.ty();
        while let Some(HostType::Ref(pointee)) = host_type(ty) {
            ty = pointee;
        }
        match host_type(ty)? {
            HostType::Struct { declaration, .. } | HostType::Enum { declaration, .. } => {
                self.symbols.get(declaration)
            }
            _ => None,
        }
    }

    fn cannot(&mut self, op: Op<'a>) -> ReasonId {
        let because = format!("the compiler cannot evaluate '{}'", op.name());
        self.pool.culprit(op.location(), because, "used here")
    }
}

fn unknown<'a>(op: Op<'a>, reason: ReasonId) -> Results<'a> {
    vec![Err(reason); op.num_results()].into()
}
