//! Conversion between MLIR and GraphDef: [`Exporter`] and [`mod@import`].
//!
//! ```text
//! tfx_tensor.graph @train.graph(...)     GraphDef
//!   channels [...]                         train_graph/arg_0, train_graph/channel_0,
//!                                          ..., train_graph/call
//!   tfx_tensor.op, const, send, recv       library:
//!   tfx_tensor.while { ... } do { ... }      train_graph                      one function for
//!                                            train_graph_..._While_condition    each program,
//!                                            train_graph_..._While_body         each region,
//!   tfx_tensor.call @helper                  helper                             each called graph
//! ```
//!
//! The input is the output of `tfx-legalize-graph`. `docs/program-image.md` (section 1) specifies
//! the output. [`types`], [`tensors`] and [`attributes`] convert these parts, [`operations`] checks
//! an operation against the registry, [`channels`] reads the channels of a graph, [`eager`] builds
//! a program of one operation, [`effects`] determines which operations keep their order, and
//! [`clusters`] outlines the parts of graphs that are compiled.
//!
//! Both directions are linear in the size of the IR and of the GraphDef, and do not recurse on the
//! program.

pub mod attributes;
pub mod captures;
pub mod channels;
pub mod clusters;
pub mod eager;
pub mod effects;
pub mod error;
pub mod import;
pub mod operations;
pub mod tensors;
pub mod types;

mod context;
mod export;
mod ffi;
mod function;
mod node;
mod program;
#[cfg(test)]
mod testing;

pub use export::{Exporter, export_module};
