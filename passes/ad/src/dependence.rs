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
//! Cost: constant if the result depends on the parameter; otherwise linear in the functions that the
//! function reaches.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use tfx_dialects::ad;
use tfx_ir::diag;
use tfx_ir::ops::{Structured, func};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Value};

use crate::activity::carries;
use crate::demand::Demand;
use crate::derive::Deriver;
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
    let cut = match first_cut(function, leaves, deriver.rules, deriver.flat) {
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

/// Returns an operation through which values flow that depend on the parameters, but no derivative:
/// the first one of the function, in program order, or else of a function that it calls.
fn first_cut<'a>(
    function: Op<'a>,
    leaves: &[usize],
    rules: &Rules<'a>,
    flat: &SymbolTable<'a>,
) -> Option<Op<'a>> {
    let mut todo = VecDeque::from([(function, leaves.to_vec())]);
    let mut seen = FxHashSet::from_iter([function]);
    while let Some((function, parameters)) = todo.pop_front() {
        let Some(body) = function.region(0).entry() else {
            continue;
        };
        let parameters = parameters.iter().map(|&index| body.argument(index));
        let mut reached: FxHashSet<Value<'a>> = parameters.collect();
        for op in function.walk().skip(1) {
            let operands = op.operands().enumerate();
            let from = operands.filter(|(_, operand)| reached.contains(operand));
            let from: Vec<_> = from.map(|(index, _)| index).collect();
            let Some(&first) = from.first() else { continue };
            if let Some(call) = func::Call::cast(op) {
                let callee = flat.get(call.callee());
                todo.extend(callee.filter(|it| seen.insert(*it)).map(|it| (it, from)));
            } else if is_cut(op, first, rules) {
                return Some(op);
            }
            reached.extend(op.definitions());
        }
    }
    None
}

/// Returns whether values flow through an operation from an operand, but no derivative.
fn is_cut<'a>(op: Op<'a>, operand: usize, rules: &Rules<'a>) -> bool {
    let is_plain = Structured::cast(op).is_none() && !op.is_terminator() && op.num_results() > 0;
    let has_floats = op.results().any(|result| carries(result.ty()));
    is_plain && (op.isa::<ad::Stop>() || !has_floats || !rules.has_derivative(op, operand))
}
