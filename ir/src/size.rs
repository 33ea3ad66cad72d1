//! Sizes of values in bytes, as far as the type determines them.

use crate::cast::Cast;
use melior::ir::r#type::{DimSize, IntegerType, RankedTensorType};
use melior::ir::{ShapedTypeLike, Type, TypeLike};

/// The size of a scalar, or of a tensor with one element in each dynamic dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// The product of the static dimensions and the size of an element.
    pub bytes: u64,
    /// The dynamic dimensions.
    pub unknown_dimensions: Vec<usize>,
}

impl Size {
    /// Returns the size of a value of a type; none if an element has no fixed size or the rank is
    /// unknown.
    pub fn of(ty: Type<'_>) -> Option<Size> {
        let mut unknown_dimensions = Vec::new();
        // Checked first, since a conversion that fails prints the type into its error.
        if !ty.is_ranked_tensor() {
            return Some(Size {
                bytes: scalar_bytes(ty)?,
                unknown_dimensions,
            });
        }
        let tensor = RankedTensorType::try_from(ty).ok()?;
        let mut bytes = scalar_bytes(tensor.element())?;
        for index in 0..tensor.rank() {
            match tensor.dim_size(index).ok()? {
                DimSize::Static(size) => bytes = bytes.checked_mul(size)?,
                DimSize::Dynamic => unknown_dimensions.push(index),
            }
        }
        Some(Size {
            bytes,
            unknown_dimensions,
        })
    }
}

fn scalar_bytes(ty: Type<'_>) -> Option<u64> {
    /// `index` is an integer of 64 bits in a graph.
    const INDEX_BYTES: u64 = 8;
    if ty.is_index() {
        return Some(INDEX_BYTES);
    }
    let bits = if ty.is_integer() {
        u64::from(IntegerType::cast(ty)?.width())
    } else if ty.is_float() {
        u64::from(ty.float_width())
    } else {
        return None;
    };
    Some(bits.div_ceil(8))
}
