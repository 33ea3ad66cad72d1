//! Structures and verifies 100,000 blocks, nested 1,000 deep, without a stack overflow.

mod common;

use std::fmt::Write;

use tfx_ir::{module, pipeline};

use crate::common::{context, defined, parse};

/// Nested loops or branches.
const DEPTH: usize = 1000;
/// The approximate number of blocks.
const BLOCKS: usize = 100_000;

/// Returns a function with a sequence of nests: `^o` is the opening of a level, `^c` its end.
/// `open` and `close` write the ends of these blocks from the name of a level, the block inside
/// it, and the block after it.
fn nests(
    signature: &str,
    open: fn(&str, &str, &str) -> String,
    close: fn(&str, &str) -> String,
) -> String {
    let mut text = format!("func.func {signature} {{\n  cf.br ^o0_0\n");
    let nests = BLOCKS / (2 * DEPTH);
    for nest in 0..nests {
        let after = |level: usize| match (level, nest + 1 < nests) {
            (0, true) => format!("^o{}_0", nest + 1),
            (0, false) => "^end".to_owned(),
            _ => format!("^c{nest}_{}", level - 1),
        };
        for level in 0..DEPTH {
            let inside = match level + 1 < DEPTH {
                true => format!("^o{nest}_{}", level + 1),
                false => format!("^c{nest}_{level}"),
            };
            let name = format!("{nest}_{level}");
            let opened = open(&name, &inside, &after(level));
            writeln!(text, "^o{name}:\n  {opened}").unwrap();
        }
        for level in (0..DEPTH).rev() {
            let name = format!("{nest}_{level}");
            let closed = close(&name, &after(level));
            writeln!(
                text,
                "^c{name}:\n  func.call @observe(%n) : (i32) -> ()\n  {closed}"
            )
            .unwrap();
        }
    }
    text + "^end:\n  return\n}\n"
}

fn branches() -> String {
    nests(
        "@branches(%c: i1, %n: i32)",
        |name, inside, _| {
            format!("func.call @observe(%n) : (i32) -> ()\n  cf.cond_br %c, {inside}, ^c{name}")
        },
        |_, after| format!("cf.br {after}"),
    )
}

/// The openings are headers of loops, and the ends their latches.
fn loops() -> String {
    nests(
        "@loops(%n: i32)",
        |name, inside, after| {
            format!(
                "%d{name} = func.call @decide() : () -> i1\n  cf.cond_br %d{name}, {inside}, {after}"
            )
        },
        |name, _| format!("cf.br ^o{name}"),
    )
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
