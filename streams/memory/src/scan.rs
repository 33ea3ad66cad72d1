//! Linear scan: buffers get free blocks in the order of time.
//!
//! ```text
//!   time ──►   1   2   3   4   5         offset
//!   b0         ├───────┤                 0
//!   b1             ├───────────┤         256
//!   b2                     ├───┤         0        b0 is free again
//! ```
//!
//! The scan runs forward or backward in time, and takes the smallest or the lowest free block that
//! is large enough. Of a lifetime with gaps, it uses the whole. If there are several chains, each
//! has its part of the memory, above that of the chain before it: this fallback uses no pair of
//! conflicting buffers, of which there may be too many.
//!
//! Cost: O(N log N) with best fit. First fit visits the free blocks in ascending order.
//!
//! Source: Poletto and Sarkar, "Linear scan register allocation" (1999), for the scan; Knuth, *The
//! art of computer programming*, 2.5, for the fits.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::greedy::Fit;
use crate::instance::Shape;
use crate::order::Order;

/// The direction of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Backward,
}

/// Returns the offsets of all buffers.
pub(crate) fn scan(order: &Order, shape: &Shape, direction: Direction, fit: Fit) -> Vec<u64> {
    let mut offsets = vec![0; shape.sizes.len()];
    let mut base = 0;
    for chain in 0..order.chains.len() {
        let mut lifetimes = lifetimes(order, chain);
        if direction == Direction::Backward {
            let count = order.chains[chain].len() as u32;
            for (start, end, _) in &mut lifetimes {
                (*start, *end) = (count - *end, count - *start);
            }
        }
        lifetimes.sort_unstable();
        base = scan_chain(&lifetimes, shape, fit, base, &mut offsets);
    }
    offsets
}

/// Returns the start and the end of each buffer of a chain, as indices of elements.
fn lifetimes(order: &Order, chain: usize) -> Vec<(u32, u32, u32)> {
    let mut by_buffer: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (index, &element) in (0..).zip(&order.chains[chain]) {
        let end = order.until(element, chain);
        let lifetime = by_buffer
            .entry(order.buffers[element as usize])
            .or_insert((index, end));
        lifetime.1 = lifetime.1.max(end);
    }
    by_buffer
        .into_iter()
        .map(|(buffer, (start, end))| (start, end, buffer))
        .collect()
}

/// Places the buffers of a chain above `base`, and returns the end of their memory.
fn scan_chain(
    lifetimes: &[(u32, u32, u32)],
    shape: &Shape,
    fit: Fit,
    base: u64,
    offsets: &mut [u64],
) -> u64 {
    let mut blocks = Blocks {
        end: base,
        ..Blocks::default()
    };
    let mut live: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    for &(start, end, buffer) in lifetimes {
        while let Some(&Reverse((death, dead))) = live.peek()
            && death <= start
        {
            live.pop();
            blocks.release(offsets[dead as usize], shape.sizes[dead as usize]);
        }
        let index = buffer as usize;
        offsets[index] = blocks.take(shape.sizes[index], shape.alignments[index], fit);
        live.push(Reverse((end, buffer)));
    }
    blocks.end
}

/// The free blocks of memory.
#[derive(Debug, Default)]
struct Blocks {
    /// Sizes by offset.
    by_offset: BTreeMap<u64, u64>,
    /// Sizes and offsets.
    by_size: BTreeSet<(u64, u64)>,
    /// The end of the memory so far.
    end: u64,
}

impl Blocks {
    /// Takes bytes from a free block that is large enough, or at the end.
    fn take(&mut self, size: u64, alignment: u64, fit: Fit) -> u64 {
        let padding = |offset: u64| offset.next_multiple_of(alignment) - offset;
        let fits = |&(offset, free): &(u64, u64)| padding(offset) + size <= free;
        let block = match fit {
            Fit::First => self
                .by_offset
                .iter()
                .map(|(&offset, &free)| (offset, free))
                .find(fits),
            Fit::Best => {
                let large = self.by_size.range((size, 0)..);
                large.map(|&(free, offset)| (offset, free)).find(fits)
            }
        };
        let last = self
            .by_offset
            .last_key_value()
            .map(|(&offset, &free)| (offset, free));
        let last = last.filter(|(offset, free)| offset + free == self.end);
        let (start, free) = block.or(last).unwrap_or((self.end, 0));
        self.remove(start, free);
        let offset = start + padding(start);
        let end = (start + free).max(offset + size);
        self.insert(start, offset - start);
        self.insert(offset + size, end - (offset + size));
        self.end = self.end.max(end);
        offset
    }

    /// Frees a block, and joins it with its free neighbours.
    fn release(&mut self, mut offset: u64, mut size: u64) {
        if let Some((&before, &free)) = self.by_offset.range(..offset).next_back()
            && before + free == offset
        {
            self.remove(before, free);
            (offset, size) = (before, size + free);
        }
        if let Some(&free) = self.by_offset.get(&(offset + size)) {
            self.remove(offset + size, free);
            size += free;
        }
        self.insert(offset, size);
    }

    fn insert(&mut self, offset: u64, size: u64) {
        if size > 0 {
            self.by_offset.insert(offset, size);
            self.by_size.insert((size, offset));
        }
    }

    fn remove(&mut self, offset: u64, size: u64) {
        self.by_offset.remove(&offset);
        self.by_size.remove(&(size, offset));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_neighbours_are_joined() {
        let mut blocks = Blocks::default();
        assert_eq!(
            [(); 4].map(|()| blocks.take(64, 1, Fit::Best)),
            [0, 64, 128, 192]
        );
        blocks.release(64, 64);
        blocks.release(192, 64);
        blocks.release(128, 64);
        assert_eq!(blocks.take(192, 1, Fit::Best), 64);
        assert_eq!(blocks.end, 256);
    }

    #[test]
    fn the_last_block_grows() {
        let mut blocks = Blocks::default();
        assert_eq!([(); 2].map(|()| blocks.take(64, 1, Fit::First)), [0, 64]);
        blocks.release(64, 64);
        assert_eq!(blocks.take(256, 1, Fit::First), 64);
        assert_eq!(blocks.end, 320);
    }

    #[test]
    fn the_smallest_or_the_first_block_is_taken() {
        for (fit, offset) in [(Fit::Best, 384), (Fit::First, 0)] {
            let mut blocks = Blocks::default();
            let offsets = [(); 5].map(|()| blocks.take(128, 1, fit));
            assert_eq!(offsets, [0, 128, 256, 384, 512]);
            blocks.release(0, 256);
            blocks.release(384, 128);
            assert_eq!(blocks.take(64, 1, fit), offset);
        }
    }

    #[test]
    fn padding_is_free() {
        let mut blocks = Blocks::default();
        assert_eq!(blocks.take(10, 1, Fit::Best), 0);
        assert_eq!(blocks.take(10, 16, Fit::Best), 16);
        assert_eq!(blocks.take(6, 1, Fit::Best), 10);
        assert_eq!(blocks.end, 26);
    }
}
