//! Reductions over axes.
//!
//! ```text
//! input [2,3,4], axes {0,2}  ->  result [3]; strides of the result seen from the input: 0,1,0
//! ```
//!
//! One walk over the input, row by row. Sums, means and products of floats accumulate in `f64`: the
//! result is that of an exact sum rounded once, which is at least as accurate as any order in which
//! TensorFlow adds.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Result, axis,
        broadcast::{for_each_row, map},
        dispatch, fail, input,
        number::Number,
        single, strides,
    },
    tensor::{Bool, DType, Element, Shape, Tensor},
};

pub(super) const KERNELS: &[Entry] = &[
    ("Sum", |attributes| reduction(attributes, sum)),
    ("Mean", |attributes| reduction(attributes, mean)),
    ("Prod", |attributes| reduction(attributes, product)),
    ("Max", |attributes| reduction(attributes, largest)),
    ("Min", |attributes| reduction(attributes, smallest)),
    ("All", |attributes| {
        reduction(attributes, |input, plan| {
            plan.fold(input, Bool::from(true), |x: Bool, y: Bool| {
                Bool::from(x.get() && y.get())
            })
        })
    }),
    ("Any", |attributes| {
        reduction(attributes, |input, plan| {
            plan.fold(input, Bool::from(false), |x: Bool, y: Bool| {
                Bool::from(x.get() || y.get())
            })
        })
    }),
    ("ArgMax", |attributes| arg(attributes, true)),
    ("ArgMin", |attributes| arg(attributes, false)),
    ("EuclideanNorm", |attributes| reduction(attributes, norm)),
    ("L2Loss", |_| single(l2_loss)),
];

/// The reduced axes, and the shape of the result.
struct Plan {
    /// The strides of the result for each dimension of the input.
    strides: Shape,
    /// The shape without the reduced dimensions.
    shape: Shape,
    /// The number of elements that each result combines.
    count: usize,
}

impl Plan {
    fn new(shape: &[usize], reduced: &[bool]) -> Self {
        let kept = |dimension: &usize| !reduced[*dimension];
        let result: Shape = (0..shape.len())
            .filter(kept)
            .map(|dimension| shape[dimension])
            .collect();
        let mut result_strides = strides(&result).into_iter();
        let strides = reduced
            .iter()
            .map(|&reduced| {
                if reduced {
                    0
                } else {
                    result_strides.next().unwrap_or(0)
                }
            })
            .collect();
        let count = (0..shape.len())
            .filter(|dimension| reduced[*dimension])
            .map(|dimension| shape[dimension])
            .product();
        Plan {
            strides,
            shape: result,
            count,
        }
    }

    /// Combines the elements of each result, starting from `initial`.
    fn fold<A: Element, R: Element>(
        &self,
        input: &Tensor,
        initial: R,
        combine: impl Fn(R, A) -> R,
    ) -> Result<Tensor> {
        let values = input.values::<A>()?;
        let step = self.strides.last().copied().unwrap_or(0);
        let mut outcome = Ok(());
        let result = Tensor::build(&self.shape, |output: &mut [R]| {
            output.fill(initial);
            outcome = for_each_row(input.shape(), [&self.strides], |start, [offset], length| {
                let row = &values[start..start + length];
                if step == 0 {
                    output[offset] = row
                        .iter()
                        .fold(output[offset], |folded, &value| combine(folded, value));
                } else {
                    for (folded, &value) in output[offset..].iter_mut().step_by(step).zip(row) {
                        *folded = combine(*folded, value);
                    }
                }
                Ok(())
            });
        })?;
        outcome.map(|()| result)
    }
}

/// A kernel that reduces input 0 over the axes in input 1.
fn reduction(
    attributes: &Attributes<'_>,
    reduce: fn(&Tensor, &Plan) -> Result<Tensor>,
) -> Result<Kernel> {
    let keep = attributes.bool("keep_dims", false);
    single(move |inputs| {
        let tensor = input(inputs, 0)?;
        let mut reduced = vec![false; tensor.rank()];
        for &index in &input(inputs, 1)?.integers()? {
            let dimension = axis(index, tensor.rank())?;
            if std::mem::replace(&mut reduced[dimension], true) {
                return fail!(
                    "Invalid reduction arguments: Axes contains duplicate dimension: {dimension}"
                );
            }
        }
        let result = reduce(tensor, &Plan::new(tensor.shape(), &reduced))?;
        if !keep {
            return Ok(result);
        }
        let shape: Shape = tensor
            .shape()
            .iter()
            .zip(&reduced)
            .map(|(&size, &reduced)| if reduced { 1 } else { size })
            .collect();
        Ok(result.reshaped(&shape)?)
    })
}

/// Applies `finish` to an `f64` accumulator, as `f32`s.
fn narrow(wide: &Tensor, finish: impl Fn(f64) -> f64) -> Result<Tensor> {
    map(wide, |x: f64| finish(x) as f32)
}

fn sum(input: &Tensor, plan: &Plan) -> Result<Tensor> {
    if input.dtype() == DType::F32 {
        return narrow(
            &plan.fold(input, 0.0, |sum: f64, x: f32| sum + f64::from(x))?,
            |x| x,
        );
    }
    dispatch!(input.dtype(), T in numbers => plan.fold(input, T::ZERO, |x: T, y: T| Number::add(x, y)))
}

#[allow(clippy::unnecessary_cast, reason = "most integers are not that wide")]
fn mean(input: &Tensor, plan: &Plan) -> Result<Tensor> {
    let count = plan.count;
    if input.dtype() == DType::F32 {
        let sums = plan.fold(input, 0.0, |sum: f64, x: f32| sum + f64::from(x))?;
        return narrow(&sums, |x| x / count as f64);
    }
    if input.dtype() == DType::F64 {
        let sums = sum(input, plan)?;
        return super::broadcast::map_in_place(sums, |x: f64| x / count as f64);
    }
    // Narrow integers do not overflow in between, as in TensorFlow's kernels.
    let is_signed = matches!(
        input.dtype(),
        DType::I8 | DType::I16 | DType::I32 | DType::I64
    );
    dispatch!(input.dtype(), T in integers => if is_signed {
        let sums = plan.fold(input, 0, |sum: i64, x: T| sum.wrapping_add(x as i64))?;
        map(&sums, |x: i64| x.checked_div(count as i64).unwrap_or(0) as T)
    } else {
        let sums = plan.fold(input, 0, |sum: u64, x: T| sum.wrapping_add(x as u64))?;
        map(&sums, |x: u64| x.checked_div(count as u64).unwrap_or(0) as T)
    })
}

fn product(input: &Tensor, plan: &Plan) -> Result<Tensor> {
    if input.dtype() == DType::F32 {
        return narrow(
            &plan.fold(input, 1.0, |product: f64, x: f32| product * f64::from(x))?,
            |x| x,
        );
    }
    dispatch!(input.dtype(), T in numbers => plan.fold(input, T::ONE, |x: T, y: T| Number::mul(x, y)))
}

/// The root of the sum of squares.
fn norm(input: &Tensor, plan: &Plan) -> Result<Tensor> {
    dispatch!(input.dtype(), T in floats => {
        let squares = plan.fold(input, 0.0, |sum: f64, x: T| sum + x.to_f64() * x.to_f64())?;
        map(&squares, |sum: f64| T::from_f64(sum.sqrt()))
    })
}

fn largest(input: &Tensor, plan: &Plan) -> Result<Tensor> {
    dispatch!(input.dtype(), T in numbers => plan.fold(input, T::LOWEST, |x: T, y: T| Number::maximum(x, y)))
}

fn smallest(input: &Tensor, plan: &Plan) -> Result<Tensor> {
    dispatch!(input.dtype(), T in numbers => plan.fold(input, T::HIGHEST, |x: T, y: T| Number::minimum(x, y)))
}

/// The index of the largest or smallest element along an axis; the first one of several.
fn arg(attributes: &Attributes<'_>, largest: bool) -> Result<Kernel> {
    let output = attributes.dtype("output_type", DType::I64)?;
    single(move |inputs| {
        let tensor = input(inputs, 0)?;
        let index = input(inputs, 1)?.integers()?.first().copied().unwrap_or(0);
        let axis = axis(index, tensor.rank())?;
        let (length, inner) = (
            tensor.shape()[axis],
            tensor.shape()[axis + 1..].iter().product::<usize>(),
        );
        if length == 0 {
            return fail!(
                "Reduction axis {axis} is empty in shape {}",
                crate::tensor::shape_text(tensor.shape())
            );
        }
        let mut shape = Shape::from(tensor.shape());
        shape.remove(axis);
        let rows = Rows {
            count: shape.iter().product(),
            length,
            inner,
        };
        let winners = match tensor.dtype() {
            DType::F32 => rows.winners(tensor, if largest { f32::MIN } else { f32::MAX }, largest),
            DType::F64 => rows.winners(tensor, if largest { f64::MIN } else { f64::MAX }, largest),
            DType::Bool => {
                let numbers = map(tensor, |x: Bool| u8::from(x.get()))?;
                rows.winners(&numbers, if largest { 0u8 } else { 1 }, largest)
            }
            other => dispatch!(other, T in integers => {
                rows.winners(tensor, if largest { T::LOWEST } else { T::HIGHEST }, largest)
            }),
        }?;
        dispatch!(output, R in integers => {
            let winners: Vec<R> = winners.into_iter().map(R::from_usize).collect();
            Ok(Tensor::from_slice(&shape, &winners)?)
        })
    })
}

/// The rows along an axis.
struct Rows {
    count: usize,
    length: usize,
    /// The distance of neighbouring elements of a row.
    inner: usize,
}

impl Rows {
    /// Returns for each row the position of its largest or smallest element. `worst` is the worst
    /// finite number, with which the search starts at the first position: no NaN is better, and
    /// neither is an infinity on that side.
    fn winners<T: Number>(&self, tensor: &Tensor, worst: T, largest: bool) -> Result<Vec<usize>> {
        let values = tensor.values::<T>()?;
        let winner = |row: usize| {
            let start = row / self.inner * self.length * self.inner + row % self.inner;
            let row = values[start..].iter().step_by(self.inner).take(self.length);
            let mut best = (0, worst);
            for (at, &x) in row.enumerate() {
                if (largest && x > best.1) || (!largest && x < best.1) {
                    best = (at, x);
                }
            }
            best.0
        };
        Ok((0..self.count).map(winner).collect())
    }
}

/// Half the sum of squares.
fn l2_loss(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = input(inputs, 0)?;
    dispatch!(tensor.dtype(), T in floats => {
        let squares = tensor.values::<T>()?.iter().map(|x| x.to_f64() * x.to_f64());
        let sum = squares.fold(0.0, |sum, x| sum + x);
        Ok(Tensor::scalar(T::from_f64(sum / 2.0)))
    })
}
