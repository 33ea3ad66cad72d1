//! Partially known shapes, and their lattice.
//!
//! ```text
//!                unknown rank             meet: both shapes describe one tensor
//!               /      |      \               [2, ?] and [?, 3]  ──►  [2, 3]
//!        [?, ?]      [?]       []         join: a tensor has one of two shapes
//!        /    \       |                       [2, 3] or [4, 3]   ──►  [?, 3]
//!    [2, ?]  [?, 3]  [5]
//!        \    /                           A chain from the bottom to the top has one step for each
//!        [2, 3]                           dimension, and one for the rank.
//! ```

use std::fmt;

/// A size; `None` if it is unknown.
pub type Size = Option<u64>;

/// The shape of a tensor, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Shape(Option<Vec<Size>>);

impl Shape {
    /// The shape of unknown rank.
    pub const UNKNOWN: Self = Self(None);

    /// Returns a shape of known rank.
    pub fn of(sizes: impl Into<Vec<Size>>) -> Self {
        Self(Some(sizes.into()))
    }

    /// Returns a shape whose sizes are all known.
    pub fn full(sizes: &[u64]) -> Self {
        Self::of(sizes.iter().map(|&size| Some(size)).collect::<Vec<_>>())
    }

    /// Returns the shape of a scalar.
    pub fn scalar() -> Self {
        Self::of([])
    }

    /// Returns the shape of a vector.
    pub fn vector(size: Size) -> Self {
        Self::of([size])
    }

    /// Returns the shape of this rank whose sizes are unknown.
    pub fn of_rank(rank: usize) -> Self {
        Self::of(vec![None; rank])
    }

    /// Returns the sizes; `None` if the rank is unknown.
    pub fn sizes(&self) -> Option<&[Size]> {
        self.0.as_deref()
    }

    /// Returns the rank, if it is known.
    pub fn rank(&self) -> Option<usize> {
        self.sizes().map(<[Size]>::len)
    }

    /// Returns a size; `None` if it, or the rank, is unknown.
    pub fn size(&self, dimension: usize) -> Size {
        *self.sizes()?.get(dimension)?
    }

    /// Returns the number of elements, if it is known: one size of 0 is enough.
    pub fn count(&self) -> Option<u64> {
        let sizes = self.sizes()?;
        if sizes.contains(&Some(0)) {
            return Some(0);
        }
        sizes
            .iter()
            .try_fold(1u64, |count, &size| count.checked_mul(size?))
    }

    /// Returns whether every size is known.
    pub fn is_full(&self) -> bool {
        self.sizes()
            .is_some_and(|sizes| sizes.iter().all(Option::is_some))
    }

    /// Returns the sizes for a message: `2x?`, or `*` for an unknown rank.
    pub(super) fn text(&self) -> String {
        self.to_string().trim_end_matches('x').to_owned()
    }

    /// Returns the shape that combines both; `None` if they contradict each other.
    pub fn meet(&self, other: &Self) -> Option<Self> {
        let (Some(left), Some(right)) = (self.sizes(), other.sizes()) else {
            return Some(if self.0.is_some() { self } else { other }.clone());
        };
        if left.len() != right.len() {
            return None;
        }
        let sizes = left.iter().zip(right);
        let sizes = sizes.map(|(&left, &right)| meet(left, right));
        sizes.collect::<Option<Vec<_>>>().map(Self::of)
    }

    /// Returns what both shapes have in common.
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

    /// Returns whether this shape implies `other`.
    pub fn refines(&self, other: &Self) -> bool {
        self.join(other) == *other
    }
}

/// Combines what is known of one number; `None` if it is contradictory.
pub(super) fn meet<T: PartialEq + Copy>(left: Option<T>, right: Option<T>) -> Option<Option<T>> {
    match (left, right) {
        (Some(left), Some(right)) if left != right => None,
        _ => Some(left.or(right)),
    }
}

/// Prints the sizes as MLIR does before an element type: `2x?x`, `*x`.
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
