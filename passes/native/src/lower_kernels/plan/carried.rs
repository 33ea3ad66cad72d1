//! Changes of a tensor that a loop carries by one iteration: nothing, some slices, or all of it.
//!
//! ```text
//! while (%l = ...) do { yield %l }                                            nothing
//! while (%l = ...) do { %m = TensorScatterUpdate(%l, ..); yield %m }          it replaces slices
//! while (%l = ...) do { %m = while (%k = %l) do { .. }; yield %m }            as the inner loop
//! while (%l = ...) do { %m = if .. { yield %k } else { yield %l }; yield %m } as the branches
//! while (%l = ...) do { %m = AddV2(%l, %l); yield %m }                        it replaces all
//! ```
//!
//! The tapes of derivatives are such tensors: loops push elements, also in nested loops and in
//! branches, and loops back pop them, which leaves the memory as it is. A tensor of which only
//! slices are replaced is in one place for all iterations, if nothing else reads it: each value on
//! the way has one use, or one in each branch.
//!
//! Recursive in nested regions, up to [`MOST_NESTING`]. Each loop looks through the loops inside of
//! it again, so the cost is linear in the values that loops carry, times the depth of loops.

use tfx_dialects::tensor::{self, TensorOp};
use tfx_ir::{Block, Definition, Op, Value};

use super::MOST_NESTING;
use crate::operations::{self, Lowering, Start};

/// The part of a tensor that code changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Change {
    Nothing,
    /// It replaces slices, and nothing else reads the tensor.
    Slices,
    Everything,
}

/// Returns what an iteration does to the value that a loop carries at a position.
pub(super) fn by_loop(op: Op<'_>, position: usize) -> Change {
    of_loop(op, position, MOST_NESTING)
}

/// Returns the value from outside that all branches yield at a position, and what they do to it.
pub(super) fn by_branches(op: Op<'_>, position: usize) -> Option<(Value<'_>, Change)> {
    of_branches(op, position, MOST_NESTING)
}

/// Returns the operations of the body of a loop, and of branches in it, by which an iteration
/// replaces slices of tensors that the loop carries.
pub(crate) fn updates(op: Op<'_>) -> Vec<Op<'_>> {
    let mut found = Vec::new();
    let positions = 0..op.num_results();
    for position in positions.filter(|&position| by_loop(op, position) == Change::Slices) {
        let mut ends = vec![(op.region(1).entry(), position)];
        while let Some((Some(block), position)) = ends.pop() {
            let Some(end) = block.terminator() else {
                continue;
            };
            let mut value = end.operand(position);
            while let Definition::Result(op, result) = value.definition() {
                if op.block() != Some(block) {
                    break;
                }
                found.push(op);
                value = match TensorOp::cast(op) {
                    Some(TensorOp::If(_) | TensorOp::Case(_)) => {
                        ends.extend(op.regions().map(|region| (region.entry(), result)));
                        match by_branches(op, result) {
                            Some((value, _)) => value,
                            None => break,
                        }
                    }
                    Some(TensorOp::While(_)) => op.operand(result),
                    _ => op.operand(0),
                };
            }
        }
    }
    found
}

fn of_loop(op: Op<'_>, position: usize, nesting: usize) -> Change {
    let Some(body) = op.region(1).entry() else {
        return Change::Everything;
    };
    match traced(body, position, nesting) {
        Some((value, change)) if value == body.argument(position) => change,
        _ => Change::Everything,
    }
}

fn of_branches(op: Op<'_>, position: usize, nesting: usize) -> Option<(Value<'_>, Change)> {
    let mut found: Option<(Value<'_>, Change)> = None;
    for region in op.regions() {
        let (value, change) = traced(region.entry()?, position, nesting)?;
        match &mut found {
            Some((same, all)) if *same == value => *all = change.max(*all),
            Some(_) => return None,
            None => found = Some((value, change)),
        }
    }
    found.filter(|(value, change)| !value.is_defined_within(op) && *change != Change::Everything)
}

/// Returns what an operation does to its first operand.
fn of_operation(op: tensor::Op<'_>) -> Option<Change> {
    if op.tf_name() == "Identity" {
        return Some(Change::Nothing);
    }
    match operations::classify(op) {
        Ok(Lowering::Scatter(scatter)) if scatter.start == Start::First => Some(Change::Slices),
        _ => None,
    }
}

/// Follows what a block yields at a position back to an argument of the block or a value from
/// outside. Returns this value, and what the block does to it; `None` if the block computes another
/// value.
fn traced(block: Block<'_>, position: usize, nesting: usize) -> Option<(Value<'_>, Change)> {
    let nesting = nesting.checked_sub(1)?;
    let mut user = block.terminator()?;
    let mut value = user.operand(position);
    let mut change = Change::Nothing;
    // Each value in the way, with the operation of the block that makes the next one. What the
    // block yields may have other uses: nothing replaces its slices in this iteration.
    let mut way = Vec::new();
    while let Definition::Result(op, result) = value.definition() {
        if op.block() != Some(block) {
            break;
        }
        let made;
        (value, made) = match TensorOp::cast(op)? {
            TensorOp::Op(inner) => (op.operand(0), of_operation(inner)?),
            TensorOp::While(_) => (op.operand(result), of_loop(op, result, nesting)),
            TensorOp::If(_) | TensorOp::Case(_) => of_branches(op, result, nesting)?,
            _ => return None,
        };
        change = change.max(made);
        user = op;
        way.push((value, user));
    }
    let is_read = || {
        way.iter()
            .any(|(value, user)| is_read_elsewhere(*value, *user, block))
    };
    let change = match change {
        Change::Slices if is_read() => Change::Everything,
        change => change,
    };
    Some((value, change))
}

/// Returns whether anything else in a block than this operation reads a value, or it does twice. A
/// branch reads it inside.
fn is_read_elsewhere<'a>(value: Value<'a>, user: Op<'a>, block: Block<'a>) -> bool {
    let mut places = value.uses().filter_map(|used| {
        let mut around = std::iter::successors(Some(used.owner), |op| op.parent());
        around.find(|op| op.block() == Some(block))
    });
    let is_branch = matches!(
        TensorOp::cast(user),
        Some(TensorOp::If(_) | TensorOp::Case(_))
    );
    match is_branch {
        true => places.any(|place| place != user),
        false => places.count() > 1,
    }
}
