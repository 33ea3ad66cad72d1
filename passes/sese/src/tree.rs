//! The tree of structured regions of a control-flow graph. No block is duplicated.
//!
//! A region is a sequence of blocks and of operations with regions:
//!
//! ```text
//!   branch    a block's terminator selects an arm
//!   dispatch  the pending target selects an arm, or none
//!   loop      `before` runs; then either `after` runs and the loop continues, or the loop ends
//!
//!   0 -> 1, 2     1 -> 3, 4     2 -> 4     3 -> 5     4 -> 5
//!
//!   block 0
//!   branch 0 { block 1
//!              branch 1 { block 3 | } | block 2 }
//!   dispatch { 4: block 4 | }
//!   block 5
//! ```
//!
//! A unit is placed in the innermost region where all edges that enter it are pending; it is
//! *ready* there. A block replaces the edges that enter it by its own, a branch joins the pending
//! edges of its arms, and a loop leaves its exits pending. If the edges to one ready unit are all
//! that is pending, the unit is next in the sequence, like the join point after an `if`. If other
//! targets are pending too, a dispatch decides; only there, a discriminator is needed, and only
//! between the targets that may be pending. If no unit is ready, the region ends, and its pending
//! edges are pending after the enclosing operation. The units of a loop form an acyclic graph, so
//! the first pending one in topological order always becomes ready, and all units are placed.
//!
//! If only one edge of a branch leads to the end of the function (the others abort), its target
//! follows the branch instead of being in an arm.
//!
//! Source: the regions are those of Bahmann et al., "Perfect reconstructability of control flow
//! from demand dependence graphs" (TACO 2015), and of Ramsey, "Beyond Relooper" (ICFP 2022). Those
//! split the graph again for each region; counting edges instead is near-linear: O(E log² E). An
//! explicit stack replaces recursion.

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::cfg::{BlockId, Cfg, EdgeId};
use crate::entries::Entry;
use crate::loop_forest::{LoopForest, LoopId, ROOT};
use crate::number::Number;
use crate::pending::{Deferred, Graph, Pending, Ready, TargetSet};
use crate::units::{Target, TargetKind, Unit, Units};

/// A region of the tree. Nested regions follow it in number, and the `after` region of a loop
/// counts as nested in `before`.
pub(crate) type RegionId = usize;
/// An operation of the tree.
pub(crate) type OpId = usize;

/// A sequence of blocks and operations.
#[derive(Debug)]
pub(crate) struct Region {
    owner: Option<Number>,
    parent: Number,
    /// The first number after its nested regions.
    end: Number,
    /// The first and the last step; see [`Tree::items`].
    steps: Option<(StepId, StepId)>,
    /// The targets that may be pending at its start.
    pub(crate) at_start: TargetSet,
    /// The targets that may be pending at its end.
    pub(crate) at_end: TargetSet,
}

impl Region {
    /// Returns the operation that contains the region; the function body has none.
    pub(crate) fn owner(&self) -> Option<OpId> {
        self.owner.map(Number::get)
    }

    /// Returns the enclosing region; the function body is its own.
    pub(crate) fn parent(&self) -> RegionId {
        self.parent.get()
    }
}

/// An element of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// The operations of a block without its terminator.
    Block(Number),
    /// An operation.
    Op(Number),
}

/// A step. The steps of all regions are created alternately, so those of a region are linked.
pub(crate) type StepId = Number;

/// An element of a sequence, and its successor.
#[derive(Clone, Copy, Debug)]
struct Step {
    item: Item,
    next: Option<StepId>,
}

/// An operation with regions.
#[derive(Debug)]
pub(crate) struct Op {
    /// The region that contains it.
    pub(crate) region: Number,
    /// Its kind, with its regions.
    pub(crate) kind: OpKind,
    /// The targets that may be pending after it.
    pub(crate) at_end: TargetSet,
}

/// The kinds of operations.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OpKind {
    /// The terminator of a block selects an arm.
    Branch {
        /// The block.
        block: Number,
        /// The region of the first edge; its siblings are those of the other edges, see
        /// [`Tree::siblings`].
        first_arm: Number,
    },
    /// The pending target selects an arm.
    Dispatch {
        /// The arms; see [`Tree::dispatch_arms`].
        arms: ArmNumbers,
        /// The targets that may be pending if no arm is selected.
        otherwise: TargetSet,
    },
    /// A loop.
    Loop {
        /// The loop.
        id: Number,
        /// The region that runs first in each iteration.
        before: Number,
        /// The target for which the loop continues, if it is pending at the end of `before`.
        continues: Target,
        /// The region that runs then. It is empty if that target is the next iteration.
        after: Number,
    },
}

/// The consecutive arms of a dispatch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmNumbers {
    first: u32,
    end: u32,
}

/// One arm of a dispatch.
#[derive(Clone, Copy, Debug)]
struct DispatchArm {
    /// The index of its first target; the targets end where those of the next arm start.
    targets: u32,
    /// The region that runs if one of them is pending.
    region: Number,
}

/// The structured form of a control-flow graph.
#[derive(Debug)]
pub(crate) struct Tree {
    /// All regions; the first is the function body.
    pub(crate) regions: Vec<Region>,
    /// All operations.
    pub(crate) ops: Vec<Op>,
    /// Per block: the region that contains it; none if it is unreachable.
    pub(crate) region_of: Vec<Option<Number>>,
    steps: Vec<Step>,
    dispatch_arms: Vec<DispatchArm>,
    /// The targets of the arms of all dispatches.
    targets: Vec<Target>,
}

impl Tree {
    /// Structures `cfg`. `never_return` is the result of [`Cfg::never_return`].
    pub(crate) fn new(
        cfg: &Cfg,
        forest: &LoopForest,
        units: &Units,
        never_return: &[bool],
    ) -> Self {
        let graph = Graph { cfg, forest, units };
        Builder::new(graph, never_return).run()
    }

    /// Returns the sequence of a region.
    pub(crate) fn items(&self, region: RegionId) -> impl Iterator<Item = Item> {
        let mut next = self.first_step(region);
        std::iter::from_fn(move || {
            let (item, after) = self.step(next?);
            next = after;
            Some(item)
        })
    }

    /// Returns the first step of a region.
    pub(crate) fn first_step(&self, region: RegionId) -> Option<StepId> {
        self.regions[region].steps.map(|(first, _)| first)
    }

    /// Returns the item of a step, and the next step.
    pub(crate) fn step(&self, step: StepId) -> (Item, Option<StepId>) {
        let step = self.steps[step.get()];
        (step.item, step.next)
    }

    fn add_step(&mut self, region: RegionId, item: Item) {
        let new = StepId::of(self.steps.len());
        self.steps.push(Step { item, next: None });
        let steps = &mut self.regions[region].steps;
        let first = match *steps {
            Some((first, last)) => {
                self.steps[last.get()].next = Some(new);
                first
            }
            None => new,
        };
        *steps = Some((first, new));
    }

    /// Returns whether `inner` is `outer` or inside it.
    pub(crate) fn contains(&self, outer: RegionId, inner: RegionId) -> bool {
        (outer..self.regions[outer].end.get()).contains(&inner)
    }

    /// Returns a region and the regions after it that are not nested in the previous one. The
    /// regions of a branch are numbered consecutively in this sense.
    pub(crate) fn siblings(&self, first: Number) -> impl Iterator<Item = RegionId> {
        let after = |&region: &RegionId| Some(self.regions[region].end.get());
        std::iter::successors(Some(first.get()), after)
    }

    /// Returns the targets and the region of each arm of a dispatch.
    pub(crate) fn dispatch_arms(
        &self,
        arms: ArmNumbers,
    ) -> impl Iterator<Item = (&[Target], RegionId)> {
        (arms.first as usize..arms.end as usize).map(|arm| {
            let start = self.dispatch_arms[arm].targets as usize;
            let next = self.dispatch_arms.get(arm + 1);
            let end = next.map_or(self.targets.len(), |next| next.targets as usize);
            let targets = &self.targets[start..end];
            (targets, self.dispatch_arms[arm].region.get())
        })
    }

    /// Adds the arms of a dispatch. Their regions are set when they are opened.
    fn add_dispatch_arms(&mut self, ready: &Ready) -> ArmNumbers {
        let small = |number: usize| u32::try_from(number).expect("fewer than four billion targets");
        let first = small(self.dispatch_arms.len());
        for entry in ready {
            self.dispatch_arms.push(DispatchArm {
                targets: small(self.targets.len()),
                region: Number::of(0),
            });
            self.targets.extend_from_slice(&entry.targets);
        }
        ArmNumbers {
            first,
            end: small(self.dispatch_arms.len()),
        }
    }
}

/// The limit of the nesting of branches and dispatches without a loop between them. At the limit,
/// ready units are placed after the outermost of them, at the cost of one more dispatch. A ladder
/// of early returns would otherwise nest as deep as it is long, and MLIR and most passes recurse on
/// regions. They handle a thousand levels without problems.
const MAX_DEPTH: u32 = 1000;

/// An operation or region that is being built.
enum Frame {
    Region {
        id: RegionId,
        level: LoopId,
    },
    Branch {
        op: OpId,
        level: LoopId,
        edges: Range<EdgeId>,
        follows: Option<EdgeId>,
    },
    Dispatch {
        op: OpId,
        level: LoopId,
    },
    Before {
        op: OpId,
    },
    After {
        op: OpId,
    },
}

struct Builder<'a> {
    graph: Graph<'a>,
    never_return: &'a [bool],
    deferred: Deferred,
    tree: Tree,
    frames: Vec<Frame>,
    /// Per region: the enclosing branches and dispatches inside the innermost loop.
    depth: Vec<u32>,
    /// The region that reached [`MAX_DEPTH`], while the regions around it end.
    unwinding: Option<RegionId>,
    /// Per open operation: the edges that its finished regions leave pending; of a loop, the exits.
    joined: Vec<Pending>,
    /// Per open dispatch: its remaining arms.
    waiting: Vec<std::iter::Zip<Range<u32>, smallvec::IntoIter<[Entry; 2]>>>,
    /// The pending edges at the current point of the innermost frame.
    pending: Pending,
}

impl<'a> Builder<'a> {
    fn new(graph: Graph<'a>, never_return: &'a [bool]) -> Self {
        let blocks = graph.cfg.num_blocks();
        // The capacities are estimates that avoid most reallocations. Most dispatches are in loops
        // with several entries.
        let branches = (0..blocks).filter(|&block| graph.cfg.edges(block).len() > 1);
        let (mut ops, mut regions) = (graph.forest.loops.len(), 1 + 2 * graph.forest.loops.len());
        for block in branches {
            ops += 1;
            regions += graph.cfg.edges(block).len();
        }
        for entries in &graph.units.extra_entries {
            ops += 2 * entries.len();
            regions += 2 * entries.len();
        }
        Self {
            never_return,
            deferred: Deferred::new(graph.forest),
            tree: Tree {
                regions: Vec::with_capacity(regions),
                ops: Vec::with_capacity(ops),
                region_of: vec![None; blocks],
                steps: Vec::with_capacity(blocks + ops),
                dispatch_arms: Vec::new(),
                targets: Vec::new(),
            },
            frames: Vec::new(),
            depth: Vec::with_capacity(regions),
            unwinding: None,
            joined: Vec::new(),
            waiting: Vec::new(),
            pending: Pending::default(),
            graph,
        }
    }

    fn run(mut self) -> Tree {
        let start = Pending::start(&self.graph, &mut self.deferred, ROOT);
        self.open_region(None, 0, ROOT, start);
        while let Some(frame) = self.frames.pop() {
            match frame {
                Frame::Region { id, level } => self.step(id, level),
                Frame::Branch {
                    op,
                    level,
                    edges,
                    follows,
                } => self.next_edge(op, level, edges, follows),
                Frame::Dispatch { op, level } => self.next_arm(op, level),
                Frame::Before { op } => self.open_after(op),
                Frame::After { op } => self.close_loop(op),
            }
        }
        self.tree
    }

    fn open_region(
        &mut self,
        owner: Option<OpId>,
        parent: RegionId,
        level: LoopId,
        pending: Pending,
    ) -> RegionId {
        let id = self.add_region(owner, parent, pending.targets());
        self.frames.push(Frame::Region { id, level });
        self.pending = pending;
        id
    }

    fn add_region(
        &mut self,
        owner: Option<OpId>,
        parent: RegionId,
        at_start: TargetSet,
    ) -> RegionId {
        let id = self.tree.regions.len();
        let is_choice =
            owner.is_some_and(|owner| !matches!(self.tree.ops[owner].kind, OpKind::Loop { .. }));
        self.depth.push(match is_choice {
            true => self.depth[parent] + 1,
            false => 0,
        });
        self.tree.regions.push(Region {
            owner: owner.map(Number::of),
            parent: Number::of(parent),
            end: Number::of(id + 1),
            steps: None,
            at_start,
            at_end: at_start,
        });
        id
    }

    fn add_op(&mut self, region: RegionId, kind: OpKind) -> OpId {
        let id = self.tree.ops.len();
        self.tree.ops.push(Op {
            region: Number::of(region),
            kind,
            at_end: TargetSet::EMPTY,
        });
        self.tree.add_step(region, Item::Op(Number::of(id)));
        id
    }

    /// Places a ready unit in a region, or ends the region.
    fn step(&mut self, id: RegionId, level: LoopId) {
        let is_unwound = self.unwinding.is_some_and(|inner| id <= inner);
        if is_unwound && self.depth[id] == 0 {
            self.unwinding = None;
        }
        let mut ready = match is_unwound && self.depth[id] > 0 {
            true => Ready::new(),
            false => self.pending.take_ready(),
        };
        if !ready.is_empty() && self.depth[id] >= MAX_DEPTH {
            self.unwinding = Some(id);
            for entry in ready.drain(..) {
                self.pending.put_back(&self.graph, entry);
            }
        }
        if !ready.is_empty() {
            if ready.len() == 1 && self.pending.num_targets() == 0 {
                return self.run_unit(id, level, ready[0].unit);
            }
            let arms = self.choose_arms(ready);
            return self.dispatch(id, level, arms);
        }
        let targets = self.pending.targets();
        if id == 0 && targets.only() == Some(Target::block(self.graph.cfg.exit())) {
            return self.run_block(id, level, self.graph.cfg.exit());
        }
        let end = Number::of(self.tree.regions.len());
        let region = &mut self.tree.regions[id];
        region.at_end = targets;
        region.end = end;
    }

    /// Chooses the ready units that one dispatch places. Units that never return come first, so
    /// that the others need no arm; a loop with several pending entries gets its own dispatch.
    fn choose_arms(&mut self, ready: Ready) -> Ready {
        let entered_once = |entry: &Entry| entry.targets.len() == 1;
        let never_return = &self.never_return;
        let never = |entry: &Entry| matches!(entry.targets[0].kind(), TargetKind::Block(block) if never_return[block]);
        let ends = |entry: &Entry| entered_once(entry) && never(entry);
        let choose: &dyn Fn(usize, &Entry) -> bool = if ready.iter().any(ends) {
            &|_, entry| ends(entry)
        } else if ready.iter().any(entered_once) {
            &|_, entry| entered_once(entry)
        } else {
            &|index, _| index == 0
        };
        let mut arms = Ready::new();
        for (index, entry) in ready.into_iter().enumerate() {
            match choose(index, &entry) {
                true => arms.push(entry),
                false => self.pending.put_back(&self.graph, entry),
            }
        }
        arms
    }

    fn run_unit(&mut self, id: RegionId, level: LoopId, unit: Unit) {
        match unit {
            Unit::Block(block) => self.run_block(id, level, block.get()),
            Unit::Loop(inner) => self.open_loop(id, level, inner.get()),
            Unit::NextIteration(_) => unreachable!("the next iteration is never ready"),
        }
    }

    fn run_block(&mut self, id: RegionId, level: LoopId, block: BlockId) {
        self.tree.add_step(id, Item::Block(Number::of(block)));
        self.tree.region_of[block] = Some(Number::of(id));
        let edges = self.graph.cfg.edges(block);
        self.frames.push(Frame::Region { id, level });
        self.pending = match edges.len() {
            1 => Pending::edge(&self.graph, &mut self.deferred, level, edges.start),
            _ => Pending::default(),
        };
        if edges.len() > 1 {
            let op = self.add_op(
                id,
                OpKind::Branch {
                    block: Number::of(block),
                    // The region of the first edge is created next.
                    first_arm: Number::of(self.tree.regions.len()),
                },
            );
            let follows = self.only_returning_edge(level, edges.clone());
            self.joined.push(Pending::default());
            self.next_edge(op, level, edges, follows);
        }
    }

    /// Joins the pending edges of a finished region with those of its siblings.
    fn join(&mut self, level: LoopId) {
        let joined = self.joined.last_mut().expect("an operation is being built");
        if joined.is_empty() {
            std::mem::swap(joined, &mut self.pending);
        } else {
            let result = std::mem::take(&mut self.pending);
            joined.join(result, &self.graph, &mut self.deferred, level);
        }
    }

    /// Ends an operation: the pending edges of its regions are pending after it.
    fn close(&mut self, op: OpId) {
        self.pending = self.joined.pop().unwrap_or_default();
        self.tree.ops[op].at_end = self.pending.targets();
    }

    /// Returns the edge of a branch that needs no arm, because the targets of all others never
    /// return and stay in the arms.
    fn only_returning_edge(&self, level: LoopId, edges: Range<EdgeId>) -> Option<EdgeId> {
        let mut returning = edges
            .clone()
            .filter(|&edge| !self.never_return[self.graph.cfg.target(edge)]);
        let (only, None) = (returning.next()?, returning.next()) else {
            return None;
        };
        let stays = |edge| {
            let unit = self.graph.units.unit[edge];
            self.graph.units.num_edges_to(unit) == 1
                && Units::loop_of(self.graph.forest, unit) == level
        };
        edges
            .filter(|&edge| edge != only)
            .all(stays)
            .then_some(only)
    }

    fn next_edge(
        &mut self,
        op: OpId,
        level: LoopId,
        mut edges: Range<EdgeId>,
        follows: Option<EdgeId>,
    ) {
        self.join(level);
        let Some(edge) = edges.next() else {
            return self.close(op);
        };
        self.frames.push(Frame::Branch {
            op,
            level,
            edges,
            follows,
        });
        let region = self.tree.ops[op].region.get();
        let taken = Pending::edge(&self.graph, &mut self.deferred, level, edge);
        if follows == Some(edge) {
            self.add_region(Some(op), region, taken.targets());
            self.pending = taken;
        } else {
            self.open_region(Some(op), region, level, taken);
        }
    }

    fn dispatch(&mut self, id: RegionId, level: LoopId, arms: Ready) {
        let otherwise = self.pending.targets();
        let numbers = self.tree.add_dispatch_arms(&arms);
        let kind = OpKind::Dispatch {
            arms: numbers,
            otherwise,
        };
        let op = self.add_op(id, kind);
        self.frames.push(Frame::Region { id, level });
        self.joined.push(Pending::default());
        self.waiting.push((numbers.first..numbers.end).zip(arms));
        self.next_arm(op, level);
    }

    fn next_arm(&mut self, op: OpId, level: LoopId) {
        // The pending edges that select no arm come first.
        self.join(level);
        let Some((arm, entry)) = self.waiting.last_mut().and_then(Iterator::next) else {
            self.waiting.pop();
            return self.close(op);
        };
        self.frames.push(Frame::Dispatch { op, level });
        let region = self.open_region(
            Some(op),
            self.tree.ops[op].region.get(),
            level,
            Pending::complete(&self.graph, entry),
        );
        self.tree.dispatch_arms[arm as usize].region = Number::of(region);
    }

    fn open_loop(&mut self, id: RegionId, level: LoopId, inner: LoopId) {
        let continues = match self.graph.units.cut[inner] {
            Some(Unit::Block(block)) => Target::block(block.get()),
            Some(Unit::Loop(nested)) => Target::block(self.graph.forest.loops[nested.get()].header),
            Some(Unit::NextIteration(_)) | None => Target::next_iteration(inner),
        };
        let before = Number::of(self.tree.regions.len());
        let op = self.add_op(
            id,
            OpKind::Loop {
                id: Number::of(inner),
                before,
                continues,
                after: before,
            },
        );
        self.frames.push(Frame::Region { id, level });
        self.frames.push(Frame::Before { op });
        let start = Pending::start(&self.graph, &mut self.deferred, inner);
        self.open_region(Some(op), id, inner, start);
    }

    fn open_after(&mut self, op: OpId) {
        let OpKind::Loop {
            id,
            before,
            ref mut after,
            ..
        } = self.tree.ops[op].kind
        else {
            unreachable!("only a loop has a region `before`")
        };
        let (id, before) = (id.get(), before.get());
        *after = Number::of(self.tree.regions.len());
        let mut exits = std::mem::take(&mut self.pending);
        let unit = self.graph.units.cut[id].unwrap_or(Unit::next_iteration(id));
        let entry = exits
            .take(&self.graph, unit)
            .expect("the first region of a loop reaches the second");
        self.joined.push(exits);
        self.frames.push(Frame::After { op });
        if let Unit::NextIteration(_) = unit {
            self.add_region(Some(op), before, TargetSet::one(Target::next_iteration(id)));
        } else {
            self.open_region(Some(op), before, id, Pending::complete(&self.graph, entry));
        }
    }

    fn close_loop(&mut self, op: OpId) {
        let OpKind::Loop { id, before, .. } = self.tree.ops[op].kind else {
            unreachable!("only a loop has a region `before`")
        };
        self.tree.regions[before.get()].end = Number::of(self.tree.regions.len());
        if let Some(exits) = self.joined.last_mut() {
            exits.leave_loop(&mut self.deferred, self.graph.forest.loops[id.get()].parent);
        }
        self.close(op);
    }
}
