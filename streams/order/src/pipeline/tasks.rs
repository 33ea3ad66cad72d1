//! The tasks of an iteration: the urgency of its commands, and its times.
//!
//! ```text
//!   stream 0   F ─┐              ┌─ B        level 0          level 4
//!   stream 1      └─ F ─┐  ┌─ B ─┘           level 1     level 3
//!   stream 2            F, B                      level 2: the turn
//! ```
//!
//! The *level* of a command is the largest number of changes of the stream on a path to it from the
//! start of its iteration. The commands of a stream with one level are a *task*: the forward or the
//! backward of a stage. A stage *visits* its stream once for each task.
//!
//! The forward and the backward of the last stage have one level. This level, the *turn*, is
//! halfway between two visits of a stream: the two with the fewest levels between them. `Gpipe` and
//! `Interleaved` split the task there, before the first command that depends on an earlier
//! iteration, such as the sum of gradients; else in the middle.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::PipelineRule;
use super::again;
use super::clock::Key;
use super::graph::{Graph, Kind};
use super::interleaved;

/// The part of the time, in percent, that a smaller limit for iterations in flight may cost.
const TOLERANCE: u128 = 2;

/// The facts about the commands of iterations.
#[derive(Debug)]
pub(super) struct Tasks {
    /// For each node, the time from its start to the end of its iteration.
    rests: Vec<u64>,
    /// For each node, its level.
    pub(super) levels: Vec<u32>,
    /// Set for each node on which no command of another stream depends.
    is_deferrable: Vec<bool>,
    /// An iteration alone.
    alone: Alone,
}

/// The times of an iteration that runs alone. Sums are of one iteration.
#[derive(Debug, Default)]
struct Alone {
    /// The time from its start to its end.
    time: u64,
    /// The sum of the times of its commands.
    sum: u64,
    /// The time of the busiest stream.
    busiest: u64,
    /// For each device, the time from the first start to the last end there. Kernels that run again
    /// delay their users, as they do on a busy stream.
    spans: Vec<u64>,
    /// The same if the commands run one after the other, and what a copy brings waits for half of
    /// a command.
    spans_of_sum: Vec<u64>,
}

impl Tasks {
    /// Returns the facts about a graph, and delays the kernels that run again there.
    pub(super) fn new(graph: &mut Graph) -> Self {
        let count = graph.nodes.len();
        let mut levels = levels(graph);
        if !graph.again.is_empty() {
            graph.delay(again::delays(graph, &levels));
            // They are a part of the backward that needs them.
            for (node, user) in &graph.again {
                levels[*node as usize] = levels[*user as usize];
            }
        }
        let mut rests: Vec<u64> = graph.nodes.iter().map(|node| node.time).collect();
        let mut is_deferrable = vec![true; count];
        for node in (0..count)
            .rev()
            .filter(|node| graph.nodes[*node].kind != Kind::Free)
        {
            for earlier in graph.in_iteration(node) {
                let rest = graph.nodes[earlier].time.saturating_add(rests[node]);
                rests[earlier] = rests[earlier].max(rest);
                let is_other = graph.nodes[earlier].queue != graph.nodes[node].queue;
                is_deferrable[earlier] &= is_deferrable[node] && !is_other;
            }
        }
        Self {
            rests,
            levels,
            is_deferrable,
            alone: Alone {
                spans: Alone::new(graph, false).spans,
                ..Alone::new(graph, true)
            },
        }
    }

    /// Returns the urgency of each node. A buffer is released at once.
    pub(super) fn keys(&self, graph: &Graph, rule: PipelineRule) -> Vec<Key> {
        let turn = match rule {
            PipelineRule::Gpipe | PipelineRule::Interleaved => self.turn(graph),
            _ => vec![false; graph.nodes.len()],
        };
        let positions = match rule {
            PipelineRule::Interleaved => interleaved::positions(self, graph, &turn),
            _ => Vec::new(),
        };
        let rests = self.rests_of_tasks(graph);
        let keys = graph.nodes.iter().enumerate().map(|(number, node)| {
            let (class, position) = match rule {
                _ if node.kind != Kind::Work => return (0, 0, 0, Reverse(0)),
                PipelineRule::Gpipe => {
                    let level = 2 * u64::from(self.levels[number]);
                    (1, level + u64::from(turn[number]))
                }
                PipelineRule::Interleaved => (1, positions[number]),
                PipelineRule::ZeroBubble if self.is_deferrable[number] => (2, 0),
                _ => (1, rests[number]),
            };
            // Of a task, what others wait for longest comes first.
            (class, position, node.iteration, Reverse(self.rests[number]))
        });
        keys.collect()
    }

    /// Returns for each node the time from the start of its task to the end of the iteration.
    fn rests_of_tasks(&self, graph: &Graph) -> Vec<u64> {
        let task = |number: usize| (graph.nodes[number].queue, self.levels[number]);
        let mut longest: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        for (number, rest) in self.rests.iter().enumerate() {
            let known = longest.entry(task(number)).or_default();
            *known = (*known).max(*rest);
        }
        (0..graph.nodes.len())
            .map(|number| longest[&task(number)])
            .collect()
    }

    /// Returns the limit for iterations in flight of each device.
    pub(super) fn limits(&self, graph: &Graph, rule: PipelineRule) -> Vec<usize> {
        let busiest = u128::from(self.alone.busiest.max(1));
        let limit = |span: &u64| {
            let whole = (u128::from(*span) / busiest).max(1);
            let is_enough = u128::from(*span) * 100 <= whole * busiest * (100 + TOLERANCE);
            usize::try_from(whole + u128::from(!is_enough)).unwrap_or(usize::MAX)
        };
        let spans = self.alone.spans.iter().map(limit);
        let most = match rule {
            PipelineRule::Gpipe => Some(usize::MAX),
            PipelineRule::OneForwardOneBackward => return spans.collect(),
            PipelineRule::Interleaved => {
                let groups = interleaved::Groups::new(graph.iterations, graph.stages());
                let group = groups.largest();
                spans.max().map(|most| most.max(group).saturating_mul(2))
            }
            PipelineRule::ZeroBubble => self.alone.spans_of_sum.iter().map(limit).max(),
        };
        vec![most.unwrap_or(1); graph.devices]
    }

    /// Returns the number of stages of a device: half of the largest number of visits.
    pub(super) fn chunks(&self, graph: &Graph) -> usize {
        let visits = self.stage_visits(graph);
        let most = visits.chunk_by(|one, two| one.0 == two.0).map(<[_]>::len);
        most.max().unwrap_or(0).div_ceil(2)
    }

    /// Returns the ideal time of a rule.
    pub(super) fn ideal(&self, graph: &Graph, rule: PipelineRule, chunks: usize) -> u64 {
        let Alone {
            time, sum, busiest, ..
        } = self.alone;
        let bubble = match rule {
            PipelineRule::Gpipe | PipelineRule::OneForwardOneBackward => time - busiest,
            PipelineRule::Interleaved => (time - busiest) / (chunks as u64).max(1),
            PipelineRule::ZeroBubble => {
                let hidden = sum - time;
                (time - busiest).saturating_sub(hidden)
            }
        };
        busiest
            .saturating_mul(graph.iterations as u64)
            .saturating_add(bubble)
    }

    /// Returns the queues of the last iteration with the levels of their tasks, in order.
    pub(super) fn visits(&self, graph: &Graph) -> Vec<(u32, u32)> {
        let mut visits: Vec<(u32, u32)> = last(graph)
            .filter(|node| graph.nodes[*node].kind == Kind::Work)
            .map(|node| (graph.nodes[node].queue, self.levels[node]))
            .collect();
        visits.sort_unstable();
        visits.dedup();
        visits
    }

    /// Returns those among them of queues of kernels and host functions.
    fn stage_visits(&self, graph: &Graph) -> Vec<(u32, u32)> {
        let is_stage = graph.stage_queues();
        let mut visits = self.visits(graph);
        visits.retain(|(queue, _)| is_stage[*queue as usize]);
        visits
    }

    /// Returns the level at which the chain turns back, if it does.
    pub(super) fn turning_level(&self, graph: &Graph) -> Option<u32> {
        let visits = self.stage_visits(graph);
        let end = visits.iter().map(|(_, level)| *level).max()?;
        // To leave a stream and to return are two changes.
        let pairs = visits.windows(2).filter_map(|pair| match pair {
            [(one, from), (two, to)] if one == two && from + 2 <= *to => Some((*from, *to)),
            _ => None,
        });
        // Of several, the one in the middle of the chain.
        let best = pairs.min_by_key(|(from, to)| (to - from, (from + to).abs_diff(end)));
        best.map(|(from, to)| from.midpoint(to))
    }

    /// Returns for each node whether it is in the second task at the turn.
    pub(super) fn turn(&self, graph: &Graph) -> Vec<bool> {
        let mut is_second = vec![false; graph.nodes.len()];
        let Some(turn) = self.turning_level(graph) else {
            return is_second;
        };
        let is_at_turn =
            |node: &usize| self.levels[*node] == turn && graph.nodes[*node].kind == Kind::Work;
        let of_last: Vec<usize> = last(graph).filter(is_at_turn).collect();
        let depends = |node: &usize| {
            let own = graph.nodes[*node].iteration;
            let mut earlier = graph.predecessors.of(*node).iter();
            earlier.any(|earlier| graph.nodes[*earlier as usize].iteration != own)
        };
        let first = of_last.iter().position(depends);
        let first = first.filter(|first| *first > 0);
        let first = first.unwrap_or(of_last.len().div_ceil(2));
        let (mut iteration, mut index) = (None, 0);
        for node in (0..graph.nodes.len()).filter(is_at_turn) {
            if iteration.replace(graph.nodes[node].iteration) != Some(graph.nodes[node].iteration) {
                index = 0;
            }
            is_second[node] = index >= first;
            index += 1;
        }
        for (node, user) in &graph.again {
            is_second[*node as usize] = is_second[*user as usize];
        }
        is_second
    }
}

/// Returns the level of each node.
fn levels(graph: &Graph) -> Vec<u32> {
    let mut levels = vec![0; graph.nodes.len()];
    for node in 0..graph.nodes.len() {
        let queue = graph.nodes[node].queue;
        let before = graph.in_iteration(node);
        let level = before
            .filter(|earlier| graph.nodes[*earlier].kind == Kind::Work)
            .map(|earlier| levels[earlier] + u32::from(graph.nodes[earlier].queue != queue));
        levels[node] = level.max().unwrap_or(0);
    }
    levels
}

impl Alone {
    /// Returns the times of an iteration. Kernels that run again may be hidden: they run while
    /// their users wait for others.
    fn new(graph: &Graph, is_hidden: bool) -> Self {
        let nothing = (u64::MAX, 0u64);
        let mut spans = vec![nothing; graph.devices];
        let mut spans_of_sum = vec![nothing; graph.devices];
        let mut queues = vec![(0u64, 0u64); graph.queues];
        let mut alone = Alone::default();
        let mut sequence = 0u64;
        let wait = wait(graph);
        let first = last(graph).next().unwrap_or(0);
        let mut ends: Vec<u64> = Vec::new();
        let mut delayed: FxHashMap<u32, u64> = FxHashMap::default();
        for number in last(graph) {
            let mut node = graph.nodes[number];
            if !is_hidden {
                if let Some(user) = graph.again.get(&(number as u32)) {
                    *delayed.entry(*user).or_default() += node.time;
                    node.time = 0;
                }
                let time = delayed.get(&(number as u32)).copied().unwrap_or(0);
                node.time = node.time.saturating_add(time);
            }
            let before = graph.in_iteration(number).map(|node| ends[node - first]);
            let (free, work) = &mut queues[node.queue as usize];
            let start = before.max().unwrap_or(0).max(*free);
            let end = start.saturating_add(node.time);
            *free = end;
            ends.push(end);
            if node.kind != Kind::Work {
                continue;
            }
            // Memory for a copy from another device is in use from the start of the copy on.
            for earlier in graph.in_iteration(number) {
                let earlier = graph.nodes[earlier];
                if earlier.kind == Kind::Alloc {
                    let device = earlier.device as usize;
                    spans[device].0 = spans[device].0.min(start);
                    spans_of_sum[device].0 = spans_of_sum[device].0.min(sequence);
                }
            }
            *work = work.saturating_add(node.time);
            alone.busiest = alone.busiest.max(*work);
            alone.time = alone.time.max(end);
            let span = &mut spans[node.device as usize];
            *span = (span.0.min(start), span.1.max(end));
            alone.sum = alone.sum.saturating_add(node.time);
            let start = sequence;
            sequence = start.saturating_add(node.time);
            let span = &mut spans_of_sum[node.device as usize];
            *span = (span.0.min(start), span.1.max(sequence));
            if !node.is_stage {
                sequence = sequence.saturating_add(wait);
            }
        }
        let length = |(start, end): (u64, u64)| end.saturating_sub(start);
        alone.spans = spans.into_iter().map(length).collect();
        alone.spans_of_sum = spans_of_sum.into_iter().map(length).collect();
        alone
    }
}

/// Returns half of the mean time of the commands of stages: so long waits, on average, what arrives
/// at a busy stage at any time.
fn wait(graph: &Graph) -> u64 {
    let times = last(graph).map(|node| graph.nodes[node]);
    let times = times.filter(|node| node.is_stage).map(|node| node.time);
    let (sum, count) = times.fold((0u64, 0u64), |(sum, count), time| {
        (sum.saturating_add(time), count + 1)
    });
    sum / (2 * count).max(1)
}

/// Returns the nodes of the last iteration.
fn last(graph: &Graph) -> impl Iterator<Item = usize> {
    let iteration = graph.nodes.last().map(|node| node.iteration);
    let is_last = move |node: &usize| Some(graph.nodes[*node].iteration) == iteration;
    let count = graph.nodes.len();
    let first = (0..count).rev().take_while(is_last).last();
    first.unwrap_or(count)..count
}
