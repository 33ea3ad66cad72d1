//! Random problems: plans are checked, and compared with enumerations of tiny problems.

use tfx_memory::{Lifetimes, Options, Plan, Problem, Random, check, plan};

use crate::brute::{heaviest_clique, least_size};
use crate::support::{cut, random_intervals, random_program, random_streams};

/// The number of tiny problems of each kind. One takes about a tenth of a millisecond.
const TINY: u64 = 3000;
/// The number of small problems of each kind.
const SMALL: u64 = 400;
/// The largest tiny problem: its orders are enumerated.
const MAX_TINY: u64 = 7;

fn checked(problem: &Problem, options: &Options) -> Plan {
    let plan = plan(problem, options);
    assert_eq!(
        check(problem, &plan.offsets, plan.size),
        Ok(()),
        "{problem:?}"
    );
    assert!(plan.bound <= plan.size);
    plan
}

fn has_gaps(problem: &Problem) -> bool {
    match problem.lifetimes() {
        Lifetimes::Intervals(lifetimes) => lifetimes.iter().any(|pieces| pieces.len() > 1),
        Lifetimes::Spans(_) => false,
    }
}

/// Compares a plan of a tiny problem with the least size.
fn judge(problem: &Problem) {
    let plan = checked(problem, &Options::default());
    let least = least_size(problem);
    assert!(
        plan.bound <= least && least <= plan.size,
        "{plan}, least {least}: {problem:?}"
    );
    // Intervals with gaps may overlap pairwise without a common time.
    if !has_gaps(problem) {
        assert!(
            plan.bound >= heaviest_clique(problem),
            "{plan}: {problem:?}"
        );
    }
    assert!(plan.is_optimal, "{plan}, least {least}: {problem:?}");
    assert_eq!(plan.size, least, "{problem:?}");
}

#[test]
fn plans_of_tiny_interval_problems_are_optimal() {
    for seed in 0..TINY {
        let mut random = Random::new(seed);
        let count = 1 + random.below(MAX_TINY) as usize;
        judge(&random_intervals(&mut random, count));
    }
}

#[test]
fn plans_of_tiny_stream_problems_are_optimal() {
    for seed in 0..TINY {
        let mut random = Random::new(seed);
        let count = 1 + random.below(MAX_TINY) as usize;
        let streams = 1 + random.below(4) as usize;
        judge(&random_streams(&mut random, count, streams));
    }
}

#[test]
fn plans_of_small_problems_are_valid() {
    let options = Options {
        visits: 200_000,
        ..Options::default()
    };
    for seed in 0..SMALL {
        let mut random = Random::new(seed);
        let count = 8 + random.below(60) as usize;
        checked(&random_intervals(&mut random, count), &options);
        let streams = 2 + random.below(4) as usize;
        checked(&random_streams(&mut random, count, streams), &options);
    }
}

#[test]
fn plans_are_deterministic() {
    let mut random = Random::new(3);
    for problem in [
        random_intervals(&mut random, 80),
        random_streams(&mut random, 80, 3),
        cut(&mut random, 64, 60, 1, 0),
    ] {
        let first = checked(&problem, &Options::default());
        assert_eq!(first, plan(&problem, &Options::default()));
    }
}

#[test]
fn plans_of_programs_are_near_the_bound() {
    for seed in 0..10 {
        let plan = checked(
            &random_program(&mut Random::new(seed), 500),
            &Options::default(),
        );
        assert!(plan.gap() * 100 <= plan.bound, "{plan}");
    }
}

/// A cut square needs each byte at each time. One in twenty buffers is missing.
#[test]
fn cut_squares_are_filled() {
    for seed in 0..20 {
        let problem = cut(&mut Random::new(seed), 2048, 100, 512, 5);
        let options = Options {
            capacity: 1 << 20,
            ..Options::default()
        };
        let plan = checked(&problem, &options);
        assert!(plan.size <= 1 << 20, "seed {seed}: {plan}");
    }
}
