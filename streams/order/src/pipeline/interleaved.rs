//! The order of interleaved pipelines.
//!
//! ```text
//!   two devices with two stages each: F0 of the first stage, f0 of the second one
//!   device 0   F0 F1 f0 f1 F2 b0 F3 ..     forwards of a group of two iterations: F0 F1 f0 f1
//!   device 1      F0 F1 f0 b0 f1 b1 ..     then backwards alternate with forwards
//! ```
//!
//! Each device runs the forwards of a *group* of iterations through its first stage, then through
//! its next one, and so on; then those of the next group. Backwards have the same order with the
//! last stage first. The backward number `p` of device `d` follows its forward number
//! `p + 2 (S - d - 1) + (v - 1) G`: so many forwards a device runs before its first backward.
//! Source: Narayanan et al. (2021), as implemented in Megatron-LM, with groups of `G = S`
//! iterations.
//!
//! If the number of iterations is no multiple of *S*, groups are larger: a smaller one would leave
//! devices idle until its first iteration returns.
//!
//! The order is one of urgency. If a command cannot start yet, a device runs the next one that can,
//! so that chains with stages of different times need no special case.

use super::graph::Graph;
use super::tasks::Tasks;

/// Returns for each node its position in the order of its queue. Set in `is_second` are the nodes
/// of the backward at the turn.
pub(super) fn positions(tasks: &Tasks, graph: &Graph, is_second: &[bool]) -> Vec<u64> {
    let turn = tasks.turning_level(graph).unwrap_or(u32::MAX);
    let chunks = tasks.chunks(graph) as u64;
    let mut levels: Vec<Vec<u32>> = vec![Vec::new(); graph.queues];
    for (queue, level) in tasks.visits(graph) {
        levels[queue as usize].push(level);
    }
    let is_stage = graph.stage_queues();
    let mut stages: Vec<(u32, usize)> = (0..graph.queues)
        .filter(|queue| is_stage[*queue])
        .filter_map(|queue| Some((*levels[queue].first()?, queue)))
        .collect();
    stages.sort_unstable();
    let groups = Groups::new(graph.iterations, stages.len());
    let mut ahead = vec![0u64; graph.queues];
    for ((_, queue), after) in stages.iter().rev().zip(0u64..) {
        ahead[*queue] = 2 * after + chunks.saturating_sub(1) * groups.largest() as u64;
    }
    let positions = graph.nodes.iter().enumerate().map(|(number, node)| {
        let (level, queue) = (tasks.levels[number], node.queue as usize);
        let (start, length) = groups.around(node.iteration as usize);
        let within = (node.iteration as usize - start) as u64;
        let place = |chunk: u64| start as u64 * chunks + chunk * length as u64 + within;
        let visits = &levels[queue];
        let visit = visits.partition_point(|other| *other < level);
        if level < turn || (level == turn && !is_second[number]) {
            return 2 * place(visit as u64);
        }
        let forwards = visits.partition_point(|other| *other < turn);
        2 * (place((visit - forwards) as u64) + ahead[queue]) + 1
    });
    positions.collect()
}

/// Groups of iterations of nearly one length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    /// The length of most groups; the first ones have one iteration more.
    length: usize,
    longer: usize,
}

impl Groups {
    /// Returns groups of at least as many iterations as there are stages, if there are enough.
    pub(super) fn new(iterations: usize, stages: usize) -> Self {
        let count = (iterations / stages.max(1)).max(1);
        Self {
            length: iterations / count,
            longer: iterations % count,
        }
    }

    /// Returns the length of the longest group.
    pub(super) fn largest(self) -> usize {
        self.length + usize::from(self.longer > 0)
    }

    /// Returns the first iteration of the group of an iteration, and its length.
    fn around(self, iteration: usize) -> (usize, usize) {
        let Self { length, longer } = self;
        let end_of_longer = longer * (length + 1);
        match iteration.checked_sub(end_of_longer) {
            None => (iteration / (length + 1) * (length + 1), length + 1),
            Some(rest) => (end_of_longer + rest / length.max(1) * length, length),
        }
    }
}
