//! The types of the standard library that the channel uses. `tests/model.rs` has a module with the
//! same interface over loom.

pub(crate) use std::sync::{
    Condvar, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering, fence},
};

use std::{
    sync::OnceLock,
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// The time that a waiting thread spins: about the cost of a sleep and a wake-up. The total cost is
/// thus at most twice the optimum (Karlin et al., "Competitive randomized algorithms for nonuniform
/// problems", 1990).
const SPIN_TIME: Duration = Duration::from_micros(10);

/// The number of polls of the channel between two reads of the clock.
const POLLS: u32 = 8;

/// Returns whether the other side can run while this one spins.
fn has_several_cores() -> bool {
    static CACHED: OnceLock<bool> = OnceLock::new();
    *CACHED.get_or_init(|| available_parallelism().is_ok_and(|cores| cores.get() > 1))
}

/// The spinning of a thread that waits.
pub(crate) struct Spin {
    polls: u32,
    since: Option<Instant>,
}

impl Spin {
    pub(crate) fn new() -> Self {
        Spin {
            polls: 0,
            since: None,
        }
    }

    /// Pauses before the next poll; returns `false` if the thread should sleep.
    pub(crate) fn again(&mut self) -> bool {
        self.polls += 1;
        std::hint::spin_loop();
        if !self.polls.is_multiple_of(POLLS) {
            return true;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        since.elapsed() < SPIN_TIME && has_several_cores()
    }
}

/// A cell without checked borrowing. loom observes its accesses through the closures.
#[derive(Debug)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Calls a function with the address, which no other thread uses meanwhile.
    pub(crate) fn with_mut<R>(&self, body: impl FnOnce(*mut T) -> R) -> R {
        body(self.0.get())
    }
}
