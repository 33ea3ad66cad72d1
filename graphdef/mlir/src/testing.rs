//! Helpers of this crate's tests.

use melior::{Context, ir::Module};
use tfx_ir::{Op, module::as_op};

/// Returns a context with upstream's dialects and those of tfx.
pub(crate) fn context() -> Context {
    tfx_dialects::loaded_context()
}

pub(crate) fn parse<'c>(context: &'c Context, text: &str) -> Module<'c> {
    Module::parse(context, text).expect("the test's module parses")
}

/// Returns the graph of a symbol.
pub(crate) fn graph<'a>(module: &'a Module<'_>, symbol: &str) -> Op<'a> {
    let mut ops = as_op(module).walk();
    ops.find(|op| op.symbol_name() == Some(symbol))
        .expect("the test's module has the graph")
}
