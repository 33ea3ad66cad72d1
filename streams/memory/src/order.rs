//! Lifetimes as chains of births: the form in which the planner compares them.
//!
//! ```text
//!   chain 0    a0 ── a1 ── a2 ── a3       until(a1) = [3, 2]: a3 and b2 are the first births
//!   chain 1    b0 ── b1 ── b2             that the whole lifetime of a1 happens before
//! ```
//!
//! An element is an interval of a buffer, or the lifetime of a buffer in a partial order. The
//! elements are split into chains, along which the clocks of births increase. For each element and
//! each chain, the elements that come after it are then a suffix of the chain, which binary search
//! finds. So `a` happens before `b` if and only if `index(b) >= until(a)[chain(b)]`.
//!
//! Intervals make one chain, sorted by start. The births of `S` streams make about `S` chains: each
//! element joins the first chain whose last clock is not greater than its own, in an order that
//! extends the partial order.
//!
//! The relation of clocks that is used here is `max(last(a), before(a)) <= before(b)`. It is the
//! relation of [`Span`] for clocks of real executions, and is transitive for all clocks.
//!
//! Cost: O(N C S log N) for C chains and S streams. Pairs of conflicting elements are enumerated in
//! O(N C + P log N) for P pairs.

use crate::problem::{Interval, Lifetimes, Problem, Span};

/// The elements of a problem in chains.
#[derive(Debug, Default)]
pub(crate) struct Order {
    /// For each element, its buffer.
    pub(crate) buffers: Vec<u32>,
    /// The elements of each chain.
    pub(crate) chains: Vec<Vec<u32>>,
    /// For each element and each chain, the index of the first element that comes after.
    until: Vec<u32>,
    /// For each element, its interval in an interval order of which the elements that overlap
    /// conflict. On one time line, the elements that do not overlap do not conflict either.
    pub(crate) projection: Vec<(u128, u128)>,
}

impl Order {
    /// Returns the order of the buffers of a problem that are not empty.
    pub(crate) fn new(problem: &Problem) -> Self {
        let is_live = |buffer: &usize| problem.buffers()[*buffer].size > 0;
        let buffers = (0..problem.buffers().len()).filter(is_live);
        match problem.lifetimes() {
            Lifetimes::Intervals(intervals) => {
                let pieces = buffers.flat_map(|buffer| {
                    intervals[buffer]
                        .iter()
                        .map(move |&piece| (piece, buffer as u32))
                });
                Self::of_intervals(pieces.collect())
            }
            Lifetimes::Spans(spans) => {
                Self::of_spans(spans, buffers.map(|buffer| buffer as u32).collect())
            }
        }
    }

    fn of_intervals(mut pieces: Vec<(Interval, u32)>) -> Self {
        pieces.sort_unstable();
        let after = |end: u64| pieces.partition_point(|(piece, _)| piece.start < end) as u32;
        let interval = |piece: Interval| (piece.start.into(), piece.end.into());
        Self {
            buffers: pieces.iter().map(|&(_, buffer)| buffer).collect(),
            chains: vec![(0..pieces.len() as u32).collect()],
            until: pieces.iter().map(|(piece, _)| after(piece.end)).collect(),
            projection: pieces.iter().map(|&(piece, _)| interval(piece)).collect(),
        }
    }

    fn of_spans(spans: &[Span], mut buffers: Vec<u32>) -> Self {
        let sum = |clock: &[u64]| {
            clock
                .iter()
                .map(|&position| u128::from(position))
                .sum::<u128>()
        };
        buffers.sort_by_cached_key(|&buffer| (sum(&spans[buffer as usize].before), buffer));
        let before = |element: u32| &spans[buffers[element as usize] as usize].before;
        let ends: Vec<Vec<u64>> = buffers
            .iter()
            .map(|&buffer| {
                let Span { before, last } = &spans[buffer as usize];
                before.iter().zip(last).map(|(a, b)| *a.max(b)).collect()
            })
            .collect();

        let mut chains: Vec<Vec<u32>> = Vec::new();
        for element in 0..buffers.len() as u32 {
            let fits = |chain: &Vec<u32>| precedes(before(chain[chain.len() - 1]), before(element));
            let chain = chains.iter().position(fits).unwrap_or_else(|| {
                chains.push(Vec::new());
                chains.len() - 1
            });
            chains[chain].push(element);
        }
        let mut until = Vec::with_capacity(buffers.len() * chains.len());
        for end in &ends {
            until.extend(chains.iter().map(|chain| {
                chain.partition_point(|&element| !precedes(end, before(element))) as u32
            }));
        }
        let elements = 0..buffers.len() as u32;
        let projection = match chains.len() {
            // The births of one chain make a time line.
            1 => elements
                .map(|element| (element.into(), until[element as usize].into()))
                .collect(),
            _ => elements
                .zip(&ends)
                .map(|(element, end)| (sum(before(element)), sum(end)))
                .collect(),
        };
        Self {
            buffers,
            chains,
            until,
            projection,
        }
    }

    /// Returns the index of the first element of a chain that comes after an element.
    pub(crate) fn until(&self, element: u32, chain: usize) -> u32 {
        self.until[element as usize * self.chains.len() + chain]
    }

    /// Returns whether the lifetimes are intervals on one time line.
    pub(crate) fn is_interval_order(&self) -> bool {
        self.chains.len() <= 1
    }

    /// Returns the pairs of conflicting elements, or nothing if there are more than a limit.
    pub(crate) fn pairs(&self, limit: usize) -> Option<Vec<(u32, u32)>> {
        let mut pairs = Vec::new();
        for d in 0..self.chains.len() {
            for c in 0..=d {
                let bounds = self.chains[d].iter().map(|&element| self.until(element, c));
                let tree = MaxTree::new(bounds.collect());
                for (index, &a) in self.chains[c].iter().enumerate() {
                    let end = if c == d {
                        index as u32
                    } else {
                        self.until(a, d)
                    };
                    tree.for_each_above(end, index as u32, |other| {
                        pairs.push((a, self.chains[d][other as usize]));
                        pairs.len() <= limit
                    });
                    if pairs.len() > limit {
                        return None;
                    }
                }
            }
        }
        Some(pairs)
    }
}

/// Returns whether a clock is less than or equal to another one on each stream.
fn precedes(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b)
}

/// A complete binary tree of maxima.
struct MaxTree {
    leaves: usize,
    nodes: Vec<u32>,
}

impl MaxTree {
    fn new(values: Vec<u32>) -> Self {
        let leaves = values.len().next_power_of_two();
        let mut nodes = vec![0; 2 * leaves];
        nodes[leaves..][..values.len()].copy_from_slice(&values);
        for node in (1..leaves).rev() {
            nodes[node] = nodes[2 * node].max(nodes[2 * node + 1]);
        }
        Self { leaves, nodes }
    }

    /// Visits the indices below `end` whose values are greater than `bound`, in ascending order,
    /// until the visitor returns false.
    fn for_each_above(&self, end: u32, bound: u32, mut visit: impl FnMut(u32) -> bool) {
        let mut stack = vec![(1, 0, self.leaves)];
        while let Some((node, first, width)) = stack.pop() {
            if first >= end as usize || self.nodes[node] <= bound {
                continue;
            }
            if width == 1 {
                if !visit(first as u32) {
                    return;
                }
                continue;
            }
            let half = width / 2;
            stack.push((2 * node + 1, first + half, half));
            stack.push((2 * node, first, half));
        }
    }
}
