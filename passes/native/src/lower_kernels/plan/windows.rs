//! Convolutions: kernels of their own (`convolution.rs`), or products of matrices.
//!
//! ```text
//! %y = Conv2D(%x, %w)                  window 1 x 1, stride 1:  y = x * w, of a row for each pixel
//!                                      otherwise:               run convolution x w -> y
//! %dx = Conv2DBackpropInput(%w, %dy)   w'[i, j, o, c] = w[2 - i, 2 - j, c, o]   in memory
//!                                      run convolution dy w' -> dx
//! %dw = Conv2DBackpropFilter(%x, %dy)  run convolution of the filter x dy -> dw
//! ```
//!
//! The number of images may be unknown.

use tfx_ir::Op;

use super::super::convolution::Convolution as Images;
use super::super::kernel::{Call, Expression, Kernel, Product};
use super::{Form, Place, Planned, Planner, Step};
use crate::element::Element;
use crate::extent::{Extent, Shape, count};
use crate::operations::{Axis, Convolution, Of};

/// Returns the shape of the result of a convolution, for operands of these shapes.
pub(super) fn convolution_shape(convolution: &Convolution, shapes: &[Shape]) -> Planned<Shape> {
    let Convolution {
        windows,
        channels,
        results,
        ..
    } = *convolution;
    let images = |shape: &Shape| shape.first().cloned().ok_or("it has no images");
    let known = |sizes: [i64; 2]| sizes.map(Extent::known);
    let [channels, results] = known([channels, results]);
    Ok(match convolution.of {
        Of::Result => {
            let [rows, columns] = known(windows.output);
            vec![images(&shapes[0])?, rows, columns, results]
        }
        Of::Images => {
            let [rows, columns] = known(windows.input);
            vec![images(&shapes[2])?, rows, columns, channels]
        }
        Of::Filter => {
            let [rows, columns] = known(windows.window);
            vec![rows, columns, channels, results]
        }
    })
}

impl<'a> Planner<'_, 'a> {
    /// Plans a convolution.
    pub(super) fn convolution(&mut self, op: Op<'a>, convolution: Convolution) -> Planned<()> {
        let result = op.result(0);
        let Convolution {
            windows,
            channels,
            results,
            of,
        } = convolution;
        let mut shapes = Vec::new();
        for operand in op.operands() {
            shapes.push(self.described(operand)?.1);
        }
        let (element, shape) = self.described(result)?;
        let expected = convolution_shape(&convolution, &shapes)?;
        self.equate(&shape, &expected)?;
        let (left, right) = match of {
            Of::Result => (0, 1),
            Of::Images => (2, 1),
            Of::Filter => (0, 2),
        };
        let images = shapes[left].first().cloned().ok_or("it has no images")?;
        if of != Of::Result {
            self.check_stated(op, if of == Of::Images { 0 } else { 1 })?;
            let [rows, columns, results] =
                [windows.output[0], windows.output[1], results].map(Extent::known);
            let gradient = vec![images.clone(), rows, columns, results];
            self.equate(&shapes[2], &gradient)?;
        }
        let (a, mut b) = (
            self.stored(op.operand(left))?,
            self.stored(op.operand(right))?,
        );
        let kernel = Images::of(windows, images.clone(), (channels, results), element);
        let (kernel, elements) = if windows.are_pointwise() {
            let pixels = images.scaled(windows.input[0] * windows.input[1]);
            let [channels, results] = [channels, results].map(Extent::known);
            let (m, n, k) = match of {
                Of::Result => (pixels, results, channels),
                Of::Images => (pixels, channels, results),
                Of::Filter => (channels, results, pixels),
            };
            let product = Product {
                element,
                batch: Extent::known(1),
                m,
                n,
                k,
                transpose_a: of == Of::Filter,
                transpose_b: of == Of::Images,
                accumulates: false,
                blocks: None,
                range: None,
            };
            let packed = product.packed_elements();
            (Kernel::Product(product), vec![packed])
        } else {
            let kernel = match of {
                Of::Result => kernel,
                Of::Images => {
                    b = self.turned(b, &shapes[1], element);
                    kernel.gradient_of_images()
                }
                Of::Filter => Images {
                    is_of_filter: true,
                    ..kernel
                },
            };
            let elements = vec![kernel.padded_elements(), kernel.packed_elements()];
            (Kernel::Convolution(kernel), elements)
        };
        let buffer = self.destination(result, element, count(&shape));
        let mut buffers = vec![a, b];
        for count in elements {
            buffers.push(self.plan.buffers.add(Place::Arena, element, count));
        }
        buffers.push(buffer);
        let call = Call::new(kernel, vec![element; buffers.len()], buffers, Vec::new());
        self.plan.steps.push(Step::Run(call));
        self.forms.insert(result, Form::Stored(buffer));
        Ok(())
    }

    /// Returns a buffer with a filter whose elements are in the other order, and whose channels are
    /// exchanged with those of the result.
    fn turned(&mut self, filter: usize, shape: &[Extent], element: Element) -> usize {
        let last = |dimension: usize| Axis {
            of: Some(dimension),
            offset: shape[dimension].as_known().unwrap_or(1) - 1,
            step: -1,
        };
        let axes = vec![last(0), last(1), Axis::same(3), Axis::same(2)];
        let mut turned = shape.to_vec();
        turned.swap(2, 3);
        let source = Expression::read(filter, shape, element);
        let buffer = self.plan.buffers.add(Place::Arena, element, count(shape));
        self.compute(&Expression::view(source, axes, &turned), buffer);
        buffer
    }
}
