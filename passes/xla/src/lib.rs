//! The parts of graphs that XLA compiles.
//!
//! ```text
//!   graphs ──tfx-strip-mine──tfx-legalize-graph──tfx-cluster-xla──> calls of compiled functions
//! ```

#![forbid(unsafe_code)]

pub mod cluster_xla;
pub mod strip_mine;

pub use cluster_xla::{ClusterXla, ClusterXlaOptions};
pub use strip_mine::{StripMine, StripMineOptions};

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<ClusterXla>();
    tfx_ir::pass::register::<StripMine>();
}
