//! `tfx-infer-shapes`: infers the shapes of results from the shapes of operands.
//!
//! ```text
//! %y = "MatMul"(%x, %w) : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<*xf32>
//!   ──►                  ... (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32>
//! %z = "Neg"(%y) : (tensor<*xf32>) -> tensor<3xf32>
//!   error: the result of "Neg" has type tensor<?x2xf32>, but is declared as tensor<3xf32>
//! ```
//!
//! # Algorithm
//!
//! A sparse data-flow analysis over the tensors of a module (Kildall's algorithm on SSA values), in
//! four steps, one file each:
//!
//! ```text
//! equations.rs   a rule for each operation, an edge for each forwarded value
//! solve.rs       facts: rules infer results, edges join; to a fixed point
//! report.rs      errors: operands that do not fit each other, results that are declared otherwise
//! retype.rs      facts become types, where the users of a value permit a refined type
//! ```
//!
//! Facts start at bottom (no value arrives) and only grow: a loop-carried value has the shape of
//! the first iteration until a later iteration brings another shape; a size that differs becomes
//! `?`. The fixed point is therefore the least one, and a fact changes at most once for each
//! dimension and once for the rank: linear in operations, operands and edges, at any nesting depth.
//! A declared type is a fact too, so an inferred fact is never weaker than the declaration.
//!
//! Some operations read the elements of an operand (the shape of a `Reshape`, the axis of a `Sum`).
//! The kernels of `tfx-interpreter` compute the integers on which a shape may depend, and no others
//! (`evaluate.rs`).
//!
//! # Shape functions
//!
//! * `shapes=builtin`, the default: the functions of `tfx_graphdef::shapes`, one for each operation
//!   of the embedded executor. A program means the same on every machine.
//! * `shapes=tensorflow`: TensorFlow's own functions, for every operation, through its C API
//!   (`tensorflow.rs`); an error if TensorFlow is not installed.
//! * `shapes=auto`: TensorFlow's functions if TensorFlow is installed.
//!
//! An operation without a shape function keeps its declared types.
//!
//! # Values that keep their declared type
//!
//! The operands and results of public and foreign functions, closures, channels and programs have
//! types that others rely on; so have values that an operation of the host stores. The pass uses
//! their facts for other values, but keeps their types. It inserts no cast.
//!
//! Not checked: unreachable values, generic functions, and properties that depend on run-time
//! values.

mod constants;
#[cfg(test)]
mod differential;
mod equations;
mod evaluate;
mod report;
mod retype;
mod rules;
mod solve;
mod tensorflow;

use tfx_ir::{
    Op,
    diag::{self, Diagnostics},
    pass::{Anchor, Pass, PassContext, PassResult, Statistic},
};

use equations::Equations;
use rules::ShapeFunctions;
pub use rules::Shapes;
use solve::Solution;

tfx_ir::options! {
    /// The options of `tfx-infer-shapes`.
    pub struct InferShapesOptions {
        /// Shape functions: 'builtin', 'tensorflow' (must be installed), or 'auto' (TensorFlow's if
        /// it is installed).
        shapes: Shapes = Shapes::Builtin,
    }
}

const REFINED: Statistic = Statistic::new("refined", "Values with a refined type");

/// `tfx-infer-shapes`: see the documentation of the module.
#[derive(Default)]
pub struct InferShapes;

impl Pass for InferShapes {
    type Options = InferShapesOptions;
    const NAME: &'static str = "TfxInferShapes";
    const ARGUMENT: &'static str = "tfx-infer-shapes";
    const DESCRIPTION: &'static str = "Infer shapes, refine types, and report shape mismatches";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[REFINED];

    fn run<'a>(&mut self, module: Op<'a>, cx: &PassContext<'a, InferShapesOptions>) -> PassResult {
        let functions = ShapeFunctions::new(cx.options().shapes).map_err(|error| {
            let message = format!(
                "TensorFlow's shape functions are requested, but {error}, or write shapes=builtin"
            );
            diag::error(module.location(), message)
        })?;
        let equations = Equations::of(module, functions.reads_all_values());
        let (refined, _) = infer(module, &equations, functions)?;
        cx.count(REFINED, refined);
        Ok(())
    }
}

/// Solves the equations of a module, and refines its types. Returns the number of values with a new
/// type, and the solution.
fn infer<'e, 'a>(
    module: Op<'a>,
    equations: &'e Equations<'a>,
    functions: ShapeFunctions,
) -> Result<(u64, Solution<'e, 'a>), Diagnostics<'a>> {
    let mut solution = Solution::new(equations, functions);
    solution.solve();
    let failures = report::failures(equations, &mut solution);
    Diagnostics::from_iter(failures).finish()?;
    let refined = retype::retype(equations, &solution, module.context());
    Ok((refined, solution))
}

/// Infers shapes as the pass does, then replaces the integers of graphs that are known by
/// constants. Returns the number of replaced values.
pub(crate) fn fold(module: Op<'_>) -> Result<u64, Diagnostics<'_>> {
    let functions = ShapeFunctions::new(Shapes::Builtin).expect("they are part of tfx");
    let equations = Equations::of(module, true);
    let (_, solution) = infer(module, &equations, functions)?;
    Ok(constants::fold(&equations, &solution, module))
}
