//! Diagnostics on standard error, as text or as JSON.

use std::process::ExitCode;

use tfx::diag::Collected;
use tfx::report::{json, render};
use tfx::{Error, Source};

/// A command on a program.
pub(crate) struct Task {
    pub(crate) source: Source,
    /// Diagnostics are JSON.
    pub(crate) json: bool,
}

impl Task {
    /// Returns diagnostics as text or JSON.
    pub(crate) fn text(&self, list: &[Collected]) -> String {
        match self.json {
            true => json::lines(list, &self.source),
            false => render::diagnostics(list, &self.source),
        }
    }

    /// Prints diagnostics.
    pub(crate) fn print(&self, list: &[Collected]) {
        eprint!("{}", self.text(list));
    }

    /// Prints an error, and returns the exit code.
    pub(crate) fn fail(&self, error: Error) -> ExitCode {
        match self.json {
            true => eprint!("{}", json::error(error, &self.source)),
            false => eprint!("{}", render::error(&error, &self.source)),
        }
        ExitCode::FAILURE
    }
}
