//! Whether a loop is certain to end, because it counts towards a bound.
//!
//! ```text
//!   scf.for                                                        ends
//!   scf.while (%i = %a) { %i < %n } do { %i + 1 }                  ends: %n is from outside of the loop
//!   scf.while (%i = %a) { %i < %n and not %found } do { ... }      ends: another iteration needs both
//!   scf.while (%i = %a) { if %i < %n { ..., yield %go, %i + 1 } else { yield false, 0 } } do { ... }
//!                                                                  ends: the other arm never goes on
//!   scf.while (%x = %a) { %error(%x) > %small } do { ... }         not known
//! ```
//!
//! Algorithm: what another iteration implies is followed backwards from the condition: both sides of an `and`, the arm
//! of an `scf.if` whose other arm yields the opposite constant, and a comparison, negated or not. A comparison of an
//! argument of the loop with a value from outside ends the loop if each iteration moves that argument by a constant
//! towards the bound, and none can jump over it by wrapping around.
//!
//! Cost: linear in the operations of the condition, and a constant for each comparison.
//!
//! Not promised: that the end comes soon; loops inside of the loop are not looked at.

use std::collections::{HashMap, HashSet};

use melior::ir::{Type, attribute::BoolAttribute};

use crate::{
    Op, Region, Value,
    trips::{constant, end_of, greatest},
};

/// How many operations may lie between a counter and its next value: more than any front end writes.
const HOPS: usize = 64;

/// How two integers are compared; the numbers are those of the attribute of `arith.cmpi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Equal,
    Different,
    Less { signed: bool },
    LessOrEqual { signed: bool },
    Greater { signed: bool },
    GreaterOrEqual { signed: bool },
}

impl Order {
    fn of(predicate: i64) -> Option<Self> {
        Some(match predicate {
            0 => Order::Equal,
            1 => Order::Different,
            2 | 6 => Order::Less {
                signed: predicate == 2,
            },
            3 | 7 => Order::LessOrEqual {
                signed: predicate == 3,
            },
            4 | 8 => Order::Greater {
                signed: predicate == 4,
            },
            5 | 9 => Order::GreaterOrEqual {
                signed: predicate == 5,
            },
            _ => return None,
        })
    }

    /// What holds where this does not.
    fn negated(self) -> Self {
        match self {
            Order::Equal => Order::Different,
            Order::Different => Order::Equal,
            Order::Less { signed } => Order::GreaterOrEqual { signed },
            Order::LessOrEqual { signed } => Order::Greater { signed },
            Order::Greater { signed } => Order::LessOrEqual { signed },
            Order::GreaterOrEqual { signed } => Order::Less { signed },
        }
    }

    /// The same of the second and the first.
    fn swapped(self) -> Self {
        match self {
            Order::Equal | Order::Different => self,
            Order::Less { signed } => Order::Greater { signed },
            Order::LessOrEqual { signed } => Order::GreaterOrEqual { signed },
            Order::Greater { signed } => Order::Less { signed },
            Order::GreaterOrEqual { signed } => Order::LessOrEqual { signed },
        }
    }

    /// Whether counting by `step` ends what goes on while the counter compares so with `limit`, if that is a constant.
    fn ends(self, step: i64, limit: Option<i64>, ty: Type<'_>) -> bool {
        let greatest = greatest(ty);
        // The last number with which the loop goes on, and the step from there, which must not wrap around.
        let rises = |last: Option<i64>| {
            let next = last.and_then(|last| last.checked_add(step));
            step > 0 && next.is_some_and(|next| next <= greatest)
        };
        let falls = |last: Option<i64>, signed: bool| {
            let least = if signed { !greatest } else { 0 };
            let next = last.and_then(|last| last.checked_add(step));
            step < 0 && next.is_some_and(|next| next >= least)
        };
        // An unsigned bound beyond the signed numbers reads as a negative one.
        let known = |signed: bool| limit.filter(|&limit| signed || limit >= 0);
        match self {
            Order::Equal => step != 0,
            Order::Different => step.abs() == 1,
            Order::Less { signed } => {
                step == 1 || rises(known(signed).and_then(|limit| limit.checked_sub(1)))
            }
            Order::LessOrEqual { signed } => rises(known(signed)),
            Order::Greater { signed } => {
                step == -1 || falls(known(signed).and_then(|limit| limit.checked_add(1)), signed)
            }
            Order::GreaterOrEqual { signed } => falls(known(signed), signed),
        }
    }
}

/// Whether `scf.for` or `scf.while` is certain to end if what is in it does.
pub fn is_certain_to_end(op: Op<'_>) -> bool {
    match op.name() {
        "scf.for" => true,
        "scf.while" => Conditions::of(op).is_some_and(|conditions| conditions.any_ends_it()),
        _ => false,
    }
}

/// What another iteration of an `scf.while` implies.
struct Conditions<'a> {
    of: Op<'a>,
    /// The terminator of the header, and that of the rest.
    condition: Op<'a>,
    next: Op<'a>,
    /// The arms that are taken.
    arms: HashMap<Op<'a>, usize>,
    /// Comparisons, and whether they hold.
    comparisons: Vec<(Op<'a>, bool)>,
}

impl<'a> Conditions<'a> {
    fn of(op: Op<'a>) -> Option<Self> {
        let (condition, next) = (end_of(op.region(0))?, end_of(op.region(1))?);
        let mut found = Self {
            of: op,
            condition,
            next,
            arms: HashMap::new(),
            comparisons: Vec::new(),
        };
        let mut implied = vec![(condition.operand(0), true)];
        let mut seen = HashSet::new();
        while let Some((value, holds)) = implied.pop() {
            if seen.insert((value, holds)) {
                found.follow(value, holds, &mut implied);
            }
        }
        Some(found)
    }

    /// Finds what a boolean with this value implies.
    fn follow(&mut self, value: Value<'a>, holds: bool, implied: &mut Vec<(Value<'a>, bool)>) {
        let Some(op) = value.defining_op().filter(|op| op.is_within(self.of)) else {
            return;
        };
        match op.name() {
            "arith.andi" if holds => implied.extend(op.operands().map(|operand| (operand, true))),
            "arith.ori" if !holds => implied.extend(op.operands().map(|operand| (operand, false))),
            "arith.xori" => {
                for (one, other) in [(0, 1), (1, 0)] {
                    if let Some(flips) = boolean(op.operand(other)) {
                        implied.push((op.operand(one), holds != flips));
                    }
                }
            }
            "arith.cmpi" => self.comparisons.push((op, holds)),
            "scf.if" => {
                let number = op.results().position(|result| result == value);
                let arms: Vec<_> = op.regions().filter_map(end_of).collect();
                let (Some(number), [_, _]) = (number, &arms[..]) else {
                    return;
                };
                let left = |arm: usize| boolean(arms[arm].operand(number)) == Some(!holds);
                let taken = match (left(0), left(1)) {
                    (false, true) => 0,
                    (true, false) => 1,
                    _ => return,
                };
                self.arms.insert(op, taken);
                implied.push((op.operand(0), taken == 0));
                implied.push((arms[taken].operand(number), holds));
            }
            _ => {}
        }
    }

    fn any_ends_it(&self) -> bool {
        self.comparisons.iter().any(|&(compare, holds)| {
            let sides = [(0, 1), (1, 0)];
            sides
                .iter()
                .any(|&(counter, limit)| self.ends_it(compare, holds, counter, limit) == Some(true))
        })
    }

    /// Whether a comparison ends the loop, if this operand of it is the counter.
    fn ends_it(&self, compare: Op<'a>, holds: bool, counter: usize, limit: usize) -> Option<bool> {
        let bound = compare.operand(limit);
        let is_inside = bound
            .region()
            .and_then(Region::parent)
            .is_some_and(|around| around.is_within(self.of));
        let constant = constant(bound);
        if is_inside && constant.is_none() {
            return None;
        }
        let (argument, _) = self.back_to_argument(compare.operand(counter))?;
        let (origin, step) = self.back_to_argument(self.next.operand(argument))?;
        let mut order = Order::of(compare.integer("predicate")?)?;
        if !holds {
            order = order.negated();
        }
        if counter == 1 {
            order = order.swapped();
        }
        Some(origin == argument && order.ends(step, constant, bound.ty()))
    }

    /// The argument of the header that a value is, plus a constant, in an iteration that is not the last.
    fn back_to_argument(&self, mut value: Value<'a>) -> Option<(usize, i64)> {
        let (header, rest) = (self.of.region(0).entry()?, self.of.region(1).entry()?);
        let mut sum = 0i64;
        for _ in 0..HOPS {
            value = match value.as_argument() {
                Some((block, index)) if block == header => return Some((index, sum)),
                Some((block, index)) if block == rest => self.condition.operand(index + 1),
                Some(_) => return None,
                None => {
                    let op = value.defining_op()?;
                    match op.name() {
                        "arith.addi" => {
                            sum = sum.checked_add(constant(op.operand(1))?)?;
                            op.operand(0)
                        }
                        "arith.subi" => {
                            sum = sum.checked_sub(constant(op.operand(1))?)?;
                            op.operand(0)
                        }
                        "scf.if" => {
                            let number = op.results().position(|result| result == value)?;
                            end_of(op.region(*self.arms.get(&op)?))?.operand(number)
                        }
                        _ => return None,
                    }
                }
            };
        }
        None
    }
}

fn boolean(value: Value<'_>) -> Option<bool> {
    let attribute = value.defining_op()?.constant_value()?;
    BoolAttribute::try_from(attribute)
        .ok()
        .map(|attribute| attribute.value())
}
