//! The results of structured operations.
//!
//! A slot that an operation may return is a *column*: the value at the end of each region, if any.
//!
//! ```text
//!                  first arm   second arm
//!   slot 4         %a          -            %a is defined outside: no result, slot 4 has %a
//!   slot 5         %b          -            one result for both: no arm has two different values
//!   slot 6         -           %c
//!   continues      %true       %false       the condition, for an scf.if
//! ```
//!
//! Cost: a column is compared with a bounded number of others.

use melior::ir::Type;
use smallvec::SmallVec;
use tfx_ir::Value;

use super::discriminator::{Discriminator, PathState};
use super::emitter::{Emitter, Row, Values};
use crate::pending::TargetSet;
use crate::tree::OpId;

/// The most results that a column is compared with, the last first. More of one type are rare, and
/// comparing with all is quadratic.
const COMPARED: usize = 8;

/// The value of a slot or of a discriminator after an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome<'a> {
    /// No region has a value, so nothing reads it.
    Nothing,
    /// This value, defined outside.
    Known(Value<'a>),
    /// The result of this index.
    Result(usize),
}

/// The start of the rows of an operation, and of their slots in [`Emitter::yielded`].
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) first: usize,
    yielded: usize,
}

/// The results of an operation.
pub(crate) struct Results<'a> {
    /// Per result.
    pub(crate) types: SmallVec<[Type<'a>; 4]>,
    slots: SmallVec<[Outcome<'a>; 4]>,
    discriminator: Discriminator<Outcome<'a>>,
    /// Per result: the values that the regions have.
    columns: Columns<'a>,
}

type Columns<'a> = SmallVec<[Option<Value<'a>>; 8]>;

impl<'a> Emitter<'a, '_> {
    /// Returns the start of the rows of an operation whose first region is opened next.
    pub(crate) fn start_rows(&self) -> Rows {
        Rows {
            first: self.rows.len(),
            yielded: self.yielded.len(),
        }
    }

    /// Records the values of the current region for the results of `op`, and ends the region. The
    /// discriminator has the encoding that is needed after `op`.
    pub(crate) fn end_row(&mut self, op: OpId, row: Row<'a>) {
        let slots = self.input.plan.result_slots(op);
        match row.targets == TargetSet::EMPTY {
            true => self.yielded.extend(slots.map(|_| None)),
            false => {
                let filled = &self.filled;
                self.yielded.extend(slots.map(|slot| filled[slot]));
            }
        }
        self.rows.push(row);
        self.leave();
    }

    /// Removes the rows of an operation that is built.
    pub(crate) fn drop_rows(&mut self, rows: Rows) {
        self.rows.truncate(rows.first);
        self.yielded.truncate(rows.yielded);
    }

    /// Computes the results of `op` from its rows. `condition` is the operand of an `scf.if`.
    pub(crate) fn find_results(
        &self,
        op: OpId,
        rows: Rows,
        condition: Option<Value<'a>>,
    ) -> Results<'a> {
        let slots = self.input.plan.result_slots(op);
        let count = slots.len();
        let yielded = &self.yielded[rows.yielded..];
        let rows = &self.rows[rows.first..];
        let mut results = Results {
            types: SmallVec::new(),
            slots: SmallVec::new(),
            discriminator: Discriminator::NONE,
            columns: Columns::new(),
        };
        for (index, slot) in slots.enumerate() {
            let info = &self.input.slots.infos[slot];
            // An old value is not needed where its target cannot be pending.
            let is_stale = |value: Option<Value<'a>>, targets: TargetSet| {
                value == self.filled[slot]
                    && info
                        .target
                        .is_some_and(|target| !targets.may_contain(target))
            };
            for (number, row) in rows.iter().enumerate() {
                let value = yielded[number * count + index];
                results
                    .columns
                    .push(value.filter(|_| !is_stale(value, row.targets)));
            }
            let outcome = self.outcome(&mut results, rows, info.ty, condition);
            results.slots.push(outcome);
        }
        let types = self.encoder.types(self.input.tree.ops[op].at_end);
        if let Some(ty) = types.continues {
            let values = rows.iter().map(|row| row.discriminator.continues);
            results.columns.extend(values);
            let outcome = self.outcome(&mut results, rows, ty, condition);
            results.discriminator.continues = Some(outcome);
        }
        if let Some(ty) = types.others {
            let values = rows.iter().map(|row| row.discriminator.others);
            results.columns.extend(values);
            results.discriminator.others = Some(self.outcome(&mut results, rows, ty, condition));
        }
        results
    }

    /// Returns the outcome of the last column, which is removed unless it becomes a new result.
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

    /// Implements [`Emitter::outcome`]: `values` is the last column, `known` are the others. A
    /// result that can return `values` too takes them over.
    fn outcome_of(
        &self,
        known: &mut [Option<Value<'a>>],
        values: &[Option<Value<'a>>],
        types: &[Type<'a>],
        rows: &[Row<'a>],
        ty: Type<'a>,
        condition: Option<Value<'a>>,
    ) -> Outcome<'a> {
        let mut present = values.iter().zip(rows);
        let Some((first, row)) = present.find_map(|(value, row)| Some(((*value)?, row))) else {
            return Outcome::Nothing;
        };
        let mut others = present.filter_map(|(value, _)| *value);
        if others.all(|value| value == first) && row.is_outside(first) {
            return Outcome::Known(first);
        }
        if let (Some(condition), [Some(one), Some(other)]) = (condition, values)
            && (self.encoder.as_flag(*one), self.encoder.as_flag(*other))
                == (Some(true), Some(false))
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

    /// Returns the operands of the terminator of region `region`. A missing value is never read, so
    /// any value of another region serves, if it is defined outside.
    pub(crate) fn operands(
        &mut self,
        results: &Results<'a>,
        rows: Rows,
        region: usize,
    ) -> Values<'a> {
        let rows = &self.rows[rows.first..];
        let mut operands = Values::with_capacity(results.types.len());
        for (index, &ty) in results.types.iter().enumerate() {
            let column = &results.columns[index * rows.len()..][..rows.len()];
            let any = || {
                let mut others = column.iter().zip(rows);
                others.find_map(|(value, row)| value.filter(|&value| row.is_outside(value)))
            };
            let value = column[region].or_else(any);
            operands.push(value.unwrap_or_else(|| self.encoder.placeholder(ty)));
        }
        operands
    }

    /// Fills the slots that `op` returns, where `result` returns the values of its results.
    pub(crate) fn fill_results(
        &mut self,
        op: OpId,
        results: &Results<'a>,
        result: impl Fn(usize) -> Value<'a>,
    ) {
        let slots = self.input.plan.result_slots(op);
        for (slot, &outcome) in slots.zip(&results.slots) {
            match outcome {
                Outcome::Nothing => {}
                Outcome::Known(value) => self.fill(slot, value),
                Outcome::Result(index) => self.fill(slot, result(index)),
            }
        }
    }

    /// Continues after `op`: fills its slots and sets the state of the current region.
    pub(crate) fn continue_after(
        &mut self,
        op: OpId,
        results: &Results<'a>,
        result: impl Fn(usize) -> Value<'a>,
    ) {
        self.fill_results(op, results, &result);
        let targets = self.input.tree.ops[op].at_end;
        let types = self.encoder.types(targets);
        let mut value = |outcome: Option<Outcome<'a>>, ty: Option<Type<'a>>| match outcome? {
            Outcome::Nothing => ty.map(|ty| self.encoder.placeholder(ty)),
            Outcome::Known(value) => Some(value),
            Outcome::Result(index) => Some(result(index)),
        };
        let continues = value(results.discriminator.continues, types.continues);
        let others = value(results.discriminator.others, types.others);
        self.current().state = PathState {
            targets,
            discriminator: Discriminator { continues, others },
        };
    }
}
