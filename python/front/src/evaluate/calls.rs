//! Calls: functions of the program, classes, host functions, and gradients.

use std::sync::Arc;

use tfx_python_syntax::BinaryOp;

use super::tensors::{Class as Kind, class};
use super::{Evaluator, Val};
use crate::hir::FunctionId;
use crate::target::{Foreign, Result, Stop, Target};
use crate::value::{Capture, Closure, Leaf, Value, tensor_name};
use crate::world::{Annotation, Global, Size};

type Keywords<T> = Vec<(String, Val<T>)>;

impl<T: Target> Evaluator<'_, T> {
    pub(crate) fn call(
        &mut self,
        callee: Val<T>,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        match callee {
            Value::Function(closure) => {
                let arguments = self.bind(&closure, positional, keywords)?;
                let captures = self.captures(&closure);
                self.target.call(closure.id, arguments, captures, self.span)
            }
            Value::Gradient(f, wants_value) => {
                self.gradient_call(*f, wants_value, positional, keywords)
            }
            Value::Class(id) => self.construct(id, positional, keywords),
            Value::Host(id) => self.host_call(id, positional, keywords),
            Value::Builtin(name) => match name.split_once('.') {
                Some(("tfx", name)) => self.library(name, positional, keywords),
                Some(("math", name)) => self.math(name, positional, keywords),
                Some((module, member)) => {
                    self.fail(format!("'{module}.{member}' is not called in a program"))
                }
                None => self.builtin(&name, positional, keywords),
            },
            Value::Method(receiver, name) => self.method(*receiver, &name, positional, keywords),
            Value::Struct(..) => {
                let method = self.attribute(callee, "__call__")?;
                self.call(method, positional, keywords)
            }
            Value::DType(dtype) => {
                let [x] = self.arguments("an element type", positional, keywords, ["x"], 1)?;
                let dtype = Value::DType(dtype);
                let Some(x) = x else {
                    unreachable!("the argument is required")
                };
                self.library("asarray", vec![x, dtype], Vec::new())
            }
            other => {
                let name = self.describe(&other);
                self.fail(format!("{name} is not callable in a program"))
            }
        }
    }

    fn method(
        &mut self,
        receiver: Val<T>,
        name: &str,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        match receiver {
            Value::Tensor(..) => {
                let mut arguments = vec![receiver];
                // `x.transpose(1, 0)` is `x.transpose((1, 0))`.
                match name == "transpose" && positional.len() > 1 {
                    true => arguments.push(Value::Tuple(positional)),
                    false => arguments.extend(positional),
                }
                self.library(name, arguments, keywords)
            }
            Value::Method(both, at) if at == "at[]" => self.at_method(*both, name, positional),
            Value::Struct(class, fields) if name == "replace" => {
                self.replaced(class, fields, positional, keywords)
            }
            Value::Float(value, _) if name == "is_integer" => {
                let whole = self
                    .target
                    .scalar("math.floor", std::slice::from_ref(&value));
                let equal = self
                    .target
                    .compare(true, crate::target::Predicate::Eq, &whole, &value);
                let finite = self.is_finite_or_nan(&value);
                Ok(self.and(Value::Bool(equal, None), finite))
            }
            other => {
                let described = self.describe(&other);
                self.fail(format!("'{name}' of {described} is not compiled"))
            }
        }
    }

    // ---- Functions ------------------------------------------------------------------------------

    /// The default values of a function of a module, which are constants.
    pub(crate) fn defaults(&mut self, id: FunctionId) -> Result<Vec<Val<T>>> {
        let body = Arc::clone(&self.target.world().bodies[id]);
        let of = &body.function.parameters;
        let all = of.positional.iter().chain(&of.keyword_only);
        let defaults = all.filter_map(|parameter| parameter.default.as_ref());
        defaults
            .map(|default| self.default_value(body.file, default))
            .collect()
    }

    /// Evaluates a default value of a module.
    fn default_value(
        &mut self,
        file: crate::hir::FileId,
        expr: &tfx_python_syntax::Expr,
    ) -> Result<Val<T>> {
        use tfx_python_syntax::ExprKind;
        match &expr.kind {
            ExprKind::None => return Ok(Value::None),
            ExprKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.default_value(file, part));
                return Ok(Value::Tuple(parts.collect::<Result<_>>()?));
            }
            ExprKind::Name(name) => {
                if let Ok(value) = self.target.global(file, name, expr.span) {
                    return Ok(value);
                }
            }
            _ => {}
        }
        let constant = self.target.world().constant(file, expr);
        match constant {
            Some(constant) => Ok(self.constant_value(&constant)),
            None => Err(Stop::Elsewhere(Box::new(self.target.world().error(
                file,
                expr.span,
                "a default value is a constant in a program".to_owned(),
            )))),
        }
    }

    pub(crate) fn constant_value(&mut self, constant: &crate::value::Constant) -> Val<T> {
        use crate::value::Constant;
        match constant {
            Constant::Bool(value) => self.bool(*value),
            Constant::Int(value) => self.int(*value),
            Constant::Float(bits) => self.float(f64::from_bits(*bits)),
            Constant::Str(text) => self.string(text),
        }
    }

    /// The captured values of a closure, which is settled.
    fn captures(&self, closure: &Arc<Closure<T::V>>) -> Vec<Val<T>> {
        let captures = closure.captures.iter();
        captures
            .map(|capture| match capture {
                Capture::Value(value) => with_closure(value, closure),
                Capture::Itself(id) if *id == closure.id => Value::Function(Arc::clone(closure)),
                Capture::Late(_) | Capture::Itself(_) => Value::Unbound,
            })
            .collect()
    }

    /// Binds the arguments of a call to the parameters of a function, in the order of its slots.
    fn bind(
        &mut self,
        closure: &Closure<T::V>,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Vec<Val<T>>> {
        let body = Arc::clone(&self.target.world().bodies[closure.id]);
        let of = &body.function.parameters;
        let name = &body.function.name;
        let mut given = Vec::new();
        given.extend(closure.receiver.clone());
        given.extend(positional);
        let count = of.positional.len();
        let mut bound: Vec<Option<Val<T>>> = Vec::new();
        let mut rest = Vec::new();
        for value in given {
            match bound.len() < count {
                true => bound.push(Some(value)),
                false => rest.push(value),
            }
        }
        if !rest.is_empty() && of.rest.is_none() {
            let given = count + rest.len();
            return self.fail(format!(
                "TypeError: {name}() takes {count} positional arguments but {given} were given"
            ));
        }
        bound.resize_with(count + of.keyword_only.len(), || None);
        for (keyword, value) in keywords {
            let all = of.positional.iter().chain(&of.keyword_only);
            let index = all.enumerate().position(|(index, parameter)| {
                index >= of.positional_only && parameter.name == keyword
            });
            match index {
                Some(index) if bound[index].is_none() => bound[index] = Some(value),
                Some(_) => {
                    return self.fail(format!(
                        "TypeError: {name}() got multiple values for argument '{keyword}'"
                    ));
                }
                None => {
                    return self.fail(format!(
                        "TypeError: {name}() got an unexpected keyword argument '{keyword}'"
                    ));
                }
            }
        }
        let mut defaults = closure.defaults.iter();
        let all = of.positional.iter().chain(&of.keyword_only);
        for (slot, parameter) in bound.iter_mut().zip(all) {
            let default = parameter.default.as_ref().and_then(|_| defaults.next());
            if slot.is_none() {
                match default {
                    Some(default) => *slot = Some(default.clone()),
                    None => {
                        return Err(Stop::Error(
                            self.span,
                            format!(
                                "TypeError: {name}() missing the argument '{}'",
                                parameter.name
                            ),
                        ));
                    }
                }
            }
        }
        let mut frame: Vec<Val<T>> = bound.into_iter().flatten().collect();
        if of.rest.is_some() {
            frame.insert(count, Value::Tuple(rest));
        }
        Ok(frame)
    }

    fn gradient_call(
        &mut self,
        f: Val<T>,
        wants_value: bool,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let Value::Function(closure) = f else {
            unreachable!("gradient() takes functions");
        };
        let mut arguments = self.bind(&closure, positional, keywords)?;
        let wrt = usize::from(closure.receiver.is_some());
        let Some(argument) = arguments.get_mut(wrt) else {
            return self.fail("the function has no parameter to differentiate by");
        };
        // A constant is a variable of the derivative.
        if let Value::Float(value, _) = argument {
            *argument = Value::Float(value.clone(), None);
        }
        let mut wrong = None;
        argument.map(&mut |part| {
            let is_float = match &part.leaf {
                Leaf::Float => true,
                Leaf::Tensor(ty) => class(ty.dtype) == Kind::Float,
                _ => false,
            };
            if !is_float && wrong.is_none() {
                wrong = Some(match part.leaf {
                    Leaf::Tensor(ty) => tensor_name(&ty),
                    Leaf::Bool => "bool".to_owned(),
                    Leaf::Int => "int".to_owned(),
                    _ => "str".to_owned(),
                });
            }
        });
        if let Some(wrong) = wrong {
            return self.fail(format!(
                "{wrong} has no derivative; the first argument must consist of floats"
            ));
        }
        let captures = self.captures(&closure);
        let (value, gradient) =
            self.target
                .gradient(closure.id, arguments, captures, wants_value, wrt, self.span)?;
        Ok(match value {
            Some(value) => Value::Tuple(vec![value, gradient]),
            None => gradient,
        })
    }

    // ---- Classes --------------------------------------------------------------------------------

    fn construct(
        &mut self,
        id: usize,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let of = &self.target.world().classes[id];
        let (name, file) = (of.name.clone(), of.file);
        if of.methods.contains_key("__init__") || of.methods.contains_key("__post_init__") {
            return self.fail(format!(
                "'{name}' has its own '__init__', which is not compiled; write a function that makes it"
            ));
        }
        let fields: Vec<_> = of
            .fields
            .iter()
            .map(|field| (field.name.clone(), field.default.clone()))
            .collect();
        if positional.len() > fields.len() {
            return self.fail(format!(
                "TypeError: {name}() takes {} arguments but {} were given",
                fields.len(),
                positional.len()
            ));
        }
        let mut values: Vec<Option<Val<T>>> = positional.into_iter().map(Some).collect();
        values.resize_with(fields.len(), || None);
        for (keyword, value) in keywords {
            match fields.iter().position(|(name, _)| *name == keyword) {
                Some(index) if values[index].is_none() => values[index] = Some(value),
                Some(_) => {
                    return self.fail(format!(
                        "TypeError: {name}() got multiple values for argument '{keyword}'"
                    ));
                }
                None => {
                    return self.fail(format!(
                        "TypeError: {name}() got an unexpected keyword argument '{keyword}'"
                    ));
                }
            }
        }
        let mut all = Vec::new();
        for ((field, default), value) in fields.into_iter().zip(values) {
            all.push(match (value, default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.default_value(file, &default)?,
                (None, None) => {
                    return self.fail(format!(
                        "TypeError: {name}() missing the argument '{field}'"
                    ));
                }
            });
        }
        Ok(Value::Struct(id, all))
    }

    fn replaced(
        &mut self,
        class: usize,
        mut fields: Vec<Val<T>>,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        if !positional.is_empty() {
            return self.fail("replace() takes keywords only");
        }
        let names = self.target.world().field_names(class);
        for (keyword, value) in keywords {
            match names.iter().position(|name| *name == keyword) {
                Some(index) => fields[index] = value,
                None => {
                    let name = self.target.world().class_name(class);
                    return self.fail(format!("'{name}' has no field '{keyword}'"));
                }
            }
        }
        Ok(Value::Struct(class, fields))
    }

    /// An operator with an object: its method, or the operator of each field.
    pub(super) fn struct_binary(&mut self, op: BinaryOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        for (object, other, prefix) in [(&a, &b, "__"), (&b, &a, "__r")] {
            if let Value::Struct(class, _) = object {
                let name = format!("{prefix}{}__", op.method());
                if self.target.world().classes[*class]
                    .methods
                    .contains_key(&name)
                {
                    let method = self.attribute(object.clone(), &name)?;
                    return self.call(method, vec![other.clone()], Vec::new());
                }
            }
        }
        let is_scalar = |value: &Val<T>| match value {
            Value::Bool(..) | Value::Int(..) | Value::Float(..) => true,
            Value::Tensor(_, ty) => ty.rank() == 0,
            _ => false,
        };
        match (op, &a, &b) {
            (BinaryOp::Add | BinaryOp::Sub, Value::Struct(x, _), Value::Struct(y, _)) if x == y => {
                self.by_leaf(op, a, b)
            }
            (BinaryOp::Mul, Value::Struct(..), scalar)
            | (BinaryOp::Mul, scalar, Value::Struct(..))
            | (BinaryOp::Div, Value::Struct(..), scalar)
                if is_scalar(scalar) =>
            {
                self.by_leaf(op, a, b)
            }
            _ => {
                let (a, b) = (self.describe(&a), self.describe(&b));
                self.fail(format!(
                    "'{}' of {a} and {b} is not defined; write a method '__{}__'",
                    op.text(),
                    op.method()
                ))
            }
        }
    }

    /// Applies an operator to the leaves of two objects, or of an object and a scalar.
    fn by_leaf(&mut self, op: BinaryOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        Ok(match (a, b) {
            (Value::None, _) | (_, Value::None) => Value::None,
            (Value::Struct(class, a), Value::Struct(_, b)) => {
                Value::Struct(class, self.pairs(op, a, b)?)
            }
            (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => {
                Value::Tuple(self.pairs(op, a, b)?)
            }
            (Value::Struct(class, a), b) => {
                let parts = a.into_iter().map(|part| self.by_leaf(op, part, b.clone()));
                Value::Struct(class, parts.collect::<Result<_>>()?)
            }
            (a, Value::Struct(class, b)) => {
                let parts = b.into_iter().map(|part| self.by_leaf(op, a.clone(), part));
                Value::Struct(class, parts.collect::<Result<_>>()?)
            }
            (Value::Tuple(a), b) => {
                let parts = a.into_iter().map(|part| self.by_leaf(op, part, b.clone()));
                Value::Tuple(parts.collect::<Result<_>>()?)
            }
            (a, Value::Tuple(b)) => {
                let parts = b.into_iter().map(|part| self.by_leaf(op, a.clone(), part));
                Value::Tuple(parts.collect::<Result<_>>()?)
            }
            (a, b) => self.binary(op, a, b)?,
        })
    }

    fn pairs(&mut self, op: BinaryOp, a: Vec<Val<T>>, b: Vec<Val<T>>) -> Result<Vec<Val<T>>> {
        let pairs = a.into_iter().zip(b);
        pairs.map(|(a, b)| self.by_leaf(op, a, b)).collect()
    }

    // ---- Host functions -------------------------------------------------------------------------

    fn host_call(
        &mut self,
        id: usize,
        positional: Vec<Val<T>>,
        keywords: Keywords<T>,
    ) -> Result<Val<T>> {
        let host = &self.target.world().hosts[id];
        let (name, file) = (host.name.clone(), host.file);
        let parameters = host.parameters.clone();
        let returns = host.returns.clone();
        if positional.len() > parameters.len() {
            return self.fail(format!(
                "TypeError: {name}() takes {} arguments but {} were given",
                parameters.len(),
                positional.len()
            ));
        }
        let mut bound: Vec<Option<Val<T>>> = positional.into_iter().map(Some).collect();
        bound.resize_with(parameters.len(), || None);
        for (keyword, value) in keywords {
            match parameters.iter().position(|(name, ..)| *name == keyword) {
                Some(index) if bound[index].is_none() => bound[index] = Some(value),
                _ => {
                    return self.fail(format!(
                        "TypeError: {name}() got an unexpected keyword argument '{keyword}'"
                    ));
                }
            }
        }
        let mut arguments = Vec::new();
        for ((parameter, annotation, default), value) in parameters.iter().zip(bound) {
            let value = match (value, default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.default_value(file, default)?,
                (None, None) => {
                    return self.fail(format!(
                        "TypeError: {name}() missing the argument '{parameter}'"
                    ));
                }
            };
            arguments.push(self.fitted(
                value,
                annotation,
                &format!("'{parameter}' of {name}()"),
            )?);
        }
        let Some(result) = returns.ty(self.target.world()) else {
            return self.fail(format!(
                "the result of {name}() has a type that is not known; annotate its fields"
            ));
        };
        let types = arguments
            .iter()
            .map(|value| value.ty().generalized())
            .collect();
        let mut operands = Vec::new();
        for argument in &arguments {
            argument.map(&mut |part| operands.push((part.value.clone(), part.leaf)));
        }
        let mut leaves = Vec::new();
        result.map(&mut |part| leaves.push(part.leaf));
        let call = Foreign::Host(id, types, Box::new(result.clone()));
        let mut values = self.target.foreign(call, &operands, &leaves).into_iter();
        Ok(result.map(&mut |_| values.next().expect("a value for each leaf")))
    }

    /// Converts a value to an annotated type, at the border of a host function.
    fn fitted(&mut self, value: Val<T>, annotation: &Annotation, what: &str) -> Result<Val<T>> {
        let value = match annotation {
            Annotation::Int | Annotation::Float | Annotation::Bool => {
                self.tensor_to_scalar(value)?
            }
            _ => value,
        };
        let fits = match (annotation, &value) {
            (Annotation::Any, value) => {
                let mut has_leaves_only = true;
                if matches!(
                    value,
                    Value::Function(_)
                        | Value::Host(_)
                        | Value::Class(_)
                        | Value::Builtin(_)
                        | Value::Module(_)
                        | Value::Method(..)
                        | Value::Gradient(..)
                        | Value::Iterator(_)
                        | Value::Lazy(..)
                        | Value::Range(_)
                ) {
                    has_leaves_only = false;
                }
                has_leaves_only
            }
            (Annotation::None, Value::None)
            | (Annotation::Bool, Value::Bool(..))
            | (Annotation::Float, Value::Float(..))
            | (Annotation::Str, Value::Str(..)) => true,
            (Annotation::Int, Value::Int(..) | Value::Bool(..)) => true,
            (Annotation::Float, Value::Int(..) | Value::Bool(..)) => {
                return Ok(self.as_float(value));
            }
            (Annotation::Class(class), Value::Struct(of, _)) => class == of,
            (Annotation::Tuple(parts), Value::Tuple(values)) => parts.len() == values.len(),
            (Annotation::Tensor(dtype, sizes), Value::Tensor(_, ty)) => {
                let fit = |(size, of): (&Size, &Option<u64>)| match (size, of) {
                    (Size::Static(size), Some(of)) => size == of,
                    _ => true,
                };
                *dtype == ty.dtype
                    && sizes.len() == ty.rank()
                    && sizes.iter().zip(&ty.shape).all(fit)
            }
            _ => false,
        };
        if !fits {
            let found = self.describe(&value);
            let expected = match annotation.ty(self.target.world()) {
                Some(ty) => {
                    let world = self.target.world();
                    ty.describe(&|class| world.class_name(class))
                }
                None => "a value".to_owned(),
            };
            return self.fail(format!("{what} is {expected}, not {found}"));
        }
        Ok(value)
    }

    /// The value of a global name whose meaning is not a captured value.
    pub(crate) fn global_value(&mut self, name: &str, global: Option<Global>) -> Result<Val<T>> {
        Ok(match global {
            Some(Global::Function(id)) => {
                let defaults = self.defaults(id)?;
                Value::Function(Arc::new(Closure {
                    id,
                    defaults,
                    captures: Vec::new(),
                    receiver: None,
                }))
            }
            Some(Global::Class(id)) => Value::Class(id),
            Some(Global::Host(id)) => Value::Host(id),
            Some(Global::Builtin(name)) => match name.strip_prefix("math.") {
                Some(_) => self.builtin_value(&name)?,
                None => Value::Builtin(name),
            },
            Some(Global::Module(name)) => Value::Module(name),
            Some(Global::DType(dtype)) => Value::DType(dtype),
            Some(Global::Constant(constant)) => self.constant_value(&constant),
            Some(Global::Captured(_)) => unreachable!("the target reads captured values"),
            Some(Global::Unusable(None, message)) => return self.fail(message),
            Some(Global::Unusable(Some(span), message)) => {
                let world = self.target.world();
                let error = world.error(self.file, span, message);
                return Err(Stop::Elsewhere(Box::new(error)));
            }
            None if crate::world::BUILTINS.contains(&name)
                || crate::world::EXCEPTIONS.contains(&name) =>
            {
                Value::Builtin(name.to_owned())
            }
            None => {
                return self.fail(format!(
                    "'{name}' is neither defined in this file nor a builtin that programs can use; define it, or use it in a @tfx.host function"
                ));
            }
        })
    }
}

/// Returns a captured value in which the functions around it are closures again: a closure that
/// `closure` captures, and that captures `closure`, refers to it by its number.
fn with_closure<V: Clone>(value: &Value<V>, closure: &Arc<Closure<V>>) -> Value<V> {
    value.clone().map_closures(&mut |of| {
        // Its own number stands for this closure.
        if of.id == closure.id {
            return Value::Function(of);
        }
        let inside = |value: &Value<V>| with_closure(value, closure);
        let captures = of.captures.iter().map(|capture| match capture {
            Capture::Itself(id) if *id == closure.id => {
                Capture::Value(Value::Function(Arc::clone(closure)))
            }
            Capture::Value(value) => Capture::Value(inside(value)),
            other => other.clone(),
        });
        Value::Function(Arc::new(Closure {
            id: of.id,
            defaults: of.defaults.iter().map(inside).collect(),
            captures: captures.collect(),
            receiver: of.receiver.as_ref().map(inside),
        }))
    })
}
