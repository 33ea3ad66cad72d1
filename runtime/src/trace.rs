//! A timeline of host and graph for Perfetto (ui.perfetto.dev) or `chrome://tracing`:
//! `TFX_TRACE=file.json`.
//!
//! ```text
//!   host        |start|       |send 0|   |  receive 1, with its wait  |     |finish|
//!   graph run         |------------------------------------------------------------|
//!     embedded only            |receive 0|           |send 1|
//!   stream 0             |kernel|      |kernel_1|
//!   stream 1             |kernel_0 | ─► (an arrow for each event)
//!   memory           ▁▁▁▁▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▁▁▁▁ (the arenas of a function)
//! ```
//!
//! A span has its program, channel, type, number of bytes and source location. The time between
//! spans of the host is host code, the time between spans of the graph is kernels. TensorFlow's
//! graphs wait inside of TensorFlow, so only their whole run is a span. Streams of CUDA devices
//! have the times that the driver measures, see [`tfx_cuda::Spans`]; they are written when a run
//! ends.
//!
//! The format is the JSON array of the "Trace Event Format". Events are written immediately, and
//! the file is a complete array whenever a program has ended. Without the variable, the cost is one
//! atomic load per message. If the file cannot be created, the first start fails. If a later write
//! fails, the trace ends with a warning, not the program. A signal that ends the process, such as
//! Ctrl-C, completes the array first.

use std::{
    cell::Cell,
    collections::BTreeMap,
    fs::File,
    io::{BufWriter, Seek, SeekFrom, Write},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Instant,
};

use serde_json::{Value, json};
use tfx_commands::Observer;
use tfx_cuda::Spans;

use crate::{
    failure::{Failure, reason},
    ffi::signals,
    image::{Direction, Image},
};

/// The environment variable that names the file.
pub const TRACE_VARIABLE: &str = "TFX_TRACE";

/// The end of the array, which the next event overwrites.
const END: &str = "\n]\n";

/// The number of the only process.
const PROCESS: u32 = 1;

static TRACE: OnceLock<Result<Option<Trace>, Failure>> = OnceLock::new();

/// The number of the next thread, in the order of their first events.
static THREADS: AtomicU32 = AtomicU32::new(1);

/// The number of the next arrow.
static FLOWS: AtomicU32 = AtomicU32::new(1);

thread_local! {
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// An open trace.
struct Trace {
    began: Instant,
    file: Mutex<Events>,
    /// The lines of streams, by function and number.
    lines: Mutex<BTreeMap<(String, usize), u32>>,
    /// The bytes of arenas in use, by function.
    arenas: Mutex<BTreeMap<String, u64>>,
}

/// The file, and the state of the array in it.
struct Events {
    file: BufWriter<File>,
    is_empty: bool,
    has_end: bool,
    /// No more events are written.
    has_ended: bool,
    path: PathBuf,
}

impl Events {
    fn write(&mut self, event: &Value) {
        if !self.has_ended {
            let written = self.try_write(event);
            self.check(written);
        }
    }

    /// Ends the trace at the first error, and reports it: the file is not complete.
    fn check(&mut self, written: std::io::Result<()>) {
        if let Err(error) = written {
            self.has_ended = true;
            eprintln!(
                "warning: {TRACE_VARIABLE}: cannot write '{}': {}; the trace is not complete",
                self.path.display(),
                reason(&error)
            );
        }
    }

    fn try_write(&mut self, event: &Value) -> std::io::Result<()> {
        if self.has_end {
            self.file.seek(SeekFrom::Current(-(END.len() as i64)))?;
            self.has_end = false;
        }
        let before = if self.is_empty { "[\n" } else { ",\n" };
        self.is_empty = false;
        write!(self.file, "{before}{event}")
    }

    fn end(&mut self) {
        if self.has_ended || self.has_end || self.is_empty {
            return;
        }
        self.has_end = true;
        let written = self.file.write_all(END.as_bytes());
        let written = written.and_then(|()| self.file.flush());
        self.check(written);
    }
}

/// Opens the trace that the environment requests, at the first call.
///
/// # Errors
/// The file cannot be created.
pub(crate) fn open() -> Result<(), Failure> {
    let trace = TRACE.get_or_init(create).as_ref();
    trace.map(|_| ()).map_err(Failure::clone)
}

fn create() -> Result<Option<Trace>, Failure> {
    let Some(path) = std::env::var_os(TRACE_VARIABLE).filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let path = PathBuf::from(path);
    let file = File::create(&path).map_err(|error| {
        Failure::new(format!(
            "{TRACE_VARIABLE}: cannot write '{}': {}",
            path.display(),
            reason(&error)
        ))
    })?;
    let mut events = Events {
        file: BufWriter::new(file),
        is_empty: true,
        has_end: false,
        has_ended: false,
        path,
    };
    let name = std::env::current_exe().ok();
    let name = name.as_ref().and_then(|path| path.file_name());
    let name = name.map_or("tfx".into(), |name| name.to_string_lossy());
    events
        .write(&json!({"ph": "M", "name": "process_name", "pid": PROCESS, "args": {"name": name}}));
    Ok(Some(Trace {
        began: Instant::now(),
        file: Mutex::new(events),
        lines: Mutex::default(),
        arenas: Mutex::default(),
    }))
}

fn trace() -> Option<&'static Trace> {
    TRACE.get()?.as_ref().ok()?.as_ref()
}

impl Trace {
    fn with(&self, write: impl FnOnce(&mut Events)) {
        write(&mut self.file.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the number of this thread. Its first event is preceded by one with its name.
    fn thread(&self) -> u32 {
        THREAD.with(|thread| {
            if thread.get() == 0 {
                thread.set(THREADS.fetch_add(1, Ordering::Relaxed));
                let current = std::thread::current();
                let name = current.name().unwrap_or("host");
                let name = if name == "main" { "host" } else { name };
                let (number, name) = (thread.get(), name.to_owned());
                self.with(|events| {
                    events.write(&json!({"ph": "M", "name": "thread_name", "pid": PROCESS, "tid": number, "args": {"name": name}}));
                });
            }
            thread.get()
        })
    }

    /// Returns the number of the line of a stream, which is named at its first use.
    fn line(&self, function: &str, stream: usize) -> u32 {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (function.to_owned(), stream);
        *lines.entry(key).or_insert_with(|| {
            let number = THREADS.fetch_add(1, Ordering::Relaxed);
            let name = format!("{function} stream {stream}");
            self.with(|events| {
                events.write(&json!({"ph": "M", "name": "thread_name", "pid": PROCESS, "tid": number, "args": {"name": name}}));
            });
            number
        })
    }

    fn span(&self, name: &str, category: &str, since: Instant, details: Value) {
        self.span_on(self.thread(), name, category, since, details);
    }

    fn span_on(&self, line: u32, name: &str, category: &str, since: Instant, details: Value) {
        self.span_between(line, name, category, [since, Instant::now()], details);
    }

    fn span_between(
        &self,
        line: u32,
        name: &str,
        category: &str,
        [start, end]: [Instant; 2],
        details: Value,
    ) {
        let duration = end.saturating_duration_since(start);
        let event = json!({
            "ph": "X", "name": name, "cat": category, "pid": PROCESS, "tid": line,
            "ts": self.time(start), "dur": microseconds(duration), "args": details,
        });
        self.with(|events| events.write(&event));
    }

    /// Writes an arrow between two lines.
    fn arrow(&self, from: (u32, Instant), to: (u32, Instant)) {
        let id = FLOWS.fetch_add(1, Ordering::Relaxed);
        let event = |phase: &str, (line, at): (u32, Instant)| {
            json!({
                "ph": phase, "bp": "e", "id": id, "name": "event", "cat": "stream",
                "pid": PROCESS, "tid": line, "ts": self.time(at),
            })
        };
        let (from, to) = (event("s", from), event("f", to));
        self.with(|events| {
            events.write(&from);
            events.write(&to);
        });
    }

    /// Changes the bytes of the arenas of a function that are in use.
    fn count_arenas(&self, function: &str, change: impl FnOnce(u64) -> u64) {
        let mut arenas = self.arenas.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = arenas.entry(function.to_owned()).or_default();
        *bytes = change(*bytes);
        // The lock keeps the order of the events of several threads.
        let event = json!({
            "ph": "C", "name": format!("memory: {function}"), "pid": PROCESS,
            "ts": self.time(Instant::now()), "args": {"bytes": *bytes},
        });
        self.with(|events| events.write(&event));
    }

    /// Returns a time in microseconds after the start of the trace.
    fn time(&self, at: Instant) -> f64 {
        microseconds(at.saturating_duration_since(self.began))
    }
}

fn microseconds(duration: std::time::Duration) -> f64 {
    duration.as_nanos() as f64 / 1e3
}

/// Writes a span of this thread from `since` until now.
pub(crate) fn span(name: &str, image: &Image, since: Option<Instant>) {
    if let (Some(trace), Some(since)) = (trace(), since) {
        let name = format!("{name} {}", image.name);
        trace.span(&name, "program", since, json!({"program": image.name}));
    }
}

/// Returns whether there is a trace.
pub(crate) fn is_on() -> bool {
    trace().is_some()
}

/// Returns the time if there is a trace: reading the clock costs more than a message.
pub(crate) fn now() -> Option<Instant> {
    is_on().then(Instant::now)
}

/// Writes the span of a message that this thread sent or received from `since` until now.
pub(crate) fn message(
    image: &Image,
    channel: usize,
    bytes: usize,
    since: Option<Instant>,
    is_host: bool,
) {
    let (Some(trace), Some(since), Some(channel)) = (trace(), since, image.channels.get(channel))
    else {
        return;
    };
    let receives = (channel.direction == Direction::ToHost) == is_host;
    let verb = if receives { "receive" } else { "send" };
    let details = json!({
        "program": image.name, "channel": channel.id, "type": channel.dtype.name(),
        "bytes": bytes, "location": channel.location,
    });
    let category = if is_host { "host" } else { "graph" };
    trace.span(&format!("{verb} {}", channel.id), category, since, details);
}

/// The streams of a run of a function, each on a line of its own: a span for each kernel and each
/// wait, and an arrow from what was waited for.
#[derive(Debug)]
pub(crate) struct StreamSpans {
    function: String,
    /// The last kernels of a stream that others may wait for: when they ended.
    ends: Mutex<BTreeMap<(usize, u64), Instant>>,
}

impl StreamSpans {
    /// Returns the observer of a run; none without a trace.
    pub(crate) fn observer(function: &str) -> Option<Arc<dyn Observer>> {
        is_on().then(|| -> Arc<dyn Observer> {
            Arc::new(Self {
                function: function.to_owned(),
                ends: Mutex::default(),
            })
        })
    }

    fn ends(&self) -> MutexGuard<'_, BTreeMap<(usize, u64), Instant>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for StreamSpans {
    fn command(&self, stream: usize, number: u64, name: &str, since: Instant) {
        let Some(trace) = trace() else { return };
        let line = trace.line(&self.function, stream);
        let details = json!({"function": self.function, "stream": stream});
        trace.span_on(line, name, "stream", since, details);
        self.ends().insert((stream, number), Instant::now());
    }

    fn wait(&self, stream: usize, other: usize, number: u64, since: Instant) {
        let Some(trace) = trace() else { return };
        let line = trace.line(&self.function, stream);
        let details = json!({"function": self.function, "stream": stream, "for": other});
        trace.span_on(line, "wait", "stream", since, details);
        // The kernel before that command, if it is a wait itself.
        let before = (other, 0)..=(other, number);
        let Some(end) = self.ends().range(before).next_back().map(|(_, end)| *end) else {
            return;
        };
        let from = trace.line(&self.function, other);
        trace.arrow((from, end), (line, Instant::now()));
    }
}

/// Writes the commands of a run of a function on CUDA devices.
pub(crate) fn device_spans(function: &str, spans: &Spans) {
    let Some(trace) = trace() else { return };
    let line = |stream: Option<usize>| match stream {
        Some(stream) => trace.line(function, stream),
        None => trace.thread(),
    };
    for span in &spans.commands {
        let details = json!({"function": function, "stream": span.stream});
        let times = [span.start, span.end];
        trace.span_between(line(span.stream), &span.name, "stream", times, details);
    }
    for arrow in &spans.arrows {
        let from = (trace.line(function, arrow.from), arrow.start);
        trace.arrow(from, (line(arrow.to), arrow.end));
    }
    if spans.left_out > 0 {
        eprintln!(
            "warning: {TRACE_VARIABLE}: a run of '{function}' has more commands than a trace; {} are left out",
            spans.left_out
        );
    }
}

/// The use of the arenas of a function by a run, from its creation until it is dropped.
pub(crate) struct ArenaUse<'f> {
    function: &'f str,
    bytes: u64,
}

impl<'f> ArenaUse<'f> {
    pub(crate) fn new(function: &'f str, bytes: u64) -> Self {
        if let Some(trace) = trace() {
            trace.count_arenas(function, |used| used.saturating_add(bytes));
        }
        Self { function, bytes }
    }
}

impl Drop for ArenaUse<'_> {
    fn drop(&mut self) {
        if let Some(trace) = trace() {
            let bytes = self.bytes;
            trace.count_arenas(self.function, |used| used.saturating_sub(bytes));
        }
    }
}

/// The span of a graph's run on this thread, from its creation until it is dropped.
pub(crate) struct GraphRun<'i> {
    image: &'i Image,
    since: Option<Instant>,
}

impl<'i> GraphRun<'i> {
    pub(crate) fn new(image: &'i Image) -> Self {
        let since = now();
        Self { image, since }
    }
}

impl Drop for GraphRun<'_> {
    fn drop(&mut self) {
        span("run", self.image, self.since);
    }
}

/// Makes a signal that ends this process complete the trace, if there will be one.
pub(crate) fn end_before_signal() {
    if std::env::var_os(TRACE_VARIABLE).is_some_and(|path| !path.is_empty()) {
        signals::before_signal(|| {
            if let Some(trace) = trace() {
                trace.with(|events| {
                    events.end();
                    events.has_ended = true;
                });
            }
        });
    }
}

/// Completes the array in the file, at the end of a program or of the process.
pub(crate) fn flush() {
    if let Some(trace) = trace() {
        trace.with(Events::end);
    }
}
