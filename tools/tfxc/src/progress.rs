//! The stage of a long compilation, on a terminal.
//!
//! ```text
//!   start ──► waits DELAY ──► tfxc: tfx-partition     one line, which each stage overwrites
//!   drop  ──────────────────► the line is erased
//! ```
//!
//! Nothing is printed if standard error is not a terminal, or if the compilation ends before.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The time after which users ask themselves whether anything happens.
const DELAY: Duration = Duration::from_secs(2);
/// The time between two updates: fast enough for short stages, without a cost.
const INTERVAL: Duration = Duration::from_millis(100);

/// Returns to the start of the line and erases it.
const ERASE: &str = "\r\u{1b}[K";

/// Shows the stage until it is dropped.
pub(crate) struct Progress {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    pub(crate) fn start() -> Self {
        let is_shown = io::stderr().is_terminal();
        let start = || {
            let (stop, stopped) = channel();
            let show = move || show(&mut io::stderr(), &stopped, DELAY, tfx::progress::stage);
            // Without a thread, nothing is shown.
            let thread = thread::Builder::new().spawn(show).ok()?;
            Some((stop, thread))
        };
        Self {
            running: is_shown.then(start).flatten(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // The thread does not panic: it only prints.
            let _ = thread.join();
        }
    }
}

/// Prints the stage until `stopped` closes. Errors of a terminal are ignored.
fn show(
    output: &mut impl Write,
    stopped: &Receiver<()>,
    delay: Duration,
    stage: impl Fn() -> Option<&'static str>,
) {
    let mut shown = None;
    let mut wait = delay;
    while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        wait = INTERVAL;
        let stage = stage();
        if stage != shown {
            let _ = write!(output, "{ERASE}tfxc: {}", stage.unwrap_or("starting"));
            let _ = output.flush();
            shown = stage;
        }
    }
    if shown.is_some() {
        let _ = write!(output, "{ERASE}");
        let _ = output.flush();
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn each_stage_overwrites_the_last() {
        let (stop, stopped) = channel();
        let stop = Cell::new(Some(stop));
        let calls = Cell::new(0);
        let stage = || {
            calls.set(calls.get() + 1);
            match calls.get() {
                1 | 2 => Some("parsing"),
                3 => Some("tfx-sese"),
                _ => {
                    stop.take();
                    Some("tfx-sese")
                }
            }
        };
        let mut output = Vec::new();
        show(&mut output, &stopped, Duration::ZERO, stage);
        let expected = format!("{ERASE}tfxc: parsing{ERASE}tfxc: tfx-sese{ERASE}");
        assert_eq!(String::from_utf8(output).unwrap(), expected);
    }

    #[test]
    fn a_short_compilation_shows_nothing() {
        let (stop, stopped) = channel::<()>();
        drop(stop);
        let mut output = Vec::new();
        show(&mut output, &stopped, DELAY, || Some("parsing"));
        assert!(output.is_empty());
    }
}
