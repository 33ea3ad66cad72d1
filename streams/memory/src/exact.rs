//! Restarts of the search, with what the earlier ones have learned.
//!
//! ```text
//!   run 0         5,000 nodes     rank by contention, lifetime, area
//!   run 1         5,000 nodes     rank by contention, area, lifetime     sections that prune
//!   ...                                                                  nodes gain weight
//!   run 4, 6, ... 1,000 nodes, +5 % each    by weight, lifetime, area    ◄───────┘
//!   run 5, 7, ...                           by weight, area, lifetime
//! ```
//!
//! The time of a search depends heavily on the order in which it tries the buffers, and varies by
//! orders of magnitude: many short runs are better than a long one (Gomes, Selman, Kautz, "Boosting
//! combinatorial search through randomization", 1998). The first runs rank buffers as MiniMalloc
//! does. Later runs rank them by the greatest weight of their sections, the number of nodes that
//! the section pruned (Boussemart et al., "Boosting systematic search by weighting constraints",
//! 2004). Without this, instances E, G and I of minimalloc need over 2 million nodes.
//!
//! The budget counts nodes, not time, so that the result is the same on each machine. A run that
//! ends within its share proves that there is no plan.

use std::cmp::Reverse;

use crate::component::Component;
use crate::search::{Outcome, search};

/// The nodes of a run with fixed ranks: most instances of minimalloc are solved by such a run.
const FIXED_LENGTH: u64 = 5_000;

/// The nodes of the first run with learned ranks: a few for each buffer of these instances. With
/// three times as many, E and I need several times the nodes.
const LEARNED_LENGTH: u64 = 1_000;

/// The growth of later runs, in percent: slow, because a run that has gone wrong does not recover.
const GROWTH: u64 = 5;

/// The number of runs with fixed ranks.
const FIXED_RUNS: usize = 4;

/// Searches for offsets of a component below a capacity, and deducts nodes from a budget.
pub(crate) fn solve(component: &Component, capacity: u64, budget: &mut u64) -> Outcome {
    let mut weights = vec![0; component.sections.count()];
    let mut length = LEARNED_LENGTH;
    for run in 0.. {
        let ranks = ranks(component, run, &weights);
        let share = match run {
            0..FIXED_RUNS => FIXED_LENGTH.min(*budget),
            _ => length.min(*budget),
        };
        let mut left = share;
        let outcome = search(component, &ranks, capacity, &mut weights, &mut left);
        *budget -= share - left;
        if outcome != Outcome::Exhausted || *budget == 0 {
            return outcome;
        }
        if run >= FIXED_RUNS {
            length += length * GROWTH / 100;
        }
    }
    Outcome::Exhausted
}

/// Returns the place of each buffer in the order of a run.
fn ranks(component: &Component, run: usize, weights: &[u64]) -> Vec<u32> {
    let totals: Vec<u64> = (0..component.sections.count() as u32)
        .map(|section| {
            let live = component.sections.of(section).iter();
            live.map(|&buffer| component.sizes[buffer as usize]).sum()
        })
        .collect();
    let key = |&buffer: &u32| {
        let sections = component.sections_of.of(buffer);
        let greatest = |values: &[u64]| {
            let values = sections.iter().map(|&section| values[section as usize]);
            u128::from(values.max().unwrap_or(0))
        };
        let total = greatest(&totals);
        let weight = greatest(weights);
        let lifetime = sections.len() as u128;
        let area = lifetime * u128::from(component.sizes[buffer as usize]);
        Reverse(match (run, run % 2) {
            (0, _) => [total, lifetime, area],
            (1, _) => [total, area, lifetime],
            (2, _) => [lifetime, area, total],
            (3, _) => [area, total, lifetime],
            (FIXED_RUNS.., 0) => [weight, lifetime, area],
            (FIXED_RUNS.., _) => [weight, area, lifetime],
        })
    };
    let mut order: Vec<u32> = (0..component.len()).collect();
    order.sort_by_cached_key(key);
    let mut ranks = vec![0; order.len()];
    for (rank, buffer) in (0..).zip(order) {
        ranks[buffer as usize] = rank;
    }
    ranks
}
