//! Structures every small function and many random ones, proves each result, and compares the runs.
//!
//! The functions are all control-flow graphs of up to four blocks with no, one or two successors
//! each (197,000), a sample of those of five blocks, 100,000 random functions of up to fourteen
//! blocks, a third of them irreducible, and 30,000 with correlated branches. In MLIR, the entry has
//! no predecessors, so a block is put before each small graph. Each function runs before and after
//! structuring on all sequences of a few decisions and with several arguments.
//!
//! `make test` tries one in twenty of the functions, `make test-all` all of them.

mod common;

use melior::Context;
use melior::ir::Module;
use tfx_ir::diag::Collector;
use tfx_ir::{module, pipeline};
use tfx_oracle::Library;

use crate::common::execution::difference;
use crate::common::mixed::mixed_program;
use crate::common::{
    Random, context, defined, is_irreducible, parse, program, random_shape, reports_infinite_loop,
};

/// Structures functions and proves the result.
const PIPELINE: &str = "builtin.module(func.func(tfx-sese{verify=true}))";
/// Functions in one module, so that the cost of running a pipeline is negligible.
const BATCH: usize = 500;
/// The maximal number of blocks of the graphs that are enumerated.
const SMALL: usize = 4;
/// The number of random graphs with one block more.
const SAMPLE: usize = 20_000;
/// Random functions.
const RANDOM: usize = 100_000;
/// Random functions with correlated branches.
const MIXED: usize = 30_000;
/// The maximal number of blocks of a random function.
const MAX_BLOCKS: usize = 14;
/// The variable with which all functions are tried.
const TEST_ALL: &str = "TFX_TEST_ALL";
/// Without that variable, one in this many functions is tried.
const ONE_IN: usize = 20;
/// Decisions of one run: all sequences of this length are tried.
const MAX_DECISIONS: usize = 5;

/// Returns `ONE_IN`, or 1 if all functions are tried.
fn one_in() -> usize {
    match std::env::var_os(TEST_ALL) {
        Some(_) => 1,
        None => ONE_IN,
    }
}

/// Functions of one module.
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

    /// Structures, proves and runs all functions.
    fn prove(&mut self) {
        let programs = std::mem::take(&mut self.programs);
        let text = programs.concat();
        let module = parse(self.context, &text);
        let original = module::copy(&module);
        let outcome = pipeline::run_unverified(module::as_op(&module), PIPELINE);
        assert_eq!(outcome, Ok(()), "on\n{text}");
        // The verifier runs once for the module, not once per function.
        assert!(module::as_op(&module).verify().is_ok(), "on\n{text}");
        for (program, function) in programs.iter().zip(defined(&module)) {
            let is_one_block = function.region(0).single_block().is_some();
            assert!(is_one_block, "of\n{program}");
        }
        compare(&original, &module, &programs);
    }
}

/// Compares the runs of all functions of a module before and after structuring.
fn compare(before: &Module<'_>, after: &Module<'_>, programs: &[String]) {
    let [before, after] = [before, after].map(|module| Library::new(module::as_op(module)));
    for (number, program) in programs.iter().enumerate() {
        if let Some(how) = difference(&before, &after, &format!("f{number}"), MAX_DECISIONS) {
            panic!("{how}, of\n{program}");
        }
    }
}

/// Returns the successors with a number among `blocks` blocks: none, each one, each pair.
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

/// Returns the graph of a number, with a block before it.
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
fn small_graphs_are_proved_and_run_as_before() {
    let context = context();
    let mut random = Random::new(5);
    let mut batch = Batch::new(&context);
    for blocks in 1..=SMALL {
        // Graphs of fewer than the maximal number of blocks are few.
        let step = if blocks == SMALL { one_in() } else { 1 };
        for graph_number in (0..count(blocks)).step_by(step) {
            let shape = graph(graph_number, blocks);
            batch.add(|number| program(&mut random, number, &shape));
        }
    }
    for _ in 0..SAMPLE / one_in() {
        let shape = graph(random.below(count(SMALL + 1)), SMALL + 1);
        batch.add(|number| program(&mut random, number, &shape));
    }
    batch.prove();
}

/// Returns random successors, of more blocks for each number; every third graph is irreducible.
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
    for round in 0..RANDOM / one_in() {
        let shape = shape(&mut random, round);
        batch.add(|number| program(&mut random, number, &shape));
    }
    batch.prove();
}

#[test]
fn functions_with_correlated_branches_are_proved_and_run_as_before() {
    let context = context();
    // Rejections are counted, not printed.
    let collector = Collector::new(&context);
    let mut random = Random::new(7);
    let mut rejected = 0;
    for round in 0..MIXED / one_in() {
        let shape = shape(&mut random, round);
        let program = mixed_program(&mut random, 0, &shape);
        let module = parse(&context, &program);
        let original = module::copy(&module);
        let outcome = pipeline::run_unverified(module::as_op(&module), PIPELINE);
        if outcome.is_err() && reports_infinite_loop(&collector) {
            continue;
        }
        rejected += usize::from(outcome.is_err());
        assert!(module::as_op(&module).verify().is_ok(), "on\n{program}");
        compare(&original, &module, &[program]);
    }
    assert_eq!(rejected, 0, "functions are rejected");
}
