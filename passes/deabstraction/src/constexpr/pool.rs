//! Constants, and the reasons why values are not constant.
//!
//! ```text
//!   Ok(Scalar(3 : i64))      an integer, a float, a string: MLIR's own attribute, which is unique in its context
//!   Ok(List(7))              an array, a struct, a tuple, the payload of an enum: elements in the pool, each a constant or not
//!   Err(12)                  not a constant: reason 12 ──cause──► 9 ──cause──► 4: "depends on parameter 'n'"
//! ```
//!
//! A struct with a tensor in it can still have a constant size, so elements are evaluated
//! separately. Lists are interned, so constants are small, equal when their numbers are, and usable
//! as keys. Nothing is freed before the pass ends: steps pay for the contents of the pool.

use std::collections::HashMap;
use std::rc::Rc;

use melior::ir::{Attribute, Location};
use tfx_ir::Op;

/// The known content of a value.
pub(super) type Outcome<'a> = Result<Constant<'a>, ReasonId>;

/// A known value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Constant<'a> {
    /// An integer, a float or a string.
    Scalar(Attribute<'a>),
    /// The elements of an array or a tuple, or the fields of a struct.
    List(ListId),
    /// A case of an enum with its payload.
    Case(&'a str, ListId),
    /// A function with its captures.
    Closure(Op<'a>, ListId),
    /// A variable, or a part of one: the positions lead from the whole to the part.
    Variable(usize, ListId),
}

/// A list in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ListId(u32);

/// A reason in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ReasonId(u32);

/// The reason why a value is not a constant.
#[derive(Clone, Debug)]
pub(super) struct Reason<'a> {
    pub(super) location: Location<'a>,
    pub(super) what: What,
    pub(super) cause: Option<ReasonId>,
}

/// The position on the path from the attribute to the cause.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// On the path: the operation there.
    Via(String),
    /// The cause.
    Culprit {
        /// The continuation of the error after "is not a constant: ".
        because: String,
        /// The text of the note at the location.
        here: String,
    },
}

/// The pool; the module describes it.
#[derive(Default)]
pub(super) struct Pool<'a> {
    lists: Vec<Rc<[Outcome<'a>]>>,
    /// By list: whether it contains a variable, at any depth.
    variables: Vec<bool>,
    numbers: HashMap<Rc<[Outcome<'a>]>, ListId>,
    reasons: Vec<Reason<'a>>,
}

impl<'a> Pool<'a> {
    /// Returns the number of a list; equal lists have the same.
    pub(super) fn list(&mut self, elements: Vec<Outcome<'a>>) -> ListId {
        let elements: Rc<[Outcome<'a>]> = elements.into();
        let next = ListId(self.lists.len() as u32);
        let number = *self.numbers.entry(elements.clone()).or_insert(next);
        if number == next {
            let variables = elements.iter().any(|element| self.has_variable(*element));
            self.variables.push(variables);
            self.lists.push(elements);
        }
        number
    }

    /// Returns whether a constant contains a variable, so that an operation on it can have an
    /// effect.
    pub(super) fn has_variable(&self, outcome: Outcome<'a>) -> bool {
        match outcome {
            Ok(Constant::Variable(..)) => true,
            Ok(Constant::List(list) | Constant::Case(_, list) | Constant::Closure(_, list)) => {
                self.variables[list.0 as usize]
            }
            Ok(Constant::Scalar(_)) | Err(_) => false,
        }
    }

    pub(super) fn elements(&self, list: ListId) -> Rc<[Outcome<'a>]> {
        self.lists[list.0 as usize].clone()
    }

    /// Adds a cause.
    pub(super) fn culprit(
        &mut self,
        location: Location<'a>,
        because: impl Into<String>,
        here: impl Into<String>,
    ) -> ReasonId {
        let what = What::Culprit {
            because: because.into(),
            here: here.into(),
        };
        self.reason(location, what, None)
    }

    /// Adds a reason that propagates another one.
    pub(super) fn via(
        &mut self,
        location: Location<'a>,
        what: impl Into<String>,
        cause: ReasonId,
    ) -> ReasonId {
        self.reason(location, What::Via(what.into()), Some(cause))
    }

    fn reason(&mut self, location: Location<'a>, what: What, cause: Option<ReasonId>) -> ReasonId {
        self.reasons.push(Reason {
            location,
            what,
            cause,
        });
        ReasonId(self.reasons.len() as u32 - 1)
    }

    /// Returns a reason, its cause, and so on to the root cause.
    pub(super) fn chain(&self, reason: ReasonId) -> impl Iterator<Item = &Reason<'a>> {
        let get = |id: ReasonId| &self.reasons[id.0 as usize];
        std::iter::successors(Some(get(reason)), move |reason| reason.cause.map(get))
    }
}
