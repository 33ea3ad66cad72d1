//! Lowering: graphs to functional form, host code to calls of the runtime.
//!
//! ```text
//!   source ──tfx-check-operations,tfx-check-host──> ... ──tfx-infer-shapes──partition──> graphs ──tfx-legalize-graph──> what a GraphDef can say
//!                                                       host code ────tfx-lower-host──> what LLVM can say
//! ```

#![forbid(unsafe_code)]

mod boxes;
mod check_host;
mod check_operations;
mod closures;
mod cluster_xla;
mod constants;
mod declarations;
mod divisions;
mod eager;
pub mod entry;
mod existentials;
mod foreign;
mod globals;
mod host_ops;
mod host_scalars;
mod images;
mod infer_shapes;
mod kinds;
mod legalize_graph;
mod lower_host;
mod messages;
mod ownership;
mod queues;
mod reserved;
mod strip_mine;

pub use check_host::CheckHost;
pub use check_operations::CheckOperations;
pub use cluster_xla::{ClusterXla, ClusterXlaOptions};
pub use infer_shapes::{InferShapes, InferShapesOptions, Shapes};
pub use legalize_graph::LegalizeGraph;
pub use lower_host::{LowerHost, LowerHostOptions};
pub use strip_mine::{StripMine, StripMineOptions};

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<CheckHost>();
    tfx_ir::pass::register::<CheckOperations>();
    tfx_ir::pass::register::<ClusterXla>();
    tfx_ir::pass::register::<InferShapes>();
    tfx_ir::pass::register::<LegalizeGraph>();
    tfx_ir::pass::register::<LowerHost>();
    tfx_ir::pass::register::<StripMine>();
}
