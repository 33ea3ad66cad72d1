//! Indices of 32 bits.

use std::num::NonZeroU32;

/// The index of a block, edge, loop, region, operation or slot. A tree of regions has dozens of
/// them for each block, and memory traffic dominates the time for large functions. Memory is too
/// small for four billion blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Number(NonZeroU32);

impl Number {
    /// Converts an index.
    pub(crate) fn of(number: usize) -> Self {
        // The offset of one makes the type of an optional number equally large.
        let raw = u32::try_from(number + 1).ok().and_then(NonZeroU32::new);
        Self(raw.expect("fewer than four billion blocks"))
    }

    /// Returns the index plus one.
    pub(crate) fn raw(self) -> NonZeroU32 {
        self.0
    }

    /// Returns the index.
    pub(crate) fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}
