//! The command list of bytes.
//!
//! Nothing in the bytes is trusted: a kind that does not exist, a length beyond the end, or bodies
//! that nest too deep are errors, and so is a loop without the decisions that it names. Other names
//! are not checked here, but by the checker, which [`crate::Verified::new`] runs.

use tfx_schedule::{
    Access, Agent, Body, Branch, Buffer, BufferId, Call, Command, CommandId, Device, DeviceId,
    Event, EventId, Lifetime, Loop, MAX_DEPTH, Mode, Names, Op, Part, PartId, Root, RootId,
    Schedule, Space, Stream, StreamId, Trips, Value, ValueId, Work,
};
use thiserror::Error;

use crate::bytes::Reader;
use crate::decisions;
use crate::encode::HEAD;
use crate::list::{CommandList, Detail};

/// Bytes that are no command list.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes start otherwise.
    #[error("expected a command list of version 1")]
    Head,
    /// A part of the bytes is not as expected.
    #[error("expected {expected} at byte {position} of a command list")]
    Invalid {
        /// The position, from the start of the list without its head.
        position: usize,
        /// The expected part.
        expected: &'static str,
    },
    /// A loop has no decision, or a detail belongs to another command.
    #[error("expected {expected} at command {command} of a command list")]
    Decision {
        /// The number of the command.
        command: u32,
        /// The expected command.
        expected: &'static str,
    },
}

type Decoded<T> = Result<T, DecodeError>;

impl CommandList {
    /// Returns the list of bytes.
    ///
    /// # Errors
    ///
    /// The bytes are not those of a list.
    pub fn decode(bytes: &[u8]) -> Decoded<Self> {
        let bytes = bytes.strip_prefix(HEAD).ok_or(DecodeError::Head)?;
        let mut reader = Reader::new(bytes);
        let reader = &mut reader;
        let devices = reader.list(|reader| match reader.number()? {
            0 => Ok(Device::Cpu),
            1 => Ok(Device::Cuda),
            _ => Err(reader.error("a kind of device")),
        })?;
        let places = reader.list(|reader| match reader.number()? {
            0 => Ok(Detail::None),
            1 => Ok(Detail::Kernel(reader.text()?)),
            2 => Ok(Detail::Fill(reader.slice()?.to_vec())),
            3 => Ok(Detail::Decide),
            4 => Ok(Detail::Decided {
                first: CommandId(reader.small()?),
                next: CommandId(reader.small()?),
            }),
            5 => Ok(Detail::Chosen(CommandId(reader.small()?))),
            _ => Err(reader.error("a kind of detail")),
        })?;
        let parts = reader.list(part)?;
        if !reader.is_at_end() {
            return Err(reader.error("the end"));
        }
        let schedule = Schedule {
            devices,
            parts,
            places,
        };
        decisions::check(&schedule)?;
        Ok(Self::new(schedule))
    }
}

fn part(reader: &mut Reader<'_>) -> Decoded<Part> {
    Ok(Part {
        name: reader.text()?,
        streams: reader.list(|reader| {
            Ok(Stream {
                device: DeviceId(reader.small()?),
                is_legacy: flag(reader)?,
            })
        })?,
        roots: reader.list(|reader| {
            Ok(Root {
                size: reader.number()?,
                space: space(reader)?,
                lifetime: match flag(reader)? {
                    false => Lifetime::External,
                    true => Lifetime::Managed,
                },
            })
        })?,
        buffers: reader.list(buffer)?,
        events: reader.list(|reader| {
            Ok(Event {
                device: DeviceId(reader.small()?),
            })
        })?,
        values: reader.small()?,
        parameters: names(reader)?,
        body: body(reader, 0)?,
    })
}

fn flag(reader: &mut Reader<'_>) -> Decoded<bool> {
    match reader.number()? {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(reader.error("0 or 1")),
    }
}

fn space(reader: &mut Reader<'_>) -> Decoded<Space> {
    match reader.number()? {
        0 => Ok(Space::Pageable),
        1 => Ok(Space::Pinned),
        2 => Ok(Space::Device(DeviceId(reader.small()?))),
        _ => Err(reader.error("a kind of memory space")),
    }
}

fn buffer(reader: &mut Reader<'_>) -> Decoded<Buffer> {
    match reader.number()? {
        0 => Ok(Buffer::Slice {
            root: RootId(reader.small()?),
            offset: reader.number()?,
            size: reader.number()?,
        }),
        1 => Ok(Buffer::View {
            of: BufferId(reader.small()?),
            offset: reader.number()?,
            size: reader.number()?,
        }),
        2 => Ok(Buffer::Bound {
            size: reader.number()?,
            space: space(reader)?,
        }),
        _ => Err(reader.error("a kind of buffer")),
    }
}

fn names(reader: &mut Reader<'_>) -> Decoded<Names> {
    Ok(Names {
        events: reader.list(|reader| Ok(EventId(reader.small()?)))?,
        buffers: reader.list(|reader| Ok(BufferId(reader.small()?)))?,
        values: reader.list(|reader| Ok(ValueId(reader.small()?)))?,
    })
}

fn body(reader: &mut Reader<'_>, depth: usize) -> Decoded<Body> {
    if depth > MAX_DEPTH {
        return Err(reader.error("bodies that are nested less deep"));
    }
    Ok(Body {
        commands: reader.list(|reader| {
            Ok(Command {
                id: CommandId(reader.small()?),
                op: op(reader, depth)?,
            })
        })?,
        yields: names(reader)?,
    })
}

fn agent(reader: &mut Reader<'_>) -> Decoded<Agent> {
    Ok(match reader.small()?.checked_sub(1) {
        None => Agent::Host,
        Some(stream) => Agent::Stream(StreamId(stream)),
    })
}

fn op(reader: &mut Reader<'_>, depth: usize) -> Decoded<Op> {
    Ok(match reader.number()? {
        0 => Op::Work {
            agent: agent(reader)?,
            kind: match reader.number()? {
                0 => Work::Kernel,
                1 => Work::Copy,
                2 => Work::Fill,
                3 => Work::HostFunction,
                4 => Work::Host,
                5 => Work::Input,
                _ => return Err(reader.error("a kind of work")),
            },
            accesses: reader.list(access)?,
        },
        1 => Op::Record {
            agent: agent(reader)?,
            event: EventId(reader.small()?),
        },
        2 => Op::Wait {
            agent: agent(reader)?,
            events: reader.list(|reader| Ok(EventId(reader.small()?)))?,
        },
        3 => Op::Alloc {
            agent: agent(reader)?,
            buffer: BufferId(reader.small()?),
        },
        4 => Op::Free {
            agent: agent(reader)?,
            buffer: BufferId(reader.small()?),
        },
        5 => {
            let is_unknown = flag(reader)?;
            let trips = reader.number()?;
            Op::Loop(Box::new(Loop {
                trips: match is_unknown {
                    false => Trips::Exactly(trips),
                    true => Trips::AtLeast(trips),
                },
                arguments: names(reader)?,
                initial: names(reader)?,
                results: names(reader)?,
                body: body(reader, depth + 1)?,
            }))
        }
        6 => Op::Branch(Box::new(Branch {
            results: names(reader)?,
            arms: reader.list(|reader| body(reader, depth + 1))?,
        })),
        7 => Op::Call(Box::new(Call {
            part: PartId(reader.small()?),
            streams: reader.list(|reader| Ok(StreamId(reader.small()?)))?,
            arguments: names(reader)?,
            results: names(reader)?,
        })),
        _ => return Err(reader.error("a kind of command")),
    })
}

fn access(reader: &mut Reader<'_>) -> Decoded<Access> {
    Ok(Access {
        buffer: BufferId(reader.small()?),
        mode: match reader.number()? {
            0 => Mode::Read,
            1 => Mode::Write,
            2 => Mode::Scratch,
            _ => return Err(reader.error("an access mode")),
        },
        value: match reader.small()?.checked_sub(1) {
            None => None,
            Some(id) => Some(Value {
                id: ValueId(id),
                offset: reader.number()?,
            }),
        },
    })
}
