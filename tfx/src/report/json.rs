//! Diagnostics and reports as JSON, for other tools.
//!
//! ```text
//!   diagnostics   one object per line, in the form of rustc's --error-format=json
//!   report        one object: diagnostics, the copies of each program, and the schedules of graphs
//! ```
//!
//! `docs/tfxc.schema.json` is the schema of both, and `docs/json.md` describes it. Lines and
//! columns count from 1; columns count characters in lines of the source, and bytes in lines of
//! other files, which are not read.

use std::ops::Range;

use serde_json::{Value, json};
use tfx_copy_analysis::{Amount, Row, Tape, Traffic, Transfer, Work};
use tfx_ir::diag::{Collected, Severity};
use tfx_ir::location::Place;

use super::{Report, code, render, schedules, side};
use crate::error::Error;
use crate::program::Source;

/// The version of the schema. A change that readers must know increases it.
const SCHEMA_VERSION: u32 = 1;

/// Returns the diagnostics, one object per line.
pub fn lines(list: &[Collected], source: &Source) -> String {
    let places = Places::new(source);
    let line = |one: &Collected| format!("{}\n", places.diagnostic(one, Some(source)));
    list.iter().map(line).collect()
}

/// Returns an error in the same form.
pub fn error(error: Error, source: &Source) -> String {
    lines(&error.into_diagnostics(), source)
}

/// Returns the bytes of the name or value at a column of a line, or of one character. The column
/// counts bytes from 1, as in MLIR.
pub fn token(line: &str, column: usize) -> Range<usize> {
    let start = (0..column.min(line.len() + 1))
        .rev()
        .find(|start| line.is_char_boundary(*start))
        .unwrap_or_default();
    let text = &line[start..];
    let is_inner = |c: char| c.is_alphanumeric() || "_.$-#%@!^".contains(c);
    let length = match text.find(|c| !is_inner(c)) {
        Some(0) => text.chars().next().map_or(0, char::len_utf8),
        Some(end) => end,
        None => text.len(),
    };
    start..start + length
}

pub(super) fn report(report: &Report<'_>) -> String {
    let places = Places::new(report.source);
    let diagnostics = report.diagnostics.iter();
    let diagnostics: Vec<Value> = diagnostics
        .map(|one| places.diagnostic(one, Some(report.source)))
        .collect();
    let programs = report.traffic.iter();
    let programs: Vec<Value> = programs.map(|traffic| places.program(traffic)).collect();
    let schedules = report.schedules.as_ref().map(|schedules| {
        let schedules = schedules.iter();
        let schedules = schedules
            .map(|schedule| schedules::value(schedule, places.optional(schedule.place.as_ref())));
        schedules.collect::<Vec<_>>()
    });
    let report = json!({
        "$message_type": "report",
        "version": SCHEMA_VERSION,
        "tool": {"name": "tfx", "version": env!("CARGO_PKG_VERSION")},
        "source": report.source.name(),
        "diagnostics": diagnostics,
        "programs": programs,
        "schedules": schedules,
    });
    format!("{report:#}\n")
}

/// The source, for spans.
struct Places<'s> {
    file: &'s str,
    lines: Vec<&'s str>,
}

impl<'s> Places<'s> {
    fn new(source: &'s Source) -> Self {
        Self {
            file: source.name(),
            lines: source.text().lines().collect(),
        }
    }

    /// Returns a diagnostic with its notes. Notes have no text of their own.
    fn diagnostic(&self, one: &Collected, source: Option<&Source>) -> Value {
        let primary = one.place.iter().map(|place| self.span(place, None));
        let callers = one.places.iter().skip(1);
        let callers = callers.map(|place| self.span(place, Some("inlined here")));
        let spans: Vec<Value> = primary.chain(callers).collect();
        let notes = one.notes.iter();
        let notes: Vec<Value> = notes.map(|note| self.diagnostic(note, None)).collect();
        let is_note = one.severity == Severity::Note;
        json!({
            "$message_type": "diagnostic",
            "message": one.message,
            "code": (!is_note).then(|| json!({"code": code(one), "explanation": null})),
            "level": level(one.severity),
            "spans": spans,
            "children": notes,
            "rendered": source.map(|source| render::diagnostics(std::slice::from_ref(one), source)),
        })
    }

    /// Returns a span; a place without a line is the start of the file.
    fn span(&self, place: &Place, label: Option<&str>) -> Value {
        let line = place.line.checked_sub(1).and_then(|line| {
            let line = self.lines.get(line).copied();
            line.filter(|_| place.file == self.file)
        });
        let (columns, text) = match line {
            Some(line) => {
                let bytes = token(line, place.column);
                let column = |byte: usize| line[..byte].chars().count() + 1;
                let columns = column(bytes.start)..column(bytes.end);
                let text = json!({
                    "text": line,
                    "highlight_start": columns.start,
                    "highlight_end": columns.end,
                });
                (columns, vec![text])
            }
            None => (place.column.max(1)..place.column.max(1), Vec::new()),
        };
        json!({
            "file_name": place.file,
            "line_start": place.line.max(1),
            "line_end": place.line.max(1),
            "column_start": columns.start,
            "column_end": columns.end,
            "is_primary": label.is_none(),
            "label": label,
            "text": text,
        })
    }

    fn optional(&self, place: Option<&Place>) -> Option<Value> {
        place.map(|place| self.span(place, None))
    }

    fn program(&self, traffic: &Traffic) -> Value {
        let transfers = traffic.transfers.iter().map(|copy| self.transfer(copy));
        json!({
            "function": traffic.function,
            "graph": traffic.graph,
            "span": self.optional(traffic.place.as_ref()),
            "inputs": traffic.inputs,
            "results": traffic.results,
            "transfers": transfers.collect::<Vec<_>>(),
            "tapes": traffic.tapes.iter().map(|tape| self.tape(tape)).collect::<Vec<_>>(),
            "timeline": traffic.rows.iter().map(|row| self.row(row)).collect::<Vec<_>>(),
        })
    }

    fn transfer(&self, copy: &Transfer) -> Value {
        let amount = &copy.amount;
        json!({
            "channel": copy.channel,
            "direction": if copy.to_host { "to_host" } else { "to_graph" },
            "value": copy.name,
            "type": copy.ty,
            "bytes": amount.bytes,
            "unknown_dimensions": amount.unknown_dimensions,
            "executions": amount.executions,
            "at_most": amount.at_most,
            "span": self.optional(copy.place.as_ref()),
            "loops": self.loops(amount),
            "intentional": copy.intentional,
            "round_trip": copy.round_trip,
            "order_stall": copy.order_stall,
        })
    }

    fn tape(&self, tape: &Tape) -> Value {
        let amount = &tape.amount;
        json!({
            "side": side(tape),
            "type": tape.ty,
            "bytes": amount.bytes,
            "unknown_dimensions": amount.unknown_dimensions,
            "executions": amount.executions,
            "at_most": amount.at_most,
            "span": self.optional(tape.place.as_ref()),
            "loops": self.loops(amount),
        })
    }

    fn loops(&self, amount: &Amount) -> Vec<Value> {
        let loops = amount.loops.iter().map(|(place, iterations)| {
            json!({"span": self.optional(place.as_ref()), "executions": iterations})
        });
        loops.collect()
    }

    fn row(&self, row: &Row) -> Value {
        let work = |list: &[Work]| {
            let each = list.iter().map(|work| {
                let span = self.optional(work.place.as_ref());
                json!({"what": work.what, "count": work.count, "span": span})
            });
            each.collect::<Vec<_>>()
        };
        match row {
            Row::Work { host, graph } => {
                json!({"kind": "work", "host": work(host), "graph": work(graph)})
            }
            Row::Transfer(index) => json!({"kind": "transfer", "index": index}),
            Row::Open { what, place } => {
                json!({"kind": "open", "what": what, "span": self.optional(place.as_ref())})
            }
            Row::Close => json!({"kind": "close"}),
        }
    }
}

/// Returns the level; rustc has no remarks.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Remark | Severity::Note => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_names() {
        assert_eq!(token("  %x = foo.bar(%y)", 8), 7..14);
        assert_eq!(token("(x)", 1), 0..1);
        assert_eq!(token("\u{1F600}", 3), 0..4);
        assert_eq!(token("f", 2), 1..1);
        assert_eq!(token("f", 99), 1..1);
        assert_eq!(token("", 0), 0..0);
    }
}
