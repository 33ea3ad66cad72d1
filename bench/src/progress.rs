//! Progress of the benchmark, on standard error.
//!
//! ```text
//! [    0.4 s] sequential-loops, 10000: lift-cf-to-scf
//! [   10.4 s]   still running, for 10 s
//! ```

use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The interval of messages about a long run.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// The resolution of that interval: coarse enough not to disturb measurements.
const TICK: Duration = Duration::from_secs(1);

static START: LazyLock<Instant> = LazyLock::new(Instant::now);
static CURRENT: Mutex<Option<Current>> = Mutex::new(None);

/// The current run, and the number of messages about it.
struct Current {
    since: Instant,
    heartbeats: u32,
}

/// Starts the clock, and a thread that reports long runs.
pub(crate) fn start() {
    LazyLock::force(&START);
    let heartbeat = || {
        loop {
            thread::sleep(TICK);
            beat();
        }
    };
    // Without the thread, only messages are missing.
    let _ = thread::Builder::new().spawn(heartbeat);
}

/// Reports the start of a run.
pub(crate) fn start_run(what: &str) {
    line(what);
    let current = Current {
        since: Instant::now(),
        heartbeats: 0,
    };
    *CURRENT.lock().unwrap_or_else(PoisonError::into_inner) = Some(current);
}

/// Reports a note about the current run.
pub(crate) fn note(what: &str) {
    line(&format!("  {what}"));
}

fn beat() {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(current) = current.as_mut() else {
        return;
    };
    let elapsed = current.since.elapsed();
    if elapsed >= HEARTBEAT * (current.heartbeats + 1) {
        current.heartbeats += 1;
        note(&format!("still running, for {} s", elapsed.as_secs()));
    }
}

fn line(text: &str) {
    eprintln!("[{:7.1} s] {text}", START.elapsed().as_secs_f64());
}
