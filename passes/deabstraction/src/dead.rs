//! Erases dead code, including operations that only use each other.
//!
//! ```text
//!   %a = array(%x)                            br ^head
//!   br ^head(%a, %zero)               ──►     ^head:
//!   ^head(%b, %i):                            cond_br %go, ^head, ^end
//!     %n = %i + %one
//!     cond_br %go, ^head(%b, %n), ^end
//! ```
//!
//! # Algorithm
//!
//! Liveness starts from operations with effects and the operands of control flow. A live operation
//! makes its operands live; a live block argument, all values that branches forward to it; an
//! operation with regions is live if an operation with effects is inside. Everything else is erased
//! at once, so dead operations need no order. This is dead code elimination by marking (Cytron et
//! al., "Efficiently Computing Static Single Assignment Form", 1991, section 7.1), without the
//! removal of branches.
//!
//! Cost: linear in operations and operands.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use tfx_ir::{Block, Definition, Op, Region, SuccessorOperands, Value};

/// Erases unneeded operations without effects and unneeded block arguments. Each block must be
/// reachable.
pub(crate) fn erase_dead(region: Region<'_>) {
    let mut live = Live {
        region,
        ops: HashSet::default(),
        arguments: HashSet::default(),
        pending: Vec::new(),
        forwarded: HashMap::default(),
    };
    live.mark_roots();
    live.spread();
    live.mark_used_effects();
    let ops = live.dead_ops();
    let arguments = live.dead_arguments();
    for of_block in arguments.chunk_by(|(block, _), (other, _)| block == other) {
        let (block, _) = of_block[0];
        let indices: Vec<_> = of_block.iter().map(|(_, index)| *index).collect();
        block.erase_forwarded(&indices);
    }
    // Dead operations may form cycles, in which none is unused first.
    ops.iter().for_each(|op| op.drop_all_references());
    ops.into_iter().for_each(Op::erase);
    for (block, index) in arguments {
        block.erase_argument(index);
    }
}

/// The live operations and values.
struct Live<'a> {
    region: Region<'a>,
    ops: HashSet<Op<'a>>,
    arguments: HashSet<Value<'a>>,
    /// Those whose operands have not been marked yet.
    pending: Vec<Definition<'a>>,
    /// The values that branches forward to each block with arguments, except the entry.
    forwarded: HashMap<Block<'a>, Vec<SuccessorOperands<'a>>>,
}

/// Marking.
impl<'a> Live<'a> {
    fn mark_roots(&mut self) {
        for block in self.region.blocks() {
            self.mark_unused_effects(block);
            if block.is_entry() || block.num_arguments() == 0 {
                continue;
            }
            let incoming = block.incoming();
            let edges = incoming
                .iter()
                .map(|(branch, successor)| branch.successor_operands(*successor));
            // An argument that a branch produces itself cannot be erased.
            let made = edges.clone().map(|forwarded| match forwarded {
                Some(forwarded) => forwarded.produced(),
                None => block.num_arguments(),
            });
            let made = made.max().unwrap_or(0);
            block
                .arguments()
                .take(made)
                .for_each(|argument| self.mark(argument));
            self.forwarded.insert(block, edges.flatten().collect());
        }
    }

    /// Marks the operations of a block that have effects or are terminators.
    fn mark_unused_effects(&mut self, block: Block<'a>) {
        for op in block.ops() {
            if op.is_unused() && does_something(op) {
                self.mark_op(op);
            }
        }
    }

    /// Finds the operations with effects that only dead operations use. Most others are known to be
    /// live by now, and the query of effects is the expensive part.
    fn mark_used_effects(&mut self) {
        let mut blocks: Vec<_> = self.region.blocks().collect();
        while let Some(block) = blocks.pop() {
            for op in block.ops() {
                if !self.ops.contains(&op) && does_something(op) {
                    self.mark_op(op);
                    self.spread();
                }
                if self.ops.contains(&op) {
                    blocks.extend(op.regions().flat_map(Region::blocks));
                }
            }
        }
    }

    fn mark_op(&mut self, op: Op<'a>) {
        if self.ops.insert(op) {
            self.pending.push(Definition::Result(op, 0));
        }
    }

    fn mark(&mut self, value: Value<'a>) {
        match value.definition() {
            Definition::Result(op, _) => self.mark_op(op),
            Definition::Argument(block, index) => {
                if self.arguments.insert(value) {
                    self.pending.push(Definition::Argument(block, index));
                }
            }
        }
    }

    fn spread(&mut self) {
        while let Some(needed) = self.pending.pop() {
            match needed {
                Definition::Result(op, _) => self.spread_op(op),
                Definition::Argument(block, index) => {
                    let forwarded = self.forwarded.get(&block).into_iter().flatten();
                    let values: Vec<_> = forwarded
                        .filter_map(|forwarded| forwarded.value(index))
                        .collect();
                    values.into_iter().for_each(|value| self.mark(value));
                }
            }
        }
    }

    fn spread_op(&mut self, op: Op<'a>) {
        if op.num_successors() > 0 && op.parent_region() == Some(self.region) {
            self.spread_branch(op);
        } else {
            op.operands().for_each(|operand| self.mark(operand));
        }
        for region in op.regions() {
            for block in region.blocks() {
                self.mark_unused_effects(block);
            }
        }
    }

    /// A forwarded value is needed only by the argument that receives it.
    fn spread_branch(&mut self, branch: Op<'a>) {
        let mut is_forwarded = vec![false; branch.num_operands()];
        let all = (0..branch.num_successors()).filter_map(|index| branch.successor_operands(index));
        all.for_each(|forwarded| is_forwarded[forwarded.positions()].fill(true));
        let own = branch.operands().zip(is_forwarded);
        own.filter(|(_, is_forwarded)| !is_forwarded)
            .for_each(|(operand, _)| self.mark(operand));
    }
}

/// Erasure.
impl<'a> Live<'a> {
    /// Returns the dead operations, without those inside of them.
    fn dead_ops(&self) -> Vec<Op<'a>> {
        let mut dead = Vec::new();
        let mut blocks: Vec<_> = self.region.blocks().collect();
        while let Some(block) = blocks.pop() {
            for op in block.ops() {
                match self.ops.contains(&op) {
                    true => blocks.extend(op.regions().flat_map(Region::blocks)),
                    false => dead.push(op),
                }
            }
        }
        dead
    }

    /// Returns the dead arguments, the last of a block first, so that the indices of the others
    /// stay valid.
    fn dead_arguments(&self) -> Vec<(Block<'a>, usize)> {
        let blocks = self.region.blocks().filter(|block| !block.is_entry());
        let arguments = blocks.flat_map(|block| {
            (0..block.num_arguments())
                .rev()
                .map(move |index| (block, index))
        });
        arguments
            .filter(|&(block, index)| !self.arguments.contains(&block.argument(index)))
            .collect()
    }
}

/// Returns whether an operation stays although it is unused.
fn does_something(op: Op<'_>) -> bool {
    !op.would_be_trivially_dead()
}
