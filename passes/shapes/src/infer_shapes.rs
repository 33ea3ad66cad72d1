//! `tfx-infer-shapes`: the shapes that operations give, as far as they follow from what they are given.
//!
//! ```text
//! %y = "MatMul"(%x, %w) : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<*xf32>     ──►   ... -> tensor<?x2xf32>
//! %z = "Neg"(%y) : (tensor<*xf32>) -> tensor<3xf32>      error: "Neg" gives tensor<?x2xf32>, but its result is declared as tensor<3xf32>
//! ```
//!
//! # Algorithm
//!
//! A sparse data flow over the tensors of a module (Kildall's, on SSA values), in four steps, one file each:
//!
//! ```text
//! equations.rs   %y = op(%x), %w       a rule for each operation, and an edge for each way a value takes: a branch, an arm, a trip, a call
//! solve.rs       facts, from nothing   rules say what comes out, edges join; a fact that changes wakes its readers, until nothing does
//! report.rs      mismatches            where operands do not go together, or what comes out is not what is declared
//! retype.rs      %y : tensor<?x2xf32>  the facts become types, wherever what uses a value lets its type be refined
//! ```
//!
//! Facts start at *nothing arrives here* and only grow: a loop's value has the shape of its first trip until the loop brings another, and then
//! a size that differs is `?`. So the fixed point is the least one, and a fact changes at most once for each dimension and once for the rank:
//! linear in operations, operands and edges, whatever nests in what. What a declared type says holds too, so a fact is never weaker than that.
//!
//! Some operations read the value of an operand (the shape of a `Reshape`, the axis of a `Sum`). Integers that a shape may depend on are computed
//! with the kernels of `tfx-interpreter`, and only those (`evaluate.rs`).
//!
//! # Whose shape functions
//!
//! `shapes=builtin`, the default: those of `tfx_graphdef::shapes`, of each operation that the embedded executor has; a program means the same on
//! every machine. `shapes=tensorflow`: TensorFlow's own, for every operation, through its C API (`tensorflow.rs`); an error where it is not
//! installed. `shapes=auto`: TensorFlow's where it is installed. An operation without a function gives what is declared.
//!
//! # What keeps its declared type
//!
//! What a public or foreign function, a closure, a channel or a program takes or gives has been agreed on with someone else, and so have values that
//! an operation of the host stores: the fact is known, and used for what follows, but the type stays. No cast is made.
//!
//! Not checked: values that nothing reaches, generic functions, and what only a value known at run time decides.

#[cfg(test)]
mod differential;
mod equations;
mod evaluate;
mod report;
mod retype;
mod rules;
mod solve;
mod tensorflow;

use tfx_dialects::types::TYPE_PARAMS;
use tfx_ir::{
    Op, diag,
    pass::{Anchor, Pass, PassContext, PassFailed, Statistic},
};

use equations::Equations;
use rules::Judge;
use solve::Solution;

tfx_ir::option_enum! {
    /// Whose shape functions are asked.
    pub enum Shapes {
        /// The ones that are built in.
        Builtin = "builtin",
        /// TensorFlow's own, which must be installed.
        TensorFlow = "tensorflow",
        /// TensorFlow's own where it is installed, else the ones that are built in.
        Auto = "auto",
    }
}

tfx_ir::options! {
    /// What `tfx-infer-shapes` takes.
    pub struct InferShapesOptions {
        /// Whose shape functions are asked: 'builtin', 'tensorflow' (must be installed), or 'auto' (TensorFlow's where it is installed).
        shapes: Shapes = Shapes::Builtin,
    }
}

const REFINED: Statistic = Statistic {
    name: "refined",
    description: "Values whose type says more than before",
};

/// See the documentation of this module.
#[derive(Default)]
pub struct InferShapes;

impl Pass for InferShapes {
    type Options = InferShapesOptions;
    const NAME: &'static str = "TfxInferShapes";
    const ARGUMENT: &'static str = "tfx-infer-shapes";
    const DESCRIPTION: &'static str =
        "Infer shapes, refine types by them, and find operands that do not go together";
    const ANCHOR: Anchor = Anchor::Module;
    const STATISTICS: &'static [Statistic] = &[REFINED];

    fn run<'a>(
        &mut self,
        module: Op<'a>,
        cx: &PassContext<'a, InferShapesOptions>,
    ) -> Result<(), PassFailed> {
        let judge = Judge::new(cx.options().shapes)
            .map_err(|problem| diag::error(module.location(), problem).fail())?;
        let equations = Equations::of(module, judge.reads_all_values());
        let mut solution = Solution::new(&equations, judge);
        solution.find();
        let failures = report::failures(&equations, &mut solution);
        let mut result = Ok(());
        for failure in failures {
            result = Err(failure.fail());
        }
        result?;
        let refined = retype::retype(&equations, &solution, module.context());
        cx.count(REFINED, refined);
        Ok(())
    }
}

/// Whether a function's types are not all known yet.
fn is_generic(op: Op<'_>) -> bool {
    op.is("func.func") && op.attribute(TYPE_PARAMS).is_some()
}
