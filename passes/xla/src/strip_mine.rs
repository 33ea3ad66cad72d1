//! `tfx-strip-mine`: a loop that talks with the host only in some trips runs the others in a loop of their own.
//!
//! ```text
//! while (%a = %init) {                     while (%a = %init) {
//!   header(%a) -> %go, %f                    %b = while (%b = %a) {
//! } do {                                       header(%b) -> %go, %f;  %noisy = slice(%f)
//!   %noisy = slice(%f)                         go on if %go and not %noisy          no channel in here: XLA can compile it
//!   work(%f)                        ──►      } do {
//!   if %noisy { send ... }                     work(%f)                             without the send
//!   %a' = ...                                }
//! }                                          header(%b) -> %go, %f
//!                                          } do {
//!                                            %noisy = slice(%f); work(%f); if %noisy { send ... }; %a' = ...     as before
//!                                          }
//! ```
//!
//! The quiet trips run until one comes that is not quiet, or the loop ends; that one runs as it always did. So each trip runs once, in the same order, whatever the
//! condition says; where the loop ends in a quiet trip, the header ends it a second time. (*Strip mining* cuts a loop into stretches; here a condition does the cutting.)
//!
//! # What is asked of a loop
//!
//! ```text
//! header          no channels, no state: it runs twice before a trip that is not quiet
//! body            channels only in arms of `scf.if`s of its own block; no random numbers
//! their conditions    scalars, computed from what the trip starts with by operations that may run at any time: they are computed twice as well
//! ```
//!
//! An `scf.for` of that kind becomes an `scf.while` first. Of what is in the body, each operation is copied once at most: loops that are inside of another one's
//! quiet trips have no channels themselves. Linear.
//!
//! It doubles the code of such a loop, so only an option asks for it; `tfx-cluster-xla` then finds the quiet loop. `plan.rs` says whether a loop is of that kind, `rewrite.rs` cuts it.

mod plan;
mod rewrite;

use tfx_graphdef_mlir::effects::{Effect, Effects};
use tfx_ir::{
    Op, diag,
    pass::{Anchor, Pass, PassContext, PassFailed, Statistic},
};

tfx_ir::options! {
    /// What `tfx-strip-mine` takes.
    pub struct StripMineOptions {
        /// Whether to say of each loop with channels whether it is cut, and why not.
        explain: bool = false,
    }
}

const CUT: Statistic = Statistic {
    name: "cut",
    description: "Loops whose quiet trips run by themselves",
};

/// What a loop has that was cut. All trips that it runs itself are noisy, so there is nothing to be gained by cutting it again.
const STRIP_MINED: &str = "tfx.strip_mined";

/// See the documentation of this module.
#[derive(Default)]
pub struct StripMine;

impl Pass for StripMine {
    type Options = StripMineOptions;
    const NAME: &'static str = "TfxStripMine";
    const ARGUMENT: &'static str = "tfx-strip-mine";
    const DESCRIPTION: &'static str =
        "Run the trips of a loop that send and receive nothing in a loop of their own";
    const ANCHOR: Anchor = Anchor::Op("tfx_tensor.graph");
    const STATISTICS: &'static [Statistic] = &[CUT];

    fn run<'a>(
        &mut self,
        graph: Op<'a>,
        cx: &PassContext<'a, StripMineOptions>,
    ) -> Result<(), PassFailed> {
        let effects = Effects::of_graph(graph);
        let is_noisy = |op: &Op<'a>| effects.of(*op) != Effect::Pure;
        let loops = graph
            .walk()
            .filter(|op| matches!(op.name(), "scf.while" | "scf.for"));
        let is_cut = |op: &Op<'a>| op.attribute(STRIP_MINED).is_some();
        let loops: Vec<_> = loops.filter(|op| is_noisy(op) && !is_cut(op)).collect();
        for op in loops {
            let planned = plan::plan(op, &effects);
            if cx.options().explain {
                say(op, &planned);
            }
            if let Ok(gates) = planned {
                cx.count(CUT, 1);
                rewrite::cut(op, &gates);
            }
        }
        Ok(())
    }
}

fn say<'a>(op: Op<'a>, planned: &Result<Vec<plan::Gate<'a>>, plan::Obstacle<'a>>) {
    match planned {
        Ok(gates) => {
            let remark = diag::remark(
                op.location(),
                "the trips of this loop that send and receive nothing run in a loop of their own",
            );
            let note = |remark: diag::Diag<'a>, gate: &plan::Gate<'a>| {
                let is = if gate.quiet_arm == 1 { "so" } else { "not so" };
                let message = format!("the others are those in which this is {is}");
                remark.note(gate.op.location(), message)
            };
            gates.iter().fold(remark, note).emit();
        }
        Err(obstacle) => {
            diag::remark(
                op.location(),
                "this loop is not cut into quiet trips and others",
            )
            .note(obstacle.location, obstacle.reason.clone())
            .emit();
        }
    }
}
