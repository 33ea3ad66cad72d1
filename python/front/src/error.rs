//! Errors of Python programs: `file:line:col: error:`, with a caret below the line.

use std::fmt;

use tfx::diag::{Collected, Severity};

/// A place of a Python file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as it was given.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in bytes.
    pub column: usize,
    /// The text of the line.
    pub text: String,
}

/// An error of a program, in the words of Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The place.
    pub place: Option<Place>,
    /// The error, and the advice.
    pub message: String,
    /// The calls that lead to the place, from the inside out.
    pub calls: Vec<(Place, String)>,
}

impl Error {
    /// The note about an exception that the place raises whenever it runs, if the error is that.
    fn note(&self) -> Option<String> {
        let (class, _) = self.message.split_once(": ")?;
        ["IndexError", "ValueError"].contains(&class).then(|| {
            format!("this raises {class} whenever it runs; remove it, or write what does not fail")
        })
    }
}

/// An error of the compiler behind, for tools that print all errors in one way.
impl From<Error> for tfx::Error {
    fn from(error: Error) -> Self {
        let place = |of: &Place| tfx::location::Place {
            file: of.file.clone(),
            line: of.line,
            column: of.column,
        };
        let at = error.place.as_ref().map(place);
        let note = |at: Option<_>, message| Collected {
            severity: Severity::Note,
            ..Collected::error(at, message)
        };
        let raised = error.note().map(|text| note(at.clone(), text));
        let calls = error.calls.iter();
        let calls = calls.map(|(of, name)| note(Some(place(of)), in_call(name)));
        let notes = raised.into_iter().chain(calls).collect();
        tfx::Error::diagnosed(vec![Collected {
            notes,
            ..Collected::error(at, error.message)
        }])
    }
}

/// The note about a call that leads to an error.
fn in_call(name: &str) -> String {
    format!("in this call of '{name}'")
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(place) = &self.place else {
            return write!(formatter, "error: {}", self.message);
        };
        write_at(formatter, place, "error", &self.message)?;
        if let Some(note) = self.note() {
            let Place {
                file, line, column, ..
            } = place;
            write!(formatter, "\n{file}:{line}:{column}: note: {note}")?;
        }
        for (place, name) in &self.calls {
            writeln!(formatter)?;
            write_at(formatter, place, "note", &in_call(name))?;
        }
        Ok(())
    }
}

/// Writes a message with the line of the source and a caret.
fn write_at(
    formatter: &mut fmt::Formatter<'_>,
    place: &Place,
    severity: &str,
    message: &str,
) -> fmt::Result {
    let Place {
        file,
        line,
        column,
        text,
    } = place;
    writeln!(formatter, "{file}:{line}:{column}: {severity}: {message}")?;
    // Tabs keep their width, so that the caret is below its column.
    let before = text.get(..column - 1).unwrap_or_default();
    let margin: String = before
        .chars()
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    write!(formatter, "    {text}\n    {margin}^")
}

impl std::error::Error for Error {}
