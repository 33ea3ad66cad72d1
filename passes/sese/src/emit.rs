//! From the tree to `scf`: operations are moved, not copied.
//!
//! ```text
//!   branch     scf.if, scf.index_switch, or arith.select if the arms are empty
//!   dispatch   scf.if or scf.index_switch on the discriminator
//!   loop       scf.while: before { ... scf.condition } do { ... scf.yield }
//! ```
//!
//! One walk over the tree with an explicit stack. At each point, a slot (see `body.rs`) has the
//! value that code there uses: an edge fills the slots of its target, an operation those of its
//! results (see `plan.rs`). The end of a region restores the slots that the region filled.
//!
//! An operation is built when its regions are finished, because only then is it known which slots
//! need a result (see `results.rs`). Until then, the blocks of its regions have no parent.
//!
//! Cost: linear in the operations and their results.

mod conditional;
mod discriminator;
mod emitter;
mod results;
mod while_loop;

use melior::ir::Location;
use tfx_ir::Block;

use self::conditional::Conditional;
use self::discriminator::PathState;
use self::emitter::{BlockUse, Emitter, Values};
use self::while_loop::WhileLoop;
use crate::analysis::Analysis;
use crate::cfg::BlockId;
use crate::pending::TargetSet;
use crate::tree::{Item, OpId, OpKind};
use crate::units::Target;

/// Replaces the blocks of the analyzed region by one block of structured operations.
pub(crate) fn emit(input: &Analysis<'_>) {
    let blocks = &input.body.blocks;
    let is_reached = |&block: &BlockId| input.tree.region_of[block].is_some();
    let unreached = (0..blocks.len()).filter(|block| !is_reached(block));
    let unreached: Vec<Block<'_>> = unreached.map(|block| blocks[block]).collect();
    Block::erase_all(&unreached);

    let mut walk = Walk {
        emitter: Emitter::new(input),
        operations: Vec::new(),
    };
    while walk.step() {}
    let Emitter { encoder, uses, .. } = walk.emitter;
    encoder.finish();

    let mut emptied = Vec::with_capacity(blocks.len());
    for block in (0..blocks.len()).filter(is_reached) {
        match uses[block] {
            BlockUse::Emptied => emptied.push(blocks[block]),
            BlockUse::Moved => blocks[block].erase_arguments(),
            BlockUse::Kept => {}
        }
    }
    Block::erase_all(&emptied);
}

/// An operation that is being built.
enum Operation<'a> {
    Conditional(Conditional<'a>),
    Loop(WhileLoop<'a>),
}

struct Walk<'a, 's> {
    emitter: Emitter<'a, 's>,
    /// The operations that are being built, innermost last.
    operations: Vec<Operation<'a>>,
}

impl<'a> Walk<'a, '_> {
    /// Processes the next item, or the end of a region. Returns false at the end of the function.
    fn step(&mut self) -> bool {
        match self.emitter.next_item() {
            Some(Item::Block(block)) => self.block(block.get()),
            Some(Item::Op(op)) => self.start(op.get()),
            None => return self.end_region(),
        }
        true
    }

    fn start(&mut self, op: OpId) {
        let emitter = &mut self.emitter;
        let operation = match emitter.input.tree.ops[op].kind {
            OpKind::Branch { block, first_arm } => {
                Operation::Conditional(Conditional::branch(emitter, op, block.get(), first_arm))
            }
            OpKind::Dispatch { arms, otherwise } => {
                Operation::Conditional(Conditional::dispatch(emitter, op, arms, otherwise))
            }
            OpKind::Loop { .. } => Operation::Loop(WhileLoop::start(emitter, op)),
        };
        self.operations.push(operation);
    }

    /// Continues with the next region of the enclosing operation, or builds the operation.
    fn end_region(&mut self) -> bool {
        let emitter = &mut self.emitter;
        let has_next = match self.operations.last_mut() {
            None => {
                self.end_function();
                return false;
            }
            Some(Operation::Conditional(conditional)) => conditional.next_arm(emitter),
            Some(Operation::Loop(looped)) => looped.next_region(emitter),
        };
        if !has_next {
            match self.operations.pop() {
                Some(Operation::Conditional(conditional)) => conditional.finish(emitter),
                Some(Operation::Loop(looped)) => looped.finish(emitter),
                None => {}
            }
        }
        true
    }

    fn block(&mut self, block: BlockId) {
        let emitter = &mut self.emitter;
        let input = emitter.input;
        if block == input.body.cfg.exit() {
            self.exit(input.terminators.return_location);
            self.emitter.current().state = PathState::without_values(TargetSet::EMPTY);
            return;
        }
        for (read, slot) in input.plan.reads(block) {
            let value = emitter.value_of(slot);
            read.set(value);
        }
        for (value, slot) in input.plan.writes(block) {
            emitter.fill(slot, value);
        }
        let source = input.body.blocks[block];
        input.body.terminator(block).erase();
        let target = emitter.current().block;
        if source != target {
            target.append_ops_of(source);
        }
        let edges = input.body.cfg.edges(block);
        match edges.len() {
            0 => emitter.current().state = PathState::without_values(TargetSet::EMPTY),
            1 => emitter.take_edge(edges.start),
            _ => {}
        }
    }

    /// Ends the function, if none of its paths returns.
    fn end_function(&mut self) {
        let input = self.emitter.input;
        let last = self.emitter.current().block.terminator();
        if !last.is_some_and(|op| op.is(input.terminators.exit)) {
            self.exit(input.body.owner.location());
        }
    }

    /// Builds the terminator that exits the region.
    fn exit(&mut self, location: Location<'a>) {
        let input = self.emitter.input;
        let slots = input.slots.of(Target::block(input.body.cfg.exit()));
        let values: Values<'a> = slots.map(|slot| self.emitter.value_of(slot)).collect();
        let mut builder = self.emitter.builder(location);
        builder.op(input.terminators.exit).operands(&values).build();
    }
}
