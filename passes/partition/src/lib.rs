//! Partition: from one structured function to a host program and a graph.
//!
//! The pass is [`Partition`]. Before it, [`DelayEffects`] lets loaders run ahead of effects of other states; behind it,
//! [`PackScalars`] puts scalars that cross together into one message. `tfx_dialects::replicable` is the list of what both sides
//! compute alike, which graph lowering must know too.

mod accelerator_only;
mod arms;
mod choose;
mod cut;
mod delay_effects;
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
mod marks;
mod network;
mod origins;
mod pack_scalars;
mod partition;
mod place;
mod print_plan;
mod read;
mod shared_functions;
mod weight;
mod writes;

#[cfg(test)]
mod cut_tests;

pub use accelerator_only::CheckAcceleratorOnly;
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
