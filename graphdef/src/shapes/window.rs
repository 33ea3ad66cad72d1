//! The positions of a window that slides along one dimension of an image: of the filter of a
//! convolution, or of a pool.
//!
//! ```text
//!   before ╎ input                 ╎ after      size 3, dilation 1, stride 2, one element of padding
//!   ·      ╎ a   b   c   d   e   f ╎            on the left:
//!   [·       a   b]                             3 positions, which start at -1, 1 and 3
//!            [b  ..  ..]
//! ```
//!
//! Shape functions and kernels share this arithmetic, which is that of TensorFlow
//! (`GetWindowedOutputSizeVerbose`).

use std::fmt;

/// A window: how many elements it covers, their distance, and the distance of its positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The number of elements.
    pub size: u64,
    /// The distance between neighbouring elements; at least 1.
    pub dilation: u64,
    /// The distance between neighbouring positions; at least 1.
    pub stride: u64,
}

/// The elements that are added to a dimension at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// None: a window is always inside.
    Valid,
    /// The number that is needed for one position for each stride.
    Same,
    /// These numbers, at the begin and at the end.
    Explicit(u64, u64),
}

/// The places at which a window starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positions {
    /// The number of positions.
    pub count: u64,
    /// The padding before the first element: the first position starts at minus this number.
    pub before: u64,
}

/// No position, not even at the first element: the dimension is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooShort {
    size: i128,
    input: u64,
}

impl fmt::Display for TooShort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, input) = (self.size, self.input);
        write!(
            formatter,
            "a window of {size} elements does not fit into {input}"
        )
    }
}

impl Window {
    /// Returns the positions of this window along a dimension of `input` elements.
    ///
    /// # Errors
    /// The dimension is shorter than the window by more than a stride.
    pub fn positions(&self, input: u64, padding: Padding) -> Result<Positions, TooShort> {
        let [size, dilation, stride] =
            [self.size, self.dilation.max(1), self.stride.max(1)].map(i128::from);
        // Only this product can be too large.
        let covered = (size - 1).saturating_mul(dilation).saturating_add(1);
        let wide = i128::from(input);
        let (count, before) = match padding {
            Padding::Valid => ((wide - covered + stride) / stride, 0),
            Padding::Same => {
                let count = (wide + stride - 1) / stride;
                let needed = covered.saturating_add((count - 1) * stride) - wide;
                (count, needed.max(0) / 2)
            }
            Padding::Explicit(before, after) => {
                let [before, after] = [before, after].map(i128::from);
                ((wide + before + after - covered + stride) / stride, before)
            }
        };
        let too_short = TooShort {
            size: covered,
            input,
        };
        Ok(Positions {
            count: u64::try_from(count).map_err(|_| too_short)?,
            before: u64::try_from(before).map_err(|_| too_short)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn window(size: u64, dilation: u64, stride: u64) -> Window {
        Window {
            size,
            dilation,
            stride,
        }
    }

    fn positions(window: Window, input: u64, padding: Padding) -> Option<(u64, u64)> {
        let positions = window.positions(input, padding).ok()?;
        Some((positions.count, positions.before))
    }

    #[test]
    fn positions_are_those_of_tensorflow() {
        assert_eq!(positions(window(3, 1, 1), 5, Padding::Valid), Some((3, 0)));
        assert_eq!(positions(window(3, 2, 1), 5, Padding::Valid), Some((1, 0)));
        assert_eq!(positions(window(3, 1, 2), 6, Padding::Same), Some((3, 0)));
        assert_eq!(positions(window(3, 1, 1), 6, Padding::Same), Some((6, 1)));
        assert_eq!(
            positions(window(3, 1, 2), 6, Padding::Explicit(1, 0)),
            Some((3, 1))
        );
        // Shorter by less than a stride: no position.
        assert_eq!(positions(window(3, 1, 2), 1, Padding::Valid), Some((0, 0)));
        assert_eq!(positions(window(3, 1, 1), 1, Padding::Valid), None);
        assert_eq!(positions(window(3, 1, 1), 0, Padding::Same), Some((0, 1)));
    }

    #[test]
    fn no_size_overflows() {
        let most = u64::MAX;
        assert_eq!(positions(window(most, most, 1), 1, Padding::Valid), None);
        assert_eq!(
            positions(window(1, 1, 1), 1, Padding::Explicit(most, most)),
            None
        );
    }
}
