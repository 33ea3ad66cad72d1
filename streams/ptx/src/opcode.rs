//! The opcodes of the subset, with their types.
//!
//! ```text
//!   mul.wide.s32   ["mul", "wide", "s32"] ──► (MulWide, S32)
//!   mul.ftz.f32    ["mul", "ftz", "f32"]  ──► none: refused
//! ```
//!
//! An opcode is matched as a whole: a modifier that is not listed, such as `.ftz` or `.sat`,
//! refuses the instruction. The lists are those of the PTX ISA, restricted to what LLVM's backend
//! emits for the types of the subset.

use crate::error::Refusal;
use crate::model::{Binary, Comparison, Conversion, Rounding, Space, Ternary, Type, Unary};

/// Returns the reason to refuse an opcode.
pub(crate) fn refusal(opcode: &str) -> Refusal {
    let parts: Vec<&str> = opcode.split('.').collect();
    let text = opcode.to_string();
    match parts.as_slice() {
        ["add" | "sub" | "mul", "f32" | "f64"] => Refusal::Contraction(text),
        [_, "approx" | "full", ..] => Refusal::Approximate(text),
        _ => Refusal::Instruction(text),
    }
}

/// Returns an integer type of 16, 32 or 64 bits.
fn integer(name: &str) -> Option<Type> {
    let is_integer = |ty: &Type| (ty.is_signed() || ty.is_unsigned()) && ty.bits() > 8;
    Type::parse(name).filter(is_integer)
}

fn float(name: &str) -> Option<Type> {
    Type::parse(name).filter(|ty| ty.is_float())
}

/// Returns a type of 16, 32 or 64 bits without a meaning.
fn bits(name: &str) -> Option<Type> {
    Type::parse(name).filter(|ty| ty.is_bits() && ty.bits() > 8)
}

/// Returns the operation with two sources of an opcode, and its type.
pub(crate) fn binary(parts: &[&str]) -> Option<(Binary, Type)> {
    let (op, ty) = match parts {
        ["add", ty] => (Binary::Add, integer(ty)),
        ["sub", ty] => (Binary::Sub, integer(ty)),
        ["mul", "lo", ty] => (Binary::Mul, integer(ty)),
        ["mul", "hi", ty] => (Binary::MulHigh, integer(ty)),
        ["mul", "wide", ty] => (Binary::MulWide, integer(ty).filter(|ty| ty.bits() < 64)),
        ["div", ty] => (Binary::Div, integer(ty)),
        ["rem", ty] => (Binary::Rem, integer(ty)),
        ["min", ty] => (Binary::Min, integer(ty).or(float(ty))),
        ["max", ty] => (Binary::Max, integer(ty).or(float(ty))),
        ["min", "NaN", "f32"] => (Binary::MinNan, Some(Type::F32)),
        ["max", "NaN", "f32"] => (Binary::MaxNan, Some(Type::F32)),
        ["add", "rn", ty] => (Binary::Add, float(ty)),
        ["sub", "rn", ty] => (Binary::Sub, float(ty)),
        ["mul", "rn", ty] => (Binary::Mul, float(ty)),
        ["div", "rn", ty] => (Binary::Div, float(ty)),
        ["copysign", ty] => (Binary::CopySign, float(ty)),
        ["and", ty] => (Binary::And, logical(ty)),
        ["or", ty] => (Binary::Or, logical(ty)),
        ["xor", ty] => (Binary::Xor, logical(ty)),
        ["shl", ty] => (Binary::ShiftLeft, bits(ty)),
        ["shr", ty] => (Binary::ShiftRight, bits(ty).or(integer(ty))),
        _ => return None,
    };
    Some((op, ty?))
}

fn logical(name: &str) -> Option<Type> {
    bits(name).or(Type::parse(name).filter(|ty| *ty == Type::Predicate))
}

/// Returns the operation with one source of an opcode, and its type.
pub(crate) fn unary(parts: &[&str]) -> Option<(Unary, Type)> {
    let signed = |ty| integer(ty).filter(|ty| ty.is_signed());
    let (op, ty) = match parts {
        ["not", ty] => (Unary::Not, logical(ty)),
        ["neg", ty] => (Unary::Neg, signed(ty).or(float(ty))),
        ["abs", ty] => (Unary::Abs, signed(ty).or(float(ty))),
        ["popc", ty] => (Unary::Ones, bits(ty).filter(|ty| ty.bits() > 16)),
        ["clz", ty] => (Unary::LeadingZeros, bits(ty).filter(|ty| ty.bits() > 16)),
        ["brev", ty] => (Unary::ReverseBits, bits(ty).filter(|ty| ty.bits() > 16)),
        ["sqrt", "rn", ty] => (Unary::Sqrt, float(ty)),
        ["rcp", "rn", ty] => (Unary::Reciprocal, float(ty)),
        _ => return None,
    };
    Some((op, ty?))
}

/// Returns the operation with three sources of an opcode, and its type.
pub(crate) fn ternary(parts: &[&str]) -> Option<(Ternary, Type)> {
    let wide = |ty| integer(ty).filter(|ty| ty.bits() > 16);
    let (op, ty) = match parts {
        ["mad", "lo", ty] => (Ternary::MulAdd, integer(ty)),
        ["mad", "hi", ty] => (Ternary::MulHighAdd, integer(ty)),
        ["mad", "wide", ty] => (Ternary::MulWideAdd, integer(ty).filter(|ty| ty.bits() < 64)),
        ["fma", "rn", ty] => (Ternary::MulAdd, float(ty)),
        ["bfe", ty] => (Ternary::Extract, wide(ty)),
        ["prmt", "b32"] => (Ternary::Permute, Some(Type::B32)),
        ["shf", "l", "wrap", "b32"] => (Ternary::FunnelLeft, Some(Type::B32)),
        ["shf", "l", "clamp", "b32"] => (Ternary::FunnelLeftClamp, Some(Type::B32)),
        ["shf", "r", "wrap", "b32"] => (Ternary::FunnelRight, Some(Type::B32)),
        ["shf", "r", "clamp", "b32"] => (Ternary::FunnelRightClamp, Some(Type::B32)),
        _ => return None,
    };
    Some((op, ty?))
}

/// Returns a comparison that exists for a type.
pub(crate) fn compared(name: &str, ty: &str) -> Option<(Comparison, Type)> {
    let ty = Type::parse(ty).filter(|ty| ty.bits() > 8)?;
    let comparison = match name {
        "eq" => Comparison::Eq,
        "ne" => Comparison::Ne,
        "lt" if !ty.is_bits() => Comparison::Lt,
        "le" if !ty.is_bits() => Comparison::Le,
        "gt" if !ty.is_bits() => Comparison::Gt,
        "ge" if !ty.is_bits() => Comparison::Ge,
        "lo" if ty.is_unsigned() => Comparison::Lt,
        "ls" if ty.is_unsigned() => Comparison::Le,
        "hi" if ty.is_unsigned() => Comparison::Gt,
        "hs" if ty.is_unsigned() => Comparison::Ge,
        "equ" if ty.is_float() => Comparison::UEq,
        "neu" if ty.is_float() => Comparison::UNe,
        "ltu" if ty.is_float() => Comparison::ULt,
        "leu" if ty.is_float() => Comparison::ULe,
        "gtu" if ty.is_float() => Comparison::UGt,
        "geu" if ty.is_float() => Comparison::UGe,
        "num" if ty.is_float() => Comparison::Number,
        "nan" if ty.is_float() => Comparison::Nan,
        _ => return None,
    };
    Some((comparison, ty))
}

/// Returns a conversion, if its rounding is one that the types need.
pub(crate) fn conversion(modifiers: &[&str], to: &str, from: &str) -> Option<Conversion> {
    let numeric = |ty: &Type| ty.is_float() || ty.is_signed() || ty.is_unsigned();
    let to = Type::parse(to).filter(numeric)?;
    let from = Type::parse(from).filter(numeric)?;
    let (rounding, saturates) = match modifiers {
        [] => (Rounding::Exact, false),
        ["sat"] => (Rounding::Exact, true),
        [rounding] => (rounding_of(rounding)?, false),
        [rounding, "sat"] => (rounding_of(rounding)?, true),
        _ => return None,
    };
    let is_allowed = match (rounding, to.is_float(), from.is_float()) {
        (Rounding::Exact, true, true) => to == Type::F64 && from == Type::F32,
        (Rounding::Exact, to, from) => !to && !from,
        (Rounding::Nearest, true, true) => to == Type::F32 && from == Type::F64,
        (Rounding::Nearest, to, from) => to && !from,
        (_, true, true) => to == from,
        (_, to, from) => !to && from,
    };
    let is_allowed = is_allowed && !(saturates && to.is_float());
    is_allowed.then_some(Conversion {
        to,
        from,
        rounding,
        saturates,
        register: to.bits() as u8,
    })
}

fn rounding_of(name: &str) -> Option<Rounding> {
    Some(match name {
        "rn" => Rounding::Nearest,
        "rni" => Rounding::NearestInteger,
        "rzi" => Rounding::Truncate,
        "rmi" => Rounding::Floor,
        "rpi" => Rounding::Ceil,
        _ => return None,
    })
}

/// Returns the state space with a name.
pub(crate) fn space_of(name: &str) -> Option<Space> {
    Some(match name {
        "global" => Space::Global,
        "const" => Space::Const,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "param" => Space::Param,
        _ => return None,
    })
}

/// The modifiers of a load or a store.
pub(crate) struct Modifiers {
    pub(crate) space: Space,
    pub(crate) count: u8,
    pub(crate) ty: Type,
}

/// Returns the modifiers of an access, if they are of the subset and in the order of the grammar.
pub(crate) fn modifiers(parts: &[&str]) -> Option<Modifiers> {
    let [opcode, middle @ .., ty] = parts else {
        return None;
    };
    let ty = Type::parse(ty).filter(|ty| *ty != Type::Predicate)?;
    let middle = middle.strip_prefix(&["volatile"]).unwrap_or(middle);
    let (space, middle) = match middle {
        [first, rest @ ..] => match space_of(first) {
            Some(space) => (space, rest),
            None => (Space::Generic, middle),
        },
        [] => (Space::Generic, middle),
    };
    let middle = match middle {
        ["nc", rest @ ..] if space == Space::Global && *opcode == "ld" => rest,
        _ => middle,
    };
    let count = match middle {
        [] => 1,
        ["v2"] => 2,
        ["v4"] if ty.bits() < 64 => 4,
        _ => return None,
    };
    let is_store = *opcode == "st";
    let is_allowed = !(is_store && space == Space::Const);
    is_allowed.then_some(Modifiers { space, count, ty })
}
