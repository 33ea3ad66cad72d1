//! The clusters of a block: operations that can run as one, without waiting for an operation
//! between them.
//!
//! ```text
//! op                       level
//! %a = MatMul(%x, %w)        0                                      ┐ one cluster: compiled, of one
//! %b = Tanh(%a)              0                                      ┘ level, and connected by %a
//! %s = StringLength(...)     0     not compiled
//! %c = Mul(%b, %s)           1     depends on one not compiled      ─ another cluster
//! send %c to 0               ─     starts a new section
//! ```
//!
//! The level of an operation is the largest number of edges, on a path to it, from an operation
//! that is not compiled to one that is. A path that leaves a level and returns would contain such
//! an edge, so any set of compiled operations of one level is *convex*: it can run as one.
//! Union-find joins the operations of a level that share values into a cluster; others stay
//! separate and run concurrently, unless the compiler unites all of a level.
//!
//! The call of a cluster that was outlined before is on the level that its operations had: it
//! counts as compiled, and edges between it and compiled operations count, too. These were never on
//! one level, so a second run finds the same levels, and no new clusters.
//!
//! If a cluster is profitable, the block is reordered by sections and levels, compiled operations
//! before the others of a level. Sections end at sends and at state changes, so no operation moves
//! across these.

use std::collections::HashMap;

use tfx_dialects::tensor;
use tfx_ir::{Block, Op, Value};

use super::analysis::{Analysis, Compiler, Size};
use crate::captures::Captures;

/// Operations of one block that are compiled together, in the order of the block.
#[derive(Debug)]
pub struct Cluster<'a> {
    /// The operations.
    pub ops: Vec<Op<'a>>,
    /// Their size.
    pub size: Size,
}

/// The position of an operation: its section, its level, and whether it is interpreted.
type Position = (usize, usize, bool);

/// The way in which an operation runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It may be in a cluster.
    Compiled,
    /// It is the call of a cluster.
    Outlined,
    Interpreted,
}

/// Returns the clusters of a block. If one of them is profitable, reorders the block so that the
/// operations of each level are consecutive.
pub(super) fn of_block<'a, C: Compiler>(
    block: Block<'a>,
    analysis: &Analysis<'a>,
    captures: &Captures<'a>,
) -> Vec<Cluster<'a>> {
    let mut grouping = Grouping::default();
    for op in block.ops().filter(|op| !is_excluded(*op)) {
        grouping.add(op, block, analysis, captures);
    }
    let clusters = grouping.clusters::<C>(analysis);
    if clusters
        .iter()
        .any(|cluster| C::is_profitable(cluster.size))
    {
        grouping.reorder(block);
    }
    clusters
}

/// Returns whether an operation is in no cluster: constants are cloned at their uses, and the
/// terminator stays last.
fn is_excluded(op: Op<'_>) -> bool {
    op.isa::<tensor::Const>() || op.is_terminator()
}

#[derive(Default)]
struct Grouping<'a> {
    ops: Vec<Op<'a>>,
    positions: Vec<Position>,
    kinds: Vec<Kind>,
    numbers: HashMap<Op<'a>, usize>,
    /// Union-find over `ops`.
    parents: Vec<usize>,
    section: usize,
}

impl<'a> Grouping<'a> {
    fn add(
        &mut self,
        op: Op<'a>,
        block: Block<'a>,
        analysis: &Analysis<'a>,
        captures: &Captures<'a>,
    ) {
        let kind = match analysis.compiles(op) {
            true => Kind::Compiled,
            false if analysis.is_outlined(op) => Kind::Outlined,
            false => Kind::Interpreted,
        };
        let number = self.ops.len();
        // An operation with an observable effect has a section of its own.
        let is_observable = analysis.is_observable(op);
        self.section += usize::from(is_observable);
        let before: Vec<usize> = op
            .operands()
            .chain(captures.values(op).iter().copied())
            .filter_map(|value| self.defined(value, block))
            .filter(|&before| self.positions[before].0 == self.section)
            .collect();
        let level = before
            .iter()
            .map(|&before| {
                let (_, level, _) = self.positions[before];
                let can_be_one = [kind, self.kinds[before]] == [Kind::Compiled; 2];
                level + usize::from(kind != Kind::Interpreted && !can_be_one)
            })
            .max()
            .unwrap_or(0);
        self.ops.push(op);
        self.numbers.insert(op, number);
        self.positions
            .push((self.section, level, kind == Kind::Interpreted));
        self.kinds.push(kind);
        self.parents.push(number);
        for before in before {
            // Edges between other kinds lead to another level.
            if kind == Kind::Compiled && self.positions[before] == self.positions[number] {
                self.unite(before, number);
            }
        }
        self.section += usize::from(is_observable);
    }

    /// Returns the operation of the block that defines a value, if it has been added.
    fn defined(&self, value: Value<'a>, block: Block<'a>) -> Option<usize> {
        let op = value.defining_op().filter(|op| op.block() == Some(block))?;
        self.numbers.get(&op).copied()
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The earlier operation stays the root, which keeps clusters in the order of the block.
        self.parents[one.max(other)] = one.min(other);
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.parents[number] != number {
            self.parents[number] = self.parents[self.parents[number]];
            number = self.parents[number];
        }
        number
    }

    fn clusters<C: Compiler>(&mut self, analysis: &Analysis<'a>) -> Vec<Cluster<'a>> {
        if C::UNITES {
            self.unite_levels();
        }
        let mut clusters: Vec<Cluster<'a>> = Vec::new();
        let mut cluster_of: HashMap<usize, usize> = HashMap::new();
        for number in 0..self.ops.len() {
            if self.kinds[number] != Kind::Compiled {
                continue;
            }
            let root = self.root(number);
            let cluster = *cluster_of.entry(root).or_insert_with(|| {
                clusters.push(Cluster {
                    ops: Vec::new(),
                    size: Size::default(),
                });
                clusters.len() - 1
            });
            let op = self.ops[number];
            clusters[cluster].ops.push(op);
            clusters[cluster].size += analysis.size(op);
        }
        clusters
    }

    /// Unites the compiled operations of each level, which are convex as a whole.
    fn unite_levels(&mut self) {
        let mut first: HashMap<Position, usize> = HashMap::new();
        for number in 0..self.ops.len() {
            if self.kinds[number] == Kind::Compiled {
                let first = *first.entry(self.positions[number]).or_insert(number);
                self.unite(first, number);
            }
        }
    }

    /// Sorts the operations by their positions, after the constants. The sort is stable.
    fn reorder(&self, block: Block<'a>) {
        let end = block.last().expect("a verified block has a terminator");
        let mut order: Vec<usize> = (0..self.ops.len()).collect();
        order.sort_by_key(|&number| self.positions[number]);
        for number in order {
            self.ops[number].move_before(end);
        }
    }
}
