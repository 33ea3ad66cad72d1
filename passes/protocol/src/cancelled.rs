//! The last messages before the host cancels the graph: they may be a prefix of what the graph
//! does.
//!
//! ```text
//!   host: recv 0, terminate            graph: for 3 { send 0 }        the first trip is certain: they meet
//!                                      graph: while c { send 0 }      it may run no trip, and then the host waits for ever: rejected
//! ```
//!
//! On a way of the host that has only messages left before its `tfx_comm.terminate`, the graph is
//! followed into its loops, trip by trip, until the host has all that it waits for. What the graph
//! does after that is of no matter. The host must not wait for what might not come, so the graph is
//! followed only where it is certain to go:
//!
//! * into `scf.for`, or the body of `scf.while`, for as many trips as [can be seen](tfx_ir::trips), and past it after these;
//! * into the condition of `scf.while`, which runs at least once; into its body if the condition is constantly true;
//! * into the body of `scf.while` for the first trip, if its first condition is the condition of an `scf.if` that the host has entered. That is a
//!   [claim](Implied) for [`crate::same`].
//!
//! A message that the graph sends or receives inside of such a loop is one of several of the same
//! operation. So it says nothing of the others, and stays out of
//! [`crate::meet::Meeting::received`].
//!
//! What the graph may send before it hears that it is cancelled lies in the channels, too: it is
//! added to the steps of the scene, for [`crate::bounds`].
//!
//! Cost: each trip that is followed has a message, and channels have room for one, so linear in the
//! host's messages times the body of a loop.

use tfx_ir::Op;
use tfx_ir::ops::scf;
use tfx_ir::scalars::integer;
use tfx_ir::trip_count::trip_count;

use crate::bounds::GROWS;
use crate::lists::{Ending, Item, ListId, RegionId};
use crate::meet::{At, Implied, Stage, Step};
use crate::reject::Reject;

/// A loop of the graph that is followed trip by trip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Followed {
    pub(crate) region: RegionId,
    /// Where the graph goes on after it.
    pub(crate) after: Option<(ListId, usize)>,
    /// The region of the operation that the graph is in.
    half: usize,
    /// How often the body still runs for certain.
    left: u64,
    /// Whether the loop ends after these.
    ends: bool,
    /// Whether its condition has been passed before.
    is_first: bool,
}

/// Where the graph may go another way than to what the host waits for.
#[derive(Clone, Copy)]
enum Doubt {
    /// A loop that may run no trip.
    NoTrip,
    /// A loop that may run no further trip.
    NoOther,
    /// A branch.
    Branch,
}

impl<'a> Stage<'_, 'a> {
    /// Lets the graph go on with control flow that the host does not have, if the host only
    /// exchanges messages before it cancels the graph. Says whether it did.
    pub(crate) fn graph_goes_ahead(&mut self) -> Result<bool, Reject<'a>> {
        match self.graph_at() {
            At::Item(Item::Region(region)) if self.host_cancels_soon().is_some() => {
                self.follow(region)
            }
            At::End if !self.top().followed.is_empty() => self.follow_on(),
            _ => Ok(false),
        }
    }

    /// Where the host cancels the graph, if it has nothing but messages left before.
    fn host_cancels_soon(&self) -> Option<Op<'a>> {
        for &(list, at) in self.top().host.iter().rev() {
            for &item in self.host.lists[list].items.get(at..).unwrap_or_default() {
                match item {
                    Item::Send(..) | Item::Receive(..) => {}
                    Item::Stop(op) => return Some(op),
                    Item::Finish(_) => return None,
                    Item::Region(region) => {
                        let inside = &self.host.regions[region];
                        match (inside.summary.messages, inside.summary.ending) {
                            (0, Ending::Stopped) => return Some(inside.op),
                            (0, Ending::Through) => {}
                            _ => return None,
                        }
                    }
                }
            }
        }
        None
    }

    fn graph_op_of(&self, region: RegionId) -> Op<'a> {
        self.graph.regions[region].op
    }

    /// Goes into control flow, or past it.
    fn follow(&mut self, region: RegionId) -> Result<bool, Reject<'a>> {
        let op = self.graph_op_of(region);
        let seen = trips(op);
        let (left, ends) = match (op.name(), seen) {
            (scf::For::NAME, Some(0)) => {
                self.graph_passes();
                return Ok(true);
            }
            (scf::For::NAME, Some(trips)) => (trips - 1, true),
            (scf::While::NAME, Some(trips)) => (trips, true),
            (scf::While::NAME, None) if runs_for_ever(op) => (u64::MAX, false),
            (scf::While::NAME, None) => (0, false),
            (scf::For::NAME, None) => return self.in_doubt(op, Doubt::NoTrip),
            _ => return self.in_doubt(op, Doubt::Branch),
        };
        self.graph_passes();
        let followed = Followed {
            region,
            after: self.top().graph,
            half: 0,
            left,
            ends,
            is_first: true,
        };
        self.top_mut().followed.push(followed);
        self.graph_enters(region, 0);
        Ok(true)
    }

    /// Goes on at the end of a region of a loop that is followed.
    fn follow_on(&mut self) -> Result<bool, Reject<'a>> {
        let Some(mut followed) = self.top_mut().followed.pop() else {
            return Ok(false);
        };
        let region = followed.region;
        let body = self.graph.regions[region].lists.len() - 1;
        let next = match (body > 0 && followed.half == body, followed.left) {
            (true, _) => 0,
            (false, 1..) => {
                followed.left -= 1;
                body
            }
            (false, 0) if followed.ends => {
                self.top_mut().graph = followed.after;
                return Ok(true);
            }
            (false, 0) => {
                let is_first = std::mem::replace(&mut followed.is_first, false);
                // Of a loop in a loop that is followed, nothing is known of what it starts with.
                let may_be_implied = is_first && self.top().followed.is_empty();
                self.top_mut().followed.push(followed);
                if !may_be_implied || !self.is_implied(region)? {
                    // What the condition exchanges has been exchanged once.
                    let no_trip = is_first && self.graph.regions[region].lists[0].is_none();
                    let doubt = match no_trip {
                        true => Doubt::NoTrip,
                        false => Doubt::NoOther,
                    };
                    return self.in_doubt(self.graph_op_of(region), doubt);
                }
                self.top_mut().followed.pop();
                body
            }
        };
        followed.half = next;
        self.top_mut().followed.push(followed);
        self.graph_enters(region, next);
        Ok(true)
    }

    fn graph_enters(&mut self, region: RegionId, half: usize) {
        let list = self.graph.regions[region].lists[half];
        self.top_mut().graph = list.map(|list| (list, 0));
    }

    /// Claims that the first condition of a `scf.while` is one that the host has found true on its
    /// way, if there is any.
    fn is_implied(&mut self, region: RegionId) -> Result<bool, Reject<'a>> {
        if self.top().known_true.is_empty() {
            return Ok(false);
        }
        let op = self.graph_op_of(region);
        let Some(condition) = op.region(0).entry().and_then(|block| block.last()) else {
            return Ok(false);
        };
        let Err(otherwise) = self.in_doubt(op, Doubt::NoTrip) else {
            return Ok(false);
        };
        let known_true = self.top().known_true.clone();
        self.implied(Implied {
            known_true,
            condition: condition.operand(0),
            graph_op: op,
            otherwise,
        });
        Ok(true)
    }

    /// The host waits for what the graph may never do, if it waits for something that is inside or
    /// comes later.
    fn in_doubt(&self, op: Op<'a>, doubt: Doubt) -> Result<bool, Reject<'a>> {
        let (host, waits) = match self.host_at_now() {
            Some(Item::Receive(host, channel)) if self.comes_later(channel, false) => (
                host,
                format!("for this message on channel {channel}: the graph sends it"),
            ),
            Some(Item::Send(host, channel)) if self.comes_later(channel, false) => (
                host,
                format!(
                    "to send this on channel {channel}: the graph receives the message before it"
                ),
            ),
            _ => return Ok(false),
        };
        let (place, unproved, instead) = match doubt {
            Doubt::NoTrip => (
                "in or after a loop that may run no trip",
                "nothing proves that this loop runs a trip",
                "to cancel a graph in a loop, wait for what is certain: for messages of a loop of constant bounds, or of the condition region of an scf.while; or wait inside of an scf.if on the loop's first condition, with nothing but tfx_comm.terminate in its else",
            ),
            Doubt::NoOther => (
                "in a further trip of a loop that may end before it, or after the loop",
                "nothing proves that this loop runs another trip",
                "wait for what the graph does in the first trip only, or let the loop have constant bounds",
            ),
            Doubt::Branch => (
                "in or after a branch of its own",
                "nothing proves which way the graph takes here",
                "wait inside of the same branch on the host, and cancel the graph on each way",
            ),
        };
        let reject = Reject::new(
            host.location(),
            format!("the host may wait for ever {waits} {place}"),
        )
        .note(op.location(), unproved);
        let reject = match self.host_cancels_soon() {
            Some(stop) => reject.note(
                stop.location(),
                "the host cancels the graph here, and does not follow it to its end",
            ),
            None => reject,
        };
        Err(self.notes_on_start(reject.note(host.location(), instead)))
    }

    // ---------------------------------------------------------------------------------------------------------------------
    // What the graph sends before it hears that it is cancelled.

    /// Notes at the end of a scene in which the host cancels the graph what nobody receives any
    /// more.
    pub(crate) fn note_what_is_left(&mut self) {
        let scene = self.top().scene;
        let flying = self.flying.iter();
        let mut unread: Vec<_> = flying
            .filter(|(_, flying)| flying.scene == scene)
            .map(|(&channel, &flying)| (channel, flying))
            .collect();
        unread.sort_unstable_by_key(|&(channel, _)| channel);
        for &(channel, flying) in &unread {
            let scene = self.scene();
            let steps = match flying.by_host {
                true => &mut scene.host,
                false => &mut scene.graph,
            };
            steps[flying.at] = Step::Ahead(channel, 1);
        }
        let mut to_graph: Vec<u32> = (unread.into_iter())
            .filter(|(_, flying)| flying.by_host)
            .map(|(channel, _)| channel)
            .collect();
        let mut ahead = Vec::new();
        let waits = self.runs_ahead(&mut to_graph, &mut ahead);
        let scene = self.scene();
        scene.graph.extend(ahead);
        scene.graph_waits = waits;
    }

    /// What the graph sends from where it is, at most; says whether it comes to wait for the host.
    /// `unread` are the channels on which a message of the host waits for it.
    fn runs_ahead(&self, unread: &mut Vec<u32>, ahead: &mut Vec<Step>) -> bool {
        let mut at = self.top().graph;
        let mut followed = self.top().followed.iter().rev();
        loop {
            if let Some((list, from)) = at {
                for &item in self.graph.lists[list].items.get(from..).unwrap_or_default() {
                    match item {
                        Item::Send(_, channel) => ahead.push(Step::Ahead(channel, 1)),
                        Item::Receive(_, channel) => {
                            let Some(place) = unread.iter().position(|&one| one == channel) else {
                                return true;
                            };
                            unread.swap_remove(place);
                        }
                        Item::Region(region) => self.sends_inside(region, None, unread, ahead),
                        Item::Finish(_) | Item::Stop(_) => {}
                    }
                }
            }
            let Some(around) = followed.next() else {
                return false;
            };
            let left = match around.ends {
                true => around.left,
                false => GROWS,
            };
            self.sends_inside(around.region, Some(left), unread, ahead);
            at = around.after;
        }
    }

    /// What control flow of the graph sends at most. `left` is how often the body of the loop runs
    /// yet, where that is known.
    fn sends_inside(
        &self,
        region: RegionId,
        left: Option<u64>,
        unread: &[u32],
        ahead: &mut Vec<Step>,
    ) {
        let mut todo = vec![(region, 1u64, left)];
        while let Some((region, times, left)) = todo.pop() {
            let runs = self.runs_of_regions(region, left, unread);
            let lists = self.graph.regions[region].lists.iter();
            for (list, runs) in lists.zip(runs) {
                let times = times.saturating_mul(runs);
                let items = list.map(|list| &self.graph.lists[list].items);
                for &item in items.into_iter().flatten().take_while(|_| times > 0) {
                    match item {
                        Item::Send(_, channel) => ahead.push(Step::Ahead(channel, times)),
                        // It waits here for ever, whenever it gets here.
                        Item::Receive(_, channel) if !unread.contains(&channel) => break,
                        Item::Region(inside) => todo.push((inside, times, None)),
                        _ => {}
                    }
                }
            }
        }
    }

    /// How often the graph runs each region of control flow at most, if the host sends nothing
    /// more.
    fn runs_of_regions(&self, region: RegionId, left: Option<u64>, unread: &[u32]) -> Vec<u64> {
        let op = self.graph_op_of(region);
        let lists = &self.graph.regions[region].lists;
        if !matches!(op.name(), scf::For::NAME | scf::While::NAME) {
            return vec![1; lists.len()];
        }
        // Each trip takes a message, and there is at most one of each channel.
        let waits = lists.iter().flatten().flat_map(|&list| {
            let items = self.graph.lists[list].items.iter();
            items.filter_map(|item| match item {
                Item::Receive(_, channel) => Some(1 + u64::from(unread.contains(channel))),
                _ => None,
            })
        });
        let most = waits.min().unwrap_or(GROWS);
        let bodies = left.or_else(|| trips(op)).unwrap_or(GROWS);
        let condition = bodies.saturating_add(1).min(most);
        match op.isa::<scf::While>() {
            true => vec![condition, bodies.min(most)],
            false => vec![bodies.min(most)],
        }
    }
}

/// How often a loop of the graph runs its body, where that can be seen.
fn trips(op: Op<'_>) -> Option<u64> {
    trip_count(op).and_then(|trips| u64::try_from(trips).ok())
}

/// Whether the condition of an `scf.while` is constantly true.
fn runs_for_ever(op: Op<'_>) -> bool {
    let condition = op.region(0).entry().and_then(|block| block.last());
    let decides = condition.and_then(|condition| condition.operand(0).defining_op());
    let value = decides.and_then(|op| op.constant_value());
    value.and_then(integer).is_some_and(|value| value != 0)
}
