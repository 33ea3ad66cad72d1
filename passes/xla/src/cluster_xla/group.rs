//! Pieces of a block: operations that can run as one, without waiting for anything between them.
//!
//! ```text
//! op                       level   why
//! %a = MatMul(%x, %w)        0                                         ┐ one piece: they are compiled, on one level, and the second
//! %b = Tanh(%a)              0                                         ┘ takes a value of the first
//! %s = StringLength(...)     0     not compiled
//! %c = Mul(%b, %s)           1     after something that is not         ─ another one
//! send %c to 0               ─     all after it are in the next section
//! ```
//!
//! The level of an operation is the largest number of times that a path to it goes from something that is not compiled to something that is. On a path that
//! leaves a level and comes back there would be such a step, so whatever is taken from one level can run as one (it is *convex*). Operations of a level that
//! share values become one piece by union-find; others stay apart and run side by side.
//!
//! The block is put in the order of sections and levels, compiled operations before the others of a level, if there is a piece that is worth it. Sections end
//! where something is sent or state may change, so nothing moves across that.

use std::collections::HashMap;

use tfx_graphdef_mlir::captures::Captures;
use tfx_ir::{Block, Op, Value};

use super::{
    ENOUGH_OPERATIONS,
    judge::{Judge, Weight},
};

/// Operations of one block that are compiled together, in the order of the block.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) ops: Vec<Op<'a>>,
    pub(super) weight: Weight,
}

impl Piece<'_> {
    pub(super) fn is_worth_it(&self) -> bool {
        self.weight.loops > 0 || self.weight.operations >= ENOUGH_OPERATIONS
    }
}

/// Where an operation is: its section, its level in it, and, last, whether it is not compiled.
type Position = (usize, usize, bool);

/// The pieces of a block, which is put in an order where each is together with others of its level alone, if one of them is worth it.
pub(super) fn pieces<'a>(
    block: Block<'a>,
    judge: &Judge<'a>,
    captures: &Captures<'a>,
) -> Vec<Piece<'a>> {
    let mut grouping = Grouping::default();
    for op in block.ops().filter(|op| !is_apart(*op)) {
        grouping.add(op, block, judge, captures);
    }
    let pieces = grouping.pieces(judge);
    if pieces.iter().any(Piece::is_worth_it) {
        grouping.reorder(block);
    }
    pieces
}

/// Constants are copied where they are used, and a terminator stays.
fn is_apart(op: Op<'_>) -> bool {
    op.is("tfx_tensor.const") || op.is_terminator()
}

#[derive(Default)]
struct Grouping<'a> {
    ops: Vec<Op<'a>>,
    positions: Vec<Position>,
    numbers: HashMap<Op<'a>, usize>,
    /// Union-find over `ops`.
    parents: Vec<usize>,
    section: usize,
}

impl<'a> Grouping<'a> {
    fn add(&mut self, op: Op<'a>, block: Block<'a>, judge: &Judge<'a>, captures: &Captures<'a>) {
        let is_compiled = judge.compiles(op);
        let number = self.ops.len();
        let shows = judge.shows(op);
        // What shows something has a section of its own.
        self.section += usize::from(shows);
        let before: Vec<usize> = op
            .operands()
            .chain(captures.values(op).iter().copied())
            .filter_map(|value| self.defined(value, block))
            .filter(|&before| self.positions[before].0 == self.section)
            .collect();
        let level = before
            .iter()
            .map(|&before| {
                let (_, level, is_outside) = self.positions[before];
                level + usize::from(is_outside && is_compiled)
            })
            .max()
            .unwrap_or(0);
        self.ops.push(op);
        self.numbers.insert(op, number);
        self.positions.push((self.section, level, !is_compiled));
        self.parents.push(number);
        for before in before {
            if is_compiled && self.positions[before] == self.positions[number] {
                self.unite(before, number);
            }
        }
        self.section += usize::from(shows);
    }

    /// The operation of the block that makes a value, if it is one that counts.
    fn defined(&self, value: Value<'a>, block: Block<'a>) -> Option<usize> {
        let op = value.defining_op().filter(|op| op.block() == Some(block))?;
        self.numbers.get(&op).copied()
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        // The earlier one stays the root, which keeps pieces in the order of the block.
        self.parents[one.max(other)] = one.min(other);
    }

    fn root(&mut self, mut number: usize) -> usize {
        while self.parents[number] != number {
            self.parents[number] = self.parents[self.parents[number]];
            number = self.parents[number];
        }
        number
    }

    fn pieces(&mut self, judge: &Judge<'a>) -> Vec<Piece<'a>> {
        let mut pieces: Vec<Piece<'a>> = Vec::new();
        let mut piece_of: HashMap<usize, usize> = HashMap::new();
        for number in 0..self.ops.len() {
            if self.positions[number].2 {
                continue;
            }
            let root = self.root(number);
            let piece = *piece_of.entry(root).or_insert_with(|| {
                pieces.push(Piece {
                    ops: Vec::new(),
                    weight: Weight::default(),
                });
                pieces.len() - 1
            });
            let op = self.ops[number];
            pieces[piece].ops.push(op);
            pieces[piece].weight += judge.weight(op);
        }
        pieces
    }

    /// Puts constants first, then the operations by their positions; the sort keeps the order of those with the same.
    fn reorder(&self, block: Block<'a>) {
        let end = block.last().expect("a verified block has a terminator");
        let mut order: Vec<usize> = (0..self.ops.len()).collect();
        order.sort_by_key(|&number| self.positions[number]);
        for number in order {
            self.ops[number].move_before(end);
        }
    }
}
