//! Loops that never end.
//!
//! ```text
//!   ^loop(%y): %z = tfx_tensor.op "Neg"(%y)      no branch leaves it, and nothing that the host does:
//!              cf.br ^loop(%z)                   an error at the loop
//!
//!   ^loop:     %go = cmpi slt, %zero, %hundred   its condition is a constant, so the branch that leaves it never
//!              cf.cond_br %go, ^loop, ^exit      does: an error at that branch
//!
//!   ^loop:     func.call @serve()                no way out, but the host decides what happens:
//!              cf.br ^loop                       accepted
//! ```
//!
//! # The rule
//!
//! A loop *never ends* if no edge leaves it that may be taken. An edge may be taken unless its branch decides by a constant: see
//! `constants.rs`. Such a loop is an error unless something in it can be observed, or can end the program: a print, an assertion, an
//! abort, a transfer, or a call of anything but a graph function, since what is called may print or end the process. A loop without
//! any of these would run indefinitely, in the graph or on the host, and nobody could tell. A loop that control cannot reach is none.
//!
//! # Algorithm
//!
//! Strongly connected components without successors (Sharir, A strong-connectivity algorithm, 1981), of the edges that may be taken. Constants
//! are looked for only where a loop has no branch out of it that decides by what is plainly no constant, such as the result of a call.
//!
//! Cost: linear in blocks, edges and operations. Not guaranteed: that a loop with an exit ever takes it.

use melior::ir::Attribute;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use tfx_dialects::replicable::is_eager;
use tfx_dialects::{host, tensor};
use tfx_ir::ops::{cf, func};
use tfx_ir::pass::PassFailed;
use tfx_ir::scalars::integer;
use tfx_ir::symbols::GRAPH_FUNCTION;
use tfx_ir::{Definition, Op, Value, diag};

use crate::body::Body;
use crate::cfg::{BlockId, EdgeId};
use crate::constants::Constants;
use crate::loops::{LoopForest, ROOT};

/// What deabstraction removes is no effect that anybody sees.
const VARIABLES: [&str; 3] = [host::Var::NAME, host::Load::NAME, host::Store::NAME];

/// Refuses the function if it has such a loop. `never_return` is that of its graph.
pub(crate) fn check(
    body: &Body<'_>,
    forest: &LoopForest,
    never_return: &[bool],
) -> Result<(), PassFailed> {
    if !body.cfg.always_may_end(never_return) {
        check_edges(body, forest, None)?;
    }
    match may_be_constant(body, forest) {
        true => check_edges(body, forest, Some(&Constants::of(body))),
        false => Ok(()),
    }
}

/// Whether there is a loop of which each branch out of it may decide by a constant.
fn may_be_constant(body: &Body<'_>, forest: &LoopForest) -> bool {
    let mut may_be = vec![true; forest.loops.len()];
    may_be[ROOT] = false;
    for &block in &forest.order {
        let edges = body.cfg.edges(block);
        if forest.loop_of[block] == ROOT || edges.len() < 2 {
            continue;
        }
        let left = |edge: EdgeId| {
            let to = forest.loop_of[body.cfg.target(edge)];
            forest
                .around(forest.loop_of[block])
                .take_while(move |&id| !forest.contains(id, to))
        };
        // Looking at operations costs more than looking at loops.
        let is_open = edges.clone().flat_map(left).any(|id| may_be[id]);
        if is_open && is_plainly_varying(body, body.terminator(block).operand(0)) {
            edges.flat_map(left).for_each(|id| may_be[id] = false);
        }
    }
    may_be.contains(&true)
}

/// Whether a value is no constant, as far as a look at what it is computed from tells.
fn is_plainly_varying<'a>(body: &Body<'a>, value: Value<'a>) -> bool {
    let is_given = |value: Value<'a>| match value.definition() {
        Definition::Argument(block, _) => block == body.blocks[0],
        Definition::Result(op, _) => {
            op.constant_value().is_none() && !matches!(op.dialect(), "arith" | "math" | "index")
        }
    };
    is_given(value)
        || value
            .defining_op()
            .is_some_and(|op| op.operands().any(is_given))
}

/// Looks at the loops that the edges make which may be taken.
fn check_edges<'a>(
    body: &Body<'a>,
    forest: &LoopForest,
    constants: Option<&Constants<'_, 'a>>,
) -> Result<(), PassFailed> {
    let is_taken = |edge: EdgeId| constants.is_none_or(|constants| constants.is_taken(edge));
    let mut graph = DiGraph::<(), ()>::with_capacity(body.cfg.num_blocks(), body.cfg.num_edges());
    for _ in 0..body.cfg.num_blocks() {
        graph.add_node(());
    }
    for &block in &forest.order {
        for edge in body.cfg.edges(block).filter(|&edge| is_taken(edge)) {
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
        if !is_cycle || !edges.all(|target| component_of[target.index()] == number) {
            continue;
        }
        let mut blocks: Vec<BlockId> = component.iter().map(|node| node.index()).collect();
        blocks.sort_unstable();
        let loops = blocks.iter().map(|&block| forest.loop_of[block]);
        let around = loops.reduce(|one, other| forest.common(one, other));
        let leaves = |block: &BlockId| {
            let mut targets = body.cfg.edges(*block).map(|edge| body.cfg.target(edge));
            targets.any(|to| !forest.contains(around.unwrap_or(ROOT), forest.loop_of[to]))
        };
        let exit = blocks.iter().copied().find(leaves);
        let branch = body.terminator(exit.unwrap_or(blocks[0]));
        let decision = constants.and_then(|constants| constants.decision(branch));
        let ops = blocks.iter().flat_map(|&block| body.blocks[block].ops());
        refuse(branch, decision.filter(|_| exit.is_some()), ops)?;
    }
    Ok(())
}

/// Whether an operation calls a function that will be a graph. Only cycles without an exit ask, so the module is looked through for few calls;
/// nothing changes names and marks of functions while this pass runs.
fn calls_graph_function(op: Op<'_>) -> bool {
    let callee = || {
        let mut siblings = op.ancestor(func::Func::NAME)?.block()?.ops();
        let symbol = op.symbol("callee")?;
        siblings.find(|sibling| sibling.symbol_name() == Some(symbol))
    };
    op.isa::<func::Call>() && callee().is_some_and(|func| func.attribute(GRAPH_FUNCTION).is_some())
}

/// An error at `branch` where the host has no part in the operations of a loop. The constant is what the branch decides by.
fn refuse<'a>(
    branch: Op<'a>,
    decision: Option<Attribute<'a>>,
    ops: impl Iterator<Item = Op<'a>>,
) -> Result<(), PassFailed> {
    let mut graph_operation = None;
    for op in ops.flat_map(Op::walk) {
        let calls_graph = calls_graph_function(op);
        let is_graph = calls_graph || op.dialect() == "tfx_tensor" && !is_eager(op);
        if calls_graph || op.isa::<tensor::Op>() && is_graph {
            graph_operation.get_or_insert(op);
        }
        if !is_graph && op.num_successors() == 0 && !op.is_pure() && !VARIABLES.contains(&op.name())
        {
            return Ok(());
        }
    }
    let why = match decision.and_then(integer) {
        None => "no branch leaves it".to_owned(),
        Some(_) if branch.isa::<cf::Switch>() => {
            "the switch that would leave it takes the same case in each iteration".to_owned()
        }
        Some(truth) => format!(
            "its condition is {} in each iteration",
            if truth == 0 { "false" } else { "true" }
        ),
    };
    let error = diag::error(
        branch.location(),
        format!("this loop never ends: {why}, and the host has no part in it"),
    );
    let error = match graph_operation {
        Some(op) => error.note(op.location(), "it runs this operation in each iteration"),
        None => error,
    };
    let advice = "let it end, or let the host decide inside of it: a loop that prints, aborts or calls a host function may run indefinitely";
    Err(error.note(branch.location(), advice).fail())
}
