//! Diagnostics as data.
//!
//! ```text
//! Diagnostic ── part, problem: Unordered ── first, second: Site ── command, agent, effect
//!                                        └─ bytes
//! ```
//!
//! A diagnostic names commands by their numbers, so that a front end can find its own objects;
//! [`Diagnostic::display`] inserts the places of a schedule into a text.

use std::fmt;

use crate::model::{Agent, BufferId, CommandId, EventId, PartId, Schedule, StreamId, ValueId};
use crate::text::Text;

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
