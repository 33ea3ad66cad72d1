//! Turns branches on enums into branches on their tags.
//!
//! ```text
//!   switch_enum %o ["none" -> ^a(%x), "some" -> ^b]       %t = enum_tag %o
//!                                                 ──►     %p = enum_payload %o["some"]
//!                                                         cf.switch %t [default: ^b(%p), 0: ^a(%x)]
//! ```
//!
//! Afterwards every block argument is forwarded by a branch, and no branch produces one, so later
//! steps need not handle enums in control flow. Reading a payload never traps, so it may be read
//! before the branch. Without a default every case is listed, and the last one serves as the
//! default.

use rustc_hash::FxHashMap as HashMap;
use tfx_dialects::host;
use tfx_ir::ops::arith;

use melior::ir::r#type::IntegerType;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::{Block, Builder, Op, Value};

use crate::layout::TAG_BITS;

/// Rewrites every branch on an enum in the functions.
pub(crate) fn lower_switches<'a>(module: Op<'a>, functions: &[Op<'a>]) {
    let enums = module.children().filter_map(host::Enum::cast);
    let enums: HashMap<_, _> = enums.map(|op| (op.sym_name(), op)).collect();
    if enums.is_empty() {
        return;
    }
    for func in functions {
        let switches: Vec<_> = func.walk().filter_map(host::SwitchEnum::cast).collect();
        for op in switches {
            if let Some(HostType::Enum { declaration, .. }) = host_type(op.value().ty())
                && let Some(declaration) = enums.get(declaration)
            {
                lower(op, *declaration);
            }
        }
    }
}

/// The successor of a case, with the operands of the block.
type Target<'a> = (Block<'a>, Vec<Value<'a>>);

fn lower<'a>(op: host::SwitchEnum<'a>, declaration: host::Enum<'a>) {
    let mut builder = Builder::before(op.op());
    let tags: HashMap<_, _> = declaration.case_names().into_iter().zip(0..).collect();
    let first_case = usize::from(op.has_default());
    let forwarded = |number: usize| {
        let operands = op.successor_operands(number);
        operands.map_or(Vec::new(), |operands| operands.values())
    };
    let mut cases: Vec<(i64, Target<'a>)> = Vec::new();
    for (number, name) in op.case_names().into_iter().enumerate() {
        let block = op.successor(first_case + number);
        let rest = forwarded(first_case + number);
        let types: Vec<_> = block
            .arguments()
            .take(block.num_arguments() - rest.len())
            .map(Value::ty)
            .collect();
        let mut values: Vec<_> = match types.is_empty() {
            true => Vec::new(),
            false => {
                let payload = host::EnumPayload::build(&mut builder, &types, op.value(), name);
                payload.results().collect()
            }
        };
        values.extend(rest);
        cases.push((tags.get(name).copied().unwrap_or_default(), (block, values)));
    }
    let default = match op.has_default() {
        true => Some((op.successor(0), forwarded(0))),
        false => cases.pop().map(|(_, target)| target),
    };
    let Some((default, values)) = default else {
        // An enum without cases has no values, so this point is unreachable.
        host::Unreachable::build(&mut builder);
        return op.erase();
    };
    if cases.is_empty() {
        builder.br(default, &values);
    } else {
        let tag = tag(&mut builder, op.value());
        let cases: Vec<_> = cases
            .iter()
            .map(|(tag, (block, values))| (*tag, *block, &values[..]))
            .collect();
        builder.cf_switch(tag, (default, &values), &cases);
    }
    op.erase();
}

/// Returns the tag as an integer for a switch.
fn tag<'a>(builder: &mut Builder<'a>, value: Value<'a>) -> Value<'a> {
    let index = host::EnumTag::build(builder, value).tag();
    let ty = IntegerType::new(builder.context(), TAG_BITS);
    arith::IndexCastUI::build(builder, ty.into(), index).out()
}
