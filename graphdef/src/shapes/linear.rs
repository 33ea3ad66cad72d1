//! Linear algebra on batches of matrices, which are the last two dimensions; batch normalization.

use super::{
    elementwise::broadcast_sizes,
    shape::{Shape, Size},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("Cholesky", Reads::Nothing, of_same_shape),
    ("MatrixInverse", Reads::Nothing, of_same_shape),
    ("MatrixDeterminant", Reads::Nothing, determinant),
    ("MatrixTriangularSolve", Reads::Nothing, solve),
    ("FusedBatchNormV3", Reads::Nothing, normalization),
    (
        "FusedBatchNormGradV3",
        Reads::Nothing,
        normalization_gradient,
    ),
];

/// Returns the batch and the size of square matrices; `None` if the rank is unknown.
fn square<'a>(usage: &Usage<'a>, operand: usize) -> Result<Option<(&'a [Size], Size)>, Mismatch> {
    let Some([batch @ .., rows, columns]) = usage.of_rank_from(operand, 2)? else {
        return Ok(None);
    };
    match (rows, columns) {
        (Some(rows), Some(columns)) if rows != columns => Err(usage.wrong(format_args!(
            "expects square matrices, not {}",
            usage.text(operand)
        ))),
        _ => Ok(Some((batch, rows.or(*columns)))),
    }
}

fn of_same_shape(usage: &Usage<'_>) -> Inferred {
    Ok(vec![match square(usage, 0)? {
        Some((batch, size)) => Shape::of([batch, &[size, size]].concat()),
        None => Shape::UNKNOWN,
    }])
}

fn determinant(usage: &Usage<'_>) -> Inferred {
    Ok(vec![match square(usage, 0)? {
        Some((batch, _)) => Shape::of(batch),
        None => Shape::UNKNOWN,
    }])
}

/// Solves equations with triangular matrices, whose batch broadcasts with that of the right sides.
fn solve(usage: &Usage<'_>) -> Inferred {
    let matrix = square(usage, 0)?;
    let right = usage.of_rank_from(1, 2)?;
    let (Some((batch, size)), Some([others @ .., rows, columns])) = (matrix, right) else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let does_not_fit = |problem: &str| {
        let (matrix, right) = (usage.text(0), usage.text(1));
        usage.wrong(format_args!("cannot solve {matrix} for {right}: {problem}"))
    };
    if let (Some(size), Some(rows)) = (size, rows)
        && size != *rows
    {
        let problem = format!("matrices of {size} rows, right sides of {rows} rows");
        return Err(does_not_fit(&problem));
    }
    let shape = broadcast_sizes(batch, others)
        .map_err(|_| does_not_fit("their dimensions before the last two must broadcast"))?;
    let batch = shape.sizes().unwrap_or_default();
    Ok(vec![Shape::of(
        [batch, &[size.or(*rows), *columns]].concat(),
    )])
}

/// Returns the position of the channels in the dimensions of images, and the number of dimensions.
fn layout(usage: &Usage<'_>) -> (usize, usize) {
    let is = |format| usage.is_text("data_format", format);
    let rank = if is("NHWC") || is("NCHW") { 4 } else { 5 };
    let first = is("NCHW") || is("NCDHW");
    (if first { 1 } else { rank - 1 }, rank)
}

/// Returns the number of channels of images, with which vectors of statistics agree.
fn channels(usage: &Usage<'_>, images: &[usize], vectors: &[usize]) -> Result<Size, Mismatch> {
    let (dimension, rank) = layout(usage);
    for &operand in images {
        usage.of_rank(operand, rank)?;
    }
    for &operand in vectors {
        usage.of_rank(operand, 1)?;
    }
    let images = images.iter().map(|&operand| (operand, dimension));
    let places: Vec<_> = images
        .chain(vectors.iter().map(|&operand| (operand, 0)))
        .collect();
    let size = |&(operand, dimension): &(usize, usize)| usage.shape(operand).size(dimension);
    let Some(&known) = places.iter().find(|&place| size(place).is_some()) else {
        return Ok(None);
    };
    for &place in &places {
        usage.one_size(known, place, "one number for each channel")?;
    }
    Ok(size(&known))
}

/// Returns the shape of images with a number of channels.
fn images(usage: &Usage<'_>, operand: usize, channels: Size) -> Shape {
    let (dimension, rank) = layout(usage);
    let sizes = usage.shape(operand).sizes();
    let mut sizes = sizes.map_or_else(|| vec![None; rank], <[Size]>::to_vec);
    sizes[dimension] = channels;
    Shape::of(sizes)
}

/// Returns the normalized images, and statistics of each channel.
fn normalization(usage: &Usage<'_>) -> Inferred {
    // Training computes the mean and the variance.
    let vectors: &[usize] = match usage.bool("is_training") {
        true => &[1, 2],
        false => &[1, 2, 3, 4],
    };
    let size = channels(usage, &[0], vectors)?;
    let mut shapes = vec![images(usage, 0, size)];
    shapes.extend((0..4).map(|_| Shape::vector(size)));
    // What the kernels of some devices leave for the gradient.
    shapes.push(Shape::UNKNOWN);
    Ok(shapes)
}

fn normalization_gradient(usage: &Usage<'_>) -> Inferred {
    let size = channels(usage, &[0, 1], &[2, 3, 4])?;
    let (vector, unused) = (Shape::vector(size), Shape::vector(Some(0)));
    Ok(vec![
        images(usage, 0, size),
        vector.clone(),
        vector,
        unused.clone(),
        unused,
    ])
}
