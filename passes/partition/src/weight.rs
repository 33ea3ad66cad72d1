//! The cost of a transfer: its frequency times the size of its message.
//!
//! ```text
//!   frequency   the body 1, a loop its trips times what is around it, an arm its share        fixed point, ONCE = 1
//!   weight      TRANSFER_BYTES + the bytes of the value                                       so that fewer transfers come first
//! ```
//!
//! Only the order of these numbers matters: which of two cuts of a program has fewer dynamic
//! transfers. Named constants estimate what types and loops do not determine; every value of them
//! gives a correct program. Linear.

use melior::ir::Type;
use tfx_ir::size::Size;

use crate::function::{Function, Kind, RegionId, ValueId};

/// The bytes that can be copied in the time of a message: about 8 µs, at about 8 GB/s.
const TRANSFER_BYTES: u64 = 1 << 16;
/// The estimate of a dynamic dimension: few rows rather than many, since programs tend to give
/// large tensors static shapes.
const UNKNOWN_DIMENSION: u64 = 64;
/// The estimate of a tensor of unknown rank: a matrix of dynamic dimensions, of four bytes each.
const UNKNOWN_BYTES: u64 = 4 * UNKNOWN_DIMENSION * UNKNOWN_DIMENSION;
/// The upper bound of a size, so that products cannot overflow.
const MOST_BYTES: u64 = 1 << 32;

/// The estimate of an unknown trip count: the one that LLVM assumes.
const UNKNOWN_TRIPS: u64 = 32;
/// The frequency of code that runs once; the power of two leaves room below for arms.
const ONCE: u64 = 1 << 10;
/// The upper bound of a frequency, so that products cannot overflow.
const MOST_OFTEN: u64 = 1 << 36;

/// Returns the estimated bytes of a message of a type.
pub(crate) fn bytes(ty: Type<'_>) -> u64 {
    let known = Size::of(ty).map(|size| {
        size.unknown_dimensions.iter().fold(size.bytes, |bytes, _| {
            bytes.saturating_mul(UNKNOWN_DIMENSION)
        })
    });
    known.unwrap_or(UNKNOWN_BYTES).min(MOST_BYTES)
}

/// Returns the estimated frequency of each region.
pub(crate) struct Weights {
    frequency: Vec<u64>,
}

impl Weights {
    pub(crate) fn of(function: &Function) -> Self {
        let mut frequency = vec![ONCE; function.regions.len()];
        // A region comes after the one around it.
        for region in (0..frequency.len()).map(RegionId::new) {
            let Some(owner) = function[region].owner else {
                continue;
            };
            let data = &function[owner];
            let around = frequency[data.region.index()];
            let trips = data.trips.unwrap_or(UNKNOWN_TRIPS);
            frequency[region.index()] = match data.kind {
                Kind::While if region == data.regions[0] => {
                    around.saturating_mul(trips.saturating_add(1))
                }
                Kind::While | Kind::For => around.saturating_mul(trips),
                // A path that aborts is taken at most once.
                _ if function[region].aborts => 1,
                _ => {
                    let aborting = data
                        .regions
                        .iter()
                        .filter(|&&arm| function[arm].aborts)
                        .count();
                    // An `scf.if` without else has a second, empty arm.
                    let arms = data.regions.len().max(2) - aborting;
                    // Rounded up, so that all arms together are not cheaper than the region around
                    // them.
                    around.div_ceil(arms.max(1) as u64)
                }
            }
            .clamp(1, MOST_OFTEN);
        }
        Weights { frequency }
    }

    /// Returns the cost of a value that crosses in a region.
    pub(crate) fn of_crossing(
        &self,
        function: &Function,
        value: ValueId,
        region: RegionId,
    ) -> u128 {
        let frequency = self.frequency[region.index()];
        u128::from(frequency) * u128::from(TRANSFER_BYTES + function[value].bytes)
    }

    /// Returns the cost of a value that is a result of the graph: its bytes alone and less than any
    /// crossing, since nothing waits in between.
    pub(crate) fn of_result(&self, function: &Function, value: ValueId) -> u128 {
        u128::from(function[value].bytes)
    }
}
