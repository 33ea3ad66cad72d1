//! Scalars: `int`, `float` and `bool`, as CPython computes them.
//!
//! An `int` has 64 bits: a result that does not fit raises `OverflowError` (E1). `//` and `%` round
//! to minus infinity, and the sign of a remainder is that of the divisor. Each check is one boolean
//! that goes to the host.

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp, UnaryOp};

use super::{Evaluator, Val};
use crate::target::{Foreign, Predicate, Result, Target};
use crate::value::{Leaf, Value};

/// Integers up to this one are floats without rounding.
const EXACT: i64 = 1 << 53;

/// 2^63 as a float, the first one beyond the integers.
const INT_END: f64 = 9_223_372_036_854_775_808.0;

impl<T: Target> Evaluator<'_, T> {
    /// Returns an integer or boolean as an integer.
    pub(crate) fn as_int(&mut self, value: Val<T>) -> Val<T> {
        match value {
            Value::Bool(_, Some(value)) => self.int(i64::from(value)),
            Value::Bool(value, None) => {
                Value::Int(self.target.convert("arith.extui", &value, DType::I64), None)
            }
            other => other,
        }
    }

    /// Returns a number as a float.
    pub(crate) fn as_float(&mut self, value: Val<T>) -> Val<T> {
        match self.as_int(value) {
            Value::Int(_, Some(value)) => self.float(value as f64),
            Value::Int(value, None) => {
                let float = self.target.convert("arith.sitofp", &value, DType::F64);
                Value::Float(float, None)
            }
            other => other,
        }
    }

    fn leaf(value: &Val<T>) -> T::V {
        match value {
            Value::Bool(v, _) | Value::Int(v, _) | Value::Float(v, _) => v.clone(),
            _ => unreachable!("a scalar is expected"),
        }
    }

    pub(super) fn scalar_unary(&mut self, op: UnaryOp, value: Val<T>) -> Result<Val<T>> {
        Ok(match (op, self.as_int(value)) {
            (UnaryOp::Plus, value) => value,
            (UnaryOp::Minus, Value::Int(_, Some(value))) if value != i64::MIN => self.int(-value),
            (UnaryOp::Minus, value @ Value::Int(..)) => {
                let zero = self.int(0);
                self.int_binary(BinaryOp::Sub, zero, value)?
            }
            (UnaryOp::Minus, Value::Float(_, Some(bits))) => self.float(-f64::from_bits(bits)),
            (UnaryOp::Minus, Value::Float(value, None)) => {
                Value::Float(self.target.scalar("arith.negf", &[value]), None)
            }
            (UnaryOp::Invert, Value::Int(_, Some(value))) => self.int(!value),
            (UnaryOp::Invert, Value::Int(value, None)) => {
                let ones = self.target.int(-1);
                Value::Int(self.target.scalar("arith.xori", &[value, ones]), None)
            }
            (_, other) => {
                let name = self.describe(&other);
                return self.fail(format!("bad operand type for this operator: {name}"));
            }
        })
    }

    /// A binary operator of two scalars.
    pub(super) fn scalar_binary(&mut self, op: BinaryOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let is_logic = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        if let (true, Value::Bool(x, c), Value::Bool(y, d)) = (is_logic, &a, &b) {
            if let (Some(c), Some(d)) = (c, d) {
                let value = match op {
                    BinaryOp::And => c & d,
                    BinaryOp::Or => c | d,
                    _ => c ^ d,
                };
                return Ok(self.bool(value));
            }
            let operands = [x.clone(), y.clone()];
            return Ok(Value::Bool(
                self.target.scalar(logic_name(op), &operands),
                None,
            ));
        }
        if op == BinaryOp::MatMul {
            return self.fail("'@' is for tensors");
        }
        match (&a, &b) {
            (Value::Float(..), _) | (_, Value::Float(..)) => {
                let (a, b) = (self.as_float(a), self.as_float(b));
                self.float_binary(op, a, b)
            }
            _ => {
                let (a, b) = (self.as_int(a), self.as_int(b));
                self.int_binary(op, a, b)
            }
        }
    }

    // ---- Integers -------------------------------------------------------------------------------

    fn int_binary(&mut self, op: BinaryOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        if let (Value::Int(_, Some(x)), Value::Int(_, Some(y))) = (&a, &b)
            && let Some(folded) = fold_int(op, *x, *y)
        {
            return Ok(self.int(folded));
        }
        let (x, y) = (Self::leaf(&a), Self::leaf(&b));
        let known = super::constant_int(&b);
        let zero = self.target.int(0);
        let value = match op {
            BinaryOp::Add | BinaryOp::Sub => {
                let is_add = op == BinaryOp::Add;
                let name = if is_add { "arith.addi" } else { "arith.subi" };
                let sum = self.target.scalar(name, &[x.clone(), y.clone()]);
                // The signs of both operands (of `y` inverted) differ from that of the sum.
                let left = self.target.scalar("arith.xori", &[x.clone(), sum.clone()]);
                let right = match is_add {
                    true => self.target.scalar("arith.xori", &[y, sum.clone()]),
                    false => self.target.scalar("arith.xori", &[x, y]),
                };
                let both = self.target.scalar("arith.andi", &[left, right]);
                let holds = self.target.compare(false, Predicate::Ge, &both, &zero);
                self.overflow(&holds);
                sum
            }
            BinaryOp::Mul => self.multiplied(x, y),
            BinaryOp::Div => return self.int_division(a, b),
            BinaryOp::FloorDiv => {
                let message = "integer division or modulo by zero";
                let divisor = self.divisor(&y, known, message);
                // The least integer divided by -1 does not fit.
                let divisor = match known {
                    Some(known) if known != -1 => divisor,
                    _ => {
                        let least = self.target.int(i64::MIN);
                        let minus_one = self.target.int(-1);
                        let is_least = self.target.compare(false, Predicate::Eq, &x, &least);
                        let is_minus = self.target.compare(false, Predicate::Eq, &y, &minus_one);
                        let both = self.target.scalar("arith.andi", &[is_least, is_minus]);
                        let Value::Bool(holds, _) = self.not(&both) else {
                            unreachable!("a negation is a boolean");
                        };
                        self.overflow(&holds);
                        let one = self.target.int(1);
                        self.target.scalar("arith.select", &[both, one, divisor])
                    }
                };
                self.target.scalar("arith.floordivsi", &[x, divisor])
            }
            BinaryOp::Mod => {
                let divisor = self.divisor(&y, known, "integer modulo by zero");
                // The remainder by -1 is that by 1, which does not overflow.
                let divisor = match known {
                    Some(known) if known != -1 => divisor,
                    _ => {
                        let (one, minus_one) = (self.target.int(1), self.target.int(-1));
                        let is_minus =
                            self.target
                                .compare(false, Predicate::Eq, &divisor, &minus_one);
                        self.target
                            .scalar("arith.select", &[is_minus, one, divisor])
                    }
                };
                let rest = self.target.scalar("arith.remsi", &[x, divisor.clone()]);
                let signs = self
                    .target
                    .scalar("arith.xori", &[rest.clone(), divisor.clone()]);
                let differ = self.target.compare(false, Predicate::Lt, &signs, &zero);
                let some = self.target.compare(false, Predicate::Ne, &rest, &zero);
                let moves = self.target.scalar("arith.andi", &[differ, some]);
                let moved = self.target.scalar("arith.addi", &[rest.clone(), divisor]);
                self.target.scalar("arith.select", &[moves, moved, rest])
            }
            BinaryOp::Pow => return self.int_power(a, b),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                self.target.scalar(logic_name(op), &[x, y])
            }
            BinaryOp::LeftShift | BinaryOp::RightShift => {
                let Some(count) = known.filter(|count| (0..64).contains(count)) else {
                    return self.not_constant(
                        "the count of a shift must be a constant from 0 to 63; write a number",
                    );
                };
                let count = self.target.int(count);
                let right = self.target.scalar(
                    if op == BinaryOp::LeftShift {
                        "arith.shli"
                    } else {
                        "arith.shrsi"
                    },
                    &[x.clone(), count.clone()],
                );
                if op == BinaryOp::LeftShift {
                    let back = self.target.scalar("arith.shrsi", &[right.clone(), count]);
                    let holds = self.target.compare(false, Predicate::Eq, &back, &x);
                    self.overflow(&holds);
                }
                right
            }
            BinaryOp::MatMul => unreachable!("handled before"),
        };
        Ok(Value::Int(value, None))
    }

    /// A product, with a check: the quotient of the product and one factor is the other one.
    fn multiplied(&mut self, x: T::V, y: T::V) -> T::V {
        let product = self.target.scalar("arith.muli", &[x.clone(), y.clone()]);
        let (zero, one, minus_one, least) = (
            self.target.int(0),
            self.target.int(1),
            self.target.int(-1),
            self.target.int(i64::MIN),
        );
        let is_zero = self.target.compare(false, Predicate::Eq, &x, &zero);
        let is_minus = self.target.compare(false, Predicate::Eq, &x, &minus_one);
        // Neither 0 nor -1 is a divisor; -1 overflows with the least integer only.
        let special = self
            .target
            .scalar("arith.ori", &[is_zero.clone(), is_minus.clone()]);
        let divisor = self
            .target
            .scalar("arith.select", &[special.clone(), one, x]);
        let quotient = self
            .target
            .scalar("arith.divsi", &[product.clone(), divisor]);
        let fits = self.target.compare(false, Predicate::Eq, &quotient, &y);
        let is_least = self.target.compare(false, Predicate::Eq, &y, &least);
        let wrong = self.target.scalar("arith.andi", &[is_minus, is_least]);
        let Value::Bool(not_wrong, _) = self.not(&wrong) else {
            unreachable!("a negation is a boolean");
        };
        let holds = self
            .target
            .scalar("arith.select", &[special, not_wrong, fits]);
        self.overflow(&holds);
        product
    }

    /// Checks a divisor, and returns one that is not zero.
    fn divisor(&mut self, y: &T::V, known: Option<i64>, message: &str) -> T::V {
        if known.is_some_and(|known| known != 0) {
            return y.clone();
        }
        let (zero, one) = (self.target.int(0), self.target.int(1));
        let some = self.target.compare(false, Predicate::Ne, y, &zero);
        self.target.check(&some, "ZeroDivisionError", message);
        self.target.scalar("arith.select", &[some, y.clone(), one])
    }

    /// `a / b`, which is rounded once.
    fn int_division(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        for value in [&a, &b] {
            let is_small =
                super::constant_int(value).is_some_and(|value| (-EXACT..=EXACT).contains(&value));
            if !is_small {
                let value = Self::leaf(value);
                let (low, high) = (self.target.int(-EXACT), self.target.int(EXACT));
                let above = self.target.compare(false, Predicate::Ge, &value, &low);
                let below = self.target.compare(false, Predicate::Le, &value, &high);
                let holds = self.target.scalar("arith.andi", &[above, below]);
                self.target.check(
                    &holds,
                    "OverflowError",
                    "'/' of int beyond 2**53 in tfx; write float(..)",
                );
            }
        }
        let (a, b) = (self.as_float(a), self.as_float(b));
        self.float_binary(BinaryOp::Div, a, b)
    }

    fn int_power(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        match super::constant_int(&b) {
            Some(0) => return Ok(self.int(1)),
            Some(1) => return Ok(a),
            Some(exponent @ 2..=4) => {
                let base = Self::leaf(&a);
                let mut value = base.clone();
                for _ in 1..exponent {
                    value = self.multiplied(value, base.clone());
                }
                return Ok(Value::Int(value, None));
            }
            Some(exponent) if exponent < 0 => {
                let (a, b) = (self.as_float(a), self.as_float(b));
                return self.float_power(a, b);
            }
            Some(_) => {}
            None => {
                // A negative exponent makes a float in Python, so the type would depend on data.
                let zero = self.target.int(0);
                let exponent = Self::leaf(&b);
                let holds = self.target.compare(false, Predicate::Ge, &exponent, &zero);
                let message = "a negative power of an int is a float; write float(..) ** ..";
                self.target.check(&holds, "ValueError", message);
            }
        }
        let operands = [(Self::leaf(&a), Leaf::Int), (Self::leaf(&b), Leaf::Int)];
        let results = self
            .target
            .foreign(Foreign::IntPower, &operands, &[Leaf::Int]);
        Ok(Value::Int(results[0].clone(), None))
    }

    // ---- Floats ---------------------------------------------------------------------------------

    fn float_binary(&mut self, op: BinaryOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        if let (Value::Float(_, Some(x)), Value::Float(_, Some(y))) = (&a, &b) {
            let (x, y) = (f64::from_bits(*x), f64::from_bits(*y));
            match op {
                BinaryOp::Add => return Ok(self.float(x + y)),
                BinaryOp::Sub => return Ok(self.float(x - y)),
                BinaryOp::Mul => return Ok(self.float(x * y)),
                BinaryOp::Div if y != 0.0 => return Ok(self.float(x / y)),
                _ => {}
            }
        }
        let (x, y) = (Self::leaf(&a), Self::leaf(&b));
        let value = match op {
            BinaryOp::Add => self.target.scalar("arith.addf", &[x, y]),
            BinaryOp::Sub => self.target.scalar("arith.subf", &[x, y]),
            BinaryOp::Mul => self.target.scalar("arith.mulf", &[x, y]),
            BinaryOp::Div => {
                self.float_divisor(&b, "float division by zero");
                self.target.scalar("arith.divf", &[x, y])
            }
            BinaryOp::FloorDiv => {
                self.float_divisor(&b, "float floor division by zero");
                self.divided(&x, &y).0
            }
            BinaryOp::Mod => {
                self.float_divisor(&b, "float modulo");
                self.divided(&x, &y).1
            }
            BinaryOp::Pow => return self.float_power(a, b),
            _ => {
                return self.fail(format!(
                    "'{}' is for int, not for float; write int(..)",
                    op.text()
                ));
            }
        };
        Ok(Value::Float(value, None))
    }

    fn float_divisor(&mut self, value: &Val<T>, message: &str) {
        if let Value::Float(_, Some(bits)) = value
            && f64::from_bits(*bits) != 0.0
        {
            return;
        }
        let (y, zero) = (Self::leaf(value), self.target.float(0.0));
        let some = self.target.compare(true, Predicate::Ne, &y, &zero);
        self.target.check(&some, "ZeroDivisionError", message);
    }

    /// The floored quotient and the remainder, by the steps of CPython's `float_divmod`.
    fn divided(&mut self, x: &T::V, y: &T::V) -> (T::V, T::V) {
        let t = &mut *self.target;
        let (zero, one, half) = (t.float(0.0), t.float(1.0), t.float(0.5));
        let rest = t.scalar("arith.remf", &[x.clone(), y.clone()]);
        let difference = t.scalar("arith.subf", &[x.clone(), rest.clone()]);
        let quotient = t.scalar("arith.divf", &[difference, y.clone()]);
        let some = t.compare(true, Predicate::Ne, &rest, &zero);
        let rest_negative = t.compare(true, Predicate::Lt, &rest, &zero);
        let y_negative = t.compare(true, Predicate::Lt, y, &zero);
        let differ = t.scalar("arith.xori", &[rest_negative, y_negative]);
        let moves = t.scalar("arith.andi", &[some.clone(), differ]);
        let moved_rest = t.scalar("arith.addf", &[rest.clone(), y.clone()]);
        let moved_quotient = t.scalar("arith.subf", &[quotient.clone(), one.clone()]);
        let rest = t.scalar("arith.select", &[moves.clone(), moved_rest, rest]);
        let quotient = t.scalar("arith.select", &[moves, moved_quotient, quotient]);
        // A remainder of zero has the sign of the divisor.
        let signed_zero = t.scalar("math.copysign", &[zero.clone(), y.clone()]);
        let rest = t.scalar("arith.select", &[some, rest, signed_zero]);
        let floor = t.scalar("math.floor", std::slice::from_ref(&quotient));
        let above = t.scalar("arith.subf", &[quotient.clone(), floor.clone()]);
        let rounds = t.compare(true, Predicate::Gt, &above, &half);
        let next = t.scalar("arith.addf", &[floor.clone(), one]);
        let floor = t.scalar("arith.select", &[rounds, next, floor]);
        let plain = t.scalar("arith.divf", &[x.clone(), y.clone()]);
        let signed = t.scalar("math.copysign", &[zero.clone(), plain]);
        let is_some = t.compare(true, Predicate::Ne, &quotient, &zero);
        (t.scalar("arith.select", &[is_some, floor, signed]), rest)
    }

    pub(super) fn float_power(&mut self, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let (x, y) = (Self::leaf(&a), Self::leaf(&b));
        let constant = match &b {
            Value::Float(_, Some(bits)) => Some(f64::from_bits(*bits)),
            _ => None,
        };
        let t = &mut *self.target;
        let zero = t.float(0.0);
        if constant.is_none_or(|exponent| exponent < 0.0) {
            // A power of zero by minus infinity is infinite.
            let some = t.compare(true, Predicate::Ne, &x, &zero);
            let negative = t.compare(true, Predicate::Lt, &y, &zero);
            let Value::Bool(finite, _) = self.is_finite_or_nan(&y) else {
                unreachable!("a test is a boolean");
            };
            let wrong = self.target.scalar("arith.andi", &[negative, finite]);
            let Value::Bool(right, _) = self.not(&wrong) else {
                unreachable!("a negation is a boolean");
            };
            let holds = self.target.scalar("arith.ori", &[some, right]);
            let message = "0.0 cannot be raised to a negative power";
            self.target.check(&holds, "ZeroDivisionError", message);
        }
        let t = &mut *self.target;
        if constant.is_none_or(|exponent| exponent.fract() != 0.0) {
            let positive = t.compare(true, Predicate::Ge, &x, &zero);
            // Comparisons with NaN are false: its powers are NaN.
            let is_nan = t.compare(true, Predicate::Ne, &x, &x);
            let whole = t.scalar("math.floor", std::slice::from_ref(&y));
            let is_whole = t.compare(true, Predicate::Eq, &whole, &y);
            let exponent_nan = t.compare(true, Predicate::Ne, &y, &y);
            let holds = t.scalar("arith.ori", &[positive, is_nan]);
            let holds = t.scalar("arith.ori", &[holds, is_whole]);
            let holds = t.scalar("arith.ori", &[holds, exponent_nan]);
            // A power of minus infinity is a float.
            let Value::Bool(finite, _) = self.is_finite_or_nan(&x) else {
                unreachable!("a test is a boolean");
            };
            let Value::Bool(infinite, _) = self.not(&finite) else {
                unreachable!("a negation is a boolean");
            };
            let t = &mut *self.target;
            let holds = t.scalar("arith.ori", &[holds, infinite]);
            let message = "a fractional power of a negative float is complex, which tfx has not";
            t.check(&holds, "ValueError", message);
        }
        let power = self.target.scalar("math.powf", &[x.clone(), y.clone()]);
        self.check_range(&[&x, &y], &power, "(34, 'Numerical result out of range')");
        Ok(Value::Float(power, None))
    }

    /// Raises `OverflowError` if a result is infinite, and no operand is.
    pub(super) fn check_range(&mut self, operands: &[&T::V], result: &T::V, message: &str) {
        let Value::Bool(mut holds, _) = self.is_finite_or_nan(result) else {
            unreachable!("a test is a boolean");
        };
        for operand in operands {
            let Value::Bool(finite, _) = self.is_finite_or_nan(operand) else {
                unreachable!("a test is a boolean");
            };
            let Value::Bool(infinite, _) = self.not(&finite) else {
                unreachable!("a negation is a boolean");
            };
            holds = self.target.scalar("arith.ori", &[holds, infinite]);
        }
        self.target.check(&holds, "OverflowError", message);
    }

    /// Tests that a float is not infinite.
    pub(super) fn is_finite_or_nan(&mut self, value: &T::V) -> Val<T> {
        let size = self.target.scalar("math.absf", std::slice::from_ref(value));
        let infinity = self.target.float(f64::INFINITY);
        let differs = self.target.compare(true, Predicate::Ne, &size, &infinity);
        Value::Bool(differs, None)
    }

    // ---- Comparisons ----------------------------------------------------------------------------

    pub(super) fn scalar_compare(&mut self, op: CompareOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        let predicate = predicate(op);
        let (a, b) = (self.as_int(a), self.as_int(b));
        Ok(match (&a, &b) {
            (Value::Int(_, Some(x)), Value::Int(_, Some(y))) => {
                self.bool(holds(predicate, x.cmp(y)))
            }
            (Value::Int(x, _), Value::Int(y, _)) => {
                Value::Bool(self.target.compare(false, predicate, x, y), None)
            }
            (Value::Float(x, _), Value::Float(y, _)) => {
                Value::Bool(self.target.compare(true, predicate, x, y), None)
            }
            (Value::Int(x, constant), Value::Float(y, _)) => {
                Value::Bool(self.compare_mixed(predicate, x, *constant, y), None)
            }
            (Value::Float(x, _), Value::Int(y, constant)) => {
                let mirrored = match predicate {
                    Predicate::Lt => Predicate::Gt,
                    Predicate::Le => Predicate::Ge,
                    Predicate::Gt => Predicate::Lt,
                    Predicate::Ge => Predicate::Le,
                    same => same,
                };
                Value::Bool(self.compare_mixed(mirrored, y, *constant, x), None)
            }
            _ => unreachable!("scalars are compared"),
        })
    }

    /// Compares an integer with a float without rounding: only if the rounded integer equals the
    /// float, the integers are compared.
    fn compare_mixed(
        &mut self,
        predicate: Predicate,
        int: &T::V,
        constant: Option<i64>,
        float: &T::V,
    ) -> T::V {
        let rounded = self.target.convert("arith.sitofp", int, DType::F64);
        let floats = self.target.compare(true, predicate, &rounded, float);
        if constant.is_some_and(|value| (-EXACT..=EXACT).contains(&value)) {
            return floats;
        }
        let tie = self.target.compare(true, Predicate::Eq, &rounded, float);
        let end = self.target.float(INT_END);
        let is_end = self.target.compare(true, Predicate::Ge, float, &end);
        let zero = self.target.float(0.0);
        // Neither NaN nor what is too large is converted.
        let is_inside = self.target.compare(true, Predicate::Lt, float, &end);
        let both = self.target.scalar("arith.andi", &[tie.clone(), is_inside]);
        let safe = self
            .target
            .scalar("arith.select", &[both, float.clone(), zero]);
        let whole = self.target.convert("arith.fptosi", &safe, DType::I64);
        let ints = self.target.compare(false, predicate, int, &whole);
        // 2^63 is greater than each integer.
        let less = matches!(predicate, Predicate::Lt | Predicate::Le | Predicate::Ne);
        let less = self.target.bool(less);
        let exact = self.target.scalar("arith.select", &[is_end, less, ints]);
        self.target.scalar("arith.select", &[tie, exact, floats])
    }

    // ---- Conversions ----------------------------------------------------------------------------

    /// `int(x)` of a float: rounded to zero.
    pub(super) fn float_to_int(&mut self, value: &T::V) -> Val<T> {
        let t = &mut *self.target;
        let is_number = t.compare(true, Predicate::Eq, value, value);
        t.check(
            &is_number,
            "ValueError",
            "cannot convert float NaN to integer",
        );
        let Value::Bool(finite, _) = self.is_finite_or_nan(value) else {
            unreachable!("a test is a boolean");
        };
        let t = &mut *self.target;
        t.check(
            &finite,
            "OverflowError",
            "cannot convert float infinity to integer",
        );
        let (low, high) = (t.float(-INT_END), t.float(INT_END));
        let above = t.compare(true, Predicate::Ge, value, &low);
        let below = t.compare(true, Predicate::Lt, value, &high);
        let inside = t.scalar("arith.andi", &[above, below]);
        self.overflow(&inside);
        let t = &mut *self.target;
        let zero = t.float(0.0);
        let safe = t.scalar("arith.select", &[inside, value.clone(), zero]);
        Value::Int(t.convert("arith.fptosi", &safe, DType::I64), None)
    }
}

fn logic_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "arith.andi",
        BinaryOp::Or => "arith.ori",
        _ => "arith.xori",
    }
}

pub(super) fn predicate(op: CompareOp) -> Predicate {
    match op {
        CompareOp::Eq => Predicate::Eq,
        CompareOp::Ne => Predicate::Ne,
        CompareOp::Lt => Predicate::Lt,
        CompareOp::Le => Predicate::Le,
        CompareOp::Gt => Predicate::Gt,
        _ => Predicate::Ge,
    }
}

fn holds(predicate: Predicate, order: std::cmp::Ordering) -> bool {
    match predicate {
        Predicate::Eq => order.is_eq(),
        Predicate::Ne => order.is_ne(),
        Predicate::Lt => order.is_lt(),
        Predicate::Le => order.is_le(),
        Predicate::Gt => order.is_gt(),
        Predicate::Ge => order.is_ge(),
    }
}

/// Folds an operator of integers, where the result fits.
fn fold_int(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::FloorDiv if b != 0 => {
            let quotient = a.checked_div(b)?;
            let inexact = a.checked_rem(b)? != 0 && (a < 0) != (b < 0);
            Some(quotient - i64::from(inexact))
        }
        BinaryOp::Mod if b != 0 => {
            let rest = a.checked_rem(b).unwrap_or(0);
            Some(if rest != 0 && (rest < 0) != (b < 0) {
                rest + b
            } else {
                rest
            })
        }
        BinaryOp::Pow => a.checked_pow(u32::try_from(b).ok()?),
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        _ => None,
    }
}
