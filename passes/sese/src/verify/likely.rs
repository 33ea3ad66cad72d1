//! Which value of the structured form is likely to be which of the original.
//!
//! A guess, made by looking back over one way to each node, the first that was found; `values.rs` proves what depends on it over all.
//! The first way to a node comes from a node that was there before, so looking back ends; a bound keeps it near-linear,
//! and what was found once is not looked for again. A guess that turns out to be wrong is *refuted*, and the walk is done again without it.

use tfx_ir::ops::scf;
use tfx_ir::{Definition, Value};

use super::graph::Facts;
use super::places::widens;
use super::source::{Known, Source};
use super::walk::{JobId, NodeId, Walker};

/// Nodes that are looked back over.
const MAX_NODES: usize = 1000;

/// Choices around an edge whose conditions may be what the edge's branch tests, under another name.
const MAX_AROUND: usize = 16;

/// Values that are kept as likely for one of the original, the latest.
const MAX_LIKELY: usize = 8;

/// Whether two values are the same, as far as one way tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likely {
    /// They are made by operations that met, or are arguments of the functions.
    Sure,
    Yes,
    No,
    Unknown,
}

impl<'a> Walker<'a> {
    /// Whether a value of the structured form is likely to be that one of the original, at the end of a node's operations.
    pub(super) fn is_likely(
        &self,
        job: JobId,
        node: NodeId,
        original: Source<'a>,
        structured: Source<'a>,
    ) -> Likely {
        if let (Source::Value(one), Source::Value(other)) = (original, structured) {
            let result = self.jobs[job].nodes[node].results.get(&one);
            if result == Some(&other) || self.always_meet(one, other) {
                return Likely::Sure;
            }
        }
        let (mut job, mut node) = (job, node);
        let (mut original, mut structured) = (original, structured);
        for _ in 0..MAX_NODES {
            if let Source::Value(value) = original {
                original = Source::of(value);
            }
            if let Source::Value(value) = structured {
                structured = Source::of(value);
            }
            let here = &self.jobs[job].nodes[node];
            let made = matches!(structured, Source::Value(value) if here.made.contains(&value));
            match (original, structured) {
                (Source::Undefined | Source::Unknown, _)
                | (_, Source::Undefined | Source::Unknown) => {
                    return Likely::Unknown;
                }
                (Source::Value(one), Source::Value(other)) => {
                    if self.refuted.contains(&here.guess(original, structured)) {
                        return Likely::No;
                    }
                    if self.always_meet(one, other) || self.was_likely(one, other) {
                        return Likely::Yes;
                    }
                    match here.results.get(&one) {
                        Some(&found) if found == other => return Likely::Yes,
                        None if !made && !self.meet_elsewhere(one, other) => {}
                        _ => return Likely::No,
                    }
                }
                (Source::Value(one), Source::Integer(number)) => {
                    let known = here.facts.iter().find(|(value, _)| *value == one);
                    if let Some((_, Known::Is(known))) = known {
                        return yes_if(*known == number);
                    }
                    if here.results.contains_key(&one) {
                        return Likely::No;
                    }
                }
                (Source::Integer(number), Source::Value(other)) => {
                    if let Some(Known::Is(known)) = self.places.known(here.end, other) {
                        return yes_if(*known == number);
                    }
                    if made {
                        return Likely::No;
                    }
                }
                (one, other) => return yes_if(one == other),
            }
            if node == 0 {
                let argument = match original {
                    Source::Value(value) => self.jobs[job].expected_argument(value),
                    _ => None,
                };
                if let Some(expected) = argument {
                    return yes_if(structured == Source::Value(expected));
                }
                match self.jobs[job].parent {
                    Some(parent) => (job, node) = parent,
                    None => return Likely::No,
                }
                continue;
            }
            let Some(edge) = here.incoming.first() else {
                return Likely::Unknown;
            };
            (original, structured) = (edge.original(original), edge.structured(structured));
            node = edge.from;
        }
        Likely::Unknown
    }

    /// The constant that a value of the original is at the end of a node, if it is one on the first way to there and that was not
    /// refuted.
    pub(super) fn first_constant(
        &self,
        job: JobId,
        node: NodeId,
        original: Value<'a>,
    ) -> Option<u64> {
        let nodes = &self.jobs[job].nodes;
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

    /// The number that a value of the structured form is at the start of an empty branch, if it is a constant on the first way to there,
    /// or is known where that way starts, and that was not refuted.
    pub(super) fn held_constant(
        &self,
        job: JobId,
        node: NodeId,
        structured: Value<'a>,
    ) -> Option<u64> {
        let nodes = &self.jobs[job].nodes;
        let (mut source, mut from) = (Source::Value(structured), node);
        let mut facts: &Facts<'a> = &Vec::new();
        for _ in 0..MAX_NODES {
            // What was known there need not be known any more: the way may have left the region.
            if let Source::Value(value) = source
                && let Some(number) = self.known_number(job, from, value, facts)
            {
                source = Source::Integer(number);
            }
            match source {
                Source::Value(value) if !nodes[from].made.contains(&value) => {}
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

    /// The number that a value of the structured form is at the end of a node on an edge, because of where that stands, or of what the
    /// original knows on the edge of a value that is the same.
    pub(super) fn known_number(
        &self,
        job: JobId,
        node: NodeId,
        structured: Value<'a>,
        facts: &Facts<'a>,
    ) -> Option<u64> {
        let here = &self.jobs[job].nodes[node];
        let is_same = |original: Value<'a>| {
            here.results.get(&original) == Some(&structured)
                || self.always_meet(original, structured)
        };
        let placed = self.places.known(here.end, structured);
        placed.and_then(Known::number).or_else(|| {
            facts.iter().find_map(|(original, known)| {
                let number = known.number()?;
                is_same(*original).then_some(number)
            })
        })
    }

    /// Whether these two were taken for the same before.
    fn was_likely(&self, original: Value<'a>, structured: Value<'a>) -> bool {
        let found = self.likely.get(&original);
        found.is_some_and(|found| found.contains(&structured))
    }

    /// Notes that these two were taken for the same.
    pub(super) fn take_for(&mut self, original: Value<'a>, structured: Value<'a>) {
        let found = self.likely.entry(original).or_default();
        if !found.contains(&structured) {
            if found.len() == MAX_LIKELY {
                found.remove(0);
            }
            found.push(structured);
        }
    }

    /// Whether both are results of operations that met, but not each other.
    fn meet_elsewhere(&self, original: Value<'a>, structured: Value<'a>) -> bool {
        match (original.definition(), structured.definition()) {
            (Definition::Result(one, _), Definition::Result(other, _)) => {
                self.met.contains(&other)
                    && self.pairs.get(&one).is_none_or(|met| !met.contains(&other))
            }
            _ => false,
        }
    }

    /// Whether both are the same result of two operations that meet nothing but each other, or the same argument of the functions.
    pub(super) fn always_meet(&self, original: Value<'a>, structured: Value<'a>) -> bool {
        match (original.definition(), structured.definition()) {
            (Definition::Result(one, index), Definition::Result(other, other_index)) => {
                let met = self.pairs.get(&one);
                index == other_index && met.is_some_and(|met| met[..] == [other])
            }
            (Definition::Argument(..), Definition::Argument(..)) => {
                self.jobs[0].expected_argument(original) == Some(structured)
            }
            _ => false,
        }
    }

    /// A value of the structured form that is likely `tested` and that cannot be `known` at the end of a node, because of where that
    /// stands: if it is `tested`, the edge on which that is known is never taken.
    pub(super) fn contradiction(
        &self,
        job: JobId,
        node: NodeId,
        tested: Value<'a>,
        known: &Known,
    ) -> Option<Value<'a>> {
        let here = &self.jobs[job].nodes[node];
        let result = || {
            let (op, index) = match tested.definition() {
                Definition::Result(op, index) => (op, index),
                Definition::Argument(..) => return None,
            };
            let met = self.pairs.get(&op)?.last()?;
            Some(met.result(index))
        };
        let made = here.results.get(&tested).copied().or_else(result);
        let argument = self.jobs[0].expected_argument(tested);
        let likely = self.likely.get(&tested).into_iter().flatten().rev();
        let guessed = likely.chain(&here.decided).copied();
        let choices = here.end.ancestors().take(MAX_AROUND);
        let around = choices.filter_map(|op| match op.name() {
            scf::If::NAME => Some(op.operand(0)),
            scf::IndexSwitch::NAME => {
                let widened = op.operand(0).defining_op().filter(|&op| widens(op));
                Some(widened.map_or(op.operand(0), |op| op.operand(0)))
            }
            _ => None,
        });
        let guessed = guessed.chain(around.filter(|_| tested.as_argument().is_some()));
        let mut candidates = made.into_iter().chain(argument).chain(guessed);
        candidates.find(|&value| {
            let told = self.places.known(here.end, value);
            let (one, other) = (Source::Value(tested), Source::Value(value));
            value.ty() == tested.ty()
                && told.is_some_and(|told| !told.agrees(known))
                && matches!(
                    self.is_likely(job, node, one, other),
                    Likely::Sure | Likely::Yes
                )
        })
    }
}

fn yes_if(yes: bool) -> Likely {
    match yes {
        true => Likely::Yes,
        false => Likely::No,
    }
}
