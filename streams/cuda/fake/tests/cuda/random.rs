//! Random lists give the same bytes on the fake driver, with any order of its commands, as on
//! threads of the CPU.

use tfx_commands::{CommandList, Detail, Options, Verified};
use tfx_schedule::{Device, Schedule};

use crate::programs::{Features, program};
use crate::ptx::All;
use crate::schedules::generate::{Shape, generate};
use crate::support::{Fake, Seeded, executable, memory, run, some};

/// Returns the memory after a run on threads.
fn expected(verified: &Verified, all: &All, seed: u64) -> Vec<Vec<u8>> {
    let mut bytes = memory(verified);
    let mut decisions = Seeded::new(seed);
    let mut options = Options {
        decisions: Some(&mut decisions),
        ..Options::default()
    };
    tfx_commands::run(verified, &all.cpu, &mut bytes, &mut options).expect("a correct list");
    bytes
}

/// Compares runs with the kernels of the host, and with those of PTX. Each executable runs twice.
fn compare(fake: &Fake, verified: &Verified, seed: u64, orders: u64) {
    let all = All::new(verified);
    let expected = expected(verified, &all, seed);
    for (name, kernels) in [("host", &all.host), ("ptx", &all.ptx)] {
        let executable = executable(fake, verified, kernels, true).expect("all kernels exist");
        for order in 0..orders {
            fake.seed(order);
            let mut bytes = memory(verified);
            let outcome = run(&executable, &mut bytes, &mut Seeded::new(seed));
            assert_eq!(outcome, Ok(()), "{name}, {seed}, order {order}");
            assert_eq!(bytes, expected, "{name}, {seed}, order {order}");
        }
    }
}

#[test]
fn programs_of_all_commands_run_as_on_threads() {
    let fake = Fake::new(2);
    for seed in 0..some(150, 3000) {
        let features = Features {
            devices: 1 + (seed % 2) as usize,
            has_host: true,
            has_control: true,
        };
        compare(&fake, &program(seed, features), seed, 4);
    }
    fake.assert_empty("after all executables");
}

#[test]
fn straight_programs_run_as_on_threads() {
    let fake = Fake::new(2);
    for seed in 0..some(150, 3000) {
        let features = Features {
            devices: 2,
            has_host: false,
            has_control: false,
        };
        compare(&fake, &program(seed, features), seed, 4);
    }
    assert!(fake.count("cuGraphLaunch") > 100, "most lists are graphs");
    fake.assert_empty("after all executables");
}

#[test]
fn schedules_of_the_checker_run_as_on_threads() {
    let fake = Fake::new(1);
    let mut count = 0;
    for shape in [
        Shape::Straight,
        Shape::Loop,
        Shape::Nest,
        Shape::Branch,
        Shape::Call,
    ] {
        for seed in 0..some(40, 800) {
            let schedule = generate(seed, shape);
            let list = Schedule {
                devices: vec![Device::Cuda; schedule.devices.len()],
                parts: schedule.parts,
                places: schedule
                    .places
                    .iter()
                    .map(|place| Detail::Kernel(format!("k{place}")))
                    .collect(),
            };
            // The rules of CUDA are stricter than those of a CPU.
            if let Ok(verified) = Verified::new(CommandList::new(list)) {
                compare(&fake, &verified, seed, 3);
                count += 1;
            }
        }
    }
    println!("{count} schedules");
    assert!(count > 100, "{count}");
    fake.assert_empty("after all executables");
}
