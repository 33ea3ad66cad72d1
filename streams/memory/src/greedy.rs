//! Placement of buffers one after the other, in a given order.
//!
//! ```text
//!   order: d, a, c, b        first fit: the lowest gap between the conflicting buffers
//!                            best fit: the smallest gap
//!   bytes ▲                  lowest: the buffer whose lowest offset is the least comes next,
//!         │  ┌─ c ─┐                 and the order decides between equals
//!         │  └─────┘    ┌─ b ─┐
//!         │  ┌── a ──┐  └─────┘
//!         └──┴───────┴──────────► time
//! ```
//!
//! Sources: greedy by size is that of TensorFlow Lite (Pisarchyk and Lee, "Efficient memory
//! management for deep neural net inference", 2020), best fit that of XLA's heap simulator. The
//! rule *lowest* is the first descent of the search.
//!
//! An order costs O(N log N + P log D) for N buffers and P conflicts, where D is the largest number
//! of conflicts of one buffer.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::instance::Lists;

/// Buffers with sizes, alignments and conflicts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conflicts<'g> {
    pub(crate) sizes: &'g [u64],
    pub(crate) alignments: &'g [u64],
    pub(crate) neighbours: &'g Lists,
}

/// The offset of a buffer without one.
const OPEN: u64 = u64::MAX;

/// The choice between the gaps in which a buffer fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    First,
    Best,
}

/// Places buffers in an order, and returns their offsets.
pub(crate) fn place(conflicts: Conflicts, order: &[u32], fit: Fit) -> Vec<u64> {
    let mut offsets = vec![OPEN; conflicts.sizes.len()];
    let mut taken = Vec::new();
    for &buffer in order {
        taken.clear();
        for &other in conflicts.neighbours.of(buffer) {
            let offset = offsets[other as usize];
            if offset != OPEN {
                taken.push((offset, offset + conflicts.sizes[other as usize]));
            }
        }
        taken.sort_unstable();
        let size = conflicts.sizes[buffer as usize];
        let alignment = conflicts.alignments[buffer as usize];
        offsets[buffer as usize] = find_gap(&taken, size, alignment, fit);
    }
    offsets
}

/// Returns an offset between sorted ranges, or after the last one.
fn find_gap(taken: &[(u64, u64)], size: u64, alignment: u64, fit: Fit) -> u64 {
    let mut best: Option<(u64, u64)> = None;
    let mut offset = 0;
    for &(start, end) in taken {
        if offset + size <= start {
            let gap = (start - offset, offset);
            match fit {
                Fit::First => return offset,
                Fit::Best => best = Some(best.map_or(gap, |best| best.min(gap))),
            }
        }
        if end > offset {
            offset = end.next_multiple_of(alignment);
        }
    }
    best.map_or(offset, |(_, offset)| offset)
}

/// Places buffers by their lowest offsets, in the given order where they are equal.
pub(crate) fn place_lowest(conflicts: Conflicts, order: &[u32]) -> Vec<u64> {
    let mut lows = vec![0; conflicts.sizes.len()];
    let mut is_placed = vec![false; lows.len()];
    let mut ranks = vec![0; lows.len()];
    let mut queue = BinaryHeap::with_capacity(order.len());
    for (rank, &buffer) in (0u32..).zip(order) {
        ranks[buffer as usize] = rank;
        queue.push(Reverse((0, rank)));
    }
    while let Some(Reverse((low, rank))) = queue.pop() {
        let buffer = order[rank as usize] as usize;
        if is_placed[buffer] || low < lows[buffer] {
            continue;
        }
        is_placed[buffer] = true;
        let top = low + conflicts.sizes[buffer];
        for &other in conflicts.neighbours.of(buffer as u32) {
            let index = other as usize;
            if !is_placed[index] && lows[index] < top {
                lows[index] = top.next_multiple_of(conflicts.alignments[index]);
                queue.push(Reverse((lows[index], ranks[index])));
            }
        }
    }
    lows
}
