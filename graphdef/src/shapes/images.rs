//! Operations on images: convolutions, pools, other sizes, blocks as batches.

use super::{
    shape::{Shape, Size, meet},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
    window::{Padding, Window},
};

const SIZE: Reads = Reads::These(&[1]);
const SHAPE: Reads = Reads::These(&[0]);
const BLOCKS: Reads = Reads::These(&[1, 2]);

pub(super) const FUNCTIONS: &[Entry] = &[
    ("Conv2D", Reads::Nothing, |usage| convolution(usage, 2)),
    ("Conv2DBackpropInput", SHAPE, gradient_of_images),
    ("Conv2DBackpropFilter", SIZE, |usage| shape_of(usage, 1, 4)),
    ("Conv3D", Reads::Nothing, |usage| convolution(usage, 3)),
    ("Conv3DBackpropInputV2", SHAPE, |usage| {
        shape_of(usage, 0, 5)
    }),
    ("Conv3DBackpropFilterV2", SIZE, |usage| {
        shape_of(usage, 1, 5)
    }),
    ("DepthwiseConv2dNative", Reads::Nothing, depthwise),
    ("DepthwiseConv2dNativeBackpropInput", SHAPE, |usage| {
        shape_of(usage, 0, 4)
    }),
    ("DepthwiseConv2dNativeBackpropFilter", SIZE, |usage| {
        shape_of(usage, 1, 4)
    }),
    ("MaxPool", Reads::Nothing, |usage| {
        Ok(vec![pool(usage, 2, Channels::Pooled)?])
    }),
    ("MaxPoolGrad", Reads::Nothing, |usage| {
        usage.of_rank(0, 4)?;
        Ok(vec![of_rank(usage.shape(0), 4)])
    }),
    ("MaxPoolGradGrad", Reads::Nothing, second_gradient),
    ("MaxPool3D", Reads::Nothing, |usage| {
        Ok(vec![pool(usage, 3, Channels::Kept)?])
    }),
    ("AvgPool", Reads::Nothing, |usage| {
        Ok(vec![pool(usage, 2, Channels::Kept)?])
    }),
    ("AvgPool3D", Reads::Nothing, |usage| {
        Ok(vec![pool(usage, 3, Channels::Kept)?])
    }),
    ("AvgPoolGrad", SHAPE, |usage| shape_of(usage, 0, 4)),
    ("ResizeNearestNeighbor", SIZE, resized),
    ("ResizeNearestNeighborGrad", SIZE, resized),
    ("ResizeBilinear", SIZE, resized),
    ("ResizeBilinearGrad", Reads::Nothing, |usage| {
        Ok(vec![usage.shape(1).clone()])
    }),
    ("SpaceToBatchND", BLOCKS, |usage| blocks(usage, To::Batch)),
    ("BatchToSpaceND", BLOCKS, |usage| blocks(usage, To::Space)),
];

/// Returns a shape of this rank, which it has if it is known.
fn of_rank(shape: &Shape, rank: usize) -> Shape {
    match shape.rank() {
        Some(_) => shape.clone(),
        None => Shape::of_rank(rank),
    }
}

/// Returns the shape that the value of an operand describes, which must be of a rank.
fn shape_of(usage: &Usage<'_>, operand: usize, rank: usize) -> Inferred {
    let shape = usage.shape_in(operand)?;
    match shape.rank() {
        Some(other) if other != rank => Err(usage.wrong(format_args!(
            "expects {rank} sizes as operand {operand}, not {other}"
        ))),
        _ => Ok(vec![of_rank(&shape, rank)]),
    }
}

/// The dimensions of images, by the attribute `data_format`.
struct Format {
    rank: usize,
    channels: usize,
    /// The first spatial dimension.
    first: usize,
}

impl Format {
    fn of(usage: &Usage<'_>, spatial: usize) -> Self {
        let is_first = ["NCHW", "NCDHW"]
            .iter()
            .any(|format| usage.is_text("data_format", format));
        Format {
            rank: spatial + 2,
            channels: if is_first { 1 } else { spatial + 1 },
            first: if is_first { 2 } else { 1 },
        }
    }

    /// Returns the sizes of operand 0; all of them are unknown if its rank is.
    fn sizes(&self, usage: &Usage<'_>) -> Result<Vec<Size>, Mismatch> {
        let sizes = usage.of_rank(0, self.rank)?;
        Ok(sizes.map_or(vec![None; self.rank], <[Size]>::to_vec))
    }

    /// Returns an attribute that has a number for each dimension.
    fn numbers<'u>(&self, usage: &Usage<'u>, name: &str) -> Result<&'u [i64], Mismatch> {
        let numbers = usage.ints(name);
        match numbers.len() == self.rank {
            true => Ok(numbers),
            false => Err(usage.wrong(format_args!(
                "expects {} numbers as '{name}', not {numbers:?}",
                self.rank
            ))),
        }
    }
}

/// Returns the number of positions of a window along a dimension.
fn positions(
    usage: &Usage<'_>,
    dimension: usize,
    input: Size,
    (size, dilation, stride): (Size, i64, i64),
) -> Result<Size, Mismatch> {
    let positive = |number: i64, name: &str| match u64::try_from(number) {
        Ok(number) if number > 0 => Ok(number),
        _ => Err(usage.wrong(format_args!("expects a {name} of 1 or more, not {number}"))),
    };
    let (stride, dilation) = (positive(stride, "stride")?, positive(dilation, "dilation")?);
    let padding = match usage.ints("explicit_paddings") {
        _ if usage.is_text("padding", "SAME") => Padding::Same,
        paddings if usage.is_text("padding", "EXPLICIT") => {
            let width = |index: usize| {
                paddings
                    .get(index)
                    .and_then(|&width| u64::try_from(width).ok())
            };
            match (width(2 * dimension), width(2 * dimension + 1)) {
                (Some(before), Some(after)) => Padding::Explicit(before, after),
                _ => {
                    return Err(usage.wrong(format_args!(
                        "expects two paddings of 0 or more for each dimension, not {paddings:?}"
                    )));
                }
            }
        }
        _ => Padding::Valid,
    };
    if size == Some(0) && dilation > 1 && padding != Padding::Same {
        return Err(usage.wrong("expects a window with elements if it has gaps"));
    }
    let Some(input) = input else {
        return Ok(None);
    };
    let size = match (size, padding) {
        (Some(size), _) => size,
        // The size does not matter.
        (None, Padding::Same) => 1,
        (None, _) => return Ok(None),
    };
    let window = Window {
        size,
        dilation,
        stride,
    };
    let wrong = |problem: &dyn std::fmt::Display| {
        usage.wrong(format_args!(
            "has no result for {}: along dimension {dimension}, {problem}",
            usage.text(0)
        ))
    };
    let positions = window.positions(input, padding);
    let positions = positions.map_err(|problem| wrong(&problem))?;
    // TensorFlow's kernels compute an empty result if less than a stride is missing.
    if positions.count == 0 && padding != Padding::Same {
        return Err(wrong(&format_args!(
            "a window of {size} elements does not fit into {input}"
        )));
    }
    Ok(Some(positions.count))
}

/// Checks the paddings of an operation.
fn check_padding(usage: &Usage<'_>, format: &Format) -> Result<(), Mismatch> {
    let paddings = usage.ints("explicit_paddings");
    if !usage.is_text("padding", "EXPLICIT") {
        return match paddings.is_empty() {
            true => Ok(()),
            false => Err(usage.wrong("has explicit paddings, which are for the padding EXPLICIT")),
        };
    }
    let is_zero = |dimension: usize| paddings[2 * dimension..2 * dimension + 2] == [0, 0];
    if paddings.len() == 2 * format.rank && is_zero(0) && is_zero(format.channels) {
        return Ok(());
    }
    Err(usage.wrong(format_args!(
        "expects two paddings for each dimension, and 0 for the batch and the channels, not {paddings:?}"
    )))
}

fn convolution(usage: &Usage<'_>, spatial: usize) -> Inferred {
    let format = Format::of(usage, spatial);
    let mut sizes = format.sizes(usage)?;
    let filter = usage.of_rank(1, format.rank)?;
    let filter = filter.map_or(vec![None; format.rank], <[Size]>::to_vec);
    let dilations = format.numbers(usage, "dilations")?;
    let strides = format.numbers(usage, "strides")?;
    check_padding(usage, &format)?;
    let (depth, results) = (filter[spatial], filter[spatial + 1]);
    if let (Some(channels), Some(depth)) = (sizes[format.channels], depth) {
        let wrong = |problem| Err(usage.wrong(format_args!("{problem}: {}", usage.texts(0..2))));
        if depth == 0 || channels % depth != 0 {
            return wrong("expects channels that are a multiple of those of the filter");
        }
        let groups = channels / depth;
        if groups != 1 && results.is_some_and(|results| groups == 0 || results % groups != 0) {
            return wrong("expects as many filters for each group of channels");
        }
    }
    for (index, &size) in filter[..spatial].iter().enumerate() {
        let dimension = format.first + index;
        let window = (size, dilations[dimension], strides[dimension]);
        sizes[dimension] = positions(usage, dimension, sizes[dimension], window)?;
    }
    sizes[format.channels] = results;
    Ok(vec![Shape::of(sizes)])
}

/// Operand 0 has all four sizes of the images, or the height and the width. The filter and the
/// gradient have the other two.
fn gradient_of_images(usage: &Usage<'_>) -> Inferred {
    let format = Format::of(usage, 2);
    usage.of_rank(1, 4)?;
    usage.of_rank(2, 4)?;
    usage.one_size(
        (2, format.channels),
        (1, 3),
        "a gradient with as many channels as there are filters",
    )?;
    let given = usage.shape_in(0)?;
    let batch = usage.shape(2).size(0);
    let mut shape = vec![None; 4];
    shape[0] = batch;
    match given.sizes() {
        Some([height, width]) => {
            shape[format.channels] = usage.shape(1).size(2);
            (shape[format.first], shape[format.first + 1]) = (*height, *width);
        }
        Some(sizes) if sizes.len() == 4 => {
            let Some(batch) = meet(sizes[0], batch) else {
                return Err(usage.wrong(format_args!(
                    "expects a gradient of as many images as operand 0 says, not {}",
                    usage.text(2)
                )));
            };
            shape = sizes.to_vec();
            shape[0] = batch;
        }
        Some(sizes) => {
            return Err(usage.wrong(format_args!(
                "expects 4 or 2 sizes as operand 0, not {}",
                sizes.len()
            )));
        }
        None => {}
    }
    Ok(vec![Shape::of(shape)])
}

/// Each channel has several filters of its own.
fn depthwise(usage: &Usage<'_>) -> Inferred {
    let format = Format::of(usage, 2);
    let mut sizes = format.sizes(usage)?;
    let filter = usage.of_rank(1, 4)?;
    let filter = filter.map_or(vec![None; 4], <[Size]>::to_vec);
    let dilations = format.numbers(usage, "dilations")?;
    let strides = format.numbers(usage, "strides")?;
    check_padding(usage, &format)?;
    let channels = usage.one_size(
        (0, format.channels),
        (1, 2),
        "as many channels as the filter has",
    )?;
    for (index, &size) in filter[..2].iter().enumerate() {
        let dimension = format.first + index;
        let window = (size, dilations[dimension], strides[dimension]);
        sizes[dimension] = positions(usage, dimension, sizes[dimension], window)?;
    }
    sizes[format.channels] = match (channels, filter[3]) {
        (Some(0), _) | (_, Some(0)) => Some(0),
        (channels, multiplier) => channels.zip(multiplier).and_then(|(a, b)| a.checked_mul(b)),
    };
    Ok(vec![Shape::of(sizes)])
}

/// The support of a pool for windows over channels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Channels {
    Kept,
    Pooled,
}

fn pool(usage: &Usage<'_>, spatial: usize, channels: Channels) -> Result<Shape, Mismatch> {
    let format = Format::of(usage, spatial);
    let mut sizes = format.sizes(usage)?;
    let strides = format.numbers(usage, "strides")?;
    let window = format.numbers(usage, "ksize")?;
    check_padding(usage, &format)?;
    let pooled = (channels == Channels::Pooled).then_some(format.channels);
    for dimension in (format.first..format.first + spatial).chain(pooled) {
        let Ok(size) = u64::try_from(window[dimension]) else {
            return Err(usage.wrong(format_args!("has a window of {window:?}")));
        };
        let window = (Some(size), 1, strides[dimension]);
        sizes[dimension] = positions(usage, dimension, sizes[dimension], window)?;
    }
    Ok(Shape::of(sizes))
}

/// Operands: images, the result of their pool, and a tensor like the images.
fn second_gradient(usage: &Usage<'_>) -> Inferred {
    let shape = pool(usage, 2, Channels::Pooled)?;
    if usage.shape(0).meet(usage.shape(2)).is_none() {
        return Err(usage.wrong(format_args!(
            "expects tensors of one shape, but operand 0 is {} and operand 2 is {}",
            usage.text(0),
            usage.text(2)
        )));
    }
    match shape.meet(usage.shape(1)) {
        Some(shape) => Ok(vec![shape]),
        None => Err(usage.wrong(format_args!(
            "expects the result of the pool as operand 1, not {}",
            usage.text(1)
        ))),
    }
}

/// Operand 1 has the height and the width.
fn resized(usage: &Usage<'_>) -> Inferred {
    let sizes = usage.of_rank(0, 4)?;
    if let Some(length) = usage.length(1)?.filter(|&length| length != 2) {
        return Err(usage.wrong(format_args!(
            "expects a height and a width as operand 1, not {length} sizes"
        )));
    }
    let sizes = sizes.map_or(vec![None; 4], <[Size]>::to_vec);
    let target = |index: usize| {
        let size = usage.elements(1)?.get(index).copied()??;
        u64::try_from(size).ok()
    };
    Ok(vec![Shape::of([sizes[0], target(0), target(1), sizes[3]])])
}

/// The destination of elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    Batch,
    Space,
}

/// Operand 1 has the sizes of blocks, operand 2 what is added or removed around each dimension.
fn blocks(usage: &Usage<'_>, to: To) -> Inferred {
    let count = usage.length(1)?;
    let rows = usage.of_rank(2, 2)?;
    if let Some([rows, columns]) = rows {
        let fits = |size: &Size, expected: Option<usize>| match (size, expected) {
            (Some(size), Some(expected)) => *size == expected as u64,
            _ => true,
        };
        if !fits(rows, count) || !fits(columns, Some(2)) {
            return Err(usage.wrong(format_args!(
                "expects two numbers for each size of a block, but operand 1 is {} and operand 2 is {}",
                usage.text(1),
                usage.text(2)
            )));
        }
    }
    let count = count.or_else(|| rows.and_then(|rows| Some(rows[0]? as usize)));
    let Some(count) = count else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let natural = |operand: usize, index: usize, least: i64| match usage
        .elements(operand)
        .and_then(|elements| elements[index])
    {
        Some(number) if number < least => Err(usage.wrong(format_args!(
            "expects numbers of {least} or more in operand {operand}, which holds {number}"
        ))),
        number => Ok(number.map(|number| number as u64)),
    };
    let blocks = (0..count).map(|index| natural(1, index, 1));
    let blocks = blocks.collect::<Result<Vec<_>, _>>()?;
    let edges =
        (0..count).map(|index| Ok((natural(2, 2 * index, 0)?, natural(2, 2 * index + 1, 0)?)));
    let edges = edges.collect::<Result<Vec<_>, _>>()?;
    let Some(sizes) = usage.of_rank_from(0, count + 1)? else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let elements: Size = blocks
        .iter()
        .try_fold(1u64, |product, &block| product.checked_mul(block?));
    let divided = |size: u64, by: u64| match size.is_multiple_of(by) {
        true => Ok(size / by),
        false => Err(usage.wrong(format_args!(
            "cannot divide {size} elements of {} into blocks of {by}",
            usage.text(0)
        ))),
    };
    let mut shape = sizes.to_vec();
    shape[0] = match (sizes[0], elements, to) {
        (Some(size), Some(elements), To::Batch) => size.checked_mul(elements),
        (Some(size), Some(elements), To::Space) => Some(divided(size, elements)?),
        _ => None,
    };
    for (index, (&block, &edges)) in blocks.iter().zip(&edges).enumerate() {
        let (Some(size), Some(block), (Some(before), Some(after))) =
            (sizes[index + 1], block, edges)
        else {
            shape[index + 1] = None;
            continue;
        };
        let around = before.saturating_add(after);
        shape[index + 1] = Some(match to {
            To::Batch => divided(size.saturating_add(around), block)?,
            To::Space => match size.saturating_mul(block).checked_sub(around) {
                Some(rest) => rest,
                None => {
                    return Err(usage.wrong(format_args!(
                        "cannot remove {before} and {after} elements of dimension {} of {} in blocks of {block}",
                        index + 1,
                        usage.text(0)
                    )));
                }
            },
        });
    }
    Ok(vec![Shape::of(shape)])
}
