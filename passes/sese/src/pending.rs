//! The edges that a piece of structured program has taken but that have not arrived yet.
//!
//! A region ends with some edges *pending*: the path that was taken goes on at one of their targets, later. Two arms of a
//! branch end with two such sets; after the branch their union is pending, and the units whose last edge is now in the
//! union are *ready* to run. A set is only ever joined into the set of what is around it, the smaller into the larger, so an
//! edge moves O(log E) times in all.

use smallvec::{SmallVec, smallvec};

use crate::cfg::{Cfg, EdgeId};
use crate::entries::{Entries, Entry, Rank};
use crate::landing::{Landings, Target, Unit};
use crate::loops::{LoopForest, LoopId};

/// What can be pending at a point, as far as choosing between it needs to be known.
///
/// Whether the innermost loop goes on is told by a flag of its own, since that is what `scf.condition` takes; where the path goes
/// on otherwise, by another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// What goes on with a loop, if that may be pending.
    pub(crate) goes_on: Option<Target>,
    /// What else may be pending.
    pub(crate) others: Others,
}

/// What may be pending that does not go on with the innermost loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// Nothing.
    None,
    /// This target.
    One(Target),
    /// One of these two; a flag tells, true for the first.
    Two(Target, Target),
    /// One of three or more; a number tells.
    Many,
}

impl Choice {
    /// The point is not reached.
    pub(crate) const NEVER: Self = Self {
        goes_on: None,
        others: Others::None,
    };

    /// Only this target.
    pub(crate) fn one(target: Target) -> Self {
        Self {
            goes_on: None,
            others: Others::One(target),
        }
    }

    /// Whether `target` may be pending.
    pub(crate) fn may_be(self, target: Target) -> bool {
        let other = match self.others {
            Others::None => false,
            Others::One(only) => only == target,
            Others::Two(first, second) => first == target || second == target,
            Others::Many => true,
        };
        other || self.goes_on == Some(target)
    }

    /// The target, if there is but one.
    pub(crate) fn only(self) -> Option<Target> {
        match (self.goes_on, self.others) {
            (Some(only), Others::None) | (None, Others::One(only)) => Some(only),
            _ => None,
        }
    }
}

/// What all sets share.
pub(crate) struct Shape<'a> {
    /// The graph.
    pub(crate) cfg: &'a Cfg,
    /// Its loops.
    pub(crate) forest: &'a LoopForest,
    /// Where its edges land.
    pub(crate) landings: &'a Landings,
}

impl Shape<'_> {
    /// The order of units: first what goes on with a loop, so that a flag is true for going on, of inner loops before outer ones; then
    /// reverse post-order.
    fn rank(&self, unit: Unit) -> Rank {
        let inner_first = |id: LoopId| (self.forest.loops.len() - id) as Rank;
        let position = |block: usize| match self.forest.position[block] {
            Some(position) => 1 + position.get() as Rank,
            None => 0,
        };
        match unit {
            Unit::Continue(id) => inner_first(id.get()),
            _ if self.is_cut(unit) => CUTS | inner_first(Landings::home(self.forest, unit)),
            Unit::Loop(id) => OTHERS | position(self.forest.loops[id.get()].header) << 1,
            Unit::Block(block) => OTHERS | position(block.get()) << 1 | 1,
        }
    }

    /// Whether `unit` starts the second half of the loop around it.
    pub(crate) fn is_cut(&self, unit: Unit) -> bool {
        self.landings.cut[Landings::home(self.forest, unit)] == Some(unit)
    }

    /// Whether all edges to a unit have arrived, and it may run as soon as they have: the second half of a loop waits for the
    /// end of the first, and the exit for the end of everything.
    fn is_ready(&self, unit: Unit, edges: usize) -> bool {
        edges == self.landings.edges_to(unit)
            && !self.is_cut(unit)
            && unit != Unit::block(self.cfg.exit())
    }
}

/// What the rank of a unit that starts the second half of a loop has above that of a next trip.
const CUTS: Rank = 1 << 62;
/// The least rank of units that do not go on with a loop.
const OTHERS: Rank = 2 << 62;

/// Units that are ready; mostly one.
pub(crate) type Ready = SmallVec<[Entry; 2]>;

/// A set of pending edges.
#[derive(Default)]
pub(crate) struct Pending {
    entries: Entries,
    num_targets: usize,
    ready: SmallVec<[Rank; 2]>,
}

impl Pending {
    /// One edge, taken inside loop `level`.
    pub(crate) fn edge(
        shape: &Shape,
        complete: &mut CompleteElsewhere,
        level: LoopId,
        edge: EdgeId,
    ) -> Self {
        let mut set = Self::default();
        let entry = Entry {
            unit: shape.landings.unit[edge],
            edges: 1,
            targets: smallvec![shape.landings.target(shape.cfg, edge)],
        };
        set.insert(shape, complete, level, entry);
        set
    }

    /// The start of a loop: its entries.
    pub(crate) fn start(shape: &Shape, complete: &mut CompleteElsewhere, id: LoopId) -> Self {
        let mut set = Self::default();
        let header = shape.forest.loops[id].header;
        for &block in std::iter::once(&header).chain(&shape.landings.extra_entries[id]) {
            let unit = Landings::unit_inside(shape.forest, id, block);
            set.insert(
                shape,
                complete,
                id,
                Entry {
                    unit,
                    edges: 1,
                    targets: smallvec![Target::block(block)],
                },
            );
        }
        set
    }

    /// One unit all of whose edges are there.
    pub(crate) fn arrived(shape: &Shape, entry: Entry) -> Self {
        let rank = shape.rank(entry.unit);
        Self {
            num_targets: entry.targets.len(),
            entries: Entries::one(rank, entry),
            ready: smallvec![rank],
        }
    }

    /// Whether nothing is pending.
    pub(crate) fn is_empty(&self) -> bool {
        self.num_targets == 0
    }

    /// The number of distinct targets.
    pub(crate) fn num_targets(&self) -> usize {
        self.num_targets
    }

    /// How to tell what is pending.
    pub(crate) fn choice(&self) -> Choice {
        let Some((rank, entry)) = self.entries.first() else {
            return Choice::NEVER;
        };
        let goes_on = (rank < OTHERS && entry.targets.len() == 1).then_some(entry.targets[0]);
        if self.num_targets == 1 && goes_on.is_none() {
            return Choice::one(entry.targets[0]);
        }
        let targets = self.entries.first_targets();
        let targets = &targets[usize::from(goes_on.is_some())..];
        let others = self.num_targets - usize::from(goes_on.is_some());
        let others = match (others, targets) {
            (1, &[Some(only), ..]) => Others::One(only),
            (2, &[Some(first), Some(second), ..]) => Others::Two(first, second),
            (0, ..) => Others::None,
            _ => Others::Many,
        };
        Choice { goes_on, others }
    }

    /// Takes out the units that are ready, in order.
    pub(crate) fn take_ready(&mut self) -> Ready {
        if self.ready.is_empty() {
            return Ready::new();
        }
        self.ready.sort_unstable();
        let mut ready = Ready::new();
        for rank in self.ready.drain(..) {
            ready.extend(self.entries.remove(rank));
        }
        self.num_targets -= ready.iter().map(|entry| entry.targets.len()).sum::<usize>();
        ready
    }

    /// Puts back what was ready but must wait.
    pub(crate) fn put_back(&mut self, shape: &Shape, entry: Entry) {
        let rank = shape.rank(entry.unit);
        self.num_targets += entry.targets.len();
        self.ready.push(rank);
        self.entries.insert(rank, entry);
    }

    /// Takes out the edges to a unit that is never ready by itself.
    pub(crate) fn take(&mut self, shape: &Shape, unit: Unit) -> Option<Entry> {
        let entry = self.entries.remove(shape.rank(unit))?;
        self.num_targets -= entry.targets.len();
        Some(entry)
    }

    /// Adds what is pending as well at one point inside loop `level`.
    pub(crate) fn join(
        &mut self,
        mut other: Self,
        shape: &Shape,
        complete: &mut CompleteElsewhere,
        level: LoopId,
    ) {
        if self.entries.len() < other.entries.len() {
            std::mem::swap(self, &mut other);
        }
        self.ready.append(&mut other.ready);
        let Self { entries, .. } = other;
        entries.for_each(|rank, entry| self.add(shape, complete, level, (rank, entry)));
    }

    /// Notes the units of `level` that became complete while a loop inside it was being structured.
    pub(crate) fn leave_loop(&mut self, complete: &mut CompleteElsewhere, level: LoopId) {
        self.ready.extend(complete.ranks[level].drain(..));
    }

    fn insert(
        &mut self,
        shape: &Shape,
        complete: &mut CompleteElsewhere,
        level: LoopId,
        entry: Entry,
    ) {
        let rank = shape.rank(entry.unit);
        self.add(shape, complete, level, (rank, entry));
    }

    fn add(
        &mut self,
        shape: &Shape,
        complete: &mut CompleteElsewhere,
        level: LoopId,
        (rank, entry): (Rank, Entry),
    ) {
        let unit = entry.unit;
        let edges = match self.entries.get_mut(rank) {
            Some(here) => {
                here.edges += entry.edges;
                if here.targets != entry.targets {
                    let before = here.targets.len();
                    here.targets.extend(entry.targets);
                    here.targets.sort_unstable();
                    here.targets.dedup();
                    self.num_targets += here.targets.len() - before;
                }
                here.edges
            }
            None => {
                let edges = entry.edges;
                self.num_targets += entry.targets.len();
                self.entries.insert(rank, entry);
                edges
            }
        };
        if shape.is_ready(unit, edges) {
            let home = Landings::home(shape.forest, unit);
            if home == level {
                self.ready.push(rank)
            } else {
                complete.ranks[home].push(rank)
            }
        }
    }
}

/// Per loop: its units whose last edge was taken inside a loop within it. They wait there until that loop is done.
pub(crate) struct CompleteElsewhere {
    ranks: Vec<Vec<Rank>>,
}

impl CompleteElsewhere {
    /// Nothing is complete yet.
    pub(crate) fn new(forest: &LoopForest) -> Self {
        Self {
            ranks: vec![Vec::new(); forest.loops.len()],
        }
    }
}
