//! Versions of the states of foreign functions, in the order in which calls access them.
//!
//! ```text
//!   call @next()        state 0 ──> call ──> state 1
//!   loop {              state 1 ──> state 2 <─────────┐     an iteration sees what the
//!     call @next()      state 2 ──> call ──> state 3 ─┘     previous iteration wrote
//!   }
//!   call @next()        state 3 ──> call ──> state 4
//! ```
//!
//! Each version depends on the version before it, since a call may leave a part of the state
//! unchanged. Values flow to earlier versions only through the back edge of a loop. Versions run
//! through the regions of a branch one after the other, as if all were executed.
//!
//! A loop has a version for its start if it accesses the state. Cost: the accesses, and for each
//! loop the number of states that are accessed in it.

use rustc_hash::FxHashMap;
use tfx_ir::{Op, Region};

use crate::program::is_loop;

/// A state at a program point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Version<'a> {
    pub(crate) state: &'a str,
    number: u32,
}

/// The current version of a state.
#[derive(Clone, Copy)]
struct Current<'a> {
    version: Version<'a>,
    /// The number of enclosing loops with a version for their start. These are the outermost ones.
    starts: usize,
}

/// The versions at one point of a walk over a function.
#[derive(Default)]
pub(crate) struct Versions<'a> {
    /// By state.
    current: FxHashMap<&'a str, Current<'a>>,
    count: u32,
    /// The enclosing loops, the outermost first, each with the versions at its start.
    loops: Vec<(Op<'a>, Vec<Version<'a>>)>,
    region: Option<Region<'a>>,
}

/// A dependence: the second version depends on the first.
pub(crate) type Edge<'a> = (Version<'a>, Version<'a>);

impl<'a> Versions<'a> {
    /// Advances to `op`, the next operation of the walk. Returns the back edges of the loops that
    /// the walk has left.
    pub(crate) fn advance(&mut self, op: Op<'a>) -> Vec<Edge<'a>> {
        let region = op.parent_region();
        let mut edges = Vec::new();
        if self.region != region {
            self.region = region;
            let inside = |around: Op<'a>| op.ancestors().any(|ancestor| ancestor == around);
            while let Some((_, starts)) = self.loops.pop_if(|(around, _)| !inside(*around)) {
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

    /// Returns whether `state` has been accessed.
    pub(crate) fn contains(&self, state: &str) -> bool {
        self.current.contains_key(state)
    }

    /// Records an access of `state` by the current operation. Returns the versions before and after
    /// it, and the new dependences.
    pub(crate) fn access(&mut self, state: &'a str) -> (Version<'a>, Version<'a>, Vec<Edge<'a>>) {
        let mut edges = Vec::new();
        let known = self.current.get(state).copied();
        let mut before = known.map_or_else(|| self.create(state), |known| known.version);
        for index in known.map_or(0, |known| known.starts)..self.loops.len() {
            let start = self.create(state);
            edges.push((before, start));
            self.loops[index].1.push(start);
            before = start;
        }
        let after = self.create(state);
        edges.push((before, after));
        let current = Current {
            version: after,
            starts: self.loops.len(),
        };
        self.current.insert(state, current);
        (before, after, edges)
    }

    fn create(&mut self, state: &'a str) -> Version<'a> {
        let number = self.count;
        self.count += 1;
        Version { state, number }
    }
}
