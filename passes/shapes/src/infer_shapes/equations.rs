//! The equations of a module: what each tensor is made by, and where it goes.
//!
//! ```text
//! %r = scf.if %p { yield %a } else { yield %b }      edges  %a ─► %r, %b ─► %r     ties   %a = %r = %b     (scf wants one type)
//! func.call @f(%x), func private @f(%y)              edge   %x ─► %y               tie    %x = %y
//! tfx_tensor.while (%i = %n) ... do { yield %m }     edges  %n ─► %i, %m ─► %i                              (types need only fit)
//! %y = tfx_tensor.op "Neg"(%x)                       rule
//! func.call @foreign(%x)                             %x keeps its type
//! ```
//!
//! An *edge* says where a value goes; a *tie*, which two values must have one type; a *fixed* value keeps the type that is declared. The
//! results of functions have numbers of their own, which no value has. One walk; linear.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use melior::ir::attribute::ArrayAttribute;
use melior::ir::{Type, TypeLike};
use rustc_hash::FxHashMap;
use tfx_graphdef::Resolved;
use tfx_graphdef::shapes::{Shape, reads_value};
use tfx_graphdef_mlir::operations::{COMPUTED_ATTRIBUTE, NAME_ATTRIBUTE, OP, Resolver};
use tfx_graphdef_mlir::types;
use tfx_ir::cast::Cast;
use tfx_ir::{Block, Op, Value, attribute};

use super::is_generic;

/// Modules inside of a module have symbols of their own, and the pass runs on each by itself.
const MODULE: &str = "builtin.module";
const GRAPH: &str = "tfx_tensor.graph";
const FUNCTION: &str = "func.func";
const CONSTANT: &str = "tfx_tensor.const";
const FROM_SCALAR: &str = "tfx_tensor.from_scalar";
const UNDEFINED: &str = "tfx_host.undef";

/// A tensor, or a result of a function.
pub(super) type Number = u32;

/// What makes a tensor.
pub(super) enum Maker {
    /// A TensorFlow operation.
    Operation(Rc<Resolved>),
    /// A constant, or a tensor of a scalar: its shape is declared, and its elements may be known.
    Constant,
}

/// An operation that makes tensors of tensors.
pub(super) struct Rule<'a> {
    pub(super) op: Op<'a>,
    pub(super) maker: Maker,
    pub(super) operands: Vec<Number>,
    pub(super) results: Vec<Number>,
}

/// A function or graph whose every call is in sight.
#[derive(Clone, Default)]
struct Callable<'a> {
    /// Its results as its callers see them.
    results: Vec<Number>,
    parameters: Vec<Value<'a>>,
}

/// See the documentation of this module.
#[derive(Default)]
pub(super) struct Equations<'a> {
    numbers: FxHashMap<Value<'a>, Number>,
    /// The value of each number; none for a result of a function.
    pub(super) values: Vec<Option<Value<'a>>>,
    /// What is declared.
    pub(super) types: Vec<Type<'a>>,
    pub(super) declared: Vec<Shape>,
    shapes: FxHashMap<usize, Shape>,
    pub(super) rules: Vec<Rule<'a>>,
    /// Where values go, with the operation that sends them there.
    pub(super) edges: Vec<(Number, Number, Op<'a>)>,
    pub(super) ties: Vec<(Number, Number)>,
    /// Who must keep the declared type.
    pub(super) fixed: Vec<bool>,
    /// Who has just what is declared.
    pub(super) sources: Vec<Number>,
    /// Functions and graphs with the numbers of their results, whose signatures follow their bodies.
    pub(super) functions: Vec<(Op<'a>, Vec<Number>)>,
    /// Whose elements a shape may depend on.
    pub(super) wanted: Vec<bool>,
    /// Functions and graphs by their symbols, while the equations are made.
    callables: HashMap<&'a str, Callable<'a>>,
    resolver: Resolver<'static>,
}

impl<'a> Equations<'a> {
    /// The equations of a module. `all_values`: any operand of an operation may count with its value.
    pub(super) fn of(module: Op<'a>, all_values: bool) -> Self {
        let mut equations = Self::default();
        equations.callables(module);
        let mut walk = module.walk();
        while let Some(op) = walk.next() {
            if is_generic(op) || (op.is(MODULE) && op != module) {
                walk.skip_regions();
            } else {
                equations.operation(op);
            }
        }
        equations.want(all_values);
        equations
    }

    /// The number of a tensor; `None` for any other value.
    fn number(&mut self, value: Value<'a>) -> Option<Number> {
        if let Some(&number) = self.numbers.get(&value) {
            return Some(number);
        }
        let number = self.new_number(value.ty(), Some(value))?;
        self.numbers.insert(value, number);
        Some(number)
    }

    fn new_number(&mut self, ty: Type<'a>, value: Option<Value<'a>>) -> Option<Number> {
        if !ty.is_tensor() {
            return None;
        }
        let number = self.values.len() as Number;
        let declared = self.shapes.entry(ty.to_raw().ptr as usize);
        let declared = declared.or_insert_with(|| shape(ty)).clone();
        self.values.push(value);
        self.types.push(ty);
        self.declared.push(declared);
        self.fixed.push(false);
        Some(number)
    }

    /// A value that comes from where nobody looks, such as a parameter of a public function.
    fn given(&mut self, value: Value<'a>) {
        if let Some(number) = self.number(value) {
            self.sources.push(number);
            self.fixed[number as usize] = true;
        }
    }

    /// A value that goes where nobody looks.
    fn taken(&mut self, value: Value<'a>) {
        if let Some(number) = self.number(value) {
            self.fixed[number as usize] = true;
        }
    }

    /// A value that goes on as another one, of any type that fits.
    fn edge(&mut self, from: Value<'a>, to: Value<'a>, by: Op<'a>) {
        if let (Some(from_number), Some(to)) = (self.number(from), self.number(to)) {
            self.edges.push((from_number, to, by));
            // What is never read takes whatever type is wanted of it.
            if from.defining_op().is_some_and(|op| op.is(UNDEFINED)) {
                self.ties.push((from_number, to));
            }
        }
    }

    /// A value that goes on as another one of the same type.
    fn same(&mut self, from: Value<'a>, to: Value<'a>, by: Op<'a>) {
        if let (Some(from), Some(to)) = (self.number(from), self.number(to)) {
            self.edges.push((from, to, by));
            self.ties.push((from, to));
        }
    }

    fn all_same(
        &mut self,
        from: impl Iterator<Item = Value<'a>>,
        to: impl Iterator<Item = Value<'a>>,
        by: Op<'a>,
    ) {
        from.zip(to).for_each(|(from, to)| self.same(from, to, by));
    }

    fn all_edges(
        &mut self,
        from: impl Iterator<Item = Value<'a>>,
        to: impl Iterator<Item = Value<'a>>,
        by: Op<'a>,
    ) {
        from.zip(to).for_each(|(from, to)| self.edge(from, to, by));
    }
}

/// The shape that a type declares.
fn shape(ty: Type<'_>) -> Shape {
    match types::sizes(ty) {
        Some(sizes) => Shape::of(sizes),
        None => Shape::UNKNOWN,
    }
}

/// Functions and graphs, and who calls them.
impl<'a> Equations<'a> {
    /// Finds the functions and graphs whose every call is in sight: nothing else names them, and nobody outside of the module does.
    fn callables(&mut self, module: Op<'a>) {
        let named: HashSet<&str> = module.walk().flat_map(symbols_other_than_calls).collect();
        for op in module.children().filter(|op| !is_generic(*op)) {
            let (Some(name), true) = (op.symbol_name(), op.is(GRAPH) || op.is(FUNCTION)) else {
                continue;
            };
            let Some(entry) = op.region(0).entry() else {
                continue;
            };
            let is_named = named.contains(name);
            let (_, types) = op.signature();
            let results: Vec<_> = types
                .iter()
                .filter_map(|&ty| self.new_number(ty, None))
                .collect();
            // Who starts a public graph is not known here, but whoever takes its results can take what says more.
            let results_follow = !is_named && (op.is_private() || op.is(GRAPH));
            if results_follow {
                self.functions.push((op, results.clone()));
            } else {
                results
                    .iter()
                    .for_each(|&result| self.fixed[result as usize] = true);
            }
            let parameters: Vec<_> = entry.arguments().collect();
            if is_named || !op.is_private() {
                parameters.iter().for_each(|&value| self.given(value));
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

    fn call(&mut self, op: Op<'a>) {
        let callee = op
            .symbol("callee")
            .and_then(|name| self.callables.get(name))
            .cloned();
        let Some(callee) = callee else {
            return self.other(op);
        };
        for (operand, parameter) in op.operands().zip(callee.parameters) {
            match op.is("func.call") {
                true => self.same(operand, parameter, op),
                false => self.edge(operand, parameter, op),
            }
        }
        let results: Vec<_> = op
            .results()
            .filter_map(|value| self.number(value))
            .collect();
        for (from, to) in callee.results.into_iter().zip(results) {
            self.edges.push((from, to, op));
            if op.is("func.call") {
                self.ties.push((from, to));
            }
        }
    }

    /// The end of a function or of a graph.
    fn end(&mut self, op: Op<'a>) {
        let owner = op.parent().and_then(Op::symbol_name);
        let results = owner.and_then(|name| self.callables.get(name));
        let results = results.map_or(Vec::new(), |callable| callable.results.clone());
        let values: Vec<_> = op
            .operands()
            .filter_map(|value| self.number(value))
            .collect();
        for (from, to) in values.into_iter().zip(results) {
            self.edges.push((from, to, op));
            self.ties.push((from, to));
        }
    }
}

/// The symbols that an operation names, but for the callee of a call.
fn symbols_other_than_calls(op: Op<'_>) -> Vec<&str> {
    let mut found = Vec::new();
    // Most operations are of dialects whose attributes name nothing.
    if matches!(op.dialect(), "arith" | "math" | "index" | "cf" | "scf")
        || op.is("func.call")
        || op.is("tfx_tensor.call")
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

/// One operation after another.
impl<'a> Equations<'a> {
    fn operation(&mut self, op: Op<'a>) {
        match op.name() {
            OP => self.tensor_operation(op),
            CONSTANT | FROM_SCALAR => self.rule(op, Maker::Constant),
            "tfx_tensor.if" | "tfx_tensor.case" => self.arms(op, Self::all_edges),
            "tfx_tensor.while" => self.functional_loop(op),
            "tfx_tensor.call" | "func.call" => self.call(op),
            "tfx_tensor.return" | "func.return" => self.end(op),
            "scf.if" | "scf.index_switch" => self.arms(op, Self::all_same),
            "scf.for" => self.counted_loop(op),
            "scf.while" => self.structured_loop(op),
            "scf.yield" | "scf.condition" | "tfx_tensor.yield" => self.terminator(op),
            "arith.select" => {
                for operand in [1, 2] {
                    self.same(op.operand(operand), op.result(0), op);
                }
            }
            "tfx_comm.to_host" | "tfx_comm.to_accelerator" => {
                self.same(op.operand(0), op.result(0), op);
            }
            // Nothing comes of it, and it joins with anything.
            UNDEFINED => _ = self.number(op.result(0)),
            // They take any tensor.
            "tfx_host.print" | "tfx_tensor.to_scalar" => {}
            // Their parameters and results are in `callables`.
            FUNCTION | GRAPH => self.unknown_function(op),
            MODULE => {}
            _ if op.num_successors() > 0 => self.branch(op),
            _ => self.other(op),
        }
    }

    fn tensor_operation(&mut self, op: Op<'a>) {
        // An attribute that is not known yet may decide anything.
        let resolved = match op.attribute(COMPUTED_ATTRIBUTE) {
            Some(_) => None,
            None => self.resolver.resolve(op).ok(),
        };
        match resolved {
            Some(resolved) => self.rule(op, Maker::Operation(resolved)),
            None => {
                let results: Vec<_> = op
                    .results()
                    .filter_map(|value| self.number(value))
                    .collect();
                self.sources.extend(results);
            }
        }
    }

    fn rule(&mut self, op: Op<'a>, maker: Maker) {
        let operands = op
            .operands()
            .filter_map(|value| self.number(value))
            .collect();
        let results = op
            .results()
            .filter_map(|value| self.number(value))
            .collect();
        self.rules.push(Rule {
            op,
            maker,
            operands,
            results,
        });
    }

    /// Regions of which one runs, and gives the results.
    fn arms(
        &mut self,
        op: Op<'a>,
        join: impl Fn(&mut Self, std::vec::IntoIter<Value<'a>>, std::vec::IntoIter<Value<'a>>, Op<'a>),
    ) {
        let results: Vec<_> = op.results().collect();
        for region in op.regions() {
            if let Some(end) = region.entry().and_then(Block::terminator) {
                let values: Vec<_> = end.operands().collect();
                join(self, values.into_iter(), results.clone().into_iter(), end);
            }
        }
    }

    /// `While`: the body hands its values to the condition and to itself.
    fn functional_loop(&mut self, op: Op<'a>) {
        let (Some(condition), Some(body)) = (op.region(0).entry(), op.region(1).entry()) else {
            return self.other(op);
        };
        self.all_edges(op.operands(), body.arguments(), op);
        if let Some(end) = body.terminator() {
            self.all_edges(end.operands(), body.arguments(), end);
        }
        self.all_edges(body.arguments(), condition.arguments(), op);
        self.all_edges(body.arguments(), op.results(), op);
    }

    fn counted_loop(&mut self, op: Op<'a>) {
        /// The operands and the argument of an `scf.for` that are not carried.
        const BOUNDS: usize = 3;
        let Some(body) = op.region(0).entry() else {
            return self.other(op);
        };
        let carried = || body.arguments().skip(1);
        self.all_same(op.operands().skip(BOUNDS), carried(), op);
        if let Some(end) = body.terminator() {
            self.all_same(end.operands(), carried(), end);
        }
        self.all_same(carried(), op.results(), op);
    }

    fn structured_loop(&mut self, op: Op<'a>) {
        let (Some(header), Some(rest)) = (op.region(0).entry(), op.region(1).entry()) else {
            return self.other(op);
        };
        self.all_same(op.operands(), header.arguments(), op);
        if let Some(end) = rest.terminator() {
            self.all_same(end.operands(), header.arguments(), end);
        }
        if let Some(condition) = header.terminator() {
            self.all_same(condition.operands().skip(1), rest.arguments(), condition);
            self.all_same(condition.operands().skip(1), op.results(), condition);
        }
    }

    /// The end of a region: the operation around it has said where its values go, if it is one that is known here.
    fn terminator(&mut self, op: Op<'a>) {
        let is_known = op.parent().is_some_and(|parent| {
            matches!(
                parent.name(),
                "scf.if"
                    | "scf.index_switch"
                    | "scf.for"
                    | "scf.while"
                    | "tfx_tensor.if"
                    | "tfx_tensor.case"
                    | "tfx_tensor.while"
            )
        });
        if !is_known {
            op.operands().for_each(|value| self.taken(value));
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
                        self.same(value, argument, op);
                    }
                    None => self.given(argument),
                }
            }
        }
        let others: Vec<_> = op
            .operands()
            .filter(|value| !forwarded.contains(value))
            .collect();
        others.into_iter().for_each(|value| self.taken(value));
        op.results().for_each(|value| self.given(value));
    }

    /// A function that is not in the symbol table of the module, or has no name.
    fn unknown_function(&mut self, op: Op<'a>) {
        let is_known = op
            .symbol_name()
            .is_some_and(|name| self.callables.contains_key(name));
        if !is_known {
            self.other(op);
        }
    }

    /// An operation of which nothing is known here.
    fn other(&mut self, op: Op<'a>) {
        op.operands().for_each(|value| self.taken(value));
        op.results().for_each(|value| self.given(value));
        for entry in op.regions().filter_map(|region| region.entry()) {
            entry.arguments().for_each(|value| self.given(value));
        }
    }
}

/// Which elements may matter.
impl<'a> Equations<'a> {
    /// Marks the operands that an operation reads the values of, and what these are computed from, back to constants and shapes.
    fn want(&mut self, all_values: bool) {
        let mut makers: Vec<Option<usize>> = vec![None; self.values.len()];
        let mut origins: Vec<Vec<Number>> = vec![Vec::new(); self.values.len()];
        for (index, rule) in self.rules.iter().enumerate() {
            for &result in &rule.results {
                makers[result as usize] = Some(index);
            }
        }
        for &(from, to, _) in &self.edges {
            origins[to as usize].push(from);
        }
        self.wanted = vec![false; self.values.len()];
        let mut todo = Vec::new();
        for rule in &self.rules {
            let name = rule.op.string(NAME_ATTRIBUTE).unwrap_or_default();
            let count = rule.operands.len();
            let read = (0..count).filter(|&index| all_values || reads_value(name, index, count));
            todo.extend(read.map(|index| rule.operands[index]));
        }
        while let Some(number) = todo.pop() {
            if std::mem::replace(&mut self.wanted[number as usize], true) {
                continue;
            }
            todo.extend_from_slice(&origins[number as usize]);
            if let Some(rule) = makers[number as usize].map(|index| &self.rules[index])
                && reads_elements(rule)
            {
                todo.extend_from_slice(&rule.operands);
            }
        }
    }
}

/// Whether what an operation gives depends on more of its operands than their shapes.
fn reads_elements(rule: &Rule<'_>) -> bool {
    let name = rule.op.string(NAME_ATTRIBUTE).unwrap_or_default();
    !matches!(name, "Shape" | "ShapeN" | "Size" | "Rank")
}
