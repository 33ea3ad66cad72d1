//! The texts of diagnostics.
//!
//! ```text
//! V1: unordered accesses of bytes 0..64 of buffer 2 in part 'main': the write at b.mlir:7 on
//! stream 0 and the read at b.mlir:9 on stream 1; record an event on stream 0 after b.mlir:7, and
//! wait for it on stream 1 before b.mlir:9
//! ```

use std::fmt;

use crate::diagnostic::{
    Bytes, Diagnostic, Effect, Found, LifetimeError, Limit, ModelError, Name, Problem, Rule, Site,
};
use crate::model::{Agent, CommandId, Schedule};

/// The text of a diagnostic.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a, P> {
    pub(crate) diagnostic: &'a Diagnostic,
    pub(crate) schedule: &'a Schedule<P>,
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
