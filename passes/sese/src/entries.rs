//! Pending edges by the unit that they enter, ordered by the rank of the unit.
//!
//! Nearly all sets have one or two entries and a short life; they are inline and sorted. A ladder
//! of exits or a large switch has sets of thousands, for which a tree makes insertion logarithmic:
//!
//! ```text
//!   few   [ (rank 3, ^b) (rank 7, ^d) ]      no allocation for up to two
//!   many  BTreeMap                           for more than MAX_FEW
//! ```

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::units::{Target, Unit};

/// The position of a unit in the order of units; see `Graph::rank`.
pub(crate) type Rank = u64;

/// The pending edges that enter one unit.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The unit that they enter.
    pub(crate) unit: Unit,
    /// The number of edges.
    pub(crate) edges: usize,
    /// Their targets, sorted; several only for loops with several entries.
    pub(crate) targets: Targets,
}

/// Targets; usually one.
pub(crate) type Targets = SmallVec<[Target; 2]>;

/// The most entries that are searched linearly, which is faster than a tree while they fit into a
/// few cache lines.
const MAX_FEW: usize = 8;

type Few = SmallVec<[(Rank, Entry); 2]>;

/// Entries by rank.
pub(crate) enum Entries {
    /// At most [`MAX_FEW`], sorted.
    Few(Few),
    /// Any number.
    Many(BTreeMap<Rank, Entry>),
}

impl Default for Entries {
    fn default() -> Self {
        Self::Few(Few::new())
    }
}

impl Entries {
    /// Returns a set of one entry.
    pub(crate) fn one(rank: Rank, entry: Entry) -> Self {
        let mut few = Few::new();
        few.push((rank, entry));
        Self::Few(few)
    }

    /// Returns the number of entries.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Few(few) => few.len(),
            Self::Many(many) => many.len(),
        }
    }

    /// Returns the entry of the lowest rank.
    pub(crate) fn first(&self) -> Option<(Rank, &Entry)> {
        match self {
            Self::Few(few) => few.first().map(|(rank, entry)| (*rank, entry)),
            Self::Many(many) => many.first_key_value().map(|(rank, entry)| (*rank, entry)),
        }
    }

    /// Returns the first targets in the order of the entries.
    pub(crate) fn first_targets(&self) -> [Option<Target>; 3] {
        match self {
            Self::Few(few) => first_targets(few.iter().map(|(_, entry)| entry)),
            Self::Many(many) => first_targets(many.values()),
        }
    }

    /// Returns the entry of a rank.
    pub(crate) fn get_mut(&mut self, rank: Rank) -> Option<&mut Entry> {
        match self {
            Self::Few(few) => {
                let position = position(few, rank).ok()?;
                Some(&mut few[position].1)
            }
            Self::Many(many) => many.get_mut(&rank),
        }
    }

    /// Adds an entry of a rank that has none.
    pub(crate) fn insert(&mut self, rank: Rank, entry: Entry) {
        match self {
            Self::Few(few) if few.len() < MAX_FEW => {
                let (Ok(position) | Err(position)) = position(few, rank);
                few.insert(position, (rank, entry));
            }
            Self::Few(few) => {
                let mut many: BTreeMap<Rank, Entry> = few.drain(..).collect();
                many.insert(rank, entry);
                *self = Self::Many(many);
            }
            Self::Many(many) => {
                many.insert(rank, entry);
            }
        }
    }

    /// Removes the entry of a rank.
    pub(crate) fn remove(&mut self, rank: Rank) -> Option<Entry> {
        match self {
            Self::Few(few) => {
                let position = position(few, rank).ok()?;
                Some(few.remove(position).1)
            }
            Self::Many(many) => many.remove(&rank),
        }
    }

    /// Passes all entries to `take`, in order.
    pub(crate) fn for_each(self, mut take: impl FnMut(Rank, Entry)) {
        match self {
            Self::Few(few) => few.into_iter().for_each(|(rank, entry)| take(rank, entry)),
            Self::Many(many) => many.into_iter().for_each(|(rank, entry)| take(rank, entry)),
        }
    }
}

fn position(few: &Few, rank: Rank) -> Result<usize, usize> {
    few.binary_search_by_key(&rank, |(rank, _)| *rank)
}

fn first_targets<'e>(entries: impl Iterator<Item = &'e Entry>) -> [Option<Target>; 3] {
    let mut first = [None; 3];
    let mut found = 0;
    for entry in entries {
        for &target in &entry.targets {
            first[found] = Some(target);
            found += 1;
            if found == first.len() {
                return first;
            }
        }
    }
    first
}
