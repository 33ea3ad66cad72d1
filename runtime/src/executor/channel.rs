//! A bounded queue of messages between the host and a graph in one process.
//!
//! A closed channel still gives what is in it, and takes nothing more: the last values of a graph that has ended are not lost.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, PoisonError},
};

use tfx_interpreter::{Closed, Tensor};

use super::completion::lock;

#[derive(Debug)]
struct State {
    messages: VecDeque<Tensor>,
    closed: bool,
}

/// The queue. Any number of threads may send and receive.
#[derive(Debug)]
pub(super) struct Channel {
    capacity: usize,
    state: Mutex<State>,
    changed: Condvar,
}

impl Channel {
    /// An empty channel; at least one message fits.
    pub(super) fn new(capacity: usize) -> Self {
        let state = State {
            messages: VecDeque::new(),
            closed: false,
        };
        Channel {
            capacity: capacity.max(1),
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Waits for room, then puts the message in.
    pub(super) fn send(&self, message: Tensor) -> Result<(), Closed> {
        let mut state = lock(&self.state);
        while !state.closed && state.messages.len() >= self.capacity {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.closed {
            return Err(Closed);
        }
        state.messages.push_back(message);
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for a message.
    pub(super) fn receive(&self) -> Result<Tensor, Closed> {
        let mut state = lock(&self.state);
        loop {
            if let Some(message) = state.messages.pop_front() {
                drop(state);
                self.changed.notify_all();
                return Ok(message);
            }
            if state.closed {
                return Err(Closed);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Wakes everyone who waits; `drain` throws away what is in it, too.
    pub(super) fn close(&self, drain: bool) {
        let mut state = lock(&self.state);
        state.closed = true;
        if drain {
            state.messages.clear();
        }
        drop(state);
        self.changed.notify_all();
    }
}
