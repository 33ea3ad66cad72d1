//! `tfx-verify-deabstracted`: proves that deabstraction is complete, or names what is left.
//!
//! ```text
//!   left in a function                                said
//!   ────────────────────────────────────────────────  ──────────────────────────────────────────
//!   print, assert, abort, unreachable, string, undef   nothing: host effects, and what they need
//!   objects, existentials, escaping closures           a remark: they stay on the host by design
//!   anything else of tfx_host, and tuples              an error: "not removed: ...", with the reason
//! ```
//!
//! Declarations (`struct`, `enum`, `protocol`, `witness_table`, `class`) make no code, so they may stay. One walk over the module; nothing is changed.

use melior::ir::r#type::TupleType;
use melior::ir::{Location, Type};
use tfx_dialects::types::{HostType, host_type};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassFailed};
use tfx_ir::{Op, Value, diag};

use crate::names;

/// The head of its source file has the algorithm and its cost.
#[derive(Default)]
pub struct VerifyDeabstracted;

impl Pass for VerifyDeabstracted {
    type Options = ();
    const NAME: &'static str = "TfxVerifyDeabstracted";
    const ARGUMENT: &'static str = "tfx-verify-deabstracted";
    const DESCRIPTION: &'static str = "Check that no abstraction of the host dialect is left";
    const ANCHOR: Anchor = Anchor::Module;

    fn run<'a>(&mut self, module: Op<'a>, _cx: &PassContext<'a, ()>) -> Result<(), PassFailed> {
        let mut failed = None;
        let mut walk = module.walk();
        while let Some(op) = walk.next() {
            if op.is(names::FUNC) && op.attribute(names::TYPE_PARAMS).is_some() {
                failed = Some(report_generic(op));
                walk.skip_regions();
                continue;
            }
            for finding in findings(op) {
                match finding {
                    Finding::Error(location, what) => {
                        failed = Some(diag::error(location, format!("not removed: {what}")).fail())
                    }
                    Finding::Host(location, what) => diag::remark(location, what).emit(),
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

/// Something that is left.
enum Finding<'a> {
    Error(Location<'a>, String),
    Host(Location<'a>, String),
}

fn report_generic(func: Op<'_>) -> PassFailed {
    let name = func.symbol_name().unwrap_or_default();
    let message = format!(
        "not removed: generic function '@{name}'; functions are not specialized yet: write it for each type that it is used with"
    );
    diag::error(func.location(), message).fail()
}

fn findings(op: Op<'_>) -> Vec<Finding<'_>> {
    if op.dialect() == "tfx_host" {
        return operation(op).into_iter().collect();
    }
    if op.is(names::FUNC) && op.is_declaration() {
        return declaration(op).into_iter().collect();
    }
    let arguments = op
        .regions()
        .flat_map(|region| region.blocks())
        .flat_map(|block| block.arguments());
    arguments.chain(op.results()).filter_map(value).collect()
}

/// An operation of the host dialect.
fn operation(op: Op<'_>) -> Option<Finding<'_>> {
    let error = |what: &str| Some(Finding::Error(op.location(), what.to_owned()));
    let host = |what: &str| Some(Finding::Host(op.location(), what.to_owned()));
    match op.name().trim_start_matches("tfx_host.") {
        "print" | "assert" | "abort" | "unreachable" | "string" => None,
        "struct" | "enum" | "class" | "protocol" | "witness_table" => None,
        "undef" => value(op.result(0)),
        "new" => host(
            "class instance stays on the host, with all that it holds; a struct would be removed",
        ),
        "member_ref" => host(
            "field of a class instance stays on the host: tensors are copied to and from it; a struct would be removed",
        ),
        "erase" => host("existential stays on the host; a generic parameter would be removed"),
        "dynamic_call" => host(
            "dynamic call stays on the host; a call of a function by its name would be inlined",
        ),
        "var" => error(VARIABLE),
        "load" | "store" | "field_ref" => access(op),
        "make_struct" | "extract" | "insert" => {
            error("a struct that is needed whole; pass its fields one by one instead")
        }
        "make_tuple" | "tuple_get" => {
            error("a tuple that is needed whole; pass its elements one by one instead")
        }
        "call" => error(
            "a call of a generic function; functions are not specialized yet: write one for each type and call it with func.call",
        ),
        "witness_call" => error(
            "a call of a protocol's method; they are not resolved yet: call the function that implements it with func.call",
        ),
        "closure" | "apply" => closure(op),
        "make_enum" | "enum_is" | "enum_tag" | "enum_payload" | "switch_enum" => error(
            "an enum; enums are not taken apart yet: use an integer for its case, with cf.switch",
        ),
        "array" | "array_get" | "array_count" => {
            error("an array; arrays are not taken apart yet: use a tensor or a tuple")
        }
        _ => error("an operation that deabstraction does not know"),
    }
}

const VARIABLE: &str =
    "a variable whose reference escapes; pass its value and take the new one as a result instead";

/// A read or write: of a class field it stays, of a variable the variable is named.
fn access(op: Op<'_>) -> Option<Finding<'_>> {
    let reference = op
        .operands()
        .find(|operand| matches!(host_type(operand.ty()), Some(HostType::Ref(_))))?;
    let mut root = reference;
    while let Some(part) = root.defining_op().filter(|op| op.is(names::FIELD_REF)) {
        root = part.operand(0);
    }
    match root.defining_op() {
        Some(root) if root.is(names::VAR) || root.is("tfx_host.member_ref") => None,
        _ => {
            let what = "an access through a reference; pass the value and take the new one as a result instead";
            Some(Finding::Error(op.location(), what.to_owned()))
        }
    }
}

/// An escaping closure stays on the host.
fn closure(op: Op<'_>) -> Option<Finding<'_>> {
    let value = if op.num_results() == 1 && is_closure(op.result(0).ty()) {
        op.result(0)
    } else {
        op.operand(0)
    };
    let escaping = value.ty().to_string().contains("<escaping ");
    Some(if escaping {
        Finding::Host(
            op.location(),
            "escaping closure stays on the host; one that does not escape would be removed"
                .to_owned(),
        )
    } else {
        let what = "a closure that comes through a variable, a branch, a struct or a recursive call; pass it as a parameter only";
        Finding::Error(op.location(), what.to_owned())
    })
}

fn is_closure(ty: Type<'_>) -> bool {
    matches!(host_type(ty), Some(HostType::Closure(_)))
}

/// A value that is no result of the host dialect.
fn value(value: Value<'_>) -> Option<Finding<'_>> {
    kind(value.ty()).map(|kind| {
        Finding::Error(
            value.location(),
            format!("{kind}, which this value is; its type is '{}'", value.ty()),
        )
    })
}

/// A foreign function.
fn declaration(func: Op<'_>) -> Option<Finding<'_>> {
    let ty = func.function_type()?;
    let inputs = (0..ty.input_count()).filter_map(|index| ty.input(index).ok());
    let results = (0..ty.result_count()).filter_map(|index| ty.result(index).ok());
    let (kind, ty) = inputs.chain(results).find_map(|ty| Some((kind(ty)?, ty)))?;
    let what = format!(
        "{kind} in the signature of the foreign function '@{}'; its type is '{ty}'",
        func.symbol_name()?
    );
    Some(Finding::Error(func.location(), what))
}

/// What is wrong with a type; `None` for those that may stay.
fn kind(ty: Type<'_>) -> Option<&'static str> {
    if TupleType::try_from(ty).is_ok() {
        return Some("a tuple");
    }
    match host_type(ty)? {
        HostType::Ref(_) => Some("a reference"),
        HostType::Struct { .. } => Some("a struct"),
        HostType::Enum { .. } => Some("an enum"),
        HostType::Param(_) | HostType::Assoc { .. } => Some("a type that is not known"),
        HostType::Closure(_) if !ty.to_string().contains("<escaping ") => Some("a closure"),
        HostType::Array(_) => Some("an array"),
        HostType::Closure(_) | HostType::Object(_) | HostType::Any(_) | HostType::String => None,
    }
}
