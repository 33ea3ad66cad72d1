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
//! If the rule has functions of one mode only, `transposed_rules.rs` derives the other mode.
//!
//! A foreign function, which has no body, has only the derivatives of its rule.
//!
//! Cost: constant for each call.

use std::rc::Rc;

use tfx_dialects::derivatives::{Rule, rule};
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::symbols::SymbolTable;

use crate::derivative::{Derivative, Kept, differentiable_positions};
use crate::derive::source_name;
use crate::tangents::Tangents;
use crate::tasks::{Derived, Key, Mode};
use crate::transposed_rules::source;

/// The contribution of a rule to a function.
pub(crate) enum Given<'a> {
    Derived(Derived<'a>),
    /// The rule has functions of the other mode only.
    Transposed(Rule<'a>),
}

/// Returns the derivative that a rule gives a function; none if it is to be derived.
pub(crate) fn by_rule<'a>(
    call: Op<'a>,
    needed: &Key<'a>,
    program: &SymbolTable<'a>,
) -> Option<Result<Given<'a>, Diagnostic<'a>>> {
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
    if source(&rule, needed.mode).is_some() {
        return Some(Ok(Given::Transposed(rule)));
    }
    Some(Ok(Given::Derived(match needed.mode {
        Mode::Reverse => Derived::Reverse(reverse_rule(program, needed.function, rule)),
        Mode::Forward => Derived::Forward(Tangents {
            symbol: rule.jvp.expect("a rule of this mode has it").to_owned(),
            wrt: rule.wrt,
            results: differentiable_positions(needed.function.signature().1.into_iter()),
        }),
    })))
}

fn reverse_rule<'a>(program: &SymbolTable<'a>, function: Op<'a>, rule: Rule<'a>) -> Derivative<'a> {
    let forward = rule.forward.expect("a rule of this mode has it");
    let backward = rule.backward.expect("a rule of this mode has it");
    let results = program.get(forward);
    let results = results.map(|forward| forward.signature().1);
    let own = function.signature().1;
    Derivative {
        forward: forward.to_owned(),
        backward: backward.to_owned(),
        kept: results
            .unwrap_or_default()
            .into_iter()
            .skip(own.len())
            .map(Kept::Own)
            .collect(),
        residuals: Vec::new(),
        callees: Rc::default(),
        wrt: rule.wrt,
        results: differentiable_positions(own.into_iter()),
        residuals_first: true,
    }
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
