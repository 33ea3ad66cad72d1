//! The messages before a cancellation: they may match a prefix of the events of the graph.
//!
//! ```text
//!   host: recv 0, terminate     graph: for 3 { send 0 }      the first iteration is certain: match
//!                               graph: while c { send 0 }    there may be no iteration: error
//! ```
//!
//! If the host has only messages left before its `tfx_comm.terminate`, the loops of the graph are
//! unrolled until the host has all messages that it waits for. The later events of the graph are
//! irrelevant. The host must not wait for a message that may never arrive, so the graph is followed
//! only where it is certain to run:
//!
//! * through the iterations of `scf.for` and `scf.while` with a constant
//!   [trip count](tfx_ir::trip_count), and past such a loop;
//! * into the condition of `scf.while`, and into its body if the condition is constantly true;
//! * into the first iteration of `scf.while`, if its first condition is the condition of an
//!   `scf.if` that the host has entered. [`Guard`] states this, and [`crate::equivalence`] proves
//!   it.
//!
//! An operation in an unrolled loop sends or receives several messages. One of them implies nothing
//! about the others, so they are not in [`crate::schedule::Schedule::received`].
//!
//! The messages that the graph may send before it is stopped occupy the channels as well. They are
//! added to the steps of the region, for [`crate::bounds`].
//!
//! Cost: each unrolled iteration exchanges a message, because a channel holds only one. The cost is
//! therefore the number of messages of the host times the size of a loop body.

use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::{Structured, scf};
use tfx_ir::scalars::integer;

use crate::events::{Ending, Event, RegionId, Side, constant_trips};
use crate::schedule::{Guard, Step, UNBOUNDED};
use crate::scheduler::{Position, Scheduler, UnrolledLoop};

/// A reason why the graph may not reach the event that the host waits for.
#[derive(Clone, Copy)]
enum Doubt {
    /// A loop that may run no iteration.
    NoIteration,
    /// A loop that may run no further iteration.
    NoFurtherIteration,
    /// A branch.
    Branch,
}

impl Doubt {
    /// Returns the place of the event, the missing proof and the fix.
    fn texts(self) -> [&'static str; 3] {
        match self {
            Doubt::NoIteration => [
                "in or after a loop that may run no iteration",
                "cannot prove that this loop runs an iteration",
                "before the cancellation, wait only for messages of a loop with constant bounds or of the condition region of an scf.while; or wait inside of an scf.if on the first condition of the loop, with only tfx_comm.terminate in its else region",
            ],
            Doubt::NoFurtherIteration => [
                "in a later iteration of a loop that may end before it, or after the loop",
                "cannot prove that this loop runs another iteration",
                "wait only for messages of the first iteration, or make the bounds of the loop constant",
            ],
            Doubt::Branch => [
                "in or after a branch that the host does not have",
                "cannot prove which region of this branch the graph runs",
                "wait inside of the same branch on the host, and cancel the graph in each of its regions",
            ],
        }
    }
}

impl<'a> Scheduler<'_, 'a> {
    /// Lets the graph continue through control flow that the host does not have, if the host has
    /// only messages left before it cancels the graph. Returns whether it did.
    pub(crate) fn graph_runs_ahead(&mut self) -> Result<bool, Diagnostic<'a>> {
        match self.graph_position() {
            Position::Event(Event::Region(region)) if self.next_cancellation().is_some() => {
                self.unroll(region)
            }
            Position::End if !self.top().unrolled.is_empty() => self.end_unrolled_region(),
            _ => Ok(false),
        }
    }

    /// Returns the operation that cancels the graph, if only messages precede it.
    fn next_cancellation(&self) -> Option<Op<'a>> {
        for &position in self.top().host.iter().rev() {
            for &event in self.host.events(position) {
                match event {
                    Event::Send(..) | Event::Receive(..) => {}
                    Event::Terminate(op) => return Some(op),
                    Event::Finish(_) => return None,
                    Event::Region(region) => {
                        let region = &self.host.regions[region];
                        match (region.summary.messages, region.summary.ending) {
                            (0, Ending::Cancelled) => return Some(region.op.op()),
                            (0, Ending::Running) => {}
                            _ => return None,
                        }
                    }
                }
            }
        }
        None
    }

    /// Enters a loop, or skips it if it runs no iteration.
    fn unroll(&mut self, region: RegionId) -> Result<bool, Diagnostic<'a>> {
        let op = self.graph.regions[region].op;
        let (left, ends) = match (op, constant_trips(op)) {
            (Structured::For(_), Some(0)) => {
                self.advance(Side::Graph);
                return Ok(true);
            }
            (Structured::For(_), Some(trips)) => (trips - 1, true),
            (Structured::While(_), Some(trips)) => (trips, true),
            (Structured::While(op), None) if is_endless(op) => (UNBOUNDED, false),
            (Structured::While(_), None) => (0, false),
            (Structured::For(_), None) => return self.in_doubt(op, Doubt::NoIteration),
            _ => return self.in_doubt(op, Doubt::Branch),
        };
        self.advance(Side::Graph);
        let after = self.top().graph;
        let unrolled = UnrolledLoop {
            region,
            after,
            current: 0,
            left,
            ends,
            is_first: true,
        };
        self.enter_unrolled_region(unrolled);
        Ok(true)
    }

    /// Continues at the end of a region of an unrolled loop.
    fn end_unrolled_region(&mut self) -> Result<bool, Diagnostic<'a>> {
        let Some(mut unrolled) = self.top_mut().unrolled.pop() else {
            return Ok(false);
        };
        let region = &self.graph.regions[unrolled.region];
        let body = region.lists.len() - 1;
        unrolled.current = match (body > 0 && unrolled.current == body, unrolled.left) {
            (true, _) => 0,
            (false, 1..) => {
                unrolled.left -= 1;
                body
            }
            (false, 0) if unrolled.ends => {
                self.top_mut().graph = unrolled.after;
                return Ok(true);
            }
            (false, 0) => {
                let is_first = std::mem::replace(&mut unrolled.is_first, false);
                // In an unrolled loop, the initial values of a nested loop are unknown.
                let may_be_guarded = is_first && self.top().unrolled.is_empty();
                self.top_mut().unrolled.push(unrolled);
                if !may_be_guarded || !self.add_guard(region.op) {
                    // The messages of the condition have been exchanged once.
                    let doubt = match is_first && region.lists[0].is_none() {
                        true => Doubt::NoIteration,
                        false => Doubt::NoFurtherIteration,
                    };
                    return self.in_doubt(region.op, doubt);
                }
                self.top_mut().unrolled.pop();
                body
            }
        };
        self.enter_unrolled_region(unrolled);
        Ok(true)
    }

    fn enter_unrolled_region(&mut self, unrolled: UnrolledLoop) {
        let list = self.graph.regions[unrolled.region].lists[unrolled.current];
        let top = self.top_mut();
        top.unrolled.push(unrolled);
        top.graph = list.map(|list| (list, 0));
    }

    /// Requires that the first condition of an `scf.while` is one that the host has found true.
    /// Returns false if there is none, or if the host does not depend on the loop.
    fn add_guard(&mut self, op: Structured<'a>) -> bool {
        let known_true = self.top().known_true.clone();
        if let Structured::While(graph_op) = op
            && let Some(condition) = op.condition()
            && !known_true.is_empty()
            && let Err(error) = self.in_doubt(op, Doubt::NoIteration)
        {
            self.schedule.guards.push(Guard {
                known_true,
                condition,
                graph_op,
                error,
            });
            return true;
        }
        false
    }

    /// Returns an error if the host waits for an event that is inside of `op` or after it, and that
    /// the graph may not reach; otherwise false.
    fn in_doubt(&self, op: Structured<'a>, doubt: Doubt) -> Result<bool, Diagnostic<'a>> {
        let [place, missing_proof, fix] = doubt.texts();
        let (location, wait) = match self.next_host_event() {
            Some(Event::Receive(host, channel)) if self.comes_later(channel, Side::Graph) => {
                let wait = format!("for this message on channel {channel}: the graph sends it");
                (host.location(), wait)
            }
            Some(Event::Send(host, channel)) if self.comes_later(channel, Side::Graph) => {
                let wait = format!(
                    "to send this message on channel {channel}: the graph receives the previous one"
                );
                (host.location(), wait)
            }
            _ => return Ok(false),
        };
        let message = format!("the host may wait indefinitely {wait} {place}");
        let mut error = diag::error(location, message).note(op.op().location(), missing_proof);
        if let Some(cancellation) = self.next_cancellation() {
            let note = "the host cancels the graph here and does not wait for its end";
            error = error.note(cancellation.location(), note);
        }
        Err(self.note_start(error.note(location, fix)))
    }

    /// Adds the messages that no one receives to the steps of a region in which the host cancels
    /// the graph.
    pub(crate) fn add_unreceived(&mut self) {
        let id = self.top().region;
        let in_flight = self.in_flight.iter();
        let unreceived = in_flight.filter(|(_, message)| message.region == id);
        let mut unreceived: Vec<_> = unreceived.map(|(&channel, &it)| (channel, it)).collect();
        unreceived.sort_unstable_by_key(|&(channel, _)| channel);
        for &(channel, message) in &unreceived {
            let steps = self.region_mut().steps_mut(message.sender);
            steps[message.step] = Step::Unreceived(channel, 1);
        }
        unreceived.retain(|(_, message)| message.sender == Side::Host);
        let mut to_graph: Vec<u32> = unreceived.iter().map(|&(channel, _)| channel).collect();
        let mut ahead = Vec::new();
        let waits = self.sends_ahead(&mut to_graph, &mut ahead);
        let region = self.region_mut();
        region.steps_mut(Side::Graph).extend(ahead);
        region.graph_waits = waits;
    }

    /// Adds the messages that the graph sends at most from its position to `ahead`. `unread` has
    /// the channels with a message for the graph. Returns whether the graph then waits for the
    /// host.
    fn sends_ahead(&self, unread: &mut Vec<u32>, ahead: &mut Vec<Step>) -> bool {
        let mut position = self.top().graph;
        let mut unrolled = self.top().unrolled.iter().rev();
        loop {
            let events = position.map(|position| self.graph.events(position));
            for &event in events.unwrap_or_default() {
                match event {
                    Event::Send(_, channel) => ahead.push(Step::Unreceived(channel, 1)),
                    Event::Receive(_, channel) => {
                        let Some(index) = unread.iter().position(|&one| one == channel) else {
                            return true;
                        };
                        unread.swap_remove(index);
                    }
                    Event::Region(region) => self.sends_inside(region, None, unread, ahead),
                    Event::Finish(_) | Event::Terminate(_) => {}
                }
            }
            let Some(around) = unrolled.next() else {
                return false;
            };
            let left = match around.ends {
                true => around.left,
                false => UNBOUNDED,
            };
            self.sends_inside(around.region, Some(left), unread, ahead);
            position = around.after;
        }
    }

    /// Adds the messages that the graph sends at most in a structured operation. `left` is the
    /// number of further iterations, if it is known.
    fn sends_inside(
        &self,
        region: RegionId,
        left: Option<u64>,
        unread: &[u32],
        ahead: &mut Vec<Step>,
    ) {
        let mut todo = vec![(region, 1u64, left)];
        while let Some((region, times, left)) = todo.pop() {
            let executions = self.executions(region, left, unread);
            let lists = self.graph.regions[region].lists.iter();
            for (list, executions) in lists.zip(executions) {
                let times = times.saturating_mul(executions);
                let events = list.map(|list| &self.graph.lists[list].events);
                for &event in events.into_iter().flatten().take_while(|_| times > 0) {
                    match event {
                        Event::Send(_, channel) => ahead.push(Step::Unreceived(channel, times)),
                        // The graph waits here indefinitely.
                        Event::Receive(_, channel) if !unread.contains(&channel) => break,
                        Event::Region(inside) => todo.push((inside, times, None)),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Returns the maximal number of executions of each region of a structured operation, if the
    /// host sends no more messages.
    fn executions(&self, region: RegionId, left: Option<u64>, unread: &[u32]) -> Vec<u64> {
        let region = &self.graph.regions[region];
        let lists = &region.lists;
        // Each iteration receives a message, and each channel has at most one.
        let limits = lists.iter().flatten().flat_map(|&list| {
            let events = self.graph.lists[list].events.iter();
            events.filter_map(|event| match event {
                Event::Receive(_, channel) => Some(1 + u64::from(unread.contains(channel))),
                _ => None,
            })
        });
        let limit = limits.min().unwrap_or(UNBOUNDED);
        let trips = left.or_else(|| constant_trips(region.op));
        let trips = trips.unwrap_or(UNBOUNDED);
        match region.op {
            Structured::If(_) | Structured::Switch(_) => vec![1; lists.len()],
            Structured::For(_) => vec![trips.min(limit)],
            Structured::While(_) => vec![trips.saturating_add(1).min(limit), trips.min(limit)],
        }
    }
}

/// Returns whether the condition of a loop is constantly true.
fn is_endless(op: scf::While<'_>) -> bool {
    let condition = op.end().and_then(|end| end.condition().defining_op());
    let value = condition.and_then(|op| op.constant_value());
    value.and_then(integer).is_some_and(|value| value != 0)
}
