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
//! also makes a transposed operand consecutive ([`pack`]). A few rows read the right operand in
//! place, as do all rows if it has no more columns than a tile. Operands that exceed the cache are
//! used block by block ([`blocks`]). The remaining rows and columns have one smaller tile if their
//! number is known, and otherwise tiles of several sizes. Multiplications and additions are fused
//! if the processor can; integers and small matrices use plain loops.
//!
//! Cost: `m n k` multiplications, and a copy of the right operand.

pub(super) mod blocks;
mod pack;

use melior::Context;
use melior::ir::Attribute;
use melior::ir::attribute::{ArrayAttribute, StringAttribute};
use tfx_ir::Value;
use tfx_ir::ops::arith::{self, CmpIPredicate};
use tfx_ir::ops::llvm_intrinsics::FMA;
use tfx_ir::ops::{llvm, scf};

use super::code::{Code, Lanes, vector};
use super::kernel::Product;
use crate::element::Element;
use crate::extent::Extent;
use crate::scalar::Constant;
use blocks::Part;

/// The registers of a target, for tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// The bytes of a vector register.
    pub(super) vector_bytes: u64,
}

/// The rows of the tiles for what the largest tiles leave of an unknown number of rows. Two,
/// because the largest tiles leave two of many powers of two.
const FEW_ROWS: [u64; 3] = [4, 2, 1];

/// The bytes of vectors from which processors have loads and stores that leave out lanes.
const LEAST_MASKED_BYTES: u64 = 32;

/// The vectors in a row of a tile.
const VECTORS: u64 = 2;

impl Tile {
    /// Returns whether the processors fuse multiplications and additions.
    pub(super) fn fuses(self) -> bool {
        self.vector_bytes > 16
    }

    /// Returns the attributes of functions of LLVM.
    pub(super) fn attributes(self, context: &Context) -> Vec<Attribute<'_>> {
        let string = |text| StringAttribute::new(context, text).into();
        let pair =
            |name, value| ArrayAttribute::new(context, &[string(name), string(value)]).into();
        match self.vector_bytes {
            16 => Vec::new(),
            32 => vec![pair("target-cpu", "x86-64-v3")],
            // LLVM's vectors for this level have 32 bytes otherwise.
            _ => vec![
                pair("target-cpu", "x86-64-v4"),
                pair("prefer-vector-width", "512"),
            ],
        }
    }

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

/// The number of blocks of rows for which columns are not packed: a row of the right operand is
/// read so few times that a copy takes longer.
const FEW_BLOCKS: i64 = 3;

/// The number of columns that are packed together, at most: for vectors of 64 bytes.
pub(super) const MOST_COLUMNS_BYTES: u64 = 64 * VECTORS;

/// The multiplications of a matrix below which plain loops, which LLVM unrolls, are faster than
/// tiles.
const FEW_MULTIPLICATIONS: i64 = 128;

/// The bytes of the widest vectors.
const WIDEST_VECTOR: u64 = 64;

impl Product {
    fn is_small(&self) -> bool {
        let count = self.m.times(&self.n).times(&self.k).as_known();
        count.is_some_and(|count| count < FEW_MULTIPLICATIONS)
    }

    /// Returns whether the transposition of the product, which is one of the operands in the other
    /// order, takes at most four fifths of the time: fewer lanes of vectors are left out.
    pub(super) fn is_faster_transposed(&self) -> bool {
        let is_of_rows = self.transpose_a && !self.transpose_b && self.batch.is(1);
        if !is_of_rows || !self.element.is_float() || self.is_small() {
            return false;
        }
        let lanes = WIDEST_VECTOR / self.element.size();
        let padded = |size: i64| (size as u64).div_ceil(lanes).saturating_mul(lanes);
        let both = self.m.as_known().zip(self.n.as_known());
        both.is_some_and(|(m, n)| {
            let time = padded(n).saturating_mul(m as u64);
            let transposed = padded(m).saturating_mul(n as u64);
            transposed.saturating_mul(5) <= time.saturating_mul(4)
        })
    }

    /// Returns the number of elements of the working memory of the kernel.
    pub(super) fn packed_elements(&self) -> Extent {
        if let Some(blocks) = self.blocks {
            return self.elements_of(blocks);
        }
        let most = (MOST_COLUMNS_BYTES / self.element.size()) as i64;
        let columns = self.n.as_known().map_or(most, |n| n.min(most));
        self.k.scaled(columns)
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

/// The sizes that a kernel takes, and the start and the end of a range, if it has one. The start is
/// a multiple of the rows or columns of a tile, or of those that are packed together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters<'p, 'a> {
    pub(super) sizes: &'p [Value<'a>],
    pub(super) range: Option<(Value<'a>, Value<'a>)>,
}

/// Emits a product.
pub(super) fn product<'a>(
    code: &mut Code<'a>,
    product: &Product,
    operands: Operands<'a>,
    parameters: Parameters<'_, 'a>,
    tile: Tile,
) {
    let sizes = parameters.sizes;
    let (_, mut inside, matrix) = code.loop_below(&product.batch, sizes, &[]);
    let zero = inside.index(0);
    let mut start = |base, size: Extent| {
        let index = inside.advance_by(zero, matrix, &size, sizes);
        inside.address(base, index, product.element)
    };
    let operands = Operands {
        a: start(operands.a, product.m.times(&product.k)),
        b: start(operands.b, product.k.times(&product.n)),
        c: start(operands.c, product.m.times(&product.n)),
        ..operands
    };
    let (row_step, step) = Emitter::steps(&product.m, &product.k, product.transpose_a);
    let left = Left {
        row_step,
        loops: vec![(product.k.clone(), step)],
    };
    let mut emitter = Emitter::new(product, left, operands, parameters, tile);
    match (product.blocks, product.element.is_float()) {
        (Some(blocks), _) => emitter.in_blocks(&mut inside, blocks),
        (None, true) if !product.is_small() => emitter.columns(&mut inside),
        _ => emitter.plain(&mut inside),
    }
    inside.yield_values(&[]);
}

/// The places of the elements of a left operand: the distance of its rows, and the loops over `k`,
/// outermost first, with their sizes and steps.
#[derive(Clone, Debug)]
pub(super) struct Left {
    pub(super) row_step: Extent,
    pub(super) loops: Vec<(Extent, Extent)>,
}

/// Emits a product with a left operand that need not be a matrix.
pub(super) struct Emitter<'p, 'a> {
    product: &'p Product,
    left: Left,
    pub(super) operands: Operands<'a>,
    sizes: &'p [Value<'a>],
    /// The columns to compute, or the rows; all of them if none.
    range: Option<(Value<'a>, Value<'a>)>,
    /// The block that is being computed, of a product in blocks.
    part: Option<Part<'a>>,
    tile: Tile,
    /// The columns of the right operand are packed.
    is_packed: bool,
}

impl<'p, 'a> Emitter<'p, 'a> {
    pub(super) fn new(
        product: &'p Product,
        left: Left,
        operands: Operands<'a>,
        parameters: Parameters<'p, 'a>,
        tile: Tile,
    ) -> Self {
        let Parameters { sizes, range } = parameters;
        Emitter {
            product,
            left,
            operands,
            sizes,
            range,
            part: None,
            tile,
            is_packed: true,
        }
    }

    /// Returns the steps of a row and of a column of an operand that may be transposed.
    fn steps(rows: &Extent, columns: &Extent, is_transposed: bool) -> (Extent, Extent) {
        match is_transposed {
            true => (Extent::known(1), rows.clone()),
            false => (columns.clone(), Extent::known(1)),
        }
    }

    /// Emits loops over parts of a size, or of a range of it that starts at a multiple of the first
    /// length: as many as there are of the first of these lengths, then the rest. If the size is
    /// known, the rest is one part. `emit` gets the start and the length.
    fn parts(
        &mut self,
        code: &mut Code<'a>,
        (size, range): (&Extent, Option<(Value<'a>, Value<'a>)>),
        lengths: &[u64],
        emit: &mut dyn FnMut(&mut Self, &mut Code<'a>, Value<'a>, u64),
    ) {
        let first = lengths[0] as i64;
        if let (Some(size), Some((from, to))) = (size.as_known(), range) {
            let (whole, step) = (code.index(size / first * first), code.index(first));
            let last = arith::MinSI::build(&mut code.builder, to, whole).result();
            let (_, mut inside, start) = code.loop_between((from, last, step), &[]);
            emit(self, &mut inside, start, lengths[0]);
            inside.yield_values(&[]);
            if size % first != 0 {
                let predicate = CmpIPredicate::Sgt;
                let has_rest = arith::CmpI::build(&mut code.builder, predicate, to, whole);
                let branch = code.builder.scf_if(has_rest.result(), &[]);
                let mut inside = code.at_end(branch.region(0).add_block(&[]));
                emit(self, &mut inside, whole, (size % first) as u64);
                inside.yield_values(&[]);
                let mut outside = code.at_end(branch.region(1).add_block(&[]));
                outside.yield_values(&[]);
            }
            return;
        }
        if let Some(size) = size.as_known() {
            let whole = size / first * first;
            if whole > 0 {
                let (_, mut inside, start) = code.loop_over((0, whole, first), &[]);
                emit(self, &mut inside, start, lengths[0]);
                inside.yield_values(&[]);
            }
            if whole < size {
                let start = code.index(whole);
                emit(self, code, start, (size - whole) as u64);
            }
            return;
        }
        let (mut from, size) = match range {
            Some(range) => range,
            None => (code.index(0), code.extent(size, self.sizes)),
        };
        for &length in lengths {
            let step = code.index(length as i64);
            let left = arith::SubI::build(&mut code.builder, size, from).result();
            let parts = arith::DivUI::build(&mut code.builder, left, step).result();
            let way = arith::MulI::build(&mut code.builder, parts, step).result();
            let to = arith::AddI::build(&mut code.builder, from, way).result();
            let (_, mut inside, start) = code.loop_between((from, to, step), &[]);
            emit(self, &mut inside, start, length);
            inside.yield_values(&[]);
            from = to;
        }
    }

    /// Emits the loop over blocks of columns, each of which is packed.
    fn columns(&mut self, code: &mut Code<'a>) {
        self.is_packed = self.product.transpose_b || !(self.has_few_rows() || self.is_narrow());
        self.blocks(code, &mut |this, code, column, width| {
            if this.is_packed {
                this.pack(code, column, width);
            }
            this.rows(code, column, width);
        });
    }

    fn has_few_rows(&self) -> bool {
        let few = self.tile.rows() as i64 * FEW_BLOCKS;
        self.product.m.as_known().is_some_and(|m| m <= few)
    }

    /// Returns whether a row of the right operand is one of the packed columns.
    fn is_narrow(&self) -> bool {
        let widest = self.tile.columns(self.product.element) as i64;
        self.product.n.as_known().is_some_and(|n| n <= widest)
    }

    /// Emits a loop over blocks of columns. `emit` gets the first column and their number.
    pub(super) fn blocks(
        &mut self,
        code: &mut Code<'a>,
        emit: &mut dyn FnMut(&mut Self, &mut Code<'a>, Value<'a>, u64),
    ) {
        let widest = self.tile.columns(self.product.element);
        let widths: Vec<u64> = (0..=widest.ilog2()).map(|shift| widest >> shift).collect();
        let n = &self.product.n;
        self.parts(code, (n, self.range), &widths, emit);
    }

    /// Starts a loop over the columns to compute.
    pub(super) fn loop_over_columns(
        &self,
        code: &mut Code<'a>,
    ) -> (scf::For<'a>, Code<'a>, Value<'a>) {
        match self.range {
            Some((from, to)) => {
                let one = code.index(1);
                code.loop_between((from, to, one), &[])
            }
            None => code.loop_below(&self.product.n, self.sizes, &[]),
        }
    }

    /// Emits the product of all rows, or of those of a block, and `width` packed columns.
    pub(super) fn rows(&mut self, code: &mut Code<'a>, column: Value<'a>, width: u64) {
        self.tiles(code, &mut |this, code, row, height| {
            this.tile(code, row, column, height, width);
        });
    }

    /// Emits loops over the rows of tiles. `emit` gets the first row and their number.
    fn tiles(
        &mut self,
        code: &mut Code<'a>,
        emit: &mut dyn FnMut(&mut Self, &mut Code<'a>, Value<'a>, u64),
    ) {
        let mut heights = vec![self.tile.rows()];
        heights.extend(FEW_ROWS);
        let range = self.part.map(|part| part.rows);
        let m = &self.product.m;
        self.parts(code, (m, range), &heights, emit);
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

    /// Returns the vectors of a row of a tile of a number of columns. The last one may have lanes
    /// that are not used: to leave out lanes is cheaper than several shorter vectors, if the
    /// processor can.
    fn lanes(&self, width: u64) -> Vec<Lanes> {
        let exact = |&all: &u64| Lanes { all, used: all };
        if self.tile.vector_bytes < LEAST_MASKED_BYTES {
            return self.vectors(width).iter().map(exact).collect();
        }
        let most = self.tile.lanes(self.product.element);
        let starts = (0..width).step_by(most as usize);
        let vectors = starts.map(|start| {
            let used = most.min(width - start);
            let all = used.next_power_of_two();
            Lanes { all, used }
        });
        vectors.collect()
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
        let element = self.product.element;
        let vectors = self.lanes(width);
        let context = code.context();
        let types: Vec<_> = vectors
            .iter()
            .map(|lanes| vector(context, element, lanes.all))
            .collect();
        let initial = self.initial(code, (row, column), height, &vectors);
        let zero = code.index(0);
        let (left, row_step, mut of_row, loops) = match self.part {
            Some(part) => {
                let of_tile = self.left_of_tile(code, part, row, height);
                let loops = vec![(of_tile.length, of_tile.step)];
                (of_tile.base, of_tile.row_step, of_tile.start, loops)
            }
            None => {
                let Left { row_step, loops } = self.left.clone();
                let start = code.advance_by(zero, row, &row_step, self.sizes);
                let of_loop = |(size, step)| (code.extent(&size, self.sizes), step);
                let loops = loops.into_iter().map(of_loop).collect();
                (self.operands.a, row_step, start, loops)
            }
        };
        // The number of the row of the packed columns.
        let mut number = zero;
        let (mut inside, mut sums) = (*code, initial);
        let mut around = Vec::new();
        for (size, step) in &loops {
            let one = inside.index(1);
            let (new, mut body, p) = inside.loop_between((zero, *size, one), &sums);
            let entry = new.op().region(0).entry().expect("the loop has a body");
            sums = entry.arguments().skip(1).collect();
            of_row = body.advance_by(of_row, p, step, self.sizes);
            let way = arith::MulI::build(&mut body.builder, number, *size).result();
            number = arith::AddI::build(&mut body.builder, p, way).result();
            around.push((new, inside));
            inside = body;
        }
        let (base, right_row) = match self.is_packed {
            true => (
                self.operands.packed,
                inside.advance(zero, number, width as i64),
            ),
            false => {
                let n = &self.product.n;
                (
                    self.operands.b,
                    inside.advance_by(column, number, n, self.sizes),
                )
            }
        };
        let mut right = Vec::new();
        let mut lane = 0;
        for &lanes in &vectors {
            let offset = inside.index(lane);
            let at = arith::AddI::build(&mut inside.builder, right_row, offset).result();
            let address = inside.address(base, at, element);
            right.push(inside.load_lanes(address, element, lanes));
            lane += lanes.used as i64;
        }
        let mut next = Vec::new();
        for number in 0..height {
            let distance = inside.extent(&row_step.scaled(number as i64), self.sizes);
            let at = arith::AddI::build(&mut inside.builder, of_row, distance).result();
            let address = inside.address(left, at, element);
            let left = inside.load(address, element);
            for (position, (&lanes, ty)) in vectors.iter().zip(&types).enumerate() {
                let left = broadcast(&mut inside, left, *ty, lanes.all);
                let sum = sums[next.len()];
                let right = right[position];
                next.push(match inside.fuses {
                    true => FMA::build(&mut inside.builder, left, right, sum).res(),
                    false => {
                        let product = arith::MulF::build(&mut inside.builder, left, right);
                        arith::AddF::build(&mut inside.builder, product.result(), sum).result()
                    }
                });
            }
        }
        for (new, outside) in around.into_iter().rev() {
            inside.yield_values(&next);
            next = new.op().results().collect();
            inside = outside;
        }
        let mut results = next.into_iter();
        for number in 0..height {
            for (lanes, address) in self.vectors_of_row(code, row, column, number, &vectors) {
                let value = results.next().expect("there is a sum for each vector");
                code.store_lanes(value, address, element, lanes);
            }
        }
    }

    /// Returns the start values of the sums of a tile, row by row.
    fn initial(
        &mut self,
        code: &mut Code<'a>,
        (row, column): (Value<'a>, Value<'a>),
        height: u64,
        vectors: &[Lanes],
    ) -> Vec<Value<'a>> {
        let element = self.product.element;
        let rows = (0..height).flat_map(|_| vectors);
        let types = rows.map(|lanes| vector(code.context(), element, lanes.all));
        let types: Vec<_> = types.collect();
        let zeros = |code: &mut Code<'a>| -> Vec<_> {
            let zeros = types.iter();
            zeros
                .map(|ty| llvm::Zero::build(&mut code.builder, *ty).res())
                .collect()
        };
        let stored = |code: &mut Code<'a>| {
            let mut values = Vec::new();
            for number in 0..height {
                for (lanes, address) in self.vectors_of_row(code, row, column, number, vectors) {
                    values.push(code.load_lanes(address, element, lanes));
                }
            }
            values
        };
        match self.part {
            Some(part) => {
                let branch = code.builder.scf_if(part.is_first, &types);
                let mut inside = code.at_end(branch.region(0).add_block(&[]));
                let values = zeros(&mut inside);
                inside.yield_values(&values);
                let mut inside = code.at_end(branch.region(1).add_block(&[]));
                let values = stored(&mut inside);
                inside.yield_values(&values);
                branch.results().collect()
            }
            None if self.product.accumulates => stored(code),
            None => zeros(code),
        }
    }

    /// Returns the vectors in a row of a tile of the result.
    fn vectors_of_row(
        &self,
        code: &mut Code<'a>,
        row: Value<'a>,
        column: Value<'a>,
        number: u64,
        vectors: &[Lanes],
    ) -> Vec<(Lanes, Value<'a>)> {
        let Product { element, n, .. } = self.product;
        let distance = code.index(number as i64);
        let row = arith::AddI::build(&mut code.builder, row, distance).result();
        let mut at = code.advance_by(column, row, n, self.sizes);
        let mut addresses = Vec::new();
        for &lanes in vectors {
            addresses.push((lanes, code.address(self.operands.c, at, *element)));
            let lanes = code.index(lanes.used as i64);
            at = arith::AddI::build(&mut code.builder, at, lanes).result();
        }
        addresses
    }

    /// Emits three loops.
    fn plain(&mut self, code: &mut Code<'a>) {
        let Product {
            element, m, n, k, ..
        } = self.product;
        let (element, sizes) = (*element, self.sizes);
        let (a_row, a_column) = Self::steps(m, k, self.product.transpose_a);
        let (b_row, b_column) = Self::steps(k, n, self.product.transpose_b);
        let (_, mut rows, i) = code.loop_below(m, sizes, &[]);
        let (_, mut columns, j) = self.loop_over_columns(&mut rows);
        let at = columns.advance_by(j, i, n, sizes);
        let address = columns.address(self.operands.c, at, element);
        let initial = match self.product.accumulates {
            true => columns.load(address, element),
            false => Constant::number(element, 0).build(&mut columns.builder),
        };
        let (new, mut inside, p) = columns.loop_below(k, sizes, &[initial]);
        let zero = inside.index(0);
        let mut element_of =
            |base, [(row, row_step), (column, column_step)]: [(Value<'a>, &Extent); 2]| {
                let at = inside.advance_by(zero, row, row_step, sizes);
                let at = inside.advance_by(at, column, column_step, sizes);
                let address = inside.address(base, at, element);
                inside.load(address, element)
            };
        let left = element_of(self.operands.a, [(i, &a_row), (p, &a_column)]);
        let right = element_of(self.operands.b, [(p, &b_row), (j, &b_column)]);
        let sum = new
            .op()
            .region(0)
            .entry()
            .expect("the loop has a body")
            .argument(1);
        let sum = inside.multiply_add(element, left, right, sum);
        inside.yield_values(&[sum]);
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
