//! The projection of a function onto its programs: lists of events, nested as the regions around
//! them. [`crate::project`] builds it and draws an example.

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::mem::discriminant;

use rustc_hash::FxHashSet;
use tfx_dialects::comm;
use tfx_ir::ops::Structured;
use tfx_ir::trip_count::trip_count;
use tfx_ir::{Block, Op};

/// One of the two processes of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Host,
    Graph,
}

impl Side {
    pub(crate) fn other(self) -> Self {
        match self {
            Side::Host => Side::Graph,
            Side::Graph => Side::Host,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Side::Host => "host",
            Side::Graph => "graph",
        })
    }
}

/// Index of a program in [`Projection::programs`].
pub(crate) type ProgramId = usize;
/// Index of a list in [`Projection::lists`].
pub(crate) type ListId = usize;
/// Index of a region operation in [`Projection::regions`].
pub(crate) type RegionId = usize;

/// An event of one program. Messages have the number of their channel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'a> {
    Send(comm::Send<'a>, u32),
    Receive(comm::Recv<'a>, u32),
    /// A structured operation with events inside.
    Region(RegionId),
    /// The host waits for the end of the program.
    Finish(Op<'a>),
    /// The host cancels the graph.
    Terminate(Op<'a>),
}

/// The effect of a list of events on its program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// The graph is cancelled, so its later events are irrelevant.
    Cancelled,
    /// The program has finished.
    Finished,
    /// The program continues to run.
    #[default]
    Running,
}

/// The events of one program in one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct List<'a> {
    pub(crate) events: Vec<Event<'a>>,
    pub(crate) summary: Summary,
}

/// Properties of a list or of a region operation, nested events included.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    /// The number of sends and receives.
    pub(crate) messages: usize,
    pub(crate) ending: Ending,
    /// A hash of the control flow and the channels.
    pub(crate) shape: u64,
    pub(crate) first: Option<First>,
}

/// The first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct First {
    pub(crate) channel: u32,
    /// A hash of the channel and of the regions around the message.
    pub(crate) path: u64,
    /// The number of regions around it.
    pub(crate) depth: usize,
    /// The number of those around it that the other side must have: all except the only region of
    /// a branch that [continues](Projection::only_continuing_region).
    pub(crate) least_depth: usize,
}

impl First {
    fn message(channel: u32) -> Self {
        First {
            channel,
            path: hash(channel),
            depth: 0,
            least_depth: 0,
        }
    }
}

/// Returns a hash that is the same in each process. Without a proof, parts with equal hashes count
/// as equal, so the hash must be good: that of `rustc_hash` is 0 for all sequences of zeros.
fn hash(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

/// A structured operation with events of a program.
#[derive(Clone, Debug)]
pub(crate) struct RegionOp<'a> {
    pub(crate) op: Structured<'a>,
    /// The list of each region; none if the region has no event.
    pub(crate) lists: Vec<Option<ListId>>,
    pub(crate) summary: Summary,
}

/// A program: one that a host function starts, or the graph itself.
#[derive(Clone, Debug)]
pub(crate) struct Program<'a> {
    /// None for the graph itself.
    pub(crate) start: Option<comm::Start<'a>>,
    pub(crate) list: ListId,
}

/// The events of a host function or of a graph.
#[derive(Debug, Default)]
pub(crate) struct Projection<'a> {
    pub(crate) lists: Vec<List<'a>>,
    pub(crate) regions: Vec<RegionOp<'a>>,
    pub(crate) programs: Vec<Program<'a>>,
    /// The blocks whose end is unreachable.
    pub(crate) unreachable_ends: FxHashSet<Block<'a>>,
}

impl<'a> Projection<'a> {
    /// Returns the events of a list from the event `from`.
    pub(crate) fn events(&self, (list, from): (ListId, usize)) -> &[Event<'a>] {
        self.lists[list].events.get(from..).unwrap_or_default()
    }

    /// Returns the list of the only region of a branch that does not cancel the graph at once, if
    /// all others do. Requires the summaries of its lists.
    pub(crate) fn only_continuing_region(&self, region: RegionId) -> Option<Option<ListId>> {
        let RegionOp { op, lists, .. } = &self.regions[region];
        let cancels = |list: &&Option<ListId>| {
            list.is_some_and(|list| {
                let summary = self.lists[list].summary;
                summary.messages == 0 && summary.ending == Ending::Cancelled
            })
        };
        let mut continuing = lists.iter().filter(|list| !cancels(list));
        let only = *continuing.next()?;
        let is_only = continuing.next().is_none() && lists.len() > 1;
        (op.is_branch() && is_only).then_some(only)
    }

    /// Computes all summaries. The lists must be complete.
    pub(crate) fn summarize(&mut self) {
        // A nested region has a greater index than the regions around it.
        for region in (0..self.regions.len()).rev() {
            for list in self.regions[region].lists.clone().into_iter().flatten() {
                self.lists[list].summary = self.summary_of_list(list);
            }
            self.regions[region].summary = self.summary_of_region(region);
        }
        for program in 0..self.programs.len() {
            let list = self.programs[program].list;
            self.lists[list].summary = self.summary_of_list(list);
        }
    }

    fn summary_of_list(&self, list: ListId) -> Summary {
        let mut summary = Summary::default();
        for event in &self.lists[list].events {
            summary.ending = Ending::Running;
            match *event {
                Event::Send(_, channel) | Event::Receive(_, channel) => {
                    summary.messages += 1;
                    summary.shape = hash((summary.shape, 0, channel));
                    summary.first = summary.first.or_else(|| Some(First::message(channel)));
                }
                Event::Finish(_) => summary.ending = Ending::Finished,
                Event::Terminate(_) => summary.ending = Ending::Cancelled,
                Event::Region(region) => {
                    let inside = self.regions[region].summary;
                    summary.messages += inside.messages;
                    summary.ending = inside.ending;
                    if inside.messages > 0 {
                        summary.shape = hash((summary.shape, 1, inside.shape));
                    }
                    summary.first = summary.first.or(inside.first);
                }
            }
        }
        summary
    }

    fn summary_of_region(&self, region: RegionId) -> Summary {
        let RegionOp { op, lists, .. } = &self.regions[region];
        let kind = discriminant(op);
        let summary = |list: &Option<ListId>| list.map(|list| self.lists[list].summary);
        let parts: Vec<Summary> = lists
            .iter()
            .map(|list| summary(list).unwrap_or_default())
            .collect();
        let only = self.only_continuing_region(region);
        let first = parts.iter().enumerate().find_map(|(index, part)| {
            let inside = part.first?;
            Some(First {
                channel: inside.channel,
                path: hash((kind, index, inside.path)),
                depth: inside.depth + 1,
                least_depth: inside.least_depth + usize::from(only != Some(lists[index])),
            })
        });
        let shapes: Vec<u64> = parts.iter().map(|part| part.shape).collect();
        let endings = parts.iter().map(|part| part.ending);
        Summary {
            messages: parts.iter().map(|part| part.messages).sum(),
            ending: match op {
                Structured::For(_) => Ending::Running,
                // The first region runs at least once, the second may not run.
                Structured::While(_) => parts[0].ending,
                Structured::If(_) | Structured::Switch(_) => endings.max().unwrap_or_default(),
            },
            shape: hash((kind, shapes)),
            first,
        }
    }
}

/// Returns whether two operations are of one kind and have the same regions.
pub(crate) fn correspond(one: Structured<'_>, other: Structured<'_>) -> bool {
    match (one, other) {
        (Structured::Switch(one), Structured::Switch(other)) => one.cases() == other.cases(),
        _ => discriminant(&one) == discriminant(&other),
    }
}

/// Returns the trip count of a loop if it is constant.
pub(crate) fn constant_trips(op: Structured<'_>) -> Option<u64> {
    trip_count(op.op()).and_then(|trips| u64::try_from(trips).ok())
}
