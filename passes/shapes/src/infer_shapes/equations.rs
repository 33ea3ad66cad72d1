//! The equations of a module: the operations that define tensors, and the values that flow between
//! them.
//!
//! ```text
//! %r = scf.if %p { yield %a } else { yield %b }    edges  %a ─► %r, %b ─► %r   ties  %a = %r = %b
//! func.call @f(%x), func private @f(%y)            edge   %x ─► %y             tie   %x = %y
//! tfx_tensor.while (%i = %n) ... do { yield %m }   edges  %n ─► %i, %m ─► %i
//! %y = tfx_tensor.op "Neg"(%x)                     rule
//! func.call @foreign(%x)                           %x keeps its type
//! ```
//!
//! An *edge* forwards a value; a *tie* requires that two values have the same type; a *fixed* value
//! keeps its declared type. The results of functions are nodes of their own, without a value. One
//! walk; linear.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Type, TypeLike};
use rustc_hash::FxHashMap;
use tfx_dialects::tensor::{self, TensorOp};
use tfx_dialects::types::is_generic;
use tfx_dialects::{comm, host};
use tfx_graphdef::Resolved;
use tfx_graphdef::shapes::{Shape, reads_value};
use tfx_graphdef_mlir::operations::Resolver;
use tfx_graphdef_mlir::types;
use tfx_ir::cast::Cast;
use tfx_ir::ops::{Structured, arith, builtin, func, scf};
use tfx_ir::{Block, Op, Region, Value, attribute};

/// A tensor value, or a result of a function.
pub(super) type Node = u32;

/// The operation that defines the results of a rule.
pub(super) enum Definition {
    /// A TensorFlow operation.
    Operation(Rc<Resolved>),
    /// A constant or a scalar as a tensor: its shape is declared, and its elements may be known.
    Constant,
}

/// An operation whose results depend on its operands.
pub(super) struct Rule<'a> {
    pub(super) op: Op<'a>,
    pub(super) definition: Definition,
    pub(super) operands: Vec<Node>,
    pub(super) results: Vec<Node>,
}

impl<'a> Rule<'a> {
    /// Returns the name of the TensorFlow operation; empty for a constant.
    pub(super) fn name(&self) -> &'a str {
        tensor::Op::cast(self.op).map_or("", |op| op.tf_name())
    }
}

/// A function or graph of which all calls are known.
#[derive(Clone, Default)]
struct Callable<'a> {
    /// The results, as the callers see them.
    results: Vec<Node>,
    parameters: Vec<Value<'a>>,
}

/// The equations: see the documentation of the module.
#[derive(Default)]
pub(super) struct Equations<'a> {
    nodes: FxHashMap<Value<'a>, Node>,
    /// The value of each node; none for a result of a function.
    pub(super) values: Vec<Option<Value<'a>>>,
    /// The declared type of each node.
    pub(super) types: Vec<Type<'a>>,
    /// The declared shape of each node.
    pub(super) declared: Vec<Shape>,
    /// The shapes of types, by address.
    shapes: FxHashMap<usize, Shape>,
    pub(super) rules: Vec<Rule<'a>>,
    /// The forwarded values: source, destination, and the operation that forwards.
    pub(super) edges: Vec<(Node, Node, Op<'a>)>,
    pub(super) ties: Vec<(Node, Node)>,
    /// For each node, whether it keeps its declared type.
    pub(super) fixed: Vec<bool>,
    /// The nodes whose fact is their declared type.
    pub(super) sources: Vec<Node>,
    /// The functions and graphs whose signatures follow their bodies, with their results.
    pub(super) functions: Vec<(Op<'a>, Vec<Node>)>,
    /// For each node, whether a shape may depend on its elements.
    pub(super) needs_elements: Vec<bool>,
    /// The functions and graphs by symbol.
    callables: HashMap<&'a str, Callable<'a>>,
    resolver: Resolver<'static>,
}

impl<'a> Equations<'a> {
    /// Returns the equations of a module. With `all_values`, a shape may depend on the elements of
    /// any operand.
    pub(super) fn of(module: Op<'a>, all_values: bool) -> Self {
        let mut equations = Self::default();
        equations.callables(module);
        let mut walk = module.walk();
        while let Some(op) = walk.next() {
            // The pass runs on nested modules by themselves: they have symbols of their own.
            if is_generic(op) || (op != module && op.isa::<builtin::Module>()) {
                walk.skip_regions();
            } else {
                equations.operation(op);
            }
        }
        equations.mark_needed_elements(all_values);
        equations
    }

    /// Returns the node of a tensor; `None` for any other value.
    fn node(&mut self, value: Value<'a>) -> Option<Node> {
        if let Some(&node) = self.nodes.get(&value) {
            return Some(node);
        }
        let node = self.new_node(value.ty(), Some(value))?;
        self.nodes.insert(value, node);
        Some(node)
    }

    fn new_node(&mut self, ty: Type<'a>, value: Option<Value<'a>>) -> Option<Node> {
        if !ty.is_tensor() {
            return None;
        }
        let node = self.values.len() as Node;
        let declared = self.shapes.entry(ty.to_raw().ptr as usize);
        let declared = declared.or_insert_with(|| shape(ty)).clone();
        self.values.push(value);
        self.types.push(ty);
        self.declared.push(declared);
        self.fixed.push(false);
        Some(node)
    }

    fn nodes(&mut self, values: impl Iterator<Item = Value<'a>>) -> Vec<Node> {
        values.filter_map(|value| self.node(value)).collect()
    }

    /// Adds a value of unknown origin, such as a parameter of a public function.
    fn unknown_source(&mut self, value: Value<'a>) {
        if let Some(node) = self.node(value) {
            self.sources.push(node);
            self.fixed[node as usize] = true;
        }
    }

    /// Fixes the type of a value with a user that is not analyzed.
    fn unknown_use(&mut self, value: Value<'a>) {
        if let Some(node) = self.node(value) {
            self.fixed[node as usize] = true;
        }
    }

    /// Forwards a value to another one of any compatible type.
    fn edge(&mut self, from: Value<'a>, to: Value<'a>, by: Op<'a>) {
        if let (Some(from_node), Some(to)) = (self.node(from), self.node(to)) {
            self.edges.push((from_node, to, by));
            // An undefined value is never read, so it may take the type of the other one.
            if from.defining_op().is_some_and(|op| op.isa::<host::Undef>()) {
                self.ties.push((from_node, to));
            }
        }
    }

    /// Forwards a value to another one of the same type.
    fn tied_edge(&mut self, from: Value<'a>, to: Value<'a>, by: Op<'a>) {
        if let (Some(from), Some(to)) = (self.node(from), self.node(to)) {
            self.edges.push((from, to, by));
            self.ties.push((from, to));
        }
    }

    fn edges(
        &mut self,
        from: impl Iterator<Item = Value<'a>>,
        to: impl Iterator<Item = Value<'a>>,
        by: Op<'a>,
    ) {
        from.zip(to).for_each(|(from, to)| self.edge(from, to, by));
    }
}

/// Returns the shape that a type declares.
fn shape(ty: Type<'_>) -> Shape {
    match types::sizes(ty) {
        Some(sizes) => Shape::of(sizes),
        None => Shape::UNKNOWN,
    }
}

/// Functions, graphs and their calls.
impl<'a> Equations<'a> {
    /// Collects the functions and graphs of which all calls are known: only calls name them, and
    /// they are not visible outside of the module.
    fn callables(&mut self, module: Op<'a>) {
        let named: HashSet<&str> = module.walk().flat_map(symbols_other_than_calls).collect();
        for op in module.children().filter(|op| !is_generic(*op)) {
            let graph = tensor::Graph::cast(op).map(tensor::Graph::body);
            let is_graph = graph.is_some();
            let body = graph.or_else(|| func::Func::cast(op).map(func::Func::body));
            let (Some(entry), Some(name)) = (body.and_then(Region::entry), op.symbol_name()) else {
                continue;
            };
            let is_named = named.contains(name);
            let (_, types) = op.signature();
            let results: Vec<_> = types
                .iter()
                .filter_map(|&ty| self.new_node(ty, None))
                .collect();
            // The starts of a public graph are unknown here, but every user of its results accepts
            // a refined type.
            if !is_named && (op.is_private() || is_graph) {
                self.functions.push((op, results.clone()));
            } else {
                results
                    .iter()
                    .for_each(|&result| self.fixed[result as usize] = true);
            }
            let parameters: Vec<_> = entry.arguments().collect();
            if is_named || !op.is_private() {
                parameters
                    .iter()
                    .for_each(|&value| self.unknown_source(value));
            }
            self.callables.insert(
                name,
                Callable {
                    results,
                    parameters,
                },
            );
        }
    }

    /// Adds a call. With `tied`, the operands and results have the types of the callee.
    fn call(&mut self, op: Op<'a>, callee: &str, tied: bool) {
        let Some(callee) = self.callables.get(callee).cloned() else {
            return self.unknown_operation(op);
        };
        for (operand, parameter) in op.operands().zip(callee.parameters) {
            match tied {
                true => self.tied_edge(operand, parameter, op),
                false => self.edge(operand, parameter, op),
            }
        }
        let results = self.nodes(op.results());
        for (from, to) in callee.results.into_iter().zip(results) {
            self.edges.push((from, to, op));
            if tied {
                self.ties.push((from, to));
            }
        }
    }

    /// Adds the return of a function or graph.
    fn function_return(&mut self, op: Op<'a>) {
        let owner = op.parent().and_then(Op::symbol_name);
        let results = owner.and_then(|name| self.callables.get(name));
        let results = results.map_or(Vec::new(), |callable| callable.results.clone());
        let values = self.nodes(op.operands());
        for (from, to) in values.into_iter().zip(results) {
            self.edges.push((from, to, op));
            self.ties.push((from, to));
        }
    }

    /// Adds a function or graph. The parameters and results of the known ones are in `callables`;
    /// this one may be outside of the symbol table of the module, or have no name.
    fn function(&mut self, op: Op<'a>) {
        let is_known = op
            .symbol_name()
            .is_some_and(|name| self.callables.contains_key(name));
        if !is_known {
            self.unknown_operation(op);
        }
    }
}

/// Returns the symbols in the attributes of an operation, without the callee of a call.
fn symbols_other_than_calls(op: Op<'_>) -> Vec<&str> {
    let mut found = Vec::new();
    // Most operations are of dialects whose attributes contain no symbols.
    if matches!(op.dialect(), "arith" | "math" | "index" | "cf" | "scf")
        || op.isa::<func::Call>()
        || op.isa::<tensor::Call>()
    {
        return found;
    }
    for (name, attribute) in op.attributes() {
        found.extend(op.symbol(name));
        if let Some(array) = ArrayAttribute::cast(attribute) {
            let elements = (0..array.len()).filter_map(|index| array.element(index).ok());
            found.extend(elements.filter_map(attribute::symbol));
        }
    }
    found
}

/// The operations.
impl<'a> Equations<'a> {
    fn operation(&mut self, op: Op<'a>) {
        if let Some(op) = TensorOp::cast(op) {
            return self.tensor_dialect(op);
        }
        if let Some(op) = Structured::cast(op) {
            return self.structured(op);
        }
        if let Some(call) = func::Call::cast(op) {
            return self.call(op, call.callee(), true);
        }
        match op.name() {
            func::Return::NAME => self.function_return(op),
            func::Func::NAME => self.function(op),
            scf::Yield::NAME | scf::Condition::NAME => self.terminator(op),
            arith::Select::NAME => {
                for value in op.operands().skip(arith::Select::TRUE_VALUE_INDEX) {
                    op.results()
                        .for_each(|result| self.tied_edge(value, result, op));
                }
            }
            comm::ToHost::NAME | comm::ToAccelerator::NAME | comm::Copy::NAME => {
                for (value, result) in op.operands().zip(op.results()) {
                    self.tied_edge(value, result, op);
                }
            }
            // Its fact is bottom, which joins with anything.
            host::Undef::NAME => _ = self.nodes(op.results()),
            // Any tensor type is valid.
            host::Print::NAME | host::Assert::NAME | host::Abort::NAME | builtin::Module::NAME => {}
            _ if op.num_successors() > 0 => self.branch(op),
            _ => self.unknown_operation(op),
        }
    }

    fn tensor_dialect(&mut self, op: TensorOp<'a>) {
        match op {
            TensorOp::Op(op) => self.tensor_operation(op),
            TensorOp::Const(_) | TensorOp::FromScalar(_) => {
                self.rule(op.op(), Definition::Constant);
            }
            TensorOp::If(_) | TensorOp::Case(_) => self.functional_branch(op.op()),
            TensorOp::While(op) => self.functional_loop(op),
            TensorOp::Call(call) => self.call(op.op(), call.callee(), false),
            TensorOp::Return(_) => self.function_return(op.op()),
            TensorOp::Graph(_) => self.function(op.op()),
            // The operation around it forwards its operands.
            TensorOp::Yield(_) => {}
            // Any tensor type is valid.
            TensorOp::ToScalar(_) => {}
        }
    }

    fn tensor_operation(&mut self, op: tensor::Op<'a>) {
        // The results may depend on a computed attribute in any way.
        let resolved = match op.computed() {
            Some(_) => None,
            None => self.resolver.resolve(op.op()).ok(),
        };
        match resolved {
            Some(resolved) => self.rule(op.op(), Definition::Operation(resolved)),
            None => {
                let results = self.nodes(op.results());
                self.sources.extend(results);
            }
        }
    }

    fn rule(&mut self, op: Op<'a>, definition: Definition) {
        let operands = self.nodes(op.operands());
        let results = self.nodes(op.results());
        self.rules.push(Rule {
            op,
            definition,
            operands,
            results,
        });
    }

    /// Adds `tfx_tensor.if` or `tfx_tensor.case`.
    fn functional_branch(&mut self, op: Op<'a>) {
        for end in op.regions().filter_map(Region::terminator) {
            self.edges(end.operands(), op.results(), end);
        }
    }

    /// Adds `tfx_tensor.while`. The arguments of the body are also those of the condition.
    fn functional_loop(&mut self, op: tensor::While<'a>) {
        let (condition, body) = (op.condition_region().entry(), op.body_region().entry());
        let (Some(condition), Some(body)) = (condition, body) else {
            return self.unknown_operation(op.op());
        };
        self.edges(op.inits().iter(), body.arguments(), op.op());
        if let Some(end) = body.terminator() {
            self.edges(end.operands(), body.arguments(), end);
        }
        self.edges(body.arguments(), condition.arguments(), op.op());
        self.edges(body.arguments(), op.results(), op.op());
    }

    fn structured(&mut self, structured: Structured<'a>) {
        let op = structured.op();
        for operand in structured.inits().positions() {
            for to in structured.entered_by(operand) {
                self.tied_edge(op.operand(operand), to, op);
            }
        }
        for end in op.regions().filter_map(Region::terminator) {
            for (operand, value) in end.operands().enumerate() {
                for to in structured.left_by(end, operand) {
                    self.tied_edge(value, to, end);
                }
            }
        }
    }

    /// Adds a terminator of `scf`. A structured operation around it has already forwarded its
    /// operands.
    fn terminator(&mut self, op: Op<'a>) {
        if Structured::around(op).is_none() {
            op.operands().for_each(|value| self.unknown_use(value));
        }
    }

    fn branch(&mut self, op: Op<'a>) {
        let mut forwarded = HashSet::new();
        for (index, target) in op.successors().enumerate() {
            let operands = op.successor_operands(index);
            for (position, argument) in target.arguments().enumerate() {
                match operands.and_then(|operands| operands.value(position)) {
                    Some(value) => {
                        forwarded.insert(value);
                        self.tied_edge(value, argument, op);
                    }
                    None => self.unknown_source(argument),
                }
            }
        }
        let others: Vec<_> = op
            .operands()
            .filter(|value| !forwarded.contains(value))
            .collect();
        others.into_iter().for_each(|value| self.unknown_use(value));
        op.results().for_each(|value| self.unknown_source(value));
    }

    /// Adds an operation that is not analyzed.
    fn unknown_operation(&mut self, op: Op<'a>) {
        op.operands().for_each(|value| self.unknown_use(value));
        op.results().for_each(|value| self.unknown_source(value));
        let entries: Vec<Block<'a>> = op.regions().filter_map(Region::entry).collect();
        for argument in entries.into_iter().flat_map(Block::arguments) {
            self.unknown_source(argument);
        }
    }
}

/// The elements on which shapes may depend.
impl<'a> Equations<'a> {
    /// Marks the operands whose elements an operation reads, and the nodes from which these are
    /// computed, back to constants and shapes.
    fn mark_needed_elements(&mut self, all_values: bool) {
        let mut definitions: Vec<Option<usize>> = vec![None; self.values.len()];
        let mut origins: Vec<Vec<Node>> = vec![Vec::new(); self.values.len()];
        for (index, rule) in self.rules.iter().enumerate() {
            for &result in &rule.results {
                definitions[result as usize] = Some(index);
            }
        }
        for &(from, to, _) in &self.edges {
            origins[to as usize].push(from);
        }
        self.needs_elements = vec![false; self.values.len()];
        let mut worklist = Vec::new();
        for rule in &self.rules {
            let (name, count) = (rule.name(), rule.operands.len());
            let read = (0..count).filter(|&index| all_values || reads_value(name, index, count));
            worklist.extend(read.map(|index| rule.operands[index]));
        }
        while let Some(node) = worklist.pop() {
            if std::mem::replace(&mut self.needs_elements[node as usize], true) {
                continue;
            }
            worklist.extend_from_slice(&origins[node as usize]);
            if let Some(rule) = definitions[node as usize].map(|index| &self.rules[index])
                && !matches!(rule.name(), "Shape" | "ShapeN" | "Size" | "Rank")
            {
                worklist.extend_from_slice(&rule.operands);
            }
        }
    }
}
