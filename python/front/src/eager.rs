//! Eager calls: operations of tensors, at once, with the same meaning as in compiled programs.
//!
//! The evaluation is that of `evaluate.rs`, on the target whose values are tensors. Scalars are
//! constants here, so no operation on them is needed; one that is would be a bug, and is reported.

use tfx::eager;
use tfx::runtime::{Bool, DType, Tensor};
use tfx_python_syntax::{BinaryOp, CompareOp, Span, UnaryOp};

use crate::evaluate::Evaluator;
use crate::hir::{FileId, FunctionId, Instruction, Kind};
use crate::runtime::class_of_failure;
use crate::target::{Attribute, Elements, Foreign, Predicate, Result, Stop, Target};
use crate::value::{Leaf, TensorType, Value};
use crate::world::World;

/// A value of an eager call.
pub type EagerValue = Value<Tensor>;

/// An operation of an eager call.
#[derive(Clone, Debug)]
pub enum Operation<'o> {
    /// A function or a method of tfx, by its name.
    Function(&'o str),
    /// A binary operator, by its method: `add`.
    Binary(&'o str),
    /// A comparison, by its operator.
    Compare(&'o str),
    /// `-x`, `+x`, `~x`.
    Unary(&'o str),
    /// `x[index]`.
    Subscript,
    /// `x.at[index].set(value)`, as x, index, value.
    At(&'o str),
    /// `x.name`.
    Attribute(&'o str),
    /// The scalar of a tensor of rank 0.
    Scalar,
    /// The truth of a tensor of rank 0.
    Truth,
}

/// The reason why an operation does not run, in the words of Python.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EagerError(pub String);

impl std::fmt::Display for EagerError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for EagerError {}

/// Runs an operation.
///
/// # Errors
/// Operands that the operation does not have, in the words of Python; a failure of the operation.
pub fn run(
    operation: &Operation<'_>,
    operands: Vec<EagerValue>,
    keywords: Vec<(String, EagerValue)>,
) -> std::result::Result<EagerValue, EagerError> {
    let mut target = Eager {
        world: World::new(),
        failure: None,
    };
    let result = evaluate(&mut target, operation, operands, keywords);
    if let Some(failure) = target.failure {
        return Err(EagerError(failure));
    }
    result.map(settled).map_err(|stop| {
        EagerError(match stop {
            Stop::Error(_, message) | Stop::NotConstant(_, message) => message,
            Stop::Elsewhere(error) => error.message,
            Stop::Diverges | Stop::Bottom => {
                "internal error: an eager call has no result".to_owned()
            }
        })
    })
}

fn evaluate(
    target: &mut Eager,
    operation: &Operation<'_>,
    operands: Vec<EagerValue>,
    keywords: Vec<(String, EagerValue)>,
) -> Result<EagerValue> {
    let mut evaluator = Evaluator {
        target,
        file: 0,
        span: Span::default(),
    };
    let kind = match operation {
        Operation::Function(name) => return evaluator.library(name, operands, keywords),
        Operation::Attribute(name) => {
            let value = operands.into_iter().next().unwrap_or(Value::None);
            return evaluator.attribute(value, name);
        }
        Operation::At(method) => {
            let mut operands = operands.into_iter();
            let mut next = || operands.next().unwrap_or(Value::None);
            let both = Value::Tuple(vec![next(), next()]);
            let value = next();
            let at = Value::Method(Box::new(both), "at[]".to_owned());
            let method = Value::Method(Box::new(at), (*method).to_owned());
            return evaluator.call(method, vec![value], Vec::new());
        }
        Operation::Scalar => return evaluator.library("item", operands, Vec::new()),
        Operation::Truth => {
            let value = operands.into_iter().next().unwrap_or(Value::None);
            return evaluator.truth(value);
        }
        Operation::Subscript => Kind::Subscript,
        Operation::Binary(name) => match binary(name) {
            Some(op) => Kind::Binary(op),
            None => return evaluator.fail(format!("there is no operator '{name}'")),
        },
        Operation::Compare(name) => match compare(name) {
            Some(op) => Kind::Compare(op),
            None => return evaluator.fail(format!("there is no comparison '{name}'")),
        },
        Operation::Unary(name) => Kind::Unary(match *name {
            "-" => UnaryOp::Minus,
            "+" => UnaryOp::Plus,
            _ => UnaryOp::Invert,
        }),
    };
    let instruction = Instruction {
        result: 0,
        kind,
        operands: Vec::new(),
        span: Span::default(),
    };
    evaluator.instruction(&instruction, operands)
}

/// Gives each scalar of a result its number.
fn settled(value: EagerValue) -> EagerValue {
    match value {
        Value::Bool(tensor, None) => {
            let constant = tensor.item::<Bool>().ok().map(Bool::get);
            Value::Bool(tensor, constant)
        }
        Value::Int(tensor, None) => {
            let constant = tensor.item::<i64>().ok();
            Value::Int(tensor, constant)
        }
        Value::Float(tensor, None) => {
            let constant = tensor.item::<f64>().ok().map(f64::to_bits);
            Value::Float(tensor, constant)
        }
        Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(settled).collect()),
        other => other,
    }
}

fn binary(name: &str) -> Option<BinaryOp> {
    use BinaryOp as B;
    let all = [
        B::Add,
        B::Sub,
        B::Mul,
        B::MatMul,
        B::Div,
        B::FloorDiv,
        B::Mod,
        B::Pow,
        B::LeftShift,
        B::RightShift,
        B::Or,
        B::Xor,
        B::And,
    ];
    all.into_iter().find(|op| op.method() == name)
}

fn compare(name: &str) -> Option<CompareOp> {
    use CompareOp as C;
    let all = [C::Eq, C::Ne, C::Lt, C::Le, C::Gt, C::Ge];
    all.into_iter().find(|op| op.text() == name)
}

struct Eager {
    world: World,
    /// The first failure of an operation.
    failure: Option<String>,
}

impl Eager {
    fn fail(&mut self, message: String) -> Tensor {
        self.failure.get_or_insert(message);
        Tensor::scalar(0i64)
    }

    fn op(
        &mut self,
        name: &str,
        operands: &[Tensor],
        attributes: &[(&str, Attribute)],
        dtype: DType,
    ) -> Tensor {
        if self.failure.is_some() {
            return Tensor::scalar(0i64);
        }
        match eager::run(name, operands, attributes, &[dtype]) {
            Ok(results) => results.into_iter().next().unwrap_or_default(),
            Err(error) => self.fail(format!("{}: {error}", class_of_failure(name))),
        }
    }
}

fn number(tensor: &Tensor) -> f64 {
    tensor.item::<f64>().unwrap_or(f64::NAN)
}

fn integer(tensor: &Tensor) -> i64 {
    match tensor.dtype() {
        DType::Bool => i64::from(tensor.item::<Bool>().is_ok_and(Bool::get)),
        _ => tensor.item::<i64>().unwrap_or(0),
    }
}

fn boolean(value: bool) -> Tensor {
    Tensor::scalar(Bool::from(value))
}

impl Target for Eager {
    type V = Tensor;

    fn int(&mut self, value: i64) -> Tensor {
        Tensor::scalar(value)
    }

    fn float(&mut self, value: f64) -> Tensor {
        Tensor::scalar(value)
    }

    fn bool(&mut self, value: bool) -> Tensor {
        boolean(value)
    }

    fn string(&mut self, value: &str) -> Tensor {
        Tensor::from_strings(&[], vec![value.as_bytes().to_vec()]).unwrap_or_default()
    }

    fn scalar(&mut self, name: &'static str, operands: &[Tensor]) -> Tensor {
        match (name, operands) {
            ("arith.select", [condition, a, b]) => match integer(condition) {
                0 => b.clone(),
                _ => a.clone(),
            },
            ("arith.addi", [a, b]) => Tensor::scalar(integer(a).wrapping_add(integer(b))),
            ("arith.subi", [a, b]) => Tensor::scalar(integer(a).wrapping_sub(integer(b))),
            ("arith.muli", [a, b]) => Tensor::scalar(integer(a).wrapping_mul(integer(b))),
            // A check before these fails where they are not defined; what follows is not used.
            ("arith.divsi", [a, b]) => {
                Tensor::scalar(integer(a).checked_div(integer(b)).unwrap_or(0))
            }
            ("arith.remsi", [a, b]) => {
                Tensor::scalar(integer(a).checked_rem(integer(b)).unwrap_or(0))
            }
            ("arith.andi", [a, b]) if a.dtype() == DType::Bool => {
                boolean(integer(a) & integer(b) != 0)
            }
            ("arith.ori", [a, b]) if a.dtype() == DType::Bool => {
                boolean(integer(a) | integer(b) != 0)
            }
            ("arith.xori", [a, b]) if a.dtype() == DType::Bool => boolean(integer(a) != integer(b)),
            ("arith.andi", [a, b]) => Tensor::scalar(integer(a) & integer(b)),
            ("arith.ori", [a, b]) => Tensor::scalar(integer(a) | integer(b)),
            ("arith.xori", [a, b]) => Tensor::scalar(integer(a) ^ integer(b)),
            _ => self.fail(format!("internal error: '{name}' has no eager form")),
        }
    }

    fn compare(&mut self, is_float: bool, predicate: Predicate, a: &Tensor, b: &Tensor) -> Tensor {
        let order = match is_float {
            true => number(a).partial_cmp(&number(b)),
            false => Some(integer(a).cmp(&integer(b))),
        };
        boolean(match (predicate, order) {
            (Predicate::Ne, None) => true,
            (_, None) => false,
            (Predicate::Eq, Some(order)) => order.is_eq(),
            (Predicate::Ne, Some(order)) => order.is_ne(),
            (Predicate::Lt, Some(order)) => order.is_lt(),
            (Predicate::Le, Some(order)) => order.is_le(),
            (Predicate::Gt, Some(order)) => order.is_gt(),
            (Predicate::Ge, Some(order)) => order.is_ge(),
        })
    }

    fn convert(&mut self, _: &'static str, value: &Tensor, to: DType) -> Tensor {
        self.op("Cast", std::slice::from_ref(value), &[], to)
    }

    fn check(&mut self, holds: &Tensor, class: &str, message: &str) {
        if integer(holds) == 0 {
            self.fail(format!("{class}: {message}"));
        }
    }

    fn tensor(
        &mut self,
        name: &'static str,
        operands: &[Tensor],
        attributes: &[(&'static str, Attribute)],
        ty: &TensorType,
    ) -> Tensor {
        self.op(name, operands, attributes, ty.dtype)
    }

    fn constant(&mut self, elements: &Elements, ty: &TensorType) -> Tensor {
        let shape: Vec<usize> = ty
            .shape
            .iter()
            .map(|size| size.unwrap_or(0) as usize)
            .collect();
        let made = match elements {
            Elements::Bools(values) => {
                let values: Vec<Bool> = values.iter().map(|value| Bool::from(*value)).collect();
                Tensor::from_slice(&shape, &values)
            }
            Elements::Ints(values) => Tensor::from_slice(&shape, values),
            Elements::Floats(values) => Tensor::from_slice(&shape, values),
        };
        match made {
            Ok(tensor) if tensor.dtype() == ty.dtype => tensor,
            Ok(tensor) => self.op("Cast", &[tensor], &[], ty.dtype),
            Err(error) => self.fail(error.to_string()),
        }
    }

    fn tensor_of_scalar(&mut self, value: &Tensor, _: DType) -> Tensor {
        value.clone()
    }

    fn scalar_of_tensor(&mut self, value: &Tensor, _: DType) -> Tensor {
        match value.clone().reshaped(&[]) {
            Ok(value) => value,
            Err(error) => self.fail(error.to_string()),
        }
    }

    fn foreign(
        &mut self,
        function: Foreign,
        _: &[(Tensor, Leaf)],
        results: &[Leaf],
    ) -> Vec<Tensor> {
        if let Foreign::Raise(class) = function {
            self.fail(class);
        } else {
            self.fail("internal error: text has no eager form".to_owned());
        }
        vec![Tensor::default(); results.len()]
    }

    fn diverge(&mut self) {}

    fn call(
        &mut self,
        _: FunctionId,
        _: Vec<EagerValue>,
        _: Vec<EagerValue>,
        span: Span,
    ) -> Result<EagerValue> {
        Err(Stop::Error(
            span,
            "internal error: eager code calls no function".to_owned(),
        ))
    }

    fn gradient(
        &mut self,
        _: FunctionId,
        _: Vec<EagerValue>,
        _: Vec<EagerValue>,
        _: bool,
        _: usize,
        span: Span,
    ) -> Result<(Option<EagerValue>, EagerValue)> {
        Err(Stop::Error(
            span,
            "a gradient needs a compiled function".to_owned(),
        ))
    }

    fn global(&mut self, _: FileId, name: &str, span: Span) -> Result<EagerValue> {
        Err(Stop::Error(span, format!("'{name}' is not known here")))
    }

    fn world(&self) -> &World {
        &self.world
    }

    fn set_span(&mut self, _: FileId, _: Span) {}
}
