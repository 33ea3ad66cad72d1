//! `tfx-sese`: a function of blocks and branches becomes one block of structured operations.
//!
//! ```text
//!   ^header(%i: i32):                               %r = scf.while (%i = %zero) : (i32) -> i32 {
//!     %go = arith.cmpi slt, %i, %n : i32              %go = arith.cmpi slt, %i, %n : i32
//!     cf.cond_br %go, ^body, ^exit           =>       scf.condition(%go) %i : i32
//!   ^body:                                          } do {
//!     ...                                           ^bb0(%i: i32):
//!     cf.br ^header(%next : i32)                      ...
//!   ^exit:                                            scf.yield %next : i32
//!                                                   }
//! ```
//!
//! Graphs know only functional `If`, `Case` and `While`. The steps, each in its file:
//!
//! 1. `body`, `cfg`: the function as a graph of numbers;
//! 2. `loops`: which block is in which loop, irreducible cycles too; `endless`: which a graph could never leave;
//! 3. `landing`: where each edge lands, where each loop is cut into the two regions of `scf.while`;
//! 4. `pending`, `tree`: the tree of regions, by counting pending edges;
//! 5. `plan`: which values are handed out of which operation;
//! 6. `emit`, `ways`: the operations.
//!
//! Any graph is structured: early returns, loops with many exits and latches, jumps into the middle of loops, blocks that abort,
//! loops without an end. No operation is duplicated. What does not come back (`tfx_host.unreachable`) ends an arm that yields
//! zeros. Cost: O(E log² E), plus the results that are made; no recursion on the program.
//!
//! Not guaranteed: that fewest flags are used. A function of one block is left as it is.

use tfx_ir::Op;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};

use melior::dialect::{DialectHandle, DialectRegistry};

use crate::body::{Body, Slots, Terminators};
use crate::emit::Structured;
use crate::endless;
use crate::landing::Landings;
use crate::loops::LoopForest;
use crate::plan::Plan;
use crate::tree::Tree;

tfx_ir::options! {
    /// What `tfx-sese` takes.
    pub struct SeseOptions {
        /// Print the region tree of each function to standard error.
        print_tree: bool = false,
    }
}

/// The pass.
#[derive(Default)]
pub struct Sese;

const BLOCKS: Statistic = Statistic {
    name: "blocks",
    description: "Blocks that were structured",
};

impl Pass for Sese {
    type Options = SeseOptions;
    const NAME: &'static str = "TfxSese";
    const ARGUMENT: &'static str = "tfx-sese";
    const DESCRIPTION: &'static str =
        "Turn control-flow graphs into scf.if, scf.while and scf.index_switch";
    const ANCHOR: Anchor = Anchor::Function;
    const STATISTICS: &'static [Statistic] = &[BLOCKS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [
            DialectHandle::arith(),
            DialectHandle::scf(),
            DialectHandle::func(),
        ] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(
        &mut self,
        function: Op<'a>,
        cx: &PassContext<'a, SeseOptions>,
    ) -> Result<(), PassFailed> {
        let region = function.region(0);
        if region.is_empty() || region.single_block().is_some() {
            return Ok(());
        }
        let body = Body::new(function, region);
        let forest = LoopForest::new(&body.cfg);
        body.check(&forest)?;
        endless::check(&body, &forest)?;
        cx.count(BLOCKS, body.blocks.len() as u64);
        let structured = structure(body, forest)?;
        if cx.options().print_tree {
            eprint!("{}", structured.print_tree());
        }
        structured.emit();
        Ok(())
    }
}

/// All that is to be known before anything is changed.
fn structure(body: Body<'_>, forest: LoopForest) -> Result<Structured<'_>, PassFailed> {
    let landings = Landings::new(&body.cfg, &forest);
    let tree = Tree::new(&body.cfg, &forest, &landings);
    let mut slots = Slots::new(&body, &forest);
    let plan = Plan::new(&body, &forest, &landings, &tree, &mut slots);
    let terminators = Terminators::new(&body, &forest, &slots)?;
    Ok(Structured {
        body,
        forest,
        landings,
        tree,
        slots,
        terminators,
        plan,
    })
}
