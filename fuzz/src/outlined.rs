//! Checks that outlining changes nothing: a program with scalar code in functions and closures is
//! compared with the same code in place.
//!
//! ```text
//!   seed ──┬── outlined ── extract ── runs: lines, messages   ── warnings ──┐
//!          └── in place ── extract ── runs: lines, messages   ── warnings ──┴── the same
//! ```
//!
//! The lines are printed by the source, and the messages are sent by the packed program, for each
//! list of arguments. The warnings of all passes and of copy analysis are counted, because their
//! locations differ.

use melior::Context;
use tfx::diag::Severity;
use tfx::{Program, Source, pipelines};
use tfx_ir::module;
use tfx_oracle::{HostFirst, Library, Limits};

use crate::generate::Generated;
use crate::mismatch::Mismatch;
use crate::runs::{self, FUEL_LATER, MAIN, first_difference, run};

/// The properties that outlining must preserve.
#[derive(Debug)]
struct Measured {
    /// The behaviour of the source, line by line, for each list of arguments.
    behaviour: Vec<Vec<String>>,
    /// The number of messages of each run.
    messages: Vec<u64>,
    /// The warnings of the passes and of copy analysis.
    warnings: Vec<String>,
}

/// Compares both renderings of a program. Returns the number of messages that they send, or `None`
/// if one runs out of fuel.
///
/// # Errors
/// The difference.
pub(crate) fn check(
    context: &Context,
    outlined: &Generated,
    in_place: &str,
) -> Result<Option<u64>, Mismatch> {
    let in_place = Generated {
        text: in_place.to_owned(),
        in_place: None,
        ..outlined.clone()
    };
    let (Some(outlined), Some(in_place)) =
        (measure(context, outlined)?, measure(context, &in_place)?)
    else {
        return Ok(None);
    };
    for (number, (one, other)) in in_place
        .behaviour
        .iter()
        .zip(&outlined.behaviour)
        .enumerate()
    {
        if let Some(what) = first_difference(one, other) {
            return Err(failed(format!("with arguments {number}, {what}")));
        }
    }
    if in_place.messages != outlined.messages {
        return Err(failed(format!(
            "the runs send {:?} messages, or {:?} with the code in place",
            outlined.messages, in_place.messages
        )));
    }
    if in_place.warnings.len() != outlined.warnings.len() {
        let extra = |list: &[String], other: &[String]| {
            let odd = list.iter().find(|warning| !other.contains(warning));
            odd.cloned().unwrap_or_default()
        };
        return Err(failed(format!(
            "{} warnings, or {} with the code in place: {} {}",
            outlined.warnings.len(),
            in_place.warnings.len(),
            extra(&outlined.warnings, &in_place.warnings),
            extra(&in_place.warnings, &outlined.warnings)
        )));
    }
    Ok(Some(outlined.messages.iter().sum()))
}

fn failed(what: String) -> Mismatch {
    Mismatch::new("outlined", what)
}

fn measure(context: &Context, generated: &Generated) -> Result<Option<Measured>, Mismatch> {
    let parsed = Source::new("random.mlir", &generated.text).parse(context);
    let mut program: Program<'_> =
        parsed.map_err(|error| failed(format!("it does not parse: {error}")))?;
    let Some(behaviour) = runs::source_behaviour(module::as_op(program.module()), generated)?
    else {
        return Ok(None);
    };
    let mut warnings = Vec::new();
    for passes in [
        pipelines::DEABSTRACT,
        pipelines::STRUCTURE,
        pipelines::PARTITION,
        "tfx-copy-analysis",
        pipelines::PACK,
    ] {
        let reported = program.run(passes);
        let reported = reported.map_err(|error| failed(format!("it is rejected: {error}")))?;
        let reported = reported
            .iter()
            .filter(|one| one.severity == Severity::Warning);
        warnings.extend(reported.map(|one| one.message.clone()));
    }
    let library = Library::new(module::as_op(program.module()));
    let limits = Limits {
        fuel: FUEL_LATER,
        ..Limits::default()
    };
    let mut messages = Vec::new();
    for arguments in &generated.arguments {
        let behaviour = run(&library, MAIN, arguments, &mut HostFirst, limits)?;
        messages.push(behaviour.messages);
    }
    Ok(Some(Measured {
        behaviour,
        messages,
        warnings,
    }))
}
