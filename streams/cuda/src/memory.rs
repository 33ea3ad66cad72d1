//! The memory of a session: blocks of devices and of the host, and ranges of them.

use std::sync::Arc;

use tfx_schedule::{Buffer, BufferId, Part, Root, Space};

use crate::driver::{CudaError, DeviceMemory, PinnedMemory};
use crate::error::Error;
use crate::plan::Plan;

/// The place of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Memory of a CUDA device, by its number in the schedule.
    Device(usize),
    /// Pinned memory of the host, also for pageable memory of the schedule.
    Host,
}

#[derive(Debug)]
pub(crate) enum Bytes {
    Device(DeviceMemory),
    Host(PinnedMemory),
}

/// The bytes of a root.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) bytes: Bytes,
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    /// The position of the caller's memory of which the block is a mirror.
    pub(crate) external: Option<usize>,
}

impl Block {
    pub(crate) fn new(
        plan: &Plan,
        kind: Kind,
        size: u64,
        external: Option<usize>,
    ) -> Result<Arc<Self>, Error> {
        let bytes = match kind {
            Kind::Device(device) => Bytes::Device(DeviceMemory::new(plan.context(device)?, size)?),
            Kind::Host => Bytes::Host(PinnedMemory::new(plan.any_context()?, size)?),
        };
        Ok(Arc::new(Self {
            bytes,
            kind,
            size,
            external,
        }))
    }

    /// Returns the place of a root. Memory of a CPU is memory of the host.
    pub(crate) fn kind_of(plan: &Plan, root: &Root) -> Kind {
        match root.space {
            Space::Device(device) if plan.is_cuda(device) => Kind::Device(device.0 as usize),
            _ => Kind::Host,
        }
    }
}

/// A range of a block: an operand of a command.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) block: Arc<Block>,
    pub(crate) start: u64,
    pub(crate) length: u64,
}

impl Range {
    /// Returns a range, if it is within the block.
    pub(crate) fn new(block: Arc<Block>, start: u64, length: u64) -> Option<Self> {
        let end = start.checked_add(length)?;
        (end <= block.size).then_some(Self {
            block,
            start,
            length,
        })
    }

    /// Returns a range of this one.
    fn view(&self, start: u64, length: u64) -> Option<Self> {
        let end = start.checked_add(length)?;
        let block = Arc::clone(&self.block);
        match end <= self.length {
            true => Self::new(block, self.start.checked_add(start)?, length),
            false => None,
        }
    }

    /// Returns the address of the first byte on devices.
    pub(crate) fn address(&self) -> u64 {
        let block = match &self.block.bytes {
            Bytes::Device(memory) => memory.address(),
            Bytes::Host(memory) => memory.address(),
        };
        block + self.start
    }

    pub(crate) fn overlaps(&self, other: &Range) -> bool {
        Arc::ptr_eq(&self.block, &other.block)
            && self.start < other.start + other.length
            && other.start < self.start + self.length
    }

    /// Returns the bytes of a range in memory of the host.
    pub(crate) fn to_vec(&self) -> Result<Vec<u8>, Error> {
        let Bytes::Host(memory) = &self.block.bytes else {
            return Err(Error::Unsupported("work of the host in memory of a device"));
        };
        let mut bytes = zeros(self.length)?;
        memory.read(self.start, &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the first byte of a range in memory of the host.
    pub(crate) fn first_byte(&self) -> Result<u8, Error> {
        let (Bytes::Host(memory), 1..) = (&self.block.bytes, self.length) else {
            return Err(Error::Unsupported("a decision in memory of a device"));
        };
        let mut byte = [0];
        memory.read(self.start, &mut byte)?;
        Ok(byte[0])
    }

    /// Writes a range in memory of the host.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        match &self.block.bytes {
            Bytes::Host(memory) => Ok(memory.write(self.start, bytes)?),
            Bytes::Device(_) => Err(Error::Unsupported("work of the host in memory of a device")),
        }
    }
}

/// Returns bytes of a size.
pub(crate) fn zeros(size: u64) -> Result<Vec<u8>, Error> {
    let size = usize::try_from(size);
    let size = size.map_err(|_| CudaError::invalid("an operand", "a size out of range"))?;
    Ok(vec![0; size])
}

/// Returns the range of a buffer. `root` and `bound` are the meanings of names.
pub(crate) fn resolve(
    part: &Part,
    buffer: BufferId,
    root: &impl Fn(usize) -> Option<Arc<Block>>,
    bound: &impl Fn(BufferId) -> Option<Range>,
) -> Option<Range> {
    if let Some(range) = bound(buffer) {
        return Some(range);
    }
    match *part.buffers.get(buffer.0 as usize)? {
        Buffer::Slice {
            root: of,
            offset,
            size,
        } => Range::new(root(of.0 as usize)?, offset, size),
        Buffer::View { of, offset, size } if of < buffer => {
            resolve(part, of, root, bound)?.view(offset, size)
        }
        _ => None,
    }
}
