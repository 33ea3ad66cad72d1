//! What on the host depends on what was received: through data, through values that loops carry, and through conditions.
//!
//! ```text
//!   recv ──► operation ──► result ──► carried by a loop ──► send
//!               │
//!               └──► condition ──► results of the branch
//!                          └─────► the branch is taken ──► what is sent in there
//! ```
//!
//! A graph with a node for each value, each operation (so that many operands and many results cost their sum) and each region (whether it
//! runs). A breadth-first search from all receives at once gives each node its shortest chain from any of them. A foreign call depends
//! on all of its operands. Linear in the size of the function.

use std::collections::{HashMap, VecDeque};

use tfx_ir::{Op, Region, Value};

use crate::copy_analysis::end_of;

/// A node of the dependence graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node<'a> {
    Value(Value<'a>),
    /// What an operation computes from its operands.
    Op(Op<'a>),
    /// Whether, and how often, a region runs.
    Runs(Region<'a>),
}

/// What depends on the receives that it was made from.
pub(crate) struct Flow<'a> {
    nodes: HashMap<Node<'a>, usize>,
    list: Vec<Node<'a>>,
    /// The node before each reached one; a start is its own.
    before: Vec<Option<usize>>,
}

impl<'a> Flow<'a> {
    /// Searches `func` from the results of `receives`.
    pub(crate) fn from(func: Op<'a>, receives: impl Iterator<Item = Op<'a>>) -> Self {
        let mut graph = Graph::default();
        func.walk().skip(1).for_each(|op| graph.add(op));
        let starts: Vec<usize> = receives
            .map(|receive| graph.node(Node::Value(receive.result(0))))
            .collect();
        let before = graph.search(&starts);
        Flow {
            nodes: graph.nodes,
            list: graph.list,
            before,
        }
    }

    /// The shortest chain from a receive to what `send` sends, or to whether it sends; both ends included.
    pub(crate) fn chain_to(&self, send: Op<'a>) -> Option<Vec<Node<'a>>> {
        let value = Node::Value(send.operand(0));
        let runs = send.parent_region().map(Node::Runs);
        let mut at = [Some(value), runs]
            .into_iter()
            .flatten()
            .filter_map(|node| self.nodes.get(&node).copied())
            .find(|&node| self.before[node].is_some())?;
        let mut chain = vec![self.list[at]];
        while let Some(before) = self.before[at].filter(|&before| before != at) {
            at = before;
            chain.push(self.list[at]);
        }
        chain.reverse();
        Some(chain)
    }
}

#[derive(Default)]
struct Graph<'a> {
    nodes: HashMap<Node<'a>, usize>,
    list: Vec<Node<'a>>,
    edges: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn node(&mut self, node: Node<'a>) -> usize {
        *self.nodes.entry(node).or_insert_with(|| {
            self.list.push(node);
            self.edges.push(Vec::new());
            self.list.len() - 1
        })
    }

    fn edge(&mut self, from: Node<'a>, to: Node<'a>) {
        let (from, to) = (self.node(from), self.node(to));
        self.edges[from].push(to);
    }

    fn value_edge(&mut self, from: Value<'a>, to: Value<'a>) {
        self.edge(Node::Value(from), Node::Value(to));
    }

    fn add(&mut self, op: Op<'a>) {
        if op.num_regions() > 0 {
            self.nesting(op);
        }
        match op.name() {
            "scf.if" | "scf.index_switch" => self.branch(op),
            "scf.while" => self.while_loop(op),
            "scf.for" => self.for_loop(op),
            // The ends of regions are part of what they end; the others neither compute nor carry.
            "scf.yield" | "scf.condition" | "func.return" => {}
            "tfx_comm.start" | "tfx_comm.finish" | "tfx_comm.terminate" | "tfx_comm.send"
            | "tfx_comm.recv" => {}
            _ => self.plain(op),
        }
    }

    /// What is inside of a region runs if the region does.
    fn nesting(&mut self, op: Op<'a>) {
        let Some(around) = op.parent_region() else {
            return;
        };
        for region in op.regions() {
            self.edge(Node::Runs(around), Node::Runs(region));
        }
    }

    fn plain(&mut self, op: Op<'a>) {
        op.operands()
            .for_each(|operand| self.edge(Node::Value(operand), Node::Op(op)));
        if op.num_regions() > 0 {
            for operand in op.walk().skip(1).flat_map(Op::operands) {
                self.edge(Node::Value(operand), Node::Op(op));
            }
        }
        op.results()
            .for_each(|result| self.edge(Node::Op(op), Node::Value(result)));
    }

    /// A value by which `op` decides what its results are and whether its regions run.
    fn decides(&mut self, value: Value<'a>, op: Op<'a>) {
        op.results()
            .for_each(|result| self.value_edge(value, result));
        op.regions()
            .for_each(|region| self.edge(Node::Value(value), Node::Runs(region)));
    }

    fn branch(&mut self, op: Op<'a>) {
        self.decides(op.operand(0), op);
        for end in op.regions().filter_map(end_of) {
            end.operands()
                .zip(op.results())
                .for_each(|(from, to)| self.value_edge(from, to));
        }
    }

    fn while_loop(&mut self, op: Op<'a>) {
        let (before, after) = (op.region(0), op.region(1));
        let (Some(condition), Some(end)) = (end_of(before), end_of(after)) else {
            return;
        };
        let (Some(header), Some(body)) = (before.entry(), after.entry()) else {
            return;
        };
        self.decides(condition.operand(0), op);
        op.operands()
            .zip(header.arguments())
            .for_each(|(from, to)| self.value_edge(from, to));
        end.operands()
            .zip(header.arguments())
            .for_each(|(from, to)| self.value_edge(from, to));
        let carried: Vec<_> = condition.operands().skip(1).collect();
        carried
            .iter()
            .zip(body.arguments())
            .for_each(|(&from, to)| self.value_edge(from, to));
        carried
            .iter()
            .zip(op.results())
            .for_each(|(&from, to)| self.value_edge(from, to));
    }

    fn for_loop(&mut self, op: Op<'a>) {
        /// The lower bound, the upper bound and the step.
        const BOUNDS: usize = 3;
        let Some(body) = op.region(0).entry() else {
            return;
        };
        for bound in op.operands().take(BOUNDS) {
            self.decides(bound, op);
            self.value_edge(bound, body.argument(0));
        }
        let sources = [
            Some(op.operands().skip(BOUNDS).collect::<Vec<_>>()),
            body.last().map(|end| end.operands().collect()),
        ];
        for (index, from) in sources
            .into_iter()
            .flatten()
            .flat_map(|list| list.into_iter().enumerate())
        {
            self.value_edge(from, body.argument(index + 1));
            self.value_edge(from, op.result(index));
        }
    }

    /// The node before each one on a shortest chain from `starts`.
    fn search(&self, starts: &[usize]) -> Vec<Option<usize>> {
        let mut before = vec![None; self.list.len()];
        let mut queue = VecDeque::new();
        for &start in starts {
            if before[start].replace(start).is_none() {
                queue.push_back(start);
            }
        }
        while let Some(node) = queue.pop_front() {
            for &next in &self.edges[node] {
                if before[next].is_none() {
                    before[next] = Some(node);
                    queue.push_back(next);
                }
            }
        }
        before
    }
}
