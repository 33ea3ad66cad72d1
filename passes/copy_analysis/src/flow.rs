//! The values of a host function that depend on received values, with a shortest path to each.
//!
//! ```text
//!   receives, calls, arguments ──breadth-first search over the dependence graph──► every node
//! ```
//!
//! One search from all starting points gives each node its shortest path from any of them. A node
//! stores only the first steps of its path, which the notes of a diagnostic show, so long paths
//! cost no more than short ones. Functions that are not inlined add starting points (`calls.rs`).
//! Cost: linear in the dependence graph.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;
use tfx_dialects::{comm, host};
use tfx_ir::Op;
use tfx_ir::location::{Place, place};
use tfx_ir::symbols::SymbolTable;

use crate::dependences::{Dependences, Node, holds_memory};
use crate::foreign::Foreign;

/// The number of steps of a path that notes show.
const STEPS: usize = 4;

/// A point where a received value enters a function.
#[derive(Clone, Copy)]
pub(crate) struct Start<'a> {
    /// The node that holds the value.
    pub(crate) node: Node<'a>,
    /// The receive or the call of this function that the value comes from; none for an argument.
    pub(crate) here: Option<Op<'a>>,
    /// The receive, possibly in another function.
    pub(crate) receive: Op<'a>,
}

/// A round trip: from a receive through host code to a send.
pub(crate) struct RoundTrip<'a> {
    /// The receive.
    pub(crate) receive: Op<'a>,
    /// The operation of the sending function that the value comes from; none for an argument.
    pub(crate) here: Option<Op<'a>>,
    /// The first steps of the path, up to [`STEPS`].
    pub(crate) steps: Vec<Node<'a>>,
    /// The step after those.
    pub(crate) more: Option<Node<'a>>,
    /// The first access to memory on the path.
    pub(crate) memory: Option<Op<'a>>,
}

impl RoundTrip<'_> {
    /// Returns the places of the operations on the path, in order; none if not all are known.
    pub(crate) fn places(&self) -> Option<Vec<Place>> {
        let mut places = Vec::new();
        for node in &self.steps {
            match node {
                Node::Op(op) => places.push(place(op.location())?),
                Node::Executed(_) => return None,
                _ => {}
            }
        }
        places.dedup();
        (self.more.is_none() && places.len() > 1).then_some(places)
    }
}

/// The result of a search in one function.
pub(crate) struct Flow<'a> {
    graph: Dependences<'a>,
    reached: Vec<Option<Reached>>,
    starts: Vec<Start<'a>>,
}

/// The shortest path to a node, as far as it is shown.
#[derive(Clone, Copy)]
struct Reached {
    /// The start of the path.
    origin: usize,
    /// The last step that is shown, or the one after it; the node itself if it is a step.
    step: Option<usize>,
    /// The number of steps up to `step`.
    count: usize,
    /// The step before `step`.
    before: Option<usize>,
    /// The first access to memory.
    memory: Option<usize>,
}

impl<'a> Flow<'a> {
    /// Searches `func` from `starts`.
    pub(crate) fn new(
        func: Op<'a>,
        starts: Vec<Start<'a>>,
        symbols: &SymbolTable<'a>,
        foreign: &Foreign<'a>,
    ) -> Self {
        let mut graph = Dependences::of(func, symbols, foreign);
        Flow {
            reached: search(&mut graph, &starts),
            graph,
            starts,
        }
    }

    /// Returns a receive that `node` depends on.
    pub(crate) fn reaches(&self, node: Node<'a>) -> Option<Op<'a>> {
        let node = self.graph.index.get(&node)?;
        self.reached[*node].map(|reached| self.starts[reached.origin].receive)
    }

    /// Returns a receive that memory which `call` may read depends on.
    pub(crate) fn reaches_memory_of(&self, call: Op<'a>, foreign: &Foreign<'a>) -> Option<Op<'a>> {
        let has_memory = call.operands().any(|operand| holds_memory(operand.ty()));
        let reads = has_memory || !foreign.states_of(call).is_empty();
        reads.then(|| self.reaches(Node::Op(call)))?
    }

    /// Returns a receive that memory which outlives `func` depends on.
    pub(crate) fn reaches_memory(&self, func: Op<'a>) -> Option<Op<'a>> {
        let body = func.region(0).entry();
        let outlives = |node: &Node<'a>| match *node {
            Node::Field(..) | Node::WritesAny(_) | Node::State(_) => true,
            Node::Value(value) => {
                let argument = value.as_argument();
                argument.is_some_and(|(block, _)| Some(block) == body) && holds_memory(value.ty())
            }
            _ => false,
        };
        let mut nodes = self.graph.nodes.iter().zip(&self.reached);
        nodes.find_map(|(node, reached)| {
            let reached = reached.filter(|_| outlives(node))?;
            Some(self.starts[reached.origin].receive)
        })
    }

    /// Returns the shortest path from a receive to the value of `send`, or else to its execution.
    pub(crate) fn round_trip(&self, send: comm::Send<'a>) -> Option<RoundTrip<'a>> {
        let reached = self.targets(send).find_map(|node| self.reached[node])?;
        let start = self.starts[reached.origin];
        let mut steps: Vec<Node<'a>> = Vec::new();
        let mut at = reached.step;
        while let Some(step) = at {
            steps.push(self.graph.nodes[step]);
            // Another path may reach the call that this path starts with.
            at = self.reached[step]
                .and_then(|reached| reached.before)
                .filter(|_| steps.len() < reached.count);
        }
        steps.reverse();
        let more = steps.split_off(steps.len().min(STEPS)).pop();
        let memory = reached
            .memory
            .and_then(|node| match self.graph.nodes[node] {
                Node::Op(op) => Some(op),
                _ => None,
            });
        Some(RoundTrip {
            receive: start.receive,
            here: start.here,
            steps,
            more,
            memory,
        })
    }

    /// Returns the receives that the value or the execution of one of `sends` depends on: those at
    /// the other end of their round trips.
    pub(crate) fn sources_of(
        &self,
        sends: impl Iterator<Item = comm::Send<'a>>,
    ) -> FxHashSet<Op<'a>> {
        let mut backwards: Vec<Vec<usize>> = vec![Vec::new(); self.graph.nodes.len()];
        for (from, edges) in self.graph.edges.iter().enumerate() {
            edges.iter().for_each(|&to| backwards[to].push(from));
        }
        let mut seen = vec![false; self.graph.nodes.len()];
        let mut worklist: Vec<usize> = sends.flat_map(|send| self.targets(send)).collect();
        let mut found = FxHashSet::default();
        while let Some(node) = worklist.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            if let Node::Value(value) = self.graph.nodes[node] {
                found.extend(value.defining_op().filter(|op| op.isa::<comm::Recv>()));
            }
            worklist.extend(&backwards[node]);
        }
        found
    }

    /// Returns the nodes of the value of `send` and of its execution.
    fn targets(&self, send: comm::Send<'a>) -> impl Iterator<Item = usize> {
        let executed = send.parent_region().map(Node::Executed);
        let nodes = [Some(Node::Value(send.value())), executed];
        nodes
            .into_iter()
            .flatten()
            .filter_map(|node| self.graph.index.get(&node).copied())
    }
}

/// Finds the shortest path from `starts` to each node.
fn search<'a>(graph: &mut Dependences<'a>, starts: &[Start<'a>]) -> Vec<Option<Reached>> {
    // A call that a value comes from is a step of the path.
    let starts: Vec<(usize, Option<usize>)> = starts
        .iter()
        .map(|start| {
            let call = start.here.filter(|op| !op.isa::<comm::Recv>());
            let call = call.map(|call| graph.node(Node::Op(call)));
            (graph.node(start.node), call)
        })
        .collect();
    let mut reached: Vec<Option<Reached>> = vec![None; graph.nodes.len()];
    let mut queue = VecDeque::new();
    for (origin, (start, step)) in starts.into_iter().enumerate() {
        if reached[start].is_none() {
            reached[start] = Some(Reached {
                origin,
                step,
                count: usize::from(step.is_some()),
                before: None,
                memory: None,
            });
            queue.push_back(start);
        }
    }
    while let Some(node) = queue.pop_front() {
        let from = reached[node].expect("nodes in the queue are reached");
        for &next in &graph.edges[node] {
            if reached[next].is_none() {
                reached[next] = Some(extended(from, next, graph.nodes[next]));
                queue.push_back(next);
            }
        }
    }
    reached
}

/// Extends the path `from` by a node.
fn extended(from: Reached, index: usize, node: Node<'_>) -> Reached {
    let accesses = |op: Op<'_>| op.isa::<host::Load>() || op.isa::<host::Store>();
    let memory = matches!(node, Node::Op(op) if accesses(op)).then_some(index);
    let mut path = Reached {
        memory: from.memory.or(memory),
        ..from
    };
    // Only the first step that is not shown is kept.
    if node.is_step() && from.count <= STEPS {
        path.before = from.step;
        path.step = Some(index);
        path.count += 1;
    }
    path
}
