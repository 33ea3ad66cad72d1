//! Windows that slide over images, for convolutions and pools.
//!
//! ```text
//! %y = Conv2D(%x, %w) {strides = [1, 2, 2, 1], padding = "SAME"}     %x: ?x28x28x16, %w: 3x3x16x32
//!
//! Windows: input 28 28, window 3 3, output 14 14, stride 2 2, dilation 1 1, before 0 0
//! ```
//!
//! The arithmetic of positions is that of the shape functions, which the kernels of the interpreter
//! share. Sizes of images must be known, and the number of images need not be.

use tfx_graphdef::proto::attr_value::Value as Attribute;
use tfx_graphdef::shapes::window::{Padding, Window};

use super::{Lowering, NotCompiled, Reader, Sizes, element, sizes};
use crate::element::Element;

/// Windows over rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Windows {
    /// The elements of an image.
    pub(crate) input: [i64; 2],
    /// The elements of a window.
    pub(crate) window: [i64; 2],
    /// The positions of a window.
    pub(crate) output: [i64; 2],
    /// The distance of neighbouring positions, and of neighbouring elements of a window.
    pub(crate) stride: [i64; 2],
    pub(crate) dilation: [i64; 2],
    /// The padding before the first element.
    pub(crate) before: [i64; 2],
}

impl Windows {
    /// Returns whether each position covers the element of the same number, and no other one.
    pub(crate) fn are_pointwise(&self) -> bool {
        self.window == [1, 1]
            && self.stride == [1, 1]
            && self.before == [0, 0]
            && self.input == self.output
    }
}

/// A convolution, or one of its gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Convolution {
    pub(crate) windows: Windows,
    /// The channels of images, and those of the result.
    pub(crate) channels: i64,
    pub(crate) results: i64,
    pub(crate) of: Of,
}

/// The tensor that a convolution computes from the other two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Result,
    /// The gradient of the images, of filter and gradient.
    Images,
    /// The gradient of the filter, of images and gradient.
    Filter,
}

/// An operation on the elements of each channel under windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Windowed {
    pub(crate) windows: Windows,
    /// The channels of images, and the channels of the result for each of them.
    pub(crate) channels: i64,
    pub(crate) multiplier: i64,
    pub(crate) of: Under,
}

/// A function of the elements under windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Under {
    Largest,
    /// Of images, results and gradient: the gradient at the places of the largest elements.
    LargestGradient,
    Means,
    /// Of sizes and gradient.
    MeansGradient,
    /// Sums of products with a filter.
    Products,
    /// Of sizes, filter and gradient.
    ProductsImages,
    /// Of images, sizes and gradient.
    ProductsFilter,
}

impl Under {
    /// Returns whether there is a filter, and not only a window.
    pub(crate) fn has_filter(self) -> bool {
        matches!(
            self,
            Under::Products | Under::ProductsImages | Under::ProductsFilter
        )
    }
}

/// The largest size of an image or of a window: no product of sizes overflows.
const MOST: u64 = 1 << 20;

impl Reader<'_, '_> {
    /// Returns the form of an operation on images, or nothing for another operation. The elements
    /// of the first operand have the type `from`.
    pub(super) fn on_images(
        &self,
        name: &str,
        from: Element,
    ) -> Option<Result<Lowering, NotCompiled>> {
        let form = match name {
            "Conv2D" => self.convolution(Of::Result),
            "Conv2DBackpropInput" => self.convolution(Of::Images),
            "Conv2DBackpropFilter" => self.convolution(Of::Filter),
            "MaxPool" if from != Element::Bool => self.windowed(Under::Largest),
            "MaxPoolGrad" if from != Element::Bool => self.windowed(Under::LargestGradient),
            "AvgPool" => self.windowed(Under::Means),
            "AvgPoolGrad" => self.windowed(Under::MeansGradient),
            "DepthwiseConv2dNative" => self.windowed(Under::Products),
            "DepthwiseConv2dNativeBackpropInput" => self.windowed(Under::ProductsImages),
            "DepthwiseConv2dNativeBackpropFilter" => self.windowed(Under::ProductsFilter),
            _ => return None,
        };
        Some(form.map_err(NotCompiled))
    }

    /// Returns the form of a convolution.
    fn convolution(&self, of: Of) -> Result<Lowering, String> {
        let op = self.op.op();
        let of_operand = |index: usize| sizes(op.operand(index).ty()).unwrap_or_default();
        let result = sizes(op.result(0).ty()).unwrap_or_default();
        if !element(op.result(0).ty()).is_some_and(Element::is_float) {
            return Err("there is no native code for convolutions of integers".to_owned());
        }
        let (images, filter) = match of {
            Of::Result => (of_operand(0), of_operand(1)),
            Of::Images => (result, of_operand(1)),
            Of::Filter => (of_operand(0), result),
        };
        // The sizes of the gradients are an operand.
        let stated = match of {
            Of::Result => None,
            Of::Images => Some(0),
            Of::Filter => Some(1),
        };
        if stated.is_some_and(|operand| of_operand(operand) != [Some(4)]) {
            return Err("the sizes of its result are not four numbers".to_owned());
        }
        let (Some([rows, columns, channels]), Some([high, wide, depth, results])) =
            (known(images.get(1..)), known(Some(&filter)))
        else {
            return Err("it has images or a filter of unknown size".to_owned());
        };
        if channels != depth {
            return Err("the channels of its images are in groups".to_owned());
        }
        let windows = self.windows([rows, columns], [high, wide])?;
        if of != Of::Result && windows.dilation != [1, 1] {
            return Err("it is a gradient of a dilated convolution".to_owned());
        }
        // The gradient is padded by what the window is larger than the padding.
        let excess = |axis: usize| {
            let end = (windows.output[axis] - 1) * windows.stride[axis] - windows.before[axis];
            windows.before[axis] >= windows.window[axis] || end >= windows.input[axis]
        };
        if of == Of::Images && (excess(0) || excess(1)) {
            return Err("its padding is larger than its filter".to_owned());
        }
        Ok(Lowering::Convolution(Convolution {
            windows,
            channels: channels as i64,
            results: results as i64,
            of,
        }))
    }

    /// Returns the form of a pool, or of a convolution that keeps channels apart.
    fn windowed(&self, of: Under) -> Result<Lowering, String> {
        let op = self.op.op();
        let of_operand = |index: usize| sizes(op.operand(index).ty()).unwrap_or_default();
        let result = sizes(op.result(0).ty()).unwrap_or_default();
        let is_float = element(op.result(0).ty()).is_some_and(Element::is_float);
        if !is_float && !matches!(of, Under::Largest | Under::LargestGradient) {
            return Err("there is no native code for this operation on integers".to_owned());
        }
        let (images, filter, stated) = match of {
            Under::Largest | Under::LargestGradient | Under::Means => (of_operand(0), None, None),
            Under::MeansGradient => (result, None, Some(0)),
            Under::Products => (of_operand(0), Some(of_operand(1)), None),
            Under::ProductsImages => (result, Some(of_operand(1)), Some(0)),
            Under::ProductsFilter => (of_operand(0), Some(result), Some(1)),
        };
        if stated.is_some_and(|operand| of_operand(operand) != [Some(4)]) {
            return Err("the sizes of its result are not four numbers".to_owned());
        }
        let Some([rows, columns, channels]) = known(images.get(1..)) else {
            return Err("it has images of unknown size".to_owned());
        };
        let (window, multiplier) = match filter {
            Some(filter) => match known(Some(&filter)) {
                Some([rows, columns, depth, multiplier]) if depth == channels => {
                    ([rows, columns], multiplier)
                }
                _ => return Err("it has a filter of unknown size or of other channels".to_owned()),
            },
            None => (self.spatial("ksize")?, 1),
        };
        let windows = self.windows([rows, columns], window)?;
        // The interpreter reports what it does not have.
        let has_equal_strides = windows.stride[0] == windows.stride[1];
        if windows.dilation != [1, 1] || of.has_filter() && !has_equal_strides {
            return Err("it has gaps in its windows, or unequal strides".to_owned());
        }
        if !of.has_filter() && !self.list("explicit_paddings").is_empty() {
            return Err("its padding is explicit".to_owned());
        }
        Ok(Lowering::Windowed(Windowed {
            windows,
            channels: channels as i64,
            multiplier: multiplier as i64,
            of,
        }))
    }

    /// Returns the windows of an operation on images of this size.
    fn windows(&self, input: [u64; 2], window: [u64; 2]) -> Result<Windows, String> {
        match self.attribute("data_format") {
            Some(Attribute::S(format)) if format != b"NHWC" => {
                return Err("the channels of its images are not last".to_owned());
            }
            _ => {}
        }
        let stride = self.spatial("strides")?;
        let dilation = match self.list("dilations").is_empty() {
            true => [1, 1],
            false => self.spatial("dilations")?,
        };
        let explicit = self.list("explicit_paddings");
        let kind = match self.attribute("padding") {
            Some(Attribute::S(kind)) => kind.as_slice(),
            _ => &[],
        };
        let paddings = match (kind, &explicit[..]) {
            (b"VALID", []) => [Padding::Valid; 2],
            (b"SAME", []) => [Padding::Same; 2],
            (b"EXPLICIT", [0, 0, inner @ .., 0, 0]) => explicit_paddings(inner)?,
            _ => return Err("its padding is not known".to_owned()),
        };
        let mut windows = Windows {
            input: input.map(|size| size as i64),
            window: window.map(|size| size as i64),
            output: [0; 2],
            stride: stride.map(|size| size as i64),
            dilation: dilation.map(|size| size as i64),
            before: [0; 2],
        };
        for axis in 0..2 {
            let sliding = Window {
                size: window[axis],
                dilation: dilation[axis],
                stride: stride[axis],
            };
            let positions = sliding.positions(input[axis], paddings[axis]);
            let positions = positions.map_err(|problem| problem.to_string())?;
            let sizes = [
                input[axis],
                window[axis].saturating_mul(dilation[axis]),
                stride[axis],
                positions.before,
                positions.count,
            ];
            if sizes.iter().any(|&size| size > MOST) || window[axis] == 0 || positions.count == 0 {
                return Err("it has windows without elements, or very large ones".to_owned());
            }
            windows.output[axis] = positions.count as i64;
            windows.before[axis] = positions.before as i64;
        }
        Ok(windows)
    }

    /// Returns the numbers of an attribute for rows and columns. Those of images and channels are
    /// 1.
    pub(super) fn spatial(&self, name: &str) -> Result<[u64; 2], String> {
        match self.list(name)[..] {
            [1, rows, columns, 1] if rows > 0 && columns > 0 => Ok([rows as u64, columns as u64]),
            _ => Err(format!("its {name} are not those of rows and columns")),
        }
    }

    fn list(&self, name: &str) -> Vec<i64> {
        match self.attribute(name) {
            Some(Attribute::List(list)) => list.i.clone(),
            _ => Vec::new(),
        }
    }
}

/// Returns the padding of rows and columns for the numbers before and after each.
fn explicit_paddings(numbers: &[i64]) -> Result<[Padding; 2], String> {
    match *numbers {
        [top, bottom, left, right] if numbers.iter().all(|&number| number >= 0) => Ok([
            Padding::Explicit(top as u64, bottom as u64),
            Padding::Explicit(left as u64, right as u64),
        ]),
        _ => Err("its padding is not that of rows and columns".to_owned()),
    }
}

/// Returns sizes that are all known, and neither 0 nor very large.
pub(super) fn known<const N: usize>(sizes: Option<&[Option<u64>]>) -> Option<[u64; N]> {
    let sizes: Option<Sizes> = sizes.map(<[_]>::to_vec);
    let sizes: Option<Vec<u64>> = sizes?.into_iter().collect();
    let sizes: [u64; N] = sizes?.try_into().ok()?;
    let is_usual = |size: &u64| (1..=MOST).contains(size);
    sizes.iter().all(is_usual).then_some(sizes)
}
