//! The arithmetic of integers and bits, as the PTX ISA defines it.
//!
//! Operands are bits, extended with zeros, and so are results. Sums and products wrap around. A
//! shift by the width or more gives zeros, or copies of the sign. Divisions whose result the ISA
//! leaves open are errors. [`crate::float`] has the arithmetic of floating-point numbers.

use std::cmp::Ordering;

use crate::error::Cause;
use crate::float;
use crate::model::{Binary, Comparison, Ternary, Type, Unary, low, signed};

/// Computes an operation with one source.
pub(crate) fn unary(op: Unary, ty: Type, a: u64) -> u64 {
    let bits = ty.bits();
    match op {
        _ if ty == Type::F32 => u64::from(float::unary32(op, a as u32)),
        _ if ty == Type::F64 => float::unary64(op, a),
        Unary::Not => low(!a, bits),
        Unary::Neg => low(a.wrapping_neg(), bits),
        Unary::Abs => low(signed(a, bits).unsigned_abs(), bits),
        Unary::Ones => u64::from(a.count_ones()),
        Unary::LeadingZeros => u64::from(a.leading_zeros() - (64 - bits)),
        Unary::ReverseBits => a.reverse_bits() >> (64 - bits),
        // They exist for floating-point numbers only.
        Unary::Sqrt | Unary::Reciprocal => a,
    }
}

/// Computes an operation with two sources.
pub(crate) fn binary(op: Binary, ty: Type, a: u64, b: u64) -> Result<u64, Cause> {
    let bits = ty.bits();
    Ok(match op {
        _ if ty == Type::F32 => u64::from(float::binary32(op, a as u32, b as u32)),
        _ if ty == Type::F64 => float::binary64(op, a, b),
        Binary::Add => low(a.wrapping_add(b), bits),
        Binary::Sub => low(a.wrapping_sub(b), bits),
        Binary::Mul => low(a.wrapping_mul(b), bits),
        Binary::MulHigh => mul_high(ty, a, b),
        Binary::MulWide => mul_wide(ty, a, b),
        Binary::Div | Binary::Rem => divide(op, ty, a, b)?,
        Binary::Min | Binary::MinNan => match order(ty, a, b) {
            Ordering::Greater => b,
            _ => a,
        },
        Binary::Max | Binary::MaxNan => match order(ty, a, b) {
            Ordering::Less => b,
            _ => a,
        },
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft if b >= u64::from(bits) => 0,
        Binary::ShiftLeft => low(a << b, bits),
        Binary::ShiftRight if ty.is_signed() => {
            low((signed(a, bits) >> b.min(63)).cast_unsigned(), bits)
        }
        Binary::ShiftRight if b >= u64::from(bits) => 0,
        Binary::ShiftRight => a >> b,
        Binary::CopySign => b,
    })
}

/// Computes an operation with three sources.
pub(crate) fn ternary(op: Ternary, ty: Type, [a, b, c]: [u64; 3]) -> u64 {
    let bits = ty.bits();
    match op {
        _ if ty == Type::F32 => u64::from(float::fma32(a as u32, b as u32, c as u32)),
        _ if ty == Type::F64 => float::fma64(a, b, c),
        Ternary::MulAdd => low(a.wrapping_mul(b).wrapping_add(c), bits),
        Ternary::MulHighAdd => low(mul_high(ty, a, b).wrapping_add(c), bits),
        Ternary::MulWideAdd => low(mul_wide(ty, a, b).wrapping_add(c), 2 * bits),
        Ternary::Extract => extract(ty, a, b, c),
        Ternary::Permute => permute(a, b, c),
        Ternary::FunnelLeft => funnel_left(a, b, c & 31),
        Ternary::FunnelLeftClamp => funnel_left(a, b, c.min(32)),
        Ternary::FunnelRight => low((b << 32 | a) >> (c & 31), 32),
        Ternary::FunnelRightClamp => low((b << 32 | a) >> c.min(32), 32),
    }
}

/// Compares two values.
pub(crate) fn compare(op: Comparison, ty: Type, a: u64, b: u64) -> bool {
    let order = match ty {
        Type::F32 => float::order32(a as u32, b as u32),
        Type::F64 => float::order64(a, b),
        _ => Some(order(ty, a, b)),
    };
    match op {
        Comparison::Eq => order == Some(Ordering::Equal),
        // An unordered pair is not unequal.
        Comparison::Ne => order.is_some_and(Ordering::is_ne),
        Comparison::Lt => order.is_some_and(Ordering::is_lt),
        Comparison::Le => order.is_some_and(Ordering::is_le),
        Comparison::Gt => order.is_some_and(Ordering::is_gt),
        Comparison::Ge => order.is_some_and(Ordering::is_ge),
        Comparison::UEq => order.is_none_or(Ordering::is_eq),
        Comparison::UNe => order.is_none_or(Ordering::is_ne),
        Comparison::ULt => order.is_none_or(Ordering::is_lt),
        Comparison::ULe => order.is_none_or(Ordering::is_le),
        Comparison::UGt => order.is_none_or(Ordering::is_gt),
        Comparison::UGe => order.is_none_or(Ordering::is_ge),
        Comparison::Number => order.is_some(),
        Comparison::Nan => order.is_none(),
    }
}

/// Orders two integers.
fn order(ty: Type, a: u64, b: u64) -> Ordering {
    match ty.is_signed() {
        true => signed(a, ty.bits()).cmp(&signed(b, ty.bits())),
        false => a.cmp(&b),
    }
}

fn mul_high(ty: Type, a: u64, b: u64) -> u64 {
    let bits = ty.bits();
    let high = match ty.is_signed() {
        true => (i128::from(signed(a, bits)) * i128::from(signed(b, bits))) >> bits,
        false => ((u128::from(a) * u128::from(b)) >> bits).cast_signed(),
    };
    low(high as u64, bits)
}

/// Returns the product of two integers of at most 32 bits, in twice the width.
fn mul_wide(ty: Type, a: u64, b: u64) -> u64 {
    let bits = ty.bits();
    let product = match ty.is_signed() {
        true => signed(a, bits)
            .wrapping_mul(signed(b, bits))
            .cast_unsigned(),
        false => a.wrapping_mul(b),
    };
    low(product, 2 * bits)
}

fn divide(op: Binary, ty: Type, a: u64, b: u64) -> Result<u64, Cause> {
    let bits = ty.bits();
    if b == 0 {
        return Err(Cause::DivisionByZero);
    }
    if !ty.is_signed() {
        return Ok(if op == Binary::Div { a / b } else { a % b });
    }
    let is_least = a == 1 << (bits - 1);
    let (a, b) = (signed(a, bits), signed(b, bits));
    if is_least && b == -1 {
        return Err(Cause::DivisionOverflow);
    }
    let result = if op == Binary::Div { a / b } else { a % b };
    Ok(low(result.cast_unsigned(), bits))
}

/// Returns the field of `length` bits at `start`. Beyond the value, and beyond the field, it has
/// the highest bit of the field, or zeros if the type is unsigned.
fn extract(ty: Type, a: u64, start: u64, length: u64) -> u64 {
    let bits = ty.bits();
    let (start, length) = (start & 0xff, length & 0xff);
    if length == 0 {
        return 0;
    }
    let value = signed_or_not(ty, a);
    let field = value >> start.min(127);
    let unused = 128 - length.min(128);
    let field = match ty.is_signed() {
        true => field << unused >> unused,
        false => ((field << unused).cast_unsigned() >> unused).cast_signed(),
    };
    low(field as u64, bits)
}

fn signed_or_not(ty: Type, a: u64) -> i128 {
    match ty.is_signed() {
        true => i128::from(signed(a, ty.bits())),
        false => i128::from(a),
    }
}

/// Replaces the `length` bits of `base` at `start` by the low bits of `field`.
pub(crate) fn insert(ty: Type, field: u64, base: u64, start: u64, length: u64) -> u64 {
    let bits = ty.bits();
    let (start, length) = (start & 0xff, length & 0xff);
    if start >= u64::from(bits) {
        return base;
    }
    let mask = low(u64::MAX, length as u32) << start;
    low(base & !mask | (field << start) & mask, bits)
}

/// Selects four of the eight bytes of `b:a`. The digit of a byte has its number, and 8 to copy
/// the sign of the byte to all its bits.
fn permute(a: u64, b: u64, selector: u64) -> u64 {
    let bytes = (b << 32 | a).to_le_bytes();
    let select = |index: usize| {
        let digit = (selector >> (4 * index)) as usize & 15;
        let byte = bytes[digit & 7];
        match digit & 8 {
            0 => byte,
            _ => (byte.cast_signed() >> 7).cast_unsigned(),
        }
    };
    u64::from(u32::from_le_bytes([
        select(0),
        select(1),
        select(2),
        select(3),
    ]))
}

fn funnel_left(a: u64, b: u64, amount: u64) -> u64 {
    let shifted = u128::from(b << 32 | a) << amount;
    low((shifted >> 32) as u64, 32)
}
