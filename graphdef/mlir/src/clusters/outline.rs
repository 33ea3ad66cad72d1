//! The outlining of a cluster: a new graph and its call.
//!
//! ```text
//! %c = const 2                              graph private @g.compiled(%0, %1) -> ... {
//! %a = Mul(%x, %c)        ──►                 %c = const 2          cloned: XLA requires its value
//! %b = Add(%a, %y)                            ...                   moved
//! send %b to 0                                return %b
//!                                           }
//!                                           %b = call @g.compiled(%x, %y) {compiled, pure}
//! ```
//!
//! The graphs that a cluster calls are cloned, once for all clusters; an original without other
//! callers is erased.
//!
//! The parameters are in the order of their first use, the results in the order of the operations.
//! Linear in the clusters and their callees.

use std::collections::{HashMap, HashSet};

use melior::ir::r#type::FunctionType;
use tfx_dialects::{comm, tensor};
use tfx_ir::{
    Block, Builder, Mapping, Op, Value,
    symbols::{SYMBOL_NAME, SYMBOL_VISIBILITY, SymbolTable},
};

use super::{
    analysis::{Analysis, Size},
    grouping::Cluster,
};
use crate::{effects::may_divide_by_zero, operations::named_graphs};

/// An outlined cluster.
pub struct Outlined<'a> {
    /// The call of the new graph.
    pub call: tensor::Call<'a>,
    /// The size of the cluster.
    pub size: Size,
    /// The constants from outside that the cluster uses, each with its clone.
    constants: Vec<[Value<'a>; 2]>,
    /// The operations, each with the one that it came before.
    places: Vec<[Op<'a>; 2]>,
}

/// The kind of the new graphs and of their calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Compiled calls, of graphs whose callees are compiled clones.
    Compiled,
    /// Ordinary calls, of graphs that call the same graphs as before.
    Plain {
        /// The last part of the names of the new graphs.
        suffix: &'static str,
    },
}

/// Outlines clusters.
pub struct Outliner<'j, 'a> {
    analysis: &'j Analysis<'a>,
    style: Style,
    symbols: SymbolTable<'a>,
    /// The symbols of the compiled clones, by the original graphs.
    clones: HashMap<Op<'a>, String>,
    /// The next number to try for a name with each prefix.
    numbers: HashMap<String, usize>,
    /// The number of operations that name each graph.
    uses: HashMap<Op<'a>, usize>,
}

impl<'j, 'a> Outliner<'j, 'a> {
    /// Prepares for the clusters of a module.
    pub fn new(module: Op<'a>, analysis: &'j Analysis<'a>, style: Style) -> Self {
        let mut outliner = Self {
            analysis,
            style,
            symbols: SymbolTable::new(module),
            clones: HashMap::new(),
            numbers: HashMap::new(),
            uses: HashMap::new(),
        };
        for op in module.walk() {
            for graph in outliner.named(op) {
                *outliner.uses.entry(graph).or_default() += 1;
            }
        }
        outliner
    }

    /// Erases a graph if only compiled graphs called it, which call its clone now. Returns whether
    /// the graph was erased.
    pub fn erase_if_unused(&mut self, graph: Op<'a>) -> bool {
        let is_unused = self.clones.contains_key(&graph)
            && graph.is_private()
            && self.uses.get(&graph) == Some(&0);
        if is_unused {
            for op in graph.walk() {
                self.forget(op);
            }
            self.symbols.erase(graph);
        }
        is_unused
    }

    /// Moves the operations of a cluster of `graph` into a new graph after `place`.
    pub fn outline(
        &mut self,
        graph: Op<'a>,
        place: &mut Op<'a>,
        cluster: &Cluster<'a>,
    ) -> Outlined<'a> {
        let inside: HashSet<Op<'a>> = cluster.ops.iter().flat_map(|op| op.walk()).collect();
        let first = cluster.ops[0];
        let last = cluster.ops[cluster.ops.len() - 1];
        let results = results(cluster, &inside);
        let new = self.new_graph(graph, *place, first);
        let block = new.body().add_block(&[]);
        let moved = move_into(block, cluster, &inside, last);
        finish(new, block, &results);
        *place = new.op();
        if self.style == Style::Compiled {
            self.clone_callees(new.op(), place);
        }

        let types: Vec<_> = results.iter().map(|value| value.ty()).collect();
        let mut builder = moved.builder.at(first.location());
        let call = tensor::Call::build(&mut builder, &types, new.sym_name(), &moved.captured);
        call.set_compiled(self.style == Style::Compiled);
        call.set_pure(self.style == Style::Compiled || !self.keeps_order(&inside));
        for (value, result) in results.into_iter().zip(call.results()) {
            value.replace_uses_if(result, |found| {
                !inside.contains(&found.owner) && found.owner.block() != Some(block)
            });
        }
        Outlined {
            call,
            size: cluster.size,
            constants: moved.constants,
            places: moved.places,
        }
    }

    /// Moves the operations of an outlined cluster back to where they were, and erases its graph.
    pub fn undo(&mut self, outlined: Outlined<'a>) {
        let call = outlined.call;
        let Some(graph) = self.symbols.get(call.callee()) else {
            return;
        };
        let block = graph.region(0).entry().expect("a graph has a block");
        for (argument, value) in block.arguments().zip(call.op().operands()) {
            argument.replace_all_uses_with(value);
        }
        let returned = block.terminator().expect("a graph returns its results");
        for (result, value) in call.op().results().zip(returned.operands()) {
            result.replace_all_uses_with(value);
        }
        for [original, clone] in outlined.constants {
            clone.replace_all_uses_with(original);
            clone.defining_op().into_iter().for_each(Op::erase);
        }
        for [op, next] in outlined.places.into_iter().rev() {
            op.move_before(next);
        }
        call.op().erase();
        self.symbols.erase(graph);
    }

    /// Returns whether operations, or those of graphs that they run, are divisions that may fail:
    /// these keep their order with messages.
    fn keeps_order(&self, ops: &HashSet<Op<'a>>) -> bool {
        let mut pending: Vec<_> = ops.iter().copied().collect();
        let mut known = HashSet::new();
        while let Some(op) = pending.pop() {
            if may_divide_by_zero(op) {
                return true;
            }
            let callee = self
                .analysis
                .callee(op)
                .filter(|callee| known.insert(*callee));
            pending.extend(callee.into_iter().flat_map(|callee| callee.walk()));
        }
        false
    }

    fn new_graph(&mut self, graph: Op<'a>, place: Op<'a>, at: Op<'a>) -> tensor::Graph<'a> {
        let name = self.unused_name(graph);
        let ty = FunctionType::new(graph.context(), &[], &[]);
        let mut builder = Builder::after(place).at(at.location());
        let new = tensor::Graph::build(&mut builder, &name, ty);
        new.set_sym_visibility(Some("private"));
        self.symbols.insert(new.op());
        new
    }

    /// Replaces the callees of a compiled graph by compiled clones: TensorFlow lowers control flow
    /// differently in compiled functions, so other callers cannot share them.
    fn clone_callees(&mut self, compiled: Op<'a>, place: &mut Op<'a>) {
        let mut pending = vec![compiled];
        while let Some(graph) = pending.pop() {
            for call in graph.walk() {
                let (Some(callee), Some(call)) =
                    (self.analysis.callee(call), tensor::Call::cast(call))
                else {
                    continue;
                };
                if graph == compiled {
                    self.forget(call.op());
                }
                if !self.clones.contains_key(&callee) {
                    let clone = Builder::after(*place).clone_op(callee, &mut Mapping::new());
                    clone.set_string(SYMBOL_NAME, &self.unused_name(callee));
                    clone.set_string(SYMBOL_VISIBILITY, "private");
                    let name = self.symbols.insert(clone).to_owned();
                    self.clones.insert(callee, name);
                    *place = clone;
                    pending.push(clone);
                }
                call.set_callee(&self.clones[&callee]);
            }
        }
    }

    /// Returns an unused name for a part of `graph`.
    fn unused_name(&mut self, graph: Op<'a>) -> String {
        let suffix = match self.style {
            Style::Compiled => "compiled",
            Style::Plain { suffix } => suffix,
        };
        let name = format!("{}.{suffix}", graph.symbol_name().unwrap_or_default());
        if self.symbols.get(&name).is_none() {
            return name;
        }
        let number = self.numbers.entry(name.clone()).or_default();
        loop {
            let candidate = format!("{name}_{number}");
            *number += 1;
            if self.symbols.get(&candidate).is_none() {
                return candidate;
            }
        }
    }

    /// Returns the graphs that an operation names.
    fn named(&self, op: Op<'a>) -> Vec<Op<'a>> {
        let names = match op.name() {
            tensor::Call::NAME => tensor::Call::cast(op).map_or(vec![], |op| vec![op.callee()]),
            comm::Start::NAME => comm::Start::cast(op).map_or(vec![], |op| vec![op.graph()]),
            tensor::Op::NAME => named_graphs(op),
            _ => Vec::new(),
        };
        let graphs = names.into_iter().filter_map(|name| self.symbols.get(name));
        graphs.collect()
    }

    /// Subtracts the uses of graphs by an operation.
    fn forget(&mut self, op: Op<'a>) {
        for graph in self.named(op) {
            if let Some(uses) = self.uses.get_mut(&graph) {
                *uses -= 1;
            }
        }
    }
}

/// Returns the values of a cluster that have uses outside of it.
fn results<'a>(cluster: &Cluster<'a>, inside: &HashSet<Op<'a>>) -> Vec<Value<'a>> {
    let is_used_outside =
        |value: &Value<'a>| value.uses().any(|found| !inside.contains(&found.owner));
    let results = cluster.ops.iter().flat_map(|op| op.results());
    results.filter(is_used_outside).collect()
}

/// The result of moving a cluster.
struct Moved<'a> {
    /// The values from outside that the cluster uses, without constants.
    captured: Vec<Value<'a>>,
    /// The constants from outside that the cluster uses, each with its clone.
    constants: Vec<[Value<'a>; 2]>,
    /// The operations, each with the one that it came before.
    places: Vec<[Op<'a>; 2]>,
    /// A builder at the former position of the cluster.
    builder: Builder<'a>,
}

/// Moves a cluster into a block. Values from outside become arguments of the block; constants are
/// cloned.
fn move_into<'a>(
    block: Block<'a>,
    cluster: &Cluster<'a>,
    inside: &HashSet<Op<'a>>,
    last: Op<'a>,
) -> Moved<'a> {
    let mut captured = Vec::new();
    let mut cloned = Vec::new();
    let mut replacements: HashMap<Value<'a>, Value<'a>> = HashMap::new();
    let next = |op: Op<'a>| op.next().expect("a terminator comes after it");
    let builder = Builder::before(next(last));
    let places = cluster.ops.iter().map(|&op| [op, next(op)]).collect();
    for &op in &cluster.ops {
        op.move_to_end(block);
    }
    let mut constants = Builder::at_start(block, last.location());
    for op in cluster.ops.iter().flat_map(|op| op.walk()) {
        for (index, value) in op.operands().enumerate() {
            if is_defined_in(value, inside) {
                continue;
            }
            let replacement = *replacements.entry(value).or_insert_with(|| {
                match value.defining_op().and_then(tensor::Const::cast) {
                    Some(constant) => {
                        let clone = constants.clone_op(constant.op(), &mut Mapping::new());
                        cloned.push([value, clone.result(0)]);
                        clone.result(0)
                    }
                    None => {
                        captured.push(value);
                        block.add_argument(value.ty(), value.location())
                    }
                }
            });
            op.set_operand(index, replacement);
        }
    }
    Moved {
        captured,
        constants: cloned,
        places,
        builder,
    }
}

fn is_defined_in<'a>(value: Value<'a>, inside: &HashSet<Op<'a>>) -> bool {
    match value.as_argument() {
        Some((block, _)) => block
            .parent()
            .is_some_and(|parent| inside.contains(&parent)),
        None => value.defining_op().is_some_and(|op| inside.contains(&op)),
    }
}

/// Adds the terminator of the graph, and sets its type.
fn finish<'a>(new: tensor::Graph<'a>, block: Block<'a>, results: &[Value<'a>]) {
    tensor::Return::build(&mut Builder::at_end(block, new.location()), results);
    let inputs: Vec<_> = block.arguments().map(|argument| argument.ty()).collect();
    let types: Vec<_> = results.iter().map(|value| value.ty()).collect();
    new.set_function_type(FunctionType::new(new.context(), &inputs, &types));
}
