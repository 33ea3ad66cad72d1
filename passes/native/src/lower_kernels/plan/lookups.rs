//! Lookups by an index: slices that tensors of integers name.
//!
//! ```text
//! %y = GatherV2(%x, %i, axis 0)      gives up if i[a] is not in 0..n
//!                                    y[a, j] = x[i[a], j]           computed where it is used
//! %s = UnsortedSegmentSum(%x, %i)    s[k, j] = 0, then s[i[a], j] += x[a, j]   a kernel of its own
//! %s = SegmentSum(%x, %i)            gives up if i[a] < i[a - 1], or if the last one is not k - 1
//! %p = ArgMax(%x, axis 1)            m[a] = max x[a, :]
//!                                    p[a] = min of the j with x[a, j] = m[a]
//! ```
//!
//! The code gives up if an index is out of range, and nothing is read or written there: kernels
//! compare each index with its size again (`loops.rs`). So the interpreter reports the failure.
//!
//! Cost: a pass over the indices, to find those out of range; a position costs two passes over the
//! elements, which LLVM vectorizes, unlike one that keeps the best element and its place.
//!
//! Not guaranteed: sums of floats round as in the interpreter, which adds in `f64`.

use std::rc::Rc;

use tfx_graphdef_mlir::tensors;
use tfx_ir::{Op, Value};

use super::super::kernel::{BodyBuilder, Coordinate, Expression, Kernel, Shared};
use super::super::loops;
use super::{Form, Operand, Place, Planned, Planner, Step};
use crate::element::Element;
use crate::extent::{Extent, Shape, count};
use crate::operations::{Axis, Lookup, Reduction, Scatter, Start};
use crate::scalar::{Constant, Function};

/// Returns the shape of positions with a dimension for a constant number of them.
pub(super) fn one_hot_shape(op: Op<'_>, axis: usize, indices: &Shape) -> Planned<Shape> {
    let depth = tensors::integers(op.operand(1)).unwrap_or_default();
    let [depth] = depth[..] else {
        return Err("its depth is not one number".to_owned());
    };
    if depth < 0 {
        return Err("its depth is negative".to_owned());
    }
    let mut shape = indices.clone();
    if axis > shape.len() {
        return Err("its axis is out of range".to_owned());
    }
    shape.insert(axis, Extent::known(depth));
    Ok(shape)
}

impl<'a> Planner<'_, 'a> {
    /// Returns the shape of slices of the first operand at the indices of the second one.
    pub(super) fn looked_up_shape(&mut self, lookup: Lookup, shapes: &[Shape]) -> Planned<Shape> {
        let (own, given) = (&shapes[0], &shapes[1]);
        match lookup {
            Lookup::Slices { axis, batch } => {
                self.equate(&own[..batch], &given[..batch])?;
                Ok([&own[..axis], &given[batch..], &own[axis + 1..]].concat())
            }
            Lookup::Rows { depth } => slices_shape(own, given, Some(depth)),
        }
    }

    /// Returns the shape of the result of a scatter.
    pub(super) fn scattered_shape(
        &mut self,
        op: Op<'a>,
        scatter: Scatter,
        shapes: &[Shape],
    ) -> Planned<Shape> {
        let (indices, updates) = (&shapes[scatter.indices], &shapes[scatter.updates]);
        let shape = match scatter.start {
            Start::First => shapes[0].clone(),
            Start::Stated(operand) => match tensors::integers(op.operand(operand)) {
                Some(stated) => stated.into_iter().map(Extent::known).collect(),
                None => self.new_shape(op.result(0))?,
            },
            Start::Sorted => self.new_shape(op.result(0))?,
            Start::Counted(operand) => {
                let mut shape = self.new_shape(op.result(0))?;
                let constant = tensors::integers(op.operand(operand));
                if let (Some([count]), Some(first)) = (constant.as_deref(), shape.first_mut()) {
                    self.symbols.equate(first, &Extent::known(*count))?;
                    *first = Extent::known(*count);
                }
                shape
            }
        };
        let slices = slices_shape(&shape, indices, scatter.depth)?;
        self.equate(&slices, updates)?;
        Ok(shape)
    }

    /// Plans slices at indices.
    pub(super) fn lookup(&mut self, op: Op<'a>, lookup: Lookup) -> Planned<()> {
        let (element, own) = self.described(op.operand(0))?;
        let (_, given) = self.described(op.operand(1))?;
        let shape = self.looked_up_shape(lookup, &[own.clone(), given.clone()])?;
        let (_, stated) = self.described(op.result(0))?;
        self.equate(&shape, &stated)?;
        let indices = self.indices(op.operand(1))?;
        let mut coordinates: Vec<Coordinate> = Vec::new();
        match lookup {
            Lookup::Slices { axis, batch } => {
                self.check_indices(&indices, &own[axis], false)?;
                let picked = given.len() - batch;
                let of = |dimension: usize| match dimension < batch {
                    true => Axis::same(dimension),
                    false => Axis::same(dimension - batch + axis),
                };
                let axes = (0..given.len()).map(of).collect();
                let index = Expression::view(indices, axes, &shape);
                let before = (0..axis).map(|of| Coordinate::Axis(Axis::same(of)));
                coordinates.extend(before);
                coordinates.push(Coordinate::Index(index));
                let after = (axis + picked..shape.len()).map(Axis::same);
                coordinates.extend(after.map(Coordinate::Axis));
            }
            Lookup::Rows { depth } => {
                self.fail_if_empty(&own);
                for (number, size) in own.iter().enumerate().take(depth) {
                    let column = column(&indices, number);
                    self.check_indices(&column, size, false)?;
                }
                coordinates = slice_coordinates(&indices, Some(depth), &shape);
            }
        }
        let source = self.stored(op.operand(0))?;
        let slices = Expression::lookup((source, &own), coordinates, &shape, element);
        self.define(op.result(0), slices)
    }

    /// Plans slices that are combined with those that indices name.
    pub(super) fn scatter(&mut self, op: Op<'a>, scatter: Scatter) -> Planned<()> {
        let result = op.result(0);
        let (element, shape) = self.described(result)?;
        let mut shapes = Vec::new();
        for operand in op.operands() {
            shapes.push(self.described(operand)?.1);
        }
        let slices = slices_shape(&shape, &shapes[scatter.indices], scatter.depth)?;
        self.equate(&slices, &shapes[scatter.updates])?;
        let indices = self.indices(op.operand(scatter.indices))?;
        let mut updates = self.expression(op.operand(scatter.updates))?;
        match scatter.start {
            Start::Counted(operand) => self.check_count(op.operand(operand), &shape[0])?,
            Start::Stated(operand) => {
                self.check_stated(op, operand)?;
                self.fail_if_empty(&shape);
            }
            Start::First => self.fail_if_empty(&shape),
            Start::Sorted => self.check_order(&indices, &shape[0]),
        }
        let depth = scatter.depth.unwrap_or(1);
        for (number, size) in shape.iter().enumerate().take(depth) {
            let column = match scatter.depth {
                Some(_) => column(&indices, number),
                None => Rc::clone(&indices),
            };
            self.check_indices(&column, size, scatter.drops_negative)?;
        }
        if scatter.is_negated {
            updates = self.bounded(Function::Neg, vec![updates], &slices);
        }
        let buffer = match self.in_place(op.operand(0)) {
            Some(buffer) if scatter.start == Start::First => buffer,
            _ => self.destination(result, element, count(&shape)),
        };
        match scatter.start {
            Start::First => self.write(op.operand(0), buffer)?,
            Start::Stated(_) | Start::Counted(_) | Start::Sorted => {
                let start = start_value(scatter.function, element);
                let start = Expression::splat(Operand::Constant(start), &shape, element);
                self.compute(&start, buffer);
            }
        }
        self.forms.insert(result, Form::Stored(buffer));
        let coordinates = slice_coordinates(&indices, scatter.depth, &slices);
        self.combine(
            (buffer, &shape),
            &coordinates,
            scatter.function,
            (slices, &updates),
        );
        Ok(())
    }

    /// Plans the combination of the elements of a buffer at coordinates with terms, which have a
    /// shape of the same rank; an element at no place is left out.
    pub(super) fn combine(
        &mut self,
        target: (usize, &[Extent]),
        coordinates: &[Coordinate],
        function: Option<Reduction>,
        (sizes, terms): (Shape, &Shared),
    ) {
        if self.symbols.has_grown() {
            return;
        }
        let axes: Vec<_> = (0..sizes.len()).map(Axis::same).collect();
        let mut builder = BodyBuilder::new(&self.plan.buffers, axes.len());
        let (output, places) = builder.place(target, coordinates, &axes);
        let value = builder.add(terms, &axes);
        let call = builder.finish(|body| Kernel::Scatter {
            sizes,
            body,
            value,
            function,
            output,
            places,
        });
        self.plan.steps.push(Step::Run(call));
    }

    /// Plans the positions of the first extreme elements along a dimension. As in the interpreter,
    /// no NaN is one, and neither is an infinity before all finite numbers.
    pub(super) fn position(&mut self, op: Op<'a>, axis: usize, is_max: bool) -> Planned<()> {
        let result = op.result(0);
        let (to, stated) = self.described(result)?;
        let mut source = self.expression(op.operand(0))?;
        let shape = source.shape.clone();
        let mut kept = shape.clone();
        kept.remove(axis);
        self.equate(&kept, &stated)?;
        self.fail_if_empty(&shape[axis..=axis]);
        if source.element == Element::Bool {
            source = Expression::apply(Function::Cast(Element::I32), vec![source], &shape);
        }
        if !source.is_free() {
            source = self.in_memory(&source);
        }
        let element = source.element;
        let (better, extreme) = match is_max {
            true => (Function::Greater, Reduction::Max),
            false => (Function::Less, Reduction::Min),
        };
        if let Some(worst) = worst(element, is_max) {
            let worst = Expression::splat(Operand::Constant(worst), &shape, element);
            let operands = vec![Rc::clone(&source), Rc::clone(&worst)];
            let is_better = Expression::apply(better, operands, &shape);
            source = Expression::apply(Function::Select, vec![is_better, source, worst], &shape);
        }
        let reduced: Vec<_> = (0..shape.len())
            .map(|dimension| dimension == axis)
            .collect();
        let best = self.plan.buffers.add(Place::Arena, element, count(&kept));
        self.reduce(&source, extreme, &reduced, None, best);
        let mut single = shape.clone();
        single[axis] = Extent::known(1);
        let best = Expression::read(best, &single, element);
        let is_best = Expression::apply(Function::Equal, vec![source, best], &shape);
        let index = Expression::index(axis, &shape, to);
        let none = Operand::Constant(loops::identity(Reduction::Min, to));
        let none = Expression::splat(none, &shape, to);
        let places = Expression::apply(Function::Select, vec![is_best, index, none], &shape);
        let buffer = self.destination(result, to, count(&kept));
        self.reduce(&places, Reduction::Min, &reduced, None, buffer);
        self.forms.insert(result, Form::Stored(buffer));
        self.settle(result)
    }

    /// Plans one of two values for each position, of which one is at each index.
    pub(super) fn one_hot(&mut self, op: Op<'a>, axis: usize) -> Planned<()> {
        let result = op.result(0);
        let indices = self.indices(op.operand(0))?;
        let shape = one_hot_shape(op, axis, &indices.shape)?;
        let (_, stated) = self.described(result)?;
        self.equate(&shape, &stated)?;
        let around = |dimension: usize| match dimension < axis {
            true => Axis::same(dimension),
            false => Axis::same(dimension + 1),
        };
        let element = indices.element;
        let axes = (0..indices.shape.len()).map(around).collect();
        let index = Expression::view(indices, axes, &shape);
        let position = Expression::index(axis, &shape, element);
        let is_there = Expression::apply(Function::Equal, vec![position, index], &shape);
        let (on, off) = (
            self.expression(op.operand(2))?,
            self.expression(op.operand(3))?,
        );
        let values = self.bounded(Function::Select, vec![is_there, on, off], &shape);
        self.define(result, values)
    }

    /// Returns indices in memory, or as a scalar.
    fn indices(&mut self, value: Value<'a>) -> Planned<Shared> {
        let indices = self.expression(value)?;
        Ok(match indices.is_free() {
            true => indices,
            false => self.in_memory(&indices),
        })
    }

    /// Gives up if an index is not below a size, or is negative and not to be left out.
    fn check_indices(
        &mut self,
        indices: &Shared,
        size: &Extent,
        drops_negative: bool,
    ) -> Planned<()> {
        let element = indices.element;
        let zero = Operand::Constant(Constant::number(element, 0));
        let size = self.size(size, element);
        if let Some(index) = indices.as_splat() {
            let is_high = self.compute_scalar(Function::GreaterEqual, vec![index, size]);
            self.plan.steps.push(Step::Fail(is_high));
            if !drops_negative {
                let is_low = self.compute_scalar(Function::Less, vec![index, zero]);
                self.plan.steps.push(Step::Fail(is_low));
            }
            return Ok(());
        }
        let shape = &indices.shape;
        let compared = |function, bound| {
            let bound = Expression::splat(bound, shape, element);
            Expression::apply(function, vec![Rc::clone(indices), bound], shape)
        };
        let mut is_outside = compared(Function::GreaterEqual, size);
        if !drops_negative {
            let is_low = compared(Function::Less, zero);
            is_outside = Expression::apply(Function::Or, vec![is_outside, is_low], shape);
        }
        self.fail_if_any(&is_outside);
        Ok(())
    }

    /// Gives up if indices of slices decrease, or if the last one is not that of the last slice.
    fn check_order(&mut self, indices: &Shared, count: &Extent) {
        let (element, shape) = (indices.element, &indices.shape);
        if indices.as_splat().is_none() {
            let stored = match indices.as_read() {
                Some(_) => Rc::clone(indices),
                None => self.in_memory(indices),
            };
            let buffer = stored.as_read().expect("it is in memory");
            let number = |value| {
                let value = Operand::Constant(Constant::number(Element::I64, value));
                Expression::splat(value, shape, Element::I64)
            };
            let apply = |function, operands| Expression::apply(function, operands, shape);
            let place = Expression::index(0, shape, Element::I64);
            let before = apply(Function::Sub, vec![place, number(1)]);
            let before = apply(Function::Maximum, vec![before, number(0)]);
            let before = vec![Coordinate::Index(before)];
            let before = Expression::lookup((buffer, shape), before, shape, element);
            self.fail_if_any(&apply(Function::Less, vec![stored, before]));
        }
        let largest = self
            .plan
            .buffers
            .add(Place::Arena, element, Extent::known(1));
        self.reduce(
            indices,
            Reduction::Max,
            &vec![true; shape.len()],
            None,
            largest,
        );
        let largest = self.load(largest);
        let one = Operand::Constant(Constant::number(element, 1));
        let slices = self.compute_scalar(Function::Add, vec![largest, one]);
        let count = self.size(count, element);
        let differs = self.compute_scalar(Function::NotEqual, vec![slices, count]);
        self.plan.steps.push(Step::Fail(differs));
    }

    /// Gives up if a scalar is not a size.
    fn check_count(&mut self, value: Value<'a>, size: &Extent) -> Planned<()> {
        let (element, _) = self.described(value)?;
        let (stated, size) = (self.scalar(value)?, self.size(size, element));
        let differs = self.compute_scalar(Function::NotEqual, vec![stated, size]);
        self.plan.steps.push(Step::Fail(differs));
        Ok(())
    }

    /// Gives up if there are no elements: the interpreter then has an error, even if none is used.
    fn fail_if_empty(&mut self, shape: &[Extent]) {
        let elements = count(shape);
        if elements.as_known() > Some(0) {
            return;
        }
        let zero = Operand::Constant(Constant::number(Element::I64, 0));
        let elements = self.size(&elements, Element::I64);
        let is_empty = self.compute_scalar(Function::Equal, vec![elements, zero]);
        self.plan.steps.push(Step::Fail(is_empty));
    }
}

/// Returns one index of each row.
fn column(indices: &Shared, number: usize) -> Shared {
    let outer = indices.shape.len() - 1;
    let axes: Vec<_> = (0..outer).map(Axis::same).chain([fixed(number)]).collect();
    Expression::view(Rc::clone(indices), axes, &indices.shape[..outer])
}

/// Returns the index of a dimension that is always this one.
fn fixed(index: usize) -> Axis {
    Axis {
        of: None,
        offset: index as i64,
        step: 0,
    }
}

/// Returns the shape of the slices that indices name: that of the indices, without the dimension
/// that has `depth` of them for each slice, and the rest of the shape.
fn slices_shape(own: &[Extent], indices: &[Extent], depth: Option<usize>) -> Planned<Shape> {
    let outer = match depth {
        Some(_) => indices.split_last().map(|(_, outer)| outer),
        None => Some(indices),
    };
    let rest = own.get(depth.unwrap_or(1)..);
    match outer.zip(rest) {
        Some((outer, rest)) => Ok([outer, rest].concat()),
        None => Err("it has more indices in a row than dimensions".to_owned()),
    }
}

/// Returns the coordinates of the elements of slices in a tensor, of which indices name the first.
fn slice_coordinates(indices: &Shared, depth: Option<usize>, slices: &[Extent]) -> Vec<Coordinate> {
    let outer = indices.shape.len() - usize::from(depth.is_some());
    let index = |number: usize| {
        let last = depth.map(|_| fixed(number));
        let axes = (0..outer).map(Axis::same).chain(last).collect();
        Coordinate::Index(Expression::view(Rc::clone(indices), axes, slices))
    };
    let rest = (outer..slices.len()).map(|of| Coordinate::Axis(Axis::same(of)));
    (0..depth.unwrap_or(1)).map(index).chain(rest).collect()
}

/// Returns the value that a function starts with: of extrema, the least or the largest number that
/// is finite.
pub(super) fn start_value(function: Option<Reduction>, element: Element) -> Constant {
    match function {
        Some(Reduction::Max) => worst(element, true),
        Some(Reduction::Min) => worst(element, false),
        _ => None,
    }
    .unwrap_or_else(|| loops::identity(function.unwrap_or(Reduction::Sum), element))
}

/// Returns the lowest or the highest finite float; `None` for integers.
fn worst(element: Element, is_lowest: bool) -> Option<Constant> {
    let lowest = match element {
        Element::F32 => f64::from(f32::MIN),
        Element::F64 => f64::MIN,
        _ => return None,
    };
    let value = if is_lowest { lowest } else { -lowest };
    Some(Constant::float(element, value))
}
