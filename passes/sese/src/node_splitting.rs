//! Copies of small blocks that avoid dispatches: `node-splitting=N`.
//!
//! ```text
//!   ^a: cond_br c ^b ^x             ^a: cond_br c ^b ^x      before: a flag tells whether ^x runs
//!   ^b: cond_br d ^y ^x     =>      ^b: cond_br d ^y ^x'     after:  each `if` has ^x in an arm
//!   ^x: op; br ^y                   ^x: op; br ^y
//!                                   ^x': op; br ^y
//! ```
//!
//! A block with several predecessors is copied for each incoming edge but one; the second entry of
//! a cycle is copied once, for the edges from outside. Each split is first tried on the
//! control-flow graph alone, and applied if the tree of regions then has fewer dispatches. At most
//! N operations are copied in total. A block is only copied if its values have no uses outside of
//! it, so no further values have to be joined.
//!
//! Source: node splitting, Janssen and Corporaal, "Making graphs reducible with controlled node
//! splitting" (TOPLAS 1997). Cost: each trial structures the graph again, in near-linear time; the
//! number of trials per split is bounded. Not guaranteed: the minimum number of copies.

use tfx_ir::{Block, Builder, Mapping, Op, Region, Value};

use crate::body::Body;
use crate::cfg::{BlockId, Cfg, EdgeId, Ending};
use crate::loop_forest::LoopForest;
use crate::tree::{OpKind, Tree};
use crate::units::{TargetKind, Units};

/// The most blocks that are tried for one split.
const MAX_TRIALS: usize = 64;

/// The copies of one block.
struct Split {
    block: BlockId,
    /// The edges that lead to each copy.
    copies: Vec<Vec<EdgeId>>,
    /// The number of copied operations.
    cost: u64,
}

/// Splits blocks of `region`, copying at most `budget` operations.
pub(crate) fn run<'a>(owner: Op<'a>, region: Region<'a>, mut budget: u64) {
    while budget > 0 {
        let body = Body::new(owner, region);
        let Some(split) = find(&body, budget) else {
            return;
        };
        apply(&body, &split);
        budget -= split.cost;
    }
}

/// Returns the first split that reduces the number of dispatches.
fn find(body: &Body<'_>, budget: u64) -> Option<Split> {
    let forest = LoopForest::new(&body.cfg);
    let units = Units::new(&body.cfg, &forest);
    let never_return = body.cfg.never_return();
    let tree = Tree::new(&body.cfg, &forest, &units, &never_return);
    let before = num_dispatches(&tree);
    let candidates = candidates(&body.cfg, &units, &tree);
    let mut incoming: Vec<Vec<EdgeId>> = vec![Vec::new(); body.cfg.num_blocks()];
    for &block in &forest.order {
        for edge in body.cfg.edges(block) {
            incoming[body.cfg.target(edge)].push(edge);
        }
    }
    let sources = sources(&body.cfg);
    let splits = candidates.into_iter().filter_map(|block| {
        let copies = copies(&forest, &units, &sources, block, &incoming[block])?;
        let own = body.blocks[block].ops().count().saturating_sub(1).max(1);
        let cost = (own * copies.len()) as u64;
        let split = Split {
            block,
            copies,
            cost,
        };
        (cost <= budget && is_closed(body, block)).then_some(split)
    });
    let mut tried = splits.take(MAX_TRIALS);
    tried.find(|split| num_dispatches_after(&body.cfg, split) < before)
}

/// Returns the blocks that dispatches select, in the order of the tree.
fn candidates(cfg: &Cfg, units: &Units, tree: &Tree) -> Vec<BlockId> {
    let mut found: Vec<BlockId> = units.extra_entries.iter().flatten().copied().collect();
    for op in &tree.ops {
        if let OpKind::Dispatch { arms, .. } = op.kind {
            let targets = tree.dispatch_arms(arms).flat_map(|(targets, _)| targets);
            found.extend(targets.filter_map(|target| match target.kind() {
                TargetKind::Block(block) if block != cfg.exit() => Some(block),
                _ => None,
            }));
        }
    }
    let mut seen = vec![false; cfg.num_blocks()];
    found.retain(|&block| !std::mem::replace(&mut seen[block], true));
    found
}

/// Returns the edges that lead to each copy of a block, if it can be copied.
fn copies(
    forest: &LoopForest,
    units: &Units,
    sources: &[BlockId],
    block: BlockId,
    incoming: &[EdgeId],
) -> Option<Vec<Vec<EdgeId>>> {
    let around = forest.loop_of[block];
    if units.extra_entries[around].contains(&block) {
        let (inside, outside): (Vec<EdgeId>, Vec<EdgeId>) = incoming
            .iter()
            .partition(|&&edge| forest.contains(around, forest.loop_of[sources[edge]]));
        return (!inside.is_empty() && !outside.is_empty()).then(|| vec![outside]);
    }
    let is_header = forest.is_header(block);
    let further = incoming.iter().skip(1).map(|&edge| vec![edge]);
    (incoming.len() > 1 && !is_header).then(|| further.collect())
}

/// Returns the source of each edge.
fn sources(cfg: &Cfg) -> Vec<BlockId> {
    let blocks = 0..cfg.num_blocks();
    blocks
        .flat_map(|block| cfg.edges(block).map(move |_| block))
        .collect()
}

/// Returns whether all uses of the values of a block are in it.
fn is_closed(body: &Body<'_>, block: BlockId) -> bool {
    let own = body.blocks[block];
    let results = own.ops().flat_map(Op::results);
    let mut uses = own.arguments().chain(results).flat_map(Value::uses);
    uses.all(|read| body.block_around(read.owner) == Some(block))
}

fn num_dispatches(tree: &Tree) -> usize {
    let is_dispatch = |op: &&crate::tree::Op| matches!(op.kind, OpKind::Dispatch { .. });
    tree.ops.iter().filter(is_dispatch).count()
}

fn num_dispatches_after(cfg: &Cfg, split: &Split) -> usize {
    let blocks = cfg.num_blocks() - 1;
    let mut targets: Vec<BlockId> = (0..cfg.num_edges()).map(|edge| cfg.target(edge)).collect();
    for (index, edges) in split.copies.iter().enumerate() {
        for &edge in edges {
            targets[edge] = blocks + index;
        }
    }
    let copies = std::iter::repeat_n(split.block, split.copies.len());
    let ending = |block: BlockId| match &targets[cfg.edges(block)] {
        [] => Ending::Unreachable,
        [only] if *only == cfg.exit() && cfg.target(cfg.edges(block).start) == cfg.exit() => {
            Ending::Return
        }
        successors => Ending::Successors(successors.to_vec()),
    };
    let endings: Vec<Ending> = (0..blocks).chain(copies).map(ending).collect();
    let cfg = Cfg::new(&endings);
    let forest = LoopForest::new(&cfg);
    let units = Units::new(&cfg, &forest);
    let never_return = cfg.never_return();
    num_dispatches(&Tree::new(&cfg, &forest, &units, &never_return))
}

fn apply(body: &Body<'_>, split: &Split) {
    let original = body.blocks[split.block];
    let sources = sources(&body.cfg);
    for edges in &split.copies {
        let arguments: Vec<_> = original
            .arguments()
            .map(|value| (value.ty(), value.location()))
            .collect();
        let copy = Block::new(&arguments);
        copy.move_after(original);
        let mut mapping = Mapping::new();
        for (from, to) in original.arguments().zip(copy.arguments()) {
            mapping.map(from, to);
        }
        let location = body.owner.location();
        for op in original.ops() {
            Builder::at_end(copy, location).clone_op(op, &mut mapping);
        }
        for &edge in edges {
            let source = sources[edge];
            let index = edge - body.cfg.edges(source).start;
            body.terminator(source).set_successor(index, copy);
        }
    }
}
