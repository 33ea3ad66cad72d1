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
use tfx_dialects::types::is_generic;
use tfx_ir::diag::{self, Diagnostic, Diagnostics};
use tfx_ir::ops::func;
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

/// An operation that requests a derivative.
#[derive(Clone, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) op: Op<'a>,
    pub(crate) kind: Kind,
    /// The name of the differentiated function; none if it is that of a closure.
    pub(crate) callee: Option<&'a str>,
    pub(crate) closure: Option<Value<'a>>,
    pub(crate) arguments: Vec<Value<'a>>,
    /// The positions of the parameters among `arguments`.
    pub(crate) wrt: Vec<usize>,
    /// The tangents of these parameters, for [`Kind::Jvp`].
    pub(crate) tangents: Vec<Value<'a>>,
}

impl<'a> Request<'a> {
    /// Reads a request; none for any other operation.
    pub(crate) fn read(op: Op<'a>) -> Option<Self> {
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
        Some(Request {
            op,
            kind,
            callee,
            closure,
            arguments: arguments.to_vec(),
            wrt: wrt.iter().map(|&index| index as usize).collect(),
            tangents,
        })
    }
}

/// A request whose function is known.
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
    /// Reads a request; none for any other operation, and for a closure that is not made here.
    pub(crate) fn read(op: Op<'a>, symbols: &SymbolTable<'a>) -> Option<Self> {
        let request = Request::read(op)?;
        let (callee, captures) = match request.closure {
            Some(value) => {
                let closure = maker(value)?;
                (Some(closure.callee()), closure.captures().to_vec())
            }
            None => (request.callee, Vec::new()),
        };
        let callee = callee.and_then(|name| symbols.get(name));
        let wrt = request.wrt.iter().map(|&index| captures.len() + index);
        let wrt = wrt.collect();
        Some(Demand {
            op,
            kind: request.kind,
            callee: callee.expect("the verifier finds the callee"),
            wrt,
            arguments: [captures, request.arguments].concat(),
            tangents: request.tangents,
        })
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
        let demands = function.walk().filter_map(|op| Demand::read(op, symbols));
        requests.push(demands.collect());
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
pub(crate) fn references<'a>(functions: &[Op<'a>]) -> DiGraph<(), ()> {
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
