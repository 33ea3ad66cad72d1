//! Operations on the diagonals of matrices, single or batched.

use super::{
    shape::{Shape, Size},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("MatrixDiagV3", Reads::These(&[1, 2, 3]), matrix_of),
    ("MatrixDiagPartV3", Reads::These(&[1]), diagonals_of),
    ("MatrixSetDiagV3", Reads::These(&[2]), with_diagonals),
];

/// Returns the lowest and the highest diagonal in an operand, if they are known.
fn range(usage: &Usage<'_>, operand: usize) -> Result<Option<(i64, i64)>, Mismatch> {
    if let Some(rank) = usage.shape(operand).rank().filter(|&rank| rank > 1) {
        return Err(usage.wrong(format_args!(
            "expects one diagonal, or the lowest and the highest one, not a tensor of rank {rank}"
        )));
    }
    let count = usage.shape(operand).count();
    if let Some(count) = count.filter(|count| !(1..=2).contains(count)) {
        return Err(usage.wrong(format_args!(
            "expects one diagonal, or the lowest and the highest one, not {count} numbers"
        )));
    }
    let (lowest, highest) = match usage.elements(operand) {
        None => return Ok(None),
        Some([Some(one)]) => (*one, *one),
        Some([Some(lowest), Some(highest)]) => (*lowest, *highest),
        Some(_) => return Ok(None),
    };
    if lowest > highest {
        return Err(usage.wrong(format_args!(
            "has {lowest} as the lowest diagonal, which is above the highest one, {highest}"
        )));
    }
    Ok(Some((lowest, highest)))
}

/// Creates matrices from their diagonals.
fn matrix_of(usage: &Usage<'_>) -> Inferred {
    let sizes = usage.of_rank_from(0, 1)?;
    for operand in 2..5 {
        usage.of_rank(operand, 0)?;
    }
    let range = range(usage, 1)?;
    let (Some(sizes), Some((lowest, highest))) = (sizes, range) else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let (batch, longest) = match sizes {
        [batch @ .., longest] if lowest == highest => (batch, *longest),
        [batch @ .., count, longest] => {
            let expected = (highest - lowest + 1) as u64;
            if let Some(count) = count.filter(|&count| count != expected) {
                return Err(usage.wrong(format_args!(
                    "has {count} diagonals in {}, not {expected} as from {lowest} to {highest}",
                    usage.text(0)
                )));
            }
            (batch, *longest)
        }
        _ => {
            return Err(usage.wrong(format_args!(
                "expects several diagonals, not {}",
                usage.text(0)
            )));
        }
    };
    let (rows, columns) = match longest.and_then(|longest| i64::try_from(longest).ok()) {
        Some(longest) => {
            let least = (longest - highest.min(0), longest + lowest.max(0));
            matrix_size(usage, least)?
        }
        None => (given(usage, 2), given(usage, 3)),
    };
    Ok(vec![Shape::of([batch, &[rows, columns]].concat())])
}

/// Returns a size that an operand gives; -1 means that it is inferred.
fn given(usage: &Usage<'_>, operand: usize) -> Size {
    usage
        .value(operand)
        .and_then(|size| u64::try_from(size).ok())
}

/// Returns the rows and columns of a matrix, for their least numbers.
fn matrix_size(
    usage: &Usage<'_>,
    (least_rows, least_columns): (i64, i64),
) -> Result<(Size, Size), Mismatch> {
    let too_small = |rows: i64, columns: i64| {
        usage.wrong(format_args!(
            "cannot create matrices of {rows} rows and {columns} columns from {}: the diagonals \
             need {least_rows} and {least_columns}",
            usage.text(0)
        ))
    };
    let is_less =
        |size: Option<i64>, least: i64| size.is_some_and(|size| size != -1 && size < least);
    let (rows, columns) = (usage.value(2), usage.value(3));
    if is_less(rows, least_rows) || is_less(columns, least_columns) {
        return Err(too_small(rows.unwrap_or(-1), columns.unwrap_or(-1)));
    }
    let (Some(rows), Some(columns)) = (rows, columns) else {
        // One of the two numbers is the least one.
        let other = |size: Option<i64>, least: i64, result: i64| {
            let is_more = size.is_some_and(|size| size > least);
            is_more.then_some(result as u64)
        };
        return Ok((
            given(usage, 2).or(other(columns, least_columns, least_rows)),
            given(usage, 3).or(other(rows, least_rows, least_columns)),
        ));
    };
    let (rows, columns) = match (rows, columns) {
        (-1, -1) => {
            let both = least_rows.max(least_columns);
            (both, both)
        }
        (-1, columns) => (least_rows, columns),
        (rows, -1) => (rows, least_columns),
        both => both,
    };
    if rows != least_rows && columns != least_columns {
        return Err(too_small(rows, columns));
    }
    Ok((Some(rows as u64), Some(columns as u64)))
}

/// Returns the shape of the diagonals of the matrices in operand 0; `None` if it is unknown.
fn diagonals(usage: &Usage<'_>, (lowest, highest): (i64, i64)) -> Result<Option<Shape>, Mismatch> {
    let Some([batch @ .., rows, columns]) = usage.shape(0).sizes() else {
        return Ok(None);
    };
    let signed = |size: &Size| size.and_then(|size| i64::try_from(size).ok());
    let (rows, columns) = (signed(rows), signed(columns));
    for number in [lowest, highest] {
        let is_above = columns.is_some_and(|columns| number >= columns);
        let is_below = rows.is_some_and(|rows| number <= -rows);
        if number != 0 && (is_above || is_below) {
            return Err(usage.wrong(format_args!(
                "has no diagonal {number} in {}",
                usage.text(0)
            )));
        }
    }
    let longest = rows.zip(columns).map(|(rows, columns)| {
        let longest = (rows + highest.min(0)).min(columns - lowest.max(0));
        longest.max(0) as u64
    });
    let mut shape = batch.to_vec();
    if lowest < highest {
        shape.push(Some((highest - lowest + 1) as u64));
    }
    shape.push(longest);
    Ok(Some(Shape::of(shape)))
}

fn diagonals_of(usage: &Usage<'_>) -> Inferred {
    usage.of_rank_from(0, 2)?;
    usage.of_rank(2, 0)?;
    let shape = match range(usage, 1)? {
        Some(range) => diagonals(usage, range)?,
        None => None,
    };
    Ok(vec![shape.unwrap_or(Shape::UNKNOWN)])
}

/// Replaces diagonals of matrices.
fn with_diagonals(usage: &Usage<'_>) -> Inferred {
    usage.of_rank_from(0, 2)?;
    usage.of_rank_from(1, 1)?;
    if let Some(range) = range(usage, 2)?
        && let Some(expected) = diagonals(usage, range)?
        && expected.meet(usage.shape(1)).is_none()
    {
        return Err(usage.wrong(format_args!(
            "cannot write {} over the diagonals of {}, which have the shape {}",
            usage.text(1),
            usage.text(0),
            expected.text()
        )));
    }
    Ok(vec![usage.shape(0).clone()])
}
