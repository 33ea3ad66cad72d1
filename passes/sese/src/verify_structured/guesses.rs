//! Guesses of which value of the structured form equals a value of the original.
//!
//! A guess follows only the first path to each node backwards; `prover.rs` proves over all paths
//! what depends on it. The first path to a node starts at an earlier node, so the search ends. A
//! bound and a memory of earlier results keep it near-linear. A wrong guess is *refuted*, and the
//! simulation is repeated without it.

use tfx_ir::ops::Structured;
use tfx_ir::{Definition, Value};

use super::cfg::Facts;
use super::relation::{Place, Simulation};
use super::source::{Known, Source, unwidened};

/// The maximal number of nodes of a backward search.
const MAX_NODES: usize = 1000;

/// Branches around an edge whose conditions may equal the tested value.
const MAX_ENCLOSING: usize = 16;

/// The result of comparing two values along one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likelihood {
    /// They are results of operations that match, or arguments of the functions.
    Certain,
    Likely,
    Unlikely,
    Unknown,
}

impl<'a> Simulation<'a> {
    /// Compares a value of the structured form with one of the original, at the end of a node's
    /// operations.
    pub(super) fn likelihood(
        &self,
        (mut scope, mut node): Place,
        original: Source<'a>,
        structured: Source<'a>,
    ) -> Likelihood {
        if let (Source::Value(one), Source::Value(other)) = (original, structured) {
            let result = self.scopes[scope].nodes[node].results.get(&one);
            if result == Some(&other) || self.always_equal(one, other) {
                return Likelihood::Certain;
            }
        }
        let (mut original, mut structured) = (original, structured);
        for _ in 0..MAX_NODES {
            if let Source::Value(value) = original {
                original = Source::of(value);
            }
            if let Source::Value(value) = structured {
                structured = Source::of(value);
            }
            let here = &self.scopes[scope].nodes[node];
            let defined =
                matches!(structured, Source::Value(value) if here.defined.contains(&value));
            match (original, structured) {
                (Source::Undefined | Source::Unknown, _)
                | (_, Source::Undefined | Source::Unknown) => {
                    return Likelihood::Unknown;
                }
                (Source::Value(one), Source::Value(other)) => {
                    if self.refuted.contains(&here.guess(original, structured)) {
                        return Likelihood::Unlikely;
                    }
                    if self.always_equal(one, other) || self.was_guessed(one, other) {
                        return Likelihood::Likely;
                    }
                    match here.results.get(&one) {
                        Some(&found) if found == other => return Likelihood::Likely,
                        None if !defined && !self.match_others(one, other) => {}
                        _ => return Likelihood::Unlikely,
                    }
                }
                (Source::Value(one), Source::Integer(number)) => {
                    let known = here.facts.iter().find(|(value, _)| *value == one);
                    if let Some((_, Known::Is(known))) = known {
                        return likely_if(*known == number);
                    }
                    if here.results.contains_key(&one) {
                        return Likelihood::Unlikely;
                    }
                }
                (Source::Integer(number), Source::Value(other)) => {
                    if let Some(Known::Is(known)) = self.region_facts.known(here.end, other) {
                        return likely_if(*known == number);
                    }
                    if defined {
                        return Likelihood::Unlikely;
                    }
                }
                (one, other) => return likely_if(one == other),
            }
            if node == 0 {
                let argument = match original {
                    Source::Value(value) => self.scopes[scope].expected_argument(value),
                    _ => None,
                };
                if let Some(expected) = argument {
                    return likely_if(structured == Source::Value(expected));
                }
                match self.scopes[scope].parent {
                    Some(parent) => (scope, node) = parent,
                    None => return Likelihood::Unlikely,
                }
                continue;
            }
            let Some(edge) = here.incoming.first() else {
                return Likelihood::Unknown;
            };
            (original, structured) = (edge.original(original), edge.structured(structured));
            node = edge.from;
        }
        Likelihood::Unknown
    }

    /// Returns the constant that a value of the original is at the end of a node: a constant on the
    /// first path to there that is not refuted.
    pub(super) fn first_constant(&self, (scope, node): Place, original: Value<'a>) -> Option<u64> {
        let nodes = &self.scopes[scope].nodes;
        let (mut source, mut from) = (Source::of(original), node);
        for _ in 0..MAX_NODES {
            match source {
                Source::Value(value) if !nodes[from].results.contains_key(&value) => {}
                Source::Integer(number) => {
                    let guess = nodes[node].guess(Source::Value(original), source);
                    return (!self.refuted.contains(&guess)).then_some(number);
                }
                _ => return None,
            }
            let edge = nodes[from].incoming.first()?;
            (source, from) = (edge.original(source), edge.from);
        }
        None
    }

    /// Returns the number that a value of the structured form is at the start of an empty branch: a
    /// constant on the first path to there, or known at the start of that path, and not refuted.
    pub(super) fn held_constant(&self, (scope, node): Place, structured: Value<'a>) -> Option<u64> {
        let nodes = &self.scopes[scope].nodes;
        let (mut source, mut from) = (Source::Value(structured), node);
        let mut facts: &Facts<'a> = &Vec::new();
        for _ in 0..MAX_NODES {
            // The fact at the start of the path may be lost, because the path left the region.
            if let Source::Value(value) = source
                && let Some(number) = self.known_number((scope, from), value, facts)
            {
                source = Source::Integer(number);
            }
            match source {
                Source::Value(value) if !nodes[from].defined.contains(&value) => {}
                Source::Integer(number) => {
                    let guess = nodes[node].guess(source, Source::Value(structured));
                    return (!self.refuted.contains(&guess)).then_some(number);
                }
                _ => return None,
            }
            let edge = nodes[from].incoming.first()?;
            (source, from, facts) = (edge.structured(source), edge.from, &edge.facts);
        }
        None
    }

    /// Returns the number that a value of the structured form is at the end of a node on an edge,
    /// because of the enclosing regions, or because of a fact about an equal value of the original.
    pub(super) fn known_number(
        &self,
        (scope, node): Place,
        structured: Value<'a>,
        facts: &Facts<'a>,
    ) -> Option<u64> {
        let here = &self.scopes[scope].nodes[node];
        let is_same = |original: Value<'a>| {
            here.results.get(&original) == Some(&structured)
                || self.always_equal(original, structured)
        };
        let in_region = self.region_facts.known(here.end, structured);
        in_region.and_then(Known::number).or_else(|| {
            facts.iter().find_map(|(original, known)| {
                let number = known.number()?;
                is_same(*original).then_some(number)
            })
        })
    }

    /// Returns whether the two were assumed to be equal before.
    fn was_guessed(&self, original: Value<'a>, structured: Value<'a>) -> bool {
        let found = self.guessed.get(&original);
        found.is_some_and(|found| found.contains(&structured))
    }

    /// Returns whether both are results of matched operations, but not of each other.
    fn match_others(&self, original: Value<'a>, structured: Value<'a>) -> bool {
        match (original.definition(), structured.definition()) {
            (Definition::Result(one, _), Definition::Result(other, _)) => {
                self.matched.contains(&other)
                    && self
                        .matches
                        .get(&one)
                        .is_none_or(|matched| !matched.contains(&other))
            }
            _ => false,
        }
    }

    /// Returns whether both are the same result of two operations that only match each other, or
    /// the same argument of the functions.
    pub(super) fn always_equal(&self, original: Value<'a>, structured: Value<'a>) -> bool {
        match (original.definition(), structured.definition()) {
            (Definition::Result(one, index), Definition::Result(other, other_index)) => {
                let matched = self.matches.get(&one);
                index == other_index && matched.is_some_and(|matched| matched[..] == [other])
            }
            (Definition::Argument(..), Definition::Argument(..)) => {
                self.scopes[0].expected_argument(original) == Some(structured)
            }
            _ => false,
        }
    }

    /// Returns a value of the structured form that likely equals `tested` but contradicts `known`
    /// at the end of a node, because of the enclosing regions. If it equals `tested`, the edge on
    /// which `known` holds is never taken.
    pub(super) fn contradiction(
        &self,
        (scope, node): Place,
        tested: Value<'a>,
        known: &Known,
    ) -> Option<Value<'a>> {
        let here = &self.scopes[scope].nodes[node];
        let last_match = || match tested.definition() {
            Definition::Result(op, index) => Some(self.matches.get(&op)?.last()?.result(index)),
            Definition::Argument(..) => None,
        };
        let result = here.results.get(&tested).copied().or_else(last_match);
        let argument = self.scopes[0].expected_argument(tested);
        let guessed = self.guessed.get(&tested).into_iter().flatten().rev();
        let guessed = guessed.chain(&here.deciding).copied();
        let enclosing = here.end.ancestors().take(MAX_ENCLOSING);
        let branches = enclosing
            .filter_map(Structured::cast)
            .filter(|op| op.is_branch());
        let conditions = branches.filter_map(|branch| Some(unwidened(branch.condition()?)));
        let guessed = guessed.chain(conditions.filter(|_| tested.as_argument().is_some()));
        let mut candidates = result.into_iter().chain(argument).chain(guessed);
        candidates.find(|&value| {
            let fact = self.region_facts.known(here.end, value);
            let (one, other) = (Source::Value(tested), Source::Value(value));
            value.ty() == tested.ty()
                && fact.is_some_and(|fact| !fact.agrees(known))
                && matches!(
                    self.likelihood((scope, node), one, other),
                    Likelihood::Certain | Likelihood::Likely
                )
        })
    }
}

fn likely_if(yes: bool) -> Likelihood {
    match yes {
        true => Likelihood::Likely,
        false => Likelihood::Unlikely,
    }
}
