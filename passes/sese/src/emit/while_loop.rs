//! Loops: `scf.while`.
//!
//! ```text
//!   scf.while (operands of the edges into the loop [, discriminator of the entry]) {
//!     before          scf.condition(continues) results of the loop [, discriminator of the exit]
//!   } do {
//!     after           scf.yield arguments of the next iteration
//!   }
//! ```
//!
//! Only a loop with several entries has a discriminator of the entry, and only a loop whose exits
//! have several targets has one of the exit. The `after` region gets the results, too.

use melior::ir::{Location, Type};
use smallvec::SmallVec;
use tfx_ir::{Block, Value};

use super::discriminator::PathState;
use super::emitter::{BlockUse, Emitter, Row, Values};
use super::results::Results;
use crate::body::Slot;
use crate::cfg::BlockId;
use crate::loop_forest::LoopId;
use crate::number::Number;
use crate::tree::{OpId, OpKind, RegionId};
use crate::units::Target;

/// An `scf.while` whose regions are being filled.
pub(super) struct WhileLoop<'a> {
    op: OpId,
    id: LoopId,
    /// The target for which the loop continues.
    continues: Target,
    /// The regions `before` and `after` of the tree.
    regions: [Number; 2],
    location: Location<'a>,
    /// The initial values of the iteration arguments: of the header, of other entries, and the
    /// discriminator of the entry.
    inits: Values<'a>,
    /// The types of the arguments of other entries.
    other_entries: SmallVec<[Type<'a>; 2]>,
    before: Block<'a>,
    /// Once `before` is finished: the results of the loop, and `after`.
    after: Option<(Results<'a>, Block<'a>)>,
}

/// An iteration argument.
struct IterArg<'a> {
    ty: Type<'a>,
    location: Location<'a>,
    init: Option<Value<'a>>,
    /// The last entry that has it as an argument. Entries share arguments where possible, since
    /// only one entry is taken.
    entry: BlockId,
}

type IterArgs<'a> = SmallVec<[IterArg<'a>; 4]>;
/// Slots, and the indices of the iteration arguments that hold them.
type SlotIndices = SmallVec<[(Slot, usize); 4]>;

/// Returns the iteration arguments of a loop: the arguments of its entries, the header's first.
fn iteration_arguments<'a>(emitter: &Emitter<'a, '_>, id: LoopId) -> (IterArgs<'a>, SlotIndices) {
    let input = emitter.input;
    let others = input.units.extra_entries[id].iter().copied();
    let mut arguments = IterArgs::new();
    let mut indices = SlotIndices::new();
    for entry in std::iter::once(input.forest.loops[id].header).chain(others) {
        for slot in input.slots.of(Target::block(entry)) {
            let info = &input.slots.infos[slot];
            let init = emitter.filled[slot];
            let fits = |one: &IterArg<'a>| {
                let same = one.init == init || one.init.is_none() || init.is_none();
                one.entry != entry && one.ty == info.ty && same
            };
            let index = arguments.iter().position(fits).unwrap_or(arguments.len());
            if index == arguments.len() {
                arguments.push(IterArg {
                    ty: info.ty,
                    location: info.location,
                    init,
                    entry,
                });
            }
            let one = &mut arguments[index];
            (one.init, one.entry) = (one.init.or(init), entry);
            indices.push((slot, index));
        }
    }
    (arguments, indices)
}

impl<'a> WhileLoop<'a> {
    /// Starts a loop, and opens its `before` region.
    pub(super) fn start(emitter: &mut Emitter<'a, '_>, op: OpId) -> Self {
        let OpKind::Loop {
            id,
            before: before_region,
            continues,
            after,
        } = emitter.input.tree.ops[op].kind
        else {
            unreachable!("only a loop becomes an scf.while")
        };
        let id = id.get();
        let location = emitter.input.terminators.loop_location[id];
        let at_start = emitter.input.tree.regions[before_region.get()].at_start;
        let (arguments, indices) = iteration_arguments(emitter, id);
        let mut inits = Values::with_capacity(arguments.len());
        for one in &arguments {
            let init = one.init;
            inits.push(init.unwrap_or_else(|| emitter.encoder.placeholder(one.ty)));
        }
        let state = emitter.current().state;
        let builder = emitter.builder(location);
        let entry = emitter.encoder.encode(builder, state, at_start);
        inits.extend(entry.into_iter());

        // The header's block with its arguments becomes the block of `before`.
        let header = emitter.input.forest.loops[id].header;
        let before = region_block(emitter, before_region.get(), Some(header));
        for one in &arguments[before.num_arguments()..] {
            before.add_argument(one.ty, one.location);
        }
        for ty in emitter.encoder.types(at_start).into_iter() {
            before.add_argument(ty, location);
        }
        let state = PathState {
            targets: at_start,
            discriminator: entry.refill(&mut before.arguments().skip(arguments.len())),
        };
        emitter.open(Some(before_region.get()), before, state);
        for (slot, index) in indices {
            emitter.fill(slot, before.argument(index));
        }
        let own = emitter.input.slots.of(Target::block(header)).len();
        Self {
            op,
            id,
            continues,
            regions: [before_region, after],
            location,
            inits,
            other_entries: arguments[own..].iter().map(|one| one.ty).collect(),
            before,
            after: None,
        }
    }

    /// Ends `before` and opens `after`. Returns false at the end of `after`.
    pub(super) fn next_region(&mut self, emitter: &mut Emitter<'a, '_>) -> bool {
        if self.after.is_some() {
            return false;
        }
        let op = self.op;
        let open = *emitter.current();
        let mut builder = emitter.builder(self.location);
        let flag = emitter
            .encoder
            .is_pending(builder, open.state, self.continues);
        let rows = emitter.start_rows();
        // The discriminator of the exit is only read if the loop does not continue.
        let mut exit = open.state;
        if exit.targets.continues == Some(self.continues) {
            exit.targets.continues = None;
            exit.discriminator.continues = None;
        }
        let at_end = emitter.input.tree.ops[op].at_end;
        let row = Row {
            block: open.block,
            origin: None,
            discriminator: emitter.encoder.encode(builder, exit, at_end),
            targets: open.state.targets,
        };
        emitter.end_row(op, row);
        let results = emitter.find_results(op, rows, None);
        let values = emitter.operands(&results, rows, 0);
        builder.scf_condition(flag, &values);
        emitter.drop_rows(rows);

        let region = self.regions[1].get();
        let after = region_block(emitter, region, None);
        for value in &values {
            after.add_argument(value.ty(), value.location());
        }
        emitter.open(Some(region), after, PathState::at(self.continues));
        emitter.fill_results(op, &results, |index| after.argument(index));
        self.after = Some((results, after));
        true
    }

    /// Ends `after` and builds the operation.
    pub(super) fn finish(self, emitter: &mut Emitter<'a, '_>) {
        let (input, id) = (emitter.input, self.id);
        let mut builder = emitter.builder(self.location);
        let slots = input.slots.of(Target::next_iteration(id));
        let mut values: Values<'a> = slots.map(|slot| emitter.value_of(slot)).collect();
        for &ty in &self.other_entries {
            values.push(emitter.encoder.placeholder(ty));
        }
        let header = PathState::at(Target::block(input.forest.loops[id].header));
        let at_start = input.tree.regions[self.regions[0].get()].at_start;
        let entry = emitter.encoder.encode(builder, header, at_start);
        values.extend(entry.into_iter());
        builder.scf_yield(&values);
        emitter.leave();

        let (results, after) = self.after.expect("`after` is filled after `before`");
        let mut builder = emitter.builder(self.location);
        let built = builder.scf_while(&self.inits, &results.types);
        self.before.move_to_end(built.region(0));
        after.move_to_end(built.region(1));
        emitter.continue_after(self.op, &results, |index| built.result(index));
    }
}

/// Returns the block of a region of a loop: the block of the function with which the region starts,
/// if that has no arguments or is `header`, or else a new one.
fn region_block<'a>(
    emitter: &mut Emitter<'a, '_>,
    region: RegionId,
    header: Option<BlockId>,
) -> Block<'a> {
    let blocks = &emitter.input.body.blocks;
    let fits = |&block: &BlockId| Some(block) == header || blocks[block].num_arguments() == 0;
    match emitter.first_block(region).filter(fits) {
        Some(block) => {
            emitter.uses[block] = BlockUse::Kept;
            blocks[block]
        }
        None => Block::new(&[]),
    }
}
