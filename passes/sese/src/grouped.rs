//! Lists of members by group, in two vectors.
//!
//! ```text
//!   (2, c) (0, a) (2, d)      =>      starts 0 1 1 3      members a c d       group 2 is members[1..3]
//! ```
//!
//! Most lists here have one or two members, so a vector of vectors would be dominated by
//! allocations. Counting sort: linear, and the members of a group keep their order.

use crate::number::Number;

/// The members of groups `0..n`.
#[derive(Clone, Debug)]
pub(crate) struct Grouped<T> {
    /// Per group: the index of its first member; then the number of members.
    starts: Vec<u32>,
    members: Vec<T>,
}

impl<T: Copy> Grouped<T> {
    /// Groups pairs of a group and a member.
    pub(crate) fn new(groups: usize, pairs: &[(Number, T)]) -> Self {
        assert!(
            u32::try_from(pairs.len()).is_ok(),
            "fewer than four billion members"
        );
        let mut starts = vec![0; groups + 1];
        let Some(&(_, any)) = pairs.first() else {
            return Self {
                starts,
                members: Vec::new(),
            };
        };
        for (group, _) in pairs {
            starts[group.get()] += 1;
        }
        // Each start is the end of its group here; filling from the last pair decrements it.
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut members = vec![any; pairs.len()];
        for &(group, member) in pairs.iter().rev() {
            let start = &mut starts[group.get()];
            *start -= 1;
            members[*start as usize] = member;
        }
        Self { starts, members }
    }

    /// Returns the members of a group.
    pub(crate) fn of(&self, group: usize) -> &[T] {
        &self.members[self.start(group)..self.start(group + 1)]
    }

    fn start(&self, group: usize) -> usize {
        self.starts[group] as usize
    }

    /// Sorts each group by a key, and removes repeated members.
    pub(crate) fn sort_and_dedup<K: Ord>(&mut self, key: impl Fn(usize, &T) -> K)
    where
        T: PartialEq,
    {
        let mut kept = 0;
        for group in 0..self.starts.len() - 1 {
            let (start, end) = (self.start(group), self.start(group + 1));
            self.members[start..end].sort_unstable_by_key(|member| key(group, member));
            let first = kept;
            self.starts[group] = first as u32;
            for index in start..end {
                if kept == first || self.members[kept - 1] != self.members[index] {
                    self.members[kept] = self.members[index];
                    kept += 1;
                }
            }
        }
        if let Some(end) = self.starts.last_mut() {
            *end = kept as u32;
        }
        self.members.truncate(kept);
    }
}
