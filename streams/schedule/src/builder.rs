//! The construction of schedules, command by command, and the trait of front ends.
//!
//! ```text
//! IR ────────────┐
//!                ├─ Source::feed ──► Builder ──► Schedule ──► check
//! command list ──┘
//! ```
//!
//! Nested bodies are opened and closed by calls, so that a front end needs no recursion. Functions
//! that define names return them. A misuse, such as a loop that is not closed, is recorded, and
//! [`Builder::finish`] returns the first one.

use std::fmt;

use crate::model::{
    Access, Agent, Body, Branch, Buffer, BufferId, Call, Command, CommandId, Device, DeviceId,
    Event, EventId, Lifetime, Loop, MAX_DEPTH, Mode, Names, Op, Part, PartId, Root, RootId,
    Schedule, Space, Stream, StreamId, Trips, Value, ValueId, Work,
};

/// The device of streams and events that do not exist.
const NO_DEVICE: DeviceId = DeviceId(u32::MAX);

/// A program whose schedule can be checked: IR, or a decoded command list.
pub trait Source {
    /// The place of a command, for diagnostics.
    type Place: Clone;

    /// Adds all parts to a builder, the entry part last.
    fn feed(&self, builder: &mut Builder<Self::Place>);
}

/// A misuse of a [`Builder`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// A part, loop, branch or arm is closed that is not the innermost open one, or a command is
    /// outside of a part, or between the arms of a branch.
    Misnested,
    /// Bodies are nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// A part is still open, or there is no part.
    Incomplete,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Misnested => f.write_str("the bodies of the schedule are not nested"),
            BuildError::TooDeep => write!(f, "bodies are nested deeper than {MAX_DEPTH}"),
            BuildError::Incomplete => f.write_str("the schedule has no complete entry part"),
        }
    }
}

impl std::error::Error for BuildError {}

/// An open body, or an open branch between its arms.
#[derive(Clone, Debug)]
enum Open {
    Part(Body),
    Loop(CommandId, Box<Loop>),
    Branch(CommandId, Box<Branch>),
    Arm(Body),
}

/// A schedule under construction.
#[derive(Clone, Debug)]
pub struct Builder<P> {
    schedule: Schedule<P>,
    part: Part,
    open: Vec<Open>,
    error: Option<BuildError>,
}

impl<P> Default for Builder<P> {
    fn default() -> Self {
        Self {
            schedule: Schedule {
                devices: Vec::new(),
                parts: Vec::new(),
                places: Vec::new(),
            },
            part: Part::default(),
            open: Vec::new(),
            error: None,
        }
    }
}

impl<P> Builder<P> {
    /// Returns a builder of an empty schedule.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the schedule. Its entry part is the one that was closed last.
    ///
    /// # Errors
    ///
    /// The first misuse of the builder.
    pub fn finish(self) -> Result<Schedule<P>, BuildError> {
        match self.error {
            Some(error) => Err(error),
            None if !self.open.is_empty() || self.schedule.parts.is_empty() => {
                Err(BuildError::Incomplete)
            }
            None => Ok(self.schedule),
        }
    }

    // -------------------------------------------------------------------------- declarations

    /// Adds a device.
    pub fn device(&mut self, device: Device) -> DeviceId {
        push(&mut self.schedule.devices, device, DeviceId)
    }

    /// Adds a stream to the open part.
    pub fn stream(&mut self, device: DeviceId) -> StreamId {
        let stream = Stream {
            device,
            is_legacy: false,
        };
        push(&mut self.part.streams, stream, StreamId)
    }

    /// Adds the legacy default stream of a device to the open part.
    pub fn legacy_stream(&mut self, device: DeviceId) -> StreamId {
        let stream = Stream {
            device,
            is_legacy: true,
        };
        push(&mut self.part.streams, stream, StreamId)
    }

    /// Adds a root to the open part.
    pub fn root(&mut self, size: u64, space: Space, lifetime: Lifetime) -> RootId {
        let root = Root {
            size,
            space,
            lifetime,
        };
        push(&mut self.part.roots, root, RootId)
    }

    /// Adds a slice of a root, in bytes.
    pub fn slice(&mut self, root: RootId, offset: u64, size: u64) -> BufferId {
        let slice = Buffer::Slice { root, offset, size };
        push(&mut self.part.buffers, slice, BufferId)
    }

    /// Adds a view of a part of a buffer, in bytes.
    pub fn view(&mut self, of: BufferId, offset: u64, size: u64) -> BufferId {
        push(
            &mut self.part.buffers,
            Buffer::View { of, offset, size },
            BufferId,
        )
    }

    /// Adds an external root, and a slice with all of its bytes.
    pub fn buffer(&mut self, size: u64, space: Space) -> BufferId {
        let root = self.root(size, space, Lifetime::External);
        self.slice(root, 0, size)
    }

    /// Adds an event, which a later command records.
    pub fn event(&mut self, device: DeviceId) -> EventId {
        push(&mut self.part.events, Event { device }, EventId)
    }

    /// Adds a value, which a later command writes.
    pub fn value(&mut self) -> ValueId {
        self.part.values += 1;
        ValueId(self.part.values - 1)
    }

    /// Adds an event to the parameters of the open part.
    pub fn event_parameter(&mut self, device: DeviceId) -> EventId {
        let event = self.event(device);
        self.part.parameters.events.push(event);
        event
    }

    /// Adds a buffer to the parameters of the open part.
    pub fn buffer_parameter(&mut self, size: u64, space: Space) -> BufferId {
        let bound = Buffer::Bound { size, space };
        let buffer = push(&mut self.part.buffers, bound, BufferId);
        self.part.parameters.buffers.push(buffer);
        buffer
    }

    /// Adds a value to the parameters of the open part.
    pub fn value_parameter(&mut self) -> ValueId {
        let value = self.value();
        self.part.parameters.values.push(value);
        value
    }

    // -------------------------------------------------------------------------------- commands

    /// Adds a command that the other functions do not cover.
    pub fn command(&mut self, place: P, op: Op) -> CommandId {
        let id = push(&mut self.schedule.places, place, CommandId);
        self.append(Command { id, op });
        id
    }

    /// Adds the launch of a kernel.
    pub fn launch(&mut self, place: P, stream: StreamId, accesses: &[Access]) -> CommandId {
        self.work(place, Agent::Stream(stream), Work::Kernel, accesses)
    }

    /// Adds a copy.
    pub fn copy(
        &mut self,
        place: P,
        stream: StreamId,
        source: Access,
        destination: Access,
    ) -> CommandId {
        let accesses = [source, destination];
        self.work(place, Agent::Stream(stream), Work::Copy, &accesses)
    }

    /// Adds a fill.
    pub fn fill(&mut self, place: P, stream: StreamId, destination: Access) -> CommandId {
        self.work(place, Agent::Stream(stream), Work::Fill, &[destination])
    }

    /// Adds a host function on a stream.
    pub fn host_function(&mut self, place: P, stream: StreamId, accesses: &[Access]) -> CommandId {
        self.work(place, Agent::Stream(stream), Work::HostFunction, accesses)
    }

    /// Adds accesses of the host.
    pub fn host(&mut self, place: P, accesses: &[Access]) -> CommandId {
        self.work(place, Agent::Host, Work::Host, accesses)
    }

    /// Adds the initial content of a buffer, and returns its value.
    pub fn input(&mut self, place: P, buffer: BufferId) -> ValueId {
        let value = self.value();
        self.work(place, Agent::Host, Work::Input, &[write(buffer, value)]);
        value
    }

    /// Adds a command that accesses memory.
    pub fn work(&mut self, place: P, agent: Agent, kind: Work, accesses: &[Access]) -> CommandId {
        let accesses = accesses.to_vec();
        self.command(
            place,
            Op::Work {
                agent,
                kind,
                accesses,
            },
        )
    }

    /// Adds a record, and returns the event, which belongs to the device of the stream.
    pub fn record(&mut self, place: P, stream: StreamId) -> EventId {
        let device = self.part.streams.get(stream.index());
        let device = device.map_or(NO_DEVICE, |stream| stream.device);
        let event = self.event(device);
        let agent = Agent::Stream(stream);
        self.command(place, Op::Record { agent, event });
        event
    }

    /// Adds a wait of a stream.
    pub fn wait(&mut self, place: P, stream: StreamId, events: &[EventId]) -> CommandId {
        let agent = Agent::Stream(stream);
        let events = events.to_vec();
        self.command(place, Op::Wait { agent, events })
    }

    /// Adds a wait of the host.
    pub fn host_wait(&mut self, place: P, events: &[EventId]) -> CommandId {
        let agent = Agent::Host;
        let events = events.to_vec();
        self.command(place, Op::Wait { agent, events })
    }

    /// Adds the start of the lifetime of a slice.
    pub fn alloc(&mut self, place: P, agent: Agent, buffer: BufferId) -> CommandId {
        self.command(place, Op::Alloc { agent, buffer })
    }

    /// Adds the end of the lifetime of a slice.
    pub fn free(&mut self, place: P, agent: Agent, buffer: BufferId) -> CommandId {
        self.command(place, Op::Free { agent, buffer })
    }

    /// Adds a call of a part, and returns its results.
    pub fn call(
        &mut self,
        place: P,
        part: PartId,
        streams: &[StreamId],
        arguments: Names,
    ) -> Names {
        let (mut devices, mut values) = (Vec::new(), 0);
        if let Some(callee) = self.schedule.parts.get(part.index()) {
            let events = callee.body.yields.events.iter();
            devices = events.map(|event| device_of(callee, *event)).collect();
            values = callee.body.yields.values.len();
        }
        let devices = devices.into_iter();
        let results = Names {
            events: devices.map(|device| self.event(device)).collect(),
            buffers: Vec::new(),
            values: (0..values).map(|_| self.value()).collect(),
        };
        let call = Call {
            part,
            streams: streams.to_vec(),
            arguments,
            results: results.clone(),
        };
        self.command(place, Op::Call(Box::new(call)));
        results
    }

    // ---------------------------------------------------------------------------- nested bodies

    /// Opens a part. The last part is the entry part.
    pub fn begin_part(&mut self, name: &str) {
        if !self.open.is_empty() {
            return self.fail(BuildError::Misnested);
        }
        self.part = Part {
            name: name.to_string(),
            ..Part::default()
        };
        self.open.push(Open::Part(Body::default()));
    }

    /// Closes a part, with its results.
    pub fn end_part(&mut self, results: Names) -> PartId {
        match self.open.pop() {
            Some(Open::Part(body)) => {
                self.part.body = body;
                self.part.body.yields = results;
            }
            _ => self.fail(BuildError::Misnested),
        }
        let part = std::mem::take(&mut self.part);
        push(&mut self.schedule.parts, part, PartId)
    }

    /// Opens a loop, and returns the names of its arguments.
    pub fn begin_loop(&mut self, place: P, trips: Trips, initial: Names) -> Names {
        let arguments = self.fresh(&initial);
        let results = self.fresh(&initial);
        let id = push(&mut self.schedule.places, place, CommandId);
        let inner = Loop {
            trips,
            arguments: arguments.clone(),
            initial,
            results,
            body: Body::default(),
        };
        self.enter(Open::Loop(id, Box::new(inner)));
        arguments
    }

    /// Closes a loop, with the arguments of the next iteration, and returns its results.
    pub fn end_loop(&mut self, next: Names) -> Names {
        let Some(Open::Loop(id, mut inner)) = self.open.pop() else {
            self.fail(BuildError::Misnested);
            return Names::default();
        };
        inner.body.yields = next;
        let results = inner.results.clone();
        let op = Op::Loop(inner);
        self.append(Command { id, op });
        results
    }

    /// Opens a branch.
    pub fn begin_branch(&mut self, place: P) {
        let id = push(&mut self.schedule.places, place, CommandId);
        let branch = Branch {
            results: Names::default(),
            arms: Vec::new(),
        };
        self.enter(Open::Branch(id, Box::new(branch)));
    }

    /// Opens an arm of a branch.
    pub fn begin_arm(&mut self) {
        match self.open.last() {
            Some(Open::Branch(..)) => self.enter(Open::Arm(Body::default())),
            _ => self.fail(BuildError::Misnested),
        }
    }

    /// Closes an arm, with the results of the branch if the arm is taken.
    pub fn end_arm(&mut self, results: Names) {
        match (self.open.pop(), self.open.last_mut()) {
            (Some(Open::Arm(mut body)), Some(Open::Branch(_, branch))) => {
                body.yields = results;
                branch.arms.push(body);
            }
            _ => self.fail(BuildError::Misnested),
        }
    }

    /// Closes a branch, and returns its results.
    pub fn end_branch(&mut self) -> Names {
        let Some(Open::Branch(id, mut branch)) = self.open.pop() else {
            self.fail(BuildError::Misnested);
            return Names::default();
        };
        if let Some(arm) = branch.arms.first() {
            branch.results = self.fresh(&arm.yields.clone());
        }
        let results = branch.results.clone();
        let op = Op::Branch(branch);
        self.append(Command { id, op });
        results
    }

    /// Returns new names that may be bound to the given ones.
    fn fresh(&mut self, names: &Names) -> Names {
        let events = names.events.iter();
        let events = events.map(|&event| Event {
            device: device_of(&self.part, event),
        });
        let events: Vec<Event> = events.collect();
        let buffers = names.buffers.iter().map(|&buffer| self.bound(buffer));
        let buffers: Vec<Buffer> = buffers.collect();
        Names {
            events: push_all(&mut self.part.events, events, EventId),
            buffers: push_all(&mut self.part.buffers, buffers, BufferId),
            values: names.values.iter().map(|_| self.value()).collect(),
        }
    }

    /// Returns a buffer that may be bound to a given one.
    fn bound(&self, buffer: BufferId) -> Buffer {
        let mut size = None;
        let mut current = buffer;
        loop {
            match self.part.buffers.get(current.index()) {
                Some(&Buffer::Slice {
                    root, size: own, ..
                }) => {
                    let space = self.part.roots.get(root.index());
                    let space = space.map_or(Space::Pageable, |root| root.space);
                    let size = size.unwrap_or(own);
                    return Buffer::Bound { size, space };
                }
                Some(&Buffer::Bound { size: own, space }) => {
                    let size = size.unwrap_or(own);
                    return Buffer::Bound { size, space };
                }
                Some(&Buffer::View { of, size: own, .. }) if of < current => {
                    size.get_or_insert(own);
                    current = of;
                }
                _ => {
                    let space = Space::Pageable;
                    return Buffer::Bound { size: 0, space };
                }
            }
        }
    }

    fn enter(&mut self, open: Open) {
        // A branch and its arm are one level.
        let depth = self
            .open
            .iter()
            .filter(|open| !matches!(open, Open::Arm(_)));
        if depth.count() >= MAX_DEPTH {
            self.fail(BuildError::TooDeep);
        }
        self.open.push(open);
    }

    fn append(&mut self, command: Command) {
        match self.open.last_mut() {
            Some(Open::Part(body) | Open::Arm(body)) => body.commands.push(command),
            Some(Open::Loop(_, inner)) => inner.body.commands.push(command),
            Some(Open::Branch(..)) | None => self.fail(BuildError::Misnested),
        }
    }

    fn fail(&mut self, error: BuildError) {
        self.error.get_or_insert(error);
    }
}

/// Returns the device of an event, or one that does not exist if the event does not.
fn device_of(part: &Part, event: EventId) -> DeviceId {
    let event = part.events.get(event.index());
    event.map_or(NO_DEVICE, |event| event.device)
}

fn push<T, I>(list: &mut Vec<T>, element: T, id: impl Fn(u32) -> I) -> I {
    list.push(element);
    id(list.len() as u32 - 1)
}

fn push_all<T, I>(list: &mut Vec<T>, elements: Vec<T>, id: impl Fn(u32) -> I) -> Vec<I> {
    let elements = elements.into_iter();
    elements.map(|element| push(list, element, &id)).collect()
}

/// Returns a read of a value, from its first byte.
pub fn read(buffer: BufferId, value: ValueId) -> Access {
    access(buffer, Mode::Read, Some(value))
}

/// Returns a write of a value, from its first byte.
pub fn write(buffer: BufferId, value: ValueId) -> Access {
    access(buffer, Mode::Write, Some(value))
}

/// Returns a read whose value is not checked.
pub fn read_any(buffer: BufferId) -> Access {
    access(buffer, Mode::Read, None)
}

/// Returns a write of a value without a name.
pub fn write_any(buffer: BufferId) -> Access {
    access(buffer, Mode::Write, None)
}

/// Returns a use as workspace.
pub fn scratch(buffer: BufferId) -> Access {
    access(buffer, Mode::Scratch, None)
}

fn access(buffer: BufferId, mode: Mode, id: Option<ValueId>) -> Access {
    let value = id.map(|id| Value { id, offset: 0 });
    Access {
        buffer,
        mode,
        value,
    }
}
