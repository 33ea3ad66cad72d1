//! Copy analysis: reports the copies between host and accelerator that cost time, and the reasons.
//!
//! [`CopyAnalysis`] is the pass; it does not change the IR. [`traffic()`] returns the copies of a
//! module as data, for reports.

#![forbid(unsafe_code)]

mod calls;
mod classes;
pub mod copy_analysis;
mod dependences;
mod diagnostics;
mod flow;
mod foreign;
mod messages;
mod program;
mod remarks;
mod stalls;
mod states;
mod timeline;
mod traffic;
mod versions;

pub use copy_analysis::{CopyAnalysis, CopyAnalysisOptions, Mode};
pub use timeline::{Row, Work};
pub use traffic::{Amount, Tape, Traffic, Transfer, traffic};

/// Registers the passes of this family.
pub fn register() {
    tfx_ir::pass::register::<CopyAnalysis>();
}
