//! What the tests share: random functions as text, and the machine that runs them.

#![allow(dead_code, reason = "each test uses some of it")]

pub(crate) mod faults;
pub(crate) mod machine;
pub(crate) mod mixed;

use std::fmt::Write;

use melior::Context;
use tfx_ir::diag::Collector;
pub(crate) use tfx_oracle::Random;

/// The successors of the blocks of a random function.
pub(crate) fn random_shape(random: &mut Random, max_blocks: usize) -> Vec<Vec<usize>> {
    let blocks = 2 + random.below(max_blocks - 1);
    (0..blocks)
        .map(|block| match random.below(12) {
            _ if block == 0 => (0..1 + random.below(2))
                .map(|_| 1 + random.below(blocks - 1))
                .collect(),
            0 | 1 => vec![],
            2..5 => vec![1 + random.below(blocks - 1)],
            5..11 => (0..2).map(|_| 1 + random.below(blocks - 1)).collect(),
            _ => (0..3).map(|_| 1 + random.below(blocks - 1)).collect(),
        })
        .collect()
}

/// A function of that shape as text. Any block may use the arguments and results of the blocks that dominate it.
pub(crate) fn program(random: &mut Random, number: usize, successors: &[Vec<usize>]) -> String {
    let blocks = successors.len();
    let arguments: Vec<usize> = (0..blocks)
        .map(|block| if block == 0 { 0 } else { random.below(3) })
        .collect();
    let dominators = dominators(successors);

    let mut text = format!("func.func @f{number}(%n: i32) -> i32 {{\n");
    for block in 0..blocks {
        let mut visible = vec!["%n".to_owned()];
        for dominator in (0..blocks).filter(|&other| dominators[block][other]) {
            visible.extend((0..arguments[dominator]).map(|index| format!("%a{dominator}_{index}")));
            visible.push(format!("%v{dominator}"));
        }
        if block > 0 {
            let list: Vec<String> = (0..arguments[block])
                .map(|index| format!("%a{block}_{index}: i32"))
                .collect();
            writeln!(
                text,
                "^b{block}{}:",
                if list.is_empty() {
                    String::new()
                } else {
                    format!("({})", list.join(", "))
                }
            )
            .unwrap();
        }
        // The block's own value is not there yet.
        visible.retain(|name| *name != format!("%v{block}"));
        let (one, other) = (pick(random, &visible), pick(random, &visible));
        writeln!(text, "  %k{block} = arith.constant {block} : i32\n  %s{block} = arith.addi {one}, {other} : i32").unwrap();
        writeln!(text, "  %v{block} = arith.addi %s{block}, %k{block} : i32\n  func.call @observe(%v{block}) : (i32) -> ()").unwrap();
        visible.push(format!("%v{block}"));
        let mut edge = |target: usize| {
            let values: Vec<String> = (0..arguments[target])
                .map(|_| pick(random, &visible))
                .collect();
            match values.is_empty() {
                true => format!("^b{target}"),
                false => format!(
                    "^b{target}({} : {})",
                    values.join(", "),
                    vec!["i32"; values.len()].join(", ")
                ),
            }
        };
        match successors[block][..] {
            [] if block % 4 == 3 => {
                writeln!(text, "  tfx_host.abort \"stop\"\n  tfx_host.unreachable").unwrap()
            }
            [] => writeln!(text, "  return {} : i32", pick(random, &visible)).unwrap(),
            [only] => writeln!(text, "  cf.br {}", edge(only)).unwrap(),
            [yes, no] => {
                let (yes, no) = (edge(yes), edge(no));
                writeln!(text, "  %c{block} = func.call @decide() : () -> i1\n  cf.cond_br %c{block}, {yes}, {no}").unwrap();
            }
            [first, second, third, ..] => {
                let edges = (edge(first), edge(second), edge(third));
                writeln!(text, "  %c{block} = func.call @choose() : () -> i32").unwrap();
                writeln!(
                    text,
                    "  cf.switch %c{block} : i32, [default: {}, 0: {}, -1: {}]",
                    edges.0, edges.1, edges.2
                )
                .unwrap();
            }
        }
    }
    text + "}\n"
}

pub(crate) fn pick(random: &mut Random, names: &[String]) -> String {
    names[random.below(names.len())].clone()
}

/// `[a][b]`: block b dominates block a. By iteration, for a few blocks.
pub(crate) fn dominators(successors: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let blocks = successors.len();
    let mut result = vec![vec![true; blocks]; blocks];
    result[0] = (0..blocks).map(|block| block == 0).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for source in 0..blocks {
            for &target in &successors[source] {
                let of_source = result[source].clone();
                for (other, known) in result[target].iter_mut().enumerate() {
                    if other != target && *known && !of_source[other] {
                        *known = false;
                        changed = true;
                    }
                }
            }
        }
    }
    result
}

/// Whether a cycle has several entries: an edge goes back in a depth-first search to a block that does not dominate its source.
pub(crate) fn is_irreducible(successors: &[Vec<usize>]) -> bool {
    let dominators = dominators(successors);
    let (mut active, mut seen) = (vec![false; successors.len()], vec![false; successors.len()]);
    let mut path = vec![(0, 0)];
    (active[0], seen[0]) = (true, true);
    while let Some((block, next)) = path.last_mut() {
        let block = *block;
        let Some(&target) = successors[block].get(*next) else {
            active[block] = false;
            path.pop();
            continue;
        };
        *next += 1;
        if active[target] && !dominators[block][target] {
            return true;
        }
        if !std::mem::replace(&mut seen[target], true) {
            active[target] = true;
            path.push((target, 0));
        }
    }
    false
}

pub(crate) fn context() -> Context {
    tfx_sese::register();
    tfx_dialects::loaded_context()
}

/// Whether what was said since the last call is that a loop never ends: conditions of random
/// functions may be constants.
pub(crate) fn never_ends(said: &Collector<'_>) -> bool {
    let said = said.take();
    let is_endless = |message: &str| message.starts_with("this loop is infinite: ");
    said.last().is_some_and(|last| is_endless(&last.message))
}

/// What functions call.
pub(crate) const DECLARATIONS: &str = "func.func private @observe(i32)\nfunc.func private @decide() -> i1\nfunc.func private @choose() -> i32\n";

/// The functions of a module that have a body.
pub(crate) fn defined<'a>(module: &'a melior::ir::Module<'_>) -> Vec<tfx_ir::Op<'a>> {
    let functions = tfx_ir::module::as_op(module).collect("func.func");
    let has_body = |function: &tfx_ir::Op<'a>| !function.is_declaration();
    functions.into_iter().filter(has_body).collect()
}
