//! The last accesses of each byte.
//!
//! ```text
//!   root 0   0 ──── 16 ──────── 64           a write replaces the accesses of its range,
//!            write a  write b                 a read is added to them
//!                     read c, d
//! ```
//!
//! A command depends on the last writes of the bytes that it reads, and on the last writes and all
//! later reads of those that it writes. Earlier accesses come before these. Of several accesses by
//! one stream, whose commands are in order, the last one is kept.
//!
//! Cost: O(log A) for each access, amortized, with A ranges.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Bytes of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Range {
    pub(crate) root: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// The bytes that a buffer may be.
pub(crate) type Ranges = SmallVec<[Range; 1]>;

/// The owner of the accesses of a command that is on no stream yet.
pub(crate) const NO_OWNER: u32 = u32::MAX;

/// An access: the command by its index in the body, the iteration, and the agent that owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) item: u32,
    pub(crate) iteration: u32,
    pub(crate) owner: u32,
}

/// Bytes with equal accesses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    pub(crate) end: u64,
    pub(crate) writes: SmallVec<[Mark; 1]>,
    pub(crate) reads: SmallVec<[Mark; 2]>,
    /// Set if a command certainly wrote the bytes.
    pub(crate) is_written: bool,
}

/// The last accesses of bytes in one body.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    roots: FxHashMap<u32, BTreeMap<u64, Segment>>,
}

impl Memory {
    /// Passes the accesses that conflict with a new one to `conflict`, and the bytes that no
    /// command has certainly written to `exposed`.
    pub(crate) fn conflicts(
        &self,
        range: Range,
        is_write: bool,
        mut conflict: impl FnMut(Mark),
        mut exposed: impl FnMut(u64, u64),
    ) {
        let mut position = range.start;
        if let Some(map) = self.roots.get(&range.root) {
            let first = map.range(..=range.start).next_back();
            let first = first.filter(|(_, segment)| segment.end > range.start);
            let first = first.map_or(range.start, |(start, _)| *start);
            for (&start, segment) in map.range(first..range.end) {
                let (from, to) = (start.max(range.start), segment.end.min(range.end));
                if from > position {
                    exposed(position, from);
                }
                if !segment.is_written {
                    exposed(from, to);
                }
                segment.writes.iter().for_each(|mark| conflict(*mark));
                if is_write {
                    segment.reads.iter().for_each(|mark| conflict(*mark));
                }
                position = to;
            }
        }
        if position < range.end {
            exposed(position, range.end);
        }
    }

    /// Replaces all accesses of a range by a write that certainly happens.
    pub(crate) fn write(&mut self, range: Range, mark: Mark) {
        self.clear(range);
        if let Some(segment) = self.root(range.root).get_mut(&range.start) {
            segment.writes.push(mark);
        }
    }

    /// Forgets all accesses of a range, which is certainly written.
    pub(crate) fn clear(&mut self, range: Range) {
        if range.start >= range.end {
            return;
        }
        let map = self.root(range.root);
        split(map, range.start);
        split(map, range.end);
        // One segment for the same range is the usual case.
        let mut covered = map.range(range.start..range.end).map(|(start, _)| *start);
        let first = covered.next();
        let others: Vec<u64> = covered.collect();
        for start in others {
            map.remove(&start);
        }
        if let Some(start) = first.filter(|start| *start != range.start) {
            map.remove(&start);
        }
        let segment = map.entry(range.start).or_default();
        segment.end = range.end;
        segment.writes.clear();
        segment.reads.clear();
        segment.is_written = true;
    }

    /// Adds an access to those of a range.
    pub(crate) fn add(&mut self, range: Range, is_write: bool, mark: Mark) {
        if range.start >= range.end {
            return;
        }
        let map = self.root(range.root);
        split(map, range.start);
        split(map, range.end);
        let mut gaps: SmallVec<[(u64, u64); 1]> = SmallVec::new();
        let mut position = range.start;
        for (&start, segment) in map.range_mut(range.start..range.end) {
            if start > position {
                gaps.push((position, start));
            }
            position = segment.end;
            put(segment, is_write, mark);
        }
        if position < range.end {
            gaps.push((position, range.end));
        }
        for (start, end) in gaps {
            let mut segment = Segment {
                end,
                ..Segment::default()
            };
            put(&mut segment, is_write, mark);
            map.insert(start, segment);
        }
    }

    /// Returns all segments with their roots, in order.
    pub(crate) fn segments(&self) -> Vec<(Range, &Segment)> {
        let mut roots: Vec<_> = self.roots.iter().collect();
        roots.sort_unstable_by_key(|(root, _)| **root);
        let segments = roots.into_iter().flat_map(|(&root, map)| {
            map.iter().map(move |(&start, segment)| {
                let end = segment.end;
                (Range { root, start, end }, segment)
            })
        });
        segments.collect()
    }

    fn root(&mut self, root: u32) -> &mut BTreeMap<u64, Segment> {
        self.roots.entry(root).or_default()
    }
}

/// Adds an access in place of an earlier one of its owner.
fn put(segment: &mut Segment, is_write: bool, mark: Mark) {
    fn put_into<A: smallvec::Array<Item = Mark>>(marks: &mut SmallVec<A>, mark: Mark) {
        if mark.owner == NO_OWNER {
            if marks.last() != Some(&mark) {
                marks.push(mark);
            }
            return;
        }
        match marks.iter_mut().find(|other| other.owner == mark.owner) {
            Some(other) => *other = mark,
            None => marks.push(mark),
        }
    }
    match is_write {
        true => put_into(&mut segment.writes, mark),
        false => put_into(&mut segment.reads, mark),
    }
}

/// Lets a segment start at a position.
fn split(map: &mut BTreeMap<u64, Segment>, at: u64) {
    let Some((&start, segment)) = map.range_mut(..at).next_back() else {
        return;
    };
    if start < at && segment.end > at {
        let upper = segment.clone();
        segment.end = at;
        map.insert(at, upper);
    }
}
