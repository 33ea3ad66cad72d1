//! The loop forest of a control-flow graph, reducible or not.
//!
//! Every cycle has one block that a depth-first search meets first. That block is the *header* of a loop; the edges that go
//! up the search tree to it are the loop's *back edges*; the loop is what reaches a back edge inside the header's subtree.
//! Without back edges the graph is acyclic, and loops nest:
//!
//! ```text
//!   0 -> 1 -> 2 -> 3        back edges 2->1 and 3->0:     loop of 0 { 0, loop of 1 { 1, 2 }, 3 }
//!        ^____|    |
//!   ^______________|
//! ```
//!
//! A block that aborts is on no cycle, yet in the source it stands inside a loop. Blocks from which every path ends in
//! an abort (*dead ends*) therefore count to the innermost loop that holds all their predecessors: going there never comes
//! back, so it is no exit.
//!
//! Algorithm: Havlak, "Nesting of reducible and irreducible loops" (TOPLAS 1997), in the near-linear form of Ramalingam,
//! "Identifying loops in almost linear time" (TOPLAS 1999): an edge of the acyclic part is looked at only from the lowest
//! common ancestor of its ends in the search tree, so no loop looks at an edge that leaves its header's subtree. Union-find
//! with path halving: O(E log V) at worst. The entries other than the header (where a cycle is irreducible) are found by
//! whoever asks where an edge lands, see `landing.rs`.

use crate::cfg::{BlockId, Cfg};
use crate::grouped::Grouped;
use crate::number::Number;

/// A loop; [`ROOT`] is the whole function.
pub(crate) type LoopId = usize;
/// The function itself, taken as the outermost region.
pub(crate) const ROOT: LoopId = 0;

/// One loop, or the whole function.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    /// The block that a search meets first; the entry block for the root.
    pub(crate) header: BlockId,
    /// The loop around this one; the root's is the root.
    pub(crate) parent: LoopId,
    /// The number of loops around this one.
    pub(crate) depth: usize,
    /// This loop's number in a walk of the forest, and the first number after its last inner loop.
    interval: (usize, usize),
}

/// Which block is in which loop.
#[derive(Clone, Debug)]
pub(crate) struct LoopForest {
    /// The loops; parents come before their children, `loops[0]` is the root.
    pub(crate) loops: Vec<Loop>,
    /// The reachable blocks in reverse post-order: every edge that is no back edge goes forward in it.
    pub(crate) order: Vec<BlockId>,
    /// The place of each block in `order`; `None` where it cannot be reached.
    pub(crate) position: Vec<Option<Number>>,
    /// The innermost loop of each block.
    pub(crate) loop_of: Vec<LoopId>,
    /// Per edge: goes back to the header of a loop around its source.
    pub(crate) is_back: Vec<bool>,
    /// Per block: every path from it ends in an abort, without any loop.
    pub(crate) dead_end: Vec<bool>,
}

impl LoopForest {
    /// Finds the loops of `cfg`.
    pub(crate) fn new(cfg: &Cfg) -> Self {
        let search = Search::run(cfg);
        let mut forest = nest(cfg, search);
        forest.number();
        forest.adopt_dead_ends(cfg);
        forest
    }

    /// Whether `inner` is `outer` or inside it.
    pub(crate) fn contains(&self, outer: LoopId, inner: LoopId) -> bool {
        let (first, end) = self.loops[outer].interval;
        (first..end).contains(&self.loops[inner].interval.0)
    }

    /// Whether `block` is the header of its innermost loop.
    pub(crate) fn is_header(&self, block: BlockId) -> bool {
        let innermost = self.loop_of[block];
        innermost != ROOT && self.loops[innermost].header == block
    }

    /// Per loop: the block whose branch leaves it, where there is one. Of several it is the header, or else a latch, or else the first.
    ///
    /// Cost: linear in edges, and in the loops that each leaves.
    pub(crate) fn leaving_blocks(&self, cfg: &Cfg) -> Vec<Option<BlockId>> {
        let mut found: Vec<Option<(u8, BlockId)>> = vec![None; self.loops.len()];
        for &block in self.order.iter().filter(|&&block| block != cfg.exit()) {
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

    /// A loop and those around it, up to the root.
    pub(crate) fn around(&self, id: LoopId) -> impl Iterator<Item = LoopId> {
        let outer = |&id: &LoopId| (id != ROOT).then(|| self.loops[id].parent);
        std::iter::successors(Some(id), outer)
    }

    /// The innermost loop that holds both.
    pub(crate) fn common(&self, mut first: LoopId, second: LoopId) -> LoopId {
        while !self.contains(first, second) {
            first = self.loops[first].parent;
        }
        first
    }

    /// Gives every loop its depth and its interval in a walk of the forest.
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

    /// Counts each dead end to the innermost loop that holds all its predecessors.
    fn adopt_dead_ends(&mut self, cfg: &Cfg) {
        for &block in self.order.iter().rev() {
            self.dead_end[block] = block != cfg.exit()
                && cfg
                    .edges(block)
                    .all(|edge| !self.is_back[edge] && self.dead_end[cfg.target(edge)]);
        }
        let mut home: Vec<Option<LoopId>> = vec![None; cfg.num_blocks()];
        for place in 0..self.order.len() {
            let block = self.order[place];
            if let Some(found) = home[block] {
                self.loop_of[block] = found;
            }
            for edge in cfg.edges(block) {
                let target = cfg.target(edge);
                if self.dead_end[target] {
                    let around = self.loop_of[block];
                    home[target] =
                        Some(home[target].map_or(around, |known| self.common(known, around)));
                }
            }
        }
    }
}

/// What one depth-first search learns.
struct Search {
    /// Blocks in the order in which the search met them.
    preorder: Vec<BlockId>,
    /// Blocks in reverse order of being finished.
    reverse_postorder: Vec<BlockId>,
    is_back: Vec<bool>,
    /// Per block: the sources of its back edges.
    back_sources: Grouped<Number>,
    /// Per block: the other edges whose ends have it as lowest common ancestor.
    meets_here: Grouped<(Number, Number)>,
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
        let mut meets_here = Vec::with_capacity(cfg.num_edges());
        let mut state = vec![State::New; blocks];
        // A finished block points to its parent in the search tree, so the root of a finished block is its lowest active ancestor.
        let mut ancestors = UnionFind::new(blocks);
        // Successors are taken last first, so that in reverse post-order the first successor comes first.
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
                    meets_here.push((source, (source, Number::of(target))));
                    path.push((target, cfg.edges(target)));
                }
                State::Active => {
                    is_back[edge] = true;
                    back_sources.push((Number::of(target), Number::of(block)));
                }
                State::Finished => {
                    let common = ancestors.find(target);
                    let ends = (Number::of(block), Number::of(target));
                    meets_here.push((Number::of(common), ends));
                }
            }
        }
        reverse_postorder.reverse();
        Self {
            preorder,
            reverse_postorder,
            is_back,
            back_sources: Grouped::new(blocks, &back_sources),
            meets_here: Grouped::new(blocks, &meets_here),
        }
    }
}

/// Builds the loops from the inside out: headers in reverse preorder, each loop found so far standing as one node.
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
    // Per node: predecessors that are to be looked at yet. Each is noted once, so all share one vector, as chains.
    let mut predecessors = Chains::new(blocks, cfg.num_edges());
    let mut work = Vec::new();
    let mut seen_by = vec![None; blocks];
    for &header in search.preorder.iter().rev() {
        for &(source, target) in search.meets_here.of(header) {
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

/// A list per block, all in one vector: each member knows the one that was noted before it.
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

    /// Moves the members of a list to the end of `to`, the latest first.
    fn take(&mut self, list: BlockId, to: &mut Vec<Number>) {
        let mut next = self.last[list].take();
        while let Some(number) = next {
            let (member, before) = self.members[number.get()];
            to.push(member);
            next = before;
        }
    }
}

/// Disjoint sets in which the caller says who leads.
struct UnionFind {
    leader: Vec<Number>,
}

impl UnionFind {
    fn new(size: usize) -> Self {
        Self {
            leader: (0..size).map(Number::of).collect(),
        }
    }

    fn find(&mut self, mut member: BlockId) -> BlockId {
        loop {
            let leader = self.leader[member].get();
            if leader == member {
                return member;
            }
            self.leader[member] = self.leader[leader];
            member = self.leader[member].get();
        }
    }

    fn join(&mut self, member: BlockId, leader: BlockId) {
        self.leader[member] = Number::of(leader);
    }
}
