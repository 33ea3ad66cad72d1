//! Operations on slices at coordinates, and on rows with numbers.

use super::{
    shape::{Shape, Size},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("GatherNd", Reads::Nothing, gather),
    ("ScatterNd", Reads::These(&[2]), |usage| {
        let shape = usage.shape_in(2)?;
        scatter(usage, (0, 1), shape)
    }),
    ("TensorScatterAdd", Reads::Nothing, tensor_scatter),
    ("TensorScatterSub", Reads::Nothing, tensor_scatter),
    ("TensorScatterUpdate", Reads::Nothing, tensor_scatter),
    ("DynamicPartition", Reads::Nothing, partition),
    ("DynamicStitch", Reads::FirstHalf, stitch),
    ("ParallelDynamicStitch", Reads::FirstHalf, stitch),
];

/// Returns the shape of the slices of `shape` at indices; `None` if it is unknown.
fn slices(usage: &Usage<'_>, shape: &Shape, indices: usize) -> Result<Option<Shape>, Mismatch> {
    let Some([outer @ .., depth]) = usage.of_rank_from(indices, 1)? else {
        return Ok(None);
    };
    let (Some(depth), Some(sizes)) = (*depth, shape.sizes()) else {
        return Ok(None);
    };
    match sizes.get(depth as usize..) {
        Some(rest) => Ok(Some(Shape::of([outer, rest].concat()))),
        None => Err(usage.wrong(format_args!(
            "has {depth} coordinates in each row of operand {indices}, for a tensor of {} dimensions",
            sizes.len()
        ))),
    }
}

fn gather(usage: &Usage<'_>) -> Inferred {
    let shape = slices(usage, usage.shape(0), 1)?;
    Ok(vec![shape.unwrap_or(Shape::UNKNOWN)])
}

/// Changes the slices of a tensor at indices, which the updates must match.
fn scatter(usage: &Usage<'_>, (indices, updates): (usize, usize), shape: Shape) -> Inferred {
    let found = usage.of_rank_from(updates, 1)?;
    usage.of_rank_from(indices, 1)?;
    let is_empty = shape.count() == Some(0);
    let has_more = |operand: usize| usage.shape(operand).count().is_some_and(|count| count > 0);
    if is_empty && (has_more(indices) || has_more(updates)) {
        return Err(usage.wrong(format_args!(
            "has indices or updates, {}, for a tensor without elements",
            usage.texts(indices..updates + 1)
        )));
    }
    let wrong = || {
        usage.wrong(format_args!(
            "expects updates with the shape of the slices that the indices name, not {}",
            usage.texts(indices..updates + 1)
        ))
    };
    // A list of indices may have one coordinate in each row, so only updates tell what it means.
    let Some(found) = found else {
        return Ok(vec![shape]);
    };
    if let Some(slices) = slices(usage, &shape, indices)? {
        return match slices.meet(usage.shape(updates)) {
            Some(_) => Ok(vec![shape]),
            None => Err(wrong()),
        };
    }
    // The updates have a row for each row of the indices, also if the slices are unknown.
    if let Some([outer @ .., Some(_)]) = usage.shape(indices).sizes() {
        let rows = found.get(..outer.len()).ok_or_else(wrong)?;
        if Shape::of(rows).meet(&Shape::of(outer)).is_none() {
            return Err(wrong());
        }
    }
    Ok(vec![shape])
}

fn tensor_scatter(usage: &Usage<'_>) -> Inferred {
    usage.of_rank_from(0, 1)?;
    scatter(usage, (1, 2), usage.shape(0).clone())
}

/// Returns the dimensions of rows: those of operand `rows` after the ones that it shares with
/// operand `numbers`. `None` if they are unknown.
fn row<'a>(usage: &Usage<'a>, rows: usize, numbers: usize) -> Result<Option<&'a [Size]>, Mismatch> {
    let Some(outer) = usage.shape(numbers).sizes() else {
        return Ok(None);
    };
    let Some(sizes) = usage.of_rank_from(rows, outer.len())? else {
        return Ok(None);
    };
    for dimension in 0..outer.len() {
        let places = ((rows, dimension), (numbers, dimension));
        usage.one_size(places.0, places.1, "a number for each row")?;
    }
    Ok(Some(&sizes[outer.len()..]))
}

/// Splits rows by their numbers.
fn partition(usage: &Usage<'_>) -> Inferred {
    let shape = match row(usage, 0, 1)? {
        Some(row) => Shape::of([&[None], row].concat()),
        None => Shape::UNKNOWN,
    };
    Ok(vec![shape; usage.results()])
}

/// Puts rows at numbered places. The largest number determines how many there are.
fn stitch(usage: &Usage<'_>) -> Inferred {
    let half = usage.operands.len() / 2;
    let mut inner = Shape::UNKNOWN;
    let mut largest = Some(-1);
    for numbers in 0..half {
        let elements = usage
            .elements(numbers)
            .and_then(|elements| elements.iter().copied().collect::<Option<Vec<i64>>>());
        let is_empty = usage.shape(numbers).count() == Some(0);
        let own = match elements {
            Some(elements) => elements.into_iter().max().or(Some(-1)),
            None => is_empty.then_some(-1),
        };
        largest = largest.zip(own).map(|(one, other)| one.max(other));
        if let Some(row) = row(usage, half + numbers, numbers)? {
            inner = inner.meet(&Shape::of(row)).ok_or_else(|| {
                usage.wrong(format_args!(
                    "joins rows of one shape, not those of {}",
                    usage.texts(half..2 * half)
                ))
            })?;
        }
    }
    let count = largest.and_then(|largest| u64::try_from(largest + 1).ok());
    Ok(vec![match inner.sizes() {
        Some(inner) => Shape::of([&[count], inner].concat()),
        None => Shape::UNKNOWN,
    }])
}
