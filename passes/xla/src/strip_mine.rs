//! `tfx-strip-mine`: splits a loop with messages in some iterations, so that the others run in an
//! inner loop.
//!
//! ```text
//! while (%a = %init) {            while (%a = %init) {
//!   condition(%a) -> %go, %f        %b = while (%b = %a) {            the quiet loop
//! } do {                              condition(%b) -> %go, %f
//!   %noisy = slice(%f)                %noisy = slice(%f)
//!   work(%f)                ──►       continue if %go and not %noisy
//!   if %noisy { send ... }          } do {
//!   %a' = ...                         work(%f)                        without the send
//! }                                 }
//!                                   condition(%b) -> %go, %f
//!                                 } do {
//!                                   %noisy = slice(%f); work(%f)      as before
//!                                   if %noisy { send ... }
//!                                   %a' = ...
//!                                 }
//! ```
//!
//! Iterations without messages are *quiet*. The inner loop runs quiet iterations until the next
//! iteration is noisy or the loop ends; the outer loop runs the noisy iteration as before. Each
//! iteration therefore runs once, in the same order, for any condition; if the loop ends in a quiet
//! iteration, the loop condition is evaluated a second time. (*Strip mining* usually splits a loop
//! by a number of iterations; here a condition splits it.)
//!
//! # Requirements
//!
//! ```text
//! loop condition     no channels and no state: it runs twice before a noisy iteration
//! body               channels only in arms of `scf.if`s of its own block; no random numbers
//! their conditions   scalar code on the values at the start of the iteration, which may be
//!                    speculated: it runs twice, too
//! ```
//!
//! An `scf.for` is first converted to an `scf.while`. Each operation of the body is cloned at most
//! once: the loops inside of another loop's quiet iterations have no channels themselves. Linear.
//!
//! The pass duplicates the code of such a loop, so it runs only for an option; `tfx-cluster-xla`
//! then compiles the quiet loop. `plan.rs` checks the requirements, `rewrite.rs` splits the loop.

mod plan;
mod rewrite;

use tfx_dialects::tensor;
use tfx_graphdef_mlir::effects::{Effect, Effects};
use tfx_ir::ops::Structured;
use tfx_ir::{
    Op, diag,
    pass::{Anchor, Pass, PassContext, PassResult, Statistic},
};

tfx_ir::options! {
    /// The options of `tfx-strip-mine`.
    pub struct StripMineOptions {
        /// Report for each loop with channels whether it is strip-mined, and the reason if it is
        /// not.
        explain: bool = false,
    }
}

const LOOPS: Statistic = Statistic::new("strip-mined", "Strip-mined loops");

/// `tfx-strip-mine`: see the documentation of the module.
#[derive(Default)]
pub struct StripMine;

impl Pass for StripMine {
    type Options = StripMineOptions;
    const NAME: &'static str = "TfxStripMine";
    const ARGUMENT: &'static str = "tfx-strip-mine";
    const DESCRIPTION: &'static str =
        "Split loops so that iterations without messages run in an inner loop";
    const ANCHOR: Anchor = Anchor::Op(tensor::Graph::NAME);
    const STATISTICS: &'static [Statistic] = &[LOOPS];

    fn run<'a>(&mut self, graph: Op<'a>, cx: &PassContext<'a, StripMineOptions>) -> PassResult {
        let effects = Effects::of_graph(graph);
        let is_candidate = |looped: &Structured<'a>| {
            let op = looped.op();
            looped.is_loop()
                && effects.of(op) != Effect::Pure
                && op.attribute(rewrite::STRIP_MINED).is_none()
        };
        let loops = graph.walk().filter_map(Structured::cast);
        for looped in loops.filter(is_candidate).collect::<Vec<_>>() {
            let planned = plan::plan(looped, &effects);
            if cx.options().explain {
                report(looped.op(), &planned);
            }
            if let Ok(gates) = planned {
                cx.count(LOOPS, 1);
                rewrite::split(looped, &gates);
            }
        }
        Ok(())
    }
}

fn report<'a>(op: Op<'a>, planned: &Result<Vec<plan::Gate<'a>>, plan::Obstacle<'a>>) {
    match planned {
        Ok(gates) => {
            let remark = diag::remark(
                op.location(),
                "the iterations of this loop without messages run in an inner loop",
            );
            let note = |remark: diag::Diagnostic<'a>, gate: &plan::Gate<'a>| {
                let value = !gate.quiet_if;
                let message = format!("an iteration has messages if this condition is {value}");
                remark.note(gate.op.location(), message)
            };
            gates.iter().fold(remark, note).emit();
        }
        Err(obstacle) => {
            diag::remark(op.location(), "this loop is not strip-mined")
                .note(obstacle.location, obstacle.reason.clone())
                .emit();
        }
    }
}
