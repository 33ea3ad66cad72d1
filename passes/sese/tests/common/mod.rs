//! Random functions, their execution, and mutants.

#![allow(dead_code, reason = "each test uses some of it")]

pub(crate) mod execution;
pub(crate) mod mixed;
pub(crate) mod mutants;

use std::fmt::Write;

use melior::Context;
use melior::ir::Module;
use tfx_ir::diag::Collector;
use tfx_ir::ops::func;
use tfx_ir::{Op, module};
pub(crate) use tfx_oracle::Random;

/// Returns the successors of the blocks of a random function.
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

/// Returns the text of a function with these successors. Each block uses arguments and results of
/// the blocks that dominate it.
pub(crate) fn program(random: &mut Random, number: usize, successors: &[Vec<usize>]) -> String {
    let blocks = successors.len();
    let arguments: Vec<usize> = (0..blocks)
        .map(|block| if block == 0 { 0 } else { random.below(3) })
        .collect();
    let dominators = dominators(successors);

    let mut text = format!("func.func @f{number}(%n: i32) -> i32 {{\n");
    for block in 0..blocks {
        let mut available = vec!["%n".to_owned()];
        for dominator in (0..blocks).filter(|&other| dominators[block][other]) {
            let argument = |index| format!("%a{dominator}_{index}");
            available.extend((0..arguments[dominator]).map(argument));
            if dominator != block {
                available.push(format!("%v{dominator}"));
            }
        }
        if block > 0 {
            text += &head(block, (arguments[block], 0));
        }
        let (one, other) = (pick(random, &available), pick(random, &available));
        writeln!(text, "  %k{block} = arith.constant {block} : i32").unwrap();
        writeln!(text, "  %s{block} = arith.addi {one}, {other} : i32").unwrap();
        writeln!(text, "  %v{block} = arith.addi %s{block}, %k{block} : i32").unwrap();
        writeln!(text, "  func.call @observe(%v{block}) : (i32) -> ()").unwrap();
        available.push(format!("%v{block}"));
        let mut edges = Vec::new();
        for &target in &successors[block] {
            let values = (0..arguments[target]).map(|_| (pick(random, &available), "i32"));
            edges.push(edge(target, values.collect()));
        }
        let mut selector = format!("%c{block}");
        match edges.len() {
            0 if !aborts(block) => selector = pick(random, &available),
            0 | 1 => {}
            2 => writeln!(text, "  {selector} = func.call @decide() : () -> i1").unwrap(),
            _ => writeln!(text, "  {selector} = func.call @choose() : () -> i32").unwrap(),
        }
        text += &terminator(block, &edges, &selector, &selector);
    }
    text + "}\n"
}

/// Returns the label of a block with some integers and flags as arguments.
fn head(block: usize, (integers, flags): (usize, usize)) -> String {
    let integers = (0..integers).map(|index| format!("%a{block}_{index}: i32"));
    let flags = (0..flags).map(|index| format!("%b{block}_{index}: i1"));
    let list: Vec<String> = integers.chain(flags).collect();
    match list.is_empty() {
        true => format!("^b{block}:\n"),
        false => format!("^b{block}({}):\n", list.join(", ")),
    }
}

/// Returns an edge to a block that forwards values of these types.
fn edge(target: usize, values: Vec<(String, &str)>) -> String {
    let (values, types): (Vec<String>, Vec<&str>) = values.into_iter().unzip();
    match values.is_empty() {
        true => format!("^b{target}"),
        false => format!("^b{target}({} : {})", values.join(", "), types.join(", ")),
    }
}

/// Returns whether a block without successors aborts.
fn aborts(block: usize) -> bool {
    block % 4 == 3
}

/// Returns a terminator with these edges, which returns or tests an integer, or tests a flag.
fn terminator(block: usize, edges: &[String], flag: &str, integer: &str) -> String {
    match edges {
        [] if aborts(block) => "  tfx_host.abort \"stop\"\n  tfx_host.unreachable\n".to_owned(),
        [] => format!("  return {integer} : i32\n"),
        [only] => format!("  cf.br {only}\n"),
        [yes, no] => format!("  cf.cond_br {flag}, {yes}, {no}\n"),
        [default, zero, last, ..] => {
            let cases = format!("default: {default}, 0: {zero}, -1: {last}");
            format!("  cf.switch {integer} : i32, [{cases}]\n")
        }
    }
}

pub(crate) fn pick(random: &mut Random, names: &[String]) -> String {
    names[random.below(names.len())].clone()
}

/// Returns a matrix: `[a][b]` is true if block b dominates block a. By iteration, for few blocks.
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

/// Returns whether a cycle has several entries: a back edge of a depth-first search leads to a
/// block that does not dominate its source.
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

/// Returns whether the last diagnostic since the previous call is about an infinite loop:
/// conditions of random functions may be constants.
pub(crate) fn reports_infinite_loop(collector: &Collector<'_>) -> bool {
    let diagnostics = collector.take();
    let last = diagnostics.last();
    last.is_some_and(|last| last.message.starts_with("this loop is infinite: "))
}

/// The foreign functions.
pub(crate) const DECLARATIONS: &str = "func.func private @observe(i32)
func.func private @decide() -> i1
func.func private @choose() -> i32
";

/// Parses functions and the declarations of foreign functions.
pub(crate) fn parse<'c>(context: &'c Context, program: &str) -> Module<'c> {
    let text = DECLARATIONS.to_owned() + program;
    module::parse(context, &text, "random.mlir").unwrap_or_else(|| panic!("invalid IR:\n{text}"))
}

/// Returns the functions of a module that have a body.
pub(crate) fn defined<'a>(module: &'a Module<'_>) -> Vec<Op<'a>> {
    let mut functions = module::as_op(module).collect(func::Func::NAME);
    functions.retain(|function| !function.is_declaration());
    functions
}
