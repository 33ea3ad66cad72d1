//! Pipelines by text: registering, running, printing.

use crate::{Op, ffi, pass::PassFailed};

/// Why a pipeline did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PipelineError {
    /// The text is no pipeline; MLIR's message.
    #[error("{0}")]
    Syntax(String),
    /// A pass or the verifier failed, and has said why.
    #[error("a pass failed")]
    Failed,
}

impl From<PipelineError> for PassFailed {
    fn from(_: PipelineError) -> Self {
        PassFailed::already_reported()
    }
}

/// Registers `text`, such as `tfx-inline,func.func(tfx-ssa)`, under a name that pipelines can use. The passes may be
/// registered later.
pub fn register(name: &str, description: &str, text: &str) {
    if !is_registered(name) {
        ffi::register_pipeline(name, description, text);
    }
}

/// Whether a pass or a pipeline has that name.
pub fn is_registered(name: &str) -> bool {
    ffi::is_pass_registered(name)
}

/// Runs a pipeline such as `builtin.module(canonicalize,func.func(tfx-ssa))` on `op`, verifying after each pass.
pub fn run(op: Op<'_>, text: &str) -> Result<(), PipelineError> {
    run_and(true, op, text)
}

/// [`run`] without the verifier, for measuring what the passes alone take.
pub fn run_unverified(op: Op<'_>, text: &str) -> Result<(), PipelineError> {
    run_and(false, op, text)
}

fn run_and(verify: bool, op: Op<'_>, text: &str) -> Result<(), PipelineError> {
    match ffi::run_pipeline(op.raw(), text, verify) {
        (true, _) => Ok(()),
        (false, message) if message.is_empty() => Err(PipelineError::Failed),
        (false, message) => Err(PipelineError::Syntax(message)),
    }
}

/// The pipeline with all options of its passes spelt out, as a reproducer has it.
pub fn print(text: &str) -> Result<String, PipelineError> {
    ffi::print_pipeline(text).map_err(PipelineError::Syntax)
}
