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
//!
//! `tests/model.rs` compiles this file with loom's atomics and locks, and checks that who waits for
//! an event sees what the commands before it wrote, and that no thread sleeps indefinitely.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::run::RunError;
use crate::sync::{
    AtomicBool, AtomicU64, CAPACITY, Condvar, Mutex, MutexGuard, Ordering, PoisonError, spin,
};
use crate::workers;

/// The time between two looks at the flag of the caller: a fraction of the time in which a program
/// must end when it is cancelled.
const LOOK: Duration = Duration::from_millis(10);

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
    is_cancelled: AtomicBool,
    /// The reason of the first command that failed.
    failure: Mutex<Option<RunError>>,
    /// The streams whose threads have not ended.
    open: Mutex<usize>,
    ended: Condvar,
}

impl Streams {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            list: (0..count).map(|_| Stream::default()).collect(),
            ..Self::default()
        }
    }

    /// Has threads execute all streams, until [`Job::End`].
    ///
    /// # Errors
    ///
    /// The system has no more threads. Then no stream is executed.
    pub(crate) fn start(
        self: &Arc<Self>,
        delay: impl Fn(usize, u64) -> Duration + Send + Copy + 'static,
    ) -> Result<(), RunError> {
        *lock(&self.open) = self.count();
        for number in 0..self.count() {
            let streams = Arc::clone(self);
            let work = move || {
                streams.work(number, |count| delay(number, count));
                streams.end(1);
            };
            if let Err(error) = workers::run(Box::new(work)) {
                self.end(self.count() - number);
                (0..number).for_each(|started| self.push(started, Job::End));
                self.join(None);
                return Err(RunError::Thread(error.to_string()));
            }
        }
        Ok(())
    }

    fn end(&self, streams: usize) {
        *lock(&self.open) -= streams;
        self.ended.notify_all();
    }

    /// Waits for the end of all streams, and cancels them when the flag is set.
    pub(crate) fn join(&self, cancelled: Option<&AtomicBool>) {
        let mut open = lock(&self.open);
        while *open > 0 {
            open = self.sleep(&self.ended, open, cancelled);
        }
    }

    /// Skips all later commands, because one has failed.
    pub(crate) fn fail(&self, error: RunError) {
        lock(&self.failure).get_or_insert(error);
        self.cancel();
    }

    /// Skips all later commands.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
    }

    /// Returns the flag that asks kernels to end soon.
    pub(crate) fn cancelled(&self) -> &AtomicBool {
        &self.is_cancelled
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }

    /// Returns the reason of the first command that failed.
    pub(crate) fn failure(&self) -> Option<RunError> {
        lock(&self.failure).take()
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
    fn work(&self, number: usize, delay: impl Fn(u64) -> Duration) {
        let stream = &self.list[number];
        loop {
            let mut ring = lock(&stream.ring);
            let job = loop {
                match ring.pop_front() {
                    Some(job) => break job,
                    None => ring = wait(&stream.changed, ring),
                }
            };
            // A host that waits for a place gets half of the ring at once: to wake it for each
            // place would take a processor from the streams.
            let has_room = ring.len() == CAPACITY / 2;
            drop(ring);
            if has_room {
                stream.changed.notify_all();
            }
            let pause = delay(stream.done.load(Ordering::Relaxed));
            if !pause.is_zero() {
                std::thread::sleep(pause);
            }
            match job {
                Job::Wait(epoch) => self.wait(epoch, None),
                Job::Run(run) if !self.is_cancelled() => run(),
                Job::Run(_) => {}
                Job::End => return,
            }
            self.advance(number);
        }
    }

    /// Counts a command of a stream as complete.
    pub(crate) fn advance(&self, number: usize) {
        let stream = &self.list[number];
        stream.done.fetch_add(1, Ordering::Release);
        if *lock(&stream.sleepers) > 0 {
            stream.progress.notify_all();
        }
    }

    /// Blocks until a point is reached. Cancels all streams when the flag is set.
    pub(crate) fn wait(&self, epoch: Epoch, cancelled: Option<&AtomicBool>) {
        let stream = &self.list[epoch.stream];
        let is_reached = || stream.done.load(Ordering::Acquire) >= epoch.count;
        if spin(is_reached) {
            return;
        }
        let mut sleepers = lock(&stream.sleepers);
        *sleepers += 1;
        while !is_reached() {
            sleepers = self.sleep(&stream.progress, sleepers, cancelled);
        }
        *sleepers -= 1;
    }

    /// Waits for a signal, or with a flag of the caller for a while at most. Cancels all streams if
    /// the flag is set.
    fn sleep<'m, T>(
        &self,
        condition: &Condvar,
        guard: MutexGuard<'m, T>,
        cancelled: Option<&AtomicBool>,
    ) -> MutexGuard<'m, T> {
        let Some(flag) = cancelled else {
            return wait(condition, guard);
        };
        if flag.load(Ordering::Relaxed) {
            self.cancel();
        }
        let waited = condition.wait_timeout(guard, LOOK);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait<'m, T>(condition: &Condvar, guard: MutexGuard<'m, T>) -> MutexGuard<'m, T> {
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}
