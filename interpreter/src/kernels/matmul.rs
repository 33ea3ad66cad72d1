//! Products of matrices, single or batched.
//!
//! Floats use `ndarray`, whose blocked kernels are within a small factor of a BLAS; integers wrap,
//! in plain loops.

use ndarray::{ArrayView2, ArrayViewMut2, linalg::general_mat_mul};

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Result,
        broadcast::{broadcast_shape, broadcast_strides, for_each_row},
        create::bad_shape,
        fail, input,
        number::Number,
        single,
    },
    tensor::{DType, Element, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("MatMul", |attributes| {
        matmul(
            attributes.bool("transpose_a", false),
            attributes.bool("transpose_b", false),
        )
    }),
    ("BatchMatMul", batch),
    ("BatchMatMulV2", batch),
    ("BatchMatMulV3", batch_of_one_type),
];

fn batch(attributes: &Attributes<'_>) -> Result<Kernel> {
    matmul_batch(
        attributes.bool("adj_x", false),
        attributes.bool("adj_y", false),
    )
}

/// The types of the operands and the result are attributes of their own.
fn batch_of_one_type(attributes: &Attributes<'_>) -> Result<Kernel> {
    let left = attributes.dtype("Ta", DType::F32)?;
    for name in ["Tb", "Tout"] {
        let other = attributes.dtype(name, left)?;
        if other != left {
            return fail!(
                "products of {left} with {name} = {other} are not supported by the embedded executor"
            );
        }
    }
    batch(attributes)
}

fn matmul(transpose_a: bool, transpose_b: bool) -> Result<Kernel> {
    single(move |inputs| {
        let (a, b) = (input(inputs, 0)?, input(inputs, 1)?);
        for (tensor, name) in [(a, "a"), (b, "b")] {
            if tensor.rank() != 2 {
                return fail!(
                    "In[{}] and In[{}] ndims must be == 2: `{name}` has shape {}",
                    0,
                    1,
                    shape_text(tensor.shape())
                );
            }
        }
        product(a, b, transpose_a, transpose_b)
    })
}

fn matmul_batch(transpose_a: bool, transpose_b: bool) -> Result<Kernel> {
    single(move |inputs| {
        let (a, b) = (input(inputs, 0)?, input(inputs, 1)?);
        for tensor in [a, b] {
            if tensor.rank() < 2 {
                return Err(bad_shape(tensor, "a batch of matrices"));
            }
        }
        product(a, b, transpose_a, transpose_b)
    })
}

/// A matrix in a slice: rows and columns as stored, and whether it is read transposed.
#[derive(Clone, Copy)]
struct Matrix {
    rows: usize,
    columns: usize,
    transposed: bool,
}

impl Matrix {
    fn of(tensor: &Tensor, transposed: bool) -> Self {
        let shape = tensor.shape();
        Matrix {
            rows: shape[shape.len() - 2],
            columns: shape[shape.len() - 1],
            transposed,
        }
    }

    /// Rows and columns as read.
    fn size(self) -> (usize, usize) {
        if self.transposed {
            (self.columns, self.rows)
        } else {
            (self.rows, self.columns)
        }
    }

    fn view<T>(self, values: &[T]) -> ArrayView2<'_, T> {
        let view = ArrayView2::from_shape(
            (self.rows, self.columns),
            &values[..self.rows * self.columns],
        )
        .expect("the slice holds one matrix");
        if self.transposed {
            view.reversed_axes()
        } else {
            view
        }
    }
}

fn product(a: &Tensor, b: &Tensor, transpose_a: bool, transpose_b: bool) -> Result<Tensor> {
    let (left, right) = (Matrix::of(a, transpose_a), Matrix::of(b, transpose_b));
    let ((rows, inner), (inner_right, columns)) = (left.size(), right.size());
    if inner != inner_right {
        return fail!(
            "Matrix size-incompatible: In[0]: {}, In[1]: {}",
            shape_text(a.shape()),
            shape_text(b.shape())
        );
    }
    let batches = |tensor: &Tensor| Shape::from(&tensor.shape()[..tensor.rank() - 2]);
    let batch = broadcast_shape(&batches(a), &batches(b))?;
    let mut shape = batch.clone();
    shape.extend([rows, columns]);
    macro_rules! compute {
        ($rust:ty) => {{
            let (left_values, right_values) = (a.values::<$rust>()?, b.values::<$rust>()?);
            for_each_matrix(
                &shape,
                &batch,
                [&batches(a), &batches(b)],
                |output: &mut [$rust], [at_left, at_right]| {
                    let output =
                        ArrayViewMut2::from_shape((rows, columns), output).expect("one matrix");
                    <$rust>::multiply(
                        left.view(&left_values[at_left * left.rows * left.columns..]),
                        right.view(&right_values[at_right * right.rows * right.columns..]),
                        output,
                        Onto::Zeros,
                    );
                },
            )
        }};
    }
    match a.dtype() {
        DType::F32 => compute!(f32),
        DType::F64 => compute!(f64),
        DType::I32 => compute!(i32),
        DType::I64 => compute!(i64),
        DType::I16 => compute!(i16),
        DType::U8 => compute!(u8),
        DType::U16 => compute!(u16),
        DType::U32 => compute!(u32),
        DType::U64 => compute!(u64),
        other => fail!("matrices of {other} are not supported"),
    }
}

/// Calls `compute` with each matrix of the result and the indices of its operand matrices.
pub(super) fn for_each_matrix<T: Element>(
    shape: &[usize],
    batch: &[usize],
    operands: [&[usize]; 2],
    mut compute: impl FnMut(&mut [T], [usize; 2]),
) -> Result<Tensor> {
    let strides = operands.map(|operand| broadcast_strides(operand, batch));
    let steps = strides
        .each_ref()
        .map(|strides| strides.last().copied().unwrap_or(0));
    let size: usize = shape[batch.len()..].iter().product();
    let mut outcome = Ok(());
    let result = Tensor::build(shape, |output: &mut [T]| {
        outcome = for_each_row(
            batch,
            strides.each_ref().map(|strides| &strides[..]),
            |start, offsets, length| {
                for index in 0..length {
                    let at = (start + index) * size;
                    let numbers = [offsets[0] + index * steps[0], offsets[1] + index * steps[1]];
                    compute(&mut output[at..at + size], numbers);
                }
                Ok(())
            },
        );
    })?;
    outcome.map(|()| result)
}

/// The matrix that a product is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Onto {
    /// The output, which is overwritten, contains zeros.
    Zeros,
    /// The elements of the output.
    Sums,
}

/// Elements of matrices that are multiplied.
pub(super) trait Factor: Number {
    /// Adds a product to a matrix. The views may be transposed or parts of other matrices.
    fn multiply(
        left: ArrayView2<'_, Self>,
        right: ArrayView2<'_, Self>,
        output: ArrayViewMut2<'_, Self>,
        onto: Onto,
    );
}

macro_rules! floats {
    ($($rust:ty),*) => {$(
        impl Factor for $rust {
            fn multiply(
                left: ArrayView2<'_, Self>,
                right: ArrayView2<'_, Self>,
                mut output: ArrayViewMut2<'_, Self>,
                onto: Onto,
            ) {
                let kept = match onto {
                    Onto::Zeros => Self::ZERO,
                    Onto::Sums => Self::ONE,
                };
                general_mat_mul(Self::ONE, &left, &right, kept, &mut output);
            }
        }
    )*};
}

macro_rules! integers {
    ($($rust:ty),*) => {$(
        impl Factor for $rust {
            fn multiply(
                left: ArrayView2<'_, Self>,
                right: ArrayView2<'_, Self>,
                mut output: ArrayViewMut2<'_, Self>,
                _: Onto,
            ) {
                for (row, mut output) in left.rows().into_iter().zip(output.rows_mut()) {
                    for (&factor, right) in row.iter().zip(right.rows()) {
                        for (sum, &value) in output.iter_mut().zip(right) {
                            *sum = Number::add(*sum, Number::mul(factor, value));
                        }
                    }
                }
            }
        }
    )*};
}

floats!(f32, f64);
integers!(i16, i32, i64, u8, u16, u32, u64);
