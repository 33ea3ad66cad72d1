//! Operators of tensors: promotion and broadcasting by the array API standard.
//!
//! A scalar of Python takes the element type of the tensor; a scalar of another kind, or two
//! tensors of different kinds, are an error.

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp, UnaryOp};

use super::{Evaluator, Val, tensor_of};
use crate::target::{Attribute, Elements, Predicate, Result, Target};
use crate::value::{TensorType, Value, dtype_name, tensor_name};

/// The kind of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Bool,
    Int,
    Float,
}

pub(super) fn class(dtype: DType) -> Class {
    match dtype {
        DType::Bool => Class::Bool,
        DType::F32 | DType::F64 => Class::Float,
        _ => Class::Int,
    }
}

impl<T: Target> Evaluator<'_, T> {
    // ---- Constants and conversions --------------------------------------------------------------

    /// A constant tensor of type `i32` and rank 0.
    pub(super) fn int_tensor(&mut self, value: i64) -> T::V {
        let ty = TensorType::scalar(DType::I32);
        self.target.constant(&Elements::Ints(vec![value]), &ty)
    }

    /// A constant vector of type `i32`.
    pub(super) fn int_vector(&mut self, values: &[i64]) -> T::V {
        let ty = TensorType {
            dtype: DType::I32,
            shape: vec![Some(values.len() as u64)],
        };
        self.target.constant(&Elements::Ints(values.to_vec()), &ty)
    }

    /// A tensor of rank 0 with a scalar.
    pub(super) fn scalar_tensor(&mut self, value: Val<T>, dtype: DType) -> Result<Val<T>> {
        let ty = TensorType::scalar(dtype);
        let elements = match (&value, class(dtype)) {
            (Value::Bool(_, Some(value)), Class::Bool) => Some(Elements::Bools(vec![*value])),
            (Value::Bool(_, Some(value)), Class::Int) => {
                Some(Elements::Ints(vec![i64::from(*value)]))
            }
            (Value::Int(_, Some(value)), Class::Int) => Some(Elements::Ints(vec![*value])),
            (Value::Bool(..) | Value::Int(..) | Value::Float(..), Class::Float) => {
                match self.as_float(value.clone()) {
                    Value::Float(_, Some(bits)) => {
                        Some(Elements::Floats(vec![f64::from_bits(bits)]))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(Elements::Ints(values)) = &elements
            && !fits(values[0], dtype)
        {
            return self.fail(format!(
                "{} does not fit {}; write astype(i64) for the tensor",
                values[0],
                dtype_name(dtype)
            ));
        }
        if let Some(elements) = elements {
            return Ok(Value::Tensor(self.target.constant(&elements, &ty), ty));
        }
        let scalar = match (value, class(dtype)) {
            (Value::Bool(value, _), Class::Bool) => value,
            (value @ (Value::Bool(..) | Value::Int(..)), Class::Int) => {
                let Value::Int(value, _) = self.as_int(value) else {
                    unreachable!("a boolean is an integer");
                };
                match dtype {
                    DType::I64 => value,
                    _ => self.narrowed(value, dtype),
                }
            }
            (value @ (Value::Bool(..) | Value::Int(..) | Value::Float(..)), Class::Float) => {
                let Value::Float(value, _) = self.as_float(value) else {
                    unreachable!("a number is a float");
                };
                match dtype {
                    DType::F64 => value,
                    _ => self.target.convert("arith.truncf", &value, dtype),
                }
            }
            (other, _) => {
                let name = self.describe(&other);
                return self.fail(format!("{name} does not convert to {}", tensor_of(dtype)));
            }
        };
        Ok(Value::Tensor(
            self.target.tensor_of_scalar(&scalar, dtype),
            ty,
        ))
    }

    /// An integer as an element of a narrower type, after a check that it fits.
    fn narrowed(&mut self, value: T::V, dtype: DType) -> T::V {
        let target = &mut *self.target;
        if !target.is_extended(&value, dtype) {
            let (least, most) = range(dtype);
            let [least, most] = [least, most].map(|bound| target.int(bound));
            let is_above = target.compare(false, Predicate::Ge, &value, &least);
            let is_below = target.compare(false, Predicate::Le, &value, &most);
            let fits = target.scalar("arith.andi", &[is_above, is_below]);
            let message = format!("an int does not fit {}", dtype_name(dtype));
            target.check(&fits, "TypeError", &message);
        }
        target.convert("arith.trunci", &value, dtype)
    }

    /// The scalar in a tensor of rank 0.
    pub(super) fn tensor_to_scalar(&mut self, value: Val<T>) -> Result<Val<T>> {
        let Value::Tensor(value, ty) = value else {
            return Ok(value);
        };
        if ty.rank() != 0 {
            return self.fail(format!(
                "{} has more than one element; write x[i], or a reduction such as tfx.sum(x)",
                tensor_name(&ty)
            ));
        }
        let scalar = self.target.scalar_of_tensor(&value, ty.dtype);
        Ok(match (class(ty.dtype), ty.dtype) {
            (Class::Bool, _) => Value::Bool(scalar, None),
            (Class::Int, DType::I64) => Value::Int(scalar, None),
            (Class::Int, _) => Value::Int(
                self.target.convert("arith.extsi", &scalar, DType::I64),
                None,
            ),
            (Class::Float, DType::F64) => Value::Float(scalar, None),
            (Class::Float, _) => {
                Value::Float(self.target.convert("arith.extf", &scalar, DType::F64), None)
            }
        })
    }

    /// Converts a tensor to an element type.
    pub(super) fn cast(
        &mut self,
        value: T::V,
        ty: &TensorType,
        dtype: DType,
    ) -> (T::V, TensorType) {
        if ty.dtype == dtype {
            return (value, ty.clone());
        }
        let to = ty.of(dtype);
        (self.target.tensor("Cast", &[value], &[], &to), to)
    }

    /// An operation of TensorFlow with a tensor as its result.
    pub(super) fn op(&mut self, name: &'static str, operands: &[T::V], ty: TensorType) -> Val<T> {
        Value::Tensor(self.target.tensor(name, operands, &[], &ty), ty)
    }

    // ---- Promotion ------------------------------------------------------------------------------

    /// The element type of an operator of two tensors.
    pub(super) fn promoted(&self, a: &TensorType, b: &TensorType) -> Result<DType> {
        if a.dtype == b.dtype {
            return Ok(a.dtype);
        }
        if class(a.dtype) != class(b.dtype) || class(a.dtype) == Class::Bool {
            // The advice converts the tensor that is not of floats.
            let to = if class(a.dtype) == Class::Float { a } else { b };
            return self.fail(format!(
                "{} with {}; write astype({}) for one of them",
                tensor_of(a.dtype),
                tensor_of(b.dtype),
                dtype_name(to.dtype)
            ));
        }
        Ok(if a.dtype.size() >= b.dtype.size() {
            a.dtype
        } else {
            b.dtype
        })
    }

    /// Converts two operands, of which one is a tensor, to tensors of one element type.
    pub(super) fn promote(&mut self, a: Val<T>, b: Val<T>) -> Result<[(T::V, TensorType); 2]> {
        Ok(match (a, b) {
            (Value::Tensor(a, x), Value::Tensor(b, y)) => {
                let dtype = self.promoted(&x, &y)?;
                [self.cast(a, &x, dtype), self.cast(b, &y, dtype)]
            }
            (Value::Tensor(a, x), scalar) => {
                let b = self.scalar_for(scalar, &x)?;
                [(a, x), b]
            }
            (scalar, Value::Tensor(b, y)) => {
                let a = self.scalar_for(scalar, &y)?;
                [a, (b, y)]
            }
            _ => unreachable!("one operand is a tensor"),
        })
    }

    /// Converts a scalar to the element type of a tensor of its kind.
    fn scalar_for(&mut self, scalar: Val<T>, like: &TensorType) -> Result<(T::V, TensorType)> {
        let fits = match (&scalar, class(like.dtype)) {
            (Value::Bool(..), Class::Bool) => true,
            (Value::Int(..), Class::Int | Class::Float) => true,
            (Value::Float(..), Class::Float) => true,
            (Value::Bool(..) | Value::Int(..) | Value::Float(..), _) => false,
            _ => {
                let name = self.describe(&scalar);
                return self.fail(format!("{name} with {} is not compiled", tensor_name(like)));
            }
        };
        if !fits {
            let name = self.describe(&scalar);
            let advice = match (&scalar, class(like.dtype)) {
                (Value::Float(..), Class::Int) => "; write astype(f32) for the tensor",
                (_, Class::Bool) => "; write astype(i32) for the tensor",
                _ => "; write int(..) for the scalar",
            };
            return self.fail(format!("{name} with {}{advice}", tensor_of(like.dtype)));
        }
        match self.scalar_tensor(scalar, like.dtype)? {
            Value::Tensor(value, ty) => Ok((value, ty)),
            _ => unreachable!("a tensor of rank 0"),
        }
    }

    /// The shape of an operation on elements of two tensors.
    pub(super) fn broadcast(&self, a: &TensorType, b: &TensorType) -> Result<Vec<Option<u64>>> {
        let rank = a.rank().max(b.rank());
        let size = |ty: &TensorType, axis: usize| match (axis + ty.rank()).checked_sub(rank) {
            Some(axis) => ty.shape[axis],
            None => Some(1),
        };
        let joined = (0..rank).map(|axis| match (size(a, axis), size(b, axis)) {
            (Some(1), other) | (other, Some(1)) => Ok(other),
            (Some(x), Some(y)) if x == y => Ok(Some(x)),
            (Some(_), Some(_)) => self.fail(format!(
                "ValueError: the shapes of {} and {} do not fit together",
                tensor_name(a),
                tensor_name(b)
            )),
            (Some(x), None) | (None, Some(x)) => Ok(Some(x)),
            (None, None) => Ok(None),
        });
        joined.collect()
    }

    // ---- Operators ------------------------------------------------------------------------------

    pub(super) fn tensor_unary(&mut self, op: UnaryOp, value: Val<T>) -> Result<Val<T>> {
        let Value::Tensor(value, ty) = value else {
            unreachable!("the operand is a tensor");
        };
        let name = match (op, class(ty.dtype)) {
            (UnaryOp::Plus, Class::Int | Class::Float) => return Ok(Value::Tensor(value, ty)),
            (UnaryOp::Minus, Class::Int | Class::Float) => "Neg",
            (UnaryOp::Invert, Class::Bool) => "LogicalNot",
            (UnaryOp::Invert, Class::Int) => "Invert",
            _ => {
                return self.fail(format!(
                    "this operator has no meaning for {}",
                    tensor_name(&ty)
                ));
            }
        };
        Ok(self.op(name, &[value], ty))
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        match (&a, &b) {
            (
                Value::Bool(..) | Value::Int(..) | Value::Float(..),
                Value::Bool(..) | Value::Int(..) | Value::Float(..),
            ) => self.scalar_binary(op, a, b),
            (Value::Struct(..), _) | (_, Value::Struct(..)) => self.struct_binary(op, a, b),
            (
                Value::Tensor(..),
                Value::Tensor(..) | Value::Bool(..) | Value::Int(..) | Value::Float(..),
            )
            | (Value::Bool(..) | Value::Int(..) | Value::Float(..), Value::Tensor(..)) => {
                self.tensor_binary(op, a, b)
            }
            (Value::Str(..), Value::Str(..)) if op == BinaryOp::Add => self.concat(vec![a, b]),
            (Value::Tuple(x), Value::Tuple(y)) if op == BinaryOp::Add => {
                Ok(Value::Tuple(x.iter().chain(y).cloned().collect()))
            }
            (Value::List(x), Value::List(y)) if op == BinaryOp::Add => {
                Ok(Value::List(x.iter().chain(y).cloned().collect()))
            }
            (Value::Tuple(parts), count) | (count, Value::Tuple(parts))
                if op == BinaryOp::Mul && matches!(count, Value::Int(..)) =>
            {
                let count = self.constant(count, "the count of a repetition")?;
                let count = usize::try_from(count).unwrap_or(0);
                if count.saturating_mul(parts.len()) > super::iteration::UNROLLED {
                    return self.fail("a tuple of this length is not compiled; use a tensor");
                }
                let repeated = std::iter::repeat_n(parts, count);
                Ok(Value::Tuple(repeated.flatten().cloned().collect()))
            }
            _ => {
                let (a, b) = (self.describe(&a), self.describe(&b));
                self.fail(format!(
                    "'{}' of {a} and {b} is not compiled; write it for numbers or tensors",
                    op.text()
                ))
            }
        }
    }

    pub(super) fn tensor_binary(&mut self, op: BinaryOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        if op == BinaryOp::MatMul {
            return self.matmul(a, b);
        }
        // A square, which is exact.
        if op == BinaryOp::Pow
            && let (Value::Tensor(value, ty), Value::Int(_, Some(2))) = (&a, &b)
        {
            return Ok(self.op("Square", std::slice::from_ref(value), ty.clone()));
        }
        let [(a, x), (b, y)] = self.promote(a, b)?;
        let kind = class(x.dtype);
        let name = match (op, kind) {
            (BinaryOp::And, Class::Bool) => "LogicalAnd",
            (BinaryOp::Or, Class::Bool) => "LogicalOr",
            (BinaryOp::Xor, Class::Bool) => "NotEqual",
            (BinaryOp::And, Class::Int) => "BitwiseAnd",
            (BinaryOp::Or, Class::Int) => "BitwiseOr",
            (BinaryOp::Xor, Class::Int) => "BitwiseXor",
            (BinaryOp::LeftShift, Class::Int) => "LeftShift",
            (BinaryOp::RightShift, Class::Int) => "RightShift",
            (BinaryOp::Add, Class::Int | Class::Float) => "AddV2",
            (BinaryOp::Sub, Class::Int | Class::Float) => "Sub",
            (BinaryOp::Mul, Class::Int | Class::Float) => "Mul",
            (BinaryOp::Div, Class::Float) => "RealDiv",
            (BinaryOp::FloorDiv, Class::Int | Class::Float) => "FloorDiv",
            (BinaryOp::Mod, Class::Int | Class::Float) => "FloorMod",
            (BinaryOp::Pow, Class::Int | Class::Float) => "Pow",
            (BinaryOp::Div, Class::Int) => {
                return self.fail(format!(
                    "'/' is for floats, not for {}; write astype(f32), or //",
                    tensor_of(x.dtype)
                ));
            }
            _ => {
                return self.fail(format!(
                    "'{}' has no meaning for {}",
                    op.text(),
                    tensor_of(x.dtype)
                ));
            }
        };
        let shape = self.broadcast(&x, &y)?;
        let dtype = x.dtype;
        let by = Value::Tensor(b.clone(), y);
        let result = self.op(name, &[a, b], TensorType { dtype, shape });
        if name != "LeftShift" {
            return Ok(result);
        }
        // The operation shifts by no more than all bits but one.
        let (bits, zero) = (self.int(8 * dtype.size() as i64), self.int(0));
        let is_all = self.tensor_compare(CompareOp::Ge, by, bits)?;
        self.library("where", vec![is_all, zero, result], Vec::new())
    }

    pub(super) fn tensor_compare(&mut self, op: CompareOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let [(a, x), (b, y)] = self.promote(a, b)?;
        if class(x.dtype) == Class::Bool && !matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return self.fail(format!("'{}' has no meaning for Tensor[bool]", op.text()));
        }
        let name = match op {
            CompareOp::Eq => "Equal",
            CompareOp::Ne => "NotEqual",
            CompareOp::Lt => "Less",
            CompareOp::Le => "LessEqual",
            CompareOp::Gt => "Greater",
            _ => "GreaterEqual",
        };
        let shape = self.broadcast(&x, &y)?;
        let dtype = DType::Bool;
        Ok(self.op(name, &[a, b], TensorType { dtype, shape }))
    }

    pub(super) fn matmul(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        if !matches!((&a, &b), (Value::Tensor(..), Value::Tensor(..))) {
            let (a, b) = (self.describe(&a), self.describe(&b));
            return self.fail(format!("'@' is for tensors, not for {a} and {b}"));
        }
        let [(mut a, mut x), (mut b, mut y)] = self.promote(a, b)?;
        if class(x.dtype) == Class::Bool || x.rank() == 0 || y.rank() == 0 {
            return self.fail(format!(
                "'@' has no meaning for {} and {}",
                tensor_name(&x),
                tensor_name(&y)
            ));
        }
        let (left_vector, right_vector) = (x.rank() == 1, y.rank() == 1);
        if left_vector {
            (a, x) = self.expanded(&a, &x, 0);
        }
        if right_vector {
            (b, y) = self.expanded(&b, &y, 1);
        }
        let (m, k) = (x.shape[x.rank() - 2], x.shape[x.rank() - 1]);
        let (l, n) = (y.shape[y.rank() - 2], y.shape[y.rank() - 1]);
        if let (Some(k), Some(l)) = (k, l)
            && k != l
        {
            return self.fail(format!(
                "ValueError: {} has {k} columns, and {} has {l} rows",
                tensor_name(&x),
                tensor_name(&y)
            ));
        }
        let narrow = x.dtype;
        // The operation has no integers of 8 and 16 bits; the last bits of a product are the same.
        if matches!(narrow, DType::I8 | DType::I16) {
            (a, x) = self.cast(a, &x, DType::I32);
            (b, y) = self.cast(b, &y, DType::I32);
        }
        let dtype = x.dtype;
        let outer = |ty: &TensorType| TensorType {
            dtype,
            shape: ty.shape[..ty.rank() - 2].to_vec(),
        };
        let mut shape = self.broadcast(&outer(&x), &outer(&y))?;
        shape.extend([m, n]);
        let name = match shape.len() {
            2 => "MatMul",
            _ => "BatchMatMulV2",
        };
        let mut ty = TensorType { dtype, shape };
        let mut value = self.target.tensor(name, &[a, b], &[], &ty);
        if right_vector {
            (value, ty) = self.squeezed(&value, &ty, &[ty.rank() - 1]);
        }
        if left_vector {
            let axis = ty.rank() - if right_vector { 1 } else { 2 };
            (value, ty) = self.squeezed(&value, &ty, &[axis]);
        }
        let (value, ty) = self.cast(value, &ty, narrow);
        Ok(Value::Tensor(value, ty))
    }

    /// All elements as one vector.
    pub(super) fn flattened(&mut self, value: T::V, ty: &TensorType) -> (T::V, TensorType) {
        let rest = self.int_vector(&[-1]);
        let sizes = ty.shape.iter().copied();
        let size = sizes
            .into_iter()
            .try_fold(1u64, |all, size| all.checked_mul(size?));
        let flat = TensorType {
            dtype: ty.dtype,
            shape: vec![size],
        };
        let value = self.target.tensor("Reshape", &[value, rest], &[], &flat);
        (value, flat)
    }

    /// A tensor with one more dimension of size 1.
    pub(super) fn expanded(
        &mut self,
        value: &T::V,
        ty: &TensorType,
        axis: usize,
    ) -> (T::V, TensorType) {
        let mut to = ty.clone();
        to.shape.insert(axis, Some(1));
        let axis = self.int_tensor(axis as i64);
        let value = self
            .target
            .tensor("ExpandDims", &[value.clone(), axis], &[], &to);
        (value, to)
    }

    /// A tensor without some dimensions of size 1.
    pub(super) fn squeezed(
        &mut self,
        value: &T::V,
        ty: &TensorType,
        axes: &[usize],
    ) -> (T::V, TensorType) {
        let kept = ty.shape.iter().enumerate();
        let kept = kept.filter(|(axis, _)| !axes.contains(axis));
        let to = TensorType {
            dtype: ty.dtype,
            shape: kept.map(|(_, size)| *size).collect(),
        };
        let sizes: Vec<Val<T>> = (0..ty.rank())
            .filter(|axis| !axes.contains(axis))
            .map(|axis| self.size_of(value, ty, axis))
            .collect();
        let shape = self.shape_tensor(&sizes);
        let value = self
            .target
            .tensor("Reshape", &[value.clone(), shape], &[], &to);
        (value, to)
    }

    /// A vector of sizes, of which any may be known at run time only.
    pub(super) fn shape_tensor(&mut self, sizes: &[Val<T>]) -> T::V {
        let constants: Option<Vec<i64>> = sizes.iter().map(super::constant_int).collect();
        if let Some(constants) = constants {
            return self.int_vector(&constants);
        }
        // One size that is not known is the rest.
        let unknown = sizes.iter().filter(|of| super::constant_int(of).is_none());
        let has_rest = sizes.iter().any(|of| super::constant_int(of) == Some(-1));
        let has_zero = sizes.iter().any(|of| super::constant_int(of) == Some(0));
        if unknown.count() == 1 && !has_rest && !has_zero {
            let sizes: Vec<i64> = sizes
                .iter()
                .map(|of| super::constant_int(of).unwrap_or(-1))
                .collect();
            return self.int_vector(&sizes);
        }
        self.shape_vector(sizes)
    }

    /// A vector of sizes of type `i64`, exactly as they are.
    pub(super) fn shape_vector(&mut self, sizes: &[Val<T>]) -> T::V {
        let scalar = TensorType::scalar(DType::I64);
        let parts: Vec<T::V> = sizes
            .iter()
            .map(|size| match size {
                Value::Int(_, Some(value)) => {
                    let elements = Elements::Ints(vec![*value]);
                    self.target.constant(&elements, &scalar)
                }
                Value::Int(value, None) | Value::Bool(value, _) => {
                    self.target.tensor_of_scalar(value, DType::I64)
                }
                _ => unreachable!("a size is an integer"),
            })
            .collect();
        let ty = TensorType {
            dtype: DType::I64,
            shape: vec![Some(parts.len() as u64)],
        };
        let attributes = [("axis", Attribute::Int(0))];
        self.target.tensor("Pack", &parts, &attributes, &ty)
    }

    pub(super) fn permuted(&mut self, value: &T::V, ty: &TensorType, order: &[usize]) -> Val<T> {
        let to = TensorType {
            dtype: ty.dtype,
            shape: order.iter().map(|&axis| ty.shape[axis]).collect(),
        };
        let order: Vec<i64> = order.iter().map(|&axis| axis as i64).collect();
        let order = self.int_vector(&order);
        self.op("Transpose", &[value.clone(), order], to)
    }
}

/// Returns whether an integer fits an element type.
fn fits(value: i64, dtype: DType) -> bool {
    let (least, most) = range(dtype);
    (least..=most).contains(&value)
}

/// The least and the greatest integer of an element type.
fn range(dtype: DType) -> (i64, i64) {
    match dtype {
        DType::I8 => (i8::MIN.into(), i8::MAX.into()),
        DType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DType::I32 => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN, i64::MAX),
    }
}
