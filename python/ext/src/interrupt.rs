//! Ctrl-C: the running calls, which `wake` cancels.
//!
//! Python's own handler writes a byte to the wake-up descriptor at once, while the main thread runs
//! a program; a thread of the package reads it, and calls `wake`. The call then fails as cancelled,
//! and Python raises `KeyboardInterrupt`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pyo3::pyfunction;
use tfx::run::Cancellation;

static RUNNING: Mutex<(u64, BTreeMap<u64, Cancellation>)> = Mutex::new((0, BTreeMap::new()));

/// A call that `wake` cancels, until the value is dropped.
pub(crate) struct Running {
    id: u64,
    pub(crate) cancellation: Cancellation,
}

impl Running {
    pub(crate) fn new() -> Self {
        let cancellation = Cancellation::new();
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.0 += 1;
        let id = running.0;
        running.1.insert(id, cancellation.clone());
        Running { id, cancellation }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.1.remove(&self.id);
    }
}

/// Cancels all running calls.
#[pyfunction]
pub(crate) fn wake() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.1.values().for_each(Cancellation::cancel);
}
