//! Runs, and their errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tfx_commands::{CommandList, Detail, Kernels, Operand, Options, RunError, Verified, run};
use tfx_schedule::{
    Agent, BufferId, Builder, Device, DeviceId, Lifetime, Names, Space, StreamId, Trips, read,
    read_any, scratch, write, write_any,
};

struct Script {
    b: Builder<Detail>,
    cpu: DeviceId,
    streams: Vec<StreamId>,
}

impl Script {
    fn new(streams: usize) -> Self {
        let mut b = Builder::new();
        let cpu = b.device(Device::Cpu);
        b.begin_part("main");
        let streams = (0..streams).map(|_| b.stream(cpu)).collect();
        Self { b, cpu, streams }
    }

    fn buffer(&mut self, size: u64) -> BufferId {
        self.b.buffer(size, Space::Pageable)
    }

    fn order(&mut self, from: usize, to: usize) {
        let event = self.b.record(Detail::None, self.streams[from]);
        self.b.wait(Detail::None, self.streams[to], &[event]);
    }

    fn finish(mut self) -> Verified {
        self.b.end_part(Names::default());
        let list = CommandList::new(self.b.finish().expect("a part"));
        Verified::new(list).expect("a correct schedule")
    }
}

fn kernel(name: &str) -> Detail {
    Detail::kernel(name)
}

#[test]
fn a_race_is_rejected_with_its_place() {
    let mut s = Script::new(2);
    let x = s.buffer(8);
    s.b.launch(kernel("one"), s.streams[0], &[write_any(x)]);
    s.b.launch(kernel("two"), s.streams[1], &[read_any(x)]);
    s.b.end_part(Names::default());
    let list = CommandList::new(s.b.finish().expect("a part"));
    let rejected = Verified::new(list).expect_err("a race");
    let text = rejected.to_string();
    assert!(text.contains("V1: unordered accesses"), "{text}");
    assert!(text.contains("'one', command 0"), "{text}");
}

#[test]
fn commands_copy_fill_update_and_use_workspace() {
    let mut s = Script::new(2);
    let [x, y, w] = [s.buffer(8), s.buffer(8), s.buffer(16)];
    let [a, b, c] = [s.b.value(), s.b.value(), s.b.value()];
    s.b.fill(Detail::Fill(vec![1, 2]), s.streams[0], write(x, a));
    s.order(0, 1);
    s.b.copy(Detail::None, s.streams[1], read(x, a), write(y, b));
    let accesses = [read(y, b), write(y, c), scratch(w)];
    s.b.launch(kernel("add"), s.streams[1], &accesses);
    let event = s.b.record(Detail::None, s.streams[1]);
    s.b.host_wait(Detail::None, &[event]);
    s.b.host(kernel("see"), &[read(y, c)]);
    let verified = s.finish();

    let mut kernels = Kernels::default();
    kernels.add("add", |operands| {
        let [Operand::Update(y), Operand::Scratch(w)] = operands else {
            panic!("other operands");
        };
        assert_eq!(w.len(), 16);
        y.iter_mut().for_each(|byte| *byte += 10);
    });
    let seen = Arc::new(AtomicU64::new(0));
    let saw = Arc::clone(&seen);
    kernels.add("see", move |operands| {
        if let [Operand::Read(y)] = operands {
            saw.store(
                y.iter().map(|byte| u64::from(*byte)).sum(),
                Ordering::Relaxed,
            );
        }
    });
    let mut memory = vec![vec![0; 8], vec![0; 8], vec![0; 16]];
    run(&verified, &kernels, &mut memory, &mut Options::default()).expect("a run");
    assert_eq!(memory[0], [1, 2, 1, 2, 1, 2, 1, 2]);
    assert_eq!(memory[1], [11, 12, 11, 12, 11, 12, 11, 12]);
    assert_eq!(seen.load(Ordering::Relaxed), 92);
}

#[test]
fn streams_run_at_the_same_time() {
    const SLEEP: Duration = Duration::from_millis(60);
    let mut s = Script::new(4);
    for stream in 0..4 {
        let x = s.buffer(8);
        s.b.launch(kernel("sleep"), s.streams[stream], &[write_any(x)]);
    }
    let verified = s.finish();
    let mut kernels = Kernels::default();
    kernels.add("sleep", |_| std::thread::sleep(SLEEP));
    let start = Instant::now();
    let mut memory = vec![vec![0; 8]; 4];
    run(&verified, &kernels, &mut memory, &mut Options::default()).expect("a run");
    assert!(start.elapsed() < 3 * SLEEP, "{:?}", start.elapsed());
}

#[test]
fn more_commands_than_a_ring_holds() {
    let mut s = Script::new(2);
    let [x, y] = [s.buffer(8), s.buffer(8)];
    let trips = Trips::Exactly(3000);
    s.b.begin_loop(Detail::None, trips, Names::default());
    s.b.launch(kernel("count"), s.streams[0], &[read_any(x), write_any(x)]);
    s.b.launch(kernel("count"), s.streams[1], &[read_any(y), write_any(y)]);
    s.b.end_loop(Names::default());
    let verified = s.finish();
    let mut kernels = Kernels::default();
    kernels.add("count", |operands| {
        if let [Operand::Update(x)] = operands {
            let number = u64::from_le_bytes((&**x).try_into().expect("8 bytes"));
            x.copy_from_slice(&(number + 1).to_le_bytes());
        }
    });
    let mut memory = vec![vec![0; 8], vec![0; 8]];
    run(&verified, &kernels, &mut memory, &mut Options::default()).expect("a run");
    assert_eq!(memory[0], 3000u64.to_le_bytes());
    assert_eq!(memory[1], 3000u64.to_le_bytes());
}

#[test]
fn errors_name_the_kernel() {
    let build = || {
        let mut s = Script::new(1);
        let x = s.buffer(8);
        s.b.launch(kernel("bad"), s.streams[0], &[write_any(x)]);
        s.b.launch(kernel("bad"), s.streams[0], &[write_any(x)]);
        s.finish()
    };
    let verified = build();
    let mut memory = vec![vec![0; 8]];
    let outcome = run(
        &verified,
        &Kernels::default(),
        &mut memory,
        &mut Options::default(),
    );
    assert_eq!(outcome, Err(RunError::Kernel("bad".to_string())));
    let mut kernels = Kernels::default();
    kernels.add("bad", |_| panic!("on purpose"));
    let outcome = run(&verified, &kernels, &mut memory, &mut Options::default());
    assert_eq!(outcome, Err(RunError::Panicked("bad".to_string())));
    let outcome = run(
        &verified,
        &kernels,
        &mut [vec![0; 4]],
        &mut Options::default(),
    );
    let expected = RunError::Memory {
        expected: 1,
        got: 0,
    };
    assert_eq!(outcome, Err(expected));
}

/// Two allocations that share bytes, the second of which is read before it is written.
fn reuse(reads_first: bool) -> (Verified, Kernels) {
    let mut s = Script::new(1);
    let out = s.buffer(8);
    let root = s.b.root(8, Space::Pageable, Lifetime::Managed);
    let on = Agent::Stream(s.streams[0]);
    let one = s.b.slice(root, 0, 8);
    let two = s.b.slice(root, 0, 8);
    s.b.alloc(Detail::None, on, one);
    s.b.launch(kernel("seven"), s.streams[0], &[write_any(one)]);
    s.b.free(Detail::None, on, one);
    s.b.alloc(Detail::None, on, two);
    if !reads_first {
        s.b.launch(kernel("seven"), s.streams[0], &[write_any(two)]);
    }
    s.b.launch(
        kernel("move"),
        s.streams[0],
        &[read_any(two), write_any(out)],
    );
    s.b.free(Detail::None, on, two);
    let mut kernels = Kernels::default();
    kernels.add("seven", |operands| {
        if let [Operand::Write(x)] = operands {
            x.fill(7);
        }
    });
    kernels.add("move", |operands| {
        if let [Operand::Read(x), Operand::Write(y)] = operands {
            y.copy_from_slice(x);
        }
    });
    let _ = s.cpu;
    (s.finish(), kernels)
}

#[test]
fn debug_mode_shows_reads_of_unwritten_bytes() {
    for reads_first in [false, true] {
        let (verified, kernels) = reuse(reads_first);
        let results = [false, true].map(|is_debug| {
            let mut memory = vec![vec![0; 8]];
            let mut options = Options {
                is_debug,
                ..Options::default()
            };
            run(&verified, &kernels, &mut memory, &mut options).expect("a run");
            memory.remove(0)
        });
        assert_eq!(results[0], [7; 8]);
        assert_eq!(results[0] == results[1], !reads_first);
        if reads_first {
            assert!(f64::from_le_bytes(results[1][..].try_into().expect("8 bytes")).is_nan());
        }
    }
}
