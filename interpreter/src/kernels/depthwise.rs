//! Convolutions that keep channels apart, and their gradients.
//!
//! ```text
//!   result[position, c * multiplier + m] = sum over the filter of image[.., c] * filter[.., c, m]
//! ```
//!
//! Each element of the filter is a row of numbers, one for each channel of the result, and so is
//! each position: the innermost loops multiply rows. Padding is left out of the sums, so that an
//! infinite element of a filter gives no NaN there.

use std::ops::{Add, Mul};

use crate::{
    kernels::{
        Attributes, Entry, Result,
        create::bad_shape,
        dispatch, fail, input,
        number::Float,
        single, size,
        windows::{Axis, SPATIAL, Sliding},
    },
    tensor::{Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("DepthwiseConv2dNative", |attributes| {
        let sliding = read(attributes)?;
        single(move |inputs| {
            let (images, filter) = (input(inputs, 0)?, input(inputs, 1)?);
            let plan = Plan::new(&sliding, images.shape(), filter.shape())?;
            dispatch!(images.dtype(), T in floats => forward::<T>(&plan, images, filter))
        })
    }),
    ("DepthwiseConv2dNativeBackpropInput", |attributes| {
        let sliding = read(attributes)?;
        single(move |inputs| {
            let (filter, gradient) = (input(inputs, 1)?, input(inputs, 2)?);
            let shape = shape_of(input(inputs, 0)?)?;
            let plan = Plan::new(&sliding, &shape, filter.shape())?;
            plan.check_gradient(gradient)?;
            dispatch!(filter.dtype(), T in floats => gradient_of_images::<T>(&plan, &shape, filter, gradient))
        })
    }),
    ("DepthwiseConv2dNativeBackpropFilter", |attributes| {
        let sliding = read(attributes)?;
        single(move |inputs| {
            let (images, gradient) = (input(inputs, 0)?, input(inputs, 2)?);
            let shape = shape_of(input(inputs, 1)?)?;
            let plan = Plan::new(&sliding, images.shape(), &shape)?;
            plan.check_gradient(gradient)?;
            dispatch!(images.dtype(), T in floats => gradient_of_filter::<T>(&plan, &shape, images, gradient))
        })
    }),
];

fn read(attributes: &Attributes<'_>) -> Result<Sliding> {
    Sliding::read(attributes, 2)?
        .without_dilation()?
        .within_channels()?
        .with_equal_strides()
}

/// Returns the sizes of four dimensions, which are an operand.
fn shape_of(tensor: &Tensor) -> Result<Shape> {
    if tensor.shape() != [4] {
        return Err(bad_shape(tensor, "a list of four sizes"));
    }
    tensor
        .integers()?
        .iter()
        .map(|&number| size(number))
        .collect()
}

/// A convolution of given sizes.
struct Plan {
    images: usize,
    axes: [Axis; SPATIAL],
    channels: usize,
    multiplier: usize,
    shape: [usize; 4],
}

impl Plan {
    fn new(sliding: &Sliding, images: &[usize], filter: &[usize]) -> Result<Self> {
        let (&[count, .., channels], &[_, _, depth, multiplier]) = (images, filter) else {
            return fail!(
                "images and filter must be 4-dimensional: {} and {}",
                shape_text(images),
                shape_text(filter)
            );
        };
        if images.len() != 4 || channels != depth {
            return fail!(
                "images and filter must have the same depth: {} and {}",
                shape_text(images),
                shape_text(filter)
            );
        }
        let axes = sliding.axes(&images[1..3], &filter[..2])?;
        let Some(results) = channels.checked_mul(multiplier) else {
            return fail!("{channels} channels times {multiplier} are too many");
        };
        Ok(Plan {
            images: count,
            axes,
            channels,
            multiplier,
            shape: [count, axes[1].output, axes[2].output, results],
        })
    }

    fn check_gradient(&self, gradient: &Tensor) -> Result<()> {
        if gradient.shape() == self.shape {
            return Ok(());
        }
        fail!(
            "the gradient must have the shape {} of the result, not {}",
            shape_text(&self.shape),
            shape_text(gradient.shape())
        )
    }

    /// Calls `visit` with each position, each element of the filter that is inside the image there,
    /// and the pixel under it, all numbered.
    fn each(&self, mut visit: impl FnMut(usize, usize, usize)) {
        let [_, rows, columns] = &self.axes;
        let mut position = 0;
        for image in 0..self.images {
            for row in 0..rows.output {
                let high = rows.inside(row);
                for column in 0..columns.output {
                    let wide = columns.inside(column);
                    for element in high.clone() {
                        let line = image * rows.input + rows.under(row, element);
                        let place = line * columns.input;
                        for inner in wide.clone() {
                            visit(
                                position,
                                element * columns.window + inner,
                                place + columns.under(column, inner),
                            );
                        }
                    }
                    position += 1;
                }
            }
        }
    }

    /// The slices of a pixel, of an element of the filter or of a position.
    fn pixel(&self, number: usize) -> std::ops::Range<usize> {
        number * self.channels..(number + 1) * self.channels
    }

    fn row(&self, number: usize) -> std::ops::Range<usize> {
        let results = self.shape[3];
        number * results..(number + 1) * results
    }
}

/// Adds products of rows.
fn multiply_add<T: Copy + Add<Output = T> + Mul<Output = T>>(
    sums: &mut [T],
    left: &[T],
    right: &[T],
) {
    for ((sum, &left), &right) in sums.iter_mut().zip(left).zip(right) {
        *sum = *sum + left * right;
    }
}

fn forward<T: Float + Add<Output = T> + Mul<Output = T>>(
    plan: &Plan,
    images: &Tensor,
    filter: &Tensor,
) -> Result<Tensor> {
    let (images, filter) = (images.values::<T>()?, filter.values::<T>()?);
    Ok(Tensor::build(&plan.shape, |output: &mut [T]| {
        if output.is_empty() {
            return;
        }
        plan.each(|position, element, pixel| {
            let (sums, pixel) = (&mut output[plan.row(position)], &images[plan.pixel(pixel)]);
            let factors = &filter[plan.row(element)];
            if plan.multiplier == 1 {
                return multiply_add(sums, pixel, factors);
            }
            let channels = sums.chunks_exact_mut(plan.multiplier).zip(pixel);
            for ((sums, &value), factors) in channels.zip(factors.chunks_exact(plan.multiplier)) {
                for (sum, &factor) in sums.iter_mut().zip(factors) {
                    *sum = *sum + value * factor;
                }
            }
        });
    })?)
}

fn gradient_of_images<T: Float + Add<Output = T> + Mul<Output = T>>(
    plan: &Plan,
    shape: &[usize],
    filter: &Tensor,
    gradient: &Tensor,
) -> Result<Tensor> {
    let (filter, gradient) = (filter.values::<T>()?, gradient.values::<T>()?);
    Ok(Tensor::build(shape, |output: &mut [T]| {
        if output.is_empty() || gradient.is_empty() {
            return;
        }
        plan.each(|position, element, pixel| {
            let sums = &mut output[plan.pixel(pixel)];
            let (gradient, factors) = (&gradient[plan.row(position)], &filter[plan.row(element)]);
            if plan.multiplier == 1 {
                return multiply_add(sums, gradient, factors);
            }
            let gradients = gradient.chunks_exact(plan.multiplier);
            let factors = factors.chunks_exact(plan.multiplier);
            for ((sum, gradients), factors) in sums.iter_mut().zip(gradients).zip(factors) {
                for (&gradient, &factor) in gradients.iter().zip(factors) {
                    *sum = *sum + gradient * factor;
                }
            }
        });
    })?)
}

fn gradient_of_filter<T: Float + Add<Output = T> + Mul<Output = T>>(
    plan: &Plan,
    shape: &[usize],
    images: &Tensor,
    gradient: &Tensor,
) -> Result<Tensor> {
    let (images, gradient) = (images.values::<T>()?, gradient.values::<T>()?);
    Ok(Tensor::build(shape, |output: &mut [T]| {
        if output.is_empty() || gradient.is_empty() {
            return;
        }
        plan.each(|position, element, pixel| {
            let sums = &mut output[plan.row(element)];
            let (gradient, pixel) = (&gradient[plan.row(position)], &images[plan.pixel(pixel)]);
            if plan.multiplier == 1 {
                return multiply_add(sums, gradient, pixel);
            }
            let gradients = gradient.chunks_exact(plan.multiplier);
            let sums = sums.chunks_exact_mut(plan.multiplier);
            for ((sums, gradients), &value) in sums.zip(gradients).zip(pixel) {
                for (sum, &gradient) in sums.iter_mut().zip(gradients) {
                    *sum = *sum + value * gradient;
                }
            }
        });
    })?)
}
