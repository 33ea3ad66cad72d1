//! Structuring: from control-flow graphs to structured control flow.
//!
//! ```text
//!   cf.br, cf.cond_br, cf.switch ──tfx-sese──> scf ──tfx-verify-structured──> the same, proved
//! ```

#![forbid(unsafe_code)]

mod analysis;
mod body;
mod cfg;
mod constants;
mod emit;
mod entries;
mod enums;
mod grouped;
mod infinite_loops;
mod loop_forest;
mod node_splitting;
mod number;
mod pending;
mod plan;
mod print;
pub mod sese;
mod tree;
mod units;
pub mod verify_structured;

pub use print::PrintTree;
pub use sese::{Sese, SeseOptions};
pub use verify_structured::VerifyStructured;

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<Sese>();
    tfx_ir::pass::register::<VerifyStructured>();
}
