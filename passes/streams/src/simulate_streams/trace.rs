//! Timelines in the trace event format: a process for each schedule, with a line for the host, one
//! for each stream, and one for the bytes of live buffers of each memory space.

use std::fmt::{Display, Write as _};
use std::io::Write as _;
use std::path::Path;
use std::{fs, io};

use tfx_dialects::stream::{Copy, Decide, Fill, Host, Launch};
use tfx_ir::{Op, location};
use tfx_order::{Arrow, Span, Usage};
use tfx_schedule::StreamId;

/// A timeline.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// The events, each in JSON.
    events: Vec<String>,
    /// The number of the last process.
    process: u32,
    /// The number of the last arrow.
    arrows: u32,
}

impl Trace {
    /// Starts a schedule, with the devices of its streams.
    pub(super) fn schedule(&mut self, schedule: &str, devices: &[String]) {
        self.process += 1;
        self.name("process_name", 0, schedule);
        self.name("thread_name", 0, "host");
        for (number, device) in devices.iter().enumerate() {
            let line = format!("{device} stream {number}");
            self.name("thread_name", number as u32 + 1, &line);
        }
    }

    fn name(&mut self, kind: &str, line: u32, name: &str) {
        let process = self.process;
        self.events.push(format!(
            r#"{{"ph":"M","name":"{kind}","pid":{process},"tid":{line},"args":{{"name":"{}"}}}}"#,
            escaped(name)
        ));
    }

    /// Adds a command of the last schedule.
    pub(super) fn span(&mut self, op: Op<'_>, span: &Span) {
        let name = command_name(op);
        let place = location::place(op.location()).map(|place| place.to_string());
        self.events.push(format!(
            r#"{{"ph":"X","name":"{}","cat":"stream","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"location":"{}"}}}}"#,
            escaped(name),
            self.process,
            line(span.stream),
            microseconds(span.start),
            microseconds(span.end - span.start),
            escaped(&place.unwrap_or_default()),
        ));
    }

    /// Adds the bytes of live buffers of a memory space from a time on.
    pub(super) fn usage(&mut self, space: &str, usage: &Usage) {
        self.events.push(format!(
            r#"{{"ph":"C","name":"memory: {}","pid":{},"ts":{},"args":{{"bytes":{}}}}}"#,
            escaped(space),
            self.process,
            microseconds(usage.time),
            usage.bytes,
        ));
    }

    /// Adds an event, from its record to the end of a wait.
    pub(super) fn arrow(&mut self, arrow: &Arrow) {
        self.arrows += 1;
        let (process, number) = (self.process, self.arrows);
        let mut add = |phase: &str, stream: Option<StreamId>, time: u64| {
            self.events.push(format!(
                r#"{{"ph":"{phase}","bp":"e","id":{number},"name":"event","cat":"stream","pid":{process},"tid":{},"ts":{}}}"#,
                line(stream),
                microseconds(time),
            ));
        };
        add("s", arrow.from, arrow.recorded);
        add("f", arrow.to, arrow.waited);
    }

    /// Writes a file, completely or not at all.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(super) fn write(&self, path: &str) -> io::Result<()> {
        let text = format!("[\n{}\n]\n", self.events.join(",\n"));
        // A symbolic link is followed and kept, and a device is not replaced by a file.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.into());
        if path.exists() && !path.is_file() {
            return fs::write(path, text);
        }
        let Some(name) = path.file_name() else {
            return Err(io::ErrorKind::InvalidFilename.into());
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = name.to_string_lossy();
        let near = folder.join(format!(".{name}.{}", std::process::id()));
        let mut file = fs::File::create_new(&near)?;
        let written = file.write_all(text.as_bytes());
        let renamed = written.and_then(|()| fs::rename(&near, path));
        renamed.inspect_err(|_| {
            // The first error is reported.
            let _ = fs::remove_file(&near);
        })
    }
}

/// Returns the name of a command for users: its kernel or function, or what it does.
pub(crate) fn command_name(op: Op<'_>) -> &str {
    if let Some(launch) = Launch::cast(op) {
        launch.kernel()
    } else if let Some(host) = Host::cast(op) {
        host.function()
    } else if op.isa::<Copy<'_>>() {
        "copy"
    } else if op.isa::<Fill<'_>>() {
        "fill"
    } else if op.isa::<Decide<'_>>() {
        "decide"
    } else {
        op.name()
    }
}

/// Returns the line of a stream, or of the host.
fn line(stream: Option<StreamId>) -> u32 {
    stream.map_or(0, |stream| stream.0 + 1)
}

/// Returns a time of the virtual clock in microseconds.
fn microseconds(nanoseconds: u64) -> impl Display {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}

/// Returns a text in the form of JSON strings.
fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => result.extend(['\\', character]),
            '\0'..' ' => {
                // Writing to a string does not fail.
                let _ = write!(result, "\\u{:04x}", character as u32);
            }
            _ => result.push(character),
        }
    }
    result
}
