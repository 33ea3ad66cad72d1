//! The protocol verifier: a proof that a host program and its graph fit, from the two alone.
//!
//! The pass is [`VerifyProtocol`].

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
mod reject;
mod same;
mod stuck;
mod terms;
mod verify_protocol;

pub use verify_protocol::{VerifyProtocol, VerifyProtocolOptions};

/// Makes the pass known to pipelines.
pub fn register() {
    tfx_ir::pass::register::<VerifyProtocol>();
}
