//! Streams by the earliest start of each command, without a count of waits: the reference for the
//! makespans and waits of `tfx_order::streams`.
//!
//! The commands are simulated in the order of issue. A stream whose last command has a successor
//! with a longer rest is left to that one, unless the event costs more. Of one, two, four streams
//! and so on, the fewest are taken that no larger number improves by more than an event.

use tfx_order::Costs;

use crate::graphs::Graph;

/// Returns the streams of a graph with a limit.
pub(crate) fn earliest(graph: &Graph, times: &[u64], most: usize, costs: Costs) -> Vec<usize> {
    let mut rests = times.to_vec();
    // For each node, the longest rest of its successors.
    let mut longest = vec![0; rests.len()];
    for node in (0..rests.len()).rev() {
        rests[node] = times[node] + longest[node];
        for &input in &graph.nodes[node] {
            longest[input] = longest[input].max(rests[node]);
        }
    }
    let mut best: Option<(u64, Vec<usize>)> = None;
    let mut count = 1;
    loop {
        let list = List {
            graph,
            times,
            costs,
            rests: &rests,
            longest: &longest,
        };
        let tried = list.simulate(count.min(most));
        let is_better = best
            .as_ref()
            .is_none_or(|(end, _)| tried.0 + costs.event < *end);
        if is_better {
            best = Some(tried);
        }
        if count >= most || count > times.len() {
            break;
        }
        count *= 2;
    }
    best.map_or(Vec::new(), |(_, streams)| streams)
}

struct List<'g> {
    graph: &'g Graph,
    times: &'g [u64],
    costs: Costs,
    rests: &'g [u64],
    longest: &'g [u64],
}

impl List<'_> {
    fn simulate(&self, count: usize) -> (u64, Vec<usize>) {
        let mut streams: Vec<usize> = Vec::new();
        let mut ends: Vec<u64> = Vec::new();
        // The end of each stream and its last node.
        let mut state: Vec<(u64, Option<usize>)> = vec![(0, None); count];
        for (node, inputs) in self.graph.nodes.iter().enumerate() {
            let issued = self.costs.launch * (node as u64 + 1);
            let choices = (0..count).map(|stream| {
                let ready = inputs.iter().map(|&input| {
                    let is_same = streams[input] == stream;
                    ends[input] + if is_same { 0 } else { self.costs.event }
                });
                let (free, last) = state[stream];
                let start = ready.chain([free, issued]).max().unwrap_or(0);
                let is_left = last.is_some_and(|last| {
                    self.longest[last] > self.rests[node] && inputs.contains(&last)
                });
                let penalty = if is_left { self.costs.event + 1 } else { 0 };
                (start + penalty, start, stream)
            });
            let best = choices.min_by_key(|(key, ..)| *key);
            let (_, start, stream) = best.expect("a stream");
            let end = start + self.times[node];
            ends.push(end);
            streams.push(stream);
            state[stream] = (end, Some(node));
        }
        (ends.into_iter().max().unwrap_or(0), streams)
    }
}
