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
//! Cost: constant if the result depends on the parameter; otherwise linear in the function.

use rustc_hash::FxHashSet;
use tfx_dialects::ad;
use tfx_ir::diag;
use tfx_ir::ops::{Structured, func};
use tfx_ir::{Op, Value};

use crate::activity::carries;
use crate::demand::Demand;
use crate::rules::Rules;
use crate::summaries::Summaries;

/// Emits a warning if no result `results` of the flat function `function` depends on the parameters
/// `leaves`, which are those of parameter `parameter` of the request.
pub(crate) fn warn<'a>(
    demand: &Demand<'a>,
    parameter: usize,
    (function, leaves, results): (Op<'a>, &[usize], &[usize]),
    (summaries, rules): (&Summaries<'a>, &Rules<'a>),
) {
    let depends = |leaf: &usize| {
        let mut results = results.iter();
        results.any(|&result| summaries.depends(function, *leaf, result))
    };
    if leaves.iter().any(depends) {
        return;
    }
    let cut = match first_cut(function, leaves, rules) {
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
            let note = format!(
                "'{}' has the derivative zero, or none",
                crate::rules::name(op)
            );
            warning.note(op.location(), note)
        }
        None => warning.note(demand.callee.location(), "the function is defined here"),
    }
    .emit();
}

/// Returns the first operation, in program order, through which values flow that depend on the
/// parameters, but no derivative.
fn first_cut<'a>(function: Op<'a>, leaves: &[usize], rules: &Rules<'a>) -> Option<Op<'a>> {
    let body = function.region(0).entry()?;
    let mut reached: FxHashSet<Value<'a>> =
        leaves.iter().map(|&index| body.argument(index)).collect();
    for op in function.walk().skip(1) {
        let mut operands = op.operands().enumerate();
        let from = operands.find(|(_, operand)| reached.contains(operand));
        let Some((index, _)) = from else { continue };
        let is_plain = Structured::cast(op).is_none() && !op.is_terminator();
        if is_plain && !op.isa::<func::Call>() && op.num_results() > 0 {
            let has_floats = op.results().any(|result| carries(result.ty()));
            if op.isa::<ad::Stop>() || !has_floats || !rules.has_derivative(op, index) {
                return Some(op);
            }
        }
        reached.extend(op.definitions());
    }
    None
}
