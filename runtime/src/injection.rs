//! Failures that tests inject into calls of the runtime.
//!
//! ```text
//!   every call that can fail passes a point:   injection::point("send")?
//!   record()          counts how often a run passes each point
//!   fail("send", 7)   makes the seventh call that passes the point fail; so does TFX_FAILURE=send:7
//! ```
//!
//! A test records a successful run and then makes each recorded call fail in turn, so it needs no
//! list of points. While neither is active, a point costs one relaxed load.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Instant,
};

use crate::failure::Failure;

/// The environment variable that injects a failure: `NAME:TIME`, as in `receive:3`.
pub const FAILURE_VARIABLE: &str = "TFX_FAILURE";

/// The results of native code are filled before it runs.
static FILLS_RESULTS: AtomicBool = AtomicBool::new(false);

/// The seed of the delays of commands on streams; 0 for none.
static STREAM_DELAYS: AtomicU64 = AtomicU64::new(0);
/// Runs on streams are in debug mode.
static DEBUGS_STREAMS: AtomicBool = AtomicBool::new(false);

static IS_ACTIVE: AtomicBool = AtomicBool::new(false);

#[derive(Default)]
struct Plan {
    passed: BTreeMap<&'static str, u64>,
    target: Option<(String, u64)>,
    failed: Option<Instant>,
}

static PLAN: Mutex<Plan> = Mutex::new(Plan {
    passed: BTreeMap::new(),
    target: None,
    failed: None,
});

fn plan() -> MutexGuard<'static, Plan> {
    PLAN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn begin(target: Option<(String, u64)>) {
    *plan() = Plan {
        target,
        ..Plan::default()
    };
    IS_ACTIVE.store(true, Ordering::Relaxed);
}

/// Starts to count how often each point is passed.
pub fn record() {
    begin(None);
}

/// Makes a call that passes a point fail: the `time`-th from now on, counted from 1.
pub fn fail(point: &str, time: u64) {
    begin(Some((point.to_owned(), time)));
}

/// Ends counting and injection. Returns the counts, and the time of the injected failure.
pub fn off() -> (BTreeMap<&'static str, u64>, Option<Instant>) {
    IS_ACTIVE.store(false, Ordering::Relaxed);
    let plan = std::mem::take(&mut *plan());
    (plan.passed, plan.failed)
}

/// Fills the results of native code before it runs, so that an element that it does not write
/// differs from what other executors compute.
pub fn fill_results(fills: bool) {
    FILLS_RESULTS.store(fills, Ordering::Relaxed);
}

/// Returns whether [`fill_results`] is active.
pub(crate) fn fills_results() -> bool {
    FILLS_RESULTS.load(Ordering::Relaxed)
}

/// Has runs on streams delay each command by a random time up to 100 us, with a seed; none ends
/// that.
pub fn delay_streams(seed: Option<u64>) {
    STREAM_DELAYS.store(seed.map_or(0, |seed| seed | 1), Ordering::Relaxed);
}

/// Returns the seed of [`delay_streams`].
pub(crate) fn stream_delays() -> Option<u64> {
    let seed = STREAM_DELAYS.load(Ordering::Relaxed);
    (seed != 0).then_some(seed)
}

/// Has runs on streams give each buffer bytes of its own between red zones, in place of a part of
/// an arena.
pub fn debug_streams(debugs: bool) {
    DEBUGS_STREAMS.store(debugs, Ordering::Relaxed);
}

/// Returns whether [`debug_streams`] is active.
pub(crate) fn debugs_streams() -> bool {
    DEBUGS_STREAMS.load(Ordering::Relaxed)
}

/// A point at which a failure can be injected.
#[inline]
pub(crate) fn point(name: &'static str) -> Result<(), Failure> {
    if !IS_ACTIVE.load(Ordering::Relaxed) {
        return Ok(());
    }
    passed(name)
}

#[cold]
fn passed(name: &'static str) -> Result<(), Failure> {
    let mut plan = plan();
    let count = plan.passed.entry(name).or_default();
    *count += 1;
    let count = *count;
    let is_target = |(target, time): &(String, u64)| target == name && *time == count;
    if !plan.target.as_ref().is_some_and(is_target) {
        return Ok(());
    }
    plan.failed = Some(Instant::now());
    Err(Failure::new(format!(
        "injected failure of '{name}' number {count}"
    )))
}

/// Injects the failure that the environment requests. Later calls do nothing.
///
/// # Errors
/// The variable is not of the form `NAME:TIME`.
pub(crate) fn read_environment() -> Result<(), Failure> {
    static READ: Once = Once::new();
    let mut outcome = Ok(());
    READ.call_once(|| {
        let Ok(text) = std::env::var(FAILURE_VARIABLE) else {
            return;
        };
        let parts = text.split_once(':');
        match parts.and_then(|(name, time)| Some((name, time.parse().ok()?))) {
            Some((name, time)) => fail(name, time),
            None => {
                outcome = Err(Failure::new(format!(
                    "{FAILURE_VARIABLE}: expected NAME:TIME, such as receive:3, but got '{text}'"
                )));
            }
        }
    });
    outcome
}
