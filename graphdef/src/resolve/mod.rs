//! Checks one use of a TensorFlow operation and completes its attributes.
//!
//! In `tfx_tensor.op "Pack"(%a, %b) {axis = 1}` the user omits the attributes that follow from the
//! types (`T`, `N`). A node needs all of them.
//!
//! ```text
//!  written attributes --kind--> bindings  N, T, Tin, Tout, ...   (value of each attribute, and origin)
//!  operands --split into arguments--> unify with bindings
//!  results  --split into arguments--> unify with bindings
//!  bindings, then defaults ---------> every attribute of the definition
//! ```
//!
//! This is first-order unification without nesting. An argument names the attributes that determine
//! its length and its element types. The first value binds such an attribute, and each later value
//! must agree. Operands come before results, so a result decides only what the operands leave open
//! (`Cast`'s `DstT`, `Placeholder`'s `dtype`). The rules are those of TensorFlow's `op_def.proto`
//! and `node_def_util.cc`.
//!
//! The cost is linear in operands, results and attributes. Not checked: shapes, the existence of
//! functions that attributes name, and whether an operand of the 90 operations of TensorFlow 1 that
//! write through a reference (`is_ref` in the definition) is a reference.

mod arguments;
mod bindings;
mod check;
mod error;
mod kind;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range};

use crate::{
    GRAPH_DEF_VERSION,
    element::from_number,
    proto::{AttrValue, DataType, OpDef, attr_value::Value, op_def::ArgDef},
    registry::{Registry, nearest},
};
use bindings::Bindings;
pub use error::{Count, OperationError, Origin, Place, Side};
pub use kind::{Computed, Element, Kind, UNKNOWN};

/// One use of an operation, as it is written.
#[derive(Debug, Clone, Copy)]
pub struct Use<'a> {
    /// The name of the operation, such as `MatMul`.
    pub operation: &'a str,
    /// The data type of each operand, with lists flattened; [`UNKNOWN`] if it is not known.
    pub operands: &'a [DataType],
    /// The data type of each result, with lists flattened; [`UNKNOWN`] if it is not known.
    pub results: &'a [DataType],
    /// The written attributes. Names that start with `_` are internal to TensorFlow or tfx; they
    /// are passed on unchecked.
    pub attributes: &'a BTreeMap<String, AttrValue>,
    /// The attributes whose values are not known yet.
    pub computed: &'a Computed,
}

/// A checked use of an operation, with everything that a node needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The definition in the registry.
    pub definition: &'static OpDef,
    /// All attributes of the definition, and the written ones that start with `_`.
    pub attributes: BTreeMap<String, AttrValue>,
    /// The data type of each operand.
    pub operands: Vec<DataType>,
    /// The data type of each result.
    pub results: Vec<DataType>,
    /// The operands of each argument in `definition.input_arg`, as positions.
    pub operand_arguments: Vec<Range<usize>>,
    /// The results of each argument in `definition.output_arg`, as positions.
    pub result_arguments: Vec<Range<usize>>,
}

impl Resolved {
    /// Returns the argument and the position in it of a result, which refers to the result in the
    /// body of a function: `node:NAME:INDEX`. Returns `None` if the operation has no such result.
    pub fn result_name(&self, flat: usize) -> Option<(&'static str, usize)> {
        let position = self
            .result_arguments
            .partition_point(|range| range.end <= flat);
        let range = self.result_arguments.get(position)?;
        Some((
            &self.definition.output_arg[position].name,
            flat - range.start,
        ))
    }
}

/// Checks a use of an operation and derives all its attributes.
///
/// # Errors
///
/// The first problem: an unknown operation or attribute, an attribute of the wrong kind or out of
/// bounds, a wrong number of operands or results, an element type that is not allowed or conflicts
/// with another, or a missing attribute.
pub fn resolve(operation: &Use) -> Result<Resolved, OperationError> {
    let definition = define(operation.operation)?;
    let mut attributes = written_attributes(definition, operation.attributes)?;
    check_computed(definition, operation.computed)?;
    let mut bindings = Bindings::new(definition, &attributes);
    let (operands, results) = (operation.operands, operation.results);
    let operand_arguments = arguments::split(&bindings, Side::Operand, operands.len())?;
    bindings.unify_side(Side::Operand, operands, &operand_arguments)?;
    let result_arguments = arguments::split(&bindings, Side::Result, results.len())?;
    bindings.unify_side(Side::Result, results, &result_arguments)?;
    bindings.complete(&mut attributes, operation.computed)?;
    Ok(Resolved {
        operands: data_types(&definition.input_arg, &operand_arguments, &attributes),
        results: data_types(&definition.output_arg, &result_arguments, &attributes),
        definition,
        attributes,
        operand_arguments,
        result_arguments,
    })
}

/// Returns the kind of an attribute of an operation, which decides whether `[1, 2]` is a list or a
/// shape. Returns `None` if there is no such operation or attribute.
pub fn attribute_kind(operation: &str, attribute: &str) -> Option<Kind> {
    let definition = Registry::get().lookup(operation)?;
    let found = definition
        .attr
        .iter()
        .find(|known| known.name == attribute)?;
    Some(Kind::of(found))
}

fn define(name: &str) -> Result<&'static OpDef, OperationError> {
    let registry = Registry::get();
    let Some(definition) = registry.lookup(name) else {
        return Err(OperationError::UnknownOperation {
            operation: name.to_owned(),
            suggestion: registry.suggest(name),
        });
    };
    match &definition.deprecation {
        Some(deprecation) if deprecation.version <= GRAPH_DEF_VERSION => {
            Err(OperationError::Deprecated {
                operation: &definition.name,
                explanation: &deprecation.explanation,
            })
        }
        _ => Ok(definition),
    }
}

/// Checks each written attribute against its definition, and converts it to its kind.
fn written_attributes(
    definition: &'static OpDef,
    written: &BTreeMap<String, AttrValue>,
) -> Result<BTreeMap<String, AttrValue>, OperationError> {
    let known: BTreeMap<&str, _> = definition
        .attr
        .iter()
        .map(|known| (known.name.as_str(), known))
        .collect();
    let mut checked = BTreeMap::new();
    for (name, value) in written {
        let value = match known.get(name.as_str()) {
            Some(attribute) => check::written(definition, attribute, value)?,
            None if name.starts_with('_') => value.clone(),
            None => return Err(unknown_attribute(definition, name)),
        };
        checked.insert(name.clone(), value);
    }
    Ok(checked)
}

/// Checks the names and kinds of the attributes whose values are not known.
fn check_computed(definition: &'static OpDef, computed: &Computed) -> Result<(), OperationError> {
    for (name, given) in computed {
        let attribute = definition.attr.iter().find(|known| known.name == *name);
        let attribute = attribute.ok_or_else(|| unknown_attribute(definition, name))?;
        if let Some(given) = given {
            check::computed(definition, attribute, *given)?;
        }
    }
    Ok(())
}

fn unknown_attribute(definition: &'static OpDef, name: &str) -> OperationError {
    let known = || definition.attr.iter().map(|known| known.name.as_str());
    OperationError::UnknownAttribute {
        operation: &definition.name,
        attribute: name.to_owned(),
        suggestion: nearest(name, known()),
        known: known().collect(),
    }
}

/// Returns the data type of each operand or result, once all attributes are known.
fn data_types(
    arguments: &[ArgDef],
    ranges: &[Range<usize>],
    attributes: &BTreeMap<String, AttrValue>,
) -> Vec<DataType> {
    let value = |name: &str| {
        attributes
            .get(name)
            .and_then(|attribute| attribute.value.as_ref())
    };
    let mut types = Vec::new();
    for (argument, range) in arguments.iter().zip(ranges) {
        if let Some(Value::List(list)) = value(&argument.type_list_attr) {
            types.extend(list.r#type.iter().copied().map(from_number));
        } else if let Some(Value::Type(number)) = value(&argument.type_attr) {
            types.extend(range.clone().map(|_| from_number(*number)));
        } else {
            types.extend(range.clone().map(|_| from_number(argument.r#type)));
        }
    }
    types
}
