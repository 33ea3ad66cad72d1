//! Operations on tapes.

use tfx_dialects::ad::AdOp;

use crate::code::Action;
use crate::tape::Tape;
use crate::value::Value;

/// Returns the action of an operation; none if `tfx-differentiate` has to replace it first.
pub(super) fn action<'a>(op: AdOp<'a>) -> Option<Action<'a>> {
    match op {
        AdOp::EmptyTape(_) => Some(Action::Constant(Value::Tape(Tape::default()))),
        AdOp::Push(_) => Some(Action::Push),
        AdOp::Pop(_) => Some(Action::Pop),
        AdOp::TapeLength(_) => Some(Action::TapeLength),
        AdOp::Save(_) | AdOp::WithCotangent(_) => Some(Action::Copy),
        AdOp::Stop(_) => Some(Action::Stop),
        AdOp::Checkpointed(_)
        | AdOp::Gradient(_)
        | AdOp::Jvp(_)
        | AdOp::Scale(_)
        | AdOp::SumTo(_)
        | AdOp::Vjp(_) => None,
    }
}
