//! Failing on purpose: what a failure anywhere leads to is tested and not hoped for.
//!
//! ```text
//!   every call that can fail passes a point:   fault::point("send")?
//!   record()          a run that goes well says which points it passes, and how often
//!   fail("send", 7)   the seventh time that a run passes it, it fails there                 TFX_FAULT=send:7 does the same
//! ```
//!
//! So a test can have each of them fail in turn without a list of its own. While nobody asks for a failure, a point costs one relaxed load.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use crate::failure::Failure;

/// The environment variable that has a point fail: `NAME:TIME`, as in `receive:3`.
pub const FAULT_VARIABLE: &str = "TFX_FAULT";

/// Whether points do more than pass.
static IS_ON: AtomicBool = AtomicBool::new(false);

#[derive(Default)]
struct Plan {
    passed: BTreeMap<&'static str, u64>,
    wanted: Option<(String, u64)>,
    failed: Option<Instant>,
}

static PLAN: Mutex<Plan> = Mutex::new(Plan {
    passed: BTreeMap::new(),
    wanted: None,
    failed: None,
});

fn plan() -> MutexGuard<'static, Plan> {
    PLAN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn begin(wanted: Option<(String, u64)>) {
    *plan() = Plan {
        wanted,
        ..Plan::default()
    };
    IS_ON.store(true, Ordering::Relaxed);
}

/// Counts from now on how often each point is passed.
pub fn record() {
    begin(None);
}

/// Has a point fail when it is passed that time, counted from 1 and from now on.
pub fn fail(point: &str, time: u64) {
    begin(Some((point.to_owned(), time)));
}

/// Points pass again. What was counted, and when a point failed.
pub fn off() -> (BTreeMap<&'static str, u64>, Option<Instant>) {
    IS_ON.store(false, Ordering::Relaxed);
    let plan = std::mem::take(&mut *plan());
    (plan.passed, plan.failed)
}

/// A place where something can fail.
#[inline]
pub(crate) fn point(name: &'static str) -> Result<(), Failure> {
    if !IS_ON.load(Ordering::Relaxed) {
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
    let is_wanted = |(wanted, time): &(String, u64)| wanted == name && *time == count;
    if !plan.wanted.as_ref().is_some_and(is_wanted) {
        return Ok(());
    }
    plan.failed = Some(Instant::now());
    Err(Failure::new(format!(
        "'{name}' number {count} fails on purpose"
    )))
}

/// Does what the environment asks for, once.
///
/// # Errors
/// If it asks for something that is not `NAME:TIME`.
pub(crate) fn read_environment() -> Result<(), Failure> {
    static READ: Once = Once::new();
    let mut outcome = Ok(());
    READ.call_once(|| {
        let Ok(text) = std::env::var(FAULT_VARIABLE) else {
            return;
        };
        let parts = text.split_once(':');
        match parts.and_then(|(name, time)| Some((name, time.parse().ok()?))) {
            Some((name, time)) => fail(name, time),
            None => {
                outcome = Err(Failure::new(format!(
                    "{FAULT_VARIABLE} wants NAME:TIME, as in receive:3, not '{text}'"
                )));
            }
        }
    });
    outcome
}
