//! The transfers of a message: `tfx_comm.send` and `tfx_comm.recv`, on either side.

use tfx_ir::{Op, Value};

use crate::comm::{CommOp, Recv, Send};

/// The attribute of a send or a receive of an intentional copy, which the source program marks.
pub const EXPLICIT: &str = "explicit";

/// A send or a receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer<'a> {
    /// `tfx_comm.send`.
    Send(Send<'a>),
    /// `tfx_comm.recv`.
    Recv(Recv<'a>),
}

impl<'a> Transfer<'a> {
    /// Returns the view of `op` if it is a send or a receive.
    pub fn cast(op: Op<'a>) -> Option<Self> {
        match CommOp::cast(op)? {
            CommOp::Send(send) => Some(Self::Send(send)),
            CommOp::Recv(recv) => Some(Self::Recv(recv)),
            _ => None,
        }
    }

    /// Returns the operation.
    pub fn op(self) -> Op<'a> {
        match self {
            Self::Send(send) => send.op(),
            Self::Recv(recv) => recv.op(),
        }
    }

    /// Returns whether it sends.
    pub fn is_send(self) -> bool {
        matches!(self, Self::Send(_))
    }

    /// Returns the number of the channel.
    pub fn channel(self) -> u32 {
        match self {
            Self::Send(send) => send.channel(),
            Self::Recv(recv) => recv.channel(),
        }
    }

    /// Returns the message: the operand of a send, the result of a receive.
    pub fn value(self) -> Value<'a> {
        match self {
            Self::Send(send) => send.value(),
            Self::Recv(recv) => recv.value(),
        }
    }

    /// Returns the running program, on the host's side; none on the graph's side.
    pub fn program(self) -> Option<Value<'a>> {
        match self {
            Self::Send(send) => send.program(),
            Self::Recv(recv) => recv.program(),
        }
    }
}
