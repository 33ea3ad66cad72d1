//! The check for infinite loops.
//!
//! ```text
//!   ^loop(%y): %z = tfx_tensor.op "Neg"(%y)      no exit and no observable effect: an error at
//!              cf.br ^loop(%z)                   the loop
//!
//!   ^loop:     %more = cmpi slt, %zero, %ten     the condition is constant, so the exit is never
//!              cf.cond_br %more, ^loop, ^exit    taken: an error at the branch
//!
//!   ^loop:     func.call @serve()                no exit, but the callee may print or end the
//!              cf.br ^loop                       process: accepted
//! ```
//!
//! # The rule
//!
//! A reachable loop is *infinite* if no edge that may be taken leaves it. An edge may be taken
//! unless a constant decides its branch otherwise; see `constants.rs`. An infinite loop is an error
//! unless an operation in it is observable or can end the program: a print, an assertion, an abort,
//! a transfer, or a call of anything but a graph function. Any other infinite loop would run
//! indefinitely, in the graph or on the host, without a visible sign.
//!
//! # Algorithm
//!
//! The strongly connected components without successors (Sharir, "A strong-connectivity algorithm",
//! 1981) in the graph of the edges that may be taken. Constants are only computed if there is a
//! loop all of whose exit branches might be decided by constants.
//!
//! Cost: linear in blocks, edges and operations. Not guaranteed: that a loop ever takes its exit.

use melior::ir::Attribute;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use tfx_dialects::replicable::is_eager;
use tfx_dialects::{host, tensor};
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{cf, func};
use tfx_ir::scalars::integer;
use tfx_ir::symbols::GRAPH_FUNCTION;
use tfx_ir::{Definition, Op, Value};

use crate::body::Body;
use crate::cfg::{BlockId, EdgeId};
use crate::constants::{Constants, condition};
use crate::loop_forest::{LoopForest, ROOT};

/// Accesses of variables, which deabstraction removes, are not observable.
const VARIABLES: [&str; 3] = [host::Var::NAME, host::Load::NAME, host::Store::NAME];

/// Rejects infinite loops. `never_return` is the result of `Cfg::never_return`.
pub(crate) fn check<'a>(
    body: &Body<'a>,
    forest: &LoopForest,
    never_return: &[bool],
) -> Result<(), Diagnostic<'a>> {
    if !body.cfg.can_always_end(never_return) {
        check_edges(body, forest, None)?;
    }
    match may_be_constant(body, forest) {
        true => check_edges(body, forest, Some(&Constants::of(body))),
        false => Ok(()),
    }
}

/// Returns whether the exit branches of some loop may all be decided by constants.
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
        // Loops are checked first, because inspecting operations costs more.
        let is_open = edges.clone().flat_map(left).any(|id| may_be[id]);
        if is_open && condition(body.terminator(block)).is_some_and(|value| varies(body, value)) {
            edges.flat_map(left).for_each(|id| may_be[id] = false);
        }
    }
    may_be.contains(&true)
}

/// Returns whether a value certainly varies, judged by the operations that compute it directly.
fn varies<'a>(body: &Body<'a>, value: Value<'a>) -> bool {
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

/// Rejects the infinite loops of the graph of the edges that may be taken.
fn check_edges<'a>(
    body: &Body<'a>,
    forest: &LoopForest,
    constants: Option<&Constants<'_, 'a>>,
) -> Result<(), Diagnostic<'a>> {
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
        reject(branch, decision.filter(|_| exit.is_some()), ops)?;
    }
    Ok(())
}

/// Returns whether an operation calls a function that becomes a graph. The module is only searched
/// for calls in cycles without an exit, which are few.
fn calls_graph_function(op: Op<'_>) -> bool {
    let is_graph = |call: func::Call<'_>| {
        let mut siblings = op.ancestor_of::<func::Func>()?.block()?.ops();
        let callee = siblings.find(|sibling| sibling.symbol_name() == Some(call.callee()))?;
        callee.attribute(GRAPH_FUNCTION)
    };
    func::Call::cast(op).and_then(is_graph).is_some()
}

/// Rejects a loop with these operations, at `branch`, unless one of them has an observable effect.
/// `decision` is the constant that decides the branch.
fn reject<'a>(
    branch: Op<'a>,
    decision: Option<Attribute<'a>>,
    ops: impl Iterator<Item = Op<'a>>,
) -> Result<(), Diagnostic<'a>> {
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
        None => "no branch leaves it",
        Some(_) if branch.isa::<cf::Switch>() => {
            "the switch that would leave it takes the same case in each iteration"
        }
        Some(0) => "its condition is false in each iteration",
        Some(_) => "its condition is true in each iteration",
    };
    let message = format!("this loop is infinite: {why}, and it has no observable effect");
    let mut error = diag::error(branch.location(), message);
    if let Some(op) = graph_operation {
        error = error.note(op.location(), "it runs this operation in each iteration");
    }
    let advice = "make the loop terminate; only a loop that prints, aborts or calls a host \
                  function may run indefinitely";
    Err(error.note(branch.location(), advice))
}
