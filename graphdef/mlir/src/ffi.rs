//! What melior's attributes do not give: the bytes of constants, read and made. All `unsafe` of the crate is here.
//!
//! Contract: an attribute lives as long as its context `'c`, and so does the storage that it points to; MLIR never changes it.

use std::slice;

use melior::{
    Context,
    ir::{Attribute, AttributeLike, Type, TypeLike, attribute::DenseElementsAttribute},
};
use mlir_sys::{
    MlirStringRef, mlirAttributeIsADenseBoolArray, mlirAttributeIsADenseF32Array,
    mlirAttributeIsADenseF64Array, mlirAttributeIsADenseI8Array, mlirAttributeIsADenseI16Array,
    mlirAttributeIsADenseI32Array, mlirAttributeIsADenseI64Array, mlirAttributeIsAUnit,
    mlirDenseArrayGetNumElements, mlirDenseBoolArrayGetElement, mlirDenseElementsAttrBoolGet,
    mlirDenseElementsAttrGetStringValue, mlirDenseElementsAttrRawBufferGet,
    mlirDenseElementsAttrStringGet, mlirDenseF32ArrayGetElement, mlirDenseF64ArrayGetElement,
    mlirDenseI8ArrayGetElement, mlirDenseI16ArrayGetElement, mlirDenseI32ArrayGetElement,
    mlirDenseI64ArrayGetElement, mlirStringAttrGet, mlirStringAttrGetValue,
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

/// A string attribute of any bytes.
pub(crate) fn string_attribute<'c>(context: &'c Context, bytes: &[u8]) -> Attribute<'c> {
    // SAFETY: MLIR copies the bytes into the context.
    unsafe { Attribute::from_raw(mlirStringAttrGet(context.to_raw(), string_ref(bytes))) }
}

/// A dense attribute of the bytes of all elements of a type, or of one that stands for all.
///
/// Not for `i1` and not for strings.
///
/// # Panics
///
/// If there are too many or too few bytes.
pub(crate) fn elements<'c>(ty: Type<'c>, bytes: &[u8]) -> Attribute<'c> {
    // SAFETY: the type is a shaped type; MLIR checks the number of bytes, and copies them into the context.
    let raw = unsafe {
        mlirDenseElementsAttrRawBufferGet(ty.to_raw(), bytes.len(), bytes.as_ptr().cast())
    };
    assert!(
        !raw.ptr.is_null(),
        "{} bytes are no elements of {ty}",
        bytes.len()
    );
    // SAFETY: it is not null, and lives as long as the context of its type.
    unsafe { Attribute::from_raw(raw) }
}

/// A dense attribute of booleans, one for each element of the type.
pub(crate) fn bool_elements<'c>(ty: Type<'c>, values: &[bool]) -> Attribute<'c> {
    let values: Vec<i32> = values.iter().copied().map(i32::from).collect();
    // SAFETY: the type is a shaped type of so many elements, as the caller says; MLIR copies them.
    unsafe {
        Attribute::from_raw(mlirDenseElementsAttrBoolGet(
            ty.to_raw(),
            values.len() as isize,
            values.as_ptr(),
        ))
    }
}

/// A dense attribute of strings, one for each element of the type.
pub(crate) fn string_elements<'c>(ty: Type<'c>, values: &[Vec<u8>]) -> Attribute<'c> {
    let mut references: Vec<_> = values.iter().map(|value| string_ref(value)).collect();
    // SAFETY: the type is a shaped type of so many strings, as the caller says; MLIR copies them, and only reads the list.
    unsafe {
        Attribute::from_raw(mlirDenseElementsAttrStringGet(
            ty.to_raw(),
            references.len() as isize,
            references.as_mut_ptr(),
        ))
    }
}

fn string_ref(bytes: &[u8]) -> MlirStringRef {
    MlirStringRef {
        data: bytes.as_ptr().cast(),
        length: bytes.len(),
    }
}
