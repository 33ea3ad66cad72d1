//! The pending edges of a region: edges that are taken, and whose targets are not placed yet.
//!
//! After a branch, the union of the pending edges of its arms is pending. A unit is *ready* if all
//! edges that enter it are in the union. A set is only joined with the set of the enclosing region,
//! the smaller into the larger, so an edge is moved O(log E) times in total.

use smallvec::{SmallVec, smallvec};

use crate::cfg::{Cfg, EdgeId};
use crate::entries::{Entries, Entry, Rank};
use crate::loop_forest::{LoopForest, LoopId};
use crate::units::{Target, Unit, Units};

/// The targets that may be pending at a point, as precisely as the discriminator needs to know.
///
/// `scf.condition` takes a flag that tells whether the loop continues, so the target that continues
/// the innermost loop is separate from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TargetSet {
    /// The target that continues a loop, if it may be pending.
    pub(crate) continues: Option<Target>,
    /// The other targets.
    pub(crate) others: Others,
}

/// The pending targets that do not continue the innermost loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// No target.
    None,
    /// This target.
    One(Target),
    /// One of these two; the discriminator is true for the first.
    Two(Target, Target),
    /// One of three or more; the discriminator is a number.
    Many,
}

impl TargetSet {
    /// No target: the point is unreachable.
    pub(crate) const EMPTY: Self = Self {
        continues: None,
        others: Others::None,
    };

    /// Returns the set of one target.
    pub(crate) fn one(target: Target) -> Self {
        Self {
            continues: None,
            others: Others::One(target),
        }
    }

    /// Returns whether `target` may be pending.
    pub(crate) fn may_contain(self, target: Target) -> bool {
        let other = match self.others {
            Others::None => false,
            Others::One(only) => only == target,
            Others::Two(first, second) => first == target || second == target,
            Others::Many => true,
        };
        other || self.continues == Some(target)
    }

    /// Returns the target if there is exactly one.
    pub(crate) fn only(self) -> Option<Target> {
        match (self.continues, self.others) {
            (Some(only), Others::None) | (None, Others::One(only)) => Some(only),
            _ => None,
        }
    }
}

/// A control-flow graph with the results of its analyses.
pub(crate) struct Graph<'a> {
    /// The graph.
    pub(crate) cfg: &'a Cfg,
    /// Its loops.
    pub(crate) forest: &'a LoopForest,
    /// The units of its loops.
    pub(crate) units: &'a Units,
}

impl Graph<'_> {
    /// Returns the rank of a unit. Units that continue a loop come first, of inner loops before
    /// those of outer ones, so that a flag is true for continuing; then reverse post-order.
    fn rank(&self, unit: Unit) -> Rank {
        let inner_first = |id: LoopId| (self.forest.loops.len() - id) as Rank;
        let position = |block: usize| match self.forest.position[block] {
            Some(position) => 1 + position.get() as Rank,
            None => 0,
        };
        match unit {
            Unit::NextIteration(id) => inner_first(id.get()),
            _ if self.is_cut(unit) => CUTS | inner_first(Units::loop_of(self.forest, unit)),
            Unit::Loop(id) => OTHERS | position(self.forest.loops[id.get()].header) << 1,
            Unit::Block(block) => OTHERS | position(block.get()) << 1 | 1,
        }
    }

    /// Returns whether the second region of its loop starts at `unit`.
    pub(crate) fn is_cut(&self, unit: Unit) -> bool {
        self.units.cut[Units::loop_of(self.forest, unit)] == Some(unit)
    }

    /// Returns whether `unit` can be placed when `edges` edges to it are pending. The second region
    /// of a loop starts after the end of the first, and the exit after everything.
    fn is_ready(&self, unit: Unit, edges: usize) -> bool {
        edges == self.units.num_edges_to(unit)
            && !self.is_cut(unit)
            && unit != Unit::block(self.cfg.exit())
    }
}

/// The offset of the ranks of units that start the second region of a loop.
const CUTS: Rank = 1 << 62;
/// The lowest rank of units that do not continue a loop.
const OTHERS: Rank = 2 << 62;

/// Units that are ready; usually one.
pub(crate) type Ready = SmallVec<[Entry; 2]>;

/// A set of pending edges.
#[derive(Default)]
pub(crate) struct Pending {
    entries: Entries,
    num_targets: usize,
    ready: SmallVec<[Rank; 2]>,
}

impl Pending {
    /// Returns one edge, taken inside loop `level`.
    pub(crate) fn edge(
        graph: &Graph,
        deferred: &mut Deferred,
        level: LoopId,
        edge: EdgeId,
    ) -> Self {
        let mut set = Self::default();
        let entry = Entry {
            unit: graph.units.unit[edge],
            edges: 1,
            targets: smallvec![graph.units.target(graph.cfg, edge)],
        };
        set.insert(graph, deferred, level, entry);
        set
    }

    /// Returns the entries of a loop, pending at its start.
    pub(crate) fn start(graph: &Graph, deferred: &mut Deferred, id: LoopId) -> Self {
        let mut set = Self::default();
        let header = graph.forest.loops[id].header;
        for &block in std::iter::once(&header).chain(&graph.units.extra_entries[id]) {
            let unit = Units::unit_in(graph.forest, id, block);
            set.insert(
                graph,
                deferred,
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

    /// Returns a unit to which all edges are pending.
    pub(crate) fn complete(graph: &Graph, entry: Entry) -> Self {
        let rank = graph.rank(entry.unit);
        Self {
            num_targets: entry.targets.len(),
            entries: Entries::one(rank, entry),
            ready: smallvec![rank],
        }
    }

    /// Returns whether no edge is pending.
    pub(crate) fn is_empty(&self) -> bool {
        self.num_targets == 0
    }

    /// Returns the number of distinct targets.
    pub(crate) fn num_targets(&self) -> usize {
        self.num_targets
    }

    /// Returns the pending targets.
    pub(crate) fn targets(&self) -> TargetSet {
        let Some((rank, entry)) = self.entries.first() else {
            return TargetSet::EMPTY;
        };
        let continues = (rank < OTHERS && entry.targets.len() == 1).then_some(entry.targets[0]);
        if self.num_targets == 1 && continues.is_none() {
            return TargetSet::one(entry.targets[0]);
        }
        let targets = self.entries.first_targets();
        let targets = &targets[usize::from(continues.is_some())..];
        let others = self.num_targets - usize::from(continues.is_some());
        let others = match (others, targets) {
            (1, &[Some(only), ..]) => Others::One(only),
            (2, &[Some(first), Some(second), ..]) => Others::Two(first, second),
            (0, ..) => Others::None,
            _ => Others::Many,
        };
        TargetSet { continues, others }
    }

    /// Removes the units that are ready, in order.
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

    /// Puts back a unit that is ready but is placed later.
    pub(crate) fn put_back(&mut self, graph: &Graph, entry: Entry) {
        let rank = graph.rank(entry.unit);
        self.num_targets += entry.targets.len();
        self.ready.push(rank);
        self.entries.insert(rank, entry);
    }

    /// Removes the edges to a unit that never becomes ready.
    pub(crate) fn take(&mut self, graph: &Graph, unit: Unit) -> Option<Entry> {
        let entry = self.entries.remove(graph.rank(unit))?;
        self.num_targets -= entry.targets.len();
        Some(entry)
    }

    /// Adds the edges of `other`, which are pending at the same point inside loop `level`.
    pub(crate) fn join(
        &mut self,
        mut other: Self,
        graph: &Graph,
        deferred: &mut Deferred,
        level: LoopId,
    ) {
        if self.entries.len() < other.entries.len() {
            std::mem::swap(self, &mut other);
        }
        self.ready.append(&mut other.ready);
        let Self { entries, .. } = other;
        entries.for_each(|rank, entry| self.add(graph, deferred, level, (rank, entry)));
    }

    /// Adds the ready units of `level` that [`Deferred`] has.
    pub(crate) fn leave_loop(&mut self, deferred: &mut Deferred, level: LoopId) {
        self.ready.extend(deferred.ranks[level].drain(..));
    }

    fn insert(&mut self, graph: &Graph, deferred: &mut Deferred, level: LoopId, entry: Entry) {
        let rank = graph.rank(entry.unit);
        self.add(graph, deferred, level, (rank, entry));
    }

    fn add(
        &mut self,
        graph: &Graph,
        deferred: &mut Deferred,
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
        if graph.is_ready(unit, edges) {
            let id = Units::loop_of(graph.forest, unit);
            if id == level {
                self.ready.push(rank)
            } else {
                deferred.ranks[id].push(rank)
            }
        }
    }
}

/// Per loop: its units to which the last edge was taken in an inner loop. They become ready at the
/// end of that loop.
pub(crate) struct Deferred {
    ranks: Vec<Vec<Rank>>,
}

impl Deferred {
    /// Returns no units.
    pub(crate) fn new(forest: &LoopForest) -> Self {
        Self {
            ranks: vec![Vec::new(); forest.loops.len()],
        }
    }
}
