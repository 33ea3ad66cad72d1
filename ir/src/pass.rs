//! Passes: a Rust type becomes a named MLIR pass.
//!
//! ```text
//!   impl Pass for Ssa            register::<Ssa>()
//!        │                              │
//!        ▼                              ▼
//!   table of callbacks  ──────►  mlir::registerPass  ──────►  builtin.module(canonicalize,func.func(tfx-ssa),cse)
//! ```
//!
//! MLIR's pass manager clones passes for threads, times them, prints their options into
//! reproducers, and verifies the IR after them; a Rust pass takes part in all of this. A panic in a
//! pass becomes an error at the operation that it ran on and a failure of the pass; no panic
//! unwinds through C++.
//!
//! Debian's MLIR is built without statistics (`llvm::Statistic` does not count), so this module has
//! its own counters: [`statistics`] reads them, and `tfx-opt --mlir-pass-statistics` prints them.
//!
//! Analyses that MLIR caches between passes are not supported: a pass computes the facts that it
//! needs.

use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic;
use std::sync::{Mutex, Once, PoisonError};

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Location;

pub use crate::diag::PassFailed;

/// The outcome of a pass.
pub type PassResult = Result<(), PassFailed>;
use crate::diag::{self, Diagnostic};
use crate::ops::{builtin, func};
use crate::{Op, ffi, options::Options};

/// A transformation or a check that a pipeline can name.
///
/// `Default` creates an instance; MLIR creates one for each thread. State in `self` must not change
/// the result of a later run.
pub trait Pass: Default + Send + 'static {
    /// The options in braces after the name; `()` for none. See [`crate::options!`].
    type Options: Options;

    /// The name in `--mlir-timing` and `--mlir-print-ir-after-all`, such as `TfxSsa`.
    const NAME: &'static str;
    /// The name in a pipeline and, after `--`, on the command line, such as `tfx-ssa`.
    const ARGUMENT: &'static str;
    /// The summary in `--list-passes`, an imperative phrase.
    const DESCRIPTION: &'static str;
    /// The operation that the pass runs on. MLIR runs a function pass on several functions in
    /// parallel.
    const ANCHOR: Anchor = Anchor::Any;
    /// The counters; see [`PassContext::count`].
    const STATISTICS: &'static [Statistic] = &[];

    /// Adds the dialects whose operations the pass creates and the input need not have.
    fn dialects(_registry: &DialectRegistry) {}

    /// Returns the pass as a pipeline on modules names it, with `options`, such as
    /// `tfx_tensor.graph(tfx-strip-mine{explain=true})`.
    fn in_pipeline(options: &Self::Options) -> String {
        let pass = format!("{}{}", Self::ARGUMENT, options.to_pipeline());
        match Self::ANCHOR {
            Anchor::Module | Anchor::Any => pass,
            anchor => format!("{}({pass})", anchor.op_name()),
        }
    }

    /// Runs on one operation, and changes nothing outside of it. `?` on a [`Diagnostic`] emits it.
    fn run<'a>(&mut self, op: Op<'a>, cx: &PassContext<'a, Self::Options>) -> PassResult;
}

/// The operation that a pass runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// `builtin.module`.
    Module,
    /// `func.func`.
    Function,
    /// Another operation, by its name.
    Op(&'static str),
    /// Any operation.
    Any,
}

impl Anchor {
    /// Returns the operation's name; empty for any.
    pub fn op_name(self) -> &'static str {
        match self {
            Anchor::Module => builtin::Module::NAME,
            Anchor::Function => func::Func::NAME,
            Anchor::Op(name) => name,
            Anchor::Any => "",
        }
    }
}

/// A counter of a pass over all its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// The name, such as `variables-promoted`.
    pub name: &'static str,
    /// The quantity that is counted.
    pub description: &'static str,
}

impl Statistic {
    /// Returns a counter with a name and a description.
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Statistic { name, description }
    }
}

/// The context of a run: options, counters and errors.
pub struct PassContext<'a, O> {
    options: &'a O,
    context: &'a Context,
    location: Location<'a>,
    argument: &'static str,
    statistics: &'static [Statistic],
}

impl<'a, O> PassContext<'a, O> {
    pub(crate) fn new<P: Pass<Options = O>>(op: Op<'a>, options: &'a O) -> Self {
        Self {
            options,
            context: op.context(),
            location: op.location(),
            argument: P::ARGUMENT,
            statistics: P::STATISTICS,
        }
    }

    /// Returns the options.
    pub fn options(&self) -> &'a O {
        self.options
    }

    /// Returns the context, in which types, attributes and locations are created.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    /// The pass's name in a pipeline.
    pub fn argument(&self) -> &'static str {
        self.argument
    }

    /// Runs a pipeline without an anchor, such as `cse,tfx-clean-up`, on the operation that the
    /// pass runs on or on one inside of it. Timing, verification and IR printing cover its passes
    /// like all others.
    ///
    /// # Errors
    /// A pass or the verifier fails, which has been reported; or the text is not a pipeline.
    pub fn run_pipeline(&self, op: Op<'a>, passes: &str) -> PassResult {
        match ffi::run_nested_pipeline(op.raw(), passes) {
            (true, _) => Ok(()),
            (false, message) if message.is_empty() => Err(PassFailed::already_reported()),
            (false, message) => Err(diag::error(self.location, message).into()),
        }
    }

    /// Adds to one of [`Pass::STATISTICS`].
    ///
    /// # Panics
    ///
    /// If the pass does not declare the counter.
    pub fn count(&self, statistic: Statistic, number: u64) {
        assert!(
            self.statistics.contains(&statistic),
            "'{}' is not in STATISTICS",
            statistic.name
        );
        let mut counters = COUNTERS.lock().unwrap_or_else(PoisonError::into_inner);
        *counters.entry((self.argument, statistic.name)).or_insert(0) += number;
    }

    /// Returns an error that is a bug of tfx and not of the user's program, at the operation that
    /// the pass runs on.
    pub fn internal_error(&self, message: impl std::fmt::Display) -> Diagnostic<'a> {
        diag::internal_error(
            self.location,
            format!("pass '{}': {message}", self.argument),
        )
    }
}

/// Adds the pass to MLIR's registry; a second call has no effect.
pub fn register<P: Pass>() {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    if registered.contains_key(P::ARGUMENT) {
        return;
    }
    registered.insert(P::ARGUMENT, P::STATISTICS);
    install_panic_hook();
    ffi::register_pass::<P>();
}

/// The value of one counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatisticValue {
    /// The pass's name in a pipeline.
    pub pass: &'static str,
    /// The counter.
    pub statistic: Statistic,
    /// The count in this process.
    pub value: u64,
}

/// Returns the counters that registered passes have increased, by pass and then in the order of
/// declaration.
pub fn statistics() -> Vec<StatisticValue> {
    let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let counters = COUNTERS.lock().unwrap_or_else(PoisonError::into_inner);
    let all = registered
        .iter()
        .flat_map(|(pass, list)| list.iter().map(move |statistic| (*pass, *statistic)));
    all.filter_map(|(pass, statistic)| {
        let value = *counters.get(&(pass, statistic.name))?;
        Some(StatisticValue {
            pass,
            statistic,
            value,
        })
    })
    .collect()
}

static REGISTERED: Mutex<BTreeMap<&'static str, &'static [Statistic]>> =
    Mutex::new(BTreeMap::new());
static COUNTERS: Mutex<BTreeMap<(&'static str, &'static str), u64>> = Mutex::new(BTreeMap::new());

thread_local! {
    static IN_PASS: Cell<bool> = const { Cell::new(false) };
    static PANIC_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a pass; a panic in it is recorded for [`report_panic`] instead of being printed.
pub(crate) fn run_watched<'a, P: Pass>(
    pass: &mut P,
    op: Op<'a>,
    cx: &PassContext<'a, P::Options>,
) -> PassResult {
    struct Leave(bool);
    impl Drop for Leave {
        fn drop(&mut self) {
            IN_PASS.set(self.0);
        }
    }
    let _leave = Leave(IN_PASS.replace(true));
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = P::ARGUMENT;
    pass.run(op, cx)
}

/// The pass that started last.
static RUNNING: Mutex<&str> = Mutex::new("");

/// Returns the name of the pass of tfx that started last in this process, for reports of progress;
/// empty before the first.
pub fn last_started() -> &'static str {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reports that a pass panicked.
pub(crate) fn report_panic(argument: &str, op: Op<'_>, message: &str) {
    let place = PANIC_PLACE.take();
    let place = place.unwrap_or_else(|| "an unknown place".to_owned());
    let what = format!("pass '{argument}' panicked at {place}: {message}");
    diag::internal_error(op.location(), what).emit();
}

/// Records the place of a panic inside a pass; all other panics reach the previous hook.
fn install_panic_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !IN_PASS.get() {
                return previous(info);
            }
            let place = info.location().map(|place| place.to_string());
            PANIC_PLACE.set(place);
            if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
                eprintln!("{}", Backtrace::force_capture());
            }
        }));
    });
}
