//! The least solution of the equations.
//!
//! ```text
//! fact: None (nothing arrives)  ──raise──►  [2, 3]  ──raise──►  [?, 3]  ──raise──►  [?, ?]  ──raise──►  unknown rank
//! ```
//!
//! A worklist of values whose facts have changed, and one of rules that read them. Rules are first looked at in the order of the program, which
//! most values follow. A rule with an operand at which nothing arrives waits. A rule whose operands do not go together gives nothing while the
//! facts still grow, since they may grow out of it; what is left in the end is a mistake of the program, and what comes after it is looked at as if
//! it gave what it declares, so that one run finds all mistakes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tfx_graphdef::shapes::{Known, Mismatch, Shape};

use super::equations::{Equations, Maker, Number};
use super::evaluate;
use super::rules::Judge;

/// After so many changes of a value its elements are given up: those of a loop's counter would change one by one.
const CHANGES_WITH_ELEMENTS: u8 = 8;

/// Why a rule gives nothing.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// Its operands do not go together.
    Operands(Mismatch),
    /// A result is declared as something else.
    Declared {
        /// Which result.
        result: usize,
        /// What it is.
        inferred: Shape,
    },
}

/// See the documentation of this module.
pub(super) struct Solution<'e, 'a> {
    equations: &'e Equations<'a>,
    judge: Judge,
    facts: Vec<Option<Known>>,
    changes: Vec<u8>,
    edges: Lists,
    readers: Lists,
    changed: Queue,
    waiting: Queue,
    failing: BTreeMap<usize, Failure>,
    given_up: BTreeSet<usize>,
}

impl<'e, 'a> Solution<'e, 'a> {
    pub(super) fn new(equations: &'e Equations<'a>, judge: Judge) -> Self {
        let values = equations.values.len();
        let edges = equations.edges.iter().map(|&(from, to, _)| (from, to));
        let readers = equations
            .rules
            .iter()
            .enumerate()
            .flat_map(|(index, rule)| {
                let operands = rule.operands.iter();
                operands.map(move |&operand| (operand, index as u32))
            });
        Self {
            judge,
            facts: vec![None; values],
            changes: vec![0; values],
            edges: Lists::new(values, edges),
            readers: Lists::new(values, readers),
            changed: Queue::new(values),
            waiting: Queue::new(equations.rules.len()),
            failing: BTreeMap::new(),
            given_up: BTreeSet::new(),
            equations,
        }
    }

    /// What is known of a value; `None` where nothing arrives.
    pub(super) fn fact(&self, number: Number) -> Option<&Known> {
        self.facts[number as usize].as_ref()
    }

    /// Runs from the beginning to the fixed point.
    pub(super) fn find(&mut self) {
        for &source in &self.equations.sources {
            self.raise(source, self.declared(source));
        }
        (0..self.equations.rules.len()).for_each(|rule| self.waiting.push(rule as u32));
        self.settle();
    }

    /// The rules that fail, by their order in the program; from now on they give what they declare.
    pub(super) fn give_up(&mut self) -> BTreeMap<usize, Failure> {
        let failing = std::mem::take(&mut self.failing);
        for &rule in failing.keys() {
            self.given_up.insert(rule);
            for &result in &self.equations.rules[rule].results {
                self.raise(result, self.declared(result));
            }
        }
        self.settle();
        failing
    }

    fn declared(&self, number: Number) -> Known {
        self.equations.declared[number as usize].clone().into()
    }

    fn settle(&mut self) {
        loop {
            if let Some(number) = self.changed.pop() {
                self.spread(number);
            } else if let Some(rule) = self.waiting.pop() {
                self.apply(rule as usize);
            } else {
                return;
            }
        }
    }

    /// Takes a changed fact to where its value goes.
    fn spread(&mut self, number: Number) {
        for index in self.edges.range(number) {
            if let Some(known) = self.facts[number as usize].clone() {
                self.raise(self.edges.all[index], known);
            }
        }
        for index in self.readers.range(number) {
            self.waiting.push(self.readers.all[index]);
        }
    }

    /// Adds to a fact that a value may also be `known`, as far as its declared type lets it.
    fn raise(&mut self, number: Number, known: Known) {
        let index = number as usize;
        let Some(shape) = known.shape.meet(&self.equations.declared[index]) else {
            return;
        };
        let elements = known.elements.filter(|_| self.equations.wanted[index]);
        let known = Known { shape, elements };
        let new = match &self.facts[index] {
            None => known,
            Some(old) => join(old, &known, self.changes[index] < CHANGES_WITH_ELEMENTS),
        };
        if self.facts[index].as_ref() != Some(&new) {
            self.facts[index] = Some(new);
            self.changes[index] = self.changes[index].saturating_add(1);
            self.changed.push(number);
        }
    }

    fn apply(&mut self, index: usize) {
        let equations = self.equations;
        let rule = &equations.rules[index];
        if self.given_up.contains(&index) {
            return;
        }
        let wanted = |result: usize| equations.wanted[rule.results[result] as usize];
        let resolved = match &rule.maker {
            Maker::Operation(resolved) => resolved,
            Maker::Constant => {
                let mut known = self.declared(rule.results[0]);
                if wanted(0) {
                    known.elements = evaluate::written(rule.op, &known.shape);
                }
                return self.raise(rule.results[0], known);
            }
        };
        let operands = rule
            .operands
            .iter()
            .map(|&operand| self.fact(operand).cloned());
        let Some(operands) = operands.collect::<Option<Vec<Known>>>() else {
            return;
        };
        let mut shapes = match self.judge.infer(resolved, &operands) {
            None => {
                let results = rule.results.iter();
                results
                    .map(|&result| equations.declared[result as usize].clone())
                    .collect()
            }
            Some(Ok(shapes)) => shapes,
            Some(Err(mismatch)) => {
                self.failing.insert(index, Failure::Operands(mismatch));
                return;
            }
        };
        let elements = match (0..shapes.len()).any(wanted) {
            true => evaluate::evaluate(resolved, &operands, &mut shapes),
            false => Vec::new(),
        };
        for (result, shape) in shapes.iter().enumerate() {
            let declared = &equations.declared[rule.results[result] as usize];
            if shape.meet(declared).is_none() {
                let inferred = shape.clone();
                self.failing
                    .insert(index, Failure::Declared { result, inferred });
                return;
            }
        }
        self.failing.remove(&index);
        let mut elements = elements.into_iter();
        for (shape, &result) in shapes.into_iter().zip(&rule.results) {
            let elements = elements.next().flatten();
            self.raise(result, Known { shape, elements });
        }
    }
}

/// What is true of both.
fn join(left: &Known, right: &Known, keep_elements: bool) -> Known {
    let shape = left.shape.join(&right.shape);
    let elements = match (&left.elements, &right.elements) {
        (Some(left), Some(right))
            if keep_elements && left.len() == right.len() && shape.is_full() =>
        {
            let both = left.iter().zip(right);
            let joined: Vec<_> = both
                .map(|(left, right)| left.filter(|_| left == right))
                .collect();
            joined.iter().any(Option::is_some).then_some(joined)
        }
        _ => None,
    };
    Known { shape, elements }
}

/// A list for each number, in one piece of memory.
struct Lists {
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; count + 1];
        for (from, _) in pairs.clone() {
            starts[from as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut all = vec![0; starts[count] as usize];
        for (from, to) in pairs {
            let place = &mut next[from as usize];
            all[*place as usize] = to;
            *place += 1;
        }
        Self { starts, all }
    }

    /// Where the list of a number is in `all`.
    fn range(&self, number: u32) -> std::ops::Range<usize> {
        self.starts[number as usize] as usize..self.starts[number as usize + 1] as usize
    }
}

/// Numbers in the order in which they came, each at most once.
struct Queue {
    order: VecDeque<u32>,
    is_in: Vec<bool>,
}

impl Queue {
    fn new(count: usize) -> Self {
        Self {
            order: VecDeque::new(),
            is_in: vec![false; count],
        }
    }

    fn push(&mut self, number: u32) {
        if !std::mem::replace(&mut self.is_in[number as usize], true) {
            self.order.push_back(number);
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let number = self.order.pop_front()?;
        self.is_in[number as usize] = false;
        Some(number)
    }
}
