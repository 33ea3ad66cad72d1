//! What crossed between host and graph, summed over all starts of this process; and what host code holds.
//!
//! Counting costs two clock readings per message, next to nothing beside the message itself, so it is always on; `--stats` prints it.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::image::{Direction, Image};

/// What one channel carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How many values.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How long the host waited for values, or for room.
    pub waited: Duration,
}

impl Traffic {
    /// One more value.
    pub fn add(&mut self, bytes: usize, waited: Duration) {
        self.messages += 1;
        self.bytes += bytes as u64;
        self.waited += waited;
    }
}

/// How many values of a kind host code made, and how many of them it freed.
pub(crate) struct Tally {
    made: AtomicU64,
    freed: AtomicU64,
}

/// Objects, closures, arrays and whatever else is a `TfxBox`.
pub(crate) static BOXES: Tally = Tally::new();
/// Handles of tensors and strings.
pub(crate) static TENSORS: Tally = Tally::new();

impl Tally {
    const fn new() -> Self {
        Tally {
            made: AtomicU64::new(0),
            freed: AtomicU64::new(0),
        }
    }

    /// One more.
    pub(crate) fn made(&self) {
        self.made.fetch_add(1, Ordering::Relaxed);
    }

    /// One less.
    pub(crate) fn freed(&self) {
        self.freed.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there are. Exact where no other thread makes or frees any.
    pub(crate) fn alive(&self) -> u64 {
        let freed = self.freed.load(Ordering::Relaxed);
        self.made.load(Ordering::Relaxed).saturating_sub(freed)
    }
}

struct Row {
    direction: Direction,
    dtype: &'static str,
    location: Option<String>,
    traffic: Traffic,
}

#[derive(Default)]
struct Total {
    starts: u64,
    channels: BTreeMap<i32, Row>,
}

static TOTALS: Mutex<BTreeMap<String, Total>> = Mutex::new(BTreeMap::new());

fn totals() -> MutexGuard<'static, BTreeMap<String, Total>> {
    TOTALS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that a program started.
pub(crate) fn started(image: &Image) {
    totals().entry(image.name.clone()).or_default().starts += 1;
}

/// Adds what the channels of one run carried, in the order of the declaration.
pub(crate) fn ended(image: &Image, traffic: &[Traffic]) {
    let mut totals = totals();
    let total = totals.entry(image.name.clone()).or_default();
    for (channel, traffic) in image.channels.iter().zip(traffic) {
        let row = total.channels.entry(channel.id).or_insert_with(|| Row {
            direction: channel.direction,
            dtype: channel.dtype.name(),
            location: channel.location.clone(),
            traffic: Traffic::default(),
        });
        row.traffic.messages += traffic.messages;
        row.traffic.bytes += traffic.bytes;
        row.traffic.waited += traffic.waited;
    }
}

/// The table that `--stats` prints: a line per program, a line per channel.
pub fn table() -> String {
    let mut text = String::from("what crossed between host and graph\n");
    for (name, total) in totals().iter() {
        let times = if total.starts == 1 {
            "once".to_owned()
        } else {
            format!("{} times", total.starts)
        };
        let _ = writeln!(text, "program {name}, started {times}");
        if total.channels.is_empty() {
            text.push_str("  nothing between start and end\n");
            continue;
        }
        let mut rows = vec![
            [
                "channel",
                "direction",
                "type",
                "messages",
                "bytes",
                "host waited",
                "value",
            ]
            .map(str::to_owned),
        ];
        for (id, row) in &total.channels {
            let direction = match row.direction {
                Direction::ToHost => "to host",
                Direction::ToGraph => "to graph",
            };
            rows.push([
                id.to_string(),
                direction.to_owned(),
                row.dtype.to_owned(),
                row.traffic.messages.to_string(),
                row.traffic.bytes.to_string(),
                format!("{:.1} ms", row.traffic.waited.as_secs_f64() * 1000.0),
                row.location.clone().unwrap_or_default(),
            ]);
        }
        write_rows(&mut text, &rows);
    }
    boxes(&mut text);
    text
}

/// Whether host code freed what it made; of no interest to a program that made nothing but tensors.
fn boxes(text: &mut String) {
    let made = BOXES.made.load(Ordering::Relaxed);
    if made > 0 {
        let (boxes, tensors) = (BOXES.alive(), TENSORS.alive());
        let _ = writeln!(
            text,
            "objects, closures and arrays: {made} made, {boxes} not freed, with {tensors} tensors"
        );
    }
}

/// Columns as wide as their widest cell.
fn write_rows<const N: usize>(text: &mut String, rows: &[[String; N]]) {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
}

#[cfg(test)]
mod tests {
    use tfx_interpreter::DType;

    use super::*;
    use crate::image::Channel;

    #[test]
    fn runs_of_one_program_are_summed() {
        let channel = Channel {
            id: 3,
            direction: Direction::ToGraph,
            dtype: DType::F32,
            capacity: 1,
            location: Some("p.mlir:1:2".into()),
        };
        let image = Image::new("stats", Vec::new(), 0, 0, vec![channel]);
        for _ in 0..2 {
            started(&image);
            let mut traffic = Traffic::default();
            traffic.add(8, Duration::from_millis(2));
            ended(&image, &[traffic]);
        }
        let table = table();
        assert!(
            table.contains("program stats, started 2 times\n"),
            "{table}"
        );
        let row: Vec<&str> = table
            .lines()
            .last()
            .unwrap_or("")
            .split_whitespace()
            .collect();
        assert_eq!(
            row,
            [
                "3",
                "to",
                "graph",
                "f32",
                "2",
                "16",
                "4.0",
                "ms",
                "p.mlir:1:2"
            ]
        );
    }
}
