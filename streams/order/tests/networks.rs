//! The waits of networks, compared with NNC's rule.

#[path = "support/graphs.rs"]
mod graphs;

use graphs::{Graph, networks, nnc, ours};
use tfx_order::{events, insert};
use tfx_schedule::check;

fn waits(graph: &Graph, streams: &[usize]) -> usize {
    let schedule = graph.schedule(streams);
    let waits = events(&schedule).expect("no loop");
    assert!(check(&insert(&schedule, &waits)).is_verified());
    waits.len()
}

#[test]
fn networks_have_fewer_waits_than_nncs() {
    for (name, graph) in networks() {
        for most in [0, 2, 4, 8] {
            let rule = nnc(&graph, most);
            let on_same = waits(&graph, &rule.streams);
            let own = ours(&graph, most);
            let on_own = waits(&graph, &own);
            let count = |streams: &[usize]| streams.iter().max().map_or(0, |most| most + 1);
            println!(
                "{name}: {} nodes, limit {most}, NNC {} streams {} waits, same streams {on_same}, own {} streams {on_own}",
                graph.nodes.len(),
                count(&rule.streams),
                rule.waits,
                count(&own)
            );
            assert!(on_same <= rule.waits, "{name}");
        }
    }
}
