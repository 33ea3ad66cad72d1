//! The meaning of each operation of Python, for every target.
//!
//! ```text
//!   instruction + values of its operands ──> value of its result
//!      mod.rs         literals, attributes, subscripts, truth
//!      scalars.rs     int, float, bool: as CPython, with 64 bits
//!      tensors.rs     operators of tensors: promotion, broadcasting
//!      library.rs     functions of tfx
//!      builtins.rs    builtins and `math`
//!      calls.rs       functions, classes, host functions, gradients
//!      iteration.rs   iterators
//!      text.rs        print and f-strings
//! ```
//!
//! Inference, emission and eager calls run the same code, on different targets (`target.rs`).

mod arrays;
mod builtins;
mod calls;
mod iteration;
mod library;
mod reductions;
mod scalars;
mod standard;
mod subscripts;
mod tensors;
mod text;

use std::sync::Arc;

use tfx::runtime::DType;
use tfx_python_syntax::{BinaryOp, CompareOp, Span, UnaryOp};

use crate::hir::{FileId, Instruction, Kind};
use crate::target::{Predicate, Result, Stop, Target};
use crate::value::{Capture, Closure, Leaf, TensorType, Value, dtype_name, tensor_name};
use crate::world::Global;

pub(crate) use library::{DERIVATIVES, METHODS};

/// A value of a target.
pub(crate) type Val<T> = Value<<T as Target>::V>;

/// Evaluates operations of a function at a place.
pub(crate) struct Evaluator<'t, T: Target> {
    pub target: &'t mut T,
    pub file: FileId,
    pub span: Span,
}

impl<T: Target> Evaluator<'_, T> {
    /// Evaluates an instruction. Closures among the operands are settled.
    pub(crate) fn instruction(
        &mut self,
        instruction: &Instruction,
        operands: Vec<Val<T>>,
    ) -> Result<Val<T>> {
        let mut operands = operands.into_iter();
        let mut next = || operands.next().expect("an instruction has its operands");
        Ok(match &instruction.kind {
            Kind::Int(value) => self.int(*value),
            Kind::HugeInt => {
                let holds = self.target.bool(false);
                self.overflow(&holds);
                self.int(0)
            }
            Kind::Float(value) => self.float(*value),
            Kind::Bool(value) => self.bool(*value),
            Kind::None => Value::None,
            Kind::Ellipsis => Value::Ellipsis,
            Kind::Str(text) => self.string(text),
            Kind::Copy => next(),
            Kind::Read => unreachable!("the runner of blocks reads variables"),
            Kind::Global(name) => self.target.global(self.file, name, self.span)?,
            Kind::Unary(op) => {
                let value = next();
                self.unary(*op, value)?
            }
            Kind::Binary(op) => {
                let (a, b) = (next(), next());
                self.binary(*op, a, b)?
            }
            Kind::InPlace(op) => {
                let (a, b) = (next(), next());
                self.in_place(*op, a, b)?
            }
            Kind::Compare(op) => {
                let (a, b) = (next(), next());
                self.compare(*op, a, b)?
            }
            Kind::Truth => {
                let value = next();
                self.truth(value)?
            }
            Kind::Tuple(flags) => Value::Tuple(self.spread(flags, operands.collect())?),
            Kind::List(flags) => Value::List(self.spread(flags, operands.collect())?),
            Kind::Slice => Value::Slice(Box::new([next(), next(), next()])),
            Kind::Subscript => {
                let (value, index) = (next(), next());
                self.subscript(value, index)?
            }
            Kind::Attribute(name) => {
                let value = next();
                self.attribute(value, name)?
            }
            Kind::Call(flags, names) => {
                let callee = next();
                let values: Vec<_> = operands.collect();
                let (positional, keywords) = values.split_at(flags.len());
                let positional = self.spread(flags, positional.to_vec())?;
                let keywords = names.iter().cloned().zip(keywords.iter().cloned());
                self.call(callee, positional, keywords.collect())?
            }
            Kind::Function(id) => {
                let captures = self.target.world().bodies[*id].captures.iter();
                let captures = captures.map(|&(outer, _)| Capture::Late(outer)).collect();
                Value::Function(Arc::new(Closure {
                    id: *id,
                    defaults: operands.collect(),
                    captures,
                    receiver: None,
                }))
            }
            Kind::Iter(unrolls) => {
                let value = next();
                self.iterator(value, *unrolls)?
            }
            Kind::HasNext => {
                let iterator = next();
                self.has_next(iterator)?
            }
            Kind::Item => {
                let iterator = next();
                self.item(iterator)?
            }
            Kind::Advance => {
                let iterator = next();
                self.advance(iterator)?
            }
            Kind::Append => {
                let (list, value) = (next(), next());
                let Value::List(mut parts) = list else {
                    return self.fail("the length of this list depends on data; use a tensor, or a filter that is constant");
                };
                parts.push(value);
                Value::List(parts)
            }
            Kind::Unpack(count, star) => {
                let value = next();
                self.unpack(value, *count, *star)?
            }
            Kind::TupleGet(index) => match next() {
                Value::Tuple(parts) => parts[*index].clone(),
                _ => unreachable!("an unpacked value is a tuple"),
            },
            Kind::Format(conversion) => {
                let (value, specification) = (next(), next());
                self.format(value, *conversion, specification)?
            }
            Kind::Concat => self.concat(operands.collect())?,
            Kind::Assert => {
                let (holds, message) = (next(), next());
                let (Value::Bool(holds, _), Value::Str(_, Some(message))) = (holds, message) else {
                    unreachable!("an assertion has a boolean and a text");
                };
                self.target.check(&holds, "AssertionError", &message);
                Value::None
            }
        })
    }

    // ---- Help -----------------------------------------------------------------------------------

    pub(crate) fn fail<R>(&self, message: impl Into<String>) -> Result<R> {
        Err(Stop::Error(self.span, message.into()))
    }

    fn not_constant<R>(&self, message: impl Into<String>) -> Result<R> {
        Err(Stop::NotConstant(self.span, message.into()))
    }

    pub(crate) fn describe(&self, value: &Val<T>) -> String {
        let world = self.target.world();
        value.describe(&|class| world.class_name(class))
    }

    pub(crate) fn int(&mut self, value: i64) -> Val<T> {
        Value::Int(self.target.int(value), Some(value))
    }

    pub(crate) fn float(&mut self, value: f64) -> Val<T> {
        Value::Float(self.target.float(value), Some(value.to_bits()))
    }

    pub(crate) fn bool(&mut self, value: bool) -> Val<T> {
        Value::Bool(self.target.bool(value), Some(value))
    }

    pub(crate) fn string(&mut self, value: &str) -> Val<T> {
        Value::Str(self.target.string(value), Some(value.into()))
    }

    fn overflow(&mut self, holds: &T::V) {
        self.target
            .check(holds, "OverflowError", "int is 64 bits in tfx");
    }

    /// Replaces the marked values by their elements.
    fn spread(&mut self, flags: &[bool], values: Vec<Val<T>>) -> Result<Vec<Val<T>>> {
        let mut all = Vec::new();
        for (&is_starred, value) in flags.iter().zip(values) {
            match (is_starred, value) {
                (false, value) => all.push(value),
                (true, value) => all.extend(self.elements(value)?),
            }
        }
        Ok(all)
    }

    /// Returns the elements of an iterable of static length.
    pub(crate) fn elements(&mut self, value: Val<T>) -> Result<Vec<Val<T>>> {
        let mut iterator = self.iterator(value, true)?;
        let mut all = Vec::new();
        loop {
            let Value::Bool(_, Some(more)) = self.has_next(iterator.clone())? else {
                return self.fail(
                    "the number of elements must be known when the program is compiled; use a tuple",
                );
            };
            if !more {
                return Ok(all);
            }
            all.push(self.item(iterator.clone())?);
            iterator = self.advance(iterator)?;
        }
    }

    fn unpack(&mut self, value: Val<T>, count: usize, star: Option<usize>) -> Result<Val<T>> {
        let parts = match value {
            Value::Tuple(parts) | Value::List(parts) => parts,
            other @ (Value::Tensor(..) | Value::Range(_) | Value::Lazy(..)) => {
                self.elements(other)?
            }
            other => {
                let name = self.describe(&other);
                return self.fail(format!("{name} cannot be unpacked"));
            }
        };
        let Some(star) = star else {
            if parts.len() == count {
                return Ok(Value::Tuple(parts));
            }
            let message = match parts.len() > count {
                true => format!("too many values to unpack (expected {count})"),
                false => format!(
                    "not enough values to unpack (expected {count}, got {})",
                    parts.len()
                ),
            };
            let message = self.string(&message);
            return self.raise("ValueError", Some(message));
        };
        if parts.len() + 1 < count {
            let message = format!(
                "not enough values to unpack (expected at least {}, got {})",
                count - 1,
                parts.len()
            );
            let message = self.string(&message);
            return self.raise("ValueError", Some(message));
        }
        let rest = parts.len() + 1 - count;
        let mut unpacked = parts[..star].to_vec();
        unpacked.push(Value::List(parts[star..star + rest].to_vec()));
        unpacked.extend_from_slice(&parts[star + rest..]);
        Ok(Value::Tuple(unpacked))
    }

    /// Ends the program with an exception.
    pub(crate) fn raise<R>(&mut self, class: &str, message: Option<Val<T>>) -> Result<R> {
        let operands: Vec<_> = match message {
            None => Vec::new(),
            Some(Value::Str(value, _)) => vec![(value, Leaf::Str)],
            Some(other) => {
                let text = self.text_of(other, false)?;
                let Value::Str(value, _) = text else {
                    unreachable!("a text is a string");
                };
                vec![(value, Leaf::Str)]
            }
        };
        let raise = crate::target::Foreign::Raise(class.to_owned());
        self.target.foreign(raise, &operands, &[]);
        self.target.diverge();
        Err(Stop::Diverges)
    }

    // ---- Truth and unary operators --------------------------------------------------------------

    /// The truth of a value.
    pub(crate) fn truth(&mut self, value: Val<T>) -> Result<Val<T>> {
        Ok(match value {
            Value::Bool(..) => value,
            Value::Int(_, Some(value)) => self.bool(value != 0),
            Value::Float(_, Some(bits)) => self.bool(f64::from_bits(bits) != 0.0),
            Value::Str(_, Some(text)) => self.bool(!text.is_empty()),
            Value::Int(value, None) => {
                let zero = self.target.int(0);
                let truth = self.target.compare(false, Predicate::Ne, &value, &zero);
                Value::Bool(truth, None)
            }
            Value::Float(value, None) => {
                let zero = self.target.float(0.0);
                let truth = self.target.compare(true, Predicate::Ne, &value, &zero);
                Value::Bool(truth, None)
            }
            Value::Str(..) => {
                let length = self.length(value)?;
                return self.truth(length);
            }
            Value::None => self.bool(false),
            Value::Tuple(parts) | Value::List(parts) => self.bool(!parts.is_empty()),
            Value::Tensor(_, ref ty) if ty.rank() == 0 => {
                let scalar = self.tensor_to_scalar(value)?;
                return self.truth(scalar);
            }
            Value::Tensor(_, ty) => {
                return self.fail(format!(
                    "the truth of {}; write any(x) or all(x)",
                    tensor_name(&ty)
                ));
            }
            Value::Struct(class, _) => {
                let methods = &self.target.world().classes[class].methods;
                match (methods.get("__bool__"), methods.get("__len__")) {
                    (None, None) => self.bool(true),
                    (Some(_), _) => {
                        let method = self.attribute(value, "__bool__")?;
                        return self.call(method, Vec::new(), Vec::new());
                    }
                    (None, Some(_)) => {
                        let method = self.attribute(value, "__len__")?;
                        let length = self.call(method, Vec::new(), Vec::new())?;
                        return self.truth(length);
                    }
                }
            }
            Value::Range(_) | Value::Lazy(..) | Value::Iterator(_) | Value::Slice(_) => {
                return self.fail("the truth of an iterator is not compiled");
            }
            _ => self.bool(true),
        })
    }

    fn unary(&mut self, op: UnaryOp, value: Val<T>) -> Result<Val<T>> {
        if op == UnaryOp::Not {
            return Ok(match self.truth(value)? {
                Value::Bool(_, Some(value)) => self.bool(!value),
                Value::Bool(value, None) => self.not(&value),
                _ => unreachable!("a truth is a boolean"),
            });
        }
        match value {
            Value::Bool(..) | Value::Int(..) | Value::Float(..) => self.scalar_unary(op, value),
            Value::Tensor(..) => self.tensor_unary(op, value),
            Value::Struct(class, fields) => {
                let name = match op {
                    UnaryOp::Minus => "__neg__",
                    UnaryOp::Plus => "__pos__",
                    _ => "__invert__",
                };
                let methods = &self.target.world().classes[class].methods;
                if methods.contains_key(name) {
                    let method = self.attribute(Value::Struct(class, fields), name)?;
                    return self.call(method, Vec::new(), Vec::new());
                }
                if op != UnaryOp::Minus {
                    let class = self.target.world().class_name(class);
                    return self.fail(format!("'{class}' has no method '{name}'"));
                }
                let fields = fields.into_iter().map(|field| self.unary(op, field));
                Ok(Value::Struct(class, fields.collect::<Result<_>>()?))
            }
            other => {
                let name = self.describe(&other);
                self.fail(format!("bad operand type for this operator: {name}"))
            }
        }
    }

    pub(crate) fn not(&mut self, value: &T::V) -> Val<T> {
        let one = self.target.bool(true);
        let negated = self.target.scalar("arith.xori", &[value.clone(), one]);
        Value::Bool(negated, None)
    }

    /// An augmented assignment, which rebinds its variable.
    fn in_place(&mut self, op: BinaryOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        match &a {
            Value::List(_) => self.fail(format!(
                "lists do not change in a program; write x = x {} ..",
                op.text()
            )),
            Value::Struct(class, _) => {
                let name = format!("__i{}__", op.method());
                let methods = &self.target.world().classes[*class].methods;
                if !methods.contains_key(&name) {
                    return self.binary(op, a, b);
                }
                let method = self.attribute(a, &name)?;
                self.call(method, vec![b], Vec::new())
            }
            _ => self.binary(op, a, b),
        }
    }

    // ---- Comparisons ----------------------------------------------------------------------------

    fn compare(&mut self, op: CompareOp, a: Val<T>, b: Val<T>) -> Result<Val<T>> {
        match op {
            CompareOp::Is | CompareOp::IsNot => {
                let same = match (&a, &b) {
                    (Value::None, Value::None) => true,
                    (Value::None, _) | (_, Value::None) => false,
                    (Value::Bool(_, Some(a)), Value::Bool(_, Some(b))) => a == b,
                    _ => {
                        return self.fail(
                            "'is' compares identities, which values of a program do not have; write ==",
                        );
                    }
                };
                return Ok(self.bool(same == (op == CompareOp::Is)));
            }
            CompareOp::In | CompareOp::NotIn => {
                let parts = match b {
                    Value::Tuple(parts) | Value::List(parts) => parts,
                    other => {
                        let name = self.describe(&other);
                        return self.fail(format!(
                            "'in' is compiled for tuples and lists, not for {name}"
                        ));
                    }
                };
                let mut found = self.bool(false);
                for part in parts {
                    let equal = self.compare(CompareOp::Eq, a.clone(), part)?;
                    let equal = self.truth(equal)?;
                    found = self.or(found, equal);
                }
                return match op {
                    CompareOp::In => Ok(found),
                    _ => self.unary(UnaryOp::Not, found),
                };
            }
            _ => {}
        }
        match (a, b) {
            (
                a @ (Value::Bool(..) | Value::Int(..) | Value::Float(..)),
                b @ (Value::Bool(..) | Value::Int(..) | Value::Float(..)),
            ) => self.scalar_compare(op, a, b),
            (a @ Value::Tensor(..), b) | (a, b @ Value::Tensor(..)) => {
                self.tensor_compare(op, a, b)
            }
            (Value::Str(a, c), Value::Str(b, d)) => Ok(self.string_compare(op, (a, c), (b, d))),
            (Value::Tuple(a), Value::Tuple(b)) | (Value::List(a), Value::List(b))
                if matches!(op, CompareOp::Eq | CompareOp::Ne) =>
            {
                let mut equal = self.bool(a.len() == b.len());
                if a.len() == b.len() {
                    for (a, b) in a.into_iter().zip(b) {
                        let part = self.compare(CompareOp::Eq, a, b)?;
                        let part = self.truth(part)?;
                        equal = self.and(equal, part);
                    }
                }
                match op {
                    CompareOp::Eq => Ok(equal),
                    _ => self.unary(UnaryOp::Not, equal),
                }
            }
            (Value::DType(a), Value::DType(b)) => Ok(self.bool((a == b) == (op == CompareOp::Eq))),
            // Values of these different types are never equal.
            (Value::None, b) | (b, Value::None) if matches!(op, CompareOp::Eq | CompareOp::Ne) => {
                let same = matches!(b, Value::None);
                Ok(self.bool(same == (op == CompareOp::Eq)))
            }
            (Value::Str(..), Value::Int(..) | Value::Float(..) | Value::Bool(..))
            | (Value::Int(..) | Value::Float(..) | Value::Bool(..), Value::Str(..))
                if matches!(op, CompareOp::Eq | CompareOp::Ne) =>
            {
                Ok(self.bool(op == CompareOp::Ne))
            }
            (a, b) => {
                let (a, b) = (self.describe(&a), self.describe(&b));
                self.fail(format!("'{}' of {a} and {b} is not compiled", op.text()))
            }
        }
    }

    fn and(&mut self, a: Val<T>, b: Val<T>) -> Val<T> {
        match (a, b) {
            (Value::Bool(_, Some(true)), other) | (other, Value::Bool(_, Some(true))) => other,
            (Value::Bool(_, Some(false)), _) | (_, Value::Bool(_, Some(false))) => self.bool(false),
            (Value::Bool(a, _), Value::Bool(b, _)) => {
                Value::Bool(self.target.scalar("arith.andi", &[a, b]), None)
            }
            _ => unreachable!("a truth is a boolean"),
        }
    }

    fn or(&mut self, a: Val<T>, b: Val<T>) -> Val<T> {
        match (a, b) {
            (Value::Bool(_, Some(false)), other) | (other, Value::Bool(_, Some(false))) => other,
            (Value::Bool(_, Some(true)), _) | (_, Value::Bool(_, Some(true))) => self.bool(true),
            (Value::Bool(a, _), Value::Bool(b, _)) => {
                Value::Bool(self.target.scalar("arith.ori", &[a, b]), None)
            }
            _ => unreachable!("a truth is a boolean"),
        }
    }

    // ---- Attributes -----------------------------------------------------------------------------

    pub(crate) fn attribute(&mut self, value: Val<T>, name: &str) -> Result<Val<T>> {
        match &value {
            Value::Struct(class, fields) => {
                let of = &self.target.world().classes[*class];
                if let Some(index) = of.fields.iter().position(|field| field.name == name) {
                    return Ok(fields[index].clone());
                }
                match of.methods.get(name).cloned() {
                    Some(Global::Function(id)) => {
                        let defaults = self.defaults(id)?;
                        Ok(Value::Function(Arc::new(Closure {
                            id,
                            defaults,
                            captures: Vec::new(),
                            receiver: Some(value),
                        })))
                    }
                    Some(Global::Unusable(span, message)) => {
                        Err(Stop::Error(span.unwrap_or(self.span), message))
                    }
                    _ if name == "replace" => Ok(Value::Method(Box::new(value), name.to_owned())),
                    _ => {
                        let class = self.target.world().class_name(*class);
                        self.fail(format!("'{class}' has no attribute '{name}'"))
                    }
                }
            }
            Value::Module(module) => {
                if module == "tfx"
                    && let Some(dtype) = crate::value::dtype_of_name(name)
                {
                    return Ok(Value::DType(dtype));
                }
                let full = format!("{module}.{name}");
                match module.as_str() {
                    "tfx" if name == "linalg" => Ok(Value::Module(full)),
                    "tfx" => Ok(Value::Builtin(full)),
                    "tfx.linalg" => Ok(Value::Builtin(format!("tfx.{name}"))),
                    "math" => self.builtin_value(&full),
                    _ if library::has_function(name) => self.fail(format!(
                        "'{module}' runs on the host; use tfx.{name} or a @tfx.host function"
                    )),
                    _ => self.fail(format!(
                        "'{module}' runs on the host; use a @tfx.host function"
                    )),
                }
            }
            Value::Tensor(v, ty) => match name {
                "shape" => Ok(Value::Tuple(self.sizes_of(v, ty))),
                "ndim" => Ok(self.int(ty.rank() as i64)),
                "size" => {
                    let sizes = self.sizes_of(v, ty);
                    self.product(sizes)
                }
                "dtype" => Ok(Value::DType(ty.dtype)),
                "T" | "mT" => {
                    let rank = ty.rank();
                    if rank < 2 || (name == "T" && rank != 2) {
                        return self.fail(format!(
                            "'{name}' of {}; write permute_dims",
                            tensor_name(ty)
                        ));
                    }
                    let mut order: Vec<_> = (0..rank).collect();
                    order.swap(rank - 2, rank - 1);
                    Ok(self.permuted(v, ty, &order))
                }
                "at" => Ok(Value::Method(Box::new(value), name.to_owned())),
                _ if METHODS.contains(&name) => Ok(Value::Method(Box::new(value), name.to_owned())),
                _ => self.fail(format!("a tensor has no attribute '{name}'")),
            },
            Value::Method(_, method) if method.starts_with("at[") => {
                Ok(Value::Method(Box::new(value), name.to_owned()))
            }
            Value::Int(..) | Value::Bool(..) if matches!(name, "real" | "numerator") => Ok(value),
            Value::Float(..) if name == "is_integer" => {
                Ok(Value::Method(Box::new(value), name.to_owned()))
            }
            other => {
                let described = self.describe(other);
                let advice = match other {
                    Value::List(_) => {
                        "; write a comprehension or [*items, item], because a list does not change"
                    }
                    Value::Tuple(_) => "; use a @tfx.struct for a tuple with names",
                    Value::Bool(..) | Value::Int(..) | Value::Float(..)
                        if METHODS.contains(&name) =>
                    {
                        "; write tfx.asarray(x) for a tensor"
                    }
                    _ => "",
                };
                self.fail(format!(
                    "{described} has no attribute '{name}' in a program{advice}"
                ))
            }
        }
    }

    /// The sizes of all dimensions.
    pub(crate) fn sizes_of(&mut self, value: &T::V, ty: &TensorType) -> Vec<Val<T>> {
        (0..ty.rank())
            .map(|axis| self.size_of(value, ty, axis))
            .collect()
    }

    /// The product of sizes.
    pub(crate) fn product(&mut self, sizes: impl IntoIterator<Item = Val<T>>) -> Result<Val<T>> {
        let mut all = self.int(1);
        for size in sizes {
            all = self.binary(BinaryOp::Mul, all, size)?;
        }
        Ok(all)
    }

    /// The size of a dimension.
    pub(crate) fn size_of(&mut self, value: &T::V, ty: &TensorType, axis: usize) -> Val<T> {
        if let Some(size) = ty.shape[axis] {
            return self.int(size as i64);
        }
        let shape_type = TensorType {
            dtype: DType::I64,
            shape: vec![Some(ty.rank() as u64)],
        };
        let attributes = [("out_type", crate::target::Attribute::Type(DType::I64))];
        let shape = self.target.tensor(
            "Shape",
            std::slice::from_ref(value),
            &attributes,
            &shape_type,
        );
        let index = self.int_tensor(axis as i64);
        let zero = self.int_tensor(0);
        let scalar = TensorType::scalar(DType::I64);
        let size = self
            .target
            .tensor("GatherV2", &[shape, index, zero], &[], &scalar);
        Value::Int(self.target.scalar_of_tensor(&size, DType::I64), None)
    }

    // ---- Subscripts -----------------------------------------------------------------------------

    fn subscript(&mut self, value: Val<T>, index: Val<T>) -> Result<Val<T>> {
        match value {
            Value::Tuple(ref parts) | Value::List(ref parts)
                if matches!(index, Value::Slice(_)) =>
            {
                let Value::Slice(bounds) = index else {
                    unreachable!("the index is a slice");
                };
                let mut ends = [None; 3];
                for (end, bound) in ends.iter_mut().zip(bounds.iter()) {
                    *end = self.constant_or_none(bound, "the bounds of a slice of a tuple")?;
                }
                let parts = self.slice(parts, ends)?;
                Ok(match value {
                    Value::List(_) => Value::List(parts),
                    _ => Value::Tuple(parts),
                })
            }
            Value::Tuple(parts) | Value::List(parts) => self.tuple_item(parts, index),
            Value::Tensor(value, ty) => self.tensor_subscript(value, ty, index),
            Value::Method(receiver, name) if name == "at" => {
                let Value::Tensor(..) = *receiver else {
                    return self.fail("'at' is for tensors");
                };
                // `x.at[i]` keeps both.
                let both = Value::Tuple(vec![*receiver, index]);
                Ok(Value::Method(Box::new(both), "at[]".to_owned()))
            }
            Value::Str(..) => {
                self.fail("a part of a string is not compiled; use a @tfx.host function")
            }
            other => {
                let name = self.describe(&other);
                self.fail(format!("{name} has no elements"))
            }
        }
    }

    fn tuple_item(&mut self, parts: Vec<Val<T>>, index: Val<T>) -> Result<Val<T>> {
        let count = parts.len() as i64;
        let out_of_range = |evaluator: &mut Self| {
            let message = evaluator.string("tuple index out of range");
            evaluator.raise("IndexError", Some(message))
        };
        if let Some(index) = constant_int(&index) {
            let position = if index < 0 { index + count } else { index };
            return match usize::try_from(position).ok().and_then(|at| parts.get(at)) {
                Some(part) => Ok(part.clone()),
                None => out_of_range(self),
            };
        }
        let Value::Int(index, _) = index else {
            let name = self.describe(&index);
            return self.fail(format!("tuple indices are int, not {name}"));
        };
        // Elements of one type: a chain of selections.
        let types: Vec<_> = parts.iter().map(|part| part.ty().generalized()).collect();
        let (Some(first), Some(value)) = (types.first(), parts.first()) else {
            return out_of_range(self);
        };
        let is_scalar = matches!(
            first,
            Value::Bool(..) | Value::Int(..) | Value::Float(..) | Value::Tensor(..)
        );
        if types.iter().any(|ty| ty != first) || !is_scalar {
            return self.not_constant(
                "the elements of this tuple have different types, so the index must be a constant",
            );
        }
        let zero = self.target.int(0);
        let negative = self.target.compare(false, Predicate::Lt, &index, &zero);
        let length = self.target.int(count);
        let wrapped = self
            .target
            .scalar("arith.addi", &[index.clone(), length.clone()]);
        let index = self
            .target
            .scalar("arith.select", &[negative, wrapped, index]);
        let low = self.target.compare(false, Predicate::Ge, &index, &zero);
        let high = self.target.compare(false, Predicate::Lt, &index, &length);
        let inside = self.target.scalar("arith.andi", &[low, high]);
        self.target
            .check(&inside, "IndexError", "tuple index out of range");
        let leaf = |value: &Val<T>| value.map(&mut |part| part.value.clone());
        let mut chosen = leaf(value);
        for (position, part) in parts.iter().enumerate().skip(1) {
            let position = self.target.int(position as i64);
            let here = self.target.compare(false, Predicate::Eq, &index, &position);
            chosen = self.select(&here, leaf(part), chosen);
        }
        Ok(chosen)
    }

    /// Selects one of two values of the same type.
    pub(crate) fn select(&mut self, condition: &T::V, yes: Val<T>, no: Val<T>) -> Val<T> {
        let mut pick = |a: T::V, b: T::V| {
            self.target
                .scalar("arith.select", &[condition.clone(), a, b])
        };
        match (yes, no) {
            (Value::Bool(a, _), Value::Bool(b, _)) => Value::Bool(pick(a, b), None),
            (Value::Int(a, _), Value::Int(b, _)) => Value::Int(pick(a, b), None),
            (Value::Float(a, _), Value::Float(b, _)) => Value::Float(pick(a, b), None),
            (Value::Tensor(a, ty), Value::Tensor(b, _)) => Value::Tensor(pick(a, b), ty),
            (yes, _) => yes,
        }
    }

    fn slice(&mut self, parts: &[Val<T>], ends: [Option<i64>; 3]) -> Result<Vec<Val<T>>> {
        let step = ends[2].unwrap_or(1);
        if step == 0 {
            let message = self.string("slice step cannot be zero");
            return self.raise("ValueError", Some(message));
        }
        let positions = slice_positions(parts.len() as i64, ends[0], ends[1], step);
        Ok(positions.map(|at| parts[at as usize].clone()).collect())
    }

    pub(crate) fn constant_or_none(&self, value: &Val<T>, what: &str) -> Result<Option<i64>> {
        match value {
            Value::None => Ok(None),
            value => Ok(Some(self.constant(value, what)?)),
        }
    }

    /// The constant of an integer.
    pub(crate) fn constant(&self, value: &Val<T>, what: &str) -> Result<i64> {
        match (constant_int(value), value) {
            (Some(value), _) => Ok(value),
            (None, Value::Int(..) | Value::Bool(..)) => self.not_constant(format!(
                "{what} must be known when the program is compiled; write a number"
            )),
            (None, other) => {
                let name = self.describe(other);
                self.fail(format!("{what} must be an int, not {name}"))
            }
        }
    }
}

/// The constant of an integer or a boolean.
pub(crate) fn constant_int<V>(value: &Value<V>) -> Option<i64> {
    match value {
        Value::Int(_, constant) => *constant,
        Value::Bool(_, constant) => constant.map(i64::from),
        _ => None,
    }
}

/// The positions that a slice selects, as CPython computes them.
pub(crate) fn slice_positions(
    length: i64,
    start: Option<i64>,
    stop: Option<i64>,
    step: i64,
) -> impl std::iter::Iterator<Item = i64> {
    let clamp = |value: i64, low: i64, high: i64| match value < 0 {
        true => (value + length).max(low),
        false => value.min(high),
    };
    let (start, stop) = match step > 0 {
        true => (
            start.map_or(0, |of| clamp(of, 0, length)),
            stop.map_or(length, |of| clamp(of, 0, length)),
        ),
        false => (
            start.map_or(length - 1, |of| clamp(of, -1, length - 1)),
            stop.map_or(-1, |of| clamp(of, -1, length - 1)),
        ),
    };
    let mut position = start;
    std::iter::from_fn(move || {
        let inside = match step > 0 {
            true => position < stop,
            false => position > stop,
        };
        let here = position;
        if inside {
            position += step;
        }
        inside.then_some(here)
    })
}

/// The name of an element type with its article, for messages.
pub(crate) fn tensor_of(dtype: DType) -> String {
    format!("Tensor[{}]", dtype_name(dtype))
}
