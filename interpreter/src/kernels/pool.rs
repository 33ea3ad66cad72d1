//! Pools: the largest elements or the means under windows that slide over images, and their
//! gradients.
//!
//! ```text
//!   MaxPool(x)                     the largest elements
//!   MaxPoolGrad(x, y, dy)          dy at the places of the largest elements of x
//!   MaxPoolGradGrad(x, y, d)       the elements of d at the places where x is y
//! ```
//!
//! Of equal elements of a window, the first one counts. Windows are cut off at the edges: padding
//! counts neither for the largest element nor for the number of elements of a mean. As in
//! TensorFlow, a largest element starts at the lowest finite number, and a NaN is never larger.
//!
//! Each pixel is visited once for each window that covers it, with all its channels in one row.

use std::ops::{Add, Div, Range};

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Result,
        create::bad_shape,
        dispatch, fail, input,
        number::{Float, Number},
        single, size,
        windows::{Axis, SPATIAL, Sliding, numbers},
    },
    tensor::{Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("MaxPool", |attributes| {
        let pool = Pool::read(attributes, 2)?;
        single(move |inputs| {
            let images = input(inputs, 0)?;
            dispatch!(images.dtype(), T in numbers => match pool.channels {
                1 => largest::<T>(&pool, images),
                _ => largest_channels::<T>(&pool, images),
            })
        })
    }),
    ("MaxPoolGrad", |attributes| {
        let pool = Pool::read(attributes, 2)?.within_channels()?;
        single(move |inputs| {
            let (images, gradient) = (input(inputs, 0)?, input(inputs, 2)?);
            let plan = pool.plan(images.shape())?;
            plan.check(input(inputs, 1)?.shape(), &plan.result())?;
            plan.check(gradient.shape(), &plan.result())?;
            dispatch!(images.dtype(), T in numbers => gradient_of_largest::<T>(&plan, images, gradient))
        })
    }),
    ("MaxPoolGradGrad", |attributes| {
        let pool = Pool::read(attributes, 2)?.within_channels()?;
        single(move |inputs| {
            let (images, results, gradient) =
                (input(inputs, 0)?, input(inputs, 1)?, input(inputs, 2)?);
            let plan = pool.plan(images.shape())?;
            plan.check(results.shape(), &plan.result())?;
            plan.check(gradient.shape(), images.shape())?;
            dispatch!(images.dtype(), T in numbers => at_largest::<T>(&plan, images, results, gradient))
        })
    }),
    ("MaxPool3D", |attributes| {
        let pool = Pool::read(attributes, 3)?.within_channels()?;
        single(move |inputs| {
            let images = input(inputs, 0)?;
            dispatch!(images.dtype(), T in floats => largest::<T>(&pool, images))
        })
    }),
    ("AvgPool", |attributes| mean_pool(attributes, 2)),
    ("AvgPool3D", |attributes| mean_pool(attributes, 3)),
    ("AvgPoolGrad", |attributes| {
        let pool = Pool::read(attributes, 2)?.within_channels()?;
        single(move |inputs| {
            let (sizes, gradient) = (input(inputs, 0)?, input(inputs, 1)?);
            if sizes.shape() != [4] {
                return Err(bad_shape(sizes, "a list of four sizes"));
            }
            let sizes: Result<Shape> = sizes
                .integers()?
                .iter()
                .map(|&number| size(number))
                .collect();
            let plan = pool.plan(&sizes?)?;
            plan.check(gradient.shape(), &plan.result())?;
            dispatch!(gradient.dtype(), T in floats => gradient_of_means::<T>(&plan, gradient))
        })
    }),
];

/// A pool, from the attributes of an operation.
struct Pool {
    sliding: Sliding,
    window: [usize; SPATIAL],
    /// The size of a window over channels.
    channels: usize,
}

impl Pool {
    fn read(attributes: &Attributes<'_>, spatial: usize) -> Result<Self> {
        let sliding = Sliding::read(attributes, spatial)?;
        let (window, channels) = numbers(attributes, "ksize", spatial + 2)?;
        let fits = |sizes: &[u64; SPATIAL]| {
            sliding
                .is_padded_less_than(sizes)
                .then(|| sizes.map(|size| size as usize))
        };
        let Some(window) = fits(&window) else {
            return fail!("paddings must be smaller than the window");
        };
        let is_over_channels = channels > 1;
        if is_over_channels && (window != [1; SPATIAL] || !sliding.is_dense()) {
            return fail!("a pool is either over channels, or over rows and columns");
        }
        if sliding.channel_stride != channels {
            return fail!(
                "the stride along channels must be the window: {} and {channels}",
                sliding.channel_stride
            );
        }
        Ok(Pool {
            sliding,
            window,
            channels: channels as usize,
        })
    }

    fn within_channels(self) -> Result<Self> {
        match self.channels {
            1 => Ok(self),
            _ => fail!("pooling over channels is not supported here"),
        }
    }

    fn plan(&self, images: &[usize]) -> Result<Plan> {
        let spatial = self.sliding.spatial;
        let &[count, ref inner @ .., channels] = images else {
            return fail!(
                "images must be {}-dimensional: {}",
                spatial + 2,
                shape_text(images)
            );
        };
        if inner.len() != spatial {
            return fail!(
                "images must be {}-dimensional: {}",
                spatial + 2,
                shape_text(images)
            );
        }
        let axes = self
            .sliding
            .axes(inner, &self.window[SPATIAL - spatial..])?;
        Ok(Plan {
            spatial,
            images: count,
            axes,
            channels,
        })
    }
}

/// A pool of images of given sizes.
struct Plan {
    spatial: usize,
    images: usize,
    axes: [Axis; SPATIAL],
    channels: usize,
}

impl Plan {
    fn shape(&self, size: impl Fn(&Axis) -> usize) -> Shape {
        let mut shape: Shape = smallvec::smallvec![self.images];
        shape.extend(self.axes[SPATIAL - self.spatial..].iter().map(size));
        shape.push(self.channels);
        shape
    }

    fn result(&self) -> Shape {
        self.shape(|axis| axis.output)
    }

    fn check(&self, shape: &[usize], expected: &[usize]) -> Result<()> {
        if shape == expected {
            return Ok(());
        }
        fail!(
            "expected a tensor of shape {}, got {}",
            shape_text(expected),
            shape_text(shape)
        )
    }

    /// Calls `visit` at each position, with its number and the window there.
    fn each(&self, mut visit: impl FnMut(usize, Under)) {
        let [planes, rows, columns] = &self.axes;
        let mut position = 0;
        for image in 0..self.images {
            for plane in 0..planes.output {
                let planes_under = planes.covered(plane);
                for row in 0..rows.output {
                    let rows_under = rows.covered(row);
                    for column in 0..columns.output {
                        let under = Under {
                            first_plane: image * planes.input,
                            planes: planes_under.clone(),
                            rows: rows_under.clone(),
                            columns: columns.covered(column),
                            sizes: [rows.input, columns.input],
                        };
                        visit(position, under);
                        position += 1;
                    }
                }
            }
        }
    }

    /// The place of a pixel or of a position, which has all channels.
    fn row(&self, number: usize) -> std::ops::Range<usize> {
        number * self.channels..(number + 1) * self.channels
    }
}

/// The part of an image under a window.
struct Under {
    first_plane: usize,
    planes: Range<usize>,
    rows: Range<usize>,
    columns: Range<usize>,
    /// The rows and the columns of the images.
    sizes: [usize; 2],
}

impl Under {
    /// The number of pixels.
    fn count(&self) -> usize {
        self.planes.len() * self.rows.len() * self.columns.len()
    }

    /// Calls `visit` with each pixel, numbered.
    fn each_pixel(&self, mut visit: impl FnMut(usize)) {
        let [rows, columns] = self.sizes;
        for plane in self.planes.clone() {
            for row in self.rows.clone() {
                let line = ((self.first_plane + plane) * rows + row) * columns;
                for column in self.columns.clone() {
                    visit(line + column);
                }
            }
        }
    }
}

fn largest<T: Number>(pool: &Pool, images: &Tensor) -> Result<Tensor> {
    let plan = pool.plan(images.shape())?;
    let values = images.values::<T>()?;
    Ok(Tensor::build(&plan.result(), |output: &mut [T]| {
        if output.is_empty() {
            return;
        }
        plan.each(|position, under| {
            let most = &mut output[plan.row(position)];
            most.fill(T::LEAST);
            under.each_pixel(|pixel| {
                for (most, &value) in most.iter_mut().zip(&values[plan.row(pixel)]) {
                    *most = if *most < value { value } else { *most };
                }
            });
        });
    })?)
}

/// The largest of groups of channels.
fn largest_channels<T: Number>(pool: &Pool, images: &Tensor) -> Result<Tensor> {
    let &[count, height, width, channels] = images.shape() else {
        return Err(bad_shape(images, "images of rank 4"));
    };
    if !channels.is_multiple_of(pool.channels) {
        return fail!(
            "the window of {} channels must evenly divide the depth {channels}",
            pool.channels
        );
    }
    let values = images.values::<T>()?;
    let shape = [count, height, width, channels / pool.channels];
    Ok(Tensor::build(&shape, |output: &mut [T]| {
        for (most, values) in output.iter_mut().zip(values.chunks_exact(pool.channels)) {
            let larger = |most: T, &value: &T| if most < value { value } else { most };
            *most = values.iter().fold(T::LEAST, larger);
        }
    })?)
}

/// Adds each gradient at the first place of the largest element.
fn gradient_of_largest<T: Number>(
    plan: &Plan,
    images: &Tensor,
    gradient: &Tensor,
) -> Result<Tensor> {
    let (values, gradient) = (images.values::<T>()?, gradient.values::<T>()?);
    let mut places = vec![0; plan.channels];
    Ok(Tensor::build(images.shape(), |output: &mut [T]| {
        if output.is_empty() || gradient.is_empty() {
            return;
        }
        plan.each(|position, under| {
            let mut is_first = true;
            under.each_pixel(|pixel| {
                for (place, own) in places.iter_mut().zip(plan.row(pixel)) {
                    if is_first || values[*place] < values[own] {
                        *place = own;
                    }
                }
                is_first = false;
            });
            for (&place, &term) in places.iter().zip(&gradient[plan.row(position)]) {
                output[place] = T::add(output[place], term);
            }
        });
    })?)
}

/// Takes elements at the first places where an image is the result of its pool.
fn at_largest<T: Number>(
    plan: &Plan,
    images: &Tensor,
    results: &Tensor,
    gradient: &Tensor,
) -> Result<Tensor> {
    let (values, gradient) = (images.values::<T>()?, gradient.values::<T>()?);
    let results = results.values::<T>()?;
    let mut found = vec![false; plan.channels];
    Ok(Tensor::build(&plan.result(), |output: &mut [T]| {
        if output.is_empty() {
            return;
        }
        plan.each(|position, under| {
            found.fill(false);
            let position = plan.row(position).start;
            under.each_pixel(|pixel| {
                for (channel, found) in found.iter_mut().enumerate() {
                    let own = pixel * plan.channels + channel;
                    if !*found && values[own] == results[position + channel] {
                        *found = true;
                        output[position + channel] = gradient[own];
                    }
                }
            });
        });
    })?)
}

fn mean_pool(attributes: &Attributes<'_>, spatial: usize) -> Result<Kernel> {
    if attributes.text("padding", "") == "EXPLICIT" {
        return fail!("the padding EXPLICIT is not supported here");
    }
    let pool = Pool::read(attributes, spatial)?.within_channels()?;
    single(move |inputs| {
        let images = input(inputs, 0)?;
        dispatch!(images.dtype(), T in floats => means::<T>(&pool, images))
    })
}

fn means<T: Float + Add<Output = T> + Div<Output = T>>(
    pool: &Pool,
    images: &Tensor,
) -> Result<Tensor> {
    let plan = pool.plan(images.shape())?;
    let values = images.values::<T>()?;
    Ok(Tensor::build(&plan.result(), |output: &mut [T]| {
        if output.is_empty() {
            return;
        }
        plan.each(|position, under| {
            let sums = &mut output[plan.row(position)];
            under.each_pixel(|pixel| {
                for (sum, &value) in sums.iter_mut().zip(&values[plan.row(pixel)]) {
                    *sum = *sum + value;
                }
            });
            let count = T::from_usize(under.count());
            sums.iter_mut().for_each(|sum| *sum = *sum / count);
        });
    })?)
}

fn gradient_of_means<T: Float + Add<Output = T> + Div<Output = T>>(
    plan: &Plan,
    gradient: &Tensor,
) -> Result<Tensor> {
    let gradient = gradient.values::<T>()?;
    let mut parts = vec![T::ZERO; plan.channels];
    Ok(Tensor::build(
        &plan.shape(|axis| axis.input),
        |output: &mut [T]| {
            if output.is_empty() || gradient.is_empty() {
                return;
            }
            plan.each(|position, under| {
                let count = T::from_usize(under.count());
                for (part, &gradient) in parts.iter_mut().zip(&gradient[plan.row(position)]) {
                    *part = gradient / count;
                }
                under.each_pixel(|pixel| {
                    for (sum, &part) in output[plan.row(pixel)].iter_mut().zip(&parts) {
                        *sum = *sum + part;
                    }
                });
            });
        },
    )?)
}
