//! Warnings about derivatives that are zero because the result does not depend on the parameter.
//!
//! ```text
//!   %n = arith.fptosi %x : f64 to i64      the derivative of this operation is zero or unknown:
//!   %y = arith.sitofp %n : i64 to f64      the note names it
//! ```
//!
//! The derivative is right, but a program that requests it hardly means it. If the user cut the
//! path with `tfx_ad.stop`, there is no warning.
//!
//! Cost: constant if the result depends on the parameter; otherwise linear in the functions that
//! the function reaches.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use tfx_dialects::ad;
use tfx_ir::diag;
use tfx_ir::ops::{Structured, func};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

use crate::activity::{Flow, carries, reach};
use crate::demand::Demand;
use crate::derive::Deriver;
use crate::number::Values;
use crate::rules::{self, Rules};

/// Emits a warning if no result `results` of the flat function `function` depends on the parameters
/// `leaves`, which are those of parameter `parameter` of the request.
pub(crate) fn warn<'a>(
    demand: &Demand<'a>,
    parameter: usize,
    (function, leaves, results): (Op<'a>, &[usize], &[usize]),
    deriver: &Deriver<'_, 'a>,
) {
    let depends = |leaf: &usize| {
        let mut results = results.iter();
        results.any(|&result| deriver.summaries.depends(function, *leaf, result))
    };
    if leaves.iter().any(depends) {
        return;
    }
    let cut = match first_cut(function, (leaves, results), deriver.rules, deriver.flat) {
        Some(op) if op.isa::<ad::Stop>() => return,
        cut => cut,
    };
    let name = demand.callee.symbol_name().unwrap_or_default();
    let message = format!(
        "the derivative of '@{name}' with respect to parameter {parameter} is zero: no result \
         depends on it by operations that have derivatives"
    );
    let warning = diag::warning(demand.op.location(), message);
    match cut {
        Some(op) => {
            let note = format!("'{}' has the derivative zero, or none", rules::name(op));
            warning.note(op.location(), note)
        }
        None => warning.note(demand.callee.location(), "the function is defined here"),
    }
    .emit();
}

/// Returns the first operation, in program order, on a path from the parameters to the results
/// through which no derivative goes: of the function, or else of one that it calls on such a path.
fn first_cut<'a>(
    function: Op<'a>,
    (leaves, results): (&[usize], &[usize]),
    rules: &Rules<'a>,
    flat: &SymbolTable<'a>,
) -> Option<Op<'a>> {
    let mut todo = VecDeque::from([(function, leaves.to_vec(), results.to_vec())]);
    let mut seen = FxHashSet::from_iter([function]);
    while let Some((function, leaves, results)) = todo.pop_front() {
        let body = function.region(0).entry();
        let Some((body, end)) = body.and_then(|body| Some((body, body.terminator()?))) else {
            continue;
        };
        let values = Values::of(function);
        let flow = Flow::of_all(function, &values);
        let starts = leaves.iter().map(|&index| values.id(body.argument(index)));
        let ends = results.iter().map(|&index| values.id(end.operand(index)));
        let reached = reach(&flow.forward(values.len()), starts);
        let useful = reach(&flow.backward(values.len()), ends);
        let is_on_path = |value: Value<'a>| {
            let id = values.id(value);
            reached[id] && useful[id]
        };
        for op in function.walk().skip(1) {
            let positions = |list: Vec<Value<'a>>| {
                let list = list.into_iter().enumerate();
                let list = list.filter(|(_, value)| is_on_path(*value));
                list.map(|(index, _)| index).collect::<Vec<_>>()
            };
            let from = positions(op.operands().collect());
            let to = positions(op.results().collect());
            if from.is_empty() || to.is_empty() || Structured::cast(op).is_some() {
                continue;
            }
            match func::Call::cast(op) {
                Some(call) => {
                    let callee = flat.get(call.callee()).filter(|it| seen.insert(*it));
                    todo.extend(callee.map(|callee| (callee, from, to)));
                }
                None if from.iter().any(|&operand| is_cut(op, operand, rules)) => return Some(op),
                None => {}
            }
        }
    }
    None
}

/// Returns whether an operand has a derivative, but the results have none with respect to it.
fn is_cut<'a>(op: Op<'a>, operand: usize, rules: &Rules<'a>) -> bool {
    let has_floats = op.results().any(|result| carries(result.ty()));
    carries(op.operand(operand).ty())
        && (op.isa::<ad::Stop>() || !has_floats || !rules.has_derivative(op, operand))
}
