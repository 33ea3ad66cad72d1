//! The commands that decide loops and branches.
//!
//! ```text
//!   %a = decide %h                               Decide
//!   scf.while (%c = %a) { condition(%c) } do {   Decided { first: of %a, next: of %b }
//!     %b = decide %h                             Decide
//!     yield %b
//!   }
//!   %d = decide %k                               Decide
//!   scf.if %d { ... } else { ... }               Chosen(of %d)
//! ```
//!
//! A `decide` in the condition is both: the feeder has its commands before the loop and in the
//! body.
//!
//! Cost: nearly linear in the commands.

use std::collections::HashMap;

use tfx_commands::Detail;
use tfx_dialects::stream::Decide;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::scf;
use tfx_ir::{Op, Use, Value};
use tfx_schedule::{self as checker, Body, CommandId, Schedule};

/// Notes the decisions of all loops and branches in their details.
///
/// # Errors
///
/// A `decide` decides something else, or a part of a loop.
pub(super) fn find<'a>(
    schedule: &Schedule<Op<'a>>,
    details: &mut [Detail],
) -> Result<(), Diagnostics<'a>> {
    let mut errors: Vec<Diagnostic<'a>> = Vec::new();
    for place in &schedule.places {
        let uses = Decide::cast(*place).into_iter();
        let mut uses = uses.flat_map(|decide| decide.decision().uses());
        if let Some(found) = uses.find(|found| !is_decision(*found)) {
            let message = format!(
                "'{}' uses a decision, but in a command list decisions are those of 'scf.while' \
                 and 'scf.if'",
                found.owner.name()
            );
            let error = diag::error(found.owner.location(), message);
            errors.push(error.note(place.location(), "this is the decision"));
        }
    }
    let mut pending: Vec<&Body> = schedule.parts.iter().map(|part| &part.body).collect();
    while let Some(body) = pending.pop() {
        let mut before = HashMap::new();
        for command in &body.commands {
            let place = schedule.places[command.id.0 as usize];
            match &command.op {
                checker::Op::Work { .. } => drop(before.insert(place, command.id)),
                checker::Op::Loop(inner) => {
                    pending.push(&inner.body);
                    let Some(repeated) = scf::While::cast(place) else {
                        continue;
                    };
                    let within: HashMap<Op<'a>, CommandId> = inner
                        .body
                        .commands
                        .iter()
                        .map(|command| (schedule.places[command.id.0 as usize], command.id))
                        .collect();
                    match decisions(repeated) {
                        [None, None] => {}
                        [first, next] => {
                            let first = first.and_then(|op| before.get(&op).copied());
                            let next = next.and_then(|op| within.get(&op).copied());
                            match (first, next) {
                                (Some(first), Some(next)) => {
                                    let detail = Detail::Decided { first, next };
                                    details[command.id.0 as usize] = detail;
                                }
                                _ => errors.push(incomplete(repeated)),
                            }
                        }
                    }
                }
                checker::Op::Branch(branch) => {
                    pending.extend(&branch.arms);
                    let condition = scf::If::cast(place).map(|branch| branch.condition());
                    let decide = condition.and_then(Value::defining_op).filter(is_decide);
                    let Some(decide) = decide else { continue };
                    match before.get(&decide) {
                        Some(by) => details[command.id.0 as usize] = Detail::Chosen(*by),
                        None => errors.push(far(place, decide)),
                    }
                }
                _ => {}
            }
        }
    }
    Diagnostics::from_iter(errors).finish()
}

fn far<'a>(branch: Op<'a>, decide: Op<'a>) -> Diagnostic<'a> {
    let message = "a command list has no branch with a decision of another block";
    let note = "this is the decision: move it to the block of the branch";
    diag::error(branch.location(), message).note(decide.location(), note)
}

fn incomplete(repeated: scf::While<'_>) -> Diagnostic<'_> {
    let location = repeated.op().location();
    let message = "a command list has no loop with a part of its decisions";
    let note = "decide it by tfx_stream.decide in the block of the loop, before it, and in the \
                block of its body";
    diag::error(location, message).note(location, note)
}

/// Returns the operations that decide the first iteration of a loop and the next ones.
fn decisions(repeated: scf::While<'_>) -> [Option<Op<'_>>; 2] {
    let Some(value) = repeated.end().map(|end| end.condition()) else {
        return [None, None];
    };
    let next = repeated.after().terminator();
    let values = match tested(repeated, value) {
        Some(index) => [
            Some(repeated.inits().at(index)),
            next.map(|end| end.operand(index)),
        ],
        None => [Some(value), Some(value)],
    };
    values.map(|value| value?.defining_op().filter(is_decide))
}

fn is_decide(op: &Op<'_>) -> bool {
    op.isa::<Decide>()
}

/// Returns the position of an argument of the condition of a loop.
fn tested<'a>(repeated: scf::While<'a>, value: Value<'a>) -> Option<usize> {
    let (block, index) = value.as_argument()?;
    (repeated.before().entry() == Some(block)).then_some(index)
}

/// Returns whether a use of a decision is one by a loop or branch that it decides.
fn is_decision(found: Use<'_>) -> bool {
    let (owner, operand) = (found.owner, found.operand);
    if owner.isa::<scf::Condition>() || owner.isa::<scf::If>() {
        return operand == 0;
    }
    let repeated = match owner.isa::<scf::Yield>() {
        true => owner.parent().and_then(scf::While::cast),
        false => scf::While::cast(owner),
    };
    repeated.is_some_and(|repeated| {
        let condition = repeated.end().map(|end| end.condition());
        condition.and_then(|value| tested(repeated, value)) == Some(operand)
    })
}
