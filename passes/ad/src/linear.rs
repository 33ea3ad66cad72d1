//! Checks that a function is linear in some parameters: its derivative does not depend on them.
//!
//! ```text
//!   @f.jvp(%x, %tx)     %ty = mulf %tx, cos(%x)      the residual cos(%x) does not depend on %tx
//!                       %ty = mulf %tx, %tx          the residual %tx does: not linear
//! ```
//!
//! The residuals of the reversal with respect to these parameters are all that the derivative
//! depends on. A value depends on a parameter if the parameter reaches it by any operation, or
//! decides whether or how often it is computed.
//!
//! Cost: linear in the function and its callees.
//!
//! # Non-guarantees
//!
//! A constant that is added to a linear function is not found.

use melior::ir::Location;
use rustc_hash::FxHashSet;
use tfx_ir::ops::{Structured, func, scf};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

use crate::activity::{Edges, Flow, reach};
use crate::derivative::{Derivative, Kept};
use crate::number::Values;
use crate::primal::Key;

/// Returns the place of a value that depends on the parameters `wrt` of a flat function and on
/// which its derivative with respect to them depends.
pub(crate) fn dependence<'a>(
    function: Op<'a>,
    derivative: &Derivative<'a>,
    flat: &SymbolTable<'a>,
) -> Option<Location<'a>> {
    let mut todo = vec![(function, derivative.wrt.clone(), derivative)];
    while let Some((function, parameters, derivative)) = todo.pop() {
        let values = Values::of(function);
        let body = function.region(0).entry().expect("it has a body");
        let end = body.terminator().expect("a structured function returns");
        let starts = parameters.iter();
        let starts = starts.map(|&index| values.id(body.argument(index)));
        let reached = reach(&edges(function, &values), starts);
        let depends = |value: Value<'a>| reached[values.id(value)];
        let mut own = derivative.residuals.iter();
        let mut calls = FxHashSet::default();
        for kept in &derivative.kept {
            let value = match *kept {
                Kept::Argument(position) => body.argument(position),
                Kept::Returned(position) => end.operand(position),
                Kept::Own(_) => match own.next().map(|residual| residual.key) {
                    Some(Key::Value(value)) => value,
                    Some(Key::Shape(_)) => continue,
                    Some(Key::Count(op)) => match decider(op) {
                        Some(decider) => decider,
                        None => continue,
                    },
                    Some(Key::OfCall(op, _)) => {
                        if calls.insert(op) {
                            let operands = op.operands().enumerate();
                            let given = operands.filter(|(_, operand)| depends(*operand));
                            let given = given.map(|(index, _)| index).collect();
                            let callee = func::Call::cast(op).and_then(|op| flat.get(op.callee()));
                            match (callee, derivative.callees.get(&op)) {
                                (Some(callee), Some(inner)) if !callee.is_declaration() => {
                                    todo.push((callee, given, inner));
                                }
                                _ => return Some(op.location()),
                            }
                        }
                        continue;
                    }
                    // The derivative of a recursive function or of a rule.
                    None => return Some(function.location()),
                },
            };
            if depends(value) {
                return Some(value.location());
            }
        }
    }
    None
}

/// Returns the value that decides how often a loop runs.
fn decider(op: Op<'_>) -> Option<Value<'_>> {
    let end = scf::While::cast(op)?.end()?;
    Some(end.op().operand(0))
}

/// Returns the edges from values to all that they influence.
fn edges<'a>(function: Op<'a>, values: &Values<'a>) -> Edges {
    let mut flow = Flow::of_all(function, values);
    for op in function.walk().skip(1) {
        if op.isa::<func::Return>() {
            continue;
        }
        // What decides about a region decides about its results.
        let decided = match Structured::cast(op) {
            Some(Structured::While(_)) => decider(op),
            Some(Structured::For(_)) => None,
            Some(_) => Some(op.operand(0)),
            None => None,
        };
        if let Some(decided) = decided {
            flow.add_edges(decided, op.results(), values);
        }
    }
    flow.forward(values.len())
}
