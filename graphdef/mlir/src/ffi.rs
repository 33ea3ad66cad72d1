//! Access to the bytes of constants, which melior does not provide. The module contains all
//! `unsafe` code of the crate.
//!
//! Contract: an attribute and the storage that it points to live as long as the context `'c`, and
//! MLIR never changes them.

use std::slice;

use melior::ir::{
    Attribute, AttributeLike, Type, TypeLike,
    attribute::{DenseElementsAttribute, StringAttribute},
};
use mlir_sys::{
    MlirStringRef, mlirAttributeIsADenseBoolArray, mlirAttributeIsADenseF32Array,
    mlirAttributeIsADenseF64Array, mlirAttributeIsADenseI8Array, mlirAttributeIsADenseI16Array,
    mlirAttributeIsADenseI32Array, mlirAttributeIsADenseI64Array, mlirAttributeIsAUnit,
    mlirDenseArrayGetNumElements, mlirDenseBoolArrayGetElement, mlirDenseElementsAttrBoolGet,
    mlirDenseElementsAttrGetStringValue, mlirDenseElementsAttrRawBufferGet,
    mlirDenseElementsAttrStringGet, mlirDenseF32ArrayGetElement, mlirDenseF64ArrayGetElement,
    mlirDenseI8ArrayGetElement, mlirDenseI16ArrayGetElement, mlirDenseI32ArrayGetElement,
    mlirDenseI64ArrayGetElement, mlirStringAttrGetValue,
};
use tfx_graphdef::proto::attr_value::ListValue;

/// Returns the stored elements of a dense attribute: one if it is a splat. `element_size` is in
/// bytes. Not for `i1`, which MLIR may pack, and not for strings.
pub(crate) fn stored_bytes<'c>(
    attribute: DenseElementsAttribute<'c>,
    element_size: usize,
) -> &'c [u8] {
    let is_splat = attribute.is_splat();
    let count = if is_splat { 1 } else { attribute.len() };
    let data = attribute.raw_data();
    if count == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: MLIR stores `count` elements, each in whole bytes, without padding, in the context.
    unsafe { slice::from_raw_parts(data.cast(), count * element_size) }
}

/// Returns a string of a dense attribute of strings, which may contain any bytes.
///
/// # Panics
///
/// If the index is out of bounds.
pub(crate) fn string_element<'c>(attribute: DenseElementsAttribute<'c>, index: usize) -> &'c [u8] {
    assert!(
        index < attribute.len(),
        "a string attribute is read within its bounds"
    );
    // SAFETY: the index is in bounds.
    bytes(unsafe { mlirDenseElementsAttrGetStringValue(attribute.to_raw(), index as isize) })
}

/// Returns the bytes of a string attribute, which need not be UTF-8.
pub(crate) fn string_bytes<'c>(attribute: StringAttribute<'c>) -> &'c [u8] {
    // SAFETY: it is a string attribute.
    bytes(unsafe { mlirStringAttrGetValue(attribute.to_raw()) })
}

fn bytes<'c>(text: MlirStringRef) -> &'c [u8] {
    if text.length == 0 {
        return &[];
    }
    // SAFETY: MLIR returns a valid pointer and length of storage in the context.
    unsafe { slice::from_raw_parts(text.data.cast(), text.length) }
}

pub(crate) fn is_unit(attribute: Attribute) -> bool {
    // SAFETY: the attribute is not null.
    unsafe { mlirAttributeIsAUnit(attribute.to_raw()) }
}

/// Returns the elements of `array<...>`; `None` for any other attribute.
pub(crate) fn dense_array(attribute: Attribute) -> Option<ListValue> {
    let raw = attribute.to_raw();
    let mut list = ListValue::default();
    macro_rules! read {
        ($($field:ident: $is:ident, $get:ident as $element:ty;)*) => {
            // SAFETY: the attribute is not null; its elements are read only if it is of that kind,
            // and within its bounds.
            $(unsafe {
                if $is(raw) {
                    let elements = 0..mlirDenseArrayGetNumElements(raw);
                    let elements = elements.map(|index| $get(raw, index) as $element);
                    list.$field.extend(elements);
                    return Some(list);
                }
            })*
        };
    }
    read! {
        b: mlirAttributeIsADenseBoolArray, mlirDenseBoolArrayGetElement as bool;
        i: mlirAttributeIsADenseI8Array, mlirDenseI8ArrayGetElement as i64;
        i: mlirAttributeIsADenseI16Array, mlirDenseI16ArrayGetElement as i64;
        i: mlirAttributeIsADenseI32Array, mlirDenseI32ArrayGetElement as i64;
        i: mlirAttributeIsADenseI64Array, mlirDenseI64ArrayGetElement as i64;
        f: mlirAttributeIsADenseF32Array, mlirDenseF32ArrayGetElement as f32;
        f: mlirAttributeIsADenseF64Array, mlirDenseF64ArrayGetElement as f32;
    }
    None
}

/// Creates a dense attribute from the bytes of all elements of a type, or of one for all. Not for
/// `i1` and not for strings.
///
/// # Panics
///
/// If there are too many or too few bytes.
pub(crate) fn elements<'c>(ty: Type<'c>, bytes: &[u8]) -> Attribute<'c> {
    // SAFETY: the type is a shaped type. MLIR checks the number of bytes, and copies them into the
    // context.
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

/// Creates a dense attribute of booleans, one for each element of the type.
pub(crate) fn bool_elements<'c>(ty: Type<'c>, values: &[bool]) -> Attribute<'c> {
    let values: Vec<i32> = values.iter().copied().map(i32::from).collect();
    // SAFETY: the type is a shaped type with this number of elements; MLIR copies them.
    unsafe {
        Attribute::from_raw(mlirDenseElementsAttrBoolGet(
            ty.to_raw(),
            values.len() as isize,
            values.as_ptr(),
        ))
    }
}

/// Creates a dense attribute of strings, one for each element of the type.
pub(crate) fn string_elements<'c>(ty: Type<'c>, values: &[Vec<u8>]) -> Attribute<'c> {
    let mut references: Vec<_> = values.iter().map(|value| string_ref(value)).collect();
    // SAFETY: the type is a shaped type with this number of strings. MLIR copies them, and only
    // reads the list.
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
