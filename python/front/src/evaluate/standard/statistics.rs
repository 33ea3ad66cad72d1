//! Variances, running sums, and differences.

use tfx::runtime::DType;
use tfx_python_syntax::BinaryOp;

use super::super::library::Keywords;
use super::super::tensors::{Class, class};
use super::super::{Evaluator, Val};
use super::given;
use crate::target::{Result, Target};
use crate::value::{Value, tensor_name};

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn variance(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "axis", "correction", "keepdims"];
        let [x, axis, correction, keep] = self.arguments(name, positional, keywords, names, 1)?;
        let (value, ty) = self.tensor_argument(name, x)?;
        let axes = self.axes_or_all(axis.clone(), ty.rank())?;
        let sizes = axes.into_iter().map(|axis| self.size_of(&value, &ty, axis));
        let sizes: Vec<_> = sizes.collect();
        let count = self.product(sizes)?;
        let correction = self.int_or(correction, 0);
        let degrees = self.binary(BinaryOp::Sub, count, correction)?;
        let degrees = self.as_float(degrees);
        let degrees = self.scalar_tensor(degrees, ty.dtype)?;
        let x = Value::Tensor(value, ty);
        let is_kept = self.bool(true);
        let mut keywords = given([("axis", axis.clone()), ("keepdims", Some(is_kept))]);
        let mean = self.library("mean", vec![x.clone()], keywords)?;
        let distance = self.binary(BinaryOp::Sub, x, mean)?;
        let square = self.of("square", [distance])?;
        keywords = given([("axis", axis), ("keepdims", keep)]);
        let sum = self.library("sum", vec![square], keywords)?;
        let variance = self.binary(BinaryOp::Div, sum, degrees)?;
        match name {
            "std" => self.of("sqrt", [variance]),
            _ => Ok(variance),
        }
    }

    pub(super) fn cumulative(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "axis", "dtype", "include_initial"];
        let [x, axis, dtype, initial] = self.arguments(name, positional, keywords, names, 1)?;
        let (value, ty) = self.tensor_argument(name, x)?;
        let axis = match axis {
            None | Some(Value::None) if ty.rank() == 1 => 0,
            None | Some(Value::None) => {
                return self.fail(format!("{name}() of {} needs an axis", tensor_name(&ty)));
            }
            Some(axis) => self.axis(&axis, ty.rank())?,
        };
        let dtype = match (self.optional_dtype(dtype)?, class(ty.dtype)) {
            (Some(dtype), _) => dtype,
            (None, Class::Float) => ty.dtype,
            (None, _) => DType::I64,
        };
        let (value, ty) = self.cast(value, &ty, dtype);
        let op = match name {
            "cumulative_sum" => "Cumsum",
            _ => "Cumprod",
        };
        let at = self.int_tensor(axis as i64);
        let result = self.op(op, &[value.clone(), at], ty.clone());
        if !matches!(initial, Some(Value::Bool(_, Some(true)))) {
            return Ok(result);
        }
        let mut sizes = self.sizes_of(&value, &ty);
        sizes[axis] = self.int(1);
        let first = self.int(i64::from(name == "cumulative_prod"));
        let first = self.of("full", [Value::Tuple(sizes), first, Value::DType(dtype)])?;
        let axis = self.int(axis as i64);
        self.of("concat", [Value::Tuple(vec![first, result]), axis])
    }

    pub(super) fn diff(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "axis", "n", "prepend", "append"];
        let [x, axis, n, before, after] = self.arguments("diff", positional, keywords, names, 1)?;
        let (value, ty) = self.tensor_argument("diff", x)?;
        let axis = self.axis_or(axis, -1, ty.rank())?;
        let count = match n {
            Some(n) => self.constant(&n, "the number of differences")?,
            None => 1,
        };
        let is_given = |of: &Val<T>| !matches!(of, Value::None);
        let parts = before.filter(is_given).into_iter();
        let parts = parts.chain([Value::Tensor(value, ty)]);
        let parts: Vec<_> = parts.chain(after.filter(is_given)).collect();
        let at = self.int(axis as i64);
        let mut x = self.of("concat", [Value::Tuple(parts), at])?;
        for _ in 0..count {
            let (first, last) = (self.int(1), self.int(-1));
            let later = self.part(x.clone(), axis, first, Value::None)?;
            let earlier = self.part(x, axis, Value::None, last)?;
            x = self.binary(BinaryOp::Sub, later, earlier)?;
        }
        Ok(x)
    }

    /// The part of a tensor between two positions of a dimension.
    pub(super) fn part(
        &mut self,
        x: Val<T>,
        axis: usize,
        from: Val<T>,
        to: Val<T>,
    ) -> Result<Val<T>> {
        let Value::Tensor(value, ty) = x else {
            unreachable!("a part of a tensor");
        };
        let all = || Value::Slice(Box::new([Value::None, Value::None, Value::None]));
        let mut index: Vec<Val<T>> = (0..axis).map(|_| all()).collect();
        index.push(Value::Slice(Box::new([from, to, Value::None])));
        self.tensor_subscript(value, ty, Value::Tuple(index))
    }
}
