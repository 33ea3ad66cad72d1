//! Generic functions.

use tfx_dialects::types::TYPE_PARAMS;
use tfx_ir::Op;
use tfx_ir::ops::func;

/// Returns whether `op` is a generic function, whose types are not all known yet.
pub(crate) fn is_generic(op: Op<'_>) -> bool {
    op.isa::<func::Func>() && op.attribute(TYPE_PARAMS).is_some()
}
