//! The conversion of `tfx_host.switch_enum` to a switch on the tag.
//!
//! ```text
//!   switch_enum %o ["none" -> ^a(%x), "some" -> ^b]      %t = enum_tag %o
//!                                                   =>   cf.switch %t [default: ^p, 0: ^a(%x)]
//!   ^b(%payload: i32):                                   ^p: %y = enum_payload %o["some"]
//!                                                            cf.br ^b(%y)
//! ```
//!
//! A case with a payload gets a block that extracts it. Without a default, the last case becomes
//! the default. In a pipeline, tfx-scalarize removes enums earlier; this conversion serves
//! `tfx-sese` on its own. Cost: linear in the cases.

use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_dialects::host;
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{arith, builtin};
use tfx_ir::{Block, Builder, Value};

/// The destination of a case.
struct Case<'a> {
    tag: i64,
    block: Block<'a>,
    operands: Vec<Value<'a>>,
}

/// Converts a switch on an enum.
pub(crate) fn lower(switch: host::SwitchEnum<'_>) -> Result<(), Diagnostic<'_>> {
    let undeclared = || diag::error(switch.location(), "the enum of this switch is not declared");
    let declared = declared_cases(switch).ok_or_else(undeclared)?;
    let first = usize::from(switch.has_default());
    let mut cases = Vec::new();
    for (index, name) in switch.case_names().into_iter().enumerate() {
        let tag = declared.iter().position(|known| *known == name);
        let tag = tag.ok_or_else(undeclared)? as i64;
        cases.push(case(switch, first + index, name, tag));
    }
    let default = match switch.has_default() {
        true => Some(case(switch, 0, "", 0)),
        false => cases.pop(),
    };
    let default = default.ok_or_else(undeclared)?;
    let mut builder = Builder::before(switch.op());
    let tag = host::EnumTag::build(&mut builder, switch.value()).tag();
    let wide = IntegerType::new(switch.context(), u64::BITS);
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
    switch.erase();
    Ok(())
}

/// Returns the case of a successor, and creates the block that extracts its payload.
fn case<'a>(switch: host::SwitchEnum<'a>, successor: usize, name: &str, tag: i64) -> Case<'a> {
    let target = switch.successor(successor);
    let (produced, forwarded) = match switch.successor_operands(successor) {
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
    let mut builder = Builder::at_end(block, switch.location());
    let types: Vec<Type<'a>> = target.arguments().take(produced).map(Value::ty).collect();
    let payload = host::EnumPayload::build(&mut builder, &types, switch.value(), name);
    let values: Vec<Value<'a>> = payload.results().chain(forwarded).collect();
    builder.br(target, &values);
    Case {
        tag,
        block,
        operands: Vec::new(),
    }
}

/// Returns the names of the cases of the enum, in the order of their tags.
fn declared_cases(switch: host::SwitchEnum<'_>) -> Option<Vec<&str>> {
    let Some(HostType::Enum { declaration, .. }) = host_type(switch.value().ty()) else {
        return None;
    };
    let module = switch.ancestor_of::<builtin::Module>()?;
    let ops = module.body_region().entry()?.ops();
    let mut enums = ops.filter_map(host::Enum::cast);
    let found = enums.find(|found| found.sym_name() == declaration)?;
    Some(found.case_names())
}
