//! Pending edges by the unit that they land on, in the order of units.
//!
//! Nearly all sets have one or two entries and live shortly: those stand in place, sorted. A ladder of exits or a large switch has sets of
//! thousands, and there a tree keeps insertion logarithmic:
//!
//! ```text
//!   few   [ (rank 3, ^b) (rank 7, ^d) ]      no memory of its own up to two
//!   many  BTreeMap                           above MAX_FEW
//! ```

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::landing::{Target, Unit};

/// The place of a unit in the order of units; see `Shape::rank`.
pub(crate) type Rank = u64;

/// The pending edges that land on one unit.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Where they land.
    pub(crate) unit: Unit,
    /// How many they are.
    pub(crate) edges: usize,
    /// Where they go on from there, in order; more than one only for loops with several entries.
    pub(crate) targets: Targets,
}

/// Some targets; mostly one.
pub(crate) type Targets = SmallVec<[Target; 2]>;

/// Entries that are looked through one by one; that is faster than a tree as long as they fit into a few cache lines.
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
    /// One entry.
    pub(crate) fn one(rank: Rank, entry: Entry) -> Self {
        let mut few = Few::new();
        few.push((rank, entry));
        Self::Few(few)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Few(few) => few.len(),
            Self::Many(many) => many.len(),
        }
    }

    /// The one with the least rank.
    pub(crate) fn first(&self) -> Option<(Rank, &Entry)> {
        match self {
            Self::Few(few) => few.first().map(|(rank, entry)| (*rank, entry)),
            Self::Many(many) => many.first_key_value().map(|(rank, entry)| (*rank, entry)),
        }
    }

    /// The first of all targets, in the order of the entries.
    pub(crate) fn first_targets(&self) -> [Option<Target>; 3] {
        match self {
            Self::Few(few) => first_targets(few.iter().map(|(_, entry)| entry)),
            Self::Many(many) => first_targets(many.values()),
        }
    }

    /// The entry of that rank, if there is one.
    pub(crate) fn get_mut(&mut self, rank: Rank) -> Option<&mut Entry> {
        match self {
            Self::Few(few) => {
                let place = place(few, rank).ok()?;
                Some(&mut few[place].1)
            }
            Self::Many(many) => many.get_mut(&rank),
        }
    }

    /// Adds an entry of a rank that has none.
    pub(crate) fn insert(&mut self, rank: Rank, entry: Entry) {
        match self {
            Self::Few(few) if few.len() < MAX_FEW => {
                let (Ok(place) | Err(place)) = place(few, rank);
                few.insert(place, (rank, entry));
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

    /// Takes out the entry of that rank.
    pub(crate) fn remove(&mut self, rank: Rank) -> Option<Entry> {
        match self {
            Self::Few(few) => {
                let place = place(few, rank).ok()?;
                Some(few.remove(place).1)
            }
            Self::Many(many) => many.remove(&rank),
        }
    }

    /// Gives all entries, in order.
    pub(crate) fn for_each(self, mut take: impl FnMut(Rank, Entry)) {
        match self {
            Self::Few(few) => few.into_iter().for_each(|(rank, entry)| take(rank, entry)),
            Self::Many(many) => many.into_iter().for_each(|(rank, entry)| take(rank, entry)),
        }
    }
}

fn place(few: &Few, rank: Rank) -> Result<usize, usize> {
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
