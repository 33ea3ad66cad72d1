//! `tfx-specialize`: replaces generic functions by functions of known types, and calls through
//! protocols by direct calls.
//!
//! ```text
//!   func @relu<T: Num>(%x: T) {                  func private @"relu<Dense>"(%x: Dense) {
//!     witness_call @Num["max"] of T (%x, ...)       func.call @dense_max(%x, ...)
//!   }                                       ──►   }
//!   tfx_host.call @relu<[Dense]>(%d)             func.call @"relu<Dense>"(%d)
//! ```
//!
//! # What becomes what
//!
//! * A call or a closure of a generic function is replaced by one of its specialization for the
//!   type arguments. There is one specialization for each distinct list of arguments, shared by all
//!   uses: a private function whose name is written as in the source, `@"call<Dense<f32>>"`, placed
//!   after the generic one.
//! * A witness call becomes a call of the function that the type's witness table names, or of the
//!   protocol's default: see `conformances.rs`.
//! * An associated type is replaced by its definition, wherever a type can occur: see
//!   `conformances.rs` and `declarations.rs`.
//! * The facts that `erase` and `dynamic_call` need at run time are put into witness tables of
//!   known types: see `existentials.rs`, which is the contract with the lowering of these
//!   operations.
//! * Unneeded generic functions, witness tables and protocols are erased: see `sweep.rs`.
//!
//! # Algorithm
//!
//! A worklist: the functions that are not generic, in program order, then the specializations in
//! the order of their requests. Each specialization is a clone of the original generic function in
//! which one walk replaces types; the types that mention a parameter are collected once for each
//! generic function. Each operation keeps its location. This corresponds to rustc's collector of
//! mono items, or Swift's mandatory specialization, on MLIR.
//!
//! A generic function that calls itself with ever larger types is an error: [`MAX_NESTING`] and
//! [`MAX_PARTS`] bound the types, and so the work, because the number of types within these limits
//! is finite. Errors show the chain of calls.
//!
//! # Cost
//!
//! Linear in the input and the output; a lookup of a table costs the tables with the same head of a
//! type.
//!
//! # Non-guarantees
//!
//! Limits: only functions directly in the module are specialized. A witness table of unranked
//! tensors with a parameter as their element matches nothing. No table is more special than
//! another: two that match are an error.

mod calls;
mod conformances;
mod declarations;
mod existentials;
mod functions;
mod sweep;
mod types;

use std::collections::HashMap;
use tfx_ir::ops::func;

use melior::ir::Location;
use tfx_ir::diag::Diag;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, diag};

use self::conformances::{Conformances, Problem};
use self::existentials::Existentials;
use self::functions::{Generic, Instance, Kind};
use crate::names;

/// The deepest nesting of type arguments; deeper ones count as infinite, as in a function that
/// calls itself with larger types. rustc has the same limit.
const MAX_NESTING: usize = 128;

/// The largest number of parts of type arguments; more count as infinite: a type that doubles is
/// too large long before it is deep.
const MAX_PARTS: usize = 4096;

/// The pass stops after this number of errors: the others mostly repeat one mistake for other
/// types.
const MAX_ERRORS: usize = 20;

/// The number of calls of a chain that are shown at each end.
const MAX_SHOWN_CALLS: usize = 4;

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct Specialize;

const SPECIALIZED: Statistic = Statistic {
    name: "functions-specialized",
    description: "Specializations of generic functions",
};
const RESOLVED: Statistic = Statistic {
    name: "calls-resolved",
    description: "Generic calls, witness calls and closures that were resolved",
};

impl Pass for Specialize {
    type Options = ();
    const NAME: &'static str = "TfxSpecialize";
    const ARGUMENT: &'static str = "tfx-specialize";
    const DESCRIPTION: &'static str =
        "Specialize generic functions, and resolve calls through protocols";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[SPECIALIZED, RESOLVED];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        let mut specializer = Specializer::read(module);
        specializer.run()?;
        cx.count(SPECIALIZED, specializer.instances.len() as u64);
        cx.count(RESOLVED, specializer.resolved);
        specializer.settle_tables();
        specializer.settle_declarations()?;
        specializer.sweep();
        Ok(())
    }
}

/// The module, and the results so far.
struct Specializer<'a> {
    symbols: SymbolTable<'a>,
    /// The functions that are not generic, in program order.
    roots: Vec<Op<'a>>,
    generics: Vec<Generic<'a>>,
    by_name: HashMap<&'a str, usize>,
    conformances: Conformances<'a>,
    /// The types that are not in normal form.
    open: Kind<'a>,
    existentials: Existentials<'a>,
    /// In the order of their requests.
    instances: Vec<Instance<'a>>,
    /// By generic function and the addresses of its arguments; `None` for one that cannot be
    /// created, which has been reported.
    known: HashMap<(usize, Vec<usize>), Option<usize>>,
    /// The next number for a name that is taken.
    suffixes: HashMap<String, usize>,
    resolved: u64,
    errors: usize,
    failed: Option<PassFailed>,
}

impl<'a> Specializer<'a> {
    fn read(module: Op<'a>) -> Self {
        let symbols = SymbolTable::new(module);
        let conformances = Conformances::read(symbols.ops());
        let functions = symbols.ops().filter(|op| op.isa::<func::Func>());
        let (generic, roots): (Vec<_>, Vec<_>) = functions.partition(|op| is_generic(*op));
        let generics: Vec<_> = generic.into_iter().map(Generic::read).collect();
        let by_name = generics
            .iter()
            .enumerate()
            .map(|(index, generic)| (generic.symbol, index))
            .collect();
        Self {
            symbols,
            roots,
            generics,
            by_name,
            conformances,
            open: Kind::open(),
            existentials: Existentials::default(),
            instances: Vec::new(),
            known: HashMap::new(),
            suffixes: HashMap::new(),
            resolved: 0,
            errors: 0,
            failed: None,
        }
    }

    /// The worklist.
    fn run(&mut self) -> Result<(), PassFailed> {
        for root in std::mem::take(&mut self.roots) {
            // A function without parameters is an ordinary function.
            root.remove_attribute(names::TYPE_PARAMS);
            if self.settle_types(root) {
                self.resolve_calls(root, None);
            }
            self.check_errors()?;
        }
        let mut next = 0;
        while next < self.instances.len() {
            let op = self.instances[next].op;
            self.resolve_calls(op, Some(next));
            self.check_errors()?;
            next += 1;
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn check_errors(&self) -> Result<(), PassFailed> {
        match self.failed {
            Some(failed) if self.errors >= MAX_ERRORS => Err(failed),
            _ => Ok(()),
        }
    }
}

/// Returns whether a function has type parameters.
fn is_generic(op: Op<'_>) -> bool {
    crate::layout::elements(op, names::TYPE_PARAMS)
        .next()
        .is_some()
}

/// Errors.
impl<'a> Specializer<'a> {
    /// Reports an error in the code of a specialization (or of an ordinary function), with the
    /// chain of calls.
    fn report(&mut self, error: Diag<'a>, user: Option<usize>) {
        let chain = self.chain(user);
        let omitted = chain.len().saturating_sub(2 * MAX_SHOWN_CALLS);
        let mut error = error;
        for (position, (location, name)) in chain.iter().enumerate() {
            if omitted > 1 && position == MAX_SHOWN_CALLS {
                error = error.note(*location, format!("and {omitted} more calls like this one"));
            }
            if omitted <= 1 || position < MAX_SHOWN_CALLS || position >= MAX_SHOWN_CALLS + omitted {
                error = error.note(*location, format!("'@{name}' is requested here"));
            }
        }
        self.failed = Some(error.fail());
        self.errors += 1;
    }

    /// Returns the request of each specialization, from the innermost to the outermost, with its
    /// name.
    fn chain(&self, user: Option<usize>) -> Vec<(Location<'a>, &str)> {
        let asked = std::iter::successors(user, |user| self.instances[*user].user);
        asked
            .map(|user| {
                let instance = &self.instances[user];
                (instance.asked_at, instance.name.as_str())
            })
            .collect()
    }

    fn report_problem(
        &mut self,
        location: Location<'a>,
        problem: &Problem<'a>,
        user: Option<usize>,
    ) {
        let error = self.conformances.explain(location, problem);
        self.report(error, user);
    }

    fn error(&mut self, location: Location<'a>, message: String, user: Option<usize>) {
        self.report(diag::error(location, message), user);
    }
}
