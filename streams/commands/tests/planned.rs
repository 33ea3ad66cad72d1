//! Random programs on several streams: events are inserted, memory is planned, and the planned run
//! is compared with the debug run.
//!
//! The programs allocate, use and release buffers in straight code, loops, branches and parts. Each
//! plan is verified by `tfx-schedule`, and with an offset that is moved, or an event that is left
//! out, by the same checker and by the run.
//!
//! Straight programs are kept lists without a host (`src/replay.rs`). Threads share them, and a run
//! that ends early is followed by a complete one.

#[path = "../../schedule/tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use support::Random;
use tfx_commands::{
    CommandList, Decisions, Detail, Executable, Kernels, Memory, Observer, Operand, Options,
    RunError, Verified, run,
};
use tfx_order::{arenas, events, insert, lifetimes};
use tfx_schedule::{
    Access, Agent, Body, Buffer, BufferId, Builder, CommandId, Device, Lifetime, Names, Op, Root,
    RootId, Schedule, Space, StreamId, Trips, ValueId, check, read, write,
};

/// The variable with which more programs are tried.
const TEST_ALL: &str = "TFX_TEST_ALL";

fn programs() -> u64 {
    match std::env::var_os(TEST_ALL) {
        Some(_) => 3000,
        None => 150,
    }
}

/// A random program. Buffers that are allocated have a value, or none before their first write.
struct Program {
    random: Random,
    b: Builder<Detail>,
    streams: Vec<StreamId>,
    live: Vec<(BufferId, u64, Option<ValueId>)>,
    out: BufferId,
    last: ValueId,
}

const SIZE: u64 = 8;

/// Returns a program with some commands outside, and loops and branches up to a depth.
fn program(seed: u64, commands: usize, depth: usize) -> Schedule<Detail> {
    let mut random = Random::new(seed);
    let mut b = Builder::new();
    let cpu = b.device(Device::Cpu);
    b.begin_part("main");
    let streams = (0..1 + random.below(4)).map(|_| b.stream(cpu)).collect();
    let out = b.buffer(SIZE, Space::Pageable);
    let last = b.input(Detail::None, out);
    let mut program = Program {
        random,
        b,
        streams,
        live: Vec::new(),
        out,
        last,
    };
    program.body(commands, depth);
    program.release_all(0);
    program.b.end_part(Names::default());
    program.b.finish().expect("the bodies are nested")
}

impl Program {
    fn stream(&mut self) -> StreamId {
        *self.random.pick(&self.streams)
    }

    fn body(&mut self, commands: usize, depth: usize) {
        for _ in 0..commands {
            match self.random.below(10) {
                0..3 => self.alloc(),
                3..7 => self.work(),
                7 => self.free(),
                8 if depth > 0 => self.repeat(depth),
                9 if depth > 0 => self.branch(depth),
                _ => self.store(),
            }
        }
    }

    fn alloc(&mut self) {
        let size = SIZE * (1 + self.random.below(6) as u64);
        let root = self.b.root(size, Space::Pageable, Lifetime::Managed);
        let buffer = self.b.slice(root, 0, size);
        let agent = match self.random.chance(90) {
            true => Agent::Stream(self.stream()),
            false => Agent::Host,
        };
        self.b.alloc(Detail::None, agent, buffer);
        self.live.push((buffer, size, None));
    }

    /// Writes a live buffer, from another one if there is one.
    fn work(&mut self) {
        if self.live.is_empty() {
            return;
        }
        let target = self.random.below(self.live.len());
        let source = self.random.below(self.live.len());
        let mut accesses: Vec<Access> = Vec::new();
        if let (buffer, _, Some(value)) = self.live[source]
            && source != target
        {
            accesses.push(read(buffer, value));
        }
        let value = self.b.value();
        let (buffer, ..) = self.live[target];
        accesses.push(write(buffer, value));
        let stream = self.stream();
        self.b.launch(Detail::kernel("mix"), stream, &accesses);
        self.live[target].2 = Some(value);
    }

    /// Mixes a live buffer into the memory of the caller.
    fn store(&mut self) {
        let written = self
            .live
            .iter()
            .filter_map(|(buffer, _, value)| Some((*buffer, (*value)?)));
        let written: Vec<(BufferId, ValueId)> = written.collect();
        if written.is_empty() {
            return;
        }
        let (buffer, value) = *self.random.pick(&written);
        let next = self.b.value();
        let accesses = [
            read(buffer, value),
            read(self.out, self.last),
            write(self.out, next),
        ];
        let stream = self.stream();
        self.b.launch(Detail::kernel("mix"), stream, &accesses);
        self.last = next;
    }

    fn free(&mut self) {
        if !self.live.is_empty() {
            let index = self.random.below(self.live.len());
            self.free_at(index);
        }
    }

    fn free_at(&mut self, index: usize) {
        let (buffer, ..) = self.live.remove(index);
        let agent = Agent::Stream(self.stream());
        self.b.free(Detail::None, agent, buffer);
    }

    fn release_all(&mut self, from: usize) {
        while self.live.len() > from {
            self.free_at(from);
        }
    }

    /// Runs a body with buffers of its own, which also uses `out`.
    fn inside(&mut self, depth: usize, last: ValueId) -> ValueId {
        let outer = std::mem::take(&mut self.live);
        self.last = last;
        let commands = 3 + self.random.below(6);
        self.body(commands, depth - 1);
        self.release_all(0);
        self.live = outer;
        self.last
    }

    fn repeat(&mut self, depth: usize) {
        let trips = match self.random.chance(50) {
            true => Trips::AtLeast(self.random.below(2) as u64),
            false => Trips::Exactly(self.random.below(4) as u64),
        };
        let initial = Names {
            values: vec![self.last],
            ..Names::default()
        };
        let arguments = self.b.begin_loop(Detail::None, trips, initial);
        let next = self.inside(depth, arguments.values[0]);
        let results = self.b.end_loop(Names {
            values: vec![next],
            ..Names::default()
        });
        self.last = results.values[0];
    }

    fn branch(&mut self, depth: usize) {
        let before = self.last;
        self.b.begin_branch(Detail::None);
        for _ in 0..2 {
            self.b.begin_arm();
            let next = self.inside(depth, before);
            self.b.end_arm(Names {
                values: vec![next],
                ..Names::default()
            });
        }
        let results = self.b.end_branch();
        self.last = results.values[0];
    }
}

/// Returns the schedule with all allocations in one arena, and the sum of their sizes and the size
/// of the arena.
fn plan(schedule: &Schedule<Detail>) -> (Schedule<Detail>, u64, u64) {
    let part = schedule.parts.len() - 1;
    let mut allocated: BTreeMap<CommandId, BufferId> = BTreeMap::new();
    collect(&schedule.parts[part].body, &mut allocated);
    let size_of = |buffer: BufferId| match schedule.parts[part].buffers[buffer.0 as usize] {
        Buffer::Slice { size, .. } => size,
        _ => 0,
    };
    let (levels, left) = lifetimes(schedule).expect("no ring");
    assert_eq!(
        left,
        [],
        "all buffers are released where they are allocated"
    );
    let memory = |command| Some(((), size_of(*allocated.get(&command)?)));
    let found = arenas(&levels, SIZE, memory).expect("small sizes");
    let mut planned = schedule.clone();
    let own = &mut planned.parts[part];
    let sum = allocated.values().map(|buffer| size_of(*buffer)).sum();
    let Some(arena) = found.first() else {
        return (planned, sum, 0);
    };
    own.roots.push(Root {
        size: arena.size,
        space: Space::Pageable,
        lifetime: Lifetime::Managed,
    });
    let root = RootId(own.roots.len() as u32 - 1);
    assert_eq!(arena.offsets.len(), allocated.len());
    for &(command, offset) in &arena.offsets {
        let buffer = allocated[&command];
        let size = size_of(buffer);
        own.buffers[buffer.0 as usize] = Buffer::Slice { root, offset, size };
    }
    (planned, sum, arena.size)
}

fn collect(body: &Body, allocated: &mut BTreeMap<CommandId, BufferId>) {
    for command in &body.commands {
        match &command.op {
            Op::Alloc { buffer, .. } => drop(allocated.insert(command.id, *buffer)),
            Op::Loop(inner) => collect(&inner.body, allocated),
            Op::Branch(branch) => branch.arms.iter().for_each(|arm| collect(arm, allocated)),
            _ => {}
        }
    }
}

/// Mixes what is read into what is written.
fn mix(operands: &mut [Operand<'_>]) {
    let mut state = 17u64;
    for operand in operands.iter() {
        let bytes: &[u8] = match operand {
            Operand::Read(bytes) => bytes,
            Operand::Update(bytes) => bytes,
            Operand::Write(_) | Operand::Scratch(_) => continue,
        };
        for byte in bytes {
            state = (state ^ u64::from(*byte))
                .wrapping_mul(0x0100_0000_01b3)
                .rotate_left(9);
        }
    }
    let mut random = Random::new(state);
    for operand in operands {
        if let Operand::Write(bytes) | Operand::Update(bytes) = operand {
            bytes
                .iter_mut()
                .for_each(|byte| *byte = random.next_u64() as u8);
        }
    }
}

fn kernels() -> Kernels {
    let mut kernels = Kernels::default();
    kernels.add("mix", mix);
    kernels
}

struct Seeded(Random);

impl Decisions for Seeded {
    fn continues(&mut self, _: CommandId, iteration: u64) -> bool {
        iteration < 5 && self.0.chance(75)
    }

    fn arm(&mut self, _: CommandId, arms: usize) -> usize {
        self.0.below(arms)
    }
}

fn result(verified: &Verified, seed: u64, is_debug: bool, delays: Option<u64>) -> Vec<u8> {
    let mut decisions = Seeded(Random::new(seed));
    let mut memory = vec![vec![0; SIZE as usize]];
    let mut options = Options {
        decisions: Some(&mut decisions),
        is_debug,
        delays,
        ..Options::default()
    };
    run(verified, &kernels(), &mut memory, &mut options).expect("a correct schedule");
    memory.remove(0)
}

#[test]
fn planned_programs_are_verified_and_run_like_in_debug_mode() {
    let (mut sums, mut sizes) = (0, 0);
    for seed in 0..programs() {
        let schedule = program(seed, 12, 2);
        let waits = events(&schedule).expect("no ring");
        let ordered = insert(&schedule, &waits);
        let (planned, sum, size) = plan(&ordered);
        sums += sum;
        sizes += size;
        let list = CommandList::decode(&CommandList::new(planned).encode()).expect("a list");
        let verified = Verified::new(list).unwrap_or_else(|error| panic!("{seed}: {error}"));
        let expected = result(&verified, seed, true, None);
        for delays in 0..3 {
            assert_eq!(
                result(&verified, seed, false, Some(delays)),
                expected,
                "{seed} {delays}"
            );
        }
    }
    println!("{sums} bytes in arenas of {sizes}");
    assert!(
        sizes * 4 < sums * 3,
        "many buffers share bytes: {sizes} of {sums}"
    );
}

#[test]
fn plans_with_another_offset_are_rejected_or_correct() {
    let (mut rejected, mut accepted) = (0, 0);
    for seed in 0..programs() {
        let schedule = program(seed, 12, 2);
        let ordered = insert(&schedule, &events(&schedule).expect("no ring"));
        let (planned, ..) = plan(&ordered);
        let mut random = Random::new(seed);
        let part = planned.parts.len() - 1;
        let root = RootId(planned.parts[part].roots.len() as u32 - 1);
        let slices: Vec<usize> = (0..planned.parts[part].buffers.len())
            .filter(|index| {
                let buffer = planned.parts[part].buffers[*index];
                matches!(buffer, Buffer::Slice { root: own, .. } if own == root)
            })
            .collect();
        for _ in 0..5 {
            if slices.is_empty() {
                continue;
            }
            let mut mutant = planned.clone();
            let size = mutant.parts[part].roots[root.0 as usize].size;
            let index = *random.pick(&slices);
            if let Buffer::Slice {
                offset, size: own, ..
            } = &mut mutant.parts[part].buffers[index]
            {
                *offset = SIZE * random.below(((size - *own) / SIZE) as usize + 1) as u64;
            }
            if !check(&mutant).is_verified() {
                rejected += 1;
                continue;
            }
            accepted += 1;
            let verified = Verified::new(CommandList::new(mutant)).expect("verified before");
            let expected = result(&verified, seed, true, None);
            assert_eq!(
                result(&verified, seed, false, Some(seed)),
                expected,
                "{seed}"
            );
        }
    }
    println!("{rejected} rejected, {accepted} accepted");
    assert!(rejected > 20 && accepted > 20);
}

// ---------------------------------------------------------------------------- straight programs

/// The commands of a straight program: enough to reuse bytes, and for waits in both directions.
const STRAIGHT: usize = 40;

fn straight(seed: u64) -> Verified {
    let schedule = program(seed, STRAIGHT, 0);
    let ordered = insert(&schedule, &events(&schedule).expect("no ring"));
    let (planned, ..) = plan(&ordered);
    Verified::new(CommandList::new(planned)).expect("a correct schedule")
}

/// Counts the commands of runs without a host: others have no observer.
#[derive(Default)]
struct Count(AtomicU64);

impl Observer for Count {
    fn command(&self, _: usize, _: u64, _: &str, _: Instant) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn wait(&self, _: usize, _: usize, _: u64, _: Instant) {}
}

/// Runs a list that is kept.
fn again(executable: &Executable, options: &mut Options<'_>) -> Result<Vec<u8>, RunError> {
    let mut memory = vec![0; SIZE as usize];
    executable.run(&mut [Memory::Write(&mut memory)], options)?;
    Ok(memory)
}

#[test]
fn threads_share_a_straight_list() {
    for seed in 0..programs() / 3 {
        let verified = straight(seed);
        let expected = result(&verified, seed, true, None);
        let executable = Executable::new(verified, &kernels()).expect("all kernels");
        let count = Arc::new(Count::default());
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (executable, expected, count) = (&executable, &expected, &count);
                scope.spawn(move || {
                    for delays in 3 * thread..3 * thread + 3 {
                        let mut options = Options {
                            delays: Some(delays),
                            observer: Some(count.clone()),
                            ..Options::default()
                        };
                        let result = again(executable, &mut options);
                        assert_eq!(result.as_ref(), Ok(expected), "{seed} {delays}");
                    }
                });
            }
        });
        let count = count.0.load(Ordering::Relaxed);
        assert!(count > 0 && count % 9 == 0, "nine runs without a host");
    }
}

/// Each run ends at one of its kernels, which fails, or sets the flag of the caller.
#[test]
fn straight_runs_that_end_early_leave_nothing_behind() {
    const NEVER: u64 = u64::MAX;
    for seed in 0..programs() / 3 {
        let verified = straight(seed);
        let expected = result(&verified, seed, true, None);
        // The kernels until the one that ends the run.
        let left = Arc::new(AtomicU64::new(NEVER));
        let flag = Arc::new(AtomicBool::new(false));
        let mut kernels = Kernels::default();
        kernels.add_fallible("mix", {
            let (left, flag) = (left.clone(), flag.clone());
            move |operands, _| {
                mix(operands);
                if left.fetch_sub(1, Ordering::Relaxed) != 1 {
                    return Ok(());
                }
                flag.store(true, Ordering::Relaxed);
                Err("on purpose".to_string())
            }
        });
        let executable = Executable::new(verified, &kernels).expect("all kernels");
        let complete = again(&executable, &mut Options::default());
        assert_eq!(complete.as_ref(), Ok(&expected), "{seed}");
        let calls = NEVER - left.load(Ordering::Relaxed);
        let mut random = Random::new(seed);
        for delays in 0..3 {
            left.store(1 + random.below(calls as usize) as u64, Ordering::Relaxed);
            let mut options = Options {
                delays: Some(delays),
                cancelled: random.chance(50).then_some(&flag),
                ..Options::default()
            };
            let failed = again(&executable, &mut options);
            let (kernel, reason) = ("mix".to_string(), "on purpose".to_string());
            assert_eq!(failed, Err(RunError::Failed { kernel, reason }), "{seed}");
            left.store(NEVER, Ordering::Relaxed);
            flag.store(false, Ordering::Relaxed);
            let complete = again(&executable, &mut options);
            assert_eq!(complete.as_ref(), Ok(&expected), "{seed} {delays}");
        }
    }
}
