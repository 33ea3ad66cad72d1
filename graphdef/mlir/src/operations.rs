//! Checks of `tfx_tensor.op` against TensorFlow's registry.
//!
//! The registry works with names, data types and attribute values. This module converts an
//! operation to them, and maps errors back to its parts. The cost is linear in operands, results
//! and attributes.

use std::collections::BTreeMap;
use std::rc::Rc;

use melior::ir::{AttributeLike, Type, TypeLike, attribute::ArrayAttribute, r#type::IntegerType};
use rustc_hash::FxHashMap;
use tfx_dialects::replicable::transferable;
use tfx_dialects::tensor;
use tfx_dialects::types::{HostType, host_type};
use tfx_graphdef::{
    DataType, OperationError, Resolved, Use, naming,
    proto::AttrValue,
    resolve,
    resolve::{Computed, Element, Kind, Place, Side, attribute_kind},
};
use tfx_ir::attribute::symbol;
use tfx_ir::cast::Cast;
use tfx_ir::{Op, Value};
use thiserror::Error;

use crate::{
    attributes::{FunctionNames, array_elements, attribute},
    types,
};

/// The name of the operation that represents any TensorFlow operation.
pub const OP: &str = tensor::Op::NAME;

/// The attribute of `tfx_tensor.op` with the name of the TensorFlow operation.
pub const NAME_ATTRIBUTE: &str = tensor::Op::TF_NAME_ATTR;

/// The attribute of `tfx_tensor.op` with the device of the operation.
pub const DEVICE_ATTRIBUTE: &str = tensor::Op::DEVICE_ATTR;

/// The attribute of `tfx_tensor.op` with the names of the attributes that its last operands
/// compute.
pub const COMPUTED_ATTRIBUTE: &str = tensor::Op::COMPUTED_ATTR;

/// The reason why a `tfx_tensor.op` does not match the registry.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{message}")]
pub struct ResolveError {
    /// The part of the operation that the message is about.
    pub place: Place,
    /// The message, without a source location.
    pub message: String,
}

impl From<OperationError> for ResolveError {
    fn from(error: OperationError) -> Self {
        Self {
            place: error.place(),
            message: error.to_string(),
        }
    }
}

/// Checks a `tfx_tensor.op` and derives all its attributes.
///
/// # Errors
///
/// The first problem of the operation.
pub fn resolve_op(op: Op, functions: FunctionNames) -> Result<Resolved, ResolveError> {
    resolve_op_as(op, functions, |ty| ty)
}

/// [`resolve_op`] for many operations of one context. Operations with the same name, attributes and
/// element types share a result. MLIR has one instance of each type and of each dictionary of
/// attributes, so the key is a list of addresses.
pub struct Resolver<'f> {
    functions: FunctionNames<'f>,
    known: FxHashMap<Box<[usize]>, Shared>,
    /// The key of the current operation.
    key: Vec<usize>,
}

impl Default for Resolver<'static> {
    /// Names functions like programs.
    fn default() -> Self {
        Self::new(&naming::program_name)
    }
}

/// The result for all operations with one key.
type Shared = Result<Rc<Resolved>, Rc<ResolveError>>;

impl<'f> Resolver<'f> {
    /// Creates a resolver without results.
    pub fn new(functions: FunctionNames<'f>) -> Self {
        Self {
            functions,
            known: FxHashMap::default(),
            key: Vec::new(),
        }
    }

    /// Returns the result of [`resolve_op`].
    ///
    /// # Errors
    ///
    /// The first problem of the operation.
    pub fn resolve(&mut self, op: Op) -> Shared {
        let element = |value: Value| types::element_type(value.ty()).to_raw().ptr as usize;
        self.key.clear();
        let attributes = op.attribute_dictionary().to_raw().ptr as usize;
        self.key.extend([attributes, op.num_operands()]);
        self.key.extend(op.operands().map(element));
        self.key.extend(op.results().map(element));
        if let Some(known) = self.known.get(self.key.as_slice()) {
            return known.clone();
        }
        let resolved = resolve_op(op, self.functions).map(Rc::new).map_err(Rc::new);
        self.known
            .insert(self.key.clone().into_boxed_slice(), resolved.clone());
        resolved
    }
}

/// [`resolve_op`] with the types that `concrete` returns for those of the operation: for generic
/// functions whose type arguments are known.
///
/// # Errors
///
/// The first problem of the operation.
pub fn resolve_op_as<'a>(
    op: Op<'a>,
    functions: FunctionNames,
    concrete: impl Fn(Type<'a>) -> Type<'a>,
) -> Result<Resolved, ResolveError> {
    let operation = tensor::Op::cast(op).map_or("", tensor::Op::tf_name);
    let (tensors, values) = split_operands(op);
    let operands = tensors.iter().map(|value| concrete(value.ty()));
    let operands = data_types(operands, Side::Operand)?;
    let results = op.results().map(|value| concrete(value.ty()));
    let results = data_types(results, Side::Result)?;
    let attributes = written_attributes(op, operation, functions)?;
    let computed = computed_attributes(operation, &values)?;
    Ok(resolve(&Use {
        operation,
        operands: &operands,
        results: &results,
        attributes: &attributes,
        computed: &computed,
    })?)
}

/// Splits the operands of a `tfx_tensor.op` into those of the TensorFlow operation, and the values
/// of computed attributes.
pub fn split_operands<'a>(op: Op<'a>) -> (Vec<Value<'a>>, Vec<(&'a str, Value<'a>)>) {
    let names = tensor::Op::cast(op).and_then(tensor::Op::computed);
    let names = names.unwrap_or_default();
    let mut tensors: Vec<_> = op.operands().collect();
    // The verifier ensures that there is an operand for each name.
    let values = tensors.split_off(tensors.len().saturating_sub(names.len()));
    (tensors, names.into_iter().zip(values).collect())
}

/// Returns the kinds of the attributes that are computed.
fn computed_attributes(
    operation: &str,
    values: &[(&str, Value)],
) -> Result<Computed, ResolveError> {
    let kind = |&(name, value): &(&str, Value)| {
        let ty = value.ty();
        let kind = match host_type(ty) {
            Some(HostType::Param(_) | HostType::Assoc { .. }) => None,
            _ => Some(kind_of(ty).ok_or_else(|| ResolveError {
                place: Place::Attribute(name.to_owned()),
                message: format!(
                    "attribute \"{name}\" of \"{operation}\" cannot be computed as '{ty}'; \
                     write an integer, float, bool or string, or an array of those"
                ),
            })?),
        };
        Ok((name.to_owned(), kind))
    };
    values.iter().map(kind).collect()
}

/// Returns the kind of attribute for a host value. An array of arrays of integers is a list of
/// shapes.
fn kind_of(ty: Type) -> Option<Kind> {
    let Some(HostType::Array(element)) = host_type(ty) else {
        return scalar_kind(ty).map(Kind::single);
    };
    Some(Kind::list(match host_type(element) {
        Some(HostType::Array(size)) if scalar_kind(size) == Some(Element::Int) => Element::Shape,
        _ => scalar_kind(element)?,
    }))
}

/// The type of an attribute that the host computes at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueType {
    /// 0: a single value; 1: an array; 2: an array of arrays of integers, which are shapes.
    pub depth: u32,
    /// The data type of the single values.
    pub element: DataType,
}

/// Returns the type of an attribute that is a value of type `ty`; `None` if the host cannot pass it
/// to the runtime.
pub fn value_type(ty: Type) -> Option<ValueType> {
    let (mut depth, mut ty) = (0, ty);
    while let Some(HostType::Array(element)) = host_type(ty) {
        depth += 1;
        ty = element;
    }
    let element = match host_type(ty) {
        Some(HostType::String) => DataType::DtString,
        _ if ty.is_index() => DataType::DtInt64,
        _ if transferable(ty) && scalar_kind(ty).is_some() => types::data_type(ty)?,
        _ => return None,
    };
    let is_size = scalar_kind(ty) == Some(Element::Int);
    (depth < 2 || depth == 2 && is_size).then_some(ValueType { depth, element })
}

/// The width of TensorFlow's integer attributes.
const MAX_INTEGER_BITS: u32 = 64;

fn scalar_kind(ty: Type) -> Option<Element> {
    if let Some(integer) = IntegerType::cast(ty) {
        return match integer.width() {
            1 => Some(Element::Bool),
            width => (width <= MAX_INTEGER_BITS).then_some(Element::Int),
        };
    }
    if ty.is_index() {
        return Some(Element::Int);
    }
    if host_type(ty) == Some(HostType::String) {
        return Some(Element::String);
    }
    (ty.is_f16() || ty.is_bf16() || ty.is_f32() || ty.is_f64()).then_some(Element::Float)
}

/// Converts the written attributes.
fn written_attributes(
    op: Op,
    operation: &str,
    functions: FunctionNames,
) -> Result<BTreeMap<String, AttrValue>, ResolveError> {
    let own = [
        tensor::Op::TF_NAME_ATTR,
        tensor::Op::DEVICE_ATTR,
        tensor::Op::COMPUTED_ATTR,
        tensor::Op::EAGER_ATTR,
    ];
    let attributes = op.attributes().into_iter();
    let written = attributes.filter(|(name, _)| !own.contains(name));
    let convert = |(name, value): (&str, _)| {
        let value = attribute(value, attribute_kind(operation, name), functions);
        let value = value.map_err(|reason| ResolveError {
            place: Place::Attribute(name.to_owned()),
            message: format!("attribute \"{name}\" of \"{operation}\": {reason}"),
        })?;
        Ok((name.to_owned(), value))
    };
    written.map(convert).collect()
}

fn data_types<'a>(
    types: impl Iterator<Item = Type<'a>>,
    side: Side,
) -> Result<Vec<DataType>, ResolveError> {
    let data_type = |(index, r#type)| {
        types::data_type(r#type).ok_or_else(|| ResolveError {
            place: side.place(index),
            message: format!(
                "{side} {index} has element type {}, which TensorFlow does not have",
                types::element_type(r#type)
            ),
        })
    };
    types.enumerate().map(data_type).collect()
}

/// Returns the symbols of the graphs that the attributes of an operation name as functions.
pub fn named_graphs<'a>(op: Op<'a>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (_, attribute) in op.attributes() {
        found.extend(symbol(attribute));
        if let Some(array) = ArrayAttribute::cast(attribute) {
            found.extend(array_elements(array).filter_map(symbol));
        }
    }
    found
}
