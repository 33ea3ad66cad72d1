//! Which operations XLA compiles, and what is in the way of the others.
//!
//! ```text
//! %y = op "MatMul"     yes, if its types are known and it is in the table          weight 1
//! while { } do { }     yes, if all inside is; else the first thing inside that is not   weight of all inside, one loop more
//! call @g              as @g                                                        weight of @g
//! send %y to 0         no: channel 0
//! ```
//!
//! One walk of each graph, inner operations first. Graphs are taken from those that call nothing upwards (Kahn's order); those that are left over
//! call themselves.

use std::collections::{HashMap, HashSet};

use melior::ir::{Location, Type, TypeLike};
use tfx_graphdef::{
    DataType,
    element::{byte_size, display_name},
    proto::TensorProto,
    xla::{self, Needs, Refusal},
};
use tfx_graphdef_mlir::{
    captures::is_copied,
    channels::{channel_of, channels},
    effects::{COMPILED_ATTRIBUTE, Effect, Effects, callee, is_never_zero, own_effect},
    operations::{DEVICE_ATTRIBUTE, NAME_ATTRIBUTE, OP, resolve_op},
    tensors::tensor,
    types,
};
use tfx_ir::{Op, Value};

use super::GRAPH;

/// What is in the way of compiling an operation: itself, or something in it.
#[derive(Clone, Debug)]
pub(super) struct Obstacle<'a> {
    /// Where it is.
    pub(super) location: Location<'a>,
    /// The reason, as a sentence without its end.
    pub(super) reason: String,
    /// Whether it is a channel, which no change of the program but one of its meaning takes away.
    pub(super) is_channel: bool,
}

/// How much there is to compile.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    pub(super) operations: usize,
    pub(super) loops: usize,
}

impl std::ops::AddAssign for Weight {
    fn add_assign(&mut self, other: Self) {
        self.operations = self.operations.saturating_add(other.operations);
        self.loops = self.loops.saturating_add(other.loops);
    }
}

/// What is known of the operations of a module's graphs.
pub(super) struct Judge<'a> {
    effects: Effects<'a>,
    obstacles: HashMap<Op<'a>, Obstacle<'a>>,
    weights: HashMap<Op<'a>, Weight>,
    /// Of graphs that have been judged: the graph itself is among `obstacles` and `weights`, too.
    by_symbol: HashMap<&'a str, Op<'a>>,
    /// In the order in which they were judged: each after those that it calls.
    judged: Vec<Op<'a>>,
    is_judged: HashSet<Op<'a>>,
    /// Graphs that are compiled already, since a compiled call leads to them.
    compiled: HashSet<Op<'a>>,
}

impl<'a> Judge<'a> {
    /// Looks through all graphs of a module.
    pub(super) fn of_module(module: Op<'a>) -> Self {
        let graphs = module.collect(GRAPH);
        let by_symbol: HashMap<_, _> = graphs
            .iter()
            .filter_map(|&graph| Some((graph.symbol_name()?, graph)))
            .collect();
        let mut judge = Judge {
            effects: Effects::of_graphs(&graphs, &by_symbol, own_effect),
            obstacles: HashMap::new(),
            weights: HashMap::new(),
            by_symbol,
            judged: Vec::new(),
            is_judged: HashSet::new(),
            compiled: HashSet::new(),
        };
        judge.compiled = judge.reached_compiled(&graphs);
        for graph in judge.callees_first(&graphs) {
            judge.graph(graph);
        }
        judge
    }

    /// The graphs that are not compiled already, each before those that it calls; those that call themselves come first.
    pub(super) fn callers_first(&self) -> impl Iterator<Item = Op<'a>> {
        let graphs = self.judged.iter().rev().copied();
        graphs.filter(|graph| !self.compiled.contains(graph))
    }

    fn reached_compiled(&self, graphs: &[Op<'a>]) -> HashSet<Op<'a>> {
        let calls = graphs.iter().flat_map(|graph| graph.walk());
        let compiled = calls.filter(|call| call.attribute(COMPILED_ATTRIBUTE).is_some());
        let mut pending: Vec<_> = compiled.filter_map(|call| self.callee(call)).collect();
        let mut reached = HashSet::new();
        while let Some(graph) = pending.pop() {
            if reached.insert(graph) {
                pending.extend(graph.walk().filter_map(|op| self.callee(op)));
            }
        }
        reached
    }

    /// Whether XLA compiles the operation with all inside.
    pub(super) fn compiles(&self, op: Op<'a>) -> bool {
        !self.obstacles.contains_key(&op)
    }

    /// The first thing in the way.
    pub(super) fn obstacle(&self, op: Op<'a>) -> Option<&Obstacle<'a>> {
        self.obstacles.get(&op)
    }

    pub(super) fn weight(&self, op: Op<'a>) -> Weight {
        self.weights.get(&op).copied().unwrap_or_default()
    }

    /// Whether something may be sent, or state may change, when the operation runs; a receive alone shows nothing to anyone.
    pub(super) fn shows(&self, op: Op<'a>) -> bool {
        self.effects.of(op) == Effect::Ordered && !op.is("tfx_comm.recv")
    }

    /// The graphs, each after those that it calls, but for those that call themselves, which come last.
    fn callees_first(&self, graphs: &[Op<'a>]) -> Vec<Op<'a>> {
        let mut callers: HashMap<Op<'a>, Vec<Op<'a>>> = HashMap::new();
        let mut open: HashMap<Op<'a>, usize> = HashMap::new();
        for &graph in graphs {
            let called = graph.walk().filter_map(callee);
            for callee in called.filter_map(|symbol| self.by_symbol.get(symbol)) {
                callers.entry(*callee).or_default().push(graph);
                *open.entry(graph).or_default() += 1;
            }
        }
        let mut order: Vec<_> = graphs
            .iter()
            .copied()
            .filter(|graph| !open.contains_key(graph))
            .collect();
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
        order.extend(
            graphs
                .iter()
                .copied()
                .filter(|graph| open.contains_key(graph)),
        );
        order
    }

    fn graph(&mut self, graph: Op<'a>) {
        for op in graph.walk_post() {
            if op == graph {
                break;
            }
            if let Err((reason, is_channel)) = self.own(op) {
                self.obstacles.entry(op).or_insert(Obstacle {
                    location: op.location(),
                    reason,
                    is_channel,
                });
            }
            let own = self.own_weight(op);
            *self.weights.entry(op).or_default() += own;
            let parent = op
                .parent()
                .expect("an operation of a graph is in something");
            if !self.obstacles.contains_key(&parent)
                && let Some(obstacle) = self.obstacles.get(&op).cloned()
            {
                self.obstacles.insert(parent, obstacle);
            }
            let weight = self.weights[&op];
            *self.weights.entry(parent).or_default() += weight;
        }
        if !channels(graph).is_empty() {
            self.obstacles.entry(graph).or_insert(Obstacle {
                location: graph.location(),
                reason: "it has channels".to_owned(),
                is_channel: true,
            });
        }
        self.judged.push(graph);
        self.is_judged.insert(graph);
    }

    fn own_weight(&self, op: Op<'a>) -> Weight {
        match op.name() {
            OP | "tfx_tensor.if" | "tfx_tensor.case" => Weight {
                operations: 1,
                loops: 0,
            },
            "tfx_tensor.while" => Weight {
                operations: 1,
                loops: 1,
            },
            "tfx_tensor.call" => self
                .callee(op)
                .map_or_else(Weight::default, |graph| self.weight(graph)),
            _ => Weight::default(),
        }
    }

    pub(super) fn callee(&self, op: Op<'a>) -> Option<Op<'a>> {
        self.by_symbol.get(callee(op)?).copied()
    }

    /// Whether XLA compiles the operation, if it compiles what is inside; else why not, and whether that is a channel.
    fn own(&self, op: Op<'a>) -> Result<(), (String, bool)> {
        let because = |reason: String| (reason, false);
        match op.name() {
            "tfx_comm.send" | "tfx_comm.recv" => {
                let way = if op.is("tfx_comm.send") {
                    "sends to"
                } else {
                    "receives from"
                };
                return Err((
                    format!("it {way} the host (channel {})", channel_of(op)),
                    true,
                ));
            }
            OP => self.operation(op).map_err(because)?,
            "tfx_tensor.call" if op.attribute(COMPILED_ATTRIBUTE).is_some() => {
                return Err(because("it is compiled already".to_owned()));
            }
            "tfx_tensor.call" => self.call(op)?,
            "tfx_tensor.if"
            | "tfx_tensor.case"
            | "tfx_tensor.while"
            | "tfx_tensor.const"
            | "tfx_tensor.from_scalar"
            | "tfx_tensor.to_scalar" => {}
            "tfx_tensor.yield" | "tfx_tensor.return" => return Ok(()),
            name => {
                return Err(because(format!(
                    "'{name}' is not in the form that tfx-legalize-graph leaves"
                )));
            }
        }
        static_types(op).map_err(because)
    }

    fn operation(&self, op: Op<'a>) -> Result<(), String> {
        let name = op.string(NAME_ATTRIBUTE).unwrap_or_default();
        if op.attribute(DEVICE_ATTRIBUTE).is_some() {
            return Err(format!("\"{name}\" is placed on a device of its own"));
        }
        if self.effects.of(op) != Effect::Pure {
            return Err(format!("\"{name}\" has state"));
        }
        let resolved =
            resolve_op(op, &|symbol| symbol.to_owned()).map_err(|fault| fault.message)?;
        let Needs {
            constants,
            no_zeros,
            shifts_below,
        } = xla::check(&resolved).map_err(|refusal| match refusal {
            Refusal::Operation => format!("XLA has no \"{name}\""),
            Refusal::ElementType(element) => {
                format!("XLA has no \"{name}\" of {}", display_name(element))
            }
            Refusal::Differs(how) => format!("of \"{name}\", XLA {how}"),
        })?;
        if let Some(position) = constants
            .into_iter()
            .find(|&position| !is_copied(op.operand(position)))
        {
            return Err(format!(
                "operand {position} of \"{name}\" is not a constant, and XLA must know it when it compiles"
            ));
        }
        if no_zeros.is_some_and(|divisor| !is_never_zero(op.operand(divisor))) {
            return Err(format!(
                "\"{name}\" fails where it divides by 0, and compiled it would not; XLA compiles it if the divisor is a constant other than 0"
            ));
        }
        if let Some((amount, bits)) = shifts_below
            && !all(op.operand(amount), |element| {
                (0..i128::from(bits)).contains(&element)
            })
        {
            return Err(format!(
                "\"{name}\" by {bits} bits or more gives another number when it is compiled; XLA compiles it if the amount is a constant below that"
            ));
        }
        Ok(())
    }

    fn call(&self, op: Op<'a>) -> Result<(), (String, bool)> {
        let Some(graph) = self.callee(op) else {
            return Err(("it calls a graph that is not there".to_owned(), false));
        };
        if !self.is_judged.contains(&graph) {
            return Err(("it calls a graph that calls itself".to_owned(), false));
        }
        match self.obstacle(graph) {
            Some(obstacle) => Err((obstacle.reason.clone(), obstacle.is_channel)),
            None => Ok(()),
        }
    }
}

/// Whether all values that an operation takes and gives, and its regions are given, have sizes that are known and elements that XLA has.
fn static_types(op: Op<'_>) -> Result<(), String> {
    let arguments = op
        .regions()
        .flat_map(|region| region.blocks())
        .flat_map(|block| block.arguments());
    op.operands()
        .chain(op.results())
        .chain(arguments)
        .try_for_each(|value| static_type(value.ty()))
}

fn static_type(ty: Type<'_>) -> Result<(), String> {
    let element = types::data_type(ty).filter(|&element| xla::has_type(element));
    if element.is_none() {
        return Err(format!(
            "XLA has no elements of {}",
            types::element_type(ty)
        ));
    }
    let is_tensor = ty.is_ranked_tensor() || ty.is_unranked_tensor();
    let is_known = || types::sizes(ty).is_some_and(|sizes| sizes.iter().all(Option::is_some));
    if is_tensor && !is_known() {
        return Err(format!(
            "{ty} has sizes that are not known, and XLA compiles for shapes that are"
        ));
    }
    Ok(())
}

/// Whether a value is a constant whose elements are all integers of some kind.
fn all(value: Value<'_>, is: impl Fn(i128) -> bool) -> bool {
    let constant = value.defining_op().filter(|_| is_copied(value));
    let elements = constant
        .and_then(|op| op.attribute("value"))
        .and_then(|attribute| integers(&tensor(attribute).ok()?));
    elements.is_some_and(|elements| elements.into_iter().all(is))
}

/// The elements of a constant of integers; one, where all are the same.
fn integers(proto: &TensorProto) -> Option<Vec<i128>> {
    let size = byte_size(DataType::try_from(proto.dtype).ok()?)?;
    // Little-endian, as in memory; a sign does not matter, since what is asked of a negative number is not so for its bits either.
    let from_bytes = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |number, &byte| number << u8::BITS | i128::from(byte))
    };
    let mut elements: Vec<i128> = proto.tensor_content.chunks(size).map(from_bytes).collect();
    elements.extend(proto.int_val.iter().map(|&element| i128::from(element)));
    elements.extend(proto.int64_val.iter().map(|&element| i128::from(element)));
    elements.extend(proto.uint32_val.iter().map(|&element| i128::from(element)));
    elements.extend(proto.uint64_val.iter().map(|&element| i128::from(element)));
    (!elements.is_empty()).then_some(elements)
}
