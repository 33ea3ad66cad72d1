//! The lengths and the stated shapes of lists that are known where they are read.
//!
//! ```text
//! %l = TensorListFromTensor(%t : [50, 16, 64], [16, 64])
//! while (%m = %l) { ... TensorListLength(%m), TensorListElementShape(%m) ... yield %m }
//!                       50                    [16, 64]
//! ```
//!
//! A list has the length and the stated shape of the operation that makes it. They are followed
//! through operations that keep both, and through loops that forward a list without change, for at
//! most [`MOST_STEPS`] each.

use tfx_dialects::tensor;
use tfx_graphdef_mlir::{tensors, types};
use tfx_ir::{Builder, Op, Region, Value};

use super::{integers, tf};

/// The maximal number of values that are followed for one operation, so that all take linear time.
const MOST_STEPS: usize = 64;

/// Replaces lengths and shapes by constants. Returns their number.
pub(super) fn replace(module: Op<'_>) -> u64 {
    let mut replaced = 0;
    let ops = module.walk().filter_map(tensor::Op::cast);
    for op in ops.collect::<Vec<_>>() {
        let is_length = op.tf_name() == "TensorListLength";
        let is_shape = op.tf_name() == "TensorListElementShape";
        if !is_length && !is_shape || op.op().result(0).is_unused() {
            continue;
        }
        let Some(made) = maker(op.op().operand(0)) else {
            continue;
        };
        let mut builder = Builder::before(op.op());
        let constant = match is_length {
            true => length(made).map(|length| integers(&mut builder, 32, &[], &[length])),
            false => constant_shape(&mut builder, made, op.op().result(0)),
        };
        if let Some(constant) = constant {
            let old = op.op().result(0);
            let same = tf(&mut builder, "Identity", &[constant], old.ty());
            old.replace_all_uses_with(same);
            replaced += 1;
        }
    }
    replaced
}

/// Returns the operation that makes a list.
fn maker(mut list: Value<'_>) -> Option<tensor::Op<'_>> {
    for _ in 0..MOST_STEPS {
        let Some(op) = list.defining_op() else {
            let (block, position) = list.as_argument()?;
            list = forwarded(block.parent()?, position)?;
            continue;
        };
        if op.isa::<tensor::While>() {
            let position = op.results().position(|result| result == list)?;
            list = forwarded(op, position)?;
            continue;
        }
        let op = tensor::Op::cast(op)?;
        match op.tf_name() {
            "Identity" | "TensorListSetItem" => list = op.op().operand(0),
            "TensorListReserve" | "TensorListFromTensor" => return Some(op),
            _ => return None,
        }
    }
    None
}

/// Returns the initial value of a list that a loop forwards without change.
fn forwarded(op: Op<'_>, position: usize) -> Option<Value<'_>> {
    let body = tensor::While::cast(op)?.body_region();
    let argument = body.entry()?.argument(position);
    let yielded = Region::terminator(body)?.operand(position);
    (yielded == argument).then(|| op.operand(position))
}

fn length(op: tensor::Op<'_>) -> Option<i64> {
    let is_reserved = op.tf_name() == "TensorListReserve";
    match is_reserved {
        true => tensors::integers(op.op().operand(1))?.first().copied(),
        false => {
            let sizes = types::sizes(op.op().operand(0).ty())?;
            i64::try_from((*sizes.first()?)?).ok()
        }
    }
}

/// Builds the shape that the operation states which makes a list, for a value of this type.
fn constant_shape<'a>(
    builder: &mut Builder<'a>,
    op: tensor::Op<'a>,
    old: Value<'a>,
) -> Option<Value<'a>> {
    let stated = op
        .op()
        .operand(usize::from(op.tf_name() == "TensorListFromTensor"));
    let sizes: Vec<u64> = types::sizes(stated.ty())?
        .into_iter()
        .collect::<Option<_>>()?;
    let numbers = tensors::integers(stated)?;
    let bits = types::width(types::element_type(old.ty()))?;
    Some(integers(builder, bits, &sizes, &numbers))
}
