//! What crossed between host and graph, and who waited for whom, summed over all starts of this process; and what host code holds.
//!
//! ```text
//!   channel   a value is there, or there is room:   counted                           two additions
//!             it must be waited for:                counted, and the wait is timed    beside which two clock readings are nothing
//! ```
//!
//! So counting is always on, and `--stats` prints it. TensorFlow's own queues do not say when the graph waits for them; that column is empty then.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use crate::image::{Direction, Image};

/// How often somebody waited, and how long. The two sides of a channel write theirs at the same time, so they lie apart.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Waits {
    times: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Waits {
    /// Does what may take its time.
    pub(crate) fn during<R>(&self, wait: impl FnOnce() -> R) -> R {
        let since = Instant::now();
        let result = wait();
        self.add(1, since.elapsed());
        result
    }

    /// So many waits, which took so long together.
    pub(crate) fn add(&self, times: u64, waited: Duration) {
        self.times.fetch_add(times, Relaxed);
        self.nanoseconds
            .fetch_add(waited.as_nanos() as u64, Relaxed);
    }

    fn total(&self) -> Wait {
        Wait {
            times: self.times.load(Relaxed),
            time: Duration::from_nanos(self.nanoseconds.load(Relaxed)),
        }
    }
}

/// What one channel of a run carries.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    messages: AtomicU64,
    bytes: AtomicU64,
    /// The host, for values or for room.
    pub(crate) host: Waits,
    /// The graph.
    pub(crate) graph: Waits,
}

impl Meter {
    /// One more value.
    pub(crate) fn count(&self, bytes: usize) {
        self.messages.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }
}

/// What one run is measured by.
#[derive(Debug)]
pub struct Meters {
    /// In the order of the declaration.
    pub(crate) channels: Box<[Meter]>,
    /// Until the program had started.
    pub(crate) start: Waits,
    /// The host, at the end.
    pub(crate) finish: Waits,
    /// The graph's run.
    pub(crate) run: Waits,
}

impl Meters {
    pub(crate) fn new(image: &Image) -> Self {
        Meters {
            channels: image.channels.iter().map(|_| Meter::default()).collect(),
            start: Waits::default(),
            finish: Waits::default(),
            run: Waits::default(),
        }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Finished,
    Terminated,
    Failed,
}

/// How many values of a kind host code made, and how many of them it freed. Apart from what a graph reads in each trip, as host code writes it in each of its
/// own: two lines, since processors fetch lines in pairs.
#[repr(align(128))]
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
        self.made.fetch_add(1, Relaxed);
    }

    /// One less.
    pub(crate) fn freed(&self) {
        self.freed.fetch_add(1, Relaxed);
    }

    /// How many there are. Exact where no other thread makes or frees any.
    pub(crate) fn alive(&self) -> u64 {
        let freed = self.freed.load(Relaxed);
        self.made.load(Relaxed).saturating_sub(freed)
    }
}

/// Waits, summed.
#[derive(Clone, Copy, Debug, Default)]
struct Wait {
    times: u64,
    time: Duration,
}

impl Wait {
    fn add(&mut self, other: Wait) {
        self.times += other.times;
        self.time += other.time;
    }
}

/// One channel, over all starts.
struct Row {
    direction: Direction,
    dtype: &'static str,
    location: Option<String>,
    messages: u64,
    bytes: u64,
    host: Wait,
    graph: Wait,
}

/// One program, over all starts.
#[derive(Default)]
struct Total {
    starts: u64,
    /// How many of them, by what they ran on.
    places: BTreeMap<&'static str, u64>,
    finished: u64,
    terminated: u64,
    failed: u64,
    start: Wait,
    finish: Wait,
    run: Wait,
    channels: BTreeMap<i32, Row>,
}

static TOTALS: Mutex<BTreeMap<String, Total>> = Mutex::new(BTreeMap::new());

fn totals() -> MutexGuard<'static, BTreeMap<String, Total>> {
    TOTALS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with_total(image: &Image, change: impl FnOnce(&mut Total)) {
    let mut totals = totals();
    if !totals.contains_key(&image.name) {
        totals.insert(image.name.clone(), Total::default());
    }
    if let Some(total) = totals.get_mut(&image.name) {
        change(total);
    }
}

/// Notes that a program started, and on what.
pub(crate) fn started(image: &Image, place: &'static str) {
    with_total(image, |total| {
        total.starts += 1;
        *total.places.entry(place).or_default() += 1;
    });
}

/// Notes that an operation ran by itself: it starts and ends at once.
pub(crate) fn ran(image: &Image, place: &'static str) {
    started(image, place);
    with_total(image, |total| total.finished += 1);
}

/// Adds what one run was measured by.
pub(crate) fn ended(image: &Image, meters: &Meters, end: End) {
    with_total(image, |total| {
        match end {
            End::Finished => total.finished += 1,
            End::Terminated => total.terminated += 1,
            End::Failed => total.failed += 1,
        }
        total.start.add(meters.start.total());
        total.finish.add(meters.finish.total());
        total.run.add(meters.run.total());
        for (channel, meter) in image.channels.iter().zip(&meters.channels) {
            let row = total.channels.entry(channel.id).or_insert_with(|| Row {
                direction: channel.direction,
                dtype: channel.dtype.name(),
                location: channel.location.clone(),
                messages: 0,
                bytes: 0,
                host: Wait::default(),
                graph: Wait::default(),
            });
            row.messages += meter.messages.load(Relaxed);
            row.bytes += meter.bytes.load(Relaxed);
            row.host.add(meter.host.total());
            row.graph.add(meter.graph.total());
        }
    });
}

/// The table that `--stats` prints: of each program how it ran, and a line per channel.
pub fn table() -> String {
    let mut text = String::from("what crossed between host and graph\n");
    for (name, total) in totals().iter() {
        program(&mut text, name, total);
    }
    boxes(&mut text);
    text
}

fn program(text: &mut String, name: &str, total: &Total) {
    let times = if total.starts == 1 {
        "once".to_owned()
    } else {
        format!("{} times", total.starts)
    };
    let places: Vec<&str> = total.places.keys().copied().collect();
    let _ = write!(
        text,
        "program {name}, started {times} on {}",
        places.join(" and ")
    );
    let others = [
        (total.terminated, "terminated"),
        (total.failed, "failed"),
        (
            total
                .starts
                .saturating_sub(total.finished + total.terminated + total.failed),
            "still running",
        ),
    ];
    for (count, what) in others.into_iter().filter(|&(count, _)| count > 0) {
        let _ = write!(text, ", {count} {what}");
    }
    text.push('\n');
    if total.channels.is_empty() {
        text.push_str("  nothing between start and end\n");
    } else {
        channels(text, total);
    }
    if total.run.times > 0 {
        times_of(text, total);
    }
}

fn channels(text: &mut String, total: &Total) {
    let mut rows = vec![
        [
            "channel",
            "direction",
            "type",
            "messages",
            "bytes",
            "host waited",
            "graph waited",
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
            row.messages.to_string(),
            row.bytes.to_string(),
            waited(row.host),
            waited(row.graph),
            row.location.clone().unwrap_or_default(),
        ]);
    }
    write_rows(text, &rows);
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

/// `1.5 ms, 20 times`.
fn waited(wait: Wait) -> String {
    match wait.times {
        0 => "-".to_owned(),
        1 => format!("{}, once", milliseconds(wait.time)),
        times => format!("{}, {times} times", milliseconds(wait.time)),
    }
}

/// Where the time of both sides went.
fn times_of(text: &mut String, total: &Total) {
    let sum = |side: fn(&Row) -> Wait| total.channels.values().map(|row| side(row).time).sum();
    let (host, graph): (Duration, Duration) = (sum(|row| row.host), sum(|row| row.graph));
    let _ = writeln!(
        text,
        "  host: start {}, waited in channels {}, for the end {}; graph: ran {}, waited in channels {}",
        milliseconds(total.start.time),
        milliseconds(host),
        milliseconds(total.finish.time),
        milliseconds(total.run.time),
        milliseconds(graph),
    );
}

/// Whether host code freed what it made; of no interest to a program that made nothing but tensors.
fn boxes(text: &mut String) {
    let made = BOXES.made.load(Relaxed);
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
        for end in [End::Finished, End::Terminated] {
            started(&image, "embedded");
            let meters = Meters::new(&image);
            meters.channels[0].count(8);
            meters.channels[0].host.add(1, Duration::from_millis(2));
            ended(&image, &meters, end);
        }
        started(&image, "embedded");
        let table = table();
        assert!(
            table.contains(
                "program stats, started 3 times on embedded, 1 terminated, 1 still running\n"
            ),
            "{table}"
        );
        let row = table.lines().last().unwrap_or("");
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(
            cells.join(" "),
            "3 to graph f32 2 16 4.0 ms, 2 times - p.mlir:1:2"
        );
    }
}
