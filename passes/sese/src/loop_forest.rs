//! The loop forest of a control-flow graph, reducible or not.
//!
//! A depth-first search visits one block of each cycle first: the *header* of a loop. The edges to
//! it from its subtree of the search tree are the *back edges*; the loop contains the blocks of the
//! subtree that reach one of them. Without back edges the graph is acyclic, and loops nest:
//!
//! ```text
//!   0 -> 1 -> 2 -> 3        back edges 2->1 and 3->0:     loop of 0 { 0, loop of 1 { 1, 2 }, 3 }
//!        ^____|    |
//!   ^______________|
//! ```
//!
//! A block that aborts is on no cycle, although it may be inside a loop of the source. *Dead ends*
//! are the blocks from which every path ends in an abort. Each belongs to the innermost loop that
//! contains all its predecessors, so a branch to it is not an exit of that loop.
//!
//! Algorithm: Havlak, "Nesting of reducible and irreducible loops" (TOPLAS 1997), in the
//! near-linear form of Ramalingam, "Identifying loops in almost linear time" (TOPLAS 1999): an edge
//! that is not a back edge is processed at the lowest common ancestor of its ends, so no loop
//! visits an edge that leaves its header's subtree. Union-find with path halving: O(E log V) at
//! worst. `units.rs` determines the entries of irreducible loops other than the header.

use crate::cfg::{BlockId, Cfg};
use crate::grouped::Grouped;
use crate::number::Number;

/// A loop, or [`ROOT`].
pub(crate) type LoopId = usize;
/// The whole function as the outermost loop.
pub(crate) const ROOT: LoopId = 0;

/// A loop, or the whole function.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// The block that a search visits first; the entry block for the root.
    pub(crate) header: BlockId,
    /// The parent loop; the root is its own parent.
    pub(crate) parent: LoopId,
    /// The number of enclosing loops.
    pub(crate) depth: usize,
    /// Its number in a preorder walk of the forest, and the first number after its descendants.
    interval: (usize, usize),
}

/// The loops of a control-flow graph.
#[derive(Clone, Debug)]
pub(crate) struct LoopForest {
    /// The loops, parents before children; `loops[0]` is the root.
    pub(crate) loops: Vec<Loop>,
    /// The reachable blocks in reverse post-order: all edges but back edges go forward in it.
    pub(crate) order: Vec<BlockId>,
    /// Per block: its index in `order`; `None` if it is unreachable.
    pub(crate) position: Vec<Option<Number>>,
    /// Per block: its innermost loop.
    pub(crate) loop_of: Vec<LoopId>,
    /// Per edge: it is a back edge.
    pub(crate) is_back: Vec<bool>,
    /// Per block: it is a dead end.
    pub(crate) dead_end: Vec<bool>,
}

impl LoopForest {
    /// Computes the loops of `cfg`.
    pub(crate) fn new(cfg: &Cfg) -> Self {
        let search = Search::run(cfg);
        let mut forest = nest(cfg, search);
        forest.number();
        forest.assign_dead_ends(cfg);
        forest
    }

    /// Returns the reachable blocks without the exit, in reverse post-order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = BlockId> {
        let exit = self.loop_of.len() - 1;
        let blocks = self.order.iter().copied();
        blocks.filter(move |&block| block != exit)
    }

    /// Returns whether `inner` is `outer` or inside it.
    pub(crate) fn contains(&self, outer: LoopId, inner: LoopId) -> bool {
        let (first, end) = self.loops[outer].interval;
        (first..end).contains(&self.loops[inner].interval.0)
    }

    /// Returns whether `block` is the header of its innermost loop.
    pub(crate) fn is_header(&self, block: BlockId) -> bool {
        let innermost = self.loop_of[block];
        innermost != ROOT && self.loops[innermost].header == block
    }

    /// Returns for each loop a block with an exit edge, if there is one: preferably the header,
    /// then a latch, then the first block.
    ///
    /// Cost: linear in the edges and the loops that each leaves.
    pub(crate) fn leaving_blocks(&self, cfg: &Cfg) -> Vec<Option<BlockId>> {
        let mut found: Vec<Option<(u8, BlockId)>> = vec![None; self.loops.len()];
        for block in self.blocks() {
            for edge in cfg.edges(block) {
                let to = self.loop_of[cfg.target(edge)];
                let mut left = self.loop_of[block];
                while !self.contains(left, to) {
                    let header = self.loops[left].header;
                    let goes_back = |edge| self.is_back[edge] && cfg.target(edge) == header;
                    let rank = match block == header {
                        true => 0,
                        false if cfg.edges(block).any(goes_back) => 1,
                        false => 2,
                    };
                    if found[left].is_none_or(|(known, _)| rank < known) {
                        found[left] = Some((rank, block));
                    }
                    left = self.loops[left].parent;
                }
            }
        }
        let blocks = found.into_iter().map(|one| one.map(|(_, block)| block));
        blocks.collect()
    }

    /// Returns a loop and its enclosing loops, up to the root.
    pub(crate) fn around(&self, id: LoopId) -> impl Iterator<Item = LoopId> {
        let outer = |&id: &LoopId| (id != ROOT).then(|| self.loops[id].parent);
        std::iter::successors(Some(id), outer)
    }

    /// Returns the innermost loop that contains both.
    pub(crate) fn common(&self, mut first: LoopId, second: LoopId) -> LoopId {
        while !self.contains(first, second) {
            first = self.loops[first].parent;
        }
        first
    }

    /// Computes the depth and the interval of each loop.
    fn number(&mut self) {
        let mut sizes = vec![1; self.loops.len()];
        for id in (1..self.loops.len()).rev() {
            sizes[self.loops[id].parent] += sizes[id];
        }
        let mut next_free = vec![0; self.loops.len()];
        for id in 0..self.loops.len() {
            let parent = self.loops[id].parent;
            let first = if id == ROOT { 0 } else { next_free[parent] };
            if id != ROOT {
                next_free[parent] += sizes[id];
                self.loops[id].depth = self.loops[parent].depth + 1;
            }
            next_free[id] = first + 1;
            self.loops[id].interval = (first, first + sizes[id]);
        }
    }

    /// Assigns each dead end to the innermost loop that contains all its predecessors.
    fn assign_dead_ends(&mut self, cfg: &Cfg) {
        for &block in self.order.iter().rev() {
            self.dead_end[block] = block != cfg.exit()
                && cfg
                    .edges(block)
                    .all(|edge| !self.is_back[edge] && self.dead_end[cfg.target(edge)]);
        }
        let mut assigned: Vec<Option<LoopId>> = vec![None; cfg.num_blocks()];
        for place in 0..self.order.len() {
            let block = self.order[place];
            if let Some(found) = assigned[block] {
                self.loop_of[block] = found;
            }
            for edge in cfg.edges(block) {
                let target = cfg.target(edge);
                if self.dead_end[target] {
                    let around = self.loop_of[block];
                    assigned[target] =
                        Some(assigned[target].map_or(around, |known| self.common(known, around)));
                }
            }
        }
    }
}

/// The result of the depth-first search.
struct Search {
    /// The blocks in preorder.
    preorder: Vec<BlockId>,
    /// The blocks in reverse post-order.
    reverse_postorder: Vec<BlockId>,
    is_back: Vec<bool>,
    /// Per block: the sources of the back edges to it.
    back_sources: Grouped<Number>,
    /// Per block: the other edges of whose ends it is the lowest common ancestor.
    joined_edges: Grouped<(Number, Number)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Active,
    Finished,
}

impl Search {
    fn run(cfg: &Cfg) -> Self {
        let blocks = cfg.num_blocks();
        let mut preorder = Vec::with_capacity(blocks);
        let mut reverse_postorder = Vec::with_capacity(blocks);
        let mut is_back = vec![false; cfg.num_edges()];
        let mut back_sources = Vec::new();
        let mut joined_edges = Vec::with_capacity(cfg.num_edges());
        let mut state = vec![State::New; blocks];
        // A finished block points to its parent in the search tree, so its representative is its
        // lowest active ancestor.
        let mut ancestors = UnionFind::new(blocks);
        // Visiting the last successor first puts the first successor first in reverse post-order.
        let mut path = vec![(0, cfg.edges(0))];
        state[0] = State::Active;
        preorder.push(0);
        while let Some((block, edges)) = path.last_mut() {
            let block = *block;
            let Some(edge) = edges.next_back() else {
                path.pop();
                state[block] = State::Finished;
                reverse_postorder.push(block);
                if let Some((parent, _)) = path.last() {
                    ancestors.join(block, *parent);
                }
                continue;
            };
            let target = cfg.target(edge);
            match state[target] {
                State::New => {
                    state[target] = State::Active;
                    preorder.push(target);
                    let source = Number::of(block);
                    joined_edges.push((source, (source, Number::of(target))));
                    path.push((target, cfg.edges(target)));
                }
                State::Active => {
                    is_back[edge] = true;
                    back_sources.push((Number::of(target), Number::of(block)));
                }
                State::Finished => {
                    let common = ancestors.find(target);
                    let ends = (Number::of(block), Number::of(target));
                    joined_edges.push((Number::of(common), ends));
                }
            }
        }
        reverse_postorder.reverse();
        Self {
            preorder,
            reverse_postorder,
            is_back,
            back_sources: Grouped::new(blocks, &back_sources),
            joined_edges: Grouped::new(blocks, &joined_edges),
        }
    }
}

/// Builds the loops from the inside out: headers in reverse preorder, each finished loop as one
/// node.
fn nest(cfg: &Cfg, search: Search) -> LoopForest {
    let blocks = cfg.num_blocks();
    let mut loops = vec![Loop {
        header: 0,
        parent: ROOT,
        depth: 0,
        interval: (0, 0),
    }];
    let mut own_loop = vec![None; blocks];
    for &block in &search.preorder {
        if !search.back_sources.of(block).is_empty() {
            own_loop[block] = Some(Number::of(loops.len()));
            loops.push(Loop {
                header: block,
                parent: ROOT,
                depth: 0,
                interval: (0, 0),
            });
        }
    }

    let mut loop_of: Vec<LoopId> = own_loop
        .iter()
        .map(|own| own.map_or(ROOT, Number::get))
        .collect();
    let mut outermost = UnionFind::new(blocks);
    // Per node: predecessors that are not visited yet. Each is in one list, so all share a vector.
    let mut predecessors = Chains::new(blocks, cfg.num_edges());
    let mut work = Vec::new();
    let mut seen_by = vec![None; blocks];
    for &header in search.preorder.iter().rev() {
        for &(source, target) in search.joined_edges.of(header) {
            predecessors.push(outermost.find(target.get()), source);
        }
        let Some(id) = own_loop[header].map(Number::get) else {
            continue;
        };
        let this = Some(Number::of(header));
        seen_by[header] = this;
        work.extend_from_slice(search.back_sources.of(header));
        while let Some(block) = work.pop() {
            let node = outermost.find(block.get());
            if std::mem::replace(&mut seen_by[node], this) == this {
                continue;
            }
            match own_loop[node] {
                Some(inner) => loops[inner.get()].parent = id,
                None => loop_of[node] = id,
            }
            predecessors.take(node, &mut work);
            outermost.join(node, header);
        }
    }

    let mut position = vec![None; blocks];
    for (place, &block) in search.reverse_postorder.iter().enumerate() {
        position[block] = Some(Number::of(place));
    }
    LoopForest {
        loops,
        order: search.reverse_postorder,
        position,
        loop_of,
        is_back: search.is_back,
        dead_end: vec![false; blocks],
    }
}

/// Linked lists of blocks in one vector: each member has the index of the previous one.
struct Chains {
    last: Vec<Option<Number>>,
    members: Vec<(Number, Option<Number>)>,
}

impl Chains {
    fn new(lists: usize, members: usize) -> Self {
        Self {
            last: vec![None; lists],
            members: Vec::with_capacity(members),
        }
    }

    fn push(&mut self, list: BlockId, member: Number) {
        let number = Number::of(self.members.len());
        self.members.push((member, self.last[list].replace(number)));
    }

    /// Moves the members of a list to the end of `to`, the last first.
    fn take(&mut self, list: BlockId, to: &mut Vec<Number>) {
        let mut next = self.last[list].take();
        while let Some(number) = next {
            let (member, before) = self.members[number.get()];
            to.push(member);
            next = before;
        }
    }
}

/// Disjoint sets whose representatives the caller chooses.
struct UnionFind {
    representative: Vec<Number>,
}

impl UnionFind {
    fn new(size: usize) -> Self {
        Self {
            representative: (0..size).map(Number::of).collect(),
        }
    }

    fn find(&mut self, mut member: BlockId) -> BlockId {
        loop {
            let representative = self.representative[member].get();
            if representative == member {
                return member;
            }
            self.representative[member] = self.representative[representative];
            member = self.representative[member].get();
        }
    }

    fn join(&mut self, member: BlockId, representative: BlockId) {
        self.representative[member] = Number::of(representative);
    }
}
