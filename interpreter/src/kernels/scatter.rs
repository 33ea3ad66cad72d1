//! Slices at the coordinates in a tensor of indices, and rows sent to numbered places.
//!
//! ```text
//! indices [..., K]: each row of K numbers names a slice of the tensor, of its last rank - K dimensions
//!
//! GatherNd            reads the slices          ScatterNd            adds to slices of zeros
//! TensorScatterAdd    adds to the slices        DynamicPartition     one tensor for each number
//! TensorScatterSub    subtracts from them
//! TensorScatterUpdate overwrites the slices     DynamicStitch        puts rows back together
//! ```
//!
//! Linear in the elements that are moved and in the result.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Outputs, Result,
        create::shape_of,
        dispatch, fail, input,
        positions::{added, subtracted, taken},
        pure, single, size, strides, take,
    },
    tensor::{DType, Element, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("GatherNd", |_| single(gather)),
    ("ScatterNd", |_| {
        single(|inputs| {
            let (shape, updates) = (shape_of(input(inputs, 2)?)?, input(inputs, 1)?);
            let zeros = Tensor::zeros(updates.dtype(), &shape)?;
            let places = Places::of_updates(&zeros, input(inputs, 0)?, updates)?;
            added(zeros, &places.elements(), updates)
        })
    }),
    ("TensorScatterAdd", |_| {
        single(|inputs| {
            let (tensor, updates) = (take(inputs, 0)?, input(inputs, 2)?);
            let places = Places::of_updates(&tensor, input(inputs, 1)?, updates)?;
            added(tensor, &places.elements(), updates)
        })
    }),
    ("TensorScatterSub", |_| {
        single(|inputs| {
            let (tensor, updates) = (take(inputs, 0)?, input(inputs, 2)?);
            let places = Places::of_updates(&tensor, input(inputs, 1)?, updates)?;
            subtracted(tensor, &places.elements(), updates)
        })
    }),
    ("TensorScatterUpdate", |_| single(update)),
    ("DynamicPartition", partition),
    ("DynamicStitch", |_| single(stitch)),
    // Of several rows of one number, any may be the result: here it is the last one, too.
    ("ParallelDynamicStitch", |_| single(stitch)),
];

/// The slices that a tensor of indices names.
struct Places {
    /// The position of the first element of each slice.
    starts: Vec<usize>,
    /// The number of elements of a slice.
    slice: usize,
    /// The shape of all slices together.
    shape: Shape,
}

impl Places {
    fn new(tensor: &Tensor, indices: &Tensor) -> Result<Self> {
        let Some((&depth, outer)) = indices.shape().split_last() else {
            return fail!("indices must be at least a vector");
        };
        if depth > tensor.rank() {
            return fail!(
                "the last dimension of indices has {depth} coordinates, but the tensor has {} dimensions",
                tensor.rank()
            );
        }
        let (sizes, rest) = tensor.shape().split_at(depth);
        let own = strides(tensor.shape());
        let slice = rest.iter().product();
        let mut shape = Shape::from(outer);
        shape.extend_from_slice(rest);
        let numbers = integers(indices)?;
        let count: usize = outer.iter().product();
        let start = |row: usize| {
            let row = &numbers[row * depth..][..depth];
            let mut start = 0;
            for ((&index, &size), &stride) in row.iter().zip(sizes).zip(&own) {
                match usize::try_from(index).ok().filter(|&index| index < size) {
                    Some(index) => start += index * stride,
                    None => {
                        return fail!(
                            "indices = {row:?} does not index into a tensor of shape {}",
                            shape_text(tensor.shape())
                        );
                    }
                }
            }
            Ok(start)
        };
        Ok(Places {
            starts: (0..count).map(start).collect::<Result<_>>()?,
            slice,
            shape,
        })
    }

    /// The positions of all elements of the slices.
    fn elements(&self) -> Vec<usize> {
        let slices = self.starts.iter();
        slices
            .flat_map(|&start| start..start + self.slice)
            .collect()
    }

    /// The slices that updates are for. A list of indices has one coordinate in each row.
    fn of_updates(tensor: &Tensor, indices: &Tensor, updates: &Tensor) -> Result<Self> {
        if updates.rank() == 0 || indices.rank() == 0 {
            return fail!("Indices and updates must have rank at least one");
        }
        if tensor.elements() == 0 && indices.elements() + updates.elements() > 0 {
            return fail!("Indices and updates specified for empty output shape");
        }
        let places = match indices.shape() {
            &[count] => Self::new(tensor, &indices.clone().reshaped(&[count, 1])?)?,
            _ => Self::new(tensor, indices)?,
        };
        if updates.shape() == &places.shape[..] {
            return Ok(places);
        }
        fail!(
            "updates must have shape {}, not {}",
            shape_text(&places.shape),
            shape_text(updates.shape())
        )
    }
}

/// Returns indices of any type that TensorFlow has for them.
fn integers(indices: &Tensor) -> Result<Vec<i64>> {
    match indices.dtype() {
        DType::I16 => Ok(indices
            .values::<i16>()?
            .iter()
            .map(|&index| index.into())
            .collect()),
        _ => Ok(indices.integers()?.into_vec()),
    }
}

fn gather(inputs: &mut [Tensor]) -> Result<Tensor> {
    let (tensor, indices) = (input(inputs, 0)?, input(inputs, 1)?);
    if tensor.rank() == 0 {
        return fail!("params must be at least a vector");
    }
    if tensor.elements() == 0 && indices.elements() > 0 {
        return fail!(
            "Requested more than 0 entries, but params is empty.  Params shape: {}",
            shape_text(tensor.shape())
        );
    }
    let places = Places::new(tensor, indices)?;
    taken(tensor, &places.elements(), &places.shape)
}

/// Overwrites slices; of several updates of one slice, the last one holds.
fn update(inputs: &mut [Tensor]) -> Result<Tensor> {
    let (tensor, updates) = (take(inputs, 0)?, input(inputs, 2)?);
    let places = Places::of_updates(&tensor, input(inputs, 1)?, updates)?;
    dispatch!(tensor.dtype(), T in plain => {
        let mut result = own::<T>(tensor)?;
        let values = result.values_mut::<T>().unwrap_or_default();
        for (&at, &update) in places.elements().iter().zip(updates.values::<T>()?) {
            values[at] = update;
        }
        Ok(result)
    })
}

/// Returns the tensor itself, or a copy if it is shared.
fn own<T: Element>(mut tensor: Tensor) -> Result<Tensor> {
    match tensor.values_mut::<T>() {
        Some(_) => Ok(tensor),
        None => Ok(Tensor::from_slice(tensor.shape(), tensor.values::<T>()?)?),
    }
}

/// Returns the rows with each number, in order.
fn partition(attributes: &Attributes<'_>) -> Result<Kernel> {
    let count = size(attributes.int("num_partitions", 1))?;
    pure(move |inputs| {
        let (tensor, numbers) = (input(inputs, 0)?, input(inputs, 1)?);
        if !tensor.shape().starts_with(numbers.shape()) {
            return fail!(
                "data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
                shape_text(tensor.shape()),
                shape_text(numbers.shape())
            );
        }
        let inner = &tensor.shape()[numbers.rank()..];
        let row: usize = inner.iter().product();
        let mut parts = vec![Vec::new(); count];
        let mut rows = vec![0; count];
        for (index, &number) in numbers.values::<i32>()?.iter().enumerate() {
            let part = usize::try_from(number).ok().filter(|&part| part < count);
            let Some(part) = part else {
                return fail!("partitions[{index}] = {number} is not in [0, {count})");
            };
            rows[part] += 1;
            parts[part].extend(index * row..(index + 1) * row);
        }
        let outputs = parts.iter().zip(rows).map(|(positions, rows)| {
            let mut shape = Shape::from(inner);
            shape.insert(0, rows);
            taken(tensor, positions, &shape)
        });
        outputs.collect::<Result<Outputs>>()
    })
}

/// Puts rows at numbered places: the first half of the inputs has the numbers, the second half the
/// rows. A later row replaces an earlier one; a place without a row has zeros.
fn stitch(inputs: &mut [Tensor]) -> Result<Tensor> {
    let (numbers, rows) = inputs.split_at(inputs.len() / 2);
    let first = (input(numbers, 0)?, input(rows, 0)?);
    let inner = Shape::from(first.1.shape().get(first.0.rank()..).unwrap_or_default());
    let row: usize = inner.iter().product();
    let mut count = 0;
    let mut all = Vec::new();
    for (index, (numbers, rows)) in numbers.iter().zip(rows).enumerate() {
        let rest = rows.shape().strip_prefix(numbers.shape());
        if rest != Some(&inner[..]) {
            return fail!(
                "data[{index}].shape = {} does not start with indices[{index}].shape = {}, or its rows differ in shape",
                shape_text(rows.shape()),
                shape_text(numbers.shape())
            );
        }
        for &number in numbers.values::<i32>()? {
            let Ok(place) = usize::try_from(number) else {
                return fail!("indices[{index}] has a negative number: {number}");
            };
            count = count.max(place + 1);
            all.push(place);
        }
    }
    let mut shape = inner;
    shape.insert(0, count);
    dispatch!(first.1.dtype(), T in plain => {
        let values = rows.iter().map(Tensor::values::<T>).collect::<Result<Vec<_>, _>>()?;
        // Rows without elements have nothing to copy.
        let from = values.iter().flat_map(|values| values.chunks_exact(row.max(1)));
        Ok(Tensor::build(&shape, |output: &mut [T]| {
            for (&place, from) in all.iter().zip(from) {
                output[place * row..][..row].copy_from_slice(from);
            }
        })?)
    })
}
