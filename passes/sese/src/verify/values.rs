//! What is read in both functions is the same.
//!
//! To prove that `%a` of the original and `%b` of the structured form hold the same at a node, look at how the node is reached:
//!
//! ```text
//!   at the end of the node:    made there by operations that met: proved.   Else look at its start.
//!   at the start:              over every incoming edge, what %a is handed and what %b holds must be the same at that edge's
//!                              start. Two constants are compared; two arguments of the functions must be the same one.
//! ```
//!
//! Each question is asked once; one that is asked again while it is open is a loop that changes neither. Where operations only
//! ever meet each other, their results are the same everywhere, and nothing is asked.

use rustc_hash::FxHashSet;

use super::graph::Facts;
use super::source::{Known, Source};
use super::walk::{Guessed, Same, Walker};
use super::{Difference, differ};

/// Whether two values are the same at a node.
type Question<'a> = Same<'a>;

/// What is wrong.
type What = &'static str;

pub(super) struct Prover<'a, 'w> {
    walker: &'w Walker<'a>,
    /// Questions at the end of nodes.
    work: Vec<Question<'a>>,
    /// Questions at the start of nodes that were asked already.
    asked: FxHashSet<Question<'a>>,
    /// Those of them that belong to what is being proved.
    open: Vec<Question<'a>>,
}

impl<'a, 'w> Prover<'a, 'w> {
    pub(super) fn new(walker: &'w Walker<'a>) -> Self {
        Self {
            walker,
            work: Vec::new(),
            asked: FxHashSet::default(),
            open: Vec::new(),
        }
    }

    /// Proves that all is the same that is read in both.
    pub(super) fn reads(mut self) -> Result<(), Difference<'a>> {
        for read in &self.walker.reads {
            self.prove(read.same)
                .map_err(|what| differ(read.by.1, read.by.0, what))?;
        }
        Ok(())
    }

    /// The first guess that is wrong.
    pub(super) fn wrong_guess(mut self) -> Option<&'w Guessed<'a>> {
        let walker = self.walker;
        walker.guesses.iter().find(|guess| !self.proves(guess.same))
    }

    /// Whether two values are the same. One that fails leaves nothing behind that others could rely on.
    fn proves(&mut self, same: Same<'a>) -> bool {
        let outcome = self.prove(same);
        if outcome.is_err() {
            for question in self.open.drain(..) {
                self.asked.remove(&question);
            }
            self.work.clear();
        }
        outcome.is_ok()
    }

    fn prove(&mut self, question: Question<'a>) -> Result<(), What> {
        self.open.clear();
        self.work.push(question);
        while let Some(question) = self.work.pop() {
            self.at_end(question)?;
        }
        Ok(())
    }

    /// At the end of a node's operations.
    fn at_end(&mut self, mut question: Question<'a>) -> Result<(), What> {
        for side in [&mut question.original, &mut question.structured] {
            if let Source::Value(value) = *side {
                *side = Source::of(value);
            }
        }
        let node = &self.walker.jobs[question.job].nodes[question.node];
        match (question.original, question.structured) {
            // What the program itself never reads may be anything.
            (Source::Undefined, _) => return Ok(()),
            (Source::Value(original), Source::Value(value)) => {
                if self.walker.always_meet(original, value) {
                    return Ok(());
                }
                if let Some(&found) = node.results.get(&original) {
                    return same(found == value, "it reads another value");
                }
                if node.made.contains(&value) {
                    return same(false, "it reads another value");
                }
            }
            (_, Source::Undefined | Source::Unknown)
                if question.original != question.structured =>
            {
                return same(false, "it reads a value that is not there");
            }
            (Source::Value(original), _) if node.results.contains_key(&original) => {
                return same(false, "it reads a constant");
            }
            (_, Source::Value(value)) if node.made.contains(&value) => {
                return same(false, "it reads something else than a constant");
            }
            (Source::Value(_), _) | (_, Source::Value(_)) => {}
            (one, other) => return same(one == other, "it reads another constant"),
        }
        self.at_start(question)
    }

    /// Before a node's operations.
    fn at_start(&mut self, question: Question<'a>) -> Result<(), What> {
        if !self.asked.insert(question) {
            return Ok(());
        }
        self.open.push(question);
        if question.node == 0 {
            return self.at_entry(question);
        }
        let edges = &self.walker.jobs[question.job].nodes[question.node].incoming;
        for edge in edges {
            let before = Question {
                node: edge.from,
                original: edge.original(question.original),
                structured: edge.structured(question.structured),
                ..question
            };
            if !self.is_told(before, &edge.facts) {
                self.work.push(before);
            }
        }
        Ok(())
    }

    /// Whether both are the same number at the start of an edge, because of what the original knows on it and of where the structured form
    /// stands.
    fn is_told(&self, question: Question<'a>, facts: &Facts<'a>) -> bool {
        let number = match question.original {
            Source::Integer(number) => Some(number),
            Source::Value(original) => match facts.iter().find(|(value, _)| *value == original) {
                Some(&(_, Known::Is(number))) => Some(number),
                _ => None,
            },
            _ => None,
        };
        let found = match question.structured {
            Source::Integer(number) => Some(number),
            Source::Value(value) => {
                let Question { job, node, .. } = question;
                self.walker.known_number(job, node, value, facts)
            }
            _ => None,
        };
        number.is_some() && number == found
    }

    /// Where a region starts: its arguments, and what is defined around it.
    fn at_entry(&mut self, question: Question<'a>) -> Result<(), What> {
        let job = &self.walker.jobs[question.job];
        if let Source::Value(original) = question.original
            && let Some(expected) = job.expected_argument(original)
        {
            let found = question.structured == Source::Value(expected);
            return same(found, "it reads another value");
        }
        let Some((job, node)) = job.parent else {
            return same(false, "it reads a value that is not there");
        };
        let around = Question {
            job,
            node,
            ..question
        };
        self.work.push(around);
        Ok(())
    }
}

fn same(same: bool, what: What) -> Result<(), What> {
    match same {
        true => Ok(()),
        false => Err(what),
    }
}
