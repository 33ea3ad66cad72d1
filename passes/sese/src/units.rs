//! The units of each loop, the unit that each edge enters, and the split of each loop.
//!
//! The *units* of a loop (or of the whole function) are its own blocks and its inner loops. They
//! form an acyclic graph. An edge enters a unit of the innermost loop that contains both its ends:
//!
//! ```text
//!   loop A { a1 -> loop B { b1 -> b2 } }      b2 -> a2 leaves B and enters unit a2 of A
//!                                             a1 -> b1 enters unit B of A
//!                                             b2 -> a1, where a1 is the header: A's next iteration
//! ```
//!
//! A unit is placed where all edges that enter it are pending. In the structured program, that is
//! the innermost region that sees all of them, so the pass needs no dominator tree.
//!
//! An edge into the middle of a loop makes its target another *entry*. Such a loop starts with a
//! dispatch on the entry.
//!
//! A loop is split into the two regions of `scf.while`. The second region starts with the *cut*:
//! the first unit after the last exit that is on all paths to the back edges. One scan of the units
//! in topological order finds it: a unit is on all paths if only edges to it are open there.
//!
//! Cost: linear in the edges and the loops that they enter or leave.

use std::fmt;
use std::num::NonZeroU32;

use crate::cfg::{BlockId, Cfg, EdgeId};
use crate::loop_forest::{LoopForest, LoopId, ROOT};
use crate::number::Number;

/// A destination of an edge, in the loop that contains the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// A block of the loop itself.
    Block(Number),
    /// A loop, entered from outside.
    Loop(Number),
    /// The next iteration of the loop.
    NextIteration(Number),
}

impl Unit {
    /// Returns the unit of a block.
    pub(crate) fn block(block: BlockId) -> Self {
        Self::Block(Number::of(block))
    }

    /// Returns the unit of an inner loop.
    pub(crate) fn of_loop(id: LoopId) -> Self {
        Self::Loop(Number::of(id))
    }

    /// Returns the next iteration of a loop.
    pub(crate) fn next_iteration(id: LoopId) -> Self {
        Self::NextIteration(Number::of(id))
    }
}

/// The target of a pending edge, in the space of one [`Number`]: each region has up to six of them.
/// Next iterations compare less than blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Target(NonZeroU32);

/// The kinds of [`Target`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetKind {
    /// The next iteration of this loop.
    NextIteration(LoopId),
    /// This block.
    Block(BlockId),
}

impl Target {
    /// The bit that distinguishes blocks from next iterations.
    const IS_BLOCK: u32 = 1 << 31;

    /// Returns the target that is a block.
    pub(crate) fn block(block: BlockId) -> Self {
        Self::of(block, Self::IS_BLOCK)
    }

    /// Returns the next iteration of a loop.
    pub(crate) fn next_iteration(id: LoopId) -> Self {
        Self::of(id, 0)
    }

    fn of(number: usize, tag: u32) -> Self {
        let raw = Number::of(number).raw();
        assert!(
            raw.get() & Self::IS_BLOCK == 0,
            "fewer than two billion blocks"
        );
        Self(raw | tag)
    }

    /// Returns the kind of target.
    pub(crate) fn kind(self) -> TargetKind {
        let number = (self.0.get() & !Self::IS_BLOCK) as usize - 1;
        match self.0.get() & Self::IS_BLOCK {
            0 => TargetKind::NextIteration(number),
            _ => TargetKind::Block(number),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(formatter)
    }
}

/// The units of all edges and loops.
pub(crate) struct Units {
    /// Per edge: the unit that it enters.
    pub(crate) unit: Vec<Unit>,
    /// Per loop: its entries except for the header, in reverse post-order.
    pub(crate) extra_entries: Vec<Vec<BlockId>>,
    /// Per loop: the unit at which its second region starts, if there is one.
    pub(crate) cut: Vec<Option<Unit>>,
    edges_to_block: Vec<usize>,
    edges_to_loop: Vec<usize>,
}

impl Units {
    /// Computes the units of `cfg`.
    pub(crate) fn new(cfg: &Cfg, forest: &LoopForest) -> Self {
        let mut units = Self {
            unit: vec![Unit::block(cfg.exit()); cfg.num_edges()],
            extra_entries: vec![Vec::new(); forest.loops.len()],
            cut: vec![None; forest.loops.len()],
            edges_to_block: vec![0; cfg.num_blocks()],
            edges_to_loop: vec![0; forest.loops.len()],
        };
        for &block in &forest.order {
            for edge in cfg.edges(block) {
                units.enter(cfg, forest, block, edge);
            }
        }
        units.enter_loops(forest);
        units.cut = Cuts::find(cfg, forest, &units);
        units
    }

    /// Returns the number of edges that enter `unit`. The start of the enclosing loop counts as one
    /// edge to each entry.
    pub(crate) fn num_edges_to(&self, unit: Unit) -> usize {
        match unit {
            Unit::Block(block) => self.edges_to_block[block.get()],
            Unit::Loop(id) => self.edges_to_loop[id.get()],
            Unit::NextIteration(_) => usize::MAX,
        }
    }

    /// Returns the loop that a unit belongs to; a next iteration belongs to its own loop.
    pub(crate) fn loop_of(forest: &LoopForest, unit: Unit) -> LoopId {
        match unit {
            Unit::Block(block) => forest.loop_of[block.get()],
            Unit::Loop(id) => forest.loops[id.get()].parent,
            Unit::NextIteration(id) => id.get(),
        }
    }

    /// Returns the target of an edge.
    pub(crate) fn target(&self, cfg: &Cfg, edge: EdgeId) -> Target {
        match self.unit[edge] {
            Unit::NextIteration(id) => Target::next_iteration(id.get()),
            Unit::Block(_) | Unit::Loop(_) => Target::block(cfg.target(edge)),
        }
    }

    /// Returns the unit of `around` that contains `block`.
    pub(crate) fn unit_in(forest: &LoopForest, around: LoopId, block: BlockId) -> Unit {
        let mut unit = Unit::block(block);
        let mut enclosing = forest.loop_of[block];
        while enclosing != around {
            unit = Unit::of_loop(enclosing);
            enclosing = forest.loops[enclosing].parent;
        }
        unit
    }

    fn enter(&mut self, cfg: &Cfg, forest: &LoopForest, source: BlockId, edge: EdgeId) {
        let target = cfg.target(edge);
        let mut enclosing = forest.loop_of[target];
        if forest.is_back[edge] {
            self.unit[edge] = Unit::next_iteration(enclosing);
            return;
        }
        let mut unit = Unit::block(target);
        while !forest.contains(enclosing, forest.loop_of[source]) {
            if forest.loops[enclosing].header != target {
                self.extra_entries[enclosing].push(target);
            }
            unit = Unit::of_loop(enclosing);
            enclosing = forest.loops[enclosing].parent;
        }
        self.unit[edge] = unit;
        match unit {
            Unit::Block(block) => self.edges_to_block[block.get()] += 1,
            Unit::Loop(id) => self.edges_to_loop[id.get()] += 1,
            Unit::NextIteration(_) => {}
        }
    }

    /// Sorts the entries, and counts the start of each loop as one edge to each entry.
    fn enter_loops(&mut self, forest: &LoopForest) {
        for id in ROOT..forest.loops.len() {
            let extra = &mut self.extra_entries[id];
            extra.sort_by_key(|&block| forest.position[block]);
            extra.dedup();
            for &entry in std::iter::once(&forest.loops[id].header).chain(extra.iter()) {
                match Self::unit_in(forest, id, entry) {
                    Unit::Block(block) => self.edges_to_block[block.get()] += 1,
                    Unit::Loop(inner) => self.edges_to_loop[inner.get()] += 1,
                    Unit::NextIteration(_) => {}
                }
            }
        }
    }
}

/// The search for the cut of each loop.
struct Cuts<'a> {
    cfg: &'a Cfg,
    forest: &'a LoopForest,
    units: &'a Units,
    /// Per loop: its units in topological order, without dead ends.
    order: Vec<Vec<Unit>>,
    /// Per block and per loop: its position in `order`.
    position: Positions,
    /// Per loop and position: the edges from the unit to another unit or to the next iteration.
    edges_from: Vec<Vec<usize>>,
    /// Per loop: the last position with an edge that leaves the loop.
    last_exit: Vec<Option<usize>>,
    /// Per loop and position: the difference in the number of dead ends that a cut here would place
    /// in both regions.
    straddled: Vec<Vec<isize>>,
}

struct Positions {
    block: Vec<usize>,
    of_loop: Vec<usize>,
}

impl<'a> Cuts<'a> {
    fn find(cfg: &'a Cfg, forest: &'a LoopForest, units: &'a Units) -> Vec<Option<Unit>> {
        let mut cuts = Self::list_units(cfg, forest, units);
        cuts.count_edges();
        (ROOT..forest.loops.len())
            .map(|id| if id == ROOT { None } else { cuts.cut(id) })
            .collect()
    }

    fn list_units(cfg: &'a Cfg, forest: &'a LoopForest, units: &'a Units) -> Self {
        let mut order = vec![Vec::new(); forest.loops.len()];
        let mut position = Positions {
            block: vec![0; cfg.num_blocks()],
            of_loop: vec![0; forest.loops.len()],
        };
        for &block in &forest.order {
            let enclosing = forest.loop_of[block];
            if forest.is_header(block) {
                let around = forest.loops[enclosing].parent;
                position.of_loop[enclosing] = order[around].len();
                order[around].push(Unit::of_loop(enclosing));
            }
            if !forest.dead_end[block] {
                position.block[block] = order[enclosing].len();
                order[enclosing].push(Unit::block(block));
            }
        }
        let edges_from = order.iter().map(|list| vec![0; list.len()]).collect();
        let straddled = order.iter().map(|list| vec![0; list.len() + 2]).collect();
        Self {
            cfg,
            forest,
            units,
            order,
            position,
            edges_from,
            last_exit: vec![None; forest.loops.len()],
            straddled,
        }
    }

    /// Counts each edge in the loop that contains it, and as an exit of the loops that it leaves.
    /// A dead end is not a unit of `order`, but a cut must not separate two edges to it.
    fn count_edges(&mut self) {
        let forest = self.forest;
        let mut reached_from: Vec<Option<(usize, usize)>> = vec![None; self.cfg.num_blocks()];
        for &block in &forest.order {
            let innermost = forest.loop_of[block];
            let own_position = (self.position.block[block], self.position.block[block]);
            let (first, last) = reached_from[block].unwrap_or(own_position);
            if forest.dead_end[block] {
                self.straddled[innermost][first + 1] += 1;
                self.straddled[innermost][last + 1] -= 1;
            }
            for edge in self.cfg.edges(block) {
                let common = Units::loop_of(forest, self.units.unit[edge]);
                let mut enclosing = innermost;
                let mut from = (first, last);
                while enclosing != common {
                    self.last_exit[enclosing] = self.last_exit[enclosing].max(Some(from.1));
                    from = (
                        self.position.of_loop[enclosing],
                        self.position.of_loop[enclosing],
                    );
                    enclosing = forest.loops[enclosing].parent;
                }
                let target = self.cfg.target(edge);
                if forest.dead_end[target] {
                    let range = reached_from[target].get_or_insert(from);
                    *range = (range.0.min(from.0), range.1.max(from.1));
                } else {
                    self.edges_from[enclosing][from.1] += 1;
                }
            }
        }
    }

    fn cut(&self, id: LoopId) -> Option<Unit> {
        let mut open = 1;
        let mut straddled = 0;
        for (position, &unit) in self.order[id].iter().enumerate() {
            let after_last_exit = self.last_exit[id].is_none_or(|last| position > last);
            straddled += self.straddled[id][position];
            let entering = self.units.num_edges_to(unit);
            if !self.can_start_after_region(id, unit) {
                return None;
            }
            if open == entering && straddled == 0 && after_last_exit {
                return Some(unit);
            }
            open = (open + self.edges_from[id][position]).checked_sub(entering)?;
        }
        None
    }

    /// Returns whether the second region of a loop may start at a unit of it. Loops with several
    /// entries, and the loops around them, are not split.
    fn can_start_after_region(&self, id: LoopId, unit: Unit) -> bool {
        let entered_once = |id: LoopId| self.units.extra_entries[id].is_empty();
        entered_once(id)
            && match unit {
                Unit::Loop(inner) => entered_once(inner.get()),
                Unit::Block(_) | Unit::NextIteration(_) => true,
            }
    }
}
