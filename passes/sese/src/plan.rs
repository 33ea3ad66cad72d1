//! The results of each structured operation.
//!
//! A region sees the values of enclosing regions, but not those of sibling or nested ones. A
//! slot that is filled in one region and read in another is therefore a result of each operation on
//! the path from the first region to the innermost region that encloses both, and is passed from
//! the `before` region of a loop to its `after` region:
//!
//! ```text
//!   r0 { branch { r1 { %a = ...  } r2 { } }       %a is one result of the branch, because r0 is
//!        dispatch { r3 { use %a } } }             the innermost region around r1 and r3
//! ```
//!
//! There are no other results. Cost: linear in the results. For each edge and for each read where
//! the value is not visible, one walk leads up the tree; it stops where an earlier walk for the
//! same target has passed.

use tfx_ir::{Use, Value};

use crate::body::{Body, Slot, Slots};
use crate::cfg::BlockId;
use crate::grouped::Grouped;
use crate::loop_forest::LoopForest;
use crate::number::Number;
use crate::tree::{Item, OpId, OpKind, RegionId, Tree};
use crate::units::{Target, TargetKind, Units};

/// The slots that operations return, and the operands that read a slot.
pub(crate) struct Plan<'a> {
    /// Per operation: the slots that it returns, in order.
    result_slots: Grouped<Number>,
    /// Per block: the operands that read a slot, without those of the terminator.
    reads: Grouped<(Use<'a>, Number)>,
    /// Per block: its values that have a slot.
    writes: Grouped<(Value<'a>, Number)>,
}

impl<'a> Plan<'a> {
    /// Plans the results of `tree`. Adds slots for results of operations that are read where they
    /// are not visible.
    pub(crate) fn new(
        body: &Body<'a>,
        forest: &LoopForest,
        units: &Units,
        tree: &Tree,
        slots: &mut Slots<'a>,
    ) -> Self {
        let positions = Positions::new(body, forest, tree);
        let mut planner = Planner {
            body,
            forest,
            units,
            tree,
            positions,
            result_slots: Vec::with_capacity(slots.infos.len()),
            reads: Vec::with_capacity(slots.infos.len()),
            writes: Vec::new(),
            out_of_scope: Vec::new(),
            stamps: vec![0; tree.ops.len()],
            stamp: 0,
        };
        planner.edges(slots);
        for block in forest.blocks() {
            planner.arguments(block, slots);
            planner.results(block, slots);
        }
        planner.finish(slots)
    }

    /// Returns the slots that an operation returns, in order.
    pub(crate) fn result_slots(&self, op: OpId) -> impl ExactSizeIterator<Item = Slot> {
        self.result_slots.of(op).iter().map(|slot| slot.get())
    }

    /// Returns the operands in a block that read a slot, without those of its terminator.
    pub(crate) fn reads(&self, block: BlockId) -> impl Iterator<Item = (Use<'a>, Slot)> {
        let reads = self.reads.of(block).iter();
        reads.map(|&(read, slot)| (read, slot.get()))
    }

    /// Returns the values in a block that have a slot.
    pub(crate) fn writes(&self, block: BlockId) -> impl Iterator<Item = (Value<'a>, Slot)> {
        let writes = self.writes.of(block).iter();
        writes.map(|&(value, slot)| (value, slot.get()))
    }
}

/// Positions in the tree.
struct Positions {
    /// Per region: if it is the `before` region of a loop, the `after` region.
    after_of: Vec<Option<Number>>,
    /// Per loop: its `before` region, if it is reachable.
    before_of: Vec<Option<Number>>,
    /// Per edge: the region at whose start or end it is taken.
    of_edge: Vec<Number>,
    /// Per block: the region in which its arguments become known.
    of_arguments: Vec<Number>,
}

impl Positions {
    fn new(body: &Body, forest: &LoopForest, tree: &Tree) -> Self {
        let mut positions = Self {
            after_of: vec![None; tree.regions.len()],
            before_of: vec![None; forest.loops.len()],
            of_edge: vec![Number::of(0); body.cfg.num_edges()],
            of_arguments: tree
                .region_of
                .iter()
                .map(|region| region.unwrap_or(Number::of(0)))
                .collect(),
        };
        for (block, region) in tree.region_of.iter().enumerate() {
            for edge in body.cfg.edges(block) {
                positions.of_edge[edge] = region.unwrap_or(Number::of(0));
            }
        }
        for op in &tree.ops {
            match op.kind {
                OpKind::Branch { block, first_arm } => {
                    let arms = tree.siblings(first_arm);
                    for (edge, arm) in body.cfg.edges(block.get()).zip(arms) {
                        positions.of_edge[edge] = Number::of(arm);
                    }
                }
                // The edges to the first block of an arm, and their operands, come from around it.
                OpKind::Dispatch { arms, .. } => {
                    for (targets, arm) in tree.dispatch_arms(arms) {
                        if let (&[target], Some(Item::Block(first))) =
                            (targets, tree.items(arm).next())
                            && target == Target::block(first.get())
                        {
                            positions.of_arguments[first.get()] = op.region;
                        }
                    }
                }
                OpKind::Loop {
                    id, before, after, ..
                } => {
                    positions.after_of[before.get()] = Some(after);
                    positions.before_of[id.get()] = Some(before);
                }
            }
        }
        positions
    }
}

struct Planner<'a, 'p> {
    body: &'p Body<'a>,
    forest: &'p LoopForest,
    units: &'p Units,
    tree: &'p Tree,
    positions: Positions,
    /// The contents of [`Plan`], as pairs of a group and a member.
    result_slots: Vec<(Number, Number)>,
    reads: Vec<(Number, (Use<'a>, Number))>,
    writes: Vec<(Number, (Value<'a>, Number))>,
    /// Scratch space: reads of one value where it is not visible.
    out_of_scope: Vec<(Use<'a>, BlockId)>,
    /// Per operation: the last walk that passed it.
    stamps: Vec<u32>,
    stamp: u32,
}

impl<'a> Planner<'a, '_> {
    /// Adds the slots that an edge fills to the results of the operations up to its target.
    fn edges(&mut self, slots: &Slots<'a>) {
        let mut incoming = Vec::with_capacity(self.body.cfg.num_edges());
        let mut continuing = Vec::new();
        for &block in &self.forest.order {
            for edge in self.body.cfg.edges(block) {
                let target = self.units.target(&self.body.cfg, edge);
                match target.kind() {
                    _ if slots.of(target).is_empty() => {}
                    TargetKind::Block(target) => {
                        incoming.push((Number::of(target), Number::of(edge)));
                    }
                    TargetKind::NextIteration(id) => {
                        continuing.push((Number::of(id), Number::of(edge)));
                    }
                }
            }
        }
        let incoming = Grouped::new(self.body.cfg.num_blocks(), &incoming);
        for &block in &self.forest.order {
            let Some(region) = self.tree.region_of[block] else {
                continue;
            };
            self.walk_edges(
                incoming.of(block),
                region.get(),
                slots.of(Target::block(block)),
            );
        }
        let continuing = Grouped::new(self.forest.loops.len(), &continuing);
        for id in 0..self.forest.loops.len() {
            let Some(before) = self.positions.before_of[id] else {
                continue;
            };
            let region = self.positions.after_of[before.get()].unwrap_or(before);
            self.walk_edges(
                continuing.of(id),
                region.get(),
                slots.of(Target::next_iteration(id)),
            );
        }
    }

    fn walk_edges(&mut self, edges: &[Number], to: RegionId, slots: std::ops::Range<Slot>) {
        if edges.is_empty() {
            return;
        }
        self.stamp += 1;
        for &edge in edges {
            let from = self.positions.of_edge[edge.get()].get();
            self.walk_up(from, to, slots.clone(), true);
        }
    }

    /// Records the reads of block arguments, and adds these to the results up to each read.
    fn arguments(&mut self, block: BlockId, slots: &Slots<'a>) {
        let slots = slots.of(Target::block(block));
        if slots.is_empty() {
            return;
        }
        let definition = match self.forest.is_header(block) {
            true => self.positions.before_of[self.forest.loop_of[block]],
            false => Some(self.positions.of_arguments[block]),
        };
        let definition = definition.map_or(0, Number::get);
        for (slot, argument) in slots.zip(self.body.blocks[block].arguments()) {
            self.stamp += 1;
            for read in argument.uses() {
                let is_local = read.owner.block() == Some(self.body.blocks[block]);
                let reader = match is_local {
                    true => Some(block),
                    false => self.body.block_around(read.owner),
                };
                if let Some(reader) = reader {
                    self.read(read, reader, definition, slot);
                }
            }
        }
    }

    /// Adds a slot for each result that is read where it is not visible, and results up to there.
    fn results(&mut self, block: BlockId, slots: &mut Slots<'a>) {
        let Some(definition) = self.tree.region_of[block].map(Number::get) else {
            return;
        };
        let mut out_of_scope = std::mem::take(&mut self.out_of_scope);
        for op in self.body.blocks[block].ops() {
            for value in op.results() {
                let invisible = value.uses().filter_map(|read| {
                    Some((read, self.reader_out_of_scope(read, block, definition)?))
                });
                out_of_scope.extend(invisible);
                if out_of_scope.is_empty() {
                    continue;
                }
                let slot = slots.add_value(value);
                self.writes
                    .push((Number::of(block), (value, Number::of(slot))));
                self.stamp += 1;
                for (read, reader) in out_of_scope.drain(..) {
                    self.read(read, reader, definition, slot);
                }
            }
        }
        self.out_of_scope = out_of_scope;
    }

    /// Returns the block of a read if a value that is defined in `block`, in region `definition`,
    /// is not visible there.
    fn reader_out_of_scope(
        &self,
        read: Use<'a>,
        block: BlockId,
        definition: RegionId,
    ) -> Option<BlockId> {
        if read.owner.block() == Some(self.body.blocks[block]) {
            return None;
        }
        let reader = self.body.block_around(read.owner)?;
        let region = self.tree.region_of[reader]?.get();
        (!self.is_visible(definition, region)).then_some(reader)
    }

    /// Returns whether the values of region `definition` are visible in `region`.
    fn is_visible(&self, definition: RegionId, region: RegionId) -> bool {
        self.tree.contains(definition, region)
            && self.positions.after_of[definition].is_none_or(|after| region < after.get())
    }

    fn read(&mut self, read: Use<'a>, block: BlockId, definition: RegionId, slot: Slot) {
        let Some(region) = self.tree.region_of[block].map(Number::get) else {
            return;
        };
        if read.owner != self.body.terminator(block) {
            self.reads
                .push((Number::of(block), (read, Number::of(slot))));
        }
        self.walk_up(definition, region, slot..slot + 1, false);
    }

    /// Adds `slots` to the results of all operations from region `from` up to the innermost region
    /// that also encloses `to`.
    fn walk_up(
        &mut self,
        from: RegionId,
        to: RegionId,
        slots: std::ops::Range<Slot>,
        stop_at_earlier_walk: bool,
    ) {
        let mut region = from;
        while !self.tree.contains(region, to) {
            let Some(owner) = self.tree.regions[region].owner() else {
                return;
            };
            if !self.add_results(owner, slots.clone()) && stop_at_earlier_walk {
                return;
            }
            region = self.tree.regions[region].parent();
        }
        if let (false, Some(owner)) = (
            self.is_visible(region, to),
            self.tree.regions[region].owner(),
        ) {
            self.add_results(owner, slots);
        }
    }

    /// Adds results to an operation; returns whether this walk had not passed it yet.
    fn add_results(&mut self, op: OpId, slots: std::ops::Range<Slot>) -> bool {
        let new = self.stamps[op] != self.stamp;
        if new {
            self.stamps[op] = self.stamp;
            let forwarded = slots.map(|slot| (Number::of(op), Number::of(slot)));
            self.result_slots.extend(forwarded);
        }
        new
    }

    /// Sorts the results, with the arguments of a loop first.
    fn finish(self, slots: &Slots<'a>) -> Plan<'a> {
        let mut result_slots = Grouped::new(self.tree.ops.len(), &self.result_slots);
        result_slots.sort_and_dedup(|op, slot| {
            let own = match self.tree.ops[op].kind {
                OpKind::Loop { id, .. } => {
                    slots.of(Target::block(self.forest.loops[id.get()].header))
                }
                _ => 0..0,
            };
            (!own.contains(&slot.get()), *slot)
        });
        Plan {
            result_slots,
            reads: Grouped::new(self.body.blocks.len(), &self.reads),
            writes: Grouped::new(self.body.blocks.len(), &self.writes),
        }
    }
}
