//! The blocks of one region: dominators and loops.
//!
//! ```text
//!   ^entry ─► ^outer ─► ^inner ─┐        loops: {outer, inner}, and in it {inner}
//!               │  ▲     ▲  │   │        entries: outer; inner
//!               ▼  └─────┼──┘   │
//!             ^exit      └──────┘
//! ```
//!
//! Loops are found in any graph: a loop is a strongly connected component; its entries are the
//! blocks that control reaches from outside; without the branches back to its entries, its strongly
//! connected components are its inner loops (Steensgaard, "Sequentializing Program Dependence
//! Graphs for Irreducible Programs", 1993). Cost: linear in blocks and branches, for each level of
//! nesting.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use petgraph::algo::{dominators, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use tfx_ir::{Block, Op, Region};

use crate::cfg::{Dominance, is_cycle, predecessors};

/// An edge: a branch, and the index of its successor.
pub(crate) type Edge<'a> = (Op<'a>, usize);

/// A loop of a [`Flow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LoopId(usize);

struct Loop {
    parent: Option<LoopId>,
    blocks: Vec<usize>,
    entries: Vec<usize>,
}

/// The reachable blocks of a region, each named by its position in reverse postorder.
pub(crate) struct Flow<'a> {
    dominance: Dominance<'a>,
    loops: Vec<Loop>,
    innermost: Vec<Option<LoopId>>,
    joins: OnceCell<Vec<Option<usize>>>,
}

impl<'a> Flow<'a> {
    pub(crate) fn new(region: Region<'a>) -> Self {
        let dominance = Dominance::new(region);
        let (loops, innermost) = loops(dominance.successors());
        Self {
            dominance,
            loops,
            innermost,
            joins: OnceCell::new(),
        }
    }

    /// Returns whether a block is reachable.
    pub(crate) fn reaches(&self, block: Block<'a>) -> bool {
        self.dominance.find(block).is_some()
    }

    /// Returns the immediate dominator; `None` for the entry.
    pub(crate) fn dominator(&self, block: Block<'a>) -> Option<Block<'a>> {
        let position = self.dominance.position(block);
        (position != 0).then(|| {
            self.dominance
                .block(self.dominance.immediate_dominator(position))
        })
    }

    /// Returns the innermost loop of a block.
    pub(crate) fn innermost(&self, block: Block<'a>) -> Option<LoopId> {
        self.innermost[self.dominance.position(block)]
    }

    /// Returns the outermost loop that contains one block and not another.
    pub(crate) fn outermost_without(&self, block: Block<'a>, without: Block<'a>) -> Option<LoopId> {
        let around = std::iter::successors(self.innermost(block), |id| self.loops[id.0].parent);
        around.take_while(|id| !self.contains(*id, without)).last()
    }

    pub(crate) fn contains(&self, id: LoopId, block: Block<'a>) -> bool {
        let around = std::iter::successors(self.innermost(block), |id| self.loops[id.0].parent);
        around.into_iter().any(|around| around == id)
    }

    /// Returns whether the block is an entry of its innermost loop.
    pub(crate) fn is_entry(&self, id: LoopId, block: Block<'a>) -> bool {
        self.loops[id.0]
            .entries
            .contains(&self.dominance.position(block))
    }

    pub(crate) fn entries(&self, id: LoopId) -> impl Iterator<Item = Block<'a>> {
        self.loops[id.0]
            .entries
            .iter()
            .map(|position| self.dominance.block(*position))
    }

    /// Returns the blocks of a loop and of its inner loops, in reverse postorder.
    pub(crate) fn blocks_of(&self, id: LoopId) -> Vec<Block<'a>> {
        let mut positions = self.loops[id.0].blocks.clone();
        positions.sort_unstable();
        positions
            .into_iter()
            .map(|position| self.dominance.block(position))
            .collect()
    }

    /// Returns the nearest block outside of a loop that is on every path into it; `None` if control
    /// can reach it on several paths from the loop around it, as in an irreducible graph.
    pub(crate) fn before(&self, id: LoopId) -> Option<Block<'a>> {
        let entries = &self.loops[id.0].entries;
        let mut common = entries[0];
        for entry in entries {
            common = self.common_dominator(common, *entry);
        }
        while self.contains(id, self.dominance.block(common)) {
            if common == 0 {
                return None;
            }
            common = self.dominance.immediate_dominator(common);
        }
        let before = self.dominance.block(common);
        let parent = self.loops[id.0].parent;
        parent
            .is_none_or(|parent| self.contains(parent, before))
            .then_some(before)
    }

    /// Returns the branches out of a loop.
    pub(crate) fn exits(&self, id: LoopId) -> Vec<Edge<'a>> {
        let mut exits = Vec::new();
        for position in &self.loops[id.0].blocks {
            let block = self.dominance.block(*position);
            for (successor, target) in block.successors().enumerate() {
                if !self.contains(id, target) {
                    let branch = block.last().expect("what has successors is a branch");
                    exits.push((branch, successor));
                }
            }
        }
        exits
    }

    /// Returns the block at which the paths from a block join, if none of them reaches `goal`
    /// before.
    pub(crate) fn rejoins(&self, block: Block<'a>, goal: Block<'a>) -> Option<Block<'a>> {
        let successors = |position: usize| {
            let targets = self.dominance.block(position).successors();
            targets
                .map(|target| Some(self.dominance.position(target)))
                .collect()
        };
        let joins = self
            .joins
            .get_or_init(|| joins(self.dominance.len(), successors));
        let join = self.dominance.block(joins[self.dominance.position(block)]?);
        let mut seen = HashSet::from([block, join]);
        let mut pending = vec![block];
        while let Some(block) = pending.pop() {
            if block == goal {
                return None;
            }
            pending.extend(block.successors().filter(|target| seen.insert(*target)));
        }
        (join != goal).then_some(join)
    }

    /// A dominator comes before the blocks that it dominates in reverse postorder.
    fn common_dominator(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if a > b {
                a = self.dominance.immediate_dominator(a);
            } else {
                b = self.dominance.immediate_dominator(b);
            }
        }
        a
    }

    /// Returns whether `dominator` strictly dominates `block`.
    pub(crate) fn strictly_dominates(&self, dominator: Block<'a>, block: Block<'a>) -> bool {
        let position = |block| self.dominance.position(block);
        self.dominance
            .strictly_dominates(position(dominator), position(block))
    }
}

/// Returns for each block the one at which all paths from it join; `None` if control may leave
/// before. A successor that is `None` is outside.
///
/// Postdominators are dominators of the reversed graph, from a node that represents everything
/// outside.
pub(crate) fn joins(
    blocks: usize,
    successors: impl Fn(usize) -> Vec<Option<usize>>,
) -> Vec<Option<usize>> {
    let outside = NodeIndex::new(blocks);
    let mut graph = DiGraph::<(), (), usize>::default();
    for _ in 0..=blocks {
        graph.add_node(());
    }
    for block in 0..blocks {
        let targets = successors(block);
        let leaves = targets.is_empty().then_some(None);
        for target in targets.into_iter().chain(leaves) {
            let target = target.map_or(outside, NodeIndex::new);
            graph.add_edge(target, NodeIndex::new(block), ());
        }
    }
    let dominators = dominators::simple_fast(&graph, outside);
    (0..blocks)
        .map(|block| dominators.immediate_dominator(NodeIndex::new(block)))
        .map(|join| join.filter(|join| *join != outside).map(NodeIndex::index))
        .collect()
}

/// Returns all loops, outer before inner, and by block the innermost.
fn loops(successors: &[Vec<usize>]) -> (Vec<Loop>, Vec<Option<LoopId>>) {
    let mut loops: Vec<Loop> = Vec::new();
    let mut innermost = vec![None; successors.len()];
    let predecessors = predecessors(successors);
    // A set of blocks, the loop that contains exactly these, and the entries to which branches in
    // the set do not count.
    let mut pending: Vec<(Vec<usize>, Option<LoopId>)> =
        vec![((0..successors.len()).collect(), None)];
    while let Some((blocks, parent)) = pending.pop() {
        let cut: &[usize] = parent.map_or(&[], |LoopId(parent)| &loops[parent].entries);
        for component in cycles(successors, &blocks, cut) {
            let inside: HashSet<_> = component.iter().copied().collect();
            let entries = component
                .iter()
                .copied()
                .filter(|block| {
                    *block == 0
                        || predecessors[*block]
                            .iter()
                            .any(|source| !inside.contains(source))
                })
                .collect();
            let id = LoopId(loops.len());
            for block in &component {
                innermost[*block] = Some(id);
            }
            loops.push(Loop {
                parent,
                blocks: component.clone(),
                entries,
            });
            pending.push((component, Some(id)));
        }
    }
    (loops, innermost)
}

/// Returns the strongly connected components of some blocks that have a cycle, without the branches
/// to `cut`.
fn cycles(successors: &[Vec<usize>], blocks: &[usize], cut: &[usize]) -> Vec<Vec<usize>> {
    let index: HashMap<usize, usize> = blocks
        .iter()
        .enumerate()
        .map(|(position, block)| (*block, position))
        .collect();
    let mut graph = DiGraph::<usize, (), usize>::default();
    for block in blocks {
        graph.add_node(*block);
    }
    for (position, block) in blocks.iter().enumerate() {
        for target in successors[*block]
            .iter()
            .filter(|target| !cut.contains(target))
        {
            if let Some(target) = index.get(target) {
                graph.add_edge(NodeIndex::new(position), NodeIndex::new(*target), ());
            }
        }
    }
    kosaraju_scc(&graph)
        .into_iter()
        .filter(|part| is_cycle(&graph, part))
        .map(|part| {
            let mut blocks: Vec<_> = part.into_iter().map(|node| graph[node]).collect();
            blocks.sort_unstable();
            blocks
        })
        .collect()
}
