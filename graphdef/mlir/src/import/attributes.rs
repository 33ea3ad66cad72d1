//! MLIR attributes for the attributes of nodes, the inverse of `crate::attributes`.

use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, BoolAttribute, FlatSymbolRefAttribute, FloatAttribute, IntegerAttribute,
    TypeAttribute,
};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type};
use tfx_graphdef::element;
use tfx_graphdef::proto::attr_value::Value;
use tfx_graphdef::proto::{AttrValue, NameAttrList, TensorShapeProto};
use tfx_ir::attribute::bytes;

use super::tensors::{constant, element_type};
use crate::error::ConversionError;

/// The width of TensorFlow's integer attributes.
const INTEGER_BITS: u32 = 64;

/// Converts the value of an attribute.
///
/// # Errors
///
/// The value has no counterpart in MLIR.
pub(super) fn attribute<'c>(
    context: &'c Context,
    value: &AttrValue,
) -> Result<Attribute<'c>, ConversionError> {
    match &value.value {
        Some(Value::List(list)) => {
            let elements = list.values().map(|value| single(context, &value));
            let elements = elements.collect::<Result<Vec<_>, _>>()?;
            Ok(ArrayAttribute::new(context, &elements).into())
        }
        Some(value) => single(context, value),
        None => Err(ConversionError::NoValue),
    }
}

fn single<'c>(context: &'c Context, value: &Value) -> Result<Attribute<'c>, ConversionError> {
    Ok(match value {
        Value::S(text) => bytes(context, text),
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
            return Err(ConversionError::Placeholder(name.clone()));
        }
        Value::List(_) => unreachable!("not a single value"),
    })
}

fn integer(context: &Context, number: i64) -> Attribute<'_> {
    IntegerAttribute::new(IntegerType::new(context, INTEGER_BITS).into(), number).into()
}

/// Returns `[1, -1]`, or `unit` for a shape of unknown rank.
fn sizes<'c>(context: &'c Context, shape: &TensorShapeProto) -> Attribute<'c> {
    if shape.unknown_rank {
        return Attribute::unit(context);
    }
    let sizes = shape.dim.iter().map(|dim| integer(context, dim.size));
    ArrayAttribute::new(context, &sizes.collect::<Vec<_>>()).into()
}

fn named_function<'c>(
    context: &'c Context,
    function: &NameAttrList,
) -> Result<Attribute<'c>, ConversionError> {
    match function.attr.keys().find(|name| !name.starts_with('_')) {
        None => Ok(FlatSymbolRefAttribute::new(context, &function.name).into()),
        Some(parameter) => Err(ConversionError::Argument {
            function: function.name.clone(),
            parameter: parameter.clone(),
        }),
    }
}
