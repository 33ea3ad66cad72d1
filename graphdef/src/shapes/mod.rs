//! The shapes that operations give for the shapes that they take.
//!
//! ```text
//! "MatMul"  [2, ?], [3, 5]        ──infer──►  [2, 5]                         sizes that are not known stay so, and are never guessed
//! "Reshape" [2, 3], [2] = {-1, 2} ──infer──►  [3, 2]                         some operands count with their values
//! "MatMul"  [2, 4], [3, 5]        ──infer──►  Mismatch: both types, why, and what to write instead
//! ```
//!
//! The functions here are those of the operations that the embedded executor has, and say what TensorFlow's own do; a test in `passes/shapes`
//! holds the two together. They need no TensorFlow: what a program means must not depend on what is installed. One file for each family, as the
//! kernels of `tfx-interpreter` have them.
//!
//! Each is linear in the ranks, and *monotone*: who knows more of the operands knows no less of the results, and finds no fewer mismatches.
//! `tfx-infer-shapes` leans on that.

mod create;
mod elementwise;
mod indexing;
mod layout;
mod neural;
mod products;
mod reduce;
mod shape;
mod usage;

use std::{collections::HashMap, sync::LazyLock};

use crate::resolve::Resolved;

pub use shape::{Shape, Size};
use usage::Usage;
pub use usage::{Known, Mismatch};

/// What a shape function says: a shape for each result.
type Inferred = Result<Vec<Shape>, Mismatch>;
/// The shape function of an operation.
type Function = fn(&Usage<'_>) -> Inferred;

/// The operands of which an operation needs the values to know its results' shapes.
#[derive(Clone, Copy)]
enum Reads {
    /// None of them.
    Nothing,
    /// Those of these numbers.
    These(&'static [usize]),
    /// The last one.
    Last,
}

/// An operation's name, the operands whose values it reads, its function.
type Entry = (&'static str, Reads, Function);

static FUNCTIONS: LazyLock<HashMap<&'static str, (Reads, Function)>> = LazyLock::new(|| {
    [
        create::FUNCTIONS,
        elementwise::FUNCTIONS,
        indexing::FUNCTIONS,
        layout::FUNCTIONS,
        neural::FUNCTIONS,
        products::FUNCTIONS,
        reduce::FUNCTIONS,
    ]
    .into_iter()
    .flatten()
    .map(|&(name, reads, function)| (name, (reads, function)))
    .collect()
});

/// The names of the operations that have a shape function here, sorted.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = FUNCTIONS.keys().copied().collect();
    names.sort_unstable();
    names
}

/// The shapes of an operation's results; `None` where the operation has no function here.
///
/// # Errors
///
/// Operands that do not go together.
pub fn infer(resolved: &Resolved, operands: &[Known]) -> Option<Result<Vec<Shape>, Mismatch>> {
    let (_, function) = FUNCTIONS.get(resolved.definition.name.as_str())?;
    Some(function(&Usage { resolved, operands }))
}

/// Whether the shapes of an operation's results depend on the value of an operand, and not on its shape alone.
pub fn reads_value(operation: &str, operand: usize, operands: usize) -> bool {
    match FUNCTIONS.get(operation) {
        Some((Reads::These(numbers), _)) => numbers.contains(&operand),
        Some((Reads::Last, _)) => operand + 1 == operands,
        _ => false,
    }
}
