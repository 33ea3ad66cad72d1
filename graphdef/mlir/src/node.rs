//! One node: an operation of the registry with all its attributes, named after its source place.

use std::collections::BTreeMap;

use tfx_graphdef::{
    DataType, OperationError, Resolved, Use, naming,
    proto::{
        AttrValue, NameAttrList, NodeDef, TensorProto, TensorShapeProto,
        attr_value::{ListValue, Value as AttrKind},
    },
    resolve,
    resolve::Computed,
};
use tfx_ir::{Op, location};

/// Attributes by name.
pub(crate) type Attributes = BTreeMap<String, AttrValue>;

/// An operation that is not a `tfx_tensor.op`, with the attributes that do not follow from its types.
///
/// # Errors
///
/// What the registry finds wrong: an element type that the operation does not take.
pub(crate) fn complete(
    operation: &str,
    operands: &[DataType],
    results: &[DataType],
    attributes: Attributes,
) -> Result<Resolved, OperationError> {
    resolve(&Use {
        operation,
        operands,
        results,
        attributes: &attributes,
        computed: &Computed::new(),
    })
}

/// A node at its source place, or, where it has none, of the name of its location. `name` is taken from it with `take`, which makes it unique.
pub(crate) fn node(
    resolved: &Resolved,
    at: Op,
    inputs: Vec<String>,
    take: impl FnOnce(&str) -> String,
) -> NodeDef {
    let operation = &resolved.definition.name;
    let mut attributes = resolved.attributes.clone();
    let name = match location::place(at.location()) {
        Some(place) => {
            attributes.insert(
                naming::LOCATION_ATTRIBUTE.to_owned(),
                string(&place.to_string()),
            );
            naming::source_node(&place.file, place.line, place.column, operation)
        }
        None => {
            naming::node_name(&location::name(at.location()).unwrap_or_else(|| operation.clone()))
        }
    };
    NodeDef {
        name: take(&name),
        op: operation.clone(),
        input: inputs,
        attr: attributes,
        ..Default::default()
    }
}

/// Attributes from an array of them.
pub(crate) fn attributes<const N: usize>(list: [(&str, AttrValue); N]) -> Attributes {
    list.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A string attribute.
pub(crate) fn string(text: &str) -> AttrValue {
    value(AttrKind::S(text.as_bytes().to_vec()))
}

/// A bool attribute.
pub(crate) fn boolean(truth: bool) -> AttrValue {
    value(AttrKind::B(truth))
}

/// An integer attribute.
pub(crate) fn integer(number: i64) -> AttrValue {
    value(AttrKind::I(number))
}

/// A type attribute.
pub(crate) fn data_type(data_type: DataType) -> AttrValue {
    value(AttrKind::Type(data_type as i32))
}

/// A list of types.
pub(crate) fn data_types(types: &[DataType]) -> AttrValue {
    let r#type = types.iter().map(|&data_type| data_type as i32).collect();
    value(AttrKind::list(ListValue {
        r#type,
        ..Default::default()
    }))
}

/// A tensor attribute.
pub(crate) fn tensor(tensor: TensorProto) -> AttrValue {
    value(AttrKind::tensor(tensor))
}

/// A shape attribute.
pub(crate) fn shape(shape: TensorShapeProto) -> AttrValue {
    value(AttrKind::Shape(shape))
}

/// A list of shapes.
pub(crate) fn shapes(shape: Vec<TensorShapeProto>) -> AttrValue {
    value(AttrKind::list(ListValue {
        shape,
        ..Default::default()
    }))
}

/// The name of a function.
pub(crate) fn function(name: &str) -> AttrValue {
    value(AttrKind::Func(name_attr(name)))
}

/// A list of functions.
pub(crate) fn functions(names: &[String]) -> AttrValue {
    let func = names.iter().map(|name| name_attr(name)).collect();
    value(AttrKind::list(ListValue {
        func,
        ..Default::default()
    }))
}

fn name_attr(name: &str) -> NameAttrList {
    NameAttrList {
        name: name.to_owned(),
        ..Default::default()
    }
}

fn value(value: AttrKind) -> AttrValue {
    AttrValue { value: Some(value) }
}
