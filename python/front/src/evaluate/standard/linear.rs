//! Linear algebra: products and properties of matrices.

use tfx_python_syntax::BinaryOp;

use super::super::library::Keywords;
use super::super::tensors::{Class, class};
use super::super::{Evaluator, Val};
use super::given;
use crate::target::{Result, Target};
use crate::value::{TensorType, Value, tensor_name};

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn of_matrices(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let [x, upper] = self.arguments(name, positional, keywords, ["x", "upper"], 1)?;
        let (value, ty) = self.tensor_argument(name, x)?;
        if ty.rank() < 2 || class(ty.dtype) != Class::Float {
            return self.fail(format!(
                "{name}() is for matrices of floats, not for {}",
                tensor_name(&ty)
            ));
        }
        let (op, to) = match name {
            "cholesky" => ("Cholesky", ty),
            "inv" => ("MatrixInverse", ty),
            _ => {
                let shape = ty.shape[..ty.rank() - 2].to_vec();
                let dtype = ty.dtype;
                ("MatrixDeterminant", TensorType { dtype, shape })
            }
        };
        let result = self.op(op, &[value], to);
        match upper {
            Some(Value::Bool(_, Some(true))) => self.attribute(result, "mT"),
            _ => Ok(result),
        }
    }

    pub(super) fn trace(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "offset", "dtype"];
        let [x, offset, dtype] = self.arguments("trace", positional, keywords, names, 1)?;
        let (value, ty) = self.tensor_argument("trace", x)?;
        if ty.rank() < 2 {
            return self.fail(format!(
                "trace() is for matrices, not for {}",
                tensor_name(&ty)
            ));
        }
        // The matrix without what is above and below of the diagonal.
        let offset = self.int_or(offset, 0);
        let x = Value::Tensor(value, ty);
        let lower = self.of("tril", [x, offset.clone()])?;
        let diagonal = self.of("triu", [lower, offset])?;
        let (rows, columns) = (self.int(-2), self.int(-1));
        let axes = Value::Tuple(vec![rows, columns]);
        let keywords = given([("axis", Some(axes)), ("dtype", dtype)]);
        self.library("sum", vec![diagonal], keywords)
    }

    pub(super) fn tensordot(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x1", "x2", "axes"];
        let [a, b, axes] = self.arguments("tensordot", positional, keywords, names, 2)?;
        let (a, b) = self.tensor_pair(a, b)?;
        let [(a, x), (b, y)] = self.promote(a, b)?;
        let (of_a, of_b) = match axes {
            Some(Value::Tuple(mut both) | Value::List(mut both)) if both.len() == 2 => {
                let second = both.pop().unwrap_or(Value::None);
                let first = both.pop().unwrap_or(Value::None);
                (self.axes(first, x.rank())?, self.axes(second, y.rank())?)
            }
            other => {
                let count = match other {
                    Some(count) => self.constant(&count, "the number of axes")?,
                    None => 2,
                };
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                if count > x.rank().min(y.rank()) {
                    return self.fail(format!(
                        "ValueError: tensordot() of {} and {} over {count} axes",
                        tensor_name(&x),
                        tensor_name(&y)
                    ));
                }
                let first = x.rank() - count..x.rank();
                (first.collect(), (0..count).collect())
            }
        };
        if of_a.len() != of_b.len() {
            return self.fail("ValueError: tensordot() needs as many axes of both tensors");
        }
        // Both become matrices: [free, contracted] and [contracted, free].
        let free = |ty: &TensorType, axes: &[usize]| -> Vec<usize> {
            (0..ty.rank()).filter(|axis| !axes.contains(axis)).collect()
        };
        let (free_a, free_b) = (free(&x, &of_a), free(&y, &of_b));
        let (sizes_a, sizes_b) = (self.sizes_of(&a, &x), self.sizes_of(&b, &y));
        let product = |evaluator: &mut Self, sizes: &[Val<T>], axes: &[usize]| {
            evaluator.product(axes.iter().map(|axis| sizes[*axis].clone()))
        };
        let rows = product(self, &sizes_a, &free_a)?;
        let contracted = product(self, &sizes_a, &of_a)?;
        let contracted_b = product(self, &sizes_b, &of_b)?;
        let columns = product(self, &sizes_b, &free_b)?;
        let left = self.permuted(&a, &x, &[free_a.clone(), of_a].concat());
        let left = self.of("reshape", [left, Value::Tuple(vec![rows, contracted])])?;
        let right = self.permuted(&b, &y, &[of_b, free_b.clone()].concat());
        let right = self.of(
            "reshape",
            [right, Value::Tuple(vec![contracted_b, columns])],
        )?;
        let result = self.matmul(left, right)?;
        let sizes = free_a.iter().map(|axis| sizes_a[*axis].clone());
        let sizes = sizes.chain(free_b.iter().map(|axis| sizes_b[*axis].clone()));
        let sizes = Value::Tuple(sizes.collect());
        self.of("reshape", [result, sizes])
    }

    pub(super) fn vector_norm(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "axis", "keepdims", "ord"];
        let [x, axis, keep, ord] = self.arguments("vector_norm", positional, keywords, names, 1)?;
        let (value, ty) = self.tensor_argument("vector_norm", x)?;
        if class(ty.dtype) != Class::Float {
            return self.fail(format!(
                "vector_norm() is for floats, not for {}; write astype(f32)",
                tensor_name(&ty)
            ));
        }
        let ord = match ord {
            Some(Value::Int(_, Some(ord))) => ord as f64,
            Some(Value::Float(_, Some(bits))) => f64::from_bits(bits),
            None => 2.0,
            Some(_) => return self.not_constant("the order of a norm must be a number"),
        };
        let size = self.of("abs", [Value::Tensor(value, ty)])?;
        let keywords = given([("axis", axis), ("keepdims", keep)]);
        if ord == 0.0 {
            let dtype = self.tensor_type(&size).dtype;
            let count = self.library("count_nonzero", vec![size], keywords)?;
            return self.of("astype", [count, Value::DType(dtype)]);
        }
        if ord.is_infinite() {
            let extreme = if ord > 0.0 { "max" } else { "min" };
            return self.library(extreme, vec![size], keywords);
        }
        if ord == 1.0 {
            return self.library("sum", vec![size], keywords);
        }
        let (exponent, root) = (self.float(ord), self.float(1.0 / ord));
        let powers = match ord == 2.0 {
            true => self.of("square", [size])?,
            false => self.binary(BinaryOp::Pow, size, exponent)?,
        };
        let sum = self.library("sum", vec![powers], keywords)?;
        match ord == 2.0 {
            true => self.of("sqrt", [sum]),
            false => self.binary(BinaryOp::Pow, sum, root),
        }
    }
}
