//! Schedules of other systems: their known bugs, and the cases of their tests.
//!
//! The facts come from the sources that each module names; the schedules are written for tfx.

mod allocators;
mod cusan;
mod iree;
mod nnc;
mod pytorch;
mod rings;
#[path = "../support/mod.rs"]
mod support;
mod torchgpipe;

use support::script::{SIZE, Script};
use tfx_schedule::{
    Agent, BufferId, Builder, Device, DeviceId, EventId, Lifetime, Names, Rule, Space, Trips, read,
    read_any, write, write_any,
};

fn events(events: &[EventId]) -> Names {
    Names {
        events: events.to_vec(),
        ..Names::default()
    }
}

/// Host code in the order of its own thread.
#[test]
fn the_host_is_ordered_with_itself() {
    let mut script = Script::after(Builder::new(), 1, 1, Space::Pageable);
    script.host("write", &[], &[0]);
    script.host("read", &[0], &[]);
    let agent = Agent::Host;
    let root = script.b.root(SIZE, Space::Pageable, Lifetime::Managed);
    let slice = script.b.slice(root, 0, SIZE);
    script.b.alloc("alloc".to_string(), agent, slice);
    script.b.host("use".to_string(), &[write_any(slice)]);
    script.b.free("free".to_string(), agent, slice);
    script.accepted();
}
