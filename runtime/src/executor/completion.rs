//! How the thread that runs a graph tells everyone how it ended.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use tfx_interpreter::Tensor;

use crate::{
    failure::{Failure, panic_text},
    fault,
    image::Image,
    stats::Meters,
    trace::GraphRun,
};

/// How a graph ended.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// With results.
    Finished(Vec<Tensor>),
    /// By an error of its own.
    Failed(Failure),
    /// Because the host wanted it.
    Cancelled,
}

/// The outcome, once there is one.
#[derive(Debug, Default)]
pub(super) struct Completion {
    outcome: Mutex<Option<Outcome>>,
    ended: Condvar,
}

/// The data of a lock, whether or not a thread panicked with it: each critical section leaves its data whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Completion {
    /// Runs a graph on this thread and sets the outcome; a panic of `run` is an outcome too.
    pub(super) fn complete_with(
        &self,
        image: &Image,
        meters: &Meters,
        run: impl FnOnce() -> Outcome,
    ) {
        let span = GraphRun::new(image);
        let outcome = meters
            .run
            .during(|| catch_unwind(AssertUnwindSafe(run)))
            .unwrap_or_else(|payload| Outcome::Failed(Failure::new(panic_text(&*payload))));
        drop(span);
        *lock(&self.outcome) = Some(outcome);
        self.ended.notify_all();
    }

    /// Waits for the end. The results can be had once.
    pub(super) fn wait(&self) -> Result<Vec<Tensor>, Failure> {
        let mut outcome = lock(&self.outcome);
        loop {
            match &mut *outcome {
                Some(Outcome::Finished(results)) => return Ok(std::mem::take(results)),
                Some(Outcome::Failed(failure)) => return Err(failure.clone()),
                Some(Outcome::Cancelled) => return Err(cancelled()),
                None => {
                    outcome = self
                        .ended
                        .wait(outcome)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        }
    }

    /// Why a channel is closed; `doing` completes "the graph ended ...".
    pub(super) fn reason(&self, doing: &str) -> Failure {
        match &*lock(&self.outcome) {
            Some(Outcome::Failed(failure)) => failure.clone(),
            Some(Outcome::Finished(_)) => Failure::new(format!("the graph ended {doing}")),
            Some(Outcome::Cancelled) | None => cancelled(),
        }
    }

    /// Whether the graph has ended by an error of its own.
    pub(super) fn failed(&self) -> bool {
        matches!(&*lock(&self.outcome), Some(Outcome::Failed(_)))
    }
}

pub(super) fn cancelled() -> Failure {
    Failure::new("the program was cancelled")
}

/// A thread that is joined once.
#[derive(Debug, Default)]
pub(super) struct Joined(Mutex<Option<JoinHandle<()>>>);

impl Joined {
    /// Starts a thread.
    pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<Self, Failure> {
        fault::point("thread")?;
        let thread = std::thread::Builder::new()
            .name(format!("tfx {name}"))
            .spawn(run)
            .map_err(|error| {
                Failure::new(format!(
                    "no thread can be started for program '{name}': {error}"
                ))
            })?;
        Ok(Joined(Mutex::new(Some(thread))))
    }

    /// Waits for its end.
    pub(super) fn join(&self) {
        if let Some(thread) = lock(&self.0).take() {
            // The thread catches its panics; what is left is nothing that a caller could use.
            let _ = thread.join();
        }
    }
}
