//! Activations and the slopes of functions, which their gradients have.
//!
//! ```text
//! Function::Sigmoid, %x  ──►  %n = negf %x   %e = exp %n   %s = addf %e, 1   divf 1, %s
//! ```
//!
//! The code computes what `neural.rs` and `gradients.rs` of the interpreter's kernels compute,
//! operation by operation.

use tfx_ir::Value;
use tfx_ir::ops::{arith, math};

use crate::element::Element;
use crate::scalar::{Constant, Function, Order, Scalars};

/// The factors of `Selu` for positive numbers and for the exponential of negative ones, from
/// Klambauer et al. (2017).
const SELU_POSITIVE: f64 = 1.050_700_987_355_480_5;
const SELU_NEGATIVE: f64 = 1.758_099_340_847_376_9;

impl<'a> Scalars<'_, 'a> {
    /// Builds an activation.
    pub(crate) fn activation(
        &mut self,
        function: Function,
        element: Element,
        x: Value<'a>,
    ) -> Value<'a> {
        let one = |this: &mut Self| this.number(element, 1);
        match function {
            Function::Sigmoid => {
                let (one, negated) = (one(self), self.negated(element, x));
                let power = self.exp(element, negated);
                let sum = arith::AddF::build(self.builder, one, power).result();
                arith::DivF::build(self.builder, one, sum).result()
            }
            // Of two zeros, the element is unchanged.
            Function::Relu => {
                let zero = self.number(element, 0);
                self.maximum(element, zero, x)
            }
            Function::Relu6 => {
                let (zero, six) = (self.number(element, 0), self.number(element, 6));
                let positive = self.maximum(element, x, zero);
                self.extremum(element, Order::Less, positive, six)
            }
            Function::LeakyRelu(slope) => {
                let (zero, scaled) = (self.number(element, 0), self.scaled(element, x, slope));
                let is_positive = self.compare(element, Order::Less, zero, x);
                self.select(is_positive, x, scaled)
            }
            Function::Elu => {
                let zero = self.number(element, 0);
                let is_negative = self.compare(element, Order::Less, x, zero);
                let power = self.exp_m1(element, x);
                self.select(is_negative, power, x)
            }
            Function::Selu => {
                let zero = self.number(element, 0);
                let is_negative = self.compare(element, Order::Less, x, zero);
                let power = self.exp_m1(element, x);
                let below = self.times(element, power, SELU_NEGATIVE);
                let above = self.times(element, x, SELU_POSITIVE);
                self.select(is_negative, below, above)
            }
            Function::Softplus => {
                let zero = self.number(element, 0);
                let positive = self.maximum(element, x, zero);
                let magnitude = math::AbsF::build(self.builder, x).result();
                let negated = self.negated(element, magnitude);
                let power = self.exp(element, negated);
                let rest = self.log_1p(element, power);
                self.add(element, positive, rest)
            }
            Function::Softsign => {
                let one = one(self);
                let magnitude = math::AbsF::build(self.builder, x).result();
                let divisor = self.add(element, one, magnitude);
                arith::DivF::build(self.builder, x, divisor).result()
            }
            _ => unreachable!("{function:?} has several operands"),
        }
    }

    /// Builds the product of a gradient and the slope of a function.
    pub(crate) fn slope(
        &mut self,
        function: Function,
        element: Element,
        x: Value<'a>,
        y: Value<'a>,
    ) -> Value<'a> {
        match function {
            Function::ReluGrad => {
                let (zero, one) = (self.number(element, 0), self.number(element, 1));
                let is_positive = self.compare(element, Order::Less, zero, y);
                let factor = self.select(is_positive, one, zero);
                self.mul(element, x, factor)
            }
            Function::Relu6Grad => {
                let [zero, one, six] = [0, 1, 6].map(|value| self.number(element, value));
                let is_positive = self.compare(element, Order::Less, zero, y);
                let is_small = self.compare(element, Order::Less, y, six);
                let is_between = arith::AndI::build(self.builder, is_positive, is_small).result();
                let factor = self.select(is_between, one, zero);
                self.mul(element, x, factor)
            }
            Function::LeakyReluGrad(slope) => {
                let (zero, scaled) = (self.number(element, 0), self.scaled(element, x, slope));
                let is_positive = self.compare(element, Order::Less, zero, y);
                self.select(is_positive, x, scaled)
            }
            Function::EluGrad => {
                let (zero, one) = (self.number(element, 0), self.number(element, 1));
                let is_negative = self.compare(element, Order::Less, y, zero);
                let power = self.add(element, y, one);
                let slope = self.mul(element, power, x);
                self.select(is_negative, slope, x)
            }
            Function::SeluGrad => {
                let zero = self.number(element, 0);
                let is_negative = self.compare(element, Order::Less, y, zero);
                let shift = Constant::float(element, SELU_NEGATIVE).build(self.builder);
                let power = self.add(element, y, shift);
                let below = self.mul(element, x, power);
                let above = self.times(element, x, SELU_POSITIVE);
                self.select(is_negative, below, above)
            }
            Function::SoftplusGrad => {
                let (one, negated) = (self.number(element, 1), self.negated(element, y));
                let power = self.exp(element, negated);
                let divisor = self.add(element, power, one);
                arith::DivF::build(self.builder, x, divisor).result()
            }
            Function::SoftsignGrad => {
                let one = self.number(element, 1);
                let magnitude = math::AbsF::build(self.builder, y).result();
                let root = self.add(element, one, magnitude);
                let divisor = self.mul(element, root, root);
                arith::DivF::build(self.builder, x, divisor).result()
            }
            Function::TanhGrad => {
                let (one, square) = (self.number(element, 1), self.mul(element, x, x));
                let factor = self.sub(element, one, square);
                self.mul(element, y, factor)
            }
            Function::SigmoidGrad => {
                let one = self.number(element, 1);
                let rest = self.sub(element, one, x);
                let factor = self.mul(element, rest, x);
                self.mul(element, y, factor)
            }
            Function::SqrtGrad => {
                let half = Constant::float(element, 0.5).build(self.builder);
                let halved = self.mul(element, y, half);
                let slope = arith::DivF::build(self.builder, halved, x).result();
                self.unless_zero(element, y, slope)
            }
            Function::RsqrtGrad => {
                let half = Constant::float(element, -0.5).build(self.builder);
                let product = self.mul(element, y, x);
                let (halved, square) = (self.mul(element, half, product), self.mul(element, x, x));
                let slope = self.mul(element, halved, square);
                self.unless_zero(element, y, slope)
            }
            Function::ReciprocalGrad => {
                let negated = self.negated(element, x);
                let square = self.mul(element, negated, x);
                let slope = self.mul(element, square, y);
                self.unless_zero(element, y, slope)
            }
            _ => unreachable!("{function:?} has one operand"),
        }
    }
}
