//! `tfx-verify-deabstracted`: verifies that deabstraction is complete, or reports what remains.
//!
//! ```text
//!   left in a function                                  report
//!   ──────────────────────────────────────────────────  ──────────────────────────────────────────
//!   print, assert, abort, unreachable, string, undef,
//!   queues                                               nothing: host effects, and what they need
//!   eager graph operations                               nothing: tfx-constexpr has named them
//!   objects, existentials, closures, arrays, variables   a remark: they stay on the host, why, and what would be removed
//!   anything else of tfx_host, and tuples                an error: "not removed: ...", with the reason
//! ```
//!
//! Declarations (`struct`, `enum`, `protocol`, `witness_table`, `class`) and generic functions
//! produce no code, so they may stay. One walk over the module; nothing is changed. A remaining
//! value is reported where it is created; its uses are reported only if the function does not show
//! its creation.

use melior::ir::attribute::TypeAttribute;
use melior::ir::r#type::TupleType;
use melior::ir::{Location, Type, TypeLike};
use rustc_hash::FxHashSet as HashSet;
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::replicable::is_eager;
use tfx_dialects::types::{HostType, host_type, is_generic, walk_types};
use tfx_graphdef_mlir::operations::{COMPUTED_ATTRIBUTE, OP};
use tfx_ir::cast::Cast;
use tfx_ir::diag::{self, Diagnostics};
use tfx_ir::location::place;
use tfx_ir::ops::func;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult};
use tfx_ir::{Op, Value};

use crate::arrays;
use crate::layout::is_reference;

/// The pass; the module describes it.
#[derive(Default)]
pub struct VerifyDeabstracted;

impl Pass for VerifyDeabstracted {
    type Options = ();
    const NAME: &'static str = "TfxVerifyDeabstracted";
    const ARGUMENT: &'static str = "tfx-verify-deabstracted";
    const DESCRIPTION: &'static str = "Check that no abstraction of the host dialect is left";
    const ANCHOR: Anchor = Anchor::Module;

    fn run<'a>(&mut self, module: Op<'a>, _cx: &PassContext<'a, ()>) -> PassResult {
        let mut diagnostics = Diagnostics::default();
        let mut reported = HashSet::default();
        let mut walk = module.walk();
        while let Some(op) = walk.next() {
            if is_generic(op) {
                // It produces no code: `tfx-specialize` has reported it.
                walk.skip_regions();
                continue;
            }
            for finding in findings(op) {
                match finding {
                    Finding::Error(location, what) => {
                        diagnostics.push(diag::error(location, format!("not removed: {what}")));
                    }
                    // Code that was inlined at several places has one location in the source.
                    Finding::Host(location, what, _)
                        if place(location)
                            .is_some_and(|at| !reported.insert((at, what.clone()))) => {}
                    Finding::Host(location, what, cause) => {
                        let remark = diag::remark(location, what);
                        diagnostics.push(match cause {
                            Some((place, why)) => remark.note(place, why),
                            None => remark,
                        });
                    }
                }
            }
        }
        Ok(diagnostics.finish()?)
    }
}

/// A remaining abstraction.
enum Finding<'a> {
    Error(Location<'a>, String),
    /// With the location of the use that keeps it.
    Host(Location<'a>, String, Option<(Location<'a>, String)>),
}

fn findings(op: Op<'_>) -> Vec<Finding<'_>> {
    if op.dialect() == "tfx_host" {
        return operation(op).into_iter().collect();
    }
    if op.isa::<func::Func>() && op.is_declaration() {
        return declaration(op).into_iter().collect();
    }
    // `tfx-constexpr` has reported an eager operation.
    if op.is(OP) && op.attribute(COMPUTED_ATTRIBUTE).is_some() && !is_eager(op) {
        let what =
            "a computed attribute; run tfx-constexpr first, as the pipeline tfx-deabstract does";
        return vec![Finding::Error(op.location(), what.to_owned())];
    }
    op.definitions().filter_map(value).collect()
}

const SCALARIZE: &str = "run tfx-scalarize first, as the pipeline tfx-deabstract does";
const UNKNOWN_ARRAY: &str = "read of an array that is known only at run time stays on the host";
const SPECIALIZE: &str = "run tfx-specialize first, as the pipeline tfx-deabstract does";

/// An operation of the host dialect.
fn operation(op: Op<'_>) -> Option<Finding<'_>> {
    let error = |what: String| Some(Finding::Error(op.location(), what));
    let host = |what: &str| Some(Finding::Host(op.location(), what.to_owned(), None));
    let Some(operation) = HostOp::cast(op) else {
        return error("an unknown operation".to_owned());
    };
    match operation {
        HostOp::New(_) => host(
            "class instance stays on the host, with all its contents; a struct would be removed",
        ),
        HostOp::MemberRef(member) if has_tensors(member.result().ty()) => host(
            "field of a class instance stays on the host: tensors are copied from and to it; a struct would be removed",
        ),
        HostOp::MemberRef(_) => {
            host("field of a class instance stays on the host; a struct would be removed")
        }
        HostOp::Erase(_) => {
            host("existential stays on the host; a generic parameter would be removed")
        }
        HostOp::DynamicCall(_) => {
            host("dynamic call stays on the host; a direct call of a function would be inlined")
        }
        HostOp::Var(var) => Some(kept(
            var.reference(),
            "variable stays on the host, because code that stays there shares it; \
             pass its value, and return the new value, instead",
        )),
        HostOp::Closure(made) => Some(kept(
            made.closure(),
            "closure stays on the host, because not all of its uses are known at compile time; \
             a closure that is only called, or passed to functions that only call it, would be removed",
        )),
        HostOp::Apply(apply) => unknown(
            op,
            apply.closure(),
            "call of a closure that is known only at run time stays on the host",
        ),
        HostOp::Array(array) if array.elements().len() > arrays::MAX_CHOICES => host(&format!(
            "array stays on the host: only arrays of at most {} elements can have an index that is not constant; \
             a tensor would be indexed in the graph",
            arrays::MAX_CHOICES
        )),
        HostOp::Array(made) => Some(kept(
            made.array(),
            "array stays on the host, because not all of its uses are known at compile time; \
             an array whose elements are only read would be removed",
        )),
        HostOp::ArrayGet(get) => unknown(op, get.array(), UNKNOWN_ARRAY),
        HostOp::ArrayCount(count) => unknown(op, count.array(), UNKNOWN_ARRAY),
        HostOp::ArraySet(_) | HostOp::ArrayFill(_) => {
            host("array that is changed or filled at run time stays on the host")
        }
        // An existential holds the parts of its value.
        HostOp::MakeTuple(tuple) if is_only_erased(tuple.result()) => None,
        HostOp::MakeStruct(_) | HostOp::Extract(_) | HostOp::Insert(_) => {
            error("a struct that is used as a whole; pass its fields separately".to_owned())
        }
        HostOp::MakeTuple(_) | HostOp::TupleGet(_) => {
            error("a tuple that is used as a whole; pass its elements separately".to_owned())
        }
        HostOp::FieldRef(_) => error(format!("a reference to a field; {SCALARIZE}")),
        HostOp::MakeEnum(_)
        | HostOp::EnumTag(_)
        | HostOp::EnumPayload(_)
        | HostOp::SwitchEnum(_) => error(format!("an enum; {SCALARIZE}")),
        HostOp::Call(_) => error(format!("a call of a generic function; {SPECIALIZE}")),
        HostOp::WitnessCall(_) => error(format!("a call of a protocol's method; {SPECIALIZE}")),
        HostOp::Undef(undef) => value(undef.result()),
        HostOp::Struct(_) | HostOp::Enum(_) | HostOp::Class(_) => None,
        HostOp::Protocol(_) | HostOp::WitnessTable(_) => None,
        HostOp::Load(_) | HostOp::Store(_) | HostOp::Abort(_) | HostOp::Unreachable(_) => None,
        HostOp::Print(_) | HostOp::Assert(_) | HostOp::String(_) => None,
        HostOp::Prefetch(_) | HostOp::Next(_) | HostOp::Close(_) => None,
    }
}

/// Returns whether a type is a tensor, or contains one.
fn has_tensors(ty: Type<'_>) -> bool {
    let mut found = false;
    walk_types(TypeAttribute::new(ty).into(), |part| {
        found |= part.is_tensor();
    });
    found
}

fn is_only_erased(value: Value<'_>) -> bool {
    !value.is_unused() && value.uses().all(|found| found.owner.isa::<host::Erase>())
}

/// A value that is created here and stays, with the use that keeps it.
fn kept<'a>(value: Value<'a>, what: &str) -> Finding<'a> {
    // Uses come newest first; the first in the text reads best.
    let uses: Vec<_> = value.uses().map(|found| found.owner).collect();
    let cause = uses.iter().rev().find_map(|user| {
        let why = match user.name() {
            func::Call::NAME => format!(
                "it is passed to '@{}' here, which is not inlined",
                user.symbol("callee")?
            ),
            host::Closure::NAME => "a remaining closure captures it here".to_owned(),
            host::Apply::NAME if host::Apply::cast(*user)?.closure() != value => {
                "it is passed to a remaining closure here".to_owned()
            }
            OP => "an attribute of this operation is computed from it at run time".to_owned(),
            host::Store::NAME if host::Store::cast(*user)?.value() == value => {
                "it is stored here".to_owned()
            }
            host::New::NAME => "an object holds it".to_owned(),
            host::Erase::NAME => "an existential holds it".to_owned(),
            host::Array::NAME => "a remaining array holds it".to_owned(),
            host::DynamicCall::NAME => "it is passed to a dynamic call here".to_owned(),
            func::Return::NAME => "it is returned here".to_owned(),
            _ if user.num_successors() > 0 => {
                "here it is merged with values of unknown origin".to_owned()
            }
            _ => return None,
        };
        Some((user.location(), why))
    });
    Finding::Host(value.location(), what.to_owned(), cause)
}

/// A use of a value that this function does not create. Otherwise the report at the creation
/// suffices.
fn unknown<'a>(op: Op<'a>, value: Value<'a>, what: &str) -> Option<Finding<'a>> {
    let maker = value.defining_op();
    if maker.is_some_and(|maker| maker.isa::<host::Closure>() || maker.isa::<host::Array>()) {
        return None;
    }
    let cause = Some((value.location(), "it comes from here".to_owned()));
    Some(Finding::Host(op.location(), what.to_owned(), cause))
}

/// A value that is not a result of the host dialect.
fn value(value: Value<'_>) -> Option<Finding<'_>> {
    kind(value.ty()).map(|kind| {
        Finding::Error(
            value.location(),
            format!("{kind}: this value has type '{}'", value.ty()),
        )
    })
}

/// A foreign function.
fn declaration(func: Op<'_>) -> Option<Finding<'_>> {
    let (inputs, results) = func.signature();
    // A C function cannot read or write through a reference; it can keep objects, closures and
    // arrays and pass them on.
    let foreign = |ty: Type<'_>| {
        kind(ty).or(is_reference(ty).then_some("a reference that a closure captures"))
    };
    let (kind, ty) = inputs
        .into_iter()
        .chain(results)
        .find_map(|ty| Some((foreign(ty)?, ty)))?;
    let what = format!(
        "{kind} in the signature of the foreign function '@{}'; its type is '{ty}'",
        func.symbol_name()?
    );
    Some(Finding::Error(func.location(), what))
}

/// Returns the error of a type; `None` for those that may stay.
fn kind(ty: Type<'_>) -> Option<&'static str> {
    if TupleType::cast(ty).is_some() {
        return Some("a tuple");
    }
    match host_type(ty)? {
        HostType::Struct { .. } => Some("a struct"),
        HostType::Enum { .. } => Some("an enum"),
        HostType::Param(_) | HostType::Assoc { .. } => {
            Some("a type that is not known before tfx-specialize")
        }
        _ => None,
    }
}
