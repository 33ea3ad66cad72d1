//! Queues of results that a thread computes ahead: `tfx_host.prefetch`.
//!
//! ```text
//!   thread   call ─► put ─► call ─► put ─► (full: waits)         The thread waits while the queue
//!                     │              │                           holds `depth` results, the host
//!                   [ results in order: at most `depth` ]        while it holds none.
//!                               │
//!   host               next ◄───┘        close: waits for the last call, drops the other results
//! ```
//!
//! A failing call is the last one: its failure takes the place of its result. In an activation, the
//! failure unwinds compiled code. In an executable, which cannot unwind, the thread is parked until
//! the process ends, together with the data of the call, and closing does not wait for it
//! ([`deliver`]).

use std::{
    cell::RefCell,
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread::{Builder, JoinHandle},
    time::Instant,
};

use crate::{
    activation::{self, Activation},
    failure::{Failure, reason},
    shutdown,
};

/// A queue of results of type `T`. Dropping it closes it.
pub struct Queue<T: Send + 'static> {
    shared: Arc<Shared<T>>,
    thread: Option<JoinHandle<()>>,
}

/// The state that the thread shares with the host.
struct Shared<T> {
    depth: usize,
    state: Mutex<State<T>>,
    /// Notified when the thread has put a result, failed or ended.
    put: Condvar,
    /// Notified when the host has taken a result, or closes the queue.
    taken: Condvar,
}

struct State<T> {
    results: VecDeque<T>,
    failure: Option<Failure>,
    is_closing: bool,
    progress: Progress,
}

/// The progress of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Running,
    /// A call failed in compiled code.
    Parked,
    Ended,
}

/// A queue of any type, as the failing call of its thread sees it.
trait Park {
    /// Stores the failure. The thread does nothing afterwards.
    fn park(&self, failure: Failure);
}

static PARKED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The queue whose thread this is.
    static OWN: RefCell<Option<Arc<dyn Park>>> = const { RefCell::new(None) };
}

impl<T: Send + 'static> Queue<T> {
    /// Starts a thread that repeats `call`, up to `depth` results ahead of the host.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub fn open(
        depth: usize,
        call: impl FnMut() -> Result<T, Failure> + Send + 'static,
    ) -> Result<Self, Failure> {
        shutdown::prepare()?;
        let shared = Arc::new(Shared {
            depth: depth.max(1),
            state: Mutex::new(State {
                results: VecDeque::new(),
                failure: None,
                is_closing: false,
                progress: Progress::Running,
            }),
            put: Condvar::new(),
            taken: Condvar::new(),
        });
        shutdown::register(&shared);
        let of_thread = shared.clone();
        let activation = activation::current();
        let thread = Builder::new()
            .name("prefetch".to_owned())
            .spawn(move || of_thread.run(activation, call))
            .map_err(|error| Failure::new(format!("cannot start a thread: {}", reason(&error))))?;
        Ok(Queue {
            shared,
            thread: Some(thread),
        })
    }

    /// Waits for the result of the next call.
    ///
    /// # Errors
    /// The failure of that call.
    pub fn next(&self) -> Result<T, Failure> {
        self.shared.next()
    }

    /// Prevents further calls, waits for the running one, and drops the results that were not
    /// taken.
    pub fn close(self) {
        drop(self);
    }
}

impl<T: Send + 'static> Drop for Queue<T> {
    fn drop(&mut self) {
        shutdown::Task::cancel(&*self.shared);
        let progress = self.shared.wait_for_end();
        if progress == Progress::Ended
            && let Some(thread) = self.thread.take()
        {
            // The panic of a call was caught, and is the failure of its result.
            let _ = thread.join();
        }
        let left = std::mem::take(&mut self.shared.lock().results);
        drop(left);
    }
}

impl<T: Send + 'static> Shared<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs on the thread of the queue.
    fn run(
        self: Arc<Self>,
        activation: Option<Arc<Activation>>,
        mut call: impl FnMut() -> Result<T, Failure>,
    ) {
        let entered = activation::enter(activation);
        OWN.set(Some(self.clone()));
        while self.wait_until_not_full() {
            let result = catch_unwind(AssertUnwindSafe(&mut call))
                .unwrap_or_else(|payload| Err(activation::caught(payload)));
            let mut state = self.lock();
            match result {
                Ok(result) => state.results.push_back(result),
                Err(failure) => {
                    state.failure = Some(failure);
                    break;
                }
            }
            drop(state);
            self.put.notify_all();
        }
        // The arguments of the calls are dropped before the end is visible to other threads.
        drop(call);
        drop(entered);
        self.lock().progress = Progress::Ended;
        self.put.notify_all();
    }

    /// Waits until the queue is not full, or closes; returns whether it is open.
    fn wait_until_not_full(&self) -> bool {
        let is_full = |state: &mut State<T>| !state.is_closing && state.results.len() >= self.depth;
        let state = self.taken.wait_while(self.lock(), is_full);
        !state.unwrap_or_else(PoisonError::into_inner).is_closing
    }

    fn next(&self) -> Result<T, Failure> {
        let must_wait = |state: &mut State<T>| {
            state.results.is_empty()
                && state.failure.is_none()
                && state.progress == Progress::Running
        };
        let state = self.put.wait_while(self.lock(), must_wait);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        match (state.results.pop_front(), &state.failure) {
            (Some(result), _) => {
                drop(state);
                self.taken.notify_all();
                Ok(result)
            }
            (None, Some(failure)) => Err(failure.clone()),
            (None, None) => Err(Failure::new("the queue ended with the process")),
        }
    }

    fn wait_for_end(&self) -> Progress {
        let runs = |state: &mut State<T>| state.progress == Progress::Running;
        let state = self.put.wait_while(self.lock(), runs);
        state.unwrap_or_else(PoisonError::into_inner).progress
    }
}

impl<T: Send + 'static> shutdown::Task for Shared<T> {
    fn cancel(&self) {
        self.lock().is_closing = true;
        self.taken.notify_all();
    }

    /// A call that ends the process itself does not count as running.
    fn has_ended_by(self: Arc<Self>, deadline: Instant) -> bool {
        let own = OWN.with_borrow(|own| own.as_ref().map(|own| Arc::as_ptr(own).cast::<()>()));
        if own == Some(Arc::as_ptr(&self).cast()) {
            return true;
        }
        let runs = |state: &mut State<T>| state.progress == Progress::Running;
        let time = deadline.saturating_duration_since(Instant::now());
        let waited = self.put.wait_timeout_while(self.lock(), time, runs);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.progress != Progress::Running
    }
}

impl<T: Send + 'static> Park for Shared<T> {
    fn park(&self, failure: Failure) {
        let mut state = self.lock();
        state.failure = Some(failure);
        state.progress = Progress::Parked;
        PARKED.fetch_add(1, Relaxed);
        drop(state);
        self.put.notify_all();
    }
}

/// On the thread of a queue, makes the failure that of the running call and returns true: the
/// caller, which compiled code has called, must park the thread. On other threads, returns false.
pub(crate) fn deliver(failure: &Failure) -> bool {
    let own = OWN.with_borrow(Option::clone);
    if let Some(own) = &own {
        own.park(failure.clone());
    }
    own.is_some()
}

/// Returns the number of parked threads, which keep the data of their last calls.
pub fn parked_threads() -> usize {
    PARKED.load(Relaxed)
}
