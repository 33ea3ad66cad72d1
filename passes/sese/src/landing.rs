//! Where each edge lands, and where each loop is cut in two.
//!
//! Seen from one loop (or from the whole function), its direct blocks and its inner loops are *units* of an acyclic graph. An
//! edge crosses some loop borders and then lands on one unit of the innermost loop that holds both of its ends:
//!
//! ```text
//!   loop A { a1 -> loop B { b1 -> b2 } }      b2 -> a2 leaves B and lands on unit a2 of A
//!                                             a1 -> b1 lands on unit B of A; inside B it goes on to b1
//!                                             b2 -> a1 (a1 the header) is A's "continue"
//! ```
//!
//! A unit can run once all edges that land on it are accounted for; that replaces dominators in this pass: the place in the
//! structured program where the last of them is accounted for is the innermost one that sees them all.
//!
//! An edge into the middle of a loop makes its target one more *entry*. The loop is then entered with the target's number,
//! and starts with a dispatch on it. A loop with one entry has nothing of the kind.
//!
//! A loop body is cut into what runs before its last exit and what runs after (the two regions of `scf.while`). The cut is
//! the first unit after the last exit that all paths to the continue edges go through. In one scan of the units in topological
//! order: a unit is such a bottleneck when no edge is open but those that land on it.
//!
//! Cost: linear in the edges and the loop borders that they cross.

use std::fmt;
use std::num::NonZeroU32;

use crate::cfg::{BlockId, Cfg, EdgeId};
use crate::loops::{LoopForest, LoopId, ROOT};
use crate::number::Number;

/// What an edge can land on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unit {
    /// A block, from another place in its innermost loop.
    Block(Number),
    /// A loop, from outside.
    Loop(Number),
    /// The next trip of a loop, from inside.
    Continue(Number),
}

impl Unit {
    /// A block.
    pub(crate) fn block(block: BlockId) -> Self {
        Self::Block(Number::of(block))
    }

    /// A loop, from outside.
    pub(crate) fn of_loop(id: LoopId) -> Self {
        Self::Loop(Number::of(id))
    }

    /// The next trip of a loop.
    pub(crate) fn next_trip(id: LoopId) -> Self {
        Self::Continue(Number::of(id))
    }
}

/// Where a path goes on, in the space of one [`Number`]: each region holds up to six of them. Next
/// trips are ordered before blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Target(NonZeroU32);

/// What a [`Target`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetKind {
    /// The next trip of this loop.
    Continue(LoopId),
    /// This block.
    Block(BlockId),
}

impl Target {
    /// The bit that tells blocks from next trips.
    const IS_BLOCK: u32 = 1 << 31;

    /// A block.
    pub(crate) fn block(block: BlockId) -> Self {
        Self::of(block, Self::IS_BLOCK)
    }

    /// The next trip of a loop.
    pub(crate) fn next_trip(id: LoopId) -> Self {
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

    /// What it is.
    pub(crate) fn kind(self) -> TargetKind {
        let number = (self.0.get() & !Self::IS_BLOCK) as usize - 1;
        match self.0.get() & Self::IS_BLOCK {
            0 => TargetKind::Continue(number),
            _ => TargetKind::Block(number),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(formatter)
    }
}

/// Where all edges land.
pub(crate) struct Landings {
    /// Per edge: the unit that it lands on.
    pub(crate) unit: Vec<Unit>,
    /// Per loop: the blocks other than the header that are entered from outside, in reverse post-order.
    pub(crate) extra_entries: Vec<Vec<BlockId>>,
    /// Per loop: the unit that starts its second half, if it has one.
    pub(crate) cut: Vec<Option<Unit>>,
    edges_to_block: Vec<usize>,
    edges_to_loop: Vec<usize>,
}

impl Landings {
    /// Finds where the edges of `cfg` land.
    pub(crate) fn new(cfg: &Cfg, forest: &LoopForest) -> Self {
        let mut landings = Self {
            unit: vec![Unit::block(cfg.exit()); cfg.num_edges()],
            extra_entries: vec![Vec::new(); forest.loops.len()],
            cut: vec![None; forest.loops.len()],
            edges_to_block: vec![0; cfg.num_blocks()],
            edges_to_loop: vec![0; forest.loops.len()],
        };
        for &block in &forest.order {
            for edge in cfg.edges(block) {
                landings.land(cfg, forest, block, edge);
            }
        }
        landings.enter_loops(forest);
        landings.cut = Cuts::find(cfg, forest, &landings);
        landings
    }

    /// How many edges land on `unit`, counting one per entry from the start of the loop around it.
    pub(crate) fn edges_to(&self, unit: Unit) -> usize {
        match unit {
            Unit::Block(block) => self.edges_to_block[block.get()],
            Unit::Loop(id) => self.edges_to_loop[id.get()],
            Unit::Continue(_) => usize::MAX,
        }
    }

    /// The loop whose unit this is; a continue belongs to the loop that it continues.
    pub(crate) fn home(forest: &LoopForest, unit: Unit) -> LoopId {
        match unit {
            Unit::Block(block) => forest.loop_of[block.get()],
            Unit::Loop(id) => forest.loops[id.get()].parent,
            Unit::Continue(id) => id.get(),
        }
    }

    /// Where an edge goes on to.
    pub(crate) fn target(&self, cfg: &Cfg, edge: EdgeId) -> Target {
        match self.unit[edge] {
            Unit::Continue(id) => Target::next_trip(id.get()),
            Unit::Block(_) | Unit::Loop(_) => Target::block(cfg.target(edge)),
        }
    }

    /// The unit of `around` that holds `block`.
    pub(crate) fn unit_inside(forest: &LoopForest, around: LoopId, block: BlockId) -> Unit {
        let mut unit = Unit::block(block);
        let mut home = forest.loop_of[block];
        while home != around {
            unit = Unit::of_loop(home);
            home = forest.loops[home].parent;
        }
        unit
    }

    fn land(&mut self, cfg: &Cfg, forest: &LoopForest, source: BlockId, edge: EdgeId) {
        let target = cfg.target(edge);
        let mut home = forest.loop_of[target];
        if forest.is_back[edge] {
            self.unit[edge] = Unit::next_trip(home);
            return;
        }
        let mut unit = Unit::block(target);
        while !forest.contains(home, forest.loop_of[source]) {
            if forest.loops[home].header != target {
                self.extra_entries[home].push(target);
            }
            unit = Unit::of_loop(home);
            home = forest.loops[home].parent;
        }
        self.unit[edge] = unit;
        match unit {
            Unit::Block(block) => self.edges_to_block[block.get()] += 1,
            Unit::Loop(id) => self.edges_to_loop[id.get()] += 1,
            Unit::Continue(_) => {}
        }
    }

    /// Sorts the entries and counts the step from the start of a loop to each of them as one edge.
    fn enter_loops(&mut self, forest: &LoopForest) {
        for id in ROOT..forest.loops.len() {
            let extra = &mut self.extra_entries[id];
            extra.sort_by_key(|&block| forest.position[block]);
            extra.dedup();
            for &entry in std::iter::once(&forest.loops[id].header).chain(extra.iter()) {
                match Self::unit_inside(forest, id, entry) {
                    Unit::Block(block) => self.edges_to_block[block.get()] += 1,
                    Unit::Loop(inner) => self.edges_to_loop[inner.get()] += 1,
                    Unit::Continue(_) => {}
                }
            }
        }
    }
}

/// The scan that finds the cut of every loop.
struct Cuts<'a> {
    cfg: &'a Cfg,
    forest: &'a LoopForest,
    landings: &'a Landings,
    /// Per loop: its units in topological order, dead ends left out.
    units: Vec<Vec<Unit>>,
    /// Per block and per loop: its place in `units`.
    place: Places,
    /// Per loop and place: edges that leave the unit for another unit or for the next trip.
    edges_from: Vec<Vec<usize>>,
    /// Per loop: the last place from which an edge leaves the loop.
    last_exit: Vec<Option<usize>>,
    /// Per loop and place: by how much the number of dead ends changes that a cut here would put into both halves.
    straddled: Vec<Vec<isize>>,
}

struct Places {
    block: Vec<usize>,
    of_loop: Vec<usize>,
}

impl<'a> Cuts<'a> {
    fn find(cfg: &'a Cfg, forest: &'a LoopForest, landings: &'a Landings) -> Vec<Option<Unit>> {
        let mut cuts = Self::list_units(cfg, forest, landings);
        cuts.count_edges();
        (ROOT..forest.loops.len())
            .map(|id| if id == ROOT { None } else { cuts.cut(id) })
            .collect()
    }

    fn list_units(cfg: &'a Cfg, forest: &'a LoopForest, landings: &'a Landings) -> Self {
        let mut units = vec![Vec::new(); forest.loops.len()];
        let mut place = Places {
            block: vec![0; cfg.num_blocks()],
            of_loop: vec![0; forest.loops.len()],
        };
        for &block in &forest.order {
            let home = forest.loop_of[block];
            if forest.is_header(block) {
                let around = forest.loops[home].parent;
                place.of_loop[home] = units[around].len();
                units[around].push(Unit::of_loop(home));
            }
            if !forest.dead_end[block] {
                place.block[block] = units[home].len();
                units[home].push(Unit::block(block));
            }
        }
        let edges_from = units.iter().map(|list| vec![0; list.len()]).collect();
        let straddled = units.iter().map(|list| vec![0; list.len() + 2]).collect();
        Self {
            cfg,
            forest,
            landings,
            units,
            place,
            edges_from,
            last_exit: vec![None; forest.loops.len()],
            straddled,
        }
    }

    /// Counts each edge in the loop where it lands, and notes it as an exit in the loops that it leaves. A dead end is no unit
    /// to go through; but it must not be reached from both halves, or no place were left for it.
    fn count_edges(&mut self) {
        let forest = self.forest;
        let mut reached_from: Vec<Option<(usize, usize)>> = vec![None; self.cfg.num_blocks()];
        for &block in &forest.order {
            let innermost = forest.loop_of[block];
            let own_place = (self.place.block[block], self.place.block[block]);
            let (first, last) = reached_from[block].unwrap_or(own_place);
            if forest.dead_end[block] {
                self.straddled[innermost][first + 1] += 1;
                self.straddled[innermost][last + 1] -= 1;
            }
            for edge in self.cfg.edges(block) {
                let lands_in = Landings::home(forest, self.landings.unit[edge]);
                let mut home = innermost;
                let mut from = (first, last);
                while home != lands_in {
                    self.last_exit[home] = self.last_exit[home].max(Some(from.1));
                    from = (self.place.of_loop[home], self.place.of_loop[home]);
                    home = forest.loops[home].parent;
                }
                let target = self.cfg.target(edge);
                if forest.dead_end[target] {
                    let range = reached_from[target].get_or_insert(from);
                    *range = (range.0.min(from.0), range.1.max(from.1));
                } else {
                    self.edges_from[home][from.1] += 1;
                }
            }
        }
    }

    fn cut(&self, id: LoopId) -> Option<Unit> {
        let mut open = 1;
        let mut straddled = 0;
        for (place, &unit) in self.units[id].iter().enumerate() {
            let after_last_exit = self.last_exit[id].is_none_or(|last| place > last);
            straddled += self.straddled[id][place];
            let landing = self.landings.edges_to(unit);
            if !self.can_start_a_half(id, unit) {
                return None;
            }
            if open == landing && straddled == 0 && after_last_exit {
                return Some(unit);
            }
            open = (open + self.edges_from[id][place]).checked_sub(landing)?;
        }
        None
    }

    /// Loops with several entries have no order of units that could be scanned here, and neither have the loops around them.
    fn can_start_a_half(&self, id: LoopId, unit: Unit) -> bool {
        let entered_once = |id: LoopId| self.landings.extra_entries[id].is_empty();
        entered_once(id)
            && match unit {
                Unit::Loop(inner) => entered_once(inner.get()),
                Unit::Block(_) | Unit::Continue(_) => true,
            }
    }
}
