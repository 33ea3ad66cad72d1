//! Convolutions of images and volumes, and their gradients.
//!
//! ```text
//!   images ──gather──► block: a row for each position, with      block · filter = rows of the result
//!                      all elements under the filter             block' · gradient, added up = gradient of the filter
//!   images ◄──scatter, added── block = gradient · filter'
//! ```
//!
//! The positions of all images are numbered through, and taken in blocks that fit into a cache
//! (Chellapilla, Puri and Simard, *High performance convolutional neural networks for document
//! processing*, 2006). A filter of one element with a stride of 1 needs no blocks: the images are
//! the matrix. The time is that of the products; the memory that of one block.
//!
//! Padding contains zeros, which are multiplied: an infinite element of a filter gives NaN there,
//! as in TensorFlow. Its kernels for CPUs have no gradients of grouped or dilated convolutions.

use ndarray::{ArrayView2, ArrayViewMut2, Axis as Dimension, Slice};

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Result,
        create::bad_shape,
        dispatch, fail, input,
        matmul::{Factor, Onto},
        number::Number,
        single, size,
        windows::{Axis, SPATIAL, Sliding, positions},
    },
    tensor::{Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("Conv2D", |attributes| forward(attributes, 2)),
    ("Conv2DBackpropInput", |attributes| {
        gradient_of_images(attributes, 2)
    }),
    ("Conv2DBackpropFilter", |attributes| {
        gradient_of_filter(attributes, 2)
    }),
    ("Conv3D", |attributes| forward(attributes, 3)),
    ("Conv3DBackpropInputV2", |attributes| {
        gradient_of_images(attributes, 3)
    }),
    ("Conv3DBackpropFilterV2", |attributes| {
        gradient_of_filter(attributes, 3)
    }),
];

/// The number of elements of a block: half a megabyte of `f32`, which fits into a second-level
/// cache.
const BLOCK: usize = 1 << 17;

/// A convolution of given sizes.
struct Plan {
    images: usize,
    axes: [Axis; SPATIAL],
    /// The channels of the images.
    channels: usize,
    /// The channels under a filter: all, or those of one group.
    depth: usize,
    /// The channels of the result.
    results: usize,
}

impl Plan {
    /// Checks the sizes of images and a filter.
    fn new(sliding: &Sliding, images: &[usize], filter: &[usize]) -> Result<Self> {
        let rank = sliding.spatial + 2;
        if images.len() != rank || filter.len() != rank {
            return fail!(
                "images and filter must be {rank}-dimensional: {} and {}",
                shape_text(images),
                shape_text(filter)
            );
        }
        let spatial = sliding.spatial;
        let (channels, depth, results) = (images[rank - 1], filter[spatial], filter[spatial + 1]);
        if depth == 0 {
            return fail!(
                "filter depth must be strictly positive: {}",
                shape_text(filter)
            );
        }
        if !channels.is_multiple_of(depth) {
            return fail!(
                "input depth must be evenly divisible by filter depth: {channels} vs {depth}"
            );
        }
        Ok(Plan {
            images: images[0],
            axes: sliding.axes(&images[1..=spatial], &filter[..spatial])?,
            channels,
            depth,
            results,
        })
    }

    /// Returns an error if the channels are in groups.
    fn without_groups(self) -> Result<Self> {
        match self.channels == self.depth {
            true => Ok(self),
            false => fail!(
                "gradients of grouped convolutions are not supported on a CPU: the images have {} channels, and the filter {}",
                self.channels,
                self.depth
            ),
        }
    }

    /// The shape of the result.
    fn shape(&self, sliding: &Sliding) -> Shape {
        let mut shape: Shape = smallvec::smallvec![self.images];
        shape.extend(
            self.axes[SPATIAL - sliding.spatial..]
                .iter()
                .map(|axis| axis.output),
        );
        shape.push(self.results);
        shape
    }

    /// Returns an error if a gradient has not the shape of the result.
    fn check_gradient(&self, sliding: &Sliding, gradient: &Tensor) -> Result<()> {
        let expected = self.shape(sliding);
        if gradient.shape() == &expected[..] {
            return Ok(());
        }
        fail!(
            "the gradient must have the shape {} of the result, not {}",
            shape_text(&expected),
            shape_text(gradient.shape())
        )
    }

    /// The number of positions in all images.
    fn rows(&self) -> usize {
        self.images * positions(&self.axes)
    }

    /// The number of elements under a filter.
    fn inner(&self) -> usize {
        self.axes.iter().map(|axis| axis.window).product::<usize>() * self.depth
    }

    fn is_pointwise(&self) -> bool {
        self.axes.iter().all(Axis::is_pointwise)
    }

    /// Calls `visit` for each run of elements under the filter at `count` positions from `start`
    /// on: with its place in a block, its place in the images unless it is padding, and its length.
    fn each_run(
        &self,
        group: usize,
        start: usize,
        count: usize,
        mut visit: impl FnMut(usize, Option<usize>, usize),
    ) {
        let [planes, rows, columns] = &self.axes;
        let is_dense = columns.dilation == 1 && self.depth == self.channels;
        let line = columns.window * self.depth;
        let mut place = 0;
        for number in start..start + count {
            let (rest, column) = (number / columns.output, number % columns.output);
            let (rest, row) = (rest / rows.output, rest % rows.output);
            let (image, plane) = (rest / planes.output, rest % planes.output);
            let inside = [
                planes.inside(plane),
                rows.inside(row),
                columns.inside(column),
            ];
            for deep in 0..planes.window {
                for high in 0..rows.window {
                    let next = place + line;
                    if !inside[0].contains(&deep)
                        || !inside[1].contains(&high)
                        || inside[2].is_empty()
                    {
                        visit(place, None, line);
                        place = next;
                        continue;
                    }
                    let from = (image * planes.input + planes.under(plane, deep)) * rows.input;
                    let from = (from + rows.under(row, high)) * columns.input;
                    let from = |wide: usize| {
                        (from + columns.under(column, wide)) * self.channels + group * self.depth
                    };
                    if inside[2].start > 0 {
                        visit(place, None, inside[2].start * self.depth);
                    }
                    if is_dense {
                        let at = place + inside[2].start * self.depth;
                        visit(
                            at,
                            Some(from(inside[2].start)),
                            inside[2].len() * self.depth,
                        );
                    } else {
                        for wide in inside[2].clone() {
                            visit(place + wide * self.depth, Some(from(wide)), self.depth);
                        }
                    }
                    if inside[2].end < columns.window {
                        let at = place + inside[2].end * self.depth;
                        visit(at, None, next - at);
                    }
                    place = next;
                }
            }
        }
    }

    /// Calls `compute` with a block of memory, the first position and the number of positions,
    /// until it has seen all of them.
    fn each_block<T: Factor>(&self, mut compute: impl FnMut(&mut [T], usize, usize)) {
        let (rows, inner) = (self.rows(), self.inner());
        let most = (BLOCK / inner.max(1)).clamp(1, rows.max(1));
        let mut block = vec![T::ZERO; most * inner];
        for start in (0..rows).step_by(most) {
            let count = most.min(rows - start);
            compute(&mut block[..count * inner], start, count);
        }
    }

    /// Copies the elements under the filter.
    fn gather<T: Factor>(
        &self,
        images: &[T],
        block: &mut [T],
        group: usize,
        start: usize,
        count: usize,
    ) {
        self.each_run(group, start, count, |place, from, length| {
            let target = &mut block[place..place + length];
            match from {
                Some(from) => target.copy_from_slice(&images[from..from + length]),
                None => target.fill(T::ZERO),
            }
        });
    }

    /// Adds a block to the elements under the filter.
    fn scatter<T: Factor>(&self, block: &[T], images: &mut [T], start: usize, count: usize) {
        self.each_run(0, start, count, |place, to, length| {
            if let Some(to) = to {
                let terms = &block[place..place + length];
                for (sum, &term) in images[to..to + length].iter_mut().zip(terms) {
                    *sum = T::add(*sum, term);
                }
            }
        });
    }
}

const ROWS: Dimension = Dimension(0);
const COLUMNS: Dimension = Dimension(1);

/// Returns a view of a matrix in a slice.
fn matrix<T>(values: &[T], rows: usize, columns: usize) -> ArrayView2<'_, T> {
    ArrayView2::from_shape((rows, columns), &values[..rows * columns]).expect("as many elements")
}

fn matrix_mut<T>(values: &mut [T], rows: usize, columns: usize) -> ArrayViewMut2<'_, T> {
    ArrayViewMut2::from_shape((rows, columns), &mut values[..rows * columns])
        .expect("as many elements")
}

/// Returns a shape that is an operand.
fn shape_of(tensor: &Tensor) -> Result<Shape> {
    if tensor.rank() != 1 {
        return Err(bad_shape(tensor, "a list of sizes"));
    }
    tensor
        .integers()?
        .iter()
        .map(|&number| size(number))
        .collect()
}

/// Flat images may have integers.
macro_rules! elements {
    ($dtype:expr, $spatial:expr, $T:ident => $body:expr) => {
        match $dtype {
            crate::tensor::DType::I32 if $spatial == 2 => {
                type $T = i32;
                $body
            }
            _ => dispatch!($dtype, $T in floats => $body),
        }
    };
}

fn forward(attributes: &Attributes<'_>, spatial: usize) -> Result<Kernel> {
    let mut sliding = Sliding::read(attributes, spatial)?.within_channels()?;
    if spatial == 3 {
        sliding = sliding.without_dilation()?;
    }
    single(move |inputs| {
        let (images, filter) = (input(inputs, 0)?, input(inputs, 1)?);
        let mut plan = Plan::new(&sliding, images.shape(), filter.shape())?;
        if spatial == 3 {
            plan = plan.without_groups()?;
        }
        let shape = plan.shape(&sliding);
        let is_empty = shape.contains(&0);
        let groups = plan.channels / plan.depth;
        if !is_empty && groups > 0 && !plan.results.is_multiple_of(groups) {
            return fail!(
                "output depth must be evenly divisible by number of groups: {} vs {groups}",
                plan.results
            );
        }
        if !is_empty && filter.elements() == 0 {
            return fail!(
                "filter must not have zero elements: {}",
                shape_text(filter.shape())
            );
        }
        elements!(images.dtype(), spatial, T => {
            let (images, filter) = (images.values::<T>()?, filter.values::<T>()?);
            Ok(Tensor::build(&shape, |output: &mut [T]| {
                if !output.is_empty() && !images.is_empty() {
                    convolve(&plan, images, filter, output);
                }
            })?)
        })
    })
}

fn convolve<T: Factor>(plan: &Plan, images: &[T], filter: &[T], output: &mut [T]) {
    let (inner, results) = (plan.inner(), plan.results);
    let filter = matrix(filter, inner, results);
    let groups = plan.channels / plan.depth;
    let each = results / groups;
    let mut output = matrix_mut(output, plan.rows(), results);
    if plan.is_pointwise() {
        let images = matrix(images, plan.rows(), plan.channels);
        for group in 0..groups {
            let under = Slice::from(group * plan.depth..(group + 1) * plan.depth);
            let own = Slice::from(group * each..(group + 1) * each);
            let images = images.slice_axis(COLUMNS, under);
            let output = output.slice_axis_mut(COLUMNS, own);
            T::multiply(images, filter.slice_axis(COLUMNS, own), output, Onto::Zeros);
        }
        return;
    }
    plan.each_block(|block: &mut [T], start, count| {
        for group in 0..groups {
            plan.gather(images, block, group, start, count);
            let own = Slice::from(group * each..(group + 1) * each);
            let filter = filter.slice_axis(COLUMNS, own);
            let mut output = output.slice_axis_mut(COLUMNS, own);
            let output = output.slice_axis_mut(ROWS, Slice::from(start..start + count));
            T::multiply(matrix(block, count, inner), filter, output, Onto::Zeros);
        }
    });
}

/// Operands: the sizes of the images, the filter, the gradient of the result.
fn gradient_of_images(attributes: &Attributes<'_>, spatial: usize) -> Result<Kernel> {
    let sliding = Sliding::read(attributes, spatial)?
        .without_dilation()?
        .within_channels()?;
    single(move |inputs| {
        let (filter, gradient) = (input(inputs, 1)?, input(inputs, 2)?);
        let mut shape = shape_of(input(inputs, 0)?)?;
        if spatial == 2 && shape.len() == 2 && filter.rank() == 4 && gradient.rank() == 4 {
            // The height and the width alone.
            shape.insert(0, gradient.shape()[0]);
            shape.push(filter.shape()[2]);
        }
        let plan = Plan::new(&sliding, &shape, filter.shape())?.without_groups()?;
        plan.check_gradient(&sliding, gradient)?;
        elements!(filter.dtype(), spatial, T => {
            let (filter, gradient) = (filter.values::<T>()?, gradient.values::<T>()?);
            Ok(Tensor::build(&shape, |output: &mut [T]| {
                if output.is_empty() || filter.is_empty() || gradient.is_empty() {
                    return;
                }
                let filter = matrix(filter, plan.inner(), plan.results);
                let gradient = matrix(gradient, plan.rows(), plan.results);
                if plan.is_pointwise() {
                    let output = matrix_mut(output, plan.rows(), plan.channels);
                    T::multiply(gradient, filter.reversed_axes(), output, Onto::Zeros);
                    return;
                }
                plan.each_block(|block: &mut [T], start, count| {
                    block.fill(T::ZERO);
                    let gradient = gradient.slice_axis(ROWS, Slice::from(start..start + count));
                    let product = matrix_mut(block, count, plan.inner());
                    T::multiply(gradient, filter.reversed_axes(), product, Onto::Zeros);
                    plan.scatter(block, output, start, count);
                });
            })?)
        })
    })
}

/// Operands: the images, the sizes of the filter, the gradient of the result.
fn gradient_of_filter(attributes: &Attributes<'_>, spatial: usize) -> Result<Kernel> {
    let sliding = Sliding::read(attributes, spatial)?
        .without_dilation()?
        .within_channels()?;
    single(move |inputs| {
        let (images, gradient) = (input(inputs, 0)?, input(inputs, 2)?);
        let shape = shape_of(input(inputs, 1)?)?;
        let plan = Plan::new(&sliding, images.shape(), &shape)?.without_groups()?;
        plan.check_gradient(&sliding, gradient)?;
        dispatch!(images.dtype(), T in floats => {
            let (images, gradient) = (images.values::<T>()?, gradient.values::<T>()?);
            Ok(Tensor::build(&shape, |output: &mut [T]| {
                if output.is_empty() || images.is_empty() || gradient.is_empty() {
                    return;
                }
                let gradient = matrix(gradient, plan.rows(), plan.results);
                let mut output = matrix_mut(output, plan.inner(), plan.results);
                if plan.is_pointwise() {
                    let images = matrix(images, plan.rows(), plan.channels);
                    T::multiply(images.reversed_axes(), gradient, output, Onto::Zeros);
                    return;
                }
                plan.each_block(|block: &mut [T], start, count| {
                    plan.gather(images, block, 0, start, count);
                    let block = matrix(block, count, plan.inner()).reversed_axes();
                    let gradient = gradient.slice_axis(ROWS, Slice::from(start..start + count));
                    T::multiply(block, gradient, output.view_mut(), Onto::Sums);
                });
            })?)
        })
    })
}
