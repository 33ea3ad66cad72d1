//! What the channel needs of the standard library. `tests/model.rs` has a module of the same face that is loom's.

pub(crate) use std::sync::{
    Condvar, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering, fence},
};

use std::{
    sync::OnceLock,
    thread::available_parallelism,
    time::{Duration, Instant},
};

/// How long a waiting thread stays awake: about what it costs to put it to sleep and to wake it again. Who waits so long before it gives up never pays
/// more than twice of what it would have paid had it known (Karlin et al., "Competitive randomized algorithms for nonuniform problems", 1990).
const AWAKE: Duration = Duration::from_micros(10);

/// Looks at the channel between two looks at the clock.
const LOOKS: u32 = 8;

/// Whether the other side can do something while this one stays awake.
fn are_there_other_cores() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| available_parallelism().is_ok_and(|cores| cores.get() > 1))
}

/// A thread that waits, and is still awake.
pub(crate) struct Patience {
    looks: u32,
    since: Option<Instant>,
}

impl Patience {
    pub(crate) fn new() -> Self {
        Patience {
            looks: 0,
            since: None,
        }
    }

    /// Lets a moment pass; `false`: it is time to sleep.
    pub(crate) fn wait(&mut self) -> bool {
        self.looks += 1;
        std::hint::spin_loop();
        if !self.looks.is_multiple_of(LOOKS) {
            return true;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        since.elapsed() < AWAKE && are_there_other_cores()
    }
}

/// A cell that is shared by rules of its own. The closures are loom's way to see when it is used.
#[derive(Debug)]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> Self {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Gives the address, which nobody else uses meanwhile.
    pub(crate) fn with_mut<R>(&self, body: impl FnOnce(*mut T) -> R) -> R {
        body(self.0.get())
    }
}
