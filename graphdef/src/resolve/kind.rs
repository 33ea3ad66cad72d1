//! Kinds of attributes: what TensorFlow calls `int`, `list(type)`, `shape`, ..., and whether a written value is of one.

use std::fmt;

use super::{bindings::Origin, error::OperationError};
use crate::{
    element::{display_name, from_number},
    proto::{
        AttrValue, DataType, OpDef, TensorShapeProto,
        attr_value::{ListValue, Value},
        op_def::AttrDef,
        tensor_shape_proto::Dim,
    },
};

/// The kind of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// What it holds.
    pub element: Element,
    /// Whether it holds a list of those.
    pub list: bool,
}

/// What an attribute, or each element of a list, holds.
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
    /// A shape, whose sizes (-1 where unknown) or even rank may be unknown.
    Shape,
    /// A constant.
    Tensor,
    /// The name of a function, with attributes.
    Function,
}

impl Element {
    /// With an article; in the plural; an example as MLIR writes it.
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
}

impl Kind {
    pub(super) const TYPES: Self = Self {
        element: Element::Type,
        list: true,
    };
    const INTS: Self = Self {
        element: Element::Int,
        list: true,
    };
    const SHAPE: Self = Self {
        element: Element::Shape,
        list: false,
    };
    const TENSOR: Self = Self {
        element: Element::Tensor,
        list: false,
    };

    /// The kind of a defined attribute.
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

    /// A value of this kind, as MLIR writes it.
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

/// Checks a written value against its definition, and gives it in the form that TensorFlow wants.
pub(super) fn check(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    written: &AttrValue,
) -> Result<AttrValue, OperationError> {
    let wanted = Kind::of(attribute);
    let value =
        of_kind(wanted, written.value.as_ref()).map_err(|given| OperationError::WrongKind {
            operation: &definition.name,
            attribute: &attribute.name,
            wanted,
            given,
        })?;
    check_minimum(definition, attribute, wanted, &value)?;
    check_allowed(definition, attribute, &value)?;
    Ok(AttrValue { value: Some(value) })
}

/// Checks the kind of a value that is not known yet.
pub(super) fn check_computed(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    given: Kind,
) -> Result<(), OperationError> {
    let wanted = Kind::of(attribute);
    let shape_from_sizes = given == Kind::INTS && wanted == Kind::SHAPE;
    let tensor_from_elements = wanted == Kind::TENSOR && given.element != Element::Shape;
    if given == wanted || shape_from_sizes || tensor_from_elements {
        return Ok(());
    }
    Err(OperationError::WrongKind {
        operation: &definition.name,
        attribute: &attribute.name,
        wanted,
        given: given.to_string(),
    })
}

/// Checks that an attribute may be this data type, which `origin` made it.
pub(super) fn check_type(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    data_type: DataType,
    origin: Origin,
) -> Result<(), OperationError> {
    let Some(allowed) = allowed(attribute) else {
        return Ok(());
    };
    if allowed.r#type.is_empty() || allowed.r#type.contains(&(data_type as i32)) {
        return Ok(());
    }
    let names = allowed
        .r#type
        .iter()
        .map(|number| display_name(from_number(*number)).to_owned());
    Err(OperationError::NotAllowed {
        operation: &definition.name,
        attribute: &attribute.name,
        origin,
        given: display_name(data_type).to_owned(),
        allowed: names.collect(),
    })
}

/// The value, if it is of the wanted kind; else what it is.
///
/// MLIR has no notation for a shape, so a list of integers stands for one where a shape is wanted.
fn of_kind(wanted: Kind, value: Option<&Value>) -> Result<Value, String> {
    let Some(value) = value else {
        return Err("nothing".to_owned());
    };
    match value {
        Value::List(list) => match elements(list).as_slice() {
            [] if wanted.list => Ok(value.clone()),
            [one]
                if wanted
                    == (Kind {
                        element: *one,
                        list: true,
                    }) =>
            {
                Ok(value.clone())
            }
            [] | [Element::Int]
                if wanted
                    == (Kind {
                        element: Element::Shape,
                        list: false,
                    }) =>
            {
                shape(&list.i).ok_or_else(|| "a list with a size below -1".to_owned())
            }
            [] => Err("an empty list".to_owned()),
            [one] => Err(Kind {
                element: *one,
                list: true,
            }
            .to_string()),
            _ => Err("a list of different things".to_owned()),
        },
        single => match element(single) {
            Some(given)
                if wanted
                    == (Kind {
                        element: given,
                        list: false,
                    }) =>
            {
                Ok(single.clone())
            }
            Some(given) => Err(Kind {
                element: given,
                list: false,
            }
            .to_string()),
            None => Err("a placeholder".to_owned()),
        },
    }
}

fn element(value: &Value) -> Option<Element> {
    match value {
        Value::S(_) => Some(Element::String),
        Value::I(_) => Some(Element::Int),
        Value::F(_) => Some(Element::Float),
        Value::B(_) => Some(Element::Bool),
        Value::Type(_) => Some(Element::Type),
        Value::Shape(_) => Some(Element::Shape),
        Value::Tensor(_) => Some(Element::Tensor),
        Value::Func(_) => Some(Element::Function),
        Value::List(_) | Value::Placeholder(_) => None,
    }
}

/// The kinds of elements that a list holds: none if it is empty, several only if it is malformed.
fn elements(list: &ListValue) -> Vec<Element> {
    let present = [
        (Element::String, list.s.is_empty()),
        (Element::Int, list.i.is_empty()),
        (Element::Float, list.f.is_empty()),
        (Element::Bool, list.b.is_empty()),
        (Element::Type, list.r#type.is_empty()),
        (Element::Shape, list.shape.is_empty()),
        (Element::Tensor, list.tensor.is_empty()),
        (Element::Function, list.func.is_empty()),
    ];
    present
        .into_iter()
        .filter(|(_, empty)| !empty)
        .map(|(element, _)| element)
        .collect()
}

fn shape(sizes: &[i64]) -> Option<Value> {
    let dimension = |&size: &i64| {
        (size >= -1).then(|| Dim {
            size,
            name: String::new(),
        })
    };
    Some(Value::Shape(TensorShapeProto {
        dim: sizes.iter().map(dimension).collect::<Option<_>>()?,
        unknown_rank: false,
    }))
}

fn check_minimum(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    kind: Kind,
    value: &Value,
) -> Result<(), OperationError> {
    let given = match value {
        Value::I(number) => *number,
        Value::List(list) => length(list) as i64,
        _ => return Ok(()),
    };
    if !attribute.has_minimum || given >= attribute.minimum {
        return Ok(());
    }
    Err(OperationError::TooSmall {
        operation: &definition.name,
        attribute: &attribute.name,
        minimum: attribute.minimum,
        given,
        list: kind.list,
    })
}

fn length(list: &ListValue) -> usize {
    list.s.len()
        + list.i.len()
        + list.f.len()
        + list.b.len()
        + list.r#type.len()
        + list.shape.len()
        + list.tensor.len()
        + list.func.len()
}

fn check_allowed(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    value: &Value,
) -> Result<(), OperationError> {
    match value {
        Value::Type(number) => {
            check_type(definition, attribute, from_number(*number), Origin::Written)
        }
        Value::List(list) => list.r#type.iter().try_for_each(|number| {
            check_type(definition, attribute, from_number(*number), Origin::Written)
        }),
        Value::S(text) => check_string(definition, attribute, text),
        _ => Ok(()),
    }
}

fn check_string(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    text: &[u8],
) -> Result<(), OperationError> {
    let Some(allowed) = allowed(attribute) else {
        return Ok(());
    };
    if allowed.s.is_empty() || allowed.s.iter().any(|one| one == text) {
        return Ok(());
    }
    let quoted = |text: &[u8]| format!("{:?}", String::from_utf8_lossy(text));
    Err(OperationError::NotAllowed {
        operation: &definition.name,
        attribute: &attribute.name,
        origin: Origin::Written,
        given: quoted(text),
        allowed: allowed.s.iter().map(|text| quoted(text)).collect(),
    })
}

fn allowed(attribute: &AttrDef) -> Option<&ListValue> {
    match attribute.allowed_values.as_ref()?.value.as_ref()? {
        Value::List(list) => Some(list.as_ref()),
        _ => None,
    }
}
