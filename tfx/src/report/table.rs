//! The report as text for a terminal.
//!
//! ```text
//!   program @main.graph, run by @main: 3 inputs, 1 result, 2 copies during execution
//!     channel  direction  type           bytes  times  total  loops    where        value
//!     0        to host    tensor<4xf32>  16     1000   16000  line 19  f.mlir:23:8  the loss
//!
//!     host                              graph
//!     loop, 1000 iterations (line 19)
//!                                       Tanh
//!                         <── 0 ──
//!     call @simulate
//!                         ── 1 ──>
//!                                       Square, AddV2
//!     end
//!
//!   Schedules
//!     schedule             where            kernels  copies  waits  streams  time      busy ...
//! ```

use std::fmt::Write;

use tfx_copy_analysis::{Row, Tape, Traffic, Transfer, Work};
use tfx_ir::location::Place;

use super::{Report, bytes, counted, direction, executions, loops, note, side, total};
use crate::report::{render, schedules};

/// The width of a lane. Longer text continues on the next line.
const LANE: usize = 36;
/// The width of the column between the lanes.
const BETWEEN: usize = 12;

pub(super) fn text(report: &Report<'_>) -> String {
    let mut text = render::diagnostics(&report.diagnostics, report.source);
    if !text.is_empty() {
        text.push('\n');
    }
    if report.traffic.is_empty() {
        text += "no function of this program runs a graph\n";
    }
    for (index, traffic) in report.traffic.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        program(&mut text, traffic);
    }
    if let Some(schedules) = &report.schedules {
        text += "\nSchedules\n";
        match schedules.as_slice() {
            [] => line(&mut text, &format!("  {}", schedules::NONE)),
            all => columns(
                &mut text,
                &schedules::COLUMNS,
                all.iter().map(schedules::cells),
            ),
        }
    }
    text
}

fn program(text: &mut String, traffic: &Traffic) {
    line(
        text,
        &format!(
            "program @{}, run by @{}: {}, {}, {} during execution",
            traffic.graph,
            traffic.function,
            counted(traffic.inputs.len(), "input"),
            counted(traffic.results.len(), "result"),
            match traffic.transfers.len() {
                0 => "no copies".to_owned(),
                1 => "1 copy".to_owned(),
                count => format!("{count} copies"),
            },
        ),
    );
    if !traffic.tapes.is_empty() {
        columns(text, &TAPE_COLUMNS, traffic.tapes.iter().map(tape_cells));
        text.push('\n');
    }
    if traffic.transfers.is_empty() {
        return;
    }
    columns(text, &COLUMNS, traffic.transfers.iter().map(cells));
    text.push('\n');
    lanes(text, traffic);
}

/// The head of the table; [`cells`] returns the values of the columns.
pub(super) const COLUMNS: [&str; 10] = [
    "channel",
    "direction",
    "type",
    "bytes",
    "times",
    "total",
    "loops",
    "where",
    "value",
    "note",
];

pub(super) fn cells(transfer: &Transfer) -> [String; COLUMNS.len()] {
    [
        transfer.channel.to_string(),
        direction(transfer).to_owned(),
        transfer.ty.clone(),
        bytes(&transfer.amount),
        executions(&transfer.amount),
        total(&transfer.amount),
        loops(&transfer.amount),
        place(transfer.place.as_ref()),
        transfer.name.clone(),
        note(transfer).to_owned(),
    ]
}

/// The head of the table of tapes; [`tape_cells`] returns the values of the columns.
pub(super) const TAPE_COLUMNS: [&str; 7] = [
    "tape on", "type", "bytes", "times", "total", "loops", "where",
];

pub(super) fn tape_cells(tape: &Tape) -> [String; TAPE_COLUMNS.len()] {
    [
        side(tape).to_owned(),
        tape.ty.clone(),
        bytes(&tape.amount),
        executions(&tape.amount),
        total(&tape.amount),
        loops(&tape.amount),
        place(tape.place.as_ref()),
    ]
}

fn place(place: Option<&Place>) -> String {
    place.map(ToString::to_string).unwrap_or_default()
}

fn columns<const N: usize>(
    text: &mut String,
    head: &[&str; N],
    cells: impl Iterator<Item = [String; N]>,
) {
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(cells);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..N).filter_map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths);
        let cells: Vec<_> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        line(text, &format!("  {}", cells.join("  ")));
    }
}

fn lanes(text: &mut String, traffic: &Traffic) {
    let mut depth = 0;
    both(text, depth, "host", "", "graph");
    for row in &traffic.rows {
        match row {
            Row::Open { what, place } => {
                let at = place
                    .as_ref()
                    .map(|place| format!(" (line {})", place.line));
                both(
                    text,
                    depth,
                    &format!("{what}{}", at.unwrap_or_default()),
                    "",
                    "",
                );
                depth += 1;
            }
            Row::Close => {
                depth = depth.saturating_sub(1);
                both(text, depth, "end", "", "");
            }
            Row::Transfer(index) => {
                let transfer = &traffic.transfers[*index];
                let arrow = match transfer.to_host {
                    true => format!("<── {} ──", transfer.channel),
                    false => format!("── {} ──>", transfer.channel),
                };
                both(text, depth, "", &arrow, "");
            }
            Row::Work { host, graph } => {
                let (host, graph) = (wrapped(host), wrapped(graph));
                for index in 0..host.len().max(graph.len()) {
                    let of = |lane: &[String]| lane.get(index).cloned().unwrap_or_default();
                    both(text, depth, &of(&host), "", &of(&graph));
                }
            }
        }
    }
}

/// Writes one line of the lanes.
fn both(text: &mut String, depth: usize, host: &str, arrow: &str, graph: &str) {
    let indent = " ".repeat(2 * depth);
    let host = format!("{indent}{host}");
    line(
        text,
        &format!("  {host:LANE$}{arrow:^BETWEEN$}{indent}{graph}"),
    );
}

/// Wraps a list of operations at the width of a lane.
fn wrapped(list: &[Work]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for work in list {
        let word = worded(work);
        match lines.last_mut() {
            Some(last) if last.chars().count() + word.chars().count() + 2 < LANE => {
                // Writing to a string does not fail.
                let _ = write!(last, ", {word}");
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// Formats "Sub", or "Sub (3)" for three of them.
pub(super) fn worded(work: &Work) -> String {
    match work.count {
        1 => work.what.clone(),
        count => format!("{} ({count})", work.what),
    }
}

fn line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}
