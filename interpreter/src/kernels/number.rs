//! Arithmetic of the element types as TensorFlow defines it: integers wrap, integer division by
//! zero is an error.

use crate::{
    kernels::{Result, fail},
    tensor::Element,
};

/// Addition, order, and other operations of all numbers.
pub(crate) trait Number: Element + PartialOrd {
    const ZERO: Self;
    const ONE: Self;
    const LOWEST: Self;
    const HIGHEST: Self;
    /// The lowest finite number.
    const LEAST: Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    /// Truncates for integers.
    fn div(self, other: Self) -> Result<Self>;
    fn floor_div(self, other: Self) -> Result<Self>;
    /// Has the sign of the divisor.
    fn floor_mod(self, other: Self) -> Result<Self>;
    /// Has the sign of the dividend.
    fn truncate_mod(self, other: Self) -> Result<Self>;
    fn pow(self, other: Self) -> Result<Self>;
    /// The larger one; NaN propagates.
    fn maximum(self, other: Self) -> Self;
    /// The smaller one; NaN propagates.
    fn minimum(self, other: Self) -> Self;
    fn to_f64(self) -> f64;
    fn from_f64(value: f64) -> Self;
    fn from_usize(value: usize) -> Self;
}

/// Operations of floats only.
pub(crate) trait Float: Number {
    fn exp(self) -> Self;
}

/// Operations of integers only.
pub(crate) trait Integer: Number {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// Shifts by at least 0 and at most all bits but one, as TensorFlow clamps it.
    fn shift_left(self, by: Self) -> Self;
    fn shift_right(self, by: Self) -> Self;
    /// The number of set bits, of any width, as one byte.
    fn set_bits(self) -> u8;
}

fn checked<T: Number>(divisor: T, quotient: impl FnOnce() -> T) -> Result<T> {
    if divisor == T::ZERO {
        return fail!("Integer division by zero");
    }
    Ok(quotient())
}

macro_rules! integer {
    ($($rust:ty),* $(,)?) => {$(
        impl Number for $rust {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LOWEST: Self = Self::MIN;
            const HIGHEST: Self = Self::MAX;
            const LEAST: Self = Self::MIN;
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            fn neg(self) -> Self { self.wrapping_neg() }
            #[allow(unused_comparisons)]
            fn abs(self) -> Self { if self < 0 { self.wrapping_neg() } else { self } }
            #[allow(unused_comparisons)]
            fn sign(self) -> Self {
                if self > 0 { 1 } else if self < 0 { Self::ZERO.wrapping_sub(1) } else { 0 }
            }
            fn div(self, other: Self) -> Result<Self> {
                checked(other, || self.wrapping_div(other))
            }
            fn floor_div(self, other: Self) -> Result<Self> {
                checked(other, || {
                    let quotient = self.wrapping_div(other);
                    let remainder = self.wrapping_rem(other);
                    let rounded_up = remainder != 0 && ((remainder < Self::ZERO) != (other < Self::ZERO));
                    if rounded_up { quotient - 1 } else { quotient }
                })
            }
            fn floor_mod(self, other: Self) -> Result<Self> {
                checked(other, || {
                    let remainder = self.wrapping_rem(other);
                    let other_side = remainder != 0 && ((remainder < Self::ZERO) != (other < Self::ZERO));
                    if other_side { remainder.wrapping_add(other) } else { remainder }
                })
            }
            fn truncate_mod(self, other: Self) -> Result<Self> {
                checked(other, || self.wrapping_rem(other))
            }
            #[allow(unused_comparisons)]
            fn pow(self, other: Self) -> Result<Self> {
                if other < 0 {
                    return fail!("Integers to negative integer powers are not allowed");
                }
                // By squaring, since the exponent may be any number.
                let (mut result, mut base, mut exponent) = (Self::ONE, self, other);
                while exponent != 0 {
                    if exponent & 1 == 1 {
                        result = result.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    exponent >>= 1;
                }
                Ok(result)
            }
            fn maximum(self, other: Self) -> Self { self.max(other) }
            fn minimum(self, other: Self) -> Self { self.min(other) }
            fn to_f64(self) -> f64 { self as f64 }
            fn from_f64(value: f64) -> Self { value as Self }
            fn from_usize(value: usize) -> Self { value as Self }
        }
        impl Integer for $rust {
            fn and(self, other: Self) -> Self { self & other }
            fn or(self, other: Self) -> Self { self | other }
            fn xor(self, other: Self) -> Self { self ^ other }
            fn not(self) -> Self { !self }
            fn shift_left(self, by: Self) -> Self { self << by.clamp(0, Self::BITS as Self - 1) }
            fn shift_right(self, by: Self) -> Self { self >> by.clamp(0, Self::BITS as Self - 1) }
            fn set_bits(self) -> u8 { self.count_ones() as u8 }
        }
    )*};
}

integer! {
    i8, i16, i32, i64,
    u8, u16, u32, u64,
}

macro_rules! float {
    ($($rust:ty),*) => {$(
        impl Number for $rust {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const LOWEST: Self = Self::NEG_INFINITY;
            const HIGHEST: Self = Self::INFINITY;
            const LEAST: Self = Self::MIN;
            fn add(self, other: Self) -> Self { self + other }
            fn sub(self, other: Self) -> Self { self - other }
            fn mul(self, other: Self) -> Self { self * other }
            fn neg(self) -> Self { -self }
            fn abs(self) -> Self { self.abs() }
            fn sign(self) -> Self {
                if self > 0.0 { 1.0 } else if self < 0.0 { -1.0 } else if self == 0.0 { 0.0 } else { self }
            }
            fn div(self, other: Self) -> Result<Self> { Ok(self / other) }
            fn floor_div(self, other: Self) -> Result<Self> { Ok((self / other).floor()) }
            fn floor_mod(self, other: Self) -> Result<Self> {
                let remainder = self % other;
                let other_side = remainder != 0.0 && ((remainder < 0.0) != (other < 0.0));
                Ok(if other_side { remainder + other } else { remainder })
            }
            fn truncate_mod(self, other: Self) -> Result<Self> { Ok(self % other) }
            fn pow(self, other: Self) -> Result<Self> { Ok(self.powf(other)) }
            fn maximum(self, other: Self) -> Self {
                if self.is_nan() || self > other { self } else { other }
            }
            fn minimum(self, other: Self) -> Self {
                if self.is_nan() || self < other { self } else { other }
            }
            fn to_f64(self) -> f64 { self as f64 }
            fn from_f64(value: f64) -> Self { value as Self }
            fn from_usize(value: usize) -> Self { value as Self }
        }
        impl Float for $rust {
            fn exp(self) -> Self { self.exp() }
        }
    )*};
}

float!(f32, f64);
