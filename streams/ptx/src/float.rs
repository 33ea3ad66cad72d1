//! The arithmetic of floating-point numbers: IEEE 754, rounded to nearest.
//!
//! The operations are those of Rust, which have one correctly rounded result each, also for `fma`
//! and `sqrt`. Subnormal numbers are kept.
//!
//! **NaN.** A result of `f32` that is a NaN has the bits `0x7fffffff`, as the ISA says. The ISA
//! leaves open the bits of a NaN of `f64`: they are `0x7ff8000000000000` here, and may differ on
//! hardware. `neg`, `abs` and `copysign` only change the sign bit, also of a NaN.

use std::cmp::Ordering;

use crate::model::{Binary, Unary};

/// The NaN that operations of `f32` return.
const NAN32: u32 = 0x7fff_ffff;
/// The NaN that operations of `f64` return.
const NAN64: u64 = 0x7ff8_0000_0000_0000;
const SIGN32: u32 = 1 << 31;
const SIGN64: u64 = 1 << 63;

/// Returns the bits of a result.
pub(crate) fn result32(value: f32) -> u32 {
    if value.is_nan() {
        NAN32
    } else {
        value.to_bits()
    }
}

/// Returns the bits of a result.
pub(crate) fn result64(value: f64) -> u64 {
    if value.is_nan() {
        NAN64
    } else {
        value.to_bits()
    }
}

/// Computes an operation with one source. Those of integers do not exist for `f32`.
pub(crate) fn unary32(op: Unary, a: u32) -> u32 {
    match op {
        Unary::Neg => a ^ SIGN32,
        Unary::Abs => a & !SIGN32,
        Unary::Sqrt => result32(f32::from_bits(a).sqrt()),
        Unary::Reciprocal => result32(1.0 / f32::from_bits(a)),
        Unary::Not | Unary::Ones | Unary::LeadingZeros | Unary::ReverseBits => a,
    }
}

/// Computes an operation with one source. Those of integers do not exist for `f64`.
pub(crate) fn unary64(op: Unary, a: u64) -> u64 {
    match op {
        Unary::Neg => a ^ SIGN64,
        Unary::Abs => a & !SIGN64,
        Unary::Sqrt => result64(f64::from_bits(a).sqrt()),
        Unary::Reciprocal => result64(1.0 / f64::from_bits(a)),
        Unary::Not | Unary::Ones | Unary::LeadingZeros | Unary::ReverseBits => a,
    }
}

/// Computes an operation with two sources. Those of integers do not exist for `f32`.
pub(crate) fn binary32(op: Binary, a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match op {
        Binary::Add => result32(x + y),
        Binary::Sub => result32(x - y),
        Binary::Mul => result32(x * y),
        Binary::Div => result32(x / y),
        Binary::MinNan | Binary::MaxNan if x.is_nan() || y.is_nan() => NAN32,
        Binary::Min | Binary::MinNan => result32(least(x, y, x.is_sign_negative())),
        Binary::Max | Binary::MaxNan => result32(-least(-x, -y, x.is_sign_positive())),
        Binary::CopySign => b & !SIGN32 | a & SIGN32,
        _ => a,
    }
}

/// Computes an operation with two sources. Those of integers do not exist for `f64`.
pub(crate) fn binary64(op: Binary, a: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    match op {
        Binary::Add => result64(x + y),
        Binary::Sub => result64(x - y),
        Binary::Mul => result64(x * y),
        Binary::Div => result64(x / y),
        Binary::MinNan | Binary::MaxNan if x.is_nan() || y.is_nan() => NAN64,
        Binary::Min | Binary::MinNan => result64(least(x, y, x.is_sign_negative())),
        Binary::Max | Binary::MaxNan => result64(-least(-x, -y, x.is_sign_positive())),
        Binary::CopySign => b & !SIGN64 | a & SIGN64,
        _ => a,
    }
}

/// Returns the smaller number, where -0 is smaller than 0. A NaN is larger than all numbers.
fn least<F: PartialOrd>(x: F, y: F, x_is_negative: bool) -> F {
    match x.partial_cmp(&y) {
        Some(Ordering::Less) => x,
        Some(Ordering::Greater) => y,
        Some(Ordering::Equal) if x_is_negative => x,
        Some(Ordering::Equal) => y,
        // A NaN is not equal to itself.
        None if x.partial_cmp(&x).is_none() => y,
        None => x,
    }
}

/// Returns `a * b + c`, rounded once.
pub(crate) fn fma32(a: u32, b: u32, c: u32) -> u32 {
    let [a, b, c] = [a, b, c].map(f32::from_bits);
    result32(a.mul_add(b, c))
}

/// Returns `a * b + c`, rounded once.
pub(crate) fn fma64(a: u64, b: u64, c: u64) -> u64 {
    let [a, b, c] = [a, b, c].map(f64::from_bits);
    result64(a.mul_add(b, c))
}

/// Orders two numbers, or returns nothing if one is a NaN.
pub(crate) fn order32(a: u32, b: u32) -> Option<Ordering> {
    f32::from_bits(a).partial_cmp(&f32::from_bits(b))
}

/// Orders two numbers, or returns nothing if one is a NaN.
pub(crate) fn order64(a: u64, b: u64) -> Option<Ordering> {
    f64::from_bits(a).partial_cmp(&f64::from_bits(b))
}
