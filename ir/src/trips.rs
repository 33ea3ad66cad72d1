//! How often a loop runs, where that can be read off it.
//!
//! ```text
//!   scf.for %i = c0 to c1 step c2                           (c1 - c0) / c2, rounded up
//!   scf.while (%i = c0) { i < c1 } do { i + c2 }            the same
//! ```

use melior::ir::Type;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::r#type::IntegerType;

use crate::{Op, Region, Value};

/// The number of trips of `scf.for` or `scf.while`, if it is a constant that can be seen.
pub fn trip_count(op: Op<'_>) -> Option<i64> {
    match op.name() {
        "scf.for" => for_trip_count(op),
        "scf.while" => while_trip_count(op),
        _ => None,
    }
}

fn for_trip_count(op: Op<'_>) -> Option<i64> {
    /// It compares unsigned.
    const UNSIGNED: &str = "unsignedCmp";
    let (from, to) = (constant(op.operand(0))?, constant(op.operand(1))?);
    let orders_alike = op.attribute(UNSIGNED).is_none() || from >= 0 && to >= 0;
    orders_alike.then(|| count(from, to, constant(op.operand(2))?))?
}

fn while_trip_count(op: Op<'_>) -> Option<i64> {
    /// The numbers of `slt` and `sle` in `arith.cmpi`.
    const SLT: i64 = 2;
    const SLE: i64 = 3;
    let (condition, end) = (end_of(op.region(0))?, end_of(op.region(1))?);
    let compare = condition
        .operand(0)
        .defining_op()
        .filter(|op| op.is("arith.cmpi"))?;
    let (header, counter) = compare.operand(0).as_argument()?;
    if header != op.region(0).entry()? {
        return None;
    }
    let limit = constant(compare.operand(1))?;
    let end_of_range = match compare.integer("predicate")? {
        SLT => limit,
        SLE => limit.checked_add(1)?,
        _ => return None,
    };
    let next = end
        .operand(counter)
        .defining_op()
        .filter(|op| op.is("arith.addi"))?;
    let (body, slot) = next.operand(0).as_argument()?;
    let carries_counter = || condition.operand(slot + 1) == header.argument(counter);
    if body != op.region(1).entry()? || !carries_counter() {
        return None;
    }
    let (from, step) = (constant(op.operand(counter))?, constant(next.operand(1))?);
    let trips = count(from, end_of_range, step)?;
    // The last sum must not wrap around: then the counter would be small again, and the loop would go on.
    let last = from.checked_add(trips.checked_mul(step)?)?;
    (last <= greatest(header.argument(counter).ty())).then_some(trips)
}

/// The greatest signed number of a type: a counter of 8 bits ends at 127.
pub(crate) fn greatest(ty: Type<'_>) -> i64 {
    let width = IntegerType::try_from(ty).map_or(i64::BITS, |integer| integer.width());
    match width {
        0 => 0,
        _ => i64::MAX >> (i64::BITS - width.min(i64::BITS)),
    }
}

/// The terminator of a region of one block.
pub(crate) fn end_of(region: Region<'_>) -> Option<Op<'_>> {
    region.single_block()?.last()
}

fn count(from: i64, to: i64, step: i64) -> Option<i64> {
    let range = to.checked_sub(from)?.max(0);
    (step > 0).then(|| range / step + i64::from(range % step != 0))
}

/// The value of an integer constant, sign-extended.
pub(crate) fn constant(value: Value<'_>) -> Option<i64> {
    let attribute = value.defining_op()?.constant_value()?;
    IntegerAttribute::try_from(attribute)
        .ok()
        .map(|attribute| attribute.value())
}
