//! From the tree to `scf`: operations are moved, never copied.
//!
//! ```text
//!   branch     scf.if, scf.index_switch, or arith.select where no arm does anything
//!   dispatch   scf.if or scf.index_switch on the value that tells what is pending
//!   loop       scf.while: before { ... scf.condition } do { ... scf.yield }
//! ```
//!
//! One walk over the tree with an explicit stack. At every point, each slot (see `body.rs`) holds the value that code there has to
//! use: an edge fills the slots of its target, an operation fills those that it hands out (see `plan.rs`). What a region has
//! filled is undone at its end. An arm that does not fill what its operation hands out yields what the slot held before, or a
//! zero; such a value is never read, because no path from there reads the slot.
//!
//! Cost: linear in the operations and in what is handed out.

use melior::ir::{Location, Type};
use tfx_ir::{Block, Builder, Op, Region, Value};

use crate::body::{Body, Operand, Slot, Slots, Terminators};
use crate::cfg::{BlockId, EdgeId};
use crate::landing::{Landings, Target};
use crate::loops::LoopForest;
use crate::pending::Choice;
use crate::plan::{Plan, needs_value};
use crate::print::print_tree;
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
    /// The region tree as text.
    pub(crate) fn print_tree(&self) -> String {
        let name = self.body.function.symbol_name().unwrap_or_default();
        print_tree(
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
            frames: Vec::new(),
        };
        emitter.open(Some(0), entry, Way::to(Target::Block(0)));
        while emitter.step() {}
        Block::erase_all(&self.body.blocks[1..]);
    }
}

/// A region that is being filled.
pub(crate) struct Open<'a> {
    pub(crate) region: Option<RegionId>,
    pub(crate) next: usize,
    pub(crate) block: Block<'a>,
    pub(crate) way: Way<'a>,
    /// How much there was to undo when it was opened.
    pub(crate) undo: usize,
}

/// An arm of a branch or a dispatch: where it goes, and how its path starts.
pub(crate) struct Arm<'a> {
    pub(crate) into: Region<'a>,
    pub(crate) region: Option<RegionId>,
    pub(crate) edge: Option<EdgeId>,
    pub(crate) way: Way<'a>,
}

pub(crate) enum Frame<'a> {
    Region(Open<'a>),
    Choose {
        op: OpId,
        made: Op<'a>,
        arms: std::vec::IntoIter<Arm<'a>>,
    },
    Before {
        op: OpId,
        made: Op<'a>,
    },
    After {
        op: OpId,
        made: Op<'a>,
    },
}

pub(crate) struct Emitter<'a, 's> {
    pub(crate) input: &'s Structured<'a>,
    pub(crate) ways: Ways<'a>,
    pub(crate) filled: Vec<Option<Value<'a>>>,
    pub(crate) undo: Vec<(Slot, Option<Value<'a>>)>,
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
            Some(Frame::Choose { op, made, mut arms }) => match arms.next() {
                Some(arm) => {
                    self.frames.push(Frame::Choose { op, made, arms });
                    self.open(arm.region, arm.into.add_block(&[]), arm.way);
                    if let Some(edge) = arm.edge {
                        self.take(edge);
                    }
                }
                None => self.finish(op, made),
            },
            Some(Frame::Before { .. } | Frame::After { .. }) => {
                unreachable!("a half of a loop is closed by its region")
            }
        }
        true
    }

    pub(crate) fn open(&mut self, region: Option<RegionId>, block: Block<'a>, way: Way<'a>) {
        self.frames.push(Frame::Region(Open {
            region,
            next: 0,
            block,
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

    pub(crate) fn types(&self, slots: &[Slot]) -> Vec<Type<'a>> {
        slots
            .iter()
            .map(|&slot| self.input.slots.infos[slot].ty)
            .collect()
    }

    /// Takes an edge: fills the slots of its target.
    pub(crate) fn take(&mut self, edge: EdgeId) {
        let target = self.input.landings.target(&self.input.body.cfg, edge);
        let values: Vec<Value<'a>> = self
            .input
            .terminators
            .handed(edge)
            .iter()
            .map(|&operand| self.read(operand))
            .collect();
        for (slot, value) in self.input.slots.of(target).zip(values) {
            self.fill(slot, value);
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
            0 => self.current().way.choice = Choice::Never,
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
        self.builder(location).func_return(&values);
        self.current().way.choice = Choice::Never;
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

    /// What an operation hands out, and the value that tells what is pending after it.
    pub(crate) fn result_types(&self, op: OpId) -> Vec<Type<'a>> {
        let mut types = self.types(&self.input.plan.handed_out[op]);
        types.extend(self.ways.ty(self.input.tree.ops[op].left));
        types
    }

    /// What a region that ends here has for the results of `op`.
    pub(crate) fn results(
        &mut self,
        op: OpId,
        builder: &mut Builder<'a>,
        way: Way<'a>,
    ) -> Vec<Value<'a>> {
        let slots = &self.input.plan.handed_out[op];
        let mut values: Vec<Value<'a>> = slots.iter().map(|&slot| self.held(slot)).collect();
        values.extend(
            self.ways
                .convert(builder, way, self.input.tree.ops[op].left),
        );
        values
    }

    /// After an operation: fills what it hands out.
    pub(crate) fn finish(&mut self, op: OpId, made: Op<'a>) {
        let choice = self.input.tree.ops[op].left;
        let slots = &self.input.plan.handed_out[op];
        for (index, &slot) in slots.iter().enumerate() {
            self.fill(slot, made.result(index));
        }
        let value = needs_value(choice).then(|| made.result(slots.len()));
        self.current().way = Way { choice, value };
    }

    /// At the end of a region: ends its block as the operation around it wants it.
    fn close(&mut self, open: Open<'a>) {
        match self.frames.pop() {
            Some(Frame::Choose { op, made, arms }) => {
                let mut builder = Builder::at_end(open.block, made.location());
                let values = self.results(op, &mut builder, open.way);
                builder.scf_yield(&values);
                self.undo_to(open.undo);
                self.frames.push(Frame::Choose { op, made, arms });
            }
            Some(Frame::Before { op, made }) => self.second_half(op, made, open),
            Some(Frame::After { op, made }) => self.end_loop(op, made, open),
            Some(Frame::Region(_)) => unreachable!("a region is inside of an operation"),
            None => self.end_function(open),
        }
    }

    /// A function none of whose paths returns still has to end.
    fn end_function(&mut self, open: Open<'a>) {
        if open
            .block
            .terminator()
            .is_none_or(|op| !op.is("func.return"))
        {
            let slots = self
                .input
                .slots
                .of(Target::Block(self.input.body.cfg.exit()));
            let values: Vec<Value<'a>> = slots.map(|slot| self.held(slot)).collect();
            Builder::at_end(open.block, self.input.body.function.location()).func_return(&values);
        }
    }
}
