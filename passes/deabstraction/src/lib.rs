//! The deabstraction pass family: what a front end emits becomes SSA over a graph of blocks, with scalars and tensors only.
//!
//! ```text
//!   calls ──tfx-inline──► one body ──tfx-scalarize──► no aggregates ──tfx-ssa──► no variables ──tfx-verify-deabstracted──► proved
//! ```

mod aggregates;
mod cfg;
mod clean;
mod inline;
mod layout;
mod names;
mod parameters;
mod references;
mod scalarize;
mod ssa;
mod verify;

pub use clean::CleanUp;
pub use inline::Inline;
pub use scalarize::Scalarize;
pub use ssa::Ssa;
pub use verify::VerifyDeabstracted;

/// The pipeline `tfx-deabstract`, for a `builtin.module`.
///
/// Structured control flow becomes blocks first: then a body of any shape can be inlined anywhere, and variables have one kind of join.
/// Structuring finds it again. `canonicalize` is not in it: see `clean.rs`.
pub const PIPELINE: &str = "func.func(convert-scf-to-cf),tfx-inline,tfx-scalarize,func.func(tfx-ssa,tfx-clean-up,cse),symbol-dce,\
                            tfx-verify-deabstracted";

/// Gives the passes of this family to MLIR's registry.
pub fn register() {
    tfx_ir::pass::register::<CleanUp>();
    tfx_ir::pass::register::<Inline>();
    tfx_ir::pass::register::<Scalarize>();
    tfx_ir::pass::register::<Ssa>();
    tfx_ir::pass::register::<VerifyDeabstracted>();
}
