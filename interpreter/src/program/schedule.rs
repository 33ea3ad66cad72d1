//! The execution order of the nodes of a function.
//!
//! ```text
//! ready nodes, most urgent first:   sends
//!                                   what a send waits for
//!                                   the rest
//!                                   receives, when nothing else is ready
//! ```
//!
//! List scheduling (Graham, 1966) with these ranks: a value is sent to the host as early as
//! possible, and nodes that do not depend on the host's answer run before the graph waits for it.
//! Within a rank nodes keep the order of the function, so the order is deterministic. One push and
//! pop for each node, one visit for each edge.

use std::{cmp::Reverse, collections::BinaryHeap};

/// The interaction of a node with the host, itself or in a function that it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Interaction {
    /// None.
    #[default]
    None,
    /// It sends, and never waits for an answer.
    Sends,
    /// It receives.
    Receives,
}

/// Returns the nodes in execution order; `Err` with a node of a cycle.
///
/// `predecessors[n]` holds the data and control predecessors of `n`.
pub(super) fn schedule(
    predecessors: &[Vec<usize>],
    interactions: &[Interaction],
) -> Result<Vec<usize>, usize> {
    let count = predecessors.len();
    let mut successors = vec![Vec::new(); count];
    let mut waiting = vec![0usize; count];
    for (node, before) in predecessors.iter().enumerate() {
        waiting[node] = before.len();
        for &earlier in before {
            successors[earlier].push(node);
        }
    }
    let urgent = before_sends(predecessors, interactions);
    let rank = |node: usize| match interactions[node] {
        Interaction::Sends => 0,
        Interaction::None if urgent[node] => 1,
        Interaction::None => 2,
        Interaction::Receives => 3,
    };
    let mut ready: BinaryHeap<_> = (0..count)
        .filter(|&node| waiting[node] == 0)
        .map(|node| Reverse((rank(node), node)))
        .collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse((_, node))) = ready.pop() {
        order.push(node);
        for &later in &successors[node] {
            waiting[later] -= 1;
            if waiting[later] == 0 {
                ready.push(Reverse((rank(later), later)));
            }
        }
    }
    match waiting.iter().position(|&waiting| waiting > 0) {
        Some(node) => Err(node),
        None => Ok(order),
    }
}

/// Returns the nodes that a send waits for, directly or indirectly.
fn before_sends(predecessors: &[Vec<usize>], interactions: &[Interaction]) -> Vec<bool> {
    let mut urgent = vec![false; predecessors.len()];
    let mut work: Vec<usize> = (0..predecessors.len())
        .filter(|&node| interactions[node] == Interaction::Sends)
        .collect();
    while let Some(node) = work.pop() {
        for &earlier in &predecessors[node] {
            if !std::mem::replace(&mut urgent[earlier], true) {
                work.push(earlier);
            }
        }
    }
    urgent
}

#[cfg(test)]
mod tests {
    use super::*;
    use Interaction::{None, Receives, Sends};

    #[test]
    fn sends_go_early_and_receives_late() {
        // 0: heavy work; 1: input of the send 2; 3: receive; 4: uses 0 and 3.
        let predecessors = [vec![], vec![], vec![1], vec![], vec![0, 3]];
        let order = schedule(&predecessors, &[None, None, Sends, Receives, None]);
        assert_eq!(order, Ok(vec![1, 2, 0, 3, 4]));
    }

    #[test]
    fn cycles_are_found() {
        assert!(schedule(&[vec![1], vec![0]], &[None, None]).is_err());
    }
}
