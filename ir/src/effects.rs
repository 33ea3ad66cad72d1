//! What operations are and do: traits, interfaces, effects, folding.

use melior::ir::Attribute;

use crate::ops::{arith, math};
use crate::scalar_ops::arith_name;
use crate::{Op, Value, ffi};

/// A trait or an interface of operations. The numbers are those of `TfxTrait` in `cpp/bridge.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Trait {
    /// It ends a block.
    Terminator = 0,
    /// It ends a block and gives its operands to what is round the region.
    ReturnLike = 1,
    /// It is a constant.
    ConstantLike = 2,
    /// Nothing inside uses values from outside.
    IsolatedFromAbove = 3,
    /// It defines symbols.
    SymbolTable = 4,
    /// Its operands may change places.
    Commutative = 5,
    /// It is a symbol (`SymbolOpInterface`).
    Symbol = 6,
    /// It is a function (`FunctionOpInterface`).
    Function = 7,
    /// It is a call (`CallOpInterface`).
    Call = 8,
    /// It is a branch (`BranchOpInterface`).
    Branch = 9,
    /// Control flows between its regions (`RegionBranchOpInterface`).
    RegionBranch = 10,
    /// It is a loop (`LoopLikeOpInterface`).
    Loop = 11,
    /// Its dialect is loaded and knows it.
    Registered = 12,
}

/// What an operation and all inside do to memory and the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Effects {
    /// It reads.
    pub read: bool,
    /// It writes.
    pub write: bool,
    /// It makes something, such as a buffer.
    pub allocate: bool,
    /// It frees something.
    pub free: bool,
    /// It does not say: anything is possible.
    pub unknown: bool,
}

impl Effects {
    /// Whether it does nothing of all that.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// What one result folds to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Folded<'a> {
    /// A constant.
    Attribute(Attribute<'a>),
    /// Another value.
    Value(Value<'a>),
}

impl<'a> Op<'a> {
    /// Whether it has that trait or interface.
    pub fn has_trait(self, which: Trait) -> bool {
        ffi::op_has_trait(self.raw(), which as i32)
    }

    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        self.has_trait(Trait::Terminator)
    }

    /// Whether it has no effects and may be run when it would not have been (MLIR's `isPure`).
    pub fn is_pure(self) -> bool {
        ffi::op_is_pure(self.raw()) && !self.has_trap()
    }

    /// Whether it may be run when it would not have been.
    pub fn is_speculatable(self) -> bool {
        ffi::op_is_speculatable(self.raw()) && !self.has_trap()
    }

    /// Whether it is a division of integers, or a power with a negative exponent, that has no value for
    /// some operands: the divisor or the base is zero, or the quotient does not fit. MLIR says so of
    /// quotients alone; to it, remainders and powers are pure.
    pub fn may_trap(self) -> bool {
        let constant = |operand: usize| self.operand(operand).defining_op()?.integer("value");
        match arith_name(self.name()) {
            arith::DivUI::NAME | arith::RemUI::NAME | arith::CeilDivUI::NAME => {
                constant(1).is_none_or(|divisor| divisor == 0)
            }
            // The least number divided by -1 does not fit.
            arith::DivSI::NAME
            | arith::RemSI::NAME
            | arith::FloorDivSI::NAME
            | arith::CeilDivSI::NAME => constant(1).is_none_or(|divisor| matches!(divisor, 0 | -1)),
            math::IPowI::NAME => {
                let may_be_negative = constant(1).is_none_or(|exponent| exponent < 0);
                may_be_negative && constant(0).is_none_or(|base| base == 0)
            }
            _ => false,
        }
    }

    /// Whether it or an operation inside of it may trap.
    fn has_trap(self) -> bool {
        match self.num_regions() {
            0 => self.may_trap(),
            _ => self.walk().any(Op::may_trap),
        }
    }

    /// Whether it can be erased as it is: nothing uses it and it does nothing.
    pub fn is_trivially_dead(self) -> bool {
        ffi::op_is_trivially_dead(self.raw())
    }

    /// Whether it could be erased if nothing used it.
    pub fn would_be_trivially_dead(self) -> bool {
        ffi::op_would_be_trivially_dead(self.raw())
    }

    /// What it and all inside do.
    pub fn effects(self) -> Effects {
        let flags = ffi::op_effects(self.raw());
        Effects {
            read: flags & 1 != 0,
            write: flags & 2 != 0,
            allocate: flags & 4 != 0,
            free: flags & 8 != 0,
            unknown: flags & 16 != 0,
        }
    }

    /// The value of a constant operation with one result.
    pub fn constant_value(self) -> Option<Attribute<'a>> {
        ffi::option_attribute(ffi::op_constant_value(self.raw()))
    }

    /// What its results are, given constants for some operands. `None` if it does not fold. An operation may change
    /// itself when it folds to nothing new, such as by swapping its operands.
    pub fn fold(self, operands: &[Option<Attribute<'a>>]) -> Option<Vec<Folded<'a>>> {
        let results = ffi::fold(self, operands)?;
        let one = |(attribute, value)| match (attribute, value) {
            (Some(attribute), _) => Some(Folded::Attribute(attribute)),
            (None, Some(value)) => Some(Folded::Value(value)),
            (None, None) => None,
        };
        results.into_iter().map(one).collect()
    }
}
