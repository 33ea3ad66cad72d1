//! The buffers of a problem and the relation of their lifetimes.
//!
//! ```text
//!   one stream                            several streams
//!   time ──►  0   1   2   3   4           stream 0  ──●a0────●a1─╮──────────►   last of a: [2, 1]
//!   a         ├───────┤                                          ▼ event
//!   b             ├───────┤               stream 1  ──●a2────────●──●b0─────►   before b:  [2, 2]
//!   c         ├───┤       ├───┤
//!   a and c share no byte, nor b and c    a happens before b: 2 <= 2 and 1 <= 2
//! ```
//!
//! Two buffers may share bytes if and only if all accesses of one happen before the first access of
//! the other. On one stream, a lifetime is an interval, or several intervals with gaps between them
//! in which the contents are not needed. On several streams, a lifetime has two vector clocks: the
//! position of the last access on each stream, and the positions that are known complete before
//! the first access (Mattern, "Virtual time and global states of distributed systems", 1989). The
//! comparison of two lifetimes is linear in the number of streams, without a table of pairs.
//!
//! Construction checks everything that the planner relies on, among it that no sum of sizes
//! overflows. It is linear in the input.

use thiserror::Error;

/// A buffer to place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The size in bytes.
    pub size: u64,
    /// A number in bytes, at least 1, that divides the offset. It need not be a power of two.
    pub alignment: u64,
}

/// The times from `start`, inclusive, to `end`, exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    /// The first time at which the buffer is live.
    pub start: u64,
    /// The first time at which the buffer is not live any more, greater than `start`.
    pub end: u64,
}

/// The lifetime of a buffer that several streams access.
///
/// Positions on a stream count from 1; 0 stands for the start of the stream. If the accesses of a
/// buffer have several minimal elements, `before` is the pointwise minimum of their clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// For each stream, the last position that is complete before the first access of the buffer.
    pub before: Vec<u64>,
    /// For each stream, the position of the last access of the buffer, or 0.
    pub last: Vec<u64>,
}

/// The relation of the lifetimes of buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lifetimes {
    /// For each buffer, its disjoint intervals on one time line, in ascending order.
    Intervals(Vec<Vec<Interval>>),
    /// For each buffer, its lifetime in a partial order.
    Spans(Vec<Span>),
}

/// Buffers with their lifetimes.
#[derive(Clone, Debug)]
pub struct Problem {
    buffers: Vec<Buffer>,
    lifetimes: Lifetimes,
}

/// An invalid problem. Buffers are named by their index.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    /// The number of lifetimes differs from that of buffers.
    #[error("expected {buffers} lifetimes, one for each buffer, got {lifetimes}")]
    Lengths {
        /// The number of buffers.
        buffers: usize,
        /// The number of lifetimes.
        lifetimes: usize,
    },
    /// There are more buffers, or intervals, than an index of 32 bits can name.
    #[error("expected at most {} buffers and intervals, got {count}", u32::MAX)]
    Count {
        /// The number of buffers or intervals.
        count: usize,
    },
    /// An alignment is 0.
    #[error("expected an alignment of at least 1 for buffer {buffer}, got 0")]
    Alignment {
        /// The buffer.
        buffer: usize,
    },
    /// The sizes with their alignments sum up to 2^63 bytes or more.
    #[error("expected sizes that sum up to less than 2^63 bytes, exceeded at buffer {buffer}")]
    TooLarge {
        /// The buffer at which the sum overflows.
        buffer: usize,
    },
    /// A buffer has no interval, an empty one, or intervals that overlap or are not in order.
    #[error("expected disjoint, non-empty intervals in ascending order for buffer {buffer}")]
    Intervals {
        /// The buffer.
        buffer: usize,
    },
    /// Clocks have different numbers of streams.
    #[error("expected clocks of {streams} streams for buffer {buffer}, as for buffer 0")]
    Streams {
        /// The number of streams of the first clock.
        streams: usize,
        /// The buffer.
        buffer: usize,
    },
    /// All accesses of a buffer happen before its first access.
    #[error("expected an access of buffer {buffer} after the clock of its first access")]
    NoAccess {
        /// The buffer.
        buffer: usize,
    },
}

impl Problem {
    /// Creates a problem.
    ///
    /// # Errors
    ///
    /// If the input is not well-formed: see the variants of [`enum@Error`].
    pub fn new(buffers: Vec<Buffer>, lifetimes: Lifetimes) -> Result<Self, Error> {
        check_buffers(&buffers)?;
        let count = match &lifetimes {
            Lifetimes::Intervals(intervals) => intervals.len(),
            Lifetimes::Spans(spans) => spans.len(),
        };
        if count != buffers.len() {
            return Err(Error::Lengths {
                buffers: buffers.len(),
                lifetimes: count,
            });
        }
        match &lifetimes {
            Lifetimes::Intervals(intervals) => check_intervals(intervals)?,
            Lifetimes::Spans(spans) => check_spans(spans)?,
        }
        Ok(Self { buffers, lifetimes })
    }

    /// Creates a problem with one interval for each buffer.
    ///
    /// # Errors
    ///
    /// As [`Problem::new`].
    pub fn with_intervals(
        buffers: Vec<Buffer>,
        intervals: impl IntoIterator<Item = Interval>,
    ) -> Result<Self, Error> {
        let lifetimes = intervals.into_iter().map(|interval| vec![interval]);
        Self::new(buffers, Lifetimes::Intervals(lifetimes.collect()))
    }

    /// Returns the buffers.
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// Returns the lifetimes of the buffers, in their order.
    pub fn lifetimes(&self) -> &Lifetimes {
        &self.lifetimes
    }
}

/// Checks alignments and sums. A buffer on top of all others ends below the sum of sizes and
/// alignments, so that no offset of a plan overflows.
fn check_buffers(buffers: &[Buffer]) -> Result<(), Error> {
    check_count(buffers.len())?;
    let mut sum = 0u64;
    for (buffer, &Buffer { size, alignment }) in buffers.iter().enumerate() {
        if alignment == 0 {
            return Err(Error::Alignment { buffer });
        }
        sum = size
            .checked_add(alignment)
            .and_then(|size| sum.checked_add(size))
            .filter(|&sum| sum < 1 << 63)
            .ok_or(Error::TooLarge { buffer })?;
    }
    Ok(())
}

fn check_count(count: usize) -> Result<(), Error> {
    match u32::try_from(count) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::Count { count }),
    }
}

fn check_intervals(lifetimes: &[Vec<Interval>]) -> Result<(), Error> {
    check_count(lifetimes.iter().map(Vec::len).sum())?;
    for (buffer, intervals) in lifetimes.iter().enumerate() {
        let valid = !intervals.is_empty()
            && intervals.iter().all(|piece| piece.start < piece.end)
            && intervals.is_sorted_by(|a, b| a.end <= b.start);
        if !valid {
            return Err(Error::Intervals { buffer });
        }
    }
    Ok(())
}

fn check_spans(spans: &[Span]) -> Result<(), Error> {
    let streams = spans.first().map_or(0, |span| span.before.len());
    for (buffer, span) in spans.iter().enumerate() {
        if [span.before.len(), span.last.len()] != [streams; 2] {
            return Err(Error::Streams { streams, buffer });
        }
        if span
            .last
            .iter()
            .zip(&span.before)
            .all(|(last, before)| last <= before)
        {
            return Err(Error::NoAccess { buffer });
        }
    }
    Ok(())
}
