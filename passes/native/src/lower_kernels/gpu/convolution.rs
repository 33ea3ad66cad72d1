//! Convolutions on devices: a thread for each result.
//!
//! ```text
//! result   thread (image, y, x, r): sum over i, j, c of x[image, y', x', c] * filter[i, j, c, r]
//! filter   thread (i, j, c, r): sum over image, y, x of x[image, y', x', c] * gradient[image, y, x, r]
//! ```
//!
//! `y'` is the row of the image under row `i` of the window at `y`. What is in the padding, or in
//! between the elements of a gradient that strides spread, is skipped: no image is copied.
//!
//! Not done: parts of images in shared memory, which neighbouring threads read several times.

use tfx_ir::Value;
use tfx_ir::ops::arith::{self, CmpIPredicate};
use tfx_ir::ops::scf;

use super::super::code::Code;
use super::super::convolution::Convolution;
use super::entries::indices;
use crate::element::Element;
use crate::extent::Extent;
use crate::scalar::Constant;

/// Returns the sizes of the results.
pub(super) fn results(convolution: &Convolution) -> [Extent; 4] {
    let windows = convolution.windows;
    let known = Extent::known;
    match convolution.is_of_filter {
        true => {
            let [rows, columns] = windows.window.map(known);
            [
                rows,
                columns,
                known(convolution.channels),
                known(convolution.results),
            ]
        }
        false => {
            let [rows, columns] = windows.output.map(known);
            [
                convolution.images.clone(),
                rows,
                columns,
                known(convolution.results),
            ]
        }
    }
}

/// Emits a result, given the number of the thread and that of all threads.
pub(super) fn emit<'a>(
    code: &mut Code<'a>,
    convolution: &Convolution,
    buffers: &[Value<'a>],
    thread: (Value<'a>, i64),
) {
    let found = indices(code, &results(convolution), &[0, 1, 2, 3], thread);
    let own = [0, 1, 2, 3].map(|place| found[place].expect("all loops are of threads"));
    let emitter = Emitter {
        convolution,
        images: buffers[0],
        right: buffers[1],
        own,
    };
    let element = convolution.element;
    let zero = Constant::number(element, 0).build(&mut code.builder);
    let sum = emitter.sum(code, zero);
    let place = code.address(buffers[4], thread.0, element);
    code.store(sum, place, element);
}

struct Emitter<'e, 'a> {
    convolution: &'e Convolution,
    images: Value<'a>,
    right: Value<'a>,
    /// The indices of the result.
    own: [Value<'a>; 4],
}

/// A loop that carries a sum.
struct Summing<'a> {
    outer: scf::For<'a>,
    inside: Code<'a>,
    index: Value<'a>,
    sum: Value<'a>,
}

impl<'a> Emitter<'_, 'a> {
    /// Emits the loops of a result, and returns its value.
    fn sum(&self, code: &mut Code<'a>, initial: Value<'a>) -> Value<'a> {
        let Convolution {
            windows,
            channels,
            is_of_filter,
            ..
        } = *self.convolution;
        let images = self.convolution.images.as_known().unwrap_or(0);
        let mut outermost = is_of_filter.then(|| start(code, images, initial));
        let mut around = match &outermost {
            Some(loop_) => loop_.inside,
            None => *code,
        };
        let before = outermost
            .as_ref()
            .map_or(initial, |of_images| of_images.sum);
        let rounds = if is_of_filter {
            windows.output
        } else {
            windows.window
        };
        let mut rows = start(&mut around, rounds[0], before);
        let (row, is_row) = self.source(&mut rows.inside, 0, rows.index);
        let mut columns = start(&mut rows.inside, rounds[1], rows.sum);
        let (column, is_column) = self.source(&mut columns.inside, 1, columns.index);
        let image = outermost
            .as_ref()
            .map_or(self.own[0], |of_images| of_images.index);
        let at = [image, row, column];
        let others = [image, rows.index, columns.index];
        let place = &mut columns.inside;
        let is_inside = match (is_row, is_column) {
            (Some(one), Some(other)) => {
                Some(arith::AndI::build(&mut place.builder, one, other).result())
            }
            (one, other) => one.or(other),
        };
        let next = self.unless_outside(place, is_inside, columns.sum, |code| {
            if is_of_filter {
                return self.add(code, at, self.own[2], others, columns.sum);
            }
            let mut inner = start(code, channels, columns.sum);
            let next = self.add(&mut inner.inside, at, inner.index, others, inner.sum);
            end(inner, next)
        });
        let next = end(columns, next);
        let next = end(rows, next);
        match outermost.take() {
            Some(of_images) => end(of_images, next),
            None => next,
        }
    }

    /// Returns the index of the image's row or column under the window, and whether it exists;
    /// none if it always does.
    fn source(
        &self,
        code: &mut Code<'a>,
        axis: usize,
        round: Value<'a>,
    ) -> (Value<'a>, Option<Value<'a>>) {
        let Convolution {
            windows,
            spread,
            is_of_filter,
            ..
        } = *self.convolution;
        // The position of the window, and the place in it.
        let (position, within) = match is_of_filter {
            true => (round, self.own[axis]),
            false => (self.own[1 + axis], round),
        };
        let start = code.index(-windows.before[axis]);
        let padded = code.advance(start, position, windows.stride[axis]);
        let padded = code.advance(padded, within, windows.dilation[axis]);
        if !self.convolution.is_padded() {
            return (padded, None);
        }
        // What is before the image is a large number without a sign.
        let spread = spread[axis];
        let size = code.index((windows.input[axis] - 1).max(0) * spread + 1);
        let below = CmpIPredicate::Ult;
        let exists = arith::CmpI::build(&mut code.builder, below, padded, size).result();
        if spread == 1 {
            return (padded, Some(exists));
        }
        let (step, zero) = (code.index(spread), code.index(0));
        let rest = arith::RemUI::build(&mut code.builder, padded, step).result();
        let equal = CmpIPredicate::Eq;
        let is_element = arith::CmpI::build(&mut code.builder, equal, rest, zero).result();
        let exists = arith::AndI::build(&mut code.builder, exists, is_element).result();
        (
            arith::DivUI::build(&mut code.builder, padded, step).result(),
            Some(exists),
        )
    }

    /// Emits a value that is computed if a condition holds, and is `otherwise` if not.
    fn unless_outside(
        &self,
        code: &mut Code<'a>,
        is_inside: Option<Value<'a>>,
        otherwise: Value<'a>,
        emit: impl FnOnce(&mut Code<'a>) -> Value<'a>,
    ) -> Value<'a> {
        let Some(is_inside) = is_inside else {
            return emit(code);
        };
        let branch = code.builder.scf_if(is_inside, &[otherwise.ty()]);
        let mut inside = code.at_end(branch.region(0).add_block(&[]));
        let value = emit(&mut inside);
        inside.yield_values(&[value]);
        let mut outside = code.at_end(branch.region(1).add_block(&[]));
        outside.yield_values(&[otherwise]);
        branch.result(0)
    }

    /// Adds the product of an element of an image and one of the right operand, which is that of
    /// the filter or of the gradient of the result.
    fn add(
        &self,
        code: &mut Code<'a>,
        [image, row, column]: [Value<'a>; 3],
        channel: Value<'a>,
        [_, outer, inner]: [Value<'a>; 3],
        sum: Value<'a>,
    ) -> Value<'a> {
        let Convolution {
            windows,
            channels,
            results,
            element,
            is_of_filter,
            ..
        } = *self.convolution;
        let [rows, columns] = windows.input;
        let x = self.load(
            code,
            self.images,
            &[
                (image, rows),
                (row, columns),
                (column, channels),
                (channel, 1),
            ],
        );
        let result = self.own[3];
        let y = match is_of_filter {
            true => {
                let [rows, columns] = windows.output;
                let path = [
                    (image, rows),
                    (outer, columns),
                    (inner, results),
                    (result, 1),
                ];
                self.load(code, self.right, &path)
            }
            false => {
                let path = [
                    (outer, windows.window[1]),
                    (inner, channels),
                    (channel, results),
                    (result, 1),
                ];
                self.load(code, self.right, &path)
            }
        };
        code.multiply_add(element, x, y, sum)
    }

    /// Loads an element. Each index comes with the size of the next dimension.
    fn load(&self, code: &mut Code<'a>, base: Value<'a>, path: &[(Value<'a>, i64)]) -> Value<'a> {
        let element: Element = self.convolution.element;
        let mut place = code.index(0);
        for (index, next) in path {
            place = arith::AddI::build(&mut code.builder, place, *index).result();
            let next = code.index(*next);
            place = arith::MulI::build(&mut code.builder, place, next).result();
        }
        let address = code.address(base, place, element);
        code.load(address, element)
    }
}

/// Starts a loop with a sum.
fn start<'a>(code: &mut Code<'a>, count: i64, initial: Value<'a>) -> Summing<'a> {
    let (outer, inside, index) = code.loop_over((0, count, 1), &[initial]);
    let block = outer.op().region(0).entry().expect("the loop has a body");
    Summing {
        outer,
        inside,
        index,
        sum: block.argument(1),
    }
}

/// Ends a loop with the next sum, and returns the last one.
fn end<'a>(mut summing: Summing<'a>, next: Value<'a>) -> Value<'a> {
    summing.inside.yield_values(&[next]);
    summing.outer.op().result(0)
}
