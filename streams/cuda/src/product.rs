//! Launches that are products of matrices.
//!
//! ```text
//!   row-major      c[i, j] = sum over k of a[i, k] * b[k, j]      batch times
//!   column-major   c' = b' a', where x' is the transposed x: the same bytes
//! ```
//!
//! A launch may say which product its entry computes. Where cuBLAS is loaded, it computes the
//! product in place of the entry. A [`Product`] is checked before it is used: [`Product::check`]
//! has all conditions of `cublasSgemmStridedBatched`, and [`Product::bytes`] the memory that each
//! matrix needs.
//!
//! Matrices are in row-major order here. cuBLAS has column-major ones, which are the transposed
//! matrices: so it computes the transposed product, with the factors in the other order, and
//! nothing is moved (`driver/blas.rs`).
//!
//! Not done: a scale, a sum with what the result has, and elements other than `f32` and `f64`.

use thiserror::Error;

/// The most rows, columns or steps of a product: cuBLAS has them as `int`.
const MOST: u64 = i32::MAX as u64;

/// The type of the elements of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductElement {
    /// `float`.
    F32,
    /// `double`.
    F64,
}

impl ProductElement {
    /// Returns the size of an element in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// A matrix of a product, in row-major order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The number of the parameter of the launch that is its address.
    pub parameter: usize,
    /// Set if the memory has the transposed matrix.
    pub is_transposed: bool,
    /// The elements from a row in memory to the next one.
    pub leading: u64,
    /// The elements from a matrix of the batch to the next one.
    pub stride: u64,
}

/// A product of matrices, `batch` times: `rows` x `depth` by `depth` x `columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// The type of all elements.
    pub element: ProductElement,
    /// The number of products.
    pub batch: u64,
    /// The rows of `a` and `c`.
    pub rows: u64,
    /// The columns of `b` and `c`.
    pub columns: u64,
    /// The columns of `a`, which are the rows of `b`.
    pub depth: u64,
    /// The first factor.
    pub a: Matrix,
    /// The second factor.
    pub b: Matrix,
    /// The result, which is not transposed.
    pub c: Matrix,
}

/// A product that cannot be computed.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ProductError {
    /// A size is zero or too large.
    #[error("the product has {size} {name}")]
    Size {
        /// The plural of what it counts.
        name: &'static str,
        /// The size.
        size: u64,
    },
    /// A matrix is a parameter that the launch does not have.
    #[error("matrix '{matrix}' is parameter {parameter}, but the launch has {found}")]
    Parameter {
        /// The matrix.
        matrix: char,
        /// The number of the parameter.
        parameter: usize,
        /// The number of parameters.
        found: usize,
    },
    /// The rows of a matrix overlap, or are too far apart.
    #[error(
        "the rows of matrix '{matrix}' have {least} elements, with {leading} from one to the next"
    )]
    Leading {
        /// The matrix.
        matrix: char,
        /// The elements from a row to the next one.
        leading: u64,
        /// The elements of a row.
        least: u64,
    },
    /// A batch of a matrix is too large, or results overlap.
    #[error("the matrices '{matrix}' of the batch have {stride} elements from one to the next")]
    Stride {
        /// The matrix.
        matrix: char,
        /// The elements from a matrix to the next one.
        stride: u64,
    },
    /// The result is transposed, or is also a factor.
    #[error("the result of the product is transposed or one of its factors")]
    Result,
    /// An operand of the command is smaller than its matrix.
    #[error("matrix '{matrix}' has {bytes} bytes, more than its operand")]
    Bytes {
        /// The matrix.
        matrix: char,
        /// The bytes from its first element to its last one.
        bytes: u64,
    },
}

impl Product {
    /// Returns the matrices with their names, and the rows and columns that each has in memory.
    pub(crate) fn matrices(&self) -> [(char, Matrix, [u64; 2]); 3] {
        let stored = |matrix: Matrix, [rows, columns]: [u64; 2]| match matrix.is_transposed {
            true => [columns, rows],
            false => [rows, columns],
        };
        [
            ('a', self.a, stored(self.a, [self.rows, self.depth])),
            ('b', self.b, stored(self.b, [self.depth, self.columns])),
            ('c', self.c, [self.rows, self.columns]),
        ]
    }

    /// Checks a product of a launch with a number of parameters.
    ///
    /// # Errors
    ///
    /// The product has no meaning, or is too large for cuBLAS.
    pub fn check(&self, parameters: usize) -> Result<(), ProductError> {
        let sizes = [
            ("matrices", self.batch),
            ("rows", self.rows),
            ("columns", self.columns),
            ("steps", self.depth),
        ];
        for (name, size) in sizes {
            if !(1..=MOST).contains(&size) {
                return Err(ProductError::Size { name, size });
            }
        }
        let factors = [self.a.parameter, self.b.parameter];
        if self.c.is_transposed || factors.contains(&self.c.parameter) {
            return Err(ProductError::Result);
        }
        for (name, matrix, [rows, least]) in self.matrices() {
            let Matrix {
                parameter,
                leading,
                stride,
                ..
            } = matrix;
            if parameter >= parameters {
                return Err(ProductError::Parameter {
                    matrix: name,
                    parameter,
                    found: parameters,
                });
            }
            if !(least..=MOST).contains(&leading) {
                return Err(ProductError::Leading {
                    matrix: name,
                    leading,
                    least,
                });
            }
            // Both are below 2^31, and so is the sum below 2^63.
            let elements = (rows - 1) * leading + least;
            let overlaps = name == 'c' && self.batch > 1 && stride < elements;
            let fits = i64::try_from(stride).is_ok() && self.bytes_of(elements, stride).is_some();
            if overlaps || !fits {
                return Err(ProductError::Stride {
                    matrix: name,
                    stride,
                });
            }
        }
        Ok(())
    }

    /// Returns the bytes of a batch of matrices with a number of elements each, if they are less
    /// than 2^63.
    fn bytes_of(&self, elements: u64, stride: u64) -> Option<u64> {
        let last = (self.batch - 1).checked_mul(stride)?;
        let bytes = last.checked_add(elements)?;
        let bytes = bytes.checked_mul(self.element.bytes())?;
        i64::try_from(bytes).is_ok().then_some(bytes)
    }

    /// Returns the bytes of `a`, `b` and `c`, from the first element of the first matrix to the
    /// last element of the last one. The product is checked.
    pub fn bytes(&self) -> [u64; 3] {
        self.matrices().map(|(_, matrix, [rows, columns])| {
            let elements = rows.saturating_sub(1).saturating_mul(matrix.leading);
            let elements = elements.saturating_add(columns);
            self.bytes_of(elements, matrix.stride).unwrap_or(u64::MAX)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(parameter: usize, leading: u64, stride: u64) -> Matrix {
        Matrix {
            parameter,
            is_transposed: false,
            leading,
            stride,
        }
    }

    fn product() -> Product {
        Product {
            element: ProductElement::F32,
            batch: 2,
            rows: 3,
            columns: 4,
            depth: 5,
            a: matrix(0, 5, 15),
            b: matrix(1, 4, 20),
            c: matrix(2, 4, 12),
        }
    }

    #[test]
    fn bytes_are_those_of_the_stored_matrices() {
        let mut product = product();
        assert_eq!(product.check(3), Ok(()));
        assert_eq!(product.bytes(), [4 * 30, 4 * 40, 4 * 24]);
        product.element = ProductElement::F64;
        product.a = Matrix {
            is_transposed: true,
            ..matrix(0, 7, 100)
        };
        assert_eq!(product.check(3), Ok(()));
        // Five rows of three elements, each seven after the one before.
        assert_eq!(product.bytes()[0], 8 * (100 + 4 * 7 + 3));
    }

    #[test]
    fn malformed_products_are_errors() {
        let check = |change: fn(&mut Product)| {
            let mut changed = product();
            change(&mut changed);
            changed.check(3).map_err(|error| error.to_string())
        };
        type Change = fn(&mut Product);
        let cases: [(Change, &str); 12] = [
            (|it| it.batch = 0, "the product has 0 matrices"),
            (|it| it.rows = 1 << 31, "the product has 2147483648 rows"),
            (
                |it| it.columns = u64::MAX,
                "the product has 18446744073709551615 columns",
            ),
            (|it| it.depth = 0, "the product has 0 steps"),
            (
                |it| it.b.parameter = 3,
                "matrix 'b' is parameter 3, but the launch has 3",
            ),
            (
                |it| it.a.leading = 4,
                "the rows of matrix 'a' have 5 elements, with 4 from one to the next",
            ),
            (
                |it| it.b.is_transposed = true,
                "the rows of matrix 'b' have 5 elements, with 4 from one to the next",
            ),
            (
                |it| it.c.leading = 1 << 31,
                "the rows of matrix 'c' have 4 elements, with 2147483648 from one to the next",
            ),
            (
                |it| it.c.stride = 11,
                "the matrices 'c' of the batch have 11 elements from one to the next",
            ),
            (
                |it| it.a.stride = 1 << 62,
                "the matrices 'a' of the batch have 4611686018427387904 elements from one to the next",
            ),
            (
                |it| it.c.is_transposed = true,
                "the result of the product is transposed or one of its factors",
            ),
            (
                |it| it.c.parameter = 0,
                "the result of the product is transposed or one of its factors",
            ),
        ];
        for (change, text) in cases {
            assert_eq!(check(change), Err(text.to_string()));
        }
        // One factor for all products.
        assert_eq!(check(|it| it.a.stride = 0), Ok(()));
    }
}
