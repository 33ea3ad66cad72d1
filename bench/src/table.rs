//! Measurements as a table and as JSON.

use std::fmt::Write;
use std::path::Path;

use serde::Serialize;

use crate::harness::Time;

/// One shape in one size.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) shape: &'static str,
    /// The exact number of what the family counts: blocks, operations.
    pub(crate) size: usize,
    pub(crate) ours: Option<Time>,
    pub(crate) upstream: Option<Time>,
}

const MICROSECONDS: f64 = 1e6;
const NANOSECONDS: f64 = 1e9;

/// The table, as Markdown.
pub(crate) fn text(rows: &[Row]) -> String {
    let mut text = String::new();
    let head = [
        "shape",
        "size",
        "ours (min .. max)",
        "µs each",
        "upstream (min .. max)",
        "µs each",
        "times faster",
        "ops",
        "upstream's ops",
        "bytes each",
        "upstream's bytes",
        "ns a walk each",
    ];
    let mut cells: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
    cells.extend(rows.iter().map(row));
    let width = |column: usize| {
        let widths = cells.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    for (index, row) in cells.iter().enumerate() {
        for (cell, width) in row.iter().zip(&widths) {
            // Writing to a string does not fail.
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
        if index == 0 {
            widths
                .iter()
                .for_each(|width| text += &format!("|{}", "-".repeat(width + 2)));
            text.push_str("|\n");
        }
    }
    text
}

fn row(row: &Row) -> Vec<String> {
    let time = |time: &Option<Time>| match time {
        Some(time) => format!(
            "{} ({} .. {})",
            seconds(time.median_seconds),
            seconds(time.min_seconds),
            seconds(time.max_seconds)
        ),
        None => "left out: over budget".to_owned(),
    };
    let each = |time: &Option<Time>| match time {
        Some(time) => format!(
            "{:.2}",
            time.median_seconds * MICROSECONDS / row.size as f64
        ),
        None => String::new(),
    };
    let operations = |time: &Option<Time>| {
        let operations = time.as_ref().and_then(|time| time.operations);
        operations.map_or(String::new(), |operations| operations.to_string())
    };
    let bytes = |time: &Option<Time>| {
        let peak = time.as_ref().and_then(|time| time.peak_bytes);
        peak.map_or(String::new(), |peak| {
            (peak / row.size.max(1) as u64).to_string()
        })
    };
    let ratio = match (&row.ours, &row.upstream) {
        (Some(ours), Some(upstream)) => {
            format!("{:.1}", upstream.median_seconds / ours.median_seconds)
        }
        _ => String::new(),
    };
    let walk = row.ours.as_ref().map_or(String::new(), |ours| {
        format!("{:.0}", ours.walk_seconds * NANOSECONDS / row.size as f64)
    });
    vec![
        row.shape.to_owned(),
        row.size.to_string(),
        time(&row.ours),
        each(&row.ours),
        time(&row.upstream),
        each(&row.upstream),
        ratio,
        operations(&row.ours),
        operations(&row.upstream),
        bytes(&row.ours),
        bytes(&row.upstream),
        walk,
    ]
}

fn seconds(seconds: f64) -> String {
    match seconds {
        _ if seconds < 1e-3 => format!("{:.0} µs", seconds * MICROSECONDS),
        _ if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.1} s"),
    }
}

/// Writes the rows to a file.
pub(crate) fn write_json(rows: &[Row], path: &Path) -> Result<(), String> {
    let text = serde_json::to_string_pretty(rows).map_err(|error| error.to_string())?;
    std::fs::write(path, text + "\n").map_err(|error| format!("{}: {error}", path.display()))
}
