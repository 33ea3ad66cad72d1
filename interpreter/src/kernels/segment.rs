//! Reductions over segments: rows with the same number are combined.
//!
//! ```text
//! rows    a b c d e                      SegmentSum            a+b  c    0  d+e
//! numbers 0 0 1 3 3  (in order)
//! numbers 1 0 -1 1 0 (in any order)      UnsortedSegmentSum    b+e  a+d       c is dropped
//! ```
//!
//! Sums, means and products of `f32` accumulate in `f64`, as in `reduce.rs`. A segment without rows
//! has the value of TensorFlow: 0, or 1 for a product; for the maximum and the minimum of numbers
//! in any order the least and the largest number.

use crate::{
    kernels::{
        Entry, Kernel, KernelError, broadcast::map, dispatch, fail, input, number::Number, single,
    },
    tensor::{DType, Element, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("SegmentSum", |_| sorted(sum)),
    ("SegmentMean", |_| sorted(mean)),
    ("SegmentProd", |_| sorted(product)),
    ("SegmentMax", |_| sorted(|plan| largest(plan, true))),
    ("SegmentMin", |_| sorted(|plan| smallest(plan, true))),
    ("UnsortedSegmentSum", |_| unsorted(sum)),
    ("UnsortedSegmentProd", |_| unsorted(product)),
    ("UnsortedSegmentMax", |_| {
        unsorted(|plan| largest(plan, false))
    }),
    ("UnsortedSegmentMin", |_| {
        unsorted(|plan| smallest(plan, false))
    }),
];

/// The rows of a tensor, and the segment of each.
struct Plan<'t> {
    tensor: &'t Tensor,
    /// The number of elements of a row.
    row: usize,
    /// `None` for a row that is dropped.
    segments: Vec<Option<usize>>,
    /// The shape of the result.
    shape: Shape,
}

impl Plan<'_> {
    /// Combines the rows of each segment, starting from `initial`.
    fn fold<A: Element, R: Element>(
        &self,
        initial: R,
        combine: impl Fn(R, A) -> R,
    ) -> Result<Tensor, KernelError> {
        let values = self.tensor.values::<A>()?;
        let row = self.row;
        Ok(Tensor::build(&self.shape, |output: &mut [R]| {
            output.fill(initial);
            for (index, segment) in self.segments.iter().enumerate() {
                let Some(segment) = segment else { continue };
                let from = &values[index * row..][..row];
                let to = &mut output[segment * row..][..row];
                for (folded, &value) in to.iter_mut().zip(from) {
                    *folded = combine(*folded, value);
                }
            }
        })?)
    }

    /// Returns the number of rows of each segment.
    fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.shape[0]];
        for segment in self.segments.iter().flatten() {
            counts[*segment] += 1;
        }
        counts
    }

    /// Replaces the elements of segments without rows.
    fn fill_empty<T: Element>(&self, mut tensor: Tensor, value: T) -> Result<Tensor, KernelError> {
        let counts = self.counts();
        let values = tensor.values_mut::<T>().unwrap_or_default();
        for (segment, _) in counts.iter().enumerate().filter(|(_, count)| **count == 0) {
            values[segment * self.row..][..self.row].fill(value);
        }
        Ok(tensor)
    }
}

type Reduce = fn(&Plan<'_>) -> Result<Tensor, KernelError>;

/// A kernel whose numbers of segments are in order; the last one determines the size of the result.
fn sorted(reduce: Reduce) -> Result<Kernel, KernelError> {
    single(move |inputs| {
        let (tensor, numbers) = (input(inputs, 0)?, input(inputs, 1)?);
        if numbers.rank() != 1 {
            return fail!("segment_ids should be a vector.");
        }
        if tensor.rank() == 0 || tensor.shape()[0] != numbers.elements() {
            return fail!("segment_ids should be the same size as dimension 0 of input.");
        }
        let numbers = numbers.integers()?;
        if numbers.first().is_some_and(|first| *first < 0)
            || numbers.windows(2).any(|pair| pair[0] > pair[1])
        {
            return fail!("segment ids must be >= 0 and increasing");
        }
        let count = numbers.last().map_or(0, |last| *last as usize + 1);
        let mut shape = Shape::from(tensor.shape());
        shape[0] = count;
        reduce(&Plan {
            tensor,
            row: tensor.shape()[1..].iter().product(),
            segments: numbers
                .iter()
                .map(|number| Some(*number as usize))
                .collect(),
            shape,
        })
    })
}

/// A kernel with numbers in any order, and the number of segments as its third input.
fn unsorted(reduce: Reduce) -> Result<Kernel, KernelError> {
    single(move |inputs| {
        let (tensor, numbers) = (input(inputs, 0)?, input(inputs, 1)?);
        let count = input(inputs, 2)?;
        if count.rank() != 0 {
            return fail!(
                "num_segments should be a scalar, not shape {}",
                shape_text(count.shape())
            );
        }
        if !tensor.shape().starts_with(numbers.shape()) {
            return fail!(
                "data.shape = {} does not start with segment_ids.shape = {}",
                shape_text(tensor.shape()),
                shape_text(numbers.shape())
            );
        }
        let count = count.integers()?.first().copied().unwrap_or(0);
        let Ok(count) = usize::try_from(count) else {
            return fail!("Input num_segments == {count} must not be negative.");
        };
        let inner = &tensor.shape()[numbers.rank()..];
        let row: usize = inner.iter().product();
        let mut shape = Shape::new();
        shape.push(count);
        shape.extend_from_slice(inner);
        let segment = |number: &i64| match usize::try_from(*number) {
            Err(_) => Ok(None),
            Ok(number) if number < count || row == 0 => Ok(Some(number).filter(|_| row > 0)),
            Ok(number) => fail!("segment_ids = {number} is out of range [0, {count})"),
        };
        let segments = numbers
            .integers()?
            .iter()
            .map(segment)
            .collect::<Result<_, _>>()?;
        reduce(&Plan {
            tensor,
            row,
            segments,
            shape,
        })
    })
}

fn sum(plan: &Plan<'_>) -> Result<Tensor, KernelError> {
    if plan.tensor.dtype() == DType::F32 {
        let sums = plan.fold(0.0, |sum: f64, x: f32| sum + f64::from(x))?;
        return map(&sums, |x: f64| x as f32);
    }
    dispatch!(plan.tensor.dtype(), T in numbers => plan.fold(T::ZERO, |x: T, y: T| Number::add(x, y)))
}

fn mean(plan: &Plan<'_>) -> Result<Tensor, KernelError> {
    let counts = plan.counts();
    let row = plan.row.max(1);
    let divide = |mut sums: Tensor| -> Result<Tensor, KernelError> {
        for (index, sum) in sums
            .values_mut::<f64>()
            .unwrap_or_default()
            .iter_mut()
            .enumerate()
        {
            *sum /= counts[index / row].max(1) as f64;
        }
        Ok(sums)
    };
    match plan.tensor.dtype() {
        DType::F32 => {
            let sums = plan.fold(0.0, |sum: f64, x: f32| sum + f64::from(x))?;
            map(&divide(sums)?, |x: f64| x as f32)
        }
        DType::F64 => divide(sum(plan)?),
        other => fail!("elements of type {other} are not supported here by the embedded executor"),
    }
}

fn product(plan: &Plan<'_>) -> Result<Tensor, KernelError> {
    if plan.tensor.dtype() == DType::F32 {
        let products = plan.fold(1.0, |product: f64, x: f32| product * f64::from(x))?;
        return map(&products, |x: f64| x as f32);
    }
    dispatch!(plan.tensor.dtype(), T in numbers => plan.fold(T::ONE, |x: T, y: T| Number::mul(x, y)))
}

fn largest(plan: &Plan<'_>, is_sorted: bool) -> Result<Tensor, KernelError> {
    // The least number of unsorted floats is finite, as in TensorFlow.
    match plan.tensor.dtype() {
        DType::F32 if !is_sorted => plan.fold(f32::MIN, |x: f32, y: f32| Number::maximum(x, y)),
        DType::F64 if !is_sorted => plan.fold(f64::MIN, |x: f64, y: f64| Number::maximum(x, y)),
        dtype => dispatch!(dtype, T in numbers => {
            let found = plan.fold(T::LOWEST, |x: T, y: T| Number::maximum(x, y))?;
            match is_sorted {
                true => plan.fill_empty(found, T::ZERO),
                false => Ok(found),
            }
        }),
    }
}

fn smallest(plan: &Plan<'_>, is_sorted: bool) -> Result<Tensor, KernelError> {
    match plan.tensor.dtype() {
        DType::F32 if !is_sorted => plan.fold(f32::MAX, |x: f32, y: f32| Number::minimum(x, y)),
        DType::F64 if !is_sorted => plan.fold(f64::MAX, |x: f64, y: f64| Number::minimum(x, y)),
        dtype => dispatch!(dtype, T in numbers => {
            let found = plan.fold(T::HIGHEST, |x: T, y: T| Number::minimum(x, y))?;
            match is_sorted {
                true => plan.fill_empty(found, T::ZERO),
                false => Ok(found),
            }
        }),
    }
}
