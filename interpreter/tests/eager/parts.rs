//! Calls of operations that move elements: parts of tensors, scattered slices, mirrored edges,
//! diagonals.

use tfx_graphdef::proto::attr_value::Value;
use tfx_interpreter::{DType, Tensor};

use crate::data::{Data, Values};
use crate::table::{Made, axis, list, numbers, sizes, strided_slice};

/// Parts of given sizes, mostly of the right sum; one size is -1 now and then.
pub(crate) fn split_sizes(data: &mut Data, dtype: DType) -> Made {
    let mut shape = data.shape(1);
    let along = axis(data, shape.len());
    let count = 1 + data.below(4);
    let mut parts: Vec<i64> = (0..count).map(|_| data.below(3) as i64).collect();
    let total: i64 = parts.iter().sum();
    let place = along.rem_euclid(shape.len() as i64) as usize;
    shape[place] = total as usize;
    if data.chance(30) {
        parts[0] = -1;
    }
    if data.chance(5) {
        parts[count - 1] += 1;
    }
    let axis = Tensor::scalar(along as i32);
    Made::of([data.tensor(dtype, &shape), list(data, &parts), axis])
        .with("num_split", Value::I(count as i64))
}

/// Shapes that differ in one dimension.
pub(crate) fn offsets(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let along = axis(data, shape.len());
    let place = along.rem_euclid(shape.len() as i64) as usize;
    let mut inputs = vec![Tensor::scalar(along as i32)];
    for _ in 0..2 + data.below(3) {
        let mut shape = sizes(&shape);
        shape[place] = data.below(4) as i64;
        if data.chance(2) {
            shape[0] += 1;
        }
        inputs.push(numbers(&shape, dtype));
    }
    Made::of(inputs)
}

/// The gradient of a slice, of the shape of the slice.
pub(crate) fn strided_slice_gradient(data: &mut Data, dtype: DType) -> Made {
    let slice = strided_slice(data, dtype);
    let mut shape = slice
        .run("StridedSlice")
        .map_or(vec![1], |result| result.shape().to_vec());
    if data.chance(5) {
        shape.push(1);
    }
    let mut inputs = slice.inputs;
    let of = inputs[1].dtype();
    inputs[0] = numbers(&sizes(inputs[0].shape()), of);
    inputs.push(data.tensor(dtype, &shape));
    Made {
        inputs,
        attributes: slice.attributes,
        compared: usize::MAX,
    }
}

/// Coordinates of slices of a shape: their tensor, and the shape of all slices together.
fn coordinates(data: &mut Data, shape: &[usize], least_rank: usize) -> (Tensor, Vec<usize>) {
    let depth = 1 + data.below(shape.len());
    let mut outer = data.shape(least_rank);
    outer.truncate(2);
    let beyond = usize::from(data.chance(3));
    let count: usize = outer.iter().product();
    let mut all = Vec::new();
    for _ in 0..count {
        let row = shape[..depth].iter();
        all.extend(row.map(|&size| data.below(size.max(1) + beyond) as i64));
    }
    let slices = [&outer[..], &shape[depth..]].concat();
    outer.push(depth);
    let indices = list(data, &all).reshaped(&outer).expect("as many elements");
    (indices, slices)
}

pub(crate) fn gather_nd(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let (indices, _) = coordinates(data, &shape, 0);
    Made::of([data.tensor(dtype, &shape), indices])
}

pub(crate) fn scatter_nd(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let (indices, slices) = coordinates(data, &shape, 1);
    let of = indices.dtype();
    let updates = data.tensor_of(dtype, &slices, Values::Moderate);
    Made::of([indices, updates, numbers(&sizes(&shape), of)])
}

fn scatter_of(data: &mut Data, dtype: DType, values: Values) -> Made {
    let shape = data.shape(1);
    let (indices, mut slices) = coordinates(data, &shape, 1);
    if data.chance(3) {
        slices.push(2);
    }
    Made::of([
        data.tensor_of(dtype, &shape, values),
        indices,
        data.tensor_of(dtype, &slices, values),
    ])
}

pub(crate) fn tensor_scatter(data: &mut Data, dtype: DType) -> Made {
    scatter_of(data, dtype, Values::Any)
}

pub(crate) fn tensor_scatter_moderate(data: &mut Data, dtype: DType) -> Made {
    scatter_of(data, dtype, Values::Moderate)
}

pub(crate) fn partition(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let outer = &shape[..1 + data.below(shape.len())];
    let count = 1 + data.below(4);
    let beyond = usize::from(data.chance(3));
    let rows: usize = outer.iter().product();
    let parts: Vec<i64> = (0..rows)
        .map(|_| data.below(count + beyond) as i64)
        .collect();
    let parts = numbers(&parts, DType::I32)
        .reshaped(outer)
        .expect("as many elements");
    Made::of([data.tensor(dtype, &shape), parts]).with("num_partitions", Value::I(count as i64))
}

/// A row may have fewer elements than are requested, rarely.
pub(crate) fn largest(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(1);
    let length = shape[shape.len() - 1];
    let count = data.below(length + 1) + usize::from(data.chance(3));
    let tensor = data.tensor_of(dtype, &shape, Values::Unit);
    Made::of([tensor, Tensor::scalar(count as i32)])
}

pub(crate) fn permutation(data: &mut Data, dtype: DType) -> Made {
    let mut order: Vec<i64> = (0..data.below(9) as i64).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, data.below(last + 1));
    }
    if let (true, Some(last)) = (data.chance(10), order.last_mut()) {
        *last += data.below(3) as i64 - 1;
    }
    Made::of([numbers(&order, dtype)])
}

fn widths(data: &mut Data, rank: usize) -> Tensor {
    let widths: Vec<i64> = (0..2 * rank).map(|_| data.below(3) as i64).collect();
    let widths = list(data, &widths);
    widths.reshaped(&[rank, 2]).expect("two for each dimension")
}

fn mode(data: &mut Data) -> Value {
    let mode: &[u8] = if data.chance(50) {
        b"REFLECT"
    } else {
        b"SYMMETRIC"
    };
    Value::S(mode.to_vec())
}

pub(crate) fn mirror(data: &mut Data, dtype: DType) -> Made {
    let shape: Vec<usize> = data.shape(0).iter().map(|size| size + 1).collect();
    let widths = widths(data, shape.len());
    Made::of([data.tensor(dtype, &shape), widths]).with("mode", mode(data))
}

pub(crate) fn mirror_gradient(data: &mut Data, dtype: DType) -> Made {
    let shape: Vec<usize> = data.shape(0).iter().map(|size| size + 5).collect();
    let widths = widths(data, shape.len());
    Made::of([data.tensor_of(dtype, &shape, Values::Moderate), widths]).with("mode", mode(data))
}

pub(crate) fn reverse_sequence(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(2);
    let along = data.below(shape.len());
    let batch = match data.chance(95) {
        true => (along + 1 + data.below(shape.len() - 1)) % shape.len(),
        false => along,
    };
    let beyond = 1 + usize::from(data.chance(3));
    let most = shape[along];
    let lengths: Vec<i64> = (0..shape[batch])
        .map(|_| data.below(most + beyond) as i64)
        .collect();
    Made::of([data.tensor(dtype, &shape), list(data, &lengths)])
        .with("seq_dim", Value::I(along as i64))
        .with("batch_dim", Value::I(batch as i64))
}

/// Images, most of which can be divided into blocks.
fn images(data: &mut Data, dtype: DType, scale: impl Fn(usize) -> [usize; 4]) -> Made {
    let block = 2 + data.below(2);
    let shape: Vec<usize> = scale(block)
        .iter()
        .map(|size| size * data.below(4))
        .collect();
    Made::of([data.tensor(dtype, &shape)]).with("block_size", Value::I(block as i64))
}

pub(crate) fn blocks(data: &mut Data, dtype: DType) -> Made {
    let odd = data.chance(5);
    images(data, dtype, |block| match odd {
        true => [1; 4],
        false => [1, block, block, 1],
    })
}

pub(crate) fn depths(data: &mut Data, dtype: DType) -> Made {
    let odd = data.chance(5);
    images(data, dtype, |block| match odd {
        true => [1; 4],
        false => [1, 1, 1, block * block],
    })
}

pub(crate) fn band(data: &mut Data, dtype: DType) -> Made {
    let shape = data.shape(2);
    let of = *data.pick(&[DType::I32, DType::I64]);
    let mut width = |size: usize| {
        let width = data.below(size + 2) as i64 - 1 + i64::from(data.chance(2));
        numbers(&[width], of).reshaped(&[]).expect("one element")
    };
    let [.., rows, columns] = shape[..] else {
        unreachable!("at least two dimensions")
    };
    let widths = [width(rows), width(columns)];
    let [lower, upper] = widths;
    Made::of([data.tensor(dtype, &shape), lower, upper])
}

fn align(data: &mut Data) -> Value {
    let all = ["LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT"];
    Value::S(data.pick(&all).as_bytes().to_vec())
}

/// Diagonals of a matrix: the lowest and the highest, rarely out of bounds.
fn diagonals(data: &mut Data, rows: usize, columns: usize) -> (i64, i64) {
    let beyond = i64::from(data.chance(3));
    let (least, most) = (1 - rows as i64 - beyond, columns as i64 - 1 + beyond);
    let pick = |data: &mut Data| match least <= most {
        true => least + data.below((most - least + 1) as usize) as i64,
        false => 0,
    };
    let (one, other) = (pick(data), pick(data));
    match data.chance(40) {
        true => (one, one),
        false => (one.min(other), one.max(other)),
    }
}

fn range_operand(data: &mut Data, (lowest, highest): (i64, i64)) -> Tensor {
    match lowest == highest && data.chance(70) {
        true => Tensor::scalar(lowest as i32),
        false => numbers(&[lowest, highest], DType::I32),
    }
}

fn longest((rows, columns): (usize, usize), (lowest, highest): (i64, i64)) -> usize {
    let longest = (rows as i64 + highest.min(0)).min(columns as i64 - lowest.max(0));
    longest.max(0) as usize
}

/// Matrices of a random shape, and their diagonals from the lowest to the highest.
fn matrices(data: &mut Data) -> (Vec<usize>, (i64, i64), Vec<usize>) {
    let shape = data.shape(2);
    let [ref batch @ .., rows, columns] = shape[..] else {
        unreachable!("at least two dimensions")
    };
    let range = diagonals(data, rows, columns);
    let mut own = batch.to_vec();
    if range.0 < range.1 {
        own.push((range.1 - range.0 + 1) as usize);
    }
    own.push(longest((rows, columns), range));
    (shape, range, own)
}

pub(crate) fn matrix_of(data: &mut Data, dtype: DType) -> Made {
    let (shape, range, own) = matrices(data);
    let mut size = |size: usize| match data.chance(50) {
        true => Tensor::scalar(-1),
        false => Tensor::scalar(size as i32),
    };
    let (rows, columns) = (size(shape[shape.len() - 2]), size(shape[shape.len() - 1]));
    Made::of([
        data.tensor(dtype, &own),
        range_operand(data, range),
        rows,
        columns,
        data.tensor(dtype, &[]),
    ])
    .with("align", align(data))
}

pub(crate) fn diagonals_of(data: &mut Data, dtype: DType) -> Made {
    let (shape, range, _) = matrices(data);
    Made::of([
        data.tensor(dtype, &shape),
        range_operand(data, range),
        data.tensor(dtype, &[]),
    ])
    .with("align", align(data))
}

pub(crate) fn with_diagonals(data: &mut Data, dtype: DType) -> Made {
    let (shape, range, mut own) = matrices(data);
    if data.chance(3) {
        own.push(1);
    }
    Made::of([
        data.tensor(dtype, &shape),
        data.tensor(dtype, &own),
        range_operand(data, range),
    ])
    .with("align", align(data))
}
