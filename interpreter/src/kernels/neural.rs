//! Activations, biases and losses of neural networks.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Outputs, Result,
        broadcast::{broadcast_shape, broadcast_to, map_in_place, zip_in_place},
        create::bad_shape,
        dispatch, fail, input,
        number::{Float, Number},
        pure, single, take,
    },
    tensor::{DType, Element, Tensor, shape_text},
};

/// `|x| ...` for each float.
macro_rules! activation {
    (|$x:ident: $T:ident| $body:expr) => {
        |_| single(|inputs| {
            let tensor = take(inputs, 0)?;
            dispatch!(tensor.dtype(), $T in floats => map_in_place(tensor, |$x: $T| $body))
        })
    };
}

/// The factors of `Selu` for positive numbers and for the exponential of negative ones, from
/// Klambauer et al. (2017).
pub(super) const SELU_POSITIVE: f64 = 1.050_700_987_355_480_5;
pub(super) const SELU_NEGATIVE: f64 = 1.758_099_340_847_376_9;

pub(super) const KERNELS: &[Entry] = &[
    ("Relu", |_| {
        single(|inputs| {
            let tensor = take(inputs, 0)?;
            // Of two zeros, the element is unchanged.
            dispatch!(tensor.dtype(), T in numbers => map_in_place(tensor, |x: T| Number::maximum(T::ZERO, x)))
        })
    }),
    ("Relu6", |_| {
        single(|inputs| {
            let tensor = take(inputs, 0)?;
            dispatch!(tensor.dtype(), T in numbers => {
                let six = T::from_usize(6);
                map_in_place(tensor, |x: T| Number::minimum(Number::maximum(x, T::ZERO), six))
            })
        })
    }),
    (
        "Elu",
        activation!(|x: T| if x < T::ZERO { x.exp_m1() } else { x }),
    ),
    (
        "Selu",
        activation!(|x: T| if x < T::ZERO {
            x.exp_m1() * T::from_f64(SELU_NEGATIVE)
        } else {
            x * T::from_f64(SELU_POSITIVE)
        }),
    ),
    (
        "Softplus",
        activation!(|x: T| x.max(T::ZERO) + (-x.abs()).exp().ln_1p()),
    ),
    ("Softsign", activation!(|x: T| x / (T::ONE + x.abs()))),
    (
        "Sigmoid",
        activation!(|x: T| T::ONE / (T::ONE + (-x).exp())),
    ),
    ("LeakyRelu", |attributes| {
        let alpha = attributes.float("alpha", 0.2);
        single(move |inputs| {
            let tensor = take(inputs, 0)?;
            dispatch!(tensor.dtype(), T in floats => map_in_place(tensor, |x: T| if x > T::ZERO { x } else { x * T::from(alpha) }))
        })
    }),
    ("Softmax", |_| {
        single(|inputs| {
            let tensor = take(inputs, 0)?;
            dispatch!(tensor.dtype(), T in floats => by_class(tensor, softmax_row::<T>))
        })
    }),
    ("LogSoftmax", |_| {
        single(|inputs| {
            let tensor = take(inputs, 0)?;
            dispatch!(tensor.dtype(), T in floats => by_class(tensor, log_softmax_row::<T>))
        })
    }),
    ("BiasAdd", bias_add),
    ("BiasAddGrad", bias_add_gradient),
    ("SparseSoftmaxCrossEntropyWithLogits", |_| {
        pure(sparse_cross_entropy)
    }),
    ("SoftmaxCrossEntropyWithLogits", |_| pure(cross_entropy)),
];

/// Changes each row along the last dimension.
fn by_class<T: Element>(tensor: Tensor, change: impl Fn(&mut [T])) -> Result<Tensor> {
    let Some(&classes) = tensor.shape().last() else {
        return Err(bad_shape(&tensor, "at least one dimension"));
    };
    let mut result = owned::<T>(tensor)?;
    if let (Some(values), true) = (result.values_mut::<T>(), classes > 0) {
        values.chunks_exact_mut(classes).for_each(change);
    }
    Ok(result)
}

/// Returns the tensor itself, or a copy if it is shared.
fn owned<T: Element>(mut tensor: Tensor) -> Result<Tensor> {
    if tensor.values_mut::<T>().is_some() {
        return Ok(tensor);
    }
    Ok(Tensor::from_slice(tensor.shape(), tensor.values::<T>()?)?)
}

/// Shifted by its largest element, so that no exponential overflows.
fn shift_row<T: Number>(row: &mut [T]) {
    let largest = row
        .iter()
        .fold(T::LOWEST, |largest, &x| Number::maximum(largest, x));
    for x in row {
        *x = Number::sub(*x, largest);
    }
}

fn softmax_row<T: Float>(row: &mut [T]) {
    shift_row(row);
    let mut sum = 0.0;
    for x in row.iter_mut() {
        *x = Float::exp(*x);
        sum += x.to_f64();
    }
    for x in row {
        *x = T::from_f64(x.to_f64() / sum);
    }
}

/// Sums as Eigen does: from 0, so that a sum of negative zeros is 0. Rust's iterators return -0.
fn total(terms: impl Iterator<Item = f64>) -> f64 {
    terms.fold(0.0, |sum, term| sum + term)
}

fn log_softmax_row<T: Float>(row: &mut [T]) {
    shift_row(row);
    let sum = total(row.iter().map(|x| x.to_f64().exp()));
    for x in row {
        *x = T::from_f64(x.to_f64() - sum.ln());
    }
}

/// Returns whether channels are the second dimension instead of the last.
fn channels_first(attributes: &Attributes<'_>) -> bool {
    attributes.text("data_format", "NHWC") == "NCHW"
}

/// Adds a bias for each channel.
fn bias_add(attributes: &Attributes<'_>) -> Result<Kernel> {
    let first = channels_first(attributes);
    single(move |inputs| {
        let (tensor, bias) = (take(inputs, 0)?, take(inputs, 1)?);
        if tensor.rank() < 2 {
            return fail!(
                "Input tensor must be at least 2D: {}",
                shape_text(tensor.shape())
            );
        }
        let dimension = if first { 1 } else { tensor.rank() - 1 };
        if bias.rank() != 1 || bias.shape()[0] != tensor.shape()[dimension] {
            return fail!(
                "Must provide as many biases as the last dimension of the input tensor: {} vs. {}",
                shape_text(bias.shape()),
                shape_text(tensor.shape())
            );
        }
        let mut shape = vec![1; tensor.rank() - dimension];
        shape[0] = bias.elements();
        let bias = bias.reshaped(&shape)?;
        dispatch!(tensor.dtype(), T in numbers => {
            let Some(&row) = tensor.shape().last().filter(|_| !first) else {
                return zip_in_place(tensor, bias, |x: T, y: T| Ok(Number::add(x, y)));
            };
            let bias = bias.values::<T>()?;
            let mut result = owned::<T>(tensor)?;
            for values in result.values_mut::<T>().unwrap_or_default().chunks_exact_mut(row.max(1)) {
                for (value, &bias) in values.iter_mut().zip(bias) {
                    *value = Number::add(*value, bias);
                }
            }
            Ok(result)
        })
    })
}

/// Sums over all dimensions but channels.
fn bias_add_gradient(attributes: &Attributes<'_>) -> Result<Kernel> {
    let first = channels_first(attributes);
    single(move |inputs| {
        let tensor = input(inputs, 0)?;
        if tensor.rank() < 2 {
            return fail!(
                "Input tensor must be at least 2D: {}",
                shape_text(tensor.shape())
            );
        }
        let dimension = if first { 1 } else { tensor.rank() - 1 };
        let channels = tensor.shape()[dimension];
        let inner: usize = tensor.shape()[dimension + 1..].iter().product();
        let channel = |at: usize| at / inner % channels;
        if matches!(tensor.dtype(), DType::F32 | DType::F64) {
            return dispatch!(tensor.dtype(), T in floats => {
                let mut sums = vec![0.0f64; channels];
                for (at, value) in tensor.values::<T>()?.iter().enumerate() {
                    sums[channel(at)] += value.to_f64();
                }
                let sums: Vec<T> = sums.into_iter().map(T::from_f64).collect();
                Ok(Tensor::from_slice(&[channels], &sums)?)
            });
        }
        dispatch!(tensor.dtype(), T in integers => {
            let mut sums = vec![T::ZERO; channels];
            for (at, &value) in tensor.values::<T>()?.iter().enumerate() {
                sums[channel(at)] = Number::add(sums[channel(at)], value);
            }
            Ok(Tensor::from_slice(&[channels], &sums)?)
        })
    })
}

/// Loss for each row and its gradient, where each row has one correct class.
fn sparse_cross_entropy(inputs: &mut [Tensor]) -> Result<Outputs> {
    let (logits, labels) = (take(inputs, 0)?, input(inputs, 1)?);
    if logits.rank() != 2 {
        return fail!(
            "logits must be 2-D, but got shape {}",
            shape_text(logits.shape())
        );
    }
    let (rows, classes) = (logits.shape()[0], logits.shape()[1]);
    if labels.shape() != [rows] {
        return fail!(
            "logits and labels must have the same first dimension, got logits shape {} and labels shape {}",
            shape_text(logits.shape()),
            shape_text(labels.shape())
        );
    }
    let labels = labels.integers()?;
    if let Some(label) = labels
        .iter()
        .find(|&&label| label < 0 || label as usize >= classes)
    {
        return fail!(
            "Received a label value of {label} which is outside the valid range of [0, {classes})"
        );
    }
    dispatch!(logits.dtype(), T in floats => {
        let logs = by_class(logits, log_softmax_row::<T>)?;
        let log = logs.values::<T>()?;
        let loss: Vec<T> = labels.iter().enumerate().map(|(row, &label)| T::ZERO - log[row * classes + label as usize]).collect();
        let loss = Tensor::from_slice(&[rows], &loss)?;
        let mut gradient = map_in_place(logs, |x: T| x.exp())?;
        if let Some(values) = gradient.values_mut::<T>() {
            for (row, &label) in labels.iter().enumerate() {
                values[row * classes + label as usize] -= T::ONE;
            }
        }
        Ok(smallvec::smallvec![loss, gradient])
    })
}

/// Loss for each row and its gradient, where each row has a distribution of classes.
fn cross_entropy(inputs: &mut [Tensor]) -> Result<Outputs> {
    let (logits, labels) = (take(inputs, 0)?, take(inputs, 1)?);
    let shape = broadcast_shape(logits.shape(), labels.shape())?;
    let &[rows, classes] = &shape[..] else {
        return fail!(
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
        );
    };
    dispatch!(logits.dtype(), T in floats => {
        let (logits, labels) = (broadcast_to::<T>(&logits, &shape)?, broadcast_to::<T>(&labels, &shape)?);
        let logs = by_class(logits, log_softmax_row::<T>)?;
        let (log, label) = (logs.values::<T>()?, labels.values::<T>()?);
        let term = |at: usize| if label[at] == T::ZERO { 0.0 } else { label[at].to_f64() * -log[at].to_f64() };
        let loss: Vec<T> = (0..rows)
            .map(|row| T::from_f64(total((row * classes..(row + 1) * classes).map(term))))
            .collect();
        let loss = Tensor::from_slice(&[rows], &loss)?;
        let gradient = zip_in_place(logs, labels, |log: T, label: T| Ok(log.exp() - label))?;
        Ok(smallvec::smallvec![loss, gradient])
    })
}
