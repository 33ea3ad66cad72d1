//! The working memory of a compiled graph: an offset for each buffer.
//!
//! ```text
//! time ──►   1   2   3   4   5         offset
//! b3         ├───────┤                 0
//! b4             ├───────────┤         256
//! b5                     ├───┤         0        b3 is not used any more
//! ```
//!
//! A buffer lives from its first to its last use, in the order of the plan. One that exists before
//! a loop and is used in it lives to the end of the loop, as does the memory that a loop carries.
//! Buffers get the smallest free block that fits, in the order of their first uses (linear scan,
//! best fit). Logarithmic for each buffer, and linear in uses times the depth of loops.
//!
//! Buffers whose sizes are multiples of the same unknown size are in a part of the memory of their
//! own, whose unit is this size. They do not use the memory of others.
//!
//! Not guaranteed: the least memory, which is hard to find. [`Layout::bound`] is a lower bound for
//! the buffers of known sizes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::plan::{Place, Plan, Step};
use crate::extent::Extent;

/// The alignment of buffers, in bytes: that of tensors.
const ALIGNMENT: u64 = 64;

/// The alignment of buffers in parts of unknown size, in units: that of elements.
const UNIT_ALIGNMENT: u64 = 8;

/// The place of a buffer in the working memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offset {
    /// In bytes.
    Known(u64),
    /// In a part, in units.
    Part { part: usize, units: u64 },
}

/// A part of the working memory.
#[derive(Debug)]
pub(super) struct Part {
    /// The size in units.
    pub(super) units: u64,
    /// The size of a unit in bytes.
    pub(super) unit: Extent,
}

/// The places of the buffers in the working memory.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// By buffer; 0 for buffers elsewhere.
    pub(super) places: Vec<Offset>,
    /// The size of the memory for buffers of known sizes, in bytes.
    pub(super) size: u64,
    /// The parts for the other buffers.
    pub(super) parts: Vec<Part>,
    /// The largest number of bytes of known sizes that live at one time.
    pub(super) bound: u64,
}

/// Returns the places of the buffers of a plan.
pub(super) fn layout(plan: &Plan) -> Layout {
    let mut lifetimes = Lifetimes {
        spans: vec![None; plan.buffers.len()],
        roots: BTreeMap::new(),
        loops: Vec::new(),
        time: 0,
    };
    lifetimes.sequence(&plan.steps);
    place(plan, &lifetimes.spans)
}

/// The first and the last use of a buffer.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: usize,
    last: usize,
}

struct Lifetimes {
    spans: Vec<Option<Span>>,
    /// The buffers that a carried one may be.
    roots: BTreeMap<usize, Vec<usize>>,
    /// The open loops: their start, and the buffers that live to their end.
    loops: Vec<(usize, Vec<usize>)>,
    time: usize,
}

impl Lifetimes {
    /// Recursive in the regions of the plan, whose depth is bounded.
    fn sequence(&mut self, steps: &[Step]) {
        for step in steps {
            self.time += 1;
            match step {
                Step::Compute { .. } | Step::Fail(_) => {}
                Step::Load { buffer, .. } | Step::Store { buffer, .. } => self.touch(*buffer),
                Step::Run(call) => call.buffers.iter().for_each(|&buffer| self.touch(buffer)),
                Step::Rows(rows) => {
                    let buffers = rows.calls.iter().flat_map(|call| &call.call.buffers);
                    buffers.for_each(|&buffer| self.touch(buffer));
                }
                Step::Copy { from, to } => [from, to]
                    .into_iter()
                    .for_each(|&buffer| self.touch(buffer)),
                Step::Branch { branches, .. } => {
                    branches
                        .iter()
                        .for_each(|branch| self.sequence(&branch.steps));
                }
                Step::Loop(inner) => {
                    for carried in &inner.buffers {
                        let mut roots = carried.slots.to_vec();
                        roots.extend(self.roots_of(carried.initial));
                        for name in [carried.current, carried.last] {
                            self.roots.insert(name, roots.clone());
                        }
                        self.roots.insert(carried.next, carried.slots.to_vec());
                        roots.into_iter().for_each(|root| self.touch(root));
                    }
                    self.loops.push((self.time, Vec::new()));
                    self.time += 1;
                    for carried in &inner.buffers {
                        self.touch(carried.current);
                    }
                    self.sequence(&inner.condition.steps);
                    self.sequence(&inner.body.steps);
                    self.time += 1;
                    let (_, living) = self.loops.pop().expect("the loop is open");
                    living.into_iter().for_each(|buffer| self.touch(buffer));
                }
            }
        }
    }

    fn roots_of(&self, buffer: usize) -> Vec<usize> {
        self.roots
            .get(&buffer)
            .cloned()
            .unwrap_or_else(|| vec![buffer])
    }

    /// Extends the life of a buffer to the current time, and to the end of the outermost loop that
    /// started after its first use.
    fn touch(&mut self, buffer: usize) {
        for root in self.roots_of(buffer) {
            let time = self.time;
            let span = self.spans[root].get_or_insert(Span {
                first: time,
                last: time,
            });
            span.last = time;
            let first = span.first;
            let around = self.loops.iter_mut().find(|(start, _)| first <= *start);
            if let Some((_, living)) = around
                && living.last() != Some(&root)
            {
                living.push(root);
            }
        }
    }
}

fn place(plan: &Plan, spans: &[Option<Span>]) -> Layout {
    let mut layout = Layout {
        places: vec![Offset::Known(0); spans.len()],
        ..Layout::default()
    };
    let in_arena = |buffer: &usize| plan.buffers.get(*buffer).place == Place::Arena;
    let mut order: Vec<(Span, usize)> = (0..spans.len())
        .filter(in_arena)
        .filter_map(|buffer| Some((spans[buffer]?, buffer)))
        .collect();
    order.sort_by_key(|(span, buffer)| (span.first, *buffer));
    // The first blocks are those of known sizes.
    let mut all = vec![Blocks::default()];
    let mut living: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    let mut used = 0;
    for (span, buffer) in order {
        while let Some(&Reverse((last, dead))) = living.peek()
            && last < span.first
        {
            living.pop();
            let (_, size) = size(plan, dead);
            match layout.places[dead] {
                Offset::Known(offset) => {
                    used -= size;
                    all[0].release(offset, size);
                }
                Offset::Part { part, units } => all[part + 1].release(units, size),
            }
        }
        let (unit, size) = size(plan, buffer);
        layout.places[buffer] = match unit.as_known() {
            Some(_) => {
                used += size;
                layout.bound = layout.bound.max(used);
                Offset::Known(all[0].take(size))
            }
            None => {
                let known = layout.parts.iter().position(|part| part.unit == unit);
                let part = known.unwrap_or_else(|| {
                    layout.parts.push(Part { units: 0, unit });
                    all.push(Blocks::default());
                    layout.parts.len() - 1
                });
                let units = all[part + 1].take(size);
                Offset::Part { part, units }
            }
        };
        living.push(Reverse((span.last, buffer)));
    }
    layout.size = all[0].end;
    for (part, blocks) in layout.parts.iter_mut().zip(&all[1..]) {
        part.units = blocks.end;
    }
    layout
}

/// Returns the unit of the size of a buffer, and its size in units, up to the next aligned offset.
fn size(plan: &Plan, buffer: usize) -> (Extent, u64) {
    let buffer = plan.buffers.get(buffer);
    let unit = buffer.count.divided(&Extent::known(buffer.count.factor()));
    let unit = unit.unwrap_or(Extent::known(1));
    let alignment = match unit.as_known() {
        Some(_) => ALIGNMENT,
        None => UNIT_ALIGNMENT,
    };
    let size = buffer.count.factor() as u64 * buffer.element.size();
    (unit, size.next_multiple_of(alignment))
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
    /// Takes a block of a size: from the smallest free one that is large enough, or at the end.
    fn take(&mut self, size: u64) -> u64 {
        if size == 0 {
            return 0;
        }
        if let Some(&(free, offset)) = self.by_size.range((size, 0)..).next() {
            self.remove(offset, free);
            self.insert(offset + size, free - size);
            return offset;
        }
        let last = self
            .by_offset
            .last_key_value()
            .map(|(&offset, &free)| (offset, free));
        let offset = match last.filter(|(offset, free)| offset + free == self.end) {
            Some((offset, free)) => {
                self.remove(offset, free);
                offset
            }
            None => self.end,
        };
        self.end = offset + size;
        offset
    }

    /// Frees a block, and joins it with its free neighbours.
    fn release(&mut self, mut offset: u64, mut size: u64) {
        if size == 0 {
            return;
        }
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
        let offsets: Vec<u64> = (0..4).map(|_| blocks.take(64)).collect();
        assert_eq!(offsets, [0, 64, 128, 192]);
        blocks.release(64, 64);
        blocks.release(192, 64);
        blocks.release(128, 64);
        assert_eq!(blocks.take(192), 64);
        assert_eq!(blocks.end, 256);
    }

    #[test]
    fn the_last_block_grows() {
        let mut blocks = Blocks::default();
        assert_eq!([blocks.take(64), blocks.take(64)], [0, 64]);
        blocks.release(64, 64);
        assert_eq!(blocks.take(256), 64);
        assert_eq!(blocks.end, 320);
    }

    #[test]
    fn the_smallest_block_is_taken() {
        let mut blocks = Blocks::default();
        assert_eq!([(); 5].map(|()| blocks.take(128)), [0, 128, 256, 384, 512]);
        blocks.release(0, 256);
        blocks.release(384, 128);
        assert_eq!(blocks.take(64), 384);
    }
}
