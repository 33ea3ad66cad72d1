//! TensorFlow's data type and shape of an MLIR type.
//!
//! ```text
//! tensor<?x2xf32>   DT_FLOAT   [-1, 2]
//! tensor<*xi1>      DT_BOOL    unknown rank
//! index             DT_INT64   []              a scalar is a tensor of rank 0
//! ```

use melior::ir::{
    Type, TypeLike,
    r#type::{DimSize, IntegerType, RankedTensorType, ShapedTypeLike},
};
use tfx_dialects::derivatives::tape_element;
use tfx_graphdef::{DataType, element, proto::TensorShapeProto};
use tfx_ir::cast::Cast;

use crate::error::ConversionError;

/// TensorFlow's number for an unknown size.
const UNKNOWN_SIZE: i64 = -1;

/// Returns the data type of a tensor or of a scalar; `None` if TensorFlow has none.
pub fn data_type(r#type: Type) -> Option<DataType> {
    let element = element_type(r#type);
    if element.is_index() {
        return Some(DataType::DtInt64);
    }
    if let Some(integer) = IntegerType::cast(element) {
        return integer_type(integer);
    }
    FLOATS
        .iter()
        .find(|(is, _)| is(&element))
        .map(|(_, data_type)| *data_type)
        // The other types are rare, and this runs once for each kind of operation: complex numbers,
        // strings, resources.
        .or_else(|| element::from_mlir(&element.to_string()))
}

/// Returns the data type of a tensor or of a scalar.
///
/// # Errors
///
/// TensorFlow has none.
pub(crate) fn expect_data_type(r#type: Type) -> Result<DataType, ConversionError> {
    let element = || element_type(r#type).to_string();
    data_type(r#type).ok_or_else(|| ConversionError::ElementType(element()))
}

/// Returns the data type of a signed, unsigned or signless integer of MLIR.
fn integer_type(integer: IntegerType) -> Option<DataType> {
    let is_unsigned = integer.is_unsigned();
    Some(match (integer.width(), is_unsigned) {
        _ if integer.is_signed() => return None,
        (1, false) => DataType::DtBool,
        (2, false) => DataType::DtInt2,
        (4, false) => DataType::DtInt4,
        (8, false) => DataType::DtInt8,
        (16, false) => DataType::DtInt16,
        (32, false) => DataType::DtInt32,
        (64, false) => DataType::DtInt64,
        (2, true) => DataType::DtUint2,
        (4, true) => DataType::DtUint4,
        (8, true) => DataType::DtUint8,
        (16, true) => DataType::DtUint16,
        (32, true) => DataType::DtUint32,
        (64, true) => DataType::DtUint64,
        _ => return None,
    })
}

/// A predicate on types.
type IsType = fn(&Type<'_>) -> bool;

/// The most frequent floats.
const FLOATS: [(IsType, DataType); 4] = [
    (|ty| ty.is_f32(), DataType::DtFloat),
    (|ty| ty.is_f64(), DataType::DtDouble),
    (|ty| ty.is_f16(), DataType::DtHalf),
    (|ty| ty.is_bf16(), DataType::DtBfloat16),
];

/// Returns the element type of a tensor, and a scalar type unchanged.
pub fn element_type(r#type: Type) -> Type {
    Shaped::of(r#type).map_or(r#type, |shaped| shaped.element())
}

/// Returns the shape of a tensor, as far as its type determines it; a scalar has rank 0.
pub fn shape(r#type: Type) -> TensorShapeProto {
    let Some(sizes) = sizes(r#type) else {
        return TensorShapeProto::unknown();
    };
    let size = |size: Option<u64>| size.map_or(UNKNOWN_SIZE, |size| size as i64);
    sizes.into_iter().map(size).collect()
}

/// Returns the sizes of a tensor, each `None` if it is unknown; `None` if the rank is unknown. A
/// scalar has none.
pub fn sizes(r#type: Type) -> Option<Vec<Option<u64>>> {
    let Some(shaped) = Shaped::of(r#type) else {
        return Some(Vec::new());
    };
    if !shaped.has_rank() {
        return None;
    }
    let size = |index| match shaped.dim_size(index).expect("the index is below the rank") {
        DimSize::Static(size) => Some(size),
        DimSize::Dynamic => None,
    };
    Some((0..shaped.rank()).map(size).collect())
}

/// Returns the number of elements of a tensor or scalar; none if it is unknown.
pub fn elements(r#type: Type) -> Option<u64> {
    let mut sizes = sizes(r#type)?.into_iter();
    sizes.try_fold(1u64, |count, size| count.checked_mul(size?))
}

/// The element type of tensors of other objects, such as lists.
const VARIANT: &str = "!tfx_tensor.variant";

/// Returns the tensor type of rank 0 for a scalar, a variant for a tape, and a tensor type
/// unchanged.
pub fn tensor_type<'c>(context: &'c melior::Context, r#type: Type<'c>) -> Type<'c> {
    if r#type.is_tensor() {
        return r#type;
    }
    let element = if r#type.is_index() {
        IntegerType::new(context, INDEX_BITS).into()
    } else if tape_element(r#type).is_some() {
        Type::parse(context, VARIANT).expect("the dialect of tensors is loaded")
    } else {
        r#type
    };
    RankedTensorType::new(&[], element, None).into()
}

/// Returns the tensor type of some sizes (`None` for unknown rank) and an element type.
///
/// # Panics
///
/// There is no tensor of such elements.
pub fn tensor_of<'c>(
    context: &'c melior::Context,
    sizes: Option<&[Option<u64>]>,
    element: Type,
) -> Type<'c> {
    let sizes = match sizes {
        None => "*x".to_owned(),
        Some(sizes) => sizes
            .iter()
            .map(|size| size.map_or("?x".to_owned(), |size| format!("{size}x")))
            .collect(),
    };
    Type::parse(context, &format!("tensor<{sizes}{element}>"))
        .expect("the element type is one of tensors")
}

/// Returns a tensor type with other elements.
pub fn with_element<'c>(
    context: &'c melior::Context,
    tensor: Type<'c>,
    element: Type<'c>,
) -> Type<'c> {
    tensor_of(context, sizes(tensor).as_deref(), element)
}

/// The width of an `index`, on the host and in the graph.
pub const INDEX_BITS: u32 = 64;

/// Returns the width of an integer in bits, `index` included; `None` for any other type.
pub fn width(r#type: Type) -> Option<u32> {
    if r#type.is_index() {
        return Some(INDEX_BITS);
    }
    IntegerType::cast(r#type).map(|integer| integer.width())
}

/// A tensor type, ranked or not.
#[derive(Clone, Copy)]
struct Shaped<'c>(Type<'c>);

impl<'c> Shaped<'c> {
    fn of(r#type: Type<'c>) -> Option<Self> {
        r#type.is_tensor().then_some(Self(r#type))
    }
}

impl<'c> TypeLike<'c> for Shaped<'c> {
    fn to_raw(&self) -> mlir_sys::MlirType {
        self.0.to_raw()
    }
}

impl<'c> ShapedTypeLike<'c> for Shaped<'c> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    #[test]
    fn types_are_converted() {
        let context = context();
        let parse = |text| Type::parse(&context, text).unwrap();
        for (text, expected, sizes_expected) in [
            ("f32", DataType::DtFloat, Some(vec![])),
            ("index", DataType::DtInt64, Some(vec![])),
            ("tensor<i1>", DataType::DtBool, Some(vec![])),
            (
                "tensor<?x2xbf16>",
                DataType::DtBfloat16,
                Some(vec![None, Some(2)]),
            ),
            ("tensor<*xcomplex<f64>>", DataType::DtComplex128, None),
            (
                "tensor<3x!tfx_tensor.string>",
                DataType::DtString,
                Some(vec![Some(3)]),
            ),
        ] {
            assert_eq!(data_type(parse(text)), Some(expected), "{text}");
            assert_eq!(sizes(parse(text)), sizes_expected, "{text}");
        }
        assert_eq!(data_type(parse("i7")), None);
        assert_eq!(data_type(parse("tensor<2xi128>")), None);
    }

    #[test]
    fn every_element_type_has_its_name() {
        let context = context();
        let signed = ["si1", "si8", "si32", "si64", "ui1", "i128"];
        for name in element::mlir_names().chain(signed) {
            let parsed = Type::parse(&context, name).unwrap();
            assert_eq!(data_type(parsed), element::from_mlir(name), "{name}");
        }
    }

    #[test]
    fn scalars_are_tensors_of_rank_0() {
        let context = context();
        let parse = |text| Type::parse(&context, text).unwrap();
        for (scalar, tensor) in [
            ("i1", "tensor<i1>"),
            ("index", "tensor<i64>"),
            ("tensor<?xf32>", "tensor<?xf32>"),
        ] {
            assert_eq!(tensor_type(&context, parse(scalar)), parse(tensor));
        }
    }

    #[test]
    fn unknown_sizes_and_ranks_stay_unknown() {
        let context = context();
        let shape = |text| shape(Type::parse(&context, text).unwrap());
        assert_eq!(shape("tensor<?x2xf32>"), [-1, 2].into_iter().collect());
        assert!(shape("tensor<*xf32>").unknown_rank);
        assert!(!shape("f32").unknown_rank);
    }
}
