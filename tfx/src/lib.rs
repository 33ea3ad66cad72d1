//! tfx as a library, for embedding in another compiler or tool.
//!
//! tfx takes one imperative program that mixes host code with tensor code, and splits it into two
//! programs that run concurrently: a TensorFlow graph, and native host code that starts the graph
//! and exchanges values with it. The tools `tfx-opt`, `tfxc` and `tfx-translate` are front ends of
//! this crate.
//!
//! ```text
//!   Source::parse   (text) ─────┐             ┌─ extract ──> Extraction: graphs, channels, copies
//!   Program::new    (module) ───┼─> Program ──┼─ compile ──> Compiled: LLVM dialect ──> Jit, emit
//!   Program::import (GraphDef) ─┘             ├─ load ─────> run::Executable: calls in this process
//!                                             ├─ compile_graph ──> graph_def ──> GraphDef
//!                                             └─ interpret ──> the reference interpreter
//! ```
//!
//! | Task | Items |
//! |---|---|
//! | Register dialects and passes | [`prepare`], [`register_dialects`], [`register_passes`] |
//! | Build a program | [`program::Builder`], with the views in [`dialects`] and [`ir::ops`] |
//! | Obtain a program | [`Source::parse`], [`Program::new`], [`Program::import`] |
//! | Choose options | [`options`], [`Program::with_options`] |
//! | Run a pass pipeline | [`Program::run`], [`pipelines`] |
//! | Split a program into host and graphs | [`Program::extract`], [`program::Extraction`] |
//! | Export the graphs for TensorFlow | [`Program::compile_graph`], [`Program::graph_def`] |
//! | Call functions of the program in this process | [`Program::load`], [`run`] |
//! | Run one operation at once | [`eager`] |
//! | Generate machine code | [`Program::compile`], [`codegen`] |
//! | Execute IR of any stage | [`Program::interpret`] |
//! | Print diagnostics and reports of copies | [`report::render`], [`report`] |
//! | Explain the sides of an operation | [`mod@explain`] |
//! | Create a project | [`starter`] |
//!
//! # Embedding
//!
//! The MLIR context belongs to the caller and may contain other dialects. [`prepare`] appends the
//! dialects of tfx and of upstream to the registry of the context, and registers the passes. A
//! compiler that registers upstream's passes itself calls [`register_dialects`] and
//! [`register_passes`] instead.
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
//! assert_eq!(graph.inputs, [melior::ir::Type::parse(&context, "tensor<4xf32>").unwrap()]);
//! assert_eq!((graph.results.len(), graph.channels.len()), (1, 2));
//! assert!(graph.channels[0].to_host && !graph.channels[1].to_host);
//!
//! // The value goes to the host and comes back: one warning, as data.
//! assert_eq!(extraction.diagnostics.len(), 1);
//! assert_eq!(extraction.diagnostics[0].place.as_ref().unwrap().line, 5);
//! # Ok::<(), tfx::Error>(())
//! ```
//!
//! # Execution in memory
//!
//! [`Program::compile`] lowers the program to the LLVM dialect, and [`codegen::Jit`] compiles that
//! to machine code. The graphs run on the embedded executor, unless `TFX_EXECUTOR` or
//! [`runtime::program::set_executor`] selects TensorFlow.
//!
//! ```
//! use melior::Context;
//! use tfx::runtime::{Tensor, format};
//! use tfx::codegen::{Jit, OptimizationLevel};
//! use tfx::Source;
//!
//! let context = Context::new();
//! tfx::prepare(&context);
//! let text = r#"
//! func.func @double(%x: tensor<2xf32>) -> tensor<2xf32> {
//!   %y = tfx_tensor.op "AddV2"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
//!   return %y : tensor<2xf32>
//! }"#;
//! let compiled = Source::new("double.mlir", text).parse(&context)?.compile(None)?;
//!
//! let jit = Jit::new(compiled.module(), &[], OptimizationLevel::default())?;
//! let argument = Tensor::build(&[2], |elements: &mut [f32]| elements.fill(1.5)).unwrap();
//! let results = (jit.entry()?.call)(vec![argument])?;
//! assert_eq!(format::tensor(&results[0]), "[3. 3.]");
//! # Ok::<(), tfx::Error>(())
//! ```
//!
//! # Errors
//!
//! Diagnostics of the parser and of the passes are returned as data with source locations
//! ([`diag::Collected`]); nothing is printed. A function that fails returns an [`Error`] with all
//! diagnostics, including warnings that precede the error. Its [`ErrorKind`] distinguishes an
//! invalid program from a missing file or a failed run. Programs of users cause errors, not panics;
//! an error of the kind [`ErrorKind::Internal`] is a bug in tfx.

/// The page on embedding, whose example is executed.
#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
struct Embedding;

mod error;
mod ffi;
mod registry;

pub mod codegen;
pub mod eager;
pub mod explain;
pub mod files;
pub mod interpret;
pub mod options;
pub mod pipelines;
pub mod program;
pub mod progress;
pub mod report;
pub mod run;
pub mod starter;

/// The version of tfx, and that of the LLVM and MLIR that it is built with: `0.1.0 (LLVM 22.1.8)`.
pub const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (LLVM ",
    env!("TFX_LLVM_VERSION"),
    ")"
);

pub use error::{Error, ErrorKind};
pub use program::{Program, Source};
pub use registry::{prepare, register_all, register_dialects, register_passes};
pub use tfx_dialects as dialects;
pub use tfx_ir as ir;
pub use tfx_ir::{diag, location};
pub use tfx_runtime as runtime;
