//! Elementwise operations: the result has the shape of the operand, or the shape to which several
//! operands broadcast by NumPy's rules.

use super::{
    shape::{Shape, Size},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

macro_rules! entries {
    ($($function:ident: $($name:literal)*;)*) => {
        &[$($(($name, Reads::Nothing, $function),)*)*]
    };
}

pub(super) const FUNCTIONS: &[Entry] = entries! {
    unchanged:
        "Abs" "Acos" "Acosh" "Asin" "Asinh" "Atan" "Atanh" "Cast" "Ceil" "CheckNumerics" "Cos" "Cosh" "Cumprod" "Cumsum"
        "Digamma" "Elu" "Erf" "Erfc" "Erfinv" "Exp" "Expm1" "Floor" "Identity" "Inv" "InvGrad" "Invert" "IsFinite" "IsInf" "IsNan"
        "LeakyRelu" "Lgamma" "Log" "Log1p" "LogicalNot" "MatrixBandPart" "Neg" "OnesLike" "PopulationCount" "PreventGradient"
        "Reciprocal" "ReciprocalGrad" "Relu" "Relu6" "Rint" "Round" "Rsqrt" "RsqrtGrad" "Selu"
        "Sigmoid" "SigmoidGrad" "Sign" "Sin" "Sinh" "Snapshot" "Softplus" "Softsign" "Sqrt" "SqrtGrad" "Square" "StopGradient" "Tan" "Tanh"
        "TanhGrad" "ZerosLike";
    all_unchanged: "IdentityN";
    nothing: "Assert";
    merged: "AddN" "EluGrad" "LeakyReluGrad" "Relu6Grad" "ReluGrad" "SeluGrad" "SoftplusGrad" "SoftsignGrad";
    broadcast:
        "Add" "AddV2" "Atan2" "BitwiseAnd" "BitwiseOr" "BitwiseXor" "Div" "DivNoNan" "FloorDiv" "FloorMod" "Greater"
        "GreaterEqual" "LeftShift" "Less" "LessEqual" "LogicalAnd" "LogicalOr" "Maximum" "Minimum" "Mod" "Mul" "MulNoNan" "Polygamma" "Pow"
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

fn nothing(_: &Usage<'_>) -> Inferred {
    Ok(Vec::new())
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

/// Without `incompatible_shape_error`, shapes that do not broadcast are unequal.
fn equal(usage: &Usage<'_>) -> Inferred {
    let shape = broadcast(usage);
    let is_certain = shape.is_ok() && usage.operands.iter().all(|known| known.shape.is_full());
    match usage.bool("incompatible_shape_error") || is_certain {
        true => shape,
        false => Ok(vec![Shape::UNKNOWN]),
    }
}

/// Returns the shape to which two operands broadcast.
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

/// Returns the shape to which two lists of sizes broadcast, or two sizes that do not match.
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
            // An unknown size must be the same, or 1.
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
                "expects bounds that are scalars or have the shape of {}, not {}",
                usage.text(0),
                usage.texts(1..3)
            ))
        })?;
    }
    Ok(vec![shape])
}

/// The selection of TensorFlow 1: the condition is a scalar, has the shape of the values, or
/// selects rows.
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
                let mut sizes = vec![None; rank];
                sizes[0] = rows.size(0);
                values.meet(&Shape::of(sizes))
            })
    } else {
        condition.meet(&values)
    };
    let shape = fits.ok_or_else(|| {
        usage
            .wrong(format_args!(
                "cannot select from tensors like {} by {}: the condition must be a scalar, have \
                 their shape, or have a boolean for each row",
                usage.text(1),
                usage.text(0)
            ))
            .advise("\"SelectV2\" broadcasts its condition")
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
