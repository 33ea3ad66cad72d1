//! Elements at computed positions: a list of positions is computed once, whatever the element type.
//!
//! ```text
//! shape of the result --each(coordinates)--> position in the source
//!                                            taken: result[i] = source[positions[i]]
//!                                            added: result[positions[i]] += source[i]
//! ```
//!
//! One call for each element, with its coordinates; one word of memory for each.

use smallvec::SmallVec;

use crate::{
    kernels::{Result, dispatch, number::Number},
    tensor::{DType, Tensor},
};

/// Returns `position` of the coordinates of each element of a shape, in row-major order.
pub(super) fn each(shape: &[usize], mut position: impl FnMut(&[usize]) -> usize) -> Vec<usize> {
    let count: usize = shape.iter().product();
    let mut positions = Vec::with_capacity(count);
    let mut coordinates: SmallVec<[usize; 8]> = smallvec::smallvec![0; shape.len()];
    for _ in 0..count {
        positions.push(position(&coordinates));
        for (coordinate, &size) in coordinates.iter_mut().zip(shape).rev() {
            *coordinate += 1;
            if *coordinate < size {
                break;
            }
            *coordinate = 0;
        }
    }
    positions
}

/// Returns the position of coordinates. It wraps, since a stride may be negative.
pub(super) fn at(coordinates: &[usize], strides: &[usize]) -> usize {
    let pairs = coordinates.iter().zip(strides);
    pairs.fold(0, |position, (&coordinate, &stride)| {
        position.wrapping_add(coordinate.wrapping_mul(stride))
    })
}

/// Returns the elements at positions of a tensor.
pub(super) fn taken(tensor: &Tensor, positions: &[usize], shape: &[usize]) -> Result<Tensor> {
    if tensor.dtype() == DType::String {
        let strings = tensor.strings()?;
        let strings = positions.iter().map(|&at| strings[at].clone()).collect();
        return Ok(Tensor::from_strings(shape, strings)?);
    }
    dispatch!(tensor.dtype(), T in plain => {
        let values = tensor.values::<T>()?;
        Ok(Tensor::build(shape, |output: &mut [T]| {
            for (element, &at) in output.iter_mut().zip(positions) {
                *element = values[at];
            }
        })?)
    })
}

/// Adds numbers to the elements of a tensor at positions, in place if it is not shared.
pub(super) fn added(tensor: Tensor, positions: &[usize], terms: &Tensor) -> Result<Tensor> {
    dispatch!(tensor.dtype(), T in numbers => combined::<T>(tensor, positions, terms, Number::add))
}

/// Subtracts numbers from the elements of a tensor at positions, in place if it is not shared.
pub(super) fn subtracted(tensor: Tensor, positions: &[usize], terms: &Tensor) -> Result<Tensor> {
    dispatch!(tensor.dtype(), T in numbers => combined::<T>(tensor, positions, terms, Number::sub))
}

fn combined<T: Number>(
    mut tensor: Tensor,
    positions: &[usize],
    terms: &Tensor,
    combine: impl Fn(T, T) -> T,
) -> Result<Tensor> {
    let terms = terms.values::<T>()?;
    if tensor.values_mut::<T>().is_none() {
        tensor = Tensor::from_slice(tensor.shape(), tensor.values::<T>()?)?;
    }
    let elements = tensor.values_mut::<T>().unwrap_or_default();
    for (&at, &term) in positions.iter().zip(terms) {
        elements[at] = combine(elements[at], term);
    }
    Ok(tensor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_visited_in_order() {
        let strides = [1, 10];
        let positions = each(&[2, 3], |coordinates| at(coordinates, &strides));
        assert_eq!(positions, [0, 10, 20, 1, 11, 21]);
        assert_eq!(each(&[], |_| 7), [7]);
        assert_eq!(each(&[2, 0], |_| 7), [0; 0]);
    }
}
