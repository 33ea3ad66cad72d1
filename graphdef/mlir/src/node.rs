//! Nodes: an operation of the registry with all its attributes, named after its source location.

use std::collections::BTreeMap;

use tfx_dialects::tensor;
use tfx_graphdef::{
    DataType, OperationError, Resolved, Use, naming,
    proto::{
        AttrValue, NameAttrList, NodeDef, TensorProto, TensorShapeProto,
        attr_value::{ListValue, Value},
    },
    resolve,
    resolve::Computed,
};
use tfx_ir::{Op, location};

/// Attributes by name.
pub(crate) type Attributes = BTreeMap<String, AttrValue>;

/// Completes an operation that is not a `tfx_tensor.op`, from the attributes that do not follow
/// from its types.
///
/// # Errors
///
/// The operation does not accept an element type.
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

/// Creates a node, named after its source location, or after the name of its location if it has
/// none. `take` makes the name unique.
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
            let written = string(&place.to_string());
            attributes.insert(naming::LOCATION_ATTRIBUTE.to_owned(), written);
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
        device: at
            .string(tensor::Op::DEVICE_ATTR)
            .unwrap_or_default()
            .to_owned(),
        attr: attributes,
        ..Default::default()
    }
}

/// Returns the reference to a result of a node in the same function.
///
/// # Panics
///
/// The node has no such result.
pub(crate) fn reference(node: &NodeDef, resolved: &Resolved, result: usize) -> String {
    let (output, position) = resolved
        .result_name(result)
        .expect("a node has all results of its operation");
    format!("{}:{output}:{position}", node.name)
}

/// Returns attributes by name.
pub(crate) fn attributes<const N: usize>(list: [(&str, AttrValue); N]) -> Attributes {
    list.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Returns a string attribute.
pub(crate) fn string(text: &str) -> AttrValue {
    Value::S(text.as_bytes().to_vec()).into()
}

/// Returns a bool attribute.
pub(crate) fn boolean(truth: bool) -> AttrValue {
    Value::B(truth).into()
}

/// Returns an integer attribute.
pub(crate) fn integer(number: i64) -> AttrValue {
    Value::I(number).into()
}

/// Returns a type attribute.
pub(crate) fn data_type(data_type: DataType) -> AttrValue {
    Value::Type(data_type as i32).into()
}

/// Returns a list of types.
pub(crate) fn data_types(types: &[DataType]) -> AttrValue {
    list(types.iter().map(|&data_type| Value::Type(data_type as i32)))
}

/// Returns a tensor attribute.
pub(crate) fn constant(constant: TensorProto) -> AttrValue {
    Value::tensor(constant).into()
}

/// Returns a shape attribute.
pub(crate) fn shape(shape: TensorShapeProto) -> AttrValue {
    Value::Shape(shape).into()
}

/// Returns a list of shapes.
pub(crate) fn shapes(shapes: Vec<TensorShapeProto>) -> AttrValue {
    list(shapes.into_iter().map(Value::Shape))
}

/// Returns an attribute that names a function.
pub(crate) fn function(name: &str) -> AttrValue {
    named_function(name.to_owned()).into()
}

/// Returns a list of functions.
pub(crate) fn functions(names: &[String]) -> AttrValue {
    list(names.iter().cloned().map(named_function))
}

/// Returns the name of a function as a value.
pub(crate) fn named_function(name: String) -> Value {
    Value::Func(NameAttrList {
        name,
        ..Default::default()
    })
}

fn list(values: impl Iterator<Item = Value>) -> AttrValue {
    Value::list(ListValue::from_iter(values)).into()
}
