//! What is wrong, at the place of the operation, with the types as far as they are known there.

use tfx_graphdef::element::display_name;
use tfx_graphdef::shapes::{Known, Shape};
use tfx_graphdef_mlir::operations::NAME_ATTRIBUTE;
use tfx_graphdef_mlir::types;
use tfx_ir::Value;
use tfx_ir::diag::{self, Diag};

use super::equations::{Equations, Maker, Rule};
use super::solve::{Failure, Solution};

/// All mistakes, in the order of the program: first those of operations, then those of values that go where their shape does not fit.
pub(super) fn failures<'a>(
    equations: &Equations<'a>,
    solution: &mut Solution<'_, 'a>,
) -> Vec<Diag<'a>> {
    let mut found = Vec::new();
    loop {
        let failing = solution.give_up();
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
) -> Diag<'a> {
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
        // What the text of the program does not show.
        if shape != declared
            && let Some(value) = equations.values[operand as usize]
        {
            let message = format!(
                "operand {index}, declared as {}, is known to be {}",
                value.ty(),
                text(value, shape)
            );
            error = error.note(value.location(), message);
        }
    }
    error
}

/// A result that is not what is declared.
fn declared(rule: &Rule<'_>, result: usize, inferred: &Shape) -> String {
    let name = rule.op.string(NAME_ATTRIBUTE).unwrap_or_default();
    let value = rule.op.result(result);
    let element = match &rule.maker {
        Maker::Operation(resolved) => display_name(resolved.results[result]).to_owned(),
        Maker::Constant => types::element_type(value.ty()).to_string(),
    };
    let inferred = format!("tensor<{inferred}{element}>");
    let which = match rule.op.num_results() {
        1 => "its result".to_owned(),
        _ => format!("result {result}"),
    };
    format!(
        "\"{name}\" gives {inferred}, but {which} is declared as {}; write {inferred}",
        value.ty()
    )
}

/// Values that go where the declared type cannot be theirs.
fn contradictions<'a>(equations: &Equations<'a>, solution: &Solution<'_, 'a>) -> Vec<Diag<'a>> {
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
            "{} goes on as {}, which it cannot be; write {inferred}, or a type that says less",
            inferred, equations.types[to as usize]
        );
        let mut error = diag::error(by.location(), message);
        if let Some(value) = equations.values[from as usize] {
            error = error.note(value.location(), "the value comes from here");
        }
        found.push(error);
    }
    found
}

fn text(value: Value<'_>, shape: &Shape) -> String {
    format!("tensor<{shape}{}>", types::element_type(value.ty()))
}
