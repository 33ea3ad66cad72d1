//! From a control-flow graph to a tree of structured regions, with nothing duplicated.
//!
//! A region is a sequence of blocks and of operations that hold regions:
//!
//! ```text
//!   branch    a block's terminator chooses one arm
//!   dispatch  what is pending chooses one arm, or passes by
//!   loop      `before` runs; then either `after` runs and the loop goes on, or the loop ends
//!
//!   0 -> 1, 2     1 -> 3, 4     2 -> 4     3 -> 5     4 -> 5          block 0
//!                                                                     branch 0 { block 1
//!                                                                                branch 1 { block 3 | } | block 2 }
//!                                                                     dispatch { 4: block 4 | }
//!                                                                     block 5
//! ```
//!
//! The one rule: *run a unit at the innermost place where all edges that land on it are pending*. A region starts with
//! some pending edges; while a unit is ready, it runs: a block replaces the edges that led to it by its own, a branch joins
//! the pending edges of its arms, a loop leaves its exits pending. When the unit that is ready is all that is pending, it runs
//! in sequence: a merge point after its `if`. When other targets are pending too, a dispatch decides: only there is a value
//! needed that tells which way the path goes, and only targets that are really open at that point take part in it. What is
//! pending when nothing is ready is handed to the region around. Since the units of one loop form an acyclic graph, the first
//! of them in topological order is always ready in the end, so all are placed.
//!
//! Where only one way of a branch can reach the end of the function (the others abort), that way is not put into an arm: it
//! follows the branch.
//!
//! Source: the regions follow from the same observation as in Bahmann et al., "Perfect reconstructability of control flow from
//! demand dependence graphs" (TACO 2015), and in Ramsey, "Beyond Relooper" (ICFP 2022); counting edges where those split the
//! graph again for every region is what makes it near-linear: O(E log² E). An explicit stack replaces recursion.

use std::ops::Range;

use crate::cfg::{BlockId, Cfg, EdgeId};
use crate::entries::Entry;
use crate::landing::{Landings, Target, TargetKind, Unit};
use crate::loops::{LoopForest, LoopId, ROOT};
use crate::number::Number;
use crate::pending::{Choice, CompleteElsewhere, Pending, Ready, Shape};

/// A region of the tree, numbered so that the regions inside it follow it. The second region of a loop is inside its first.
pub(crate) type RegionId = usize;
/// An operation of the tree.
pub(crate) type OpId = usize;

/// A sequence.
#[derive(Debug)]
pub(crate) struct Region {
    owner: Option<Number>,
    parent: Number,
    /// The first number after the regions inside this one.
    end: Number,
    /// The first and the last step; see [`Tree::items`].
    steps: Option<(StepId, StepId)>,
    /// What is pending at the start.
    pub(crate) entered: Choice,
    /// What is pending at the end.
    pub(crate) left: Choice,
}

impl Region {
    /// The operation that holds this region; none for the function body.
    pub(crate) fn owner(&self) -> Option<OpId> {
        self.owner.map(Number::get)
    }

    /// The region around this one.
    pub(crate) fn parent(&self) -> RegionId {
        self.parent.get()
    }
}

/// A step of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// The operations of a block without its terminator.
    Block(Number),
    /// An operation.
    Op(Number),
}

/// The number of a step. Steps of all regions are made in turn, so those of one region are chained and not side by side.
pub(crate) type StepId = Number;

/// A step, and the one after it in its region.
#[derive(Clone, Copy, Debug)]
struct Step {
    item: Item,
    next: Option<StepId>,
}

/// An operation that holds regions.
#[derive(Debug)]
pub(crate) struct Op {
    /// The region that it is a step of.
    pub(crate) region: Number,
    /// What it does.
    pub(crate) kind: OpKind,
    /// What is pending after it.
    pub(crate) left: Choice,
}

/// The operations that hold regions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OpKind {
    /// The terminator of a block chooses.
    Branch {
        /// The block.
        block: Number,
        /// The region of its first edge; those of the others follow it, see [`Tree::siblings`].
        first_arm: Number,
    },
    /// What is pending chooses.
    Dispatch {
        /// What may run; see [`Tree::dispatch_arms`].
        arms: ArmNumbers,
        /// What is pending when it is none of these, so that nothing runs.
        passes: Choice,
    },
    /// A loop.
    Loop {
        /// The loop.
        id: Number,
        /// Runs first on each trip.
        before: Number,
        /// Runs when `before` leaves this target pending; then comes the next trip.
        goes_on: Target,
        /// Empty when the loop goes on at its start without any further work.
        after: Number,
    },
}

/// The arms of a dispatch, which stand side by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmNumbers {
    first: u32,
    end: u32,
}

/// One arm of a dispatch.
#[derive(Clone, Copy, Debug)]
struct DispatchArm {
    /// Where its targets start; they end where those of the next arm start.
    targets: u32,
    /// What runs when one of them is pending.
    region: Number,
}

/// The structured form of a graph.
#[derive(Debug)]
pub(crate) struct Tree {
    /// All regions; the first is the body of the function.
    pub(crate) regions: Vec<Region>,
    /// All operations.
    pub(crate) ops: Vec<Op>,
    /// The region in which each block stands, or none if it cannot be reached.
    pub(crate) region_of: Vec<Option<Number>>,
    steps: Vec<Step>,
    dispatch_arms: Vec<DispatchArm>,
    /// The targets of all arms of dispatches.
    targets: Vec<Target>,
}

impl Tree {
    /// Structures `cfg`, of which [`Cfg::never_return`] gave `never_return`.
    pub(crate) fn new(
        cfg: &Cfg,
        forest: &LoopForest,
        landings: &Landings,
        never_return: &[bool],
    ) -> Self {
        let shape = Shape {
            cfg,
            forest,
            landings,
        };
        Builder::new(shape, never_return).run()
    }

    /// What runs in a region, in order.
    pub(crate) fn items(&self, region: RegionId) -> impl Iterator<Item = Item> {
        let mut next = self.first_step(region);
        std::iter::from_fn(move || {
            let (item, after) = self.step(next?);
            next = after;
            Some(item)
        })
    }

    /// The first step of a region.
    pub(crate) fn first_step(&self, region: RegionId) -> Option<StepId> {
        self.regions[region].steps.map(|(first, _)| first)
    }

    /// What a step does, and the step after it.
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

    /// Whether `inner` is `outer` or inside it.
    pub(crate) fn contains(&self, outer: RegionId, inner: RegionId) -> bool {
        (outer..self.regions[outer].end.get()).contains(&inner)
    }

    /// A region, and those after it in the order of their numbers that are inside of none of these:
    /// the regions of a branch are numbered in turn.
    pub(crate) fn siblings(&self, first: Number) -> impl Iterator<Item = RegionId> {
        let after = |&region: &RegionId| Some(self.regions[region].end.get());
        std::iter::successors(Some(first.get()), after)
    }

    /// The arms of a dispatch: targets, and the region that runs when one of them is pending.
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

    /// Adds the arms of a dispatch, whose regions are to be set as they are opened.
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

/// Choices inside each other, without a loop between them, beyond which what is ready is handed out to the outermost. A ladder of early
/// returns would nest as deep as it is long; MLIR walks, prints and destroys regions by recursion, and so do most passes. A
/// thousand levels are no trouble for any of them, and each time the limit is met costs one more dispatch.
const MAX_DEPTH: u32 = 1000;

/// What is being built, innermost last.
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
    shape: Shape<'a>,
    never_return: &'a [bool],
    complete: CompleteElsewhere,
    tree: Tree,
    frames: Vec<Frame>,
    /// Per region: the choices around it up to the innermost loop.
    depth: Vec<u32>,
    /// The region that met the limit: what is ready goes out of those around it, up to the outermost choice.
    unwinding: Option<RegionId>,
    /// Per operation that is being built: what its regions that are done leave pending; of a loop, after its first half.
    joined: Vec<Pending>,
    /// Per dispatch that is being built: the arms that wait.
    waiting: Vec<std::iter::Zip<Range<u32>, smallvec::IntoIter<[Entry; 2]>>>,
    /// What is pending for the innermost frame: at the start of its region, or after what was just finished.
    pending: Pending,
}

impl<'a> Builder<'a> {
    fn new(shape: Shape<'a>, never_return: &'a [bool]) -> Self {
        let blocks = shape.cfg.num_blocks();
        // About as many as there will be, so that nothing is moved while they grow: dispatches stand mostly in loops with several entries.
        let branches = (0..blocks).filter(|&block| shape.cfg.edges(block).len() > 1);
        let (mut ops, mut regions) = (shape.forest.loops.len(), 1 + 2 * shape.forest.loops.len());
        for block in branches {
            ops += 1;
            regions += shape.cfg.edges(block).len();
        }
        for entries in &shape.landings.extra_entries {
            ops += 2 * entries.len();
            regions += 2 * entries.len();
        }
        Self {
            never_return,
            complete: CompleteElsewhere::new(shape.forest),
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
            shape,
        }
    }

    fn run(mut self) -> Tree {
        let start = Pending::start(&self.shape, &mut self.complete, ROOT);
        self.open_region(None, 0, ROOT, start);
        while let Some(frame) = self.frames.pop() {
            match frame {
                Frame::Region { id, level } => self.step(id, level),
                Frame::Branch {
                    op,
                    level,
                    edges,
                    follows,
                } => self.next_way(op, level, edges, follows),
                Frame::Dispatch { op, level } => self.next_arm(op, level),
                Frame::Before { op } => self.second_half(op),
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
        let id = self.add_region(owner, parent, pending.choice());
        self.frames.push(Frame::Region { id, level });
        self.pending = pending;
        id
    }

    fn add_region(&mut self, owner: Option<OpId>, parent: RegionId, entered: Choice) -> RegionId {
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
            entered,
            left: entered,
        });
        id
    }

    fn add_op(&mut self, region: RegionId, kind: OpKind) -> OpId {
        let id = self.tree.ops.len();
        self.tree.ops.push(Op {
            region: Number::of(region),
            kind,
            left: Choice::NEVER,
        });
        self.tree.add_step(region, Item::Op(Number::of(id)));
        id
    }

    /// Runs what is ready in a region, or ends the region.
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
                self.pending.put_back(&self.shape, entry);
            }
        }
        if !ready.is_empty() {
            if ready.len() == 1 && self.pending.num_targets() == 0 {
                return self.run_unit(id, level, ready[0].unit);
            }
            let arms = self.choose_arms(ready);
            return self.dispatch(id, level, arms);
        }
        let choice = self.pending.choice();
        if id == 0 && choice.only() == Some(Target::block(self.shape.cfg.exit())) {
            return self.run_block(id, level, self.shape.cfg.exit());
        }
        let end = Number::of(self.tree.regions.len());
        let region = &mut self.tree.regions[id];
        region.left = choice;
        region.end = end;
    }

    /// Which of several ready units one dispatch runs. Those that never return go first, so that the rest need not stand in
    /// an arm; a loop that is entered at one of several places has a dispatch of its own.
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
            &|place, _| place == 0
        };
        let mut arms = Ready::new();
        for (place, entry) in ready.into_iter().enumerate() {
            match choose(place, &entry) {
                true => arms.push(entry),
                false => self.pending.put_back(&self.shape, entry),
            }
        }
        arms
    }

    fn run_unit(&mut self, id: RegionId, level: LoopId, unit: Unit) {
        match unit {
            Unit::Block(block) => self.run_block(id, level, block.get()),
            Unit::Loop(inner) => self.open_loop(id, level, inner.get()),
            Unit::Continue(_) => unreachable!("a continue is never ready"),
        }
    }

    fn run_block(&mut self, id: RegionId, level: LoopId, block: BlockId) {
        self.tree.add_step(id, Item::Block(Number::of(block)));
        self.tree.region_of[block] = Some(Number::of(id));
        let edges = self.shape.cfg.edges(block);
        self.frames.push(Frame::Region { id, level });
        self.pending = match edges.len() {
            1 => Pending::edge(&self.shape, &mut self.complete, level, edges.start),
            _ => Pending::default(),
        };
        if edges.len() > 1 {
            let op = self.add_op(
                id,
                OpKind::Branch {
                    block: Number::of(block),
                    // The next region is that of the first edge.
                    first_arm: Number::of(self.tree.regions.len()),
                },
            );
            let follows = self.only_way_on(level, edges.clone());
            self.joined.push(Pending::default());
            self.next_way(op, level, edges, follows);
        }
    }

    /// Adds what a region of an operation leaves to what those before it did.
    fn join(&mut self, level: LoopId) {
        let joined = self.joined.last_mut().expect("an operation is being built");
        if joined.is_empty() {
            std::mem::swap(joined, &mut self.pending);
        } else {
            let result = std::mem::take(&mut self.pending);
            joined.join(result, &self.shape, &mut self.complete, level);
        }
    }

    /// Ends an operation: what its regions leave is pending after it.
    fn close(&mut self, op: OpId) {
        self.pending = self.joined.pop().unwrap_or_default();
        self.tree.ops[op].left = self.pending.choice();
    }

    /// The edge of a branch that need not stand in an arm, because all others go where nothing comes back and stay there.
    fn only_way_on(&self, level: LoopId, edges: Range<EdgeId>) -> Option<EdgeId> {
        let mut ways = edges
            .clone()
            .filter(|&edge| !self.never_return[self.shape.cfg.target(edge)]);
        let (way, None) = (ways.next()?, ways.next()) else {
            return None;
        };
        let stays = |edge| {
            let unit = self.shape.landings.unit[edge];
            self.shape.landings.edges_to(unit) == 1
                && Landings::home(self.shape.forest, unit) == level
        };
        edges.filter(|&edge| edge != way).all(stays).then_some(way)
    }

    fn next_way(
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
        let way = Pending::edge(&self.shape, &mut self.complete, level, edge);
        if follows == Some(edge) {
            self.add_region(Some(op), region, way.choice());
            self.pending = way;
        } else {
            self.open_region(Some(op), region, level, way);
        }
    }

    fn dispatch(&mut self, id: RegionId, level: LoopId, arms: Ready) {
        let passes = self.pending.choice();
        let numbers = self.tree.add_dispatch_arms(&arms);
        let kind = OpKind::Dispatch {
            arms: numbers,
            passes,
        };
        let op = self.add_op(id, kind);
        self.frames.push(Frame::Region { id, level });
        self.joined.push(Pending::default());
        self.waiting.push((numbers.first..numbers.end).zip(arms));
        self.next_arm(op, level);
    }

    fn next_arm(&mut self, op: OpId, level: LoopId) {
        // What passes by comes first.
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
            Pending::arrived(&self.shape, entry),
        );
        self.tree.dispatch_arms[arm as usize].region = Number::of(region);
    }

    fn open_loop(&mut self, id: RegionId, level: LoopId, inner: LoopId) {
        let goes_on = match self.shape.landings.cut[inner] {
            Some(Unit::Block(block)) => Target::block(block.get()),
            Some(Unit::Loop(nested)) => Target::block(self.shape.forest.loops[nested.get()].header),
            Some(Unit::Continue(_)) | None => Target::next_trip(inner),
        };
        let before = Number::of(self.tree.regions.len());
        let op = self.add_op(
            id,
            OpKind::Loop {
                id: Number::of(inner),
                before,
                goes_on,
                after: before,
            },
        );
        self.frames.push(Frame::Region { id, level });
        self.frames.push(Frame::Before { op });
        let start = Pending::start(&self.shape, &mut self.complete, inner);
        self.open_region(Some(op), id, inner, start);
    }

    fn second_half(&mut self, op: OpId) {
        let OpKind::Loop {
            id,
            before,
            after: ref mut place,
            ..
        } = self.tree.ops[op].kind
        else {
            unreachable!("only loops have halves")
        };
        let (id, before) = (id.get(), before.get());
        *place = Number::of(self.tree.regions.len());
        let mut exits = std::mem::take(&mut self.pending);
        let unit = self.shape.landings.cut[id].unwrap_or(Unit::next_trip(id));
        let entry = exits
            .take(&self.shape, unit)
            .expect("the first half of a loop can reach the second");
        self.joined.push(exits);
        self.frames.push(Frame::After { op });
        if let Unit::Continue(_) = unit {
            self.add_region(Some(op), before, Choice::one(Target::next_trip(id)));
        } else {
            self.open_region(Some(op), before, id, Pending::arrived(&self.shape, entry));
        }
    }

    fn close_loop(&mut self, op: OpId) {
        let OpKind::Loop { id, before, .. } = self.tree.ops[op].kind else {
            unreachable!("only loops have halves")
        };
        self.tree.regions[before.get()].end = Number::of(self.tree.regions.len());
        if let Some(exits) = self.joined.last_mut() {
            exits.leave_loop(&mut self.complete, self.shape.forest.loops[id.get()].parent);
        }
        self.close(op);
    }
}
