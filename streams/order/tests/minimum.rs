//! The number of waits of straight code, against all sets of waits.
//!
//! Brute force tries all sets of events between commands of different streams, by their number, and
//! takes the first with which each dependence is in the order that the events and the streams give.
//! Only events of dependences are tried, directly or not: others would add order.

#[path = "../../schedule/tests/support/mod.rs"]
mod support;

use support::Random;
use tfx_order::events;
use tfx_schedule::{
    Access, Builder, Device, Names, Schedule, Space, StreamId, read_any, write_any,
};

/// A command: its stream, and the buffers that it reads and writes.
struct Command {
    stream: usize,
    reads: Vec<usize>,
    writes: Vec<usize>,
}

fn random_commands(random: &mut Random) -> Vec<Command> {
    let streams = 2 + random.below(3);
    let buffers = 2 + random.below(5);
    let commands = 2 + random.below(9);
    let commands = (0..commands).map(|_| {
        let mut pick = |most: usize| {
            let mut list: Vec<usize> = (0..random.below(most + 1))
                .map(|_| random.below(buffers))
                .collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        let (mut reads, writes) = (pick(2), pick(1));
        reads.retain(|buffer| !writes.contains(buffer));
        Command {
            stream: random.below(streams),
            reads,
            writes,
        }
    });
    commands.collect()
}

fn build(commands: &[Command]) -> Schedule<u32> {
    let mut b = Builder::new();
    let gpu = b.device(Device::Cuda);
    b.begin_part("main");
    let streams: Vec<StreamId> = (0..4).map(|_| b.stream(gpu)).collect();
    let buffers: Vec<_> = (0..6).map(|_| b.buffer(8, Space::Device(gpu))).collect();
    for (place, command) in (0..).zip(commands) {
        let reads = command
            .reads
            .iter()
            .map(|buffer| read_any(buffers[*buffer]));
        let writes = command
            .writes
            .iter()
            .map(|buffer| write_any(buffers[*buffer]));
        let accesses: Vec<Access> = reads.chain(writes).collect();
        b.launch(place, streams[command.stream], &accesses);
    }
    b.end_part(Names::default());
    b.finish().expect("a part")
}

fn conflict(one: &Command, two: &Command) -> bool {
    let touches = |command: &Command, buffer: &usize| {
        command.reads.contains(buffer) || command.writes.contains(buffer)
    };
    one.writes.iter().any(|buffer| touches(two, buffer))
        || two.writes.iter().any(|buffer| touches(one, buffer))
}

/// Returns for each command the set of those before it, as bits.
fn closure(commands: &[Command], edges: &[(usize, usize)]) -> Vec<u32> {
    let mut before = vec![0u32; commands.len()];
    for two in 0..commands.len() {
        for one in 0..two {
            let is_ordered =
                commands[one].stream == commands[two].stream || edges.contains(&(one, two));
            if is_ordered {
                before[two] |= before[one] | 1 << one;
            }
        }
    }
    before
}

fn fewest(commands: &[Command]) -> usize {
    let pairs = (0..commands.len()).flat_map(|two| (0..two).map(move |one| (one, two)));
    let needed: Vec<(usize, usize)> = pairs
        .clone()
        .filter(|(one, two)| conflict(&commands[*one], &commands[*two]))
        .collect();
    let order = closure(commands, &needed);
    let candidates: Vec<(usize, usize)> = pairs
        .filter(|(one, two)| {
            commands[*one].stream != commands[*two].stream && order[*two] >> *one & 1 == 1
        })
        .collect();
    let is_enough = |edges: &[(usize, usize)]| closure(commands, edges) == order;
    (0..=candidates.len())
        .find(|count| any_choice(&candidates, *count, &mut Vec::new(), &is_enough))
        .expect("all candidates are enough")
}

/// Returns whether some choice of `count` candidates is enough.
fn any_choice(
    candidates: &[(usize, usize)],
    count: usize,
    chosen: &mut Vec<(usize, usize)>,
    is_enough: &impl Fn(&[(usize, usize)]) -> bool,
) -> bool {
    if count == 0 {
        return is_enough(chosen);
    }
    if candidates.len() < count {
        return false;
    }
    let (first, rest) = candidates.split_first().expect("there are enough");
    chosen.push(*first);
    let is_found = any_choice(rest, count - 1, chosen, is_enough);
    chosen.pop();
    is_found || any_choice(rest, count, chosen, is_enough)
}

#[test]
fn straight_code_has_the_fewest_waits() {
    let mut counts = [0; 3];
    for seed in 0..400 {
        let commands = random_commands(&mut Random::new(seed));
        let found = events(&build(&commands)).expect("no loop").len();
        let least = fewest(&commands);
        assert_eq!(found, least, "seed {seed}");
        counts[least.min(2)] += 1;
    }
    println!("schedules with no wait, one, and more: {counts:?}");
    assert!(counts.iter().all(|count| *count > 20));
}
