//! One `tfx_tensor.op` against TensorFlow's registry.
//!
//! The registry speaks of names, data types and attribute values; here the operation is put in those words, and what is wrong is brought
//! back to the operation. Linear in operands, results and attributes.

use std::collections::BTreeMap;

use melior::ir::Type;
use tfx_graphdef::{
    DataType, Resolved, Use,
    proto::AttrValue,
    resolve,
    resolve::{Place, attribute_kind},
};
use tfx_ir::Op;

use crate::{
    attributes::{FunctionNames, attribute},
    types,
};

/// The operation that is any TensorFlow operation.
pub const OP: &str = "tfx_tensor.op";

/// The attribute of `tfx_tensor.op` that names the TensorFlow operation.
pub const NAME_ATTRIBUTE: &str = "tf_name";

/// The attribute of `tfx_tensor.op` that places it on a device.
pub const DEVICE_ATTRIBUTE: &str = "device";

/// What is wrong with an operation, and what of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What the message is about.
    pub place: Place,
    /// The message, without a place.
    pub message: String,
}

/// Checks a `tfx_tensor.op` and derives all its attributes.
///
/// # Errors
///
/// The first thing that is wrong with it.
pub fn resolve_op(op: Op, functions: FunctionNames) -> Result<Resolved, Fault> {
    let operation = op.string(NAME_ATTRIBUTE).unwrap_or_default();
    let operands = data_types(op.operands().map(|value| value.ty()), Place::Operand)?;
    let results = data_types(op.results().map(|value| value.ty()), Place::Result)?;
    let attributes = written_attributes(op, operation, functions)?;
    let operation_use = Use {
        operation,
        operands: &operands,
        results: &results,
        attributes: &attributes,
    };
    resolve(&operation_use).map_err(|error| Fault {
        place: error.place(),
        message: error.to_string(),
    })
}

/// The attributes that the user wrote, as TensorFlow's.
fn written_attributes(
    op: Op,
    operation: &str,
    functions: FunctionNames,
) -> Result<BTreeMap<String, AttrValue>, Fault> {
    let mut written = BTreeMap::new();
    for (name, value) in op.attributes() {
        if name == NAME_ATTRIBUTE || name == DEVICE_ATTRIBUTE {
            continue;
        }
        let value =
            attribute(value, attribute_kind(operation, name), functions).map_err(|reason| {
                Fault {
                    place: Place::Attribute(name.to_owned()),
                    message: format!("attribute \"{name}\" of \"{operation}\": {reason}"),
                }
            })?;
        written.insert(name.to_owned(), value);
    }
    Ok(written)
}

fn data_types<'a>(
    types: impl Iterator<Item = Type<'a>>,
    place: impl Fn(usize) -> Place,
) -> Result<Vec<DataType>, Fault> {
    let data_type = |(index, r#type)| {
        types::data_type(r#type).ok_or_else(|| {
            let place = place(index);
            let side = if matches!(place, Place::Operand(_)) {
                "operand"
            } else {
                "result"
            };
            let message = format!(
                "{side} {index} has element type {}, which TensorFlow does not have",
                types::element_type(r#type)
            );
            Fault { place, message }
        })
    };
    types.enumerate().map(data_type).collect()
}
