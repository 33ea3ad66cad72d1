//! Graphs as machine code: clusters of operations become functions of loops over memory.
//!
//! ```text
//!   graphs ──tfx-lower-lists─────> graphs without lists of tensors, as far as their sizes are known
//!          ──tfx-cluster-native──> calls of graphs that can be compiled
//!          ──tfx-lower-kernels───> these graphs, and next to each of them a function in `llvm`,
//!                                  `scf` and `arith`, which the image of the program names
//! ```
//!
//! `operations.rs` states how each operation is compiled; an operation without an entry stays an
//! operation of the graph, which the interpreter runs. Other executors run the outlined graphs as
//! functions.

#![forbid(unsafe_code)]

mod activation;
pub mod cluster_native;
mod einsum;
mod element;
mod elementary;
mod expansions;
mod extent;
pub mod find_device_code;
mod invariants;
pub mod lower_gpu;
pub mod lower_kernels;
pub mod lower_lists;
mod operations;
mod random;
mod scalar;
mod seeds;

pub use cluster_native::{ClusterNative, ClusterNativeOptions};
pub use find_device_code::{FindDeviceCode, FindDeviceCodeOptions};
pub use lower_gpu::{LowerGpu, LowerGpuOptions};
pub use lower_kernels::tasks::TASK_COST;
pub use lower_kernels::{LowerKernels, LowerKernelsOptions};
pub use lower_lists::LowerLists;

/// Registers the passes of this crate.
pub fn register() {
    tfx_ir::pass::register::<ClusterNative>();
    tfx_ir::pass::register::<FindDeviceCode>();
    tfx_ir::pass::register::<LowerGpu>();
    tfx_ir::pass::register::<LowerKernels>();
    tfx_ir::pass::register::<LowerLists>();
}
