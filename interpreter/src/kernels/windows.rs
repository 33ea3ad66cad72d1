//! Windows that slide over images: the geometry of convolutions and of pools.
//!
//! ```text
//!   attributes ──Sliding::read──► strides, dilations, padding
//!   sizes of an image and of a window ──Sliding::axes──► an Axis for planes, rows and columns
//! ```
//!
//! An image has three spatial dimensions here; that of a flat image has one plane. Its channels are
//! the last dimension: TensorFlow has no kernels for CPUs of other formats.

use std::ops::Range;

use smallvec::SmallVec;
use tfx_graphdef::shapes::window::{Padding, Window};

use crate::kernels::{Attributes, Result, fail};

/// The number of spatial dimensions, of which flat images use the last two.
pub(super) const SPATIAL: usize = 3;

/// The way in which windows slide over the spatial dimensions.
#[derive(Clone, Debug)]
pub(super) struct Sliding {
    /// The number of spatial dimensions: 2 or 3.
    pub(super) spatial: usize,
    strides: [u64; SPATIAL],
    dilations: [u64; SPATIAL],
    padding: [Padding; SPATIAL],
    /// The stride along channels: that of a pool over channels.
    pub(super) channel_stride: u64,
}

impl Sliding {
    /// Reads the attributes of an operation on images with this number of spatial dimensions.
    pub(super) fn read(attributes: &Attributes<'_>, spatial: usize) -> Result<Self> {
        let format = if spatial == 2 { "NHWC" } else { "NDHWC" };
        let given = attributes.text("data_format", format);
        if given != format {
            return fail!(
                "only the format {format} is supported on a CPU, not {given}: transpose the images"
            );
        }
        let rank = spatial + 2;
        let (strides, channel_stride) = numbers(attributes, "strides", rank)?;
        let dilations = match attributes.ints("dilations").is_empty() {
            true => [1; SPATIAL],
            false => match numbers(attributes, "dilations", rank)? {
                (dilations, 1) => dilations,
                _ => return fail!("dilations of channels are not supported"),
            },
        };
        Ok(Sliding {
            spatial,
            strides,
            dilations,
            padding: padding(attributes, spatial)?,
            channel_stride,
        })
    }

    /// Returns an error if windows have gaps.
    pub(super) fn without_dilation(self) -> Result<Self> {
        match self.dilations {
            [1, 1, 1] => Ok(self),
            _ => fail!("dilations larger than 1 are not supported on a CPU"),
        }
    }

    /// Returns an error if windows move by several channels.
    pub(super) fn within_channels(self) -> Result<Self> {
        match self.channel_stride {
            1 => Ok(self),
            _ => fail!("strides in the batch and depth dimensions are not supported"),
        }
    }

    /// Returns an error if the strides along rows and columns differ.
    pub(super) fn with_equal_strides(self) -> Result<Self> {
        match self.strides[1] == self.strides[2] {
            true => Ok(self),
            false => fail!("strides along rows and columns must be equal"),
        }
    }

    /// Returns whether windows cover each position, without strides.
    pub(super) fn is_dense(&self) -> bool {
        self.strides == [1; SPATIAL]
    }

    /// Returns whether explicit paddings are smaller than the window.
    pub(super) fn is_padded_less_than(&self, window: &[u64; SPATIAL]) -> bool {
        let mut dimensions = self.padding.iter().zip(window);
        dimensions.all(|(padding, &size)| match *padding {
            Padding::Explicit(before, after) => before < size && after < size,
            Padding::Valid | Padding::Same => true,
        })
    }

    /// Returns the axes of images and windows of these sizes.
    pub(super) fn axes(&self, image: &[usize], window: &[usize]) -> Result<[Axis; SPATIAL]> {
        let mut axes = [Axis::FLAT; SPATIAL];
        let flat = SPATIAL - self.spatial;
        for (dimension, (&input, &size)) in (flat..).zip(image.iter().zip(window)) {
            let sliding = Window {
                size: size as u64,
                dilation: self.dilations[dimension],
                stride: self.strides[dimension],
            };
            let positions = match sliding.positions(input as u64, self.padding[dimension]) {
                Ok(positions) => positions,
                Err(problem) => return fail!("{problem}"),
            };
            axes[dimension] = Axis {
                input,
                window: size,
                stride: sliding.stride as usize,
                dilation: sliding.dilation as usize,
                before: positions.before as usize,
                output: positions.count as usize,
            };
        }
        Ok(axes)
    }
}

/// Reads a number for each dimension: those of the spatial ones, and that of the channels. That of
/// the batch must be 1.
pub(super) fn numbers(
    attributes: &Attributes<'_>,
    name: &str,
    rank: usize,
) -> Result<([u64; SPATIAL], u64)> {
    let given = attributes.ints(name);
    let positive: SmallVec<[u64; SPATIAL + 2]> = given
        .iter()
        .filter_map(|&number| u64::try_from(number).ok().filter(|&number| number > 0))
        .collect();
    let [1, spatial @ .., channels] = &positive[..] else {
        return fail!(
            "{name} must be {rank} numbers from 1 on, the first of them 1, not {given:?}"
        );
    };
    if given.len() != rank || positive.len() != rank {
        return fail!("{name} must be {rank} numbers from 1 on, not {given:?}");
    }
    let mut numbers = [1; SPATIAL];
    numbers[SPATIAL - spatial.len()..].copy_from_slice(spatial);
    Ok((numbers, *channels))
}

fn padding(attributes: &Attributes<'_>, spatial: usize) -> Result<[Padding; SPATIAL]> {
    let explicit = attributes.ints("explicit_paddings");
    let kind = attributes.text("padding", "");
    if kind != "EXPLICIT" && !explicit.is_empty() {
        return fail!("explicit_paddings are for the padding EXPLICIT, not {kind}");
    }
    match &kind[..] {
        "VALID" => Ok([Padding::Valid; SPATIAL]),
        "SAME" => Ok([Padding::Same; SPATIAL]),
        "EXPLICIT" => {
            let sizes = explicit.iter().map(|&size| u64::try_from(size));
            let sizes: Result<Vec<u64>, _> = sizes.collect();
            let Ok(sizes) = sizes else {
                return fail!("explicit_paddings must be 0 or more: {explicit:?}");
            };
            let inner = match &sizes[..] {
                [0, 0, inner @ .., 0, 0] if sizes.len() == 2 * (spatial + 2) => inner,
                _ => {
                    return fail!(
                        "explicit_paddings must be two numbers for each dimension, and 0 for the batch and the channels, not {explicit:?}"
                    );
                }
            };
            let mut padding = [Padding::Explicit(0, 0); SPATIAL];
            for (pair, padding) in inner.chunks(2).rev().zip(padding.iter_mut().rev()) {
                *padding = Padding::Explicit(pair[0], pair[1]);
            }
            Ok(padding)
        }
        _ => fail!("unknown padding '{kind}'"),
    }
}

/// One spatial dimension of an image and of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// The elements of the image.
    pub(super) input: usize,
    /// The elements of the window.
    pub(super) window: usize,
    /// The positions of the window.
    pub(super) output: usize,
    stride: usize,
    pub(super) dilation: usize,
    before: usize,
}

impl Axis {
    /// The planes of a flat image.
    const FLAT: Self = Axis {
        input: 1,
        window: 1,
        output: 1,
        stride: 1,
        dilation: 1,
        before: 0,
    };

    /// Returns the elements of a window that are inside the image.
    pub(super) fn inside(&self, position: usize) -> Range<usize> {
        let start = position * self.stride;
        let first = self.before.saturating_sub(start).div_ceil(self.dilation);
        // The first element that is behind the image.
        let behind = (self.input + self.before).saturating_sub(start);
        let behind = behind.div_ceil(self.dilation).min(self.window);
        first.min(behind)..behind
    }

    /// Returns the element of the image that is under an element of a window, which is inside.
    pub(super) fn under(&self, position: usize, element: usize) -> usize {
        position * self.stride + element * self.dilation - self.before
    }

    /// Returns the range of the image under a window without gaps.
    pub(super) fn covered(&self, position: usize) -> Range<usize> {
        let inside = self.inside(position);
        match inside.is_empty() {
            true => 0..0,
            false => self.under(position, inside.start)..self.under(position, inside.end - 1) + 1,
        }
    }

    /// Returns whether each position covers the element of the same number, and no other one.
    pub(super) fn is_pointwise(&self) -> bool {
        self.window == 1 && self.stride == 1 && self.before == 0 && self.input == self.output
    }
}

/// Returns the number of positions of a window in an image.
pub(super) fn positions(axes: &[Axis; SPATIAL]) -> usize {
    let counts = axes.iter().map(|axis| axis.output);
    counts.fold(1, usize::saturating_mul)
}
