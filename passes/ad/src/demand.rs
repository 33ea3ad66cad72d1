//! The derivatives that a program requests, in the order in which they are computed.
//!
//! ```text
//!   func @g { gradient @f }           level 0: the gradient of @f
//!   func @h { gradient @g }           level 1: the gradient of @g, which is ordinary code by then
//! ```
//!
//! The level of a request is greater than the levels of the requests in the functions that its
//! callee reaches. A request that its own callee reaches has no level: an error.
//!
//! Cost: linear in the functions and the references between them (Kosaraju's algorithm).

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use tfx_dialects::ad::AdOp;
use tfx_dialects::host;
use tfx_dialects::types::is_generic;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::{arith, func, scf};
use tfx_ir::symbols::{SymbolTable, for_each_symbol};
use tfx_ir::{Op, Value};

use crate::closures::maker;

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The gradient, and the result of the function if it is requested too.
    Gradient { value: bool },
    /// The results and the pullback.
    Vjp,
    /// The results and their tangents.
    Jvp,
}

/// A request for a derivative.
#[derive(Clone, Debug)]
pub(crate) struct Demand<'a> {
    pub(crate) op: Op<'a>,
    pub(crate) kind: Kind,
    /// The differentiated function.
    pub(crate) callee: Op<'a>,
    /// Its arguments; the captures of a closure come first.
    pub(crate) arguments: Vec<Value<'a>>,
    /// The positions of the parameters among `arguments`.
    pub(crate) wrt: Vec<usize>,
    /// The tangents of these parameters, for [`Kind::Jvp`].
    pub(crate) tangents: Vec<Value<'a>>,
}

impl<'a> Demand<'a> {
    /// Reads a request; none for any other operation.
    pub(crate) fn read(
        op: Op<'a>,
        symbols: &SymbolTable<'a>,
    ) -> Option<Result<Self, Diagnostic<'a>>> {
        let mut tangents = Vec::new();
        let (kind, callee, closure, arguments, wrt) = match AdOp::cast(op)? {
            AdOp::Gradient(op) => {
                let kind = Kind::Gradient { value: op.value() };
                (kind, op.callee(), op.closure(), op.arguments(), op.wrt())
            }
            AdOp::Vjp(op) => {
                let kind = Kind::Vjp;
                (kind, op.callee(), op.closure(), op.arguments(), op.wrt())
            }
            AdOp::Jvp(op) => {
                tangents = op.tangents().to_vec();
                let kind = Kind::Jvp;
                (kind, op.callee(), op.closure(), op.arguments(), op.wrt())
            }
            _ => return None,
        };
        let (callee, captures) = match closure {
            Some(value) => match maker(value) {
                Some(closure) => (Some(closure.callee()), closure.captures().to_vec()),
                None => return Some(Err(unknown_closure(op, value))),
            },
            None => (callee, Vec::new()),
        };
        let callee = callee.and_then(|name| symbols.get(name));
        let wrt = wrt.iter().map(|&index| captures.len() + index as usize);
        Some(Ok(Demand {
            op,
            kind,
            callee: callee.expect("the verifier finds the callee"),
            wrt: wrt.collect(),
            arguments: captures.into_iter().chain(arguments.iter()).collect(),
            tangents,
        }))
    }
}

fn unknown_closure<'a>(op: Op<'a>, closure: Value<'a>) -> Diagnostic<'a> {
    diag::error(
        op.location(),
        "cannot differentiate this closure: its function is not known here",
    )
    .note(closure.location(), "the closure comes from here")
    .note(op.location(), to_write(closure))
}

/// Returns what to write instead of a closure that is not known.
fn to_write(closure: Value<'_>) -> &'static str {
    match closure.defining_op().map(Op::name) {
        None => "make this function private, and pass a closure to each call, or name the function",
        Some(arith::Select::NAME | scf::If::NAME | scf::IndexSwitch::NAME) => {
            "differentiate in each branch, or name the function"
        }
        Some(host::Load::NAME) => "do not keep the closure in a variable, or name the function",
        Some(func::Call::NAME | host::Apply::NAME | host::DynamicCall::NAME) => {
            "return what the closure captures, and make the closure here, or name the function"
        }
        Some(_) => "make the closure in the function that differentiates it, or name the function",
    }
}

/// Returns the operations that request derivatives by level, the innermost first.
pub(crate) fn levels<'a>(symbols: &SymbolTable<'a>) -> Result<Vec<Vec<Op<'a>>>, Diagnostics<'a>> {
    let functions: Vec<_> = symbols
        .ops()
        .filter(|op| op.isa::<func::Func>() && !is_generic(*op))
        .collect();
    let mut errors = Diagnostics::default();
    let mut requests: Vec<Vec<Demand<'a>>> = Vec::new();
    for function in &functions {
        let mut of_function = Vec::new();
        for read in function.walk().filter_map(|op| Demand::read(op, symbols)) {
            match read {
                Ok(demand) => of_function.push(demand),
                Err(error) => errors.push(error),
            }
        }
        requests.push(of_function);
    }
    let graph = references(&functions);
    let nodes: FxHashMap<_, _> = functions
        .iter()
        .copied()
        .zip(graph.node_indices())
        .collect();
    let mut levels: Vec<Vec<Op<'a>>> = Vec::new();
    let mut component_of = vec![0; functions.len()];
    // The requests of the functions that a function reaches are below this level.
    let mut height = vec![0; functions.len()];
    for (number, component) in kosaraju_scc(&graph).into_iter().enumerate() {
        component
            .iter()
            .for_each(|node| component_of[node.index()] = number + 1);
        let reached = component.iter().flat_map(|&node| graph.neighbors(node));
        let mut top = reached.map(|node| height[node.index()]).max().unwrap_or(0);
        for demand in component.iter().flat_map(|node| &requests[node.index()]) {
            let callee = nodes[&demand.callee].index();
            if component_of[callee] == number + 1 {
                errors.push(circular(demand));
            }
            let level = height[callee];
            levels.resize_with(levels.len().max(level + 1), Vec::new);
            levels[level].push(demand.op);
            top = top.max(level + 1);
        }
        component.iter().for_each(|node| height[node.index()] = top);
    }
    errors.finish()?;
    Ok(levels)
}

/// Returns the functions as nodes, with an edge from each to those that it refers to.
fn references<'a>(functions: &[Op<'a>]) -> DiGraph<(), ()> {
    let mut graph = DiGraph::new();
    let mut nodes: FxHashMap<&str, NodeIndex> = FxHashMap::default();
    for function in functions {
        let node = graph.add_node(());
        nodes.insert(function.symbol_name().unwrap_or_default(), node);
    }
    for (function, node) in functions.iter().zip(graph.node_indices()) {
        for op in function.walk() {
            for_each_symbol(op, |name| {
                if let Some(target) = nodes.get(name) {
                    graph.add_edge(node, *target, ());
                }
            });
        }
    }
    graph
}

fn circular<'a>(demand: &Demand<'a>) -> Diagnostic<'a> {
    let name = demand.callee.symbol_name().unwrap_or_default();
    diag::error(
        demand.op.location(),
        format!("cannot differentiate '@{name}' here: '@{name}' itself needs this derivative"),
    )
    .note(demand.callee.location(), "the function is defined here")
}
