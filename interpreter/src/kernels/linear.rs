//! Factorizations, inverses and systems of equations, of matrices or batches of them.
//!
//! ```text
//! Cholesky               L of X = L L^T, by rows            reads the lower triangle of X
//! MatrixInverse          elimination with row pivots        of X, or of its transpose
//! MatrixDeterminant      the same, product of the pivots
//! MatrixTriangularSolve  substitution, forwards or back     batches are broadcast
//! ```
//!
//! All compute in `f64` and round at the end. Cost: cubic in the size of a matrix.

use crate::{
    kernels::{
        Entry, Result, broadcast::broadcast_shape, create::bad_shape, dispatch, fail, input,
        matmul::for_each_matrix, number::Float, single,
    },
    tensor::{Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("Cholesky", |_| {
        single(|inputs| {
            let tensor = input(inputs, 0)?;
            dispatch!(tensor.dtype(), T in floats => each_square::<T>(tensor, cholesky))
        })
    }),
    ("MatrixInverse", |attributes| {
        let adjoint = attributes.bool("adjoint", false);
        single(move |inputs| {
            let tensor = input(inputs, 0)?;
            dispatch!(tensor.dtype(), T in floats => each_square::<T>(tensor, |matrix, size| {
                inverse(matrix, size, adjoint)
            }))
        })
    }),
    ("MatrixDeterminant", |_| {
        single(|inputs| {
            let tensor = input(inputs, 0)?;
            dispatch!(tensor.dtype(), T in floats => determinants::<T>(tensor))
        })
    }),
    ("MatrixTriangularSolve", |attributes| {
        let side = Side {
            is_lower: attributes.bool("lower", true),
            is_transposed: attributes.bool("adjoint", false),
        };
        single(move |inputs| {
            let (matrix, right) = (input(inputs, 0)?, input(inputs, 1)?);
            dispatch!(matrix.dtype(), T in floats => solve::<T>(matrix, right, side))
        })
    }),
];

/// Returns the number of rows of the square matrices of a tensor.
fn size_of(tensor: &Tensor) -> Result<usize> {
    match *tensor.shape() {
        [.., rows, columns] if rows == columns => Ok(rows),
        [.., _, _] => fail!(
            "Input matrix must be square, got shape {}",
            shape_text(tensor.shape())
        ),
        _ => Err(bad_shape(tensor, "a batch of matrices")),
    }
}

/// Replaces each matrix.
fn each_square<T: Float>(
    tensor: &Tensor,
    compute: impl Fn(&[f64], usize) -> Result<Vec<f64>>,
) -> Result<Tensor> {
    let size = size_of(tensor)?;
    let values: Vec<_> = tensor.values::<T>()?.iter().map(|x| x.to_f64()).collect();
    let mut found = Vec::with_capacity(values.len());
    for matrix in values.chunks(size.max(1) * size.max(1)) {
        found.extend(compute(matrix, size)?.into_iter().map(T::from_f64));
    }
    Ok(Tensor::from_slice(tensor.shape(), &found)?)
}

/// Returns the lower triangular factor, with NaN where a matrix is not positive definite.
fn cholesky(matrix: &[f64], size: usize) -> Result<Vec<f64>> {
    let mut factor = vec![0.0; size * size];
    for row in 0..size {
        for column in 0..=row {
            let known: f64 = (0..column)
                .map(|at| factor[row * size + at] * factor[column * size + at])
                .sum();
            let rest = matrix[row * size + column] - known;
            factor[row * size + column] = match row == column {
                true if rest <= 0.0 => {
                    let lower = |at: usize| {
                        if at % size <= at / size {
                            f64::NAN
                        } else {
                            0.0
                        }
                    };
                    return Ok((0..size * size).map(lower).collect());
                }
                true => rest.sqrt(),
                false => rest / factor[column * size + column],
            };
        }
    }
    Ok(factor)
}

/// Brings a matrix to the identity by operations on rows, which also change the rows of `other`.
/// Returns the determinant; if that is zero, it stops early.
fn eliminate(matrix: &mut [f64], other: &mut [f64], size: usize) -> f64 {
    let mut determinant = 1.0;
    for column in 0..size {
        let at = |row: usize| row * size + column;
        let larger = |a: &usize, b: &usize| {
            let order = matrix[at(*a)].abs().total_cmp(&matrix[at(*b)].abs());
            order.then(b.cmp(a)) // Of equal ones, the first.
        };
        let pivot = (column..size).max_by(larger).expect("there is a row");
        let divisor = matrix[at(pivot)];
        determinant *= if pivot == column { divisor } else { -divisor };
        if divisor == 0.0 {
            return 0.0;
        }
        for values in [&mut *matrix, &mut *other] {
            for place in 0..size {
                values.swap(pivot * size + place, column * size + place);
                values[column * size + place] /= divisor;
            }
        }
        for row in (0..size).filter(|&row| row != column) {
            let factor = matrix[at(row)];
            for values in [&mut *matrix, &mut *other] {
                for place in 0..size {
                    values[row * size + place] -= factor * values[column * size + place];
                }
            }
        }
    }
    determinant
}

fn identity(size: usize) -> Vec<f64> {
    let mut identity = vec![0.0; size * size];
    identity.iter_mut().step_by(size + 1).for_each(|x| *x = 1.0);
    identity
}

fn inverse(matrix: &[f64], size: usize, adjoint: bool) -> Result<Vec<f64>> {
    let mut matrix: Vec<_> = match adjoint {
        true => (0..size * size)
            .map(|at| matrix[at % size * size + at / size])
            .collect(),
        false => matrix.to_vec(),
    };
    let mut inverse = identity(size);
    if eliminate(&mut matrix, &mut inverse, size) == 0.0 {
        return fail!("Input is not invertible.");
    }
    Ok(inverse)
}

fn determinants<T: Float>(tensor: &Tensor) -> Result<Tensor> {
    let size = size_of(tensor)?;
    let batch = &tensor.shape()[..tensor.rank() - 2];
    let values: Vec<_> = tensor.values::<T>()?.iter().map(|x| x.to_f64()).collect();
    let count: usize = batch.iter().product();
    let determinant = |index: usize| {
        let mut matrix = values[index * size * size..(index + 1) * size * size].to_vec();
        T::from_f64(eliminate(&mut matrix, &mut identity(size), size))
    };
    let determinants: Vec<_> = (0..count).map(determinant).collect();
    Ok(Tensor::from_slice(batch, &determinants)?)
}

/// The triangle of a matrix that a solution reads, and whether it reads it transposed.
#[derive(Clone, Copy)]
struct Side {
    is_lower: bool,
    is_transposed: bool,
}

/// Solves `matrix * x = right` for `x`.
fn solve<T: Float>(matrix: &Tensor, right: &Tensor, side: Side) -> Result<Tensor> {
    let size = size_of(matrix)?;
    let &[.., rows, columns] = right.shape() else {
        return Err(bad_shape(right, "a batch of matrices"));
    };
    if rows != size {
        return fail!(
            "Input matrix and right hand side are incompatible: {} and {}",
            shape_text(matrix.shape()),
            shape_text(right.shape())
        );
    }
    let batches = |tensor: &Tensor| Shape::from(&tensor.shape()[..tensor.rank() - 2]);
    let batch = broadcast_shape(&batches(matrix), &batches(right))?;
    let mut shape = batch.clone();
    shape.extend([rows, columns]);
    let (left, values) = (matrix.values::<T>()?, right.values::<T>()?);
    // A transposed lower triangle is an upper one.
    let is_forwards = side.is_lower != side.is_transposed;
    for_each_matrix(
        &shape,
        &batch,
        [&batches(matrix), &batches(right)],
        |output: &mut [T], [at_left, at_right]| {
            let left = &left[at_left * size * size..][..size * size];
            let values = &values[at_right * size * columns..][..size * columns];
            let factor = |row: usize, column: usize| match side.is_transposed {
                true => left[column * size + row].to_f64(),
                false => left[row * size + column].to_f64(),
            };
            let mut solution = vec![0.0; size];
            for column in 0..columns {
                for step in 0..size {
                    let row = if is_forwards { step } else { size - 1 - step };
                    let known = if is_forwards { 0..row } else { row + 1..size };
                    let known: f64 = known.map(|at| factor(row, at) * solution[at]).sum();
                    let rest = values[row * columns + column].to_f64() - known;
                    solution[row] = rest / factor(row, row);
                }
                for (row, &x) in solution.iter().enumerate() {
                    output[row * columns + column] = T::from_f64(x);
                }
            }
        },
    )
}
