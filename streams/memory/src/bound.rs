//! A lower bound of the size of all plans.
//!
//! ```text
//!   one stream                       several streams
//!   a  ├─────┤                       source ──wa──► death a ──► birth c ──wc──► sink
//!   b     ├─────┤                                      │           │
//!   c           ├───┤                                  └► birth e ─┴► birth d ──wd──► sink
//!   live:  a+b is the maximum        births along a chain are connected
//! ```
//!
//! Buffers that conflict pairwise need disjoint bytes. On one time line, the largest sum of such
//! buffers is the maximum of the live sizes. In a partial order, it is the maximum weight of an
//! antichain: the sum of all sizes minus a maximum flow, in which the bytes of a buffer flow to the
//! buffers that happen after it (Dilworth's theorem with weights; Möhring, "Algorithmic aspects of
//! comparability graphs and interval graphs", 1985). A buffer is connected to the first birth after
//! it on each chain, not to all buffers after it, so that the network has O(N C) edges for C
//! chains. Links of one, two, four and more births keep the paths along a chain short.
//!
//! Alignment: the buffers whose alignments are multiples of A occupy multiples of A, except the
//! last of them. The bound is the maximum over A. It is exact for sizes that are multiples of
//! their alignments.
//!
//! Cost: O(N log N) on one time line. The flow has a budget; if it is used up, the bound is that of
//! an interval order that extends the partial order, or of the buffers around its peak, which is
//! valid but may be lower.
//!
//! Not guaranteed: a plan of this size, which may not exist.

use std::ops::Range;

use crate::flow::{Network, UNBOUNDED};
use crate::instance::Shape;
use crate::order::Order;

/// The number of edges that the flow may visit: about half a second.
const FLOW_BUDGET: u64 = 50_000_000;

/// The number of consecutive elements around the peak to which the flow is limited, if the flow of
/// all exceeds its budget. That of this number rarely does.
const WINDOW: usize = 4096;

/// The number of different alignments for which a bound is computed. Programs have two or three.
const MAX_ALIGNMENTS: usize = 4;

/// Returns a lower bound, in units.
pub(crate) fn bound(order: &Order, shape: &Shape) -> u64 {
    let mut alignments = shape.alignments.clone();
    alignments.sort_unstable();
    alignments.dedup();
    if alignments.first() != Some(&1) {
        alignments.insert(0, 1);
    }
    alignments.truncate(MAX_ALIGNMENTS);
    let mut budget = FLOW_BUDGET;
    let bounds = alignments
        .iter()
        .map(|&alignment| aligned(order, shape, alignment, &mut budget));
    bounds.max().unwrap_or(0)
}

/// Returns a lower bound for the buffers whose alignments are multiples of a given one.
fn aligned(order: &Order, shape: &Shape, alignment: u64, budget: &mut u64) -> u64 {
    let mut slack = 0;
    let weights: Vec<u64> = order
        .buffers
        .iter()
        .map(|&buffer| {
            let size = shape.sizes[buffer as usize];
            if !shape.alignments[buffer as usize].is_multiple_of(alignment) {
                return 0;
            }
            let occupied = size.next_multiple_of(alignment);
            slack = slack.max(occupied - size);
            occupied
        })
        .collect();
    let weight = match order.is_interval_order() {
        true => maximum_live(order, &weights).0,
        false => antichain(order, &weights, budget),
    };
    weight.saturating_sub(slack)
}

/// Returns the weight of an antichain, of the maximum one if the budget suffices.
fn antichain(order: &Order, weights: &[u64], budget: &mut u64) -> u64 {
    if let Some(weight) = maximum_antichain(order, weights, 0..weights.len(), budget) {
        return weight;
    }
    let (live, peak) = maximum_live(order, weights);
    let before = order
        .projection
        .partition_point(|&(start, _)| start <= peak);
    let first = before.saturating_sub(WINDOW / 2);
    let window = first..weights.len().min(first + WINDOW);
    let mut budget = FLOW_BUDGET;
    let weight = maximum_antichain(order, weights, window, &mut budget);
    live.max(weight.unwrap_or(0))
}

/// Returns the largest sum of weights of elements that are live at one time of the projection, and
/// this time.
fn maximum_live(order: &Order, weights: &[u64]) -> (u64, u128) {
    let mut events: Vec<(u128, bool, u64)> = Vec::with_capacity(2 * weights.len());
    for (&(start, end), &weight) in order.projection.iter().zip(weights) {
        events.push((start, true, weight));
        events.push((end, false, weight));
    }
    // Deaths come before births of the same time.
    events.sort_unstable();
    let mut live = 0;
    let mut maximum = (0, 0);
    for (time, is_birth, weight) in events {
        if is_birth {
            live += weight;
            if live > maximum.0 {
                maximum = (live, time);
            }
        } else {
            live -= weight;
        }
    }
    maximum
}

/// Returns the maximum weight of an antichain of consecutive elements, unless the budget is used
/// up.
fn maximum_antichain(
    order: &Order,
    weights: &[u64],
    window: Range<usize>,
    budget: &mut u64,
) -> Option<u64> {
    let (source, sink) = (0, 1);
    let count = window.len() as u32;
    let death = |element: u32| 2 + element - window.start as u32;
    let birth = |element: u32| death(element) + count;
    let mut network = Network::new(2 + 2 * window.len());
    // Elements ascend along a chain: those of the window are consecutive there, too.
    let is_in = |element: &u32| window.contains(&(*element as usize));
    for (index, weight) in window.clone().zip(&weights[window.clone()]) {
        let element = index as u32;
        network.add(birth(element), sink, *weight);
        network.add(source, death(element), *weight);
        for (index, chain) in order.chains.iter().enumerate() {
            let after = chain[order.until(element, index) as usize..].iter();
            let first = after.take(1).copied().filter(is_in);
            first.for_each(|first| network.add(death(element), birth(first), UNBOUNDED));
        }
    }
    // Links of one, two, four, ... births: a path along a chain has a logarithmic length.
    for chain in &order.chains {
        let chain: Vec<u32> = chain.iter().copied().filter(is_in).collect();
        for length in (0..)
            .map(|power| 1 << power)
            .take_while(|&length| length < chain.len())
        {
            for index in (0..chain.len() - length).step_by(length) {
                let (from, to) = (chain[index], chain[index + length]);
                network.add(birth(from), birth(to), UNBOUNDED);
            }
        }
    }
    let flow = network.maximum(source, sink, budget)?;
    Some(weights[window].iter().sum::<u64>() - flow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Buffer, Lifetimes, Problem, Span};
    use crate::random::Random;

    /// Two streams, of which each waits for the other now and then.
    fn streams(random: &mut Random) -> Order {
        let mut known = [vec![0, 0], vec![0, 0]];
        let spans = (0..40).map(|_| {
            let (own, other) = match random.below(2) {
                0 => (0, 1),
                _ => (1, 0),
            };
            if random.below(3) == 0 {
                known[own][other] = known[own][other].max(known[other][other]);
            }
            let before = known[own].clone();
            known[own][own] += 1;
            let mut last = vec![0, 0];
            last[own] = known[own][own] + random.below(4);
            Span { before, last }
        });
        let spans: Vec<Span> = spans.collect();
        let buffers = vec![
            Buffer {
                size: 1,
                alignment: 1
            };
            spans.len()
        ];
        Order::new(&Problem::new(buffers, Lifetimes::Spans(spans)).expect("it is valid"))
    }

    #[test]
    fn windows_and_projections_are_below_the_antichain() {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let order = streams(&mut random);
            let weights: Vec<u64> = (0..40).map(|_| 1 + random.below(9)).collect();
            let weight = |window| maximum_antichain(&order, &weights, window, &mut 1_000_000);
            let all = weight(0..40).expect("the budget suffices");
            assert!(maximum_live(&order, &weights).0 <= all);
            for first in 0..30 {
                assert!(weight(first..first + 10).is_some_and(|part| part <= all));
            }
            assert!(antichain(&order, &weights, &mut 0) <= all);
            assert_eq!(antichain(&order, &weights, &mut 1_000_000), all);
        }
    }
}
