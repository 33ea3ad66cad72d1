//! Liveness of values. Dead values are forgotten, so that states which differ in nothing else are
//! equal.

use std::rc::Rc;
use tfx_ir::ops::func;

use rustc_hash::FxHashMap;
use tfx_ir::{Block, Op, Value};

/// For each operation before which a state may stop: the values that may still be read.
pub(super) type Liveness<'a> = FxHashMap<Op<'a>, Rc<[bool]>>;

/// Returns the liveness of each operation of a CFG.
pub(super) fn cfg_liveness<'a>(
    blocks: &[Block<'a>],
    indices: &FxHashMap<Value<'a>, usize>,
    count: usize,
) -> Liveness<'a> {
    let mut at_start: FxHashMap<Block<'a>, Vec<bool>> = FxHashMap::default();
    let live_at = |block: Block<'a>,
                   at_start: &FxHashMap<Block<'a>, Vec<bool>>,
                   liveness: &mut Option<&mut Liveness<'a>>| {
        let mut live = vec![false; count];
        for successor in block.successors() {
            if let Some(found) = at_start.get(&successor) {
                live.iter_mut()
                    .zip(found)
                    .for_each(|(one, other)| *one |= other);
            }
        }
        for op in block.ops_backwards() {
            op.operands().for_each(|value| live[indices[&value]] = true);
            if let Some(liveness) = liveness {
                liveness.insert(op, live.clone().into());
            }
        }
        live
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &block in blocks.iter().rev() {
            let live = live_at(block, &at_start, &mut None);
            if at_start.get(&block) != Some(&live) {
                at_start.insert(block, live);
                changed = true;
            }
        }
    }
    let mut liveness = Liveness::default();
    for &block in blocks {
        live_at(block, &at_start, &mut Some(&mut liveness));
    }
    liveness
}

/// Returns the values that may still be read from `point` on in the structured form: those that it,
/// a later operation, or an enclosing one reads.
pub(super) fn structured_liveness<'a>(
    point: Op<'a>,
    indices: &FxHashMap<Value<'a>, usize>,
    count: usize,
) -> Rc<[bool]> {
    let mut live = vec![false; count];
    let mut here = Some(point);
    while let Some(op) = here.filter(|op| !op.isa::<func::Func>()) {
        let rest = std::iter::successors(Some(op), |op| op.next());
        for reader in rest.flat_map(Op::walk) {
            reader.operands().for_each(|value| {
                if let Some(&number) = indices.get(&value) {
                    live[number] = true;
                }
            });
        }
        here = op.parent();
    }
    live.into()
}
