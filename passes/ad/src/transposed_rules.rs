//! The other half of a rule, by transposition: `backward` from `jvp`, and `jvp` from `backward`.
//!
//! ```text
//!   @f.jvp(%x, %tx) -> (%y, %ty)         linear in %tx: its derivative with respect to %tx is that
//!                                        of @f, transposed
//!     forward(%x)       %y, %r = call @f.jvp.forward(%x, 0)
//!     backward(%dy, %r) call @f.jvp.backward(%dy, %r)
//!
//!   @f.backward(%r, %dy) -> %dx          linear in %dy
//!     tangents(%x, %tx) %y, %r = call @f.forward(%x);  %s = call @f.backward.forward(%r, 0)
//!                       %ty = call @f.backward.backward(%tx, %s)
//! ```
//!
//! `linear.rs` checks that the function is linear, as a rule has to be.
//!
//! Source: Radul, Paszke, Frostig, Johnson and Maclaurin, "You Only Linearize Once", 2023, for
//! reverse mode as the transpose of a linear function.
//!
//! Cost: one derivation for each rule and mode.

use melior::ir::Type;
use rustc_hash::FxHashMap;
use tfx_dialects::derivatives::Rule;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::func;
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Block, Builder, Op, Value};

use crate::derivative::{Derivative, Kept, differentiable_positions};
use crate::derive::source_name;
use crate::functions::{add_function, block_of};
use crate::linear;
use crate::tangents::Tangents;
use crate::tasks::{Derived, Key, Mode};
use crate::values;

/// The names of the flat functions of rules, by the names in the rules.
pub(crate) type Parts = FxHashMap<String, String>;

/// Returns the function of a rule that is transposed for a mode; none if the rule has the mode.
pub(crate) fn source<'a>(rule: &Rule<'a>, mode: Mode) -> Option<&'a str> {
    match mode {
        Mode::Reverse => rule.jvp.filter(|_| rule.backward.is_none()),
        Mode::Forward => rule.backward.filter(|_| rule.jvp.is_none()),
    }
}

/// Returns what to derive for a mode that a rule does not have.
///
/// # Errors
///
/// The function of the rule has not the parameters and results that it should have.
pub(crate) fn part<'a>(
    call: Op<'a>,
    needed: &Key<'a>,
    rule: &Rule<'a>,
    (flat, parts): (&SymbolTable<'a>, &Parts),
) -> Result<Key<'a>, Diagnostic<'a>> {
    let name = source(rule, needed.mode).expect("the rule does not have the mode");
    let function = parts.get(name).and_then(|name| flat.get(name));
    let (parameters, results) = needed.function.signature();
    let differentiable = differentiable_positions(results.iter().copied()).len();
    let fits = |function: &Op<'a>| {
        let (own, returned) = function.signature();
        match needed.mode {
            Mode::Reverse => {
                own.len() == parameters.len() + rule.wrt.len()
                    && returned.len() == results.len() + differentiable
            }
            Mode::Forward => own.len() >= differentiable && returned.len() == rule.wrt.len(),
        }
    };
    let Some(function) = function.filter(fits) else {
        let message = format!(
            "cannot differentiate '@{}': '@{name}' of its rule has not the parameters and results of this role",
            source_name(needed.function)
        );
        let error = diag::error(call.location(), message);
        return Err(error.note(needed.function.location(), "the rule is here"));
    };
    let (own, returned) = function.signature();
    let (wrt, results) = match needed.mode {
        Mode::Reverse => (parameters.len()..own.len(), results.len()..returned.len()),
        Mode::Forward => (own.len() - differentiable..own.len(), 0..returned.len()),
    };
    Ok(Key {
        mode: Mode::Reverse,
        function,
        wrt: wrt.collect(),
        results: results.collect(),
    })
}

/// Builds the derivative of a function from that of the function of its rule.
///
/// # Errors
///
/// The function of the rule is not linear.
pub(crate) fn transpose<'a>(
    call: Op<'a>,
    needed: &Key<'a>,
    rule: &Rule<'a>,
    (part, derivative): (&Key<'a>, &Derivative<'a>),
    (flat, program): (&SymbolTable<'a>, &mut SymbolTable<'a>),
    functions: &mut Vec<Op<'a>>,
) -> Result<Derived<'a>, Diagnostic<'a>> {
    if let Some(place) = linear::dependence(part.function, derivative, flat) {
        let (name, given) = match needed.mode {
            Mode::Reverse => (rule.jvp, "tangents"),
            Mode::Forward => (rule.backward, "cotangents"),
        };
        let message = format!(
            "cannot differentiate '@{}': its rule has only '@{}', which is not known to be linear in its {given}",
            source_name(needed.function),
            name.unwrap_or_default()
        );
        return Err(diag::error(call.location(), message)
            .note(
                place,
                format!(
                    "the derivative by the {given} depends on this value, which depends on them"
                ),
            )
            .note(
                needed.function.location(),
                "the rule is here; give it 'forward', 'backward' and 'jvp'",
            ));
    }
    Ok(match needed.mode {
        Mode::Reverse => Derived::Reverse(backward(needed, rule, derivative, program, functions)),
        Mode::Forward => Derived::Forward(tangents(
            needed,
            rule,
            (part, derivative),
            program,
            functions,
        )),
    })
}

/// Builds the forward function; the backward function is that of the rule's `jvp`.
fn backward<'a>(
    needed: &Key<'a>,
    rule: &Rule<'a>,
    derivative: &Derivative<'a>,
    program: &mut SymbolTable<'a>,
    functions: &mut Vec<Op<'a>>,
) -> Derivative<'a> {
    let function = needed.function;
    let location = function.location();
    let (parameters, results) = function.signature();
    let arguments: Vec<_> = parameters.iter().map(|ty| (*ty, location)).collect();
    let body = Block::new(&arguments);
    let mut builder = Builder::at_end(body, location);
    let mut given: Vec<_> = body.arguments().collect();
    for &index in &rule.wrt {
        let zero = zero(&mut builder, body.argument(index));
        given.push(zero);
    }
    let tangents = differentiable_positions(results.iter().copied());
    let mut types = results.clone();
    types.extend(tangents.iter().map(|&index| results[index]));
    types.extend(derivative.own());
    let call = func::Call::build(&mut builder, &types, &derivative.forward, &given);
    let values: Vec<_> = call.results().collect();
    let (values, rest) = values.split_at(results.len());
    let returned = [values, &rest[tangents.len()..]].concat();
    let name = format!("{}.forward", source_name(function));
    let forward = add_function(block_of(program), &name, body, &returned, location);
    functions.push(forward);
    Derivative {
        forward: program.insert(forward).to_owned(),
        wrt: rule.wrt.clone(),
        results: tangents,
        ..derivative.clone()
    }
}

/// Builds the function of tangents.
fn tangents<'a>(
    needed: &Key<'a>,
    rule: &Rule<'a>,
    (part, derivative): (&Key<'a>, &Derivative<'a>),
    program: &mut SymbolTable<'a>,
    functions: &mut Vec<Op<'a>>,
) -> Tangents {
    let function = needed.function;
    let location = function.location();
    let (parameters, results) = function.signature();
    let of_wrt = rule.wrt.iter().map(|&index| parameters[index]);
    let arguments = parameters.iter().copied().chain(of_wrt);
    let arguments: Vec<_> = arguments.map(|ty| (ty, location)).collect();
    let body = Block::new(&arguments);
    let mut builder = Builder::at_end(body, location);
    let given: Vec<_> = body.arguments().collect();
    let (given, seeds) = given.split_at(parameters.len());

    // The results and the residuals of the rule.
    let (own, returned) = part.function.signature();
    let (residuals, cotangents) = own.split_at(part.wrt[0]);
    let types = [&results[..], residuals].concat();
    let forward = rule.forward.expect("a rule with 'backward' has 'forward'");
    let call = func::Call::build(&mut builder, &types, forward, given);
    let values: Vec<_> = call.results().collect();
    let (values, residuals) = values.split_at(results.len());

    // The rule's `backward` with cotangents of zero, for its own residuals.
    let positions = differentiable_positions(results.iter().copied());
    let zeros = positions
        .iter()
        .map(|&index| zero(&mut builder, values[index]));
    let operands: Vec<_> = residuals.iter().copied().chain(zeros).collect();
    let types: Vec<_> = returned.iter().copied().chain(derivative.own()).collect();
    let call = func::Call::build(&mut builder, &types, &derivative.forward, &operands);
    let outputs: Vec<_> = call.results().collect();
    let (outputs, own) = outputs.split_at(returned.len());
    let mut own = own.iter().copied();
    let kept = derivative.kept.iter().map(|kept| match *kept {
        Kept::Argument(position) => operands[position],
        Kept::Returned(position) => outputs[position],
        Kept::Own(_) => own.next().expect("the forward function returns it"),
    });
    let kept: Vec<_> = kept.collect();
    let tangents = derivative.pull_back(&mut builder, seeds, &kept, cotangents);
    let all = [values, &tangents].concat();
    let name = format!("{}.tangents", source_name(function));
    let function = add_function(block_of(program), &name, body, &all, location);
    functions.push(function);
    Tangents {
        symbol: program.insert(function).to_owned(),
        wrt: rule.wrt.clone(),
        results: positions,
    }
}

fn zero<'a>(builder: &mut Builder<'a>, like: Value<'a>) -> Value<'a> {
    let ty: Type<'a> = like.ty();
    values::zero(builder, ty, || like)
}
