//! The derivatives that rules in the program give its functions.
//!
//! ```text
//!   func @f(f64) -> f64 attributes {tfx_ad.rule = #tfx_ad.rule<wrt = [0], forward = @f.forward,
//!                                                  backward = @f.backward, jvp = @f.jvp>}
//!   reverse: @f.forward returns the results and the residuals; @f.backward takes the residuals and
//!            the cotangents
//!   forward: @f.jvp takes the arguments and the tangents of `wrt`
//! ```
//!
//! A foreign function, which has no body, has only the derivatives of its rule.
//!
//! Cost: constant for each call.

use tfx_dialects::derivatives::{Rule, rule};
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::symbols::SymbolTable;

use crate::derivative::{Backward, Derivative, Kept, differentiable_positions};
use crate::derive::source_name;
use crate::tangents::Tangents;
use crate::tasks::{Derived, Key, Mode};

/// Returns the derivative that a rule gives a function; none if it is to be derived.
pub(crate) fn by_rule<'a>(
    call: Op<'a>,
    needed: &Key<'a>,
    program: &SymbolTable<'a>,
) -> Option<Result<Derived<'a>, Diagnostic<'a>>> {
    let name = needed.function.symbol_name().unwrap_or_default();
    let Some(rule) = rule(needed.function) else {
        return needed
            .function
            .is_declaration()
            .then(|| Err(foreign(call, needed.function)));
    };
    if let Some(parameter) = needed.wrt.iter().find(|index| !rule.wrt.contains(index)) {
        let message = format!(
            "cannot differentiate '@{name}' with respect to its parameter {parameter}: \
             the rule of '@{name}' does not list it in 'wrt'"
        );
        let error = diag::error(call.location(), message);
        return Some(Err(
            error.note(needed.function.location(), "the rule is here")
        ));
    }
    Some(match needed.mode {
        Mode::Reverse => reverse_rule(program, call, needed.function, rule),
        Mode::Forward => forward_rule(call, needed.function, rule),
    })
}

fn reverse_rule<'a>(
    program: &SymbolTable<'a>,
    call: Op<'a>,
    function: Op<'a>,
    rule: Rule<'a>,
) -> Result<Derived<'a>, Diagnostic<'a>> {
    let (Some(forward), Some(backward)) = (rule.forward, rule.backward) else {
        let missing = "in reverse: its rule has no 'backward'";
        let note = "the rule is here; give it 'forward' and 'backward'";
        return Err(incomplete(call, function, missing, note));
    };
    let results = program.get(forward);
    let results = results.map(|forward| forward.signature().1);
    let own = function.signature().1;
    Ok(Derived::Reverse(Derivative {
        forward: forward.to_owned(),
        backward: Backward::Function(backward.to_owned()),
        kept: results
            .unwrap_or_default()
            .into_iter()
            .skip(own.len())
            .map(Kept::Own)
            .collect(),
        wrt: rule.wrt,
        results: differentiable_positions(own.into_iter()),
        residuals_first: true,
    }))
}

fn forward_rule<'a>(
    call: Op<'a>,
    function: Op<'a>,
    rule: Rule<'a>,
) -> Result<Derived<'a>, Diagnostic<'a>> {
    let Some(jvp) = rule.jvp else {
        let missing = "forwards: its rule has no 'jvp'";
        return Err(incomplete(
            call,
            function,
            missing,
            "the rule is here; give it 'jvp'",
        ));
    };
    Ok(Derived::Forward(Tangents {
        symbol: jvp.to_owned(),
        wrt: rule.wrt,
        results: differentiable_positions(function.signature().1.into_iter()),
    }))
}

/// Returns the error for a rule without functions of a mode.
fn incomplete<'a>(call: Op<'a>, function: Op<'a>, missing: &str, note: &str) -> Diagnostic<'a> {
    let name = source_name(function);
    let message = format!("cannot differentiate '@{name}' {missing}");
    diag::error(call.location(), message).note(function.location(), note)
}

fn foreign<'a>(call: Op<'a>, function: Op<'a>) -> Diagnostic<'a> {
    let name = source_name(function);
    diag::error(
        call.location(),
        format!("cannot differentiate: no derivative of the foreign function '@{name}' is known"),
    )
    .note(
        function.location(),
        "give it a rule (tfx_ad.rule), declare that it has no derivative (tfx_ad.inactive), \
         or cut the path with tfx_ad.stop",
    )
}
