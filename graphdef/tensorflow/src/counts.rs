//! Numbers of live objects, in which tests look for leaks.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

pub(crate) static GRAPHS: AtomicUsize = AtomicUsize::new(0);
pub(crate) static SESSIONS: AtomicUsize = AtomicUsize::new(0);
pub(crate) static TENSORS: AtomicUsize = AtomicUsize::new(0);
pub(crate) static LENT: AtomicUsize = AtomicUsize::new(0);

/// The numbers of live graphs, sessions and tensors, and of elements that TensorFlow borrows.
pub fn alive() -> [usize; 4] {
    [&GRAPHS, &SESSIONS, &TENSORS, &LENT].map(|count| count.load(Relaxed))
}

/// A guard that counts one object from its creation to its drop.
pub struct Counted(&'static AtomicUsize);

impl Counted {
    /// Increments `count`.
    pub fn new(count: &'static AtomicUsize) -> Self {
        count.fetch_add(1, Relaxed);
        Counted(count)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
