//! Sleeping until something has changed.
//!
//! ```text
//!   sleeper: asleep = true | fence | is it there?    no: sleep          ringer: put it there | fence | asleep?   yes: asleep = false, wake all
//! ```
//!
//! The two fences make one of both see the other: the sleeper what was put there, or the ringer the sleeper (Dekker's algorithm). A ringer that
//! sees one takes the lock, so the sleeper has not looked yet or sleeps already. This is the "event count" of Vyukov and of Eigen. It takes a while until a
//! woken thread runs; whoever rings meanwhile does not wake it again.

use crate::sync::{AtomicBool, Condvar, Mutex, Ordering::*, fence};

/// What threads sleep at.
#[derive(Debug)]
pub(crate) struct Bell {
    /// Whether somebody sleeps whom nobody has woken.
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

    /// Wakes everyone who sleeps, to be called after what they wait for has happened.
    #[inline]
    pub(crate) fn ring(&self) {
        fence(SeqCst);
        if self.asleep.load(Relaxed) {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        // No thread panics with the lock, which guards nothing but this order.
        let guard = self.lock.lock();
        self.asleep.store(false, Relaxed);
        drop(guard);
        self.rung.notify_all();
    }

    /// Sleeps until `is_there`, which only looks: it must not ring.
    pub(crate) fn sleep_until(&self, is_there: impl Fn() -> bool) {
        let mut guard = self.lock.lock();
        while let Ok(held) = guard {
            self.asleep.store(true, Relaxed);
            fence(SeqCst);
            if is_there() {
                return;
            }
            guard = self.rung.wait(held);
        }
    }
}
