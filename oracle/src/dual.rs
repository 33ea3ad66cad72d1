//! Dual numbers: a value with its derivative in one direction, computed alongside.
//!
//! ```text
//!   %p = arith.mulf %x, %y        (x y, x' y + x y')
//!   %w = MatMul(%a, %b)           (A B, A' B + A B')        the kernel itself: products are bilinear
//! ```
//!
//! A run of a source program on dual numbers judges the derivatives of `tfx-differentiate`: it
//! shares neither the rules nor the reversal. Structs, arrays, variables, closures and all control
//! flow hold dual numbers as they hold others; a comparison and a conversion to an integer take the
//! value alone.
//!
//! # Non-guarantees
//!
//! `f64` only, and the operations of the lists below; another one is an error.

use std::rc::Rc;

use smallvec::{SmallVec, smallvec};
use tfx_dialects::tensor;
use tfx_interpreter::Tensor;
use tfx_ir::ops::{arith, math};
use tfx_ir::{Op, Value as IrValue};

use crate::error::Error;
use crate::scalar::Results;
use crate::value::{Number, Value};

/// A number or a tensor, and its derivative.
#[derive(Debug)]
pub struct Dual<'a> {
    pub(crate) value: Value<'a>,
    pub(crate) tangent: Value<'a>,
}

impl<'a> Value<'a> {
    /// Returns a dual number.
    ///
    /// # Errors
    /// The tangent is of another kind than the value, or neither is an `f64` or a tensor of these.
    pub fn dual(value: Value<'a>, tangent: Value<'a>) -> Result<Self, Error> {
        match (&value, &tangent) {
            (Value::F64(_), Value::F64(_)) => {}
            (Value::Tensor(a), Value::Tensor(b)) if a.shape() == b.shape() => {
                a.values::<f64>()?;
                b.values::<f64>()?;
            }
            _ => return Err(Error::expected("two numbers or tensors", tangent.kind())),
        }
        Ok(Value::Dual(Rc::new(Dual { value, tangent })))
    }

    /// Returns the value without its derivatives.
    pub(crate) fn primal(&self) -> Value<'a> {
        match self {
            Value::Dual(dual) => dual.value.clone(),
            Value::List(parts) => {
                let parts: Vec<_> = parts.iter().map(Value::primal).collect();
                Value::list(parts)
            }
            Value::Case(tag, parts) => Value::Case(*tag, parts.iter().map(Value::primal).collect()),
            other => other.clone(),
        }
    }

    /// Returns the derivative; none for a constant.
    pub(crate) fn tangent(&self) -> Option<&Value<'a>> {
        match self {
            Value::Dual(dual) => Some(&dual.tangent),
            _ => None,
        }
    }
}

/// Operations of tensors that are linear in all operands together.
const LINEAR: [&str; 6] = ["AddV2", "Identity", "Neg", "Reshape", "Sub", "Transpose"];
/// Operations of tensors that are linear in the first operand, for constants in the others.
const LINEAR_IN_FIRST: [&str; 3] = ["GatherV2", "Mean", "Sum"];
/// Operations of tensors that are linear in each of two operands.
const BILINEAR: [&str; 3] = ["BatchMatMulV2", "MatMul", "Mul"];

/// Executes an operation with a dual number among its operands; `compute` is its definition on
/// other values.
pub(crate) fn compute<'a>(
    op: Op<'a>,
    operands: &[Value<'a>],
    compute: &dyn Fn(&[Value<'a>]) -> Result<Results<'a>, Error>,
) -> Result<SmallVec<[Value<'a>; 1]>, Error> {
    let primals: Vec<_> = operands.iter().map(Value::primal).collect();
    let results = compute(&primals)?;
    if !op.results().any(has_derivative) {
        return Ok(results);
    }
    let tangents: Vec<_> = operands
        .iter()
        .map(|operand| operand.tangent().cloned())
        .collect();
    let with = |position: usize, tangent: &Value<'a>| {
        let mut operands = primals.clone();
        operands[position] = tangent.clone();
        single(compute(&operands)?)
    };
    let tangent = match tensor::Op::cast(op).map(tensor::Op::tf_name) {
        Some(name) if LINEAR.contains(&name) => {
            let mut operands = Vec::new();
            for (primal, tangent) in primals.iter().zip(tangents) {
                operands.push(tangent.map_or_else(|| zero(primal), Ok)?);
            }
            single(compute(&operands)?)?
        }
        Some(name) if LINEAR_IN_FIRST.contains(&name) => {
            let tangent = tangents[0].as_ref().ok_or_else(|| unknown(op))?;
            with(0, tangent)?
        }
        Some(name) if BILINEAR.contains(&name) => {
            let mut sum = None;
            for (position, tangent) in tangents.iter().enumerate() {
                if let Some(tangent) = tangent {
                    let part = with(position, tangent)?;
                    sum = Some(match sum {
                        Some(sum) => zip(&sum, &part, |a, b| a + b)?,
                        None => part,
                    });
                }
            }
            sum.ok_or_else(|| unknown(op))?
        }
        Some("Tanh") => {
            let tangent = tangents[0].as_ref().ok_or_else(|| unknown(op))?;
            zip(&results[0], tangent, |y, dx| (1.0 - y * y) * dx)?
        }
        Some(_) => return Err(unknown(op)),
        None if op.isa::<tensor::FromScalar>() || op.isa::<tensor::ToScalar>() => {
            let tangent = tangents[0].as_ref().ok_or_else(|| unknown(op))?;
            with(0, tangent)?
        }
        None => {
            let mut x = Vec::new();
            for primal in &primals {
                x.push(number(primal)?);
            }
            let mut dx = Vec::new();
            for tangent in &tangents {
                dx.push(tangent.as_ref().map_or(Ok(0.0), number)?);
            }
            Value::F64(scalar(op, &x, &dx, number(&results[0])?)?)
        }
    };
    Ok(smallvec![Value::dual(single(results)?, tangent)?])
}

fn has_derivative(value: IrValue<'_>) -> bool {
    let element = tfx_graphdef_mlir::types::element_type(value.ty());
    Number::of(element) == Some(Number::F64)
}

/// Returns the derivative of an operation of numbers at `x` in the direction `dx`; `y` is its
/// result.
fn scalar(op: Op<'_>, x: &[f64], dx: &[f64], y: f64) -> Result<f64, Error> {
    Ok(match op.name() {
        arith::AddF::NAME => dx[0] + dx[1],
        arith::SubF::NAME => dx[0] - dx[1],
        arith::MulF::NAME => dx[0] * x[1] + x[0] * dx[1],
        arith::DivF::NAME => (dx[0] - y * dx[1]) / x[1],
        arith::NegF::NAME => -dx[0],
        math::AbsF::NAME => dx[0] * x[0].signum(),
        math::Cos::NAME => -x[0].sin() * dx[0],
        math::Exp::NAME => y * dx[0],
        math::Log::NAME => dx[0] / x[0],
        math::Sin::NAME => x[0].cos() * dx[0],
        math::Sqrt::NAME => dx[0] / (2.0 * y),
        math::Tanh::NAME => (1.0 - y * y) * dx[0],
        _ => return Err(unknown(op)),
    })
}

fn unknown(op: Op<'_>) -> Error {
    let name = tensor::Op::cast(op).map_or(op.name(), tensor::Op::tf_name);
    format!("dual numbers do not support '{name}'").into()
}

fn number(value: &Value<'_>) -> Result<f64, Error> {
    match value {
        Value::F64(number) => Ok(*number),
        other => Err(Error::expected("an f64", other.kind())),
    }
}

fn single<'a>(results: Results<'a>) -> Result<Value<'a>, Error> {
    let mut results = results.into_iter();
    match (results.next(), results.next()) {
        (Some(result), None) => Ok(result),
        _ => Err("expected an operation with one result".into()),
    }
}

/// Returns zero in the shape of a number or a tensor.
fn zero<'a>(like: &Value<'a>) -> Result<Value<'a>, Error> {
    match like {
        Value::Tensor(tensor) if tensor.values::<f64>().is_ok() => zip(like, like, |_, _| 0.0),
        Value::Tensor(_) => Ok(like.clone()),
        _ => Ok(Value::F64(0.0)),
    }
}

/// Combines the elements of two tensors of one shape.
fn zip<'a>(
    a: &Value<'a>,
    b: &Value<'a>,
    combine: impl Fn(f64, f64) -> f64,
) -> Result<Value<'a>, Error> {
    let (a, b) = (a.tensor()?, b.tensor()?);
    let elements = a.values::<f64>()?.iter().zip(b.values::<f64>()?);
    let elements: Vec<_> = elements.map(|(a, b)| combine(*a, *b)).collect();
    Ok(Value::Tensor(Tensor::from_slice(a.shape(), &elements)?))
}
