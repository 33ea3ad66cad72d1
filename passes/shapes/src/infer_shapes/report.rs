//! The errors of shape inference, with the inferred types at the operation as notes.

use tfx_graphdef::element::display_name;
use tfx_graphdef::shapes::{Known, Shape};
use tfx_graphdef_mlir::types;
use tfx_ir::Value;
use tfx_ir::diag::{self, Diagnostic};

use super::equations::{Definition, Equations, Rule};
use super::solve::{Failure, Solution};

/// Returns all errors: first those of operations, in the order of the program, then those of
/// forwarded values.
pub(super) fn failures<'a>(
    equations: &Equations<'a>,
    solution: &mut Solution<'_, 'a>,
) -> Vec<Diagnostic<'a>> {
    let mut found = Vec::new();
    loop {
        let failing = solution.take_failures();
        if failing.is_empty() {
            break;
        }
        found.extend(failing);
    }
    found.sort_by_key(|(rule, _)| *rule);
    let operations = found
        .into_iter()
        .map(|(rule, failure)| operation(equations, solution, &equations.rules[rule], failure));
    let mut all: Vec<_> = operations.collect();
    all.extend(contradictions(equations, solution));
    all
}

fn operation<'a>(
    equations: &Equations<'a>,
    solution: &Solution<'_, 'a>,
    rule: &Rule<'a>,
    failure: Failure,
) -> Diagnostic<'a> {
    let message = match failure {
        Failure::Operands(mismatch) => mismatch.to_string(),
        Failure::Declared { result, inferred } => declared(rule, result, &inferred),
    };
    let mut error = diag::error(rule.op.location(), message);
    for (index, &operand) in rule.operands.iter().enumerate() {
        let declared = &equations.declared[operand as usize];
        let Some(Known { shape, .. }) = solution.fact(operand) else {
            continue;
        };
        // A note shows what the declared type does not.
        if shape != declared
            && let Some(value) = equations.values[operand as usize]
        {
            let message = format!(
                "operand {index}, declared as {}, is inferred to be {}",
                value.ty(),
                text(value, shape)
            );
            error = error.note(value.location(), message);
        }
    }
    error
}

/// Returns the message for a result with another type than declared.
fn declared(rule: &Rule<'_>, result: usize, inferred: &Shape) -> String {
    let name = rule.name();
    let value = rule.op.result(result);
    let element = match &rule.definition {
        Definition::Operation(resolved) => display_name(resolved.results[result]).to_owned(),
        Definition::Constant => types::element_type(value.ty()).to_string(),
    };
    let inferred = format!("tensor<{inferred}{element}>");
    let which = match rule.op.num_results() {
        1 => "the result".to_owned(),
        _ => format!("result {result}"),
    };
    format!(
        "{which} of \"{name}\" has type {inferred}, but is declared as {}; write {inferred}",
        value.ty()
    )
}

/// Returns the errors for values that are forwarded to an incompatible declared type.
fn contradictions<'a>(
    equations: &Equations<'a>,
    solution: &Solution<'_, 'a>,
) -> Vec<Diagnostic<'a>> {
    let mut found = Vec::new();
    for &(from, to, by) in &equations.edges {
        let declared = &equations.declared[to as usize];
        let Some(known) = solution.fact(from) else {
            continue;
        };
        if known.shape.meet(declared).is_some() {
            continue;
        }
        let inferred = format!(
            "tensor<{}{}>",
            known.shape,
            types::element_type(equations.types[from as usize])
        );
        let message = format!(
            "a value of type {inferred} is forwarded as the incompatible type {}; write {inferred} or a less specific type",
            equations.types[to as usize]
        );
        let mut error = diag::error(by.location(), message);
        if let Some(value) = equations.values[from as usize] {
            error = error.note(value.location(), "the value is defined here");
        }
        found.push(error);
    }
    found
}

fn text(value: Value<'_>, shape: &Shape) -> String {
    format!("tensor<{shape}{}>", types::element_type(value.ty()))
}
