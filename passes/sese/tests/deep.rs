//! Structures and verifies 100,000 blocks, nested 1,000 deep, without a stack overflow.

mod common;

use std::fmt::Write;

use tfx_ir::{module, pipeline};

use crate::common::{context, defined, parse};

/// Nested loops or branches.
const DEPTH: usize = 1000;
/// The approximate number of blocks.
const BLOCKS: usize = 100_000;

/// Returns a sequence of nests of branches: `^o` is the opening of a level, `^c` its end.
fn branches() -> String {
    let mut text = String::from("func.func @branches(%c: i1, %n: i32) {\n  cf.br ^o0_0\n");
    let nests = BLOCKS / (2 * DEPTH);
    for nest in 0..nests {
        for level in 0..DEPTH {
            let next = match level + 1 < DEPTH {
                true => format!("^o{nest}_{}", level + 1),
                false => format!("^c{nest}_{level}"),
            };
            writeln!(
                text,
                "^o{nest}_{level}:\n  func.call @observe(%n) : (i32) -> ()\n  cf.cond_br %c, {next}, ^c{nest}_{level}"
            )
            .unwrap();
        }
        for level in (0..DEPTH).rev() {
            let next = match (level, nest + 1 < nests) {
                (0, true) => format!("^o{}_0", nest + 1),
                (0, false) => "^end".to_owned(),
                _ => format!("^c{nest}_{}", level - 1),
            };
            writeln!(
                text,
                "^c{nest}_{level}:\n  func.call @observe(%n) : (i32) -> ()\n  cf.br {next}"
            )
            .unwrap();
        }
    }
    text + "^end:\n  return\n}\n"
}

/// Returns a sequence of nests of loops: `^o` is the header of a level, `^c` its latch.
fn loops() -> String {
    let mut text = String::from("func.func @loops(%n: i32) {\n  cf.br ^o0_0\n");
    let nests = BLOCKS / (2 * DEPTH);
    for nest in 0..nests {
        for level in 0..DEPTH {
            let next = match level + 1 < DEPTH {
                true => format!("^o{nest}_{}", level + 1),
                false => format!("^c{nest}_{level}"),
            };
            let out = match (level, nest + 1 < nests) {
                (0, true) => format!("^o{}_0", nest + 1),
                (0, false) => "^end".to_owned(),
                _ => format!("^c{nest}_{}", level - 1),
            };
            writeln!(
                text,
                "^o{nest}_{level}:\n  %d{nest}_{level} = func.call @decide() : () -> i1\n  cf.cond_br %d{nest}_{level}, {next}, {out}"
            )
            .unwrap();
        }
        for level in (0..DEPTH).rev() {
            writeln!(
                text,
                "^c{nest}_{level}:\n  func.call @observe(%n) : (i32) -> ()\n  cf.br ^o{nest}_{level}"
            )
            .unwrap();
        }
    }
    text + "^end:\n  return\n}\n"
}

#[test]
fn deep_nests_do_not_overflow_the_stack() {
    let context = context();
    for program in [branches(), loops()] {
        let module = parse(&context, &program);
        let blocks = defined(&module)[0].region(0).blocks().count();
        assert!(blocks > BLOCKS, "{blocks} blocks");
        let pipeline = "builtin.module(func.func(tfx-sese{verify=true}))";
        let outcome = pipeline::run_unverified(module::as_op(&module), pipeline);
        assert_eq!(outcome, Ok(()));
        let function = defined(&module)[0];
        assert!(function.region(0).single_block().is_some());
        let depth = function.walk().map(|op| op.ancestors().count()).max();
        assert!(depth.is_some_and(|depth| depth >= DEPTH), "{depth:?} deep");
    }
}
