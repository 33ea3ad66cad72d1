//! The commands of a body on one device, and their cover by chains.
//!
//! ```text
//!   a ──► b ──► d ──► e        chains a b d e, c: the fewest, and c may be a stream again after d
//!   └──► c ──────┘
//! ```
//!
//! A chain continues the stream of another one that ends before it starts. Source: Kwon, Yu, Jeong,
//! Chun, *Nimble: Lightweight and parallel GPU task scheduling for deep learning* (2020).
//!
//! Cost: that of the matching.

use rustc_hash::FxHashMap;

use crate::dependences::Edge;
use crate::graph::{Predecessors, match_chains, reaches, reduce};

/// The ended chains that a new one may continue.
const MAX_ENDED: usize = 64;

/// The commands of a body on one device.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// The transitive reduction of the dependences.
    pub(super) predecessors: Predecessors,
    /// The time of each command.
    pub(super) costs: Vec<u64>,
}

impl Graph {
    /// Returns the graph of some commands of a body, with the dependences of all of them.
    pub(super) fn new(items: &[u32], edges: &[Vec<Edge>], cost: impl Fn(u32) -> u64) -> Self {
        let nodes: FxHashMap<u32, u32> = items.iter().copied().zip(0..).collect();
        let predecessors = items.iter().map(|item| {
            let edges = edges[*item as usize].iter().filter(|edge| edge.lag == 0);
            let mut list: Vec<u32> = edges
                .filter_map(|edge| nodes.get(&edge.item).copied())
                .collect();
            list.sort_unstable();
            list.dedup();
            list
        });
        Self {
            predecessors: reduce(&predecessors.collect()),
            costs: items.iter().map(|item| cost(*item)).collect(),
        }
    }

    /// Returns the streams of a cover by chains.
    pub(super) fn cover(&self) -> Vec<u32> {
        let next = match_chains(&self.predecessors);
        let mut is_first = vec![true; next.len()];
        next.iter()
            .flatten()
            .for_each(|node| is_first[*node as usize] = false);
        let mut streams = vec![u32::MAX; next.len()];
        // The streams whose chains have ended, with their last commands.
        let mut ended: Vec<(u32, u32)> = Vec::new();
        let mut count = 0;
        reaches(&self.predecessors, &mut |node, is_before| {
            if is_first[node] {
                let free = ended.iter().rposition(|(_, last)| is_before(*last));
                streams[node] = match free {
                    Some(index) => ended.remove(index).0,
                    None => {
                        count += 1;
                        count - 1
                    }
                };
            }
            match next[node] {
                Some(next) => streams[next as usize] = streams[node],
                None => {
                    ended.push((streams[node], node as u32));
                    // Older ones are rarely reached, and a search is linear in their number.
                    if ended.len() > MAX_ENDED {
                        ended.remove(0);
                    }
                }
            }
        });
        streams
    }
}
