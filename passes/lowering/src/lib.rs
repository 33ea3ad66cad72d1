//! Lowering: graphs to functional form, host code to calls of the runtime.
//!
//! ```text
//!   source ──tfx-check-operations,tfx-check-host──> ... ──tfx-infer-shapes──partition──> graphs ──tfx-legalize-graph──> what a GraphDef can say
//!                                                       host code ────tfx-lower-host──> what LLVM can say
//! ```

#![forbid(unsafe_code)]

mod boxes;
mod check_host;
mod closures;
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
mod kinds;
mod legalize_graph;
mod lower_host;
mod messages;
mod ownership;
mod queues;
mod reserved;

pub use check_host::CheckHost;
pub use legalize_graph::LegalizeGraph;
pub use lower_host::{LowerHost, LowerHostOptions};

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<CheckHost>();
    tfx_ir::pass::register::<LegalizeGraph>();
    tfx_ir::pass::register::<LowerHost>();
}
