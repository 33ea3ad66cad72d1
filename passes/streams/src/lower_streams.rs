//! `tfx-lower-streams`: encodes each public schedule as a command list for an executor.
//!
//! ```text
//!   schedule @train(...) { ... }   ──►   schedule @train(...) attributes {
//!                                            tfx_stream.commands = "tfxs\01..."} { ... }
//! ```
//!
//! The list has the commands of the schedule and of the parts that it calls, with the names of
//! their kernels, as bytes: `tfx-commands` has the format, and executes it. The bytes are decoded
//! and verified again, so that a schedule has a list only if the list itself has no race: a mistake
//! of the lowering, such as a wrong stream, is an error here.
//!
//! The schedule stays, for later passes and for readers. Of an `scf.while`, the list has the two
//! commands that decide it, if `tfx_stream.decide` does: one before the loop, and one at the end of
//! its body, or one in its condition. Of an `scf.if`, it has the command that decides it. Other
//! bounds of loops and conditions are not in the list; an executor gets them from its caller.
//!
//! Cost: that of `tfx-verify-schedule`.
//!
//! Not guaranteed: that an executor has the kernels.

mod decisions;

use melior::dialect::DialectRegistry;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, AttributeLike, Type};
use tfx_commands::{CommandList, Detail, Verified};
use tfx_dialects::schedules::COMMANDS;
use tfx_dialects::stream::StreamOp;
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::{Op, attribute};

use crate::feed::feed;
use crate::parts::{CallGraph, Program};

/// The pass `tfx-lower-streams`.
#[derive(Debug, Default)]
pub struct LowerStreams;

const LISTS: Statistic = Statistic::new("lists", "Command lists");
const BYTES: Statistic = Statistic::new("bytes", "Bytes of all command lists");

impl Pass for LowerStreams {
    type Options = ();
    const NAME: &'static str = "TfxLowerStreams";
    const ARGUMENT: &'static str = "tfx-lower-streams";
    const DESCRIPTION: &'static str =
        "Encode schedules as command lists, which are decoded and verified again";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[LISTS, BYTES];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
    }

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, ()>) -> PassResult {
        for program in CallGraph::of(module).programs()? {
            if program.has_entry {
                lower(&program, cx)?;
            }
        }
        Ok(())
    }
}

fn lower<'a>(program: &Program<'a>, cx: &PassContext<'a, ()>) -> Result<(), Diagnostics<'a>> {
    let Some(entry) = program.parts.last() else {
        return Ok(());
    };
    let fed = feed(program)?;
    let mut details = Vec::with_capacity(fed.schedule.places.len());
    for place in &fed.schedule.places {
        details.push(detail(*place)?);
    }
    decisions::find(&fed.schedule, &mut details)?;
    let list = CommandList::new(tfx_schedule::Schedule {
        devices: fed.schedule.devices,
        parts: fed.schedule.parts,
        places: details,
    });
    let bytes = list.encode();
    let failed = |message: String| Diagnostics::from_iter([diag::error(entry.location(), message)]);
    // The bytes count, not what they were made from.
    let decoded = CommandList::decode(&bytes)
        .map_err(|error| Diagnostics::from_iter([cx.internal_error(error)]))?;
    let verified = Verified::new(decoded).map_err(|error| {
        let hint = "tfx-verify-schedule shows where";
        failed(format!(
            "this schedule has no command list, because {error}; {hint}"
        ))
    })?;
    debug_assert_eq!(verified.list(), &list);
    let text = attribute::bytes(cx.context(), &bytes);
    entry.op().set_attribute(COMMANDS, text);
    cx.count(LISTS, 1);
    cx.count(BYTES, bytes.len() as u64);
    Ok(())
}

/// Returns the part of a command that the checker does not know.
fn detail(op: Op<'_>) -> Result<Detail, Diagnostics<'_>> {
    Ok(match StreamOp::cast(op) {
        Some(StreamOp::Launch(launch)) => Detail::kernel(launch.kernel()),
        Some(StreamOp::Host(host)) => Detail::kernel(host.function()),
        Some(StreamOp::Fill(fill)) => match number(op, fill.number()) {
            Some(bytes) => Detail::Fill(bytes),
            None => {
                let message =
                    "a command list has fills by integers of 8 to 64 bits, f32 and f64 only";
                let error = diag::error(op.location(), message);
                let note = "fill with the integer that has the same bits";
                return Err(Diagnostics::from_iter([error.note(op.location(), note)]));
            }
        },
        Some(StreamOp::Decide(_)) => Detail::Decide,
        _ => Detail::None,
    })
}

/// Returns the bytes of a number, the lowest first.
fn number<'a>(op: Op<'a>, attribute: Attribute<'a>) -> Option<Vec<u8>> {
    if let Ok(float) = FloatAttribute::try_from(attribute) {
        let ty = float.r#type();
        return if ty == Type::float32(op.context()) {
            Some((float.value() as f32).to_le_bytes().to_vec())
        } else if ty == Type::float64(op.context()) {
            Some(float.value().to_le_bytes().to_vec())
        } else {
            None
        };
    }
    let integer = IntegerAttribute::try_from(attribute).ok()?;
    let ty = IntegerType::try_from(integer.r#type()).ok()?;
    let bytes = match ty.width() {
        _ if !ty.is_signless() => return None,
        width @ (8 | 16 | 32 | 64) => width as usize / 8,
        _ => return None,
    };
    Some(integer.value().to_le_bytes()[..bytes].to_vec())
}
