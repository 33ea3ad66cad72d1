//! Checks that the value of an attribute has the kind, the minimum and the choices of its
//! definition.

use super::{
    error::{OperationError, Origin},
    kind::{Element, Kind},
};
use crate::{
    element::{display_name, from_number},
    proto::{
        AttrValue, DataType, OpDef, TensorShapeProto,
        attr_value::{ListValue, Value},
        op_def::AttrDef,
    },
};

/// Checks a written value against its definition, and returns it in TensorFlow's form.
pub(super) fn written(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    written: &AttrValue,
) -> Result<AttrValue, OperationError> {
    let expected = Kind::of(attribute);
    let value = of_kind(expected, written.value.as_ref());
    let value = value.map_err(|given| OperationError::WrongKind {
        operation: &definition.name,
        attribute: &attribute.name,
        expected,
        given,
    })?;
    check_minimum(definition, attribute, expected, &value)?;
    check_allowed(definition, attribute, &value)?;
    Ok(value.into())
}

/// Checks the kind of a value that is not known yet.
pub(super) fn computed(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    given: Kind,
) -> Result<(), OperationError> {
    let expected = Kind::of(attribute);
    let accepts = match expected.element {
        _ if given == expected => true,
        Element::Shape if !expected.list => given == Kind::list(Element::Int),
        Element::Tensor if !expected.list => given.element != Element::Shape,
        _ => false,
    };
    if accepts {
        return Ok(());
    }
    Err(OperationError::WrongKind {
        operation: &definition.name,
        attribute: &attribute.name,
        expected,
        given: given.to_string(),
    })
}

/// Checks that an attribute may be this data type, which follows from `origin`.
pub(super) fn data_type(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    given: DataType,
    origin: Origin,
) -> Result<(), OperationError> {
    let name = |number: &i32| display_name(from_number(*number)).to_owned();
    let number = given as i32;
    let allowed = allowed(attribute).map_or(&[][..], |list| &list.r#type);
    check_member(definition, attribute, origin, &number, allowed, name)
}

/// Checks that an attribute may be this string.
fn check_string(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    text: &Vec<u8>,
) -> Result<(), OperationError> {
    let quoted = |text: &Vec<u8>| format!("{:?}", String::from_utf8_lossy(text));
    let allowed = allowed(attribute).map_or(&[][..], |list| &list.s);
    let origin = Origin::Written;
    check_member(definition, attribute, origin, text, allowed, quoted)
}

/// Checks that `given` is one of `allowed`. An empty list allows everything.
fn check_member<T: PartialEq>(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    origin: Origin,
    given: &T,
    allowed: &[T],
    name: impl Fn(&T) -> String,
) -> Result<(), OperationError> {
    if allowed.is_empty() || allowed.contains(given) {
        return Ok(());
    }
    Err(OperationError::NotAllowed {
        operation: &definition.name,
        attribute: &attribute.name,
        origin,
        given: name(given),
        allowed: allowed.iter().map(name).collect(),
    })
}

/// Returns the value if it is of the expected kind, and a description of the value otherwise.
///
/// MLIR has no syntax for a shape, so a list of integers is accepted in its place.
fn of_kind(expected: Kind, value: Option<&Value>) -> Result<Value, String> {
    let Some(value) = value else {
        return Err("nothing".to_owned());
    };
    let Value::List(list) = value else {
        return match Element::of(value).map(Kind::single) {
            Some(given) if given == expected => Ok(value.clone()),
            Some(given) => Err(given.to_string()),
            None => Err("a placeholder".to_owned()),
        };
    };
    let mut elements: Vec<_> = list
        .values()
        .filter_map(|value| Element::of(&value))
        .collect();
    elements.dedup();
    match *elements.as_slice() {
        [] if expected.list => Ok(value.clone()),
        [element] if expected == Kind::list(element) => Ok(value.clone()),
        [] | [Element::Int] if expected == Kind::single(Element::Shape) => {
            match list.i.iter().all(|&size| size >= -1) {
                true => Ok(Value::Shape(TensorShapeProto::from_iter(list.i.clone()))),
                false => Err("a list with a size below -1".to_owned()),
            }
        }
        [] => Err("an empty list".to_owned()),
        [element] => Err(Kind::list(element).to_string()),
        _ => Err("a list of different kinds".to_owned()),
    }
}

fn check_minimum(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    kind: Kind,
    value: &Value,
) -> Result<(), OperationError> {
    let given = match value {
        Value::I(number) => *number,
        Value::List(list) => list.values().count() as i64,
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

fn check_allowed(
    definition: &'static OpDef,
    attribute: &'static AttrDef,
    value: &Value,
) -> Result<(), OperationError> {
    let check =
        |number: &i32| data_type(definition, attribute, from_number(*number), Origin::Written);
    match value {
        Value::Type(number) => check(number),
        Value::List(list) => list.r#type.iter().try_for_each(check),
        Value::S(text) => check_string(definition, attribute, text),
        _ => Ok(()),
    }
}

fn allowed(attribute: &AttrDef) -> Option<&ListValue> {
    match attribute.allowed_values.as_ref()?.value.as_ref()? {
        Value::List(list) => Some(list.as_ref()),
        _ => None,
    }
}
