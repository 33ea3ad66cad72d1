//! Operations that change the shape of a tensor or the order of its elements.

use crate::{element::byte_size, proto::attr_value::Value};

use super::{
    elementwise::broadcast_sizes,
    shape::{Shape, Size, meet},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

const SECOND: Reads = Reads::These(&[1]);

pub(super) const FUNCTIONS: &[Entry] = &[
    ("Bitcast", Reads::Nothing, bitcast),
    ("EnsureShape", Reads::Nothing, ensure_shape),
    ("Reshape", SECOND, reshape),
    ("ExpandDims", SECOND, expand_dims),
    ("Squeeze", Reads::Nothing, squeeze),
    ("Transpose", SECOND, transpose),
    ("BroadcastTo", SECOND, broadcast_to),
    ("BroadcastGradientArgs", Reads::These(&[0, 1]), |usage| {
        usage.of_rank(0, 1)?;
        usage.of_rank(1, 1)?;
        Ok(vec![Shape::of_rank(1), Shape::of_rank(1)])
    }),
    ("Tile", SECOND, tile),
    ("ReverseV2", SECOND, reverse),
    ("Pad", SECOND, pad),
    ("PadV2", SECOND, pad),
];

/// The same bytes as elements of another type. If their size differs, the last dimension is added
/// or removed.
fn bitcast(usage: &Usage<'_>) -> Inferred {
    let (Some(from), Some(to), Some(sizes)) = (
        byte_size(usage.resolved.operands[0]),
        byte_size(usage.resolved.results[0]),
        usage.shape(0).sizes(),
    ) else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let mut shape = sizes.to_vec();
    if from > to {
        shape.push(Some((from / to) as u64));
    } else if from < to {
        let expected = (to / from) as u64;
        let last = shape.pop();
        if last.is_none_or(|size| size.is_some_and(|size| size != expected)) {
            return Err(usage.wrong(format_args!(
                "cannot join the elements of {} into larger ones: the size of its last dimension \
                 must be {expected}",
                usage.text(0)
            )));
        }
    }
    Ok(vec![Shape::of(shape)])
}

fn ensure_shape(usage: &Usage<'_>) -> Inferred {
    let target: Shape = match usage.attribute("shape") {
        Some(Value::Shape(shape)) => shape.into(),
        _ => Shape::UNKNOWN,
    };
    if target.rank().is_none() && usage.shape(0).rank().is_some() {
        return Err(usage.wrong("expects a shape of known rank"));
    }
    let met = usage.shape(0).meet(&target).ok_or_else(|| {
        usage.wrong(format_args!(
            "expects a tensor of shape {}, not {}",
            target.text(),
            usage.text(0)
        ))
    })?;
    Ok(vec![met])
}

/// One size may be -1, which stands for the remaining elements.
fn reshape(usage: &Usage<'_>) -> Inferred {
    let target = usage.shape_in(1)?;
    let missing = |elements: Option<&[Option<i64>]>| {
        let elements = elements.unwrap_or_default();
        elements.iter().filter(|size| **size == Some(-1)).count()
    };
    if missing(usage.elements(1)) > 1 {
        return Err(usage.wrong("can infer one size that is written as -1, not several"));
    }
    let Some(sizes) = target.sizes() else {
        return Ok(vec![target]);
    };
    let unknown: Vec<usize> = (0..sizes.len())
        .filter(|&dimension| sizes[dimension].is_none())
        .collect();
    let Some(known) = product(sizes) else {
        return Ok(vec![target]);
    };
    let Some(count) = usage.shape(0).count() else {
        // The product of the known sizes must divide the number of elements of the result.
        let given = usage.shape(0).sizes().and_then(product);
        if let Some(given) = given.filter(|&given| unknown.is_empty() && known % given != 0) {
            return Err(usage.wrong(format_args!(
                "cannot give {} the shape {}: its number of elements is a multiple of {given}, \
                 and {known} is not",
                usage.text(0),
                target.text()
            )));
        }
        return Ok(vec![target]);
    };
    let does_not_fit = || {
        usage.wrong(format_args!(
            "cannot give {}, which has {count} elements, the shape {}",
            usage.text(0),
            target.text()
        ))
    };
    match unknown[..] {
        [] if known != count => Err(does_not_fit()
            .advise("the product of the sizes must be equal, and one of them may be -1")),
        [] => Ok(vec![target]),
        // The remaining size is the quotient, unless it is 0 / 0.
        [dimension] if known > 0 => {
            if count % known != 0 {
                return Err(does_not_fit().advise(format!(
                    "the product of the other sizes is {known}, which does not divide {count}"
                )));
            }
            let mut sizes = sizes.to_vec();
            sizes[dimension] = Some(count / known);
            Ok(vec![Shape::of(sizes)])
        }
        _ if known == 0 && count > 0 => Err(does_not_fit()),
        _ => Ok(vec![target]),
    }
}

/// Returns the product of the known sizes.
fn product(sizes: &[Size]) -> Option<u64> {
    let mut known = sizes.iter().flatten();
    known.try_fold(1u64, |product, &size| product.checked_mul(size))
}

fn expand_dims(usage: &Usage<'_>) -> Inferred {
    if usage.shape(1).count().is_some_and(|count| count != 1) {
        return Err(usage.wrong(format_args!("expects one dimension, not {}", usage.text(1))));
    }
    let Some(sizes) = usage.shape(0).sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let Some(axis) = usage.value(1) else {
        return Ok(vec![Shape::of_rank(sizes.len() + 1)]);
    };
    let mut shape = sizes.to_vec();
    shape.insert(usage.dimension(axis, sizes.len() + 1, 0)?, Some(1));
    Ok(vec![Shape::of(shape)])
}

fn squeeze(usage: &Usage<'_>) -> Inferred {
    let Some(sizes) = usage.shape(0).sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let axes = usage.ints("squeeze_dims");
    if axes.is_empty() {
        // The removed dimensions are known only if all sizes are.
        if !usage.shape(0).is_full() {
            return Ok(vec![Shape::UNKNOWN]);
        }
        let kept = sizes.iter().copied().filter(|&size| size != Some(1));
        return Ok(vec![Shape::of(kept.collect::<Vec<_>>())]);
    }
    let mut gone = vec![false; sizes.len()];
    for &axis in axes {
        let dimension = usage.dimension(axis, sizes.len(), 0)?;
        if let Some(size) = sizes[dimension].filter(|&size| size != 1) {
            return Err(usage.wrong(format_args!(
                "can remove a dimension of size 1, but dimension {axis} of {} has {size}",
                usage.text(0)
            )));
        }
        gone[dimension] = true;
    }
    let kept = sizes.iter().zip(gone).filter(|(_, gone)| !gone);
    Ok(vec![Shape::of(
        kept.map(|(&size, _)| size).collect::<Vec<_>>(),
    )])
}

fn transpose(usage: &Usage<'_>) -> Inferred {
    let rank = meet(usage.shape(0).rank(), usage.length(1)?).ok_or_else(|| {
        usage.wrong(format_args!(
            "expects a position for each dimension of {}, not {}",
            usage.text(0),
            usage.text(1)
        ))
    })?;
    let Some(rank) = rank else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let Some(order) = usage.elements(1) else {
        return Ok(vec![Shape::of_rank(rank)]);
    };
    let mut taken = vec![false; rank];
    let mut sizes = Vec::with_capacity(rank);
    for &position in order {
        let Some(position) = position else {
            sizes.push(None);
            continue;
        };
        let dimension = usage.dimension(position, rank, 0)?;
        if std::mem::replace(&mut taken[dimension], true) {
            return Err(usage.wrong(format_args!(
                "takes dimension {position} of {} twice",
                usage.text(0)
            )));
        }
        sizes.push(usage.shape(0).size(dimension));
    }
    Ok(vec![Shape::of(sizes)])
}

fn broadcast_to(usage: &Usage<'_>) -> Inferred {
    let shape = usage.shape_in(1)?;
    let (Some(sizes), Some(target)) = (usage.shape(0).sizes(), shape.sizes()) else {
        return Ok(vec![shape]);
    };
    let refused = |reason: &str| {
        usage.wrong(format_args!(
            "cannot broadcast {} to the shape {}: {reason}",
            usage.text(0),
            shape.text()
        ))
    };
    if sizes.len() > target.len() {
        return Err(refused("that has fewer dimensions"));
    }
    // A size other than 1 stays the same.
    let grown = broadcast_sizes(sizes, target)
        .ok()
        .and_then(|grown| grown.meet(&shape));
    match grown {
        Some(shape) => Ok(vec![shape]),
        None => Err(refused("only a size of 1 can grow")),
    }
}

fn tile(usage: &Usage<'_>) -> Inferred {
    let rank = meet(usage.shape(0).rank(), usage.length(1)?).ok_or_else(|| {
        usage.wrong(format_args!(
            "expects a number of repetitions for each dimension of {}, not {}",
            usage.text(0),
            usage.text(1)
        ))
    })?;
    let Some(rank) = rank else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let times = |dimension: usize| -> Result<Size, Mismatch> {
        match usage.elements(1).and_then(|times| times[dimension]) {
            Some(times) if times < 0 => {
                Err(usage.wrong(format_args!("cannot repeat a dimension {times} times")))
            }
            times => Ok(times.map(|times| times as u64)),
        }
    };
    let size = |dimension| -> Result<Size, Mismatch> {
        let times = times(dimension)?;
        Ok(match (usage.shape(0).size(dimension), times) {
            (Some(0), _) | (_, Some(0)) => Some(0),
            (size, times) => size
                .zip(times)
                .and_then(|(size, times)| size.checked_mul(times)),
        })
    };
    let sizes = (0..rank).map(size).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![Shape::of(sizes)])
}

fn reverse(usage: &Usage<'_>) -> Inferred {
    usage.of_rank(1, 1)?;
    if let (Some(rank), Some(axes)) = (usage.shape(0).rank(), usage.elements(1)) {
        let mut taken = vec![false; rank];
        for axis in axes.iter().copied().flatten() {
            let dimension = usage.dimension(axis, rank, 0)?;
            if std::mem::replace(&mut taken[dimension], true) {
                return Err(usage.wrong(format_args!("reverses dimension {axis} twice")));
            }
        }
    }
    Ok(vec![usage.shape(0).clone()])
}

/// Returns the rank of a tensor with paddings, from itself or from the rows of the paddings.
pub(super) fn padded_rank(usage: &Usage<'_>) -> Result<Option<usize>, Mismatch> {
    let wrong = || {
        usage.wrong(format_args!(
            "expects two numbers for each dimension of {}, not {}",
            usage.text(0),
            usage.text(1)
        ))
    };
    let rows = match usage.of_rank(1, 2)? {
        Some([_, Some(columns)]) if *columns != 2 => return Err(wrong()),
        Some([rows, _]) => rows.map(|rows| rows as usize),
        _ => None,
    };
    meet(usage.shape(0).rank(), rows).ok_or_else(wrong)
}

/// Adds elements before and after each dimension.
pub(super) fn pad(usage: &Usage<'_>) -> Inferred {
    let Some(rank) = padded_rank(usage)? else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let added = |position: usize| -> Result<Size, Mismatch> {
        match usage.elements(1).and_then(|paddings| paddings[position]) {
            Some(count) if count < 0 => {
                Err(usage.wrong(format_args!("cannot add {count} elements to a dimension")))
            }
            count => Ok(count.map(|count| count as u64)),
        }
    };
    let size = |dimension: usize| -> Result<Size, Mismatch> {
        let (before, after) = (added(2 * dimension)?, added(2 * dimension + 1)?);
        let sum = |size: u64| size.checked_add(before?)?.checked_add(after?);
        Ok(usage.shape(0).size(dimension).and_then(sum))
    };
    let sizes = (0..rank).map(size).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![Shape::of(sizes)])
}
