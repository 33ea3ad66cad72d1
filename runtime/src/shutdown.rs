//! The list of running programs and queues, which the end of the process cancels.
//!
//! ```text
//!   exit() in host code ──► exit_hook ─┐
//!   a failure of the host ─────────────┴─► cancel_all: cancel each task, wait at most 80 ms
//! ```
//!
//! The list of tasks holds weak references: it keeps no task alive.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use crate::{activation, failure::Failure, ffi::exit, trace};

/// A program or queue that runs code on a separate thread.
pub(crate) trait Task: Send + Sync {
    /// Requests the end of the task, and wakes all threads that wait for it. Does not wait.
    fn cancel(&self);
    /// Adds what the task has measured so far to the statistics of the process, which ends.
    fn measure(&self) {}
    /// Returns whether the task has ended, after a wait up to the deadline.
    fn has_ended_by(self: Arc<Self>, deadline: Instant) -> bool;
}

static TASKS: Mutex<Vec<Weak<dyn Task>>> = Mutex::new(Vec::new());

/// The time that a process that ends waits for its tasks. All waits end at once; only kernels and
/// foreign functions take longer.
const GRACE_PERIOD: Duration = Duration::from_millis(80);

fn tasks() -> MutexGuard<'static, Vec<Weak<dyn Task>>> {
    TASKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a task that starts.
pub(crate) fn register(task: &Arc<impl Task + 'static>) {
    let task: Weak<dyn Task> = Arc::downgrade(task) as _;
    if let Some(activation) = activation::current() {
        activation.register(Weak::clone(&task));
    }
    let mut tasks = tasks();
    tasks.retain(|task| task.strong_count() > 0);
    tasks.push(task);
}

/// Makes `exit` cancel all tasks. Later calls do nothing.
pub(crate) fn prepare() -> Result<(), Failure> {
    static DONE: OnceLock<Result<(), Failure>> = OnceLock::new();
    DONE.get_or_init(cancel_before_loaded_libraries).clone()
}

/// Makes `exit` cancel all tasks before it runs the exit handlers of the libraries that are loaded
/// now.
pub(crate) fn cancel_before_loaded_libraries() -> Result<(), Failure> {
    exit::at_exit(exit_hook)
}

/// Adds what running tasks have measured so far to the statistics of the process, which ends.
pub(crate) fn measure_all() {
    let running: Vec<_> = tasks().iter().filter_map(Weak::upgrade).collect();
    running.iter().for_each(|task| task.measure());
    // The process ends here: to drop the last reference would wait for the end of the task.
    std::mem::forget(running);
}

static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Cancels all tasks of a process that is about to end, and returns whether they have ended.
pub fn cancel_all() -> bool {
    IS_ENDING.store(true, Relaxed);
    let deadline = Instant::now() + GRACE_PERIOD;
    let running: Vec<_> = tasks().iter().filter_map(Weak::upgrade).collect();
    running.iter().for_each(|task| task.cancel());
    let mut have_ended = true;
    for task in running {
        have_ended &= task.has_ended_by(deadline);
    }
    trace::flush();
    have_ended
}

/// Cancels the tasks when host code calls `exit`: none may run while the process destroys its data.
/// Returns whether none runs.
fn exit_hook() -> bool {
    let is_idle = tasks().iter().all(|task| task.strong_count() == 0);
    is_idle || IS_ENDING.load(Relaxed) || cancel_all()
}
