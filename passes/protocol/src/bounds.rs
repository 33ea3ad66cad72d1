//! The maximal occupancy of each channel, for any schedule and any capacity.
//!
//! ```text
//!   graph: loop { send 0; recv 1 }            each iteration awaits a reply: channel 0 holds 1
//!   graph: loop { send 0; if c { recv 1 } }   nothing limits the graph: channel 0 can grow
//! ```
//!
//! The *lag* of a channel at a point of its sender is the number of its messages of which the
//! sender does not know that they have been received. A receive acknowledges: the other side has
//! passed everything before the matching send. A send thus increases the lag by one, and a receive
//! removes the messages that the other side must have received by then. The greatest lag is the
//! bound. It is exact for each path: with a lag of `n`, there is a schedule in which the other side
//! has received none of the `n` messages.
//!
//! A region maps the lag `l` to `max(l + relative, absolute)`: relative without an acknowledgement
//! in the region, absolute with one. If an iteration of a loop can increase the lag without an
//! acknowledgement, its effect is multiplied by the trip count; the lag is unbounded if the trip
//! count is not constant. Any other loop has the effect of its first two iterations.
//!
//! A graph that is cancelled runs until it waits for the host. The messages that it may send until
//! then count ([`crate::cancellation`]).
//!
//! Cost: the messages, and for each channel the regions around it up to one that leaves no lag. For
//! a branch, the maximum over the regions is taken for each channel separately, so the bound may be
//! too high; the runtime then allocates more capacity than necessary.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use tfx_ir::ops::Structured;

use crate::events::{Ending, Side, constant_trips};
use crate::schedule::{Pair, Schedule, Step, UNBOUNDED};

/// Returns the bound of each channel with messages.
pub(crate) fn bounds(schedule: &Schedule<'_>) -> FxHashMap<u32, u64> {
    let mut bounds = Bounds::default();
    for sender in [Side::Host, Side::Graph] {
        let mut regions: Vec<Effects> = vec![Effects::default(); schedule.regions.len()];
        // A nested region has a greater index than the regions around it.
        for region in (0..regions.len()).rev() {
            let analysis = RegionAnalysis::new(schedule, region, sender);
            regions[region] = analysis.run(&mut regions, &mut bounds);
        }
        let program = regions.into_iter().next().unwrap_or_default();
        for (channel, effect) in program.channels {
            bounds.raise(channel, effect.peak.after(0));
        }
    }
    bounds.0
}

/// The bounds so far.
#[derive(Default)]
struct Bounds(FxHashMap<u32, u64>);

impl Bounds {
    fn raise(&mut self, channel: u32, bound: u64) {
        let known = self.0.entry(channel).or_default();
        *known = bound.max(*known);
    }

    /// Returns whether the code around a region need not consider its effect on a channel: the
    /// region adds no lag, or the channel is unbounded in any case. Then records the bound.
    fn settles(&mut self, channel: u32, effect: Effect) -> bool {
        let adds_nothing = |lag: Option<u64>| lag <= Some(0);
        let settled = effect.peak.relative == Some(UNBOUNDED)
            || adds_nothing(effect.end.relative)
                && adds_nothing(effect.end.absolute)
                && adds_nothing(effect.peak.relative);
        if settled {
            self.raise(channel, effect.peak.after(0));
        }
        settled
    }
}

/// A function of a lag `l`: `max(l + relative, absolute)`, without the terms that are missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lag {
    relative: Option<u64>,
    absolute: Option<u64>,
}

impl Lag {
    const UNCHANGED: Lag = Lag {
        relative: Some(0),
        absolute: None,
    };

    fn absolute(lag: u64) -> Lag {
        Lag {
            relative: None,
            absolute: Some(lag),
        }
    }

    fn plus(self, more: u64) -> Lag {
        Lag {
            relative: self.relative.map(|lag| lag.saturating_add(more)),
            absolute: self.absolute.map(|lag| lag.saturating_add(more)),
        }
    }

    fn max(self, other: Lag) -> Lag {
        Lag {
            relative: self.relative.max(other.relative),
            absolute: self.absolute.max(other.absolute),
        }
    }

    /// Returns the function that applies `self` `times` times, at least once.
    fn times(self, times: u64) -> Lag {
        let more = |count: u64| self.relative.map(|more| more.saturating_mul(count));
        // The absolute term of the first application increases in all others.
        let last = more(times - 1).unwrap_or_default();
        Lag {
            relative: more(times),
            absolute: self.absolute.map(|lag| lag.saturating_add(last)),
        }
    }

    /// Returns the function that applies `self`, then `next`.
    fn then(self, next: Lag) -> Lag {
        let through = next.relative.map(|more| self.plus(more));
        let through = through.unwrap_or_default();
        Lag {
            absolute: through.absolute.max(next.absolute),
            ..through
        }
    }

    fn after(self, before: u64) -> u64 {
        let relative = self.relative.map(|lag| lag.saturating_add(before));
        relative.max(self.absolute).unwrap_or_default()
    }
}

/// The effect of a region on one channel: the lag at its end, and the greatest lag in it.
#[derive(Clone, Copy, Debug)]
struct Effect {
    end: Lag,
    peak: Lag,
}

impl Effect {
    const NONE: Effect = Effect {
        end: Lag::UNCHANGED,
        peak: Lag::UNCHANGED,
    };

    fn then(self, next: Effect) -> Effect {
        Effect {
            end: self.end.then(next.end),
            peak: self.peak.max(self.end.then(next.peak)),
        }
    }

    fn or(self, other: Effect) -> Effect {
        Effect {
            end: self.end.max(other.end),
            peak: self.peak.max(other.peak),
        }
    }

    /// Returns the effect of a loop with this body. Without a trip count, the loop may run any
    /// number of iterations.
    fn repeated(self, trips: Option<u64>) -> Effect {
        if self.end.relative.is_none_or(|more| more == 0) {
            // The maximum over no iteration, one, and two.
            return Effect {
                end: Lag::UNCHANGED.max(self.end),
                peak: Lag::UNCHANGED.max(self.peak).max(self.end.then(self.peak)),
            };
        }
        match trips {
            Some(0) => Effect::NONE,
            Some(1) => self,
            // Each iteration adds, so the last one has the greatest lag.
            Some(trips) => Effect {
                end: self.end.times(trips),
                peak: self.end.times(trips - 1).then(self.peak),
            },
            None => {
                let unbounded = Lag {
                    relative: Some(UNBOUNDED),
                    absolute: None,
                };
                Effect {
                    end: unbounded,
                    peak: unbounded,
                }
            }
        }
    }
}

/// The effects of a region.
#[derive(Clone, Debug, Default)]
struct Effects {
    /// The sender receives in each execution, so earlier messages are in flight after it only if
    /// they are sent across the region.
    acknowledges: bool,
    channels: Vec<(u32, Effect)>,
}

impl Effects {
    /// Combines the effects of the regions of a pair. If the host cancels the graph in a region,
    /// the host does not leave the region, so only the peaks count. The graph does leave it, unless
    /// it waits there.
    fn of_pair(
        schedule: &Schedule<'_>,
        pair: &Pair<'_>,
        sender: Side,
        regions: &mut [Effects],
    ) -> Effects {
        let take = |region: &usize| std::mem::take(&mut regions[*region]);
        let parts: Vec<Effects> = pair.regions.iter().map(take).collect();
        // A graph learns of its cancellation only when it waits for the host.
        let continues = |part: usize| {
            let region = &schedule.regions[pair.regions[part]];
            region.ending != Ending::Cancelled || sender == Side::Graph && !region.graph_waits
        };
        let merged = merge(&parts);
        let trips = constant_trips(pair.host).or_else(|| constant_trips(pair.graph));
        // No path leaves a region that is cancelled.
        let through = |part: usize, effect: Effect| match continues(part) {
            true => effect,
            false => Effect {
                end: Lag::default(),
                ..effect
            },
        };
        // The effect of the regions that do not use a channel. The maximum over all regions is the
        // same.
        let unused = (0..parts.len())
            .map(|part| through(part, parts[part].on_unused_channel()))
            .reduce(Effect::or);
        let combine = |effects: &[(usize, Effect)]| {
            let find = |part: usize| {
                let found = effects.binary_search_by_key(&part, |&(part, _)| part);
                found.map_or_else(
                    |_| parts[part].on_unused_channel(),
                    |index| effects[index].1,
                )
            };
            match pair.host {
                Structured::For(_) => find(0).repeated(trips),
                Structured::While(_) => find(0).then(find(1).then(find(0)).repeated(trips)),
                Structured::If(_) | Structured::Switch(_) => effects
                    .iter()
                    .map(|&(part, effect)| through(part, effect))
                    .fold(unused.unwrap_or(Effect::NONE), Effect::or),
            }
        };
        let acknowledges = match pair.host {
            Structured::For(_) => false,
            Structured::While(_) => parts[0].acknowledges,
            Structured::If(_) | Structured::Switch(_) => {
                (0..parts.len()).all(|part| parts[part].acknowledges || !continues(part))
            }
        };
        let channels = merged
            .into_iter()
            .map(|(channel, effects)| (channel, combine(&effects)))
            .collect();
        Effects {
            acknowledges,
            channels,
        }
    }

    /// Returns the effect on a channel that the region does not use. An acknowledgement covers all
    /// messages of the regions around it.
    fn on_unused_channel(&self) -> Effect {
        match self.acknowledges {
            false => Effect::NONE,
            true => Effect {
                end: Lag::absolute(0),
                peak: Lag::UNCHANGED,
            },
        }
    }
}

/// Returns the effects of several regions by channel, in the order of their first use.
fn merge(parts: &[Effects]) -> Vec<(u32, Vec<(usize, Effect)>)> {
    let mut indices: FxHashMap<u32, usize> = FxHashMap::default();
    let mut merged: Vec<(u32, Vec<(usize, Effect)>)> = Vec::new();
    for (part, effects) in parts.iter().enumerate() {
        for &(channel, effect) in &effects.channels {
            let index = *indices.entry(channel).or_insert_with(|| {
                merged.push((channel, Vec::new()));
                merged.len() - 1
            });
            merged[index].1.push((part, effect));
        }
    }
    merged
}

/// A channel at a point of its sender.
struct ChannelState {
    effect: Effect,
    /// The messages of this region that are not acknowledged: the step in which the other side
    /// receives them, and their number.
    unacknowledged: VecDeque<(usize, u64)>,
    /// The acknowledgement that has been applied.
    acknowledged: Option<usize>,
}

struct RegionAnalysis<'s, 'a> {
    schedule: &'s Schedule<'a>,
    region: usize,
    sender: Side,
    /// The other side is known to have passed the steps before this one.
    acknowledged: Option<usize>,
    indices: FxHashMap<u32, usize>,
    channels: Vec<(u32, ChannelState)>,
}

impl<'s, 'a> RegionAnalysis<'s, 'a> {
    fn new(schedule: &'s Schedule<'a>, region: usize, sender: Side) -> Self {
        RegionAnalysis {
            schedule,
            region,
            sender,
            acknowledged: None,
            indices: FxHashMap::default(),
            channels: Vec::new(),
        }
    }

    fn run(mut self, regions: &mut [Effects], bounds: &mut Bounds) -> Effects {
        let region = &self.schedule.regions[self.region];
        for &step in region.steps(self.sender) {
            match step {
                Step::Send(message) => {
                    let message = region.messages[message];
                    self.channel(message.channel).send(message.received, 1);
                }
                Step::Receive(message) => {
                    let sent = region.messages[message].sent;
                    self.acknowledged = self.acknowledged.max(Some(sent));
                }
                Step::Pair(pair) => self.pair(&self.schedule.pairs[pair], regions, bounds),
                Step::Unreceived(channel, count) => self.channel(channel).send(usize::MAX, count),
            }
        }
        let acknowledged = self.acknowledged;
        let channels = self.channels.into_iter().map(|(channel, mut state)| {
            state.acknowledge(acknowledged);
            (channel, state.effect)
        });
        Effects {
            acknowledges: acknowledged.is_some(),
            channels: channels.collect(),
        }
    }

    fn pair(&mut self, pair: &Pair<'_>, regions: &mut [Effects], bounds: &mut Bounds) {
        let Effects {
            acknowledges,
            channels,
        } = Effects::of_pair(self.schedule, pair, self.sender, regions);
        let passed = match self.sender {
            Side::Host => pair.graph_step,
            Side::Graph => pair.host_step,
        };
        for (channel, effect) in channels {
            if bounds.settles(channel, effect) {
                continue;
            }
            let state = self.channel(channel);
            state.effect = state.effect.then(effect);
            let added = effect.end.relative.max(effect.end.absolute);
            let added = (passed, added.unwrap_or_default());
            state.unacknowledged.push_back(added);
            if acknowledges {
                state.acknowledged = state.acknowledged.max(Some(passed));
            }
        }
        if acknowledges {
            self.acknowledged = self.acknowledged.max(Some(passed));
        }
    }

    /// Returns the state of a channel after all acknowledgements so far.
    fn channel(&mut self, channel: u32) -> &mut ChannelState {
        let index = *self.indices.entry(channel).or_insert_with(|| {
            let state = ChannelState {
                effect: Effect::NONE,
                unacknowledged: VecDeque::new(),
                acknowledged: None,
            };
            self.channels.push((channel, state));
            self.channels.len() - 1
        });
        let state = &mut self.channels[index].1;
        state.acknowledge(self.acknowledged);
        state
    }
}

impl ChannelState {
    fn send(&mut self, received: usize, count: u64) {
        self.unacknowledged.push_back((received, count));
        self.effect.end = self.effect.end.plus(count);
        self.effect.peak = self.effect.peak.max(self.effect.end);
    }

    fn acknowledge(&mut self, step: Option<usize>) {
        if step <= self.acknowledged {
            return;
        }
        self.acknowledged = step;
        while let Some(&(received, _)) = self.unacknowledged.front()
            && Some(received) < step
        {
            self.unacknowledged.pop_front();
        }
        let counts = self.unacknowledged.iter().map(|&(_, count)| count);
        let left = counts.fold(0, u64::saturating_add);
        self.effect.end = Lag::absolute(left);
    }
}
