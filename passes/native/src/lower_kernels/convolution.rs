//! The code of convolutions: register tiles over images, without a copy of each window.
//!
//! ```text
//! filter 3 x 3 x 16 x 32 = 144 rows of 32 columns        packed once
//! for each image                                         padded[1 + h, 1 + w, c] = x[h, w, c]
//!   for blocks of 32 columns, and for each row y of the result
//!     for 14 positions x .. x + 14                       tile = 0
//!       for i in 0..3, for p in 0..3 * 16                tile[t, :] += padded[y + i, x + t][p]
//!                                                                      * filter[i][p, :]
//! ```
//!
//! A row of a window is a run of consecutive elements of the image, at a fixed distance from that
//! of the next position: this is the left operand of the tiles of `product.rs`, whose loop over `k`
//! is one over the rows of the window and one over the run. So the elements under a window are not
//! copied, unlike in the usual reduction to a product of matrices (Chellapilla, Puri and Simard,
//! 2006); Anderson, Vasudevan, Keane and Gregg, *Low-memory GEMM-based convolution algorithms for
//! deep neural networks* (2017), has this kind. One image is copied if it has padding.
//!
//! ```text
//! gradient of the images    the convolution of the gradient, spread by the strides, with the
//!                           filter that is turned round and transposed (in memory, see the plan)
//! gradient of the filter    for each row i of the window:  filter[i] += run' * gradient
//!                           a product over all positions of an image, whose tiles are the rows of
//!                           a run
//! ```
//!
//! Cost: the multiplications of the convolution, and a copy of the filter and of each padded image.
//! A gradient of images multiplies the zeros in between the strides: for strides of 2, it takes
//! four times as many multiplications.
//!
//! Not done: tiles across rows of the result, which would be full for small images, and blocks of
//! channels or positions for operands that exceed the cache.

use tfx_ir::Value;
use tfx_ir::ops::arith;

use super::code::Code;
use super::kernel::{Product, Range};
use super::product::{self, Emitter, Left, Operands, Tile};
use crate::element::Element;
use crate::extent::Extent;
use crate::operations::Windows;
use crate::scalar::Constant;

/// A convolution of images, or the gradient of its filter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Convolution {
    pub(super) element: Element,
    /// The number of images.
    pub(super) images: Extent,
    pub(super) windows: Windows,
    /// The distance of neighbouring elements of an image after padding.
    pub(super) spread: [i64; 2],
    /// The channels of images, and those of the result.
    pub(super) channels: i64,
    pub(super) results: i64,
    /// The gradient of the filter is computed, of images and gradients of the result.
    pub(super) is_of_filter: bool,
    /// A range of columns is computed, which are the last parameters of the kernel.
    pub(super) is_of_range: bool,
}

/// The addresses of a convolution: images, the filter or the gradient, the memory for a padded
/// image and for packed columns, and the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Addresses<'a> {
    pub(super) images: Value<'a>,
    pub(super) right: Value<'a>,
    pub(super) padded: Value<'a>,
    pub(super) packed: Value<'a>,
    pub(super) result: Value<'a>,
}

impl Convolution {
    /// Returns the convolution of windows.
    pub(super) fn of(
        windows: Windows,
        images: Extent,
        (channels, results): (i64, i64),
        element: Element,
    ) -> Self {
        Convolution {
            element,
            images,
            windows,
            spread: [1, 1],
            channels,
            results,
            is_of_filter: false,
            is_of_range: false,
        }
    }

    /// Returns the convolution that is the gradient of the images, of gradients of the result and
    /// of the turned filter.
    pub(super) fn gradient_of_images(self) -> Self {
        let windows = self.windows;
        let before = |axis: usize| windows.window[axis] - 1 - windows.before[axis];
        Convolution {
            windows: Windows {
                input: windows.output,
                output: windows.input,
                stride: [1, 1],
                before: [before(0), before(1)],
                ..windows
            },
            spread: windows.stride,
            channels: self.results,
            results: self.channels,
            ..self
        }
    }

    /// Returns the rows or columns of a padded image that windows cover.
    fn covered(&self, axis: usize) -> i64 {
        let window = (self.windows.window[axis] - 1) * self.windows.dilation[axis];
        (self.windows.output[axis] - 1) * self.windows.stride[axis] + window + 1
    }

    /// Returns whether images are padded, and not read where they are.
    pub(super) fn is_padded(&self) -> bool {
        let axes = [0, 1].into_iter();
        let mut differs = axes.map(|axis| {
            self.windows.before[axis] != 0
                || self.spread[axis] != 1
                || self.covered(axis) > self.windows.input[axis]
        });
        differs.any(|differs| differs)
    }

    /// Returns the number of elements of the memory for a padded image.
    pub(super) fn padded_elements(&self) -> Extent {
        let elements = || self.covered(0).saturating_mul(self.covered(1));
        Extent::known(match self.is_padded() {
            true => elements().saturating_mul(self.channels),
            // A buffer has an element.
            false => 1,
        })
    }

    /// Returns the number of elements of the memory for packed columns.
    pub(super) fn packed_elements(&self) -> Extent {
        match self.is_of_filter {
            true => self.product().packed_elements(),
            false => Extent::known(self.inner().saturating_mul(self.results)),
        }
    }

    /// Returns the number of multiplications.
    pub(super) fn multiplications(&self) -> Extent {
        let each = self.inner().saturating_mul(self.results);
        self.images.scaled(self.positions().saturating_mul(each))
    }

    /// Returns the number of positions of the window in an image.
    pub(super) fn positions(&self) -> i64 {
        self.windows.output[0].saturating_mul(self.windows.output[1])
    }

    /// Returns the number of elements of an image, and of its result.
    pub(super) fn image_elements(&self) -> [i64; 2] {
        let [rows, columns] = self.windows.input;
        let input = rows.saturating_mul(columns).saturating_mul(self.channels);
        [input, self.positions().saturating_mul(self.results)]
    }

    /// Returns the number of elements under a window.
    fn inner(&self) -> i64 {
        let window = self.windows.window[0].saturating_mul(self.windows.window[1]);
        window.saturating_mul(self.channels)
    }

    /// Returns the number of elements from a row of a padded image to the next one.
    fn pitch(&self) -> i64 {
        let columns = match self.is_padded() {
            true => self.covered(1),
            false => self.windows.input[1],
        };
        columns * self.channels
    }

    /// Returns the product that computes a row of the result, or a row of the filter.
    fn product(&self) -> Product {
        let (m, k) = match self.is_of_filter {
            true => (
                self.windows.window[1] * self.channels,
                self.windows.output[0] * self.windows.output[1],
            ),
            false => (self.windows.output[1], self.inner()),
        };
        Product {
            element: self.element,
            batch: Extent::known(1),
            m: Extent::known(m),
            n: Extent::known(self.results),
            k: Extent::known(k),
            transpose_a: false,
            transpose_b: false,
            accumulates: self.is_of_filter,
            blocks: None,
            range: self.is_of_range.then_some(Range::Columns),
        }
    }

    /// Returns the rows of the left operand of the product.
    fn left(&self) -> Left {
        let known = |size, step| (Extent::known(size), Extent::known(step));
        let (row, column) = (self.pitch(), self.channels);
        let step = self.windows.stride[1] * column;
        if self.is_of_filter {
            return Left {
                row_step: Extent::known(1),
                loops: vec![
                    known(self.windows.output[0], self.windows.stride[0] * row),
                    known(self.windows.output[1], step),
                ],
            };
        }
        let mut loops = vec![known(
            self.windows.window[0],
            self.windows.dilation[0] * row,
        )];
        match self.windows.dilation[1] {
            1 => loops.push(known(self.windows.window[1] * column, 1)),
            dilation => {
                loops.push(known(self.windows.window[1], dilation * column));
                loops.push(known(column, 1));
            }
        }
        Left {
            row_step: Extent::known(step),
            loops,
        }
    }
}

/// Emits a convolution.
pub(super) fn convolution<'a>(
    code: &mut Code<'a>,
    convolution: &Convolution,
    addresses: Addresses<'a>,
    parameters: product::Parameters<'_, 'a>,
    tile: Tile,
) {
    let sizes = parameters.sizes;
    let product = convolution.product();
    let operands = Operands {
        a: addresses.images,
        b: addresses.right,
        packed: addresses.packed,
        c: addresses.result,
    };
    let emitter = Emitter::new(&product, convolution.left(), operands, parameters, tile);
    let mut images = Images {
        convolution,
        addresses,
        sizes,
        emitter,
    };
    if convolution.is_padded() {
        let count = convolution.padded_elements();
        images.fill(code, addresses.padded, &count);
    }
    match convolution.is_of_filter {
        true => images.filter(code),
        false => images.results(code),
    }
}

struct Images<'p, 'a> {
    convolution: &'p Convolution,
    addresses: Addresses<'a>,
    sizes: &'p [Value<'a>],
    emitter: Emitter<'p, 'a>,
}

impl<'a> Images<'_, 'a> {
    /// Emits the results of all images.
    fn results(&mut self, code: &mut Code<'a>) {
        let convolution = self.convolution;
        let (element, inner) = (convolution.element, convolution.inner());
        let packed = self.addresses.packed;
        self.emitter
            .blocks(code, &mut |tiles, code, column, width| {
                tiles.operands.packed = at(code, packed, column, inner, element);
                tiles.pack(code, column, width);
            });
        let (_, mut inside, image) = code.loop_below(&convolution.images, self.sizes, &[]);
        let source = self.padded(&mut inside, image);
        let row_size = convolution.windows.output[1] * convolution.results;
        let image_size = convolution.windows.output[0] * row_size;
        let result = at(
            &mut inside,
            self.addresses.result,
            image,
            image_size,
            element,
        );
        let step = convolution.windows.stride[0] * convolution.pitch();
        self.emitter
            .blocks(&mut inside, &mut |tiles, code, column, width| {
                tiles.operands.packed = at(code, packed, column, inner, element);
                let (_, mut rows, row) = code.loop_over((0, convolution.windows.output[0], 1), &[]);
                tiles.operands.a = at(&mut rows, source, row, step, element);
                tiles.operands.c = at(&mut rows, result, row, row_size, element);
                tiles.rows(&mut rows, column, width);
                rows.yield_values(&[]);
            });
        inside.yield_values(&[]);
    }

    /// Emits the gradient of the filter, to which each image adds.
    fn filter(&mut self, code: &mut Code<'a>) {
        let convolution = self.convolution;
        let element = convolution.element;
        let row_size = convolution.windows.window[1] * convolution.channels * convolution.results;
        let rows = row_size / convolution.results.max(1) * convolution.windows.window[0];
        let result = self.addresses.result;
        let (_, mut of_row, row) = code.loop_over((0, rows, 1), &[]);
        let first = at(&mut of_row, result, row, convolution.results, element);
        let (_, mut inside, column) = self.emitter.loop_over_columns(&mut of_row);
        let zero = Constant::number(element, 0).build(&mut inside.builder);
        let address = inside.address(first, column, element);
        inside.store(zero, address, element);
        inside.yield_values(&[]);
        of_row.yield_values(&[]);
        let (_, mut inside, image) = code.loop_below(&convolution.images, self.sizes, &[]);
        let source = self.padded(&mut inside, image);
        let image_size =
            convolution.windows.output[0] * convolution.windows.output[1] * convolution.results;
        let right = at(
            &mut inside,
            self.addresses.right,
            image,
            image_size,
            element,
        );
        self.emitter.operands.b = right;
        let step = convolution.pitch();
        self.emitter
            .blocks(&mut inside, &mut |tiles, code, column, width| {
                tiles.pack(code, column, width);
                let (_, mut rows, row) = code.loop_over((0, convolution.windows.window[0], 1), &[]);
                tiles.operands.a = at(&mut rows, source, row, step, element);
                tiles.operands.c = at(&mut rows, result, row, row_size, element);
                tiles.rows(&mut rows, column, width);
                rows.yield_values(&[]);
            });
        inside.yield_values(&[]);
    }

    /// Returns the address of an image, with padding if it needs some. The padding itself is
    /// written before.
    fn padded(&self, code: &mut Code<'a>, image: Value<'a>) -> Value<'a> {
        let convolution = self.convolution;
        let Convolution {
            element,
            windows,
            channels,
            spread,
            ..
        } = *convolution;
        let Windows {
            input: [rows, columns],
            before,
            ..
        } = windows;
        let size = rows * columns * channels;
        let source = at(code, self.addresses.images, image, size, element);
        if !convolution.is_padded() {
            return source;
        }
        // Windows need not cover the last elements.
        let copied = |axis: usize| {
            let left = convolution.covered(axis) - before[axis] + spread[axis] - 1;
            (left / spread[axis]).clamp(0, convolution.windows.input[axis])
        };
        let pitch = convolution.pitch();
        let start = code.index(before[0] * pitch + before[1] * channels);
        let target = code.address(self.addresses.padded, start, element);
        let (_, mut inside, row) = code.loop_over((0, copied(0), 1), &[]);
        let from = at(&mut inside, source, row, columns * channels, element);
        let to = at(&mut inside, target, row, spread[0] * pitch, element);
        // Without gaps, the channels of all columns are consecutive.
        let (outer, length) = match spread[1] {
            1 => (1, copied(1) * channels),
            _ => (copied(1), channels),
        };
        let (_, mut column_code, column) = inside.loop_over((0, outer, 1), &[]);
        let from = at(&mut column_code, from, column, channels, element);
        let to = at(&mut column_code, to, column, spread[1] * channels, element);
        let (_, mut element_code, index) = column_code.loop_over((0, length, 1), &[]);
        let address = element_code.address(from, index, element);
        let value = element_code.load(address, element);
        let address = element_code.address(to, index, element);
        element_code.store(value, address, element);
        element_code.yield_values(&[]);
        column_code.yield_values(&[]);
        inside.yield_values(&[]);
        self.addresses.padded
    }

    /// Emits a loop that writes zeros.
    fn fill(&self, code: &mut Code<'a>, buffer: Value<'a>, count: &Extent) {
        let element = self.convolution.element;
        let (_, mut inside, index) = code.loop_below(count, self.sizes, &[]);
        let zero = Constant::number(element, 0).build(&mut inside.builder);
        let address = inside.address(buffer, index, element);
        inside.store(zero, address, element);
        inside.yield_values(&[]);
    }
}

/// Returns the address of a part of a buffer, of which each has as many elements.
fn at<'a>(
    code: &mut Code<'a>,
    base: Value<'a>,
    number: Value<'a>,
    size: i64,
    element: Element,
) -> Value<'a> {
    let size = code.index(size);
    let start = arith::MulI::build(&mut code.builder, number, size).result();
    code.address(base, start, element)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn convolution(stride: i64, before: i64, output: i64) -> Convolution {
        let windows = Windows {
            input: [7, 7],
            window: [3, 3],
            output: [output; 2],
            stride: [stride; 2],
            dilation: [1, 1],
            before: [before; 2],
        };
        Convolution::of(windows, Extent::known(2), (4, 5), Element::F32)
    }

    #[test]
    fn images_are_padded_if_windows_are_outside() {
        assert!(!convolution(1, 0, 5).is_padded());
        assert!(!convolution(2, 0, 3).is_padded());
        let same = convolution(1, 1, 7);
        assert!(same.is_padded());
        assert_eq!(same.padded_elements(), Extent::known(9 * 9 * 4));
        assert_eq!(same.packed_elements(), Extent::known(36 * 5));
    }

    #[test]
    fn gradients_of_images_cover_the_spread_result() {
        let gradient = convolution(2, 1, 4).gradient_of_images();
        assert_eq!(gradient.windows.input, [4, 4]);
        assert_eq!((gradient.channels, gradient.results), (5, 4));
        // The last element of the result is at 1 + 3 * 2.
        assert_eq!([gradient.covered(0), gradient.covered(1)], [9, 9]);
        assert_eq!(gradient.windows.before, [1, 1]);
    }
}
