//! Attributes: TensorFlow's values for the MLIR attributes of a `tfx_tensor.op`.
//!
//! ```text
//! true            bool         f32                type            array<i64: 1, 2>   list(int), or a shape
//! 1 : i64         int          dense<...>         tensor          [1, -1]            list(int), or a shape
//! 0.5 : f32       float        @graph             func            unit               bool true, or a shape of unknown rank
//! "text"          string       tensor<?x2xf32>    shape           []                 an empty list
//! ```
//!
//! The kind that the operation expects decides only about `unit`, `tensor<...>` and lists of
//! shapes. The registry checks the rest.

use melior::ir::{
    Attribute, AttributeLike, Type, TypeLike,
    attribute::{
        ArrayAttribute, BoolAttribute, DenseElementsAttribute, FloatAttribute, IntegerAttribute,
        StringAttribute, TypeAttribute,
    },
    r#type::IntegerType,
};
use tfx_graphdef::{
    proto::{
        AttrValue, TensorShapeProto,
        attr_value::{ListValue, Value},
    },
    resolve::{Element, Kind},
};
use tfx_ir::attribute::symbol;
use tfx_ir::cast::Cast;

use crate::{error::ConversionError, ffi, node, tensors, types};

/// Maps the symbol of a graph (without `@`) to its name in the GraphDef.
pub type FunctionNames<'a> = &'a dyn Fn(&str) -> String;

/// Converts an attribute for an operation that expects the kind `expected`, `None` if the operation
/// has no such attribute.
///
/// # Errors
///
/// TensorFlow has no such kind of attributes.
pub fn attribute(
    attribute: Attribute,
    expected: Option<Kind>,
    functions: FunctionNames,
) -> Result<AttrValue, ConversionError> {
    if expected == Some(Kind::single(Element::Shape))
        && let Some(shape) = shape(attribute)
    {
        return Ok(Value::Shape(shape).into());
    }
    Ok(match list(attribute, expected, functions)? {
        Some(list) => Value::list(list).into(),
        None => single(attribute, expected.map(|kind| kind.element), functions)?.into(),
    })
}

/// Converts the elements of a list; `None` if the attribute is not a list.
fn list(
    attribute: Attribute,
    expected: Option<Kind>,
    functions: FunctionNames,
) -> Result<Option<ListValue>, ConversionError> {
    if let Some(array) = ffi::dense_array(attribute) {
        return Ok(Some(array));
    }
    let Some(array) = ArrayAttribute::cast(attribute) else {
        return Ok(None);
    };
    let expected = expected.filter(|kind| kind.list).map(|kind| kind.element);
    let elements = array_elements(array).map(|element| single(element, expected, functions));
    elements.collect::<Result<_, _>>().map(Some)
}

/// Returns the elements of an array attribute.
pub(crate) fn array_elements<'c>(array: ArrayAttribute<'c>) -> impl Iterator<Item = Attribute<'c>> {
    (0..array.len()).filter_map(move |index| array.element(index).ok())
}

fn single(
    attribute: Attribute,
    expected: Option<Element>,
    functions: FunctionNames,
) -> Result<Value, ConversionError> {
    if ffi::is_unit(attribute) {
        return Ok(match expected {
            Some(Element::Shape) => Value::Shape(TensorShapeProto::unknown()),
            _ => Value::B(true),
        });
    }
    if expected == Some(Element::Shape)
        && let Some(shape) = shape(attribute)
    {
        return Ok(Value::Shape(shape));
    }
    // In MLIR, a bool is also an integer of type i1.
    if let Some(bool) = BoolAttribute::cast(attribute) {
        Ok(Value::B(bool.value()))
    } else if let Some(integer) = integer(attribute) {
        Ok(Value::I(integer))
    } else if let Some(float) = FloatAttribute::cast(attribute) {
        Ok(Value::F(float.value() as f32))
    } else if let Some(text) = StringAttribute::cast(attribute) {
        Ok(Value::S(ffi::string_bytes(text).to_vec()))
    } else if let Some(r#type) = TypeAttribute::cast(attribute) {
        type_value(r#type.value())
    } else if DenseElementsAttribute::cast(attribute).is_some() {
        Ok(Value::tensor(tensors::tensor(attribute)?))
    } else if let Some(symbol) = symbol(attribute) {
        Ok(node::named_function(functions(symbol)))
    } else {
        let text = tensors::abbreviated(&attribute.to_string());
        Err(ConversionError::Attribute(text))
    }
}

fn integer(attribute: Attribute) -> Option<i64> {
    let integer = IntegerAttribute::cast(attribute)?;
    Some(match IntegerType::try_from(attribute.r#type()) {
        Ok(r#type) if r#type.is_signed() => integer.signed_value(),
        Ok(r#type) if r#type.is_unsigned() => integer.unsigned_value() as i64,
        _ => integer.value(),
    })
}

fn type_value(r#type: Type) -> Result<Value, ConversionError> {
    if r#type.is_tensor() {
        return Err(ConversionError::TensorType {
            tensor: r#type.to_string(),
            element: types::element_type(r#type).to_string(),
        });
    }
    Ok(Value::Type(types::expect_data_type(r#type)? as i32))
}

/// Returns the shape that `[1, -1]`, `array<i64: 1, -1>` or `tensor<1x?xf32>` denotes; `None` for
/// any other attribute.
fn shape(attribute: Attribute) -> Option<TensorShapeProto> {
    if let Some(r#type) = TypeAttribute::cast(attribute).map(|attribute| attribute.value()) {
        return r#type.is_tensor().then(|| types::shape(r#type));
    }
    let sizes: Vec<i64> = match ffi::dense_array(attribute) {
        Some(list) if list.b.is_empty() && list.f.is_empty() => list.i,
        Some(_) => return None,
        None => array_elements(ArrayAttribute::cast(attribute)?)
            .map(integer)
            .collect::<Option<_>>()?,
    };
    (sizes.iter().all(|&size| size >= -1)).then(|| sizes.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;
    use tfx_graphdef::{DataType, naming};

    fn read(text: &str, element: Element, is_list: bool) -> Result<Value, ConversionError> {
        let context = context();
        let parsed = Attribute::parse(&context, text).unwrap();
        let kind = Kind {
            list: is_list,
            ..Kind::single(element)
        };
        let value = attribute(parsed, Some(kind), &naming::program_name)?;
        Ok(value.value.unwrap())
    }

    fn sizes(shape: &TensorShapeProto) -> Vec<i64> {
        shape.dim.iter().map(|dim| dim.size).collect()
    }

    #[test]
    fn single_values() {
        assert_eq!(read("true", Element::Bool, false), Ok(Value::B(true)));
        assert_eq!(read("unit", Element::Bool, false), Ok(Value::B(true)));
        assert_eq!(read("-3 : i64", Element::Int, false), Ok(Value::I(-3)));
        assert_eq!(read("200 : ui8", Element::Int, false), Ok(Value::I(200)));
        assert_eq!(read("-3 : si8", Element::Int, false), Ok(Value::I(-3)));
        assert_eq!(read("0.5 : f64", Element::Float, false), Ok(Value::F(0.5)));
        assert_eq!(
            read(r#""a\FF""#, Element::String, false),
            Ok(Value::S(b"a\xFF".to_vec()))
        );
        assert_eq!(
            read("i32", Element::Type, false),
            Ok(Value::Type(DataType::DtInt32 as i32))
        );
        let Ok(Value::Func(function)) = read("@f.g", Element::Function, false) else {
            panic!("a symbol is a function");
        };
        assert_eq!(function.name, "f_g");
        assert!(matches!(
            read("dense<1> : tensor<2xi32>", Element::Tensor, false),
            Ok(Value::Tensor(_))
        ));
    }

    #[test]
    fn shapes_have_several_spellings() {
        for text in ["[1, -1]", "array<i64: 1, -1>", "tensor<1x?xf32>"] {
            let Ok(Value::Shape(shape)) = read(text, Element::Shape, false) else {
                panic!("{text} is a shape");
            };
            assert_eq!(sizes(&shape), [1, -1]);
        }
        let Ok(Value::Shape(shape)) = read("unit", Element::Shape, false) else {
            panic!("unit is a shape");
        };
        assert!(shape.unknown_rank);
        let Ok(Value::List(list)) = read("[[1], unit, []]", Element::Shape, true) else {
            panic!("a list of shapes");
        };
        assert_eq!(
            list.shape
                .iter()
                .map(|shape| (sizes(shape), shape.unknown_rank))
                .collect::<Vec<_>>(),
            [(vec![1], false), (vec![], true), (vec![], false)]
        );
    }

    #[test]
    fn lists() {
        let list = |values: &[Value]| Value::list(values.iter().cloned().collect());
        let ints = list(&[Value::I(1), Value::I(2)]);
        assert_eq!(read("[1, 2]", Element::Int, true), Ok(ints.clone()));
        assert_eq!(read("array<i32: 1, 2>", Element::Int, true), Ok(ints));
        let types = list(&[Value::Type(1), Value::Type(10)]);
        assert_eq!(read("[f32, i1]", Element::Type, true), Ok(types));
        assert_eq!(read("[]", Element::String, true), Ok(list(&[])));
        let bools = Ok(list(&[Value::B(true)]));
        assert_eq!(read("array<i1: true>", Element::Bool, true), bools);
    }

    #[test]
    fn other_attributes_are_errors() {
        let message = |text, element| read(text, element, false).unwrap_err().to_string();
        assert_eq!(
            message("i7", Element::Type),
            "TensorFlow has no element type i7"
        );
        let dictionary = "TensorFlow has no attribute of the form {a = 1 : i64}; ";
        assert!(message("{a = 1}", Element::Int).starts_with(dictionary));
        assert_eq!(
            message("tensor<2xf32>", Element::Type),
            "tensor<2xf32> is a tensor type; write an element type such as f32"
        );
    }
}
