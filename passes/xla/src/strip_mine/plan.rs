//! The requirements of strip mining, and the gates of a loop.
//!
//! ```text
//! %r = arith.remsi %step, %c100     ┐ the slice of the gate's condition: scalar code on the values
//! %c = arith.cmpi eq, %r, %c0       ┘ at the start of the iteration
//! scf.if %c { send %w to 0 }          a gate: the iteration is noisy if %c
//! ```

use std::collections::HashSet;

use melior::ir::{Location, TypeLike};
use tfx_graphdef_mlir::effects::{Effect, Effects};
use tfx_ir::ops::{Structured, scf};
use tfx_ir::{Block, Op, Region, Value};

/// An `scf.if` in a loop body with messages in one arm. Only gates have messages.
#[derive(Clone, Debug)]
pub(super) struct Gate<'a> {
    pub(super) op: scf::If<'a>,
    /// The value of the condition in a quiet iteration.
    pub(super) quiet_if: bool,
    /// The operations that compute the condition, in the order of the body.
    pub(super) slice: Vec<Op<'a>>,
}

impl<'a> Gate<'a> {
    /// Returns the arm that a quiet iteration executes.
    pub(super) fn quiet_arm(&self) -> Region<'a> {
        match self.quiet_if {
            true => self.op.then_region(),
            false => self.op.else_region(),
        }
    }
}

/// The reason why a loop cannot be strip-mined.
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

/// Returns the gates of a loop with effects: at least one.
///
/// # Errors
///
/// Returns the first obstacle.
pub(super) fn plan<'a>(
    looped: Structured<'a>,
    effects: &Effects<'a>,
) -> Result<Vec<Gate<'a>>, Obstacle<'a>> {
    let (header, body) = match looped {
        Structured::While(op) => (op.before().single_block(), op.after()),
        Structured::For(op) => (None, op.region()),
        Structured::If(_) | Structured::Switch(_) => unreachable!("only loops are planned"),
    };
    let has_effect = |op: &Op<'a>| effects.of(*op) != Effect::Pure;
    if let Some(op) = header.and_then(|header| header.ops().find(has_effect)) {
        return obstacle(
            op,
            "the condition of the loop communicates with the host or has state",
        );
    }
    let Some(body) = body.single_block() else {
        return obstacle(looped.op(), "its body has branches");
    };
    if let Some(random) = looped
        .op()
        .walk()
        .find(|inside| inside.num_regions() == 0 && effects.of(*inside) == Effect::Stateful)
    {
        return obstacle(
            random,
            "it draws random numbers, whose sequence depends on being drawn by one operation",
        );
    }
    let ops = body.ops().filter(has_effect);
    ops.map(|op| gate(op, body, effects)).collect()
}

fn gate<'a>(op: Op<'a>, body: Block<'a>, effects: &Effects<'a>) -> Result<Gate<'a>, Obstacle<'a>> {
    let Some(gate) = scf::If::cast(op) else {
        return obstacle(
            op,
            "this communicates with the host in each iteration, or has state",
        );
    };
    let is_noisy = |arm: Region<'a>| {
        let mut ops = arm.blocks().flat_map(Block::ops);
        ops.any(|op| effects.of(op) != Effect::Pure)
    };
    let quiet_if = match (is_noisy(gate.then_region()), is_noisy(gate.else_region())) {
        (true, true) => {
            return obstacle(
                op,
                "this communicates with the host for both values of the condition",
            );
        }
        (noisy, _) => !noisy,
    };
    Ok(Gate {
        op: gate,
        quiet_if,
        slice: slice(gate, body)?,
    })
}

/// Returns the operations of the body that compute the condition of a gate.
fn slice<'a>(gate: scf::If<'a>, body: Block<'a>) -> Result<Vec<Op<'a>>, Obstacle<'a>> {
    let mut found: HashSet<Op<'a>> = HashSet::new();
    let mut pending = vec![gate.condition()];
    while let Some(value) = pending.pop() {
        let op = value.defining_op().filter(|op| op.block() == Some(body));
        let Some(op) = op.filter(|op| !found.contains(op)) else {
            continue;
        };
        if op.num_regions() > 0 || op.operands().chain(op.results()).any(is_tensor) {
            return obstacle(
                op,
                "the condition depends on this operation, which costs too much to run twice in each iteration",
            );
        }
        if !op.is_pure() {
            return obstacle(
                op,
                "the condition depends on this operation, which may fail after the last iteration",
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
