//! The accesses and the content of the bytes of a root, by range.
//!
//! ```text
//! bytes    0        64       128            256
//!          ├────────┼────────┼──────────────┤
//! write    s0 @ 3   s0 @ 3   s1 @ 7                 the last write, one for each path
//! reads    s1 @ 5            s0 @ 9, s2 @ 4         the last read of each agent since then
//! content  value 1  value 1  value 4
//! owner    buffer 0 ──────── buffer 3
//! ```
//!
//! A write replaces the segments in its range by one; a read splits at most two. An access that is
//! ordered after the last write and the reads since then is ordered after all earlier accesses, so
//! nothing else is kept.
//!
//! Cost: logarithmic for each access, and linear in the segments that it overlaps. A write removes
//! all of these but one.

use std::collections::BTreeMap;

use smallvec::{Array, SmallVec};

use crate::diagnostic::Effect;
use crate::model::{BufferId, CommandId};

/// The number of a command execution. Later executions have larger numbers, on all paths.
pub(crate) type Position = u64;

/// A value of one execution of the command that writes it.
pub(crate) type Instance = u32;

/// An access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Touch {
    pub(crate) agent: u32,
    pub(crate) position: Position,
    pub(crate) command: CommandId,
    pub(crate) effect: Effect,
}

/// The content of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Content {
    /// No value that a name refers to.
    Nothing,
    /// The content at the start of the part.
    Entry,
    /// A value whose first byte would be at `origin`, modulo 2^64.
    Value { instance: Instance, origin: u64 },
}

/// The buffer for which bytes are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// The bytes have no lifetime.
    External,
    /// The bytes are not allocated.
    Dead,
    /// A slice.
    Buffer(BufferId),
}

/// Bytes with the same accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The byte after the last one.
    pub(crate) end: u64,
    /// The last write of each agent, on different paths. Allocation and release count as writes.
    pub(crate) writes: SmallVec<[Touch; 1]>,
    /// The last read of each agent since the writes.
    pub(crate) reads: SmallVec<[Touch; 2]>,
    pub(crate) content: Content,
    pub(crate) owner: Owner,
    /// Set if accesses from before the part may be the last ones.
    pub(crate) exposed: bool,
}

impl Segment {
    /// Returns the accesses that conflict with a new one.
    pub(crate) fn conflicts(&self, is_write: bool) -> impl Iterator<Item = &Touch> {
        let reads = self.reads.iter().filter(move |_| is_write);
        self.writes.iter().chain(reads)
    }

    /// Adds a read, in the place of an earlier one of the same agent.
    pub(crate) fn add_read(&mut self, touch: Touch) {
        add(&mut self.reads, touch);
    }

    /// Adds a write of another path, in the place of an earlier one of the same agent: whatever is
    /// ordered after the later one is ordered after both.
    pub(crate) fn add_write(&mut self, touch: Touch) {
        add(&mut self.writes, touch);
    }
}

fn add<A: Array<Item = Touch>>(touches: &mut SmallVec<A>, touch: Touch) {
    let mut known = touches.iter_mut();
    match known.find(|known| known.agent == touch.agent) {
        Some(known) if known.position <= touch.position => *known = touch,
        Some(_) => {}
        None => touches.push(touch),
    }
}

/// The bytes of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Segments by their first byte. They cover the root.
    segments: BTreeMap<u64, Segment>,
}

impl Memory {
    /// Returns a root without accesses.
    pub(crate) fn new(size: u64, owner: Owner, content: Content, exposed: bool) -> Self {
        let segment = Segment {
            end: size,
            writes: SmallVec::new(),
            reads: SmallVec::new(),
            content,
            owner,
            exposed,
        };
        Self {
            segments: BTreeMap::from([(0, segment)]),
        }
    }

    /// Returns all segments with their first bytes.
    pub(crate) fn segments(&self) -> impl Iterator<Item = (u64, &Segment)> {
        self.segments
            .iter()
            .map(|(&start, segment)| (start, segment))
    }

    /// Returns the segments that overlap a range, with the bounds of the overlap.
    pub(crate) fn overlaps(
        &self,
        start: u64,
        end: u64,
    ) -> impl Iterator<Item = (u64, u64, &Segment)> {
        let before = self.segments.range(..=start).next_back();
        let first = before.map_or(start, |(&first, _)| first);
        let range = self.segments.range(first..end.max(first));
        range
            .filter(move |(_, segment)| segment.end > start)
            .map(move |(&from, segment)| (from.max(start), segment.end.min(end), segment))
    }

    /// Replaces the segments of a range by one, up to `segment.end`.
    pub(crate) fn replace(&mut self, start: u64, segment: Segment) {
        let end = segment.end;
        if let Some(current) = self.segments.get_mut(&start)
            && current.end == end
        {
            *current = segment;
            return;
        }
        self.split(start);
        self.split(end);
        while let Some((&inner, _)) = self.segments.range(start..end).next_back() {
            self.segments.remove(&inner);
        }
        self.segments.insert(start, segment);
    }

    /// Changes the segments of a range.
    pub(crate) fn update(&mut self, start: u64, end: u64, mut change: impl FnMut(&mut Segment)) {
        self.split(start);
        self.split(end);
        for (_, segment) in self.segments.range_mut(start..end) {
            change(segment);
        }
    }

    /// Adds a segment after the last one.
    pub(crate) fn push(&mut self, start: u64, segment: Segment) {
        self.segments.insert(start, segment);
    }

    /// Returns memory without segments.
    pub(crate) fn empty() -> Self {
        Self {
            segments: BTreeMap::new(),
        }
    }

    /// Splits the segment around a position, so that one starts there.
    fn split(&mut self, at: u64) {
        if let Some((&start, segment)) = self.segments.range_mut(..=at).next_back()
            && start < at
            && at < segment.end
        {
            let after = segment.clone();
            segment.end = at;
            self.segments.insert(at, after);
        }
    }
}
