//! Graphs, memory and events that are used again, and runs that are cancelled.

use std::sync::atomic::{AtomicBool, Ordering};

use tfx_commands::{Decisions, Detail, Verified};
use tfx_cuda::{Error, RunOptions};
use tfx_schedule::{
    Agent, Builder, CommandId, Device, Lifetime, Names, Space, Trips, read, write, write_any,
};

use crate::programs::{Features, program};
use crate::ptx::All;
use crate::support::{Fake, Seeded, executable, memory, run, verified};

#[test]
fn replayed_lists_give_the_bytes_of_issued_lists() {
    let fake = Fake::new(2);
    let mut graphs = 0;
    for seed in 0..40 {
        let features = Features {
            devices: 2,
            has_host: false,
            has_control: false,
        };
        let verified = program(seed, features);
        let all = All::new(&verified);
        let [issued, replayed] =
            [false, true].map(|replay| executable(&fake, &verified, &all.ptx, replay).expect("it"));
        let captures = fake.count("cuStreamBeginCapture");
        let mut allocated = 0;
        for order in 0..4 {
            fake.seed(order);
            let [mut left, mut right] = [memory(&verified), memory(&verified)];
            // Other bytes for each run.
            left.iter_mut()
                .chain(&mut right)
                .flatten()
                .for_each(|byte| *byte ^= order as u8);
            run(&issued, &mut left, &mut Seeded::new(0)).expect("a correct list");
            run(&replayed, &mut right, &mut Seeded::new(0)).expect("a correct list");
            assert_eq!(left, right, "{seed}, order {order}");
            let new = [
                "cuMemAlloc",
                "cuMemHostAlloc",
                "cuEventCreate",
                "cuStreamCreate",
            ];
            let now: u64 = new.map(|function| fake.count(function)).iter().sum();
            assert!(
                order == 0 || now == allocated,
                "a later run allocates nothing"
            );
            allocated = now;
        }
        assert_eq!(fake.count("cuStreamBeginCapture") - captures, 1, "{seed}");
        assert_eq!(replayed.counts().graph_replays, 4, "{seed}");
        assert_eq!(issued.counts().graph_replays, 0, "{seed}");
        assert_eq!(replayed.counts().launches, 0, "{seed}");
        graphs += 1;
    }
    assert_eq!(graphs, 40);
    fake.assert_empty("after all executables");
}

/// A loop of a copy and a kernel on two streams, with any number of iterations.
fn endless() -> Verified {
    let mut b = Builder::new();
    let cuda = b.device(Device::Cuda);
    b.begin_part("main");
    let [first, second] = [b.stream(cuda), b.stream(cuda)];
    let [out, other] = [b.buffer(8, Space::Pinned), b.buffer(8, Space::Pinned)];
    let value = b.input(Detail::None, out);
    let start = b.record(Detail::None, second);
    let initial = Names {
        events: vec![start],
        values: vec![value],
        ..Names::default()
    };
    let inner = b.begin_loop(Detail::None, Trips::AtLeast(0), initial);
    let (found, copied) = (inner.values[0], b.value());
    b.wait(Detail::None, first, &inner.events);
    b.launch(
        Detail::kernel("k"),
        first,
        &[read(out, found), write(other, copied)],
    );
    let event = b.record(Detail::None, first);
    b.wait(Detail::None, second, &[event]);
    let next = b.value();
    b.launch(
        Detail::kernel("k"),
        second,
        &[read(other, copied), write(out, next)],
    );
    let end = b.record(Detail::None, second);
    b.end_loop(Names {
        events: vec![end],
        values: vec![next],
        ..Names::default()
    });
    b.end_part(Names::default());
    verified(b.finish().expect("a part"))
}

/// Sets a flag in an iteration.
struct Cancels<'f> {
    flag: &'f AtomicBool,
    at: u64,
}

impl Decisions for Cancels<'_> {
    fn continues(&mut self, _: CommandId, iteration: u64) -> bool {
        if iteration == self.at {
            self.flag.store(true, Ordering::Relaxed);
        }
        true
    }

    fn arm(&mut self, _: CommandId, _: usize) -> usize {
        0
    }
}

#[test]
fn a_cancelled_run_ends_and_leaves_nothing_running() {
    let fake = Fake::new(1);
    let verified = endless();
    let all = All::new(&verified);
    let executable = executable(&fake, &verified, &all.ptx, true).expect("all kernels exist");
    for at in [0, 1, 50] {
        let flag = AtomicBool::new(false);
        let mut bytes = memory(&verified);
        let mut list: Vec<_> = bytes
            .iter_mut()
            .map(|own| tfx_commands::Memory::Write(own))
            .collect();
        let mut options = RunOptions {
            decisions: Some(&mut Cancels { flag: &flag, at }),
            cancelled: Some(&flag),
            ..RunOptions::default()
        };
        let outcome = executable.run(&mut list, &mut options);
        assert_eq!(outcome, Err(Error::Cancelled), "{at}");
    }
    drop(executable);
    fake.assert_empty("after cancelled runs");
}

struct Many(u64);

impl Decisions for Many {
    fn continues(&mut self, _: CommandId, iteration: u64) -> bool {
        iteration < self.0
    }

    fn arm(&mut self, _: CommandId, _: usize) -> usize {
        0
    }
}

#[test]
fn a_long_loop_needs_few_events() {
    let fake = Fake::new(1);
    let verified = endless();
    let all = All::new(&verified);
    let executable = executable(&fake, &verified, &all.ptx, true).expect("all kernels exist");
    let mut bytes = memory(&verified);
    run(&executable, &mut bytes, &mut Many(1000)).expect("a correct list");
    assert_eq!(executable.counts().launches, 2000);
    let events = fake.count("events");
    assert!(events <= 4, "{events} events for 2000 records");
}

/// A loop of calls of a part with memory of its own.
fn calls() -> Verified {
    let mut b = Builder::new();
    let cuda = b.device(Device::Cuda);
    b.begin_part("part");
    let stream = b.stream(cuda);
    let out = b.buffer_parameter(8, Space::Pinned);
    let given = b.value_parameter();
    let root = b.root(8, Space::Device(cuda), Lifetime::Managed);
    let own = b.slice(root, 0, 8);
    b.alloc(Detail::None, Agent::Stream(stream), own);
    let [inner, result] = [b.value(), b.value()];
    b.launch(
        Detail::kernel("k"),
        stream,
        &[read(out, given), write(own, inner)],
    );
    b.launch(
        Detail::kernel("k"),
        stream,
        &[read(own, inner), write(out, result)],
    );
    b.free(Detail::None, Agent::Stream(stream), own);
    let part = b.end_part(Names {
        values: vec![result],
        ..Names::default()
    });
    b.begin_part("main");
    let stream = b.stream(cuda);
    let out = b.buffer(8, Space::Pinned);
    let value = b.input(Detail::None, out);
    let of = |value| Names {
        values: vec![value],
        ..Names::default()
    };
    let arguments = b.begin_loop(Detail::None, Trips::AtLeast(0), of(value));
    let passed = Names {
        buffers: vec![out],
        values: arguments.values.clone(),
        ..Names::default()
    };
    let results = b.call(Detail::None, part, &[stream], passed);
    b.end_loop(of(results.values[0]));
    b.end_part(Names::default());
    verified(b.finish().expect("a part"))
}

#[test]
fn calls_use_the_memory_of_earlier_calls() {
    let fake = Fake::new(1);
    let verified = calls();
    let all = All::new(&verified);
    let executable = executable(&fake, &verified, &all.ptx, true).expect("all kernels exist");
    let mut expected = memory(&verified);
    let mut options = tfx_commands::Options {
        decisions: Some(&mut Many(200)),
        ..tfx_commands::Options::default()
    };
    tfx_commands::run(&verified, &all.cpu, &mut expected, &mut options).expect("correct");
    for seed in 0..8 {
        fake.seed(seed);
        let mut bytes = memory(&verified);
        run(&executable, &mut bytes, &mut Many(200)).expect("a correct list");
        assert_eq!(bytes, expected, "{seed}");
    }
    let blocks = fake.count("allocations");
    assert!(blocks <= 4, "{blocks} blocks for 1600 calls");
}

#[test]
fn a_failed_kernel_of_the_host_ends_the_run() {
    let fake = Fake::new(1);
    let mut b = Builder::new();
    let cuda = b.device(Device::Cuda);
    b.begin_part("main");
    let stream = b.stream(cuda);
    let out = b.buffer(8, Space::Pinned);
    b.launch(Detail::kernel("k"), stream, &[write_any(out)]);
    b.end_part(Names::default());
    let verified = verified(b.finish().expect("a part"));
    let mut kernels = tfx_cuda::DeviceKernels::default();
    kernels.add_host("k", |_, _| Err("the reason".to_string()));
    let first = executable(&fake, &verified, &kernels, true).expect("all kernels exist");
    let error = run(&first, &mut [vec![0; 8]], &mut Seeded::new(0)).expect_err("it fails");
    assert_eq!(error.to_string(), "the kernel 'k' failed: the reason");
    kernels.add_host("k", |_, _| panic!("a test of panics"));
    let second = executable(&fake, &verified, &kernels, true).expect("all kernels exist");
    let error = run(&second, &mut [vec![0; 8]], &mut Seeded::new(0)).expect_err("it panics");
    assert_eq!(error, Error::Panicked("k".to_string()));
    drop((first, second));
    fake.assert_empty("after failures");
}
