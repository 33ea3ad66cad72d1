//! Operations on lists of tensors. A list is a scalar; the shapes of its elements are known as far
//! as an operand of the operation describes them.

use super::{
    shape::Shape,
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("EmptyTensorList", Reads::These(&[0]), |usage| {
        element_shape(usage, 0)?;
        Ok(vec![Shape::scalar()])
    }),
    ("TensorListReserve", Reads::These(&[0]), |usage| {
        element_shape(usage, 0)?;
        Ok(vec![Shape::scalar()])
    }),
    ("TensorListFromTensor", Reads::These(&[1]), from_tensor),
    ("TensorListPushBack", Reads::Nothing, scalar),
    // The operand with a shape matters only for elements that are not set.
    ("TensorListPopBack", Reads::Nothing, |_| {
        Ok(vec![Shape::scalar(), Shape::UNKNOWN])
    }),
    ("TensorListSetItem", Reads::Nothing, scalar),
    ("TensorListResize", Reads::Nothing, |usage| {
        usage.of_rank(1, 0)?;
        scalar(usage)
    }),
    ("TensorListLength", Reads::Nothing, scalar),
    ("TensorListElementShape", Reads::Nothing, |_| {
        Ok(vec![Shape::UNKNOWN])
    }),
    ("TensorListGetItem", Reads::These(&[2]), |usage| {
        Ok(vec![element_shape(usage, 2)?])
    }),
    ("TensorListStack", Reads::These(&[1]), |usage| {
        let count = u64::try_from(usage.int("num_elements")).ok();
        let element = element_shape(usage, 1)?;
        Ok(vec![joined(&Shape::vector(count), &element)])
    }),
    ("TensorListGather", Reads::These(&[2]), |usage| {
        let element = element_shape(usage, 2)?;
        Ok(vec![joined(usage.shape(1), &element)])
    }),
    ("TensorListConcatV2", Reads::These(&[1]), concat),
];

fn scalar(_: &Usage<'_>) -> Inferred {
    Ok(vec![Shape::scalar()])
}

/// Returns the shape that the value of an operand describes: a list of sizes, -1 for an unknown
/// one, or the scalar -1 for a shape of unknown rank.
fn element_shape(usage: &Usage<'_>, operand: usize) -> Result<Shape, Mismatch> {
    if usage.shape(operand).rank() != Some(0) {
        return usage.shape_in(operand);
    }
    match usage.value(operand) {
        None | Some(-1) => Ok(Shape::UNKNOWN),
        Some(size) => Err(usage
            .wrong(format_args!(
                "expects the shape of an element in operand {operand}, not the scalar {size}"
            ))
            .advise("write a list of sizes, or -1 if the rank is unknown")),
    }
}

/// Returns the dimensions of one shape followed by those of another one.
fn joined(first: &Shape, second: &Shape) -> Shape {
    match (first.sizes(), second.sizes()) {
        (Some(first), Some(second)) => Shape::of([first, second].concat()),
        _ => Shape::UNKNOWN,
    }
}

/// Splits a tensor along its first dimension.
fn from_tensor(usage: &Usage<'_>) -> Inferred {
    let element = element_shape(usage, 1)?;
    if let Some(sizes) = usage.of_rank_from(0, 1)?
        && element.meet(&Shape::of(&sizes[1..])).is_none()
    {
        return Err(usage.wrong(format_args!(
            "splits {} into elements that do not have the shape {}",
            usage.text(0),
            element.text()
        )));
    }
    scalar(usage)
}

/// Joins the elements along their first dimension, and returns their sizes there.
fn concat(usage: &Usage<'_>) -> Inferred {
    let element = element_shape(usage, 1)?;
    let shape = match element.sizes() {
        None => Shape::UNKNOWN,
        Some([]) => return Err(usage.wrong("joins elements of rank 1 or more, not scalars")),
        Some([_, rest @ ..]) => joined(&Shape::vector(None), &Shape::of(rest)),
    };
    Ok(vec![shape, Shape::vector(None)])
}
