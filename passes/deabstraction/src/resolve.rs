//! `tfx-resolve`: closures and arrays that go through variables, branches and structs vanish as well.
//!
//! ```text
//!   tfx-inline, tfx-scalarize, tfx-ssa ──► SSA ──► webs of closures and arrays taken apart ──► calls
//!                                           ▲                                                   │
//!                                           └────────── inlined, variables promoted ◄───────────┘
//! ```
//!
//! # Algorithm
//!
//! `tfx-inline` knows a closure where its maker stands; this pass knows it wherever control flow brings it within a function: `closures.rs` and `arrays.rs`
//! take every closed web (`webs.rs`) apart. That makes direct calls, which are inlined; what a closure shared by reference becomes a
//! variable that nobody else has, so it is promoted. That may close further webs, so the pass goes on until nothing changes.
//!
//! Types bound the rounds: each takes away one level of closures in closures or arrays.
//!
//! # Cost
//!
//! Linear in the module and the output for each round; one round, which changes nothing, where there is nothing to do.
//!
//! # Non-guarantees
//!
//! A closure or an array that comes from a call that is not inlined, a class or an existential, or that goes there, stays; `tfx-verify-deabstracted` says so.

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::extracted::is_extracted;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed, Statistic};
use tfx_ir::{Builder, Op, Region, diag};

use crate::inline::{InlineOptions, InlineRemarks, InliningOptions};
use crate::{arrays, cfg, clean, closures, inline, names, recursion, ssa, unroll, webs};

/// Each round needs a level of nesting in a type; a program that has so many was made to have them.
const MAX_ROUNDS: usize = 1000;

/// The head of its source file has the algorithm and its cost.
#[derive(Default)]
pub struct Resolve;

const ROUNDS: Statistic = Statistic {
    name: "rounds",
    description: "Rounds until nothing was left to resolve",
};

tfx_ir::options! {
    /// The code that is copied for each of several constants.
    pub struct UnrollingOptions {
        /// Copy the body of a loop over a literal array once for each element.
        unroll: bool = false,
        /// The largest number of functions that recursion whose depth constants bound becomes, for
        /// each call; 0 leaves all recursion.
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
    const DESCRIPTION: &'static str =
        "Take closures and arrays apart that go through variables and branches";
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

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, ResolveOptions>,
    ) -> Result<(), PassFailed> {
        let options = |remarks| InlineOptions {
            inlining: cx.options().inlining.clone(),
            report: InlineRemarks { remarks },
        };
        for _ in 0..MAX_ROUNDS {
            let resolved = resolve_once(module, cx.options())?;
            // Also what only returns by now.
            let inlined = inline::inline_all(module, &options(false))?.inlined;
            let promoted = promote(module)?;
            if resolved || inlined > 0 || promoted > 0 {
                cx.count(ROUNDS, 1);
                functions(module).into_iter().for_each(clean::clean_up);
                continue;
            }
            if cx.options().unrolling.unroll_recursion > 0 {
                // tfx-inline left it to this pass to name what recursion stays.
                inline::inline_all(module, &options(true))?;
            }
            return Ok(());
        }
        let message = format!(
            "closures and arrays in each other are nested more than {MAX_ROUNDS} levels deep"
        );
        Err(diag::error(module.location(), message).fail())
    }
}

/// Makes values of variables that nobody else has. Says how many there were.
fn promote(module: Op<'_>) -> Result<u64, PassFailed> {
    let mut promoted = 0;
    for func in functions(module) {
        promoted += ssa::promote_all(func, false)?.0;
    }
    Ok(promoted)
}

/// Takes apart what can be. Says whether there was anything.
fn resolve_once(module: Op<'_>, options: &ResolveOptions) -> Result<bool, PassFailed> {
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

/// A selection of closures or arrays becomes a branch, which webs go through.
fn selects_to_branches(region: Region<'_>) {
    let all = region.blocks().flat_map(|block| block.ops());
    let selects: Vec<_> = all
        .filter(|op| op.is(names::SELECT) && webs::Kind::of(op.result(0)).is_some())
        .collect();
    // The last of a block first: what is before it stays in the block.
    for select in selects.into_iter().rev() {
        let location = select.location();
        let block = select.block().expect("a selection is in a block");
        let after = block.split_before(select);
        let chosen = after.add_argument(select.result(0).ty(), location);
        let [condition, yes, no] = [0, 1, 2].map(|index| select.operand(index));
        Builder::at_end(block, location).cond_br(condition, (after, &[yes]), (after, &[no]));
        select.replace_with(&[chosen]);
    }
}

/// The functions with a body that is neither generic nor split from its graph already.
fn functions(module: Op<'_>) -> Vec<Op<'_>> {
    let concrete = |op: &Op<'_>| {
        op.is(names::FUNC)
            && !op.is_declaration()
            && op.attribute(names::TYPE_PARAMS).is_none()
            && !is_extracted(*op)
    };
    module.children().filter(concrete).collect()
}
