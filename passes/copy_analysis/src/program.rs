//! The programs of a host function, and what crosses between each and its graph.

use melior::ir::Location;
use rustc_hash::FxHashMap;
use tfx_dialects::{comm, tensor};
use tfx_ir::ops::scf;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Region, Value, location};

/// Which way something is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    ToHost,
    ToAccelerator,
}

/// A program as its host function sees it.
pub(crate) struct Program<'a> {
    /// The function.
    pub(crate) host: Op<'a>,
    /// The host's operation that starts it.
    pub(crate) start: Op<'a>,
    /// What the host starts, if the module has it.
    pub(crate) graph: Option<Op<'a>>,
    /// The host's sends and receives, in program order.
    pub(crate) sends: Vec<Op<'a>>,
    pub(crate) receives: Vec<Op<'a>>,
    /// The graph's receive on each channel.
    pub(crate) graph_receives: FxHashMap<i64, Op<'a>>,
    /// The graph's send on each channel.
    pub(crate) graph_sends: FxHashMap<i64, Op<'a>>,
}

/// The programs that `func` starts, in order.
pub(crate) fn programs<'a>(func: Op<'a>, symbols: &SymbolTable<'a>) -> Vec<Program<'a>> {
    let mut programs: Vec<Program<'a>> = Vec::new();
    let mut by_value: FxHashMap<Value<'a>, usize> = FxHashMap::default();
    for op in func.walk() {
        match op.name() {
            comm::Start::NAME => {
                by_value.insert(op.result(0), programs.len());
                programs.push(Program::new(func, op, symbols));
            }
            comm::Send::NAME | comm::Recv::NAME => {
                let program = op.operands().last();
                if let Some(&index) = program.and_then(|program| by_value.get(&program)) {
                    let program = &mut programs[index];
                    match direction(op) {
                        Direction::ToAccelerator => program.sends.push(op),
                        Direction::ToHost => program.receives.push(op),
                    }
                }
            }
            _ => {}
        }
    }
    programs
}

impl<'a> Program<'a> {
    fn new(host: Op<'a>, start: Op<'a>, symbols: &SymbolTable<'a>) -> Self {
        let graph = symbols.resolve(start, "graph");
        let by_channel = |name: &'static str| {
            let ops = graph.into_iter().flat_map(Op::walk);
            let transfers = ops.filter(move |op| op.is(name));
            transfers.filter_map(|op| Some((op.integer("channel")?, op)))
        };
        Program {
            host,
            start,
            graph,
            sends: Vec::new(),
            receives: Vec::new(),
            graph_receives: by_channel(comm::Recv::NAME).collect(),
            graph_sends: by_channel(comm::Send::NAME).collect(),
        }
    }
}

/// Which way a transfer of the host goes.
pub(crate) fn direction(transfer: Op<'_>) -> Direction {
    match transfer.isa::<comm::Send>() {
        true => Direction::ToAccelerator,
        false => Direction::ToHost,
    }
}

/// What a transfer copies.
pub(crate) fn value_of(transfer: Op<'_>) -> Value<'_> {
    match direction(transfer) {
        Direction::ToAccelerator => transfer.operand(0),
        Direction::ToHost => transfer.result(0),
    }
}

/// What the user wrote of what a transfer of the host copies: a number that is sent as a tensor is the number, and the negation of a condition that
/// the compiler made is the condition.
pub(crate) fn written(transfer: Op<'_>) -> (Value<'_>, Location<'_>) {
    let value = value_of(transfer);
    if direction(transfer) == Direction::ToHost {
        return (value, transfer.location());
    }
    let mut number = value;
    while let Some(inside) = wrapped(number) {
        number = inside;
    }
    match number == value {
        true => (value, transfer.location()),
        false => (number, number.location()),
    }
}

/// What a value is another form of: the number in a tensor, or the only operand that varies of what the compiler made.
fn wrapped(value: Value<'_>) -> Option<Value<'_>> {
    let op = value.defining_op()?;
    if op.isa::<tensor::FromScalar>() {
        return Some(op.operand(0));
    }
    let is_constant = |operand: &Value<'_>| {
        let maker = operand.defining_op();
        maker.is_some_and(|maker| maker.constant_value().is_some())
    };
    let mut varying = op.operands().filter(|operand| !is_constant(operand));
    let first = varying.next()?;
    (location::is_made(op.location()) && varying.next().is_none()).then_some(first)
}

/// The loops around an operation, the innermost first.
pub(crate) fn loops_around(op: Op<'_>) -> impl Iterator<Item = Op<'_>> {
    op.ancestors().filter(|op| is_loop(*op))
}

pub(crate) fn is_loop(op: Op<'_>) -> bool {
    matches!(op.name(), scf::For::NAME | scf::While::NAME)
}

/// The innermost loop around both.
pub(crate) fn common_loop<'a>(one: Op<'a>, other: Op<'a>) -> Option<Op<'a>> {
    loops_around(one).find(|around| other.is_within(*around))
}

/// Whether there is a branch between an operation and the loop around it.
pub(crate) fn is_conditional(op: Op<'_>, around: Op<'_>) -> bool {
    op.ancestors()
        .take_while(|ancestor| *ancestor != around)
        .any(|ancestor| matches!(ancestor.name(), scf::If::NAME | scf::IndexSwitch::NAME))
}

/// The operation that ends a region of one block.
pub(crate) fn end_of(region: Region<'_>) -> Option<Op<'_>> {
    region.single_block()?.last()
}
