//! Every small function and many random ones are structured, the checker proves each result, and both forms run the same.
//!
//! All control-flow graphs of up to four blocks (return, one way, two ways: 197,000 of them), a sample of those of five, and 100,000
//! random functions of up to fourteen blocks, of which a third have cycles with several entries; and 30,000 in which branches have to do
//! with each other. The entry has no predecessors in MLIR, so a graph whose entry has some gets a block before it. Each function
//! runs before and after on all sequences of a few decisions, and on arguments of both kinds.

mod common;

use melior::Context;
use tfx_ir::diag::Collector;
use tfx_ir::{module, pipeline};

use crate::common::machine::{Code, difference};
use crate::common::mixed::mixed_program;
use crate::common::{
    DECLARATIONS, Random, context, defined, is_irreducible, never_ends, program, random_shape,
};

/// Functions in one module: so many, that a pipeline costs little beside them.
const BATCH: usize = 500;
/// The most blocks of the graphs that are all tried.
const SMALL: usize = 4;
/// Graphs of one block more that are tried.
const SAMPLE: usize = 20_000;
/// Random functions.
const RANDOM: usize = 100_000;
/// Random functions in which branches have to do with each other.
const MIXED: usize = 30_000;
/// The most blocks of a random function.
const MAX_BLOCKS: usize = 14;
/// Decisions of one run: all sequences of so many are tried.
const MAX_DECISIONS: usize = 5;

/// Functions that are tried together.
struct Batch<'c> {
    context: &'c Context,
    programs: Vec<String>,
}

impl<'c> Batch<'c> {
    fn new(context: &'c Context) -> Self {
        Self {
            context,
            programs: Vec::new(),
        }
    }

    fn add(&mut self, make: impl FnOnce(usize) -> String) {
        self.programs.push(make(self.programs.len()));
        if self.programs.len() == BATCH {
            self.prove();
        }
    }

    /// Structures all, proves all, and runs all.
    fn prove(&mut self) {
        let programs = std::mem::take(&mut self.programs);
        let text = DECLARATIONS.to_owned() + &programs.concat();
        let module = module::parse(self.context, &text, "random.mlir")
            .unwrap_or_else(|| panic!("does not parse:\n{text}"));
        let before: Vec<Code> = defined(&module).into_iter().map(Code::new).collect();
        let pipeline = "builtin.module(func.func(tfx-sese{verify=true}))";
        let outcome = pipeline::run_unverified(module::as_op(&module), pipeline);
        assert_eq!(outcome, Ok(()), "on\n{text}");
        // One verifier run for the whole module, and not one per function.
        assert!(module::as_op(&module).verify().is_ok(), "on\n{text}");
        for (index, function) in defined(&module).into_iter().enumerate() {
            let is_one_block = function.region(0).single_block().is_some();
            assert!(is_one_block, "of\n{}", programs[index]);
            compare(&before[index], &Code::new(function), &programs[index]);
        }
    }
}

fn compare(before: &Code, after: &Code, program: &str) {
    if let Some(difference) = difference(before, after, MAX_DECISIONS) {
        panic!("{difference}, of\n{program}");
    }
}

/// The successors of block `block` among `blocks`, by number: return, one way, two ways.
fn ending(number: usize, blocks: usize) -> Vec<usize> {
    match number {
        0 => vec![],
        _ if number <= blocks => vec![number - 1],
        _ => vec![
            (number - blocks - 1) / blocks,
            (number - blocks - 1) % blocks,
        ],
    }
}

/// The graph of that number, with a block before it.
fn graph(mut number: usize, blocks: usize) -> Vec<Vec<usize>> {
    let endings = 1 + blocks + blocks * blocks;
    let mut successors = vec![vec![1]];
    for _ in 0..blocks {
        let own = ending(number % endings, blocks);
        successors.push(own.into_iter().map(|target| target + 1).collect());
        number /= endings;
    }
    successors
}

fn count(blocks: usize) -> usize {
    (1 + blocks + blocks * blocks).pow(blocks as u32)
}

#[test]
fn every_small_graph_is_proved_and_runs_as_before() {
    let context = context();
    let mut random = Random::new(5);
    let mut batch = Batch::new(&context);
    for blocks in 1..=SMALL {
        for graph_number in 0..count(blocks) {
            let shape = graph(graph_number, blocks);
            batch.add(|number| program(&mut random, number, &shape));
        }
    }
    for _ in 0..SAMPLE {
        let shape = graph(random.below(count(SMALL + 1)), SMALL + 1);
        batch.add(|number| program(&mut random, number, &shape));
    }
    batch.prove();
}

/// A shape with more blocks each time; every third one is irreducible.
fn shape(random: &mut Random, number: usize) -> Vec<Vec<usize>> {
    let mut successors = random_shape(random, 3 + number % (MAX_BLOCKS - 2));
    while number.is_multiple_of(3) && !is_irreducible(&successors) {
        successors = random_shape(random, MAX_BLOCKS);
    }
    successors
}

#[test]
fn random_functions_are_proved_and_run_as_before() {
    let context = context();
    let mut random = Random::new(6);
    let mut batch = Batch::new(&context);
    for round in 0..RANDOM {
        let shape = shape(&mut random, round);
        batch.add(|number| program(&mut random, number, &shape));
    }
    batch.prove();
}

#[test]
fn functions_of_mixed_branches_are_proved_and_run_as_before() {
    let context = context();
    // What is refused is counted, not shown.
    let said = Collector::new(&context);
    let mut random = Random::new(7);
    let mut refused = 0;
    for round in 0..MIXED {
        let shape = shape(&mut random, round);
        let program = mixed_program(&mut random, 0, &shape);
        let text = DECLARATIONS.to_owned() + &program;
        let module = module::parse(&context, &text, "random.mlir")
            .unwrap_or_else(|| panic!("does not parse:\n{text}"));
        let before = Code::new(defined(&module)[0]);
        let pipeline = "builtin.module(func.func(tfx-sese{verify=true}))";
        let outcome = pipeline::run_unverified(module::as_op(&module), pipeline);
        if outcome.is_err() && never_ends(&said) {
            continue;
        }
        refused += usize::from(outcome.is_err());
        assert!(module::as_op(&module).verify().is_ok(), "on\n{text}");
        compare(&before, &Code::new(defined(&module)[0]), &program);
    }
    assert_eq!(refused, 0, "of {MIXED} functions that run as before");
}
