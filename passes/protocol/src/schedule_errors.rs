//! The errors if the two sides do not match: the position of each side, and the reason.

use tfx_ir::Op;
use tfx_ir::diag::{self, Diagnostic};
use tfx_ir::ops::Structured;

use crate::events::{Event, Side};
use crate::scheduler::{Position, Scheduler};

impl<'a> Scheduler<'_, 'a> {
    /// A message of a region is not received in it.
    pub(crate) fn never_received(&self, region: usize) -> Diagnostic<'a> {
        let sent = self.in_flight.iter();
        let (channel, message) = sent
            .filter(|(_, message)| message.region == region)
            .min_by_key(|(channel, _)| **channel)
            .expect("a message of the region is in flight");
        let text = format!("a message on channel {channel} is sent here and never received");
        self.note_start(diag::error(message.send.location(), text))
    }

    /// Both sides reach structured operations that do not correspond.
    pub(crate) fn different_control_flow(
        &self,
        host: Structured<'a>,
        graph: Structured<'a>,
    ) -> Diagnostic<'a> {
        let (host, graph) = (host.op(), graph.op());
        // Of one kind, only two `scf.index_switch` may not correspond.
        let cases = match host.name() == graph.name() {
            true => " with other cases",
            false => "",
        };
        let message = format!(
            "the host reaches '{}' here, but the graph reaches '{}'{cases}: operations with messages inside must correspond",
            host.name(),
            graph.name()
        );
        let error = diag::error(host.location(), message)
            .note(graph.location(), "the graph reaches this operation");
        self.note_start(error)
    }

    /// Neither side can continue.
    pub(crate) fn stuck(&self, host: Position<'a>, graph: Position<'a>) -> Diagnostic<'a> {
        let sides = [(Side::Host, host), (Side::Graph, graph)];
        let causes = sides
            .into_iter()
            .filter_map(|(side, position)| Some((side, self.cause(side, position)?)));
        let (side, message) = match causes.min_by_key(|(_, (rank, _))| *rank) {
            Some((side, (_, message))) => (side, message),
            None => (
                Side::Host,
                "deadlock: the host and the graph wait for each other".to_owned(),
            ),
        };
        let (own, other) = match side {
            Side::Host => (host, graph),
            Side::Graph => (graph, host),
        };
        let (op, activity) = self.describe(own, side);
        let (other_op, other_activity) = self.describe(other, side.other());
        let mut error = diag::error(op.location(), message);
        if side == Side::Host {
            error = error.note(op.location(), format!("the host {activity}"));
        }
        let meanwhile = format!("meanwhile the {} {other_activity}", side.other());
        error = error.note(other_op.location(), meanwhile);
        if let Position::Event(Event::Send(_, channel) | Event::Receive(_, channel)) = own {
            error = self.note_on_channel(channel, error);
        }
        self.note_start(error)
    }

    /// Returns the reason why a side cannot continue, if the other side has no corresponding event.
    /// Reasons of a lower rank are reported first.
    fn cause(&self, side: Side, position: Position<'a>) -> Option<(usize, String)> {
        let other = side.other();
        let Position::Event(event) = position else {
            return None;
        };
        Some(match event {
            Event::Receive(_, channel) if !self.comes_later(channel, other) => {
                let what = format!("waits for a message on channel {channel}");
                (
                    0,
                    format!("the {side} {what} that the {other} does not send"),
                )
            }
            Event::Send(_, channel) if !self.comes_later(channel, other) => {
                let what = format!("sends a message on channel {channel}");
                (
                    1,
                    format!("the {side} {what} that the {other} does not receive"),
                )
            }
            Event::Region(region) => {
                let name = self.projection(side).regions[region].op.op().name();
                let what = format!("has '{name}' with messages inside here");
                (
                    2,
                    format!("the {side} {what}, but the {other} has no corresponding operation"),
                )
            }
            _ => return None,
        })
    }

    /// Adds a note at the message that occupies a channel.
    fn note_on_channel(&self, channel: u32, error: Diagnostic<'a>) -> Diagnostic<'a> {
        let Some(message) = self.in_flight.get(&channel) else {
            return error;
        };
        let note = match message.region == self.top().region {
            true => format!(
                "channel {channel} may have a capacity of 1, and contains the message that is sent here"
            ),
            false => format!(
                "a message on channel {channel} is sent here, outside of this region; it must be received in the same region"
            ),
        };
        error.note(message.send.location(), note)
    }

    /// Describes the position of a side: an operation, and what the side does there.
    fn describe(&self, position: Position<'a>, side: Side) -> (Op<'a>, String) {
        let at = |op: Structured<'a>, what: &str| {
            (op.op(), format!("is {what} this '{}'", op.op().name()))
        };
        let regions = &self.projection(side).regions;
        let top = self.top();
        match position {
            Position::Event(Event::Send(op, channel)) => {
                (op.op(), format!("sends on channel {channel}"))
            }
            Position::Event(Event::Receive(op, channel)) => {
                (op.op(), format!("waits for a message on channel {channel}"))
            }
            Position::Event(Event::Region(region)) => at(regions[region].op, "at"),
            Position::Event(Event::Finish(op)) => (op, "waits for the graph to end".to_owned()),
            Position::Event(Event::Terminate(op)) => (op, "cancels the graph".to_owned()),
            Position::End => match (side, top.unrolled.last(), top.enclosing) {
                (Side::Graph, Some(unrolled), _) => at(regions[unrolled.region].op, "in"),
                (_, _, Some(enclosing)) => at(enclosing.op(side), "at the end of a region of"),
                (Side::Host, _, None) => (self.start.op(), "has reached its end".to_owned()),
                (Side::Graph, _, None) => (self.graph_op.op(), "has reached its end".to_owned()),
            },
        }
    }
}
