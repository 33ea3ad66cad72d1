//! Send and receive: try, spin for a short time, then sleep.
//!
//! A *closed* channel accepts no message but still delivers those in it, so the last values of a
//! graph that has ended are not lost. A *discarded* channel delivers none either; the remaining
//! messages are dropped with it. Both operations wake all waiting threads.

use crate::{
    bell::Bell,
    ring::{Put, Ring, Taken},
    sync::Spin,
};

/// The error of a closed channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// The result of an operation that does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried<T, W> {
    /// Success.
    Done(T),
    /// The operation would have to wait.
    MustWait(W),
    /// The channel is closed.
    Closed,
}

/// The maximal number of slots. They are allocated with the channel, so larger capacities, which
/// only users write, are reduced to this one. The capacity affects only how far one side can run
/// ahead.
const MOST_SLOTS: usize = 1 << 16;

/// A bounded channel. Any number of threads may use any of its functions.
pub struct Channel<T> {
    ring: Ring<T>,
    senders: Bell,
    receivers: Bell,
}

impl<T> Channel<T> {
    /// Creates an empty channel with a capacity of at least 1.
    pub fn new(capacity: usize) -> Self {
        Channel {
            ring: Ring::new(capacity.clamp(1, MOST_SLOTS)),
            senders: Bell::new(),
            receivers: Bell::new(),
        }
    }

    /// Sends a message, or returns it if the channel is full.
    pub fn try_send(&self, message: T) -> Tried<(), T> {
        match self.ring.put(message) {
            Put::Done => {
                self.receivers.ring();
                Tried::Done(())
            }
            Put::Full(message) => Tried::MustWait(message),
            Put::Closed(_) => Tried::Closed,
        }
    }

    /// Receives the next message, if there is one.
    pub fn try_receive(&self) -> Tried<T, ()> {
        match self.ring.take() {
            Taken::Message(message) => {
                self.senders.ring();
                Tried::Done(message)
            }
            Taken::Empty => Tried::MustWait(()),
            Taken::Closed => Tried::Closed,
        }
    }

    /// Sends a message; waits while the channel is full.
    pub fn send(&self, mut message: T) -> Result<(), Closed> {
        let mut spin = Spin::new();
        loop {
            match self.try_send(message) {
                Tried::Done(()) => return Ok(()),
                Tried::Closed => return Err(Closed),
                Tried::MustWait(unsent) => message = unsent,
            }
            if !spin.again() {
                self.senders.sleep_until(|| self.ring.can_put());
            }
        }
    }

    /// Receives the next message; waits while the channel is empty.
    pub fn receive(&self) -> Result<T, Closed> {
        let mut spin = Spin::new();
        loop {
            match self.try_receive() {
                Tried::Done(message) => return Ok(message),
                Tried::Closed => return Err(Closed),
                Tried::MustWait(()) => {}
            }
            if !spin.again() {
                self.receivers.sleep_until(|| self.ring.can_take());
            }
        }
    }

    /// Ends sending. The messages in the channel can still be received.
    pub fn close(&self) {
        self.ring.close();
        self.ring_both();
    }

    /// Ends sending and receiving.
    pub fn discard(&self) {
        self.ring.discard();
        self.ring_both();
    }

    fn ring_both(&self) {
        self.senders.ring();
        self.receivers.ring();
    }
}

impl<T> std::fmt::Debug for Channel<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Channel").finish_non_exhaustive()
    }
}
