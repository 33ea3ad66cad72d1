//! Sending and receiving: try, stay awake for a moment, sleep.
//!
//! A channel that is *closed* still gives what is in it, and takes nothing more: the last values of a graph that has ended are not lost. One that is
//! *discarded* gives nothing more, either; what is left in it is dropped with it. Either wakes everyone who waits.

use crate::{
    bell::Bell,
    ring::{Put, Ring, Taken},
    sync::Patience,
};

/// The channel takes, or gives, nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

/// What came of an attempt that does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried<T, W> {
    /// It is done.
    Done(T),
    /// It would have to wait.
    MustWait(W),
    /// It will never be possible.
    Closed,
}

/// The most messages that a channel makes room for. Room is made when the channel is: a larger capacity, which only a user can have written, is
/// taken as this one, which changes how long the side that runs ahead may do so, and nothing else.
const MOST_SLOTS: usize = 1 << 16;

/// A bounded channel. Any number of threads may use any of its functions.
pub struct Channel<T> {
    ring: Ring<T>,
    senders: Bell,
    receivers: Bell,
}

impl<T> Channel<T> {
    /// An empty channel; at least one message fits.
    pub fn new(capacity: usize) -> Self {
        Channel {
            ring: Ring::new(capacity.clamp(1, MOST_SLOTS)),
            senders: Bell::new(),
            receivers: Bell::new(),
        }
    }

    /// Puts a message in, if there is room now; gives it back where there is none.
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

    /// Takes the next message, if there is one now.
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

    /// Waits for room, then puts the message in.
    pub fn send(&self, mut message: T) -> Result<(), Closed> {
        let mut patience = Patience::new();
        loop {
            match self.try_send(message) {
                Tried::Done(()) => return Ok(()),
                Tried::Closed => return Err(Closed),
                Tried::MustWait(again) => message = again,
            }
            if !patience.wait() {
                self.senders.sleep_until(|| self.ring.can_put());
            }
        }
    }

    /// Waits for a message.
    pub fn receive(&self) -> Result<T, Closed> {
        let mut patience = Patience::new();
        loop {
            match self.try_receive() {
                Tried::Done(message) => return Ok(message),
                Tried::Closed => return Err(Closed),
                Tried::MustWait(()) => {}
            }
            if !patience.wait() {
                self.receivers.sleep_until(|| self.ring.can_take());
            }
        }
    }

    /// Takes nothing more from now on. What is in it can still be received.
    pub fn close(&self) {
        self.ring.close();
        self.ring_both();
    }

    /// Takes and gives nothing more from now on.
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
