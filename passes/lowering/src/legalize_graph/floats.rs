//! Operations on floats that take several of TensorFlow's, to the bit: zeros keep their signs, and what is no number stays none.
//!
//! ```text
//!   arith.maximumf %a, %b     a > b ? a : a < b ? b : a == b ? (bits of a) & (bits of b) : a + b
//!   math.round %x             |x - trunc(x)| >= 1/2 ? trunc(x) + sign(x) : trunc(x)
//!   math.copysign %a, %b      (bits of a) & 01..1 | (bits of b) & 10..0
//! ```
//!
//! Two equal floats have the same bits, but for two zeros: of those, `&` takes the positive one and `|` the negative one. TensorFlow's own
//! `Maximum` takes the first of two zeros, and its `Round` rounds half to even.

use melior::ir::{Type, TypeLike};
use tfx_graphdef_mlir::types;
use tfx_ir::Value;

use super::emit::Emit;

/// The larger or the smaller one of two floats.
#[derive(Clone, Copy)]
pub(super) enum Extremum {
    Maximum,
    Minimum,
}

/// The extremum of two floats: -0 is less than 0, and what is no number wins. `None` for floats without integers of their width.
pub(super) fn extremum<'a>(
    which: Extremum,
    a: Value<'a>,
    b: Value<'a>,
    ty: Type<'a>,
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    let (first, second, bits) = match which {
        Extremum::Maximum => ("Greater", "Less", "BitwiseAnd"),
        Extremum::Minimum => ("Less", "Greater", "BitwiseOr"),
    };
    let boolean = emit.bool_like(a);
    let (a_bits, b_bits) = (as_bits(a, emit)?, as_bits(b, emit)?);
    let tie = emit.op(bits, &[a_bits, b_bits], a_bits.ty());
    let tie = emit.bitcast(tie, types::element_type(ty));
    let no_number = emit.op("AddV2", &[a, b], ty);
    let is_equal = emit.op("Equal", &[a, b], boolean);
    let neither = emit.op("SelectV2", &[is_equal, tie, no_number], ty);
    let is_b = emit.op(second, &[a, b], boolean);
    let not_a = emit.op("SelectV2", &[is_b, b, neither], ty);
    let is_a = emit.op(first, &[a, b], boolean);
    Some(emit.op("SelectV2", &[is_a, a, not_a], ty))
}

/// The extremum of two floats, or the one that is a number. `None` as for [`extremum`].
pub(super) fn number_or<'a>(
    which: Extremum,
    a: Value<'a>,
    b: Value<'a>,
    ty: Type<'a>,
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    let boolean = emit.bool_like(a);
    let (no_a, no_b) = (
        emit.op("IsNan", &[a], boolean),
        emit.op("IsNan", &[b], boolean),
    );
    let both = extremum(which, a, b, ty, emit)?;
    let with_a = emit.op("SelectV2", &[no_b, a, both], ty);
    Some(emit.op("SelectV2", &[no_a, b, with_a], ty))
}

/// The magnitude of one float with the sign of another; `None` for floats without integers of their width.
pub(super) fn copy_sign<'a>(
    magnitude: Value<'a>,
    sign: Value<'a>,
    ty: Type<'a>,
    emit: &mut Emit<'a>,
) -> Option<Value<'a>> {
    let (magnitude, sign) = (as_bits(magnitude, emit)?, as_bits(sign, emit)?);
    let element = types::element_type(magnitude.ty());
    let lowest = i64::MIN >> (i64::BITS - types::width(element)?);
    let (sign_bit, other_bits) = (
        emit.integer(lowest, element),
        emit.integer(!lowest, element),
    );
    let magnitude = emit.op("BitwiseAnd", &[magnitude, other_bits], magnitude.ty());
    let sign = emit.op("BitwiseAnd", &[sign, sign_bit], sign.ty());
    let both = emit.op("BitwiseOr", &[magnitude, sign], magnitude.ty());
    Some(emit.bitcast(both, types::element_type(ty)))
}

/// The error function, which is 1 or -1 where its argument is infinite: TensorFlow's is no number there for `f64`.
pub(super) fn error_function<'a>(a: Value<'a>, ty: Type<'a>, emit: &mut Emit<'a>) -> Value<'a> {
    let boolean = emit.bool_like(a);
    let is_infinite = emit.op("IsInf", &[a], boolean);
    let sign = emit.op("Sign", &[a], ty);
    let finite = emit.op("Erf", &[a], ty);
    emit.op("SelectV2", &[is_infinite, sign, finite], ty)
}

/// Towards zero.
pub(super) fn truncated<'a>(a: Value<'a>, ty: Type<'a>, emit: &mut Emit<'a>) -> Value<'a> {
    let zero = emit.float(0.0, types::element_type(ty));
    let boolean = emit.bool_like(a);
    let negative = emit.op("Less", &[a, zero], boolean);
    let (up, down) = (emit.op("Ceil", &[a], ty), emit.op("Floor", &[a], ty));
    emit.op("SelectV2", &[negative, up, down], ty)
}

/// To the nearest integer, half away from zero. The difference to the integer below is exact.
pub(super) fn rounded<'a>(a: Value<'a>, ty: Type<'a>, emit: &mut Emit<'a>) -> Value<'a> {
    let whole = truncated(a, ty, emit);
    let rest = emit.op("Sub", &[a, whole], ty);
    let rest = emit.op("Abs", &[rest], ty);
    let half = emit.float(0.5, types::element_type(ty));
    let boolean = emit.bool_like(a);
    let is_far = emit.op("GreaterEqual", &[rest, half], boolean);
    let sign = emit.op("Sign", &[a], ty);
    let next = emit.op("AddV2", &[whole, sign], ty);
    emit.op("SelectV2", &[is_far, next, whole], ty)
}

/// Whether a float is neither zero, denormal, infinite nor no number; `None` for other types than `f32` and `f64`.
pub(super) fn is_normal<'a>(a: Value<'a>, emit: &mut Emit<'a>) -> Option<Value<'a>> {
    let element = types::element_type(a.ty());
    let smallest = match bits(element)? {
        32 => f32::MIN_POSITIVE.into(),
        64 => f64::MIN_POSITIVE,
        _ => return None,
    };
    let boolean = emit.bool_like(a);
    let size = emit.op("Abs", &[a], a.ty());
    let smallest = emit.float(smallest, element);
    let is_large = emit.op("GreaterEqual", &[size, smallest], boolean);
    let is_finite = emit.op("IsFinite", &[a], boolean);
    Some(emit.op("LogicalAnd", &[is_large, is_finite], boolean))
}

/// The bits of floats as integers of their width.
fn as_bits<'a>(value: Value<'a>, emit: &mut Emit<'a>) -> Option<Value<'a>> {
    let integer = emit.integer_type(bits(types::element_type(value.ty()))?);
    Some(emit.bitcast(value, integer))
}

/// The width of a float type that has integers of the same width in TensorFlow.
fn bits(element: Type<'_>) -> Option<u32> {
    match () {
        () if element.is_f64() => Some(64),
        () if element.is_f32() => Some(32),
        () if element.is_f16() || element.is_bf16() => Some(16),
        () => None,
    }
}
