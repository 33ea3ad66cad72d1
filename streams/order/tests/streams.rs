//! Streams of random graphs with a limit, compared with the earliest starts and with all others.

#[path = "support/earliest.rs"]
mod earliest;
#[path = "support/graphs.rs"]
#[allow(dead_code)] // The networks are those of another test.
mod graphs;
#[path = "../../schedule/tests/support/mod.rs"]
mod support;

use earliest::earliest;
use graphs::{Graph, ours, waits_and_time};
use support::Random;
use tfx_order::Costs;

/// The seeds of each shape.
const SEEDS: u64 = 20;

/// The shape of a random graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Up to three inputs from anywhere.
    Sparse,
    /// Up to three inputs among the last nodes.
    Local,
    /// Up to three inputs from the layer before.
    Layers,
    /// Chains that fork and join.
    Forks,
}

/// Returns a graph and the times of its nodes.
fn random(shape: Shape, nodes: usize, random: &mut Random) -> (Graph, Vec<u64>) {
    let width = 2 + random.below(12);
    // The ends of chains.
    let mut ends: Vec<usize> = Vec::new();
    let mut graph = Graph::default();
    for node in 0..nodes {
        let layer = node / width;
        let inputs: Vec<usize> = match shape {
            _ if node == 0 => Vec::new(),
            Shape::Sparse => (0..random.below(4)).map(|_| random.below(node)).collect(),
            Shape::Local => (0..1 + random.below(3))
                .map(|_| node - 1 - random.below(node.min(2 * width)))
                .collect(),
            Shape::Layers if layer == 0 => Vec::new(),
            Shape::Layers => (0..1 + random.below(3))
                .map(|_| (layer - 1) * width + random.below(width))
                .collect(),
            Shape::Forks => {
                let chosen = random.below(ends.len());
                match random.below(10) {
                    0 | 1 if ends.len() < width => vec![ends[chosen]],
                    2 if ends.len() > 1 => {
                        let joined = 2 + random.below(ends.len() - 1);
                        ends.drain(ends.len() - joined..).collect()
                    }
                    _ => vec![ends.swap_remove(chosen)],
                }
            }
        };
        ends.push(node);
        graph.nodes.push(inputs);
    }
    let kind = random.below(3);
    let time = |_| match kind {
        0 => graphs::KERNEL,
        1 => 2_000 << random.below(7),
        _ => 3_000 + random.below(60_000) as u64,
    };
    let times = (0..nodes).map(time).collect();
    (graph, times)
}

#[test]
fn random_graphs_have_fewer_waits_and_are_not_slower() {
    for shape in [Shape::Sparse, Shape::Local, Shape::Layers, Shape::Forks] {
        // The sums of waits, and of the logarithms of the ratios of times.
        let (mut own, mut reference, mut logarithms, mut worst) = (0, 0, 0.0, 1.0f64);
        let mut count = 0.0;
        for seed in 0..SEEDS {
            let mut source = Random::new(seed);
            let nodes = 50 + source.below(250);
            let (graph, times) = random(shape, nodes, &mut source);
            for most in [2, 4, 8] {
                let streams = ours(&graph, &times, most);
                assert!(streams.iter().all(|stream| *stream < most));
                let (waits, time) = waits_and_time(&graph, &times, &streams);
                let streams = earliest(&graph, &times, most, Costs::default());
                let (earliest_waits, shortest) = waits_and_time(&graph, &times, &streams);
                own += waits;
                reference += earliest_waits;
                let ratio = time as f64 / shortest as f64;
                logarithms += ratio.ln();
                worst = worst.max(ratio);
                count += 1.0;
            }
        }
        let mean = f64::exp(logarithms / count);
        println!(
            "{shape:?}: {own} waits, earliest starts {reference}; time {mean:.3}, at most {worst:.3}"
        );
        assert!(own * 10 <= reference * 9, "{shape:?}");
        assert!(mean <= 1.01, "{shape:?}");
    }
}

#[test]
fn small_graphs_are_nearly_optimal() {
    const NODES: usize = 8;
    let (mut waits_sum, mut fewest_sum, mut logarithms) = (0, 0, 0.0);
    for seed in 0..SEEDS {
        let mut source = Random::new(seed);
        let (graph, times) = random(Shape::Local, NODES, &mut source);
        let (waits, time) = waits_and_time(&graph, &times, &ours(&graph, &times, 2));
        let all: Vec<(usize, u64)> = (0..1usize << (NODES - 1))
            .map(|bits| {
                let streams: Vec<usize> = (0..NODES).map(|node| bits >> node & 1).collect();
                waits_and_time(&graph, &times, &streams)
            })
            .collect();
        let shortest = all.iter().map(|(_, time)| *time).min().unwrap_or(0);
        let in_time = all.iter().filter(|(_, other)| *other <= time);
        let fewest = in_time.map(|(waits, _)| *waits).min().unwrap_or(0);
        waits_sum += waits;
        fewest_sum += fewest;
        logarithms += (time as f64 / shortest as f64).ln();
    }
    let mean = f64::exp(logarithms / SEEDS as f64);
    println!("{waits_sum} waits, {fewest_sum} in the same time; time {mean:.3} of the shortest");
    assert!(waits_sum * 10 <= fewest_sum * 12);
    assert!(mean <= 1.05);
}
