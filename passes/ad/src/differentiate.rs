//! `tfx-differentiate`: replaces requests for derivatives by calls of derived functions.
//!
//! ```text
//!   %g = tfx_ad.gradient @loss(%m) wrt [0]
//!       closures  makes the closures of requests known: copies of functions, and enums
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
//! Closures that foreign functions or objects hold, closures that capture others of their kind
//! without end, and objects whose origin is not known where they are used have no derivative:
//! errors name them.

use std::collections::VecDeque;

use melior::dialect::{DialectHandle, DialectRegistry};
use rustc_hash::FxHashSet;
use tfx_dialects::ad;
use tfx_dialects::derivatives::{CHECKPOINT, INACTIVE, RULE};
use tfx_ir::diag::{Diagnostic, Diagnostics, ErrorsOnly};
use tfx_ir::ops::arith::{self, CmpFPredicate};
use tfx_ir::pass::{Anchor, Pass, PassContext, PassResult, Statistic};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Builder, Op, diag};

use crate::answer::answer;
use crate::checkpoint::{Budget, Checkpoints, outline};
use crate::closures::{Origins, specialize};
use crate::defunctionalize::of_functions;
use crate::demand::{Demand, levels};
use crate::derive::Deriver;
use crate::flatten::{Flat, PASSES, import};
use crate::opaque::is_opaque;
use crate::rules::{Library, Rules};
use crate::values;

/// The pass; the module describes the algorithm.
#[derive(Debug, Default)]
pub struct Differentiate;

const DERIVATIVES: Statistic = Statistic::new("derivatives", "Requests for derivatives");
const FUNCTIONS: Statistic = Statistic::new("functions", "Derived functions");

tfx_ir::option_enum! {
    /// The values of loops that derivatives keep on tapes.
    pub enum Tape {
        /// Those that cost less to keep than to compute again.
        Balanced = "balanced",
        /// The fewest bytes.
        Least = "least",
        /// All that the derivative needs.
        All = "all",
    }
}

tfx_ir::options! {
    /// The options of `tfx-differentiate`.
    pub struct DifferentiateOptions {
        /// The values of a loop that are kept on tapes for its derivative: 'balanced' keeps a value
        /// if that costs less time than to compute it again, 'least' keeps the fewest bytes, 'all'
        /// computes no operation again.
        tape: Tape = Tape::Balanced,
        /// The bytes that the values of a loop may take that its derivative needs. A loop whose
        /// number of iterations is a constant keeps checkpoints if it would take more. 0: no bound.
        memory: u64 = 0,
        /// Report the values that loops keep for their derivatives and those that are computed
        /// again, with the reasons; and the loops that keep checkpoints, how many, and what runs
        /// again.
        remarks: bool = false,
    }
}

/// The choice of the values of loops that are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keeping {
    pub(crate) tape: Tape,
    /// Report each choice.
    pub(crate) remarks: bool,
}

impl DifferentiateOptions {
    fn budget(&self) -> Option<u64> {
        (self.memory > 0).then_some(self.memory)
    }

    fn keeping(&self) -> Keeping {
        Keeping {
            tape: self.tape,
            remarks: self.remarks,
        }
    }
}

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
        let mut origins = Origins::default();
        specialize(&mut program, &mut origins)?;
        let mut todo = VecDeque::from(levels(&program)?);
        if !todo.is_empty() {
            let library = Library::parse(module.context());
            let rules = Rules::new(&library);
            while let Some(requests) = todo.pop_front() {
                let flat = flatten(&requests, &mut program)?;
                {
                    // The passes will say the rest about the derived functions.
                    let _errors = ErrorsOnly::new(module.context());
                    cx.run_pipeline(flat.module, PASSES)?;
                }
                let unresolved = flat.with_closures();
                let changed = !unresolved.is_empty()
                    && of_functions(&unresolved, &mut program, &mut origins)?;
                if changed {
                    flat.module.erase();
                    specialize(&mut program, &mut origins)?;
                    todo = VecDeque::from(levels(&program)?);
                    continue;
                }
                cx.count(DERIVATIVES, requests.len() as u64);
                flat.forget_wrappers();
                let options = cx.options();
                let budget = Budget(options.budget());
                let checkpoints = outline(flat.module, &program, (budget, options.remarks))?;
                let tools = (&rules, &checkpoints, options.keeping());
                let functions = differentiate(&requests, &flat, tools, &mut program)?;
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
fn flatten<'a>(
    requests: &[Op<'a>],
    program: &mut SymbolTable<'a>,
) -> Result<Flat<'a>, Diagnostic<'a>> {
    let mut functions = Vec::new();
    let mut seen = FxHashSet::default();
    for request in requests {
        let demand = Demand::read(*request, program).expect("its function is known");
        if demand.callee.is_declaration() && !is_opaque(demand.callee) {
            return Err(no_body(&demand));
        }
        if seen.insert(demand.callee) {
            functions.push(demand.callee);
        }
    }
    Flat::clone(program, &functions)
}

/// Answers the requests of one level. Returns the number of derived functions.
fn differentiate<'a>(
    requests: &[Op<'a>],
    flat: &Flat<'a>,
    (rules, checkpoints, keeping): (&Rules<'a>, &Checkpoints<'a>, Keeping),
    program: &mut SymbolTable<'a>,
) -> Result<u64, Diagnostics<'a>> {
    let symbols = SymbolTable::new(flat.module);
    let mut errors = Diagnostics::default();
    let flat_functions = (&symbols, &flat.parts, &flat.objects);
    let mut deriver = Deriver::new(rules, flat_functions, (checkpoints, keeping), program);
    for request in requests {
        // Earlier answers have replaced the arguments of later requests.
        let demand = Demand::read(*request, deriver.program).expect("its function is known");
        let function = flat.function(demand.callee, &symbols);
        if let Err(found) = answer(&demand, function, &mut deriver) {
            errors.extend(found);
        }
    }
    let derived = std::mem::take(&mut deriver.functions);
    errors.finish()?;
    import(&derived, (&symbols, &flat.parts), program);
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

/// Erases the operations and attributes that only matter to derivatives.
fn erase_markers(module: Op<'_>) {
    for function in module.children().filter(|op| is_opaque(*op)) {
        function.remove_attribute(RULE);
        function.remove_attribute(INACTIVE);
    }
    for scale in module
        .walk()
        .filter_map(ad::Scale::cast)
        .collect::<Vec<_>>()
    {
        expand(scale);
    }
    for op in module.walk() {
        op.remove_attribute(CHECKPOINT);
    }
    let is_marker =
        |op: &Op<'_>| op.isa::<ad::Save>() || op.isa::<ad::Stop>() || op.isa::<ad::WithCotangent>();
    let markers: Vec<_> = module.walk().filter(is_marker).collect();
    for marker in markers {
        marker.replace_with(&[marker.operand(0)]);
    }
}

/// Replaces a product in which zero stays zero.
fn expand(scale: ad::Scale<'_>) {
    let (cotangent, partial) = (scale.cotangent(), scale.partial());
    let mut builder = Builder::before(scale.op());
    let zero = values::zero(&mut builder, cotangent.ty(), || cotangent);
    let not_zero = arith::CmpF::build(&mut builder, CmpFPredicate::Une, cotangent, zero);
    let product = arith::MulF::build(&mut builder, cotangent, partial);
    let (condition, product) = (not_zero.op().result(0), product.op().result(0));
    let select = arith::Select::build(&mut builder, condition, product, zero);
    scale.op().replace_with(&[select.op().result(0)]);
}
