//! The error type of this crate.

use std::fmt;

use tfx_ir::diag::{Collected, Severity};
use tfx_ir::location::Place;
use tfx_runtime::Failure;

/// An error, in the user's words.
///
/// Errors of the parser and of the passes are diagnostics with source locations. Errors about files
/// and tools are messages.
#[derive(Debug)]
pub struct Error {
    message: String,
    diagnostics: Vec<Collected>,
}

impl Error {
    /// Creates an error without a source location.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            diagnostics: Vec::new(),
        }
    }

    /// Creates an error that consists of diagnostics.
    pub fn diagnosed(diagnostics: Vec<Collected>) -> Self {
        Self {
            message: String::new(),
            diagnostics,
        }
    }

    /// Creates an error at a source location.
    pub fn at(place: Option<Place>, message: impl Into<String>) -> Self {
        let places = place.iter().cloned().collect();
        Self::diagnosed(vec![Collected {
            severity: Severity::Error,
            place,
            name: None,
            places,
            message: message.into(),
            notes: Vec::new(),
        }])
    }

    /// Converts the error to diagnostics, whatever its form.
    pub(crate) fn into_diagnostic(self) -> Vec<Collected> {
        if self.diagnostics.is_empty() {
            Self::at(None, self.message).diagnostics
        } else {
            self.diagnostics
        }
    }

    /// Returns the diagnostics of the parser and of the passes, including warnings that precede the
    /// error; empty for an error that is only a message.
    pub fn diagnostics(&self) -> &[Collected] {
        &self.diagnostics
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.diagnostics.is_empty() {
            return formatter.write_str(&self.message);
        }
        let lines: Vec<_> = self.diagnostics.iter().map(ToString::to_string).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Error {}

/// An error that the runtime reports.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::at(failure.location.as_deref().and_then(place), failure.message)
    }
}

/// Parses `file:line:col`.
fn place(text: &str) -> Option<Place> {
    let mut parts = text.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let file = parts.next()?.to_owned();
    Some(Place { file, line, column })
}
