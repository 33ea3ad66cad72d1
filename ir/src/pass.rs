//! Passes: a Rust type becomes a named MLIR pass.
//!
//! ```text
//!   impl Pass for Ssa            register::<Ssa>()
//!        │                              │
//!        ▼                              ▼
//!   table of callbacks  ──────►  mlir::registerPass  ──────►  builtin.module(canonicalize,func.func(tfx-ssa),cse)
//! ```
//!
//! MLIR's pass manager clones passes for threads, times them, prints their options into reproducers, and verifies after
//! them; a Rust pass takes part in all of that. A panic in a pass becomes an error at the operation it ran on and a
//! failure of the pass; nothing unwinds through C++.
//!
//! Debian's MLIR is built without statistics (`llvm::Statistic` counts nothing there), so counters are kept here:
//! [`statistics`] reads them, and `tfx-opt --mlir-pass-statistics` prints them.
//!
//! Analyses that MLIR would cache between passes are not offered: a pass computes what it needs.

use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic;
use std::sync::{Mutex, Once, PoisonError};

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Location;

use crate::diag::{self, Diagnostic};
use crate::ops::{builtin, func};
use crate::{Op, ffi, options::Options};

/// A transformation or a check that a pipeline can name.
///
/// `Default` makes an instance; MLIR makes one per thread. State that is kept in `self` from one run to the next must
/// not change what a run does.
pub trait Pass: Default + Send + 'static {
    /// What the pass takes in braces after its name; `()` for nothing. See [`crate::options!`].
    type Options: Options;

    /// Its name in `--mlir-timing` and `--mlir-print-ir-after-all`, such as `TfxSsa`.
    const NAME: &'static str;
    /// Its name in a pipeline and, after `--`, on the command line, such as `tfx-ssa`.
    const ARGUMENT: &'static str;
    /// One line for `--list-passes`.
    const DESCRIPTION: &'static str;
    /// The operation that it runs on. A pass on functions runs on several of them at once.
    const ANCHOR: Anchor = Anchor::Any;
    /// What it counts; see [`PassContext::count`].
    const STATISTICS: &'static [Statistic] = &[];

    /// Adds the dialects whose operations the pass makes, where the input need not have them.
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

    /// Runs on one operation. It must not touch anything outside of it, and says why before it fails.
    fn run<'a>(
        &mut self,
        op: Op<'a>,
        cx: &PassContext<'a, Self::Options>,
    ) -> Result<(), PassFailed>;
}

/// The operation that a pass runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// `builtin.module`.
    Module,
    /// `func.func`.
    Function,
    /// Some other operation, by its name.
    Op(&'static str),
    /// Any operation.
    Any,
}

impl Anchor {
    /// The operation's name; empty for any.
    pub fn op_name(self) -> &'static str {
        match self {
            Anchor::Module => builtin::Module::NAME,
            Anchor::Function => func::Func::NAME,
            Anchor::Op(name) => name,
            Anchor::Any => "",
        }
    }
}

/// A pass failed, and has said why in a diagnostic. [`Diag::fail`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassFailed(pub(crate) ());

impl PassFailed {
    /// For a failure that has been reported already, such as one of the verifier.
    pub fn already_reported() -> Self {
        Self(())
    }
}

/// A counter that a pass keeps over all its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Its name, such as `variables-promoted`.
    pub name: &'static str,
    /// What it counts.
    pub description: &'static str,
}

/// What a pass is given beside the operation.
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

    /// The options, checked and typed.
    pub fn options(&self) -> &'a O {
        self.options
    }

    /// The context, for making types, attributes and locations.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    /// The pass's name in a pipeline.
    pub fn argument(&self) -> &'static str {
        self.argument
    }

    /// Runs a pipeline such as `cse,tfx-clean-up`, which has no anchor, on the operation that the pass runs on or
    /// on one inside of it. Timing, verification and IR printing see its passes like any others.
    ///
    /// # Errors
    /// A pass or the verifier failed, and has said why; or the text is no pipeline.
    pub fn run_pipeline(&self, op: Op<'a>, passes: &str) -> Result<(), PassFailed> {
        match ffi::run_nested_pipeline(op.raw(), passes) {
            (true, _) => Ok(()),
            (false, message) if message.is_empty() => Err(PassFailed::already_reported()),
            (false, message) => Err(diag::error(self.location, message).fail()),
        }
    }

    /// Adds to one of [`Pass::STATISTICS`].
    ///
    /// # Panics
    ///
    /// If the pass does not declare it.
    pub fn count(&self, statistic: Statistic, number: u64) {
        assert!(
            self.statistics.contains(&statistic),
            "'{}' is not in STATISTICS",
            statistic.name
        );
        let mut counters = COUNTERS.lock().unwrap_or_else(PoisonError::into_inner);
        *counters.entry((self.argument, statistic.name)).or_insert(0) += number;
    }

    /// Returns an error that is a bug of tfx and not of the user's program, at the operation that the
    /// pass runs on.
    pub fn internal_error(&self, message: impl std::fmt::Display) -> Diagnostic<'a> {
        diag::internal_error(
            self.location,
            format!("pass '{}': {message}", self.argument),
        )
    }
}

/// Gives the pass to MLIR's registry, once. Calling it again does nothing.
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
    /// What it has counted in this process.
    pub value: u64,
}

/// All counters of registered passes that have counted something, by pass and then in the order of declaration.
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

/// Sets all counters to nothing.
pub fn reset_statistics() {
    COUNTERS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
}

static REGISTERED: Mutex<BTreeMap<&'static str, &'static [Statistic]>> =
    Mutex::new(BTreeMap::new());
static COUNTERS: Mutex<BTreeMap<(&'static str, &'static str), u64>> = Mutex::new(BTreeMap::new());

// ---------------------------------------------------------------------------------------------------------------------
// Panics.

thread_local! {
    static IN_PASS: Cell<bool> = const { Cell::new(false) };
    static PANIC_PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a pass so that a panic in it is kept for [`report_panic`] instead of being printed.
pub(crate) fn run_watched<'a, P: Pass>(
    pass: &mut P,
    op: Op<'a>,
    cx: &PassContext<'a, P::Options>,
) -> Result<(), PassFailed> {
    struct Leave(bool);
    impl Drop for Leave {
        fn drop(&mut self) {
            IN_PASS.set(self.0);
        }
    }
    let _leave = Leave(IN_PASS.replace(true));
    pass.run(op, cx)
}

/// Reports that a pass panicked.
pub(crate) fn report_panic(argument: &str, op: Op<'_>, message: &str) {
    let place = PANIC_PLACE
        .take()
        .unwrap_or_else(|| "an unknown place".to_owned());
    diag::internal_error(
        op.location(),
        format!("pass '{argument}' panicked at {place}: {message}"),
    )
    .emit();
}

/// Keeps the place of a panic inside a pass; all other panics go on to the hook that was there.
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
