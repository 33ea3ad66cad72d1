//! Which values may still be read. What is not read any more is forgotten, so that states which differ in nothing else are one.

use std::rc::Rc;
use tfx_ir::ops::func;

use rustc_hash::FxHashMap;
use tfx_ir::{Block, Op, Value};

/// Per operation of one side before which a state may stand: the values that may still be read.
pub(super) type Lives<'a> = FxHashMap<Op<'a>, Rc<[bool]>>;

/// Per operation of a graph of blocks: what may still be read there.
pub(super) fn graph_lives<'a>(
    blocks: &[Block<'a>],
    numbers: &FxHashMap<Value<'a>, usize>,
    count: usize,
) -> Lives<'a> {
    let mut at_start: FxHashMap<Block<'a>, Vec<bool>> = FxHashMap::default();
    let live_at = |block: Block<'a>,
                   at_start: &FxHashMap<Block<'a>, Vec<bool>>,
                   lives: &mut Option<&mut Lives<'a>>| {
        let mut live = vec![false; count];
        for successor in block.successors() {
            if let Some(found) = at_start.get(&successor) {
                live.iter_mut()
                    .zip(found)
                    .for_each(|(one, other)| *one |= other);
            }
        }
        for op in block.ops_backwards() {
            op.operands().for_each(|value| live[numbers[&value]] = true);
            if let Some(lives) = lives {
                lives.insert(op, live.clone().into());
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
    let mut lives = Lives::default();
    for &block in blocks {
        live_at(block, &at_start, &mut Some(&mut lives));
    }
    lives
}

/// What may still be read from `point` on in the structured form: what is read by an operation at or after it or one around it.
pub(super) fn structured_lives<'a>(
    point: Op<'a>,
    numbers: &FxHashMap<Value<'a>, usize>,
    count: usize,
) -> Rc<[bool]> {
    let mut live = vec![false; count];
    let mut here = Some(point);
    while let Some(op) = here.filter(|op| !op.isa::<func::Func>()) {
        let rest = std::iter::successors(Some(op), |op| op.next());
        for reader in rest.flat_map(Op::walk) {
            reader.operands().for_each(|value| {
                if let Some(&number) = numbers.get(&value) {
                    live[number] = true;
                }
            });
        }
        here = op.parent();
    }
    live.into()
}
