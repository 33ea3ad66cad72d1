//! `tfx-delay-effects`: effects that use what the accelerator computed are delayed by an iteration, so that a loader of
//! another state runs ahead.
//!
//! ```text
//!   scf.while ... {                           scf.while ... (%pending = false, %last = undef) {
//!     %batch = call @next_batch()               %batch = call @next_batch()
//!                                    ──>        scf.if %pending { call @log(%last) }
//!     %loss = op ...                            %loss = op ...
//!     call @log(%loss)                          scf.yield ..., true, %loss
//!   }                                         }
//!                                             scf.if %pending { call @log(%last) }
//! ```
//!
//! Program order makes an order stall of the left side: loss i is received and logged before batch i + 1 is loaded and
//! sent. The right side loads and sends batch i + 1 first. This is software pipelining with one stage of delay
//! (Rau and Glaeser, 1981), on the program before it is partitioned: the graph and the host are cut from it as from
//! any other, and the verifier of protocols proves them.
//!
//! What may change places is said by the program: `tfx.state` names what a foreign function reads and writes, and the
//! state of `tfx_host.print` is standard output. Taking a result from a queue (`tfx_host.next`) is an effect on the state
//! of what its thread calls. All effects of a state are delayed together, or none is, so that each
//! state sees its effects in program order. [`plan`] decides, [`rotate`] rewrites.
//!
//! Cost: linear in the size of a function, times its nesting.

mod plan;
mod rotate;

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::extracted::is_extracted;
use tfx_dialects::types::TYPE_PARAMS;
use tfx_ir::Op;
use tfx_ir::ops::{func, scf};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::symbols::SymbolTable;

use crate::delay_effects::plan::{Plan, States};
use crate::graph_functions;

/// See the module.
#[derive(Debug, Default)]
pub struct DelayEffects;

const LOOPS: Statistic = Statistic {
    name: "loops",
    description: "Loops whose effects were delayed",
};

impl Pass for DelayEffects {
    type Options = ();
    const NAME: &'static str = "TfxDelayEffects";
    const ARGUMENT: &'static str = "tfx-delay-effects";
    const DESCRIPTION: &'static str =
        "Let host calls run ahead of effects that use what the accelerator computed";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[LOOPS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [DialectHandle::arith(), DialectHandle::scf()] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        let symbols = SymbolTable::new(module);
        let states = States::of(&symbols);
        // Without a named state nothing can change places.
        if states.is_empty() {
            return Ok(());
        }
        let functions = symbols
            .ops()
            .filter(|op| op.isa::<func::Func>() && !op.is_declaration())
            .filter(|op| op.attribute(TYPE_PARAMS).is_none() && !graph_functions::is_marked(*op))
            .filter(|op| !is_extracted(*op));
        let mut delayed = 0;
        for function in functions {
            let loops = function
                .walk_post()
                .filter(|op| matches!(op.name(), scf::For::NAME | scf::While::NAME));
            // The innermost first; a loop is replaced only after those inside of it.
            for around in loops.collect::<Vec<_>>() {
                if let Some(plan) = Plan::of(around, &states) {
                    rotate::rotate(&plan);
                    delayed += 1;
                }
            }
        }
        cx.count(LOOPS, delayed);
        Ok(())
    }
}
