//! A control-flow graph with nothing in it but its shape.
//!
//! Structuring is a question about the shape of a graph; the operations come along at the end. So the algorithm works on
//! numbers: blocks `0..n` with `0` the entry, and one more block, *the exit*, to which every return is an edge:
//!
//! ```text
//!     0 -> 1, 2        a block with successors
//!     1: return        1 -> exit
//!     2: never         no edge at all: the block aborts
//! ```
//!
//! Edges have numbers too, in the order of their source block and then of the successor list, so that whatever belongs to
//! an edge is a plain vector. Building is linear.

use std::ops::Range;

use crate::grouped::Grouped;
use crate::number::Number;

/// A basic block; the exit is [`Cfg::exit`].
pub(crate) type BlockId = usize;
/// An edge, numbered by source block and position.
pub(crate) type EdgeId = usize;

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It goes on to one of these blocks. One block may stand several times.
    Successors(Vec<BlockId>),
    /// It returns from the function.
    Return,
    /// It never gets to its end: something in it aborts.
    Never,
}

/// The shape of a function body.
#[derive(Clone, Debug)]
pub(crate) struct Cfg {
    first_edge: Vec<Number>,
    targets: Vec<Number>,
}

impl Cfg {
    /// Builds the graph of blocks `0..endings.len()`, where `0` is the entry.
    pub(crate) fn new(endings: &[Ending]) -> Self {
        let exit = endings.len();
        Self::build(exit, |block, targets| match &endings[block] {
            Ending::Successors(successors) => {
                targets.extend(successors.iter().map(|&block| Number::of(block)))
            }
            Ending::Return => targets.push(Number::of(exit)),
            Ending::Never => {}
        })
    }

    /// Builds the graph of so many blocks, where `add` adds the targets of each. The exit is that number.
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

    /// The block that stands for "after the function".
    pub(crate) fn exit(&self) -> BlockId {
        self.num_blocks() - 1
    }

    /// The number of blocks, the exit included.
    pub(crate) fn num_blocks(&self) -> usize {
        self.first_edge.len() - 1
    }

    /// The number of edges.
    pub(crate) fn num_edges(&self) -> usize {
        self.targets.len()
    }

    /// The edges that leave `block`, in the order of its terminator.
    pub(crate) fn edges(&self, block: BlockId) -> Range<EdgeId> {
        self.first_edge[block].get()..self.first_edge[block + 1].get()
    }

    /// Where `edge` goes.
    pub(crate) fn target(&self, edge: EdgeId) -> BlockId {
        self.targets[edge].get()
    }

    /// The blocks from which no path reaches the exit: they abort, or go round for ever.
    pub(crate) fn never_return(&self) -> Vec<bool> {
        self.never_reach(vec![self.exit()])
    }

    /// Whether from each block some path returns or aborts, where `never_return` is
    /// [`Cfg::never_return`].
    pub(crate) fn always_may_end(&self, never_return: &[bool]) -> bool {
        if !never_return.contains(&true) {
            return true;
        }
        let ends = (0..self.num_blocks()).filter(|&block| self.edges(block).is_empty());
        !self.never_reach(ends.collect()).contains(&true)
    }

    /// The blocks from which no path reaches one of these.
    fn never_reach(&self, mut work: Vec<BlockId>) -> Vec<bool> {
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
