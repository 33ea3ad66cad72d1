//! Modules: parsing and bytecode.

use melior::Context;
use melior::ir::Module;

use crate::{Op, ffi};

/// Parses the text of a file; `name` is the file in all locations. Returns `None` after MLIR has
/// reported an error.
pub fn parse<'c>(context: &'c Context, text: &str, name: &str) -> Option<Module<'c>> {
    ffi::parse_module(context, text, name, true)
}

/// Parses without the verifier, for text that was extracted from its module.
pub fn parse_unverified<'c>(context: &'c Context, text: &str, name: &str) -> Option<Module<'c>> {
    ffi::parse_module(context, text, name, false)
}

/// Reads the output of [`bytecode`].
pub fn parse_bytecode<'c>(context: &'c Context, bytes: &[u8], name: &str) -> Option<Module<'c>> {
    ffi::parse_bytecode(context, bytes, name)
}

/// Writes a module as MLIR bytecode.
pub fn bytecode(module: &Module<'_>) -> Vec<u8> {
    ffi::bytecode(as_op(module).raw())
}

/// Clones a module.
pub fn copy<'c>(module: &Module<'c>) -> Module<'c> {
    let copy = (*module.as_operation()).clone();
    Module::from_operation(copy).expect("a copy of a module is a module")
}

/// Returns the full names of all operations that a dialect registers, sorted; empty if the dialect
/// is not loaded.
pub fn operations_of(context: &Context, dialect: &str) -> Vec<String> {
    let names = ffi::operations_of(context, dialect);
    let mut names: Vec<_> = names.lines().map(str::to_owned).collect();
    names.sort_unstable();
    names
}

/// Returns the module as an operation of this crate.
pub fn as_op<'a>(module: &'a Module<'_>) -> Op<'a> {
    module.as_operation().into()
}
