//! What the structured form tells by where it stands.
//!
//! ```text
//!   scf.if %c {                    %c is 1 here, whatever happened before: whoever defines %c is outside
//!     scf.index_switch %n
//!     case 3 { ... }               and here %n is 3, too
//!   }
//! ```
//!
//! Every region of an `scf.if` or `scf.index_switch`, and the second one of an `scf.while`, is such a fact about one value. A value that is
//! computed from another, by a negation say, tells about that one as well. The regions of one value that hold a place are found
//! by binary search over their intervals in a walk of the whole form: near-linear, however deep it is nested.

use melior::ir::TypeLike;
use melior::ir::r#type::IntegerType;
use rustc_hash::FxHashMap;
use tfx_ir::ops::{arith, scf};
use tfx_ir::{Block, Op, Value};

use super::source::{Known, Source, case_regions};

/// Values that one region tells about: those that a condition is made of, as far as that.
const MAX_DERIVED: usize = 16;

/// The predicates of `arith.cmpi` that tell something about a number.
pub(super) const EQUAL: i64 = 0;
pub(super) const NOT_EQUAL: i64 = 1;

/// A region in which something is known of a value.
struct Interval {
    first: usize,
    end: usize,
    known: Known,
    /// The innermost one around it, of the same value.
    around: Option<usize>,
}

/// The structured form, as places.
#[derive(Default)]
pub(super) struct Places<'a> {
    /// Per block its number, and the first number after those inside of it.
    numbers: FxHashMap<Block<'a>, (usize, usize)>,
    intervals: FxHashMap<Value<'a>, Vec<Interval>>,
    cases: FxHashMap<Op<'a>, FxHashMap<u64, usize>>,
}

impl<'a> Places<'a> {
    /// Of all that is in `function`.
    pub(super) fn new(function: Op<'a>) -> Self {
        let mut places = Self::default();
        // A block is met twice: before and after what is in it.
        let mut work: Vec<(Block<'a>, bool)> = blocks_inside(function)
            .map(|block| (block, false))
            .collect();
        let mut next = 0;
        while let Some((block, is_done)) = work.pop() {
            if is_done {
                places
                    .numbers
                    .entry(block)
                    .and_modify(|number| number.1 = next);
                continue;
            }
            places.numbers.insert(block, (next, next));
            next += 1;
            work.push((block, true));
            let inside = block.ops().flat_map(blocks_inside);
            work.extend(inside.map(|block| (block, false)));
        }
        let mut told = Vec::new();
        for op in function.walk().filter(|op| op.dialect() == "scf") {
            places.choice(op, &mut told);
        }
        told.sort_by_key(|one: &Told<'a>| one.block.0);
        for one in told {
            places.region(one);
        }
        places
    }

    /// The region that runs for each case of an `scf.index_switch`.
    pub(super) fn cases(&self, op: Op<'a>) -> Option<&FxHashMap<u64, usize>> {
        self.cases.get(&op)
    }

    /// What is known of `value` wherever `point` runs.
    pub(super) fn known(&self, point: Op<'a>, value: Value<'a>) -> Option<&Known> {
        let intervals = self.intervals.get(&value)?;
        let place = self.numbers.get(&point.block()?)?.0;
        let after = intervals.partition_point(|interval| interval.first <= place);
        let mut index = after.checked_sub(1);
        while let Some(interval) = index.map(|index| &intervals[index]) {
            if place < interval.end {
                return Some(&interval.known);
            }
            index = interval.around;
        }
        None
    }

    /// What the regions of an operation tell.
    fn choice(&mut self, op: Op<'a>, told: &mut Vec<Told<'a>>) {
        let block = |region: usize| {
            op.region(region)
                .entry()
                .and_then(|block| self.numbers.get(&block).copied())
        };
        let mut tell = |region, value, known| {
            told.extend(block(region).map(|block| Told {
                block,
                value,
                known,
            }));
        };
        match op.name() {
            scf::If::NAME => {
                tell(0, op.operand(0), Known::Is(1));
                tell(1, op.operand(0), Known::Is(0));
            }
            scf::IndexSwitch::NAME => {
                let cases = case_regions(op);
                let mut not: Vec<u64> = cases.keys().copied().collect();
                not.sort_unstable();
                tell(0, op.operand(0), Known::IsNone(not.into()));
                for (&case, &region) in &cases {
                    tell(region, op.operand(0), Known::Is(case));
                }
                self.cases.insert(op, cases);
            }
            scf::While::NAME => {
                // What is defined in the first region is another value in the second.
                let last = op.region(0).entry().and_then(Block::last);
                let condition = last.map(|last| last.operand(0));
                if let Some(condition) =
                    condition.filter(|value| value.region() != Some(op.region(0)))
                {
                    tell(1, condition, Known::Is(1));
                }
            }
            _ => {}
        }
    }

    /// Notes what is known in a region, of a value and of what it is computed from.
    fn region(&mut self, told: Told<'a>) {
        let (first, end) = told.block;
        let mut work = vec![(told.value, told.known)];
        for _ in 0..MAX_DERIVED {
            let Some((value, known)) = work.pop() else {
                return;
            };
            derive(value, &known, &mut work);
            let intervals = self.intervals.entry(value).or_default();
            if intervals.last().is_some_and(|last| last.first == first) {
                continue;
            }
            let mut around = intervals.len().checked_sub(1);
            while let Some(index) = around.filter(|&index| intervals[index].end <= first) {
                around = intervals[index].around;
            }
            intervals.push(Interval {
                first,
                end,
                known,
                around,
            });
        }
    }
}

/// What one region tells.
struct Told<'a> {
    block: (usize, usize),
    value: Value<'a>,
    known: Known,
}

fn blocks_inside<'a>(op: Op<'a>) -> impl Iterator<Item = Block<'a>> {
    op.regions().flat_map(|region| region.blocks())
}

/// What is known of the operands of whatever computes `value`.
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
            let equal = match op.integer("predicate") {
                Some(EQUAL) => is == 1,
                Some(NOT_EQUAL) => is == 0,
                _ => return,
            };
            for (one, other) in [(0, 1), (1, 0)] {
                let told = |number| {
                    if equal {
                        Known::Is(number)
                    } else {
                        Known::IsNone([number].into())
                    }
                };
                work.extend(number(other).map(|number| (op.operand(one), told(number))));
            }
        }
        _ => {}
    }
}

/// Whether an operation makes an index of a number without a change, as switches need it.
pub(super) fn widens(op: Op<'_>) -> bool {
    let fits =
        |value: Value| IntegerType::try_from(value.ty()).is_ok_and(|ty| ty.width() <= u64::BITS);
    op.isa::<arith::IndexCastUI>() && op.result(0).ty().is_index() && fits(op.operand(0))
}

/// Whether a value is one bit.
pub(super) fn is_flag(value: Value<'_>) -> bool {
    IntegerType::try_from(value.ty()).is_ok_and(|ty| ty.width() == 1)
}
