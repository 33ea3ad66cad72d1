//! The diagnostics of copy analysis: one for each source location and direction, and one for a
//! round trip and its opposite, which a derivative makes.
//!
//! ```text
//!   a warning in @step, which was inlined twice       lib.mlir:2:2: warning: ...
//!                                                     app.mlir:7:7: note: inlined here, the first of 2 places
//! ```
//!
//! Only the first diagnostic of a location builds its message. Cost: linear.

use melior::ir::Location;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::transfer::Transfer;
use tfx_ir::diag::{self, Diagnostic, Severity};
use tfx_ir::location::{Place, Places, call_chain, place};

use crate::program::source_location;

/// The text and the notes of a diagnostic, without its severity and its call sites.
pub(crate) struct Message<'a> {
    text: String,
    notes: Vec<(Location<'a>, String)>,
}

impl<'a> Message<'a> {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Message {
            text: text.into(),
            notes: Vec::new(),
        }
    }

    /// Adds a note at the source location, without call sites: the message has them.
    pub(crate) fn note(&mut self, location: Location<'a>, text: impl Into<String>) {
        self.notes.push((call_chain(location).0, text.into()));
    }
}

/// The diagnostics of a module, in the order in which they were first reported.
#[derive(Default)]
pub(crate) struct Diagnostics<'a> {
    list: Vec<Entry<'a>>,
    by_place: FxHashMap<(Place, Kind, bool), usize>,
    /// Round trips by the places of the host code on their paths.
    by_path: FxHashMap<Vec<Place>, usize>,
}

/// The kind of a diagnostic. Diagnostics of one kind at one location are the same.
#[derive(PartialEq, Eq, Hash)]
enum Kind {
    ToHost,
    ToAccelerator,
    Replicated,
}

struct Entry<'a> {
    severity: Severity,
    location: Location<'a>,
    message: Message<'a>,
    /// The call sites of each other copy at this location.
    others: FxHashSet<Vec<Place>>,
}

impl<'a> Diagnostics<'a> {
    /// Reports a copy, unless its location has such a diagnostic.
    pub(crate) fn report(
        &mut self,
        severity: Severity,
        transfer: Transfer<'a>,
        message: impl FnOnce() -> Message<'a>,
    ) {
        let kind = match transfer {
            Transfer::Send(_) => Kind::ToAccelerator,
            Transfer::Recv(_) => Kind::ToHost,
        };
        self.add(severity, source_location(transfer), kind, message);
    }

    /// Reports a round trip, unless its location has such a diagnostic, or the opposite round trip
    /// through the same host code: a derivative makes the round trips of its function backwards.
    pub(crate) fn report_round_trip(
        &mut self,
        severity: Severity,
        transfer: Transfer<'a>,
        path: Option<Vec<Place>>,
        message: impl FnOnce() -> Message<'a>,
    ) {
        let location = source_location(transfer);
        let Some(path) = path else {
            self.add(severity, location, Kind::ToAccelerator, message);
            return;
        };
        let opposite: Vec<_> = path.iter().rev().cloned().collect();
        if let Some(&index) = self.by_path.get(&opposite) {
            return self.list[index].merge(severity, location);
        }
        let index = self.add(severity, location, Kind::ToAccelerator, message);
        self.by_path.insert(path, index);
    }

    /// Remarks on an operation that both sides compute.
    pub(crate) fn remark_replicated(&mut self, location: Location<'a>) {
        self.add(Severity::Remark, location, Kind::Replicated, || {
            Message::new("both sides compute this, which avoids a copy")
        });
    }

    /// Adds a diagnostic or merges it into that of its location. Returns its index.
    fn add(
        &mut self,
        severity: Severity,
        location: Location<'a>,
        kind: Kind,
        message: impl FnOnce() -> Message<'a>,
    ) -> usize {
        // Without a place, each has its own diagnostic.
        if let Some(place) = place(location) {
            let key = (place, kind, severity == Severity::Remark);
            let index = *self.by_place.entry(key).or_insert(self.list.len());
            if let Some(entry) = self.list.get_mut(index) {
                entry.merge(severity, location);
                return index;
            }
        }
        self.list.push(Entry {
            severity,
            location,
            message: message(),
            others: FxHashSet::default(),
        });
        self.list.len() - 1
    }

    /// Returns the number of warnings and errors.
    pub(crate) fn warnings(&self) -> u64 {
        let severities = self.list.iter().map(|entry| entry.severity);
        severities.filter(|one| *one != Severity::Remark).count() as u64
    }

    /// Emits all diagnostics; if one is an error, returns them instead.
    pub(crate) fn finish(self) -> Result<(), diag::Diagnostics<'a>> {
        let list = self.list.into_iter().map(Entry::diagnostic);
        list.collect::<diag::Diagnostics<'a>>().finish()
    }
}

impl<'a> Entry<'a> {
    /// Adds another copy at the same location. The entry is an error if it is one for any function.
    fn merge(&mut self, severity: Severity, location: Location<'a>) {
        self.severity = self.severity.min(severity);
        if location != self.location {
            self.others.insert(Places::of(location).skip(1).collect());
        }
    }

    fn diagnostic(mut self) -> Diagnostic<'a> {
        let (location, calls) = call_chain(self.location);
        let own: Vec<Place> = Places::of(self.location).skip(1).collect();
        self.others.remove(&own);
        let sites = self.others.len() + 1;
        let mut diagnostic = Diagnostic::new(self.severity, location, self.message.text);
        for (index, call) in calls.into_iter().enumerate() {
            let text = match index {
                0 if sites > 1 => format!("inlined here, the first of {sites} places"),
                0 => "inlined here".to_owned(),
                _ => "which was inlined here".to_owned(),
            };
            diagnostic = diagnostic.note(call, text);
        }
        for (location, note) in self.message.notes {
            diagnostic = diagnostic.note(location, note);
        }
        diagnostic
    }
}
