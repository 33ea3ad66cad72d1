//! Parts of tensors, and tensors from parts.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, KernelError, Result, axis, dispatch, fail, input,
        layout::gather_strided, pure, single, size, strides, take,
    },
    tensor::{DType, Shape, Tensor, shape_text},
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
    ("Slice", |_| single(slice)),
    ("StridedSlice", strided_slice),
    ("GatherV2", gather),
    ("Gather", gather),
    ("Where", |_| single(positions)),
];

fn no_parts() -> KernelError {
    KernelError("there is nothing to join".into())
}

/// Joins parts along an existing axis: rows of bytes, so all plain types are handled alike.
fn join(parts: &[Tensor], dimension: usize, shape: &[usize]) -> Result<Tensor> {
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
    let mut result = Tensor::zeros(first.dtype(), shape)?;
    let mut target = result.bytes_mut().unwrap_or_default();
    for row in 0..outer {
        for part in parts {
            let length = part.bytes().len() / outer;
            let (piece, rest) = std::mem::take(&mut target).split_at_mut(length);
            piece.copy_from_slice(&part.bytes()[row * length..][..length]);
            target = rest;
        }
    }
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
fn part(tensor: &Tensor, begin: &[usize], shape: &[usize]) -> Result<Tensor> {
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
fn pick(tensor: &Tensor, base: usize, shape: &[usize], steps: &[isize]) -> Result<Tensor> {
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

/// The masks of a `StridedSlice`: bit `i` refers to the `i`-th entry of the specification.
#[derive(Clone, Copy)]
struct Masks {
    begin: i64,
    end: i64,
    ellipsis: i64,
    new_axis: i64,
    shrink: i64,
}

fn strided_slice(attributes: &Attributes<'_>) -> Result<Kernel> {
    let masks = Masks {
        begin: attributes.int("begin_mask", 0),
        end: attributes.int("end_mask", 0),
        ellipsis: attributes.int("ellipsis_mask", 0),
        new_axis: attributes.int("new_axis_mask", 0),
        shrink: attributes.int("shrink_axis_mask", 0),
    };
    if masks.ellipsis.count_ones() > 1 {
        return fail!("Multiple ellipses in slice spec not allowed");
    }
    single(move |inputs| {
        let tensor = input(inputs, 0)?;
        let (begins, ends, steps) = (
            input(inputs, 1)?.integers()?,
            input(inputs, 2)?.integers()?,
            input(inputs, 3)?.integers()?,
        );
        if begins.len() != ends.len() || begins.len() != steps.len() {
            return fail!("Expected begin, end, and strides to be 1D equal size tensors");
        }
        slice_by_masks(tensor, &begins, &ends, &steps, masks)
    })
}

fn slice_by_masks(
    tensor: &Tensor,
    begins: &[i64],
    ends: &[i64],
    steps: &[i64],
    masks: Masks,
) -> Result<Tensor> {
    let own = strides(tensor.shape());
    let has = |mask: i64, entry: usize| entry < 64 && mask >> entry & 1 == 1;
    let consuming = (0..begins.len())
        .filter(|&entry| !has(masks.ellipsis, entry) && !has(masks.new_axis, entry))
        .count();
    if consuming > tensor.rank() {
        return fail!(
            "Index out of range using input dim {}; input has only {} dims",
            tensor.rank(),
            tensor.rank()
        );
    }
    // `taken` has one entry for each dimension of the input, `shape` one for each dimension of the
    // result.
    let (mut taken, mut taken_steps, mut shape) = (Shape::new(), Vec::new(), Shape::new());
    let mut base = 0;
    let keep_all =
        |dimension: usize, taken: &mut Shape, taken_steps: &mut Vec<isize>, shape: &mut Shape| {
            taken.push(tensor.shape()[dimension]);
            taken_steps.push(own[dimension] as isize);
            shape.push(tensor.shape()[dimension]);
        };
    for entry in 0..begins.len() {
        let dimension = taken.len();
        if has(masks.ellipsis, entry) {
            for dimension in dimension..dimension + tensor.rank() - consuming {
                keep_all(dimension, &mut taken, &mut taken_steps, &mut shape);
            }
            continue;
        }
        if has(masks.new_axis, entry) {
            shape.push(1);
            continue;
        }
        let total = tensor.shape()[dimension] as i64;
        let step = steps[entry];
        if step == 0 {
            return fail!("strides[{entry}] must be non-zero");
        }
        if has(masks.shrink, entry) {
            if step < 0 {
                return fail!("only stride 1 allowed on non-range indexing.");
            }
            let at = if begins[entry] < 0 {
                begins[entry] + total
            } else {
                begins[entry]
            };
            if at < 0 || at >= total {
                return fail!(
                    "slice index {} of dimension {dimension} out of bounds.",
                    begins[entry]
                );
            }
            base += at as usize * own[dimension];
            taken.push(1);
            taken_steps.push(0);
            continue;
        }
        // The first and last positions of a walk in the direction of the step.
        let (lowest, highest) = if step > 0 {
            (0, total)
        } else {
            (-1, total - 1)
        };
        let bound = |value: i64, masked: bool, default: i64| {
            if masked {
                default
            } else {
                (if value < 0 {
                    value.saturating_add(total)
                } else {
                    value
                })
                .clamp(lowest, highest)
            }
        };
        let (first, last) = if step > 0 {
            (lowest, highest)
        } else {
            (highest, lowest)
        };
        let begin = bound(begins[entry], has(masks.begin, entry), first);
        let end = bound(ends[entry], has(masks.end, entry), last);
        let distance = if step > 0 { end - begin } else { begin - end };
        let length = if distance <= 0 {
            0
        } else {
            (distance as u64).div_ceil(step.unsigned_abs()) as usize
        };
        if length > 0 {
            base += begin as usize * own[dimension];
        }
        taken.push(length);
        taken_steps.push((own[dimension] as isize).wrapping_mul(step as isize));
        shape.push(length);
    }
    for dimension in taken.len()..tensor.rank() {
        keep_all(dimension, &mut taken, &mut taken_steps, &mut shape);
    }
    Ok(pick(tensor, base, &taken, &taken_steps)?.reshaped(&shape)?)
}

/// Slices of the input at indices along an axis.
fn gather(attributes: &Attributes<'_>) -> Result<Kernel> {
    let batch = attributes.int("batch_dims", 0);
    if batch != 0 {
        return fail!("GatherV2 with batch_dims is not supported by the embedded executor");
    }
    single(move |inputs| {
        let (tensor, indices) = (input(inputs, 0)?, input(inputs, 1)?);
        let index = match inputs.get(2) {
            Some(index) => index.integers()?.first().copied().unwrap_or(0),
            None => 0,
        };
        let dimension = axis(index, tensor.rank())?;
        let total = tensor.shape()[dimension];
        let positions = indices.integers()?;
        let is_inside = |at: i64| usize::try_from(at).is_ok_and(|at| at < total);
        let outside = positions.iter().position(|&at| !is_inside(at));
        let mut shape = Shape::from(&tensor.shape()[..dimension]);
        shape.extend_from_slice(indices.shape());
        shape.extend_from_slice(&tensor.shape()[dimension + 1..]);
        let outer: usize = tensor.shape()[..dimension].iter().product();
        let inner: usize = tensor.shape()[dimension + 1..].iter().product();
        // If nothing is picked, TensorFlow does not check the source.
        if let Some(number) = outside.filter(|_| outer * inner > 0) {
            let position = positions[number];
            return fail!("indices[{number}] = {position} is not in [0, {total})");
        }
        let source = |row: usize, position: i64| (row * total + position as usize) * inner;
        if tensor.dtype() == DType::String {
            let strings = tensor.strings()?;
            let mut picked = Vec::new();
            for row in 0..outer {
                for &position in &positions {
                    picked.extend_from_slice(&strings[source(row, position)..][..inner]);
                }
            }
            return Ok(Tensor::from_strings(&shape, picked)?);
        }
        let size = tensor.dtype().size();
        let mut result = Tensor::zeros(tensor.dtype(), &shape)?;
        let mut target = result.bytes_mut().unwrap_or_default();
        for row in 0..outer {
            for &position in &positions {
                let (piece, rest) = std::mem::take(&mut target).split_at_mut(inner * size);
                piece.copy_from_slice(
                    &tensor.bytes()[source(row, position) * size..][..inner * size],
                );
                target = rest;
            }
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
