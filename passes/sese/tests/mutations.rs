//! Mutation testing of `tfx-verify-structured`: it rejects each mutant of a structured function
//! that runs differently.
//!
//! ```text
//!   random function ──tfx-sese{keep-cfg}──► structured ──mutate──► mutant ──┬── tfx-verify-structured
//!                                                                          └── reference interpreter
//! ```
//!
//! Each kind of mutation is applied to each operation of each function. The reference interpreter
//! runs both forms on all sequences of a few decisions. A mutant that behaves differently must be
//! rejected. An equivalent mutant, such as a different operation on unused values, may be accepted
//! or rejected.

mod common;

use std::collections::BTreeMap;

use melior::Context;
use melior::ir::Module;
use tfx_ir::diag::Collector;
use tfx_ir::{Op, module, pipeline};
use tfx_oracle::Library;

use crate::common::execution::difference;
use crate::common::mixed::mixed_program;
use crate::common::mutants::{KINDS, Kind, Outcome};
use crate::common::{
    DECLARATIONS, Random, context, defined, parse, program, random_shape, reports_infinite_loop,
};

/// Functions whose branches are decided by calls, and as many with correlated branches.
const FUNCTIONS: usize = 150;
/// The maximal number of blocks of a function.
const MAX_BLOCKS: usize = 8;
/// Decisions of one run: all sequences of this length are tried.
const MAX_DECISIONS: usize = 5;
/// The minimal number of mutants of a kind that run differently. Comparisons have the fewest.
const MIN_DIFFERENT: usize = 5;

const STRUCTURE: &str = "builtin.module(func.func(tfx-sese{keep-cfg=true}))";
const VERIFY: &str = "builtin.module(func.func(tfx-verify-structured))";

/// The mutants of one kind.
#[derive(Default, Debug)]
struct Count {
    different: usize,
    equivalent_rejected: usize,
    equivalent_accepted: usize,
}

fn is_accepted(module: &Module<'_>) -> bool {
    pipeline::run_unverified(module::as_op(module), VERIFY).is_ok()
}

/// Applies all mutations to a structured function whose original is in `original`.
fn try_all(structured: &Module<'_>, original: &Module<'_>, counts: &mut BTreeMap<&str, Count>) {
    let original = Library::new(module::as_op(original));
    let operations = defined(structured)[0].walk().count();
    for Kind { name, mutate } in KINDS {
        for place in 1..operations {
            for variant in 0.. {
                let mutant = module::copy(structured);
                let function = defined(&mutant)[0];
                let op: Op<'_> = function.walk().nth(place).expect("as many as counted");
                match mutate(op, variant) {
                    Outcome::NoMore => break,
                    Outcome::Mutated if module::as_op(&mutant).verify().is_ok() => {}
                    Outcome::Unchanged | Outcome::Mutated => continue,
                }
                let library = Library::new(module::as_op(&mutant));
                let difference = difference(&original, &library, "f0", MAX_DECISIONS);
                let text = difference.map(|how| format!("{how}: {name}, in\n{function}"));
                let count = counts.entry(name).or_default();
                match (text, is_accepted(&mutant)) {
                    (Some(text), accepted) => {
                        assert!(!accepted, "a wrong form is accepted. {text}");
                        count.different += 1;
                    }
                    (None, true) => count.equivalent_accepted += 1,
                    (None, false) => count.equivalent_rejected += 1,
                }
            }
        }
    }
}

/// Returns a program and its structured form; `None` if it has an endless loop.
fn structure<'c>(
    context: &'c Context,
    program: &str,
    collector: &Collector<'_>,
) -> Option<[Module<'c>; 2]> {
    let module = parse(context, program);
    let original = module::copy(&module);
    let outcome = pipeline::run_unverified(module::as_op(&module), STRUCTURE);
    if outcome.is_err() && reports_infinite_loop(collector) {
        return None;
    }
    assert_eq!(outcome, Ok(()), "on\n{DECLARATIONS}{program}");
    Some([original, module])
}

#[test]
fn mutants_that_run_differently_are_rejected() {
    let context = context();
    // Rejections are counted, not printed.
    let collector = Collector::new(&context);
    let mut random = Random::new(8);
    let mut counts = BTreeMap::new();
    for number in 0..2 * FUNCTIONS {
        let shape = random_shape(&mut random, 3 + number % (MAX_BLOCKS - 2));
        let text = match number % 2 {
            0 => program(&mut random, 0, &shape),
            _ => mixed_program(&mut random, 0, &shape),
        };
        let Some([original, structured]) = structure(&context, &text, &collector) else {
            continue;
        };
        if is_accepted(&module::copy(&structured)) {
            try_all(&structured, &original, &mut counts);
        }
    }
    for Kind { name, .. } in KINDS {
        let count = counts.remove(name).unwrap_or_default();
        println!("{name}: {count:?}");
        assert!(
            count.different >= MIN_DIFFERENT,
            "too few mutants where {name}"
        );
    }
}
