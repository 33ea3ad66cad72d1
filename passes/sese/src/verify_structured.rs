//! `tfx-verify-structured`: an independent verifier of the results of `tfx-sese`.
//!
//! It shares no code with the structurer and does not depend on how it works. Its input is a CFG
//! and a structured function; it proves that both are equivalent.
//!
//! ```text
//!   original                   structured                       Both run in lockstep, each edge of the original once.
//!   ^a: x; cond_br c ^b ^c     x                                Operations match one by one; between two of them, the
//!   ^b: y; br ^d               %f = scf.if c { y; yield true }  structured form has only branches that the edge (c is
//!   ^c: br ^d                       else { yield false }        true) decides. Operands of matched operations must be
//!   ^d: z                      z                                equal on all edges back to their definitions.
//! ```
//!
//! Both functions are deterministic once the branches are decided. So if they run in lockstep on
//! each edge, each path of the original is a path of the structured form, with the same operations
//! on the same values, and vice versa. Method: translation validation by a simulation relation
//! (Necula, *Translation validation for an optimizing compiler*, PLDI 2000).
//!
//! # The original
//!
//! By default, `tfx-sese` does not keep the original. `tfx-sese{keep-cfg=true}` stores it, as text
//! with all locations, in the attribute `tfx.cfg` of the function. This pass reads and removes the
//! attribute, so other passes and a change of the process may come between the two.
//! `tfx-sese{verify=true}` verifies against a copy in memory. A `tfx_host.switch_enum` counts as
//! the switch on its tag that `enums.rs` rewrites it to first.
//!
//! # Two provers
//!
//! The simulation (`simulation.rs`) proves equalities that hold on *all* paths to a node. Several
//! branches on one value, or on values that are equal by coincidence, may require different
//! equalities on different paths to a node; then it rejects a correct form. `exploration` separates
//! paths by their facts, and decides what the simulation rejects. It needs a step for each
//! combination of facts, and gives up after a number of steps. Neither prover replaces the other:
//! see docs/adr/0014-two-provers.md.
//!
//! Cost: the edges, times the structured operations on an edge, and for each operand the edges over
//! which its value is forwarded. Each wrong guess costs one more simulation.
//!
//! Not guaranteed: that a form which other passes have changed is accepted; nor a large function,
//! or one with regions in its operations, whose branches are so correlated that the simulation
//! rejects it. Of 30,000 random functions with correlated branches, none is rejected
//! (`tests/proofs.rs`). Of the mutants of hundreds of structured functions, none that runs
//! differently is accepted (`tests/mutations.rs`).

mod cfg;
mod difference;
mod exploration;
mod guesses;
mod matching;
mod prover;
mod regions;
mod relation;
mod simulation;
mod source;
mod stepper;

use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationPrintingFlags, OperationRef};
use rustc_hash::FxHashSet;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{Structured, func};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Block, Builder, Mapping, Op, module};

use self::relation::Simulation;
use self::simulation::Finish;

/// The attribute in which `tfx-sese{keep-cfg=true}` stores the original.
const KEPT: &str = "tfx.cfg";

/// The pass `tfx-verify-structured`.
#[derive(Default)]
pub struct VerifyStructured;

const EDGES: Statistic = Statistic::new("edges", "Edges of control-flow graphs that are proved");

impl Pass for VerifyStructured {
    type Options = ();
    const NAME: &'static str = "TfxVerifyStructured";
    const ARGUMENT: &'static str = "tfx-verify-structured";
    const DESCRIPTION: &'static str =
        "Prove that structured functions are equivalent to their original control-flow graphs";
    const ANCHOR: Anchor = Anchor::Any;
    const STATISTICS: &'static [Statistic] = &[EDGES];

    fn run<'a>(&mut self, root: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
        for function in root.collect(func::Func::NAME) {
            let edges = match kept(function)? {
                Some(original) => verify(&original, function)?,
                None => 0,
            };
            cx.count(EDGES, edges as u64);
        }
        Ok(())
    }
}

/// Returns the module with the original that a function carries, if it has one.
fn kept(function: Op<'_>) -> Result<Option<Module<'_>>, Diagnostic<'_>> {
    if function.is_declaration() {
        return Ok(None);
    }
    let Some(text) = function.string(KEPT) else {
        // A function that tfx-sese does not change has no original, but also no structured
        // operation.
        if let Some(op) = function.walk().find(|op| Structured::cast(*op).is_some()) {
            diag::warning(
                function.location(),
                "this function cannot be verified: it does not contain its control-flow graph",
            )
            .note(op.location(), "it has structured control flow")
            .note(
                function.location(),
                "run tfx-sese{keep-cfg=true} before tfx-verify-structured",
            )
            .emit();
        }
        return Ok(None);
    };
    let original = module::parse_unverified(function.context(), text, KEPT);
    original.map(Some).ok_or_else(|| malformed(function))
}

/// Verifies one function against the original in a module of its own.
fn verify<'a>(original: &'a Module<'_>, function: Op<'a>) -> Result<usize, Diagnostic<'a>> {
    let functions = module::as_op(original).collect(func::Func::NAME);
    let first = functions.first().ok_or_else(|| malformed(function))?;
    let outcome = check(*first, function);
    function.remove_attribute(KEPT);
    outcome
}

fn malformed(function: Op<'_>) -> Diagnostic<'_> {
    let message = format!("expected a function in '{KEPT}'");
    diag::error(function.location(), message)
}

/// Stores the current form of `function` in it, for [`VerifyStructured`].
pub(crate) fn keep(function: Op<'_>) -> Result<(), Diagnostic<'_>> {
    let flags = OperationPrintingFlags::new()
        .enable_debug_info(true, false)
        .print_generic_operation_form()
        .use_local_scope();
    let text = OperationRef::from(function).to_string_with_flags(flags);
    let text = text.map_err(|error| diag::error(function.location(), error.to_string()))?;
    function.set_string(KEPT, &text);
    Ok(())
}

/// A copy of a function outside of any module.
pub(crate) struct Copy<'a> {
    holder: Block<'a>,
    function: Op<'a>,
}

impl<'a> Copy<'a> {
    /// Copies the current form of `function`.
    pub(crate) fn of(function: Op<'a>) -> Self {
        let holder = Block::new(&[]);
        let mut builder = Builder::at_end(holder, function.location());
        Self {
            holder,
            function: builder.clone_op(function, &mut Mapping::new()),
        }
    }

    /// Checks that `structured` is equivalent to the copy.
    pub(crate) fn check(&self, structured: Op<'a>) -> Result<usize, Diagnostic<'a>> {
        check(self.function, structured)
    }
}

impl Drop for Copy<'_> {
    fn drop(&mut self) {
        self.holder.erase();
    }
}

/// Simulations of one function, each without one more wrong guess. A guess is only wrong if values
/// are equal by coincidence on the first path; more than a few were never seen.
const MAX_RUNS: usize = 50;

/// Proves that `structured` is equivalent to `original`; returns the number of edges.
fn check<'a>(original: Op<'a>, structured: Op<'a>) -> Result<usize, Diagnostic<'a>> {
    let mut refuted = FxHashSet::default();
    let mut runs = 0;
    loop {
        let simulation = Simulation::new(original, structured, refuted);
        let mut simulation = simulation.map_err(|difference| difference.error())?;
        simulation.run();
        runs += 1;
        match simulation.finish(runs == MAX_RUNS) {
            Ok(edges) => return Ok(edges),
            Err(Finish::Repeat(more)) => refuted = more,
            Err(Finish::Differs(difference)) => {
                return exploration::explore(original, structured)
                    .ok_or_else(|| difference.error());
            }
        }
    }
}
