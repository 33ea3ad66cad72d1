//! Loops with *checkpoints*: their derivatives keep the carried values of some iterations, and
//! compute the rest again.
//!
//! ```text
//!   %y = scf.while (%x) {..} {tfx_ad.checkpoint = ..}  ──►  %y = call @f.loop(%x, captured)
//!
//!   @f.loop.segment(limit, %x, captured)        runs at most `limit` iterations
//!   @f.loop.again(limit, %x, captured)          the same without effects
//!
//!   forward   0 ──segment──► 3 ──segment──► 5 ──► ...    keeps %x of 0, 3, 5
//!   backward  ... ◄── the derivative of @f.loop.again from 5 on
//!             3 ──again──► 4 ◄── its derivative from 4 to 5
//! ```
//!
//! # Algorithm
//!
//! The loop becomes a function, whose derivative is written here ([`driver`]) and not by
//! `reverse.rs`. It consists of calls of a *segment*: the same loop with a limit on its iterations.
//! The tapes of a segment exist while the segment is reversed, so memory holds the checkpoints and
//! the tapes of one segment. Loops inside of loops are outlined first, so each has checkpoints of
//! its own.
//!
//! * `periodic<k>`: segments of `k` iterations, each with a checkpoint at its start.
//! * `binomial<slots>`: segments of one iteration. The checkpoints are where the fewest iterations
//!   run again: `rules/checkpoints.mlir`. If the number of iterations is not known when the loop
//!   starts, the forward run keeps each second checkpoint once all slots are taken, and doubles the
//!   distance.
//!
//! Source: Griewank and Walther, "Algorithm 799: revolve", 2000; Wang, Moin and Iaccarino, "Minimal
//! repetition dynamic checkpointing algorithm for unsteady adjoint calculation", 2009, for numbers
//! of iterations that are not known.
//!
//! # Cost
//!
//! The derivative of a loop with `n` iterations and binomial checkpoints runs at most `r * n`
//! iterations again, where `r` is the smallest number with `C(slots + r, slots) >= n`.
//!
//! # Non-guarantees
//!
//! A loop whose iterations need the result of an effect cannot run again: an error. So cannot a
//! loop of a recursive function.

mod again;
mod budget;
mod driver;
mod mark;
mod outline;

use rustc_hash::FxHashMap;
use tfx_ir::Op;

use crate::activity::Activity;
use crate::number::Values;
use crate::tangent::is_differentiable;
use crate::tasks::Key;

use again::Kept;
pub(crate) use budget::Budget;
pub(crate) use driver::derive;
pub(crate) use mark::mark;
pub(crate) use outline::outline;

/// The iterations whose carried values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The first one of each group of this number.
    Periodic(i64),
    /// At most this number at a time.
    Binomial(i64),
}

/// The loops with checkpoints, by the function that each has become.
pub(crate) type Checkpoints<'a> = FxHashMap<Op<'a>, Checkpointed<'a>>;

/// A loop with checkpoints. The parameters of its function are the carried values, then the values
/// from outside.
#[derive(Clone, Debug)]
pub(crate) struct Checkpointed<'a> {
    pub(crate) plan: Plan,
    /// The number of carried values.
    pub(crate) carried: usize,
    /// The number of iterations, if it is known when the loop starts.
    pub(crate) count: Option<Count>,
    /// The function that runs some iterations: from the limit and the parameters to the results of
    /// the loop, the carried values, whether there are more iterations, and how many have run.
    pub(crate) segment: Op<'a>,
    /// The same without effects.
    pub(crate) again: Op<'a>,
    /// The results of effects that the segment keeps for `again`.
    pub(crate) kept: Kept<'a>,
}

/// The number of iterations of a loop that counts: `(to - from) / step`, rounded up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    /// The carried value that is the counter.
    pub(crate) from: usize,
    pub(crate) to: Bound,
    pub(crate) step: i64,
    /// True if the bound itself is in the range.
    pub(crate) is_inclusive: bool,
}

/// The bound of a counter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// A parameter of the function of the loop.
    Parameter(usize),
    Constant(i64),
}

impl<'a> Checkpointed<'a> {
    /// Returns the positions of the carried values that are active in `function`, the function of
    /// the loop.
    pub(crate) fn active(
        &self,
        function: Op<'a>,
        values: &Values<'a>,
        activity: &Activity,
    ) -> Vec<usize> {
        let body = function.region(0).entry();
        let loop_ = body.and_then(|body| body.ops().find(|op| op.num_regions() > 0));
        let before = loop_.and_then(|op| op.region(0).entry());
        let before = before.expect("the function of a loop has the loop");
        let is_active = |&position: &usize| {
            let value = before.argument(position);
            is_differentiable(value.ty()) && activity.is_active(values.id(value))
        };
        (0..self.carried).filter(is_active).collect()
    }

    /// Returns the derivative of the segment that the derivative of the loop needs. `active` are
    /// the positions of the active carried values.
    pub(crate) fn needs(&self, key: &Key<'a>, active: &[usize]) -> Key<'a> {
        let outside = key.wrt.iter().filter(|&&index| index >= self.carried);
        let wrt = active.iter().chain(outside).map(|index| 1 + index);
        let num_results = key.function.signature().1.len();
        let carried = active.iter().map(|index| num_results + index);
        Key {
            mode: key.mode,
            function: self.again,
            wrt: wrt.collect(),
            results: key.results.iter().copied().chain(carried).collect(),
        }
    }
}
