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
//! What it takes is in the order of the first use, what it gives in that of the operations. Linear in the piece.

use std::collections::{HashMap, HashSet};

use melior::ir::{Attribute, attribute::TypeAttribute, r#type::FunctionType};
use tfx_graphdef_mlir::effects::{COMPILED_ATTRIBUTE, PURE};
use tfx_ir::{
    Block, Builder, Op, Value,
    symbols::{SYMBOL_VISIBILITY, SymbolTable},
};

use super::{GRAPH, group::Piece, judge::Weight};

/// A piece that was made a graph.
pub(super) struct Outlined<'a> {
    pub(super) graph: Op<'a>,
    /// The call of it.
    pub(super) call: Op<'a>,
    pub(super) weight: Weight,
}

/// Moves the operations of a piece of `graph` into a graph that comes after `place`.
pub(super) fn outline<'a>(
    graph: Op<'a>,
    place: Op<'a>,
    piece: &Piece<'a>,
    symbols: &mut SymbolTable<'a>,
) -> Outlined<'a> {
    let inside: HashSet<Op<'a>> = piece.ops.iter().flat_map(|op| op.walk()).collect();
    let first = piece.ops[0];
    let last = piece.ops[piece.ops.len() - 1];
    let given = given(piece, &inside);
    let new = new_graph(graph, place, first, symbols);
    let block = new.region(0).add_block(&[]);
    let taken = move_into(block, piece, &inside, last);
    finish(new, block, &given);

    let types: Vec<_> = given.iter().map(|value| value.ty()).collect();
    let unit = Attribute::unit(graph.context());
    let call = taken
        .builder
        .clone()
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
        graph: new,
        call,
        weight: piece.weight,
    }
}

/// The values of a piece that others use.
fn given<'a>(piece: &Piece<'a>, inside: &HashSet<Op<'a>>) -> Vec<Value<'a>> {
    let is_used_outside =
        |value: &Value<'a>| value.uses().any(|found| !inside.contains(&found.owner));
    let results = piece.ops.iter().flat_map(|op| op.results());
    results.filter(is_used_outside).collect()
}

fn new_graph<'a>(
    graph: Op<'a>,
    place: Op<'a>,
    at: Op<'a>,
    symbols: &mut SymbolTable<'a>,
) -> Op<'a> {
    let name = format!("{}.compiled", graph.symbol_name().unwrap_or_default());
    let ty = FunctionType::new(graph.context(), &[], &[]);
    let new = Builder::after(place)
        .op(GRAPH)
        .string("sym_name", &name)
        .string(SYMBOL_VISIBILITY, "private")
        .attribute("function_type", TypeAttribute::new(ty.into()))
        .regions(1)
        .location(at.location())
        .build();
    symbols.insert(new);
    new
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
                    Some(constant) => constants
                        .clone_op(constant, &mut tfx_ir::Mapping::new())
                        .result(0),
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
