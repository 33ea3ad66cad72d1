//! From the tree to `scf`: operations are moved, never copied.
//!
//! ```text
//!   branch     scf.if, scf.index_switch, or arith.select where no arm does anything
//!   dispatch   scf.if or scf.index_switch on the values that tell what is pending
//!   loop       scf.while: before { ... scf.condition } do { ... scf.yield }
//! ```
//!
//! One walk over the tree with an explicit stack. At every point, each slot (see `body.rs`) holds the value that code there has to
//! use: an edge fills the slots of its target, an operation fills those that it hands out (see `plan.rs`). What a region has
//! filled is undone at its end.
//!
//! An operation is made when its regions are done: by then it is known which of the slots that it may hand out need a result
//! (see `results.rs`). Until then the blocks of its regions are in no region.
//!
//! Cost: linear in the operations and in what is handed out.

use rustc_hash::FxHashMap;

use melior::ir::Location;
use tfx_ir::{Block, Builder, Op, Value};

use crate::body::{Body, Operand, Slot, Slots, Terminators};
use crate::cfg::{BlockId, EdgeId};
use crate::choose::Choosing;
use crate::landing::{Landings, Target};
use crate::loops::LoopForest;
use crate::pending::Choice;
use crate::plan::Plan;
use crate::print::{Form, print_tree};
use crate::repeat::Repeating;
use crate::tree::{Item, OpId, OpKind, RegionId, Tree};
use crate::ways::{Way, Ways};

/// All that is known about a function before it is changed.
pub(crate) struct Structured<'a> {
    pub(crate) body: Body<'a>,
    pub(crate) forest: LoopForest,
    pub(crate) landings: Landings,
    pub(crate) tree: Tree,
    pub(crate) slots: Slots<'a>,
    pub(crate) terminators: Terminators<'a>,
    pub(crate) plan: Plan<'a>,
}

impl<'a> Structured<'a> {
    /// The region tree, printed.
    pub(crate) fn print_tree(&self, form: Form) -> String {
        let name = self.body.function.symbol_name().unwrap_or_default();
        print_tree(
            form,
            name,
            &self.body.cfg,
            &self.forest,
            &self.landings,
            &self.tree,
        )
    }

    /// Makes the function's body one block of structured operations.
    pub(crate) fn emit(&self) {
        let entry = self.body.blocks[0];
        let ways = Ways::new(self.body.function, entry);
        let filled = vec![None; self.slots.infos.len()];
        let mut emitter = Emitter {
            input: self,
            ways,
            filled,
            undo: Vec::new(),
            depths: FxHashMap::default(),
            frames: Vec::new(),
        };
        emitter.open(Some(0), entry, Way::to(Target::Block(0)));
        while emitter.step() {}
        Block::erase_all(&self.body.blocks[1..]);
        emitter.ways.erase_unused();
    }
}

/// A region that is being filled.
pub(crate) struct Open<'a> {
    pub(crate) region: Option<RegionId>,
    pub(crate) next: usize,
    pub(crate) block: Block<'a>,
    /// The number of regions around it.
    pub(crate) depth: usize,
    pub(crate) way: Way<'a>,
    /// How much there was to undo when it was opened.
    pub(crate) undo: usize,
}

pub(crate) enum Frame<'a> {
    Region(Open<'a>),
    Choose(Choosing<'a>),
    Repeat(Repeating<'a>),
}

pub(crate) struct Emitter<'a, 's> {
    pub(crate) input: &'s Structured<'a>,
    pub(crate) ways: Ways<'a>,
    pub(crate) filled: Vec<Option<Value<'a>>>,
    pub(crate) undo: Vec<(Slot, Option<Value<'a>>)>,
    /// The depth of each block that has been opened.
    pub(crate) depths: FxHashMap<Block<'a>, usize>,
    pub(crate) frames: Vec<Frame<'a>>,
}

impl<'a> Emitter<'a, '_> {
    /// Does the next piece of work; says whether there was any.
    fn step(&mut self) -> bool {
        match self.frames.pop() {
            None => return false,
            Some(Frame::Region(mut open)) => {
                let items = open
                    .region
                    .map_or(&[][..], |region| &self.input.tree.regions[region].items);
                match items.get(open.next) {
                    Some(&item) => {
                        open.next += 1;
                        self.frames.push(Frame::Region(open));
                        match item {
                            Item::Block(block) => self.block(block),
                            Item::Op(op) => self.op(op),
                        }
                    }
                    None => self.close(open),
                }
            }
            Some(Frame::Choose(choosing)) => self.next_arm(choosing),
            Some(Frame::Repeat(_)) => {
                unreachable!("a half of a loop is closed by its region")
            }
        }
        true
    }

    pub(crate) fn open(&mut self, region: Option<RegionId>, block: Block<'a>, way: Way<'a>) {
        let around = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Region(open) => Some(open.depth + 1),
            _ => None,
        });
        let depth = around.unwrap_or(0);
        self.depths.insert(block, depth);
        self.frames.push(Frame::Region(Open {
            region,
            next: 0,
            block,
            depth,
            way,
            undo: self.undo.len(),
        }));
    }

    /// The region that is being filled.
    pub(crate) fn current(&mut self) -> &mut Open<'a> {
        match self.frames.last_mut() {
            Some(Frame::Region(open)) => open,
            _ => unreachable!("work is done in a region"),
        }
    }

    pub(crate) fn builder(&mut self, location: Location<'a>) -> Builder<'a> {
        Builder::at_end(self.current().block, location)
    }

    pub(crate) fn fill(&mut self, slot: Slot, value: Value<'a>) {
        self.undo.push((slot, self.filled[slot].replace(value)));
    }

    pub(crate) fn undo_to(&mut self, mark: usize) {
        for (slot, before) in self.undo.drain(mark..).rev() {
            self.filled[slot] = before;
        }
    }

    /// What a slot holds, or what stands for it where no path reads it.
    pub(crate) fn held(&mut self, slot: Slot) -> Value<'a> {
        match self.filled[slot] {
            Some(value) => value,
            None => self.ways.never_read(self.input.slots.infos[slot].ty),
        }
    }

    pub(crate) fn read(&mut self, operand: Operand<'a>) -> Value<'a> {
        match operand {
            Operand::Value(value) => value,
            Operand::Slot(slot) => self.held(slot),
        }
    }

    /// Takes an edge: fills the slots of its target.
    pub(crate) fn take(&mut self, edge: EdgeId) {
        let target = self.input.landings.target(&self.input.body.cfg, edge);
        let handed = self.input.terminators.handed(edge);
        if !handed.is_empty() {
            // All are read before any is filled: a loop may hand its arguments round.
            let values: Vec<Value<'a>> = handed.iter().map(|&operand| self.read(operand)).collect();
            for (slot, value) in self.input.slots.of(target).zip(values) {
                self.fill(slot, value);
            }
        }
        self.current().way = Way::to(target);
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Blocks.

    fn block(&mut self, block: BlockId) {
        if block == self.input.body.cfg.exit() {
            return self.leave_function();
        }
        for (read, slot) in &self.input.plan.reads[block] {
            let value = self.held(*slot);
            read.set(value);
        }
        for &(value, slot) in &self.input.plan.writes[block] {
            self.fill(slot, value);
        }
        let source = self.input.body.blocks[block];
        self.input.body.terminator(block).erase();
        let target = self.current().block;
        if source != target {
            target.append_ops_of(source);
        }
        let edges = self.input.body.cfg.edges(block);
        match edges.len() {
            0 => self.current().way = Way::known(Choice::NEVER),
            1 => self.take(edges.start),
            _ => {}
        }
    }

    fn leave_function(&mut self) {
        let slots = self
            .input
            .slots
            .of(Target::Block(self.input.body.cfg.exit()));
        let values: Vec<Value<'a>> = slots.map(|slot| self.held(slot)).collect();
        let location = self.input.terminators.return_location;
        let end = self.input.terminators.end;
        self.builder(location).op(end).operands(&values).build();
        self.current().way = Way::known(Choice::NEVER);
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Operations.

    fn op(&mut self, op: OpId) {
        match &self.input.tree.ops[op].kind {
            OpKind::Branch { block, arms } => self.branch(op, *block, arms),
            OpKind::Dispatch { arms, passes, .. } => self.dispatch(op, arms, *passes),
            &OpKind::Loop { id, before, .. } => self.start_loop(op, id, before),
        }
    }

    /// At the end of a region: goes on with the operation around it.
    fn close(&mut self, open: Open<'a>) {
        match self.frames.pop() {
            Some(Frame::Choose(choosing)) => self.close_arm(choosing, open),
            Some(Frame::Repeat(repeating)) => self.close_half(repeating, open),
            Some(Frame::Region(_)) => unreachable!("a region is inside of an operation"),
            None => self.end_function(open),
        }
    }

    /// A function none of whose paths returns still has to end.
    fn end_function(&mut self, open: Open<'a>) {
        if open
            .block
            .terminator()
            .is_none_or(|op| !op.is(self.input.terminators.end))
        {
            let slots = self
                .input
                .slots
                .of(Target::Block(self.input.body.cfg.exit()));
            let values: Vec<Value<'a>> = slots.map(|slot| self.held(slot)).collect();
            let end = self.input.terminators.end;
            let mut builder = Builder::at_end(open.block, self.input.body.function.location());
            builder.op(end).operands(&values).build();
        }
    }
}

/// Puts the blocks of an operation's regions into it.
pub(crate) fn adopt<'a>(op: Op<'a>, blocks: impl IntoIterator<Item = (usize, Block<'a>)>) {
    for (index, block) in blocks {
        block.move_to_end(op.region(index));
    }
}
