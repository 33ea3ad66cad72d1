//! The copy of columns of the right operand, so that a row of them is consecutive.
//!
//! ```text
//! b                      packed[p, j] = b[p, column + j]
//! b transposed           packed[p, j] = b[column + j, p]
//!
//! b[column + 0, p..]   a0 a1 a2 a3        a0 b0 c0 d0   packed[p, ..]
//! b[column + 1, p..]   b0 b1 b2 b3   ──►  a1 b1 c1 d1
//!                      c0 c1 c2 c3        a2 b2 c2 d2   blocks of a vector by a vector
//!                      d0 d1 d2 d3        a3 b3 c3 d3
//! ```
//!
//! Blocks are transposed in registers, by an exchange of halves in each of `log2` steps (Eklundh,
//! "A fast computer method for matrix transposing", 1972). So is a block of the rows that remain,
//! if their number is known; otherwise they are copied by elements.
//!
//! Cost: each element is read and written once; a step of a block takes an operation for each of
//! its vectors.

use tfx_ir::Value;
use tfx_ir::ops::{arith, llvm};

use super::{Emitter, vector};
use crate::lower_kernels::code::{Code, Lanes};

/// The vectors below which a transposed block is not worth its loops.
const LEAST_LANES: u64 = 4;

/// Columns that are packed: `lanes` from the packed column `first` on.
#[derive(Clone, Copy, Debug)]
struct Columns<'a> {
    /// The column of the operand that is packed first.
    start: Value<'a>,
    first: u64,
    lanes: u64,
    /// The number of all packed columns.
    width: u64,
}

impl<'a> Emitter<'_, 'a> {
    /// Emits the copy of `width` columns of the right operand, or of their rows in a block.
    pub(in super::super) fn pack(&mut self, code: &mut Code<'a>, start: Value<'a>, width: u64) {
        let k = self.product.k.clone();
        let rows = match self.part {
            Some(part) => part.inner,
            None => (code.index(0), code.extent(&k, self.sizes)),
        };
        if !self.product.transpose_b {
            let all = Columns {
                start,
                first: 0,
                lanes: width,
                width,
            };
            self.copy_elements(code, rows, all);
            return;
        }
        let mut first = 0;
        for lanes in self.vectors(width) {
            let columns = Columns {
                start,
                first,
                lanes,
                width,
            };
            first += lanes;
            if lanes < LEAST_LANES {
                self.copy_elements(code, rows, columns);
                continue;
            }
            let range = self.part.map(|part| part.inner);
            self.parts(
                code,
                (&k, range),
                &[lanes, 1],
                &mut |this, code, row, rows| {
                    let is_masked = rows >= LEAST_LANES && code.has_masks();
                    if rows == lanes || is_masked {
                        this.transpose(code, (row, rows), columns);
                        return;
                    }
                    let number = code.index(rows as i64);
                    let end = arith::AddI::build(&mut code.builder, row, number).result();
                    this.copy_elements(code, (row, end), columns);
                },
            );
        }
    }

    /// Emits the copy of a range of rows of columns by elements.
    fn copy_elements(
        &mut self,
        code: &mut Code<'a>,
        (from, to): (Value<'a>, Value<'a>),
        columns: Columns<'a>,
    ) {
        let element = self.product.element;
        let one = code.index(1);
        let (_, mut of_rows, row) = code.loop_between((from, to, one), &[]);
        let (_, mut inside, j) = of_rows.loop_over((0, columns.lanes as i64, 1), &[]);
        let first = inside.index(columns.first as i64);
        let column = arith::AddI::build(&mut inside.builder, first, j).result();
        let from = self.source(&mut inside, row, column, columns);
        let value = inside.load(from, element);
        let to = self.target(&mut inside, row, column, columns);
        inside.store(value, to, element);
        inside.yield_values(&[]);
        of_rows.yield_values(&[]);
    }

    /// Emits the transposition of at most as many rows as there are columns.
    fn transpose(
        &mut self,
        code: &mut Code<'a>,
        (row, rows): (Value<'a>, u64),
        columns: Columns<'a>,
    ) {
        let (element, lanes) = (self.product.element, columns.lanes);
        let ty = vector(code.context(), element, lanes);
        let mut vectors = Vec::new();
        let part = Lanes {
            all: lanes,
            used: rows,
        };
        for number in 0..lanes {
            let column = code.index((columns.first + number) as i64);
            let from = self.source(code, row, column, columns);
            vectors.push(code.load_lanes(from, element, part));
        }
        transpose(&mut vectors, |one, other, mask| {
            llvm::ShuffleVector::build(&mut code.builder, ty, *one, *other, mask).res()
        });
        let column = code.index(columns.first as i64);
        for (number, value) in (0..rows).zip(vectors) {
            let number = code.index(number as i64);
            let row = arith::AddI::build(&mut code.builder, row, number).result();
            let to = self.target(code, row, column, columns);
            code.store_vector(value, to, element);
        }
    }

    /// Returns the address of an element of the right operand.
    fn source(
        &self,
        code: &mut Code<'a>,
        row: Value<'a>,
        column: Value<'a>,
        columns: Columns<'a>,
    ) -> Value<'a> {
        let product = self.product;
        let (row_step, column_step) = Self::steps(&product.k, &product.n, product.transpose_b);
        let column = arith::AddI::build(&mut code.builder, columns.start, column).result();
        let zero = code.index(0);
        let at = code.advance_by(zero, row, &row_step, self.sizes);
        let at = code.advance_by(at, column, &column_step, self.sizes);
        code.address(self.operands.b, at, product.element)
    }

    /// Returns the address of a packed element.
    fn target(
        &self,
        code: &mut Code<'a>,
        row: Value<'a>,
        column: Value<'a>,
        columns: Columns<'a>,
    ) -> Value<'a> {
        let row = match self.part {
            Some(part) => arith::SubI::build(&mut code.builder, row, part.inner.0).result(),
            None => row,
        };
        let at = code.advance(column, row, columns.width as i64);
        code.address(self.operands.packed, at, self.product.element)
    }
}

/// Transposes as many vectors as each has elements, a power of two. `shuffle` picks elements of two
/// vectors by a mask.
fn transpose<V>(vectors: &mut [V], mut shuffle: impl FnMut(&V, &V, &[i32]) -> V) {
    let lanes = vectors.len();
    let mut distance = 1;
    while distance < lanes {
        let [first, second] = exchange(lanes as u64, distance as u64);
        for low in (0..lanes).filter(|number| number & distance == 0) {
            let (one, other) = (&vectors[low], &vectors[low | distance]);
            let exchanged = [shuffle(one, other, &first), shuffle(one, other, &second)];
            [vectors[low], vectors[low | distance]] = exchanged;
        }
        distance *= 2;
    }
}

/// Returns the masks that exchange the second halves of the blocks of `2 distance` elements of one
/// vector with the first halves of those of another one.
fn exchange(lanes: u64, distance: u64) -> [Vec<i32>; 2] {
    let number = |vector: u64, lane: u64| (vector * lanes + lane) as i32;
    let first = |lane: u64| match lane & distance {
        0 => number(0, lane),
        _ => number(1, lane - distance),
    };
    let second = |lane: u64| match lane & distance {
        0 => number(0, lane + distance),
        _ => number(1, lane),
    };
    [
        (0..lanes).map(first).collect(),
        (0..lanes).map(second).collect(),
    ]
}

#[cfg(test)]
mod tests {
    use super::transpose;

    #[test]
    fn exchanges_transpose_a_block() {
        for lanes in [4_u64, 8, 16] {
            // Element (i, j) is 100 i + j.
            let mut rows: Vec<Vec<u64>> = (0..lanes)
                .map(|i| (0..lanes).map(|j| 100 * i + j).collect())
                .collect();
            transpose(&mut rows, |one, other, mask| {
                let both = [one.clone(), other.clone()].concat();
                mask.iter().map(|&at| both[at as usize]).collect()
            });
            for (i, row) in rows.iter().enumerate() {
                for (j, element) in row.iter().enumerate() {
                    assert_eq!(*element, 100 * j as u64 + i as u64, "{lanes}");
                }
            }
        }
    }
}
