//! Threads that help the thread of a graph with the parts of its native code.
//!
//! ```text
//! thread of a graph   run: parts 0, 2, 3, ...          waits for the parts of others ──► next kernel
//! helper 1                 part 1, 4, ...
//! helper 2            asleep
//! ```
//!
//! A *job* has numbered parts, which a counter hands out in ascending order. The thread of the
//! graph takes parts as the helpers do, so that a job ends even if no helper is free. Several
//! graphs may have jobs at the same time; helpers take the oldest first.
//!
//! The sizes of the data alone decide what the parts are ([`threads`] does not), so the results are
//! the same bits for any number of threads.
//!
//! A helper that has nothing to do looks for a job for half a millisecond, since the next one often
//! follows soon, and then sleeps. Helpers are started when they are first needed, and end with the
//! process. A process that `fork` creates has none of its parent's threads, and starts its own.
//!
//! Cost: a lock for each job and for each helper that joins it, and an atomic addition for each
//! part. Not guaranteed: fairness between graphs.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crate::failure::Failure;

/// The environment variable with the number of threads, if the command line has none.
pub const THREADS_VARIABLE: &str = "TFX_THREADS";

/// The largest number of threads that a user can set: more than machines have processors.
pub const MOST_THREADS: usize = 1024;

/// The time for which a helper looks for the next job before it sleeps: a few times as long as it
/// takes to wake up, which is 50 µs and more on virtual machines.
const PATIENCE: Duration = Duration::from_micros(500);

/// The turns of a loop between two looks at the time, after which a thread lets others run.
const TURNS: usize = 64;

/// The number of threads; 0 until it is known.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Returns the requested number of threads, or else that of the environment, or else the number of
/// processors that this process may use.
///
/// # Errors
/// The variable [`THREADS_VARIABLE`] is not a number from 1 to [`MOST_THREADS`].
pub fn choose_threads(requested: Option<NonZeroUsize>) -> Result<NonZeroUsize, Failure> {
    if let Some(threads) = requested {
        return Ok(threads);
    }
    match std::env::var(THREADS_VARIABLE) {
        Ok(text) if !text.is_empty() => parse_threads(&text)
            .map_err(|error| Failure::new(format!("{THREADS_VARIABLE}: {error}"))),
        _ => Ok(processors()),
    }
}

fn processors() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// A text that is not a number of threads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of threads from 1 to {MOST_THREADS}, but got '{0}'")]
pub struct WrongThreads(String);

/// Parses a number of threads.
///
/// # Errors
/// It is not one from 1 to [`MOST_THREADS`].
pub fn parse_threads(text: &str) -> Result<NonZeroUsize, WrongThreads> {
    let number = text.parse().ok().filter(|&it| it <= MOST_THREADS);
    let threads = number.and_then(NonZeroUsize::new);
    threads.ok_or_else(|| WrongThreads(text.to_owned()))
}

/// Sets the number of threads that work for one graph at a time, in this process.
pub fn set_threads(threads: NonZeroUsize) {
    THREADS.store(threads.get(), Ordering::Relaxed);
}

/// Returns the number of threads. An environment variable that is not one counts as unset.
pub fn threads() -> usize {
    match THREADS.load(Ordering::Relaxed) {
        0 => {
            let threads = choose_threads(None).unwrap_or_else(|_| processors());
            set_threads(threads);
            threads.get()
        }
        threads => threads,
    }
}

/// Work in parts, each of which may run on any thread.
pub(crate) trait Job: Send + Sync {
    /// Does a part. It must not panic.
    fn part(&self, number: usize);
}

/// Does all parts of a job, with the help of other threads.
pub(crate) fn run(job: Arc<dyn Job>, parts: usize) {
    let threads = threads().min(parts);
    if threads <= 1 {
        (0..parts).for_each(|number| job.part(number));
        return;
    }
    let open = Arc::new(Open {
        job,
        parts,
        next: AtomicUsize::new(0),
        most_helpers: threads - 1,
        helpers: AtomicUsize::new(0),
        owner: thread::current(),
    });
    POOL.open(&open);
    open.work();
    POOL.close(&open);
    if !wait_awake(|| open.helpers.load(Ordering::Acquire) == 0) {
        while open.helpers.load(Ordering::Acquire) != 0 {
            thread::park();
        }
    }
}

/// Waits for a condition without sleeping, for a while. Returns whether it holds.
fn wait_awake(holds: impl Fn() -> bool) -> bool {
    let since = Instant::now();
    loop {
        for _ in 0..TURNS {
            if holds() {
                return true;
            }
            std::hint::spin_loop();
        }
        if since.elapsed() > PATIENCE {
            return false;
        }
        thread::yield_now();
    }
}

/// A job that has parts left.
struct Open {
    job: Arc<dyn Job>,
    parts: usize,
    /// The next part to be taken.
    next: AtomicUsize,
    most_helpers: usize,
    /// The helpers that may still work on a part. A helper joins under the lock of the pool.
    helpers: AtomicUsize,
    /// The thread that waits for the helpers.
    owner: Thread,
}

impl Open {
    /// Takes parts until there are none left.
    fn work(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.parts {
                return;
            }
            self.job.part(number);
        }
    }

    fn wants_help(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.parts
            && self.helpers.load(Ordering::Relaxed) < self.most_helpers
    }

    /// Ends the work of a helper. What it has written is then visible to the owner.
    fn leave(&self) {
        if self.helpers.fetch_sub(1, Ordering::Release) == 1 {
            self.owner.unpark();
        }
    }
}

/// The helpers, and the jobs that they may take.
static POOL: Pool = Pool {
    state: Mutex::new(State {
        jobs: Vec::new(),
        helpers: 0,
        asleep: 0,
        process: 0,
    }),
    wake: Condvar::new(),
    count: AtomicUsize::new(0),
};

struct Pool {
    state: Mutex<State>,
    wake: Condvar,
    /// The number of jobs, for helpers that do not sleep.
    count: AtomicUsize,
}

struct State {
    /// The oldest first.
    jobs: Vec<Arc<Open>>,
    helpers: usize,
    asleep: usize,
    /// The process whose threads the helpers are.
    process: u32,
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Offers a job to the helpers.
    fn open(&'static self, open: &Arc<Open>) {
        let mut state = self.lock();
        let process = std::process::id();
        if state.process != process {
            *state = State {
                jobs: Vec::new(),
                helpers: 0,
                asleep: 0,
                process,
            };
        }
        state.jobs.push(Arc::clone(open));
        self.count.store(state.jobs.len(), Ordering::Relaxed);
        while state.helpers < open.most_helpers && self.start_helper() {
            state.helpers += 1;
        }
        let asleep = state.asleep;
        drop(state);
        (0..asleep.min(open.most_helpers)).for_each(|_| self.wake.notify_one());
    }

    /// Takes a job back. No helper joins it any more.
    fn close(&self, open: &Arc<Open>) {
        let mut state = self.lock();
        state.jobs.retain(|known| !Arc::ptr_eq(known, open));
        self.count.store(state.jobs.len(), Ordering::Relaxed);
    }

    /// Starts a helper. Returns false if the system has no thread left; the others do its work.
    fn start_helper(&'static self) -> bool {
        let name = "tfx helper".to_owned();
        let helper = thread::Builder::new().name(name).spawn(|| self.help());
        helper.is_ok()
    }

    /// Works on jobs indefinitely.
    fn help(&self) {
        loop {
            let open = self.next();
            open.work();
            open.leave();
        }
    }

    /// Waits for a job, and joins it.
    fn next(&self) -> Arc<Open> {
        wait_awake(|| self.count.load(Ordering::Relaxed) > 0);
        let mut state = self.lock();
        loop {
            if let Some(open) = state.jobs.iter().find(|open| open.wants_help()) {
                open.helpers.fetch_add(1, Ordering::Relaxed);
                return Arc::clone(open);
            }
            state.asleep += 1;
            state = self
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
            state.asleep -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts how often each part runs.
    struct Counts(Vec<AtomicUsize>);

    impl Job for Counts {
        fn part(&self, number: usize) {
            self.0[number].fetch_add(1, Ordering::Relaxed);
        }
    }

    fn counts(parts: usize) -> Arc<Counts> {
        Arc::new(Counts((0..parts).map(|_| AtomicUsize::new(0)).collect()))
    }

    #[test]
    fn each_part_runs_once() {
        set_threads(NonZeroUsize::new(5).expect("5 is not 0"));
        let owners: Vec<_> = (0..4)
            .map(|owner| {
                thread::spawn(move || {
                    for round in 0..500 {
                        let job = counts((owner + round) % 17);
                        run(job.clone(), job.0.len());
                        for count in &job.0 {
                            assert_eq!(count.load(Ordering::Relaxed), 1);
                        }
                    }
                })
            })
            .collect();
        owners
            .into_iter()
            .for_each(|owner| owner.join().expect("no part is missing"));
    }

    #[test]
    fn a_number_of_threads_is_checked() {
        assert_eq!(parse_threads("3").map(NonZeroUsize::get), Ok(3));
        for wrong in ["0", "-1", "1025", "many", ""] {
            let error = parse_threads(wrong).expect_err("it is wrong");
            let message = error.to_string();
            assert!(message.ends_with(&format!("got '{wrong}'")), "{message}");
        }
    }
}
