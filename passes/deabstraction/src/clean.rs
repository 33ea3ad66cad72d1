//! `tfx-clean-up`: straight-line code in one block, and nothing that is unused.
//!
//! ```text
//!   ^a: x                      ^a: x
//!       br ^b(%v)        ──►       y(%v)
//!   ^b(%p): y(%p)                  return
//!       return
//! ```
//!
//! Inlining leaves a block for what comes after a call; this joins it to the one before. Then what nothing needs is erased: see `dead.rs`.
//!
//! Upstream's `canonicalize` does this too, but it moves constants to the entry, where they lose their source place, and makes a selection
//! of tensors out of a branch that only chooses between them; both would show in the graph.
//!
//! An existential of an aggregate keeps its leaves as a tuple, which has to be made in its block: see [`erase_by_own_tuples`].
//!
//! MLIR prints a switch that hands on `%r#1` so that it cannot read it again. Such a switch goes to a block that hands the value on.
//!
//! Cost: linear in operations; each is moved at most once. Branches on constants are left alone.

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_ir::ops::cf;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed};
use tfx_ir::{Block, Builder, Op, Region, Value};

use crate::dead::erase_dead;
use crate::{cfg, names};

/// The head of its source file has the algorithm and its cost.
#[derive(Default)]
pub struct CleanUp;

impl Pass for CleanUp {
    type Options = ();
    const NAME: &'static str = "TfxCleanUp";
    const ARGUMENT: &'static str = "tfx-clean-up";
    const DESCRIPTION: &'static str =
        "Join blocks that follow each other and erase what nothing needs";
    const ANCHOR: Anchor = Anchor::Function;

    fn dialects(registry: &DialectRegistry) {
        DialectHandle::cf().insert_dialect(registry);
    }

    fn run<'a>(&mut self, func: Op<'a>, _cx: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        clean_up(func);
        Ok(())
    }
}

pub(crate) fn clean_up(func: Op<'_>) {
    for region in func.regions().filter(|region| !region.is_empty()) {
        cfg::erase_unreachable_blocks(region);
        join_blocks(region);
        erase_by_own_tuples(region);
        erase_dead(region);
        // What is handed on by a branch may now be joined to it, and show one more switch.
        while hand_on_by_branches(region) {
            join_blocks(region);
        }
    }
}

/// Lets no switch hand on a result that is one of several. Says whether one did.
fn hand_on_by_branches(region: Region<'_>) -> bool {
    let switches = region.blocks().filter_map(|block| block.last());
    let switches: Vec<_> = switches.filter(|last| last.isa::<cf::Switch>()).collect();
    let ways = switches
        .into_iter()
        .flat_map(|switch| (0..switch.num_successors()).map(move |way| (switch, way)));
    ways.fold(false, |any, (switch, way)| {
        hand_on_by_branch(switch, way) | any
    })
}

fn hand_on_by_branch(switch: Op<'_>, way: usize) -> bool {
    let is_one_of_several =
        |value: &Value<'_>| value.defining_op().is_some_and(|op| op.num_results() > 1);
    let Some(handed) = switch.successor_operands(way) else {
        return false;
    };
    let values = handed.values();
    if !values.iter().any(is_one_of_several) {
        return false;
    }
    let target = switch.successor(way);
    let between = Block::new(&[]);
    between.move_before(target);
    Builder::at_end(between, switch.location()).br(target, &values);
    (0..values.len())
        .rev()
        .for_each(|index| handed.erase(index));
    switch.set_successor(way, between);
    true
}

/// Appends to each block the one that it alone branches to and that nothing else does.
fn join_blocks(region: Region<'_>) {
    let mut next = region.entry();
    while let Some(block) = next {
        while let Some((branch, successor)) = only_way(block) {
            for (argument, operand) in successor.arguments().zip(branch.operands()) {
                argument.replace_all_uses_with(operand);
            }
            branch.erase();
            block.append_ops_of(successor);
            successor.erase();
        }
        next = block.next();
    }
}

/// The branch at the end of a block, and the block it leads to, if that is the only way in both directions.
fn only_way(block: Block<'_>) -> Option<(Op<'_>, Block<'_>)> {
    let branch = block.last().filter(|last| last.isa::<cf::Branch>())?;
    let successor = branch.successor(0);
    (successor != block && successor.incoming().len() == 1).then_some((branch, successor))
}

/// Gives each existential of an aggregate a tuple of its own, in its block: what is the same was merged, but host code takes the leaves from where the tuple
/// is made, and a tuple that goes from region to region is none any more.
fn erase_by_own_tuples(region: Region<'_>) {
    let all = region.blocks().flat_map(|block| block.ops());
    let erased: Vec<_> = all
        .flat_map(Op::walk)
        .filter(|op| op.is(names::ERASE))
        .collect();
    for op in erased {
        let maker = op.operand(0).defining_op();
        let Some(maker) = maker.filter(|maker| maker.is(names::MAKE_TUPLE)) else {
            continue;
        };
        if maker.block() != op.block() {
            let leaves: Vec<_> = maker.operands().collect();
            let own = Builder::before(op)
                .op(names::MAKE_TUPLE)
                .operands(&leaves)
                .result(maker.result(0).ty())
                .value();
            op.set_operand(0, own);
        }
    }
}
