//! Local search: reorders the buffers at the peak of a component.
//!
//! ```text
//!   order: a, b, c, p, ...   ──►   p's end is the size of the plan, and p conflicts with b
//!   order: a, p, b, c, ...         p moves ahead of b; kept if the plan does not grow
//! ```
//!
//! First fit places the order again after each move. A move that leaves the size as it is, is kept
//! too, since it may separate several buffers at the peak. Moves are pseudo-random, with a fixed
//! seed. Compare the hill climbing of TVM's unified static memory planner, which swaps conflicting
//! buffers in the same way.
//!
//! A move costs as much as a placement of the component. The budget counts visited conflicts.

use crate::component::Component;
use crate::greedy::{Fit, place};
use crate::random::Random;

/// The seed of the moves. Any number would do.
const SEED: u64 = 0x7f4a_7c15;

/// Improves an order of the buffers of a component until its plan has a size of at most `goal`, or
/// the budget is used up. Returns the offsets.
pub(crate) fn improve(
    component: &Component,
    mut order: Vec<u32>,
    goal: u64,
    budget: &mut u64,
) -> Vec<u64> {
    let cost = component.neighbours.len() as u64 + u64::from(component.len());
    let mut random = Random::new(SEED);
    let mut offsets = place(component.conflicts(), &order, Fit::First);
    let mut size = component.size(&offsets);
    while size > goal && *budget >= cost {
        *budget -= cost;
        let Some((from, to)) = propose(component, &order, &offsets, size, &mut random) else {
            break;
        };
        order[to..=from].rotate_right(1);
        let moved = place(component.conflicts(), &order, Fit::First);
        let moved_size = component.size(&moved);
        if moved_size <= size {
            (offsets, size) = (moved, moved_size);
        } else {
            order[to..=from].rotate_left(1);
        }
    }
    offsets
}

/// Returns the index of a buffer at the peak, and that of a conflicting one earlier in the order.
fn propose(
    component: &Component,
    order: &[u32],
    offsets: &[u64],
    size: u64,
    random: &mut Random,
) -> Option<(usize, usize)> {
    let is_peak = |&&index: &&usize| {
        let buffer = order[index] as usize;
        offsets[buffer] + component.sizes[buffer] == size
    };
    let indices: Vec<usize> = (0..order.len()).collect();
    let peak: Vec<usize> = indices.iter().filter(is_peak).copied().collect();
    let from = *peak.get(random.below(peak.len() as u64) as usize)?;
    let neighbours = component.neighbours.of(order[from]);
    let earlier: Vec<usize> = indices[..from]
        .iter()
        .copied()
        .filter(|&index| neighbours.contains(&order[index]))
        .collect();
    let to = *earlier.get(random.below(earlier.len() as u64) as usize)?;
    Some((from, to))
}
