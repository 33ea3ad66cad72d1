//! Random schedules: without their events, then with those that are inserted.
//!
//! The schedules are those of the tests of `tfx-schedule`, and its judge executes them. Each wait
//! that is inserted is then left out, retargeted or moved, and the judge decides about each mutant.

#[path = "../../schedule/tests/support/mod.rs"]
mod support;

use support::Random;
use support::generate::{Shape, generate};
use support::judge::{Limits, Verdict, judge};
use support::mutate::{Mutation, mutate};
use tfx_order::{events, insert, strip};
use tfx_schedule::{Body, Op, Rule, Schedule, check};

/// The variable with which all schedules are tried.
const TEST_ALL: &str = "TFX_TEST_ALL";
const ALL_SCHEDULES: u64 = 4000;
const SOME_SCHEDULES: u64 = 200;
/// The mutants of each schedule.
const MUTANTS: usize = 20;

const SHAPES: [Shape; 5] = [
    Shape::Straight,
    Shape::Loop,
    Shape::Nest,
    Shape::Branch,
    Shape::Call,
];

fn schedules() -> u64 {
    match std::env::var_os(TEST_ALL) {
        Some(_) => ALL_SCHEDULES,
        None => SOME_SCHEDULES,
    }
}

fn limits(shape: Shape) -> Limits {
    let (iterations, paths, enumerated) = match shape {
        Shape::Straight => (0, 1, 1),
        Shape::Nest => (3, 6, 3),
        _ => (5, 20, 15),
    };
    Limits {
        iterations,
        paths,
        enumerated,
    }
}

/// Returns the number of events that are waited for in a body.
fn waits(body: &Body) -> usize {
    let waits = body.commands.iter().map(|command| match &command.op {
        Op::Wait { events, .. } => events.len(),
        Op::Loop(inner) => waits(&inner.body),
        Op::Branch(branch) => branch.arms.iter().map(waits).sum(),
        _ => 0,
    });
    waits.sum()
}

fn all_waits<P>(schedule: &Schedule<P>) -> usize {
    schedule.parts.iter().map(|part| waits(&part.body)).sum()
}

#[test]
fn inserted_events_are_verified() {
    for shape in SHAPES {
        let (mut given, mut inserted) = (0, 0);
        for seed in 0..schedules() {
            let original = generate(seed, shape);
            let stripped = strip(&original);
            let found = events(&stripped).expect("a ring of a few slots");
            let schedule = insert(&stripped, &found);
            let report = check(&schedule);
            let texts: Vec<String> = report
                .diagnostics
                .iter()
                .map(|d| d.display(&schedule).to_string())
                .collect();
            assert!(
                report.is_verified(),
                "{shape:?} {seed}: {texts:#?} {schedule:#?}"
            );
            let again = events(&schedule).expect("a ring of a few slots");
            assert_eq!(
                again,
                [],
                "{shape:?} {seed} is not idempotent: {schedule:#?}"
            );
            given += all_waits(&original);
            inserted += all_waits(&schedule);
        }
        println!("{shape:?}: {given} waits, {inserted} after insertion");
    }
}

#[test]
fn mutants_of_inserted_events_are_decided() {
    let mutations = [
        Mutation::DropWait,
        Mutation::RetargetWait,
        Mutation::RetargetRecord,
        Mutation::Move,
        Mutation::RetargetStream,
        Mutation::Offset,
    ];
    for shape in SHAPES {
        let mut counts = [0; 3];
        let limits = limits(shape);
        for seed in 0..schedules() / 4 {
            let stripped = strip(&generate(seed, shape));
            let found = events(&stripped).expect("a ring of a few slots");
            let schedule = insert(&stripped, &found);
            assert_eq!(
                judge(&schedule, limits),
                Verdict::Correct,
                "{shape:?} {seed}"
            );
            let mut random = Random::new(seed);
            for _ in 0..MUTANTS {
                let mutation = *random.pick(&mutations);
                let Some(mutant) = mutate(&schedule, mutation, &mut random) else {
                    continue;
                };
                let report = check(&mutant);
                if report.diagnostics.iter().any(|d| d.rule() == Rule::Model) {
                    continue;
                }
                let is_correct = judge(&mutant, limits) == Verdict::Correct;
                match (report.is_verified(), is_correct) {
                    (true, false) => panic!("false accept: {shape:?} {seed}: {mutant:#?}"),
                    (true, true) => counts[0] += 1,
                    (false, false) => counts[1] += 1,
                    (false, true) => counts[2] += 1,
                }
            }
        }
        println!("{shape:?}: accepted, rejected, rejected by the checker only: {counts:?}");
    }
}
