//! The code of matrix products: register tiles over packed columns.
//!
//! ```text
//! for columns j0 .. j0 + 32                    packed[p, j] = b[p, j0 + j]     k x 32, consecutive
//!   for rows i0 .. i0 + 8                      tile = 0                        8 x 2 vectors
//!     for p in 0..k                            tile[i, :] += a[i0 + i, p] * packed[p, :]
//!     c[i0 + i, j0 + j] = tile
//! ```
//!
//! A tile stays in registers for all of `k`, as in the inner kernels of BLIS (Van Zee and van de
//! Geijn, 2015). The packed columns are read once for each block of rows, from the cache; packing
//! also makes a transposed operand consecutive. The remaining rows and columns have smaller tiles:
//! all sizes are known. Multiplications and additions are fused; integers use plain loops.
//!
//! Cost: `m n k` multiplications, and a copy of the right operand. Not done: blocks of `k` for
//! operands that exceed the cache.

use tfx_ir::Value;
use tfx_ir::ops::llvm_intrinsics::FMA;
use tfx_ir::ops::{arith, llvm};

use super::code::{Code, vector};
use super::kernel::Product;
use crate::element::Element;
use crate::scalar::Scalars;

/// The registers of a target, for tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// The bytes of a vector register.
    pub(super) vector_bytes: u64,
}

/// The vectors in a row of a tile.
const VECTORS: u64 = 2;

impl Tile {
    fn lanes(self, element: Element) -> u64 {
        self.vector_bytes / element.size()
    }

    /// Returns the rows of a tile: with its vectors, a row of `b` and an element of `a`, it fills
    /// the 32 registers of AVX-512, or the 16 of older vectors.
    fn rows(self) -> u64 {
        match self.vector_bytes {
            64.. => 14,
            _ => 6,
        }
    }

    /// Returns the columns of a tile.
    pub(super) fn columns(self, element: Element) -> u64 {
        self.lanes(element) * VECTORS
    }
}

/// The number of columns that are packed together, at most: for vectors of 64 bytes.
const MOST_COLUMNS_BYTES: u64 = 64 * VECTORS;

impl Product {
    /// Returns the number of elements of the working memory of the kernel.
    pub(super) fn packed_elements(&self) -> u64 {
        self.k * self.n.min(MOST_COLUMNS_BYTES / self.element.size())
    }
}

/// The operands of a product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands<'a> {
    pub(super) a: Value<'a>,
    pub(super) b: Value<'a>,
    pub(super) packed: Value<'a>,
    pub(super) c: Value<'a>,
}

/// Emits a product.
pub(super) fn product<'a>(
    code: &mut Code<'a>,
    product: &Product,
    operands: Operands<'a>,
    tile: Tile,
) {
    let (_, mut inside, matrix) = code.loop_over((0, product.batch as i64, 1), &[]);
    let zero = inside.index(0);
    let mut start = |base, size: u64| {
        let index = inside.advance(zero, matrix, size as i64);
        inside.address(base, index, product.element)
    };
    let operands = Operands {
        a: start(operands.a, product.m * product.k),
        b: start(operands.b, product.k * product.n),
        c: start(operands.c, product.m * product.n),
        ..operands
    };
    let mut emitter = Emitter {
        product: *product,
        operands,
        tile,
    };
    match product.element.is_float() {
        true => emitter.columns(&mut inside),
        false => emitter.plain(&mut inside),
    }
    inside.yield_values(&[]);
}

struct Emitter<'a> {
    product: Product,
    operands: Operands<'a>,
    tile: Tile,
}

impl<'a> Emitter<'a> {
    /// Returns the steps of a row and of a column of an operand that may be transposed.
    fn steps(rows: u64, columns: u64, is_transposed: bool) -> (i64, i64) {
        match is_transposed {
            true => (1, rows as i64),
            false => (columns as i64, 1),
        }
    }

    /// Emits the loop over blocks of columns, and the remaining columns.
    fn columns(&mut self, code: &mut Code<'a>) {
        let (n, width) = (self.product.n, self.tile.columns(self.product.element));
        let whole = n / width * width;
        if whole > 0 {
            let (_, mut inside, column) = code.loop_over((0, whole as i64, width as i64), &[]);
            self.block(&mut inside, column, width);
            inside.yield_values(&[]);
        }
        if whole < n {
            let column = code.index(whole as i64);
            self.block(code, column, n - whole);
        }
    }

    /// Emits the product for `width` columns.
    fn block(&mut self, code: &mut Code<'a>, column: Value<'a>, width: u64) {
        self.pack(code, column, width);
        let (m, height) = (self.product.m, self.tile.rows());
        let whole = m / height * height;
        if whole > 0 {
            let (_, mut inside, row) = code.loop_over((0, whole as i64, height as i64), &[]);
            self.tile(&mut inside, row, column, height, width);
            inside.yield_values(&[]);
        }
        if whole < m {
            let row = code.index(whole as i64);
            self.tile(code, row, column, m - whole, width);
        }
    }

    /// Emits the copy of `width` columns of the right operand.
    fn pack(&mut self, code: &mut Code<'a>, column: Value<'a>, width: u64) {
        let Product {
            element,
            k,
            n,
            transpose_b,
            ..
        } = self.product;
        let (row_step, column_step) = Self::steps(k, n, transpose_b);
        let (_, mut rows, p) = code.loop_over((0, k as i64, 1), &[]);
        let (_, mut inside, j) = rows.loop_over((0, width as i64, 1), &[]);
        let zero = inside.index(0);
        let from = inside.advance(zero, p, row_step);
        let at = arith::AddI::build(&mut inside.builder, column, j).result();
        let from = inside.advance(from, at, column_step);
        let from = inside.address(self.operands.b, from, element);
        let value = inside.load(from, element);
        let to = inside.advance(j, p, width as i64);
        let to = inside.address(self.operands.packed, to, element);
        inside.store(value, to, element);
        inside.yield_values(&[]);
        rows.yield_values(&[]);
    }

    /// Returns the widths of the vectors for a number of columns: as wide as the registers are,
    /// then powers of two.
    fn vectors(&self, width: u64) -> Vec<u64> {
        let mut lanes = self.tile.lanes(self.product.element);
        let mut left = width;
        let mut vectors = Vec::new();
        while left > 0 {
            while lanes > left {
                lanes /= 2;
            }
            vectors.push(lanes);
            left -= lanes;
        }
        vectors
    }

    /// Emits the product of `height` rows and `width` packed columns.
    fn tile(
        &mut self,
        code: &mut Code<'a>,
        row: Value<'a>,
        column: Value<'a>,
        height: u64,
        width: u64,
    ) {
        let Product {
            element,
            m,
            n,
            k,
            transpose_a,
            ..
        } = self.product;
        let vectors = self.vectors(width);
        let context = code.context();
        let types: Vec<_> = vectors
            .iter()
            .map(|&lanes| vector(context, element, lanes))
            .collect();
        let mut initial = Vec::new();
        for _ in 0..height {
            initial.extend(
                types
                    .iter()
                    .map(|ty| llvm::Zero::build(&mut code.builder, *ty).res()),
            );
        }
        let (row_step, column_step) = Self::steps(m, k, transpose_a);
        let zero = code.index(0);
        let first = code.advance(zero, row, row_step);
        let (new, mut inside, p) = code.loop_over((0, k as i64, 1), &initial);
        let body = new.op().region(0).entry().expect("the loop has a body");
        let packed_row = inside.advance(zero, p, width as i64);
        let mut right = Vec::new();
        let mut lane = 0;
        for &lanes in &vectors {
            let offset = inside.index(lane);
            let at = arith::AddI::build(&mut inside.builder, packed_row, offset).result();
            let address = inside.address(self.operands.packed, at, element);
            right.push(inside.load_vector(address, element, lanes));
            lane += lanes as i64;
        }
        let of_row = inside.advance(first, p, column_step);
        let mut next = Vec::new();
        for number in 0..height {
            let distance = inside.index(number as i64 * row_step);
            let at = arith::AddI::build(&mut inside.builder, of_row, distance).result();
            let address = inside.address(self.operands.a, at, element);
            let left = inside.load(address, element);
            for (position, (&lanes, ty)) in vectors.iter().zip(&types).enumerate() {
                let left = broadcast(&mut inside, left, *ty, lanes);
                let sum = body.argument(1 + next.len());
                let fused = FMA::build(&mut inside.builder, left, right[position], sum);
                next.push(fused.res());
            }
        }
        inside.yield_values(&next);
        let mut results = new.op().results();
        for number in 0..height {
            let distance = code.index(number as i64);
            let row = arith::AddI::build(&mut code.builder, row, distance).result();
            let mut at = code.advance(column, row, n as i64);
            for &lanes in &vectors {
                let address = code.address(self.operands.c, at, element);
                let value = results
                    .next()
                    .expect("the loop has a result for each vector");
                code.store_vector(value, address, element);
                let lanes = code.index(lanes as i64);
                at = arith::AddI::build(&mut code.builder, at, lanes).result();
            }
        }
    }

    /// Emits three loops, for integers.
    fn plain(&mut self, code: &mut Code<'a>) {
        let Product {
            element,
            m,
            n,
            k,
            transpose_a,
            transpose_b,
            ..
        } = self.product;
        let (a_row, a_column) = Self::steps(m, k, transpose_a);
        let (b_row, b_column) = Self::steps(k, n, transpose_b);
        let (_, mut rows, i) = code.loop_over((0, m as i64, 1), &[]);
        let (_, mut columns, j) = rows.loop_over((0, n as i64, 1), &[]);
        let initial = Scalars {
            builder: &mut columns.builder,
        }
        .number(element, 0);
        let (new, mut inside, p) = columns.loop_over((0, k as i64, 1), &[initial]);
        let zero = inside.index(0);
        let mut element_of =
            |base, [(row, row_step), (column, column_step)]: [(Value<'a>, i64); 2]| {
                let at = inside.advance(zero, row, row_step);
                let at = inside.advance(at, column, column_step);
                let address = inside.address(base, at, element);
                inside.load(address, element)
            };
        let left = element_of(self.operands.a, [(i, a_row), (p, a_column)]);
        let right = element_of(self.operands.b, [(p, b_row), (j, b_column)]);
        let sum = new
            .op()
            .region(0)
            .entry()
            .expect("the loop has a body")
            .argument(1);
        let mut scalars = Scalars {
            builder: &mut inside.builder,
        };
        let product = scalars.mul(element, left, right);
        let sum = scalars.add(element, sum, product);
        inside.yield_values(&[sum]);
        let at = columns.advance(j, i, n as i64);
        let address = columns.address(self.operands.c, at, element);
        columns.store(new.op().result(0), address, element);
        columns.yield_values(&[]);
        rows.yield_values(&[]);
    }
}

/// Returns a vector of equal elements.
fn broadcast<'a>(
    code: &mut Code<'a>,
    value: Value<'a>,
    ty: melior::ir::Type<'a>,
    lanes: u64,
) -> Value<'a> {
    let undefined = llvm::Undef::build(&mut code.builder, ty).res();
    let zero = code.index(0);
    let first = llvm::InsertElement::build(&mut code.builder, undefined, value, zero).res();
    let mask = vec![0; lanes as usize];
    llvm::ShuffleVector::build(&mut code.builder, ty, first, undefined, &mask).res()
}
