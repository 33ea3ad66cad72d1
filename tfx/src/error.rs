//! The one error type of the façade.

use std::fmt;

use tfx_ir::diag::{Collected, Severity};
use tfx_ir::location::Place;
use tfx_runtime::Failure;

/// What went wrong, in the user's words.
///
/// What passes and the parser have to say comes as diagnostics with places; what concerns files and tools comes as a message.
#[derive(Debug)]
pub struct Error {
    message: String,
    diagnostics: Vec<Collected>,
}

impl Error {
    /// An error without a place in a source.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            diagnostics: Vec::new(),
        }
    }

    /// A failure that `diagnostics` explain.
    pub fn diagnosed(diagnostics: Vec<Collected>) -> Self {
        Self {
            message: String::new(),
            diagnostics,
        }
    }

    /// An error at the place of something in the source.
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

    /// The error as diagnostics, whatever it is.
    pub(crate) fn into_diagnostic(self) -> Vec<Collected> {
        if self.diagnostics.is_empty() {
            Self::at(None, self.message).diagnostics
        } else {
            self.diagnostics
        }
    }

    /// What the parser and the passes said, the warnings before the error included; empty for an error without a place.
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

/// What the runtime has found wrong.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        Self::at(failure.location.as_deref().and_then(place), failure.message)
    }
}

/// The place in `file:line:col`.
fn place(text: &str) -> Option<Place> {
    let mut parts = text.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let file = parts.next()?.to_owned();
    Some(Place { file, line, column })
}
