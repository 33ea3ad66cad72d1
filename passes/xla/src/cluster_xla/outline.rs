//! A piece becomes a graph of its own and a call of it.
//!
//! ```text
//! %c = const 2                              graph private @g.compiled(%0, %1) -> ... {
//! %a = Mul(%x, %c)        ──►                 %c = const 2          copied: XLA has to know it
//! %b = Add(%a, %y)                            ...                   moved
//! send %b to 0                                return %b
//!                                           }
//!                                           %b = call @g.compiled(%x, %y) {compiled, pure}
//! ```
//!
//! A graph that it calls is copied, too, once for all that is compiled; the original goes where nobody else calls it.
//!
//! What it takes is in the order of the first use, what it gives in that of the operations. Linear in the pieces and in what they call.

use std::collections::{HashMap, HashSet};

use melior::ir::{Attribute, attribute::TypeAttribute, r#type::FunctionType};
use tfx_graphdef_mlir::{
    effects::{COMPILED_ATTRIBUTE, PURE},
    operations::{OP, named_graphs},
};
use tfx_ir::{
    Block, Builder, Mapping, Op, Value,
    symbols::{SYMBOL_NAME, SYMBOL_VISIBILITY, SymbolTable},
};

use super::{
    GRAPH,
    group::Piece,
    judge::{Judge, Weight},
};

/// A piece that was made a graph.
pub(super) struct Outlined<'a> {
    /// The call.
    pub(super) call: Op<'a>,
    pub(super) weight: Weight,
}

/// Makes graphs of pieces.
pub(super) struct Outliner<'j, 'a> {
    judge: &'j Judge<'a>,
    symbols: SymbolTable<'a>,
    /// Graphs that compiled ones call: the copies of them that are compiled.
    copies: HashMap<Op<'a>, String>,
    /// The number of the next name that starts so: names are not looked for from the first one on.
    numbers: HashMap<String, usize>,
    /// How many calls, and other operations, name a graph.
    uses: HashMap<Op<'a>, usize>,
}

impl<'j, 'a> Outliner<'j, 'a> {
    pub(super) fn new(module: Op<'a>, judge: &'j Judge<'a>) -> Self {
        let mut outliner = Self {
            judge,
            symbols: SymbolTable::new(module),
            copies: HashMap::new(),
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

    /// Erases a graph that only compiled graphs called, which have a copy of it; says whether it did.
    pub(super) fn erase_if_unused(&mut self, graph: Op<'a>) -> bool {
        let is_unused = self.copies.contains_key(&graph)
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

    /// Moves the operations of a piece of `graph` into a graph of their own, which comes after `place`.
    pub(super) fn outline(
        &mut self,
        graph: Op<'a>,
        place: &mut Op<'a>,
        piece: &Piece<'a>,
    ) -> Outlined<'a> {
        let inside: HashSet<Op<'a>> = piece.ops.iter().flat_map(|op| op.walk()).collect();
        let first = piece.ops[0];
        let last = piece.ops[piece.ops.len() - 1];
        let given = given(piece, &inside);
        let new = self.new_graph(graph, *place, first);
        let block = new.region(0).add_block(&[]);
        let mut taken = move_into(block, piece, &inside, last);
        finish(new, block, &given);
        *place = new;
        self.copy_callees(new, place);

        let types: Vec<_> = given.iter().map(|value| value.ty()).collect();
        let unit = Attribute::unit(graph.context());
        let call = taken
            .builder
            .op("tfx_tensor.call")
            .symbol("callee", new.symbol_name().unwrap_or_default())
            .attribute(COMPILED_ATTRIBUTE, unit)
            .attribute(PURE, unit)
            .operands(&taken.values)
            .results(&types)
            .location(first.location())
            .build();
        for (value, result) in given.into_iter().zip(call.results()) {
            value.replace_uses_if(result, |found| {
                !inside.contains(&found.owner) && found.owner.block() != Some(block)
            });
        }
        Outlined {
            call,
            weight: piece.weight,
        }
    }

    fn new_graph(&mut self, graph: Op<'a>, place: Op<'a>, at: Op<'a>) -> Op<'a> {
        let name = self.compiled_name(graph);
        let ty = FunctionType::new(graph.context(), &[], &[]);
        let new = Builder::after(place)
            .op(GRAPH)
            .string(SYMBOL_NAME, &name)
            .string(SYMBOL_VISIBILITY, "private")
            .attribute("function_type", TypeAttribute::new(ty.into()))
            .regions(1)
            .location(at.location())
            .build();
        self.symbols.insert(new);
        new
    }

    /// Has a compiled graph call compiled copies: in TensorFlow, control flow takes another form in what is compiled, so others cannot share them.
    fn copy_callees(&mut self, compiled: Op<'a>, place: &mut Op<'a>) {
        let mut pending = vec![compiled];
        while let Some(graph) = pending.pop() {
            for call in graph.walk() {
                let Some(callee) = self.judge.callee(call) else {
                    continue;
                };
                if graph == compiled {
                    self.forget(call);
                }
                if !self.copies.contains_key(&callee) {
                    let copy = Builder::after(*place).clone_op(callee, &mut Mapping::new());
                    copy.set_string(SYMBOL_NAME, &self.compiled_name(callee));
                    copy.set_string(SYMBOL_VISIBILITY, "private");
                    let name = self.symbols.insert(copy).to_owned();
                    self.copies.insert(callee, name);
                    *place = copy;
                    pending.push(copy);
                }
                call.set_symbol("callee", &self.copies[&callee]);
            }
        }
    }

    /// A free name for a compiled graph of `graph`.
    fn compiled_name(&mut self, graph: Op<'a>) -> String {
        let name = format!("{}.compiled", graph.symbol_name().unwrap_or_default());
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

    /// The graphs that an operation names.
    fn named(&self, op: Op<'a>) -> Vec<Op<'a>> {
        let names = op
            .symbol("callee")
            .into_iter()
            .chain(op.symbol("graph"))
            .chain(named_graphs(op).into_iter().filter(|_| op.is(OP)));
        names.filter_map(|name| self.symbols.get(name)).collect()
    }

    fn forget(&mut self, op: Op<'a>) {
        for graph in self.named(op) {
            if let Some(uses) = self.uses.get_mut(&graph) {
                *uses -= 1;
            }
        }
    }
}

/// The values of a piece that others use.
fn given<'a>(piece: &Piece<'a>, inside: &HashSet<Op<'a>>) -> Vec<Value<'a>> {
    let is_used_outside =
        |value: &Value<'a>| value.uses().any(|found| !inside.contains(&found.owner));
    let results = piece.ops.iter().flat_map(|op| op.results());
    results.filter(is_used_outside).collect()
}

/// What a piece takes, and where it was.
struct Taken<'a> {
    values: Vec<Value<'a>>,
    builder: Builder<'a>,
}

/// Moves the operations, and gives them what they take from outside as arguments of the block, and constants as copies.
fn move_into<'a>(
    block: Block<'a>,
    piece: &Piece<'a>,
    inside: &HashSet<Op<'a>>,
    last: Op<'a>,
) -> Taken<'a> {
    let mut values = Vec::new();
    let mut replacements: HashMap<Value<'a>, Value<'a>> = HashMap::new();
    let builder = Builder::before(last.next().expect("a terminator comes after it"));
    for &op in &piece.ops {
        op.move_to_end(block);
    }
    let mut constants = Builder::at_start(block, last.location());
    for op in piece.ops.iter().flat_map(|op| op.walk()) {
        for (index, value) in op.operands().enumerate() {
            if is_defined_in(value, inside) {
                continue;
            }
            let replacement = *replacements.entry(value).or_insert_with(|| {
                match value.defining_op().filter(|op| op.is("tfx_tensor.const")) {
                    Some(constant) => constants.clone_op(constant, &mut Mapping::new()).result(0),
                    None => {
                        values.push(value);
                        block.add_argument(value.ty(), value.location())
                    }
                }
            });
            op.set_operand(index, replacement);
        }
    }
    Taken { values, builder }
}

fn is_defined_in<'a>(value: Value<'a>, inside: &HashSet<Op<'a>>) -> bool {
    match value.as_argument() {
        Some((block, _)) => block
            .parent()
            .is_some_and(|parent| inside.contains(&parent)),
        None => value.defining_op().is_some_and(|op| inside.contains(&op)),
    }
}

/// Ends the block, and gives the graph its type.
fn finish<'a>(new: Op<'a>, block: Block<'a>, given: &[Value<'a>]) {
    Builder::at_end(block, new.location())
        .op("tfx_tensor.return")
        .operands(given)
        .build();
    let inputs: Vec<_> = block.arguments().map(|argument| argument.ty()).collect();
    let results: Vec<_> = given.iter().map(|value| value.ty()).collect();
    let ty = FunctionType::new(new.context(), &inputs, &results);
    new.set_attribute("function_type", TypeAttribute::new(ty.into()));
}
