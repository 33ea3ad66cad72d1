//! The start of kernels that run again: early enough, and not earlier.
//!
//! ```text
//!   device 0   . . . R R B      R takes two units: it starts when b does,
//!   device 1   . b b ▲          whose result B waits for
//! ```
//!
//! Kernels that run again depend only on what their device keeps, so they could run at any time,
//! and what they compute would be kept as long as without them. They belong right before the
//! command of the backward that reads it, their *user*. It waits for the gradient of the next
//! stage, and they fill this time: they start as long before the gradient arrives as they take.
//!
//! So each of them is delayed by a command on the longest path to the user: the last one that ends
//! as much time before the user could start. It is also delayed by the user of the iteration
//! before, so that what one iteration computes again is not kept while another one waits. The
//! delays are those of the virtual clock. In the schedule, they are after the commands that it
//! started before on their stream.
//!
//! Cost: O(N + E), and for each user the commands of the path in the time of its kernels.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::graph::{Graph, Kind};

/// Returns the commands that kernels which run again come after, given the levels of all nodes.
pub(super) fn delays(graph: &Graph, levels: &[u32]) -> BTreeMap<u32, Vec<u32>> {
    let starts = starts(graph);
    // The last user of a stream and a level, and the one of the iteration before.
    let mut users: FxHashMap<(u32, u32), (u32, Option<u32>)> = FxHashMap::default();
    let mut delays = BTreeMap::new();
    for (&kernel, &user) in &graph.again {
        let node = graph.nodes[user as usize];
        let key = (node.queue, levels[user as usize]);
        let (last, before) = users.entry(key).or_insert((user, None));
        if graph.nodes[*last as usize].iteration != node.iteration {
            *before = Some(*last);
        }
        *last = user;
        let after = starts.get(&user).copied().into_iter().chain(*before);
        delays.insert(kernel, after.filter(|earlier| *earlier < kernel).collect());
    }
    delays
}

/// Returns for each user the command after which its kernels start.
fn starts(graph: &Graph) -> BTreeMap<u32, u32> {
    // For each node, the end of the longest path to it in its iteration, and the node before it.
    let mut paths: Vec<(u64, Option<u32>)> = Vec::with_capacity(graph.nodes.len());
    for (number, node) in graph.nodes.iter().enumerate() {
        let before = graph.in_iteration(number).filter(|earlier| {
            let is_again = graph.again.contains_key(&(*earlier as u32));
            graph.nodes[*earlier].kind == Kind::Work && !is_again
        });
        let last = before.max_by_key(|earlier| paths[*earlier].0);
        let start = last.map_or(0, |last| paths[last].0);
        paths.push((
            start.saturating_add(node.time),
            last.map(|last| last as u32),
        ));
    }
    let mut times: BTreeMap<u32, u64> = BTreeMap::new();
    for (kernel, user) in &graph.again {
        let time = times.entry(*user).or_default();
        *time = time.saturating_add(graph.nodes[*kernel as usize].time);
    }
    let before = |node: u32| paths[node as usize].1;
    let starts = times.into_iter().filter_map(|(user, time)| {
        let (mut node, mut passed) = (before(user)?, 0u64);
        loop {
            passed = passed.saturating_add(graph.nodes[node as usize].time);
            node = before(node)?;
            if passed >= time {
                return Some((user, node));
            }
        }
    });
    starts.collect()
}
