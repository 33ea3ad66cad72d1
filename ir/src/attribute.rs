//! Text in attributes.
//!
//! melior's accessors of strings, symbols and identifiers panic on empty text and on text that is
//! not UTF-8, and drop a final zero byte; a user's file may have any of these.

use melior::Context;
use melior::ir::{Attribute, Identifier};

use crate::ffi;

/// Returns the text of a string attribute; empty if the file has bytes that are not UTF-8. `None`
/// for any other attribute.
pub fn text(attribute: Attribute<'_>) -> Option<&str> {
    ffi::string_attribute_value(attribute)
}

/// Returns the bytes of a string attribute. `None` for any other attribute.
pub fn content(attribute: Attribute<'_>) -> Option<&[u8]> {
    ffi::string_attribute_bytes(attribute)
}

/// Returns the symbol of a reference (the root of a nested one). `None` for any other attribute.
pub fn symbol(attribute: Attribute<'_>) -> Option<&str> {
    ffi::symbol_attribute_value(attribute)
}

/// Creates a string attribute of any bytes.
pub fn bytes<'c>(context: &'c Context, bytes: &[u8]) -> Attribute<'c> {
    ffi::bytes_attribute(context, bytes)
}

/// Returns the text of an identifier: the name of an attribute, of a file, or in a location.
pub fn name(identifier: Identifier<'_>) -> &str {
    ffi::identifier(identifier.to_raw())
}
