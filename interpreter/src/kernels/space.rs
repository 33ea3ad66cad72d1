//! Blocks of a space as batches, which make a dilated convolution a plain one.
//!
//! ```text
//!   [batch, height, width, channels] ─pad, cut into blocks─► [batch * block, height / block, ...]
//!                                    ◄─put together, crop──
//! ```

use smallvec::SmallVec;

use crate::{
    kernels::{Entry, Result, create::bad_shape, dispatch, fail, input, single},
    tensor::{Element, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("SpaceToBatchND", |_| single(to_batch)),
    ("BatchToSpaceND", |_| single(to_space)),
];

/// The sizes of blocks, and what is added or removed before and after each dimension.
struct Blocks {
    sizes: SmallVec<[usize; 4]>,
    edges: SmallVec<[(usize, usize); 4]>,
}

impl Blocks {
    fn read(tensor: &Tensor, sizes: &Tensor, edges: &Tensor) -> Result<Self> {
        if sizes.rank() != 1 {
            return Err(bad_shape(sizes, "a list of sizes of blocks"));
        }
        let count = sizes.elements();
        if edges.shape() != [count, 2] {
            return Err(bad_shape(edges, "two numbers for each size of a block"));
        }
        if tensor.rank() < count + 1 {
            return Err(bad_shape(
                tensor,
                "a batch and a dimension for each size of a block",
            ));
        }
        let positive = |&size: &i64| usize::try_from(size).ok().filter(|&size| size > 0);
        let numbers = sizes.integers()?;
        let Some(sizes) = numbers.iter().map(positive).collect() else {
            return fail!("sizes of blocks must be positive: {numbers:?}");
        };
        let numbers = edges.integers()?;
        let natural: Option<SmallVec<[usize; 8]>> = numbers
            .iter()
            .map(|&number| usize::try_from(number).ok())
            .collect();
        let Some(natural) = natural else {
            return fail!("paddings and crops must be 0 or more: {numbers:?}");
        };
        let edges = natural
            .chunks_exact(2)
            .map(|pair| (pair[0], pair[1]))
            .collect();
        Ok(Blocks { sizes, edges })
    }

    /// The number of elements of a block.
    fn elements(&self) -> usize {
        self.sizes
            .iter()
            .fold(1, |product, &size| product.saturating_mul(size))
    }

    /// Returns the place in the space of a place in the batch; both count inner parts. `None` if it
    /// is outside.
    fn place(&self, mut number: usize, space: &[usize], batch: &[usize]) -> Option<usize> {
        let mut offset = number / batch[1..].iter().product::<usize>() / space[0];
        let (mut place, mut step) = (0, 1);
        for dimension in (1..batch.len()).rev() {
            let (block, (before, _)) = (self.sizes[dimension - 1], self.edges[dimension - 1]);
            let within = number % batch[dimension] * block + offset % block;
            number /= batch[dimension];
            offset /= block;
            let own = within.checked_sub(before)?;
            if own >= space[dimension] {
                return None;
            }
            place += own * step;
            step *= space[dimension];
        }
        Some(place + number % space[0] * step)
    }
}

fn to_batch(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = input(inputs, 0)?;
    let blocks = Blocks::read(tensor, input(inputs, 1)?, input(inputs, 2)?)?;
    let own = tensor.shape();
    let mut shape: Shape = own.into();
    shape[0] = own[0].saturating_mul(blocks.elements());
    for (dimension, (&block, &(before, after))) in
        blocks.sizes.iter().zip(&blocks.edges).enumerate()
    {
        let padded = own[dimension + 1]
            .saturating_add(before)
            .saturating_add(after);
        if !padded.is_multiple_of(block) {
            return fail!(
                "padded_shape[{dimension}]={padded} is not divisible by block_shape[{dimension}]={block}"
            );
        }
        shape[dimension + 1] = padded / block;
    }
    dispatch!(tensor.dtype(), T in plain => moved::<T>(tensor, &shape, &blocks, To::Batch))
}

fn to_space(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = input(inputs, 0)?;
    let blocks = Blocks::read(tensor, input(inputs, 1)?, input(inputs, 2)?)?;
    let own = tensor.shape();
    let elements = blocks.elements();
    if !own[0].is_multiple_of(elements) {
        return fail!(
            "Input batch dimension ({}) is not divisible by product of block sizes ({elements})",
            own[0]
        );
    }
    let mut shape: Shape = own.into();
    shape[0] = own[0] / elements;
    for (dimension, (&block, &(before, after))) in
        blocks.sizes.iter().zip(&blocks.edges).enumerate()
    {
        let full = own[dimension + 1].saturating_mul(block);
        let Some(size) = full.checked_sub(before.saturating_add(after)) else {
            return fail!(
                "cropped_shape[{dimension}] must be non-negative: {} of {}",
                shape_text(&[before, after]),
                full
            );
        };
        shape[dimension + 1] = size;
    }
    dispatch!(tensor.dtype(), T in plain => moved::<T>(tensor, &shape, &blocks, To::Space))
}

/// The destination of the elements of a tensor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    Batch,
    Space,
}

/// Moves elements between a space and its batch. Places of the batch that are padding stay zero,
/// and those that are cropped are left out.
fn moved<T: Element>(tensor: &Tensor, shape: &[usize], blocks: &Blocks, to: To) -> Result<Tensor> {
    let values = tensor.values::<T>()?;
    let (space, batch) = match to {
        To::Batch => (tensor.shape(), shape),
        To::Space => (shape, tensor.shape()),
    };
    let (outer, inner) = batch.split_at(blocks.sizes.len() + 1);
    let inner: usize = inner.iter().product();
    Ok(Tensor::build(shape, |output: &mut [T]| {
        if values.is_empty() || output.is_empty() {
            return;
        }
        for number in 0..outer.iter().product() {
            let Some(place) = blocks.place(number, space, outer) else {
                continue;
            };
            let [place, number] =
                [place, number].map(|number| number * inner..(number + 1) * inner);
            match to {
                To::Batch => output[number].copy_from_slice(&values[place]),
                To::Space => output[place].copy_from_slice(&values[number]),
            }
        }
    })?)
}
