//! The symbols that operations name.

use tfx_ir::Op;
use tfx_ir::ops::func;
use tfx_ir::symbols::for_each_symbol;

/// The attribute of a generic function.
pub(crate) use tfx_dialects::types::TYPE_PARAMS;

/// Returns whether the attributes of an operation's dialect name neither symbols nor host types, as
/// most do.
pub(crate) fn is_plain(op: Op<'_>) -> bool {
    matches!(
        op.dialect(),
        "arith" | "math" | "index" | "cf" | "scf" | "tfx_tensor" | "tfx_comm"
    )
}

/// Calls `keep` on every symbol that an operation names, except the callee of a direct call.
pub(crate) fn symbols_other_than_calls<'a>(op: Op<'a>, keep: impl FnMut(&'a str)) {
    if is_plain(op) || op.isa::<func::Call>() {
        return;
    }
    for_each_symbol(op, keep);
}
