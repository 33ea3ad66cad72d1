//! Signatures: functions of the host as C sees them.
//!
//! ```text
//!   func.func private @f(i1) -> (i32, tensor<f32>)   ──>   void f(bool, int32_t *, TfxTensor **)
//! ```
//!
//! Small integers say how they are extended, since C callees rely on it. A foreign function with several results gets addresses to
//! leave them at: how a struct of them would be returned depends on the machine. Functions with a body are internal to the module, so that
//! a user's `@read` or `@main` is nobody else's.

use std::collections::HashSet;

use melior::Context;
use melior::ir::attribute::{ArrayAttribute, TypeAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Type};
use tfx_dialects::extracted::EXTRACTED;
use tfx_ir::{Builder, Op};

use crate::host_ops::{load, slot};
use crate::kinds::{from_stored, stored_type};

/// Gives every function its final signature. Types are already those of host code.
pub(crate) fn adapt<'a>(module: Op<'a>, functions: &[Op<'a>]) {
    let mut several = HashSet::new();
    for &function in functions {
        function.remove_attribute("arg_attrs");
        function.remove_attribute("res_attrs");
        function.remove_attribute(EXTRACTED);
        if function.is_declaration() {
            if function.signature().1.len() > 1 {
                several.insert(function.symbol_name().unwrap_or_default());
                return_through_addresses(function);
            }
            extend_arguments(function);
        } else {
            let linkage = Attribute::parse(function.context(), "#llvm.linkage<internal>")
                .expect("the LLVM dialect is loaded");
            function.set_attribute("llvm.linkage", linkage);
        }
    }
    for call in module.collect("func.call") {
        if call
            .symbol("callee")
            .is_some_and(|callee| several.contains(callee))
        {
            call_with_addresses(call);
        }
    }
}

fn return_through_addresses(function: Op<'_>) {
    let context = function.context();
    let pointer = melior::dialect::llvm::r#type::pointer(context, 0);
    let (mut inputs, results) = function.signature();
    inputs.extend(std::iter::repeat_n(pointer, results.len()));
    function.set_attribute(
        "function_type",
        TypeAttribute::new(FunctionType::new(context, &inputs, &[]).into()),
    );
}

fn call_with_addresses<'a>(call: Op<'a>) {
    let types = call.result_types();
    // Memory has no `index`.
    let stored = |ty: Type<'a>| stored_type(ty, call.context());
    let slots: Vec<_> = types.iter().map(|&ty| slot(call, stored(ty), 1)).collect();
    let mut builder = Builder::before(call);
    let mut operands: Vec<_> = call.operands().collect();
    operands.extend(&slots);
    builder.call(
        call.symbol("callee").expect("a call names its callee"),
        &operands,
        &[],
    );
    let values: Vec<_> = slots
        .iter()
        .zip(&types)
        .map(|(&slot, &ty)| {
            let value = load(&mut builder, slot, stored(ty));
            from_stored(&mut builder, value, ty)
        })
        .collect();
    call.replace_with(&values);
}

/// How C wants an integer of that width to be extended; nothing for a whole register or another type.
fn extension(ty: Type<'_>) -> Option<&'static str> {
    match ty.to_string().as_str() {
        "i1" => Some("llvm.zeroext"),
        "i8" | "i16" => Some("llvm.signext"),
        _ => None,
    }
}

fn extend_arguments(function: Op<'_>) {
    let context = function.context();
    let (inputs, _) = function.signature();
    if inputs.iter().any(|&input| extension(input).is_some()) {
        let attributes: Vec<_> = inputs
            .iter()
            .map(|&input| dictionary(context, extension(input)))
            .collect();
        function.set_attribute("arg_attrs", ArrayAttribute::new(context, &attributes));
    }
}

fn dictionary<'c>(context: &'c Context, unit: Option<&str>) -> Attribute<'c> {
    let text = unit.map_or_else(|| "{}".to_owned(), |name| format!("{{{name}}}"));
    Attribute::parse(context, &text).expect("a dictionary of units is an attribute")
}
