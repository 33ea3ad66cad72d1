//! Queues of results that a thread of its own computes ahead: `tfx_host.prefetch`.
//!
//! ```text
//!   thread   call ─► put ─► call ─► put ─► (no room: waits)          at most `depth` results wait; the
//!                     │              │                               thread waits for room only, and
//!                   [ results in order: at most `depth` ]            the host only for the thread
//!                               │
//!   host               next ◄───┘        close: no more calls, waits for the last one, drops the rest
//! ```
//!
//! A call that fails is the last one. Its failure takes the place of its result: who takes that gets it, and nobody
//! else. A failure inside of compiled code cannot unwind it, so its thread is parked for as long as the process
//! lives, with what that code had in hand, and closing does not wait for it (`deliver`).
//!
//! All open queues are in a list, so that a process that ends lets no thread run on (`stop_all`).

use std::{
    cell::RefCell,
    collections::{BTreeMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    thread::{Builder, JoinHandle},
    time::Instant,
};

use crate::{
    failure::{Failure, panic_text, reason},
    program,
};

/// A queue of results of a type. Dropping it closes it.
pub struct Queue<T: Send + 'static> {
    number: u64,
    shared: Arc<Shared<T>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread and the host share.
struct Shared<T> {
    depth: usize,
    state: Mutex<State<T>>,
    /// The thread has put a result, failed or ended.
    put: Condvar,
    /// The host has taken a result, or closes the queue.
    taken: Condvar,
}

struct State<T> {
    results: VecDeque<T>,
    failure: Option<Failure>,
    is_closing: bool,
    progress: Progress,
}

/// What the thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Running,
    /// A call failed in code that cannot be left.
    Parked,
    Ended,
}

/// A queue of any type, as the end of the process and a failing call see it.
trait Stop: Send + Sync {
    /// No call begins any more.
    fn stop(&self);
    /// Whether no call runs, after waiting for it no longer than this.
    fn has_ended_by(&self, deadline: Instant) -> bool;
    /// A call of the thread that asks has failed, and the thread will do nothing more.
    fn park(&self, failure: Failure);
}

static OPEN: Mutex<BTreeMap<u64, Arc<dyn Stop>>> = Mutex::new(BTreeMap::new());

static PARKED: AtomicUsize = AtomicUsize::new(0);

fn open() -> MutexGuard<'static, BTreeMap<u64, Arc<dyn Stop>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// The number of the queue whose thread this is.
    static OWN: RefCell<Option<u64>> = const { RefCell::new(None) };
}

impl<T: Send + 'static> Queue<T> {
    /// Starts a thread that calls `call` again and again, and keeps at most `depth` results that nobody has taken.
    ///
    /// # Errors
    /// The system has no room for another thread.
    pub fn open(
        depth: usize,
        call: impl FnMut() -> Result<T, Failure> + Send + 'static,
    ) -> Result<Self, Failure> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        program::cancel_at_exit()?;
        let number = NUMBERS.fetch_add(1, Relaxed);
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
        open().insert(number, shared.clone());
        let of_thread = shared.clone();
        let thread = Builder::new()
            .name("prefetch".to_owned())
            .spawn(move || of_thread.run(number, call));
        match thread {
            Ok(thread) => Ok(Queue {
                number,
                shared,
                thread: Some(thread),
            }),
            Err(error) => {
                open().remove(&number);
                let why = reason(&error);
                Err(Failure::new(format!("cannot start a thread: {why}")))
            }
        }
    }

    /// The result of the next call; waits for it.
    ///
    /// # Errors
    /// What that call failed of.
    pub fn next(&self) -> Result<T, Failure> {
        self.shared.next()
    }

    /// Lets no call begin any more, waits for the one that runs, and drops the results that nobody has taken.
    pub fn close(self) {
        drop(self);
    }
}

impl<T: Send + 'static> Drop for Queue<T> {
    fn drop(&mut self) {
        self.shared.stop();
        let progress = self.shared.wait_for_end();
        open().remove(&self.number);
        if progress == Progress::Ended
            && let Some(thread) = self.thread.take()
        {
            // What a call panics of was caught, and is the failure of its result.
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

    /// The thread.
    fn run(&self, number: u64, mut call: impl FnMut() -> Result<T, Failure>) {
        OWN.set(Some(number));
        while self.wait_for_room() {
            let result = catch_unwind(AssertUnwindSafe(&mut call))
                .unwrap_or_else(|payload| Err(Failure::new(panic_text(&*payload))));
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
        // What the calls were given is dropped before anyone is told that the thread has ended.
        drop(call);
        self.lock().progress = Progress::Ended;
        self.put.notify_all();
    }

    /// Whether there is room for another result, rather than no use for it.
    fn wait_for_room(&self) -> bool {
        let has_none =
            |state: &mut State<T>| !state.is_closing && state.results.len() >= self.depth;
        let state = self.taken.wait_while(self.lock(), has_none);
        !state.unwrap_or_else(PoisonError::into_inner).is_closing
    }

    fn next(&self) -> Result<T, Failure> {
        let is_due = |state: &mut State<T>| {
            state.results.is_empty()
                && state.failure.is_none()
                && state.progress == Progress::Running
        };
        let state = self.put.wait_while(self.lock(), is_due);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        match (state.results.pop_front(), &state.failure) {
            (Some(result), _) => {
                drop(state);
                self.taken.notify_all();
                Ok(result)
            }
            (None, Some(failure)) => Err(failure.clone()),
            (None, None) => Err(Failure::new("the process ends, and so does this queue")),
        }
    }

    fn wait_for_end(&self) -> Progress {
        let runs = |state: &mut State<T>| state.progress == Progress::Running;
        let state = self.put.wait_while(self.lock(), runs);
        state.unwrap_or_else(PoisonError::into_inner).progress
    }
}

impl<T: Send + 'static> Stop for Shared<T> {
    fn stop(&self) {
        self.lock().is_closing = true;
        self.taken.notify_all();
    }

    fn has_ended_by(&self, deadline: Instant) -> bool {
        let runs = |state: &mut State<T>| state.progress == Progress::Running;
        let patience = deadline.saturating_duration_since(Instant::now());
        let waited = self.put.wait_timeout_while(self.lock(), patience, runs);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.progress != Progress::Running
    }

    fn park(&self, failure: Failure) {
        let mut state = self.lock();
        state.failure = Some(failure);
        state.progress = Progress::Parked;
        PARKED.fetch_add(1, Relaxed);
        drop(state);
        self.put.notify_all();
    }
}

/// Where this is the thread of a queue: the failure of a call goes to whom takes its result, and the thread, which
/// cannot leave the code that failed, must do nothing more. Elsewhere the failure is the caller's.
pub(crate) fn deliver(failure: &Failure) -> bool {
    let Some(number) = OWN.with_borrow(|own| *own) else {
        return false;
    };
    let own = open().get(&number).cloned();
    if let Some(own) = own {
        own.park(failure.clone());
    }
    true
}

/// How many threads have failed in code that they cannot leave. They keep what that code had in hand.
pub fn parked_threads() -> usize {
    PARKED.load(Relaxed)
}

/// Whether any queue is open.
pub(crate) fn is_any_open() -> bool {
    !open().is_empty()
}

/// Lets no call of any queue begin.
pub(crate) fn stop_all() {
    let all: Vec<_> = open().values().cloned().collect();
    all.iter().for_each(|queue| queue.stop());
}

/// Whether no call of any queue runs, after waiting until then. A call that ends the process itself does not count.
pub(crate) fn have_all_ended_by(deadline: Instant) -> bool {
    let own = OWN.with_borrow(|own| *own);
    let others = open()
        .iter()
        .filter(|(number, _)| Some(**number) != own)
        .map(|(_, queue)| queue.clone())
        .collect::<Vec<_>>();
    others.iter().all(|queue| queue.has_ended_by(deadline))
}
