//! The choice of checkpoints: by the user, or by the bytes that tapes would take.
//!
//! ```text
//!   #tfx_ad.checkpoint<binomial<64>>     64 checkpoints
//!   memory=1000000                       loops whose tapes would be larger: as many checkpoints
//!   #tfx_ad.checkpoint<auto>             as fit into this, or into AUTO_BYTES
//! ```
//!
//! The bytes are estimated before the loop is reversed: an iteration keeps each number or tensor
//! that costs more to compute again than to keep, and the values that the loop carries. The number
//! of iterations of a loop inside counts if it is a constant.
//!
//! Cost: linear in the loop.

use melior::ir::Type;
use tfx_dialects::derivatives::Scheme;
use tfx_ir::ops::scf;
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Op, Value};

use crate::checkpoint::Plan;
use crate::recompute;
use crate::tangent::is_differentiable;

/// The bytes that the tapes of a loop with `auto` may take: small compared with the memory of a
/// machine, and large compared with what loops of some thousand iterations over scalars and small
/// tensors keep.
const AUTO_BYTES: u64 = 64 << 20;
/// The checkpoints of a loop whose number of iterations is not known: with 64, no iteration of
/// 800,000 runs more than four times again.
const AUTO_SLOTS: u64 = 64;
/// The assumed number of iterations of a loop inside.
const UNKNOWN_TRIPS: u64 = 16;

/// The bytes that the tapes of a loop may take, if the user has set them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budget(pub(crate) Option<u64>);

impl Budget {
    /// Returns the checkpoints of a loop; none if it keeps the values of all iterations.
    pub(crate) fn plan(self, loop_: scf::While<'_>, scheme: Option<Scheme>) -> Option<Plan> {
        let trips = trip_count(loop_.op());
        let bytes = match scheme {
            Some(Scheme::None) => return None,
            Some(Scheme::Periodic(period)) => return Some(Plan::Periodic(period)),
            Some(Scheme::Binomial(slots)) => return Some(Plan::Binomial(slots)),
            Some(Scheme::Auto) => self.0.unwrap_or(AUTO_BYTES),
            None => {
                trips?;
                self.0?
            }
        };
        let fitting = bytes / checkpoint(loop_);
        let slots = match trips {
            Some(trips) => {
                let trips = u64::try_from(trips).unwrap_or(0);
                if taped(loop_).saturating_mul(trips) <= bytes {
                    return None;
                }
                fitting.min(trips)
            }
            None => fitting.min(AUTO_SLOTS),
        };
        Some(Plan::Binomial(
            i64::try_from(slots.max(1)).unwrap_or(i64::MAX),
        ))
    }
}

/// Returns about how many bytes a checkpoint takes: the carried values, and the number of the
/// iteration.
pub(crate) fn checkpoint(loop_: scf::While<'_>) -> u64 {
    let carried = loop_
        .inits()
        .iter()
        .map(|value| recompute::bytes(value.ty()));
    carried.fold(size_of::<i64>() as u64, u64::saturating_add)
}

/// Returns about how many bytes an iteration puts on tapes.
fn taped(loop_: scf::While<'_>) -> u64 {
    let mut sum = 0u64;
    for op in loop_.op().walk() {
        let loops = std::iter::once(op).chain(op.ancestors());
        let loops = loops.take_while(|around| *around != loop_.op());
        let loops = loops.filter(|around| around.isa::<scf::While>());
        let times = loops.map(trips_of).fold(1, u64::saturating_mul);
        let bytes: u64 = match scf::While::cast(op) {
            Some(loop_) => {
                let carried = loop_.inits().iter().map(Value::ty);
                let carried = carried.filter(|ty| is_differentiable(*ty));
                carried.map(recompute::bytes).sum()
            }
            None => {
                let stored = op.results().filter(|value| is_stored(op, *value));
                stored.map(|value| recompute::bytes(value.ty())).sum()
            }
        };
        sum = sum.saturating_add(bytes.saturating_mul(times));
    }
    sum
}

fn trips_of(loop_: Op<'_>) -> u64 {
    let trips = trip_count(loop_).map(|trips| u64::try_from(trips).unwrap_or(0));
    trips.unwrap_or(UNKNOWN_TRIPS)
}

/// Returns whether a result of an operation is kept, if the derivative needs it.
fn is_stored<'a>(op: Op<'a>, value: Value<'a>) -> bool {
    let ty: Type<'a> = value.ty();
    let is_dear = |cost| cost > recompute::store(ty);
    is_differentiable(ty) && op.num_regions() == 0 && recompute::cost(op).is_none_or(is_dear)
}
