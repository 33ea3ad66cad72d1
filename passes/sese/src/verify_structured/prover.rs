//! Proofs that the operands of matched operations are equal.
//!
//! The claim that `%a` of the original equals `%b` of the structured form at a node is proved
//! backwards:
//!
//! ```text
//!   at the end of the node:    results of operations that match there: proved; else at its start
//!   at the start:              on each incoming edge, the sources of %a and %b must be equal at the start of the edge:
//!                              the same constant, or the same argument of the functions
//! ```
//!
//! Each claim is proved once; an open claim that recurs is a loop that changes neither value. The
//! results of operations that only match each other are equal everywhere.

use rustc_hash::FxHashSet;

use super::cfg::Facts;
use super::difference::{Difference, differ};
use super::relation::{Claim, Guessed, Simulation};
use super::source::{Known, Source};

/// The reason why two values differ.
type Reason = &'static str;

pub(super) struct Prover<'a, 'w> {
    simulation: &'w Simulation<'a>,
    /// Claims at the end of nodes.
    work: Vec<Claim<'a>>,
    /// Claims at the start of nodes that were visited already.
    visited: FxHashSet<Claim<'a>>,
    /// Those of them that belong to the current proof.
    open: Vec<Claim<'a>>,
}

impl<'a, 'w> Prover<'a, 'w> {
    pub(super) fn new(simulation: &'w Simulation<'a>) -> Self {
        Self {
            simulation,
            work: Vec::new(),
            visited: FxHashSet::default(),
            open: Vec::new(),
        }
    }

    /// Proves that all operands of matched operations are equal.
    pub(super) fn prove_reads(mut self) -> Result<(), Difference<'a>> {
        for read in &self.simulation.reads {
            self.prove(read.claim)
                .map_err(|reason| differ(read.ops.1, read.ops.0, reason))?;
        }
        Ok(())
    }

    /// Returns the first guess that is wrong.
    pub(super) fn wrong_guess(mut self) -> Option<&'w Guessed<'a>> {
        let simulation = self.simulation;
        simulation
            .guesses
            .iter()
            .find(|guess| !self.proves(guess.claim))
    }

    /// Returns whether two values are equal. A failed proof leaves no claim that others could rely
    /// on.
    fn proves(&mut self, claim: Claim<'a>) -> bool {
        let outcome = self.prove(claim);
        if outcome.is_err() {
            for claim in self.open.drain(..) {
                self.visited.remove(&claim);
            }
            self.work.clear();
        }
        outcome.is_ok()
    }

    fn prove(&mut self, claim: Claim<'a>) -> Result<(), Reason> {
        self.open.clear();
        self.work.push(claim);
        while let Some(claim) = self.work.pop() {
            self.at_end(claim)?;
        }
        Ok(())
    }

    /// At the end of a node's operations.
    fn at_end(&mut self, mut claim: Claim<'a>) -> Result<(), Reason> {
        for source in [&mut claim.original, &mut claim.structured] {
            if let Source::Value(value) = *source {
                *source = Source::of(value);
            }
        }
        let node = &self.simulation.scopes[claim.scope].nodes[claim.node];
        match (claim.original, claim.structured) {
            // A value that the program may not read can be any value.
            (Source::Undefined, _) => return Ok(()),
            (Source::Value(original), Source::Value(value)) => {
                if self.simulation.always_equal(original, value) {
                    return Ok(());
                }
                if let Some(&found) = node.results.get(&original) {
                    return check(found == value, "it reads another value");
                }
                if node.defined.contains(&value) {
                    return check(false, "it reads another value");
                }
            }
            (_, Source::Undefined | Source::Unknown) if claim.original != claim.structured => {
                return check(false, "it reads a value that is not available");
            }
            (Source::Value(original), _) if node.results.contains_key(&original) => {
                return check(false, "it reads a constant in place of a value");
            }
            (_, Source::Value(value)) if node.defined.contains(&value) => {
                return check(false, "it reads a value in place of a constant");
            }
            (Source::Value(_), _) | (_, Source::Value(_)) => {}
            (one, other) => return check(one == other, "it reads another constant"),
        }
        self.at_start(claim)
    }

    /// Before a node's operations.
    fn at_start(&mut self, claim: Claim<'a>) -> Result<(), Reason> {
        if !self.visited.insert(claim) {
            return Ok(());
        }
        self.open.push(claim);
        if claim.node == 0 {
            return self.at_entry(claim);
        }
        let edges = &self.simulation.scopes[claim.scope].nodes[claim.node].incoming;
        for edge in edges {
            let before = Claim {
                node: edge.from,
                original: edge.original(claim.original),
                structured: edge.structured(claim.structured),
                ..claim
            };
            if !self.is_known(before, &edge.facts) {
                self.work.push(before);
            }
        }
        Ok(())
    }

    /// Returns whether both are the same number at the start of an edge, because of the facts on it
    /// and of the enclosing regions.
    fn is_known(&self, claim: Claim<'a>, facts: &Facts<'a>) -> bool {
        let number = match claim.original {
            Source::Integer(number) => Some(number),
            Source::Value(original) => match facts.iter().find(|(value, _)| *value == original) {
                Some(&(_, Known::Is(number))) => Some(number),
                _ => None,
            },
            _ => None,
        };
        let found = match claim.structured {
            Source::Integer(number) => Some(number),
            Source::Value(value) => {
                let Claim { scope, node, .. } = claim;
                self.simulation.known_number((scope, node), value, facts)
            }
            _ => None,
        };
        number.is_some() && number == found
    }

    /// At the start of a region: its arguments, and values of enclosing regions.
    fn at_entry(&mut self, claim: Claim<'a>) -> Result<(), Reason> {
        let scope = &self.simulation.scopes[claim.scope];
        if let Source::Value(original) = claim.original
            && let Some(expected) = scope.expected_argument(original)
        {
            let found = claim.structured == Source::Value(expected);
            return check(found, "it reads another value");
        }
        let Some((scope, node)) = scope.parent else {
            return check(false, "it reads a value that is not available");
        };
        let parent = Claim {
            scope,
            node,
            ..claim
        };
        self.work.push(parent);
        Ok(())
    }
}

fn check(holds: bool, reason: Reason) -> Result<(), Reason> {
    match holds {
        true => Ok(()),
        false => Err(reason),
    }
}
