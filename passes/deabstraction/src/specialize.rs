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
//! A generic function that calls itself with ever larger types is an error: `MAX_NESTING` and
//! `MAX_PARTS` bound the types, and so the work, because the number of types within these limits
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
//! tensors with a parameter as their element matches nothing. No table takes precedence
//! over another: two that match are an error.

mod calls;
mod conformances;
mod declarations;
mod existentials;
mod functions;
mod specializer;
mod sweep;
mod types;

use tfx_ir::Op;
use tfx_ir::diag::Diagnostics;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};

use self::specializer::Specializer;
use crate::names;

/// The pass stops after this number of errors: the others mostly repeat one mistake for other
/// types.
const MAX_ERRORS: usize = 20;

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct Specialize;

const SPECIALIZED: Statistic = Statistic::new(
    "functions-specialized",
    "Specializations of generic functions",
);
const RESOLVED: Statistic = Statistic::new(
    "calls-resolved",
    "Generic calls, witness calls and closures that were resolved",
);

impl Pass for Specialize {
    type Options = ();
    const NAME: &'static str = "TfxSpecialize";
    const ARGUMENT: &'static str = "tfx-specialize";
    const DESCRIPTION: &'static str =
        "Specialize generic functions, and resolve calls through protocols";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[SPECIALIZED, RESOLVED];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
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

impl<'a> Specializer<'a> {
    /// The worklist.
    fn run(&mut self) -> Result<(), Diagnostics<'a>> {
        for root in std::mem::take(&mut self.roots) {
            // A function without parameters is an ordinary function.
            root.remove_attribute(names::TYPE_PARAMS);
            if self.settle_types(root) {
                self.resolve_calls(root, None);
            }
            self.stop_at_errors()?;
        }
        let mut next = 0;
        while next < self.instances.len() {
            let op = self.instances[next].op;
            self.resolve_calls(op, Some(next));
            self.stop_at_errors()?;
            next += 1;
        }
        self.check_errors()
    }

    /// Fails once there are too many errors.
    fn stop_at_errors(&mut self) -> Result<(), Diagnostics<'a>> {
        match self.errors.len() {
            0..MAX_ERRORS => Ok(()),
            _ => self.check_errors(),
        }
    }
}
