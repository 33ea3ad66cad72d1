//! Loops: `scf.while`.
//!
//! ```text
//!   scf.while (header's arguments = what the edges into the loop hand over [, where to start]) {
//!     first half                    scf.condition(goes on) what the loop hands out [, where to go on after it]
//!   } do {
//!     second half                   scf.yield the header's arguments for the next trip
//!   }
//! ```
//!
//! Part of the walk in `emit.rs`. "Where to start" exists only in a loop with several entries, "where to go on" only after one that
//! is left for several places. What the loop hands out goes to the second half as well.

use melior::ir::{Location, Type};
use tfx_ir::{Builder, Op, Value};

use crate::body::Slot;
use crate::emit::{Emitter, Frame, Open};
use crate::landing::Target;
use crate::loops::LoopId;
use crate::plan::needs_value;
use crate::tree::{OpId, OpKind, RegionId};
use crate::ways::Way;

impl<'a> Emitter<'a, '_> {
    /// What a loop carries from trip to trip: the arguments of its entries, the header's first.
    fn carried(&self, id: LoopId) -> Vec<Slot> {
        let header = self.input.forest.loops[id].header;
        let entries =
            std::iter::once(header).chain(self.input.landings.extra_entries[id].iter().copied());
        entries
            .flat_map(|block| self.input.slots.of(Target::Block(block)))
            .collect()
    }

    pub(crate) fn start_loop(&mut self, op: OpId, id: LoopId, before: RegionId) {
        let location = self.input.terminators.location[self.input.forest.loops[id].header];
        let entered = self.input.tree.regions[before].entered;
        let carried = self.carried(id);
        let mut builder = self.builder(location);
        let mut initial: Vec<Value<'a>> = carried.iter().map(|&slot| self.held(slot)).collect();
        let way = self.current().way;
        initial.extend(self.ways.convert(&mut builder, way, entered));
        let made = builder.scf_while(&initial, &self.result_types(op));

        let mut arguments = self.arguments(&carried);
        arguments.extend(self.ways.ty(entered).map(|ty| (ty, location)));
        let block = made.region(0).add_block(&arguments);
        self.frames.push(Frame::Before { op, made });
        let value = needs_value(entered).then(|| block.argument(carried.len()));
        self.open(
            Some(before),
            block,
            Way {
                choice: entered,
                value,
            },
        );
        for (index, slot) in carried.into_iter().enumerate() {
            self.fill(slot, block.argument(index));
        }
    }

    fn arguments(&self, slots: &[Slot]) -> Vec<(Type<'a>, Location<'a>)> {
        slots
            .iter()
            .map(|&slot| {
                (
                    self.input.slots.infos[slot].ty,
                    self.input.slots.infos[slot].location,
                )
            })
            .collect()
    }

    pub(crate) fn second_half(&mut self, op: OpId, made: Op<'a>, open: Open<'a>) {
        let OpKind::Loop { goes_on, after, .. } = self.input.tree.ops[op].kind else {
            unreachable!("only loops have halves")
        };
        let mut builder = Builder::at_end(open.block, made.location());
        let flag = self.ways.is_pending(&mut builder, open.way, goes_on);
        let values = self.results(op, &mut builder, open.way);
        builder.scf_condition(flag, &values);
        self.undo_to(open.undo);

        let slots = &self.input.plan.handed_out[op];
        let mut arguments = self.arguments(slots);
        arguments.extend(
            self.ways
                .ty(self.input.tree.ops[op].left)
                .map(|ty| (ty, made.location())),
        );
        let block = made.region(1).add_block(&arguments);
        self.frames.push(Frame::After { op, made });
        self.open(Some(after), block, Way::to(goes_on));
        for (index, &slot) in slots.iter().enumerate() {
            self.fill(slot, block.argument(index));
        }
    }

    pub(crate) fn end_loop(&mut self, op: OpId, made: Op<'a>, open: Open<'a>) {
        let OpKind::Loop { id, before, .. } = self.input.tree.ops[op].kind else {
            unreachable!("only loops have halves")
        };
        let mut builder = Builder::at_end(open.block, made.location());
        let next_trip = self.input.slots.of(Target::Continue(id));
        let not_entered_again = self.carried(id).split_off(next_trip.len());
        let mut values: Vec<Value<'a>> = next_trip.map(|slot| self.held(slot)).collect();
        for slot in not_entered_again {
            let ty = self.input.slots.infos[slot].ty;
            values.push(self.ways.never_read(ty));
        }
        let header = Way::to(Target::Block(self.input.forest.loops[id].header));
        values.extend(self.ways.convert(
            &mut builder,
            header,
            self.input.tree.regions[before].entered,
        ));
        builder.scf_yield(&values);
        self.undo_to(open.undo);
        self.finish(op, made);
    }
}
