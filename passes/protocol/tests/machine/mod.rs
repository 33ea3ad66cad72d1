//! A machine that runs a host function and its graphs side by side and says what happens on the channels.
//!
//! ```text
//!   host process ──┬── queues ──► graph process      each runs until it waits; if all wait, they wait for ever
//!                  └── queues ──► graph process
//! ```
//!
//! Integers are computed. Everything else (tensors, floats, what foreign code gives) is a hash of what it is computed from, which is as good as any
//! value for telling whether two sides agree. Of scalars in a message of several, it is known which they are. It shares nothing with the verifier: it has no notion of projection, proof or structure, and
//! it learns what is wrong by running into it.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use melior::ir::attribute::{ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Type, TypeLike};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Op, Value};

/// How a run ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With all that the host did and gave, as a hash.
    Ended(u64),
    /// What is wrong with the protocol.
    Fault(&'static str),
    /// It was cut off: nothing is known.
    Endless,
}

/// More steps than any program of the tests needs.
const MAX_STEPS: usize = 30_000;
/// What foreign code gives as an integer, so that counters and cases by it are met.
const SMALL: u64 = 5;

/// How the runs of one program differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance {
    pub(crate) seed: u64,
    pub(crate) capacity: usize,
}

/// The most messages that a channel of a graph held, by the graph's name and the channel's id.
pub(crate) type Peaks = HashMap<(String, i64), usize>;

/// Runs a host function. Each side runs ahead as far as it can when it is its turn, so that channels hold as much as they can.
pub(crate) fn run<'a>(
    function: Op<'a>,
    symbols: &SymbolTable<'a>,
    chance: Chance,
) -> (Outcome, Peaks) {
    let mut machine = Machine {
        symbols,
        chance,
        host: Process::new(function.region(0).entry().expect("it has a body")),
        programs: Vec::new(),
        by_value: HashMap::new(),
        trace: chance.seed,
        effects: 0,
        steps: 0,
        peaks: Peaks::new(),
        messages: HashMap::new(),
    };
    for (index, argument) in machine.host.block.arguments().enumerate() {
        let value = fit(argument.ty(), hash(&(chance.seed, "argument", index)), true);
        machine.host.values.insert(argument, value);
    }
    let outcome = machine.run();
    (outcome, machine.peaks)
}

struct Process<'a> {
    block: Block<'a>,
    at: Option<Op<'a>>,
    values: HashMap<Value<'a>, u64>,
    /// Counter, upper bound and step of each `scf.for`.
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

    fn bind(&mut self, to: impl Iterator<Item = Value<'a>>, values: Vec<u64>) {
        for (value, number) in to.zip(values) {
            self.values.insert(value, number);
        }
    }
}

struct Program<'a> {
    graph: String,
    process: Process<'a>,
    queues: HashMap<i64, VecDeque<(u64, Type<'a>)>>,
    /// Direction, type and capacity of each channel, as the graph declares them.
    declared: HashMap<i64, (String, String)>,
    results: Vec<u64>,
    is_running: bool,
}

/// What a step did.
enum Step {
    Went,
    Waits,
    Ended,
}

type Stepped = Result<Step, Outcome>;

struct Machine<'s, 'a> {
    symbols: &'s SymbolTable<'a>,
    chance: Chance,
    host: Process<'a>,
    programs: Vec<Program<'a>>,
    by_value: HashMap<Value<'a>, usize>,
    trace: u64,
    effects: u64,
    steps: usize,
    peaks: Peaks,
    /// What is in messages of several scalars, by the number of the message.
    messages: HashMap<u64, Vec<u64>>,
}

/// Index of the host among processes.
const HOST: usize = usize::MAX;

impl<'a> Machine<'_, 'a> {
    fn run(&mut self) -> Outcome {
        loop {
            let mut went = false;
            match self.go(HOST, &mut went) {
                Err(outcome) => return outcome,
                Ok(true) => return self.end(),
                Ok(false) => {}
            }
            for program in 0..self.programs.len() {
                if self.programs[program].is_running
                    && let Err(outcome) = self.go(program, &mut went)
                {
                    return outcome;
                }
            }
            if !went {
                return Outcome::Fault("deadlock");
            }
        }
    }

    /// Runs a process until it waits or ends; says whether it has ended.
    fn go(&mut self, process: usize, went: &mut bool) -> Result<bool, Outcome> {
        loop {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(Outcome::Endless);
            }
            let Some(op) = self.process(process).at else {
                return Ok(true);
            };
            match self.step(process, op)? {
                Step::Went => *went = true,
                Step::Waits => return Ok(false),
                Step::Ended => {
                    *went = true;
                    self.process(process).at = None;
                    return Ok(true);
                }
            }
        }
    }

    fn end(&self) -> Outcome {
        match self.programs.iter().any(|program| program.is_running) {
            true => Outcome::Fault("a program is left running"),
            false => Outcome::Ended(self.trace),
        }
    }

    fn process(&mut self, process: usize) -> &mut Process<'a> {
        match process {
            HOST => &mut self.host,
            program => &mut self.programs[program].process,
        }
    }

    fn see(&mut self, what: impl Hash) {
        self.trace = hash(&(self.trace, hash(&what)));
    }

    fn step(&mut self, id: usize, op: Op<'a>) -> Stepped {
        match op.name() {
            "tfx_comm.start" => self.start(op)?,
            "tfx_comm.send" | "tfx_comm.recv" => {
                if !self.transfer(id, op)? {
                    return Ok(Step::Waits);
                }
            }
            "tfx_comm.finish" => {
                let program = self.program_of(op)?;
                if self.programs[program].process.at.is_some() {
                    return Ok(Step::Waits);
                }
                if self.programs[program]
                    .queues
                    .values()
                    .any(|queue| !queue.is_empty())
                {
                    return Err(Outcome::Fault("a message was left behind"));
                }
                self.programs[program].is_running = false;
                let results = self.programs[program].results.clone();
                self.host.bind(op.results(), results);
            }
            "tfx_comm.terminate" => {
                let program = self.program_of(op)?;
                self.programs[program].is_running = false;
            }
            "tfx_host.abort" => {
                if self.programs.iter().any(|program| program.is_running) {
                    return Err(Outcome::Fault("aborted with a program running"));
                }
                self.see("abort");
                return Ok(Step::Ended);
            }
            "func.return" => {
                for operand in op.operands() {
                    let value = self.host.get(operand);
                    self.see(value);
                }
                return Ok(Step::Ended);
            }
            "tfx_tensor.return" => {
                let process = self.process(id);
                let results = op.operands().map(|operand| process.get(operand)).collect();
                self.programs[id].results = results;
                return Ok(Step::Ended);
            }
            name if name.starts_with("scf.") && name != "scf.execute_region" => {
                control(self.process(id), op);
                return Ok(Step::Went);
            }
            _ => self.compute(id, op),
        }
        self.process(id).at = op.next();
        Ok(Step::Went)
    }

    fn start(&mut self, op: Op<'a>) -> Result<(), Outcome> {
        let graph = self
            .symbols
            .resolve(op, "graph")
            .ok_or(Outcome::Fault("no graph"))?;
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
            return Err(Outcome::Fault("inputs of other types"));
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
        let program = *program.ok_or(Outcome::Fault("no program"))?;
        match self.programs[program].is_running {
            true => Ok(program),
            false => Err(Outcome::Fault("not running any more")),
        }
    }

    /// Whether it could be done now.
    fn transfer(&mut self, id: usize, op: Op<'a>) -> Result<bool, Outcome> {
        let program = if id == HOST { self.program_of(op)? } else { id };
        let channel = op.integer("channel").unwrap_or_default();
        let sends = op.is("tfx_comm.send");
        let value = if sends { op.operand(0) } else { op.result(0) };
        let ty = value.ty();
        let direction = if sends == (id == HOST) {
            "to_graph"
        } else {
            "to_host"
        };
        match self.programs[program].declared.get(&channel) {
            Some((declared, _)) if declared != direction => {
                return Err(Outcome::Fault("against the direction"));
            }
            Some((_, declared)) if *declared != ty.to_string() => {
                return Err(Outcome::Fault("of another type"));
            }
            None => return Err(Outcome::Fault("on no channel")),
            Some(_) => {}
        }
        let number = self.process(id).get(value);
        let capacity = self.chance.capacity;
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
            return Err(Outcome::Fault("of another type"));
        }
        self.process(id).values.insert(value, number);
        Ok(true)
    }

    /// Plain operations, and whatever else there is as a hash.
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
            seed = hash(&(self.chance.seed, self.effects));
            if !op.is("tfx_host.new") {
                self.see((op.name(), &operands));
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

/// The channels of a graph by id.
fn declared(graph: Op<'_>) -> Result<HashMap<i64, (String, String)>, Outcome> {
    let channels = graph
        .attribute("channels")
        .and_then(|channels| ArrayAttribute::try_from(channels).ok());
    let mut declared = HashMap::new();
    let Some(channels) = channels else {
        return Ok(declared);
    };
    for index in 0..channels.len() {
        let text = channels
            .element(index)
            .expect("it has its elements")
            .to_string();
        let text = text
            .trim_start_matches("#tfx_comm.channel<")
            .trim_end_matches('>');
        let (text, capacity) = text.split_once(", capacity = ").unwrap_or((text, "0"));
        if capacity.parse::<i32>().is_err() {
            return Err(Outcome::Fault("a capacity that the runtime does not have"));
        }
        let mut parts = text.splitn(3, ", ");
        let id = parts
            .next()
            .and_then(|id| id.parse().ok())
            .unwrap_or_default();
        let direction = parts.next().unwrap_or_default().to_owned();
        let mut ty = parts.next().unwrap_or_default().to_owned();
        // The end of a tensor type went with that of the channel.
        if ty.contains('<') && !ty.ends_with('>') {
            ty.push('>');
        }
        declared.insert(id, (direction, ty));
    }
    Ok(declared)
}

/// One step of structured control flow.
fn control<'a>(process: &mut Process<'a>, op: Op<'a>) {
    let entry = |op: Op<'a>, region: usize| op.region(region).entry();
    let around = op.parent().expect("control flow is inside of something");
    let values = |process: &Process<'a>, from: usize| -> Vec<u64> {
        op.operands()
            .skip(from)
            .map(|operand| process.get(operand))
            .collect()
    };
    let enter = |process: &mut Process<'a>, block: Option<Block<'a>>, values: Vec<u64>| {
        let Some(block) = block else {
            process.at = op.next();
            return;
        };
        process.bind(block.arguments(), values);
        process.at = block.first();
    };
    match op.name() {
        "scf.if" => {
            let region = usize::from(process.get(op.operand(0)) == 0);
            enter(process, entry(op, region), Vec::new());
        }
        "scf.index_switch" => {
            let cases = op
                .attribute("cases")
                .and_then(|cases| DenseI64ArrayAttribute::try_from(cases).ok())
                .expect("a switch has cases");
            let selector = process.get(op.operand(0)) as i64;
            let case = (0..cases.len()).find(|&case| cases.element(case) == Ok(selector));
            enter(
                process,
                entry(op, case.map_or(0, |case| case + 1)),
                Vec::new(),
            );
        }
        "scf.while" => {
            let inits = values(process, 0);
            enter(process, entry(op, 0), inits);
        }
        "scf.condition" => {
            let handed = values(process, 1);
            if process.get(op.operand(0)) != 0 {
                enter(process, entry(around, 1), handed);
            } else {
                process.bind(around.results(), handed);
                process.at = around.next();
            }
        }
        "scf.for" => {
            let [lower, upper, step] = [0, 1, 2].map(|bound| process.get(op.operand(bound)) as i64);
            process.counters.insert(op, (lower, upper, step.max(1)));
            let carried = values(process, 3);
            next_trip(process, op, carried);
        }
        _ => {
            let handed = values(process, 0);
            match around.name() {
                "scf.while" => enter(process, entry(around, 0), handed),
                "scf.for" => {
                    if let Some((counter, _, step)) = process.counters.get_mut(&around) {
                        *counter = counter.saturating_add(*step);
                    }
                    next_trip(process, around, handed);
                }
                _ => {
                    process.bind(around.results(), handed);
                    process.at = around.next();
                }
            }
        }
    }
}

fn next_trip<'a>(process: &mut Process<'a>, op: Op<'a>, carried: Vec<u64>) {
    let (counter, upper, _) = process.counters[&op];
    if counter >= upper {
        process.bind(op.results(), carried);
        process.at = op.next();
        return;
    }
    let body = op.region(0).entry().expect("a loop has a body");
    let values = std::iter::once(counter as u64).chain(carried).collect();
    process.bind(body.arguments(), values);
    process.at = body.first();
}

/// What an integer operation computes.
fn integer(op: Op<'_>, operands: &[u64]) -> Option<u64> {
    let signed = |index: usize| operands[index] as i64;
    Some(match op.name() {
        "arith.constant" => {
            let value = op.attribute("value")?;
            match IntegerAttribute::try_from(value) {
                Ok(integer) => integer.value() as u64,
                Err(_) => u64::from(op.boolean("value")?),
            }
        }
        "arith.addi" => operands[0].wrapping_add(operands[1]),
        "arith.subi" => operands[0].wrapping_sub(operands[1]),
        "arith.muli" => operands[0].wrapping_mul(operands[1]),
        "arith.divsi" => signed(0).checked_div(signed(1)).unwrap_or_default() as u64,
        "arith.remsi" => signed(0).checked_rem(signed(1)).unwrap_or_default() as u64,
        "arith.andi" => operands[0] & operands[1],
        "arith.ori" => operands[0] | operands[1],
        "arith.xori" => operands[0] ^ operands[1],
        "arith.select" => operands[if operands[0] != 0 { 1 } else { 2 }],
        "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.trunci" => operands[0],
        "arith.extui" => operands[0],
        "arith.cmpi" => u64::from(match op.integer("predicate")? {
            0 => operands[0] == operands[1],
            1 => operands[0] != operands[1],
            2 => signed(0) < signed(1),
            3 => signed(0) <= signed(1),
            4 => signed(0) > signed(1),
            5 => signed(0) >= signed(1),
            6 => operands[0] < operands[1],
            7 => operands[0] <= operands[1],
            8 => operands[0] > operands[1],
            _ => operands[0] >= operands[1],
        }),
        _ => return None,
    })
}

/// What an operation gives that puts scalars into tensors, several into a message, or takes them out.
fn message(
    messages: &mut HashMap<u64, Vec<u64>>,
    op: Op<'_>,
    operands: &[u64],
) -> Option<Vec<u64>> {
    let name = op.string("tf_name").unwrap_or_else(|| op.name());
    match name {
        "tfx_tensor.from_scalar" | "tfx_tensor.to_scalar" => Some(operands.to_vec()),
        "tensor.from_elements" | "Pack" => {
            let number = hash(&("message", operands));
            messages.insert(number, operands.to_vec());
            Some(vec![number])
        }
        "tensor.extract" => {
            let message = messages.get(&operands[0])?;
            Some(vec![*message.get(operands[1] as usize)?])
        }
        "Unpack" => messages.get(&operands[0]).cloned(),
        _ => None,
    }
}

/// A number as one of a type; `foreign` ones are small.
fn fit(ty: Type<'_>, number: u64, foreign: bool) -> u64 {
    let width = match IntegerType::try_from(ty) {
        Ok(integer) => integer.width(),
        Err(_) if ty.is_index() => 64,
        Err(_) => return number,
    };
    match width {
        1 => number & 1,
        _ if foreign => number % SMALL,
        2..64 => (((number << (64 - width)) as i64) >> (64 - width)) as u64,
        _ => number,
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
