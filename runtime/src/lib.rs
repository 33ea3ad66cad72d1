//! The runtime of compiled programs: what host code calls, and what runs its graphs.
//!
//! ```text
//! host code --C ABI (ffi)--> program --Executor--> embedded    (a thread with the interpreter)
//!   main ---> entry             |              \-> tensorflow  (a session, loaded when first needed)
//!               operation (one by itself, cached)
//!               queue (results that a thread computes ahead)
//!                               +-- stats, trace, failures (and faults: failures on purpose)
//! ```
//!
//! `docs/program-image.md` is the contract with the compiler. A failing graph wakes every host thread that waits for it; a failure
//! that host code cannot handle ends the process with exit code 1, after all running programs are cancelled.

pub mod entry;
pub mod executor;
pub mod failure;
pub mod fault;
pub mod ffi;
pub mod format;
pub mod image;
pub mod npy;
pub mod operation;
pub mod program;
pub mod queue;
pub mod stats;
pub mod trace;

pub use executor::ExecutorKind;
pub use failure::Failure;
pub use image::{Channel, Direction, Image};
pub use program::Program;
pub use tfx_interpreter::{DType, Tensor};
