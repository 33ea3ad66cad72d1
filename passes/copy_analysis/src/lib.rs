//! Copy analysis: says where data makes a round trip between accelerator and host, and why.
//!
//! The pass is [`CopyAnalysis`]. It changes nothing.

mod copy_analysis;
mod flow;
mod report;

pub use copy_analysis::{CopyAnalysis, CopyAnalysisOptions, Mode};

/// Registers the passes of this family.
pub fn register() {
    tfx_ir::pass::register::<CopyAnalysis>();
}
