//! The same elements in another shape or order.

use crate::proto::attr_value::Value;

use super::{
    Entry, Inferred, Reads,
    elementwise::broadcast_sizes,
    shape::{Shape, Size},
    usage::{Mismatch, Usage},
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

/// The same bytes as elements of another type: where those are smaller or larger, a last dimension comes or goes.
fn bitcast(usage: &Usage<'_>) -> Inferred {
    let bytes = |data_type| crate::element::byte_size(data_type);
    let (Some(from), Some(to)) = (
        bytes(usage.resolved.operands[0]),
        bytes(usage.resolved.results[0]),
    ) else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let Some(sizes) = usage.shape(0).sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let mut shape = sizes.to_vec();
    if from > to {
        shape.push(Some((from / to) as u64));
    } else if from < to {
        let wanted = (to / from) as u64;
        let last = shape.pop();
        if last.is_none_or(|size| size.is_some_and(|size| size != wanted)) {
            return Err(usage.wrong(format_args!(
                "cannot join the elements of {} into larger ones: its last dimension must have {wanted}",
                usage.text(0)
            )));
        }
    }
    Ok(vec![Shape::of(shape)])
}

fn ensure_shape(usage: &Usage<'_>) -> Inferred {
    let wanted: Shape = match usage.attribute("shape") {
        Some(Value::Shape(shape)) => shape.into(),
        _ => Shape::UNKNOWN,
    };
    if wanted.rank().is_none() && usage.shape(0).rank().is_some() {
        return Err(usage.wrong("wants a shape of which at least the rank is written"));
    }
    let met = usage.shape(0).meet(&wanted).ok_or_else(|| {
        let sizes = wanted.to_string();
        usage.wrong(format_args!(
            "wants a tensor of shape {}, not {}",
            sizes.trim_end_matches('x'),
            usage.text(0)
        ))
    })?;
    Ok(vec![met])
}

/// One size may be -1: what is left.
fn reshape(usage: &Usage<'_>) -> Inferred {
    let wanted = usage.shape_in(1)?;
    let missing = |elements: Option<&[Option<i64>]>| {
        let elements = elements.unwrap_or_default();
        elements.iter().filter(|size| **size == Some(-1)).count()
    };
    if missing(usage.elements(1)) > 1 {
        return Err(usage.wrong("can find out one size that is written as -1, not several"));
    }
    let Some(sizes) = wanted.sizes() else {
        return Ok(vec![wanted]);
    };
    let unknown: Vec<usize> = (0..sizes.len())
        .filter(|&dimension| sizes[dimension].is_none())
        .collect();
    let Some(known) = product(sizes) else {
        return Ok(vec![wanted]);
    };
    let Some(count) = usage.shape(0).count() else {
        // The sizes that are known must be among those that multiply to the result.
        let given = usage.shape(0).sizes().and_then(product);
        if let Some(given) = given.filter(|&given| unknown.is_empty() && known % given != 0) {
            let shape = wanted.to_string();
            return Err(usage.wrong(format_args!(
                "cannot give {} the shape {}: its elements are {given} times some number, which {known} is not",
                usage.text(0),
                shape.trim_end_matches('x')
            )));
        }
        return Ok(vec![wanted]);
    };
    let does_not_fit = || {
        let shape = wanted.to_string();
        usage.wrong(format_args!(
            "cannot give {}, which has {count} elements, the shape {}",
            usage.text(0),
            shape.trim_end_matches('x')
        ))
    };
    match unknown[..] {
        [] if known != count => {
            Err(does_not_fit()
                .advise("the sizes must multiply to as many, and one of them may be -1"))
        }
        [] => Ok(vec![wanted]),
        // What is left is the quotient, unless there is nothing to divide.
        [dimension] if known > 0 => {
            if count % known != 0 {
                return Err(does_not_fit().advise(format!(
                    "the sizes that are written multiply to {known}, which does not divide {count}"
                )));
            }
            let mut sizes = sizes.to_vec();
            sizes[dimension] = Some(count / known);
            Ok(vec![Shape::of(sizes)])
        }
        _ if known == 0 && count > 0 => Err(does_not_fit()),
        _ => Ok(vec![wanted]),
    }
}

/// The product of the sizes that are known.
fn product(sizes: &[Size]) -> Option<u64> {
    let mut known = sizes.iter().flatten();
    known.try_fold(1u64, |product, &size| product.checked_mul(size))
}

fn expand_dims(usage: &Usage<'_>) -> Inferred {
    if usage.shape(1).count().is_some_and(|count| count != 1) {
        return Err(usage.wrong(format_args!("wants one dimension, not {}", usage.text(1))));
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
        // Which ones go is known only where all are.
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
                "can take away a dimension of size 1, but dimension {axis} of {} has {size}",
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
    let length = usage.of_rank(1, 1)?.and_then(|sizes| sizes[0]);
    let rank = match (usage.shape(0).rank(), length.map(|length| length as usize)) {
        (Some(rank), Some(length)) if rank != length => {
            return Err(usage.wrong(format_args!(
                "wants a position for each dimension of {}, not {}",
                usage.text(0),
                usage.text(1)
            )));
        }
        (rank, length) => rank.or(length),
    };
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
    let wanted = usage.shape_in(1)?;
    let (Some(sizes), Some(target)) = (usage.shape(0).sizes(), wanted.sizes()) else {
        return Ok(vec![wanted]);
    };
    let refused = |reason: &str| {
        let shape = wanted.to_string();
        usage.wrong(format_args!(
            "cannot broadcast {} to the shape {}: {reason}",
            usage.text(0),
            shape.trim_end_matches('x')
        ))
    };
    if sizes.len() > target.len() {
        return Err(refused("that has fewer dimensions"));
    }
    // A size that is not 1 stays as it is.
    let grown = broadcast_sizes(sizes, target)
        .ok()
        .and_then(|shape| shape.meet(&wanted));
    match grown {
        Some(shape) => Ok(vec![shape]),
        None => Err(refused("only a size of 1 can grow")),
    }
}

fn tile(usage: &Usage<'_>) -> Inferred {
    let length = usage.of_rank(1, 1)?.and_then(|sizes| sizes[0]);
    let rank = match (usage.shape(0).rank(), length.map(|length| length as usize)) {
        (Some(rank), Some(length)) if rank != length => {
            return Err(usage.wrong(format_args!(
                "wants a number of repetitions for each dimension of {}, not {}",
                usage.text(0),
                usage.text(1)
            )));
        }
        (rank, length) => rank.or(length),
    };
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

/// A number of elements before and after each dimension.
fn pad(usage: &Usage<'_>) -> Inferred {
    let wrong = || {
        usage.wrong(format_args!(
            "wants two numbers for each dimension of {}, not {}",
            usage.text(0),
            usage.text(1)
        ))
    };
    let rows = match usage.of_rank(1, 2)? {
        Some([_, Some(columns)]) if *columns != 2 => return Err(wrong()),
        Some([rows, _]) => rows.map(|rows| rows as usize),
        _ => None,
    };
    let rank = match (usage.shape(0).rank(), rows) {
        (Some(rank), Some(rows)) if rank != rows => return Err(wrong()),
        (rank, rows) => rank.or(rows),
    };
    let Some(rank) = rank else {
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
