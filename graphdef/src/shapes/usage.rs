//! The interface of shape functions: the use of an operation, and mismatches.

use std::fmt;

use crate::{
    element::display_name,
    proto::{TensorShapeProto, attr_value::Value},
    resolve::Resolved,
};

use super::shape::{Shape, Size, meet};

/// The known properties of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Known {
    /// Its shape.
    pub shape: Shape,
    /// The elements in row-major order, if they are integers and at least one is known. Their
    /// number is that of the shape.
    pub elements: Option<Vec<Option<i64>>>,
}

impl From<Shape> for Known {
    fn from(shape: Shape) -> Self {
        Self {
            shape,
            elements: None,
        }
    }
}

/// A mismatch between operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The problem.
    pub message: String,
    /// Advice on what to write instead, if it is known.
    pub advice: Option<String>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.advice {
            Some(advice) => write!(formatter, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl Mismatch {
    /// Adds advice.
    pub(super) fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

/// One use of an operation.
#[derive(Clone, Copy)]
pub(super) struct Usage<'a> {
    pub(super) resolved: &'a Resolved,
    pub(super) operands: &'a [Known],
}

impl<'a> Usage<'a> {
    pub(super) fn name(&self) -> &'static str {
        &self.resolved.definition.name
    }

    pub(super) fn shape(&self, operand: usize) -> &'a Shape {
        &self.operands[operand].shape
    }

    /// Returns the elements of an operand, if at least one is known.
    pub(super) fn elements(&self, operand: usize) -> Option<&'a [Option<i64>]> {
        self.operands[operand].elements.as_deref()
    }

    /// Returns the value of a scalar operand, or of a list of one element.
    pub(super) fn value(&self, operand: usize) -> Option<i64> {
        *self.elements(operand)?.first()?
    }

    /// Returns the type of an operand in MLIR's syntax.
    pub(super) fn text(&self, operand: usize) -> String {
        let element = display_name(self.resolved.operands[operand]);
        format!("tensor<{}{element}>", self.shape(operand))
    }

    /// Returns the types of several operands, for a message.
    pub(super) fn texts(&self, operands: std::ops::Range<usize>) -> String {
        let texts: Vec<_> = operands.map(|operand| self.text(operand)).collect();
        match texts.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            _ => texts.concat(),
        }
    }

    /// Returns a mismatch whose message starts with the operation.
    pub(super) fn wrong(&self, problem: impl fmt::Display) -> Mismatch {
        Mismatch {
            message: format!("\"{}\" {problem}", self.name()),
            advice: None,
        }
    }

    /// Returns the number of results.
    pub(super) fn results(&self) -> usize {
        self.resolved.results.len()
    }
}

/// The result of a shape function: a shape for each result of the operation.
pub(super) type Inferred = Result<Vec<Shape>, Mismatch>;
/// The shape function of an operation.
pub(super) type Function = fn(&Usage<'_>) -> Inferred;

/// The operands whose values determine the shapes of the results.
#[derive(Clone, Copy)]
pub(super) enum Reads {
    /// No operand.
    Nothing,
    /// The operands at these positions.
    These(&'static [usize]),
    /// The last operand.
    Last,
    /// The first half of the operands.
    FirstHalf,
}

/// The name of an operation, the operands whose values it reads, its shape function.
pub(super) type Entry = (&'static str, Reads, Function);

/// Access to attributes, all of which [`Resolved`] has.
impl<'a> Usage<'a> {
    pub(super) fn attribute(&self, name: &str) -> Option<&'a Value> {
        self.resolved.attributes.get(name)?.value.as_ref()
    }

    pub(super) fn bool(&self, name: &str) -> bool {
        matches!(self.attribute(name), Some(Value::B(true)))
    }

    pub(super) fn int(&self, name: &str) -> i64 {
        match self.attribute(name) {
            Some(Value::I(value)) => *value,
            _ => 0,
        }
    }

    pub(super) fn ints(&self, name: &str) -> &'a [i64] {
        match self.attribute(name) {
            Some(Value::List(list)) => &list.i,
            _ => &[],
        }
    }

    pub(super) fn is_text(&self, name: &str, text: &str) -> bool {
        matches!(self.attribute(name), Some(Value::S(bytes)) if bytes.as_slice() == text.as_bytes())
    }
}

/// Reads the shape of a GraphDef.
impl From<&TensorShapeProto> for Shape {
    fn from(proto: &TensorShapeProto) -> Self {
        if proto.unknown_rank {
            return Shape::UNKNOWN;
        }
        let sizes = proto.dim.iter().map(|dim| u64::try_from(dim.size).ok());
        Shape::of(sizes.collect::<Vec<_>>())
    }
}

/// Checks of operands.
impl<'a> Usage<'a> {
    /// Returns the sizes of an operand that must have the given rank; `None` if its rank is
    /// unknown.
    pub(super) fn of_rank(
        &self,
        operand: usize,
        rank: usize,
    ) -> Result<Option<&'a [Size]>, Mismatch> {
        match self.shape(operand).sizes() {
            Some(sizes) if sizes.len() != rank => {
                let expected = match rank {
                    0 => "a scalar, which is a tensor of rank 0,".to_owned(),
                    1 => "a list, which is a tensor of rank 1,".to_owned(),
                    _ => format!("a tensor of rank {rank}"),
                };
                Err(self.wrong(format_args!(
                    "expects {expected} as operand {operand}, not {}",
                    self.text(operand)
                )))
            }
            sizes => Ok(sizes),
        }
    }

    /// Returns the length of an operand that must be a vector, if it is known.
    pub(super) fn length(&self, operand: usize) -> Result<Option<usize>, Mismatch> {
        let length = self.of_rank(operand, 1)?.and_then(|sizes| sizes[0]);
        Ok(length.map(|length| length as usize))
    }

    /// Returns the sizes of an operand that must have at least the given rank.
    pub(super) fn of_rank_from(
        &self,
        operand: usize,
        rank: usize,
    ) -> Result<Option<&'a [Size]>, Mismatch> {
        match self.shape(operand).sizes() {
            Some(sizes) if sizes.len() < rank => Err(self.wrong(format_args!(
                "expects a tensor of rank {rank} or more as operand {operand}, not {}",
                self.text(operand)
            ))),
            sizes => Ok(sizes),
        }
    }

    /// Returns the shape that several operands share.
    pub(super) fn one_shape(&self, operands: std::ops::Range<usize>) -> Result<Shape, Mismatch> {
        let first = operands.start;
        let mut shape = Shape::UNKNOWN;
        for operand in operands {
            shape = shape.meet(self.shape(operand)).ok_or_else(|| {
                self.wrong(format_args!(
                    "expects tensors of one shape, but operand {first} is {} and operand \
                     {operand} is {}",
                    self.text(first),
                    self.text(operand)
                ))
            })?;
        }
        Ok(shape)
    }

    /// Returns a size that two operands share.
    pub(super) fn one_size(
        &self,
        (left, left_dimension): (usize, usize),
        (right, right_dimension): (usize, usize),
        expected: &str,
    ) -> Result<Size, Mismatch> {
        let sizes = (
            self.shape(left).size(left_dimension),
            self.shape(right).size(right_dimension),
        );
        meet(sizes.0, sizes.1).ok_or_else(|| {
            self.wrong(format_args!(
                "expects {expected}, but operand {left} is {} and operand {right} is {}",
                self.text(left),
                self.text(right)
            ))
        })
    }

    /// Returns the dimension of a number, which counts from the end if it is negative. `rank` is
    /// that of operand `operand`, or one more.
    pub(super) fn dimension(
        &self,
        number: i64,
        rank: usize,
        operand: usize,
    ) -> Result<usize, Mismatch> {
        let signed = rank as i64;
        let dimension = if number < 0 { number + signed } else { number };
        if (0..signed).contains(&dimension) {
            return Ok(dimension as usize);
        }
        let range = match rank {
            0 => "and a scalar has none".to_owned(),
            _ => format!("which must be from {} to {}", -signed, signed - 1),
        };
        Err(self.wrong(format_args!(
            "has no dimension {number} for {}, {range}",
            self.text(operand)
        )))
    }

    /// Returns the shape that the value of an operand describes. A size of -1 is unknown.
    pub(super) fn shape_in(&self, operand: usize) -> Result<Shape, Mismatch> {
        let Some([length]) = self.of_rank(operand, 1)? else {
            return Ok(Shape::UNKNOWN);
        };
        let Some(elements) = self.elements(operand) else {
            return Ok(length.map_or(Shape::UNKNOWN, |rank| Shape::of_rank(rank as usize)));
        };
        let size = |&element: &Option<i64>| match element {
            None | Some(-1) => Ok(None),
            Some(size) => u64::try_from(size).map(Some).map_err(|_| {
                self.wrong(format_args!(
                    "expects sizes of 0 or more in operand {operand}, which holds {size}"
                ))
            }),
        };
        let sizes = elements.iter().map(size).collect::<Result<Vec<_>, _>>()?;
        Ok(Shape::of(sizes))
    }
}
