//! Partition: splits a structured function into a host program and a graph.
//!
//! The pass is [`Partition`]. Before it, [`DelayEffects`] delays effects by an iteration, so that
//! loaders of other states run ahead; after it, [`PackScalars`] combines scalars that cross
//! together into one message. `tfx_dialects::replicable` lists the operations that both sides
//! compute with the same result; graph lowering uses the same list.

#![forbid(unsafe_code)]

mod alternatives;
mod arms;
mod check;
pub mod check_accelerator_only;
mod choose;
mod cut;
pub mod delay_effects;
mod demand;
mod emit;
mod emit_graph;
mod emit_host;
mod facts;
mod failing;
mod first_iteration;
mod function;
mod graph_functions;
mod handles;
mod hoist;
mod invariants;
mod markers;
mod marks;
mod motion;
mod network;
mod origins;
pub mod pack_scalars;
pub mod partition;
mod place;
mod print_plan;
mod read;
mod shared_functions;
mod side;
mod weight;
mod writes;

#[cfg(test)]
mod cut_tests;

pub use check_accelerator_only::CheckAcceleratorOnly;
pub use delay_effects::DelayEffects;
pub use pack_scalars::PackScalars;
pub use partition::{Partition, PartitionOptions};

/// Registers the passes of this family.
pub fn register() {
    tfx_ir::pass::register::<CheckAcceleratorOnly>();
    tfx_ir::pass::register::<DelayEffects>();
    tfx_ir::pass::register::<Partition>();
    tfx_ir::pass::register::<PackScalars>();
}
