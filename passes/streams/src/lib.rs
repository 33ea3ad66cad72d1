//! The verifier of stream schedules.
//!
//! [`VerifySchedule`] proves that the schedules of a module, in the dialect `tfx_stream`, have no
//! race, no use after free and no deadlock, and that reads find the values that they name.
//!
//! ```text
//!   verify_schedule   the pass
//!     access          accesses that parameters exclude
//!     parts           the call graph: each part after those that it calls
//!     feed            commands of the IR to those of tfx-schedule
//!       names         SSA values to streams, buffers, events and values, and back
//!     explain         problems of tfx-schedule to diagnostics
//! ```

#![forbid(unsafe_code)]

mod access;
mod explain;
mod feed;
mod names;
mod parts;
pub mod verify_schedule;

pub use verify_schedule::{VerifySchedule, VerifyScheduleOptions};

/// Registers the passes for pipelines.
pub fn register() {
    tfx_ir::pass::register::<VerifySchedule>();
}
