//! Pipelines: the textbooks' orders and times, memory, and random chains.

#[path = "support/again.rs"]
mod again;
#[path = "support/chains.rs"]
mod chains;

use std::collections::BTreeMap;

use again::{recomputed, symbols};
use chains::{Chain, Kind, Unrolled, replay};
use tfx_order::PipelineRule::{Gpipe, Interleaved, OneForwardOneBackward, ZeroBubble};
use tfx_order::{Pipeline, PipelineRule, Unpipelined, arenas, events, insert, lifetimes};
use tfx_schedule::{Buffer, BufferId, CommandId, Mode, Op, check};

fn run(chain: &Chain, rule: PipelineRule) -> (Unrolled, Pipeline) {
    let unrolled = chain.build();
    let pipeline = unrolled.pipeline(rule).expect("a chain");
    (unrolled, pipeline)
}

/// Returns the bytes of all arenas, after a proof of the order.
fn prove(unrolled: &Unrolled, pipeline: &Pipeline) -> u64 {
    let commands: usize = unrolled.iterations.iter().map(Vec::len).sum();
    assert_eq!(pipeline.order.len(), commands);
    let reordered = unrolled.reordered(pipeline);
    let waits = events(&reordered).expect("no loop");
    let complete = insert(&reordered, &waits);
    let report = check(&complete);
    let texts: Vec<String> = report
        .diagnostics
        .iter()
        .map(|d| d.display(&complete).to_string())
        .collect();
    assert!(report.is_verified(), "{texts:#?}");
    assert_eq!(replay(&complete), pipeline.time);
    let (levels, left) = lifetimes(&complete).expect("no loop");
    assert_eq!(left, []);
    let allocs = complete.parts[0].body.commands.iter();
    let buffers: BTreeMap<CommandId, BufferId> = allocs
        .filter_map(|command| match command.op {
            Op::Alloc { buffer, .. } => Some((command.id, buffer)),
            _ => None,
        })
        .collect();
    let part = &complete.parts[0];
    let memory = |command| {
        let Buffer::Slice { root, size, .. } = part.buffers[buffers.get(&command)?.0 as usize]
        else {
            return None;
        };
        Some((part.roots[root.0 as usize].space, size))
    };
    let plans = arenas(&levels, 1, memory).expect("a plan");
    plans.iter().map(|arena| arena.size).sum()
}

/// Returns the commands of the stages as text, a line for each device.
fn text(unrolled: &Unrolled, pipeline: &Pipeline, devices: usize) -> Vec<String> {
    let mut lines = vec![String::new(); devices];
    for id in &pipeline.order {
        let place = unrolled.place(*id);
        let letter = match place.kind {
            Kind::Forward => 'F',
            Kind::Backward => 'B',
            Kind::Weight => 'W',
            Kind::Again => 'R',
            Kind::Copy | Kind::Memory => continue,
        };
        let line = &mut lines[place.stage % devices];
        *line += &format!("{letter}{} ", place.iteration);
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_string())
        .collect()
}

#[test]
fn one_forward_one_backward_is_that_of_the_textbook() {
    let chain = Chain::equal(4, 8, [10, 20, 0]);
    let (unrolled, pipeline) = run(&chain, OneForwardOneBackward);
    let expected = [
        "F0 F1 F2 F3 B0 F4 B1 F5 B2 F6 B3 F7 B4 B5 B6 B7",
        "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 F6 B4 F7 B5 B6 B7",
        "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 F6 B5 F7 B6 B7",
        "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7",
    ];
    assert_eq!(text(&unrolled, &pipeline, 4), expected);
    assert_eq!((pipeline.time, pipeline.ideal), (330, 330));
    assert_eq!((pipeline.stages, pipeline.in_flight), (4, 4));
    prove(&unrolled, &pipeline);
}

#[test]
fn one_iteration_and_none_are_pipelines() {
    for rule in [Gpipe, OneForwardOneBackward, ZeroBubble] {
        let (unrolled, one) = run(&Chain::equal(3, 1, [10, 20, 0]), rule);
        assert_eq!((one.time, one.ideal, one.in_flight), (90, 90, 1));
        prove(&unrolled, &one);
        let none = run(&Chain::equal(3, 0, [10, 20, 0]), rule).1;
        assert_eq!(none, Pipeline::default());
    }
}

#[test]
fn events_are_not_reordered() {
    let mut unrolled = Chain::equal(2, 2, [10, 20, 0]).build();
    let waits = events(&unrolled.schedule).expect("no loop");
    unrolled.schedule = insert(&unrolled.schedule, &waits);
    let commands = &unrolled.schedule.parts[0].body.commands;
    let record = commands.iter().find(|c| matches!(c.op, Op::Record { .. }));
    let record = record.expect("two streams").id;
    unrolled.iterations[0].push(record);
    let error = unrolled.pipeline(Gpipe);
    assert_eq!(error, Err(Unpipelined::Unsupported(record)));
}

#[test]
fn gpipe_runs_all_forwards_first() {
    let chain = Chain::equal(3, 3, [10, 20, 0]);
    let (unrolled, pipeline) = run(&chain, Gpipe);
    assert_eq!(text(&unrolled, &pipeline, 3), ["F0 F1 F2 B0 B1 B2"; 3]);
    assert_eq!((pipeline.time, pipeline.ideal), (150, 150));
}

/// Compares the times of up to 64 iterations with the ideal ones, and prints and proves some.
fn table(rule: PipelineRule, costs: [u64; 3], chunks: usize, link: u64) {
    let mut worst = 100.0_f64;
    for devices in 2..=8 {
        for iterations in 2 * devices..=64 {
            let mut chain = Chain::equal(devices, iterations, costs);
            chain.costs = vec![costs; devices * chunks];
            chain.link = link;
            let (unrolled, pipeline) = run(&chain, rule);
            let percent = 100.0 * pipeline.ideal as f64 / pipeline.time as f64;
            worst = worst.min(percent);
            assert!(percent >= 95.0 && !pipeline.is_kept);
            match rule {
                Gpipe => assert_eq!(pipeline.in_flight, iterations),
                OneForwardOneBackward | ZeroBubble if link == 0 => {
                    assert_eq!(pipeline.in_flight, devices);
                }
                OneForwardOneBackward => assert!(pipeline.in_flight <= devices + 1),
                Interleaved | ZeroBubble => assert!(pipeline.in_flight <= 4 * devices),
            }
            if ![2 * devices, 3 * devices].contains(&iterations) {
                continue;
            }
            let bytes = prove(&unrolled, &pipeline);
            println!(
                "{rule:?}: {devices} devices, {chunks} stages each, {iterations} iterations, links \
                 {link}: {} of {} ({percent:.1} %), loop {}, {} in flight, {bytes} bytes",
                pipeline.time, pipeline.ideal, pipeline.sequential, pipeline.in_flight,
            );
        }
    }
    println!("{rule:?}, {chunks} stages each, links {link}: at least {worst:.1} % of the ideal");
}

#[test]
fn times_are_near_the_ideal() {
    for link in [0, 10] {
        table(Gpipe, [100, 200, 0], 1, link);
        table(OneForwardOneBackward, [100, 200, 0], 1, link);
        table(Interleaved, [100, 200, 0], 2, link);
        table(Interleaved, [100, 200, 0], 3, link);
        table(ZeroBubble, [100, 100, 100], 1, link);
    }
}

/// The speedups of AmoebaNet-D (18, 256) that torchgpipe has published, with the numbers of devices
/// and microbatches. It computes activations again.
const TORCHGPIPE: [(usize, usize, f64); 9] = [
    (2, 1, 1.0),
    (2, 4, 1.546),
    (2, 32, 1.780),
    (4, 1, 1.006),
    (4, 4, 1.680),
    (4, 32, 2.711),
    (8, 1, 0.932),
    (8, 4, 2.625),
    (8, 32, 4.966),
];

#[test]
fn speedups_are_above_those_of_torchgpipe() {
    println!("devices, microbatches: gpipe, 1f1b; torchgpipe");
    for (devices, iterations, published) in TORCHGPIPE {
        let costs = [200, 400, 0];
        let mut chain = Chain::equal(devices, iterations, costs);
        chain.link = 10;
        let alone = (devices * iterations) as u64 * (costs[0] + costs[1]);
        let speedup = |rule| alone as f64 / run(&chain, rule).1.time as f64;
        let [gpipe, other] = [Gpipe, OneForwardOneBackward].map(speedup);
        println!("{devices}, {iterations}: {gpipe:.2}, {other:.2}; {published:.2}");
        // One microbatch alone waits for the links.
        assert!(iterations == 1 || gpipe.min(other) > published);
    }
}

#[test]
fn an_ideal_time_is_that_of_the_textbook() {
    let (s, m) = (4, 12);
    let one = Chain::equal(4, 12, [10, 20, 0]);
    for rule in [Gpipe, OneForwardOneBackward] {
        assert_eq!(run(&one, rule).1.ideal, (m + s - 1) * 30);
    }
    let mut two = one.clone();
    two.costs = vec![[10, 20, 0]; 8];
    let ideal = run(&two, Interleaved).1.ideal;
    assert_eq!(ideal, m * 60 + (s - 1) * 60 / 2);
    let split = Chain::equal(4, 12, [10, 12, 8]);
    let ideal = run(&split, ZeroBubble).1.ideal;
    assert_eq!(ideal, m * 30 + (s - 1) * (10 + 12 - 8));
}

#[test]
fn weight_gradients_fill_the_bubble() {
    let chain = Chain::equal(4, 8, [10, 10, 10]);
    let (unrolled, pipeline) = run(&chain, ZeroBubble);
    let lines = text(&unrolled, &pipeline, 4);
    // The last stage defers them until the limit is reached, and again at the end.
    assert!(
        lines[3].starts_with("F0 B0 F1 B1 F2 B2 F3 B3 W0"),
        "{lines:#?}"
    );
    assert!(lines[3].ends_with("B7 W4 W5 W6 W7"), "{lines:#?}");
    assert_eq!(pipeline.time, pipeline.ideal);
    let eager = run(&chain, OneForwardOneBackward).1;
    assert!(
        pipeline.time < eager.time,
        "{} {}",
        pipeline.time,
        eager.time
    );
}

#[test]
fn interleaved_stages_shorten_the_bubble() {
    let plain = Chain::equal(4, 8, [20, 40, 0]);
    let mut chain = Chain::equal(4, 8, [0; 3]);
    chain.costs = vec![[10, 20, 0]; 8];
    let (unrolled, pipeline) = run(&chain, Interleaved);
    assert!(pipeline.time < run(&plain, OneForwardOneBackward).1.time);
    let lines = text(&unrolled, &pipeline, 4);
    let last = "F0 F1 F2 F3 F0 B0 F1 B1 F2 B2 F3 B3 F4 B0 F5 B1 F6 B2 F7 B3 F4 B4";
    assert!(lines[3].starts_with(last), "{lines:#?}");
    let error = plain.build().pipeline(Interleaved);
    assert_eq!(error, Err(Unpipelined::NotInterleaved));
}

#[test]
fn one_forward_one_backward_takes_less_memory_than_gpipe() {
    for (link, skips) in [(0, vec![]), (10, vec![]), (10, vec![(0, 2), (0, 3)])] {
        let mut chain = Chain::equal(4, 12, [100, 200, 0]);
        chain.link = link;
        chain.skips = skips;
        let bytes = [Gpipe, OneForwardOneBackward].map(|rule| {
            let (unrolled, pipeline) = run(&chain, rule);
            prove(&unrolled, &pipeline)
        });
        assert!(2 * bytes[1] < bytes[0], "{bytes:?}");
    }
}

/// A small generator of random numbers (SplitMix64: Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    fn chain(&mut self) -> Chain {
        let devices = 1 + self.below(5);
        let stages = devices * (1 + self.below(2)) + self.below(2);
        let has_weights = self.below(2) == 0;
        let costs = (0..stages).map(|_| {
            let time = |random: &mut Self| 1 + random.below(100) as u64;
            let weight = if has_weights { time(self) } else { 0 };
            [time(self), time(self), weight]
        });
        let costs = costs.collect();
        let skips = (0..self.below(4)).filter_map(|_| {
            let to = self.below(stages);
            (to >= 2).then(|| (self.below(to - 1), to))
        });
        let mut skips: Vec<(usize, usize)> = skips.collect();
        skips.sort_unstable();
        skips.dedup();
        Chain {
            devices,
            costs,
            link: [0, 1, 30][self.below(3)],
            skips,
            iterations: self.below(9),
            layers: 1 + self.below(3),
            is_in_place: self.below(2) == 0,
        }
    }
}

/// Returns whether each two conflicting commands have the order of the loop.
fn keeps_conflicts(unrolled: &Unrolled, pipeline: &Pipeline) -> bool {
    let part = &unrolled.schedule.parts[0];
    let mut accesses = Vec::new();
    for command in &part.body.commands {
        let position = pipeline.order.iter().position(|id| *id == command.id);
        let (Some(position), Op::Work { accesses: own, .. }) = (position, &command.op) else {
            continue;
        };
        accesses.extend(own.iter().map(|access| (position, *access)));
    }
    accesses
        .iter()
        .enumerate()
        .all(|(index, (position, access))| {
            let later = accesses[index..].iter();
            let mut conflicts = later.filter(|(_, other)| {
                let is_write = access.mode != Mode::Read || other.mode != Mode::Read;
                access.buffer == other.buffer && is_write
            });
            conflicts.all(|(other, _)| position <= other)
        })
}

#[test]
fn random_chains_are_ordered_and_not_slower_than_the_loop() {
    let (mut kept, mut count) = (0, 0);
    for seed in 0..300 {
        let chain = Random(seed).chain();
        let unrolled = chain.build();
        for rule in [Gpipe, OneForwardOneBackward, Interleaved, ZeroBubble] {
            let pipeline = match unrolled.pipeline(rule) {
                Ok(pipeline) => pipeline,
                Err(Unpipelined::NotInterleaved) if rule == Interleaved => continue,
                Err(error) => panic!("{seed}: {error}"),
            };
            assert!(pipeline.time <= pipeline.sequential, "{seed} {rule:?}");
            assert!(keeps_conflicts(&unrolled, &pipeline), "{seed} {rule:?}");
            prove(&unrolled, &pipeline);
            count += 1;
            kept += usize::from(pipeline.is_kept);
        }
    }
    println!("{count} pipelines of random chains, {kept} in the order of the loop");
    assert!(10 * kept < count);
}

/// Returns a pipeline with recomputation, and its bytes.
fn again(chain: &Chain, rule: PipelineRule) -> (Unrolled, Pipeline, usize) {
    let (unrolled, count) = recomputed(&chain.build(), rule);
    let pipeline = unrolled.pipeline(rule).expect("a chain");
    (unrolled, pipeline, count)
}

#[test]
fn forwards_run_again_right_before_backwards() {
    let chain = Chain::equal(4, 8, [10, 20, 0]);
    let (unrolled, pipeline, count) = again(&chain, OneForwardOneBackward);
    // The backward of the last stage follows its forward, which does not run again.
    assert_eq!(count, 3 * 8);
    let lines = text(&unrolled, &pipeline, 4);
    for line in &lines[..3] {
        let tasks: Vec<&str> = line.split(' ').collect();
        let at = |task: String| tasks.iter().position(|other| *other == task);
        for number in 0..8 {
            let forward = at(format!("R{number}")).expect("again");
            let backward = at(format!("B{number}")).expect("a backward");
            assert!((1..=2).contains(&(backward - forward)), "{lines:#?}");
        }
    }
    assert_eq!(lines[3], "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 F6 B6 F7 B7");
    prove(&unrolled, &pipeline);
    let (unrolled, pipeline, count) = again(&Chain::equal(3, 3, [10, 20, 0]), Gpipe);
    assert_eq!(count, 9);
    let lines = text(&unrolled, &pipeline, 3);
    assert_eq!(lines, ["F0 F1 F2 R0 B0 R1 B1 R2 B2"; 3]);
    prove(&unrolled, &pipeline);
}

#[test]
fn what_runs_again_is_not_kept() {
    for (rule, costs) in [
        (Gpipe, [100, 200, 0]),
        (OneForwardOneBackward, [100, 200, 0]),
        (ZeroBubble, [100, 100, 100]),
    ] {
        let (mut percent, mut part) = (100.0_f64, 0.0_f64);
        for (devices, link) in (2..=8).flat_map(|devices| [(devices, 0), (devices, 10)]) {
            let mut chain = Chain::equal(devices, 4 * devices, costs);
            (chain.layers, chain.link) = (4, link);
            let (plain, kept) = run(&chain, rule);
            let (unrolled, pipeline, _) = again(&chain, rule);
            let bytes = (prove(&plain, &kept), prove(&unrolled, &pipeline));
            assert!(bytes.1 < bytes.0, "{bytes:?}");
            percent = percent.min(100.0 * pipeline.ideal as f64 / pipeline.time as f64);
            part = part.max(bytes.1 as f64 / bytes.0 as f64);
            println!(
                "{rule:?}, {devices} devices, links {link}: {} bytes in {}; {} bytes in {} of {}",
                bytes.0, kept.time, bytes.1, pipeline.time, pipeline.ideal
            );
        }
        println!("{rule:?}: at least {percent:.1} % of the ideal, at most {part:.2} of the memory");
        assert!(percent >= 94.0);
    }
}

#[test]
fn random_chains_compute_the_same_with_recomputation() {
    let (mut pipelines, mut kernels) = (0, 0);
    for seed in 0..300 {
        let chain = Random(seed).chain();
        let plain = chain.build();
        let expected = symbols(&plain.schedule, &plain.sums);
        for rule in [Gpipe, OneForwardOneBackward, Interleaved, ZeroBubble] {
            let (unrolled, count) = recomputed(&plain, rule);
            assert_eq!(symbols(&unrolled.schedule, &plain.sums), expected, "{seed}");
            let Ok(pipeline) = unrolled.pipeline(rule) else {
                assert_eq!(rule, Interleaved);
                continue;
            };
            assert!(keeps_conflicts(&unrolled, &pipeline), "{seed} {rule:?}");
            prove(&unrolled, &pipeline);
            let reordered = unrolled.reordered(&pipeline);
            assert_eq!(
                symbols(&reordered, &plain.sums),
                expected,
                "{seed} {rule:?}"
            );
            (pipelines, kernels) = (pipelines + 1, kernels + count);
        }
    }
    println!("{pipelines} pipelines of random chains, {kernels} kernels run again");
    assert!(kernels > 20 * 300);
}

#[test]
fn a_long_pipeline_has_an_order() {
    let mut chain = Chain::equal(8, 1200, [100, 100, 100]);
    chain.link = 10;
    let unrolled = chain.build();
    let commands: usize = unrolled.iterations.iter().map(Vec::len).sum();
    let start = std::time::Instant::now();
    let pipeline = unrolled.pipeline(ZeroBubble).expect("a chain");
    println!("{commands} commands in {:?}", start.elapsed());
    assert_eq!(pipeline.order.len(), commands);
}
