//! Textual pass pipelines: registration, execution and printing.

use crate::options::{OptionError, Options};
use crate::{Op, diag::PassFailed, ffi};

/// The reason why a pipeline failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PipelineError {
    /// The text is not a pipeline; MLIR's message.
    #[error("{0}")]
    Syntax(String),
    /// A pass or the verifier failed, which has been reported.
    #[error("a pass failed")]
    Failed,
}

/// The options of a pipeline are invalid; the message of the error that MLIR reports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidOptions(pub(crate) String);

impl From<PipelineError> for PassFailed {
    fn from(_: PipelineError) -> Self {
        PassFailed::already_reported()
    }
}

/// Registers the text of a pipeline, such as `tfx-inline,func.func(tfx-ssa)`, under a name that
/// pipelines can use. It has the options `O`, as a pass has: `name{option=value}`. The passes may
/// be registered later; a use of the pipeline before that is an error that names them.
pub fn register<O: Options>(
    name: &str,
    description: &str,
    text: impl Fn(&O) -> String + Send + Sync + 'static,
) {
    if !ffi::is_pass_registered(name) {
        let of_options = move |options: &str| {
            let text = text(&parse_options(options)?);
            match missing(&text)[..] {
                [] => Ok(text),
                ref passes => Err(InvalidOptions(format!(
                    "it has passes that this tool does not register: {}; those of MLIR are \
                     registered by mlir::registerAllPasses()",
                    passes.join(", ")
                ))),
            }
        };
        ffi::register_pipeline(name, description, Box::new(of_options));
    }
}

/// Returns the passes of a pipeline that are not registered, each once, also those of pipelines in
/// options such as `tfx-in-source{passes={cse}}`.
fn missing(pipeline: &str) -> Vec<&str> {
    let is_delimiter = |c: char| ",(){}= ".contains(c);
    let mut missing = Vec::new();
    let mut before = ',';
    for part in pipeline.split_inclusive(is_delimiter) {
        let word = part.trim_end_matches(is_delimiter);
        let after = part[word.len()..].chars().next().unwrap_or(',');
        // An anchor is before a parenthesis; an option is before its value, or after another one.
        let is_pass = !word.is_empty() && !"= ".contains(before) && !"(=".contains(after);
        if is_pass && !ffi::is_pass_registered(word) && !missing.contains(&word) {
            missing.push(word);
        }
        before = after;
    }
    missing
}

/// Parses the options of a pipeline, such as `mode=all werror`.
///
/// # Errors
///
/// An unknown option; a value of another type.
pub fn parse_options<O: Options>(text: &str) -> Result<O, InvalidOptions> {
    let mut options = O::default();
    for option in text.split_whitespace() {
        let (name, value) = option.split_once('=').unwrap_or((option, "true"));
        options.set(name, value).map_err(|error| match error {
            OptionError::Unknown { .. } => InvalidOptions(error.to_string()),
            OptionError::Value { .. } => InvalidOptions(format!("option '{name}': {error}")),
        })?;
    }
    Ok(options)
}

/// Runs a pipeline such as `builtin.module(canonicalize,func.func(tfx-ssa))` on `op`, and verifies
/// after each pass.
pub fn run(op: Op<'_>, text: &str) -> Result<(), PipelineError> {
    run_and(true, op, text)
}

/// Runs a pipeline without the verifier, which takes a quarter of the time, and finds only mistakes
/// of passes. The caller verifies the result.
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

/// Returns the pipeline with all options of its passes, as in a reproducer.
pub fn print(text: &str) -> Result<String, PipelineError> {
    ffi::print_pipeline(text)
}
