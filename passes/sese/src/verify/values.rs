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

use std::collections::HashSet;

use tfx_ir::pass::PassFailed;
use tfx_ir::{Definition, Op, Value};

use melior::ir::TypeLike;

use super::differ;
use super::walk::{JobId, NodeId, Source, Walker, constant};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Question<'a> {
    job: JobId,
    node: NodeId,
    original: Source<'a>,
    structured: Source<'a>,
}

pub(super) struct Prover<'a> {
    walker: Walker<'a>,
    /// Questions at the end of nodes, and who asked.
    work: Vec<(Question<'a>, (Op<'a>, Op<'a>))>,
    /// Questions at the start of nodes that were asked already.
    asked: HashSet<Question<'a>>,
}

impl<'a> Prover<'a> {
    pub(super) fn new(walker: Walker<'a>) -> Self {
        Self {
            walker,
            work: Vec::new(),
            asked: HashSet::new(),
        }
    }

    pub(super) fn run(mut self) -> Result<(), PassFailed> {
        for read in std::mem::take(&mut self.walker.reads) {
            if let (Source::Value(original), Source::Value(value)) =
                (read.original, read.structured)
                && value.ty() != original.ty()
                && !is_number(value)
            {
                return Err(differ(
                    read.by.1,
                    read.by.0,
                    "it reads a value of another type",
                ));
            }
            let question = Question {
                job: read.job,
                node: read.node,
                original: read.original,
                structured: read.structured,
            };
            self.work.push((question, read.by));
            while let Some((question, by)) = self.work.pop() {
                self.at_end(question, by)?;
            }
        }
        Ok(())
    }

    /// At the end of a node's operations.
    fn at_end(
        &mut self,
        mut question: Question<'a>,
        by: (Op<'a>, Op<'a>),
    ) -> Result<(), PassFailed> {
        for side in [&mut question.original, &mut question.structured] {
            if let Source::Value(value) = *side
                && let Some(source) = constant(value)
            {
                *side = source;
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
                    return same(found == value, by, "it reads another value");
                }
                if node.made.contains(&value) {
                    return same(false, by, "it reads another value");
                }
            }
            (_, Source::Undefined | Source::Unknown)
                if question.original != question.structured =>
            {
                return same(false, by, "it reads a value that is not there");
            }
            (Source::Value(original), _) if node.results.contains_key(&original) => {
                return same(false, by, "it reads a constant");
            }
            (_, Source::Value(value)) if node.made.contains(&value) => {
                return same(false, by, "it reads something else than a constant");
            }
            (Source::Value(_), _) | (_, Source::Value(_)) => {}
            (one, other) => return same(one == other, by, "it reads another constant"),
        }
        self.at_start(question, by)
    }

    /// Before a node's operations.
    fn at_start(&mut self, question: Question<'a>, by: (Op<'a>, Op<'a>)) -> Result<(), PassFailed> {
        if !self.asked.insert(question) {
            return Ok(());
        }
        if question.node == 0 {
            return self.at_entry(question, by);
        }
        let edges = &self.walker.jobs[question.job].nodes[question.node].incoming;
        for edge in edges {
            let mut original = question.original;
            for block in edge.handed.iter().rev() {
                let given = block
                    .iter()
                    .find(|(argument, _)| Source::Value(*argument) == original);
                original = given.map_or(original, |&(_, value)| {
                    constant(value).unwrap_or(Source::Value(value))
                });
            }
            let structured = match question.structured {
                Source::Value(value) => match edge.holds.get(&value) {
                    Some(&source) => source,
                    None => constant(value).unwrap_or(Source::Value(value)),
                },
                other => other,
            };
            if let Some((tested, number)) = edge.fact {
                let tested = Source::Value(tested);
                match (original, structured) {
                    (_, Source::Integer(found)) if original == tested && found == number => {
                        continue;
                    }
                    // A constant that is handed where a flag is known may be that flag itself.
                    (Source::Integer(found), Source::Value(value))
                        if found == number
                            && self.is_tested(question.job, edge.from, tested, value) =>
                    {
                        original = tested;
                    }
                    _ => {}
                }
            }
            let before = Question {
                node: edge.from,
                original,
                structured,
                ..question
            };
            self.work.push((before, by));
        }
        Ok(())
    }

    /// Whether a value looks like the one that a branch tests.
    fn is_tested(&self, job: JobId, node: NodeId, tested: Source<'a>, value: Value<'a>) -> bool {
        let Source::Value(tested) = tested else {
            return false;
        };
        let node = &self.walker.jobs[job].nodes[node];
        self.walker.may_be(node, tested, value)
    }

    /// Where a region starts: its arguments, and what is defined around it.
    fn at_entry(&mut self, question: Question<'a>, by: (Op<'a>, Op<'a>)) -> Result<(), PassFailed> {
        let job = &self.walker.jobs[question.job];
        if let Source::Value(original) = question.original
            && let Definition::Argument(block, index) = original.definition()
            && Some(block) == job.original.entry()
        {
            let expected = job.structured.argument(index);
            return same(
                question.structured == Source::Value(expected),
                by,
                "it reads another value",
            );
        }
        let Some((job, node)) = job.parent else {
            return same(false, by, "it reads a value that is not there");
        };
        self.work.push((
            Question {
                job,
                node,
                ..question
            },
            by,
        ));
        Ok(())
    }
}

/// A switch's value is tested as an index in the structured form.
fn is_number(value: Value<'_>) -> bool {
    value.ty().is_index() || value.ty().is_integer()
}

fn same(same: bool, by: (Op<'_>, Op<'_>), what: &str) -> Result<(), PassFailed> {
    match same {
        true => Ok(()),
        false => Err(differ(by.1, by.0, what)),
    }
}
