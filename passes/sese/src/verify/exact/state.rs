//! What is so at one point of a path through both functions.
//!
//! A value holds a number, or a symbol: something that is not known, and is the same wherever the symbol stands. To learn what a symbol is
//! replaces it everywhere.

use std::rc::Rc;
use tfx_ir::ops::arith;

use tfx_ir::Op;

use crate::verify::places::{EQUAL, NOT_EQUAL};
use crate::verify::source::Known;

/// What a value holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Term {
    /// Nothing that is read from here on.
    Dead,
    Integer(u64),
    /// The constant attribute at this address.
    Constant(usize),
    /// Nothing that may be read.
    Undefined,
    Symbol(u32),
}

/// One side.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Side<'a> {
    /// The next operation.
    pub(super) point: Op<'a>,
    /// Per number of a value of this side.
    pub(super) terms: Vec<Term>,
}

/// What is so at one point of a path.
#[derive(Clone)]
pub(super) struct State<'a> {
    pub(super) original: Side<'a>,
    pub(super) structured: Side<'a>,
    /// Numbers that symbols are not.
    pub(super) excluded: Vec<(u32, Rc<[u64]>)>,
    pub(super) symbols: u32,
    /// Computations since something happened last: an operation, what it read, and what it gave.
    pub(super) computed: Vec<(Op<'a>, Vec<Term>, Term)>,
    /// Where the side that runs has been since then.
    pub(super) passed: Vec<Side<'a>>,
    pub(super) turn: Turn<'a>,
}

/// Who runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn<'a> {
    Original,
    /// Up to what is like this.
    Structured(Event<'a>),
}

/// What a side comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// An operation that is no mere computation, or the end of the region.
    Happens(Op<'a>),
    /// It goes round for ever.
    Forever,
    /// It never comes back.
    Never,
}

/// What running one operation comes to.
pub(super) enum Step<'a> {
    On,
    Event(Event<'a>),
    /// It depends on this symbol.
    Split(u32, Vec<Known>),
    /// It is not understood.
    Unknown,
}

impl State<'_> {
    /// Adds what is known of a symbol, and what follows for comparisons; no, if that cannot be.
    pub(super) fn learn(&mut self, symbol: u32, known: &Known) -> bool {
        let mut work = vec![(symbol, known.clone())];
        while let Some((symbol, known)) = work.pop() {
            if !self.note(symbol, &known) {
                return false;
            }
            for (op, operands, term) in &self.computed {
                let found = match (op.isa::<arith::CmpI>(), &operands[..]) {
                    (true, &[one, other]) => compare(self, *op, one, other),
                    _ => None,
                };
                match (found, *term) {
                    (Some(Term::Integer(number)), Term::Symbol(given)) => {
                        work.push((given, Known::Is(number)));
                    }
                    (Some(found), given) if found != given => return false,
                    _ => {}
                }
            }
        }
        true
    }

    /// Adds what is known of a symbol alone; no, if that cannot be.
    pub(super) fn note(&mut self, symbol: u32, known: &Known) -> bool {
        let before = self.excluded.iter().position(|(one, _)| *one == symbol);
        match known {
            Known::Is(number) => {
                if let Some(index) = before
                    && self.excluded.remove(index).1.contains(number)
                {
                    return false;
                }
                let replace = |term: &mut Term| {
                    if *term == Term::Symbol(symbol) {
                        *term = Term::Integer(*number);
                    }
                };
                self.original.terms.iter_mut().for_each(replace);
                self.structured.terms.iter_mut().for_each(replace);
                for (_, operands, term) in &mut self.computed {
                    operands.iter_mut().for_each(replace);
                    replace(term);
                }
                for side in &mut self.passed {
                    side.terms.iter_mut().for_each(replace);
                }
            }
            Known::IsNone(numbers) => {
                let mut all: Vec<u64> = numbers.to_vec();
                if let Some(index) = before {
                    all.extend(self.excluded.remove(index).1.iter());
                }
                all.sort_unstable();
                all.dedup();
                self.excluded.push((symbol, all.into()));
            }
        }
        true
    }

    /// What is known of a term.
    pub(super) fn known(&self, term: Term) -> Option<Known> {
        match term {
            Term::Integer(number) => Some(Known::Is(number)),
            Term::Symbol(symbol) => {
                let found = self.excluded.iter().find(|(one, _)| *one == symbol);
                found.map(|(_, numbers)| Known::IsNone(numbers.clone()))
            }
            _ => None,
        }
    }
}

/// The way that a choice takes, of which just one fits each number; or what is to be done before that is known.
pub(super) fn choose<'a>(
    state: &State<'a>,
    tested: Term,
    ways: &[Known],
) -> Result<usize, Step<'a>> {
    let fits = |way: &Known| match (state.known(tested), way) {
        (Some(Known::Is(number)), way) => is_one_of(way, number),
        (Some(Known::IsNone(numbers)), Known::Is(number)) => !numbers.contains(number),
        _ => true,
    };
    let possible: Vec<usize> = (0..ways.len()).filter(|&way| fits(&ways[way])).collect();
    match (&possible[..], tested) {
        (&[only], _) | (&[only, ..], Term::Integer(_)) => Ok(only),
        (_, Term::Symbol(symbol)) => Err(Step::Split(symbol, ways.to_vec())),
        _ => Err(Step::Unknown),
    }
}

pub(super) fn is_one_of(way: &Known, number: u64) -> bool {
    match way {
        Known::Is(one) => *one == number,
        Known::IsNone(numbers) => !numbers.contains(&number),
    }
}

/// The outcome of a comparison, if it is known.
pub(super) fn compare(state: &State<'_>, op: Op<'_>, one: Term, other: Term) -> Option<Term> {
    let equal = match (one, other) {
        (Term::Integer(one), Term::Integer(other)) => one == other,
        (Term::Symbol(one), Term::Symbol(other)) if one == other => true,
        (Term::Symbol(_), Term::Integer(number)) | (Term::Integer(number), Term::Symbol(_)) => {
            let symbol = if matches!(one, Term::Symbol(_)) {
                one
            } else {
                other
            };
            match state.known(symbol)? {
                Known::IsNone(numbers) if numbers.contains(&number) => false,
                _ => return None,
            }
        }
        _ => return None,
    };
    match op.integer("predicate") {
        Some(EQUAL) => Some(Term::Integer(u64::from(equal))),
        Some(NOT_EQUAL) => Some(Term::Integer(u64::from(!equal))),
        _ => None,
    }
}
