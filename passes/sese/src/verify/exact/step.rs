//! Running one operation of one side.

use tfx_ir::ops::{arith, scf};
use tfx_ir::{Op, Value};

use super::Walker;
use super::state::{Event, Side, State, Step, Term, Turn, choose, compare};
use crate::verify::graph::is_end;
use crate::verify::meet::{are_like, is_computation};
use crate::verify::places::{is_flag, widens};
use crate::verify::source::{Known, Source, branch, case_regions, constant, is_constant};

impl<'a> Walker<'a> {
    pub(super) fn term(&self, side: &Side<'a>, value: Value<'a>) -> Term {
        match constant(value) {
            Some(Source::Integer(number)) => Term::Integer(number),
            Some(Source::Constant(address)) => Term::Constant(address),
            Some(_) => Term::Undefined,
            None => side.terms[self.numbers[&value]],
        }
    }

    /// Runs the next operation of the side whose turn it is.
    pub(super) fn step(&self, state: &mut State<'a>) -> Step<'a> {
        let is_original = state.turn == Turn::Original;
        let side = match is_original {
            true => &state.original,
            false => &state.structured,
        };
        let op = side.point;
        let read = |index: usize| self.term(side, op.operand(index));
        if is_constant(op) {
            return self.go_on(state, op);
        }
        if is_computation(op) {
            return self.compute(state, op);
        }
        if is_original {
            return match op.num_successors() {
                0 if op.next().is_none() && !is_end(op) => Step::Event(Event::Never),
                0 => Step::Event(Event::Happens(op)),
                1 => self.enter(state, op, 0),
                _ => match branch(op) {
                    Some((tested, ways)) => {
                        let tested = self.term(side, tested);
                        match choose(state, tested, &ways) {
                            Ok(way) => self.enter(state, op, way),
                            Err(step) => step,
                        }
                    }
                    None => Step::Unknown,
                },
            };
        }
        let flags = [Known::Is(1), Known::Is(0)];
        match op.name() {
            scf::If::NAME => match choose(state, read(0), &flags) {
                Ok(region) => self.enter_region(state, op, region, Vec::new()),
                Err(step) => step,
            },
            scf::IndexSwitch::NAME => {
                let cases = case_regions(op);
                let mut numbers: Vec<u64> = cases.keys().copied().collect();
                numbers.sort_unstable();
                let mut ways = vec![Known::IsNone(numbers.clone().into())];
                ways.extend(numbers.iter().map(|&number| Known::Is(number)));
                match choose(state, read(0), &ways) {
                    Ok(0) => self.enter_region(state, op, 0, Vec::new()),
                    Ok(way) => self.enter_region(state, op, cases[&numbers[way - 1]], Vec::new()),
                    Err(step) => step,
                }
            }
            scf::While::NAME => {
                let values = op.operands().map(|value| self.term(side, value)).collect();
                self.enter_region(state, op, 0, values)
            }
            scf::Condition::NAME | scf::Yield::NAME if op.block() != Some(self.structured) => {
                let Some(around) = op.parent() else {
                    return Step::Unknown;
                };
                let is_condition = op.isa::<scf::Condition>();
                let values = op.operands().skip(usize::from(is_condition));
                let values = values.map(|value| self.term(side, value)).collect();
                if is_condition {
                    return match choose(state, read(0), &flags) {
                        Ok(0) => self.enter_region(state, around, 1, values),
                        Ok(_) => self.leave_region(state, around, values),
                        Err(step) => step,
                    };
                }
                match around.isa::<scf::While>() {
                    true => self.enter_region(state, around, 0, values),
                    false => self.leave_region(state, around, values),
                }
            }
            _ => Step::Event(Event::Happens(op)),
        }
    }

    fn side_mut<'s>(state: &'s mut State<'a>) -> &'s mut Side<'a> {
        match state.turn {
            Turn::Original => &mut state.original,
            Turn::Structured(_) => &mut state.structured,
        }
    }

    fn go_on(&self, state: &mut State<'a>, op: Op<'a>) -> Step<'a> {
        match op.next() {
            Some(next) => {
                Self::side_mut(state).point = next;
                Step::On
            }
            None => Step::Unknown,
        }
    }

    /// Goes to an operation where control may have been before.
    fn arrive(&self, state: &mut State<'a>, point: Option<Op<'a>>) -> Step<'a> {
        let Some(point) = point else {
            return Step::Unknown;
        };
        let side = Self::side_mut(state);
        side.point = point;
        let side = side.clone();
        if state.passed.contains(&side) {
            return Step::Event(Event::Forever);
        }
        state.passed.push(side);
        Step::On
    }

    fn enter(&self, state: &mut State<'a>, op: Op<'a>, way: usize) -> Step<'a> {
        let block = op.successor(way);
        let Some(handed) = op.successor_operands(way) else {
            return Step::Unknown;
        };
        let values = handed.values();
        let terms: Vec<Term> = values
            .into_iter()
            .map(|value| self.term(&state.original, value))
            .collect();
        self.hold(state, block.arguments(), terms);
        self.arrive(state, block.first())
    }

    fn enter_region(
        &self,
        state: &mut State<'a>,
        op: Op<'a>,
        region: usize,
        terms: Vec<Term>,
    ) -> Step<'a> {
        match op.region(region).entry() {
            Some(block) => {
                self.hold(state, block.arguments(), terms);
                self.arrive(state, block.first())
            }
            // An else that is not there.
            None => self.arrive(state, op.next()),
        }
    }

    fn leave_region(&self, state: &mut State<'a>, around: Op<'a>, terms: Vec<Term>) -> Step<'a> {
        self.hold(state, around.results(), terms);
        self.arrive(state, around.next())
    }

    fn hold(
        &self,
        state: &mut State<'a>,
        values: impl Iterator<Item = Value<'a>>,
        terms: Vec<Term>,
    ) {
        let side = Self::side_mut(state);
        for (value, term) in values.zip(terms) {
            side.terms[self.numbers[&value]] = term;
        }
    }

    /// Runs a computation. A flag is always known afterwards: what it depends on is split.
    fn compute(&self, state: &mut State<'a>, op: Op<'a>) -> Step<'a> {
        let side = Self::side_mut(state).clone();
        let read: Vec<Term> = op.operands().map(|value| self.term(&side, value)).collect();
        let result = op.result(0);
        let splits = |term: &Term| match *term {
            Term::Symbol(symbol) => Some(symbol),
            _ => None,
        };
        let flags = || vec![Known::Is(1), Known::Is(0)];
        let term = match (op.name(), &read[..]) {
            _ if widens(op) => Some(read[0]),
            (arith::Select::NAME, &[flag, one, other]) => {
                match choose(state, flag, &[Known::Is(1), Known::Is(0)]) {
                    Ok(0) => Some(one),
                    Ok(_) => Some(other),
                    Err(step) => return step,
                }
            }
            (arith::CmpI::NAME, &[one, other]) => compare(state, op, one, other),
            (name, &[Term::Integer(one), Term::Integer(other)]) => match name {
                arith::XOrI::NAME => Some(Term::Integer(one ^ other)),
                arith::AndI::NAME => Some(Term::Integer(one & other)),
                arith::OrI::NAME => Some(Term::Integer(one | other)),
                _ => None,
            },
            (_, operands) if is_flag(result) && operands.len() == 2 => {
                match operands.iter().find_map(splits) {
                    Some(symbol) => return Step::Split(symbol, flags()),
                    None => return Step::Unknown,
                }
            }
            _ => None,
        };
        let term = term.unwrap_or_else(|| {
            let mut before = state.computed.iter();
            let found = before.find(|(one, operands, _)| are_like(*one, op) && *operands == read);
            if let Some(&(_, _, term)) = found {
                return term;
            }
            let term = Term::Symbol(state.symbols);
            state.symbols += 1;
            state.computed.push((op, read, term));
            term
        });
        self.hold(state, std::iter::once(result), vec![term]);
        self.go_on(state, op)
    }
}
