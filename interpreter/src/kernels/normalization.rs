//! Batch normalization and its gradient, of `f32`.
//!
//! ```text
//!   y = scale (x - mean) / sqrt(variance + epsilon) + offset        for each channel
//!       training: mean and variance of the batch    inference: operands
//! ```
//!
//! Sums are in `f64`. The reserved results are those of TensorFlow's kernel for CPUs: the mean, the
//! variance without Bessel's correction, and a number that nothing reads.

use crate::{
    kernels::{Attributes, Entry, Outputs, Result, fail, input, pure},
    tensor::{Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("FusedBatchNormV3", |attributes| {
        let options = Options::of(attributes)?;
        pure(move |inputs| normalize(inputs, options))
    }),
    ("FusedBatchNormGradV3", |attributes| {
        let options = Options::of(attributes)?;
        pure(move |inputs| gradient(inputs, options))
    }),
];

#[derive(Clone, Copy)]
struct Options {
    epsilon: f32,
    /// The weight of the batch in the new statistics.
    factor: f32,
    is_training: bool,
    channels_first: bool,
}

impl Options {
    fn of(attributes: &Attributes<'_>) -> Result<Self> {
        let channels_first = match attributes.text("data_format", "NHWC").as_str() {
            "NHWC" | "NDHWC" => false,
            "NCHW" | "NCDHW" => true,
            other => return fail!("the data format {other} is unknown"),
        };
        Ok(Options {
            epsilon: attributes.float("epsilon", 1e-4),
            factor: attributes.float("exponential_avg_factor", 1.0),
            is_training: attributes.bool("is_training", true),
            channels_first,
        })
    }

    /// Returns `1 / sqrt(variance + epsilon)`.
    fn inverse_deviation(self, variance: f64) -> f64 {
        (variance + f64::from(self.epsilon)).sqrt().recip()
    }
}

/// The place of channels in images.
#[derive(Clone, Copy)]
struct Channels {
    count: usize,
    /// The number of elements after a channel.
    inner: usize,
}

impl Channels {
    fn of(images: &Tensor, options: Options) -> Result<Self> {
        let shape = images.shape();
        if !matches!(shape.len(), 4 | 5) {
            return fail!("input must be 4 or 5-dimensional: {}", shape_text(shape));
        }
        let axis = if options.channels_first {
            1
        } else {
            shape.len() - 1
        };
        Ok(Channels {
            count: shape[axis],
            inner: shape[axis + 1..].iter().product(),
        })
    }

    fn at(self, element: usize) -> usize {
        element / self.inner % self.count
    }

    /// Returns a sum for each channel.
    fn sums(self, terms: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        for (element, term) in terms.enumerate() {
            sums[self.at(element)] += term;
        }
        sums
    }

    /// Returns the values of an operand, one for each channel.
    fn values(self, inputs: &[Tensor], index: usize) -> Result<Vec<f64>> {
        let tensor = input(inputs, index)?;
        if tensor.shape() != [self.count] {
            return fail!(
                "input {index} must have one element for each of {} channels: {}",
                self.count,
                shape_text(tensor.shape())
            );
        }
        Ok(tensor.values::<f32>()?.iter().map(|&x| x.into()).collect())
    }

    fn tensor(self, values: impl Iterator<Item = f64>) -> Result<Tensor> {
        let values: Vec<_> = values.map(|x| x as f32).collect();
        Ok(Tensor::from_slice(&[self.count], &values)?)
    }
}

fn normalize(inputs: &mut [Tensor], options: Options) -> Result<Outputs> {
    let images = input(inputs, 0)?;
    let channels = Channels::of(images, options)?;
    let [scale, offset] = [channels.values(inputs, 1)?, channels.values(inputs, 2)?];
    let x = images.values::<f32>()?;
    // Old statistics are not read if they have no weight.
    let old = match options.is_training && options.factor == 1.0 {
        true => None,
        false => Some([channels.values(inputs, 3)?, channels.values(inputs, 4)?]),
    };
    let count = (x.len() / channels.count.max(1)) as f64;
    let [mean, variance] = match &old {
        Some(old) if !options.is_training => old.clone(),
        _ => {
            let sums = channels.sums(x.iter().map(|&x| x.into()));
            let mean: Vec<_> = sums.iter().map(|sum| sum / count).collect();
            let squares = x
                .iter()
                .enumerate()
                .map(|(at, &x)| (f64::from(x) - mean[channels.at(at)]).powi(2));
            let sums = channels.sums(squares);
            [mean, sums.iter().map(|sum| sum / count).collect()]
        }
    };
    let slope: Vec<_> = variance
        .iter()
        .zip(&scale)
        .map(|(&variance, scale)| scale * options.inverse_deviation(variance))
        .collect();
    let y: Vec<_> = x
        .iter()
        .enumerate()
        .map(|(at, &x)| {
            let channel = channels.at(at);
            ((f64::from(x) - mean[channel]) * slope[channel] + offset[channel]) as f32
        })
        .collect();
    let y = Tensor::from_slice(images.shape(), &y)?;
    let weight = f64::from(options.factor);
    let mixed = |old: f64, new: f64| (1.0 - weight) * old + weight * new;
    let bessel = count / (count - 1.0).max(1.0);
    let unbiased = variance.iter().map(|variance| variance * bessel);
    let [new_mean, new_variance] = match &old {
        _ if !options.is_training => [
            channels.tensor(mean.iter().copied())?,
            channels.tensor(variance.iter().copied())?,
        ],
        None => [
            channels.tensor(mean.iter().copied())?,
            channels.tensor(unbiased)?,
        ],
        Some([old_mean, old_variance]) => [
            channels.tensor(
                old_mean
                    .iter()
                    .zip(&mean)
                    .map(|(old, new)| mixed(*old, *new)),
            )?,
            channels.tensor(
                old_variance
                    .iter()
                    .zip(unbiased)
                    .map(|(old, new)| mixed(*old, new)),
            )?,
        ],
    };
    let reserved = [
        channels.tensor(mean.into_iter())?,
        channels.tensor(variance.into_iter())?,
        Tensor::scalar(0.0_f32),
    ];
    Ok([y, new_mean, new_variance]
        .into_iter()
        .chain(reserved)
        .collect())
}

/// The gradients by images, scale and offset, and two results that are empty.
fn gradient(inputs: &mut [Tensor], options: Options) -> Result<Outputs> {
    let (gradients, images) = (input(inputs, 0)?, input(inputs, 1)?);
    super::same_shape(gradients, images)?;
    let channels = Channels::of(images, options)?;
    if options.channels_first && !options.is_training {
        return fail!("the gradient of inference is known for channels that come last only");
    }
    let scale = channels.values(inputs, 2)?;
    let [mean, variance] = [channels.values(inputs, 3)?, channels.values(inputs, 4)?];
    let (dy, x) = (gradients.values::<f32>()?, images.values::<f32>()?);
    let count = (x.len() / channels.count.max(1)) as f64;
    let inverse: Vec<_> = variance
        .iter()
        .map(|&variance| options.inverse_deviation(variance))
        .collect();
    let normalized = |at: usize| {
        let channel = channels.at(at);
        (f64::from(x[at]) - mean[channel]) * inverse[channel]
    };
    let of_offset = channels.sums(dy.iter().map(|&dy| dy.into()));
    let of_scale = channels.sums(
        dy.iter()
            .enumerate()
            .map(|(at, &dy)| f64::from(dy) * normalized(at)),
    );
    let dx: Vec<_> = dy
        .iter()
        .enumerate()
        .map(|(at, &dy)| {
            let channel = channels.at(at);
            let centered = match options.is_training {
                true => {
                    let mean = of_offset[channel] + normalized(at) * of_scale[channel];
                    f64::from(dy) - mean / count
                }
                false => dy.into(),
            };
            (centered * scale[channel] * inverse[channel]) as f32
        })
        .collect();
    let nothing = Tensor::from_slice::<f32>(&[0], &[])?;
    Ok(smallvec::smallvec![
        Tensor::from_slice(images.shape(), &dx)?,
        channels.tensor(of_scale.into_iter())?,
        channels.tensor(of_offset.into_iter())?,
        nothing.clone(),
        nothing,
    ])
}
