//! Diagnostics as data, and their text.
//!
//! ```text
//! V1: unordered accesses of bytes 0..64 of buffer 2 in part 'main': the write at b.mlir:7 on
//! stream 0 and the read at b.mlir:9 on stream 1; record an event on stream 0 after b.mlir:7 and
//! wait for it on stream 1 before b.mlir:9
//! ```
//!
//! A diagnostic names commands by their numbers, so that a front end can find its own objects;
//! [`Diagnostic::display`] inserts the places of a schedule.

use std::fmt;

use crate::model::{Agent, BufferId, CommandId, EventId, PartId, Schedule, StreamId, ValueId};

/// The rule that a schedule violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// V1: conflicting accesses of overlapping bytes are ordered.
    Order,
    /// V2: the allocation of bytes precedes their accesses, which precede their release, which
    /// precedes the next use of the bytes.
    Lifetime,
    /// V3: each read finds the value that the value-level program names.
    Value,
    /// V4: no agents wait for each other.
    Progress,
    /// V5: the host and an asynchronous command do not access the same bytes at the same time.
    Host,
    /// V6: the rules of CUDA.
    Cuda,
    /// The names and sizes of the schedule are consistent.
    Model,
    /// The schedule is within the limits of the checker.
    Limit,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::Order => "V1",
            Rule::Lifetime => "V2",
            Rule::Value => "V3",
            Rule::Progress => "V4",
            Rule::Host => "V5",
            Rule::Cuda => "V6",
            Rule::Model => "malformed schedule",
            Rule::Limit => "not proved",
        })
    }
}

/// The effect of a command on bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Reads them.
    Read,
    /// Writes them.
    Write,
    /// Uses them as workspace.
    Scratch,
    /// Starts their lifetime.
    Alloc,
    /// Ends their lifetime.
    Free,
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Scratch => "use as workspace",
            Effect::Alloc => "allocation",
            Effect::Free => "release",
        })
    }
}

/// One side of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The command, which may be in a part that is called.
    pub command: CommandId,
    /// The agent that executes it, in the part of the diagnostic.
    pub agent: Agent,
    /// The effect.
    pub effect: Effect,
}

/// Bytes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes {
    /// The slice or parameter.
    pub buffer: BufferId,
    /// The first byte, from the start of the root.
    pub start: u64,
    /// The byte after the last one, from the start of the root.
    pub end: u64,
}

/// The content that a read finds instead of the value that it expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Found {
    /// Bytes that no command has written, or workspace.
    Nothing,
    /// Another value, or other bytes of the value, or the value of another iteration.
    Value(ValueId),
    /// A value of a part that is called, or one that depends on the path.
    Unnamed,
    /// Nothing yet: the command that writes the value has not been executed.
    Future,
}

/// A difference between bytes and the lifetime that an access needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LifetimeError {
    /// The bytes are not allocated.
    Dead,
    /// The bytes belong to another buffer, or are allocated twice.
    Other(BufferId),
    /// The bytes are not part of a managed root.
    External,
}

/// An agent that waits indefinitely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Blocked {
    /// The agent.
    pub agent: Agent,
    /// Its wait.
    pub command: CommandId,
    /// The event, of which the record is not executed.
    pub event: EventId,
}

/// A name of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// An event.
    Event(EventId),
    /// A buffer.
    Buffer(BufferId),
    /// A value.
    Value(ValueId),
    /// A stream.
    Stream(StreamId),
    /// A part.
    Part(PartId),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Event(event) => write!(f, "event {}", event.0),
            Name::Buffer(buffer) => write!(f, "buffer {}", buffer.0),
            Name::Value(value) => write!(f, "value {}", value.0),
            Name::Stream(stream) => write!(f, "stream {}", stream.0),
            Name::Part(part) => write!(f, "part {}", part.0),
        }
    }
}

/// An inconsistency of the names or sizes of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelError {
    /// A name is not defined where it is used.
    Undefined(Name),
    /// A name is defined twice.
    Redefined(Name),
    /// A range of bytes is empty, or exceeds its root or buffer.
    Range(BufferId),
    /// A root, event or stream belongs to a device that does not exist.
    Device,
    /// Names or streams that are passed do not match in number, or in their devices.
    Arity,
    /// A buffer is bound to one of another size or memory space.
    Bound(BufferId),
    /// A part calls itself or a later one, or has buffers among its results, or the entry part has
    /// parameters.
    Part,
    /// A branch without arms.
    NoArm,
    /// A copy does not have a source and a destination of one size.
    Copy,
    /// A view or a parameter is allocated or released.
    NotASlice(BufferId),
    /// There is no entry part, or a command has no place.
    Incomplete,
}

/// A limit of the checker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// Bodies and calls are nested deeper than [`crate::model::MAX_DEPTH`].
    Depth,
    /// The state of a loop does not repeat within the maximal number of iterations.
    Iterations,
    /// Paths that allocate or rotate differently are too many.
    Paths,
    /// The simulated commands are too many.
    Work,
    /// A stream still waits for a later record at the start of a nested body or call.
    EarlyWait,
}

/// A problem of a schedule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Problem {
    /// Conflicting accesses that no event orders. An event on the agent of `first` after `first`,
    /// for which the agent of `second` waits before `second`, orders them.
    Unordered {
        /// V1, V2, V5 or V6, by the effects and agents.
        rule: Rule,
        /// The access that is issued first.
        first: Site,
        /// The other access.
        second: Site,
        /// The bytes that both access.
        bytes: Bytes,
    },
    /// Operands of one command that overlap, of which one is written.
    Overlap {
        /// V1, or V6 for copies and workspace.
        rule: Rule,
        /// The command.
        command: CommandId,
        /// The bytes of one of the operands.
        bytes: Bytes,
    },
    /// An access of bytes that are not allocated for its buffer.
    Lifetime {
        /// The access.
        site: Site,
        /// The bytes.
        bytes: Bytes,
        /// The difference.
        error: LifetimeError,
    },
    /// A read that does not find its value.
    Value {
        /// The read.
        site: Site,
        /// The bytes.
        bytes: Bytes,
        /// The expected value.
        expected: ValueId,
        /// The content of the bytes.
        found: Found,
        /// The command that wrote the bytes.
        writer: Option<Site>,
    },
    /// Agents that wait indefinitely.
    Deadlock(Vec<Blocked>),
    /// A wait of an accelerator that is issued before the record. CUDA does not wait.
    EarlyWait {
        /// The wait.
        command: CommandId,
        /// The event.
        event: EventId,
    },
    /// A wait for an event that is never recorded.
    NeverRecorded {
        /// The wait.
        command: CommandId,
        /// The event.
        event: EventId,
    },
    /// A command on a legacy default stream.
    LegacyStream {
        /// The command.
        command: CommandId,
        /// The stream.
        stream: StreamId,
    },
    /// An event that is recorded on a stream of another device.
    EventDevice {
        /// The record.
        command: CommandId,
        /// The event.
        event: EventId,
    },
    /// An access of memory that the device or the host cannot access.
    Unreachable {
        /// The command.
        command: CommandId,
        /// The buffer.
        buffer: BufferId,
    },
    /// An inconsistency.
    Model {
        /// The command, if there is one.
        command: Option<CommandId>,
        /// The error.
        error: ModelError,
    },
    /// A limit.
    Limit {
        /// The command, if there is one.
        command: Option<CommandId>,
        /// The limit.
        limit: Limit,
    },
}

/// A problem and its part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Diagnostic {
    /// The part in which agents, buffers, events and values are named.
    pub part: PartId,
    /// The problem.
    pub problem: Problem,
}

impl Diagnostic {
    /// Returns the violated rule.
    pub fn rule(&self) -> Rule {
        match &self.problem {
            Problem::Unordered { rule, .. } | Problem::Overlap { rule, .. } => *rule,
            Problem::Lifetime { .. } => Rule::Lifetime,
            Problem::Value { .. } => Rule::Value,
            Problem::Deadlock(_) | Problem::NeverRecorded { .. } => Rule::Progress,
            Problem::EarlyWait { .. }
            | Problem::LegacyStream { .. }
            | Problem::EventDevice { .. }
            | Problem::Unreachable { .. } => Rule::Cuda,
            Problem::Model { .. } => Rule::Model,
            Problem::Limit { .. } => Rule::Limit,
        }
    }

    /// Returns the text, with the places of the schedule.
    pub fn display<'a, P: fmt::Display>(&'a self, schedule: &'a Schedule<P>) -> Text<'a, P> {
        Text {
            diagnostic: self,
            schedule,
        }
    }
}

/// The text of a diagnostic.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a, P> {
    diagnostic: &'a Diagnostic,
    schedule: &'a Schedule<P>,
}

impl<P: fmt::Display> fmt::Display for Text<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.diagnostic.rule())?;
        match &self.diagnostic.problem {
            Problem::Unordered {
                first,
                second,
                bytes,
                ..
            } => self.unordered(f, first, second, bytes),
            Problem::Overlap { command, bytes, .. } => write!(
                f,
                "operands of the command at {} overlap in {}: use disjoint buffers, or the same \
                 range for a read and a write",
                self.place(*command),
                self.bytes(bytes)
            ),
            Problem::Lifetime { site, bytes, error } => {
                write!(f, "{} of {}, which ", self.site(site), self.bytes(bytes))?;
                match error {
                    LifetimeError::Dead => f.write_str("is not allocated then"),
                    LifetimeError::Other(buffer) => {
                        write!(f, "is allocated as buffer {} then", buffer.0)
                    }
                    LifetimeError::External => f.write_str("is not part of a managed root"),
                }
            }
            Problem::Value {
                site,
                bytes,
                expected,
                found,
                writer,
            } => {
                write!(f, "{} of {} ", self.site(site), self.bytes(bytes))?;
                write!(f, "expected value {}, but finds ", expected.0)?;
                match found {
                    Found::Nothing => f.write_str("no value")?,
                    Found::Value(value) if value == expected => {
                        f.write_str("other bytes of it, or those of another iteration")?;
                    }
                    Found::Value(value) => write!(f, "value {}", value.0)?,
                    Found::Unnamed => f.write_str("another value")?,
                    Found::Future => f.write_str("none, because the value is computed later")?,
                }
                match writer {
                    Some(writer) => write!(f, ", from the {}", self.site(writer)),
                    None => Ok(()),
                }
            }
            Problem::Deadlock(blocked) => {
                f.write_str("deadlock: ")?;
                for (index, blocked) in blocked.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    let agent = agent(blocked.agent);
                    let place = self.place(blocked.command);
                    write!(
                        f,
                        "{comma}{agent} waits at {place} for event {}",
                        blocked.event.0
                    )?;
                }
                Ok(())
            }
            Problem::EarlyWait { command, event } => write!(
                f,
                "the wait at {} is issued before event {} is recorded, so CUDA does not wait: \
                 issue the record first",
                self.place(*command),
                event.0
            ),
            Problem::NeverRecorded { command, event } => write!(
                f,
                "the wait at {} is for event {}, which is never recorded",
                self.place(*command),
                event.0
            ),
            Problem::LegacyStream { command, stream } => write!(
                f,
                "the command at {} is on stream {}, the legacy default stream, which synchronizes \
                 with all others: create a stream",
                self.place(*command),
                stream.0
            ),
            Problem::EventDevice { command, event } => write!(
                f,
                "the record at {} is on a stream of another device than event {}",
                self.place(*command),
                event.0
            ),
            Problem::Unreachable { command, buffer } => write!(
                f,
                "the command at {} cannot access buffer {}, which is in another memory space: \
                 copy it first",
                self.place(*command),
                buffer.0
            ),
            Problem::Model { command, error } => {
                model_error(f, *error)?;
                self.at(f, *command)
            }
            Problem::Limit { command, limit } => {
                f.write_str(match limit {
                    Limit::Depth => "bodies and calls are nested too deep",
                    Limit::Iterations => "the state of the loop does not repeat soon enough",
                    Limit::Paths => "there are too many different paths",
                    Limit::Work => "the loops of the schedule take too many iterations to check",
                    Limit::EarlyWait => {
                        "a stream waits for an event that is recorded after a nested body"
                    }
                })?;
                self.at(f, *command)
            }
        }
    }
}

impl<'a, P: fmt::Display> Text<'a, P> {
    fn unordered(
        &self,
        f: &mut fmt::Formatter<'_>,
        first: &Site,
        second: &Site,
        bytes: &Bytes,
    ) -> fmt::Result {
        let [from, to] = [first, second].map(|site| agent(site.agent));
        let [after, before] = [first, second].map(|site| self.place(site.command));
        write!(f, "unordered accesses of {}: ", self.bytes(bytes))?;
        write!(
            f,
            "the {} and the {}; ",
            self.site(first),
            self.site(second)
        )?;
        match first.agent {
            Agent::Host => write!(f, "issue {before} after {after}"),
            Agent::Stream(_) => write!(
                f,
                "record an event on {from} after {after}, and wait for it on {to} before {before}"
            ),
        }
    }

    fn place(&self, command: CommandId) -> Place<'a, P> {
        Place(self.schedule.places.get(command.index()), command)
    }

    fn site(&self, site: &Site) -> String {
        let Site {
            command,
            agent: by,
            effect,
        } = *site;
        format!("{effect} at {} on {}", self.place(command), agent(by))
    }

    fn bytes(&self, bytes: &Bytes) -> String {
        let part = self.schedule.parts.get(self.diagnostic.part.index());
        let part = part.map_or("", |part| part.name.as_str());
        let Bytes { buffer, start, end } = *bytes;
        format!(
            "bytes {start}..{end} of buffer {} in part '{part}'",
            buffer.0
        )
    }

    fn at(&self, f: &mut fmt::Formatter<'_>, command: Option<CommandId>) -> fmt::Result {
        match command {
            Some(command) => write!(f, ", at {}", self.place(command)),
            None => Ok(()),
        }
    }
}

/// The place of a command, or its number if it has none.
struct Place<'a, P>(Option<&'a P>, CommandId);

impl<P: fmt::Display> fmt::Display for Place<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(place) => place.fmt(f),
            None => write!(f, "command {}", self.1.0),
        }
    }
}

fn agent(agent: Agent) -> String {
    match agent {
        Agent::Host => "the host".to_string(),
        Agent::Stream(stream) => format!("stream {}", stream.0),
    }
}

fn model_error(f: &mut fmt::Formatter<'_>, error: ModelError) -> fmt::Result {
    match error {
        ModelError::Undefined(name) => write!(f, "{name} is not defined here"),
        ModelError::Redefined(name) => write!(f, "{name} is defined twice"),
        ModelError::Range(buffer) => {
            write!(f, "buffer {} is empty or exceeds its memory", buffer.0)
        }
        ModelError::Device => f.write_str("expected a device of the schedule"),
        ModelError::Arity => f.write_str("the arguments do not match in number or devices"),
        ModelError::Bound(buffer) => write!(
            f,
            "buffer {} is bound to one of another size or memory space",
            buffer.0
        ),
        ModelError::Part => f.write_str(
            "a part calls only earlier ones and returns no buffers, and the entry part has no \
             parameters",
        ),
        ModelError::NoArm => f.write_str("expected a branch with an arm"),
        ModelError::Copy => {
            f.write_str("expected a copy with a source and a destination of one size")
        }
        ModelError::NotASlice(buffer) => {
            write!(f, "buffer {} has no lifetime of its own", buffer.0)
        }
        ModelError::Incomplete => f.write_str("expected an entry part and a place of each command"),
    }
}
