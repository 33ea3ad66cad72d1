//! The names of a schedule: SSA values to the names of `tfx-schedule`, and back to their places.
//!
//! ```text
//!   %s, %b, %e, %v  ──Scope──►  StreamId, BufferId, EventId, ValueId  ──Origins──►  location
//! ```
//!
//! A [`Scope`] has the names of the part that is being fed. A value of `scf` may be bound to a new
//! name each time that its operation is fed. [`Origins`] keeps where names of all parts come from,
//! for diagnostics: SSA values have no names after parsing, but locations.

use melior::ir::Location;
use rustc_hash::FxHashMap;
use tfx_dialects::schedules::ScheduleType;
use tfx_ir::Value;
use tfx_schedule::{BufferId, EventId, Names, PartId, RootId, StreamId, ValueId};

/// Returns whether an SSA value is a stream.
pub(crate) fn is_stream(value: Value<'_>) -> bool {
    matches!(ScheduleType::of(value.ty()), Some(ScheduleType::Stream(_)))
}

/// A name in a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Name {
    /// A stream.
    Stream(StreamId),
    /// A buffer.
    Buffer(BufferId),
    /// An event.
    Event(EventId),
    /// A value.
    Value(ValueId),
    /// An arena.
    Root(RootId),
}

/// The SSA values of all parts, by name.
#[derive(Debug, Default)]
pub(crate) struct Origins<'a> {
    values: FxHashMap<(PartId, Name), Value<'a>>,
}

impl<'a> Origins<'a> {
    /// Returns the SSA value of a name.
    pub(crate) fn value(&self, part: PartId, name: Name) -> Option<Value<'a>> {
        self.values.get(&(part, name)).copied()
    }

    /// Returns the place of a name.
    pub(crate) fn location(&self, part: PartId, name: Name) -> Option<Location<'a>> {
        Some(self.value(part, name)?.location())
    }
}

/// The names of the part that is being fed.
#[derive(Debug)]
pub(crate) struct Scope<'o, 'a> {
    part: PartId,
    names: FxHashMap<Value<'a>, Name>,
    origins: &'o mut Origins<'a>,
}

impl<'o, 'a> Scope<'o, 'a> {
    /// Returns an empty scope.
    pub(crate) fn new(part: PartId, origins: &'o mut Origins<'a>) -> Self {
        Self {
            part,
            names: FxHashMap::default(),
            origins,
        }
    }

    /// Binds an SSA value to a name.
    pub(crate) fn bind(&mut self, value: Value<'a>, name: Name) {
        self.names.insert(value, name);
        self.origins.values.insert((self.part, name), value);
    }

    /// Binds events, buffers and values to names, in their order. Scalars have no names.
    pub(crate) fn bind_all(&mut self, values: impl Iterator<Item = Value<'a>>, names: &Names) {
        let (mut events, mut buffers) = (names.events.iter(), names.buffers.iter());
        let mut contents = names.values.iter();
        for value in values {
            let name = match ScheduleType::of(value.ty()) {
                Some(ScheduleType::Event) => events.next().map(|id| Name::Event(*id)),
                Some(ScheduleType::Buffer(_)) => buffers.next().map(|id| Name::Buffer(*id)),
                Some(ScheduleType::Value) => contents.next().map(|id| Name::Value(*id)),
                _ => None,
            };
            if let Some(name) = name {
                self.bind(value, name);
            }
        }
    }

    /// Lets SSA values have the names of others.
    pub(crate) fn alias(
        &mut self,
        values: impl Iterator<Item = Value<'a>>,
        sources: impl Iterator<Item = Value<'a>>,
    ) {
        let pairs: Vec<_> = values.zip(sources).collect();
        // All sources are read first: a loop may pass its own arguments in another order.
        let names: Vec<_> = pairs.iter().map(|(_, source)| self.get(*source)).collect();
        for ((value, _), name) in pairs.into_iter().zip(names) {
            if let Some(name) = name {
                self.names.insert(value, name);
            }
        }
    }

    /// Returns the name of an SSA value.
    pub(crate) fn get(&self, value: Value<'a>) -> Option<Name> {
        self.names.get(&value).copied()
    }

    /// Returns the events, buffers and values among SSA values.
    pub(crate) fn names(&self, values: impl Iterator<Item = Value<'a>>) -> Names {
        let mut names = Names::default();
        for value in values {
            match self.get(value) {
                Some(Name::Event(event)) => names.events.push(event),
                Some(Name::Buffer(buffer)) => names.buffers.push(buffer),
                Some(Name::Value(value)) => names.values.push(value),
                Some(Name::Stream(_) | Name::Root(_)) | None => {}
            }
        }
        names
    }

    /// Returns the streams among SSA values.
    pub(crate) fn streams(&self, values: impl Iterator<Item = Value<'a>>) -> Vec<StreamId> {
        let names = values.filter_map(|value| self.get(value));
        let streams = names.filter_map(|name| match name {
            Name::Stream(stream) => Some(stream),
            _ => None,
        });
        streams.collect()
    }
}
