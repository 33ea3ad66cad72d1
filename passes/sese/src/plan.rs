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

use melior::ir::TypeLike;
use tfx_ir::{Use, Value};

use crate::body::{Body, Slot, Slots};
use crate::cfg::BlockId;
use crate::grouped::Grouped;
use crate::landing::{Landings, Target, TargetKind};
use crate::loops::LoopForest;
use crate::number::Number;
use crate::tree::{Item, OpId, OpKind, RegionId, Tree};

/// Which slots are handed out where, and which operands read a slot.
pub(crate) struct Plan<'a> {
    /// Per operation: the slots it hands out, in order.
    handed_out: Grouped<Number>,
    /// Per block: the operands in it (terminators left out) that read a slot.
    reads: Grouped<(Use<'a>, Number)>,
    /// Per block: the values in it that have a slot.
    writes: Grouped<(Value<'a>, Number)>,
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
        let places = Places::new(body, forest, tree);
        let mut planner = Planner {
            body,
            forest,
            landings,
            tree,
            places,
            handed_out: Vec::with_capacity(slots.infos.len()),
            reads: Vec::with_capacity(slots.infos.len()),
            writes: Vec::new(),
            far: Vec::new(),
            stamps: vec![0; tree.ops.len()],
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
        planner.finish(slots)
    }

    /// The slots that an operation hands out, in order.
    pub(crate) fn handed_out(&self, op: OpId) -> impl ExactSizeIterator<Item = Slot> {
        self.handed_out.of(op).iter().map(|slot| slot.get())
    }

    /// The operands in a block that read a slot, but for those of its terminator.
    pub(crate) fn reads(&self, block: BlockId) -> impl Iterator<Item = (Use<'a>, Slot)> {
        let reads = self.reads.of(block).iter();
        reads.map(|&(read, slot)| (read, slot.get()))
    }

    /// The values in a block that have a slot.
    pub(crate) fn writes(&self, block: BlockId) -> impl Iterator<Item = (Value<'a>, Slot)> {
        let writes = self.writes.of(block).iter();
        writes.map(|&(value, slot)| (value, slot.get()))
    }
}

/// Where things stand in the tree.
struct Places {
    /// Per region: the second half of the loop whose first half it is.
    second_half: Vec<Option<Number>>,
    /// Per loop: its operation's first region, if it can be reached.
    first_half_of: Vec<Option<Number>>,
    /// Per edge: the region at whose start or end it is taken.
    of_edge: Vec<Number>,
    /// Per block: the region that knows its arguments.
    of_arguments: Vec<Number>,
}

impl Places {
    fn new(body: &Body, forest: &LoopForest, tree: &Tree) -> Self {
        let mut places = Self {
            second_half: vec![None; tree.regions.len()],
            first_half_of: vec![None; forest.loops.len()],
            of_edge: vec![Number::of(0); body.cfg.num_edges()],
            of_arguments: tree
                .region_of
                .iter()
                .map(|region| region.unwrap_or(Number::of(0)))
                .collect(),
        };
        for (block, region) in tree.region_of.iter().enumerate() {
            for edge in body.cfg.edges(block) {
                places.of_edge[edge] = region.unwrap_or(Number::of(0));
            }
        }
        for op in &tree.ops {
            match op.kind {
                OpKind::Branch { block, first_arm } => {
                    let arms = tree.siblings(first_arm);
                    for (edge, arm) in body.cfg.edges(block.get()).zip(arms) {
                        places.of_edge[edge] = Number::of(arm);
                    }
                }
                // What an arm starts with was pending around it, and so were its arguments.
                OpKind::Dispatch { arms, .. } => {
                    for (targets, arm) in tree.dispatch_arms(arms) {
                        if let (&[target], Some(Item::Block(first))) =
                            (targets, tree.items(arm).next())
                            && target == Target::block(first.get())
                        {
                            places.of_arguments[first.get()] = op.region;
                        }
                    }
                }
                OpKind::Loop {
                    id, before, after, ..
                } => {
                    places.second_half[before.get()] = Some(after);
                    places.first_half_of[id.get()] = Some(before);
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
    /// What [`Plan`] has, as pairs of a group and a member.
    handed_out: Vec<(Number, Number)>,
    reads: Vec<(Number, (Use<'a>, Number))>,
    writes: Vec<(Number, (Value<'a>, Number))>,
    /// Reads of one value that cannot see it; kept to keep its memory.
    far: Vec<(Use<'a>, BlockId)>,
    /// Per operation: the last climb that passed it.
    stamps: Vec<u32>,
    stamp: u32,
}

impl<'a> Planner<'a, '_> {
    /// Hands out what edges fill, up to where their target stands.
    fn edges(&mut self, slots: &Slots<'a>) {
        let mut incoming = Vec::with_capacity(self.body.cfg.num_edges());
        let mut continuing = Vec::new();
        for &block in &self.forest.order {
            for edge in self.body.cfg.edges(block) {
                let target = self.landings.target(&self.body.cfg, edge);
                match target.kind() {
                    _ if slots.of(target).is_empty() => {}
                    TargetKind::Block(target) => {
                        incoming.push((Number::of(target), Number::of(edge)));
                    }
                    TargetKind::Continue(id) => {
                        continuing.push((Number::of(id), Number::of(edge)));
                    }
                }
            }
        }
        let incoming = Grouped::new(self.body.cfg.num_blocks(), &incoming);
        for &block in &self.forest.order {
            let Some(place) = self.tree.region_of[block] else {
                continue;
            };
            self.climb_edges(
                incoming.of(block),
                place.get(),
                slots.of(Target::block(block)),
            );
        }
        let continuing = Grouped::new(self.forest.loops.len(), &continuing);
        for id in 0..self.forest.loops.len() {
            let Some(first_half) = self.places.first_half_of[id] else {
                continue;
            };
            let place = self.places.second_half[first_half.get()].unwrap_or(first_half);
            self.climb_edges(
                continuing.of(id),
                place.get(),
                slots.of(Target::next_trip(id)),
            );
        }
    }

    fn climb_edges(&mut self, edges: &[Number], place: RegionId, slots: std::ops::Range<Slot>) {
        if edges.is_empty() {
            return;
        }
        self.stamp += 1;
        for &edge in edges {
            let from = self.places.of_edge[edge.get()].get();
            self.climb(from, place, slots.clone(), true);
        }
    }

    /// Notes where block arguments are read, and hands them out to there.
    fn arguments(&mut self, block: BlockId, slots: &Slots<'a>) {
        let slots = slots.of(Target::block(block));
        if slots.is_empty() {
            return;
        }
        let place = match self.forest.is_header(block) {
            true => self.places.first_half_of[self.forest.loop_of[block]],
            false => Some(self.places.of_arguments[block]),
        };
        let place = place.map_or(0, Number::get);
        for (slot, argument) in slots.zip(self.body.blocks[block].arguments()) {
            self.stamp += 1;
            for read in argument.uses() {
                let is_near = read.owner.block() == Some(self.body.blocks[block]);
                let reader = match is_near {
                    true => Some(block),
                    false => self.body.block_around(read.owner),
                };
                if let Some(reader) = reader {
                    self.read(read, reader, place, slot);
                }
            }
        }
    }

    /// Gives a slot to each result that is read where it cannot be seen, and hands it out to there.
    fn results(&mut self, block: BlockId, slots: &mut Slots<'a>) {
        let Some(place) = self.tree.region_of[block].map(Number::get) else {
            return;
        };
        let mut far = std::mem::take(&mut self.far);
        for op in self.body.blocks[block].ops() {
            for value in op.results() {
                let unseen = value
                    .uses()
                    .filter_map(|read| Some((read, self.far_reader(read, block, place)?)));
                far.extend(unseen);
                if far.is_empty() {
                    continue;
                }
                let slot = slots.add_value(value);
                self.writes
                    .push((Number::of(block), (value, Number::of(slot))));
                self.stamp += 1;
                for (read, reader) in far.drain(..) {
                    self.read(read, reader, place, slot);
                }
            }
        }
        self.far = far;
    }

    /// The block of a read, if a value that is defined in `block`, which stands in `place`, cannot be seen there.
    fn far_reader(&self, read: Use<'a>, block: BlockId, place: RegionId) -> Option<BlockId> {
        if read.owner.block() == Some(self.body.blocks[block]) {
            return None;
        }
        let reader = self.body.block_around(read.owner)?;
        let region = self.tree.region_of[reader]?.get();
        (!self.sees(place, region)).then_some(reader)
    }

    /// Whether code in `region` sees the values of `place`.
    fn sees(&self, place: RegionId, region: RegionId) -> bool {
        self.tree.contains(place, region)
            && self.places.second_half[place].is_none_or(|second| region < second.get())
    }

    fn read(&mut self, read: Use<'a>, block: BlockId, place: RegionId, slot: Slot) {
        let Some(region) = self.tree.region_of[block].map(Number::get) else {
            return;
        };
        if read.owner != self.body.terminator(block) {
            self.reads
                .push((Number::of(block), (read, Number::of(slot))));
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
            let Some(owner) = self.tree.regions[region].owner() else {
                return;
            };
            if !self.hand_out(owner, slots.clone()) && stop_at_stamp {
                return;
            }
            region = self.tree.regions[region].parent();
        }
        if let (false, Some(owner)) = (self.sees(region, to), self.tree.regions[region].owner()) {
            self.hand_out(owner, slots);
        }
    }

    /// Says whether the operation did not hand them out yet.
    fn hand_out(&mut self, op: OpId, slots: std::ops::Range<Slot>) -> bool {
        let new = self.stamps[op] != self.stamp;
        if new {
            self.stamps[op] = self.stamp;
            let handed = slots.map(|slot| (Number::of(op), Number::of(slot)));
            self.handed_out.extend(handed);
        }
        new
    }

    /// Puts slots in order, a loop's own arguments first.
    fn finish(self, slots: &Slots<'a>) -> Plan<'a> {
        let mut handed_out = Grouped::new(self.tree.ops.len(), &self.handed_out);
        handed_out.sort_and_dedup(|op, slot| {
            let own = match self.tree.ops[op].kind {
                OpKind::Loop { id, .. } => {
                    slots.of(Target::block(self.forest.loops[id.get()].header))
                }
                _ => 0..0,
            };
            (!own.contains(&slot.get()), *slot)
        });
        Plan {
            handed_out,
            reads: Grouped::new(self.body.blocks.len(), &self.reads),
            writes: Grouped::new(self.body.blocks.len(), &self.writes),
        }
    }
}

/// Whether two values of this type may be chosen from with `arith.select` as cheaply as with a branch.
pub(crate) fn is_scalar(ty: melior::ir::Type<'_>) -> bool {
    ty.is_integer() || ty.is_index() || ty.is_float()
}
