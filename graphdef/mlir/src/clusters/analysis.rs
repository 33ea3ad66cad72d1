//! The operations that a compiler of clusters supports, and the obstacles to compiling the others.
//!
//! ```text
//! %y = op "MatMul"     yes, if its types are static and the compiler has it   one operation
//! while { } do { }     yes, if all inside is; else the first obstacle inside  the sum, one loop
//! call @g              as @g                                                  as @g
//! send %y to 0         no: channel 0
//! ```
//!
//! One walk of each graph, inner operations first. Graphs are analyzed after their callees (Kahn's
//! topological order); recursive graphs are left over.

use std::collections::{HashMap, HashSet};

use melior::ir::{Location, Type, TypeLike};
use tfx_dialects::comm::{self, CommOp};
use tfx_dialects::native::CLUSTER;
use tfx_dialects::schedules::SCHEDULE;
use tfx_dialects::tensor::{self, TensorOp};
use tfx_graphdef::DataType;
use tfx_ir::{Op, Region};

use crate::channels::channels;
use crate::effects::{Effect, Effects, callee, own_effect};
use crate::types;

/// A compiler of clusters, which supports some of TensorFlow's operations.
pub trait Compiler {
    /// The name of the compiler in messages, as the subject of a sentence.
    const NAME: &'static str;
    /// True if it compiles for tensors of unknown sizes, as long as their ranks are known.
    const HAS_UNKNOWN_SIZES: bool;
    /// True if operations share a cluster without a common value, so that it runs them together.
    const UNITES: bool = false;
    /// True if its clusters have copies between places.
    const HAS_COPIES: bool = false;
    /// Returns whether it has values of this element type.
    fn has_type(element: DataType) -> bool;
    /// Checks one operation, which has no state, apart from its types.
    ///
    /// # Errors
    /// The reason why it is not compiled, as a sentence without a full stop.
    fn check(op: tensor::Op<'_>) -> Result<(), String>;
    /// Returns the weight of an operation that it supports: how many small ones it is like.
    fn weight(op: tensor::Op<'_>) -> usize;
    /// Returns whether a cluster of this size is worth a call of compiled code.
    fn is_profitable(size: Size) -> bool;
}

/// The reason why an operation is not compiled: the operation itself, or one inside of it.
#[derive(Clone, Debug)]
pub struct Obstacle<'a> {
    /// The location of the operation.
    pub location: Location<'a>,
    /// The reason, as a sentence without a full stop.
    pub reason: String,
    /// True if it is a channel, which is a part of the program's meaning.
    pub is_channel: bool,
}

fn obstacle(op: Op<'_>, reason: impl Into<String>) -> Obstacle<'_> {
    Obstacle {
        location: op.location(),
        reason: reason.into(),
        is_channel: false,
    }
}

/// The amount of code to compile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// The number of operations, those of callees included.
    pub operations: usize,
    /// The number of loops among them.
    pub loops: usize,
    /// The sum of the weights of operations of TensorFlow.
    pub weight: usize,
}

impl std::ops::AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.operations = self.operations.saturating_add(other.operations);
        self.loops = self.loops.saturating_add(other.loops);
        self.weight = self.weight.saturating_add(other.weight);
    }
}

/// The obstacles and sizes of all operations of a module's graphs.
pub struct Analysis<'a> {
    effects: Effects<'a>,
    obstacles: HashMap<Op<'a>, Obstacle<'a>>,
    sizes: HashMap<Op<'a>, Size>,
    by_symbol: HashMap<&'a str, Op<'a>>,
    /// The analyzed graphs, each after its callees. `obstacles` and `sizes` contain the graphs,
    /// too.
    analyzed: Vec<Op<'a>>,
    is_analyzed: HashSet<Op<'a>>,
    /// The graphs that are compiled already: a compiled call reaches them.
    compiled: HashSet<Op<'a>>,
}

impl<'a> Analysis<'a> {
    /// Analyzes all graphs of a module. Operations in `excluded` are not compiled, for these
    /// reasons.
    pub fn of_module<C: Compiler>(module: Op<'a>, excluded: &HashMap<Op<'a>, String>) -> Self {
        let graphs = module.collect(tensor::Graph::NAME);
        let by_symbol: HashMap<_, _> = graphs
            .iter()
            .filter_map(|&graph| Some((graph.symbol_name()?, graph)))
            .collect();
        let mut analysis = Analysis {
            effects: Effects::of_graphs(&graphs, &by_symbol, own_effect),
            obstacles: HashMap::new(),
            sizes: HashMap::new(),
            by_symbol,
            analyzed: Vec::new(),
            is_analyzed: HashSet::new(),
            compiled: HashSet::new(),
        };
        for (&op, reason) in excluded {
            analysis.obstacles.insert(op, obstacle(op, reason));
        }
        analysis.compiled = analysis.reached_compiled(&graphs);
        for graph in analysis.callees_first(&graphs) {
            analysis.graph::<C>(graph);
        }
        analysis
    }

    /// Returns the graphs that are not compiled already, each before its callees; recursive ones
    /// come first.
    pub fn callers_first(&self) -> impl Iterator<Item = Op<'a>> {
        let graphs = self.analyzed.iter().rev().copied();
        graphs.filter(|graph| !self.compiled.contains(graph))
    }

    fn reached_compiled(&self, graphs: &[Op<'a>]) -> HashSet<Op<'a>> {
        let calls = graphs.iter().flat_map(|graph| graph.walk());
        let compiled = calls
            .filter_map(tensor::Call::cast)
            .filter(|call| call.compiled());
        let mut pending: Vec<_> = compiled.filter_map(|call| self.callee(call.op())).collect();
        let mut reached = HashSet::new();
        while let Some(graph) = pending.pop() {
            if reached.insert(graph) {
                pending.extend(graph.walk().filter_map(|op| self.callee(op)));
            }
        }
        reached
    }

    /// Returns whether the compiler supports the operation and those inside.
    pub fn compiles(&self, op: Op<'a>) -> bool {
        !self.obstacles.contains_key(&op)
    }

    /// Lets an operation be interpreted that could be compiled, and is in none that is.
    pub fn exclude(&mut self, op: Op<'a>, reason: &str) {
        let obstacle = obstacle(op, reason);
        self.obstacles.entry(op).or_insert(obstacle);
    }

    /// Returns whether an operation is the call of a cluster that was outlined before.
    pub fn is_outlined(&self, op: Op<'a>) -> bool {
        let call = tensor::Call::cast(op);
        call.is_some_and(|call| call.compiled() || self.is_cluster(op))
    }

    /// Returns whether a call is of a graph with native code, or with a schedule.
    fn is_cluster(&self, call: Op<'a>) -> bool {
        let has = |graph: Op<'a>, name| graph.attribute(name).is_some();
        let graph = self.callee(call);
        graph.is_some_and(|graph| has(graph, CLUSTER) || has(graph, SCHEDULE))
    }

    /// Returns the first obstacle to compiling an operation.
    pub fn obstacle(&self, op: Op<'a>) -> Option<&Obstacle<'a>> {
        self.obstacles.get(&op)
    }

    /// Returns the size of an operation with those inside of it.
    pub fn size(&self, op: Op<'a>) -> Size {
        self.sizes.get(&op).copied().unwrap_or_default()
    }

    /// Returns whether the operation may send or change state. A receive alone is not observable.
    pub fn is_observable(&self, op: Op<'a>) -> bool {
        self.effects.of(op) == Effect::Ordered && !op.isa::<comm::Recv>()
    }

    /// Returns the graphs, each after its callees; recursive ones come last.
    fn callees_first(&self, graphs: &[Op<'a>]) -> Vec<Op<'a>> {
        let mut callers: HashMap<Op<'a>, Vec<Op<'a>>> = HashMap::new();
        let mut open: HashMap<Op<'a>, usize> = HashMap::new();
        for &graph in graphs {
            let called = graph.walk().filter_map(|op| self.callee(op));
            for callee in called {
                callers.entry(callee).or_default().push(graph);
                *open.entry(graph).or_default() += 1;
            }
        }
        let is_open = |graph: &Op<'a>, open: &HashMap<Op<'a>, usize>| open.contains_key(graph);
        let mut order: Vec<_> = graphs.to_vec();
        order.retain(|graph| !is_open(graph, &open));
        let mut next = 0;
        while let Some(&graph) = order.get(next) {
            next += 1;
            for caller in callers.remove(&graph).unwrap_or_default() {
                let left = open.entry(caller).or_default();
                *left -= 1;
                if *left == 0 {
                    open.remove(&caller);
                    order.push(caller);
                }
            }
        }
        order.extend(graphs.iter().filter(|graph| is_open(graph, &open)));
        order
    }

    fn graph<C: Compiler>(&mut self, graph: Op<'a>) {
        for op in graph.walk_post() {
            if op == graph {
                break;
            }
            if let Err(obstacle) = self.own::<C>(op) {
                self.obstacles.entry(op).or_insert(obstacle);
            }
            let own = self.own_size::<C>(op);
            *self.sizes.entry(op).or_default() += own;
            let parent = op.parent().expect("an operation of a graph has a parent");
            if !self.obstacles.contains_key(&parent)
                && let Some(obstacle) = self.obstacles.get(&op).cloned()
            {
                self.obstacles.insert(parent, obstacle);
            }
            let size = self.sizes[&op];
            *self.sizes.entry(parent).or_default() += size;
        }
        if !channels(graph).is_empty() {
            self.obstacles.entry(graph).or_insert(Obstacle {
                is_channel: true,
                ..obstacle(graph, "it has channels")
            });
        }
        self.analyzed.push(graph);
        self.is_analyzed.insert(graph);
    }

    fn own_size<C: Compiler>(&self, op: Op<'a>) -> Size {
        let one = Size {
            operations: 1,
            ..Size::default()
        };
        match TensorOp::cast(op) {
            Some(TensorOp::Op(op)) => Size {
                weight: C::weight(op),
                ..one
            },
            Some(TensorOp::If(_) | TensorOp::Case(_)) => one,
            Some(TensorOp::While(_)) => Size { loops: 1, ..one },
            Some(TensorOp::Call(_)) => self
                .callee(op)
                .map_or_else(Size::default, |graph| self.size(graph)),
            _ => Size::default(),
        }
    }

    /// Returns the graphs, by symbol.
    pub fn graphs(&self) -> &HashMap<&'a str, Op<'a>> {
        &self.by_symbol
    }

    /// Returns the graph that a call names.
    pub fn callee(&self, call: Op<'a>) -> Option<Op<'a>> {
        self.by_symbol.get(callee(call)?).copied()
    }

    /// Returns the obstacle of the operation itself, apart from those inside of it.
    fn own<C: Compiler>(&self, op: Op<'a>) -> Result<(), Obstacle<'a>> {
        let channel = |action: &str, channel: u32| Obstacle {
            is_channel: true,
            ..obstacle(op, format!("it {action} the host (channel {channel})"))
        };
        match CommOp::cast(op) {
            Some(CommOp::Send(send)) => return Err(channel("sends to", send.channel())),
            Some(CommOp::Recv(recv)) => return Err(channel("receives from", recv.channel())),
            Some(CommOp::Copy(_)) if C::HAS_COPIES => return supported_types::<C>(op),
            _ => {}
        }
        match TensorOp::cast(op) {
            Some(TensorOp::Op(op)) => self.operation::<C>(op)?,
            Some(TensorOp::Call(call)) => self.call(call)?,
            Some(
                TensorOp::If(_)
                | TensorOp::Case(_)
                | TensorOp::While(_)
                | TensorOp::Const(_)
                | TensorOp::FromScalar(_)
                | TensorOp::ToScalar(_),
            ) => {}
            Some(TensorOp::Yield(_) | TensorOp::Return(_)) => return Ok(()),
            Some(TensorOp::Graph(_)) | None => {
                let name = op.name();
                return Err(obstacle(
                    op,
                    format!("'{name}' is not in the form that tfx-legalize-graph produces"),
                ));
            }
        }
        supported_types::<C>(op)
    }

    fn operation<C: Compiler>(&self, op: tensor::Op<'a>) -> Result<(), Obstacle<'a>> {
        let name = op.tf_name();
        if op.device().is_some() {
            let reason = format!("\"{name}\" is placed on an explicit device");
            return Err(obstacle(op.op(), reason));
        }
        if self.effects.of(op.op()) != Effect::Pure {
            return Err(obstacle(op.op(), format!("\"{name}\" has state")));
        }
        C::check(op).map_err(|reason| obstacle(op.op(), reason))
    }

    fn call(&self, call: tensor::Call<'a>) -> Result<(), Obstacle<'a>> {
        let op = call.op();
        if call.compiled() {
            return Err(obstacle(op, "it is compiled already"));
        }
        let Some(graph) = self.callee(op) else {
            return Err(obstacle(op, "it calls a graph that does not exist"));
        };
        if self.is_cluster(op) {
            return Err(obstacle(op, "it has native code or a schedule already"));
        }
        if !self.is_analyzed.contains(&graph) {
            return Err(obstacle(op, "it calls a recursive graph"));
        }
        match self.obstacle(graph) {
            Some(inside) => Err(Obstacle {
                location: op.location(),
                ..inside.clone()
            }),
            None => Ok(()),
        }
    }
}

/// Returns an obstacle unless the compiler has the types of all operands, results and region
/// arguments.
fn supported_types<C: Compiler>(op: Op<'_>) -> Result<(), Obstacle<'_>> {
    let arguments = op
        .regions()
        .flat_map(Region::blocks)
        .flat_map(|block| block.arguments());
    op.operands()
        .chain(op.results())
        .chain(arguments)
        .try_for_each(|value| supported_type::<C>(op, value.ty()))
}

fn supported_type<'a, C: Compiler>(op: Op<'a>, ty: Type<'_>) -> Result<(), Obstacle<'a>> {
    let element = types::data_type(ty).filter(|&element| C::has_type(element));
    if element.is_none() {
        let element = types::element_type(ty);
        let reason = format!("{} does not support the element type {element}", C::NAME);
        return Err(obstacle(op, reason));
    }
    let is_tensor = ty.is_ranked_tensor() || ty.is_unranked_tensor();
    let sizes = types::sizes(ty);
    if is_tensor && sizes.is_none() && C::HAS_UNKNOWN_SIZES {
        let reason = format!("{ty} has an unknown rank");
        return Err(obstacle(op, reason));
    }
    let is_known = || sizes.is_some_and(|sizes| sizes.iter().all(Option::is_some));
    if is_tensor && !C::HAS_UNKNOWN_SIZES && !is_known() {
        let reason = format!(
            "{ty} has unknown sizes, and {} compiles for static shapes",
            C::NAME
        );
        return Err(obstacle(op, reason));
    }
    Ok(())
}
