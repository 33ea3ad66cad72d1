//! The operations with a rule, and examples of each.

mod elementwise;
mod images;
mod indexing;
mod normalization;
mod products;
mod scalars;
mod shapes;

use std::fmt;

use crate::example::Example;

/// An operation with a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) op: &'static str,
    /// The conventions of the derivative where it does not exist.
    pub(crate) note: &'static str,
    /// None if another test judges the rule.
    pub(crate) examples: &'static [Example],
}

const fn row(op: &'static str, examples: &'static [Example]) -> Row {
    Row {
        op,
        note: "",
        examples,
    }
}

impl Row {
    const fn note(mut self, note: &'static str) -> Self {
        self.note = note;
        self
    }
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let judged = match self.examples.is_empty() {
            true => "",
            false => "first, second",
        };
        let (op, note) = (self.op, self.note);
        write!(formatter, "| {op} | {judged} | {note} |")
    }
}

const ZERO: &str = "zero";
const FIRST: &str = "of equal operands, the first has the derivative";

/// Returns all operations with a rule.
pub(crate) fn table() -> impl Iterator<Item = &'static Row> {
    let families = [
        scalars::ROWS,
        elementwise::ROWS,
        products::ROWS,
        shapes::ROWS,
        indexing::ROWS,
        images::ROWS,
        normalization::ROWS,
    ];
    families.into_iter().flatten()
}
