//! The decisions of a command list: the bytes that decide its loops and branches.
//!
//! ```text
//!   command 3   the host reads a byte     Decide
//!   command 4   loop                      Decided { first: 3, next: 7 }
//!     command 5   launch ...
//!     command 7   the host reads a byte   Decide
//!   command 8   the host reads a byte     Decide
//!   command 9   branch                    Chosen(8)
//! ```
//!
//! A loop that the list decides starts its first iteration if the byte of `first` is not zero, and
//! each further one if that of `next` is not. A branch of two arms that it decides takes the first
//! arm if the byte is not zero. Other loops and branches are decided by the caller.
//!
//! [`check()`] makes sure that the bytes are read before they are needed: `first` is a command of
//! the block of the loop, before it, `next` is one of the body, and the decision of a branch is a
//! command of its block, before it. Cost: nearly linear.

use std::collections::BTreeSet;

use tfx_schedule::{Agent, Body, Command, CommandId, Loop, Mode, Op, Schedule, Trips, Work};

use crate::decode::DecodeError;
use crate::list::Detail;

/// Checks the decisions of all loops.
///
/// # Errors
///
/// A loop is decided by a command that does not run before, or a detail is one of another command.
pub(crate) fn check(schedule: &Schedule<Detail>) -> Result<(), DecodeError> {
    let details = &schedule.places;
    let mut parts = schedule.parts.iter();
    parts.try_for_each(|part| body(details, &part.body).map(drop))
}

/// Checks a body, and returns its commands that read a decision. The depth is that of loops and
/// branches, which the decoder limits.
fn body(details: &[Detail], body: &Body) -> Result<BTreeSet<CommandId>, DecodeError> {
    let mut decisions = BTreeSet::new();
    for command in &body.commands {
        let detail = details.get(command.id.0 as usize);
        let mut inside = BTreeSet::new();
        match &command.op {
            Op::Loop(inner) => inside = self::body(details, &inner.body)?,
            Op::Branch(branch) => {
                for arm in &branch.arms {
                    self::body(details, arm)?;
                }
            }
            _ => {}
        }
        let expected = match detail {
            Some(Detail::Decide) if !reads_a_byte(command) => {
                Some("a read of one buffer by the host")
            }
            Some(Detail::Decided { first, next }) => match &command.op {
                Op::Loop(inner) if !is_unknown(inner) => {
                    Some("a loop with an unknown number of iterations")
                }
                Op::Loop(_) if !decisions.contains(first) => Some("a decision before the loop"),
                Op::Loop(_) if !inside.contains(next) => Some("a decision in the body of the loop"),
                Op::Loop(_) => None,
                _ => Some("a loop"),
            },
            Some(Detail::Chosen(by)) => match &command.op {
                Op::Branch(branch) if branch.arms.len() != 2 => Some("a branch of two arms"),
                Op::Branch(_) if !decisions.contains(by) => Some("a decision before the branch"),
                Op::Branch(_) => None,
                _ => Some("a branch"),
            },
            _ => None,
        };
        if let Some(expected) = expected {
            let command = command.id.0;
            return Err(DecodeError::Decision { command, expected });
        }
        if detail == Some(&Detail::Decide) {
            decisions.insert(command.id);
        }
    }
    Ok(decisions)
}

fn is_unknown(inner: &Loop) -> bool {
    matches!(inner.trips, Trips::AtLeast(_))
}

fn reads_a_byte(command: &Command) -> bool {
    let Op::Work {
        agent: Agent::Host,
        kind: Work::Host,
        accesses,
    } = &command.op
    else {
        return false;
    };
    matches!(&accesses[..], [access] if access.mode == Mode::Read)
}
