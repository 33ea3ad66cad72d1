//! The state of the simulation that matches both sides, and the exchange of messages.

use rustc_hash::FxHashMap;
use tfx_dialects::{comm, tensor};
use tfx_ir::diag::Diagnostic;
use tfx_ir::ops::Structured;
use tfx_ir::{Block, Value};

use crate::events::{Ending, Event, ListId, Projection, RegionId, Side};
use crate::match_sides::Guesses;
use crate::schedule::{Action, Message, RegionSchedule, Schedule, Step};

/// A message that is sent and not yet received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InFlight<'a> {
    pub(crate) send: comm::Send<'a>,
    pub(crate) sender: Side,
    /// The schedule of the region that sends it, and the index of the step there.
    pub(crate) region: usize,
    pub(crate) step: usize,
    /// The send is in a loop that is unrolled, so it sends other messages as well.
    in_unrolled_loop: bool,
}

/// A loop of the graph that is unrolled, because the host does not have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnrolledLoop {
    pub(crate) region: RegionId,
    /// The position of the graph after the loop.
    pub(crate) after: Option<(ListId, usize)>,
    /// The index of the region that the graph is in.
    pub(crate) current: usize,
    /// The number of further iterations that are certain to run.
    pub(crate) left: u64,
    /// The loop ends after these iterations.
    pub(crate) ends: bool,
    /// The condition has not been evaluated yet.
    pub(crate) is_first: bool,
}

/// A region that is being scheduled.
pub(crate) struct Frame<'a> {
    pub(crate) region: usize,
    /// The position of the host: a list and the index of its next event. Above it are those in the
    /// branches that the graph does not have.
    pub(crate) host: Vec<(ListId, usize)>,
    pub(crate) graph: Option<(ListId, usize)>,
    /// The loops around the position of the graph that the host does not have, innermost last.
    pub(crate) unrolled: Vec<UnrolledLoop>,
    /// The conditions of the branches that only the host has entered.
    pub(crate) known_true: Vec<Value<'a>>,
    /// The number of messages in flight that are sent in this region.
    pub(crate) in_flight: usize,
    /// The block of the graph, if the region is not the whole program.
    pub(crate) block: Option<Block<'a>>,
    pub(crate) enclosing: Option<Enclosing<'a>>,
}

/// The operations whose region is scheduled.
#[derive(Clone, Copy)]
pub(crate) struct Enclosing<'a> {
    pub(crate) host: Structured<'a>,
    pub(crate) graph: Structured<'a>,
    /// The frame that contains them.
    pub(crate) frame: usize,
}

impl<'a> Enclosing<'a> {
    pub(crate) fn op(self, side: Side) -> Structured<'a> {
        match side {
            Side::Host => self.host,
            Side::Graph => self.graph,
        }
    }
}

/// The position of a side in the current region.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Position<'a> {
    Event(Event<'a>),
    End,
}

pub(crate) struct Scheduler<'s, 'a> {
    pub(crate) host: &'s Projection<'a>,
    pub(crate) graph: &'s Projection<'a>,
    pub(crate) start: comm::Start<'a>,
    pub(crate) graph_op: tensor::Graph<'a>,
    pub(crate) schedule: Schedule<'a>,
    /// By channel: each has a capacity of one message.
    pub(crate) in_flight: FxHashMap<u32, InFlight<'a>>,
    pub(crate) frames: Vec<Frame<'a>>,
    pub(crate) guesses: Guesses,
}

impl<'a> Scheduler<'_, 'a> {
    /// Creates the frame of a region that is not scheduled yet.
    pub(crate) fn new_frame(
        &mut self,
        host: Option<ListId>,
        graph: Option<ListId>,
        block: Option<Block<'a>>,
        enclosing: Option<Enclosing<'a>>,
    ) -> Frame<'a> {
        self.schedule.regions.push(RegionSchedule::default());
        Frame {
            region: self.schedule.regions.len() - 1,
            host: host.into_iter().map(|list| (list, 0)).collect(),
            graph: graph.map(|list| (list, 0)),
            unrolled: Vec::new(),
            known_true: Vec::new(),
            in_flight: 0,
            block,
            enclosing,
        }
    }

    pub(crate) fn top(&self) -> &Frame<'a> {
        self.frames.last().expect("a region is being scheduled")
    }

    pub(crate) fn top_mut(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("a region is being scheduled")
    }

    pub(crate) fn region_mut(&mut self) -> &mut RegionSchedule {
        let region = self.top().region;
        &mut self.schedule.regions[region]
    }

    pub(crate) fn projection(&self, side: Side) -> &Projection<'a> {
        match side {
            Side::Host => self.host,
            Side::Graph => self.graph,
        }
    }

    pub(crate) fn graph_position(&self) -> Position<'a> {
        let position = self.top().graph;
        let event = position.and_then(|position| self.graph.events(position).first());
        event.map_or(Position::End, |&event| Position::Event(event))
    }

    /// Returns the position of the host, after leaving the branches that have ended and skipping
    /// the operations without messages after which the program continues.
    pub(crate) fn host_position(&mut self) -> Position<'a> {
        loop {
            let Some(&position) = self.top().host.last() else {
                return Position::End;
            };
            let Some(&event) = self.host.events(position).first() else {
                if self.top().host.len() == 1 {
                    return Position::End;
                }
                self.top_mut().host.pop();
                continue;
            };
            let Event::Region(region) = event else {
                return Position::Event(event);
            };
            let region = &self.host.regions[region];
            let op = region.op.op();
            // Without messages, the graph does not have the operation.
            match (region.summary.messages, region.summary.ending) {
                (0, Ending::Cancelled) => return Position::Event(Event::Terminate(op)),
                (0, Ending::Finished) => return Position::Event(Event::Finish(op)),
                (0, Ending::Running) => self.advance(Side::Host),
                _ => return Position::Event(event),
            }
        }
    }

    /// Returns the next event of the host, in the innermost list only.
    pub(crate) fn next_host_event(&self) -> Option<Event<'a>> {
        self.host.events(*self.top().host.last()?).first().copied()
    }

    /// Moves a side past its next event.
    pub(crate) fn advance(&mut self, side: Side) {
        let frame = self.top_mut();
        let position = match side {
            Side::Host => frame.host.last_mut(),
            Side::Graph => frame.graph.as_mut(),
        };
        if let Some((_, index)) = position {
            *index += 1;
        }
    }

    /// Lets one side exchange messages until it must wait. Returns whether it exchanged any.
    pub(crate) fn exchange(&mut self, side: Side) -> bool {
        let mut any = false;
        loop {
            let position = match side {
                Side::Host => self.host_position(),
                Side::Graph => self.graph_position(),
            };
            match position {
                Position::Event(Event::Send(op, channel))
                    if !self.in_flight.contains_key(&channel) =>
                {
                    self.send(op, channel, side);
                }
                Position::Event(Event::Receive(op, channel)) if self.can_receive(channel) => {
                    self.receive(op, channel, side);
                }
                _ => return any,
            }
            self.advance(side);
            any = true;
        }
    }

    /// Returns whether a channel has a message that is sent in this region.
    fn can_receive(&self, channel: u32) -> bool {
        let message = self.in_flight.get(&channel);
        message.is_some_and(|message| message.region == self.top().region)
    }

    fn send(&mut self, send: comm::Send<'a>, channel: u32, sender: Side) {
        let message = InFlight {
            send,
            sender,
            region: self.top().region,
            step: self.region_mut().steps(sender).len(),
            in_unrolled_loop: self.is_in_unrolled_loop(sender),
        };
        self.in_flight.insert(channel, message);
        self.top_mut().in_flight += 1;
        // The number of the message is set when it is received.
        let steps = self.region_mut().steps_mut(sender);
        steps.push(Step::Send(usize::MAX));
    }

    fn receive(&mut self, receive: comm::Recv<'a>, channel: u32, receiver: Side) {
        let message = self.in_flight.remove(&channel);
        let message = message.expect("there is a message to receive");
        self.top_mut().in_flight -= 1;
        if !message.in_unrolled_loop && !self.is_in_unrolled_loop(receiver) {
            let received = &mut self.schedule.received;
            received.insert(receive, message.send.value());
        }
        let region = self.region_mut();
        let number = region.messages.len();
        region.messages.push(Message {
            channel,
            sent: message.step,
            received: region.steps(receiver).len(),
        });
        region.steps_mut(receiver).push(Step::Receive(number));
        region.steps_mut(message.sender)[message.step] = Step::Send(number);
        region.order.push(Action::Message(channel, receiver));
    }

    fn is_in_unrolled_loop(&self, side: Side) -> bool {
        side == Side::Graph && !self.top().unrolled.is_empty()
    }

    /// Returns whether a side has a later event on a channel in this region, at any depth.
    pub(crate) fn comes_later(&self, channel: u32, side: Side) -> bool {
        let top = self.top();
        let projection = self.projection(side);
        let nested = |region: RegionId| {
            let lists = projection.regions[region].lists.iter().flatten();
            lists.map(|&list| (list, 0))
        };
        let mut positions: Vec<(ListId, usize)> = match side {
            Side::Host => top.host.clone(),
            Side::Graph => top.graph.into_iter().collect(),
        };
        if side == Side::Graph {
            for unrolled in &top.unrolled {
                positions.extend(nested(unrolled.region));
                positions.extend(unrolled.after);
            }
        }
        while let Some(position) = positions.pop() {
            for &event in projection.events(position) {
                match event {
                    Event::Send(_, other) | Event::Receive(_, other) if other == channel => {
                        return true;
                    }
                    Event::Region(region) => positions.extend(nested(region)),
                    _ => {}
                }
            }
        }
        false
    }

    /// Adds the note that each error of the match has.
    pub(crate) fn note_start(&self, error: Diagnostic<'a>) -> Diagnostic<'a> {
        let message = format!(
            "the host starts the graph '@{}' here",
            self.graph_op.sym_name()
        );
        error.note(self.start.location(), message)
    }
}
