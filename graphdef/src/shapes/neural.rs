//! Operations of neural networks: activations by class, biases, losses.

use super::{
    elementwise::broadcast_of,
    shape::Shape,
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

pub(super) const FUNCTIONS: &[Entry] = &[
    ("Softmax", Reads::Nothing, by_class),
    ("LogSoftmax", Reads::Nothing, by_class),
    ("BiasAdd", Reads::Nothing, bias_add),
    ("BiasAddGrad", Reads::Nothing, bias_add_gradient),
    (
        "SparseSoftmaxCrossEntropyWithLogits",
        Reads::Nothing,
        sparse_cross_entropy,
    ),
    (
        "SoftmaxCrossEntropyWithLogits",
        Reads::Nothing,
        cross_entropy,
    ),
];

fn by_class(usage: &Usage<'_>) -> Inferred {
    usage.of_rank_from(0, 1)?;
    Ok(vec![usage.shape(0).clone()])
}

/// Returns the dimension of the channels of operand 0; `None` if the rank is unknown.
fn channels(usage: &Usage<'_>) -> Result<Option<usize>, Mismatch> {
    let first = usage.is_text("data_format", "NCHW");
    let sizes = usage.of_rank_from(0, if first { 3 } else { 2 })?;
    Ok(sizes.map(|sizes| if first { 1 } else { sizes.len() - 1 }))
}

/// Adds a bias to each channel.
fn bias_add(usage: &Usage<'_>) -> Inferred {
    let dimension = channels(usage)?;
    usage.of_rank(1, 1)?;
    let Some(dimension) = dimension else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    let size = usage.one_size(
        (0, dimension),
        (1, 0),
        &format!("as many biases as dimension {dimension} has channels"),
    )?;
    let mut shape = usage.shape(0).sizes().unwrap_or_default().to_vec();
    shape[dimension] = size;
    Ok(vec![Shape::of(shape)])
}

/// Sums over all dimensions except the channels.
fn bias_add_gradient(usage: &Usage<'_>) -> Inferred {
    let size = channels(usage)?.and_then(|dimension| usage.shape(0).size(dimension));
    Ok(vec![Shape::vector(size)])
}

/// Returns the loss of each row and its gradient; each row has one correct class.
fn sparse_cross_entropy(usage: &Usage<'_>) -> Inferred {
    usage.of_rank(0, 2)?;
    usage.of_rank(1, 1)?;
    let rows = usage.one_size((0, 0), (1, 0), "a label for each row")?;
    Ok(vec![
        Shape::vector(rows),
        Shape::of([rows, usage.shape(0).size(1)]),
    ])
}

/// Returns the loss of each row and its gradient; each row has a distribution of classes.
fn cross_entropy(usage: &Usage<'_>) -> Inferred {
    let shape = match (usage.shape(0).sizes(), usage.shape(1).sizes()) {
        // An unknown shape can only enlarge a size of 1.
        (Some(sizes), None) | (None, Some(sizes)) if sizes.len() == 2 => {
            let kept = sizes.iter().map(|&size| size.filter(|&size| size != 1));
            Shape::of(kept.collect::<Vec<_>>())
        }
        _ => broadcast_of(usage, (0, usage.shape(0)), (1, usage.shape(1)))?,
    };
    if shape.rank().is_some_and(|rank| rank != 2) {
        return Err(usage.wrong(format_args!(
            "expects rows of classes, which are of rank 2, not {}",
            usage.texts(0..2)
        )));
    }
    let rows = Shape::vector(shape.size(0));
    let gradient = Shape::of([shape.size(0), shape.size(1)]);
    Ok(vec![rows, gradient])
}
