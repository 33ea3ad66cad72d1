//! The motion of transfers that the options of the pass allow.

/// The motion of transfers. Without it, a value crosses for each use separately, as near to the use
/// as the sender can come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// A transfer leaves the loops in which its value is invariant.
    pub(crate) hoist_sends: bool,
    /// The host receives a value right before its first use, not at its definition.
    pub(crate) sink_receives: bool,
    /// A value crosses once for all of its uses, unless branches are cheaper.
    pub(crate) send_once: bool,
}

impl Default for Motion {
    fn default() -> Self {
        Motion {
            hoist_sends: true,
            sink_receives: true,
            send_once: true,
        }
    }
}
