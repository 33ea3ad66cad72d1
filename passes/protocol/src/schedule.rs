//! The joint schedule of a host program and its graph, which [`crate::match_sides`] computes.

use rustc_hash::{FxHashMap, FxHashSet};
use tfx_dialects::comm;
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::{Structured, scf};
use tfx_ir::{Block, Value};

use crate::events::{Ending, Side};

/// The number of messages or of iterations if no bound is known.
pub(crate) const UNBOUNDED: u64 = u64::MAX;

/// A message that is received in the region that sends it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    pub(crate) channel: u32,
    /// The index of the send among the steps of the sender.
    pub(crate) sent: usize,
    /// The index of the receive among the steps of the receiver.
    pub(crate) received: usize,
}

/// A step of one side in a region.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Sends the message of this index.
    Send(usize),
    /// Receives the message of this index.
    Receive(usize),
    /// Executes its operation of the pair of this index.
    Pair(usize),
    /// Sends at most this number of messages on a channel, which no one receives, because the host
    /// cancels the graph.
    Unreceived(u32, u64),
}

/// A step of the joint schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action {
    /// A message on a channel to a side.
    Message(u32, Side),
    /// Both sides execute the pair of this index.
    Pair(usize),
}

/// The schedule of one region.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegionSchedule {
    host: Vec<Step>,
    graph: Vec<Step>,
    pub(crate) messages: Vec<Message>,
    pub(crate) order: Vec<Action>,
    pub(crate) ending: Ending,
    /// The graph waits in this region indefinitely after the host has cancelled it.
    pub(crate) graph_waits: bool,
}

impl RegionSchedule {
    pub(crate) fn steps(&self, side: Side) -> &[Step] {
        match side {
            Side::Host => &self.host,
            Side::Graph => &self.graph,
        }
    }

    pub(crate) fn steps_mut(&mut self, side: Side) -> &mut Vec<Step> {
        match side {
            Side::Host => &mut self.host,
            Side::Graph => &mut self.graph,
        }
    }
}

/// Corresponding structured operations of both sides, which are executed together.
#[derive(Clone, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) host: Structured<'a>,
    pub(crate) graph: Structured<'a>,
    /// The index among the steps of the host.
    pub(crate) host_step: usize,
    /// The index among the steps of the graph.
    pub(crate) graph_step: usize,
    /// The indices of the schedules of the regions.
    pub(crate) regions: Vec<usize>,
}

/// Two values that must be equal, so that both sides make the same decision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision<'a> {
    pub(crate) host: Value<'a>,
    pub(crate) graph: Value<'a>,
    pub(crate) host_op: Structured<'a>,
    pub(crate) graph_op: Structured<'a>,
}

/// A loop of the graph whose first iteration the host relies on, in a branch that guards it.
#[derive(Debug)]
pub(crate) struct Guard<'a> {
    /// The conditions that are true in the branch. The first condition of the loop must equal one.
    pub(crate) known_true: Vec<Value<'a>>,
    pub(crate) condition: Value<'a>,
    pub(crate) graph_op: scf::While<'a>,
    /// The error if it equals none.
    pub(crate) error: Diagnostic<'a>,
}

/// A schedule of both sides, and what remains to be proved about their values.
#[derive(Debug, Default)]
pub(crate) struct Schedule<'a> {
    /// The schedules of the regions; those around a region come before it.
    pub(crate) regions: Vec<RegionSchedule>,
    pub(crate) pairs: Vec<Pair<'a>>,
    /// The value that each receive receives.
    pub(crate) received: FxHashMap<comm::Recv<'a>, Value<'a>>,
    pub(crate) decisions: Vec<Decision<'a>>,
    pub(crate) guards: Vec<Guard<'a>>,
    /// The blocks of the graph at whose end it is always cancelled.
    pub(crate) cancelled_ends: FxHashSet<Block<'a>>,
}

/// Returns the operands that decide the iterations of an `scf.for`.
pub(crate) fn bounds(op: scf::For<'_>) -> [Value<'_>; 3] {
    [op.lower_bound(), op.upper_bound(), op.step()]
}
