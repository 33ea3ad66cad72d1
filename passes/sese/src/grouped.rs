//! Lists by number in two vectors.
//!
//! ```text
//!   (2, c) (0, a) (2, d)      =>      starts 0 1 1 3      members a c d       group 2 is members[1..3]
//! ```
//!
//! A vector of vectors would ask for memory once for each list; most lists here have one or two members. Counting sort: linear, and members
//! of one group keep their order.

use crate::number::Number;

/// Members of groups `0..n`.
#[derive(Clone, Debug)]
pub(crate) struct Grouped<T> {
    /// The first member of each group, and the number of all.
    starts: Vec<u32>,
    members: Vec<T>,
}

impl<T: Copy> Grouped<T> {
    /// Puts pairs of a group and a member into order.
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
        // Now the end of each group; filling from the last pair on makes it the start.
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

    /// The members of a group.
    pub(crate) fn of(&self, group: usize) -> &[T] {
        &self.members[self.place(group)..self.place(group + 1)]
    }

    fn place(&self, group: usize) -> usize {
        self.starts[group] as usize
    }

    /// Sorts each group by a key, and removes what stands in it twice.
    pub(crate) fn sort_and_dedup<K: Ord>(&mut self, key: impl Fn(usize, &T) -> K)
    where
        T: PartialEq,
    {
        let mut kept = 0;
        for group in 0..self.starts.len() - 1 {
            let (start, end) = (self.place(group), self.place(group + 1));
            self.members[start..end].sort_unstable_by_key(|member| key(group, member));
            let first = kept;
            self.starts[group] = first as u32;
            for place in start..end {
                if kept == first || self.members[kept - 1] != self.members[place] {
                    self.members[kept] = self.members[place];
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
