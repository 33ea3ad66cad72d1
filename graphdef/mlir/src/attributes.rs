//! Attributes: what an MLIR attribute of a `tfx_tensor.op` means to TensorFlow.
//!
//! ```text
//! true            bool         f32                type            array<i64: 1, 2>   list(int), or a shape
//! 1 : i64         int          dense<...>         tensor          [1, -1]            list(int), or a shape
//! 0.5 : f32       float        @graph             func            unit               bool true, or a shape of unknown rank
//! "text"          string       tensor<?x2xf32>    shape           []                 an empty list
//! ```
//!
//! What an attribute is depends on what its operation wants only for `unit`, `tensor<...>` and lists of shapes; the registry checks the rest.

use melior::ir::{
    Attribute, Type,
    attribute::{
        ArrayAttribute, BoolAttribute, DenseElementsAttribute, FloatAttribute, IntegerAttribute,
        StringAttribute, TypeAttribute,
    },
};
use tfx_graphdef::{
    proto::{
        AttrValue, NameAttrList, TensorShapeProto,
        attr_value::{ListValue, Value},
        tensor_shape_proto::Dim,
    },
    resolve::{Element, Kind},
};
use tfx_ir::attribute::symbol;
use tfx_ir::cast::Cast;

use crate::{ffi, tensors, types};

/// The names of functions: from the symbol of a graph (without `@`) to what the GraphDef calls it.
pub type FunctionNames<'a> = &'a dyn Fn(&str) -> String;

/// The value of an attribute for an operation that wants a `wanted`; `None` where the operation does not know the attribute.
///
/// # Errors
///
/// In the user's words, without a place: an attribute that TensorFlow has no kind for.
pub fn attribute(
    attribute: Attribute,
    wanted: Option<Kind>,
    functions: FunctionNames,
) -> Result<AttrValue, String> {
    let wants_shape = wanted.is_some_and(|kind| kind.element == Element::Shape && !kind.list);
    let value = if let Some(shape) = wants_shape.then(|| shape(attribute)).flatten() {
        Value::Shape(shape)
    } else if let Some(list) = list(attribute, wanted, functions)? {
        Value::list(list)
    } else {
        single(attribute, wanted.map(|kind| kind.element), functions)?
    };
    Ok(AttrValue { value: Some(value) })
}

/// The elements of an attribute that is a list; `None` if it is not.
fn list(
    attribute: Attribute,
    wanted: Option<Kind>,
    functions: FunctionNames,
) -> Result<Option<ListValue>, String> {
    let mut list = ListValue::default();
    if let Some(array) = ffi::dense_array(attribute) {
        match array {
            ffi::DenseArray::Bools(bools) => list.b = bools,
            ffi::DenseArray::Ints(ints) => list.i = ints,
            ffi::DenseArray::Floats(floats) => list.f = floats,
        }
        return Ok(Some(list));
    }
    let Some(array) = ArrayAttribute::cast(attribute) else {
        return Ok(None);
    };
    let element_wanted = wanted.filter(|kind| kind.list).map(|kind| kind.element);
    for index in 0..array.len() {
        let element = array
            .element(index)
            .expect("an array attribute has its elements");
        push(&mut list, single(element, element_wanted, functions)?);
    }
    Ok(Some(list))
}

fn push(list: &mut ListValue, value: Value) {
    match value {
        Value::S(value) => list.s.push(value),
        Value::I(value) => list.i.push(value),
        Value::F(value) => list.f.push(value),
        Value::B(value) => list.b.push(value),
        Value::Type(value) => list.r#type.push(value),
        Value::Shape(value) => list.shape.push(value),
        Value::Tensor(value) => list.tensor.push(*value),
        Value::Func(value) => list.func.push(value),
        Value::List(_) | Value::Placeholder(_) => unreachable!("not a single value"),
    }
}

fn single(
    attribute: Attribute,
    wanted: Option<Element>,
    functions: FunctionNames,
) -> Result<Value, String> {
    if ffi::is_unit(attribute) {
        return match wanted {
            Some(Element::Shape) => Ok(Value::Shape(unknown_rank())),
            _ => Ok(Value::B(true)),
        };
    }
    if wanted == Some(Element::Shape)
        && let Some(shape) = shape(attribute)
    {
        return Ok(Value::Shape(shape));
    }
    // A bool is an integer of type i1 to MLIR, so it comes first.
    if let Some(bool) = BoolAttribute::cast(attribute) {
        Ok(Value::B(bool.value()))
    } else if let Some(integer) = IntegerAttribute::cast(attribute) {
        Ok(Value::I(integer_value(attribute, integer)))
    } else if let Some(float) = FloatAttribute::cast(attribute) {
        Ok(Value::F(float.value() as f32))
    } else if let Some(text) = StringAttribute::cast(attribute) {
        Ok(Value::S(ffi::string_bytes(text).to_vec()))
    } else if let Some(r#type) = TypeAttribute::cast(attribute) {
        type_value(r#type.value())
    } else if DenseElementsAttribute::cast(attribute).is_some() {
        Ok(Value::tensor(tensors::tensor(attribute)?))
    } else if let Some(symbol) = symbol(attribute) {
        Ok(Value::Func(NameAttrList {
            name: functions(symbol),
            ..Default::default()
        }))
    } else {
        Err(format!(
            "{} is nothing that TensorFlow could read; it has bools, integers, floats, strings, element types, shapes, tensors, functions \
             and lists of those",
            tensors::abbreviated(&attribute.to_string())
        ))
    }
}

fn integer_value(attribute: Attribute, integer: IntegerAttribute) -> i64 {
    let r#type = melior::ir::AttributeLike::r#type(&attribute);
    match melior::ir::r#type::IntegerType::try_from(r#type) {
        Ok(r#type) if r#type.is_signed() => integer.signed_value(),
        Ok(r#type) if r#type.is_unsigned() => integer.unsigned_value() as i64,
        _ => integer.value(),
    }
}

fn type_value(r#type: Type) -> Result<Value, String> {
    if melior::ir::TypeLike::is_tensor(&r#type) {
        return Err(format!(
            "{} is a tensor type, where an element type such as {} is wanted",
            r#type,
            types::element_type(r#type)
        ));
    }
    types::data_type(r#type)
        .map(|data_type| Value::Type(data_type as i32))
        .ok_or_else(|| format!("TensorFlow has no element type {}", r#type))
}

/// The shape that `[1, -1]`, `array<i64: 1, -1>` or `tensor<1x?xf32>` stands for; `None` for anything else.
fn shape(attribute: Attribute) -> Option<TensorShapeProto> {
    if let Some(r#type) = TypeAttribute::cast(attribute) {
        return melior::ir::TypeLike::is_tensor(&r#type.value())
            .then(|| types::shape(r#type.value()));
    }
    let sizes: Vec<i64> = match ffi::dense_array(attribute) {
        Some(ffi::DenseArray::Ints(sizes)) => sizes,
        Some(_) => return None,
        None => {
            let array = ArrayAttribute::cast(attribute)?;
            (0..array.len())
                .map(|index| {
                    let element = array.element(index).ok()?;
                    Some(integer_value(element, IntegerAttribute::cast(element)?))
                })
                .collect::<Option<_>>()?
        }
    };
    sizes
        .iter()
        .all(|&size| size >= -1)
        .then(|| TensorShapeProto {
            dim: sizes
                .into_iter()
                .map(|size| Dim {
                    size,
                    name: String::new(),
                })
                .collect(),
            unknown_rank: false,
        })
}

fn unknown_rank() -> TensorShapeProto {
    TensorShapeProto {
        unknown_rank: true,
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;
    use tfx_graphdef::{DataType, naming};

    fn read(text: &str, element: Element, is_list: bool) -> Result<Value, String> {
        let context = context();
        let parsed = Attribute::parse(&context, text).unwrap();
        let kind = Kind {
            element,
            list: is_list,
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
        let ints = Value::list(ListValue {
            i: vec![1, 2],
            ..Default::default()
        });
        assert_eq!(read("[1, 2]", Element::Int, true), Ok(ints.clone()));
        assert_eq!(read("array<i32: 1, 2>", Element::Int, true), Ok(ints));
        let types = Value::list(ListValue {
            r#type: vec![1, 10],
            ..Default::default()
        });
        assert_eq!(read("[f32, i1]", Element::Type, true), Ok(types));
        assert_eq!(
            read("[]", Element::String, true),
            Ok(Value::list(ListValue::default()))
        );
        assert_eq!(
            read("array<i1: true>", Element::Bool, true),
            Ok(Value::list(ListValue {
                b: vec![true],
                ..Default::default()
            }))
        );
    }

    #[test]
    fn what_cannot_be_is_said() {
        assert_eq!(
            read("i7", Element::Type, false).unwrap_err(),
            "TensorFlow has no element type i7"
        );
        assert!(
            read("{a = 1}", Element::Int, false)
                .unwrap_err()
                .starts_with("{a = 1 : i64} is nothing that TensorFlow could read")
        );
        assert_eq!(
            read("tensor<2xf32>", Element::Type, false).unwrap_err(),
            "tensor<2xf32> is a tensor type, where an element type such as f32 is wanted"
        );
    }
}
