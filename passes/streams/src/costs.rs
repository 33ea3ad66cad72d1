//! The times of commands.

use tfx_dialects::schedules::{self, ScheduleType, Space};
use tfx_dialects::stream::{Copy, Launch, StreamOp};
use tfx_ir::{Op, Value};

/// The parameters of the times of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bandwidths {
    /// The bandwidth of memory in bytes per nanosecond.
    pub(crate) memory: u64,
    /// The bandwidth of copies between devices, or host and device, in bytes per nanosecond.
    pub(crate) link: u64,
}

/// Returns the time of a command in nanoseconds: that of `cost` on a launch, and the bytes of the
/// command over the bandwidth elsewhere.
pub(crate) fn time(op: Op<'_>, bandwidths: Bandwidths) -> u64 {
    if let Some(cost) = Launch::cast(op).and_then(|launch| launch.cost()) {
        return u64::try_from(cost).unwrap_or(0);
    }
    let memory = |value: Value<'_>| match ScheduleType::of(value.ty()) {
        Some(ScheduleType::Buffer(memory)) => Some(memory),
        _ => None,
    };
    if let Some(copy) = Copy::cast(op)
        && let (Some(from), Some(to)) = (memory(copy.source()), memory(copy.destination()))
    {
        let device = |space| match space {
            Space::Cuda(number) => Some(number),
            Space::Host | Space::Pinned => None,
        };
        let bandwidth = match device(from.space) == device(to.space) {
            true => bandwidths.memory,
            false => bandwidths.link,
        };
        return from.size / bandwidth.max(1);
    }
    let accesses = StreamOp::cast(op).map_or(Vec::new(), schedules::accesses);
    let sizes = accesses.iter().filter_map(|access| memory(access.buffer));
    let bytes = sizes.fold(0u64, |sum, memory| sum.saturating_add(memory.size));
    bytes / bandwidths.memory.max(1)
}
