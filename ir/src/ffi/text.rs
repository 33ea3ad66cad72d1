//! Strings, printing, and attributes by name.

use std::ffi::{c_char, c_void};

use melior::Context;
use melior::ir::{Attribute, AttributeLike};
use mlir_sys::*;

use super::declarations::tfxForEachOperationOf;
use super::{attribute, op_attribute_dictionary, option_attribute};

pub(crate) fn string_ref(text: &str) -> MlirStringRef {
    MlirStringRef {
        data: text.as_ptr() as *const c_char,
        length: text.len(),
    }
}

/// The bytes of a C string reference, valid for as long as its owner: a context for identifiers and
/// attributes.
fn bytes<'a>(text: MlirStringRef) -> &'a [u8] {
    if text.length == 0 {
        return &[];
    }
    // SAFETY: MLIR's string references have a valid pointer and length, and live in the context
    // (for callers that return them) or during the callback.
    unsafe { std::slice::from_raw_parts(text.data as *const u8, text.length) }
}

/// Text that is UTF-8 but where a user's file has other bytes; those become an empty string.
pub(super) fn str<'a>(text: MlirStringRef) -> &'a str {
    std::str::from_utf8(bytes(text)).unwrap_or_default()
}

pub(crate) fn identifier<'a>(identifier: MlirIdentifier) -> &'a str {
    // SAFETY: a live identifier.
    str(unsafe { mlirIdentifierStr(identifier) })
}

/// Returns whether an identifier reads so.
pub(crate) fn identifier_is(identifier: MlirIdentifier, text: &str) -> bool {
    // SAFETY: a live identifier.
    bytes(unsafe { mlirIdentifierStr(identifier) }) == text.as_bytes()
}

/// Returns the text of the first of some objects, which `gpu.binary` has.
pub(crate) fn gpu_object(objects: Attribute<'_>) -> Option<String> {
    let raw = objects.to_raw();
    // SAFETY: a live attribute; its kind is checked before its parts are read.
    unsafe {
        if !mlirAttributeIsAArray(raw) || mlirArrayAttrGetNumElements(raw) == 0 {
            return None;
        }
        let object = mlirArrayAttrGetElement(raw, 0);
        let is_object = mlirAttributeIsAGPUObjectAttr(object);
        is_object.then(|| str(mlirGPUObjectAttrGetObject(object)).to_owned())
    }
}

pub(super) unsafe extern "C" fn append(text: MlirStringRef, data: *mut c_void) {
    // SAFETY: `data` is the `Vec<u8>` of `collect`, alive during the call.
    let buffer = unsafe { &mut *(data as *mut Vec<u8>) };
    buffer.extend_from_slice(bytes(text));
}

/// Collects what a printing function of the C API writes.
pub(super) fn collect<R>(print: impl FnOnce(MlirStringCallback, *mut c_void) -> R) -> (R, String) {
    let mut buffer = Vec::<u8>::new();
    let result = print(Some(append), &mut buffer as *mut _ as *mut c_void);
    (result, String::from_utf8_lossy(&buffer).into_owned())
}

/// The names of a loaded dialect's operations, one a line.
pub(crate) fn operations_of(context: &Context, dialect: &str) -> String {
    // SAFETY: the context is live, and the callback writes into the buffer that it gets.
    let list = |give, data| unsafe {
        tfxForEachOperationOf(context.to_raw(), string_ref(dialect), give, data)
    };
    collect(list).1
}

/// Prints an operation. Values in a function have the names that they have in the whole module,
/// but only the function is numbered for this, so that the functions of a module are printed one
/// by one in linear time.
pub(crate) fn print_op(op: MlirOperation) -> String {
    // SAFETY: a live operation; the flags live until they are destroyed; the callback gets the
    // buffer of `collect`.
    let print = |callback, data| unsafe {
        let flags = mlirOpPrintingFlagsCreate();
        if !mlirOperationGetParentOperation(op).ptr.is_null() {
            mlirOpPrintingFlagsUseLocalScope(flags);
        }
        mlirOperationPrintWithFlags(op, flags, callback, data);
        mlirOpPrintingFlagsDestroy(flags);
    };
    collect(print).1
}

pub(crate) fn print_value(value: MlirValue) -> String {
    // SAFETY: as above.
    collect(|callback, data| unsafe { mlirValuePrint(value, callback, data) }).1
}

// Attributes by name.

pub(crate) fn op_attribute<'a>(op: MlirOperation, name: &str) -> Option<Attribute<'a>> {
    // SAFETY: a live operation; the name is read during the call.
    option_attribute(unsafe { mlirOperationGetAttributeByName(op, string_ref(name)) })
}

pub(crate) fn op_attributes<'a>(op: MlirOperation) -> Vec<(&'a str, Attribute<'a>)> {
    let dictionary = op_attribute_dictionary(op);
    // SAFETY: a dictionary, which is read within its bounds.
    let named = unsafe {
        (0..mlirDictionaryAttrGetNumElements(dictionary))
            .map(|index| mlirDictionaryAttrGetElement(dictionary, index))
    };
    named
        .filter_map(|named| Some((identifier(named.name), option_attribute(named.attribute)?)))
        .collect()
}

pub(crate) fn op_set_attribute(op: MlirOperation, name: &str, attribute: Attribute) {
    // SAFETY: as above; the attribute is not null.
    unsafe { mlirOperationSetAttributeByName(op, string_ref(name), attribute.to_raw()) }
}

pub(crate) fn op_remove_attribute(op: MlirOperation, name: &str) -> bool {
    // SAFETY: as above.
    unsafe { mlirOperationRemoveAttributeByName(op, string_ref(name)) }
}

/// A string attribute of any bytes.
pub(crate) fn bytes_attribute<'c>(context: &'c Context, bytes: &[u8]) -> Attribute<'c> {
    let text = MlirStringRef {
        data: bytes.as_ptr().cast(),
        length: bytes.len(),
    };
    // SAFETY: MLIR copies the bytes into the context.
    attribute(unsafe { mlirStringAttrGet(context.to_raw(), text) })
}

pub(crate) fn string_attribute_value<'a>(attribute: Attribute<'a>) -> Option<&'a str> {
    let bytes = string_attribute_bytes(attribute)?;
    Some(std::str::from_utf8(bytes).unwrap_or_default())
}

pub(crate) fn string_attribute_bytes<'a>(attribute: Attribute<'a>) -> Option<&'a [u8]> {
    // SAFETY: the kind is checked before the value is read; string attributes live in the context.
    unsafe {
        mlirAttributeIsAString(attribute.to_raw())
            .then(|| bytes(mlirStringAttrGetValue(attribute.to_raw())))
    }
}

pub(crate) fn symbol_attribute_value<'a>(attribute: Attribute<'a>) -> Option<&'a str> {
    // SAFETY: as above.
    unsafe {
        mlirAttributeIsASymbolRef(attribute.to_raw())
            .then(|| str(mlirSymbolRefAttrGetRootReference(attribute.to_raw())))
    }
}
