//! Reductions, which remove dimensions or reduce them to 1.

use super::{
    shape::Shape,
    usage::{Entry, Inferred, Reads, Usage},
};

const AXES: Reads = Reads::These(&[1]);

pub(super) const FUNCTIONS: &[Entry] = &[
    ("All", AXES, reduction),
    ("Any", AXES, reduction),
    ("EuclideanNorm", AXES, reduction),
    ("Max", AXES, reduction),
    ("Mean", AXES, reduction),
    ("Min", AXES, reduction),
    ("Prod", AXES, reduction),
    ("Sum", AXES, reduction),
    ("ArgMax", AXES, arg),
    ("ArgMin", AXES, arg),
    ("L2Loss", Reads::Nothing, |_| Ok(vec![Shape::scalar()])),
];

fn reduction(usage: &Usage<'_>) -> Inferred {
    let keep = usage.bool("keep_dims");
    if let Some(rank) = usage.shape(1).rank().filter(|&rank| rank > 1) {
        return Err(usage.wrong(format_args!(
            "expects its dimensions as a scalar or a list, not as {} of rank {rank}",
            usage.text(1)
        )));
    }
    let Some(sizes) = usage.shape(0).sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let axes = usage
        .elements(1)
        .and_then(|axes| axes.iter().copied().collect::<Option<Vec<i64>>>());
    let Some(axes) = axes else {
        return Ok(vec![match keep {
            true => Shape::of_rank(sizes.len()),
            false => Shape::UNKNOWN,
        }]);
    };
    let mut reduced = vec![false; sizes.len()];
    for axis in axes {
        reduced[usage.dimension(axis, sizes.len(), 0)?] = true;
    }
    let kept = sizes.iter().zip(reduced);
    let shape: Vec<_> = match keep {
        true => kept
            .map(|(&size, gone)| if gone { Some(1) } else { size })
            .collect(),
        false => kept
            .filter(|(_, gone)| !gone)
            .map(|(&size, _)| size)
            .collect(),
    };
    Ok(vec![Shape::of(shape)])
}

/// Returns the position of the largest or smallest element along one dimension.
fn arg(usage: &Usage<'_>) -> Inferred {
    usage.of_rank(1, 0)?;
    let Some(sizes) = usage.shape(0).sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let Some(axis) = usage.value(1) else {
        return Ok(vec![Shape::of_rank(sizes.len().saturating_sub(1))]);
    };
    // TensorFlow accepts every dimension for a scalar.
    if sizes.is_empty() {
        return Ok(vec![Shape::scalar()]);
    }
    let mut shape = sizes.to_vec();
    shape.remove(usage.dimension(axis, sizes.len(), 0)?);
    Ok(vec![Shape::of(shape)])
}
