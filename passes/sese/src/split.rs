//! Copies of small blocks where they avoid a dispatch: `node-splitting=N`.
//!
//! ```text
//!   ^a: cond_br c ^b ^x                 ^a: cond_br c ^b ^x          before: a flag tells whether ^x is to run after both
//!   ^b: cond_br d ^y ^x        =>       ^b: cond_br d ^y ^x'         after:  ^x stands in an arm of each `if`
//!   ^x: op; br ^y                       ^x: op; br ^y
//!                                       ^x': op; br ^y
//! ```
//!
//! A block to which several edges lead gets a copy for each of them but one; the second entry of a cycle gets one copy for the edges
//! from outside. That is tried on the shape of the graph alone, and done where the tree of regions then has fewer dispatches, as long
//! as no more than N operations are copied in all. Only blocks are copied whose values nobody else reads: no other values have to be
//! joined then.
//!
//! Source: node splitting, Janssen and Corporaal, "Making graphs reducible with controlled node splitting" (TOPLAS 1997). Cost: each trial
//! structures the shape again, which is linear; a bounded number of trials per copy. Not guaranteed: that it finds the fewest copies.

use tfx_ir::{Block, Builder, Mapping, Op, Region, Value};

use crate::body::Body;
use crate::cfg::{BlockId, Cfg, EdgeId, Ending};
use crate::landing::{Landings, TargetKind};
use crate::loops::LoopForest;
use crate::tree::{OpKind, Tree};

/// Blocks that are tried before it counts as certain enough that no copy helps.
const MAX_TRIALS: usize = 64;

/// What becomes of one block.
struct Split {
    block: BlockId,
    /// The edges that lead to each copy.
    copies: Vec<Vec<EdgeId>>,
    /// Operations that are copied.
    cost: u64,
}

/// Copies blocks of `region`, at most `budget` operations.
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

/// The first block whose copies leave fewer dispatches.
fn find(body: &Body<'_>, budget: u64) -> Option<Split> {
    let forest = LoopForest::new(&body.cfg);
    let landings = Landings::new(&body.cfg, &forest);
    let never_return = body.cfg.never_return();
    let tree = Tree::new(&body.cfg, &forest, &landings, &never_return);
    let before = num_dispatches(&tree);
    let candidates = candidates(&body.cfg, &landings, &tree);
    let mut incoming: Vec<Vec<EdgeId>> = vec![Vec::new(); body.cfg.num_blocks()];
    for &block in &forest.order {
        for edge in body.cfg.edges(block) {
            incoming[body.cfg.target(edge)].push(edge);
        }
    }
    let sources = sources(&body.cfg);
    let splits = candidates.into_iter().filter_map(|block| {
        let copies = copies(&forest, &landings, &sources, block, &incoming[block])?;
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

/// Blocks that are reached by a dispatch, in the order of the tree.
fn candidates(cfg: &Cfg, landings: &Landings, tree: &Tree) -> Vec<BlockId> {
    let mut found: Vec<BlockId> = landings.extra_entries.iter().flatten().copied().collect();
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

/// Which edges would lead to which copy.
fn copies(
    forest: &LoopForest,
    landings: &Landings,
    sources: &[BlockId],
    block: BlockId,
    incoming: &[EdgeId],
) -> Option<Vec<Vec<EdgeId>>> {
    let around = forest.loop_of[block];
    if landings.extra_entries[around].contains(&block) {
        let (inside, outside): (Vec<EdgeId>, Vec<EdgeId>) = incoming
            .iter()
            .partition(|&&edge| forest.contains(around, forest.loop_of[sources[edge]]));
        return (!inside.is_empty() && !outside.is_empty()).then(|| vec![outside]);
    }
    let is_header = forest.is_header(block);
    let further = incoming.iter().skip(1).map(|&edge| vec![edge]);
    (incoming.len() > 1 && !is_header).then(|| further.collect())
}

/// The block that each edge leaves.
fn sources(cfg: &Cfg) -> Vec<BlockId> {
    let blocks = 0..cfg.num_blocks();
    blocks
        .flat_map(|block| cfg.edges(block).map(move |_| block))
        .collect()
}

/// Whether nobody reads the values of a block outside of it.
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
        [] => Ending::Never,
        [only] if *only == cfg.exit() && cfg.target(cfg.edges(block).start) == cfg.exit() => {
            Ending::Return
        }
        successors => Ending::Successors(successors.to_vec()),
    };
    let endings: Vec<Ending> = (0..blocks).chain(copies).map(ending).collect();
    let cfg = Cfg::new(&endings);
    let forest = LoopForest::new(&cfg);
    let landings = Landings::new(&cfg, &forest);
    let never_return = cfg.never_return();
    num_dispatches(&Tree::new(&cfg, &forest, &landings, &never_return))
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
        let location = body.function.location();
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
