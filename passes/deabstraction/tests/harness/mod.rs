//! Runs a pipeline on a text, and returns the result and the diagnostics.

// Each test file uses its own part of this.
#![allow(dead_code, unreachable_pub)]

use melior::utility::register_all_passes;
use tfx_ir::diag::Collector;
use tfx_ir::{module, pipeline};

/// The outcome of a run.
pub struct Outcome {
    /// The module as text; none if a pass failed.
    pub ir: Option<String>,
    /// The diagnostics, a line for each and for each note.
    pub diagnostics: String,
    /// The places of the first diagnostic: its own, then those of the calls on the path to it.
    pub chain: Vec<String>,
}

/// Parses `text` as `t.mlir` and runs `pipeline` (without its anchor) on it.
pub fn run(text: &str, pipeline: &str) -> Outcome {
    static PASSES: std::sync::Once = std::sync::Once::new();
    PASSES.call_once(|| {
        register_all_passes();
        tfx_deabstraction::register();
        tfx_ad::register();
    });
    let context = tfx_dialects::loaded_context();
    let collector = Collector::new(&context);
    let Some(module) = module::parse(&context, text, "t.mlir") else {
        let lines: Vec<_> = collector.take().iter().map(ToString::to_string).collect();
        panic!("the text of the test does not parse: {}", lines.join("\n"));
    };
    let result = pipeline::run(
        module::as_op(&module),
        &format!("builtin.module({pipeline})"),
    );
    if let Err(pipeline::PipelineError::Syntax(message)) = &result {
        panic!("{message}");
    }
    let collected = collector.take();
    let lines: Vec<_> = collected.iter().map(ToString::to_string).collect();
    let chain = collected
        .first()
        .map(|first| first.places.iter().map(ToString::to_string).collect());
    Outcome {
        ir: result.ok().map(|()| module::as_op(&module).to_string()),
        diagnostics: lines.join("\n"),
        chain: chain.unwrap_or_default(),
    }
}
