//! What the tests of this crate share.

use melior::{Context, ir::Module};
use tfx_ir::Op;

/// A context with all of upstream's dialects and ours.
pub(crate) fn context() -> Context {
    tfx_dialects::loaded_context()
}

pub(crate) fn parse<'c>(context: &'c Context, text: &str) -> Module<'c> {
    Module::parse(context, text).expect("the test's module parses")
}

/// The graph of that symbol.
pub(crate) fn graph<'a>(module: &'a Module<'_>, symbol: &str) -> Op<'a> {
    Op::from(module.as_operation())
        .walk()
        .find(|op| op.symbol_name() == Some(symbol))
        .expect("the test's module has the graph")
}
