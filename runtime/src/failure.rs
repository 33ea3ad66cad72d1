//! What went wrong, as a user reads it: `file:line:col: error: ...`, with notes.

use std::{fmt, io};

/// An error with its place in the source, where there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// `file:line:col`.
    pub location: Option<String>,
    /// What is wrong, and what to do.
    pub message: String,
    /// More places that matter.
    pub notes: Vec<Note>,
}

/// A remark on a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// `file:line:col`.
    pub location: Option<String>,
    /// What there is to say.
    pub message: String,
}

impl Failure {
    /// A failure without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Failure {
            message: message.into(),
            ..Failure::default()
        }
    }

    /// The same at a place; a place that it has already stays.
    pub fn at(mut self, location: Option<&str>) -> Self {
        if self.location.is_none() {
            self.location = location.map(str::to_owned);
        }
        self
    }

    /// The same with a remark.
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

/// What an operation on a file ran into, in words: without the number, and without the names of temporary files.
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

/// The text of a panic's payload.
pub(crate) fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    format!(
        "internal error of the runtime: {}",
        text.unwrap_or("unknown")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_read_as_diagnostics() {
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
