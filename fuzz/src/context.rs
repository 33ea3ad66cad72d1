//! The MLIR contexts of checks.

use melior::Context;

/// Creates a context without threads: children are forked, which requires a process with a single
/// thread.
pub(crate) fn context() -> Context {
    let context = Context::new();
    context.enable_multi_threading(false);
    tfx::prepare(&context);
    context
}
