//! `tfx-delay-effects`: delays effects that use results of the accelerator by an iteration, so that
//! a loader of another state runs ahead.
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
//! Program order causes the order stall on the left: loss i is received and logged before batch i +
//! 1 is loaded and sent. The right side loads and sends batch i + 1 first. This is software
//! pipelining with a delay of one stage (Rau and Glaeser, 1981), on the program before it is
//! partitioned: partition splits the result as it splits any other program, and the protocol
//! verifier checks it.
//!
//! The program declares which effects may be reordered: `tfx.state` names the state that a foreign
//! function reads and writes, and the state of `tfx_host.print` is standard output. Taking a result
//! from a queue (`tfx_host.next`) is an effect on the states of the function that the thread calls.
//! All effects of a state are delayed together or none is, so that each state sees its effects in
//! program order. [`plan`] decides, [`rotate`] rewrites.
//!
//! Cost: linear in the size of a function, times its nesting.

mod plan;
mod rotate;

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::extracted::is_extracted;
use tfx_dialects::types::is_generic;
use tfx_ir::Op;
use tfx_ir::ops::{Structured, func};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::{SymbolTable, is_graph_function};

use crate::delay_effects::plan::{Plan, States};

/// The pass; the module describes the algorithm.
#[derive(Debug, Default)]
pub struct DelayEffects;

const LOOPS: Statistic = Statistic::new("loops", "Loops with delayed effects");

impl Pass for DelayEffects {
    type Options = ();
    const NAME: &'static str = "TfxDelayEffects";
    const ARGUMENT: &'static str = "tfx-delay-effects";
    const DESCRIPTION: &'static str =
        "Delay effects that use results of the accelerator, so that host calls run ahead";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[LOOPS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [DialectHandle::arith(), DialectHandle::scf()] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
        let symbols = SymbolTable::new(module);
        let states = States::of(&symbols);
        // Without a named state no effects can be reordered.
        if states.is_empty() {
            return Ok(());
        }
        let functions = symbols
            .ops()
            .filter(|op| op.isa::<func::Func>() && !op.is_declaration())
            .filter(|op| !is_generic(*op) && !is_graph_function(*op))
            .filter(|op| !is_extracted(*op));
        let mut delayed = 0;
        for function in functions {
            let is_loop = |op: &Op<'a>| Structured::cast(*op).is_some_and(Structured::is_loop);
            let loops = function.walk_post().filter(is_loop);
            // Innermost loops first; a loop is replaced only after the loops inside of it.
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
