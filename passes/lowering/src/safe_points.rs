//! Safe points: places in the loops of the host at which a call within a process can be cancelled.
//!
//! ```text
//!   ^loop:                                ^loop:
//!     ...                           ──>     ...
//!     cf.cond_br %c, ^loop, ^done           call @tfx_poll(location)
//!                                           cf.cond_br %c, ^loop, ^done
//! ```
//!
//! Each cycle of a control-flow graph contains a retreating edge of a depth-first search, also in
//! irreducible code: an edge to a block that the search has entered and not left. A safe point
//! precedes each branch with such an edge. It reads one counter of the process.
//!
//! A function that can call itself, also through others, starts with a safe point that checks the
//! rest of the stack as well (`tfx_enter`). An indirect call reaches each function that is named
//! other than by a call:
//!
//! ```text
//!   @f ──call──► @g ──call──► @f        a cycle
//!   @h ──apply──► any ──► @k            closure @k, witness @k, ...
//! ```
//!
//! Cost: linear in the blocks, edges and symbols. Not covered: recursion through foreign functions.

use std::collections::HashMap;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::FxHashSet;
use tfx_dialects::host;
use tfx_ir::ops::func;
use tfx_ir::symbols::for_each_symbol;
use tfx_ir::{Block, Builder, Op};

use crate::calls::Calls;

/// Returns the functions of a module that can call themselves, before they are lowered.
pub(crate) fn recursive<'a>(module: Op<'a>) -> FxHashSet<Op<'a>> {
    let mut graph: DiGraph<Option<Op<'a>>, ()> = DiGraph::new();
    let any = graph.add_node(None);
    let mut nodes = HashMap::new();
    for function in module.children().filter(|op| op.isa::<func::Func>()) {
        if let Some(name) = function.symbol_name() {
            nodes.insert(name, graph.add_node(Some(function)));
        }
    }
    for child in module.children() {
        let from = child
            .symbol_name()
            .and_then(|name| nodes.get(name))
            .copied();
        for op in child.walk() {
            let caller = match func::Call::cast(op) {
                Some(_) => from.unwrap_or(any),
                None => any,
            };
            for_each_symbol(op, |name| {
                if let Some(callee) = nodes.get(name) {
                    graph.update_edge(caller, *callee, ());
                }
            });
            if op.isa::<host::Apply>() || op.isa::<host::DynamicCall>() {
                graph.update_edge(from.unwrap_or(any), any, ());
            }
        }
    }
    let calls_itself =
        |component: &Vec<_>| component.len() > 1 || graph.contains_edge(component[0], component[0]);
    let cycles = kosaraju_scc(&graph).into_iter().filter(calls_itself);
    cycles.flatten().filter_map(|node| graph[node]).collect()
}

/// Inserts the safe points of functions whose control flow consists of blocks.
pub(crate) fn insert<'a>(
    functions: &[func::Func<'a>],
    recursive: &FxHashSet<Op<'a>>,
    calls: &mut Calls<'a>,
) {
    for function in functions {
        let entry = function.body().entry();
        for branch in entry.map(retreating_branches).unwrap_or_default() {
            let location = calls.location(branch);
            calls.call(&mut Builder::before(branch), "tfx_poll", &[location]);
        }
        if let Some(first) = entry.and_then(Block::first)
            && recursive.contains(&function.op())
        {
            let location = calls.location(first);
            calls.call(&mut Builder::before(first), "tfx_enter", &[location]);
        }
    }
}

/// The state of a block in the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Entered,
    Left,
}

/// Returns the terminators with a retreating edge, in the order in which the search leaves their
/// blocks.
fn retreating_branches(entry: Block<'_>) -> Vec<Op<'_>> {
    let mut visits = HashMap::from([(entry, Visit::Entered)]);
    let mut branches = Vec::new();
    // The blocks on the current path, each with the number of its next successor, and whether it
    // has a retreating edge.
    let mut path = vec![(entry, 0, false)];
    while let Some((block, next, retreats)) = path.last_mut() {
        let terminator = block.terminator();
        let successor = terminator.filter(|branch| *next < branch.num_successors());
        let Some(branch) = successor else {
            visits.insert(*block, Visit::Left);
            branches.extend(terminator.filter(|_| *retreats));
            path.pop();
            continue;
        };
        let successor = branch.successor(*next);
        *next += 1;
        match visits.get(&successor) {
            Some(Visit::Entered) => *retreats = true,
            Some(Visit::Left) => {}
            None => {
                visits.insert(successor, Visit::Entered);
                path.push((successor, 0, false));
            }
        }
    }
    branches
}
