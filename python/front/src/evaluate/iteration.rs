//! Iteration: ranges and rows at run time, tuples one element at a time.
//!
//! The iterator of a tuple has a static position, so a loop over it is unrolled: inference visits
//! its body once for each position. A comprehension unrolls ranges with constant bounds and tensors
//! of a known number of rows, too, as does an assignment to several names.

use tfx::runtime::DType;

use super::{Evaluator, Val, constant_int};
use crate::target::{Predicate, Result, Target};
use crate::value::{Iterator, Lazy, TensorType, Value, tensor_name};

/// The number of iterations that are unrolled at most.
pub(crate) const UNROLLED: usize = 64;

type Iter<T> = Iterator<<T as Target>::V>;

impl<T: Target> Evaluator<'_, T> {
    pub(super) fn iterator(&mut self, value: Val<T>, unrolls: bool) -> Result<Val<T>> {
        Ok(Value::Iterator(Box::new(self.iterate(value, unrolls)?)))
    }

    fn too_many<R>(&self) -> Result<R> {
        self.fail(format!(
            "more than {UNROLLED} elements would be unrolled; use a loop with a tensor"
        ))
    }

    fn iterate(&mut self, value: Val<T>, unrolls: bool) -> Result<Iter<T>> {
        Ok(match value {
            Value::Tuple(parts) | Value::List(parts) => {
                if parts.len() > UNROLLED {
                    return self.fail(format!(
                        "a loop over {} elements would be unrolled; use a range or a tensor",
                        parts.len()
                    ));
                }
                Iterator::Static(parts, 0)
            }
            Value::Range(bounds) => {
                let [start, stop, step] = *bounds;
                let known = [&start, &stop, &step].map(constant_int);
                if let (true, [Some(start), Some(stop), Some(step)]) = (unrolls, known) {
                    let mut parts = Vec::new();
                    let mut next = start;
                    while (step > 0 && next < stop) || (step < 0 && next > stop) {
                        if parts.len() == UNROLLED {
                            return self.too_many();
                        }
                        parts.push(self.int(next));
                        next = next.saturating_add(step);
                    }
                    return Ok(Iterator::Static(parts, 0));
                }
                let count = self.range_length(&start, &stop, &step);
                Iterator::Range(start, count, step)
            }
            Value::Tensor(value, ty) if ty.rank() > 0 => {
                let count = self.size_of(&value, &ty, 0);
                let rows = ty.shape[0].filter(|_| unrolls);
                let tensor = Value::Tensor(value, ty);
                let Some(rows) = rows else {
                    return Ok(Iterator::Rows(tensor, self.int(0), count));
                };
                if rows > UNROLLED as u64 {
                    return self.too_many();
                }
                let mut parts = Vec::new();
                for row in 0..rows {
                    let row = self.int(row as i64);
                    parts.push(self.current(&Iterator::Rows(
                        tensor.clone(),
                        row,
                        count.clone(),
                    ))?);
                }
                Iterator::Static(parts, 0)
            }
            Value::Tensor(_, ty) => {
                return self.fail(format!("{} has no rows", tensor_name(&ty)));
            }
            Value::Lazy(Lazy::Enumerate, mut parts) => {
                let start = parts.pop().expect("an enumeration has a start");
                let inner = parts.pop().expect("an enumeration has an iterable");
                Iterator::Enumerate(start, Box::new(self.iterate(inner, unrolls)?))
            }
            Value::Lazy(Lazy::Zip, parts) => {
                let parts = parts.into_iter().map(|part| self.iterate(part, unrolls));
                Iterator::Zip(parts.collect::<Result<_>>()?)
            }
            Value::Lazy(Lazy::Reversed, mut parts) => match parts.pop() {
                Some(Value::Tuple(mut parts) | Value::List(mut parts)) => {
                    parts.reverse();
                    return self.iterate(Value::Tuple(parts), unrolls);
                }
                Some(Value::Range(bounds)) => {
                    let reversed = self.reversed_range(*bounds)?;
                    return self.iterate(reversed, unrolls);
                }
                _ => return self.fail("'reversed' is compiled for tuples and ranges"),
            },
            Value::Str(..) => {
                return self.fail("a loop over a string is not compiled; use a @tfx.host function");
            }
            other => {
                let name = self.describe(&other);
                let advice = if matches!(other, Value::Int(..)) {
                    "; write range(..)"
                } else {
                    ""
                };
                return self.fail(format!("{name} is not iterable in a program{advice}"));
            }
        })
    }

    /// The number of elements of a range. The operations do not overflow for ranges with at most
    /// 2^63 - 1 elements; others are rejected by a check.
    pub(super) fn range_length(&mut self, start: &Val<T>, stop: &Val<T>, step: &Val<T>) -> Val<T> {
        let known = [start, stop, step].map(constant_int);
        if let [Some(start), Some(stop), Some(step)] = known
            && step != 0
        {
            let (start, stop, step) = (i128::from(start), i128::from(stop), i128::from(step));
            let count = match step > 0 {
                true => (stop - start + step - 1).max(0) / step,
                false => (start - stop - step - 1).max(0) / -step,
            };
            if let Ok(count) = i64::try_from(count) {
                return self.int(count);
            }
        }
        let [
            Value::Int(start, _),
            Value::Int(stop, _),
            Value::Int(step, c),
        ] = [start, stop, step].map(Clone::clone)
        else {
            unreachable!("the bounds of a range are integers");
        };
        let t = &mut *self.target;
        let (zero, one) = (t.int(0), t.int(1));
        // Upwards: (stop - start + step - 1) / step; downwards with the bounds exchanged.
        let (low, high, size) = match c {
            Some(step) if step > 0 => (start, stop, t.int(step)),
            Some(step) => (stop, start, t.int(step.saturating_neg())),
            None => {
                let up = t.compare(false, Predicate::Gt, &step, &zero);
                let low = t.scalar("arith.select", &[up.clone(), start.clone(), stop.clone()]);
                let high = t.scalar("arith.select", &[up.clone(), stop, start]);
                let negated = t.scalar("arith.subi", &[zero.clone(), step.clone()]);
                (low, high, t.scalar("arith.select", &[up, step, negated]))
            }
        };
        let some = t.compare(false, Predicate::Gt, &high, &low);
        let difference = t.scalar("arith.subi", &[high, low]);
        let difference = t.scalar("arith.select", &[some, difference, zero.clone()]);
        if c == Some(1) || c == Some(-1) {
            let holds = t.compare(false, Predicate::Ge, &difference, &zero);
            self.overflow(&holds);
            return Value::Int(difference, None);
        }
        let holds = t.compare(false, Predicate::Ge, &difference, &zero);
        self.overflow(&holds);
        let t = &mut *self.target;
        let quotient = t.scalar("arith.divsi", &[difference.clone(), size.clone()]);
        let rest = t.scalar("arith.remsi", &[difference, size]);
        let inexact = t.compare(false, Predicate::Ne, &rest, &zero);
        let more = t.scalar("arith.addi", &[quotient.clone(), one]);
        Value::Int(t.scalar("arith.select", &[inexact, more, quotient]), None)
    }

    fn reversed_range(&mut self, [start, stop, step]: [Val<T>; 3]) -> Result<Val<T>> {
        use tfx_python_syntax::BinaryOp::{Add, Mul, Sub};
        let count = self.range_length(&start, &stop, &step);
        let one = self.int(1);
        let last = self.binary(Sub, count, one)?;
        let distance = self.binary(Mul, last, step.clone())?;
        let first = self.binary(Add, start.clone(), distance)?;
        let end = self.binary(Sub, start, step.clone())?;
        let zero = self.int(0);
        let back = self.binary(Sub, zero, step)?;
        Ok(Value::Range(Box::new([first, end, back])))
    }

    pub(super) fn has_next(&mut self, iterator: Val<T>) -> Result<Val<T>> {
        let Value::Iterator(iterator) = iterator else {
            let name = self.describe(&iterator);
            return self.fail(format!(
                "the iterable of this loop is {name}, which depends on data"
            ));
        };
        self.more(&iterator)
    }

    fn more(&mut self, iterator: &Iter<T>) -> Result<Val<T>> {
        Ok(match iterator {
            Iterator::Static(parts, position) => self.bool(*position < parts.len()),
            Iterator::Range(_, left, _) => match left {
                Value::Int(_, Some(left)) => self.bool(*left > 0),
                left => self.is_positive(left),
            },
            Iterator::Rows(_, next, count) => match (constant_int(next), constant_int(count)) {
                (Some(next), Some(count)) => self.bool(next < count),
                _ => {
                    let (Value::Int(next, _), Value::Int(count, _)) = (next, count) else {
                        unreachable!("positions are integers");
                    };
                    let less = self.target.compare(false, Predicate::Lt, next, count);
                    Value::Bool(less, None)
                }
            },
            Iterator::Enumerate(_, inner) => self.more(inner)?,
            Iterator::Zip(parts) => {
                let mut all = self.bool(!parts.is_empty());
                for part in parts {
                    let more = self.more(part)?;
                    all = self.and(all, more);
                }
                all
            }
        })
    }

    fn is_positive(&mut self, value: &Val<T>) -> Val<T> {
        let Value::Int(value, _) = value else {
            unreachable!("a count is an integer");
        };
        let zero = self.target.int(0);
        Value::Bool(
            self.target.compare(false, Predicate::Gt, value, &zero),
            None,
        )
    }

    pub(super) fn item(&mut self, iterator: Val<T>) -> Result<Val<T>> {
        let Value::Iterator(iterator) = iterator else {
            unreachable!("has_next has checked the iterator");
        };
        self.current(&iterator)
    }

    fn current(&mut self, iterator: &Iter<T>) -> Result<Val<T>> {
        Ok(match iterator {
            Iterator::Static(parts, position) => parts[*position].clone(),
            Iterator::Range(next, ..) => next.clone(),
            Iterator::Rows(tensor, next, _) => {
                let (Value::Tensor(value, ty), Value::Int(index, _)) = (tensor, next) else {
                    unreachable!("rows are of a tensor");
                };
                // The position is inside.
                let row = TensorType {
                    dtype: ty.dtype,
                    shape: ty.shape[1..].to_vec(),
                };
                let index = self.target.tensor_of_scalar(index, DType::I64);
                let axis = self.int_tensor(0);
                self.op("GatherV2", &[value.clone(), index, axis], row)
            }
            Iterator::Enumerate(index, inner) => {
                Value::Tuple(vec![index.clone(), self.current(inner)?])
            }
            Iterator::Zip(parts) => {
                let parts = parts.iter().map(|part| self.current(part));
                Value::Tuple(parts.collect::<Result<_>>()?)
            }
        })
    }

    pub(super) fn advance(&mut self, iterator: Val<T>) -> Result<Val<T>> {
        let Value::Iterator(iterator) = iterator else {
            unreachable!("has_next has checked the iterator");
        };
        Ok(Value::Iterator(Box::new(self.advanced(*iterator))))
    }

    fn advanced(&mut self, iterator: Iter<T>) -> Iter<T> {
        match iterator {
            Iterator::Static(parts, position) => Iterator::Static(parts, position + 1),
            Iterator::Range(next, left, step) => {
                // The value after the last one may overflow, and is not used.
                let next = self.unchecked("arith.addi", next, step.clone());
                let one = self.int(1);
                Iterator::Range(next, self.unchecked("arith.subi", left, one), step)
            }
            Iterator::Rows(tensor, next, count) => {
                let one = self.int(1);
                Iterator::Rows(tensor, self.unchecked("arith.addi", next, one), count)
            }
            Iterator::Enumerate(index, inner) => {
                let one = self.int(1);
                let next = match constant_int(&index).and_then(|index| index.checked_add(1)) {
                    Some(next) => self.int(next),
                    None => self.unchecked("arith.addi", index, one),
                };
                Iterator::Enumerate(next, Box::new(self.advanced(*inner)))
            }
            Iterator::Zip(parts) => {
                Iterator::Zip(parts.into_iter().map(|of| self.advanced(of)).collect())
            }
        }
    }

    /// An operation on counters, whose results are never used beyond their bounds.
    fn unchecked(&mut self, name: &'static str, a: Val<T>, b: Val<T>) -> Val<T> {
        let (Value::Int(a, _), Value::Int(b, _)) = (a, b) else {
            unreachable!("counters are integers");
        };
        Value::Int(self.target.scalar(name, &[a, b]), None)
    }
}
