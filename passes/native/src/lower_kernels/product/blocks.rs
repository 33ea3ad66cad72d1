//! Products of operands that exceed the cache, in blocks of rows and of `k`.
//!
//! ```text
//! for rows i0 .. i1, about 294
//!   for p0 .. p1, at most 256             left[i, p] = a[i0 + i, p0 + p]      294 x 256
//!     for columns j0 .. j0 + 128          packed[p, j] = b[p0 + p, j0 + j]    4 times 256 x 32
//!       for columns of a tile
//!         for rows of a tile              c[i0 + i, j0 + j] += left[i, :] * packed[:, j]
//! ```
//!
//! A block of the left operand stays in the cache of the second level while all columns pass by,
//! and packed columns of a tile in that of the first level, as in Goto and van de Geijn, "Anatomy
//! of high-performance matrix multiplication", 2008. Rows of a block are further apart than they
//! are long, so that those of a tile are not in the same set of the cache whatever the size of the
//! operand is. A transposed operand is copied tile by tile: the elements of a tile at `p` are
//! consecutive. The columns of several tiles are packed together, so that more than a line or two
//! of the cache is read from each row of the right operand.
//!
//! The sums are the same bits as without blocks: each tile continues with what the block before has
//! stored.
//!
//! Cost: a copy of the left operand, a copy of the right one for each block of rows, and a read and
//! a write of the result for each block of `k`.

use tfx_ir::Value;
use tfx_ir::ops::arith::{self, CmpIPredicate};

use super::{Emitter, MOST_COLUMNS_BYTES};
use crate::extent::Extent;
use crate::lower_kernels::code::Code;
use crate::lower_kernels::kernel::{Product, Range};
use crate::lower_kernels::rows::ROWS_OF_TILES;

/// The sizes of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::lower_kernels) struct Blocks {
    /// The least number of rows of the result, unless it has fewer; tiles divide it. The largest
    /// number is less than twice that.
    pub(in crate::lower_kernels) rows: i64,
    /// The columns of the left operand and rows of the right one; a multiple of the elements of a
    /// vector.
    pub(in crate::lower_kernels) depth: i64,
}

impl Blocks {
    /// A block of `f32` takes 320 kB to 640 kB, and packed columns for vectors of 64 bytes take 128
    /// kB. To pack the columns takes a fiftieth of the time of a block.
    pub(in crate::lower_kernels) const USUAL: Blocks = Blocks {
        rows: 294,
        depth: 256,
    };
    /// Small ones, for tests.
    pub(in crate::lower_kernels) const SMALL: Blocks = Blocks {
        rows: 42,
        depth: 16,
    };
}

/// The number of elements between the end of a row of a block and the next row: a line of the cache
/// for `f32`.
const GAP: i64 = 16;

/// The number of tiles whose columns are packed together; a power of two.
pub(in crate::lower_kernels) const TILES: i64 = 4;

/// The least number of elements of a right operand that is worth blocks: 256 kB of `f32`, which is
/// a part of the cache of the second level.
const LEAST_ELEMENTS: i64 = 1 << 16;

/// The least number of rows of the result, and of `k` and columns, that are worth blocks.
const LEAST_SIZE: i64 = 64;

impl Product {
    /// Returns whether the right operand, or the result of a product that combines rows, takes so
    /// much memory that its rows should be used for many rows of the left operand at a time.
    pub(in crate::lower_kernels) fn is_wide(&self) -> bool {
        let rows = match self.transpose_a {
            true => &self.m,
            false => &self.k,
        };
        let has = |size: &Extent| size.as_known().is_some_and(|size| size >= LEAST_SIZE);
        let elements = rows.times(&self.n).as_known();
        self.element.is_float()
            && has(rows)
            && has(&self.n)
            && elements.is_some_and(|elements| elements >= LEAST_ELEMENTS)
    }

    /// Returns whether blocks are worth it.
    pub(in crate::lower_kernels) fn is_worth_blocks(&self) -> bool {
        let may_be = |size: &Extent| size.as_known().is_none_or(|size| size >= LEAST_SIZE);
        self.is_wide() && may_be(&self.m) && self.k.as_known().is_some_and(|k| k >= LEAST_SIZE)
    }

    /// Returns whether tests use small blocks: for some products, so that they cover the others as
    /// well.
    pub(in crate::lower_kernels) fn is_worth_small_blocks(&self) -> bool {
        let is_chosen = |k: i64| k > 0 && (k % 2 == 1 || k > Blocks::SMALL.depth);
        self.element.is_float() && self.k.as_known().is_some_and(is_chosen)
    }

    /// Returns the number of elements of the working memory of a product in blocks.
    pub(super) fn elements_of(&self, blocks: Blocks) -> Extent {
        let columns = TILES * (MOST_COLUMNS_BYTES / self.element.size()) as i64;
        let left = 2 * blocks.rows * (blocks.depth + GAP);
        Extent::known(blocks.depth * columns + left)
    }
}

/// A block that is being computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    blocks: Blocks,
    /// The first row, and the one after the last one.
    pub(super) rows: (Value<'a>, Value<'a>),
    /// The same of `k`.
    pub(super) inner: (Value<'a>, Value<'a>),
    /// The block of the left operand.
    left: Value<'a>,
    /// The block is the first one of `k`.
    pub(super) is_first: Value<'a>,
}

/// The place of the left operand of a tile.
pub(super) struct LeftOfTile<'a> {
    pub(super) base: Value<'a>,
    /// The index of the first element.
    pub(super) start: Value<'a>,
    pub(super) row_step: Extent,
    /// The step of `k`.
    pub(super) step: Extent,
    /// The number of columns.
    pub(super) length: Value<'a>,
}

impl<'a> Emitter<'_, 'a> {
    /// Emits the product in blocks.
    pub(super) fn in_blocks(&mut self, code: &mut Code<'a>, blocks: Blocks) {
        let product = self.product;
        let columns = self.tile.columns(product.element) as i64;
        let distance = code.index(blocks.depth * TILES * columns);
        let left = code.address(self.operands.packed, distance, product.element);
        let range = match product.range {
            Some(Range::Rows) => self.range.take(),
            _ => None,
        };
        let (from, to) = match range {
            Some(range) => range,
            None => (code.index(0), code.extent(&product.m, self.sizes)),
        };
        let (rows, depth) = (rows(code, (from, to), blocks), code.index(blocks.depth));
        let (_, mut of_rows, row) = code.loop_between((from, to, rows), &[]);
        let end = end(&mut of_rows, row, rows, to);
        let k = of_rows.extent(&product.k, self.sizes);
        let zero = of_rows.index(0);
        let (_, mut inside, first) = of_rows.loop_between((zero, k, depth), &[]);
        let last = self::end(&mut inside, first, depth, k);
        let predicate = CmpIPredicate::Eq;
        let is_first = arith::CmpI::build(&mut inside.builder, predicate, first, zero).result();
        let part = Part {
            blocks,
            rows: (row, end),
            inner: (first, last),
            left,
            is_first,
        };
        self.part = Some(part);
        self.copy_left(&mut inside, part);
        self.all_columns(&mut inside, part);
        inside.yield_values(&[]);
        of_rows.yield_values(&[]);
    }

    /// Emits the product of a block and all columns, or of a range of them.
    fn all_columns(&mut self, code: &mut Code<'a>, part: Part<'a>) {
        let product = self.product;
        let widest = self.tile.columns(product.element);
        let most = widest * TILES as u64;
        let widths: Vec<u64> = (0..=most.ilog2()).map(|shift| most >> shift).collect();
        self.parts(
            code,
            (&product.n, self.range),
            &widths,
            &mut |this, code, column, width| {
                let tiles = (width / widest) as i64;
                if tiles > 0 {
                    this.tiles_of_columns(code, part, column, tiles);
                }
                if width % widest > 0 {
                    let distance = code.index(tiles * widest as i64);
                    let first = arith::AddI::build(&mut code.builder, column, distance).result();
                    this.pack(code, first, width % widest);
                    this.rows(code, first, width % widest);
                }
            },
        );
    }

    /// Emits the product of a block and the columns of some tiles.
    fn tiles_of_columns(
        &mut self,
        code: &mut Code<'a>,
        part: Part<'a>,
        column: Value<'a>,
        tiles: i64,
    ) {
        let product = self.product;
        let widest = self.tile.columns(product.element);
        if !product.transpose_b {
            self.pack_tiles(code, part, column, tiles);
        }
        let (_, mut inside, number) = code.loop_over((0, tiles, 1), &[]);
        let first = inside.advance(column, number, widest as i64);
        let zero = inside.index(0);
        let place = inside.advance(zero, number, part.blocks.depth * widest as i64);
        let packed = self.operands.packed;
        self.operands.packed = inside.address(packed, place, product.element);
        if product.transpose_b {
            self.pack(&mut inside, first, widest);
        }
        self.rows(&mut inside, first, widest);
        self.operands.packed = packed;
        inside.yield_values(&[]);
    }

    /// Emits the copy of the columns of some tiles of the right operand.
    fn pack_tiles(&mut self, code: &mut Code<'a>, part: Part<'a>, column: Value<'a>, tiles: i64) {
        let element = self.product.element;
        let widest = self.tile.columns(element);
        let one = code.index(1);
        let (first, last) = part.inner;
        let (_, mut inside, p) = code.loop_between((first, last, one), &[]);
        let mut from = inside.advance_by(column, p, &self.product.n, self.sizes);
        let row = difference(&mut inside, p, first);
        for tile in 0..tiles {
            let start = inside.index(tile * part.blocks.depth * widest as i64);
            let mut to = inside.advance(start, row, widest as i64);
            for lanes in self.vectors(widest) {
                let source = inside.address(self.operands.b, from, element);
                let value = inside.load_vector(source, element, lanes);
                let target = inside.address(self.operands.packed, to, element);
                inside.store_vector(value, target, element);
                let lanes = inside.index(lanes as i64);
                for at in [&mut from, &mut to] {
                    *at = arith::AddI::build(&mut inside.builder, *at, lanes).result();
                }
            }
        }
        inside.yield_values(&[]);
    }

    /// Emits the copy of the left operand of a block.
    fn copy_left(&mut self, code: &mut Code<'a>, part: Part<'a>) {
        let element = self.product.element;
        if self.product.transpose_a {
            let one = code.index(1);
            let (_, mut inside, p) = code.loop_between((part.inner.0, part.inner.1, one), &[]);
            self.tiles(&mut inside, &mut |this, code, row, height| {
                this.copy_column(code, part, (row, p), height);
            });
            inside.yield_values(&[]);
            return;
        }
        let (rows, inner) = (part.rows, part.inner);
        let one = code.index(1);
        let (_, mut of_row, row) = code.loop_between((rows.0, rows.1, one), &[]);
        let (_, mut inside, p) = of_row.loop_between((inner.0, inner.1, one), &[]);
        let at = inside.advance_by(p, row, &self.product.k, self.sizes);
        let from = inside.address(self.operands.a, at, element);
        let value = inside.load(from, element);
        let column = difference(&mut inside, p, inner.0);
        let number = difference(&mut inside, row, rows.0);
        let at = inside.advance(column, number, part.blocks.depth + GAP);
        let to = inside.address(part.left, at, element);
        inside.store(value, to, element);
        inside.yield_values(&[]);
        of_row.yield_values(&[]);
    }

    /// Emits the copy of consecutive elements of a transposed left operand, for a tile of `height`
    /// rows.
    fn copy_column(
        &mut self,
        code: &mut Code<'a>,
        part: Part<'a>,
        (row, p): (Value<'a>, Value<'a>),
        height: u64,
    ) {
        let element = self.product.element;
        let mut from = code.advance_by(row, p, &self.product.m, self.sizes);
        let start = self.left_of_tile(code, part, row, height).start;
        let column = difference(code, p, part.inner.0);
        let mut to = code.advance(start, column, height as i64);
        for lanes in self.vectors(height) {
            let source = code.address(self.operands.a, from, element);
            let value = code.load_vector(source, element, lanes);
            let target = code.address(part.left, to, element);
            code.store_vector(value, target, element);
            let lanes = code.index(lanes as i64);
            for at in [&mut from, &mut to] {
                *at = arith::AddI::build(&mut code.builder, *at, lanes).result();
            }
        }
    }

    /// Returns the place of the left operand of a tile in a block.
    pub(super) fn left_of_tile(
        &self,
        code: &mut Code<'a>,
        part: Part<'a>,
        row: Value<'a>,
        height: u64,
    ) -> LeftOfTile<'a> {
        let (zero, number) = (code.index(0), difference(code, row, part.rows.0));
        let length = difference(code, part.inner.1, part.inner.0);
        let depth = part.blocks.depth;
        let (distance, row_step, step) = match self.product.transpose_a {
            true => (depth, 1, height as i64),
            false => (depth + GAP, depth + GAP, 1),
        };
        LeftOfTile {
            base: part.left,
            start: code.advance(zero, number, distance),
            row_step: Extent::known(row_step),
            step: Extent::known(step),
            length,
        }
    }
}

/// Returns the number of rows of a block, so that all blocks have about as many: a last block of a
/// few rows would need all packed columns for them.
fn rows<'a>(code: &mut Code<'a>, (from, to): (Value<'a>, Value<'a>), blocks: Blocks) -> Value<'a> {
    let [least, unit, one] = [blocks.rows, ROWS_OF_TILES, 1].map(|number| code.index(number));
    let all = difference(code, to, from);
    let number = arith::DivUI::build(&mut code.builder, all, least).result();
    let number = arith::MaxUI::build(&mut code.builder, number, one).result();
    let rows = arith::CeilDivUI::build(&mut code.builder, all, number).result();
    let units = arith::CeilDivUI::build(&mut code.builder, rows, unit).result();
    let units = arith::MaxUI::build(&mut code.builder, units, one).result();
    arith::MulI::build(&mut code.builder, units, unit).result()
}

/// Returns the end of a block: the smaller one of `start + length` and `limit`.
fn end<'a>(
    code: &mut Code<'a>,
    start: Value<'a>,
    length: Value<'a>,
    limit: Value<'a>,
) -> Value<'a> {
    let end = arith::AddI::build(&mut code.builder, start, length).result();
    arith::MinSI::build(&mut code.builder, end, limit).result()
}

fn difference<'a>(code: &mut Code<'a>, from: Value<'a>, what: Value<'a>) -> Value<'a> {
    arith::SubI::build(&mut code.builder, from, what).result()
}
