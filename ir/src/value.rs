//! Values and their uses.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;

use melior::Context;
use melior::ir::attribute::{BoolAttribute, IntegerAttribute};
use melior::ir::{Location, Type, TypeLike};

use crate::cast::Cast;
use crate::{Block, Op, Region, ffi};

/// A reference to a value: a result or a block argument. Equality, hash and order are those of the
/// address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Value<'a>(pub(crate) NonNull<c_void>, pub(crate) PhantomData<&'a ()>);

impl fmt::Debug for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&ffi::print_value(self.raw()))
    }
}

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Definition<'a> {
    /// A result of an operation, with its index.
    Result(Op<'a>, usize),
    /// An argument of a block, with its index.
    Argument(Block<'a>, usize),
}

/// A use: one operand of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Use<'a> {
    /// The operation that uses the value.
    pub owner: Op<'a>,
    /// The position among its operands.
    pub operand: usize,
}

impl<'a> Use<'a> {
    /// Replaces the operand by `value`.
    #[inline]
    pub fn set(self, value: Value<'a>) {
        self.owner.set_operand(self.operand, value);
    }
}

impl<'a> Value<'a> {
    /// Returns the type.
    #[inline]
    pub fn ty(self) -> Type<'a> {
        ffi::ty(ffi::value_type(self.raw()))
    }

    /// Replaces the type. The uses are not changed.
    pub fn set_ty(self, ty: Type<'a>) {
        ffi::value_set_type(self.raw(), ty.to_raw());
    }

    /// Returns the location of its operation or of the argument.
    #[inline]
    pub fn location(self) -> Location<'a> {
        ffi::location(ffi::value_location(self.raw()))
    }

    /// Returns the context.
    pub fn context(self) -> &'a Context {
        ffi::context_of_type(self.ty())
    }

    /// Returns the definition.
    #[inline]
    pub fn definition(self) -> Definition<'a> {
        let raw = self.raw();
        if ffi::value_is_argument(raw) {
            let block = ffi::block(ffi::value_argument_owner(raw));
            Definition::Argument(block, ffi::value_argument_number(raw) as usize)
        } else {
            Definition::Result(
                ffi::op(ffi::value_result_owner(raw)),
                ffi::value_result_number(raw) as usize,
            )
        }
    }

    /// Returns the operation that it is a result of.
    #[inline]
    pub fn defining_op(self) -> Option<Op<'a>> {
        match self.definition() {
            Definition::Result(op, _) => Some(op),
            Definition::Argument(..) => None,
        }
    }

    /// Returns the block that it is an argument of, and its index.
    pub fn as_argument(self) -> Option<(Block<'a>, usize)> {
        match self.definition() {
            Definition::Argument(block, index) => Some((block, index)),
            Definition::Result(..) => None,
        }
    }

    /// Returns the block that it is defined in.
    #[inline]
    pub fn block(self) -> Option<Block<'a>> {
        match self.definition() {
            Definition::Argument(block, _) => Some(block),
            Definition::Result(op, _) => op.block(),
        }
    }

    /// Returns the region that it is defined in.
    pub fn region(self) -> Option<Region<'a>> {
        self.block()?.region()
    }

    /// Returns whether its definition is inside of `op`, at any depth. Costs the nesting depth.
    pub fn is_defined_within(self, op: Op<'a>) -> bool {
        self.region()
            .and_then(Region::parent)
            .is_some_and(|around| around.is_within(op))
    }

    /// Returns its value, sign-extended, if a constant of an integer type or `index` defines it.
    pub fn constant_int(self) -> Option<i64> {
        let attribute = self.defining_op()?.constant_value()?;
        IntegerAttribute::cast(attribute).map(|attribute| attribute.value())
    }

    /// Returns its value if a constant of type `i1` defines it.
    pub fn constant_bool(self) -> Option<bool> {
        let attribute = self.defining_op()?.constant_value()?;
        BoolAttribute::cast(attribute).map(|attribute| attribute.value())
    }

    /// Returns an iterator over the uses, the newest first. The last use returned may be changed.
    #[inline]
    pub fn uses(self) -> impl Iterator<Item = Use<'a>> {
        let mut next = ffi::value_first_use(self.raw());
        std::iter::from_fn(move || {
            if next.ptr.is_null() {
                return None;
            }
            let found = Use {
                owner: ffi::op(ffi::use_owner(next)),
                operand: ffi::use_number(next) as usize,
            };
            next = ffi::use_next(next);
            Some(found)
        })
    }

    /// Returns whether it has no use.
    pub fn is_unused(self) -> bool {
        self.uses().next().is_none()
    }

    /// Returns whether it has exactly one use.
    pub fn has_one_use(self) -> bool {
        self.uses().take(2).count() == 1
    }

    /// Replaces all uses by `other`.
    pub fn replace_all_uses_with(self, other: Value<'a>) {
        if self != other {
            ffi::value_replace_all_uses(self.raw(), other.raw());
        }
    }

    /// Replaces the uses for which `when` holds by `other`.
    pub fn replace_uses_if(self, other: Value<'a>, mut when: impl FnMut(Use<'a>) -> bool) {
        let uses: Vec<_> = self.uses().collect();
        uses.into_iter()
            .filter(|found| when(*found))
            .for_each(|found| found.set(other));
    }

    /// Replaces the uses inside of `region` by `other`. Costs the nesting depth for each use.
    pub fn replace_uses_in(self, region: Region<'a>, other: Value<'a>) {
        self.replace_uses_if(other, |found| region.contains(found.owner));
    }
}
