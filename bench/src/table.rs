//! Output of measurements as a table and as JSON.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::harness::Time;

/// A shape with one size.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) shape: &'static str,
    /// The exact number of blocks or operations, depending on the family.
    pub(crate) size: usize,
    pub(crate) ours: Figure,
    pub(crate) upstream: Figure,
}

impl Row {
    /// Creates a row from the figures of tfx and of its peer, if there is one.
    pub(crate) fn new(
        shape: &'static str,
        size: usize,
        figures: impl IntoIterator<Item = Figure>,
    ) -> Self {
        let mut figures = figures.into_iter();
        let mut next = || figures.next().unwrap_or(Figure::Absent);
        Self {
            shape,
            size,
            ours: next(),
            upstream: next(),
        }
    }
}

/// The result of a contender.
#[derive(Clone, Debug, Serialize)]
pub(crate) enum Figure {
    Measured(Time),
    /// It was stopped after this time.
    Stopped {
        seconds: f64,
    },
    /// It was stopped at a smaller size.
    NotRun {
        stopped_at: usize,
    },
    /// It was expected to exceed the budget.
    Skipped,
    /// It was not measured.
    Absent,
}

impl Figure {
    fn time(&self) -> Option<&Time> {
        match self {
            Self::Measured(time) => Some(time),
            _ => None,
        }
    }

    fn cell(&self) -> String {
        match self {
            Self::Measured(time) => format!(
                "{} ({} .. {})",
                seconds(time.median_seconds),
                seconds(time.min_seconds),
                seconds(time.max_seconds)
            ),
            Self::Stopped { seconds } => format!("> {seconds} s"),
            Self::NotRun { stopped_at } => format!("not run: stopped at {stopped_at}"),
            Self::Skipped => "skipped: over budget".to_owned(),
            Self::Absent => String::new(),
        }
    }
}

const MICROSECONDS: f64 = 1e6;
const NANOSECONDS: f64 = 1e9;

/// Formats the table as Markdown.
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
        "ns per walk each",
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
    let each = |figure: &Figure| match figure {
        Figure::Measured(time) => {
            let each = time.median_seconds * MICROSECONDS / row.size as f64;
            format!("{each:.2}")
        }
        Figure::Stopped { seconds } => {
            let each = seconds * MICROSECONDS / row.size as f64;
            format!("> {each:.0}")
        }
        _ => String::new(),
    };
    let operations = |figure: &Figure| {
        let operations = figure.time().and_then(|time| time.operations);
        operations.map_or(String::new(), |operations| operations.to_string())
    };
    let bytes = |figure: &Figure| {
        let peak = figure.time().and_then(|time| time.peak_bytes);
        peak.map_or(String::new(), |peak| {
            (peak / row.size.max(1) as u64).to_string()
        })
    };
    let ratio = match (row.ours.time(), &row.upstream) {
        (Some(ours), Figure::Measured(upstream)) => {
            format!("{:.1}", upstream.median_seconds / ours.median_seconds)
        }
        (Some(ours), Figure::Stopped { seconds }) => {
            format!("> {:.0}", seconds / ours.median_seconds)
        }
        _ => String::new(),
    };
    let walk = row.ours.time().map_or(String::new(), |ours| {
        format!("{:.0}", ours.walk_seconds * NANOSECONDS / row.size as f64)
    });
    vec![
        row.shape.to_owned(),
        row.size.to_string(),
        row.ours.cell(),
        each(&row.ours),
        row.upstream.cell(),
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
pub(crate) fn write_json<R: serde::Serialize>(rows: &[R], path: &Path) -> Result<()> {
    let text = serde_json::to_string_pretty(rows)?;
    std::fs::write(path, text + "\n").with_context(|| path.display().to_string())
}
