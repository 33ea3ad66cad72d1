//! What each structured operation must hand out.
//!
//! A region of the tree sees what is defined around it, but nothing that is defined in a region beside it or inside it. So a slot
//! that is filled in one region and read in another is handed out, operation by operation, up to the innermost region that
//! holds both places; and from the first half of a loop to the second:
//!
//! ```text
//!   r0 { branch { r1 { %a = ...  } r2 { } }       %a is handed out of the branch, once,
//!        dispatch { r3 { use %a } } }             because r0 is the innermost region around r1 and r3
//! ```
//!
//! Nothing else is handed out, so each slot costs exactly the results that the structure cannot do without. One climb per edge
//! and per far use, and climbs for one target stop where an earlier one has passed: linear in what is handed out.

use rustc_hash::FxHashMap;

use melior::ir::TypeLike;
use tfx_ir::{Use, Value};

use crate::body::{Body, Slot, Slots};
use crate::cfg::BlockId;
use crate::landing::{Landings, Target};
use crate::loops::{LoopForest, LoopId};
use crate::tree::{Item, OpId, OpKind, RegionId, Tree};

/// Which slots are handed out where, and which operands read a slot.
pub(crate) struct Plan<'a> {
    /// Per operation: the slots it hands out, in order.
    pub(crate) handed_out: Vec<Vec<Slot>>,
    /// Per block: the operands in it (terminators left out) that read a slot.
    pub(crate) reads: Vec<Vec<(Use<'a>, Slot)>>,
    /// Per block: the values in it that have a slot.
    pub(crate) writes: Vec<Vec<(Value<'a>, Slot)>>,
}

impl<'a> Plan<'a> {
    /// Plans for `tree`; gives results of operations that are read far away their slots.
    pub(crate) fn new(
        body: &Body<'a>,
        forest: &LoopForest,
        landings: &Landings,
        tree: &Tree,
        slots: &mut Slots<'a>,
    ) -> Self {
        let plan = Self {
            handed_out: vec![Vec::new(); tree.ops.len()],
            reads: vec![Vec::new(); body.blocks.len()],
            writes: vec![Vec::new(); body.blocks.len()],
        };
        let places = Places::new(body, tree);
        let mut planner = Planner {
            body,
            forest,
            landings,
            tree,
            places,
            plan,
            stamps: vec![None; tree.ops.len()],
            stamp: 0,
        };
        planner.edges(slots);
        for &block in forest
            .order
            .iter()
            .filter(|&&block| block != body.cfg.exit())
        {
            planner.arguments(block, slots);
            planner.results(block, slots);
        }
        planner.sort(slots);
        planner.plan
    }
}

/// Where things stand in the tree.
struct Places {
    /// Per region: the second half of the loop whose first half it is.
    second_half: Vec<Option<RegionId>>,
    /// Per loop: its operation's first region.
    first_half_of: FxHashMap<LoopId, RegionId>,
    /// Per edge: the region at whose start or end it is taken.
    of_edge: Vec<RegionId>,
    /// Per block: the region that knows its arguments.
    of_arguments: Vec<RegionId>,
}

impl Places {
    fn new(body: &Body, tree: &Tree) -> Self {
        let mut places = Self {
            second_half: vec![None; tree.regions.len()],
            first_half_of: FxHashMap::default(),
            of_edge: vec![0; body.cfg.num_edges()],
            of_arguments: tree
                .region_of
                .iter()
                .map(|region| region.unwrap_or(0))
                .collect(),
        };
        for (block, region) in tree.region_of.iter().enumerate() {
            for edge in body.cfg.edges(block) {
                places.of_edge[edge] = region.unwrap_or(0);
            }
        }
        for op in &tree.ops {
            match &op.kind {
                OpKind::Branch { block, arms } => {
                    for (edge, &arm) in body.cfg.edges(*block).zip(arms) {
                        places.of_edge[edge] = arm;
                    }
                }
                // What an arm starts with was pending around it, and so were its arguments.
                OpKind::Dispatch { arms, .. } => {
                    for (targets, arm) in arms {
                        if let ([Target::Block(block)], Some(&Item::Block(first))) =
                            (&targets[..], tree.regions[*arm].items.first())
                            && first == *block
                        {
                            places.of_arguments[first] = op.region;
                        }
                    }
                }
                &OpKind::Loop {
                    id, before, after, ..
                } => {
                    places.second_half[before] = Some(after);
                    places.first_half_of.insert(id, before);
                }
            }
        }
        places
    }
}

struct Planner<'a, 'p> {
    body: &'p Body<'a>,
    forest: &'p LoopForest,
    landings: &'p Landings,
    tree: &'p Tree,
    places: Places,
    plan: Plan<'a>,
    /// Per operation: the last climb that passed it.
    stamps: Vec<Option<usize>>,
    stamp: usize,
}

impl<'a> Planner<'a, '_> {
    /// Hands out what edges fill, up to where their target stands.
    fn edges(&mut self, slots: &Slots<'a>) {
        let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); self.body.cfg.num_blocks()];
        let mut continuing: Vec<Vec<usize>> = vec![Vec::new(); self.forest.loops.len()];
        for &block in &self.forest.order {
            for edge in self.body.cfg.edges(block) {
                match self.landings.target(&self.body.cfg, edge) {
                    Target::Block(target) => incoming[target].push(edge),
                    Target::Continue(id) => continuing[id].push(edge),
                }
            }
        }
        for &block in &self.forest.order {
            let Some(place) = self.tree.region_of[block] else {
                continue;
            };
            self.climb_edges(&incoming[block], place, slots.of(Target::Block(block)));
        }
        for (id, edges) in continuing.iter().enumerate() {
            let Some(&first_half) = self.places.first_half_of.get(&id) else {
                continue;
            };
            let place = self.places.second_half[first_half].unwrap_or(first_half);
            self.climb_edges(edges, place, slots.of(Target::Continue(id)));
        }
    }

    fn climb_edges(&mut self, edges: &[usize], place: RegionId, slots: std::ops::Range<Slot>) {
        if slots.is_empty() {
            return;
        }
        self.stamp += 1;
        for &edge in edges {
            self.climb(self.places.of_edge[edge], place, slots.clone(), true);
        }
    }

    /// Notes where block arguments are read, and hands them out to there.
    fn arguments(&mut self, block: BlockId, slots: &Slots<'a>) {
        let place = match self.forest.is_header(block) {
            true => self.places.first_half_of[&self.forest.loop_of[block]],
            false => self.places.of_arguments[block],
        };
        for slot in slots.of(Target::Block(block)) {
            let argument =
                self.body.blocks[block].argument(slot - slots.of(Target::Block(block)).start);
            self.stamp += 1;
            for read in argument.uses() {
                self.read(read, place, slot);
            }
        }
    }

    /// Gives a slot to each result that is read where it cannot be seen, and hands it out to there.
    fn results(&mut self, block: BlockId, slots: &mut Slots<'a>) {
        let Some(place) = self.tree.region_of[block] else {
            return;
        };
        for op in self.body.blocks[block].ops() {
            for value in op.results() {
                let far: Vec<Use<'a>> = value
                    .uses()
                    .filter(|&read| self.is_far(read, block, place))
                    .collect();
                if far.is_empty() {
                    continue;
                }
                let slot = slots.add_value(value);
                self.plan.writes[block].push((value, slot));
                self.stamp += 1;
                for read in far {
                    self.read(read, place, slot);
                }
            }
        }
    }

    /// Whether a value that is defined in `block`, which stands in `place`, cannot be seen where it is read.
    fn is_far(&self, read: Use<'a>, block: BlockId, place: RegionId) -> bool {
        let is_near = read.owner.block() == Some(self.body.blocks[block]);
        !is_near
            && self
                .region_of_read(read)
                .is_some_and(|region| !self.sees(place, region))
    }

    /// Whether code in `region` sees the values of `place`.
    fn sees(&self, place: RegionId, region: RegionId) -> bool {
        self.tree.contains(place, region)
            && self.places.second_half[place].is_none_or(|second| region < second)
    }

    fn region_of_read(&self, read: Use<'a>) -> Option<RegionId> {
        self.tree.region_of[self.body.block_around(read.owner)?]
    }

    fn read(&mut self, read: Use<'a>, place: RegionId, slot: Slot) {
        let Some(block) = self.body.block_around(read.owner) else {
            return;
        };
        let Some(region) = self.tree.region_of[block] else {
            return;
        };
        if read.owner != self.body.terminator(block) {
            self.plan.reads[block].push((read, slot));
        }
        self.climb(place, region, slot..slot + 1, false);
    }

    /// Hands `slots` out of all operations from region `from` to the innermost region that holds `to` as well.
    fn climb(
        &mut self,
        from: RegionId,
        to: RegionId,
        slots: std::ops::Range<Slot>,
        stop_at_stamp: bool,
    ) {
        let mut region = from;
        while !self.tree.contains(region, to) {
            let Some(owner) = self.tree.regions[region].owner else {
                return;
            };
            if !self.hand_out(owner, slots.clone()) && stop_at_stamp {
                return;
            }
            region = self.tree.regions[region].parent;
        }
        if let (false, Some(owner)) = (self.sees(region, to), self.tree.regions[region].owner) {
            self.hand_out(owner, slots);
        }
    }

    /// Says whether the operation did not hand them out yet.
    fn hand_out(&mut self, op: OpId, slots: std::ops::Range<Slot>) -> bool {
        let new = self.stamps[op] != Some(self.stamp);
        if new {
            self.stamps[op] = Some(self.stamp);
            self.plan.handed_out[op].extend(slots);
        }
        new
    }

    /// Slots in order, a loop's own arguments first.
    fn sort(&mut self, slots: &Slots<'a>) {
        for (op, list) in self.tree.ops.iter().zip(&mut self.plan.handed_out) {
            let own = match op.kind {
                OpKind::Loop { id, .. } => slots.of(Target::Block(self.forest.loops[id].header)),
                _ => 0..0,
            };
            list.sort_unstable_by_key(|slot| (!own.contains(slot), *slot));
            list.dedup();
        }
    }
}

/// Whether two values of this type may be chosen from with `arith.select` as cheaply as with a branch.
pub(crate) fn is_scalar(ty: melior::ir::Type<'_>) -> bool {
    ty.is_integer() || ty.is_index() || ty.is_float()
}
