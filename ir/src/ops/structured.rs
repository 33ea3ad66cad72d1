//! The structured operations of `scf`, and how values flow through their regions.
//!
//! ```text
//!   scf.if, scf.index_switch     one region runs        yield ─► results
//!   scf.for                      the region repeats     inits ─► arguments ─► yield ─► arguments, results
//!   scf.while                    two regions repeat     inits ─► before ─► condition ─► after, results
//!                                                                 ▲                      │
//!                                                                 └─────── yield ────────┘
//! ```
//!
//! All passes that follow values or control through structured code match on [`Structured`].

use smallvec::SmallVec;

use super::scf;
use crate::view::OperandRange;
use crate::{Op, Region, Value};

/// A structured operation of `scf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structured<'a> {
    /// `scf.if`: runs one of two regions.
    If(scf::If<'a>),
    /// `scf.index_switch`: runs one of several regions.
    Switch(scf::IndexSwitch<'a>),
    /// `scf.while`: repeats two regions until its condition is false.
    While(scf::While<'a>),
    /// `scf.for`: repeats a region a number of times that its operands determine.
    For(scf::For<'a>),
}

/// The values that one operand is forwarded to: at most a region's argument and a result.
pub type Destinations<'a> = SmallVec<[Value<'a>; 2]>;

impl<'a> Structured<'a> {
    /// Returns the view of `op` if it is structured.
    pub fn cast(op: Op<'a>) -> Option<Self> {
        Some(match scf::ScfOp::cast(op)? {
            scf::ScfOp::If(view) => Self::If(view),
            scf::ScfOp::IndexSwitch(view) => Self::Switch(view),
            scf::ScfOp::While(view) => Self::While(view),
            scf::ScfOp::For(view) => Self::For(view),
            _ => return None,
        })
    }

    /// Returns the operation whose region directly contains `op`, if that is structured.
    pub fn around(op: Op<'a>) -> Option<Self> {
        Self::cast(op.parent()?)
    }

    /// Returns the operation.
    pub fn op(self) -> Op<'a> {
        match self {
            Self::If(view) => view.op(),
            Self::Switch(view) => view.op(),
            Self::While(view) => view.op(),
            Self::For(view) => view.op(),
        }
    }

    /// Returns whether it repeats its regions.
    pub fn is_loop(self) -> bool {
        matches!(self, Self::While(_) | Self::For(_))
    }

    /// Returns whether it chooses one of its regions.
    pub fn is_branch(self) -> bool {
        !self.is_loop()
    }

    /// Returns the value that decides which region runs or whether the loop continues. None: a
    /// `scf.for`, or an `scf.while` whose first region is not one block.
    pub fn condition(self) -> Option<Value<'a>> {
        match self {
            Self::If(view) => Some(view.condition()),
            Self::Switch(view) => Some(view.arg()),
            Self::While(view) => Some(view.end()?.condition()),
            Self::For(_) => None,
        }
    }

    /// Returns the initial values of the iteration arguments; a branch has none.
    pub fn inits(self) -> OperandRange<'a> {
        match self {
            Self::While(view) => view.inits(),
            Self::For(view) => view.init_args(),
            Self::If(_) | Self::Switch(_) => OperandRange::new(self.op(), 0..0),
        }
    }

    /// Returns the values that operand `operand` of the operation itself is forwarded to.
    pub fn entered_by(self, operand: usize) -> Destinations<'a> {
        let mut destinations = Destinations::new();
        if let Some(index) = self
            .inits()
            .positions()
            .position(|position| position == operand)
        {
            match self {
                Self::While(view) => argument(view.before(), index, &mut destinations),
                Self::For(view) => {
                    argument(
                        view.region(),
                        view.first_iter_arg() + index,
                        &mut destinations,
                    );
                    destinations.push(self.op().result(index));
                }
                Self::If(_) | Self::Switch(_) => {}
            }
        }
        destinations
    }

    /// Returns the values that operand `operand` of `end` is forwarded to. `end` is the terminator
    /// of one of the regions.
    pub fn left_by(self, end: Op<'a>, operand: usize) -> Destinations<'a> {
        let mut destinations = Destinations::new();
        match self {
            Self::If(_) | Self::Switch(_) => destinations.push(self.op().result(operand)),
            Self::For(view) => {
                argument(
                    view.region(),
                    view.first_iter_arg() + operand,
                    &mut destinations,
                );
                destinations.push(self.op().result(operand));
            }
            Self::While(view) if end.isa::<scf::Condition>() => {
                if let Some(index) = operand.checked_sub(1) {
                    argument(view.after(), index, &mut destinations);
                    destinations.push(self.op().result(index));
                }
            }
            Self::While(view) => argument(view.before(), operand, &mut destinations),
        }
        destinations
    }
}

fn argument<'a>(region: Region<'a>, index: usize, destinations: &mut Destinations<'a>) {
    destinations.extend(region.entry().map(|entry| entry.argument(index)));
}

impl<'a> scf::While<'a> {
    /// Returns the terminator of the region `before`, if that is one block.
    pub fn end(self) -> Option<scf::Condition<'a>> {
        scf::Condition::cast(self.before().terminator()?)
    }
}

impl<'a> scf::For<'a> {
    /// Returns the position of the first iteration argument among the arguments of the body; the
    /// induction variable comes before it.
    pub fn first_iter_arg(self) -> usize {
        1
    }

    /// Returns the induction variable.
    ///
    /// # Panics
    ///
    /// If the body has no block.
    pub fn induction_variable(self) -> Value<'a> {
        let entry = self
            .region()
            .entry()
            .expect("the body of a loop has a block");
        entry.argument(0)
    }
}
