//! Calls of operations on matrices and on batches of images.

use tfx_graphdef::proto::attr_value::Value;
use tfx_interpreter::{DType, Tensor};

use crate::data::{Data, Values};
use crate::table::Made;

/// Matrices whose diagonal dominates; the last row of singular ones is zero.
fn dominant(
    data: &mut Data,
    dtype: DType,
    batch: &[usize],
    size: usize,
    is_singular: bool,
) -> Tensor {
    let shape = [batch, &[size, size]].concat();
    let mut tensor = data.tensor_of(dtype, &shape, Values::Unit);
    macro_rules! raise {
        ($rust:ty) => {
            if let Some(values) = tensor.values_mut::<$rust>() {
                for (at, value) in values.iter_mut().enumerate() {
                    let (row, column) = (at / size % size, at % size);
                    if row == column {
                        // An element is at most 3.
                        *value += (3 * size + 4) as $rust;
                    }
                    if is_singular && row + 1 == size {
                        *value = 0.0;
                    }
                }
            }
        };
    }
    raise!(f32);
    raise!(f64);
    tensor
}

fn batch(data: &mut Data) -> Vec<usize> {
    let mut batch = data.shape(0);
    batch.truncate(2);
    batch
}

fn square(data: &mut Data, dtype: DType, is_singular: bool) -> Tensor {
    let (batch, size) = (batch(data), data.below(6));
    match data.chance(5) {
        true => data.tensor_of(dtype, &[batch, vec![size, size + 1]].concat(), Values::Unit),
        false => dominant(data, dtype, &batch, size, is_singular),
    }
}

/// With an upper triangle that is not that of the transpose.
pub(crate) fn definite(data: &mut Data, dtype: DType) -> Made {
    Made::of([square(data, dtype, false)])
}

pub(crate) fn regular(data: &mut Data, dtype: DType) -> Made {
    let is_singular = data.chance(10);
    Made::of([square(data, dtype, is_singular)])
}

pub(crate) fn invertible(data: &mut Data, dtype: DType) -> Made {
    let adjoint = data.chance(50);
    regular(data, dtype).with("adjoint", Value::B(adjoint))
}

pub(crate) fn triangular(data: &mut Data, dtype: DType) -> Made {
    let (all, size, columns) = (batch(data), data.below(6), data.below(4));
    let [left, right] = [data.broadcast(&all), data.broadcast(&all)];
    let rows = size + usize::from(data.chance(5));
    let mut made = Made::of([
        dominant(data, dtype, &left, size, false),
        data.tensor_of(
            dtype,
            &[right, vec![rows, columns]].concat(),
            Values::Moderate,
        ),
    ]);
    for name in ["lower", "adjoint"] {
        let flag = Value::B(data.chance(50));
        made = made.with(name, flag);
    }
    made
}

/// Images with the attributes of batch normalization.
fn batch_of_images(data: &mut Data, count: usize) -> (Made, usize) {
    let is_training = data.chance(60);
    let channels = 1 + data.below(4);
    let mut shape: Vec<_> = (0..3).map(|_| 1 + data.below(4)).collect();
    let is_first = data.chance(40);
    shape.insert(if is_first { 1 } else { 3 }, channels);
    let images = (0..count).map(|_| data.tensor_of(DType::F32, &shape, Values::Unit));
    let format = if is_first { "NCHW" } else { "NHWC" };
    let images: Vec<_> = images.collect();
    let epsilon = *data.pick(&[0.001, 0.1, 1.0]);
    let made = Made::of(images)
        .with("epsilon", Value::F(epsilon))
        .with("data_format", Value::S(format.into()))
        .with("is_training", Value::B(is_training));
    (made, channels)
}

/// Statistics of channels; now and then, of one more.
fn statistics(data: &mut Data, channels: usize, values: Values) -> Tensor {
    let count = channels + usize::from(data.chance(2));
    data.tensor_of(DType::F32, &[count], values)
}

pub(crate) fn images(data: &mut Data, _: DType) -> Made {
    let (mut made, channels) = batch_of_images(data, 1);
    for values in [Values::Unit, Values::Unit, Values::Unit, Values::Small] {
        made.inputs.push(statistics(data, channels, values));
    }
    let is_training = made.attributes.contains(&("is_training", Value::B(true)));
    made.compared = if is_training { 5 } else { 3 };
    let factor = *data.pick(&[1.0, 1.0, 0.25]);
    made.with("exponential_avg_factor", Value::F(factor))
}

pub(crate) fn image_gradients(data: &mut Data, _: DType) -> Made {
    let (mut made, channels) = batch_of_images(data, 2);
    for values in [Values::Unit, Values::Unit, Values::Small] {
        made.inputs.push(statistics(data, channels, values));
    }
    made.inputs
        .push(data.tensor_of(DType::F32, &[0], Values::Unit));
    made
}
