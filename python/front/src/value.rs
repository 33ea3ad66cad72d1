//! Values of programs, and their types.
//!
//! ```text
//!   Value<()>                   a type: what inference knows about a slot
//!   Value<melior value>         the same, with the values of the program that is built
//!   Value<runtime::Tensor>      the same, with numbers: a value of an eager call
//! ```
//!
//! A tuple, a struct or a closure exists while the program is built only: its *leaves* are values
//! of the program. A scalar may be a constant, which the front end folds.

use std::fmt::Write;
use std::sync::Arc;

use tfx::runtime::DType;
use tfx_python_syntax::Span;

use crate::hir::{FunctionId, Slot};

/// The type of a tensor. Its rank is static; a size may be known at run time only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorType {
    /// The element type.
    pub dtype: DType,
    /// The sizes.
    pub shape: Vec<Option<u64>>,
}

impl TensorType {
    /// The type of a tensor of rank 0.
    pub fn scalar(dtype: DType) -> Self {
        TensorType {
            dtype,
            shape: Vec::new(),
        }
    }

    /// The rank.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The type of a tensor of the same shape.
    pub fn of(&self, dtype: DType) -> Self {
        TensorType {
            dtype,
            shape: self.shape.clone(),
        }
    }
}

/// The name of an element type in Python.
pub fn dtype_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::F32 => "f32",
        DType::F64 => "f64",
        _ => "object",
    }
}

/// The element type of a name, such as `f32` or `float32`.
pub fn dtype_of_name(name: &str) -> Option<DType> {
    Some(match name {
        "bool_" | "bool" => DType::Bool,
        "i8" | "int8" => DType::I8,
        "i16" | "int16" => DType::I16,
        "i32" | "int32" => DType::I32,
        "i64" | "int64" => DType::I64,
        "f32" | "float32" => DType::F32,
        "f64" | "float64" => DType::F64,
        _ => return None,
    })
}

/// The type of a leaf: what one value of the built program holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A boolean.
    Bool,
    /// A signed integer of 64 bits.
    Int,
    /// A float of 64 bits.
    Float,
    /// Text.
    Str,
    /// A tensor.
    Tensor(TensorType),
}

/// A constant scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// The bits of a float.
    Float(u64),
    /// Text.
    Str(Arc<str>),
}

/// A value of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<V> {
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// A boolean.
    Bool(V, Option<bool>),
    /// An integer.
    Int(V, Option<i64>),
    /// A float, with its bits if it is a constant.
    Float(V, Option<u64>),
    /// Text.
    Str(V, Option<Arc<str>>),
    /// A tensor.
    Tensor(V, TensorType),
    /// A tuple.
    Tuple(Vec<Value<V>>),
    /// A list of static length, which does not change.
    List(Vec<Value<V>>),
    /// An instance of a class, by its number.
    Struct(usize, Vec<Value<V>>),
    /// A function.
    Function(Arc<Closure<V>>),
    /// A method of a builtin type, bound to its receiver.
    Method(Box<Value<V>>, String),
    /// `tfx.gradient(f)`, or with the flag `tfx.value_and_grad(f)`.
    Gradient(Box<Value<V>>, bool),
    /// A class of the program.
    Class(usize),
    /// A host function, by its number.
    Host(usize),
    /// A builtin, a function of tfx or of `math`, by its full name.
    Builtin(String),
    /// A module, by its full name.
    Module(String),
    /// An element type.
    DType(DType),
    /// An exception: its class and its message.
    Exception(String, Option<Box<Value<V>>>),
    /// A slice.
    Slice(Box<[Value<V>; 3]>),
    /// A range: start, stop, step.
    Range(Box<[Value<V>; 3]>),
    /// An iterable of a builtin that is not evaluated yet: `enumerate` or `zip`.
    Lazy(Lazy, Vec<Value<V>>),
    /// An iterator.
    Iterator(Box<Iterator<V>>),
    /// A variable without a value.
    Unbound,
    /// A variable that has a value if the boolean is true.
    Maybe(V, Box<Value<V>>),
    /// A variable whose definitions have different types: an error where it is read.
    Conflict(Box<Conflict>),
}

/// An iterable of a builtin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lazy {
    /// `enumerate(iterable, start)`.
    Enumerate,
    /// `zip(..)`.
    Zip,
    /// `reversed(..)`.
    Reversed,
}

/// An iterator.
#[derive(Clone, Debug, PartialEq)]
pub enum Iterator<V> {
    /// Elements that are known one by one: the loop is unrolled.
    Static(Vec<Value<V>>, usize),
    /// The next value, the number of values that are left, and the step.
    Range(Value<V>, Value<V>, Value<V>),
    /// The rows of a tensor: the tensor, the next row, the number of rows.
    Rows(Value<V>, Value<V>, Value<V>),
    /// The next index, and the iterator.
    Enumerate(Value<V>, Box<Iterator<V>>),
    /// Several iterators.
    Zip(Vec<Iterator<V>>),
}

/// A function with what it captures.
#[derive(Clone, Debug, PartialEq)]
pub struct Closure<V> {
    /// The body.
    pub(crate) id: FunctionId,
    /// The default values.
    pub(crate) defaults: Vec<Value<V>>,
    /// The captured variables.
    pub(crate) captures: Vec<Capture<V>>,
    /// The object of a method.
    pub(crate) receiver: Option<Value<V>>,
}

/// A captured variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Capture<V> {
    /// A variable of the current function. Python reads it when the closure is called.
    Late(Slot),
    /// The value, once the closure leaves the function.
    Value(Value<V>),
    /// The closure of this function itself.
    Itself(FunctionId),
}

/// Two definitions with different types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub(crate) types: [String; 2],
    pub(crate) places: [Span; 2],
}

/// A part of a value that [`Value::map`] visits.
pub(crate) struct Part<'v, V> {
    pub value: &'v V,
    pub leaf: Leaf,
    pub constant: Option<Constant>,
}

impl<V> Value<V> {
    /// Replaces each leaf.
    pub(crate) fn map<W>(&self, f: &mut dyn FnMut(Part<'_, V>) -> W) -> Value<W> {
        fn part<V, W>(
            value: &V,
            leaf: Leaf,
            constant: Option<Constant>,
            f: &mut dyn FnMut(Part<'_, V>) -> W,
        ) -> W {
            f(Part {
                value,
                leaf,
                constant,
            })
        }
        fn all<V, W>(values: &[Value<V>], f: &mut dyn FnMut(Part<'_, V>) -> W) -> Vec<Value<W>> {
            values.iter().map(|value| value.map(f)).collect()
        }
        match self {
            Value::None => Value::None,
            Value::Ellipsis => Value::Ellipsis,
            Value::Bool(v, c) => Value::Bool(part(v, Leaf::Bool, c.map(Constant::Bool), f), *c),
            Value::Int(v, c) => Value::Int(part(v, Leaf::Int, c.map(Constant::Int), f), *c),
            Value::Float(v, c) => Value::Float(part(v, Leaf::Float, c.map(Constant::Float), f), *c),
            Value::Str(v, c) => {
                let constant = c.clone().map(Constant::Str);
                Value::Str(part(v, Leaf::Str, constant, f), c.clone())
            }
            Value::Tensor(v, ty) => {
                Value::Tensor(part(v, Leaf::Tensor(ty.clone()), None, f), ty.clone())
            }
            Value::Tuple(parts) => Value::Tuple(all(parts, f)),
            Value::List(parts) => Value::List(all(parts, f)),
            Value::Struct(class, fields) => Value::Struct(*class, all(fields, f)),
            Value::Function(closure) => Value::Function(Arc::new(Closure {
                id: closure.id,
                defaults: all(&closure.defaults, f),
                captures: closure
                    .captures
                    .iter()
                    .map(|capture| match capture {
                        Capture::Late(slot) => Capture::Late(*slot),
                        Capture::Value(value) => Capture::Value(value.map(f)),
                        Capture::Itself(id) => Capture::Itself(*id),
                    })
                    .collect(),
                receiver: closure.receiver.as_ref().map(|value| value.map(f)),
            })),
            Value::Method(value, name) => Value::Method(Box::new(value.map(f)), name.clone()),
            Value::Gradient(value, both) => Value::Gradient(Box::new(value.map(f)), *both),
            Value::Class(class) => Value::Class(*class),
            Value::Host(host) => Value::Host(*host),
            Value::Builtin(name) => Value::Builtin(name.clone()),
            Value::Module(name) => Value::Module(name.clone()),
            Value::DType(dtype) => Value::DType(*dtype),
            Value::Exception(class, message) => Value::Exception(
                class.clone(),
                message.as_ref().map(|message| Box::new(message.map(f))),
            ),
            Value::Slice(parts) => Value::Slice(Box::new(parts.each_ref().map(|of| of.map(f)))),
            Value::Range(parts) => Value::Range(Box::new(parts.each_ref().map(|of| of.map(f)))),
            Value::Lazy(lazy, parts) => Value::Lazy(*lazy, all(parts, f)),
            Value::Iterator(of) => Value::Iterator(Box::new(of.map(f))),
            Value::Unbound => Value::Unbound,
            Value::Maybe(flag, value) => {
                let flag = part(flag, Leaf::Bool, None, f);
                Value::Maybe(flag, Box::new(value.map(f)))
            }
            Value::Conflict(conflict) => Value::Conflict(conflict.clone()),
        }
    }

    /// The type of the value, with its constants.
    pub(crate) fn ty(&self) -> Value<()> {
        self.map(&mut |_| ())
    }

    /// The leaves that are no constants, in their order.
    pub fn leaves(&self) -> Vec<(V, Leaf)>
    where
        V: Clone,
    {
        let mut leaves = Vec::new();
        self.map(&mut |part| {
            if part.constant.is_none() {
                leaves.push((part.value.clone(), part.leaf));
            }
        });
        leaves
    }

    /// Replaces the closures in a value.
    pub(crate) fn map_closures(self, f: &mut dyn FnMut(Arc<Closure<V>>) -> Value<V>) -> Value<V> {
        let mut all = |parts: Vec<Value<V>>| -> Vec<Value<V>> {
            let parts = parts.into_iter();
            parts.map(|part| part.map_closures(&mut *f)).collect()
        };
        match self {
            Value::Tuple(parts) => Value::Tuple(all(parts)),
            Value::List(parts) => Value::List(all(parts)),
            Value::Struct(class, parts) => Value::Struct(class, all(parts)),
            Value::Lazy(lazy, parts) => Value::Lazy(lazy, all(parts)),
            Value::Gradient(of, both) => Value::Gradient(Box::new(of.map_closures(f)), both),
            Value::Method(of, name) => Value::Method(Box::new(of.map_closures(f)), name),
            Value::Function(closure) => f(closure),
            other => other,
        }
    }

    /// The name of the type, for messages; `class_name` gives the names of classes.
    pub(crate) fn describe(&self, class_name: &dyn Fn(usize) -> String) -> String {
        let list = |parts: &[Value<V>]| {
            let names: Vec<_> = parts.iter().map(|part| part.describe(class_name)).collect();
            names.join(", ")
        };
        match self {
            Value::None => "None".to_owned(),
            Value::Ellipsis => "...".to_owned(),
            Value::Bool(..) => "bool".to_owned(),
            Value::Int(..) => "int".to_owned(),
            Value::Float(..) => "float".to_owned(),
            Value::Str(..) => "str".to_owned(),
            Value::Tensor(_, ty) => tensor_name(ty),
            Value::Tuple(parts) => format!("tuple[{}]", list(parts)),
            Value::List(parts) => format!("list[{}]", list(parts)),
            Value::Struct(class, _) => class_name(*class),
            Value::Function(_) | Value::Method(..) | Value::Gradient(..) | Value::Host(_) => {
                "function".to_owned()
            }
            Value::Class(class) => format!("type[{}]", class_name(*class)),
            Value::Builtin(name) => format!("'{name}'"),
            Value::Module(name) => format!("the module '{name}'"),
            Value::DType(_) => "dtype".to_owned(),
            Value::Exception(class, _) => class.clone(),
            Value::Slice(_) => "slice".to_owned(),
            Value::Range(_) => "range".to_owned(),
            Value::Lazy(..) | Value::Iterator(_) => "iterator".to_owned(),
            Value::Unbound => "unbound".to_owned(),
            Value::Maybe(_, value) => value.describe(class_name),
            Value::Conflict(_) => "a value of several types".to_owned(),
        }
    }
}

/// The name of a tensor type: `Tensor[f32, None, 64]`.
pub fn tensor_name(ty: &TensorType) -> String {
    let mut text = format!("Tensor[{}", dtype_name(ty.dtype));
    for size in &ty.shape {
        match size {
            Some(size) => write!(text, ", {size}"),
            None => write!(text, ", None"),
        }
        .expect("writing to a string does not fail");
    }
    text.push(']');
    text
}

impl<V> Iterator<V> {
    fn map<W>(&self, f: &mut dyn FnMut(Part<'_, V>) -> W) -> Iterator<W> {
        match self {
            Iterator::Static(values, position) => {
                let values = values.iter().map(|value| value.map(f)).collect();
                Iterator::Static(values, *position)
            }
            Iterator::Range(a, b, c) => Iterator::Range(a.map(f), b.map(f), c.map(f)),
            Iterator::Rows(a, b, c) => Iterator::Rows(a.map(f), b.map(f), c.map(f)),
            Iterator::Enumerate(index, inner) => {
                Iterator::Enumerate(index.map(f), Box::new(inner.map(f)))
            }
            Iterator::Zip(parts) => Iterator::Zip(parts.iter().map(|of| of.map(f)).collect()),
        }
    }

    /// The position in the elements that are known one by one, if there are any.
    pub(crate) fn position(&self) -> Option<usize> {
        match self {
            Iterator::Static(_, position) => Some(*position),
            Iterator::Enumerate(_, inner) => inner.position(),
            Iterator::Zip(parts) => parts.iter().find_map(Iterator::position),
            Iterator::Range(..) | Iterator::Rows(..) => None,
        }
    }
}

impl Value<()> {
    /// The same type without constants.
    pub(crate) fn generalized(&self) -> Value<()> {
        match self {
            Value::Bool((), _) => Value::Bool((), None),
            Value::Int((), _) => Value::Int((), None),
            Value::Float((), _) => Value::Float((), None),
            Value::Str((), _) => Value::Str((), None),
            Value::Tuple(parts) => Value::Tuple(parts.iter().map(Value::generalized).collect()),
            Value::List(parts) => Value::List(parts.iter().map(Value::generalized).collect()),
            Value::Struct(class, fields) => {
                Value::Struct(*class, fields.iter().map(Value::generalized).collect())
            }
            Value::Function(closure) => Value::Function(Arc::new(Closure {
                id: closure.id,
                defaults: closure.defaults.iter().map(Value::generalized).collect(),
                captures: closure
                    .captures
                    .iter()
                    .map(|capture| match capture {
                        Capture::Value(value) => Capture::Value(value.generalized()),
                        other => other.clone(),
                    })
                    .collect(),
                receiver: closure.receiver.as_ref().map(Value::generalized),
            })),
            Value::Method(value, name) => {
                Value::Method(Box::new(value.generalized()), name.clone())
            }
            Value::Gradient(value, both) => Value::Gradient(Box::new(value.generalized()), *both),
            Value::Maybe((), value) => Value::Maybe((), Box::new(value.generalized())),
            other => other.clone(),
        }
    }
}

/// Joins two types of one variable at the end of two paths. `places` are their definitions.
pub(crate) fn join(
    a: &Value<()>,
    b: &Value<()>,
    places: [Span; 2],
    class_name: &dyn Fn(usize) -> String,
) -> Value<()> {
    let all = |a: &[Value<()>], b: &[Value<()>]| -> Vec<Value<()>> {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| join(a, b, places, class_name)).collect()
    };
    if a == b {
        return a.clone();
    }
    match (a, b) {
        (Value::Conflict(_), _) => a.clone(),
        (_, Value::Conflict(_)) => b.clone(),
        (Value::Unbound, Value::Maybe(..)) => b.clone(),
        (Value::Maybe(..), Value::Unbound) => a.clone(),
        (Value::Unbound, other) | (other, Value::Unbound) => {
            Value::Maybe((), Box::new(other.clone()))
        }
        (Value::Maybe((), a), Value::Maybe((), b)) => {
            Value::Maybe((), Box::new(join(a, b, places, class_name)))
        }
        (Value::Maybe((), a), b) => Value::Maybe((), Box::new(join(a, b, places, class_name))),
        (a, Value::Maybe((), b)) => Value::Maybe((), Box::new(join(a, b, places, class_name))),
        (Value::Bool(..), Value::Bool(..)) => Value::Bool((), None),
        (Value::Int(..), Value::Int(..)) => Value::Int((), None),
        (Value::Float(..), Value::Float(..)) => Value::Float((), None),
        (Value::Str(..), Value::Str(..)) => Value::Str((), None),
        (Value::Tensor((), a), Value::Tensor((), b))
            if a.dtype == b.dtype && a.rank() == b.rank() =>
        {
            let sizes = a.shape.iter().zip(&b.shape);
            let shape = sizes.map(|(a, b)| a.filter(|_| a == b)).collect();
            let dtype = a.dtype;
            Value::Tensor((), TensorType { dtype, shape })
        }
        (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => Value::Tuple(all(a, b)),
        (Value::List(a), Value::List(b)) if a.len() == b.len() => Value::List(all(a, b)),
        (Value::Struct(class, a), Value::Struct(other, b)) if class == other => {
            Value::Struct(*class, all(a, b))
        }
        (Value::Range(a), Value::Range(b)) => {
            let [x, y, z] = [0, 1, 2].map(|i| join(&a[i], &b[i], places, class_name));
            Value::Range(Box::new([x, y, z]))
        }
        (Value::Function(a), Value::Function(b)) if a.id == b.id => {
            let captures = a.captures.iter().zip(&b.captures);
            let captures = captures.map(|(a, b)| match (a, b) {
                (Capture::Value(a), Capture::Value(b)) => {
                    Capture::Value(join(a, b, places, class_name))
                }
                _ => a.clone(),
            });
            Value::Function(Arc::new(Closure {
                id: a.id,
                defaults: all(&a.defaults, &b.defaults),
                captures: captures.collect(),
                receiver: match (&a.receiver, &b.receiver) {
                    (Some(a), Some(b)) => Some(join(a, b, places, class_name)),
                    (a, _) => a.clone(),
                },
            }))
        }
        (Value::Iterator(a), Value::Iterator(b)) => {
            match join_iterators(a, b, places, class_name) {
                Some(joined) => Value::Iterator(Box::new(joined)),
                None => conflict(
                    &Value::Iterator(a.clone()),
                    &Value::Iterator(b.clone()),
                    places,
                    class_name,
                ),
            }
        }
        _ => conflict(a, b, places, class_name),
    }
}

fn conflict(
    a: &Value<()>,
    b: &Value<()>,
    places: [Span; 2],
    class_name: &dyn Fn(usize) -> String,
) -> Value<()> {
    let types = [a.describe(class_name), b.describe(class_name)];
    // The order does not depend on the order in which inference visits the paths.
    let (types, places) = match places[0] <= places[1] {
        true => (types, places),
        false => {
            let [a, b] = types;
            ([b, a], [places[1], places[0]])
        }
    };
    Value::Conflict(Box::new(Conflict { types, places }))
}

fn join_iterators(
    a: &Iterator<()>,
    b: &Iterator<()>,
    places: [Span; 2],
    class_name: &dyn Fn(usize) -> String,
) -> Option<Iterator<()>> {
    let join = |a: &Value<()>, b: &Value<()>| join(a, b, places, class_name);
    Some(match (a, b) {
        (Iterator::Static(a, i), Iterator::Static(b, j)) if i == j && a.len() == b.len() => {
            Iterator::Static(a.iter().zip(b).map(|(a, b)| join(a, b)).collect(), *i)
        }
        (Iterator::Range(a, b, c), Iterator::Range(x, y, z)) => {
            Iterator::Range(join(a, x), join(b, y), join(c, z))
        }
        (Iterator::Rows(a, b, c), Iterator::Rows(x, y, z)) => {
            Iterator::Rows(join(a, x), join(b, y), join(c, z))
        }
        (Iterator::Enumerate(i, a), Iterator::Enumerate(j, b)) => Iterator::Enumerate(
            join(i, j),
            Box::new(join_iterators(a, b, places, class_name)?),
        ),
        (Iterator::Zip(a), Iterator::Zip(b)) if a.len() == b.len() => {
            let parts = a.iter().zip(b);
            let parts = parts.map(|(a, b)| join_iterators(a, b, places, class_name));
            Iterator::Zip(parts.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}
