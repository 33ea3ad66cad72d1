//! Schedules: which process takes the next step, where a host and its graphs run concurrently.
//!
//! A step ends at each message, so a schedule decides everything that can differ. [`Every`]
//! enumerates all schedules of a number of decisions, as an odometer does; the schedule after these
//! is fair.

/// Selects among the processes that can run.
pub trait Schedule {
    /// Returns an index into `ready`, which holds the numbers of the processes in ascending order;
    /// the host is 0.
    fn pick(&mut self, ready: &[usize]) -> usize;
}

/// Selects the host whenever it can run.
#[derive(Clone, Copy, Debug)]
pub struct HostFirst;

/// Selects a graph whenever one can run.
#[derive(Clone, Copy, Debug)]
pub struct GraphFirst;

/// Round robin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fair {
    last: usize,
}

/// Selects at random, determined by the seed.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub crate::Random);

/// All schedules of some decisions, one after another.
#[derive(Clone, Debug)]
pub struct Every {
    /// Each decision, with its number of alternatives.
    taken: Vec<(usize, usize)>,
    next: usize,
    limit: usize,
    rest: Fair,
}

impl Schedule for HostFirst {
    fn pick(&mut self, _: &[usize]) -> usize {
        0
    }
}

impl Schedule for GraphFirst {
    fn pick(&mut self, ready: &[usize]) -> usize {
        ready.len() - 1
    }
}

impl Schedule for Fair {
    fn pick(&mut self, ready: &[usize]) -> usize {
        let chosen = ready.iter().position(|&process| process > self.last);
        let chosen = chosen.unwrap_or(0);
        self.last = ready[chosen];
        chosen
    }
}

impl Schedule for Random {
    fn pick(&mut self, ready: &[usize]) -> usize {
        self.0.below(ready.len())
    }
}

impl Every {
    /// Enumerates the schedules that differ in the first `limit` decisions.
    pub fn new(limit: usize) -> Self {
        Every {
            taken: Vec::new(),
            next: 0,
            limit,
            rest: Fair::default(),
        }
    }

    /// Advances to the next schedule; returns whether there is one.
    pub fn advance(&mut self) -> bool {
        self.next = 0;
        self.rest = Fair::default();
        while let Some((choice, choices)) = self.taken.pop() {
            if choice + 1 < choices {
                self.taken.push((choice + 1, choices));
                return true;
            }
        }
        false
    }
}

impl Schedule for Every {
    fn pick(&mut self, ready: &[usize]) -> usize {
        // A single process leaves no decision.
        if ready.len() < 2 {
            return 0;
        }
        if self.next == self.limit {
            return self.rest.pick(ready);
        }
        if self.next == self.taken.len() {
            self.taken.push((0, ready.len()));
        }
        let choice = self.taken[self.next].0;
        self.next += 1;
        choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_schedule_occurs_once() {
        let mut every = Every::new(3);
        let mut seen = Vec::new();
        loop {
            // The third decision has no alternative after (1, 0).
            let first = every.pick(&[0, 1]);
            let second = every.pick(&[0, 1]);
            let third = match (first, second) {
                (1, 0) => every.pick(&[0]),
                _ => every.pick(&[0, 1]),
            };
            seen.push((first, second, third));
            if !every.advance() {
                break;
            }
        }
        let expected = [
            (0, 0, 0),
            (0, 0, 1),
            (0, 1, 0),
            (0, 1, 1),
            (1, 0, 0),
            (1, 1, 0),
            (1, 1, 1),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_fair_schedule_starves_no_process() {
        let mut fair = Fair::default();
        let picks: Vec<_> = (0..4).map(|_| fair.pick(&[0, 1, 2])).collect();
        assert_eq!(picks, [1, 2, 0, 1]);
    }
}
