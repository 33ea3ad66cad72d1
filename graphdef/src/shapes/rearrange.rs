//! Operations that move elements within dimensions or between them.

use super::{
    layout::{pad, padded_rank},
    shape::{Shape, Size},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("InvertPermutation", Reads::Nothing, |usage| {
        usage.of_rank(0, 1)?;
        Ok(vec![Shape::vector(usage.shape(0).size(0))])
    }),
    ("ConcatOffset", Reads::Nothing, |usage| {
        let shapes = usage.operands[1..].iter();
        Ok(shapes.map(|known| known.shape.clone()).collect())
    }),
    ("SplitV", Reads::These(&[1, 2]), split),
    ("StridedSliceGrad", Reads::These(&[0]), |usage| {
        Ok(vec![usage.shape_in(0)?])
    }),
    ("MirrorPad", Reads::These(&[1]), pad),
    ("MirrorPadGrad", Reads::These(&[1]), cropped),
    ("Reverse", Reads::Nothing, reverse),
    ("ReverseSequence", Reads::Nothing, reverse_sequence),
    ("SpaceToDepth", Reads::Nothing, |usage| blocks(usage, true)),
    ("DepthToSpace", Reads::Nothing, |usage| blocks(usage, false)),
    ("TopKV2", Reads::These(&[1]), largest),
];

/// Splits a dimension into parts of given sizes, one of which may be -1: the remaining elements.
fn split(usage: &Usage<'_>) -> Inferred {
    let count = usage.results();
    if let Some(parts) = usage.length(1)?.filter(|&parts| parts != count) {
        return Err(usage.wrong(format_args!(
            "has {parts} sizes of parts for {count} results"
        )));
    }
    usage.of_rank(2, 0)?;
    let Some(sizes) = usage.of_rank_from(0, 1)? else {
        return Ok(vec![Shape::UNKNOWN; count]);
    };
    let Some(axis) = usage.value(2) else {
        return Ok(vec![Shape::of_rank(sizes.len()); count]);
    };
    let along = usage.dimension(axis, sizes.len(), 0)?;
    let parts = match usage.elements(1) {
        None => vec![None; count],
        Some(parts) => parts.to_vec(),
    };
    if let Some(size) = parts.iter().flatten().find(|&&size| size < -1) {
        return Err(usage.wrong(format_args!("has a part of {size} elements")));
    }
    if parts.iter().filter(|size| **size == Some(-1)).count() > 1 {
        return Err(usage.wrong("can infer one size that is written as -1, not several"));
    }
    let is_inferred = parts.contains(&Some(-1));
    let total: Option<i64> = parts.iter().copied().map(|size| Some(size?.max(0))).sum();
    let own = sizes[along].and_then(|size| i64::try_from(size).ok());
    let left = own.zip(total).map(|(own, total)| own - total);
    if left.is_some_and(|left| left < 0 || left > 0 && !is_inferred) {
        return Err(usage.wrong(format_args!(
            "splits dimension {along} of {} into parts that add up to {}",
            usage.text(0),
            total.unwrap_or(0)
        )));
    }
    let part = |part: Option<i64>| {
        let size = match part {
            Some(-1) => left,
            part => part,
        };
        let mut shape = sizes.to_vec();
        shape[along] = size.and_then(|size| u64::try_from(size).ok());
        Shape::of(shape)
    };
    Ok(parts.into_iter().map(part).collect())
}

/// Removes the elements that a padding added.
fn cropped(usage: &Usage<'_>) -> Inferred {
    let Some(rank) = padded_rank(usage)? else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let width = |position: usize| -> Result<Size, Mismatch> {
        match usage.elements(1).and_then(|widths| widths[position]) {
            Some(width) if width < 0 => Err(usage.wrong(format_args!(
                "cannot remove {width} elements of a dimension"
            ))),
            width => Ok(width.map(|width| width as u64)),
        }
    };
    let size = |dimension: usize| -> Result<Size, Mismatch> {
        let (before, after) = (width(2 * dimension)?, width(2 * dimension + 1)?);
        let (Some(own), Some(before), Some(after)) =
            (usage.shape(0).size(dimension), before, after)
        else {
            return Ok(None);
        };
        let rest = own.checked_sub(before.saturating_add(after));
        let wrong = || {
            usage.wrong(format_args!(
                "cannot remove {before} and {after} elements of dimension {dimension} of {}",
                usage.text(0)
            ))
        };
        rest.map(Some).ok_or_else(wrong)
    };
    let sizes = (0..rank).map(size).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![Shape::of(sizes)])
}

/// Operand 1 has a flag for each dimension.
fn reverse(usage: &Usage<'_>) -> Inferred {
    let flags = usage.length(1)?;
    match (usage.shape(0).rank(), flags) {
        (Some(rank), Some(flags)) if rank != flags => Err(usage.wrong(format_args!(
            "expects a flag for each dimension, but operand 0 is {} and operand 1 is {}",
            usage.text(0),
            usage.text(1)
        ))),
        (None, Some(flags)) => Ok(vec![Shape::of_rank(flags)]),
        _ => Ok(vec![usage.shape(0).clone()]),
    }
}

/// Reverses the first elements of each row of a batch; operand 1 has their number for each row.
fn reverse_sequence(usage: &Usage<'_>) -> Inferred {
    usage.of_rank(1, 1)?;
    let (along, batch) = (usage.int("seq_dim"), usage.int("batch_dim"));
    let Some(sizes) = usage.shape(0).sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    for dimension in [along, batch] {
        if dimension < 0 || dimension as usize >= sizes.len() {
            return Err(usage.wrong(format_args!(
                "has no dimension {dimension} for {}",
                usage.text(0)
            )));
        }
    }
    let batch = batch as usize;
    let size = usage.one_size((0, batch), (1, 0), "a length for each row")?;
    let mut sizes = sizes.to_vec();
    sizes[batch] = size;
    Ok(vec![Shape::of(sizes)])
}

/// Moves blocks of pixels into channels, or back.
fn blocks(usage: &Usage<'_>, into_channels: bool) -> Inferred {
    let block = usage.int("block_size");
    let Some(block) = u64::try_from(block).ok().filter(|&block| block > 1) else {
        return Err(usage.wrong(format_args!(
            "expects blocks of 2 pixels or more, not {block}"
        )));
    };
    if usage.is_text("data_format", "NCHW_VECT_C") {
        return Ok(vec![Shape::UNKNOWN]);
    }
    let Some(sizes) = usage.of_rank(0, 4)? else {
        return Ok(vec![Shape::of_rank(4)]);
    };
    let is_first = usage.is_text("data_format", "NCHW");
    let (channels, spatial) = if is_first { (1, [2, 3]) } else { (3, [1, 2]) };
    let parts = |dimension: usize, count: u64| -> Result<Size, Mismatch> {
        match sizes[dimension] {
            Some(size) if size % count != 0 => Err(usage.wrong(format_args!(
                "cannot divide dimension {dimension} of {} into parts of {count}",
                usage.text(0)
            ))),
            size => Ok(size.map(|size| size / count)),
        }
    };
    let many =
        |dimension: usize, count: u64| sizes[dimension].and_then(|size| size.checked_mul(count));
    let Some(squares) = block.checked_mul(block) else {
        return Err(usage.wrong(format_args!(
            "has blocks of {block} pixels, which is too much"
        )));
    };
    let mut shape = sizes.to_vec();
    for dimension in spatial {
        shape[dimension] = match into_channels {
            true => parts(dimension, block)?,
            false => many(dimension, block),
        };
    }
    shape[channels] = match into_channels {
        true => many(channels, squares),
        false => parts(channels, squares)?,
    };
    Ok(vec![Shape::of(shape)])
}

/// Returns the largest elements of each row, and their places.
fn largest(usage: &Usage<'_>) -> Inferred {
    usage.of_rank(1, 0)?;
    let count: Size = match usage.value(1) {
        Some(count) if count < 0 => {
            return Err(usage.wrong(format_args!("cannot find {count} elements")));
        }
        count => count.map(|count| count as u64),
    };
    let Some([outer @ .., length]) = usage.of_rank_from(0, 1)? else {
        return Ok(vec![Shape::UNKNOWN; 2]);
    };
    if let (Some(count), Some(length)) = (count, *length)
        && count > length
    {
        return Err(usage.wrong(format_args!(
            "cannot find {count} elements in rows of {length}"
        )));
    }
    Ok(vec![Shape::of([outer, &[count]].concat()); 2])
}
