//! The outcome of a graph, which the thread of the graph reports to the threads of the host.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use tfx_interpreter::Tensor;

use crate::{
    failure::{Failure, panic_text},
    image::Image,
    injection,
    stats::Meters,
    trace::GraphRun,
};

/// The way in which a graph ended.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// With results.
    Finished(Vec<Tensor>),
    /// With an error.
    Failed(Failure),
    /// At the request of the host.
    Cancelled,
}

/// The outcome, once there is one.
#[derive(Debug, Default)]
pub(super) struct Completion {
    end: Mutex<End>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct End {
    outcome: Option<Outcome>,
    /// A thread waits: otherwise, there is no system call to wake it.
    is_awaited: bool,
}

/// Locks a mutex, also if a thread panicked while it held the lock: each critical section keeps its
/// data consistent.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Completion {
    /// Runs a graph on this thread and records the outcome. A panic of `run` is a failure.
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
            .unwrap_or_else(|payload| Outcome::Failed(Failure::internal(panic_text(&*payload))));
        drop(span);
        let mut end = lock(&self.end);
        end.outcome = Some(outcome);
        if end.is_awaited {
            self.ended.notify_all();
        }
    }

    /// Waits for the end. Only the first call returns the results.
    pub(super) fn wait(&self) -> Result<Vec<Tensor>, Failure> {
        let mut end = lock(&self.end);
        loop {
            match &mut end.outcome {
                Some(Outcome::Finished(results)) => return Ok(std::mem::take(results)),
                Some(Outcome::Failed(failure)) => return Err(failure.clone()),
                Some(Outcome::Cancelled) => return Err(cancelled()),
                None => {
                    end.is_awaited = true;
                    end = self.ended.wait(end).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Returns the reason why a channel is closed; `missing` completes "the graph ended ...".
    pub(super) fn reason(&self, missing: &str) -> Failure {
        match &lock(&self.end).outcome {
            Some(Outcome::Failed(failure)) => failure.clone(),
            Some(Outcome::Finished(_)) => Failure::new(format!("the graph ended {missing}")),
            Some(Outcome::Cancelled) | None => cancelled(),
        }
    }

    /// Returns whether the graph has ended with an error.
    pub(super) fn failed(&self) -> bool {
        matches!(&lock(&self.end).outcome, Some(Outcome::Failed(_)))
    }
}

pub(super) fn cancelled() -> Failure {
    Failure::new("the program was cancelled")
}

/// The run of a graph, which ends on a thread of its own or on the thread that waits for it.
pub(super) struct GraphThread(Mutex<Launched>);

enum Launched {
    Running(JoinHandle<()>),
    Deferred(Box<dyn FnOnce() + Send>),
    Ended,
}

impl GraphThread {
    /// Lets the first thread that waits for the end run the graph.
    pub(super) fn defer(run: impl FnOnce() + Send + 'static) -> Self {
        GraphThread(Mutex::new(Launched::Deferred(Box::new(run))))
    }

    /// Starts the thread.
    pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<Self, Failure> {
        injection::point("thread")?;
        let thread = std::thread::Builder::new()
            .name(format!("tfx {name}"))
            .spawn(run)
            .map_err(|error| {
                Failure::new(format!(
                    "cannot start a thread for program '{name}': {error}"
                ))
            })?;
        Ok(GraphThread(Mutex::new(Launched::Running(thread))))
    }

    /// Waits for the end of the thread, or runs a deferred graph. Later calls do nothing, also
    /// while the first one waits.
    pub(super) fn join(&self) {
        let launched = std::mem::replace(&mut *lock(&self.0), Launched::Ended);
        match launched {
            // The thread catches its panics.
            Launched::Running(thread) => drop(thread.join()),
            Launched::Deferred(run) => run(),
            Launched::Ended => {}
        }
    }
}
