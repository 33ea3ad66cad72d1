//! Schedules as data: streams, memory, and the commands that one thread issues.
//!
//! ```text
//! Schedule ── devices
//!          └─ parts ── streams, roots, buffers, events, values
//!             (last:   └─ body: command, command, ...
//!              entry)           work | record | wait | alloc | free | loop | branch | call
//! ```
//!
//! One thread, the *host*, executes the body of the last part. A command of the host runs at once
//! and blocks it; a command of a stream is issued at once, and runs after all earlier commands of
//! its stream. An event is recorded by one agent (the host or a stream), and another agent waits
//! for it. Each name of an event or a value is defined once, as in SSA, so that no wait can refer
//! to an event that has been recorded again. Loops and branches are decided by the host.
//!
//! Memory is a set of roots: allocations, or arenas. A buffer is a byte range of a root. Rotating
//! buffers are iteration arguments: a ring of two slots is a loop that yields them swapped.
//!
//! A value is what the value-level program computes. An access names the value that it reads or
//! writes, so that a checker can decide whether a read finds it. A value that a command writes is
//! a new one in each execution of the command.
//!
//! Nothing here is checked: [`crate::check`] reports names that are not defined, ranges outside of
//! their buffers, and so on, as diagnostics.

/// The maximal depth of nested loops, branches and calls. Checks recurse on this depth; schedules
/// of real programs have a depth of less than ten.
pub const MAX_DEPTH: usize = 64;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(pub u32);

            impl $name {
                pub(crate) fn index(self) -> usize {
                    self.0 as usize
                }
            }
        )*
    };
}

ids! {
    /// An index of [`Schedule::devices`].
    DeviceId;
    /// An index of [`Schedule::parts`].
    PartId;
    /// An index of [`Schedule::places`].
    CommandId;
    /// An index of [`Part::streams`].
    StreamId;
    /// An index of [`Part::roots`].
    RootId;
    /// An index of [`Part::buffers`].
    BufferId;
    /// An index of [`Part::events`].
    EventId;
    /// A value of a part, below [`Part::values`].
    ValueId;
}

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// Threads of the CPU. Its streams access host memory, and may wait for an event before the
    /// host issues its record.
    Cpu,
    /// An accelerator with the rules of CUDA.
    Cuda,
}

/// The memory space of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Memory of a device.
    Device(DeviceId),
    /// Pageable host memory.
    Pageable,
    /// Page-locked host memory, which accelerators also access.
    Pinned,
}

/// A stream, or in a part that is called, a parameter for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// The device that executes its commands.
    pub device: DeviceId,
    /// Set for the legacy default stream of CUDA, which synchronizes implicitly.
    pub is_legacy: bool,
}

/// The lifetime of the bytes of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// The bytes exist before and after the schedule.
    External,
    /// The commands `alloc` and `free` of buffers start and end the lifetimes of their bytes.
    Managed,
}

/// A root: contiguous bytes that alias no others. A root of a part that is called belongs to one
/// call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The size in bytes.
    pub size: u64,
    /// The memory space.
    pub space: Space,
    /// The lifetime of the bytes.
    pub lifetime: Lifetime,
}

/// A buffer: a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// A slice of a root, with a lifetime of its own if the root is managed.
    Slice {
        /// The root.
        root: RootId,
        /// The first byte, from the start of the root.
        offset: u64,
        /// The size in bytes.
        size: u64,
    },
    /// A part of an earlier buffer, with the lifetime of that buffer.
    View {
        /// The buffer, with a smaller number than the view.
        of: BufferId,
        /// The first byte, from the start of that buffer.
        offset: u64,
        /// The size in bytes.
        size: u64,
    },
    /// A parameter of a part, an argument of a loop, or a result.
    Bound {
        /// The size in bytes of each buffer that it may be.
        size: u64,
        /// The memory space of each buffer that it may be.
        space: Space,
    },
}

/// An event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The device to which the event belongs.
    pub device: DeviceId,
}

/// A process that executes commands in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
    /// The thread that issues all commands.
    Host,
    /// A stream of the part.
    Stream(StreamId),
}

/// The way in which a command accesses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Reads all bytes.
    Read,
    /// Writes all bytes.
    Write,
    /// Uses all bytes as workspace: their content is undefined before and after.
    Scratch,
}

/// The bytes of a value, from an offset on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value {
    /// The value.
    pub id: ValueId,
    /// The first byte, from the start of the value.
    pub offset: u64,
}

/// An access of a command. To update a buffer in place, a command reads and writes the same range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// The buffer.
    pub buffer: BufferId,
    /// Reads, writes, or uses as workspace.
    pub mode: Mode,
    /// The value that a read expects or a write produces. A read without a value is not compared
    /// with any; a write without a value leaves a content that no value names.
    pub value: Option<Value>,
}

/// The kind of a command that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// A kernel.
    Kernel,
    /// A copy: the first access is the source, the second the destination.
    Copy,
    /// A fill.
    Fill,
    /// A host function, on a stream.
    HostFunction,
    /// Code of the program on the host.
    Host,
    /// The initial content of a buffer, which exists before the schedule starts.
    Input,
}

/// Names of three kinds, in the order in which they are passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Events.
    pub events: Vec<EventId>,
    /// Buffers.
    pub buffers: Vec<BufferId>,
    /// Values.
    pub values: Vec<ValueId>,
}

impl Names {
    /// Returns the numbers of events, buffers and values.
    pub fn arity(&self) -> [usize; 3] {
        [self.events.len(), self.buffers.len(), self.values.len()]
    }
}

/// A sequence of commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The commands, in the order in which the host issues them.
    pub commands: Vec<Command>,
    /// The names that the body forwards: to the next iteration of its loop, or to the results of
    /// its branch or part.
    pub yields: Names,
}

/// A command and its identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The index of its place in [`Schedule::places`].
    pub id: CommandId,
    /// The operation.
    pub op: Op,
}

/// An operation of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Accesses memory.
    Work {
        /// The executing agent.
        agent: Agent,
        /// The kind of the command.
        kind: Work,
        /// The accesses. Reads happen before writes.
        accesses: Vec<Access>,
    },
    /// Records an event: it is complete once all earlier commands of the agent are.
    Record {
        /// The agent.
        agent: Agent,
        /// The event, which this command defines.
        event: EventId,
    },
    /// Waits until events are complete. If the agent is the host, this is `host_wait`.
    Wait {
        /// The agent that waits.
        agent: Agent,
        /// The events.
        events: Vec<EventId>,
    },
    /// Starts the lifetime of a slice.
    Alloc {
        /// The agent in whose order it happens.
        agent: Agent,
        /// The slice.
        buffer: BufferId,
    },
    /// Ends the lifetime of a slice.
    Free {
        /// The agent in whose order it happens.
        agent: Agent,
        /// The slice.
        buffer: BufferId,
    },
    /// Issues a body repeatedly.
    Loop(Box<Loop>),
    /// Issues one of several bodies.
    Branch(Box<Branch>),
    /// Issues the body of another part.
    Call(Box<Call>),
}

/// The number of iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trips {
    /// A known number.
    Exactly(u64),
    /// Any number that is not less than this one.
    AtLeast(u64),
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The number of iterations.
    pub trips: Trips,
    /// The names of the iteration arguments, which are visible in the body.
    pub arguments: Names,
    /// Their initial values.
    pub initial: Names,
    /// The names of the arguments after the last iteration.
    pub results: Names,
    /// The body, which yields the arguments of the next iteration.
    pub body: Body,
}

/// A branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The results: what the arm yields that was taken.
    pub results: Names,
    /// The bodies, of which one is issued.
    pub arms: Vec<Body>,
}

/// A call of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The part, which precedes the part of the call.
    pub part: PartId,
    /// The streams.
    pub streams: Vec<StreamId>,
    /// The arguments.
    pub arguments: Names,
    /// The results. A part has no buffers among its results.
    pub results: Names,
}

/// A partial schedule: a function of streams, events, buffers and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// The name.
    pub name: String,
    /// The streams: those that exist, in the entry part, and parameters in others.
    pub streams: Vec<Stream>,
    /// The roots.
    pub roots: Vec<Root>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// The events.
    pub events: Vec<Event>,
    /// The number of values.
    pub values: u32,
    /// The parameters. The entry part has none.
    pub parameters: Names,
    /// The body, which yields the results.
    pub body: Body,
}

/// A schedule, with the places of its commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule<P> {
    /// The devices.
    pub devices: Vec<Device>,
    /// The parts. Each calls only earlier ones; the last is the entry part.
    pub parts: Vec<Part>,
    /// The places of commands, by [`CommandId`]: locations in IR, or positions in a command list.
    pub places: Vec<P>,
}
