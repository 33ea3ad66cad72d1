//! Which slots and flags an operation hands out as results.
//!
//! A slot that an operation may hand out is a *column*: what each of its regions has for it, if anything.
//!
//! ```text
//!                  first arm   second arm
//!   slot 4         %a          -            %a is defined outside: no result, slot 4 holds %a
//!   slot 5         %b          -            one result for both: no arm has different values for them
//!   slot 6         -           %c
//!   goes on        %true       %false       of an scf.if: its condition
//! ```
//!
//! Cost: a column is compared with a bounded number of others.

use melior::ir::Type;
use tfx_ir::{Builder, Value};

use crate::body::Slot;
use crate::emit::Emitter;
use crate::pending::Choice;
use crate::tree::OpId;
use crate::ways::{Values, Way};

/// Results that a column is compared with, the latest first. More of one type are rare; comparing with all would be quadratic.
const COMPARED: usize = 8;

/// What becomes of a slot or a flag after an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome<'a> {
    /// No region has anything for it, so nothing reads it.
    Nothing,
    /// This value, defined outside.
    Known(Value<'a>),
    /// The result of that index.
    Result(usize),
}

/// One result, and what each region has for it.
pub(crate) struct Column<'a> {
    pub(crate) ty: Type<'a>,
    pub(crate) values: Vec<Option<Value<'a>>>,
}

/// What a region has for everything that its operation may hand out.
pub(crate) struct Yields<'a> {
    pub(crate) slots: Vec<Option<Value<'a>>>,
    pub(crate) ways: Values<Value<'a>>,
    /// What is pending at its end.
    pub(crate) choice: Choice,
}

impl Yields<'_> {
    /// A region whose end is not reached.
    pub(crate) fn never(slots: usize) -> Self {
        Self {
            slots: vec![None; slots],
            ways: Values::NONE,
            choice: Choice::NEVER,
        }
    }
}

/// What an operation hands out.
pub(crate) struct Results<'a> {
    pub(crate) columns: Vec<Column<'a>>,
    pub(crate) slots: Vec<Outcome<'a>>,
    pub(crate) ways: Values<Outcome<'a>>,
}

impl<'a> Results<'a> {
    pub(crate) fn types(&self) -> Vec<Type<'a>> {
        self.columns.iter().map(|column| column.ty).collect()
    }
}

impl<'a> Emitter<'a, '_> {
    /// What the region that ends here has for the results of `op`.
    pub(crate) fn yields(
        &mut self,
        op: OpId,
        builder: &mut Builder<'a>,
        way: Way<'a>,
    ) -> Yields<'a> {
        let slots: &[Slot] = &self.input.plan.handed_out[op];
        let left = self.input.tree.ops[op].left;
        if way.choice == Choice::NEVER {
            return Yields::never(slots.len());
        }
        Yields {
            slots: slots.iter().map(|&slot| self.filled[slot]).collect(),
            ways: self.ways.convert(builder, way, left),
            choice: way.choice,
        }
    }

    /// Finds the results of `op`, whose regions have `yields`. `condition` is what an `scf.if` tests.
    pub(crate) fn find_results(
        &mut self,
        op: OpId,
        yields: &[&Yields<'a>],
        condition: Option<Value<'a>>,
    ) -> Results<'a> {
        let depth = self.current().depth;
        let mut columns: Vec<Column<'a>> = Vec::new();
        let slots = &self.input.plan.handed_out[op];
        let mut outcomes = Vec::with_capacity(slots.len());
        for (index, &slot) in slots.iter().enumerate() {
            let info = &self.input.slots.infos[slot];
            // What was there before and leads nowhere from that region is not needed.
            let is_stale = |yields: &Yields<'a>| {
                yields.slots[index] == self.filled[slot]
                    && info
                        .target
                        .is_some_and(|target| !yields.choice.may_be(target))
            };
            let value = |&yields: &&Yields<'a>| yields.slots[index].filter(|_| !is_stale(yields));
            let values: Vec<Option<Value<'a>>> = yields.iter().map(value).collect();
            let ty = info.ty;
            outcomes.push(self.outcome(&mut columns, ty, values, depth, condition));
        }
        let types = self.ways.types(self.input.tree.ops[op].left);
        let mut way = |ty: Option<Type<'a>>, value: fn(&Values<Value<'a>>) -> Option<Value<'a>>| {
            let values = yields.iter().map(|yields| value(&yields.ways)).collect();
            ty.map(|ty| self.outcome(&mut columns, ty, values, depth, condition))
        };
        let ways = Values {
            goes_on: way(types.goes_on, |values| values.goes_on),
            others: way(types.others, |values| values.others),
        };
        Results {
            columns,
            slots: outcomes,
            ways,
        }
    }

    fn outcome(
        &mut self,
        columns: &mut Vec<Column<'a>>,
        ty: Type<'a>,
        values: Vec<Option<Value<'a>>>,
        depth: usize,
        condition: Option<Value<'a>>,
    ) -> Outcome<'a> {
        let mut there = values.iter().flatten();
        let Some(&first) = there.next() else {
            return Outcome::Nothing;
        };
        if there.all(|&value| value == first) && self.is_outside(first, depth) {
            return Outcome::Known(first);
        }
        if let (Some(condition), [Some(one), Some(other)]) = (condition, &values[..])
            && (self.ways.as_flag(*one), self.ways.as_flag(*other)) == (Some(true), Some(false))
        {
            return Outcome::Known(condition);
        }
        let fits = |column: &Column<'a>| {
            column.ty == ty
                && column
                    .values
                    .iter()
                    .zip(&values)
                    .all(|(one, other)| one.is_none() || other.is_none() || one == other)
        };
        let compared = columns.len().saturating_sub(COMPARED);
        if let Some(index) = columns[compared..].iter().rposition(fits) {
            let column = &mut columns[compared + index];
            for (one, other) in column.values.iter_mut().zip(values) {
                *one = one.or(other);
            }
            return Outcome::Result(compared + index);
        }
        columns.push(Column { ty, values });
        Outcome::Result(columns.len() - 1)
    }

    /// Whether a value that is visible here is defined in a block of at most that depth.
    pub(crate) fn is_outside(&self, value: Value<'a>, depth: usize) -> bool {
        let block = value.block().and_then(|block| self.depths.get(&block));
        block.is_some_and(|&found| found <= depth)
    }

    /// What a region hands to each result. What it does not have is never read: a value that another region has serves, if it is
    /// defined outside.
    pub(crate) fn operands(
        &mut self,
        results: &Results<'a>,
        region: usize,
        depth: usize,
    ) -> Vec<Value<'a>> {
        let mut operands = Vec::with_capacity(results.columns.len());
        for column in &results.columns {
            let own = column.values[region];
            let any = || {
                let mut others = column.values.iter().flatten().copied();
                others.find(|&value| self.is_outside(value, depth))
            };
            let value = own.or_else(any);
            operands.push(value.unwrap_or_else(|| self.ways.never_read(column.ty)));
        }
        operands
    }

    /// Fills what an operation hands out, where `result` gives its results.
    pub(crate) fn fill_results(
        &mut self,
        op: OpId,
        results: &Results<'a>,
        result: impl Fn(usize) -> Value<'a>,
    ) {
        let slots = &self.input.plan.handed_out[op];
        for (&slot, &outcome) in slots.iter().zip(&results.slots) {
            match outcome {
                Outcome::Nothing => {}
                Outcome::Known(value) => self.fill(slot, value),
                Outcome::Result(index) => self.fill(slot, result(index)),
            }
        }
    }

    /// The way on after an operation.
    pub(crate) fn way_after(
        &mut self,
        op: OpId,
        results: &Results<'a>,
        result: impl Fn(usize) -> Value<'a>,
    ) -> Way<'a> {
        let types = self.ways.types(self.input.tree.ops[op].left);
        let mut value = |outcome: Option<Outcome<'a>>, ty: Option<Type<'a>>| match outcome? {
            Outcome::Nothing => ty.map(|ty| self.ways.never_read(ty)),
            Outcome::Known(value) => Some(value),
            Outcome::Result(index) => Some(result(index)),
        };
        let goes_on = value(results.ways.goes_on, types.goes_on);
        let others = value(results.ways.others, types.others);
        Way {
            choice: self.input.tree.ops[op].left,
            values: Values { goes_on, others },
        }
    }
}
