//! The waits and times of networks, compared with NNC's rule and with the earliest starts.

#[path = "support/earliest.rs"]
mod earliest;
#[path = "support/graphs.rs"]
mod graphs;

use earliest::earliest;
use graphs::{KERNEL, networks, nnc, ours, waits_and_time};
use tfx_order::Costs;

#[test]
fn networks_have_fewer_waits_than_nncs() {
    for (name, graph) in networks() {
        let times = vec![KERNEL; graph.nodes.len()];
        for most in [0, 2, 4, 8] {
            let rule = nnc(&graph, most);
            let (on_same, time_of_rule) = waits_and_time(&graph, &times, &rule.streams);
            let own = ours(&graph, &times, most);
            let (on_own, time) = waits_and_time(&graph, &times, &own);
            let count = |streams: &[usize]| streams.iter().max().map_or(0, |most| most + 1);
            println!(
                "{name}: {} nodes, limit {most}, NNC {} streams {} waits {} us, same streams {on_same}, own {} streams {on_own} waits {} us",
                graph.nodes.len(),
                count(&rule.streams),
                rule.waits,
                time_of_rule / 1000,
                count(&own),
                time / 1000,
            );
            assert!(on_same <= rule.waits, "{name}");
            if most == 0 {
                // The minimum: each stream is a chain of the reduced dependences.
                assert_eq!(on_own, rule.waits, "{name}");
                continue;
            }
            assert!(count(&own) <= most, "{name}, {most}");
            assert!(on_own * 3 <= rule.waits * 2, "{name}, {most}");
            let reference = earliest(&graph, &times, most, Costs::default());
            let (waits, shortest) = waits_and_time(&graph, &times, &reference);
            println!("  earliest starts: {waits} waits {} us", shortest / 1000);
            assert!(on_own <= waits, "{name}, {most}");
            assert!(time * 40 <= shortest * 41, "{name}, {most}");
        }
    }
}

#[test]
fn other_times_of_kernels_have_fewer_waits() {
    for kernel in [10_000, 100_000, 300_000] {
        // The least ratio, as waits of NNC and own ones, with its network and limit.
        let mut least: Option<(usize, usize, &str, usize)> = None;
        for (name, graph) in networks() {
            let times = vec![kernel; graph.nodes.len()];
            for most in [2, 4, 8] {
                let rule = nnc(&graph, most).waits;
                let (own, _) = waits_and_time(&graph, &times, &ours(&graph, &times, most));
                if least.is_none_or(|(other, others, ..)| rule * others < other * own) {
                    least = Some((rule, own, name, most));
                }
            }
        }
        let (rule, own, name, most) = least.expect("a network");
        println!("kernels of {kernel} ns: at least {rule} / {own}, {name}, limit {most}");
        assert!(own * 4 <= rule * 3, "{name}, {most}");
    }
}
