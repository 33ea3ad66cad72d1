//! Exploration of both functions path by path, with all facts of a path.
//!
//! The simulation proves equalities on *all* paths to a node, and follows each edge once. It
//! rejects a correct form if two paths to a node require different equalities. The exploration
//! separates such paths:
//!
//! ```text
//!   original %c = s1     structured %f = s1      a state: the content of each value, a number or a symbol
//!   cond_br %c           scf.if %f
//!        s1 = 1: both take the first region      a branch on a symbol splits the state; in each part,
//!        s1 = 0: both take the second region     the symbol is replaced by a number
//! ```
//!
//! Each side runs to its next effect: an operation that is not inserted arithmetic. The two effects
//! must match with equal operands, and their results become the same new symbol. Symbols are then
//! renumbered in the order of the live values, so that a loop returns to a known state. This is a
//! depth-first search over finitely many states, as in explicit-state model checking, with the
//! states of symbolic execution (King, *Symbolic execution and program testing*, 1976). It makes no
//! guesses, so it needs no further proof.
//!
//! Cost: the number of states, which grows with the combinations of facts. So it is only used for
//! functions that the simulation rejects, and gives up after [`MAX_STEPS`]. It does not support
//! operations with regions in the original.

mod liveness;
mod state;
mod step;

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_ir::{Block, Op, Value};

use self::liveness::{Liveness, cfg_liveness, structured_liveness};
use self::state::{Active, Event, Explorer, Side, State, Step, Term};
use super::cfg::is_end;
use super::matching::are_equivalent;

/// The maximal number of executed operations: a few hundred milliseconds. Small functions take a
/// few thousand.
const MAX_STEPS: usize = 200_000;
/// The maximal number of values of one side: a state holds all of them.
const MAX_VALUES: usize = 1_000;
/// The maximal number of positions of one side between two effects.
const MAX_POSITIONS: usize = 2_000;

/// Returns the number of executed operations if both behave equally on every path; `None` if that
/// is not proved.
pub(super) fn explore<'a>(original: Op<'a>, structured: Op<'a>) -> Option<usize> {
    let explorer = Explorer::new(original, structured)?;
    explorer.run()
}

impl<'a> Explorer<'a> {
    fn new(original: Op<'a>, structured: Op<'a>) -> Option<Self> {
        let region = original.region(0);
        let blocks: Vec<Block<'a>> = region.blocks().collect();
        let has_regions = |op: Op<'a>| op.num_regions() > 0;
        if blocks.iter().flat_map(|block| block.ops()).any(has_regions) {
            return None;
        }
        let entry = region.entry()?;
        let body = structured.region(0).single_block()?;
        let mut indices = FxHashMap::default();
        let original_count = add_values(original, &mut indices);
        let count = add_values(structured, &mut indices);
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
            originals[indices[&one]] = Term::Symbol(symbols);
            structureds[indices[&other]] = Term::Symbol(symbols);
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
            visited: Vec::new(),
            active: Active::Original,
        };
        Some(Self {
            structured: body,
            original_liveness: cfg_liveness(&blocks, &indices, original_count),
            structured_liveness: Liveness::default(),
            indices,
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
                if steps > MAX_STEPS || state.visited.len() > MAX_POSITIONS {
                    return None;
                }
                match self.step(&mut state) {
                    Step::Continue => continue,
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
                        let expected = match state.active {
                            // The other side may continue in any way.
                            Active::Original if event == Event::Unreachable => break,
                            Active::Original => {
                                state.active = Active::Structured(event);
                                state.visited.clear();
                                continue;
                            }
                            Active::Structured(expected) => expected,
                        };
                        match (expected, event) {
                            (Event::Endless, Event::Endless) => break,
                            (Event::Effect(one), Event::Effect(other)) => {
                                if !self.match_ops(&mut state, one, other)? {
                                    break;
                                }
                                self.renumber(&mut state);
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

    /// Matches two operations. Returns `None` if they differ, and false if both end here.
    fn match_ops(&self, state: &mut State<'a>, one: Op<'a>, other: Op<'a>) -> Option<bool> {
        let ends = is_end(one) && one.num_successors() == 0;
        let alike = match ends {
            true => {
                let at_end = other.block() == Some(self.structured) && other.next().is_none();
                at_end && one.name() == other.name() && one.num_operands() == other.num_operands()
            }
            false => are_equivalent(one, other) && one.num_regions() == 0,
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
            state.original.terms[self.indices[&result]] = symbol;
            state.structured.terms[self.indices[&found]] = symbol;
        }
        state.original.point = one.next()?;
        state.structured.point = other.next()?;
        state.active = Active::Original;
        state.computed.clear();
        state.visited.clear();
        Some(true)
    }

    /// Forgets values that are not live, and reindices symbols in the order of the values that hold
    /// them.
    fn renumber(&mut self, state: &mut State<'a>) {
        let original = self.original_liveness.get(&state.original.point).cloned();
        let point = state.structured.point;
        let count = state.structured.terms.len();
        let indices = &self.indices;
        let structured = self
            .structured_liveness
            .entry(point)
            .or_insert_with(|| structured_liveness(point, indices, count))
            .clone();
        let mut new: FxHashMap<u32, u32> = FxHashMap::default();
        let mut renumber = |terms: &mut [Term], liveness: Option<&[bool]>| {
            for (number, term) in terms.iter_mut().enumerate() {
                if liveness.is_some_and(|liveness| !liveness[number]) {
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

/// Adds the indices of the values inside of a function; returns their number.
fn add_values<'a>(function: Op<'a>, indices: &mut FxHashMap<Value<'a>, usize>) -> usize {
    let mut count = 0;
    let blocks = |op: Op<'a>| op.regions().flat_map(|region| region.blocks());
    for block in function.walk().flat_map(blocks) {
        for value in block.arguments().chain(block.ops().flat_map(Op::results)) {
            indices.insert(value, count);
            count += 1;
        }
    }
    count
}
