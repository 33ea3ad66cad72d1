//! The state of the walk in `emit.rs`.

use melior::ir::Location;
use smallvec::SmallVec;
use tfx_ir::{Block, Builder, Value};

use super::discriminator::{Discriminator, Encoder, PathState};
use crate::analysis::Analysis;
use crate::body::{Operand, Slot};
use crate::cfg::{BlockId, EdgeId};
use crate::pending::TargetSet;
use crate::tree::{Item, RegionId, StepId};
use crate::units::Target;

/// Values; usually one or two.
pub(crate) type Values<'a> = SmallVec<[Value<'a>; 4]>;

/// The use of a block of the function in the structured form.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockUse {
    /// Its operations are moved into another block.
    Emptied,
    /// It is a block of a structured operation, without its arguments, which have no uses then.
    Moved,
    /// It is a block of a structured operation, with its arguments.
    Kept,
}

/// A region that is being filled.
#[derive(Clone, Copy)]
pub(crate) struct Open<'a> {
    next: Option<StepId>,
    pub(crate) block: Block<'a>,
    pub(crate) state: PathState<'a>,
    /// The length of `undo` at its start.
    undo: usize,
}

/// The discriminator at the end of a finished region. Its slots are in [`Emitter::yielded`].
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) block: Block<'a>,
    /// The block of the function that `block` is, if it was not created.
    pub(crate) origin: Option<BlockId>,
    pub(crate) discriminator: Discriminator<Value<'a>>,
    /// The targets that may be pending at the end of the region.
    pub(crate) targets: TargetSet,
}

impl<'a> Row<'a> {
    /// Returns whether a value that is visible at the end of the region is defined outside of it.
    pub(crate) fn is_outside(&self, value: Value<'a>) -> bool {
        value.block() != Some(self.block)
    }
}

pub(crate) struct Emitter<'a, 's> {
    pub(crate) input: &'s Analysis<'a>,
    pub(crate) encoder: Encoder<'a>,
    /// Per slot: its value at the current point.
    pub(crate) filled: Vec<Option<Value<'a>>>,
    undo: Vec<(Slot, Option<Value<'a>>)>,
    /// The regions that are being filled, innermost last.
    opens: Vec<Open<'a>>,
    /// The finished regions of the operations that are being built.
    pub(crate) rows: Vec<Row<'a>>,
    /// The values of their slots, row by row.
    pub(crate) yielded: Vec<Option<Value<'a>>>,
    /// Per block.
    pub(crate) uses: Vec<BlockUse>,
}

impl<'a, 's> Emitter<'a, 's> {
    /// Returns an emitter at the start of the function body.
    pub(crate) fn new(input: &'s Analysis<'a>) -> Self {
        let blocks = &input.body.blocks;
        let mut emitter = Self {
            input,
            encoder: Encoder::new(input.body.owner, blocks[0]),
            filled: vec![None; input.slots.infos.len()],
            undo: Vec::new(),
            opens: Vec::new(),
            rows: Vec::new(),
            yielded: Vec::new(),
            uses: vec![BlockUse::Emptied; blocks.len()],
        };
        emitter.uses[0] = BlockUse::Kept;
        emitter.open(Some(0), blocks[0], PathState::at(Target::block(0)));
        emitter
    }

    /// Starts a region of the tree, or an empty one, in `block`.
    pub(crate) fn open(
        &mut self,
        region: Option<RegionId>,
        block: Block<'a>,
        state: PathState<'a>,
    ) {
        let next = region.and_then(|region| self.input.tree.first_step(region));
        self.opens.push(Open {
            next,
            block,
            state,
            undo: self.undo.len(),
        });
    }

    /// Returns the next item of the current region.
    pub(crate) fn next_item(&mut self) -> Option<Item> {
        let step = self.current().next?;
        let (item, next) = self.input.tree.step(step);
        self.current().next = next;
        Some(item)
    }

    /// Ends the current region, and restores the slots that it filled.
    pub(crate) fn leave(&mut self) {
        let open = self.opens.pop().expect("the walk is in a region");
        for (slot, before) in self.undo.drain(open.undo..).rev() {
            self.filled[slot] = before;
        }
    }

    /// Returns the current region.
    pub(crate) fn current(&mut self) -> &mut Open<'a> {
        self.opens.last_mut().expect("the walk is in a region")
    }

    /// Returns a builder at the end of the current region.
    pub(crate) fn builder(&mut self, location: Location<'a>) -> Builder<'a> {
        let block = self.current().block;
        self.encoder.builder(block, location)
    }

    /// Returns the block that a region starts with, which may become the block of the region.
    pub(crate) fn first_block(&self, region: RegionId) -> Option<BlockId> {
        match self.input.tree.items(region).next() {
            Some(Item::Block(block)) if block.get() != self.input.body.cfg.exit() => {
                Some(block.get())
            }
            _ => None,
        }
    }

    /// Sets the value of a slot.
    pub(crate) fn fill(&mut self, slot: Slot, value: Value<'a>) {
        self.undo.push((slot, self.filled[slot].replace(value)));
    }

    /// Returns the value of a slot, or a placeholder if no path reads it.
    pub(crate) fn value_of(&mut self, slot: Slot) -> Value<'a> {
        match self.filled[slot] {
            Some(value) => value,
            None => self.encoder.placeholder(self.input.slots.infos[slot].ty),
        }
    }

    /// Returns the value of an operand.
    pub(crate) fn read(&mut self, operand: Operand<'a>) -> Value<'a> {
        match operand {
            Operand::Value(value) => value,
            Operand::Slot(slot) => self.value_of(slot),
        }
    }

    /// Fills the slots of the target of an edge, which is pending then.
    pub(crate) fn take_edge(&mut self, edge: EdgeId) {
        let target = self.input.units.target(&self.input.body.cfg, edge);
        let forwarded = self.input.terminators.forwarded(edge);
        // All are read before any is filled, because a loop may permute its arguments.
        let values: Values<'a> = forwarded
            .iter()
            .map(|&operand| self.read(operand))
            .collect();
        for (slot, value) in self.input.slots.of(target).zip(values) {
            self.fill(slot, value);
        }
        self.current().state = PathState::at(target);
    }
}
