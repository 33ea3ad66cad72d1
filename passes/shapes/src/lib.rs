//! The checks of TensorFlow operations, and shape inference.
//!
//! ```text
//!   source ──tfx-check-operations──> ... ──tfx-infer-shapes──> refined tensor types
//! ```

#![forbid(unsafe_code)]

pub mod check_operations;
pub mod infer_shapes;

pub use check_operations::CheckOperations;
pub use infer_shapes::{InferShapes, InferShapesOptions, Shapes};

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<CheckOperations>();
    tfx_ir::pass::register::<InferShapes>();
}
