//! Diagnostics as C reads them: strings that end with a zero, and numbers.
//!
//! ```text
//!   Vec<Collected> ──> TfxDiagnostics ──┬─ list      severity, file, line, column, message, notes
//!                                       └─ rendered  text with source lines, formatted on demand
//! ```

use std::ffi::{CString, c_char};
use std::ptr::{self, null};
use std::sync::{Arc, OnceLock};

use tfx::Source;
use tfx::diag::{Collected, Severity};
use tfx::report::render;

use super::guard::{c_string, destroy, pointer, read};

/// The severity of a diagnostic.
#[allow(clippy::enum_variant_names, reason = "the names are those in C")]
#[derive(Clone, Copy)]
#[repr(C)]
pub enum TfxSeverity {
    /// The program cannot be compiled.
    TfxSeverityError = 0,
    /// The program is compiled, with a likely problem.
    TfxSeverityWarning = 1,
    /// Information about a decision of the compiler.
    TfxSeverityRemark = 2,
    /// A part of another diagnostic.
    TfxSeverityNote = 3,
}

use TfxSeverity::*;

/// A diagnostic. It belongs to the error or to the list that it comes from.
pub struct TfxDiagnostic {
    severity: Severity,
    file: Option<CString>,
    line: usize,
    column: usize,
    message: CString,
    notes: Vec<TfxDiagnostic>,
}

impl TfxDiagnostic {
    fn new(collected: &Collected) -> Self {
        let place = collected.place.as_ref();
        Self {
            severity: collected.severity,
            file: place.map(|place| c_string(&place.file)),
            line: place.map_or(0, |place| place.line),
            column: place.map_or(0, |place| place.column),
            message: c_string(&collected.message),
            notes: collected.notes.iter().map(Self::new).collect(),
        }
    }
}

/// Diagnostics in their order, and the source whose lines their text shows.
pub struct TfxDiagnostics {
    list: Vec<TfxDiagnostic>,
    collected: Vec<Collected>,
    source: Arc<Source>,
    rendered: OnceLock<CString>,
}

impl TfxDiagnostics {
    pub(super) fn new(collected: Vec<Collected>, source: &Arc<Source>) -> Self {
        Self {
            list: collected.iter().map(TfxDiagnostic::new).collect(),
            collected,
            source: Arc::clone(source),
            rendered: OnceLock::new(),
        }
    }

    pub(super) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    fn rendered(&self) -> &CString {
        let render = || c_string(render::diagnostics(&self.collected, &self.source));
        self.rendered.get_or_init(render)
    }
}

/// Returns the number of diagnostics in a list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticsGetSize(diagnostics: *const TfxDiagnostics) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(diagnostics, 0, |of| Some(of.list.len())) }
}

/// Returns a diagnostic of a list, or NULL. It lives as long as the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticsGet(
    diagnostics: *const TfxDiagnostics,
    index: usize,
) -> *const TfxDiagnostic {
    // SAFETY: by the contract of the module.
    unsafe {
        read(diagnostics, null(), |of| {
            of.list.get(index).map(ptr::from_ref)
        })
    }
}

/// Returns the text of all diagnostics with their notes and source lines. It lives as long as the
/// list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticsGetRendered(
    diagnostics: *const TfxDiagnostics,
) -> *const c_char {
    // SAFETY: by the contract of the module.
    unsafe { read(diagnostics, null(), |of| Some(of.rendered().as_ptr())) }
}

/// Destroys a list of diagnostics. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticsDestroy(diagnostics: *mut TfxDiagnostics) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(diagnostics) }
}

/// Returns the severity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticGetSeverity(diagnostic: *const TfxDiagnostic) -> TfxSeverity {
    let severity = |of: &TfxDiagnostic| {
        Some(match of.severity {
            Severity::Error => TfxSeverityError,
            Severity::Warning => TfxSeverityWarning,
            Severity::Remark => TfxSeverityRemark,
            Severity::Note => TfxSeverityNote,
        })
    };
    // SAFETY: by the contract of the module.
    unsafe { read(diagnostic, TfxSeverityError, severity) }
}

/// Returns the source file, or NULL if there is no source location.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticGetFile(diagnostic: *const TfxDiagnostic) -> *const c_char {
    let file = |of: &TfxDiagnostic| Some(pointer(of.file.as_deref()));
    // SAFETY: by the contract of the module.
    unsafe { read(diagnostic, null(), file) }
}

/// Returns the line, from 1; 0 if it is unknown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticGetLine(diagnostic: *const TfxDiagnostic) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(diagnostic, 0, |of| Some(of.line)) }
}

/// Returns the column in bytes, from 1; 0 if it is unknown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticGetColumn(diagnostic: *const TfxDiagnostic) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(diagnostic, 0, |of| Some(of.column)) }
}

/// Returns the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticGetMessage(
    diagnostic: *const TfxDiagnostic,
) -> *const c_char {
    // SAFETY: by the contract of the module.
    unsafe { read(diagnostic, null(), |of| Some(of.message.as_ptr())) }
}

/// Returns the number of notes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticGetNumNotes(diagnostic: *const TfxDiagnostic) -> usize {
    // SAFETY: by the contract of the module.
    unsafe { read(diagnostic, 0, |of| Some(of.notes.len())) }
}

/// Returns a note, or NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxDiagnosticGetNote(
    diagnostic: *const TfxDiagnostic,
    index: usize,
) -> *const TfxDiagnostic {
    // SAFETY: by the contract of the module.
    unsafe {
        read(diagnostic, null(), |of| {
            of.notes.get(index).map(ptr::from_ref)
        })
    }
}
