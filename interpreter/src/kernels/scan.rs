//! Cumulative sums and products along an axis.
//!
//! ```text
//! x           a  b    c            exclusive   0  a  a+b
//! Cumsum(x)   a  a+b  a+b+c        reverse     a+b+c  b+c  c
//! ```
//!
//! One pass over the elements, in their order in memory. `f32` accumulates in `f64`, as in
//! `reduce.rs`.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Result, axis, dispatch, fail, input, number::Number, single,
    },
    tensor::{DType, Element, Tensor},
};

pub(super) const KERNELS: &[Entry] = &[
    ("Cumsum", |attributes| scan(attributes, true)),
    ("Cumprod", |attributes| scan(attributes, false)),
];

/// The rows along an axis, and their order.
struct Scan {
    length: usize,
    /// The distance of neighbouring elements of a row.
    inner: usize,
    /// The accumulated value does not contain its own element.
    exclusive: bool,
    /// From the end.
    reverse: bool,
}

impl Scan {
    fn run<T: Element, A: Copy>(
        &self,
        tensor: &Tensor,
        initial: A,
        combine: impl Fn(A, T) -> A,
        narrow: impl Fn(A) -> T,
    ) -> Result<Tensor> {
        let values = tensor.values::<T>()?;
        let block = (self.length * self.inner).max(1);
        Ok(Tensor::build(tensor.shape(), |output: &mut [T]| {
            if values.is_empty() {
                return;
            }
            let mut all = vec![initial; self.inner];
            for (values, output) in values.chunks(block).zip(output.chunks_mut(block)) {
                all.fill(initial);
                for step in 0..self.length {
                    let place = match self.reverse {
                        true => self.length - 1 - step,
                        false => step,
                    };
                    let range = place * self.inner..(place + 1) * self.inner;
                    let pairs = values[range.clone()].iter().zip(&mut output[range]);
                    for (folded, (value, result)) in all.iter_mut().zip(pairs) {
                        let next = combine(*folded, *value);
                        *result = narrow(if self.exclusive { *folded } else { next });
                        *folded = next;
                    }
                }
            }
        })?)
    }
}

fn scan(attributes: &Attributes<'_>, sums: bool) -> Result<Kernel> {
    let exclusive = attributes.bool("exclusive", false);
    let reverse = attributes.bool("reverse", false);
    single(move |inputs| {
        let (tensor, index) = (input(inputs, 0)?, input(inputs, 1)?.integers()?);
        let [index] = index[..] else {
            return fail!(
                "ScanOp: axis must be a scalar, not a list of {}",
                index.len()
            );
        };
        let axis = axis(index, tensor.rank())?;
        let scan = Scan {
            length: tensor.shape()[axis],
            inner: tensor.shape()[axis + 1..].iter().product(),
            exclusive,
            reverse,
        };
        if tensor.dtype() == DType::F32 {
            let narrow = |x: f64| x as f32;
            return match sums {
                true => scan.run(tensor, 0.0, |sum, x: f32| sum + f64::from(x), narrow),
                false => scan.run(
                    tensor,
                    1.0,
                    |product, x: f32| product * f64::from(x),
                    narrow,
                ),
            };
        }
        dispatch!(tensor.dtype(), T in numbers => match sums {
            true => scan.run(tensor, T::ZERO, |sum, x: T| Number::add(sum, x), |x| x),
            false => scan.run(tensor, T::ONE, |product, x: T| Number::mul(product, x), |x| x),
        })
    })
}
