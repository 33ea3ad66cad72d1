//! Loops and branches that bytes decide, which a device computes or the host.

use tfx_commands::{Detail, Options, Verified};
use tfx_schedule::{
    Agent, Builder, CommandId, Device, Lifetime, Names, Space, Trips, read_any, write_any,
};

use crate::ptx::All;
use crate::support::{Fake, Seeded, executable, memory, run, verified};

/// A loop with as many iterations as a table has bytes before its first zero:
///
/// ```text
///   t = table;  h = t[0];  decide h
///   loop {  k(t, sum) on the other stream;  t = t[1..];  h = t[0];  decide h  }
///   result = sum
/// ```
fn skip(is_nested: bool) -> Verified {
    let mut b = Builder::new();
    let cuda = b.device(Device::Cuda);
    b.begin_part("main");
    let [s, t] = [b.stream(cuda), b.stream(cuda)];
    let [table, result, h] = [8, 8, 1].map(|size| b.buffer(size, Space::Pinned));
    let [now, next, sum] = [(); 3].map(|()| {
        let root = b.root(8, Space::Device(cuda), Lifetime::Managed);
        let slice = b.slice(root, 0, 8);
        b.alloc(Detail::None, Agent::Stream(s), slice);
        slice
    });
    let [head, rest, shorter, moved] = [
        b.view(now, 0, 1),
        b.view(now, 1, 7),
        b.view(now, 0, 7),
        b.view(next, 0, 7),
    ];
    let none = || Detail::None;
    b.fill(Detail::Fill(vec![5]), s, write_any(sum));
    if is_nested {
        b.begin_loop(none(), Trips::Exactly(3), Names::default());
    }
    b.copy(none(), s, read_any(table), write_any(now));
    b.copy(none(), s, read_any(head), write_any(h));
    let event = b.record(none(), s);
    b.host_wait(none(), &[event]);
    let first = b.host(Detail::Decide, &[read_any(h)]);
    b.begin_loop(none(), Trips::AtLeast(0), Names::default());
    let event = b.record(none(), s);
    b.wait(none(), t, &[event]);
    let accesses = [read_any(now), read_any(sum), write_any(sum)];
    b.launch(Detail::kernel("k"), t, &accesses);
    b.copy(none(), s, read_any(rest), write_any(moved));
    let event = b.record(none(), t);
    b.wait(none(), s, &[event]);
    b.copy(none(), s, read_any(moved), write_any(shorter));
    b.copy(none(), s, read_any(head), write_any(h));
    let event = b.record(none(), s);
    b.host_wait(none(), &[event]);
    let last = b.host(Detail::Decide, &[read_any(h)]);
    b.end_loop(Names::default());
    if is_nested {
        b.end_loop(Names::default());
    }
    b.copy(none(), s, read_any(sum), write_any(result));
    for slice in [now, next, sum] {
        b.free(none(), Agent::Stream(s), slice);
    }
    b.end_part(Names::default());
    let mut schedule = b.finish().expect("a part");
    let repeated = CommandId(first.0 + 1);
    schedule.places[repeated.0 as usize] = Detail::Decided { first, next: last };
    verified(schedule)
}

#[test]
fn a_device_decides_each_iteration() {
    let fake = Fake::new(1);
    for is_nested in [false, true] {
        let verified = skip(is_nested);
        let all = All::new(&verified);
        let mut results = Vec::new();
        for count in 0..=7u8 {
            let table = |bytes: &mut Vec<Vec<u8>>| {
                for (position, byte) in (0..).zip(&mut bytes[0]) {
                    *byte = if position < count { 7 + position } else { 0 };
                }
            };
            let mut expected = memory(&verified);
            table(&mut expected);
            let mut options = Options::default();
            tfx_commands::run(&verified, &all.cpu, &mut expected, &mut options).expect("correct");
            results.push(expected[1].clone());
            for (name, kernels) in [("host", &all.host), ("ptx", &all.ptx)] {
                let executable = executable(&fake, &verified, kernels, true).expect("they exist");
                for seed in 0..8 {
                    fake.seed(seed);
                    let mut bytes = memory(&verified);
                    table(&mut bytes);
                    // The caller decides nothing.
                    run(&executable, &mut bytes, &mut Seeded::new(seed)).expect("correct");
                    assert_eq!(bytes, expected, "{name}, {count}, {seed}");
                }
                let rounds = if is_nested { 3 } else { 1 };
                let launches = executable.counts().launches + executable.counts().host_kernels;
                assert_eq!(launches, 8 * rounds * u64::from(count), "{name}, {count}");
                assert_eq!(executable.counts().graph_replays, 0, "{name}, {count}");
            }
        }
        results.sort();
        results.dedup();
        assert_eq!(results.len(), 8, "each number of iterations has its result");
    }
    fake.assert_empty("after all executables");
}

/// A branch that a device decides: both arms write the same bytes, by other kernels.
///
/// ```text
///   t = bytes;  h = t[0];  decide h;  if { k(t) } else { k(k(t)) };  result = t
/// ```
fn choose() -> Verified {
    let mut b = Builder::new();
    let cuda = b.device(Device::Cuda);
    b.begin_part("main");
    let [s, t] = [b.stream(cuda), b.stream(cuda)];
    let [bytes, result, h] = [8, 8, 1].map(|size| b.buffer(size, Space::Pinned));
    let root = b.root(8, Space::Device(cuda), Lifetime::Managed);
    let now = b.slice(root, 0, 8);
    b.alloc(Detail::None, Agent::Stream(s), now);
    let head = b.view(now, 0, 1);
    b.copy(Detail::None, s, read_any(bytes), write_any(now));
    b.copy(Detail::None, s, read_any(head), write_any(h));
    let event = b.record(Detail::None, s);
    b.host_wait(Detail::None, &[event]);
    let by = b.host(Detail::Decide, &[read_any(h)]);
    b.begin_branch(Detail::None);
    for (stream, launches) in [(s, 1), (t, 2)] {
        b.begin_arm();
        for _ in 0..launches {
            let accesses = [read_any(now), write_any(now)];
            b.launch(Detail::kernel("k"), stream, &accesses);
        }
        b.end_arm(Names::default());
    }
    b.end_branch();
    let event = b.record(Detail::None, t);
    b.wait(Detail::None, s, &[event]);
    b.copy(Detail::None, s, read_any(now), write_any(result));
    b.free(Detail::None, Agent::Stream(s), now);
    b.end_part(Names::default());
    let mut schedule = b.finish().expect("a part");
    schedule.places[by.0 as usize + 1] = Detail::Chosen(by);
    verified(schedule)
}

#[test]
fn a_device_decides_a_branch() {
    let fake = Fake::new(1);
    let verified = choose();
    let all = All::new(&verified);
    for (decision, expected_launches) in [(0, 2), (1, 1), (255, 1)] {
        let start = || {
            let mut bytes = memory(&verified);
            bytes[0][0] = decision;
            bytes
        };
        let mut expected = start();
        let mut options = Options::default();
        tfx_commands::run(&verified, &all.cpu, &mut expected, &mut options).expect("correct");
        for (name, kernels) in [("host", &all.host), ("ptx", &all.ptx)] {
            let executable = executable(&fake, &verified, kernels, true).expect("they exist");
            for seed in 0..8 {
                fake.seed(seed);
                let mut bytes = start();
                // The caller decides nothing.
                run(&executable, &mut bytes, &mut Seeded::new(seed)).expect("correct");
                assert_eq!(bytes, expected, "{name}, {decision}, {seed}");
            }
            let launches = executable.counts().launches + executable.counts().host_kernels;
            assert_eq!(launches, 8 * expected_launches, "{name}, {decision}");
            assert_eq!(executable.counts().graph_replays, 0, "{name}, {decision}");
        }
    }
    fake.assert_empty("after all executables");
}
