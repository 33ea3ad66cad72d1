//! The operations that the passes of this crate look for, and the symbols that operations name.

use melior::ir::AttributeLike;
use tfx_ir::{Op, attribute};

use crate::layout::elements;

pub(crate) const FUNC: &str = "func.func";
pub(crate) const CALL: &str = "func.call";
pub(crate) const RETURN: &str = "func.return";

pub(crate) const CALL_GENERIC: &str = "tfx_host.call";
pub(crate) const WITNESS_CALL: &str = "tfx_host.witness_call";
pub(crate) const ERASE: &str = "tfx_host.erase";
pub(crate) const DYNAMIC_CALL: &str = "tfx_host.dynamic_call";
pub(crate) const CLOSURE: &str = "tfx_host.closure";
pub(crate) const APPLY: &str = "tfx_host.apply";

pub(crate) const STRUCT: &str = "tfx_host.struct";
pub(crate) const ENUM: &str = "tfx_host.enum";
pub(crate) const PROTOCOL: &str = "tfx_host.protocol";
pub(crate) const WITNESS_TABLE: &str = "tfx_host.witness_table";
pub(crate) const CLASS: &str = "tfx_host.class";
pub(crate) const MAKE_STRUCT: &str = "tfx_host.make_struct";
pub(crate) const EXTRACT: &str = "tfx_host.extract";
pub(crate) const INSERT: &str = "tfx_host.insert";
pub(crate) const MAKE_TUPLE: &str = "tfx_host.make_tuple";
pub(crate) const TUPLE_GET: &str = "tfx_host.tuple_get";
pub(crate) const FIELD_REF: &str = "tfx_host.field_ref";
pub(crate) const MAKE_ENUM: &str = "tfx_host.make_enum";
pub(crate) const ENUM_TAG: &str = "tfx_host.enum_tag";
pub(crate) const ENUM_PAYLOAD: &str = "tfx_host.enum_payload";
pub(crate) const SWITCH_ENUM: &str = "tfx_host.switch_enum";
pub(crate) const ARRAY: &str = "tfx_host.array";
pub(crate) const ARRAY_GET: &str = "tfx_host.array_get";
pub(crate) const ARRAY_COUNT: &str = "tfx_host.array_count";
pub(crate) const NEW: &str = "tfx_host.new";
pub(crate) const MEMBER_REF: &str = "tfx_host.member_ref";
pub(crate) const ABORT: &str = "tfx_host.abort";
pub(crate) const UNREACHABLE: &str = "tfx_host.unreachable";
pub(crate) const SELECT: &str = "arith.select";
pub(crate) const INDEX_CAST: &str = "arith.index_castui";
pub(crate) const GRAPH: &str = "tfx_tensor.graph";
pub(crate) const UNDEF: &str = "tfx_host.undef";
pub(crate) const VAR: &str = "tfx_host.var";
pub(crate) const LOAD: &str = "tfx_host.load";
pub(crate) const STORE: &str = "tfx_host.store";

/// The attribute of a generic function.
pub(crate) use tfx_dialects::types::TYPE_PARAMS;

/// Whether an operation is of a dialect whose attributes name neither symbols nor host types: most are.
pub(crate) fn is_plain(op: Op<'_>) -> bool {
    matches!(
        op.dialect(),
        "arith" | "math" | "index" | "cf" | "scf" | "tfx_tensor" | "tfx_comm"
    )
}

/// Calls `keep` on every symbol that an operation names, but for the callee of a direct call.
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
