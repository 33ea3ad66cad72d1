//! Constant trip counts of structured loops.
//!
//! ```text
//!   scf.for %i = c0 to c1 step c2                           (c1 - c0) / c2, rounded up
//!   scf.while (%i = c0) { i < c1 } do { i + c2 }            the same
//! ```

use melior::ir::Type;
use melior::ir::r#type::IntegerType;

use crate::Op;
use crate::cast::Cast;
use crate::ops::{Structured, arith, scf};

/// Returns the trip count of an `scf.for` or `scf.while` if its bounds and its step are constants.
pub fn trip_count(op: Op<'_>) -> Option<i64> {
    match Structured::cast(op)? {
        Structured::For(op) => for_trip_count(op),
        Structured::While(op) => while_trip_count(op),
        Structured::If(_) | Structured::Switch(_) => None,
    }
}

fn for_trip_count(op: scf::For<'_>) -> Option<i64> {
    let from = op.lower_bound().constant_int()?;
    let to = op.upper_bound().constant_int()?;
    let is_order_signed = !op.unsigned_cmp() || from >= 0 && to >= 0;
    is_order_signed.then(|| count(from, to, op.step().constant_int()?))?
}

fn while_trip_count(op: scf::While<'_>) -> Option<i64> {
    let (condition, end) = (op.end()?, op.after().terminator()?);
    let compare = arith::CmpI::cast(condition.condition().defining_op()?)?;
    let (header, counter) = compare.lhs().as_argument()?;
    if header != op.before().entry()? {
        return None;
    }
    let limit = compare.rhs().constant_int()?;
    let end_of_range = match compare.predicate() {
        arith::CmpIPredicate::Slt => limit,
        arith::CmpIPredicate::Sle => limit.checked_add(1)?,
        _ => return None,
    };
    let next = arith::AddI::cast(end.operand(counter).defining_op()?)?;
    let (body, slot) = next.lhs().as_argument()?;
    let carries_counter = || condition.args().get(slot) == Some(header.argument(counter));
    if body != op.after().entry()? || !carries_counter() {
        return None;
    }
    let from = op.inits().at(counter).constant_int()?;
    let step = next.rhs().constant_int()?;
    let trips = count(from, end_of_range, step)?;
    // A last sum that wraps around makes the counter small again, and the loop continues.
    let last = from.checked_add(trips.checked_mul(step)?)?;
    (last <= greatest(header.argument(counter).ty())).then_some(trips)
}

/// Returns the greatest signed number of a type; for types that are not integers, of 64 bits.
pub(crate) fn greatest(ty: Type<'_>) -> i64 {
    let width = IntegerType::cast(ty).map_or(i64::BITS, |integer| integer.width());
    match width {
        0 => 0,
        _ => i64::MAX >> (i64::BITS - width.min(i64::BITS)),
    }
}

fn count(from: i64, to: i64, step: i64) -> Option<i64> {
    let range = to.checked_sub(from)?.max(0);
    (step > 0).then(|| range / step + i64::from(range % step != 0))
}
