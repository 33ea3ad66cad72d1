//! Stream schedules: events, streams and memory, and the verifier.
//!
//! [`VerifySchedule`] proves that the schedules of a module, in the dialect `tfx_stream`, have no
//! race, no use after free and no deadlock, and that reads find the values that they name.
//! [`BufferizeStreams`] makes schedules of graphs, [`AssignStreams`] chooses the streams of
//! commands, [`Overlap`] lets iterations of loops overlap, [`InsertEvents`] adds events,
//! [`PlanMemory`] places buffers in arenas, which [`VerifyMemory`] checks, and [`LowerStreams`]
//! encodes the result.
//! [`PlaceGraphs`] finds the places of the operations of graphs, and [`Offload`] chooses them.
//! [`Pipeline`] lets iterations overlap on several devices.
//! [`SimulateStreams`] estimates the time of a schedule, and [`describe()`] returns all of this as
//! data, for reports.
//!
//! ```text
//!   place             places of operations, from the copies between them
//!     places          places of the operations of a block
//!   offload           operations that a device runs for the host, by tfx-order
//!     times           estimates of the times of operations
//!   bufferize_streams schedules of parts of graphs, with kernels by tfx-order
//!   assign_streams    streams, by tfx-order
//!   overlap           rings of buffers, so that iterations of a loop overlap
//!   pipeline          iterations that overlap on several devices, by tfx-order
//!     chain           the loop of a pipeline, unrolled
//!   insert_events     events, by tfx-order
//!     iteration       iteration arguments that a pass adds
//!   plan_memory       offsets, by tfx-order and tfx-memory
//!   lower_streams     command lists, by tfx-commands
//!   simulate_streams  times of finished schedules, by tfx-order
//!     texts           words of remarks
//!   describe          finished schedules as data
//!   verify_memory     the verifier of offsets
//!   verify_schedule   the verifier of schedules
//!     access          accesses that parameters exclude
//!     parts           the call graph: each part after those that it calls
//!     feed            commands of the IR to those of tfx-schedule
//!       names         SSA values to streams, buffers, events and values, and back
//!     explain         problems of tfx-schedule to diagnostics
//! ```

#![forbid(unsafe_code)]

mod access;
pub mod assign_streams;
pub mod bufferize_streams;
mod costs;
pub mod describe;
mod explain;
mod feed;
pub mod insert_events;
mod iteration;
pub mod lower_streams;
mod names;
pub mod offload;
pub mod overlap;
mod parts;
pub mod pipeline;
pub mod place;
mod places;
pub mod plan_memory;
pub mod simulate_streams;
mod texts;
mod times;
pub mod verify_memory;
pub mod verify_schedule;

pub use assign_streams::{AssignStreams, AssignStreamsOptions};
pub use bufferize_streams::{BufferizeStreams, BufferizeStreamsOptions};
pub use describe::{Description, describe};
pub use insert_events::InsertEvents;
pub use lower_streams::LowerStreams;
pub use offload::{Offload, OffloadOptions, OffloadTo};
pub use overlap::{Overlap, OverlapOptions};
pub use pipeline::{Pipeline, PipelineOptions, PipelineSchedule};
pub use place::{PlaceGraphs, PlaceOptions};
pub use plan_memory::{PlanMemory, PlanMemoryOptions};
pub use simulate_streams::{SimulateStreams, SimulateStreamsOptions};
pub use verify_memory::{VerifyMemory, VerifyMemoryOptions};
pub use verify_schedule::{VerifySchedule, VerifyScheduleOptions};

/// Registers the passes for pipelines.
pub fn register() {
    tfx_ir::pass::register::<AssignStreams>();
    tfx_ir::pass::register::<BufferizeStreams>();
    tfx_ir::pass::register::<InsertEvents>();
    tfx_ir::pass::register::<LowerStreams>();
    tfx_ir::pass::register::<Offload>();
    tfx_ir::pass::register::<Overlap>();
    tfx_ir::pass::register::<Pipeline>();
    tfx_ir::pass::register::<PlaceGraphs>();
    tfx_ir::pass::register::<PlanMemory>();
    tfx_ir::pass::register::<SimulateStreams>();
    tfx_ir::pass::register::<VerifyMemory>();
    tfx_ir::pass::register::<VerifySchedule>();
}
