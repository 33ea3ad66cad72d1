//! How many messages a channel can hold, however the two sides are scheduled and however much room it has.
//!
//! ```text
//!   graph: loop { send 0; recv 1 }        each trip waits for a reply: channel 0 holds 1
//!   graph: loop { send 0; if c { recv 1 } }     nothing holds the graph back: channel 0 can grow
//! ```
//!
//! The *lag* of a channel at a place of its sender is the number of messages on it that the sender does not know to be received. A sender that
//! receives knows that the other side has passed all that comes before the matching send. So a send adds one, and a receive takes off what the
//! other side must have received by then. The greatest lag is the bound, and it is exact for each way through the program: with a lag of `n`
//! there is a schedule in which the other side has received none of the `n`.
//!
//! Over a region, the lag `l` becomes `max(l + relative, absolute)`: relative where the sender learns nothing inside, absolute where it does. A loop
//! of which a trip may add without learning anything adds as often as it has trips, where their number can be seen, and can grow where it cannot; any
//! other is as its first two trips.
//!
//! Of a graph that is cancelled counts what it may send before it hears of that: it runs on until
//! it waits for the host ([`crate::cancelled`]).
//!
//! Cost: the messages, and for each channel the regions around it up to one that leaves no lag behind. Over branches the worst is taken for each channel, so that a bound may be higher than
//! what happens; the runtime then has more room than it uses.

use std::collections::VecDeque;
use tfx_ir::ops::scf;

use rustc_hash::FxHashMap;
use tfx_ir::trip_count::trip_count;

use crate::lists::Ending;
use crate::meet::{Meeting, Pair, Step};

/// The bound of a channel that can grow.
pub(crate) const GROWS: u64 = u64::MAX;

/// The bound of each channel that is used.
pub(crate) fn bounds(meeting: &Meeting<'_>) -> FxHashMap<u32, u64> {
    let mut bounds = Bounds::default();
    for sender in [Sender::Host, Sender::Graph] {
        let mut scenes: Vec<Effects> = vec![Effects::default(); meeting.scenes.len()];
        // What is inside was made after what is around.
        for scene in (0..scenes.len()).rev() {
            scenes[scene] = SceneReader::new(meeting, scene, sender).read(&mut scenes, &mut bounds);
        }
        let whole = scenes.into_iter().next().unwrap_or_default();
        for (channel, effect) in whole.channels {
            bounds.at_least(channel, effect.peak.after(0));
        }
    }
    bounds.0
}

/// What is known so far.
#[derive(Default)]
struct Bounds(FxHashMap<u32, u64>);

impl Bounds {
    fn at_least(&mut self, channel: u32, bound: u64) {
        let known = self.0.entry(channel).or_default();
        *known = bound.max(*known);
    }

    /// Whether what is around a region need not know what it does to a channel: it leaves no lag behind that was not there before, or
    /// the channel grows in any case. The bound is noted then.
    fn settles(&mut self, channel: u32, effect: Effect) -> bool {
        let adds_nothing = |lag: Option<u64>| lag <= Some(0);
        let settled = effect.peak.relative == Some(GROWS)
            || adds_nothing(effect.end.relative)
                && adds_nothing(effect.end.absolute)
                && adds_nothing(effect.peak.relative);
        if settled {
            self.at_least(channel, effect.peak.after(0));
        }
        settled
    }
}

/// The side of which all messages are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    Host,
    Graph,
}

/// What becomes of a lag `l`: `max(l + relative, absolute)`, without what is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lag {
    relative: Option<u64>,
    absolute: Option<u64>,
}

impl Lag {
    const SAME: Lag = Lag {
        relative: Some(0),
        absolute: None,
    };

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

    /// As often as `times` says, at least once.
    fn times(self, times: u64) -> Lag {
        let more = |count: u64| self.relative.map(|more| more.saturating_mul(count));
        // What was known absolutely after one of them only gets more in those that follow.
        let last = more(times - 1).unwrap_or_default();
        Lag {
            relative: more(times),
            absolute: self.absolute.map(|lag| lag.saturating_add(last)),
        }
    }

    /// First `self`, then `next`.
    fn then(self, next: Lag) -> Lag {
        let through = next
            .relative
            .map(|more| self.plus(more))
            .unwrap_or_default();
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

/// What one region does to one channel.
#[derive(Clone, Copy, Debug)]
struct Effect {
    end: Lag,
    peak: Lag,
}

impl Effect {
    const NONE: Effect = Effect {
        end: Lag::SAME,
        peak: Lag::SAME,
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

    /// As often as a loop has trips; any number of times where that cannot be seen.
    fn repeated(self, trips: Option<u64>) -> Effect {
        if self.end.relative.is_some_and(|more| more > 0) {
            match trips {
                Some(0) => return Effect::NONE,
                // Each trip adds, so that the last one has the greatest lag.
                Some(1) => return self,
                Some(trips) => {
                    let before = self.end.times(trips - 1);
                    return Effect {
                        end: self.end.times(trips),
                        peak: before.then(self.peak),
                    };
                }
                None => {}
            }
            let grows = Lag {
                relative: Some(GROWS),
                absolute: None,
            };
            return Effect {
                end: grows,
                peak: grows,
            };
        }
        // Not at all, once, or again after a trip.
        Effect {
            end: Lag::SAME.max(self.end),
            peak: Lag::SAME.max(self.peak).max(self.end.then(self.peak)),
        }
    }
}

/// What one region does.
#[derive(Clone, Debug, Default)]
struct Effects {
    /// The sender hears from the other side in each run, so that nothing from before is in flight but what is sent across the region.
    hears: bool,
    channels: Vec<(u32, Effect)>,
}

impl Effects {
    /// What control flow does, from what its regions do. The host does not come out of a region in
    /// which it cancels the graph, which counts for its peaks only. The graph does, unless it waits
    /// in it.
    fn of_pair(
        meeting: &Meeting<'_>,
        pair: usize,
        sender: Sender,
        scenes: &mut [Effects],
    ) -> Effects {
        let pair = &meeting.pairs[pair];
        let take = |scene: &usize| std::mem::take(&mut scenes[*scene]);
        let parts: Vec<Effects> = pair.scenes.iter().map(take).collect();
        // A graph that is cancelled does not know, and runs on until it waits for the host.
        let goes_on = |at: usize| {
            let scene = &meeting.scenes[pair.scenes[at]];
            scene.ending != Ending::Stopped || sender == Sender::Graph && !scene.graph_waits
        };
        let merged = merge(&parts);
        let trips = trips(pair);
        // A way that is cancelled ends with no lag at all.
        let way = |at: usize, effect: Effect| match goes_on(at) {
            true => effect,
            false => Effect {
                end: Lag::default(),
                ..effect
            },
        };
        // What becomes of a channel on the ways that do not use it. It makes no difference to count the other ways, too.
        let unused = (0..parts.len())
            .map(|at| way(at, silent(&parts[at])))
            .reduce(Effect::or);
        let combine = |effects: &[(usize, Effect)]| {
            let find = |at: usize| {
                let found = effects.binary_search_by_key(&at, |&(part, _)| part);
                found.map_or_else(|_| silent(&parts[at]), |place| effects[place].1)
            };
            match pair.host.name() {
                scf::For::NAME => find(0).repeated(trips),
                scf::While::NAME => find(0).then(find(1).then(find(0)).repeated(trips)),
                _ => effects
                    .iter()
                    .map(|&(at, effect)| way(at, effect))
                    .fold(unused.unwrap_or(Effect::NONE), Effect::or),
            }
        };
        let hears = match pair.host.name() {
            scf::For::NAME => false,
            scf::While::NAME => parts[0].hears,
            _ => (0..parts.len()).all(|at| parts[at].hears || !goes_on(at)),
        };
        let channels = merged
            .into_iter()
            .map(|(channel, effects)| (channel, combine(&effects)))
            .collect();
        Effects { hears, channels }
    }
}

/// How often a loop runs its body, where one side shows it: both do the same.
fn trips(pair: &Pair<'_>) -> Option<u64> {
    let seen = trip_count(pair.host).or_else(|| trip_count(pair.graph));
    seen.and_then(|trips| u64::try_from(trips).ok())
}

/// What a region does to a channel that is not used in it. Nothing is in flight on it there that was sent in a region around.
fn silent(part: &Effects) -> Effect {
    match part.hears {
        false => Effect::NONE,
        true => Effect {
            end: Lag {
                relative: None,
                absolute: Some(0),
            },
            peak: Lag::SAME,
        },
    }
}

/// The effects of several regions by channel, in the order in which channels are met.
fn merge(parts: &[Effects]) -> Vec<(u32, Vec<(usize, Effect)>)> {
    let mut places: FxHashMap<u32, usize> = FxHashMap::default();
    let mut merged: Vec<(u32, Vec<(usize, Effect)>)> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        for &(channel, effect) in &part.channels {
            let place = *places.entry(channel).or_insert_with(|| {
                merged.push((channel, Vec::new()));
                merged.len() - 1
            });
            merged[place].1.push((at, effect));
        }
    }
    merged
}

/// A channel while its sender is followed through one scene.
struct Following {
    effect: Effect,
    /// What was sent in this scene and not known to be received: where the other side receives it, and how much it is.
    unknown: VecDeque<(usize, u64)>,
    /// How far the other side was known to be when this was last brought up to date.
    heard: Option<usize>,
}

struct SceneReader<'s, 'a> {
    meeting: &'s Meeting<'a>,
    scene: usize,
    sender: Sender,
    /// The other side is known to have passed what comes before this step.
    heard: Option<usize>,
    places: FxHashMap<u32, usize>,
    channels: Vec<(u32, Following)>,
}

impl<'s, 'a> SceneReader<'s, 'a> {
    fn new(meeting: &'s Meeting<'a>, scene: usize, sender: Sender) -> Self {
        SceneReader {
            meeting,
            scene,
            sender,
            heard: None,
            places: FxHashMap::default(),
            channels: Vec::new(),
        }
    }

    fn read(mut self, scenes: &mut [Effects], bounds: &mut Bounds) -> Effects {
        let meeting = self.meeting;
        let scene = &meeting.scenes[self.scene];
        let steps = match self.sender {
            Sender::Host => &scene.host,
            Sender::Graph => &scene.graph,
        };
        for &step in steps {
            match step {
                Step::Send(message) => {
                    let message = scene.messages[message];
                    let following = self.follow(message.channel);
                    following.add(message.received, 1);
                }
                Step::Receive(message) => {
                    self.heard = self.heard.max(Some(scene.messages[message].sent));
                }
                Step::Pair(pair) => self.pair(pair, scenes, bounds),
                Step::Ahead(channel, count) => self.follow(channel).add(usize::MAX, count),
            }
        }
        let channels = self.channels.iter().map(|(channel, _)| *channel);
        for channel in channels.collect::<Vec<_>>() {
            self.follow(channel);
        }
        Effects {
            hears: self.heard.is_some(),
            channels: self
                .channels
                .into_iter()
                .map(|(channel, following)| (channel, following.effect))
                .collect(),
        }
    }

    fn pair(&mut self, pair: usize, scenes: &mut [Effects], bounds: &mut Bounds) {
        let Effects { hears, channels } = Effects::of_pair(self.meeting, pair, self.sender, scenes);
        let passed = match self.sender {
            Sender::Host => self.meeting.pairs[pair].graph_at,
            Sender::Graph => self.meeting.pairs[pair].host_at,
        };
        for (channel, effect) in channels {
            if bounds.settles(channel, effect) {
                continue;
            }
            let following = self.follow(channel);
            following.effect = following.effect.then(effect);
            let added = effect.end.relative.max(effect.end.absolute);
            following
                .unknown
                .push_back((passed, added.unwrap_or_default()));
            if hears {
                following.heard = following.heard.max(Some(passed));
            }
        }
        if hears {
            self.heard = self.heard.max(Some(passed));
        }
    }

    /// A channel, with what its sender has heard by now.
    fn follow(&mut self, channel: u32) -> &mut Following {
        let place = *self.places.entry(channel).or_insert_with(|| {
            self.channels.push((
                channel,
                Following {
                    effect: Effect::NONE,
                    unknown: VecDeque::new(),
                    heard: None,
                },
            ));
            self.channels.len() - 1
        });
        let following = &mut self.channels[place].1;
        following.hear(self.heard);
        following
    }
}

impl Following {
    fn add(&mut self, received: usize, count: u64) {
        self.unknown.push_back((received, count));
        self.effect.end = self.effect.end.plus(count);
        self.effect.peak = self.effect.peak.max(self.effect.end);
    }

    fn hear(&mut self, heard: Option<usize>) {
        if heard <= self.heard {
            return;
        }
        self.heard = heard;
        while self
            .unknown
            .front()
            .is_some_and(|&(received, _)| Some(received) < heard)
        {
            self.unknown.pop_front();
        }
        let left = self
            .unknown
            .iter()
            .fold(0u64, |sum, &(_, count)| sum.saturating_add(count));
        self.effect.end = Lag {
            relative: None,
            absolute: Some(left),
        };
    }
}
