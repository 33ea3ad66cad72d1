//! Errors.

use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::ptr::null;
use std::sync::{Arc, OnceLock};

use tfx::report::{Report, render};
use tfx::{Error, ErrorKind, Source};

use super::buffer::TfxBuffer;
use super::diagnostics::TfxDiagnostics;
use super::extraction::{TfxReportFormat, format};
use super::guard::{Failed, Out, c_string, destroy, guarded, handle, lossy_text, read, required};

/// The class of an error.
#[allow(clippy::enum_variant_names, reason = "the names are those in C")]
#[derive(Clone, Copy)]
#[repr(C)]
pub enum TfxErrorKind {
    /// There is no error: the handle is NULL.
    TfxErrorKindNone = 0,
    /// The program is invalid: the parser, a verifier or a pass rejects it.
    TfxErrorKindProgram = 1,
    /// An argument of the call is invalid.
    TfxErrorKindArgument = 2,
    /// A file cannot be read or written.
    TfxErrorKindFile = 3,
    /// A foreign function or a library is missing, or cannot be linked.
    TfxErrorKindLink = 4,
    /// Another program, such as the C compiler, cannot be run, or fails.
    TfxErrorKindTool = 5,
    /// The program failed while it ran.
    TfxErrorKindRun = 6,
    /// A foreign function failed while the program ran.
    TfxErrorKindForeignFunction = 7,
    /// The call was cancelled.
    TfxErrorKindCancelled = 8,
    /// The call exceeded its time limit.
    TfxErrorKindTimeLimit = 9,
    /// A bug of tfx.
    TfxErrorKindInternal = 10,
}

use TfxErrorKind::*;

impl From<ErrorKind> for TfxErrorKind {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Program => TfxErrorKindProgram,
            ErrorKind::Argument => TfxErrorKindArgument,
            ErrorKind::File => TfxErrorKindFile,
            ErrorKind::Link => TfxErrorKindLink,
            ErrorKind::Tool => TfxErrorKindTool,
            ErrorKind::Run => TfxErrorKindRun,
            ErrorKind::ForeignFunction => TfxErrorKindForeignFunction,
            ErrorKind::Cancelled => TfxErrorKindCancelled,
            ErrorKind::TimeLimit => TfxErrorKindTimeLimit,
            _ => TfxErrorKindInternal,
        }
    }
}

/// A failure.
pub struct TfxError {
    error: Error,
    message: CString,
    diagnostics: TfxDiagnostics,
    rendered: OnceLock<CString>,
}

impl TfxError {
    pub(super) fn new(failed: Failed) -> Self {
        let Failed { error, source } = failed;
        let source = source.unwrap_or_else(|| Arc::new(Source::new("", "")));
        Self {
            message: c_string(error.to_string()),
            diagnostics: TfxDiagnostics::new(error.diagnostics().to_vec(), &source),
            error,
            rendered: OnceLock::new(),
        }
    }

    pub(super) fn message(&self) -> String {
        self.error.to_string()
    }
}

/// Creates an error, as the result of a callback that fails. It has the kind
/// `TfxErrorKindForeignFunction`. NULL is an empty message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxErrorCreate(message: *const c_char) -> *mut TfxError {
    // SAFETY: by the contract of the module.
    let message = unsafe { lossy_text(message) };
    handle(TfxError::new(
        Error::new(ErrorKind::ForeignFunction, message).into(),
    ))
}

/// Returns the class of an error; `TfxErrorKindNone` for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxErrorGetKind(error: *const TfxError) -> TfxErrorKind {
    // SAFETY: by the contract of the module.
    unsafe { read(error, TfxErrorKindNone, |of| Some(of.error.kind().into())) }
}

/// Returns the message: the diagnostics with their source locations, one in a line, or a text. It
/// lives as long as the error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxErrorGetMessage(error: *const TfxError) -> *const c_char {
    // SAFETY: by the contract of the module.
    unsafe { read(error, null(), |of| Some(of.message.as_ptr())) }
}

/// Returns the text of an error with source lines. It lives as long as the error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxErrorGetRendered(error: *const TfxError) -> *const c_char {
    let rendered = |of: &TfxError| {
        let source = of.diagnostics.source();
        let render = || c_string(render::error(&of.error, source));
        Some(of.rendered.get_or_init(render).as_ptr())
    };
    // SAFETY: by the contract of the module.
    unsafe { read(error, null(), rendered) }
}

/// Returns the diagnostics of an error, including warnings that precede it; none if the error is
/// only a message. They live as long as the error, and must not be destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxErrorGetDiagnostics(error: *const TfxError) -> *const TfxDiagnostics {
    // SAFETY: by the contract of the module.
    unsafe { read(error, null(), |of| Some(&raw const of.diagnostics)) }
}

/// Formats an error as a report. Only `TfxReportFormatSarif` is useful for tools.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxErrorReport(
    error: *const TfxError,
    format: MaybeUninit<TfxReportFormat>,
    report: *mut *mut TfxBuffer,
) -> *mut TfxError {
    guarded(|| {
        // SAFETY: by the contract of the module.
        let (report, of) = unsafe { (Out::new(report, "report")?, required(error, "error")?) };
        let source = of.diagnostics.source();
        let text = Report::of_error(source, of.error.clone()).text(self::format(format)?);
        report.set(TfxBuffer::new(text));
        Ok(())
    })
}

/// Destroys an error. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tfxErrorDestroy(error: *mut TfxError) {
    // SAFETY: by the contract of the module.
    unsafe { destroy(error) }
}
