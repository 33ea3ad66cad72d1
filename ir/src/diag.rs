//! Diagnostics: errors, warnings and remarks with notes, collected or shown with their source
//! lines.
//!
//! ```text
//!   diag::warning(loc, "...").note(loc, "...").emit() ──► MLIR's engine ──► the newest handler:
//!   Err(diag::error(loc, "..."))?  in Pass::run                Collector      keeps them as data
//!                                                             SourcePrinter  file:line:col, line and caret
//!                                                             (none)         MLIR prints to standard error
//! ```
//!
//! A function that may fail returns a [`Diagnostic`] as its error; one that reports several errors
//! before it fails returns [`Diagnostics`]. `?` in [`crate::pass::Pass::run`] emits them and fails
//! the pass. MLIR's C API can emit only errors without notes; `cpp/diag.cpp` emits the rest.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use melior::Context;
use melior::diagnostic::{Diagnostic as Emitted, DiagnosticHandlerId, DiagnosticSeverity};
use melior::ir::Location;

use crate::ffi;
use crate::location::{self, Place, Places};

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program cannot be compiled.
    Error,
    /// The program is compiled, with a likely problem.
    Warning,
    /// Information about a decision of the compiler.
    Remark,
    /// A part of the diagnostic before it.
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

/// Returns an error at `location`.
pub fn error<'a>(location: Location<'a>, message: impl Into<String>) -> Diagnostic<'a> {
    Diagnostic::new(Severity::Error, location, message)
}

/// The beginning of the messages of [`internal_error`].
const INTERNAL: &str = "internal error: ";

/// Returns an error that is a bug of tfx and not of the user's program. `what` follows "internal
/// error: ".
pub fn internal_error<'a>(location: Location<'a>, what: impl fmt::Display) -> Diagnostic<'a> {
    let blame = "this is a bug in tfx: please report it with this input";
    error(location, format!("{INTERNAL}{what}")).note(location, blame)
}

/// Returns a warning at `location`.
pub fn warning<'a>(location: Location<'a>, message: impl Into<String>) -> Diagnostic<'a> {
    Diagnostic::new(Severity::Warning, location, message)
}

/// Returns a remark at `location`.
pub fn remark<'a>(location: Location<'a>, message: impl Into<String>) -> Diagnostic<'a> {
    Diagnostic::new(Severity::Remark, location, message)
}

/// A diagnostic that is not emitted yet: its place, its message and its notes.
#[must_use = "a diagnostic must be emitted or returned as an error"]
#[derive(Debug)]
pub struct Diagnostic<'a> {
    severity: Severity,
    location: Location<'a>,
    message: String,
    notes: Vec<(Location<'a>, String)>,
}

impl<'a> Diagnostic<'a> {
    /// Creates a diagnostic whose severity an option decides.
    pub fn new(severity: Severity, location: Location<'a>, message: impl Into<String>) -> Self {
        Self {
            severity,
            location,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// Turns an error about IR that tfx itself produced into an internal error.
    pub fn into_internal(self) -> Self {
        let internal = internal_error(self.location, self.message);
        let notes = self.notes.into_iter().chain(internal.notes).collect();
        Self { notes, ..internal }
    }

    /// Turns an error into a remark, where it explains a choice.
    pub fn into_remark(self) -> Self {
        let severity = Severity::Remark;
        Self { severity, ..self }
    }

    /// Adds a note.
    pub fn note(mut self, location: Location<'a>, message: impl Into<String>) -> Self {
        self.notes.push((location, message.into()));
        self
    }

    /// Emits the diagnostic to MLIR's engine.
    pub fn emit(self) {
        ffi::emit(self.location, self.severity, &self.message, &self.notes);
    }
}

/// Several diagnostics that are not emitted yet, in the order in which the user is to see them.
#[must_use = "diagnostics must be finished or returned as an error"]
#[derive(Debug, Default)]
pub struct Diagnostics<'a>(Vec<Diagnostic<'a>>);

impl<'a> Diagnostics<'a> {
    /// Adds one at the end.
    pub fn push(&mut self, diagnostic: Diagnostic<'a>) {
        self.0.push(diagnostic);
    }

    /// Returns the number of diagnostics.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Emits them; if one is an error, returns all instead.
    ///
    /// # Errors
    /// The diagnostics, none of them emitted.
    pub fn finish(self) -> Result<(), Self> {
        if self.0.iter().any(|one| one.severity == Severity::Error) {
            return Err(self);
        }
        self.0.into_iter().for_each(Diagnostic::emit);
        Ok(())
    }
}

impl<'a> From<Diagnostic<'a>> for Diagnostics<'a> {
    fn from(diagnostic: Diagnostic<'a>) -> Self {
        Self(vec![diagnostic])
    }
}

impl<'a> Extend<Diagnostic<'a>> for Diagnostics<'a> {
    fn extend<I: IntoIterator<Item = Diagnostic<'a>>>(&mut self, diagnostics: I) {
        self.0.extend(diagnostics);
    }
}

impl<'a> FromIterator<Diagnostic<'a>> for Diagnostics<'a> {
    fn from_iter<I: IntoIterator<Item = Diagnostic<'a>>>(diagnostics: I) -> Self {
        Self(Vec::from_iter(diagnostics))
    }
}

impl<'a> IntoIterator for Diagnostics<'a> {
    type Item = Diagnostic<'a>;
    type IntoIter = std::vec::IntoIter<Diagnostic<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// The failure of a pass whose diagnostic has been emitted. Only [`crate::pass::Pass::run`] returns
/// it; other functions return the diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassFailed(());

impl PassFailed {
    /// Returns the failure for an error that MLIR has reported, such as one of the verifier.
    pub(crate) fn already_reported() -> Self {
        Self(())
    }
}

/// Emits the diagnostic: `?` in [`crate::pass::Pass::run`] reports an error of the pass.
impl From<Diagnostic<'_>> for PassFailed {
    fn from(diagnostic: Diagnostic<'_>) -> Self {
        diagnostic.emit();
        Self(())
    }
}

/// Emits all of them.
impl From<Diagnostics<'_>> for PassFailed {
    fn from(diagnostics: Diagnostics<'_>) -> Self {
        diagnostics.into_iter().for_each(Diagnostic::emit);
        Self(())
    }
}

/// A diagnostic as data, independent of the context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collected {
    /// The severity.
    pub severity: Severity,
    /// The best single place of its location.
    pub place: Option<Place>,
    /// The name of the subject if there is no place: a node of an imported graph.
    pub name: Option<String>,
    /// All places: the place itself, then its callers, innermost first.
    pub places: Vec<Place>,
    /// The message.
    pub message: String,
    /// The notes, in order.
    pub notes: Vec<Collected>,
}

impl Collected {
    /// Creates an error without notes.
    pub fn error(place: Option<Place>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            places: place.iter().cloned().collect(),
            place,
            name: None,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    /// Returns whether it is an [`internal_error`].
    pub fn is_internal(&self) -> bool {
        self.severity == Severity::Error && self.message.starts_with(INTERNAL)
    }

    fn from_mlir(diagnostic: &Emitted<'_>) -> Self {
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

/// Returns the message. A message that quotes bytes of a damaged file that are not UTF-8 ends
/// there.
fn text(diagnostic: &Emitted<'_>) -> String {
    let mut text = String::new();
    if fmt::write(&mut text, format_args!("{diagnostic}")).is_err() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

impl fmt::Display for Collected {
    /// Writes `file:line:col: severity: message`, one line for the diagnostic and one for each
    /// note; `'name': severity: message` if there is no place.
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

/// Collects all diagnostics of a context until it is dropped; none is printed meanwhile.
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

    /// Returns the diagnostics since the last call.
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

/// Drops all diagnostics of a context but errors until it is dropped.
pub struct ErrorsOnly<'c> {
    context: &'c Context,
    handler: Option<DiagnosticHandlerId>,
}

impl<'c> ErrorsOnly<'c> {
    /// Starts to drop them.
    pub fn new(context: &'c Context) -> Self {
        let handler = context
            .attach_diagnostic_handler(|it| !matches!(it.severity(), DiagnosticSeverity::Error));
        Self {
            context,
            handler: Some(handler),
        }
    }
}

impl Drop for ErrorsOnly<'_> {
    fn drop(&mut self) {
        if let Some(handler) = self.handler.take() {
            self.context.detach_diagnostic_handler(handler);
        }
    }
}

/// Prints the diagnostics of a context as `mlir-opt` does, with source line and caret, until it is
/// dropped.
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

    /// Stops and returns the text that was kept.
    pub fn finish(self) -> String {
        self.printer.finish()
    }
}
