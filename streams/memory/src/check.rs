//! An independent checker of plans.
//!
//! ```text
//!   intervals: sweep over time          spans: sweep over bytes
//!   live ranges of bytes are disjoint   lifetimes of buffers that share bytes are ordered
//! ```
//!
//! The checker shares no code with the planner: it knows the problem and the offsets only, and
//! compares lifetimes by their definition.
//!
//! Cost: O(N log N) for intervals, O(N log N + P S) for P pairs of spans that share bytes.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::problem::{Lifetimes, Problem, Span};

/// A reason why offsets are not a plan. Buffers are named by their index.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Violation {
    /// The number of offsets differs from that of buffers.
    #[error("expected {buffers} offsets, one for each buffer, got {offsets}")]
    Length {
        /// The number of buffers.
        buffers: usize,
        /// The number of offsets.
        offsets: usize,
    },
    /// An offset is not a multiple of the alignment.
    #[error("buffer {buffer} is not aligned")]
    Misaligned {
        /// The buffer.
        buffer: usize,
    },
    /// A buffer ends after the end of the memory.
    #[error("buffer {buffer} ends after the end of the memory")]
    Outside {
        /// The buffer.
        buffer: usize,
    },
    /// Two buffers share bytes although neither happens before the other.
    #[error("buffers {first} and {second} share bytes while both are live")]
    Overlap {
        /// The buffer with the lower index.
        first: usize,
        /// The other buffer.
        second: usize,
    },
}

/// Checks that offsets are a plan of a given size.
///
/// # Errors
///
/// The first violation that is found.
pub fn check(problem: &Problem, offsets: &[u64], size: u64) -> Result<(), Violation> {
    let buffers = problem.buffers();
    if offsets.len() != buffers.len() {
        return Err(Violation::Length {
            buffers: buffers.len(),
            offsets: offsets.len(),
        });
    }
    let mut ranges = Vec::with_capacity(buffers.len());
    for (buffer, (shape, &offset)) in buffers.iter().zip(offsets).enumerate() {
        if offset % shape.alignment != 0 {
            return Err(Violation::Misaligned { buffer });
        }
        match offset.checked_add(shape.size).filter(|&end| end <= size) {
            Some(end) => ranges.push((offset, end)),
            None => return Err(Violation::Outside { buffer }),
        }
    }
    match problem.lifetimes() {
        Lifetimes::Intervals(_) => check_time(problem, &ranges),
        Lifetimes::Spans(spans) => check_bytes(spans, &ranges),
    }
}

fn overlap(a: usize, b: usize) -> Violation {
    Violation::Overlap {
        first: a.min(b),
        second: a.max(b),
    }
}

/// Checks that the ranges of bytes that are live at each time are disjoint.
fn check_time(problem: &Problem, ranges: &[(u64, u64)]) -> Result<(), Violation> {
    let Lifetimes::Intervals(lifetimes) = problem.lifetimes() else {
        return Ok(());
    };
    // Deaths come before births of the same time.
    let mut events = Vec::new();
    for (buffer, intervals) in lifetimes.iter().enumerate() {
        if ranges[buffer].0 < ranges[buffer].1 {
            for interval in intervals {
                events.push((interval.start, 1, buffer));
                events.push((interval.end, 0, buffer));
            }
        }
    }
    events.sort_unstable();
    let mut live: BTreeMap<u64, usize> = BTreeMap::new();
    for (_, is_birth, buffer) in events {
        let (start, end) = ranges[buffer];
        if is_birth == 0 {
            live.remove(&start);
            continue;
        }
        // Live ranges are disjoint, so that the last one that starts before `end` ends last.
        if let Some((_, &other)) = live.range(..end).next_back()
            && ranges[other].1 > start
        {
            return Err(overlap(buffer, other));
        }
        live.insert(start, buffer);
    }
    Ok(())
}

/// Checks that buffers that share bytes are ordered.
fn check_bytes(spans: &[Span], ranges: &[(u64, u64)]) -> Result<(), Violation> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    order.retain(|&buffer| ranges[buffer].0 < ranges[buffer].1);
    order.sort_unstable_by_key(|&buffer| ranges[buffer]);
    let mut active: Vec<usize> = Vec::new();
    for buffer in order {
        active.retain(|&other| ranges[other].1 > ranges[buffer].0);
        let is_ordered = |&other: &usize| {
            happens_before(&spans[buffer], &spans[other])
                || happens_before(&spans[other], &spans[buffer])
        };
        if let Some(&other) = active.iter().find(|other| !is_ordered(other)) {
            return Err(overlap(buffer, other));
        }
        active.push(buffer);
    }
    Ok(())
}

/// Returns whether all accesses of `a` are complete before the first access of `b`.
fn happens_before(a: &Span, b: &Span) -> bool {
    a.last
        .iter()
        .zip(&b.before)
        .all(|(last, before)| last <= before)
}
