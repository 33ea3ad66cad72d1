//! Random schedules and their mutants, against the judge.
//!
//! Each schedule starts correct. A walk then mutates it: the judge and the checker decide about
//! each mutant, and a mutant that the judge accepts often replaces the schedule, so that the waits
//! that are not needed disappear, and most other mutants are wrong.
//!
//! `cargo test` tries 50 schedules of each shape, and `TFX_TEST_SCHEDULES=4000` as many as it says.

mod support;

use std::collections::BTreeMap;

use support::Random;
use support::generate::{Shape, generate};
use support::judge::{Choices, Limits, Verdict, delayed_race, exhaustive_race, judge, trace};
use support::mutate::{self, Mutation, mutate};
use tfx_schedule::{Limit, Options, Problem, Report, Rule, Schedule, check, check_with};

/// The variable with the number of schedules of each shape.
const SCHEDULES: &str = "TFX_TEST_SCHEDULES";
/// The number without that variable: about one second for each shape.
const DEFAULT_SCHEDULES: u64 = 50;
/// Nested loops take the judge ten times as long as others, so they have a tenth of the schedules.
const NESTED_SHARE: u64 = 10;
/// Mutations of each schedule.
const MUTATIONS: usize = 60;

fn schedules(shape: Shape) -> u64 {
    let schedules = match std::env::var(SCHEDULES) {
        Ok(number) => number.parse().expect("TFX_TEST_SCHEDULES is a number"),
        Err(_) => DEFAULT_SCHEDULES,
    };
    match shape {
        Shape::Nest => schedules / NESTED_SHARE,
        _ => schedules,
    }
}

/// The limits with which the judge looks again at a schedule that only the checker rejects.
const DEEP: Limits = Limits {
    iterations: 9,
    paths: 500,
    enumerated: 0,
};

/// The numbers of decisions.
#[derive(Debug, Default)]
struct Counts {
    accepted: usize,
    rejected: usize,
    /// Rejected by the checker only.
    excess: usize,
    /// Rejected by a checker that keeps one state at each point.
    excess_of_one_state: usize,
    /// Rejected because a stream waits for a later record at the start of a nested body.
    early: usize,
    /// By mutation: mutants, and those that are rejected.
    mutants: BTreeMap<Mutation, [usize; 2]>,
}

impl Counts {
    /// Compares the decisions about a schedule, and returns whether the judge accepts it.
    fn compare(
        &mut self,
        schedule: &Schedule<u32>,
        limits: Limits,
        mutation: Option<Mutation>,
        context: &str,
    ) -> bool {
        let report = check(schedule);
        let mut verdict = judge(schedule, limits);
        if verdict == Verdict::Correct && !report.is_verified() {
            // The judge may have missed a path that the checker rejects.
            verdict = judge(schedule, DEEP);
        }
        let is_malformed = report.diagnostics.iter().any(|d| d.rule() == Rule::Model);
        if verdict == Verdict::Malformed || is_malformed {
            assert!(!report.is_verified(), "malformed, {context}: {schedule:#?}");
            return false;
        }
        let is_correct = verdict == Verdict::Correct;
        let one_state = check_with(schedule, Options { states: 1 });
        assert!(
            is_correct || !one_state.is_verified(),
            "false accept of one state, {context}"
        );
        self.excess_of_one_state += usize::from(is_correct && !one_state.is_verified());
        if let Some(mutation) = mutation {
            let counts = self.mutants.entry(mutation).or_default();
            counts[0] += 1;
            counts[1] += usize::from(!is_correct);
        }
        match (is_correct, report.is_verified()) {
            (true, true) => self.accepted += 1,
            (false, false) => self.rejected += 1,
            (false, true) => panic!("false accept: {verdict:?}, {context}: {schedule:#?}"),
            (true, false) if has_early_wait(&report) => self.early += 1,
            (true, false) => self.excess += 1,
        }
        is_correct
    }
}

fn has_early_wait(report: &Report) -> bool {
    let limit = Limit::EarlyWait;
    let mut diagnostics = report.diagnostics.iter();
    diagnostics.any(|d| matches!(d.problem, Problem::Limit { limit: found, .. } if found == limit))
}

fn walk(shape: Shape, limits: Limits) -> Counts {
    let mut counts = Counts::default();
    for seed in 0..schedules(shape) {
        let mut schedule = generate(seed, shape);
        let context = format!("{shape:?} {seed}");
        let is_correct = counts.compare(&schedule, limits, None, &context);
        assert!(is_correct, "{context} is not correct: {schedule:#?}");
        let mut random = Random::new(seed);
        for step in 0..MUTATIONS {
            // Waits are dropped most often.
            let mutation = match random.chance(40) {
                true => Mutation::DropWait,
                false => *random.pick(&mutate::ALL),
            };
            let Some(mutant) = mutate(&schedule, mutation, &mut random) else {
                continue;
            };
            let context = format!("{context}, step {step}, {mutation:?}");
            if counts.compare(&mutant, limits, Some(mutation), &context) && random.chance(80) {
                schedule = mutant;
            }
        }
    }
    println!("{shape:?}: {counts:?}");
    counts
}

#[test]
fn straight_code_is_decided_exactly() {
    let limits = Limits {
        iterations: 0,
        paths: 1,
        enumerated: 1,
    };
    let counts = walk(Shape::Straight, limits);
    assert_eq!(counts.excess, 0);
}

#[test]
fn loops_are_decided_exactly() {
    let limits = Limits {
        iterations: 8,
        paths: 100,
        enumerated: 100,
    };
    let counts = walk(Shape::Loop, limits);
    assert_eq!(counts.excess, 0);
}

#[test]
fn nested_loops_are_decided_like_unrolled_ones() {
    let limits = Limits {
        iterations: 4,
        paths: 20,
        enumerated: 4,
    };
    let counts = walk(Shape::Nest, limits);
    assert_eq!(counts.excess, 0);
}

#[test]
fn branches_are_decided_like_their_paths() {
    let limits = Limits {
        iterations: 4,
        paths: 30,
        enumerated: 15,
    };
    let counts = walk(Shape::Branch, limits);
    assert!(counts.excess * 100 < counts.accepted + counts.rejected);
}

#[test]
fn calls_are_decided_like_inlined_ones() {
    let limits = Limits {
        iterations: 5,
        paths: 100,
        enumerated: 100,
    };
    let counts = walk(Shape::Call, limits);
    assert_eq!(counts.excess, 0);
}

/// The longest trace of which all interleavings are tried.
const MAX_EXHAUSTIVE: usize = 40;

#[test]
fn delays_decide_like_all_interleavings() {
    let mut counts = [0; 2];
    for seed in 0..schedules(Shape::Straight) {
        let mut schedule = generate(seed, Shape::Straight);
        let mut random = Random::new(seed);
        for _ in 0..20 {
            let mutation = *random.pick(&mutate::ALL);
            let Some(mutant) = mutate(&schedule, mutation, &mut random) else {
                continue;
            };
            let Some(trace) = trace(&mutant, 0, &mut Choices::default()) else {
                continue;
            };
            if trace.len() > MAX_EXHAUSTIVE {
                continue;
            }
            let verdict = exhaustive_race(&trace);
            assert_eq!(
                verdict.is_some(),
                delayed_race(&trace).is_some(),
                "{seed}: {mutant:#?}"
            );
            counts[usize::from(verdict.is_some())] += 1;
            if verdict.is_none() {
                schedule = mutant;
            }
        }
    }
    println!("without and with a race or deadlock: {counts:?}");
    assert!(counts.iter().all(|&count| count > 50));
}
