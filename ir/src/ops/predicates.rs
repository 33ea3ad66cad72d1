//! Relations between the predicates of `arith.cmpi`.

use super::arith::CmpIPredicate::{self, Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};

impl CmpIPredicate {
    /// Returns the predicate that holds exactly where this one does not.
    pub fn negated(self) -> Self {
        match self {
            Eq => Ne,
            Ne => Eq,
            Slt => Sge,
            Sge => Slt,
            Sle => Sgt,
            Sgt => Sle,
            Ult => Uge,
            Uge => Ult,
            Ule => Ugt,
            Ugt => Ule,
        }
    }

    /// Returns the predicate that holds of the operands in the other order.
    pub fn swapped(self) -> Self {
        match self {
            Eq | Ne => self,
            Slt => Sgt,
            Sgt => Slt,
            Sle => Sge,
            Sge => Sle,
            Ult => Ugt,
            Ugt => Ult,
            Ule => Uge,
            Uge => Ule,
        }
    }

    /// Returns whether it compares signed integers; `eq` and `ne` do not depend on the sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Slt | Sle | Sgt | Sge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_and_exchange_undo_themselves() {
        for predicate in CmpIPredicate::ALL {
            assert_eq!(predicate.negated().negated(), predicate);
            assert_eq!(predicate.swapped().swapped(), predicate);
            assert_ne!(predicate.negated(), predicate);
        }
    }
}
