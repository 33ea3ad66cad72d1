//! The least solution of the equations.
//!
//! ```text
//! None (bottom) ──raise──► [2, 3] ──raise──► [?, 3] ──raise──► [?, ?] ──raise──► unknown rank
//! ```
//!
//! One worklist contains the nodes whose facts have changed, another one the rules that read them.
//! The rules are first applied in program order, in which most values are defined before their
//! uses. A rule with an operand at bottom waits. A rule whose operands do not fit each other has no
//! results while the facts still grow, since a later fact may resolve the mismatch. A mismatch at
//! the fixed point is an error of the program; the rule then returns its declared types, so that
//! one run finds all errors.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tfx_graphdef::shapes::{Known, Mismatch, Shape};

use super::equations::{Definition, Equations, Node};
use super::evaluate;
use super::rules::ShapeFunctions;

/// After this number of changes of a fact, its elements are dropped: the elements of a loop counter
/// would change in each iteration.
const CHANGES_WITH_ELEMENTS: u8 = 8;

/// The reason why a rule has no results.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// The operands do not fit each other.
    Operands(Mismatch),
    /// A result contradicts its declared type.
    Declared {
        /// The position of the result.
        result: usize,
        /// The inferred shape.
        inferred: Shape,
    },
}

/// The solution: see the documentation of the module.
pub(super) struct Solution<'e, 'a> {
    equations: &'e Equations<'a>,
    functions: ShapeFunctions,
    facts: Vec<Option<Known>>,
    changes: Vec<u8>,
    /// The successors of each node.
    edges: Adjacency,
    /// The rules that read each node.
    readers: Adjacency,
    changed: Worklist,
    pending_rules: Worklist,
    failing: BTreeMap<usize, Failure>,
    /// The rules that return their declared types after a failure.
    failed: BTreeSet<usize>,
}

impl<'e, 'a> Solution<'e, 'a> {
    pub(super) fn new(equations: &'e Equations<'a>, functions: ShapeFunctions) -> Self {
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
            functions,
            facts: vec![None; values],
            changes: vec![0; values],
            edges: Adjacency::new(values, edges),
            readers: Adjacency::new(values, readers),
            changed: Worklist::new(values),
            pending_rules: Worklist::new(equations.rules.len()),
            failing: BTreeMap::new(),
            failed: BTreeSet::new(),
            equations,
        }
    }

    /// Returns the fact of a node; `None` for bottom.
    pub(super) fn fact(&self, node: Node) -> Option<&Known> {
        self.facts[node as usize].as_ref()
    }

    /// Computes the fixed point.
    pub(super) fn solve(&mut self) {
        for &source in &self.equations.sources {
            self.raise(source, self.declared(source));
        }
        (0..self.equations.rules.len()).for_each(|rule| self.pending_rules.push(rule as u32));
        self.run_worklists();
    }

    /// Returns the rules that fail, in program order; they return their declared types from now on.
    pub(super) fn take_failures(&mut self) -> BTreeMap<usize, Failure> {
        let failing = std::mem::take(&mut self.failing);
        for &rule in failing.keys() {
            self.failed.insert(rule);
            for &result in &self.equations.rules[rule].results {
                self.raise(result, self.declared(result));
            }
        }
        self.run_worklists();
        failing
    }

    fn declared(&self, node: Node) -> Known {
        self.equations.declared[node as usize].clone().into()
    }

    fn run_worklists(&mut self) {
        loop {
            if let Some(node) = self.changed.pop() {
                self.propagate(node);
            } else if let Some(rule) = self.pending_rules.pop() {
                self.apply(rule as usize);
            } else {
                return;
            }
        }
    }

    /// Propagates a changed fact along the edges of its node, and schedules the rules that read it.
    fn propagate(&mut self, node: Node) {
        for index in self.edges.range(node) {
            if let Some(known) = self.facts[node as usize].clone() {
                self.raise(self.edges.all[index], known);
            }
        }
        for index in self.readers.range(node) {
            self.pending_rules.push(self.readers.all[index]);
        }
    }

    /// Joins `known`, refined by the declared type, to the fact of a node.
    fn raise(&mut self, node: Node, known: Known) {
        let index = node as usize;
        let Some(shape) = known.shape.meet(&self.equations.declared[index]) else {
            return;
        };
        let elements = known
            .elements
            .filter(|_| self.equations.needs_elements[index]);
        let known = Known { shape, elements };
        let new = match &self.facts[index] {
            None => known,
            Some(old) => join(old, &known, self.changes[index] < CHANGES_WITH_ELEMENTS),
        };
        if self.facts[index].as_ref() != Some(&new) {
            self.facts[index] = Some(new);
            self.changes[index] = self.changes[index].saturating_add(1);
            self.changed.push(node);
        }
    }

    fn apply(&mut self, index: usize) {
        let equations = self.equations;
        let rule = &equations.rules[index];
        if self.failed.contains(&index) {
            return;
        }
        let needs_elements =
            |result: usize| equations.needs_elements[rule.results[result] as usize];
        let resolved = match &rule.definition {
            Definition::Operation(resolved) => resolved,
            Definition::Constant => {
                let mut known = self.declared(rule.results[0]);
                if needs_elements(0) {
                    known.elements = evaluate::constant_elements(rule.op, &known.shape);
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
        let mut shapes = match self.functions.infer(resolved, &operands) {
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
        let elements = match (0..shapes.len()).any(needs_elements) {
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

/// Returns the facts that hold for both.
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

/// The lists of numbers of all nodes, in one allocation.
struct Adjacency {
    /// The position in `all` of the list of each node.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Adjacency {
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

    /// Returns the position in `all` of the list of a node.
    fn range(&self, node: Node) -> std::ops::Range<usize> {
        self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize
    }
}

/// A first-in, first-out queue of numbers that contains each at most once.
struct Worklist {
    order: VecDeque<u32>,
    is_in: Vec<bool>,
}

impl Worklist {
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
