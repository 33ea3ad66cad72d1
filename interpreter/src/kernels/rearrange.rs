//! Elements in another order, or repeated: mirrored edges, reversed sequences, blocks of images,
//! the largest elements.
//!
//! ```text
//! MirrorPad  [1 2 3] by 2, 1    REFLECT  3 2 [1 2 3] 2      SYMMETRIC  2 1 [1 2 3] 3
//! SpaceToDepth                  a block of b x b pixels becomes one pixel of b * b as many channels
//! ```
//!
//! Linear in the elements of the result; `TopKV2` sorts each row.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Outputs, Result,
        create::bad_shape,
        dispatch, fail,
        indexing::pick,
        input,
        number::Number,
        positions::{added, at, each, taken},
        pure, single, size, strides, take,
    },
    tensor::{DType, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("InvertPermutation", |_| single(invert)),
    ("MirrorPad", |attributes| mirror(attributes, false)),
    ("MirrorPadGrad", |attributes| mirror(attributes, true)),
    ("ReverseSequence", reverse_sequence),
    ("SpaceToDepth", |attributes| blocks(attributes, true)),
    ("DepthToSpace", |attributes| blocks(attributes, false)),
    ("TopKV2", largest),
];

/// The inverse of a permutation of `0..n`.
fn invert(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = take(inputs, 0)?;
    if tensor.rank() != 1 {
        return fail!("invert_permutation expects a 1D vector.");
    }
    let order = tensor.integers()?;
    let mut inverse = vec![None; order.len()];
    for (place, &number) in order.iter().enumerate() {
        let target = usize::try_from(number).ok();
        match target.and_then(|target| inverse.get_mut(target)) {
            Some(target @ None) => *target = Some(place),
            Some(_) => return fail!("{number} is duplicated in the input."),
            None => return fail!("{number} is not between 0 and {}", order.len()),
        }
    }
    dispatch!(tensor.dtype(), T in integers => {
        let inverse: Vec<T> = inverse.into_iter().flatten().map(T::from_usize).collect();
        Ok(Tensor::from_slice(tensor.shape(), &inverse)?)
    })
}

/// Pads with the elements next to each edge, or adds the padded elements to those that they repeat.
fn mirror(attributes: &Attributes<'_>, is_gradient: bool) -> Result<Kernel> {
    let edge = match attributes.text("mode", "REFLECT").as_str() {
        // The outermost element is not repeated.
        "REFLECT" => 1,
        "SYMMETRIC" => 0,
        mode => return fail!("mode must be either REFLECT or SYMMETRIC, not {mode}."),
    };
    single(move |inputs| {
        let (tensor, widths) = (input(inputs, 0)?, input(inputs, 1)?);
        if widths.shape() != [tensor.rank(), 2] {
            return fail!(
                "paddings must be a matrix with 2 columns and a row for each dimension: {}",
                shape_text(widths.shape())
            );
        }
        let widths = widths.integers()?;
        let (mut before, mut core, mut padded) = (Shape::new(), Shape::new(), Shape::new());
        for (dimension, &own) in tensor.shape().iter().enumerate() {
            let (left, right) = (
                size(widths[2 * dimension])?,
                size(widths[2 * dimension + 1])?,
            );
            let sum = left.saturating_add(right);
            let (core_size, padded_size) = match is_gradient {
                true => (own.checked_sub(sum), Some(own)),
                false => (Some(own), own.checked_add(sum)),
            };
            let most = core_size.and_then(|size| size.checked_sub(edge));
            let (Some(core_size), Some(padded_size), Some(most)) = (core_size, padded_size, most)
            else {
                return fail!("paddings do not fit into dimension {dimension}, of size {own}");
            };
            if left > most || right > most {
                return fail!(
                    "paddings must be no greater than the dimension size: {left}, {right} greater than {most}"
                );
            }
            before.push(left);
            core.push(core_size);
            padded.push(padded_size);
        }
        let own = strides(&core);
        let mut source: Shape = smallvec::smallvec![0; core.len()];
        let positions = each(&padded, |coordinates| {
            for (dimension, &place) in coordinates.iter().enumerate() {
                let (start, size) = (before[dimension], core[dimension]);
                source[dimension] = if place < start {
                    start - place - 1 + edge
                } else if place - start < size {
                    place - start
                } else {
                    2 * size - 1 - edge - (place - start)
                };
            }
            at(&source, &own)
        });
        match is_gradient {
            true => added(Tensor::zeros(tensor.dtype(), &core)?, &positions, tensor),
            false => taken(tensor, &positions, &padded),
        }
    })
}

/// Reverses the first elements of each row along a dimension.
fn reverse_sequence(attributes: &Attributes<'_>) -> Result<Kernel> {
    let along = size(attributes.int("seq_dim", 0))?;
    let batch = size(attributes.int("batch_dim", 0))?;
    single(move |inputs| {
        let (tensor, lengths) = (input(inputs, 0)?, input(inputs, 1)?);
        if along == batch || along >= tensor.rank() || batch >= tensor.rank() {
            return fail!(
                "seq_dim = {along} and batch_dim = {batch} must be different dimensions of an input of shape {}",
                shape_text(tensor.shape())
            );
        }
        if lengths.shape() != [tensor.shape()[batch]] {
            return fail!(
                "Length of seq_lens != input.dims({batch}): {} vs. {}",
                shape_text(lengths.shape()),
                tensor.shape()[batch]
            );
        }
        let most = tensor.shape()[along];
        let lengths = lengths.integers()?;
        if let Some(wrong) = lengths
            .iter()
            .find(|&&length| usize::try_from(length).is_err() || length as usize > most)
        {
            return fail!("seq_lens must be between 0 and {most}, not {wrong}");
        }
        let own = strides(tensor.shape());
        let positions = each(tensor.shape(), |coordinates| {
            let (place, length) = (coordinates[along], lengths[coordinates[batch]] as usize);
            let straight = at(coordinates, &own);
            match place < length {
                true => straight - place * own[along] + (length - 1 - place) * own[along],
                false => straight,
            }
        });
        taken(tensor, &positions, tensor.shape())
    })
}

/// Moves blocks of pixels into channels, or back.
fn blocks(attributes: &Attributes<'_>, into_channels: bool) -> Result<Kernel> {
    let block = size(attributes.int("block_size", 2))?;
    let format = attributes.text("data_format", "NHWC");
    if block < 2 {
        return fail!("Block size should be > 1, but was: {block}");
    }
    if format != "NHWC" {
        return fail!("Only NHWC data_format supported on CPU. Got {format}");
    }
    single(move |inputs| {
        let tensor = input(inputs, 0)?;
        let &[images, height, width, channels] = tensor.shape() else {
            return Err(bad_shape(tensor, "images of rank 4"));
        };
        let squares = block.saturating_mul(block);
        // The dimensions of blocks, of the input and then of the result.
        let (wide, order, shape) = match into_channels {
            true => {
                if !height.is_multiple_of(block) || !width.is_multiple_of(block) {
                    return fail!(
                        "Image height {height} and width {width} should be divisible by block_size: {block}"
                    );
                }
                let (rows, columns) = (height / block, width / block);
                (
                    [images, rows, block, columns, block, channels],
                    [0, 1, 3, 2, 4, 5],
                    [images, rows, columns, channels.saturating_mul(squares)],
                )
            }
            false => {
                if !channels.is_multiple_of(squares) {
                    return fail!(
                        "Input depth dimension {channels} should be divisible by: {squares}"
                    );
                }
                let depth = channels / squares;
                (
                    [images, height, width, block, block, depth],
                    [0, 1, 3, 2, 4, 5],
                    [images, height * block, width * block, depth],
                )
            }
        };
        let own = strides(&wide);
        let moved = order.map(|dimension: usize| wide[dimension]);
        let steps = order.map(|dimension| own[dimension] as isize);
        Ok(pick(tensor, 0, &moved, &steps)?.reshaped(&shape)?)
    })
}

/// The largest elements of each row and their places, in descending order; of equal ones the first
/// place comes first.
fn largest(attributes: &Attributes<'_>) -> Result<Kernel> {
    let index_type = attributes.dtype("index_type", DType::I32)?;
    pure(move |inputs| {
        let (tensor, count) = (input(inputs, 0)?, input(inputs, 1)?);
        let Some((&length, outer)) = tensor.shape().split_last() else {
            return fail!("input must be >= 1-D, got shape []");
        };
        let count = match (count.dtype(), count.rank()) {
            (DType::I16, 0) => i64::from(count.item::<i16>()?),
            (_, 0) => count.integers()?[0],
            _ => return Err(bad_shape(count, "a scalar k")),
        };
        let count = match usize::try_from(count) {
            Ok(count) if count <= length => count,
            Ok(count) => {
                return fail!("input must have at least k columns. Had {length}, needed {count}");
            }
            Err(_) => return fail!("Need k >= 0, got {count}"),
        };
        let rows: usize = outer.iter().product();
        let mut places = Vec::with_capacity(rows * count);
        dispatch!(tensor.dtype(), T in numbers => {
            let values = tensor.values::<T>()?;
            for row in 0..rows {
                let row = &values[row * length..][..length];
                let mut order: Vec<usize> = (0..length).collect();
                // The sort is stable.
                order.sort_by(|&one, &other| {
                    row[other].partial_cmp(&row[one]).unwrap_or(std::cmp::Ordering::Equal)
                });
                places.extend_from_slice(&order[..count]);
            }
            Ok::<_, super::KernelError>(())
        })?;
        let mut shape = Shape::from(outer);
        shape.push(count);
        let row_of = |(index, &place): (usize, &usize)| index / count * length + place;
        let positions: Vec<usize> = places.iter().enumerate().map(row_of).collect();
        let values = taken(tensor, &positions, &shape)?;
        let places = dispatch!(index_type, I in integers => {
            let places: Vec<I> = places.into_iter().map(I::from_usize).collect();
            Ok(Tensor::from_slice(&shape, &places)?)
        })?;
        Ok(Outputs::from_vec(vec![values, places]))
    })
}
