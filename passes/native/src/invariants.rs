//! Moves operations out of loops whose operands are the same in all iterations.
//!
//! ```text
//! while (%i = %0, %w = %x) do {              %s = Sin(%x)
//!   %s = Sin(%w)                    ──►      while (%i = %0, %w = %x) do {
//!   %y = Mul(%s, ...)                          %y = Mul(%s, ...)
//!   yield %j, %w                               yield %j, %w
//! ```
//!
//! The derivative along a direction computes the function as well; in a loop over directions, that
//! is the same in all iterations.
//!
//! A loop may have no iterations, so only operations move that cannot fail: those on known sizes
//! without a divisor or an index. The loop is compiled as a whole, so no send in it waits for them.
//!
//! Linear in the operations, times the depth of loops: inner loops come first, and what they lose
//! may leave the loops around them.

use std::collections::HashMap;

use tfx_dialects::tensor;
use tfx_graphdef_mlir::clusters::Analysis;
use tfx_graphdef_mlir::{tensors, types};
use tfx_ir::{Op, Region, Value};

use crate::cluster_native::Native;
use crate::operations::{self, Lowering, Reshaping, RowWise};

/// Moves the invariant operations of the loops of a module that are compiled.
pub(crate) fn hoist(module: Op<'_>) {
    let analysis = Analysis::of_module::<Native>(module, &HashMap::new());
    let loops = module.walk_post().filter(|op| op.isa::<tensor::While>());
    for op in loops
        .filter(|op| analysis.compiles(*op))
        .collect::<Vec<_>>()
    {
        let regions = op.regions().filter_map(Region::entry);
        for inside in regions.flat_map(|block| block.ops()).collect::<Vec<_>>() {
            let Some(inside) = tensor::Op::cast(inside).filter(|inside| never_fails(*inside))
            else {
                continue;
            };
            let operands = inside.op().operands().map(|value| invariant(op, value));
            let Some(operands) = operands.collect::<Option<Vec<_>>>() else {
                continue;
            };
            inside.op().set_operands(&operands);
            let constants = operands.iter().filter_map(|value| value.defining_op());
            for constant in constants.filter(|made| made.parent() == Some(op)) {
                constant.move_before(op);
            }
            inside.op().move_before(op);
        }
    }
}

/// Returns the value from outside of a loop that a value always is, or a constant in its regions.
fn invariant<'a>(op: Op<'a>, value: Value<'a>) -> Option<Value<'a>> {
    if !value.is_defined_within(op) {
        return Some(value);
    }
    let Some((block, position)) = value.as_argument() else {
        let made = value.defining_op()?;
        let is_constant = made.isa::<tensor::Const>() && made.parent() == Some(op);
        return is_constant.then_some(value);
    };
    if block.parent() != Some(op) {
        return None;
    }
    let body = op.region(1);
    let next = body.terminator()?.operand(position);
    (next == body.entry()?.argument(position)).then(|| op.operand(position))
}

/// Returns whether an operation has results for all operands of its types.
fn never_fails(op: tensor::Op<'_>) -> bool {
    let mut values = op.op().operands().chain(op.op().results());
    let is_known = |value: Value<'_>| {
        types::sizes(value.ty()).is_some_and(|sizes| sizes.iter().all(Option::is_some))
    };
    if !values.all(is_known) {
        return false;
    }
    match operations::classify(op) {
        Ok(Lowering::Same(Reshaping::Stated(operand))) => {
            tensors::integers(op.op().operand(operand)).is_some()
        }
        Ok(
            Lowering::Elementwise(_)
            | Lowering::Same(_)
            | Lowering::View { .. }
            | Lowering::Views { .. }
            | Lowering::Inside { .. }
            | Lowering::Reduce { .. }
            | Lowering::Product { .. }
            | Lowering::Convolution(_)
            | Lowering::Windowed(_)
            | Lowering::RowWise(RowWise::Softmax | RowWise::LogSoftmax | RowWise::CrossEntropy)
            | Lowering::Pack { .. }
            | Lowering::Concat { .. }
            | Lowering::Pad { .. }
            | Lowering::SumAll
            | Lowering::Sizes(_),
        ) => true,
        _ => false,
    }
}
