//! Sleeping until something has changed: an "event count", as by Vyukov and in Eigen.
//!
//! ```text
//!   sleeper   asleep = true │ fence │ is the condition true? no: sleep
//!   waker     make it true  │ fence │ asleep? yes: asleep = false, wake all
//! ```
//!
//! With the two fences, the sleeper sees the new condition or the waker sees the sleeper (Dekker's
//! algorithm). A waker that sees a sleeper takes the lock, so the sleeper either has not checked
//! the condition yet, or already sleeps. A woken thread takes a while until it runs; other wakers
//! do not wake it again meanwhile.

use crate::sync::{AtomicBool, Condvar, Mutex, Ordering::*, fence};

/// The threads that sleep until a condition changes.
#[derive(Debug)]
pub(crate) struct Bell {
    /// A thread sleeps and has not been woken.
    asleep: AtomicBool,
    lock: Mutex<()>,
    rung: Condvar,
}

impl Bell {
    pub(crate) fn new() -> Self {
        Bell {
            asleep: AtomicBool::new(false),
            lock: Mutex::new(()),
            rung: Condvar::new(),
        }
    }

    /// Wakes all sleeping threads. The caller has changed their condition before.
    #[inline]
    pub(crate) fn ring(&self) {
        fence(SeqCst);
        if self.asleep.load(Relaxed) {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        // The lock only orders the two sides. No thread panics while it holds the lock.
        let guard = self.lock.lock();
        self.asleep.store(false, Relaxed);
        drop(guard);
        self.rung.notify_all();
    }

    /// Sleeps until the condition is true. The condition must not ring the bell.
    pub(crate) fn sleep_until(&self, condition: impl Fn() -> bool) {
        let mut guard = self.lock.lock();
        while let Ok(held) = guard {
            self.asleep.store(true, Relaxed);
            fence(SeqCst);
            if condition() {
                return;
            }
            guard = self.rung.wait(held);
        }
    }
}
