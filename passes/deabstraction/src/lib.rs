//! The deabstraction pass family: what a front end emits becomes SSA over a graph of blocks, with scalars and tensors only.

mod cfg;
mod inline;
mod layout;
mod names;
mod ssa;

pub use inline::Inline;
pub use ssa::Ssa;

/// Gives the passes of this family to MLIR's registry.
pub fn register() {
    tfx_ir::pass::register::<Inline>();
    tfx_ir::pass::register::<Ssa>();
}
