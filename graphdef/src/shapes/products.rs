//! Matrix products, also of batches.

use super::{
    elementwise::broadcast_sizes,
    shape::{Shape, Size},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("MatMul", Reads::Nothing, matmul),
    ("BatchMatMul", Reads::Nothing, |usage| batch(usage, false)),
    ("BatchMatMulV2", Reads::Nothing, |usage| batch(usage, true)),
    ("BatchMatMulV3", Reads::Nothing, |usage| batch(usage, true)),
];

/// The attributes that transpose the operands.
type Transposes = [&'static str; 2];

fn matmul(usage: &Usage<'_>) -> Inferred {
    let (left, right) = (usage.of_rank(0, 2)?, usage.of_rank(1, 2)?);
    let (rows, columns) = product(usage, left, right, ["transpose_a", "transpose_b"])?;
    Ok(vec![Shape::of([rows, columns])])
}

/// Returns the rows and columns of the product of two matrices, which are the last two dimensions
/// of each operand.
fn product(
    usage: &Usage<'_>,
    left: Option<&[Size]>,
    right: Option<&[Size]>,
    transposes: Transposes,
) -> Result<(Size, Size), Mismatch> {
    let matrix = |sizes: Option<&[Size]>, transposed: bool| match sizes {
        Some([.., rows, columns]) if transposed => (*columns, *rows),
        Some([.., rows, columns]) => (*rows, *columns),
        _ => (None, None),
    };
    let transposed = transposes.map(|name| usage.bool(name));
    let ((rows, inner), (other, columns)) =
        (matrix(left, transposed[0]), matrix(right, transposed[1]));
    let (Some(inner), Some(other)) = (inner, other) else {
        return Ok((rows, columns));
    };
    if inner == other {
        return Ok((rows, columns));
    }
    let transpose_of = |yes: bool| if yes { "the transpose of " } else { "" };
    let wrong = usage.wrong(format_args!(
        "cannot multiply {}{} by {}{}: rows of {inner} elements by columns of {other}",
        transpose_of(transposed[0]),
        usage.text(0),
        transpose_of(transposed[1]),
        usage.text(1),
    ));
    // The attribute whose change would make the sizes match.
    let fits = |flip: [bool; 2]| {
        let (_, inner) = matrix(left, transposed[0] != flip[0]);
        let (other, _) = matrix(right, transposed[1] != flip[1]);
        inner == other
    };
    let advice = (0..2).find(|&operand| fits([operand == 0, operand == 1]));
    Err(match advice {
        Some(operand) => wrong.advise(format!(
            "with {} = {} it fits",
            transposes[operand], !transposed[operand]
        )),
        None => wrong,
    })
}

/// Multiplies batches of matrices, whose other dimensions are equal or broadcast.
fn batch(usage: &Usage<'_>, broadcasts: bool) -> Inferred {
    let (left, right) = (usage.of_rank_from(0, 2)?, usage.of_rank_from(1, 2)?);
    let (rows, columns) = product(usage, left, right, ["adj_x", "adj_y"])?;
    let (Some(left), Some(right)) = (left, right) else {
        // A single shape determines the batch only if both must be equal.
        let known = left.or(right).filter(|_| !broadcasts);
        return Ok(vec![known.map_or(Shape::UNKNOWN, |sizes| {
            let mut shape = sizes[..sizes.len() - 2].to_vec();
            shape.extend([rows, columns]);
            Shape::of(shape)
        })]);
    };
    let (left, right) = (&left[..left.len() - 2], &right[..right.len() - 2]);
    let (shape, expected) = match broadcasts {
        true => (broadcast_sizes(left, right).ok(), "broadcast"),
        false => (Shape::of(left).meet(&Shape::of(right)), "be equal"),
    };
    let shape = shape.ok_or_else(|| {
        let wrong = usage.wrong(format_args!(
            "cannot multiply {} by {}: their dimensions before the last two must {expected}",
            usage.text(0),
            usage.text(1)
        ));
        match broadcasts {
            true => wrong,
            false => wrong.advise("\"BatchMatMulV2\" broadcasts them"),
        }
    })?;
    let mut sizes = shape.sizes().unwrap_or_default().to_vec();
    sizes.extend([rows, columns]);
    Ok(vec![Shape::of(sizes)])
}
