//! The memory of a run, which several threads access.
//!
//! ```text
//!   Block ── bytes of a root, or of one allocation in debug mode
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
//! All ranges are within their blocks: [`Part::new`] checks them.

use std::cell::UnsafeCell;
use std::sync::Arc;

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
pub(crate) enum Use {
    Read,
    Write,
    Update,
    Scratch,
}

/// Bytes that threads share.
#[derive(Debug)]
pub(crate) struct Block {
    bytes: Box<[UnsafeCell<u8>]>,
}

// SAFETY: the bytes are plain numbers. Shared access is limited by the contract of the module.
unsafe impl Sync for Block {}

impl Block {
    /// Returns a block with a content.
    pub(crate) fn new(bytes: &[u8]) -> Arc<Self> {
        let bytes = bytes.iter().map(|byte| UnsafeCell::new(*byte));
        Arc::new(Self {
            bytes: bytes.collect(),
        })
    }

    /// Returns a block of a size that is filled with a byte.
    pub(crate) fn filled(size: usize, byte: u8) -> Arc<Self> {
        let bytes = (0..size).map(|_| UnsafeCell::new(byte));
        Arc::new(Self {
            bytes: bytes.collect(),
        })
    }

    /// Returns the bytes, if no one else has the block.
    pub(crate) fn into_bytes(self: Arc<Self>) -> Option<Vec<u8>> {
        let block = Arc::into_inner(self)?;
        let bytes = block.bytes.into_vec().into_iter();
        Some(bytes.map(UnsafeCell::into_inner).collect())
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
        (end <= block.bytes.len()).then_some(Self {
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
        self.block.bytes.len()
    }

    fn pointer(&self) -> *mut u8 {
        // `UnsafeCell<u8>` has the layout of `u8`.
        UnsafeCell::raw_get(self.block.bytes[self.start..].as_ptr())
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
    #[allow(clippy::mut_from_ref, reason = "the bytes are in cells")]
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
/// whether it is called. A read that overlaps a written operand gets a copy of its bytes.
///
/// No command that conflicts with this one executes meanwhile: see the contract of the module.
pub(crate) fn operands(uses: &[(Part, Use)], call: impl FnOnce(&mut [Operand<'_>])) -> bool {
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
            (true, _) => return false,
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
    call(&mut operands);
    true
}
