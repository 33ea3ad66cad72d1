//! Between element types.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, KernelError, broadcast::map, dispatch, fail, input,
        number::Number, single, take,
    },
    tensor::{Bool, DType, Shape},
};

pub(super) const KERNELS: &[Entry] = &[("Cast", cast), ("Bitcast", bitcast)];

/// Numbers and truth values to numbers and truth values: integers wrap, floats are cut towards zero.
fn cast(attributes: &Attributes<'_>) -> Result<Kernel, KernelError> {
    let target = attributes.dtype("DstT", DType::F32)?;
    single(move |inputs| {
        let tensor = take(inputs, 0)?;
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
    })
}

/// The same bytes: a smaller type adds an innermost dimension, a larger one takes it away.
fn bitcast(attributes: &Attributes<'_>) -> Result<Kernel, KernelError> {
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
