//! What is said when no proof is found.

use melior::ir::Location;
use tfx_ir::diag;
use tfx_ir::pass::PassFailed;

/// Why two programs were not proved to fit: an error at one place, with notes at others.
#[derive(Debug)]
pub(crate) struct Reject<'a> {
    location: Location<'a>,
    message: String,
    notes: Vec<(Location<'a>, String)>,
}

impl<'a> Reject<'a> {
    pub(crate) fn new(location: Location<'a>, message: impl Into<String>) -> Self {
        Reject {
            location,
            message: message.into(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn note(mut self, location: Location<'a>, note: impl Into<String>) -> Self {
        self.notes.push((location, note.into()));
        self
    }

    /// Says it. `internal`: both sides were made by the compiler, so that it is the compiler's fault.
    pub(crate) fn fail(self, internal: bool) -> PassFailed {
        let (prefix, blame) = if internal {
            let blame = "tfx-partition made both sides: this is a fault of tfx and not of this program; please report it";
            ("internal error: ", Some((self.location, blame.to_owned())))
        } else {
            ("", None)
        };
        let diag = diag::error(self.location, format!("{prefix}{}", self.message));
        self.notes
            .into_iter()
            .chain(blame)
            .fold(diag, |diag, (location, note)| diag.note(location, note))
            .fail()
    }
}
