//! The conversion of operations of `arith`, `math` and `index` to TensorFlow operations.
//!
//! ```text
//! arith.addi          AddV2
//! arith.divui         Bitcast(TruncateDiv(Bitcast a, Bitcast b))   TensorFlow has unsigned types
//! arith.cmpf ugt      LogicalOr(Greater(a, b), one is NaN)         its comparisons are ordered
//! arith.divsi         TruncateDiv(a, fits ? b : 0)                 fails as on the host, else wraps
//! arith.addi : i1     NotEqual                                     one bit is a boolean
//! ```
//!
//! Operations on tensors are converted in the same way, because TensorFlow's are elementwise. If
//! MLIR does not define a result (a shift by more than the width), TensorFlow's result is as valid
//! as any other. `ir/src/scalar_ops.rs` lists all operations, and names the TensorFlow operation if
//! a single one implements them; this file and `floats.rs` convert the others.

use melior::ir::Type;
use melior::ir::attribute::{DenseElementsAttribute, FloatAttribute, IntegerAttribute};
use tfx_graphdef_mlir::types;
use tfx_ir::ops::arith::{self, CmpFPredicate, CmpIPredicate};
use tfx_ir::ops::{index, math};
use tfx_ir::scalar_ops::{self, Translation};
use tfx_ir::{Op, Value};

use super::floats::Extremum;
use super::tensor_builder::TensorBuilder;

/// Converts an operation with one result; `None` if TensorFlow has no equivalent.
pub(super) fn convert<'a>(
    op: Op<'a>,
    operands: &[Value<'a>],
    builder: &mut TensorBuilder<'a>,
) -> Option<Value<'a>> {
    if op.num_results() != 1 || op.num_regions() != 0 {
        return None;
    }
    let ty = types::tensor_type(op.context(), op.result(0).ty());
    let row = scalar_ops::find(op.name());
    if let Some(Translation::Same(name)) = row.map(|row| row.translation) {
        return Some(builder.tf_op(name, operands, ty));
    }
    match *operands {
        [] => builder.constant_of(op, ty),
        [a] => builder.unary(op, a, ty),
        [a, b] if is_bool(a.ty()) => builder.boolean_op(op, a, b, ty),
        [a, b] => builder.binary(op, a, b, ty),
        [a, b, c] if op.isa::<arith::Select>() => Some(builder.tf_op("SelectV2", &[a, b, c], ty)),
        [value, low, high] if op.isa::<math::ClampF>() => {
            let capped = builder.extremum(Extremum::Minimum, value, high, ty)?;
            builder.extremum(Extremum::Maximum, capped, low, ty)
        }
        _ => None,
    }
}

impl<'a> TensorBuilder<'a> {
    fn constant_of(&mut self, op: Op<'a>, ty: Type<'a>) -> Option<Value<'a>> {
        let value = op.constant_value()?;
        if DenseElementsAttribute::try_from(value).is_ok() {
            return Some(self.constant(value, ty));
        }
        let element = match IntegerAttribute::try_from(value) {
            // An index becomes an integer.
            Ok(integer) => IntegerAttribute::new(types::element_type(ty), integer.value()).into(),
            Err(_) => FloatAttribute::try_from(value).ok()?.into(),
        };
        Some(self.splat(element, ty))
    }

    fn unary(&mut self, op: Op<'a>, a: Value<'a>, ty: Type<'a>) -> Option<Value<'a>> {
        let element = types::element_type(ty);
        Some(match op.name() {
            arith::ExtF::NAME | arith::TruncF::NAME => self.cast(a, element),
            arith::Bitcast::NAME if is_bool(a.ty()) => a,
            arith::Bitcast::NAME => self.bitcast(a, element),
            arith::ExtSI::NAME | arith::SIToFP::NAME => self.cast_signed(a, element),
            arith::ExtUI::NAME | arith::UIToFP::NAME => {
                let a = self.unsigned(a)?;
                self.cast(a, element)
            }
            arith::FPToSI::NAME if !is_bool(ty) => self.cast(a, element),
            arith::FPToUI::NAME if !is_bool(ty) => {
                let number_type = self.unsigned_type(types::width(element)?);
                let number = self.cast(a, number_type);
                self.bitcast(number, element)
            }
            arith::TruncI::NAME => self.truncate(a, ty),
            arith::IndexCast::NAME | index::CastS::NAME => self.index_cast(a, ty, true)?,
            arith::IndexCastUI::NAME | index::CastU::NAME => self.index_cast(a, ty, false)?,
            math::CtPop::NAME => self.population_count(a),
            math::CountTrailingZeros::NAME => {
                // Counts the bits below the lowest set bit.
                let one = self.integer(1, element);
                let less = self.tf_op("Sub", &[a, one], ty);
                let others = self.tf_op("Invert", &[a], ty);
                let below = self.tf_op("BitwiseAnd", &[less, others], ty);
                self.population_count(below)
            }
            math::CountLeadingZeros::NAME => self.count_leading_zeros(a)?,
            math::Erf::NAME => self.error_function(a, ty),
            math::Exp2::NAME => {
                let two = self.float(2.0, element);
                self.tf_op("Pow", &[two, a], ty)
            }
            math::Log2::NAME => self.logarithm(std::f64::consts::LN_2, a, ty),
            math::Log10::NAME => self.logarithm(std::f64::consts::LN_10, a, ty),
            math::Trunc::NAME => self.round_to_zero(a, ty),
            math::Round::NAME => self.round_half_away(a, ty),
            math::IsNormal::NAME => self.is_normal(a)?,
            _ => return None,
        })
    }

    /// Counts the set bits of each element.
    fn population_count(&mut self, a: Value<'a>) -> Value<'a> {
        // The operation returns bytes.
        let counts = types::with_element(self.context(), a.ty(), self.unsigned_type(8));
        let count = self.tf_op("PopulationCount", &[a], counts);
        self.cast(count, types::element_type(a.ty()))
    }

    /// Counts the zeros above the highest set bit: the clear bits after all bits below it are set.
    fn count_leading_zeros(&mut self, a: Value<'a>) -> Option<Value<'a>> {
        let element = types::element_type(a.ty());
        let bits = types::width(element)?;
        let mut filled = self.unsigned(a)?;
        let (ty, unsigned_element) = (filled.ty(), types::element_type(filled.ty()));
        let mut distance = 1;
        while distance < bits {
            let amount = self.integer(distance.into(), unsigned_element);
            let shifted = self.tf_op("RightShift", &[filled, amount], ty);
            filled = self.tf_op("BitwiseOr", &[filled, shifted], ty);
            distance *= 2;
        }
        let zeros = self.tf_op("Invert", &[filled], ty);
        let zeros = self.bitcast(zeros, element);
        Some(self.population_count(zeros))
    }

    /// Converts a signed integer. A set bit is -1 as a signed number, but TensorFlow casts it to 1;
    /// it is subtracted from 0, because the negation of the float 0 is -0.
    fn cast_signed(&mut self, a: Value<'a>, element: Type<'a>) -> Value<'a> {
        let number = self.cast(a, element);
        if !is_bool(a.ty()) {
            return number;
        }
        let zero = self.number_zero(element);
        self.tf_op("Sub", &[zero, number], number.ty())
    }

    fn logarithm(&mut self, log_of_base: f64, a: Value<'a>, ty: Type<'a>) -> Value<'a> {
        let natural = self.tf_op("Log", &[a], ty);
        let base = self.float(log_of_base, types::element_type(ty));
        self.tf_op("RealDiv", &[natural, base], ty)
    }

    /// Returns the low bits. A cast to a boolean tests all bits, so the lowest one is extracted.
    fn truncate(&mut self, a: Value<'a>, ty: Type<'a>) -> Value<'a> {
        let mut low = a;
        if is_bool(ty) {
            let one = self.integer(1, types::element_type(a.ty()));
            low = self.tf_op("BitwiseAnd", &[a, one], a.ty());
        }
        self.cast(low, types::element_type(ty))
    }

    /// Converts between `index` and an integer of any width.
    fn index_cast(&mut self, a: Value<'a>, ty: Type<'a>, signed: bool) -> Option<Value<'a>> {
        let (from, to) = (types::element_type(a.ty()), types::element_type(ty));
        Some(match types::width(to)?.cmp(&types::width(from)?) {
            std::cmp::Ordering::Less => self.truncate(a, ty),
            std::cmp::Ordering::Equal => a,
            std::cmp::Ordering::Greater if signed => self.cast_signed(a, to),
            std::cmp::Ordering::Greater => {
                let a = self.unsigned(a)?;
                self.cast(a, to)
            }
        })
    }

    /// Converts an operation on two integers or floats.
    fn binary(
        &mut self,
        op: Op<'a>,
        a: Value<'a>,
        mut b: Value<'a>,
        ty: Type<'a>,
    ) -> Option<Value<'a>> {
        if may_overflow(op) {
            b = self.failing_divisor(a, b);
        }
        match scalar_ops::find(op.name()).map(|row| row.translation) {
            Some(Translation::Numbers(name)) => Some(self.tf_op(name, &[a, b], ty)),
            _ => self.compound(op, a, b, ty),
        }
    }

    /// Returns the divisor, or zero if the quotient overflows: TensorFlow would wrap silently, but
    /// the host fails.
    fn failing_divisor(&mut self, a: Value<'a>, b: Value<'a>) -> Value<'a> {
        let element = types::element_type(b.ty());
        let Some(bits) = types::width(element).filter(|bits| *bits <= i64::BITS) else {
            return b;
        };
        let least = self.integer(i64::MIN >> (i64::BITS - bits), element);
        let minus_one = self.integer(-1, element);
        let zero = self.integer(0, element);
        let is_least = self.test("Equal", &[a, least]);
        let is_minus_one = self.test("Equal", &[b, minus_one]);
        let overflows = self.tf_op("LogicalAnd", &[is_least, is_minus_one], is_minus_one.ty());
        self.tf_op("SelectV2", &[overflows, zero, b], b.ty())
    }

    /// Converts an operation that takes several TensorFlow operations.
    fn compound(
        &mut self,
        op: Op<'a>,
        a: Value<'a>,
        b: Value<'a>,
        ty: Type<'a>,
    ) -> Option<Value<'a>> {
        match scalar_ops::arith_name(op.name()) {
            arith::DivUI::NAME => self.on_unsigned("TruncateDiv", a, b),
            // For unsigned numbers, TensorFlow has only this remainder; both are the same.
            arith::RemUI::NAME => self.on_unsigned("FloorMod", a, b),
            arith::ShRUI::NAME => self.on_unsigned("RightShift", a, b),
            arith::MaxUI::NAME => self.on_unsigned("Maximum", a, b),
            arith::MinUI::NAME => self.on_unsigned("Minimum", a, b),
            arith::RemSI::NAME => Some(self.remainder(a, b, ty)),
            arith::CeilDivSI::NAME => Some(self.ceil_div(a, b)),
            arith::CeilDivUI::NAME => {
                let (a, b) = (self.unsigned(a)?, self.unsigned(b)?);
                let quotient = self.ceil_div(a, b);
                Some(self.bitcast(quotient, types::element_type(ty)))
            }
            arith::MaximumF::NAME => self.extremum(Extremum::Maximum, a, b, ty),
            arith::MinimumF::NAME => self.extremum(Extremum::Minimum, a, b, ty),
            arith::MaxNumF::NAME => self.number_extremum(Extremum::Maximum, a, b, ty),
            arith::MinNumF::NAME => self.number_extremum(Extremum::Minimum, a, b, ty),
            math::CopySign::NAME => self.copy_sign(a, b, ty),
            arith::CmpI::NAME => self.compare_integers(arith::CmpI::cast(op)?.predicate(), a, b),
            arith::CmpF::NAME => {
                Some(self.compare_floats(arith::CmpF::cast(op)?.predicate(), a, b))
            }
            _ => None,
        }
    }

    /// Applies an operation to integers as unsigned numbers.
    fn on_unsigned(&mut self, operation: &str, a: Value<'a>, b: Value<'a>) -> Option<Value<'a>> {
        let element = types::element_type(a.ty());
        let (a, b) = (self.unsigned(a)?, self.unsigned(b)?);
        let result = self.tf_op(operation, &[a, b], a.ty());
        Some(self.bitcast(result, element))
    }

    fn remainder(&mut self, a: Value<'a>, b: Value<'a>, ty: Type<'a>) -> Value<'a> {
        let element = types::element_type(ty);
        if types::width(element).is_none_or(|bits| bits >= REMAINDER_BITS) {
            return self.tf_op("TruncateMod", &[a, b], ty);
        }
        let wide = self.integer_type(REMAINDER_BITS);
        let (a, b) = (self.cast(a, wide), self.cast(b, wide));
        let result = self.tf_op("TruncateMod", &[a, b], a.ty());
        self.cast(result, element)
    }

    /// Returns the quotient rounded up: rounded down, plus 1 unless the remainder is 0. No
    /// intermediate result overflows.
    fn ceil_div(&mut self, a: Value<'a>, b: Value<'a>) -> Value<'a> {
        let element = types::element_type(a.ty());
        let quotient = self.tf_op("FloorDiv", &[a, b], a.ty());
        let rest = self.tf_op("FloorMod", &[a, b], a.ty());
        let zero = self.number_zero(element);
        let is_inexact = self.test("NotEqual", &[rest, zero]);
        let one_more = self.cast(is_inexact, element);
        self.tf_op("AddV2", &[quotient, one_more], a.ty())
    }

    fn compare_integers(
        &mut self,
        predicate: CmpIPredicate,
        a: Value<'a>,
        b: Value<'a>,
    ) -> Option<Value<'a>> {
        let (operation, is_unsigned) = comparison(predicate);
        let (a, b) = match is_unsigned {
            true => (self.unsigned(a)?, self.unsigned(b)?),
            false => (a, b),
        };
        Some(self.test(operation, &[a, b]))
    }

    /// Tests whether one integer is less than another one, as unsigned numbers.
    pub(super) fn unsigned_less(&mut self, a: Value<'a>, b: Value<'a>) -> Value<'a> {
        self.compare_integers(CmpIPredicate::Ult, a, b)
            .expect("a counter is an integer")
    }

    /// Compares floats. TensorFlow's comparisons are ordered, except for `NotEqual`.
    ///
    /// An unordered comparison cannot be the negation of an ordered one: TensorFlow's optimizer
    /// replaces `LogicalNot(LessEqual(a, b))` by `Greater(a, b)`, which is wrong for NaN.
    fn compare_floats(
        &mut self,
        predicate: CmpFPredicate,
        a: Value<'a>,
        b: Value<'a>,
    ) -> Value<'a> {
        use CmpFPredicate::{
            AlwaysFalse, AlwaysTrue, Oeq, Oge, Ogt, Ole, Olt, One, Ord, Ueq, Uge, Ugt, Ule, Ult,
            Une, Uno,
        };
        let ordered = match predicate {
            Oeq | Ueq => self.test("Equal", &[a, b]),
            Ogt | Ugt => self.test("Greater", &[a, b]),
            Oge | Uge => self.test("GreaterEqual", &[a, b]),
            Olt | Ult => self.test("Less", &[a, b]),
            Ole | Ule => self.test("LessEqual", &[a, b]),
            One => {
                let (less, greater) = (self.test("Less", &[a, b]), self.test("Greater", &[a, b]));
                return self.test("LogicalOr", &[less, greater]);
            }
            Ord => {
                let (is_a, is_b) = (self.test("Equal", &[a, a]), self.test("Equal", &[b, b]));
                return self.test("LogicalAnd", &[is_a, is_b]);
            }
            Une => return self.test("NotEqual", &[a, b]),
            // A constant of the right sizes is a comparison of any boolean with itself.
            AlwaysFalse | AlwaysTrue | Uno => {
                let equal = self.test("Equal", &[a, b]);
                let is_true = predicate == AlwaysTrue;
                self.test(if is_true { "Equal" } else { "NotEqual" }, &[equal, equal])
            }
        };
        if !matches!(predicate, Ueq | Ugt | Uge | Ult | Ule | Uno) {
            return ordered;
        }
        let (nan_a, nan_b) = (
            self.test("NotEqual", &[a, a]),
            self.test("NotEqual", &[b, b]),
        );
        let unordered = self.test("LogicalOr", &[nan_a, nan_b]);
        self.test("LogicalOr", &[ordered, unordered])
    }

    /// Converts an operation on one bit, which is a boolean in TensorFlow. A set bit is -1 as a
    /// signed number, so the signed order is the reverse of the unsigned one.
    fn boolean_op(
        &mut self,
        op: Op<'a>,
        a: Value<'a>,
        b: Value<'a>,
        ty: Type<'a>,
    ) -> Option<Value<'a>> {
        let operation = match op.name() {
            arith::AndI::NAME | arith::MulI::NAME | arith::MinUI::NAME | arith::MaxSI::NAME => {
                "LogicalAnd"
            }
            arith::OrI::NAME | arith::MaxUI::NAME | arith::MinSI::NAME => "LogicalOr",
            arith::XOrI::NAME | arith::AddI::NAME | arith::SubI::NAME => "NotEqual",
            _ => {
                let (operation, is_unsigned) = comparison(arith::CmpI::cast(op)?.predicate());
                if matches!(operation, "Equal" | "NotEqual") {
                    return Some(self.tf_op(operation, &[a, b], ty));
                }
                let number = self.unsigned_type(8);
                let (a, b) = (self.cast(a, number), self.cast(b, number));
                let operands = if is_unsigned { [a, b] } else { [b, a] };
                return Some(self.tf_op(operation, &operands, ty));
            }
        };
        Some(self.tf_op(operation, &[a, b], ty))
    }

    /// Reinterprets an integer as an unsigned number. One bit is unchanged, since TensorFlow casts
    /// booleans as unsigned numbers.
    fn unsigned(&mut self, value: Value<'a>) -> Option<Value<'a>> {
        if is_bool(value.ty()) {
            return Some(value);
        }
        let element = self.unsigned_type(types::width(types::element_type(value.ty()))?);
        Some(self.bitcast(value, element))
    }
}

/// Returns whether an operation is a division that may have no value although its divisor is not
/// zero: the minimum value divided by -1.
fn may_overflow(op: Op<'_>) -> bool {
    let is_signed = matches!(
        scalar_ops::arith_name(op.name()),
        arith::DivSI::NAME | arith::RemSI::NAME | arith::FloorDivSI::NAME | arith::CeilDivSI::NAME
    );
    let divisor = || op.operand(arith::DivSI::RHS_INDEX).constant_int();
    is_signed && divisor().is_none_or(|divisor| divisor == -1)
}

/// The least width for which TensorFlow has a kernel of the truncating remainder.
const REMAINDER_BITS: u32 = 32;

/// Returns the TensorFlow operation of a comparison, and whether it compares unsigned numbers.
fn comparison(predicate: CmpIPredicate) -> (&'static str, bool) {
    match predicate {
        CmpIPredicate::Eq => ("Equal", false),
        CmpIPredicate::Ne => ("NotEqual", false),
        CmpIPredicate::Slt => ("Less", false),
        CmpIPredicate::Sle => ("LessEqual", false),
        CmpIPredicate::Sgt => ("Greater", false),
        CmpIPredicate::Sge => ("GreaterEqual", false),
        CmpIPredicate::Ult => ("Less", true),
        CmpIPredicate::Ule => ("LessEqual", true),
        CmpIPredicate::Ugt => ("Greater", true),
        CmpIPredicate::Uge => ("GreaterEqual", true),
    }
}

fn is_bool(ty: Type<'_>) -> bool {
    types::width(types::element_type(ty)) == Some(1)
}
