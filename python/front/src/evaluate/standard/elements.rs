//! Functions of elements: bits of floats, limits, and formulas without overflow.

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp, UnaryOp};

use super::super::library::Keywords;
use super::super::tensors::{Class, class};
use super::super::{Evaluator, Val};
use super::bits_of;
use crate::target::{Attribute, Result, Target};
use crate::value::{TensorType, Value, tensor_name};

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn bits(&mut self, x: Val<T>, dtype: DType) -> Val<T> {
        let Value::Tensor(value, ty) = x else {
            unreachable!("the bits of a tensor");
        };
        let attributes = [("type", Attribute::Type(dtype))];
        let to = ty.of(dtype);
        let value = self.target.tensor("Bitcast", &[value], &attributes, &to);
        Value::Tensor(value, to)
    }

    pub(super) fn signbit(&mut self, x: Val<T>) -> Result<Val<T>> {
        let ty = self.tensor_type(&x);
        if class(ty.dtype) != Class::Float {
            return self.fail(format!(
                "signbit() is for floats, not for {}",
                tensor_name(&ty)
            ));
        }
        let bits = self.bits(x, bits_of(ty.dtype));
        let zero = self.int(0);
        self.tensor_compare(CompareOp::Lt, bits, zero)
    }

    pub(super) fn copysign(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let (of_a, of_b) = (self.signbit(a.clone())?, self.signbit(b)?);
        let differ = self.of("not_equal", [of_a, of_b])?;
        let negated = self.tensor_unary(UnaryOp::Minus, a.clone())?;
        self.choose(differ, negated, a)
    }

    /// The greater number times a root between 1 and the root of 2, so that no square overflows.
    pub(super) fn hypot(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let (a, b) = (self.of("abs", [a])?, self.of("abs", [b])?);
        let greater = self.of("maximum", [a.clone(), b.clone()])?;
        let less = self.of("minimum", [a.clone(), b.clone()])?;
        let (zero, one) = (self.int(0), self.int(1));
        let is_zero = self.tensor_compare(CompareOp::Eq, greater.clone(), zero)?;
        // Zeros have a ratio, too, so that they have a derivative.
        let divisor = self.choose(is_zero, one.clone(), greater.clone())?;
        let ratio = self.binary(BinaryOp::Div, less, divisor)?;
        let square = self.of("square", [ratio])?;
        let sum = self.binary(BinaryOp::Add, square, one)?;
        let root = self.of("sqrt", [sum])?;
        let result = self.binary(BinaryOp::Mul, greater, root)?;
        // An infinity and NaN make an infinity.
        let infinity = self.float(f64::INFINITY);
        let (of_a, of_b) = (self.of("isinf", [a])?, self.of("isinf", [b])?);
        let is_infinite = self.of("logical_or", [of_a, of_b])?;
        self.choose(is_infinite, infinity, result)
    }

    /// The greater number, and the rest without overflow. The derivatives are right for equal
    /// numbers, too: each branch is the whole function.
    pub(super) fn logaddexp(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let is_greater = self.of("greater", [a.clone(), b.clone()])?;
        let mut branches = Vec::new();
        for (most, least) in [(&a, &b), (&b, &a)] {
            let distance = self.binary(BinaryOp::Sub, least.clone(), most.clone())?;
            let rest = self.of("softplus", [distance])?;
            branches.push(self.binary(BinaryOp::Add, most.clone(), rest)?);
        }
        let (under, over) = (branches.pop(), branches.pop());
        let (Some(under), Some(over)) = (under, over) else {
            unreachable!("there are two branches");
        };
        let result = self.choose(is_greater, over, under)?;
        // Equal infinities have no distance.
        let (equal, is_infinite) = (
            self.of("equal", [a.clone(), b])?,
            self.of("isinf", [a.clone()])?,
        );
        let both = self.of("logical_and", [equal, is_infinite])?;
        self.choose(both, a, result)
    }

    /// Floats of one sign have the order of their bits as integers.
    pub(super) fn nextafter(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let dtype = self.tensor_type(&a).dtype;
        let bits = self.bits(a.clone(), bits_of(dtype));
        let (zero, one, minus_one) = (self.int(0), self.int(1), self.int(-1));
        let is_less = self.of("less", [a.clone(), b.clone()])?;
        let is_negative = self.of("less", [a.clone(), zero.clone()])?;
        let away = self.of("not_equal", [is_less, is_negative])?;
        let ty = self.tensor_type(&away).of(bits_of(dtype));
        let scalar = TensorType::scalar(ty.dtype);
        let [one, minus_one] = [one, minus_one].map(|of| self.scalar_tensor(of, scalar.dtype));
        let step = self.choose(away, one?, minus_one?)?;
        let next = self.binary(BinaryOp::Add, bits, step)?;
        let next = self.bits(next, dtype);
        // The least number above zero has the bits of 1.
        let least = self.int(1);
        let least = self.scalar_tensor(least, bits_of(dtype))?;
        let least = self.bits(least, dtype);
        let least = self.copysign(least, b.clone())?;
        let is_zero = self.of("equal", [a.clone(), zero])?;
        let next = self.choose(is_zero, least, next)?;
        let equal = self.of("equal", [a.clone(), b.clone()])?;
        let next = self.choose(equal, b.clone(), next)?;
        let (of_a, of_b) = (
            self.of("isnan", [a.clone()])?,
            self.of("isnan", [b.clone()])?,
        );
        let is_nan = self.of("logical_or", [of_a, of_b])?;
        let sum = self.binary(BinaryOp::Add, a, b)?;
        self.choose(is_nan, sum, next)
    }

    pub(super) fn clip(
        &mut self,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let names = ["x", "min", "max"];
        let [x, least, most] = self.arguments("clip", positional, keywords, names, 1)?;
        let (value, ty) = self.tensor_argument("clip", x)?;
        let dtype = ty.dtype;
        let mut x = Value::Tensor(value, ty);
        for (bound, function) in [(least, "maximum"), (most, "minimum")] {
            if let Some(bound) = bound.filter(|of| !matches!(of, Value::None)) {
                // The result has the element type of the tensor.
                let bound = match bound {
                    Value::Tensor(value, ty) if class(ty.dtype) == class(dtype) => {
                        let (value, ty) = self.cast(value, &ty, dtype);
                        Value::Tensor(value, ty)
                    }
                    other => other,
                };
                x = self.of(function, [x, bound])?;
            }
        }
        Ok(x)
    }
}
