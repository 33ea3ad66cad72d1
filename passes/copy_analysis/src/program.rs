//! The programs of a host function, and the transfers between each of them and its graph.

use melior::ir::Location;
use rustc_hash::FxHashMap;
use tfx_dialects::transfer::{EXPLICIT, Transfer};
use tfx_dialects::types::is_generic;
use tfx_dialects::{comm, tensor};
use tfx_ir::ops::{Structured, func};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value, location};

/// A program and its transfers.
pub(crate) struct Program<'a> {
    /// The host function.
    pub(crate) host: Op<'a>,
    /// The operation that starts it.
    pub(crate) start: comm::Start<'a>,
    /// The graph that the host starts, if the module has it.
    pub(crate) graph: Option<Op<'a>>,
    /// The transfers of the host, in program order.
    pub(crate) sends: Vec<comm::Send<'a>>,
    pub(crate) receives: Vec<comm::Recv<'a>>,
    /// The graph's receive on each channel.
    pub(crate) graph_receives: FxHashMap<u32, comm::Recv<'a>>,
    /// The graph's send on each channel.
    pub(crate) graph_sends: FxHashMap<u32, comm::Send<'a>>,
}

/// Returns the functions of a module that may run programs.
pub(crate) fn functions<'s, 'a>(symbols: &'s SymbolTable<'a>) -> impl Iterator<Item = Op<'a>> + 's {
    symbols
        .ops()
        .filter(|op| op.isa::<func::Func>() && !is_generic(*op))
}

/// Returns the programs that `func` starts, in program order.
pub(crate) fn programs<'a>(func: Op<'a>, symbols: &SymbolTable<'a>) -> Vec<Program<'a>> {
    let mut programs: Vec<Program<'a>> = Vec::new();
    let mut by_handle: FxHashMap<Value<'a>, usize> = FxHashMap::default();
    for op in func.walk() {
        if let Some(start) = comm::Start::cast(op) {
            by_handle.insert(start.program(), programs.len());
            programs.push(Program::new(func, start, symbols));
        }
        let transfer = Transfer::cast(op);
        let handle = transfer.and_then(Transfer::program);
        if let (Some(transfer), Some(index)) = (transfer, handle.and_then(|v| by_handle.get(&v))) {
            match transfer {
                Transfer::Send(send) => programs[*index].sends.push(send),
                Transfer::Recv(receive) => programs[*index].receives.push(receive),
            }
        }
    }
    programs
}

impl<'a> Program<'a> {
    fn new(host: Op<'a>, start: comm::Start<'a>, symbols: &SymbolTable<'a>) -> Self {
        let mut program = Program {
            host,
            start,
            graph: symbols.get(start.graph()),
            sends: Vec::new(),
            receives: Vec::new(),
            graph_receives: FxHashMap::default(),
            graph_sends: FxHashMap::default(),
        };
        for transfer in program.graph_ops().filter_map(Transfer::cast) {
            match transfer {
                Transfer::Send(send) => drop(program.graph_sends.insert(send.channel(), send)),
                Transfer::Recv(recv) => drop(program.graph_receives.insert(recv.channel(), recv)),
            }
        }
        program
    }

    /// Returns the operations of the graph.
    pub(crate) fn graph_ops(&self) -> impl Iterator<Item = Op<'a>> + use<'a> {
        self.graph.into_iter().flat_map(Op::walk)
    }

    /// Returns the sends of the host, without intentional copies.
    pub(crate) fn reported_sends(&self) -> impl Iterator<Item = comm::Send<'a>> {
        self.sends
            .iter()
            .copied()
            .filter(|op| !is_intentional(op.op()))
    }

    /// Returns the receives of the host, without intentional copies.
    pub(crate) fn reported_receives(&self) -> impl Iterator<Item = comm::Recv<'a>> {
        self.receives
            .iter()
            .copied()
            .filter(|op| !is_intentional(op.op()))
    }
}

/// Returns whether the source program marked a copy as intentional.
pub(crate) fn is_intentional(transfer: Op<'_>) -> bool {
    transfer.attribute(EXPLICIT).is_some()
}

/// Returns the value of the source that `send` sends, and its location. A scalar that is sent as a
/// tensor is the scalar, and the negation of a condition that the compiler made is the condition.
pub(crate) fn source_value(send: comm::Send<'_>) -> (Value<'_>, Location<'_>) {
    let mut value = send.value();
    while let Some(inner) = unwrapped(value) {
        value = inner;
    }
    match value == send.value() {
        true => (value, send.location()),
        false => (value, value.location()),
    }
}

/// Returns the location of the value of the source that a transfer of the host copies.
pub(crate) fn source_location(transfer: Transfer<'_>) -> Location<'_> {
    match transfer {
        Transfer::Send(send) => source_value(send).1,
        Transfer::Recv(receive) => receive.location(),
    }
}

/// Returns the scalar in a tensor, or the only variable operand of a synthesized operation.
fn unwrapped(value: Value<'_>) -> Option<Value<'_>> {
    let op = value.defining_op()?;
    if let Some(tensor) = tensor::FromScalar::cast(op) {
        return Some(tensor.scalar());
    }
    let is_constant = |operand: &Value<'_>| {
        let definition = operand.defining_op();
        definition.is_some_and(|definition| definition.constant_value().is_some())
    };
    let mut variable = op.operands().filter(|operand| !is_constant(operand));
    let first = variable.next()?;
    (location::is_made(op.location()) && variable.next().is_none()).then_some(first)
}

/// Returns the loops around an operation, the innermost first.
pub(crate) fn loops_around(op: Op<'_>) -> impl Iterator<Item = Op<'_>> {
    op.ancestors().filter(|op| is_loop(*op))
}

pub(crate) fn is_loop(op: Op<'_>) -> bool {
    Structured::cast(op).is_some_and(Structured::is_loop)
}

pub(crate) fn is_branch(op: Op<'_>) -> bool {
    Structured::cast(op).is_some_and(Structured::is_branch)
}

/// Returns the innermost loop around both operations.
pub(crate) fn common_loop<'a>(one: Op<'a>, other: Op<'a>) -> Option<Op<'a>> {
    loops_around(one).find(|around| other.is_within(*around))
}

/// Returns whether an operation is in a branch inside of the loop `around`.
pub(crate) fn is_conditional(op: Op<'_>, around: Op<'_>) -> bool {
    op.ancestors()
        .take_while(|ancestor| *ancestor != around)
        .any(is_branch)
}
