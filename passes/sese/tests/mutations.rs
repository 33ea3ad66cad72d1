//! Mutation testing: whatever is broken in what `tfx-sese` made, `tfx-verify-structured` finds it, if the function then runs otherwise.
//!
//! ```text
//!   random function ──tfx-sese{keep-cfg}──► structured ──fault──► mutant ──┬── tfx-verify-structured
//!                                                                         └── machine: does it run as before?
//! ```
//!
//! Every kind of fault is tried at every operation of every function. The judge of whether a fault matters is the machine that runs both
//! forms on all sequences of a few decisions: a mutant that then shows something else must be refused. One that runs as before may be accepted or
//! not: an operation on values that nobody reads, for one, is a difference that cannot be seen.

mod common;

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::Module;
use tfx_ir::diag::Collector;
use tfx_ir::{Op, module, pipeline};

use crate::common::faults::{KINDS, Kind, Made};
use crate::common::machine::{Code, difference};
use crate::common::mixed::mixed_program;
use crate::common::{DECLARATIONS, Random, context, defined, never_ends, program, random_shape};

/// Functions whose branches are decided by calls, and as many in which branches have to do with each other.
const FUNCTIONS: usize = 150;
/// The most blocks of a function.
const MAX_BLOCKS: usize = 8;
/// Decisions of one run: all sequences of so many are tried.
const MAX_DECISIONS: usize = 5;
/// Mutants of one kind that must have run otherwise, or the test shows nothing for that kind. Comparisons are the fewest.
const MIN_WRONG: usize = 5;

const STRUCTURE: &str = "builtin.module(func.func(tfx-sese{keep-cfg=true}))";
const VERIFY: &str = "builtin.module(func.func(tfx-verify-structured))";

/// What became of the mutants of one kind.
#[derive(Default, Debug)]
struct Count {
    /// They run otherwise.
    wrong: usize,
    /// They run as before on all sequences that are tried, and are refused or accepted.
    refused: usize,
    accepted: usize,
}

fn is_accepted(module: &Module<'_>) -> bool {
    pipeline::run_unverified(module::as_op(module), VERIFY).is_ok()
}

/// Tries all faults on a structured function, which does what `before` does.
fn try_all(structured: &Module<'_>, before: &Code, counts: &mut BTreeMap<&str, Count>) {
    let operations = defined(structured)[0].walk().count();
    for Kind { name, make } in KINDS {
        for place in 1..operations {
            for variant in 0.. {
                let mutant = module::copy(structured);
                let function = defined(&mutant)[0];
                let op: Op<'_> = function.walk().nth(place).expect("as many as counted");
                match make(op, variant) {
                    Made::NoMore => break,
                    Made::Fault if module::as_op(&mutant).verify().is_ok() => {}
                    Made::Nothing | Made::Fault => continue,
                }
                let difference = difference(before, &Code::new(function), MAX_DECISIONS);
                let text = difference.map(|how| format!("{how}: {name}, in\n{function}"));
                let count = counts.entry(name).or_default();
                match (text, is_accepted(&mutant)) {
                    (Some(text), accepted) => {
                        assert!(!accepted, "a wrong form is accepted. {text}");
                        count.wrong += 1;
                    }
                    (None, true) => count.accepted += 1,
                    (None, false) => count.refused += 1,
                }
            }
        }
    }
}

/// What a function does, and its structured form; nothing where a loop of it never ends.
fn structure<'c>(
    context: &'c Context,
    program: &str,
    said: &Collector<'_>,
) -> Option<(Code, Module<'c>)> {
    let text = DECLARATIONS.to_owned() + program;
    let module = module::parse(context, &text, "random.mlir")
        .unwrap_or_else(|| panic!("does not parse:\n{text}"));
    let before = Code::new(defined(&module)[0]);
    let outcome = pipeline::run_unverified(module::as_op(&module), STRUCTURE);
    if outcome.is_err() && never_ends(said) {
        return None;
    }
    assert_eq!(outcome, Ok(()), "on\n{text}");
    Some((before, module))
}

#[test]
fn mutants_that_run_otherwise_are_refused() {
    let context = context();
    // What is refused is counted, not shown.
    let said = Collector::new(&context);
    let mut random = Random::new(8);
    let mut counts = BTreeMap::new();
    for number in 0..2 * FUNCTIONS {
        let shape = random_shape(&mut random, 3 + number % (MAX_BLOCKS - 2));
        let text = match number % 2 {
            0 => program(&mut random, 0, &shape),
            _ => mixed_program(&mut random, 0, &shape),
        };
        let Some((before, structured)) = structure(&context, &text, &said) else {
            continue;
        };
        if is_accepted(&module::copy(&structured)) {
            try_all(&structured, &before, &mut counts);
        }
    }
    for Kind { name, .. } in KINDS {
        let count = counts.get(name).unwrap_or(&Count {
            wrong: 0,
            refused: 0,
            accepted: 0,
        });
        println!("{name}: {count:?}");
        assert!(count.wrong >= MIN_WRONG, "too few mutants where {name}");
    }
}
