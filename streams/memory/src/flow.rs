//! Maximum flow and minimum cut.
//!
//! ```text
//!   levels:   source 0 ──► 1 ──► 2 ──► sink 3      a phase saturates all shortest paths
//! ```
//!
//! Dinic's algorithm (1970) with the *current arc* of each node, and without recursion. O(V^2 E) in
//! the worst case; the number of visited edges has a budget. `petgraph::algo::dinics` visits all
//! nodes for each augmenting path.

/// The capacity of an edge that is never saturated: more than any sum of sizes.
pub const UNBOUNDED: u64 = 1 << 63;

#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    /// The flow that the edge can still take. The reverse edge is next to it: its index differs
    /// by one bit.
    capacity: u64,
}

/// A flow network, and a flow in it.
#[derive(Clone, Debug)]
pub struct Network {
    edges: Vec<Edge>,
    /// The edges from each node.
    from: Vec<Vec<u32>>,
    levels: Vec<u32>,
    /// For each node, the index in `from` of its current arc.
    current: Vec<usize>,
}

/// The level of a node that no path reaches.
const UNREACHED: u32 = u32::MAX;

impl Network {
    /// Creates a network of nodes, which the numbers from 0 name, without edges.
    pub fn new(nodes: usize) -> Self {
        Self {
            edges: Vec::new(),
            from: vec![Vec::new(); nodes],
            levels: Vec::new(),
            current: Vec::new(),
        }
    }

    /// Adds an edge with its capacity.
    pub fn add(&mut self, from: u32, to: u32, capacity: u64) {
        for (from, to, capacity) in [(from, to, capacity), (to, from, 0)] {
            self.from[from as usize].push(self.edges.len() as u32);
            self.edges.push(Edge { to, capacity });
        }
    }

    /// Returns the value of a maximum flow, or nothing if the budget of visited edges is used up.
    pub fn maximum(&mut self, source: u32, sink: u32, budget: &mut u64) -> Option<u64> {
        let mut flow = 0;
        while self.assign_levels(source, sink, budget)? {
            self.current = vec![0; self.from.len()];
            while let Some(path) = self.find_path(source, sink, budget)? {
                let capacities = path.iter().map(|&edge| self.edges[edge as usize].capacity);
                let amount = capacities.min().unwrap_or(0);
                for edge in path {
                    self.edges[edge as usize].capacity -= amount;
                    self.edges[edge as usize ^ 1].capacity += amount;
                }
                flow += amount;
            }
        }
        Some(flow)
    }

    /// Returns whether a node is on the source's side of a minimum cut, once the flow is a maximum:
    /// of all minimum cuts, that with the fewest nodes on this side.
    pub fn is_reached(&self, node: u32) -> bool {
        let level = self.levels.get(node as usize);
        level.is_some_and(|level| *level != UNREACHED)
    }

    /// Assigns to each node its distance from the source. Returns whether the sink has one.
    fn assign_levels(&mut self, source: u32, sink: u32, budget: &mut u64) -> Option<bool> {
        self.levels = vec![UNREACHED; self.from.len()];
        self.levels[source as usize] = 0;
        let mut queue = vec![source];
        let mut next = 0;
        while next < queue.len() && self.levels[sink as usize] == UNREACHED {
            let node = queue[next] as usize;
            next += 1;
            *budget = budget.checked_sub(self.from[node].len() as u64)?;
            for &edge in &self.from[node] {
                let Edge { to, capacity } = self.edges[edge as usize];
                if capacity > 0 && self.levels[to as usize] == UNREACHED {
                    self.levels[to as usize] = self.levels[node] + 1;
                    queue.push(to);
                }
            }
        }
        Some(self.levels[sink as usize] != UNREACHED)
    }

    /// Returns the edges of a shortest path with capacity, if there is one.
    fn find_path(&mut self, source: u32, sink: u32, budget: &mut u64) -> Option<Option<Vec<u32>>> {
        let mut path: Vec<u32> = Vec::new();
        let mut node = source as usize;
        while node != sink as usize {
            *budget = budget.checked_sub(1)?;
            let Some(&edge) = self.from[node].get(self.current[node]) else {
                let Some(edge) = path.pop() else {
                    return Some(None);
                };
                node = self.edges[edge as usize ^ 1].to as usize;
                self.current[node] += 1;
                continue;
            };
            let Edge { to, capacity } = self.edges[edge as usize];
            if capacity > 0 && self.levels[to as usize] == self.levels[node] + 1 {
                path.push(edge);
                node = to as usize;
            } else {
                self.current[node] += 1;
            }
        }
        Some(Some(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_rerouted() {
        let mut network = Network::new(4);
        for (from, to, capacity) in [(0, 1, 3), (0, 2, 2), (1, 2, 5), (1, 3, 2), (2, 3, 3)] {
            network.add(from, to, capacity);
        }
        assert_eq!(network.maximum(0, 3, &mut 1000), Some(5));
        let side = (0..4).map(|node| network.is_reached(node));
        assert_eq!(side.collect::<Vec<_>>(), [true, false, false, false]);
    }

    #[test]
    fn the_budget_ends_the_search() {
        let mut network = Network::new(2);
        network.add(0, 1, UNBOUNDED);
        assert_eq!(network.maximum(0, 1, &mut 1), None);
        assert_eq!(network.maximum(0, 1, &mut 10), Some(UNBOUNDED));
    }
}
