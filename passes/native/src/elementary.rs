//! Elementary functions of floats as arithmetic without branches and calls, which LLVM vectorizes.
//!
//! ```text
//! exp     x = n ln 2 + r,  |r| <= ln 2 / 2      exp x  = 2^n p(r)
//! log     x = 2^n (1 + m)                       log x  = n ln 2 + m - m^2 / 2 + m^3 p(m)
//! tanh    m = exp 2|x| - 1                      tanh |x| = m / (m + 2)
//! erf     |x| < 0.92                            erf x  = x + x p(x^2)
//!         otherwise                             erf x  = 1 - exp p(x)
//! erfc    |x| < 0.5                             erfc x = 1 - erf x
//!         otherwise, t = (x - 2) / (x + 2)      erfc x = exp -x^2 p(t) / (x + 2) = 2 - erfc -x
//! sin     0 <= x <= 2 pi,  x = n pi / 2 + r     sin x  = r + r^3 p(r^2), or 1 - r^2 / 2 + r^4 p(r^2)
//! ```
//!
//! In `f64`, the last factor of `log` is a quotient of polynomials, `p` of `exp` is Taylor's, as
//! those of `sin` are, and there are no `erf`, `erfc` and `sin`.
//!
//! `ln 2` is the sum of two floats: the product of `n` and the first one is exact. Multiplications
//! and additions are fused if the processor can, so that results may differ in the last bit between
//! code for vectors of 16 bytes and for wider ones.
//!
//! Source: the reductions and polynomials of Moshier's Cephes library (`expf.c`, `logf.c`, and
//! `exp.c`, `log.c`). The polynomials of `erf` and `erfc` are minimax fits
//! of these functions (weighted least squares with Lawson's weights); the mapping of `x` to `t` is
//! that of Shepherd and Laframboise (1981).
//!
//! Cost: 20 to 60 operations.
//!
//! Not guaranteed: the results of C's library. The error is at most 2 units in the last place, of
//! `erfc` 6; zeros, infinities, NaN and denormal numbers are treated as by C.

use melior::ir::Type;
use tfx_ir::ops::arith::{self, CmpFPredicate, CmpIPredicate};
use tfx_ir::ops::math;
use tfx_ir::{Builder, Value};

use crate::element::Element;
use crate::scalar::Constant;

/// The layout of a format of floats, and what depends on it.
struct Format {
    /// The bits after the exponent.
    fraction_bits: u32,
    /// The exponent of 1, as stored.
    bias: i32,
    /// A float whose unit in the last place is 1: to add it rounds to an integer, in its last bits.
    round: f64,
    /// The least number with all bits of the fraction.
    least: f64,
    /// Of these and beyond, the results of `exp` are 0 and infinity.
    exp_bounds: [f64; 2],
    /// Of this and above, the results of `exp` are normal numbers.
    exp_normal: f64,
    /// `ln 2` in two parts, of which the first one has few bits.
    ln_2: [f64; 2],
    /// From here on, the float that is nearest to `tanh` is 1.
    tanh_last: f64,
}

const SINGLE: Format = Format {
    fraction_bits: 23,
    bias: 127,
    round: 12_582_912.0,
    least: f32::MIN_POSITIVE as f64,
    exp_bounds: [-104.0, 89.0],
    exp_normal: -87.336_f32 as f64,
    ln_2: [0.693_359_375, -2.121_944_4e-4_f32 as f64],
    tanh_last: 9.1_f32 as f64,
};

const DOUBLE: Format = Format {
    fraction_bits: 52,
    bias: 1023,
    round: 6_755_399_441_055_744.0,
    least: f64::MIN_POSITIVE,
    exp_bounds: [-746.0, 710.0],
    exp_normal: -708.396,
    ln_2: [0.693_145_751_953_125, 1.428_606_820_309_417_2e-6],
    tanh_last: 20.0,
};

/// Code of functions at one place.
pub(crate) struct Elementary<'b, 'a> {
    pub(crate) builder: &'b mut Builder<'a>,
    /// The type of operands and results.
    pub(crate) element: Element,
    /// True if multiplications and additions are fused.
    pub(crate) fuses: bool,
}

impl<'a> Elementary<'_, 'a> {
    fn format(&self) -> &'static Format {
        match self.element {
            Element::F32 => &SINGLE,
            _ => &DOUBLE,
        }
    }

    /// Builds `exp x`.
    pub(crate) fn exp(&mut self, x: Value<'a>) -> Value<'a> {
        let [low, high] = self.format().exp_bounds;
        let low = self.number(low);
        let is_low = self.compare(CmpFPredicate::Olt, x, low);
        let x = self.select(is_low, low, x);
        let x = self.at_most(x, high);
        self.exp_within(x)
    }

    /// Builds `exp x` for an `x` that is at most 0, or NaN. Below the normal numbers, it is 0.
    pub(crate) fn exp_of_non_positive(&mut self, x: Value<'a>) -> Value<'a> {
        let [low, zero] = [self.format().exp_normal, 0.0].map(|number| self.number(number));
        let is_low = self.compare(CmpFPredicate::Olt, x, low);
        let power = self.exp_normal(x);
        self.select(is_low, zero, power)
    }

    /// Builds `exp x` for an `x` that is NaN, or at most the upper one of the format's bounds and
    /// at least 1.6 times the lower one.
    fn exp_within(&mut self, x: Value<'a>) -> Value<'a> {
        let (power, exponent) = self.exp_parts(x);
        // The power of two in two parts: each is a float, even if their product is not.
        let shift = self.integer(1);
        let half = arith::ShRSI::build(self.builder, exponent, shift).result();
        let rest = arith::SubI::build(self.builder, exponent, half).result();
        let power = self.scaled(power, half);
        self.scaled(power, rest)
    }

    /// Builds `exp x` for an `x` that is NaN, or whose result is a normal number below a quarter of
    /// the largest one. Of another one, the result is arbitrary.
    fn exp_normal(&mut self, x: Value<'a>) -> Value<'a> {
        let (power, exponent) = self.exp_parts(x);
        self.scaled(power, exponent)
    }

    /// Builds the factors of `exp x`: a number near 1, and the exponent of a power of two. Of NaN,
    /// the first one is NaN.
    fn exp_parts(&mut self, x: Value<'a>) -> (Value<'a>, Value<'a>) {
        let (difference, exponent) = self.exp_reduced(x);
        let one = self.number(1.0);
        (self.add(difference, one), exponent)
    }

    /// Builds the same with the difference of the first one from 1.
    fn exp_reduced(&mut self, x: Value<'a>) -> (Value<'a>, Value<'a>) {
        const SINGLE: [f32; 6] = [
            1.987_569_1e-4,
            1.398_199_9e-3,
            8.333_452e-3,
            4.166_579_6e-2,
            1.666_666_5e-1,
            0.5,
        ];
        /// The reciprocals of factorials, from that of 13 to that of 2.
        const DOUBLE: [f64; 12] = [
            1.605_904_383_682_161_3e-10,
            2.087_675_698_786_81e-9,
            2.505_210_838_544_172e-8,
            2.755_731_922_398_589_3e-7,
            2.755_731_922_398_589e-6,
            2.480_158_730_158_73e-5,
            1.984_126_984_126_984e-4,
            1.388_888_888_888_889e-3,
            8.333_333_333_333_333e-3,
            4.166_666_666_666_666_4e-2,
            1.666_666_666_666_666_6e-1,
            0.5,
        ];
        let format = self.format();
        let (log2_e, round) = (
            self.number(std::f64::consts::LOG2_E),
            self.number(format.round),
        );
        let rounded = self.mul_add(x, log2_e, round);
        let n = self.sub(rounded, round);
        let mut r = x;
        for part in format.ln_2 {
            let part = self.number(-part);
            r = self.mul_add(n, part, r);
        }
        let polynomial = match self.element {
            Element::F32 => self.polynomial(&SINGLE, r),
            _ => self.polynomial(&DOUBLE, r),
        };
        let square = self.mul(r, r);
        let difference = self.mul_add(polynomial, square, r);
        let (bits, none) = (self.bits(rounded), self.bits(round));
        let exponent = arith::SubI::build(self.builder, bits, none).result();
        (difference, self.narrow(exponent))
    }

    /// Builds `log x`.
    pub(crate) fn log(&mut self, x: Value<'a>) -> Value<'a> {
        let Format {
            fraction_bits,
            bias,
            least,
            ln_2,
            ..
        } = *self.format();
        let [zero, one, infinity] = [0.0, 1.0, f64::INFINITY].map(|it| self.number(it));
        let (least, raise) = (self.number(least), (1_u64 << fraction_bits) as f64);
        let is_denormal = self.compare(CmpFPredicate::Olt, x, least);
        let raise = self.number(raise);
        let raised = self.mul(x, raise);
        let normal = self.select(is_denormal, raised, x);
        let raised_by = self.integer(fraction_bits as i32);
        let none = self.integer(0);
        let raised_by = self.select(is_denormal, raised_by, none);

        // The fraction in [1/2, 1), then in [sqrt(1/2), sqrt(2)).
        let bits = self.bits(normal);
        let shift = self.wide(fraction_bits.into());
        let exponent = arith::ShRUI::build(self.builder, bits, shift).result();
        let exponent = self.narrow(exponent);
        let bias = self.integer(bias - 1);
        let exponent = arith::SubI::build(self.builder, exponent, bias).result();
        let exponent = arith::SubI::build(self.builder, exponent, raised_by).result();
        let mask = self.wide((1 << fraction_bits) - 1);
        let fraction = arith::AndI::build(self.builder, bits, mask).result();
        let half = self.number(0.5);
        let half = self.bits(half);
        let fraction = arith::OrI::build(self.builder, fraction, half).result();
        let fraction = self.float_of_bits(fraction);
        let root = self.number(std::f32::consts::FRAC_1_SQRT_2);
        let is_small = self.compare(CmpFPredicate::Olt, fraction, root);
        let doubled = self.add(fraction, fraction);
        let fraction = self.select(is_small, doubled, fraction);
        let m = self.sub(fraction, one);
        let less = self.integer(1);
        let less = arith::SubI::build(self.builder, exponent, less).result();
        let exponent = self.select(is_small, less, exponent);
        let float = self.element.value_type(self.builder.context());
        let n = arith::SIToFP::build(self.builder, float, exponent).out();

        let square = self.mul(m, m);
        let factor = self.log_factor(m);
        let cube = self.mul(factor, m);
        let [high, low] = ln_2.map(|part| self.number(part));
        let small = self.mul(n, low);
        let rest = self.mul_add(cube, square, small);
        let half = self.number(-0.5);
        let rest = self.mul_add(half, square, rest);
        let sum = self.add(m, rest);
        let log = self.mul_add(n, high, sum);

        // Infinity and NaN are their logarithms.
        let is_finite = self.compare(CmpFPredicate::Olt, x, infinity);
        let log = self.select(is_finite, log, x);
        let is_zero = self.compare(CmpFPredicate::Oeq, x, zero);
        let pole = self.number(f64::NEG_INFINITY);
        let log = self.select(is_zero, pole, log);
        let is_negative = self.compare(CmpFPredicate::Olt, x, zero);
        let nan = self.number(f64::NAN);
        self.select(is_negative, nan, log)
    }

    /// Builds the factor of `m^3` in the logarithm of `1 + m`.
    fn log_factor(&mut self, m: Value<'a>) -> Value<'a> {
        const SINGLE: [f32; 9] = [
            7.037_683_6e-2,
            -1.151_461e-1,
            1.167_699_9e-1,
            -1.242_014_1e-1,
            1.424_932_3e-1,
            -1.666_805_8e-1,
            2.000_071_5e-1,
            -2.499_999_4e-1,
            3.333_333e-1,
        ];
        const OVER: [f64; 6] = [
            1.018_756_638_045_809_3e-4,
            4.974_949_949_767_47e-1,
            4.705_791_198_788_817,
            1.449_892_253_416_109_3e1,
            1.793_686_785_078_198_2e1,
            7.708_387_337_558_854,
        ];
        const UNDER: [f64; 6] = [
            1.0,
            1.128_735_871_891_674_5e1,
            4.522_791_458_375_322e1,
            8.298_752_669_127_766e1,
            7.115_447_506_185_639e1,
            2.312_516_201_267_653_4e1,
        ];
        match self.element {
            Element::F32 => self.polynomial(&SINGLE, m),
            _ => self.quotient(&OVER, &UNDER, m),
        }
    }

    /// Builds `tanh x`: of `m = exp 2 |x| - 1`, it is `m / (m + 2)`, with the sign of `x`. `m` has
    /// no cancellation, as `exp 2 |x| = 2^n (1 + q)`.
    pub(crate) fn tanh(&mut self, x: Value<'a>) -> Value<'a> {
        let size = math::AbsF::build(self.builder, x).result();
        let bounded = self.at_most(size, self.format().tanh_last);
        let doubled = self.add(bounded, bounded);
        let (q, exponent) = self.exp_reduced(doubled);
        let scale = self.power_of_two(exponent);
        let [one, two] = [1.0, 2.0].map(|number| self.number(number));
        let whole = self.sub(scale, one);
        let m = self.mul_add(scale, q, whole);
        let sum = self.add(m, two);
        let quotient = arith::DivF::build(self.builder, m, sum).result();
        math::CopySign::build(self.builder, quotient, x).result()
    }

    /// Builds `erf x`.
    pub(crate) fn erf(&mut self, x: Value<'a>) -> Value<'a> {
        const BOUND: f32 = 0.92;
        let size = math::AbsF::build(self.builder, x).result();
        let exponent = self.erf_exponent(size);
        let power = self.exp_normal(exponent);
        let [bound, one] = [BOUND, 1.0].map(|number| self.number(number));
        let large = self.sub(one, power);
        let large = math::CopySign::build(self.builder, large, x).result();
        let small = self.erf_of_small(x);
        let is_large = self.compare(CmpFPredicate::Oge, size, bound);
        self.select(is_large, large, small)
    }

    /// Builds `erfc x`.
    pub(crate) fn erfc(&mut self, x: Value<'a>) -> Value<'a> {
        /// `1 - erf x` loses bits from here on.
        const BOUND: f32 = 0.5;
        /// Beyond it, the result is 0.
        const LAST: f32 = 10.5;
        const COEFFICIENTS: [f32; 9] = [
            -4.805_833e-4,
            -8.018_961e-4,
            3.009_183_3e-3,
            6.470_224_4e-3,
            -2.149_617_7e-2,
            -3.644_15e-2,
            2.794_712_2e-1,
            -6.871_607e-1,
            1.021_582_7,
        ];
        let [bound, zero, one, two] = [BOUND, 0.0, 1.0, 2.0].map(|number| self.number(number));
        let size = math::AbsF::build(self.builder, x).result();
        let size = self.at_most(size, LAST);
        let square = self.mul(size, size);
        let rest = self.rest_of_square(size, square);
        let negated = arith::NegF::build(self.builder, square).result();
        let power = self.exp_within(negated);

        let sum = self.add(size, two);
        let quotient = arith::DivF::build(self.builder, one, sum).result();
        let difference = self.sub(size, two);
        let t = self.mul(difference, quotient);
        let polynomial = self.polynomial(&COEFFICIENTS, t);
        let factor = self.mul(polynomial, quotient);
        // The power of the rest is 1 - rest.
        let correction = self.mul(factor, rest);
        let factor = self.sub(factor, correction);
        let positive = self.mul(power, factor);
        let negative = self.sub(two, positive);
        let is_negative = self.compare(CmpFPredicate::Olt, x, zero);
        let large = self.select(is_negative, negative, positive);

        let erf = self.erf_of_small(x);
        let small = self.sub(one, erf);
        let is_large = self.compare(CmpFPredicate::Oge, size, bound);
        self.select(is_large, large, small)
    }

    /// Builds `erf x` for a small `x`.
    fn erf_of_small(&mut self, x: Value<'a>) -> Value<'a> {
        const COEFFICIENTS: [f32; 6] = [
            -6.021_808_4e-4,
            4.999_601_7e-3,
            -2.677_128_5e-2,
            1.128_195_5e-1,
            -3.761_250_7e-1,
            1.283_791_5e-1,
        ];
        let square = self.mul(x, x);
        let polynomial = self.polynomial(&COEFFICIENTS, square);
        self.mul_add(polynomial, x, x)
    }

    /// Builds the logarithm of `1 - erf x` for a large `x` of at least 0.
    fn erf_exponent(&mut self, x: Value<'a>) -> Value<'a> {
        /// From here on, the nearest float is 1.
        const LAST: f32 = 4.0;
        const COEFFICIENTS: [f32; 7] = [
            1.959_369_1e-4,
            -3.043_214_3e-3,
            2.222_691e-2,
            -1.039_315_76e-1,
            -6.371_823e-1,
            -1.127_675_7,
            -1.956_782_2e-4,
        ];
        let x = self.at_most(x, LAST);
        self.polynomial(&COEFFICIENTS, x)
    }

    /// Builds `sin (x + quarters pi / 2)` of `f32`, for an `x` from 0 to `2 pi`. The integer
    /// `quarters` has 32 bits.
    pub(crate) fn sin_in_turn(&mut self, x: Value<'a>, quarters: Value<'a>) -> Value<'a> {
        /// The reciprocals of factorials, from that of 9 to that of 3.
        const ODD: [f32; 4] = [2.755_731_9e-6, -1.984_127e-4, 8.333_334e-3, -1.666_666_7e-1];
        /// The same, from that of 10 to that of 2.
        const EVEN: [f32; 5] = [
            -2.755_732e-7,
            2.480_158_7e-5,
            -1.388_888_9e-3,
            4.166_666_8e-2,
            -0.5,
        ];
        // The rest is exact in f64, as the number of quarters is small.
        let context = self.builder.context();
        let (float, wide) = (
            Element::F32.value_type(context),
            Element::F64.value_type(context),
        );
        let of =
            |this: &mut Self, number| Constant::float(Element::F64, number).build(this.builder);
        let x = arith::ExtF::build(self.builder, wide, x).out();
        let (per_quarter, half) = (of(self, std::f64::consts::FRAC_2_PI), of(self, 0.5));
        let n = self.mul(x, per_quarter);
        let n = self.add(n, half);
        let n = arith::FPToSI::build(self.builder, Element::I32.value_type(context), n).out();
        let whole = arith::SIToFP::build(self.builder, wide, n).out();
        let quarter = of(self, std::f64::consts::FRAC_PI_2);
        let whole = self.mul(whole, quarter);
        let r = self.sub(x, whole);
        let r = arith::TruncF::build(self.builder, float, r).out();

        let square = self.mul(r, r);
        let cube = self.mul(square, r);
        let factor = self.polynomial(&ODD, square);
        let sine = self.mul_add(factor, cube, r);
        let factor = self.polynomial(&EVEN, square);
        let one = self.number(1.0);
        let cosine = self.mul_add(factor, square, one);

        let quarters = arith::AddI::build(self.builder, quarters, n).result();
        let [none, odd, half] = [0, 1, 2].map(|number| self.integer(number));
        let odd = arith::AndI::build(self.builder, quarters, odd).result();
        let is_odd = arith::CmpI::build(self.builder, CmpIPredicate::Ne, odd, none).result();
        let size = self.select(is_odd, cosine, sine);
        // The second bit of the number of quarters is the sign.
        let half = arith::AndI::build(self.builder, quarters, half).result();
        let shift = self.integer(30);
        let sign = arith::ShLI::build(self.builder, half, shift).result();
        let bits = self.bits(size);
        let bits = arith::XOrI::build(self.builder, bits, sign).result();
        self.float_of_bits(bits)
    }

    /// Builds `x^2` without what the float `square` contains of it.
    fn rest_of_square(&mut self, x: Value<'a>, square: Value<'a>) -> Value<'a> {
        if self.fuses {
            let negated = arith::NegF::build(self.builder, square).result();
            return math::Fma::build(self.builder, x, x, negated).result();
        }
        /// The bits of a float whose square is a float.
        const HALF_OF_BITS: u32 = 0xffff_f000;
        let (bits, mask) = (self.bits(x), self.integer(HALF_OF_BITS as i32));
        let high = arith::AndI::build(self.builder, bits, mask).result();
        let high = self.float_of_bits(high);
        let low = self.sub(x, high);
        let high_square = self.mul(high, high);
        let difference = self.sub(high_square, square);
        let sum = self.add(x, high);
        let product = self.mul(sum, low);
        self.add(difference, product)
    }

    /// Builds the quotient of two polynomials.
    fn quotient(&mut self, over: &[f64], under: &[f64], x: Value<'a>) -> Value<'a> {
        let (over, under) = (self.polynomial(over, x), self.polynomial(under, x));
        arith::DivF::build(self.builder, over, under).result()
    }

    /// Builds a polynomial, whose coefficient of the highest power is first (Horner).
    fn polynomial<N>(&mut self, coefficients: &[N], x: Value<'a>) -> Value<'a>
    where
        N: Into<f64> + Copy,
    {
        let mut value = self.number(coefficients[0]);
        for &coefficient in &coefficients[1..] {
            let coefficient = self.number(coefficient);
            value = self.mul_add(value, x, coefficient);
        }
        value
    }

    /// Builds the product with a power of two, whose exponent is in the range of floats.
    fn scaled(&mut self, x: Value<'a>, exponent: Value<'a>) -> Value<'a> {
        let power = self.power_of_two(exponent);
        self.mul(x, power)
    }

    /// Builds the power of two with an exponent in the range of floats.
    fn power_of_two(&mut self, exponent: Value<'a>) -> Value<'a> {
        let bias = self.integer(self.format().bias);
        let mut stored = arith::AddI::build(self.builder, exponent, bias).result();
        if self.element != Element::F32 {
            let ty = self.integer_type();
            stored = arith::ExtUI::build(self.builder, ty, stored).out();
        }
        let shift = self.wide(self.format().fraction_bits.into());
        let bits = arith::ShLI::build(self.builder, stored, shift).result();
        self.float_of_bits(bits)
    }

    /// Returns the type of integers with as many bits as a float.
    fn integer_type(&self) -> Type<'a> {
        self.wide_element().value_type(self.builder.context())
    }

    fn wide_element(&self) -> Element {
        match self.element {
            Element::F32 => Element::I32,
            _ => Element::I64,
        }
    }

    fn bits(&mut self, x: Value<'a>) -> Value<'a> {
        let ty = self.integer_type();
        arith::Bitcast::build(self.builder, ty, x).out()
    }

    fn float_of_bits(&mut self, bits: Value<'a>) -> Value<'a> {
        let ty = self.element.value_type(self.builder.context());
        arith::Bitcast::build(self.builder, ty, bits).out()
    }

    /// Builds the lowest 32 bits of an integer: exponents are small, and processors without AVX-512
    /// have no vectors of some operations of 64 bits.
    fn narrow(&mut self, x: Value<'a>) -> Value<'a> {
        let ty = Element::I32.value_type(self.builder.context());
        match self.element {
            Element::F32 => x,
            _ => arith::TruncI::build(self.builder, ty, x).out(),
        }
    }

    fn number(&mut self, value: impl Into<f64>) -> Value<'a> {
        Constant::float(self.element, value.into()).build(self.builder)
    }

    fn integer(&mut self, value: i32) -> Value<'a> {
        Constant::number(Element::I32, value).build(self.builder)
    }

    /// Builds an integer with as many bits as a float.
    fn wide(&mut self, value: i64) -> Value<'a> {
        let (element, bits) = (self.wide_element(), value as u64);
        Constant { element, bits }.build(self.builder)
    }

    fn add(&mut self, x: Value<'a>, y: Value<'a>) -> Value<'a> {
        arith::AddF::build(self.builder, x, y).result()
    }

    fn sub(&mut self, x: Value<'a>, y: Value<'a>) -> Value<'a> {
        arith::SubF::build(self.builder, x, y).result()
    }

    fn mul(&mut self, x: Value<'a>, y: Value<'a>) -> Value<'a> {
        arith::MulF::build(self.builder, x, y).result()
    }

    /// Builds `x y + z`.
    fn mul_add(&mut self, x: Value<'a>, y: Value<'a>, z: Value<'a>) -> Value<'a> {
        match self.fuses {
            true => math::Fma::build(self.builder, x, y, z).result(),
            false => {
                let product = self.mul(x, y);
                self.add(product, z)
            }
        }
    }

    /// Builds the smaller one of a value and a bound; NaN stays NaN.
    fn at_most(&mut self, x: Value<'a>, bound: impl Into<f64>) -> Value<'a> {
        let bound = self.number(bound);
        let is_beyond = self.compare(CmpFPredicate::Ogt, x, bound);
        self.select(is_beyond, bound, x)
    }

    fn compare(&mut self, predicate: CmpFPredicate, x: Value<'a>, y: Value<'a>) -> Value<'a> {
        arith::CmpF::build(self.builder, predicate, x, y).result()
    }

    fn select(&mut self, condition: Value<'a>, then: Value<'a>, other: Value<'a>) -> Value<'a> {
        arith::Select::build(self.builder, condition, then, other).result()
    }
}
