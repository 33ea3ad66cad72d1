//! Graphs of networks, and the streams and waits of NNC's static schedules.
//!
//! The graphs are written from the published architectures: the convolutions of a separable one, a
//! normalization and an activation are one node. Training has a node for each derivative, which
//! depends on the derivatives of the users, and on the inputs of the node.
//!
//! NNC's rule is that of `ccv_nnc_graph_static_schedule_new` (liuliu/ccv, lib/nnc/ccv_nnc_graph.c):
//! the edges are reduced transitively; a node takes a stream whose last node precedes it, else a
//! new one, and its stream continues along the successors with the longest rest; each edge to
//! another stream is a wait, unless this stream has waited for the same node before.

use tfx_order::{Costs, Model, events, insert, simulate};
use tfx_schedule::{
    Access, BufferId, Builder, CommandId, Device, Names, Schedule, Space, StreamId, check,
    read_any, write_any,
};

/// For each node, its predecessors, which have smaller numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Vec<usize>>,
}

impl Graph {
    fn node(&mut self, inputs: &[usize]) -> usize {
        self.nodes.push(inputs.to_vec());
        self.nodes.len() - 1
    }

    fn chain(&mut self, mut input: usize, length: usize) -> usize {
        for _ in 0..length {
            input = self.node(&[input]);
        }
        input
    }

    /// Returns the graph with derivatives of all nodes.
    pub(crate) fn training(&self) -> Graph {
        let mut graph = self.clone();
        let count = self.nodes.len();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (node, inputs) in self.nodes.iter().enumerate() {
            inputs.iter().for_each(|input| users[*input].push(node));
        }
        let mut derivatives = vec![0; count];
        for node in (0..count).rev() {
            let mut inputs: Vec<usize> =
                users[node].iter().map(|user| derivatives[*user]).collect();
            inputs.extend(&self.nodes[node]);
            inputs.push(node);
            derivatives[node] = graph.node(&inputs);
        }
        graph
    }

    /// Returns a schedule with a kernel and a buffer for each node.
    pub(crate) fn schedule(&self, streams: &[usize]) -> Schedule<u32> {
        let mut b = Builder::new();
        let gpu = b.device(Device::Cuda);
        b.begin_part("main");
        let count = streams.iter().max().map_or(1, |most| most + 1);
        let of_device: Vec<StreamId> = (0..count).map(|_| b.stream(gpu)).collect();
        let space = Space::Device(gpu);
        let buffers: Vec<BufferId> = self.nodes.iter().map(|_| b.buffer(64, space)).collect();
        for (node, inputs) in self.nodes.iter().enumerate() {
            let mut reads: Vec<usize> = inputs.clone();
            reads.sort_unstable();
            reads.dedup();
            let reads = reads.iter().map(|input| read_any(buffers[*input]));
            let accesses: Vec<Access> = reads.chain([write_any(buffers[node])]).collect();
            b.launch(node as u32, of_device[streams[node]], &accesses);
        }
        b.end_part(Names::default());
        b.finish().expect("a part")
    }
}

/// Returns Inception v3: stacks of blocks with three or four branches.
pub(crate) fn inception() -> Graph {
    let mut g = Graph::default();
    let input = g.node(&[]);
    let mut x = g.chain(input, 6);
    for _ in 0..3 {
        let branches = [g.chain(x, 1), g.chain(x, 2), g.chain(x, 3), g.chain(x, 2)];
        x = g.node(&branches);
    }
    let branches = [g.chain(x, 1), g.chain(x, 3), g.chain(x, 1)];
    x = g.node(&branches);
    for _ in 0..4 {
        let branches = [g.chain(x, 1), g.chain(x, 3), g.chain(x, 5), g.chain(x, 2)];
        x = g.node(&branches);
    }
    let branches = [g.chain(x, 2), g.chain(x, 4), g.chain(x, 1)];
    x = g.node(&branches);
    for _ in 0..2 {
        let one = g.chain(x, 1);
        let fork = g.chain(x, 1);
        let wide = [g.node(&[fork]), g.node(&[fork])];
        let fork = g.chain(x, 2);
        let deep = [g.node(&[fork]), g.node(&[fork])];
        let pool = g.chain(x, 2);
        x = g.node(&[one, wide[0], wide[1], deep[0], deep[1], pool]);
    }
    g.chain(x, 3);
    g
}

/// Returns NASNet-A with a number of normal cells.
pub(crate) fn nasnet(cells: usize) -> Graph {
    let mut g = Graph::default();
    let input = g.node(&[]);
    let mut before = g.chain(input, 1);
    let mut last = g.chain(before, 1);
    for _ in 0..cells {
        // Both inputs are projected.
        let (h, p) = (g.chain(last, 1), g.chain(before, 1));
        let add = |g: &mut Graph, one: usize, two: usize| g.node(&[one, two]);
        let separable = |g: &mut Graph, x: usize| g.chain(x, 4);
        let one = separable(&mut g, h);
        let b0 = add(&mut g, one, h);
        let (one, two) = (separable(&mut g, p), separable(&mut g, h));
        let b1 = add(&mut g, one, two);
        let one = g.chain(h, 1);
        let b2 = add(&mut g, one, p);
        let (one, two) = (g.chain(p, 1), g.chain(p, 1));
        let b3 = add(&mut g, one, two);
        let (one, two) = (separable(&mut g, p), separable(&mut g, p));
        let b4 = add(&mut g, one, two);
        (before, last) = (last, g.node(&[p, b0, b1, b2, b3, b4]));
    }
    g.chain(last, 2);
    g
}

/// Returns the network that DARTS searches in: each edge of a cell is a sum of eight operations.
pub(crate) fn darts(cells: usize) -> Graph {
    let mut g = Graph::default();
    let input = g.node(&[]);
    let mut before = g.chain(input, 1);
    let mut last = before;
    for _ in 0..cells {
        let mut states = vec![g.chain(before, 1), g.chain(last, 1)];
        for _ in 0..4 {
            let mut edges = Vec::new();
            for &state in &states {
                // Nothing, two pools, the identity, and two separable and two dilated convolutions.
                let operations: Vec<usize> = [1, 2, 2, 1, 4, 4, 2, 2]
                    .iter()
                    .map(|length| g.chain(state, *length))
                    .collect();
                edges.push(g.node(&operations));
            }
            let state = g.node(&edges);
            states.push(state);
        }
        let new = g.node(&states[2..]);
        (before, last) = (last, new);
    }
    g.chain(last, 2);
    g
}

/// Returns a transformer with eight heads.
pub(crate) fn transformer(layers: usize) -> Graph {
    const HEADS: usize = 8;
    let mut g = Graph::default();
    let input = g.node(&[]);
    let mut x = g.chain(input, 1);
    for _ in 0..layers {
        let norm = g.node(&[x]);
        let mut heads = Vec::new();
        for _ in 0..HEADS {
            let [q, k, v] = [0, 1, 2].map(|_| g.node(&[norm]));
            let scores = g.node(&[q, k]);
            let weights = g.chain(scores, 2);
            heads.push(g.node(&[weights, v]));
        }
        let joined = g.node(&heads);
        let projected = g.chain(joined, 1);
        let sum = g.node(&[x, projected]);
        let hidden = g.chain(sum, 4);
        x = g.node(&[sum, hidden]);
    }
    g.chain(x, 2);
    g
}

/// Returns the networks and their names.
pub(crate) fn networks() -> Vec<(&'static str, Graph)> {
    vec![
        ("Inception v3", inception()),
        ("NASNet-A, 6 cells", nasnet(6)),
        ("DARTS, 4 cells", darts(4)),
        ("transformer, 6 layers", transformer(6)),
        ("Inception v3, training", inception().training()),
        ("NASNet-A, training", nasnet(6).training()),
        ("DARTS, training", darts(4).training()),
        ("transformer, training", transformer(6).training()),
    ]
}

/// The streams of NNC, and the number of its waits.
pub(crate) struct Nnc {
    pub(crate) streams: Vec<usize>,
    pub(crate) waits: usize,
}

/// Returns whether each node precedes each other one, as bits.
fn ancestors(graph: &Graph) -> Vec<Vec<u64>> {
    let words = graph.nodes.len().div_ceil(64);
    let mut sets: Vec<Vec<u64>> = Vec::new();
    for inputs in &graph.nodes {
        let mut set = vec![0u64; words];
        for &input in inputs {
            for (word, other) in set.iter_mut().zip(&sets[input]) {
                *word |= other;
            }
            set[input / 64] |= 1 << (input % 64);
        }
        sets.push(set);
    }
    sets
}

/// Returns NNC's streams and waits of a graph. `most` is the limit for streams, 0 for none.
pub(crate) fn nnc(graph: &Graph, most: usize) -> Nnc {
    let count = graph.nodes.len();
    let mut sets = ancestors(graph);
    let precedes =
        |sets: &[Vec<u64>], one: usize, two: usize| sets[two][one / 64] >> (one % 64) & 1 == 1;
    let mut reduced: Vec<Vec<usize>> = Vec::new();
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, inputs) in graph.nodes.iter().enumerate() {
        let mut kept: Vec<usize> = inputs.clone();
        kept.sort_unstable();
        kept.dedup();
        let all = kept.clone();
        kept.retain(|input| !all.iter().any(|other| precedes(&sets, *input, *other)));
        kept.iter().for_each(|input| outgoing[*input].push(node));
        reduced.push(kept);
    }
    // The longest path to an end.
    let mut rank = vec![0; count];
    for node in (0..count).rev() {
        rank[node] = outgoing[node]
            .iter()
            .map(|next| rank[*next] + 1)
            .max()
            .unwrap_or(0);
    }
    let mut streams = vec![usize::MAX; count];
    let mut last_nodes: Vec<usize> = Vec::new();
    for node in 0..count {
        if streams[node] != usize::MAX {
            continue;
        }
        let mut free = last_nodes
            .iter()
            .position(|last| precedes(&sets, *last, node));
        if free.is_none() && most > 0 && last_nodes.len() >= most {
            // At the limit, any stream whose last node does not follow.
            free = last_nodes
                .iter()
                .position(|last| !precedes(&sets, node, *last));
            if let Some(stream) = free {
                let last = last_nodes[stream];
                sets[node][last / 64] |= 1 << (last % 64);
            }
        }
        let stream = free.unwrap_or_else(|| {
            last_nodes.push(node);
            last_nodes.len() - 1
        });
        let mut end = node;
        streams[node] = stream;
        loop {
            let next = outgoing[end]
                .iter()
                .filter(|next| streams[**next] == usize::MAX);
            // The first of those with the highest rank.
            let Some(&next) = next.rev().max_by_key(|next| rank[**next]) else {
                break;
            };
            streams[next] = stream;
            end = next;
        }
        last_nodes[stream] = end;
    }
    let mut waits = 0;
    let mut seen: Vec<Vec<bool>> = vec![vec![false; count]; last_nodes.len()];
    for node in 0..count {
        for &input in &reduced[node] {
            let is_new = !std::mem::replace(&mut seen[streams[node]][input], true);
            waits += usize::from(is_new && streams[node] != streams[input]);
        }
    }
    Nnc { streams, waits }
}

/// The time of a kernel of a network in nanoseconds: ten launches.
pub(crate) const KERNEL: u64 = 30_000;

/// Returns the streams that `tfx-order` chooses with a limit, 0 for none.
pub(crate) fn ours(graph: &Graph, times: &[u64], most: usize) -> Vec<usize> {
    let schedule = graph.schedule(&vec![0; graph.nodes.len()]);
    let cost = |id: CommandId| times[schedule.places[id.0 as usize] as usize];
    let assigned =
        tfx_order::streams(&schedule, Costs::default(), |_, _| most as u32, cost).expect("no loop");
    assigned
        .iter()
        .map(|choice| choice.stream as usize)
        .collect()
}

/// Returns the fewest waits of a graph on streams, and its simulated time. The result is verified.
pub(crate) fn waits_and_time(graph: &Graph, times: &[u64], streams: &[usize]) -> (usize, u64) {
    let schedule = graph.schedule(streams);
    let waits = events(&schedule).expect("no loop");
    let ordered = insert(&schedule, &waits);
    assert!(check(&ordered).is_verified());
    let model = Model {
        costs: Costs::default(),
        latency: 0,
    };
    // Commands that are inserted have no time.
    let cost = |id: CommandId| {
        let place = schedule.places.get(id.0 as usize);
        place.map_or(0, |node| times[*node as usize])
    };
    let timeline = simulate(&ordered, model, cost, |_, least| least, |_, _| 0);
    (waits.len(), timeline.expect("events before waits").makespan)
}
