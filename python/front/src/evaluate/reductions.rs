//! Reductions along dimensions, such as `sum`, `any` and `argmax`.

use tfx::runtime::DType;

use super::library::Keywords;
use super::tensors::{Class, class};
use super::{Evaluator, Val};
use crate::target::{Attribute, Result, Target};
use crate::value::{TensorType, Value, tensor_name};

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn reduction(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "axis", "keepdims", "dtype"];
        let [x, axis, keep, dtype] = self.arguments(name, positional, keywords, names, 1)?;
        let (mut value, mut ty) = self.tensor_argument(name, x)?;
        let dtype = self.optional_dtype(dtype)?;
        if let ("sum" | "prod", Some(dtype)) = (name, dtype) {
            (value, ty) = self.cast(value, &ty, dtype);
        }
        let axes = self.axes_or_all(axis, ty.rank())?;
        let keep = match keep {
            None => false,
            Some(Value::Bool(_, Some(keep))) => keep,
            Some(_) => return self.not_constant("keepdims must be True or False"),
        };
        let op = match (name, class(ty.dtype)) {
            ("any", _) => "Any",
            ("all", _) => "All",
            (_, Class::Bool) => {
                return self.fail(format!(
                    "{name}() is for numbers, not for {}; write astype(i32)",
                    tensor_name(&ty)
                ));
            }
            ("sum" | "prod", kind) => {
                // The standard sums small integers as integers of 64 bits.
                if kind == Class::Int && dtype.is_none() {
                    (value, ty) = self.cast(value, &ty, DType::I64);
                }
                if name == "sum" { "Sum" } else { "Prod" }
            }
            ("mean", Class::Float) => "Mean",
            ("mean", _) => {
                return self.fail(format!(
                    "mean() is for floats, not for {}; write astype(f32)",
                    tensor_name(&ty)
                ));
            }
            ("max", _) => "Max",
            _ => "Min",
        };
        if matches!(op, "Any" | "All") {
            let Value::Tensor(truth, of) = self.nonzero(Value::Tensor(value, ty))? else {
                unreachable!("a comparison makes a tensor");
            };
            (value, ty) = (truth, of);
        }
        let sizes = ty.shape.iter().enumerate();
        let shape = sizes.filter_map(|(axis, size)| match (axes.contains(&axis), keep) {
            (false, _) => Some(*size),
            (true, true) => Some(Some(1)),
            (true, false) => None,
        });
        let to = TensorType {
            dtype: ty.dtype,
            shape: shape.collect(),
        };
        let axes: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
        let axes = self.int_vector(&axes);
        let attributes = [("keep_dims", Attribute::Bool(keep))];
        let value = self.target.tensor(op, &[value, axes], &attributes, &to);
        Ok(Value::Tensor(value, to))
    }

    pub(super) fn arg_extreme(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "axis", "keepdims"];
        let [x, axis, keep] = self.arguments(name, positional, keywords, names, 1)?;
        let (mut value, mut ty) = self.tensor_argument(name, x)?;
        let rank = ty.rank();
        let is_kept = matches!(keep, Some(Value::Bool(_, Some(true))));
        let is_flat = matches!(axis, None | Some(Value::None));
        let axis = match axis {
            None | Some(Value::None) => {
                (value, ty) = self.flattened(value, &ty);
                0
            }
            Some(axis) => self.axis(&axis, ty.rank())?,
        };
        let mut shape = ty.shape.clone();
        shape.remove(axis);
        let to = TensorType {
            dtype: DType::I64,
            shape,
        };
        let op = if name == "argmax" { "ArgMax" } else { "ArgMin" };
        let at = self.int_tensor(axis as i64);
        let attributes = [("output_type", Attribute::Type(DType::I64))];
        let mut value = self.target.tensor(op, &[value, at], &attributes, &to);
        let mut to = to;
        if is_kept {
            let kept = if is_flat { vec![0; rank] } else { vec![axis] };
            for axis in kept {
                (value, to) = self.expanded(&value, &to, axis);
            }
        }
        Ok(Value::Tensor(value, to))
    }
}
