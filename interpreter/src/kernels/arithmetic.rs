//! Elementwise arithmetic, comparisons, logic, bit operations and selection.

use crate::{
    kernels::{
        Builder, Entry, Result,
        broadcast::*,
        dispatch, fail, input, lists,
        number::{Integer, Number},
        single, take,
    },
    special::Special,
    tensor::{Bool, DType, Shape, Tensor, shape_text},
};

/// `|x| ...` for each element of a tensor of one of a set of types.
macro_rules! unary {
    ($set:ident, |$x:ident: $T:ident| $body:expr) => {
        |_| {
            single(|inputs| {
                let tensor = take(inputs, 0)?;
                dispatch!(tensor.dtype(), $T in $set => map_in_place(tensor, |$x: $T| $body))
            })
        }
    };
}

/// `|x, y| ...` for each pair of elements of one of a set of types; `?` may be used in it.
macro_rules! binary {
    ($set:ident, |$x:ident, $y:ident: $T:ident| $body:expr) => {
        |_| {
            single(|inputs| {
                let (left, right) = (take(inputs, 0)?, take(inputs, 1)?);
                dispatch!(left.dtype(), $T in $set => zip_in_place(left, right, |$x: $T, $y: $T| $body))
            })
        }
    };
}

/// A comparison of each pair of elements.
macro_rules! compare {
    ($set:ident, |$x:ident, $y:ident: $T:ident| $body:expr) => {
        |_| {
            single(|inputs| {
                let (left, right) = (input(inputs, 0)?, input(inputs, 1)?);
                dispatch!(left.dtype(), $T in $set => {
                    zip(left, right, |$x: $T, $y: $T| Ok(Bool::from($body)))
                })
            })
        }
    };
}

const ADD: Builder = binary!(numbers, |x, y: T| Ok(<T as Number>::add(x, y)));
const DIVIDE: Builder = binary!(numbers, |x, y: T| <T as Number>::div(x, y));
const TRUNCATE_MOD: Builder = binary!(numbers, |x, y: T| <T as Number>::truncate_mod(x, y));
const RECIPROCAL: Builder = unary!(floats, |x: T| T::ONE / x);

pub(super) const KERNELS: &[Entry] = &[
    ("Add", ADD),
    ("AddV2", ADD),
    (
        "Sub",
        binary!(numbers, |x, y: T| Ok(<T as Number>::sub(x, y))),
    ),
    (
        "Mul",
        binary!(numbers, |x, y: T| Ok(<T as Number>::mul(x, y))),
    ),
    ("Div", DIVIDE),
    ("RealDiv", DIVIDE),
    ("TruncateDiv", DIVIDE),
    (
        "DivNoNan",
        binary!(floats, |x, y: T| unless_zero(y, || x / y)),
    ),
    (
        "MulNoNan",
        binary!(floats, |x, y: T| unless_zero(y, || x * y)),
    ),
    // Zero, whatever the other operand is.
    (
        "Xlogy",
        binary!(floats, |x, y: T| unless_zero(x, || x * y.ln())),
    ),
    (
        "Xlog1py",
        binary!(floats, |x, y: T| unless_zero(x, || x * y.ln_1p())),
    ),
    ("Xdivy", binary!(floats, |x, y: T| unless_zero(x, || x / y))),
    (
        "FloorDiv",
        binary!(numbers, |x, y: T| <T as Number>::floor_div(x, y)),
    ),
    (
        "FloorMod",
        binary!(numbers, |x, y: T| <T as Number>::floor_mod(x, y)),
    ),
    ("TruncateMod", TRUNCATE_MOD),
    ("Mod", TRUNCATE_MOD),
    ("Pow", binary!(numbers, |x, y: T| <T as Number>::pow(x, y))),
    (
        "Maximum",
        binary!(numbers, |x, y: T| Ok(<T as Number>::maximum(x, y))),
    ),
    (
        "Minimum",
        binary!(numbers, |x, y: T| Ok(<T as Number>::minimum(x, y))),
    ),
    (
        "SquaredDifference",
        binary!(numbers, |x, y: T| {
            let difference = <T as Number>::sub(x, y);
            Ok(<T as Number>::mul(difference, difference))
        }),
    ),
    ("Atan2", binary!(floats, |x, y: T| Ok(x.atan2(y)))),
    ("Neg", unary!(numbers, |x: T| <T as Number>::neg(x))),
    ("Abs", unary!(numbers, |x: T| <T as Number>::abs(x))),
    ("Sign", unary!(numbers, |x: T| <T as Number>::sign(x))),
    ("Square", unary!(numbers, |x: T| <T as Number>::mul(x, x))),
    ("Exp", unary!(floats, |x: T| x.exp())),
    ("Expm1", unary!(floats, |x: T| x.exp_m1())),
    ("Log", unary!(floats, |x: T| x.ln())),
    ("Log1p", unary!(floats, |x: T| x.ln_1p())),
    ("Sqrt", unary!(floats, |x: T| x.sqrt())),
    ("Rsqrt", unary!(floats, |x: T| T::ONE / x.sqrt())),
    ("Reciprocal", RECIPROCAL),
    ("Inv", RECIPROCAL),
    ("Sin", unary!(floats, |x: T| x.sin())),
    ("Cos", unary!(floats, |x: T| x.cos())),
    ("Tan", unary!(floats, |x: T| x.tan())),
    ("Asin", unary!(floats, |x: T| x.asin())),
    ("Acos", unary!(floats, |x: T| x.acos())),
    ("Atan", unary!(floats, |x: T| x.atan())),
    ("Sinh", unary!(floats, |x: T| x.sinh())),
    ("Cosh", unary!(floats, |x: T| x.cosh())),
    ("Tanh", unary!(floats, |x: T| x.tanh())),
    ("Asinh", unary!(floats, |x: T| Special::asinh(x))),
    ("Acosh", unary!(floats, |x: T| Special::acosh(x))),
    ("Atanh", unary!(floats, |x: T| Special::atanh(x))),
    ("Erf", unary!(floats, |x: T| Special::erf(x))),
    ("Erfc", unary!(floats, |x: T| Special::erfc(x))),
    ("Floor", unary!(floats, |x: T| x.floor())),
    ("Ceil", unary!(floats, |x: T| x.ceil())),
    ("Round", |_| single(round)),
    ("Rint", unary!(floats, |x: T| x.round_ties_even())),
    ("IsNan", |_| single(|inputs| classify(inputs, f64::is_nan))),
    ("IsInf", |_| {
        single(|inputs| classify(inputs, f64::is_infinite))
    }),
    ("IsFinite", |_| {
        single(|inputs| classify(inputs, f64::is_finite))
    }),
    ("Less", compare!(numbers, |x, y: T| x < y)),
    ("LessEqual", compare!(numbers, |x, y: T| x <= y)),
    ("Greater", compare!(numbers, |x, y: T| x > y)),
    ("GreaterEqual", compare!(numbers, |x, y: T| x >= y)),
    ("Equal", |_| single(|inputs| equal(inputs, true))),
    ("NotEqual", |_| single(|inputs| equal(inputs, false))),
    ("LogicalAnd", |_| {
        single(|inputs| logical(inputs, |x, y| x && y))
    }),
    ("LogicalOr", |_| {
        single(|inputs| logical(inputs, |x, y| x || y))
    }),
    ("LogicalNot", |_| {
        single(|inputs| map_in_place(take(inputs, 0)?, |x: Bool| Bool::from(!x.get())))
    }),
    ("BitwiseAnd", binary!(integers, |x, y: T| Ok(x.and(y)))),
    ("BitwiseOr", binary!(integers, |x, y: T| Ok(x.or(y)))),
    ("BitwiseXor", binary!(integers, |x, y: T| Ok(x.xor(y)))),
    ("Invert", unary!(integers, |x: T| Integer::not(x))),
    (
        "LeftShift",
        binary!(integers, |x, y: T| Ok(x.shift_left(y))),
    ),
    (
        "RightShift",
        binary!(integers, |x, y: T| Ok(x.shift_right(y))),
    ),
    ("PopulationCount", |_| {
        single(|inputs| {
            let tensor = input(inputs, 0)?;
            dispatch!(tensor.dtype(), T in integers => map(tensor, |x: T| Integer::set_bits(x)))
        })
    }),
    ("Select", |_| single(select)),
    ("SelectV2", |_| single(select_broadcast)),
    ("AddN", |_| single(add_all)),
    ("ClipByValue", |_| single(clip)),
];

/// Returns 0 for 0, and the value for other numbers.
fn unless_zero<T: Number>(x: T, value: impl FnOnce() -> T) -> Result<T> {
    Ok(if x == T::ZERO { T::ZERO } else { value() })
}

/// Rounds to the nearest integer, ties to even; integers are unchanged.
fn round(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = take(inputs, 0)?;
    match tensor.dtype() {
        DType::F32 => map_in_place(tensor, f32::round_ties_even),
        DType::F64 => map_in_place(tensor, f64::round_ties_even),
        _ => Ok(tensor),
    }
}

fn classify(inputs: &mut [Tensor], test: impl Fn(f64) -> bool) -> Result<Tensor> {
    let tensor = input(inputs, 0)?;
    dispatch!(tensor.dtype(), T in floats => map(tensor, |x: T| Bool::from(test(x.to_f64()))))
}

/// Returns `expected` where the elements are equal; supports strings.
fn equal(inputs: &mut [Tensor], expected: bool) -> Result<Tensor> {
    let (left, right) = (input(inputs, 0)?, input(inputs, 1)?);
    if let (Ok(left_strings), Ok(right_strings)) = (left.strings(), right.strings()) {
        let shape = broadcast_shape(left.shape(), right.shape())?;
        let one = |strings: &[Vec<u8>], index: usize| if strings.len() == 1 { 0 } else { index };
        if left.shape() != right.shape() && left.elements() != 1 && right.elements() != 1 {
            return fail!("strings are compared by shape or with a single string");
        }
        return Ok(Tensor::build(&shape, |output: &mut [Bool]| {
            for (index, output) in output.iter_mut().enumerate() {
                let equal = left_strings[one(left_strings, index)]
                    == right_strings[one(right_strings, index)];
                *output = Bool::from(equal == expected);
            }
        })?);
    }
    dispatch!(left.dtype(), T in plain => zip(left, right, |x: T, y: T| Ok(Bool::from((x == y) == expected))))
}

fn logical(inputs: &mut [Tensor], f: impl Fn(bool, bool) -> bool) -> Result<Tensor> {
    let (left, right) = (take(inputs, 0)?, take(inputs, 1)?);
    zip_in_place(left, right, |x: Bool, y: Bool| {
        Ok(Bool::from(f(x.get(), y.get())))
    })
}

/// TensorFlow 1's selection: the condition is a scalar, has the shape of the values, or selects
/// rows.
fn select(inputs: &mut [Tensor]) -> Result<Tensor> {
    let condition = input(inputs, 0)?;
    let (then, otherwise) = (input(inputs, 1)?, input(inputs, 2)?);
    super::same_shape(then, otherwise)?;
    if condition.rank() == 0 {
        let chosen = if condition.item::<Bool>()?.get() {
            then
        } else {
            otherwise
        };
        return Ok(chosen.clone());
    }
    let rows = condition.rank() == 1 && then.rank() > 1 && condition.shape()[0] == then.shape()[0];
    if !rows {
        super::same_shape(condition, then)?;
        return select_broadcast(inputs);
    }
    let mut shape: Shape = smallvec::smallvec![1; then.rank()];
    shape[0] = condition.elements();
    inputs[0] = take(inputs, 0)?.reshaped(&shape)?;
    select_broadcast(inputs)
}

/// Selection with broadcasting of all three inputs.
fn select_broadcast(inputs: &mut [Tensor]) -> Result<Tensor> {
    let (condition, then, otherwise) = (input(inputs, 0)?, input(inputs, 1)?, input(inputs, 2)?);
    let values = broadcast_shape(then.shape(), otherwise.shape())?;
    let shape = broadcast_shape(condition.shape(), &values)?;
    let conditions = condition.values::<Bool>()?;
    let all_strides =
        [condition, then, otherwise].map(|operand| broadcast_strides(operand.shape(), &shape));
    let steps = all_strides
        .each_ref()
        .map(|strides| strides.last().copied().unwrap_or(0));
    dispatch!(then.dtype(), T in plain => {
        let (then, otherwise) = (then.values::<T>()?, otherwise.values::<T>()?);
        let mut outcome = Ok(());
        let result = Tensor::build(&shape, |output: &mut [T]| {
            let strides = all_strides.each_ref().map(|strides| &strides[..]);
            outcome = for_each_row(&shape, strides, |start, offsets, length| {
                for (index, output) in output[start..start + length].iter_mut().enumerate() {
                    let at = |operand: usize| offsets[operand] + index * steps[operand];
                    *output = if conditions[at(0)].get() { then[at(1)] } else { otherwise[at(2)] };
                }
                Ok(())
            });
        })?;
        outcome.map(|()| result)
    })
}

/// The sum of tensors of one shape, or of lists element by element.
pub(super) fn add_all(inputs: &mut [Tensor]) -> Result<Tensor> {
    if input(inputs, 0)?.dtype() == DType::Variant {
        return lists::add_all(inputs);
    }
    let mut sum = take(inputs, 0)?;
    for index in 1..inputs.len() {
        let next = take(inputs, index)?;
        if next.shape() != sum.shape() {
            return fail!(
                "Inputs to operation AddN must have the same size and shape.  Input 0: {} != input {index}: {}",
                shape_text(sum.shape()),
                shape_text(next.shape())
            );
        }
        sum = dispatch!(sum.dtype(), T in numbers => zip_in_place(sum, next, |x: T, y: T| Ok(<T as Number>::add(x, y))))?;
    }
    Ok(sum)
}

/// Clamps each element between a lower and an upper bound.
fn clip(inputs: &mut [Tensor]) -> Result<Tensor> {
    let (values, low, high) = (take(inputs, 0)?, take(inputs, 1)?, take(inputs, 2)?);
    for bound in [&low, &high] {
        if bound.rank() != 0 {
            super::same_shape(&values, bound)?;
        }
    }
    dispatch!(values.dtype(), T in numbers => {
        let capped = zip_in_place(values, high, |x: T, y: T| Ok(<T as Number>::minimum(x, y)))?;
        zip_in_place(capped, low, |x: T, y: T| Ok(<T as Number>::maximum(x, y)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_divide_as_in_tensorflow() {
        assert_eq!(Number::floor_div(-7, 2), Ok(-4));
        assert_eq!(Number::div(-7, 2), Ok(-3));
        assert_eq!(Number::floor_mod(-7, 2), Ok(1));
        assert_eq!(Number::truncate_mod(-7, 2), Ok(-1));
        assert_eq!(Number::div(i32::MIN, -1), Ok(i32::MIN));
        assert_eq!(Number::pow(3, 5), Ok(243));
        assert_eq!(Number::pow(2u8, 9), Ok(0));
        let error = Number::floor_div(1, 0).expect_err("division by zero");
        assert_eq!(error.to_string(), "Integer division by zero");
        assert!(Number::pow(2, -1).is_err());
    }

    #[test]
    fn rows_are_selected() {
        let condition =
            Tensor::from_slice(&[2], &[Bool::from(true), Bool::from(false)]).expect("a tensor");
        let then = Tensor::from_slice(&[2, 2], &[1, 2, 3, 4]).expect("a tensor");
        let otherwise = Tensor::from_slice(&[2, 2], &[5, 6, 7, 8]).expect("a tensor");
        let result = select(&mut [condition, then, otherwise]).expect("fits");
        assert_eq!(result.values::<i32>(), Ok(&[1, 2, 7, 8][..]));
    }
}
