//! Streams: worker threads with a ring of commands, and events as epochs.
//!
//! ```text
//!   host ──push──► ring of a stream ──pop──► worker: wait, run, done += 1
//!                                                      ▲
//!   event = (stream, number of commands)   complete once done is at least the number
//! ```
//!
//! A record is no command: an event is the number of commands that its stream has got so far. So it
//! needs no memory, and can be waited for at any time. The number of complete commands is stored
//! with release and read with acquire order: who sees an event complete sees what the commands
//! wrote.
//!
//! The ring is bounded, so that the host does not run ahead without a limit.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The commands that a ring holds: enough to hide the time of the host.
const CAPACITY: usize = 256;

/// The looks at an epoch before the thread sleeps: about 2 us.
const SPINS: usize = 200;

/// A point of a stream: so many of its commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch {
    pub(crate) stream: usize,
    pub(crate) count: u64,
}

/// A command of a stream.
pub(crate) enum Job {
    /// Waits for a point of another stream.
    Wait(Epoch),
    /// Does work.
    Run(Box<dyn FnOnce() + Send>),
    /// Ends the thread.
    End,
}

/// A stream.
#[derive(Default)]
pub(crate) struct Stream {
    ring: Mutex<VecDeque<Job>>,
    /// Signalled when the ring changes.
    changed: Condvar,
    done: AtomicU64,
    /// The number of threads that sleep until `done` changes.
    sleepers: Mutex<u64>,
    progress: Condvar,
}

/// The streams of a run.
#[derive(Default)]
pub(crate) struct Streams {
    list: Vec<Stream>,
    /// Set if a command failed: the others are skipped.
    pub(crate) is_cancelled: AtomicBool,
}

impl Streams {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            list: (0..count).map(|_| Stream::default()).collect(),
            is_cancelled: AtomicBool::new(false),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Puts a command into the ring of a stream, and waits if the ring is full.
    pub(crate) fn push(&self, stream: usize, job: Job) {
        let stream = &self.list[stream];
        let mut ring = lock(&stream.ring);
        while ring.len() >= CAPACITY {
            ring = wait(&stream.changed, ring);
        }
        ring.push_back(job);
        drop(ring);
        stream.changed.notify_all();
    }

    /// Executes the commands of a stream until its end. `delay` returns the time to wait before a
    /// command, by its number.
    pub(crate) fn work(&self, number: usize, delay: impl Fn(u64) -> Duration) {
        let stream = &self.list[number];
        loop {
            let mut ring = lock(&stream.ring);
            let job = loop {
                match ring.pop_front() {
                    Some(job) => break job,
                    None => ring = wait(&stream.changed, ring),
                }
            };
            drop(ring);
            stream.changed.notify_all();
            let pause = delay(stream.done.load(Ordering::Relaxed));
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            match job {
                Job::Wait(epoch) => self.wait(epoch),
                Job::Run(run) if !self.is_cancelled.load(Ordering::Acquire) => run(),
                Job::Run(_) => {}
                Job::End => return,
            }
            stream.done.fetch_add(1, Ordering::Release);
            if *lock(&stream.sleepers) > 0 {
                stream.progress.notify_all();
            }
        }
    }

    /// Blocks until a point is reached.
    pub(crate) fn wait(&self, epoch: Epoch) {
        let stream = &self.list[epoch.stream];
        let is_reached = || stream.done.load(Ordering::Acquire) >= epoch.count;
        for _ in 0..SPINS {
            if is_reached() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut sleepers = lock(&stream.sleepers);
        *sleepers += 1;
        while !is_reached() {
            sleepers = wait(&stream.progress, sleepers);
        }
        *sleepers -= 1;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait<'m, T>(condition: &Condvar, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}
