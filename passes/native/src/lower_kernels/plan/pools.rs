//! Pools, and convolutions that keep channels apart: loops over positions and over windows.
//!
//! ```text
//! %y = MaxPool(%x)           for n, y, x, i, j, c, of which i and j are reduced:
//!                            y[n, y, x, c] = max of x[n, 2 y + i, 2 x + j, c], if that is inside
//! %dx = MaxPoolGrad(%x, %dy) p[n, y, x, c] = the first i * 2 + j with the largest element
//!                            dx[n, 2 y + p / 2, 2 x + p % 2, c] += dy[n, y, x, c]
//! %y = DepthwiseConv2dNative(%x, %w)     sums of x[n, y + i, x + j, c] * w[i, j, c, m]
//! ```
//!
//! The element under a window is a lookup at a computed row and column. What is outside of the
//! image is left out, as in the interpreter, whose results these are, apart from the order of sums
//! over a single channel, and the sign of a largest zero. The innermost loop is that over channels,
//! where the row, the column, and whether they are inside are constant, so that LLVM computes
//! vectors of channels.
//!
//! Cost: an operation for each element of each window, from memory: unlike in `convolution.rs`,
//! nothing stays in registers. The gradient of a largest element costs three passes, the last of
//! which has no vectors: each channel has a place of its own.

use std::rc::Rc;

use tfx_ir::Op;

use super::super::kernel::{Coordinate, Expression, Shared};
use super::super::loops;
use super::lookups::start_value;
use super::{Form, Operand, Place, Planned, Planner};
use crate::element::Element;
use crate::extent::{Extent, Shape, count};
use crate::operations::{Axis, Reduction, Under, Windowed, Windows};
use crate::scalar::{Constant, Function};

/// The loops over images, positions, windows and channels, by number.
const POSITIONS: [usize; 2] = [1, 2];
const WINDOW: [usize; 2] = [3, 4];
const CHANNELS: usize = 5;

/// Returns the shapes of images, results and filter for a number of images.
fn shapes(windowed: &Windowed, images: &Extent) -> [Shape; 3] {
    let Windowed {
        windows,
        channels,
        multiplier,
        ..
    } = *windowed;
    let shape = |sizes: [i64; 2], channels: i64| {
        let sizes = [sizes[0], sizes[1], channels].map(Extent::known);
        [std::slice::from_ref(images), &sizes[..]].concat()
    };
    let [rows, columns] = windows.window;
    [
        shape(windows.input, channels),
        shape(windows.output, channels * multiplier),
        [rows, columns, channels, multiplier]
            .map(Extent::known)
            .to_vec(),
    ]
}

/// Returns the shape of the result of an operation on windows, for operands of these shapes.
pub(super) fn windowed_shape(windowed: &Windowed, operands: &[Shape]) -> Planned<Shape> {
    let given = match windowed.of {
        Under::MeansGradient => 1,
        Under::ProductsImages => 2,
        _ => 0,
    };
    let images = operands[given].first().ok_or("it has no images")?;
    let [of_images, results, filter] = shapes(windowed, images);
    Ok(match windowed.of {
        Under::Largest | Under::Means | Under::Products => results,
        Under::LargestGradient | Under::MeansGradient | Under::ProductsImages => of_images,
        Under::ProductsFilter => filter,
    })
}

/// The loops of an operation on windows.
struct Frame {
    shape: Shape,
    windows: Windows,
    /// The shape of the images.
    images: Shape,
}

impl Frame {
    /// Returns the row or the column of the image.
    fn under(&self, axis: usize) -> Shared {
        let Windows {
            stride,
            dilation,
            before,
            ..
        } = self.windows;
        let position = line(&self.shape, POSITIONS[axis], -before[axis], stride[axis]);
        let element = line(&self.shape, WINDOW[axis], 0, dilation[axis]);
        Expression::apply(Function::Add, vec![position, element], &self.shape)
    }

    /// Returns whether the element is in the image; nothing if all are.
    fn is_inside(&self) -> Option<Shared> {
        let Windows {
            input,
            window,
            output,
            stride,
            dilation,
            before,
        } = self.windows;
        let mut conditions = Vec::new();
        for axis in 0..2 {
            let last = (output[axis] - 1) * stride[axis] + (window[axis] - 1) * dilation[axis];
            let bounds = [
                (before[axis] > 0, Function::GreaterEqual, 0),
                (
                    last - before[axis] >= input[axis],
                    Function::Less,
                    input[axis],
                ),
            ];
            for (_, function, bound) in bounds.into_iter().filter(|(is_needed, ..)| *is_needed) {
                let operands = vec![self.under(axis), number(bound, &self.shape)];
                conditions.push(Expression::apply(function, operands, &self.shape));
            }
        }
        conditions
            .into_iter()
            .reduce(|one, other| Expression::apply(Function::And, vec![one, other], &self.shape))
    }

    /// Returns the first value for elements of the image, and the second one for others.
    fn inside_or(&self, value: Shared, other: Constant) -> Shared {
        let Some(is_inside) = self.is_inside() else {
            return value;
        };
        let other = Expression::splat(Operand::Constant(other), &self.shape, other.element);
        Expression::apply(Function::Select, vec![is_inside, value, other], &self.shape)
    }

    fn coordinates(&self) -> Vec<Coordinate> {
        vec![
            Coordinate::Axis(Axis::same(0)),
            Coordinate::Index(self.under(0)),
            Coordinate::Index(self.under(1)),
            Coordinate::Axis(Axis::same(CHANNELS)),
        ]
    }

    /// Returns the elements of the images in a buffer.
    fn elements(&self, images: usize, element: Element) -> Shared {
        let images = (images, &self.images[..]);
        Expression::lookup(images, self.coordinates(), &self.shape, element)
    }

    /// Returns the elements of the results in a buffer, whose channels are those of the image and
    /// the others of the frame.
    fn results(&self, results: usize, element: Element) -> Shared {
        let dimensions: Vec<usize> = (0..self.shape.len())
            .filter(|dimension| !WINDOW.contains(dimension))
            .collect();
        let own: Vec<_> = dimensions
            .iter()
            .map(|&of| self.shape[of].clone())
            .collect();
        let axes = dimensions.into_iter().map(Axis::same).collect();
        Expression::view(Expression::read(results, &own, element), axes, &self.shape)
    }

    /// Returns the elements of the filter in a buffer.
    fn filter(&self, filter: usize, element: Element) -> Shared {
        let own = &self.shape[WINDOW[0]..];
        let axes = (WINDOW[0]..self.shape.len()).map(Axis::same).collect();
        Expression::view(Expression::read(filter, own, element), axes, &self.shape)
    }

    /// Returns for each loop whether it is over elements of a window.
    fn of_window(&self) -> Vec<bool> {
        let loops = 0..self.shape.len();
        loops.map(|number| WINDOW.contains(&number)).collect()
    }
}

/// Returns `offset + step * i` for the index `i` of a dimension.
fn line(shape: &[Extent], dimension: usize, offset: i64, step: i64) -> Shared {
    let index = Expression::index(0, &shape[dimension..=dimension], Element::I64);
    let axis = Axis {
        of: Some(dimension),
        offset,
        step,
    };
    Expression::view(index, vec![axis], shape)
}

/// Returns an integer.
fn number(value: i64, shape: &[Extent]) -> Shared {
    let value = Operand::Constant(Constant {
        element: Element::I64,
        bits: value as u64,
    });
    Expression::splat(value, shape, Element::I64)
}

impl<'a> Planner<'_, 'a> {
    /// Plans an operation on windows.
    pub(super) fn windowed(&mut self, op: Op<'a>, windowed: Windowed) -> Planned<()> {
        let result = op.result(0);
        let (element, shape) = self.described(result)?;
        let mut operands = Vec::new();
        for operand in op.operands() {
            operands.push(self.described(operand)?.1);
        }
        let expected = windowed_shape(&windowed, &operands)?;
        self.equate(&expected, &shape)?;
        let images = match windowed.of {
            Under::ProductsFilter => operands[0].first().ok_or("it has no images")?,
            _ => &expected[0],
        };
        let [of_images, results, _] = shapes(&windowed, images);
        // The gradient of the result, and the operand that states the sizes of another result.
        let (gradient, stated) = match windowed.of {
            Under::Largest | Under::Means | Under::Products => (None, None),
            Under::LargestGradient => (Some(2), None),
            Under::MeansGradient => (Some(1), Some(0)),
            Under::ProductsImages => (Some(2), Some(0)),
            Under::ProductsFilter => (Some(2), Some(1)),
        };
        if let Some(gradient) = gradient {
            self.equate(&operands[gradient], &results)?;
        }
        if let Some(stated) = stated {
            self.check_stated(op, stated)?;
        }
        let windows = windowed.windows;
        let mut loops = vec![images.clone()];
        loops.extend(windows.output.map(Extent::known));
        loops.extend(windows.window.map(Extent::known));
        loops.push(Extent::known(windowed.channels));
        if windowed.of.has_filter() {
            loops.push(Extent::known(windowed.multiplier));
        }
        let frame = Frame {
            shape: loops,
            windows,
            images: of_images,
        };
        let zero = Constant::number(element, 0);
        let mut buffers = Vec::new();
        for (number, operand) in op.operands().enumerate() {
            buffers.push(match Some(number) == stated {
                true => 0,
                false => self.stored(operand)?,
            });
        }
        match windowed.of {
            Under::Largest => {
                let largest = self.largest(&frame, buffers[0], element);
                let buffer = self.destination(result, element, count(&shape));
                self.reduce(&largest, Reduction::Max, &frame.of_window(), None, buffer);
                self.forms.insert(result, Form::Stored(buffer));
                Ok(())
            }
            Under::Means => {
                let elements = frame.inside_or(frame.elements(buffers[0], element), zero);
                let sums = self.plan.buffers.add(Place::Arena, element, count(&shape));
                self.reduce(&elements, Reduction::Sum, &frame.of_window(), None, sums);
                let sums = Expression::read(sums, &shape, element);
                let counts = self.counts(&windows, element);
                let axes = vec![Axis::same(1), Axis::same(2)];
                let counts = Expression::view(counts, axes, &shape);
                let means = Expression::apply(Function::Div, vec![sums, counts], &shape);
                self.define(result, means)
            }
            Under::Products => {
                let (image, filter) = (
                    frame.elements(buffers[0], element),
                    frame.filter(buffers[1], element),
                );
                let product = Expression::apply(Function::Mul, vec![image, filter], &frame.shape);
                let terms = frame.inside_or(product, zero);
                let buffer = self.destination(result, element, count(&shape));
                self.reduce(&terms, Reduction::Sum, &frame.of_window(), None, buffer);
                self.forms.insert(result, Form::Stored(buffer));
                Ok(())
            }
            Under::ProductsFilter => {
                let (image, gradient) = (
                    frame.elements(buffers[0], element),
                    frame.results(buffers[2], element),
                );
                let product = Expression::apply(Function::Mul, vec![image, gradient], &frame.shape);
                let terms = frame.inside_or(product, zero);
                let reduced: Vec<_> = (0..frame.shape.len())
                    .map(|number| number < WINDOW[0])
                    .collect();
                let buffer = self.destination(result, element, count(&shape));
                self.reduce(&terms, Reduction::Sum, &reduced, None, buffer);
                self.forms.insert(result, Form::Stored(buffer));
                Ok(())
            }
            Under::ProductsImages => {
                let (gradient, filter) = (
                    frame.results(buffers[2], element),
                    frame.filter(buffers[1], element),
                );
                let operands = vec![gradient, filter];
                let terms = Expression::apply(Function::Mul, operands, &frame.shape);
                self.added(op, &terms, &frame.images, &frame.coordinates())
            }
            Under::MeansGradient => {
                let gradient = frame.results(buffers[1], element);
                let counts = self.counts(&windows, element);
                let axes = POSITIONS.map(Axis::same).to_vec();
                let counts = Expression::view(counts, axes, &frame.shape);
                let operands = vec![gradient, counts];
                let terms = Expression::apply(Function::Div, operands, &frame.shape);
                self.added(op, &terms, &frame.images, &frame.coordinates())
            }
            Under::LargestGradient => {
                self.gradient_of_largest(op, &frame, (buffers[0], buffers[2]), &results)
            }
        }
    }

    /// Returns the elements under windows; none is less than the lowest finite number.
    fn largest(&mut self, frame: &Frame, images: usize, element: Element) -> Shared {
        let elements = frame.elements(images, element);
        let lowest = start_value(Some(Reduction::Max), element);
        let splat = Expression::splat(Operand::Constant(lowest), &frame.shape, element);
        let operands = vec![Rc::clone(&elements), Rc::clone(&splat)];
        let is_more = Expression::apply(Function::Greater, operands, &frame.shape);
        let operands = vec![is_more, elements, splat];
        let elements = Expression::apply(Function::Select, operands, &frame.shape);
        frame.inside_or(elements, lowest)
    }

    /// Plans the gradient of a pool of largest elements, which is that of the first one in each
    /// window. A NaN is the largest element if it is the first one, and otherwise it is not.
    fn gradient_of_largest(
        &mut self,
        op: Op<'a>,
        frame: &Frame,
        (images, gradient): (usize, usize),
        results: &[Extent],
    ) -> Planned<()> {
        let (element, shape) = (self.plan.buffers.element(images), &frame.shape);
        let apply = |function, operands| Expression::apply(function, operands, shape);
        let mut elements = frame.elements(images, element);
        let lowest = loops::identity(Reduction::Max, element);
        if element.is_float() {
            let splat = |function| {
                let value = Operand::Constant(loops::identity(function, element));
                Expression::splat(value, shape, element)
            };
            let is_first = |axis: usize| {
                let Windows { stride, before, .. } = frame.windows;
                let start = line(shape, POSITIONS[axis], before[axis], -stride[axis]);
                let start = apply(Function::Maximum, vec![start, number(0, shape)]);
                apply(
                    Function::Equal,
                    vec![line(shape, WINDOW[axis], 0, 1), start],
                )
            };
            let is_first = apply(Function::And, vec![is_first(0), is_first(1)]);
            let extremes = vec![is_first, splat(Reduction::Min), splat(Reduction::Max)];
            let nan = apply(Function::Select, extremes);
            let operands = vec![Rc::clone(&elements), Rc::clone(&elements)];
            let is_number = apply(Function::Equal, operands);
            elements = apply(Function::Select, vec![is_number, elements, nan]);
        }
        let elements = frame.inside_or(elements, lowest);
        let most = self.plan.buffers.add(Place::Arena, element, count(results));
        self.reduce(&elements, Reduction::Max, &frame.of_window(), None, most);
        let mut is_most = apply(
            Function::Equal,
            vec![elements, frame.results(most, element)],
        );
        if let Some(is_inside) = frame.is_inside() {
            is_most = apply(Function::And, vec![is_most, is_inside]);
        }
        let columns = frame.windows.window[1];
        let (row, column) = (
            line(shape, WINDOW[0], 0, columns),
            line(shape, WINDOW[1], 0, 1),
        );
        let place = apply(Function::Add, vec![row, column]);
        let operands = vec![is_most, place, number(i64::MAX, shape)];
        let places = apply(Function::Select, operands);
        let first = self
            .plan
            .buffers
            .add(Place::Arena, Element::I64, count(results));
        self.reduce(&places, Reduction::Min, &frame.of_window(), None, first);
        let first = Expression::read(first, results, Element::I64);
        let coordinate = |axis: usize, function| {
            let Windows { stride, before, .. } = frame.windows;
            let start = line(results, POSITIONS[axis], -before[axis], stride[axis]);
            let operands = vec![Rc::clone(&first), number(columns, results)];
            let inner = Expression::apply(function, operands, results);
            Coordinate::Index(Expression::apply(
                Function::Add,
                vec![start, inner],
                results,
            ))
        };
        let coordinates = vec![
            Coordinate::Axis(Axis::same(0)),
            coordinate(0, Function::TruncateDiv),
            coordinate(1, Function::TruncateMod),
            Coordinate::Axis(Axis::same(3)),
        ];
        let terms = Expression::read(gradient, results, element);
        self.added(op, &terms, &frame.images, &coordinates)
    }

    /// Plans a result of zeros, to which terms are added at coordinates that may be outside of it.
    fn added(
        &mut self,
        op: Op<'a>,
        terms: &Shared,
        shape: &[Extent],
        coordinates: &[Coordinate],
    ) -> Planned<()> {
        let (element, result) = (terms.element, op.result(0));
        let buffer = self.destination(result, element, count(shape));
        let zero = Operand::Constant(Constant::number(element, 0));
        self.compute(&Expression::splat(zero, shape, element), buffer);
        self.forms.insert(result, Form::Stored(buffer));
        let terms = (terms.shape.clone(), terms);
        self.combine((buffer, shape), coordinates, Some(Reduction::Sum), terms);
        Ok(())
    }

    /// Returns the number of elements of the image under each window.
    fn counts(&mut self, windows: &Windows, element: Element) -> Shared {
        let [rows, columns] = [0, 1].map(|axis| -> Vec<i64> {
            let inside = |position: i64| {
                let start = position * windows.stride[axis] - windows.before[axis];
                let elements =
                    (0..windows.window[axis]).map(|it| start + it * windows.dilation[axis]);
                let range = 0..windows.input[axis];
                elements.filter(|it| range.contains(it)).count() as i64
            };
            (0..windows.output[axis]).map(inside).collect()
        });
        let products = rows
            .iter()
            .flat_map(|row| columns.iter().map(move |column| row * column));
        let bits: Vec<_> = products
            .map(|count| Constant::float(element, count as f64).bits)
            .collect();
        let shape = windows.output.map(Extent::known);
        let buffer = self.constant_buffer(&bits, element, count(&shape));
        Expression::read(buffer, &shape, element)
    }
}
