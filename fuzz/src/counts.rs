//! Statistics of checks, which are added up over programs and workers.

/// The number of sends of a host, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// All sends, except intentional copies.
    pub sends: u64,
    /// Sends that ended a round trip on some input.
    pub round_trips: u64,
    /// Sends with a warning.
    pub warned: u64,
    /// Sends with a warning that were not executed on any input.
    pub warned_unexecuted: u64,
    /// Of these, sends in a branch that was not reached.
    pub unexecuted_in_branches: u64,
    /// Of these, sends in a loop that was not reached.
    pub unexecuted_in_loops: u64,
    /// Sends with a warning that were executed and ended no round trip on any input.
    pub warned_without_round_trip: u64,
}

/// The numbers of checked items.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Executions of a host with its graphs under a schedule.
    pub schedules: u64,
    /// Steps of these executions.
    pub steps: u64,
    /// Programs that run out of fuel, which are not checked.
    pub endless: u64,
    /// Programs with a graph after partition.
    pub with_graph: u64,
    /// External inputs that were accepted.
    pub accepted: u64,
    /// Inputs that crash MLIR's own reader.
    pub unreadable: u64,
    /// Programs with outlined expressions.
    pub outlined: u64,
    /// Messages of those programs.
    pub messages: u64,
    /// Partial derivatives that were compared with central differences.
    pub derivatives: u64,
    /// Copies, their warnings, and their round trips.
    pub copies: Copies,
}

impl Counts {
    /// Adds the numbers of another one.
    pub fn add(&mut self, other: &Counts) {
        let all = self.all().into_iter().zip(other.all());
        *self = Counts::from_all(all.map(|(one, other)| one + other)).unwrap_or_default();
    }

    /// Returns all numbers, in a fixed order.
    pub(crate) fn all(&self) -> [u64; 16] {
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
            self.derivatives,
            copies.sends,
            copies.round_trips,
            copies.warned,
            copies.warned_unexecuted,
            copies.unexecuted_in_branches,
            copies.unexecuted_in_loops,
            copies.warned_without_round_trip,
        ]
    }

    /// Creates the statistics from all numbers in that order.
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
            derivatives: next()?,
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
