//! The checks of TensorFlow operations, and shape inference.
//!
//! ```text
//!   source ──tfx-check-operations──> ... ──tfx-infer-shapes──> refined tensor types
//! ```

#![forbid(unsafe_code)]

mod check_operations;
mod infer_shapes;

use tfx_dialects::types::TYPE_PARAMS;
use tfx_ir::Op;
use tfx_ir::ops::func;

pub use check_operations::CheckOperations;
pub use infer_shapes::{InferShapes, InferShapesOptions, Shapes};

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<CheckOperations>();
    tfx_ir::pass::register::<InferShapes>();
}

/// Returns whether `op` is a generic function, whose types are not all known yet.
fn is_generic(op: Op<'_>) -> bool {
    op.isa::<func::Func>() && op.attribute(TYPE_PARAMS).is_some()
}
