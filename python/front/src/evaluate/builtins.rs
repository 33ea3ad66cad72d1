//! Builtins, and the module `math`.

use tfx_python_syntax::{BinaryOp, CompareOp, UnaryOp};

use super::{Evaluator, Val, constant_int};
use crate::target::{Foreign, Predicate, Result, Target};
use crate::value::{Lazy, Leaf, Value};

/// Functions of `math` of one float, with the operation.
const MATH: &[(&str, &str)] = &[
    ("acos", "math.acos"),
    ("asin", "math.asin"),
    ("atan", "math.atan"),
    ("cos", "math.cos"),
    ("cosh", "math.cosh"),
    ("erf", "math.erf"),
    ("exp", "math.exp"),
    ("expm1", "math.expm1"),
    ("fabs", "math.absf"),
    ("log", "math.log"),
    ("log10", "math.log10"),
    ("log1p", "math.log1p"),
    ("log2", "math.log2"),
    ("sin", "math.sin"),
    ("sinh", "math.sinh"),
    ("sqrt", "math.sqrt"),
    ("tan", "math.tan"),
    ("tanh", "math.tanh"),
];

type Keywords<T> = Vec<(String, Val<T>)>;

impl<T: Target> Evaluator<'_, T> {
    /// The value of a member of `math`: a constant or a function.
    pub(super) fn builtin_value(&mut self, full: &str) -> Result<Val<T>> {
        Ok(match full {
            "math.pi" => self.float(std::f64::consts::PI),
            "math.e" => self.float(std::f64::consts::E),
            "math.tau" => self.float(std::f64::consts::TAU),
            "math.inf" => self.float(f64::INFINITY),
            "math.nan" => self.float(f64::NAN),
            _ => Value::Builtin(full.to_owned()),
        })
    }

    /// Calls a builtin.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        if name == "print" {
            return self.print(positional, keywords);
        }
        if crate::world::EXCEPTIONS.contains(&name) {
            if positional.len() > 1 || !keywords.is_empty() {
                return self.fail(format!("{name}() takes one argument in a program"));
            }
            let message = positional.into_iter().next().map(Box::new);
            return Ok(Value::Exception(name.to_owned(), message));
        }
        match name {
            "abs" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
                self.absolute(x)
            }
            "bool" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 0)?;
                match x {
                    Some(x) => self.truth(x),
                    None => Ok(self.bool(false)),
                }
            }
            "int" | "float" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 0)?;
                self.number(name, x)
            }
            "str" | "repr" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 0)?;
                match x {
                    Some(x) => self.text_of(x, name == "repr"),
                    None => Ok(self.string("")),
                }
            }
            "len" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
                let Some(x) = x else {
                    unreachable!("the argument is required")
                };
                self.length(x)
            }
            "range" => self.range(positional, keywords),
            "enumerate" => {
                let names = ["iterable", "start"];
                let [iterable, start] = self.arguments(name, positional, keywords, names, 1)?;
                let Some(iterable) = iterable else {
                    unreachable!("the argument is required")
                };
                let start = match start {
                    Some(of) => of,
                    None => self.int(0),
                };
                Ok(Value::Lazy(Lazy::Enumerate, vec![iterable, start]))
            }
            "zip" if keywords.is_empty() => Ok(Value::Lazy(Lazy::Zip, positional)),
            "zip" => self.fail("zip() with 'strict' is not compiled"),
            "reversed" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
                Ok(Value::Lazy(Lazy::Reversed, x.into_iter().collect()))
            }
            "tuple" | "list" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 0)?;
                let parts = match x {
                    Some(x) => self.elements(x)?,
                    None => Vec::new(),
                };
                Ok(match name {
                    "tuple" => Value::Tuple(parts),
                    _ => Value::List(parts),
                })
            }
            "sum" => {
                let [x, start] = self.arguments(name, positional, keywords, ["x", "start"], 1)?;
                let Some(x) = x else {
                    unreachable!("the argument is required")
                };
                let mut sum = match start {
                    Some(of) => of,
                    None => self.int(0),
                };
                for part in self.elements(x)? {
                    if matches!((&sum, &part), (Value::Float(..), _) | (_, Value::Float(..))) {
                        return self.fail(
                            "sum() of floats rounds differently from Python 3.12 on; write a loop, or tfx.sum",
                        );
                    }
                    sum = self.binary(BinaryOp::Add, sum, part)?;
                }
                Ok(sum)
            }
            "any" | "all" => {
                let [x] = self.arguments(name, positional, keywords, ["x"], 1)?;
                let Some(x) = x else {
                    unreachable!("the argument is required")
                };
                let mut result = self.bool(name == "all");
                for part in self.elements(x)? {
                    let truth = self.truth(part)?;
                    result = match name {
                        "all" => self.and(result, truth),
                        _ => self.or(result, truth),
                    };
                }
                Ok(result)
            }
            "min" | "max" => self.extreme(name, positional, keywords),
            "divmod" => {
                let [a, b] = self.arguments(name, positional, keywords, ["a", "b"], 2)?;
                let (Some(a), Some(b)) = (a, b) else {
                    unreachable!("both are required")
                };
                let quotient = self.binary(BinaryOp::FloorDiv, a.clone(), b.clone())?;
                let rest = self.binary(BinaryOp::Mod, a, b)?;
                Ok(Value::Tuple(vec![quotient, rest]))
            }
            "pow" => {
                let [a, b] = self.arguments(name, positional, keywords, ["base", "exp"], 2)?;
                let (Some(a), Some(b)) = (a, b) else {
                    unreachable!("both are required")
                };
                self.binary(BinaryOp::Pow, a, b)
            }
            "round" => self.rounded(positional, keywords),
            "isinstance" => {
                let [x, of] = self.arguments(name, positional, keywords, ["x", "of"], 2)?;
                let (Some(x), Some(of)) = (x, of) else {
                    unreachable!("both are required")
                };
                let is_instance = self.is_instance(&x, &of)?;
                Ok(self.bool(is_instance))
            }
            _ => self.fail(format!(
                "'{name}' is not compiled; call it in a @tfx.host function"
            )),
        }
    }

    fn absolute(&mut self, x: Option<Val<T>>) -> Result<Val<T>> {
        match x {
            Some(value @ (Value::Bool(..) | Value::Int(..))) => {
                let value = self.as_int(value);
                if let Some(known) = constant_int(&value)
                    && known != i64::MIN
                {
                    return Ok(self.int(known.abs()));
                }
                let zero = self.int(0);
                let negated = self.binary_of_negation(value.clone())?;
                let less = self.scalar_compare(CompareOp::Lt, value.clone(), zero)?;
                let Value::Bool(less, _) = less else {
                    unreachable!("a comparison is a boolean")
                };
                Ok(self.select(&less, negated, value))
            }
            Some(Value::Float(value, _)) => Ok(Value::Float(
                self.target.scalar("math.absf", &[value]),
                None,
            )),
            Some(x @ Value::Tensor(..)) => self.library("abs", vec![x], Vec::new()),
            Some(other) => {
                let name = self.describe(&other);
                self.fail(format!("abs() of {name} is not compiled"))
            }
            None => unreachable!("the argument is required"),
        }
    }

    /// The negation of an integer, which overflows for the least one only.
    fn binary_of_negation(&mut self, value: Val<T>) -> Result<Val<T>> {
        let zero = self.int(0);
        self.binary(BinaryOp::Sub, zero, value)
    }

    fn number(&mut self, name: &str, x: Option<Val<T>>) -> Result<Val<T>> {
        let is_int = name == "int";
        let Some(x) = x else {
            return Ok(if is_int { self.int(0) } else { self.float(0.0) });
        };
        let x = match x {
            Value::Tensor(..) => self.tensor_to_scalar(x)?,
            other => other,
        };
        match (is_int, x) {
            (true, x @ (Value::Bool(..) | Value::Int(..))) => Ok(self.as_int(x)),
            (true, Value::Float(value, _)) => Ok(self.float_to_int(&value)),
            (false, x @ (Value::Bool(..) | Value::Int(..) | Value::Float(..))) => {
                Ok(self.as_float(x))
            }
            (_, Value::Str(_, Some(text))) if !is_int => {
                let value = match text.trim() {
                    "inf" | "+inf" | "infinity" | "Infinity" => f64::INFINITY,
                    "-inf" | "-infinity" | "-Infinity" => f64::NEG_INFINITY,
                    "nan" | "NaN" => f64::NAN,
                    other => match other.parse() {
                        Ok(value) => value,
                        Err(_) => return self.fail(format!("could not convert '{text}' to float")),
                    },
                };
                Ok(self.float(value))
            }
            (_, other) => {
                let described = self.describe(&other);
                self.fail(format!(
                    "{name}() of {described} is not compiled; use a @tfx.host function"
                ))
            }
        }
    }

    pub(super) fn length(&mut self, x: Val<T>) -> Result<Val<T>> {
        match x {
            Value::Tuple(parts) | Value::List(parts) => Ok(self.int(parts.len() as i64)),
            Value::Str(_, Some(text)) => Ok(self.int(text.chars().count() as i64)),
            Value::Str(value, None) => {
                let operands = [(value, Leaf::Str)];
                let results = self
                    .target
                    .foreign(Foreign::Length, &operands, &[Leaf::Int]);
                Ok(Value::Int(results[0].clone(), None))
            }
            Value::Tensor(value, ty) if ty.rank() > 0 => Ok(self.size_of(&value, &ty, 0)),
            Value::Range(bounds) => {
                let [start, stop, step] = *bounds;
                Ok(self.range_length(&start, &stop, &step))
            }
            Value::Struct(..) => {
                let method = self.attribute(x, "__len__")?;
                self.call(method, Vec::new(), Vec::new())
            }
            other => {
                let name = self.describe(&other);
                self.fail(format!("len() of {name} is not compiled"))
            }
        }
    }

    fn range(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
        if !keywords.is_empty() || positional.is_empty() || positional.len() > 3 {
            return self.fail("range() takes one to three arguments");
        }
        let mut bounds = Vec::new();
        for bound in positional {
            match self.tensor_to_scalar(bound)? {
                value @ (Value::Int(..) | Value::Bool(..)) => bounds.push(self.as_int(value)),
                other => {
                    let name = self.describe(&other);
                    return self.fail(format!("range() takes int, not {name}; write int(..)"));
                }
            }
        }
        let (start, stop, step) = match bounds.len() {
            1 => (self.int(0), bounds.remove(0), self.int(1)),
            2 => (bounds.remove(0), bounds.remove(0), self.int(1)),
            _ => (bounds.remove(0), bounds.remove(0), bounds.remove(0)),
        };
        let message = "range() arg 3 must not be zero";
        match (constant_int(&step), &step) {
            (Some(0), _) => {
                let message = self.string(message);
                return self.raise("ValueError", Some(message));
            }
            (None, Value::Int(value, _)) => {
                let value = value.clone();
                let zero = self.target.int(0);
                let some = self.target.compare(false, Predicate::Ne, &value, &zero);
                self.target.check(&some, "ValueError", message);
                // The step is a divisor.
                let one = self.target.int(1);
                let safe = self.target.scalar("arith.select", &[some, value, one]);
                return Ok(Value::Range(Box::new([
                    start,
                    stop,
                    Value::Int(safe, None),
                ])));
            }
            _ => {}
        }
        Ok(Value::Range(Box::new([start, stop, step])))
    }

    fn extreme(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        if let Some((keyword, _)) = keywords.first() {
            return self.fail(format!("{name}() with '{keyword}' is not compiled"));
        }
        let parts = match <[Val<T>; 1]>::try_from(positional) {
            Ok([only]) => self.elements(only)?,
            Err(parts) => parts,
        };
        let mut parts = parts.into_iter();
        let Some(mut best) = parts.next() else {
            let message = self.string(&format!("{name}() arg is an empty sequence"));
            return self.raise("ValueError", Some(message));
        };
        let op = if name == "min" {
            CompareOp::Lt
        } else {
            CompareOp::Gt
        };
        for part in parts {
            let (a, b) = (part.ty().generalized(), best.ty().generalized());
            if a != b {
                let (a, b) = (self.describe(&best), self.describe(&part));
                return self.fail(format!(
                    "{name}() of {a} and {b} has a type that depends on data; convert one of them"
                ));
            }
            // The first of equal elements is the result.
            let better = self.compare(op, part.clone(), best.clone())?;
            best = match self.truth(better)? {
                Value::Bool(_, Some(true)) => part,
                Value::Bool(_, Some(false)) => best,
                Value::Bool(better, None) => self.select(&better, part, best),
                _ => unreachable!("a truth is a boolean"),
            };
        }
        Ok(best)
    }

    fn rounded(&mut self, positional: Vec<Val<T>>, keywords: Keywords<T>) -> Result<Val<T>> {
        let names = ["number", "ndigits"];
        let [x, digits] = self.arguments("round", positional, keywords, names, 1)?;
        let Some(x) = x else {
            unreachable!("the argument is required")
        };
        match (x, digits) {
            (x @ Value::Tensor(..), None | Some(Value::None)) => {
                self.library("round", vec![x], Vec::new())
            }
            (Value::Tensor(..), _) => {
                self.fail("round() of a tensor has no digits; write tfx.round(x * 100) / 100")
            }
            (x @ (Value::Bool(..) | Value::Int(..)), None | Some(Value::None)) => {
                Ok(self.as_int(x))
            }
            (Value::Float(value, _), None | Some(Value::None)) => {
                let whole = self.target.scalar("math.roundeven", &[value]);
                Ok(self.float_to_int(&whole))
            }
            (Value::Float(value, _), Some(digits @ (Value::Int(..) | Value::Bool(..)))) => {
                let Value::Int(digits, _) = self.as_int(digits) else {
                    unreachable!("a boolean is an integer");
                };
                let operands = [(value, Leaf::Float), (digits, Leaf::Int)];
                let results = self
                    .target
                    .foreign(Foreign::Round, &operands, &[Leaf::Float]);
                Ok(Value::Float(results[0].clone(), None))
            }
            (other, _) => {
                let name = self.describe(&other);
                self.fail(format!(
                    "round() of {name} with these digits is not compiled"
                ))
            }
        }
    }

    fn is_instance(&self, x: &Val<T>, of: &Val<T>) -> Result<bool> {
        Ok(match of {
            Value::Tuple(parts) => {
                for part in parts {
                    if self.is_instance(x, part)? {
                        return Ok(true);
                    }
                }
                false
            }
            Value::Class(class) => matches!(x, Value::Struct(of, _) if of == class),
            Value::Builtin(name) => match name.as_str() {
                "int" => matches!(x, Value::Int(..) | Value::Bool(..)),
                "float" => matches!(x, Value::Float(..)),
                "bool" => matches!(x, Value::Bool(..)),
                "str" => matches!(x, Value::Str(..)),
                "tuple" => matches!(x, Value::Tuple(_)),
                "list" => matches!(x, Value::List(_)),
                "tfx.Tensor" => matches!(x, Value::Tensor(..)),
                name => return self.fail(format!("isinstance() of '{name}' is not compiled")),
            },
            other => {
                let name = self.describe(other);
                return self.fail(format!("isinstance() needs a class, not {name}"));
            }
        })
    }

    /// Calls a function of `math`.
    pub(super) fn math(
        &mut self,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        if !keywords.is_empty() {
            return self.fail(format!("math.{name}() takes no keywords"));
        }
        let mut values = Vec::new();
        for value in positional {
            match self.tensor_to_scalar(value)? {
                value @ (Value::Bool(..) | Value::Int(..) | Value::Float(..)) => values.push(value),
                other => {
                    let described = self.describe(&other);
                    return self.fail(format!("math.{name}() needs a number, not {described}"));
                }
            }
        }
        let mut parts = values.into_iter();
        let Some(first) = parts.next() else {
            return self.fail(format!("math.{name}() needs an argument"));
        };
        let second = parts.next();
        if parts.next().is_some() {
            return self.fail(format!(
                "math.{name}() with these arguments is not compiled"
            ));
        }
        if matches!(name, "floor" | "ceil" | "trunc") && second.is_none() {
            return Ok(match first {
                Value::Float(value, _) => {
                    let op = match name {
                        "floor" => "math.floor",
                        "ceil" => "math.ceil",
                        _ => "math.trunc",
                    };
                    let whole = self.target.scalar(op, &[value]);
                    self.float_to_int(&whole)
                }
                other => self.as_int(other),
            });
        }
        let Value::Float(x, _) = self.as_float(first) else {
            unreachable!("a number is a float");
        };
        if let Some(second) = second {
            let Value::Float(y, _) = self.as_float(second) else {
                unreachable!("a number is a float");
            };
            let power = |x: T::V| Value::Float(x, None);
            return match name {
                "atan2" => Ok(power(self.target.scalar("math.atan2", &[x, y]))),
                "copysign" => Ok(power(self.target.scalar("math.copysign", &[x, y]))),
                "pow" => self.float_power(Value::Float(x, None), Value::Float(y, None)),
                _ => self.fail(format!(
                    "math.{name}() with these arguments is not compiled"
                )),
            };
        }
        match name {
            "isnan" => {
                let nan = self.target.compare(true, Predicate::Ne, &x, &x);
                return Ok(Value::Bool(nan, None));
            }
            "isinf" => {
                let finite = self.is_finite_or_nan(&x);
                return self.unary(UnaryOp::Not, finite);
            }
            "isfinite" => {
                let number = self.target.compare(true, Predicate::Eq, &x, &x);
                let finite = self.is_finite_or_nan(&x);
                return Ok(self.and(Value::Bool(number, None), finite));
            }
            _ => {}
        }
        let Some((_, op)) = MATH.iter().find(|(of, _)| *of == name) else {
            return self.fail(format!(
                "math.{name}() is not compiled; call it in a @tfx.host function"
            ));
        };
        self.check_domain(name, &x);
        let result = self.target.scalar(op, std::slice::from_ref(&x));
        if matches!(name, "exp" | "expm1" | "cosh" | "sinh") {
            self.check_range(&[&x], &result, "math range error");
        }
        Ok(Value::Float(result, None))
    }

    /// Raises `ValueError` where CPython does.
    fn check_domain(&mut self, name: &str, x: &T::V) {
        let t = &mut *self.target;
        let outside = match name {
            "sqrt" => {
                let zero = t.float(0.0);
                t.compare(true, Predicate::Lt, x, &zero)
            }
            "log" | "log2" | "log10" => {
                let zero = t.float(0.0);
                t.compare(true, Predicate::Le, x, &zero)
            }
            "log1p" => {
                let minus_one = t.float(-1.0);
                t.compare(true, Predicate::Le, x, &minus_one)
            }
            "acos" | "asin" => {
                let (size, one) = (t.scalar("math.absf", std::slice::from_ref(x)), t.float(1.0));
                t.compare(true, Predicate::Gt, &size, &one)
            }
            "sin" | "cos" | "tan" => {
                let Value::Bool(finite, _) = self.is_finite_or_nan(x) else {
                    unreachable!("a test is a boolean");
                };
                self.target
                    .check(&finite, "ValueError", "math domain error");
                return;
            }
            _ => return,
        };
        let Value::Bool(inside, _) = self.not(&outside) else {
            unreachable!("a negation is a boolean");
        };
        self.target
            .check(&inside, "ValueError", "math domain error");
    }
}
