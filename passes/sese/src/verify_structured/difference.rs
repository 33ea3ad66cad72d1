//! A difference between the original and the structured form: a bug of tfx, not of the program.

use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};

/// A difference between two operations.
pub(super) struct Difference<'a> {
    structured: Op<'a>,
    original: Op<'a>,
    reason: String,
}

pub(super) fn differ<'a>(structured: Op<'a>, original: Op<'a>, reason: &str) -> Difference<'a> {
    Difference {
        structured,
        original,
        reason: reason.to_owned(),
    }
}

impl<'a> Difference<'a> {
    /// Returns the error that reports the difference.
    pub(super) fn error(&self) -> Diagnostic<'a> {
        let reason = &self.reason;
        let message = format!("the structured form of this function is wrong: {reason}");
        diag::internal_error(self.structured.location(), message)
            .note(self.original.location(), "in the control-flow graph")
    }
}
