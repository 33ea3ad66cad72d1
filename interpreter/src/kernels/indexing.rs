//! Parts of tensors, and tensors from parts.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, KernelError, Outputs, Result, axis, dispatch, fail, input,
        layout::gather_strided, pure, single, size, strides, take,
    },
    tensor::{DType, Element, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("Pack", pack),
    ("Unpack", unpack),
    ("Concat", |_| {
        single(|inputs| {
            let (index, parts) = inputs.split_first().ok_or_else(no_parts)?;
            concat(index, parts)
        })
    }),
    ("ConcatV2", |_| {
        single(|inputs| {
            let (index, parts) = inputs.split_last().ok_or_else(no_parts)?;
            concat(index, parts)
        })
    }),
    ("Split", split),
    ("SplitV", split_sizes),
    ("ConcatOffset", |_| pure(offsets)),
    ("Slice", |_| single(slice)),
    ("GatherV2", gather),
    ("Gather", gather),
    ("Where", |_| single(positions)),
];

fn no_parts() -> KernelError {
    KernelError("there is nothing to join".into())
}

/// Joins parts along an existing axis, row by row.
pub(super) fn join(parts: &[Tensor], dimension: usize, shape: &[usize]) -> Result<Tensor> {
    let first = &parts[0];
    if let Some(other) = parts.iter().find(|part| part.dtype() != first.dtype()) {
        return fail!(
            "parts of {} and {} cannot be joined",
            first.dtype(),
            other.dtype()
        );
    }
    let outer: usize = shape[..dimension].iter().product();
    if first.dtype() == DType::String {
        let mut strings = Vec::new();
        for row in 0..outer {
            for part in parts {
                let length = part.elements() / outer.max(1);
                strings.extend_from_slice(&part.strings()?[row * length..][..length]);
            }
        }
        return Ok(Tensor::from_strings(shape, strings)?);
    }
    dispatch!(first.dtype(), T in plain => join_rows::<T>(parts, outer, shape))
}

/// Joins `outer` rows of each part. Each part is read in order.
fn join_rows<T: Element>(parts: &[Tensor], outer: usize, shape: &[usize]) -> Result<Tensor> {
    let parts: Vec<&[T]> = parts.iter().map(Tensor::values).collect::<Result<_, _>>()?;
    let total: usize = parts.iter().map(|part| part.len()).sum();
    let result = Tensor::build(shape, |output: &mut [T]| {
        if outer == 0 {
            return;
        }
        let (row, mut start) = (total / outer, 0);
        for part in parts {
            let length = part.len() / outer;
            let rows = output.chunks_exact_mut(row.max(1));
            match length {
                0 => {}
                // A copy of one element is not worth a call.
                1 => rows.zip(part).for_each(|(row, value)| row[start] = *value),
                _ => {
                    for (row, piece) in rows.zip(part.chunks_exact(length)) {
                        row[start..start + length].copy_from_slice(piece);
                    }
                }
            }
            start += length;
        }
    })?;
    Ok(result)
}

fn pack(attributes: &Attributes<'_>) -> Result<Kernel> {
    let index = attributes.int("axis", 0);
    single(move |inputs| {
        let first = input(inputs, 0)?;
        let dimension = axis(index, first.rank() + 1)?;
        for (number, part) in inputs.iter().enumerate() {
            if part.shape() != first.shape() {
                return fail!(
                    "Shapes of all inputs must match: values[0].shape = {} != values[{number}].shape = {}",
                    shape_text(first.shape()),
                    shape_text(part.shape())
                );
            }
        }
        let mut shape = Shape::from(first.shape());
        shape.insert(dimension, inputs.len());
        join(inputs, dimension, &shape)
    })
}

fn concat(index: &Tensor, parts: &[Tensor]) -> Result<Tensor> {
    let first = input(parts, 0)?;
    let index = index.integers()?.first().copied().unwrap_or(0);
    let dimension = axis(index, first.rank())?;
    let mut shape = Shape::from(first.shape());
    for (number, part) in parts.iter().enumerate().skip(1) {
        let differs = |at: usize| at != dimension && part.shape()[at] != first.shape()[at];
        if part.rank() != first.rank() || (0..first.rank()).any(differs) {
            return fail!(
                "ConcatOp : Dimension mismatch: shape[0] = {} vs. shape[{number}] = {}",
                shape_text(first.shape()),
                shape_text(part.shape())
            );
        }
        shape[dimension] += part.shape()[dimension];
    }
    join(parts, dimension, &shape)
}

/// A box of a tensor.
pub(super) fn part(tensor: &Tensor, begin: &[usize], shape: &[usize]) -> Result<Tensor> {
    if begin.iter().all(|&begin| begin == 0) && shape == tensor.shape() {
        return Ok(tensor.clone());
    }
    let own = strides(tensor.shape());
    let base = begin
        .iter()
        .zip(&own)
        .map(|(&begin, &stride)| begin * stride)
        .sum();
    let steps: Vec<isize> = own.iter().map(|&stride| stride as isize).collect();
    pick(tensor, base, shape, &steps)
}

/// Copies elements at strides, in bulk for every type but strings.
pub(super) fn pick(
    tensor: &Tensor,
    base: usize,
    shape: &[usize],
    steps: &[isize],
) -> Result<Tensor> {
    if tensor.dtype() != DType::String {
        return dispatch!(tensor.dtype(), T in plain => gather_strided(tensor.values::<T>()?, base, shape, steps));
    }
    let positions: Vec<u64> = (0..tensor.elements() as u64).collect();
    let picked = gather_strided(&positions, base, shape, steps)?;
    let strings = tensor.strings()?;
    let strings = picked
        .values::<u64>()?
        .iter()
        .map(|&position| strings[position as usize].clone())
        .collect();
    Ok(Tensor::from_strings(shape, strings)?)
}

fn unpack(attributes: &Attributes<'_>) -> Result<Kernel> {
    let (index, count) = (attributes.int("axis", 0), size(attributes.int("num", 0))?);
    pure(move |inputs| {
        let tensor = take(inputs, 0)?;
        let dimension = axis(index, tensor.rank())?;
        if tensor.shape()[dimension] != count {
            return fail!(
                "Input shape axis {dimension} must equal {count}, got shape {}",
                shape_text(tensor.shape())
            );
        }
        let mut shape = Shape::from(tensor.shape());
        shape[dimension] = 1;
        let mut squeezed = shape.clone();
        squeezed.remove(dimension);
        let mut begin: Shape = smallvec::smallvec![0; tensor.rank()];
        (0..count)
            .map(|number| {
                begin[dimension] = number;
                Ok(part(&tensor, &begin, &shape)?.reshaped(&squeezed)?)
            })
            .collect()
    })
}

fn split(attributes: &Attributes<'_>) -> Result<Kernel> {
    let count = size(attributes.int("num_split", 1))?;
    pure(move |inputs| {
        let index = input(inputs, 0)?.integers()?.first().copied().unwrap_or(0);
        let tensor = take(inputs, 1)?;
        let dimension = axis(index, tensor.rank())?;
        let total = tensor.shape()[dimension];
        if count == 0 || !total.is_multiple_of(count) {
            return fail!(
                "Number of ways to split should evenly divide the split dimension, but got split_dim {dimension} (size = {total}) and num_split {count}"
            );
        }
        let mut shape = Shape::from(tensor.shape());
        shape[dimension] = total / count;
        let mut begin: Shape = smallvec::smallvec![0; tensor.rank()];
        (0..count)
            .map(|number| {
                begin[dimension] = number * shape[dimension];
                part(&tensor, &begin, &shape)
            })
            .collect()
    })
}

/// From `begin`, `size` elements; -1: all remaining.
fn slice(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = input(inputs, 0)?;
    let (begins, sizes) = (input(inputs, 1)?.integers()?, input(inputs, 2)?.integers()?);
    if begins.len() != tensor.rank() || sizes.len() != tensor.rank() {
        return fail!(
            "Expected begin and size arguments to be 1-D tensors of size {}",
            tensor.rank()
        );
    }
    let (mut begin, mut shape) = (Shape::new(), Shape::new());
    for (dimension, &total) in tensor.shape().iter().enumerate() {
        let start = begins[dimension];
        if start < 0 || start as usize > total {
            return fail!("Expected begin[{dimension}] in [0, {total}], but got {start}");
        }
        let left = total - start as usize;
        let length = if sizes[dimension] == -1 {
            left as i64
        } else {
            sizes[dimension]
        };
        if length < 0 || length as usize > left {
            return fail!("Expected size[{dimension}] in [0, {left}], but got {length}");
        }
        begin.push(start as usize);
        shape.push(length as usize);
    }
    part(tensor, &begin, &shape)
}

/// Parts of given sizes along a dimension; one size may be -1: all remaining elements.
fn split_sizes(attributes: &Attributes<'_>) -> Result<Kernel> {
    let count = size(attributes.int("num_split", 1))?;
    pure(move |inputs| {
        let (sizes, index) = (input(inputs, 1)?.integers()?, input(inputs, 2)?.integers()?);
        let tensor = take(inputs, 0)?;
        let dimension = axis(index.first().copied().unwrap_or(0), tensor.rank())?;
        let total = tensor.shape()[dimension];
        if sizes.len() != count {
            return fail!(
                "Length of size_splits should be equal to num_split: {count}, not {}",
                sizes.len()
            );
        }
        if count == 1 && sizes[0] != total as i64 {
            return fail!(
                "If there is only one output, it must have the same size as the input. Input size: {total} output size: {}",
                sizes[0]
            );
        }
        let mut lengths = Vec::with_capacity(count);
        let (mut known, mut open) = (0usize, None);
        for (number, &length) in sizes.iter().enumerate() {
            let is_open = length == -1;
            if is_open && open.replace(number).is_some() {
                return fail!("There can only be one -1 in the input.");
            }
            let length = if is_open { 0 } else { size(length)? };
            known = known.saturating_add(length);
            lengths.push(length);
        }
        if known > total || open.is_none() && known != total {
            return fail!(
                "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than the size of the input along split_dim if not fully specified.  Got: {known}"
            );
        }
        if let Some(open) = open {
            lengths[open] = total - known;
        }
        let mut shape = Shape::from(tensor.shape());
        let mut begin: Shape = smallvec::smallvec![0; tensor.rank()];
        let parts = lengths.into_iter().map(|length| {
            shape[dimension] = length;
            let part = part(&tensor, &begin, &shape);
            begin[dimension] += length;
            part
        });
        parts.collect()
    })
}

/// The position of each part within the tensor that they are joined to, from their shapes.
fn offsets(inputs: &mut [Tensor]) -> Result<Outputs> {
    let (index, shapes) = inputs.split_first().ok_or_else(no_parts)?;
    let index = index.item::<i32>()?;
    let first = input(shapes, 0)?.integers()?;
    let dimension = axis(index.into(), first.len())?;
    let mut end = 0;
    let offset = |(number, shape): (usize, &Tensor)| {
        let sizes = shape.integers()?;
        let differs = |at: usize| at != dimension && sizes[at] != first[at];
        if shape.rank() != 1 || sizes.len() != first.len() || (0..first.len()).any(differs) {
            return fail!(
                "All dimensions except {dimension} must match. Input {number} has shape {sizes:?} and doesn't match input 0 with shape {first:?}."
            );
        }
        let mut places = vec![0; first.len()];
        places[dimension] = end;
        end += sizes[dimension];
        dispatch!(shape.dtype(), T in integers => {
            let places: Vec<T> = places.into_iter().map(|place: i64| place as T).collect();
            Ok(Tensor::from_slice(shape.shape(), &places)?)
        })
    };
    shapes.iter().enumerate().map(offset).collect()
}

/// Slices of the input at indices along an axis. The first `batch_dims` dimensions of both are
/// those of a batch.
fn gather(attributes: &Attributes<'_>) -> Result<Kernel> {
    let batch_dims = attributes.int("batch_dims", 0);
    single(move |inputs| {
        let (tensor, indices) = (input(inputs, 0)?, input(inputs, 1)?);
        let index = match inputs.get(2) {
            Some(index) => index.integers()?.first().copied().unwrap_or(0),
            None => 0,
        };
        let dimension = axis(index, tensor.rank())?;
        let batch = match batch_dims {
            0.. => batch_dims as usize,
            _ => axis(batch_dims, indices.rank())?,
        };
        let (own, given) = (tensor.shape(), indices.shape());
        if batch > dimension || own.get(..batch) != given.get(..batch) || batch > given.len() {
            return fail!(
                "batch_dims = {batch} does not fit the shapes {} and {}, and the axis {dimension}",
                shape_text(own),
                shape_text(given)
            );
        }
        let total = own[dimension];
        let positions = indices.integers()?;
        let is_inside = |at: i64| usize::try_from(at).is_ok_and(|at| at < total);
        let outside = positions.iter().position(|&at| !is_inside(at));
        let mut shape = Shape::from(&own[..dimension]);
        shape.extend_from_slice(&given[batch..]);
        shape.extend_from_slice(&own[dimension + 1..]);
        let outer: usize = own[batch..dimension].iter().product();
        let inner: usize = own[dimension + 1..].iter().product();
        // If nothing is picked, TensorFlow does not check the source.
        if let Some(number) = outside.filter(|_| outer * inner > 0) {
            let position = positions[number];
            return fail!("indices[{number}] = {position} is not in [0, {total})");
        }
        let picked: usize = given[batch..].iter().product();
        // The first element of each slice that is picked, in the order of the result.
        let batches: usize = given[..batch].iter().product();
        let rows = (0..batches).flat_map(|number| {
            let positions = &positions[number * picked..][..picked];
            (0..outer).flat_map(move |row| {
                let row = (number * outer + row) * total;
                positions
                    .iter()
                    .map(move |&position| (row + position as usize) * inner)
            })
        });
        if tensor.dtype() == DType::String {
            let strings = tensor.strings()?;
            let picked = rows.flat_map(|at| strings[at..][..inner].iter().cloned());
            return Ok(Tensor::from_strings(&shape, picked.collect())?);
        }
        let size = tensor.dtype().size();
        let mut result = Tensor::zeros(tensor.dtype(), &shape)?;
        let mut target = result.bytes_mut().unwrap_or_default();
        if target.is_empty() {
            return Ok(result);
        }
        for at in rows {
            let (piece, rest) = std::mem::take(&mut target).split_at_mut(inner * size);
            piece.copy_from_slice(&tensor.bytes()[at * size..][..inner * size]);
            target = rest;
        }
        Ok(result)
    })
}

/// The coordinates of the nonzero elements.
fn positions(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = input(inputs, 0)?;
    let found: Vec<usize> = dispatch!(tensor.dtype(), T in plain => {
        let zero = T::default();
        Ok::<_, KernelError>(
            tensor.values::<T>()?.iter().enumerate().filter(|&(_, value)| *value != zero).map(|(at, _)| at).collect(),
        )
    })?;
    let own = strides(tensor.shape());
    let mut coordinates: Vec<i64> = Vec::with_capacity(found.len() * tensor.rank());
    for &at in &found {
        coordinates.extend(
            (0..tensor.rank())
                .map(|dimension| (at / own[dimension] % tensor.shape()[dimension]) as i64),
        );
    }
    Ok(Tensor::from_slice(
        &[found.len(), tensor.rank()],
        &coordinates,
    )?)
}
