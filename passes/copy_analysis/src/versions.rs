//! The states of foreign functions in the order in which calls read and write them.
//!
//! ```text
//!   call @next()        state 0 ──> call ──> state 1
//!   loop {              state 1 ──> state 2 <─────────┐     a trip finds what the trip before left
//!     call @next()      state 2 ──> call ──> state 3 ─┘
//!   }
//!   call @next()        state 3 ──> call ──> state 4
//! ```
//!
//! Each version depends on the one before it, for a call need not change all of a state: so what comes later never flows into what came earlier,
//! unless a loop goes back there. Versions go through the arms of a branch one after the other, as if both ran.
//!
//! A loop gets a version for its start where a state is first used in it. Cost: uses of states, and for each loop the states that are used in it.

use rustc_hash::FxHashMap;
use tfx_ir::{Op, Region};

use crate::program::is_loop;

/// A state as it is at some point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Version<'a> {
    pub(crate) state: &'a str,
    number: u32,
}

/// What is known of a state at one point.
#[derive(Clone, Copy)]
struct Current<'a> {
    version: Version<'a>,
    /// How many of the loops around have a version for their start, counted from the outside: if one has, so have those around it.
    starts: usize,
}

/// What is known at one point of a walk over a function.
#[derive(Default)]
pub(crate) struct Versions<'a> {
    /// By state.
    current: FxHashMap<&'a str, Current<'a>>,
    made: u32,
    /// The loops around, from the outside in, each with the versions at its start.
    loops: Vec<(Op<'a>, Vec<Version<'a>>)>,
    region: Option<Region<'a>>,
}

/// A version that depends on another.
pub(crate) type Edge<'a> = (Version<'a>, Version<'a>);

impl<'a> Versions<'a> {
    /// Goes on to `op`, the next operation of the walk. The dependences from the ends of the loops that were left to their starts.
    pub(crate) fn at(&mut self, op: Op<'a>) -> Vec<Edge<'a>> {
        let region = op.parent_region();
        let mut edges = Vec::new();
        if self.region != region {
            self.region = region;
            while let Some((around, _)) = self.loops.last()
                && !op.ancestors().any(|ancestor| ancestor == *around)
            {
                let (_, starts) = self.loops.pop().unwrap_or((op, Vec::new()));
                for start in starts {
                    if let Some(current) = self.current.get_mut(start.state) {
                        edges.push((current.version, start));
                        current.starts = self.loops.len();
                    }
                }
            }
        }
        if is_loop(op) {
            self.loops.push((op, Vec::new()));
        }
        edges
    }

    /// Whether `state` has been used.
    pub(crate) fn knows(&self, state: &str) -> bool {
        self.current.contains_key(state)
    }

    /// A use of `state` by the operation that the walk is at: the versions before and after it, and the dependences that there are new.
    pub(crate) fn access(&mut self, state: &'a str) -> (Version<'a>, Version<'a>, Vec<Edge<'a>>) {
        let mut edges = Vec::new();
        let known = self.current.get(state).copied();
        let mut before = known.map_or_else(|| self.make(state), |known| known.version);
        for index in known.map_or(0, |known| known.starts)..self.loops.len() {
            let start = self.make(state);
            edges.push((before, start));
            self.loops[index].1.push(start);
            before = start;
        }
        let after = self.make(state);
        edges.push((before, after));
        let current = Current {
            version: after,
            starts: self.loops.len(),
        };
        self.current.insert(state, current);
        (before, after, edges)
    }

    fn make(&mut self, state: &'a str) -> Version<'a> {
        let version = Version {
            state,
            number: self.made,
        };
        self.made += 1;
        version
    }
}
