//! `tfx-clean-up`: merges straight-line code into one block, and erases unused operations.
//!
//! ```text
//!   ^a: x                      ^a: x
//!       br ^b(%v)        ──►       y(%v)
//!   ^b(%p): y(%p)                  return
//!       return
//! ```
//!
//! Inlining leaves a block for the code after a call; this pass appends it to the block before.
//! Then it erases dead code: see `dead.rs`.
//!
//! Upstream's `canonicalize` does this too, but it moves constants to the entry, where they lose
//! their source location, and turns a branch that only selects between tensors into a selection;
//! both would be visible in the graph.
//!
//! An existential of an aggregate keeps its leaves as a tuple, which must be built in its block:
//! see [`erase_by_own_tuples`].
//!
//! MLIR cannot read back a switch that forwards `%r#1`. Such a switch branches to a block that
//! forwards the value.
//!
//! Cost: linear in operations; each is moved at most once. Branches on constants are left alone.

use melior::dialect::{DialectHandle, DialectRegistry};
use tfx_dialects::host;
use tfx_ir::ops::cf;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult};
use tfx_ir::{Block, Builder, Op, Region, Value};

use crate::cfg;
use crate::dead::erase_dead;

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct CleanUp;

impl Pass for CleanUp {
    type Options = ();
    const NAME: &'static str = "TfxCleanUp";
    const ARGUMENT: &'static str = "tfx-clean-up";
    const DESCRIPTION: &'static str = "Merge straight-line blocks and erase dead code";
    const ANCHOR: Anchor = Anchor::Function;

    fn dialects(registry: &DialectRegistry) {
        DialectHandle::cf().insert_dialect(registry);
    }

    fn run<'a>(&mut self, func: Op<'a>, _cx: &PassContext<'a, ()>) -> PassResult {
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
        // A block that a branch forwards to may now be appended to it, and contain another switch.
        while forward_by_branches(region) {
            join_blocks(region);
        }
    }
}

/// Rewrites switches that forward one of several results of an operation. Returns whether there was
/// one.
fn forward_by_branches(region: Region<'_>) -> bool {
    let switches = region.blocks().filter_map(|block| block.last());
    let switches: Vec<_> = switches.filter(|last| last.isa::<cf::Switch>()).collect();
    let edges = switches
        .into_iter()
        .flat_map(|switch| (0..switch.num_successors()).map(move |successor| (switch, successor)));
    edges.fold(false, |any, (switch, successor)| {
        forward_by_branch(switch, successor) | any
    })
}

fn forward_by_branch(switch: Op<'_>, successor: usize) -> bool {
    let is_one_of_several =
        |value: &Value<'_>| value.defining_op().is_some_and(|op| op.num_results() > 1);
    let Some(forwarded) = switch.successor_operands(successor) else {
        return false;
    };
    let values = forwarded.values();
    if !values.iter().any(is_one_of_several) {
        return false;
    }
    let target = switch.successor(successor);
    let between = Block::new(&[]);
    between.move_before(target);
    Builder::at_end(between, switch.location()).br(target, &values);
    (0..values.len())
        .rev()
        .for_each(|index| forwarded.erase(index));
    switch.set_successor(successor, between);
    true
}

/// Appends to each block its only successor, if that has no other predecessor.
fn join_blocks(region: Region<'_>) {
    let mut next = region.entry();
    while let Some(block) = next {
        while let Some((branch, successor)) = only_edge(block) {
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

/// Returns the branch at the end of a block, and its successor, if each is the only one of the
/// other.
fn only_edge(block: Block<'_>) -> Option<(Op<'_>, Block<'_>)> {
    let branch = block.last().filter(|last| last.isa::<cf::Branch>())?;
    let successor = branch.successor(0);
    (successor != block && successor.incoming().len() == 1).then_some((branch, successor))
}

/// Gives each existential of an aggregate a tuple of its own, in its block: CSE may have merged the
/// tuples, but host code takes the leaves where the tuple is built, and a tuple that is forwarded
/// between regions cannot be taken apart.
fn erase_by_own_tuples(region: Region<'_>) {
    let all = region.blocks().flat_map(|block| block.ops());
    let erased: Vec<_> = all
        .flat_map(Op::walk)
        .filter_map(host::Erase::cast)
        .collect();
    for op in erased {
        let maker = op.value().defining_op();
        let Some(maker) = maker.and_then(host::MakeTuple::cast) else {
            continue;
        };
        if maker.block() != op.block() {
            let mut builder = Builder::before(op.op());
            let own = host::MakeTuple::build(&mut builder, &maker.elements().to_vec());
            op.set_value(own.result());
        }
    }
}
