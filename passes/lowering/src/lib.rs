//! Lowering: graphs to functional form, host code to calls of the runtime.
//!
//! ```text
//!   source ──tfx-check-host──> ... ──partition──┬─ graphs ─────tfx-legalize-graph──> GraphDefs
//!                                               └─ host code ──tfx-lower-host──────> LLVM dialect
//! ```

#![forbid(unsafe_code)]

mod arrays;
mod boxes;
mod calls;
pub mod check_host;
mod closures;
mod constants;
mod declarations;
mod divisions;
mod dynamic_calls;
mod eager;
pub mod entry;
mod existentials;
mod foreign;
mod generated;
mod globals;
mod host_ops;
mod host_scalars;
mod images;
mod kinds;
pub mod legalize_graph;
pub mod lower_host;
mod memory;
mod messages;
mod objects;
mod ownership;
mod queues;
mod reserved;
mod runtime;
mod safe_points;
mod tapes;
mod thunks;

pub use check_host::CheckHost;
pub use legalize_graph::LegalizeGraph;
pub use lower_host::{LowerHost, LowerHostOptions};

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<CheckHost>();
    tfx_ir::pass::register::<LegalizeGraph>();
    tfx_ir::pass::register::<LowerHost>();
}
