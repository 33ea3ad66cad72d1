//! The operations that the passes of this crate match, and the symbols that operations name.

use melior::ir::AttributeLike;
use tfx_dialects::{host, tensor};
use tfx_ir::ops::{arith, func};
use tfx_ir::{Op, attribute};

use crate::layout::elements;

pub(crate) const FUNC: &str = func::Func::NAME;
pub(crate) const CALL: &str = func::Call::NAME;
pub(crate) const RETURN: &str = func::Return::NAME;

pub(crate) const CALL_GENERIC: &str = host::Call::NAME;
pub(crate) const WITNESS_CALL: &str = host::WitnessCall::NAME;
pub(crate) const ERASE: &str = host::Erase::NAME;
pub(crate) const DYNAMIC_CALL: &str = host::DynamicCall::NAME;
pub(crate) const CLOSURE: &str = host::Closure::NAME;
pub(crate) const APPLY: &str = host::Apply::NAME;

pub(crate) const STRUCT: &str = host::Struct::NAME;
pub(crate) const ENUM: &str = host::Enum::NAME;
pub(crate) const PROTOCOL: &str = host::Protocol::NAME;
pub(crate) const WITNESS_TABLE: &str = host::WitnessTable::NAME;
pub(crate) const CLASS: &str = host::Class::NAME;
pub(crate) const MAKE_STRUCT: &str = host::MakeStruct::NAME;
pub(crate) const EXTRACT: &str = host::Extract::NAME;
pub(crate) const INSERT: &str = host::Insert::NAME;
pub(crate) const MAKE_TUPLE: &str = host::MakeTuple::NAME;
pub(crate) const TUPLE_GET: &str = host::TupleGet::NAME;
pub(crate) const FIELD_REF: &str = host::FieldRef::NAME;
pub(crate) const MAKE_ENUM: &str = host::MakeEnum::NAME;
pub(crate) const ENUM_TAG: &str = host::EnumTag::NAME;
pub(crate) const ENUM_PAYLOAD: &str = host::EnumPayload::NAME;
pub(crate) const SWITCH_ENUM: &str = host::SwitchEnum::NAME;
pub(crate) const ARRAY: &str = host::Array::NAME;
pub(crate) const ARRAY_GET: &str = host::ArrayGet::NAME;
pub(crate) const ARRAY_COUNT: &str = host::ArrayCount::NAME;
pub(crate) const NEW: &str = host::New::NAME;
pub(crate) const MEMBER_REF: &str = host::MemberRef::NAME;
pub(crate) const ABORT: &str = host::Abort::NAME;
pub(crate) const UNREACHABLE: &str = host::Unreachable::NAME;
pub(crate) const SELECT: &str = arith::Select::NAME;
pub(crate) const INDEX_CAST: &str = arith::IndexCastUI::NAME;
pub(crate) const GRAPH: &str = tensor::Graph::NAME;
pub(crate) const UNDEF: &str = host::Undef::NAME;
pub(crate) const VAR: &str = host::Var::NAME;
pub(crate) const LOAD: &str = host::Load::NAME;
pub(crate) const STORE: &str = host::Store::NAME;

/// The attribute of a generic function.
pub(crate) use tfx_dialects::types::TYPE_PARAMS;

/// Returns whether the attributes of an operation's dialect name neither symbols nor host types, as
/// most do.
pub(crate) fn is_plain(op: Op<'_>) -> bool {
    matches!(
        op.dialect(),
        "arith" | "math" | "index" | "cf" | "scf" | "tfx_tensor" | "tfx_comm"
    )
}

/// Calls `keep` on every symbol that an operation names, except the callee of a direct call.
pub(crate) fn symbols_other_than_calls<'a>(op: Op<'a>, mut keep: impl FnMut(&'a str)) {
    if is_plain(op) || op.is(CALL) {
        return;
    }
    for (name, attribute) in op.attributes() {
        if let Some(symbol) = op.symbol(name) {
            keep(symbol);
        }
        if attribute.is_array() {
            elements(op, name)
                .filter_map(attribute::symbol)
                .for_each(&mut keep);
        }
    }
}
