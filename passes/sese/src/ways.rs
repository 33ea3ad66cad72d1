//! The value that tells which way a path goes on.
//!
//! Where one of two targets is pending, an `i1` tells which, true for the first; where one of more, an `index`. What an inner
//! region knows is often less or more than what is known around it, so one form is turned into the other:
//!
//! ```text
//!   One(t)  ->  Two(a, b)   the constant t == a          One(t)     ->  Many   t's number
//!   Many    ->  Two(a, b)   cmpi eq, number of a         Two(a, b)  ->  Many   select
//! ```
//!
//! Also here: constants, kept once per function at its start, and the zeros that stand for what a path does not have and never
//! reads.

use std::collections::HashMap;

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, ShapedTypeLike, Type, TypeLike};
use tfx_ir::{Block, Builder, Op, Value};

use crate::landing::Target;
use crate::pending::Choice;
use crate::plan::is_scalar;

/// What is pending, and the value that tells.
#[derive(Clone, Copy)]
pub(crate) struct Way<'a> {
    pub(crate) choice: Choice,
    pub(crate) value: Option<Value<'a>>,
}

impl Way<'_> {
    /// A point from which the path goes on at `target`.
    pub(crate) fn to(target: Target) -> Self {
        Self {
            choice: Choice::One(target),
            value: None,
        }
    }
}

/// The predicates of `arith.cmpi` that are used here.
#[derive(Clone, Copy)]
pub(crate) enum Predicate {
    Equal = 0,
    NotEqual = 1,
}

/// Makes constants and tells ways apart.
pub(crate) struct Ways<'a> {
    constants: Builder<'a>,
    flags: [Option<Value<'a>>; 2],
    indices: HashMap<i64, Value<'a>>,
    never_read: HashMap<Type<'a>, Value<'a>>,
    numbers: HashMap<Target, i64>,
}

impl<'a> Ways<'a> {
    /// Constants go to the start of `entry`, the first block of `function`.
    pub(crate) fn new(function: Op<'a>, entry: Block<'a>) -> Self {
        Self {
            constants: Builder::at_start(entry, function.location()),
            flags: [None; 2],
            indices: HashMap::new(),
            never_read: HashMap::new(),
            numbers: HashMap::new(),
        }
    }

    pub(crate) fn context(&self) -> &'a Context {
        self.constants.context()
    }

    /// The type of the value that tells, where one is needed.
    pub(crate) fn ty(&self, choice: Choice) -> Option<Type<'a>> {
        match choice {
            Choice::Never | Choice::One(_) => None,
            Choice::Two(..) => Some(IntegerType::new(self.context(), 1).into()),
            Choice::Many => Some(Type::index(self.context())),
        }
    }

    /// The number of `target` where one of many is pending. Numbers are given in the order in which they are asked for.
    pub(crate) fn number(&mut self, target: Target) -> i64 {
        let next = self.numbers.len() as i64;
        *self.numbers.entry(target).or_insert(next)
    }

    /// A constant flag.
    pub(crate) fn flag(&mut self, value: bool) -> Value<'a> {
        *self.flags[usize::from(value)].get_or_insert_with(|| self.constants.constant_bool(value))
    }

    /// Turns what is known into the form that is needed elsewhere.
    pub(crate) fn convert(
        &mut self,
        builder: &mut Builder<'a>,
        way: Way<'a>,
        to: Choice,
    ) -> Option<Value<'a>> {
        match to {
            Choice::Never | Choice::One(_) => None,
            Choice::Two(first, second) => Some(self.flag_for(builder, way, first, second)),
            Choice::Many => Some(self.number_for(builder, way)),
        }
    }

    /// Whether `target` is what is pending, where it may be.
    pub(crate) fn is_pending(
        &mut self,
        builder: &mut Builder<'a>,
        way: Way<'a>,
        target: Target,
    ) -> Value<'a> {
        match (way.choice, way.value) {
            (Choice::Two(first, _), Some(flag)) if first == target => flag,
            (Choice::Two(_, second), Some(flag)) if second == target => self.not(builder, flag),
            (Choice::Many, Some(index)) => self.compare(builder, Predicate::Equal, index, target),
            _ => self.flag(way.choice == Choice::One(target)),
        }
    }

    /// The negation of a flag.
    pub(crate) fn not(&mut self, builder: &mut Builder<'a>, flag: Value<'a>) -> Value<'a> {
        let one = self.flag(true);
        builder
            .op("arith.xori")
            .operands(&[flag, one])
            .result(flag.ty())
            .value()
    }

    /// Compares the value that tells one of many with the number of `target`.
    pub(crate) fn compare(
        &mut self,
        builder: &mut Builder<'a>,
        predicate: Predicate,
        index: Value<'a>,
        target: Target,
    ) -> Value<'a> {
        let number = self.index_of(target);
        let flag = IntegerType::new(self.context(), 1);
        let compare = builder
            .op("arith.cmpi")
            .operands(&[index, number])
            .result(flag);
        compare
            .integer("predicate", u64::BITS, predicate as i64)
            .value()
    }

    /// A value for a path that does not have one and never reads it.
    pub(crate) fn never_read(&mut self, ty: Type<'a>) -> Value<'a> {
        if let Some(&known) = self.never_read.get(&ty) {
            return known;
        }
        let value = match zero(self.context(), ty) {
            Some(Zero::Scalar(zero)) => self.constants.constant(zero, ty),
            Some(Zero::Tensor(zero)) => self
                .constants
                .op("tfx_tensor.const")
                .attribute("value", zero)
                .result(ty)
                .value(),
            None => self.constants.op("tfx_host.undef").result(ty).value(),
        };
        self.never_read.insert(ty, value);
        value
    }

    fn flag_for(
        &mut self,
        builder: &mut Builder<'a>,
        way: Way<'a>,
        first: Target,
        second: Target,
    ) -> Value<'a> {
        match (way.choice, way.value) {
            (Choice::Two(left, right), Some(flag)) if left == first || right == second => flag,
            (Choice::Two(left, right), Some(flag)) if right == first || left == second => {
                self.not(builder, flag)
            }
            (Choice::Many, Some(index)) => self.compare(builder, Predicate::Equal, index, first),
            _ => self.flag(way.choice == Choice::One(first)),
        }
    }

    fn number_for(&mut self, builder: &mut Builder<'a>, way: Way<'a>) -> Value<'a> {
        match (way.choice, way.value) {
            (Choice::Many, Some(index)) => index,
            (Choice::One(target), _) => self.index_of(target),
            (Choice::Two(first, second), Some(flag)) => {
                let (first, second) = (self.index_of(first), self.index_of(second));
                builder
                    .op("arith.select")
                    .operands(&[flag, first, second])
                    .result(first.ty())
                    .value()
            }
            _ => self.never_read(Type::index(self.context())),
        }
    }

    fn index_of(&mut self, target: Target) -> Value<'a> {
        let number = self.number(target);
        let ty = Type::index(self.context());
        *self
            .indices
            .entry(number)
            .or_insert_with(|| self.constants.constant_int(number, ty))
    }
}

enum Zero<'a> {
    Scalar(Attribute<'a>),
    Tensor(Attribute<'a>),
}

/// The zero of a type that has one.
fn zero<'a>(context: &'a Context, ty: Type<'a>) -> Option<Zero<'a>> {
    if let Ok(tensor) = RankedTensorType::try_from(ty) {
        let element = tensor.element();
        let is_static = tensor.has_static_shape();
        let text = match (is_static, element.is_float()) {
            (true, true) => format!("dense<0.0> : {ty}"),
            (true, false) if is_signless(element) => format!("dense<0> : {ty}"),
            _ => return None,
        };
        return Attribute::parse(context, &text).map(Zero::Tensor);
    }
    match is_scalar(ty) {
        true if ty.is_float() => Some(Zero::Scalar(FloatAttribute::new(context, ty, 0.0).into())),
        true if is_signless(ty) => Some(Zero::Scalar(IntegerAttribute::new(ty, 0).into())),
        _ => None,
    }
}

fn is_signless(ty: Type<'_>) -> bool {
    ty.is_index() || IntegerType::try_from(ty).is_ok_and(|ty| ty.is_signless())
}
