//! Sleeping until something has changed.
//!
//! ```text
//!   sleeper: waiting += 1 | fence | is it there?    no: sleep          ringer: put it there | fence | waiting > 0?   yes: wake
//! ```
//!
//! The two fences make one of both see the other: the sleeper what was put there, or the ringer the sleeper (Dekker's algorithm). A ringer that
//! sees one takes the lock once, so the sleeper is either asleep or has not looked yet. This is the "event count" of Vyukov and of Eigen.

use crate::sync::{AtomicUsize, Condvar, Mutex, Ordering::*, fence};

/// What threads sleep at.
#[derive(Debug)]
pub(crate) struct Bell {
    waiting: AtomicUsize,
    lock: Mutex<()>,
    rung: Condvar,
}

impl Bell {
    pub(crate) fn new() -> Self {
        Bell {
            waiting: AtomicUsize::new(0),
            lock: Mutex::new(()),
            rung: Condvar::new(),
        }
    }

    /// Wakes everyone who sleeps, to be called after what they wait for has happened.
    pub(crate) fn ring(&self) {
        fence(SeqCst);
        if self.waiting.load(Relaxed) > 0 {
            // No thread panics with the lock, which guards nothing but this order.
            drop(self.lock.lock());
            self.rung.notify_all();
        }
    }

    /// Sleeps until `is_there`, which only looks: it must not ring.
    pub(crate) fn sleep_until(&self, is_there: impl Fn() -> bool) {
        self.waiting.fetch_add(1, Relaxed);
        fence(SeqCst);
        let mut guard = self.lock.lock();
        while let Ok(held) = guard {
            if is_there() {
                break;
            }
            guard = self.rung.wait(held);
        }
        self.waiting.fetch_sub(1, Relaxed);
    }
}
