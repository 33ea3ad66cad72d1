//! Random schedules as command lists: encoded, decoded, verified, and run with random delays.
//!
//! Each kernel mixes the bytes that it reads into those that it writes, so that a wrong order or a
//! wrong place changes the result. Planned and debug runs must agree bit for bit, whatever the
//! delays, with the same decisions about loops and branches. So must runs of several threads, and
//! those after one that was cancelled or has failed.

#[path = "../../schedule/tests/support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use support::Random;
use support::generate::{Shape, generate};
use support::mutate::{self, mutate};
use tfx_commands::{
    CommandList, Decisions, Detail, Executable, Kernels, Memory, Operand, Options, RunError,
    Verified, run,
};
use tfx_schedule::{CommandId, Lifetime, Op, Part, Schedule, Work};

const SHAPES: [Shape; 5] = [
    Shape::Straight,
    Shape::Loop,
    Shape::Nest,
    Shape::Branch,
    Shape::Call,
];

/// The variable with which more schedules are run.
const TEST_ALL: &str = "TFX_TEST_ALL";

fn schedules(some: u64, all: u64) -> u64 {
    match std::env::var_os(TEST_ALL) {
        Some(_) => all,
        None => some,
    }
}

/// Returns a list with a kernel for each place.
fn list(schedule: &Schedule<u32>) -> CommandList {
    let places = schedule.places.iter();
    CommandList::new(Schedule {
        devices: schedule.devices.clone(),
        parts: schedule.parts.clone(),
        places: places
            .map(|place| Detail::Kernel(format!("k{place}")))
            .collect(),
    })
}

/// Returns kernels for all places.
fn kernels(schedule: &Schedule<u32>) -> Kernels {
    let mut kernels = Kernels::default();
    let places: BTreeSet<u32> = schedule.places.iter().copied().collect();
    for place in places {
        kernels.add(&format!("k{place}"), move |operands| mix(place, operands));
    }
    kernels
}

fn mix(place: u32, operands: &mut [Operand<'_>]) {
    let mut state = u64::from(place).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut absorb = |bytes: &[u8]| {
        for byte in bytes {
            state = (state ^ u64::from(*byte))
                .wrapping_mul(0x0100_0000_01b3)
                .rotate_left(17);
        }
    };
    for operand in operands.iter() {
        match operand {
            Operand::Read(bytes) => absorb(bytes),
            Operand::Update(bytes) => absorb(bytes),
            Operand::Write(_) | Operand::Scratch(_) => {}
        }
    }
    let mut random = Random::new(state);
    for operand in operands {
        match operand {
            Operand::Write(bytes) | Operand::Update(bytes) | Operand::Scratch(bytes) => {
                bytes
                    .iter_mut()
                    .for_each(|byte| *byte = random.next_u64() as u8);
            }
            Operand::Read(_) => {}
        }
    }
}

/// Decisions that depend on the seed and their number only.
struct Seeded(Random);

impl Decisions for Seeded {
    fn continues(&mut self, _: CommandId, iteration: u64) -> bool {
        iteration < 6 && self.0.chance(70)
    }

    fn arm(&mut self, _: CommandId, arms: usize) -> usize {
        self.0.below(arms)
    }
}

fn memory(part: &Part) -> Vec<Vec<u8>> {
    let roots = part
        .roots
        .iter()
        .filter(|root| root.lifetime == Lifetime::External);
    let roots = roots.enumerate();
    roots
        .map(|(index, root)| vec![index as u8 + 1; root.size as usize])
        .collect()
}

fn result(
    verified: &Verified,
    kernels: &Kernels,
    seed: u64,
    is_debug: bool,
    delays: Option<u64>,
) -> Result<Vec<Vec<u8>>, RunError> {
    let parts = &verified.list().schedule().parts;
    let mut memory = memory(parts.last().expect("an entry part"));
    let mut decisions = Seeded(Random::new(seed));
    let mut options = Options {
        decisions: Some(&mut decisions),
        is_debug,
        delays,
        ..Options::default()
    };
    run(verified, kernels, &mut memory, &mut options)?;
    Ok(memory)
}

#[test]
fn planned_and_debug_runs_agree() {
    let mut changed = 0;
    for shape in SHAPES {
        for seed in 0..schedules(25, 400) {
            let schedule = generate(seed, shape);
            let list = list(&schedule);
            let decoded = CommandList::decode(&list.encode()).expect("an encoded list");
            assert_eq!(decoded, list, "{shape:?} {seed}");
            let verified = Verified::new(decoded).expect("correct by construction");
            let kernels = kernels(&schedule);
            let expected = result(&verified, &kernels, seed, true, None);
            assert!(expected.is_ok(), "{shape:?} {seed}: {expected:?}");
            for delays in 0..3 {
                let planned = result(&verified, &kernels, seed, false, Some(delays));
                assert_eq!(planned, expected, "planned, {shape:?} {seed} {delays}");
            }
            let debug = result(&verified, &kernels, seed, true, Some(7));
            assert_eq!(debug, expected, "debug, {shape:?} {seed}");
            let parts = &schedule.parts;
            changed += usize::from(expected != Ok(memory(parts.last().expect("an entry part"))));
        }
    }
    assert!(
        changed > 100,
        "most schedules write memory of the caller, got {changed}"
    );
}

/// Runs a list that is kept, like `result`.
fn again(
    executable: &Executable,
    initial: &[Vec<u8>],
    seed: u64,
    delays: u64,
    cancelled: Option<&AtomicBool>,
) -> Result<Vec<Vec<u8>>, RunError> {
    let mut memory = initial.to_vec();
    let mut decisions = Seeded(Random::new(seed));
    let mut options = Options {
        decisions: Some(&mut decisions),
        delays: Some(delays),
        cancelled,
        ..Options::default()
    };
    let mut borrowed: Vec<Memory<'_>> = memory
        .iter_mut()
        .map(|bytes| Memory::Write(bytes))
        .collect();
    executable.run(&mut borrowed, &mut options)?;
    Ok(memory)
}

#[test]
fn threads_share_a_list() {
    for shape in SHAPES {
        for seed in 0..schedules(10, 150) {
            let schedule = generate(seed, shape);
            let verified = Verified::new(list(&schedule)).expect("correct by construction");
            let kernels = kernels(&schedule);
            let expected = result(&verified, &kernels, seed, true, None);
            let initial = memory(schedule.parts.last().expect("an entry part"));
            let executable = Executable::new(verified, &kernels).expect("all kernels");
            std::thread::scope(|scope| {
                for thread in 0..3 {
                    let (executable, initial, expected) = (&executable, &initial, &expected);
                    scope.spawn(move || {
                        for delays in 3 * thread..3 * thread + 3 {
                            let result = again(executable, initial, seed, delays, None);
                            assert_eq!(&result, expected, "{shape:?} {seed} {delays}");
                        }
                    });
                }
            });
        }
    }
}

/// Ends runs by a kernel that fails, and by one that cancels the run. The memory is the caller's
/// again then, and the next run is complete.
#[test]
fn runs_that_end_early_leave_nothing_behind() {
    let (mut failed, mut cancelled) = (0, 0);
    for shape in SHAPES {
        for seed in 0..schedules(20, 300) {
            let schedule = generate(seed, shape);
            let verified = Verified::new(list(&schedule)).expect("correct by construction");
            let expected = result(&verified, &kernels(&schedule), seed, true, None);
            let initial = memory(schedule.parts.last().expect("an entry part"));
            let place = *Random::new(seed).pick(&schedule.places);
            let name = format!("k{place}");
            // The kernel of this place ends the run if it is told to.
            let [fails, cancels] = [false; 2].map(|flag| Arc::new(AtomicBool::new(flag)));
            let flag = Arc::new(AtomicBool::new(false));
            let mut kernels = kernels(&schedule);
            kernels.add_fallible(&name, {
                let (fails, cancels, flag) = (fails.clone(), cancels.clone(), flag.clone());
                move |operands, _| {
                    mix(place, operands);
                    flag.fetch_or(cancels.load(Ordering::Relaxed), Ordering::Relaxed);
                    match fails.load(Ordering::Relaxed) {
                        true => Err("on purpose".to_string()),
                        false => Ok(()),
                    }
                }
            });
            let executable = Executable::new(verified, &kernels).expect("all kernels");
            for delays in 0..3 {
                fails.store(true, Ordering::Relaxed);
                let result = again(&executable, &initial, seed, delays, None);
                fails.store(false, Ordering::Relaxed);
                if result != expected {
                    let (kernel, reason) = (name.clone(), "on purpose".to_string());
                    assert_eq!(result, Err(RunError::Failed { kernel, reason }));
                    failed += 1;
                }
                cancels.store(true, Ordering::Relaxed);
                let result = again(&executable, &initial, seed, delays, Some(&flag));
                cancels.store(false, Ordering::Relaxed);
                assert!(result.is_ok(), "{shape:?} {seed} {delays}: {result:?}");
                cancelled += usize::from(flag.swap(false, Ordering::Relaxed));
                let complete = again(&executable, &initial, seed, delays, Some(&flag));
                assert_eq!(complete, expected, "{shape:?} {seed} {delays}");
            }
        }
    }
    println!("{failed} runs failed, {cancelled} were cancelled");
    assert!(failed > 50 && failed == cancelled);
}

#[test]
fn mutants_that_are_verified_run_like_in_debug_mode() {
    let (mut run, mut rejected, mut unsupported) = (0, 0, 0);
    for seed in 0..schedules(60, 1000) {
        let schedule = generate(seed, SHAPES[seed as usize % SHAPES.len()]);
        let mut random = Random::new(seed);
        for _ in 0..10 {
            let mutation = *random.pick(&mutate::ALL);
            let Some(mutant) = mutate(&schedule, mutation, &mut random) else {
                continue;
            };
            let Ok(verified) = Verified::new(list(&mutant)) else {
                rejected += 1;
                continue;
            };
            if has_unnamed_reads(&mutant) {
                continue;
            }
            let kernels = kernels(&mutant);
            let planned = result(&verified, &kernels, seed, false, Some(seed));
            // The executor has no waits for records that are issued later.
            if let Err(RunError::Unsupported(_)) = planned {
                unsupported += 1;
                continue;
            }
            let debug = result(&verified, &kernels, seed, true, None);
            assert!(planned.is_ok(), "{seed} {mutation:?}: {planned:?}");
            assert_eq!(planned, debug, "{seed} {mutation:?}");
            run += 1;
        }
    }
    println!("{run} mutants run, {rejected} rejected, {unsupported} not supported");
    assert!(run > 20 && rejected > 100 && unsupported * 10 < run);
}

/// Returns whether a read names no value: it may read bytes that are not written.
fn has_unnamed_reads(schedule: &Schedule<u32>) -> bool {
    schedule.parts.iter().any(|part| {
        part.body.commands.iter().any(|command| match &command.op {
            Op::Work { kind, accesses, .. } if *kind != Work::Input => {
                accesses.iter().any(|access| access.value.is_none())
            }
            _ => false,
        })
    })
}

#[test]
fn damaged_bytes_are_errors_or_other_lists() {
    let mut counts = [0; 3];
    for seed in 0..schedules(100, 2000) {
        let schedule = generate(seed, SHAPES[seed as usize % SHAPES.len()]);
        let bytes = list(&schedule).encode();
        let mut random = Random::new(seed);
        for _ in 0..50 {
            let mut damaged = bytes.clone();
            let position = random.below(damaged.len());
            match random.below(3) {
                0 => damaged[position] ^= 1 << random.below(8),
                1 => drop(damaged.remove(position)),
                _ => damaged.truncate(position),
            }
            match CommandList::decode(&damaged) {
                Err(_) => counts[0] += 1,
                Ok(list) => match Verified::new(list) {
                    Err(_) => counts[1] += 1,
                    Ok(_) => counts[2] += 1,
                },
            }
        }
    }
    println!("not decoded, rejected, still correct: {counts:?}");
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}
