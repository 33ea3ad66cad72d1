//! Compares the minimum cut of `network.rs` with petgraph's `dinics`, on networks of the shapes
//! that partition builds.
//!
//! ```text
//!   cargo run --release -p tfx-partition --example network
//! ```
//!
//! petgraph computes a flow of one source and one sink; the cut is then a search of the residual
//! network, which is not measured. docs/adr/0013-network-flow.md has the figures and the decision.

#[path = "../src/network.rs"]
mod network;

use std::time::Instant;

use network::Network;
use petgraph::algo::maximum_flow::dinics;
use petgraph::graph::DiGraph;

/// The runs of each measurement, of which the median counts.
const RUNS: usize = 5;
/// A contender that took longer at a size is left out at larger ones.
const LIMIT_SECONDS: f64 = 20.0;

/// A network as a list: from, to, capacity. Node 0 is the source, node 1 the sink.
struct Edges {
    nodes: u32,
    edges: Vec<(u32, u32, u128)>,
}

/// Values with few uses each: many components of a few nodes.
fn components(nodes: u32) -> Edges {
    const SIZE: u32 = 8;
    let mut edges = Vec::new();
    for first in (2..nodes + 2 - SIZE).step_by(SIZE as usize) {
        edges.push((0, first, 3));
        for node in first..first + SIZE - 1 {
            edges.push((node, node + 1, u128::from(1 + node % 5)));
        }
        edges.push((first + SIZE - 1, 1, 2));
    }
    Edges { nodes, edges }
}

/// One long chain of values, used on both sides all along.
fn chain(nodes: u32) -> Edges {
    let mut edges = Vec::new();
    for node in 2..nodes + 1 {
        edges.push((node, node + 1, u128::from(1 + node % 7)));
        match node % 10 {
            0 => edges.push((0, node, 2)),
            5 => edges.push((node, 1, 2)),
            _ => {}
        }
    }
    Edges { nodes, edges }
}

/// Values that each depend on two others: one component with many paths.
fn grid(nodes: u32) -> Edges {
    let width = nodes.isqrt().max(2);
    let mut edges = Vec::new();
    let at = |row: u32, column: u32| 2 + row * width + column;
    for row in 0..width - 1 {
        for column in 0..width {
            let capacity = u128::from(1 + (row * 7 + column * 3) % 5);
            edges.push((at(row, column), at(row + 1, column), capacity));
            edges.push((at(row, column), at(row + 1, (column + 1) % width), capacity));
        }
    }
    for column in 0..width {
        edges.push((0, at(0, column), 4));
        edges.push((at(width - 1, column), 1, 4));
    }
    Edges {
        nodes: width * width,
        edges,
    }
}

/// Returns the seconds of the median run, with the capacity of the cut.
fn ours(network: &Edges) -> (f64, u128) {
    median(|| {
        let mut ours = Network::default();
        (0..network.nodes).for_each(|_| _ = ours.node());
        for &(from, to, capacity) in &network.edges {
            match (from, to) {
                (0, to) => ours.edge_from_source(to - 2, capacity),
                (from, 1) => ours.edge_to_sink(from - 2, capacity),
                (from, to) => ours.edge(from - 2, to - 2, capacity),
            }
        }
        let cut = ours.minimum_cut();
        let at_source = |node: u32| node == 0 || node != 1 && cut[node as usize - 2];
        let crossing = network
            .edges
            .iter()
            .filter(|edge| at_source(edge.0) && !at_source(edge.1));
        crossing.map(|edge| edge.2).sum()
    })
}

fn petgraphs(network: &Edges) -> (f64, u128) {
    median(|| {
        let mut graph = DiGraph::<(), u128>::new();
        let nodes: Vec<_> = (0..network.nodes + 2).map(|_| graph.add_node(())).collect();
        for &(from, to, capacity) in &network.edges {
            graph.add_edge(nodes[from as usize], nodes[to as usize], capacity);
        }
        dinics(&graph, nodes[0], nodes[1]).0
    })
}

fn median(mut run: impl FnMut() -> u128) -> (f64, u128) {
    let mut times = Vec::new();
    let mut answer = 0;
    for _ in 0..RUNS {
        let since = Instant::now();
        answer = run();
        times.push(since.elapsed().as_secs_f64());
        if times[0] > LIMIT_SECONDS {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], answer)
}

/// A function that makes a network with a number of nodes.
type Shape = fn(u32) -> Edges;

fn main() {
    println!(
        "{:<12} {:>8} {:>12} {:>12} {:>8}",
        "shape", "nodes", "ours (ms)", "dinics (ms)", "ratio"
    );
    let shapes: [(&str, Shape); 3] = [("components", components), ("chain", chain), ("grid", grid)];
    for (name, shape) in shapes {
        let mut is_too_slow = false;
        for nodes in [1_000, 10_000, 100_000] {
            let network = shape(nodes);
            let (seconds, cut) = ours(&network);
            let milliseconds = seconds * 1e3;
            if is_too_slow {
                println!(
                    "{name:<12} {nodes:>8} {milliseconds:>12.3} {:>12} {:>8}",
                    "-", "-"
                );
                continue;
            }
            let (peer, flow) = petgraphs(&network);
            assert_eq!(cut, flow, "the minimum cut is the maximum flow");
            let ratio = peer / seconds;
            println!(
                "{name:<12} {nodes:>8} {milliseconds:>12.3} {:>12.3} {ratio:>8.1}",
                peer * 1e3
            );
            is_too_slow = peer > LIMIT_SECONDS;
        }
    }
}
