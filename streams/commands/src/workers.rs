//! Threads that run streams, and wait for the next run afterwards.
//!
//! ```text
//!   run(work) ──► an idle thread, or a new one ──► work ──► idle: looks, then sleeps
//! ```
//!
//! A stream is a thread for the time of a run. To start one takes longer than most kernels, so
//! threads stay: as many as streams have run at the same time. A process that `fork` creates has
//! none of its parent's threads, and starts its own.

use std::cell::Cell;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Builder;

use crate::sync::spin;

/// The work of a thread, until it is idle again. It does not panic.
pub(crate) type Work = Box<dyn FnOnce() + Send>;

/// The threads without work.
#[derive(Default)]
struct Idle {
    process: u32,
    threads: Vec<Sender<Work>>,
}

static IDLE: Mutex<Idle> = Mutex::new(Idle {
    process: 0,
    threads: Vec::new(),
});

/// Returns the threads of this process.
fn idle() -> MutexGuard<'static, Idle> {
    let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if idle.process != process {
        // Those of the parent are not there to receive work.
        *idle = Idle {
            process,
            threads: Vec::new(),
        };
    }
    idle
}

/// Runs work on a thread of its own.
///
/// # Errors
///
/// The system has no more threads.
pub(crate) fn run(work: Work) -> io::Result<()> {
    let thread = idle().threads.pop();
    let unsent = match thread {
        Some(thread) => thread.send(work).err().map(|unsent| unsent.0),
        None => Some(work),
    };
    unsent.map_or(Ok(()), start)
}

fn start(first: Work) -> io::Result<()> {
    let thread = Builder::new().name("tfx-stream".to_string());
    let run = move || {
        let (sender, receiver) = channel();
        let mut next = Some(first);
        while let Some(work) = next {
            work();
            idle().threads.push(Sender::clone(&sender));
            next = receive(&receiver);
        }
    };
    thread.spawn(run).map(drop)
}

/// Looks for work for a while, since the next run often follows soon, and then sleeps until there
/// is some.
fn receive(receiver: &Receiver<Work>) -> Option<Work> {
    let found = Cell::new(None);
    let has_work = || {
        let work = receiver.try_recv().ok();
        let has_work = work.is_some();
        found.set(work);
        has_work
    };
    match spin(has_work) {
        true => found.take(),
        false => receiver.recv().ok(),
    }
}
