//! Products of matrices, as cuBLAS computes them.
//!
//! ```text
//!   stream   ... [start: mark the workspace] ... [end: check the mark, c = alpha a b + beta c] ...
//!                                           ▲
//!                              commands of other streams, also other products
//! ```
//!
//! A product is two commands of its stream. The first one marks the workspace, and the second one
//! checks the mark and computes the product. A product on another stream that has the same
//! workspace, and that no event orders, comes between them for some seed: then the mark is another
//! one, and the launch fails. cuBLAS has wrong results there.
//!
//! Each element is the sum of its products in their order, by fused operations, as in the entries
//! of `tfx-lower-gpu`. The order of cuBLAS is not specified.

use crate::codes::{Code, ILLEGAL_ADDRESS, LAUNCH_FAILED};
use crate::memory::Reachable;
use crate::state::State;
use tfx_ptx::Memory as _;

/// A status that is not `CUBLAS_STATUS_SUCCESS`.
pub(crate) const NOT_INITIALIZED: Code = 1;
pub(crate) const ALLOC_FAILED: Code = 3;
pub(crate) const INVALID_VALUE: Code = 7;
pub(crate) const EXECUTION_FAILED: Code = 13;
pub(crate) const NOT_SUPPORTED: Code = 15;

/// The alignment of workspaces in bytes, by the guide.
const ALIGNMENT: u64 = 256;
/// The bytes of a mark.
const MARK_BYTES: usize = 8;

/// A handle.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) device: usize,
    /// The stream of the next products; none before it is set.
    pub(crate) stream: Option<usize>,
    /// The address and the bytes of the workspace.
    pub(crate) workspace: (u64, u64),
    /// The workspace of the library.
    pub(crate) own: (u64, u64),
}

/// A column-major matrix in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix {
    pub(crate) address: u64,
    /// The rows and columns in memory.
    pub(crate) stored: [usize; 2],
    pub(crate) is_transposed: bool,
    pub(crate) leading: usize,
    /// The elements from a matrix of the batch to the next one.
    pub(crate) stride: i64,
}

impl Matrix {
    /// Returns the address of a column of a matrix of the batch; none if it is too large.
    fn column(&self, number: usize, column: usize, size: u64) -> Option<u64> {
        let first = self.stride.checked_mul(i64::try_from(number).ok()?)?;
        let elements = i64::try_from(column.checked_mul(self.leading)?).ok()?;
        let elements = first.checked_add(elements)?;
        let bytes = elements.checked_mul(i64::try_from(size).ok()?)?;
        self.address.checked_add_signed(bytes)
    }

    /// Returns the address and the number of the bytes of a batch, with those between matrices.
    pub(crate) fn range(&self, batch: usize, size: u64) -> Option<[u64; 2]> {
        let [rows, columns] = self.stored;
        let last = self.column(batch.checked_sub(1)?, columns.checked_sub(1)?, size)?;
        let end = last.checked_add(size.checked_mul(rows as u64)?)?;
        Some([self.address, end.checked_sub(self.address)?])
    }

    /// Returns the position of an element in the matrix that is read by columns.
    fn position(&self, row: usize, column: usize) -> usize {
        match self.is_transposed {
            false => column * self.stored[0] + row,
            true => row * self.stored[0] + column,
        }
    }
}

/// A product: `c = alpha a b + beta c`, with numbers of `size` bytes.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) size: u64,
    pub(crate) batch: usize,
    pub(crate) depth: usize,
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
    pub(crate) a: Matrix,
    pub(crate) b: Matrix,
    pub(crate) c: Matrix,
    pub(crate) workspace: (u64, u64),
    /// The mark of the workspace.
    pub(crate) number: u64,
}

impl Product {
    /// Marks the workspace.
    pub(crate) fn start(&self, reachable: &mut Reachable<'_>) -> Result<(), Code> {
        let mark = self.number.to_le_bytes();
        let stored = reachable.store(self.workspace.0, &mark);
        stored.map_err(|_| ILLEGAL_ADDRESS)
    }

    /// Computes the product, if the workspace has its mark.
    pub(crate) fn end(&self, reachable: &mut Reachable<'_>) -> Result<(), Code> {
        let mut mark = [0; MARK_BYTES];
        let loaded = reachable.load(self.workspace.0, &mut mark);
        loaded.map_err(|_| ILLEGAL_ADDRESS)?;
        if u64::from_le_bytes(mark) != self.number {
            return Err(LAUNCH_FAILED);
        }
        // Another run of the same graph at the same time is an error, too.
        let cleared = reachable.store(self.workspace.0, &[0; MARK_BYTES]);
        cleared.map_err(|_| ILLEGAL_ADDRESS)?;
        for number in 0..self.batch {
            let [a, b] = [self.a, self.b].map(|matrix| self.load(reachable, &matrix, number));
            let (a, b) = (a?, b?);
            let mut c = match self.beta == 0.0 {
                // It is not read, and may be no number.
                true => vec![0.0; self.c.stored[0] * self.c.stored[1]],
                false => self.load(reachable, &self.c, number)?,
            };
            let [rows, columns] = self.c.stored;
            for column in 0..columns {
                for row in 0..rows {
                    let factors = (0..self.depth).map(|step| {
                        (
                            a[self.a.position(row, step)],
                            b[self.b.position(step, column)],
                        )
                    });
                    let sum = match self.size {
                        4 => f64::from(
                            factors.fold(0f32, |sum, (x, y)| (x as f32).mul_add(y as f32, sum)),
                        ),
                        _ => factors.fold(0f64, |sum, (x, y)| x.mul_add(y, sum)),
                    };
                    let element = &mut c[column * rows + row];
                    *element = self.alpha * sum + self.beta * *element;
                }
            }
            self.store(reachable, number, &c)?;
        }
        Ok(())
    }

    /// Returns the elements of a matrix, by columns.
    fn load(
        &self,
        reachable: &mut Reachable<'_>,
        matrix: &Matrix,
        number: usize,
    ) -> Result<Vec<f64>, Code> {
        let [rows, columns] = matrix.stored;
        let mut all = Vec::with_capacity(rows * columns);
        let mut bytes = vec![0; rows * self.size as usize];
        for column in 0..columns {
            let address = matrix.column(number, column, self.size);
            let address = address.ok_or(ILLEGAL_ADDRESS)?;
            let loaded = reachable.load(address, &mut bytes);
            loaded.map_err(|_| ILLEGAL_ADDRESS)?;
            match self.size {
                4 => all.extend(words(&bytes).map(|word| f64::from(f32::from_le_bytes(word)))),
                _ => all.extend(words(&bytes).map(f64::from_le_bytes)),
            }
        }
        Ok(all)
    }

    /// Stores a result.
    fn store(
        &self,
        reachable: &mut Reachable<'_>,
        number: usize,
        elements: &[f64],
    ) -> Result<(), Code> {
        for (column, elements) in elements.chunks(self.c.stored[0]).enumerate() {
            let address = self.c.column(number, column, self.size);
            let address = address.ok_or(ILLEGAL_ADDRESS)?;
            let bytes: Vec<u8> = match self.size {
                4 => elements
                    .iter()
                    .flat_map(|element| (*element as f32).to_le_bytes())
                    .collect(),
                _ => elements
                    .iter()
                    .flat_map(|element| element.to_le_bytes())
                    .collect(),
            };
            let stored = reachable.store(address, &bytes);
            stored.map_err(|_| ILLEGAL_ADDRESS)?;
        }
        Ok(())
    }
}

/// Returns the words of bytes.
fn words<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.as_chunks().0.iter().copied()
}

impl State {
    pub(crate) fn blas(&mut self, handle: usize) -> Result<&mut Handle, Code> {
        self.blas.get_mut(&handle).ok_or(NOT_INITIALIZED)
    }

    /// Checks a workspace: within memory of the device of the handle, and aligned.
    pub(crate) fn check_workspace(
        &self,
        device: usize,
        (address, bytes): (u64, u64),
    ) -> Result<(), Code> {
        let bytes = usize::try_from(bytes).map_err(|_| INVALID_VALUE)?;
        let is_valid = bytes >= MARK_BYTES
            && address.is_multiple_of(ALIGNMENT)
            && self.memory.device_of(address, bytes) == Some(device);
        is_valid.then_some(()).ok_or(INVALID_VALUE)
    }
}
