//! Threads that run streams, and wait for the next run afterwards.
//!
//! ```text
//!   run(work) ──► an idle thread, or a new one ──► work ──► idle
//! ```
//!
//! A stream is a thread for the time of a run. To start one takes longer than most kernels, so
//! threads stay: as many as streams have run at the same time.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// What a thread does until it is idle again. It does not panic.
pub(crate) type Work = Box<dyn FnOnce() + Send>;

/// The threads without work.
static IDLE: Mutex<Vec<Sender<Work>>> = Mutex::new(Vec::new());

/// Runs work on a thread of its own.
///
/// # Errors
///
/// The system has no more threads.
pub(crate) fn run(work: Work) -> io::Result<()> {
    let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let unsent = match idle {
        Some(worker) => worker.send(work).err().map(|unsent| unsent.0),
        None => Some(work),
    };
    unsent.map_or(Ok(()), start)
}

fn start(first: Work) -> io::Result<()> {
    let thread = Builder::new().name("tfx-stream".to_string());
    let run = move || {
        let (sender, receiver) = channel();
        first();
        loop {
            IDLE.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(Sender::clone(&sender));
            match receiver.recv() {
                Ok(work) => work(),
                Err(_) => return,
            }
        }
    };
    thread.spawn(run).map(drop)
}
