//! Images of another size, by the nearest pixel or by bilinear interpolation, and the gradients.
//!
//! ```text
//!   row 0      1      2      3      4         of the result, in rows of the image:
//!       0     0.6    1.2    1.8    2.4        row * 3 / 5
//!       0     0.5     1     1.5     2         row * (3 - 1) / (5 - 1)         align_corners
//!     -0.2    0.4     1     1.6    2.2        (row + 0.5) * 3 / 5 - 0.5       half_pixel_centers
//! ```
//!
//! Coordinates are `f32`, as in TensorFlow: which pixel is the nearest depends on their rounding.
//! The places of rows and columns are computed once for all images.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Result, create::bad_shape, dispatch, fail, input,
        number::Number, single,
    },
    tensor::{Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("ResizeNearestNeighbor", nearest),
    ("ResizeNearestNeighborGrad", gradient_of_nearest),
    ("ResizeBilinear", bilinear),
    ("ResizeBilinearGrad", gradient_of_bilinear),
];

/// The map from coordinates of a result to coordinates of an image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Centers {
    Corners,
    Aligned,
    Half,
}

impl Centers {
    fn read(attributes: &Attributes<'_>) -> Result<Self> {
        match (
            attributes.bool("align_corners", false),
            attributes.bool("half_pixel_centers", false),
        ) {
            (true, true) => fail!("If half_pixel_centers is True, align_corners must be False."),
            (true, false) => Ok(Centers::Aligned),
            (false, true) => Ok(Centers::Half),
            (false, false) => Ok(Centers::Corners),
        }
    }

    fn scale(self, from: usize, to: usize) -> f32 {
        match self {
            Centers::Aligned if to > 1 => (from - 1) as f32 / (to - 1) as f32,
            _ => from as f32 / to as f32,
        }
    }

    /// Returns the nearest of `from` elements for each of `to` elements.
    fn nearest(self, from: usize, to: usize) -> Vec<usize> {
        let scale = self.scale(from, to);
        let place = |at: usize| match self {
            Centers::Aligned => (at as f32 * scale).round(),
            Centers::Corners => (at as f32 * scale).floor(),
            Centers::Half => ((at as f32 + 0.5) * scale).floor(),
        };
        (0..to)
            .map(|at| (place(at).max(0.0) as usize).min(from - 1))
            .collect()
    }

    /// Returns the two of `from` elements between which each of `to` elements is.
    fn between(self, from: usize, to: usize) -> Vec<Between> {
        let scale = self.scale(from, to);
        let place = |at: usize| match self {
            Centers::Half => (at as f32 + 0.5) * scale - 0.5,
            _ => at as f32 * scale,
        };
        let between = |at: usize| {
            let exact = place(at);
            let upper = (exact.ceil().max(0.0) as usize).min(from - 1);
            let lower = (exact.floor().max(0.0) as usize).min(upper);
            let share = exact - exact.floor();
            Between {
                lower,
                upper,
                share,
            }
        };
        (0..to).map(between).collect()
    }
}

/// A place between two elements.
#[derive(Clone, Copy)]
struct Between {
    lower: usize,
    upper: usize,
    /// The distance from the lower one, from 0 to 1.
    share: f32,
}

/// Returns the sizes of images.
fn sizes_of(images: &Tensor) -> Result<[usize; 4]> {
    match *images.shape() {
        [count, height, width, channels] => Ok([count, height, width, channels]),
        _ => Err(bad_shape(images, "images of rank 4")),
    }
}

/// Returns the height and the width that are an operand.
fn target(tensor: &Tensor) -> Result<[usize; 2]> {
    if tensor.shape() != [2] {
        return Err(bad_shape(tensor, "a height and a width"));
    }
    let sizes = tensor.integers()?;
    let positive = |index: usize| usize::try_from(sizes[index]).ok().filter(|&size| size > 0);
    match (positive(0), positive(1)) {
        (Some(height), Some(width)) => Ok([height, width]),
        _ => fail!("output dimensions must be positive: {sizes:?}"),
    }
}

/// Checks the images that are resized.
fn resized(images: &Tensor, size: &Tensor) -> Result<([usize; 4], [usize; 2])> {
    let (sizes, target) = (sizes_of(images)?, target(size)?);
    if sizes[1..].contains(&0) {
        return fail!("images must not be empty: {}", shape_text(images.shape()));
    }
    Ok((sizes, target))
}

fn nearest(attributes: &Attributes<'_>) -> Result<Kernel> {
    let centers = Centers::read(attributes)?;
    single(move |inputs| {
        let images = input(inputs, 0)?;
        let ([count, height, width, channels], [rows, columns]) =
            resized(images, input(inputs, 1)?)?;
        let shape = [count, rows, columns, channels];
        dispatch!(images.dtype(), T in numbers => {
            let values = images.values::<T>()?;
            Ok(Tensor::build(&shape, |output: &mut [T]| {
                if output.is_empty() {
                    return;
                }
                let (ys, xs) = (centers.nearest(height, rows), centers.nearest(width, columns));
                let mut pixels = output.chunks_exact_mut(channels);
                for image in 0..count {
                    for y in &ys {
                        let line = (image * height + y) * width;
                        for (x, pixel) in xs.iter().zip(&mut pixels) {
                            pixel.copy_from_slice(&values[(line + x) * channels..][..channels]);
                        }
                    }
                }
            })?)
        })
    })
}

/// Adds each pixel to its nearest one.
fn gradient_of_nearest(attributes: &Attributes<'_>) -> Result<Kernel> {
    let centers = Centers::read(attributes)?;
    single(move |inputs| {
        let gradient = input(inputs, 0)?;
        let [count, rows, columns, channels] = sizes_of(gradient)?;
        let [height, width] = target(input(inputs, 1)?)?;
        let shape = [count, height, width, channels];
        dispatch!(gradient.dtype(), T in numbers => {
            let gradient = gradient.values::<T>()?;
            Ok(Tensor::build(&shape, |output: &mut [T]| {
                if output.is_empty() || gradient.is_empty() {
                    return;
                }
                let (ys, xs) = (centers.nearest(height, rows), centers.nearest(width, columns));
                let mut pixels = gradient.chunks_exact(channels);
                for image in 0..count {
                    for y in &ys {
                        let line = (image * height + y) * width;
                        for (x, pixel) in xs.iter().zip(&mut pixels) {
                            let sums = &mut output[(line + x) * channels..][..channels];
                            for (sum, &term) in sums.iter_mut().zip(pixel) {
                                *sum = Number::add(*sum, term);
                            }
                        }
                    }
                }
            })?)
        })
    })
}

fn bilinear(attributes: &Attributes<'_>) -> Result<Kernel> {
    let centers = Centers::read(attributes)?;
    single(move |inputs| {
        let images = input(inputs, 0)?;
        let ([count, height, width, channels], [rows, columns]) =
            resized(images, input(inputs, 1)?)?;
        let shape = [count, rows, columns, channels];
        dispatch!(images.dtype(), T in numbers => {
            let values = images.values::<T>()?;
            Ok(Tensor::build(&shape, |output: &mut [f32]| {
                if output.is_empty() {
                    return;
                }
                if [rows, columns] == [height, width] {
                    // No interpolation, which would make a NaN of an infinity.
                    for (output, value) in output.iter_mut().zip(values) {
                        *output = value.to_f64() as f32;
                    }
                    return;
                }
                let (ys, xs) = (centers.between(height, rows), centers.between(width, columns));
                let mut pixels = output.chunks_exact_mut(channels);
                for image in 0..count {
                    for y in &ys {
                        let [top, bottom] = [y.lower, y.upper].map(|y| (image * height + y) * width);
                        for (x, pixel) in xs.iter().zip(&mut pixels) {
                            let corner = |line: usize, x: usize| &values[(line + x) * channels..][..channels];
                            let corners = [
                                [corner(top, x.lower), corner(top, x.upper)],
                                [corner(bottom, x.lower), corner(bottom, x.upper)],
                            ];
                            for (channel, output) in pixel.iter_mut().enumerate() {
                                let [top, bottom] = corners.map(|line| {
                                    let [left, right] = line.map(|values| values[channel].to_f64() as f32);
                                    left + (right - left) * x.share
                                });
                                *output = top + (bottom - top) * y.share;
                            }
                        }
                    }
                }
            })?)
        })
    })
}

/// Adds the shares of each pixel to the four around its place. Operands: the gradient, in `f32`,
/// and the images, whose values do not matter.
fn gradient_of_bilinear(attributes: &Attributes<'_>) -> Result<Kernel> {
    let centers = Centers::read(attributes)?;
    single(move |inputs| {
        let (gradient, images) = (input(inputs, 0)?, input(inputs, 1)?);
        let [count, rows, columns, channels] = sizes_of(gradient)?;
        let [images_count, height, width, images_channels] = sizes_of(images)?;
        if [count, channels] != [images_count, images_channels] {
            return fail!(
                "the gradient and the images must have as many images and channels: {} and {}",
                shape_text(gradient.shape()),
                shape_text(images.shape())
            );
        }
        if [rows, columns, height, width].contains(&0) {
            return fail!("original and resized dimensions must be positive");
        }
        let gradient = gradient.values::<f32>()?;
        dispatch!(images.dtype(), T in floats => {
            Ok(Tensor::build(images.shape(), |output: &mut [T]| {
                if output.is_empty() {
                    return;
                }
                let (ys, xs) = (centers.between(height, rows), centers.between(width, columns));
                let mut pixels = gradient.chunks_exact(channels);
                for image in 0..count {
                    for y in &ys {
                        let lines = [(y.lower, 1.0 - y.share), (y.upper, y.share)];
                        for (x, pixel) in xs.iter().zip(&mut pixels) {
                            let columns = [(x.lower, 1.0 - x.share), (x.upper, x.share)];
                            for (line, high) in lines {
                                for (column, wide) in columns {
                                    let place = (image * height + line) * width + column;
                                    let sums = &mut output[place * channels..][..channels];
                                    for (sum, &gradient) in sums.iter_mut().zip(pixel) {
                                        *sum += T::from(gradient * high * wide);
                                    }
                                }
                            }
                        }
                    }
                }
            })?)
        })
    })
}
