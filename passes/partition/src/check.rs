//! Errors of functions that cannot be split, and of functions that cannot become graph functions.

use tfx_dialects::host;
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::symbols::GRAPH_FUNCTION;

use crate::demand::Demand;
use crate::function::Kind;
use crate::graph_functions::GraphFunctions;
use crate::read::Source;
use crate::side::Side;

/// Reports an error for each operation of the graph that needs a value that only the host can have.
pub(crate) fn check_split<'a>(
    source: &Source<'a>,
    demand: &Demand<'_>,
) -> Result<(), Diagnostics<'a>> {
    let mut errors = Diagnostics::default();
    for (op, operand) in demand.missing(Side::Graph, |value| !value.transferable) {
        let (op, value) = (source.ops[op.index()], source.values[operand.value.index()]);
        let ty = value.ty();
        let message =
            format!("the graph needs a value of type {ty} here, but only the host can have one");
        let note = "this value; only tensors and scalars of type i1, i8, i16, i32, i64, index, f32 or f64 can be sent to the graph";
        let error = diag::error(op.location(), message);
        errors.push(error.note(value.location(), note));
    }
    errors.finish()
}

/// Reports an error for each operation of a graph function that a graph cannot run. `tfx-inline`
/// marks no function with such an operation.
pub(crate) fn check_graph_functions<'a>(
    functions: &GraphFunctions<'a>,
) -> Result<(), Diagnostics<'a>> {
    let mut errors = Diagnostics::default();
    for func in functions.marked() {
        if let Err(found) = check_graph_function(func, functions) {
            errors.extend(found);
        }
    }
    errors.finish()
}

fn check_graph_function<'a>(
    func: Op<'a>,
    functions: &GraphFunctions<'a>,
) -> Result<(), Diagnostics<'a>> {
    let source = Source::read(func, functions)?;
    let table = &source.function;
    let refuse = |location, what: &str| {
        let name = func.symbol_name().unwrap_or_default();
        let message = format!(
            "'@{name}' is marked as a graph function, but {what}, which a graph cannot contain"
        );
        let note = format!(
            "this function; remove '{GRAPH_FUNCTION}' to call it on the host, or let tfx-inline inline its calls"
        );
        let error = diag::error(location, message);
        error.note(func.location(), note)
    };
    let mut errors = Diagnostics::default();
    for id in table.op_ids() {
        let op = source.ops[id.index()];
        if matches!(table[id].kind, Kind::Host | Kind::Abort) || op.isa::<host::Unreachable>() {
            errors.push(refuse(op.location(), &format!("it has '{}'", op.name())));
        }
    }
    for id in table.value_ids().filter(|&id| !table[id].transferable) {
        let value = source.values[id.index()];
        let what = format!("it has a value of type '{}'", value.ty());
        errors.push(refuse(value.location(), &what));
    }
    errors.finish()
}
