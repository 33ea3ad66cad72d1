//! The simulation of assignments, compared with the events and the simulation of schedules.

use tfx_schedule::{
    Access, BufferId, Builder, Device, Names, Schedule, Space, StreamId, read_any, write_any,
};

use super::Costs;
use super::cover::Graph;
use super::limit::RULES;
use super::list::{Lists, Placement};
use crate::graph::reduce;
use crate::{Model, events, insert, simulate};

const COMMANDS: usize = 60;

/// Returns a graph whose commands depend on some of the twelve before them.
fn graph(seed: usize) -> Graph {
    let predecessors = (0..COMMANDS).map(|node| {
        let inputs = (0..(node + seed) % 4).filter(|_| node > 0);
        let mut list: Vec<u32> = inputs
            .map(|input| (node - 1 - (node * (seed + 3) + input * 7) % node.min(12)) as u32)
            .collect();
        list.sort_unstable();
        list.dedup();
        list
    });
    let costs = (0..COMMANDS).map(|node| (1_000 + node * 7_919 * (seed + 1) % 60_000) as u64);
    Graph {
        predecessors: reduce(&predecessors.collect()),
        costs: costs.collect(),
    }
}

/// Returns a schedule with a buffer for each command.
fn schedule(graph: &Graph, streams: &[u32]) -> Schedule<usize> {
    let mut b = Builder::new();
    let gpu = b.device(Device::Cuda);
    b.begin_part("main");
    let count = streams.iter().max().map_or(1, |most| most + 1);
    let of_device: Vec<StreamId> = (0..count).map(|_| b.stream(gpu)).collect();
    let buffer = |_| b.buffer(64, Space::Device(gpu));
    let buffers: Vec<BufferId> = streams.iter().map(buffer).collect();
    for (node, inputs) in graph.predecessors.iter().enumerate() {
        let reads = inputs
            .iter()
            .map(|input| read_any(buffers[*input as usize]));
        let accesses: Vec<Access> = reads.chain([write_any(buffers[node])]).collect();
        b.launch(node, of_device[streams[node] as usize], &accesses);
    }
    b.end_part(Names::default());
    b.finish().expect("a part")
}

#[test]
fn a_simulation_has_the_waits_and_the_time_of_its_schedule() {
    let costs = Costs::default();
    let check = |graph: &Graph, placement: &Placement| {
        let schedule = schedule(graph, &placement.streams);
        let waits = events(&schedule).expect("no loop");
        assert_eq!(placement.waits, waits.len());
        let model = Model { costs, latency: 0 };
        let cost = |id: tfx_schedule::CommandId| {
            let place = schedule.places.get(id.0 as usize);
            place.map_or(0, |node| graph.costs[*node])
        };
        let ordered = insert(&schedule, &waits);
        let timeline = simulate(&ordered, model, cost, |_, least| least, |_, _| 0);
        assert_eq!(
            placement.end,
            timeline.expect("events before waits").makespan
        );
    };
    for seed in 0..20 {
        let graph = graph(seed);
        let lists = Lists::new(&graph, costs);
        for count in [1, 2, 3, 5, 70] {
            let first = lists.earliest(count);
            check(&graph, &first);
            let latest = lists.latest(&first, first.end);
            for rule in RULES {
                check(&graph, &lists.by_rules(count, &[rule], &latest));
            }
            check(&graph, &lists.by_rules(count, &RULES, &latest));
        }
    }
}

#[test]
fn latest_starts_end_in_time() {
    let costs = Costs::default();
    for seed in 0..20 {
        let graph = graph(seed);
        let lists = Lists::new(&graph, costs);
        let placement = lists.earliest(3);
        let latest = lists.latest(&placement, placement.end);
        let mut free = [0u64; 3];
        for node in 0..COMMANDS {
            let stream = placement.streams[node] as usize;
            let inputs = graph.predecessors[node].iter().map(|input| {
                let input = *input as usize;
                let is_same = placement.streams[input] as usize == stream;
                latest[input] + graph.costs[input] + if is_same { 0 } else { costs.event }
            });
            assert!(
                inputs
                    .chain([free[stream]])
                    .all(|time| time <= latest[node])
            );
            free[stream] = latest[node] + graph.costs[node];
        }
        assert_eq!(free.into_iter().max(), Some(placement.end));
    }
}
