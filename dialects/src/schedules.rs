//! Types and accesses of `tfx_stream`, and the attributes that connect graphs with schedules.
//!
//! ```text
//! tfx_tensor.graph private @g.streams(...) attributes {tfx.schedule = @g.schedule} { call @g.kernel }
//! tfx_tensor.graph private @g.kernel(...) attributes {tfx.kernel}
//! tfx_stream.schedule @g.schedule(...) attributes {tfx_stream.commands = "..."} { launch @g.kernel }
//! ```
//!
//! ```
//! use melior::{Context, ir::Type};
//! use tfx_dialects::schedules::{Memory, ScheduleType, Space};
//!
//! let context = Context::new();
//! tfx_dialects::load(&context);
//! let buffer = Type::parse(&context, "!tfx_stream.buffer<64, cuda:1>").unwrap();
//! let memory = Memory { size: 64, space: Space::Cuda(1) };
//! assert_eq!(ScheduleType::of(buffer), Some(ScheduleType::Buffer(memory)));
//! assert_eq!(ScheduleType::of(Type::index(&context)), None);
//! ```

use std::fmt;
use std::str::FromStr;

use melior::ir::Type;
use tfx_ir::Value;
use tfx_ir::view::OperandRange;
use thiserror::Error;

use crate::ffi;
use crate::stream::StreamOp;

/// The attribute of a graph that runs on streams: the symbol of its schedule.
pub const SCHEDULE: &str = "tfx.schedule";
/// The attribute of a graph that is a kernel of a schedule.
pub const KERNEL: &str = "tfx.kernel";
/// The attribute of a schedule with its command list.
pub const COMMANDS: &str = "tfx_stream.commands";

/// A device: its streams execute commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Device {
    /// Threads of the CPU.
    Cpu(u32),
    /// A CUDA device.
    Cuda(u32),
}

impl Device {
    /// Returns the device of a kind, which is its number in ODS.
    pub(crate) fn of_number(kind: u32, number: u32) -> Self {
        match kind {
            0 => Self::Cpu(number),
            _ => Self::Cuda(number),
        }
    }

    /// Returns whether the device has memory of its own.
    pub fn is_accelerator(self) -> bool {
        matches!(self, Self::Cuda(_))
    }
}

impl FromStr for Device {
    type Err = NoDevice;

    /// Reads a device as it is printed.
    fn from_str(text: &str) -> Result<Self, NoDevice> {
        let (kind, number) = text.split_once(':').unwrap_or((text, "0"));
        let number = number.parse().map_err(|_| NoDevice)?;
        match kind {
            "cpu" => Ok(Self::Cpu(number)),
            "cuda" => Ok(Self::Cuda(number)),
            _ => Err(NoDevice),
        }
    }
}

/// A text that names no device.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("expected a device, such as cpu or cuda:1")]
pub struct NoDevice;

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, number) = match self {
            Self::Cpu(number) => ("cpu", number),
            Self::Cuda(number) => ("cuda", number),
        };
        match number {
            0 => write!(f, "{kind}"),
            number => write!(f, "{kind}:{number}"),
        }
    }
}

/// A memory space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Pageable host memory.
    Host,
    /// Page-locked host memory.
    Pinned,
    /// Memory of a CUDA device.
    Cuda(u32),
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str("host"),
            Self::Pinned => f.write_str("pinned"),
            Self::Cuda(number) => Device::Cuda(*number).fmt(f),
        }
    }
}

/// The memory of a buffer or an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The size in bytes.
    pub size: u64,
    /// The memory space.
    pub space: Space,
}

/// A type of the dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScheduleType {
    /// A stream of a device.
    Stream(Device),
    /// An event.
    Event,
    /// The content of bytes.
    Value,
    /// A range of bytes.
    Buffer(Memory),
    /// Memory for slices.
    Arena(Memory),
}

impl ScheduleType {
    /// Returns a type of the dialect with its parts; none for any other type.
    pub fn of(r#type: Type<'_>) -> Option<Self> {
        let raw = ffi::stream_type(r#type);
        // The numbers of ODS.
        let memory = Memory {
            size: raw.size,
            space: match raw.place {
                0 => Space::Host,
                1 => Space::Pinned,
                _ => Space::Cuda(raw.number),
            },
        };
        // The numbers of `TfxStreamTypeKind` in capi/tfx_dialects.h.
        Some(match raw.kind {
            1 => Self::Stream(Device::of_number(raw.place, raw.number)),
            2 => Self::Event,
            3 => Self::Value,
            4 => Self::Buffer(memory),
            5 => Self::Arena(memory),
            _ => return None,
        })
    }
}

/// The way in which a command accesses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Reads all bytes.
    Read,
    /// Writes all bytes.
    Write,
    /// Reads all bytes, and writes them.
    Update,
    /// Uses all bytes as workspace.
    Scratch,
}

impl Mode {
    /// Returns whether the command reads bytes.
    pub fn is_reading(self) -> bool {
        matches!(self, Mode::Read | Mode::Update)
    }

    /// Returns whether the command writes a value, which is a result of it.
    pub fn is_writing(self) -> bool {
        matches!(self, Mode::Write | Mode::Update)
    }
}

/// An access of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access<'a> {
    /// The buffer.
    pub buffer: Value<'a>,
    /// The mode.
    pub mode: Mode,
    /// The value that a read names, and its first byte there.
    pub reads: Option<(Value<'a>, u64)>,
    /// The value that is written: a result of the command.
    pub writes: Option<Value<'a>>,
}

/// Returns the accesses of a command, in the order of its buffers; none for other operations.
pub fn accesses(op: StreamOp<'_>) -> Vec<Access<'_>> {
    macro_rules! encoded {
        ($op:ident) => {
            Encoded {
                buffers: $op.buffers(),
                values: $op.values(),
                modes: $op.modes(),
                positions: $op.positions(),
                offsets: $op.offsets(),
            }
            .accesses($op.op().results())
        };
    }
    let written = |buffer, result| Access {
        buffer,
        mode: Mode::Write,
        reads: None,
        writes: Some(result),
    };
    match op {
        StreamOp::Launch(op) => encoded!(op),
        StreamOp::Host(op) => encoded!(op),
        StreamOp::Copy(op) => {
            let source = read(op.source(), op.value(), op.offset());
            vec![source, written(op.destination(), op.result())]
        }
        StreamOp::Decide(op) => vec![read(op.buffer(), op.value(), op.offset())],
        StreamOp::Fill(op) => vec![written(op.destination(), op.result())],
        _ => Vec::new(),
    }
}

/// Returns a read of a value from its byte `offset` on.
fn read<'a>(buffer: Value<'a>, value: Option<Value<'a>>, offset: Option<i64>) -> Access<'a> {
    Access {
        buffer,
        mode: Mode::Read,
        reads: value.map(|value| (value, offset.unwrap_or(0) as u64)),
        writes: None,
    }
}

/// Accesses as ODS has them.
struct Encoded<'a> {
    buffers: OperandRange<'a>,
    values: OperandRange<'a>,
    modes: Vec<i32>,
    positions: Vec<i32>,
    offsets: Vec<i64>,
}

impl<'a> Encoded<'a> {
    fn accesses(self, mut results: impl Iterator<Item = Value<'a>>) -> Vec<Access<'a>> {
        let mut named = self.positions.iter().zip(self.values.iter()).peekable();
        let mut offsets = self.offsets.iter();
        let modes = self.modes.iter().map(|mode| match mode {
            0 => Mode::Read,
            1 => Mode::Write,
            2 => Mode::Update,
            _ => Mode::Scratch,
        });
        let buffers = self.buffers.iter().zip(modes).enumerate();
        let accesses = buffers.map(|(index, (buffer, mode))| {
            let value = named.next_if(|(position, _)| **position as usize == index);
            let reads = value.map(|(_, value)| {
                let offset = offsets.next().copied().unwrap_or(0);
                (value, offset as u64)
            });
            let writes = match mode.is_writing() {
                true => results.next(),
                false => None,
            };
            Access {
                buffer,
                mode,
                reads,
                writes,
            }
        });
        accesses.collect()
    }
}
