//! Divisions of integers on the host: what has no value is an error at its place, and no signal.
//!
//! ```text
//!   %q = arith.divsi %a, %b    ──>    tfx_check(%b != 0, "division by zero")
//!                                     tfx_check(%a != MIN | %b != -1, "the quotient is too large for its type")
//!                                     %q = arith.divsi %a, %b
//! ```
//!
//! `arith` leaves both undefined and x86 raises a signal. A divisor that is a constant needs no test at run time, unless it is one of the
//! two. In a graph TensorFlow makes the same tests.

use melior::ir::attribute::IntegerAttribute;
use tfx_graphdef_mlir::types;
use tfx_ir::{Builder, Op, Value};

/// The widths whose bounds fit the constants that are made here; no program divides wider integers on the host.
const WIDTHS: std::ops::RangeInclusive<u32> = 1..=64;
/// What `arith.cmpi` calls "not equal".
const NOT_EQUAL: i64 = 1;

/// What must hold for a division to have a value: conditions, made right before it, and what is wrong where one does not hold.
pub(crate) fn conditions<'a>(op: Op<'a>) -> Vec<(Value<'a>, &'static str)> {
    let signed = match op.name() {
        "arith.divsi" | "arith.remsi" | "arith.floordivsi" | "arith.ceildivsi" => true,
        "arith.divui" | "arith.remui" | "arith.ceildivui" => false,
        _ => return Vec::new(),
    };
    let (dividend, divisor) = (op.operand(0), op.operand(1));
    let Some(bits) = types::width(divisor.ty()).filter(|bits| WIDTHS.contains(bits)) else {
        return Vec::new();
    };
    let known = constant(divisor);
    let mut builder = Builder::before(op);
    let mut conditions = Vec::new();
    if known.is_none_or(|value| value == 0) {
        conditions.push((differs(&mut builder, divisor, 0), "division by zero"));
    }
    if signed && known.is_none_or(|value| value == -1) {
        let other_dividend = differs(&mut builder, dividend, i64::MIN >> (64 - bits));
        let other_divisor = differs(&mut builder, divisor, -1);
        let either = builder
            .op("arith.ori")
            .operands(&[other_dividend, other_divisor])
            .result(other_dividend.ty())
            .value();
        conditions.push((either, "the quotient is too large for its type"));
    }
    conditions
}

/// The value of a constant integer.
fn constant(value: Value<'_>) -> Option<i64> {
    let attribute = value.defining_op()?.constant_value()?;
    Some(IntegerAttribute::try_from(attribute).ok()?.value())
}

fn differs<'a>(builder: &mut Builder<'a>, value: Value<'a>, from: i64) -> Value<'a> {
    let constant = builder.constant_int(from, value.ty());
    let boolean = melior::ir::r#type::IntegerType::new(builder.context(), 1);
    builder
        .op("arith.cmpi")
        .operands(&[value, constant])
        .integer("predicate", 64, NOT_EQUAL)
        .result(boolean)
        .value()
}
