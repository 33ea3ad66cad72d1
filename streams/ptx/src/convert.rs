//! Conversions between types, as the PTX ISA defines `cvt`.
//!
//! ```text
//!   integer ──► integer   the low bits, or clamped to the range with .sat
//!   integer ──► float     rounded to nearest
//!   float ──► integer     rounded to an integer as the instruction says, clamped to the range
//!   float ──► float       exact, rounded to nearest, or rounded to an integer
//! ```
//!
//! A NaN gives 0 as an integer of at most 32 bits, if it is one of `f32`; otherwise, it gives an
//! integer whose highest bit is set.

use crate::float::{result32, result64};
use crate::model::{Conversion, Rounding, Type, low, signed};

/// Converts a value. The result has the width of its register.
pub(crate) fn convert(conversion: Conversion, a: u64) -> u64 {
    let Conversion {
        to, from, rounding, ..
    } = conversion;
    match (to, from) {
        (Type::F32, Type::F32) => u64::from(result32(round32(rounding, f32::from_bits(a as u32)))),
        (Type::F64, Type::F64) => result64(round64(rounding, f64::from_bits(a))),
        (Type::F64, Type::F32) => result64(f64::from(f32::from_bits(a as u32))),
        (Type::F32, Type::F64) => u64::from(result32(f64::from_bits(a) as f32)),
        (Type::F32, _) if from.is_signed() => u64::from(result32(signed(a, from.bits()) as f32)),
        (Type::F32, _) => u64::from(result32(low(a, from.bits()) as f32)),
        (Type::F64, _) if from.is_signed() => result64(signed(a, from.bits()) as f64),
        (Type::F64, _) => result64(low(a, from.bits()) as f64),
        (_, Type::F32) => float_to_integer(conversion, f64::from(f32::from_bits(a as u32))),
        (_, Type::F64) => float_to_integer(conversion, f64::from_bits(a)),
        _ => integer_to_integer(conversion, a),
    }
}

/// Extends a value of a type to the width of a register, with its sign or with zeros.
pub(crate) fn extend(value: u64, ty: Type, register: u8) -> u64 {
    match ty.is_signed() {
        true => low(
            signed(value, ty.bits()).cast_unsigned(),
            u32::from(register),
        ),
        false => low(value, ty.bits()),
    }
}

fn round32(rounding: Rounding, value: f32) -> f32 {
    match rounding {
        Rounding::Exact | Rounding::Nearest => value,
        Rounding::NearestInteger => value.round_ties_even(),
        Rounding::Truncate => value.trunc(),
        Rounding::Floor => value.floor(),
        Rounding::Ceil => value.ceil(),
    }
}

fn round64(rounding: Rounding, value: f64) -> f64 {
    match rounding {
        Rounding::Exact | Rounding::Nearest => value,
        Rounding::NearestInteger => value.round_ties_even(),
        Rounding::Truncate => value.trunc(),
        Rounding::Floor => value.floor(),
        Rounding::Ceil => value.ceil(),
    }
}

fn float_to_integer(conversion: Conversion, value: f64) -> u64 {
    let Conversion {
        to,
        from,
        rounding,
        register,
        ..
    } = conversion;
    let bits = to.bits();
    if value.is_nan() {
        let is_zero = from == Type::F32 && bits < 64;
        let highest = if is_zero { 0 } else { 1 << (bits - 1) };
        return extend(highest, to, register);
    }
    let rounded = round64(rounding, value);
    // These casts clamp.
    let integer = match to.is_signed() {
        true => i128::from(rounded as i64),
        false => i128::from(rounded as u64),
    };
    extend(clamp(integer, to) as u64, to, register)
}

fn integer_to_integer(conversion: Conversion, a: u64) -> u64 {
    let Conversion {
        to,
        from,
        saturates,
        register,
        ..
    } = conversion;
    let value = match from.is_signed() {
        true => i128::from(signed(a, from.bits())),
        false => i128::from(low(a, from.bits())),
    };
    let value = if saturates { clamp(value, to) } else { value };
    extend(value as u64, to, register)
}

/// Clamps an integer to the range of a type.
fn clamp(value: i128, ty: Type) -> i128 {
    let bits = ty.bits();
    match ty.is_signed() {
        true => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => value.clamp(0, (1 << bits) - 1),
    }
}
