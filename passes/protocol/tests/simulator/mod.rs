//! A simulator of a host function and its graphs, which detects violations of the protocol.
//!
//! ```text
//!   host process ──┬── channels ──► graph process      each runs until it waits; a deadlock if all wait
//!                  └── channels ──► graph process
//! ```
//!
//! Integers are computed. Every other value (tensors, floats, results of foreign functions) is a
//! hash of the operation and operands that compute it: two sides agree if their hashes do. The
//! elements of a message of several scalars are known. The simulator shares no code with the
//! verifier: it has no notion of projection or proof, and only detects violations in a run.
//!
//! It cannot be replaced by the reference interpreter (`tfx_oracle`), which needs more of a program
//! than these tests have: a kernel for each tensor operation with shapes that fit, arguments of
//! every type, and results of every foreign function. Mutants read undefined values, at which that
//! interpreter stops; here, they are numbers, and the run continues to the violation. The tests
//! also need the highest occupancy of each channel.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};
use tfx_dialects::channels::Channel;
use tfx_dialects::{comm, host, tensor};
use tfx_ir::ops::arith::{ArithOp, CmpIPredicate};
use tfx_ir::ops::scf::ScfOp;
use tfx_ir::ops::tensor::{Extract, FromElements};
use tfx_ir::ops::{Structured, arith, func, scf};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::view::OperandRange;
use tfx_ir::{Block, Op, Region, Value};

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The run ended; with the hash of the effects and results of the host.
    Ended(u64),
    /// The violation of the protocol.
    Violation(&'static str),
    /// The run was stopped.
    Endless,
}

/// More steps than any program of the tests needs.
const MAX_STEPS: usize = 30_000;
/// The limit of integers from foreign functions, so that they reach the bounds of loops and the
/// cases.
const MAX_FOREIGN: u64 = 5;

/// The variation among the runs of one program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variation {
    pub(crate) seed: u64,
    pub(crate) capacity: usize,
}

/// The highest occupancy of each channel, by the graph's name and the channel's id.
pub(crate) type Peaks = HashMap<(String, u32), usize>;

/// Runs a host function. Each side runs as far ahead as it can, so that channels hold as many
/// messages as possible.
pub(crate) fn run<'a>(
    function: Op<'a>,
    symbols: &SymbolTable<'a>,
    variation: Variation,
) -> (Outcome, Peaks) {
    let mut simulator = Simulator {
        symbols,
        variation,
        host: Process::new(function.region(0).entry().expect("it has a body")),
        programs: Vec::new(),
        by_value: HashMap::new(),
        trace: variation.seed,
        effects: 0,
        steps: 0,
        peaks: Peaks::new(),
        messages: HashMap::new(),
    };
    for (index, argument) in simulator.host.block.arguments().enumerate() {
        let value = fit(
            argument.ty(),
            hash(&(variation.seed, "argument", index)),
            true,
        );
        simulator.host.values.insert(argument, value);
    }
    let outcome = simulator.run();
    (outcome, simulator.peaks)
}

struct Process<'a> {
    block: Block<'a>,
    at: Option<Op<'a>>,
    values: HashMap<Value<'a>, u64>,
    /// Induction variable, upper bound and step of each `scf.for`.
    counters: HashMap<Op<'a>, (i64, i64, i64)>,
}

impl<'a> Process<'a> {
    fn new(block: Block<'a>) -> Self {
        Process {
            block,
            at: block.first(),
            values: HashMap::new(),
            counters: HashMap::new(),
        }
    }

    fn get(&self, value: Value<'a>) -> u64 {
        self.values.get(&value).copied().unwrap_or_default()
    }

    fn all(&self, values: OperandRange<'a>) -> Vec<u64> {
        values.iter().map(|value| self.get(value)).collect()
    }

    fn bind(&mut self, to: impl Iterator<Item = Value<'a>>, values: Vec<u64>) {
        for (value, number) in to.zip(values) {
            self.values.insert(value, number);
        }
    }
}

struct Program<'a> {
    graph: String,
    process: Process<'a>,
    queues: HashMap<u32, VecDeque<(u64, Type<'a>)>>,
    /// The declared channels by id.
    declared: HashMap<u32, Channel<'a>>,
    results: Vec<u64>,
    is_running: bool,
}

/// The outcome of a step.
enum Step {
    Done,
    Waits,
    Ended,
}

type Stepped = Result<Step, Outcome>;

struct Simulator<'s, 'a> {
    symbols: &'s SymbolTable<'a>,
    variation: Variation,
    host: Process<'a>,
    programs: Vec<Program<'a>>,
    by_value: HashMap<Value<'a>, usize>,
    trace: u64,
    effects: u64,
    steps: usize,
    peaks: Peaks,
    /// The elements of messages of several scalars, by the number that stands for the message.
    messages: HashMap<u64, Vec<u64>>,
}

/// The index of the host among the processes.
const HOST: usize = usize::MAX;

impl<'a> Simulator<'_, 'a> {
    fn run(&mut self) -> Outcome {
        loop {
            let mut progressed = false;
            match self.go(HOST, &mut progressed) {
                Err(outcome) => return outcome,
                Ok(true) => return self.end(),
                Ok(false) => {}
            }
            for program in 0..self.programs.len() {
                if self.programs[program].is_running
                    && let Err(outcome) = self.go(program, &mut progressed)
                {
                    return outcome;
                }
            }
            if !progressed {
                return Outcome::Violation("deadlock");
            }
        }
    }

    /// Runs a process until it waits or ends; returns whether it has ended.
    fn go(&mut self, process: usize, progressed: &mut bool) -> Result<bool, Outcome> {
        loop {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(Outcome::Endless);
            }
            let Some(op) = self.process(process).at else {
                return Ok(true);
            };
            match self.step(process, op)? {
                Step::Done => *progressed = true,
                Step::Waits => return Ok(false),
                Step::Ended => {
                    *progressed = true;
                    self.process(process).at = None;
                    return Ok(true);
                }
            }
        }
    }

    fn end(&self) -> Outcome {
        match self.programs.iter().any(|program| program.is_running) {
            true => Outcome::Violation("a program is left running"),
            false => Outcome::Ended(self.trace),
        }
    }

    fn process(&mut self, process: usize) -> &mut Process<'a> {
        match process {
            HOST => &mut self.host,
            program => &mut self.programs[program].process,
        }
    }

    /// Adds an effect or a result to the trace.
    fn record(&mut self, effect: impl Hash) {
        self.trace = hash(&(self.trace, hash(&effect)));
    }

    fn step(&mut self, id: usize, op: Op<'a>) -> Stepped {
        match op.name() {
            comm::Start::NAME => self.start(op)?,
            comm::Send::NAME | comm::Recv::NAME => {
                if !self.transfer(id, op)? {
                    return Ok(Step::Waits);
                }
            }
            comm::Finish::NAME => {
                let program = self.program_of(op)?;
                if self.programs[program].process.at.is_some() {
                    return Ok(Step::Waits);
                }
                if self.programs[program]
                    .queues
                    .values()
                    .any(|queue| !queue.is_empty())
                {
                    return Err(Outcome::Violation("a message was left behind"));
                }
                self.programs[program].is_running = false;
                let results = self.programs[program].results.clone();
                self.host.bind(op.results(), results);
            }
            comm::Terminate::NAME => {
                let program = self.program_of(op)?;
                self.programs[program].is_running = false;
            }
            host::Abort::NAME => {
                if self.programs.iter().any(|program| program.is_running) {
                    return Err(Outcome::Violation("aborted with a program running"));
                }
                self.record("abort");
                return Ok(Step::Ended);
            }
            func::Return::NAME => {
                for operand in op.operands() {
                    let value = self.host.get(operand);
                    self.record(value);
                }
                return Ok(Step::Ended);
            }
            tensor::Return::NAME => {
                let process = self.process(id);
                let results = op.operands().map(|operand| process.get(operand)).collect();
                self.programs[id].results = results;
                return Ok(Step::Ended);
            }
            _ if control(self.process(id), op) => return Ok(Step::Done),
            _ => self.compute(id, op),
        }
        self.process(id).at = op.next();
        Ok(Step::Done)
    }

    fn start(&mut self, op: Op<'a>) -> Result<(), Outcome> {
        let graph = self
            .symbols
            .resolve(op, comm::Start::GRAPH_ATTR)
            .ok_or(Outcome::Violation("no graph"))?;
        let block = graph.region(0).entry().expect("a graph has a body");
        let mut process = Process::new(block);
        let inputs = op
            .operands()
            .map(|operand| self.host.get(operand))
            .collect();
        if !op
            .operands()
            .map(|value| value.ty())
            .eq(block.arguments().map(|value| value.ty()))
        {
            return Err(Outcome::Violation("inputs of other types"));
        }
        process.bind(block.arguments(), inputs);
        self.by_value.insert(op.result(0), self.programs.len());
        self.programs.push(Program {
            graph: graph.symbol_name().unwrap_or_default().to_owned(),
            process,
            queues: HashMap::new(),
            declared: declared(graph)?,
            results: Vec::new(),
            is_running: true,
        });
        Ok(())
    }

    fn program_of(&self, op: Op<'a>) -> Result<usize, Outcome> {
        let program = self.by_value.get(&op.operand(op.num_operands() - 1));
        let program = *program.ok_or(Outcome::Violation("no program"))?;
        match self.programs[program].is_running {
            true => Ok(program),
            false => Err(Outcome::Violation("not running any more")),
        }
    }

    /// Returns whether the transfer is possible now.
    fn transfer(&mut self, id: usize, op: Op<'a>) -> Result<bool, Outcome> {
        let program = if id == HOST { self.program_of(op)? } else { id };
        let (sends, channel, value) = match comm::Send::cast(op) {
            Some(send) => (true, send.channel(), send.value()),
            None => {
                let recv = comm::Recv::cast(op).expect("a transfer");
                (false, recv.channel(), recv.value())
            }
        };
        let ty = value.ty();
        match self.programs[program].declared.get(&channel) {
            Some(declared) if declared.to_host == (sends == (id == HOST)) => {
                return Err(Outcome::Violation("against the direction"));
            }
            Some(declared) if declared.ty != ty => {
                return Err(Outcome::Violation("of another type"));
            }
            None => return Err(Outcome::Violation("on no channel")),
            Some(_) => {}
        }
        let number = self.process(id).get(value);
        let capacity = self.variation.capacity;
        let queue = self.programs[program].queues.entry(channel).or_default();
        if sends {
            if queue.len() >= capacity {
                return Ok(false);
            }
            queue.push_back((number, ty));
            let held = queue.len();
            let key = (self.programs[program].graph.clone(), channel);
            let peak = self.peaks.entry(key).or_default();
            *peak = held.max(*peak);
            return Ok(true);
        }
        let Some((number, sent)) = queue.pop_front() else {
            return Ok(false);
        };
        if sent != ty {
            return Err(Outcome::Violation("of another type"));
        }
        self.process(id).values.insert(value, number);
        Ok(true)
    }

    /// Computes an integer, or the hash that stands for another value.
    fn compute(&mut self, id: usize, op: Op<'a>) {
        let process = self.process(id);
        let operands: Vec<u64> = op.operands().map(|operand| process.get(operand)).collect();
        if let Some(number) = integer(op, &operands) {
            process
                .values
                .insert(op.result(0), fit(op.result(0).ty(), number, false));
            return;
        }
        if let Some(numbers) = message(&mut self.messages, op, &operands) {
            let results = op.results().zip(numbers);
            let results: Vec<_> = results
                .map(|(result, number)| (result, fit(result.ty(), number, false)))
                .collect();
            self.process(id).values.extend(results);
            return;
        }
        let pure = op.is_pure() || op.dialect() == "arith" || op.dialect() == "math";
        let mut seed = 0;
        if id == HOST && !pure {
            self.effects += 1;
            seed = hash(&(self.variation.seed, self.effects));
            if !op.isa::<host::New>() {
                self.record((op.name(), &operands));
            }
        }
        let attributes: Vec<String> = op
            .attributes()
            .into_iter()
            .map(|(name, attribute)| format!("{name}{attribute}"))
            .collect();
        let key = hash(&(seed, op.name(), attributes, &operands));
        let process = self.process(id);
        for (index, result) in op.results().enumerate() {
            let number = fit(result.ty(), hash(&(key, index)), !pure);
            process.values.insert(result, number);
        }
    }
}

/// Returns the channels of a graph by id.
fn declared<'a>(graph: Op<'a>) -> Result<HashMap<u32, Channel<'a>>, Outcome> {
    let channels = tensor::Graph::cast(graph).and_then(tensor::Graph::channels);
    let channels = channels.map_or_else(Vec::new, |channels| {
        Channel::all(channels).expect("an array of channels")
    });
    if channels
        .iter()
        .any(|channel| i32::try_from(channel.capacity).is_err())
    {
        return Err(Outcome::Violation(
            "a capacity that the runtime does not support",
        ));
    }
    Ok(channels
        .into_iter()
        .map(|channel| (channel.id, channel))
        .collect())
}

/// Executes one step of structured control flow; returns false for another operation.
fn control<'a>(process: &mut Process<'a>, op: Op<'a>) -> bool {
    let enter = |process: &mut Process<'a>, region: Region<'a>, values: Vec<u64>| {
        let Some(block) = region.entry() else {
            process.at = op.next();
            return;
        };
        process.bind(block.arguments(), values);
        process.at = block.first();
    };
    match ScfOp::cast(op) {
        Some(ScfOp::If(view)) => {
            let region = usize::from(process.get(view.condition()) == 0);
            enter(process, op.region(region), Vec::new());
        }
        Some(ScfOp::IndexSwitch(view)) => {
            let selector = process.get(view.arg()) as i64;
            let case = view.cases().iter().position(|&case| case == selector);
            enter(
                process,
                op.region(case.map_or(0, |case| case + 1)),
                Vec::new(),
            );
        }
        Some(ScfOp::While(view)) => {
            let inits = process.all(view.inits());
            enter(process, view.before(), inits);
        }
        Some(ScfOp::Condition(view)) => {
            let around = op.ancestor_of::<scf::While>().expect("a loop");
            let forwarded = process.all(view.args());
            if process.get(view.condition()) != 0 {
                enter(process, around.after(), forwarded);
            } else {
                process.bind(around.op().results(), forwarded);
                process.at = around.next();
            }
        }
        Some(ScfOp::For(view)) => {
            let bounds = [view.lower_bound(), view.upper_bound(), view.step()];
            let [lower, upper, step] = bounds.map(|bound| process.get(bound) as i64);
            process.counters.insert(op, (lower, upper, step.max(1)));
            let inits = process.all(view.init_args());
            next_iteration(process, view, inits);
        }
        Some(ScfOp::Yield(view)) => {
            let forwarded = process.all(view.results());
            match Structured::around(op) {
                Some(Structured::While(around)) => enter(process, around.before(), forwarded),
                Some(Structured::For(around)) => {
                    if let Some((counter, _, step)) = process.counters.get_mut(&around.op()) {
                        *counter = counter.saturating_add(*step);
                    }
                    next_iteration(process, around, forwarded);
                }
                _ => {
                    let around = op.parent().expect("a terminator has a parent");
                    process.bind(around.results(), forwarded);
                    process.at = around.next();
                }
            }
        }
        Some(ScfOp::ExecuteRegion(_)) | None => return false,
    }
    true
}

fn next_iteration<'a>(process: &mut Process<'a>, op: scf::For<'a>, arguments: Vec<u64>) {
    let (counter, upper, _) = process.counters[&op.op()];
    if counter >= upper {
        process.bind(op.op().results(), arguments);
        process.at = op.next();
        return;
    }
    let body = op.region().entry().expect("a loop has a body");
    let values = std::iter::once(counter as u64).chain(arguments).collect();
    process.bind(body.arguments(), values);
    process.at = body.first();
}

/// Returns the result of an integer operation.
fn integer(op: Op<'_>, operands: &[u64]) -> Option<u64> {
    let signed = |index: usize| operands[index] as i64;
    Some(match ArithOp::cast(op)? {
        ArithOp::Constant(constant) => match IntegerAttribute::try_from(constant.value()) {
            Ok(integer) => integer.value() as u64,
            Err(_) => u64::from(op.boolean(arith::Constant::VALUE_ATTR)?),
        },
        ArithOp::AddI(_) => operands[0].wrapping_add(operands[1]),
        ArithOp::SubI(_) => operands[0].wrapping_sub(operands[1]),
        ArithOp::MulI(_) => operands[0].wrapping_mul(operands[1]),
        ArithOp::DivSI(_) => signed(0).checked_div(signed(1)).unwrap_or_default() as u64,
        ArithOp::RemSI(_) => signed(0).checked_rem(signed(1)).unwrap_or_default() as u64,
        ArithOp::AndI(_) => operands[0] & operands[1],
        ArithOp::OrI(_) => operands[0] | operands[1],
        ArithOp::XOrI(_) => operands[0] ^ operands[1],
        ArithOp::Select(_) => operands[if operands[0] != 0 { 1 } else { 2 }],
        ArithOp::IndexCast(_)
        | ArithOp::IndexCastUI(_)
        | ArithOp::ExtSI(_)
        | ArithOp::ExtUI(_)
        | ArithOp::TruncI(_) => operands[0],
        ArithOp::CmpI(comparison) => u64::from(match comparison.predicate() {
            CmpIPredicate::Eq => operands[0] == operands[1],
            CmpIPredicate::Ne => operands[0] != operands[1],
            CmpIPredicate::Slt => signed(0) < signed(1),
            CmpIPredicate::Sle => signed(0) <= signed(1),
            CmpIPredicate::Sgt => signed(0) > signed(1),
            CmpIPredicate::Sge => signed(0) >= signed(1),
            CmpIPredicate::Ult => operands[0] < operands[1],
            CmpIPredicate::Ule => operands[0] <= operands[1],
            CmpIPredicate::Ugt => operands[0] > operands[1],
            CmpIPredicate::Uge => operands[0] >= operands[1],
        }),
        _ => return None,
    })
}

/// Returns the results of an operation that converts between scalars, tensors and messages of
/// several scalars.
fn message(
    messages: &mut HashMap<u64, Vec<u64>>,
    op: Op<'_>,
    operands: &[u64],
) -> Option<Vec<u64>> {
    let tensorflow = tensor::Op::cast(op).map(tensor::Op::tf_name);
    if op.isa::<tensor::FromScalar>() || op.isa::<tensor::ToScalar>() {
        return Some(operands.to_vec());
    }
    if op.isa::<FromElements>() || tensorflow == Some("Pack") {
        let number = hash(&("message", operands));
        messages.insert(number, operands.to_vec());
        return Some(vec![number]);
    }
    if op.isa::<Extract>() {
        let message = messages.get(&operands[0])?;
        return Some(vec![*message.get(operands[1] as usize)?]);
    }
    let is_unpack = tensorflow == Some("Unpack");
    is_unpack.then(|| messages.get(&operands[0]).cloned())?
}

/// Converts a number to a type; those from foreign functions are small.
fn fit(ty: Type<'_>, number: u64, foreign: bool) -> u64 {
    let width = match IntegerType::try_from(ty) {
        Ok(integer) => integer.width(),
        Err(_) if ty.is_index() => 64,
        Err(_) => return number,
    };
    match width {
        1 => number & 1,
        _ if foreign => number % MAX_FOREIGN,
        2..64 => (((number << (64 - width)) as i64) >> (64 - width)) as u64,
        _ => number,
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
