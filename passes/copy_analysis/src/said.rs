//! What there is to say, once for each place in the source and direction.
//!
//! ```text
//!   a warning in @step, which was inlined twice       lib.mlir:2:2: warning: ...
//!                                                     app.mlir:7:7: note: inlined here, the first of 2 places
//! ```
//!
//! The words are found for the first of them only. Cost: linear.

use melior::ir::Location;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::Op;
use tfx_ir::diag::{Diag, Severity};
use tfx_ir::location::{Place, Places, call_chain, place};

use crate::program::{Direction, written};

/// What is said of a copy, but for its severity and its calls.
pub(crate) struct Message<'a> {
    pub(crate) text: String,
    pub(crate) notes: Vec<(Location<'a>, String)>,
}

/// All that is said, in the order in which it was first found.
#[derive(Default)]
pub(crate) struct Said<'a> {
    list: Vec<Statement<'a>>,
    by_place: FxHashMap<(Place, Option<Direction>, bool), usize>,
}

struct Statement<'a> {
    severity: Severity,
    location: Location<'a>,
    message: Message<'a>,
    /// The calls of each copy at this place after the first.
    others: FxHashSet<Vec<Place>>,
}

/// What was said in the end.
pub(crate) struct Told {
    pub(crate) warnings: u64,
    /// Whether an error was among it.
    pub(crate) failed: bool,
}

impl<'a> Said<'a> {
    /// Says `message` of a copy, if nothing was said of its place.
    pub(crate) fn say(
        &mut self,
        severity: Severity,
        transfer: Op<'a>,
        direction: Direction,
        message: impl FnOnce() -> Message<'a>,
    ) {
        let (_, location) = written(transfer);
        self.say_at(severity, location, Some(direction), message);
    }

    /// Remarks on what is no copy.
    pub(crate) fn remark(&mut self, location: Location<'a>, text: &str) {
        self.say_at(Severity::Remark, location, None, || {
            Message::new(text.to_owned())
        });
    }

    fn say_at(
        &mut self,
        severity: Severity,
        location: Location<'a>,
        direction: Option<Direction>,
        message: impl FnOnce() -> Message<'a>,
    ) {
        // Without a place each is one of its own.
        if let Some(place) = place(location) {
            let key = (place, direction, severity == Severity::Remark);
            let index = *self.by_place.entry(key).or_insert(self.list.len());
            if let Some(statement) = self.list.get_mut(index) {
                statement.again(severity, location);
                return;
            }
        }
        self.list.push(Statement {
            severity,
            location,
            message: message(),
            others: FxHashSet::default(),
        });
    }

    /// Emits all of it.
    pub(crate) fn emit(self) -> Told {
        let mut told = Told {
            warnings: 0,
            failed: false,
        };
        for statement in self.list {
            told.warnings += u64::from(statement.severity != Severity::Remark);
            told.failed |= statement.severity == Severity::Error;
            statement.emit();
        }
        told
    }
}

impl<'a> Statement<'a> {
    /// The same place once more; an error, if it is one for any function.
    fn again(&mut self, severity: Severity, location: Location<'a>) {
        self.severity = self.severity.min(severity);
        if location != self.location {
            let calls = Places::of(location).skip(1).collect();
            self.others.insert(calls);
        }
    }

    fn emit(mut self) {
        let (written, calls) = call_chain(self.location);
        let own: Vec<Place> = Places::of(self.location).skip(1).collect();
        self.others.remove(&own);
        let sites = self.others.len() + 1;
        let mut diag = Diag::new(self.severity, written, self.message.text);
        for (index, call) in calls.into_iter().enumerate() {
            let text = match index {
                0 if sites > 1 => format!("inlined here, the first of {sites} places"),
                0 => "inlined here".to_owned(),
                _ => "which was inlined here".to_owned(),
            };
            diag = diag.note(call, text);
        }
        let notes = self.message.notes.into_iter();
        notes
            .fold(diag, |diag, (location, note)| diag.note(location, note))
            .emit();
    }
}
