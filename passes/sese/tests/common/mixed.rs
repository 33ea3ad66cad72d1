//! Functions with correlated branches: empty blocks, several branches on one value, constants that
//! are forwarded to a block and tested there or later, branches on constants.

use super::{Random, dominators, edge, head, pick, terminator};

/// The names of the integers and flags that are available in a block.
struct Available {
    integers: Vec<String>,
    flags: Vec<String>,
}

/// Returns the text of a function with these successors.
pub(crate) fn mixed_program(
    random: &mut Random,
    number: usize,
    successors: &[Vec<usize>],
) -> String {
    let blocks = successors.len();
    let dominators = dominators(successors);
    // The numbers of integers and flags.
    let arguments: Vec<(usize, usize)> = (0..blocks)
        .map(|block| match block {
            0 => (0, 0),
            _ => (random.below(3), random.below(2)),
        })
        .collect();
    let is_empty: Vec<bool> = (0..blocks).map(|_| random.below(2) == 0).collect();
    let mut text = format!("func.func @f{number}(%n: i32, %p: i1, %q: i1) -> i32 {{\n");
    text += "  %zero = arith.constant 0 : i32\n  %last = arith.constant -1 : i32\n  %no = arith.constant false\n  %yes = arith.constant true\n";
    for block in 0..blocks {
        let mut available = Available {
            integers: ["%n", "%zero", "%last"].map(str::to_owned).into(),
            flags: ["%p", "%q", "%no", "%yes"].map(str::to_owned).into(),
        };
        for dominator in (0..blocks).filter(|&other| dominators[block][other]) {
            let (integers, flags) = arguments[dominator];
            let integer = |index| format!("%a{dominator}_{index}");
            available.integers.extend((0..integers).map(integer));
            let flag = |index| format!("%b{dominator}_{index}");
            available.flags.extend((0..flags).map(flag));
            if !is_empty[dominator] && dominator != block {
                available.integers.push(format!("%v{dominator}"));
                available.flags.push(format!("%c{dominator}"));
            }
        }
        if block > 0 {
            text += &head(block, arguments[block]);
        }
        if !is_empty[block] {
            text += &operations(random, block, &mut available);
        }
        let (flag, integer) = (
            pick(random, &available.flags),
            pick(random, &available.integers),
        );
        let mut edges = Vec::new();
        for &target in &successors[block] {
            let (integers, flags) = arguments[target];
            let integer = |_| (pick(random, &available.integers), "i32");
            let mut values: Vec<_> = (0..integers).map(integer).collect();
            values.extend((0..flags).map(|_| (pick(random, &available.flags), "i1")));
            edges.push(edge(target, values));
        }
        text += &terminator(block, &edges, &flag, &integer);
    }
    text + "}\n"
}

/// Returns operations, some of kinds that the structurer inserts, too.
fn operations(random: &mut Random, block: usize, available: &mut Available) -> String {
    let (one, other) = (
        pick(random, &available.integers),
        pick(random, &available.integers),
    );
    let (flag, second) = (
        pick(random, &available.flags),
        pick(random, &available.flags),
    );
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
    available.integers.push(format!("%v{block}"));
    available.flags.push(format!("%c{block}"));
    match random.below(3) {
        0 => format!("  %v{block} = {value}\n  %c{block} = {test}\n"),
        1 => format!("  %c{block} = {test}\n  %v{block} = {value}\n  {show}\n"),
        _ => format!("  %v{block} = {value}\n  {show}\n  %c{block} = {test}\n"),
    }
}
