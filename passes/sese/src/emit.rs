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

use melior::ir::Location;
use tfx_ir::{Block, Builder, Value};

use crate::body::{Body, Operand, Slot, Slots, Terminators};
use crate::cfg::{BlockId, EdgeId};
use crate::choose::Choosing;
use crate::landing::{Landings, Target};
use crate::loops::LoopForest;
use crate::pending::Choice;
use crate::plan::Plan;
use crate::print::{Form, print_tree};
use crate::repeat::Repeating;
use crate::results::{List, Row};
use crate::tree::{Item, OpId, OpKind, RegionId, StepId, Tree};
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
        let blocks = &self.body.blocks;
        let is_reached = |&block: &BlockId| self.tree.region_of[block].is_some();
        let unreached = (0..blocks.len()).filter(|block| !is_reached(block));
        let unreached: Vec<Block<'a>> = unreached.map(|block| blocks[block]).collect();
        Block::erase_all(&unreached);

        let mut emitter = Emitter {
            input: self,
            ways: Ways::new(self.body.function, blocks[0]),
            filled: vec![None; self.slots.infos.len()],
            undo: Vec::new(),
            opens: Vec::new(),
            choices: Vec::new(),
            loops: Vec::new(),
            rows: Vec::new(),
            yielded: Vec::new(),
            fates: vec![Fate::Emptied; blocks.len()],
        };
        emitter.fates[0] = Fate::Kept;
        emitter.open(
            Around::Function,
            Some(0),
            blocks[0],
            Way::to(Target::block(0)),
        );
        while emitter.step() {}
        let fates = emitter.fates;
        emitter.ways.finish();

        let mut emptied = Vec::with_capacity(blocks.len());
        for block in (0..blocks.len()).filter(is_reached) {
            match fates[block] {
                Fate::Emptied => emptied.push(blocks[block]),
                Fate::Moved => blocks[block].erase_arguments(),
                Fate::Kept => {}
            }
        }
        Block::erase_all(&emptied);
    }
}

/// What becomes of a block of the function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Its operations went into another block.
    Emptied,
    /// It is a block of a structured operation now. What were its arguments is read by nobody in the end.
    Moved,
    /// It is a block of a structured operation now, and so are its arguments.
    Kept,
}

/// What holds a region.
#[derive(Clone, Copy)]
pub(crate) enum Around {
    /// It is the body of the function.
    Function,
    /// The last of the choices that are being made.
    Choice,
    /// The last of the loops that are being made.
    Loop,
}

/// A region that is being filled.
pub(crate) struct Open<'a> {
    pub(crate) around: Around,
    pub(crate) next: Option<StepId>,
    pub(crate) block: Block<'a>,
    pub(crate) way: Way<'a>,
    /// How much there was to undo when it was opened.
    pub(crate) undo: usize,
}

pub(crate) struct Emitter<'a, 's> {
    pub(crate) input: &'s Structured<'a>,
    pub(crate) ways: Ways<'a>,
    pub(crate) filled: Vec<Option<Value<'a>>>,
    pub(crate) undo: Vec<(Slot, Option<Value<'a>>)>,
    /// The regions that are being filled, and the operations that hold them; innermost last.
    pub(crate) opens: Vec<Open<'a>>,
    pub(crate) choices: Vec<Choosing<'a>>,
    pub(crate) loops: Vec<Repeating<'a>>,
    /// What the regions that are done of all these operations have for their results: the slots of all rows stand in `yielded`.
    pub(crate) rows: Vec<Row<'a>>,
    pub(crate) yielded: Vec<Option<Value<'a>>>,
    /// Per block.
    pub(crate) fates: Vec<Fate>,
}

impl<'a> Emitter<'a, '_> {
    /// Does the next piece of work; says whether there was any.
    fn step(&mut self) -> bool {
        let Some(open) = self.opens.last_mut() else {
            return false;
        };
        if let Some(step) = open.next {
            let (item, next) = self.input.tree.step(step);
            open.next = next;
            match item {
                Item::Block(block) => self.block(block.get()),
                Item::Op(op) => self.op(op.get()),
            }
            return true;
        }
        // At the end of a region: goes on with the operation around it.
        let around = open.around;
        match around {
            Around::Function => self.end_function(),
            Around::Choice => self.close_arm(),
            Around::Loop => self.close_half(),
        }
        true
    }

    pub(crate) fn open(
        &mut self,
        around: Around,
        region: Option<RegionId>,
        block: Block<'a>,
        way: Way<'a>,
    ) {
        let next = region.and_then(|region| self.input.tree.first_step(region));
        self.opens.push(Open {
            around,
            next,
            block,
            way,
            undo: self.undo.len(),
        });
    }

    /// Leaves the innermost region; what it filled is undone.
    pub(crate) fn leave(&mut self) -> Open<'a> {
        let open = self.opens.pop().expect("work is done in a region");
        for (slot, before) in self.undo.drain(open.undo..).rev() {
            self.filled[slot] = before;
        }
        open
    }

    /// The region that is being filled.
    pub(crate) fn current(&mut self) -> &mut Open<'a> {
        self.opens.last_mut().expect("work is done in a region")
    }

    /// The block of the function that a region starts with, which may as well be the region's own.
    pub(crate) fn first_block(&self, region: RegionId) -> Option<BlockId> {
        match self.input.tree.items(region).next() {
            Some(Item::Block(block)) if block.get() != self.input.body.cfg.exit() => {
                Some(block.get())
            }
            _ => None,
        }
    }

    pub(crate) fn builder(&mut self, location: Location<'a>) -> Builder<'a> {
        let block = self.current().block;
        self.ways.builder(block, location)
    }

    pub(crate) fn fill(&mut self, slot: Slot, value: Value<'a>) {
        self.undo.push((slot, self.filled[slot].replace(value)));
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
        // All are read before any is filled: a loop may hand its arguments round.
        let values: List<'a> = handed.iter().map(|&operand| self.read(operand)).collect();
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
        for (read, slot) in self.input.plan.reads(block) {
            let value = self.held(slot);
            read.set(value);
        }
        for (value, slot) in self.input.plan.writes(block) {
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
            .of(Target::block(self.input.body.cfg.exit()));
        let values: List<'a> = slots.map(|slot| self.held(slot)).collect();
        let location = self.input.terminators.return_location;
        let end = self.input.terminators.end;
        self.builder(location).op(end).operands(&values).build();
        self.current().way = Way::known(Choice::NEVER);
    }

    // -----------------------------------------------------------------------------------------------------------------
    // Operations.

    fn op(&mut self, op: OpId) {
        match self.input.tree.ops[op].kind {
            OpKind::Branch { block, first_arm } => self.branch(op, block.get(), first_arm),
            OpKind::Dispatch { arms, passes } => self.dispatch(op, arms, passes),
            OpKind::Loop { id, before, .. } => self.start_loop(op, id.get(), before.get()),
        }
    }

    /// A function none of whose paths returns still has to end.
    fn end_function(&mut self) {
        let block = self.current().block;
        let has_end = block
            .terminator()
            .is_some_and(|op| op.is(self.input.terminators.end));
        if !has_end {
            let slots = self
                .input
                .slots
                .of(Target::block(self.input.body.cfg.exit()));
            let values: List<'a> = slots.map(|slot| self.held(slot)).collect();
            let end = self.input.terminators.end;
            self.builder(self.input.body.function.location())
                .op(end)
                .operands(&values)
                .build();
        }
        self.leave();
    }
}
