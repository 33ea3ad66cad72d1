//! What on the host depends on what was received: through data, through values that loops carry, through conditions, and through memory.
//!
//! ```text
//!   recv ──► operation ──► result ──► carried by a loop ──► send
//!               │
//!               └──► condition ──► results of the branch
//!                          └─────► the branch is taken ──► what is sent in there
//! ```
//!
//! Memory is what objects, variables, closures and foreign functions share. A field of a class is one node, whichever object it is of; a
//! variable is the value that is its reference; what a closure or an existential holds is the closure; the state of foreign functions is a
//! node for each use. What is given such a value may read and change what it holds, and what can be reached from there through the fields of classes;
//! values that may be the same thing hold the same. Memory has no order: what is stored later in a trip is read earlier in the next. The states of
//! foreign functions have one: see `versions.rs`.
//!
//! A graph with a node for each value, each operation (so that many operands and many results cost their sum) and each region (whether it
//! runs). A breadth-first search from all receives at once gives each node its shortest chain from any of them, and with it what is shown of
//! that chain, so that long chains cost no more than short ones. A foreign call depends on all of its operands. Linear in the size of the
//! function, and for each object that is given away in the number of classes that its fields lead to.
//!
//! What functions that stay calls have received from graphs of their own, and are given by their callers, is where a search starts, too: see `calls.rs`.
//!
//! Not seen: what a closure or an existential does to an object that it was not given here or with a graph of its own, and the order of accesses outside of loops.

use std::collections::VecDeque;
use tfx_dialects::{comm, host, tensor};
use tfx_ir::ops::{func, scf};

use melior::ir::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::types::{HostType, class_of, host_type};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Region, Value, location};

use crate::classes::Classes;
use crate::foreign::Foreign;
use crate::program::end_of;
use crate::versions::{Edge, Version, Versions};

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
    /// What foreign functions keep under a name, at some point.
    State(Version<'a>),
    /// All that memory holds when the function is called.
    Memory,
}

impl Node<'_> {
    /// Whether it is something that a user wrote, and not only a name for it.
    fn is_step(&self) -> bool {
        match self {
            // A scalar and a tensor of rank 0 are one thing to a user.
            Node::Op(op) => {
                let is_name =
                    matches!(op.name(), tensor::FromScalar::NAME | tensor::ToScalar::NAME);
                !is_name && !location::is_made(op.location())
            }
            Node::Runs(_) => true,
            _ => false,
        }
    }
}

/// How many steps of a chain are shown: enough to see the way, few enough to be read.
pub(crate) const STEPS: usize = 4;

/// Where something that was received comes into a function.
#[derive(Clone, Copy)]
pub(crate) struct Start<'a> {
    /// What holds it.
    pub(crate) node: Node<'a>,
    /// The operation of the function that it comes from: the receive itself, or a call; none for an argument.
    pub(crate) here: Option<Op<'a>>,
    /// Where it was received, which may be in another function.
    pub(crate) receive: Op<'a>,
}

/// A round trip: from a receive over host code to a send.
pub(crate) struct Trip<'a> {
    /// Where it leaves the accelerator.
    pub(crate) receive: Op<'a>,
    /// Where it comes into the function of the send, if it is not an argument of that.
    pub(crate) here: Option<Op<'a>>,
    /// The first steps of the way, up to [`STEPS`].
    pub(crate) steps: Vec<Node<'a>>,
    /// The step after those.
    pub(crate) more: Option<Node<'a>>,
    /// The first access to memory on the way.
    pub(crate) memory: Option<Op<'a>>,
}

/// What depends on the receives that it was made from.
pub(crate) struct Flow<'a> {
    nodes: FxHashMap<Node<'a>, usize>,
    list: Vec<Node<'a>>,
    edges: Vec<Vec<usize>>,
    reached: Vec<Option<Reached>>,
    starts: Vec<Start<'a>>,
}

/// The shortest chain to a node, as far as it is shown.
#[derive(Clone, Copy)]
struct Reached {
    /// The start that it comes from.
    origin: usize,
    /// The last step that is shown, or the one after it; the node itself if it is one.
    step: Option<usize>,
    /// How many steps there are up to `step`.
    count: usize,
    /// The step before `step`.
    before: Option<usize>,
    memory: Option<usize>,
}

impl<'a> Flow<'a> {
    /// Searches `func` from `starts`.
    pub(crate) fn from(
        func: Op<'a>,
        starts: Vec<Start<'a>>,
        symbols: &SymbolTable<'a>,
        foreign: &Foreign<'a>,
    ) -> Self {
        let mut graph = Graph {
            nodes: FxHashMap::default(),
            list: Vec::new(),
            edges: Vec::new(),
            classes: Classes::new(symbols),
            foreign,
            versions: Versions::default(),
        };
        graph.given(func);
        func.walk().skip(1).for_each(|op| graph.add(op));
        // All loops are left.
        let edges = graph.versions.at(func);
        graph.version_edges(edges);
        let reached = graph.search(&starts);
        Flow {
            nodes: graph.nodes,
            list: graph.list,
            edges: graph.edges,
            reached,
            starts,
        }
    }

    /// A receive that what a node stands for may come from.
    pub(crate) fn reaches(&self, node: Node<'a>) -> Option<Op<'a>> {
        let node = self.nodes.get(&node)?;
        self.reached[*node].map(|reached| self.starts[reached.origin].receive)
    }

    /// A receive that what `call` may read from memory may come from.
    pub(crate) fn reaches_memory_of(&self, call: Op<'a>, foreign: &Foreign<'a>) -> Option<Op<'a>> {
        let given = call.operands().any(|operand| holds_memory(operand.ty()));
        let reads = given || !foreign.states_of(call).is_empty();
        reads.then(|| self.reaches(Node::Op(call)))?
    }

    /// A receive that something in memory which outlives `func` may come from.
    pub(crate) fn reaches_memory(&self, func: Op<'a>) -> Option<Op<'a>> {
        let body = func.region(0).entry();
        let outlives = |node: &Node<'a>| match *node {
            Node::Field(..) | Node::WritesAny(_) | Node::State(_) => true,
            Node::Value(value) => {
                let is_argument = value
                    .as_argument()
                    .is_some_and(|(block, _)| Some(block) == body);
                is_argument && holds_memory(value.ty())
            }
            _ => false,
        };
        let mut nodes = self.list.iter().zip(&self.reached);
        nodes.find_map(|(node, reached)| {
            let reached = reached.filter(|_| outlives(node))?;
            Some(self.starts[reached.origin].receive)
        })
    }

    /// The shortest way from a receive to what `send` sends, or else to whether it sends.
    pub(crate) fn trip_to(&self, send: Op<'a>) -> Option<Trip<'a>> {
        let reached = self.ends(send).find_map(|node| self.reached[node])?;
        let start = self.starts[reached.origin];
        let mut steps: Vec<Node<'a>> = Vec::new();
        let mut at = reached.step;
        while let Some(step) = at {
            steps.push(self.list[step]);
            // The call that a way starts with may itself be reached by another way.
            at = self.reached[step]
                .and_then(|reached| reached.before)
                .filter(|_| steps.len() < reached.count);
        }
        steps.reverse();
        let more = steps.split_off(steps.len().min(STEPS)).pop();
        let memory = reached.memory.and_then(|node| match self.list[node] {
            Node::Op(op) => Some(op),
            _ => None,
        });
        Some(Trip {
            receive: start.receive,
            here: start.here,
            steps,
            more,
            memory,
        })
    }

    /// What was received and has to do with what one of `sends` sends, or with whether it does: the other end of their round trips.
    pub(crate) fn leaves_for(&self, sends: impl Iterator<Item = Op<'a>>) -> FxHashSet<Op<'a>> {
        let mut backwards: Vec<Vec<usize>> = vec![Vec::new(); self.list.len()];
        for (from, onward) in self.edges.iter().enumerate() {
            onward.iter().for_each(|&to| backwards[to].push(from));
        }
        let mut seen = vec![false; self.list.len()];
        let mut todo: Vec<usize> = sends.flat_map(|send| self.ends(send)).collect();
        let mut found = FxHashSet::default();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            if let Node::Value(value) = self.list[node] {
                found.extend(value.defining_op().filter(|op| op.isa::<comm::Recv>()));
            }
            todo.extend(&backwards[node]);
        }
        found
    }

    /// What `send` sends, and whether it does.
    fn ends(&self, send: Op<'a>) -> impl Iterator<Item = usize> {
        let runs = send.parent_region().map(Node::Runs);
        let ends = [Some(Node::Value(send.operand(0))), runs];
        ends.into_iter()
            .flatten()
            .filter_map(|node| self.nodes.get(&node).copied())
    }
}

struct Graph<'f, 'a> {
    nodes: FxHashMap<Node<'a>, usize>,
    list: Vec<Node<'a>>,
    edges: Vec<Vec<usize>>,
    classes: Classes<'f, 'a>,
    foreign: &'f Foreign<'a>,
    versions: Versions<'a>,
}

impl<'a> Graph<'_, 'a> {
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

    fn version_edges(&mut self, edges: Vec<Edge<'a>>) {
        for (from, to) in edges {
            self.edge(Node::State(from), Node::State(to));
        }
    }

    /// What the arguments hold.
    fn given(&mut self, func: Op<'a>) {
        let arguments = func.region(0).entry().into_iter();
        for argument in arguments.flat_map(|body| body.arguments()) {
            if !holds_memory(argument.ty()) {
                continue;
            }
            self.edge(Node::Memory, Node::Value(argument));
            for class in self.classes.reached_by(argument.ty()) {
                self.edge(Node::Memory, Node::WritesAny(class));
            }
        }
    }

    fn add(&mut self, op: Op<'a>) {
        let again = self.versions.at(op);
        self.version_edges(again);
        if op.num_regions() > 0 {
            self.nesting(op);
        }
        match op.name() {
            scf::If::NAME | scf::IndexSwitch::NAME => self.branch(op),
            scf::While::NAME => self.while_loop(op),
            scf::For::NAME => self.for_loop(op),
            // The ends of regions are part of what they end; the others neither compute nor carry.
            scf::Yield::NAME | scf::Condition::NAME | func::Return::NAME => {}
            comm::Start::NAME
            | comm::Finish::NAME
            | comm::Terminate::NAME
            | comm::Send::NAME
            | comm::Recv::NAME => {}
            host::MemberRef::NAME => self.member(op),
            host::Load::NAME => {
                let place = self.place(op.operand(0));
                self.edge(place, Node::Op(op));
                self.results(op);
            }
            host::Store::NAME => {
                let place = self.place(op.operand(1));
                self.edge(Node::Value(op.operand(0)), Node::Op(op));
                self.edge(Node::Op(op), place);
                self.changes_if_it_runs(op);
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

    /// An operation uses a value, and what the value holds, which it may also change.
    fn uses(&mut self, op: Op<'a>, operand: Value<'a>, changes: bool) {
        self.edge(Node::Value(operand), Node::Op(op));
        if !holds_memory(operand.ty()) {
            return;
        }
        if changes {
            self.edge(Node::Op(op), Node::Value(operand));
        }
        for class in self.classes.reached_by(operand.ty()) {
            self.edge(Node::ReadsAny(class), Node::Op(op));
            if changes {
                self.edge(Node::Op(op), Node::WritesAny(class));
            }
        }
    }

    /// What memory holds, and what foreign functions keep, depends on whether an operation that changes it runs.
    fn changes_if_it_runs(&mut self, op: Op<'a>) {
        if let Some(around) = op.parent_region() {
            self.edge(Node::Runs(around), Node::Op(op));
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
        let known = self.foreign.called_by(op);
        let changes = known.is_none_or(|known| !known.pure);
        op.operands()
            .for_each(|operand| self.uses(op, operand, changes));
        if op.num_regions() > 0 {
            for operand in op.walk().skip(1).flat_map(Op::operands) {
                self.uses(op, operand, changes);
            }
        }
        self.results(op);
        let foreign = self.foreign;
        let states = foreign.states_of(op);
        for &state in states {
            let is_first = !self.versions.knows(state);
            let (before, after, edges) = self.versions.access(state);
            if is_first {
                self.edge(Node::Memory, Node::State(before));
            }
            self.version_edges(edges);
            self.edge(Node::State(before), Node::Op(op));
            self.edge(Node::Op(op), Node::State(after));
        }
        let changes_operand = |operand: Value<'a>| changes && holds_memory(operand.ty());
        if !states.is_empty() || op.operands().any(changes_operand) {
            self.changes_if_it_runs(op);
        }
        if op.isa::<host::New>()
            && let Some(class) = class_of(op.result(0).ty())
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

    /// The shortest chain from `starts` to each node.
    fn search(&mut self, starts: &[Start<'a>]) -> Vec<Option<Reached>> {
        // A call that something comes from is a step of the way.
        let starts: Vec<(usize, Option<usize>)> = starts
            .iter()
            .map(|start| {
                let call = start.here.filter(|op| !op.isa::<comm::Recv>());
                let call = call.map(|call| self.node(Node::Op(call)));
                (self.node(start.node), call)
            })
            .collect();
        let mut reached: Vec<Option<Reached>> = vec![None; self.list.len()];
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
            let from = reached[node].expect("what is in the queue was reached");
            for &next in &self.edges[node] {
                if reached[next].is_none() {
                    reached[next] = Some(self.onward(from, next));
                    queue.push_back(next);
                }
            }
        }
        reached
    }

    fn onward(&self, from: Reached, to: usize) -> Reached {
        let node = self.list[to];
        let accesses = |op: Op<'a>| matches!(op.name(), host::Load::NAME | host::Store::NAME);
        let memory = matches!(node, Node::Op(op) if accesses(op)).then_some(to);
        let mut onward = Reached {
            memory: from.memory.or(memory),
            ..from
        };
        // What comes after the first that is not shown is of no interest.
        if node.is_step() && from.count <= STEPS {
            onward.before = from.step;
            onward.step = Some(to);
            onward.count += 1;
        }
        onward
    }
}

/// The class and the field that a `member_ref` refers to.
pub(crate) fn field_of<'a>(op: Op<'a>) -> Option<(&'a str, &'a str)> {
    if !op.isa::<host::MemberRef>() {
        return None;
    }
    Some((class_of(op.operand(0).ty())?, op.string("field")?))
}

/// Whether values of a type may be changed through another name.
pub(crate) fn holds_memory(ty: Type<'_>) -> bool {
    match host_type(ty) {
        Some(HostType::Array(element)) => holds_memory(element),
        Some(
            HostType::Ref(_) | HostType::Closure(_) | HostType::Any(_) | HostType::Object { .. },
        ) => true,
        _ => false,
    }
}
