//! Activations: calls of compiled code that end in a value, not in the end of the process.
//!
//! ```text
//!   run ──► enter ──► compiled code ──► tfx_program_recv: fails ─┐
//!    ▲                      │                                    │ unwinds the frames in between
//!    │                      └─► a foreign function: fails ──────────┤
//!    └── leave: cancel programs, close queues, free objects ◄────┘
//! ```
//!
//! An executable ends with its first failure. A process that embeds compiled code must survive it:
//! [`run`] calls the code in an *activation*, and a failure unwinds to it. The frames of compiled
//! code have no clean-up code. Instead, the activation knows everything that its code has created:
//! programs and queues that are still open, and the objects on the heap (`ffi/objects.rs`).
//!
//! A [`Cancellation`] and a time limit make the next call of the runtime fail, and wake the code
//! from waits for graphs and queues. Each iteration of a loop of the host calls the runtime.
//!
//! Cost: a lock and an entry in a set per object, two atomic loads per call of the runtime; nothing
//! outside of activations.
//!
//! Not guaranteed: foreign functions are not interrupted. C code is unwound like C++ code that has
//! no destructors.

use std::{
    any::Any,
    cell::RefCell,
    collections::{BTreeMap, BinaryHeap},
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering::*},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    executor::ExecutorKind,
    failure::{Failure, FailureKind, panic_text, reason},
    ffi::objects::Objects,
    shutdown::Task,
};

/// A function that receives what a program prints: whole lines, each with its newline.
pub type Output = dyn Fn(&str) + Send + Sync;

/// Options of one call of compiled code.
#[derive(Clone, Default)]
pub struct CallOptions {
    /// The executor of the graphs; `None` selects that of the process.
    pub executor: Option<ExecutorKind>,
    /// Receives the lines that the program prints; `None` selects standard output.
    pub output: Option<Arc<Output>>,
    /// Cancels the call.
    pub cancellation: Option<Cancellation>,
    /// Cancels the call after this time.
    pub time_limit: Option<Duration>,
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallOptions")
            .field("executor", &self.executor)
            .field("cancellation", &self.cancellation)
            .field("time_limit", &self.time_limit)
            .finish_non_exhaustive()
    }
}

/// The state of one call of compiled code, on all threads that work for it.
pub(crate) struct Activation {
    options: CallOptions,
    /// Set after the reason, so that most checks take no lock.
    is_stopped: AtomicBool,
    stopped: Mutex<Option<Failure>>,
    /// The programs and queues, to be cancelled.
    tasks: Mutex<Vec<Weak<dyn Task>>>,
    /// The handles of open programs and queues by address or number. They end with the activation.
    open: Mutex<BTreeMap<usize, Box<dyn Any + Send>>>,
    objects: Arc<Objects>,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<Activation>>> = const { RefCell::new(None) };
}

/// The number of activations that are stopped and still alive, so that code in loops reads one
/// variable as long as nothing is cancelled.
static STOPPED: AtomicUsize = AtomicUsize::new(0);

/// A failure on its way to its activation.
struct Unwinding(Failure);

/// Calls compiled code. A failure of the code, also in another function of the runtime or in a host
/// function, is returned.
///
/// # Errors
/// The failure; a cancellation; a time limit.
pub fn run<R>(options: CallOptions, body: impl FnOnce() -> R) -> Result<R, Failure> {
    let activation = Arc::new(Activation::new(options));
    if let Some(cancellation) = &activation.options.cancellation {
        cancellation.attach(&activation);
    }
    if let Some(limit) = activation.options.time_limit {
        time_limits::add(limit, &activation)?;
    }
    let entered = enter(Some(Arc::clone(&activation)));
    let outcome = activation
        .check()
        .and_then(|()| catch_unwind(AssertUnwindSafe(body)).map_err(caught));
    activation.end();
    drop(entered);
    outcome
}

/// Returns the failure that a caught payload carries.
pub(crate) fn caught(payload: Box<dyn Any + Send>) -> Failure {
    match payload.downcast::<Unwinding>() {
        Ok(unwinding) => unwinding.0,
        Err(payload) => Failure::internal(panic_text(&*payload)),
    }
}

/// Returns the failure that unwinds to its activation with this payload.
pub(crate) fn unwound(payload: &(dyn Any + Send)) -> Option<&Failure> {
    payload.downcast_ref::<Unwinding>().map(|of| &of.0)
}

/// Unwinds to the activation of this thread, if there is one.
pub(crate) fn unwind(failure: &Failure) {
    if let Some(activation) = current() {
        // The failure of a cancelled call is the cancellation, not what the cancellation causes.
        let failure = activation.check().err().map_or_else(
            || failure.clone(),
            |cancelled| cancelled.at(failure.location.as_deref()),
        );
        drop(activation);
        resume_unwind(Box::new(Unwinding(failure)));
    }
}

/// Returns the activation of this thread.
pub(crate) fn current() -> Option<Arc<Activation>> {
    CURRENT.with_borrow(Option::clone)
}

/// Returns the objects of the activation of this thread.
pub(crate) fn current_objects() -> Option<Arc<Objects>> {
    CURRENT.with_borrow(|current| current.as_ref().map(|of| Arc::clone(&of.objects)))
}

/// Returns whether any activation of the process is stopped.
pub(crate) fn is_any_stopped() -> bool {
    STOPPED.load(Relaxed) > 0
}

/// Fails if the activation of this thread is cancelled.
pub(crate) fn check() -> Result<(), Failure> {
    CURRENT.with_borrow(|current| current.as_ref().map_or(Ok(()), |current| current.check()))
}

/// The activation of a thread, until this value is dropped.
pub(crate) struct Entered {
    outer: Option<Arc<Activation>>,
}

/// Makes an activation that of this thread.
pub(crate) fn enter(activation: Option<Arc<Activation>>) -> Entered {
    Entered {
        outer: CURRENT.replace(activation),
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.outer.take());
    }
}

impl Drop for Activation {
    fn drop(&mut self) {
        if *self.is_stopped.get_mut() {
            STOPPED.fetch_sub(1, Relaxed);
        }
    }
}

impl Activation {
    fn new(options: CallOptions) -> Self {
        Activation {
            options,
            is_stopped: AtomicBool::new(false),
            stopped: Mutex::default(),
            tasks: Mutex::default(),
            open: Mutex::default(),
            objects: Arc::default(),
        }
    }

    /// Returns the options of the call.
    pub(crate) fn options(&self) -> &CallOptions {
        &self.options
    }

    /// Returns the reason why the call must end, if there is one.
    fn check(&self) -> Result<(), Failure> {
        if !self.is_stopped.load(Acquire) {
            return Ok(());
        }
        lock(&self.stopped).clone().map_or(Ok(()), Err)
    }

    /// Makes the code fail soon. Only the first reason counts.
    fn stop(&self, failure: Failure) {
        lock(&self.stopped).get_or_insert(failure);
        if !self.is_stopped.swap(true, AcqRel) {
            STOPPED.fetch_add(1, Relaxed);
        }
        let tasks = std::mem::take(&mut *lock(&self.tasks));
        for task in tasks.iter().filter_map(Weak::upgrade) {
            task.cancel();
        }
    }

    /// Adds a program or queue that starts.
    pub(crate) fn register(&self, task: Weak<dyn Task>) {
        let mut tasks = lock(&self.tasks);
        tasks.retain(|task| task.strong_count() > 0);
        tasks.push(task);
        drop(tasks);
        if let Err(failure) = self.check() {
            self.stop(failure);
        }
    }

    /// Adds an open handle: `owner` is dropped at the end, unless `close` comes first.
    pub(crate) fn open(&self, handle: usize, owner: impl Any + Send) {
        lock(&self.open).insert(handle, Box::new(owner));
    }

    /// Removes a handle that compiled code has closed.
    pub(crate) fn close(&self, handle: usize) {
        let closed = lock(&self.open).remove(&handle);
        drop(closed);
    }

    /// Ends the programs and queues that are still open, and frees the objects. The code has
    /// returned or was unwound, so no frame of it is left.
    fn end(&self) {
        let open = std::mem::take(&mut *lock(&self.open));
        if !open.is_empty() {
            self.stop(Failure::new("the call ended"));
        }
        drop(open);
        self.objects.sweep();
    }
}

/// Cancels calls of compiled code, from any thread. Clones cancel the same calls.
#[derive(Clone, Debug, Default)]
pub struct Cancellation(Arc<CancellationState>);

#[derive(Default)]
struct CancellationState {
    is_cancelled: AtomicBool,
    activations: Mutex<Vec<Weak<Activation>>>,
}

impl fmt::Debug for CancellationState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CancellationState")
            .field("is_cancelled", &self.is_cancelled)
            .finish_non_exhaustive()
    }
}

impl Cancellation {
    /// Returns a new handle, which no call has.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels all calls that have this handle, and all later ones. Does not wait for their ends.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, SeqCst);
        let activations = std::mem::take(&mut *lock(&self.0.activations));
        for activation in activations.iter().filter_map(Weak::upgrade) {
            activation.stop(cancelled());
        }
    }

    /// Returns whether `cancel` was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(SeqCst)
    }

    fn attach(&self, activation: &Arc<Activation>) {
        let mut activations = lock(&self.0.activations);
        activations.retain(|activation| activation.strong_count() > 0);
        activations.push(Arc::downgrade(activation));
        drop(activations);
        if self.is_cancelled() {
            activation.stop(cancelled());
        }
    }
}

fn cancelled() -> Failure {
    Failure::of_kind(FailureKind::Cancelled, "the call was cancelled")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that cancels calls at their time limits. It starts with the first limit, and lives as
/// long as the process.
mod time_limits {
    use super::*;

    /// A call with a time limit. The earliest one is the greatest.
    struct Limited {
        at: Instant,
        limit: Duration,
        activation: Weak<Activation>,
    }

    impl PartialEq for Limited {
        fn eq(&self, other: &Self) -> bool {
            self.at == other.at
        }
    }

    impl Eq for Limited {}

    impl PartialOrd for Limited {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for Limited {
        fn cmp(&self, other: &Self) -> std::cmp::Ordering {
            other.at.cmp(&self.at)
        }
    }

    /// The calls with time limits; `None` until the thread has started.
    static LIMITED: Mutex<Option<BinaryHeap<Limited>>> = Mutex::new(None);
    /// Notified when a call is added.
    static ADDED: Condvar = Condvar::new();

    /// The number of entries of ended calls that are removed only when their time comes.
    const MOST_ENDED: usize = 1024;

    /// Cancels a call after a time.
    pub(super) fn add(limit: Duration, activation: &Arc<Activation>) -> Result<(), Failure> {
        // A limit beyond the range of the clock never comes.
        let Some(at) = Instant::now().checked_add(limit) else {
            return Ok(());
        };
        let mut limited = lock(&LIMITED);
        if limited.is_none() {
            thread::Builder::new()
                .name("tfx time limits".to_owned())
                .spawn(serve)
                .map_err(|error| {
                    Failure::new(format!("cannot start a thread: {}", reason(&error)))
                })?;
        }
        let heap = limited.get_or_insert_default();
        if heap.len() >= MOST_ENDED {
            heap.retain(|limited| limited.activation.strong_count() > 0);
        }
        heap.push(Limited {
            at,
            limit,
            activation: Arc::downgrade(activation),
        });
        drop(limited);
        ADDED.notify_one();
        Ok(())
    }

    fn serve() {
        let mut limited = lock(&LIMITED);
        loop {
            let now = Instant::now();
            let heap = limited.get_or_insert_default();
            let next = match heap.peek() {
                Some(next) if next.at <= now => heap.pop(),
                Some(next) => {
                    let time = next.at - now;
                    let waited = ADDED.wait_timeout(limited, time);
                    limited = waited.unwrap_or_else(PoisonError::into_inner).0;
                    continue;
                }
                None => {
                    let waited = ADDED.wait(limited);
                    limited = waited.unwrap_or_else(PoisonError::into_inner);
                    continue;
                }
            };
            drop(limited);
            if let Some(Limited {
                limit, activation, ..
            }) = next
                && let Some(activation) = activation.upgrade()
            {
                let message = format!("the call exceeded its time limit of {limit:?}");
                activation.stop(Failure::of_kind(FailureKind::TimeLimit, message));
            }
            limited = lock(&LIMITED);
        }
    }
}
