//! Traits, interfaces, effects and folding of operations.

use melior::ir::Attribute;

use crate::ops::{arith, math};
use crate::scalar_ops::arith_name;
use crate::{Op, Value, ffi};

/// A trait or an interface of operations. The numbers are those of `TfxTrait` in `cpp/bridge.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Trait {
    /// Ends a block.
    Terminator = 0,
    /// Ends a block and forwards its operands to the operation around the region.
    ReturnLike = 1,
    /// Is a constant.
    ConstantLike = 2,
    /// Uses no value from outside in its regions.
    IsolatedFromAbove = 3,
    /// Defines symbols.
    SymbolTable = 4,
    /// Its operands may be swapped.
    Commutative = 5,
    /// Is a symbol (`SymbolOpInterface`).
    Symbol = 6,
    /// Is a function (`FunctionOpInterface`).
    Function = 7,
    /// Is a call (`CallOpInterface`).
    Call = 8,
    /// Is a branch (`BranchOpInterface`).
    Branch = 9,
    /// Control flows between its regions (`RegionBranchOpInterface`).
    RegionBranch = 10,
    /// Is a loop (`LoopLikeOpInterface`).
    Loop = 11,
    /// Is registered by a loaded dialect.
    Registered = 12,
}

/// The memory effects of an operation and those inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Effects {
    /// Reads memory.
    pub read: bool,
    /// Writes memory.
    pub write: bool,
    /// Allocates a resource, such as a buffer.
    pub allocate: bool,
    /// Frees a resource.
    pub free: bool,
    /// Does not declare its effects: any effect is possible.
    pub unknown: bool,
}

impl Effects {
    /// Returns whether there is no effect.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// The folded form of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Folded<'a> {
    /// A constant.
    Attribute(Attribute<'a>),
    /// Another value.
    Value(Value<'a>),
}

impl<'a> Op<'a> {
    /// Returns whether it has a trait or an interface.
    pub fn has_trait(self, which: Trait) -> bool {
        ffi::op_has_trait(self.raw(), which as i32)
    }

    /// Returns whether it ends a block.
    pub fn is_terminator(self) -> bool {
        self.has_trait(Trait::Terminator)
    }

    /// Returns whether it has no effects and can be speculated (MLIR's `isPure`).
    pub fn is_pure(self) -> bool {
        ffi::op_is_pure(self.raw()) && !self.has_trap()
    }

    /// Returns whether it can be speculated.
    pub fn is_speculatable(self) -> bool {
        ffi::op_is_speculatable(self.raw()) && !self.has_trap()
    }

    /// Returns whether it is an integer division, or a power with a negative exponent, that has no
    /// value for some operands: the divisor or the base is zero, or the quotient overflows. In
    /// MLIR, divisions are not speculatable for this reason, but remainders and powers are pure.
    pub fn may_trap(self) -> bool {
        let constant = |operand: usize| self.operand(operand).defining_op()?.integer("value");
        match arith_name(self.name()) {
            arith::DivUI::NAME | arith::RemUI::NAME | arith::CeilDivUI::NAME => {
                constant(1).is_none_or(|divisor| divisor == 0)
            }
            // The minimum value divided by -1 overflows.
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

    /// Returns whether it or an operation inside may trap.
    fn has_trap(self) -> bool {
        match self.num_regions() {
            0 => self.may_trap(),
            _ => self.walk().any(Op::may_trap),
        }
    }

    /// Returns whether it can be erased: it has no use and no effect.
    pub fn is_trivially_dead(self) -> bool {
        ffi::op_is_trivially_dead(self.raw())
    }

    /// Returns whether it could be erased if it had no use.
    pub fn would_be_trivially_dead(self) -> bool {
        ffi::op_would_be_trivially_dead(self.raw())
    }

    /// Returns its effects and those of the operations inside.
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

    /// Returns the value of a constant operation with one result.
    pub fn constant_value(self) -> Option<Attribute<'a>> {
        ffi::option_attribute(ffi::op_constant_value(self.raw()))
    }

    /// Folds the operation, given constants for some operands. Returns `None` if it does not fold.
    /// An operation may change in place without a new result, such as by swapping its operands.
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
