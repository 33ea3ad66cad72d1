//! The launches that are products of matrices, which a library may compute.
//!
//! ```text
//! run product b0 * b1 -> b3      launch of the entry of the product: parameters b0, b1, b3
//!                         ──►      which is c[i, j] = sum over k of a[i, k] * b[k, j]
//! ```
//!
//! The description says all that a call of the library needs. Not all products have one: those of
//! integers, and those with a constant factor, whose elements are in the assembly, run by their
//! entries. What a kernel computes of a product is another launch.

use tfx_dialects::launches::{DeviceElement, DeviceMatrix, DeviceProduct};

use super::super::kernel::{Call, Kernel};
use super::entries::Input;
use crate::element::Element;

/// The positions of `a`, `b` and the result among the buffers of a call; the one between is for
/// packed columns.
const MATRICES: [usize; 3] = [0, 1, 3];

/// Returns the product that the launch of a call is, given the inputs of its entry.
pub(super) fn product(call: &Call, inputs: &[Input]) -> Option<DeviceProduct> {
    let Kernel::Product(product) = &call.kernel else {
        return None;
    };
    // Products in the results of others, and in parts, are those of blocks of rows.
    if product.accumulates || product.range.is_some() {
        return None;
    }
    let element = match product.element {
        Element::F32 => DeviceElement::F32,
        Element::F64 => DeviceElement::F64,
        Element::I32 | Element::I64 | Element::Bool => return None,
    };
    // A library counts with 32 bits.
    let size = |size: i64| (1..=i64::from(i32::MAX)).contains(&size).then_some(size);
    let sizes = [&product.batch, &product.m, &product.n, &product.k];
    let sizes = sizes.map(|extent| extent.as_known().and_then(size));
    let [Some(batch), Some(rows), Some(columns), Some(depth)] = sizes else {
        return None;
    };
    let shapes = [
        (product.transpose_a, [rows, depth]),
        (product.transpose_b, [depth, columns]),
        (false, [rows, columns]),
    ];
    let mut matrices = MATRICES.iter().zip(shapes);
    let matrices = [(); 3].map(|()| {
        let (place, (is_transposed, [rows, columns])) = matrices.next()?;
        Some(DeviceMatrix {
            parameter: parameter(inputs, *place)?,
            is_transposed,
            leading: if is_transposed { rows } else { columns },
            stride: rows.checked_mul(columns)?,
        })
    });
    let [Some(a), Some(b), Some(c)] = matrices else {
        return None;
    };
    Some(DeviceProduct {
        element,
        batch,
        rows,
        columns,
        depth,
        a,
        b,
        c,
    })
}

/// Returns the number of the parameter that an input is; none if it is constant.
fn parameter(inputs: &[Input], place: usize) -> Option<i64> {
    let is_address = |input: &Input| matches!(input, Input::Address { .. });
    let before = inputs.get(..place)?.iter();
    let before = before.filter(|input| is_address(input)).count();
    is_address(inputs.get(place)?).then_some(before as i64)
}
