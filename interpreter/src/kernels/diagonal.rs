//! Bands and diagonals of matrices, single or batched.
//!
//! ```text
//! k = 1   a b c       diagonals from k = 1 down to -1, each aligned to the left or the right
//! k = 0   d e f       superdiagonal    b f .       align = "LEFT_RIGHT"
//! k = -1  g h i       main             a e i
//!                     subdiagonal      . d h
//! ```
//!
//! Linear in the elements of the result.

use crate::{
    kernels::{
        Attributes, Entry, Kernel, Result, create::bad_shape, dispatch, fail, input, single,
    },
    tensor::{Element, Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("MatrixBandPart", |_| single(band_part)),
    ("MatrixDiagV3", matrix_of),
    ("MatrixDiagPartV3", diagonals_of),
    ("MatrixSetDiagV3", with_diagonals),
];

/// Returns the rows and columns of the matrices in a tensor.
fn matrix_size(tensor: &Tensor) -> Result<(usize, usize)> {
    match tensor.shape() {
        [.., rows, columns] => Ok((*rows, *columns)),
        _ => Err(bad_shape(tensor, "a matrix or a batch of them")),
    }
}

/// Keeps a band around the main diagonal; everything else becomes zero.
fn band_part(inputs: &mut [Tensor]) -> Result<Tensor> {
    let tensor = input(inputs, 0)?;
    let (rows, columns) = matrix_size(tensor)?;
    let width = |index: usize, most: usize, name: &str| {
        let widths = input(inputs, index)?.integers()?;
        let [width] = widths[..] else {
            return fail!("{name} must be a scalar, not a list of {}", widths.len());
        };
        match width > most as i64 {
            true => fail!("{name} must be negative or at most {most}, not {width}"),
            false => Ok(usize::try_from(width).unwrap_or(usize::MAX)),
        }
    };
    let below = width(1, rows, "num_lower")?;
    let above = width(2, columns, "num_upper")?;
    dispatch!(tensor.dtype(), T in plain => {
        let values = tensor.values::<T>()?;
        Ok(Tensor::build(tensor.shape(), |output: &mut [T]| {
            for (at, (element, &value)) in output.iter_mut().zip(values).enumerate() {
                let (row, column) = (at / columns % rows, at % columns);
                if row <= column.saturating_add(below) && column <= row.saturating_add(above) {
                    *element = value;
                }
            }
        })?)
    })
}

/// The sides to which shorter diagonals are aligned.
#[derive(Clone, Copy)]
struct Align {
    above_left: bool,
    below_left: bool,
}

impl Align {
    fn of(attributes: &Attributes<'_>) -> Result<Self> {
        let text = attributes.text("align", "RIGHT_LEFT");
        let (above_left, below_left) = match text.as_str() {
            "LEFT_LEFT" => (true, true),
            "LEFT_RIGHT" => (true, false),
            "RIGHT_LEFT" => (false, true),
            "RIGHT_RIGHT" => (false, false),
            _ => return fail!("align must be LEFT_LEFT, LEFT_RIGHT, and so on, not {text}"),
        };
        Ok(Align {
            above_left,
            below_left,
        })
    }
}

/// The diagonals from `lowest` to `highest` of a matrix.
struct Diagonals {
    rows: usize,
    columns: usize,
    lowest: i64,
    highest: i64,
    /// The length of the longest one.
    longest: usize,
    align: Align,
}

/// Returns the lowest and the highest diagonal: one number for both, or two.
fn range(tensor: &Tensor) -> Result<(i64, i64)> {
    let numbers = tensor.integers()?;
    let (lowest, highest) = match numbers[..] {
        [one] => (one, one),
        [lowest, highest] => (lowest, highest),
        _ => {
            return fail!(
                "diag_index must be a scalar or a list of one or two numbers, not of shape {}",
                shape_text(tensor.shape())
            );
        }
    };
    if lowest > highest {
        return fail!(
            "lower_diag_index must not be larger than upper_diag_index: {lowest} > {highest}"
        );
    }
    Ok((lowest, highest))
}

impl Diagonals {
    /// The diagonals of matrices in a tensor.
    fn within(tensor: &Tensor, numbers: &Tensor, align: Align) -> Result<Self> {
        let (rows, columns) = matrix_size(tensor)?;
        let (lowest, highest) = range(numbers)?;
        for (number, name) in [(lowest, "lower"), (highest, "upper")] {
            let is_inside = -(rows as i64) < number && number < columns as i64;
            if !is_inside && number != 0 {
                return fail!("{name}_diag_index is out of bound: {number}");
            }
        }
        let below = (-highest).max(0) as usize;
        let before = lowest.max(0) as usize;
        Ok(Diagonals {
            rows,
            columns,
            lowest,
            highest,
            longest: rows
                .saturating_sub(below)
                .min(columns.saturating_sub(before)),
            align,
        })
    }

    fn length(&self, number: i64) -> usize {
        let below = (-number).max(0) as usize;
        let above = number.max(0) as usize;
        let (rows, columns) = (self.rows, self.columns);
        rows.saturating_sub(below)
            .min(columns.saturating_sub(above))
    }

    /// The number of diagonals.
    fn count(&self) -> usize {
        (self.highest - self.lowest + 1) as usize
    }

    /// The shape of the diagonals, after the dimensions of the batch.
    fn shape(&self, batch: &[usize]) -> Shape {
        let mut shape = Shape::from(batch);
        if self.lowest < self.highest {
            shape.push(self.count());
        }
        shape.push(self.longest);
        shape
    }

    /// Calls `visit` with the position in a matrix and the position in its diagonals of each
    /// element that both have.
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        for (line, number) in (self.lowest..=self.highest).rev().enumerate() {
            let length = self.length(number);
            let is_left =
                number >= 0 && self.align.above_left || number <= 0 && self.align.below_left;
            let shift = match is_left {
                true => 0,
                false => self.longest - length,
            };
            let (row, column) = ((-number).max(0) as usize, number.max(0) as usize);
            for step in 0..length {
                visit(
                    (row + step) * self.columns + column + step,
                    line * self.longest + shift + step,
                );
            }
        }
    }

    /// Writes into each matrix of `output` the elements of its diagonals.
    fn write<T: Element>(&self, output: &mut [T], diagonals: &[T]) {
        let (matrix, own) = (self.rows * self.columns, self.count() * self.longest);
        if matrix * own == 0 {
            return;
        }
        let pairs = output
            .chunks_exact_mut(matrix)
            .zip(diagonals.chunks_exact(own));
        for (matrix, own) in pairs {
            self.for_each(|at, from| matrix[at] = own[from]);
        }
    }
}

fn padding<T: Element>(inputs: &[Tensor], index: usize) -> Result<T> {
    let padding = input(inputs, index)?;
    match padding.rank() {
        0 => Ok(padding.item::<T>()?),
        _ => Err(bad_shape(padding, "a scalar for padding_value")),
    }
}

/// Matrices with the given diagonals.
fn matrix_of(attributes: &Attributes<'_>) -> Result<Kernel> {
    let align = Align::of(attributes)?;
    single(move |inputs| {
        let (tensor, (lowest, highest)) = (input(inputs, 0)?, range(input(inputs, 1)?)?);
        let is_one = lowest == highest;
        let batch = match tensor.shape() {
            [batch @ .., _] if is_one => batch,
            [batch @ .., count, _] if !is_one => {
                let expected = highest - lowest + 1;
                if *count as i64 != expected {
                    return fail!(
                        "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range: {count}, not {expected}"
                    );
                }
                batch
            }
            _ => return Err(bad_shape(tensor, "diagonals")),
        };
        let longest = tensor.shape()[tensor.rank() - 1];
        let given = |index: usize| -> Result<Option<usize>> {
            match input(inputs, index)?.integers()?[..] {
                [-1] => Ok(None),
                [size] => super::size(size).map(Some),
                _ => fail!("num_rows and num_cols must be scalars"),
            }
        };
        let least = (
            longest + (-highest).max(0) as usize,
            longest + lowest.max(0) as usize,
        );
        let (rows, columns) = match (given(2)?, given(3)?) {
            (None, None) => (least.0.max(least.1), least.0.max(least.1)),
            (rows, columns) => (rows.unwrap_or(least.0), columns.unwrap_or(least.1)),
        };
        if rows < least.0 || columns < least.1 {
            return fail!(
                "The number of rows and columns is too small: {rows} and {columns}, at least {} and {}",
                least.0,
                least.1
            );
        }
        if rows != least.0 && columns != least.1 {
            return fail!(
                "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal."
            );
        }
        let mut shape = Shape::from(batch);
        shape.extend([rows, columns]);
        let diagonals = Diagonals {
            rows,
            columns,
            lowest,
            highest,
            longest,
            align,
        };
        dispatch!(tensor.dtype(), T in plain => {
            let (padding, values) = (padding::<T>(inputs, 4)?, tensor.values::<T>()?);
            Ok(Tensor::build(&shape, |output: &mut [T]| {
                output.fill(padding);
                diagonals.write(output, values);
            })?)
        })
    })
}

fn diagonals_of(attributes: &Attributes<'_>) -> Result<Kernel> {
    let align = Align::of(attributes)?;
    single(move |inputs| {
        let tensor = input(inputs, 0)?;
        let diagonals = Diagonals::within(tensor, input(inputs, 1)?, align)?;
        let shape = diagonals.shape(&tensor.shape()[..tensor.rank() - 2]);
        let (matrix, own) = (
            diagonals.rows * diagonals.columns,
            diagonals.count() * diagonals.longest,
        );
        dispatch!(tensor.dtype(), T in plain => {
            let (padding, values) = (padding::<T>(inputs, 2)?, tensor.values::<T>()?);
            Ok(Tensor::build(&shape, |output: &mut [T]| {
                output.fill(padding);
                if matrix * own == 0 {
                    return;
                }
                for (own, matrix) in output.chunks_exact_mut(own).zip(values.chunks_exact(matrix)) {
                    diagonals.for_each(|at, to| own[to] = matrix[at]);
                }
            })?)
        })
    })
}

/// Replaces diagonals of matrices.
fn with_diagonals(attributes: &Attributes<'_>) -> Result<Kernel> {
    let align = Align::of(attributes)?;
    single(move |inputs| {
        let (tensor, given) = (input(inputs, 0)?, input(inputs, 1)?);
        let diagonals = Diagonals::within(tensor, input(inputs, 2)?, align)?;
        let shape = diagonals.shape(&tensor.shape()[..tensor.rank() - 2]);
        if given.shape() != &shape[..] {
            return fail!(
                "the diagonals must have shape {}, not {}",
                shape_text(&shape),
                shape_text(given.shape())
            );
        }
        dispatch!(tensor.dtype(), T in plain => {
            let (values, given) = (tensor.values::<T>()?, given.values::<T>()?);
            Ok(Tensor::build(tensor.shape(), |output: &mut [T]| {
                output.copy_from_slice(values);
                diagonals.write(output, given);
            })?)
        })
    })
}
