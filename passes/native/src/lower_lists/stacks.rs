//! Lists that grow and shrink: a tensor for the elements, and a scalar for their number.
//!
//! ```text
//! %r = while (%s = %l) {...}       %r, %k = while (%s = %l, %n = %c) {...}
//! do { yield %p }             ──►  do { yield %p, %q }
//! ```
//!
//! Loops and branches forward the count of a list next to its elements.

use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_dialects::tensor::{self, TensorOp};
use tfx_graphdef_mlir::types;
use tfx_ir::{Builder, Op, Value};

use super::classes::{Class, Classes};
use super::{integers, item, tf, update, zeros, zeros_of};

/// The bits of a count.
const BITS: u32 = 32;

/// Returns the number of elements of a list that grows.
pub(super) fn count<'a>(classes: &Classes<'a>, list: Value<'a>) -> Option<Value<'a>> {
    classes.counts.get(&list).copied()
}

/// The count of a list of a class that grows.
fn known_count<'a>(classes: &Classes<'a>, list: Value<'a>) -> Value<'a> {
    count(classes, list).expect("a list is defined before its use")
}

/// Returns which values are lists that grow and become tensors.
fn positions<'a>(values: impl Iterator<Item = Value<'a>>, classes: &mut Classes<'a>) -> Vec<usize> {
    let mut positions = Vec::new();
    for (position, value) in values.enumerate() {
        if classes.lowered(value).is_some_and(|class| class.is_stack) {
            positions.push(position);
        }
    }
    positions
}

/// Forwards the counts of the lists that a loop, a branch or the end of a region forwards.
pub(super) fn carry<'a>(op: Op<'a>, classes: &mut Classes<'a>) {
    match TensorOp::cast(op) {
        Some(TensorOp::While(_)) => {
            let positions = positions(op.operands(), classes);
            if positions.is_empty() {
                return;
            }
            let initial: Vec<_> = positions
                .iter()
                .map(|&position| known_count(classes, op.operand(position)))
                .collect();
            let new = with_results(op, &initial, &positions, classes);
            for block in new.regions().filter_map(tfx_ir::Region::entry) {
                for (&position, count) in positions.iter().zip(&initial) {
                    let list = block.argument(position);
                    let argument = block.add_argument(count.ty(), list.location());
                    classes.counts.insert(list, argument);
                }
            }
        }
        Some(TensorOp::If(_) | TensorOp::Case(_)) => {
            let positions = positions(op.results(), classes);
            if !positions.is_empty() {
                with_results(op, &[], &positions, classes);
            }
        }
        Some(TensorOp::Yield(_)) => {
            let positions = positions(op.operands(), classes);
            let mut yielded: Vec<_> = op.operands().collect();
            for position in &positions {
                yielded.push(known_count(classes, op.operand(*position)));
            }
            if !positions.is_empty() {
                op.set_operands(&yielded);
            }
        }
        _ => {}
    }
}

/// Replaces an operation by one with further operands, and with a count for each of some results.
fn with_results<'a>(
    op: Op<'a>,
    operands: &[Value<'a>],
    positions: &[usize],
    classes: &mut Classes<'a>,
) -> Op<'a> {
    let mut builder = Builder::before(op);
    let count: Type<'a> = IntegerType::new(builder.context(), BITS).into();
    let count = types::tensor_of(builder.context(), Some(&[]), count);
    let all: Vec<_> = op.operands().chain(operands.iter().copied()).collect();
    let mut types = op.result_types();
    let results = types.len();
    types.extend(positions.iter().map(|_| count));
    let new = builder
        .op(op.name())
        .operands(&all)
        .results(&types)
        .regions(op.num_regions())
        .attributes_of(op)
        .build();
    for (from, to) in op.regions().zip(new.regions()) {
        to.append_blocks_of(from);
    }
    for (old, new) in op.results().zip(new.results()) {
        classes.move_to(old, new);
    }
    for (number, &position) in positions.iter().enumerate() {
        let count = new.result(results + number);
        classes.counts.insert(new.result(position), count);
    }
    let replacements: Vec<_> = new.results().take(results).collect();
    classes.retire(op, &replacements);
    new
}

/// Replaces an operation on a list that grows.
pub(super) fn operation<'a>(op: tensor::Op<'a>, class: &Class<'a>, classes: &mut Classes<'a>) {
    let old = op.op();
    let mut builder = Builder::before(old);
    match op.tf_name() {
        "EmptyTensorList" => {
            let zeros = match classes.lengths.get(&old.result(0)) {
                Some(&length) => zeros_of(&mut builder, class, length),
                None => zeros(&mut builder, class.ty),
            };
            let count = integers(&mut builder, BITS, &[], &[0]);
            define(classes, old.result(0), zeros, count);
            classes.retire(old, &[zeros]);
        }
        "Identity" => {
            let count = known_count(classes, old.operand(0));
            classes.counts.insert(old.result(0), count);
        }
        "TensorListPushBack" => {
            let (list, count) = (old.operand(0), known_count(classes, old.operand(0)));
            let updated = update(&mut builder, class, (list, count, old.operand(1)));
            let one = integers(&mut builder, BITS, &[], &[1]);
            let count = tf(&mut builder, "AddV2", &[count, one], count.ty());
            define(classes, old.result(0), updated, count);
            classes.retire(old, &[updated]);
        }
        "TensorListPopBack" => {
            let (list, count) = (old.operand(0), known_count(classes, old.operand(0)));
            let one = integers(&mut builder, BITS, &[], &[1]);
            let count = tf(&mut builder, "Sub", &[count, one], count.ty());
            let item = item(&mut builder, list, count, old.result(1).ty());
            // Another value, which has another count.
            let shorter = tf(&mut builder, "Identity", &[list], class.ty);
            define(classes, old.result(0), shorter, count);
            classes.retire(old, &[shorter, item]);
        }
        name => unreachable!("`choose` knows all operations, but not {name}"),
    }
}

/// Lets a value be a list in place of another one.
fn define<'a>(classes: &mut Classes<'a>, old: Value<'a>, new: Value<'a>, count: Value<'a>) {
    classes.move_to(old, new);
    classes.counts.insert(new, count);
}
