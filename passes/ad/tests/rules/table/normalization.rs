//! Batch normalization.
//!
//! TensorFlow's gradient neglects the statistics: those that inference gets, and those that
//! training returns.

use super::{Row, row};
use crate::example::{Example, ex};

/// Only the gradient of the same operands uses the last three results.
const RESULTS: &[&str] = &["f32", "f32", "f32", "!f32", "!f32", "!f32"];
const ONLY_IMAGES: &[&str] = &["f32", "!f32", "!f32", "!f32", "!f32", "!f32"];
const TANGENTS: &[&str] = &["f32", "f32", "f32", "!f32", "!f32"];

const LAST: &[&str] = &["2x2x1x2xf32", "2xf32", "2xf32", "2xf32", "2xf32 = 0.7 1.3"];
const EMPTY: &[&str] = &["2x1x2x2xf32", "2xf32", "2xf32", "0xf32 =", "0xf32 ="];
const FIRST: &[&str] = &[
    "2x3x1x2xf32",
    "3xf32",
    "3xf32",
    "3xf32",
    "3xf32 = 0.7 1.3 2",
];
const SPACE: &[&str] = &[
    "1x2x1x2x2xf32",
    "2xf32",
    "2xf32",
    "2xf32",
    "2xf32 = 0.7 1.3",
];
/// One number in each channel.
const ONE: &[&str] = &["1x1x1x2xf32", "2xf32", "2xf32", "2xf32", "2xf32 = 1 2"];
/// The variance is that of the default of epsilon.
const NARROW: &[&str] = &[
    "2x2x1x2xf32",
    "2xf32",
    "2xf32",
    "2xf32",
    "2xf32 # 0.0001 1.3",
];
const GRADIENT: &[&str] = &[
    "2x2x1x2xf32",
    "2x2x1x2xf32",
    "2xf32",
    "2xf32",
    "2xf32 = 0.7 1.3",
    "0xf32 #",
];

const fn batch(attributes: &'static str, operands: &'static [&'static str]) -> Example {
    ex(attributes, operands).to(RESULTS).coarse().differs()
}

const fn images(attributes: &'static str, operands: &'static [&'static str]) -> Example {
    ex(attributes, operands).to(ONLY_IMAGES).coarse()
}

const fn gradient(attributes: &'static str, operands: &'static [&'static str]) -> Example {
    ex(attributes, operands).to(TANGENTS).coarse()
}

pub(super) const ROWS: &[Row] = &[
    row(
        "FusedBatchNormV3",
        &[
            images("{}", LAST),
            images("{data_format = \"NCHW\", epsilon = 0.5 : f32}", FIRST),
            batch("{epsilon = 0.5 : f32}", ONE),
            batch("{is_training = false}", NARROW),
            batch("{epsilon = 0.1 : f32}", EMPTY),
            batch("{exponential_avg_factor = 0.25 : f32}", LAST),
            batch("{data_format = \"NCHW\", exponential_avg_factor = 0.5 : f32, epsilon = 0.1 : f32}", FIRST),
            batch("{data_format = \"NDHWC\", is_training = true}", SPACE),
            batch("{is_training = false, epsilon = 0.1 : f32}", LAST),
            batch("{is_training = false, data_format = \"NCHW\"}", FIRST),
        ],
    )
    .note("the reserved results are for the gradient only"),
    row(
        "FusedBatchNormGradV3",
        &[
            gradient("{is_training = false, epsilon = 0.1 : f32}", GRADIENT),
        ],
    )
    .note("with respect to the statistics in inference only; training is judged by second derivatives"),
];
