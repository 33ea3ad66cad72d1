//! Vector clocks.
//!
//! The clock of an agent has an entry for each agent: the position of its last command that is
//! known to be complete. A wait joins the clock of an event into that of the waiting agent.
//!
//! Source: Fidge, *Timestamps in message-passing systems that preserve the partial ordering*
//! (1988), and Mattern, *Virtual time and global states of distributed systems* (1989).

use crate::memory::Position;

/// Positions by agent, and by entry symbol of a part that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock(pub(crate) Vec<Position>);

impl Clock {
    /// Returns a clock of which no command is complete.
    pub(crate) fn new(length: usize) -> Self {
        Self(vec![0; length])
    }

    /// Returns whether a command of an agent is known to be complete.
    pub(crate) fn covers(&self, agent: u32, position: Position) -> bool {
        self.0[agent as usize] >= position
    }

    /// Sets the entry of an agent, unless it is later.
    pub(crate) fn advance(&mut self, agent: u32, position: Position) {
        let entry = &mut self.0[agent as usize];
        *entry = (*entry).max(position);
    }

    /// Adds what another clock knows.
    pub(crate) fn join(&mut self, other: &Clock) {
        for (entry, other) in self.0.iter_mut().zip(&other.0) {
            *entry = (*entry).max(*other);
        }
    }
}
