//! Checks of integer divisions on the host: a division without a value is an error at its source
//! location instead of a signal.
//!
//! ```text
//!   %q = arith.divsi %a, %b  ──>  tfx_check(%b != 0, "division by zero")
//!                                 tfx_check(%a != MIN | %b != -1, "the quotient is too large ...")
//!                                 %c = arith.select (both conditions), %b, 1
//!                                 %q = arith.divsi %a, %c
//! ```
//!
//! `arith` leaves both cases undefined, and x86 raises a signal. A constant divisor needs no check
//! at run time, unless it is 0 or -1. In a graph, TensorFlow checks the same.
//!
//! The division gets a valid divisor in any case, because LLVM does not order a call and a division
//! that does not use its result: its instruction scheduler moves divisions before calls of the same
//! block.
//!
//! `math.ipowi` is a division, too: 0 to the power of a negative exponent is 1 divided by 0.

use tfx_graphdef_mlir::types;
use tfx_ir::ops::arith::{self, ArithOp, CmpIPredicate};
use tfx_ir::ops::math;
use tfx_ir::{Builder, Op, Value};

/// The widths whose bounds fit the constants of the checks. Host code has no wider integers.
const WIDTHS: std::ops::RangeInclusive<u32> = 1..=64;

/// A condition under which an operation has a value, and the error message if it does not hold.
pub(crate) type Condition<'a> = (Value<'a>, &'static str);

const BY_ZERO: &str = "division by zero";
const TOO_LARGE: &str = "the quotient is too large for its type";

/// Builds the conditions of an operation before it, and replaces its last operand where a condition
/// does not hold.
pub(crate) fn guard<'a>(op: Op<'a>) -> Vec<Condition<'a>> {
    match ArithOp::cast(op) {
        Some(ArithOp::DivSI(_) | ArithOp::RemSI(_))
        | Some(ArithOp::FloorDivSI(_) | ArithOp::CeilDivSI(_)) => division(op, true),
        Some(ArithOp::DivUI(_) | ArithOp::RemUI(_) | ArithOp::CeilDivUI(_)) => division(op, false),
        _ => math::IPowI::cast(op).map(power).unwrap_or_default(),
    }
}

/// The position of the divisor, in all divisions of `arith`.
const DIVISOR: usize = arith::DivSI::RHS_INDEX;

fn division<'a>(op: Op<'a>, signed: bool) -> Vec<Condition<'a>> {
    let (dividend, divisor) = (op.operand(arith::DivSI::LHS_INDEX), op.operand(DIVISOR));
    let Some(bits) = types::width(divisor.ty()).filter(|bits| WIDTHS.contains(bits)) else {
        return Vec::new();
    };
    let known = divisor.constant_int();
    let mut builder = Builder::before(op);
    let mut conditions = Vec::new();
    if known.is_none_or(|value| value == 0) {
        conditions.push((differs(&mut builder, divisor, 0), BY_ZERO));
    }
    if signed && known.is_none_or(|value| value == -1) {
        let other_dividend = differs(&mut builder, dividend, i64::MIN >> (64 - bits));
        let other_divisor = differs(&mut builder, divisor, -1);
        let either = arith::OrI::build(&mut builder, other_dividend, other_divisor).result();
        conditions.push((either, TOO_LARGE));
    }
    let values = conditions.iter().map(|&(value, _)| value);
    let valid = values.reduce(|one, other| arith::AndI::build(&mut builder, one, other).result());
    if let Some(valid) = valid {
        replace_unless(op, DIVISOR, valid, 1);
    }
    conditions
}

/// Guards a power of integers, unless its exponent is a constant that is not negative.
fn power(op: math::IPowI<'_>) -> Vec<Condition<'_>> {
    let (base, exponent) = (op.lhs(), op.rhs());
    if exponent.constant_int().is_some_and(|value| value >= 0) {
        return Vec::new();
    }
    let mut builder = Builder::before(op.op());
    let other_base = differs(&mut builder, base, 0);
    let zero = builder.constant_int(0, exponent.ty());
    let not_negative =
        arith::CmpI::build(&mut builder, CmpIPredicate::Sge, exponent, zero).result();
    let valid = arith::OrI::build(&mut builder, other_base, not_negative).result();
    replace_unless(op.op(), math::IPowI::RHS_INDEX, valid, 0);
    vec![(valid, BY_ZERO)]
}

/// Replaces an operand by a constant unless `valid` holds.
fn replace_unless<'a>(op: Op<'a>, index: usize, valid: Value<'a>, constant: i64) {
    let operand = op.operand(index);
    let mut builder = Builder::before(op);
    let constant = builder.constant_int(constant, operand.ty());
    let select = arith::Select::build(&mut builder, valid, operand, constant);
    op.set_operand(index, select.result());
}

fn differs<'a>(builder: &mut Builder<'a>, value: Value<'a>, from: i64) -> Value<'a> {
    let constant = builder.constant_int(from, value.ty());
    arith::CmpI::build(builder, CmpIPredicate::Ne, value, constant).result()
}
