//! The verifiers of channel protocols and queues.
//!
//! [`VerifyProtocol`] verifies a host program against its graph, from these two alone.
//! [`VerifyQueues`] verifies the queues of a host function.
//!
//! ```text
//!   verify_protocol   the pass
//!     project         the events of both sides, and lifetime
//!     match_sides     the joint schedule: scheduler, schedule_errors, cancellation
//!     functions       equal values: equivalence, terms, packed
//!     bounds          the occupancy of channels, recorded by certificate
//!   verify_queues     the pass: queue_flow, accesses
//! ```

#![forbid(unsafe_code)]

mod accesses;
mod bounds;
mod cancellation;
mod certificate;
mod channels;
mod equivalence;
mod events;
mod functions;
mod lifetime;
mod match_sides;
mod packed;
mod project;
mod queue_flow;
mod schedule;
mod schedule_errors;
mod scheduler;
mod terms;
pub mod verify_protocol;
pub mod verify_queues;

pub use verify_protocol::{VerifyProtocol, VerifyProtocolOptions};
pub use verify_queues::VerifyQueues;

/// Registers the passes for pipelines.
pub fn register() {
    tfx_ir::pass::register::<VerifyProtocol>();
    tfx_ir::pass::register::<VerifyQueues>();
}
