//! Slices with steps, and their gradient.
//!
//! ```text
//! x[1:, ..., 0, newaxis]     entries of the specification: begin, end, step, and a bit in each mask
//!   --Taken--> base, steps   where the elements are in the tensor
//!              shape         how many of each dimension; without those of which one is taken
//! ```
//!
//! Linear in the elements of the result.

use crate::{
    kernels::{
        Attributes, Entry, Result,
        create::shape_of,
        dispatch, fail,
        indexing::pick,
        input,
        positions::{at, each},
        single, strides,
    },
    tensor::{Shape, Tensor, shape_text},
};

pub(super) const KERNELS: &[Entry] = &[
    ("StridedSlice", |attributes| {
        let masks = Masks::of(attributes)?;
        single(move |inputs| {
            let tensor = input(inputs, 0)?;
            let taken = specified(tensor.shape(), inputs, masks)?;
            let steps = &taken.steps;
            Ok(pick(tensor, taken.base, &taken.sizes, steps)?.reshaped(&taken.shape)?)
        })
    }),
    ("StridedSliceGrad", |attributes| {
        let masks = Masks::of(attributes)?;
        single(move |inputs| gradient(inputs, masks))
    }),
];

/// The masks of a `StridedSlice`: bit `i` refers to the `i`-th entry of the specification.
#[derive(Clone, Copy)]
struct Masks {
    begin: i64,
    end: i64,
    ellipsis: i64,
    new_axis: i64,
    shrink: i64,
}

impl Masks {
    fn of(attributes: &Attributes<'_>) -> Result<Self> {
        let masks = Masks {
            begin: attributes.int("begin_mask", 0),
            end: attributes.int("end_mask", 0),
            ellipsis: attributes.int("ellipsis_mask", 0),
            new_axis: attributes.int("new_axis_mask", 0),
            shrink: attributes.int("shrink_axis_mask", 0),
        };
        if masks.ellipsis.count_ones() > 1 {
            return fail!("Multiple ellipses in slice spec not allowed");
        }
        Ok(masks)
    }
}

/// The elements that a slice takes of a tensor.
struct Taken {
    /// The position of the first one.
    base: usize,
    /// The number of elements for each dimension of the tensor.
    sizes: Shape,
    /// The distance of two elements along each dimension.
    steps: Vec<isize>,
    /// The shape of the slice.
    shape: Shape,
}

/// Returns the elements that inputs 1 to 3 and masks specify.
fn specified(sizes: &[usize], inputs: &[Tensor], masks: Masks) -> Result<Taken> {
    let (begins, ends, steps) = (
        input(inputs, 1)?.integers()?,
        input(inputs, 2)?.integers()?,
        input(inputs, 3)?.integers()?,
    );
    if begins.len() != ends.len() || begins.len() != steps.len() {
        return fail!("Expected begin, end, and strides to be 1D equal size tensors");
    }
    slice_by_masks(sizes, &begins, &ends, &steps, masks)
}

/// Zeros of the shape in input 0, with input 4 at the place of the slice.
fn gradient(inputs: &mut [Tensor], masks: Masks) -> Result<Tensor> {
    let (shape, gradient) = (shape_of(input(inputs, 0)?)?, input(inputs, 4)?);
    let taken = specified(&shape, inputs, masks)?;
    if gradient.shape() != &taken.shape[..] {
        return fail!(
            "shape of dy was {} instead of {}",
            shape_text(gradient.shape()),
            shape_text(&taken.shape)
        );
    }
    // Positions wrap, since a step may be negative.
    let steps: Shape = taken.steps.iter().map(|&step| step as usize).collect();
    let positions = each(&taken.sizes, |coordinates| {
        taken.base.wrapping_add(at(coordinates, &steps))
    });
    dispatch!(gradient.dtype(), T in plain => {
        let values = gradient.values::<T>()?;
        Ok(Tensor::build(&shape, |output: &mut [T]| {
            for (&at, &value) in positions.iter().zip(values) {
                output[at] = value;
            }
        })?)
    })
}

fn slice_by_masks(
    sizes: &[usize],
    begins: &[i64],
    ends: &[i64],
    steps: &[i64],
    masks: Masks,
) -> Result<Taken> {
    let rank = sizes.len();
    let own = strides(sizes);
    let has = |mask: i64, entry: usize| entry < 64 && mask >> entry & 1 == 1;
    let consuming = (0..begins.len())
        .filter(|&entry| !has(masks.ellipsis, entry) && !has(masks.new_axis, entry))
        .count();
    if consuming > rank {
        return fail!(
            "Index out of range using input dim {}; input has only {} dims",
            rank,
            rank
        );
    }
    // `taken` has one entry for each dimension of the input, `shape` one for each dimension of the
    // result.
    let (mut taken, mut taken_steps, mut shape) = (Shape::new(), Vec::new(), Shape::new());
    let mut base = 0;
    let keep_all =
        |dimension: usize, taken: &mut Shape, taken_steps: &mut Vec<isize>, shape: &mut Shape| {
            taken.push(sizes[dimension]);
            taken_steps.push(own[dimension] as isize);
            shape.push(sizes[dimension]);
        };
    for entry in 0..begins.len() {
        let dimension = taken.len();
        if has(masks.ellipsis, entry) {
            for dimension in dimension..dimension + rank - consuming {
                keep_all(dimension, &mut taken, &mut taken_steps, &mut shape);
            }
            continue;
        }
        if has(masks.new_axis, entry) {
            shape.push(1);
            continue;
        }
        let total = sizes[dimension] as i64;
        let step = steps[entry];
        if step == 0 {
            return fail!("strides[{entry}] must be non-zero");
        }
        if has(masks.shrink, entry) {
            if step < 0 {
                return fail!("only stride 1 allowed on non-range indexing.");
            }
            let at = if begins[entry] < 0 {
                begins[entry] + total
            } else {
                begins[entry]
            };
            if at < 0 || at >= total {
                return fail!(
                    "slice index {} of dimension {dimension} out of bounds.",
                    begins[entry]
                );
            }
            base += at as usize * own[dimension];
            taken.push(1);
            taken_steps.push(0);
            continue;
        }
        // The first and last positions of a walk in the direction of the step.
        let (lowest, highest) = if step > 0 {
            (0, total)
        } else {
            (-1, total - 1)
        };
        let bound = |value: i64, masked: bool, default: i64| {
            if masked {
                default
            } else {
                (if value < 0 {
                    value.saturating_add(total)
                } else {
                    value
                })
                .clamp(lowest, highest)
            }
        };
        let (first, last) = if step > 0 {
            (lowest, highest)
        } else {
            (highest, lowest)
        };
        let begin = bound(begins[entry], has(masks.begin, entry), first);
        let end = bound(ends[entry], has(masks.end, entry), last);
        let distance = if step > 0 { end - begin } else { begin - end };
        let length = if distance <= 0 {
            0
        } else {
            (distance as u64).div_ceil(step.unsigned_abs()) as usize
        };
        if length > 0 {
            base += begin as usize * own[dimension];
        }
        taken.push(length);
        taken_steps.push((own[dimension] as isize).wrapping_mul(step as isize));
        shape.push(length);
    }
    for dimension in taken.len()..rank {
        keep_all(dimension, &mut taken, &mut taken_steps, &mut shape);
    }
    Ok(Taken {
        base,
        sizes: taken,
        steps: taken_steps,
        shape,
    })
}
