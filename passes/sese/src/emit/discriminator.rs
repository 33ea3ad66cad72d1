//! Discriminators: the values that encode which target is pending.
//!
//! An `i1` tells whether the innermost loop continues. If one of two other targets may be pending,
//! another `i1` is true for the first of them; if one of more, an `index` has the number of the
//! target. While the loop continues, that `i1` is false and that `index` is arbitrary. A region may
//! know more or less than the code around it, so one encoding is converted to another:
//!
//! ```text
//!   one t               ->  a or b               the constant t == a
//!   one t               ->  many                 the number of t
//!   many                ->  a or b               cmpi eq, number of a
//!   a or b              ->  many                 select
//!   continues, or a     ->  continues, a or b    flag; and flag ^ true
//! ```
//!
//! Also here: constants, which are created once at the start of the function, and placeholders for
//! values that a path does not have and never reads.

use rustc_hash::FxHashMap;
use tfx_dialects::{host, tensor};
use tfx_ir::ops::arith::{self, CmpIPredicate};

use melior::Context;
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, Location, ShapedTypeLike, Type, TypeLike};
use tfx_ir::{Block, Builder, Op, Value, location};

use crate::pending::{Others, TargetSet};
use crate::units::Target;

/// The targets that may be pending at a point, and the values that encode which one is.
#[derive(Clone, Copy)]
pub(crate) struct PathState<'a> {
    pub(crate) targets: TargetSet,
    pub(crate) discriminator: Discriminator<Value<'a>>,
}

impl PathState<'_> {
    /// Returns the state in which `target` is pending.
    pub(crate) fn at(target: Target) -> Self {
        Self::without_values(TargetSet::one(target))
    }

    /// Returns the state of targets that need no discriminator.
    pub(crate) fn without_values(targets: TargetSet) -> Self {
        Self {
            targets,
            discriminator: Discriminator::NONE,
        }
    }
}

/// One item for each value of an encoding; `None` for values that the encoding does not need.
#[derive(Clone, Copy)]
pub(crate) struct Discriminator<T> {
    /// For the flag that tells whether the loop continues.
    pub(crate) continues: Option<T>,
    /// For the value that distinguishes the other targets.
    pub(crate) others: Option<T>,
}

impl<T> Discriminator<T> {
    pub(crate) const NONE: Self = Self {
        continues: None,
        others: None,
    };

    /// Returns the items, in order.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = T> {
        self.continues.into_iter().chain(self.others)
    }

    /// Replaces the items, in order, by those of an iterator.
    pub(crate) fn refill<U>(&self, items: &mut impl Iterator<Item = U>) -> Discriminator<U> {
        let continues = self.continues.as_ref().and_then(|_| items.next());
        let others = self.others.as_ref().and_then(|_| items.next());
        Discriminator { continues, others }
    }
}

/// Creates constants, placeholders and discriminators.
pub(crate) struct Encoder<'a> {
    constants: Builder<'a>,
    flags: [Option<Value<'a>>; 2],
    indices: FxHashMap<i64, Value<'a>>,
    placeholders: FxHashMap<Type<'a>, Value<'a>>,
    numbers: FxHashMap<Target, i64>,
}

impl<'a> Encoder<'a> {
    /// Returns an encoder whose constants are created at the start of `entry`, the first block of
    /// `function`.
    pub(crate) fn new(function: Op<'a>, entry: Block<'a>) -> Self {
        Self {
            constants: Builder::at_start(entry, function.location()),
            flags: [None; 2],
            indices: FxHashMap::default(),
            placeholders: FxHashMap::default(),
            numbers: FxHashMap::default(),
        }
    }

    pub(crate) fn context(&self) -> &'a Context {
        self.constants.context()
    }

    /// Returns a builder at the end of a block.
    pub(crate) fn builder(&self, block: Block<'a>, location: Location<'a>) -> Builder<'a> {
        self.constants.to_end_of(block, location)
    }

    /// Returns the types of the discriminator of `targets`.
    pub(crate) fn types(&self, targets: TargetSet) -> Discriminator<Type<'a>> {
        let flag = || IntegerType::new(self.context(), 1).into();
        let is_flag_needed = targets.continues.is_some() && targets.others != Others::None;
        Discriminator {
            continues: is_flag_needed.then(flag),
            others: match targets.others {
                Others::None | Others::One(_) => None,
                Others::Two(..) => Some(flag()),
                Others::Many => Some(Type::index(self.context())),
            },
        }
    }

    /// Returns the number that encodes `target`. Targets are numbered in the order of their first
    /// use.
    pub(crate) fn number(&mut self, target: Target) -> i64 {
        let next = self.numbers.len() as i64;
        *self.numbers.entry(target).or_insert(next)
    }

    /// Returns a constant flag.
    pub(crate) fn flag(&mut self, value: bool) -> Value<'a> {
        *self.flags[usize::from(value)].get_or_insert_with(|| self.constants.constant_bool(value))
    }

    /// Returns the value of a constant flag.
    pub(crate) fn as_flag(&self, value: Value<'a>) -> Option<bool> {
        let is = |flag: bool| self.flags[usize::from(flag)] == Some(value);
        [true, false].into_iter().find(|&flag| is(flag))
    }

    /// Encodes `state` as the targets `to` need it. An unreachable state needs no values.
    pub(crate) fn encode(
        &mut self,
        builder: Builder<'a>,
        state: PathState<'a>,
        to: TargetSet,
    ) -> Discriminator<Value<'a>> {
        let types = self.types(to);
        let mut flag = |target| self.is_pending(builder, state, target);
        let continues = types.continues.and(to.continues).map(&mut flag);
        let others = match to.others {
            Others::None | Others::One(_) => None,
            Others::Two(first, _) => Some(flag(first)),
            // The target that continues a loop here may be one of the others for another loop.
            Others::Many if state.targets.continues == to.continues => {
                self.number_of_others(builder, state)
            }
            Others::Many => Some(self.number_of_pending(builder, state)),
        };
        Discriminator { continues, others }
    }

    /// Returns a flag that tells whether `target` is pending.
    pub(crate) fn is_pending(
        &mut self,
        builder: Builder<'a>,
        state: PathState<'a>,
        target: Target,
    ) -> Value<'a> {
        let Discriminator { continues, others } = state.discriminator;
        if state.targets.continues == Some(target) {
            return continues.unwrap_or_else(|| self.flag(true));
        }
        match (state.targets.others, others) {
            (Others::One(only), _) if only == target => match continues {
                Some(continues) => self.not(builder, continues),
                None => self.flag(true),
            },
            (Others::Two(first, _), Some(flag)) if first == target => flag,
            (Others::Two(_, second), Some(flag)) if second == target => {
                let other = match continues {
                    Some(continues) => either(builder, continues, flag),
                    None => flag,
                };
                self.not(builder, other)
            }
            (Others::Many, Some(index)) => {
                let equal = self.compare(builder, CmpIPredicate::Eq, index, target);
                match continues {
                    Some(continues) => {
                        let ends = self.not(builder, continues);
                        let both = arith::AndI::build(&mut synthesized(builder), ends, equal);
                        both.result()
                    }
                    None => equal,
                }
            }
            _ => self.flag(false),
        }
    }

    /// Negates a flag.
    pub(crate) fn not(&mut self, builder: Builder<'a>, flag: Value<'a>) -> Value<'a> {
        let one = self.flag(true);
        let negation = flag.defining_op().and_then(arith::XOrI::cast);
        // Only negations of this function use this constant.
        match negation.filter(|negation| negation.rhs() == one) {
            Some(negation) => negation.lhs(),
            None => arith::XOrI::build(&mut synthesized(builder), flag, one).result(),
        }
    }

    /// Erases unused constants. Replaces placeholders by equal constants of the function:
    /// extracting the function again would merge them. Cost: linear in the operations of the first
    /// block.
    pub(crate) fn finish(&self) {
        let flags = self.flags.iter().flatten();
        let values = flags
            .chain(self.indices.values())
            .chain(self.placeholders.values());
        for op in values.filter_map(|value| value.defining_op()) {
            if op.is_unused() {
                op.erase();
            }
        }
        self.share_placeholders();
    }

    fn share_placeholders(&self) {
        let is_used = |value: &&Value<'a>| !value.is_unused();
        let placeholders = self.placeholders.values().filter(is_used);
        let mut unshared: Vec<_> = placeholders
            .filter_map(|value| value.defining_op())
            .collect();
        let Some(block) = unshared.first().and_then(|op| op.block()) else {
            return;
        };
        for op in block.ops() {
            let is_equal = |placeholder: &Op<'a>| {
                *placeholder != op
                    && op.is(placeholder.name())
                    && op.result(0).ty() == placeholder.result(0).ty()
                    && op.attribute_dictionary() == placeholder.attribute_dictionary()
            };
            if let Some(at) = unshared.iter().position(is_equal) {
                let placeholder = unshared.swap_remove(at);
                op.move_before(placeholder);
                placeholder.replace_with(&[op.result(0)]);
            }
        }
    }

    /// Compares the number of the pending target with that of `target`.
    pub(crate) fn compare(
        &mut self,
        builder: Builder<'a>,
        predicate: CmpIPredicate,
        index: Value<'a>,
        target: Target,
    ) -> Value<'a> {
        let number = self.index_of(target);
        arith::CmpI::build(&mut synthesized(builder), predicate, index, number).result()
    }

    /// Returns a value of `ty` for a path that does not have one and never reads it.
    pub(crate) fn placeholder(&mut self, ty: Type<'a>) -> Value<'a> {
        if let Some(&known) = self.placeholders.get(&ty) {
            return known;
        }
        let value = match zero(self.context(), ty) {
            Some(zero) if is_scalar(ty) => self.constants.constant(zero, ty),
            Some(zero) => tensor::Const::build(&mut self.constants, ty, zero).result(),
            None => host::Undef::build(&mut self.constants, ty).result(),
        };
        self.placeholders.insert(ty, value);
        value
    }

    /// Returns the number of the pending target.
    pub(crate) fn number_of_pending(
        &mut self,
        builder: Builder<'a>,
        state: PathState<'a>,
    ) -> Value<'a> {
        let other = self.number_of_others(builder, state);
        let continuing = state.targets.continues.map(|target| self.index_of(target));
        match (continuing, state.discriminator.continues, other) {
            (Some(number), Some(flag), Some(other)) => select(builder, flag, number, other),
            (Some(number), None, _) | (_, _, Some(number)) | (Some(number), _, None) => number,
            (None, _, None) => self.placeholder(Type::index(self.context())),
        }
    }

    /// Returns the number of the pending target if the loop does not continue.
    fn number_of_others(
        &mut self,
        builder: Builder<'a>,
        state: PathState<'a>,
    ) -> Option<Value<'a>> {
        match (state.targets.others, state.discriminator.others) {
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
        let new = || self.constants.constant_int(number, ty);
        *self.indices.entry(number).or_insert_with(new)
    }
}

/// Returns a builder of operations that are not in the source.
pub(crate) fn synthesized<'a>(builder: Builder<'a>) -> Builder<'a> {
    builder.at(location::made(builder.context(), builder.location()))
}

/// Returns whether one of two flags is set.
pub(crate) fn either<'a>(builder: Builder<'a>, first: Value<'a>, second: Value<'a>) -> Value<'a> {
    arith::OrI::build(&mut synthesized(builder), first, second).result()
}

/// Selects one of two values.
pub(crate) fn select<'a>(
    builder: Builder<'a>,
    flag: Value<'a>,
    first: Value<'a>,
    second: Value<'a>,
) -> Value<'a> {
    arith::Select::build(&mut synthesized(builder), flag, first, second).result()
}

/// Returns whether an `arith.select` of two values of this type is as cheap as a branch.
pub(crate) fn is_scalar(ty: Type<'_>) -> bool {
    ty.is_integer() || ty.is_index() || ty.is_float()
}

/// Returns the zero of a type that has one.
fn zero<'a>(context: &'a Context, ty: Type<'a>) -> Option<Attribute<'a>> {
    if let Ok(tensor) = RankedTensorType::try_from(ty) {
        let element = tensor.element();
        return match element.is_float() {
            _ if !tensor.has_static_shape() => None,
            true => Attribute::parse(context, &format!("dense<0.0> : {ty}")),
            false if is_signless(element) => Attribute::parse(context, &format!("dense<0> : {ty}")),
            false => None,
        };
    }
    match ty.is_float() {
        true => Some(FloatAttribute::new(context, ty, 0.0).into()),
        false => is_signless(ty).then(|| IntegerAttribute::new(ty, 0).into()),
    }
}

fn is_signless(ty: Type<'_>) -> bool {
    ty.is_index() || IntegerType::try_from(ty).is_ok_and(|ty| ty.is_signless())
}
