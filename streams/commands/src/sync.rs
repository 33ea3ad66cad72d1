//! Atomics, locks and waiting of the standard library; `tests/model.rs` substitutes loom's.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The commands that a ring holds: enough to hide the time of the host.
pub(crate) const CAPACITY: usize = 256;

/// The time for which a thread looks before it sleeps: a few times as long as it takes to wake up,
/// which is 50 us and more on virtual machines.
const PATIENCE: Duration = Duration::from_micros(200);

/// The looks after which a thread lets others run.
const TURNS: usize = 64;

/// Looks for a condition for a while. Returns whether it holds.
pub(crate) fn spin(holds: impl Fn() -> bool) -> bool {
    if holds() {
        return true;
    }
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        for _ in 0..TURNS {
            if holds() {
                return true;
            }
            std::hint::spin_loop();
        }
        // There may be more threads than processors.
        std::thread::yield_now();
    }
    false
}
