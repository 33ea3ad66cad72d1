//! Loops that terminate because they count towards a bound.
//!
//! ```text
//!   scf.for                                                        terminates
//!   scf.while (%i = %a) { %i < %n } do { %i + 1 }                  terminates: %n is defined outside
//!   scf.while (%i = %a) { %i < %n and not %found } do { ... }      terminates: both must hold
//!   scf.while (%i = %a) { if %i < %n { ..., yield %go, %i + 1 } else { yield false, 0 } } do { ... }
//!                                                                  terminates: `else` ends the loop
//!   scf.while (%x = %a) { %error(%x) > %small } do { ... }         unknown
//! ```
//!
//! Algorithm: the facts that another iteration implies are followed backwards from the condition:
//! both sides of an `and`, the arm of an `scf.if` whose other arm yields the opposite constant, and
//! a comparison, negated or not. A comparison of an iteration argument with a value from outside
//! ends the loop if each iteration moves that argument by a constant towards the bound, and no step
//! jumps over the bound by wrapping around.
//!
//! Cost: linear in the operations of the condition, and a constant for each comparison.
//!
//! Limits: the result says nothing about when the loop ends, nor about loops inside of the loop.

use std::collections::{HashMap, HashSet};

use melior::ir::Type;

use crate::ops::arith::CmpIPredicate;
use crate::ops::{Structured, arith, scf};
use crate::trip_count::greatest;
use crate::{Op, Region, Value};

/// The largest number of operations between a counter and its next value that are followed. No
/// front end emits more.
const MAX_STEPS: usize = 64;

/// Returns whether counting by `step` ends a loop that continues while `predicate` holds for its
/// counter and `limit`, which is `None` if it is not constant. Both are of type `ty`.
fn ends(predicate: CmpIPredicate, step: i64, limit: Option<i64>, ty: Type<'_>) -> bool {
    let greatest = greatest(ty);
    // The last number with which the loop continues, and the step from there, which must not wrap.
    let rises = |last: Option<i64>| {
        let next = last.and_then(|last| last.checked_add(step));
        step > 0 && next.is_some_and(|next| next <= greatest)
    };
    let falls = |last: Option<i64>| {
        let least = if predicate.is_signed() { !greatest } else { 0 };
        let next = last.and_then(|last| last.checked_add(step));
        step < 0 && next.is_some_and(|next| next >= least)
    };
    // An unsigned bound beyond the signed numbers reads as a negative one.
    let limit = limit.filter(|&limit| predicate.is_signed() || limit >= 0);
    let before = || limit.and_then(|limit| limit.checked_sub(1));
    let after = || limit.and_then(|limit| limit.checked_add(1));
    match predicate {
        CmpIPredicate::Eq => step != 0,
        CmpIPredicate::Ne => step.abs() == 1,
        CmpIPredicate::Slt | CmpIPredicate::Ult => step == 1 || rises(before()),
        CmpIPredicate::Sle | CmpIPredicate::Ule => rises(limit),
        CmpIPredicate::Sgt | CmpIPredicate::Ugt => step == -1 || falls(after()),
        CmpIPredicate::Sge | CmpIPredicate::Uge => falls(limit),
    }
}

/// Returns whether an `scf.for` or `scf.while` is known to terminate if its regions do.
pub fn terminates(op: Op<'_>) -> bool {
    match Structured::cast(op) {
        Some(Structured::For(_)) => true,
        Some(Structured::While(op)) => Facts::of(op).is_some_and(|facts| facts.any_ends_the_loop()),
        _ => false,
    }
}

/// The facts that another iteration of an `scf.while` implies.
struct Facts<'a> {
    of: scf::While<'a>,
    /// The terminators of the two regions.
    condition: scf::Condition<'a>,
    next: Op<'a>,
    /// For each `scf.if` whose condition is implied, the arm that runs.
    arms: HashMap<scf::If<'a>, Region<'a>>,
    /// The comparisons, each with its outcome.
    comparisons: Vec<(arith::CmpI<'a>, bool)>,
}

impl<'a> Facts<'a> {
    fn of(op: scf::While<'a>) -> Option<Self> {
        let (condition, next) = (op.end()?, op.after().terminator()?);
        let mut found = Self {
            of: op,
            condition,
            next,
            arms: HashMap::new(),
            comparisons: Vec::new(),
        };
        let mut implied = vec![(condition.condition(), true)];
        let mut seen = HashSet::new();
        while let Some((value, holds)) = implied.pop() {
            if seen.insert((value, holds)) {
                found.follow(value, holds, &mut implied);
            }
        }
        Some(found)
    }

    /// Records the facts that follow from the value of a boolean.
    fn follow(&mut self, value: Value<'a>, holds: bool, implied: &mut Vec<(Value<'a>, bool)>) {
        let Some(op) = value.defining_op().filter(|op| op.is_within(self.of.op())) else {
            return;
        };
        if let Some(branch) = scf::If::cast(op) {
            return self.follow_branch(branch, value, holds, implied);
        }
        match arith::ArithOp::cast(op) {
            Some(arith::ArithOp::AndI(op)) if holds => {
                implied.extend([(op.lhs(), true), (op.rhs(), true)]);
            }
            Some(arith::ArithOp::OrI(op)) if !holds => {
                implied.extend([(op.lhs(), false), (op.rhs(), false)]);
            }
            Some(arith::ArithOp::XOrI(op)) => {
                for (one, other) in [(op.lhs(), op.rhs()), (op.rhs(), op.lhs())] {
                    implied.extend(other.constant_bool().map(|flips| (one, holds != flips)));
                }
            }
            Some(arith::ArithOp::CmpI(op)) => self.comparisons.push((op, holds)),
            _ => {}
        }
    }

    /// Finds the arm that runs if the other one yields the opposite constant.
    fn follow_branch(
        &mut self,
        branch: scf::If<'a>,
        value: Value<'a>,
        holds: bool,
        implied: &mut Vec<(Value<'a>, bool)>,
    ) {
        let Some(number) = branch.results().position(|result| result == value) else {
            return;
        };
        let regions = [branch.then_region(), branch.else_region()];
        let [Some(then_value), Some(else_value)] =
            regions.map(|region| region.terminator().map(|end| end.operand(number)))
        else {
            return;
        };
        let is_opposite = |value: Value<'_>| value.constant_bool() == Some(!holds);
        let (taken, value) = match (is_opposite(then_value), is_opposite(else_value)) {
            (false, true) => (true, then_value),
            (true, false) => (false, else_value),
            _ => return,
        };
        self.arms.insert(branch, regions[usize::from(!taken)]);
        implied.extend([(branch.condition(), taken), (value, holds)]);
    }

    fn any_ends_the_loop(&self) -> bool {
        self.comparisons.iter().any(|&(compare, holds)| {
            let predicate = match holds {
                true => compare.predicate(),
                false => compare.predicate().negated(),
            };
            self.ends_the_loop(predicate, compare.lhs(), compare.rhs()) == Some(true)
                || self.ends_the_loop(predicate.swapped(), compare.rhs(), compare.lhs())
                    == Some(true)
        })
    }

    /// Returns whether a comparison ends the loop, with `counter` as the counter.
    fn ends_the_loop(
        &self,
        predicate: CmpIPredicate,
        counter: Value<'a>,
        bound: Value<'a>,
    ) -> Option<bool> {
        let constant = bound.constant_int();
        if constant.is_none() && bound.is_defined_within(self.of.op()) {
            return None;
        }
        let (argument, _) = self.back_to_argument(counter)?;
        let (origin, step) = self.back_to_argument(self.next.operand(argument))?;
        Some(origin == argument && ends(predicate, step, constant, bound.ty()))
    }

    /// Follows a value back to an iteration argument, in an iteration that is not the last. Returns
    /// the index of the argument, and the constant that is added to it.
    fn back_to_argument(&self, mut value: Value<'a>) -> Option<(usize, i64)> {
        let (header, rest) = (self.of.before().entry()?, self.of.after().entry()?);
        let mut sum = 0i64;
        for _ in 0..MAX_STEPS {
            value = match value.as_argument() {
                Some((block, index)) if block == header => return Some((index, sum)),
                Some((block, index)) if block == rest => self.condition.args().at(index),
                Some(_) => return None,
                None => {
                    let op = value.defining_op()?;
                    if let Some(add) = arith::AddI::cast(op) {
                        sum = sum.checked_add(add.rhs().constant_int()?)?;
                        add.lhs()
                    } else if let Some(sub) = arith::SubI::cast(op) {
                        sum = sum.checked_sub(sub.rhs().constant_int()?)?;
                        sub.lhs()
                    } else {
                        let branch = scf::If::cast(op)?;
                        let number = branch.results().position(|result| result == value)?;
                        self.arms.get(&branch)?.terminator()?.operand(number)
                    }
                }
            };
        }
        None
    }
}
