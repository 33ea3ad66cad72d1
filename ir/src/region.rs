//! Regions and their blocks.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use melior::ir::{Location, Type};

use crate::{Block, Op, ffi};

/// A reference to a region. Equality, hash and order are those of the address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Region<'a>(pub(crate) NonNull<c_void>, pub(crate) PhantomData<&'a ()>);

impl fmt::Debug for Region<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Region({:p})", self.0)
    }
}

impl<'a> Region<'a> {
    /// Returns the operation that it belongs to.
    pub fn parent(self) -> Option<Op<'a>> {
        ffi::option_op(ffi::region_parent_op(self.raw()))
    }

    /// Returns its index among the regions of its operation.
    pub fn number(self) -> usize {
        assert!(
            self.parent().is_some(),
            "only a region of an operation has a number"
        );
        ffi::region_number(self.raw()) as usize
    }

    /// Returns whether it has no block.
    pub fn is_empty(self) -> bool {
        self.entry().is_none()
    }

    /// Returns the first block.
    pub fn entry(self) -> Option<Block<'a>> {
        ffi::option_block(ffi::region_first_block(self.raw()))
    }

    /// Returns the last block.
    pub fn last(self) -> Option<Block<'a>> {
        ffi::option_block(ffi::region_last_block(self.raw()))
    }

    /// Returns the only block, if there is exactly one.
    pub fn single_block(self) -> Option<Block<'a>> {
        self.entry().filter(|block| block.next().is_none())
    }

    /// Returns the last operation of the only block, if there is just one block.
    pub fn terminator(self) -> Option<Op<'a>> {
        self.single_block()?.last()
    }

    /// Returns an iterator over the blocks. The last block returned may be erased or moved.
    pub fn blocks(self) -> impl Iterator<Item = Block<'a>> {
        let mut next = self.entry();
        std::iter::from_fn(move || {
            let block = next?;
            next = block.next();
            Some(block)
        })
    }

    /// Returns whether `op` is inside, at any depth.
    pub fn contains(self, op: Op<'a>) -> bool {
        std::iter::once(op)
            .chain(op.ancestors())
            .any(|op| op.parent_region() == Some(self))
    }

    /// Adds an empty block at the end.
    pub fn add_block(self, arguments: &[(Type<'a>, Location<'a>)]) -> Block<'a> {
        let block = Block::new(arguments);
        ffi::region_append(self.raw(), block.raw());
        block
    }

    /// Adds an empty block at the end, with arguments like those of `block`.
    pub fn add_block_like(self, block: Block<'a>) -> Block<'a> {
        let arguments = block.arguments();
        let arguments = arguments.map(|argument| (argument.ty(), argument.location()));
        self.add_block(&arguments.collect::<Vec<_>>())
    }

    /// Moves all blocks of `source` to the end of this one.
    pub fn append_blocks_of(self, source: Region<'a>) {
        ffi::region_splice(self.raw(), ffi::NULL_BLOCK, source.raw());
    }

    /// Moves all blocks of this one before `position`, in any region.
    pub fn splice_before(self, position: Block<'a>) {
        let target = position
            .region()
            .expect("blocks are moved before one that is in a region");
        ffi::region_splice(target.raw(), position.raw(), self.raw());
    }

    /// Erases all blocks.
    pub fn clear(self) {
        let blocks: Vec<_> = self.blocks().collect();
        Block::erase_all(&blocks);
    }
}
