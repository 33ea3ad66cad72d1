//! The error type of this crate.

use std::path::Path;
use std::{fmt, io};

use tfx_ir::diag::{Collected, Severity};
use tfx_ir::location::Place;
use tfx_runtime::{Failure, FailureKind, failure};

/// The class of an [`Error`], for callers that handle errors differently.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The program is invalid: the parser, a verifier or a pass rejects it.
    Program,
    /// An argument of the call is invalid, such as a pipeline or the name of a function.
    Argument,
    /// A file cannot be read or written.
    File,
    /// A foreign function or a library is missing, or cannot be linked.
    Link,
    /// Another program, such as the C compiler, cannot be run, or fails.
    Tool,
    /// The program failed while it ran.
    Run,
    /// A foreign function of this process failed while the program ran.
    ForeignFunction,
    /// The call was cancelled.
    Cancelled,
    /// The call exceeded its time limit.
    TimeLimit,
    /// A bug of tfx.
    Internal,
}

/// An error, in the user's words.
///
/// Errors of the parser and of the passes are diagnostics with source locations. Errors about files
/// and tools are messages.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    diagnostics: Vec<Collected>,
}

impl Error {
    /// Creates an error without a source location.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            diagnostics: Vec::new(),
        }
    }

    /// Creates an error about a file: `cannot write 'a.mlir': permission denied`.
    pub fn file(action: &str, path: &Path, error: &io::Error) -> Self {
        let (path, reason) = (path.display(), failure::reason(error));
        Self::new(
            ErrorKind::File,
            format!("cannot {action} '{path}': {reason}"),
        )
    }

    /// Creates an error that consists of diagnostics.
    pub fn diagnosed(diagnostics: Vec<Collected>) -> Self {
        let is_internal = diagnostics.iter().any(Collected::is_internal);
        Self {
            kind: if is_internal {
                ErrorKind::Internal
            } else {
                ErrorKind::Program
            },
            message: String::new(),
            diagnostics,
        }
    }

    /// Creates an error at a source location.
    pub fn at(place: Option<Place>, message: impl Into<String>) -> Self {
        Self::diagnosed(vec![Collected::error(place, message)])
    }

    /// Converts the error to diagnostics, whatever its form.
    pub fn into_diagnostics(self) -> Vec<Collected> {
        if self.diagnostics.is_empty() {
            vec![Collected::error(None, self.message)]
        } else {
            self.diagnostics
        }
    }

    /// Returns the class of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
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
            return formatter.write_str(&failure::shortened(&self.message));
        }
        let lines: Vec<_> = self.diagnostics.iter().map(ToString::to_string).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Error {}

/// An error that the runtime reports.
impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let place_of = |location: &Option<String>| location.as_deref().and_then(place);
        let note = |note: failure::Note| Collected {
            severity: Severity::Note,
            ..Collected::error(place_of(&note.location), note.message)
        };
        let error = Collected::error(place_of(&failure.location), failure.message);
        let notes = failure.notes.into_iter().map(note).collect();
        Self {
            kind: match failure.kind {
                FailureKind::ForeignFunction => ErrorKind::ForeignFunction,
                FailureKind::Argument => ErrorKind::Argument,
                FailureKind::Cancelled => ErrorKind::Cancelled,
                FailureKind::TimeLimit => ErrorKind::TimeLimit,
                FailureKind::Internal => ErrorKind::Internal,
                _ => ErrorKind::Run,
            },
            ..Self::diagnosed(vec![Collected { notes, ..error }])
        }
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
