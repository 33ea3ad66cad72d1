//! `tfx-differentiate`: replaces requests for derivatives by calls of derived functions.
//!
//! ```text
//!   %g = tfx_ad.gradient @loss(%m) wrt [0]
//!       demand    which functions, the innermost requests first
//!       flatten   a clone of @loss as a structured function of scalars and tensors
//!       derive    @loss.forward, @loss.backward (activity, reverse, forward, rules)
//!       answer    %y, %r:n = call @loss.forward(%m.w, %m.b); %dw, %db = call @loss.backward(1.0,
//! %r:n)                 %g = make_struct(%dw, %db)
//! ```
//!
//! The pass runs after `tfx-specialize`, on a program whose types are known, and before the program
//! is split into host and graph: a transfer is an identity then, whose adjoint is the identity, and
//! the derived code is split, placed and proved like all other code. The derived functions are
//! ordinary functions; `tfx-inline` decides whether they stay functions.
//!
//! Source: Griewank and Walther, "Evaluating Derivatives", 2008; Innes, "Don't Unroll Adjoint",
//! 2018, for source transformation on SSA form.
//!
//! Cost: linear in the differentiated functions and their callees, once for each set of active
//! parameters and results.
//!
//! # Non-guarantees
//!
//! A recursive function, a closure whose function is not known where it is differentiated, and
//! objects have no derivative: errors name them. The derivative of a loop needs tapes, which later
//! passes do not lower yet: an error, unless the option `tapes` is set.

use melior::dialect::{DialectHandle, DialectRegistry};
use rustc_hash::FxHashSet;
use tfx_dialects::ad;
use tfx_ir::diag::{Diagnostic, Diagnostics};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, diag};

use crate::answer::answer;
use crate::demand::{Demand, levels};
use crate::derive::Deriver;
use crate::flatten::{Flat, PASSES, import};
use crate::rules::{Library, Rules};

tfx_ir::options! {
    /// The options of `tfx-differentiate`.
    pub struct DifferentiateOptions {
        /// Differentiate loops, whose values are stored on tapes. Later passes do not lower tapes
        /// yet.
        tapes: bool = false,
    }
}

/// The pass; the module describes the algorithm.
#[derive(Debug, Default)]
pub struct Differentiate;

const DERIVATIVES: Statistic = Statistic::new("derivatives", "Requests for derivatives");
const FUNCTIONS: Statistic = Statistic::new("functions", "Derived functions");

impl Pass for Differentiate {
    type Options = DifferentiateOptions;
    const NAME: &'static str = "TfxDifferentiate";
    const ARGUMENT: &'static str = "tfx-differentiate";
    const DESCRIPTION: &'static str = "Derive functions that compute derivatives";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[DERIVATIVES, FUNCTIONS];

    fn dialects(registry: &DialectRegistry) {
        tfx_dialects::register(registry);
        for dialect in [
            DialectHandle::arith(),
            DialectHandle::func(),
            DialectHandle::scf(),
        ] {
            dialect.insert_dialect(registry);
        }
    }

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, DifferentiateOptions>,
    ) -> PassResult {
        let mut program = SymbolTable::new(module);
        let levels = levels(&program)?;
        if !levels.is_empty() {
            let library = Library::parse(module.context());
            let rules = Rules::new(&library);
            for requests in levels {
                cx.count(DERIVATIVES, requests.len() as u64);
                let flat = flatten(&requests, &program)?;
                cx.run_pipeline(flat.module, PASSES)?;
                let tapes = cx.options().tapes;
                let functions = differentiate(&requests, &flat, &rules, &mut program, tapes)?;
                cx.count(FUNCTIONS, functions);
            }
        }
        // The flat functions of an outer run need the markers.
        if module.parent().is_none() {
            erase_markers(module);
        }
        Ok(())
    }
}

/// Clones the functions of the requests of one level.
fn flatten<'a>(requests: &[Op<'a>], program: &SymbolTable<'a>) -> Result<Flat<'a>, Diagnostic<'a>> {
    let mut functions = Vec::new();
    let mut seen = FxHashSet::default();
    for request in requests {
        let demand = Demand::read(*request, program).expect("it is a request")?;
        if demand.callee.is_declaration() {
            return Err(no_body(&demand));
        }
        if seen.insert(demand.callee) {
            functions.push(demand.callee);
        }
    }
    Ok(Flat::clone(program, &functions))
}

/// Answers the requests of one level. Returns the number of derived functions.
fn differentiate<'a>(
    requests: &[Op<'a>],
    flat: &Flat<'a>,
    rules: &Rules<'a>,
    program: &mut SymbolTable<'a>,
    tapes: bool,
) -> Result<u64, Diagnostics<'a>> {
    let symbols = SymbolTable::new(flat.module);
    let mut errors = Diagnostics::default();
    let mut deriver = Deriver::new(rules, &symbols, program, tapes);
    for request in requests {
        // Earlier answers have replaced the arguments of later requests.
        let demand = Demand::read(*request, deriver.program).expect("it is a request")?;
        let function = flat.function(demand.callee, &symbols);
        if let Err(found) = answer(&demand, function, &mut deriver) {
            errors.extend(found);
        }
    }
    let derived = std::mem::take(&mut deriver.functions);
    errors.finish()?;
    import(&derived, &symbols, program);
    flat.module.erase();
    Ok(derived.len() as u64)
}

fn no_body<'a>(demand: &Demand<'a>) -> Diagnostic<'a> {
    let name = demand.callee.symbol_name().unwrap_or_default();
    diag::error(
        demand.op.location(),
        format!("cannot differentiate the foreign function '@{name}' directly"),
    )
    .note(
        demand.callee.location(),
        "differentiate a function that calls it, and give it a rule (tfx_ad.rule)",
    )
}

/// Erases the operations that only matter to derivatives.
fn erase_markers(module: Op<'_>) {
    let markers: Vec<_> = module.walk().filter_map(ad::Stop::cast).collect();
    for stop in markers {
        stop.op().replace_with(&[stop.value()]);
    }
}
