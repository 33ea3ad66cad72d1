//! Divisions of integers on the host: what has no value is an error at its place, and no signal.
//!
//! ```text
//!   %q = arith.divsi %a, %b    ──>    tfx_check(%b != 0, "division by zero")
//!                                     tfx_check(%a != MIN | %b != -1, "the quotient is too large for its type")
//!                                     %c = arith.select (both conditions), %b, 1
//!                                     %q = arith.divsi %a, %c
//! ```
//!
//! `arith` leaves both undefined and x86 raises a signal. A divisor that is a constant needs no test at run time, unless it is one of the
//! two. In a graph TensorFlow makes the same tests.
//!
//! The division gets a divisor that is right whatever the checks say: to LLVM a call and a division that does not use its result are in no
//! order, and its instruction scheduler puts divisions before calls in the same block.
//!
//! `math.ipowi` divides too: a power of 0 with a negative exponent is 1 divided by 0.

use melior::ir::attribute::IntegerAttribute;
use tfx_graphdef_mlir::types;
use tfx_ir::{Builder, Op, Value};

/// The widths whose bounds fit the constants that are made here; no program divides wider integers on the host.
const WIDTHS: std::ops::RangeInclusive<u32> = 1..=64;
/// What `arith.cmpi` calls "not equal".
const NOT_EQUAL: i64 = 1;
/// What `arith.cmpi` calls "greater or equal" of numbers with a sign.
const AT_LEAST: i64 = 5;

/// What must hold for an operation to have a value, as a condition right before it, and what is wrong where it does not hold.
pub(crate) type Condition<'a> = (Value<'a>, &'static str);

/// What a division without a value says.
const BY_ZERO: &str = "division by zero";
/// What a division with too large a value says.
const TOO_LARGE: &str = "the quotient is too large for its type";

/// The conditions of an operation, made right before it; it is changed so that it raises no signal where one does not hold.
pub(crate) fn guard<'a>(op: Op<'a>) -> Vec<Condition<'a>> {
    match op.name() {
        "arith.divsi" | "arith.remsi" | "arith.floordivsi" | "arith.ceildivsi" => {
            division(op, true)
        }
        "arith.divui" | "arith.remui" | "arith.ceildivui" => division(op, false),
        "math.ipowi" => power(op),
        _ => Vec::new(),
    }
}

fn division<'a>(op: Op<'a>, signed: bool) -> Vec<Condition<'a>> {
    let (dividend, divisor) = (op.operand(0), op.operand(1));
    let Some(bits) = types::width(divisor.ty()).filter(|bits| WIDTHS.contains(bits)) else {
        return Vec::new();
    };
    let known = constant(divisor);
    let mut builder = Builder::before(op);
    let mut conditions = Vec::new();
    if known.is_none_or(|value| value == 0) {
        conditions.push((differs(&mut builder, divisor, 0), BY_ZERO));
    }
    if signed && known.is_none_or(|value| value == -1) {
        let other_dividend = differs(&mut builder, dividend, i64::MIN >> (64 - bits));
        let other_divisor = differs(&mut builder, divisor, -1);
        let either = logic(&mut builder, "arith.ori", other_dividend, other_divisor);
        conditions.push((either, TOO_LARGE));
    }
    if let Some(valid) = all(&mut builder, &conditions) {
        use_instead(op, valid, 1);
    }
    conditions
}

/// A power of integers with an exponent that is not known to be positive.
fn power<'a>(op: Op<'a>) -> Vec<Condition<'a>> {
    let (base, exponent) = (op.operand(0), op.operand(1));
    if constant(exponent).is_some_and(|value| value >= 0) {
        return Vec::new();
    }
    let mut builder = Builder::before(op);
    let other_base = differs(&mut builder, base, 0);
    let zero = builder.constant_int(0, exponent.ty());
    let not_negative = compare(&mut builder, AT_LEAST, exponent, zero);
    let valid = logic(&mut builder, "arith.ori", other_base, not_negative);
    // To the power of 0.
    use_instead(op, valid, 0);
    vec![(valid, BY_ZERO)]
}

/// Gives an operation a constant as its last operand where it has no value.
fn use_instead<'a>(op: Op<'a>, valid: Value<'a>, constant: i64) {
    let operand = op.operand(1);
    let mut builder = Builder::before(op);
    let harmless = builder.constant_int(constant, operand.ty());
    let select = builder.op("arith.select");
    let select = select.operands(&[valid, operand, harmless]);
    op.set_operand(1, select.result(operand.ty()).value());
}

fn all<'a>(builder: &mut Builder<'a>, conditions: &[Condition<'a>]) -> Option<Value<'a>> {
    let values = conditions.iter().map(|&(value, _)| value);
    values.reduce(|one, other| logic(builder, "arith.andi", one, other))
}

fn logic<'a>(builder: &mut Builder<'a>, name: &str, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    builder.op(name).operands(&[a, b]).result(a.ty()).value()
}

/// The value of a constant integer.
fn constant(value: Value<'_>) -> Option<i64> {
    let attribute = value.defining_op()?.constant_value()?;
    Some(IntegerAttribute::try_from(attribute).ok()?.value())
}

fn differs<'a>(builder: &mut Builder<'a>, value: Value<'a>, from: i64) -> Value<'a> {
    let constant = builder.constant_int(from, value.ty());
    compare(builder, NOT_EQUAL, value, constant)
}

fn compare<'a>(builder: &mut Builder<'a>, predicate: i64, a: Value<'a>, b: Value<'a>) -> Value<'a> {
    let boolean = melior::ir::r#type::IntegerType::new(builder.context(), 1);
    builder
        .op("arith.cmpi")
        .operands(&[a, b])
        .integer("predicate", 64, predicate)
        .result(boolean)
        .value()
}
