//! Operations that extract parts of tensors, or combine tensors.

use super::{
    shape::{Shape, Size, meet},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("Pack", Reads::Nothing, pack),
    ("Unpack", Reads::Nothing, unpack),
    ("Concat", Reads::These(&[0]), |usage| {
        concat(usage, 0, 1..usage.operands.len())
    }),
    ("ConcatV2", Reads::Last, |usage| {
        let last = usage.operands.len() - 1;
        concat(usage, last, 0..last)
    }),
    ("Split", Reads::These(&[0]), split),
    ("Slice", Reads::These(&[1, 2]), slice),
    ("StridedSlice", Reads::These(&[1, 2, 3]), strided_slice),
    ("Gather", Reads::Nothing, |usage| gather(usage, Some(0), 0)),
    ("GatherV2", Reads::These(&[2]), |usage| {
        usage.of_rank(2, 0)?;
        gather(usage, usage.value(2), usage.int("batch_dims"))
    }),
    ("SegmentSum", Reads::Nothing, segments),
    ("SegmentMean", Reads::Nothing, segments),
    ("SegmentProd", Reads::Nothing, segments),
    ("SegmentMax", Reads::Nothing, segments),
    ("SegmentMin", Reads::Nothing, segments),
    ("UnsortedSegmentSum", Reads::These(&[2]), unsorted_segments),
    ("UnsortedSegmentProd", Reads::These(&[2]), unsorted_segments),
    ("UnsortedSegmentMax", Reads::These(&[2]), unsorted_segments),
    ("UnsortedSegmentMin", Reads::These(&[2]), unsorted_segments),
    ("Where", Reads::Nothing, |usage| {
        let rank = usage.shape(0).rank().map(|rank| rank as u64);
        Ok(vec![Shape::of([None, rank])])
    }),
];

/// Combines rows by numbers in order, the last of which determines the number of segments.
fn segments(usage: &Usage<'_>) -> Inferred {
    usage.of_rank(1, 1)?;
    let Some(sizes) = usage.of_rank_from(0, 1)? else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let mut sizes = sizes.to_vec();
    sizes[0] = None;
    Ok(vec![Shape::of(sizes)])
}

/// Combines rows by numbers in any order. The dimensions of the numbers are the first of the rows.
fn unsorted_segments(usage: &Usage<'_>) -> Inferred {
    usage.of_rank(2, 0)?;
    let count = usage.value(2);
    let Some(numbers) = usage.shape(1).sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    if let Some(count) = count.filter(|&count| count < 0) {
        return Err(usage.wrong(format_args!(
            "has {count} segments, which must not be negative"
        )));
    }
    let Some(sizes) = usage.of_rank_from(0, numbers.len())? else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    for dimension in 0..numbers.len() {
        usage.one_size((0, dimension), (1, dimension), "a number for each row")?;
    }
    let mut result = vec![count.map(|count| count as u64)];
    result.extend_from_slice(&sizes[numbers.len()..]);
    Ok(vec![Shape::of(result)])
}

/// Joins tensors of one shape along a new dimension.
fn pack(usage: &Usage<'_>) -> Inferred {
    let count = usage.operands.len();
    let shape = usage.one_shape(0..count)?;
    let Some(sizes) = shape.sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let axis = usage.dimension(usage.int("axis"), sizes.len() + 1, 0)?;
    let mut sizes = sizes.to_vec();
    sizes.insert(axis, Some(count as u64));
    Ok(vec![Shape::of(sizes)])
}

fn unpack(usage: &Usage<'_>) -> Inferred {
    let count = usage.results();
    let Some(sizes) = usage.shape(0).sizes() else {
        return Ok(vec![Shape::UNKNOWN; count]);
    };
    let axis = usage.dimension(usage.int("axis"), sizes.len(), 0)?;
    if let Some(size) = sizes[axis].filter(|&size| size != count as u64) {
        return Err(usage
            .wrong(format_args!(
                "splits {} along dimension {axis} into {size} tensors, but has {count} results",
                usage.text(0)
            ))
            .advise(format!("write {size} results")));
    }
    let mut sizes = sizes.to_vec();
    sizes.remove(axis);
    Ok(vec![Shape::of(sizes); count])
}

/// Joins tensors along an existing dimension.
fn concat(usage: &Usage<'_>, axis: usize, parts: std::ops::Range<usize>) -> Inferred {
    usage.of_rank(axis, 0)?;
    let first = parts.start;
    let mut rank = None;
    for part in parts.clone() {
        let Some(sizes) = usage.of_rank_from(part, 1)? else {
            continue;
        };
        if *rank.get_or_insert(sizes.len()) != sizes.len() {
            return Err(different(usage, parts, part, "tensors of one rank"));
        }
    }
    let Some(rank) = rank else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let Some(axis) = usage.value(axis) else {
        return Ok(vec![Shape::of_rank(rank)]);
    };
    let along = usage.dimension(axis, rank, first)?;
    // The other sizes are equal, so each is known if any part has it.
    let without = |part: usize| {
        let mut sizes = usage.shape(part).sizes().map(<[Size]>::to_vec);
        if let Some(sizes) = &mut sizes {
            sizes[along] = None;
        }
        sizes.map_or(Shape::UNKNOWN, Shape::of)
    };
    let mut shape = Shape::of_rank(rank);
    for part in parts.clone() {
        shape = shape.meet(&without(part)).ok_or_else(|| {
            different(
                usage,
                parts.clone(),
                part,
                &format!("tensors that differ in dimension {along} alone"),
            )
        })?;
    }
    let total = parts
        .map(|part| usage.shape(part).size(along))
        .try_fold(0u64, |total, size| total.checked_add(size?));
    let mut sizes = shape.sizes().unwrap_or_default().to_vec();
    sizes[along] = total;
    Ok(vec![Shape::of(sizes)])
}

fn different(
    usage: &Usage<'_>,
    parts: std::ops::Range<usize>,
    part: usize,
    expected: &str,
) -> Mismatch {
    let first = parts.start;
    usage.wrong(format_args!(
        "joins {expected}, but operand {first} is {} and operand {part} is {}",
        usage.text(first),
        usage.text(part)
    ))
}

fn split(usage: &Usage<'_>) -> Inferred {
    let count = usage.results();
    usage.of_rank(0, 0)?;
    let Some(sizes) = usage.shape(1).sizes() else {
        return Ok(vec![Shape::UNKNOWN; count]);
    };
    let Some(axis) = usage.value(0) else {
        return Ok(vec![Shape::of_rank(sizes.len()); count]);
    };
    let along = usage.dimension(axis, sizes.len(), 1)?;
    let mut shape = sizes.to_vec();
    if let Some(size) = sizes[along] {
        if count == 0 || !size.is_multiple_of(count as u64) {
            return Err(usage.wrong(format_args!(
                "cannot split dimension {along} of {} into {count} equal parts",
                usage.text(1)
            )));
        }
        shape[along] = Some(size / count as u64);
    }
    Ok(vec![Shape::of(shape); count])
}

/// Takes `size` elements from `begin`; -1 means all remaining elements.
fn slice(usage: &Usage<'_>) -> Inferred {
    let mut rank = usage.shape(0).rank();
    for operand in [1, 2] {
        rank = meet(rank, usage.length(operand)?).ok_or_else(|| {
            usage.wrong(format_args!(
                "expects a begin and a size for each dimension of {}, not {}",
                usage.text(0),
                usage.texts(1..3)
            ))
        })?;
    }
    let Some(rank) = rank else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let number = |operand: usize, dimension: usize| usage.elements(operand)?[dimension];
    let size = |dimension: usize| -> Result<Size, Mismatch> {
        let total = usage.shape(0).size(dimension);
        let (begin, length) = (number(1, dimension), number(2, dimension));
        let refused = |what: String| {
            usage.wrong(format_args!(
                "cannot take {what} of dimension {dimension} of {}",
                usage.text(0)
            ))
        };
        if begin.is_some_and(|begin| begin < 0) {
            return Err(refused(format!("elements from {} on", begin.unwrap_or(0))));
        }
        if length.is_some_and(|length| length < -1) {
            return Err(refused(format!("{} elements", length.unwrap_or(0))));
        }
        let begin = begin.map(|begin| begin as u64);
        if let (Some(total), Some(begin)) = (total, begin)
            && begin > total
        {
            return Err(refused(format!("elements from {begin} on")));
        }
        match length {
            None => Ok(None),
            Some(-1) => Ok(total.zip(begin).map(|(total, begin)| total - begin)),
            Some(length) => {
                let length = length as u64;
                let last = begin.unwrap_or(0).saturating_add(length);
                match total {
                    Some(total) if last > total => Err(refused(format!(
                        "{length} elements from {} on",
                        begin.unwrap_or(0)
                    ))),
                    _ => Ok(Some(length)),
                }
            }
        }
    };
    let sizes = (0..rank).map(size).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![Shape::of(sizes)])
}

/// The specification of a `StridedSlice`: bit `i` of a mask belongs to its `i`-th entry.
struct Specification<'u, 'a> {
    usage: &'u Usage<'a>,
    begin: i64,
    end: i64,
    ellipsis: i64,
    new_axis: i64,
    shrink: i64,
}

/// The number of entries that have a bit in the masks.
const MASK_BITS: usize = 64;

fn has(mask: i64, entry: usize) -> bool {
    entry < MASK_BITS && mask >> entry & 1 == 1
}

fn strided_slice(usage: &Usage<'_>) -> Inferred {
    let mut entries: Option<usize> = None;
    for operand in 1..4 {
        entries = meet(entries, usage.length(operand)?).ok_or_else(|| {
            usage.wrong(format_args!(
                "expects as many begins as ends and steps, not {}",
                usage.texts(1..4)
            ))
        })?;
    }
    let specification = Specification {
        usage,
        begin: usage.int("begin_mask"),
        end: usage.int("end_mask"),
        ellipsis: usage.int("ellipsis_mask"),
        new_axis: usage.int("new_axis_mask"),
        shrink: usage.int("shrink_axis_mask"),
    };
    if specification.ellipsis.count_ones() > 1 {
        return Err(usage.wrong("can have one ellipsis, not several"));
    }
    match (entries, usage.shape(0).sizes()) {
        (Some(entries), Some(sizes)) => specification.result(entries, sizes),
        _ => Ok(vec![Shape::UNKNOWN]),
    }
}

impl Specification<'_, '_> {
    fn result(&self, entries: usize, sizes: &[Size]) -> Inferred {
        let takes_one = |entry: &usize| !has(self.ellipsis | self.new_axis, *entry);
        let consuming = (0..entries).filter(takes_one).count();
        if consuming > sizes.len() {
            return Err(self.usage.wrong(format_args!(
                "has {consuming} indices for {}, which has {} dimensions",
                self.usage.text(0),
                sizes.len()
            )));
        }
        let mut shape = Vec::new();
        let mut dimension = 0;
        for entry in 0..entries {
            if has(self.ellipsis, entry) {
                let skipped = sizes.len() - consuming;
                shape.extend_from_slice(&sizes[dimension..dimension + skipped]);
                dimension += skipped;
            } else if has(self.new_axis, entry) {
                shape.push(Some(1));
            } else {
                let size = self.entry(entry, dimension, sizes[dimension])?;
                if !has(self.shrink, entry) {
                    shape.push(size);
                }
                dimension += 1;
            }
        }
        shape.extend_from_slice(&sizes[dimension..]);
        Ok(vec![Shape::of(shape)])
    }

    /// Returns the number of elements that an entry takes of a dimension.
    fn entry(&self, entry: usize, dimension: usize, total: Size) -> Result<Size, Mismatch> {
        let number = |operand: usize| self.usage.elements(operand)?[entry];
        let (begin, end, step) = (number(1), number(2), number(3));
        if step == Some(0) {
            return Err(self.usage.wrong(format_args!(
                "cannot take steps of 0 along dimension {dimension}"
            )));
        }
        let total = total.and_then(|total| i64::try_from(total).ok());
        if has(self.shrink, entry) {
            if step.is_some_and(|step| step < 0) {
                return Err(self.usage.wrong(format_args!(
                    "takes one element of dimension {dimension}, which requires a step of 1 or more"
                )));
            }
            if let (Some(total), Some(begin)) = (total, begin)
                && !(-total..total).contains(&begin)
            {
                return Err(self.usage.wrong(format_args!(
                    "takes element {begin} of dimension {dimension} of {}, which has {total}",
                    self.usage.text(0)
                )));
            }
            return Ok(None);
        }
        let Some(step) = step else {
            return Ok(None);
        };
        let masked = (has(self.begin, entry), has(self.end, entry));
        let Some(total) = total else {
            return Ok(self.without_total(masked, begin, end, step));
        };
        let (lowest, highest) = if step > 0 {
            (0, total)
        } else {
            (-1, total - 1)
        };
        let bound = |value: Option<i64>, masked: bool, default: i64| match value {
            _ if masked => Some(default),
            Some(value) if value < 0 => Some(value.saturating_add(total).clamp(lowest, highest)),
            value => value.map(|value| value.clamp(lowest, highest)),
        };
        let (first, last) = if step > 0 {
            (lowest, highest)
        } else {
            (highest, lowest)
        };
        let (Some(begin), Some(end)) = (bound(begin, masked.0, first), bound(end, masked.1, last))
        else {
            return Ok(None);
        };
        Ok(Some(steps(begin, end, step)))
    }

    /// Returns the size for a dimension of unknown size: 0 if the interval is empty for every size.
    fn without_total(
        &self,
        masked: (bool, bool),
        begin: Option<i64>,
        end: Option<i64>,
        step: i64,
    ) -> Size {
        let (Some(begin), Some(end), (false, false)) = (begin, end, masked) else {
            return None;
        };
        let same_side = (begin < 0) == (end < 0);
        (same_side && steps(begin, end, step) == 0).then_some(0)
    }
}

/// Returns the number of steps from `begin` to before `end`.
fn steps(begin: i64, end: i64, step: i64) -> u64 {
    let distance = (i128::from(end) - i128::from(begin)) * i128::from(step.signum());
    let step = i128::from(step).abs();
    u64::try_from((distance.max(0) + step - 1) / step).unwrap_or(u64::MAX)
}

/// Takes slices at indices along a dimension. The first `batch` dimensions of both operands
/// correspond.
fn gather(usage: &Usage<'_>, axis: Option<i64>, batch: i64) -> Inferred {
    let sizes = usage.of_rank_from(0, 1)?;
    if let (Some(sizes), Some(axis)) = (sizes, axis) {
        usage.dimension(axis, sizes.len(), 0)?;
    }
    let Some(indices) = usage.shape(1).sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let batch = if batch < 0 {
        batch + indices.len() as i64
    } else {
        batch
    };
    let limit = sizes.map_or(indices.len(), |sizes| indices.len().min(sizes.len()));
    let Some(batch) = usize::try_from(batch).ok().filter(|&batch| batch <= limit) else {
        return Err(usage.wrong(format_args!(
            "has batch_dims = {}, which must be at most the rank of {}",
            usage.int("batch_dims"),
            usage.texts(0..2)
        )));
    };
    let Some(sizes) = sizes else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    for dimension in 0..batch {
        usage.one_size((0, dimension), (1, dimension), "batches of one size")?;
    }
    let Some(axis) = axis else {
        return Ok(vec![Shape::of_rank(
            sizes.len() - 1 + indices.len() - batch,
        )]);
    };
    let axis = usage.dimension(axis, sizes.len(), 0)?;
    if axis < batch {
        return Err(usage.wrong(format_args!(
            "gathers along dimension {axis}, which must not be one of the {batch} batch dimensions"
        )));
    }
    let mut shape = sizes[..axis].to_vec();
    shape.extend_from_slice(&indices[batch..]);
    shape.extend_from_slice(&sizes[axis + 1..]);
    Ok(vec![Shape::of(shape)])
}
