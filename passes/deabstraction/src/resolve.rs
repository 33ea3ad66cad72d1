//! `tfx-resolve`: removes closures and arrays that are stored in variables, forwarded by branches,
//! or fields of structs.
//!
//! ```text
//!   tfx-inline, tfx-scalarize, tfx-ssa ──► SSA ──► webs of closures and arrays taken apart ──► calls
//!                                           ▲                                                   │
//!                                           └────────── inlined, variables promoted ◄───────────┘
//! ```
//!
//! # Algorithm
//!
//! `tfx-inline` resolves a closure at its maker; this pass resolves it wherever control flow
//! forwards it within a function: `closures.rs` and `arrays.rs` replace every closed web
//! (`webs.rs`). This produces direct calls, which are inlined; a variable that a closure shared by
//! reference becomes private, so it is promoted. Both may close further webs, so the pass repeats
//! until nothing changes.
//!
//! Types bound the rounds: each removes one level of closures in closures or arrays.
//!
//! # Cost
//!
//! Linear in the module and the output for each round; one round, which changes nothing, if there
//! is nothing to do.
//!
//! # Non-guarantees
//!
//! A closure or an array that comes from, or is passed to, a call that is not inlined, a class or
//! an existential stays; `tfx-verify-deabstracted` reports it.

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::extracted::is_extracted;
use tfx_dialects::types::is_generic;
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::ops::{arith, func};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Builder, Op, Region};

use crate::inline::{InlineOptions, InlineRemarks, InliningOptions};
use crate::{arrays, cfg, clean_up, closures, inline, recursion, ssa, unroll, webs};

/// The limit of rounds. Each round needs a level of nesting in a type; only artificial programs
/// have so many.
const MAX_ROUNDS: usize = 1000;

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct Resolve;

const ROUNDS: Statistic = Statistic::new("rounds", "Rounds until nothing changed");

tfx_ir::options! {
    /// The code that is copied for each of several constants.
    pub struct UnrollingOptions {
        /// Copy the body of a loop over a literal array once for each element.
        unroll: bool = false,
        /// Unroll recursion of constant depth into at most this number of functions for each call;
        /// 0 leaves recursion unchanged.
        unroll_recursion: usize = 0,
    }
}

tfx_ir::composed_options! {
    /// The options of `tfx-resolve`.
    pub struct ResolveOptions {
        /// The functions that are inlined, as for `tfx-inline`.
        inlining: InliningOptions,
        /// The code that is copied.
        unrolling: UnrollingOptions,
    }
}

impl Pass for Resolve {
    type Options = ResolveOptions;
    const NAME: &'static str = "TfxResolve";
    const ARGUMENT: &'static str = "tfx-resolve";
    const DESCRIPTION: &'static str = "Resolve closures and arrays across variables and branches";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[ROUNDS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [
            DialectHandle::arith(),
            DialectHandle::cf(),
            DialectHandle::func(),
        ] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ResolveOptions>) -> PassResult {
        let options = |remarks| InlineOptions {
            inlining: cx.options().inlining.clone(),
            report: InlineRemarks { remarks },
        };
        for _ in 0..MAX_ROUNDS {
            let resolved = resolve_once(module, cx.options())?;
            // Also functions that now only return.
            let inlined = inline::inline_all(module, &options(false))?.inlined;
            let promoted = promote(module)?;
            if resolved || inlined > 0 || promoted > 0 {
                cx.count(ROUNDS, 1);
                functions(module).into_iter().for_each(clean_up::clean_up);
                continue;
            }
            if cx.options().unrolling.unroll_recursion > 0 {
                // tfx-inline left it to this pass to name the recursion that stays.
                inline::inline_all(module, &options(true))?;
            }
            return Ok(());
        }
        let message = format!("closures and arrays are nested more than {MAX_ROUNDS} levels deep");
        Err(diag::error(module.location(), message).into())
    }
}

/// Promotes private variables to SSA values. Returns their number.
fn promote(module: Op<'_>) -> Result<u64, Diagnostics<'_>> {
    let mut promoted = 0;
    for func in functions(module) {
        promoted += ssa::promote_all(func, false)?.0;
    }
    Ok(promoted)
}

/// Replaces all closed webs. Returns whether there was one.
fn resolve_once<'a>(module: Op<'a>, options: &ResolveOptions) -> Result<bool, Diagnostics<'a>> {
    let mut any = options.unrolling.unroll_recursion > 0
        && recursion::unroll(module, options.unrolling.unroll_recursion);
    for func in functions(module) {
        for region in func.regions() {
            cfg::erase_unreachable_blocks(region);
            if options.unrolling.unroll {
                unroll::unroll(func, region)?;
            }
            selects_to_branches(region);
            any |= arrays::resolve(region);
            any |= closures::resolve(region);
        }
    }
    Ok(any)
}

/// Turns a selection of closures or arrays into a branch, which webs can follow.
fn selects_to_branches(region: Region<'_>) {
    let all = region.blocks().flat_map(|block| block.ops());
    let selects: Vec<_> = all
        .filter_map(arith::Select::cast)
        .filter(|select| webs::Kind::of(select.result()).is_some())
        .collect();
    // The last of a block first: the operations before it stay in the block.
    for select in selects.into_iter().rev() {
        let location = select.location();
        let block = select.block().expect("a selection is in a block");
        let after = block.split_before(select.op());
        let chosen = after.add_argument(select.result().ty(), location);
        let (yes, no) = (select.true_value(), select.false_value());
        let mut builder = Builder::at_end(block, location);
        builder.cond_br(select.condition(), (after, &[yes]), (after, &[no]));
        select.replace_with(&[chosen]);
    }
}

/// Returns the functions with a body that are neither generic nor split from their graph already.
fn functions(module: Op<'_>) -> Vec<Op<'_>> {
    let concrete = |op: &Op<'_>| {
        op.isa::<func::Func>() && !op.is_declaration() && !is_generic(*op) && !is_extracted(*op)
    };
    module.children().filter(concrete).collect()
}
