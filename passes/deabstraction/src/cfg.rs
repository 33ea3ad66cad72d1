//! The control-flow graph of one region: order, dominators, dominance frontiers.
//!
//! ```text
//!        0            reverse postorder 0 1 2 3; idom(3) = 0
//!       / \           frontier(1) = frontier(2) = {3}
//!      1   2
//!       \ /
//!        3
//! ```
//!
//! petgraph computes the dominators (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm",
//! 2001); the frontiers are computed as in the same paper. Cost: linear in blocks and edges for the
//! loop depths of real programs; the size of the frontiers, and with it the cost, grows with the
//! nesting depth of loops.

use rustc_hash::{FxHashMap as HashMap, FxHashSet};

use petgraph::algo::dominators;
use petgraph::graph::{DiGraph, NodeIndex};
use tfx_ir::{Block, Region};

/// The reachable blocks of a region in reverse postorder, with their dominance; a block is named by
/// its position there.
pub(crate) struct Dominance<'a> {
    blocks: Vec<Block<'a>>,
    index: HashMap<Block<'a>, usize>,
    /// By block: the successors.
    successors: Vec<Vec<usize>>,
    /// By block: the immediate dominator; the entry's is itself.
    idom: Vec<usize>,
    children: Vec<Vec<usize>>,
    /// The times at which a walk of the dominator tree enters and leaves the block.
    interval: Vec<(usize, usize)>,
}

impl<'a> Dominance<'a> {
    pub(crate) fn new(region: Region<'a>) -> Self {
        let blocks = reverse_postorder(region);
        let index: HashMap<_, _> = blocks.iter().copied().zip(0..).collect();
        let positions = |block: &Block<'a>| block.successors().map(|target| index[&target]);
        let successors = blocks.iter().map(|block| positions(block).collect());
        let successors: Vec<Vec<usize>> = successors.collect();
        let idom = immediate_dominators(&successors);
        let mut children = vec![Vec::new(); blocks.len()];
        for (block, dominator) in idom.iter().enumerate().skip(1) {
            children[*dominator].push(block);
        }
        let interval = intervals(&children);
        Self {
            blocks,
            index,
            successors,
            idom,
            children,
            interval,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    pub(crate) fn block(&self, position: usize) -> Block<'a> {
        self.blocks[position]
    }

    pub(crate) fn position(&self, block: Block<'a>) -> usize {
        self.index[&block]
    }

    /// Returns the position of a block, if it is a reachable block of the region.
    pub(crate) fn find(&self, block: Block<'a>) -> Option<usize> {
        self.index.get(&block).copied()
    }

    pub(crate) fn successors(&self) -> &[Vec<usize>] {
        &self.successors
    }

    pub(crate) fn immediate_dominator(&self, position: usize) -> usize {
        self.idom[position]
    }

    /// Returns the blocks that a block immediately dominates, in reverse postorder.
    pub(crate) fn children(&self, position: usize) -> &[usize] {
        &self.children[position]
    }

    pub(crate) fn strictly_dominates(&self, dominator: usize, block: usize) -> bool {
        let (enter, leave) = self.interval[dominator];
        dominator != block && (enter..leave).contains(&self.interval[block].0)
    }
}

/// [`Dominance`] with the frontiers.
pub(crate) struct Cfg<'a> {
    dominance: Dominance<'a>,
    frontiers: Vec<Vec<usize>>,
}

impl<'a> Cfg<'a> {
    /// Builds the graph of a region that has an entry block.
    pub(crate) fn new(region: Region<'a>) -> Self {
        let dominance = Dominance::new(region);
        let frontiers = frontiers(&dominance.successors, &dominance.idom);
        Self {
            dominance,
            frontiers,
        }
    }

    /// Returns the dominance frontier of a block.
    pub(crate) fn frontier(&self, position: usize) -> &[usize] {
        &self.frontiers[position]
    }
}

impl<'a> std::ops::Deref for Cfg<'a> {
    type Target = Dominance<'a>;

    fn deref(&self) -> &Dominance<'a> {
        &self.dominance
    }
}

/// A graph of positions, in the form of petgraph's algorithms.
pub(crate) fn graph(successors: &[Vec<usize>]) -> DiGraph<(), (), usize> {
    let mut graph = DiGraph::default();
    for _ in successors {
        graph.add_node(());
    }
    for (node, targets) in successors.iter().enumerate() {
        for target in targets {
            graph.add_edge(NodeIndex::new(node), NodeIndex::new(*target), ());
        }
    }
    graph
}

/// Returns whether a member of a strongly connected component is on a cycle.
pub(crate) fn is_cycle<N>(graph: &DiGraph<N, (), usize>, part: &[NodeIndex<usize>]) -> bool {
    part.len() > 1 || graph.contains_edge(part[0], part[0])
}

/// Returns the reachable blocks, each after all its predecessors except those of back edges.
pub(crate) fn reverse_postorder(region: Region<'_>) -> Vec<Block<'_>> {
    let Some(entry) = region.entry() else {
        return Vec::new();
    };
    let mut seen = FxHashSet::from_iter([entry]);
    let mut postorder = Vec::new();
    let mut stack = vec![(entry, 0)];
    while let Some((block, next)) = stack.last_mut() {
        let terminator = block.last();
        if *next < terminator.map_or(0, |terminator| terminator.num_successors()) {
            let terminator = terminator.expect("a block with a successor has a terminator");
            let successor = terminator.successor(*next);
            *next += 1;
            if seen.insert(successor) {
                stack.push((successor, 0));
            }
        } else {
            postorder.push(*block);
            stack.pop();
        }
    }
    postorder.reverse();
    postorder
}

pub(crate) fn unreachable_blocks(region: Region<'_>) -> Vec<Block<'_>> {
    let reachable: FxHashSet<_> = reverse_postorder(region).into_iter().collect();
    let blocks = region.blocks();
    blocks.filter(|block| !reachable.contains(block)).collect()
}

/// Erases the unreachable blocks. They have no meaning, and dominance is undefined on them.
pub(crate) fn erase_unreachable_blocks(region: Region<'_>) {
    Block::erase_all(&unreachable_blocks(region));
}

/// Returns the predecessors of each node of a graph.
pub(crate) fn predecessors(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (block, targets) in successors.iter().enumerate() {
        for target in targets {
            predecessors[*target].push(block);
        }
    }
    predecessors
}

/// Returns the immediate dominator of each block; the entry's is itself.
fn immediate_dominators(successors: &[Vec<usize>]) -> Vec<usize> {
    let graph = graph(successors);
    let dominators = dominators::simple_fast(&graph, NodeIndex::new(0));
    let blocks = (0..successors.len()).map(NodeIndex::new);
    blocks
        .map(|block| {
            dominators
                .immediate_dominator(block)
                .map_or(0, NodeIndex::index)
        })
        .collect()
}

/// A join is in the frontier of each block on the path up the dominator tree from a predecessor to
/// the join's immediate dominator.
fn frontiers(successors: &[Vec<usize>], idom: &[usize]) -> Vec<Vec<usize>> {
    let predecessors = predecessors(successors);
    let mut frontiers = vec![Vec::new(); successors.len()];
    let joins = predecessors.iter().enumerate();
    for (join, sources) in joins.filter(|(_, sources)| sources.len() > 1) {
        for source in sources {
            let mut runner = *source;
            while runner != idom[join] && frontiers[runner].last() != Some(&join) {
                frontiers[runner].push(join);
                runner = idom[runner];
            }
        }
    }
    frontiers
}

/// Returns the time at which a preorder walk of a tree enters each node, and the first time after
/// all nodes below it.
fn intervals(children: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let mut interval = vec![(0, 0); children.len()];
    let mut time = 0;
    let mut stack = vec![(0, false)];
    while let Some((node, leaving)) = stack.pop() {
        if leaving {
            interval[node].1 = time;
            continue;
        }
        interval[node].0 = time;
        time += 1;
        stack.push((node, true));
        stack.extend(children[node].iter().map(|child| (*child, false)));
    }
    interval
}
