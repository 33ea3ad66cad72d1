//! Loops that a graph could never leave.
//!
//! ```text
//!   ^loop(%y): %z = tfx_tensor.op "Neg"(%y)      no way out, and nothing that the host does:
//!              cf.br ^loop(%z)                   an error at the loop
//!
//!   ^loop:     func.call @serve()                no way out, but the host decides what happens:
//!              cf.br ^loop                       accepted
//! ```
//!
//! Control never comes back from a cycle that no edge leaves: a strongly connected component without successors (Sharir, A strong-connectivity
//! algorithm, 1981). Where such a one computes tensors and has no effect on the host, its graph would run for ever and nobody could
//! tell, so it is a mistake of the program. A print, an abort, or a call that is not one of a graph function inside makes it the host's affair.
//!
//! Cost: linear in blocks, edges and the operations of such cycles. Not guaranteed: that a cycle with an exit ever takes it.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use tfx_ir::pass::PassFailed;
use tfx_ir::replicable::is_eager;
use tfx_ir::symbols::GRAPH_FUNCTION;
use tfx_ir::{Op, diag};

use crate::body::Body;
use crate::loops::LoopForest;

/// What deabstraction removes is no effect that anybody sees.
const VARIABLES: [&str; 3] = ["tfx_host.var", "tfx_host.load", "tfx_host.store"];

/// Refuses the function if it has such a loop.
pub(crate) fn check(body: &Body<'_>, forest: &LoopForest) -> Result<(), PassFailed> {
    if body.cfg.always_may_end() {
        return Ok(());
    }
    let mut graph = DiGraph::<(), ()>::with_capacity(body.cfg.num_blocks(), body.cfg.num_edges());
    for _ in 0..body.cfg.num_blocks() {
        graph.add_node(());
    }
    for &block in &forest.order {
        for edge in body.cfg.edges(block) {
            let target = body.cfg.target(edge);
            graph.add_edge(NodeIndex::new(block), NodeIndex::new(target), ());
        }
    }
    let mut component_of = vec![0; body.cfg.num_blocks()];
    let components = kosaraju_scc(&graph);
    for (number, component) in components.iter().enumerate() {
        component
            .iter()
            .for_each(|node| component_of[node.index()] = number);
    }
    for (number, component) in components.iter().enumerate() {
        let mut edges = component.iter().flat_map(|&node| graph.neighbors(node));
        let is_cycle = component
            .iter()
            .any(|&node| graph.neighbors(node).next().is_some());
        if is_cycle && edges.all(|target| component_of[target.index()] == number) {
            let first = component.iter().map(|node| node.index()).min();
            let first = first.expect("a component has a block");
            let ops = component
                .iter()
                .flat_map(|node| body.blocks[node.index()].ops());
            refuse(body.terminator(first), ops)?;
        }
    }
    Ok(())
}

/// Whether an operation calls a function that will be a graph. Only cycles without an exit ask, so the module is looked through for few calls;
/// nothing changes names and marks of functions while this pass runs.
fn calls_graph_function(op: Op<'_>) -> bool {
    let callee = || {
        let mut siblings = op.ancestor("func.func")?.block()?.ops();
        let symbol = op.symbol("callee")?;
        siblings.find(|sibling| sibling.symbol_name() == Some(symbol))
    };
    op.is("func.call") && callee().is_some_and(|func| func.attribute(GRAPH_FUNCTION).is_some())
}

/// An error at `branch` where the operations are graph code that the host has no part in.
fn refuse<'a>(branch: Op<'a>, ops: impl Iterator<Item = Op<'a>>) -> Result<(), PassFailed> {
    let mut graph_operation = None;
    for op in ops.flat_map(Op::walk) {
        let calls_graph = calls_graph_function(op);
        let is_graph = calls_graph || op.dialect() == "tfx_tensor" && !is_eager(op);
        if calls_graph || op.is("tfx_tensor.op") && is_graph {
            graph_operation.get_or_insert(op);
        }
        if !is_graph && op.num_successors() == 0 && !op.is_pure() && !VARIABLES.contains(&op.name())
        {
            return Ok(());
        }
    }
    let Some(op) = graph_operation else {
        return Ok(());
    };
    let message =
        "this loop never ends, and the host has no part in it: its graph would run for ever";
    Err(diag::error(branch.location(), message)
        .note(op.location(), "it runs this operation in every trip")
        .note(
            branch.location(),
            "give the loop an exit, or let the host decide inside of it",
        )
        .fail())
}
