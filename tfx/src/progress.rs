//! The current stage of a compilation in this process, for tools that show their progress.
//!
//! The stage is one text for the process: compilations on several threads overwrite each other's.
//! Upstream's passes are shown under the name of the pass of tfx before them.

use std::sync::{Mutex, PoisonError};

use tfx_ir::pass;

/// A stage.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Stage {
    Parsing,
    Passes,
    CodeGeneration,
    Linking,
}

static CURRENT: Mutex<Option<Stage>> = Mutex::new(None);

/// Records the start of a stage.
pub(crate) fn enter(stage: Stage) {
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
}

/// Returns the description of the stage that started last: `parsing`, `tfx-partition`, `generating
/// machine code`, `linking`; none before the first.
pub fn stage() -> Option<&'static str> {
    let current = *CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    Some(match current? {
        Stage::Parsing => "parsing",
        Stage::Passes => match pass::last_started() {
            "" => "running passes",
            pass => pass,
        },
        Stage::CodeGeneration => "generating machine code",
        Stage::Linking => "linking",
    })
}
