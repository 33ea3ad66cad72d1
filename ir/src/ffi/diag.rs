//! Emits diagnostics, and prints them with their source lines.

use std::ffi::c_void;
use std::ptr::null_mut;

use melior::Context;
use melior::ir::Location;
use mlir_sys::*;

use super::declarations::*;
use super::text::{append, string_ref};
use crate::diag::Severity;

pub(crate) fn emit(
    location: Location,
    severity: Severity,
    message: &str,
    notes: &[(Location, String)],
) {
    let severity = match severity {
        Severity::Error => MlirDiagnosticSeverity_MlirDiagnosticError,
        Severity::Warning => MlirDiagnosticSeverity_MlirDiagnosticWarning,
        Severity::Note => MlirDiagnosticSeverity_MlirDiagnosticNote,
        Severity::Remark => MlirDiagnosticSeverity_MlirDiagnosticRemark,
    };
    let locations: Vec<MlirLocation> = notes
        .iter()
        .map(|(location, _)| location.to_raw())
        .collect();
    let messages: Vec<MlirStringRef> = notes
        .iter()
        .map(|(_, message)| string_ref(message))
        .collect();
    // SAFETY: live locations; the engine copies all text before it returns.
    unsafe {
        tfxEmitDiagnostic(
            location.to_raw(),
            severity as i32,
            string_ref(message),
            notes.len() as isize,
            locations.as_ptr(),
            messages.as_ptr(),
        )
    }
}

/// Text that C++ appends to. It is boxed so that its address does not change.
#[derive(Default)]
struct Buffer(Vec<u8>);

/// Owns a `SourceMgrDiagnosticHandler`, and the text that it printed if it keeps the text.
pub(crate) struct SourcePrinter {
    printer: *mut c_void,
    text: Option<Box<Buffer>>,
}

impl SourcePrinter {
    pub(crate) fn new(context: &Context, name: &str, text: &str, keep: bool) -> Self {
        let mut buffer = keep.then(Box::<Buffer>::default);
        let (callback, data): (MlirStringCallback, *mut c_void) = match &mut buffer {
            Some(buffer) => (Some(append), &mut buffer.0 as *mut Vec<u8> as *mut c_void),
            None => (None, null_mut()),
        };
        // SAFETY: name and text are copied; the buffer is boxed, so it stays in place until `drop`,
        // which destroys the printer before it. MLIR calls the handler under a lock.
        let printer = unsafe {
            tfxSourcePrinterCreate(
                context.to_raw(),
                string_ref(name),
                string_ref(text),
                callback,
                data,
            )
        };
        Self {
            printer,
            text: buffer,
        }
    }

    /// Ends the printing and gives the text.
    pub(crate) fn finish(mut self) -> String {
        self.destroy();
        self.text.take().map_or_else(String::new, |text| {
            String::from_utf8_lossy(&text.0).into_owned()
        })
    }

    fn destroy(&mut self) {
        if !self.printer.is_null() {
            // SAFETY: made by `new`, destroyed once.
            unsafe { tfxSourcePrinterDestroy(self.printer) };
            self.printer = null_mut();
        }
    }
}

impl Drop for SourcePrinter {
    fn drop(&mut self) {
        self.destroy();
    }
}
