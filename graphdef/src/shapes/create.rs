//! Operations that create tensors from constants, shapes and numbers.

use crate::proto::attr_value::Value;

use super::{
    shape::{Shape, Size},
    usage::{Entry, Inferred, Mismatch, Reads, Usage},
};

const SHAPE: Reads = Reads::These(&[0]);

pub(super) const FUNCTIONS: &[Entry] = &[
    ("Const", Reads::Nothing, constant),
    ("Placeholder", Reads::Nothing, placeholder),
    ("Fill", SHAPE, fill),
    ("Range", Reads::These(&[0, 1, 2]), range),
    ("LinSpace", Reads::These(&[2]), linear_space),
    ("OneHot", Reads::These(&[1]), one_hot),
    ("Shape", Reads::Nothing, |usage| {
        Ok(vec![shape_of(usage.shape(0))])
    }),
    ("ShapeN", Reads::Nothing, |usage| {
        let operands = usage.operands.iter();
        Ok(operands.map(|operand| shape_of(&operand.shape)).collect())
    }),
    ("Size", Reads::Nothing, |_| Ok(vec![Shape::scalar()])),
    ("Rank", Reads::Nothing, |_| Ok(vec![Shape::scalar()])),
    ("RandomUniform", SHAPE, random),
    ("RandomStandardNormal", SHAPE, random),
    ("TruncatedNormal", SHAPE, random),
    ("StatelessRandomUniform", SHAPE, stateless_random),
    ("StatelessRandomNormal", SHAPE, stateless_random),
    ("StatelessTruncatedNormal", SHAPE, stateless_random),
    ("StatelessRandomUniformV2", SHAPE, random_of_key),
    ("StatelessRandomNormalV2", SHAPE, random_of_key),
    ("StatelessRandomGetKeyCounter", Reads::Nothing, |usage| {
        of_length(usage, 0, 2)?;
        Ok(vec![Shape::vector(Some(1)), Shape::vector(Some(2))])
    }),
];

fn constant(usage: &Usage<'_>) -> Inferred {
    let shape = match usage.attribute("value") {
        Some(Value::Tensor(tensor)) => tensor.tensor_shape.as_ref(),
        _ => None,
    };
    Ok(vec![shape.map_or_else(Shape::scalar, Shape::from)])
}

fn placeholder(usage: &Usage<'_>) -> Inferred {
    Ok(vec![match usage.attribute("shape") {
        Some(Value::Shape(shape)) => shape.into(),
        _ => Shape::UNKNOWN,
    }])
}

fn fill(usage: &Usage<'_>) -> Inferred {
    usage.of_rank(0, 1)?;
    usage.of_rank(1, 0)?;
    if usage
        .elements(0)
        .is_some_and(|sizes| sizes.contains(&Some(-1)))
    {
        return Err(usage.wrong("expects sizes of 0 or more, not -1"));
    }
    Ok(vec![usage.shape_in(0)?])
}

/// `start`, `start + delta`, ... before `limit`.
fn range(usage: &Usage<'_>) -> Inferred {
    for operand in 0..3 {
        usage.of_rank(operand, 0)?;
    }
    let (Some(start), Some(limit), Some(delta)) = (usage.value(0), usage.value(1), usage.value(2))
    else {
        return Ok(vec![Shape::of_rank(1)]);
    };
    if delta == 0 {
        return Err(usage.wrong("expects a step other than 0"));
    }
    let distance = (i128::from(limit) - i128::from(start)) * i128::from(delta.signum());
    if distance < 0 {
        let reversed = -i128::from(delta);
        return Err(usage
            .wrong(format_args!(
                "does not reach {limit} from {start} in steps of {delta}"
            ))
            .advise(format!("write a step of {reversed}")));
    }
    let step = i128::from(delta).abs();
    let count = (distance + step - 1) / step;
    Ok(vec![Shape::vector(u64::try_from(count).ok())])
}

fn linear_space(usage: &Usage<'_>) -> Inferred {
    for operand in 0..3 {
        usage.of_rank(operand, 0)?;
    }
    let count: Size = match usage.value(2) {
        None => None,
        Some(count) if count > 0 => Some(count as u64),
        Some(count) => {
            return Err(usage.wrong(format_args!("expects 1 element or more, not {count}")));
        }
    };
    Ok(vec![Shape::vector(count)])
}

/// Inserts a new dimension with one `on` value at each index.
fn one_hot(usage: &Usage<'_>) -> Inferred {
    for operand in 1..4 {
        usage.of_rank(operand, 0)?;
    }
    let depth: Size = match usage.value(1) {
        Some(depth) if depth < 0 => {
            return Err(usage.wrong(format_args!("expects a depth of 0 or more, not {depth}")));
        }
        depth => depth.map(|depth| depth as u64),
    };
    let Some(sizes) = usage.shape(0).sizes() else {
        return Ok(vec![Shape::UNKNOWN]);
    };
    if usage.int("axis") < -1 {
        return Err(usage.wrong(format_args!(
            "has axis = {}, but the only negative axis is -1, for a new last dimension",
            usage.int("axis")
        )));
    }
    let axis = usage.dimension(usage.int("axis"), sizes.len() + 1, 0)?;
    let mut shape = sizes.to_vec();
    shape.insert(axis, depth);
    Ok(vec![Shape::of(shape)])
}

/// Returns the shape of a shape.
fn shape_of(shape: &Shape) -> Shape {
    Shape::vector(shape.rank().map(|rank| rank as u64))
}

fn random(usage: &Usage<'_>) -> Inferred {
    Ok(vec![usage.shape_in(0)?])
}

fn stateless_random(usage: &Usage<'_>) -> Inferred {
    of_length(usage, 1, 2)?;
    Ok(vec![usage.shape_in(0)?])
}

/// Operand 1 is a key, operand 2 a counter, operand 3 the number of an algorithm.
fn random_of_key(usage: &Usage<'_>) -> Inferred {
    of_length(usage, 1, 1)?;
    usage.of_rank(2, 1)?;
    usage.of_rank(3, 0)?;
    Ok(vec![usage.shape_in(0)?])
}

/// Checks an operand that is a list of numbers.
fn of_length(usage: &Usage<'_>, operand: usize, expected: usize) -> Result<(), Mismatch> {
    match usage.length(operand)? {
        Some(length) if length != expected => Err(usage.wrong(format_args!(
            "expects {expected} numbers as operand {operand}, not {}",
            usage.text(operand)
        ))),
        _ => Ok(()),
    }
}
