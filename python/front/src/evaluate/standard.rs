//! Functions of the array API standard that consist of other functions of tfx.
//!
//! Each is one definition for inference, compiled programs and eager calls, as all functions of
//! tfx. The operations have the place of the call, so that messages name it.
//!
//! Source: the array API standard, version 2025.12, for special cases such as infinities and signed
//! zeros.

mod creation;
mod elements;
mod linear;
mod order;
mod statistics;

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp, UnaryOp};

use super::library::Keywords;
use super::tensors::{Class, class};
use super::{Evaluator, Val};
use crate::target::{Result, Target};
use crate::value::{TensorType, Value, tensor_name};

/// The functions of this file.
const NAMES: &[&str] = &[
    "atan2",
    "broadcast_arrays",
    "cholesky",
    "clip",
    "conj",
    "copysign",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "det",
    "diff",
    "empty",
    "empty_like",
    "flip",
    "hypot",
    "imag",
    "inv",
    "linspace",
    "log10",
    "log2",
    "logaddexp",
    "meshgrid",
    "moveaxis",
    "nextafter",
    "outer",
    "positive",
    "real",
    "repeat",
    "roll",
    "signbit",
    "std",
    "tensordot",
    "tile",
    "trace",
    "tril",
    "triu",
    "trunc",
    "unstack",
    "var",
    "vecdot",
    "vector_norm",
];

/// Returns whether this file defines a function.
pub(super) fn defines(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
}

/// The integers whose elements have the bits of floats.
fn bits_of(dtype: DType) -> DType {
    match dtype {
        DType::F64 => DType::I64,
        _ => DType::I32,
    }
}

impl<T: Target> Evaluator<'_, T> {
    /// Calls a function of this file.
    pub(super) fn standard(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        match name {
            "positive" | "conj" | "real" => {
                let x = self.one(name, positional, keywords)?;
                self.tensor_unary(UnaryOp::Plus, x)
            }
            "imag" => {
                let x = self.one(name, positional, keywords)?;
                self.of("zeros_like", [x])
            }
            "trunc" => {
                let x = self.one(name, positional, keywords)?;
                let zero = self.int(0);
                let (down, up) = (
                    self.of("floor", [x.clone()])?,
                    self.of("ceil", [x.clone()])?,
                );
                let negative = self.tensor_compare(CompareOp::Lt, x, zero)?;
                self.of("where", [negative, up, down])
            }
            "log2" | "log10" => {
                let x = self.one(name, positional, keywords)?;
                let base: f64 = if name == "log2" { 2.0 } else { 10.0 };
                let (log, base) = (self.of("log", [x])?, self.float(base.ln()));
                self.binary(BinaryOp::Div, log, base)
            }
            "signbit" => {
                let x = self.one(name, positional, keywords)?;
                self.signbit(x)
            }
            "atan2" | "copysign" | "hypot" | "logaddexp" | "nextafter" => {
                let [a, b] = self.two_floats(name, positional, keywords)?;
                match name {
                    "atan2" => self.elementwise("Atan2", a, b),
                    "copysign" => self.copysign(a, b),
                    "hypot" => self.hypot(a, b),
                    "logaddexp" => self.logaddexp(a, b),
                    _ => self.nextafter(a, b),
                }
            }
            "clip" => self.clip(positional, keywords),
            "std" | "var" => self.variance(name, positional, keywords),
            "count_nonzero" => {
                let names = ["x", "axis", "keepdims"];
                let [x, axis, keep] = self.arguments(name, positional, keywords, names, 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let truth = self.nonzero(Value::Tensor(value, ty))?;
                let ones = self.of("astype", [truth, Value::DType(DType::I64)])?;
                let keywords = given([("axis", axis), ("keepdims", keep)]);
                self.library("sum", vec![ones], keywords)
            }
            "cumulative_sum" | "cumulative_prod" => self.cumulative(name, positional, keywords),
            "diff" => self.diff(positional, keywords),
            "empty" | "empty_like" => {
                let zeros = if name == "empty" {
                    "zeros"
                } else {
                    "zeros_like"
                };
                self.library(zeros, positional, keywords)
            }
            "linspace" => self.linspace(positional, keywords),
            "tril" | "triu" => self.triangle(name, positional, keywords),
            "meshgrid" => self.meshgrid(positional, keywords),
            "broadcast_arrays" => {
                let shape = self.common_shape(&positional)?;
                let arrays = positional.into_iter();
                let arrays = arrays.map(|array| self.of("broadcast_to", [array, shape.clone()]));
                Ok(Value::Tuple(arrays.collect::<Result<_>>()?))
            }
            "flip" => self.flip(positional, keywords),
            "roll" => self.roll(positional, keywords),
            "moveaxis" => self.moveaxis(positional, keywords),
            "tile" => self.tile(positional, keywords),
            "repeat" => self.repeat(positional, keywords),
            "unstack" => {
                let [x, axis] = self.arguments(name, positional, keywords, ["x", "axis"], 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let axis = self.axis_or(axis, 0, ty.rank())?;
                let front = self.moved(&value, &ty, &[axis], &[0]);
                Ok(Value::Tuple(self.elements(front)?))
            }
            "outer" => {
                let [a, b] = self.arguments(name, positional, keywords, ["x1", "x2"], 2)?;
                let (a, b) = self.tensor_pair(a, b)?;
                let (minus_one, zero) = (self.int(-1), self.int(0));
                let a = self.of("expand_dims", [a, minus_one])?;
                let b = self.of("expand_dims", [b, zero])?;
                self.binary(BinaryOp::Mul, a, b)
            }
            "cholesky" | "det" | "inv" => self.of_matrices(name, positional, keywords),
            "trace" => self.trace(positional, keywords),
            "tensordot" => self.tensordot(positional, keywords),
            "vecdot" => {
                let names = ["x1", "x2", "axis"];
                let [a, b, axis] = self.arguments(name, positional, keywords, names, 2)?;
                let (a, b) = self.tensor_pair(a, b)?;
                let [(a, x), (b, y)] = self.promote(a, b)?;
                let axis = match axis {
                    Some(axis) => self.constant(&axis, "an axis")?,
                    None => -1,
                };
                let least = x.rank().min(y.rank()) as i64;
                if !(-least..0).contains(&axis) {
                    return self.fail(format!(
                        "ValueError: the axis {axis} of vecdot() is not between {} and -1",
                        -least
                    ));
                }
                let dtype = x.dtype;
                let size = |ty: &TensorType| ty.shape[(ty.rank() as i64 + axis) as usize];
                if let (Some(m), Some(n)) = (size(&x), size(&y))
                    && m != n
                {
                    return self.fail(format!(
                        "ValueError: vecdot() of vectors of {m} and {n} elements"
                    ));
                }
                let (a, b) = (Value::Tensor(a, x), Value::Tensor(b, y));
                let product = self.binary(BinaryOp::Mul, a, b)?;
                let axis = self.int(axis);
                let keywords = vec![("axis".to_owned(), axis)];
                let sum = self.library("sum", vec![product], keywords)?;
                self.of("astype", [sum, Value::DType(dtype)])
            }
            _ => self.vector_norm(positional, keywords),
        }
    }

    // ---- Helpers --------------------------------------------------------------------------------

    /// Calls a function of tfx with positional arguments.
    fn of<const N: usize>(&mut self, name: &str, operands: [Val<T>; N]) -> Result<Val<T>> {
        self.library(name, operands.into(), Vec::new())
    }

    /// The argument of a function of one tensor.
    fn one(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
        let (value, ty) = self.tensor_argument(name, x)?;
        Ok(Value::Tensor(value, ty))
    }

    /// The arguments of a function of two tensors of floats, of one element type.
    fn two_floats(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<[Val<T>; 2]> {
        let [a, b] = self.arguments(name, positional, keywords, ["x1", "x2"], 2)?;
        let (a, b) = self.tensor_pair(a, b)?;
        let [(a, x), (b, y)] = self.promote(a, b)?;
        if class(x.dtype) != Class::Float {
            return self.fail(format!(
                "{name}() is for floats, not for {}; write astype(f32)",
                tensor_name(&x)
            ));
        }
        Ok([Value::Tensor(a, x), Value::Tensor(b, y)])
    }

    /// An operation on the elements of two tensors of one element type.
    pub(super) fn elementwise(&mut self, op: &'static str, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let [(a, x), (b, y)] = self.promote(a, b)?;
        let shape = self.broadcast(&x, &y)?;
        let dtype = x.dtype;
        Ok(self.op(op, &[a, b], TensorType { dtype, shape }))
    }

    /// The dimension of an optional argument.
    fn axis_or(&mut self, axis: Option<Val<T>>, default: i64, rank: usize) -> Result<usize> {
        let axis = self.int_or(axis, default);
        self.axis(&axis, rank)
    }

    fn tensor_type(&self, value: &Val<T>) -> TensorType {
        match value {
            Value::Tensor(_, ty) => ty.clone(),
            _ => unreachable!("a function of tensors returns a tensor"),
        }
    }

    /// Compares each element with zero; booleans stay as they are.
    pub(super) fn nonzero(&mut self, x: Val<T>) -> Result<Val<T>> {
        if self.tensor_type(&x).dtype == DType::Bool {
            return Ok(x);
        }
        let zero = self.int(0);
        self.tensor_compare(CompareOp::Ne, x, zero)
    }

    fn choose(&mut self, condition: Val<T>, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        self.of("where", [condition, a, b])
    }
}

/// The keywords whose arguments are given.
fn given<V, const N: usize>(all: [(&str, Option<V>); N]) -> Vec<(String, V)> {
    let all = all.into_iter();
    all.filter_map(|(name, value)| Some((name.to_owned(), value?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted() {
        assert!(NAMES.is_sorted());
    }
}
