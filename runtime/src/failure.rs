//! Failures as diagnostics: `file:line:col: error: ...`, with notes.

use std::{fmt, io};

/// The class of a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The program failed: an operation of its graph, an assertion, an abort.
    #[default]
    Program,
    /// A foreign function of the embedding process failed.
    ForeignFunction,
    /// An argument of a call does not fit its parameter.
    Argument,
    /// The call was cancelled.
    Cancelled,
    /// The call exceeded its time limit.
    TimeLimit,
    /// A bug of tfx.
    Internal,
}

/// An error, with its source location if it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// The class.
    pub kind: FailureKind,
    /// `file:line:col`.
    pub location: Option<String>,
    /// The error, and how to fix it.
    pub message: String,
    /// Related locations.
    pub notes: Vec<Note>,
}

/// A note of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// `file:line:col`.
    pub location: Option<String>,
    /// The text.
    pub message: String,
}

impl Failure {
    /// Creates a failure without a source location.
    pub fn new(message: impl Into<String>) -> Self {
        Failure {
            message: message.into(),
            ..Failure::default()
        }
    }

    /// Creates a failure of a class.
    pub fn of_kind(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure {
            kind,
            ..Failure::new(message)
        }
    }

    /// Creates a failure that is a bug of tfx.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Failure::of_kind(FailureKind::Internal, message)
    }

    /// Adds a source location, unless the failure has one.
    pub fn at(mut self, location: Option<&str>) -> Self {
        if self.location.is_none() {
            self.location = location.map(str::to_owned);
        }
        self
    }

    /// Adds a note.
    pub fn note(mut self, location: Option<&str>, message: impl Into<String>) -> Self {
        self.notes.push(Note {
            location: location.map(str::to_owned),
            message: message.into(),
        });
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        line(formatter, self.location.as_deref(), "error", &self.message)?;
        for note in &self.notes {
            formatter.write_str("\n")?;
            line(formatter, note.location.as_deref(), "note", &note.message)?;
        }
        Ok(())
    }
}

fn line(
    formatter: &mut fmt::Formatter<'_>,
    location: Option<&str>,
    severity: &str,
    message: &str,
) -> fmt::Result {
    if let Some(location) = location {
        write!(formatter, "{location}: ")?;
    }
    write!(formatter, "{severity}: {message}")
}

impl std::error::Error for Failure {}

/// Returns the message of an I/O error without its number and without names of temporary files.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error")
                .next()
                .unwrap_or_default()
                .to_owned()
        }
    }
}

/// Returns the message of a panic of the runtime.
pub(crate) fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    format!("internal error of the runtime: {}", panic_message(payload))
}

/// Returns the message of a panic.
pub(crate) fn panic_message(payload: &(dyn std::any::Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_printed_as_diagnostics() {
        let failure = Failure::new("division by zero")
            .at(Some("a.mlir:1:2"))
            .at(Some("b.mlir:3:4"))
            .note(None, "in the graph");
        assert_eq!(
            failure.to_string(),
            "a.mlir:1:2: error: division by zero\nnote: in the graph"
        );
    }
}
