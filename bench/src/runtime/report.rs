//! Output of measurements of executions, as a table and as JSON.

use serde::Serialize;

/// One measurement.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The unit of the figures.
    pub(crate) unit: &'static str,
    pub(crate) ours: Sample,
    /// The figure for comparison.
    pub(crate) peer: Peer,
    pub(crate) target: Target,
}

/// The figure for comparison.
#[derive(Debug, Serialize)]
pub(crate) enum Peer {
    Measured { what: &'static str, sample: Sample },
    Absent { what: &'static str, why: String },
}

/// The target of a measurement.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) enum Target {
    /// At most this figure, in the row's unit.
    AtMost(f64),
    /// At most this multiple of the peer.
    TimesPeer(f64),
    /// No target: for information.
    Nothing,
}

/// The figures of several runs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sample {
    pub(crate) median: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) runs: usize,
}

impl Sample {
    /// Summarizes at least one figure.
    pub(crate) fn new(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let at = |index: usize| figures.get(index).copied().unwrap_or(f64::NAN);
        Sample {
            median: at(figures.len() / 2),
            min: at(0),
            max: at(figures.len().saturating_sub(1)),
            runs: figures.len(),
        }
    }
}

impl Row {
    /// Returns a row of figures that were measured together with those of a peer.
    pub(crate) fn compared(
        name: &'static str,
        unit: &'static str,
        (ours, peers): (Vec<f64>, Vec<f64>),
        what: &'static str,
        target: Target,
    ) -> Self {
        let sample = Sample::new(peers);
        Row {
            name,
            unit,
            ours: Sample::new(ours),
            peer: Peer::Measured { what, sample },
            target,
        }
    }

    fn ratio(&self) -> Option<f64> {
        match &self.peer {
            Peer::Measured { sample, .. } => Some(self.ours.median / sample.median),
            Peer::Absent { .. } => None,
        }
    }

    fn verdict(&self) -> String {
        let verdict = |holds: bool| if holds { "yes" } else { "NO" };
        match (self.target, self.ratio()) {
            (Target::AtMost(limit), _) => {
                format!("at most {limit}: {}", verdict(self.ours.median <= limit))
            }
            (Target::TimesPeer(limit), Some(ratio)) => {
                format!("at most {limit} x peer: {}", verdict(ratio <= limit))
            }
            (Target::TimesPeer(limit), None) => format!("at most {limit} x peer: unknown"),
            (Target::Nothing, _) => String::new(),
        }
    }

    fn cells(&self) -> [String; 6] {
        let figures = |sample: &Sample| {
            format!(
                "{:.3} ({:.3} .. {:.3})",
                sample.median, sample.min, sample.max
            )
        };
        let peer = match &self.peer {
            Peer::Measured { what, sample } => format!("{what}: {}", figures(sample)),
            Peer::Absent { what, why } => format!("{what}: skipped, {why}"),
        };
        [
            self.name.to_owned(),
            self.unit.to_owned(),
            figures(&self.ours),
            peer,
            self.ratio()
                .map_or(String::new(), |ratio| format!("{ratio:.2}")),
            self.verdict(),
        ]
    }
}

/// Formats the table as Markdown.
pub(crate) fn text(rows: &[Row]) -> String {
    let head = [
        "measurement",
        "unit",
        "ours (min .. max)",
        "peer",
        "ours / peer",
        "target",
    ];
    let mut cells = vec![head.map(str::to_owned)];
    cells.extend(rows.iter().map(Row::cells));
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).filter_map(width).collect();
    let line = |row: &[String; 6]| {
        let cells = row.iter().zip(&widths);
        cells
            .map(|(cell, width)| format!("| {cell:width$} "))
            .collect::<String>()
            + "|\n"
    };
    let mut lines: Vec<String> = cells.iter().map(line).collect();
    let rule: String = widths
        .iter()
        .map(|width| format!("|{}", "-".repeat(width + 2)))
        .collect();
    lines.insert(1, rule + "|\n");
    lines.concat()
}
