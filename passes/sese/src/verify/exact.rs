//! Both functions path by path, with all that a path tells.
//!
//! The walk of `walk.rs` asks at each node what is the same over *all* ways to it, and follows each edge once. Where a function branches
//! several times on one value, or on values that are equal by chance, two ways to a node may need different answers; then that walk refuses a
//! right form. This one is asked for a second opinion. It keeps ways apart that know different things:
//!
//! ```text
//!   original %c = s1     structured %f = s1      a state: what each value holds, as numbers and symbols, on both sides
//!   cond_br %c           scf.if %f
//!        s1 = 1: both take the first way         a branch on a symbol makes one state per outcome, in which
//!        s1 = 0: both take the second way        the symbol is that number wherever it stands
//! ```
//!
//! Each side runs to its next operation that is no mere computation; these must be alike and read the same, and what they make is the same new symbol.
//! Symbols are then numbered anew in the order of the values that are still read, so a loop comes back to a state that is known: a depth-first
//! search over finitely many states (as in explicit-state model checking; the states are those of symbolic execution, King 1976). No guess is made, so
//! nothing is to be proved afterwards.
//!
//! Cost: the number of states, which grows with the combinations of what is known: so this is only for functions that the first walk
//! refuses, and gives up after [`MAX_STEPS`]. It does not look into operations with regions of their own.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::{Block, Op, Value};

use super::graph::is_end;
use super::meet::{are_like, is_computation};
use super::places::{EQUAL, NOT_EQUAL, is_flag, widens};
use super::source::{Known, Source, branch, case_regions, constant, is_constant};

/// Operations that are run before it is given up: some hundred milliseconds. Small functions take some thousand.
const MAX_STEPS: usize = 200_000;
/// Values of one side above which it is not tried: a state holds all of them.
const MAX_VALUES: usize = 1_000;
/// Operations between two that happen after which a side counts as not understood, unless it came back to a state before.
const MAX_SILENT: usize = 2_000;

/// What a value holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Term {
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
struct Side<'a> {
    /// The next operation.
    point: Op<'a>,
    /// Per number of a value of this side.
    terms: Vec<Term>,
}

/// What is so at one point of a path.
#[derive(Clone)]
struct State<'a> {
    original: Side<'a>,
    structured: Side<'a>,
    /// Numbers that symbols are not.
    excluded: Vec<(u32, Rc<[u64]>)>,
    symbols: u32,
    /// Computations since something happened last: an operation, what it read, and what it gave.
    computed: Vec<(Op<'a>, Vec<Term>, Term)>,
    /// Where the side that runs has been since then.
    passed: Vec<Side<'a>>,
    turn: Turn<'a>,
}

/// Who runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn<'a> {
    Original,
    /// Up to what is like this.
    Structured(Event<'a>),
}

/// What a side comes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event<'a> {
    /// An operation that is no mere computation, or the end of the region.
    Happens(Op<'a>),
    /// It goes round for ever.
    Forever,
    /// It never comes back.
    Never,
}

/// What running one operation comes to.
enum Step<'a> {
    On,
    Event(Event<'a>),
    /// It depends on this symbol.
    Split(u32, Vec<Known>),
    /// It is not understood.
    Unknown,
}

/// Whether both do the same on every path; no, where that is not seen. Gives the number of operations that were run.
pub(super) fn agrees<'a>(original: Op<'a>, structured: Op<'a>) -> Option<usize> {
    let walker = Walker::new(original, structured)?;
    walker.run()
}

struct Walker<'a> {
    structured: Block<'a>,
    numbers: FxHashMap<Value<'a>, usize>,
    /// Per side, per number: whether it is read at or after an operation.
    original_lives: Lives<'a>,
    structured_lives: Lives<'a>,
    entry: State<'a>,
}

/// Per operation of one side before which a state may stand: the values that may still be read.
type Lives<'a> = FxHashMap<Op<'a>, Rc<[bool]>>;

impl<'a> Walker<'a> {
    fn new(original: Op<'a>, structured: Op<'a>) -> Option<Self> {
        let region = original.region(0);
        let blocks: Vec<Block<'a>> = region.blocks().collect();
        let has_regions = |op: Op<'a>| op.num_regions() > 0;
        if blocks.iter().flat_map(|block| block.ops()).any(has_regions) {
            return None;
        }
        let entry = region.entry()?;
        let body = structured.region(0).single_block()?;
        let mut numbers = FxHashMap::default();
        let mut count = 0;
        for &block in &blocks {
            let values = block.arguments().chain(block.ops().flat_map(Op::results));
            for value in values {
                numbers.insert(value, count);
                count += 1;
            }
        }
        let original_count = count;
        count = 0;
        let mut inside = vec![body];
        while let Some(block) = inside.pop() {
            for value in block.arguments().chain(block.ops().flat_map(Op::results)) {
                numbers.insert(value, count);
                count += 1;
            }
            let regions = block.ops().flat_map(Op::regions);
            inside.extend(regions.flat_map(|region| region.blocks()));
        }
        if original_count.max(count) > MAX_VALUES {
            return None;
        }
        let mut originals = vec![Term::Dead; original_count];
        let mut structureds = vec![Term::Dead; count];
        let mut symbols = 0;
        if entry.num_arguments() != body.num_arguments() {
            return None;
        }
        for (one, other) in entry.arguments().zip(body.arguments()) {
            if one.ty() != other.ty() {
                return None;
            }
            originals[numbers[&one]] = Term::Symbol(symbols);
            structureds[numbers[&other]] = Term::Symbol(symbols);
            symbols += 1;
        }
        let state = State {
            original: Side {
                point: entry.first()?,
                terms: originals,
            },
            structured: Side {
                point: body.first()?,
                terms: structureds,
            },
            excluded: Vec::new(),
            symbols,
            computed: Vec::new(),
            passed: Vec::new(),
            turn: Turn::Original,
        };
        Some(Self {
            structured: body,
            original_lives: graph_lives(&blocks, &numbers, original_count),
            structured_lives: Lives::default(),
            numbers,
            entry: state,
        })
    }

    fn run(mut self) -> Option<usize> {
        let mut seen = FxHashSet::default();
        let mut work = vec![self.entry.clone()];
        let mut steps = 0;
        while let Some(mut state) = work.pop() {
            loop {
                steps += 1;
                if steps > MAX_STEPS || state.passed.len() > MAX_SILENT {
                    return None;
                }
                match self.step(&mut state) {
                    Step::On => continue,
                    Step::Unknown => return None,
                    Step::Split(symbol, outcomes) => {
                        for known in outcomes.into_iter().rev() {
                            let mut one = state.clone();
                            if one.learn(symbol, &known) {
                                work.push(one);
                            }
                        }
                        break;
                    }
                    Step::Event(event) => {
                        let expected = match state.turn {
                            // What follows on the other side is read by nobody.
                            Turn::Original if event == Event::Never => break,
                            Turn::Original => {
                                state.turn = Turn::Structured(event);
                                state.passed.clear();
                                continue;
                            }
                            Turn::Structured(expected) => expected,
                        };
                        match (expected, event) {
                            (Event::Forever, Event::Forever) => break,
                            (Event::Happens(one), Event::Happens(other)) => {
                                if !self.meet(&mut state, one, other)? {
                                    break;
                                }
                                self.number(&mut state);
                                let key = (
                                    state.original.clone(),
                                    state.structured.clone(),
                                    state.excluded.clone(),
                                );
                                if !seen.insert(key) {
                                    break;
                                }
                            }
                            _ => return None,
                        }
                    }
                }
            }
        }
        Some(steps)
    }

    /// Lets two operations meet; none if they differ, and no if both end here.
    fn meet(&self, state: &mut State<'a>, one: Op<'a>, other: Op<'a>) -> Option<bool> {
        let ends = is_end(one) && one.num_successors() == 0;
        let alike = match ends {
            true => {
                let at_end = other.block() == Some(self.structured) && other.next().is_none();
                at_end && one.name() == other.name() && one.num_operands() == other.num_operands()
            }
            false => are_like(one, other) && one.num_regions() == 0,
        };
        let same = |(value, found): (Value<'a>, Value<'a>)| {
            let term = self.term(&state.original, value);
            let is_read = term != Term::Dead && term == self.term(&state.structured, found);
            term == Term::Undefined || is_read
        };
        if !alike || !one.operands().zip(other.operands()).all(same) {
            return None;
        }
        if ends {
            return Some(false);
        }
        for (result, found) in one.results().zip(other.results()) {
            let symbol = Term::Symbol(state.symbols);
            state.symbols += 1;
            state.original.terms[self.numbers[&result]] = symbol;
            state.structured.terms[self.numbers[&found]] = symbol;
        }
        state.original.point = one.next()?;
        state.structured.point = other.next()?;
        state.turn = Turn::Original;
        state.computed.clear();
        state.passed.clear();
        Some(true)
    }

    /// Forgets what is not read any more, and numbers symbols in the order of the values that hold them.
    fn number(&mut self, state: &mut State<'a>) {
        let original = self.original_lives.get(&state.original.point).cloned();
        let point = state.structured.point;
        let count = state.structured.terms.len();
        let numbers = &self.numbers;
        let structured = self
            .structured_lives
            .entry(point)
            .or_insert_with(|| structured_lives(point, numbers, count))
            .clone();
        let mut new: FxHashMap<u32, u32> = FxHashMap::default();
        let mut renumber = |terms: &mut [Term], lives: Option<&[bool]>| {
            for (number, term) in terms.iter_mut().enumerate() {
                if lives.is_some_and(|lives| !lives[number]) {
                    *term = Term::Dead;
                }
                if let Term::Symbol(symbol) = term {
                    let next = new.len() as u32;
                    *symbol = *new.entry(*symbol).or_insert(next);
                }
            }
        };
        renumber(&mut state.original.terms, original.as_deref());
        renumber(&mut state.structured.terms, Some(&structured));
        state.excluded.retain_mut(|(symbol, _)| {
            let found = new.get(symbol);
            found.inspect(|&&found| *symbol = found).is_some()
        });
        state.excluded.sort();
        state.symbols = new.len() as u32;
    }

    fn term(&self, side: &Side<'a>, value: Value<'a>) -> Term {
        match constant(value) {
            Some(Source::Integer(number)) => Term::Integer(number),
            Some(Source::Constant(address)) => Term::Constant(address),
            Some(_) => Term::Undefined,
            None => side.terms[self.numbers[&value]],
        }
    }

    /// Runs the next operation of the side whose turn it is.
    fn step(&self, state: &mut State<'a>) -> Step<'a> {
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
            "scf.if" => match choose(state, read(0), &flags) {
                Ok(region) => self.enter_region(state, op, region, Vec::new()),
                Err(step) => step,
            },
            "scf.index_switch" => {
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
            "scf.while" => {
                let values = op.operands().map(|value| self.term(side, value)).collect();
                self.enter_region(state, op, 0, values)
            }
            "scf.condition" | "scf.yield" if op.block() != Some(self.structured) => {
                let Some(around) = op.parent() else {
                    return Step::Unknown;
                };
                let is_condition = op.is("scf.condition");
                let values = op.operands().skip(usize::from(is_condition));
                let values = values.map(|value| self.term(side, value)).collect();
                if is_condition {
                    return match choose(state, read(0), &flags) {
                        Ok(0) => self.enter_region(state, around, 1, values),
                        Ok(_) => self.leave_region(state, around, values),
                        Err(step) => step,
                    };
                }
                match around.is("scf.while") {
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
            ("arith.select", &[flag, one, other]) => {
                match choose(state, flag, &[Known::Is(1), Known::Is(0)]) {
                    Ok(0) => Some(one),
                    Ok(_) => Some(other),
                    Err(step) => return step,
                }
            }
            ("arith.cmpi", &[one, other]) => compare(state, op, one, other),
            (name, &[Term::Integer(one), Term::Integer(other)]) => match name {
                "arith.xori" => Some(Term::Integer(one ^ other)),
                "arith.andi" => Some(Term::Integer(one & other)),
                "arith.ori" => Some(Term::Integer(one | other)),
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

impl State<'_> {
    /// Adds what is known of a symbol, and what follows for comparisons; no, if that cannot be.
    fn learn(&mut self, symbol: u32, known: &Known) -> bool {
        let mut work = vec![(symbol, known.clone())];
        while let Some((symbol, known)) = work.pop() {
            if !self.note(symbol, &known) {
                return false;
            }
            for (op, operands, term) in &self.computed {
                let found = match (op.is("arith.cmpi"), &operands[..]) {
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
    fn note(&mut self, symbol: u32, known: &Known) -> bool {
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
    fn known(&self, term: Term) -> Option<Known> {
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
fn choose<'a>(state: &State<'a>, tested: Term, ways: &[Known]) -> Result<usize, Step<'a>> {
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

fn is_one_of(way: &Known, number: u64) -> bool {
    match way {
        Known::Is(one) => *one == number,
        Known::IsNone(numbers) => !numbers.contains(&number),
    }
}

/// The outcome of a comparison, if it is known.
fn compare(state: &State<'_>, op: Op<'_>, one: Term, other: Term) -> Option<Term> {
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

/// Per operation of a graph of blocks: what may still be read there.
fn graph_lives<'a>(
    blocks: &[Block<'a>],
    numbers: &FxHashMap<Value<'a>, usize>,
    count: usize,
) -> Lives<'a> {
    let mut at_start: FxHashMap<Block<'a>, Vec<bool>> = FxHashMap::default();
    let live_at = |block: Block<'a>,
                   at_start: &FxHashMap<Block<'a>, Vec<bool>>,
                   lives: &mut Option<&mut Lives<'a>>| {
        let mut live = vec![false; count];
        for successor in block.successors() {
            if let Some(found) = at_start.get(&successor) {
                live.iter_mut()
                    .zip(found)
                    .for_each(|(one, other)| *one |= other);
            }
        }
        for op in block.ops_backwards() {
            op.operands().for_each(|value| live[numbers[&value]] = true);
            if let Some(lives) = lives {
                lives.insert(op, live.clone().into());
            }
        }
        live
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &block in blocks.iter().rev() {
            let live = live_at(block, &at_start, &mut None);
            if at_start.get(&block) != Some(&live) {
                at_start.insert(block, live);
                changed = true;
            }
        }
    }
    let mut lives = Lives::default();
    for &block in blocks {
        live_at(block, &at_start, &mut Some(&mut lives));
    }
    lives
}

/// What may still be read from `point` on in the structured form: what is read by an operation at or after it or one around it.
fn structured_lives<'a>(
    point: Op<'a>,
    numbers: &FxHashMap<Value<'a>, usize>,
    count: usize,
) -> Rc<[bool]> {
    let mut live = vec![false; count];
    let mut here = Some(point);
    while let Some(op) = here.filter(|op| !op.is("func.func")) {
        let rest = std::iter::successors(Some(op), |op| op.next());
        for reader in rest.flat_map(Op::walk) {
            reader.operands().for_each(|value| {
                if let Some(&number) = numbers.get(&value) {
                    live[number] = true;
                }
            });
        }
        here = op.parent();
    }
    live.into()
}
