//! The memory of a run, which several threads access.
//!
//! ```text
//!   Block ── bytes of a root: own ones, or those of the caller; or of one allocation in debug mode
//!     └─ Part ── a range of it: the operand of a command
//! ```
//!
//! # Contract
//!
//! Threads access a block at the same time, without locks. [`operands`] turns the ranges of a
//! command into slices for the time of its execution. Its caller guarantees that no other command
//! that conflicts with it executes meanwhile: commands run only from lists that the checker has
//! verified ([`crate::Verified`]), and in the order of their streams and events, which are acquire
//! and release operations. The checker proves that conflicting accesses are ordered. Operands of
//! one command that overlap are not left to it: a read of bytes that the command also writes gets a
//! copy, and two writes that overlap are an error.
//!
//! Blocks of the caller's memory end before [`borrow`] does. All ranges are within their blocks:
//! [`Part::new`] checks them. Bytes of the caller that are only read are never an operand that is
//! written: the run checks that before it executes the command.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

/// The alignment of blocks in bytes: that of the widest vectors, and of cache lines.
const ALIGNMENT: usize = 64;

/// Memory of the caller: an external root of the entry part.
#[derive(Debug)]
pub enum Memory<'m> {
    /// Bytes that the list only reads.
    Read(&'m [u8]),
    /// Bytes that the list writes, and may read.
    Write(&'m mut [u8]),
}

impl Memory<'_> {
    /// Returns the number of bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Read(bytes) => bytes.len(),
            Self::Write(bytes) => bytes.len(),
        }
    }
}

/// An operand of a kernel.
#[derive(Debug)]
pub enum Operand<'m> {
    /// Bytes that it reads.
    Read(&'m [u8]),
    /// Bytes that it writes.
    Write(&'m mut [u8]),
    /// Bytes that it reads and writes.
    Update(&'m mut [u8]),
    /// Bytes for its own use: their content is undefined before and after.
    Scratch(&'m mut [u8]),
}

/// The way in which a command uses a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Reads all bytes.
    Read,
    /// Writes all bytes.
    Write,
    /// Reads and writes all bytes.
    Update,
    /// Uses all bytes as workspace.
    Scratch,
}

/// Bytes that threads share.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    size: usize,
    /// Of memory that the block has allocated.
    layout: Option<Layout>,
    is_writable: bool,
}

// SAFETY: the bytes are plain numbers. Shared access is limited by the contract of the module.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            // SAFETY: `filled` has allocated the block with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

impl Block {
    /// Returns a block of a size that is filled with a byte; none if the size is out of range.
    pub(crate) fn filled(size: usize, byte: u8) -> Option<Arc<Self>> {
        let layout = Layout::from_size_align(size.max(1), ALIGNMENT).ok()?;
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        if byte != 0 {
            // SAFETY: the block has been allocated with this size.
            unsafe { start.write_bytes(byte, size) };
        }
        Some(Arc::new(Self {
            start,
            size,
            layout: Some(layout),
            is_writable: true,
        }))
    }

    /// Returns whether commands may write the bytes.
    pub(crate) fn is_writable(&self) -> bool {
        self.is_writable
    }
}

/// Calls a function with the memory of the caller as blocks. Returns when nobody has the blocks any
/// more.
pub(crate) fn borrow<R>(memory: &mut [Memory<'_>], run: impl FnOnce(&[Arc<Block>]) -> R) -> R {
    let blocks = memory.iter_mut().map(|memory| {
        let (start, size, is_writable) = match memory {
            Memory::Read(bytes) => (bytes.as_ptr().cast_mut(), bytes.len(), false),
            Memory::Write(bytes) => (bytes.as_mut_ptr(), bytes.len(), true),
        };
        Arc::new(Block {
            start: NonNull::new(start).unwrap_or(NonNull::dangling()),
            size,
            layout: None,
            is_writable,
        })
    });
    let borrowed = Borrowed(blocks.collect());
    run(&borrowed.0)
}

/// Blocks that must not outlive their memory.
struct Borrowed(Vec<Arc<Block>>);

impl Drop for Borrowed {
    fn drop(&mut self) {
        for block in &self.0 {
            // Streams drop their commands before they end, so this is a matter of instructions.
            while Arc::strong_count(block) > 1 {
                std::thread::yield_now();
            }
        }
        // What the last owner has done comes before what the caller does.
        fence(Ordering::Acquire);
    }
}

/// A range of a block.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    block: Arc<Block>,
    start: usize,
    length: usize,
}

impl Part {
    /// Returns a range, if it is within the block.
    pub(crate) fn new(block: Arc<Block>, start: usize, length: usize) -> Option<Self> {
        let end = start.checked_add(length)?;
        (end <= block.size).then_some(Self {
            block,
            start,
            length,
        })
    }

    /// Returns a range of this one.
    pub(crate) fn view(&self, start: usize, length: usize) -> Option<Self> {
        let end = start.checked_add(length)?;
        match end <= self.length {
            true => Self::new(
                Arc::clone(&self.block),
                self.start.checked_add(start)?,
                length,
            ),
            false => None,
        }
    }

    /// Returns the size of the block.
    pub(crate) fn whole(&self) -> usize {
        self.block.size
    }

    /// Returns whether commands may write the bytes.
    pub(crate) fn is_writable(&self) -> bool {
        self.block.is_writable()
    }

    fn pointer(&self) -> *mut u8 {
        // SAFETY: `new` has checked that the range is within the block.
        unsafe { self.block.start.add(self.start) }.as_ptr()
    }

    /// Returns the bytes.
    ///
    /// # Safety
    ///
    /// Nobody writes them while the slice exists.
    unsafe fn slice(&self) -> &[u8] {
        // SAFETY: `new` has checked the range, and `self` keeps the block.
        unsafe { std::slice::from_raw_parts(self.pointer(), self.length) }
    }

    /// Returns the bytes.
    ///
    /// # Safety
    ///
    /// Nobody accesses them while the slice exists.
    #[allow(clippy::mut_from_ref, reason = "the bytes are behind a pointer")]
    unsafe fn slice_mut(&self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.pointer(), self.length) }
    }

    fn overlaps(&self, other: &Part) -> bool {
        Arc::ptr_eq(&self.block, &other.block)
            && self.start < other.start + other.length
            && other.start < self.start + self.length
    }
}

/// Calls a function with the operands of a command, unless two that are written overlap. Returns
/// the result of the call; none if it is not called. A read that overlaps a written operand gets a
/// copy of its bytes.
///
/// No command that conflicts with this one executes meanwhile: see the contract of the module.
pub(crate) fn operands<R>(
    uses: &[(Part, Use)],
    call: impl FnOnce(&mut [Operand<'_>]) -> R,
) -> Option<R> {
    let mut copies: Vec<Option<Vec<u8>>> = Vec::with_capacity(uses.len());
    for (index, (part, kind)) in uses.iter().enumerate() {
        let overlapping = uses
            .iter()
            .enumerate()
            .any(|(other_index, (other, other_kind))| {
                other_index != index && *other_kind != Use::Read && part.overlaps(other)
            });
        copies.push(match (overlapping, kind) {
            (false, _) => None,
            // SAFETY: `slice` has its contract below; no operand is a slice yet.
            (true, Use::Read) => Some(unsafe { part.slice() }.to_vec()),
            (true, _) => return None,
        });
    }
    let operands = uses
        .iter()
        .zip(&copies)
        .map(|((part, kind), copy)| match (kind, copy) {
            (Use::Read, Some(copy)) => Operand::Read(copy),
            // SAFETY: nobody writes the range meanwhile: other commands by the contract of the
            // module, other operands because none that is written overlaps it.
            (Use::Read, None) => Operand::Read(unsafe { part.slice() }),
            (kind, _) => {
                // SAFETY: nobody else accesses the range meanwhile: other commands by the contract,
                // other operands because those that overlap it have copies, or nothing is called.
                let bytes = unsafe { part.slice_mut() };
                match kind {
                    Use::Write => Operand::Write(bytes),
                    Use::Update => Operand::Update(bytes),
                    _ => Operand::Scratch(bytes),
                }
            }
        });
    let mut operands: Vec<Operand<'_>> = operands.collect();
    Some(call(&mut operands))
}
