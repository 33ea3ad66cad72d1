//! The host's ends of a program's channels.
//!
//! ```text
//! direct   a channel of the shim: a call         P/channel_C/address is fed its address
//! queue    a FIFOQueueV2: a run of the session   P/channel_C/recv, /value and /send, /close
//! ```
//!
//! Direct channels work in this process only, and need the shim in the folder of TensorFlow's
//! library. Queues work on servers, and without the shim. A closed channel of either kind still
//! delivers the values in it, so the host receives the last values of a graph that has ended.

use tfx_channel::Tried;
use tfx_graphdef::naming;
use tfx_interpreter::Tensor;

use super::rewrite;
use crate::{
    failure::Failure,
    ffi::{
        channels,
        tensorflow::{Code, Operation, Session, Status},
    },
    image::{self, Direction},
    stats::{Meter, Waits},
};

/// The nodes of a channel.
#[derive(Clone, Copy)]
pub(super) enum LinkNodes {
    Direct { address: Operation },
    Queue { ends: Ends, close: Operation },
}

/// The host's end of a queue.
#[derive(Clone, Copy)]
pub(super) enum Ends {
    Receive(Operation),
    Send { value: Operation, send: Operation },
}

impl LinkNodes {
    pub(super) fn find(
        program: &str,
        channel: &image::Channel,
        direct: bool,
        node: impl Fn(String) -> Result<Operation, Failure>,
    ) -> Result<Self, Failure> {
        if direct {
            let channel = naming::channel_node(program, channel.id);
            let address = node(rewrite::address_of(&channel))?;
            return Ok(LinkNodes::Direct { address });
        }
        let ends = match channel.direction {
            Direction::ToHost => Ends::Receive(node(naming::receive_node(program, channel.id))?),
            Direction::ToGraph => Ends::Send {
                value: node(naming::value_node(program, channel.id))?,
                send: node(naming::send_node(program, channel.id))?,
            },
        };
        let close = node(naming::close_node(program, channel.id))?;
        Ok(LinkNodes::Queue { ends, close })
    }
}

/// The host's end of a channel of one start.
pub(super) enum Link {
    Direct {
        channel: channels::Channel,
        direction: Direction,
        address: Operation,
    },
    Queue {
        ends: Ends,
        close: Operation,
    },
}

/// The reason why no value can be received or sent.
pub(super) enum Problem {
    /// The channel is closed.
    Closed,
    /// The channel has the opposite direction.
    WrongDirection,
    Failed(Status),
}

impl From<Status> for Problem {
    fn from(status: Status) -> Self {
        match status.code {
            // A closed queue reports `TF_OUT_OF_RANGE`.
            Code::TF_CANCELLED | Code::TF_OUT_OF_RANGE => Problem::Closed,
            _ => Problem::Failed(status),
        }
    }
}

impl Link {
    /// Creates the end for a new start.
    pub(super) fn new(channel: &image::Channel, nodes: LinkNodes) -> Result<Self, Failure> {
        match nodes {
            LinkNodes::Queue { ends, close } => Ok(Link::Queue { ends, close }),
            LinkNodes::Direct { address } => Ok(Link::Direct {
                channel: channels::Channel::new(channel.dtype, channel.capacity)
                    .ok_or_else(|| Failure::new("there are no direct channels any more"))?,
                direction: channel.direction,
                address,
            }),
        }
    }

    /// Returns the node and the value that the graph must be fed.
    pub(super) fn address(&self) -> Option<(Operation, Tensor)> {
        match self {
            Link::Direct {
                channel, address, ..
            } => Some((*address, channel.address())),
            Link::Queue { .. } => None,
        }
    }

    pub(super) fn receive(&self, session: &Session, waits: &Waits) -> Result<Tensor, Problem> {
        match self {
            Link::Direct {
                channel,
                direction: Direction::ToHost,
                ..
            } => match channel.receive(|wait| waits.during(wait))? {
                Tried::Done(value) => Ok(value),
                Tried::Closed | Tried::MustWait(()) => Err(Problem::Closed),
            },
            Link::Queue {
                ends: Ends::Receive(receive),
                ..
            } => {
                // All of the run counts as a wait: TensorFlow does not report the waits in it.
                let mut values = waits.during(|| session.run("exchange", &[], &[*receive], &[]))?;
                values.pop().ok_or(Problem::Closed)
            }
            _ => Err(Problem::WrongDirection),
        }
    }

    pub(super) fn send(
        &self,
        value: &Tensor,
        session: &Session,
        waits: &Waits,
    ) -> Result<(), Problem> {
        match self {
            Link::Direct {
                channel,
                direction: Direction::ToGraph,
                ..
            } => match channel.send(value, |wait| waits.during(wait))? {
                Tried::Done(()) => Ok(()),
                Tried::Closed | Tried::MustWait(()) => Err(Problem::Closed),
            },
            Link::Queue {
                ends: Ends::Send { value: node, send },
                ..
            } => {
                waits.during(|| session.run("exchange", &[(*node, value)], &[], &[*send]))?;
                Ok(())
            }
            _ => Err(Problem::WrongDirection),
        }
    }

    /// Ends sending, and wakes every thread that waits.
    ///
    /// # Errors
    /// A queue could not be closed.
    pub(super) fn close(&self, session: &Session) -> Result<(), Status> {
        match self {
            Link::Direct { channel, .. } => channel.close(false),
            Link::Queue { close, .. } => {
                session.run("close", &[], &[], &[*close])?;
            }
        }
        Ok(())
    }

    /// Ends receiving as well. The session does so for queues.
    pub(super) fn discard(&self) {
        if let Link::Direct { channel, .. } = self {
            channel.close(true);
        }
    }

    /// Counts the waits of the graph, which queues do not report.
    pub(super) fn count_waits(&self, meter: &Meter) {
        if let Link::Direct { channel, .. } = self {
            let (times, time) = channel.waits();
            meter.graph.add(times, time);
        }
    }
}
