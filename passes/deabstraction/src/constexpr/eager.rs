//! Operations that stay on the host, because one of their attributes is not a constant.
//!
//! ```text
//!   %y = tfx_tensor.op "OneHot"(%i, ...) computed(axis = %n : i64) : ...             %n is only known at run time
//!   %y = tfx_tensor.op "OneHot"(%i, ...) computed(axis = %n : i64) {eager} : ...
//! ```
//!
//! A graph is fixed when the program is compiled, and so are the attributes of its nodes. The host
//! can run one operation as a program of its own, created when the attributes are known:
//! `tfx-lower-host` gives it a template of that program, and the runtime completes it.
//!
//! Not supported on the host: operations on resources and variants, which it cannot hold,
//! attributes that are tensors, and operations that take graph functions.

use std::collections::{HashMap, HashSet};
use tfx_ir::ops::func;

use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use melior::ir::{Attribute, Location, Type, TypeLike};
use tfx_dialects::replicable::{EAGER, is_eager};
use tfx_graphdef::DataType;
use tfx_graphdef::resolve::{Element, attribute_kind};
use tfx_graphdef_mlir::operations::{COMPUTED_ATTRIBUTE, NAME_ATTRIBUTE, named_graphs, value_type};
use tfx_graphdef_mlir::types::data_type;
use tfx_ir::symbols::{GRAPH_FUNCTION, is_graph_function};
use tfx_ir::{Op, Value};

/// Explains why the host cannot run an operation with that attribute computed at run time, with the
/// location.
pub(super) fn obstacle<'a>(
    op: Op<'a>,
    name: &str,
    value: Value<'a>,
) -> Option<(Location<'a>, String)> {
    let tensors = op.operands().filter(|value| value.ty().is_tensor());
    let mut tensors = tensors.chain(op.results());
    if let Some(stuck) = tensors.find(|value| !is_held(value.ty())) {
        let why = format!(
            "the host cannot run it either: it cannot hold values of type '{}'",
            stuck.ty()
        );
        return Some((stuck.location(), why));
    }
    let operation = op.string(NAME_ATTRIBUTE).unwrap_or_default();
    if attribute_kind(operation, name).is_some_and(|kind| kind.element == Element::Tensor) {
        let why = "the host cannot run it either: this attribute is a tensor; build the tensor from scalars instead, with tfx_tensor.from_scalar and \"Pack\"";
        return Some((op.location(), why.to_owned()));
    }
    if let Some(graph) = named_graphs(op).first() {
        let why = format!(
            "the host cannot run it either: an attribute names the graph function '@{graph}', which only graphs can call"
        );
        return Some((op.location(), why));
    }
    if value_type(value.ty()).is_none() {
        let why = format!(
            "the host cannot run it either: at run time, an attribute is given as i1, i8, i16, i32, i64, index, f32, f64, a string, or an array \
             of those, and this is of type '{}'",
            value.ty()
        );
        return Some((value.location(), why));
    }
    None
}

/// Returns whether the host can hold tensors of a type.
fn is_held(ty: Type<'_>) -> bool {
    !matches!(
        data_type(ty),
        Some(DataType::DtResource | DataType::DtVariant) | None
    )
}

/// Keeps the computed attributes of an operation, and marks it if there are any.
pub(super) fn keep<'a>(op: Op<'a>, tensors: &[Value<'a>], kept: &[(&str, Value<'a>)]) {
    let context = op.context();
    let operands: Vec<_> = tensors
        .iter()
        .copied()
        .chain(kept.iter().map(|(_, value)| *value))
        .collect();
    if kept.is_empty() {
        op.remove_attribute(COMPUTED_ATTRIBUTE);
        op.remove_attribute(EAGER);
    } else {
        let names: Vec<Attribute<'a>> = kept
            .iter()
            .map(|(name, _)| StringAttribute::new(context, name).into())
            .collect();
        op.set_attribute(COMPUTED_ATTRIBUTE, ArrayAttribute::new(context, &names));
        op.set_attribute(EAGER, Attribute::unit(context));
    }
    op.set_operands(&operands);
}

/// Turns functions with such an operation, and their callers, from graph functions into host
/// functions. Linear in the module.
///
/// They were not inlined, since inlining came before; the pipeline inlines again after this pass.
pub(super) fn unmark_functions(module: Op<'_>) {
    let marked: Vec<_> = module
        .collect(func::Func::NAME)
        .into_iter()
        .filter(|func| is_graph_function(*func))
        .collect();
    let mut callers: HashMap<&str, Vec<Op<'_>>> = HashMap::new();
    let mut todo = Vec::new();
    for &func in &marked {
        for op in func.walk() {
            if let Some(callee) = op.symbol("callee").filter(|_| op.isa::<func::Call>()) {
                callers.entry(callee).or_default().push(func);
            }
        }
        if func.walk().any(is_eager) {
            todo.push(func);
        }
    }
    let mut seen: HashSet<Op<'_>> = todo.iter().copied().collect();
    while let Some(func) = todo.pop() {
        func.remove_attribute(GRAPH_FUNCTION);
        let callers = func.symbol_name().and_then(|name| callers.get(name));
        todo.extend(
            callers
                .into_iter()
                .flatten()
                .copied()
                .filter(|caller| seen.insert(*caller)),
        );
    }
}
