//! Dependences between commands as a graph, its transitive reduction, and chains.
//!
//! ```text
//!   a ──► b ──► d       a ──► d is redundant
//!   └──────────►┘       chains a b d, c
//!   c
//! ```
//!
//! The nodes are in the order of issue, which extends the order of the graph. A greedy cover by
//! chains gives each node a clock, with the last node of each chain that comes before it. An edge
//! is redundant if the clock of another predecessor covers it (Simon, *An improved algorithm for
//! transitive closure on acyclic digraphs*, 1988).
//!
//! Cost: O((N + E) K) for K chains. Above [`MAX_CLOCKS`] entries, the graph is not reduced: this
//! costs no correctness.

/// The number of entries of all clocks: 256 MB.
pub(crate) const MAX_CLOCKS: usize = 1 << 26;

/// For each node, the nodes that it depends on, in ascending order.
pub(crate) type Predecessors = Vec<Vec<u32>>;

/// A cover of a graph by chains.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chains {
    /// For each node, its chain and its position in it, from 1.
    pub(crate) of: Vec<(u32, u32)>,
    pub(crate) count: usize,
}

impl Chains {
    /// Lets each node continue a chain that ends with a predecessor.
    fn greedy(graph: &Predecessors) -> Self {
        let mut chains = Self::default();
        let mut is_last = vec![true; graph.len()];
        for predecessors in graph {
            let end = predecessors
                .iter()
                .rev()
                .find(|node| is_last[**node as usize]);
            let own = match end {
                Some(&end) => {
                    is_last[end as usize] = false;
                    let (chain, position) = chains.of[end as usize];
                    (chain, position + 1)
                }
                None => {
                    chains.count += 1;
                    (chains.count as u32 - 1, 1)
                }
            };
            chains.of.push(own);
        }
        chains
    }
}

/// Returns the transitive reduction.
pub(crate) fn reduce(graph: &Predecessors) -> Predecessors {
    let chains = Chains::greedy(graph);
    let width = chains.count;
    if graph.len().saturating_mul(width) > MAX_CLOCKS {
        return graph.clone();
    }
    let mut clocks = vec![0u32; graph.len() * width];
    let mut reduced = Vec::with_capacity(graph.len());
    for (node, predecessors) in graph.iter().enumerate() {
        let (before, own) = clocks.split_at_mut(node * width);
        let own = &mut own[..width];
        let mut kept = Vec::new();
        for &other in predecessors.iter().rev() {
            let (chain, position) = chains.of[other as usize];
            if own[chain as usize] >= position {
                continue;
            }
            kept.push(other);
            let clock = &before[other as usize * width..][..width];
            for (entry, known) in own.iter_mut().zip(clock) {
                *entry = (*entry).max(*known);
            }
        }
        let (chain, position) = chains.of[node];
        own[chain as usize] = position;
        kept.reverse();
        reduced.push(kept);
    }
    reduced
}

/// Returns for each pair whether its first node comes before its second. Pairs are sorted by their
/// second node; the answer is `false` for all if the clocks take too much memory.
pub(crate) fn reaches(
    graph: &Predecessors,
    is_after: &mut impl FnMut(usize, &dyn Fn(u32) -> bool),
) {
    let chains = Chains::greedy(graph);
    let width = chains.count;
    let is_large = graph.len().saturating_mul(width) > MAX_CLOCKS;
    let mut clocks = vec![0u32; if is_large { 0 } else { graph.len() * width }];
    for (node, predecessors) in graph.iter().enumerate() {
        if is_large {
            is_after(node, &|other| predecessors.contains(&other));
            continue;
        }
        let (before, own) = clocks.split_at_mut(node * width);
        let own = &mut own[..width];
        for &other in predecessors {
            let clock = &before[other as usize * width..][..width];
            for (entry, known) in own.iter_mut().zip(clock) {
                *entry = (*entry).max(*known);
            }
        }
        let (chain, position) = chains.of[node];
        own[chain as usize] = position;
        let own = &*own;
        is_after(node, &|other| {
            let (chain, position) = chains.of[other as usize];
            own[chain as usize] >= position
        });
    }
}

/// Returns for each node the one that continues its chain, in a cover by the fewest chains whose
/// steps are edges: a maximum matching of nodes with successors.
///
/// Source: Hopcroft and Karp, *An n^{5/2} algorithm for maximum matchings in bipartite graphs*
/// (1973), without recursion. Cost: O(E sqrt N), and near linear on the graphs of programs.
pub(crate) fn match_chains(graph: &Predecessors) -> Vec<Option<u32>> {
    const NONE: u32 = u32::MAX;
    let count = graph.len();
    // A node is matched with one predecessor, and with one successor.
    let mut previous = vec![NONE; count];
    let mut next = vec![NONE; count];
    for (node, predecessors) in graph.iter().enumerate() {
        if let Some(&end) = predecessors
            .iter()
            .rev()
            .find(|end| next[**end as usize] == NONE)
        {
            (next[end as usize], previous[node]) = (node as u32, end);
        }
    }
    loop {
        // Layers of alternating paths from the nodes without a predecessor.
        let mut layer = vec![NONE; count];
        let mut queue: Vec<u32> = Vec::new();
        for node in 0..count {
            if previous[node] == NONE && !graph[node].is_empty() {
                layer[node] = 0;
                queue.push(node as u32);
            }
        }
        let mut is_open = false;
        let mut head = 0;
        while head < queue.len() {
            let node = queue[head] as usize;
            head += 1;
            for &end in &graph[node] {
                let other = next[end as usize];
                if other == NONE {
                    is_open = true;
                } else if layer[other as usize] == NONE {
                    layer[other as usize] = layer[node] + 1;
                    queue.push(other);
                }
            }
        }
        if !is_open {
            break;
        }
        let mut cursor = vec![0usize; count];
        let starts: Vec<u32> = queue
            .iter()
            .copied()
            .take_while(|node| layer[*node as usize] == 0)
            .collect();
        let mut has_grown = false;
        for start in starts {
            let mut path = vec![start];
            while let Some(&node) = path.last() {
                let index = node as usize;
                let Some(&end) = graph[index].get(cursor[index]) else {
                    // No path leads on from here in this phase.
                    layer[index] = NONE;
                    path.pop();
                    continue;
                };
                cursor[index] += 1;
                let other = next[end as usize];
                if other == NONE {
                    // The path ends: each node on it takes the predecessor that it reached by.
                    for &node in path.iter().rev() {
                        let end = graph[node as usize][cursor[node as usize] - 1];
                        (next[end as usize], previous[node as usize]) = (node, end);
                    }
                    has_grown = true;
                    break;
                }
                if layer[other as usize] == layer[index].wrapping_add(1) {
                    path.push(other);
                }
            }
        }
        if !has_grown {
            break;
        }
    }
    next.into_iter()
        .map(|node| (node != NONE).then_some(node))
        .collect()
}
