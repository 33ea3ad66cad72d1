//! Element by element: one shape in and the same out, or several that broadcast as NumPy's do.

use super::{
    Entry, Inferred, Reads,
    shape::{Shape, Size},
    usage::{Mismatch, Usage},
};

macro_rules! entries {
    ($($function:ident: $($name:literal)*;)*) => {
        &[$($(($name, Reads::Nothing, $function),)*)*]
    };
}

pub(super) const FUNCTIONS: &[Entry] = entries! {
    unchanged:
        "Abs" "Acos" "Acosh" "Asin" "Asinh" "Atan" "Atanh" "Cast" "Ceil" "CheckNumerics" "Cos" "Cosh" "Digamma" "Elu" "Erf"
        "Erfc" "Exp" "Expm1" "Floor" "Identity" "Inv" "Invert" "IsFinite" "IsInf" "IsNan" "LeakyRelu" "Lgamma" "Log" "Log1p"
        "LogicalNot" "Neg" "OnesLike" "PopulationCount" "PreventGradient" "Reciprocal" "Relu" "Relu6" "Rint" "Round" "Rsqrt" "Selu"
        "Sigmoid" "SigmoidGrad" "Sign" "Sin" "Sinh" "Snapshot" "Softplus" "Softsign" "Sqrt" "SqrtGrad" "Square" "StopGradient" "Tan" "Tanh"
        "TanhGrad" "ZerosLike";
    all_unchanged: "IdentityN";
    merged: "AddN" "EluGrad" "LeakyReluGrad" "Relu6Grad" "ReluGrad" "SeluGrad" "SoftplusGrad" "SoftsignGrad";
    broadcast:
        "Add" "AddV2" "Atan2" "BitwiseAnd" "BitwiseOr" "BitwiseXor" "Div" "DivNoNan" "FloorDiv" "FloorMod" "Greater"
        "GreaterEqual" "LeftShift" "Less" "LessEqual" "LogicalAnd" "LogicalOr" "Maximum" "Minimum" "Mod" "Mul" "MulNoNan" "Pow"
        "RealDiv" "RightShift" "SquaredDifference" "Sub" "TruncateDiv" "TruncateMod" "Xdivy" "Xlog1py" "Xlogy";
    equal: "Equal" "NotEqual";
    clip: "ClipByValue";
    select: "Select";
    select_broadcast: "SelectV2";
};

fn unchanged(usage: &Usage<'_>) -> Inferred {
    Ok(vec![usage.shape(0).clone()])
}

fn all_unchanged(usage: &Usage<'_>) -> Inferred {
    Ok((0..usage.results())
        .map(|operand| usage.shape(operand).clone())
        .collect())
}

fn merged(usage: &Usage<'_>) -> Inferred {
    Ok(vec![usage.one_shape(0..usage.operands.len())?])
}

fn broadcast(usage: &Usage<'_>) -> Inferred {
    Ok(vec![broadcast_of(
        usage,
        (0, usage.shape(0)),
        (1, usage.shape(1)),
    )?])
}

/// With `incompatible_shape_error` off, shapes that do not go together are just not equal.
fn equal(usage: &Usage<'_>) -> Inferred {
    match broadcast(usage) {
        Err(_) if !usage.bool("incompatible_shape_error") => Ok(vec![Shape::UNKNOWN]),
        Ok(_) if !usage.bool("incompatible_shape_error") && !surely_broadcast(usage) => {
            Ok(vec![Shape::UNKNOWN])
        }
        shape => shape,
    }
}

/// Whether two operands broadcast whatever their unknown sizes are.
fn surely_broadcast(usage: &Usage<'_>) -> bool {
    usage.shape(0).is_full() && usage.shape(1).is_full()
}

/// The shape that two operands broadcast to.
pub(super) fn broadcast_of(
    usage: &Usage<'_>,
    (left_operand, left): (usize, &Shape),
    (right_operand, right): (usize, &Shape),
) -> Result<Shape, Mismatch> {
    let (Some(left), Some(right)) = (left.sizes(), right.sizes()) else {
        return Ok(Shape::UNKNOWN);
    };
    broadcast_sizes(left, right).map_err(|(one, other)| {
        usage.wrong(format_args!(
            "cannot broadcast {} with {}: sizes {one} and {other} differ, and neither is 1",
            usage.text(left_operand),
            usage.text(right_operand),
        ))
    })
}

/// The shape that two lists of sizes broadcast to, or the two sizes that do not go together.
pub(super) fn broadcast_sizes(left: &[Size], right: &[Size]) -> Result<Shape, (u64, u64)> {
    let rank = left.len().max(right.len());
    let size = |sizes: &[Size], dimension: usize| {
        (dimension + sizes.len())
            .checked_sub(rank)
            .map_or(Some(1), |own| sizes[own])
    };
    let sizes = (0..rank).map(|dimension| {
        match (size(left, dimension), size(right, dimension)) {
            (Some(one), Some(other)) if one == other => Ok(Some(one)),
            (Some(1), other) | (other, Some(1)) => Ok(other),
            (Some(one), Some(other)) => Err((one, other)),
            // One that is not known must be the same, or 1.
            (known, None) | (None, known) => Ok(known),
        }
    });
    sizes.collect::<Result<Vec<_>, _>>().map(Shape::of)
}

/// Both bounds are scalars, or have the shape of the values.
fn clip(usage: &Usage<'_>) -> Inferred {
    let mut shape = usage.shape(0).clone();
    for bound in [1, 2] {
        if usage.shape(bound).rank().is_none_or(|rank| rank == 0) {
            continue;
        }
        shape = shape.meet(usage.shape(bound)).ok_or_else(|| {
            usage.wrong(format_args!(
                "wants bounds that are scalars or have the shape of {}, not {}",
                usage.text(0),
                usage.texts(1..3)
            ))
        })?;
    }
    Ok(vec![shape])
}

/// TensorFlow 1's selection: the condition is a scalar, has the shape of the values, or chooses rows.
fn select(usage: &Usage<'_>) -> Inferred {
    let values = usage.one_shape(1..3)?;
    let condition = usage.shape(0);
    let (Some(sizes), Some(rank)) = (condition.sizes(), values.rank()) else {
        return Ok(vec![values]);
    };
    if sizes.is_empty() {
        return Ok(vec![values]);
    }
    let rows = sizes.len() == 1 && rank > 1;
    let fits = if rows {
        condition
            .meet(&Shape::vector(values.size(0)))
            .and_then(|rows| {
                let mut wanted = Shape::of_rank(rank).sizes()?.to_vec();
                wanted[0] = rows.size(0);
                values.meet(&Shape::of(wanted))
            })
    } else {
        condition.meet(&values)
    };
    let shape = fits.ok_or_else(|| {
        usage
            .wrong(format_args!(
                "cannot select from tensors like {} by {}: the condition must be a scalar, have their shape, or have a boolean for each row",
                usage.text(1),
                usage.text(0)
            ))
            .advise("write \"SelectV2\", which broadcasts its condition, if that is meant")
    })?;
    Ok(vec![shape])
}

fn select_broadcast(usage: &Usage<'_>) -> Inferred {
    let values = broadcast_of(usage, (1, usage.shape(1)), (2, usage.shape(2)))?;
    let wrong = |(one, other)| {
        usage.wrong(format_args!(
            "cannot broadcast {}: sizes {one} and {other} differ, and neither is 1",
            usage.texts(0..3)
        ))
    };
    let (Some(condition), Some(values)) = (usage.shape(0).sizes(), values.sizes()) else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    Ok(vec![broadcast_sizes(condition, values).map_err(wrong)?])
}
