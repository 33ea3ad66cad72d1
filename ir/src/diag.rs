//! Diagnostics: errors, warnings and remarks with notes, collected or shown with their source lines.
//!
//! ```text
//!   diag::warning(loc, "...").note(loc, "...").emit() ──► MLIR's engine ──► the newest handler:
//!                                                             Collector      keeps them as data
//!                                                             SourcePrinter  file:line:col, line and caret
//!                                                             (none)         MLIR prints them to standard error
//! ```
//!
//! The C API emits errors without notes only; the rest goes through `cpp/diag.cpp`.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use melior::Context;
use melior::diagnostic::{Diagnostic, DiagnosticHandlerId, DiagnosticSeverity};
use melior::ir::Location;

use crate::ffi;
use crate::location::{self, Place, Places};
use crate::pass::PassFailed;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program cannot be compiled.
    Error,
    /// It can, but not as one would wish.
    Warning,
    /// Something worth knowing.
    Remark,
    /// Belongs to the diagnostic before it.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        })
    }
}

/// An error at `location`.
pub fn error<'a>(location: Location<'a>, message: impl Into<String>) -> Diag<'a> {
    Diag::new(Severity::Error, location, message)
}

/// A warning at `location`.
pub fn warning<'a>(location: Location<'a>, message: impl Into<String>) -> Diag<'a> {
    Diag::new(Severity::Warning, location, message)
}

/// A remark at `location`.
pub fn remark<'a>(location: Location<'a>, message: impl Into<String>) -> Diag<'a> {
    Diag::new(Severity::Remark, location, message)
}

/// A diagnostic that is being written. Nothing is said before [`Diag::emit`] or [`Diag::fail`].
#[must_use = "a diagnostic says nothing before `emit` or `fail`"]
#[derive(Debug)]
pub struct Diag<'a> {
    severity: Severity,
    location: Location<'a>,
    message: String,
    notes: Vec<(Location<'a>, String)>,
}

impl<'a> Diag<'a> {
    /// A diagnostic of any severity, where that is chosen by an option.
    pub fn new(severity: Severity, location: Location<'a>, message: impl Into<String>) -> Self {
        Self {
            severity,
            location,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// Adds a note.
    pub fn note(mut self, location: Location<'a>, message: impl Into<String>) -> Self {
        self.notes.push((location, message.into()));
        self
    }

    /// Says it.
    pub fn emit(self) {
        ffi::emit(self.location, self.severity, &self.message, &self.notes);
    }

    /// Says it and is the failure of the pass: `return Err(diag::error(...).fail())`.
    pub fn fail(self) -> PassFailed {
        self.emit();
        PassFailed(())
    }
}

/// A diagnostic as data, free of the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collected {
    /// How bad it is.
    pub severity: Severity,
    /// Where it is: the best single place of its location.
    pub place: Option<Place>,
    /// The name of what it is about, where there is no place: a node of a graph that was imported.
    pub name: Option<String>,
    /// The whole chain of places: the place itself, then its callers, innermost first.
    pub places: Vec<Place>,
    /// What it says.
    pub message: String,
    /// Its notes, in order.
    pub notes: Vec<Collected>,
}

impl Collected {
    fn from_mlir(diagnostic: &Diagnostic<'_>) -> Self {
        let places: Vec<Place> = Places::of(diagnostic.location()).collect();
        let notes = (0..diagnostic.note_count()).filter_map(|index| diagnostic.note(index).ok());
        Self {
            severity: match diagnostic.severity() {
                DiagnosticSeverity::Error => Severity::Error,
                DiagnosticSeverity::Warning => Severity::Warning,
                DiagnosticSeverity::Remark => Severity::Remark,
                DiagnosticSeverity::Note => Severity::Note,
            },
            name: match places.first() {
                Some(_) => None,
                None => location::name(diagnostic.location()),
            },
            place: places.first().cloned(),
            places,
            message: text(diagnostic),
            notes: notes.map(|note| Self::from_mlir(&note)).collect(),
        }
    }
}

/// What a diagnostic says. Where it quotes what is no UTF-8, out of a damaged file, it ends there.
fn text(diagnostic: &Diagnostic<'_>) -> String {
    let mut text = String::new();
    if fmt::write(&mut text, format_args!("{diagnostic}")).is_err() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

impl fmt::Display for Collected {
    /// `file:line:col: severity: message`, a line for it and for each note; `'name': severity: message` where there is no place.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(formatter, "{place}: ")?;
        } else if let Some(name) = &self.name {
            write!(formatter, "'{name}': ")?;
        }
        write!(formatter, "{}: {}", self.severity, self.message)?;
        self.notes
            .iter()
            .try_for_each(|note| write!(formatter, "\n{note}"))
    }
}

/// Keeps all diagnostics of a context until it is dropped; nothing is printed meanwhile.
pub struct Collector<'c> {
    context: &'c Context,
    handler: Option<DiagnosticHandlerId>,
    collected: Arc<Mutex<Vec<Collected>>>,
}

impl<'c> Collector<'c> {
    /// Starts to collect.
    pub fn new(context: &'c Context) -> Self {
        let collected = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&collected);
        let handler = context.attach_diagnostic_handler(move |diagnostic| {
            list.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(Collected::from_mlir(&diagnostic));
            true
        });
        Self {
            context,
            handler: Some(handler),
            collected,
        }
    }

    /// What has come since the last call.
    pub fn take(&self) -> Vec<Collected> {
        std::mem::take(
            &mut self
                .collected
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }
}

impl Drop for Collector<'_> {
    fn drop(&mut self) {
        if let Some(handler) = self.handler.take() {
            self.context.detach_diagnostic_handler(handler);
        }
    }
}

/// Prints the diagnostics of a context as `mlir-opt` does, with source line and caret, until it is dropped.
pub struct SourcePrinter<'c> {
    printer: ffi::SourcePrinter,
    _context: &'c Context,
}

impl<'c> SourcePrinter<'c> {
    /// Prints to standard error. `name` and `text` are the buffer that is (or was) parsed.
    pub fn new(context: &'c Context, name: &str, text: &str) -> Self {
        Self {
            printer: ffi::SourcePrinter::new(context, name, text, false),
            _context: context,
        }
    }

    /// Keeps the text for [`SourcePrinter::finish`].
    pub fn buffered(context: &'c Context, name: &str, text: &str) -> Self {
        Self {
            printer: ffi::SourcePrinter::new(context, name, text, true),
            _context: context,
        }
    }

    /// Stops, and gives what was kept.
    pub fn finish(self) -> String {
        self.printer.finish()
    }
}
