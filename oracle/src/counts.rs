//! Counts of a run: floating-point operations, and the bytes that derivatives keep.
//!
//! ```text
//!   @loss.forward    calls 1    flops 4,096    returned 8,192 bytes     %y, and a tape of 1,000 values
//!   @loss.backward   calls 1    flops 8,192
//! ```
//!
//! An operation of scalars that computes a float counts as one, and `math.fma` and `math.sincos` as
//! two; an operation of tensors counts as `tfx_interpreter::flops` defines. Moves, comparisons,
//! conversions and integers do not count.
//!
//! A value on a tape is *kept* from its push to its first pop, or until the tape is gone. A tape of
//! a stage after `tfx-legalize-graph` is a list of tensors, and does not count.
//!
//! Cost: none for a run that is not counted; otherwise a look-up for each instruction.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use tfx_dialects::{ad, tensor};
use tfx_graphdef_mlir::operations::resolve_op;
use tfx_interpreter::flops::{Cost, Flops, Sizes};
use tfx_ir::ops::{arith, math};
use tfx_ir::{Op, Value as IrValue};

use crate::code::Instruction;
use crate::frame::Frame;
use crate::library::Library;
use crate::value::{FunctionId, Number, Value};

/// The counts of a run.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// The floating-point operations of the host and of all graphs.
    pub flops: Flops,
    /// The values on tapes.
    pub tapes: TapeCounts,
    /// The functions that were called, in the order of their first calls. The host's come first.
    pub functions: Vec<FunctionCounts>,
}

/// A table, as `tfxc interpret --stats` prints it.
impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Flops { all, functions } = self.flops;
        writeln!(
            formatter,
            "floating-point operations: {all}, of these {functions} functions"
        )?;
        let TapeCounts {
            values,
            bytes,
            peak,
        } = self.tapes;
        writeln!(
            formatter,
            "tapes: {values} values of {bytes} bytes, at most {peak} bytes at a time"
        )?;
        let names = self.functions.iter().map(|function| function.name.len());
        let longest = names.max().unwrap_or_default() + "@".len();
        let width = longest.max("function".len());
        writeln!(
            formatter,
            "{:width$} {:>8} {:>14} {:>12} {:>14}",
            "function", "calls", "operations", "functions", "bytes returned"
        )?;
        for function in &self.functions {
            writeln!(
                formatter,
                "@{:name$} {:>8} {:>14} {:>12} {:>14}",
                function.name,
                function.calls,
                function.flops.all,
                function.flops.functions,
                function.returned,
                name = width - "@".len(),
            )?;
        }
        Ok(())
    }
}

/// The values that were pushed to tapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TapeCounts {
    /// Their number.
    pub values: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The most bytes that were kept at a time.
    pub peak: u64,
}

/// The calls of a function.
#[derive(Clone, Debug, Default)]
pub struct FunctionCounts {
    /// The symbol.
    pub name: String,
    /// The number of its calls.
    pub calls: u64,
    /// The floating-point operations of its calls, and of what these call. A call in a call of the
    /// same function counts once.
    pub flops: Flops,
    /// The bytes of the results: numbers, tensors, and the values on tapes.
    pub returned: u64,
}

impl FunctionCounts {
    fn new(name: &str) -> Self {
        FunctionCounts {
            name: name.to_owned(),
            ..FunctionCounts::default()
        }
    }

    fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.returned += other.returned;
        add(&mut self.flops, other.flops);
    }
}

/// The bytes on tapes, of all processes.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    values: Cell<u64>,
    bytes: Cell<u64>,
    kept: Cell<u64>,
    peak: Cell<u64>,
}

/// A value on a tape that is kept.
#[derive(Debug)]
pub(crate) struct Kept {
    bytes: u64,
    tally: Rc<Tally>,
}

impl Kept {
    fn new(bytes: u64, tally: &Rc<Tally>) -> Self {
        let kept = tally.kept.get() + bytes;
        tally.values.set(tally.values.get() + 1);
        tally.bytes.set(tally.bytes.get() + bytes);
        tally.kept.set(kept);
        tally.peak.set(tally.peak.get().max(kept));
        Kept {
            bytes,
            tally: tally.clone(),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.tally.kept.set(self.tally.kept.get() - self.bytes);
    }
}

/// A call that has not returned.
struct Call {
    function: FunctionId,
    /// The operations before the call; none if it is in a call of the same function.
    before: Option<Flops>,
}

/// The counts of one process.
#[derive(Default)]
pub(crate) struct Counter<'a> {
    flops: Flops,
    tally: Rc<Tally>,
    costs: FxHashMap<Op<'a>, Rc<OpCost>>,
    calls: Vec<Call>,
    functions: Vec<FunctionCounts>,
    /// The positions of functions in the list, and the numbers of their calls that run.
    known: FxHashMap<FunctionId, (usize, u64)>,
}

/// The addition of an operation to the counts.
enum OpCost {
    Nothing,
    Scalar(Flops),
    Tensor(Cost),
    Push(Option<Number>),
}

impl<'a> Counter<'a> {
    /// Creates the counter of a process that starts with a function.
    pub(crate) fn new(tally: &Rc<Tally>, function: FunctionId, library: &Library<'a>) -> Self {
        let mut counter = Counter {
            tally: tally.clone(),
            ..Counter::default()
        };
        counter.enter(function, library);
        counter
    }

    /// Counts an executed instruction that does not change the order of execution.
    pub(crate) fn computed(
        &mut self,
        instruction: &Instruction<'a>,
        frame: &Frame<'a>,
        results: &[Value<'a>],
    ) {
        let op = instruction.op;
        let cost = self.costs.entry(op).or_insert_with(|| Rc::new(cost(op)));
        match &*cost.clone() {
            OpCost::Nothing => {}
            OpCost::Scalar(flops) => add(&mut self.flops, *flops),
            OpCost::Tensor(cost) => {
                let registers = instruction.operands.iter();
                let operands = registers.filter_map(|&register| sizes(frame.get(register)));
                let operands: Vec<_> = operands.collect();
                let results: Vec<_> = results.iter().filter_map(sizes).collect();
                add(&mut self.flops, cost.flops(&operands, &results));
            }
            OpCost::Push(number) => {
                let value = frame.get(instruction.operands[0]);
                if let [Value::Tape(tape)] = results {
                    tape.keep(Kept::new(bytes(value, *number), &self.tally));
                }
            }
        }
    }

    pub(crate) fn enter(&mut self, function: FunctionId, library: &Library<'a>) {
        let functions = &mut self.functions;
        let (_, running) = self.known.entry(function).or_insert_with(|| {
            let name = library.op(function).symbol_name().unwrap_or_default();
            functions.push(FunctionCounts::new(name));
            (functions.len() - 1, 0)
        });
        self.calls.push(Call {
            function,
            before: (*running == 0).then_some(self.flops),
        });
        *running += 1;
    }

    /// Ends a call that returns values, which are the operands of an operation.
    pub(crate) fn leave(&mut self, end: Op<'a>, values: &[Value<'a>]) {
        let Some(call) = self.calls.pop() else {
            return;
        };
        let Some((position, running)) = self.known.get_mut(&call.function) else {
            return;
        };
        *running -= 1;
        let types = end.operands().map(|value| Number::of(value.ty()));
        let returned = values.iter().zip(types);
        let counts = &mut self.functions[*position];
        counts.calls += 1;
        counts.returned += returned.map(|(value, ty)| bytes(value, ty)).sum::<u64>();
        if let Some(before) = call.before {
            counts.flops.all += self.flops.all - before.all;
            counts.flops.functions += self.flops.functions - before.functions;
        }
    }
}

/// Returns the counts of all processes.
pub(crate) fn sum<'a>(counters: impl Iterator<Item = Counter<'a>>, tally: &Tally) -> Counts {
    let mut counts = Counts {
        tapes: TapeCounts {
            values: tally.values.get(),
            bytes: tally.bytes.get(),
            peak: tally.peak.get(),
        },
        ..Counts::default()
    };
    let mut positions: FxHashMap<String, usize> = FxHashMap::default();
    for counter in counters {
        add(&mut counts.flops, counter.flops);
        for function in counter.functions {
            let position = *positions.entry(function.name.clone()).or_insert_with(|| {
                counts.functions.push(FunctionCounts::new(&function.name));
                counts.functions.len() - 1
            });
            counts.functions[position].add(&function);
        }
    }
    counts
}

fn add(sum: &mut Flops, other: Flops) {
    sum.all += other.all;
    sum.functions += other.functions;
}

/// Operations that convert or select floats, which are no floating-point operations.
const MOVES: [&str; 6] = [
    arith::Bitcast::NAME,
    arith::ExtF::NAME,
    arith::SIToFP::NAME,
    arith::Select::NAME,
    arith::TruncF::NAME,
    arith::UIToFP::NAME,
];

/// Operations of `math` that are not functions but signs and roundings.
const EXACT: [&str; 7] = [
    math::AbsF::NAME,
    math::Ceil::NAME,
    math::CopySign::NAME,
    math::Floor::NAME,
    math::Round::NAME,
    math::RoundEven::NAME,
    math::Trunc::NAME,
];

fn cost(op: Op<'_>) -> OpCost {
    if let Some(push) = ad::Push::cast(op) {
        return OpCost::Push(Number::of(push.value().ty()));
    }
    if let Some(view) = tensor::Op::cast(op) {
        let resolved = resolve_op(op, &str::to_owned);
        let attributes = resolved.map(|resolved| resolved.attributes);
        let cost = Cost::of(view.tf_name(), &attributes.unwrap_or_default());
        return cost.map_or(OpCost::Nothing, OpCost::Tensor);
    }
    let is_float =
        |value: IrValue<'_>| matches!(Number::of(value.ty()), Some(Number::F32 | Number::F64));
    let floats = op.results().filter(|result| is_float(*result)).count() as u64;
    if op.num_operands() == 0 || MOVES.contains(&op.name()) {
        return OpCost::Nothing;
    }
    let (all, functions) = match op.dialect() {
        "arith" => (floats, 0),
        "math" if op.isa::<math::Fma>() => (2 * floats, 0),
        "math" if EXACT.contains(&op.name()) => (floats, 0),
        "math" => (floats, floats),
        _ => (0, 0),
    };
    match all {
        0 => OpCost::Nothing,
        _ => OpCost::Scalar(Flops { all, functions }),
    }
}

/// Returns the sizes of a tensor, or of a scalar as one of rank 0.
fn sizes(value: &Value<'_>) -> Option<Sizes> {
    value.tensor().ok().map(Sizes::of)
}

/// Returns the bytes of a value; `number` is its type if it is a scalar.
fn bytes(value: &Value<'_>, number: Option<Number>) -> u64 {
    let mut sum = 0;
    let mut todo = vec![(value, number)];
    while let Some((value, number)) = todo.pop() {
        match value {
            Value::Integer(_) => {
                let bits = match number {
                    Some(Number::Integer(width)) => width,
                    _ => u64::BITS,
                };
                sum += u64::from(bits.div_ceil(u8::BITS));
            }
            Value::F32(_) => sum += 4,
            Value::F64(_) => sum += 8,
            Value::Tensor(tensor) => sum += tensor.byte_size() as u64,
            Value::String(text) => sum += text.len() as u64,
            Value::Tape(tape) => sum += tape.bytes(),
            Value::List(parts) | Value::Case(_, parts) => {
                todo.extend(parts.iter().map(|part| (part, None)));
            }
            Value::Closure(closure) => {
                todo.extend(closure.captures.iter().map(|capture| (capture, None)));
            }
            // Others are kept by reference.
            _ => {}
        }
    }
    sum
}
