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

use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::{Block, Builder, Op, Value, attribute};

use crate::layout::elements;

/// Rewrites every branch on an enum in the functions.
pub(crate) fn lower_switches<'a>(module: Op<'a>, functions: &[Op<'a>]) {
    let enums: HashMap<_, _> = module
        .children()
        .filter(|op| op.isa::<host::Enum>())
        .filter_map(|op| Some((op.symbol_name()?, op)))
        .collect();
    if enums.is_empty() {
        return;
    }
    for func in functions {
        let switches: Vec<_> = func
            .walk()
            .filter(|op| op.isa::<host::SwitchEnum>())
            .collect();
        for op in switches {
            if let Some(HostType::Enum { declaration, .. }) = host_type(op.operand(0).ty())
                && let Some(declaration) = enums.get(declaration)
            {
                lower(op, *declaration);
            }
        }
    }
}

/// The successor of a case, with the operands of the block.
type Target<'a> = (Block<'a>, Vec<Value<'a>>);

fn lower<'a>(op: Op<'a>, declaration: Op<'a>) {
    let mut builder = Builder::before(op);
    let names: Vec<_> = strings(op).collect();
    let tags: HashMap<_, _> = strings(declaration).zip(0..).collect();
    let has_default = op.attribute("has_default").is_some();
    let first_case = usize::from(has_default);
    let handed_on = |number: usize| {
        op.successor_operands(number)
            .map_or(Vec::new(), |operands| operands.values())
    };
    let mut cases: Vec<(i64, Target<'a>)> = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let block = op.successor(first_case + number);
        let rest = handed_on(first_case + number);
        let types: Vec<_> = block
            .arguments()
            .take(block.num_arguments() - rest.len())
            .map(Value::ty)
            .collect();
        let mut values: Vec<_> = match types.is_empty() {
            true => Vec::new(),
            false => builder
                .op(host::EnumPayload::NAME)
                .operand(op.operand(0))
                .string("case_name", name)
                .results(&types)
                .build()
                .results()
                .collect(),
        };
        values.extend(rest);
        cases.push((tags.get(name).copied().unwrap_or_default(), (block, values)));
    }
    let default = match has_default {
        true => Some((op.successor(0), handed_on(0))),
        false => cases.pop().map(|(_, target)| target),
    };
    let Some((default, values)) = default else {
        // An enum without cases has no values, so this point is unreachable.
        builder.op(host::Unreachable::NAME).build();
        return op.erase();
    };
    if cases.is_empty() {
        builder.br(default, &values);
    } else {
        let tag = tag(&mut builder, op.operand(0));
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
    let index = Type::index(builder.context());
    let index = builder
        .op(host::EnumTag::NAME)
        .operand(value)
        .result(index)
        .value();
    let ty = IntegerType::new(builder.context(), crate::layout::TAG_BITS);
    builder
        .op(arith::IndexCastUI::NAME)
        .operand(index)
        .result(ty)
        .value()
}

fn strings(op: Op<'_>) -> impl Iterator<Item = &str> {
    elements(op, "case_names").filter_map(attribute::text)
}
