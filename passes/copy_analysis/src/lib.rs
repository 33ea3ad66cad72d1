//! Copy analysis: says where data makes a round trip between accelerator and host, and why.
//!
//! The pass is [`CopyAnalysis`]. It changes nothing. [`traffic()`] gives the same knowledge as data, for reports.

#![forbid(unsafe_code)]

mod calls;
mod classes;
mod copy_analysis;
mod flow;
mod foreign;
mod program;
mod remarks;
mod report;
mod said;
mod settings;
mod stalls;
mod states;
mod traffic;
mod versions;

pub use copy_analysis::{CopyAnalysis, CopyAnalysisOptions, Mode, Switch};
pub use traffic::{Row, Traffic, Transfer, Work, traffic};

/// Registers the passes of this family.
pub fn register() {
    tfx_ir::pass::register::<CopyAnalysis>();
}
