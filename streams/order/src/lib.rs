//! The order of commands on streams: dependences, events, streams and lifetimes.
//!
//! ```text
//!   Schedule ──► dependences ──► events ──► insert          the fewest waits
//!                layout, memory
//!                     ├────────► streams                    the streams of commands
//!                     │          graph
//!                     └────────► lifetimes ──► arenas       the offsets of buffers
//!   iterations of a loop ──► pipeline                       their order on several devices
//!   times of operations ──► offload                         those that a device runs
//!   finished schedule ──► issue ──► simulate                the times of commands
//! ```
//!
//! The order of issue is the order of the program: commands that access the same bytes, one of them
//! as a write, keep it. [`events()`] returns the waits that a schedule needs for this, [`insert()`]
//! adds them, and `tfx-schedule` proves the result: the two crates share the form of schedules and
//! no other code. [`kernels()`] groups the operations of a graph into the kernels that commands
//! run. [`simulate()`] executes a finished schedule on devices with a virtual clock. [`pipeline()`]
//! returns an order for the iterations of a loop whose stages are on several devices. [`offload()`]
//! divides operations between the host and a device.
//!
//! ```
//! use tfx_schedule::{Builder, Device, Names, Space, check, read, write};
//!
//! let mut b = Builder::new();
//! let gpu = b.device(Device::Cuda);
//! b.begin_part("main");
//! let [s0, s1] = [b.stream(gpu), b.stream(gpu)];
//! let buffer = b.buffer(64, Space::Device(gpu));
//! let value = b.value();
//! b.launch("producer", s0, &[write(buffer, value)]);
//! b.launch("consumer", s1, &[read(buffer, value)]);
//! b.end_part(Names::default());
//! let schedule = b.finish()?;
//! assert!(!check(&schedule).is_verified());
//!
//! let waits = tfx_order::events(&schedule)?;
//! assert_eq!(waits.len(), 1);
//! assert!(check(&tfx_order::insert(&schedule, &waits)).is_verified());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Not guaranteed.** That the values which commands name are those of the order of issue: the
//! checker decides about that.

#![forbid(unsafe_code)]

mod arenas;
mod dependences;
mod events;
mod graph;
mod insert;
mod issue;
mod kernels;
mod layout;
mod lifetimes;
mod memory;
mod offload;
mod pipeline;
mod simulate;
mod streams;

use tfx_schedule::CommandId;
use thiserror::Error;

pub use arenas::{Arena, Unplannable, arenas};
pub use events::{Wait, events};
pub use insert::{insert, strip};
pub use kernels::{Grouping, Operation, kernels};
pub use lifetimes::{Level, Member, Of, lifetimes};
pub use offload::{Division, Movable, Moved, offload};
pub use pipeline::{Batch, Microbatches, Pipeline, PipelineRule, Unpipelined, pipeline, recompute};
pub use simulate::{
    Arrow, LinkTimes, Model, SimulationError, Span, StreamTimes, Timeline, Usage, simulate,
};
pub use streams::{Assigned, Costs, streams};

/// A schedule that cannot be ordered.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// The buffers of a loop do not return to the places of an earlier iteration soon enough.
    #[error("the buffers of a loop do not return to their places within 256 iterations")]
    Ring(CommandId),
}
