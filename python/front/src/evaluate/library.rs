//! The functions of tfx on tensors: those of the array API standard, and some of neural networks.
//!
//! A method `x.sum(axis=0)` is the function `tfx.sum(x, axis=0)`.

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp, UnaryOp};

use super::arrays::default_dtype;
use super::standard;
use super::tensors::{Class, class};
use super::{Evaluator, Val, constant_int};
use crate::target::{Attribute, Result, Target};
use crate::value::{TensorType, Value, dtype_of_name, tensor_name};

/// The methods of tensors that are functions of tfx.
pub(crate) const METHODS: &[&str] = &[
    "all",
    "any",
    "argmax",
    "argmin",
    "astype",
    "item",
    "max",
    "mean",
    "min",
    "prod",
    "reshape",
    "squeeze",
    "sum",
    "transpose",
];

/// Functions of one tensor: the name, the operation, and the classes of its elements.
const UNARY: &[(&str, &str, bool)] = &[
    // true: floats only
    ("abs", "Abs", false),
    ("acos", "Acos", true),
    ("acosh", "Acosh", true),
    ("asin", "Asin", true),
    ("asinh", "Asinh", true),
    ("atan", "Atan", true),
    ("atanh", "Atanh", true),
    ("ceil", "Ceil", true),
    ("cos", "Cos", true),
    ("cosh", "Cosh", true),
    ("elu", "Elu", true),
    ("erf", "Erf", true),
    ("exp", "Exp", true),
    ("expm1", "Expm1", true),
    ("floor", "Floor", true),
    ("log", "Log", true),
    ("log1p", "Log1p", true),
    ("negative", "Neg", false),
    ("relu", "Relu", true),
    ("reciprocal", "Reciprocal", true),
    ("round", "Rint", true),
    ("rsqrt", "Rsqrt", true),
    ("sigmoid", "Sigmoid", true),
    ("sign", "Sign", false),
    ("sin", "Sin", true),
    ("sinh", "Sinh", true),
    ("softplus", "Softplus", true),
    ("sqrt", "Sqrt", true),
    ("square", "Square", false),
    ("tan", "Tan", true),
    ("tanh", "Tanh", true),
];

/// Functions of two tensors that are operators.
const OPERATORS: &[(&str, BinaryOp)] = &[
    ("add", BinaryOp::Add),
    ("subtract", BinaryOp::Sub),
    ("multiply", BinaryOp::Mul),
    ("divide", BinaryOp::Div),
    ("floor_divide", BinaryOp::FloorDiv),
    ("remainder", BinaryOp::Mod),
    ("pow", BinaryOp::Pow),
    ("matmul", BinaryOp::MatMul),
    ("bitwise_and", BinaryOp::And),
    ("bitwise_left_shift", BinaryOp::LeftShift),
    ("bitwise_or", BinaryOp::Or),
    ("bitwise_right_shift", BinaryOp::RightShift),
    ("bitwise_xor", BinaryOp::Xor),
    ("logical_and", BinaryOp::And),
    ("logical_or", BinaryOp::Or),
    ("logical_xor", BinaryOp::Xor),
];

/// Functions of two tensors that are comparisons.
const COMPARISONS: &[(&str, CompareOp)] = &[
    ("equal", CompareOp::Eq),
    ("not_equal", CompareOp::Ne),
    ("less", CompareOp::Lt),
    ("less_equal", CompareOp::Le),
    ("greater", CompareOp::Gt),
    ("greater_equal", CompareOp::Ge),
];

pub(super) type Keywords<T> = Vec<(String, Val<T>)>;

/// The functions of tfx that make derivatives of functions.
pub(crate) const DERIVATIVES: &[&str] = &["gradient", "grad", "value_and_grad"];

/// Functions of tfx with the names of functions of other libraries, besides those of the tables.
const NAMESAKES: &[&str] = &[
    "arange",
    "broadcast_to",
    "concat",
    "concatenate",
    "expand_dims",
    "eye",
    "full",
    "full_like",
    "isfinite",
    "isinf",
    "isnan",
    "logical_not",
    "matmul",
    "matrix_transpose",
    "maximum",
    "minimum",
    "ones",
    "ones_like",
    "permute_dims",
    "softmax",
    "stack",
    "take",
    "tensor",
    "where",
    "zeros",
    "zeros_like",
];

/// Returns whether tfx has a function of the name of a function of another library.
pub(crate) fn has_function(name: &str) -> bool {
    UNARY.iter().any(|(of, ..)| *of == name)
        || OPERATORS.iter().any(|(of, _)| *of == name)
        || COMPARISONS.iter().any(|(of, _)| *of == name)
        || METHODS.contains(&name)
        || NAMESAKES.contains(&name)
        || standard::defines(name)
}

impl<T: Target> Evaluator<'_, T> {
    /// Orders the arguments of a call by the names of the parameters. The first `required` must be
    /// given.
    pub(super) fn arguments<const N: usize>(
        &self,
        function: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
        names: [&str; N],
        required: usize,
    ) -> Result<[Option<Val<T>>; N]> {
        let mut bound: [Option<Val<T>>; N] = std::array::from_fn(|_| None);
        let given = positional.len();
        if given > N {
            return self.fail(format!(
                "{function}() takes {N} arguments, but {given} are given"
            ));
        }
        for (slot, value) in bound.iter_mut().zip(positional) {
            *slot = Some(value);
        }
        for (name, value) in keywords {
            match names.iter().position(|of| *of == name) {
                Some(index) if bound[index].is_none() => bound[index] = Some(value),
                Some(_) => {
                    return self.fail(format!("{function}() got '{name}' twice"));
                }
                None => {
                    return self.fail(format!("{function}() has no parameter '{name}'"));
                }
            }
        }
        for (name, value) in names.iter().zip(&bound).take(required) {
            if value.is_none() {
                return self.fail(format!("{function}() needs the argument '{name}'"));
            }
        }
        Ok(bound)
    }

    /// Calls a function of tfx by its name.
    pub(crate) fn library(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        mut keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        self.check_device(name, &mut keywords)?;
        if let Some((_, op, floats)) = UNARY.iter().find(|(of, ..)| *of == name) {
            let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
            let (value, ty) = self.tensor_argument(name, x)?;
            let is_exact = matches!(name, "ceil" | "floor" | "round");
            if is_exact && class(ty.dtype) == Class::Int {
                return Ok(Value::Tensor(value, ty));
            }
            if (*floats && class(ty.dtype) != Class::Float) || class(ty.dtype) == Class::Bool {
                return self.fail(format!(
                    "{name}() is for floats, not for {}; write astype(f32)",
                    tensor_name(&ty)
                ));
            }
            return Ok(self.op(op, &[value], ty));
        }
        if let Some((_, op)) = OPERATORS.iter().find(|(of, _)| *of == name) {
            let [a, b] = self.arguments(name, positional, keywords, ["x1", "x2"], 2)?;
            let (a, b) = self.tensor_pair(a, b)?;
            return self.binary(*op, a, b);
        }
        if let Some((_, op)) = COMPARISONS.iter().find(|(of, _)| *of == name) {
            let [a, b] = self.arguments(name, positional, keywords, ["x1", "x2"], 2)?;
            let (a, b) = self.tensor_pair(a, b)?;
            return self.tensor_compare(*op, a, b);
        }
        if standard::defines(name) {
            return self.standard(name, positional, keywords);
        }
        match name {
            "maximum" | "minimum" => {
                let [a, b] = self.arguments(name, positional, keywords, ["x1", "x2"], 2)?;
                let (a, b) = self.tensor_pair(a, b)?;
                let op = if name == "maximum" {
                    "Maximum"
                } else {
                    "Minimum"
                };
                self.elementwise(op, a, b)
            }
            "logical_not" | "bitwise_invert" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                self.tensor_unary(UnaryOp::Invert, Value::Tensor(value, ty))
            }
            "isnan" | "isinf" | "isfinite" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let op = match name {
                    "isnan" => "IsNan",
                    "isinf" => "IsInf",
                    _ => "IsFinite",
                };
                if class(ty.dtype) != Class::Float {
                    // Integers are finite numbers.
                    let op = match name {
                        "isfinite" => "Equal",
                        _ => "NotEqual",
                    };
                    return Ok(self.op(op, &[value.clone(), value], ty.of(DType::Bool)));
                }
                Ok(self.op(op, &[value], ty.of(DType::Bool)))
            }
            "where" => self.where_(positional, keywords),
            "sum" | "mean" | "max" | "min" | "prod" | "any" | "all" => {
                self.reduction(name, positional, keywords)
            }
            "argmax" | "argmin" => self.arg_extreme(name, positional, keywords),
            "astype" => {
                let names = ["x", "dtype", "copy"];
                let [x, dtype, _copy] = self.arguments(name, positional, keywords, names, 2)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let dtype = self.dtype_argument(dtype)?;
                if class(ty.dtype) == Class::Float && class(dtype) == Class::Bool {
                    let zero = self.int(0);
                    let zero = self.scalar_tensor(zero, ty.dtype)?;
                    return self.tensor_compare(CompareOp::Ne, Value::Tensor(value, ty), zero);
                }
                let (value, ty) = self.cast(value, &ty, dtype);
                Ok(Value::Tensor(value, ty))
            }
            "item" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                self.tensor_to_scalar(Value::Tensor(value, ty))
            }
            "reshape" => self.reshape(positional, keywords),
            "broadcast_to" => {
                let [x, shape] = self.arguments(name, positional, keywords, ["x", "shape"], 2)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let sizes = self.sizes(shape)?;
                let to = self.type_of_sizes(ty.dtype, &sizes)?;
                self.broadcast(&ty, &to)?;
                let shape = self.shape_exactly(&sizes);
                Ok(self.op("BroadcastTo", &[value, shape], to))
            }
            "transpose" | "permute_dims" => {
                let [x, axes] = self.arguments(name, positional, keywords, ["x", "axes"], 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let order = match axes {
                    None | Some(Value::None) => (0..ty.rank()).rev().collect(),
                    Some(axes) => self.axes(axes, ty.rank())?,
                };
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if !sorted.iter().copied().eq(0..ty.rank()) {
                    return self.fail(format!(
                        "the axes are no order of those of {}",
                        tensor_name(&ty)
                    ));
                }
                Ok(self.permuted(&value, &ty, &order))
            }
            "matrix_transpose" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                self.attribute(Value::Tensor(value, ty), "mT")
            }
            "expand_dims" => {
                let [x, axis] = self.arguments(name, positional, keywords, ["x", "axis"], 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let axis = match axis {
                    Some(of) => of,
                    None => self.int(0),
                };
                let count = match &axis {
                    Value::Tuple(axes) | Value::List(axes) => axes.len(),
                    _ => 1,
                };
                let mut axes = self.axes(axis, ty.rank() + count)?;
                axes.sort_unstable();
                if axes.windows(2).any(|pair| pair[0] == pair[1]) {
                    return self.fail("ValueError: expand_dims() got an axis twice");
                }
                let (mut value, mut ty) = (value, ty);
                for axis in axes {
                    (value, ty) = self.expanded(&value, &ty, axis);
                }
                Ok(Value::Tensor(value, ty))
            }
            "squeeze" => {
                let [x, axis] = self.arguments(name, positional, keywords, ["x", "axis"], 2)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let Some(axis) = axis else {
                    unreachable!("the axis is required")
                };
                let axes = self.axes(axis, ty.rank())?;
                if let Some(axis) = axes
                    .iter()
                    .find(|axis| ty.shape[**axis].is_some_and(|n| n != 1))
                {
                    return self.fail(format!(
                        "ValueError: axis {axis} of {} has not the size 1",
                        tensor_name(&ty)
                    ));
                }
                let (value, ty) = self.squeezed(&value, &ty, &axes);
                Ok(Value::Tensor(value, ty))
            }
            "concat" | "concatenate" | "stack" => self.joined(name, positional, keywords),
            "take" => {
                let names = ["x", "indices", "axis"];
                let [x, indices, axis] = self.arguments(name, positional, keywords, names, 2)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let (indices, of) = self.tensor_argument(name, indices)?;
                if class(of.dtype) != Class::Int {
                    return self.fail(format!(
                        "the indices are {}, not integers",
                        tensor_name(&of)
                    ));
                }
                let axis = match axis {
                    Some(axis) if !matches!(axis, Value::None) => self.axis(&axis, ty.rank())?,
                    _ if ty.rank() == 0 => {
                        let name = tensor_name(&ty);
                        return self
                            .fail(format!("ValueError: take() needs a dimension, but got {name}"));
                    }
                    _ => 0,
                };
                let (indices, of) = self.positions(indices, &of, &value, &ty, axis)?;
                let mut shape = ty.shape[..axis].to_vec();
                shape.extend(&of.shape);
                shape.extend(&ty.shape[axis + 1..]);
                let dtype = ty.dtype;
                let axis = self.int_tensor(axis as i64);
                Ok(self.op(
                    "GatherV2",
                    &[value, indices, axis],
                    TensorType { dtype, shape },
                ))
            }
            "zeros" | "ones" | "full" => self.filled(name, positional, keywords),
            "zeros_like" | "ones_like" | "full_like" => {
                let names = ["x", "fill_value", "dtype"];
                let [x, fill, dtype] = match name {
                    "zeros_like" | "ones_like" => {
                        let [x, dtype] =
                            self.arguments(name, positional, keywords, ["x", "dtype"], 1)?;
                        let fill = self.bool(name == "ones_like");
                        [x, Some(fill), dtype]
                    }
                    _ => self.arguments(name, positional, keywords, names, 2)?,
                };
                let (value, ty) = self.tensor_argument(name, x)?;
                let dtype = self.optional_dtype(dtype)?.unwrap_or(ty.dtype);
                let Some(fill) = fill else {
                    unreachable!("the value is required")
                };
                if name == "zeros_like" && dtype == ty.dtype {
                    return Ok(self.op("ZerosLike", &[value], ty));
                }
                let Value::Tensor(fill, _) = self.scalar_tensor(fill, dtype)? else {
                    unreachable!("a scalar makes a tensor");
                };
                let sizes = self.sizes_of(&value, &ty);
                let shape = self.shape_exactly(&sizes);
                Ok(self.op("Fill", &[shape, fill], ty.of(dtype)))
            }
            "arange" => self.arange(positional, keywords),
            "eye" => self.eye(positional, keywords),
            "asarray" | "tensor" | "array" => self.asarray(name, positional, keywords),
            "one_hot" => {
                let names = ["indices", "depth", "dtype"];
                let [indices, depth, dtype] =
                    self.arguments(name, positional, keywords, names, 2)?;
                let (indices, ty) = self.tensor_argument(name, indices)?;
                let Some(depth) = depth else {
                    unreachable!("the depth is required")
                };
                let depth = self.constant(&depth, "the depth of one_hot()")?;
                let dtype = self.optional_dtype(dtype)?.unwrap_or(DType::F32);
                let (one, zero) = (self.int(1), self.int(0));
                let [one, zero] = [one, zero].map(|value| self.scalar_tensor(value, dtype));
                let (Value::Tensor(one, _), Value::Tensor(zero, _)) = (one?, zero?) else {
                    unreachable!("a scalar makes a tensor");
                };
                let size = self.int_tensor(depth);
                let mut to = ty.of(dtype);
                to.shape.push(u64::try_from(depth).ok());
                let attributes = [("axis", Attribute::Int(-1))];
                let value =
                    self.target
                        .tensor("OneHot", &[indices, size, one, zero], &attributes, &to);
                Ok(Value::Tensor(value, to))
            }
            "softmax" | "log_softmax" => {
                let [x, axis] = self.arguments(name, positional, keywords, ["x", "axis"], 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                let axis = match axis {
                    Some(of) => of,
                    None => self.int(-1),
                };
                if ty.rank() != 2
                    || self.axis(&axis, ty.rank())? != 1
                    || class(ty.dtype) != Class::Float
                {
                    return self.fail(format!(
                        "{name}() is for matrices of floats along their rows, not for {}",
                        tensor_name(&ty)
                    ));
                }
                let op = if name == "softmax" {
                    "Softmax"
                } else {
                    "LogSoftmax"
                };
                Ok(self.op(op, &[value], ty))
            }
            "cross_entropy" => self.cross_entropy(positional, keywords),
            "stop_gradient" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
                let (value, ty) = self.tensor_argument(name, x)?;
                Ok(self.op("StopGradient", &[value], ty))
            }
            _ if DERIVATIVES.contains(&name) => {
                let [f] = self.arguments(name, positional, keywords, ["f"], 1)?;
                let Some(f) = f else {
                    unreachable!("the function is required")
                };
                if !matches!(f, Value::Function(_)) {
                    let described = self.describe(&f);
                    return self.fail(format!(
                        "{name}() needs a function of the program, not {described}"
                    ));
                }
                Ok(Value::Gradient(Box::new(f), name == "value_and_grad"))
            }
            _ => self.fail(format!(
                "tfx has no function '{name}' that a program can call; call it in a @tfx.host function"
            )),
        }
    }

    // ---- Arguments ------------------------------------------------------------------------------

    /// Returns an argument that must be a tensor; a scalar becomes one.
    pub(super) fn tensor_argument(
        &mut self,
        function: &str,
        value: Option<Val<T>>,
    ) -> Result<(T::V, TensorType)> {
        match value {
            Some(Value::Tensor(value, ty)) => Ok((value, ty)),
            Some(value @ (Value::Bool(..) | Value::Int(..) | Value::Float(..))) => {
                let dtype = default_dtype(&value);
                match self.scalar_tensor(value, dtype)? {
                    Value::Tensor(value, ty) => Ok((value, ty)),
                    _ => unreachable!("a scalar makes a tensor"),
                }
            }
            Some(other) => {
                let name = self.describe(&other);
                self.fail(format!("{function}() needs a tensor, not {name}"))
            }
            None => self.fail(format!("{function}() needs a tensor")),
        }
    }

    pub(super) fn tensor_pair(
        &mut self,
        a: Option<Val<T>>,
        b: Option<Val<T>>,
    ) -> Result<(Val<T>, Val<T>)> {
        let (Some(a), Some(b)) = (a, b) else {
            unreachable!("both arguments are required");
        };
        if matches!(a, Value::Tensor(..)) || matches!(b, Value::Tensor(..)) {
            return Ok((a, b));
        }
        let (value, ty) = self.tensor_argument("this function", Some(a))?;
        Ok((Value::Tensor(value, ty), b))
    }

    pub(super) fn dtype_argument(&self, value: Option<Val<T>>) -> Result<DType> {
        match value {
            Some(Value::DType(dtype)) => Ok(dtype),
            Some(Value::Builtin(name)) if name == "bool" => Ok(DType::Bool),
            Some(Value::Builtin(name)) if name == "int" => Ok(DType::I64),
            Some(Value::Builtin(name)) if name == "float" => Ok(DType::F64),
            Some(Value::Builtin(name))
                if dtype_of_name(name.trim_start_matches("tfx.")).is_some() =>
            {
                Ok(dtype_of_name(name.trim_start_matches("tfx.")).unwrap_or(DType::F32))
            }
            Some(other) => {
                let name = self.describe(&other);
                self.fail(format!("{name} is no element type; write tfx.f32"))
            }
            None => self.fail("an element type is needed; write tfx.f32"),
        }
    }

    /// An element type that may be missing, or `None`.
    pub(super) fn optional_dtype(&self, value: Option<Val<T>>) -> Result<Option<DType>> {
        match value {
            None | Some(Value::None) => Ok(None),
            given => self.dtype_argument(given).map(Some),
        }
    }

    /// Returns a dimension, counted from the end if it is negative.
    pub(super) fn axis(&self, value: &Val<T>, rank: usize) -> Result<usize> {
        let axis = self.constant(value, "an axis")?;
        let position = if axis < 0 { axis + rank as i64 } else { axis };
        match usize::try_from(position).ok().filter(|axis| *axis < rank) {
            Some(axis) => Ok(axis),
            None => self.fail(format!(
                "IndexError: axis {axis} is not one of {rank} dimensions"
            )),
        }
    }

    pub(super) fn axes(&self, value: Val<T>, rank: usize) -> Result<Vec<usize>> {
        match value {
            Value::Tuple(parts) | Value::List(parts) => {
                parts.iter().map(|part| self.axis(part, rank)).collect()
            }
            value => Ok(vec![self.axis(&value, rank)?]),
        }
    }

    /// Returns dimensions; all of them if they are not given.
    pub(super) fn axes_or_all(&self, value: Option<Val<T>>, rank: usize) -> Result<Vec<usize>> {
        match value {
            None | Some(Value::None) => Ok((0..rank).collect()),
            Some(axes) => self.axes(axes, rank),
        }
    }

    /// Returns an argument, or an integer if it is not given.
    pub(super) fn int_or(&mut self, value: Option<Val<T>>, default: i64) -> Val<T> {
        match value {
            Some(value) => value,
            None => self.int(default),
        }
    }

    /// Returns the sizes of a shape.
    pub(super) fn sizes(&mut self, value: Option<Val<T>>) -> Result<Vec<Val<T>>> {
        let parts = match value {
            Some(Value::Tuple(parts) | Value::List(parts)) => parts,
            Some(value) => vec![value],
            None => Vec::new(),
        };
        for part in &parts {
            if !matches!(part, Value::Int(..) | Value::Bool(..)) {
                let name = self.describe(part);
                return self.fail(format!("a size is an int, not {name}"));
            }
        }
        Ok(parts.into_iter().map(|part| self.as_int(part)).collect())
    }

    pub(super) fn type_of_sizes(&self, dtype: DType, sizes: &[Val<T>]) -> Result<TensorType> {
        let size = |value: &Val<T>| match constant_int(value) {
            Some(size) => match u64::try_from(size) {
                Ok(size) => Ok(Some(size)),
                Err(_) => self.fail(format!("ValueError: the size {size} is negative")),
            },
            None => Ok(None),
        };
        let shape = sizes.iter().map(size).collect::<Result<_>>()?;
        Ok(TensorType { dtype, shape })
    }

    /// A vector of sizes, exactly as they are.
    pub(super) fn shape_exactly(&mut self, sizes: &[Val<T>]) -> T::V {
        let constants: Option<Vec<i64>> = sizes.iter().map(constant_int).collect();
        match constants {
            Some(constants) => self.int_vector(&constants),
            None => self.shape_vector(sizes),
        }
    }

    // ---- Functions ------------------------------------------------------------------------------

    fn where_(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
        let names = ["condition", "x1", "x2"];
        let [condition, a, b] = self.arguments("where", positional, keywords, names, 3)?;
        let (condition, of) = self.tensor_argument("where", condition)?;
        if of.dtype != DType::Bool {
            return self.fail(format!(
                "the condition is {}, not Tensor[bool]",
                tensor_name(&of)
            ));
        }
        let (a, b) = self.tensor_pair(a, b)?;
        let [(a, x), (b, y)] = self.promote(a, b)?;
        let shape = self.broadcast(&x, &y)?;
        let dtype = x.dtype;
        let both = TensorType { dtype, shape };
        let shape = self.broadcast(&of, &both)?;
        Ok(self.op("SelectV2", &[condition, a, b], TensorType { dtype, shape }))
    }

    fn reshape(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
        let mut positional = positional;
        // `x.reshape(2, 3)` is `x.reshape((2, 3))`.
        if positional.len() > 2 {
            let sizes = positional.split_off(1);
            positional.push(Value::Tuple(sizes));
        }
        let names = ["x", "shape", "copy"];
        let [x, shape, _copy] = self.arguments("reshape", positional, keywords, names, 2)?;
        let (value, ty) = self.tensor_argument("reshape", x)?;
        let sizes = self.sizes(shape)?;
        let known: Option<Vec<u64>> = ty.shape.iter().copied().collect();
        let total: Option<u64> = known.map(|sizes| sizes.iter().product());
        let rest = sizes
            .iter()
            .filter(|of| constant_int(of) == Some(-1))
            .count();
        if rest > 1 {
            return self.fail("a shape has at most one -1");
        }
        let constants: Vec<Option<i64>> = sizes.iter().map(constant_int).collect();
        if let Some(size) = constants.iter().flatten().find(|size| **size < -1) {
            return self.fail(format!(
                "ValueError: a shape has the size {size}; write -1 for the rest"
            ));
        }
        let others = constants.iter().filter(|size| **size != Some(-1));
        let product = others
            .copied()
            .try_fold(1i64, |all, size| all.checked_mul(size?));
        let shape: Vec<Option<u64>> = constants
            .iter()
            .map(|size| match (size, total, product) {
                (Some(-1), Some(total), Some(product)) if product > 0 => {
                    Some(total / product as u64)
                }
                (Some(-1), ..) | (None, ..) => None,
                (Some(size), ..) => u64::try_from(*size).ok(),
            })
            .collect();
        let filled: Option<Vec<u64>> = shape.iter().copied().collect();
        if let (Some(total), Some(filled)) = (total, filled)
            && filled.iter().product::<u64>() != total
        {
            return self.fail(format!(
                "ValueError: {} has {total} elements, which do not fit this shape",
                tensor_name(&ty)
            ));
        }
        let dtype = ty.dtype;
        // A size that is known at run time only may not fit, so it is no rest.
        let sizes = self.shape_exactly(&sizes);
        Ok(self.op("Reshape", &[value, sizes], TensorType { dtype, shape }))
    }

    /// Drops an argument `device`, which may only name the one device that the standard needs.
    fn check_device(&self, function: &str, keywords: &mut Keywords<T>) -> Result<()> {
        let Some(at) = keywords.iter().position(|(name, _)| name == "device") else {
            return Ok(());
        };
        match keywords.remove(at).1 {
            Value::None => Ok(()),
            Value::Str(_, Some(name)) if &*name == "cpu" => Ok(()),
            _ => self.fail(format!("ValueError: the device of {function}() is 'cpu'")),
        }
    }

    fn cross_entropy(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
        let names = ["logits", "labels"];
        let [logits, labels] = self.arguments("cross_entropy", positional, keywords, names, 2)?;
        let (logits, x) = self.tensor_argument("cross_entropy", logits)?;
        let (labels, y) = self.tensor_argument("cross_entropy", labels)?;
        let is_dense = class(y.dtype) == Class::Float;
        let ranks = if is_dense { (2, 2) } else { (2, 1) };
        if class(x.dtype) != Class::Float || (x.rank(), y.rank()) != ranks {
            return self.fail(format!(
                "cross_entropy() needs a matrix of floats, and labels as a matrix of floats or a vector of integers, not {} and {}",
                tensor_name(&x),
                tensor_name(&y)
            ));
        }
        if is_dense {
            // The mean of -labels * log_softmax(logits) over the rows.
            let log = self.op("LogSoftmax", &[logits], x.clone());
            let product = self.tensor_binary(BinaryOp::Mul, log, Value::Tensor(labels, y))?;
            let last = self.int(1);
            let sums = self.library("sum", vec![product, last], Vec::new())?;
            let mean = self.library("mean", vec![sums], Vec::new())?;
            return self.tensor_unary(UnaryOp::Minus, mean);
        }
        let depth = x.shape[1].map(|size| size as i64);
        let depth = match depth {
            Some(depth) => self.int_tensor(depth),
            None => {
                let size = self.size_of(&logits, &x, 1);
                let Value::Int(size, _) = size else {
                    unreachable!("a size is an integer")
                };
                let narrow = self.target.convert("arith.trunci", &size, DType::I32);
                self.target.tensor_of_scalar(&narrow, DType::I32)
            }
        };
        let (one, zero) = (self.int(1), self.int(0));
        let (Value::Tensor(one, _), Value::Tensor(zero, _)) = (
            self.scalar_tensor(one, x.dtype)?,
            self.scalar_tensor(zero, x.dtype)?,
        ) else {
            unreachable!("a scalar makes a tensor");
        };
        let dense = TensorType {
            dtype: x.dtype,
            shape: vec![y.shape[0], x.shape[1]],
        };
        let attributes = [("axis", Attribute::Int(-1))];
        let labels = self
            .target
            .tensor("OneHot", &[labels, depth, one, zero], &attributes, &dense);
        let arguments = vec![Value::Tensor(logits, x), Value::Tensor(labels, dense)];
        self.cross_entropy(arguments, Vec::new())
    }
}
