//! Arithmetic: `arith`, `math` and `index` operations as TensorFlow's.
//!
//! ```text
//! arith.addi          AddV2
//! arith.divui         Bitcast(TruncateDiv(Bitcast a, Bitcast b))     TensorFlow has unsigned types, MLIR unsigned operations
//! arith.cmpf ugt      LogicalOr(Greater(a, b), one is NaN)           unordered: TensorFlow's own are ordered
//! arith.divsi         TruncateDiv(a, fits ? b : 0)               fails where the host does, instead of wrapping
//! arith.addi : i1     NotEqual                                       one bit is a boolean, which has no arithmetic
//! ```
//!
//! The same operations on tensors are translated alike: TensorFlow's are elementwise. Where MLIR leaves a result open (a shift by more than
//! the width) TensorFlow's is as good as any. `ir/src/scalars.rs` lists all operations, with TensorFlow's name where one operation of
//! it means the same; those of several are here and in `floats.rs`.

use melior::ir::{
    Attribute, Type,
    attribute::{DenseElementsAttribute, FloatAttribute, IntegerAttribute},
};
use tfx_graphdef_mlir::types;
use tfx_ir::scalar_ops::{self, Translation};
use tfx_ir::{Op, Value};

use super::emit::Emit;
use super::floats::{self, Extremum};

/// The translation of an operation with one result; `None` if TensorFlow has nothing that means the same.
pub(super) fn translate<'a>(
    op: Op<'a>,
    operands: &[Value<'a>],
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    if op.num_results() != 1 || op.num_regions() != 0 {
        return None;
    }
    let ty = types::tensor_type(op.context(), op.result(0).ty());
    let row = scalar_ops::find(op.name());
    if let Some(Translation::Same(name)) = row.map(|row| row.translation) {
        return Some(emit.op(name, operands, ty));
    }
    if let Some(value) = op
        .name()
        .ends_with("constant")
        .then(|| constant(op, ty, emit))
        .flatten()
    {
        return Some(value);
    }
    match *operands {
        [a] => unary(op, a, ty, emit),
        [a, b] if is_bool(a) => boolean(op, a, b, ty, emit),
        [a, b] => binary(op, a, b, ty, emit),
        [a, b, c] if op.is("arith.select") => Some(emit.op("SelectV2", &[a, b, c], ty)),
        [value, low, high] if op.is("math.clampf") => {
            let capped = floats::extremum(Extremum::Minimum, value, high, ty, emit)?;
            floats::extremum(Extremum::Maximum, capped, low, ty, emit)
        }
        _ => None,
    }
}

fn constant<'a>(op: Op<'a>, ty: Type<'a>, emit: &mut Emit<'a>) -> Option<Value<'a>> {
    let value = op.attribute("value")?;
    if DenseElementsAttribute::try_from(value).is_ok() {
        return Some(emit.constant(value, ty));
    }
    let element: Attribute = match (
        IntegerAttribute::try_from(value),
        FloatAttribute::try_from(value),
    ) {
        // An index becomes an integer here.
        (Ok(integer), _) => IntegerAttribute::new(types::element_type(ty), integer.value()).into(),
        (_, Ok(_)) => value,
        _ => return None,
    };
    Some(emit.splat(element, ty))
}

fn unary<'a>(op: Op<'a>, a: Value<'a>, ty: Type<'a>, emit: &mut Emit<'a>) -> Option<Value<'a>> {
    let element = types::element_type(ty);
    Some(match op.name() {
        "arith.extf" | "arith.truncf" => emit.cast(a, element),
        "arith.bitcast" if is_bool(a) => a,
        "arith.bitcast" => emit.bitcast(a, element),
        "arith.extsi" | "arith.sitofp" => {
            let number = emit.cast(a, element);
            if is_bool(a) {
                minus_bit(number, emit)
            } else {
                number
            }
        }
        "arith.extui" | "arith.uitofp" => {
            let a = unsigned(a, emit)?;
            emit.cast(a, element)
        }
        "arith.fptosi" if !is_bool_type(ty) => emit.cast(a, element),
        "arith.fptoui" if !is_bool_type(ty) => {
            let number_type = emit.unsigned_type(types::width(element)?);
            let number = emit.cast(a, number_type);
            emit.bitcast(number, element)
        }
        "arith.trunci" => truncated(a, ty, emit)?,
        "arith.index_cast" | "index.casts" => index_cast(a, ty, true, emit)?,
        "arith.index_castui" | "index.castu" => index_cast(a, ty, false, emit)?,
        "math.ctpop" => population(a, emit),
        "math.cttz" => {
            // The bits below the lowest one.
            let one = emit.integer(1, element);
            let less = emit.op("Sub", &[a, one], ty);
            let others = emit.op("Invert", &[a], ty);
            let below = emit.op("BitwiseAnd", &[less, others], ty);
            population(below, emit)
        }
        "math.ctlz" => leading_zeros(a, emit)?,
        "math.erf" => floats::error_function(a, ty, emit),
        "math.exp2" => {
            let two = emit.float(2.0, element);
            emit.op("Pow", &[two, a], ty)
        }
        "math.log2" => logarithm(std::f64::consts::LN_2, a, ty, emit),
        "math.log10" => logarithm(std::f64::consts::LN_10, a, ty, emit),
        "math.trunc" => floats::truncated(a, ty, emit),
        "math.round" => floats::rounded(a, ty, emit),
        "math.isnormal" => floats::is_normal(a, emit)?,
        _ => return None,
    })
}

/// How many bits are set in each element.
fn population<'a>(a: Value<'a>, emit: &mut Emit<'a>) -> Value<'a> {
    // It gives bytes.
    let byte = emit.unsigned_type(8);
    let counts = types::with_element(a.context(), a.ty(), byte);
    let count = emit.op("PopulationCount", &[a], counts);
    emit.cast(count, types::element_type(a.ty()))
}

/// How many zeros stand above the highest set bit: with all bits below it set too, those that are not set.
fn leading_zeros<'a>(a: Value<'a>, emit: &mut Emit<'a>) -> Option<Value<'a>> {
    let element = types::element_type(a.ty());
    let bits = types::width(element)?;
    let mut filled = unsigned(a, emit)?;
    let (ty, unsigned_element) = (filled.ty(), types::element_type(filled.ty()));
    let mut distance = 1;
    while distance < bits {
        let amount = emit.integer(distance.into(), unsigned_element);
        let shifted = emit.op("RightShift", &[filled, amount], ty);
        filled = emit.op("BitwiseOr", &[filled, shifted], ty);
        distance *= 2;
    }
    let zeros = emit.op("Invert", &[filled], ty);
    let zeros = emit.bitcast(zeros, element);
    Some(population(zeros, emit))
}

/// A set bit is 1 to a cast, and -1 as a signed number. The difference to 0, since the opposite of a float 0 is not the same 0.
fn minus_bit<'a>(number: Value<'a>, emit: &mut Emit<'a>) -> Value<'a> {
    let element = types::element_type(number.ty());
    let zero = emit
        .zero(types::tensor_of(number.context(), Some(&[]), element))
        .expect("numbers have a zero");
    emit.op("Sub", &[zero, number], number.ty())
}

fn logarithm<'a>(
    natural_of_base: f64,
    a: Value<'a>,
    ty: Type<'a>,
    emit: &mut Emit<'a>,
) -> Value<'a> {
    let natural = emit.op("Log", &[a], ty);
    let base = emit.float(natural_of_base, types::element_type(ty));
    emit.op("RealDiv", &[natural, base], ty)
}

/// The low bits; one bit is tested, since a cast to a boolean asks whether any bit is set.
fn truncated<'a>(a: Value<'a>, ty: Type<'a>, emit: &mut Emit<'a>) -> Option<Value<'a>> {
    if !is_bool_type(ty) {
        return Some(emit.cast(a, types::element_type(ty)));
    }
    let one = emit.integer(1, types::element_type(a.ty()));
    let low = emit.op("BitwiseAnd", &[a, one], a.ty());
    Some(emit.cast(low, types::element_type(ty)))
}

/// Between `index` and an integer of any width.
fn index_cast<'a>(
    a: Value<'a>,
    ty: Type<'a>,
    signed: bool,
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    let (from, to) = (
        types::width(types::element_type(a.ty()))?,
        types::width(types::element_type(ty))?,
    );
    if to < from {
        return truncated(a, ty, emit);
    }
    if to == from {
        return Some(a);
    }
    if signed {
        let number = emit.cast(a, types::element_type(ty));
        return Some(if is_bool(a) {
            minus_bit(number, emit)
        } else {
            number
        });
    }
    let a = unsigned(a, emit)?;
    Some(emit.cast(a, types::element_type(ty)))
}

/// Integers and floats.
fn binary<'a>(
    op: Op<'a>,
    a: Value<'a>,
    b: Value<'a>,
    ty: Type<'a>,
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    let b = if may_overflow(op) {
        divisor_that_fails(a, b, emit)
    } else {
        b
    };
    match scalar_ops::find(op.name()).map(|row| row.translation) {
        Some(Translation::Numbers(name)) => Some(emit.op(name, &[a, b], ty)),
        _ => compound(op, a, b, ty, emit),
    }
}

/// Whether an operation is a division that may have no value though its divisor is not zero: the least number divided by -1.
fn may_overflow(op: Op<'_>) -> bool {
    let signed = matches!(
        scalar_ops::arith_name(op.name()),
        "arith.divsi" | "arith.remsi" | "arith.floordivsi" | "arith.ceildivsi"
    );
    let known = || {
        let attribute = op.operand(1).defining_op()?.constant_value()?;
        Some(IntegerAttribute::try_from(attribute).ok()?.value())
    };
    signed && known().is_none_or(|divisor| divisor == -1)
}

/// The divisor, or zero where the quotient would not fit: TensorFlow wraps there without a word, and the host fails.
fn divisor_that_fails<'a>(a: Value<'a>, b: Value<'a>, emit: &mut Emit<'a>) -> Value<'a> {
    let element = types::element_type(b.ty());
    let Some(bits) = types::width(element).filter(|bits| *bits <= i64::BITS) else {
        return b;
    };
    let boolean = emit.bool_like(b);
    let least = emit.integer(i64::MIN >> (i64::BITS - bits), element);
    let minus_one = emit.integer(-1, element);
    let zero = emit.integer(0, element);
    let is_least = emit.bool_like(a);
    let is_least = emit.op("Equal", &[a, least], is_least);
    let is_minus_one = emit.op("Equal", &[b, minus_one], boolean);
    let overflows = emit.op("LogicalAnd", &[is_least, is_minus_one], boolean);
    emit.op("SelectV2", &[overflows, zero, b], b.ty())
}

/// Operations that take several of TensorFlow's.
fn compound<'a>(
    op: Op<'a>,
    a: Value<'a>,
    b: Value<'a>,
    ty: Type<'a>,
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    let on_unsigned = |operation, emit: &mut Emit<'a>| {
        let (a, b) = (unsigned(a, emit)?, unsigned(b, emit)?);
        let result = emit.op(operation, &[a, b], a.ty());
        Some(emit.bitcast(result, types::element_type(ty)))
    };
    match scalar_ops::arith_name(op.name()) {
        "arith.divui" => on_unsigned("TruncateDiv", emit),
        // Of unsigned numbers, TensorFlow has only this one, and they are the same.
        "arith.remui" => on_unsigned("FloorMod", emit),
        "arith.shrui" => on_unsigned("RightShift", emit),
        "arith.maxui" => on_unsigned("Maximum", emit),
        "arith.minui" => on_unsigned("Minimum", emit),
        "arith.remsi" => Some(remainder(a, b, ty, emit)),
        "arith.ceildivsi" => Some(ceiling(a, b, emit)),
        "arith.ceildivui" => {
            let (a, b) = (unsigned(a, emit)?, unsigned(b, emit)?);
            let quotient = ceiling(a, b, emit);
            Some(emit.bitcast(quotient, types::element_type(ty)))
        }
        "arith.maximumf" => floats::extremum(Extremum::Maximum, a, b, ty, emit),
        "arith.minimumf" => floats::extremum(Extremum::Minimum, a, b, ty, emit),
        "arith.maxnumf" => floats::number_or(Extremum::Maximum, a, b, ty, emit),
        "arith.minnumf" => floats::number_or(Extremum::Minimum, a, b, ty, emit),
        "math.copysign" => floats::copy_sign(a, b, ty, emit),
        "arith.cmpi" => compare_integers(op.integer("predicate")?, a, b, emit),
        "arith.cmpf" => compare_floats(op.integer("predicate")?, a, b, emit),
        _ => None,
    }
}

/// The width from which TensorFlow has a kernel for the remainder of a truncated division.
const REMAINDER_BITS: u32 = 32;

fn remainder<'a>(a: Value<'a>, b: Value<'a>, ty: Type<'a>, emit: &mut Emit<'a>) -> Value<'a> {
    let element = types::element_type(ty);
    if types::width(element).is_none_or(|bits| bits >= REMAINDER_BITS) {
        return emit.op("TruncateMod", &[a, b], ty);
    }
    let wide = emit.integer_type(REMAINDER_BITS);
    let (a, b) = (emit.cast(a, wide), emit.cast(b, wide));
    let result = emit.op("TruncateMod", &[a, b], a.ty());
    emit.cast(result, element)
}

/// The quotient rounded up: the one rounded down, and one more if something is left. Nothing can overflow on the way.
fn ceiling<'a>(a: Value<'a>, b: Value<'a>, emit: &mut Emit<'a>) -> Value<'a> {
    let element = types::element_type(a.ty());
    let quotient = emit.op("FloorDiv", &[a, b], a.ty());
    let rest = emit.op("FloorMod", &[a, b], a.ty());
    let zero = emit
        .zero(types::tensor_of(a.context(), Some(&[]), element))
        .expect("integers have a zero");
    let boolean = emit.bool_like(a);
    let is_left = emit.op("NotEqual", &[rest, zero], boolean);
    let one_more = emit.cast(is_left, element);
    emit.op("AddV2", &[quotient, one_more], a.ty())
}

/// The order of a comparison, and whether it is of unsigned numbers; by the numbers of `arith.cmpi`.
fn integer_predicate(predicate: i64) -> Option<(&'static str, bool)> {
    Some(match predicate {
        0 => ("Equal", false),
        1 => ("NotEqual", false),
        2 => ("Less", false),
        3 => ("LessEqual", false),
        4 => ("Greater", false),
        5 => ("GreaterEqual", false),
        6 => ("Less", true),
        7 => ("LessEqual", true),
        8 => ("Greater", true),
        9 => ("GreaterEqual", true),
        _ => return None,
    })
}

fn compare_integers<'a>(
    predicate: i64,
    a: Value<'a>,
    b: Value<'a>,
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    let (operation, is_unsigned) = integer_predicate(predicate)?;
    let boolean = emit.bool_like(a);
    let (a, b) = if is_unsigned {
        (unsigned(a, emit)?, unsigned(b, emit)?)
    } else {
        (a, b)
    };
    Some(emit.op(operation, &[a, b], boolean))
}

/// Whether one unsigned number is less than another.
pub(super) fn unsigned_less<'a>(a: Value<'a>, b: Value<'a>, emit: &mut Emit<'a>) -> Value<'a> {
    /// `ult` of `arith.cmpi`.
    const LESS: i64 = 6;
    compare_integers(LESS, a, b, emit).expect("a counter is an integer")
}

/// The sixteen comparisons of floats, by the numbers of `arith.cmpf`. TensorFlow's are ordered, but for `NotEqual`.
///
/// An unordered one is not the opposite of an ordered one here: TensorFlow's optimizer turns `LogicalNot(LessEqual(a, b))` into
/// `Greater(a, b)`, which forgets what is no number.
fn compare_floats<'a>(
    predicate: i64,
    a: Value<'a>,
    b: Value<'a>,
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    let boolean = emit.bool_like(a);
    let mut compare = |operation: &str, a, b| emit.op(operation, &[a, b], boolean);
    let ordered = match predicate {
        1 | 8 => compare("Equal", a, b),
        2 | 9 => compare("Greater", a, b),
        3 | 10 => compare("GreaterEqual", a, b),
        4 | 11 => compare("Less", a, b),
        5 | 12 => compare("LessEqual", a, b),
        6 => {
            let (less, greater) = (compare("Less", a, b), compare("Greater", a, b));
            return Some(compare("LogicalOr", less, greater));
        }
        7 => {
            let (is_a, is_b) = (compare("Equal", a, a), compare("Equal", b, b));
            return Some(compare("LogicalAnd", is_a, is_b));
        }
        13 => return Some(compare("NotEqual", a, b)),
        // Always false or always true: made of any boolean with the right sizes.
        0 | 14 | 15 => {
            let equal = compare("Equal", a, b);
            compare(
                if predicate == 15 { "Equal" } else { "NotEqual" },
                equal,
                equal,
            )
        }
        _ => return None,
    };
    if !(8..=14).contains(&predicate) {
        return Some(ordered);
    }
    let (no_a, no_b) = (compare("NotEqual", a, a), compare("NotEqual", b, b));
    let unordered = compare("LogicalOr", no_a, no_b);
    Some(compare("LogicalOr", ordered, unordered))
}

/// One bit: a boolean to TensorFlow. As a signed number a set bit is -1, so the signed order is the opposite of the unsigned one.
fn boolean<'a>(
    op: Op<'a>,
    a: Value<'a>,
    b: Value<'a>,
    ty: Type<'a>,
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    let operation = match op.name() {
        "arith.andi" | "arith.muli" | "arith.minui" | "arith.maxsi" => "LogicalAnd",
        "arith.ori" | "arith.maxui" | "arith.minsi" => "LogicalOr",
        "arith.xori" | "arith.addi" | "arith.subi" => "NotEqual",
        "arith.cmpi" => {
            let (operation, is_unsigned) = integer_predicate(op.integer("predicate")?)?;
            if matches!(operation, "Equal" | "NotEqual") {
                return Some(emit.op(operation, &[a, b], ty));
            }
            let number = emit.unsigned_type(8);
            let (a, b) = (emit.cast(a, number), emit.cast(b, number));
            let operands = if is_unsigned { [a, b] } else { [b, a] };
            return Some(emit.op(operation, &operands, ty));
        }
        _ => return None,
    };
    Some(emit.op(operation, &[a, b], ty))
}

/// The same bits as an unsigned number; one bit as it is, since TensorFlow casts booleans so.
fn unsigned<'a>(value: Value<'a>, emit: &mut Emit<'a>) -> Option<Value<'a>> {
    if is_bool(value) {
        return Some(value);
    }
    let element = emit.unsigned_type(types::width(types::element_type(value.ty()))?);
    Some(emit.bitcast(value, element))
}

fn is_bool(value: Value) -> bool {
    is_bool_type(value.ty())
}

fn is_bool_type(ty: Type) -> bool {
    types::width(types::element_type(ty)) == Some(1)
}
