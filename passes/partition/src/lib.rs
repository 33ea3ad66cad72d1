//! Partition: from one structured function to a host program and a graph.
//!
//! The pass is [`Partition`]; `tfx_ir::replicable` is the list of what both sides compute alike, which graph lowering must know too.

mod choose;
mod demand;
mod emit;
mod emit_graph;
mod emit_host;
mod facts;
mod function;
mod graph_functions;
mod partition;
mod place;
mod print_plan;
mod read;

pub use partition::{Partition, PartitionOptions};

/// Registers the passes of this family.
pub fn register() {
    tfx_ir::pass::register::<Partition>();
}
