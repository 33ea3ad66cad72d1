//! States of the exploration.
//!
//! A value holds a number or a symbol, which stands for the same unknown number everywhere. A fact
//! about a symbol replaces it everywhere.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use tfx_ir::ops::arith;
use tfx_ir::{Block, Op, Value};

use super::liveness::Liveness;

use crate::verify_structured::source::{Known, Source, comparison, constant};

/// The content of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Term {
    /// Not read from here on.
    Dead,
    Integer(u64),
    /// The constant attribute at this address.
    Constant(usize),
    /// A value that may not be read.
    Undefined,
    Symbol(u32),
}

/// One of the two functions.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Side<'a> {
    /// The next operation.
    pub(super) point: Op<'a>,
    /// The content of each value, by its index.
    pub(super) terms: Vec<Term>,
}

/// A state of both functions.
#[derive(Clone)]
pub(super) struct State<'a> {
    pub(super) original: Side<'a>,
    pub(super) structured: Side<'a>,
    /// Numbers that symbols are not.
    pub(super) excluded: Vec<(u32, Rc<[u64]>)>,
    pub(super) symbols: u32,
    /// The computations since the last effect: operation, operands and result.
    pub(super) computed: Vec<(Op<'a>, Vec<Term>, Term)>,
    /// The positions of the active side since then.
    pub(super) visited: Vec<Side<'a>>,
    pub(super) active: Active<'a>,
}

/// The side that runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Active<'a> {
    Original,
    /// Up to an event that matches this one.
    Structured(Event<'a>),
}

/// The reason why a side stops.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// An operation that is not inserted arithmetic, or the end of the region.
    Effect(Op<'a>),
    /// An endless loop.
    Endless,
    /// An operation after which control does not continue.
    Unreachable,
}

/// The two functions, and the indices of their values in states.
pub(super) struct Explorer<'a> {
    pub(super) structured: Block<'a>,
    pub(super) indices: FxHashMap<Value<'a>, usize>,
    /// For each side and operation, whether a value may still be read.
    pub(super) original_liveness: Liveness<'a>,
    pub(super) structured_liveness: Liveness<'a>,
    pub(super) entry: State<'a>,
}

impl<'a> Explorer<'a> {
    /// Returns the content of a value.
    pub(super) fn term(&self, side: &Side<'a>, value: Value<'a>) -> Term {
        match constant(value) {
            Some(Source::Integer(number)) => Term::Integer(number),
            Some(Source::Constant(address)) => Term::Constant(address),
            Some(_) => Term::Undefined,
            None => side.terms[self.indices[&value]],
        }
    }
}

/// The outcome of executing one operation.
pub(super) enum Step<'a> {
    Continue,
    Event(Event<'a>),
    /// It depends on this symbol; the state is split.
    Split(u32, Vec<Known>),
    /// Not supported.
    Unknown,
}

impl State<'_> {
    /// Adds a fact about a symbol, and the results of comparisons that follow. Returns false if
    /// there is a contradiction.
    pub(super) fn learn(&mut self, symbol: u32, known: &Known) -> bool {
        let mut work = vec![(symbol, known.clone())];
        while let Some((symbol, known)) = work.pop() {
            if !self.restrict(symbol, &known) {
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

    /// Adds a fact about a symbol alone. Returns false if there is a contradiction.
    pub(super) fn restrict(&mut self, symbol: u32, known: &Known) -> bool {
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
                for side in &mut self.visited {
                    side.terms.iter_mut().for_each(replace);
                }
            }
            Known::IsNone(numbers) => {
                let known = match before {
                    Some(index) => known.and(&Known::IsNone(self.excluded.remove(index).1)),
                    None => Known::IsNone(numbers.clone()),
                };
                if let Known::IsNone(all) = known {
                    self.excluded.push((symbol, all));
                }
            }
        }
        true
    }

    /// Returns the fact about a term.
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

/// Returns the only alternative that fits a tested term, or the step that is needed before.
pub(super) fn choose<'a>(
    state: &State<'a>,
    tested: Term,
    alternatives: &[Known],
) -> Result<usize, Step<'a>> {
    let known = state.known(tested);
    let fits = |index: &usize| {
        let known = known.as_ref();
        known.is_none_or(|known| known.agrees(&alternatives[*index]))
    };
    let possible: Vec<usize> = (0..alternatives.len()).filter(fits).collect();
    match (&possible[..], tested) {
        (&[only], _) | (&[only, ..], Term::Integer(_)) => Ok(only),
        (_, Term::Symbol(symbol)) => Err(Step::Split(symbol, alternatives.to_vec())),
        _ => Err(Step::Unknown),
    }
}

/// Returns the result of a comparison, if it is known.
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
    comparison(op, equal).map(Term::Integer)
}
