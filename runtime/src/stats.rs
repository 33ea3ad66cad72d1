//! Statistics of the channels and their waits, summed over all starts of this process.
//!
//! ```text
//!   channel   without a wait: counted             two additions
//!             with a wait: counted and timed      two clock readings, far less than the wait
//! ```
//!
//! Counting is always active; `--stats` prints the table. TensorFlow's own queues do not report the
//! waits of the graph, so that column is empty for them.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use tfx_cuda::Counts;

use crate::image::{Direction, Image};

/// A number of waits and their total time. Both sides of a channel wait concurrently, so
/// the alignment executors them on different cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Waits {
    times: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Waits {
    /// Runs a function that waits, and counts the wait.
    pub(crate) fn during<R>(&self, wait: impl FnOnce() -> R) -> R {
        let since = Instant::now();
        let result = wait();
        self.add(1, since.elapsed());
        result
    }

    /// Adds a number of waits with their total time.
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

/// The statistics of one channel in one run.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    messages: AtomicU64,
    bytes: AtomicU64,
    /// The waits of the host.
    pub(crate) host: Waits,
    /// The waits of the graph.
    pub(crate) graph: Waits,
}

impl Meter {
    /// Counts a message.
    pub(crate) fn count(&self, bytes: usize) {
        self.messages.fetch_add(1, Relaxed);
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }
}

/// The statistics of one run.
#[derive(Debug)]
pub struct Meters {
    /// The channels, in the order of the declaration.
    pub(crate) channels: Box<[Meter]>,
    /// The start of the program.
    pub(crate) start: Waits,
    /// The wait of the host for the end.
    pub(crate) finish: Waits,
    /// The run of the graph.
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

/// The way in which a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Finished,
    Terminated,
    Failed,
    /// It has not ended, but the process does.
    Running,
}

/// The numbers of created and freed values of host code. The alignment separates them from data
/// that a graph reads, since host code writes them often; processors fetch pairs of cache lines.
#[repr(align(128))]
pub(crate) struct Lifetimes {
    created: AtomicU64,
    freed: AtomicU64,
}

/// All boxes: objects, closures, arrays and others.
pub(crate) static BOXES: Lifetimes = Lifetimes::new();
/// Handles of tensors and strings.
pub(crate) static TENSORS: Lifetimes = Lifetimes::new();

impl Lifetimes {
    const fn new() -> Self {
        Lifetimes {
            created: AtomicU64::new(0),
            freed: AtomicU64::new(0),
        }
    }

    /// Counts a new value.
    pub(crate) fn count_created(&self) {
        self.created.fetch_add(1, Relaxed);
    }

    /// Counts a freed value.
    pub(crate) fn count_freed(&self) {
        self.freed.fetch_add(1, Relaxed);
    }

    /// Returns the number of values. It is exact if no other thread creates or frees values.
    pub(crate) fn alive(&self) -> u64 {
        let freed = self.freed.load(Relaxed);
        self.created.load(Relaxed).saturating_sub(freed)
    }
}

/// Numbers of calls of native code.
#[derive(Debug)]
pub(crate) struct NativeCalls {
    finished: AtomicU64,
    given_up: AtomicU64,
}

/// All calls of native code.
pub(crate) static NATIVE: NativeCalls = NativeCalls {
    finished: AtomicU64::new(0),
    given_up: AtomicU64::new(0),
};

/// All runs of functions on streams.
pub(crate) static STREAMS: NativeCalls = NativeCalls {
    finished: AtomicU64::new(0),
    given_up: AtomicU64::new(0),
};

impl NativeCalls {
    /// Counts a call, which has finished or given up.
    pub(crate) fn count(&self, has_finished: bool) {
        let counter = match has_finished {
            true => &self.finished,
            false => &self.given_up,
        };
        counter.fetch_add(1, Relaxed);
    }
}

/// Numbers of calls of the native code of graphs, in all programs of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NativeCounts {
    /// Calls that computed their results.
    pub finished: u64,
    /// Calls that gave up, and were interpreted.
    pub given_up: u64,
}

/// Returns the numbers of calls of native code until now.
pub fn native_calls() -> NativeCounts {
    NativeCounts {
        finished: NATIVE.finished.load(Relaxed),
        given_up: NATIVE.given_up.load(Relaxed),
    }
}

/// Returns the numbers of runs of functions on streams until now.
pub fn stream_runs() -> NativeCounts {
    NativeCounts {
        finished: STREAMS.finished.load(Relaxed),
        given_up: STREAMS.given_up.load(Relaxed),
    }
}

/// A sum of waits.
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

/// The sum of one channel over all starts.
struct Row {
    direction: Direction,
    dtype: &'static str,
    location: Option<String>,
    messages: u64,
    bytes: u64,
    host: Wait,
    graph: Wait,
}

/// The sum of one program over all starts.
#[derive(Default)]
struct Total {
    starts: u64,
    /// The number of starts by executor.
    executors: BTreeMap<&'static str, u64>,
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

/// Counts a start of a program on an executor.
pub(crate) fn count_start(image: &Image, executor: &'static str) {
    with_total(image, |total| {
        total.starts += 1;
        *total.executors.entry(executor).or_default() += 1;
    });
}

/// Counts the complete run of an eager operation.
pub(crate) fn count_run(image: &Image, executor: &'static str) {
    count_start(image, executor);
    with_total(image, |total| total.finished += 1);
}

/// Adds the statistics of a run.
pub(crate) fn add(image: &Image, meters: &Meters, end: End) {
    with_total(image, |total| {
        match end {
            End::Finished => total.finished += 1,
            End::Terminated => total.terminated += 1,
            End::Failed => total.failed += 1,
            End::Running => {}
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

/// Returns the table that `--stats` prints: for each program its runs, and a line per channel.
pub fn table() -> String {
    let mut text = String::from("messages between host and graph\n");
    for (name, total) in totals().iter() {
        program(&mut text, name, total);
    }
    write_native_calls(&mut text);
    write_stream_runs(&mut text);
    write_devices(&mut text);
    boxes(&mut text);
    text
}

fn program(text: &mut String, name: &str, total: &Total) {
    let times = if total.starts == 1 {
        "once".to_owned()
    } else {
        format!("{} times", total.starts)
    };
    let executors: Vec<&str> = total.executors.keys().copied().collect();
    let _ = write!(
        text,
        "program {name}, started {times} on {}",
        executors.join(" and ")
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
        text.push_str("  no channels\n");
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

/// Returns a wait as `1.5 ms, 20 times`.
fn waited(wait: Wait) -> String {
    match wait.times {
        0 => "-".to_owned(),
        1 => format!("{}, once", milliseconds(wait.time)),
        times => format!("{}, {times} times", milliseconds(wait.time)),
    }
}

/// Writes the times of both sides.
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

/// Writes the numbers of calls of native code, unless there was none.
fn write_native_calls(text: &mut String) {
    let NativeCounts { finished, given_up } = native_calls();
    if finished + given_up > 0 {
        let _ = write!(text, "native code: {finished} calls");
        if given_up > 0 {
            let _ = write!(text, ", and {given_up} that gave up and were interpreted");
        }
        text.push('\n');
    }
}

/// Writes the numbers of runs on streams, unless there was none.
fn write_stream_runs(text: &mut String) {
    let NativeCounts { finished, given_up } = stream_runs();
    if finished + given_up > 0 {
        let _ = write!(text, "streams: {finished} runs");
        if given_up > 0 {
            let _ = write!(text, ", and {given_up} that failed and were interpreted");
        }
        text.push('\n');
    }
}

/// The commands of all runs on CUDA devices.
static DEVICES: Mutex<Option<Counts>> = Mutex::new(None);

/// Adds the commands of a run on CUDA devices.
pub(crate) fn count_devices(counts: Counts) {
    let mut all = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    *all.get_or_insert_default() += counts;
}

/// Writes the numbers of commands of CUDA devices, if there were any runs on them.
fn write_devices(text: &mut String) {
    let counts = *DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(counts) = counts {
        let _ = writeln!(
            text,
            "CUDA devices: {} replays of graphs; others: {} launches, {} copies, {} waits, {} kernels on the host",
            counts.graph_replays, counts.launches, counts.copies, counts.waits, counts.host_kernels
        );
        let (blas, ptx) = (counts.blas_products, counts.ptx_products);
        if blas + ptx > 0 {
            let _ = writeln!(text, "products of matrices: {blas} by cuBLAS, {ptx} by PTX");
        }
    }
}

/// Writes the numbers of boxes that host code created and did not free, unless it created none.
fn boxes(text: &mut String) {
    let created = BOXES.created.load(Relaxed);
    if created > 0 {
        let (boxes, tensors) = (BOXES.alive(), TENSORS.alive());
        let _ = writeln!(
            text,
            "objects, closures and arrays: {created} created, {boxes} not freed, with {tensors} tensors"
        );
    }
}

/// Writes a table whose columns are as wide as their widest cells.
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
            count_start(&image, "embedded");
            let meters = Meters::new(&image);
            meters.channels[0].count(8);
            meters.channels[0].host.add(1, Duration::from_millis(2));
            add(&image, &meters, end);
        }
        count_start(&image, "embedded");
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
