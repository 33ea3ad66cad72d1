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
use tfx_ir::{Block, Builder, Value};

use crate::body::Slot;
use crate::cfg::BlockId;
use crate::emit::{Emitter, Frame, Open, adopt};
use crate::landing::Target;
use crate::loops::LoopId;
use crate::results::{Outcome, Results, Yields};
use crate::tree::{OpId, OpKind, RegionId};
use crate::ways::Way;

/// A loop whose regions are being filled.
pub(crate) struct Repeating<'a> {
    op: OpId,
    location: Location<'a>,
    /// What the loop carries: types and first values.
    carried: Vec<Carried<'a>>,
    initial: Vec<Value<'a>>,
    first_half: Block<'a>,
    /// Once the first half is done: what the loop hands out, and the second half.
    second: Option<(Results<'a>, Block<'a>)>,
}

/// One value that a loop carries from trip to trip.
struct Carried<'a> {
    ty: Type<'a>,
    location: Location<'a>,
    initial: Option<Value<'a>>,
    /// The last entry that takes it as an argument. Entries share what they can, since only one of them is taken.
    entry: BlockId,
}

impl<'a> Emitter<'a, '_> {
    /// What a loop carries: the arguments of its entries, the header's first. And which slot holds which.
    fn carry(&self, id: LoopId) -> (Vec<Carried<'a>>, Vec<(Slot, usize)>) {
        let header = self.input.forest.loops[id].header;
        let entries =
            std::iter::once(header).chain(self.input.landings.extra_entries[id].iter().copied());
        let mut carried: Vec<Carried<'a>> = Vec::new();
        let mut holds = Vec::new();
        for entry in entries {
            for slot in self.input.slots.of(Target::Block(entry)) {
                let info = &self.input.slots.infos[slot];
                let initial = self.filled[slot];
                let fits = |one: &Carried<'a>| {
                    let same = one.initial == initial || one.initial.is_none() || initial.is_none();
                    one.entry != entry && one.ty == info.ty && same
                };
                let index = carried.iter().position(fits).unwrap_or(carried.len());
                if index == carried.len() {
                    carried.push(Carried {
                        ty: info.ty,
                        location: info.location,
                        initial,
                        entry,
                    });
                }
                let one = &mut carried[index];
                (one.initial, one.entry) = (one.initial.or(initial), entry);
                holds.push((slot, index));
            }
        }
        (carried, holds)
    }

    pub(crate) fn start_loop(&mut self, op: OpId, id: LoopId, before: RegionId) {
        let location = self.input.terminators.location[self.input.forest.loops[id].header];
        let entered = self.input.tree.regions[before].entered;
        let (carried, holds) = self.carry(id);
        let mut initial = Vec::with_capacity(carried.len());
        for one in &carried {
            let value = one.initial;
            initial.push(value.unwrap_or_else(|| self.ways.never_read(one.ty)));
        }
        let way = self.current().way;
        let mut builder = self.builder(location);
        let start = self.ways.convert(&mut builder, way, entered);
        initial.extend(start.into_iter());

        let mut arguments: Vec<(Type<'a>, Location<'a>)> =
            carried.iter().map(|one| (one.ty, one.location)).collect();
        arguments.extend(
            self.ways
                .types(entered)
                .into_iter()
                .map(|ty| (ty, location)),
        );
        let first_half = Block::new(&arguments);
        let mut flags = (carried.len()..arguments.len()).map(|index| first_half.argument(index));
        let values = start.refill(&mut flags);
        self.frames.push(Frame::Repeat(Repeating {
            op,
            location,
            carried,
            initial,
            first_half,
            second: None,
        }));
        let way = Way {
            choice: entered,
            values,
        };
        self.open(Some(before), first_half, way);
        for (slot, index) in holds {
            self.fill(slot, first_half.argument(index));
        }
    }

    pub(crate) fn close_half(&mut self, repeating: Repeating<'a>, open: Open<'a>) {
        match repeating.second {
            None => self.second_half(repeating, open),
            Some(_) => self.end_loop(repeating, open),
        }
    }

    fn second_half(&mut self, mut repeating: Repeating<'a>, open: Open<'a>) {
        let op = repeating.op;
        let OpKind::Loop { goes_on, after, .. } = self.input.tree.ops[op].kind else {
            unreachable!("only loops have halves")
        };
        let location = repeating.location;
        let mut builder = Builder::at_end(open.block, location);
        let flag = self.ways.is_pending(&mut builder, open.way, goes_on);
        let yields = self.loop_yields(op, &mut builder, open.way, goes_on);
        self.undo_to(open.undo);
        let results = self.find_results(op, &[&yields], None);
        let depth = self.current().depth;
        let values = self.operands(&results, 0, depth);
        builder.scf_condition(flag, &values);

        let arguments: Vec<(Type<'a>, Location<'a>)> = values
            .iter()
            .map(|value| (value.ty(), value.location()))
            .collect();
        let block = Block::new(&arguments);
        let slots = self.input.plan.handed_out[op].iter().zip(&results.slots);
        let fills: Vec<(Slot, Value<'a>)> = slots
            .filter_map(|(&slot, &outcome)| match outcome {
                Outcome::Nothing => None,
                Outcome::Known(value) => Some((slot, value)),
                Outcome::Result(index) => Some((slot, block.argument(index))),
            })
            .collect();
        repeating.second = Some((results, block));
        self.frames.push(Frame::Repeat(repeating));
        self.open(Some(after), block, Way::to(goes_on));
        for (slot, value) in fills {
            self.fill(slot, value);
        }
    }

    /// What the first half has for the results. Where to go on after the loop is read only if it does not go on.
    fn loop_yields(
        &mut self,
        op: OpId,
        builder: &mut Builder<'a>,
        way: Way<'a>,
        goes_on: Target,
    ) -> Yields<'a> {
        let mut left = way;
        if way.choice.goes_on == Some(goes_on) {
            left.choice.goes_on = None;
            left.values.goes_on = None;
        }
        let slots = self.input.plan.handed_out[op].iter();
        Yields {
            slots: slots.map(|&slot| self.filled[slot]).collect(),
            ways: self
                .ways
                .convert(builder, left, self.input.tree.ops[op].left),
            choice: way.choice,
        }
    }

    fn end_loop(&mut self, repeating: Repeating<'a>, open: Open<'a>) {
        let op = repeating.op;
        let OpKind::Loop { id, before, .. } = self.input.tree.ops[op].kind else {
            unreachable!("only loops have halves")
        };
        let mut builder = Builder::at_end(open.block, repeating.location);
        let next_trip = self.input.slots.of(Target::Continue(id));
        let not_entered_again = next_trip.len();
        let mut values: Vec<Value<'a>> = next_trip.map(|slot| self.held(slot)).collect();
        for one in &repeating.carried[not_entered_again..] {
            values.push(self.ways.never_read(one.ty));
        }
        let header = Way::to(Target::Block(self.input.forest.loops[id].header));
        let entered = self.input.tree.regions[before].entered;
        values.extend(self.ways.convert(&mut builder, header, entered).into_iter());
        builder.scf_yield(&values);
        self.undo_to(open.undo);

        let Some((results, second_half)) = repeating.second else {
            unreachable!("the second half was opened with the results")
        };
        let mut builder = self.builder(repeating.location);
        let made = builder.scf_while(&repeating.initial, &results.types());
        adopt(made, [(0, repeating.first_half), (1, second_half)]);
        self.finish(op, &results, |index| made.result(index));
    }
}
