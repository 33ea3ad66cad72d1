//! The markers of intentional copies: `tfx_comm.to_host` and `tfx_comm.to_accelerator`.

use tfx_dialects::comm::{CommOp, ToAccelerator, ToHost};
use tfx_ir::{Op, Value};

/// Returns the value that a marker marks; none if `op` is not a marker.
pub(crate) fn marked_value(op: Op<'_>) -> Option<Value<'_>> {
    match CommOp::cast(op)? {
        CommOp::ToHost(marker) => Some(marker.value()),
        CommOp::ToAccelerator(marker) => Some(marker.value()),
        _ => None,
    }
}

/// Erases the markers in a function, which have no meaning on one side alone.
pub(crate) fn erase_markers(func: Op<'_>) {
    let markers = func
        .walk()
        .filter(|op| op.isa::<ToHost>() || op.isa::<ToAccelerator>());
    for marker in markers.collect::<Vec<_>>() {
        marker.replace_with(&[marker.operand(0)]);
    }
}
