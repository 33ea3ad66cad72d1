//! Tensors of formulas: steps, triangles, grids.

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp};

use super::super::library::Keywords;
use super::super::{Evaluator, Val};
use crate::target::{Result, Target};
use crate::value::{TensorType, Value, tensor_name};

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn linspace(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["start", "stop", "num", "dtype", "endpoint"];
        let [start, stop, num, dtype, endpoint] =
            self.arguments("linspace", positional, keywords, names, 3)?;
        let (Some(start), Some(stop), Some(num)) = (start, stop, num) else {
            unreachable!("the bounds and the number are required");
        };
        let dtype = self.optional_dtype(dtype)?.unwrap_or(DType::F32);
        let Value::Bool(_, Some(has_end)) = endpoint.unwrap_or_else(|| self.bool(true)) else {
            return self.not_constant("endpoint must be True or False");
        };
        let num = self.constant(&num, "the number of elements")?;
        if num < 0 {
            return self.fail("ValueError: the number of elements is negative");
        }
        // The steps are computed with 64 bits, and the last element is the end exactly.
        let wide = DType::F64;
        let [start, stop] = [start, stop].map(|of| self.scalar_tensor(of, wide));
        let (start, stop) = (start?, stop?);
        let steps = self.int(num);
        let steps = self.of("arange", [steps])?;
        let steps = self.of("astype", [steps, Value::DType(wide)])?;
        let count = self.int((num - i64::from(has_end)).max(1));
        let ratio = self.binary(BinaryOp::Div, steps.clone(), count.clone())?;
        let one = self.int(1);
        let rest = self.binary(BinaryOp::Sub, one, ratio.clone())?;
        // A difference of the bounds could overflow.
        let of_start = self.binary(BinaryOp::Mul, start.clone(), rest)?;
        let of_stop = self.binary(BinaryOp::Mul, stop.clone(), ratio)?;
        let between = self.binary(BinaryOp::Add, of_start, of_stop)?;
        let is_last = self.tensor_compare(CompareOp::Eq, steps.clone(), count)?;
        let result = self.choose(is_last, stop, between)?;
        let zero = self.int(0);
        let is_first = self.tensor_compare(CompareOp::Eq, steps, zero)?;
        let result = self.choose(is_first, start, result)?;
        self.of("astype", [result, Value::DType(dtype)])
    }

    pub(super) fn triangle(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let [x, k] = self.arguments(name, positional, keywords, ["x", "k"], 1)?;
        let (value, ty) = self.tensor_argument(name, x)?;
        if ty.rank() < 2 {
            return self.fail(format!(
                "{name}() is for matrices, not for {}",
                tensor_name(&ty)
            ));
        }
        let k = self.int_or(k, 0);
        let [rows, columns] = [2, 1].map(|back| self.size_of(&value, &ty, ty.rank() - back));
        let (rows, columns) = (self.of("arange", [rows])?, self.of("arange", [columns])?);
        let minus_one = self.int(-1);
        let rows = self.of("expand_dims", [rows, minus_one])?;
        let distance = self.binary(BinaryOp::Sub, columns, rows)?;
        let op = match name {
            "tril" => CompareOp::Le,
            _ => CompareOp::Ge,
        };
        let is_kept = self.tensor_compare(op, distance, k)?;
        let x = Value::Tensor(value, ty);
        let zeros = self.of("zeros_like", [x.clone()])?;
        self.choose(is_kept, x, zeros)
    }

    pub(super) fn meshgrid(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let [indexing] = self.arguments("meshgrid", Vec::new(), keywords, ["indexing"], 0)?;
        let by_columns = match indexing {
            None => true,
            Some(Value::Str(_, Some(text))) if &*text == "xy" => true,
            Some(Value::Str(_, Some(text))) if &*text == "ij" => false,
            Some(_) => return self.fail("ValueError: indexing must be 'xy' or 'ij'"),
        };
        let count = positional.len();
        let mut spread = Vec::new();
        for (at, array) in positional.into_iter().enumerate() {
            let (value, ty) = self.tensor_argument("meshgrid", Some(array))?;
            if ty.rank() > 1 {
                return self.fail(format!(
                    "ValueError: meshgrid() is for vectors, not for {}",
                    tensor_name(&ty)
                ));
            }
            let axis = match (by_columns && count > 1, at) {
                (true, 0 | 1) => 1 - at,
                _ => at,
            };
            let sizes = (0..count).map(|of| self.int(if of == axis { -1 } else { 1 }));
            let sizes = Value::Tuple(sizes.collect());
            spread.push(self.of("reshape", [Value::Tensor(value, ty), sizes])?);
        }
        self.library("broadcast_arrays", spread, Vec::new())
    }

    /// The shape of an operation on the elements of several tensors.
    pub(super) fn common_shape(&mut self, arrays: &[Val<T>]) -> Result<Val<T>> {
        let mut typed = Vec::new();
        for array in arrays {
            typed.push(self.tensor_argument("broadcast_arrays", Some(array.clone()))?);
        }
        let mut all = TensorType::scalar(DType::Bool);
        for (_, ty) in &typed {
            all.shape = self.broadcast(&all, ty)?;
        }
        let rank = all.rank();
        let mut sizes = Vec::new();
        for (axis, size) in all.shape.iter().enumerate() {
            let found = match size {
                Some(size) => self.int(*size as i64),
                None => {
                    let unknown = typed.iter().filter_map(|(value, ty)| {
                        let at = (axis + ty.rank()).checked_sub(rank)?;
                        ty.shape[at].is_none().then_some((value, ty, at))
                    });
                    let mut common = self.int(1);
                    for (value, ty, at) in unknown {
                        let size = self.size_of(value, ty, at);
                        common = self.unless_one(common, size)?;
                    }
                    common
                }
            };
            sizes.push(found);
        }
        Ok(Value::Tuple(sizes))
    }

    /// Returns a size, or another one if it is 1. If none is 1 and they differ, the operation that
    /// broadcasts reports that.
    fn unless_one(&mut self, size: Val<T>, other: Val<T>) -> Result<Val<T>> {
        let one = self.int(1);
        match self.scalar_compare(CompareOp::Eq, size.clone(), one)? {
            Value::Bool(_, Some(true)) => Ok(other),
            Value::Bool(is_one, None) => Ok(self.select(&is_one, other, size)),
            _ => Ok(size),
        }
    }
}
