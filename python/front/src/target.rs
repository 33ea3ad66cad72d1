//! The target of an evaluation: what happens to the operations that a program consists of.
//!
//! ```text
//!   evaluate.rs: one definition of each operation of Python ──┬─> inference (V = ()): types only
//!                                                             ├─> emission (V = a value of MLIR)
//!                                                             └─> eager calls (V = a tensor)
//! ```

use std::sync::Arc;

use tfx::runtime::DType;
use tfx_python_syntax::Span;

use crate::hir::{FileId, FunctionId};
use crate::value::{Leaf, TensorType, Value};

/// The value of a function, if it is requested, and its gradient.
pub(crate) type Gradient<V> = (Option<Value<V>>, Value<V>);

/// Why the evaluation of a block does not continue.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// An error of the program.
    Error(Span, String),
    /// An error in another function, with its place and calls.
    Elsewhere(Box<crate::error::Error>),
    /// A value must be a constant.
    NotConstant(Span, String),
    /// The program ends here: an exception is raised.
    Diverges,
    /// Recursion whose result is not known yet.
    Bottom,
}

pub(crate) type Result<T> = std::result::Result<T, Stop>;

pub use tfx::eager::Attribute;

/// A function of the host that a program calls.
#[derive(Clone, Debug)]
pub enum Foreign {
    /// Prints its arguments: parts of the line in their order.
    Print(Vec<Piece>),
    /// Formats its arguments.
    Format(Vec<Piece>),
    /// Raises an exception of the class, whose message is the argument; none without arguments.
    Raise(String),
    /// Compares two strings by an operator of Python.
    CompareStrings(&'static str),
    /// The length of a string.
    Length,
    /// A power of integers.
    IntPower,
    /// `round(x, digits)`.
    Round,
    /// A function with `@tfx.host`, by its number, with the types of its arguments and of its
    /// result.
    Host(usize, Vec<Value<()>>, Box<Value<()>>),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Constant text.
    Text(Arc<str>),
    /// The next argument, as `str` gives it.
    Str,
    /// The next argument, as `repr` gives it.
    Repr,
    /// The next argument, by a format specification.
    Format(Arc<str>),
}

/// A constant tensor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Elements {
    /// Integers.
    Ints(Vec<i64>),
    /// Floats.
    Floats(Vec<f64>),
    /// Booleans.
    Bools(Vec<bool>),
}

/// A predicate of a comparison of scalars, as `arith` numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predicate {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

pub(crate) trait Target {
    type V: Clone + std::fmt::Debug;

    fn int(&mut self, value: i64) -> Self::V;
    fn float(&mut self, value: f64) -> Self::V;
    fn bool(&mut self, value: bool) -> Self::V;
    fn string(&mut self, value: &str) -> Self::V;
    /// An operation of `arith` or `math` on scalars, whose result has the type of the last operand.
    fn scalar(&mut self, name: &'static str, operands: &[Self::V]) -> Self::V;
    fn compare(
        &mut self,
        is_float: bool,
        predicate: Predicate,
        a: &Self::V,
        b: &Self::V,
    ) -> Self::V;
    /// A conversion of a scalar; the types are leaves, or element types for parts of tensors.
    fn convert(&mut self, name: &'static str, value: &Self::V, to: DType) -> Self::V;
    /// Returns whether an integer is an element of a type of tensors that was extended to 64 bits,
    /// and therefore fits the type. Without that knowledge, the integer is checked.
    fn is_extended(&self, _value: &Self::V, _from: DType) -> bool {
        false
    }
    /// Ends the program with an exception if the boolean is false.
    fn check(&mut self, holds: &Self::V, class: &str, message: &str);
    /// An operation of TensorFlow with one result.
    fn tensor(
        &mut self,
        name: &'static str,
        operands: &[Self::V],
        attributes: &[(&'static str, Attribute)],
        ty: &TensorType,
    ) -> Self::V;
    fn constant(&mut self, elements: &Elements, ty: &TensorType) -> Self::V;
    /// A tensor of rank 0 with a scalar of its element type.
    fn tensor_of_scalar(&mut self, value: &Self::V, dtype: DType) -> Self::V;
    /// The scalar in a tensor of one element.
    fn scalar_of_tensor(&mut self, value: &Self::V, dtype: DType) -> Self::V;
    fn foreign(
        &mut self,
        function: Foreign,
        operands: &[(Self::V, Leaf)],
        results: &[Leaf],
    ) -> Vec<Self::V>;
    /// Ends the program at this place.
    fn diverge(&mut self);
    /// Calls a function: its parameters, and what it captures.
    fn call(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<Self::V>>,
        captures: Vec<Value<Self::V>>,
        span: Span,
    ) -> Result<Value<Self::V>>;
    /// Calls a function for its gradient by the parameter `wrt`: the value, if it is requested, and
    /// the gradient.
    fn gradient(
        &mut self,
        function: FunctionId,
        arguments: Vec<Value<Self::V>>,
        captures: Vec<Value<Self::V>>,
        wants_value: bool,
        wrt: usize,
        span: Span,
    ) -> Result<Gradient<Self::V>>;
    fn global(&mut self, file: FileId, name: &str, span: Span) -> Result<Value<Self::V>>;
    fn world(&self) -> &crate::world::World;
    fn set_span(&mut self, file: FileId, span: Span);
}
