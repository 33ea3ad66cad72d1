//! Calls of operations on images: convolutions, pools, other sizes, batches of blocks.
//!
//! Images are small, and windows often as large as they are, so that each edge is tried.

use tfx_graphdef::proto::attr_value::Value;
use tfx_graphdef::shapes::window::{Padding, Window};
use tfx_interpreter::{DType, Tensor};

use crate::data::{Data, Values};
use crate::table::{FLOATS, Made, ints, numbers, sizes};

/// Images under windows: the sizes of a random call.
struct Sizes {
    /// Height and width, with the depth before them if images have one.
    image: Vec<usize>,
    window: Vec<usize>,
    strides: Vec<i64>,
    dilations: Vec<i64>,
    padding: &'static str,
    /// Two for each spatial dimension.
    explicit: Vec<i64>,
    /// The positions of the window; none if it does not fit.
    output: Option<Vec<usize>>,
}

/// The features that a random call may have.
#[derive(Clone, Copy, Default)]
struct Allowed {
    spatial: usize,
    explicit: bool,
    dilations: bool,
    /// Strides along rows and columns are the same.
    equal_strides: bool,
    /// Also images without pixels, and positions outside of them.
    empty: bool,
}

impl Sizes {
    fn new(data: &mut Data, allowed: Allowed) -> Self {
        let spatial = allowed.spatial;
        let least = usize::from(!allowed.empty || !data.chance(5));
        let image: Vec<usize> = (0..spatial).map(|_| least + data.below(6)).collect();
        let window: Vec<usize> = (0..spatial).map(|_| 1 + data.below(3)).collect();
        let mut strides: Vec<i64> = (0..spatial).map(|_| 1 + data.below(3) as i64).collect();
        if allowed.equal_strides {
            strides[1] = strides[0];
        }
        let padding = match data.below(5) {
            0 if allowed.explicit => "EXPLICIT",
            1 | 2 => "SAME",
            _ => "VALID",
        };
        if spatial == 3 && padding == "SAME" {
            for (stride, &size) in strides.iter_mut().zip(&window) {
                *stride = (*stride).min(size as i64);
            }
        }
        let mut dilations = vec![1; spatial];
        if allowed.dilations && data.chance(30) {
            dilations = (0..spatial).map(|_| 1 + data.below(2) as i64).collect();
        }
        let explicit = match padding {
            "EXPLICIT" => window.iter().flat_map(|&size| [size, size]).collect(),
            _ => Vec::new(),
        };
        let explicit: Vec<i64> = explicit
            .into_iter()
            .map(|size: usize| data.below(size) as i64)
            .collect();
        let position = |dimension: usize| {
            let window = Window {
                size: window[dimension] as u64,
                dilation: dilations[dimension] as u64,
                stride: strides[dimension] as u64,
            };
            let padding = match padding {
                "VALID" => Padding::Valid,
                "SAME" => Padding::Same,
                _ => Padding::Explicit(
                    explicit[2 * dimension] as u64,
                    explicit[2 * dimension + 1] as u64,
                ),
            };
            let positions = window.positions(image[dimension] as u64, padding).ok()?;
            Some(positions.count as usize)
        };
        let output = (0..spatial).map(position).collect();
        Sizes {
            image,
            window,
            strides,
            dilations,
            padding,
            explicit,
            output,
        }
    }

    /// The positions, which a gradient has; one for each dimension if the window does not fit, so
    /// that the call is rejected.
    fn positions(&self) -> Vec<usize> {
        self.output.clone().unwrap_or(vec![1; self.image.len()])
    }

    /// Returns whether a gradient has elements, without which TensorFlow leaves some results as
    /// they are.
    fn has_positions(&self) -> bool {
        self.output
            .as_ref()
            .is_some_and(|output| !output.contains(&0))
    }

    /// Returns sizes with which a gradient has elements.
    fn with_positions(data: &mut Data, allowed: Allowed) -> Self {
        let mut all = std::iter::repeat_with(|| Sizes::new(data, allowed));
        all.find(Sizes::has_positions).expect("a window that fits")
    }

    fn call(&self, made: Made) -> Made {
        let around = |inner: &[i64]| ints(&[&[1], inner, &[1]].concat());
        let made = made
            .with("strides", around(&self.strides))
            .with("padding", Value::S(self.padding.as_bytes().to_vec()));
        match self.padding {
            "EXPLICIT" => {
                let all = [&[0, 0], &self.explicit[..], &[0, 0]].concat();
                made.with("explicit_paddings", ints(&all))
            }
            _ => made,
        }
    }

    fn dilated(&self, made: Made) -> Made {
        let dilations = ints(&[&[1], &self.dilations[..], &[1]].concat());
        self.call(made).with("dilations", dilations)
    }

    fn pooled(&self, made: Made) -> Made {
        let window: Vec<i64> = self.window.iter().map(|&size| size as i64).collect();
        self.call(made)
            .with("ksize", ints(&[&[1], &window[..], &[1]].concat()))
    }
}

/// The shape of images with these sizes.
fn images(count: usize, inner: &[usize], channels: usize) -> Vec<usize> {
    [&[count], inner, &[channels]].concat()
}

fn filter(window: &[usize], depth: usize, results: usize) -> Vec<usize> {
    [window, &[depth, results]].concat()
}

/// Mostly 1 to 3, and rarely none.
fn few(data: &mut Data) -> usize {
    match data.chance(3) {
        true => 0,
        false => 1 + data.below(3),
    }
}

const FLAT: Allowed = Allowed {
    spatial: 2,
    explicit: true,
    dilations: true,
    equal_strides: false,
    empty: true,
};
const SPACE: Allowed = Allowed {
    spatial: 3,
    explicit: false,
    dilations: false,
    ..FLAT
};

pub(crate) fn convolution(data: &mut Data, dtype: DType) -> Made {
    let of = Sizes::new(data, FLAT);
    let (count, depth, groups) = (few(data), 1 + data.below(3), 1 + data.below(2));
    let results = match data.chance(90) {
        true => groups * few(data),
        false => few(data),
    };
    let channels = depth * groups + usize::from(data.chance(3));
    let made = Made::of([
        data.tensor_of(dtype, &images(count, &of.image, channels), Values::Moderate),
        data.tensor_of(dtype, &filter(&of.window, depth, results), Values::Moderate),
    ]);
    of.dilated(made)
}

pub(crate) fn convolution_of_space(data: &mut Data, dtype: DType) -> Made {
    let of = Sizes::new(data, SPACE);
    let (count, depth, results) = (few(data), 1 + data.below(3), 1 + data.below(3));
    let channels = depth + usize::from(data.chance(3));
    let made = Made::of([
        data.tensor_of(dtype, &images(count, &of.image, channels), Values::Moderate),
        data.tensor_of(dtype, &filter(&of.window, depth, results), Values::Moderate),
    ]);
    of.call(made)
}

/// Sizes as an operand.
fn shape(shape: &[usize]) -> Tensor {
    numbers(&sizes(shape), DType::I32)
}

fn image_gradient(data: &mut Data, dtype: DType, allowed: Allowed) -> Made {
    let allowed = Allowed {
        dilations: false,
        ..allowed
    };
    // A gradient of a space without elements ends TensorFlow.
    let of = match allowed.spatial {
        3 => Sizes::with_positions(data, allowed),
        _ => Sizes::new(data, allowed),
    };
    let (count, depth, results) = (1 + data.below(3), 1 + data.below(3), 1 + data.below(3));
    let mut image = images(count, &of.image, depth);
    let gradient = images(
        count,
        &of.positions(),
        results + usize::from(data.chance(3)),
    );
    if allowed.spatial == 2 && data.chance(20) {
        image = of.image.clone();
    }
    let bits = match allowed.spatial {
        3 => *data.pick(&[DType::I32, DType::I64]),
        _ => DType::I32,
    };
    let made = Made::of([
        numbers(&sizes(&image), bits),
        data.tensor_of(dtype, &filter(&of.window, depth, results), Values::Unit),
        data.tensor_of(dtype, &gradient, Values::Unit),
    ]);
    of.call(made)
}

fn filter_gradient(data: &mut Data, dtype: DType, allowed: Allowed) -> Made {
    let allowed = Allowed {
        dilations: false,
        empty: false,
        ..allowed
    };
    let of = Sizes::with_positions(data, allowed);
    let (count, depth, results) = (1 + data.below(3), 1 + data.below(3), 1 + data.below(3));
    let gradient = images(
        count,
        &of.positions(),
        results + usize::from(data.chance(3)),
    );
    let made = Made::of([
        data.tensor_of(dtype, &images(count, &of.image, depth), Values::Unit),
        shape(&filter(&of.window, depth, results)),
        data.tensor_of(dtype, &gradient, Values::Unit),
    ]);
    of.call(made)
}

pub(crate) fn convolution_images(data: &mut Data, dtype: DType) -> Made {
    image_gradient(data, dtype, FLAT)
}

pub(crate) fn convolution_filter(data: &mut Data, dtype: DType) -> Made {
    filter_gradient(data, dtype, FLAT)
}

pub(crate) fn space_images(data: &mut Data, dtype: DType) -> Made {
    image_gradient(data, dtype, SPACE)
}

pub(crate) fn space_filter(data: &mut Data, dtype: DType) -> Made {
    filter_gradient(data, dtype, SPACE)
}

/// Convolutions that keep channels apart have equal strides.
const APART: Allowed = Allowed {
    dilations: false,
    equal_strides: true,
    ..FLAT
};

pub(crate) fn depthwise(data: &mut Data, dtype: DType) -> Made {
    let equal_strides = !data.chance(3);
    let of = Sizes::new(
        data,
        Allowed {
            equal_strides,
            ..APART
        },
    );
    let (count, depth, multiplier) = (few(data), few(data), few(data));
    let wrong = usize::from(data.chance(3));
    // TensorFlow multiplies the zeros of the padding, and the elements of vectors of the filter.
    let values = if of.padding == "VALID" {
        Values::Moderate
    } else {
        Values::Unit
    };
    let made = Made::of([
        data.tensor_of(dtype, &images(count, &of.image, depth), values),
        data.tensor_of(
            dtype,
            &filter(&of.window, depth + wrong, multiplier),
            values,
        ),
    ]);
    of.call(made)
}

pub(crate) fn depthwise_images(data: &mut Data, dtype: DType) -> Made {
    let of = Sizes::with_positions(data, APART);
    let (count, depth, multiplier) = (few(data), few(data), 1 + data.below(3));
    let gradient = images(count, &of.positions(), depth * multiplier);
    let made = Made::of([
        shape(&images(count, &of.image, depth)),
        data.tensor_of(dtype, &filter(&of.window, depth, multiplier), Values::Unit),
        data.tensor_of(dtype, &gradient, Values::Unit),
    ]);
    of.call(made)
}

pub(crate) fn depthwise_filter(data: &mut Data, dtype: DType) -> Made {
    let allowed = Allowed {
        empty: false,
        ..APART
    };
    let of = Sizes::with_positions(data, allowed);
    let (count, depth, multiplier) = (1 + data.below(2), 1 + data.below(3), 1 + data.below(3));
    let gradient = images(
        count,
        &of.positions(),
        depth * multiplier + usize::from(data.chance(3)),
    );
    let made = Made::of([
        data.tensor_of(dtype, &images(count, &of.image, depth), Values::Unit),
        shape(&filter(&of.window, depth, multiplier)),
        data.tensor_of(dtype, &gradient, Values::Unit),
    ]);
    of.call(made)
}

/// Pools do not have gaps.
const POOL: Allowed = Allowed {
    dilations: false,
    ..FLAT
};
const MEAN: Allowed = Allowed {
    explicit: false,
    ..POOL
};

/// Some pools are over channels.
pub(crate) fn largest(data: &mut Data, dtype: DType) -> Made {
    let (of, count, channels) = (Sizes::new(data, POOL), few(data), few(data));
    if data.chance(15) {
        let window = 1 + data.below(3);
        let shape = images(count, &of.image, 2 * window);
        let made = Made::of([data.tensor_of(dtype, &shape, Values::Ordered)]);
        let window = ints(&[1, 1, 1, window as i64 + i64::from(data.chance(10))]);
        return made
            .with("ksize", window.clone())
            .with("strides", window)
            .with("padding", Value::S(b"VALID".to_vec()));
    }
    let shape = images(count, &of.image, channels);
    of.pooled(Made::of([data.tensor_of(dtype, &shape, Values::Ordered)]))
}

pub(crate) fn largest_of_space(data: &mut Data, dtype: DType) -> Made {
    let (of, count, channels) = (Sizes::new(data, SPACE), few(data), few(data));
    of.pooled(Made::of([data.tensor_of(
        dtype,
        &images(count, &of.image, channels),
        Values::Unit,
    )]))
}

pub(crate) fn mean(data: &mut Data, dtype: DType) -> Made {
    let (of, count, channels) = (Sizes::new(data, MEAN), few(data), few(data));
    of.pooled(Made::of([data.tensor_of(
        dtype,
        &images(count, &of.image, channels),
        Values::Moderate,
    )]))
}

pub(crate) fn mean_of_space(data: &mut Data, dtype: DType) -> Made {
    let (of, count, channels) = (Sizes::new(data, SPACE), few(data), few(data));
    of.pooled(Made::of([data.tensor_of(
        dtype,
        &images(count, &of.image, channels),
        Values::Moderate,
    )]))
}

pub(crate) fn mean_gradient(data: &mut Data, dtype: DType) -> Made {
    let of = Sizes::with_positions(data, MEAN);
    let (count, channels) = (few(data), few(data));
    let gradient = images(count, &of.positions(), channels);
    of.pooled(Made::of([
        numbers(&sizes(&images(count, &of.image, channels)), DType::I32),
        data.tensor_of(dtype, &gradient, Values::Moderate),
    ]))
}

/// Operands: the images, the result of their pool, the gradient of the result.
pub(crate) fn largest_gradient(data: &mut Data, dtype: DType) -> Made {
    let (of, count, channels) = (Sizes::with_positions(data, POOL), few(data), few(data));
    let wrong = usize::from(data.chance(3));
    let gradient = images(count, &of.positions(), channels + wrong);
    let values = if FLOATS.contains(&dtype) {
        Values::Unit
    } else {
        Values::Any
    };
    of.pooled(Made::of([
        data.tensor(dtype, &images(count, &of.image, channels)),
        data.tensor_of(dtype, &gradient, values),
        data.tensor_of(dtype, &gradient, values),
    ]))
}

/// The second derivative. Elements are few, so that several of a window are the largest.
pub(crate) fn largest_second(data: &mut Data, dtype: DType) -> Made {
    let allowed = Allowed {
        explicit: false,
        ..POOL
    };
    let (of, count, channels) = (Sizes::new(data, allowed), few(data), few(data));
    let shape = images(count, &of.image, channels);
    let images = data.tensor_of(dtype, &shape, Values::Small);
    let pooled = of.pooled(Made::of([images.clone()]));
    let result = match pooled.run("MaxPool") {
        Some(result) => result,
        None => data.tensor(dtype, &[1, 1, 1, 1]),
    };
    of.pooled(Made::of([images, result, data.tensor(dtype, &shape)]))
}

fn centers(data: &mut Data, made: Made) -> Made {
    match data.below(3) {
        0 => made,
        1 => made.with("align_corners", Value::B(true)),
        _ => made.with("half_pixel_centers", Value::B(true)),
    }
}

fn four(data: &mut Data) -> Vec<usize> {
    vec![
        few(data),
        1 + data.below(6),
        1 + data.below(6),
        1 + data.below(6),
    ]
}

pub(crate) fn resized(data: &mut Data, dtype: DType) -> Made {
    let shape = four(data);
    let least = i64::from(!data.chance(3));
    let size = [(); 2].map(|()| least + data.below(8) as i64);
    let size = match data.chance(10) {
        true => [shape[1] as i64, shape[2] as i64],
        false => size,
    };
    let made = Made::of([
        data.tensor_of(dtype, &shape, Values::Moderate),
        numbers(&size, DType::I32),
    ]);
    centers(data, made)
}

pub(crate) fn resized_bilinear_gradient(data: &mut Data, dtype: DType) -> Made {
    let (shape, mut other) = (four(data), four(data));
    (other[0], other[3]) = (shape[0], shape[3]);
    let made = Made::of([
        data.tensor_of(DType::F32, &other, Values::Unit),
        data.tensor(dtype, &shape),
    ]);
    centers(data, made)
}

/// Operands: a tensor, the sizes of blocks, two paddings for each.
pub(crate) fn to_batch(data: &mut Data, dtype: DType) -> Made {
    let mut shape = data.shape(2);
    shape.iter_mut().for_each(|size| *size = (*size).min(6));
    let count = 1 + data.below(shape.len() - 1);
    let (mut blocks, mut edges) = (Vec::new(), Vec::new());
    for &size in &shape[1..=count] {
        let (block, before) = (1 + data.below(3), data.below(3));
        let wrong = usize::from(data.chance(5));
        let after = (size + before).next_multiple_of(block) - size - before + wrong;
        blocks.push(block as i64);
        edges.extend([before as i64, after as i64]);
    }
    Made::of([
        data.tensor(dtype, &shape),
        pairs(data, &blocks, 1),
        pairs(data, &edges, 2),
    ])
}

/// Operands: a tensor, the sizes of blocks, two crops for each.
pub(crate) fn to_space(data: &mut Data, dtype: DType) -> Made {
    let mut shape = data.shape(2);
    shape.iter_mut().for_each(|size| *size = (*size).min(6));
    let count = 1 + data.below(shape.len() - 1);
    let (mut blocks, mut edges) = (Vec::new(), Vec::new());
    for &size in &shape[1..=count] {
        let block = 1 + data.below(3);
        let before = data.below(size * block + 1);
        let after = data.below(size * block - before + 1) + usize::from(data.chance(5));
        blocks.push(block as i64);
        edges.extend([before as i64, after as i64]);
    }
    shape[0] =
        data.below(3) * blocks.iter().product::<i64>() as usize + usize::from(data.chance(5));
    Made::of([
        data.tensor(dtype, &shape),
        pairs(data, &blocks, 1),
        pairs(data, &edges, 2),
    ])
}

/// Numbers as a list, or in rows of two.
fn pairs(data: &mut Data, values: &[i64], columns: usize) -> Tensor {
    let dtype = *data.pick(&[DType::I32, DType::I64]);
    let list = numbers(values, dtype);
    match columns {
        1 => list,
        _ => list
            .reshaped(&[values.len() / columns, columns])
            .expect("as many elements"),
    }
}

pub(crate) fn key(data: &mut Data, dtype: DType) -> Made {
    let words: Vec<u64> = (0..4).map(|_| data.next_u64()).collect();
    let counter = &words[..2 + data.below(2)];
    let shape = data.shape(0);
    // Of no numbers, TensorFlow does not check the algorithm.
    let known = if shape.contains(&0) { 3 } else { 4 };
    let algorithm = Tensor::scalar(*data.pick(&[1, 1, 3, 2][..known]));
    let list = |words: &[u64]| Tensor::from_slice(&[words.len()], words).expect("a list");
    let keys = 1 + usize::from(data.chance(5));
    Made::of([
        numbers(&sizes(&shape), DType::I32),
        list(&words[4 - keys..]),
        list(counter),
        algorithm,
    ])
    .with("dtype", Value::Type(dtype.tensorflow()))
}

pub(crate) fn seed(data: &mut Data, _: DType) -> Made {
    let words = [(); 2].map(|()| data.next_u64() as i64);
    let count = 2 - usize::from(data.chance(5));
    Made::of([numbers(&words[..count], DType::I64)])
}
