//! tfx as a library: what `tfx-opt` and `tfxc` are made of, for a compiler of your own.
//!
//! One imperative program that mixes host code with tensor code becomes two that run side by side: a TensorFlow graph, and host code
//! that starts it and talks with it.
//!
//! ```text
//!   prepare(&context)            dialects and passes
//!   Source::parse / Program::new a module: yours, or from text
//!   Program::extract             two halves, and what crosses between them, as data
//!   Program::compile             the LLVM dialect, ready for Jit or emit
//!   report::Report               what is copied, as a page, a table or SARIF
//! ```
//!
//! # Embedding
//!
//! A compiler that has a context of its own, with all upstream dialects loaded, prepares it once and hands its module over:
//!
//! ```
//! use melior::{Context, dialect::DialectRegistry, utility::register_all_dialects};
//! use tfx::{Program, Source};
//!
//! // The caller's own context, with whatever is loaded in it.
//! let registry = DialectRegistry::new();
//! register_all_dialects(&registry);
//! let context = Context::new();
//! context.append_dialect_registry(&registry);
//! context.load_all_available_dialects();
//! tfx::prepare(&context);
//!
//! // A module that the caller has built; here it is parsed.
//! let text = r#"
//! func.func private @host_only(tensor<4xf32>) -> tensor<4xf32>
//! func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
//!   %a = tfx_tensor.op "Neg"(%x) : (tensor<4xf32>) -> tensor<4xf32>
//!   %b = func.call @host_only(%a) : (tensor<4xf32>) -> tensor<4xf32>
//!   %c = tfx_tensor.op "Neg"(%b) : (tensor<4xf32>) -> tensor<4xf32>
//!   return %c : tensor<4xf32>
//! }"#;
//! let mut program: Program = Source::new("f.mlir", text).parse(&context)?;
//!
//! let extraction = program.extract()?;
//! let graph = &extraction.graphs[0];
//! assert_eq!((graph.inputs.len(), graph.results.len()), (1, 1));
//! assert_eq!(graph.channels.len(), 2);
//! assert!(graph.channels[0].to_host && !graph.channels[1].to_host);
//!
//! // The value goes to the host and comes back: one warning, as data.
//! assert_eq!(extraction.diagnostics.len(), 1);
//! assert_eq!(extraction.diagnostics[0].place.as_ref().unwrap().line, 5);
//! # Ok::<(), tfx::Error>(())
//! ```

mod codegen;
mod compiler;
mod error;
mod ffi;
mod files;
mod interpret;
mod link;
mod registry;

pub mod pipelines;
pub mod render;
pub mod report;

pub use codegen::{Emit, Jit, OptimizationLevel, emit};
pub use compiler::{
    Channel, Compiled, Extraction, Foreign, Graph, Program, Source, no_entry, not_linked,
};
pub use error::Error;
pub use files::{install, read, write};
pub use interpret::{Interpretation, Schedule};
pub use link::{Linking, RuntimeLinkage, Workshop};
pub use pipelines::{CompileOptions, ExtractOptions, XlaOptions};
pub use registry::{prepare, register_all, register_dialects, register_passes};
pub use tfx_copy_analysis::{CopyAnalysisOptions, Mode, Row, Switch, Traffic, Transfer, Work};
pub use tfx_deabstraction::{
    DeabstractOptions, Dynamic, DynamicOptions, InliningOptions, UnrollingOptions,
};
pub use tfx_ir::options::OptionValue;
pub use tfx_ir::{diag, location};
pub use tfx_lowering::{InferShapesOptions, Shapes};
pub use tfx_runtime as runtime;
