//! Whether a loop can be cut, and where it talks with the host.
//!
//! ```text
//! %r = arith.remsi %step, %c100     ┐ the slice of the gate's condition: scalars, from what the trip starts with
//! %c = arith.cmpi eq, %r, %c0       ┘
//! scf.if %c { send %w to 0 }          a gate: noisy if %c
//! ```

use std::collections::HashSet;

use melior::ir::{Location, TypeLike};
use tfx_graphdef_mlir::effects::{Effect, Effects};
use tfx_ir::{Block, Op, Value};

/// An `scf.if` of a loop's body of which one arm, and nothing else in the trip, talks with the host.
#[derive(Clone, Debug)]
pub(super) struct Gate<'a> {
    pub(super) op: Op<'a>,
    /// The arm that a quiet trip takes, by the number of its region.
    pub(super) quiet_arm: usize,
    /// What its condition is computed by, in the order of the body.
    pub(super) slice: Vec<Op<'a>>,
}

/// Why a loop cannot be cut.
#[derive(Clone, Debug)]
pub(super) struct Obstacle<'a> {
    pub(super) location: Location<'a>,
    pub(super) reason: String,
}

fn obstacle<'a, T>(op: Op<'a>, reason: &str) -> Result<T, Obstacle<'a>> {
    Err(Obstacle {
        location: op.location(),
        reason: reason.to_owned(),
    })
}

/// The gates of a loop with effects: at least one.
///
/// # Errors
///
/// The first thing that keeps it from being cut.
pub(super) fn plan<'a>(op: Op<'a>, effects: &Effects<'a>) -> Result<Vec<Gate<'a>>, Obstacle<'a>> {
    let body = op.region(op.num_regions() - 1);
    let header = (op.is("scf.while"))
        .then(|| op.region(0).single_block())
        .flatten();
    let in_header = header.into_iter().flat_map(|block| block.ops());
    if let Some(op) = in_header
        .into_iter()
        .find(|&op| effects.of(op) != Effect::Pure)
    {
        return obstacle(
            op,
            "the condition of the loop talks with the host, or has state",
        );
    }
    let Some(body) = body.single_block() else {
        return obstacle(op, "its body has branches");
    };
    if let Some(random) = op
        .walk()
        .find(|inside| inside.num_regions() == 0 && effects.of(*inside) == Effect::Stateful)
    {
        return obstacle(
            random,
            "it draws random numbers, which come in the order of one operation and would be drawn by two",
        );
    }
    body.ops()
        .filter(|&op| effects.of(op) != Effect::Pure)
        .map(|op| gate(op, body, effects))
        .collect()
}

fn gate<'a>(op: Op<'a>, body: Block<'a>, effects: &Effects<'a>) -> Result<Gate<'a>, Obstacle<'a>> {
    if !op.is("scf.if") {
        return obstacle(op, "this talks with the host in every trip, or has state");
    }
    let is_noisy = |arm: usize| {
        let ops = op.region(arm).blocks().flat_map(|block| block.ops());
        ops.into_iter().any(|op| effects.of(op) != Effect::Pure)
    };
    let quiet_arm = match (is_noisy(0), is_noisy(1)) {
        (true, true) => return obstacle(op, "this talks with the host whatever the condition is"),
        (noisy, _) => usize::from(noisy),
    };
    Ok(Gate {
        op,
        quiet_arm,
        slice: slice(op, body)?,
    })
}

/// What the condition of a gate is computed by in the body.
fn slice<'a>(gate: Op<'a>, body: Block<'a>) -> Result<Vec<Op<'a>>, Obstacle<'a>> {
    let mut found: HashSet<Op<'a>> = HashSet::new();
    let mut pending = vec![gate.operand(0)];
    while let Some(value) = pending.pop() {
        let op = value.defining_op().filter(|op| op.block() == Some(body));
        let Some(op) = op.filter(|op| !found.contains(op)) else {
            continue;
        };
        if op.num_regions() > 0 || op.operands().chain(op.results()).any(is_tensor) {
            return obstacle(
                op,
                "the condition is computed by this, which is too much to be done twice in each trip",
            );
        }
        if !op.is_pure() {
            return obstacle(
                op,
                "the condition is computed by this, which may fail where the loop has ended",
            );
        }
        found.insert(op);
        pending.extend(op.operands());
    }
    let mut slice: Vec<_> = found.into_iter().collect();
    slice.sort_by(|one, other| match one.is_before(*other) {
        true => std::cmp::Ordering::Less,
        false => std::cmp::Ordering::Greater,
    });
    Ok(slice)
}

fn is_tensor(value: Value<'_>) -> bool {
    let ty = value.ty();
    ty.is_ranked_tensor() || ty.is_unranked_tensor()
}
