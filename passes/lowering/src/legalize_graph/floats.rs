//! Operations on floats that take several TensorFlow operations. The results are bit-exact: zeros
//! keep their signs, and NaN stays NaN.
//!
//! ```text
//!   arith.maximumf %a, %b     a > b ? a : a < b ? b : a == b ? (bits of a) & (bits of b) : a + b
//!   math.round %x             |x - trunc(x)| >= 1/2 ? trunc(x) + sign(x) : trunc(x)
//!   math.copysign %a, %b      (bits of a) & 01..1 | (bits of b) & 10..0
//! ```
//!
//! Equal floats have the same bits, except for zeros of different signs: of those, `&` selects 0
//! and `|` selects -0. TensorFlow's `Maximum` returns the first of two zeros, and its `Round`
//! rounds half to even.

use melior::ir::{Type, TypeLike};
use tfx_graphdef_mlir::types;
use tfx_ir::Value;

use super::tensor_builder::TensorBuilder;

/// The greater or the smaller one of two floats.
#[derive(Clone, Copy)]
pub(super) enum Extremum {
    Maximum,
    Minimum,
}

/// Each method returns `None` for float types that it does not support.
impl<'a> TensorBuilder<'a> {
    /// Builds the extremum of two floats. -0 is less than 0; NaN if one of them is NaN.
    pub(super) fn extremum(
        &mut self,
        which: Extremum,
        a: Value<'a>,
        b: Value<'a>,
        ty: Type<'a>,
    ) -> Option<Value<'a>> {
        let (first, second, bits) = match which {
            Extremum::Maximum => ("Greater", "Less", "BitwiseAnd"),
            Extremum::Minimum => ("Less", "Greater", "BitwiseOr"),
        };
        let (a_bits, b_bits) = (self.float_bits(a)?, self.float_bits(b)?);
        let tie = self.tf_op(bits, &[a_bits, b_bits], a_bits.ty());
        let tie = self.bitcast(tie, types::element_type(ty));
        let nan = self.tf_op("AddV2", &[a, b], ty);
        let is_equal = self.test("Equal", &[a, b]);
        let neither = self.tf_op("SelectV2", &[is_equal, tie, nan], ty);
        let is_b = self.test(second, &[a, b]);
        let not_a = self.tf_op("SelectV2", &[is_b, b, neither], ty);
        let is_a = self.test(first, &[a, b]);
        Some(self.tf_op("SelectV2", &[is_a, a, not_a], ty))
    }

    /// Builds the extremum of two floats; the other one if one is NaN.
    pub(super) fn number_extremum(
        &mut self,
        which: Extremum,
        a: Value<'a>,
        b: Value<'a>,
        ty: Type<'a>,
    ) -> Option<Value<'a>> {
        let (nan_a, nan_b) = (self.test("IsNan", &[a]), self.test("IsNan", &[b]));
        let both = self.extremum(which, a, b, ty)?;
        let with_a = self.tf_op("SelectV2", &[nan_b, a, both], ty);
        Some(self.tf_op("SelectV2", &[nan_a, b, with_a], ty))
    }

    /// Builds the magnitude of one float with the sign of another one.
    pub(super) fn copy_sign(
        &mut self,
        magnitude: Value<'a>,
        sign: Value<'a>,
        ty: Type<'a>,
    ) -> Option<Value<'a>> {
        let (magnitude, sign) = (self.float_bits(magnitude)?, self.float_bits(sign)?);
        let element = types::element_type(magnitude.ty());
        let lowest = i64::MIN >> (i64::BITS - types::width(element)?);
        let sign_bit = self.integer(lowest, element);
        let other_bits = self.integer(!lowest, element);
        let magnitude = self.tf_op("BitwiseAnd", &[magnitude, other_bits], magnitude.ty());
        let sign = self.tf_op("BitwiseAnd", &[sign, sign_bit], sign.ty());
        let both = self.tf_op("BitwiseOr", &[magnitude, sign], magnitude.ty());
        Some(self.bitcast(both, types::element_type(ty)))
    }

    /// Builds the error function, which is 1 or -1 for infinities; TensorFlow's is NaN for those of
    /// type `f64`.
    pub(super) fn error_function(&mut self, a: Value<'a>, ty: Type<'a>) -> Value<'a> {
        let is_infinite = self.test("IsInf", &[a]);
        let sign = self.tf_op("Sign", &[a], ty);
        let finite = self.tf_op("Erf", &[a], ty);
        self.tf_op("SelectV2", &[is_infinite, sign, finite], ty)
    }

    /// Rounds toward zero.
    pub(super) fn round_to_zero(&mut self, a: Value<'a>, ty: Type<'a>) -> Value<'a> {
        let zero = self.float(0.0, types::element_type(ty));
        let negative = self.test("Less", &[a, zero]);
        let (up, down) = (self.tf_op("Ceil", &[a], ty), self.tf_op("Floor", &[a], ty));
        self.tf_op("SelectV2", &[negative, up, down], ty)
    }

    /// Rounds to the nearest integer, half away from zero. The difference from the truncated float
    /// is exact.
    pub(super) fn round_half_away(&mut self, a: Value<'a>, ty: Type<'a>) -> Value<'a> {
        let whole = self.round_to_zero(a, ty);
        let fraction = self.tf_op("Sub", &[a, whole], ty);
        let fraction = self.tf_op("Abs", &[fraction], ty);
        let half = self.float(0.5, types::element_type(ty));
        let is_far = self.test("GreaterEqual", &[fraction, half]);
        let sign = self.tf_op("Sign", &[a], ty);
        let next = self.tf_op("AddV2", &[whole, sign], ty);
        self.tf_op("SelectV2", &[is_far, next, whole], ty)
    }

    /// Tests whether a float is neither zero, subnormal, infinite nor NaN.
    pub(super) fn is_normal(&mut self, a: Value<'a>) -> Option<Value<'a>> {
        let element = types::element_type(a.ty());
        let smallest = match float_width(element)? {
            32 => f32::MIN_POSITIVE.into(),
            64 => f64::MIN_POSITIVE,
            _ => return None,
        };
        let magnitude = self.tf_op("Abs", &[a], a.ty());
        let smallest = self.float(smallest, element);
        let is_large = self.test("GreaterEqual", &[magnitude, smallest]);
        let is_finite = self.test("IsFinite", &[a]);
        Some(self.test("LogicalAnd", &[is_large, is_finite]))
    }

    /// Reinterprets floats as integers of the same width.
    fn float_bits(&mut self, value: Value<'a>) -> Option<Value<'a>> {
        let integer = self.integer_type(float_width(types::element_type(value.ty()))?);
        Some(self.bitcast(value, integer))
    }
}

/// Returns the width of a float type that TensorFlow can reinterpret as an integer type.
fn float_width(element: Type<'_>) -> Option<u32> {
    match () {
        () if element.is_f64() => Some(64),
        () if element.is_f32() => Some(32),
        () if element.is_f16() || element.is_bf16() => Some(16),
        () => None,
    }
}
