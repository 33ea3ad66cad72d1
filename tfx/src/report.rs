//! Reports of the copies and schedules of a compiled program: a page, a table, JSON or SARIF; and a
//! drawing.
//!
//! ```text
//!   Program ──extract────> diagnostics ─┐
//!           │              traffic     ─┼─> Report ──┬─ table   for a terminal
//!           └─schedules──> schedules   ─┘            ├─ html    one self-contained page
//!                                                    ├─ json    the same data, for tools
//!                                                    └─ sarif   diagnostics and notes, for tools
//! ```
//!
//! All formats show the same data, except that SARIF has no copies and schedules, and that only the
//! page draws the simulated timeline of a schedule. A program that cannot be
//! compiled has no report except JSON and SARIF, with its errors. [`dot`] draws the operations of a
//! program.

pub mod json;
pub mod render;

mod dot;
mod html;
mod sarif;
mod schedules;
mod table;
mod timeline;

pub use dot::dot;
pub use json::token;
pub use sarif::{code, uri};
pub use tfx_copy_analysis::{Amount, Row, Tape, Traffic, Transfer, Work};
use tfx_ir::diag::{Collected, Severity};
pub use tfx_streams::describe as schedule;

use crate::error::Error;
use crate::program::Source;
use schedule::Description;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text for a terminal.
    Table,
    /// An HTML page.
    Html,
    /// One JSON object: [`json`].
    Json,
    /// SARIF 2.1.0.
    Sarif,
}

impl Format {
    /// All formats, with the name that is also the extension of output files.
    pub const NAMES: [(&'static str, Format); 4] = [
        ("table", Format::Table),
        ("html", Format::Html),
        ("json", Format::Json),
        ("sarif", Format::Sarif),
    ];
}

/// A report of a program: its diagnostics, its copies, and the schedules of its graphs.
#[derive(Clone, Debug)]
pub struct Report<'s> {
    source: &'s Source,
    diagnostics: Vec<Collected>,
    traffic: Vec<Traffic>,
    /// None without streams.
    schedules: Option<Vec<Description>>,
}

impl<'s> Report<'s> {
    /// Creates the report of a program that was extracted from `source`.
    pub fn new(source: &'s Source, diagnostics: Vec<Collected>, traffic: Vec<Traffic>) -> Self {
        Report {
            source,
            diagnostics,
            traffic,
            schedules: None,
        }
    }

    /// Adds the schedules of the graphs, with the diagnostics of the passes that make them: the
    /// result of [`crate::Program::schedules`].
    #[must_use]
    pub fn with_schedules(self, schedules: Vec<Description>, more: Vec<Collected>) -> Self {
        let mut diagnostics = self.diagnostics;
        diagnostics.extend(more);
        Self {
            diagnostics,
            schedules: Some(schedules),
            ..self
        }
    }

    /// Creates the report of a program that could not be extracted.
    pub fn of_error(source: &'s Source, error: Error) -> Self {
        Report::new(source, error.into_diagnostics(), Vec::new())
    }

    /// Returns whether the report contains an error.
    pub fn has_errors(&self) -> bool {
        let mut all = self.diagnostics.iter();
        all.any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns the text of the report.
    pub fn text(&self, format: Format) -> String {
        match format {
            Format::Table => table::text(self),
            Format::Html => html::page(self),
            Format::Json => json::report(self),
            Format::Sarif => sarif::log(self),
        }
    }
}

/// Returns the bytes of one value, such as `16`, or `4 x ?` if a dimension is unknown.
pub(crate) fn bytes(amount: &Amount) -> String {
    let known = amount.bytes.map(|bytes| bytes.to_string());
    let open = " x ?".repeat(amount.unknown_dimensions);
    known.map_or_else(unknown, |known| known + &open)
}

/// Returns the number of executions.
pub(crate) fn executions(amount: &Amount) -> String {
    match amount.executions {
        Some(count) if amount.at_most => format!("<= {count}"),
        Some(count) => count.to_string(),
        None => unknown(),
    }
}

/// Returns the bytes of all executions, if size and number are known.
fn total(amount: &Amount) -> String {
    let bytes = amount.bytes.filter(|_| amount.unknown_dimensions == 0);
    let total = bytes.zip(amount.executions);
    match total.and_then(|(bytes, count)| bytes.checked_mul(count)) {
        Some(total) if amount.at_most => format!("<= {total}"),
        Some(total) => total.to_string(),
        None => unknown(),
    }
}

fn unknown() -> String {
    "?".to_owned()
}

/// Returns the side that stores a tape.
fn side(tape: &Tape) -> &'static str {
    match tape.in_graph {
        true => "graph",
        false => "host",
    }
}

fn direction(transfer: &Transfer) -> &'static str {
    match transfer.to_host {
        true => "to host",
        false => "to graph",
    }
}

/// Returns the classification of a copy.
pub(crate) fn note(transfer: &Transfer) -> &'static str {
    match transfer {
        Transfer {
            intentional: true, ..
        } => "intentional",
        Transfer {
            round_trip: true, ..
        } => "round trip",
        Transfer {
            order_stall: true, ..
        } => "order stall",
        _ => "",
    }
}

/// Returns the loops around, from the outermost.
fn loops(amount: &Amount) -> String {
    let each = amount.loops.iter().map(|(place, _)| match place {
        Some(place) => format!("line {}", place.line),
        None => "a loop".to_owned(),
    });
    each.collect::<Vec<_>>().join(" > ")
}

/// Formats a count: "1 warning", "2 warnings".
fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
