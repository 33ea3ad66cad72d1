//! Functions of single elements, and their code.
//!
//! ```text
//! Function::SquaredDifference, %x, %y  ──►  %d = subf %x, %y   mulf %d, %d
//! ```
//!
//! The code computes what the kernels of `interpreter/src/kernels` compute, operation by operation:
//! integers wrap, `Maximum` propagates NaN, conversions to integers saturate. Elementary functions
//! of `f32` are those of `elementary.rs`; others are calls of C's library.

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use tfx_ir::ops::arith::{self, CmpFPredicate, CmpIPredicate};
use tfx_ir::ops::math;
use tfx_ir::{Builder, Value};

use crate::element::Element;
use crate::elementary::Elementary;
use crate::random::Distribution;

/// A function of one element of each operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Function {
    Abs,
    Acos,
    Acosh,
    Add,
    And,
    Asin,
    Asinh,
    Atan,
    Atan2,
    Atanh,
    Cast(Element),
    Ceil,
    Clip,
    Cos,
    Cosh,
    Div,
    DivNoNan,
    Elu,
    EluGrad,
    Equal,
    Erf,
    Erfc,
    Exp,
    /// The exponential of a number that is at most 0, or NaN; 0 if it is below the normal numbers.
    ExpOfNonPositive,
    Expm1,
    Floor,
    FloorDiv,
    FloorMod,
    /// The quotient of floats, rounded down.
    FloorQuotient,
    /// The remainder of floats, with the sign of the divisor.
    FloorRemainder,
    Greater,
    GreaterEqual,
    Invert,
    IsFinite,
    IsInf,
    IsNan,
    /// With the slope for negative numbers, as the bits of an `f32`.
    LeakyRelu(u32),
    LeakyReluGrad(u32),
    LeftShift,
    Less,
    LessEqual,
    Log,
    Log1p,
    LogicalNot,
    Maximum,
    Minimum,
    Mul,
    MulNoNan,
    Neg,
    NotEqual,
    One,
    Or,
    Pow,
    /// The random number of a type for a seed, its two words, and a position.
    Random(Distribution, Element),
    Reciprocal,
    ReciprocalGrad,
    Relu,
    Relu6,
    Relu6Grad,
    ReluGrad,
    /// The remainder of floats, with the sign of the dividend.
    Remainder,
    RightShift,
    Rint,
    Rsqrt,
    RsqrtGrad,
    Select,
    Selu,
    SeluGrad,
    Sigmoid,
    SigmoidGrad,
    Sign,
    Sin,
    Sinh,
    Softplus,
    SoftplusGrad,
    Softsign,
    SoftsignGrad,
    Sqrt,
    SqrtGrad,
    Square,
    SquaredDifference,
    Sub,
    Tan,
    Tanh,
    TanhGrad,
    TruncateDiv,
    TruncateMod,
    Xdivy,
    Xlog1py,
    Xlogy,
    Xor,
    Zero,
}

impl Function {
    /// Returns whether this is a division of integers, by a divisor that must not be 0.
    pub(crate) fn divides(self) -> bool {
        matches!(
            self,
            Function::FloorDiv | Function::FloorMod | Function::TruncateDiv | Function::TruncateMod
        )
    }

    /// Returns whether the code for floats of a type calls a function of C's library, which devices
    /// do not have. Their remainders of floats are not exact.
    pub(crate) fn calls_library(self, element: Element) -> bool {
        match self {
            Function::Erf | Function::Erfc | Function::Random(Distribution::Normal, _) => {
                element == Element::F64
            }
            Function::Acos
            | Function::Acosh
            | Function::Asin
            | Function::Asinh
            | Function::Atan
            | Function::Atan2
            | Function::Atanh
            | Function::Cos
            | Function::Cosh
            | Function::FloorRemainder
            | Function::Pow
            | Function::Remainder
            | Function::Sin
            | Function::Sinh
            | Function::Tan => true,
            _ => false,
        }
    }

    /// Returns the element type of the result for operands of these types.
    pub(crate) fn result(self, operands: &[Element]) -> Element {
        match self {
            Function::Equal
            | Function::NotEqual
            | Function::Less
            | Function::LessEqual
            | Function::Greater
            | Function::GreaterEqual
            | Function::IsFinite
            | Function::IsInf
            | Function::IsNan => Element::Bool,
            Function::Cast(to) | Function::Random(_, to) => to,
            Function::Select => operands[1],
            _ => operands[0],
        }
    }
}

/// A number as a constant: its bits, of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Constant {
    pub(crate) element: Element,
    /// The bits of a float of its width, or an integer.
    pub(crate) bits: u64,
}

impl Constant {
    /// Returns a small integer as a number of any type.
    pub(crate) fn number(element: Element, value: i32) -> Self {
        let bits = match element {
            Element::F32 => u64::from((value as f32).to_bits()),
            Element::F64 => f64::from(value).to_bits(),
            _ => i64::from(value) as u64,
        };
        Constant { element, bits }
    }

    /// Returns a float rounded to an element type of floats.
    pub(crate) fn float(element: Element, value: f64) -> Self {
        let bits = match element {
            Element::F32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        Constant { element, bits }
    }

    /// Builds the constant.
    pub(crate) fn build<'a>(self, builder: &mut Builder<'a>) -> Value<'a> {
        let context: &'a Context = builder.context();
        let ty = self.element.value_type(context);
        match self.element {
            Element::F32 => {
                let value = f32::from_bits(self.bits as u32);
                builder.constant(FloatAttribute::new(context, ty, value.into()), ty)
            }
            Element::F64 => {
                let value = f64::from_bits(self.bits);
                builder.constant(FloatAttribute::new(context, ty, value), ty)
            }
            Element::Bool => builder.constant_bool(self.bits != 0),
            _ => builder.constant(IntegerAttribute::new(ty, self.bits as i64), ty),
        }
    }
}

/// Builds the code of functions at one place.
pub(crate) struct Scalars<'b, 'a> {
    pub(crate) builder: &'b mut Builder<'a>,
    /// True if elementary functions may fuse multiplications and additions.
    pub(crate) fuses: bool,
}

impl<'a> Scalars<'_, 'a> {
    /// Builds a function of operands of these types.
    pub(crate) fn apply(
        &mut self,
        function: Function,
        elements: &[Element],
        operands: &[Value<'a>],
    ) -> Value<'a> {
        let element = elements[0];
        let x = operands[0];
        if let Some(&y) = operands.get(1) {
            return self.of_several(function, element, x, y, operands);
        }
        let one = |this: &mut Self| Constant::number(element, 1).build(this.builder);
        match function {
            Function::Abs if element.is_float() => math::AbsF::build(self.builder, x).result(),
            Function::Abs => {
                let (zero, negated) = (self.number(element, 0), self.negated(element, x));
                let is_negative = self.compare(element, Order::Less, x, zero);
                self.select(is_negative, negated, x)
            }
            Function::Ceil => math::Ceil::build(self.builder, x).result(),
            Function::Floor => math::Floor::build(self.builder, x).result(),
            Function::Rint => math::RoundEven::build(self.builder, x).result(),
            Function::Cos => math::Cos::build(self.builder, x).result(),
            Function::Sin => math::Sin::build(self.builder, x).result(),
            Function::Exp => self.exp(element, x),
            Function::ExpOfNonPositive => self.elementary(element).exp_of_non_positive(x),
            Function::Log => self.log(element, x),
            Function::Tan => math::Tan::build(self.builder, x).result(),
            Function::Asin => math::Asin::build(self.builder, x).result(),
            Function::Acos => math::Acos::build(self.builder, x).result(),
            Function::Atan => math::Atan::build(self.builder, x).result(),
            Function::Sinh => math::Sinh::build(self.builder, x).result(),
            Function::Cosh => math::Cosh::build(self.builder, x).result(),
            Function::Asinh => math::Asinh::build(self.builder, x).result(),
            Function::Acosh => math::Acosh::build(self.builder, x).result(),
            Function::Atanh => math::Atanh::build(self.builder, x).result(),
            Function::Erf => match element {
                Element::F32 => self.elementary(element).erf(x),
                _ => math::Erf::build(self.builder, x).result(),
            },
            Function::Erfc => match element {
                Element::F32 => self.elementary(element).erfc(x),
                _ => math::Erfc::build(self.builder, x).result(),
            },
            Function::Expm1 => self.exp_m1(element, x),
            Function::Log1p => self.log_1p(element, x),
            Function::Tanh => self.elementary(element).tanh(x),
            Function::Sqrt => math::Sqrt::build(self.builder, x).result(),
            Function::Rsqrt => {
                let (one, root) = (one(self), math::Sqrt::build(self.builder, x).result());
                arith::DivF::build(self.builder, one, root).result()
            }
            Function::Reciprocal => {
                let one = one(self);
                arith::DivF::build(self.builder, one, x).result()
            }
            Function::Neg => self.negated(element, x),
            Function::Square => self.mul(element, x, x),
            Function::IsNan => arith::CmpF::build(self.builder, CmpFPredicate::Uno, x, x).result(),
            Function::IsInf => self.compare_with_infinity(element, Order::Equal, x),
            Function::IsFinite => self.compare_with_infinity(element, Order::Less, x),
            Function::Sign => self.sign(element, x),
            Function::LogicalNot => {
                let yes = self.builder.constant_bool(true);
                arith::XOrI::build(self.builder, x, yes).result()
            }
            Function::Invert => {
                let ones = self.number(element, -1);
                arith::XOrI::build(self.builder, x, ones).result()
            }
            Function::Cast(to) => self.cast(element, to, x),
            Function::Zero => self.number(element, 0),
            Function::One => self.number(element, 1),
            _ => self.activation(function, element, x),
        }
    }

    fn of_several(
        &mut self,
        function: Function,
        element: Element,
        x: Value<'a>,
        y: Value<'a>,
        operands: &[Value<'a>],
    ) -> Value<'a> {
        match function {
            Function::Add => self.add(element, x, y),
            Function::Sub => self.sub(element, x, y),
            Function::Mul => self.mul(element, x, y),
            Function::Div => arith::DivF::build(self.builder, x, y).result(),
            Function::DivNoNan => {
                let quotient = arith::DivF::build(self.builder, x, y).result();
                self.unless_zero(element, y, quotient)
            }
            Function::MulNoNan => {
                let product = self.mul(element, x, y);
                self.unless_zero(element, y, product)
            }
            Function::Maximum => self.maximum(element, x, y),
            Function::Minimum => self.extremum(element, Order::Less, x, y),
            Function::SquaredDifference => {
                let difference = self.sub(element, x, y);
                self.mul(element, difference, difference)
            }
            Function::Pow => math::PowF::build(self.builder, x, y).result(),
            Function::And => arith::AndI::build(self.builder, x, y).result(),
            Function::Or => arith::OrI::build(self.builder, x, y).result(),
            Function::Xor => arith::XOrI::build(self.builder, x, y).result(),
            Function::Less => self.compare(element, Order::Less, x, y),
            Function::LessEqual => self.compare(element, Order::LessEqual, x, y),
            Function::Greater => self.compare(element, Order::Less, y, x),
            Function::GreaterEqual => self.compare(element, Order::LessEqual, y, x),
            Function::Equal => self.compare(element, Order::Equal, x, y),
            Function::NotEqual => self.compare(element, Order::NotEqual, x, y),
            Function::Select => self.select(x, y, operands[2]),
            Function::Clip => {
                let capped = self.extremum(element, Order::Less, x, operands[2]);
                self.maximum(element, capped, y)
            }
            Function::Xlogy => {
                let logarithm = self.log(element, y);
                let product = self.mul(element, x, logarithm);
                self.unless_zero(element, x, product)
            }
            Function::Xlog1py => {
                let logarithm = self.log_1p(element, y);
                let product = self.mul(element, x, logarithm);
                self.unless_zero(element, x, product)
            }
            Function::Xdivy => {
                let quotient = arith::DivF::build(self.builder, x, y).result();
                self.unless_zero(element, x, quotient)
            }
            Function::Random(distribution, to) => {
                self.random(distribution, to, [x, y], operands[2])
            }
            Function::Atan2 => math::Atan2::build(self.builder, x, y).result(),
            Function::FloorQuotient => {
                let quotient = arith::DivF::build(self.builder, x, y).result();
                math::Floor::build(self.builder, quotient).result()
            }
            Function::Remainder => arith::RemF::build(self.builder, x, y).result(),
            Function::FloorRemainder => {
                let remainder = arith::RemF::build(self.builder, x, y).result();
                let is_above_floor = self.is_above_floor(element, remainder, y);
                let other = self.add(element, remainder, y);
                self.select(is_above_floor, other, remainder)
            }
            Function::LeftShift => {
                let by = self.shift(element, y);
                arith::ShLI::build(self.builder, x, by).result()
            }
            Function::RightShift => {
                let by = self.shift(element, y);
                arith::ShRSI::build(self.builder, x, by).result()
            }
            Function::TruncateDiv => self.divide(element, x, y).quotient,
            Function::TruncateMod => self.divide(element, x, y).remainder,
            Function::FloorDiv => {
                let division = self.divide(element, x, y);
                let one = self.number(element, 1);
                let less = self.sub(element, division.quotient, one);
                self.select(division.is_above_floor, less, division.quotient)
            }
            Function::FloorMod => {
                let division = self.divide(element, x, y);
                let other = self.add(element, division.remainder, y);
                self.select(division.is_above_floor, other, division.remainder)
            }
            _ => self.slope(function, element, x, y),
        }
    }

    pub(crate) fn elementary(&mut self, element: Element) -> Elementary<'_, 'a> {
        Elementary {
            builder: self.builder,
            element,
            fuses: self.fuses,
        }
    }

    pub(crate) fn exp(&mut self, element: Element, x: Value<'a>) -> Value<'a> {
        self.elementary(element).exp(x)
    }

    pub(crate) fn log(&mut self, element: Element, x: Value<'a>) -> Value<'a> {
        self.elementary(element).log(x)
    }

    /// Builds `exp x - 1`, without cancellation: with `u = exp x`, rounded, it is
    /// `(u - 1) x / log u`, in which the error of `u` cancels. MLIR's own conversion subtracts.
    ///
    /// Source: Kahan, as Higham (2002), Accuracy and Stability of Numerical Algorithms, 1.14.1.
    pub(crate) fn exp_m1(&mut self, element: Element, x: Value<'a>) -> Value<'a> {
        let [less, one] = [-1, 1].map(|value| self.number(element, value));
        let power = self.exp(element, x);
        let difference = self.sub(element, power, one);
        let logarithm = self.log(element, power);
        let product = self.mul(element, difference, x);
        let exact = arith::DivF::build(self.builder, product, logarithm).result();
        // Where `u` is 0 or infinite, its logarithm is too.
        let is_infinite = self.compare_with_infinity(element, Order::Equal, power);
        let is_least = self.compare(element, Order::Equal, difference, less);
        let is_far = arith::OrI::build(self.builder, is_infinite, is_least).result();
        let result = self.select(is_far, difference, exact);
        let is_one = self.compare(element, Order::Equal, power, one);
        self.select(is_one, x, result)
    }

    /// Builds `log (1 + x)`, without cancellation: with `u = 1 + x`, rounded, it is
    /// `(log u) x / (u - 1)`. Source: as of [`Self::exp_m1`], problem 1.5.
    pub(crate) fn log_1p(&mut self, element: Element, x: Value<'a>) -> Value<'a> {
        let one = self.number(element, 1);
        let sum = self.add(element, one, x);
        let rounded = self.sub(element, sum, one);
        let logarithm = self.log(element, sum);
        let factor = arith::DivF::build(self.builder, x, rounded).result();
        let exact = self.mul(element, logarithm, factor);
        let is_infinite = self.compare_with_infinity(element, Order::Equal, x);
        let result = self.select(is_infinite, logarithm, exact);
        let is_one = self.compare(element, Order::Equal, sum, one);
        self.select(is_one, x, result)
    }

    /// Multiplies a float by a constant.
    pub(crate) fn times(&mut self, element: Element, x: Value<'a>, factor: f64) -> Value<'a> {
        let factor = Constant::float(element, factor).build(self.builder);
        self.mul(element, x, factor)
    }

    /// Multiplies a float by the constant that these bits of an `f32` are.
    pub(crate) fn scaled(&mut self, element: Element, x: Value<'a>, bits: u32) -> Value<'a> {
        self.times(element, x, f32::from_bits(bits).into())
    }

    /// Compares the magnitude of a float with infinity.
    fn compare_with_infinity(&mut self, element: Element, order: Order, x: Value<'a>) -> Value<'a> {
        let infinity = Constant::float(element, f64::INFINITY).build(self.builder);
        let magnitude = math::AbsF::build(self.builder, x).result();
        self.compare(element, order, magnitude, infinity)
    }

    /// Returns the number of bits by which an integer may be shifted, nearest to `by`.
    fn shift(&mut self, element: Element, by: Value<'a>) -> Value<'a> {
        let most = match element {
            Element::I32 => i32::BITS,
            _ => i64::BITS,
        };
        let (zero, most) = (
            self.number(element, 0),
            self.number(element, most as i32 - 1),
        );
        let positive = self.maximum(element, by, zero);
        self.extremum(element, Order::Less, positive, most)
    }

    pub(crate) fn number(&mut self, element: Element, value: i32) -> Value<'a> {
        Constant::number(element, value).build(self.builder)
    }

    pub(crate) fn add(&mut self, element: Element, x: Value<'a>, y: Value<'a>) -> Value<'a> {
        match element.is_float() {
            true => arith::AddF::build(self.builder, x, y).result(),
            false => arith::AddI::build(self.builder, x, y).result(),
        }
    }

    pub(crate) fn sub(&mut self, element: Element, x: Value<'a>, y: Value<'a>) -> Value<'a> {
        match element.is_float() {
            true => arith::SubF::build(self.builder, x, y).result(),
            false => arith::SubI::build(self.builder, x, y).result(),
        }
    }

    pub(crate) fn mul(&mut self, element: Element, x: Value<'a>, y: Value<'a>) -> Value<'a> {
        match element.is_float() {
            true => arith::MulF::build(self.builder, x, y).result(),
            false => arith::MulI::build(self.builder, x, y).result(),
        }
    }

    pub(crate) fn select(
        &mut self,
        condition: Value<'a>,
        then: Value<'a>,
        otherwise: Value<'a>,
    ) -> Value<'a> {
        arith::Select::build(self.builder, condition, then, otherwise).result()
    }

    /// The larger one, or NaN if one is NaN; of equal ones, the second.
    pub(crate) fn maximum(&mut self, element: Element, x: Value<'a>, y: Value<'a>) -> Value<'a> {
        self.extremum(element, Order::Greater, x, y)
    }

    /// The one that comes first in the order, or NaN if one is NaN; of equal ones, the second.
    pub(crate) fn extremum(
        &mut self,
        element: Element,
        order: Order,
        x: Value<'a>,
        y: Value<'a>,
    ) -> Value<'a> {
        let mut is_first = self.compare(element, order, x, y);
        if element.is_float() {
            let is_nan = arith::CmpF::build(self.builder, CmpFPredicate::Uno, x, x).result();
            is_first = arith::OrI::build(self.builder, is_first, is_nan).result();
        }
        self.select(is_first, x, y)
    }

    pub(crate) fn compare(
        &mut self,
        element: Element,
        order: Order,
        x: Value<'a>,
        y: Value<'a>,
    ) -> Value<'a> {
        let (float, integer) = order.predicates();
        match element.is_float() {
            true => arith::CmpF::build(self.builder, float, x, y).result(),
            false => arith::CmpI::build(self.builder, integer, x, y).result(),
        }
    }

    pub(crate) fn negated(&mut self, element: Element, x: Value<'a>) -> Value<'a> {
        if element.is_float() {
            return arith::NegF::build(self.builder, x).result();
        }
        let zero = self.number(element, 0);
        arith::SubI::build(self.builder, zero, x).result()
    }

    /// Returns 0 if `x` is 0, otherwise the value.
    pub(crate) fn unless_zero(
        &mut self,
        element: Element,
        x: Value<'a>,
        value: Value<'a>,
    ) -> Value<'a> {
        let zero = self.number(element, 0);
        let is_zero = self.compare(element, Order::Equal, x, zero);
        self.select(is_zero, zero, value)
    }

    /// The sign as a number; NaN stays NaN.
    fn sign(&mut self, element: Element, x: Value<'a>) -> Value<'a> {
        let [less, zero, more] = [-1, 0, 1].map(|value| self.number(element, value));
        let is_zero = self.compare(element, Order::Equal, x, zero);
        let other = self.select(is_zero, zero, x);
        let is_negative = self.compare(element, Order::Less, x, zero);
        let not_positive = self.select(is_negative, less, other);
        let is_positive = self.compare(element, Order::Less, zero, x);
        self.select(is_positive, more, not_positive)
    }

    /// Divides integers by a divisor that is not zero. The lowest integer divided by -1 wraps.
    fn divide(&mut self, element: Element, x: Value<'a>, y: Value<'a>) -> Division<'a> {
        let [less, one] = [-1, 1].map(|value| self.number(element, value));
        let negates = self.compare(element, Order::Equal, y, less);
        let divisor = self.select(negates, one, y);
        let negated = self.negated(element, x);
        let quotient = arith::DivSI::build(self.builder, x, divisor).result();
        let quotient = self.select(negates, negated, quotient);
        let remainder = arith::RemSI::build(self.builder, x, divisor).result();
        let is_above_floor = self.is_above_floor(element, remainder, y);
        Division {
            quotient,
            remainder,
            is_above_floor,
        }
    }

    /// Returns whether a quotient that is rounded to zero is above the exact one rounded down: the
    /// remainder is not zero, and has another sign than the divisor.
    fn is_above_floor(
        &mut self,
        element: Element,
        remainder: Value<'a>,
        divisor: Value<'a>,
    ) -> Value<'a> {
        let zero = self.number(element, 0);
        let is_inexact = self.compare(element, Order::NotEqual, remainder, zero);
        let below = self.compare(element, Order::Less, remainder, zero);
        let divisor_below = self.compare(element, Order::Less, divisor, zero);
        let differ = arith::XOrI::build(self.builder, below, divisor_below).result();
        arith::AndI::build(self.builder, is_inexact, differ).result()
    }

    fn cast(&mut self, from: Element, to: Element, x: Value<'a>) -> Value<'a> {
        let ty = to.value_type(self.builder.context());
        match (from, to) {
            _ if from == to => x,
            (_, Element::Bool) => {
                let zero = self.number(from, 0);
                self.compare(from, Order::NotEqual, x, zero)
            }
            (Element::Bool, _) if to.is_float() => arith::UIToFP::build(self.builder, ty, x).out(),
            (Element::Bool, _) => arith::ExtUI::build(self.builder, ty, x).out(),
            (Element::F32, Element::F64) => arith::ExtF::build(self.builder, ty, x).out(),
            (Element::F64, Element::F32) => arith::TruncF::build(self.builder, ty, x).out(),
            (Element::I32, Element::I64) => arith::ExtSI::build(self.builder, ty, x).out(),
            (Element::I64, Element::I32) => arith::TruncI::build(self.builder, ty, x).out(),
            _ if to.is_float() => arith::SIToFP::build(self.builder, ty, x).out(),
            _ => self.saturating(from, to, x),
        }
    }

    /// Converts a float to an integer: numbers out of range to the nearest integer, NaN to 0.
    fn saturating(&mut self, from: Element, to: Element, x: Value<'a>) -> Value<'a> {
        let (lowest, highest) = match to {
            Element::I32 => (i32::MIN as i64, i32::MAX as i64),
            _ => (i64::MIN, i64::MAX),
        };
        // Both are powers of two, which floats represent.
        let least = Constant::float(from, lowest as f64).build(self.builder);
        let above = Constant::float(from, -(lowest as f64)).build(self.builder);
        let is_low = self.compare(from, Order::Less, x, least);
        let is_high = self.compare(from, Order::LessEqual, above, x);
        let is_nan = arith::CmpF::build(self.builder, CmpFPredicate::Uno, x, x).result();
        let outside = arith::OrI::build(self.builder, is_low, is_high).result();
        let outside = arith::OrI::build(self.builder, outside, is_nan).result();
        let zero = self.number(from, 0);
        let inside = self.select(outside, zero, x);
        let ty = to.value_type(self.builder.context());
        let converted = arith::FPToSI::build(self.builder, ty, inside).out();
        let lowest = Constant {
            element: to,
            bits: lowest as u64,
        }
        .build(self.builder);
        let highest = Constant {
            element: to,
            bits: highest as u64,
        }
        .build(self.builder);
        let converted = self.select(is_low, lowest, converted);
        self.select(is_high, highest, converted)
    }
}

/// The parts of a division of integers.
struct Division<'a> {
    /// Rounded to zero.
    quotient: Value<'a>,
    /// With the sign of the dividend.
    remainder: Value<'a>,
    /// A boolean: the quotient is one more than the exact quotient rounded down.
    is_above_floor: Value<'a>,
}

/// A comparison. NaN is in no order, and is not equal to anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Less,
    LessEqual,
    Greater,
    Equal,
    NotEqual,
}

impl Order {
    fn predicates(self) -> (CmpFPredicate, CmpIPredicate) {
        match self {
            Order::Less => (CmpFPredicate::Olt, CmpIPredicate::Slt),
            Order::LessEqual => (CmpFPredicate::Ole, CmpIPredicate::Sle),
            Order::Greater => (CmpFPredicate::Ogt, CmpIPredicate::Sgt),
            Order::Equal => (CmpFPredicate::Oeq, CmpIPredicate::Eq),
            Order::NotEqual => (CmpFPredicate::Une, CmpIPredicate::Ne),
        }
    }
}
