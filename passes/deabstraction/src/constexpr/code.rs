//! Blocks prepared for execution: their relevant operations, with a slot for each value.
//!
//! ```text
//!   ^header(%i: i64, %w: tensor<f32>):              block 0, arguments: slot 0, none
//!     %go = arith.cmpi slt, %i, %n : i64              slot 1 = fold cmpi (0, 5)          %n comes from outside: slot 5
//!     %y = tfx_tensor.op "Neg"(%w)                    (nothing)
//!     cf.cond_br %go, ^body, ^exit                  decide by slot 1
//! ```
//!
//! An operation or value is relevant if a branch depends on it, its result is requested, or a
//! relevant value depends on it: backwards through operands and block arguments. So neither tensor
//! operations nor other code next to an attribute are executed. Stores and assertions are always
//! relevant.
//!
//! Cost: linear in the operations, operands and branches of the blocks.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use tfx_dialects::host;
use tfx_ir::ops::func;

use melior::ir::{Type, TypeLike};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::{Block, Definition, Op, Value};

use crate::flow::joins;

/// Blocks of one region, prepared for execution. A block is named by its position.
pub(super) struct Code<'a> {
    pub(super) blocks: Vec<BlockCode<'a>>,
    index: HashMap<Block<'a>, usize>,
    slots: HashMap<Value<'a>, usize>,
    /// The values from outside of the blocks, in the order of their first use.
    pub(super) externals: Vec<Value<'a>>,
    /// True if something is written, so that no part can be skipped.
    pub(super) writes: bool,
    joins: OnceCell<Vec<Option<usize>>>,
}

pub(super) struct BlockCode<'a> {
    pub(super) block: Block<'a>,
    /// The slots of its relevant arguments.
    pub(super) arguments: Vec<Option<usize>>,
    pub(super) instructions: Vec<Instruction<'a>>,
    pub(super) terminator: Op<'a>,
    /// The slots of the terminator's relevant operands.
    pub(super) operands: Vec<Option<usize>>,
    /// The position of each successor among the blocks; `None` outside.
    pub(super) successors: Vec<Option<usize>>,
}

pub(super) struct Instruction<'a> {
    pub(super) op: Op<'a>,
    pub(super) operands: Vec<usize>,
    pub(super) results: Vec<Option<usize>>,
}

impl<'a> Code<'a> {
    /// Prepares `blocks` for the values that are `wanted`, and for returned values.
    pub(super) fn new(blocks: &[Block<'a>], wanted: &[Value<'a>]) -> Self {
        let index: HashMap<_, _> = blocks.iter().copied().zip(0..).collect();
        let relevant = Relevant::of(blocks, &index, wanted);
        let mut code = Self {
            blocks: Vec::with_capacity(blocks.len()),
            index,
            slots: HashMap::new(),
            externals: Vec::new(),
            writes: relevant.writes,
            joins: OnceCell::new(),
        };
        for block in blocks {
            let compiled = code.compile(*block, &relevant);
            code.blocks.push(compiled);
        }
        wanted.iter().for_each(|value| _ = code.slot(*value));
        code
    }

    fn compile(&mut self, block: Block<'a>, relevant: &Relevant<'a>) -> BlockCode<'a> {
        let mut slot_of = |value| relevant.values.contains(&value).then(|| self.slot(value));
        let arguments = block.arguments().map(&mut slot_of).collect();
        let terminator = block.last().expect("a verified block ends in a terminator");
        let mut instructions = Vec::new();
        for op in block.ops().filter(|op| *op != terminator) {
            if relevant.ops.contains(&op) {
                let operands = if is_opaque(op) {
                    Vec::new()
                } else {
                    op.operands().filter_map(&mut slot_of).collect()
                };
                let results = op.results().map(&mut slot_of).collect();
                instructions.push(Instruction {
                    op,
                    operands,
                    results,
                });
            }
        }
        let operands = terminator.operands().map(&mut slot_of).collect();
        let successors = terminator
            .successors()
            .map(|successor| self.index.get(&successor).copied())
            .collect();
        BlockCode {
            block,
            arguments,
            instructions,
            terminator,
            operands,
            successors,
        }
    }

    /// Returns the slot of a value; a new one if it has none yet.
    fn slot(&mut self, value: Value<'a>) -> usize {
        let next = self.slots.len();
        let slot = *self.slots.entry(value).or_insert(next);
        let inside = value
            .block()
            .is_some_and(|block| self.index.contains_key(&block));
        if slot == next && !inside {
            self.externals.push(value);
        }
        slot
    }

    pub(super) fn slot_of(&self, value: Value<'a>) -> Option<usize> {
        self.slots.get(&value).copied()
    }

    pub(super) fn num_slots(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn position(&self, block: Block<'a>) -> usize {
        self.index[&block]
    }

    /// Returns the block at which all paths from a branch join; `None` if control may leave the
    /// blocks before.
    pub(super) fn join_of(&self, block: usize) -> Option<usize> {
        let successors = |block: usize| self.blocks[block].successors.clone();
        self.joins
            .get_or_init(|| joins(self.blocks.len(), successors))[block]
    }

    /// Returns the blocks that control can pass from a branch before it reaches `join`; also the
    /// branch's own if it can return to it.
    pub(super) fn between(&self, branch: usize, join: usize) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut pending = vec![branch];
        while let Some(block) = pending.pop() {
            for successor in self.blocks[block].successors.iter().flatten() {
                if *successor != join && seen.insert(*successor) {
                    pending.push(*successor);
                }
            }
        }
        let mut blocks: Vec<_> = seen.into_iter().collect();
        blocks.sort_unstable();
        blocks
    }
}

/// Returns whether the results of an operation are never known, whatever its operands are.
pub(super) fn is_opaque(op: Op<'_>) -> bool {
    let tensors = op.num_results() > 0 && op.results().all(|result| result.ty().is_tensor());
    tensors || op.dialect() == "tfx_tensor" || op.dialect() == "tfx_comm"
}

/// The relevant operations and values.
struct Relevant<'a> {
    values: HashSet<Value<'a>>,
    ops: HashSet<Op<'a>>,
    writes: bool,
}

impl<'a> Relevant<'a> {
    fn of(blocks: &[Block<'a>], index: &HashMap<Block<'a>, usize>, wanted: &[Value<'a>]) -> Self {
        let mut relevant = Self {
            values: HashSet::new(),
            ops: HashSet::new(),
            writes: false,
        };
        let mut pending = wanted.to_vec();
        for block in blocks {
            for op in block.ops() {
                if op.is_terminator() {
                    pending.extend(deciders(op));
                } else if always_matters(op) {
                    relevant.writes |= !op.isa::<host::Assert>() && !op.isa::<host::ArrayGet>();
                    relevant.ops.insert(op);
                    pending.extend(op.operands());
                }
            }
        }
        while let Some(value) = pending.pop() {
            if !relevant.values.insert(value) {
                continue;
            }
            match value.definition() {
                Definition::Result(op, _) => {
                    let inside = op.block().is_some_and(|block| index.contains_key(&block));
                    if inside && relevant.ops.insert(op) && !is_opaque(op) {
                        pending.extend(op.operands());
                    }
                }
                Definition::Argument(block, number) if index.contains_key(&block) => {
                    let incoming = block.incoming().into_iter().filter(|(branch, _)| {
                        branch
                            .block()
                            .is_some_and(|block| index.contains_key(&block))
                    });
                    pending.extend(incoming.filter_map(|(branch, successor)| {
                        branch.successor_operands(successor)?.value(number)
                    }));
                }
                Definition::Argument(..) => {}
            }
        }
        relevant
    }
}

/// Returns the operations that write to variables, or may end the program.
fn always_matters(op: Op<'_>) -> bool {
    match op.name() {
        host::Store::NAME
        | host::Apply::NAME
        | host::Assert::NAME
        | host::Abort::NAME
        | host::ArrayGet::NAME
        | host::ArraySet::NAME
        | host::ArrayFill::NAME => true,
        func::Call::NAME => op.operands().any(|operand| may_write(operand.ty())),
        _ => false,
    }
}

/// Returns whether a function with such parameters can write to a variable of its caller.
fn may_write(ty: Type<'_>) -> bool {
    matches!(host_type(ty), Some(HostType::Ref(_) | HostType::Closure(_)))
}

/// Returns the operands of a terminator that select the successor, that its block receives, or that
/// are returned; not those that are forwarded.
pub(super) fn deciders<'a>(terminator: Op<'a>) -> Vec<Value<'a>> {
    match terminator.num_successors() {
        0 => terminator.operands().collect(),
        1 if !terminator.isa::<host::SwitchEnum>() => Vec::new(),
        // The selector of every branch is its first operand.
        _ => vec![terminator.operand(0)],
    }
}
