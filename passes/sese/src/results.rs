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
use smallvec::SmallVec;
use tfx_ir::{Block, Value};

use crate::cfg::BlockId;
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

/// Some values; mostly one or two.
pub(crate) type List<'a> = SmallVec<[Value<'a>; 4]>;

/// What one region of an operation has for the values that tell where to go on. What it has for slots stands in [`Emitter::yielded`].
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) block: Block<'a>,
    /// The block of the function that this is, if it was not made for the operation.
    pub(crate) origin: Option<BlockId>,
    pub(crate) ways: Values<Value<'a>>,
    /// What is pending at its end.
    pub(crate) choice: Choice,
}

impl<'a> Row<'a> {
    /// Whether a value that is visible at the end of the region is defined around it. What can be seen there and is not, is of its own block.
    fn sees_outside(&self, value: Value<'a>) -> bool {
        value.block() != Some(self.block)
    }
}

/// The rows of an operation, and where its slots start in [`Emitter::yielded`].
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) first: usize,
    pub(crate) yielded: usize,
}

/// What an operation hands out.
pub(crate) struct Results<'a> {
    /// Per result.
    pub(crate) types: SmallVec<[Type<'a>; 4]>,
    pub(crate) slots: SmallVec<[Outcome<'a>; 4]>,
    pub(crate) ways: Values<Outcome<'a>>,
    /// What the regions have for the results, result by result.
    columns: Columns<'a>,
}

type Columns<'a> = SmallVec<[Option<Value<'a>>; 8]>;

impl<'a> Results<'a> {
    /// What the regions have for one result.
    fn column(&self, index: usize, rows: usize) -> &[Option<Value<'a>>] {
        &self.columns[index * rows..][..rows]
    }
}

impl<'a> Emitter<'a, '_> {
    /// Where the rows of an operation start whose first region is about to be filled.
    pub(crate) fn start_rows(&self) -> Rows {
        Rows {
            first: self.rows.len(),
            yielded: self.yielded.len(),
        }
    }

    /// Notes what the innermost region has for the results of `op`; `ways` are in the form that is needed after `op`.
    pub(crate) fn add_row(&mut self, op: OpId, row: Row<'a>) {
        let slots = self.input.plan.handed_out(op);
        match row.choice == Choice::NEVER {
            true => self.yielded.extend(slots.map(|_| None)),
            false => {
                let filled = &self.filled;
                self.yielded.extend(slots.map(|slot| filled[slot]));
            }
        }
        self.rows.push(row);
    }

    /// Forgets the rows of an operation that has been made.
    pub(crate) fn drop_rows(&mut self, rows: Rows) {
        self.rows.truncate(rows.first);
        self.yielded.truncate(rows.yielded);
    }

    /// Finds the results of `op`, from its rows. `condition` is what an `scf.if` tests.
    pub(crate) fn find_results(
        &self,
        op: OpId,
        rows: Rows,
        condition: Option<Value<'a>>,
    ) -> Results<'a> {
        let slots = self.input.plan.handed_out(op);
        let count = slots.len();
        let yielded = &self.yielded[rows.yielded..];
        let rows = &self.rows[rows.first..];
        let mut results = Results {
            types: SmallVec::new(),
            slots: SmallVec::new(),
            ways: Values::NONE,
            columns: Columns::new(),
        };
        for (index, slot) in slots.enumerate() {
            let info = &self.input.slots.infos[slot];
            // What was there before and leads nowhere from that region is not needed.
            let is_stale = |value: Option<Value<'a>>, choice: Choice| {
                value == self.filled[slot]
                    && info.target.is_some_and(|target| !choice.may_be(target))
            };
            for (place, row) in rows.iter().enumerate() {
                let value = yielded[place * count + index];
                results
                    .columns
                    .push(value.filter(|_| !is_stale(value, row.choice)));
            }
            let outcome = self.outcome(&mut results, rows, info.ty, condition);
            results.slots.push(outcome);
        }
        let types = self.ways.types(self.input.tree.ops[op].left);
        if let Some(ty) = types.goes_on {
            let values = rows.iter().map(|row| row.ways.goes_on);
            results.columns.extend(values);
            results.ways.goes_on = Some(self.outcome(&mut results, rows, ty, condition));
        }
        if let Some(ty) = types.others {
            let values = rows.iter().map(|row| row.ways.others);
            results.columns.extend(values);
            results.ways.others = Some(self.outcome(&mut results, rows, ty, condition));
        }
        results
    }

    /// What becomes of something for which the last column has what the regions have. The column
    /// stays if it becomes a result.
    fn outcome(
        &self,
        results: &mut Results<'a>,
        rows: &[Row<'a>],
        ty: Type<'a>,
        condition: Option<Value<'a>>,
    ) -> Outcome<'a> {
        let count = results.types.len();
        let (known, values) = results.columns.split_at_mut(count * rows.len());
        let outcome = self.outcome_of(known, values, &results.types, rows, ty, condition);
        match outcome {
            Outcome::Result(index) if index == count => results.types.push(ty),
            _ => results.columns.truncate(count * rows.len()),
        }
        outcome
    }

    /// [`Emitter::outcome`], where `values` is the last column and `known` the columns before it. A
    /// column that holds `values` as well takes them over.
    fn outcome_of(
        &self,
        known: &mut [Option<Value<'a>>],
        values: &[Option<Value<'a>>],
        types: &[Type<'a>],
        rows: &[Row<'a>],
        ty: Type<'a>,
        condition: Option<Value<'a>>,
    ) -> Outcome<'a> {
        let mut there = values.iter().zip(rows);
        let Some((first, row)) = there.find_map(|(value, row)| Some(((*value)?, row))) else {
            return Outcome::Nothing;
        };
        let mut others = there.filter_map(|(value, _)| *value);
        if others.all(|value| value == first) && row.sees_outside(first) {
            return Outcome::Known(first);
        }
        if let (Some(condition), [Some(one), Some(other)]) = (condition, values)
            && (self.ways.as_flag(*one), self.ways.as_flag(*other)) == (Some(true), Some(false))
        {
            return Outcome::Known(condition);
        }
        let fits = |&index: &usize| {
            let column = &known[index * rows.len()..][..rows.len()];
            let mut pairs = column.iter().zip(values);
            types[index] == ty
                && pairs.all(|(one, other)| one.is_none() || other.is_none() || one == other)
        };
        let count = types.len();
        let found = (count.saturating_sub(COMPARED)..count).rev().find(fits);
        if let Some(index) = found {
            let column = &mut known[index * rows.len()..][..rows.len()];
            for (one, other) in column.iter_mut().zip(values) {
                *one = one.or(*other);
            }
        }
        Outcome::Result(found.unwrap_or(count))
    }

    /// What region number `region` hands to each result. What it does not have is never read: a value that another region has serves, if
    /// it is defined outside.
    pub(crate) fn operands(
        &mut self,
        results: &Results<'a>,
        rows: Rows,
        region: usize,
    ) -> List<'a> {
        let rows = &self.rows[rows.first..];
        let mut operands = List::with_capacity(results.types.len());
        for (index, &ty) in results.types.iter().enumerate() {
            let column = results.column(index, rows.len());
            let any = || {
                let mut others = column.iter().zip(rows);
                others.find_map(|(value, row)| value.filter(|&value| row.sees_outside(value)))
            };
            let value = column[region].or_else(any);
            operands.push(value.unwrap_or_else(|| self.ways.never_read(ty)));
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
        let slots = self.input.plan.handed_out(op);
        for (slot, &outcome) in slots.zip(&results.slots) {
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
