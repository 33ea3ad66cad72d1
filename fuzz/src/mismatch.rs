//! The verdict of an oracle on a program that behaves differently at some stage.

use std::fmt;

/// A mismatch at a stage of a program.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The stage.
    pub stage: String,
    /// The first difference.
    pub what: String,
}

impl Mismatch {
    /// Creates a mismatch. An error as the difference is written with its causes.
    pub(crate) fn new(stage: impl Into<String>, what: impl fmt::Display) -> Self {
        Self {
            stage: stage.into(),
            what: format!("{what:#}"),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.stage, self.what)
    }
}
