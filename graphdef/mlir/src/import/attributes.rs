//! Attributes of nodes as MLIR's: `crate::attributes` the other way round.

use melior::Context;
use melior::ir::Attribute;
use melior::ir::Type;
use melior::ir::attribute::{
    ArrayAttribute, BoolAttribute, FloatAttribute, IntegerAttribute, TypeAttribute,
};
use melior::ir::r#type::IntegerType;
use tfx_graphdef::element;
use tfx_graphdef::proto::attr_value::{ListValue, Value};
use tfx_graphdef::proto::{AttrValue, NameAttrList, TensorShapeProto};

use super::function::{element_type, symbol};
use super::tensors::constant;
use crate::ffi;

/// TensorFlow's integers have 64 bits.
const INTEGER_BITS: u32 = 64;

/// The attribute that stands for a value.
///
/// # Errors
///
/// In the user's words, without a place.
pub(super) fn attribute<'c>(
    context: &'c Context,
    value: &AttrValue,
) -> Result<Attribute<'c>, String> {
    match &value.value {
        Some(Value::List(list)) => array(context, list),
        Some(single) => one(context, single),
        None => Err("it has no value".to_owned()),
    }
}

fn one<'c>(context: &'c Context, value: &Value) -> Result<Attribute<'c>, String> {
    Ok(match value {
        Value::S(bytes) => ffi::string_attribute(context, bytes),
        Value::I(number) => integer(context, *number),
        Value::F(number) => {
            FloatAttribute::new(context, Type::float32(context), f64::from(*number)).into()
        }
        Value::B(truth) => BoolAttribute::new(context, *truth).into(),
        Value::Type(number) => {
            TypeAttribute::new(element_type(context, element::from_number(*number))?).into()
        }
        Value::Shape(shape) => sizes(context, shape),
        Value::Tensor(tensor) => constant(context, tensor)?.0,
        Value::Func(function) => named_function(context, function)?,
        Value::Placeholder(name) => {
            return Err(format!(
                "it is the parameter '{name}' of the function; only functions of fixed attributes can be imported"
            ));
        }
        Value::List(_) => unreachable!("a list has no lists"),
    })
}

/// A list has one kind of values.
fn array<'c>(context: &'c Context, list: &ListValue) -> Result<Attribute<'c>, String> {
    let values = list.s.iter().cloned().map(Value::S);
    let values = values.chain(list.i.iter().copied().map(Value::I));
    let values = values.chain(list.f.iter().copied().map(Value::F));
    let values = values.chain(list.b.iter().copied().map(Value::B));
    let values = values.chain(list.r#type.iter().copied().map(Value::Type));
    let values = values.chain(list.shape.iter().cloned().map(Value::Shape));
    let values = values.chain(list.tensor.iter().cloned().map(Value::tensor));
    let values = values.chain(list.func.iter().cloned().map(Value::Func));
    let elements = values
        .map(|value| one(context, &value))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(ArrayAttribute::new(context, &elements).into())
}

fn integer(context: &Context, number: i64) -> Attribute<'_> {
    IntegerAttribute::new(IntegerType::new(context, INTEGER_BITS).into(), number).into()
}

/// `[1, -1]`, or `unit` for a shape of unknown rank.
fn sizes<'c>(context: &'c Context, shape: &TensorShapeProto) -> Attribute<'c> {
    if shape.unknown_rank {
        return Attribute::unit(context);
    }
    let sizes: Vec<_> = shape
        .dim
        .iter()
        .map(|dim| integer(context, dim.size))
        .collect();
    ArrayAttribute::new(context, &sizes).into()
}

fn named_function<'c>(
    context: &'c Context,
    function: &NameAttrList,
) -> Result<Attribute<'c>, String> {
    match function.attr.keys().find(|name| !name.starts_with('_')) {
        None => Ok(symbol(context, &function.name)),
        Some(name) => Err(format!(
            "function '{}' is given a value for its parameter '{name}'; only functions of fixed attributes can be imported",
            function.name
        )),
    }
}
