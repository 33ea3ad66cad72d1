//! What was checked, as numbers that add up over programs and workers.

use crate::copies::Copies;

/// What was checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Runs of a host with its graphs under some schedule.
    pub schedules: u64,
    /// Turns that they took.
    pub steps: u64,
    /// Programs that run longer than their fuel, which are not checked.
    pub endless: u64,
    /// Programs that have a graph after partition.
    pub with_graph: u64,
    /// Inputs from outside that were not refused.
    pub accepted: u64,
    /// Inputs that MLIR's own reader does not survive.
    pub unreadable: u64,
    /// Programs with outlined expressions.
    pub outlined: u64,
    /// Messages of those programs.
    pub messages: u64,
    /// What copy analysis says of them, and what they do.
    pub copies: Copies,
}

impl Counts {
    /// Adds what another one has.
    pub fn add(&mut self, other: &Counts) {
        let all = self.all().into_iter().zip(other.all());
        *self = Counts::from_all(all.map(|(one, other)| one + other)).unwrap_or_default();
    }

    /// All numbers, in one order.
    pub(crate) fn all(&self) -> [u64; 15] {
        let copies = &self.copies;
        [
            self.schedules,
            self.steps,
            self.endless,
            self.with_graph,
            self.accepted,
            self.unreadable,
            self.outlined,
            self.messages,
            copies.sends,
            copies.round_trips,
            copies.warned,
            copies.warned_unexecuted,
            copies.unexecuted_in_branches,
            copies.unexecuted_in_loops,
            copies.warned_without_round_trip,
        ]
    }

    /// From all numbers in that order.
    pub(crate) fn from_all(mut numbers: impl Iterator<Item = u64>) -> Option<Self> {
        let mut next = || numbers.next();
        Some(Counts {
            schedules: next()?,
            steps: next()?,
            endless: next()?,
            with_graph: next()?,
            accepted: next()?,
            unreadable: next()?,
            outlined: next()?,
            messages: next()?,
            copies: Copies {
                sends: next()?,
                round_trips: next()?,
                warned: next()?,
                warned_unexecuted: next()?,
                unexecuted_in_branches: next()?,
                unexecuted_in_loops: next()?,
                warned_without_round_trip: next()?,
            },
        })
    }
}
