//! Functions that move, repeat or reorder elements.

use tfx_python_syntax::{BinaryOp, CompareOp, UnaryOp};

use super::super::library::Keywords;
use super::super::{Evaluator, Val, constant_int};
use crate::target::{Result, Target};
use crate::value::{TensorType, Value};

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn flip(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let [x, axis] = self.arguments("flip", positional, keywords, ["x", "axis"], 1)?;
        let (value, ty) = self.tensor_argument("flip", x)?;
        let axes = self.axes_or_all(axis, ty.rank())?;
        let axes: Vec<i64> = axes.into_iter().map(|axis| axis as i64).collect();
        let axes = self.int_vector(&axes);
        Ok(self.op("ReverseV2", &[value, axes], ty))
    }

    pub(super) fn roll(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "shift", "axis"];
        let [x, shift, axis] = self.arguments("roll", positional, keywords, names, 2)?;
        let (value, ty) = self.tensor_argument("roll", x)?;
        let list = |of: Val<T>| match of {
            Value::Tuple(parts) | Value::List(parts) => parts,
            one => vec![one],
        };
        let shifts = list(shift.unwrap_or(Value::None));
        let Some(axis) = axis.filter(|of| !matches!(of, Value::None)) else {
            // The tensor is one vector.
            let sizes = self.sizes_of(&value, &ty);
            let (flat, flat_type) = self.flattened(value, &ty);
            let flat = Value::Tensor(flat, flat_type);
            let zero = self.int(0);
            let rolled = self.of("roll", [flat, Value::Tuple(shifts), zero])?;
            return self.of("reshape", [rolled, Value::Tuple(sizes)]);
        };
        let axes = self.axes(axis, ty.rank())?;
        if shifts.len() != axes.len() && shifts.len() != 1 {
            return self.fail("ValueError: roll() has as many shifts as axes");
        }
        let mut x = Value::Tensor(value, ty);
        for (at, axis) in axes.into_iter().enumerate() {
            let shift = shifts[at.min(shifts.len() - 1)].clone();
            let Value::Tensor(value, ty) = &x else {
                unreachable!("a rolled tensor");
            };
            if ty.shape[axis] == Some(0) {
                continue;
            }
            let size = self.size_of(value, ty, axis);
            let size = self.at_least_one(size)?;
            // The elements before the split come last.
            let negated = self.unary(UnaryOp::Minus, shift)?;
            let split = self.binary(BinaryOp::Mod, negated, size)?;
            let last = self.part(x.clone(), axis, Value::None, split.clone())?;
            let first = self.part(x.clone(), axis, split, Value::None)?;
            let axis = self.int(axis as i64);
            x = self.of("concat", [Value::Tuple(vec![first, last]), axis])?;
        }
        Ok(x)
    }

    /// A size by which a position can be divided, also if the dimension is empty.
    fn at_least_one(&mut self, size: Val<T>) -> Result<Val<T>> {
        let one = self.int(1);
        match self.scalar_compare(CompareOp::Lt, size.clone(), one.clone())? {
            Value::Bool(is_empty, None) => Ok(self.select(&is_empty, one, size)),
            _ => Ok(size),
        }
    }

    pub(super) fn moveaxis(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "source", "destination"];
        let [x, from, to] = self.arguments("moveaxis", positional, keywords, names, 3)?;
        let (value, ty) = self.tensor_argument("moveaxis", x)?;
        let from = self.axes(from.unwrap_or(Value::None), ty.rank())?;
        let to = self.axes(to.unwrap_or(Value::None), ty.rank())?;
        let is_unique = |axes: &[usize]| {
            axes.iter()
                .enumerate()
                .all(|(at, axis)| !axes[..at].contains(axis))
        };
        if from.len() != to.len() || !is_unique(&from) || !is_unique(&to) {
            return self.fail("ValueError: moveaxis() moves each axis once, to a place of its own");
        }
        Ok(self.moved(&value, &ty, &from, &to))
    }

    pub(super) fn moved(
        &mut self,
        value: &T::V,
        ty: &TensorType,
        from: &[usize],
        to: &[usize],
    ) -> Val<T> {
        let mut rest = (0..ty.rank()).filter(|axis| !from.contains(axis));
        let order: Vec<usize> = (0..ty.rank())
            .map(|axis| match to.iter().position(|of| *of == axis) {
                Some(at) => from[at],
                None => rest.next().unwrap_or(axis),
            })
            .collect();
        self.permuted(value, ty, &order)
    }

    pub(super) fn tile(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "repetitions"];
        let [x, repetitions] = self.arguments("tile", positional, keywords, names, 2)?;
        let (mut value, mut ty) = self.tensor_argument("tile", x)?;
        let mut counts = self.sizes(repetitions)?;
        while counts.len() < ty.rank() {
            let one = self.int(1);
            counts.insert(0, one);
        }
        while ty.rank() < counts.len() {
            (value, ty) = self.expanded(&value, &ty, 0);
        }
        let shape = ty.shape.iter().zip(&counts).map(|(size, count)| {
            let count = u64::try_from(constant_int(count)?).ok()?;
            size.and_then(|size| size.checked_mul(count))
        });
        let to = TensorType {
            dtype: ty.dtype,
            shape: shape.collect(),
        };
        let counts = self.shape_exactly(&counts);
        Ok(self.op("Tile", &[value, counts], to))
    }

    /// A new dimension after the repeated one has the copies of an element.
    pub(super) fn repeat(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "repeats", "axis"];
        let [x, repeats, axis] = self.arguments("repeat", positional, keywords, names, 2)?;
        let (mut value, mut ty) = self.tensor_argument("repeat", x)?;
        let repeats = match repeats {
            Some(count @ Value::Int(..)) => count,
            Some(other) => {
                let name = self.describe(&other);
                return self.fail(format!(
                    "repeat() is compiled for one number of repetitions, not for {name}"
                ));
            }
            None => unreachable!("the number of repetitions is required"),
        };
        let axis = match axis {
            None | Some(Value::None) => {
                (value, ty) = self.flattened(value, &ty);
                0
            }
            Some(axis) => self.axis(&axis, ty.rank())?,
        };
        let mut sizes = self.sizes_of(&value, &ty);
        sizes[axis] = self.binary(BinaryOp::Mul, sizes[axis].clone(), repeats.clone())?;
        let (wide, wide_type) = self.expanded(&value, &ty, axis + 1);
        let mut counts: Vec<Val<T>> = (0..wide_type.rank()).map(|_| self.int(1)).collect();
        counts[axis + 1] = repeats;
        let tiled = self.of(
            "tile",
            [Value::Tensor(wide, wide_type), Value::Tuple(counts)],
        )?;
        self.of("reshape", [tiled, Value::Tuple(sizes)])
    }
}
