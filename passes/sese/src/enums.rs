//! `tfx_host.switch_enum` becomes a switch on the tag, before anything else is done.
//!
//! ```text
//!   switch_enum %o ["none" -> ^a(%x), "some" -> ^b]        %t = enum_tag %o
//!                                                     =>   cf.switch %t [default: ^p, 0: ^a(%x)]
//!   ^b(%payload: i32):                                     ^p: %y = enum_payload %o["some"];  cf.br ^b(%y)
//! ```
//!
//! A case with a payload gets a block of its own that takes it out. In a pipeline tfx-scalarize has turned enums into their tags
//! before; this is for `tfx-sese` run alone. Cost: linear in the cases. The last case stands for the default where there is none.

use melior::ir::Type;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::r#type::IntegerType;
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::ops::{arith, builtin};
use tfx_ir::pass::PassFailed;
use tfx_ir::{Block, Builder, Op, Value, attribute, diag};

/// What is rewritten.
pub(crate) const SWITCH: &str = host::SwitchEnum::NAME;

/// Where one case goes, and with what.
struct Case<'a> {
    tag: i64,
    block: Block<'a>,
    operands: Vec<Value<'a>>,
}

/// Rewrites one switch on an enum.
pub(crate) fn lower(op: Op<'_>) -> Result<(), PassFailed> {
    let location = op.location();
    let unknown = || diag::error(location, "the enum that this switches on is not declared").fail();
    let value = op.operand(0);
    let declared = declared_cases(op, value).ok_or_else(unknown)?;
    let names = strings(op, "case_names");
    let has_default = op.attribute("has_default").is_some();
    let mut cases = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let tag = declared.iter().position(|known| known == name);
        cases.push(case(
            op,
            index + usize::from(has_default),
            name,
            tag.ok_or_else(unknown)? as i64,
        ));
    }
    let default = match has_default {
        true => Some(case(op, 0, "", 0)),
        false => cases.pop(),
    };
    let default = default.ok_or_else(unknown)?;
    let mut builder = Builder::before(op);
    let tag = host::EnumTag::build(&mut builder, value).tag();
    let wide = IntegerType::new(op.context(), u64::BITS);
    let tag = arith::IndexCastUI::build(&mut builder, wide.into(), tag).out();
    let list: Vec<(i64, Block, &[Value])> = cases
        .iter()
        .map(|case| (case.tag, case.block, &case.operands[..]))
        .collect();
    if list.is_empty() {
        builder.br(default.block, &default.operands);
    } else {
        builder.cf_switch(tag, (default.block, &default.operands), &list);
    }
    op.erase();
    Ok(())
}

/// The case of that successor; its payload is taken out in a new block.
fn case<'a>(op: Op<'a>, successor: usize, name: &str, tag: i64) -> Case<'a> {
    let target = op.successor(successor);
    let operands = op.successor_operands(successor);
    let (produced, forwarded) = match operands {
        Some(operands) => (operands.produced(), operands.values()),
        None => (0, Vec::new()),
    };
    if produced == 0 {
        return Case {
            tag,
            block: target,
            operands: forwarded,
        };
    }
    let block = Block::new(&[]);
    block.move_before(target);
    let mut builder = Builder::at_end(block, op.location());
    let types: Vec<Type<'a>> = target.arguments().take(produced).map(Value::ty).collect();
    let payload = host::EnumPayload::build(&mut builder, &types, op.operand(0), name);
    let values: Vec<Value<'a>> = payload.results().chain(forwarded).collect();
    builder.br(target, &values);
    Case {
        tag,
        block,
        operands: Vec::new(),
    }
}

/// The names of the cases of an enum, in the order of their tags.
fn declared_cases<'a>(op: Op<'a>, value: Value<'a>) -> Option<Vec<&'a str>> {
    let Some(HostType::Enum { declaration, .. }) = host_type(value.ty()) else {
        return None;
    };
    let module = op.ancestor(builtin::Module::NAME)?;
    let mut ops = module.region(0).entry()?.ops();
    let found = ops.find(|op| op.isa::<host::Enum>() && op.symbol_name() == Some(declaration))?;
    Some(strings(found, "case_names"))
}

fn strings<'a>(op: Op<'a>, name: &str) -> Vec<&'a str> {
    let list = op
        .attribute(name)
        .and_then(|list| ArrayAttribute::try_from(list).ok());
    let Some(list) = list else { return Vec::new() };
    (0..list.len())
        .filter_map(|index| attribute::text(list.element(index).ok()?))
        .collect()
}
