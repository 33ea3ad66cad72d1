//! Execution of one operation of one side.

use tfx_ir::ops::scf::ScfOp;
use tfx_ir::ops::{arith, scf};
use tfx_ir::{Op, Value};

use super::state::{Active, Event, Explorer, Side, State, Step, Term, choose, compare};
use crate::verify_structured::cfg::is_end;
use crate::verify_structured::matching::{are_equivalent, is_inserted_arith};
use crate::verify_structured::source::{Known, branch, case_regions, is_constant, is_flag, widens};

impl<'a> Explorer<'a> {
    /// Executes the next operation of the active side.
    pub(super) fn step(&self, state: &mut State<'a>) -> Step<'a> {
        let is_original = state.active == Active::Original;
        let side = match is_original {
            true => &state.original,
            false => &state.structured,
        };
        let op = side.point;
        if is_constant(op) {
            return self.advance(state, op);
        }
        if is_inserted_arith(op) {
            return self.compute(state, op);
        }
        if is_original {
            return match op.num_successors() {
                0 if op.next().is_none() && !is_end(op) => Step::Event(Event::Unreachable),
                0 => Step::Event(Event::Effect(op)),
                1 => self.enter(state, op, 0),
                _ => match branch(op) {
                    Some((tested, alternatives)) => {
                        let tested = self.term(side, tested);
                        match choose(state, tested, &alternatives) {
                            Ok(choice) => self.enter(state, op, choice),
                            Err(step) => step,
                        }
                    }
                    None => Step::Unknown,
                },
            };
        }
        let flags = [Known::Is(1), Known::Is(0)];
        match ScfOp::cast(op) {
            Some(ScfOp::If(branch)) => {
                match choose(state, self.term(side, branch.condition()), &flags) {
                    Ok(region) => self.enter_region(state, op, region, Vec::new()),
                    Err(step) => step,
                }
            }
            Some(ScfOp::IndexSwitch(switch)) => {
                let cases = case_regions(switch);
                let mut numbers: Vec<u64> = cases.keys().copied().collect();
                numbers.sort_unstable();
                let mut alternatives = vec![Known::IsNone(numbers.clone().into())];
                alternatives.extend(numbers.iter().map(|&number| Known::Is(number)));
                let region = |choice: usize| match choice.checked_sub(1) {
                    Some(case) => cases[&numbers[case]],
                    None => 0,
                };
                match choose(state, self.term(side, switch.arg()), &alternatives) {
                    Ok(choice) => self.enter_region(state, op, region(choice), Vec::new()),
                    Err(step) => step,
                }
            }
            Some(ScfOp::While(view)) => {
                let values = self.terms(side, view.inits().to_vec());
                self.enter_region(state, op, 0, values)
            }
            Some(ScfOp::Condition(end)) => {
                let Some(parent) = op.parent() else {
                    return Step::Unknown;
                };
                let values = self.terms(side, end.args().to_vec());
                match choose(state, self.term(side, end.condition()), &flags) {
                    Ok(0) => self.enter_region(state, parent, 1, values),
                    Ok(_) => self.leave_region(state, parent, values),
                    Err(step) => step,
                }
            }
            Some(ScfOp::Yield(end)) => {
                let Some(parent) = op.parent() else {
                    return Step::Unknown;
                };
                let values = self.terms(side, end.results().to_vec());
                match parent.isa::<scf::While>() {
                    true => self.enter_region(state, parent, 0, values),
                    false => self.leave_region(state, parent, values),
                }
            }
            _ => Step::Event(Event::Effect(op)),
        }
    }

    fn terms(&self, side: &Side<'a>, values: Vec<Value<'a>>) -> Vec<Term> {
        let terms = values.into_iter().map(|value| self.term(side, value));
        terms.collect()
    }

    fn side_mut<'s>(state: &'s mut State<'a>) -> &'s mut Side<'a> {
        match state.active {
            Active::Original => &mut state.original,
            Active::Structured(_) => &mut state.structured,
        }
    }

    fn advance(&self, state: &mut State<'a>, op: Op<'a>) -> Step<'a> {
        match op.next() {
            Some(next) => {
                Self::side_mut(state).point = next;
                Step::Continue
            }
            None => Step::Unknown,
        }
    }

    /// Continues at an operation that may have been visited before.
    fn arrive(&self, state: &mut State<'a>, point: Option<Op<'a>>) -> Step<'a> {
        let Some(point) = point else {
            return Step::Unknown;
        };
        let side = Self::side_mut(state);
        side.point = point;
        let side = side.clone();
        if state.visited.contains(&side) {
            return Step::Event(Event::Endless);
        }
        state.visited.push(side);
        Step::Continue
    }

    fn enter(&self, state: &mut State<'a>, op: Op<'a>, index: usize) -> Step<'a> {
        let block = op.successor(index);
        let Some(forwarded) = op.successor_operands(index) else {
            return Step::Unknown;
        };
        let terms = self.terms(&state.original, forwarded.values());
        self.assign(state, block.arguments(), terms);
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
                self.assign(state, block.arguments(), terms);
                self.arrive(state, block.first())
            }
            // A missing else region.
            None => self.arrive(state, op.next()),
        }
    }

    fn leave_region(&self, state: &mut State<'a>, parent: Op<'a>, terms: Vec<Term>) -> Step<'a> {
        self.assign(state, parent.results(), terms);
        self.arrive(state, parent.next())
    }

    fn assign(
        &self,
        state: &mut State<'a>,
        values: impl Iterator<Item = Value<'a>>,
        terms: Vec<Term>,
    ) {
        let side = Self::side_mut(state);
        for (value, term) in values.zip(terms) {
            side.terms[self.indices[&value]] = term;
        }
    }

    /// Executes inserted arithmetic. The result is known afterwards if it is an `i1`: the state is
    /// split.
    fn compute(&self, state: &mut State<'a>, op: Op<'a>) -> Step<'a> {
        let side = Self::side_mut(state).clone();
        let read = self.terms(&side, op.operands().collect());
        let result = op.result(0);
        let splits = |term: &Term| match *term {
            Term::Symbol(symbol) => Some(symbol),
            _ => None,
        };
        let flags = [Known::Is(1), Known::Is(0)];
        let term = match (op.name(), &read[..]) {
            _ if widens(op) => Some(read[0]),
            (arith::Select::NAME, &[flag, one, other]) => match choose(state, flag, &flags) {
                Ok(0) => Some(one),
                Ok(_) => Some(other),
                Err(step) => return step,
            },
            (arith::CmpI::NAME, &[one, other]) => compare(state, op, one, other),
            (name, &[Term::Integer(one), Term::Integer(other)]) => match name {
                arith::XOrI::NAME => Some(Term::Integer(one ^ other)),
                arith::AndI::NAME => Some(Term::Integer(one & other)),
                arith::OrI::NAME => Some(Term::Integer(one | other)),
                _ => None,
            },
            (_, operands) if is_flag(result) && operands.len() == 2 => {
                match operands.iter().find_map(splits) {
                    Some(symbol) => return Step::Split(symbol, flags.to_vec()),
                    None => return Step::Unknown,
                }
            }
            _ => None,
        };
        let term = term.unwrap_or_else(|| {
            let mut before = state.computed.iter();
            let found =
                before.find(|(one, operands, _)| are_equivalent(*one, op) && *operands == read);
            if let Some(&(_, _, term)) = found {
                return term;
            }
            let term = Term::Symbol(state.symbols);
            state.symbols += 1;
            state.computed.push((op, read, term));
            term
        });
        self.assign(state, std::iter::once(result), vec![term]);
        self.advance(state, op)
    }
}
