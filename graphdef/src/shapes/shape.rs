//! A shape of which some is known, and the two ways in which shapes meet.
//!
//! ```text
//!                unknown rank                 meet: both are said of one tensor       [2, ?] and [?, 3]  ──►  [2, 3]
//!               /      |      \
//!        [?, ?]      [?]       []             join: a tensor is one or the other      [2, 3] or  [4, 3]  ──►  [?, 3]
//!        /    \       |
//!    [2, ?]  [?, 3]  [5]                      A chain from the bottom to the top has a step for each dimension, and one
//!        \    /                               for the rank.
//!        [2, 3]
//! ```

use std::fmt;

/// A size; `None` where it is not known.
pub type Size = Option<u64>;

/// The shape of a tensor, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Shape(Option<Vec<Size>>);

impl Shape {
    /// Nothing is known, not even the rank.
    pub const UNKNOWN: Self = Self(None);

    /// A shape of known rank.
    pub fn of(sizes: impl Into<Vec<Size>>) -> Self {
        Self(Some(sizes.into()))
    }

    /// A shape of which all is known.
    pub fn full(sizes: &[u64]) -> Self {
        Self::of(sizes.iter().map(|&size| Some(size)).collect::<Vec<_>>())
    }

    /// The shape of a scalar.
    pub fn scalar() -> Self {
        Self::of([])
    }

    /// A list.
    pub fn vector(size: Size) -> Self {
        Self::of([size])
    }

    /// A rank, and nothing else.
    pub fn of_rank(rank: usize) -> Self {
        Self::of(vec![None; rank])
    }

    /// The sizes; `None` where the rank is not known.
    pub fn sizes(&self) -> Option<&[Size]> {
        self.0.as_deref()
    }

    /// The rank, if it is known.
    pub fn rank(&self) -> Option<usize> {
        self.sizes().map(<[Size]>::len)
    }

    /// One size; `None` where it, or the rank, is not known.
    pub fn size(&self, dimension: usize) -> Size {
        *self.sizes()?.get(dimension)?
    }

    /// How many elements there are, if that is known: one size of 0 is enough.
    pub fn count(&self) -> Option<u64> {
        let sizes = self.sizes()?;
        if sizes.contains(&Some(0)) {
            return Some(0);
        }
        sizes
            .iter()
            .try_fold(1u64, |count, &size| count.checked_mul(size?))
    }

    /// Whether every size is known.
    pub fn is_full(&self) -> bool {
        self.sizes()
            .is_some_and(|sizes| sizes.iter().all(Option::is_some))
    }

    /// What both say together; `None` where they contradict each other.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        let (Some(left), Some(right)) = (self.sizes(), other.sizes()) else {
            return Some(if self.0.is_some() { self } else { other }.clone());
        };
        if left.len() != right.len() {
            return None;
        }
        let sizes = left
            .iter()
            .zip(right)
            .map(|(&left, &right)| meet_sizes(left, right));
        sizes.collect::<Option<Vec<_>>>().map(Self::of)
    }

    /// What is true of both.
    pub fn join(&self, other: &Self) -> Self {
        match (self.sizes(), other.sizes()) {
            (Some(left), Some(right)) if left.len() == right.len() => {
                let sizes = left
                    .iter()
                    .zip(right)
                    .map(|(left, right)| left.filter(|_| left == right));
                Self::of(sizes.collect::<Vec<_>>())
            }
            _ => Self::UNKNOWN,
        }
    }

    /// Whether this says all that the other does.
    pub fn refines(&self, other: &Self) -> bool {
        self.join(other) == *other
    }
}

/// What two statements on one size say together; `None` where they contradict each other.
pub(super) fn meet_sizes(left: Size, right: Size) -> Option<Size> {
    match (left, right) {
        (Some(left), Some(right)) if left != right => None,
        _ => Some(left.or(right)),
    }
}

/// The sizes as MLIR writes them before an element type: `2x?x`, `*x`.
impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(sizes) = self.sizes() else {
            return formatter.write_str("*x");
        };
        sizes.iter().try_for_each(|size| match size {
            Some(size) => write!(formatter, "{size}x"),
            None => formatter.write_str("?x"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meet_knows_what_either_knows() {
        let left = Shape::of([Some(2), None]);
        let right = Shape::of([None, Some(3)]);
        assert_eq!(left.meet(&right), Some(Shape::full(&[2, 3])));
        assert_eq!(left.meet(&Shape::UNKNOWN), Some(left.clone()));
        assert_eq!(left.meet(&Shape::scalar()), None);
        assert_eq!(left.meet(&Shape::full(&[4, 4])), None);
    }

    #[test]
    fn join_knows_what_both_know() {
        let left = Shape::full(&[2, 3]);
        assert_eq!(left.join(&Shape::full(&[4, 3])), Shape::of([None, Some(3)]));
        assert_eq!(left.join(&Shape::full(&[2])), Shape::UNKNOWN);
        assert!(left.refines(&Shape::of([None, Some(3)])));
        assert!(!Shape::of([None, Some(3)]).refines(&left));
        assert!(left.refines(&Shape::UNKNOWN));
    }

    #[test]
    fn an_empty_dimension_is_enough_to_count() {
        assert_eq!(Shape::of([None, Some(0)]).count(), Some(0));
        assert_eq!(Shape::of([None, Some(2)]).count(), None);
        assert_eq!(Shape::full(&[u64::MAX, 2]).count(), None);
        assert_eq!(Shape::scalar().count(), Some(1));
    }
}
