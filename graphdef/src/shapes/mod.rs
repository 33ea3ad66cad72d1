//! Shape functions: the shapes of the results of an operation, from the shapes of its operands.
//!
//! ```text
//! "MatMul"  [2, ?], [3, 5]        ──infer──►  [2, 5]     unknown sizes stay unknown
//! "Reshape" [2, 3], [2] = {-1, 2} ──infer──►  [3, 2]     the values of some operands are read
//! "MatMul"  [2, 4], [3, 5]        ──infer──►  Mismatch: both types, the reason, what to write
//! ```
//!
//! There is a function for each operation of the embedded executor, and it agrees with
//! TensorFlow's: a test in `passes/shapes` compares them. The functions do not need TensorFlow,
//! because the meaning of a program must not depend on what is installed. There is one file for
//! each family, as for the kernels of `tfx-interpreter`.
//!
//! Each function is linear in the ranks, and *monotone*: more knowledge of the operands never leads
//! to less knowledge of the results or to fewer mismatches. `tfx-infer-shapes` relies on it.

mod create;
mod diagonal;
mod einsum;
mod elementwise;
mod images;
mod indexing;
mod layout;
mod linear;
mod lists;
mod neural;
mod products;
mod rearrange;
mod reduce;
mod scatter;
mod shape;
mod usage;
pub mod window;

use std::{collections::HashMap, sync::LazyLock};

use crate::resolve::Resolved;

pub use shape::{Shape, Size};
use usage::{Function, Reads, Usage};
pub use usage::{Known, Mismatch};

static FUNCTIONS: LazyLock<HashMap<&'static str, (Reads, Function)>> = LazyLock::new(|| {
    [
        create::FUNCTIONS,
        diagonal::FUNCTIONS,
        einsum::FUNCTIONS,
        elementwise::FUNCTIONS,
        images::FUNCTIONS,
        indexing::FUNCTIONS,
        layout::FUNCTIONS,
        linear::FUNCTIONS,
        lists::FUNCTIONS,
        neural::FUNCTIONS,
        products::FUNCTIONS,
        rearrange::FUNCTIONS,
        reduce::FUNCTIONS,
        scatter::FUNCTIONS,
    ]
    .into_iter()
    .flatten()
    .map(|&(name, reads, function)| (name, (reads, function)))
    .collect()
});

/// Returns the names of the operations that have a shape function, sorted.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = FUNCTIONS.keys().copied().collect();
    names.sort_unstable();
    names
}

/// Infers the shapes of an operation's results; `None` if there is no function for the operation.
///
/// # Errors
///
/// The shapes of the operands do not match.
pub fn infer(resolved: &Resolved, operands: &[Known]) -> Option<Result<Vec<Shape>, Mismatch>> {
    let (_, function) = FUNCTIONS.get(resolved.definition.name.as_str())?;
    Some(function(&Usage { resolved, operands }))
}

/// Returns whether the shapes of an operation's results depend on the value of an operand, in
/// addition to its shape.
pub fn reads_value(operation: &str, operand: usize, operands: usize) -> bool {
    match FUNCTIONS.get(operation) {
        Some((Reads::These(numbers), _)) => numbers.contains(&operand),
        Some((Reads::Last, _)) => operand + 1 == operands,
        Some((Reads::FirstHalf, _)) => operand < operands / 2,
        _ => false,
    }
}
