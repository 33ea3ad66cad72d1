//! A difference between the original and the structured form: a bug of tfx, not of the program.

use tfx_ir::pass::PassFailed;
use tfx_ir::{Op, diag};

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

impl Difference<'_> {
    /// Reports the difference.
    pub(super) fn report(&self) -> PassFailed {
        let reason = &self.reason;
        let message = format!("the structured form of this function is wrong: {reason}");
        diag::internal_error(self.structured.location(), message)
            .note(self.original.location(), "in the control-flow graph")
            .fail()
    }
}
