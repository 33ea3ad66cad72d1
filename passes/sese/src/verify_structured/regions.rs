//! Facts that the regions of the structured form imply.
//!
//! ```text
//!   scf.if %c {                    %c is 1 here on every path, since %c is defined outside
//!     scf.index_switch %n
//!     case 3 { ... }               here, %n is 3 as well
//!   }
//! ```
//!
//! Each region of an `scf.if` or `scf.index_switch`, and the second region of an `scf.while`,
//! implies such a fact about one value, and possibly about the operands that it is computed from.
//! The innermost region with a fact about a value is found by binary search over intervals of block
//! numbers, in near-linear time at any depth.

use rustc_hash::FxHashMap;
use tfx_ir::ops::{Structured, arith};
use tfx_ir::{Block, Op, Value};

use super::source::{Known, Source, case_regions, comparison, is_flag, widens};

/// The maximal number of values about which one region implies a fact.
const MAX_DERIVED: usize = 16;

/// A region with a fact about a value.
struct Interval {
    first: usize,
    end: usize,
    known: Known,
    /// The innermost enclosing interval of the same value.
    parent: Option<usize>,
}

/// The facts that the regions of the structured form imply.
#[derive(Default)]
pub(super) struct RegionFacts<'a> {
    /// The number of each block, and the first number after those of the blocks inside of it.
    numbers: FxHashMap<Block<'a>, (usize, usize)>,
    intervals: FxHashMap<Value<'a>, Vec<Interval>>,
    cases: FxHashMap<Op<'a>, FxHashMap<u64, usize>>,
}

impl<'a> RegionFacts<'a> {
    /// Collects the facts of `function`.
    pub(super) fn new(function: Op<'a>) -> Self {
        let mut region_facts = Self::default();
        // A block is visited twice: before and after the blocks inside of it.
        let mut work: Vec<(Block<'a>, bool)> = blocks_inside(function)
            .map(|block| (block, false))
            .collect();
        let mut next = 0;
        while let Some((block, is_done)) = work.pop() {
            if is_done {
                region_facts
                    .numbers
                    .entry(block)
                    .and_modify(|number| number.1 = next);
                continue;
            }
            region_facts.numbers.insert(block, (next, next));
            next += 1;
            work.push((block, true));
            let inside = block.ops().flat_map(blocks_inside);
            work.extend(inside.map(|block| (block, false)));
        }
        let mut facts = Vec::new();
        for op in function.walk().filter_map(Structured::cast) {
            region_facts.collect(op, &mut facts);
        }
        facts.sort_by_key(|one: &RegionFact<'a>| one.block.0);
        for one in facts {
            region_facts.add(one);
        }
        region_facts
    }

    /// Returns the region of each case of an `scf.index_switch`.
    pub(super) fn cases(&self, op: Op<'a>) -> Option<&FxHashMap<u64, usize>> {
        self.cases.get(&op)
    }

    /// Returns the fact about `value` whenever `point` runs.
    pub(super) fn known(&self, point: Op<'a>, value: Value<'a>) -> Option<&Known> {
        let intervals = self.intervals.get(&value)?;
        let place = self.numbers.get(&point.block()?)?.0;
        let after = intervals.partition_point(|interval| interval.first <= place);
        let mut index = after.checked_sub(1);
        while let Some(interval) = index.map(|index| &intervals[index]) {
            if place < interval.end {
                return Some(&interval.known);
            }
            index = interval.parent;
        }
        None
    }

    /// Collects the facts that the regions of an operation imply.
    fn collect(&mut self, structured: Structured<'a>, facts: &mut Vec<RegionFact<'a>>) {
        let Some(value) = structured.condition() else {
            return;
        };
        let op = structured.op();
        let mut add = |region, known| {
            let entry = op.region(region).entry();
            let block = entry.and_then(|block| self.numbers.get(&block).copied());
            facts.extend(block.map(|block| RegionFact {
                block,
                value,
                known,
            }));
        };
        match structured {
            Structured::If(_) => {
                add(0, Known::Is(1));
                add(1, Known::Is(0));
            }
            Structured::Switch(switch) => {
                let cases = case_regions(switch);
                let mut not: Vec<u64> = cases.keys().copied().collect();
                not.sort_unstable();
                add(0, Known::IsNone(not.into()));
                for (&case, &region) in &cases {
                    add(region, Known::Is(case));
                }
                self.cases.insert(op, cases);
            }
            // A value of the first region changes before the second.
            Structured::While(view) if value.region() != Some(view.before()) => {
                add(1, Known::Is(1));
            }
            Structured::While(_) | Structured::For(_) => {}
        }
    }

    /// Adds the facts of a region about a value, and about the values that it is computed from.
    fn add(&mut self, fact: RegionFact<'a>) {
        let (first, end) = fact.block;
        let mut work = vec![(fact.value, fact.known)];
        for _ in 0..MAX_DERIVED {
            let Some((value, known)) = work.pop() else {
                return;
            };
            derive(value, &known, &mut work);
            let intervals = self.intervals.entry(value).or_default();
            if intervals.last().is_some_and(|last| last.first == first) {
                continue;
            }
            let mut parent = intervals.len().checked_sub(1);
            while let Some(index) = parent.filter(|&index| intervals[index].end <= first) {
                parent = intervals[index].parent;
            }
            intervals.push(Interval {
                first,
                end,
                known,
                parent,
            });
        }
    }
}

/// A fact that a region implies.
struct RegionFact<'a> {
    block: (usize, usize),
    value: Value<'a>,
    known: Known,
}

fn blocks_inside<'a>(op: Op<'a>) -> impl Iterator<Item = Block<'a>> {
    op.regions().flat_map(|region| region.blocks())
}

/// Adds facts about the operands of the operation that computes `value`.
fn derive<'a>(value: Value<'a>, known: &Known, work: &mut Vec<(Value<'a>, Known)>) {
    let Some(op) = value.defining_op() else {
        return;
    };
    let number = |index| match Source::of(op.operand(index)) {
        Source::Integer(number) => Some(number),
        _ => None,
    };
    match (op.name(), known) {
        _ if widens(op) => work.push((op.operand(0), known.clone())),
        (arith::XOrI::NAME, &Known::Is(is)) => {
            for (one, other) in [(0, 1), (1, 0)] {
                work.extend(number(other).map(|flip| (op.operand(one), Known::Is(is ^ flip))));
            }
        }
        (arith::AndI::NAME, Known::Is(1)) | (arith::OrI::NAME, Known::Is(0)) if is_flag(value) => {
            work.extend(op.operands().map(|operand| (operand, known.clone())));
        }
        (arith::CmpI::NAME, &Known::Is(is)) => {
            let Some(equal) = comparison(op, true) else {
                return;
            };
            let fact = |number| match is == equal {
                true => Known::Is(number),
                false => Known::IsNone([number].into()),
            };
            for (one, other) in [(0, 1), (1, 0)] {
                work.extend(number(other).map(|number| (op.operand(one), fact(number))));
            }
        }
        _ => {}
    }
}
