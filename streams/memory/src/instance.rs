//! The conflict graph of a problem, its components, and sets of buffers that are live together.
//!
//! ```text
//!   buffers in bytes, alignments 64 and 128  ──►  sizes in units of 64 bytes, alignments 1 and 2
//!
//!   graph:      a ── b    d ── e        components {a, b, c} and {d, e} are planned apart
//!                \  /
//!                 c                     sections {a, b, c} and {d, e}: all pairs conflict
//! ```
//!
//! All offsets are multiples of the greatest common divisor of the alignments, which is the unit.
//! Sizes are rounded up to it. So for buffers of one alignment, alignment vanishes.
//!
//! A *section* is a maximal set of buffers that are live at one time of an interval order that
//! extends the lifetimes (Moffitt's term, ASPLOS 2023). Its buffers need disjoint bytes.

use std::collections::BTreeMap;

use crate::order::Order;
use crate::problem::Problem;

/// The sizes and alignments of buffers, in units.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The bytes of a unit.
    pub(crate) unit: u64,
    pub(crate) sizes: Vec<u64>,
    pub(crate) alignments: Vec<u64>,
}

impl Shape {
    pub(crate) fn new(problem: &Problem) -> Self {
        let buffers = problem.buffers();
        let unit = buffers.iter().map(|buffer| buffer.alignment).reduce(gcd);
        let unit = unit.unwrap_or(1);
        Self {
            unit,
            sizes: buffers
                .iter()
                .map(|buffer| buffer.size.div_ceil(unit))
                .collect(),
            alignments: buffers
                .iter()
                .map(|buffer| buffer.alignment / unit)
                .collect(),
        }
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Lists of indices, one after the other in one vector.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Returns the lists of `count` keys, in the order of the entries.
    pub(crate) fn new(count: usize, entries: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; count + 1];
        for (key, _) in entries.clone() {
            starts[key as usize + 1] += 1;
        }
        for key in 0..count {
            starts[key + 1] += starts[key];
        }
        let mut next = starts.clone();
        let mut items = vec![0; starts[count] as usize];
        for (key, item) in entries {
            items[next[key as usize] as usize] = item;
            next[key as usize] += 1;
        }
        Self { starts, items }
    }

    pub(crate) fn of(&self, key: u32) -> &[u32] {
        let range = self.starts[key as usize] as usize..self.starts[key as usize + 1] as usize;
        &self.items[range]
    }

    /// Returns the number of lists.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the sum of the lengths of the lists.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

/// The conflict graph of all buffers. Empty buffers have no conflicts.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) neighbours: Lists,
}

impl Graph {
    /// Returns the graph, or nothing if it has more edges than a limit.
    pub(crate) fn new(order: &Order, buffers: usize, limit: usize) -> Option<Self> {
        let mut pairs = order.pairs(limit)?;
        for (a, b) in &mut pairs {
            let ends = [*a, *b].map(|element| order.buffers[element as usize]);
            (*a, *b) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        }
        if order.buffers.len() > buffers {
            // Two buffers with several intervals may overlap more than once.
            pairs.sort_unstable();
            pairs.dedup();
        }
        let both = pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        Some(Self {
            neighbours: Lists::new(buffers, both),
        })
    }

    /// Returns the components, each with its buffers in ascending order.
    pub(crate) fn components(&self) -> Vec<Vec<u32>> {
        let count = self.neighbours.count();
        let mut seen = vec![false; count];
        let mut components = Vec::new();
        for first in 0..count as u32 {
            if std::mem::replace(&mut seen[first as usize], true) {
                continue;
            }
            let mut component = vec![first];
            let mut next = 0;
            while next < component.len() {
                for &other in self.neighbours.of(component[next]) {
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        component.push(other);
                    }
                }
                next += 1;
            }
            component.sort_unstable();
            components.push(component);
        }
        components
    }
}

/// Returns the sections of the buffers that `is_member` selects, in the order of time.
pub(crate) fn sections(order: &Order, is_member: impl Fn(u32) -> bool) -> Vec<Vec<u32>> {
    let mut events: BTreeMap<u128, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for (element, &(start, end)) in order.projection.iter().enumerate() {
        let buffer = order.buffers[element];
        if is_member(buffer) {
            events.entry(start).or_default().0.push(buffer);
            events.entry(end).or_default().1.push(buffer);
        }
    }
    let mut live: Vec<u32> = Vec::new();
    let mut grew = false;
    let mut sections = Vec::new();
    for (births, deaths) in events.into_values() {
        if !deaths.is_empty() && std::mem::replace(&mut grew, false) {
            sections.push(live.clone());
        }
        live.retain(|buffer| !deaths.contains(buffer));
        grew |= !births.is_empty();
        live.extend(births);
    }
    sections
}
