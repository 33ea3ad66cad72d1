//! The greatest number of elements of lists that grow in loops.
//!
//! ```text
//! %l = EmptyTensorList([14], -1)
//! while (%i = 0, %m = %l) { %i < 1023 }                  runs 1,023 times
//! do { %p = TensorListPushBack(%m, %x); yield %i + 1, %p }        at most 1,023 elements
//! ```
//!
//! The tapes of derivatives state no greatest number of elements. A push adds one element each time
//! it runs. It runs as often as the loops around it that carry its list; a list that a loop does
//! not carry does not outlive an iteration. The sum over all pushes of a class is the bound.
//!
//! The iterations of a loop are counted if it compares a counter with a value that it does not
//! change. The first and the last value of the counter need not be constants: then the tensor gets
//! its size where the list was made. That is done only if each push runs in each iteration, since a
//! tensor has all its memory from the start, and a list only that of its elements.
//!
//! Cost: linear in the operations, times the depth of loops.

use melior::ir::Type;
use melior::ir::r#type::IntegerType;
use tfx_dialects::tensor;
use tfx_graphdef_mlir::{tensors, types};
use tfx_ir::{Builder, Mapping, Op, Region, Value};

use super::{integers, tf};

/// The bits of computed sizes.
pub(super) const BITS: u32 = 64;

/// The counter of a loop, whose first and last value are not both constants.
#[derive(Clone, Copy, Debug)]
struct Counter<'a> {
    first: Value<'a>,
    last: Value<'a>,
    step: i64,
    /// The loop also runs for the last value.
    includes_last: bool,
}

/// The number of iterations of a loop.
#[derive(Clone, Copy, Debug)]
enum Iterations<'a> {
    Constant(u64),
    Counted(Counter<'a>),
}

/// A number of elements: `constant`, and for each counter its iterations times a factor.
#[derive(Clone, Debug, Default)]
pub(super) struct Bound<'a> {
    pub(super) constant: u64,
    counted: Vec<(u64, Counter<'a>)>,
    /// Lists may have fewer elements.
    pub(super) is_inexact: bool,
}

/// Gives each use of a list without elements a list of its own, next to it: lists that start as the
/// same one differ.
pub(super) fn separate(module: Op<'_>) {
    let ops = module.walk().filter_map(tensor::Op::cast);
    let made = ops.filter(|op| op.tf_name() == "EmptyTensorList");
    for op in made.map(tensor::Op::op).collect::<Vec<_>>() {
        let mut uses: Vec<_> = op.result(0).uses().collect();
        let Some(last) = uses.pop() else { continue };
        for used in uses.into_iter().rev() {
            let own = Builder::before(used.owner).clone_op(op, &mut Mapping::new());
            used.set(own.result(0));
        }
        op.move_before(last.owner);
    }
}

/// Returns how many elements a list of a class has at most, which these operations push.
/// `is_carried` says which loops carry lists of the class.
pub(super) fn of_pushes<'a>(
    pushes: &[Op<'a>],
    is_carried: impl Fn(Op<'a>) -> bool,
) -> Option<Bound<'a>> {
    let mut bound = Bound::default();
    for push in pushes {
        let (mut factor, mut counter) = (1_u64, None);
        for around in push.ancestors() {
            if around.isa::<tensor::If>() || around.isa::<tensor::Case>() {
                bound.is_inexact = true;
            }
            if !around.isa::<tensor::While>() || !is_carried(around) {
                continue;
            }
            let (iterations, is_exact) = iterations(around)?;
            bound.is_inexact |= !is_exact;
            match iterations {
                Iterations::Constant(count) => factor = factor.checked_mul(count)?,
                Iterations::Counted(_) if counter.is_some() => return None,
                Iterations::Counted(counted) => counter = Some(counted),
            }
        }
        match counter {
            Some(counter) => bound.counted.push((factor, counter)),
            None => bound.constant = bound.constant.checked_add(factor)?,
        }
    }
    (bound.counted.is_empty() || !bound.is_inexact).then_some(bound)
}

impl<'a> Bound<'a> {
    /// Returns the number if it is a constant.
    pub(super) fn as_constant(&self) -> Option<u64> {
        self.counted.is_empty().then_some(self.constant)
    }

    /// Returns whether it can be computed before an operation.
    pub(super) fn is_known_before(&self, op: Op<'a>) -> bool {
        let mut counters = self.counted.iter().map(|(_, counter)| counter);
        counters.all(|counter| is_before(counter.first, op) && is_before(counter.last, op))
    }

    /// Builds the number, as an integer of [`BITS`] bits.
    pub(super) fn build(&self, builder: &mut Builder<'a>) -> Value<'a> {
        let ty = scalar(builder);
        let constant = i64::try_from(self.constant).unwrap_or(i64::MAX);
        let mut sum = integers(builder, BITS, &[], &[constant]);
        for (factor, counter) in &self.counted {
            let iterations = counter.build(builder);
            let factor = i64::try_from(*factor).unwrap_or(i64::MAX);
            let factor = integers(builder, BITS, &[], &[factor]);
            let pushed = tf(builder, "Mul", &[iterations, factor], ty);
            sum = tf(builder, "AddV2", &[sum, pushed], ty);
        }
        sum
    }
}

impl<'a> Counter<'a> {
    /// Builds the number of iterations.
    fn build(&self, builder: &mut Builder<'a>) -> Value<'a> {
        let ty = scalar(builder);
        let [first, last] = [self.first, self.last].map(|value| match value.ty() == ty {
            true => value,
            false => tf(builder, "Cast", &[value], ty),
        });
        let ends = match self.step > 0 {
            true => [last, first],
            false => [first, last],
        };
        let distance = tf(builder, "Sub", &ends, ty);
        let (step, zero) = (
            self.step.saturating_abs(),
            integers(builder, BITS, &[], &[0]),
        );
        // Rounded up, unless the last value is one of the counter's.
        let more = match self.includes_last {
            true => step,
            false => step - 1,
        };
        let more = integers(builder, BITS, &[], &[more]);
        let step = integers(builder, BITS, &[], &[step]);
        let distance = tf(builder, "AddV2", &[distance, more], ty);
        let count = tf(builder, "FloorDiv", &[distance, step], ty);
        tf(builder, "Maximum", &[count, zero], ty)
    }

    /// Returns the number of iterations if both ends are constants.
    fn constant(&self) -> Option<u64> {
        let [first, last] = [constant(self.first)?, constant(self.last)?].map(i128::from);
        let step = i128::from(self.step);
        let distance = match step > 0 {
            true => last - first,
            false => first - last,
        };
        let more = match self.includes_last {
            true => step.abs(),
            false => step.abs() - 1,
        };
        u64::try_from((distance + more).div_euclid(step.abs()).max(0)).ok()
    }
}

fn scalar<'a>(builder: &Builder<'a>) -> Type<'a> {
    let integer: Type<'a> = IntegerType::new(builder.context(), BITS).into();
    types::tensor_of(builder.context(), Some(&[]), integer)
}

/// Returns the greatest number of iterations of a loop, and whether it always has that many.
fn iterations(op: Op<'_>) -> Option<(Iterations<'_>, bool)> {
    let condition = op.region(0).terminator()?.operands().next()?;
    let mut is_exact = true;
    let mut left = vec![condition];
    // Each part of a conjunction bounds the loop.
    while let Some(value) = left.pop() {
        let part = value.defining_op().and_then(tensor::Op::cast)?;
        if part.tf_name() == "LogicalAnd" {
            is_exact = false;
            left.extend(part.op().operands());
            continue;
        }
        if let Some(counter) = counter(op, part) {
            return Some(match counter.constant() {
                Some(count) => (Iterations::Constant(count), is_exact),
                None => (Iterations::Counted(counter), is_exact),
            });
        }
    }
    None
}

/// Returns the counter of a loop that a comparison in its condition bounds.
fn counter<'a>(op: Op<'a>, comparison: tensor::Op<'a>) -> Option<Counter<'a>> {
    let (goes_up, includes_last) = match comparison.tf_name() {
        "Less" => (true, false),
        "LessEqual" => (true, true),
        "Greater" => (false, false),
        "GreaterEqual" => (false, true),
        _ => return None,
    };
    let [left, right] = [0, 1].map(|operand| comparison.op().operand(operand));
    for (counted, last, goes_up) in [(left, right, goes_up), (right, left, !goes_up)] {
        let Some(position) = argument_of(counted, op.region(0)) else {
            continue;
        };
        let (Some(step), Some(last)) = (step(op, position), unchanged(op, last)) else {
            continue;
        };
        if step != 0
            && (step > 0) == goes_up
            && types::width(types::element_type(last.ty())) > Some(1)
        {
            let first = op.operand(position);
            return Some(Counter {
                first,
                last,
                step,
                includes_last,
            });
        }
    }
    None
}

/// Returns what a loop adds to a value in each iteration.
fn step(op: Op<'_>, position: usize) -> Option<i64> {
    let body = op.region(1);
    let next = body.terminator()?.operand(position).defining_op();
    let next = next.and_then(tensor::Op::cast)?;
    let [left, right] = [next.op().operands().next()?, next.op().operands().nth(1)?];
    let is_counter = |value| argument_of(value, body) == Some(position);
    match next.tf_name() {
        "AddV2" | "Add" if is_counter(left) => constant(right),
        "AddV2" | "Add" if is_counter(right) => constant(left),
        "Sub" if is_counter(left) => constant(right)?.checked_neg(),
        _ => None,
    }
}

/// Returns the value from outside of a loop that a value in its condition always is.
fn unchanged<'a>(op: Op<'a>, value: Value<'a>) -> Option<Value<'a>> {
    if !value.is_defined_within(op) || constant(value).is_some() {
        return Some(value);
    }
    let position = argument_of(value, op.region(0))?;
    let next = op.region(1).terminator()?.operand(position);
    (argument_of(next, op.region(1)) == Some(position)).then(|| op.operand(position))
}

/// Returns the position of a value among the arguments of a region.
fn argument_of(value: Value<'_>, region: Region<'_>) -> Option<usize> {
    let (block, position) = value.as_argument()?;
    (Some(block) == region.entry()).then_some(position)
}

fn constant(value: Value<'_>) -> Option<i64> {
    match tensors::integers(value)?[..] {
        [number] if types::sizes(value.ty()).is_some_and(|sizes| sizes.is_empty()) => Some(number),
        _ => None,
    }
}

/// Returns whether a value is defined before an operation, in its block or around it.
fn is_before<'a>(value: Value<'a>, op: Op<'a>) -> bool {
    let block = value.block();
    let mut around = std::iter::successors(Some(op), |op| op.parent());
    let Some(place) = around.find(|around| around.block() == block) else {
        return false;
    };
    value.defining_op().is_none_or(|made| made.is_before(place))
}
