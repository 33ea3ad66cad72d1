//! What on the host depends on what was received: through data, through values that loops carry, through conditions, and through memory.
//!
//! ```text
//!   recv ──► operation ──► result ──► carried by a loop ──► send
//!               │
//!               └──► condition ──► results of the branch
//!                          └─────► the branch is taken ──► what is sent in there
//! ```
//!
//! Memory is what objects, variables and closures share. A field of a class is one node, whichever object it is of; a variable is the value that is
//! its reference; what a closure or an existential holds is the closure. What is given such a value may read and change what it holds, and values
//! that may be the same thing hold the same.
//!
//! A graph with a node for each value, each operation (so that many operands and many results cost their sum) and each region (whether it
//! runs). A breadth-first search from all receives at once gives each node its shortest chain from any of them. A foreign call depends
//! on all of its operands. Linear in the size of the function.
//!
//! Not seen: what a call does to an object that it was not given, but reaches through another one.

use std::collections::{HashMap, VecDeque};

use melior::ir::Type;
use tfx_dialects::types::{HostType, host_type};
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
    /// What a field of a class holds.
    Field(&'a str, &'a str),
    /// All fields of a class, for who may read any of them.
    ReadsAny(&'a str),
    /// All fields of a class, for who may write any of them.
    WritesAny(&'a str),
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
        if holds_memory(to.ty()) {
            self.edge(Node::Value(to), Node::Value(from));
        }
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
            "tfx_host.member_ref" => self.member(op),
            "tfx_host.load" => {
                let place = self.place(op.operand(0));
                self.edge(place, Node::Op(op));
                self.results(op);
            }
            "tfx_host.store" => {
                let place = self.place(op.operand(1));
                self.edge(Node::Value(op.operand(0)), Node::Op(op));
                self.edge(Node::Op(op), place);
            }
            _ => self.plain(op),
        }
    }

    /// A reference to a field holds what the field holds, wherever it goes.
    fn member(&mut self, op: Op<'a>) {
        if let Some((class, field)) = field_of(op) {
            let (field, reference) = (Node::Field(class, field), Node::Value(op.result(0)));
            self.edge(field, reference);
            self.edge(reference, field);
            self.edge(field, Node::ReadsAny(class));
            self.edge(Node::WritesAny(class), field);
        }
    }

    /// What a reference reads and writes.
    fn place(&mut self, reference: Value<'a>) -> Node<'a> {
        let field = reference.defining_op().and_then(field_of);
        field.map_or(Node::Value(reference), |(class, field)| {
            Node::Field(class, field)
        })
    }

    fn results(&mut self, op: Op<'a>) {
        for result in op.results() {
            self.edge(Node::Op(op), Node::Value(result));
            if holds_memory(result.ty()) {
                self.edge(Node::Value(result), Node::Op(op));
            }
        }
    }

    /// An operation uses a value, and what the value holds.
    fn uses(&mut self, op: Op<'a>, operand: Value<'a>) {
        self.edge(Node::Value(operand), Node::Op(op));
        if holds_memory(operand.ty()) {
            self.edge(Node::Op(op), Node::Value(operand));
        }
        if let Some(HostType::Object {
            declaration: class, ..
        }) = host_type(operand.ty())
        {
            self.edge(Node::ReadsAny(class), Node::Op(op));
            self.edge(Node::Op(op), Node::WritesAny(class));
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
        op.operands().for_each(|operand| self.uses(op, operand));
        if op.num_regions() > 0 {
            for operand in op.walk().skip(1).flat_map(Op::operands) {
                self.uses(op, operand);
            }
        }
        self.results(op);
        if op.is("tfx_host.new")
            && let Some(HostType::Object {
                declaration: class, ..
            }) = host_type(op.result(0).ty())
        {
            self.edge(Node::Op(op), Node::WritesAny(class));
        }
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

/// The class and the field that a `member_ref` refers to.
pub(crate) fn field_of<'a>(op: Op<'a>) -> Option<(&'a str, &'a str)> {
    if !op.is("tfx_host.member_ref") {
        return None;
    }
    match host_type(op.operand(0).ty())? {
        HostType::Object {
            declaration: class, ..
        } => Some((class, op.string("field")?)),
        _ => None,
    }
}

/// Whether values of a type may be changed through another name.
fn holds_memory(ty: Type<'_>) -> bool {
    match host_type(ty) {
        Some(HostType::Array(element)) => holds_memory(element),
        Some(
            HostType::Ref(_) | HostType::Closure(_) | HostType::Any(_) | HostType::Object { .. },
        ) => true,
        _ => false,
    }
}
