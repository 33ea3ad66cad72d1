//! Every small function and many random ones are structured, and `tfx-verify-structured` proves each result.
//!
//! All control-flow graphs of up to four blocks (return, one way, two ways: 197,000 of them), a sample of those of five, and 100,000
//! random functions of up to fourteen blocks, of which a third have cycles with several entries. The entry has no predecessors in
//! MLIR, so a graph whose entry has some gets a block before it.

mod common;

use melior::Context;
use tfx_ir::{module, pipeline};

use crate::common::{DECLARATIONS, Random, context, is_irreducible, program, random_shape};

/// Functions in one module: so many, that a pipeline costs little beside them.
const BATCH: usize = 500;
/// The most blocks of the graphs that are all tried.
const SMALL: usize = 4;
/// Graphs of one block more that are tried.
const SAMPLE: usize = 20_000;
/// Random functions.
const RANDOM: usize = 100_000;
/// The most blocks of a random function.
const MAX_BLOCKS: usize = 14;

fn prove(context: &Context, programs: &mut Vec<String>) {
    let text = DECLARATIONS.to_owned() + &programs.concat();
    programs.clear();
    let module = module::parse(context, &text, "random.mlir")
        .unwrap_or_else(|| panic!("does not parse:\n{text}"));
    let pipeline = "builtin.module(func.func(tfx-sese{verify=true}))";
    let outcome = pipeline::run_unverified(module::as_op(&module), pipeline);
    assert_eq!(outcome, Ok(()), "on\n{text}");
    // One verifier run for the whole module, and not one per function.
    assert!(module::as_op(&module).verify().is_ok(), "on\n{text}");
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
fn every_small_graph_is_proved() {
    let context = context();
    let mut random = Random(5);
    let mut programs = Vec::new();
    for blocks in 1..=SMALL {
        for number in 0..count(blocks) {
            programs.push(program(&mut random, programs.len(), &graph(number, blocks)));
            if programs.len() == BATCH {
                prove(&context, &mut programs);
            }
        }
    }
    for _ in 0..SAMPLE {
        let number = random.below(count(SMALL + 1));
        programs.push(program(
            &mut random,
            programs.len(),
            &graph(number, SMALL + 1),
        ));
        if programs.len() == BATCH {
            prove(&context, &mut programs);
        }
    }
    prove(&context, &mut programs);
}

#[test]
fn random_functions_are_proved() {
    let context = context();
    let mut random = Random(6);
    let mut programs = Vec::new();
    for number in 0..RANDOM {
        let mut successors = random_shape(&mut random, 3 + number % (MAX_BLOCKS - 2));
        while number % 3 == 0 && !is_irreducible(&successors) {
            successors = random_shape(&mut random, MAX_BLOCKS);
        }
        programs.push(program(&mut random, programs.len(), &successors));
        if programs.len() == BATCH {
            prove(&context, &mut programs);
        }
    }
}
