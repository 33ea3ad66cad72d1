//! The deabstraction pass family: what a front end emits becomes SSA over a graph of blocks, with scalars and tensors only.
//!
//! ```text
//!   generics ──tfx-specialize──► known types
//!   calls ──tfx-inline──► one body ──tfx-scalarize──► no aggregates ──tfx-ssa──► no variables
//!   computed attributes ──tfx-constexpr──► written ones ──tfx-verify-deabstracted──► proved
//! ```

mod aggregates;
mod arrays;
mod cfg;
mod clean;
mod closures;
mod constexpr;
mod dead;
mod enums;
mod graph_functions;
mod in_source;
mod inline;
mod inline_cost;
mod inout;
mod layout;
mod names;
mod parameters;
mod partial;
mod recursion;
mod resolve;
mod scalarize;
mod specialize;
mod ssa;
mod sweep;
mod unroll;
mod unstructure;
mod verify;
mod webs;

pub use clean::CleanUp;
pub use constexpr::{Constexpr, ConstexprOptions, Dynamic};
pub use in_source::{InSource, InSourceOptions};
pub use inline::{Inline, InlineOptions};
pub use resolve::Resolve;
pub use scalarize::Scalarize;
pub use specialize::Specialize;
pub use ssa::Ssa;
pub use sweep::Sweep;
pub use unstructure::{UNSTRUCTURE, Unstructure};
pub use verify::VerifyDeabstracted;

use tfx_ir::options::OptionValue;

use in_source::in_source;
use unstructure::ON_BLOCKS;

tfx_ir::options! {
    /// What the pipelines take that deabstract; each is an option of the passes that it is about.
    pub struct DeabstractOptions {
        /// Whether functions of tensor code alone that are called more than once stay functions of the graph.
        graph_functions: bool = true,
        /// Functions with tensors that are called at several places are inlined up to this number of operations; calls of larger ones stay on the host.
        inline_limit: u64 = inline::DEFAULT_LIMIT,
        /// Whether loops over literal arrays become one copy of their body for each element.
        unroll: bool = false,
        /// Recursion whose depth constants bound becomes at most so many functions for a call; 0 leaves all recursion.
        unroll_recursion: usize = 0,
        /// What becomes of an operation with an attribute that is not a constant.
        dynamic: Dynamic = Dynamic::Error,
    }
}

/// The pipeline `tfx-deabstract`, for a `builtin.module`.
///
/// Structured control flow becomes blocks first: then a body of any shape can be inlined anywhere, and variables have one kind of join.
/// Structuring finds it again. `canonicalize` is not in it: see `clean.rs`. Functions that are split from their graphs already stay as they are: see
/// `in_source.rs`.
pub fn pipeline(options: &DeabstractOptions) -> String {
    format!("tfx-specialize,{}", specialized_pipeline(options))
}

/// [`pipeline`] after `tfx-specialize`, for a pipeline that looks at the operations of the source once their types are known.
pub fn specialized_pipeline(options: &DeabstractOptions) -> String {
    let DeabstractOptions {
        graph_functions,
        inline_limit,
        unroll,
        unroll_recursion,
        dynamic,
    } = options;
    let remarks = *unroll_recursion == 0;
    // A graph function with an operation that only the host can run is a function of the graph no more: it is inlined like any other.
    let inline_again = match dynamic {
        Dynamic::Host => format!(
            "tfx-inline{{graph-functions={graph_functions} limit={inline_limit} remarks=false}},"
        ),
        Dynamic::Error => String::new(),
    };
    let dynamic = dynamic.print();
    let [unstructure, ssa, cse, clean_up] = [
        ON_BLOCKS,
        "tfx-ssa{remarks=false},tfx-clean-up",
        "cse",
        "cse,tfx-clean-up",
    ]
    .map(in_source);
    format!(
        "{unstructure},tfx-inline{{graph-functions={graph_functions} limit={inline_limit} remarks={remarks}}},tfx-scalarize,\
         {ssa},tfx-resolve{{graph-functions={graph_functions} inline-limit={inline_limit} unroll={unroll} unroll-recursion={unroll_recursion}}},\
         symbol-dce,{cse},tfx-constexpr{{dynamic={dynamic}}},{inline_again}{clean_up},tfx-sweep,tfx-verify-deabstracted"
    )
}

/// Gives the passes of this family to MLIR's registry.
pub fn register() {
    tfx_ir::pass::register::<CleanUp>();
    tfx_ir::pass::register::<Constexpr>();
    tfx_ir::pass::register::<InSource>();
    tfx_ir::pass::register::<Inline>();
    tfx_ir::pass::register::<Resolve>();
    tfx_ir::pass::register::<Scalarize>();
    tfx_ir::pass::register::<Specialize>();
    tfx_ir::pass::register::<Ssa>();
    tfx_ir::pass::register::<Sweep>();
    tfx_ir::pass::register::<Unstructure>();
    tfx_ir::pass::register::<VerifyDeabstracted>();
}
