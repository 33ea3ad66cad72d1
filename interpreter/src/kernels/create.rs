//! Tensors from constants, shapes and numbers.

use tfx_graphdef::proto::{NodeDef, TensorProto, TensorShapeProto, attr_value::Value};

use crate::{
    half::{Bf16, F16},
    kernels::{
        Attributes, Entry, Kernel, KernelError, Result, dispatch, fail, input, lists,
        number::Number, pure, single, size, take,
    },
    tensor::{Bool, DType, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("Fill", |_| single(fill)),
    ("ZerosLike", |_| {
        single(|inputs| {
            let tensor = input(inputs, 0)?;
            match tensor.dtype() {
                DType::Variant => lists::zeros_like(tensor),
                dtype => Ok(Tensor::zeros(dtype, tensor.shape())?),
            }
        })
    }),
    ("OnesLike", |_| single(ones_like)),
    ("Range", |_| single(range)),
    ("LinSpace", |_| single(linear_space)),
    ("OneHot", one_hot),
    ("Shape", |attributes| {
        let dtype = attributes.dtype("out_type", DType::I32)?;
        single(move |inputs| {
            let shape = Shape::from(input(inputs, 0)?.shape());
            integers(dtype, &[shape.len()], &shape)
        })
    }),
    ("ShapeN", |attributes| {
        let dtype = attributes.dtype("out_type", DType::I32)?;
        pure(move |inputs| {
            let shapes = inputs.iter().map(Tensor::shape);
            shapes
                .map(|shape| integers(dtype, &[shape.len()], shape))
                .collect()
        })
    }),
    ("Size", |attributes| {
        let dtype = attributes.dtype("out_type", DType::I32)?;
        single(move |inputs| integers(dtype, &[], &[input(inputs, 0)?.elements()]))
    }),
    ("Rank", |_| {
        single(|inputs| integers(DType::I32, &[], &[input(inputs, 0)?.rank()]))
    }),
];

/// Returns the value of a `Const` node.
pub fn constant(node: &NodeDef) -> Result<Tensor> {
    match node
        .attr
        .get("value")
        .and_then(|attribute| attribute.value.as_ref())
    {
        Some(Value::Tensor(tensor)) => from_proto(tensor),
        _ => fail!("a Const without a value"),
    }
}

/// Returns the tensor of a message: all bytes, or a list of values of which the last is repeated.
fn from_proto(proto: &TensorProto) -> Result<Tensor> {
    let dtype = super::dtype(proto.dtype)?;
    let shape = full_shape(proto.tensor_shape.as_ref())?;
    if !proto.tensor_content.is_empty() {
        return Ok(Tensor::from_bytes(dtype, &shape, &proto.tensor_content)?);
    }
    macro_rules! listed {
        ($field:ident as $rust:ty) => {
            repeated(&shape, proto.$field.iter().map(|&value| value as $rust))
        };
    }
    match dtype {
        DType::F16 => repeated(
            &shape,
            proto
                .half_val
                .iter()
                .map(|&bits| F16::from_bits(bits as u16)),
        ),
        DType::Bf16 => repeated(
            &shape,
            proto
                .half_val
                .iter()
                .map(|&bits| Bf16::from_bits(bits as u16)),
        ),
        DType::F32 => listed!(float_val as f32),
        DType::F64 => listed!(double_val as f64),
        DType::I8 => listed!(int_val as i8),
        DType::I16 => listed!(int_val as i16),
        DType::I32 => listed!(int_val as i32),
        DType::U8 => listed!(int_val as u8),
        DType::U16 => listed!(int_val as u16),
        DType::I64 => listed!(int64_val as i64),
        DType::U32 => listed!(uint32_val as u32),
        DType::U64 => listed!(uint64_val as u64),
        DType::Bool => repeated(
            &shape,
            proto.bool_val.iter().map(|&value| Bool::from(value)),
        ),
        DType::String => {
            let elements = Tensor::zeros(DType::Bool, &shape)?.elements();
            let mut strings: Vec<_> = proto
                .string_val
                .iter()
                .map(|string| string.to_vec())
                .collect();
            let last = strings.last().cloned().unwrap_or_default();
            strings.resize(elements, last);
            Ok(Tensor::from_strings(&shape, strings)?)
        }
        DType::Resource | DType::Variant => fail!("a constant cannot be a {dtype}"),
    }
}

fn repeated<T: crate::Element>(
    shape: &[usize],
    mut values: impl Iterator<Item = T>,
) -> Result<Tensor> {
    Ok(Tensor::build(shape, |output: &mut [T]| {
        let mut last = None;
        for element in output {
            last = values.next().or(last);
            if let Some(value) = last {
                *element = value;
            }
        }
    })?)
}

/// Returns a shape without unknown dimensions.
fn full_shape(proto: Option<&TensorShapeProto>) -> Result<Shape> {
    let dimensions = proto.map_or(&[][..], |shape| &shape.dim);
    dimensions
        .iter()
        .map(|dimension| size(dimension.size))
        .collect()
}

/// Returns the shape that a tensor contains.
pub(super) fn shape_of(tensor: &Tensor) -> Result<Shape> {
    tensor
        .integers()?
        .iter()
        .map(|&dimension| size(dimension))
        .collect()
}

/// Returns dimensions as an `i32` or `i64` tensor.
fn integers(dtype: DType, shape: &[usize], values: &[usize]) -> Result<Tensor> {
    dispatch!(dtype, T in integers => {
        let values: Vec<T> = values.iter().map(|&value| T::from_usize(value)).collect();
        Ok(Tensor::from_slice(shape, &values)?)
    })
}

fn fill(inputs: &mut [Tensor]) -> Result<Tensor> {
    let shape = shape_of(input(inputs, 0)?)?;
    let value = input(inputs, 1)?;
    if value.dtype() == DType::String {
        let elements = Tensor::zeros(DType::Bool, &shape)?.elements();
        let text = value.strings()?.first().cloned().unwrap_or_default();
        return Ok(Tensor::from_strings(&shape, vec![text; elements])?);
    }
    dispatch!(value.dtype(), T in plain => {
        let value: T = value.item()?;
        Ok(Tensor::build(&shape, |output: &mut [T]| output.fill(value))?)
    })
}

fn ones_like(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = take(inputs, 0)?;
    if tensor.dtype() == DType::Bool {
        return Ok(Tensor::build(tensor.shape(), |output| {
            output.fill(Bool::from(true))
        })?);
    }
    dispatch!(tensor.dtype(), T in numbers => {
        Ok(Tensor::build(tensor.shape(), |output: &mut [T]| output.fill(T::ONE))?)
    })
}

/// `start`, `start + delta`, ... before `limit`.
fn range(inputs: &mut [Tensor]) -> Result<Tensor> {
    let (start, limit, delta) = (input(inputs, 0)?, input(inputs, 1)?, input(inputs, 2)?);
    dispatch!(start.dtype(), T in numbers => {
        let (start, limit, delta) = (start.item::<T>()?, limit.item::<T>()?, delta.item::<T>()?);
        if delta == T::ZERO {
            return fail!("Requires delta != 0: 0");
        }
        if delta > T::ZERO {
            if start > limit {
                return fail!("Requires start <= limit when delta > 0: {start}/{limit}");
            }
        } else if start < limit {
            return fail!("Requires start >= limit when delta < 0: {start}/{limit}");
        }
        let count = T::range_count(start, limit, delta);
        Ok(Tensor::build(&[count], |output: &mut [T]| {
            // Each is computed separately, so that no error accumulates.
            for (index, element) in output.iter_mut().enumerate() {
                *element = Number::add(start, Number::mul(T::from_usize(index), delta));
            }
        })?)
    })
}

/// Returns the number of steps of a range, without overflow of the type.
trait RangeCount: Sized {
    fn range_count(start: Self, limit: Self, delta: Self) -> usize;
}

macro_rules! range_count {
    ($($rust:ty),* ; $($float:ty),*) => {
        $(impl RangeCount for $rust {
            fn range_count(start: Self, limit: Self, delta: Self) -> usize {
                let (distance, delta) = (i128::from(limit) - i128::from(start), i128::from(delta));
                ((distance.abs() + delta.abs() - 1) / delta.abs()) as usize
            }
        })*
        $(impl RangeCount for $float {
            fn range_count(start: Self, limit: Self, delta: Self) -> usize {
                ((limit - start) / delta).abs().ceil() as usize
            }
        })*
    };
}
range_count!(i8, i16, i32, i64, u8, u16, u32, u64; f32, f64);

fn linear_space(inputs: &mut [Tensor]) -> Result<Tensor> {
    let (start, stop) = (input(inputs, 0)?, input(inputs, 1)?);
    let count = match input(inputs, 2)?.integers()?[..] {
        [count] if count > 0 => count as usize,
        _ => return fail!("Requires num > 0"),
    };
    dispatch!(start.dtype(), T in floats => {
        let (start, stop) = (start.item::<T>()?, stop.item::<T>()?);
        Ok(Tensor::build(&[count], |output: &mut [T]| {
            let step = if count > 1 { (stop - start) / T::from_usize(count - 1) } else { T::ZERO };
            for (index, element) in output.iter_mut().enumerate() {
                *element = start + step * T::from_usize(index);
            }
            // The end is exact.
            if count > 1 {
                output[count - 1] = stop;
            }
        })?)
    })
}

/// One `on` value at each index along a new axis.
fn one_hot(attributes: &Attributes<'_>) -> Result<Kernel> {
    let axis = attributes.int("axis", -1);
    single(move |inputs| {
        let indices = input(inputs, 0)?;
        let depth = size(input(inputs, 1)?.integers()?.first().copied().unwrap_or(-1))?;
        let (on, off) = (input(inputs, 2)?, input(inputs, 3)?);
        for value in [on, off] {
            if value.rank() != 0 {
                return Err(bad_shape(value, "a scalar for on_value and off_value"));
            }
        }
        let axis = if axis == -1 {
            indices.rank()
        } else {
            super::axis(axis, indices.rank() + 1)?
        };
        let positions: Vec<i64> = match indices.dtype() {
            DType::U8 => indices
                .values::<u8>()?
                .iter()
                .map(|&index| i64::from(index))
                .collect(),
            _ => indices.integers()?.into_vec(),
        };
        let mut shape = Shape::from(indices.shape());
        shape.insert(axis, depth);
        let inner: usize = indices.shape()[axis..].iter().product();
        dispatch!(on.dtype(), T in plain => {
            let (on, off) = (on.item::<T>()?, off.item::<T>()?);
            Ok(Tensor::build(&shape, |output: &mut [T]| {
                output.fill(off);
                for (at, &position) in positions.iter().enumerate() {
                    if let Some(position) = usize::try_from(position).ok().filter(|&position| position < depth) {
                        let (outer, inner_at) = (at / inner, at % inner);
                        output[(outer * depth + position) * inner + inner_at] = on;
                    }
                }
            })?)
        })
    })
}

/// Formats the error for a shape that an operation does not accept.
pub(super) fn bad_shape(tensor: &Tensor, expected: &str) -> KernelError {
    KernelError(format!(
        "expected {expected}, got an input of shape {}",
        shape_text(tensor.shape())
    ))
}
