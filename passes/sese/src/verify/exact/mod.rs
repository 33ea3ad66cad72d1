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

mod lives;
mod state;
mod step;

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::{Block, Op, Value};

use self::lives::{Lives, graph_lives, structured_lives};
use self::state::{Event, Side, State, Step, Term, Turn};
use super::graph::is_end;
use super::meet::are_like;

/// Operations that are run before it is given up: some hundred milliseconds. Small functions take some thousand.
const MAX_STEPS: usize = 200_000;
/// Values of one side above which it is not tried: a state holds all of them.
const MAX_VALUES: usize = 1_000;
/// Operations between two that happen after which a side counts as not understood, unless it came back to a state before.
const MAX_SILENT: usize = 2_000;

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
}
