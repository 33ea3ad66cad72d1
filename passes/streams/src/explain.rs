//! Problems of `tfx-schedule` as diagnostics.
//!
//! ```text
//!   error   at the later access: who accesses which bytes, and what it does not wait for
//!     note  at the earlier access
//!     note  at the buffer
//!     note  at the stream of the earlier access: record an event here
//!     note  at the stream of the later access: wait for it here
//! ```
//!
//! SSA values have no names after parsing. A message therefore names kernels, functions and
//! operations, and its notes are at the definitions of buffers and streams.

use melior::ir::Location;
use tfx_dialects::stream::{Host, Launch, Slice};
use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};
use tfx_schedule::diagnostic::{
    Blocked, Bytes, Effect, Found, LifetimeError, Limit, ModelError, Site,
};
use tfx_schedule::{Agent, BufferId, CommandId, PartId, Problem, Rule, ValueId};

use crate::feed::Fed;
use crate::names::Name;
use crate::parts::Program;

/// Turns the problems of one program into diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Explainer<'f, 'a> {
    fed: &'f Fed<'a>,
    program: &'f Program<'a>,
    /// The place of what has no other.
    module: Location<'a>,
}

impl<'f, 'a> Explainer<'f, 'a> {
    /// Returns an explainer of a program that was fed.
    pub(crate) fn new(fed: &'f Fed<'a>, program: &'f Program<'a>, module: Location<'a>) -> Self {
        Self {
            fed,
            program,
            module,
        }
    }

    /// Returns the diagnostic of a problem.
    pub(crate) fn explain(self, diagnostic: &tfx_schedule::Diagnostic) -> Diagnostic<'a> {
        let (part, rule) = (diagnostic.part, diagnostic.rule());
        match &diagnostic.problem {
            Problem::Unordered {
                first,
                second,
                bytes,
                ..
            } => self.unordered(part, rule, first, second, bytes),
            Problem::Overlap { command, bytes, .. } => {
                let message = format!(
                    "{rule}: operands of {} overlap in {}",
                    self.subject(*command),
                    self.bytes(part, bytes)
                );
                self.error(part, Some(*command), message)
                    .note_at(
                        self.at_buffer(part, bytes.buffer),
                        "the bytes belong to this buffer",
                    )
                    .note_at(
                        self.at(Some(*command)),
                        "use disjoint buffers; a kernel that changes one in place has it once, as \
                         'update'",
                    )
            }
            Problem::Lifetime { site, bytes, error } => {
                self.lifetime(part, rule, site, bytes, *error)
            }
            Problem::Value {
                site,
                bytes,
                expected,
                found,
                writer,
            } => self.value(part, rule, (site, bytes), *expected, *found, *writer),
            Problem::Deadlock(blocked) => self.deadlock(part, rule, blocked),
            Problem::EarlyWait { command, event } | Problem::NeverRecorded { command, event } => {
                let message = format!("{rule}: a wait for an event that is not recorded before");
                let record = self.fed.origins.location(part, Name::Event(*event));
                self.error(part, Some(*command), message)
                    .note_at(record, "issue this record first")
            }
            Problem::LegacyStream { command, stream } => {
                let message = format!(
                    "{rule}: {} is on the legacy default stream, which synchronizes with all \
                     other streams of its device",
                    self.subject(*command)
                );
                let stream = self.fed.origins.location(part, Name::Stream(*stream));
                self.error(part, Some(*command), message)
                    .note_at(stream, "open a stream without 'legacy'")
            }
            Problem::EventDevice { command, .. } => {
                let message = format!("{rule}: an event of another device than the stream");
                self.error(part, Some(*command), message)
            }
            Problem::Unreachable { command, buffer } => {
                let message = format!(
                    "{rule}: {} cannot access a buffer of this memory space",
                    self.subject(*command)
                );
                self.error(part, Some(*command), message)
                    .note_at(self.at_buffer(part, *buffer), "this is the buffer")
                    .note_at(
                        self.at(Some(*command)),
                        "kernels access memory of their device and pinned memory, the host its \
                         own: use tfx_stream.copy before",
                    )
            }
            Problem::Model { command, error } => self.model(part, *command, *error),
            Problem::Limit { command, limit } => self.limit(part, *command, *limit),
        }
    }

    fn unordered(
        self,
        part: PartId,
        rule: Rule,
        first: &Site,
        second: &Site,
        bytes: &Bytes,
    ) -> Diagnostic<'a> {
        let [one, two] = [first, second].map(|site| self.subject(site.command));
        let (is_same, is_carried) = self.order(first.command, second.command);
        let earlier = match is_same {
            true => "itself in an earlier execution",
            false => &one,
        };
        let when = if is_carried {
            " in an earlier iteration"
        } else {
            ""
        };
        let message = format!(
            "{rule}: {two} {}, but does not wait for {earlier}, which {}{when}",
            does(second.effect, &self.bytes(part, bytes)),
            does(first.effect, "them")
        );
        let error = self.error(part, Some(second.command), message);
        let error = match is_same {
            true => error,
            false => {
                let note = format!("{one} {} here", does(first.effect, "them"));
                error.note_at(self.at(Some(first.command)), note)
            }
        };
        let error = error.note_at(self.at_buffer(part, bytes.buffer), "this is the buffer");
        let record = match first.agent {
            Agent::Stream(stream) => self.fed.origins.location(part, Name::Stream(stream)),
            Agent::Host => None,
        };
        let error = match first.agent {
            Agent::Stream(_) => {
                let note = format!("record an event on this stream after {one}");
                error.note_at(record, note)
            }
            Agent::Host => {
                let note = format!("issue this after {one}");
                return error.note_at(self.at(Some(second.command)), note);
            }
        };
        match second.agent {
            Agent::Stream(stream) => {
                let wait = self.fed.origins.location(part, Name::Stream(stream));
                error.note_at(wait, format!("wait for it on this stream before {two}"))
            }
            Agent::Host => {
                let note = "wait for it with tfx_stream.host_wait before this";
                error.note_at(self.at(Some(second.command)), note)
            }
        }
    }

    fn lifetime(
        self,
        part: PartId,
        rule: Rule,
        site: &Site,
        bytes: &Bytes,
        error: LifetimeError,
    ) -> Diagnostic<'a> {
        let accesses = format!(
            "{rule}: {} {}",
            self.subject(site.command),
            does(site.effect, &self.bytes(part, bytes))
        );
        let (message, other, note) = match error {
            LifetimeError::Dead if site.effect == Effect::Free => (
                format!("{accesses}, which are released already"),
                bytes.buffer,
                "each tfx_stream.alloc or tfx_stream.slice has one tfx_stream.free",
            ),
            LifetimeError::Dead => (
                format!("{accesses}, which are not allocated then"),
                bytes.buffer,
                "this is the buffer: release it after its last use",
            ),
            LifetimeError::Other(other) => (
                format!("{accesses}, which belong to another buffer then"),
                other,
                "they are allocated here: release them before, with tfx_stream.free",
            ),
            LifetimeError::External => (
                format!("{accesses}, which the schedule did not allocate"),
                bytes.buffer,
                "this is the buffer",
            ),
        };
        self.error(part, Some(site.command), message)
            .note_at(self.at_buffer(part, other), note)
    }

    fn value(
        self,
        part: PartId,
        rule: Rule,
        (site, bytes): (&Site, &Bytes),
        expected: ValueId,
        found: Found,
        writer: Option<Site>,
    ) -> Diagnostic<'a> {
        let found = match found {
            Found::Nothing => "no value",
            Found::Value(value) if value == expected => {
                "other bytes of it, or the value of another iteration"
            }
            Found::Value(_) | Found::Unnamed => "another value",
            Found::Future => "none, because it is computed later",
        };
        let message = format!(
            "{rule}: {} reads {}, but finds {found} there",
            self.subject(site.command),
            self.bytes(part, bytes)
        );
        let origin = self.fed.origins.location(part, Name::Value(expected));
        let error = self
            .error(part, Some(site.command), message)
            .note_at(origin, "this is the value that it names");
        let error = match writer {
            Some(writer) => error.note_at(
                self.at(Some(writer.command)),
                format!("{} wrote the bytes last", self.subject(writer.command)),
            ),
            None => error,
        };
        error.note_at(self.at_buffer(part, bytes.buffer), "this is the buffer")
    }

    fn deadlock(self, part: PartId, rule: Rule, blocked: &[Blocked]) -> Diagnostic<'a> {
        let message = format!("{rule}: streams wait for each other");
        let first = blocked.first().map(|blocked| blocked.command);
        let waits = blocked.iter().map(|blocked| blocked.command);
        waits.fold(self.error(part, first, message), |error, wait| {
            error.note_at(self.at(Some(wait)), "this wait never ends")
        })
    }

    fn model(self, part: PartId, command: Option<CommandId>, error: ModelError) -> Diagnostic<'a> {
        match error {
            ModelError::NotASlice(buffer) => {
                let message = "V2: tfx_stream.free releases a buffer that has no lifetime of its \
                               own";
                self.error(part, command, message.to_string()).note_at(
                    self.at_buffer(part, buffer),
                    "this is neither a result of tfx_stream.alloc nor of tfx_stream.slice",
                )
            }
            error => {
                let location = self.at(command).or_else(|| self.at_part(part));
                let location = location.unwrap_or(self.module);
                diag::internal_error(location, format!("the schedule is malformed: {error:?}"))
            }
        }
    }

    fn limit(self, part: PartId, command: Option<CommandId>, limit: Limit) -> Diagnostic<'a> {
        let (message, note) = match limit {
            Limit::Depth => (
                "loops, branches and calls are nested too deep",
                "at most 64 levels are checked",
            ),
            Limit::Iterations => (
                "the state of this loop does not repeat soon enough",
                "rotate fewer buffers and events, or rings with a smaller common multiple",
            ),
            Limit::Paths => (
                "too many paths allocate or pass buffers in different ways",
                "allocate before the branches, or pass the same buffers in all of them",
            ),
            Limit::Work => (
                "the check takes too long",
                "nest loops less deep, or put inner loops into parts",
            ),
            Limit::EarlyWait => (
                "a stream waits for an event that is recorded after a nested body",
                "record it before",
            ),
        };
        let message = format!("{}: {message}", Rule::Limit);
        let at = self.at(command);
        self.error(part, command, message).note_at(at, note)
    }

    // ------------------------------------------------------------------------------ names, places

    fn error(self, part: PartId, command: Option<CommandId>, message: String) -> Diagnostic<'a> {
        let location = self.at(command).or_else(|| self.at_part(part));
        diag::error(location.unwrap_or(self.module), message)
    }

    fn op(self, command: CommandId) -> Option<Op<'a>> {
        self.fed.schedule.places.get(command.0 as usize).copied()
    }

    /// Returns whether two commands are the same operation, and whether the first one comes later
    /// in the same block, so that it precedes the second one in another iteration.
    fn order(self, first: CommandId, second: CommandId) -> (bool, bool) {
        match (self.op(first), self.op(second)) {
            (Some(first), Some(second)) if first == second => (true, false),
            (Some(first), Some(second)) if first.block() == second.block() => {
                (false, second.is_before(first))
            }
            _ => (false, false),
        }
    }

    fn at(self, command: Option<CommandId>) -> Option<Location<'a>> {
        Some(self.op(command?)?.location())
    }

    fn at_part(self, part: PartId) -> Option<Location<'a>> {
        Some(self.program.parts.get(part.0 as usize)?.location())
    }

    fn at_buffer(self, part: PartId, buffer: BufferId) -> Option<Location<'a>> {
        self.fed.origins.location(part, Name::Buffer(buffer))
    }

    /// Returns a command in the words of the source: its kernel or function, or its operation.
    fn subject(self, command: CommandId) -> String {
        let Some(op) = self.op(command) else {
            return "a command".to_string();
        };
        if let Some(launch) = Launch::cast(op) {
            format!("@{}", launch.kernel())
        } else if let Some(host) = Host::cast(op) {
            format!("@{}", host.function())
        } else {
            op.name().to_string()
        }
    }

    fn bytes(self, part: PartId, bytes: &Bytes) -> String {
        let buffer = self.fed.origins.value(part, Name::Buffer(bytes.buffer));
        let definition = buffer.and_then(|buffer| buffer.defining_op());
        let memory = match definition.and_then(Slice::cast) {
            Some(_) => "an arena",
            None => "a buffer",
        };
        format!("bytes {}..{} of {memory}", bytes.start, bytes.end)
    }
}

/// Returns what an access does with an object.
fn does(effect: Effect, object: &str) -> String {
    match effect {
        Effect::Read => format!("reads {object}"),
        Effect::Write => format!("writes {object}"),
        Effect::Scratch => format!("uses {object} as workspace"),
        Effect::Alloc => format!("allocates {object}"),
        Effect::Free => format!("releases {object}"),
    }
}

trait NoteAt<'a> {
    /// Adds a note at a place, if there is one.
    fn note_at(self, location: Option<Location<'a>>, message: impl Into<String>) -> Self;
}

impl<'a> NoteAt<'a> for Diagnostic<'a> {
    fn note_at(self, location: Option<Location<'a>>, message: impl Into<String>) -> Self {
        match location {
            Some(location) => self.note(location, message),
            None => self,
        }
    }
}
