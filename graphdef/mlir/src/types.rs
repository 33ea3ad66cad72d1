//! Types: what TensorFlow calls an MLIR type.
//!
//! ```text
//! tensor<?x2xf32>   DT_FLOAT   [-1, 2]
//! tensor<*xi1>      DT_BOOL    unknown rank
//! index             DT_INT64   []              a scalar is a tensor of rank 0
//! ```

use melior::ir::{
    Type, TypeLike,
    r#type::{DimSize, RankedTensorType, ShapedTypeLike},
};
use tfx_graphdef::{
    DataType, element,
    proto::{TensorShapeProto, tensor_shape_proto::Dim},
};

/// The size that TensorFlow writes for one that is not known.
const UNKNOWN_SIZE: i64 = -1;

/// The data type of a tensor, or of a scalar; `None` where TensorFlow has none.
pub fn data_type(r#type: Type) -> Option<DataType> {
    element::from_mlir(&element_type(r#type).to_string())
}

/// The element type of a tensor; a scalar as it is.
pub fn element_type(r#type: Type) -> Type {
    match Shaped::of(r#type) {
        Some(shaped) => shaped.element(),
        None => r#type,
    }
}

/// The shape of a tensor, as far as its type says; a scalar has rank 0.
pub fn shape(r#type: Type) -> TensorShapeProto {
    let Some(sizes) = sizes(r#type) else {
        return TensorShapeProto {
            unknown_rank: true,
            ..Default::default()
        };
    };
    let dim = sizes
        .into_iter()
        .map(|size| Dim {
            size: size.map_or(UNKNOWN_SIZE, |size| size as i64),
            name: String::new(),
        })
        .collect();
    TensorShapeProto {
        dim,
        unknown_rank: false,
    }
}

/// The sizes of a tensor, each `None` where it is not known; `None` where not even the rank is. A scalar has none.
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

/// The tensor of rank 0 that holds a scalar; a tensor as it is.
pub fn tensor_type<'c>(context: &'c melior::Context, r#type: Type<'c>) -> Type<'c> {
    if r#type.is_tensor() {
        return r#type;
    }
    let element = if r#type.is_index() {
        melior::ir::r#type::IntegerType::new(context, INDEX_BITS).into()
    } else {
        r#type
    };
    RankedTensorType::new(&[], element, None).into()
}

/// The tensor of some sizes (`None` for unknown rank) and element type.
///
/// # Panics
///
/// If no tensor has such elements.
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

/// A tensor type with other elements.
pub fn with_element<'c>(
    context: &'c melior::Context,
    tensor: Type<'c>,
    element: Type<'c>,
) -> Type<'c> {
    tensor_of(context, sizes(tensor).as_deref(), element)
}

/// How wide an `index` is, on the host and in the graph.
pub const INDEX_BITS: u32 = 64;

/// The width of an integer in bits, `index` included; `None` for any other type.
pub fn width(r#type: Type) -> Option<u32> {
    if r#type.is_index() {
        return Some(INDEX_BITS);
    }
    melior::ir::r#type::IntegerType::try_from(r#type)
        .ok()
        .map(|integer| integer.width())
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
    fn types_are_tensorflows() {
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
        let sizes: Vec<_> = shape("tensor<?x2xf32>")
            .dim
            .iter()
            .map(|dim| dim.size)
            .collect();
        assert_eq!(sizes, [-1, 2]);
        assert!(shape("tensor<*xf32>").unknown_rank);
        assert!(!shape("f32").unknown_rank);
    }
}
