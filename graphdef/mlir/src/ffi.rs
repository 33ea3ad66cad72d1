//! What melior's attributes do not give: the bytes of constants. All `unsafe` of the crate is here.
//!
//! Contract: an attribute lives as long as its context `'c`, and so does the storage that it points to; MLIR never changes it.

use std::slice;

use melior::ir::{Attribute, AttributeLike, attribute::DenseElementsAttribute};
use mlir_sys::{
    MlirStringRef, mlirAttributeIsADenseBoolArray, mlirAttributeIsADenseF32Array,
    mlirAttributeIsADenseF64Array, mlirAttributeIsADenseI8Array, mlirAttributeIsADenseI16Array,
    mlirAttributeIsADenseI32Array, mlirAttributeIsADenseI64Array, mlirAttributeIsAUnit,
    mlirDenseArrayGetNumElements, mlirDenseBoolArrayGetElement,
    mlirDenseElementsAttrGetStringValue, mlirDenseF32ArrayGetElement, mlirDenseF64ArrayGetElement,
    mlirDenseI8ArrayGetElement, mlirDenseI16ArrayGetElement, mlirDenseI32ArrayGetElement,
    mlirDenseI64ArrayGetElement, mlirStringAttrGetValue,
};

/// The elements of an `array<...>` attribute.
pub(crate) enum DenseArray {
    Bools(Vec<bool>),
    Ints(Vec<i64>),
    Floats(Vec<f32>),
}

/// The stored elements of a dense attribute: one if it is a splat. `element_size` is in bytes.
///
/// Not for `i1`, which MLIR may pack, and not for strings.
pub(crate) fn stored_bytes<'c>(
    attribute: DenseElementsAttribute<'c>,
    element_size: usize,
) -> &'c [u8] {
    let count = if attribute.is_splat() {
        1
    } else {
        attribute.len()
    };
    let data = attribute.raw_data();
    if count == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: MLIR stores `count` elements, each in whole bytes, without padding; the storage lives in the context.
    unsafe { slice::from_raw_parts(data.cast(), count * element_size) }
}

/// A string of a dense attribute of strings, which may hold any bytes.
///
/// # Panics
///
/// If the index is not below the number of stored strings.
pub(crate) fn string_element<'c>(attribute: DenseElementsAttribute<'c>, index: usize) -> &'c [u8] {
    assert!(
        index < attribute.len(),
        "a string attribute is read within its bounds"
    );
    // SAFETY: the index is in bounds.
    bytes(unsafe { mlirDenseElementsAttrGetStringValue(attribute.to_raw(), index as isize) })
}

/// The bytes of a string attribute, which need not be UTF-8.
pub(crate) fn string_bytes<'c>(attribute: melior::ir::attribute::StringAttribute<'c>) -> &'c [u8] {
    // SAFETY: it is a string attribute.
    bytes(unsafe { mlirStringAttrGetValue(attribute.to_raw()) })
}

fn bytes<'c>(text: MlirStringRef) -> &'c [u8] {
    if text.length == 0 {
        return &[];
    }
    // SAFETY: MLIR gives a valid pointer and length into storage of the context.
    unsafe { slice::from_raw_parts(text.data.cast(), text.length) }
}

pub(crate) fn is_unit(attribute: Attribute) -> bool {
    // SAFETY: the attribute is not null.
    unsafe { mlirAttributeIsAUnit(attribute.to_raw()) }
}

/// The elements of `array<...>`; `None` for any other attribute.
pub(crate) fn dense_array(attribute: Attribute) -> Option<DenseArray> {
    let raw = attribute.to_raw();
    macro_rules! read {
        ($is:ident, $get:ident, $kind:ident, $element:ty) => {
            // SAFETY: the attribute is not null; its elements are read only if it is of that kind, and within its bounds.
            unsafe {
                if $is(raw) {
                    let elements = (0..mlirDenseArrayGetNumElements(raw))
                        .map(|index| <$element>::from($get(raw, index)));
                    return Some(DenseArray::$kind(elements.collect()));
                }
            }
        };
    }
    read!(
        mlirAttributeIsADenseBoolArray,
        mlirDenseBoolArrayGetElement,
        Bools,
        bool
    );
    read!(
        mlirAttributeIsADenseI8Array,
        mlirDenseI8ArrayGetElement,
        Ints,
        i64
    );
    read!(
        mlirAttributeIsADenseI16Array,
        mlirDenseI16ArrayGetElement,
        Ints,
        i64
    );
    read!(
        mlirAttributeIsADenseI32Array,
        mlirDenseI32ArrayGetElement,
        Ints,
        i64
    );
    read!(
        mlirAttributeIsADenseI64Array,
        mlirDenseI64ArrayGetElement,
        Ints,
        i64
    );
    read!(
        mlirAttributeIsADenseF32Array,
        mlirDenseF32ArrayGetElement,
        Floats,
        f32
    );
    // SAFETY: as above.
    unsafe {
        mlirAttributeIsADenseF64Array(raw).then(|| {
            let elements = (0..mlirDenseArrayGetNumElements(raw))
                .map(|index| mlirDenseF64ArrayGetElement(raw, index) as f32);
            DenseArray::Floats(elements.collect())
        })
    }
}
