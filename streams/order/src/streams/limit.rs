//! Streams with a limit: the fewest waits of many simulations.
//!
//! ```text
//!   earliest starts, 1 2 3 4 6 8 .. streams       ──► the shortest time, and a tolerance
//!        │
//!        ▼          latest starts                     several rules
//!   a placement ───────────────────► the slack ─────────────────────► placements
//!        ▲                                                                │
//!        └───────────────── the fewest waits in the tolerance ◄───────────┘
//! ```
//!
//! Few waits and a short time are opposite aims: a command that needs no wait is on the stream of
//! those that it depends on, after everything else there. The *slack* of a command in a placement
//! is the time by which it may be delayed while all commands still end in time. A pass backward in
//! time finds the latest start of each command ([`Lists::latest`]). A simulation forward in time
//! lets commands use a part of their slack to save waits, which results in another placement.
//!
//! 1. Each number of streams is simulated with the earliest starts. Those that are nearly as fast
//!    as the best are simulated again with their slack, by each rule.
//! 2. In rounds, the best placement that was not used before has its slack computed, once as it is
//!    and once with the tolerance, and is simulated by each rule.
//! 3. The commands are divided into sections, and each section gets the rule that is best for all.
//!
//! The best placement has the fewest waits of those whose time exceeds the shortest one by at most
//! the tolerance, which is a sixty-fourth of it or an event. So more streams are taken only if they
//! gain more than that, and no stream is used that does not pay for its events.
//!
//! Source: the forward and backward passes are those of Li and Willis, *An iterative scheduling
//! technique for resource-constrained project scheduling* (1992).
//!
//! Cost: about 140 simulations, O((N + E) S) each; fewer for more than 7 500 commands
//! ([`MAX_VISITS`]). Not guaranteed: the fewest waits and the shortest time, which are NP-hard.

use super::Costs;
use super::cover::Graph;
use super::list::{Lists, Placement, Rule};
use crate::graph::MAX_CLOCKS;

/// The rules, from few waits to a short time.
pub(super) const RULES: [Rule; 4] = [
    Rule {
        share: 16,
        delay: 0,
    },
    Rule {
        share: 12,
        delay: 3,
    },
    Rule { share: 8, delay: 1 },
    Rule { share: 4, delay: 3 },
];

/// The part of the shortest time by which a placement may be longer to save waits: less than the
/// uncertainty of the times of commands.
const TOLERANCE: u64 = 64;

/// The part of the shortest time by which a number of streams may be longer to be tried by rules.
const NEAR: u64 = 10;

/// The rounds: more than these save less than 1 % of the waits of networks.
const ROUNDS: usize = 8;

/// The sections with a rule of their own.
const SECTIONS: usize = 16;

/// The commands of all simulations by rules: about a second with eight streams.
const MAX_VISITS: usize = 1 << 20;

/// Returns the streams of all commands, `most` of them or fewer.
pub(super) fn assign(graph: &Graph, most: u32, costs: Costs) -> Vec<u32> {
    let nodes = graph.costs.len();
    if nodes == 0 {
        return Vec::new();
    }
    let widest = u32::try_from(MAX_CLOCKS / nodes).unwrap_or(u32::MAX).max(1);
    let mut search = Search {
        lists: Lists::new(graph, costs),
        event: costs.event,
        shortest: u64::MAX,
        found: Vec::new(),
        left: MAX_VISITS / nodes,
    };
    search.count_streams(most.min(widest));
    search.repeat();
    search.mix();
    let best = search.best(|_| true);
    best.map_or_else(|| vec![0; nodes], |best| search.found[best].streams.clone())
}

struct Search<'g> {
    lists: Lists<'g>,
    event: u64,
    /// The shortest time of all placements.
    shortest: u64,
    found: Vec<Placement>,
    /// The simulations by rules that are left.
    left: usize,
}

impl Search<'_> {
    /// Returns the longest time of a placement that is taken.
    fn limit(&self) -> u64 {
        let tolerance = (self.shortest / TOLERANCE).max(self.event);
        self.shortest.saturating_add(tolerance)
    }

    /// Returns the order of placements, the best first.
    fn key(&self, placement: &Placement) -> (bool, usize, u64) {
        match placement.end > self.limit() {
            true => (true, 0, placement.end),
            false => (false, placement.waits, placement.end),
        }
    }

    /// Returns the number of the best placement for which a condition holds.
    fn best(&self, is_open: impl Fn(&Placement) -> bool) -> Option<usize> {
        let open = (0..self.found.len()).filter(|number| is_open(&self.found[*number]));
        open.min_by_key(|number| self.key(&self.found[*number]))
    }

    fn add(&mut self, placement: Placement) {
        self.shortest = self.shortest.min(placement.end);
        self.found.push(placement);
    }

    fn simulate(&mut self, count: u32, rules: &[Rule], latest: &[u64]) -> Placement {
        self.left = self.left.saturating_sub(1);
        self.lists.by_rules(count, rules, latest)
    }

    fn try_rules(&mut self, count: u32, latest: &[u64]) {
        for rule in RULES {
            let placement = self.simulate(count, &[rule], latest);
            self.add(placement);
        }
    }

    /// Tries numbers of streams.
    fn count_streams(&mut self, most: u32) {
        let mut count = 1u32;
        loop {
            let placement = self.lists.earliest(count);
            let is_enough = placement.count < count;
            self.add(placement);
            if is_enough || count >= most {
                break;
            }
            // 1, 2, 3, 4, 6, 8, 12 and so on.
            let next = match count.is_power_of_two() && count > 1 {
                true => count.saturating_add(count / 2),
                false => count.saturating_add(1).next_power_of_two(),
            };
            count = next.min(most);
        }
        let near = self.shortest.saturating_add(self.shortest / NEAR);
        for number in 0..self.found.len() {
            let placement = &self.found[number];
            let (count, end) = (placement.count, placement.end);
            if end <= near && count > 1 && self.left >= RULES.len() {
                let latest = self.lists.latest(placement, end);
                self.try_rules(count, &latest);
            }
        }
    }

    /// Simulates the best placements again with their slack.
    fn repeat(&mut self) {
        // Placements with the same waits and end differ in the numbers of streams mostly.
        let mut used: Vec<(usize, u64)> = Vec::new();
        for _ in 0..ROUNDS {
            let best = self.best(|placement| !used.contains(&(placement.waits, placement.end)));
            let Some(best) = best.filter(|_| self.left >= 2 * RULES.len()) else {
                break;
            };
            let (count, waits) = (self.found[best].count, self.found[best].waits);
            let (end, limit) = (self.found[best].end, self.limit());
            if waits == 0 {
                break;
            }
            used.push((waits, end));
            for goal in [end, limit.max(end)] {
                let latest = self.lists.latest(&self.found[best], goal);
                self.try_rules(count, &latest);
            }
        }
    }

    /// Simulates the best placement with a rule for each section.
    fn mix(&mut self) {
        let needed = RULES.len() * (SECTIONS + 1);
        let Some(best) = self.best(|_| true).filter(|_| self.left >= needed) else {
            return;
        };
        if self.found[best].waits == 0 {
            return;
        }
        let count = self.found[best].count;
        let latest = self.lists.latest(&self.found[best], self.limit());
        let mut rules = vec![RULES[0]; SECTIONS];
        let mut mixed: Option<Placement> = None;
        for rule in RULES {
            let placement = self.simulate(count, &[rule], &latest);
            let is_better = mixed
                .as_ref()
                .is_none_or(|best| self.key(&placement) < self.key(best));
            if is_better {
                rules = vec![rule; SECTIONS];
                mixed = Some(placement);
            }
        }
        let Some(mut mixed) = mixed else {
            return;
        };
        for section in 0..SECTIONS {
            for rule in RULES {
                let before = std::mem::replace(&mut rules[section], rule);
                if before == rule {
                    continue;
                }
                let placement = self.simulate(count, &rules, &latest);
                match self.key(&placement) < self.key(&mixed) {
                    true => mixed = placement,
                    false => rules[section] = before,
                }
            }
        }
        self.add(mixed);
    }
}
