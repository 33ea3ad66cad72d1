//! `arith`, `math` and `index` on scalars, exactly: integers wrap, floats are IEEE, cases that
//! `arith` leaves undefined are errors.
//!
//! A shift by the width or more and a conversion to an integer that overflows have no value in
//! `arith`: their result is [`Value::Undefined`], like `arith`'s poison. A division without a value
//! ends the program, as in a compiled program. An index has 64 bits.

use smallvec::{SmallVec, smallvec};
use tfx_dialects::replicable::rounds_to_nearest;
use tfx_interpreter::special::Special;
use tfx_ir::ops::arith::{self, CmpFPredicate, CmpIPredicate};
use tfx_ir::ops::index;
use tfx_ir::{Op, scalar_ops};

use crate::error::Error;
use crate::value::{Number, Value, masked, signed};

/// The results of an operation.
pub(crate) type Results<'a> = SmallVec<[Value<'a>; 1]>;
/// The computation of an operation. It is not called with undefined operands.
pub(crate) type Compute<'a> = Box<dyn Fn(&[Value<'a>]) -> Result<Results<'a>, Error>>;

/// The message of a division by zero, as in compiled programs.
const DIVISION_BY_ZERO: &str = "division by zero";
/// The message of a quotient without a value, as in compiled programs.
const TOO_LARGE: &str = "the quotient is too large for its type";

/// Returns the computation of an operation of `arith`, `math` or `index` on scalars; `None` for
/// other operations.
pub(crate) fn compute<'a>(op: Op<'a>) -> Option<Compute<'a>> {
    let name = match op.name() {
        index::CastU::NAME => "index_castui",
        index::CastS::NAME => "index_cast",
        index::Cmp::NAME => return index_comparison(op),
        name => match scalar_ops::arith_name(name).split_once('.')? {
            ("arith" | "math", name) => name,
            _ => return None,
        },
    };
    if !rounds_to_nearest(op) {
        return None;
    }
    let operand = Number::of(op.operands().next()?.ty())?;
    let result = Number::of(op.results().next()?.ty())?;
    match operand {
        Number::Integer(width) => integers(op, name, width, result),
        Number::F32 => f32_operations(op, name, result),
        Number::F64 => f64_operations(op, name, result),
    }
}

fn one<'a>(value: Value<'a>) -> Result<Results<'a>, Error> {
    Ok(smallvec![value])
}

fn flag<'a>(truth: bool) -> Result<Results<'a>, Error> {
    one(Value::Integer(u64::from(truth)))
}

// Integers.

fn integers<'a>(op: Op<'a>, name: &str, width: u32, result: Number) -> Option<Compute<'a>> {
    if let Some(compute) = wrapping(name, width) {
        return Some(Box::new(move |values| {
            one(Value::Integer(masked(
                compute(values[0].bits()?, values[1].bits()?),
                width,
            )))
        }));
    }
    if let Some(compute) = division(name) {
        return Some(Box::new(move |values| {
            let quotient = compute(values[0].bits()?, values[1].bits()?, width)?;
            one(Value::Integer(masked(quotient, width)))
        }));
    }
    if let Some(shift) = shift(name) {
        return Some(Box::new(move |values| {
            let (value, amount) = (values[0].bits()?, values[1].bits()?);
            match amount < u64::from(width) {
                true => one(Value::Integer(masked(
                    shift(value, amount as u32, width),
                    width,
                ))),
                false => one(Value::Undefined),
            }
        }));
    }
    match name {
        "cmpi" => Some(comparison(arith::CmpI::cast(op)?.predicate(), width)),
        "addui_extended" | "mulsi_extended" | "mului_extended" => extended(name, width),
        "sitofp" | "uitofp" => {
            let is_signed = name == "sitofp";
            Some(Box::new(move |values| {
                let bits = values[0].bits()?;
                one(match (result, is_signed) {
                    (Number::F32, true) => Value::F32(signed(bits, width) as f32),
                    (Number::F32, false) => Value::F32(bits as f32),
                    (Number::F64, true) => Value::F64(signed(bits, width) as f64),
                    (_, _) => Value::F64(bits as f64),
                })
            }))
        }
        "bitcast" => Some(Box::new(move |values| {
            one(result.of_bits(values[0].bits()?))
        })),
        _ => {
            let Number::Integer(to) = result else {
                return None;
            };
            let compute = converted(name)?;
            Some(Box::new(move |values| {
                one(Value::Integer(masked(
                    compute(values[0].bits()?, width),
                    to,
                )))
            }))
        }
    }
}

/// Operations of two integers that always have a value; bits above the width are cut off.
fn wrapping(name: &str, width: u32) -> Option<Box<dyn Fn(u64, u64) -> u64>> {
    let less = move |a: u64, b: u64| signed(a, width) < signed(b, width);
    Some(match name {
        "addi" => Box::new(u64::wrapping_add),
        "subi" => Box::new(u64::wrapping_sub),
        "muli" => Box::new(u64::wrapping_mul),
        "andi" => Box::new(|a, b| a & b),
        "ori" => Box::new(|a, b| a | b),
        "xori" => Box::new(|a, b| a ^ b),
        "maxsi" => Box::new(move |a, b| if less(a, b) { b } else { a }),
        "minsi" => Box::new(move |a, b| if less(a, b) { a } else { b }),
        "maxui" => Box::new(u64::max),
        "minui" => Box::new(u64::min),
        _ => return None,
    })
}

/// A power of integers. With a negative exponent it is the quotient of 1 and a power: 0 has none,
/// and the others have 0, except for the bases 1 and -1.
fn power(base: u64, exponent: u64, width: u32) -> Result<u64, Error> {
    match (signed(base, width), signed(exponent, width)) {
        (0, ..0) => Err(DIVISION_BY_ZERO.into()),
        (1, _) => Ok(1),
        (-1, exponent) if exponent % 2 == 0 => Ok(1),
        (-1, _) => Ok(u64::MAX),
        (_, ..0) => Ok(0),
        (_, exponent) => {
            let (mut result, mut square, mut left) = (1u64, base, exponent);
            while left > 0 {
                if left % 2 == 1 {
                    result = result.wrapping_mul(square);
                }
                square = square.wrapping_mul(square);
                left /= 2;
            }
            Ok(result)
        }
    }
}

type Division = fn(u64, u64, u32) -> Result<u64, Error>;

fn division(name: &str) -> Option<Division> {
    /// Returns both operands of a division that has a value.
    fn checked(a: u64, b: u64, width: u32) -> Result<(i64, i64), Error> {
        let (a, b) = (signed(a, width), signed(b, width));
        match b {
            0 => Err(DIVISION_BY_ZERO.into()),
            -1 if a == i64::MIN >> (64 - width) => Err(TOO_LARGE.into()),
            _ => Ok((a, b)),
        }
    }
    fn unsigned(b: u64) -> Result<u64, Error> {
        match b {
            0 => Err(DIVISION_BY_ZERO.into()),
            _ => Ok(b),
        }
    }
    Some(match name {
        "divsi" => |a, b, width| checked(a, b, width).map(|(a, b)| a.wrapping_div(b) as u64),
        "remsi" => |a, b, width| checked(a, b, width).map(|(a, b)| a.wrapping_rem(b) as u64),
        "floordivsi" => |a, b, width| {
            let (a, b) = checked(a, b, width)?;
            let inexact = a % b != 0 && (a < 0) != (b < 0);
            Ok((a / b - i64::from(inexact)) as u64)
        },
        "ceildivsi" => |a, b, width| {
            let (a, b) = checked(a, b, width)?;
            let inexact = a % b != 0 && (a < 0) == (b < 0);
            Ok((a / b + i64::from(inexact)) as u64)
        },
        "divui" => |a, b, _| Ok(a / unsigned(b)?),
        "remui" => |a, b, _| Ok(a % unsigned(b)?),
        "ceildivui" => |a, b, _| Ok(a.div_ceil(unsigned(b)?)),
        "ipowi" => power,
        _ => return None,
    })
}

fn shift(name: &str) -> Option<fn(u64, u32, u32) -> u64> {
    Some(match name {
        "shli" => |value, amount, _| value << amount,
        "shrui" => |value, amount, _| value >> amount,
        "shrsi" => |value, amount, width| (signed(value, width) >> amount) as u64,
        _ => return None,
    })
}

/// Operations of one integer, and conversions: from a width.
fn converted(name: &str) -> Option<fn(u64, u32) -> u64> {
    Some(match name {
        "extsi" | "index_cast" => |bits, width| signed(bits, width) as u64,
        "extui" | "trunci" | "index_castui" => |bits, _| bits,
        "absi" => |bits, width| signed(bits, width).unsigned_abs(),
        "ctlz" => |bits, width| u64::from(bits.leading_zeros() - (64 - width)),
        "cttz" => |bits, width| u64::from(bits.trailing_zeros().min(width)),
        "ctpop" => |bits, _| u64::from(bits.count_ones()),
        _ => return None,
    })
}

/// Operations with two results: the lower half and the carry, or the higher half.
fn extended<'a>(name: &str, width: u32) -> Option<Compute<'a>> {
    let name = name.to_owned();
    Some(Box::new(move |values| {
        let (a, b) = (values[0].bits()?, values[1].bits()?);
        let wide = match name.as_str() {
            "mulsi_extended" => {
                (i128::from(signed(a, width)) * i128::from(signed(b, width))) as u128
            }
            "mului_extended" => u128::from(a) * u128::from(b),
            _ => u128::from(a) + u128::from(b),
        };
        let high = masked((wide >> width) as u64, width);
        Ok(smallvec![
            Value::Integer(masked(wide as u64, width)),
            Value::Integer(high)
        ])
    }))
}

fn comparison<'a>(predicate: CmpIPredicate, width: u32) -> Compute<'a> {
    Box::new(move |values| {
        let (a, b) = (values[0].bits()?, values[1].bits()?);
        flag(compared(predicate, a, b, width))
    })
}

fn compared(predicate: CmpIPredicate, a: u64, b: u64, width: u32) -> bool {
    let (x, y) = (signed(a, width), signed(b, width));
    match predicate {
        CmpIPredicate::Eq => a == b,
        CmpIPredicate::Ne => a != b,
        CmpIPredicate::Slt => x < y,
        CmpIPredicate::Sle => x <= y,
        CmpIPredicate::Sgt => x > y,
        CmpIPredicate::Sge => x >= y,
        CmpIPredicate::Ult => a < b,
        CmpIPredicate::Ule => a <= b,
        CmpIPredicate::Ugt => a > b,
        CmpIPredicate::Uge => a >= b,
    }
}

fn index_comparison<'a>(op: Op<'a>) -> Option<Compute<'a>> {
    // `#index<cmp_predicate slt>`
    let text = index::Cmp::cast(op)?.pred().to_string();
    let name = text.trim_end_matches('>').rsplit(' ').next()?;
    let mut predicates = CmpIPredicate::ALL.into_iter();
    let predicate = predicates.find(|known| known.as_str() == name)?;
    Some(comparison(predicate, 64))
}

// Floats.

fn float_compared<T: PartialOrd>(predicate: CmpFPredicate, a: T, b: T) -> bool {
    let unordered = a.partial_cmp(&b).is_none();
    let (less, equal, greater) = (a < b, a == b, a > b);
    match predicate {
        CmpFPredicate::AlwaysFalse => false,
        CmpFPredicate::Oeq => equal,
        CmpFPredicate::Ogt => greater,
        CmpFPredicate::Oge => greater || equal,
        CmpFPredicate::Olt => less,
        CmpFPredicate::Ole => less || equal,
        CmpFPredicate::One => less || greater,
        CmpFPredicate::Ord => !unordered,
        CmpFPredicate::Ueq => unordered || equal,
        CmpFPredicate::Ugt => unordered || greater,
        CmpFPredicate::Uge => unordered || greater || equal,
        CmpFPredicate::Ult => unordered || less,
        CmpFPredicate::Ule => unordered || less || equal,
        CmpFPredicate::Une => unordered || less || greater,
        CmpFPredicate::Uno => unordered,
        CmpFPredicate::AlwaysTrue => true,
    }
}

macro_rules! floats {
    ($function:ident, $float:ident, $variant:ident) => {
        fn $function<'a>(op: Op<'a>, name: &str, result: Number) -> Option<Compute<'a>> {
            fn get(value: &Value<'_>) -> Result<$float, Error> {
                match value {
                    Value::$variant(value) => Ok(*value),
                    other => Err(Error::expected("a float", other.kind())),
                }
            }
            /// The larger one in the order of IEEE 754-2019, in which -0 is below 0; NaN
            /// propagates.
            fn maximum(a: $float, b: $float) -> $float {
                match a.is_nan() || b.is_nan() {
                    true => $float::NAN,
                    false if a == b => {
                        if a.is_sign_positive() {
                            a
                        } else {
                            b
                        }
                    }
                    false => a.max(b),
                }
            }
            fn minimum(a: $float, b: $float) -> $float {
                -maximum(-a, -b)
            }
            /// An extremum, or the operand that is a number. `arith` leaves the choice between two
            /// zeros open; all parts of tfx choose that of `maximumf` and `minimumf`.
            fn number_or(extremum: fn($float, $float) -> $float, a: $float, b: $float) -> $float {
                match (a.is_nan(), b.is_nan()) {
                    (true, _) => b,
                    (_, true) => a,
                    _ => extremum(a, b),
                }
            }
            /// By squaring, with one division at the end, as upstream lowers it.
            fn power(base: $float, exponent: i64) -> $float {
                let (mut result, mut square, mut left) = (1.0, base, exponent.unsigned_abs());
                while left > 0 {
                    if left % 2 == 1 {
                        result *= square;
                    }
                    square *= square;
                    left /= 2;
                }
                if exponent < 0 { 1.0 / result } else { result }
            }
            let two: Option<fn($float, $float) -> $float> = match name {
                "addf" => Some(|a, b| a + b),
                "subf" => Some(|a, b| a - b),
                "mulf" => Some(|a, b| a * b),
                "divf" => Some(|a, b| a / b),
                "remf" => Some(|a, b| a % b),
                "maximumf" => Some(maximum),
                "minimumf" => Some(minimum),
                "maxnumf" => Some(|a, b| number_or(maximum, a, b)),
                "minnumf" => Some(|a, b| number_or(minimum, a, b)),
                "atan2" => Some($float::atan2),
                "powf" => Some($float::powf),
                "copysign" => Some($float::copysign),
                _ => None,
            };
            if let Some(compute) = two {
                return Some(Box::new(move |values| {
                    one(Value::$variant(compute(get(&values[0])?, get(&values[1])?)))
                }));
            }
            let single: Option<fn($float) -> $float> = match name {
                "negf" => Some(|x| -x),
                "absf" => Some($float::abs),
                "acos" => Some($float::acos),
                "acosh" => Some(Special::acosh),
                "asin" => Some($float::asin),
                "asinh" => Some(Special::asinh),
                "atan" => Some($float::atan),
                "atanh" => Some(Special::atanh),
                "cbrt" => Some($float::cbrt),
                "ceil" => Some($float::ceil),
                "cos" => Some($float::cos),
                "cosh" => Some($float::cosh),
                "erf" => Some(Special::erf),
                "erfc" => Some(Special::erfc),
                "exp" => Some($float::exp),
                "exp2" => Some($float::exp2),
                "expm1" => Some($float::exp_m1),
                "floor" => Some($float::floor),
                "log" => Some($float::ln),
                "log10" => Some($float::log10),
                "log1p" => Some($float::ln_1p),
                "log2" => Some($float::log2),
                "round" => Some($float::round),
                "roundeven" => Some($float::round_ties_even),
                "rsqrt" => Some(|x| 1.0 / x.sqrt()),
                "sin" => Some($float::sin),
                "sinh" => Some($float::sinh),
                "sqrt" => Some($float::sqrt),
                "tan" => Some($float::tan),
                "tanh" => Some($float::tanh),
                "trunc" => Some($float::trunc),
                _ => None,
            };
            if let Some(compute) = single {
                return Some(Box::new(move |values| {
                    one(Value::$variant(compute(get(&values[0])?)))
                }));
            }
            let test: Option<fn($float) -> bool> = match name {
                "isnan" => Some($float::is_nan),
                "isinf" => Some($float::is_infinite),
                "isfinite" => Some($float::is_finite),
                "isnormal" => Some($float::is_normal),
                _ => None,
            };
            if let Some(test) = test {
                return Some(Box::new(move |values| flag(test(get(&values[0])?))));
            }
            match name {
                "cmpf" => {
                    let predicate = arith::CmpF::cast(op)?.predicate();
                    Some(Box::new(move |values| {
                        flag(float_compared(
                            predicate,
                            get(&values[0])?,
                            get(&values[1])?,
                        ))
                    }))
                }
                "fma" => Some(Box::new(move |values| {
                    let (a, b, c) = (get(&values[0])?, get(&values[1])?, get(&values[2])?);
                    one(Value::$variant(a.mul_add(b, c)))
                })),
                "clampf" => Some(Box::new(move |values| {
                    let (value, low, high) = (get(&values[0])?, get(&values[1])?, get(&values[2])?);
                    one(Value::$variant(maximum(minimum(value, high), low)))
                })),
                "fpowi" => {
                    let Number::Integer(width) = Number::of(op.operand(1).ty())? else {
                        return None;
                    };
                    Some(Box::new(move |values| {
                        let exponent = signed(values[1].bits()?, width);
                        one(Value::$variant(power(get(&values[0])?, exponent)))
                    }))
                }
                "sincos" => Some(Box::new(move |values| {
                    let value = get(&values[0])?;
                    Ok(smallvec![
                        Value::$variant(value.sin()),
                        Value::$variant(value.cos())
                    ])
                })),
                "extf" | "truncf" => Some(Box::new(move |values| {
                    let value = get(&values[0])?;
                    one(match result {
                        Number::F32 => Value::F32(value as f32),
                        _ => Value::F64(value.into()),
                    })
                })),
                "bitcast" => Some(Box::new(move |values| {
                    one(result.of_bits(get(&values[0])?.to_bits().into()))
                })),
                "fptosi" | "fptoui" => {
                    let Number::Integer(width) = result else {
                        return None;
                    };
                    let is_signed = name == "fptosi";
                    Some(Box::new(move |values| {
                        let whole = f64::from(get(&values[0])?).trunc();
                        // Powers of two, so both are exact: the minimum value, and the first that
                        // is too large.
                        let (least, end) = match is_signed {
                            true => (-(2f64.powi(width as i32 - 1)), 2f64.powi(width as i32 - 1)),
                            false => (0.0, 2f64.powi(width as i32)),
                        };
                        match whole >= least && whole < end {
                            true if is_signed => {
                                one(Value::Integer(masked(whole as i64 as u64, width)))
                            }
                            true => one(Value::Integer(whole as u64)),
                            false => one(Value::Undefined),
                        }
                    }))
                }
                _ => None,
            }
        }
    };
}

floats!(f32_operations, f32, F32);
floats!(f64_operations, f64, F64);
