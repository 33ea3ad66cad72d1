//! Elementwise computation with NumPy's broadcasting.
//!
//! ```text
//! shapes  [4,1,3] and [5,1]   aligned at the end, a size of 1 is repeated
//! result  [4,5,3]             strides of a repeated dimension are 0
//! ```
//!
//! Equal shapes and scalars take a flat loop, in place if the input is not shared; other shapes are
//! walked row by row with an odometer over the outer dimensions. The cost is one step for each
//! element of the result.

use smallvec::SmallVec;

use crate::{
    kernels::{Result, fail, strides},
    tensor::{Element, Shape, Tensor, shape_text},
};

/// Returns the shape that two shapes broadcast to.
pub(crate) fn broadcast_shape(left: &[usize], right: &[usize]) -> Result<Shape> {
    let rank = left.len().max(right.len());
    let size = |shape: &[usize], dimension: usize| {
        let missing = rank - shape.len();
        if dimension < missing {
            1
        } else {
            shape[dimension - missing]
        }
    };
    let mut result = Shape::new();
    for dimension in 0..rank {
        result.push(match (size(left, dimension), size(right, dimension)) {
            (one, other) if one == other => one,
            (1, other) | (other, 1) => other,
            _ => {
                return fail!(
                    "Incompatible shapes: {} vs. {}",
                    shape_text(left),
                    shape_text(right)
                );
            }
        });
    }
    Ok(result)
}

/// Returns the strides of `shape` within the larger `result`: 0 where it is repeated.
pub(crate) fn broadcast_strides(shape: &[usize], result: &[usize]) -> SmallVec<[usize; 4]> {
    let missing = result.len() - shape.len();
    let own = strides(shape);
    (0..result.len())
        .map(|dimension| {
            if dimension < missing || (shape[dimension - missing] == 1 && result[dimension] != 1) {
                0
            } else {
                own[dimension - missing]
            }
        })
        .collect()
}

/// Walks `shape` row by row: `visit(start, offsets, length)` with the position of the row in the
/// result, the offset of its first element in each operand, and its length. The last stride of each
/// operand is the step within the row.
pub(crate) fn for_each_row<const N: usize>(
    shape: &[usize],
    strides: [&[usize]; N],
    mut visit: impl FnMut(usize, [usize; N], usize) -> Result<()>,
) -> Result<()> {
    let elements: usize = shape.iter().product();
    if elements == 0 {
        return Ok(());
    }
    let Some((&length, outer)) = shape.split_last() else {
        return visit(0, [0; N], 1);
    };
    let mut counter: SmallVec<[usize; 4]> = smallvec::smallvec![0; outer.len()];
    let mut offsets = [0; N];
    let mut start = 0;
    loop {
        visit(start, offsets, length)?;
        start += length;
        let mut dimension = outer.len();
        loop {
            if dimension == 0 {
                return Ok(());
            }
            dimension -= 1;
            counter[dimension] += 1;
            for (offset, strides) in offsets.iter_mut().zip(strides) {
                *offset += strides[dimension];
            }
            if counter[dimension] < outer[dimension] {
                break;
            }
            for (offset, strides) in offsets.iter_mut().zip(strides) {
                *offset -= strides[dimension] * outer[dimension];
            }
            counter[dimension] = 0;
        }
    }
}

/// Applies `f` to each element.
pub(crate) fn map<A: Element, R: Element>(input: &Tensor, f: impl Fn(A) -> R) -> Result<Tensor> {
    let values = input.values::<A>()?;
    Ok(Tensor::build(input.shape(), |output: &mut [R]| {
        for (output, &value) in output.iter_mut().zip(values) {
            *output = f(value);
        }
    })?)
}

/// Applies `f` to each element, in place if the input is not shared.
pub(crate) fn map_in_place<A: Element>(mut input: Tensor, f: impl Fn(A) -> A) -> Result<Tensor> {
    let Some(values) = input.values_mut::<A>() else {
        return map(&input, f);
    };
    for value in values {
        *value = f(*value);
    }
    Ok(input)
}

/// Applies `f` to each pair of elements; with a result of the inputs' type, in place if one of the
/// inputs is not shared.
pub(crate) fn zip_in_place<A: Element>(
    mut left: Tensor,
    mut right: Tensor,
    f: impl Fn(A, A) -> Result<A>,
) -> Result<Tensor> {
    let fits = |target: &Tensor, other: &Tensor| {
        target.shape() == other.shape() || (other.elements() == 1 && other.rank() <= target.rank())
    };
    if fits(&left, &right)
        && let Some(target) = left.values_mut::<A>()
    {
        apply(target, right.values::<A>()?, &f)?;
        return Ok(left);
    }
    if fits(&right, &left)
        && let Some(target) = right.values_mut::<A>()
    {
        apply(target, left.values::<A>()?, |right, left| f(left, right))?;
        return Ok(right);
    }
    zip(&left, &right, f)
}

/// Writes `f(target, other)` over `target`; a single `other` is used with every element.
fn apply<A: Element>(target: &mut [A], other: &[A], f: impl Fn(A, A) -> Result<A>) -> Result<()> {
    if let [other] = other {
        for value in target {
            *value = f(*value, *other)?;
        }
        return Ok(());
    }
    for (value, &other) in target.iter_mut().zip(other) {
        *value = f(*value, other)?;
    }
    Ok(())
}

/// Applies `f` to each pair of elements.
pub(crate) fn zip<A: Element, B: Element, R: Element>(
    left: &Tensor,
    right: &Tensor,
    f: impl Fn(A, B) -> Result<R>,
) -> Result<Tensor> {
    let shape = broadcast_shape(left.shape(), right.shape())?;
    let (left_values, right_values) = (left.values::<A>()?, right.values::<B>()?);
    let mut outcome = Ok(());
    let result = Tensor::build(&shape, |output: &mut [R]| {
        outcome = if left.shape() == right.shape() {
            zip_rows(output, (left_values, 1), (right_values, 1), &f)
        } else {
            let (left_strides, right_strides) = (
                broadcast_strides(left.shape(), &shape),
                broadcast_strides(right.shape(), &shape),
            );
            let step = |strides: &[usize]| strides.last().copied().unwrap_or(0);
            let steps = (step(&left_strides), step(&right_strides));
            for_each_row(
                &shape,
                [&left_strides, &right_strides],
                |start, [left, right], length| {
                    zip_rows(
                        &mut output[start..start + length],
                        (&left_values[left..], steps.0),
                        (&right_values[right..], steps.1),
                        &f,
                    )
                },
            )
        };
    })?;
    outcome.map(|()| result)
}

/// A row: the operands with their steps, 0 or 1.
fn zip_rows<A: Element, B: Element, R: Element>(
    output: &mut [R],
    left: (&[A], usize),
    right: (&[B], usize),
    f: &impl Fn(A, B) -> Result<R>,
) -> Result<()> {
    match (left, right) {
        ((left, 1), (right, 1)) => {
            for ((output, &left), &right) in output.iter_mut().zip(left).zip(right) {
                *output = f(left, right)?;
            }
        }
        ((left, left_step), (right, right_step)) => {
            for (index, output) in output.iter_mut().enumerate() {
                *output = f(left[index * left_step], right[index * right_step])?;
            }
        }
    }
    Ok(())
}

/// Returns a copy of `input` that is broadcast to `shape`.
pub(crate) fn broadcast_to<A: Element>(input: &Tensor, shape: &[usize]) -> Result<Tensor> {
    if input.shape() == shape {
        return Ok(input.clone());
    }
    let compatible =
        input.rank() <= shape.len() && broadcast_shape(input.shape(), shape)?[..] == *shape;
    if !compatible {
        return fail!(
            "Incompatible shapes: {} vs. {}",
            shape_text(input.shape()),
            shape_text(shape)
        );
    }
    let values = input.values::<A>()?;
    let strides = broadcast_strides(input.shape(), shape);
    let step = strides.last().copied().unwrap_or(0);
    let mut outcome = Ok(());
    let result = Tensor::build(shape, |output: &mut [A]| {
        outcome = for_each_row(shape, [&strides], |start, [offset], length| {
            for (index, output) in output[start..start + length].iter_mut().enumerate() {
                *output = values[offset + index * step];
            }
            Ok(())
        });
    })?;
    outcome.map(|()| result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_broadcast_as_in_numpy() {
        assert_eq!(
            broadcast_shape(&[4, 1, 3], &[5, 1]).expect("fits")[..],
            [4, 5, 3]
        );
        assert_eq!(broadcast_shape(&[], &[2]).expect("fits")[..], [2]);
        assert_eq!(broadcast_shape(&[0], &[1]).expect("fits")[..], [0]);
        let error = broadcast_shape(&[2, 3], &[2]).expect_err("does not fit");
        assert_eq!(error.to_string(), "Incompatible shapes: [2,3] vs. [2]");
    }

    #[test]
    fn rows_and_columns_broadcast() {
        let column = Tensor::from_slice(&[2, 1], &[10, 20]).expect("a tensor");
        let row = Tensor::from_slice(&[3], &[1, 2, 3]).expect("a tensor");
        let sum = zip(&column, &row, |a: i32, b: i32| Ok(a + b)).expect("fits");
        assert_eq!(sum.shape(), [2, 3]);
        assert_eq!(sum.values::<i32>(), Ok(&[11, 12, 13, 21, 22, 23][..]));
    }
}
