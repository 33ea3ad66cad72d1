//! Functions in which branches have to do with each other: blocks without operations, several branches on one value, constants that are
//! handed to a block and tested there or later, branches on constants.

use std::fmt::Write;

use super::{Random, dominators, pick};

/// What is visible in a block: names of integers, and of flags.
#[derive(Clone, Default)]
struct Visible {
    integers: Vec<String>,
    flags: Vec<String>,
}

/// The arguments of a block: how many integers, and how many flags.
type Arguments = (usize, usize);

/// The types of the arguments of a function: `%n: i32, %p: i1, %q: i1`.
pub(crate) const FLAGS: usize = 2;

/// A function of that shape as text, and whether it has operations in all blocks.
pub(crate) fn mixed_program(
    random: &mut Random,
    number: usize,
    successors: &[Vec<usize>],
) -> String {
    let blocks = successors.len();
    let dominators = dominators(successors);
    let arguments: Vec<Arguments> = (0..blocks)
        .map(|block| match block {
            0 => (0, 0),
            _ => (random.below(3), random.below(2)),
        })
        .collect();
    let is_empty: Vec<bool> = (0..blocks).map(|_| random.below(2) == 0).collect();
    let mut text = format!("func.func @f{number}(%n: i32, %p: i1, %q: i1) -> i32 {{\n");
    text += "  %zero = arith.constant 0 : i32\n  %last = arith.constant -1 : i32\n  %no = arith.constant false\n  %yes = arith.constant true\n";
    for block in 0..blocks {
        let mut visible = Visible {
            integers: ["%n", "%zero", "%last"].map(str::to_owned).into(),
            flags: ["%p", "%q", "%no", "%yes"].map(str::to_owned).into(),
        };
        for dominator in (0..blocks).filter(|&other| dominators[block][other]) {
            let (integers, flags) = arguments[dominator];
            let integer = |index| format!("%a{dominator}_{index}");
            visible.integers.extend((0..integers).map(integer));
            let flag = |index| format!("%b{dominator}_{index}");
            visible.flags.extend((0..flags).map(flag));
            if !is_empty[dominator] && dominator != block {
                visible.integers.push(format!("%v{dominator}"));
                visible.flags.push(format!("%c{dominator}"));
            }
        }
        if block > 0 {
            text += &head(block, arguments[block]);
        }
        if !is_empty[block] {
            text += &operations(random, block, &mut visible);
        }
        text += &terminator(random, block, &successors[block], &arguments, &visible);
    }
    text + "}\n"
}

fn head(block: usize, (integers, flags): Arguments) -> String {
    let integers = (0..integers).map(|index| format!("%a{block}_{index}: i32"));
    let flags = (0..flags).map(|index| format!("%b{block}_{index}: i1"));
    let list: Vec<String> = integers.chain(flags).collect();
    match list.is_empty() {
        true => format!("^b{block}:\n"),
        false => format!("^b{block}({}):\n", list.join(", ")),
    }
}

/// Operations of which some are of the kinds that the structurer makes, too.
fn operations(random: &mut Random, block: usize, visible: &mut Visible) -> String {
    let (one, other) = (
        pick(random, &visible.integers),
        pick(random, &visible.integers),
    );
    let (flag, second) = (pick(random, &visible.flags), pick(random, &visible.flags));
    let value = match random.below(3) {
        0 => format!("arith.select {flag}, {one}, {other} : i32"),
        1 => format!("arith.xori {one}, {other} : i32"),
        _ => format!("arith.addi {one}, {other} : i32"),
    };
    let test = match random.below(5) {
        0 => format!("arith.xori {flag}, {second} : i1"),
        1 => format!("arith.cmpi eq, {one}, {other} : i32"),
        2 => format!("arith.ori {flag}, {second} : i1"),
        _ => "func.call @decide() : () -> i1".to_owned(),
    };
    let show = format!("func.call @observe(%v{block}) : (i32) -> ()");
    visible.integers.push(format!("%v{block}"));
    visible.flags.push(format!("%c{block}"));
    match random.below(3) {
        0 => format!("  %v{block} = {value}\n  %c{block} = {test}\n"),
        1 => format!("  %c{block} = {test}\n  %v{block} = {value}\n  {show}\n"),
        _ => format!("  %v{block} = {value}\n  {show}\n  %c{block} = {test}\n"),
    }
}

fn terminator(
    random: &mut Random,
    block: usize,
    successors: &[usize],
    arguments: &[Arguments],
    visible: &Visible,
) -> String {
    let flag = pick(random, &visible.flags);
    let integer = pick(random, &visible.integers);
    let mut edge = |target: usize| {
        let (integers, flags) = arguments[target];
        let mut values: Vec<String> = (0..integers)
            .map(|_| pick(random, &visible.integers))
            .collect();
        values.extend((0..flags).map(|_| pick(random, &visible.flags)));
        let mut types = vec!["i32"; integers];
        types.extend(vec!["i1"; flags]);
        match values.is_empty() {
            true => format!("^b{target}"),
            false => format!("^b{target}({} : {})", values.join(", "), types.join(", ")),
        }
    };
    let mut text = String::new();
    match successors[..] {
        [] if block % 4 == 3 => text += "  tfx_host.abort \"stop\"\n  tfx_host.unreachable\n",
        [] => writeln!(text, "  return {integer} : i32").unwrap(),
        [only] => writeln!(text, "  cf.br {}", edge(only)).unwrap(),
        [yes, no] => {
            let (yes, no) = (edge(yes), edge(no));
            writeln!(text, "  cf.cond_br {flag}, {yes}, {no}").unwrap();
        }
        [first, second, third, ..] => {
            let edges = (edge(first), edge(second), edge(third));
            let cases = format!("default: {}, 0: {}, -1: {}", edges.0, edges.1, edges.2);
            writeln!(text, "  cf.switch {integer} : i32, [{cases}]").unwrap();
        }
    }
    text
}
