//! MLIR to GraphDef, and back ([`mod@import`]).
//!
//! ```text
//! tfx_tensor.graph @train.graph(...)            GraphDef
//!   channels [...]                                train_graph/arg_0, train_graph/channel_0, ..., train_graph/call
//!   tfx_tensor.op, const, send, recv              library:
//!   tfx_tensor.while { ... } do { ... }             train_graph                        one function for each program,
//!                                                   train_graph_..._While_condition    for each region,
//!                                                   train_graph_..._While_body
//!   tfx_tensor.call @helper                         helper                             for each graph that is called
//! ```
//!
//! The input is what `tfx-legalize-graph` leaves. `docs/program-image.md` (section 1) is the contract of the output. Per file: [`types`],
//! [`tensors`] and [`attributes`] translate what they are named after, [`operations`] checks one operation against the registry,
//! [`channels`] reads the channels of a graph, [`eager`] makes a program of one operation, [`effects`] says what must keep its order, and [`Exporter`] puts it all together.
//!
//! Linear in the size of the IR and of the GraphDef; nothing recurses on the program.

pub mod attributes;
pub mod captures;
pub mod channels;
pub mod eager;
pub mod effects;
pub mod import;
pub mod operations;
pub mod tensors;
pub mod types;

mod export;
mod ffi;
mod function;
mod node;
mod program;
#[cfg(test)]
mod testing;

pub use export::{Exporter, export_module, export_program};
