//! Reports an error where a resource or a variant, which only a graph can hold, would cross to the
//! host.
//!
//! ```text
//!   %h = tfx_tensor.op "VarHandleOp"     made in the graph
//!   func.call @rec(%h)                   @rec calls itself, so it stays on the host  ──►  error at the call
//! ```
//!
//! The minimum cut keeps operations on such values in the graph if they can run on either side. The
//! remaining users are host code by nature, and the note explains why. Linear in the function, and
//! for an error in the calls that its callee reaches.

use rustc_hash::FxHashSet;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

use crate::demand::Demand;
use crate::function::{BODY, Def, Function, Kind, OpId, Use};
use crate::read::Source;
use crate::side::Side;

/// An operation, and the handle that its side would have to receive.
type Crossing = (OpId, Use);

/// Reports each operation for which a resource or variant would have to cross between host and
/// graph.
pub(crate) fn check<'a>(
    func: Op<'a>,
    source: &Source<'a>,
    demand: &Demand<'_>,
    symbols: &SymbolTable<'a>,
) -> Result<(), Diagnostics<'a>> {
    let function = &source.function;
    if !function.values.iter().any(|value| value.graph_only) {
        return Ok(());
    }
    let to_host = to_host(function, demand).into_iter();
    let to_graph = to_graph(function, demand, func.is_private()).into_iter();
    let sent = to_host.map(|crossing| sent(source, crossing, symbols));
    let given = to_graph.map(|crossing| given(source, crossing));
    sent.chain(given).collect::<Diagnostics<'a>>().finish()
}

/// Returns the host operations that need a value of the graph, once each. Control flow that only
/// forwards the value is left out, unless there is no other.
fn to_host(function: &Function, demand: &Demand<'_>) -> Vec<Crossing> {
    let crossings = demand.missing(Side::Host, |value| value.graph_only);
    let (users, others): (Vec<_>, Vec<_>) = crossings.into_iter().partition(|(op, _)| {
        let op = &function[*op];
        op.kind == Kind::Host || op.kind == Kind::End && op.region == BODY
    });
    match users.is_empty() {
        true => others,
        false => users,
    }
}

/// Returns the graph operations that need a value of the host. A parameter of a private function
/// does not count: each call that passes a graph's value has its own error.
fn to_graph(function: &Function, demand: &Demand<'_>, is_private: bool) -> Vec<Crossing> {
    let mut crossings = demand.missing(Side::Graph, |value| value.graph_only);
    let is_parameter = |operand: Use| matches!(function[operand.value].def, Def::Argument(BODY, _));
    crossings.retain(|(_, operand)| !is_private || !is_parameter(*operand));
    crossings
}

fn sent<'a>(source: &Source<'a>, crossing: Crossing, symbols: &SymbolTable<'a>) -> Diagnostic<'a> {
    let (op, value) = ends(source, crossing);
    let message = format!(
        "a value of type {} would be copied to the host here, but the host cannot hold resources or variants",
        value.ty()
    );
    let (place, reason) = why(op, symbols);
    let diag = diag::error(op.location(), message).note(place.location(), reason);
    diag.note(value.location(), "this value, which the graph computes")
}

fn given<'a>(source: &Source<'a>, crossing: Crossing) -> Diagnostic<'a> {
    let (op, value) = ends(source, crossing);
    let message = format!(
        "the host would send a value of type {} to the graph here, but the host cannot hold resources or variants",
        value.ty()
    );
    let diag = diag::error(op.location(), message);
    diag.note(
        value.location(),
        "this value, which host code computes or receives as an argument; compute it by a graph operation",
    )
}

fn ends<'a>(source: &Source<'a>, (op, operand): Crossing) -> (Op<'a>, Value<'a>) {
    (source.ops[op.index()], source.values[operand.value.index()])
}

/// Explains why an operation runs on the host, and where this is decided.
fn why<'a>(op: Op<'a>, symbols: &SymbolTable<'a>) -> (Op<'a>, String) {
    let name = op.name();
    if name == func::Return::NAME {
        let reason = "the results of a function that is called on the host are copied to the host";
        return (op, reason.to_owned());
    }
    let Some(callee) = callee(op, symbols) else {
        return (op, format!("'{name}' runs on the host"));
    };
    let symbol = callee.symbol_name().unwrap_or_default();
    let reason = if callee.is_declaration() {
        format!("'@{symbol}' is a foreign function, which runs on the host")
    } else if calls_itself(callee, symbols) {
        format!("'@{symbol}' is recursive, so its calls stay on the host; write a loop instead")
    } else {
        format!("'@{symbol}' remains a host function")
    };
    (callee, reason)
}

fn callee<'a>(op: Op<'a>, symbols: &SymbolTable<'a>) -> Option<Op<'a>> {
    symbols.get(func::Call::cast(op)?.callee())
}

/// Returns whether the calls in a function reach it.
fn calls_itself<'a>(function: Op<'a>, symbols: &SymbolTable<'a>) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![function];
    while let Some(caller) = todo.pop() {
        for callee in caller.walk().filter_map(|op| callee(op, symbols)) {
            if callee == function {
                return true;
            }
            if seen.insert(callee) {
                todo.push(callee);
            }
        }
    }
    false
}
