//! Operations whose results are parts of an operand, without computation.
//!
//! ```text
//! StridedSlice(%x, [1, 0], [9, 1], [2, 1], shrink dimension 1)     y[i] = x[1 + 2 i, 0]
//! ReverseV2(%x : [4, 1], [0])                                      y[i, j] = x[3 - i, j]
//! Tile(%x : [4, 1], [1, 8])                                        y[i, j] = x[i, 0]
//! Split(1, %x : [4, 6])                                            y0[i, j] = x[i, j]
//!                                                                  y1[i, j] = x[i, 3 + j]
//! Unpack(%x)                                                       y0[j] = x[0, j], ...
//! StridedSliceGrad([9, 2], [1, 0], ..., %y)                        x = 0, then x[1 + 2 i, 0] = y[i]
//! ```
//!
//! The positions of parts must be known at compile time, so a dimension of unknown size is taken as
//! a whole.

use super::{Axis, Lowering, Reader, Reading, Sizes, sizes};

/// One bit of a mask for each entry.
fn has(mask: i64, entry: usize) -> bool {
    entry < 64 && mask >> entry & 1 == 1
}

impl Reader<'_, '_> {
    /// Returns the sizes of an operand.
    fn sizes_of(&self, operand: usize) -> Sizes {
        let value = self.op.op().operands().nth(operand);
        value
            .and_then(|value| sizes(value.ty()))
            .unwrap_or_default()
    }

    pub(super) fn strided_slice(&self) -> Reading<Lowering> {
        let axes = self.slice_axes(self.sizes_of(0))?;
        Ok(Lowering::View { axes })
    }

    pub(super) fn strided_slice_grad(&self) -> Reading<Lowering> {
        // The first operand states the sizes of the result.
        let axes = self.slice_axes(sizes(self.op.op().result(0).ty()).unwrap_or_default())?;
        Ok(Lowering::Inside { operand: 4, axes })
    }

    /// Returns the index of each dimension of a tensor of these sizes, of which a part is taken.
    fn slice_axes(&self, own: Sizes) -> Reading<Vec<Axis>> {
        let (begins, ends) = (self.constant(1)?, self.constant(2)?);
        let strides = self.constant(3)?;
        let mask = |name| self.integer(name);
        let (new, ellipsis) = (mask("new_axis_mask"), mask("ellipsis_mask"));
        let entries = begins.len();
        let count_new = (0..entries).filter(|&entry| has(new, entry) && !has(ellipsis, entry));
        let named = entries - count_new.count();
        let named = named - usize::from((0..entries).any(|entry| has(ellipsis, entry)));
        let rest = own
            .len()
            .checked_sub(named)
            .ok_or("it names too many dimensions")?;
        let mut axes = Vec::new();
        let mut result = 0;
        let whole = |axes: &mut Vec<Axis>, result: &mut usize, count: usize| {
            for _ in 0..count {
                axes.push(Axis::same(*result));
                *result += 1;
            }
        };
        for entry in 0..entries {
            if has(ellipsis, entry) {
                whole(&mut axes, &mut result, rest);
            } else if has(new, entry) {
                result += 1;
            } else {
                let size = *own.get(axes.len()).ok_or("it names too many dimensions")?;
                let part = Part {
                    begin: (!has(mask("begin_mask"), entry)).then_some(begins[entry]),
                    end: (!has(mask("end_mask"), entry)).then_some(ends[entry]),
                    stride: strides[entry],
                };
                if has(mask("shrink_axis_mask"), entry) {
                    axes.push(only(begins[entry], size)?);
                } else {
                    axes.push(part.axis(size, result)?);
                    result += 1;
                }
            }
        }
        let left = own.len() - axes.len();
        whole(&mut axes, &mut result, left);
        Ok(axes)
    }

    pub(super) fn reverse(&self) -> Reading<Lowering> {
        let own = self.sizes_of(0);
        let mut axes: Vec<_> = (0..own.len()).map(Axis::same).collect();
        for axis in self.constant(1)? {
            let axis = self.axis(axis, own.len())?;
            let size = own[axis].ok_or("it reverses a dimension of unknown size")?;
            axes[axis].offset = size as i64 - 1;
            axes[axis].step = -1;
        }
        Ok(Lowering::View { axes })
    }

    pub(super) fn tile(&self) -> Reading<Lowering> {
        let (own, multiples) = (self.sizes_of(0), self.constant(1)?);
        let mut axes = Vec::new();
        for (dimension, (size, multiple)) in own.iter().zip(&multiples).enumerate() {
            axes.push(match (size, multiple) {
                (_, 1) => Axis::same(dimension),
                (Some(1), _) => Axis::ZERO,
                _ => return Err("it repeats more than single elements".to_owned()),
            });
        }
        Ok(Lowering::View { axes })
    }

    /// Returns the parts of an operand along a dimension, of these sizes.
    fn parts(&self, operand: usize, axis: usize, parts: &[i64]) -> Reading<Lowering> {
        let own = self.sizes_of(operand);
        let mut views = Vec::new();
        let mut offset = 0;
        for part in parts {
            let mut axes: Vec<_> = (0..own.len()).map(Axis::same).collect();
            axes[axis].offset = offset;
            views.push(axes);
            offset += part;
        }
        match own[axis].is_some_and(|size| size as i64 == offset) {
            true => Ok(Lowering::Views { operand, views }),
            false => Err("it splits a dimension of unknown size".to_owned()),
        }
    }

    pub(super) fn split(&self) -> Reading<Lowering> {
        let own = self.sizes_of(1);
        let axis = self.constant_axis(0, own.len())?;
        let count = self.op.op().num_results() as i64;
        let size = own[axis].ok_or("it splits a dimension of unknown size")? as i64;
        self.parts(1, axis, &vec![size / count; count as usize])
    }

    pub(super) fn split_by_sizes(&self) -> Reading<Lowering> {
        let own = self.sizes_of(0);
        let mut parts = self.constant(1)?;
        let axis = self.constant_axis(2, own.len())?;
        let size = own[axis].ok_or("it splits a dimension of unknown size")? as i64;
        let known: i64 = parts.iter().filter(|part| **part >= 0).sum();
        for part in parts.iter_mut().filter(|part| **part == -1) {
            *part = size - known;
        }
        if parts.len() != self.op.op().num_results() || parts.iter().any(|part| *part < 0) {
            return Err("its sizes do not fit".to_owned());
        }
        self.parts(0, axis, &parts)
    }

    pub(super) fn unpack(&self) -> Reading<Lowering> {
        let own = self.sizes_of(0);
        let axis = self.axis(self.integer("axis"), own.len())?;
        let views = (0..self.op.op().num_results()).map(|number| {
            let of = |dimension: usize| match dimension {
                _ if dimension < axis => Axis::same(dimension),
                _ if dimension > axis => Axis::same(dimension - 1),
                _ => Axis {
                    of: None,
                    offset: number as i64,
                    step: 0,
                },
            };
            (0..own.len()).map(of).collect()
        });
        match own[axis] == Some(self.op.op().num_results() as u64) {
            true => Ok(Lowering::Views {
                operand: 0,
                views: views.collect(),
            }),
            false => Err("it unpacks a dimension of unknown size".to_owned()),
        }
    }
}

/// The entries of a slice for a dimension; without a bound, it is at the end of the dimension.
struct Part {
    begin: Option<i64>,
    end: Option<i64>,
    stride: i64,
}

impl Part {
    /// Returns the index in a dimension of this size, for the index of a dimension of the result.
    fn axis(&self, size: Option<u64>, result: usize) -> Reading<Axis> {
        if self.begin.is_none() && self.end.is_none() && self.stride == 1 {
            return Ok(Axis::same(result));
        }
        let size = size.ok_or("it takes a part of a dimension of unknown size")? as i64;
        let (least, most) = if self.stride > 0 {
            (0, size)
        } else {
            (-1, size - 1)
        };
        let bound = |bound: i64| {
            let from_start = if bound < 0 { bound + size } else { bound };
            from_start.clamp(least, most)
        };
        let begin = match (self.begin, self.stride > 0) {
            (Some(begin), _) => bound(begin),
            (None, true) => least,
            (None, false) => most,
        };
        Ok(Axis {
            of: Some(result),
            offset: begin,
            step: self.stride,
        })
    }
}

/// Returns one index in a dimension of this size.
fn only(index: i64, size: Option<u64>) -> Reading<Axis> {
    let size = size.ok_or("it takes a part of a dimension of unknown size")? as i64;
    let offset = if index < 0 { index + size } else { index };
    match (0..size).contains(&offset) {
        true => Ok(Axis {
            of: None,
            offset,
            step: 0,
        }),
        false => Err("its index is out of range".to_owned()),
    }
}
