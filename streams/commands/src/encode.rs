//! The bytes of a command list.
//!
//! ```text
//!   "tfxs" 1   devices   details by command   parts
//!                                             part: name streams roots buffers events values
//!                                                   parameters body
//!                                             body: commands, names of results
//!                                             command: number, kind, fields
//! ```
//!
//! All numbers are LEB128. The kinds have the numbers below; [`crate::decode`] has the same ones.

use tfx_schedule::{
    Access, Agent, Body, Buffer, Device, Lifetime, Mode, Names, Op, Part, Space, Trips, Work,
};

use crate::bytes::Writer;
use crate::list::{CommandList, Detail};

/// The first bytes, with the version of the format.
pub(crate) const HEAD: &[u8] = b"tfxs\x01";

impl CommandList {
    /// Returns the list as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.bytes.extend_from_slice(HEAD);
        let schedule = self.schedule();
        writer.list(&schedule.devices, |writer, device| {
            writer.number(match device {
                Device::Cpu => 0,
                Device::Cuda => 1,
            });
        });
        writer.list(&schedule.places, |writer, detail| match detail {
            Detail::None => writer.number(0),
            Detail::Kernel(name) => {
                writer.number(1);
                writer.slice(name.as_bytes());
            }
            Detail::Fill(bytes) => {
                writer.number(2);
                writer.slice(bytes);
            }
            Detail::Decide => writer.number(3),
            Detail::Decided { first, next } => {
                writer.number(4);
                writer.number(first.0.into());
                writer.number(next.0.into());
            }
            Detail::Chosen(by) => {
                writer.number(5);
                writer.number(by.0.into());
            }
        });
        writer.list(&schedule.parts, part);
        writer.bytes
    }
}

fn part(writer: &mut Writer, part: &Part) {
    writer.slice(part.name.as_bytes());
    writer.list(&part.streams, |writer, stream| {
        writer.number(stream.device.0.into());
        writer.number(stream.is_legacy.into());
    });
    writer.list(&part.roots, |writer, root| {
        writer.number(root.size);
        space(writer, root.space);
        writer.number(match root.lifetime {
            Lifetime::External => 0,
            Lifetime::Managed => 1,
        });
    });
    writer.list(&part.buffers, |writer, buffer| match *buffer {
        Buffer::Slice { root, offset, size } => {
            writer.number(0);
            writer.number(root.0.into());
            writer.number(offset);
            writer.number(size);
        }
        Buffer::View { of, offset, size } => {
            writer.number(1);
            writer.number(of.0.into());
            writer.number(offset);
            writer.number(size);
        }
        Buffer::Bound { size, space: kind } => {
            writer.number(2);
            writer.number(size);
            space(writer, kind);
        }
    });
    writer.list(&part.events, |writer, event| {
        writer.number(event.device.0.into())
    });
    writer.number(part.values.into());
    names(writer, &part.parameters);
    body(writer, &part.body);
}

fn space(writer: &mut Writer, space: Space) {
    match space {
        Space::Pageable => writer.number(0),
        Space::Pinned => writer.number(1),
        Space::Device(device) => {
            writer.number(2);
            writer.number(device.0.into());
        }
    }
}

fn names(writer: &mut Writer, names: &Names) {
    writer.list(&names.events, |writer, name| writer.number(name.0.into()));
    writer.list(&names.buffers, |writer, name| writer.number(name.0.into()));
    writer.list(&names.values, |writer, name| writer.number(name.0.into()));
}

/// Writes a body. The depth is that of loops and branches, which the builder limits.
fn body(writer: &mut Writer, inner: &Body) {
    writer.list(&inner.commands, |writer, command| {
        writer.number(command.id.0.into());
        op(writer, &command.op);
    });
    names(writer, &inner.yields);
}

fn agent(writer: &mut Writer, agent: Agent) {
    match agent {
        Agent::Host => writer.number(0),
        Agent::Stream(stream) => writer.number(u64::from(stream.0) + 1),
    }
}

fn op(writer: &mut Writer, op: &Op) {
    match op {
        Op::Work {
            agent: by,
            kind,
            accesses,
        } => {
            writer.number(0);
            agent(writer, *by);
            writer.number(match kind {
                Work::Kernel => 0,
                Work::Copy => 1,
                Work::Fill => 2,
                Work::HostFunction => 3,
                Work::Host => 4,
                Work::Input => 5,
            });
            writer.list(accesses, access);
        }
        Op::Record { agent: by, event } => {
            writer.number(1);
            agent(writer, *by);
            writer.number(event.0.into());
        }
        Op::Wait { agent: by, events } => {
            writer.number(2);
            agent(writer, *by);
            writer.list(events, |writer, event| writer.number(event.0.into()));
        }
        Op::Alloc { agent: by, buffer } => {
            writer.number(3);
            agent(writer, *by);
            writer.number(buffer.0.into());
        }
        Op::Free { agent: by, buffer } => {
            writer.number(4);
            agent(writer, *by);
            writer.number(buffer.0.into());
        }
        Op::Loop(inner) => {
            writer.number(5);
            let (kind, trips) = match inner.trips {
                Trips::Exactly(trips) => (0, trips),
                Trips::AtLeast(trips) => (1, trips),
            };
            writer.number(kind);
            writer.number(trips);
            names(writer, &inner.arguments);
            names(writer, &inner.initial);
            names(writer, &inner.results);
            body(writer, &inner.body);
        }
        Op::Branch(branch) => {
            writer.number(6);
            names(writer, &branch.results);
            writer.list(&branch.arms, body);
        }
        Op::Call(call) => {
            writer.number(7);
            writer.number(call.part.0.into());
            writer.list(&call.streams, |writer, stream| {
                writer.number(stream.0.into())
            });
            names(writer, &call.arguments);
            names(writer, &call.results);
        }
    }
}

fn access(writer: &mut Writer, access: &Access) {
    writer.number(access.buffer.0.into());
    writer.number(match access.mode {
        Mode::Read => 0,
        Mode::Write => 1,
        Mode::Scratch => 2,
    });
    match access.value {
        None => writer.number(0),
        Some(value) => {
            writer.number(u64::from(value.id.0) + 1);
            writer.number(value.offset);
        }
    }
}
