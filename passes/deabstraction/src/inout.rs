//! Inout parameters: copy in, copy out.
//!
//! ```text
//!   func @f(%r: ref<T>) {                 func @f(%x: T) -> T {
//!     store %v, %r                          %r = var : ref<T>;  store %x, %r
//!     return                    ──►         store %v, %r
//!   }                                       %y = load %r;  return %y
//!                                         }
//!   call @f(%a)                           %x = load %a;  %y = call @f(%x);  store %y, %a
//! ```
//!
//! A call that was not inlined (a recursive function, a foreign one, a closure that stays) takes
//! the value and returns the new one at every exit. So no reference crosses a call, and each
//! variable can still become SSA. Foreign functions in C take and return values as well.
//!
//! A parameter that a closure binds is not an inout parameter: the closure shares the variable, so
//! it stays a reference. It is identified by its position, so a function whose first parameters are
//! bound by any closure takes references there from all callers.
//!
//! Copying equals sharing only if no other access to the variable happens in between. So two
//! overlapping inout arguments of one call are an error, as in the law of exclusive access (Swift
//! Evolution SE-0176). A variable that a staying closure shares is not checked.
//!
//! Cost: one walk of the module.

use rustc_hash::FxHashMap as HashMap;
use tfx_dialects::host;
use tfx_ir::ops::func;

use melior::ir::attribute::{ArrayAttribute, DictionaryAttribute};
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Type};
use tfx_dialects::types::{HostType, host_type, reference};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::{Builder, Op, Value};

use crate::layout::{elements, is_reference};

/// Rewrites the functions and their calls.
pub(crate) fn convert<'a>(module: Op<'a>, functions: &[Op<'a>]) -> Result<(), Diagnostic<'a>> {
    let (mut bound, mut calls) = (HashMap::default(), Vec::new());
    for op in module.walk() {
        match op.name() {
            host::Closure::NAME => {
                let callee = op.symbol("callee").unwrap_or_default();
                let most = bound.entry(callee).or_insert(0);
                *most = op.num_operands().max(*most);
            }
            func::Call::NAME | host::Apply::NAME | host::DynamicCall::NAME
                if op.operands().any(|operand| is_reference(operand.ty())) =>
            {
                calls.push(op)
            }
            _ => {}
        }
    }
    let bound = |symbol: Option<&str>| {
        symbol
            .and_then(|symbol| bound.get(symbol).copied())
            .unwrap_or(0)
    };
    for func in functions {
        function(*func, bound(func.symbol_name()));
    }
    for op in calls {
        let first = match op.name() {
            func::Call::NAME => bound(op.symbol("callee")),
            // The closure or the receiver.
            _ => 1,
        };
        call(op, first)?;
    }
    Ok(())
}

/// Returns the inout parameters from position `first` on, with the types of their values.
fn inout<'a>(types: &[Type<'a>], first: usize) -> Vec<(usize, Type<'a>)> {
    let numbered = types.iter().enumerate().skip(first);
    numbered
        .filter_map(|(index, ty)| match host_type(*ty) {
            Some(HostType::Ref(pointee)) => Some((index, pointee)),
            _ => None,
        })
        .collect()
}

fn function(func: Op<'_>, first: usize) {
    let (mut inputs, mut results) = func.signature();
    let parameters = inout(&inputs, first);
    if parameters.is_empty() {
        return;
    }
    name_results(func, &parameters, results.len());
    for (index, ty) in &parameters {
        inputs[*index] = *ty;
        results.push(*ty);
    }
    let ty = FunctionType::new(func.context(), &inputs, &results);
    func.set_function_type(ty);
    let Some(entry) = func.region(0).entry() else {
        return;
    };
    let ends = func.region(0).blocks().filter_map(|block| block.last());
    let returns: Vec<_> = ends.filter(|last| last.isa::<func::Return>()).collect();
    let mut builder = Builder::at_start(entry, func.location());
    for (index, ty) in parameters {
        let argument = entry.argument(index);
        builder.set_location(argument.location());
        let variable = host::Var::build(&mut builder, reference(ty)).reference();
        argument.replace_all_uses_with(variable);
        argument.set_ty(ty);
        host::Store::build(&mut builder, argument, variable);
        for op in &returns {
            let value = host::Load::build(&mut Builder::before(*op), variable).value();
            let values: Vec<_> = op.operands().chain([value]).collect();
            op.set_operands(&values);
        }
    }
}

/// Gives the new results the attributes of their parameters, so that they have the same names.
fn name_results(func: Op<'_>, parameters: &[(usize, Type<'_>)], results: usize) {
    let of_parameters: Vec<_> = elements(func, "arg_attrs").collect();
    let of_results: Vec<_> = elements(func, "res_attrs").collect();
    if of_parameters.is_empty() && of_results.is_empty() {
        return;
    }
    let none: Attribute<'_> = DictionaryAttribute::new(func.context(), &[]).into();
    let old = (0..results).map(|index| of_results.get(index).copied().unwrap_or(none));
    let new = parameters
        .iter()
        .map(|(index, _)| of_parameters.get(*index).copied().unwrap_or(none));
    let all: Vec<_> = old.chain(new).collect();
    func.set_attribute("res_attrs", ArrayAttribute::new(func.context(), &all));
}

fn call(op: Op<'_>, first: usize) -> Result<(), Diagnostic<'_>> {
    let references: Vec<_> = op
        .operands()
        .enumerate()
        .skip(first)
        .filter(|(_, operand)| is_reference(operand.ty()))
        .collect();
    if references.is_empty() {
        return Ok(());
    }
    check_exclusive(op, &references)?;
    let mut operands: Vec<_> = op.operands().collect();
    let mut types = op.result_types();
    let mut builder = Builder::before(op);
    for (index, reference) in &references {
        operands[*index] = host::Load::build(&mut builder, *reference).value();
        types.push(operands[*index].ty());
    }
    let new = builder.op(op.name()).operands(&operands).results(&types);
    let new = new.attributes_of(op).build();
    let kept: Vec<_> = new.results().take(op.num_results()).collect();
    for (result, (_, reference)) in new.results().skip(op.num_results()).zip(&references) {
        host::Store::build(&mut builder, result, *reference);
    }
    op.replace_with(&kept);
    Ok(())
}

/// Reports two inout arguments of which one is the other variable or a part of it.
fn check_exclusive<'a>(
    op: Op<'a>,
    references: &[(usize, Value<'a>)],
) -> Result<(), Diagnostic<'a>> {
    let mut paths: Vec<_> = references
        .iter()
        .map(|(_, reference)| path(*reference))
        .collect();
    // A part comes right after a whole, or after another part of it.
    paths.sort();
    for pair in paths.windows(2) {
        let ((root, short), (other, long)) = (&pair[0], &pair[1]);
        if root == other && long.starts_with(short) {
            let message = "the same variable is passed twice as inout to a call that is not inlined: \
                           a change through one argument would be invisible through the other; pass a copy, or make two calls";
            return Err(diag::error(op.location(), message)
                .note(root.location(), "the variable is declared here"));
        }
    }
    Ok(())
}

/// Returns the origin of a reference: a variable, and the fields on the path to it.
fn path(mut reference: Value<'_>) -> (Value<'_>, Vec<&str>) {
    let mut fields = Vec::new();
    while let Some(part) = reference.defining_op().and_then(host::FieldRef::cast) {
        fields.push(part.field());
        reference = part.reference();
    }
    fields.reverse();
    (reference, fields)
}
