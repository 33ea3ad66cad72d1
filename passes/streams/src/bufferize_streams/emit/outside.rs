//! The tensors that a loop or branch uses from outside of it.
//!
//! They are copied to the memory of their users before it, so that no iteration copies them again,
//! and what an arm copies is not missing after it.
//!
//! Cost: linear in the operations inside. Recursive in loops and branches, whose depth is bounded.

use tfx_dialects::schedules::Space;
use tfx_dialects::tensor::{Call, If, While};
use tfx_ir::{Block, Op, Value};

use super::super::grouping::Inner;
use super::{commands, is_defined_in, space};

/// Returns the tensors from outside of a loop or branch that its kernels and its conditions use,
/// with the memory in which they use them.
pub(super) fn used_outside<'a>(op: Op<'a>, found: &Inner<'a>) -> Vec<(Value<'a>, Space)> {
    let blocks = blocks(op);
    let mut used = Vec::new();
    for (block, nested) in blocks.iter().zip(found.nested()) {
        let mut inner = nested.commands.inner.iter();
        for (op, device) in commands(*block).into_iter().zip(&nested.commands.devices) {
            if op.isa::<Call>() {
                used.extend(op.operands().map(|operand| (operand, space(*device))));
            } else if op.isa::<While>() || op.isa::<If>() {
                let inside = inner.next().map(|inner| used_outside(op, inner));
                used.extend(inside.into_iter().flatten());
            }
        }
    }
    let decision = match found {
        Inner::Branch(_) => Some(op.operand(0)),
        Inner::Loop(repeated) => {
            let is_computed = repeated.condition.is_some();
            let condition = blocks.get(1).filter(|_| is_computed);
            let end = condition.and_then(|condition| condition.terminator());
            end.map(|end| end.operand(0))
        }
    };
    used.extend(decision.map(|decision| (decision, Space::Host)));
    let is_inside = |tensor| blocks.iter().any(|block| is_defined_in(tensor, *block));
    used.retain(|(tensor, _)| !is_inside(*tensor));
    used
}

/// Returns the blocks of a loop or branch, in the order of [`Inner::nested()`].
fn blocks(op: Op<'_>) -> Vec<Block<'_>> {
    let regions = match While::cast(op) {
        Some(repeated) => vec![repeated.body_region(), repeated.condition_region()],
        None => op.regions().collect(),
    };
    let entries = regions.into_iter().filter_map(|region| region.entry());
    entries.collect()
}
