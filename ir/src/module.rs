//! Modules: parsing text, running pipelines.

use melior::Context;
use melior::ir::Module;

use crate::{Op, ffi};

/// Parses a file's text; `name` is the file in all locations. MLIR says what is wrong, and the result is `None`.
pub fn parse<'c>(context: &'c Context, text: &str, name: &str) -> Option<Module<'c>> {
    ffi::parse_module(context, text, name, true)
}

/// [`parse`] without the verifier, for text that was taken out of its module.
pub fn parse_unverified<'c>(context: &'c Context, text: &str, name: &str) -> Option<Module<'c>> {
    ffi::parse_module(context, text, name, false)
}

/// Reads what [`bytecode`] gave.
pub fn parse_bytecode<'c>(context: &'c Context, bytes: &[u8], name: &str) -> Option<Module<'c>> {
    ffi::parse_bytecode(context, bytes, name)
}

/// A module as MLIR writes it for machines.
pub fn bytecode(module: &Module<'_>) -> Vec<u8> {
    ffi::bytecode(as_op(module).raw())
}

/// A module of its own with the same in it.
pub fn copy<'c>(module: &Module<'c>) -> Module<'c> {
    let copy = (*module.as_operation()).clone();
    Module::from_operation(copy).expect("a copy of a module is a module")
}

/// The full names of all operations that a dialect registers, sorted; none of a dialect that is not loaded.
pub fn operations_of(context: &Context, dialect: &str) -> Vec<String> {
    let names = ffi::operations_of(context, dialect);
    let mut names: Vec<_> = names.lines().map(str::to_owned).collect();
    names.sort_unstable();
    names
}

/// The module as an operation of this crate.
pub fn as_op<'a>(module: &'a Module<'_>) -> Op<'a> {
    module.as_operation().into()
}
