//! Integers that are known when a call starts: constants, sizes, and what follows from them.
//!
//! ```text
//! %s = Shape(%x : ?x64)             {s0, 64}
//! %n = StridedSlice(%s, 0, 1, 1)    s0
//! %m = Prod(%s)                     64 s0
//! %t = Pack(%m, 2)                  {64 s0, 2}
//! %y = Reshape(%v, %t)              of shape 64 s0 x 2: the code compares no integers
//! ```
//!
//! A list has no memory before an operation reads its elements as data.
//!
//! The gradient of a broadcast is a sum along the dimensions that `BroadcastGradientArgs` finds:
//!
//! ```text
//! %r, _ = BroadcastGradientArgs({1, s0, 64}, {s1, s2, 64})
//! Sum(%dy, %r)                      along dimension 0; s1 may be 1 as well. s0 = s2 is assumed
//! ```
//!
//! Cost: linear in the lists, which are as long as the ranks of tensors.
//!
//! Not guaranteed: integers of 32 bits that overflow. No tensor has as many elements.

use tfx_graphdef_mlir::tensors;
use tfx_ir::{Op, Value};

use super::{Form, Operand, Planned, Planner, element};
use crate::element::Element;
use crate::extent::{Extent, Shape, as_known_shape, count};
use crate::lower_kernels::kernel::Expression;
use crate::operations::{self, Axis, Lookup, Lowering, Reduction, Stated};
use crate::scalar::Function;

impl<'a> Planner<'_, 'a> {
    /// Returns the elements of a scalar or of a list of integers, if they are known.
    pub(super) fn integers(&self, value: Value<'a>) -> Option<Vec<Extent>> {
        let constants = || {
            let known = tensors::integers(value)?.into_iter();
            Some(known.map(Extent::known).collect())
        };
        match self.forms.get(&value) {
            Some(Form::Integers(list)) => {
                let resolved = list.iter().map(|size| self.symbols.resolve(size));
                Some(resolved.collect())
            }
            Some(Form::Scalar(Operand::Size(position, element))) if element.is_integer() => {
                Some(vec![self.symbols.resolve(&self.plan.sizes[*position])])
            }
            Some(Form::Scalar(Operand::Constant(constant))) => match constant.element {
                Element::I32 => Some(vec![Extent::known((constant.bits as i32).into())]),
                Element::I64 => Some(vec![Extent::known(constant.bits as i64)]),
                _ => None,
            },
            _ => constants(),
        }
    }

    /// Returns the form of the result of an operation, if it is a scalar or a list of known
    /// integers.
    pub(super) fn known_form(&mut self, op: Op<'a>, lowering: &Lowering) -> Planned<Option<Form>> {
        let result = op.result(0);
        let (element, shape) = self.described(result)?;
        if !element.is_integer() || shape.len() > 1 {
            return Ok(None);
        }
        let Some(list) = self.computed(op, lowering, &shape)? else {
            return Ok(None);
        };
        let overflows = |size: &Extent| {
            element == Element::I32 && size.as_known().is_some_and(|it| i32::try_from(it).is_err())
        };
        if list.iter().any(overflows) {
            return Ok(None);
        }
        Ok(match (&list[..], shape.len()) {
            ([only], 0) => Some(Form::Scalar(self.size(only, element))),
            (_, 1) if shape[0].is(list.len() as i64) => Some(Form::Integers(list)),
            _ => None,
        })
    }

    /// Returns the integers that an operation computes, if they are known.
    fn computed(
        &self,
        op: Op<'a>,
        lowering: &Lowering,
        shape: &Shape,
    ) -> Planned<Option<Vec<Extent>>> {
        let of = |operand: usize| self.integers(op.operand(operand));
        let first = || self.described(op.operand(0));
        let joined = |operands: usize| {
            let parts: Option<Vec<_>> = (0..operands).map(of).collect();
            parts.map(|parts| parts.concat())
        };
        Ok(match lowering {
            Lowering::Sizes(stated) => Some(match (stated, first()?.1) {
                (Stated::Shape, sizes) => sizes,
                (Stated::Rank, sizes) => vec![Extent::size(sizes.len() as u64)],
                (Stated::Size, sizes) => vec![count(&sizes)],
            }),
            Lowering::Same(_) => of(0),
            Lowering::Elementwise(Function::Cast(_)) if first()?.0.is_integer() => of(0),
            Lowering::Elementwise(Function::Mul) => of(0).zip(of(1)).and_then(|(one, other)| {
                let at = |list: &[Extent], index: usize| match list {
                    [only] => Some(only.clone()),
                    _ => list.get(index).cloned(),
                };
                let product = |index| {
                    let (one, other) = (at(&one, index)?, at(&other, index)?);
                    // The operation wraps around; an extent does not.
                    one.factor().checked_mul(other.factor())?;
                    Some(one.times(&other))
                };
                (0..one.len().max(other.len())).map(product).collect()
            }),
            Lowering::Reduce {
                function: Reduction::Product,
                reduced,
                ..
            } if reduced[..] == [true] => of(0).map(|list| vec![count(&list)]),
            Lowering::View { axes } => match (&axes[..], count(shape).as_known()) {
                ([axis], Some(results)) => of(0).and_then(|list| {
                    let taken = |index: i64| {
                        let index = axis.offset + axis.step * index;
                        list.get(usize::try_from(index).ok()?).cloned()
                    };
                    (0..results).map(taken).collect()
                }),
                _ => None,
            },
            Lowering::Pack { .. } => joined(op.num_operands()),
            Lowering::Concat { .. } => joined(op.num_operands() - 1),
            Lowering::Lookup(Lookup::Slices { axis: 0, batch: 0 }) => {
                of(0).zip(of(1)).and_then(|(list, indices)| {
                    let taken = |index: &Extent| {
                        let index = usize::try_from(index.as_known()?).ok()?;
                        list.get(index).cloned()
                    };
                    indices.iter().map(taken).collect()
                })
            }
            _ => None,
        })
    }

    /// Returns a buffer of known integers: a new one of constants, or that to which the value is to
    /// be written.
    pub(super) fn listed(&mut self, value: Value<'a>, list: &[Extent]) -> Planned<usize> {
        let element = element(value)?;
        let length = Extent::size(list.len() as u64);
        Ok(match as_known_shape(list) {
            Some(known) => {
                let numbers: Vec<_> = known.into_iter().map(|size| size as u64).collect();
                self.constant_buffer(&numbers, element, length)
            }
            None => {
                let buffer = self.destination(value, element, length);
                self.write_list(list, element, buffer);
                buffer
            }
        })
    }

    /// Writes known integers to a buffer.
    pub(super) fn write_list(&mut self, list: &[Extent], element: Element, buffer: usize) {
        let length = Extent::size(list.len() as u64);
        for (number, size) in list.iter().enumerate() {
            let size = self.size(size, element);
            let part = Expression::splat(size, &[Extent::known(1)], element);
            let axis = Axis {
                offset: number as i64,
                ..Axis::same(0)
            };
            self.write_part(&part, buffer, std::slice::from_ref(&length), &[axis]);
        }
    }

    /// Returns for each dimension of the first operand whether a sum along the dimensions of a
    /// broadcast reduces it. Along a dimension of size 1, the sum is the same either way.
    pub(super) fn repeated(&mut self, op: Op<'a>) -> Planned<Vec<bool>> {
        let unknown = "the dimensions that it sums are known only at run time";
        let axes = op.operand(1);
        let broadcast = operations::repeating(axes).ok_or(unknown)?.op();
        let [first, second] = [0, 1].map(|operand| self.integers(broadcast.operand(operand)));
        let (first, second) = first.zip(second).ok_or(unknown)?;
        let (own, other) = match axes == broadcast.result(0) {
            true => (first, second),
            false => (second, first),
        };
        let rank = own.len().max(other.len());
        if operations::sizes(op.operand(0).ty()).is_none_or(|sizes| sizes.len() != rank) {
            return Err("it sums a tensor of another rank than that of the broadcast".to_owned());
        }
        let mut reduced = Vec::with_capacity(rank);
        for dimension in 0..rank {
            let [own, other] = [&own, &other].map(|sizes| size_at(sizes, dimension, rank));
            let is_repeated = own.is(1);
            if !is_repeated && !other.is(1) {
                self.symbols.equate(&own, &other)?;
            }
            reduced.push(is_repeated);
        }
        Ok(reduced)
    }

    /// Lists the dimensions that a broadcast of known shapes repeats: those of size 1, unless the
    /// shapes are equal.
    pub(super) fn repeated_lists(&mut self, op: Op<'a>) {
        let [first, second] = [0, 1].map(|operand| self.integers(op.operand(operand)));
        let Some((first, second)) = first.zip(second) else {
            return;
        };
        if [&first, &second]
            .map(|it| as_known_shape(it))
            .contains(&None)
        {
            return;
        }
        let rank = first.len().max(second.len());
        for (result, own) in op.results().zip([&first, &second]) {
            let is_repeated =
                |dimension: &usize| first != second && size_at(own, *dimension, rank).is(1);
            let dimensions = (0..rank).filter(is_repeated);
            let list = dimensions.map(|dimension| Extent::size(dimension as u64));
            self.forms.insert(result, Form::Integers(list.collect()));
        }
    }
}

/// Returns the size of a dimension of a shape that is broadcast to this rank.
fn size_at(sizes: &[Extent], dimension: usize, rank: usize) -> Extent {
    match (dimension + sizes.len()).checked_sub(rank) {
        Some(own) => sizes[own].clone(),
        None => Extent::known(1),
    }
}
