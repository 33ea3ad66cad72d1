//! The runtime of compiled programs: the functions that host code calls, and the executors of
//! graphs.
//!
//! ```text
//! host code ──C ABI (ffi)──► program ──Executor──┬─► embedded    a thread with the interpreter
//!   main ───► entry           │                  └─► tensorflow  a session, loaded on demand
//!   process ► activation      │
//!                             ├─ operation       eager operations, cached
//!                             ├─ queue           results that a thread computes ahead
//!                             ├─ parallel        threads for the parts of native code
//!                             ├─ schedule        functions of graphs on several streams
//!                             ├─ shutdown        cancels programs and queues at the end
//!                             └─ stats, trace    measurements; injection: failures for tests
//! ```
//!
//! `docs/program-image.md` is the contract with the compiler. A failing graph wakes every host
//! thread that waits for it. A failure that host code cannot handle cancels all running programs,
//! and ends the process with exit code 1.

#![deny(unsafe_code)]

pub mod activation;
pub mod devices;
pub mod entry;
pub mod executor;
pub mod failure;
#[allow(unsafe_code, reason = "the module states its contract")]
pub mod ffi;
pub mod format;
pub mod image;
pub mod injection;
pub mod npy;
pub mod operation;
pub mod parallel;
pub mod program;
pub mod queue;
mod schedule;
pub mod shutdown;
pub mod stats;
pub mod trace;

pub use executor::{ExecutorKind, Launch};
pub use failure::{Failure, FailureKind};
pub use ffi::abi_native::vector_bytes;
pub use image::{Channel, Direction, Image};
pub use program::Program;
pub use tfx_interpreter::{Bool, DType, Elements, Tensor, WORTH_SHARING, is_shareable};
