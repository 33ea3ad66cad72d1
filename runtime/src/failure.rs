//! Failures as diagnostics: `file:line:col: error: ...`, with notes.

use std::{borrow::Cow, fmt, io};

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

/// The message of a call of host code whose functions call themselves too often.
pub const STACK_IS_FULL: &str =
    "the stack of the thread is full: the function calls itself too often; write a loop";

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
    write!(formatter, "{severity}: {}", shortened(message))
}

/// The length from which a word of a message is cut. Names and numbers are shorter; a longer word
/// comes from an input that is damaged or generated.
const LONGEST_WORD: usize = 240;
/// The number of characters that a cut word keeps at its beginning and at its end.
const KEPT: (usize, usize) = (120, 20);

/// Cuts the middle of very long words in a message, which would hide the rest.
pub fn shortened(message: &str) -> Cow<'_, str> {
    let is_long = |word: &str| word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD;
    if !message.split_whitespace().any(is_long) {
        return message.into();
    }
    let parts = message.split_inclusive(char::is_whitespace).map(|part| {
        let word = part.trim_end();
        if !is_long(word) {
            return part.to_owned();
        }
        let characters: Vec<char> = word.chars().collect();
        let (start, end) = (
            &characters[..KEPT.0],
            &characters[characters.len() - KEPT.1..],
        );
        let (start, end): (String, String) = (start.iter().collect(), end.iter().collect());
        format!("{start}...{end}{}", &part[word.len()..])
    });
    parts.collect::<String>().into()
}

/// The number of names that a message lists.
const MOST_LISTED: usize = 20;

/// Returns names as a list in a message: `'a', 'b'`, or the first ones if there are many.
pub fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("'{name}'")).collect();
    let shown = names.len().min(MOST_LISTED);
    let more = match names.len() - shown {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    names[..shown].join(", ") + &more
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
    fn long_words_are_cut() {
        let text = format!("the file '{}' is\nlong", "ä".repeat(100_000));
        let cut = shortened(&text);
        assert!(cut.starts_with("the file 'ää") && cut.ends_with("ä' is\nlong"));
        assert_eq!(cut.matches('ä').count(), KEPT.0 + KEPT.1 - 2);
        assert_eq!(shortened(&cut), cut);
        let names: Vec<String> = (0..1000).map(|number| format!("n{number}")).collect();
        let list = listed(names.iter().map(String::as_str));
        assert!(list.starts_with("'n0', 'n1',") && list.ends_with("'n19' and 980 more"));
    }

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
