//! Decides which values of a loop its reversal takes from tapes, and which it computes again.
//!
//! ```text
//!   forward                                 needed      stored   again
//!   ^(%i, %h):
//!     %x = sitofp %i                        yes                  from the counter of the reversal
//!     %p = mulf %h, %x                      yes                  %h * %x
//!     %h' = sin %p     yields %h'           yes                  %h of the iteration after
//!                                           %h: yes     a tape
//! ```
//!
//! # Algorithm
//!
//! One level of loops at a time, the innermost first. A value that is needed is stored, or computed
//! by a *recipe* that needs other values:
//!
//! * its operation, if it is pure and cheap;
//! * the counter of the reversed loop, for integers that change by the same step;
//! * the tape of what the loop carries: a value that is yielded is the argument of the iteration
//!   after, which has been popped already.
//!
//! Each choice has a cost, and a minimum cut finds the cheapest choice for all values at once:
//!
//! ```text
//!   source ──∞──► needed ──store──► computed ──recipe──► sink
//!                    ▲                  │
//!                    └────────∞─────────┘  what the recipe needs
//! ```
//!
//! A cut edge `store` is a tape; a cut edge `recipe` is an operation of the reversed loop. A value
//! from outside of the loop is needed once, and counts as nearly free. It may be a value of a loop
//! around, whose level is decided later.
//!
//! Cost: linear in the loops, times the number of phases of Dinic's algorithm, which [`DEPTH`]
//! bounds.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use melior::ir::{Type, TypeLike};
use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, EdgeIndex, NodeIndex};
use petgraph::visit::EdgeRef;
use rustc_hash::FxHashMap;
use tfx_dialects::{ad, host, tensor};
use tfx_ir::diag;
use tfx_ir::ops::{arith, scf};
use tfx_ir::size::Size;
use tfx_ir::{Block, Builder, Mapping, Op, Value};

use crate::differentiate::{Keeping, Tape};
use crate::number::Values;
use crate::primal::{Key, Primals, Request, is_constant, shape_of, variable};
use crate::values;

/// The longest chain of recipes.
const DEPTH: usize = 8;

// The costs are those of the embedded executor, in units of about a nanosecond.

/// A push and a pop of a scalar.
const STORE_SCALAR: u64 = 24;
/// A push and a pop of a tensor, besides its bytes: two operations.
const STORE_TENSOR: u64 = 64;
/// An operation of a tensor, besides its elements.
const DISPATCH: u64 = 32;
/// An operation of scalars.
const SCALAR: u64 = 4;
/// A function of scalars, such as a sine.
const FUNCTION: u64 = 40;
/// An operation that costs more than its tape, if only bytes count.
const DEAR: u64 = 1 << 12;
/// The cost of a byte, if only bytes count: more than some dear operations.
const LEAST: u64 = 1 << 16;
/// A value from outside of the loop, or one that is carried anyway.
const NEARLY_FREE: u64 = 1;
/// The assumed size of an unknown dimension.
const UNKNOWN_SIZE: u64 = 16;
/// The most that a value counts, besides the cost of an operation.
const MOST_BYTES: u64 = 1 << 32;
/// More than all other costs together.
const NEVER: u64 = 1 << 62;

/// Operations of tensors that cost about as much as copying their results.
const CHEAP: [&str; 32] = [
    "Abs",
    "Add",
    "AddV2",
    "Cast",
    "Equal",
    "ExpandDims",
    "Fill",
    "Greater",
    "GreaterEqual",
    "Identity",
    "Less",
    "LessEqual",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "Maximum",
    "Minimum",
    "Mul",
    "Neg",
    "NotEqual",
    "OnesLike",
    "Rank",
    "Relu",
    "Reshape",
    "Select",
    "SelectV2",
    "Shape",
    "Sign",
    "Size",
    "Square",
    "Sub",
    "ZerosLike",
];

/// Provides all values that the reversal of a function has requested from loops.
pub(crate) fn settle<'a>(primals: &mut Primals<'a>, values: &Values<'a>, keeping: Keeping) {
    let mut order = BinaryHeap::new();
    let mut known = 0;
    loop {
        // Recipes request values of loops around, which come later.
        for level in known..primals.levels.len() {
            order.push((primals.levels[level].depth, Reverse(level)));
        }
        known = primals.levels.len();
        let Some((_, Reverse(index))) = order.pop() else {
            return;
        };
        let loop_ = primals.levels[index].loop_;
        let requests = primals.take_requests(index);
        let mut plan = Plan::new(loop_, keeping.tape);
        plan.explore(&requests, primals);
        let is_stored = plan.cut();
        if keeping.remarks {
            plan.report(&is_stored);
        }
        let mut settled = Settled {
            plan: &plan,
            values,
            anchors: FxHashMap::default(),
            clones: FxHashMap::default(),
            carried: FxHashMap::default(),
        };
        settled.build(&is_stored, primals);
        for request in requests {
            let value = primals.get(request.key, request.ty);
            request.placeholder.replace_all_uses_with(value);
            let undef = request.placeholder.defining_op();
            undef.expect("a placeholder is a result").erase();
        }
    }
}

/// A way to compute a value.
#[derive(Clone, Debug)]
enum Recipe<'a> {
    /// The operation that defines it.
    Operation(Op<'a>),
    /// The shape of another value.
    Shape(Value<'a>),
    /// An initial value plus the number of the iteration times a step.
    Affine { init: Value<'a>, step: Value<'a> },
    /// The argument at this position of the region after the condition, in the iteration after.
    Carried(usize),
}

/// A value of the loop.
struct Node<'a> {
    key: Key<'a>,
    ty: Type<'a>,
    is_needed: bool,
    recipe: Option<(Recipe<'a>, u64)>,
    /// The values of the loop that the recipe needs.
    from: Vec<usize>,
}

/// The values of one level of loops that are needed, or may be.
struct Plan<'a> {
    loop_: scf::While<'a>,
    tape: Tape,
    nodes: Vec<Node<'a>>,
    index: FxHashMap<Key<'a>, usize>,
}

impl<'a> Plan<'a> {
    fn new(loop_: Op<'a>, tape: Tape) -> Self {
        Plan {
            tape,
            loop_: scf::While::cast(loop_).expect("only these loops are reversed"),
            nodes: Vec::new(),
            index: FxHashMap::default(),
        }
    }

    /// Adds the needed values, and those that recipes need.
    fn explore(&mut self, requests: &[Request<'a>], primals: &Primals<'a>) {
        for request in requests {
            let index = self.node(request.key, request.ty);
            self.nodes[index].is_needed = true;
        }
        let (mut next, mut end) = (0, self.nodes.len());
        for _ in 0..DEPTH {
            for index in next..end {
                let Some((recipe, cost)) = self.recipe(self.nodes[index].key) else {
                    continue;
                };
                let mut outside = 0;
                for value in self.needs(&recipe) {
                    let key = Key::of(value);
                    if is_constant(value) || primals.is_available(key) {
                        continue;
                    }
                    match self.is_inside(value) {
                        true => {
                            let from = self.node(key, value.ty());
                            self.nodes[index].from.push(from);
                        }
                        false => outside += NEARLY_FREE,
                    }
                }
                self.nodes[index].recipe = Some((recipe, cost + outside));
            }
            (next, end) = (end, self.nodes.len());
        }
    }

    fn node(&mut self, key: Key<'a>, ty: Type<'a>) -> usize {
        if let Some(index) = self.index.get(&key) {
            return *index;
        }
        let index = self.nodes.len();
        self.index.insert(key, index);
        self.nodes.push(Node {
            key,
            ty,
            is_needed: false,
            recipe: None,
            from: Vec::new(),
        });
        index
    }

    /// Returns whether a value changes in the loop.
    fn is_inside(&self, value: Value<'a>) -> bool {
        let mut around = value.block().and_then(Block::parent);
        while let Some(op) = around {
            if op == self.loop_.op() {
                return true;
            }
            around = op.parent();
        }
        false
    }

    /// Returns the values that a recipe needs.
    fn needs(&self, recipe: &Recipe<'a>) -> Vec<Value<'a>> {
        match recipe {
            Recipe::Operation(op) => op.operands().collect(),
            Recipe::Shape(value) => vec![*value],
            Recipe::Affine { init, step } => vec![*init, *step],
            Recipe::Carried(position) => vec![self.after().argument(*position)],
        }
    }

    fn before(&self) -> Block<'a> {
        let block = self.loop_.before().entry();
        block.expect("a region of a loop has a block")
    }

    fn after(&self) -> Block<'a> {
        let block = self.loop_.after().entry();
        block.expect("a region of a loop has a block")
    }

    fn recipe(&self, key: Key<'a>) -> Option<(Recipe<'a>, u64)> {
        let value = match key {
            Key::Value(value) => value,
            Key::Shape(value) => return Some((Recipe::Shape(value), DISPATCH)),
            Key::Count(_) | Key::OfCall(..) => return None,
        };
        if let Some(position) = self.carried(value) {
            return Some((Recipe::Carried(position), NEARLY_FREE));
        }
        if is_saved(value) {
            return None;
        }
        match (value.defining_op(), value.as_argument()) {
            (Some(op), _) => Some((Recipe::Operation(op), self.cost(op)?)),
            (None, Some((block, position))) => Some((self.affine(block, position)?, 2 * SCALAR)),
            (None, None) => None,
        }
    }

    /// Returns the cost of computing the results of an operation again; none if it must not run
    /// again.
    fn cost(&self, op: Op<'a>) -> Option<u64> {
        match self.tape {
            Tape::Balanced => cost(op),
            Tape::Least => cost(op).or_else(|| is_repeatable(op).then_some(DEAR)),
            Tape::All => None,
        }
    }

    /// Returns the cost of a tape of values of a type, for each iteration.
    fn store(&self, ty: Type<'a>) -> u64 {
        match self.tape {
            Tape::Balanced | Tape::All => store(ty),
            Tape::Least => LEAST * bytes(ty),
        }
    }

    /// Returns the position of the argument after the condition that has the value of `value` in
    /// the iteration after, or in the same one for an argument before the condition.
    fn carried(&self, value: Value<'a>) -> Option<usize> {
        let argument = match value.as_argument() {
            Some((block, _)) if block == self.before() => value,
            Some(_) => return None,
            None => {
                let end = self.after().terminator()?;
                let mut yielded = end.operands();
                let position = yielded.position(|operand| Key::of(operand) == Key::Value(value))?;
                (value.block() == Some(self.after())).then(|| self.before().argument(position))?
            }
        };
        let end = self.loop_.end()?;
        end.args().iter().position(|operand| operand == argument)
    }

    /// Returns the recipe of an argument that changes by the same step in each iteration.
    fn affine(&self, block: Block<'a>, position: usize) -> Option<Recipe<'a>> {
        let end = self.loop_.end()?;
        let before = match block == self.after() {
            true => end.args().at(position),
            false => block.argument(position),
        };
        let (_, position) = before
            .as_argument()
            .filter(|(block, _)| *block == self.before())?;
        let yielded = self.after().terminator()?.operand(position);
        let add = arith::AddI::cast(yielded.defining_op()?)?;
        let (argument, step) = (add.lhs(), add.rhs());
        let (block, from) = argument.as_argument()?;
        let is_same = block == self.after() && end.args().at(from) == before;
        let is_fixed = is_constant(step) || !self.is_inside(step);
        let init = self.loop_.inits().at(position);
        let is_number = before.ty().is_integer() || before.ty().is_index();
        (is_same && is_fixed && is_number).then_some(Recipe::Affine { init, step })
    }

    /// Returns for each node whether it is stored; none if it is not needed.
    fn cut(&self) -> Vec<Option<bool>> {
        let mut graph: DiGraph<(), u64> = DiGraph::new();
        let (source, sink) = (graph.add_node(()), graph.add_node(()));
        let mut pair = || (graph.add_node(()), graph.add_node(()));
        let ends: Vec<(NodeIndex, NodeIndex)> = self.nodes.iter().map(|_| pair()).collect();
        for (node, &(needed, computed)) in self.nodes.iter().zip(&ends) {
            if node.is_needed {
                graph.add_edge(source, needed, NEVER);
            }
            graph.add_edge(needed, computed, self.store(node.ty));
            let cost = node.recipe.as_ref().map_or(NEVER, |(_, cost)| *cost);
            graph.add_edge(computed, sink, cost);
            for &from in &node.from {
                graph.add_edge(computed, ends[from].0, NEVER);
            }
        }
        let (_, flows) = dinics(&graph, source, sink);
        let reached = reachable(&graph, &flows, source);
        let choice = |&(needed, computed): &(NodeIndex, NodeIndex)| {
            reached[needed.index()].then(|| !reached[computed.index()])
        };
        ends.iter().map(choice).collect()
    }
}

impl<'a> Plan<'a> {
    /// Reports the values that are kept, and the operations that run again.
    fn report(&self, is_stored: &[Option<bool>]) {
        for (node, is_stored) in self.nodes.iter().zip(is_stored) {
            let message = match (is_stored, &node.recipe) {
                (Some(true), recipe) => {
                    let reason = match recipe {
                        Some(_) => "that costs less than to compute it again",
                        None if matches!(node.key, Key::Value(value) if is_saved(value)) => {
                            "'tfx_ad.save' marks it"
                        }
                        None if self.tape == Tape::All => "so says the option 'tape'",
                        None => "it is not the result of a cheap operation without effects",
                    };
                    let bytes = bytes(node.ty);
                    format!(
                        "the derivative keeps this value of each iteration, about {bytes} bytes: \
                         {reason}"
                    )
                }
                (Some(false), Some((Recipe::Operation(_), _))) => {
                    "the derivative computes this value again in each iteration: that costs less \
                     than to keep it"
                        .to_owned()
                }
                _ => continue,
            };
            let location = match node.key {
                Key::Value(value) | Key::Shape(value) => value.location(),
                Key::Count(op) | Key::OfCall(op, _) => op.location(),
            };
            diag::remark(location, message).emit();
        }
    }
}

/// Returns the nodes that the source reaches by edges with capacity left.
fn reachable(graph: &DiGraph<(), u64>, flows: &[u64], source: NodeIndex) -> Vec<bool> {
    let mut reached = vec![false; graph.node_count()];
    let mut todo = vec![source];
    let flow = |edge: EdgeIndex| flows[edge.index()];
    while let Some(node) = todo.pop() {
        if std::mem::replace(&mut reached[node.index()], true) {
            continue;
        }
        let onward = graph.edges_directed(node, petgraph::Outgoing);
        let onward = onward.filter(|edge| flow(edge.id()) < *edge.weight());
        todo.extend(onward.map(|edge| edge.target()));
        let back = graph.edges_directed(node, petgraph::Incoming);
        let back = back.filter(|edge| flow(edge.id()) > 0);
        todo.extend(back.map(|edge| edge.source()));
    }
    reached
}

/// Returns whether the user has marked a value: it is not computed again.
fn is_saved(value: Value<'_>) -> bool {
    value.uses().any(|place| place.owner.isa::<ad::Save>())
}

/// Returns whether an operation may run again.
fn is_repeatable(op: Op<'_>) -> bool {
    let dialects = ["arith", "math", "tfx_tensor"];
    op.num_regions() == 0 && op.is_pure() && dialects.contains(&op.dialect())
}

/// Returns the cost of computing the results of an operation again; none if it is dear.
pub(crate) fn cost(op: Op<'_>) -> Option<u64> {
    if !is_repeatable(op) {
        return None;
    }
    match tensor::Op::cast(op) {
        Some(view) if CHEAP.contains(&view.tf_name()) => {
            Some(DISPATCH + bytes(op.result(0).ty()) / 2)
        }
        Some(_) => None,
        None => match op.dialect() {
            "arith" => Some(SCALAR),
            "tfx_tensor" => Some(SCALAR),
            "math" => Some(FUNCTION),
            _ => None,
        },
    }
}

pub(crate) fn bytes(ty: Type<'_>) -> u64 {
    let Some(size) = Size::of(ty) else {
        return UNKNOWN_SIZE;
    };
    let unknown = size.unknown_dimensions.iter().map(|_| UNKNOWN_SIZE);
    unknown
        .fold(size.bytes, u64::saturating_mul)
        .min(MOST_BYTES)
}

/// Returns the cost of a tape of values of a type, for each iteration.
pub(crate) fn store(ty: Type<'_>) -> u64 {
    match ty.is_tensor() {
        true => STORE_TENSOR + bytes(ty),
        false => STORE_SCALAR,
    }
}

/// The code of the reversed loop for the values of a plan.
struct Settled<'p, 'a> {
    plan: &'p Plan<'a>,
    values: &'p Values<'a>,
    /// The operation of each block of the reversal before which its values are computed.
    anchors: FxHashMap<Block<'a>, Op<'a>>,
    clones: FxHashMap<Op<'a>, Op<'a>>,
    /// Variables with the arguments of the iteration after, by position.
    carried: FxHashMap<usize, Value<'a>>,
}

impl<'a> Settled<'_, 'a> {
    fn build(&mut self, is_stored: &[Option<bool>], primals: &mut Primals<'a>) {
        let nodes = self.plan.nodes.iter().zip(is_stored);
        let nodes: Vec<_> = nodes
            .filter_map(|(node, stored)| Some((node, (*stored)?)))
            .collect();
        for (node, _) in nodes.iter().filter(|(_, is_stored)| *is_stored) {
            let mut builder = self.builder(node.key, primals);
            primals.pop(node.key, node.ty, &mut builder);
        }
        let mut computed: Vec<_> = nodes.iter().filter(|(_, is_stored)| !is_stored).collect();
        // An operand comes before its uses. The shape of a value comes after the value.
        computed.sort_by_key(|(node, _)| match node.key {
            Key::Value(value) | Key::Shape(value) => {
                (self.values.id(value), matches!(node.key, Key::Shape(_)))
            }
            Key::Count(_) | Key::OfCall(..) => unreachable!("they are stored"),
        });
        for (node, _) in computed {
            let (recipe, _) = node.recipe.as_ref().expect("otherwise it is stored");
            let value = self.compute(node, recipe, primals);
            primals.provide(node.key, value);
        }
        let positions: BTreeSet<usize> = self.carried.keys().copied().collect();
        for position in positions {
            let argument = self.plan.after().argument(position);
            let value = primals.value(argument);
            let mut builder = self.builder(Key::Value(argument), primals);
            host::Store::build(&mut builder, value, self.carried[&position]);
        }
    }

    /// Returns a builder at the place of the values of a block in its reversal.
    fn builder(&mut self, key: Key<'a>, primals: &Primals<'a>) -> Builder<'a> {
        let mirror = primals.mirror(key.home());
        let first = || {
            let mut ops = mirror.ops();
            let first = ops.find(|op| !op.isa::<host::Undef>());
            first.expect("a region ends with a terminator")
        };
        let anchor = *self.anchors.entry(mirror).or_insert_with(first);
        Builder::before(anchor)
    }

    fn compute(
        &mut self,
        node: &Node<'a>,
        recipe: &Recipe<'a>,
        primals: &mut Primals<'a>,
    ) -> Value<'a> {
        let mut builder = self.builder(node.key, primals);
        match recipe {
            Recipe::Operation(op) => {
                let Key::Value(value) = node.key else {
                    unreachable!("only values have operations")
                };
                let position = op.results().position(|result| result == value);
                let position = position.expect("the operation defines the value");
                let clone = self.clones.get(op).copied().unwrap_or_else(|| {
                    let mut mapping = Mapping::new();
                    for operand in op.operands() {
                        mapping.map(operand, primals.value(operand));
                    }
                    builder.clone_op(*op, &mut mapping)
                });
                self.clones.insert(*op, clone);
                clone.result(position)
            }
            Recipe::Shape(value) => {
                let value = primals.value(*value);
                shape_of(&mut builder, value)
            }
            Recipe::Affine { init, step } => {
                let (init, step) = (primals.value(*init), primals.value(*step));
                let block = node.key.home();
                let counter = primals.mirror(block).argument(0);
                let is_after = i64::from(block == self.plan.after());
                affine(&mut builder, counter, is_after, (init, step))
            }
            Recipe::Carried(position) => {
                let variable = self.variable(*position, primals);
                host::Load::build(&mut builder, variable).op().result(0)
            }
        }
    }

    /// Returns the variable with an argument of the iteration after; its first value is the result
    /// of the loop.
    fn variable(&mut self, position: usize, primals: &mut Primals<'a>) -> Value<'a> {
        if let Some(variable) = self.carried.get(&position) {
            return *variable;
        }
        let last = primals.value(self.plan.loop_.op().result(position));
        let mirror = primals.mirror(self.plan.after());
        let reversed = mirror.parent().expect("the reversed loop is built");
        let mut start = primals.at_start();
        let undef = host::Undef::build(&mut start, last.ty()).result();
        let created = variable(&mut start, undef);
        host::Store::build(&mut Builder::before(reversed), last, created);
        self.carried.insert(position, created);
        created
    }
}

/// Builds `init + (counter - before) * step`.
fn affine<'a>(
    builder: &mut Builder<'a>,
    counter: Value<'a>,
    before: i64,
    (init, step): (Value<'a>, Value<'a>),
) -> Value<'a> {
    let back = values::count(builder, -before);
    let number = arith::AddI::build(builder, counter, back).op().result(0);
    let number = values::convert_count(builder, number, init.ty());
    let way = arith::MulI::build(builder, number, step).op().result(0);
    arith::AddI::build(builder, init, way).op().result(0)
}
