//! The deabstraction pass family: turns the output of a front end into SSA over a control-flow
//! graph, with scalars and tensors only.
//!
//! ```text
//!   generics ──tfx-specialize──► known types
//!   calls ──tfx-inline──► one body ──tfx-scalarize──► no aggregates ──tfx-ssa──► no variables
//!   computed attributes ──tfx-constexpr──► constants ──tfx-verify-deabstracted──► checked
//! ```

#![forbid(unsafe_code)]

mod aggregates;
mod arrays;
mod cfg;
pub mod clean_up;
mod closures;
pub mod constexpr;
mod dead;
mod enums;
mod flow;
mod graph_functions;
pub mod in_source;
pub mod inline;
mod inline_cost;
mod inout;
mod layout;
mod names;
mod parameters;
mod partial;
mod recursion;
pub mod resolve;
pub mod scalarize;
pub mod specialize;
pub mod ssa;
pub mod sweep;
mod unroll;
pub mod unstructure;
pub mod verify_deabstracted;
mod webs;

pub use clean_up::CleanUp;
pub use constexpr::{BudgetOptions, Constexpr, ConstexprOptions, Dynamic, DynamicOptions};
pub use in_source::{InSource, InSourceOptions};
pub use inline::{Inline, InlineOptions, InlineRemarks, InliningOptions};
pub use resolve::{Resolve, ResolveOptions, UnrollingOptions};
pub use scalarize::Scalarize;
pub use specialize::Specialize;
pub use ssa::{Ssa, SsaOptions};
pub use sweep::Sweep;
pub use unstructure::{UNSTRUCTURE, Unstructure};
pub use verify_deabstracted::VerifyDeabstracted;

use tfx_ir::options::Options;
use tfx_ir::pass::Pass;

use in_source::in_source;
use unstructure::ON_BLOCKS;

tfx_ir::composed_options! {
    /// The options of `tfx-deabstract`.
    pub struct DeabstractOptions {
        /// The functions that are inlined.
        inlining: InliningOptions,
        /// The code that is copied.
        unrolling: UnrollingOptions,
        /// The treatment of attributes that are not constants.
        attributes: DynamicOptions,
    }
}

/// The pass of another family that needs known types and leaves none of its own operations.
const DIFFERENTIATE: &str = "tfx-differentiate";

/// Returns the pipeline `tfx-deabstract`, for a `builtin.module`.
///
/// Structured control flow becomes blocks first: then a body of any shape can be inlined anywhere,
/// and variables have one kind of join. `tfx-sese` recovers the structure. `canonicalize` is not in
/// the pipeline: see `clean_up.rs`. Functions that are split from their graphs are left alone: see
/// `in_source.rs`.
pub fn pipeline(options: &DeabstractOptions) -> String {
    let specialize = Specialize::in_pipeline(&());
    format!(
        "{specialize},{DIFFERENTIATE},{}",
        specialized_pipeline(options)
    )
}

/// Returns [`pipeline`] without `tfx-specialize`, for a pipeline that checks the operations of the
/// source in between, once their types are known.
pub fn specialized_pipeline(options: &DeabstractOptions) -> String {
    let inline = |remarks| {
        Inline::in_pipeline(&InlineOptions {
            inlining: options.inlining.clone(),
            report: InlineRemarks { remarks },
        })
    };
    let ssa = Ssa::ARGUMENT.to_owned() + &SsaOptions { remarks: false }.to_pipeline();
    let clean_up = CleanUp::ARGUMENT;
    let mut passes = vec![
        in_source(ON_BLOCKS),
        // `tfx-resolve` names the recursion that stays, where it removes some.
        inline(options.unrolling.unroll_recursion == 0),
        Scalarize::in_pipeline(&()),
        in_source(&format!("{ssa},{clean_up}")),
        Resolve::in_pipeline(&ResolveOptions {
            inlining: options.inlining.clone(),
            unrolling: options.unrolling.clone(),
        }),
        "symbol-dce".to_owned(),
        in_source("cse"),
        Constexpr::in_pipeline(&ConstexprOptions {
            limit: BudgetOptions::default(),
            attributes: options.attributes.clone(),
        }),
    ];
    if options.attributes.dynamic == Dynamic::Host {
        // A graph function with an operation that only the host can run is inlined like any other.
        passes.push(inline(false));
    }
    passes.extend([
        // Blocks that become one pass their values without arguments, so more operations are equal.
        in_source(&format!("{clean_up},cse,{clean_up}")),
        Sweep::in_pipeline(&()),
        VerifyDeabstracted::in_pipeline(&()),
    ]);
    passes.join(",")
}

/// Registers the passes of this family.
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
