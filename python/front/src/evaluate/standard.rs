//! Functions of the array API standard that consist of other functions of tfx.
//!
//! Each is one definition for inference, compiled programs and eager calls, as all functions of
//! tfx. The operations have the place of the call, so that messages name it.
//!
//! Source: the array API standard, version 2025.12, for special cases such as infinities and signed
//! zeros.

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp, UnaryOp};

use super::library::Keywords;
use super::tensors::{Class, class};
use super::{Evaluator, Val, constant_int};
use crate::target::{Attribute, Result, Target};
use crate::value::{TensorType, Value, tensor_name};

/// The functions of this file.
const NAMES: &[&str] = &[
    "atan2",
    "bitwise_left_shift",
    "bitwise_right_shift",
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
            "bitwise_left_shift" | "bitwise_right_shift" => {
                let [a, b] = self.arguments(name, positional, keywords, ["x1", "x2"], 2)?;
                let (a, b) = self.tensor_pair(a, b)?;
                let op = match name {
                    "bitwise_left_shift" => BinaryOp::LeftShift,
                    _ => BinaryOp::RightShift,
                };
                self.binary(op, a, b)
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
    fn elementwise(&mut self, op: &'static str, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let [(a, x), (b, y)] = self.promote(a, b)?;
        let shape = self.broadcast(&x, &y)?;
        let dtype = x.dtype;
        Ok(self.op(op, &[a, b], TensorType { dtype, shape }))
    }

    /// The dimension of an optional argument.
    fn axis_or(&mut self, axis: Option<Val<T>>, default: i64, rank: usize) -> Result<usize> {
        let axis = match axis {
            Some(axis) => axis,
            None => self.int(default),
        };
        self.axis(&axis, rank)
    }

    fn tensor_type(&self, value: &Val<T>) -> TensorType {
        match value {
            Value::Tensor(_, ty) => ty.clone(),
            _ => unreachable!("a function of tensors returns a tensor"),
        }
    }

    fn nonzero(&mut self, x: Val<T>) -> Result<Val<T>> {
        if self.tensor_type(&x).dtype == DType::Bool {
            return Ok(x);
        }
        let zero = self.int(0);
        self.tensor_compare(CompareOp::Ne, x, zero)
    }

    fn choose(&mut self, condition: Val<T>, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        self.of("where", [condition, a, b])
    }

    /// A size as an integer of Python.
    fn sizes_of(&mut self, value: &T::V, ty: &TensorType) -> Vec<Val<T>> {
        (0..ty.rank())
            .map(|axis| self.size_of(value, ty, axis))
            .collect()
    }

    // ---- Functions of elements ------------------------------------------------------------------

    fn bits(&mut self, x: Val<T>, dtype: DType) -> Val<T> {
        let Value::Tensor(value, ty) = x else {
            unreachable!("the bits of a tensor");
        };
        let attributes = [("type", Attribute::Type(dtype))];
        let to = ty.of(dtype);
        let value = self.target.tensor("Bitcast", &[value], &attributes, &to);
        Value::Tensor(value, to)
    }

    fn signbit(&mut self, x: Val<T>) -> Result<Val<T>> {
        let ty = self.tensor_type(&x);
        if class(ty.dtype) != Class::Float {
            return self.fail(format!(
                "signbit() is for floats, not for {}",
                tensor_name(&ty)
            ));
        }
        let bits = self.bits(x, bits_of(ty.dtype));
        let zero = self.int(0);
        self.tensor_compare(CompareOp::Lt, bits, zero)
    }

    fn copysign(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let (of_a, of_b) = (self.signbit(a.clone())?, self.signbit(b)?);
        let differ = self.of("not_equal", [of_a, of_b])?;
        let negated = self.tensor_unary(UnaryOp::Minus, a.clone())?;
        self.choose(differ, negated, a)
    }

    /// The greater number times a root between 1 and the root of 2, so that no square overflows.
    fn hypot(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let (a, b) = (self.of("abs", [a])?, self.of("abs", [b])?);
        let greater = self.of("maximum", [a.clone(), b.clone()])?;
        let less = self.of("minimum", [a.clone(), b.clone()])?;
        let zero = self.int(0);
        let is_zero = self.tensor_compare(CompareOp::Eq, greater.clone(), zero)?;
        let ratio = self.binary(BinaryOp::Div, less, greater.clone())?;
        let one = self.int(1);
        let square = self.of("square", [ratio])?;
        let sum = self.binary(BinaryOp::Add, square, one)?;
        let root = self.of("sqrt", [sum])?;
        let product = self.binary(BinaryOp::Mul, greater.clone(), root)?;
        let result = self.choose(is_zero, greater, product)?;
        // An infinity and NaN make an infinity.
        let infinity = self.float(f64::INFINITY);
        let (of_a, of_b) = (self.of("isinf", [a])?, self.of("isinf", [b])?);
        let is_infinite = self.of("logical_or", [of_a, of_b])?;
        self.choose(is_infinite, infinity, result)
    }

    /// The greater number, and a rest without overflow.
    fn logaddexp(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let greater = self.of("maximum", [a.clone(), b.clone()])?;
        let equal = self.of("equal", [a.clone(), b.clone()])?;
        let distance = self.binary(BinaryOp::Sub, a, b)?;
        let distance = self.of("abs", [distance])?;
        let zero = self.float(0.0);
        // Equal infinities have no distance.
        let distance = self.choose(equal, zero, distance)?;
        let negated = self.tensor_unary(UnaryOp::Minus, distance)?;
        let exp = self.of("exp", [negated])?;
        let rest = self.of("log1p", [exp])?;
        self.binary(BinaryOp::Add, greater, rest)
    }

    /// Floats of one sign have the order of their bits as integers.
    fn nextafter(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let dtype = self.tensor_type(&a).dtype;
        let bits = self.bits(a.clone(), bits_of(dtype));
        let (zero, one, minus_one) = (self.int(0), self.int(1), self.int(-1));
        let is_less = self.of("less", [a.clone(), b.clone()])?;
        let is_negative = self.of("less", [a.clone(), zero.clone()])?;
        let away = self.of("not_equal", [is_less, is_negative])?;
        let ty = self.tensor_type(&away).of(bits_of(dtype));
        let scalar = TensorType::scalar(ty.dtype);
        let [one, minus_one] = [one, minus_one].map(|of| self.scalar_tensor(of, scalar.dtype));
        let step = self.choose(away, one?, minus_one?)?;
        let next = self.binary(BinaryOp::Add, bits, step)?;
        let next = self.bits(next, dtype);
        // The least number above zero has the bits of 1.
        let least = self.int(1);
        let least = self.scalar_tensor(least, bits_of(dtype))?;
        let least = self.bits(least, dtype);
        let least = self.copysign(least, b.clone())?;
        let is_zero = self.of("equal", [a.clone(), zero])?;
        let next = self.choose(is_zero, least, next)?;
        let equal = self.of("equal", [a.clone(), b.clone()])?;
        let next = self.choose(equal, b.clone(), next)?;
        let (of_a, of_b) = (
            self.of("isnan", [a.clone()])?,
            self.of("isnan", [b.clone()])?,
        );
        let is_nan = self.of("logical_or", [of_a, of_b])?;
        let sum = self.binary(BinaryOp::Add, a, b)?;
        self.choose(is_nan, sum, next)
    }

    fn clip(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
        let names = ["x", "min", "max"];
        let [x, least, most] = self.arguments("clip", positional, keywords, names, 1)?;
        let (value, ty) = self.tensor_argument("clip", x)?;
        let dtype = ty.dtype;
        let mut x = Value::Tensor(value, ty);
        for (bound, function) in [(least, "maximum"), (most, "minimum")] {
            if let Some(bound) = bound.filter(|of| !matches!(of, Value::None)) {
                // The result has the element type of the tensor.
                let bound = match bound {
                    Value::Tensor(value, ty) if class(ty.dtype) == class(dtype) => {
                        let (value, ty) = self.cast(value, &ty, dtype);
                        Value::Tensor(value, ty)
                    }
                    other => other,
                };
                x = self.of(function, [x, bound])?;
            }
        }
        Ok(x)
    }

    // ---- Statistics -----------------------------------------------------------------------------

    fn variance(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "axis", "correction", "keepdims"];
        let [x, axis, correction, keep] = self.arguments(name, positional, keywords, names, 1)?;
        let (value, ty) = self.tensor_argument(name, x)?;
        let axes: Vec<usize> = match &axis {
            None | Some(Value::None) => (0..ty.rank()).collect(),
            Some(axis) => self.axes(axis.clone(), ty.rank())?,
        };
        let mut count = self.int(1);
        for axis in axes {
            let size = self.size_of(&value, &ty, axis);
            count = self.binary(BinaryOp::Mul, count, size)?;
        }
        let correction = match correction {
            Some(correction) => correction,
            None => self.int(0),
        };
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

    fn cumulative(
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

    fn diff(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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
    fn part(&mut self, x: Val<T>, axis: usize, from: Val<T>, to: Val<T>) -> Result<Val<T>> {
        let Value::Tensor(value, ty) = x else {
            unreachable!("a part of a tensor");
        };
        let all = || Value::Slice(Box::new([Value::None, Value::None, Value::None]));
        let mut index: Vec<Val<T>> = (0..axis).map(|_| all()).collect();
        index.push(Value::Slice(Box::new([from, to, Value::None])));
        self.tensor_subscript(value, ty, Value::Tuple(index))
    }

    // ---- Creation -------------------------------------------------------------------------------

    fn linspace(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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

    fn triangle(
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
        let k = match k {
            Some(k) => k,
            None => self.int(0),
        };
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

    fn meshgrid(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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
    fn common_shape(&mut self, arrays: &[Val<T>]) -> Result<Val<T>> {
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
                    // One of the tensors has the size, and the others have 1 or the same.
                    let unknown = typed.iter().find_map(|(value, ty)| {
                        let at = (axis + ty.rank()).checked_sub(rank)?;
                        ty.shape[at].is_none().then_some((value, ty, at))
                    });
                    let Some((value, ty, at)) = unknown else {
                        unreachable!("an unknown size comes from a tensor");
                    };
                    self.size_of(value, ty, at)
                }
            };
            sizes.push(found);
        }
        Ok(Value::Tuple(sizes))
    }

    // ---- Order of elements ----------------------------------------------------------------------

    fn flip(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
        let [x, axis] = self.arguments("flip", positional, keywords, ["x", "axis"], 1)?;
        let (value, ty) = self.tensor_argument("flip", x)?;
        let axes: Vec<usize> = match axis {
            None | Some(Value::None) => (0..ty.rank()).collect(),
            Some(axis) => self.axes(axis, ty.rank())?,
        };
        let axes: Vec<i64> = axes.into_iter().map(|axis| axis as i64).collect();
        let axes = self.int_vector(&axes);
        Ok(self.op("ReverseV2", &[value, axes], ty))
    }

    fn roll(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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
            let rest = self.int(-1);
            let flat = self.of("reshape", [Value::Tensor(value, ty), rest])?;
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
            // The elements before the split come last.
            let negated = self.tensor_or_scalar_negated(shift)?;
            let split = self.binary(BinaryOp::Mod, negated, size)?;
            let last = self.part(x.clone(), axis, Value::None, split.clone())?;
            let first = self.part(x.clone(), axis, split, Value::None)?;
            let axis = self.int(axis as i64);
            x = self.of("concat", [Value::Tuple(vec![first, last]), axis])?;
        }
        Ok(x)
    }

    fn tensor_or_scalar_negated(&mut self, value: Val<T>) -> Result<Val<T>> {
        let zero = self.int(0);
        self.binary(BinaryOp::Sub, zero, value)
    }

    fn moveaxis(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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

    fn moved(&mut self, value: &T::V, ty: &TensorType, from: &[usize], to: &[usize]) -> Val<T> {
        let mut rest = (0..ty.rank()).filter(|axis| !from.contains(axis));
        let order: Vec<usize> = (0..ty.rank())
            .map(|axis| match to.iter().position(|of| *of == axis) {
                Some(at) => from[at],
                None => rest.next().unwrap_or(axis),
            })
            .collect();
        self.permuted(value, ty, &order)
    }

    fn tile(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
        let names = ["x", "repetitions"];
        let [x, repetitions] = self.arguments("tile", positional, keywords, names, 2)?;
        let (mut value, mut ty) = self.tensor_argument("tile", x)?;
        let mut counts = match repetitions {
            Some(Value::Tuple(parts) | Value::List(parts)) => parts,
            other => other.into_iter().collect(),
        };
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
    fn repeat(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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
                let rest = self.int(-1);
                let flat = self.of("reshape", [Value::Tensor(value, ty), rest])?;
                let Value::Tensor(of, flat) = flat else {
                    unreachable!("a reshaped tensor");
                };
                (value, ty) = (of, flat);
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

    // ---- Linear algebra -------------------------------------------------------------------------

    fn of_matrices(
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

    fn trace(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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
        let offset = match offset {
            Some(offset) => offset,
            None => self.int(0),
        };
        let x = Value::Tensor(value, ty);
        let lower = self.of("tril", [x, offset.clone()])?;
        let diagonal = self.of("triu", [lower, offset])?;
        let (rows, columns) = (self.int(-2), self.int(-1));
        let axes = Value::Tuple(vec![rows, columns]);
        let keywords = given([("axis", Some(axes)), ("dtype", dtype)]);
        self.library("sum", vec![diagonal], keywords)
    }

    fn tensordot(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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
            let mut all = evaluator.int(1);
            for axis in axes {
                all = evaluator.binary(BinaryOp::Mul, all, sizes[*axis].clone())?;
            }
            Ok(all)
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

    fn vector_norm(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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
