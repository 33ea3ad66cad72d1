//! Blocks: arguments, operations, predecessors and successors, and changes.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use melior::ir::{Location, Type, TypeLike};

use crate::{Op, Region, Value, ffi};

/// A reference to a block. Equality, hash and order are those of the address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Block<'a>(pub(crate) NonNull<c_void>, pub(crate) PhantomData<&'a ()>);

impl fmt::Debug for Block<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Block({:p})", self.0)
    }
}

/// Contents and neighbours.
impl<'a> Block<'a> {
    /// Creates a detached block with arguments. The caller inserts or erases it.
    pub fn new(arguments: &[(Type<'a>, Location<'a>)]) -> Self {
        ffi::block(ffi::create_block(arguments))
    }

    /// Returns the region that contains it.
    #[inline]
    pub fn region(self) -> Option<Region<'a>> {
        ffi::option_region(ffi::block_parent_region(self.raw()))
    }

    /// Returns the operation that contains it.
    pub fn parent(self) -> Option<Op<'a>> {
        ffi::option_op(ffi::block_parent_op(self.raw()))
    }

    /// Returns whether it is the first block of its region.
    pub fn is_entry(self) -> bool {
        self.region()
            .is_some_and(|region| region.entry() == Some(self))
    }

    /// Returns the next block of its region.
    #[inline]
    pub fn next(self) -> Option<Block<'a>> {
        ffi::option_block(ffi::block_next(self.raw()))
    }

    /// Returns the previous block of its region.
    pub fn prev(self) -> Option<Block<'a>> {
        self.region()?;
        ffi::option_block(ffi::block_prev(self.raw()))
    }

    /// Returns the first operation.
    #[inline]
    pub fn first(self) -> Option<Op<'a>> {
        ffi::option_op(ffi::block_first_op(self.raw()))
    }

    /// Returns the last operation.
    pub fn last(self) -> Option<Op<'a>> {
        ffi::option_op(ffi::block_last_op(self.raw()))
    }

    /// Returns the last operation, if it is a terminator.
    pub fn terminator(self) -> Option<Op<'a>> {
        self.last()?;
        ffi::option_op(ffi::block_terminator(self.raw()))
    }

    /// Returns whether it has no operation.
    pub fn is_empty(self) -> bool {
        self.first().is_none()
    }

    /// Returns an iterator over the operations, without nested ones. The last operation returned
    /// may be erased or moved.
    #[inline]
    pub fn ops(self) -> impl Iterator<Item = Op<'a>> {
        let mut next = self.first();
        std::iter::from_fn(move || {
            let op = next?;
            next = op.next();
            Some(op)
        })
    }

    /// Returns an iterator over the operations from the last to the first.
    pub fn ops_backwards(self) -> impl Iterator<Item = Op<'a>> {
        let mut next = self.last();
        std::iter::from_fn(move || {
            let op = next?;
            next = op.prev();
            Some(op)
        })
    }

    /// Returns the successors of its terminator; a block may occur several times.
    pub fn successors(self) -> impl Iterator<Item = Block<'a>> {
        self.last().into_iter().flat_map(Op::successors)
    }

    /// Returns the branches to it: each terminator with the index of the successor. The order is
    /// that of MLIR's use list, which is the same in every run.
    pub fn incoming(self) -> Vec<(Op<'a>, usize)> {
        ffi::predecessors(self.raw())
    }

    /// Removes the values that branches forward to these arguments, and returns them. The arguments
    /// can be erased afterwards.
    pub fn erase_forwarded(self, arguments: &[usize]) -> Vec<Value<'a>> {
        let mut arguments = arguments.to_vec();
        arguments.sort_unstable_by(|a, b| b.cmp(a));
        let mut erased = Vec::new();
        for (branch, successor) in self.incoming() {
            if let Some(forwarded) = branch.successor_operands(successor) {
                for &argument in &arguments {
                    erased.extend(forwarded.value(argument));
                    forwarded.erase(argument);
                }
            }
        }
        erased
    }

    /// Returns the predecessors; a block may occur several times.
    pub fn predecessors(self) -> Vec<Block<'a>> {
        self.incoming()
            .into_iter()
            .filter_map(|(terminator, _)| terminator.block())
            .collect()
    }
}

/// Arguments.
impl<'a> Block<'a> {
    /// Returns the number of arguments.
    #[inline]
    pub fn num_arguments(self) -> usize {
        ffi::block_num_arguments(self.raw()) as usize
    }

    /// Returns an argument.
    ///
    /// # Panics
    ///
    /// If the index is out of range.
    #[inline]
    pub fn argument(self, index: usize) -> Value<'a> {
        assert!(
            index < self.num_arguments(),
            "the block has {} arguments, not {index}",
            self.num_arguments()
        );
        ffi::value(ffi::block_argument(self.raw(), index as isize))
    }

    /// Returns an iterator over the arguments.
    #[inline]
    pub fn arguments(self) -> impl ExactSizeIterator<Item = Value<'a>> + DoubleEndedIterator {
        (0..self.num_arguments())
            .map(move |index| ffi::value(ffi::block_argument(self.raw(), index as isize)))
    }

    /// Adds an argument after the others. The branches to the block are not changed.
    pub fn add_argument(self, ty: Type<'a>, location: Location<'a>) -> Value<'a> {
        let (ty, location) = (ty.to_raw(), location.to_raw());
        ffi::value(ffi::block_add_argument(self.raw(), ty, location))
    }

    /// Removes an argument. The branches to the block are not changed.
    ///
    /// # Panics
    ///
    /// If the argument has a use.
    pub fn erase_argument(self, index: usize) {
        let argument = self.argument(index);
        assert!(
            argument.is_unused(),
            "argument {index} of a block is erased while it has uses"
        );
        ffi::block_erase_argument(self.raw(), index as u32);
    }

    /// Removes all arguments. The branches to the block are not changed.
    ///
    /// # Panics
    ///
    /// If an argument has a use.
    pub fn erase_arguments(self) {
        for index in (0..self.num_arguments()).rev() {
            self.erase_argument(index);
        }
    }
}

/// Changes.
impl<'a> Block<'a> {
    /// Moves all operations of `source` to the end of this one.
    pub fn append_ops_of(self, source: Block<'a>) {
        ffi::block_splice(
            self.raw(),
            ffi::NULL_OP,
            source.raw(),
            ffi::NULL_OP,
            ffi::NULL_OP,
        );
    }

    /// Moves all operations of this block before `position`.
    pub fn splice_before(self, position: Op<'a>) {
        let target = position
            .block()
            .expect("operations are moved before one that is in a block");
        ffi::block_splice(
            target.raw(),
            position.raw(),
            self.raw(),
            ffi::NULL_OP,
            ffi::NULL_OP,
        );
    }

    /// Moves `op` and all after it into a new block that follows this one in its region. No branch
    /// is added.
    pub fn split_before(self, op: Op<'a>) -> Block<'a> {
        assert_eq!(
            op.block(),
            Some(self),
            "a block is split at one of its own operations"
        );
        ffi::block(ffi::block_split(self.raw(), op.raw()))
    }

    /// Removes it from its region. The caller inserts it elsewhere or erases it.
    pub fn detach(self) {
        if self.region().is_some() {
            ffi::block_detach(self.raw());
        }
    }

    /// Moves it to the end of `region`.
    pub fn move_to_end(self, region: Region<'a>) {
        self.detach();
        ffi::region_append(region.raw(), self.raw());
    }

    /// Moves it before `other`.
    pub fn move_before(self, other: Block<'a>) {
        let region = other
            .region()
            .expect("a block is moved before one that is in a region");
        self.detach();
        ffi::region_insert_before(region.raw(), other.raw(), self.raw());
    }

    /// Moves it after `other`.
    pub fn move_after(self, other: Block<'a>) {
        let region = other
            .region()
            .expect("a block is moved after one that is in a region");
        self.detach();
        ffi::region_insert_after(region.raw(), other.raw(), self.raw());
    }

    /// Erases it with its operations. No operation outside may use its values or branch to it.
    pub fn erase(self) {
        Self::erase_all(&[self]);
    }

    /// Erases blocks that may refer to each other, such as the unreachable ones of a region. No
    /// other block may use their values or branch to them.
    pub fn erase_all(blocks: &[Block<'a>]) {
        blocks
            .iter()
            .for_each(|block| ffi::block_drop_references(block.raw()));
        for block in blocks {
            block.detach();
            ffi::block_destroy(block.raw());
        }
    }
}
