//! The values that tell which way a path goes on.
//!
//! An `i1` tells whether the innermost loop goes on. Where one of two other targets is pending, another `i1` tells which, true for the
//! first; where one of more, an `index`. While the loop goes on, that `i1` is false and that `index` is any number. What an inner region
//! knows is often less or more than what is known around it, so one form is turned into the other:
//!
//! ```text
//!   one t      ->  a or b      the constant t == a       one t   ->  many   t's number
//!   many       ->  a or b      cmpi eq, number of a      a or b  ->  many   select
//!   on or a    ->  on, a or b  on; and on ^ true
//! ```
//!
//! Also here: constants, kept once per function at its start, and the zeros that stand for what a path does not have and never
//! reads.

use rustc_hash::FxHashMap;
use tfx_dialects::{host, tensor};
use tfx_ir::ops::arith;

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, Location, ShapedTypeLike, Type, TypeLike};
use tfx_ir::{Block, Builder, Op, OpBuilder, Value, location};

use crate::landing::Target;
use crate::pending::{Choice, Others};
use crate::plan::is_scalar;

/// What is pending, and the values that tell.
#[derive(Clone, Copy)]
pub(crate) struct Way<'a> {
    pub(crate) choice: Choice,
    pub(crate) values: Values<Value<'a>>,
}

/// One thing for each value that tells which way a path goes on; `None` where no value is needed.
#[derive(Clone, Copy)]
pub(crate) struct Values<T> {
    /// For the flag of going on.
    pub(crate) goes_on: Option<T>,
    /// For the value that tells the others apart.
    pub(crate) others: Option<T>,
}

impl<T> Values<T> {
    /// No value at all.
    pub(crate) const NONE: Self = Self {
        goes_on: None,
        others: None,
    };

    /// Those that are there, in order.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = T> {
        self.goes_on.into_iter().chain(self.others)
    }

    /// Other things in the same places, from an iterator in order.
    pub(crate) fn refill<U>(&self, things: &mut impl Iterator<Item = U>) -> Values<U> {
        let goes_on = self.goes_on.as_ref().and_then(|_| things.next());
        let others = self.others.as_ref().and_then(|_| things.next());
        Values { goes_on, others }
    }
}

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl Way<'_> {
    /// A point from which the path goes on at `target`.
    pub(crate) fn to(target: Target) -> Self {
        Self::known(Choice::one(target))
    }

    /// A point where what is pending needs no value.
    pub(crate) fn known(choice: Choice) -> Self {
        Self {
            choice,
            values: Values::NONE,
        }
    }
}

/// The predicates of `arith.cmpi` that are used here.
#[derive(Clone, Copy)]
pub(crate) enum Predicate {
    Equal = 0,
    NotEqual = 1,
}

/// What negates a flag: exclusive or with true.
const NOT: &str = arith::XOrI::NAME;

/// Makes constants and tells ways apart.
pub(crate) struct Ways<'a> {
    constants: Builder<'a>,
    flags: [Option<Value<'a>>; 2],
    indices: FxHashMap<i64, Value<'a>>,
    never_read: FxHashMap<Type<'a>, Value<'a>>,
    numbers: FxHashMap<Target, i64>,
}

impl<'a> Ways<'a> {
    /// Constants go to the start of `entry`, the first block of `function`.
    pub(crate) fn new(function: Op<'a>, entry: Block<'a>) -> Self {
        Self {
            constants: Builder::at_start(entry, function.location()),
            flags: [None; 2],
            indices: FxHashMap::default(),
            never_read: FxHashMap::default(),
            numbers: FxHashMap::default(),
        }
    }

    pub(crate) fn context(&self) -> &'a Context {
        self.constants.context()
    }

    /// Makes operations at the end of a block.
    pub(crate) fn builder(&self, block: Block<'a>, location: Location<'a>) -> Builder<'a> {
        self.constants.to_end_of(block, location)
    }

    /// The types of the values that tell, where they are needed.
    pub(crate) fn types(&self, choice: Choice) -> Values<Type<'a>> {
        let flag = || IntegerType::new(self.context(), 1).into();
        Values {
            goes_on: (choice.goes_on.is_some() && choice.others != Others::None).then(flag),
            others: match choice.others {
                Others::None | Others::One(_) => None,
                Others::Two(..) => Some(flag()),
                Others::Many => Some(Type::index(self.context())),
            },
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

    /// What a constant flag of these is.
    pub(crate) fn as_flag(&self, value: Value<'a>) -> Option<bool> {
        let is = |flag: bool| self.flags[usize::from(flag)] == Some(value);
        [true, false].into_iter().find(|&flag| is(flag))
    }

    /// Turns what is known into the form that is needed elsewhere. A way that is not there needs nothing.
    pub(crate) fn convert(
        &mut self,
        builder: &mut Builder<'a>,
        way: Way<'a>,
        to: Choice,
    ) -> Values<Value<'a>> {
        let types = self.types(to);
        let mut flag = |target| self.is_pending(builder, way, target);
        let goes_on = types.goes_on.and(to.goes_on).map(&mut flag);
        let others = match to.others {
            Others::None | Others::One(_) => None,
            Others::Two(first, _) => Some(flag(first)),
            // What goes on with the loop here may be one of the others there, whose loop is another.
            Others::Many if way.choice.goes_on == to.goes_on => self.number_of_others(builder, way),
            Others::Many => Some(self.number_for(builder, way)),
        };
        Values { goes_on, others }
    }

    /// Whether `target` is what is pending, where it may be.
    pub(crate) fn is_pending(
        &mut self,
        builder: &mut Builder<'a>,
        way: Way<'a>,
        target: Target,
    ) -> Value<'a> {
        let Values { goes_on, others } = way.values;
        if way.choice.goes_on == Some(target) {
            return goes_on.unwrap_or_else(|| self.flag(true));
        }
        match (way.choice.others, others) {
            (Others::One(only), _) if only == target => match goes_on {
                Some(goes_on) => self.not(builder, goes_on),
                None => self.flag(true),
            },
            (Others::Two(first, _), Some(flag)) if first == target => flag,
            (Others::Two(_, second), Some(flag)) if second == target => {
                let other = match goes_on {
                    Some(goes_on) => either(builder, goes_on, flag),
                    None => flag,
                };
                self.not(builder, other)
            }
            (Others::Many, Some(index)) => {
                let equal = self.compare(builder, Predicate::Equal, index, target);
                match goes_on {
                    Some(goes_on) => {
                        let ends = self.not(builder, goes_on);
                        let both = make(builder, arith::AndI::NAME).operands(&[ends, equal]);
                        both.result(equal.ty()).value()
                    }
                    None => equal,
                }
            }
            _ => self.flag(false),
        }
    }

    /// The negation of a flag.
    pub(crate) fn not(&mut self, builder: &mut Builder<'a>, flag: Value<'a>) -> Value<'a> {
        let one = self.flag(true);
        // Nobody else reads this constant, so what does is a negation that was made here.
        let negation = |op: &Op<'a>| op.num_operands() == 2 && op.operand(1) == one && op.is(NOT);
        match flag.defining_op().filter(negation) {
            Some(negation) => negation.operand(0),
            None => {
                let negation = make(builder, NOT).operands(&[flag, one]);
                negation.result(flag.ty()).value()
            }
        }
    }

    /// Erases the constants that nothing uses in the end, and lets the function's own constants stand for what is never read:
    /// two equal ones would be merged when the function is extracted once more. Cost: O(operations in the first block).
    pub(crate) fn finish(&self) {
        let flags = self.flags.iter().flatten();
        let made = flags
            .chain(self.indices.values())
            .chain(self.never_read.values());
        for op in made.filter_map(|value| value.defining_op()) {
            if op.is_unused() {
                op.erase();
            }
        }
        self.share_never_read();
    }

    fn share_never_read(&self) {
        let is_used = |value: &&Value<'a>| !value.is_unused();
        let placeholders = self.never_read.values().filter(is_used);
        let mut unshared: Vec<_> = placeholders
            .filter_map(|value| value.defining_op())
            .collect();
        let Some(block) = unshared.first().and_then(|op| op.block()) else {
            return;
        };
        for op in block.ops() {
            let is_equal = |made: &Op<'a>| {
                *made != op
                    && op.is(made.name())
                    && op.result(0).ty() == made.result(0).ty()
                    && op.attribute_dictionary() == made.attribute_dictionary()
            };
            if let Some(at) = unshared.iter().position(is_equal) {
                let made = unshared.swap_remove(at);
                op.move_before(made);
                made.replace_with(&[op.result(0)]);
            }
        }
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
        let compare = make(builder, arith::CmpI::NAME)
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
            Some(Zero::Tensor(zero)) => {
                tensor::Const::build(&mut self.constants, ty, zero.into()).result()
            }
            None => host::Undef::build(&mut self.constants, ty).result(),
        };
        self.never_read.insert(ty, value);
        value
    }

    /// The number of what is pending.
    pub(crate) fn number_for(&mut self, builder: &mut Builder<'a>, way: Way<'a>) -> Value<'a> {
        let other = self.number_of_others(builder, way);
        let on = way.choice.goes_on.map(|target| self.index_of(target));
        match (on, way.values.goes_on, other) {
            (Some(on), Some(flag), Some(other)) => select(builder, flag, on, other),
            (Some(number), None, _) | (_, _, Some(number)) | (Some(number), _, None) => number,
            (None, _, None) => self.never_read(Type::index(self.context())),
        }
    }

    /// The number of what is pending if the loop does not go on.
    fn number_of_others(&mut self, builder: &mut Builder<'a>, way: Way<'a>) -> Option<Value<'a>> {
        match (way.choice.others, way.values.others) {
            (Others::Many, index) => index,
            (Others::One(target), _) => Some(self.index_of(target)),
            (Others::Two(first, second), Some(flag)) => {
                let (first, second) = (self.index_of(first), self.index_of(second));
                Some(select(builder, flag, first, second))
            }
            _ => None,
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

/// Starts an operation that nobody wrote.
pub(crate) fn make<'b, 'a>(builder: &'b mut Builder<'a>, name: &'b str) -> OpBuilder<'b, 'a> {
    let location = location::made(builder.context(), builder.location());
    builder.op(name).location(location)
}

/// Whether one of two flags is set.
pub(crate) fn either<'a>(
    builder: &mut Builder<'a>,
    first: Value<'a>,
    second: Value<'a>,
) -> Value<'a> {
    make(builder, arith::OrI::NAME)
        .operands(&[first, second])
        .result(first.ty())
        .value()
}

/// One of two values.
pub(crate) fn select<'a>(
    builder: &mut Builder<'a>,
    flag: Value<'a>,
    first: Value<'a>,
    second: Value<'a>,
) -> Value<'a> {
    make(builder, arith::Select::NAME)
        .operands(&[flag, first, second])
        .result(first.ty())
        .value()
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
