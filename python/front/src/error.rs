//! Errors of Python programs: `file:line:col: error:`, with a caret below the line.

use std::fmt;

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
    /// The class of the exception that the place raises whenever it runs, if the error is that.
    fn raised(&self) -> Option<&str> {
        let (class, _) = self.message.split_once(": ")?;
        ["IndexError", "ValueError"]
            .contains(&class)
            .then_some(class)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(place) = &self.place else {
            return write!(formatter, "error: {}", self.message);
        };
        write_at(formatter, place, "error", &self.message)?;
        if let Some(class) = self.raised() {
            let note = format!(
                "this raises {class} whenever it runs; remove it, or write what does not fail"
            );
            let Place {
                file, line, column, ..
            } = place;
            write!(formatter, "\n{file}:{line}:{column}: note: {note}")?;
        }
        for (place, name) in &self.calls {
            writeln!(formatter)?;
            write_at(
                formatter,
                place,
                "note",
                &format!("in this call of '{name}'"),
            )?;
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
