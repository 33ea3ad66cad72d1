//! The text in attributes.
//!
//! melior's own reading of a string, a symbol and an identifier panics where it is empty, or no UTF-8, and leaves a last zero byte out; a user's file may have any of these.

use melior::Context;
use melior::ir::{Attribute, Identifier};

use crate::ffi;

/// The text of a string attribute; an empty one where the file has bytes that are no UTF-8. `None` for any other attribute.
pub fn text(attribute: Attribute<'_>) -> Option<&str> {
    ffi::string_attribute_value(attribute)
}

/// The symbol of a reference (the root of a nested one). `None` for any other attribute.
pub fn symbol(attribute: Attribute<'_>) -> Option<&str> {
    ffi::symbol_attribute_value(attribute)
}

/// A string attribute of any bytes.
pub fn bytes<'c>(context: &'c Context, bytes: &[u8]) -> Attribute<'c> {
    ffi::bytes_attribute(context, bytes)
}

/// The text of an identifier: the name of an attribute, of a file, or in a location.
pub fn name(identifier: Identifier<'_>) -> &str {
    ffi::identifier(identifier.to_raw())
}
