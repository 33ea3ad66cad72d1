//! The functions of tfx on tensors: those of the array API standard, and some of neural networks.
//!
//! A method `x.sum(axis=0)` is the function `tfx.sum(x, axis=0)`.

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp, UnaryOp};

use super::standard;
use super::tensors::{Class, class};
use super::{Evaluator, Val, constant_int};
use crate::target::{Attribute, Elements, Result, Target};
use crate::value::{TensorType, Value, dtype_name, dtype_of_name, tensor_name};

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
    ("bitwise_or", BinaryOp::Or),
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

/// The greatest number of elements of `eye()`, which is a constant of the program.
const MAX_EYE: usize = 4096 * 4096;

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
                let [(a, x), (b, y)] = self.promote(a, b)?;
                let shape = self.broadcast(&x, &y)?;
                let dtype = x.dtype;
                let op = if name == "maximum" {
                    "Maximum"
                } else {
                    "Minimum"
                };
                Ok(self.op(op, &[a, b], TensorType { dtype, shape }))
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
                let sizes: Vec<_> = (0..ty.rank())
                    .map(|axis| self.size_of(&value, &ty, axis))
                    .collect();
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

    /// Returns the sizes of a shape.
    fn sizes(&mut self, value: Option<Val<T>>) -> Result<Vec<Val<T>>> {
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

    fn type_of_sizes(&self, dtype: DType, sizes: &[Val<T>]) -> Result<TensorType> {
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

    fn reduction(
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
        let axes = match axis {
            None | Some(Value::None) => (0..ty.rank()).collect(),
            Some(axis) => self.axes(axis, ty.rank())?,
        };
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
        if matches!(op, "Any" | "All") && ty.dtype != DType::Bool {
            let zero = self.int(0);
            let zero = self.scalar_tensor(zero, ty.dtype)?;
            let Value::Tensor(truth, of) =
                self.tensor_compare(CompareOp::Ne, Value::Tensor(value, ty), zero)?
            else {
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

    fn arg_extreme(
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
                let rest = self.int_vector(&[-1]);
                let size = ty
                    .shape
                    .iter()
                    .copied()
                    .try_fold(1u64, |all, size| all.checked_mul(size?));
                let flat = TensorType {
                    dtype: ty.dtype,
                    shape: vec![size],
                };
                value = self.target.tensor("Reshape", &[value, rest], &[], &flat);
                ty = flat;
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

    fn joined(
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
                    let rest = self.int(-1);
                    let flat = vec![std::mem::replace(part, Value::None), rest];
                    *part = self.library("reshape", flat, Vec::new())?;
                }
                self.int(0)
            }
            Some(of) => of,
            None => self.int(0),
        };
        let mut tensors = Vec::new();
        for part in parts {
            tensors.push(self.tensor_argument(name, Some(part))?);
        }
        let types = tensors.iter().map(|(_, ty)| ty.clone());
        if let Some(common) = types.map(Ok).reduce(|a, b| {
            let (a, b) = (a?, b?);
            let dtype = self.promoted(&a, &b)?;
            Ok(a.of(dtype))
        }) {
            let dtype = common?.dtype;
            for (value, ty) in &mut tensors {
                (*value, *ty) = self.cast(value.clone(), ty, dtype);
            }
        }
        let Some((_, first)) = tensors.first().cloned() else {
            return self.fail(format!("{name}() needs at least one tensor"));
        };
        let is_stack = name == "stack";
        let axis = self.axis(&axis, first.rank() + usize::from(is_stack))?;
        let mut shape = first.shape.clone();
        for (_, ty) in &tensors[1..] {
            if ty.dtype != first.dtype || ty.rank() != first.rank() {
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

    fn filled(
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

    fn arange(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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
        let step = match step {
            Some(of) => of,
            None => self.int(1),
        };
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

    fn eye(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
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

    fn asarray(
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

/// The element type of a tensor that is made of a scalar.
fn default_dtype<V>(value: &Value<V>) -> DType {
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
