//! The iteration arguments of a rotated loop: its condition, and *slots*.
//!
//! A slot holds an iteration argument while the loop continues and a forwarded value after it has
//! ended, so the two share a slot if their types agree. A forwarded value without such an argument
//! has its own slot, whose initial value is a placeholder.

use melior::ir::Type;
use tfx_graphdef_mlir::types::tensor_type;
use tfx_ir::ops::scf;
use tfx_ir::{Block, Op, Value};

use super::tensor_builder::tensor_types;

/// A rotated loop.
pub(super) struct Rotated<'a> {
    /// The second region of the old loop.
    pub(super) after: Block<'a>,
    /// The body of the new loop, whose arguments are the condition and the slots.
    pub(super) body: Block<'a>,
    /// The slots.
    pub(super) slots: Slots<'a>,
}

impl<'a> Rotated<'a> {
    /// Returns the slots for the next iteration: the iteration arguments, and the forwarded values
    /// that have their own slots.
    pub(super) fn next_state(&self, next: &[Value<'a>], forwarded: &[Value<'a>]) -> Vec<Value<'a>> {
        let mut state = next.to_vec();
        state.resize(self.slots.types.len(), self.body.argument(0));
        for (&slot, &value) in self.slots.of_forwarded.iter().zip(forwarded) {
            if slot >= next.len() {
                state[slot] = value;
            }
        }
        state
    }

    /// Returns the slots after the last iteration: the forwarded values, and the former values of
    /// the other slots.
    pub(super) fn final_state(&self, forwarded: &[Value<'a>]) -> Vec<Value<'a>> {
        let mut state: Vec<_> = self.body.arguments().skip(1).collect();
        for (&slot, &value) in self.slots.of_forwarded.iter().zip(forwarded) {
            state[slot] = value;
        }
        state
    }
}

/// The slots of a loop.
pub(super) struct Slots<'a> {
    /// The type of each slot. The first slots are those of the iteration arguments.
    pub(super) types: Vec<Type<'a>>,
    /// The slot of each forwarded value.
    of_forwarded: Vec<usize>,
}

impl<'a> Slots<'a> {
    /// Assigns a slot to each forwarded value.
    ///
    /// If the second region has operations, a slot fits a value of its type; the slot of the same
    /// iteration argument is preferred. If it has none, both values of the slot are yielded at
    /// once, so they must be equal.
    pub(super) fn assign(
        condition: scf::Condition<'a>,
        before: Block<'a>,
        after: Block<'a>,
    ) -> Self {
        let mut types = tensor_types(before.arguments());
        let carried = types.len();
        let next = terminator(after);
        let after_is_empty = is_empty(after);
        let mut taken = vec![false; carried];
        let mut of_forwarded = Vec::new();
        for (index, value) in condition.args().iter().enumerate() {
            let ty = tensor_type(value.context(), value.ty());
            let own = value.as_argument().filter(|&(block, _)| block == before);
            let fits = |slot: &usize| {
                !taken[*slot]
                    && types[*slot] == ty
                    && (!after_is_empty || next.operand(*slot) == after.argument(index))
            };
            let own = own.map(|(_, slot)| slot).filter(fits);
            let slot = own.or_else(|| (0..carried).find(fits)).unwrap_or_else(|| {
                types.push(ty);
                types.len() - 1
            });
            if slot < carried {
                taken[slot] = true;
            }
            of_forwarded.push(slot);
        }
        Self {
            types,
            of_forwarded,
        }
    }

    /// Returns the results of the new loop for the forwarded values. The first result is the
    /// condition.
    pub(super) fn results(&self, new: Op<'a>) -> impl Iterator<Item = Value<'a>> {
        let slots = self.of_forwarded.iter();
        slots.map(move |&slot| new.result(1 + slot))
    }
}

/// Returns the terminator of a block.
pub(super) fn terminator(block: Block<'_>) -> Op<'_> {
    block.last().expect("a verified block has a terminator")
}

/// Returns whether a block consists of its terminator.
pub(super) fn is_empty(block: Block<'_>) -> bool {
    block.first() == block.last()
}
