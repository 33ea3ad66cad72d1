//! Numbers of blocks, edges, loops, regions, operations and slots in half the space.

use std::num::NonZeroU32;

/// The number of a block, edge, loop, region, operation or slot: a tree of regions holds dozens of
/// them for each block, and the time for a large function grows with the memory that is touched. Four billion blocks do not fit into the memory of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Number(NonZeroU32);

impl Number {
    /// The number of an index.
    pub(crate) fn of(number: usize) -> Self {
        // One more, so that an optional number needs no space of its own.
        let raw = u32::try_from(number + 1).ok().and_then(NonZeroU32::new);
        Self(raw.expect("fewer than four billion blocks"))
    }

    /// One more than the index.
    pub(crate) fn raw(self) -> NonZeroU32 {
        self.0
    }

    /// As an index.
    pub(crate) fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}
