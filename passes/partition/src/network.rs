//! The minimum cut of a network: the nodes on the source side if the cheapest set of edges between
//! source and sink is removed.
//!
//! ```text
//!   source ──3──► a ──1──► b ──2──► sink          cut: a ──► b;   source side: a
//! ```
//!
//! Dinic's algorithm (1970): augment along shortest paths, all paths of one length in one sweep.
//! Edges from the source and to the sink are stored as numbers of their nodes. Flow through a
//! single node is pushed first; then each connected component is solved by itself, so that a
//! component costs sweeps over its own edges only, and a component without a source or a sink costs
//! nothing.
//!
//! Of all minimum cuts, the result is the one with the fewest nodes on the source side. It does not
//! depend on any order.
//!
//! Cost: a sweep is about linear in its component's edges; there are at most as many sweeps as the
//! longest path has nodes, in practice a few. Nothing recurses.

/// A capacity that no flow saturates: more than all others together.
pub(crate) const UNLIMITED: u128 = 1 << 124;

/// A network under construction.
#[derive(Debug, Default)]
pub(crate) struct Network {
    /// The residual capacity from the source to each node.
    supply: Vec<u128>,
    /// The residual capacity from each node to the sink.
    drain: Vec<u128>,
    /// From, to, capacity.
    edges: Vec<(u32, u32, u128)>,
}

impl Network {
    /// Adds a node.
    pub(crate) fn node(&mut self) -> u32 {
        self.supply.push(0);
        self.drain.push(0);
        u32::try_from(self.supply.len() - 1).expect("a network has fewer than 2^32 nodes")
    }

    pub(crate) fn edge(&mut self, from: u32, to: u32, capacity: u128) {
        self.edges.push((from, to, capacity));
    }

    pub(crate) fn edge_from_source(&mut self, to: u32, capacity: u128) {
        let supply = &mut self.supply[to as usize];
        *supply = (*supply + capacity).min(UNLIMITED);
    }

    pub(crate) fn edge_to_sink(&mut self, from: u32, capacity: u128) {
        let drain = &mut self.drain[from as usize];
        *drain = (*drain + capacity).min(UNLIMITED);
    }

    /// Returns for each node whether it is on the source side.
    pub(crate) fn minimum_cut(self) -> Vec<bool> {
        let mut flow = Flow::new(self);
        flow.push_through_nodes();
        flow.solve();
        flow.reached_from_source()
    }
}

/// An edge and its reverse are neighbours in [`Flow::arcs`].
#[derive(Clone, Copy, Debug)]
struct Arc {
    to: u32,
    left: u128,
}

struct Flow {
    supply: Vec<u128>,
    drain: Vec<u128>,
    arcs: Vec<Arc>,
    /// The arcs that leave node `n` are `out[first[n]..first[n + 1]]`.
    first: Vec<u32>,
    out: Vec<u32>,
    level: Vec<u32>,
    /// The next arc to try at each node, as a position in `out`.
    next: Vec<u32>,
}

const UNREACHED: u32 = u32::MAX;

impl Flow {
    fn new(network: Network) -> Self {
        let nodes = network.supply.len();
        let mut first = vec![0u32; nodes + 1];
        for &(from, to, _) in &network.edges {
            first[from as usize + 1] += 1;
            first[to as usize + 1] += 1;
        }
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut free = first.clone();
        let mut out = vec![0; 2 * network.edges.len()];
        let mut arcs = Vec::with_capacity(out.len());
        let mut leave = |node: u32, arc: usize| {
            out[free[node as usize] as usize] = arc as u32;
            free[node as usize] += 1;
        };
        for (from, to, capacity) in network.edges {
            leave(from, arcs.len());
            leave(to, arcs.len() + 1);
            arcs.push(Arc { to, left: capacity });
            arcs.push(Arc { to: from, left: 0 });
        }
        Flow {
            supply: network.supply,
            drain: network.drain,
            arcs,
            next: first.clone(),
            first,
            out,
            level: vec![UNREACHED; nodes],
        }
    }

    fn nodes(&self) -> u32 {
        self.supply.len() as u32
    }

    fn leaving(&self, node: u32) -> &[u32] {
        &self.out[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    fn push_through_nodes(&mut self) {
        for (supply, drain) in self.supply.iter_mut().zip(&mut self.drain) {
            let through = (*supply).min(*drain);
            *supply -= through;
            *drain -= through;
        }
    }

    fn solve(&mut self) {
        let mut seen = vec![false; self.supply.len()];
        for node in 0..self.nodes() {
            if seen[node as usize] {
                continue;
            }
            let component = self.component(node, &mut seen);
            let has = |ends: &[u128]| component.iter().any(|&node| ends[node as usize] > 0);
            if has(&self.supply) && has(&self.drain) {
                while let Some(level) = self.levels(&component) {
                    self.augment(&component, level);
                }
            }
        }
    }

    /// Returns the nodes that are connected with one, in either direction.
    fn component(&self, node: u32, seen: &mut [bool]) -> Vec<u32> {
        let mut component = vec![node];
        seen[node as usize] = true;
        let mut at = 0;
        while let Some(&node) = component.get(at) {
            at += 1;
            for &arc in self.leaving(node) {
                let to = self.arcs[arc as usize].to;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    component.push(to);
                }
            }
        }
        component
    }

    /// Computes the distance of each node from the source. Returns the least distance of a node
    /// with residual capacity to the sink.
    fn levels(&mut self, component: &[u32]) -> Option<u32> {
        let mut queue = Vec::new();
        for &node in component {
            self.next[node as usize] = self.first[node as usize];
            self.level[node as usize] = UNREACHED;
            if self.supply[node as usize] > 0 {
                self.level[node as usize] = 0;
                queue.push(node);
            }
        }
        let mut found = None;
        let mut at = 0;
        while let Some(&node) = queue.get(at) {
            at += 1;
            let level = self.level[node as usize];
            if found.is_some_and(|found| found < level) {
                break;
            }
            if self.drain[node as usize] > 0 {
                found = Some(level);
            }
            for index in self.first[node as usize]..self.first[node as usize + 1] {
                let arc = self.arcs[self.out[index as usize] as usize];
                if arc.left > 0 && self.level[arc.to as usize] == UNREACHED {
                    self.level[arc.to as usize] = level + 1;
                    queue.push(arc.to);
                }
            }
        }
        found
    }

    /// Saturates all paths of the shortest length.
    fn augment(&mut self, component: &[u32], last: u32) {
        let mut path: Vec<u32> = Vec::new();
        for &start in component {
            if self.level[start as usize] != 0 {
                continue;
            }
            path.clear();
            let mut at = start;
            while self.supply[start as usize] > 0 {
                if self.level[at as usize] == last && self.drain[at as usize] > 0 {
                    at = self.fill(start, at, &mut path);
                } else if let Some(arc) = self.advance(at, last) {
                    at = self.arcs[arc as usize].to;
                    path.push(arc);
                } else if let Some(arc) = path.pop() {
                    at = self.arcs[arc as usize ^ 1].to;
                    self.next[at as usize] += 1;
                } else {
                    break;
                }
            }
        }
    }

    /// Returns the next arc of a node to the next level.
    fn advance(&mut self, at: u32, last: u32) -> Option<u32> {
        let level = self.level[at as usize];
        if level == last {
            return None;
        }
        let next = &mut self.next[at as usize];
        while *next < self.first[at as usize + 1] {
            let arc = self.out[*next as usize];
            let Arc { to, left } = self.arcs[arc as usize];
            if left > 0 && self.level[to as usize] == level + 1 {
                return Some(arc);
            }
            *next += 1;
        }
        None
    }

    /// Augments a path, and returns to the first node from which it is saturated.
    fn fill(&mut self, start: u32, end: u32, path: &mut Vec<u32>) -> u32 {
        let ends = self.supply[start as usize].min(self.drain[end as usize]);
        let amount = path
            .iter()
            .map(|&arc| self.arcs[arc as usize].left)
            .fold(ends, u128::min);
        self.supply[start as usize] -= amount;
        self.drain[end as usize] -= amount;
        let mut full = None;
        for (index, &arc) in path.iter().enumerate() {
            self.arcs[arc as usize].left -= amount;
            self.arcs[arc as usize ^ 1].left += amount;
            if self.arcs[arc as usize].left == 0 && full.is_none() {
                full = Some(index);
            }
        }
        match full {
            Some(index) => {
                let from = self.arcs[path[index] as usize ^ 1].to;
                path.truncate(index);
                from
            }
            None => end,
        }
    }

    fn reached_from_source(&self) -> Vec<bool> {
        let mut reached: Vec<bool> = self.supply.iter().map(|&supply| supply > 0).collect();
        let mut todo: Vec<u32> = (0..self.nodes())
            .filter(|&node| reached[node as usize])
            .collect();
        while let Some(node) = todo.pop() {
            for &arc in self.leaving(node) {
                let Arc { to, left } = self.arcs[arc as usize];
                if left > 0 && !std::mem::replace(&mut reached[to as usize], true) {
                    todo.push(to);
                }
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_the_cheapest_edges() {
        let mut network = Network::default();
        let [a, b, c] = [network.node(), network.node(), network.node()];
        network.edge_from_source(a, 3);
        network.edge(a, b, 1);
        network.edge(b, c, UNLIMITED);
        network.edge_to_sink(c, 2);
        assert_eq!(network.minimum_cut(), [true, false, false]);
    }

    #[test]
    fn of_equal_cuts_takes_the_one_with_the_fewest_at_the_source() {
        let mut network = Network::default();
        let [a, b] = [network.node(), network.node()];
        network.edge_from_source(a, 2);
        network.edge(a, b, 2);
        network.edge_to_sink(b, 2);
        assert_eq!(network.minimum_cut(), [false, false]);
    }

    /// Compares with all cuts of random networks.
    #[test]
    fn agrees_with_brute_force() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for _ in 0..2000 {
            let nodes = 1 + random(7) as u32;
            let mut network = Network::default();
            let mut edges = Vec::new();
            let (source, sink) = (nodes, nodes + 1);
            (0..nodes).for_each(|_| _ = network.node());
            for _ in 0..random(20) {
                let (from, to, capacity) = (
                    random(u64::from(nodes)) as u32,
                    random(u64::from(nodes)) as u32,
                    u128::from(random(9)),
                );
                edges.push((from, to, capacity));
                network.edge(from, to, capacity);
            }
            for _ in 0..random(8) {
                let (node, capacity) = (random(u64::from(nodes)) as u32, u128::from(random(9)));
                if random(2) == 0 {
                    edges.push((source, node, capacity));
                    network.edge_from_source(node, capacity);
                } else {
                    edges.push((node, sink, capacity));
                    network.edge_to_sink(node, capacity);
                }
            }
            let cost = |side: &dyn Fn(u32) -> bool| -> u128 {
                let at_source = |node| node == source || node != sink && side(node);
                edges
                    .iter()
                    .filter(|&&(from, to, _)| at_source(from) && !at_source(to))
                    .map(|edge| edge.2)
                    .sum()
            };
            let cuts: Vec<_> = (0..1u32 << nodes)
                .map(|bits| (cost(&|node| bits >> node & 1 == 1), bits.count_ones(), bits))
                .collect();
            let least = *cuts.iter().min().expect("there is a cut");
            let found = network.minimum_cut();
            let found = (0..nodes).fold(0, |bits, node| {
                bits | u32::from(found[node as usize]) << node
            });
            assert_eq!(found, least.2, "{edges:?}");
        }
    }
}
