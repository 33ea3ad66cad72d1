//! The control-flow graph as numbers.
//!
//! Structuring needs only the shape of the graph, not the operations. Blocks are `0..n`, where `0`
//! is the entry. One more block, *the exit*, is the successor of every return:
//!
//! ```text
//!     0 -> 1, 2        a block with successors
//!     1: return        1 -> exit
//!     2: unreachable   no edge: the block aborts
//! ```
//!
//! Edges are numbered by source block and position, so data of edges is a plain vector. Cost:
//! linear.

use std::ops::Range;

use crate::grouped::Grouped;
use crate::number::Number;

/// A basic block, or the exit; see [`Cfg::exit`].
pub(crate) type BlockId = usize;
/// An edge, numbered by source block and position in its terminator.
pub(crate) type EdgeId = usize;

/// The end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A branch to these blocks, which may repeat.
    Successors(Vec<BlockId>),
    /// A return from the function.
    Return,
    /// No successor: the block aborts.
    Unreachable,
}

/// The control-flow graph of a region.
#[derive(Clone, Debug)]
pub(crate) struct Cfg {
    first_edge: Vec<Number>,
    targets: Vec<Number>,
}

impl Cfg {
    /// Builds the graph of blocks `0..endings.len()`.
    pub(crate) fn new(endings: &[Ending]) -> Self {
        let exit = endings.len();
        Self::build(exit, |block, targets| match &endings[block] {
            Ending::Successors(successors) => {
                targets.extend(successors.iter().map(|&block| Number::of(block)))
            }
            Ending::Return => targets.push(Number::of(exit)),
            Ending::Unreachable => {}
        })
    }

    /// Builds the graph of blocks `0..blocks`, where `add` appends the targets of a block. The exit
    /// is block `blocks`.
    pub(crate) fn build(blocks: usize, mut add: impl FnMut(BlockId, &mut Vec<Number>)) -> Self {
        let mut first_edge = Vec::with_capacity(blocks + 2);
        let mut targets = Vec::with_capacity(2 * blocks);
        for block in 0..blocks {
            first_edge.push(Number::of(targets.len()));
            add(block, &mut targets);
        }
        first_edge.push(Number::of(targets.len()));
        first_edge.push(Number::of(targets.len()));
        Self {
            first_edge,
            targets,
        }
    }

    /// Returns the exit.
    pub(crate) fn exit(&self) -> BlockId {
        self.num_blocks() - 1
    }

    /// Returns the number of blocks, including the exit.
    pub(crate) fn num_blocks(&self) -> usize {
        self.first_edge.len() - 1
    }

    /// Returns the number of edges.
    pub(crate) fn num_edges(&self) -> usize {
        self.targets.len()
    }

    /// Returns the edges that leave `block`, in the order of its terminator.
    pub(crate) fn edges(&self, block: BlockId) -> Range<EdgeId> {
        self.first_edge[block].get()..self.first_edge[block + 1].get()
    }

    /// Returns the target of `edge`.
    pub(crate) fn target(&self, edge: EdgeId) -> BlockId {
        self.targets[edge].get()
    }

    /// Returns for each block whether no path from it reaches the exit.
    pub(crate) fn never_return(&self) -> Vec<bool> {
        self.cannot_reach(vec![self.exit()])
    }

    /// Returns whether from each block some path returns or aborts. `never_return` is the result of
    /// [`Cfg::never_return`].
    pub(crate) fn can_always_end(&self, never_return: &[bool]) -> bool {
        if !never_return.contains(&true) {
            return true;
        }
        let ends = (0..self.num_blocks()).filter(|&block| self.edges(block).is_empty());
        !self.cannot_reach(ends.collect()).contains(&true)
    }

    /// Returns for each block whether no path from it reaches a block of `work`.
    fn cannot_reach(&self, mut work: Vec<BlockId>) -> Vec<bool> {
        let mut edges: Vec<(Number, Number)> = Vec::with_capacity(self.num_edges());
        for block in 0..self.num_blocks() {
            let source = Number::of(block);
            edges.extend(self.edges(block).map(|edge| (self.targets[edge], source)));
        }
        let predecessors = Grouped::new(self.num_blocks(), &edges);
        let mut never = vec![true; self.num_blocks()];
        for &block in &work {
            never[block] = false;
        }
        while let Some(block) = work.pop() {
            for &predecessor in predecessors.of(block) {
                if std::mem::replace(&mut never[predecessor.get()], false) {
                    work.push(predecessor.get());
                }
            }
        }
        never
    }
}
