//! Conversions between element types.

use crate::{
    half::{Bf16, F16},
    kernels::{
        Attributes, Entry, Kernel, Result, broadcast::map, dispatch, fail, input, number::Number,
        single, take,
    },
    tensor::{Bool, DType, Shape, Tensor},
};

pub(super) const KERNELS: &[Entry] = &[("Cast", cast), ("Bitcast", bitcast)];

/// Converts numbers and booleans: integers wrap, floats are truncated.
fn cast(attributes: &Attributes<'_>) -> Result<Kernel> {
    let target = attributes.dtype("DstT", DType::F32)?;
    single(move |inputs| {
        let given = take(inputs, 0)?;
        if given.dtype() == target {
            return Ok(given);
        }
        // 16-bit floats are converted through f32, as in TensorFlow.
        let tensor = match given.dtype() {
            DType::F16 => map(&given, F16::to_f32)?,
            DType::Bf16 => map(&given, Bf16::to_f32)?,
            _ => given,
        };
        match target {
            DType::F16 => map(&convert(tensor, DType::F32)?, F16::from_f32),
            DType::Bf16 => map(&convert(tensor, DType::F32)?, Bf16::from_f32),
            _ => convert(tensor, target),
        }
    })
}

/// Converts a tensor of numbers or booleans to another such type, or the same.
fn convert(tensor: Tensor, target: DType) -> Result<Tensor> {
    if tensor.dtype() == target {
        return Ok(tensor);
    }
    if tensor.dtype() == DType::Bool {
        return dispatch!(target, R in numbers => map(&tensor, |x: Bool| if x.get() { R::ONE } else { R::ZERO }));
    }
    dispatch!(tensor.dtype(), A in numbers => {
        if target == DType::Bool {
            return map(&tensor, |x: A| Bool::from(x != A::ZERO));
        }
        dispatch!(target, R in numbers => map(&tensor, |x: A| x as R))
    })
}

/// Reinterprets the bytes: a smaller type adds an innermost dimension, a larger one removes it.
fn bitcast(attributes: &Attributes<'_>) -> Result<Kernel> {
    let target = attributes.dtype("type", DType::F32)?;
    single(move |inputs| {
        let (from, to) = (input(inputs, 0)?.dtype().size(), target.size());
        if from == 0 || to == 0 {
            return fail!("only numbers can be bitcast");
        }
        let tensor = take(inputs, 0)?;
        let mut shape = Shape::from(tensor.shape());
        if to < from {
            shape.push(from / to);
        } else if to > from && shape.pop() != Some(to / from) {
            return fail!(
                "Cannot bitcast from {} to {target}: the innermost dimension must be {}",
                tensor.dtype(),
                to / from
            );
        }
        Ok(tensor.reinterpreted(target, &shape)?)
    })
}
