//! The protocol verifier: a proof that a host program and its graph fit, from the two alone.
//!
//! The pass is [`VerifyProtocol`]; [`VerifyQueues`] proves the queues of a host program.

#![forbid(unsafe_code)]

mod accesses;
mod bounds;
mod cancelled;
mod certificate;
mod channels;
mod code;
mod lists;
mod lives;
mod meet;
mod packed;
mod project;
mod queue_flow;
mod reject;
mod same;
mod stuck;
mod terms;
mod verify_protocol;
mod verify_queues;

pub use verify_protocol::{VerifyProtocol, VerifyProtocolOptions};
pub use verify_queues::VerifyQueues;

/// Makes the passes known to pipelines.
pub fn register() {
    tfx_ir::pass::register::<VerifyProtocol>();
    tfx_ir::pass::register::<VerifyQueues>();
}
