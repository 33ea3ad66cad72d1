//! The checks of TensorFlow operations, and shape inference.
//!
//! ```text
//!   source ──tfx-check-operations──> ... ──tfx-infer-shapes──> refined tensor types
//!   graphs ──tfx-fold-constants────> sizes, axes and bounds as constants
//! ```

#![forbid(unsafe_code)]

pub mod check_operations;
pub mod fold_constants;
pub mod infer_shapes;

pub use check_operations::CheckOperations;
pub use fold_constants::FoldConstants;
pub use infer_shapes::{InferShapes, InferShapesOptions, Shapes};

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<CheckOperations>();
    tfx_ir::pass::register::<FoldConstants>();
    tfx_ir::pass::register::<InferShapes>();
}
