//! The replacement of integers whose elements are known by constants.
//!
//! ```text
//! %n = Size(%x : [2, 3])      ──►   %n = const 6
//! %m = Max(%n, Range(0, 0))         %m = const 6
//! ```
//!
//! Only graphs are changed. Results of operations and the arguments of loops are replaced, and
//! afterwards the operations without effects whose results nothing uses are erased. Linear in the
//! IR, and in the elements of the constants.

use melior::ir::attribute::{DenseElementsAttribute, IntegerAttribute};
use melior::ir::{Attribute, Type};
use rustc_hash::FxHashMap;
use tfx_dialects::tensor;
use tfx_graphdef::shapes::Known;
use tfx_graphdef_mlir::effects::{Effect, effect_in_order};
use tfx_graphdef_mlir::types;
use tfx_ir::{Builder, Op, Value};

use super::equations::{Equations, Node};
use super::solve::Solution;

/// Replaces the values of graphs that are known. Returns their number.
pub(super) fn fold<'a>(
    equations: &Equations<'a>,
    solution: &Solution<'_, 'a>,
    module: Op<'a>,
) -> u64 {
    let nodes = equations.values.iter().enumerate();
    let nodes: FxHashMap<_, _> = nodes
        .filter_map(|(node, value)| Some(((*value)?, node)))
        .collect();
    let mut replaced = 0;
    // In the order of the program: a division by a constant cannot fail, so its divisor is first.
    for value in module.walk().flat_map(Op::definitions).collect::<Vec<_>>() {
        let node = nodes.get(&value).filter(|_| may_be_constant(value));
        let Some(&node) = node else {
            continue;
        };
        let constant = solution
            .fact(node as Node)
            .and_then(|known| constant(value.ty(), known));
        if let Some(constant) = constant {
            let mut builder = match value.defining_op() {
                Some(op) => Builder::before(op),
                None => {
                    Builder::at_start(value.block().expect("it is an argument"), value.location())
                }
            };
            let constant = tensor::Const::build(&mut builder, value.ty(), constant);
            value.replace_all_uses_with(constant.result());
            replaced += 1;
        }
    }
    let graphs = module.children().filter(|op| op.isa::<tensor::Graph>());
    for graph in graphs {
        erase_unused(graph);
    }
    replaced
}

/// Returns whether a value is in a graph, and no constant yet.
fn may_be_constant(value: Value<'_>) -> bool {
    let is_operation = match value.defining_op() {
        Some(op) => op.isa::<tensor::Op>() && effect_in_order(op) == Effect::Pure,
        None => {
            let around = value.block().and_then(tfx_ir::Block::parent);
            around.is_some_and(|op| op.isa::<tensor::While>())
        }
    };
    is_operation && !value.is_unused() && is_in_graph(value)
}

fn is_in_graph(value: Value<'_>) -> bool {
    let around = value.block().and_then(tfx_ir::Block::parent);
    around.is_some_and(|op| op.isa::<tensor::Graph>() || op.ancestor(tensor::Graph::NAME).is_some())
}

/// Returns the elements of a value of a static type, if all are known.
fn constant<'a>(ty: Type<'a>, known: &Known) -> Option<Attribute<'a>> {
    let sizes: Option<Vec<u64>> = types::sizes(ty)?.into_iter().collect();
    let count: u64 = sizes?.iter().product();
    let element = types::element_type(ty);
    if count == 0 && types::width(element).is_some() {
        return Some(DenseElementsAttribute::new(ty, &[]).ok()?.into());
    }
    let elements: Option<Vec<i64>> = known.elements.as_ref()?.iter().copied().collect();
    let elements = elements?;
    if count != elements.len() as u64 || count == 0 {
        return None;
    }
    let attributes = elements.iter();
    let attributes: Vec<Attribute<'a>> = attributes
        .map(|&number| IntegerAttribute::new(element, number).into())
        .collect();
    let is_splat = elements.iter().all(|number| *number == elements[0]);
    match is_splat {
        true => Some(DenseElementsAttribute::splat(ty, attributes[0]).into()),
        false => Some(DenseElementsAttribute::new(ty, &attributes).ok()?.into()),
    }
}

/// Erases the operations without effects whose results nothing uses, the users before what they
/// use.
fn erase_unused(graph: Op<'_>) {
    let ops: Vec<_> = graph.walk().collect();
    for op in ops.into_iter().rev() {
        let is_value = op.isa::<tensor::Op>() || op.isa::<tensor::Const>();
        if is_value && op.is_unused() && effect_in_order(op) == Effect::Pure {
            op.erase();
        }
    }
}
