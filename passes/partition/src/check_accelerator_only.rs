//! `tfx-check-accelerator-only`: rejects host code in functions marked `tfx.accelerator_only` and
//! in the functions that they call.
//!
//! ```text
//!   func @step(...) attributes {tfx.accelerator_only} { call @log(...) }
//!   func private @log(...) { tfx_host.print ... }      error here, with notes: called here, in the function that is marked here
//! ```
//!
//! The pass runs on the source, after `tfx-specialize` and before inlining, so that errors name the
//! functions that the user wrote. From each marked function it follows calls and closures to
//! functions with a body, the shortest chain first. Abstractions that deabstraction removes
//! (structs, enums, variables, closures) are not host code, nor is scalar code that the graph can
//! run.
//!
//! Cost: linear in the code that each marked function reaches.

use melior::ir::Location;
use rustc_hash::FxHashSet;
use tfx_dialects::host;
use tfx_dialects::replicable::replicable;
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::func;
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult};
use tfx_ir::symbols::SymbolTable;

/// The attribute of a function that must not need the host.
const ACCELERATOR_ONLY: &str = "tfx.accelerator_only";

/// The pass; the module describes the algorithm.
#[derive(Default)]
pub struct CheckAcceleratorOnly;

impl Pass for CheckAcceleratorOnly {
    type Options = ();
    const NAME: &'static str = "TfxCheckAcceleratorOnly";
    const ARGUMENT: &'static str = "tfx-check-accelerator-only";
    const DESCRIPTION: &'static str = "Reject host code in functions marked tfx.accelerator_only";
    const ANCHOR: Anchor = Anchor::Module;

    fn run<'a>(&mut self, module: Op<'a>, _: &PassContext<'a, ()>) -> PassResult {
        let symbols = SymbolTable::new(module);
        let marked: Vec<Op<'a>> = symbols
            .ops()
            .filter(|op| op.isa::<func::Func>() && op.attribute(ACCELERATOR_ONLY).is_some())
            .collect();
        let errors = marked.into_iter().flat_map(|func| check(func, &symbols));
        Ok(Diagnostics::from_iter(errors).finish()?)
    }
}

/// A function that a marked one reaches, and the call through which it was reached, in the function
/// before it.
#[derive(Clone, Copy)]
struct Reached<'a> {
    func: Op<'a>,
    from: Option<(usize, Location<'a>)>,
}

/// Returns an error for each operation that a marked function reaches and only the host can run.
fn check<'a>(marked: Op<'a>, symbols: &SymbolTable<'a>) -> Vec<Diagnostic<'a>> {
    let mut seen = FxHashSet::from_iter([marked]);
    let mut reached = vec![Reached {
        func: marked,
        from: None,
    }];
    let mut errors = Vec::new();
    let mut at = 0;
    while let Some(&Reached { func, .. }) = reached.get(at) {
        for op in func.walk().skip(1) {
            if let Some(what) = host_code(op, symbols) {
                errors.push(refuse(op, &what, &reached, at));
            }
            let callee = op.symbol("callee").and_then(|name| symbols.get(name));
            if let Some(callee) = callee.filter(|callee| callee.isa::<func::Func>())
                && seen.insert(callee)
            {
                reached.push(Reached {
                    func: callee,
                    from: Some((at, op.location())),
                });
            }
        }
        at += 1;
    }
    errors
}

/// Describes an operation in words if only the host can run it.
fn host_code<'a>(op: Op<'a>, symbols: &SymbolTable<'a>) -> Option<String> {
    let name = op.name();
    if let Some(callee) = op.symbol("callee").filter(|_| op.dialect() != "tfx_tensor") {
        let foreign = symbols.get(callee).is_none_or(|func| func.is_declaration());
        return (foreign && name == func::Call::NAME)
            .then(|| format!("the call of the foreign function '@{callee}'"));
    }
    let is_host = match op.dialect() {
        "tfx_tensor" | "tfx_comm" | "cf" | "scf" | "func" => false,
        "tfx_host" => matches!(
            name,
            host::Print::NAME
                | host::Assert::NAME
                | host::Abort::NAME
                | host::String::NAME
                | host::New::NAME
                | host::MemberRef::NAME
                | host::Erase::NAME
                | host::DynamicCall::NAME
                | host::Prefetch::NAME
                | host::Next::NAME
                | host::Close::NAME
        ),
        _ => !replicable(op),
    };
    is_host.then(|| format!("'{name}'"))
}

/// Returns the error at the host code, with the chain of calls that leads to it, from the inside
/// outwards.
fn refuse<'a>(op: Op<'a>, what: &str, reached: &[Reached<'a>], at: usize) -> Diagnostic<'a> {
    let marked = reached[0].func;
    let function = marked.symbol_name().unwrap_or_default();
    let message = format!("{what} needs the host, but '@{function}' is marked accelerator-only");
    let mut error = diag::error(op.location(), message);
    let mut at = at;
    while let Some((caller, location)) = reached[at].from {
        let callee = reached[at].func.symbol_name().unwrap_or_default();
        error = error.note(location, format!("'@{callee}' is called here"));
        at = caller;
    }
    let note = format!(
        "marked '{ACCELERATOR_ONLY}' here; remove the attribute, or the host code from the functions that it calls"
    );
    error.note(marked.location(), note)
}
