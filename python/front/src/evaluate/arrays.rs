//! Tensors of constants, ranges, and nested sequences.

use tfx::runtime::DType;
use tfx_python_syntax::CompareOp;

use super::library::Keywords;
use super::tensors::{Class, class};
use super::{Evaluator, Val, constant_int};
use crate::target::{Attribute, Elements, Result, Target};
use crate::value::{TensorType, Value, tensor_name};

/// The greatest number of elements of `eye()`, which is a constant of the program.
const MAX_EYE: usize = 4096 * 4096;

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn filled(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let (shape, fill, dtype) = match name {
            "full" => {
                let names = ["shape", "fill_value", "dtype"];
                let [shape, fill, dtype] = self.arguments(name, positional, keywords, names, 2)?;
                (shape, fill, dtype)
            }
            _ => {
                let names = ["shape", "dtype"];
                let [shape, dtype] = self.arguments(name, positional, keywords, names, 1)?;
                let fill = self.bool(name == "ones");
                (shape, Some(fill), dtype)
            }
        };
        let Some(fill) = fill else {
            unreachable!("the value is required")
        };
        let dtype = match self.optional_dtype(dtype)? {
            Some(dtype) => dtype,
            None if name == "full" => default_dtype(&fill),
            None => DType::F32,
        };
        let sizes = self.sizes(shape)?;
        let to = self.type_of_sizes(dtype, &sizes)?;
        let fill = match fill {
            Value::Tensor(value, ty) if ty.rank() == 0 => self.cast(value, &ty, dtype).0,
            fill => match self.scalar_tensor(fill, dtype)? {
                Value::Tensor(value, _) => value,
                _ => unreachable!("a scalar makes a tensor"),
            },
        };
        let shape = self.shape_exactly(&sizes);
        Ok(self.op("Fill", &[shape, fill], to))
    }

    pub(super) fn arange(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["start", "stop", "step", "dtype"];
        let [start, stop, step, dtype] =
            self.arguments("arange", positional, keywords, names, 1)?;
        let Some(first) = start else {
            unreachable!("the start is required")
        };
        let (start, stop) = match stop {
            Some(stop) if !matches!(stop, Value::None) => (first, stop),
            _ => (self.int(0), first),
        };
        let step = self.int_or(step, 1);
        let is_float = [&start, &stop, &step]
            .iter()
            .any(|of| matches!(of, Value::Float(..)));
        let dtype = match self.optional_dtype(dtype)? {
            Some(dtype) => dtype,
            None if is_float => DType::F32,
            None => DType::I64,
        };
        let stop = self.bounded_stop(start.clone(), stop, &step)?;
        let known = [&start, &stop, &step].map(constant_int);
        let size = match known {
            [Some(start), Some(stop), Some(step)] if step != 0 => {
                let count = (stop - start + step - step.signum()) / step;
                u64::try_from(count.max(0)).ok()
            }
            _ => None,
        };
        let mut operands = Vec::new();
        for bound in [start, stop, step] {
            let Value::Tensor(value, _) = self.scalar_tensor(bound, dtype)? else {
                unreachable!("a scalar makes a tensor");
            };
            operands.push(value);
        }
        Ok(self.op(
            "Range",
            &operands,
            TensorType {
                dtype,
                shape: vec![size],
            },
        ))
    }

    /// The end of a range that is not before its start: the range is empty then.
    fn bounded_stop(&mut self, start: Val<T>, stop: Val<T>, step: &Val<T>) -> Result<Val<T>> {
        let rises = match step {
            Value::Int(_, Some(step)) => *step > 0,
            Value::Float(_, Some(bits)) => f64::from_bits(*bits) > 0.0,
            // The operation checks the direction.
            _ => return Ok(stop),
        };
        let numbers = [&start, &stop].map(|of| matches!(of, Value::Int(..) | Value::Float(..)));
        if numbers != [true, true] {
            return Ok(stop);
        }
        let is_float = [&start, &stop]
            .iter()
            .any(|of| matches!(of, Value::Float(..)));
        let [start, stop] = match is_float {
            true => [start, stop].map(|of| self.as_float(of)),
            false => [start, stop],
        };
        let before = if rises { CompareOp::Lt } else { CompareOp::Gt };
        match self.scalar_compare(before, stop.clone(), start.clone())? {
            Value::Bool(_, Some(true)) => Ok(start),
            Value::Bool(_, Some(false)) => Ok(stop),
            Value::Bool(is_before, None) => Ok(self.select(&is_before, start, stop)),
            _ => unreachable!("a comparison is a boolean"),
        }
    }

    pub(super) fn eye(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
        let names = ["n_rows", "n_cols", "k", "dtype"];
        let [rows, columns, k, dtype] = self.arguments("eye", positional, keywords, names, 1)?;
        let size = |evaluator: &Self, of: &Val<T>| {
            let size = evaluator.constant(of, "the size of eye()")?;
            match usize::try_from(size) {
                Ok(size) => Ok(size),
                Err(_) => evaluator.fail("ValueError: the size of eye() is negative"),
            }
        };
        let Some(rows) = rows else {
            unreachable!("the size is required")
        };
        let rows = size(self, &rows)?;
        let columns = match columns {
            Some(columns) if !matches!(columns, Value::None) => size(self, &columns)?,
            _ => rows,
        };
        let k = match k {
            Some(k) => self.constant(&k, "the diagonal of eye()")?,
            None => 0,
        };
        let dtype = self.optional_dtype(dtype)?.unwrap_or(DType::F32);
        if rows.saturating_mul(columns) > MAX_EYE {
            return self.fail("eye() of this size is not compiled");
        }
        let entry = |at: usize| match (at % columns) as i64 - (at / columns) as i64 == k {
            true => 1.0,
            false => 0.0,
        };
        let entries = (0..rows * columns).map(entry);
        let ty = TensorType {
            dtype,
            shape: vec![Some(rows as u64), Some(columns as u64)],
        };
        let elements = elements_of(entries.collect(), dtype);
        Ok(Value::Tensor(self.target.constant(&elements, &ty), ty))
    }

    pub(super) fn asarray(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["obj", "dtype", "copy"];
        let [value, dtype, _copy] = self.arguments(name, positional, keywords, names, 1)?;
        let dtype = self.optional_dtype(dtype)?;
        let Some(value) = value else {
            unreachable!("the value is required")
        };
        self.array_of(value, dtype, name)
    }

    fn array_of(&mut self, value: Val<T>, dtype: Option<DType>, name: &str) -> Result<Val<T>> {
        match value {
            Value::Tensor(value, ty) => {
                let dtype = dtype.unwrap_or(ty.dtype);
                let (value, ty) = self.cast(value, &ty, dtype);
                Ok(Value::Tensor(value, ty))
            }
            Value::Tuple(parts) | Value::List(parts) => {
                let dtype = dtype.or_else(|| widest(&parts));
                let parts = parts
                    .into_iter()
                    .map(|part| self.array_of(part, dtype, name));
                let parts: Vec<_> = parts.collect::<Result<_>>()?;
                if parts.is_empty() {
                    let ty = TensorType {
                        dtype: dtype.unwrap_or(DType::F32),
                        shape: vec![Some(0)],
                    };
                    let elements = elements_of(Vec::new(), ty.dtype);
                    return Ok(Value::Tensor(self.target.constant(&elements, &ty), ty));
                }
                self.joined("stack", vec![Value::Tuple(parts)], Vec::new())
            }
            value @ (Value::Bool(..) | Value::Int(..) | Value::Float(..)) => {
                let dtype = dtype.unwrap_or_else(|| default_dtype(&value));
                self.scalar_tensor(value, dtype)
            }
            other => {
                let described = self.describe(&other);
                self.fail(format!("{name}() makes no tensor of {described}"))
            }
        }
    }

    pub(super) fn joined(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let [parts, axis] = self.arguments(name, positional, keywords, ["arrays", "axis"], 1)?;
        let Some(parts) = parts else {
            unreachable!("the arrays are required")
        };
        let mut parts = self.elements(parts)?;
        let axis = match axis {
            // The parts are one vector each.
            Some(Value::None) if name != "stack" => {
                for part in &mut parts {
                    let of = std::mem::replace(part, Value::None);
                    let (value, ty) = self.tensor_argument(name, Some(of))?;
                    let (value, ty) = self.flattened(value, &ty);
                    *part = Value::Tensor(value, ty);
                }
                self.int(0)
            }
            axis => self.int_or(axis, 0),
        };
        let mut tensors = Vec::new();
        for part in parts {
            tensors.push(self.tensor_argument(name, Some(part))?);
        }
        let Some((_, mut first)) = tensors.first().cloned() else {
            return self.fail(format!("{name}() needs at least one tensor"));
        };
        for (_, ty) in &tensors[1..] {
            first.dtype = self.promoted(&first, ty)?;
        }
        for (value, ty) in &mut tensors {
            (*value, *ty) = self.cast(value.clone(), ty, first.dtype);
        }
        let is_stack = name == "stack";
        let axis = self.axis(&axis, first.rank() + usize::from(is_stack))?;
        let mut shape = first.shape.clone();
        for (_, ty) in &tensors[1..] {
            if ty.rank() != first.rank() {
                return self.fail(format!(
                    "{} and {} do not fit together",
                    tensor_name(&first),
                    tensor_name(ty)
                ));
            }
            for (at, (size, other)) in shape.iter_mut().zip(&ty.shape).enumerate() {
                if at == axis && !is_stack {
                    *size = match (*size, other) {
                        (Some(a), Some(b)) => a.checked_add(*b),
                        _ => None,
                    };
                } else if let (Some(a), Some(b)) = (*size, other) {
                    if a != *b {
                        return self.fail(format!(
                            "ValueError: {} and {} do not fit together",
                            tensor_name(&first),
                            tensor_name(ty)
                        ));
                    }
                } else {
                    *size = size.or(*other);
                }
            }
        }
        let mut operands: Vec<T::V> = tensors.iter().map(|(value, _)| value.clone()).collect();
        let dtype = first.dtype;
        if is_stack {
            shape.insert(axis, Some(operands.len() as u64));
            let to = TensorType { dtype, shape };
            let attributes = [("axis", Attribute::Int(axis as i64))];
            let value = self.target.tensor("Pack", &operands, &attributes, &to);
            return Ok(Value::Tensor(value, to));
        }
        if let [only] = operands.as_slice() {
            return Ok(Value::Tensor(only.clone(), first));
        }
        operands.push(self.int_tensor(axis as i64));
        Ok(self.op("ConcatV2", &operands, TensorType { dtype, shape }))
    }
}

/// The element type of a tensor that is made of a scalar.
pub(super) fn default_dtype<V>(value: &Value<V>) -> DType {
    match value {
        Value::Bool(..) => DType::Bool,
        Value::Int(..) => DType::I64,
        Value::Tensor(_, ty) => ty.dtype,
        _ => DType::F32,
    }
}

/// The element type of a tensor of scalars: floats and integers together are floats, integers and
/// booleans are integers.
fn widest<V>(parts: &[Value<V>]) -> Option<DType> {
    let rank = |dtype: &DType| match class(*dtype) {
        Class::Bool => 0,
        Class::Int => 1,
        Class::Float => 2,
    };
    let of = |part: &Value<V>| match part {
        Value::Tuple(parts) | Value::List(parts) => widest(parts),
        Value::Tensor(..) => None,
        scalar => Some(default_dtype(scalar)),
    };
    parts.iter().filter_map(of).max_by_key(rank)
}

fn elements_of(values: Vec<f64>, dtype: DType) -> Elements {
    match class(dtype) {
        Class::Float => Elements::Floats(values),
        Class::Int => Elements::Ints(values.into_iter().map(|value| value as i64).collect()),
        Class::Bool => Elements::Bools(values.into_iter().map(|value| value != 0.0).collect()),
    }
}
