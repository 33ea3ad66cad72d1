//! What a projection is made of: lists of events and of the control flow around them, and what is known of each at a glance.

use melior::ir::attribute::DenseI64ArrayAttribute;
use rustc_hash::FxHashSet;
use tfx_ir::ops::scf;
use tfx_ir::{Block, Op};

/// Index of a program among those that start in a function.
pub(crate) type ProgramId = usize;
/// Index of a list in [`Projection::lists`].
pub(crate) type ListId = usize;
/// Index of a region operation in [`Projection::regions`].
pub(crate) type RegionId = usize;

/// One thing that happens to a program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item<'a> {
    Send(Op<'a>, u32),
    Receive(Op<'a>, u32),
    /// Control flow with events inside.
    Region(RegionId),
    /// The host waits for the end.
    Finish(Op<'a>),
    /// The host cancels the graph.
    Stop(Op<'a>),
}

/// How a list ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// The graph is cancelled: nothing that it does after this matters.
    Stopped,
    /// The graph has ended.
    Finished,
    /// Control goes on.
    #[default]
    Through,
}

/// What happens in one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct List<'a> {
    pub(crate) items: Vec<Item<'a>>,
    pub(crate) summary: Summary,
}

/// What is known of a list or a region at a glance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Summary {
    /// Sends and receives inside.
    pub(crate) messages: usize,
    pub(crate) ending: Ending,
    /// Equal for lists of the same control flow on the same channels.
    pub(crate) shape: u64,
    /// Equal for lists of which the first message is on the same channel, and inside of the same control flow.
    pub(crate) first: Option<u64>,
}

/// Control flow of a program.
#[derive(Clone, Debug)]
pub(crate) struct RegionItem<'a> {
    pub(crate) op: Op<'a>,
    /// What happens in each region; none where nothing does.
    pub(crate) lists: Vec<Option<ListId>>,
    pub(crate) summary: Summary,
}

/// A program that a function starts, or the one that a graph is.
#[derive(Clone, Debug)]
pub(crate) struct Started<'a> {
    /// None for the graph itself.
    pub(crate) start: Option<Op<'a>>,
    pub(crate) list: ListId,
    /// Lists that are open, each inside the one before, from the frame at which the program starts.
    pub(crate) open: Vec<ListId>,
    pub(crate) frame: usize,
}

/// Both programs are made of these.
#[derive(Debug, Default)]
pub(crate) struct Projection<'a> {
    pub(crate) lists: Vec<List<'a>>,
    pub(crate) regions: Vec<RegionItem<'a>>,
    pub(crate) programs: Vec<Started<'a>>,
    /// Blocks whose end is never reached.
    pub(crate) dead_ends: FxHashSet<Block<'a>>,
}

impl Projection<'_> {
    /// Finds out what is known at a glance, once all lists are complete.
    pub(crate) fn summarize(&mut self) {
        // What is inside of a region was made after it.
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
        let mut shape = Shape::default();
        for item in &self.lists[list].items {
            summary.ending = Ending::Through;
            match *item {
                Item::Send(_, channel) | Item::Receive(_, channel) => {
                    summary.messages += 1;
                    shape.add(&[1, u64::from(channel)]);
                    let mut first = Shape::default();
                    first.add(&[u64::from(channel)]);
                    summary.first.get_or_insert(first.0);
                }
                Item::Finish(_) => summary.ending = Ending::Finished,
                Item::Stop(_) => summary.ending = Ending::Stopped,
                Item::Region(region) => {
                    let inside = self.regions[region].summary;
                    summary.messages += inside.messages;
                    summary.ending = inside.ending;
                    if inside.messages > 0 {
                        shape.add(&[3, inside.shape]);
                    }
                    summary.first = summary.first.or(inside.first);
                }
            }
        }
        summary.shape = shape.0;
        summary
    }

    fn summary_of_region(&self, region: RegionId) -> Summary {
        let RegionItem { op, lists, .. } = &self.regions[region];
        let of = |list: &Option<ListId>| {
            list.map(|list| self.lists[list].summary)
                .unwrap_or_default()
        };
        let mut shape = Shape::default();
        shape.add(&[op.name().len() as u64]);
        lists.iter().for_each(|list| shape.add(&[of(list).shape]));
        let first = lists.iter().enumerate().find_map(|(place, list)| {
            let mut first = Shape::default();
            first.add(&[op.name().len() as u64, place as u64, of(list).first?]);
            Some(first.0)
        });
        let ending = match op.name() {
            scf::For::NAME => Ending::Through,
            // The first region runs at least once, the second need not run.
            scf::While::NAME => of(&lists[0]).ending,
            _ => lists
                .iter()
                .map(|list| of(list).ending)
                .max()
                .unwrap_or_default(),
        };
        Summary {
            messages: lists.iter().map(|list| of(list).messages).sum(),
            ending,
            shape: shape.0,
            first,
        }
    }
}

/// A hash that is the same in every run.
#[derive(Default)]
struct Shape(u64);

impl Shape {
    fn add(&mut self, words: &[u64]) {
        for word in words {
            // The multiplier is that of Knuth's linear congruential generator.
            self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(6_364_136_223_846_793_005);
        }
    }
}

/// The cases of an `scf.index_switch`.
pub(crate) fn cases(op: Op<'_>) -> Vec<i64> {
    let cases = op
        .attribute("cases")
        .and_then(|cases| DenseI64ArrayAttribute::try_from(cases).ok());
    cases.map_or(Vec::new(), |cases| {
        (0..cases.len())
            .filter_map(|index| cases.element(index).ok())
            .collect()
    })
}
