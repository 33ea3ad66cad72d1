//! Loops and branches: all paths, by states that repeat.
//!
//! ```text
//! before ──► state 0 ──► state 1 ──► state 2 ──► state 3 = state 1
//!               │           │           │
//!               ▼           ▼           ▼
//!             exit        exit        exit        (at least 0 iterations)
//! ```
//!
//! A loop is simulated, and each iteration checked, until an iteration starts in a state that has
//! occurred before, in the canonical form of [`crate::state`]. All further iterations behave as
//! earlier ones, so nothing is unrolled and nothing is approximated. A ring of R buffers and
//! events that are used L iterations later repeat after about R + L iterations. If the number of
//! iterations is known and larger, the state after them follows from the period.
//!
//! The states at which a loop may end, and those of the arms of a branch, stay apart, so that the
//! commands that follow are checked for each. Equal states are joined. Beyond
//! [`crate::Options::states`], states are united, which may reject a schedule that is correct.
//!
//! Cost: for each iteration the body and the size of the state.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::diagnostic::Limit;
use crate::engine::Engine;
use crate::model::{Branch, CommandId, Loop, Names, Trips};
use crate::state::{Bindings, Key, State};

/// The number of states, over all ends of loops and branches, after which states are united
/// whenever two paths join. Comparing states takes time that is linear in their sizes, so this
/// bounds the cost of schedules with thousands of branches.
const MAX_COMPARED_STATES: u64 = 4_000;

/// The maximal number of states that cannot be united.
const MAX_SEPARATE_STATES: usize = 256;

/// The number of states at the ends of a loop above which they are reduced before the loop is
/// complete, to bound the memory.
const MAX_ENDS: usize = 2048;

/// The maximal number of simulated iterations: rings of 7, 11 and 13 buffers in one loop repeat
/// after 1001 iterations.
const MAX_ITERATIONS: usize = 2048;

impl<'s> Engine<'_, 's> {
    /// Simulates a loop.
    pub(crate) fn run_loop(
        &mut self,
        inner: &'s Loop,
        id: CommandId,
        mut states: Vec<State<'s>>,
    ) -> Vec<State<'s>> {
        let Some(outer) = states.first().map(|state| state.names.clone()) else {
            return states;
        };
        for state in &mut states {
            self.rebind(state, &outer, &inner.initial, &inner.arguments, id);
        }
        let mut states = match inner.trips {
            Trips::Exactly(trips) => self.iterate(inner, id, &outer, states, trips),
            Trips::AtLeast(trips) => {
                let states = self.iterate(inner, id, &outer, states, trips);
                self.explore(inner, id, &outer, states)
            }
        };
        for state in &mut states {
            self.rebind(state, &outer, &inner.arguments, &inner.results, id);
        }
        states
    }

    /// Simulates a branch.
    pub(crate) fn run_branch(
        &mut self,
        branch: &'s Branch,
        id: CommandId,
        states: Vec<State<'s>>,
    ) -> Vec<State<'s>> {
        let Some(outer) = states.first().map(|state| state.names.clone()) else {
            return states;
        };
        let mut ends = Vec::new();
        for arm in &branch.arms {
            for mut state in self.run(arm, states.clone()) {
                self.rebind(&mut state, &outer, &arm.yields, &branch.results, id);
                ends.push(state);
            }
        }
        ends
    }

    /// Simulates a known number of iterations.
    fn iterate(
        &mut self,
        inner: &'s Loop,
        id: CommandId,
        outer: &Bindings,
        mut states: Vec<State<'s>>,
        trips: u64,
    ) -> Vec<State<'s>> {
        let mut seen: BTreeMap<Vec<Key>, u64> = BTreeMap::new();
        let mut done = 0;
        let mut end = trips;
        let mut has_period = false;
        while done < end && !states.is_empty() {
            if !has_period {
                if seen.len() >= MAX_ITERATIONS {
                    self.limit(id, Limit::Iterations);
                    return Vec::new();
                }
                let keys = self.keys(&mut states);
                if let Some(before) = seen.insert(keys, done) {
                    let period = done - before;
                    end = done + (trips - done) % period;
                    has_period = true;
                    continue;
                }
            }
            states = self.iteration(inner, id, outer, states);
            states = self.reduce(states, id);
            done += 1;
        }
        states
    }

    /// Simulates any number of iterations. Returns all states at the start of an iteration.
    fn explore(
        &mut self,
        inner: &'s Loop,
        id: CommandId,
        outer: &Bindings,
        states: Vec<State<'s>>,
    ) -> Vec<State<'s>> {
        let mut seen = FxHashSet::default();
        let mut ends = Vec::new();
        let mut frontier = states;
        let mut iterations = 0;
        let mut maximum = MAX_ENDS;
        loop {
            let mut new = Vec::new();
            for mut state in frontier {
                if seen.insert(self.key(&mut state)) {
                    new.push(state);
                }
            }
            if new.is_empty() {
                return ends;
            }
            if iterations >= MAX_ITERATIONS {
                self.limit(id, Limit::Iterations);
                return Vec::new();
            }
            iterations += 1;
            ends.extend(new.iter().cloned());
            if ends.len() > maximum {
                ends = self.reduce(ends, id);
                maximum = MAX_ENDS.max(2 * ends.len());
            }
            frontier = self.iteration(inner, id, outer, new);
            frontier = self.reduce(frontier, id);
        }
    }

    fn iteration(
        &mut self,
        inner: &'s Loop,
        id: CommandId,
        outer: &Bindings,
        states: Vec<State<'s>>,
    ) -> Vec<State<'s>> {
        if !self.has_budget(id) {
            return Vec::new();
        }
        let mut states = self.run(&inner.body, states);
        for state in &mut states {
            self.rebind(state, outer, &inner.body.yields, &inner.arguments, id);
        }
        states.retain(|state| !state.is_stuck);
        states
    }

    /// Leaves a body: binds names to what names of the body mean, and forgets all others that are
    /// not visible outside.
    fn rebind(
        &mut self,
        state: &mut State<'s>,
        outer: &Bindings,
        from: &Names,
        to: &Names,
        id: CommandId,
    ) {
        let meanings = self.meanings(state, from);
        state.names.retain(outer);
        self.bind(state, to, meanings, id);
    }

    // --------------------------------------------------------------------------------- states

    fn key(&mut self, state: &mut State<'s>) -> Key {
        let key = state.key(self.is_entry(), self.parameters);
        self.shared.key_words += key.len() as u64;
        key
    }

    fn keys(&mut self, states: &mut [State<'s>]) -> Vec<Key> {
        let mut keys: Vec<Key> = states.iter_mut().map(|state| self.key(state)).collect();
        keys.sort_unstable();
        keys
    }

    /// Removes states that are equal to others, and unites states if there are too many.
    pub(crate) fn reduce(&mut self, mut states: Vec<State<'s>>, id: CommandId) -> Vec<State<'s>> {
        states.retain(|state| !state.is_stuck);
        if states.len() < 2 {
            return states;
        }
        self.shared.compared += states.len() as u64;
        let maximum = match self.shared.compared > MAX_COMPARED_STATES {
            true => 1,
            false => self.shared.options.states.max(1),
        };
        if maximum > 1 {
            let mut seen = FxHashSet::default();
            states.retain_mut(|state| seen.insert(self.key(state)));
        }
        self.unite(&mut states, maximum);
        let statistics = &mut self.shared.statistics;
        statistics.states = statistics.states.max(states.len());
        if states.len() > MAX_SEPARATE_STATES {
            self.limit(id, Limit::Paths);
            return Vec::new();
        }
        states
    }

    /// Unites the last states with earlier ones, until there are as few as the maximum.
    fn unite(&mut self, states: &mut Vec<State<'s>>, maximum: usize) {
        let mut index = states.len();
        while states.len() > maximum && index > 1 {
            index -= 1;
            let mut last = states.remove(index);
            let now = self.now;
            let instances = &mut self.instances;
            let mut fresh = |value| {
                instances.push(value);
                instances.len() as u32 - 1
            };
            let is_united = states[..index]
                .iter_mut()
                .any(|state| state.unite(&mut last, now, &mut fresh));
            if !is_united {
                states.insert(index, last);
            }
        }
    }
}
