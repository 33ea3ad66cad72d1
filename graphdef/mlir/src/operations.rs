//! One `tfx_tensor.op` against TensorFlow's registry.
//!
//! The registry speaks of names, data types and attribute values; here the operation is put in those words, and what is wrong is brought
//! back to the operation. Linear in operands, results and attributes.

use std::collections::BTreeMap;
use std::rc::Rc;
use tfx_dialects::tensor;

use melior::ir::{
    Attribute, AttributeLike, Type, TypeLike, attribute::ArrayAttribute, r#type::IntegerType,
};
use rustc_hash::FxHashMap;
use tfx_dialects::replicable::{EAGER, transferable};
use tfx_dialects::types::{HostType, host_type};
use tfx_graphdef::{
    DataType, Resolved, Use, naming,
    proto::AttrValue,
    resolve,
    resolve::{Computed, Element, Kind, Place, attribute_kind},
};
use tfx_ir::attribute::{symbol, text};
use tfx_ir::cast::Cast;
use tfx_ir::{Op, Value};

use crate::{
    attributes::{FunctionNames, attribute},
    types,
};

/// The operation that is any TensorFlow operation.
pub const OP: &str = tensor::Op::NAME;

/// The attribute of `tfx_tensor.op` that names the TensorFlow operation.
pub const NAME_ATTRIBUTE: &str = "tf_name";

/// The attribute of `tfx_tensor.op` that places it on a device.
pub const DEVICE_ATTRIBUTE: &str = "device";

/// The attribute of `tfx_tensor.op` that names the attributes which its last operands are the values of.
pub const COMPUTED_ATTRIBUTE: &str = "computed";

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
    resolve_op_as(op, functions, |ty| ty)
}

/// [`resolve_op`] of many operations: those that look alike (name, attributes, element types) share what the registry says of them. MLIR has each
/// dictionary of attributes and each type once, so a key is a list of addresses. The operations are of one context.
pub struct Resolver<'f> {
    functions: FunctionNames<'f>,
    known: FxHashMap<Box<[usize]>, Shared>,
    /// The key of the operation at hand.
    key: Vec<usize>,
}

impl Default for Resolver<'static> {
    /// Functions are called as programs are.
    fn default() -> Self {
        Self::new(&naming::program_name)
    }
}

/// What the registry says of operations that look alike.
type Shared = Result<Rc<Resolved>, Rc<Fault>>;

impl<'f> Resolver<'f> {
    /// Nothing is known yet.
    pub fn new(functions: FunctionNames<'f>) -> Self {
        Self {
            functions,
            known: FxHashMap::default(),
            key: Vec::new(),
        }
    }

    /// What [`resolve_op`] says of an operation.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it.
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

/// [`resolve_op`] with other types than the operation's own: those that `concrete` gives for them, where the operation is in a generic
/// function that has known types.
///
/// # Errors
///
/// The first thing that is wrong with it.
pub fn resolve_op_as<'a>(
    op: Op<'a>,
    functions: FunctionNames,
    concrete: impl Fn(Type<'a>) -> Type<'a>,
) -> Result<Resolved, Fault> {
    let operation = op.string(NAME_ATTRIBUTE).unwrap_or_default();
    let (tensors, values) = split_operands(op);
    let operands = tensors.iter().map(|value| concrete(value.ty()));
    let operands = data_types(operands, Place::Operand)?;
    let results = op.results().map(|value| concrete(value.ty()));
    let results = data_types(results, Place::Result)?;
    let attributes = written_attributes(op, operation, functions)?;
    let computed = computed_attributes(operation, &values)?;
    let operation_use = Use {
        operation,
        operands: &operands,
        results: &results,
        attributes: &attributes,
        computed: &computed,
    };
    resolve(&operation_use).map_err(|error| Fault {
        place: error.place(),
        message: error.to_string(),
    })
}

/// The operands of a `tfx_tensor.op` that TensorFlow takes, and the attributes that its other operands are the values of.
pub fn split_operands<'a>(op: Op<'a>) -> (Vec<Value<'a>>, Vec<(&'a str, Value<'a>)>) {
    let names = computed_names(op);
    let mut tensors: Vec<_> = op.operands().collect();
    // The verifier lets no operation compute more attributes than it has operands.
    let values = tensors.split_off(tensors.len().saturating_sub(names.len()));
    (tensors, names.into_iter().zip(values).collect())
}

fn computed_names<'a>(op: Op<'a>) -> Vec<&'a str> {
    let names = op.attribute(COMPUTED_ATTRIBUTE);
    let Some(names) = names.and_then(ArrayAttribute::cast) else {
        return Vec::new();
    };
    let name = |index| -> Option<Attribute<'a>> { names.element(index).ok() };
    (0..names.len())
        .filter_map(|index| text(name(index)?))
        .collect()
}

/// What is known of the attributes that are computed: the kinds of their values.
fn computed_attributes(operation: &str, values: &[(&str, Value)]) -> Result<Computed, Fault> {
    let kind = |&(name, value): &(&str, Value)| {
        let ty = value.ty();
        let kind = match host_type(ty) {
            Some(HostType::Param(_) | HostType::Assoc { .. }) => None,
            _ => Some(kind_of(ty).ok_or_else(|| Fault {
                place: Place::Attribute(name.to_owned()),
                message: format!(
                    "attribute \"{name}\" of \"{operation}\" cannot be computed as '{ty}'; write an integer, float, bool or string, or an array of those"
                ),
            })?),
        };
        Ok((name.to_owned(), kind))
    };
    values.iter().map(kind).collect()
}

/// What a value of the host is as an attribute: an array of arrays of integers is a list of shapes.
fn kind_of(ty: Type) -> Option<Kind> {
    let Some(HostType::Array(element)) = host_type(ty) else {
        let element = scalar_kind(ty)?;
        return Some(Kind {
            element,
            list: false,
        });
    };
    let element = match host_type(element) {
        Some(HostType::Array(size)) if scalar_kind(size) == Some(Element::Int) => Element::Shape,
        _ => scalar_kind(element)?,
    };
    Some(Kind {
        element,
        list: true,
    })
}

/// How a value of the host is an attribute at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueType {
    /// 0: it is one value; 1: an array of them; 2: an array of arrays of integers, which are shapes.
    pub depth: u32,
    /// What the values are.
    pub element: DataType,
}

/// How a value of that type is an attribute at run time; `None` where the host cannot give it to the runtime.
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

/// TensorFlow's integers have 64 bits.
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

/// The attributes that the user wrote, as TensorFlow's.
fn written_attributes(
    op: Op,
    operation: &str,
    functions: FunctionNames,
) -> Result<BTreeMap<String, AttrValue>, Fault> {
    let mut written = BTreeMap::new();
    for (name, value) in op.attributes() {
        if [NAME_ATTRIBUTE, DEVICE_ATTRIBUTE, COMPUTED_ATTRIBUTE, EAGER].contains(&name) {
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

/// The graphs that the attributes of an operation name as functions.
pub fn named_graphs<'a>(op: Op<'a>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (_, attribute) in op.attributes() {
        found.extend(symbol(attribute));
        if let Some(array) = ArrayAttribute::cast(attribute) {
            found.extend((0..array.len()).filter_map(|index| symbol(array.element(index).ok()?)));
        }
    }
    found
}
