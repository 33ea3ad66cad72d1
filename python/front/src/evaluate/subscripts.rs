//! Subscripts of tensors: positions, slices, masks, and tensors of positions.
//!
//! ```text
//! x[1, 2:, None]   StridedSlice
//! x[i]             GatherV2      a tensor of positions
//! x[i, j]          GatherNd      positions along several dimensions
//! x[mask]          Where, GatherV2: the number of rows depends on data
//! x.at[i].set(v)   TensorScatterUpdate
//! ```

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp};

use super::tensors::{Class, class};
use super::{Evaluator, Val, constant_int};
use crate::target::{Attribute, Elements, Result, Target};
use crate::value::{TensorType, Value, dtype_name, tensor_name};

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn tensor_subscript(
        &mut self,
        value: T::V,
        ty: TensorType,
        index: Val<T>,
    ) -> Result<Val<T>> {
        let parts = match index {
            Value::Tuple(parts) => parts,
            other => vec![other],
        };
        if let [Value::Tensor(index, of)] = parts.as_slice() {
            return match class(of.dtype) {
                Class::Bool => self.masked(value, ty, index, of),
                _ => self.gathered(value, ty, index, of),
            };
        }
        let is_list = |part: &Val<T>| matches!(part, Value::Tensor(_, of) if of.rank() > 0);
        let is_position = |part: &Val<T>| matches!(part, Value::Tensor(..) | Value::Int(..));
        if parts.iter().any(is_list) && parts.iter().all(is_position) && parts.len() <= ty.rank() {
            return self.gathered_at(value, ty, parts);
        }
        let counts = |part: &&Val<T>| !matches!(part, Value::None | Value::Ellipsis);
        let used = parts.iter().filter(counts).count();
        let ellipses = parts.iter().filter(|of| matches!(of, Value::Ellipsis));
        if ellipses.count() > 1 {
            return self.fail("an index has more than one '...'");
        }
        if used > ty.rank() {
            return self.fail(format!(
                "{} has {} dimensions, but the index has {used}",
                tensor_name(&ty),
                ty.rank()
            ));
        }
        let (mut begins, mut ends, mut steps) = (Vec::new(), Vec::new(), Vec::new());
        let (mut begin_mask, mut end_mask, mut shrink_mask, mut new_mask) = (0i64, 0, 0, 0);
        let mut shape = Vec::new();
        let mut axis = 0;
        let has_ellipsis = parts.iter().any(|of| matches!(of, Value::Ellipsis));
        let mut all = parts;
        if !has_ellipsis {
            all.push(Value::Ellipsis);
        }
        for part in all {
            let bit = 1i64 << begins.len();
            let (zero, one) = (self.int(0), self.int(1));
            match part {
                Value::Ellipsis => {
                    // All dimensions that no other part selects.
                    for _ in 0..ty.rank() - used {
                        let bit = 1i64 << begins.len();
                        begins.push(self.int(0));
                        ends.push(self.int(0));
                        steps.push(self.int(1));
                        begin_mask |= bit;
                        end_mask |= bit;
                        shape.push(ty.shape[axis]);
                        axis += 1;
                    }
                }
                Value::None => {
                    begins.push(zero.clone());
                    ends.push(zero);
                    steps.push(one);
                    new_mask |= bit;
                    shape.push(Some(1));
                }
                Value::Int(..) | Value::Bool(..) | Value::Tensor(..) => {
                    let index = match part {
                        Value::Bool(..) => {
                            return self.fail("a boolean is no index; write int(..)");
                        }
                        Value::Tensor(_, ref of) if of.rank() == 0 => {
                            self.tensor_to_scalar(part)?
                        }
                        Value::Tensor(..) => {
                            return self.fail(
                                "a tensor is an index on its own only; write tfx.take(x, index, axis)",
                            );
                        }
                        index => index,
                    };
                    self.check_index(&value, &ty, axis, &index)?;
                    // The end of -1 is the end of the dimension.
                    let end = match constant_int(&index) {
                        Some(-1) => {
                            end_mask |= bit;
                            self.int(0)
                        }
                        Some(index) => self.int(index + 1),
                        None => {
                            let size = self.size_of(&value, &ty, axis);
                            self.end_of_index(&index, size)
                        }
                    };
                    begins.push(index);
                    ends.push(end);
                    steps.push(one);
                    shrink_mask |= bit;
                    axis += 1;
                }
                Value::Slice(bounds) => {
                    let [start, stop, step] = *bounds;
                    let known_step = match &step {
                        Value::None => 1,
                        step => self.constant(step, "the step of a slice")?,
                    };
                    if known_step == 0 {
                        let message = self.string("slice step cannot be zero");
                        return self.raise("ValueError", Some(message));
                    }
                    shape.push(sliced_size(ty.shape[axis], &start, &stop, known_step));
                    for (bound, mask, list) in [
                        (start, &mut begin_mask, &mut begins),
                        (stop, &mut end_mask, &mut ends),
                    ] {
                        match bound {
                            Value::None => {
                                *mask |= bit;
                                list.push(zero.clone());
                            }
                            Value::Tensor(_, ref of) if of.rank() == 0 => {
                                list.push(self.tensor_to_scalar(bound)?);
                            }
                            Value::Int(..) => list.push(bound),
                            other => {
                                let name = self.describe(&other);
                                return self
                                    .fail(format!("the bound of a slice is {name}, not int"));
                            }
                        }
                    }
                    steps.push(self.int(known_step));
                    axis += 1;
                }
                other => {
                    let name = self.describe(&other);
                    return self.fail(format!("{name} is no index of a tensor"));
                }
            }
        }
        let [begins, ends, steps] = [begins, ends, steps].map(|parts| self.index_vector(&parts));
        let attributes = [
            ("begin_mask", Attribute::Int(begin_mask)),
            ("end_mask", Attribute::Int(end_mask)),
            ("ellipsis_mask", Attribute::Int(0)),
            ("new_axis_mask", Attribute::Int(new_mask)),
            ("shrink_axis_mask", Attribute::Int(shrink_mask)),
        ];
        let to = TensorType {
            dtype: ty.dtype,
            shape,
        };
        let operands = [value, begins, ends, steps];
        let result = self
            .target
            .tensor("StridedSlice", &operands, &attributes, &to);
        Ok(Value::Tensor(result, to))
    }

    /// A vector of bounds: constants, or values of type `i64`.
    fn index_vector(&mut self, parts: &[Val<T>]) -> T::V {
        let constants: Option<Vec<i64>> = parts.iter().map(constant_int).collect();
        let Some(constants) = constants else {
            return self.shape_vector(parts);
        };
        let ty = TensorType {
            dtype: DType::I64,
            shape: vec![Some(constants.len() as u64)],
        };
        self.target.constant(&Elements::Ints(constants), &ty)
    }

    /// The end of an index that is known at run time only: one more, or the end for -1.
    fn end_of_index(&mut self, index: &Val<T>, size: Val<T>) -> Val<T> {
        let (Value::Int(index, _), Value::Int(size, _)) = (index, size) else {
            unreachable!("an index and a size are integers");
        };
        let (one, minus_one) = (self.target.int(1), self.target.int(-1));
        let next = self.target.scalar("arith.addi", &[index.clone(), one]);
        let is_last = self
            .target
            .compare(false, crate::target::Predicate::Eq, index, &minus_one);
        Value::Int(
            self.target.scalar("arith.select", &[is_last, size, next]),
            None,
        )
    }

    /// Checks that an index is inside of a dimension, where both are constants; the operation
    /// checks the rest.
    fn check_index(
        &mut self,
        _: &T::V,
        ty: &TensorType,
        axis: usize,
        index: &Val<T>,
    ) -> Result<()> {
        if let (Some(size), Some(index)) = (ty.shape[axis], constant_int(index)) {
            let size = size as i64;
            if !(-size..size).contains(&index) {
                return self.fail(format!(
                    "IndexError: index {index} is out of bounds for axis {axis} with size {size}"
                ));
            }
        }
        Ok(())
    }

    /// `x[mask]`: the elements where the mask is true, in their order. Their number depends on
    /// data.
    fn masked(
        &mut self,
        value: T::V,
        ty: TensorType,
        mask: &T::V,
        of: &TensorType,
    ) -> Result<Val<T>> {
        let fits = |(size, other): (&Option<u64>, &Option<u64>)| {
            size.zip(*other).is_none_or(|(a, b)| a == b)
        };
        if of.rank() > ty.rank() || !of.shape.iter().zip(&ty.shape).all(fits) {
            return self.fail(format!(
                "IndexError: the mask {} does not fit {}",
                tensor_name(of),
                tensor_name(&ty)
            ));
        }
        if of.rank() == 0 {
            let (mask, of) = self.expanded(mask, of, 0);
            let (value, ty) = self.expanded(&value, &ty, 0);
            return self.masked(value, ty, &mask, &of);
        }
        // The masked dimensions become one.
        let mut sizes = vec![self.int(1)];
        let mut shape = vec![Some(1)];
        for (axis, size) in ty.shape.iter().enumerate() {
            let of_axis = self.size_of(&value, &ty, axis);
            if axis < of.rank() {
                sizes[0] = self.binary(BinaryOp::Mul, sizes[0].clone(), of_axis)?;
                shape[0] = shape[0]
                    .zip(*size)
                    .and_then(|(a, b): (u64, u64)| a.checked_mul(b));
            } else {
                sizes.push(of_axis);
                shape.push(*size);
            }
        }
        let dtype = ty.dtype;
        let shape_of_rows = self.shape_tensor(&sizes);
        let rows = TensorType { dtype, shape };
        let value = self
            .target
            .tensor("Reshape", &[value, shape_of_rows], &[], &rows);
        let (mask, _) = self.flattened(mask.clone(), of);
        let found = TensorType {
            dtype: DType::I64,
            shape: vec![None, Some(1)],
        };
        let positions = self.target.tensor("Where", &[mask], &[], &found);
        let (positions, _) = self.squeezed(&positions, &found, &[1]);
        let axis = self.int_tensor(0);
        let mut to = rows;
        to.shape[0] = None;
        Ok(self.op("GatherV2", &[value, positions, axis], to))
    }

    /// `x[i, j]` with tensors of positions along the first dimensions.
    fn gathered_at(&mut self, value: T::V, ty: TensorType, parts: Vec<Val<T>>) -> Result<Val<T>> {
        let mut common = TensorType::scalar(DType::I64);
        let mut positions = Vec::new();
        for (axis, part) in parts.into_iter().enumerate() {
            let (index, of) = match part {
                Value::Tensor(index, of) if class(of.dtype) == Class::Int => (index, of),
                Value::Tensor(_, of) => {
                    return self.fail(format!(
                        "{} is no index together with others; write a mask alone",
                        tensor_name(&of)
                    ));
                }
                scalar => {
                    self.check_index(&value, &ty, axis, &scalar)?;
                    match self.scalar_tensor(scalar, DType::I64)? {
                        Value::Tensor(index, of) => (index, of),
                        _ => unreachable!("a scalar makes a tensor"),
                    }
                }
            };
            let (index, of) = self.positions(index, &of, &value, &ty, axis)?;
            common.shape = self.broadcast(&common, &of)?;
            positions.push(Value::Tensor(index, of));
        }
        let count = positions.len();
        let spread = self.library("broadcast_arrays", positions, Vec::new())?;
        let last = self.int(-1);
        let positions = self.library("stack", vec![spread, last], Vec::new())?;
        let Value::Tensor(positions, _) = positions else {
            unreachable!("a stack is a tensor");
        };
        let mut shape = common.shape;
        shape.extend(&ty.shape[count..]);
        let dtype = ty.dtype;
        Ok(self.op("GatherNd", &[value, positions], TensorType { dtype, shape }))
    }

    /// Positions along a dimension, without negative ones, which count from the end.
    pub(super) fn positions(
        &mut self,
        index: T::V,
        of: &TensorType,
        value: &T::V,
        ty: &TensorType,
        axis: usize,
    ) -> Result<(T::V, TensorType)> {
        let (index, of) = self.cast(index, of, DType::I64);
        let (index, zero) = (Value::Tensor(index, of), self.int(0));
        let size = self.size_of(value, ty, axis);
        let is_negative = self.tensor_compare(CompareOp::Lt, index.clone(), zero)?;
        let from_end = self.tensor_binary(BinaryOp::Add, index.clone(), size)?;
        match self.library("where", vec![is_negative, from_end, index], Vec::new())? {
            Value::Tensor(index, of) => Ok((index, of)),
            _ => unreachable!("a selection makes a tensor"),
        }
    }

    fn gathered(
        &mut self,
        value: T::V,
        ty: TensorType,
        index: &T::V,
        of: &TensorType,
    ) -> Result<Val<T>> {
        if class(of.dtype) != Class::Int || ty.rank() == 0 {
            return self.fail(format!(
                "{} is no index of {}",
                tensor_name(of),
                tensor_name(&ty)
            ));
        }
        let (index, of) = self.positions(index.clone(), of, &value, &ty, 0)?;
        let axis = self.int_tensor(0);
        let shape = of.shape.iter().chain(&ty.shape[1..]).copied().collect();
        let dtype = ty.dtype;
        Ok(self.op(
            "GatherV2",
            &[value, index, axis],
            TensorType { dtype, shape },
        ))
    }

    /// `x.at[index].set(value)`, for a first dimension.
    pub(super) fn at_method(
        &mut self,
        both: Val<T>,
        method: &str,
        positional: Vec<Val<T>>,
    ) -> Result<Val<T>> {
        let Value::Tuple(mut both) = both else {
            unreachable!("the tensor and its index")
        };
        let (Some(index), Some(Value::Tensor(value, ty))) = (both.pop(), both.pop()) else {
            unreachable!("the tensor and its index");
        };
        let op = match method {
            "set" => "TensorScatterUpdate",
            "add" => "TensorScatterAdd",
            _ => {
                return self.fail(format!(
                    "'.at[..].{method}' is not compiled; write set or add"
                ));
            }
        };
        let [update] = self.arguments(method, positional, Vec::new(), ["value"], 1)?;
        let Some(update) = update else {
            unreachable!("the value is required")
        };
        let parts = match index {
            Value::Tuple(parts) => parts,
            other => vec![other],
        };
        if parts.len() > ty.rank() || parts.is_empty() {
            return self.fail(format!("{} indices for {}", parts.len(), tensor_name(&ty)));
        }
        let mut indices = Vec::new();
        for (axis, part) in parts.into_iter().enumerate() {
            let part = self.tensor_to_scalar(part)?;
            if !matches!(part, Value::Int(..)) {
                let name = self.describe(&part);
                return self.fail(format!(
                    "'.at[..]' is compiled for int indices, not for {name}"
                ));
            }
            // A negative index counts from the end.
            let part = match constant_int(&part) {
                Some(index) if index >= 0 => part,
                _ => {
                    let size = self.size_of(&value, &ty, axis);
                    let wrapped = self.binary(BinaryOp::Add, part.clone(), size)?;
                    let zero = self.int(0);
                    let negative = self.scalar_compare(CompareOp::Lt, part.clone(), zero)?;
                    match negative {
                        Value::Bool(_, Some(true)) => wrapped,
                        Value::Bool(_, Some(false)) => part,
                        Value::Bool(negative, None) => self.select(&negative, wrapped, part),
                        _ => unreachable!("a comparison is a boolean"),
                    }
                }
            };
            indices.push(part);
        }
        let slice = TensorType {
            dtype: ty.dtype,
            shape: ty.shape[indices.len()..].to_vec(),
        };
        let like = Value::Tensor(value.clone(), ty.clone());
        let [_, (update, of)] = self.promote(like, update)?;
        if of.dtype != ty.dtype {
            return self.fail(format!(
                "{} does not fit {}",
                dtype_name(of.dtype),
                tensor_name(&ty)
            ));
        }
        self.broadcast(&of, &slice)?;
        let (update, _) = if of.rank() == slice.rank() {
            (update, of)
        } else {
            let sizes: Vec<_> = (indices.len()..ty.rank())
                .map(|axis| self.size_of(&value, &ty, axis))
                .collect();
            let shape = self.shape_exactly(&sizes);
            (
                self.target
                    .tensor("BroadcastTo", &[update, shape], &[], &slice),
                slice.clone(),
            )
        };
        let vector = self.shape_vector(&indices);
        let vector_type = TensorType {
            dtype: DType::I64,
            shape: vec![Some(indices.len() as u64)],
        };
        let (rows, _) = self.expanded(&vector, &vector_type, 0);
        let (updates, _) = self.expanded(&update, &slice, 0);
        Ok(self.op(op, &[value, rows, updates], ty))
    }
}

/// The size of a slice of a dimension, where it is static.
fn sliced_size<V>(size: Option<u64>, start: &Value<V>, stop: &Value<V>, step: i64) -> Option<u64> {
    let bound = |value: &Value<V>| match value {
        Value::None => Some(None),
        value => Some(Some(constant_int(value)?)),
    };
    if let (Value::None, Value::None, 1 | -1) = (start, stop, step) {
        return size;
    }
    let length = i64::try_from(size?).ok()?;
    let positions = super::slice_positions(length, bound(start)?, bound(stop)?, step);
    Some(positions.count() as u64)
}
