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
use smallvec::SmallVec;
use tfx_ir::{Block, Builder, Value};

use crate::body::Slot;
use crate::cfg::BlockId;
use crate::emit::{Around, Emitter, Fate, Open};
use crate::landing::Target;
use crate::loops::LoopId;
use crate::results::{List, Outcome, Results, Row};
use crate::tree::{OpId, OpKind, RegionId};
use crate::ways::{Values, Way};

/// A loop whose regions are being filled.
pub(crate) struct Repeating<'a> {
    op: OpId,
    location: Location<'a>,
    /// The first values of what the loop carries: the header's arguments, those of other entries, where to start.
    initial: List<'a>,
    /// The types of the arguments of other entries.
    of_other_entries: SmallVec<[Type<'a>; 2]>,
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

type AllCarried<'a> = SmallVec<[Carried<'a>; 4]>;
/// Slots, and the arguments of a loop that hold them.
type Holds = SmallVec<[(Slot, usize); 4]>;

impl<'a> Emitter<'a, '_> {
    /// What a loop carries: the arguments of its entries, the header's first. And which slot holds which.
    fn carry(&self, id: LoopId) -> (AllCarried<'a>, Holds) {
        let header = self.input.forest.loops[id].header;
        let entries =
            std::iter::once(header).chain(self.input.landings.extra_entries[id].iter().copied());
        let mut carried = AllCarried::new();
        let mut holds = Holds::new();
        for entry in entries {
            for slot in self.input.slots.of(Target::block(entry)) {
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
        let location = self.input.terminators.loop_location[id];
        let entered = self.input.tree.regions[before].entered;
        let (carried, holds) = self.carry(id);
        let mut initial = List::with_capacity(carried.len());
        for one in &carried {
            let value = one.initial;
            initial.push(value.unwrap_or_else(|| self.ways.never_read(one.ty)));
        }
        let way = self.current().way;
        let mut builder = self.builder(location);
        let start = self.ways.convert(&mut builder, way, entered);
        initial.extend(start.into_iter());

        // The header's own block serves as it is: what a loop carries starts with the header's arguments.
        let header = self.input.forest.loops[id].header;
        let first_half = self.half(before, Some(header));
        let known = first_half.num_arguments();
        for one in &carried[known..] {
            first_half.add_argument(one.ty, one.location);
        }
        for ty in self.ways.types(entered).into_iter() {
            first_half.add_argument(ty, location);
        }
        let mut flags = first_half.arguments().skip(carried.len());
        let values = start.refill(&mut flags);
        let own = self.input.slots.of(Target::block(header)).len();
        self.loops.push(Repeating {
            op,
            location,
            initial,
            of_other_entries: carried[own..].iter().map(|one| one.ty).collect(),
            first_half,
            second: None,
        });
        let way = Way {
            choice: entered,
            values,
        };
        self.open(Around::Loop, Some(before), first_half, way);
        for (slot, index) in holds {
            self.fill(slot, first_half.argument(index));
        }
    }

    /// The block of a half of a loop: that of the function which it starts with, if it has no arguments or is `header`.
    fn half(&mut self, region: RegionId, header: Option<BlockId>) -> Block<'a> {
        let blocks = &self.input.body.blocks;
        let fits = |&block: &BlockId| Some(block) == header || blocks[block].num_arguments() == 0;
        match self.first_block(region).filter(fits) {
            Some(block) => {
                self.fates[block] = Fate::Kept;
                blocks[block]
            }
            None => Block::new(&[]),
        }
    }

    pub(crate) fn close_half(&mut self) {
        let repeating = self.loops.last().expect("a half is one of a loop");
        match repeating.second {
            None => self.second_half(),
            Some(_) => self.end_loop(),
        }
    }

    fn second_half(&mut self) {
        let repeating = self.loops.last().expect("a half is one of a loop");
        let (op, location) = (repeating.op, repeating.location);
        let OpKind::Loop { goes_on, after, .. } = self.input.tree.ops[op].kind else {
            unreachable!("only loops have halves")
        };
        let Open { block, way, .. } = *self.current();
        let mut builder = self.builder(location);
        let flag = self.ways.is_pending(&mut builder, way, goes_on);
        let rows = self.start_rows();
        let row = Row {
            block,
            origin: None,
            ways: self.ways_left(op, &mut builder, way, goes_on),
            choice: way.choice,
        };
        self.add_row(op, row);
        self.leave();
        let results = self.find_results(op, rows, None);
        let values = self.operands(&results, rows, 0);
        builder.scf_condition(flag, &values);
        self.drop_rows(rows);

        let block = self.half(after.get(), None);
        for value in &values {
            block.add_argument(value.ty(), value.location());
        }
        self.open(Around::Loop, Some(after.get()), block, Way::to(goes_on));
        let slots = self.input.plan.handed_out(op);
        for (slot, &outcome) in slots.zip(&results.slots) {
            match outcome {
                Outcome::Nothing => {}
                Outcome::Known(value) => self.fill(slot, value),
                Outcome::Result(index) => self.fill(slot, block.argument(index)),
            }
        }
        if let Some(repeating) = self.loops.last_mut() {
            repeating.second = Some((results, block));
        }
    }

    /// What the first half has for where to go on after the loop, which is read only if it does not go on.
    fn ways_left(
        &mut self,
        op: OpId,
        builder: &mut Builder<'a>,
        way: Way<'a>,
        goes_on: Target,
    ) -> Values<Value<'a>> {
        let mut left = way;
        if way.choice.goes_on == Some(goes_on) {
            left.choice.goes_on = None;
            left.values.goes_on = None;
        }
        self.ways
            .convert(builder, left, self.input.tree.ops[op].left)
    }

    fn end_loop(&mut self) {
        let repeating = self.loops.pop().expect("a half is one of a loop");
        let op = repeating.op;
        let OpKind::Loop { id, before, .. } = self.input.tree.ops[op].kind else {
            unreachable!("only loops have halves")
        };
        let mut builder = self.builder(repeating.location);
        let next_trip = self.input.slots.of(Target::next_trip(id.get()));
        let mut values: List<'a> = next_trip.map(|slot| self.held(slot)).collect();
        for &ty in &repeating.of_other_entries {
            values.push(self.ways.never_read(ty));
        }
        let (id, before) = (id.get(), before.get());
        let header = Way::to(Target::block(self.input.forest.loops[id].header));
        let entered = self.input.tree.regions[before].entered;
        values.extend(self.ways.convert(&mut builder, header, entered).into_iter());
        builder.scf_yield(&values);
        self.leave();

        let Some((results, second_half)) = repeating.second else {
            unreachable!("the second half was opened with the results")
        };
        let mut builder = self.builder(repeating.location);
        let made = builder.scf_while(&repeating.initial, &results.types);
        repeating.first_half.move_to_end(made.region(0));
        second_half.move_to_end(made.region(1));
        self.finish(op, &results, |index| made.result(index));
    }
}
