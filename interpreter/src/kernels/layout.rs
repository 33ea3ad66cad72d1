//! The same elements in another shape or order.

use bytemuck::Zeroable;

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Outputs, Result, axis,
        broadcast::{broadcast_to, for_each_row},
        create::shape_of,
        dispatch, fail, input,
        number::Number,
        pure, single, size, strides, take,
    },
    tensor::{Bool, DType, Element, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("Identity", |_| single(|inputs| take(inputs, 0))),
    ("StopGradient", |_| single(|inputs| take(inputs, 0))),
    ("PreventGradient", |_| single(|inputs| take(inputs, 0))),
    ("Snapshot", |_| single(|inputs| take(inputs, 0))),
    ("IdentityN", |_| {
        pure(|inputs| Ok(inputs.iter_mut().map(std::mem::take).collect()))
    }),
    ("Assert", assertion),
    ("CheckNumerics", check_numerics),
    ("EnsureShape", ensure_shape),
    ("Reshape", |_| single(reshape)),
    ("ExpandDims", |_| single(expand_dims)),
    ("Squeeze", squeeze),
    ("Transpose", |_| single(transpose)),
    ("BroadcastTo", |_| {
        single(|inputs| {
            let shape = shape_of(input(inputs, 1)?)?;
            let tensor = input(inputs, 0)?;
            dispatch!(tensor.dtype(), T in plain => broadcast_to::<T>(tensor, &shape))
        })
    }),
    ("BroadcastGradientArgs", |_| pure(broadcast_gradient_args)),
    ("Tile", |_| single(tile)),
    ("ReverseV2", |_| {
        single(|inputs| {
            let axes = input(inputs, 1)?.integers()?;
            reverse(take(inputs, 0)?, &axes)
        })
    }),
    ("Reverse", |_| single(reverse_flagged)),
    ("Pad", |_| single(pad)),
    ("PadV2", |_| single(pad)),
];

/// Returns nothing, or an error with the first elements of the other inputs if the condition is
/// false.
fn assertion(attributes: &Attributes<'_>) -> Result<Kernel> {
    let shown = usize::try_from(attributes.int("summarize", 3)).unwrap_or(usize::MAX);
    pure(move |inputs| {
        let condition = input(inputs, 0)?;
        if condition.rank() > 0 {
            return fail!(
                "In[0] should be a scalar: {}",
                shape_text(condition.shape())
            );
        }
        if condition.item::<Bool>()?.get() {
            return Ok(Outputs::new());
        }
        let data = inputs[1..].iter().map(|tensor| summary(tensor, shown));
        let data: Vec<String> = data.collect::<Result<_>>()?;
        fail!("assertion failed: {}", data.join(" "))
    })
}

/// Returns the first elements as text.
fn summary(tensor: &Tensor, shown: usize) -> Result<String> {
    let first: Vec<String> = match tensor.dtype() {
        DType::String => {
            let texts = tensor.strings()?.iter().take(shown);
            texts
                .map(|text| String::from_utf8_lossy(text).into_owned())
                .collect()
        }
        dtype => dispatch!(dtype, T in plain => {
            let values = tensor.values::<T>()?.iter().take(shown);
            Ok(values.map(|value| format!("{value:?}")).collect())
        })?,
    };
    let rest = match tensor.elements() > shown {
        true => "...",
        false => "",
    };
    Ok(format!("[{}{rest}]", first.join(" ")))
}

/// Returns the tensor, or an error if one of its elements is not finite.
fn check_numerics(attributes: &Attributes<'_>) -> Result<Kernel> {
    let message = attributes.text("message", "");
    single(move |inputs| {
        let tensor = take(inputs, 0)?;
        let (is_nan, is_infinite) = dispatch!(tensor.dtype(), T in floats => {
            let values = tensor.values::<T>()?;
            Ok((values.iter().any(|x| x.is_nan()), values.iter().any(|x| x.is_infinite())))
        })?;
        let found = match (is_infinite, is_nan) {
            (false, false) => return Ok(tensor),
            (false, true) => "NaN",
            (true, false) => "Inf",
            (true, true) => "Inf and NaN",
        };
        fail!("{message} : Tensor had {found} values")
    })
}

fn ensure_shape(attributes: &Attributes<'_>) -> Result<Kernel> {
    let expected: Option<Vec<i64>> = attributes
        .shape("shape")
        .filter(|shape| !shape.unknown_rank)
        .map(|shape| shape.dim.iter().map(|dimension| dimension.size).collect());
    single(move |inputs| {
        let tensor = take(inputs, 0)?;
        let fits = expected.as_ref().is_none_or(|expected| {
            expected.len() == tensor.rank()
                && expected
                    .iter()
                    .zip(tensor.shape())
                    .all(|(&expected, &size)| expected < 0 || expected as usize == size)
        });
        if fits {
            return Ok(tensor);
        }
        fail!(
            "Shape of tensor {} is not compatible with expected shape {expected:?}",
            shape_text(tensor.shape())
        )
    })
}

/// One dimension may be -1: it is inferred.
fn reshape(inputs: &mut [Tensor]) -> Result<Tensor> {
    let expected = input(inputs, 1)?.integers()?;
    let tensor = take(inputs, 0)?;
    let mut shape = Shape::new();
    let (mut unknown, mut known) = (None, 1usize);
    // Without dimensions of 0, so that those of an empty tensor count as well.
    let mut known_more = 1usize;
    for (dimension, &expected) in expected.iter().enumerate() {
        if expected == -1 && unknown.replace(dimension).is_none() {
            shape.push(1);
            continue;
        }
        if expected == -1 {
            return fail!(
                "Only one input size may be -1, not both {} and {dimension}",
                unknown.unwrap_or(0)
            );
        }
        let expected = match usize::try_from(expected) {
            Ok(expected) => expected,
            Err(_) => return fail!("Size {dimension} must be non-negative, not {expected}"),
        };
        known = known.saturating_mul(expected);
        known_more = known_more.saturating_mul(expected.max(1));
        shape.push(expected);
    }
    if let Some(dimension) = unknown {
        if known == 0 && tensor.elements() > 0
            || known > 0 && !tensor.elements().is_multiple_of(known)
        {
            return fail!(
                "Input to reshape is a tensor with {} values, but the requested shape requires a multiple of {known}",
                tensor.elements()
            );
        }
        let sizes = tensor.shape().iter().filter(|size| **size > 0);
        shape[dimension] = match known {
            0 => sizes.product::<usize>() / known_more,
            _ => tensor.elements() / known,
        };
        known = known.saturating_mul(shape[dimension]);
    }
    if known != tensor.elements() {
        return fail!(
            "Input to reshape is a tensor with {} values, but the requested shape has {known}",
            tensor.elements()
        );
    }
    Ok(tensor.reshaped(&shape)?)
}

fn expand_dims(inputs: &mut [Tensor]) -> Result<Tensor> {
    let index = input(inputs, 1)?.integers()?.first().copied().unwrap_or(0);
    let tensor = take(inputs, 0)?;
    let dimension = axis(index, tensor.rank() + 1)?;
    let mut shape = Shape::from(tensor.shape());
    shape.insert(dimension, 1);
    Ok(tensor.reshaped(&shape)?)
}

fn squeeze(attributes: &Attributes<'_>) -> Result<Kernel> {
    let expected = attributes.ints("squeeze_dims");
    single(move |inputs| {
        let tensor = take(inputs, 0)?;
        let mut gone = vec![expected.is_empty(); tensor.rank()];
        for &index in &expected {
            let dimension = axis(index, tensor.rank())?;
            if tensor.shape()[dimension] != 1 {
                return fail!(
                    "Can not squeeze dim[{dimension}], expected a dimension of 1, got {}",
                    tensor.shape()[dimension]
                );
            }
            gone[dimension] = true;
        }
        let shape: Shape = tensor
            .shape()
            .iter()
            .zip(gone)
            .filter(|&(&size, gone)| !(gone && size == 1))
            .map(|(&size, _)| size)
            .collect();
        Ok(tensor.reshaped(&shape)?)
    })
}

/// Copies elements of `input` at `base` and the given strides, row-major in `shape`.
pub(super) fn gather_strided<T: Element>(
    values: &[T],
    base: usize,
    shape: &[usize],
    strides: &[isize],
) -> Result<Tensor> {
    // Offsets of rows wrap, since a stride may be negative.
    let wrapped: Shape = strides.iter().map(|&stride| stride as usize).collect();
    let step = strides.last().copied().unwrap_or(0);
    let result = Tensor::build(shape, |output: &mut [T]| {
        for_each_wrapping_row(shape, &wrapped, |start, offset, length| {
            let first = base.wrapping_add(offset);
            let row = &mut output[start..start + length];
            if step == 1 {
                row.copy_from_slice(&values[first..first + length]);
            } else {
                for (index, element) in row.iter_mut().enumerate() {
                    *element = values[first.wrapping_add_signed(step * index as isize)];
                }
            }
        });
    })?;
    Ok(result)
}

/// Does the same as [`for_each_row`] with offsets that may be negative in between.
fn for_each_wrapping_row(
    shape: &[usize],
    strides: &[usize],
    mut visit: impl FnMut(usize, usize, usize),
) {
    if shape.contains(&0) {
        return;
    }
    let Some((&length, outer)) = shape.split_last() else {
        return visit(0, 0, 1);
    };
    let mut counter: Shape = smallvec::smallvec![0; outer.len()];
    let (mut start, mut offset) = (0, 0usize);
    'rows: loop {
        visit(start, offset, length);
        start += length;
        for dimension in (0..outer.len()).rev() {
            counter[dimension] += 1;
            offset = offset.wrapping_add(strides[dimension]);
            if counter[dimension] < outer[dimension] {
                continue 'rows;
            }
            counter[dimension] = 0;
            offset = offset.wrapping_sub(strides[dimension].wrapping_mul(outer[dimension]));
        }
        return;
    }
}

fn transpose(inputs: &mut [Tensor]) -> Result<Tensor> {
    let permutation = input(inputs, 1)?.integers()?;
    let tensor = take(inputs, 0)?;
    if permutation.len() != tensor.rank() {
        return fail!(
            "transpose expects a vector of size {}. But input(1) is a vector of size {}",
            tensor.rank(),
            permutation.len()
        );
    }
    let own = strides(tensor.shape());
    let (mut shape, mut moved, mut seen) = (Shape::new(), Vec::new(), vec![false; tensor.rank()]);
    for &index in &permutation {
        let dimension = axis(index, tensor.rank())?;
        if std::mem::replace(&mut seen[dimension], true) {
            return fail!("{dimension} is duplicated in the permutation");
        }
        shape.push(tensor.shape()[dimension]);
        moved.push(own[dimension] as isize);
    }
    dispatch!(tensor.dtype(), T in plain => gather_strided(tensor.values::<T>()?, 0, &shape, &moved))
}

/// Returns the axes over which the gradient of each operand of a broadcast is summed.
fn broadcast_gradient_args(inputs: &mut [Tensor]) -> Result<super::Outputs> {
    let shapes = [shape_of(input(inputs, 0)?)?, shape_of(input(inputs, 1)?)?];
    let dtype = input(inputs, 0)?.dtype();
    let rank = shapes[0].len().max(shapes[1].len());
    let size_at = |shape: &Shape, dimension: usize| {
        (dimension + shape.len())
            .checked_sub(rank)
            .map_or(1, |own| shape[own])
    };
    super::broadcast::broadcast_shape(&shapes[0], &shapes[1])?;
    // A dimension that is 1 in both counts for both, as in TensorFlow.
    let repeated = |operand: usize| {
        (0..rank)
            .filter(|&dimension| size_at(&shapes[operand], dimension) == 1)
            .collect::<Vec<usize>>()
    };
    let identical = shapes[0] == shapes[1];
    (0..2)
        .map(|operand| {
            let axes = if identical {
                Vec::new()
            } else {
                repeated(operand)
            };
            dispatch!(dtype, T in integers => {
                let axes: Vec<T> = axes.into_iter().map(T::from_usize).collect();
                Ok(Tensor::from_slice(&[axes.len()], &axes)?)
            })
        })
        .collect()
}

fn tile(inputs: &mut [Tensor]) -> Result<Tensor> {
    let multiples = input(inputs, 1)?.integers()?;
    let tensor = take(inputs, 0)?;
    if multiples.len() != tensor.rank() {
        return fail!(
            "Expected multiples argument to be a vector of length {} but got length {}",
            tensor.rank(),
            multiples.len()
        );
    }
    // Each dimension becomes two: the repetitions, with stride 0, then the elements.
    let own = strides(tensor.shape());
    let (mut shape, mut wide, mut wide_strides) = (Shape::new(), Shape::new(), Vec::new());
    for dimension in 0..tensor.rank() {
        let times = size(multiples[dimension])?;
        let Some(total) = times.checked_mul(tensor.shape()[dimension]) else {
            return fail!("{times} repetitions are too many");
        };
        shape.push(total);
        wide.extend([times, tensor.shape()[dimension]]);
        wide_strides.extend([0, own[dimension] as isize]);
    }
    let tiled = dispatch!(tensor.dtype(), T in plain => gather_strided(tensor.values::<T>()?, 0, &wide, &wide_strides))?;
    Ok(tiled.reshaped(&shape)?)
}

/// Reverses the dimensions that have a flag.
fn reverse_flagged(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = take(inputs, 0)?;
    let flags = input(inputs, 1)?.values::<Bool>()?;
    if tensor.rank() == 0 {
        return Ok(tensor);
    }
    if input(inputs, 1)?.shape() != [tensor.rank()] {
        return fail!(
            "'dims' must have a value for each of {} dimensions, not {}",
            tensor.rank(),
            flags.len()
        );
    }
    let axes = (0..tensor.rank()).filter(|&dimension| flags[dimension].get());
    let axes: Vec<i64> = axes.map(|dimension| dimension as i64).collect();
    reverse(tensor, &axes)
}

fn reverse(tensor: Tensor, axes: &[i64]) -> Result<Tensor> {
    let mut moved: Vec<isize> = strides(tensor.shape())
        .iter()
        .map(|&stride| stride as isize)
        .collect();
    let mut base = 0;
    for &index in axes {
        let dimension = axis(index, tensor.rank())?;
        if moved[dimension] < 0 {
            return fail!("axis {dimension} specified more than once.");
        }
        base += moved[dimension] as usize * tensor.shape()[dimension].saturating_sub(1);
        moved[dimension] = -moved[dimension];
    }
    dispatch!(tensor.dtype(), T in plain => gather_strided(tensor.values::<T>()?, base, tensor.shape(), &moved))
}

/// Constant padding, with zeros or with input 2.
fn pad(inputs: &mut [Tensor]) -> Result<Tensor> {
    let paddings = input(inputs, 1)?.integers()?;
    let tensor = input(inputs, 0)?;
    if paddings.len() != 2 * tensor.rank() {
        return fail!(
            "paddings must be a matrix with 2 columns: {}",
            shape_text(input(inputs, 1)?.shape())
        );
    }
    let mut shape = Shape::new();
    for dimension in 0..tensor.rank() {
        shape.push(
            size(paddings[2 * dimension])?
                + tensor.shape()[dimension]
                + size(paddings[2 * dimension + 1])?,
        );
    }
    let result_strides = strides(&shape);
    let base: usize = (0..tensor.rank())
        .map(|dimension| paddings[2 * dimension] as usize * result_strides[dimension])
        .sum();
    dispatch!(tensor.dtype(), T in plain => {
        let filler = match inputs.get(2) {
            Some(filler) => filler.item::<T>()?,
            None => Zeroable::zeroed(),
        };
        let values = tensor.values::<T>()?;
        let mut outcome = Ok(());
        let result = Tensor::build(&shape, |output: &mut [T]| {
            output.fill(filler);
            outcome = for_each_row(tensor.shape(), [&result_strides], |start, [offset], length| {
                output[base + offset..][..length].copy_from_slice(&values[start..start + length]);
                Ok(())
            });
        })?;
        outcome.map(|()| result)
    })
}
