//! The dependence graph of a host function: data, iteration arguments, conditions and memory.
//!
//! ```text
//!   recv ──► operation ──► result ──► iteration argument ──► send
//!               │
//!               └──► condition ──► results of the branch
//!                          └─────► the region is executed ──► sends in it
//! ```
//!
//! The graph has a node for each value, each operation (so that many operands and many results cost
//! their sum, not their product) and each region (its execution). A foreign call depends on all of
//! its operands.
//!
//! Memory is the contents of objects, variables, closures and the states of foreign functions. A
//! field of a class is one node for all objects. A variable is the value of its reference. Captured
//! values and the contents of an existential belong to the value of the closure or existential. An
//! operation that gets a value with memory may read and change its contents, and everything that is
//! reachable from there through fields of classes. Values that may alias have the same contents.
//! Accesses have no order, since a later store of an iteration is read in the next one. Only the
//! states of foreign functions are ordered (`versions.rs`).
//!
//! Cost: linear in the size of the function, and for each object that is passed to an operation the
//! number of classes that are reachable from it. Not modeled: what a closure or an existential does
//! to an object that this function did not pass to it, or with a graph of its own; the order of
//! accesses outside of loops.

use melior::ir::Type;
use rustc_hash::FxHashMap;
use tfx_dialects::comm::CommOp;
use tfx_dialects::host::{self, HostOp};
use tfx_dialects::tensor;
use tfx_dialects::types::{HostType, class_of, host_type};
use tfx_ir::ops::{Structured, func, scf};
use tfx_ir::symbols::SymbolTable;
use tfx_ir::{Op, Region, Value, location};

use crate::classes::Classes;
use crate::foreign::Foreign;
use crate::versions::{Edge, Version, Versions};

/// A node of the dependence graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Node<'a> {
    Value(Value<'a>),
    /// The computation of an operation.
    Op(Op<'a>),
    /// The execution of a region: whether, and how often.
    Executed(Region<'a>),
    /// The contents of a field of a class.
    Field(&'a str, &'a str),
    /// Any field of a class, for operations that may read all.
    ReadsAny(&'a str),
    /// Any field of a class, for operations that may write all.
    WritesAny(&'a str),
    /// A version of a state of foreign functions.
    State(Version<'a>),
    /// The contents of memory when the function is called.
    Memory,
}

impl Node<'_> {
    /// Returns whether the node is an operation or a decision of the source, which notes name.
    pub(crate) fn is_step(&self) -> bool {
        match self {
            // A scalar and a tensor of rank 0 are the same in the source.
            Node::Op(op) => !is_conversion(*op) && !location::is_made(op.location()),
            Node::Executed(_) => true,
            _ => false,
        }
    }
}

/// Returns whether an operation converts between a scalar and a tensor of rank 0.
pub(crate) fn is_conversion(op: Op<'_>) -> bool {
    op.isa::<tensor::FromScalar>() || op.isa::<tensor::ToScalar>()
}

/// The dependence graph of a function.
#[derive(Default)]
pub(crate) struct Dependences<'a> {
    /// The index of each node.
    pub(crate) index: FxHashMap<Node<'a>, usize>,
    pub(crate) nodes: Vec<Node<'a>>,
    /// For each node, the nodes that depend on it.
    pub(crate) edges: Vec<Vec<usize>>,
}

impl<'a> Dependences<'a> {
    pub(crate) fn of(func: Op<'a>, symbols: &SymbolTable<'a>, foreign: &Foreign<'a>) -> Self {
        let mut builder = Builder {
            graph: Dependences::default(),
            classes: Classes::new(symbols),
            foreign,
            versions: Versions::default(),
        };
        builder.arguments(func);
        func.walk().skip(1).for_each(|op| builder.add(op));
        // Leaves all loops.
        let edges = builder.versions.advance(func);
        builder.version_edges(edges);
        builder.graph
    }

    /// Returns the index of a node, and adds the node if it is new.
    pub(crate) fn node(&mut self, node: Node<'a>) -> usize {
        *self.index.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.edges.push(Vec::new());
            self.nodes.len() - 1
        })
    }
}

struct Builder<'f, 'a> {
    graph: Dependences<'a>,
    classes: Classes<'f, 'a>,
    foreign: &'f Foreign<'a>,
    versions: Versions<'a>,
}

impl<'a> Builder<'_, 'a> {
    fn edge(&mut self, from: Node<'a>, to: Node<'a>) {
        let (from, to) = (self.graph.node(from), self.graph.node(to));
        self.graph.edges[from].push(to);
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

    /// Arguments refer to memory of the caller.
    fn arguments(&mut self, func: Op<'a>) {
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
        let edges = self.versions.advance(op);
        self.version_edges(edges);
        if let Some(around) = op.parent_region() {
            for region in op.regions() {
                self.edge(Node::Executed(around), Node::Executed(region));
            }
        }
        if let Some(structured) = Structured::cast(op) {
            return self.structured(structured);
        }
        if let Some(comm) = CommOp::cast(op)
            && !matches!(
                comm,
                CommOp::ToHost(_) | CommOp::ToAccelerator(_) | CommOp::Copy(_)
            )
        {
            return;
        }
        match HostOp::cast(op) {
            Some(HostOp::MemberRef(member)) => self.member(member),
            Some(HostOp::Load(load)) => {
                let place = self.place(load.reference());
                self.edge(place, Node::Op(op));
                self.results(op);
            }
            Some(HostOp::Store(store)) => {
                let place = self.place(store.reference());
                self.edge(Node::Value(store.value()), Node::Op(op));
                self.edge(Node::Op(op), place);
                self.depends_on_execution(op);
            }
            // Terminators are handled with the operation around them.
            None if op.isa::<scf::Yield>()
                || op.isa::<scf::Condition>()
                || op.isa::<func::Return>() => {}
            _ => self.other(op),
        }
    }

    /// A reference to a field has the contents of the field, also where it is passed on.
    fn member(&mut self, member: host::MemberRef<'a>) {
        if let Some((class, field)) = field_of(member.op()) {
            let (field, reference) = (Node::Field(class, field), Node::Value(member.result()));
            self.edge(field, reference);
            self.edge(reference, field);
            self.edge(field, Node::ReadsAny(class));
            self.edge(Node::WritesAny(class), field);
        }
    }

    /// Returns the memory that a reference refers to.
    fn place(&self, reference: Value<'a>) -> Node<'a> {
        match reference.defining_op().and_then(field_of) {
            Some((class, field)) => Node::Field(class, field),
            None => Node::Value(reference),
        }
    }

    fn results(&mut self, op: Op<'a>) {
        for result in op.results() {
            self.edge(Node::Op(op), Node::Value(result));
            if holds_memory(result.ty()) {
                self.edge(Node::Value(result), Node::Op(op));
            }
        }
    }

    /// An operation uses a value and the memory of the value, which it may also change.
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

    /// The memory that an operation changes depends on whether the operation is executed.
    fn depends_on_execution(&mut self, op: Op<'a>) {
        if let Some(around) = op.parent_region() {
            self.edge(Node::Executed(around), Node::Op(op));
        }
    }

    /// Calls, and all other operations that compute results from operands.
    fn other(&mut self, op: Op<'a>) {
        let changes = !self.foreign.is_pure_call(op);
        for operand in op.operands() {
            self.uses(op, operand, changes);
        }
        if op.num_regions() > 0 {
            for operand in op.walk().skip(1).flat_map(Op::operands) {
                self.uses(op, operand, changes);
            }
        }
        self.results(op);
        let foreign = self.foreign;
        let states = foreign.states_of(op);
        for &state in states {
            let is_first = !self.versions.contains(state);
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
            self.depends_on_execution(op);
        }
        if let Some(new) = host::New::cast(op)
            && let Some(class) = class_of(new.object().ty())
        {
            self.edge(Node::Op(op), Node::WritesAny(class));
        }
    }

    fn structured(&mut self, structured: Structured<'a>) {
        let op = structured.op();
        if let Structured::For(view) = structured {
            for bound in [view.lower_bound(), view.upper_bound(), view.step()] {
                self.decides(bound, op);
                self.value_edge(bound, view.induction_variable());
            }
        }
        if let Some(condition) = structured.condition() {
            self.decides(condition, op);
        }
        for (index, from) in op.operands().enumerate() {
            for to in structured.entered_by(index) {
                self.value_edge(from, to);
            }
        }
        for end in op.regions().filter_map(Region::terminator) {
            for (index, from) in end.operands().enumerate() {
                for to in structured.left_by(end, index) {
                    self.value_edge(from, to);
                }
            }
        }
    }

    /// The results of `op` and the execution of its regions depend on `value`.
    fn decides(&mut self, value: Value<'a>, op: Op<'a>) {
        for result in op.results() {
            self.value_edge(value, result);
        }
        for region in op.regions() {
            self.edge(Node::Value(value), Node::Executed(region));
        }
    }
}

/// Returns the class and the field that a `member_ref` refers to.
pub(crate) fn field_of(op: Op<'_>) -> Option<(&str, &str)> {
    let member = host::MemberRef::cast(op)?;
    Some((class_of(member.object().ty())?, member.field()))
}

/// Returns whether values of a type may be changed through an alias.
pub(crate) fn holds_memory(ty: Type<'_>) -> bool {
    match host_type(ty) {
        Some(HostType::Array(element)) => holds_memory(element),
        Some(
            HostType::Ref(_) | HostType::Closure(_) | HostType::Any(_) | HostType::Object { .. },
        ) => true,
        _ => false,
    }
}
