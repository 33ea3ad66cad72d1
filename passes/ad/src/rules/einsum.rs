//! The rule of `Einsum`: another `Einsum`.
//!
//! ```text
//!   "ab,bc->ac"(%x, %y)      dx = "ac,bc->ab"(%dz, %y)     dy = "ac,ab->bc"(%dz, %x)
//!   "ab->a"(%x)              dx = "a->a"(%dz), then a new axis b, and copies along it
//! ```
//!
//! The labels of the operand become those of the result. A label that no other part of the equation
//! has was summed: its axis is added again. An ellipsis stands for axes that are broadcast, and
//! their cotangents are summed; it must be the first of the operand's labels. Cost: linear in the
//! equation.

use tfx_dialects::tensor;
use tfx_graphdef_mlir::types::{self, element_type};
use tfx_ir::{Op, Value, attribute};

use crate::primal::shape_of;
use crate::rules::instantiate::{Cotangents, Instance, sum_to_shape};
use crate::values::{integer, tf};

const EQUATION: &str = "equation";
const ELLIPSIS: &str = "...";

/// The labels of each operand, and those of the result.
fn equation(op: Op<'_>) -> Option<(Vec<String>, String)> {
    let text = attribute::text(op.attribute(EQUATION)?)?.replace(' ', "");
    let (operands, result) = text.split_once("->")?;
    Some((
        operands.split(',').map(str::to_owned).collect(),
        result.to_owned(),
    ))
}

/// Computes the cotangents of operands; none for an equation without a rule.
pub(crate) fn apply<'a>(instance: &mut Instance<'_, 'a>) -> Option<Cotangents<'a>> {
    let (operands, result) = equation(instance.op)?;
    let is_first = |index: &usize| operands[*index].find(ELLIPSIS).is_none_or(|at| at == 0);
    if operands.len() > 2 || !instance.wanted.iter().all(is_first) {
        return None;
    }
    let dz = instance.cotangent(0);
    let mut cotangents = Vec::new();
    for &index in instance.wanted {
        let other = (operands.len() == 2).then_some(1 - index);
        let mut from = vec![result.clone()];
        let mut values = vec![dz];
        if let Some(other) = other {
            from.push(operands[other].clone());
            values.push(instance.primal.value(instance.op.operand(other)));
        }
        let cotangent = cotangent(instance, index, &operands[index], &from, &values);
        cotangents.push((index, cotangent));
    }
    Some(cotangents)
}

/// Returns the cotangent of an operand with the labels `to` from values with the labels `from`.
fn cotangent<'a>(
    instance: &mut Instance<'_, 'a>,
    operand: usize,
    to: &str,
    from: &[String],
    values: &[Value<'a>],
) -> Value<'a> {
    let labels = to.trim_start_matches(ELLIPSIS);
    let known = |label: &char| from.iter().any(|labels| labels.contains(*label));
    let mut kept: String = labels.chars().filter(known).collect();
    let is_broadcast = from.iter().any(|labels| labels.contains(ELLIPSIS));
    if is_broadcast {
        kept.insert_str(0, ELLIPSIS);
    }
    let ty = instance.op.operand(operand).ty();
    let unranked = types::tensor_of(instance.builder.context(), None, element_type(ty));
    let op = tensor::Op::build(instance.builder, &[unranked], "Einsum", values).op();
    op.set_string(EQUATION, &format!("{}->{kept}", from.join(",")));
    let mut value = op.result(0);
    // From the right: the axes to the right are there.
    for (right, label) in labels.chars().rev().enumerate() {
        if !known(&label) {
            let axis = integer(instance.builder, -(right as i64) - 1);
            value = tf(instance.builder, "ExpandDims", &[value, axis], unranked);
        }
    }
    let part = instance.shape_of(operand);
    let is_summed = labels.chars().any(|label| !known(&label));
    if is_summed && !is_broadcast {
        return tf(instance.builder, "BroadcastTo", &[value, part], ty);
    }
    if !is_broadcast {
        return value;
    }
    if is_summed {
        let like = instance.primal.value(instance.op.operand(operand));
        let zeros = tf(instance.builder, "ZerosLike", &[like], ty);
        value = tf(instance.builder, "AddV2", &[value, zeros], unranked);
    }
    let whole = shape_of(instance.builder, value);
    sum_to_shape(instance.builder, value, (whole, part), ty)
}
