//! Kinds of attributes: `int`, `list(type)`, `shape`, ... of TensorFlow.

use std::{collections::BTreeMap, fmt};

use crate::proto::{DataType, attr_value::Value, op_def::AttrDef};

/// An unknown data type. It agrees with every type and decides nothing.
pub const UNKNOWN: DataType = DataType::DtInvalid;

/// Attributes whose values are not known yet, with the kinds of their values; `None` if that is not
/// known either.
///
/// Their names and kinds are checked. [`super::Resolved::attributes`] omits them.
pub type Computed = BTreeMap<String, Option<Kind>>;

/// The kind of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The kind of the value, or of each element of a list.
    pub element: Element,
    /// Set if it is a list.
    pub list: bool,
}

/// The kind of a single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Bytes.
    String,
    /// A signed 64-bit integer.
    Int,
    /// A 32-bit float.
    Float,
    /// A truth value.
    Bool,
    /// An element type.
    Type,
    /// A shape. Its sizes (-1) or its rank may be unknown.
    Shape,
    /// A constant.
    Tensor,
    /// The name of a function, with attributes.
    Function,
}

impl Element {
    /// Returns the name with an article, the plural, and an example in MLIR's syntax.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::String => ("a string", "strings", "\"text\""),
            Self::Int => ("an integer", "integers", "1"),
            Self::Float => ("a float", "floats", "1.0"),
            Self::Bool => ("a bool", "bools", "true"),
            Self::Type => ("an element type", "element types", "f32"),
            Self::Shape => ("a shape", "shapes", "[2, 3]"),
            Self::Tensor => ("a tensor", "tensors", "dense<0.0> : tensor<f32>"),
            Self::Function => ("a function", "functions", "@name"),
        }
    }

    /// Returns the kind of a single value; `None` for a placeholder.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::S(_) => Some(Self::String),
            Value::I(_) => Some(Self::Int),
            Value::F(_) => Some(Self::Float),
            Value::B(_) => Some(Self::Bool),
            Value::Type(_) => Some(Self::Type),
            Value::Shape(_) => Some(Self::Shape),
            Value::Tensor(_) => Some(Self::Tensor),
            Value::Func(_) => Some(Self::Function),
            Value::List(_) | Value::Placeholder(_) => None,
        }
    }
}

impl Kind {
    /// The kind of a single value.
    pub const fn single(element: Element) -> Self {
        let list = false;
        Self { element, list }
    }

    /// The kind of a list.
    pub const fn list(element: Element) -> Self {
        let list = true;
        Self { element, list }
    }

    /// Returns the kind of a defined attribute.
    pub fn of(attribute: &AttrDef) -> Self {
        let written = attribute.r#type.as_str();
        let inner = written
            .strip_prefix("list(")
            .and_then(|rest| rest.strip_suffix(')'));
        let element = match inner.unwrap_or(written) {
            "string" => Element::String,
            "int" => Element::Int,
            "float" => Element::Float,
            "bool" => Element::Bool,
            "type" => Element::Type,
            "shape" => Element::Shape,
            "tensor" => Element::Tensor,
            "func" => Element::Function,
            unknown => unreachable!("ops.pb has no attribute of kind {unknown}"),
        };
        Self {
            element,
            list: inner.is_some(),
        }
    }

    /// Returns a value of this kind in MLIR's syntax.
    pub fn example(self) -> String {
        let (_, _, example) = self.element.words();
        if self.list {
            format!("[{example}]")
        } else {
            example.to_owned()
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (single, plural, _) = self.element.words();
        if self.list {
            write!(f, "a list of {plural}")
        } else {
            f.write_str(single)
        }
    }
}
